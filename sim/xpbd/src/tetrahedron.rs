//! An elastic tetrahedron: the fixed corotated solid as seven constraints that are solved together.
//!
//! # Theory
//!
//! With the deformation gradient `F = R S` (`R` a rotation) the energy is `mu V |S - 1|² + lambda/2
//! V (det F - 1)²` (Stomakhin, Howes, Schroeder and Teran 2012, "Energetically consistent
//! invertible elasticity"). For small strains this is Hooke's law with the Lamé parameters `mu` and
//! `lambda`, so Young's modulus and Poisson's ratio have their textbook meaning. In XPBD it becomes
//! the six strains with the compliance `1/(2 mu V)`, and the volume with `1/(lambda V)`.
//!
//! They are solved as one block (as Ton-That, Kry and Andrews 2023 do with two): the strains share
//! all gradients with the volume, and one sweep per substep does not balance constraints that pull
//! in turns. The block costs little. The gradients of the strains are orthonormal in the frame `R`,
//! so their matrix is the map `X -> (X G + G X) / 2` with `G = sum w b b'` of the rest shape (`b`:
//! gradients of the barycentric coordinates). This map is diagonal if the material axes are the
//! axes of `G`. The volume is the seventh unknown, by Schur complement.
//!
//! Why not the two neo-Hookean constraints of Macklin and Müller 2021: their deviatoric one, `|F|`,
//! is far from zero at rest, and its gradient is one direction of nine. The other directions,
//! shear, are then explicit in time; a lattice of rubber diverged at substeps that are fine here.
//!
//! `R` is tracked from substep to substep by Newton's method. Where that has no solution, the
//! iteration of Müller, Bender, Chentanez and Macklin 2016 ("A robust method to extract the
//! rotational part of deformations") takes over, so an inverted element recovers.

use nalgebra::{Matrix3, SymmetricEigen, UnitQuaternion};

use crate::Vec3;

/// Largest number of rotation iterations in one substep. Two or three suffice unless the element is
/// nearly flat.
const ROTATION_ROUNDS: u32 = 20;
/// Convergence threshold, rad; the last iteration squares the error.
const ROTATION_TOLERANCE: f64 = 1e-7;
/// Relative threshold below which an element has too little volume to determine its rotation.
const FLAT: f64 = 1e-6;

#[derive(Clone, Copy, Debug)]
pub(super) struct Tetrahedron {
    pub particles: [u32; 4],
    /// Inverse of the edge matrix at rest, 1/m, in material axes along those of `G`. Its rows are
    /// the gradients `b` of corners 1 to 3.
    gradients: Matrix3<f64>,
    /// `G`, diagonal, 1/(kg m²).
    mobility: Vec3,
    /// `1/(2 mu V)`, 1/J.
    strain_compliance: f64,
    /// `1/(lambda V)`, 1/J; infinite if Poisson's ratio is 0.
    volume_compliance: f64,
    /// Viscosity over stiffness, s.
    damping: f64,
    /// Rotation from material axes to world axes.
    rotation: UnitQuaternion<f64>,
}

/// Elastic properties of a material.
#[derive(Clone, Copy, Debug)]
pub struct Elasticity {
    /// Young's modulus, Pa.
    pub young_pa: f64,
    /// Poisson's ratio.
    pub poisson: f64,
    /// Viscosity over stiffness, s.
    pub damping_s: f64,
}

impl Tetrahedron {
    /// Builds the element with the corners `at` (positive volume), with the stiffness of `fill`
    /// times its volume. Returns `None` if the volume is not positive.
    pub fn new(
        particles: [u32; 4],
        at: [&Vec3; 4],
        fill: f64,
        elasticity: Elasticity,
    ) -> Option<Self> {
        let Elasticity {
            young_pa: young,
            poisson,
            damping_s: damping,
        } = elasticity;
        let edges = Matrix3::from_columns(&[at[1] - at[0], at[2] - at[0], at[3] - at[0]]);
        let volume = edges.determinant() / 6.0;
        let mu = young / (2.0 * (1.0 + poisson));
        let lambda = 2.0 * mu * poisson / (1.0 - 2.0 * poisson);
        let gradients = edges.try_inverse()?;
        (volume > 0.0).then_some(Self {
            particles,
            gradients,
            mobility: Vec3::zeros(),
            strain_compliance: 1.0 / (2.0 * mu * volume * fill),
            volume_compliance: 1.0 / (lambda * volume * fill),
            damping,
            rotation: UnitQuaternion::identity(),
        })
    }

    /// Returns a copy with particle numbers offset by `first`.
    pub fn renumbered(&self, first: u32) -> Self {
        Self {
            particles: self.particles.map(|p| p + first),
            ..*self
        }
    }

    /// Turns the material axes to those of `G`. Needed before the first substep, and whenever a
    /// mass changes (a pin).
    pub fn align(&mut self, w: &[f64]) {
        let b = self.gradients.transpose();
        let g0 = -(b.column(0) + b.column(1) + b.column(2));
        let id = self.particles.map(|p| w[p as usize]);
        let mut g = g0 * g0.transpose() * id[0];
        for i in 0..3 {
            g += b.column(i) * b.column(i).transpose() * id[i + 1];
        }
        let eigen = SymmetricEigen::new(g);
        let mut axes = eigen.eigenvectors;
        if axes.determinant() < 0.0 {
            axes = -axes;
        }
        self.mobility = eigen.eigenvalues.map(|g| g.max(0.0));
        self.gradients *= axes;
        let axes = nalgebra::Rotation3::from_matrix_unchecked(axes);
        self.rotation *= UnitQuaternion::from_rotation_matrix(&axes);
        self.rotation.renormalize();
    }

    /// Computes `sum of a_i b_i'` over the corners, for a quantity of the particles.
    #[inline]
    fn gradient_of(&self, a: &[Vec3; 4]) -> Matrix3<f64> {
        Matrix3::from_columns(&[a[1] - a[0], a[2] - a[0], a[3] - a[0]]) * self.gradients
    }

    /// Moves the four corners; returns false if the numbers are not finite.
    #[inline]
    pub fn solve(&mut self, x: &mut [Vec3], before: &[Vec3], w: &[f64], h: f64) -> bool {
        let id = self.particles.map(|p| p as usize);
        let f = self.gradient_of(&id.map(|i| x[i]));
        let Some(rotation) = follow(&self.rotation, &f) else {
            return false;
        };
        self.rotation = rotation;
        let r = rotation.to_rotation_matrix().into_inner();
        let s = r.transpose() * f;
        let mut strain = symmetric(&s) - Matrix3::identity();
        let c = cofactors(&s);
        let mut volume = s.column(0).dot(&c.column(0)) - 1.0;
        let mut share = 1.0;
        if self.damping > 0.0 {
            let gamma = self.damping / h;
            let moved = r.transpose() * self.gradient_of(&id.map(|i| x[i] - before[i]));
            strain += symmetric(&moved) * gamma;
            volume += gamma * moved.dot(&c);
            share += gamma;
        }
        let g = &self.mobility;
        let strain_compliance = self.strain_compliance / (h * h);
        let gain = Matrix3::from_fn(|k, l| share * 0.5 * (g[k] + g[l]) + strain_compliance);
        let mut cg = c;
        for k in 0..3 {
            cg.column_mut(k).scale_mut(share * g[k]);
        }
        // Schur complement. Without a volume term its compliance is infinite, and `t` is 0.
        let cross = symmetric(&cg);
        let eased = cross.component_div(&gain);
        let own = cg.dot(&c) + self.volume_compliance / (h * h) - eased.dot(&cross);
        let t = (eased.dot(&strain) - volume) / own;
        let stress = (-strain - cross * t).component_div(&gain) + c * t;
        let push = r * stress * self.gradients.transpose();
        if !push.sum().is_finite() {
            return false;
        }
        let [p, q, o] = [0, 1, 2].map(|k| push.column(k).into_owned());
        x[id[0]] -= (p + q + o) * w[id[0]];
        x[id[1]] += p * w[id[1]];
        x[id[2]] += q * w[id[2]];
        x[id[3]] += o * w[id[3]];
        true
    }

    /// Current volume over rest volume.
    pub fn volume_ratio(&self, x: &[Vec3]) -> f64 {
        let corners = self.particles.map(|p| x[p as usize]);
        self.gradient_of(&corners).determinant()
    }
}

#[inline]
fn symmetric(m: &Matrix3<f64>) -> Matrix3<f64> {
    (m + m.transpose()) * 0.5
}

#[inline]
fn cofactors(m: &Matrix3<f64>) -> Matrix3<f64> {
    let [a, b, c] = [0, 1, 2].map(|k| m.column(k).into_owned());
    Matrix3::from_columns(&[b.cross(&c), c.cross(&a), a.cross(&b)])
}

/// Returns the rotation nearest to `f`, starting from the previous nearest one. `None` if the
/// numbers are not finite.
#[inline]
fn follow(from: &UnitQuaternion<f64>, f: &Matrix3<f64>) -> Option<UnitQuaternion<f64>> {
    let mut q = *from;
    for _ in 0..ROTATION_ROUNDS {
        let s = q.to_rotation_matrix().into_inner().transpose() * f;
        let twist = Vec3::new(
            s[(2, 1)] - s[(1, 2)],
            s[(0, 2)] - s[(2, 0)],
            s[(1, 0)] - s[(0, 1)],
        );
        // Newton's step where the nearest rotation is a maximum; otherwise the step of Müller et
        // al., which ascends from anywhere.
        let curve = Matrix3::identity() * s.trace() - symmetric(&s);
        let peak = curve[(0, 0)] > 0.0
            && curve[(0, 0)] * curve[(1, 1)] > curve[(0, 1)] * curve[(0, 1)]
            && curve.determinant() > FLAT * s.norm_squared() * s.norm();
        let newton = peak.then(|| curve.try_inverse()).flatten();
        let turn = match newton {
            Some(inverse) => inverse * twist,
            None => twist / (s.trace().abs() + FLAT),
        };
        let angle = turn.norm();
        if !angle.is_finite() {
            return None;
        }
        q *= UnitQuaternion::from_scaled_axis(turn);
        if angle < ROTATION_TOLERANCE {
            break;
        }
    }
    q.renormalize();
    Some(q)
}
