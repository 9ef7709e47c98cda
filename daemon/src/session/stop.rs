//! The threads of a session, and its end in order: force to zero, then the loop, the arms, and all
//! others.

use std::convert::Infallible;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;
use std::time::Duration;

use hapticd_sync::delivery::Sender;
use hapticd_sys::clock::now_ns;

use super::SessionError;
use super::sentry::Brake;
use crate::service::Service;
use hapticd_collision::gpu_threads::GpuThreadsEnd;
use hapticd_loop::watchdog::Beat;
use hapticd_monitor::stats::Report;

/// Longest wait at the end for a thread that a device or a driver may hold, ns.
const PATIENCE_NS: u64 = 500_000_000;

/// The GPU supervisor's thread. It ends when the sender, through which nothing is ever sent, goes.
pub(super) type GpuSupervisor = (JoinHandle<()>, Sender<Infallible>);

/// The threads of a session in real time.
pub(super) struct Threads {
    pub(super) haptic: JoinHandle<()>,
    pub(super) arms: Vec<JoinHandle<()>>,
    pub(super) collision: JoinHandle<()>,
    pub(super) planner: JoinHandle<()>,
    pub(super) janitor: JoinHandle<()>,
    pub(super) deformable: Option<JoinHandle<()>>,
    pub(super) skin: Option<JoinHandle<()>>,
    pub(super) supervisor: Option<GpuSupervisor>,
    /// Threads that are not joined.
    pub(super) gpu: GpuThreadsEnd,
    pub(super) scribe: JoinHandle<Report>,
    pub(super) news: JoinHandle<()>,
}

impl Threads {
    /// Returns the name of a thread that has ended unexpectedly.
    pub(super) fn died(&self) -> Option<&'static str> {
        let optional =
            |thread: &Option<JoinHandle<()>>| thread.as_ref().is_some_and(JoinHandle::is_finished);
        [
            ("haptic", self.haptic.is_finished()),
            ("collision", self.collision.is_finished()),
            ("planner", self.planner.is_finished()),
            ("janitor", self.janitor.is_finished()),
            ("skin", optional(&self.skin)),
            ("soft", optional(&self.deformable)),
            ("scribe", self.scribe.is_finished()),
            ("arm", self.arms.iter().any(JoinHandle::is_finished)),
        ]
        .into_iter()
        .find_map(|(name, finished)| finished.then_some(name))
    }
}

/// What the end needs apart from the threads.
pub(super) struct Ending<'a> {
    pub(super) brake: &'a Brake,
    /// Heartbeat of the supervisor.
    pub(super) beat: &'a Beat,
    /// Configured fade time, ns.
    pub(super) fade_ns: u64,
}

impl Ending<'_> {
    /// Ends the session. `died` names the thread that caused the end, if any.
    ///
    /// # Errors
    /// The name of a thread that died, before or during the end.
    pub(super) fn run(
        &self,
        threads: Threads,
        service: Option<Service>,
        mut died: Option<&'static str>,
    ) -> Result<Report, SessionError> {
        self.ramp(&threads.haptic);
        self.brake.flags.quit.store(true, Ordering::Release);
        if !ends_soon(&threads.haptic) {
            return Err(self.end_without_loop(&threads, service));
        }
        join(threads.haptic, &mut died, "haptic");
        self.brake.stop.store(true, Ordering::Release);
        for thread in threads.arms {
            // A hung device holds its thread for seconds. Its zero command is queued, and the
            // process does not wait for it.
            if ends_soon_or_warn(&thread) {
                join(thread, &mut died, "arm");
            }
        }
        if let Some(service) = service {
            service.stop();
        }
        join(threads.collision, &mut died, "collision");
        for (name, thread) in [("planner", threads.planner), ("janitor", threads.janitor)] {
            // Their work may take long, and nothing needs it any more.
            if ends_soon(&thread) {
                join(thread, &mut died, name);
            }
        }
        if let Some(thread) = threads.deformable {
            join(thread, &mut died, "soft");
        }
        if let Some(thread) = threads.skin {
            join(thread, &mut died, "skin");
        }
        // It may wait for a lock.
        if ends_soon(&threads.news) {
            join(threads.news, &mut died, "news");
        }
        // After its users, whose GPUs it drops.
        if let Some((thread, stop)) = threads.supervisor {
            drop(stop);
            // A driver may hold this thread as well.
            if ends_soon(&thread) {
                join(thread, &mut died, "gpu-supervisor");
            }
        }
        let patience = Duration::from_nanos(PATIENCE_NS);
        if !threads.gpu.have_ended(patience) {
            tracing::warn!("a GPU driver hangs: its thread is left until the process ends");
        }
        // The scribe ends after loop and collision thread, so their last data is written.
        let report = threads
            .scribe
            .join()
            .map_err(|_| SessionError::Died("scribe"))?;
        match died {
            Some(name) => Err(SessionError::Died(name)),
            None => Ok(report),
        }
    }

    /// Ends the session while the loop hangs. The arms' threads send zero and the clients are
    /// notified. Threads that wait for the loop are left to the end of the process.
    fn end_without_loop(&self, threads: &Threads, service: Option<Service>) -> SessionError {
        self.brake.stop.store(true, Ordering::Release);
        for thread in &threads.arms {
            ends_soon_or_warn(thread);
        }
        if let Some(service) = service {
            service.stop();
        }
        SessionError::Died("haptic")
    }

    /// Brings force to zero within the fade time (twice that, for the slew limit).
    fn ramp(&self, haptic: &JoinHandle<()>) {
        self.brake.ask_for_the_end();
        let flags = &self.brake.flags;
        let bound = now_ns() + 2 * self.fade_ns + 100_000_000;
        let ramp_from = flags.heartbeat.load(Ordering::Relaxed);
        while now_ns() < bound && !haptic.is_finished() {
            self.beat.fetch_add(1, Ordering::Relaxed);
            let ticked = flags.heartbeat.load(Ordering::Relaxed) > ramp_from + 2;
            // A second request cuts force, and then this ends at once.
            if ticked && flags.quiet.load(Ordering::Relaxed) {
                break;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Waits up to half a second for a thread to end. Returns whether it has.
pub(super) fn ends_soon<T>(thread: &JoinHandle<T>) -> bool {
    let patience = now_ns() + PATIENCE_NS;
    while !thread.is_finished() && now_ns() < patience {
        std::thread::sleep(Duration::from_millis(5));
    }
    thread.is_finished()
}

/// Waits for the thread of an arm, and logs an error if it does not end. Returns whether it has.
fn ends_soon_or_warn(thread: &JoinHandle<()>) -> bool {
    let ends = ends_soon(thread);
    if !ends {
        tracing::error!(
            "an arm has not taken its last command within {} ms: it may still exert force",
            PATIENCE_NS / 1_000_000
        );
    }
    ends
}

fn join<T>(thread: JoinHandle<T>, died: &mut Option<&'static str>, name: &'static str) {
    if thread.join().is_err() {
        *died = Some(name);
    }
}
