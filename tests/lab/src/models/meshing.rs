//! Two methods of making a mesh: the boundary of the full cells of a lattice, which is closed and
//! outward by construction, and open rectangular patches.
//!
//! A lattice solid is bent by moving its vertices ([`Lattice::mesh`]), for example by [`rounded`].
//! It remains a solid if the map does not fold space.

use std::collections::HashMap;

use hapticd_geometry::{TriMesh, Vec3};

use crate::experiment::Failure;

/// Returns planes through these positions, with more between them so that adjacent ones are at most
/// `step` apart.
pub fn planes(places: &[f64], step: f64) -> Vec<f64> {
    let mut places = places.to_vec();
    places.sort_by(f64::total_cmp);
    places.dedup_by(|a, b| (*a - *b).abs() < 1e-9);
    let mut out = Vec::new();
    for gap in places.windows(2) {
        let parts = ((gap[1] - gap[0]) / step - 1e-6).ceil().max(1.0);
        for k in 0..parts as u32 {
            out.push(gap[0] + (gap[1] - gap[0]) * f64::from(k) / parts);
        }
    }
    out.extend(places.last());
    out
}

/// Cells between planes across x, y and z; each is full or empty.
pub struct Lattice {
    at: [Vec<f64>; 3],
    full: Vec<bool>,
}

impl Lattice {
    /// Makes a lattice of empty cells; the planes must be in ascending order.
    pub fn new(at: [Vec<f64>; 3]) -> Self {
        let cells = at.iter().map(|a| a.len() - 1).product();
        Self {
            at,
            full: vec![false; cells],
        }
    }

    /// Fills or empties the cells whose centres are in the box.
    pub fn set(&mut self, low: [f64; 3], high: [f64; 3], full: bool) {
        let [nx, ny, nz] = self.cells();
        for x in 0..nx {
            for y in 0..ny {
                for z in 0..nz {
                    let inside = [x, y, z].into_iter().enumerate().all(|(axis, k)| {
                        let middle = 0.5 * (self.at[axis][k] + self.at[axis][k + 1]);
                        low[axis] < middle && middle < high[axis]
                    });
                    if inside {
                        self.full[(x * ny + y) * nz + z] = full;
                    }
                }
            }
        }
    }

    fn cells(&self) -> [usize; 3] {
        [0, 1, 2].map(|axis| self.at[axis].len() - 1)
    }

    fn is_full(&self, c: [usize; 3]) -> bool {
        let n = self.cells();
        (0..3).all(|axis| c[axis] < n[axis]) && self.full[(c[0] * n[1] + c[1]) * n[2] + c[2]]
    }

    /// Returns the faces between full and empty cells, two triangles each, with their corners
    /// mapped by `bend`.
    pub fn mesh(&self, bend: impl Fn(Vec3) -> Vec3) -> Result<TriMesh, Failure> {
        let n = self.cells();
        let mut index = HashMap::new();
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        for cell in 0..n[0] * n[1] * n[2] {
            let c = [cell / (n[1] * n[2]), cell / n[2] % n[1], cell % n[2]];
            if !self.is_full(c) {
                continue;
            }
            for (axis, side) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 0), (2, 1)] {
                let mut beyond = c;
                // Below 0 wraps to beyond the last.
                beyond[axis] = (c[axis] + 2 * side).wrapping_sub(1);
                if self.is_full(beyond) {
                    continue;
                }
                let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                let mut corner = |du: usize, dv: usize| {
                    let mut k = c;
                    k[axis] += side;
                    k[u] += du;
                    k[v] += dv;
                    *index.entry(k).or_insert_with(|| {
                        positions.push(bend(Vec3::new(
                            self.at[0][k[0]],
                            self.at[1][k[1]],
                            self.at[2][k[2]],
                        )));
                        positions.len() as u32 - 1
                    })
                };
                let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                if side == 0 {
                    quad.reverse();
                }
                let [p, q, r, s] = quad;
                triangles.extend([[p, q, r], [p, r, s]]);
            }
        }
        mesh(positions, triangles)
    }
}

/// Makes a mesh of these parts.
pub fn mesh(positions: Vec<Vec3>, triangles: Vec<[u32; 3]>) -> Result<TriMesh, Failure> {
    TriMesh::new(positions, triangles).map_err(|e| Failure::Run(format!("a surrogate model: {e}")))
}

/// Maps the sides of a rectangle about the middle to those of a superellipse with this exponent (2:
/// an ellipse) along its rays: completely up to `whole` times its half sizes, not at all from
/// `none` times on.
pub fn rounded(q: [f64; 2], half: [f64; 2], exponent: f64, whole: f64, none: f64) -> [f64; 2] {
    let u = [q[0] / half[0], q[1] / half[1]];
    let largest = u[0].abs().max(u[1].abs());
    if largest == 0.0 || largest >= none {
        return q;
    }
    let length = (u[0].abs().powf(exponent) + u[1].abs().powf(exponent)).powf(1.0 / exponent);
    let share = ((none - largest) / (none - whole)).min(1.0);
    let factor = 1.0 + (largest / length - 1.0) * share;
    [q[0] * factor, q[1] * factor]
}

/// Open adjacent patches that share no vertices.
#[derive(Default)]
pub struct Patches {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl Patches {
    /// Adds a patch of `across` by `along` quads over the unit square.
    pub fn add(&mut self, across: u32, along: u32, at: impl Fn(f64, f64) -> Vec3) {
        let first = self.positions.len() as u32;
        for j in 0..=along {
            for i in 0..=across {
                let (u, v) = (
                    f64::from(i) / f64::from(across),
                    f64::from(j) / f64::from(along),
                );
                self.positions.push(at(u, v));
                if i < across && j < along {
                    let a = first + j * (across + 1) + i;
                    let (b, c, d) = (a + 1, a + across + 2, a + across + 1);
                    self.triangles.extend([[a, b, c], [a, c, d]]);
                }
            }
        }
    }

    /// Returns all of them, without triangles that have no area (where a side of a patch is a
    /// point).
    pub fn mesh(self) -> Result<TriMesh, Failure> {
        let Self {
            positions,
            mut triangles,
        } = self;
        triangles.retain(|t| {
            let [p, q, r] = t.map(|v| positions[v as usize]);
            (q - p).cross(&(r - p)).norm() > 1e-12
        });
        mesh(positions, triangles)
    }
}
