//! Kinematics: from measured axes (joint angles or coordinates) to the tool's pose, and from a
//! wrench at the tool to the efforts of the motors.
//!
//! The two are dual. With `J` the Jacobian that maps axis velocities to the tool's twist, efforts
//! are `J^T w` (virtual work). This needs no inverse and adds no numerical trouble. Near a parallel
//! singularity, where `J` itself grows without bound, a model reports an error instead. Everything
//! here is pure, bounded, and allocation-free once built.
//!
//! Frames: a model computes in its *mechanism* frame and gives the *flange*. [`Mounted`] places the
//! mechanism in the base frame and the tool on the flange.

mod cartesian;
mod delta;
mod pantograph;
mod rate;
mod serial;

use std::fmt::Debug;

use thiserror::Error;

pub use cartesian::{Cartesian, Rotation};
pub use delta::Delta;
pub use pantograph::Pantograph;
pub use rate::{Rate, RateIntegrator};
pub use serial::{Joint, JointKind, Serial};

use crate::arm::{Axes, Pose, Wrench};

/// Unit of an axis, and thereby of its effort.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum AxisUnit {
    /// Metres; effort in newtons.
    Metre,
    /// Radians; effort in newton metres.
    Radian,
    /// A plain number (a quaternion component), which has no effort.
    Number,
}

/// Why a model gives no pose or no efforts. The caller then keeps the last good pose and sends no
/// force.
#[derive(Copy, Clone, Debug, PartialEq, Error)]
pub enum KinematicsError {
    /// An axis is not a finite number.
    #[error("axis {axis} is not a finite number")]
    NotFinite {
        /// Index of the axis.
        axis: u8,
    },
    /// No pose of the mechanism has these axes.
    #[error("no pose has these joints: the links miss each other by {gap_m} m")]
    Unreachable {
        /// Length by which the links are too short, m; for an invalid quaternion, its norm.
        gap_m: f64,
    },
    /// The mechanism is at or near a parallel singularity: a small effort would make a large force.
    #[error("singular: the measure of transmission is {measure}, at least {least} is needed")]
    Singular {
        /// Measure of transmission: 0 at the singularity, about 1 far from it.
        measure: f64,
        /// Smallest allowed measure.
        least: f64,
    },
}

/// The geometry of a mechanism.
pub trait Kinematics: Debug + Send + Sync {
    /// Returns the unit of each axis. The length is the number of axes.
    fn axes(&self) -> &[AxisUnit];

    /// Returns the unit to which the effort of each axis is dual. The length is the number of axes
    /// that can have an effort.
    fn effort_units(&self) -> &[AxisUnit] {
        self.axes()
    }

    /// Returns whether the rotation of the flange is measured. If not, poses have the identity
    /// rotation.
    fn has_rotation(&self) -> bool;

    /// Computes the flange in the mechanism frame from the axes.
    ///
    /// # Errors
    /// See [`KinematicsError`].
    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError>;

    /// Computes `J^T w`: the efforts that make `wrench` (mechanism frame, at the flange's origin).
    /// Axes that the mechanism lacks get zero.
    ///
    /// # Errors
    /// See [`KinematicsError`].
    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError>;
}

/// A mechanism placed in the base frame, with a tool on its flange.
#[derive(Debug)]
pub struct Mounted {
    mechanism: Box<dyn Kinematics>,
    base_from_mechanism: Pose,
    flange_from_tool: Pose,
}

impl Mounted {
    /// Places a mechanism and its tool.
    #[must_use]
    pub fn new(
        mechanism: Box<dyn Kinematics>,
        base_from_mechanism: Pose,
        flange_from_tool: Pose,
    ) -> Self {
        Self {
            mechanism,
            base_from_mechanism,
            flange_from_tool,
        }
    }
}

impl Kinematics for Mounted {
    fn axes(&self) -> &[AxisUnit] {
        self.mechanism.axes()
    }

    fn effort_units(&self) -> &[AxisUnit] {
        self.mechanism.effort_units()
    }

    fn has_rotation(&self) -> bool {
        self.mechanism.has_rotation()
    }

    /// Computes the tool in the base frame from the axes.
    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError> {
        let flange = self.mechanism.forward(axes)?;
        Ok(self.base_from_mechanism * flange * self.flange_from_tool)
    }

    /// Computes the efforts of `wrench`, given in the base frame at the tool's origin.
    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError> {
        let flange = self.mechanism.forward(axes)?;
        let mechanism_from_base = self.base_from_mechanism.rotation.inverse();
        let force_n = mechanism_from_base * wrench.force_n;
        let arm = flange.rotation * self.flange_from_tool.translation.vector;
        let torque_nm = mechanism_from_base * wrench.torque_nm + arm.cross(&force_n);
        self.mechanism.efforts(axes, &Wrench { force_n, torque_nm })
    }
}

/// Refuses numbers that are not finite among the first `count` axes.
fn finite(axes: &Axes, count: usize) -> Result<(), KinematicsError> {
    match axes.iter().take(count).position(|x| !x.is_finite()) {
        Some(axis) => Err(KinematicsError::NotFinite { axis: axis as u8 }),
        None => Ok(()),
    }
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arm::Vec3;
    use nalgebra::{Translation3, UnitQuaternion};

    #[test]
    fn a_mount_turns_poses_and_wrenches_alike() {
        let turn = |x, y, z| UnitQuaternion::from_scaled_axis(Vec3::new(x, y, z));
        let mounted = Mounted::new(
            Box::new(Cartesian::new(3, Rotation::Vector).unwrap()),
            Pose::from_parts(Translation3::new(0.1, -0.2, 0.3), turn(0.4, 1.0, -0.7)),
            Pose::from_parts(Translation3::new(0.0, 0.05, 0.12), turn(-0.5, 0.1, 0.3)),
        );
        testing::check_against_differences(&mounted, &[0.02, 0.01, -0.05, 0.3, 0.9, -0.4, 0.0]);
    }
}
