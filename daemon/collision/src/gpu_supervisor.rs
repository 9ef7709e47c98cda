//! The GPU supervisor: reopens a GPU that was given up, on a separate thread, so that no computing
//! thread waits for one.
//!
//! # Theory
//!
//! Opening an adapter and compiling its passes takes tenths of a second, and more on some drivers;
//! dropping one that hangs may take for ever. This thread does both. The thread that owns a scene
//! reports that it has given its backend up, and continues with the CPU. When a new backend comes,
//! it replaces the old one, which travels back to be dropped. It is on probation until it has
//! answered. [`Backoff`] sets the times of the attempts.
//!
//! A backend gives itself up, since only it knows what is late. All else is here, once for every
//! [`GpuUse`]: state and counts ([`History`]), attempts, and what the log says ([`GpuNews`]).
//!
//! # Practice
//!
//! [`pair`] makes the two ends of a bounded hand-over. The scene's thread calls [`UserEnd::attend`]
//! between two steps: it waits for nothing, drops no backend, and allocates only when something
//! happened. [`SupervisorEnd::round`] receives the time and does what is due. [`run`] is the
//! thread, which waits for reports from the scenes, for the next attempt, or for the end. Either
//! side may end first.
//!
//! Both directions are [`delivery`]s: the scene's thread has a higher priority than the GPU
//! supervisor, and must not wait for it when it is interrupted half-way through a hand-over.
//!
//! One thread serves all scenes: a driver that hangs while a backend is opened or dropped holds up
//! the attempts for the others, and nothing else. A GPU's answers depend on its timing, so in
//! virtual time and in replays there is no GPU supervisor.

use std::convert::Infallible;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use hapticd_sync::delivery::{NoValue, Receiver, Sender, Unsent, delivery};
use hapticd_sys::clock::now_ns;

pub use backoff::{Backoff, Pace};
pub use history::{BackendState, GpuStats, History, Vitals};
pub use lines::{GpuNews, GpuUse};

mod backoff;
mod history;
mod lines;
#[cfg(test)]
mod tests;

/// A part of the daemon that a backend computes for.
pub trait BackendUser {
    /// The backend that computes.
    type Backend: ?Sized + Send + 'static;
    /// Specification for a new backend.
    type Order: Send + 'static;

    /// What is known of the present backend. Cheap: called between any two steps. Where the CPU
    /// works alone, the default.
    fn vitals(&self) -> Vitals<'_>;

    /// Specification for a new backend.
    fn order(&self) -> Self::Order;

    /// Replaces the backend. Returns the one that is not needed: the old one, or the new one if it
    /// is unsuitable. Waits for neither.
    fn replace(&mut self, new: Box<Self::Backend>) -> Option<Box<Self::Backend>>;
}

/// A report of a scene's thread to the GPU supervisor.
enum Report<O: BackendUser> {
    Lost { why: String, order: O::Order },
    Active,
    Back(Box<O::Backend>),
}

/// Reports that a scene can send before they are received. Each new backend causes three: the old
/// one goes back, the new one answers, and it is given up.
const REPORT_CAPACITY: usize = 8;

/// The GPU supervisor polls for reports this often: a driver that parks its caller may consume a
/// wake-up meant for the GPU supervisor.
const REPORT_POLL: Duration = Duration::from_secs(1);

/// Makes a new backend for an order and returns it with its name, or the reason why there is none.
/// May take any time.
pub type Make<O> = Box<
    dyn FnMut(
            &<O as BackendUser>::Order,
        ) -> Result<(Box<<O as BackendUser>::Backend>, String), String>
        + Send,
>;

/// Makes the two ends of a hand-over. `of` names the backend's purpose, for the log.
pub fn pair<O: BackendUser>(
    of: GpuUse,
    pace: Pace,
    make: Make<O>,
) -> (UserEnd<O>, SupervisorEnd<O>) {
    let (notices_in, notices) = delivery(REPORT_CAPACITY);
    // One at a time: a second one is made only after the first was given up.
    let (made_in, made) = delivery(1);
    let failed = Arc::new(AtomicU64::new(0));
    let scene = UserEnd {
        notices: notices_in,
        made,
        history: History::default(),
        told: BackendState::Active,
        leaving: None,
        failed: failed.clone(),
    };
    let supervisor = SupervisorEnd {
        of,
        notices,
        made: made_in,
        make,
        backoff: Backoff::new(pace),
        order: None,
        on_probation: false,
        failed,
    };
    (scene, supervisor)
}

/// The scene thread's end.
pub struct UserEnd<O: BackendUser> {
    notices: Sender<Report<O>>,
    made: Receiver<Box<O::Backend>>,
    history: History,
    /// The state that the GPU supervisor knows.
    told: BackendState,
    /// A backend on its way back. Without a GPU supervisor it stays here to the end, as dropping it
    /// may take long.
    leaving: Option<Box<O::Backend>>,
    failed: Arc<AtomicU64>,
}

impl<O: BackendUser> UserEnd<O> {
    /// Call it once a round, between two steps: reports changes to the GPU supervisor, and takes
    /// over the backend that it has made.
    pub fn attend(&mut self, user: &mut O) {
        if !self.send_back() {
            return;
        }
        let state = self.history.note(user.vitals());
        if state != self.told {
            let notice = match state {
                BackendState::Active => Some(Report::Active),
                BackendState::Probation => None,
                BackendState::Lost => Some(Report::Lost {
                    why: self.history.stats().why.clone(),
                    order: user.order(),
                }),
            };
            let sent = notice.map_or(Ok(()), |notice| self.notices.send(notice));
            // Without a GPU supervisor there is no receiver, now or later.
            if !matches!(sent, Err(Unsent::Full(_))) {
                self.told = state;
            }
        }
        if self.told == BackendState::Lost
            && let Ok(new) = self.made.try_recv()
        {
            self.leaving = user.replace(new);
            self.history.replaced(user.vitals());
            // If the new backend was refused, the next round reports that.
            self.told = BackendState::Probation;
            self.send_back();
        }
    }

    /// Ends the hand-over: the GPU supervisor drops `last`, the backend in use, and every other one
    /// that is still here. Drops and waits for none. A GPU supervisor that is gone leaves them to
    /// the end of the process.
    pub fn end(mut self, last: Option<Box<O::Backend>>) {
        let made = std::iter::from_fn(|| self.made.try_recv().ok());
        let all: Vec<_> = made.chain(self.leaving.take()).chain(last).collect();
        for backend in all {
            if let Err(Unsent::Full(notice) | Unsent::Gone(notice)) =
                self.notices.send(Report::Back(backend))
            {
                std::mem::forget(notice);
            }
        }
    }

    /// Sends the old backend back. Returns whether nothing is left to send.
    fn send_back(&mut self) -> bool {
        if let Some(old) = self.leaving.take()
            && let Err(unsent) = self.notices.send(Report::Back(old))
            && let Unsent::Full(Report::Back(old)) | Unsent::Gone(Report::Back(old)) = unsent
        {
            self.leaving = Some(old);
        }
        self.leaving.is_none()
    }

    /// Writes the counts so far to `out`. Failed attempts are those that gave no backend, or one
    /// that was given up on probation. Allocates only if the reason is new and longer.
    pub fn write_stats(&mut self, user: &O, out: &mut GpuStats) {
        self.history.note(user.vitals());
        let stats = self.history.stats();
        out.takeovers = stats.takeovers;
        out.why.clone_from(&stats.why);
        out.handed_back = stats.handed_back;
        out.failed_attempts = self.failed.load(Ordering::Relaxed);
    }

    /// The counts so far, as [`UserEnd::write_stats`].
    pub fn stats(&mut self, user: &O) -> GpuStats {
        let mut stats = GpuStats::default();
        self.write_stats(user, &mut stats);
        stats
    }
}

/// The GPU supervisor's end.
pub struct SupervisorEnd<O: BackendUser> {
    of: GpuUse,
    notices: Receiver<Report<O>>,
    made: Sender<Box<O::Backend>>,
    make: Make<O>,
    backoff: Backoff,
    /// Specification of the backend that was given up.
    order: Option<O::Order>,
    /// The new backend was handed over and has not answered yet.
    on_probation: bool,
    failed: Arc<AtomicU64>,
}

/// One of the GPU supervisor's ends, for any kind of backend.
pub trait Supervised: Send {
    /// Time of the next attempt; `None`: not before the next report.
    fn due_ns(&self) -> Option<u64>;

    /// Receives all reports, and makes an attempt if one is due. Calls `now_ns` again after long
    /// operations. Returns false if the scene's thread is gone.
    fn round(&mut self, now_ns: &dyn Fn() -> u64) -> bool;

    /// From now on, each report unparks this thread.
    fn listen(&mut self);
}

impl<O: BackendUser> Supervised for SupervisorEnd<O> {
    fn due_ns(&self) -> Option<u64> {
        self.backoff.due_ns()
    }

    fn round(&mut self, now_ns: &dyn Fn() -> u64) -> bool {
        loop {
            match self.notices.try_recv() {
                Ok(notice) => self.hear(notice, now_ns()),
                Err(NoValue::Empty) => break,
                Err(NoValue::Gone) => return false,
            }
        }
        if self.backoff.due_ns().is_some_and(|due| due <= now_ns()) {
            self.attempt(now_ns);
        }
        true
    }

    fn listen(&mut self) {
        self.notices.listen();
    }
}

/// Backends on their way back when the GPU supervisor ends are dropped here; otherwise the last end
/// would drop them, perhaps the scene's.
impl<O: BackendUser> Drop for SupervisorEnd<O> {
    fn drop(&mut self) {
        while let Ok(notice) = self.notices.try_recv() {
            drop_quietly(notice);
        }
    }
}

/// Drivers may panic when a device vanishes under them; the GPU supervisor survives that.
fn drop_quietly<T>(what: T) {
    let _ = catch_unwind(AssertUnwindSafe(|| drop(what)));
}

impl<O: BackendUser> SupervisorEnd<O> {
    fn hear(&mut self, notice: Report<O>, now_ns: u64) {
        match notice {
            Report::Lost { why, order } => {
                self.order = Some(order);
                if std::mem::take(&mut self.on_probation) {
                    self.failed.fetch_add(1, Ordering::Relaxed);
                    tracing::warn!("{}", lines::did_not_last(self.of, &why));
                }
                self.backoff.given_up(now_ns);
            }
            Report::Active => {
                self.on_probation = false;
                self.backoff.in_charge(now_ns);
            }
            Report::Back(old) => drop_quietly(old),
        }
    }

    fn attempt(&mut self, now_ns: &dyn Fn() -> u64) {
        match self.made() {
            Ok(name) => {
                tracing::info!("{}", lines::opened(self.of, &name));
                self.on_probation = true;
                self.backoff.handed_over();
            }
            Err(why) => {
                self.failed.fetch_add(1, Ordering::Relaxed);
                let now_ns = now_ns();
                self.backoff.failed(now_ns);
                let wait_s = (self.backoff.due_ns())
                    .map_or(0.0, |due_ns| due_ns.saturating_sub(now_ns) as f64 * 1e-9);
                tracing::warn!("{}", lines::not_opened(self.of, &why, wait_s));
            }
        }
    }

    /// Makes a backend and hands it over. Returns its name.
    fn made(&mut self) -> Result<String, String> {
        let order = self.order.as_ref().ok_or("no GPU was ordered")?;
        let made = catch_unwind(AssertUnwindSafe(|| (self.make)(order)));
        let (new, name) = made.map_err(|_| "its driver panicked".to_owned())??;
        // The previous one was taken over; otherwise there would have been no report that it was
        // given up.
        let handed_over = self.made.send(new);
        handed_over.map_err(|_| "the scene's thread is gone".to_owned())?;
        Ok(name)
    }
}

/// Runs the GPU supervisor's thread until the other end of `stop` is dropped, or all scenes'
/// threads are gone. Ends at once unless a driver is at work.
pub fn run(mut ends: Vec<Box<dyn Supervised>>, mut stop: Receiver<Infallible>) {
    stop.listen();
    ends.iter_mut().for_each(|end| end.listen());
    let mut is_stopped = || stop.try_recv() == Err(NoValue::Gone);
    loop {
        ends.retain_mut(|end| is_stopped() || end.round(&now_ns));
        if ends.is_empty() || is_stopped() {
            return;
        }
        let due_ns = ends.iter().filter_map(|end| end.due_ns()).min();
        let wait = due_ns.map_or(REPORT_POLL, |due_ns| {
            Duration::from_nanos(due_ns.saturating_sub(now_ns())).min(REPORT_POLL)
        });
        // A report that came after the poll ends this at once.
        std::thread::park_timeout(wait);
    }
}
