//! The delta robot (Clavel 1988): three motors around a triangle, each turning an upper arm.
//! Parallelogram forearms carry a platform that never turns. The Novint Falcon and the Force
//! Dimension omega are of this kind.
//!
//! Mechanism frame: the motor axes lie in the plane z = 0 on a circle of radius `base_radius_m`,
//! each tangential to it, at the given azimuths (increasing, counterclockwise seen from +z). At
//! angle zero an upper arm points straight outwards; a positive angle turns it towards +z, where
//! the platform is. Closed form: shifted inwards by the platform's radius, the elbows are the
//! centres of three spheres whose radius is the forearm's length. The tool is where the spheres
//! meet on the +z side.
//!
//! The mechanism is singular where the three forearms fall into a plane.

use nalgebra::{Matrix3, Translation3, UnitQuaternion};

use super::{AxisUnit, Kinematics, KinematicsError, finite};
use crate::arm::{Axes, MAX_AXES, Pose, Vec3, Wrench};

/// Smallest volume of the parallelepiped of the forearms' unit vectors.
const MIN_TRANSMISSION: f64 = 0.02;

/// Dimensions of the mechanism; all lengths in m.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Delta {
    /// Radius of the circle of the motor axes, m.
    pub base_radius_m: f64,
    /// Radius of the circle where the forearms hold the platform, m.
    pub platform_radius_m: f64,
    /// Length of the upper arms, m.
    pub upper_arm_m: f64,
    /// Length of the forearms, m.
    pub forearm_m: f64,
    /// Azimuths of the three arms about z, rad, increasing within one turn.
    pub azimuths_rad: [f64; 3],
}

struct Posture {
    tool: Vec3,
    /// Vectors from the shifted elbows to the tool, m.
    forearms: [Vec3; 3],
    /// Derivative of each elbow with respect to its angle, m/rad.
    elbow_jacobian: [Vec3; 3],
}

impl Delta {
    fn posture(&self, axes: &Axes) -> Result<Posture, KinematicsError> {
        finite(axes, 3)?;
        let outwards = |i: usize| {
            let (sin, cos) = self.azimuths_rad[i].sin_cos();
            Vec3::new(cos, sin, 0.0)
        };
        let inset = self.base_radius_m - self.platform_radius_m;
        let center: [Vec3; 3] = std::array::from_fn(|i| {
            let (sin, cos) = axes[i].sin_cos();
            outwards(i) * (inset + self.upper_arm_m * cos) + Vec3::z() * (self.upper_arm_m * sin)
        });
        let elbow_jacobian = std::array::from_fn(|i| {
            let (sin, cos) = axes[i].sin_cos();
            (Vec3::z() * cos - outwards(i) * sin) * self.upper_arm_m
        });
        // Equal spheres meet above the circumcentre of their centres.
        let (u, v) = (center[1] - center[0], center[2] - center[0]);
        let normal = u.cross(&v);
        let doubled_area = normal.norm();
        if doubled_area < 1e-9 * self.forearm_m * self.forearm_m {
            return Err(KinematicsError::Singular {
                measure: 0.0,
                least: MIN_TRANSMISSION,
            });
        }
        let to_circumcenter = (v * u.norm_squared() - u * v.norm_squared()).cross(&normal)
            / (2.0 * doubled_area * doubled_area);
        let height_squared = self.forearm_m * self.forearm_m - to_circumcenter.norm_squared();
        if height_squared < 0.0 {
            return Err(KinematicsError::Unreachable {
                gap_m: to_circumcenter.norm() - self.forearm_m,
            });
        }
        let tool = center[0] + to_circumcenter + normal * (height_squared.sqrt() / doubled_area);
        Ok(Posture {
            tool,
            forearms: center.map(|center| tool - center),
            elbow_jacobian,
        })
    }
}

impl Kinematics for Delta {
    fn axes(&self) -> &[AxisUnit] {
        &[AxisUnit::Radian, AxisUnit::Radian, AxisUnit::Radian]
    }

    fn has_rotation(&self) -> bool {
        false
    }

    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError> {
        let tool = self.posture(axes)?.tool;
        Ok(Pose::from_parts(
            Translation3::from(tool),
            UnitQuaternion::identity(),
        ))
    }

    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError> {
        let Posture {
            forearms,
            elbow_jacobian,
            ..
        } = self.posture(axes)?;
        // The forearms keep their length: forearm_i . dtool = forearm_i . swing_i dangle_i, so J =
        // M^-1 E.
        let rows = Matrix3::from_rows(&forearms.map(|forearm| forearm.transpose()));
        let measure = rows.determinant().abs() / self.forearm_m.powi(3);
        let singular = KinematicsError::Singular {
            measure,
            least: MIN_TRANSMISSION,
        };
        if measure.is_nan() || measure < MIN_TRANSMISSION {
            return Err(singular);
        }
        let inverse = rows.try_inverse().ok_or(singular)?;
        let tension = inverse.transpose() * wrench.force_n;
        let mut efforts = [0.0; MAX_AXES];
        for i in 0..3 {
            efforts[i] = forearms[i].dot(&elbow_jacobian[i]) * tension[i];
        }
        Ok(efforts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::testing::check_against_differences;
    use proptest::prelude::*;

    const THIRD: f64 = std::f64::consts::TAU / 3.0;

    /// About the size of a Falcon: upper arm 60 mm, forearm 102.5 mm.
    const DEVICE: Delta = Delta {
        base_radius_m: 0.037,
        platform_radius_m: 0.025,
        upper_arm_m: 0.060,
        forearm_m: 0.1025,
        azimuths_rad: [0.3, 0.3 + THIRD, 0.3 + 2.0 * THIRD],
    };

    fn axes(a: f64, b: f64, c: f64) -> Axes {
        [a, b, c, 0.0, 0.0, 0.0, 0.0]
    }

    #[test]
    fn equal_angles_put_the_platform_on_the_axis() {
        let angle = 0.4_f64;
        let pose = DEVICE.forward(&axes(angle, angle, angle)).unwrap();
        let reach = 0.012 + 0.060 * angle.cos();
        let height = 0.060 * angle.sin() + (0.1025_f64.powi(2) - reach.powi(2)).sqrt();
        assert!(pose.translation.vector.xy().norm() < 1e-12);
        assert!((pose.translation.z - height).abs() < 1e-12);
    }

    #[test]
    fn out_of_reach_and_singular_postures_are_reported() {
        let short = Delta {
            forearm_m: 0.03,
            ..DEVICE
        };
        assert!(matches!(
            short.forward(&axes(0.0, 0.0, 0.0)),
            Err(KinematicsError::Unreachable { gap_m }) if gap_m > 0.0
        ));
        // The forearms lie almost flat.
        let flat = Delta {
            forearm_m: 0.072 + 1e-6,
            ..DEVICE
        };
        let at = axes(0.0, 0.0, 0.0);
        assert!(flat.forward(&at).is_ok());
        let error = flat.efforts(&at, &Wrench::zero()).unwrap_err();
        assert!(matches!(error, KinematicsError::Singular { .. }), "{error}");
        // All shifted elbows coincide.
        let closed = Delta {
            base_radius_m: 0.025,
            upper_arm_m: 0.0,
            ..DEVICE
        };
        assert!(closed.forward(&at).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]

        /// The forearms keep their lengths, the platform is beyond the elbows, and virtual work
        /// agrees.
        #[test]
        fn any_posture_is_consistent(angles in prop::array::uniform3(-0.8_f64..1.4), skew in -0.3_f64..0.3) {
            let mut device = DEVICE;
            device.azimuths_rad[1] += skew;
            let at = axes(angles[0], angles[1], angles[2]);
            let Ok(pose) = device.forward(&at) else { return Ok(()) };
            for i in 0..3 {
                let (sin, cos) = device.azimuths_rad[i].sin_cos();
                let radius = 0.037 + 0.060 * angles[i].cos();
                let elbow = Vec3::new(radius * cos, radius * sin, 0.060 * angles[i].sin());
                let joint = pose.translation.vector + 0.025 * Vec3::new(cos, sin, 0.0);
                prop_assert!(((elbow - joint).norm() - 0.1025).abs() < 1e-9);
            }
            if device.efforts(&at, &Wrench::zero()).is_ok() {
                check_against_differences(&device, &at);
            }
        }
    }
}
