//! Three published rendering methods, implemented from their papers, compared with ours on the same
//! paths.
//!
//! Each is first shown to do what its literature says. All see only the positions of a point or a
//! ball; all have the same stiffness and no damping, friction or delay.

pub mod compare;
pub mod finger_proxy;
pub mod god_object;
pub mod penalty;
pub mod picture;

use hapticd_geometry::closest::point_triangle;
use hapticd_geometry::{TriMesh, Vec3};

pub use compare::EXPERIMENT;

/// A method: computes for one tick the force on the device at its position, N.
pub trait Method {
    fn force(&mut self, device: &Vec3) -> Vec3;
}

/// Triangles with outward normals, unordered: the peers visit all of them.
pub struct Surface {
    pub triangles: Vec<[Vec3; 3]>,
    pub normals: Vec<Vec3>,
    /// Unit normals at each corner: the mean over the triangles at that vertex, weighted by angle.
    pub corners: Vec<[Vec3; 3]>,
}

impl Surface {
    pub fn of(mesh: &TriMesh, at: &Vec3) -> Self {
        let count = mesh.triangles().len();
        let triangles: Vec<[Vec3; 3]> = (0..count)
            .map(|k| mesh.triangle(k).map(|p| p + at))
            .collect();
        let normals: Vec<Vec3> = triangles
            .iter()
            .map(|[a, b, c]| (b - a).cross(&(c - a)).normalize())
            .collect();
        let mut smooth = vec![Vec3::zeros(); mesh.positions().len()];
        for (k, vertices) in mesh.triangles().iter().enumerate() {
            for (i, &v) in vertices.iter().enumerate() {
                smooth[v as usize] += normals[k] * angle(&triangles[k], i);
            }
        }
        let corners = mesh
            .triangles()
            .iter()
            .map(|vertices| vertices.map(|v| smooth[v as usize].normalize()))
            .collect();
        Surface {
            triangles,
            normals,
            corners,
        }
    }

    /// Returns the nearest point, its triangle and barycentric coordinates.
    pub fn nearest(&self, p: &Vec3) -> (Vec3, usize, [f64; 3]) {
        let mut best = (Vec3::repeat(f64::INFINITY), 0, [0.0; 3], f64::INFINITY);
        for (k, triangle) in self.triangles.iter().enumerate() {
            let (foot, weights) = point_triangle(p, triangle);
            let away = (p - foot).norm_squared();
            if away < best.3 {
                best = (foot, k, weights, away);
            }
        }
        (best.0, best.1, best.2)
    }
}

/// Returns the angle of a triangle at its corner `i`, rad.
pub fn angle(triangle: &[Vec3; 3], i: usize) -> f64 {
    let from = triangle[i];
    let (a, b) = (triangle[(i + 1) % 3] - from, triangle[(i + 2) % 3] - from);
    a.angle(&b)
}

/// Returns `v` without its component along the unit vector `n`.
pub fn across(v: &Vec3, n: &Vec3) -> Vec3 {
    v - n * v.dot(n)
}
