//! Bending resistance of a wire: one constraint for each sphere between two others.
//!
//! # Theory
//!
//! `l1` and `l2` are the rest lengths of the two segments. Then `c = (x2 - x1) / l2 - (x1 - x0) /
//! l1` is the difference of their directions: curvature times the mean length `l`, and linear in
//! the positions. The energy is `EI |c|² / 2l` (the quadratic bending of Bergou et al. 2006, in one
//! dimension). The constraint is `C = |c| - |c at rest|`; a straight wire is the case of rest 0.
//! The constraint does not know the direction in which a curved wire bends around its own axis;
//! [`torsion`](super::torsion) handles that.

use crate::Vec3;

/// Curvature times length, rad, below which three points count as straight.
const STRAIGHT: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bend {
    pub spheres: [u32; 3],
    /// Weights of the positions in `c`, 1/m; their sum is 0.
    weights: [f64; 3],
    /// `|c|` at rest, rad.
    rest: f64,
    /// `l / EI`, 1/J.
    compliance: f64,
    /// Viscosity over stiffness, s.
    damping: f64,
}

impl Bend {
    /// Builds the constraint on three spheres at `at`, straight at rest or with their present
    /// curvature. Returns `None` if a value is not finite.
    pub fn new(
        spheres: [u32; 3],
        at: [&Vec3; 3],
        straight: bool,
        rigidity: f64,
        damping: f64,
    ) -> Option<Self> {
        let (l1, l2) = ((at[1] - at[0]).norm(), (at[2] - at[1]).norm());
        let weights = [1.0 / l1, -1.0 / l1 - 1.0 / l2, 1.0 / l2];
        let c = (at[2] - at[1]) / l2 - (at[1] - at[0]) / l1;
        let rest = if straight || c.norm() < STRAIGHT {
            0.0
        } else {
            c.norm()
        };
        let bend = Self {
            spheres,
            weights,
            rest,
            compliance: (l1 + l2) / 2.0 / rigidity,
            damping,
        };
        (weights.iter().all(|k| k.is_finite()) && bend.compliance.is_finite() && rest.is_finite())
            .then_some(bend)
    }

    /// Moves the three spheres; returns false if the numbers are not finite.
    #[inline]
    pub fn solve(&self, x: &mut [Vec3], before: &[Vec3], w: &[f64], h: f64) -> bool {
        let id = self.spheres.map(|i| i as usize);
        let k = &self.weights;
        let sum = |of: &[Vec3]| of[id[0]] * k[0] + of[id[1]] * k[1] + of[id[2]] * k[2];
        let c = sum(x);
        let mass = w[id[0]] * k[0] * k[0] + w[id[1]] * k[1] * k[1] + w[id[2]] * k[2] * k[2];
        let size = c.norm();
        if mass == 0.0 || size == 0.0 {
            return true;
        }
        let mut error = c * (1.0 - self.rest / size);
        let mut gain = mass;
        if self.damping > 0.0 {
            let gamma = self.damping / h;
            let moved = c - sum(before);
            // In a curved wire only the change of the magnitude is damped: the vector also turns
            // with the wire.
            error += if self.rest == 0.0 {
                moved * gamma
            } else {
                c * (gamma * moved.dot(&c) / (size * size))
            };
            gain *= 1.0 + gamma;
        }
        let p = -error / (gain + self.compliance / (h * h));
        if !p.sum().is_finite() {
            return false;
        }
        for i in 0..3 {
            x[id[i]] += p * (w[id[i]] * k[i]);
        }
        true
    }
}
