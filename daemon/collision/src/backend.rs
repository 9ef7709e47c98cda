//! What finds the contacts of soft bodies, and what is near the tools: a GPU where there is one,
//! the CPU everywhere.
//!
//! A GPU is on trial at first and watched over ever after ([`Watched`]): from the step in which it
//! fails, or is late beyond patience, the CPU twin answers, and the loop's force goes on as if
//! nothing had been. A GPU's answers depend on its timing, so virtual time and what is to be
//! replayed are the CPU's.
//!
//! Which triangles of rigid meshes are near a tool is another matter: a GPU only proposes them, the
//! answers are the CPU's to the bit ([`MidPhase`]), and recordings replay on either.
//!
//! A GPU that was given up is asked again by the [`gpu_supervisor`]: [`keep`] says what it is to
//! make, and how the scenes take it over.
//!
//! `HAPTICD_GPU=software` stands a driver that computes on the CPU in for the hardware, for tests.

use std::sync::{Arc, Weak};
use std::time::Duration;

use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery};
use hapticd_config::{Backend, SkinGpu};
use hapticd_deformable::SoftScene;
use hapticd_geometry::Pose;
use hapticd_rays::{Detector, PATIENCE, Refused, Responder, Settings, Watched};

use crate::collider::Collider;
use crate::gpu_supervisor::{self, BackendState, BackendUser, Pace, Supervised, UserEnd};
use crate::gpu_threads::GpuThreads;
use crate::skin::LargeSkins;

/// Why the backend that was asked for cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("collision.backend = \"gpu\": {why}")]
pub struct NoBackend {
    why: String,
}

/// Makes the scene's contacts come from where they are wanted from. `exact`: what is recorded must
/// come out the same when it is replayed, which only the CPU's does. Says in words what was chosen.
///
/// # Errors
/// If nothing but a GPU will do and there is none.
pub fn choose(scene: &mut SoftScene, wanted: Backend, exact: bool) -> Result<String, NoBackend> {
    match wanted {
        Backend::Cpu => Ok("contacts of soft bodies: CPU".to_owned()),
        Backend::Auto if exact => {
            Ok("contacts of soft bodies: CPU, since they are recorded".to_owned())
        }
        Backend::Auto => Ok(install(scene).map_or_else(
            |why| format!("contacts of soft bodies: CPU ({why})"),
            |name| format!("contacts of soft bodies: {name}"),
        )),
        Backend::Gpu => {
            let name = install(scene).map_err(|why| NoBackend { why })?;
            let but = if exact {
                "; a replay on the CPU may differ in its last digits"
            } else {
                ""
            };
            Ok(format!("contacts of soft bodies: {name}{but}"))
        }
    }
}

/// Has a GPU look for the triangles near the tools. With "auto" only where a tool and a body have
/// so many of them that it pays: opening a device takes time and memory. The device gets one of
/// these threads. Says in words what was chosen.
///
/// # Errors
/// If nothing but a GPU will do and there is none.
pub fn choose_near(
    collider: &mut Collider,
    wanted: Backend,
    threads: &GpuThreads,
) -> Result<String, NoBackend> {
    let triangles = collider.world().largest_pair();
    match wanted {
        Backend::Cpu => Ok("what is near the tools: CPU".to_owned()),
        Backend::Auto if triangles < gpu::WORTH => Ok(format!(
            "what is near the tools: CPU ({triangles} triangles at most, a GPU pays from {} on)",
            gpu::WORTH
        )),
        Backend::Auto => Ok(install_near(collider, threads).map_or_else(
            |why| format!("what is near the tools: CPU ({why})"),
            |name| format!("what is near the tools: {name}"),
        )),
        Backend::Gpu => {
            let name = install_near(collider, threads).map_err(|why| NoBackend { why })?;
            Ok(format!("what is near the tools: {name}"))
        }
    }
}

/// Triangles from which on a skin is a GPU's, as many as are expected: what the configuration says
/// of it. Where it pays has not been measured on hardware.
pub const LARGE_SKIN: f64 = 1e6;

/// Who makes large skins, if that is not the CPU; and in words what was chosen. A daemon starts
/// without: nothing that is felt depends on it.
pub fn choose_skins(wanted: SkinGpu) -> (Option<LargeSkins>, String) {
    match wanted {
        SkinGpu::Never => (None, "skins: CPU".to_owned()),
        SkinGpu::Large => match gpu::skins() {
            Ok((by, name)) => {
                let triangles = LARGE_SKIN;
                let line = format!("skins from {triangles} triangles on: {name}");
                (Some(LargeSkins { by, triangles }), line)
            }
            Err(why) => (None, format!("skins: CPU ({why})")),
        },
    }
}

/// The adapter's name, or why there is none.
fn install(scene: &mut SoftScene) -> Result<String, String> {
    let (detector, name) = gpu::detector(*scene.detector_settings())?;
    let watched = Watched::new(detector, PATIENCE);
    scene
        .set_detector(Box::new(watched))
        .map_err(|e| e.to_string())?;
    Ok(name)
}

/// The adapter's name, or why there is none.
fn install_near(collider: &mut Collider, threads: &GpuThreads) -> Result<String, String> {
    let world = collider.world();
    let (midphase, name) = gpu::midphase(threads, |midphase| {
        world.shapes().for_each(|shape| midphase.prepare(shape));
        Ok(())
    })?;
    collider.set_midphase(midphase);
    Ok(name)
}

impl BackendUser for SoftScene {
    type Backend = dyn Detector;
    type Order = Settings;

    fn standing(&self) -> BackendState {
        match self.detector().charge() {
            None | Some(Responder::Backend) => BackendState::Active,
            Some(Responder::Trial) => BackendState::Probation,
            Some(Responder::Twin) => BackendState::Lost,
        }
    }

    fn why(&self) -> String {
        let incidents = self.detector().incidents();
        incidents.map_or_else(String::new, |incidents| incidents.reason.clone())
    }

    fn order(&self) -> Settings {
        *self.detector_settings()
    }

    fn replace(&mut self, new: Box<dyn Detector>) -> Option<Box<dyn Detector>> {
        match self.replace_backend(new) {
            Ok(old) => Some(old),
            Err(Refused { backend, error }) => {
                tracing::warn!("contacts of soft bodies: {error}");
                Some(backend)
            }
        }
    }
}

impl BackendUser for Collider {
    type Backend = dyn MidPhase;
    /// The shapes of the scene; weak, since an order may be kept for long after a body is gone.
    type Order = Vec<Weak<MeshIndex>>;

    fn standing(&self) -> BackendState {
        self.near_standing()
    }

    fn why(&self) -> String {
        let midphase = self.world().midphase();
        midphase.map_or_else(String::new, |midphase| midphase.facts().given_up.clone())
    }

    fn order(&self) -> Vec<Weak<MeshIndex>> {
        self.world().shapes().map(Arc::downgrade).collect()
    }

    fn replace(&mut self, new: Box<dyn MidPhase>) -> Option<Box<dyn MidPhase>> {
        self.set_midphase(new)
    }
}

/// What the GPU supervisor watches, and the scenes' ends of it.
#[derive(Default)]
pub struct Keep {
    /// For [`gpu_supervisor::run`]; empty: there is no GPU to be asked again.
    pub ends: Vec<Box<dyn Supervised>>,
    /// Of the soft bodies' thread.
    pub soft: Option<UserEnd<SoftScene>>,
    /// Of the collision thread.
    pub near: Option<UserEnd<Collider>>,
}

/// What is to be asked again when it is given up: the GPUs that [`choose`] and [`choose_near`]
/// found.
pub fn keep(scene: Option<&SoftScene>, collider: &Collider, threads: &GpuThreads) -> Keep {
    let mut keep = Keep::default();
    if scene.is_some_and(|scene| scene.detector().charge().is_some()) {
        let make = Box::new(|settings: &Settings| gpu::detector(*settings));
        let (soft, end) = gpu_supervisor::pair("contacts of soft bodies", Pace::DEFAULT, make);
        keep.soft = Some(soft);
        keep.ends.push(Box::new(end));
    }
    if collider.world().midphase().is_some() {
        let threads = threads.clone();
        let make = Box::new(move |shapes: &Vec<Weak<MeshIndex>>| {
            gpu::midphase(&threads, |midphase| prove(midphase, shapes))
        });
        let (near, end) = gpu_supervisor::pair("what is near the tools", Pace::DEFAULT, make);
        keep.near = Some(near);
        keep.ends.push(Box::new(end));
    }
    keep
}

/// Pause between two looks for an answer that was late, on a thread that may wait.
const OWED_NAP: Duration = Duration::from_millis(1);

/// Gets shapes ready and has a question about the largest of them answered: the thread that asks
/// next has its answers at once, and does not wait for one that never comes. Waits as long as the
/// mid-phase does until it gives up. Shapes that are gone are left out.
///
/// # Errors
/// If it does not answer, with its own words.
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
        // How many there are is of no interest, nor whether there was room for them.
        let _ = midphase.candidates(0);
        let facts = midphase.facts();
        if !facts.given_up.is_empty() {
            return Err(facts.given_up.clone());
        }
        // One that was late must come before the next question is sent.
        let is_owed = facts.late > late_before
            && (facts.sent, facts.refused) == (before.sent, before.refused);
        if facts.late == before.late && !is_owed {
            return Ok(());
        }
        std::thread::sleep(OWED_NAP);
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

    /// Triangles of two meshes from which on it is asked.
    pub const WORTH: usize = Limits::DEFAULT.triangles;

    fn open(ray_queries: RayQueries) -> Result<Gpu, String> {
        let choice = Choice::from_env().map_err(|e| e.to_string())?;
        let options = Options {
            ray_queries,
            ..choice.unwrap_or(Choice::Hardware).into()
        };
        Gpu::open(options).map_err(|e| e.to_string())
    }

    /// What looks for what is near, and the adapter's name; or why there is none. It is made
    /// `ready` on this thread, which may wait for the driver, before its device gets its own.
    pub fn midphase(
        threads: &GpuThreads,
        ready: impl FnOnce(&mut dyn MidPhase) -> Result<(), String>,
    ) -> Result<(Box<dyn MidPhase>, String), String> {
        let gpu = open(RayQueries::Off)?;
        let name = gpu.adapter().name.clone();
        let mut midphase = GpuMidPhase::new(gpu, Limits::DEFAULT).map_err(|e| e.to_string())?;
        ready(&mut midphase)?;
        let (asking, device) = midphase.beside();
        threads.start(|| device.serve())?;
        Ok((Box::new(asking), name))
    }

    /// Looks at a skin, a millisecond each at most: a frame that takes half a second is none to
    /// wait for.
    const LOOKS: u32 = 500;

    /// Who makes large skins, and the adapter's name; or why there is none.
    pub fn skins() -> Result<(Box<dyn Polygonizer>, String), String> {
        let gpu = open(RayQueries::Off)?;
        let name = gpu.adapter().name.clone();
        let skin = GpuSkin::new(gpu, Patience::Looks(LOOKS)).map_err(|e| e.to_string())?;
        Ok((Box::new(LargeSkins::new(skin)), name))
    }

    /// What finds contacts, and the adapter's name; or why there is none.
    pub fn detector(settings: Settings) -> Result<(Box<dyn Detector>, String), String> {
        let gpu = open(RayQueries::from_env().map_err(|e| e.to_string())?)?;
        let mut name = gpu.adapter().name.clone();
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

    pub const WORTH: usize = 1;
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
