//! Processor time: what the computation itself takes, whatever else the machine does meanwhile.

use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};

/// A moment on the clock of this process. Of all its threads: for single-threaded work.
#[derive(Clone, Copy)]
pub struct Moment(Duration);

impl Moment {
    /// Now.
    pub fn now() -> Self {
        let t = clock_gettime(ClockId::ProcessCPUTime);
        Self(Duration::new(t.tv_sec as u64, t.tv_nsec as u32))
    }

    /// Processor time since then.
    pub fn elapsed(&self) -> Duration {
        Self::now().0.saturating_sub(self.0)
    }
}
