//! Resistance of a sheet against bending, one constraint for each edge between two triangles.
//!
//! # Theory
//!
//! The quadratic energy of Bergou, Wardetzky, Harmon, Zorin and Grinspun 2006 ("A quadratic bending
//! model for inextensible surfaces"): with the cotangents of the rest shape a hinge's curvature is
//! the *linear* vector `c = sum k_i x_i`, its energy `B/2 . |c|² / (A0 + A1)` (`B`: flexural
//! rigidity, N m). Theirs is three times that, which is right for a sheet that becomes a ball;
//! cloth hardly stretches, so it bends to cylinders, and for those, on square and on equilateral
//! meshes, the factor is one. Chosen instead of the dihedral angle because `B` is a property of the
//! material and not of the mesh, there is no inverse cosine whose gradient blows up when flat, and
//! all four gradients are one vector times a number. The constraint is `C = |c| - |c at rest|`, of
//! which the flat sheet is the case of rest 0.
//!
//! A sheet that is curved at rest does not know to which side it was curved.

use crate::Vec3;

/// Curvature at rest over the length of the edge (about the angle of the hinge, rad) under which a
/// hinge counts as flat.
const FLAT: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
pub(super) struct Bending {
    /// Ends of the edge, then the opposite corners.
    pub particles: [u32; 4],
    /// Cotangents of the rest shape; their sum is 0.
    pub weights: [f64; 4],
    /// `|c|` at rest, m.
    pub rest: f64,
    /// `(A0 + A1) / B`, m/N.
    pub compliance: f64,
    /// Viscosity over stiffness, s.
    pub damping: f64,
}

impl Bending {
    /// The hinge of two triangles: `rigidity_compliance` is `1/B`. `None` if a triangle has no
    /// area.
    pub fn new(
        particles: [u32; 4],
        at: [&Vec3; 4],
        rigidity_compliance: f64,
        damping: f64,
    ) -> Option<Self> {
        let cot = |from: &Vec3, a: &Vec3, b: &Vec3| {
            let (a, b) = (a - from, b - from);
            a.dot(&b) / a.cross(&b).norm()
        };
        let [p, q, r, s] = at;
        let (pr, ps) = (cot(p, q, r), cot(p, q, s));
        let (qr, qs) = (cot(q, p, r), cot(q, p, s));
        let weights = [qr + qs, pr + ps, -pr - qr, -ps - qs];
        let area = ((q - p).cross(&(r - p)).norm() + (q - p).cross(&(s - p)).norm()) / 2.0;
        let rest = (0..4).fold(Vec3::zeros(), |c, i| c + at[i] * weights[i]);
        let hinge = Self {
            particles,
            weights,
            // A flat sheet has a curvature of rounding size, whose direction means nothing.
            rest: if rest.norm() > FLAT * (q - p).norm() {
                rest.norm()
            } else {
                0.0
            },
            compliance: area * rigidity_compliance,
            damping,
        };
        weights.iter().all(|k| k.is_finite()).then_some(hinge)
    }

    /// Moves the four particles; says whether the numbers allowed it.
    #[inline]
    pub fn solve(&self, x: &mut [Vec3], before: &[Vec3], w: &[f64], h: f64) -> bool {
        let id = self.particles.map(|p| p as usize);
        let k = &self.weights;
        let c = x[id[0]] * k[0] + x[id[1]] * k[1] + x[id[2]] * k[2] + x[id[3]] * k[3];
        let mass = w[id[0]] * k[0] * k[0]
            + w[id[1]] * k[1] * k[1]
            + w[id[2]] * k[2] * k[2]
            + w[id[3]] * k[3] * k[3];
        let size = c.norm();
        if mass == 0.0 || size == 0.0 {
            return true;
        }
        let mut error = c * (1.0 - self.rest / size);
        let mut gain = mass;
        if self.damping > 0.0 {
            let gamma = self.damping / h;
            let moved = (0..4).fold(Vec3::zeros(), |m, i| m + (x[id[i]] - before[id[i]]) * k[i]);
            // Of a curved sheet only the change of the size is damped: the vector also turns with
            // the sheet.
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
        for i in 0..4 {
            x[id[i]] += p * (w[id[i]] * k[i]);
        }
        true
    }
}
