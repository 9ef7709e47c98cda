//! Edges of a mesh, what lies on either side of them, and which triangle *owns* each edge and vertex.
//!
//! Ownership makes feature pairs unique: a query that visits triangle pairs looks only at the edges and vertices that the visited
//! triangles own, and meets every feature pair exactly once. Deterministic: the same mesh gives the same numbering.

use crate::mesh::TriMesh;

/// In [`Edge::faces`]: there is no face on that side.
pub const NO_FACE: u32 = u32::MAX;
/// In [`Adjacency::vertex_owner`]: no triangle uses the vertex.
pub const NO_OWNER: u32 = u32::MAX;

/// An undirected edge.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// End points, the smaller index first.
    pub vertices: [u32; 2],
    /// The first two triangles on it, [`NO_FACE`] if there is none. Non-manifold edges have more: see the mesh report.
    pub faces: [u32; 2],
    /// The triangle that owns it.
    pub owner: u32,
}

/// Adjacency of one mesh.
#[derive(Debug, Clone)]
pub struct Adjacency {
    /// All edges.
    pub edges: Vec<Edge>,
    /// The three edges of each triangle: of its corners 01, 12, 20.
    pub triangle_edges: Vec<[u32; 3]>,
    /// The triangle that owns each vertex.
    pub vertex_owner: Vec<u32>,
    owned_edges: Vec<([u32; 3], u8)>,
    owned_vertices: Vec<([u32; 3], u8)>,
    around: Vec<u32>,
    around_start: Vec<u32>,
}

impl Adjacency {
    /// O(n log n) in the triangles.
    #[must_use]
    pub fn new(mesh: &TriMesh) -> Self {
        let triangles = mesh.triangles();
        // (low, high, triangle, side), sorted: equal ends lie together, in triangle order.
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
        let mut owned_edges = vec![([0u32; 3], 0u8); triangles.len()];
        for (low, high, triangle, side) in sides {
            match edges.last_mut() {
                Some(e) if e.vertices == [low, high] => {
                    if e.faces[1] == NO_FACE {
                        e.faces[1] = triangle;
                    }
                }
                _ => {
                    let (owned, count) = &mut owned_edges[triangle as usize];
                    owned[*count as usize] = edges.len() as u32;
                    *count += 1;
                    edges.push(Edge {
                        vertices: [low, high],
                        faces: [triangle, NO_FACE],
                        owner: triangle,
                    });
                }
            }
            triangle_edges[triangle as usize][side as usize] = (edges.len() - 1) as u32;
        }
        let mut vertex_owner = vec![NO_OWNER; mesh.positions().len()];
        let mut owned_vertices = vec![([0u32; 3], 0u8); triangles.len()];
        for (t, corners) in triangles.iter().enumerate() {
            for &v in corners {
                if vertex_owner[v as usize] == NO_OWNER {
                    vertex_owner[v as usize] = t as u32;
                    let (owned, count) = &mut owned_vertices[t];
                    owned[*count as usize] = v;
                    *count += 1;
                }
            }
        }
        let mut around_start = vec![0u32; mesh.positions().len() + 1];
        for e in &edges {
            for v in e.vertices {
                around_start[v as usize + 1] += 1;
            }
        }
        for i in 1..around_start.len() {
            around_start[i] += around_start[i - 1];
        }
        let mut fill = around_start.clone();
        let mut around = vec![0; 2 * edges.len()];
        for (i, e) in edges.iter().enumerate() {
            for v in e.vertices {
                around[fill[v as usize] as usize] = i as u32;
                fill[v as usize] += 1;
            }
        }
        Adjacency {
            edges,
            triangle_edges,
            vertex_owner,
            owned_edges,
            owned_vertices,
            around,
            around_start,
        }
    }

    /// Edges that the triangle owns, at most 3.
    #[inline]
    #[must_use]
    pub fn owned_edges(&self, triangle: u32) -> &[u32] {
        let (edges, count) = &self.owned_edges[triangle as usize];
        &edges[..*count as usize]
    }

    /// Vertices that the triangle owns, at most 3.
    #[inline]
    #[must_use]
    pub fn owned_vertices(&self, triangle: u32) -> &[u32] {
        let (vertices, count) = &self.owned_vertices[triangle as usize];
        &vertices[..*count as usize]
    }

    /// Edges that meet at a vertex.
    #[must_use]
    pub fn vertex_edges(&self, vertex: u32) -> &[u32] {
        let v = vertex as usize;
        &self.around[self.around_start[v] as usize..self.around_start[v + 1] as usize]
    }
}
