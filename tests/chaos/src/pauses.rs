//! Detects pauses of the machine, to distinguish them from lateness of the daemon. On each
//! processor a thread of the highest priority notes when it did not run in time. What stops this
//! thread stops every other: a hypervisor that gives the processor to another machine, or a kernel
//! that does not release it.
//!
//! Without real-time rights there is no such thread, and no pause is detected.

use hapticd_sys::clock::now_ns;
use hapticd_sys::realtime::priority::{pin_to, request_fifo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Above every thread of the daemon.
const PRIORITY: u8 = 98;
const NAP: Duration = Duration::from_millis(1);
/// Minimum lateness of a pause, ns. Samples are too old from 5 ms on, and an arm needs two of them.
const LATE_NS: u64 = 2_500_000;
/// Time after a pause in which the loop's findings count as its effect, ns: the maximum age of a
/// sample, and two ticks.
const AFTER_NS: u64 = 7_000_000;

/// The watching threads, with the pauses that they have seen: begin and end, ns of
/// `CLOCK_MONOTONIC`.
pub struct Pauses {
    seen: Arc<Mutex<Vec<[u64; 2]>>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pauses {
    /// Starts watching.
    pub fn watch() -> Self {
        let mut pauses = Pauses {
            seen: Arc::default(),
            stop: Arc::default(),
            threads: Vec::new(),
        };
        let processors = std::thread::available_parallelism().map_or(1, usize::from);
        for processor in 0..processors {
            let (seen, stop) = (pauses.seen.clone(), pauses.stop.clone());
            pauses.threads.push(std::thread::spawn(move || {
                if pin_to(processor).is_granted() && request_fifo(PRIORITY).is_granted() {
                    note(&seen, &stop);
                }
            }));
        }
        pauses
    }

    /// Stops watching and returns the pauses.
    pub fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // A thread that panicked has seen what it has seen.
            let _ = thread.join();
        }
        Seen(
            self.seen
                .lock()
                .map(|seen| seen.clone())
                .unwrap_or_default(),
        )
    }
}

fn note(seen: &Mutex<Vec<[u64; 2]>>, stop: &AtomicBool) {
    while !stop.load(Ordering::Relaxed) {
        let begin = now_ns();
        std::thread::sleep(NAP);
        let end = now_ns();
        if end - begin > NAP.as_nanos() as u64 + LATE_NS
            && let Ok(mut seen) = seen.lock()
        {
            seen.push([begin, end]);
        }
    }
}

/// Pauses of the machine.
#[derive(Clone, Debug, Default)]
pub struct Seen(Vec<[u64; 2]>);

impl Seen {
    /// Returns true if a finding of the loop at this time may be the effect of a pause.
    pub fn explains(&self, at_ns: u64) -> bool {
        let is_after = |[begin, end]: &[u64; 2]| (*begin..=end + AFTER_NS).contains(&at_ns);
        self.0.iter().any(is_after)
    }

    /// Returns the number of pauses, and the longest, ms.
    pub fn count_and_longest_ms(&self) -> (usize, f64) {
        let longest = self.0.iter().map(|[begin, end]| end - begin).max();
        (self.0.len(), longest.unwrap_or(0) as f64 * 1e-6)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_explains_what_follows_it_at_once() {
        let ms = 1_000_000;
        let seen = Seen(vec![[10 * ms, 16 * ms]]);
        let explained = [9, 10, 16, 22, 24].map(|at| seen.explains(at * ms));
        assert_eq!(explained, [false, true, true, true, false]);
        assert_eq!(seen.count_and_longest_ms(), (1, 6.0));
    }
}
