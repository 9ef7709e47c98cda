//! What the log and the list of events say of a GPU: the same words for every use.

use std::fmt;

use super::GpuStats;

/// What a GPU is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GpuUse {
    /// Contacts of deformables.
    Contacts,
    /// Triangles near the tools.
    MidPhase,
    /// Large skins of implicit bodies.
    Skins,
}

impl fmt::Display for GpuUse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GpuUse::Contacts => "GPU contacts",
            GpuUse::MidPhase => "GPU mid-phase",
            GpuUse::Skins => "GPU skins",
        })
    }
}

/// Line for the GPU supervisor's log: a backend named `name` was handed over.
pub(super) fn opened(of: GpuUse, name: &str) -> String {
    format!("{of}: {name} is open again, on probation")
}

/// Line for the GPU supervisor's log: an attempt gave no backend.
pub(super) fn not_opened(of: GpuUse, why: &str, wait_s: f64) -> String {
    format!("{of}: not opened ({why}); next attempt in {wait_s:.0} s")
}

/// Line for the GPU supervisor's log: the new backend was given up before it answered.
pub(super) fn did_not_last(of: GpuUse, why: &str) -> String {
    format!("{of}: the new GPU did not last ({why})")
}

/// Reports each loss and each return of a GPU once.
#[derive(Clone, Debug)]
pub struct GpuNews {
    of: GpuUse,
    takeovers: u64,
    handed_back: u64,
}

impl GpuNews {
    /// For a GPU that nothing has happened to yet.
    #[must_use]
    pub fn new(of: GpuUse) -> Self {
        GpuNews {
            of,
            takeovers: 0,
            handed_back: 0,
        }
    }

    /// Logs what is new since the last call, and passes the same lines to `event`. A return comes
    /// before a loss: a return after a loss takes at least a second.
    pub fn report(&mut self, now: &GpuStats, mut event: impl FnMut(String)) {
        let of = self.of;
        if now.handed_back > self.handed_back {
            let line = format!("{of} back");
            tracing::info!("{line}");
            event(line);
        }
        if now.takeovers > self.takeovers {
            let line = format!("{of} lost ({}); falling back to CPU", now.why);
            tracing::warn!("{line}");
            event(line);
        }
        (self.handed_back, self.takeovers) = (now.handed_back, now.takeovers);
    }
}
