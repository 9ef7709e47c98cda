//! What the queries know of one shape, built once and shared: mesh, adjacency, hierarchy, leaf data.
//!
//! A shape is a triangle mesh, or a single point (the centre of a sphere tool, whose radius the queries
//! take separately). Building allocates and takes O(n log n); reading is lock-free and allocation-free,
//! and the index is `Send + Sync`, to be shared in an `Arc`. Coordinates are the shape's own, metres.

use std::sync::Arc;

use hapticd_geometry::{Adjacency, TriMesh, Vec3};

use crate::pair::PairKind;
use crate::tree::ObbTree;

/// One triangle with all a leaf test needs, contiguous in leaf order.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Leaf {
    /// Corners.
    pub(crate) corners: [Vec3; 3],
    /// Vertex indices of the corners.
    pub(crate) vertices: [u32; 3],
    /// Edge indices of the sides 01, 12, 20.
    pub(crate) edges: [u32; 3],
    /// Triangle index.
    pub(crate) triangle: u32,
    /// Bit i: this triangle owns corner i.
    pub(crate) owned_vertices: u8,
    /// Bit i: this triangle owns side i.
    pub(crate) owned_edges: u8,
}

#[derive(Clone, Debug)]
pub(crate) struct Surface {
    mesh: Arc<TriMesh>,
    adjacency: Adjacency,
    pub(crate) tree: ObbTree,
    pub(crate) leaves: Vec<Leaf>,
}

#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Point(Vec3),
    Surface(Box<Surface>),
}

/// A shape prepared for [`crate::proximity`] and [`crate::first_contact()`].
#[derive(Clone, Debug)]
pub struct MeshIndex {
    pub(crate) shape: Shape,
}

impl MeshIndex {
    /// Prepares a mesh.
    #[must_use]
    pub fn new(mesh: impl Into<Arc<TriMesh>>) -> Self {
        let mesh = mesh.into();
        let adjacency = Adjacency::new(&mesh);
        let tree = ObbTree::new(&mesh);
        let leaf = |&triangle: &u32| {
            let vertices = mesh.triangles()[triangle as usize];
            let edges = adjacency.triangle_edges[triangle as usize];
            Leaf {
                corners: mesh.triangle(triangle as usize),
                vertices,
                edges,
                triangle,
                owned_vertices: mask(&vertices, adjacency.owned_vertices(triangle)),
                owned_edges: mask(&edges, adjacency.owned_edges(triangle)),
            }
        };
        let leaves = tree.order().iter().map(leaf).collect();
        Self {
            shape: Shape::Surface(Box::new(Surface {
                mesh,
                adjacency,
                tree,
                leaves,
            })),
        }
    }

    /// Prepares a single point, feature index 0.
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

    /// Edges and owners of the mesh; `None` for a point.
    #[must_use]
    pub fn adjacency(&self) -> Option<&Adjacency> {
        self.surface().map(|s| &s.adjacency)
    }

    /// The box hierarchy of the mesh; `None` for a point.
    #[must_use]
    pub fn tree(&self) -> Option<&ObbTree> {
        self.surface().map(|s| &s.tree)
    }

    /// Points of a feature of this shape when it is side A of a pair of this kind: the first
    /// [`PairKind::points_a`] are set, the others zero. Real-time safe.
    ///
    /// `None` if there is no such feature.
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
            Shape::Point(p) => (points == 1 && i == 0).then_some([*p, zero, zero]),
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

/// Which of `all` are in `owned`; of equal ones (degenerate triangles) only the first.
fn mask(all: &[u32; 3], owned: &[u32]) -> u8 {
    let mut bits = 0;
    for i in 0..3 {
        if owned.contains(&all[i]) && !all[..i].contains(&all[i]) {
            bits |= 1 << i;
        }
    }
    bits
}
