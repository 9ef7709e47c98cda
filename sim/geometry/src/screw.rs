//! Constant-speed screws: the in-between motion of every continuous query (Redon 2002, sections 2.3
//! and 2.5, appendix A.1).
//!
//! A screw turns by `angle` about an axis while it shifts by `translation` along it, both at
//! constant speed over `t` in `[0, 1]`. Everything is expressed in one frame, that of the axis. No
//! allocation, no panics; NaN in, NaN out.
//!
//! # Practice
//!
//! For small angles the axis is far away (`|point|` grows like `1/angle`), and the textbook form
//! `o + R (x - o)` would lose as many digits. Displacements are therefore computed from the
//! velocity of the point itself: `x(t) = x + s t u + p sin(wt)/w + (w u x p) (1 - cos wt)/w^2` with
//! `p = w u x (x - o)`. It is the same motion (Rodrigues' formula), but `x - o` is only ever
//! multiplied by `w`. The error stays at the rounding of the coordinates and of the displacement,
//! at every angle.

use std::f64::consts::{PI, TAU};

use crate::pose::{Pose, Quat, Vec3};

/// Rotations smaller than this (radians per screw) are treated as zero. Over a metre they move a
/// point by a femtometre, less than the rounding of a coordinate of ten metres.
const MIN_ANGLE: f64 = 1e-15;

/// Below this, `sin(wt)/w = t` to the last bit, and `w^2` may underflow as a divisor.
pub(crate) const STRAIGHT: f64 = 1e-150;

/// A constant-speed screw over `t` in `[0, 1]`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Screw {
    /// Rotation about the axis, radians, not negative when built here.
    pub angle: f64,
    /// Shift along the axis, metres; may be negative.
    pub translation: f64,
    /// A point of the axis.
    pub point: Vec3,
    /// Direction of the axis, unit.
    pub axis: Vec3,
}

impl Screw {
    /// The screw without motion.
    #[must_use]
    pub fn identity() -> Self {
        Screw {
            angle: 0.0,
            translation: 0.0,
            point: Vec3::zeros(),
            axis: Vec3::z(),
        }
    }

    /// Builds the screw that displaces `pivot` by exactly `displacement` and rotates by the
    /// rotation vector `rotation` (radians).
    ///
    /// A rotation beyond a half turn is replaced by the shorter one with the same end. Towards a
    /// full turn, the axis that also displaces the pivot goes to infinity, and the path with it.
    /// `angle` is in `[0, pi]`.
    #[must_use]
    pub fn from_twist(displacement: &Vec3, rotation: &Vec3, pivot: &Vec3) -> Self {
        let mut angle = rotation.norm();
        let mut axis = rotation / angle;
        if angle > PI {
            angle %= TAU;
            if angle > PI {
                (angle, axis) = (TAU - angle, -axis);
            }
        }
        // Not `<=`, so that NaN takes the general branch and stays visible.
        if angle < MIN_ANGLE {
            let translation = displacement.norm();
            let axis = if translation > 0.0 {
                displacement / translation
            } else {
                Vec3::z()
            };
            return Screw {
                angle: 0.0,
                translation,
                point: *pivot,
                axis,
            };
        }
        let translation = displacement.dot(&axis);
        let across = displacement - axis * translation;
        // 0.5 |across| (n1 + cot(w/2) u x n1), where n1 is the direction of `across`.
        let (sin, cos) = (0.5 * angle).sin_cos();
        let point = pivot + (across + axis.cross(&across) * (cos / sin)) * 0.5;
        Screw {
            angle,
            translation,
            point,
            axis,
        }
    }

    /// Builds the screw from one pose to another about the origin of the first, by the shorter
    /// rotation.
    #[must_use]
    pub fn between(from: &Pose, to: &Pose) -> Self {
        let rotation = (to.rotation * from.rotation.inverse()).scaled_axis();
        let displacement = to.translation.vector - from.translation.vector;
        Self::from_twist(&displacement, &rotation, &from.translation.vector)
    }

    /// Returns the angular velocity, radians per screw.
    #[inline]
    #[must_use]
    pub fn angular_velocity(&self) -> Vec3 {
        self.axis * self.angle
    }

    /// Returns the velocity of the point that is now at `x`, metres per screw.
    #[inline]
    #[must_use]
    pub fn velocity_of(&self, x: &Vec3) -> Vec3 {
        self.axis * self.translation + self.angular_velocity().cross(&(x - self.point))
    }

    /// Returns the magnitude of the acceleration of the point that is now at `x`, metres per screw
    /// squared.
    ///
    /// It is constant in time: `angle^2` times the distance to the axis. Over a time `dt` the point
    /// stays within half of it times `dt^2` of its tangent.
    #[inline]
    #[must_use]
    pub fn acceleration_bound(&self, x: &Vec3) -> f64 {
        let omega = self.angular_velocity();
        omega.cross(&omega.cross(&(x - self.point))).norm()
    }

    /// Returns the displacement at time `t` of the point that is at `x` at time 0.
    #[inline]
    #[must_use]
    pub fn shift_of(&self, x: &Vec3, t: f64) -> Vec3 {
        let omega = self.angular_velocity();
        let turning = omega.cross(&(x - self.point));
        let (along, inward) = turn_factors(self.angle, t);
        self.axis * (self.translation * t) + turning * along + omega.cross(&turning) * inward
    }

    /// Returns the displacement at time `t`: it takes points at time 0 to points at time `t`.
    #[must_use]
    pub fn displacement_at(&self, t: f64) -> Pose {
        Pose::from_parts(self.shift_of(&Vec3::zeros(), t).into(), self.rotation_at(t))
    }

    /// Returns the rotation at time `t`.
    #[inline]
    #[must_use]
    pub fn rotation_at(&self, t: f64) -> Quat {
        Quat::from_scaled_axis(self.angular_velocity() * t)
    }

    /// Returns the pose at time `t` of a body that starts at `start`.
    #[must_use]
    pub fn pose_at(&self, start: &Pose, t: f64) -> Pose {
        let x = start.translation.vector;
        Pose::from_parts(
            (x + self.shift_of(&x, t)).into(),
            self.rotation_at(t) * start.rotation,
        )
    }

    /// Returns the first share `s` of the screw as a screw over the full unit of time.
    #[must_use]
    pub fn part(&self, s: f64) -> Self {
        Screw {
            angle: self.angle * s,
            translation: self.translation * s,
            ..*self
        }
    }

    /// Returns the reverse motion.
    #[must_use]
    pub fn inverse(&self) -> Self {
        self.part(-1.0)
    }

    /// Returns the same motion in another frame.
    #[must_use]
    pub fn in_frame(&self, new_from_old: &Pose) -> Self {
        Screw {
            point: crate::pose::transform(new_from_old, &self.point),
            axis: new_from_old.rotation * self.axis,
            ..*self
        }
    }

    /// Returns an upper bound of the path length, up to time `t`, of any point that starts within
    /// `radius` of `centre`. Includes rounding.
    #[must_use]
    pub fn max_displacement(&self, centre: &Vec3, radius: f64, t: f64) -> f64 {
        let angle = self.angle.abs();
        let rounding = 8.0
            * f64::EPSILON
            * (self.translation.abs() + angle * (centre.norm() + self.point.norm() + radius));
        (self.velocity_of(centre).norm() + angle * radius + rounding) * t.abs()
    }
}

/// Returns `sin(wt)/w` and `(1 - cos wt)/w^2`.
#[inline]
fn turn_factors(w: f64, t: f64) -> (f64, f64) {
    if w.abs() < STRAIGHT {
        (t, 0.5 * t * t)
    } else {
        let half = (0.5 * w * t).sin() / w;
        ((w * t).sin() / w, 2.0 * half * half)
    }
}

#[cfg(test)]
mod tests;
