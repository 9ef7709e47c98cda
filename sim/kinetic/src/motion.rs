//! Motions of objects: a coordinate on a line ([`Motion1`]), a rigid body in the plane
//! ([`Rigid2`]).
//!
//! Times are local, in seconds; lengths are in metres, angles in radians, counter-clockwise.
//! Motions are plain values: nothing allocates. A motion with a number that is not finite is
//! refused where it is made or passed in.

use crate::kinetic::PlanError;
use crate::polynomial::{Polynomial, Predicate};
use crate::roots::{self, Smooth};

/// Longest interval for which one bound of the second derivative is used, as a rotation angle: half
/// a radian.
const WINDOW_RAD: f64 = 0.5;

/// Gap at which two coordinates have met, as a share of the numbers that it is computed from: the
/// remainder of the steps towards a root.
const NEAR: f64 = 1e-9;

/// Most intervals searched at once, since a horizon may be infinite.
const MAX_WINDOWS: f64 = 64.0;

/// Motion of one coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Motion1 {
    /// `x0 + v (t - t0)`.
    Linear {
        /// Coordinate at `t0`.
        x0: f64,
        /// Speed.
        v: f64,
        /// Reference time.
        t0: f64,
    },
    /// A polynomial of `t - t0`.
    Poly {
        /// Its coefficients.
        p: Polynomial,
        /// Time at which its argument is zero.
        t0: f64,
    },
    /// A point of a body that turns: `x0 + v (t - t0) + radius cos(phase + omega (t - t0))`.
    Turning {
        /// Centre at `t0`.
        x0: f64,
        /// Speed of the centre.
        v: f64,
        /// Distance from the centre.
        radius: f64,
        /// Angle at `t0`.
        phase: f64,
        /// Angular speed.
        omega: f64,
        /// Reference time.
        t0: f64,
    },
}

impl Motion1 {
    /// Returns a motion at rest.
    #[must_use]
    pub fn still(x0: f64) -> Self {
        Self::Linear {
            x0,
            v: 0.0,
            t0: 0.0,
        }
    }

    /// Returns a constant speed from `x0` at time 0.
    #[must_use]
    pub fn linear(x0: f64, v: f64) -> Self {
        Self::Linear { x0, v, t0: 0.0 }
    }

    /// Returns a polynomial of time; coefficients beyond the sixth degree are dropped.
    #[must_use]
    pub fn poly(coefficients: &[f64]) -> Self {
        Self::Poly {
            p: Polynomial::new(coefficients),
            t0: 0.0,
        }
    }

    /// Returns the value at `t`.
    #[must_use]
    pub fn at(&self, t: f64) -> f64 {
        match *self {
            Self::Linear { x0, v, t0 } => x0 + v * (t - t0),
            Self::Poly { ref p, t0 } => p.at(t - t0),
            Self::Turning {
                x0,
                v,
                radius,
                phase,
                omega,
                t0,
            } => x0 + v * (t - t0) + radius * (phase + omega * (t - t0)).cos(),
        }
    }

    /// Returns the derivative at `t`.
    #[must_use]
    pub fn slope(&self, t: f64) -> f64 {
        match *self {
            Self::Linear { v, .. } => v,
            Self::Poly { ref p, t0 } => p.derivative().at(t - t0),
            Self::Turning {
                v,
                radius,
                phase,
                omega,
                t0,
                ..
            } => v - radius * omega * (phase + omega * (t - t0)).sin(),
        }
    }

    /// Returns an upper bound of the second derivative's magnitude in `[t, t + window]`.
    #[must_use]
    pub fn second_derivative_bound(&self, t: f64, window: f64) -> f64 {
        match *self {
            Self::Linear { .. } => 0.0,
            Self::Poly { ref p, t0 } => {
                let second = p.shifted(t - t0).derivative().derivative();
                second
                    .c
                    .iter()
                    .rev()
                    .fold(0.0, |sum, c| sum * window + c.abs())
            }
            Self::Turning { radius, omega, .. } => radius.abs() * omega * omega,
        }
    }

    /// Returns the polynomial about `now`, with the magnitude of the numbers that it was computed
    /// from; `None` if the motion is not a polynomial.
    #[must_use]
    pub fn about(&self, now: f64) -> Option<Predicate> {
        let (p, t0) = match *self {
            Self::Linear { x0, v, t0 } => (Polynomial::new(&[x0, v]), t0),
            Self::Poly { p, t0 } => (p, t0),
            Self::Turning { .. } => return None,
        };
        let absolute = Polynomial {
            c: p.c.map(f64::abs),
        };
        Some(Predicate {
            value: p.shifted(now - t0),
            terms: absolute.shifted((now - t0).abs()),
        })
    }

    /// Returns the degree, or `None` if the motion is not a polynomial.
    #[must_use]
    pub fn degree(&self) -> Option<usize> {
        match self {
            Self::Linear { v, .. } => Some(usize::from(*v != 0.0)),
            Self::Poly { p, .. } => Some(p.degree()),
            Self::Turning { .. } => None,
        }
    }

    /// Returns whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        match *self {
            Self::Linear { x0, v, t0 } => x0.is_finite() && v.is_finite() && t0.is_finite(),
            Self::Poly { ref p, t0 } => p.is_finite() && t0.is_finite(),
            Self::Turning {
                x0,
                v,
                radius,
                phase,
                omega,
                t0,
            } => [x0, v, radius, phase, omega, t0]
                .iter()
                .all(|x| x.is_finite()),
        }
    }

    /// Returns the motion itself if all its numbers are finite; `object` is for the error.
    ///
    /// # Errors
    /// A number is not finite.
    pub fn checked(self, object: u32) -> Result<Self, PlanError> {
        if self.is_finite() {
            Ok(self)
        } else {
            Err(PlanError::NotFinite { object })
        }
    }

    /// Magnitude of the numbers that make up the value at `t`.
    fn reach(&self, t: f64) -> f64 {
        match *self {
            Self::Turning {
                x0, v, radius, t0, ..
            } => x0.abs() + (v * (t - t0)).abs() + radius.abs(),
            _ => self.at(t).abs(),
        }
    }

    fn window_s(&self) -> f64 {
        match self {
            Self::Turning { omega, .. } => WINDOW_RAD / omega.abs(),
            _ => f64::INFINITY,
        }
    }
}

/// `right - left`, where at least one of them turns.
struct Gap<'a> {
    left: &'a Motion1,
    right: &'a Motion1,
}

impl Smooth for Gap<'_> {
    fn at(&self, t: f64) -> (f64, f64) {
        (
            self.right.at(t) - self.left.at(t),
            self.right.slope(t) - self.left.slope(t),
        )
    }

    fn second_derivative_bound(&self, t: f64, window: f64) -> f64 {
        self.right.second_derivative_bound(t, window) + self.left.second_derivative_bound(t, window)
    }
}

/// Returns the first time in `[now, horizon)` after which `right` is below `left`, or infinity. Two
/// equal motions never pass each other.
///
/// If one of them turns, the returned time may only be the end of the searched interval. Then they
/// have not met there yet, which [`have_met`] tells.
#[must_use]
pub fn first_passing(left: &Motion1, right: &Motion1, now: f64, horizon: f64) -> f64 {
    if let (Some(l), Some(r)) = (left.about(now), right.about(now)) {
        return roots::first_failure(&(r - l), now, horizon);
    }
    if left == right {
        return f64::INFINITY;
    }
    let window = left.window_s().min(right.window_s());
    let searched_until = horizon.min(now + MAX_WINDOWS * window);
    let time = roots::smooth(&Gap { left, right }, now, searched_until, window).time;
    if time == f64::INFINITY && searched_until < horizon {
        searched_until
    } else {
        time
    }
}

/// Returns whether the two coincide at `t`, a time that [`first_passing`] returned.
///
/// Always true if both are polynomials: those are not searched in intervals.
#[must_use]
pub fn have_met(left: &Motion1, right: &Motion1, t: f64) -> bool {
    let (l, r) = (left.at(t), right.at(t));
    (left.degree().is_some() && right.degree().is_some())
        || r - l <= NEAR * (left.reach(t) + right.reach(t))
}

/// A rigid body in the plane: its centre moves on a parabola, its angle changes at a constant
/// speed.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rigid2 {
    /// Centre of rotation at `t0`, m.
    pub centre: [f64; 2],
    /// Velocity of the centre at `t0`, m/s.
    pub velocity: [f64; 2],
    /// Acceleration of the centre, m/s².
    pub acceleration: [f64; 2],
    /// Angle at `t0`.
    pub angle: f64,
    /// Angular speed, rad/s.
    pub omega: f64,
    /// Reference time.
    pub t0: f64,
}

impl Rigid2 {
    /// Returns a body at rest, its frame at the origin.
    #[must_use]
    pub fn still() -> Self {
        Self::default()
    }

    /// Returns whether it never moves.
    #[must_use]
    pub fn is_still(&self) -> bool {
        self.velocity == [0.0; 2] && self.acceleration == [0.0; 2] && self.omega == 0.0
    }

    /// Returns the position at `t` of the body's point `local`.
    #[must_use]
    pub fn point(&self, local: [f64; 2], t: f64) -> [f64; 2] {
        let s = t - self.t0;
        let (sin, cos) = (self.angle + self.omega * s).sin_cos();
        let c = self.centre_at(s);
        [
            c[0] + cos * local[0] - sin * local[1],
            c[1] + sin * local[0] + cos * local[1],
        ]
    }

    /// Returns the velocity at `t` of the body's point `local`.
    #[must_use]
    pub fn point_velocity(&self, local: [f64; 2], t: f64) -> [f64; 2] {
        let s = t - self.t0;
        let (sin, cos) = (self.angle + self.omega * s).sin_cos();
        let arm = [
            cos * local[0] - sin * local[1],
            sin * local[0] + cos * local[1],
        ];
        let v = self.velocity_at(t);
        [v[0] - self.omega * arm[1], v[1] + self.omega * arm[0]]
    }

    /// Returns the velocity of the centre at `t`.
    #[must_use]
    pub fn velocity_at(&self, t: f64) -> [f64; 2] {
        let s = t - self.t0;
        [0, 1].map(|k| self.velocity[k] + self.acceleration[k] * s)
    }

    fn centre_at(&self, s: f64) -> [f64; 2] {
        [0, 1].map(|k| self.centre[k] + (self.velocity[k] + 0.5 * self.acceleration[k] * s) * s)
    }

    /// Returns the same motion, written about `t`.
    #[must_use]
    pub fn about(&self, t: f64) -> Self {
        let s = t - self.t0;
        Self {
            centre: self.centre_at(s),
            velocity: self.velocity_at(t),
            acceleration: self.acceleration,
            angle: self.angle + self.omega * s,
            omega: self.omega,
            t0: t,
        }
    }

    /// Returns whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        let all = [self.centre, self.velocity, self.acceleration];
        (all.iter().flatten())
            .chain(&[self.angle, self.omega, self.t0])
            .all(|x| x.is_finite())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turning() -> Motion1 {
        Motion1::Turning {
            x0: 1.0,
            v: 0.5,
            radius: 2.0,
            phase: 0.3,
            omega: -3.0,
            t0: 0.25,
        }
    }

    #[test]
    fn slopes_and_bounds_are_those_of_the_values() {
        let cubic = Motion1::poly(&[1.0, -2.0, 3.0, -4.0]);
        for m in [Motion1::linear(2.0, 3.0), cubic, turning()] {
            for k in 0..50 {
                let t = f64::from(k) * 0.02;
                let h = 1e-5;
                let slope = (m.at(t + h) - m.at(t - h)) / (2.0 * h);
                assert!((m.slope(t) - slope).abs() < 1e-7);
                let second = (m.slope(t + h) - m.slope(t - h)) / (2.0 * h);
                assert!(second.abs() <= m.second_derivative_bound(t - 0.1, 0.2) + 1e-6);
            }
        }
    }

    #[test]
    fn passing_of_what_turns_is_found() {
        let wall = Motion1::still(2.5);
        let m = turning();
        let t = first_passing(&m, &wall, 0.0, 10.0);
        assert!((m.at(t) - 2.5).abs() < 1e-9 && m.slope(t) > 0.0);
        for k in 0..1000 {
            assert!(m.at(t * f64::from(k) / 1000.0) < 2.5);
        }
        assert_eq!(first_passing(&m, &m, 0.0, 10.0), f64::INFINITY);
        assert!(have_met(&m, &wall, t));
        let far = Motion1::still(100.0);
        assert_eq!(first_passing(&m, &far, 0.0, 10.0), f64::INFINITY);
        let searched_until = first_passing(&m, &far, 0.0, f64::INFINITY);
        assert!(searched_until.is_finite() && !have_met(&m, &far, searched_until));
    }

    #[test]
    fn a_rigid_motion_is_the_same_about_any_time() {
        let m = Rigid2 {
            centre: [1.0, 2.0],
            velocity: [0.5, -0.25],
            acceleration: [0.0, -9.81],
            angle: 0.4,
            omega: 2.0,
            t0: 0.1,
        };
        let n = m.about(0.6);
        for k in 0..10 {
            let t = f64::from(k) * 0.1;
            let (p, q) = (m.point([0.3, 0.4], t), n.point([0.3, 0.4], t));
            assert!((p[0] - q[0]).abs() + (p[1] - q[1]).abs() < 1e-13);
            let h = 1e-6;
            let v = m.point_velocity([0.3, 0.4], t);
            for k in 0..2 {
                let d = m.point([0.3, 0.4], t + h)[k] - m.point([0.3, 0.4], t - h)[k];
                assert!((d / (2.0 * h) - v[k]).abs() < 1e-7);
            }
        }
        assert!(!m.is_still() && Rigid2::still().is_still());
    }
}
