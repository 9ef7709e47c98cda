//! What finds the contacts of soft bodies, and what is near the tools: a GPU where there is one, the CPU everywhere.
//!
//! A GPU is on trial at first and watched over ever after ([`Watched`](hapticd_rays::Watched)): from the step in which it fails, or is late beyond patience, the CPU twin answers,
//! and the loop's force goes on as if nothing had been. A GPU's answers depend on its timing, so virtual time and what is to be replayed are the CPU's.
//!
//! Which triangles of rigid meshes are near a tool is another matter: a GPU only proposes them, the answers are the CPU's to the bit
//! ([`MidPhase`](hapticd_ccd::MidPhase)), and recordings replay on either.
//!
//! `HAPTICD_GPU=software` stands a driver that computes on the CPU in for the hardware, for tests.

use hapticd_config::Backend;
use hapticd_world::SoftScene;

use crate::collision::Collider;

/// Why the backend that was asked for cannot be had.
#[derive(Debug, thiserror::Error)]
#[error("collision.backend = \"gpu\": {why}")]
pub struct NoBackend {
    why: String,
}

/// Makes the scene's contacts come from where they are wanted from. `exact`: what is recorded must come out the same when it is replayed, which only the
/// CPU's does. Says in words what was chosen.
///
/// # Errors
/// If nothing but a GPU will do and there is none.
pub fn choose(scene: &mut SoftScene, wanted: Backend, exact: bool) -> Result<String, NoBackend> {
    match wanted {
        Backend::Cpu => Ok("contacts of soft bodies: CPU".to_owned()),
        Backend::Auto if exact => {
            Ok("contacts of soft bodies: CPU, since they are recorded".to_owned())
        }
        Backend::Auto => Ok(gpu::install(scene).map_or_else(
            |why| format!("contacts of soft bodies: CPU ({why})"),
            |name| format!("contacts of soft bodies: {name}"),
        )),
        Backend::Gpu => {
            let name = gpu::install(scene).map_err(|why| NoBackend { why })?;
            let but = if exact {
                "; a replay on the CPU may differ in its last digits"
            } else {
                ""
            };
            Ok(format!("contacts of soft bodies: {name}{but}"))
        }
    }
}

/// Has a GPU look for the triangles near the tools. With "auto" only where a tool and a body have so many of them that it pays: opening a device
/// takes time and memory. Says in words what was chosen.
///
/// # Errors
/// If nothing but a GPU will do and there is none.
pub fn choose_near(collider: &mut Collider, wanted: Backend) -> Result<String, NoBackend> {
    let triangles = collider.world().largest_pair();
    match wanted {
        Backend::Cpu => Ok("what is near the tools: CPU".to_owned()),
        Backend::Auto if triangles < gpu::WORTH => Ok(format!(
            "what is near the tools: CPU ({triangles} triangles at most, a GPU pays from {} on)",
            gpu::WORTH
        )),
        Backend::Auto => Ok(gpu::install_near(collider).map_or_else(
            |why| format!("what is near the tools: CPU ({why})"),
            |name| format!("what is near the tools: {name}"),
        )),
        Backend::Gpu => {
            let name = gpu::install_near(collider).map_err(|why| NoBackend { why })?;
            Ok(format!("what is near the tools: {name}"))
        }
    }
}

#[cfg(feature = "gpu")]
mod gpu {
    use hapticd_rays::{PATIENCE, Watched};
    use hapticd_shaders::{Choice, Gpu, GpuDetector, GpuMidPhase, Limits, Options, RayQueries};
    use hapticd_world::SoftScene;

    use crate::collision::Collider;

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

    /// The adapter's name, or why there is none.
    pub fn install_near(collider: &mut Collider) -> Result<String, String> {
        let gpu = open(RayQueries::Off)?;
        let name = gpu.adapter().name.clone();
        let midphase = GpuMidPhase::new(gpu, Limits::DEFAULT).map_err(|e| e.to_string())?;
        collider.set_midphase(Box::new(midphase));
        Ok(name)
    }

    /// The adapter's name, or why there is none.
    pub fn install(scene: &mut SoftScene) -> Result<String, String> {
        let gpu = open(RayQueries::from_env().map_err(|e| e.to_string())?)?;
        let mut name = gpu.adapter().name.clone();
        if gpu.ray_queries() {
            name.push_str(", by ray queries");
        }
        let settings = *scene.detector_settings();
        let detector = GpuDetector::new(gpu, settings).map_err(|e| e.to_string())?;
        let watched = Watched::new(Box::new(detector), PATIENCE);
        scene
            .set_detector(Box::new(watched))
            .map_err(|e| e.to_string())?;
        Ok(name)
    }
}

#[cfg(not(feature = "gpu"))]
mod gpu {
    use hapticd_world::SoftScene;

    use crate::collision::Collider;

    pub const WORTH: usize = 1;
    const WITHOUT: &str = "this hapticd was built without the feature `gpu`";

    pub fn install(_: &mut SoftScene) -> Result<String, String> {
        Err(WITHOUT.to_owned())
    }

    pub fn install_near(_: &mut Collider) -> Result<String, String> {
        Err(WITHOUT.to_owned())
    }
}
