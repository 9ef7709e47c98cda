//! Holds: springs that draw a body to a moving pose, as a hand does with what it grasps.
//!
//! # Theory
//!
//! A hold is a damped spring between a point of the body, its *grip*, and the same point of the
//! body at the target pose, with a rotational spring beside it. It acts over the whole step by its
//! value at the end of it (backward Euler), so that a stiff spring on a light body is stable for
//! any length of step:
//!
//! `(m + h b + h² k) v1 = m v0 + h (k (target(h) - grip) + b (v_target - w0 x r))`,
//!
//! and likewise for the rotation about the centre of mass. `h b + h² k` acts as a mass of this step
//! ([`Drive`]): contacts are solved with it, so a body that is pressed against another presses with
//! the spring's whole force. A body at rest feels exactly `k (target - grip)`.
//!
//! The terms that couple shift and rotation are taken at the beginning of the step. The rotational
//! ones contain the lever, which bounds them.
//!
//! # Practice
//!
//! Damping is half of critical, for the shift and for the rotation, each for itself. The hand feels
//! the stretch alone, which lags the acceleration by the damping over the stiffness. The force is
//! cut at [`Hold::most_n`], as the hand's is; the cut spring keeps its stiffness for the step.

use hapticd_geometry::{Mat3, Pose, Vec3, transform};

use crate::body::{Hold, RigidBody, Twist};
use crate::settings::Order;

/// Damping over critical damping.
const DAMPING: f64 = 0.5;
/// Natural frequency of a hold without stiffness, rad/s: that of an arm without force.
const SERVO_RAD_S: f64 = 100.0;

/// What the holds of a body make of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drive {
    /// Mass in this step, kg, and inertia about the centre of mass, kg m², world axes.
    pub mass: f64,
    pub inertia: Mat3,
    /// Momentum that the springs add to that of the body, N s and N m s.
    pub impulse: Vec3,
    pub moment: Vec3,
}

/// A body at the beginning of a step.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Beginning<'a> {
    pub body: &'a RigidBody,
    pub pose: &'a Pose,
    pub twist: &'a Twist,
    /// Inertia about the centre of mass, world axes.
    pub inertia: &'a Mat3,
}

/// Returns what the holds of a body make of a step; `None` without any.
///
/// In a first-order world a force makes a velocity: the result is then the momentum that it keeps
/// up, `m v`, and the mass is one over which the drag acts.
pub(crate) fn drive(
    at: &Beginning<'_>,
    step_s: f64,
    order: Order,
    drag_per_s: f64,
) -> Option<Drive> {
    let holds = &at.body.holds;
    if holds.is_empty() || at.body.inverse_mass == 0.0 {
        return None;
    }
    let mass = 1.0 / at.body.inverse_mass;
    let mut drive = Drive {
        mass,
        inertia: *at.inertia,
        impulse: Vec3::zeros(),
        moment: Vec3::zeros(),
    };
    // For how long a force acts, and whether the velocity before counts.
    let (acts_s, keeps) = match order {
        Order::Second => (step_s, 1.0),
        Order::First => (1.0 / drag_per_s, 0.0),
    };
    for hold in holds {
        let spring = Spring::new(hold, at, mass, keeps);
        let (k, b) = (spring.stiffness, spring.damping);
        let linear = acts_s * (b + step_s * k);
        let angular = acts_s * (spring.damping_turns + step_s * spring.turns);
        // About the lever itself the grip does not move.
        let cross = spring.lever.cross_matrix();
        drive.mass += linear;
        drive.inertia += Mat3::identity() * angular - cross * cross * linear;
        let slip = at.twist.angular.cross(&spring.lever) * keeps;
        let drawn = hold.velocity.linear * b;
        drive.impulse += (spring.force + drawn - slip * b) * acts_s;
        let pulled = spring.force + drawn - at.twist.linear * (b * keeps);
        let turned = spring.torque + hold.velocity.angular * spring.damping_turns;
        drive.moment += (turned + spring.lever.cross(&pulled)) * acts_s;
    }
    Some(drive)
}

/// One hold at the beginning of a step.
struct Spring {
    /// From the centre of mass to the grip, m.
    lever: Vec3,
    force: Vec3,
    torque: Vec3,
    stiffness: f64,
    damping: f64,
    turns: f64,
    damping_turns: f64,
}

impl Spring {
    fn new(hold: &Hold, at: &Beginning<'_>, mass: f64, keeps: f64) -> Self {
        let grip = hold.grip.unwrap_or(at.body.pivot);
        let here = transform(at.pose, &grip);
        let stiffness = match hold.stiffness_n_per_m > 0.0 {
            true => hold.stiffness_n_per_m,
            false => mass * SERVO_RAD_S * SERVO_RAD_S,
        };
        // A mean inertia: the spring is the same about all axes.
        let inertia = at.inertia.trace() / 3.0;
        let turns = match hold.stiffness_nm_per_rad > 0.0 {
            true => hold.stiffness_nm_per_rad,
            false => inertia * stiffness / mass,
        };
        let force = (transform(&hold.target, &grip) - here) * stiffness;
        let turn = (hold.target.rotation * at.pose.rotation.inverse()).scaled_axis();
        let share = match force.norm() {
            pull if pull > hold.most_n => hold.most_n / pull,
            _ => 1.0,
        };
        Spring {
            lever: here - at.body.pivot_at(at.pose),
            force: force * share,
            torque: turn * turns,
            stiffness,
            damping: 2.0 * DAMPING * keeps * (stiffness * mass).sqrt(),
            turns,
            damping_turns: 2.0 * DAMPING * keeps * (turns * inertia).sqrt(),
        }
    }
}

/// Acceleration of a body's centre of mass by its wrench and its holds over a step, m/s².
pub(crate) fn pushed(body: &RigidBody, pose: &Pose, twist: &Twist, step_s: f64) -> Vec3 {
    let pushed = body.wrench.force * body.inverse_mass;
    let at = Beginning {
        body,
        pose,
        twist,
        // The shift does not depend on it.
        inertia: &body.inertia,
    };
    // Whatever the order, this is no less than what the springs do to the velocity.
    let drive = drive(&at, step_s, Order::Second, 1.0);
    let held = drive.map_or_else(Vec3::zeros, |drive| drive.impulse / drive.mass);
    pushed + held / step_s
}
