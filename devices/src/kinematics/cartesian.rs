//! Arms that measure the tool's coordinates directly: gantries, and arms whose controller does the
//! geometry.
//!
//! Axes 0 to 2 are metres along x, y, z. A rotation, if measured, starts at axis 3. Efforts are the
//! force along x, y, z and, with a rotation, the torque about the mechanism's x, y, z axes at axes
//! 3 to 5, however the rotation itself is written.

use nalgebra::{Quaternion, Translation3, UnitQuaternion};

use super::{AxisUnit, Kinematics, KinematicsError, finite};
use crate::arm::{Axes, MAX_AXES, Pose, Vec3, Wrench};

/// Smallest norm of a quaternion that is accepted as a rotation; it is then normalised.
const MIN_QUATERNION: f64 = 1e-3;

/// Notation of the rotation.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum Rotation {
    /// The rotation is not measured.
    None,
    /// Rotation vector (axis times angle), rad, three axes.
    Vector,
    /// Roll, pitch, yaw, rad, three axes: turn about the fixed x, then y, then z axis.
    RollPitchYaw,
    /// Quaternion x, y, z, w, four axes; normalised when it is read.
    Quaternion,
}

/// Kinematic model of a Cartesian arm.
#[derive(Clone, Debug)]
pub struct Cartesian {
    translations: usize,
    rotation: Rotation,
    units: Vec<AxisUnit>,
}

impl Cartesian {
    /// Makes a model with the first `translations` of x, y, z (1 to 3). A rotation needs all three.
    /// `None` for anything else.
    #[must_use]
    pub fn new(translations: usize, rotation: Rotation) -> Option<Self> {
        let turns = match rotation {
            Rotation::None => 0,
            Rotation::Vector | Rotation::RollPitchYaw => 3,
            Rotation::Quaternion => 4,
        };
        if !(1..=3).contains(&translations) || (turns > 0 && translations != 3) {
            return None;
        }
        let turn_unit = if rotation == Rotation::Quaternion {
            AxisUnit::Number
        } else {
            AxisUnit::Radian
        };
        let mut units = vec![AxisUnit::Metre; translations];
        units.resize(translations + turns, turn_unit);
        Some(Self {
            translations,
            rotation,
            units,
        })
    }
}

impl Kinematics for Cartesian {
    fn axes(&self) -> &[AxisUnit] {
        &self.units
    }

    fn effort_units(&self) -> &[AxisUnit] {
        const WRENCH: [AxisUnit; 6] = [
            AxisUnit::Metre,
            AxisUnit::Metre,
            AxisUnit::Metre,
            AxisUnit::Radian,
            AxisUnit::Radian,
            AxisUnit::Radian,
        ];
        if self.has_rotation() {
            &WRENCH
        } else {
            &WRENCH[..self.translations]
        }
    }

    fn has_rotation(&self) -> bool {
        self.rotation != Rotation::None
    }

    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError> {
        finite(axes, self.units.len())?;
        let mut position = Vec3::zeros();
        for (x, axis) in position.iter_mut().zip(axes).take(self.translations) {
            *x = *axis;
        }
        let [_, _, _, a, b, c, d] = *axes;
        let rotation = match self.rotation {
            Rotation::None => UnitQuaternion::identity(),
            Rotation::Vector => UnitQuaternion::from_scaled_axis(Vec3::new(a, b, c)),
            Rotation::RollPitchYaw => UnitQuaternion::from_euler_angles(a, b, c),
            Rotation::Quaternion => {
                let quaternion = Quaternion::new(d, a, b, c);
                UnitQuaternion::try_new(quaternion, MIN_QUATERNION).ok_or(
                    KinematicsError::Unreachable {
                        gap_m: quaternion.norm(),
                    },
                )?
            }
        };
        Ok(Pose::from_parts(Translation3::from(position), rotation))
    }

    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError> {
        finite(axes, self.units.len())?;
        let mut efforts = [0.0; MAX_AXES];
        efforts[..self.translations]
            .copy_from_slice(&wrench.force_n.as_slice()[..self.translations]);
        if self.has_rotation() {
            efforts[3..6].copy_from_slice(wrench.torque_nm.as_slice());
        }
        Ok(efforts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::testing::check_against_differences;

    #[test]
    fn every_number_of_axes_passes_the_difference_check() {
        for translations in 1..=3 {
            let model = Cartesian::new(translations, Rotation::None).unwrap();
            check_against_differences(&model, &[0.1, -0.2, 0.3, 0.0, 0.0, 0.0, 0.0]);
            assert_eq!(model.axes().len(), translations);
        }
        assert!(Cartesian::new(0, Rotation::None).is_none());
        assert!(Cartesian::new(4, Rotation::None).is_none());
        assert!(Cartesian::new(2, Rotation::Vector).is_none());
    }

    #[test]
    fn the_three_ways_to_write_a_rotation_agree() {
        let truth = UnitQuaternion::from_euler_angles(0.3, -0.8, 1.9);
        let v = truth.scaled_axis();
        let q = truth.quaternion().coords * 3.0;
        for (rotation, axes) in [
            (Rotation::RollPitchYaw, [0.1, 0.2, 0.3, 0.3, -0.8, 1.9, 0.0]),
            (Rotation::Vector, [0.1, 0.2, 0.3, v.x, v.y, v.z, 0.0]),
            (Rotation::Quaternion, [0.1, 0.2, 0.3, q.x, q.y, q.z, q.w]),
        ] {
            let pose = Cartesian::new(3, rotation).unwrap().forward(&axes).unwrap();
            assert!(pose.rotation.angle_to(&truth) < 1e-9, "{rotation:?}");
            assert_eq!(pose.translation.vector, Vec3::new(0.1, 0.2, 0.3));
        }
        // Fixed axes, x first: the last rotation is about the base's z.
        let quarter = std::f64::consts::FRAC_PI_2;
        let pose = (Cartesian::new(3, Rotation::RollPitchYaw).unwrap())
            .forward(&[0.0, 0.0, 0.0, quarter, 0.0, quarter, 0.0])
            .unwrap();
        assert!((pose.rotation * Vec3::y() - Vec3::z()).norm() < 1e-12);
        assert!((pose.rotation * Vec3::x() - Vec3::y()).norm() < 1e-12);
    }

    #[test]
    fn a_torque_appears_on_the_rotation_axes() {
        let wrench = Wrench {
            force_n: Vec3::new(1.0, 2.0, 3.0),
            torque_nm: Vec3::new(0.1, 0.2, 0.3),
        };
        let model = Cartesian::new(3, Rotation::Quaternion).unwrap();
        let efforts = model.efforts(&[0.0; 7], &wrench).unwrap();
        assert_eq!(efforts, [1.0, 2.0, 3.0, 0.1, 0.2, 0.3, 0.0]);
    }

    #[test]
    fn a_zero_quaternion_gives_no_rotation() {
        let model = Cartesian::new(3, Rotation::Quaternion).unwrap();
        assert!(matches!(
            model.forward(&[0.0; 7]),
            Err(KinematicsError::Unreachable { .. })
        ));
        assert_eq!(
            model.forward(&[0.0, f64::NAN, 0.0, 0.0, 0.0, 0.0, 1.0]),
            Err(KinematicsError::NotFinite { axis: 1 })
        );
    }
}
