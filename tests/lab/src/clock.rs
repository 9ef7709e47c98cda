//! Processor time: what the computation takes, whatever else the machine does.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A time on the processor clock of this process. It counts all threads, so use it for
/// single-threaded work.
#[derive(Clone, Copy)]
pub struct Moment(Duration);

impl Moment {
    /// Returns the current time.
    pub fn now() -> Self {
        let t = clock_gettime(ClockId::ProcessCPUTime);
        Self(Duration::new(t.tv_sec as u64, t.tv_nsec as u32))
    }

    /// Returns the processor time since then.
    pub fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
