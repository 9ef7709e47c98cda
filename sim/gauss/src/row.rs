//! One contact inequality on the motion of a rigid body. Plain data: no allocation, no failure.

use crate::{Motion, Vec3};

/// The admissible side of one contact: `normal . (v + om x arm) >= bound` for a motion `(v, om)`.
///
/// World axes. `normal` need not be of unit length (the row is scale invariant); a zero row is
/// trivially true when `bound <= 0` and trivially infeasible otherwise. Source: Redon 2002,
/// equations 5.5 to 5.8.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// Contact normal, from the obstacle to the body.
    pub normal: Vec3,
    /// Contact point minus the reference point (m).
    pub arm: Vec3,
    /// Smallest admissible motion of the contact point along the normal, in the motion's unit (m
    /// for a displacement).
    ///
    /// Minus the free gap for a contact that may still close; positive to request separation.
    pub bound: f64,
}

impl Row {
    /// A row without demands.
    pub(crate) const NONE: Self = Self {
        normal: Vec3::new(0.0, 0.0, 0.0),
        arm: Vec3::new(0.0, 0.0, 0.0),
        bound: 0.0,
    };

    /// The row as a covector of motion space: `(n, arm x n)`.
    #[must_use]
    pub fn covector(&self) -> Motion {
        let moment = self.arm.cross(&self.normal);
        Motion::new(
            self.normal.x,
            self.normal.y,
            self.normal.z,
            moment.x,
            moment.y,
            moment.z,
        )
    }

    /// Motion of the contact point along the normal, minus the bound: negative when the row is
    /// violated.
    #[must_use]
    pub fn slack(&self, motion: &Motion) -> f64 {
        self.covector().dot(motion) - self.bound
    }
}
