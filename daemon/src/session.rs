//! A run from start to end: threads and their connections in real time, or the single thread of
//! virtual time.
//!
//! The calling thread is the supervisor: it watches signals and signs of life, retunes the gains
//! from measured timing, shows the live view, and brings everything down in order: force to zero
//! first, then the loop, then the arms, then everybody else.
//!
//! A session in real time has five steps ([`run_real`]): prepare what threads are made of, wire the
//! channels between them, spawn each with its half, supervise, stop.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_config as config;
use hapticd_devices::arm::ArmSpec;
use hapticd_devices::safety::Limits;
use hapticd_proxy::{Gains, MAX_ARMS};
use hapticd_sys::signals::Signals;

use crate::reload::Reload;
use crate::session_setup::gains::{self, CouplingKeys};
use crate::session_setup::{SessionSetup, Source};
use hapticd_collision::backend;
use hapticd_collision::command::SceneCommand;
use hapticd_collision::virtual_time::{SimulatedArm, VirtualArm, VirtualLoop};
use hapticd_ipc::SetupError;
use hapticd_monitor::log::LogLevel;
use hapticd_monitor::scribe::{Live, Scribe};
use hapticd_monitor::stats::{Report, Stats};
use hapticd_monitor::view::ViewAction;
use hapticd_recording::Sink;

mod controls;
mod news;
mod notifier;
mod prepare;
mod reading;
mod running;
mod sentry;
mod shown;
mod spawn;
mod stop;
mod supervise;
mod thread;
mod watch;
mod wire;

use controls::{found, set_level, tell_reloaded};
use prepare::prepare;
use sentry::{AtEnd, Brake, Sentry};
use spawn::Spawner;
use wire::wire;

/// Options of a session.
pub struct Options {
    /// Duration of the session, s; `None`: until a signal.
    pub duration_s: Option<f64>,
    /// Whether the independent checker checks every tick.
    pub check: bool,
    /// Recorder, if the run is recorded.
    pub sink: Option<Box<dyn Sink>>,
    /// Called a few times a second with the live state, and once at the end.
    pub view: Show,
    /// Time between two calls of `view`.
    pub view_every: Duration,
    /// Reads the configuration again, on SIGHUP or when its file has changed; `None` without a
    /// file.
    pub reload: Option<Reload>,
    /// Changes the log level after a reload.
    pub log: Option<LogLevel>,
    /// If true, the session does not start without the clients' sockets. Otherwise it runs without
    /// them and logs that.
    pub require_ipc: bool,
}

/// Shows the live state and returns what the view wants. In real time it runs on a separate thread
/// and may block.
pub type Show = Box<dyn FnMut(&Live) -> ViewAction + Send>;

/// Reason why a session could not start or ended early.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SessionError {
    /// Signals cannot be received.
    #[error("signals cannot be received: {0}")]
    Signals(std::io::Error),
    /// A thread could not be created.
    #[error("cannot start thread {name}: {error}")]
    Thread {
        /// Name of the thread.
        name: &'static str,
        /// Error of the system.
        error: std::io::Error,
    },
    /// No wake-up for the clients' server.
    #[error("cannot wake the clients' server: {0}")]
    Wake(std::io::Error),
    /// The clients' sockets could not be set up.
    #[error(transparent)]
    Ipc(#[from] SetupError),
    /// The requested backend is not available.
    #[error(transparent)]
    Backend(#[from] backend::NoBackend),
    /// A thread ended unexpectedly.
    #[error("thread {0} died; force is off")]
    Died(&'static str),
}

/// Returns the arms of a session in virtual time; arms on a bus do not exist there.
pub fn virtual_arms(setup: &mut SessionSetup) -> [Option<Box<dyn VirtualArm + Send>>; MAX_ARMS] {
    let mut out: [Option<Box<dyn VirtualArm + Send>>; MAX_ARMS] = [const { None }; MAX_ARMS];
    for (slot, arm) in out.iter_mut().zip(setup.arms.drain(..)) {
        if let Source::Simulated(held) = arm.source {
            *slot = Some(Box::new(SimulatedArm::new(held)));
        }
    }
    out
}

/// Runs in virtual time for `options.duration_s` (10 s if open-ended), then ramps the force down.
pub fn run_virtual(
    mut setup: SessionSetup,
    config: &config::Config,
    mut options: Options,
) -> Report {
    let live = Arc::new(Mutex::new(setup.live()));
    let stats = Stats::new(true, setup.period_ns, &setup.names());
    let checker = options.check.then(|| setup.checker());
    let mut scribe = Scribe::new(
        stats,
        checker,
        options.sink.take(),
        live.clone(),
        Vec::new(),
    );
    scribe.name_bodies(setup.collider.world().infos().map(|b| (b.id, b.name)));
    scribe.watch_needles(setup.watch.take());
    let ticks = (options.duration_s.unwrap_or(10.0) * 1e9 / setup.period_ns as f64) as u64;
    let per_view = (options.view_every.as_nanos() as u64 / setup.period_ns).max(1);
    let per_look = (RELOAD_EVERY_NS / setup.period_ns).max(1);
    let ramp = Limits::from(&config.safety).fade_ns / setup.period_ns + 100;
    let arms = virtual_arms(&mut setup);
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, setup.deformable),
        arms,
        config.collision.virtual_latency_ticks,
        setup.pair_capacity,
    );
    let mut end = ticks;
    let mut tick = 0;
    while tick < end {
        tick += 1;
        let record = *driver.step(tick + ramp > end);
        scribe.tick(&record, 0);
        scribe.step(driver.last_step());
        if let Some(step) = driver.last_soft_step() {
            scribe.step(step);
        }
        if tick % per_view == 0
            && let Ok(live) = live.lock()
            && (options.view)(&live) == ViewAction::Quit
        {
            end = end.min(tick + ramp);
        }
        if tick.is_multiple_of(per_look) {
            let log = options.log.as_ref();
            // The outcome is reported within this round, and there are no clients to answer.
            let read = options.reload.as_mut().map_or(Ok(None), |read| read(false));
            let mut news = Vec::new();
            if let Ok(Some(new)) = found(read, &mut news) {
                set_level(log, &new);
                driver.tighten(&new.limits);
                if !new.surfaces.is_empty() {
                    driver.ease();
                }
                for (id, material) in &new.surfaces {
                    driver.command(SceneCommand::Surface {
                        id: *id,
                        material: *material,
                    });
                }
                tell_reloaded(&new.changes, &mut news);
            }
            if let Ok(mut live) = live.lock() {
                news.into_iter().for_each(|line| live.push_event(line));
            }
        }
    }
    scribe.finish()
}

/// How often the supervisor looks whether the configuration's file has changed, ns.
const RELOAD_EVERY_NS: u64 = 1_000_000_000;

/// Runs in real time until the duration, a signal or the view ends it.
pub fn run_real(
    mut setup: SessionSetup,
    config: &config::Config,
    mut options: Options,
) -> Result<Report, SessionError> {
    // Before any thread is created, because threads inherit the mask.
    let signals = Signals::block().map_err(SessionError::Signals)?;
    let brake = Arc::new(Brake::new().map_err(SessionError::Signals)?);
    // Goes when everything below has gone, whatever ends the session.
    let _at_end = AtEnd(&brake);
    let sentry = Sentry::start(signals, brake.clone(), config.haptic_loop.rt_priority)?;
    let prepared = prepare(&mut setup, config, &options)?;
    let channels = wire(&setup, config, &brake.flags, options.log.take())?;
    let spawner = Spawner {
        config,
        brake: &brake,
        period_ns: setup.period_ns,
    };
    let (mut running, supervision) = spawner.spawn(setup, prepared, channels, options)?;
    let died = running.supervise(supervision, &brake, &sentry);
    let fade_ns = Limits::from(&config.safety).fade_ns;
    running.stop(&brake, fade_ns, died)
}

/// Returns the gains for an arm in a loop of this period and lateness, with samples of this age.
fn measured_gains(
    spec: &ArmSpec,
    keys: &CouplingKeys,
    period_ns: u64,
    lateness_s: f64,
    input_age_s: Option<f64>,
) -> Gains {
    let period_s = period_ns as f64 * 1e-9 + lateness_s;
    let delay_s = gains::measured_delay_s(spec, input_age_s);
    gains::gains(spec, keys, period_s, delay_s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::session_setup;
    use hapticd_proxy::LoopTiming;
    use std::path::Path;

    fn setup(delay_us: u32) -> (config::Config, SessionSetup) {
        let text = format!(
            r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = {{ kind = "sphere", radius_m = 0.005 }}
[arm.mechanics]
delay_us = {delay_us}

[[body]]
name = "floor"
shape = {{ kind = "plate", size_m = [0.2, 0.2] }}
"#
        );
        let context = config::Context::new("", |_| None);
        let loaded = config::parse("test.toml", &text, &context).unwrap();
        let setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
        (loaded.config, setup)
    }

    #[test]
    fn the_age_of_the_input_begins_where_the_arms_own_delay_ends() {
        let age_us = |delay_us| {
            let (config, setup) = setup(delay_us);
            let options = Options {
                duration_s: Some(1.0),
                check: false,
                sink: None,
                view: Box::new(|_| ViewAction::Continue),
                view_every: Duration::from_secs(1),
                reload: None,
                log: None,
                require_ipc: false,
            };
            run_virtual(setup, &config, options).arms[0].input_age_us
        };
        // The delay is twice the age at which input is stale. It does not count in the age, which
        // is less than a period.
        let (near, far) = (age_us(0), age_us(10_000));
        assert!(near.max < 1000.0 && far.max < 1000.0, "{near:?} {far:?}");
    }

    #[test]
    fn every_delay_costs_stiffness_once() {
        let stiffness = |delay_us, lateness_s, age_s| {
            let (_, setup) = setup(delay_us);
            let keys = CouplingKeys::default();
            measured_gains(&setup.arms[0].spec, &keys, 1_000_000, lateness_s, age_s)
                .stiffness_n_per_m
        };
        // T and the arm's period are 1 ms. A sample is answered with the next report whatever its
        // age within the tick, unless it is older.
        let stable = |period_ms: f64, delay_ms: f64| {
            let (_, setup) = setup(0);
            let spec = &setup.arms[0].spec;
            let timing = LoopTiming {
                period_s: 1e-3 * period_ms,
                delay_s: 1e-3 * delay_ms,
                damping_n_s_per_m: spec.damping_n_s_per_m,
                coulomb_friction_n: spec.coulomb_friction_n,
                resolution_m: spec.resolution_m,
            };
            timing.stable_stiffness()
        };
        let expected = [
            (stiffness(0, 0.0, Some(0.0)), stable(1.0, 1.0)),
            (stiffness(0, 0.0, Some(0.9e-3)), stable(1.0, 1.0)),
            (stiffness(0, 0.0, None), stable(1.0, 1.0)),
            (stiffness(0, 0.0, Some(3e-3)), stable(1.0, 3.0)),
            (stiffness(2000, 0.0, Some(0.5e-3)), stable(1.0, 3.0)),
            (stiffness(2000, 0.0, Some(3e-3)), stable(1.0, 5.0)),
            (stiffness(0, 1e-3, Some(0.5e-3)), stable(2.0, 1.0)),
        ];
        for (is, stable) in expected {
            assert!((is / stable - 1.0).abs() < 1e-9, "{expected:?}");
        }
    }
}
