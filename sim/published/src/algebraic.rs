//! Redon's first method: the algebraic motion, which has polynomial collision equations (Redon
//! 2002, chapter 2).
//!
//! The body turns at constant speed and shifts along the axis by `s f(t)`, `f(t) = tan(w t / 2) /
//! tan(w / 2)`, or `t` where `w = 0` (equation 2.24). Here the parameter is the fraction `f` of the
//! shift itself, in `[0, 1]`, with `T = tan(w / 2)` and `tau = T f`:
//!
//! ```text
//! cos(wt) = (1 - tau^2) / (1 + tau^2),   sin(wt) = 2 tau / (1 + tau^2),   shift = s f
//! ```
//!
//! In `f` the polynomials contain no division (the thesis' `s / T` becomes `s T`), and for `w = 0`
//! they reduce to those of pure translation.
//!
//! - [`cubic`]: roots of a cubic in an interval.
//! - [`pair`]: edge/edge and vertex/face as cubics, with validation.
//! - [`sphere`]: contact of two spheres, a quartic.
//!
//! One mover at a time: these motions do not compose (section 2.7.4). Valid for `0 <= w < pi`,
//! intended for `w` well under 1 a step: the shift is not of constant speed. Coordinates are those
//! of the *screw frame*, z along the axis and the origin on it. So rotations of less than about
//! 1e-6, which have a distant axis, lose digits; use [`hapticd_ccd::moving`] there. An independent
//! check, not the real-time path. Roots are accurate to rounding, not proven bounds. No allocation,
//! no panics. Metres, radians.

pub mod cubic;
pub mod pair;
pub mod sphere;

use hapticd_geometry::{Mat3, Pose, Screw, Vec3};

/// The algebraic motion of a screw.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlgebraicMotion {
    screw: Screw,
    /// `tan(w / 2)`.
    half_tangent: f64,
    /// Rows are the axes of the screw frame.
    frame: Mat3,
}

impl AlgebraicMotion {
    /// Creates the algebraic motion with the end poses of `screw`. `None` unless the angle is in
    /// `[0, pi)` and all numbers are finite.
    #[must_use]
    pub fn new(screw: &Screw) -> Option<Self> {
        let sum = screw.translation + screw.point.sum() + screw.axis.sum();
        if !(0.0..std::f64::consts::PI).contains(&screw.angle) || !sum.is_finite() {
            return None;
        }
        let z = screw.axis;
        let away = if z.x.abs() < 0.6 {
            Vec3::x()
        } else {
            Vec3::y()
        };
        let x = away.cross(&z).try_normalize(0.0)?;
        let y = z.cross(&x);
        Some(Self {
            screw: *screw,
            half_tangent: (0.5 * screw.angle).tan(),
            frame: Mat3::from_rows(&[x.transpose(), y.transpose(), z.transpose()]),
        })
    }

    /// Rotation over the whole motion, radians.
    #[must_use]
    pub fn angle(&self) -> f64 {
        self.screw.angle
    }

    /// Shift along the axis over the whole motion, metres.
    #[must_use]
    pub fn translation(&self) -> f64 {
        self.screw.translation
    }

    /// `tan(w / 2)`.
    #[must_use]
    pub fn half_tangent(&self) -> f64 {
        self.half_tangent
    }

    /// Converts a point to the screw frame.
    #[inline]
    #[must_use]
    pub fn to_frame(&self, x: &Vec3) -> Vec3 {
        self.frame * (x - self.screw.point)
    }

    /// Converts a point back from the screw frame.
    #[inline]
    #[must_use]
    pub fn from_frame(&self, x: &Vec3) -> Vec3 {
        self.frame.tr_mul(x) + self.screw.point
    }

    /// Fraction of the shift made at time `t`.
    #[must_use]
    pub fn share_at(&self, t: f64) -> f64 {
        if self.half_tangent > 0.0 {
            (0.5 * self.screw.angle * t).tan() / self.half_tangent
        } else {
            t
        }
    }

    /// Time at which a fraction of the shift is made.
    #[must_use]
    pub fn time_of(&self, share: f64) -> f64 {
        if self.half_tangent > 0.0 {
            2.0 * (self.half_tangent * share).atan() / self.screw.angle
        } else {
            share
        }
    }

    /// Position of a point of the moving body when a fraction of the shift is made, both in the
    /// screw frame.
    #[inline]
    #[must_use]
    pub fn moved(&self, x: &Vec3, share: f64) -> Vec3 {
        let tau = self.half_tangent * share;
        let scale = 1.0 / (1.0 + tau * tau);
        let (cos, sin) = ((1.0 - tau * tau) * scale, 2.0 * tau * scale);
        Vec3::new(
            cos * x.x - sin * x.y,
            sin * x.x + cos * x.y,
            x.z + self.screw.translation * share,
        )
    }

    /// Displacement at time `t`, in the frame of the screw.
    #[must_use]
    pub fn displacement_at(&self, t: f64) -> Pose {
        let share = self.share_at(t);
        let origin = self.moved(&self.to_frame(&Vec3::zeros()), share);
        Pose::from_parts(self.from_frame(&origin).into(), self.screw.rotation_at(t))
    }
}
