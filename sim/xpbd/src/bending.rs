//! Bending resistance of a sheet: one constraint for each edge between two triangles.
//!
//! # Theory
//!
//! The energy is the quadratic one of Bergou, Wardetzky, Harmon, Zorin and Grinspun 2006 ("A
//! quadratic bending model for inextensible surfaces"). With the cotangents of the rest shape, the
//! curvature of a hinge is the *linear* vector `c = sum k_i x_i`. Its energy is `B/2 . |c|² / (A0 +
//! A1)` (`B`: flexural rigidity, N m). Their energy is three times that, which is right for a sheet
//! that deforms into a sphere. Cloth hardly stretches, so it bends into cylinders; for those, on
//! square and equilateral meshes, the factor is one.
//!
//! Reasons for this energy instead of the dihedral angle: `B` is a property of the material and not
//! of the mesh; there is no inverse cosine, whose gradient blows up when flat; and all four
//! gradients are one vector times a number. The constraint is `C = |c| - |c at rest|`; a flat sheet
//! is the case of rest 0.
//!
//! A sheet that is curved at rest does not know to which side it was curved.

use crate::Vec3;

/// Rest curvature over the length of the edge (about the angle of the hinge, rad) below which a
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
    /// Builds the hinge of two triangles; `rigidity_compliance` is `1/B`. Returns `None` if a
    /// triangle has no area.
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
            // The curvature of a flat sheet is rounding error, so its direction means nothing.
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

    /// Moves the four particles; returns false if the numbers are not finite.
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
            // In a curved sheet only the change of the magnitude is damped: the vector also turns
            // with the sheet.
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
