//! The impedance of a hand: its force on a handle that is away from the pose that it intends.
//!
//! # Theory
//! The grasp is a second-order lumped model, as is usual for stability work (Hasser and Cutkosky
//! 2002 for a pinch grasp; Fu and Cavusoglu 2012 for a stylus). The hand's mass moves with the
//! handle, and a spring and a damper join it to the pose that the hand *intends*. `F = k
//! (x_intended - x) + b (v_intended - v)`, the same for rotation, bounded by what a hand can exert.
//! Grip and posture change the values by an order of magnitude; stiffness and damping rise together
//! with the grip force. The three presets span the usual range of about 100 to 1000 N/m; they do
//! not describe a person.
//!
//! # Practice
//! Constant time, no allocation, deterministic.

use super::arm::SimError;
use crate::arm::{Pose, Vec3, Wrench};
use crate::sim::Mechanism;
use serde::Deserialize;

/// Parameters of a hand.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct HandParams {
    /// Mass that moves with the handle, kg.
    pub mass_kg: f64,
    /// Stiffness, N/m.
    pub stiffness_n_per_m: f64,
    /// Damping, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Largest force of the hand, N.
    pub max_force_n: f64,
    /// Moment of inertia that turns with the handle, kg·m².
    pub inertia_kg_m2: f64,
    /// Rotational stiffness, N·m/rad.
    pub angular_stiffness_nm_per_rad: f64,
    /// Rotational damping, N·m·s/rad.
    pub angular_damping_nm_s_per_rad: f64,
    /// Largest torque of the hand, N·m.
    pub max_torque_nm: f64,
}

impl Default for HandParams {
    /// A relaxed stylus grip.
    fn default() -> Self {
        Self::relaxed()
    }
}

impl HandParams {
    /// A relaxed stylus grip: 0.1 kg, 300 N/m, 5 N·s/m (damping ratio about 0.3 with a light arm).
    #[must_use]
    pub const fn relaxed() -> Self {
        HandParams {
            mass_kg: 0.1,
            stiffness_n_per_m: 300.0,
            damping_n_s_per_m: 5.0,
            max_force_n: 40.0,
            inertia_kg_m2: 1e-4,
            angular_stiffness_nm_per_rad: 1.0,
            angular_damping_nm_s_per_rad: 0.02,
            max_torque_nm: 1.5,
        }
    }

    /// A firm grip: 0.2 kg, 1000 N/m, 20 N·s/m.
    #[must_use]
    pub const fn firm() -> Self {
        HandParams {
            mass_kg: 0.2,
            stiffness_n_per_m: 1000.0,
            damping_n_s_per_m: 20.0,
            angular_stiffness_nm_per_rad: 4.0,
            angular_damping_nm_s_per_rad: 0.05,
            ..Self::relaxed()
        }
    }

    /// A machine instead of a hand, which imposes its motion: follows 10 m/s within centimetres,
    /// whatever the arm does.
    #[must_use]
    pub const fn imposed_motion() -> Self {
        HandParams {
            mass_kg: 0.1,
            stiffness_n_per_m: 100_000.0,
            damping_n_s_per_m: 300.0,
            max_force_n: 1e6,
            angular_stiffness_nm_per_rad: 50.0,
            angular_damping_nm_s_per_rad: 0.2,
            max_torque_nm: 1e3,
            ..Self::relaxed()
        }
    }

    /// Checks the values against the total mass and inertia that they move and the integration
    /// step. Stability needs `h² k/m + h b/m` well below one.
    ///
    /// # Errors
    /// [`SimError::OutOfRange`] or [`SimError::HandTooStiff`].
    pub fn validate(&self, mass_kg: f64, inertia_kg_m2: f64, step_s: f64) -> Result<(), SimError> {
        for (what, value) in [
            ("hand.mass_kg", self.mass_kg),
            ("hand.stiffness_n_per_m", self.stiffness_n_per_m),
            ("hand.damping_n_s_per_m", self.damping_n_s_per_m),
            ("hand.max_force_n", self.max_force_n),
            ("hand.inertia_kg_m2", self.inertia_kg_m2),
            (
                "hand.angular_stiffness_nm_per_rad",
                self.angular_stiffness_nm_per_rad,
            ),
            (
                "hand.angular_damping_nm_s_per_rad",
                self.angular_damping_nm_s_per_rad,
            ),
            ("hand.max_torque_nm", self.max_torque_nm),
        ] {
            if !(value.is_finite() && value >= 0.0) {
                return Err(SimError::OutOfRange {
                    what,
                    value,
                    must: "finite and not negative",
                });
            }
        }
        let (h, k, b) = (step_s, self.stiffness_n_per_m, self.damping_n_s_per_m);
        if h * h * k + h * b > 0.5 * mass_kg {
            return Err(SimError::HandTooStiff {
                mass_kg,
                stiffness_n_per_m: k,
                damping_n_s_per_m: b,
            });
        }
        let (k, b) = (
            self.angular_stiffness_nm_per_rad,
            self.angular_damping_nm_s_per_rad,
        );
        if inertia_kg_m2 > 0.0 && h * h * k + h * b > 0.5 * inertia_kg_m2 {
            return Err(SimError::OutOfRange {
                what: "hand.angular_stiffness_nm_per_rad",
                value: k,
                must: "smaller for this inertia and step, or the step shorter",
            });
        }
        Ok(())
    }
}

/// A hand and the pose that it intends.
#[derive(Clone, Copy, Debug)]
pub struct Hand {
    params: HandParams,
    /// Pose of the handle that the hand wants now.
    pub intended: Pose,
    /// Linear velocity that the hand wants, m/s.
    pub intended_velocity: Vec3,
    /// Angular velocity that the hand wants, rad/s.
    pub intended_angular_velocity: Vec3,
}

impl Hand {
    /// Makes a hand that intends to stay at `intended`.
    #[must_use]
    pub fn new(params: HandParams, intended: Pose) -> Self {
        Hand {
            params,
            intended,
            intended_velocity: Vec3::zeros(),
            intended_angular_velocity: Vec3::zeros(),
        }
    }

    /// Returns the parameters.
    #[must_use]
    pub fn params(&self) -> &HandParams {
        &self.params
    }

    /// Moves the intention to a new pose in `dt_s`.
    pub fn intend(&mut self, next: Pose, dt_s: f64) {
        if dt_s > 0.0 {
            self.intended_velocity =
                (next.translation.vector - self.intended.translation.vector) / dt_s;
            self.intended_angular_velocity =
                (next.rotation * self.intended.rotation.inverse()).scaled_axis() / dt_s;
        }
        self.intended = next;
    }

    /// Returns the wrench that the hand exerts on the handle, at the tool origin.
    #[must_use]
    pub fn wrench(&self, handle: &Mechanism) -> Wrench {
        let p = &self.params;
        let away = self.intended.translation.vector - handle.pose.translation.vector;
        let slower = self.intended_velocity - handle.linear_velocity;
        let turned = (self.intended.rotation * handle.pose.rotation.inverse()).scaled_axis();
        let slower_turning = self.intended_angular_velocity - handle.angular_velocity;
        let force = away * p.stiffness_n_per_m + slower * p.damping_n_s_per_m;
        let torque = turned * p.angular_stiffness_nm_per_rad
            + slower_turning * p.angular_damping_nm_s_per_rad;
        Wrench {
            force_n: force.cap_magnitude(p.max_force_n),
            torque_nm: torque.cap_magnitude(p.max_torque_nm),
        }
    }
}
