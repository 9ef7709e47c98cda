//! Pauses of the machine, told from the daemon's own lateness: on each processor a thread of the
//! highest priority notes when it was not run in time. What stops that one stops everybody: a
//! hypervisor that gives the processor to another machine, or a kernel that does not let go of it.
//!
//! Without real-time rights there is no such thread, and no pause is known.

use hapticd_sys::clock::now_ns;
use hapticd_sys::realtime::priority::{pin_to, request_fifo};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Above every thread of the daemon's.
const PRIORITY: u8 = 98;
const NAP: Duration = Duration::from_millis(1);
/// Later than this it is a pause, ns: samples are too old from 5 ms on, of which an arm needs two.
const LATE_NS: u64 = 2_500_000;
/// What the loop notes so long after a pause is its doing: how old a sample may be, and two ticks,
/// ns.
const AFTER_NS: u64 = 7_000_000;

/// The watching threads, with what they have seen: beginnings and ends, ns of `CLOCK_MONOTONIC`.
pub struct Pauses {
    seen: Arc<Mutex<Vec<[u64; 2]>>>,
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
}

impl Pauses {
    /// Begins to watch.
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

    /// Ends, and gives what was seen.
    pub fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads {
            // One that panicked has seen what it has seen.
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

/// Pauses that were seen.
#[derive(Clone, Debug, Default)]
pub struct Seen(Vec<[u64; 2]>);

impl Seen {
    /// Whether what the loop noted at this time may be a pause's doing.
    pub fn explains(&self, at_ns: u64) -> bool {
        let is_after = |[begin, end]: &[u64; 2]| (*begin..=end + AFTER_NS).contains(&at_ns);
        self.0.iter().any(is_after)
    }

    /// How many, and the longest, ms.
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
