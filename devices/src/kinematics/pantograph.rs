//! The planar five-bar linkage ("pantograph"): two motors with two links each, joined at the tool
//! (Campion, Wang and Hayward 2005).
//!
//! Mechanism frame: the motors are on the x axis, the left one at `-base/2`, the right one at
//! `+base/2`. Angles are measured from +x towards +y. The tool is on the +y side of the line from
//! the left to the right elbow; z is zero. Closed form: the tool is where the circles of the two
//! outer links about the elbows meet.
//!
//! The linkage is singular where the outer links are in line: it can no longer hold the tool, and
//! `J` is unbounded.

use nalgebra::{Matrix2, Translation3, UnitQuaternion, Vector2};

use super::{AxisUnit, Kinematics, KinematicsError, finite};
use crate::arm::{Axes, MAX_AXES, Pose, Wrench};

/// Smallest sine of the angle between the outer links.
const MIN_TRANSMISSION: f64 = 0.05;

/// Dimensions of the linkage; all lengths in m.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Pantograph {
    /// Distance between the motors, m; may be zero.
    pub base_m: f64,
    /// Length of the left inner link, m.
    pub left_inner_m: f64,
    /// Length of the left outer link, m.
    pub left_outer_m: f64,
    /// Length of the right inner link, m.
    pub right_inner_m: f64,
    /// Length of the right outer link, m.
    pub right_outer_m: f64,
}

/// Positions of the linkage for a pair of angles.
struct Posture {
    tool: Vector2<f64>,
    /// Vectors from the left and the right elbow to the tool, m.
    outer: [Vector2<f64>; 2],
    /// Derivative of the left and the right elbow with respect to its angle, m/rad.
    elbow_jacobian: [Vector2<f64>; 2],
}

impl Pantograph {
    fn posture(&self, axes: &Axes) -> Result<Posture, KinematicsError> {
        finite(axes, 2)?;
        let direction = |angle: f64| Vector2::new(angle.cos(), angle.sin());
        let half = Vector2::new(0.5 * self.base_m, 0.0);
        let (left_arm, right_arm) = (
            self.left_inner_m * direction(axes[0]),
            self.right_inner_m * direction(axes[1]),
        );
        let (left, right) = (left_arm - half, right_arm + half);
        let between = right - left;
        let distance = between.norm();
        let (l, r) = (self.left_outer_m, self.right_outer_m);
        let gap_m = (distance - (l + r)).max((l - r).abs() - distance);
        if gap_m > 0.0 || distance < 1e-9 {
            // If the elbows coincide, the tool can turn freely about them.
            return Err(KinematicsError::Unreachable {
                gap_m: gap_m.max(0.0),
            });
        }
        // Foot of the tool on the line of the elbows, and its height above that line.
        let along = (distance * distance + l * l - r * r) / (2.0 * distance);
        let height = (l * l - along * along).max(0.0).sqrt();
        let unit = between / distance;
        let tool = left + along * unit + height * Vector2::new(-unit.y, unit.x);
        let turned = |v: Vector2<f64>| Vector2::new(-v.y, v.x);
        Ok(Posture {
            tool,
            outer: [tool - left, tool - right],
            elbow_jacobian: [turned(left_arm), turned(right_arm)],
        })
    }
}

impl Kinematics for Pantograph {
    fn axes(&self) -> &[AxisUnit] {
        &[AxisUnit::Radian, AxisUnit::Radian]
    }

    fn has_rotation(&self) -> bool {
        false
    }

    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError> {
        let tool = self.posture(axes)?.tool;
        Ok(Pose::from_parts(
            Translation3::new(tool.x, tool.y, 0.0),
            UnitQuaternion::identity(),
        ))
    }

    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError> {
        let Posture {
            outer,
            elbow_jacobian,
            ..
        } = self.posture(axes)?;
        // The outer links keep their lengths: outer_i . dtool = outer_i . swing_i dangle_i, so J =
        // M^-1 E.
        let rows = Matrix2::from_rows(&[outer[0].transpose(), outer[1].transpose()]);
        let measure = rows.determinant().abs() / (self.left_outer_m * self.right_outer_m);
        let singular = KinematicsError::Singular {
            measure,
            least: MIN_TRANSMISSION,
        };
        if measure.is_nan() || measure < MIN_TRANSMISSION {
            return Err(singular);
        }
        let inverse = rows.try_inverse().ok_or(singular)?;
        // Tension of the outer links per metre of link.
        let tension = inverse.transpose() * wrench.force_n.xy();
        let mut efforts = [0.0; MAX_AXES];
        for i in 0..2 {
            efforts[i] = outer[i].dot(&elbow_jacobian[i]) * tension[i];
        }
        Ok(efforts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::testing::check_against_differences;
    use proptest::prelude::*;

    /// Dimensions of the device of Campion, Wang and Hayward: inner links 63 mm, outer links 75 mm,
    /// motors 25 mm apart.
    const DEVICE: Pantograph = Pantograph {
        base_m: 0.025,
        left_inner_m: 0.063,
        left_outer_m: 0.075,
        right_inner_m: 0.063,
        right_outer_m: 0.075,
    };

    fn axes(left: f64, right: f64) -> Axes {
        [left, right, 0.0, 0.0, 0.0, 0.0, 0.0]
    }

    #[test]
    fn a_symmetric_posture_has_the_tool_in_the_middle() {
        let (left, right) = (2.2, std::f64::consts::PI - 2.2);
        let pose = DEVICE.forward(&axes(left, right)).unwrap();
        let reach = 0.0125 + 0.063 * right.cos();
        let expected = 0.063 * right.sin() + (0.075_f64.powi(2) - reach.powi(2)).sqrt();
        assert!(pose.translation.x.abs() < 1e-12);
        assert!((pose.translation.y - expected).abs() < 1e-12);
    }

    #[test]
    fn links_that_cannot_meet_are_reported_with_the_gap() {
        let short = Pantograph {
            left_outer_m: 0.02,
            right_outer_m: 0.02,
            ..DEVICE
        };
        let error = short.forward(&axes(std::f64::consts::PI, 0.0)).unwrap_err();
        let KinematicsError::Unreachable { gap_m } = error else {
            panic!("{error}")
        };
        assert!((gap_m - (0.025 + 0.126 - 0.04)).abs() < 1e-12);
        assert_eq!(
            DEVICE.forward(&axes(0.0, f64::INFINITY)),
            Err(KinematicsError::NotFinite { axis: 1 })
        );
    }

    #[test]
    fn outer_links_in_line_are_singular() {
        // Elbows 0.15 m apart: the outer links are straight.
        let angle = (0.15_f64 / 2.0 - 0.0125).clamp(-0.063, 0.063) / 0.063;
        let right = angle.acos() + 1e-4;
        let at = axes(std::f64::consts::PI - right, right);
        assert!(DEVICE.forward(&at).is_ok());
        let wrench = Wrench {
            force_n: crate::arm::Vec3::y(),
            ..Wrench::zero()
        };
        assert!(matches!(
            DEVICE.efforts(&at, &wrench),
            Err(KinematicsError::Singular { .. })
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(100))]

        #[test]
        fn the_links_keep_their_lengths_and_the_work_is_right(left in 0.0_f64..4.0, right in -1.0_f64..3.0, outer in 0.06_f64..0.1) {
            let device = Pantograph { left_outer_m: outer, ..DEVICE };
            let at = axes(left, right);
            let Ok(pose) = device.forward(&at) else { return Ok(()) };
            let elbow = |x: f64, angle: f64| Vector2::new(x + 0.063 * angle.cos(), 0.063 * angle.sin());
            let (a, b) = (elbow(-0.0125, left), elbow(0.0125, right));
            let tool = pose.translation.vector.xy();
            prop_assert!(((tool - a).norm() - outer).abs() < 1e-9);
            prop_assert!(((tool - b).norm() - 0.075).abs() < 1e-9);
            prop_assert!((b - a).perp(&(tool - a)) >= -1e-9, "the tool is on the wrong side");
            // Finite differences are only as accurate as the distance to the singularity allows.
            let measure = (tool - a).perp(&(tool - b)).abs() / (outer * 0.075);
            if device.efforts(&at, &Wrench::zero()).is_ok() && measure > 0.1 {
                check_against_differences(&device, &at);
            }
        }
    }
}
