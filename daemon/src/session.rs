//! A run from start to end: threads and their connections in real time, or the single thread of
//! virtual time.
//!
//! The calling thread is the supervisor. It watches signals and signs of life, retunes the gains
//! from measured timing and shows the live view. It brings everything down in order: force to zero
//! first, then the loop, then the arms, then everything else.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_config as config;
use hapticd_deformable::SkinSpec;
use hapticd_devices::arm::{ArmCommand, ArmSpec};
use hapticd_devices::sim::{HeldArm, SimTransport};
use hapticd_devices::transport::Transport;
use hapticd_proxy::{Gains, MAX_ARMS, Query};
use hapticd_sync::delivery::delivery;
use hapticd_sync::{latest, ring};
use hapticd_sys::realtime;
use hapticd_sys::signals::Signals;

use crate::hid::{Claims, OpenHid};
use crate::reload::Reload;
use crate::service::{ArmSummary, Service, Writers};
use crate::session_setup::gains::{self, CouplingKeys};
use crate::session_setup::{self, SessionSetup, Source};
use hapticd_collision::backend;
use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::collider::{self, SceneCommand};
use hapticd_collision::deformable::{self, SoftState};
use hapticd_collision::gpu_supervisor;
use hapticd_collision::gpu_threads::gpu_threads;
use hapticd_collision::janitor;
use hapticd_collision::needle;
use hapticd_collision::planner;
use hapticd_collision::skin::{self, SkinThreadState, SkinUpdate};
use hapticd_collision::virtual_time::{SimulatedArm, VirtualArm, VirtualLoop};
use hapticd_ipc::SetupError;
use hapticd_ipc::skins::SkinInfo;
use hapticd_loop::arms::{self, ArmState, Opener};
use hapticd_loop::core::ArmInput;
use hapticd_loop::events::EventFeed;
use hapticd_loop::limits;
use hapticd_loop::record::TickRecord;
use hapticd_loop::thread::{self as haptic_thread, Pace};
use hapticd_loop::watchdog::{Beat, Guard, WATCHED};
use hapticd_monitor::log::LogLevel;
use hapticd_monitor::scribe::{self, Live, Scribe};
use hapticd_monitor::stats::{Report, Stats};
use hapticd_monitor::view::ViewAction;
use hapticd_recording::Sink;

mod controls;
mod news;
mod notifier;
mod reading;
mod sentry;
mod shown;
mod stop;
mod supervise;
mod watch;

use controls::{Controls, found, set_level, tell_reloaded};
use news::Present;
use reading::Reading;
use sentry::{AtEnd, Brake, Sentry};
use shown::Shown;
use stop::{Ending, Threads};
use supervise::{Signs, Supervisor};

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
    #[error("thread {name} cannot be made: {error}")]
    Thread {
        /// Name of the thread.
        name: &'static str,
        /// Error of the system.
        error: std::io::Error,
    },
    /// The clients' sockets could not be set up.
    #[error(transparent)]
    Ipc(#[from] SetupError),
    /// The requested backend is not available.
    #[error(transparent)]
    Backend(#[from] backend::NoBackend),
    /// A thread ended unexpectedly.
    #[error("thread {0} died; force was taken off")]
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
    let ramp = (config.safety.fade_ms * 1e6) as u64 / setup.period_ns + 100;
    let arms = virtual_arms(&mut setup);
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, setup.soft),
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

struct OpenSim(Option<Box<HeldArm>>);

impl Opener for OpenSim {
    fn open(&mut self) -> Result<Option<Box<dyn Transport>>, String> {
        Ok(self.0.take().map(|setup| {
            Box::new(SimTransport::new(*setup, std::thread::sleep)) as Box<dyn Transport>
        }))
    }
}

/// Capacity of the record ring to the scribe: four seconds at 1 kHz.
const RECORDS: usize = 4096;
/// Capacity of the ring of orders about bodies to the loop.
const GONE: usize = 256;
/// Niceness of the collision thread and the threads that the loop watches, if there is no
/// SCHED_FIFO. They then run before ordinary threads.
const NICENESS: i32 = -10;
/// Time between two checks by the supervisor whether the configuration file has changed, ns.
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
    let _at_end = AtEnd(&brake);
    let rt_priority = config.haptic_loop.rt_priority;
    let sentry = Sentry::start(signals, brake.clone(), rt_priority)?;
    if let Some(scene) = &mut setup.soft {
        let chosen = backend::choose(scene, config.collision.backend, options.sink.is_some())?;
        tracing::info!("{chosen}");
    }
    let (gpu_threads, gpu_threads_end) = gpu_threads();
    let wanted = config.collision.backend;
    let chosen = backend::choose_near(&mut setup.collider, wanted, &gpu_threads)?;
    tracing::info!("{chosen}");
    let broad_phase = setup.collider.world().broad_phase().name();
    tracing::info!("which bodies may touch at all: {broad_phase}");
    let keep = backend::keep(setup.soft.as_ref(), &setup.collider, &gpu_threads);
    // From now on only the GPU supervisor starts GPU threads.
    drop(gpu_threads);
    let names = setup.names();
    let period_ns = setup.period_ns;
    let live = setup.live();
    // State of the session for the clients' server, which must not wait for a writer.
    let (told, to_tell) = latest::latest(live.clone());
    let live = Arc::new(Mutex::new(live));
    let flags = brake.flags.clone();
    let stop = brake.stop.clone();
    let mut checker = options.check.then(|| setup.checker());
    if let Some(checker) = &mut checker {
        let shapes = checker.prepare_beside();
        // This thread ends with the checker.
        spawn("checker", move || while shapes.serve_one() {})?;
    }
    let specs: Vec<_> = setup
        .arms
        .iter()
        .map(|a| (a.spec.clone(), a.coupling))
        .collect();

    let shown_arms: Vec<ArmSummary> = setup.arms.iter().map(ArmSummary::of).collect();
    let (query_writer, query_reader) = latest::latest(Query::default());
    let (snapshot_in, snapshot_out) = ring::ring(collider::BUFFERS);
    let (used_in, used_out) = ring::ring(2 * collider::BUFFERS);
    let (record_in, record_out) = ring::ring::<TickRecord>(RECORDS);
    let (composer, configured, restrictions) =
        limits::link(&setup.core, session_setup::limits(&config.safety));
    let (request_in, request_out) = crossbeam::channel::bounded(256);
    let (reply_in, reply_out) = delivery(256);
    let (gone_in, gone_out) = ring::ring(GONE);
    let (events, client_events, scribe_events) = EventFeed::new();
    let (log_in, log_out) = crossbeam::channel::bounded(RECORDS);
    let body_names: Vec<_> = (setup.collider.world().infos())
        .map(|body| (body.id, body.name))
        .collect();
    // Only a thread that writes to the log keeps a sender: the scribe ends once no sender is left.
    let soft_log = setup.soft.is_some().then(|| log_in.clone());
    let (soft_surfaces, soft_requests) = crossbeam::channel::bounded(256);
    let controls = Controls {
        configured,
        requests: request_in.clone(),
        log: options.log.take(),
        reloading: VecDeque::new(),
        surfaces: VecDeque::new(),
        soft: soft_surfaces,
    };
    let (soft_bodies, soft_news) = crossbeam::channel::bounded(256);
    let soft_bodies = setup.soft.is_some().then_some(soft_bodies);
    let mut surfaces = setup
        .soft
        .as_ref()
        .map(deformable::surface_infos)
        .unwrap_or_default();
    // Needles' surfaces come after those of soft bodies.
    let soft_surfaces_count = surfaces.len();
    surfaces.extend(setup.watch.iter().flat_map(needle::Watch::surface_infos));
    let skins: Vec<SkinInfo> = setup.soft.as_ref().map_or(Vec::new(), |scene| {
        let info = |spec: SkinSpec| SkinInfo {
            id: spec.id,
            name: spec.name,
            triangles: config.skin.max_triangles,
        };
        scene.skin_specs().map(info).collect()
    });
    let (mut service, publisher, mut writers) = if config.ipc.enabled {
        let started = Service::start(
            config,
            &shown_arms,
            &setup.collider.infos(),
            restrictions,
            period_ns,
            request_in,
            gone_in,
            reply_out,
            to_tell,
            (&surfaces, &skins),
            &setup.shapes(),
            client_events,
            {
                let brake = brake.clone();
                Box::new(move || brake.ask_for_the_end())
            },
        );
        match started {
            Ok((service, publisher, writers)) => (Some(service), Some(publisher), writers),
            Err(error) if options.require_ipc => return Err(error.into()),
            Err(error) => {
                tracing::warn!(%error, "clients cannot connect");
                (None, None, Writers::default())
            }
        }
    } else {
        (None, None, Writers::default())
    };
    // Without clients there are no writers at all.
    if let Some(watch) = &mut setup.watch
        && writers.surfaces.len() > soft_surfaces_count
    {
        watch.show(writers.surfaces.split_off(soft_surfaces_count));
    }
    // After the sockets: a client that reads of an arm can then connect.
    let mut inputs = [const { None }; MAX_ARMS];
    let mut commands = [const { None }; MAX_ARMS];
    let mut arm_threads = Vec::new();
    let mut arm_states = Vec::new();
    let claims = Claims::default();
    for (i, arm) in setup.arms.into_iter().enumerate() {
        let (input_writer, input_reader) = latest::latest(ArmInput::default());
        let (command_writer, command_reader) = latest::latest(ArmCommand::default());
        inputs[i] = Some(input_reader);
        commands[i] = Some(command_writer);
        let state = Arc::new(ArmState::default());
        arm_states.push(state.clone());
        let stop = stop.clone();
        let name = arm.name.clone();
        let mut opener: Box<dyn Opener> = match arm.source {
            Source::Simulated(setup) => Box::new(OpenSim(Some(setup))),
            Source::Hid(source) => Box::new(OpenHid::new(*source, claims.clone())),
        };
        // Above everything but the loop, because the loop waits for what these threads read and
        // write.
        let priority = u8::try_from(config.haptic_loop.rt_priority.saturating_sub(5)).unwrap_or(0);
        let running = brake.arms.clone();
        running.fetch_add(1, Ordering::Relaxed);
        let stall_ms = config.safety.stall_ms;
        arm_threads.push(spawn("arm", move || {
            let served = arms::Served {
                name: &name,
                stall_ms,
                priority,
            };
            arms::serve(
                &served,
                &mut *opener,
                input_writer,
                command_reader,
                &state,
                &stop,
            );
            running.fetch_sub(1, Ordering::Release);
        })?);
    }

    let soft_state = Arc::new(SoftState::default());
    let skin_state = Arc::new(SkinThreadState::default());
    let (skin_feed, skin_thread) = match setup.soft.as_ref() {
        Some(scene) if !writers.skins.is_empty() => {
            let (feed, updates) = latest::latest(SkinUpdate::default());
            let period = Duration::from_secs(1) / config.skin.rate_hz.max(1);
            let (large, line) = backend::choose_skins(config.skin.gpu);
            tracing::info!("{line}");
            let links = skin::Links {
                updates,
                bodies: skin::bodies(scene, writers.skins, period),
                large,
                period,
                state: skin_state.clone(),
            };
            let stop = stop.clone();
            let thread = spawn("skin", move || skin::run(links, &stop))?;
            (Some(feed), Some(thread))
        }
        _ => (None, None),
    };
    let (soft_thread, soft_links) = match setup.soft {
        None => (None, None),
        Some(scene) => {
            let (query_in, query_out) = latest::latest(Query::default());
            let (answer_in, answer_out) = ring::ring(deformable::BUFFERS);
            let (used_in, used_out) = ring::ring(2 * deformable::BUFFERS);
            let links = deformable::Links {
                queries: query_out,
                answers: answer_in,
                used: used_out,
                requests: soft_requests,
                bodies: soft_news,
                log: soft_log,
                log_lost: Arc::new(AtomicU64::new(0)),
                state: soft_state.clone(),
                surfaces: writers.surfaces,
                skins: skin_feed,
                period_ns,
                supervisor: keep.soft,
            };
            let stop = stop.clone();
            let thread = spawn("soft", move || {
                deformable::run(scene, links, &stop);
            })?;
            let links = haptic_thread::SoftLinks {
                answers: answer_out,
                used: used_in,
                queries: query_in,
            };
            (Some(thread), Some(links))
        }
    };
    let collision_beat = Beat::default();
    let scribe_beat = Beat::default();
    let supervisor_beat = Beat::default();
    let ipc_beat = service.as_ref().map(Service::heartbeat);
    let near = Arc::new(Mutex::new(None));
    let broad = Arc::new(Mutex::new(setup.collider.broad_facts()));

    let (raised_in, raised_out) = std::sync::mpsc::channel();
    let (planner, planner_ends) = planner::planner();
    let (janitor, garbage) = janitor::janitor();
    let planner_thread = spawn("planner", move || planner::serve(planner_ends))?;
    let janitor_thread = spawn("janitor", move || janitor::serve(&garbage))?;
    let collision_thread = {
        let mut links = collider::Links {
            pair_capacity: setup.pair_capacity,
            queries: query_reader,
            snapshots: snapshot_in,
            used: used_out,
            requests: request_out,
            replies: reply_in,
            soft: soft_bodies,
            log: Some(log_in),
            log_lost: Arc::new(AtomicU64::new(0)),
            near: near.clone(),
            broad: broad.clone(),
            supervisor: keep.near,
            planner,
            janitor,
            urgency: Urgency::none(),
        };
        let (stop, beat, collider) = (stop.clone(), collision_beat.clone(), setup.collider);
        spawn("collision", move || {
            // Holds while the thread has ordinary priority.
            let raised = realtime::priority::raise("nice of the collision thread", NICENESS);
            let sliced = realtime::priority::ask_for_short_slices(SLICE_US);
            links.urgency = Urgency::ask(priority(rt_priority, COLLISION_PRIORITY));
            let urgent = links.urgency.is_granted();
            tracing::debug!(urgent, "{raised}; {sliced}");
            // The supervisor reads this once. If it is gone, the result is not needed.
            let _ = raised_in.send((!urgent && !raised.is_granted()).then_some(raised));
            collider::run(collider, links, &stop, &beat);
        })?
    };

    let keeper_thread = match keep.ends {
        ends if ends.is_empty() => None,
        ends => {
            let (stop, stopped) = delivery(1);
            let thread = spawn("gpu-supervisor", move || gpu_supervisor::run(ends, stopped))?;
            Some((thread, stop))
        }
    };

    // Process-wide steps are taken here; those of the loop's thread are taken on that thread.
    let mut granted = realtime::Report::default();
    if config.haptic_loop.lock_memory {
        granted.add(realtime::memory::tune_allocator());
        granted.add(realtime::memory::lock_all());
    }
    let (step, latency_hold) = realtime::power::forbid_deep_sleep();
    granted.add(step);
    let guard = guard(
        config,
        period_ns,
        [
            Some(&supervisor_beat),
            ipc_beat.as_ref(),
            Some(&collision_beat),
            Some(&scribe_beat),
        ],
    );
    let longest = guard.longest();
    let (setup_in, setup_out) = std::sync::mpsc::channel();
    let (go, ready) = std::sync::mpsc::channel::<()>();
    let loop_thread = {
        let flags = flags.clone();
        let spin_us = config.haptic_loop.spin_us;
        let priority = config.haptic_loop.rt_priority;
        let cpu = config.haptic_loop.cpu_affinity;
        let pace = match config.haptic_loop.clock {
            config::Clock::Host => Pace::Host,
            config::Clock::Device => Pace::Device(0),
        };
        let links = haptic_thread::Links {
            inputs,
            commands,
            snapshots: snapshot_out,
            used: used_in,
            queries: query_writer,
            soft: soft_links,
            records: record_in,
            limits: composer,
            gone: gone_out,
            guard,
            publisher: (publisher, events),
        };
        let core = setup.core;
        spawn("haptic", move || {
            let mut steps = Vec::new();
            if let Some(cpu) = cpu {
                steps.push(realtime::priority::pin_to(cpu as usize));
            }
            if let Ok(priority) = u8::try_from(priority)
                && priority > 0
            {
                steps.push(realtime::priority::request_fifo(priority));
            }
            steps.push(realtime::memory::prefault_stack());
            // The supervisor reads this once. If it is gone, the steps are not needed.
            let _ = setup_in.send(steps);
            // The first tick waits until every thread that the loop watches exists.
            if ready.recv().is_ok() {
                haptic_thread::run(core, links, pace, spin_us, &flags);
            }
        })?
    };
    for step in setup_out.recv().unwrap_or_default() {
        granted.add(step);
    }
    if let Ok(Some(step)) = raised_out.recv() {
        granted.add(step);
    }
    // Threads that the supervisor starts from now on do not inherit this priority.
    let supervisor = request_priority(rt_priority, SUPERVISOR_PRIORITY, "nice of the supervisor");
    let server = service.as_mut().and_then(Service::take_refused);
    for step in supervisor.into_iter().chain(server) {
        granted.add(step);
    }
    let realtime_lines: Vec<String> = granted.steps.iter().map(ToString::to_string).collect();
    if let Ok(mut live) = live.lock() {
        live.realtime.clone_from(&granted.steps);
    }
    for step in &granted.steps {
        if step.is_granted() {
            tracing::info!("{step}");
        } else {
            tracing::warn!("{step}");
        }
    }

    let scribe_thread = {
        let mut stats = Stats::new(false, period_ns, &names);
        stats.watch(&arm_states);
        let mut scribe = Scribe::new(
            stats,
            checker,
            options.sink.take(),
            live.clone(),
            realtime_lines,
        );
        scribe.name_bodies(body_names.into_iter());
        scribe.watch_needles(setup.watch.take());
        scribe.hear_from(scribe_events);
        let beat = scribe_beat.clone();
        spawn("scribe", move || {
            scribe::serve(scribe, record_out, log_out, &beat)
        })?
    };
    let reading = Reading::start(options.reload.take())?;
    let (shown, frames) = Shown::start(options.view)?;

    let signs = Arc::new(Signs {
        flags: flags.clone(),
        supervisor: supervisor_beat,
        scribe: scribe_beat,
        ipc: ipc_beat,
        collision: collision_beat,
        arms: arm_states,
        soft: soft_state,
        skin: skin_state,
        near,
        broad,
    });
    let news = {
        let present = Present {
            soft: soft_thread.is_some(),
            skin: skin_thread.is_some(),
        };
        let (signs, live, stop) = (signs.clone(), live.clone(), stop.clone());
        spawn("news", move || {
            let copies = news::Copies {
                status: told,
                frames,
                view_every: options.view_every,
            };
            news::gather(&signs, present, &live, copies, &stop);
        })?
    };
    let threads = Threads {
        haptic: loop_thread,
        arms: arm_threads,
        collision: collision_thread,
        planner: planner_thread,
        janitor: janitor_thread,
        soft: soft_thread,
        skin: skin_thread,
        supervisor: keeper_thread,
        gpu: gpu_threads_end,
        scribe: scribe_thread,
        news,
    };
    signs.supervisor.fetch_add(1, Ordering::Relaxed);
    // The loop waits for nothing else.
    let _ = go.send(());
    let died = Supervisor {
        duration_s: options.duration_s,
        brake: &brake,
        sentry: &sentry,
        reading,
        shown: &shown,
        live: &live,
        threads: &threads,
        signs: &signs,
        service: &mut service,
        controls,
        specs: &specs,
        period_ns,
    }
    .run();
    let ending = Ending {
        brake: &brake,
        beat: &signs.supervisor,
        fade_ns: (config.safety.fade_ms * 1e6) as u64,
    };
    let ended = ending.run(threads, service, died);
    let [supervisor, ipc, collision, scribe] =
        std::array::from_fn(|thread| longest[thread].load(Ordering::Relaxed));
    tracing::info!(
        supervisor,
        ipc,
        collision,
        scribe,
        "longest time without a sign of life, in ticks"
    );
    shown.end();
    drop(latency_hold);
    ended
}

/// Priorities of short rounds: above every compute thread, so that no thread on which others depend
/// waits for one, and below every thread with a deadline.
const SENTRY_PRIORITY: u8 = 4;
const SUPERVISOR_PRIORITY: u8 = 3;
/// Priority of the thread that serves clients.
pub(crate) const IPC_PRIORITY: u8 = 2;
/// Below all of those, because an answer may take long, and only for a share of the time
/// ([`Urgency`]). Above ordinary threads, because a niceness counts only within one session or
/// control group: next to busy programs of another one, the thread waited seconds for its turn at
/// -10, and late answers fade force.
const COLLISION_PRIORITY: u8 = 1;
/// Time after which the loop notes that the collision thread or the scribe is silent, ms. No force
/// depends on it.
const SILENT_OTHERS_MS: u32 = 1000;

/// Returns the SCHED_FIFO priority for a thread, below the loop's priority `of_loop`; none if the
/// loop has none.
fn priority(of_loop: u32, wanted: u8) -> u8 {
    u8::try_from(of_loop.saturating_sub(1)).map_or(wanted, |below| wanted.min(below))
}

/// Time slice of such a thread without SCHED_FIFO, µs. A round needs no more.
const SLICE_US: u32 = 200;

/// Requests SCHED_FIFO for the calling thread, see [`priority`]. If refused, requests a niceness
/// before ordinary threads and short time slices, so that it runs soon after it wakes. If neither
/// priority is granted, returns the refused step for the log; `what` names the thread's niceness.
pub(crate) fn request_priority(
    of_loop: u32,
    wanted: u8,
    what: &'static str,
) -> Option<realtime::Step> {
    let priority = priority(of_loop, wanted);
    if priority > 0 {
        let step = realtime::priority::request_fifo(priority);
        tracing::debug!("{step}");
        if step.is_granted() {
            return None;
        }
    }
    let raised = realtime::priority::raise(what, NICENESS);
    let step = realtime::priority::ask_for_short_slices(SLICE_US);
    tracing::debug!("{raised}; {step}");
    (!raised.is_granted()).then_some(raised)
}

/// Returns the threads that the loop watches, each with its budget in ticks, in the order of
/// [`Watched`](hapticd_loop::watchdog::Watched).
fn guard(config: &config::Config, period_ns: u64, beats: [Option<&Beat>; WATCHED]) -> Guard {
    let of = &config.haptic_loop;
    let budgets_ms = [
        of.silent_supervisor_ms,
        of.silent_ipc_ms,
        SILENT_OTHERS_MS,
        SILENT_OTHERS_MS,
    ];
    let ticks = |ms: u32| u64::from(ms) * 1_000_000 / period_ns.max(1);
    let mut threads = beats.map(|beat| beat.map(|beat| (beat.clone(), 0)));
    for (thread, ms) in threads.iter_mut().zip(budgets_ms) {
        if let Some((_, budget)) = thread {
            *budget = u32::try_from(ticks(ms).max(1)).unwrap_or(u32::MAX);
        }
    }
    Guard::new(threads)
}

fn spawn<T: Send + 'static>(
    name: &'static str,
    f: impl FnOnce() -> T + Send + 'static,
) -> Result<std::thread::JoinHandle<T>, SessionError> {
    std::thread::Builder::new()
        .name(name.to_owned())
        .spawn(f)
        .map_err(|error| SessionError::Thread { name, error })
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
