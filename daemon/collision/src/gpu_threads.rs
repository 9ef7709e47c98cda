//! The threads that talk to the GPU that looks for what is near the tools, one for each that was
//! opened: a driver may hold up any call, and the collision thread has a deadline.
//!
//! Nobody joins them. One that hangs is given up with its device, and ends when its driver lets it;
//! the session's end waits for a moment only, so that a driver that is well ends before the
//! process.

use std::convert::Infallible;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_sys::realtime::priority;

/// Below the collision thread, which waits for it for 2 ms at most, and above ordinary load.
const NICENESS: i32 = -5;
/// It is to run soon after it wakes, and runs for a moment each time.
const SLICE_US: u32 = 200;

/// Starts such threads. Each has a copy while it lives.
#[derive(Clone)]
pub struct GpuThreads(Sender<Infallible>);

/// The session's end of them.
pub struct GpuThreadsEnd(Receiver<Infallible>);

/// Both ends.
pub fn gpu_threads() -> (GpuThreads, GpuThreadsEnd) {
    let (alive, ended) = bounded(0);
    (GpuThreads(alive), GpuThreadsEnd(ended))
}

impl GpuThreads {
    /// Starts one, which serves until whoever asks is gone.
    ///
    /// # Errors
    /// If the system makes no thread, in its words.
    pub fn start(&self, serve: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let alive = self.0.clone();
        let body = move || {
            let raised = priority::raise("nice of the GPU's thread", NICENESS);
            let sliced = priority::ask_for_short_slices(SLICE_US);
            tracing::debug!("{raised}; {sliced}");
            serve();
            drop(alive);
        };
        let started = std::thread::Builder::new()
            .name("gpu".to_owned())
            .spawn(body);
        // It is never joined.
        started
            .map(drop)
            .map_err(|error| format!("its thread cannot be made: {error}"))
    }
}

impl GpuThreadsEnd {
    /// Waits until all have ended, for so long at most; whether they have.
    pub fn have_ended(&self, at_most: Duration) -> bool {
        use crossbeam::channel::RecvTimeoutError;
        self.0.recv_timeout(at_most) == Err(RecvTimeoutError::Disconnected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_waits_for_those_that_end_only() {
        let (threads, end) = gpu_threads();
        let (release, hangs) = bounded::<Infallible>(0);
        threads.start(|| {}).unwrap();
        threads
            .start(move || {
                let _ = hangs.recv();
            })
            .unwrap();
        drop(threads);
        assert!(!end.have_ended(Duration::ZERO));
        drop(release);
        assert!(end.have_ended(Duration::from_secs(300)));
    }
}
