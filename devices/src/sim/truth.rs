//! The truth about a simulated handle: what no sensor rounds and no wire delays.
//!
//! An oracle for experiments. The haptic loop passes it on to the recording and never uses it.

use super::mechanism::Displacement;
use crate::arm::{Pose, Vec3, Wrench};

/// Work done on the handle since the arm was made, J: the sum of force times displacement over all
/// integration steps. Positive where the handle was given energy. Exact for the simulated motion,
/// since the wrench is constant within a step.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Of the force.
    pub force_j: f64,
    /// Of the torque.
    pub torque_j: f64,
}

impl Work {
    /// Adds one integration step under a finite wrench.
    pub(super) fn add(&mut self, wrench: &Wrench, moved: &Displacement) {
        self.force_j += wrench.force_n.dot(&moved.translation_m);
        self.torque_j += wrench.torque_nm.dot(&moved.turn_rad);
    }

    /// Of force and torque.
    #[must_use]
    pub fn total_j(&self) -> f64 {
        self.force_j + self.torque_j
    }
}

/// The handle of a simulated arm at one time, in the arm's base frame.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ArmTruth {
    /// The time, ns on the caller's clock. Not that of a sample: a sample shows the handle as it
    /// was before the way to the host.
    pub time_ns: u64,
    /// Tool in the base frame, before encoders.
    pub pose: Pose,
    /// m/s, not estimated.
    pub linear_velocity: Vec3,
    /// rad/s, not estimated.
    pub angular_velocity: Vec3,
    /// What the hand exerts on the handle, at the tool origin.
    pub hand: Wrench,
    /// What the motors exert on it: the last command that has arrived, after saturation, delay
    /// and the arm's own watchdog.
    pub motors: Wrench,
    /// Work of the hand on the handle, up to `time_ns`.
    pub hand_work: Work,
    /// Work of the motors on the handle, up to `time_ns`: what an estimate of the energy that the
    /// arm renders is measured against.
    pub motor_work: Work,
}
