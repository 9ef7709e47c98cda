//! Triangle meshes, validated at construction.

use crate::pose::Vec3;

/// Most triangles of one mesh.
pub const MAX_TRIANGLES: usize = 16 << 20;

/// Why a mesh was refused. The numbers are indices into the input.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum MeshError {
    /// There is no triangle.
    #[error("the mesh has no triangles")]
    Empty,
    /// More than [`MAX_TRIANGLES`], or more vertices than `u32` can number.
    #[error("the mesh has {count} {what}, the limit is {limit}")]
    TooMany {
        /// "triangles" or "vertices".
        what: &'static str,
        /// The count.
        count: usize,
        /// The limit.
        limit: usize,
    },
    /// A triangle refers to a vertex that does not exist.
    #[error("triangle {triangle} refers to vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle.
        triangle: usize,
        /// The invalid index.
        index: u32,
        /// Number of vertices.
        vertices: usize,
    },
    /// A coordinate is NaN or infinite.
    #[error("vertex {vertex} has a coordinate that is not finite")]
    NotFinite {
        /// Index of the vertex.
        vertex: usize,
    },
}

/// A triangle mesh: every index is in range, every coordinate is finite, and there is at least one
/// triangle. Immutable.
#[derive(Debug, Clone, PartialEq)]
pub struct TriMesh {
    positions: Vec<Vec3>,
    triangles: Vec<[u32; 3]>,
}

impl TriMesh {
    /// Checks the parts and takes ownership. Metres; outward is counter-clockwise.
    ///
    /// # Errors
    /// See [`MeshError`].
    pub fn new(mut positions: Vec<Vec3>, mut triangles: Vec<[u32; 3]>) -> Result<Self, MeshError> {
        if triangles.is_empty() {
            return Err(MeshError::Empty);
        }
        for (what, count, limit) in [
            ("triangles", triangles.len(), MAX_TRIANGLES),
            ("vertices", positions.len(), 3 * MAX_TRIANGLES),
        ] {
            if count > limit {
                return Err(MeshError::TooMany { what, count, limit });
            }
        }
        if let Some(vertex) = positions
            .iter()
            .position(|p| !p.iter().all(|x| x.is_finite()))
        {
            return Err(MeshError::NotFinite { vertex });
        }
        let vertices = positions.len();
        for (triangle, corners) in triangles.iter().enumerate() {
            if let Some(&index) = corners.iter().find(|&&i| i as usize >= vertices) {
                return Err(MeshError::IndexOutOfRange {
                    triangle,
                    index,
                    vertices,
                });
            }
        }
        // Meshes live long; release the spare capacity that loaders reserved.
        positions.shrink_to_fit();
        triangles.shrink_to_fit();
        Ok(TriMesh {
            positions,
            triangles,
        })
    }

    /// Vertices.
    #[must_use]
    pub fn positions(&self) -> &[Vec3] {
        &self.positions
    }

    /// Corner indices of each triangle.
    #[must_use]
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns the corners of triangle `i`.
    ///
    /// # Panics
    /// If `i` is not below the triangle count.
    #[inline]
    #[must_use]
    pub fn triangle(&self, i: usize) -> [Vec3; 3] {
        self.triangles[i].map(|v| self.positions[v as usize])
    }

    /// Returns the lowest and highest corner of the bounding box over all vertices.
    #[must_use]
    pub fn bounds(&self) -> (Vec3, Vec3) {
        self.positions.iter().fold(
            (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)),
            |(low, high), p| (low.inf(p), high.sup(p)),
        )
    }
}

/// Returns the mesh of these triangles without the vertices that none of them uses. Every index
/// must be in range.
pub(crate) fn compact(
    positions: &[Vec3],
    mut triangles: Vec<[u32; 3]>,
) -> Result<TriMesh, MeshError> {
    let mut new_index = vec![u32::MAX; positions.len()];
    let mut kept = Vec::new();
    for v in triangles.iter_mut().flatten() {
        let slot = &mut new_index[*v as usize];
        if *slot == u32::MAX {
            *slot = kept.len() as u32;
            kept.push(positions[*v as usize]);
        }
        *v = *slot;
    }
    TriMesh::new(kept, triangles)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn corners() -> Vec<Vec3> {
        vec![Vec3::zeros(), Vec3::x(), Vec3::y() * 2.0, Vec3::z() * -3.0]
    }

    #[test]
    fn a_mesh_is_what_was_given() {
        let mesh = TriMesh::new(corners(), vec![[0, 1, 2], [0, 2, 3]]).unwrap();
        assert_eq!(mesh.triangle(1), [corners()[0], corners()[2], corners()[3]]);
        assert_eq!(
            mesh.bounds(),
            (Vec3::new(0.0, 0.0, -3.0), Vec3::new(1.0, 2.0, 0.0))
        );
    }

    #[test]
    fn what_is_not_a_mesh_is_refused_with_numbers() {
        assert_eq!(TriMesh::new(corners(), vec![]), Err(MeshError::Empty));
        assert_eq!(
            TriMesh::new(corners(), vec![[0, 1, 2], [0, 1, 4]]),
            Err(MeshError::IndexOutOfRange {
                triangle: 1,
                index: 4,
                vertices: 4
            })
        );
        for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            let mut positions = corners();
            positions[2].y = bad;
            assert_eq!(
                TriMesh::new(positions, vec![[0, 1, 3]]),
                Err(MeshError::NotFinite { vertex: 2 })
            );
        }
        let message = MeshError::IndexOutOfRange {
            triangle: 1,
            index: 4,
            vertices: 4,
        };
        assert_eq!(
            message.to_string(),
            "triangle 1 refers to vertex 4, but there are only 4 vertices"
        );
    }

    #[test]
    fn too_many_triangles_are_too_many() {
        let count = MAX_TRIANGLES + 1;
        assert_eq!(
            TriMesh::new(corners(), vec![[0, 1, 2]; count]),
            Err(MeshError::TooMany {
                what: "triangles",
                count,
                limit: MAX_TRIANGLES
            })
        );
    }

    #[test]
    fn compacting_drops_what_is_not_used() {
        let mesh = compact(&corners(), vec![[3, 1, 0], [0, 1, 3]]).unwrap();
        assert_eq!(mesh.positions(), [corners()[3], corners()[1], corners()[0]]);
        assert_eq!(mesh.triangles(), [[0, 1, 2], [2, 1, 0]]);
    }
}
