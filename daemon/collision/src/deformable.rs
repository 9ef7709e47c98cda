//! The soft bodies' side: owns the [`DeformableScene`], steps it under the loop's queries, and
//! hands the loop what its tools track.
//!
//! [`answer`] is a function of the queries and commands that came before, so recordings replay. It
//! runs on a separate thread in real time ([`run`]) and inline in virtual time. It is slower than
//! the collision thread and below it in priority: a long step makes soft surfaces older, and delays
//! nothing else.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use crossbeam::channel::{Receiver, Sender};
use hapticd_deformable::{DeformableAddError, DeformableInfo, DeformableKind, DeformableScene};
use hapticd_proxy::{BodyKey, DeformableSnapshot, MAX_ARMS, Material, Query};
use hapticd_rays::Tracer;
use hapticd_sync::{latest, ring};
use hapticd_sys::clock::now_ns;

use crate::broad_phase::BroadPhaseStats;
use crate::command::{Applied, SceneCommand};
use crate::gpu_supervisor::{GpuStats, UserEnd};
use crate::skin::SkinUpdate;
use crate::step_log::{StepLog, WorkLog};
use hapticd_ipc::surfaces::{SurfaceInfo, SurfaceKind, SurfaceWriter};

/// First id of deformables; rigid bodies and tools have lower ids.
pub const FIRST_ID: u32 = 1 << 30;

/// Answers in flight: for each arm one in use, one offered, one being built.
pub const BUFFERS: usize = 3 * MAX_ARMS;

/// A new surface for a soft body, by its client-visible id.
pub type Surface = (u32, Material);

/// Statistics of the thread, shared with readers.
#[derive(Debug, Default)]
pub struct DeformableState {
    /// Counts rounds: the sign of life.
    pub heartbeat: AtomicU64,
    /// Steps so far.
    pub steps: AtomicU64,
    /// Ticks that were not simulated because steps took too long.
    pub lost_ticks: AtomicU64,
    /// Steps, poses and tools that the scene refused.
    pub refused: AtomicU64,
    /// Pairs of implicit bodies' spheres beyond the capacity of steps.
    pub pairs_left_out: AtomicU64,
    /// Pairs of features that went through each other.
    pub crossings: AtomicU64,
    /// Rigid bodies that soft ones can meet.
    pub rigid_bodies: AtomicU64,
    /// Clients' bodies that soft ones cannot meet, of those that exist.
    pub unmet_bodies: AtomicU64,
    /// Time that the last step took, ns.
    pub step_ns: AtomicU64,
    /// Contacts in the last step.
    pub contacts: AtomicU64,
    /// Steps between the last one and the one that its contacts belong to.
    pub contacts_age: AtomicU64,
    /// Statistics of the contact detector.
    pub detector: Mutex<DetectorStats>,
}

/// Statistics of the contact detector, for people and scripts.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DetectorStats {
    /// Backend that it runs on.
    pub backend: &'static str,
    /// Time of the last answer on a GPU, ns.
    pub gpu_ns: Option<f64>,
    /// What became of the GPUs.
    pub gpu: GpuStats,
    /// Statistics of the broad phase.
    pub broad: BroadPhaseStats,
}

/// A copy of [`DeformableState`], for people and scripts.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct DeformableStats {
    /// Steps so far.
    pub steps: u64,
    /// Ticks that were not simulated.
    pub lost_ticks: u64,
    /// Steps, poses and tools that the scene refused because of invalid numbers.
    pub refused: u64,
    /// Pairs of implicit bodies' spheres beyond the capacity of steps, so far: those spheres may
    /// sink into each other.
    pub pairs_left_out: u64,
    /// Pairs of vertices, edges and triangles of cloth and soft bodies that went through each other
    /// between two steps, so far; 0 where `[deformable] continuous` is `"off"`.
    pub crossings: u64,
    /// Rigid bodies that soft ones can meet.
    pub rigid_bodies: u64,
    /// Bodies of clients that soft ones cannot meet, of those that exist; the log gives the
    /// reasons.
    pub unmet_bodies: u64,
    /// Time that the last step took, µs.
    pub step_us: f64,
    /// Contacts in the last step.
    pub contacts: u64,
    /// Steps between the last one and the one that its contacts belong to: 0 on the CPU.
    pub contacts_age_steps: u64,
    /// Backend that finds contacts: `CPU` or `GPU`.
    pub backend: &'static str,
    /// Time of the last answer on a GPU, µs.
    pub gpu_us: Option<f64>,
    /// What became of the GPUs.
    #[serde(flatten)]
    pub gpu: GpuStats,
    /// Statistics of the broad phase between soft bodies, rigid bodies and tools.
    pub broad_phase: BroadPhaseStats,
}

impl DeformableState {
    /// Copies the present values.
    pub fn facts(&self) -> DeformableStats {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        let detector = self.detector.lock().map(|d| d.clone()).unwrap_or_default();
        DeformableStats {
            contacts_age_steps: get(&self.contacts_age),
            backend: detector.backend,
            gpu_us: detector.gpu_ns.map(|ns| ns * 1e-3),
            gpu: detector.gpu,
            broad_phase: detector.broad,
            steps: get(&self.steps),
            lost_ticks: get(&self.lost_ticks),
            refused: get(&self.refused),
            pairs_left_out: get(&self.pairs_left_out),
            crossings: get(&self.crossings),
            rigid_bodies: get(&self.rigid_bodies),
            unmet_bodies: get(&self.unmet_bodies),
            step_us: get(&self.step_ns) as f64 * 1e-3,
            contacts: get(&self.contacts),
        }
    }

    fn note(
        &self,
        scene: &DeformableScene,
        took_ns: u64,
        supervisor: Option<&mut UserEnd<DeformableScene>>,
    ) {
        self.steps.fetch_add(1, Ordering::Relaxed);
        self.lost_ticks.store(scene.lost_ticks(), Ordering::Relaxed);
        self.refused.store(scene.refused(), Ordering::Relaxed);
        (self.pairs_left_out).store(scene.pairs_left_out(), Ordering::Relaxed);
        self.crossings.store(scene.crossings(), Ordering::Relaxed);
        (self.rigid_bodies).store(scene.rigid_bodies() as u64, Ordering::Relaxed);
        self.step_ns.store(took_ns, Ordering::Relaxed);
        let contacts = scene.report().contacts as u64;
        self.contacts.store(contacts, Ordering::Relaxed);
        let detector = scene.detector();
        let age = detector.progress().age();
        self.contacts_age.store(age, Ordering::Relaxed);
        // The supervisor reads this now and then; a step does not wait for it.
        if let Ok(mut facts) = self.detector.try_lock() {
            facts.backend = detector.name();
            facts.gpu_ns = detector.gpu_ns();
            if let Some(supervisor) = supervisor {
                supervisor.write_stats(scene, &mut facts.gpu);
            }
            let broad = scene.world().scene().broad_phase();
            facts.broad = BroadPhaseStats::of(broad.name(), Some(broad.work()));
        }
    }
}

/// Gives a soft body another surface. Returns what was done, for the log.
pub fn apply(scene: &mut DeformableScene, (id, material): Surface) -> Option<Applied> {
    scene.set_surface(id, &material).then(|| Applied {
        command: SceneCommand::Surface { id, material },
        id,
        key: BodyKey::default(),
        placed: None,
    })
}

/// What soft bodies must learn of a command that the collision side has carried out, in order: a
/// body that is placed elsewhere goes, and another one comes.
pub fn changes(applied: &Applied) -> Vec<Applied> {
    match applied.command {
        SceneCommand::Add(_) | SceneCommand::Remove { .. } => vec![applied.clone()],
        SceneCommand::Place { .. } => applied.replacement().into_iter().flatten().collect(),
        _ => Vec::new(),
    }
}

/// Repeats one of the [`changes`] on the soft scene. Returns what was done, for
/// the log. The removal of a body that soft ones never met has no effect.
///
/// # Errors
/// If soft bodies cannot meet it.
pub fn follow(
    scene: &mut DeformableScene,
    applied: Applied,
) -> Result<Option<Applied>, DeformableAddError> {
    let done = match &applied.command {
        SceneCommand::Add(spec) => {
            scene.add_body(applied.key, spec)?;
            true
        }
        SceneCommand::Remove { .. } => scene.remove_body(applied.key),
        _ => false,
    };
    Ok(done.then_some(applied))
}

/// Steps the scene if a step is due, and answers every arm that asks. `buffer` lends snapshots,
/// `deliver` takes them. Returns the sequence of the last answer so far; `None` if no step was due.
pub fn answer(
    scene: &mut DeformableScene,
    query: &Query,
    mut buffer: impl FnMut() -> Option<Box<DeformableSnapshot>>,
    mut deliver: impl FnMut(Box<DeformableSnapshot>),
) -> Option<u64> {
    if !scene.step(query) {
        return None;
    }
    for arm in 0..MAX_ARMS {
        if !query.arms[arm].present {
            continue;
        }
        let Some(mut deformable) = buffer() else {
            break;
        };
        if scene.answer(query, arm, &mut deformable) {
            deliver(deformable);
        }
    }
    Some(scene.sequence())
}

/// The thread's ends of the rings.
pub struct Links {
    /// Newest query.
    pub queries: latest::Reader<Query>,
    /// Answers to the loop.
    pub answers: ring::Producer<Box<DeformableSnapshot>>,
    /// Used buffers from the loop.
    pub used: ring::Consumer<Box<DeformableSnapshot>>,
    /// New surfaces.
    pub requests: Receiver<Surface>,
    /// Bodies that clients added and removed, from the collision thread, in its order.
    pub bodies: Receiver<Applied>,
    /// Steps for the recorder; a full queue drops and counts.
    pub log: Option<Sender<StepLog>>,
    /// Steps that the recorder missed.
    pub log_lost: Arc<AtomicU64>,
    /// Statistics and sign of life.
    pub state: Arc<DeformableState>,
    /// Shared surfaces for clients.
    pub surfaces: Vec<SurfaceWriter>,
    /// The loop's period, ns.
    pub period_ns: u64,
    /// States of implicit bodies for the skin thread; `None` where there are none, or no client to
    /// show them to.
    pub skins: Option<latest::Writer<SkinUpdate>>,
    /// Source of a new GPU when the detector's GPU is given up.
    pub supervisor: Option<UserEnd<DeformableScene>>,
}

/// Descriptions of a scene's soft bodies for clients.
pub fn surface_infos(scene: &DeformableScene) -> Vec<SurfaceInfo> {
    let info = |body: DeformableInfo| SurfaceInfo {
        id: body.id,
        name: body.name,
        kind: match body.kind {
            DeformableKind::Soft => SurfaceKind::Soft,
            DeformableKind::Cloth => SurfaceKind::Cloth,
            DeformableKind::Crowd => SurfaceKind::Crowd,
        },
        points: body.points,
        triangles: body.triangles,
    };
    scene.infos().into_iter().map(info).collect()
}

/// Publishes the surfaces at the end of a tick.
fn publish(scene: &DeformableScene, writers: &mut [SurfaceWriter], (tick, lost_ns): (u64, u64)) {
    let time_ns = now_ns();
    for (writer, (id, points)) in writers.iter_mut().zip(scene.surfaces()) {
        debug_assert_eq!(writer.id(), id);
        writer.add_lost_ns(lost_ns);
        let points = points.iter().map(|p| [p.x as f32, p.y as f32, p.z as f32]);
        // A surface that is no longer finite is not published: clients keep the last one and see
        // from its time that it is old.
        let _ = writer.write(tick, time_ns, points);
    }
}

/// Runs the soft bodies' thread until `stop`: steps the scene whenever a step is due. At the end
/// the GPU supervisor gets the GPU to drop.
pub fn run(mut scene: DeformableScene, mut links: Links, stop: &AtomicBool) -> DeformableScene {
    // The loop's newest queries are a tick apart; this polls twice in that time.
    const PAUSE: std::time::Duration = std::time::Duration::from_micros(400);
    let mut step = 0;
    let mut spare: Vec<_> = (0..BUFFERS)
        .map(|_| Box::<DeformableSnapshot>::default())
        .collect();
    // Clients' bodies that exist and that soft ones cannot meet.
    let mut unmet = BTreeSet::new();
    let mut ending = false;
    while !ending {
        // Read before the requests: requests made before the end are carried out and recorded.
        ending = stop.load(Ordering::Acquire);
        links.state.heartbeat.fetch_add(1, Ordering::Relaxed);
        if let Some(supervisor) = &mut links.supervisor {
            supervisor.attend(&mut scene);
        }
        let mut applied = Vec::new();
        while let Ok(surface) = links.requests.try_recv() {
            applied.extend(apply(&mut scene, surface));
        }
        while let Ok(body) = links.bodies.try_recv() {
            let id = body.id;
            unmet.remove(&id);
            match follow(&mut scene, body) {
                Ok(done) => applied.extend(done),
                Err(why) => {
                    unmet.insert(id);
                    tracing::warn!("soft bodies pass through {why}");
                }
            }
            let count = unmet.len() as u64;
            links.state.unmet_bodies.store(count, Ordering::Relaxed);
        }
        while let Some(buffer) = links.used.pop() {
            spare.push(buffer);
        }
        let query = {
            let (query, new) = links.queries.read();
            new.then_some(*query)
        };
        let started = now_ns();
        let answers = &mut links.answers;
        let last_sequence = query.as_ref().and_then(|query| {
            let deliver = |deformable| {
                // Cannot be full: the ring holds every buffer.
                let _ = answers.push(deformable);
            };
            answer(&mut scene, query, || spare.pop(), deliver)
        });
        if last_sequence.is_none() && applied.is_empty() {
            std::thread::sleep(PAUSE);
            continue;
        }
        if let Some(query) = query.as_ref().filter(|_| last_sequence.is_some()) {
            let lost_ticks = scene.lost_ticks() - links.state.lost_ticks.load(Ordering::Relaxed);
            let lost_ns = lost_ticks * links.period_ns;
            publish(&scene, &mut links.surfaces, (query.tick, lost_ns));
            if let Some(skins) = &mut links.skins {
                let time_ns = now_ns();
                skins.overwrite(|update| {
                    scene.skin_states(&mut update.states);
                    update.time_ns = time_ns;
                    update.step = links.state.steps.load(Ordering::Relaxed) + 1;
                });
            }
            let took_ns = now_ns() - started;
            let supervisor = links.supervisor.as_mut();
            links.state.note(&scene, took_ns, supervisor);
        }
        step += 1;
        let log = StepLog {
            step,
            query_tick: last_sequence.and(query).map_or(0, |query| query.tick),
            applied,
            last_sequence: last_sequence.unwrap_or(0),
            deformable: true,
            work: WorkLog::default(),
        };
        if let Some(sink) = &links.log
            && sink.try_send(log).is_err()
        {
            links.log_lost.fetch_add(1, Ordering::Relaxed);
        }
    }
    if let Some(supervisor) = links.supervisor {
        // This thread must not drop a GPU that may hang.
        let twin = Box::new(Tracer::new(*scene.detector_settings()));
        supervisor.end(scene.replace_backend(twin).ok());
    }
    scene
}
