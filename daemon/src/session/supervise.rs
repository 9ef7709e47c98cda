//! The supervisor's loop: signals, wishes of clients, reloads, gains from measured timing, signs of life, the live view.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_devices::arm::ArmSpec;
use hapticd_sys::clock::now_ns;
use hapticd_sys::signals::{Signal, Signals};

use super::controls::{Controls, tell_clients};
use super::stop::Threads;
use super::told::{self, Told};
use super::watch::Watch;
use super::{Options, RELOAD_EVERY_NS, ViewWish, measured_gains};
use crate::arms::ArmState;
use crate::broad::BroadFacts;
use crate::haptic::limits::ConfiguredOwner;
use crate::haptic::thread::Flags;
use crate::near::NearFacts;
use crate::scribe::Live;
use crate::service::{Service, Wish};
use crate::skin::SkinThreadState;
use crate::soft::SoftState;

/// How often the supervisor looks around.
const ROUND: Duration = Duration::from_millis(20);
/// How often the gains follow what was measured, ns.
const RETUNE_EVERY_NS: u64 = 1_000_000_000;

/// What the threads say of themselves.
pub(super) struct Signs {
    pub(super) flags: Arc<Flags>,
    pub(super) collision: Arc<AtomicU64>,
    pub(super) arms: Vec<Arc<ArmState>>,
    pub(super) soft: Arc<SoftState>,
    pub(super) skin: Arc<SkinThreadState>,
    pub(super) near: Arc<Mutex<Option<NearFacts>>>,
    pub(super) broad: Arc<Mutex<BroadFacts>>,
}

/// What the supervisor works with.
pub(super) struct Supervisor<'a> {
    pub(super) options: &'a mut Options,
    pub(super) signals: &'a Signals,
    pub(super) live: &'a Mutex<Live>,
    pub(super) threads: &'a Threads,
    pub(super) signs: &'a Signs,
    pub(super) service: &'a mut Option<Service>,
    pub(super) controls: Controls,
    /// Of each arm, with the stiffness that its gains are capped at, N/m.
    pub(super) specs: &'a [(ArmSpec, Option<f64>)],
    pub(super) period_ns: u64,
}

impl Supervisor<'_> {
    /// Runs until the duration, a signal, a client or the view ends the session, or a thread has ended by itself: then its name.
    pub(super) fn run(&mut self) -> Option<&'static str> {
        let started = now_ns();
        let mut last_view = 0;
        let mut watch = Watch::new(started);
        let mut last_tuning = started;
        let mut last_reload = started;
        let mut told = Told::default();
        loop {
            let now = now_ns();
            let elapsed_s = (now - started) as f64 * 1e-9;
            match self.signals.next() {
                Ok(Some(Signal::Terminate | Signal::Interrupt)) => return None,
                Ok(Some(Signal::Reload)) => self.reload(true, None),
                Ok(_) | Err(_) => {}
            }
            if now - last_reload > RELOAD_EVERY_NS {
                last_reload = now;
                self.reload(false, None);
            }
            while let Some(outcome) = self.controls.settle(now, self.live) {
                tell_clients(outcome, self.service.as_ref());
            }
            self.controls.send_surfaces();
            if self.options.duration_s.is_some_and(|d| elapsed_s >= d) {
                return None;
            }
            let died = self.threads.died();
            if died.is_some() {
                return died;
            }
            self.look(now, &mut watch, &mut told);
            if now - last_tuning > RETUNE_EVERY_NS {
                last_tuning = now;
                self.retune();
            }
            if self.serve_clients(now, &mut watch) {
                return None;
            }
            if now - last_view >= self.options.view_every.as_nanos() as u64 {
                last_view = now;
                // A copy, so that drawing does not hold the scribe up.
                let shown = self.live.lock().map(|l| l.clone());
                if let Ok(shown) = shown
                    && (self.options.view)(&shown) == ViewWish::Quit
                {
                    return None;
                }
            }
            std::thread::sleep(ROUND);
        }
    }

    /// `token`: of the client that asks for it.
    fn reload(&mut self, asked: bool, token: Option<u64>) {
        let read = &mut self.options.reload;
        if let Some(outcome) = self.controls.reload(read, asked, token, self.live) {
            tell_clients(outcome, self.service.as_ref());
        }
    }

    /// Looks at every thread's sign of life, and passes on what threads say of themselves.
    fn look(&mut self, now: u64, watch: &mut Watch, told: &mut Told) {
        let (signs, live) = (self.signs, self.live);
        let arms = signs.arms.len();
        let mut look = |name, index, beat: &AtomicU64| {
            watch.look(name, index, beat.load(Ordering::Relaxed), now, live);
        };
        look("haptic loop", 0, &signs.flags.heartbeat);
        look("collision thread", 1, &signs.collision);
        told.near(&signs.near, live);
        told::broad(&signs.broad, live);
        if self.threads.soft.is_some() {
            look("soft bodies' thread", 2, &signs.soft.heartbeat);
            told.soft(&signs.soft, live);
        }
        if self.threads.skin.is_some() {
            look("skin thread", 4 + arms, &signs.skin.heartbeat);
            told.skin(&signs.skin, live);
        }
        for (i, state) in signs.arms.iter().enumerate() {
            look("arm thread", 3 + i, &state.heartbeat);
        }
    }

    /// Does what clients want, and tells them what happened. True: one of them wants the end.
    fn serve_clients(&mut self, now: u64, watch: &mut Watch) -> bool {
        let Some(service) = self.service.as_mut() else {
            return false;
        };
        if let Ok(live) = self.live.try_lock() {
            service.relay(&live);
        }
        let mut end = false;
        while let Ok(wish) = service.wishes.try_recv() {
            match wish {
                Wish::Shutdown => end = true,
                Wish::Reload(token) => {
                    let read = &mut self.options.reload;
                    let outcome = self.controls.reload(read, true, Some(token), self.live);
                    if let Some(outcome) = outcome {
                        tell_clients(outcome, Some(service));
                    }
                }
            }
        }
        let index = 3 + self.signs.arms.len();
        watch.look("ipc thread", index, service.heartbeat(), now, self.live);
        end
    }

    /// Recomputes the gains from what was measured in the last seconds.
    fn retune(&mut self) {
        retune(
            self.live,
            self.specs,
            self.period_ns,
            &mut self.controls.configured,
        );
    }
}

/// Recomputes the gains from what was measured in the last seconds.
fn retune(
    live: &Mutex<Live>,
    specs: &[(ArmSpec, Option<f64>)],
    period_ns: u64,
    configured: &mut ConfiguredOwner,
) {
    let Some(timing) = live.lock().ok().and_then(|l| l.timing) else {
        return;
    };
    configured.set_gains(
        specs
            .iter()
            .zip(timing.input_age_s)
            .map(|((spec, cap), age_s)| {
                measured_gains(spec, *cap, period_ns, timing.lateness_s, age_s)
            }),
    );
}
