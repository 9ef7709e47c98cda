//! Redon's first method: the algebraic motion, whose collision equations are polynomials (Redon
//! 2002, chapter 2).
//!
//! The body turns at constant speed and shifts along the axis by `s f(t)`, `f(t) = tan(w t / 2) /
//! tan(w / 2)`, or `t` where `w = 0` (equation 2.24). Here the parameter is the share `f` of the
//! shift itself, in `[0, 1]`, with `T = tan(w / 2)` and `tau = T f`:
//!
//! ```text
//! cos(wt) = (1 - tau^2) / (1 + tau^2),   sin(wt) = 2 tau / (1 + tau^2),   shift = s f
//! ```
//!
//! In `f` the polynomials have no division in them (the thesis' `s / T` becomes `s T`), and at `w =
//! 0` they become those of pure translation by themselves.
//!
//! - [`cubic`]: roots of a cubic in an interval.
//! - [`pair`]: edge/edge and vertex/face as cubics, with validation.
//! - [`sphere`]: whether two spheres meet, a quartic.
//!
//! One mover at a time: these motions do not compose (section 2.7.4). Valid for `0 <= w < pi`,
//! meant for `w` well under 1 a step: the shift is not of constant speed. Coordinates are those of
//! the *screw frame*, z along the axis and the origin on it, so rotations of less than about 1e-6,
//! whose axis is far away, cost digits; use [`hapticd_ccd::moving`] there. A second opinion, not
//! the real-time path; roots are accurate to rounding, not proven bounds. No allocation, no panics.
//! Metres, radians.

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
    /// The algebraic motion with the ends of `screw`. `None` unless the angle is in `[0, pi)` and
    /// all numbers are finite.
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

    /// A point in the screw frame.
    #[inline]
    #[must_use]
    pub fn to_frame(&self, x: &Vec3) -> Vec3 {
        self.frame * (x - self.screw.point)
    }

    /// A point of the screw frame, back.
    #[inline]
    #[must_use]
    pub fn from_frame(&self, x: &Vec3) -> Vec3 {
        self.frame.tr_mul(x) + self.screw.point
    }

    /// Share of the shift made at time `t`.
    #[must_use]
    pub fn share_at(&self, t: f64) -> f64 {
        if self.half_tangent > 0.0 {
            (0.5 * self.screw.angle * t).tan() / self.half_tangent
        } else {
            t
        }
    }

    /// Time at which a share of the shift is made.
    #[must_use]
    pub fn time_of(&self, share: f64) -> f64 {
        if self.half_tangent > 0.0 {
            2.0 * (self.half_tangent * share).atan() / self.screw.angle
        } else {
            share
        }
    }

    /// Where a point of the moving body, in the screw frame, is when a share of the shift is made.
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

    /// The displacement at time `t`, in the frame that the screw is given in.
    #[must_use]
    pub fn displacement_at(&self, t: f64) -> Pose {
        let share = self.share_at(t);
        let origin = self.moved(&self.to_frame(&Vec3::zeros()), share);
        Pose::from_parts(self.from_frame(&origin).into(), self.screw.rotation_at(t))
    }
}
