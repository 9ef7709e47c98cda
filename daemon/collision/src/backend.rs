//! Chooses the backends that find contacts of soft bodies and triangles near the tools: a GPU where
//! one is available, the CPU everywhere.
//!
//! A GPU is on probation at first and supervised for its whole life ([`Watched`]). From the step in
//! which it fails, or is late beyond patience, the CPU twin answers, and the loop's force continues
//! undisturbed. A GPU's answers depend on its timing, so virtual time and runs that are to be
//! replayed use the CPU.
//!
//! The mid-phase between rigid meshes and tools is different: a GPU only proposes triangles, the
//! answers are the CPU's to the bit ([`MidPhase`]), and recordings replay on either.
//!
//! The [`gpu_supervisor`] reopens a GPU that was given up: [`supervise`] defines what it makes, and
//! the implementations of [`BackendUser`] how it is taken over.
//!
//! `HAPTICD_GPU=software` replaces the hardware by a driver that computes on the CPU, for tests.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery};
use hapticd_config::{Backend, SkinGpu};
use hapticd_deformable::{DeformableScene, Polygonizer};
use hapticd_geometry::{Pose, Vec3};
use hapticd_rays::{Detector, PATIENCE, Refused, Responder, Settings, Watched};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive};

use crate::collider::Collider;
use crate::gpu_supervisor::{self, BackendUser, GpuUse, Make, Pace, Supervised, UserEnd, Vitals};
use crate::gpu_threads::GpuThreads;
use crate::skin::LargeSkins;

/// Why the requested backend is not available.
#[derive(Debug, thiserror::Error)]
#[error("collision.backend = \"gpu\": {why}")]
pub struct NoBackend {
    why: String,
}

/// Chooses the backend that finds the scene's contacts. `exact`: the run is recorded and must
/// replay identically, which only the CPU guarantees. Returns a text that says what was chosen.
///
/// # Errors
/// If a GPU is required and none is available.
pub fn choose(
    scene: &mut DeformableScene,
    wanted: Backend,
    exact: bool,
) -> Result<String, NoBackend> {
    const WHAT: &str = "contacts of deformables";
    if wanted == Backend::Auto && exact {
        return Ok(format!("{WHAT}: CPU, for an exact replay"));
    }
    let mut chosen = chosen(WHAT, wanted, || install(scene))?;
    if wanted == Backend::Gpu && exact {
        chosen.push_str("; a replay on the CPU may differ in its last digits");
    }
    Ok(chosen)
}

/// Chooses the backend that finds the triangles near the tools. With "auto" a GPU is used only if a
/// tool and a body have enough triangles to pay for it: opening a device takes time and memory. The
/// device gets one of `threads`. Returns a text that says what was chosen.
///
/// # Errors
/// If a GPU is required and none is available.
pub fn choose_midphase(
    collider: &mut Collider,
    wanted: Backend,
    threads: &GpuThreads,
) -> Result<String, NoBackend> {
    const WHAT: &str = "mid-phase";
    let triangles = collider.world().largest_pair();
    if wanted == Backend::Auto && triangles < gpu::MIN_GPU_TRIANGLES {
        return Ok(format!(
            "{WHAT}: CPU (largest tool and body: {triangles} triangles; a GPU pays from {} on)",
            gpu::MIN_GPU_TRIANGLES
        ));
    }
    chosen(WHAT, wanted, || install_midphase(collider, threads))
}

/// Installs a GPU as far as one is wanted. Returns a text that says what was chosen.
fn chosen(
    what: &str,
    wanted: Backend,
    install: impl FnOnce() -> Result<String, String>,
) -> Result<String, NoBackend> {
    if wanted == Backend::Cpu {
        return Ok(format!("{what}: CPU"));
    }
    match install() {
        Ok(name) => Ok(format!("{what}: {name}")),
        Err(why) if wanted == Backend::Gpu => Err(NoBackend { why }),
        Err(why) => Ok(format!("{what}: CPU ({why})")),
    }
}

/// Expected number of triangles from which a GPU makes a skin, if the configuration says "large".
/// The break-even point has not been measured on hardware.
pub const LARGE_SKIN: f64 = 1e6;

/// Chooses the backend for large skins, if it is not the CPU, and returns a text that says what was
/// chosen. The daemon also starts without one: no force depends on it.
pub fn choose_skins(wanted: SkinGpu) -> (Option<LargeSkins>, String) {
    match wanted {
        SkinGpu::Never => (None, "skins: CPU".to_owned()),
        SkinGpu::Large => match gpu::skins() {
            Ok((by, name)) => {
                let line = format!("skins from {LARGE_SKIN} triangles: {name}");
                (Some(LargeSkins::new(by, LARGE_SKIN)), line)
            }
            Err(why) => (None, format!("skins: CPU ({why})")),
        },
    }
}

/// Installs a GPU detector. Returns the adapter's name, or why none is available.
fn install(scene: &mut DeformableScene) -> Result<String, String> {
    let (detector, name) = gpu::detector(*scene.detector_settings())?;
    let watched = Watched::new(detector, PATIENCE);
    scene
        .set_detector(Box::new(watched))
        .map_err(|e| e.to_string())?;
    Ok(name)
}

/// Installs a GPU mid-phase. Returns the adapter's name, or why none is available.
fn install_midphase(collider: &mut Collider, threads: &GpuThreads) -> Result<String, String> {
    let world = collider.world();
    let (midphase, name) = gpu::midphase(threads, |midphase| {
        world.shapes().for_each(|shape| midphase.prepare(shape));
        Ok(())
    })?;
    collider.set_midphase(midphase);
    Ok(name)
}

impl BackendUser for DeformableScene {
    type Backend = dyn Detector;
    type Order = Settings;

    fn vitals(&self) -> Vitals<'_> {
        let detector = self.detector();
        let Some(failures) = detector.incidents() else {
            return Vitals::default();
        };
        let is_lost = detector.charge() == Some(Responder::Twin);
        Vitals {
            given_up: if is_lost { &failures.reason } else { "" },
            answered: failures.recovered,
        }
    }

    fn order(&self) -> Settings {
        *self.detector_settings()
    }

    fn replace(&mut self, new: Box<dyn Detector>) -> Option<Box<dyn Detector>> {
        match self.replace_backend(new) {
            Ok(old) => Some(old),
            Err(Refused { backend, error }) => {
                tracing::warn!("contacts of deformables: {error}");
                Some(backend)
            }
        }
    }
}

impl BackendUser for Collider {
    type Backend = dyn MidPhase;
    /// Shapes of the scene; weak, since an order may be kept long after a body is gone.
    type Order = Vec<Weak<MeshIndex>>;

    fn vitals(&self) -> Vitals<'_> {
        let facts = self.world().midphase().map(MidPhase::facts);
        facts.map_or_else(Vitals::default, |facts| Vitals {
            given_up: &facts.given_up,
            answered: facts.answered,
        })
    }

    fn order(&self) -> Vec<Weak<MeshIndex>> {
        self.world().shapes().map(Arc::downgrade).collect()
    }

    fn replace(&mut self, new: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        self.set_midphase(new)
    }
}

impl BackendUser for LargeSkins {
    type Backend = dyn Polygonizer;
    /// A GPU makes any skin.
    type Order = ();

    fn vitals(&self) -> Vitals<'_> {
        Vitals {
            given_up: self.by.given_up(),
            answered: self.made,
        }
    }

    fn order(&self) {}

    fn replace(&mut self, new: Box<dyn Polygonizer>) -> Option<Box<dyn Polygonizer>> {
        Some(std::mem::replace(&mut self.by, new))
    }
}

/// The GPUs that the GPU supervisor watches, and their users' ends of the links.
#[derive(Default)]
pub struct SupervisedGpus {
    /// Ends for [`gpu_supervisor::run`]; empty if there is no GPU to reopen.
    pub ends: Vec<Box<dyn Supervised>>,
    /// End of the soft bodies' thread.
    pub contacts: Option<UserEnd<DeformableScene>>,
    /// End of the collision thread.
    pub mid_phase: Option<UserEnd<Collider>>,
}

impl SupervisedGpus {
    fn add<O: BackendUser + 'static>(&mut self, of: GpuUse, make: Make<O>) -> UserEnd<O> {
        let (user, end) = gpu_supervisor::pair(of, Pace::DEFAULT, make);
        self.ends.push(Box::new(end));
        user
    }

    /// Adds the GPU that [`choose_skins`] found. Returns the end of the skin thread.
    pub fn add_skins(&mut self) -> UserEnd<LargeSkins> {
        let make: Make<LargeSkins> = Box::new(|(): &()| {
            let (mut by, name) = gpu::skins()?;
            prove_skins(&mut *by)?;
            Ok((by, name))
        });
        self.add(GpuUse::Skins, make)
    }
}

/// Links the GPUs that [`choose`] and [`choose_midphase`] found to the GPU supervisor, which
/// reopens them when they are given up.
pub fn supervise(
    scene: Option<&DeformableScene>,
    collider: &Collider,
    threads: &GpuThreads,
) -> SupervisedGpus {
    let mut gpus = SupervisedGpus::default();
    if scene.is_some_and(|scene| scene.detector().charge().is_some()) {
        let make = |settings: &Settings| gpu::detector(*settings);
        gpus.contacts = Some(gpus.add(GpuUse::Contacts, Box::new(make)));
    }
    if collider.world().midphase().is_some() {
        let threads = threads.clone();
        let make = move |shapes: &Vec<Weak<MeshIndex>>| {
            gpu::midphase(&threads, |midphase| prove(midphase, shapes))
        };
        gpus.mid_phase = Some(gpus.add(GpuUse::MidPhase, Box::new(make)));
    }
    gpus
}

/// Has a small skin made, so that the next thread that asks does not wait for a GPU that never
/// answers. Waits as long as the polygonizer does.
///
/// # Errors
/// The polygonizer's own reason if it makes none.
pub fn prove_skins(by: &mut dyn Polygonizer) -> Result<(), String> {
    let ball = [Primitive::point(Vec3::zeros(), 1.0)];
    let level = 0.5;
    let domain = Domain::around(&ball, level, 0.1).map_err(|error| error.to_string())?;
    let settings = hapticd_skin::Settings {
        domain,
        level,
        ambiguity: Ambiguity::default(),
    };
    by.polygonize(&settings, &ball, &mut Mesh::default())?;
    Ok(())
}

/// Pause between two polls for an answer that was late, on a thread that may wait.
const LATE_ANSWER_POLL: Duration = Duration::from_millis(1);

/// Prepares the shapes and has one query about the largest of them answered. Then the next thread
/// that asks has its answers at once, and does not wait for one that never comes. Waits as long as
/// the mid-phase does until it gives up. Skips shapes that are gone.
///
/// # Errors
/// The mid-phase's own reason if it does not answer.
pub fn prove(midphase: &mut dyn MidPhase, shapes: &[Weak<MeshIndex>]) -> Result<(), String> {
    let shapes: Vec<Arc<MeshIndex>> = shapes.iter().filter_map(Weak::upgrade).collect();
    for shape in &shapes {
        midphase.prepare(shape);
    }
    let triangles = |shape: &&Arc<MeshIndex>| shape.mesh().map_or(0, |mesh| mesh.triangles().len());
    let Some(largest) = shapes.iter().max_by_key(triangles) else {
        return Ok(());
    };
    let late_before = midphase.facts().late;
    loop {
        let before = midphase.facts().clone();
        let ask = MidPhaseQuery {
            a: largest,
            b: largest,
            b_from_a: Pose::identity(),
            reach_m: 0.0,
        };
        midphase.ask(&mut std::iter::once(ask));
        // The number of candidates does not matter, nor whether they fitted.
        let _ = midphase.candidates(0);
        let facts = midphase.facts();
        if !facts.given_up.is_empty() {
            return Err(facts.given_up.clone());
        }
        // A late answer must arrive before the next query is sent.
        let is_outstanding = facts.late > late_before
            && (facts.sent, facts.refused) == (before.sent, before.refused);
        if facts.late == before.late && !is_outstanding {
            return Ok(());
        }
        std::thread::sleep(LATE_ANSWER_POLL);
    }
}

#[cfg(feature = "gpu")]
mod gpu {
    use hapticd_ccd::MidPhase;
    use hapticd_deformable::Polygonizer;
    use hapticd_rays::{Detector, Settings};
    use hapticd_shaders::{
        Choice, Gpu, GpuDetector, GpuMidPhase, GpuSkin, LargeSkins, Limits, Options, Patience,
        RayQueries,
    };

    use crate::gpu_threads::GpuThreads;

    /// Triangles of two meshes from which the GPU is asked.
    pub const MIN_GPU_TRIANGLES: usize = Limits::DEFAULT.triangles;

    /// Opens a GPU. Returns it with its adapter's name.
    fn open(ray_queries: RayQueries) -> Result<(Gpu, String), String> {
        let choice = Choice::from_env().map_err(|e| e.to_string())?;
        let options = Options {
            ray_queries,
            ..choice.unwrap_or(Choice::Hardware).into()
        };
        let gpu = Gpu::open(options).map_err(|e| e.to_string())?;
        let name = gpu.adapter().name.clone();
        Ok((gpu, name))
    }

    /// Makes the mid-phase and returns it with the adapter's name, or why none is available.
    /// `ready` runs on this thread, which may wait for the driver, before the device gets its own
    /// thread.
    pub fn midphase(
        threads: &GpuThreads,
        ready: impl FnOnce(&mut dyn MidPhase) -> Result<(), String>,
    ) -> Result<(Box<dyn MidPhase>, String), String> {
        let (gpu, name) = open(RayQueries::Off)?;
        let mut midphase = GpuMidPhase::new(gpu, Limits::DEFAULT).map_err(|e| e.to_string())?;
        ready(&mut midphase)?;
        let (asking, device) = midphase.beside();
        threads.start(|| device.serve())?;
        Ok((Box::new(asking), name))
    }

    /// Number of polls for a skin, a millisecond each at most: a frame that takes half a second is
    /// not worth waiting for.
    const LOOKS: u32 = 500;

    /// Makes the polygonizer for large skins and returns it with the adapter's name, or why none is
    /// available.
    pub fn skins() -> Result<(Box<dyn Polygonizer>, String), String> {
        let (gpu, name) = open(RayQueries::Off)?;
        let skin = GpuSkin::new(gpu, Patience::Looks(LOOKS)).map_err(|e| e.to_string())?;
        Ok((Box::new(LargeSkins::new(skin)), name))
    }

    /// Makes the contact detector and returns it with the adapter's name, or why none is available.
    pub fn detector(settings: Settings) -> Result<(Box<dyn Detector>, String), String> {
        let (gpu, mut name) = open(RayQueries::from_env().map_err(|e| e.to_string())?)?;
        if gpu.ray_queries() {
            name.push_str(", by ray queries");
        }
        let detector = GpuDetector::new(gpu, settings).map_err(|e| e.to_string())?;
        Ok((Box::new(detector), name))
    }
}

#[cfg(not(feature = "gpu"))]
mod gpu {
    use hapticd_ccd::MidPhase;
    use hapticd_deformable::Polygonizer;
    use hapticd_rays::{Detector, Settings};

    use crate::gpu_threads::GpuThreads;

    pub const MIN_GPU_TRIANGLES: usize = 1;
    const WITHOUT: &str = "this hapticd was built without the feature `gpu`";

    pub fn detector(_: Settings) -> Result<(Box<dyn Detector>, String), String> {
        Err(WITHOUT.to_owned())
    }

    pub fn skins() -> Result<(Box<dyn Polygonizer>, String), String> {
        Err(WITHOUT.to_owned())
    }

    pub fn midphase(
        _: &GpuThreads,
        _: impl FnOnce(&mut dyn MidPhase) -> Result<(), String>,
    ) -> Result<(Box<dyn MidPhase>, String), String> {
        Err(WITHOUT.to_owned())
    }
}
