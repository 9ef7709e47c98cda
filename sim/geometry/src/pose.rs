//! Points, vectors and poses: the few names that every simulation crate shares.
//!
//! Points and vectors are both [`Vec3`]; a [`Pose`] is a rigid transform named after what it does
//! (`world_from_tool` takes tool coordinates to world coordinates). SI units, right-handed frames.
//! No allocation, no panics.

/// A point or a vector, metres unless named otherwise.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A rigid transform.
pub type Pose = nalgebra::Isometry3<f64>;
/// A rotation.
pub type Quat = nalgebra::UnitQuaternion<f64>;
/// A 3x3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

/// A [`Pose`] as a matrix: for taking many points through it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Orthonormal, right-handed.
    pub rotation: Mat3,
    /// Metres.
    pub translation: Vec3,
}

impl Rigid {
    /// The same transform.
    #[inline]
    #[must_use]
    pub fn new(pose: &Pose) -> Self {
        Self {
            rotation: *pose.rotation.to_rotation_matrix().matrix(),
            translation: pose.translation.vector,
        }
    }

    /// [`transform`] of a point.
    #[inline]
    #[must_use]
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// Takes a point back.
    #[inline]
    pub fn unpoint(&self, p: &Vec3) -> Vec3 {
        self.unturn(&(p - self.translation))
    }

    /// Turns a vector.
    #[inline]
    pub fn turn(&self, v: &Vec3) -> Vec3 {
        self.rotation * v
    }

    /// A direction back through the rotation.
    #[inline]
    #[must_use]
    pub fn unturn(&self, v: &Vec3) -> Vec3 {
        self.rotation.tr_mul(v)
    }
}

/// The point `p` through the rigid transform: rotated and translated.
#[inline]
#[must_use]
pub fn transform(pose: &Pose, p: &Vec3) -> Vec3 {
    pose.rotation * p + pose.translation.vector
}
