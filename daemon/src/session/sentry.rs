//! The thread that receives signals. It can end force with no help but that of the loop's and the
//! arms' threads.
//!
//! A signal takes effect here, whatever the supervisor, the log, the view or a file is busy with.
//! The first one lets force fade, the second one cuts it, the third one ends the process. A program
//! that relays a signal may deliver it twice, see [`ONE_ORDER`]. Once the end is requested, by
//! anyone, the supervisor has [`PATIENCE`] to bring everything down in order. Then this thread ends
//! the process without it.
//!
//! The thread waits only for its signals, writes no log and takes no lock.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use hapticd_sys::process;
use hapticd_sys::signals::{Signal, Signals};
use hapticd_sys::wake::Wake;

use super::{SessionError, thread};
use crate::priority;
use hapticd_loop::thread::Flags;

/// Time that the supervisor has to end the session once the end was requested.
const PATIENCE: Duration = Duration::from_secs(15);
/// Time that the process may live on after its session, if a signal requested the end: its last
/// output may wait for a reader.
const LINGER_TIME: Duration = Duration::from_secs(2);
/// Time that the arms' threads have for their last command, which is zero.
const ARMS_TIMEOUT: Duration = Duration::from_millis(500);
/// Time that the loop has for its last tick.
const LAST_TICK_TIMEOUT: Duration = Duration::from_millis(50);
/// Signals of one kind within this time are one order: `timeout` and `sudo` signal their child, and
/// then the process group that it is in.
const ONE_ORDER: Duration = Duration::from_millis(20);
/// Exit status of a process that ended without its supervisor.
const EXIT_STATUS: u8 = 1;

/// Ends force, and with it the session.
pub(super) struct Brake {
    pub(super) flags: Arc<Flags>,
    /// Tells every thread but the loop to return.
    pub(super) stop: Arc<AtomicBool>,
    /// Number of arms whose threads still run.
    pub(super) arms: Arc<AtomicUsize>,
    /// True once the session has ended.
    over: AtomicBool,
    wake: Wake,
}

impl Brake {
    /// Creates a brake that is released.
    ///
    /// # Errors
    /// If the process is out of descriptors.
    pub(super) fn new() -> std::io::Result<Self> {
        Ok(Brake {
            flags: Arc::new(Flags::new()),
            stop: Arc::new(AtomicBool::new(false)),
            arms: Arc::new(AtomicUsize::new(0)),
            over: AtomicBool::new(false),
            wake: Wake::new()?,
        })
    }

    /// Lets force fade from the next tick on, and bounds the time in which the session must end.
    /// Never blocks.
    pub(super) fn ask_for_the_end(&self) {
        self.flags.stopping.store(true, Ordering::Relaxed);
        self.wake.signal();
    }

    /// Returns whether the end has been requested.
    pub(super) fn is_asked(&self) -> bool {
        self.flags.stopping.load(Ordering::Relaxed)
    }

    /// Lets the arms' threads send zero and return, whatever the loop does.
    pub(super) fn stop_arms(&self) {
        self.stop.store(true, Ordering::Release);
    }

    /// Cuts force, ends the loop and lets the arms' threads send zero. Waits for them for a bounded
    /// time.
    fn end_force(&self) {
        self.flags.stopping.store(true, Ordering::Relaxed);
        self.flags.cut.store(true, Ordering::Relaxed);
        let from = self.flags.heartbeat.load(Ordering::Relaxed);
        within(LAST_TICK_TIMEOUT, || {
            self.flags.heartbeat.load(Ordering::Relaxed) > from + 1
        });
        self.flags.quit.store(true, Ordering::Release);
        self.stop.store(true, Ordering::Release);
        within(ARMS_TIMEOUT, || self.arms.load(Ordering::Acquire) == 0);
    }
}

/// Polls every millisecond, for at most `time`, until `is_done` returns true.
fn within(time: Duration, is_done: impl Fn() -> bool) {
    let from = Instant::now();
    while !is_done() && from.elapsed() < time {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Marks the end of the session on drop. Ends force before that if the supervisor panics.
pub(super) struct AtEnd<'a>(pub(super) &'a Brake);

impl Drop for AtEnd<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end_force();
        }
        self.0.over.store(true, Ordering::Release);
        self.0.wake.signal();
    }
}

/// The supervisor's handle of the signal thread.
pub(super) struct Sentry {
    /// Set when a reload was requested. Not a queue: this thread must never wait for a thread of
    /// lower priority that is preempted while it takes an entry out.
    pub(super) reload: Arc<AtomicBool>,
    thread: std::thread::JoinHandle<()>,
}

impl Sentry {
    /// Starts the thread, which lives as long as the process. `of_loop` is the priority that the
    /// loop requests.
    ///
    /// # Errors
    /// If the thread cannot be created.
    pub(super) fn start(
        signals: Signals,
        brake: Arc<Brake>,
        of_loop: u32,
    ) -> Result<Self, SessionError> {
        let reload = Arc::new(AtomicBool::new(false));
        let asked = reload.clone();
        let thread = thread::spawn("signals", move || {
            // Where it is refused the supervisor's is, too, and that is said.
            priority::request(of_loop, priority::SIGNALS, "signal thread niceness");
            serve(&signals, &brake, &asked);
        })?;
        Ok(Sentry { reload, thread })
    }

    /// Returns whether the thread has ended, which should never happen.
    pub(super) fn is_finished(&self) -> bool {
        self.thread.is_finished()
    }
}

/// Counts the orders to end, by the signals that bring them.
#[derive(Default)]
struct Orders {
    count: u32,
    /// Signal of the last order, and the time at which it first came.
    last: Option<(Signal, Instant)>,
}

impl Orders {
    fn hear(&mut self, signal: Signal, now: Instant) {
        let is_known = self.last.is_some_and(|(last, at)| {
            last == signal && now.saturating_duration_since(at) < ONE_ORDER
        });
        if !is_known {
            self.count += 1;
            self.last = Some((signal, now));
        }
    }
}

/// Progress of the end.
#[derive(Default)]
struct Progress {
    /// Signals that requested it.
    orders: Orders,
    /// Time at which the process is ended.
    deadline: Option<Instant>,
    /// True once this thread has seen that the session ended in order.
    over: bool,
}

impl Progress {
    fn bring_forward(&mut self, to: Instant) {
        self.deadline = Some(self.deadline.map_or(to, |old| old.min(to)));
    }
}

fn serve(signals: &Signals, brake: &Brake, reload: &AtomicBool) {
    let mut progress = Progress::default();
    loop {
        let left = progress
            .deadline
            .map(|at| at.saturating_duration_since(Instant::now()));
        // A broken descriptor ends this thread, and the supervisor notices that.
        let Ok(signal) = signals.wait(&brake.wake, left) else {
            return;
        };
        let now = Instant::now();
        match signal {
            Some(signal) if signal.ends() => {
                brake.flags.stopping.store(true, Ordering::Relaxed);
                progress.orders.hear(signal, now);
                if progress.orders.count > 1 {
                    brake.flags.cut.store(true, Ordering::Relaxed);
                }
            }
            Some(Signal::Reload) => {
                reload.store(true, Ordering::Relaxed);
            }
            _ => {}
        }
        if brake.is_asked() && progress.deadline.is_none() && !progress.over {
            progress.deadline = Some(now + PATIENCE);
        }
        if brake.over.load(Ordering::Acquire) {
            if !progress.over {
                progress.over = true;
                // A user who reads the report in a pager has unlimited time, until a signal comes.
                progress.deadline = None;
            }
            if progress.orders.count > 0 && progress.deadline.is_none() {
                progress.bring_forward(now + LINGER_TIME);
            }
        }
        let is_due = progress.deadline.is_some_and(|at| now >= at);
        if is_due || progress.orders.count > 2 {
            end_process(brake, progress.over);
        }
    }
}

/// Ends the process without the supervisor.
fn end_process(brake: &Brake, over: bool) -> ! {
    brake.end_force();
    process::say_unless_it_blocks(if over {
        "hapticd: ended before its last output was read\n"
    } else {
        "hapticd: ended because its supervisor did not finish in time; force is off\n"
    });
    process::end_now(EXIT_STATUS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signal_that_is_delivered_twice_is_one_order() {
        let from = Instant::now();
        let counts = |signals: &[(Signal, u64)]| -> Vec<u32> {
            let mut orders = Orders::default();
            let hear = |(signal, ms): &(Signal, u64)| {
                orders.hear(*signal, from + Duration::from_millis(*ms));
                orders.count
            };
            signals.iter().map(hear).collect()
        };
        let term = |ms| (Signal::Terminate, ms);
        assert_eq!(counts(&[term(0), term(0), term(19)]), [1, 1, 1]);
        assert_eq!(
            counts(&[term(0), term(20), term(21), term(40)]),
            [1, 2, 2, 3]
        );
        // A series of signals is measured from its first one.
        assert_eq!(counts(&[term(0), term(15), term(30)]), [1, 1, 2]);
        let other = (Signal::Interrupt, 1);
        assert_eq!(counts(&[term(0), other, term(2)]), [1, 2, 3]);
    }
}
