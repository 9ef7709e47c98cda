//! Closed surfaces from cells: the boundary of a set of cells of a bent lattice.
//!
//! Every wall between a cell inside the set and one outside becomes two triangles that face
//! outward. So the result is closed and outward by construction if the bending keeps right-handed
//! cells right-handed, and if no two cells of the set touch only along an edge or in a corner.

use std::collections::HashMap;

use hapticd_geometry::{TriMesh, Vec3};

use crate::experiment::Failure;

/// Number of cells along each axis, and which axes are periodic.
pub struct Lattice {
    pub cells: [u32; 3],
    pub closes: [bool; 3],
}

impl Lattice {
    /// Returns the surface of the cells for which `solid` is true; `at` places the corners by their
    /// number along each axis.
    pub fn surface(
        &self,
        what: &str,
        solid: impl Fn([u32; 3]) -> bool,
        at: impl Fn([u32; 3]) -> Vec3,
    ) -> Result<TriMesh, Failure> {
        let (mut positions, mut triangles) = (Vec::new(), Vec::new());
        let mut known: HashMap<[u32; 3], u32> = HashMap::new();
        let mut corner = |mut c: [u32; 3]| {
            for axis in 0..3 {
                if self.closes[axis] && c[axis] == self.cells[axis] {
                    c[axis] = 0;
                }
            }
            *known.entry(c).or_insert_with(|| {
                positions.push(at(c));
                (positions.len() - 1) as u32
            })
        };
        for x in 0..self.cells[0] {
            for y in 0..self.cells[1] {
                for z in 0..self.cells[2] {
                    let cell = [x, y, z];
                    if !solid(cell) {
                        continue;
                    }
                    for axis in 0..3 {
                        for upper in [false, true] {
                            if self.beside(cell, axis, upper).is_some_and(&solid) {
                                continue;
                            }
                            let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
                            let [a, b, c, d] = [[0, 0], [1, 0], [1, 1], [0, 1]].map(|[i, j]| {
                                let mut at = cell;
                                at[axis] += u32::from(upper);
                                at[u] += i;
                                at[v] += j;
                                corner(at)
                            });
                            if upper {
                                triangles.extend([[a, b, c], [a, c, d]]);
                            } else {
                                triangles.extend([[a, c, b], [a, d, c]]);
                            }
                        }
                    }
                }
            }
        }
        TriMesh::new(positions, triangles).map_err(|e| Failure::Run(format!("{what}: {e}")))
    }

    /// Returns the adjacent cell, if the lattice continues there.
    fn beside(&self, mut cell: [u32; 3], axis: usize, upper: bool) -> Option<[u32; 3]> {
        let n = self.cells[axis];
        cell[axis] = match (upper, self.closes[axis]) {
            (true, closes) if cell[axis] + 1 == n => closes.then_some(0)?,
            (true, _) => cell[axis] + 1,
            (false, closes) if cell[axis] == 0 => closes.then_some(n - 1)?,
            (false, _) => cell[axis] - 1,
        };
        Some(cell)
    }
}

/// Checks what every model must satisfy, and its size; for the tests of the models.
#[cfg(test)]
pub fn check(mesh: &Result<TriMesh, Failure>, triangles: f64) {
    use hapticd_geometry::{Adjacency, MeshReport};
    let mesh = mesh.as_ref().unwrap();
    let report = MeshReport::of(mesh, &Adjacency::new(mesh));
    assert!(
        report.closed && report.oriented && report.signed_volume_m3 > 0.0,
        "{report:?}"
    );
    let count = mesh.triangles().len() as f64;
    assert!(
        (count / triangles - 1.0).abs() < 0.05,
        "{count} triangles, wanted {triangles}"
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_of_cells_is_closed_and_has_its_volume() {
        let ring = Lattice {
            cells: [2, 40, 1],
            closes: [false, true, false],
        };
        let at = |[i, j, k]: [u32; 3]| {
            let (s, c) = (std::f64::consts::TAU * f64::from(j) / 40.0).sin_cos();
            let r = 1.0 + f64::from(i);
            Vec3::new(r * c, r * s, f64::from(k))
        };
        check(
            &ring.surface("ring", |_| true, at),
            40.0 * 2.0 * (2.0 + 2.0 + 1.0 + 1.0),
        );
    }
}
