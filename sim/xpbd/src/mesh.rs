//! Checks a surface before anything is built from it. Allocates; only for building.

use super::finite;
use crate::Vec3;

/// Why positions and triangles do not make a surface.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MeshFault {
    /// There is no triangle.
    Empty,
    /// A position (m) is not finite.
    Position {
        /// Index of the vertex.
        vertex: usize,
        /// Position, m.
        position: Vec3,
    },
    /// A triangle names a vertex that does not exist, or one vertex twice.
    Index {
        /// Index of the triangle.
        triangle: usize,
        /// Vertices of the triangle.
        vertices: [u32; 3],
        /// Number of vertices that exist.
        count: usize,
    },
}

impl core::fmt::Display for MeshFault {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        match self {
            Self::Empty => f.write_str("there is no triangle"),
            Self::Position { vertex, position } => write!(
                f,
                "position {:?} m of vertex {vertex} is not finite",
                position.as_slice()
            ),
            Self::Index {
                triangle,
                vertices,
                count,
            } => write!(
                f,
                "triangle {triangle} has the vertices {vertices:?} of {count}"
            ),
        }
    }
}

impl core::error::Error for MeshFault {}

pub(super) fn check(positions: &[Vec3], triangles: &[[u32; 3]]) -> Result<(), MeshFault> {
    if triangles.is_empty() {
        return Err(MeshFault::Empty);
    }
    if let Some((vertex, p)) = positions.iter().enumerate().find(|(_, p)| !finite(p)) {
        return Err(MeshFault::Position {
            vertex,
            position: *p,
        });
    }
    for (triangle, t) in triangles.iter().enumerate() {
        let twice = t[0] == t[1] || t[1] == t[2] || t[2] == t[0];
        if twice || t.iter().any(|&i| i as usize >= positions.len()) {
            return Err(MeshFault::Index {
                triangle,
                vertices: *t,
                count: positions.len(),
            });
        }
    }
    Ok(())
}

/// Returns every side of every triangle as (lower end, higher end, whether the side runs from lower
/// to higher, opposite corner, triangle), sorted.
pub(super) fn sides(triangles: &[[u32; 3]]) -> Vec<(u32, u32, bool, u32, usize)> {
    let mut sides = Vec::with_capacity(3 * triangles.len());
    for (triangle, t) in triangles.iter().enumerate() {
        for i in 0..3 {
            let (p, q, r) = (t[i], t[(i + 1) % 3], t[(i + 2) % 3]);
            sides.push((p.min(q), p.max(q), p < q, r, triangle));
        }
    }
    sides.sort_unstable();
    sides
}

pub(super) fn area(positions: &[Vec3], triangle: &[u32; 3]) -> f64 {
    let [a, b, c] = triangle.map(|i| positions[i as usize]);
    (b - a).cross(&(c - a)).norm() / 2.0
}

/// Volume enclosed by a closed surface whose triangles run counterclockwise seen from outside, m³
/// (divergence theorem).
pub(super) fn volume(positions: &[Vec3], triangles: &[[u32; 3]]) -> f64 {
    let o = positions[triangles[0][0] as usize];
    (triangles.iter())
        .map(|t| {
            let [a, b, c] = t.map(|i| positions[i as usize] - o);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}
