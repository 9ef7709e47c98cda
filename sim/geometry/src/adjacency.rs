//! Edges of a mesh, the triangles on either side of them, and the triangle that *owns* each edge
//! and vertex.
//!
//! Ownership makes feature pairs unique. A query that visits pairs of triangles tests only the
//! edges and vertices that the visited triangles own, and so meets every feature pair exactly once.
//! Deterministic: the same mesh gives the same numbering.

use crate::mesh::TriMesh;

/// Entry of [`Edge::faces`] for a side without a face.
pub const NO_FACE: u32 = u32::MAX;
/// Entry of [`Adjacency::vertex_owner`] for a vertex that no triangle uses.
pub const NO_OWNER: u32 = u32::MAX;

/// An undirected edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// End points, the smaller index first.
    pub vertices: [u32; 2],
    /// The first two triangles on the edge, [`NO_FACE`] where there is none. Non-manifold edges
    /// have more: see the mesh report.
    pub faces: [u32; 2],
}

impl Edge {
    /// Returns the triangle that owns the edge: the first one on it.
    #[inline]
    #[must_use]
    pub fn owner(&self) -> u32 {
        self.faces[0]
    }
}

/// The features that a triangle owns, at most 3.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Owned {
    features: [u32; 3],
    count: u8,
}

impl Owned {
    /// Keeps the owned ones of three features, each once.
    fn of(all: [u32; 3], owned: impl Fn(u32) -> bool) -> Self {
        let mut out = Self::default();
        for (k, &feature) in all.iter().enumerate() {
            if owned(feature) && !all[..k].contains(&feature) {
                out.features[out.count as usize] = feature;
                out.count += 1;
            }
        }
        out
    }
}

impl std::ops::Deref for Owned {
    type Target = [u32];

    fn deref(&self) -> &[u32] {
        &self.features[..self.count as usize]
    }
}

/// The edges that meet at each vertex.
///
/// Kept apart from [`Adjacency`] because it takes 14 bytes a triangle and only some callers need
/// it, for a limited time.
#[derive(Debug, Clone)]
pub struct VertexEdges {
    around: Vec<u32>,
    start: Vec<u32>,
}

impl VertexEdges {
    /// Returns the edges that meet at a vertex, in rising order.
    #[must_use]
    pub fn of(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.around[self.start[v] as usize..self.start[v + 1] as usize]
    }
}

/// Adjacency of one mesh. A closed mesh takes 38 bytes a triangle.
#[derive(Debug, Clone)]
pub struct Adjacency {
    /// All edges.
    pub edges: Vec<Edge>,
    /// The three edges of each triangle, between its corners 01, 12 and 20.
    pub triangle_edges: Vec<[u32; 3]>,
    /// The triangle that owns each vertex, or [`NO_OWNER`].
    pub vertex_owner: Vec<u32>,
}

impl Adjacency {
    /// Builds the adjacency in O(n log n) of the triangles. Allocates.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        // (low, high, triangle, side), sorted: equal ends are adjacent, in triangle order.
        let mut sides: Vec<(u32, u32, u32, u8)> = Vec::with_capacity(3 * triangles.len());
        for (t, corners) in triangles.iter().enumerate() {
            for side in 0..3 {
                let (p, q) = (corners[side], corners[(side + 1) % 3]);
                sides.push((p.min(q), p.max(q), t as u32, side as u8));
            }
        }
        sides.sort_unstable();
        let mut edges: Vec<Edge> = Vec::with_capacity(sides.len() / 2);
        let mut triangle_edges = vec![[0; 3]; triangles.len()];
        for (low, high, triangle, side) in sides {
            match edges.last_mut() {
                Some(e) if e.vertices == [low, high] => {
                    if e.faces[1] == NO_FACE {
                        e.faces[1] = triangle;
                    }
                }
                _ => edges.push(Edge {
                    vertices: [low, high],
                    faces: [triangle, NO_FACE],
                }),
            }
            triangle_edges[triangle as usize][side as usize] = (edges.len() - 1) as u32;
        }
        let mut vertex_owner = vec![NO_OWNER; mesh.positions().len()];
        for (t, corners) in triangles.iter().enumerate() {
            for &v in corners {
                if vertex_owner[v as usize] == NO_OWNER {
                    vertex_owner[v as usize] = t as u32;
                }
            }
        }
        edges.shrink_to_fit();
        Adjacency {
            edges,
            triangle_edges,
            vertex_owner,
        }
    }

    /// Returns the edges around each vertex. `O(n)`; allocates.
    #[must_use]
    pub fn around_vertices(&self) -> VertexEdges {
        let mut start = vec![0u32; self.vertex_owner.len() + 1];
        for e in &self.edges {
            for v in e.vertices {
                start[v as usize + 1] += 1;
            }
        }
        for i in 1..start.len() {
            start[i] += start[i - 1];
        }
        let mut fill = start.clone();
        let mut around = vec![0; 2 * self.edges.len()];
        for (i, e) in self.edges.iter().enumerate() {
            for v in e.vertices {
                around[fill[v as usize] as usize] = i as u32;
                fill[v as usize] += 1;
            }
        }
        VertexEdges { around, start }
    }

    /// Returns the edges that a triangle owns, at most 3.
    #[inline]
    #[must_use]
    pub fn owned_edges(&self, triangle: u32) -> Owned {
        let edges = self.triangle_edges[triangle as usize];
        Owned::of(edges, |e| self.edges[e as usize].owner() == triangle)
    }

    /// Returns the vertices that a triangle owns, at most 3. `corners` are its vertices.
    #[inline]
    #[must_use]
    pub fn owned_vertices(&self, triangle: u32, corners: [u32; 3]) -> Owned {
        Owned::of(corners, |v| self.vertex_owner[v as usize] == triangle)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;
    use crate::pose::Vec3;
    use crate::shapes;

    /// Checks everything that [`Adjacency`] promises against a plain map from edges to triangles.
    fn check(mesh: &TriMesh) {
        let adjacency = Adjacency::new(mesh);
        let mut faces: BTreeMap<[u32; 2], Vec<u32>> = BTreeMap::new();
        for (t, &[a, b, c]) in mesh.triangles().iter().enumerate() {
            for (side, (p, q)) in [(a, b), (b, c), (c, a)].into_iter().enumerate() {
                let ends = [p.min(q), p.max(q)];
                faces.entry(ends).or_default().push(t as u32);
                let edge = adjacency.triangle_edges[t][side] as usize;
                assert_eq!(adjacency.edges[edge].vertices, ends);
            }
        }
        // The map's order is sorted, hence the same for the same mesh.
        assert!(faces.keys().eq(adjacency.edges.iter().map(|e| &e.vertices)));
        for (e, around) in adjacency.edges.iter().zip(faces.values()) {
            assert_eq!(e.faces[0], around[0]);
            assert_eq!(e.faces[1], around.get(1).copied().unwrap_or(NO_FACE));
            assert!(around.contains(&e.owner()));
        }
        let (mut edges, mut vertices) = (BTreeSet::new(), BTreeSet::new());
        for t in 0..mesh.triangles().len() as u32 {
            for &e in adjacency.owned_edges(t).iter() {
                assert!(edges.insert(e), "edge {e} has two owners");
                assert_eq!(adjacency.edges[e as usize].owner(), t);
            }
            for &v in adjacency
                .owned_vertices(t, mesh.triangles()[t as usize])
                .iter()
            {
                assert!(vertices.insert(v), "vertex {v} has two owners");
                assert_eq!(adjacency.vertex_owner[v as usize], t);
                assert!(mesh.triangles()[t as usize].contains(&v));
            }
        }
        assert_eq!(edges.len(), adjacency.edges.len());
        let all_around = adjacency.around_vertices();
        for v in 0..mesh.positions().len() as u32 {
            let is_used = mesh.triangles().iter().flatten().any(|&u| u == v);
            assert_eq!(vertices.contains(&v), is_used);
            assert_eq!(adjacency.vertex_owner[v as usize] == NO_OWNER, !is_used);
            let expected: Vec<u32> = (0..adjacency.edges.len() as u32)
                .flat_map(|e| {
                    let ends = adjacency.edges[e as usize].vertices;
                    ends.into_iter().filter(|&u| u == v).map(move |_| e)
                })
                .collect();
            assert_eq!(all_around.of(v), expected);
        }
    }

    #[test]
    fn shapes_have_the_edges_of_euler() {
        // V - E + F is 2 for a sphere, 0 for a torus and a block with a hole.
        for (mesh, characteristic) in [
            (shapes::cuboid(&Vec3::repeat(1.0)), 2),
            (shapes::icosphere(1.0, 2), 2),
            (shapes::inner_corner(1.0, 0.1), 2),
            (shapes::torus(1.0, 0.2, 12, 7), 0),
            (shapes::block_with_hole(&Vec3::repeat(1.0), 0.5), 0),
            (shapes::sheet(1.0, 3), 1),
        ] {
            let mesh = mesh.unwrap();
            check(&mesh);
            let edges = Adjacency::new(&mesh).edges.len();
            let euler = mesh.positions().len() + mesh.triangles().len();
            assert_eq!(euler as i64 - edges as i64, characteristic);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(200))]

        /// Any triangles at all: non-manifold, repeated, with equal corners, with unused vertices.
        #[test]
        fn any_mesh_has_an_adjacency(triangles in prop::collection::vec(prop::array::uniform3(0..8u32), 1..20)) {
            check(&TriMesh::new(vec![Vec3::zeros(); 9], triangles).unwrap());
        }
    }
}
