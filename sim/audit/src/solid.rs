//! A triangle mesh made ready for checking: its box tree and what its surface is (closed or a sheet). Immutable, shareable.

use std::collections::HashMap;

use hapticd_geometry::{TriMesh, Vec3};

use crate::Triangle;
use crate::boxes::{Aabb, Boxes};

/// A mesh with its box tree. Closedness is found here, from coordinates: vertices at bit-equal positions are one vertex.
#[derive(Clone, Debug)]
pub struct Solid {
    pub(crate) corners: Vec<Triangle>,
    pub(crate) boxes: Boxes,
    /// The positions that triangles use, each once.
    pub(crate) vertices: Vec<Vec3>,
    /// One vertex of each connected piece.
    pub(crate) piece_vertices: Vec<Vec3>,
    pub(crate) closed: bool,
    pub(crate) oriented: bool,
}

impl Solid {
    /// Prepares `mesh` (metres, outward counter-clockwise). O(n log n), allocates.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let corners: Vec<Triangle> = (0..mesh.triangles().len())
            .map(|i| mesh.triangle(i))
            .collect();
        let mut vertices = Vec::new();
        let mut ids = HashMap::new();
        // Adding zero makes the negative zero positive.
        let faces: Vec<[usize; 3]> = corners
            .iter()
            .map(|t| {
                t.map(|p| {
                    *ids.entry([p.x, p.y, p.z].map(|x| (x + 0.0).to_bits()))
                        .or_insert_with(|| {
                            vertices.push(p);
                            vertices.len() - 1
                        })
                })
            })
            .collect();
        vertices.shrink_to_fit();
        let (closed, oriented) = surface(&faces);
        Self {
            boxes: Boxes::new(&corners),
            piece_vertices: piece_vertices(&faces, &vertices),
            corners,
            vertices,
            closed,
            oriented,
        }
    }

    /// Whether the surface encloses a volume: every edge is met by an even number of triangles. If not, it is a sheet without inside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether it is closed and every edge is run through as often one way as the other.
    #[must_use]
    pub fn is_oriented(&self) -> bool {
        self.oriented
    }

    /// Triangle count.
    #[must_use]
    pub fn len(&self) -> usize {
        self.corners.len()
    }

    /// Whether there is no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.corners.is_empty()
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.boxes.node(0).bounds
    }
}

/// Closed and oriented, over welded vertices; triangles that have become edges or points count for nothing.
fn surface(faces: &[[usize; 3]]) -> (bool, bool) {
    // Undirected edge -> (uses, forward minus backward uses).
    let mut edges: HashMap<(usize, usize), (u32, i64)> = HashMap::new();
    for face in faces {
        if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
            continue;
        }
        for i in 0..3 {
            let (a, b) = (face[i], face[(i + 1) % 3]);
            let edge = edges.entry((a.min(b), a.max(b))).or_default();
            edge.0 += 1;
            edge.1 += if a < b { 1 } else { -1 };
        }
    }
    let closed = !edges.is_empty() && edges.values().all(|&(uses, _)| uses % 2 == 0);
    let oriented = closed && edges.values().all(|&(_, balance)| balance == 0);
    (closed, oriented)
}

fn piece_vertices(faces: &[[usize; 3]], vertices: &[Vec3]) -> Vec<Vec3> {
    let mut parent: Vec<usize> = (0..vertices.len()).collect();
    fn root(parent: &mut [usize], mut i: usize) -> usize {
        while parent[i] != i {
            parent[i] = parent[parent[i]];
            i = parent[i];
        }
        i
    }
    for face in faces {
        for &other in &face[1..] {
            let (a, b) = (root(&mut parent, face[0]), root(&mut parent, other));
            parent[a.max(b)] = a.min(b);
        }
    }
    let mut first: Vec<Vec3> = (0..vertices.len())
        .filter(|&i| parent[i] == i)
        .map(|i| vertices[i])
        .collect();
    first.shrink_to_fit();
    first
}
