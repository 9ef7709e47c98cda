//! What finds the contacts of soft bodies: a GPU where there is one, the CPU twin everywhere.
//!
//! A GPU is on trial at first and watched over ever after ([`Watched`](hapticd_rays::Watched)): from the step in which it fails, or is late beyond patience, the CPU twin answers,
//! and the loop's force goes on as if nothing had been. A GPU's answers depend on its timing, so virtual time and what is to be replayed are the CPU's.
//!
//! `HAPTICD_GPU=software` stands a driver that computes on the CPU in for the hardware, for tests.

use hapticd_config::Backend;
use hapticd_world::SoftScene;

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

#[cfg(feature = "gpu")]
mod gpu {
    use hapticd_rays::{PATIENCE, Watched};
    use hapticd_shaders::{Choice, Gpu, GpuDetector, Options, RayQueries};
    use hapticd_world::SoftScene;

    /// The adapter's name, or why there is none.
    pub fn install(scene: &mut SoftScene) -> Result<String, String> {
        let choice = Choice::from_env().map_err(|e| e.to_string())?;
        let gpu = Gpu::open(Options {
            ray_queries: RayQueries::from_env().map_err(|e| e.to_string())?,
            ..choice.unwrap_or(Choice::Hardware).into()
        })
        .map_err(|e| e.to_string())?;
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

    pub fn install(_: &mut SoftScene) -> Result<String, String> {
        Err("this hapticd was built without the feature `gpu`".to_owned())
    }
}
