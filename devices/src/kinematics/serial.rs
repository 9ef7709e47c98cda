//! A chain of up to seven revolute or prismatic joints with Denavit-Hartenberg parameters (1955;
//! the "standard" or distal convention, as in Paul 1981). The frame of joint `i` follows from the
//! previous one by `RotZ(theta) TransZ(d) TransX(a) RotX(alpha)`; the joint moves `theta` or `d`.
//!
//! On many arms the measured motors drive several joints: a parallelogram turns the forearm
//! relative to the ground, not to the upper arm. `coupling` is the constant matrix `C` of `joints =
//! C * axes`; efforts are then `C^T` times the joints' torques.

use nalgebra::{SMatrix, SVector, Translation3, UnitQuaternion};

use super::{AxisUnit, Kinematics, KinematicsError, finite};
use crate::arm::{Axes, MAX_AXES, Pose, Vec3, Wrench};

/// Motion of a joint.
#[derive(Copy, Clone, Debug, PartialEq, Eq)]
pub enum JointKind {
    /// Turns about z of the previous frame.
    Revolute,
    /// Slides along z of the previous frame.
    Prismatic,
}

/// One joint and the link after it.
#[derive(Copy, Clone, Debug, PartialEq)]
pub struct Joint {
    /// Motion of the joint.
    pub kind: JointKind,
    /// Link length along the new x, m.
    pub a_m: f64,
    /// Twist about the new x, rad.
    pub alpha_rad: f64,
    /// Offset along the old z, m; plus the axis if prismatic.
    pub d_m: f64,
    /// Angle about the old z, rad; plus the axis if revolute.
    pub theta_rad: f64,
}

/// Kinematic model of a serial arm.
#[derive(Clone, Debug)]
pub struct Serial {
    joints: Vec<Joint>,
    units: Vec<AxisUnit>,
    coupling: SMatrix<f64, MAX_AXES, MAX_AXES>,
    has_rotation: bool,
}

impl Serial {
    /// Makes a chain of 1 to 7 joints; `None` for any other number.
    ///
    /// `coupling[i][j]` is the motion of joint `i` per unit of axis `j`; only the rows and columns
    /// of existing joints are used. Without `has_rotation` the flange's rotation is dropped and
    /// torques are taken as zero: for arms whose handle turns freely.
    #[must_use]
    pub fn new(
        joints: Vec<Joint>,
        coupling: Option<[[f64; MAX_AXES]; MAX_AXES]>,
        has_rotation: bool,
    ) -> Option<Self> {
        if !(1..=MAX_AXES).contains(&joints.len()) {
            return None;
        }
        let units = (joints.iter())
            .map(|joint| match joint.kind {
                JointKind::Revolute => AxisUnit::Radian,
                JointKind::Prismatic => AxisUnit::Metre,
            })
            .collect();
        let mut matrix = SMatrix::identity();
        if let Some(rows) = coupling {
            for (i, row) in rows.iter().enumerate().take(joints.len()) {
                for (j, value) in row.iter().enumerate().take(joints.len()) {
                    matrix[(i, j)] = *value;
                }
            }
        }
        Some(Self {
            joints,
            units,
            coupling: matrix,
            has_rotation,
        })
    }

    /// Returns the frames of the chain from the ground: for each joint the frame *before* it, then
    /// the flange.
    fn frames(&self, axes: &Axes) -> [Pose; MAX_AXES + 1] {
        let positions = self.coupling * SVector::from(*axes);
        let mut frames = [Pose::identity(); MAX_AXES + 1];
        for (i, joint) in self.joints.iter().enumerate() {
            let (theta, d) = match joint.kind {
                JointKind::Revolute => (joint.theta_rad + positions[i], joint.d_m),
                JointKind::Prismatic => (joint.theta_rad, joint.d_m + positions[i]),
            };
            let turn = UnitQuaternion::from_scaled_axis(Vec3::z() * theta);
            let slide = Translation3::from(turn * Vec3::new(joint.a_m, 0.0, 0.0) + Vec3::z() * d);
            let twist = UnitQuaternion::from_scaled_axis(Vec3::x() * joint.alpha_rad);
            frames[i + 1] = frames[i] * Pose::from_parts(slide, turn * twist);
        }
        frames
    }
}

impl Kinematics for Serial {
    fn axes(&self) -> &[AxisUnit] {
        &self.units
    }

    fn has_rotation(&self) -> bool {
        self.has_rotation
    }

    fn forward(&self, axes: &Axes) -> Result<Pose, KinematicsError> {
        finite(axes, self.joints.len())?;
        let flange = self.frames(axes)[self.joints.len()];
        Ok(if self.has_rotation {
            flange
        } else {
            Pose::from_parts(flange.translation, UnitQuaternion::identity())
        })
    }

    fn efforts(&self, axes: &Axes, wrench: &Wrench) -> Result<Axes, KinematicsError> {
        finite(axes, self.joints.len())?;
        let frames = self.frames(axes);
        let flange = frames[self.joints.len()].translation.vector;
        let torque = if self.has_rotation {
            wrench.torque_nm
        } else {
            Vec3::zeros()
        };
        let mut efforts = SVector::<f64, MAX_AXES>::zeros();
        for (i, joint) in self.joints.iter().enumerate() {
            let z = frames[i].rotation * Vec3::z();
            efforts[i] = match joint.kind {
                JointKind::Revolute => {
                    let arm = flange - frames[i].translation.vector;
                    z.dot(&(torque + arm.cross(&wrench.force_n)))
                }
                JointKind::Prismatic => z.dot(&wrench.force_n),
            };
        }
        Ok((self.coupling.transpose() * efforts).into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinematics::testing::check_against_differences;
    use proptest::prelude::*;

    fn revolute(a_m: f64, alpha_rad: f64, d_m: f64) -> Joint {
        Joint {
            kind: JointKind::Revolute,
            a_m,
            alpha_rad,
            d_m,
            theta_rad: 0.0,
        }
    }

    #[test]
    fn two_links_in_a_plane_match_the_formula() {
        let chain = Serial::new(
            vec![revolute(0.3, 0.0, 0.0), revolute(0.2, 0.0, 0.0)],
            None,
            true,
        )
        .unwrap();
        let (a, b) = (0.4_f64, 0.9_f64);
        let pose = chain.forward(&[a, b, 0.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        let expected = Vec3::new(
            0.3 * a.cos() + 0.2 * (a + b).cos(),
            0.3 * a.sin() + 0.2 * (a + b).sin(),
            0.0,
        );
        assert!((pose.translation.vector - expected).norm() < 1e-12);
        assert!((pose.rotation.angle() - (a + b)).abs() < 1e-12);
    }

    #[test]
    fn a_puma_at_rest_stands_where_its_textbook_says() {
        // Puma 560 (Paul, Zhang 1986; Corke's parameters): q = 0 puts the wrist at (a2 + a3, d3,
        // d4) = (0.4521, -0.15, 0.4318).
        let half = std::f64::consts::FRAC_PI_2;
        let chain = Serial::new(
            vec![
                revolute(0.0, half, 0.0),
                revolute(0.4318, 0.0, 0.0),
                revolute(0.0203, -half, 0.15005),
                revolute(0.0, half, 0.4318),
                revolute(0.0, -half, 0.0),
                revolute(0.0, 0.0, 0.0),
            ],
            None,
            true,
        )
        .unwrap();
        let pose = chain.forward(&[0.0; 7]).unwrap();
        let expected = Vec3::new(0.4521, -0.15005, 0.4318);
        assert!((pose.translation.vector - expected).norm() < 1e-9);
        assert!(pose.rotation.angle() < 1e-9);
    }

    #[test]
    fn impossible_numbers_of_joints_are_refused() {
        assert!(Serial::new(vec![], None, true).is_none());
        assert!(Serial::new(vec![revolute(0.1, 0.0, 0.0); 8], None, true).is_none());
    }

    fn random_chain() -> impl Strategy<Value = Serial> {
        let joint = (any::<bool>(), prop::array::uniform4(-1.0_f64..1.0));
        let coupling = prop::array::uniform7(prop::array::uniform7(-1.0_f64..1.0));
        let joints = prop::collection::vec(joint, 1..=7);
        (joints, prop::option::of(coupling), any::<bool>()).prop_map(
            |(joints, coupling, rotation)| {
                let joints = (joints.into_iter())
                    .map(|(slides, [a_m, alpha, d_m, theta])| Joint {
                        kind: if slides {
                            JointKind::Prismatic
                        } else {
                            JointKind::Revolute
                        },
                        a_m,
                        alpha_rad: 3.0 * alpha,
                        d_m,
                        theta_rad: 3.0 * theta,
                    })
                    .collect();
                Serial::new(joints, coupling, rotation).unwrap()
            },
        )
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]

        #[test]
        fn any_chain_passes_the_difference_check(chain in random_chain(), axes in prop::array::uniform7(-2.0_f64..2.0)) {
            check_against_differences(&chain, &axes);
        }
    }
}
