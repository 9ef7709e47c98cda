//! Boxes with six bounds that move linearly over a step: sweep-and-prune's view of a body's motion.
//!
//! # Theory
//!
//! Take a coordinate `x` of a body's point with `|x''| <= A`. The chord from its position at the
//! start to that at the end is off by at most `A h^2 / 8`, and the maximum of chords is nowhere
//! above the chord of the maxima. So the line from the smallest coordinate at the start to that at
//! the end, minus this margin, bounds the body throughout. A translation needs no margin. A
//! rotation at `w` about a unit axis `u`, with points at most `rho` from the axis, has `A_i = w^2
//! rho sqrt(1 - u_i^2)`. A screw has the same, with `rho` from the screw's axis. A common
//! acceleration of the points is added.

/// The bounds of a body over one step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lines {
    /// Lower and upper bound on each axis at the start of the step, m.
    pub start: [[f64; 2]; 3],
    /// Lower and upper bound on each axis at the end of the step, m. In between they move linearly.
    pub end: [[f64; 2]; 3],
}

impl Lines {
    /// Bounds a body with the box `start` and then `end`, with a constant margin on each axis, m.
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

    /// Bounds a body that stays where it is.
    #[must_use]
    pub fn still(bounds: &[[f64; 2]; 3]) -> Self {
        Self::new(bounds, bounds, [0.0; 3])
    }

    /// Bounds a body of which only its current box and a bound of its points' speed are known.
    #[must_use]
    pub fn within_reach(bounds: &[[f64; 2]; 3], speed: f64, h: f64) -> Self {
        Self::new(bounds, bounds, [speed * h; 3])
    }

    /// Returns the box at `t` of a step of length `h`.
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

    /// Returns whether all numbers are finite and every lower bound is at most its upper one.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        (self.start.iter().chain(&self.end))
            .all(|b| b[0] <= b[1] && b[0] > f64::NEG_INFINITY && b[1] < f64::INFINITY)
    }
}

/// Returns the margin on each axis for a body that turns at a constant `omega` (rad/s) about a unit
/// axis through a centre that moves linearly, or that moves along a screw.
///
/// `rho` is the largest distance of the body from the axis, m; `h` is the step, s.
#[must_use]
pub fn turning_margin(omega: f64, axis: [f64; 3], rho: f64, h: f64) -> [f64; 3] {
    axis.map(|u| acceleration_margin(omega * omega * rho * (1.0 - u * u).max(0.0).sqrt(), h))
}

/// Returns the margin for points with an acceleration along an axis of at most `acceleration`,
/// m/s².
#[must_use]
pub fn acceleration_margin(acceleration: f64, h: f64) -> f64 {
    acceleration * h * h / 8.0
}
