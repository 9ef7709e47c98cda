//! From the configuration's sections to the scenes that these threads drive. `sim` does not know
//! the configuration, so the sections that are a scene's as a whole are converted here:
//! `[collision]`, `[dynamics]` and `[deformable]`. Start-up only.

use hapticd_config::{self as config, Config};
use hapticd_deformable::{
    Continuous, DeformableAddError, DeformableScene, DeformableSettings, DeformableSpec,
    ImplicitSpec, RegisteredSpheres,
};
use hapticd_geometry::Vec3;
use hapticd_scene::{Order, Scene};

/// Maximum number of attempts at a step of the deformables in which surfaces met.
const STEP_ATTEMPTS: u32 = 8;

/// Returns a rigid scene without bodies and tools, as configured. `clearance_m`: distance at which
/// contacts are held, m.
pub fn scene(config: &Config, clearance_m: f64) -> Scene {
    let mut scene = Scene::new(clearance_m, config.collision.pairs as usize);
    scene.set_order(order(&config.dynamics));
    scene.set_broad_phase(config.collision.broad_phase);
    scene
}

/// Builds the scene of these deformables beside a complete rigid scene, which its rays are traced
/// against, and lets fluids come to rest. `period_s`: period of the loop, s.
///
/// # Errors
/// A body that the simulation refuses.
pub fn deformable_scene(
    config: &Config,
    period_s: f64,
    (bodies, implicit): (&[DeformableSpec], &[ImplicitSpec]),
    rigid: &Scene,
) -> Result<DeformableScene, DeformableAddError> {
    let keys = &config.deformable;
    let settings = DeformableSettings {
        step_ticks: u64::from(keys.step_ticks.max(1)),
        substeps: keys.substeps.max(1),
        gravity_m_s2: order(&config.dynamics).gravity_m_s2(),
        period_s,
        broad_phase: config.collision.broad_phase,
    };
    let mut scene = DeformableScene::new(settings, bodies, implicit, rigid)?;
    scene.set_continuous(continuous(keys.continuous));
    if keys.neighbours == config::Neighbours::Registration {
        scene.set_neighbour_search(Some(Box::new(RegisteredSpheres::new())));
    }
    scene.settle();
    Ok(scene)
}

fn order(keys: &config::Dynamics) -> Order {
    match keys.order {
        config::Order::Second { gravity_m_s2 } => Order::Second {
            gravity_m_s2: Vec3::from(gravity_m_s2),
        },
        config::Order::First { drag_per_s } => Order::First { drag_per_s },
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
