//! Points, vectors and poses: the few names that every simulation crate shares.
//!
//! Points and vectors are both [`Vec3`]; a [`Pose`] is a rigid transform named after what it does
//! (`world_from_tool` takes tool coordinates to world coordinates). SI units, right-handed frames. No allocation, no panics.

/// A point or a vector, metres unless named otherwise.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A rigid transform.
pub type Pose = nalgebra::Isometry3<f64>;
/// A rotation.
pub type Quat = nalgebra::UnitQuaternion<f64>;
/// A 3x3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

/// The point `p` through the rigid transform: rotated and translated.
#[inline]
#[must_use]
pub fn transform(pose: &Pose, p: &Vec3) -> Vec3 {
    pose.rotation * p + pose.translation.vector
}
