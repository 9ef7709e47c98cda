//! The skin thread: makes meshes of implicit bodies some dozens of times a second, without delaying
//! any other thread.
//!
//! It takes the newest state of the bodies from a mailbox, makes a mesh of each
//! ([`hapticd_deformable::SkinMaker`]) and publishes it ([`hapticd_ipc::skins`]). It writes nothing
//! back, no thread waits for it, and it waits for none. When time is short, cubes become larger
//! before frames are dropped, and frames say so. If a frame cannot be made, the last one stays, and
//! its time shows its age.
//!
//! A GPU may make large frames. One that was given up goes to the GPU supervisor, which opens
//! another one; until it has come the CPU makes all ([`LargeFrames`]).
//!
//! Not real-time: allocates while its memory grows. It runs below all threads that make force, and
//! requests that from the system ([`run`]).

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd_deformable::{
    DeformableScene, LargeSkin, Polygonizer, SkinBy, SkinMade, SkinMaker, SkinSpec, SkinStates,
};
use hapticd_protocol::block::{SkinFrameHeader, skin_flag};
use hapticd_sync::latest;
use hapticd_sys::clock::{now_ns, thread_cpu_ns};

use crate::gpu_supervisor::{GpuStats, UserEnd};
use hapticd_ipc::skins::{SkinMesh, SkinWriter};

/// State of the bodies at the end of a step.
#[derive(Clone, Debug, Default)]
pub struct SkinUpdate {
    /// States of the bodies.
    pub states: SkinStates,
    /// Time of the state, ns on the monotonic clock.
    pub time_ns: u64,
    /// Counts the steps.
    pub step: u64,
}

/// Statistics of the thread, shared with readers.
#[derive(Debug, Default)]
pub struct SkinThreadState {
    /// Counts rounds: the sign of life.
    pub heartbeat: AtomicU64,
    /// Frames of all bodies so far.
    pub frames: AtomicU64,
    /// Frames that were not made or not published.
    pub refused: AtomicU64,
    /// Rounds that began late because the one before took too long.
    pub late: AtomicU64,
    /// States that were never shown.
    pub skipped: AtomicU64,
    /// Frames with cubes larger than wanted.
    pub coarse: AtomicU64,
    /// Frames with a mesh that was not sound.
    pub faulty: AtomicU64,
    /// Time of the last round, ns.
    pub round_ns: AtomicU64,
    /// Triangles in the last round.
    pub triangles: AtomicU64,
    /// Largest distance between the drawn and the rendered surface so far, nm.
    pub surface_error_nm: AtomicU64,
    /// Reason of the last refused frame.
    pub why: Mutex<String>,
    /// Frames that a GPU made.
    pub by_gpu: AtomicU64,
    /// Frames meant for a GPU that the CPU made.
    pub instead: AtomicU64,
    /// Reason of the last such frame.
    pub why_instead: Mutex<String>,
    /// What became of the GPUs; `None` without any.
    pub gpu: Mutex<Option<GpuStats>>,
}

/// A copy of [`SkinThreadState`], for people and scripts.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
pub struct SkinStats {
    /// Frames of all bodies so far.
    pub frames: u64,
    /// Frames that were not made or not published.
    pub refused: u64,
    /// Reason of the last refused frame.
    pub why: String,
    /// Rounds that began late.
    pub late: u64,
    /// States that were never shown.
    pub skipped: u64,
    /// Frames with cubes larger than wanted.
    pub coarse: u64,
    /// Frames with a mesh that was not closed, or not finite.
    pub faulty: u64,
    /// Time of the last round, ms.
    pub round_ms: f64,
    /// Triangles in the last round.
    pub triangles: u64,
    /// Largest distance between the drawn and the rendered surface so far, m.
    pub felt_m: f64,
    /// Frames that a GPU made.
    pub by_gpu: u64,
    /// Frames meant for a GPU that the CPU made.
    pub instead: u64,
    /// Reason of the last such frame.
    pub why_instead: String,
    /// What became of the GPUs; `None` without any.
    pub gpu: Option<GpuStats>,
}

impl SkinThreadState {
    /// Copies the present values.
    pub fn facts(&self) -> SkinStats {
        let get = |n: &AtomicU64| n.load(Ordering::Relaxed);
        SkinStats {
            frames: get(&self.frames),
            refused: get(&self.refused),
            why: self.why.lock().map(|why| why.clone()).unwrap_or_default(),
            late: get(&self.late),
            skipped: get(&self.skipped),
            coarse: get(&self.coarse),
            faulty: get(&self.faulty),
            round_ms: get(&self.round_ns) as f64 * 1e-6,
            triangles: get(&self.triangles),
            felt_m: get(&self.surface_error_nm) as f64 * 1e-9,
            by_gpu: get(&self.by_gpu),
            instead: get(&self.instead),
            why_instead: (self.why_instead.lock())
                .map_or_else(|_| String::new(), |why| why.clone()),
            gpu: self.gpu.lock().map_or(None, |gpu| gpu.clone()),
        }
    }

    fn count(&self, by: SkinBy, why_not: &str) {
        match by {
            SkinBy::Cpu => {}
            SkinBy::Large => {
                self.by_gpu.fetch_add(1, Ordering::Relaxed);
            }
            SkinBy::Instead => {
                self.instead.fetch_add(1, Ordering::Relaxed);
                if let Ok(mut last) = self.why_instead.try_lock()
                    && *last != why_not
                {
                    why_not.clone_into(&mut last);
                }
            }
        }
    }

    fn refuse(&self, why: impl ToString) {
        self.refused.fetch_add(1, Ordering::Relaxed);
        // A reader holds the lock for the time of a copy; a reason that cannot be stored now is
        // stored the next time.
        if let Ok(mut last) = self.why.try_lock() {
            *last = why.to_string();
        }
    }
}

/// The thread's ends.
pub struct Links {
    /// Newest state of the bodies.
    pub updates: latest::Reader<SkinUpdate>,
    /// The bodies, in the order of the states.
    pub bodies: Vec<SkinBody>,
    /// Backend for large frames, if not the CPU.
    pub large: Option<LargeFrames>,
    /// Time between rounds.
    pub period: Duration,
    /// Statistics and sign of life.
    pub state: Arc<SkinThreadState>,
}

/// Backend for large frames, and the expected number of triangles from which a frame is large.
pub struct LargeSkins {
    /// The backend.
    pub(crate) by: Box<dyn Polygonizer>,
    /// Expected triangles from which a frame is large.
    triangles: f64,
    /// Frames that backends made so far.
    pub(crate) made: u64,
}

impl LargeSkins {
    /// Has `by` make the frames of this many expected triangles and more.
    #[must_use]
    pub fn new(by: Box<dyn Polygonizer>, triangles: f64) -> Self {
        LargeSkins {
            by,
            triangles,
            made: 0,
        }
    }
}

/// Large frames with their supervision.
pub struct LargeFrames {
    /// The backend.
    pub skins: LargeSkins,
    /// Source of a new backend when this one is given up.
    pub supervisor: UserEnd<LargeSkins>,
}

impl LargeFrames {
    fn attend(&mut self) {
        self.supervisor.attend(&mut self.skins);
    }

    fn polygonizer(&mut self) -> LargeSkin<'_> {
        LargeSkin {
            by: &mut *self.skins.by,
            triangles: self.skins.triangles,
        }
    }

    /// Notes who made a frame.
    fn note(&mut self, by: SkinBy, state: &SkinThreadState) {
        self.skins.made += u64::from(by == SkinBy::Large);
        // A reader holds the lock for the time of a copy; the next frame writes again.
        if let Ok(mut gpu) = state.gpu.try_lock() {
            let stats = gpu.get_or_insert_default();
            self.supervisor.write_stats(&self.skins, stats);
        }
    }
}

/// A body whose skin is made.
pub struct SkinBody {
    /// Index of its state.
    number: usize,
    maker: SkinMaker,
    writer: SkinWriter,
    frames: u64,
    faulty: u32,
    /// Time of the last published state, ns.
    shown_ns: u64,
}

impl SkinBody {
    /// Makes a body; maker and writer must be of the same body.
    #[must_use]
    pub fn new(number: usize, maker: SkinMaker, writer: SkinWriter) -> SkinBody {
        debug_assert_eq!(maker.spec().id, writer.id());
        SkinBody {
            number,
            maker,
            writer,
            frames: 0,
            faulty: 0,
            shown_ns: 0,
        }
    }

    /// Makes and publishes a frame.
    fn show(
        &mut self,
        update: &SkinUpdate,
        skipped: u64,
        state: &SkinThreadState,
        mut large: Option<&mut LargeFrames>,
    ) {
        let Some(body) = update.states.bodies.get(self.number) else {
            return;
        };
        let is_still = self.maker.spec().sampled.is_some() && self.frames > 0;
        if is_still && update.time_ns.saturating_sub(self.shown_ns) < STILL_NS {
            return;
        }
        let (started, started_cpu) = (now_ns(), thread_cpu_ns());
        let polygonizer = large.as_deref_mut().map(LargeFrames::polygonizer);
        let made = match self.maker.make_by(body, polygonizer) {
            Ok(made) => made,
            Err(why) => return state.refuse(why),
        };
        // Before the frame counts: a reader that sees why the CPU made it sees the loss, too.
        if let Some(large) = large {
            large.note(made.by, state);
        }
        state.count(made.by, self.maker.why_not());
        // Its cost, not its duration: larger cubes do not help against a processor that other
        // threads use. The cost of a GPU is the time spent waiting for it.
        let took_ns = match made.by {
            SkinBy::Large => now_ns() - started,
            SkinBy::Cpu | SkinBy::Instead => thread_cpu_ns() - started_cpu,
        };
        self.maker.took(took_ns as f64 * 1e-9);
        let sound = made.check.is_sound();
        self.faulty += u32::from(!sound);
        self.frames += 1;
        let mut header = frame_header(&made, body.primitives.len());
        header.frame = self.frames;
        header.tick = update.states.tick;
        header.time_ns = update.time_ns;
        header.faulty_frames = self.faulty;
        header.skipped = skipped;
        header.compute_ns = took_ns;
        let mesh = self.maker.mesh();
        let written = self.writer.write(
            header,
            &SkinMesh {
                points: &mesh.points,
                normals: &mesh.normals,
                velocities: self.maker.velocities(),
                triangles: &mesh.triangles,
            },
        );
        if let Err(why) = written {
            return state.refuse(why);
        }
        self.shown_ns = update.time_ns;
        state.frames.fetch_add(1, Ordering::Relaxed);
        (state.faulty).fetch_add(u64::from(!sound), Ordering::Relaxed);
        (state.coarse).fetch_add(u64::from(made.rung > 0), Ordering::Relaxed);
        let surface_error_nm = (made.felt_m * 1e9) as u64;
        state
            .surface_error_nm
            .fetch_max(surface_error_nm, Ordering::Relaxed);
    }
}

/// Interval after which an unchanging skin is published again, so that clients see that it is
/// maintained, ns.
const STILL_NS: u64 = 1_000_000_000;

/// Share of a round for making the meshes; the rest is for publishing them, and for other threads
/// on the processor.
const SHARE: f64 = 0.6;

/// Makes the skins of a scene's implicit bodies at this rate, each with its share of a round.
pub fn bodies(
    scene: &DeformableScene,
    writers: Vec<SkinWriter>,
    period: Duration,
) -> Vec<SkinBody> {
    let seconds = SHARE * period.as_secs_f64() / writers.len().max(1) as f64;
    let body = |(number, (spec, writer)): (usize, (SkinSpec, SkinWriter))| {
        let most = writer.capacity().triangles as usize;
        // The configuration's numbers are above 0.
        let maker = SkinMaker::new(spec, most, seconds).ok()?;
        Some(SkinBody::new(number, maker, writer))
    };
    let all = scene.skin_specs().zip(writers).enumerate();
    all.filter_map(body).collect()
}

/// Header of a frame.
fn frame_header(made: &SkinMade, primitives: usize) -> SkinFrameHeader {
    let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
    let check = &made.check;
    let faults = check.faults.open_edges + check.faults.pinched + check.not_finite + check.strays;
    let small = made.report.lost.small;
    let flags = [
        (skin_flag::CLIPPED, made.report.clipped > 0),
        (skin_flag::COARSE, made.rung > 0),
        (skin_flag::FAULTY, faults > 0),
        (skin_flag::SMALL, small > 0),
        (skin_flag::UNCONTROLLED, made.uncontrolled),
        (skin_flag::CREASED, made.creased),
    ];
    SkinFrameHeader {
        flags: flags
            .iter()
            .filter(|(_, is)| *is)
            .map(|(flag, _)| flag)
            .sum(),
        coarser: made.rung,
        cell_m: made.cell_m,
        deviation_m: made.felt_m,
        faults: number(faults),
        primitives: number(primitives),
        small: number(small),
        ..SkinFrameHeader::default()
    }
}

/// Runs a round if there is a new state: one frame of every body. `last` holds the last published
/// step and is updated; `skipped` counts the steps in between. Takes over what the GPU supervisor
/// has opened, new state or not.
pub fn round(links: &mut Links, (last, skipped): (&mut u64, &mut u64)) -> bool {
    if let Some(large) = &mut links.large {
        large.attend();
    }
    let (update, new) = links.updates.read();
    if !new {
        return false;
    }
    let started = now_ns();
    *skipped += update.step.saturating_sub(*last).saturating_sub(1);
    *last = update.step;
    let mut triangles = 0;
    for body in &mut links.bodies {
        body.show(update, *skipped, &links.state, links.large.as_mut());
        triangles += body.maker.mesh().triangles.len() as u64;
    }
    links.state.triangles.store(triangles, Ordering::Relaxed);
    (links.state.skipped).store(*skipped, Ordering::Relaxed);
    (links.state.round_ns).store(now_ns() - started, Ordering::Relaxed);
    true
}

/// Makes frames at the configured rate until `stop`. At the end the GPU supervisor gets the GPU to
/// drop.
pub fn run(mut links: Links, stop: &AtomicBool) {
    // Below every thread that forces depend on. If the system refuses, only threads on this
    // processor are affected.
    let step = hapticd_sys::realtime::priority::be_nice(NICENESS);
    tracing::debug!("skin thread: {step}");
    let period_ns = links.period.as_nanos() as u64;
    let mut due = now_ns();
    let (mut last, mut skipped) = (0, 0);
    while !stop.load(Ordering::Acquire) {
        links.state.heartbeat.fetch_add(1, Ordering::Relaxed);
        round(&mut links, (&mut last, &mut skipped));
        due += period_ns;
        let now = now_ns();
        if now < due {
            std::thread::sleep(Duration::from_nanos(due - now));
        } else {
            // Lost time is not made up: the next round shows the newest state.
            links.state.late.fetch_add(1, Ordering::Relaxed);
            due = now;
        }
    }
    if let Some(LargeFrames { skins, supervisor }) = links.large {
        // This thread must not drop a GPU that may hang.
        supervisor.end(Some(skins.by));
    }
}

/// Niceness below the other threads.
const NICENESS: i32 = 5;

#[cfg(test)]
mod tests;
