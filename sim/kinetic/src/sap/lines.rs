//! Boxes whose six bounds move linearly over a step: what sweep-and-prune is told of a body's
//! motion.
//!
//! # Theory
//!
//! For a coordinate `x` of a body's point with `|x''| <= A` the chord from its place at the start
//! to that at the end is off by `A h^2 / 8` at most, and the largest of chords is nowhere above the
//! chord of the largest. So the line from the smallest coordinate at the start to that at the end,
//! less this margin, bounds the body all the way. A translation needs no margin. A turn at `w`
//! about a unit axis `u` whose points are `rho` from the axis at most has `A_i = w^2 rho sqrt(1 -
//! u_i^2)`; a screw the same, with `rho` from the screw's axis. What the points have of a common
//! acceleration is added.

/// The bounds of a body over one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lines {
    /// Lower and upper bound on each axis at the start of the step, m.
    pub start: [[f64; 2]; 3],
    /// And at its end. In between they go linearly.
    pub end: [[f64; 2]; 3],
}

impl Lines {
    /// Of a body whose box is `start` and then `end`, with a margin on each axis all the time.
    #[must_use]
    pub fn new(start: &[[f64; 2]; 3], end: &[[f64; 2]; 3], margin: [f64; 3]) -> Self {
        let mut lines = Self {
            start: *start,
            end: *end,
        };
        for bounds in [&mut lines.start, &mut lines.end] {
            for (bounds, margin) in bounds.iter_mut().zip(margin) {
                bounds[0] -= margin;
                bounds[1] += margin;
            }
        }
        lines
    }

    /// What stays where it is.
    #[must_use]
    pub fn still(bounds: &[[f64; 2]; 3]) -> Self {
        Self::new(bounds, bounds, [0.0; 3])
    }

    /// Of a body of which only its box now and a bound of its points' speed are known.
    #[must_use]
    pub fn within_reach(bounds: &[[f64; 2]; 3], speed: f64, h: f64) -> Self {
        Self::new(bounds, bounds, [speed * h; 3])
    }

    /// The box at `t` of a step of length `h`.
    #[must_use]
    pub fn at(&self, t: f64, h: f64) -> [[f64; 2]; 3] {
        let share = if h > 0.0 { t / h } else { 0.0 };
        [0, 1, 2].map(|axis| {
            [0, 1].map(|side| {
                let (a, b) = (self.start[axis][side], self.end[axis][side]);
                a + (b - a) * share
            })
        })
    }

    /// Whether all numbers are finite and no bound passes the other.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        (self.start.iter().chain(&self.end))
            .all(|b| b[0] <= b[1] && b[0] > f64::NEG_INFINITY && b[1] < f64::INFINITY)
    }
}

/// Margin on each axis for a body that turns at a constant `omega` (rad/s) about a unit axis
/// through a centre that moves linearly, or goes along a screw. `rho`: largest distance of the body
/// from the axis, m; `h`: the step, s.
#[must_use]
pub fn turning_margin(omega: f64, axis: [f64; 3], rho: f64, h: f64) -> [f64; 3] {
    axis.map(|u| acceleration_margin(omega * omega * rho * (1.0 - u * u).max(0.0).sqrt(), h))
}

/// Margin for points whose acceleration along an axis is `acceleration` at most, m/s².
#[must_use]
pub fn acceleration_margin(acceleration: f64, h: f64) -> f64 {
    acceleration * h * h / 8.0
}
