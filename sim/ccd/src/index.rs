//! Precomputed data of one shape, built once and shared: mesh, adjacency, hierarchy, and vertices
//! in single precision.
//!
//! A shape is a triangle mesh or a single point (the centre of a sphere tool; queries take its
//! radius separately). Building allocates and takes O(n log n). Reading is lock-free and
//! allocation-free. The index is `Send + Sync` and meant to be shared in an `Arc`. Coordinates are
//! in the shape's own frame, metres.

use std::sync::Arc;

use hapticd_geometry::{Adjacency, NO_FACE, TriMesh, Vec3};

use crate::cull::{Owned, Small};
use crate::pair::PairKind;
use crate::tree::{ObbTree, TreeDefect};

/// One triangle with all the data that a leaf test needs. Gathered on request, since storing it
/// would take 104 bytes per triangle.
#[derive(Clone, Copy, Debug)]
pub struct Leaf {
    /// Corners, metres, in the frame of the mesh.
    pub corners: [Vec3; 3],
    /// Vertex indices of the corners.
    pub vertices: [u32; 3],
    /// Edge indices of the sides 01, 12, 20.
    pub edges: [u32; 3],
    /// Triangle index.
    pub triangle: u32,
    /// Bit i: this triangle owns corner i.
    pub owned_vertices: u8,
    /// Bit i: this triangle owns side i.
    pub owned_edges: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Surface {
    mesh: Arc<TriMesh>,
    adjacency: Adjacency,
    pub(crate) tree: ObbTree,
    pub(crate) small: Small,
    /// The far ends of four edges of each vertex, indexed by vertex; [`NO_VERTEX`] marks an unused
    /// entry. See [`MeshIndex::along_edges`].
    along_edges: Vec<[u32; 4]>,
}

/// Marks an unused entry in [`Surface::along_edges`].
const NO_VERTEX: u32 = u32::MAX;

impl Surface {
    /// Corners of a triangle. The index must be in range.
    #[inline]
    pub(crate) fn corners(&self, triangle: u32) -> [Vec3; 3] {
        self.mesh.triangle(triangle as usize)
    }

    /// Vertex indices of a triangle. The index must be in range.
    #[inline(always)]
    pub(crate) fn vertices(&self, triangle: u32) -> &[u32; 3] {
        &self.mesh.triangles()[triangle as usize]
    }

    /// Gathers all data of a triangle. The index must be in range.
    #[inline(always)]
    pub(crate) fn leaf(&self, triangle: u32) -> Leaf {
        let owned = self.small.owned[triangle as usize];
        Leaf {
            corners: self.corners(triangle),
            vertices: *self.vertices(triangle),
            edges: self.adjacency.triangle_edges[triangle as usize],
            triangle,
            owned_vertices: owned.vertices(),
            owned_edges: owned.edges(),
        }
    }
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Point(Vec3),
    Surface(Box<Surface>),
}

/// A shape prepared for the mesh queries of this crate, such as [`crate::proximity`] and
/// [`crate::moving`].
#[derive(Clone, Debug)]
pub struct MeshIndex {
    pub(crate) shape: Shape,
}

impl MeshIndex {
    /// Prepares a mesh and builds its hierarchy.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<TriMesh>>) -> Self {
        let mesh = mesh.into();
        let tree = ObbTree::new(&mesh);
        Self::assemble(mesh, tree)
    }

    /// Prepares a mesh with an existing hierarchy.
    ///
    /// # Errors
    /// If the hierarchy does not belong to this mesh.
    pub fn with_tree(mesh: impl Into<Arc<TriMesh>>, tree: ObbTree) -> Result<Self, TreeDefect> {
        let mesh = mesh.into();
        let (low, high) = mesh.bounds();
        tree.validate(&mesh, 1e-12 * (low.amax() + high.amax()))?;
        Ok(Self::assemble(mesh, tree))
    }

    fn assemble(mesh: Arc<TriMesh>, tree: ObbTree) -> Self {
        let adjacency = Adjacency::new(&mesh);
        let owned = |triangle: u32| {
            let vertices = mesh.triangles()[triangle as usize];
            let edges = adjacency.triangle_edges[triangle as usize];
            Owned::new(
                mask(&vertices, &adjacency.owned_vertices(triangle, vertices)),
                mask(&edges, &adjacency.owned_edges(triangle)),
            )
        };
        let small = Small::new(&tree, &mesh, owned);
        Self {
            shape: Shape::Surface(Box::new(Surface {
                along_edges: along_edges(&mesh, &adjacency),
                small,
                mesh,
                adjacency,
                tree,
            })),
        }
    }

    /// Prepares a single point, with feature index 0. It also acts as a face with three
    /// coincident corners, which allows two points to form a pair.
    #[must_use]
    pub fn point(at: Vec3) -> Self {
        Self {
            shape: Shape::Point(at),
        }
    }

    /// The mesh; `None` for a point.
    #[must_use]
    pub fn mesh(&self) -> Option<&Arc<TriMesh>> {
        self.surface().map(|s| &s.mesh)
    }

    /// Edges of the mesh and owners of its features; `None` for a point.
    #[must_use]
    pub fn adjacency(&self) -> Option<&Adjacency> {
        self.surface().map(|s| &s.adjacency)
    }

    /// The box hierarchy of the mesh; `None` for a point.
    #[must_use]
    pub fn tree(&self) -> Option<&ObbTree> {
        self.surface().map(|s| &s.tree)
    }

    /// Returns a triangle with its corners, its edges and the features that it owns. Every vertex
    /// and every edge of the mesh has exactly one owner. Real-time safe.
    ///
    /// `None` for a point and for a triangle out of range.
    #[inline]
    #[must_use]
    pub fn leaf(&self, triangle: u32) -> Option<Leaf> {
        let s = self.surface()?;
        ((triangle as usize) < s.mesh.triangles().len()).then(|| s.leaf(triangle))
    }

    /// Returns the unit directions from an edge into its two faces, in their planes and
    /// perpendicular to the edge. Zero where a face is missing, for a point, and for an edge out of
    /// range. Real-time safe.
    #[inline]
    #[must_use]
    pub fn into_faces(&self, edge: u32) -> [Vec3; 2] {
        let Some(s) = self.surface() else {
            return Default::default();
        };
        match s.adjacency.edges.get(edge as usize) {
            Some(e) => e.faces.map(|f| into_face(&s.mesh, e.vertices, f)),
            None => Default::default(),
        }
    }

    /// Returns, for the sides 01, 12, 20 of a face, the unit direction into the neighbour across
    /// that side. It lies in the neighbour's plane, perpendicular to the side. Zero where there is
    /// no neighbour, for a point, and for a face out of range. Real-time safe.
    #[must_use]
    pub fn into_neighbours(&self, face: u32) -> [Vec3; 3] {
        let mut out = [Vec3::zeros(); 3];
        let Some(s) = self.surface() else {
            return out;
        };
        let Some(edges) = s.adjacency.triangle_edges.get(face as usize) else {
            return out;
        };
        for (direction, &edge) in out.iter_mut().zip(edges) {
            let e = &s.adjacency.edges[edge as usize];
            if let Some(&f) = e.faces.iter().find(|&&f| f != face && f != NO_FACE) {
                *direction = into_face(&s.mesh, e.vertices, f);
            }
        }
        out
    }

    /// Returns unit directions from a vertex along four of its edges, chosen to point as far apart
    /// as possible. A motion that approaches something along any edge then mostly does so along one
    /// of these. A vertex with four edges or fewer returns all of them. Unused entries are zero, as
    /// are all entries for a point and for a vertex out of range. Real-time safe.
    #[inline]
    #[must_use]
    pub fn along_edges(&self, vertex: u32) -> [Vec3; 4] {
        let mut out = [Vec3::zeros(); 4];
        let Some(s) = self.surface() else {
            return out;
        };
        if let Some(ends) = s.along_edges.get(vertex as usize) {
            for (along, &end) in out
                .iter_mut()
                .zip(ends)
                .filter(|(_, end)| **end != NO_VERTEX)
            {
                *along = along_edge(s.mesh.positions(), vertex, end).unwrap_or_default();
            }
        }
        out
    }

    /// Returns the points of a feature of this shape as side A of a pair of the given kind. The
    /// first [`PairKind::points_a`] entries are set, the others are zero. Real-time safe.
    ///
    /// `None` if the feature does not exist.
    #[inline]
    #[must_use]
    pub fn feature_a(&self, kind: PairKind, feature: u32) -> Option<[Vec3; 3]> {
        self.feature(kind.points_a(), feature)
    }

    /// As [`MeshIndex::feature_a`], for side B.
    #[inline]
    #[must_use]
    pub fn feature_b(&self, kind: PairKind, feature: u32) -> Option<[Vec3; 3]> {
        self.feature(kind.points_b(), feature)
    }

    #[inline]
    fn feature(&self, points: usize, feature: u32) -> Option<[Vec3; 3]> {
        let i = feature as usize;
        let zero = Vec3::zeros();
        match &self.shape {
            Shape::Point(p) if i > 0 => None,
            Shape::Point(p) => match points {
                1 => Some([*p, zero, zero]),
                2 => None,
                _ => Some([*p; 3]),
            },
            Shape::Surface(s) => {
                let position = |v: u32| s.mesh.positions().get(v as usize).copied();
                match points {
                    1 => Some([position(feature)?, zero, zero]),
                    2 => {
                        let [p, q] = s.adjacency.edges.get(i)?.vertices;
                        Some([position(p)?, position(q)?, zero])
                    }
                    _ => {
                        let [p, q, r] = *s.mesh.triangles().get(i)?;
                        Some([position(p)?, position(q)?, position(r)?])
                    }
                }
            }
        }
    }

    #[inline]
    pub(crate) fn surface(&self) -> Option<&Surface> {
        match &self.shape {
            Shape::Point(_) => None,
            Shape::Surface(s) => Some(s),
        }
    }
}

/// Returns the unit direction from one vertex to another; `None` if they coincide.
#[inline]
fn along_edge(positions: &[Vec3], from: u32, to: u32) -> Option<Vec3> {
    (positions[to as usize] - positions[from as usize]).try_normalize(0.0)
}

fn along_edges(mesh: &TriMesh, adjacency: &Adjacency) -> Vec<[u32; 4]> {
    let around = adjacency.around_vertices();
    let mut directions = Vec::new();
    let vertices = 0..mesh.positions().len() as u32;
    let at = |v: u32| {
        directions.clear();
        for &e in around.of(v) {
            let [p, q] = adjacency.edges[e as usize].vertices;
            let other = if p == v { q } else { p };
            let along = along_edge(mesh.positions(), v, other);
            directions.extend(along.map(|along| (along, other)));
        }
        spread(&directions)
    };
    vertices.map(at).collect()
}

/// Returns the far ends of four of these unit vectors, or of all if there are no more than four. Of
/// the sets that it tests, it picks the one with the shortest sum.
///
/// For a vertex in a plane this is nearly always a set that surrounds the vertex. At a corner it is
/// a set without diagonals; on a ridge, both directions along the ridge and one down each side.
/// Where it is not, a pair that is not a contact may be taken for one, which costs a superfluous
/// row.
fn spread(all: &[(Vec3, u32)]) -> [u32; 4] {
    /// If there are more edges, only this many that lie furthest apart are tested.
    const MAX_CORNERS: usize = 8;
    let mut some: Vec<(Vec3, u32)> = all.iter().take(MAX_CORNERS).copied().collect();
    if all.len() > MAX_CORNERS {
        some.truncate(1);
        while some.len() < MAX_CORNERS {
            let nearest = |v: &Vec3| some.iter().map(|s| s.0.dot(v)).fold(-1.0, f64::max);
            let furthest = all
                .iter()
                .min_by(|x, y| nearest(&x.0).total_cmp(&nearest(&y.0)));
            some.extend(furthest.copied());
        }
    }
    let mut best = [NO_VERTEX; 4];
    if some.len() <= 4 {
        for (best, some) in best.iter_mut().zip(&some) {
            *best = some.1;
        }
        return best;
    }
    let mut shortest = f64::INFINITY;
    for (i, a) in some.iter().enumerate() {
        for (j, b) in some.iter().enumerate().skip(i + 1) {
            for (k, c) in some.iter().enumerate().skip(j + 1) {
                for d in &some[k + 1..] {
                    let sum = (a.0 + b.0 + c.0 + d.0).norm_squared();
                    if sum < shortest {
                        shortest = sum;
                        best = [a.1, b.1, c.1, d.1];
                    }
                }
            }
        }
    }
    best
}

fn into_face(mesh: &TriMesh, edge: [u32; 2], face: u32) -> Vec3 {
    if face == NO_FACE {
        return Vec3::zeros();
    }
    let [p, q] = edge.map(|v| mesh.positions()[v as usize]);
    let corner = mesh.triangles()[face as usize]
        .into_iter()
        .find(|v| !edge.contains(v));
    let Some(corner) = corner else {
        return Vec3::zeros();
    };
    let along = q - p;
    let up = mesh.positions()[corner as usize] - p;
    let inward = up - along * (up.dot(&along) / along.norm_squared());
    inward.try_normalize(0.0).unwrap_or_else(Vec3::zeros)
}

/// Bit mask of the entries of `all` that are in `owned`. Of equal entries (degenerate triangles)
/// only the first counts.
fn mask(all: &[u32; 3], owned: &[u32]) -> u8 {
    let mut bits = 0;
    for i in 0..3 {
        if owned.contains(&all[i]) && !all[..i].contains(&all[i]) {
            bits |= 1 << i;
        }
    }
    bits
}
