//! Points, vectors and poses: the basic types that every simulation crate shares.
//!
//! Points and vectors are both [`Vec3`]. A [`Pose`] is a rigid transform named after what it does
//! (`world_from_tool` takes tool coordinates to world coordinates). SI units, right-handed frames.
//! No allocation, no panics.

/// A point or a vector, in metres unless its name says otherwise.
pub type Vec3 = nalgebra::Vector3<f64>;
/// A rigid transform.
pub type Pose = nalgebra::Isometry3<f64>;
/// A rotation.
pub type Quat = nalgebra::UnitQuaternion<f64>;
/// A 3x3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;

/// A [`Pose`] as a matrix, for transforming many points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rigid {
    /// Orthonormal, right-handed.
    pub rotation: Mat3,
    /// Metres.
    pub translation: Vec3,
}

impl Rigid {
    /// Builds the matrix of a pose.
    #[inline]
    #[must_use]
    pub fn new(pose: &Pose) -> Self {
        Self {
            rotation: *pose.rotation.to_rotation_matrix().matrix(),
            translation: pose.translation.vector,
        }
    }

    /// Transforms a point, as [`transform`] does.
    #[inline]
    #[must_use]
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.translation
    }

    /// Transforms a point by the inverse.
    #[inline]
    pub fn inverse_point(&self, p: &Vec3) -> Vec3 {
        self.inverse_vector(&(p - self.translation))
    }

    /// Rotates a vector.
    #[inline]
    pub fn turn(&self, v: &Vec3) -> Vec3 {
        self.rotation * v
    }

    /// Rotates a vector by the inverse.
    #[inline]
    #[must_use]
    pub fn inverse_vector(&self, v: &Vec3) -> Vec3 {
        self.rotation.tr_mul(v)
    }
}

/// Transforms the point `p`: rotates, then translates it.
#[inline]
#[must_use]
pub fn transform(pose: &Pose, p: &Vec3) -> Vec3 {
    pose.rotation * p + pose.translation.vector
}
