//! Properties of a mesh: closed, oriented, clean. Reported, not repaired. Allocates; not for the
//! real-time thread.

use crate::adjacency::Adjacency;
use crate::mesh::TriMesh;
use crate::pose::Vec3;

/// Findings about one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct MeshReport {
    /// Number of vertices.
    pub vertices: usize,
    /// Number of triangles.
    pub triangles: usize,
    /// Number of edges with one face.
    pub boundary_edges: usize,
    /// Number of edges with three faces or more.
    pub non_manifold_edges: usize,
    /// Number of edges with two faces that run along it in the same direction: one of them is
    /// inside out.
    pub misoriented_edges: usize,
    /// Number of triangles without area (repeated or collinear corners). Loaders drop them and
    /// count them here.
    pub degenerate_triangles: usize,
    /// Number of parts that share no vertex.
    pub components: usize,
    /// True if there is no boundary edge and no non-manifold edge.
    pub closed: bool,
    /// True if closed, consistent and outward (positive volume): the mesh has an inside.
    pub oriented: bool,
    /// Signed volume, m³; meaningful only if closed.
    pub signed_volume_m3: f64,
    /// Lowest and highest corner of the bounding box, m.
    pub bounds: (Vec3, Vec3),
}

impl MeshReport {
    /// Returns whether the mesh has an inside, and its triangles face it.
    #[must_use]
    pub fn is_inside_out(&self) -> bool {
        self.closed && self.misoriented_edges == 0 && self.signed_volume_m3 < 0.0
    }

    /// Describes in words, with the numbers, why a mesh that is not
    /// [`oriented`](Self::oriented) is no solid. Allocates.
    #[must_use]
    pub fn defects(&self) -> String {
        if self.is_inside_out() {
            return format!(
                "inside out: all {} triangles face inwards, volume {:.3e} m3",
                self.triangles, self.signed_volume_m3
            );
        }
        if self.closed && self.misoriented_edges == 0 {
            return "it encloses no volume".to_owned();
        }
        format!(
            "{} boundary edges, {} non-manifold edges, {} misoriented edges, volume {:.3e} m3",
            self.boundary_edges,
            self.non_manifold_edges,
            self.misoriented_edges,
            self.signed_volume_m3
        )
    }

    /// Examines a mesh. O(n log n).
    #[must_use]
    pub fn of(mesh: &TriMesh, adjacency: &Adjacency) -> Self {
        let edges = adjacency.edges.len();
        let mut faces = vec![0u32; edges];
        // Forward minus backward uses of each edge: 0 on a consistently oriented manifold edge.
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

/// Returns whether triangle `t` has no area.
pub(crate) fn is_degenerate(mesh: &TriMesh, t: usize) -> bool {
    let [a, b, c] = mesh.triangle(t);
    let area = (b - a).cross(&(c - a)).norm();
    let longest = (b - a)
        .norm_squared()
        .max((c - a).norm_squared())
        .max((c - b).norm_squared());
    // Not `<=`: an area that is NaN counts as no area.
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

/// Counts connected parts, by union-find over the vertices of triangles.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shapes;

    fn report(positions: &[Vec3], triangles: Vec<[u32; 3]>) -> MeshReport {
        let mesh = TriMesh::new(positions.to_vec(), triangles).unwrap();
        MeshReport::of(&mesh, &Adjacency::new(&mesh))
    }

    /// A cuboid, and a copy `shift` along x with vertices of its own.
    fn two(shift: f64) -> (Vec<Vec3>, Vec<[u32; 3]>) {
        let one = shapes::cuboid(&Vec3::repeat(0.5)).unwrap();
        let n = one.positions().len() as u32;
        let again = one.positions().iter().map(|p| p + Vec3::x() * shift);
        let positions = one.positions().iter().copied().chain(again).collect();
        let more = one.triangles().iter().map(|t| t.map(|v| v + n));
        let triangles = one.triangles().iter().copied().chain(more).collect();
        (positions, triangles)
    }

    #[test]
    fn parts_are_counted_and_their_volumes_added() {
        let (positions, triangles) = two(3.0);
        let r = report(&positions, triangles);
        assert_eq!((r.vertices, r.triangles, r.components), (16, 24, 2));
        assert!(r.oriented && (r.signed_volume_m3 - 2.0).abs() < 1e-14);
        assert_eq!(r.bounds, (Vec3::repeat(-0.5), Vec3::new(3.5, 0.5, 0.5)));
    }

    #[test]
    fn a_cavity_is_a_surface_that_faces_inwards() {
        let (mut positions, mut triangles) = two(0.0);
        positions[8..].iter_mut().for_each(|p| *p *= 0.5);
        triangles[12..].iter_mut().for_each(|t| t.swap(0, 1));
        let r = report(&positions, triangles);
        assert!(
            r.oriented && (r.signed_volume_m3 - 0.875).abs() < 1e-14,
            "{r:?}"
        );
    }

    #[test]
    fn holes_are_counted() {
        let (positions, mut triangles) = two(3.0);
        triangles.pop();
        let r = report(&positions, triangles);
        assert!(!r.closed && !r.oriented);
        assert_eq!((r.boundary_edges, r.non_manifold_edges), (3, 0));
    }

    #[test]
    fn an_edge_of_many_faces_is_not_manifold() {
        // Three fins on one edge.
        let positions: Vec<Vec3> = (0..5)
            .map(|i| Vec3::new(f64::from(i), f64::from(i * i), f64::from(i % 2)))
            .collect();
        let r = report(&positions, vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]]);
        assert_eq!(
            (r.non_manifold_edges, r.boundary_edges, r.closed),
            (1, 6, false)
        );
        // A closed surface twice: every edge has four faces.
        let one = shapes::cuboid(&Vec3::repeat(0.5)).unwrap();
        let twice = [one.triangles(), one.triangles()].concat();
        let r = report(one.positions(), twice);
        assert_eq!(
            (r.non_manifold_edges, r.closed, r.oriented),
            (18, false, false)
        );
    }

    #[test]
    fn inside_out_is_closed_but_not_oriented() {
        let one = shapes::cuboid(&Vec3::repeat(0.5)).unwrap();
        let triangles = one.triangles().iter().map(|&[a, b, c]| [a, c, b]).collect();
        let r = report(one.positions(), triangles);
        assert!(r.closed && !r.oriented && r.misoriented_edges == 0 && r.signed_volume_m3 < 0.0);
    }

    #[test]
    fn triangles_without_area_are_counted() {
        let positions = [
            Vec3::zeros(),
            Vec3::x(),
            Vec3::x() * 0.1 + Vec3::x() * 0.2,
            Vec3::y(),
            Vec3::new(0.5, 1e-12, 0.0),
        ];
        let r = report(&positions, vec![[0, 1, 3], [0, 1, 2], [0, 0, 3], [0, 1, 4]]);
        assert_eq!(r.degenerate_triangles, 2, "a sliver of 1e-12 has an area");
    }
}
