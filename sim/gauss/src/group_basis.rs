//! Orthogonal factorisation `N = U R` of the active rows of a group: [`crate::basis`] for `6 n`
//! dimensions.
//!
//! Gram-Schmidt with one reorthogonalisation on the rows themselves, so that the conditioning is
//! that of the Jacobian and not its square. When a row is dropped, the later columns are
//! refactored. Memory grows to the largest problem and is kept. Cannot fail.

/// `n_j = sum_i u_i R_ij`, `u` orthonormal, `R` upper triangular with a positive diagonal.
#[derive(Clone, Debug, Default)]
pub(crate) struct GroupBasis {
    dimension: usize,
    len: usize,
    columns: Vec<f64>,
    u: Vec<f64>,
    /// Column `j` starts at `j * dimension`.
    r: Vec<f64>,
    /// Result of the last split.
    pub coefficients: Vec<f64>,
    pub residual: Vec<f64>,
}

impl GroupBasis {
    pub fn start(&mut self, dimension: usize) {
        self.dimension = dimension;
        self.len = 0;
        let size = dimension * dimension;
        for list in [&mut self.columns, &mut self.u, &mut self.r] {
            list.clear();
            list.resize(size, 0.0);
        }
        for list in [&mut self.coefficients, &mut self.residual] {
            list.clear();
            list.resize(dimension, 0.0);
        }
    }

    pub fn is_full(&self) -> bool {
        self.len == self.dimension
    }

    fn column(list: &[f64], dimension: usize, j: usize) -> &[f64] {
        &list[j * dimension..(j + 1) * dimension]
    }

    /// Splits `v = sum coefficients_i u_i + residual`. Returns the norm of the residual.
    pub fn split(&mut self, v: &[f64]) -> f64 {
        self.split_first(v, self.len)
    }

    fn split_first(&mut self, v: &[f64], count: usize) -> f64 {
        self.coefficients.fill(0.0);
        self.residual.copy_from_slice(v);
        for _ in 0..2 {
            for i in 0..count {
                let u = Self::column(&self.u, self.dimension, i);
                let c = dot(u, &self.residual);
                self.coefficients[i] += c;
                for (x, y) in self.residual.iter_mut().zip(u) {
                    *x -= c * y;
                }
            }
        }
        dot(&self.residual, &self.residual).sqrt()
    }

    /// Appends the column that was split last, with this norm of its residual. Ignored if the norm
    /// is not positive or the basis is full.
    pub fn push(&mut self, column: &[f64], norm: f64) {
        if self.is_full() || !(norm > 0.0) {
            return;
        }
        let (j, n) = (self.len, self.dimension);
        self.columns[j * n..(j + 1) * n].copy_from_slice(column);
        for (u, x) in self.u[j * n..(j + 1) * n].iter_mut().zip(&self.residual) {
            *u = x / norm;
        }
        self.r[j * n..j * n + j].copy_from_slice(&self.coefficients[..j]);
        self.r[j * n + j] = norm;
        self.len += 1;
    }

    /// Removes column `index` and refactors the later ones.
    pub fn remove(&mut self, index: usize) {
        let (n, len) = (self.dimension, self.len);
        if index >= len {
            return;
        }
        self.columns
            .copy_within((index + 1) * n..len * n, index * n);
        self.len = index;
        let mut column = std::mem::take(&mut self.columns);
        for j in index..len - 1 {
            let c = &column[j * n..(j + 1) * n];
            let norm = self.split_first(c, self.len);
            let (k, size) = (self.len, n);
            for (u, x) in self.u[k * size..(k + 1) * size]
                .iter_mut()
                .zip(&self.residual)
            {
                *u = x / norm;
            }
            self.r[k * size..k * size + k].copy_from_slice(&self.coefficients[..k]);
            self.r[k * size + k] = norm;
            self.len += 1;
        }
        std::mem::swap(&mut self.columns, &mut column);
    }

    /// Solves `R x = b` in place.
    pub fn solve(&self, b: &mut [f64]) {
        let n = self.dimension;
        for i in (0..self.len).rev() {
            b[i] /= self.r[i * n + i];
            let x = b[i];
            for k in 0..i {
                b[k] -= self.r[i * n + k] * x;
            }
        }
    }

    /// Solves `R^T x = b` in place.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        let n = self.dimension;
        for i in 0..self.len {
            let above = dot(&self.r[i * n..i * n + i], &b[..i]);
            b[i] = (b[i] - above) / self.r[i * n + i];
        }
    }

    /// Adds `sum_i u_i w_i` to `point`.
    pub fn combine(&self, w: &[f64], point: &mut [f64]) {
        for (i, &w) in w.iter().enumerate().take(self.len) {
            for (x, u) in point
                .iter_mut()
                .zip(Self::column(&self.u, self.dimension, i))
            {
                *x += w * u;
            }
        }
    }
}

pub(crate) fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}
