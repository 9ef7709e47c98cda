//! What a configuration may say and hardly anybody means.
//!
//! A warning keeps nothing from running: `check` lists it and still ends with 0, unless `--strict` asks otherwise.

use std::fmt;

use hapticd_config as config;
use hapticd_geometry::Vec3;
use hapticd_haptics::Gains;

use crate::rig::{CouplingKeys, Rig, RigArm, answer_delay_s, gains};

/// A tool that is longer than this, m, was modelled in another unit.
const TOOL_MAX_M: f64 = 1.0;
/// A workspace that is wider than this in the world, m, is scaled by mistake.
const WORKSPACE_MAX_M: f64 = 10.0;

/// Something to look at again.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Warning {
    /// The key that asks for it, as the configuration's entries write it: `arm.right.tool.file`.
    pub key: String,
    /// What it comes to, with numbers, and what to do.
    pub message: String,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.key, self.message)
    }
}

/// All that there is to warn of, arm by arm.
pub fn warnings(rig: &Rig, config: &config::Config) -> Vec<Warning> {
    let mut found = Vec::new();
    for (arm, written) in rig.arms.iter().zip(&config.arms) {
        found.extend(tool(arm, &written.tool));
        found.extend(workspace(arm));
        found.extend(motors(arm));
        found.extend(reports(arm, config.safety.stale_input_ms));
        found.extend(forced(arm, rig.period_ns));
    }
    found
}

/// Edges of the box around the tool, m.
pub(super) fn tool_size_m(arm: &RigArm) -> Vec3 {
    let Some(mesh) = &arm.tool_mesh else {
        return Vec3::repeat(2.0 * arm.tool_radius_m);
    };
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    for point in mesh.positions() {
        (low, high) = (low.inf(point), high.sup(point));
    }
    // The radius is around a mesh, too.
    (high - low + Vec3::repeat(2.0 * arm.tool_radius_m)).sup(&Vec3::zeros())
}

/// Edges of an arm's workspace in the world, along the arm's own axes, m.
pub(super) fn workspace_size_m(arm: &RigArm) -> Vec3 {
    2.0 * arm.frame.scale * arm.spec.workspace.half_extents
}

fn tool(arm: &RigArm, shape: &config::Shape) -> Option<Warning> {
    let longest = tool_size_m(arm).max();
    let (name, help) = match shape {
        config::Shape::Mesh { .. } => ("scale", "a mesh in millimetres needs scale = 0.001"),
        _ => ("kind", "sizes are in metres"),
    };
    (longest > TOOL_MAX_M).then(|| Warning {
        key: format!("arm.{}.tool.{name}", arm.name),
        message: format!("the tool is {longest:.3} m long: {help}"),
    })
}

fn workspace(arm: &RigArm) -> Option<Warning> {
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

fn motors(arm: &RigArm) -> Option<Warning> {
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

/// A coupling that is forced, with the numbers that `auto` and the arm's limit would give.
pub fn forced(arm: &RigArm, period_ns: u64) -> Option<Warning> {
    let keys = &arm.coupling;
    let stiffness: fn(&Gains) -> f64 = |gains| gains.stiffness_n_per_m;
    let damping: fn(&Gains) -> f64 = |gains| gains.damping_n_s_per_m;
    let (key, unit, value) = match (keys.forced_stiffness_n_per_m, keys.forced_damping_n_s_per_m) {
        (Some(_), _) => ("forced_stiffness_n_per_m", "N/m", stiffness),
        (None, Some(_)) => ("forced_damping_n_s_per_m", "N s/m", damping),
        (None, None) => return None,
    };
    let (period_s, delay_s) = (period_ns as f64 * 1e-9, answer_delay_s(&arm.spec, None));
    let of = |keys: &CouplingKeys| value(&gains(&arm.spec, keys, period_s, delay_s));
    let (is, would_be) = (of(keys), of(&keys.unforced()));
    Some(Warning {
        key: format!("arm.{}.{key}", arm.name),
        message: format!(
            "the coupling is forced to {is} {unit}, where {would_be:.1} {unit} would be: \
             an experiment, the arm may oscillate"
        ),
    })
}

fn reports(arm: &RigArm, stale_input_ms: f64) -> Option<Warning> {
    let period_ms = arm.spec.native_period_ns as f64 * 1e-6;
    let age_ms = period_ms + arm.spec.transport_delay_ns as f64 * 1e-6;
    (age_ms > stale_input_ms).then(|| Warning {
        key: "safety.stale_input_ms".to_owned(),
        message: format!(
            "arm `{}` reports every {period_ms:.2} ms, so its samples get {age_ms:.2} ms old; force fades from {stale_input_ms} ms on",
            arm.name
        ),
    })
}
