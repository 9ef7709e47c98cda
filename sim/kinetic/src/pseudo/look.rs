//! Whether a corner holds throughout a step, by one look at it: in a step of a control loop nearly all do.
//!
//! # Theory
//!
//! With `a` and `b` the sides of a corner, its certificate is `f = ± a × b`. Over a step of length 1, by Taylor's formula, `f` is nowhere less than `f + min(f', 0) - M / 2` at its beginning,
//! if `M` is at least `|f''|` throughout: that is the first stride of [`crate::roots::smooth`]. With the sides' speeds at most `a'`, `b'` and their accelerations at most `a''`, `b''`,
//! `M = 2 a' b' + a'' (|b| + b') + (|a| + a') b''`. A side between two vertices of one body only turns; one between two bodies is no faster than the two of them together.
//!
//! # Practice
//!
//! Places are kept while nothing moves, so a look takes no sine. What it says is proven, rounding included: where it says nothing, as close to a contact, the failure is looked for as ever. Nothing
//! here allocates.

use super::PseudoTriangulation;
use crate::motion::Rigid2;
use crate::polygons::{cross, minus};

/// Rounding of what a look computes, as a share of the sizes that it is made of. A place is rounded some four times, a product of differences of them twice that.
const ROUNDING: f64 = 64.0 * f64::EPSILON;

/// Half of the bound of the second derivative, rounded up.
const HALF: f64 = 0.51;

/// Without the care for overflow of the library's: what overflows is unclear.
fn length(a: [f64; 2]) -> f64 {
    (a[0] * a[0] + a[1] * a[1]).sqrt()
}

/// How a body moves in the step that is being made, in units of it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moving {
    centre: [f64; 2],
    velocity: [f64; 2],
    omega: f64,
    /// Most of a vertex's speed and acceleration.
    speed: f64,
    pull: f64,
    moves: bool,
}

impl Moving {
    /// Of a body whose vertices are within `radius` of its centre, and which does not accelerate.
    pub(super) fn new(motion: &Rigid2, radius: f64) -> Self {
        Self {
            centre: motion.centre,
            velocity: motion.velocity,
            omega: motion.omega,
            speed: length(motion.velocity) + motion.omega.abs() * radius,
            pull: motion.omega * motion.omega * radius,
            moves: !motion.is_still(),
        }
    }

    fn velocity_at(&self, place: [f64; 2]) -> [f64; 2] {
        let arm = minus(place, self.centre);
        [
            self.velocity[0] - self.omega * arm[1],
            self.velocity[1] + self.omega * arm[0],
        ]
    }
}

/// What one look at a corner shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Look {
    /// It cannot change: it has no certificate.
    Never,
    /// Its certificate holds throughout the step.
    Holds,
    /// Its failure is to be looked for.
    Unclear,
}

impl PseudoTriangulation {
    /// A look at the corner of `h` at the beginning of a step, of bodies that move as `self.moving` says.
    pub(super) fn look(&self, h: u32) -> Look {
        let corner = self.corner(h);
        let [i, j, k] = corner.map(|v| self.polygons.owner[v as usize] as usize);
        let [mu, mv, mx] = [i, j, k].map(|b| &self.moving[b]);
        let moves = mu.moves || mv.moves || mx.moves;
        if self.half(h).interior || (i == j && j == k) || !moves {
            return Look::Never;
        }
        let [u, v, x] = corner.map(|v| self.rest[v as usize]);
        let (a, b) = (minus(v, u), minus(x, v));
        let [du, dv, dx] = [mu.velocity_at(u), mv.velocity_at(v), mx.velocity_at(x)];
        let (da, db) = (minus(dv, du), minus(dx, dv));
        let (value, slope) = (cross(a, b), cross(da, b) + cross(a, db));
        let (value, slope) = if self.half(h).reflex {
            (-value, -slope)
        } else {
            (value, slope)
        };
        let side = |one: &Moving, other: &Moving, same: bool, length: f64| {
            if same {
                [one.omega.abs() * length, one.omega * one.omega * length]
            } else {
                [one.speed + other.speed, one.pull + other.pull]
            }
        };
        let (la, lb) = (length(a), length(b));
        let [a1, a2] = side(mu, mv, i == j, la);
        let [b1, b2] = side(mv, mx, j == k, lb);
        let bend = 2.0 * a1 * b1 + a2 * (lb + b1) + (la + a1) * b2;
        let reach = v[0].abs() + v[1].abs() + la + lb + a1 + b1;
        let clear = ROUNDING * reach * (la + lb);
        // Written so that what is no number is unclear.
        if value + slope.min(0.0) - HALF * bend > clear {
            Look::Holds
        } else {
            Look::Unclear
        }
    }
}
