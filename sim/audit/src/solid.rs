//! A triangle mesh prepared for checking: its box tree, and whether its surface is closed or a
//! sheet. Immutable, shareable.

use std::sync::Arc;

use hapticd_geometry::{TriMesh, Vec3};

use crate::Triangle;
use crate::boxes::{Aabb, Boxes};

/// A mesh with its box tree. Closedness is determined here, from coordinates: vertices at bit-equal
/// positions are one vertex.
///
/// The mesh itself is shared; the data kept next to it take some 11 bytes a triangle.
#[derive(Clone, Debug)]
pub struct Solid {
    mesh: Arc<TriMesh>,
    pub(crate) boxes: Boxes,
    /// For each position that triangles use, one vertex of the mesh; a bit for each vertex.
    vertices: Vec<u64>,
    /// One vertex of each connected piece.
    pieces: Vec<u32>,
    pub(crate) closed: bool,
    pub(crate) oriented: bool,
}

impl Solid {
    /// Prepares a copy of `mesh` (metres, outward counter-clockwise). O(n log n), allocates.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        Self::of(Arc::new(mesh.clone()))
    }

    /// Same as [`Solid::new`], without the copy.
    #[must_use]
    pub fn of(mesh: Arc<TriMesh>) -> Self {
        let first = welded(mesh.positions());
        let faces = || {
            let corners = mesh.triangles().iter();
            corners.map(|t| t.map(|v| first[v as usize]))
        };
        let (closed, oriented) = surface(faces());
        let (vertices, pieces) = pieces(faces(), first.len());
        Self {
            boxes: Boxes::new(mesh.triangles().len(), |i| mesh.triangle(i)),
            vertices,
            pieces,
            closed,
            oriented,
            mesh,
        }
    }

    /// Returns whether the surface encloses a volume: every edge is met by an even number of
    /// triangles. If not, it is a sheet without an inside.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Returns whether it is closed and every edge is traversed equally often in both directions.
    #[must_use]
    pub fn is_oriented(&self) -> bool {
        self.oriented
    }

    /// Returns the number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.mesh.triangles().len()
    }

    /// Returns whether there is no triangle.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the corners of a triangle, which must exist.
    pub(crate) fn corners(&self, triangle: u32) -> Triangle {
        self.mesh.triangle(triangle as usize)
    }

    /// Returns all triangles.
    pub(crate) fn triangles(&self) -> impl Iterator<Item = Triangle> {
        (0..self.len()).map(|i| self.mesh.triangle(i))
    }

    /// Returns the positions that triangles use, each once.
    pub(crate) fn vertices(&self) -> impl Iterator<Item = &Vec3> {
        let positions = self.mesh.positions().iter().enumerate();
        let is_one = |v: usize| self.vertices[v / 64] >> (v % 64) & 1 == 1;
        positions.filter(move |(v, _)| is_one(*v)).map(|(_, p)| p)
    }

    /// Returns one vertex of each connected piece.
    pub(crate) fn piece_vertices(&self) -> impl Iterator<Item = &Vec3> {
        let positions = self.mesh.positions();
        self.pieces.iter().map(|&v| &positions[v as usize])
    }

    pub(crate) fn bounds(&self) -> Aabb {
        self.boxes.all()
    }
}

/// Returns, for each vertex, the first one at its position.
fn welded(positions: &[Vec3]) -> Vec<u32> {
    // Adding zero makes the negative zero positive.
    let key = |v: u32| {
        let p = &positions[v as usize];
        [p.x, p.y, p.z].map(|x| (x + 0.0).to_bits())
    };
    let mut order: Vec<u32> = (0..positions.len() as u32).collect();
    order.sort_unstable_by_key(|&v| (key(v), v));
    let mut first = vec![0; positions.len()];
    for same in order.chunk_by(|&a, &b| key(a) == key(b)) {
        for &v in same {
            first[v as usize] = same[0];
        }
    }
    first
}

/// Returns whether the faces, over welded vertices, are closed and oriented. Triangles that have
/// become edges or points are ignored.
fn surface(faces: impl Iterator<Item = [u32; 3]>) -> (bool, bool) {
    // Both ends of a side, the lower first, and whether it is traversed from that one.
    let mut sides: Vec<(u32, u32, bool)> = Vec::new();
    for face in faces {
        if face[0] == face[1] || face[1] == face[2] || face[2] == face[0] {
            continue;
        }
        for i in 0..3 {
            let (a, b) = (face[i], face[(i + 1) % 3]);
            sides.push((a.min(b), a.max(b), a < b));
        }
    }
    sides.sort_unstable();
    let (mut closed, mut oriented) = (!sides.is_empty(), true);
    for edge in sides.chunk_by(|x, y| (x.0, x.1) == (y.0, y.1)) {
        let forward = edge.iter().filter(|side| side.2).count();
        closed &= edge.len() % 2 == 0;
        oriented &= 2 * forward == edge.len();
    }
    (closed, closed && oriented)
}

/// Returns the vertices that faces use, as a bit for each, and one vertex of each connected piece.
fn pieces(faces: impl Iterator<Item = [u32; 3]>, vertices: usize) -> (Vec<u64>, Vec<u32>) {
    const UNUSED: u32 = u32::MAX;
    let mut parent = vec![UNUSED; vertices];
    fn root(parent: &mut [u32], mut i: u32) -> u32 {
        while parent[i as usize] != i {
            let above = parent[parent[i as usize] as usize];
            parent[i as usize] = above;
            i = above;
        }
        i
    }
    for face in faces {
        for v in face {
            if parent[v as usize] == UNUSED {
                parent[v as usize] = v;
            }
        }
        for &other in &face[1..] {
            let (a, b) = (root(&mut parent, face[0]), root(&mut parent, other));
            parent[a.max(b) as usize] = a.min(b);
        }
    }
    let words = parent.chunks(64).map(|some| {
        let bits = some.iter().rev().map(|&p| u64::from(p != UNUSED));
        bits.fold(0, |word, bit| word << 1 | bit)
    });
    let roots = (0..).zip(&parent).filter(|&(i, &p)| i == p);
    let mut roots: Vec<u32> = roots.map(|(i, _)| i).collect();
    roots.shrink_to_fit();
    (words.collect(), roots)
}
