//! Threads that talk to the mid-phase's GPU, one for each device that was opened: a driver may hold
//! up any call, and the collision thread has a deadline.
//!
//! They are never joined. A thread that hangs is given up together with its device, and ends when
//! its driver lets it. The end of the session waits only briefly, so that a healthy driver ends
//! before the process.

use std::convert::Infallible;
use std::time::Duration;

use crossbeam::channel::{Receiver, Sender, bounded};
use hapticd_sys::realtime::priority;

/// Below the collision thread, which waits for it 2 ms at most, and above ordinary load.
const NICENESS: i32 = -5;
/// The thread should run soon after it wakes, and runs briefly each time.
const SLICE_US: u32 = 200;

/// Starts GPU threads. Each thread holds a copy while it lives.
#[derive(Clone)]
pub struct GpuThreads(Sender<Infallible>);

/// The session's end of the GPU threads.
pub struct GpuThreadsEnd(Receiver<Infallible>);

/// Makes both ends.
pub fn gpu_threads() -> (GpuThreads, GpuThreadsEnd) {
    let (alive, ended) = bounded(0);
    (GpuThreads(alive), GpuThreadsEnd(ended))
}

impl GpuThreads {
    /// Starts a thread, which serves until its client is gone.
    ///
    /// # Errors
    /// The system's reason if it cannot make a thread.
    pub fn start(&self, serve: impl FnOnce() + Send + 'static) -> Result<(), String> {
        let alive = self.0.clone();
        let body = move || {
            let raised = priority::raise("GPU thread niceness", NICENESS);
            let sliced = priority::ask_for_short_slices(SLICE_US);
            tracing::debug!("{raised}; {sliced}");
            serve();
            drop(alive);
        };
        let started = std::thread::Builder::new()
            .name("gpu".to_owned())
            .spawn(body);
        // The thread is never joined.
        started
            .map(drop)
            .map_err(|error| format!("cannot start its thread: {error}"))
    }
}

impl GpuThreadsEnd {
    /// Waits until all threads have ended, at most this long. Returns whether they have.
    pub fn have_ended(&self, at_most: Duration) -> bool {
        use crossbeam::channel::RecvTimeoutError;
        self.0.recv_timeout(at_most) == Err(RecvTimeoutError::Disconnected)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_waits_for_running_threads() {
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
