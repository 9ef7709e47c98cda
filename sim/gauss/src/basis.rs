//! Orthogonal factorisation `N = U R` of the active rows: at most six unit columns of motion space.
//!
//! Working on `N` itself rather than on `N^T N` keeps the conditioning of the Jacobian instead of
//! its square (Redon 2002, section 5.5.2). Gram-Schmidt with one reorthogonalisation. Fixed memory,
//! bounded work, deterministic, cannot fail.

use nalgebra::{Matrix6, Vector6};

use crate::MAX_ACTIVE;

/// Columns `n_0..n_k` with `n_j = sum_i u_i R_ij`, `u` orthonormal, `R` upper triangular with a
/// positive diagonal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Basis {
    columns: [Vector6<f64>; MAX_ACTIVE],
    u: [Vector6<f64>; MAX_ACTIVE],
    r: Matrix6<f64>,
    len: usize,
}

/// A vector relative to the basis: `v = sum_i coefficients_i u_i + residual`.
pub(crate) struct Split {
    pub coefficients: Vector6<f64>,
    pub residual: Vector6<f64>,
}

impl Basis {
    pub const fn new() -> Self {
        const ZERO: Vector6<f64> =
            Vector6::from_array_storage(nalgebra::ArrayStorage([[0.0; MAX_ACTIVE]; 1]));
        Self {
            columns: [ZERO; MAX_ACTIVE],
            u: [ZERO; MAX_ACTIVE],
            r: Matrix6::from_array_storage(nalgebra::ArrayStorage([[0.0; MAX_ACTIVE]; MAX_ACTIVE])),
            len: 0,
        }
    }

    pub fn is_full(&self) -> bool {
        self.len == MAX_ACTIVE
    }

    pub fn split(&self, v: &Vector6<f64>) -> Split {
        self.split_first(v, self.len)
    }

    fn split_first(&self, v: &Vector6<f64>, count: usize) -> Split {
        let mut coefficients = Vector6::zeros();
        let mut residual = *v;
        for _ in 0..2 {
            for i in 0..count {
                let c = self.u[i].dot(&residual);
                coefficients[i] += c;
                residual -= self.u[i] * c;
            }
        }
        Split {
            coefficients,
            residual,
        }
    }

    /// Appends a column that is already split. Ignored if its residual vanishes or the basis is
    /// full.
    pub fn push(&mut self, column: &Vector6<f64>, split: &Split) {
        let norm = split.residual.norm();
        if self.is_full() || norm <= 0.0 {
            return;
        }
        let j = self.len;
        self.columns[j] = *column;
        self.u[j] = split.residual / norm;
        for i in 0..j {
            self.r[(i, j)] = split.coefficients[i];
        }
        self.r[(j, j)] = norm;
        self.len += 1;
    }

    /// Removes column `index` and refactors the later ones. Residuals only grow, so no column
    /// becomes dependent.
    pub fn remove(&mut self, index: usize) {
        let old = self.len;
        self.len = index.min(old);
        for j in index + 1..old {
            let column = self.columns[j];
            let split = self.split_first(&column, self.len);
            self.push(&column, &split);
        }
    }

    /// `R^-1 c`: the coefficients, on the columns, of a vector given on `u`.
    pub fn solve(&self, c: &Vector6<f64>) -> Vector6<f64> {
        let mut z = Vector6::zeros();
        for i in (0..self.len).rev() {
            let mut sum = c[i];
            for k in i + 1..self.len {
                sum -= self.r[(i, k)] * z[k];
            }
            z[i] = sum / self.r[(i, i)];
        }
        z
    }

    /// `R^-T b`: coordinates on `u` of the shortest vector with `n_i . v = b_i`.
    pub fn solve_transposed(&self, b: &Vector6<f64>) -> Vector6<f64> {
        let mut w = Vector6::zeros();
        for i in 0..self.len {
            let mut sum = b[i];
            for k in 0..i {
                sum -= self.r[(k, i)] * w[k];
            }
            w[i] = sum / self.r[(i, i)];
        }
        w
    }

    /// `sum_i w_i u_i`.
    pub fn combine(&self, w: &Vector6<f64>) -> Vector6<f64> {
        let mut v = Vector6::zeros();
        for i in 0..self.len {
            v += self.u[i] * w[i];
        }
        v
    }
}
