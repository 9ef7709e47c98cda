//! The exact state of a simulated handle, without the rounding of sensors and the delay of a wire.
//!
//! An oracle for experiments. The haptic loop passes it on to the recording and never uses it.

use crate::arm::{Pose, Vec3, Wrench};

/// Work done on the handle since the arm was made, J: the sum of force times displacement over all
/// integration steps. Positive if the handle was given energy. Exact for the simulated motion,
/// because the wrench is constant within a step.
#[derive(Copy, Clone, Debug, Default, PartialEq)]
pub struct Work {
    /// Work of the force, J.
    pub force_j: f64,
    /// Work of the torque, J.
    pub torque_j: f64,
}

impl Work {
    /// Returns the work of force and torque together, J.
    #[must_use]
    pub fn total_j(&self) -> f64 {
        self.force_j + self.torque_j
    }
}

/// The handle of a simulated arm at one time, in the arm's base frame.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct ArmTruth {
    /// Time, ns on the caller's clock. Differs from that of a sample, which shows the handle before
    /// the delay to the host.
    pub time_ns: u64,
    /// Tool in the base frame, before encoders.
    pub pose: Pose,
    /// Linear velocity, m/s, not estimated.
    pub linear_velocity: Vec3,
    /// Angular velocity, rad/s, not estimated.
    pub angular_velocity: Vec3,
    /// Wrench that the hand exerts on the handle, at the tool origin.
    pub hand: Wrench,
    /// Wrench that the motors exert on the handle: the last command that has arrived, after
    /// saturation, delay and the arm's own watchdog.
    pub motors: Wrench,
    /// Work of the hand on the handle, up to `time_ns`.
    pub hand_work: Work,
    /// Work of the motors on the handle, up to `time_ns`: the reference for an estimate of the
    /// energy that the arm renders.
    pub motor_work: Work,
}
