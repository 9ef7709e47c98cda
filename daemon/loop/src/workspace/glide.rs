//! How a frame goes to where it is asked to be: smoothly, and no faster than it may.
//!
//! The bound is that of the tool, not of the base: a base that turns far from the hand moves the
//! tool by its lever. So the tool's place and rotation move, and the base follows from them.
//!
//! Pure, allocation-free, constant time.

use hapticd_geometry::{Pose, Quat, Vec3};

use super::super::frame::ArmFrame;
use super::WorkspaceInput;

/// Time constant with which a frame follows, s: an application's frames come at 60 to 120 Hz, and
/// the hand must not feel each.
const SMOOTH_S: f64 = 0.02;
/// Largest rate at which a frame turns the tool, rad/s.
pub(super) const MAX_TURN_RAD_S: f64 = 4.0;
/// Distance and angle at which a frame has arrived, m and rad: below what anything resolves.
const ARRIVED: f64 = 1e-9;

/// Where a frame is to go.
#[derive(Clone, Copy, Debug)]
pub(super) struct Goal {
    pub world_from_base: Pose,
    pub hand_from_tool: Option<Quat>,
}

/// Returns the frame after a tick on its way to `goal`; its scale stays. The tool's place moves by
/// at most `max_speed_m_s`, and its rotation by at most [`MAX_TURN_RAD_S`].
pub(super) fn glide(
    frame: &ArmFrame,
    goal: &Goal,
    input: &WorkspaceInput<'_>,
    max_speed_m_s: f64,
) -> ArmFrame {
    let base = &frame.world_from_base;
    if *base == goal.world_from_base && frame.hand_from_tool == goal.hand_from_tool {
        return *frame;
    }
    let hand_m = input.hand.translation.vector * frame.scale;
    let place = |base: &Pose| base.translation.vector + base.rotation * hand_m;
    let (now, then) = (place(base), place(&goal.world_from_base));
    let turn = turn_between(&base.rotation, &goal.world_from_base.rotation);
    let [tool, tool_then] =
        [frame.hand_from_tool, goal.hand_from_tool].map(Option::unwrap_or_default);
    let tool_turn = turn_between(&tool, &tool_then);
    let (way_m, angle_rad) = ((then - now).norm(), turn.norm() + tool_turn.norm());
    let share = share_of(input.dt_s)
        .min(max_speed_m_s * input.dt_s / way_m)
        .min(MAX_TURN_RAD_S * input.dt_s / angle_rad);
    if way_m <= ARRIVED && angle_rad <= ARRIVED {
        return ArmFrame {
            world_from_base: goal.world_from_base,
            scale: frame.scale,
            hand_from_tool: goal.hand_from_tool,
        };
    }
    let rotation = turned(&base.rotation, &(turn * share));
    let place = now + (then - now) * share - rotation * hand_m;
    ArmFrame {
        world_from_base: Pose::from_parts(place.into(), rotation),
        scale: frame.scale,
        hand_from_tool: match (frame.hand_from_tool, goal.hand_from_tool) {
            (None, None) => None,
            _ => Some(turned(&tool, &(tool_turn * share))),
        },
    }
}

/// Returns a pose that a tick has taken from `from` to `to`.
pub(super) fn towards(from: &Pose, to: &Pose, dt_s: f64) -> Pose {
    let way = to.translation.vector - from.translation.vector;
    let turn = turn_between(&from.rotation, &to.rotation);
    if way.norm() <= ARRIVED && turn.norm() <= ARRIVED {
        return *to;
    }
    let share = share_of(dt_s);
    let place = from.translation.vector + way * share;
    Pose::from_parts(place.into(), turned(&from.rotation, &(turn * share)))
}

/// Returns a rotation that a tick has taken from `from` to `to`, no faster than
/// [`MAX_TURN_RAD_S`].
pub(super) fn turn_towards(from: &Quat, to: &Quat, dt_s: f64) -> Quat {
    let turn = turn_between(from, to);
    if turn.norm() <= ARRIVED {
        return *to;
    }
    let share = share_of(dt_s).min(MAX_TURN_RAD_S * dt_s / turn.norm());
    turned(from, &(turn * share))
}

/// Share of a way that a tick makes.
fn share_of(dt_s: f64) -> f64 {
    dt_s / (SMOOTH_S + dt_s)
}

/// The rotation vector that leads from one rotation to another.
fn turn_between(from: &Quat, to: &Quat) -> Vec3 {
    (to * from.inverse()).scaled_axis()
}

fn turned(from: &Quat, turn: &Vec3) -> Quat {
    let mut turned = Quat::from_scaled_axis(*turn) * from;
    turned.renormalize();
    turned
}
