//! Soft bodies, cloth, crowds and implicit bodies of a session, once the rigid scene is complete.

use hapticd_config as config;
use hapticd_deformable::{Continuous, DeformableScene, DeformableSettings, RegisteredSpheres};
use hapticd_geometry::Vec3;

use super::bodies::Bodies;
use super::faults::soft_fault;
use super::{Fault, Inputs, broad_phase};

/// Maximum number of attempts at a step of the soft bodies in which surfaces met.
const STEP_ATTEMPTS: u32 = 8;

/// Builds the deformable scene beside a complete rigid scene, which its rays are traced against;
/// `None` without deformable bodies.
pub(super) fn build(
    inputs: &Inputs<'_>,
    bodies: &Bodies,
) -> Result<Option<DeformableScene>, Box<Fault>> {
    if bodies.deformables.is_empty() && bodies.implicit.is_empty() {
        return Ok(None);
    }
    let config = inputs.config;
    let mut scene = DeformableScene::new(
        soft_settings(config, inputs.period_s()),
        &bodies.deformables,
        &bodies.implicit,
        &bodies.world,
    )
    .map_err(|error| Box::new(soft_fault(config, error)))?;
    scene.set_continuous(continuous(config.deformable.continuous));
    if config.deformable.neighbours == config::Neighbours::Registration {
        scene.set_neighbour_search(Some(Box::new(RegisteredSpheres::new())));
    }
    scene.settle();
    Ok(Some(scene))
}

fn soft_settings(config: &config::Config, period_s: f64) -> DeformableSettings {
    DeformableSettings {
        step_ticks: u64::from(config.deformable.step_ticks.max(1)),
        substeps: config.deformable.substeps.max(1),
        gravity_m_s2: match &config.dynamics.order {
            config::Order::Second { gravity_m_s2 } => Vec3::from(*gravity_m_s2),
            config::Order::First { .. } => Vec3::zeros(),
        },
        period_s,
        broad_phase: broad_phase(config.collision.broad_phase),
    }
}

fn continuous(choice: config::Continuous) -> Continuous {
    match choice {
        config::Continuous::Off => Continuous::Off,
        config::Continuous::Count => Continuous::Count,
        config::Continuous::Hold => Continuous::Hold {
            attempts: STEP_ATTEMPTS,
        },
    }
}
