//! A session whose threads all run: it is supervised, then stopped.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};

use hapticd_devices::arm::ArmSpec;
use hapticd_loop::watchdog::Longest;
use hapticd_monitor::scribe::Live;
use hapticd_monitor::stats::Report;
use hapticd_needle::Tissue;
use hapticd_sys::realtime::power::LatencyHold;

use super::SessionError;
use super::controls::Controls;
use super::reading::Reading;
use super::sentry::{Brake, Sentry};
use super::shown::ViewThread;
use super::stop::{Ending, Threads};
use super::supervise::{Signs, Supervisor};
use crate::service::Service;
use crate::session_setup::gains::CouplingKeys;

/// The threads, what they say of themselves, and what must outlive them.
pub(super) struct Running {
    pub(super) threads: Threads,
    /// Where clients can connect.
    pub(super) service: Option<Service>,
    pub(super) signs: Arc<Signs>,
    pub(super) live: Arc<Mutex<Live>>,
    pub(super) shown: ViewThread,
    /// The longest silence of each thread that the loop watches.
    pub(super) longest: Longest,
    /// Keeps processors from deep sleep until all is shown.
    pub(super) latency_hold: Option<LatencyHold>,
    /// So that the loop's thread is not the last owner, which frees it.
    pub(super) _tissue: Option<Arc<Tissue>>,
}

/// What the supervisor alone works with: gone when it has ended, before the threads are.
pub(super) struct Supervision {
    /// End after this time of the session.
    pub(super) duration_s: Option<f64>,
    pub(super) reading: Reading,
    pub(super) controls: Controls,
    /// Each arm, with its gains' keys in the configuration.
    pub(super) specs: Vec<(ArmSpec, CouplingKeys)>,
    pub(super) period_ns: u64,
}

impl Running {
    /// Supervises until something ends the session. Returns the thread that ended itself, if that
    /// is why.
    pub(super) fn supervise(
        &mut self,
        own: Supervision,
        brake: &Brake,
        sentry: &Sentry,
    ) -> Option<&'static str> {
        Supervisor {
            duration_s: own.duration_s,
            brake,
            sentry,
            reading: own.reading,
            shown: &self.shown,
            live: &self.live,
            threads: &self.threads,
            signs: &self.signs,
            service: &mut self.service,
            controls: own.controls,
            specs: &own.specs,
            period_ns: own.period_ns,
        }
        .run()
    }

    /// Ends the session in order: force within `fade_ns`, then the threads, then the view. `died`:
    /// the thread for whose sake it ends.
    ///
    /// # Errors
    /// A thread that died, first or meanwhile.
    pub(super) fn stop(
        self,
        brake: &Brake,
        fade_ns: u64,
        died: Option<&'static str>,
    ) -> Result<Report, SessionError> {
        let ending = Ending {
            brake,
            beat: &self.signs.supervisor,
            fade_ns,
        };
        let ended = ending.run(self.threads, self.service, died);
        let [supervisor, ipc, collision, scribe] =
            std::array::from_fn(|thread| self.longest[thread].load(Ordering::Relaxed));
        tracing::info!(
            supervisor,
            ipc,
            collision,
            scribe,
            "longest time without a sign of life, in ticks"
        );
        self.shown.end();
        drop(self.latency_hold);
        ended
    }
}
