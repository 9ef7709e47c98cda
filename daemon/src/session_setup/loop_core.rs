//! Core of the haptic loop: its arms, and the engine in space or in the plane.

use hapticd_devices::safety::Limits;
use hapticd_loop::core::{LoopArm, LoopCore};
use hapticd_planar::{PlanarEngine, PlanarScene};
use hapticd_proxy::{ArmSetup, Distances, MAX_ARMS};

use super::arms::BuiltArms;
use super::faults::{limits_fault, shape_fault};
use super::gains::gains;
use super::{Fault, Inputs};
use hapticd_scene_setup::{self as scene_setup, SceneError};

/// Assumed time from a query to the use of its answer in real time, s. It sizes the reach of
/// queries.
const REAL_LAG_S: f64 = 0.003;

/// Arms of the loop by index.
pub(super) type LoopArms = [Option<LoopArm>; MAX_ARMS];

/// Sets up the arms as the loop needs them.
pub(super) fn loop_arms(
    inputs: &Inputs<'_>,
    built: &BuiltArms,
    distances: Distances,
    limits: Limits,
) -> LoopArms {
    let config = inputs.config;
    let mut loop_arms = [const { None }; MAX_ARMS];
    for (i, (arm, tool)) in built.arms.iter().zip(&built.tools).enumerate() {
        loop_arms[i] = Some(LoopArm {
            frame: arm.frame,
            setup: ArmSetup {
                shape: tool.tool,
                distances,
                // The supervisor replaces these by gains from measured timing.
                gains: gains(
                    &arm.spec,
                    &arm.coupling,
                    inputs.period_s(),
                    arm.answer_delay_ns as f64 * 1e-9,
                ),
                pair_budget: config.haptic_loop.tick_budget_pairs as usize,
                damping: arm.damping,
                interaction: arm.interaction,
                reach_max_m: config.collision.reach_max_m,
                reach_min_m: (20.0 * distances.safe_m).min(config.collision.reach_max_m),
            },
            spec: arm.spec.clone(),
            answer_delay_ns: arm.answer_delay_ns,
            limits,
            grasp_button: arm.grasp_button,
            clutch_button: arm.clutch_button,
        });
    }
    loop_arms
}

/// Builds the loop of a scene in space. It needs no bodies: those come with snapshots.
pub(super) fn spatial(inputs: &Inputs<'_>, loop_arms: LoopArms) -> Result<LoopCore, Box<Fault>> {
    let lag_s = if inputs.virtual_time {
        let latency_ticks = inputs.config.collision.virtual_latency_ticks;
        (f64::from(latency_ticks) + 1.0) * inputs.period_s()
    } else {
        REAL_LAG_S
    };
    LoopCore::new(loop_arms, inputs.period_ns, lag_s).map_err(|error| Box::new(limits_fault(error)))
}

/// Builds the loop of a planar scene whose bodies are complete.
pub(super) fn planar(
    inputs: &Inputs<'_>,
    mut scene: PlanarScene,
    loop_arms: LoopArms,
) -> Result<LoopCore, Box<Fault>> {
    let config = inputs.config;
    for (arm, tool) in config.arms.iter().zip(&mut scene.tools) {
        let outline = scene_setup::tool_outline(arm);
        let outline = outline
            .map_err(|error| shape_fault(&format!("arm.{}.tool", arm.name), &arm.tool, error))?;
        *tool = Some(outline);
    }
    let setups = std::array::from_fn(|i| loop_arms[i].as_ref().map(|setup| setup.setup));
    let engine = PlanarEngine::new(&setups, &scene).map_err(|error| {
        Box::new(Fault {
            key: config.bodies.first().map_or("arm".to_owned(), |body| {
                format!("body.{}.shape.kind", body.name)
            }),
            file: None,
            error: SceneError::Planar(error.into()).into(),
        })
    })?;
    LoopCore::planar(loop_arms, inputs.period_ns, engine)
        .map_err(|error| Box::new(limits_fault(error)))
}
