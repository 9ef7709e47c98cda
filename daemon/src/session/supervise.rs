//! The supervisor's loop: signals, requests of clients, reloads, gains from measured timing, signs
//! of life, wishes of the view.
//!
//! The loop cuts force when the supervisor is silent, so a round is short and never waits. It waits
//! for no lock and reads no file; anything that takes longer runs on another thread.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_devices::arm::ArmSpec;
use hapticd_sys::clock::now_ns;

use super::controls::{Controls, tell_clients};
use super::reading::Reading;
use super::sentry::{Brake, Sentry};
use super::shown::ViewThread;
use super::stop::Threads;
use super::watch::{Pulse, Watch};
use super::{RELOAD_EVERY_NS, ViewAction, measured_gains};
use crate::service::{Service, SupervisorRequest};
use crate::session_setup::gains::CouplingKeys;
use hapticd_collision::broad_phase::BroadPhaseStats;
use hapticd_collision::deformable::DeformableState;
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::skin::SkinThreadState;
use hapticd_loop::arms::ArmState;
use hapticd_loop::limits::ConfiguredOwner;
use hapticd_loop::thread::Flags;
use hapticd_loop::watchdog::Beat;
use hapticd_monitor::scribe::Live;

/// Time between two rounds of the supervisor.
const ROUND: Duration = Duration::from_millis(20);
/// Time between two updates of the gains from measured timing, ns.
const RETUNE_EVERY_NS: u64 = 1_000_000_000;

/// Signs of life and status of the threads.
pub(super) struct Signs {
    pub(super) flags: Arc<Flags>,
    /// Heartbeat of the supervisor itself.
    pub(super) supervisor: Beat,
    pub(super) collision: Beat,
    pub(super) scribe: Beat,
    /// `None` without clients.
    pub(super) ipc: Option<Beat>,
    pub(super) arms: Vec<Arc<ArmState>>,
    pub(super) deformable: Arc<DeformableState>,
    pub(super) skin: Arc<SkinThreadState>,
    pub(super) near: Arc<Mutex<Option<MidPhaseStatus>>>,
    pub(super) broad: Arc<Mutex<BroadPhaseStats>>,
}

impl Signs {
    /// Signs of threads that do not run yet; none for clients.
    pub(super) fn new(flags: Arc<Flags>, arms: Vec<Arc<ArmState>>, broad: BroadPhaseStats) -> Self {
        Signs {
            flags,
            supervisor: Beat::default(),
            collision: Beat::default(),
            scribe: Beat::default(),
            ipc: None,
            arms,
            deformable: Arc::default(),
            skin: Arc::default(),
            near: Arc::default(),
            broad: Arc::new(Mutex::new(broad)),
        }
    }
}

/// What the supervisor works with.
pub(super) struct Supervisor<'a> {
    pub(super) duration_s: Option<f64>,
    pub(super) brake: &'a Brake,
    pub(super) sentry: &'a Sentry,
    pub(super) reading: Reading,
    pub(super) shown: &'a ViewThread,
    pub(super) live: &'a Mutex<Live>,
    pub(super) threads: &'a Threads,
    pub(super) signs: &'a Signs,
    pub(super) service: &'a mut Option<Service>,
    pub(super) controls: Controls,
    /// Declaration of each arm, with the configured keys of its coupling.
    pub(super) specs: &'a [(ArmSpec, CouplingKeys)],
    pub(super) period_ns: u64,
}

impl Supervisor<'_> {
    /// Runs until the duration, a signal, a client or the view ends the session. If a thread has
    /// ended unexpectedly, returns its name.
    pub(super) fn run(&mut self) -> Option<&'static str> {
        let started = now_ns();
        let mut watch = Watch::new(started);
        let mut last_tuning = started;
        let mut last_reload = started;
        let mut news = Vec::new();
        let mut pulse = Pulse::default();
        loop {
            let now = now_ns();
            let elapsed_s = (now - started) as f64 * 1e-9;
            self.signs.supervisor.fetch_add(1, Ordering::Relaxed);
            if self.brake.is_asked() {
                return None;
            }
            if self.sentry.reload.swap(false, Ordering::Relaxed) {
                self.reading.ask(None);
            }
            if now - last_reload > RELOAD_EVERY_NS {
                last_reload = now;
                self.reading.look(now);
            }
            self.reload(now, &mut news);
            self.controls.send_surfaces();
            if self.duration_s.is_some_and(|d| elapsed_s >= d) {
                return None;
            }
            let died = self.died();
            if died.is_some() {
                return died;
            }
            if pulse.is_gone(self.signs.flags.heartbeat.load(Ordering::Relaxed)) {
                tracing::error!("the haptic loop hangs: the run ends without it");
                self.brake.stop_arms();
                return Some("haptic");
            }
            self.look(now, &mut watch, &mut news);
            // The lock is held only for a moment: the next round delivers the lines.
            if !news.is_empty()
                && let Ok(mut live) = self.live.try_lock()
            {
                news.drain(..).for_each(|line| live.push_event(line));
            }
            if now - last_tuning > RETUNE_EVERY_NS {
                last_tuning = now;
                self.retune();
            }
            self.serve_clients();
            if self.shown.last_action() == ViewAction::Quit {
                return None;
            }
            std::thread::sleep(ROUND);
        }
    }

    /// Returns the name of a thread that has ended unexpectedly.
    fn died(&self) -> Option<&'static str> {
        let service = self.service.as_ref();
        self.threads
            .died()
            .or_else(|| self.sentry.is_finished().then_some("signals"))
            .or_else(|| service.is_some_and(Service::is_finished).then_some("ipc"))
    }

    /// Applies the changes of a reload, and reports the outcome to those who requested it.
    fn reload(&mut self, now: u64, news: &mut Vec<String>) {
        let service = self.service.as_ref();
        if let Some(outcome) = self.reading.poll(now) {
            let known = self.controls.reload(outcome.result, outcome.tokens, news);
            if let Some(known) = known {
                tell_clients(known, service);
            }
        }
        while let Some(outcome) = self.controls.settle(now, news) {
            tell_clients(outcome, service);
        }
    }

    /// Checks the sign of life of every thread.
    fn look(&mut self, now: u64, watch: &mut Watch, news: &mut Vec<String>) {
        let signs = self.signs;
        let arms = signs.arms.len();
        let mut look = |name, index, beat: &AtomicU64| {
            watch.look(name, index, beat.load(Ordering::Relaxed), now, news);
        };
        look("haptic loop", 0, &signs.flags.heartbeat);
        look("collision thread", 1, &signs.collision);
        if self.threads.deformable.is_some() {
            look("soft bodies' thread", 2, &signs.deformable.heartbeat);
        }
        if self.threads.skin.is_some() {
            look("skin thread", 4 + arms, &signs.skin.heartbeat);
        }
        for (i, state) in signs.arms.iter().enumerate() {
            look("arm thread", 3 + i, &state.heartbeat);
        }
        if let Some(beat) = &signs.ipc {
            look("ipc thread", 3 + arms, beat);
        }
        look("scribe", 5 + arms, &signs.scribe);
    }

    /// Tells clients of the recording's end and takes their requests.
    fn serve_clients(&mut self) {
        let Some(service) = self.service.as_mut() else {
            return;
        };
        if let Ok(live) = self.live.try_lock() {
            service.tell_recording_stopped(&live);
        }
        while let Ok(SupervisorRequest::Reload(token)) = service.supervisor_requests.try_recv() {
            self.reading.ask(Some(token));
        }
    }

    /// Recomputes the gains from the timing of the last seconds.
    fn retune(&mut self) {
        retune(
            self.live,
            self.specs,
            self.period_ns,
            &mut self.controls.configured,
        );
    }
}

/// Recomputes the gains from the timing of the last seconds.
fn retune(
    live: &Mutex<Live>,
    specs: &[(ArmSpec, CouplingKeys)],
    period_ns: u64,
    configured: &mut ConfiguredOwner,
) {
    // If the lock is held at this moment, the next update, a second later, will do.
    let Some(timing) = live.try_lock().ok().and_then(|l| l.timing) else {
        return;
    };
    configured.set_gains(
        specs
            .iter()
            .zip(timing.input_age_s)
            .map(|((spec, keys), age_s)| {
                measured_gains(spec, keys, period_ns, timing.lateness_s, age_s)
            }),
    );
}
