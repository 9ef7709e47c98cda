//! What a mesh is like: closed, oriented, clean. Reported, not repaired. Allocates; not for the real-time thread.

use crate::adjacency::Adjacency;
use crate::mesh::TriMesh;
use crate::pose::Vec3;

/// Findings about one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Vertices.
    pub vertices: usize,
    /// Triangles.
    pub triangles: usize,
    /// Edges with one face.
    pub boundary_edges: usize,
    /// Edges with three faces or more.
    pub non_manifold_edges: usize,
    /// Edges whose two faces run along it in the same direction: one of them is inside out.
    pub misoriented_edges: usize,
    /// Triangles without area (repeated corners or collinear). Loaders drop them and count them here.
    pub degenerate_triangles: usize,
    /// Parts that share no vertex.
    pub components: usize,
    /// No boundary and no non-manifold edge.
    pub closed: bool,
    /// Closed, consistent and outward (positive volume): has an inside.
    pub oriented: bool,
    /// Signed volume, m³; only meaningful if closed.
    pub signed_volume_m3: f64,
    /// Lowest and highest corner of the bounding box, m.
    pub bounds: (Vec3, Vec3),
}

impl MeshReport {
    /// Looks at a mesh. O(n log n).
    #[must_use]
    pub fn of(mesh: &TriMesh, adjacency: &Adjacency) -> Self {
        let edges = adjacency.edges.len();
        let mut faces = vec![0u32; edges];
        // Forward uses less backward uses of each edge: 0 on a consistently oriented manifold edge.
        let mut balance = vec![0i32; edges];
        for (t, corners) in mesh.triangles().iter().enumerate() {
            for side in 0..3 {
                let e = adjacency.triangle_edges[t][side] as usize;
                faces[e] += 1;
                balance[e] += if corners[side] == adjacency.edges[e].vertices[0] {
                    1
                } else {
                    -1
                };
            }
        }
        let boundary_edges = faces.iter().filter(|&&f| f == 1).count();
        let non_manifold_edges = faces.iter().filter(|&&f| f > 2).count();
        let misoriented_edges = (0..edges)
            .filter(|&e| faces[e] == 2 && balance[e] != 0)
            .count();
        let degenerate_triangles = (0..mesh.triangles().len())
            .filter(|&t| is_degenerate(mesh, t))
            .count();
        let signed_volume_m3 = signed_volume(mesh);
        let closed = boundary_edges == 0 && non_manifold_edges == 0;
        MeshReport {
            vertices: mesh.positions().len(),
            triangles: mesh.triangles().len(),
            boundary_edges,
            non_manifold_edges,
            misoriented_edges,
            degenerate_triangles,
            components: components(mesh),
            closed,
            oriented: closed && misoriented_edges == 0 && signed_volume_m3 > 0.0,
            signed_volume_m3,
            bounds: mesh.bounds(),
        }
    }
}

/// Whether triangle `t` has no area.
pub(crate) fn is_degenerate(mesh: &TriMesh, t: usize) -> bool {
    let [a, b, c] = mesh.triangle(t);
    let area = (b - a).cross(&(c - a)).norm();
    let longest = (b - a)
        .norm_squared()
        .max((c - a).norm_squared())
        .max((c - b).norm_squared());
    // Not `<=`: an area that is not a number is no area either.
    !(area > 1e-14 * longest)
}

/// Volume by the divergence theorem about the middle of the bounding box, m³.
fn signed_volume(mesh: &TriMesh) -> f64 {
    let (low, high) = mesh.bounds();
    let middle = (low + high) / 2.0;
    (0..mesh.triangles().len())
        .map(|t| {
            let [a, b, c] = mesh.triangle(t).map(|p| p - middle);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// Connected parts, by union-find over the vertices of triangles.
fn components(mesh: &TriMesh) -> usize {
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    let mut parent: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    for [a, b, c] in mesh.triangles() {
        let a = root(&mut parent, *a);
        for v in [*b, *c] {
            let r = root(&mut parent, v);
            parent[r as usize] = a;
        }
    }
    let mut roots: Vec<u32> = mesh
        .triangles()
        .iter()
        .map(|t| root(&mut parent, t[0]))
        .collect();
    roots.sort_unstable();
    roots.dedup();
    roots.len()
}
