//! A warning of `hapticd check`: a tool that starts inside a body feels nothing of it until it is
//! moved out.

use hapticd_audit::{Solid, Tool, penetration_depth_m, tools_overlap_m};
use hapticd_geometry::Pose;

use super::warnings::Warning;
use crate::session_setup::{SessionArm, SessionSetup, Source};

/// Returns a warning for every tool that is inside a body, or overlaps one, where its arm starts. A
/// simulated arm starts at the hand's first pose, a device in the middle of its workspace.
pub(super) fn warnings(setup: &SessionSetup) -> Vec<Warning> {
    let world = setup.collider.world();
    let mut found = Vec::new();
    let tools: Vec<Option<Solid>> = (setup.arms.iter())
        .map(|arm| arm.tool_mesh.as_ref().map(Solid::new))
        .collect();
    for info in world.infos() {
        let Some(mesh) = world.spec(info.id).and_then(|s| s.shape.index.mesh()) else {
            continue;
        };
        let body = Solid::new(mesh);
        for (arm, solid) in setup.arms.iter().zip(&tools) {
            let (at, what) = start(arm);
            let tool = tool(arm, solid.as_ref());
            let depth_m = penetration_depth_m(&tool, &at, &body, &info.initial);
            if depth_m > 0.0 {
                let [x, y, z] = <[f64; 3]>::from(at.translation.vector * 1e3);
                found.push(Warning {
                    key: format!("arm.{}.tool", arm.name),
                    message: format!(
                        "the tool {what} at {x:.1}, {y:.1}, {z:.1} mm, {:.1} mm inside `{}`: \
                         it feels nothing of that body until it is moved out",
                        depth_m * 1e3,
                        info.name
                    ),
                });
            }
        }
    }
    for (i, arm) in setup.arms.iter().enumerate() {
        for (j, other) in setup.arms.iter().enumerate().skip(i + 1) {
            let (tool, into) = (tool(arm, tools[i].as_ref()), tool(other, tools[j].as_ref()));
            let ((at, what), (there, _)) = (start(arm), start(other));
            let depth_m = tools_overlap_m(&tool, &at, &into, &there);
            if depth_m > 0.0 {
                found.push(Warning {
                    key: format!("arm.{}.tool", arm.name),
                    message: format!(
                        "the tool {what}, {:.1} mm inside the tool of `{}`: neither feels the \
                         other until they are apart",
                        depth_m * 1e3,
                        other.name
                    ),
                });
            }
        }
    }
    found
}

/// Returns the pose of an arm's tool in the world at the start, and words for that place.
fn start(arm: &SessionArm) -> (Pose, &'static str) {
    let (start, what) = match &arm.source {
        Source::Simulated(hand) => (*hand.intended(), "starts"),
        Source::Hid(_) => (
            Pose::from(arm.spec.workspace.center),
            "is in the middle of its workspace",
        ),
    };
    (arm.frame.to_world(&start), what)
}

fn tool<'a>(arm: &SessionArm, solid: Option<&'a Solid>) -> Tool<'a> {
    match solid {
        Some(solid) => Tool::Mesh(solid),
        None => Tool::Sphere {
            radius_m: arm.tool_radius_m,
        },
    }
}
