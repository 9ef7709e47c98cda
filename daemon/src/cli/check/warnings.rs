//! Warnings of `hapticd check`: valid values that are hardly ever intended.
//!
//! A warning does not keep a configuration from running. `check` lists it and still exits with 0,
//! unless `--strict` is given.

use std::fmt;
use std::path::Path;

use hapticd_config as config;
use hapticd_geometry::Vec3;
use hapticd_geometry::smooth::MAX_LIFT_M;
use hapticd_proxy::Gains;

use crate::session_setup::gains::{CouplingKeys, gains};
use crate::session_setup::{SessionArm, SessionSetup, Source};

/// Length of a tool, m, from which on it was probably modelled in another unit.
const TOOL_MAX_M: f64 = 1.0;
/// Width of a workspace in the world, m, from which on it is probably scaled by mistake.
const WORKSPACE_MAX_M: f64 = 10.0;

/// Size of a body, in widths of the widest workspace, from which on it was probably modelled in
/// another unit: millimetres that are taken for metres are a thousand times too large.
const BODY_MAX_WORKSPACES: f64 = 50.0;

/// The kernel's folder of processors.
const PROCESSORS: &str = "/sys/devices/system/cpu";

/// A warning.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// Key that causes it, as the configuration's entries write it: `arm.right.tool.file`.
    pub key: String,
    /// Consequence, with numbers, and remedy.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// Returns all warnings: arm by arm, then those of the scene.
pub fn warnings(setup: &SessionSetup, config: &config::Config) -> Vec<Warning> {
    let mut found = Vec::new();
    for (arm, written) in setup.arms.iter().zip(&config.arms) {
        found.extend(tool(arm, &written.tool));
        found.extend(workspace(arm));
        found.extend(motors(arm));
        let stale_input_ms = config.safety.stale_input_ms;
        found.extend(without_force(arm, setup.period_ns, stale_input_ms));
    }
    found.extend(late_answers(config, setup.period_ns));
    found.extend(affinity(
        config.haptic_loop.cpu_affinity,
        Path::new(PROCESSORS),
    ));
    found.extend(bodies(setup, config));
    found.extend(coarse(setup, config));
    found
}

/// Returns the edges of the box around the tool, m.
pub(super) fn tool_size_m(arm: &SessionArm) -> Vec3 {
    let Some(mesh) = &arm.tool_mesh else {
        return Vec3::repeat(2.0 * arm.tool_radius_m);
    };
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in mesh.positions() {
        (low, high) = (low.inf(point), high.sup(point));
    }
    // A mesh tool also has the radius around it.
    (high - low + Vec3::repeat(2.0 * arm.tool_radius_m)).sup(&Vec3::zeros())
}

/// Returns the edges of an arm's workspace in the world, along the arm's own axes, m.
pub(super) fn workspace_size_m(arm: &SessionArm) -> Vec3 {
    2.0 * arm.frame.scale * arm.spec.workspace.half_extents
}

fn tool(arm: &SessionArm, shape: &config::Shape) -> Option<Warning> {
    let longest = tool_size_m(arm).max();
    let (name, help) = unit_of(shape);
    (longest > TOOL_MAX_M).then(|| Warning {
        key: format!("arm.{}.tool.{name}", arm.name),
        message: format!("the tool is {longest:.3} m long: {help}"),
    })
}

fn workspace(arm: &SessionArm) -> Option<Warning> {
    let widest = workspace_size_m(arm).max();
    (widest > WORKSPACE_MAX_M).then(|| Warning {
        key: format!("arm.{}.motion_scale", arm.name),
        message: format!(
            "the workspace is {widest:.1} m wide in the world: {:.3} m of the device times {}",
            widest / arm.frame.scale,
            arm.frame.scale
        ),
    })
}

/// Warns of bodies that are huge compared to every workspace.
fn bodies(setup: &SessionSetup, config: &config::Config) -> Vec<Warning> {
    let workspaces = setup.arms.iter().map(|arm| workspace_size_m(arm).max());
    let widest = workspaces.fold(0.0, f64::max);
    let bodies = config.bodies.iter().filter_map(|body| {
        let of = format!("body `{}`", body.name);
        let (_, report) = setup.meshes.iter().find(|(name, _)| *name == of)?;
        let (low, high) = report.bounds;
        let longest = (high - low).max();
        (longest > BODY_MAX_WORKSPACES * widest).then(|| {
            let (key, help) = unit_of(&body.shape);
            Warning {
                key: format!("body.{}.shape.{key}", body.name),
                message: format!(
                    "the body is {longest:.3} m long, {:.0} times the widest workspace \
                     ({widest:.3} m): {help}",
                    longest / widest
                ),
            }
        })
    });
    bodies.collect()
}

/// Warns of round bodies that are rendered as facets to a ball, because their triangles are too far
/// from the round surface.
fn coarse(setup: &SessionSetup, config: &config::Config) -> Vec<Warning> {
    use config::Shape;
    if setup.arms.iter().all(|arm| arm.tool_mesh.is_some()) {
        return Vec::new();
    }
    let world = setup.collider.world();
    let specs = world.infos().filter_map(|info| world.spec(info.id));
    let faceted = specs.filter(|spec| {
        let is_driven = spec.kind != hapticd_scene::BodyKind::Dynamic;
        is_driven && spec.material.force_shading && !spec.shape.is_shaded()
    });
    let warned = faceted.filter_map(|spec| {
        let body = config.bodies.iter().find(|body| body.name == spec.name)?;
        let key = match body.shape {
            Shape::Icosphere { .. } => "subdivisions",
            Shape::Cylinder { .. } => "segments",
            Shape::Torus { .. } => "major_segments",
            Shape::Terrain { amplitude_m, .. } if amplitude_m > 0.0 => "cells",
            _ => return None,
        };
        Some(Warning {
            key: format!("body.{}.shape.{key}", body.name),
            message: format!(
                "the body feels faceted, not round: its triangles are over {} mm off the true \
                 surface, or meet at 30 degrees or more: increase {}",
                MAX_LIFT_M * 1e3,
                match key {
                    "major_segments" => "major_segments and minor_segments",
                    other => other,
                }
            ),
        })
    });
    warned.collect()
}

/// Returns the key that sets the size of a shape, and a hint.
fn unit_of(shape: &config::Shape) -> (&'static str, &'static str) {
    match shape {
        config::Shape::Mesh { .. } => ("scale", "a mesh in millimetres needs scale = 0.001"),
        _ => ("kind", "sizes are in metres"),
    }
}

fn motors(arm: &SessionArm) -> Option<Warning> {
    let (measured, driven) = (arm.spec.degrees_in, arm.spec.degrees_out);
    (driven < measured).then(|| Warning {
        key: format!("arm.{}.profile", arm.name),
        message: if driven == 0 {
            format!("{measured} axes are measured and none has a motor: nothing is felt")
        } else {
            format!(
                "{driven} of {measured} measured axes have a motor: contact is not felt along the others"
            )
        },
    })
}

/// Warns of settings that cost an arm its force, or give it more than it carries. `run` reports
/// these as well.
pub fn without_force(arm: &SessionArm, period_ns: u64, stale_input_ms: f64) -> Vec<Warning> {
    let found = [forced, beyond_passive, without_stiffness].map(|warning| warning(arm, period_ns));
    let stale = reports(arm, stale_input_ms);
    stale
        .into_iter()
        .chain(found.into_iter().flatten())
        .collect()
}

/// Warns of answers that are too late in virtual time, so that no contact is ever certain. `run`
/// reports this as well in virtual time. Planar scenes wait for no answer.
pub fn late_answers(config: &config::Config, period_ns: u64) -> Option<Warning> {
    let ticks = config.collision.virtual_latency_ticks;
    let period_ms = period_ns as f64 * 1e-6;
    // The answer to a tick's query is computed after the tick, and used this many ticks later.
    let age_ms = (f64::from(ticks) + 1.0) * period_ms;
    let limit_ms = config.safety.stale_contact_ms;
    let is_late = age_ms > limit_ms && !hapticd_scene_setup::planar::has_plane(config);
    is_late.then(|| Warning {
        key: "collision.virtual_latency_ticks".to_owned(),
        message: format!(
            "in virtual time an answer is {} ticks ({age_ms} ms) old when used, but force fades \
             beyond {limit_ms} ms (`safety.stale_contact_ms`): no force is ever rendered. Set \
             at most {} ticks",
            u64::from(ticks) + 1,
            (limit_ms / period_ms - 1.0).floor().max(0.0)
        ),
    })
}

/// Warns of a processor that this machine does not have. `processors`: the kernel's folder of them.
fn affinity(wanted: Option<u32>, processors: &Path) -> Option<Warning> {
    let cpu = wanted?;
    let is_missing = processors.is_dir() && !processors.join(format!("cpu{cpu}")).exists();
    is_missing.then(|| Warning {
        key: "loop.cpu_affinity".to_owned(),
        message: format!(
            "this machine has no processor {cpu} (they count from 0): the loop will run on any"
        ),
    })
}

/// Returns the gains for these keys, before anything was measured.
fn gains_with(arm: &SessionArm, keys: &CouplingKeys, period_ns: u64) -> Gains {
    let delay_s = arm.answer_delay_ns as f64 * 1e-9;
    gains(&arm.spec, keys, period_ns as f64 * 1e-9, delay_s)
}

/// Warns of a stiffness that the arm alone does not carry without a hand.
fn beyond_passive(arm: &SessionArm, period_ns: u64) -> Option<Warning> {
    let keys = &arm.coupling;
    let passive = CouplingKeys {
        auto_factor: 1.0,
        ..*keys
    };
    let of = |keys: &CouplingKeys| gains_with(arm, keys, period_ns);
    let (is, auto) = (of(keys), of(&passive));
    let (now, passive) = (is.stiffness_n_per_m, auto.stiffness_n_per_m);
    // If only the force is bounded, the torque still differs.
    let (now, passive, unit) = if now == passive {
        (
            is.rotational_stiffness_nm_per_rad,
            auto.rotational_stiffness_nm_per_rad,
            "N m/rad",
        )
    } else {
        (now, passive, "N/m")
    };
    (is != auto).then(|| Warning {
        key: format!("arm.{}.auto_factor", arm.name),
        message: format!(
            "the coupling has {now:.4} {unit}, but the arm alone is passive only up to \
             {passive:.4} {unit}: without a hand's damping, only the passivity controller ends an \
             oscillation"
        ),
    })
}

/// Warns of an arm that declares nothing that would carry a stiffness.
fn without_stiffness(arm: &SessionArm, period_ns: u64) -> Option<Warning> {
    let spec = &arm.spec;
    let stiffness = gains_with(arm, &arm.coupling, period_ns).stiffness_n_per_m;
    if stiffness > 0.0 || spec.degrees_out == 0 {
        return None;
    }
    let (key, cause) = if spec.damping_n_s_per_m > 0.0 {
        (
            "coulomb_friction_n",
            format!(
                "encoder steps of {} m need friction to be passive, but the arm declares none: set \
                 `coulomb_friction_n`, or set `resolution_m` to 0",
                spec.resolution_m
            ),
        )
    } else {
        (
            "damping_n_s_per_m",
            "a sampled spring needs damping in the arm to be passive, but it declares none: set \
             `damping_n_s_per_m`"
                .to_owned(),
        )
    };
    let (table, place) = match arm.source {
        Source::Simulated(_) => (format!("mechanics.{key}"), "`[arm.mechanics]`"),
        _ => ("profile".to_owned(), "`[mechanics]` of its profile"),
    };
    Some(Warning {
        key: format!("arm.{}.{table}", arm.name),
        message: format!("the coupling has 0 N/m, so nothing is felt: {cause}, in {place}"),
    })
}

/// Warns of a forced coupling, with the numbers that `auto` and the arm's limit would give.
fn forced(arm: &SessionArm, period_ns: u64) -> Option<Warning> {
    let keys = &arm.coupling;
    let stiffness: fn(&Gains) -> f64 = |gains| gains.stiffness_n_per_m;
    let damping: fn(&Gains) -> f64 = |gains| gains.damping_n_s_per_m;
    let (key, unit, value) = match (keys.forced_stiffness_n_per_m, keys.forced_damping_n_s_per_m) {
        (Some(_), _) => ("forced_stiffness_n_per_m", "N/m", stiffness),
        (None, Some(_)) => ("forced_damping_n_s_per_m", "N s/m", damping),
        (None, None) => return None,
    };
    let of = |keys: &CouplingKeys| value(&gains_with(arm, keys, period_ns));
    let (is, would_be) = (of(keys), of(&keys.unforced()));
    Some(Warning {
        key: format!("arm.{}.{key}", arm.name),
        message: format!(
            "the coupling is forced to {is} {unit} instead of {would_be:.1} {unit}: the arm may \
             oscillate"
        ),
    })
}

/// Warns of an arm that reports so rarely that a sample is too old before the next one. The age
/// begins at the arrival, where the arm's own delay ends.
fn reports(arm: &SessionArm, stale_input_ms: f64) -> Option<Warning> {
    let period_ms = arm.spec.native_period_ns as f64 * 1e-6;
    let faster = match arm.source {
        Source::Simulated(_) => "or raise the arm's `mechanics.report_rate_hz`",
        Source::Hid(_) => "its profile declares no faster rate",
    };
    (period_ms > stale_input_ms).then(|| Warning {
        key: "safety.stale_input_ms".to_owned(),
        message: format!(
            "arm `{}` reports every {period_ms:.2} ms, but force fades once a sample is older than \
             {stale_input_ms} ms: force never lasts. Set `safety.stale_input_ms` \
             above {period_ms:.2}; {faster}",
            arm.name
        ),
    })
}
