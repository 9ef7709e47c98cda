//! The point of a mesh that is nearest to a given point, by the hierarchy, nearest boxes first.
//!
//! Allocates nothing once its stack has grown to the depth of the tree. Deterministic: of triangles
//! that are equally near, the first that the search visits counts.

use hapticd_geometry::{Vec3, closest};

use crate::index::{MeshIndex, Shape};
use crate::obb::Obb;

/// Nearest point of a mesh.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// Nearest point on the mesh, in its frame, m.
    pub point: Vec3,
    /// Distance from there to the query point, m.
    pub distance_m: f64,
    /// Unit normal of the triangle that contains the point, by its winding. Zero for a triangle
    /// without area and for a point shape.
    pub normal: Vec3,
}

/// Work space, kept between queries.
#[derive(Clone, Debug, Default)]
pub struct NearestWork {
    stack: Vec<(f64, u32)>,
}

/// Square of the distance from a point to a box, m².
fn square_to(obb: &Obb, p: &Vec3) -> f64 {
    let beyond = obb.axes.tr_mul(&(p - obb.center)).abs() - obb.half;
    beyond.map(|x| x.max(0.0)).norm_squared()
}

impl NearestWork {
    /// Returns the nearest point of `mesh` to `p` (mesh frame, m), if it is nearer than `within_m`.
    pub fn query(&mut self, mesh: &MeshIndex, p: &Vec3, within_m: f64) -> Option<Nearest> {
        let surface = match &mesh.shape {
            Shape::Point(at) => {
                let distance_m = (p - at).norm();
                return (distance_m < within_m).then_some(Nearest {
                    point: *at,
                    distance_m,
                    normal: Vec3::zeros(),
                });
            }
            Shape::Surface(surface) => surface,
        };
        let nodes = surface.tree.nodes();
        let mut best = within_m * within_m;
        let mut found: Option<(Vec3, u32)> = None;
        self.stack.clear();
        self.stack.push((0.0, 0));
        while let Some((square, number)) = self.stack.pop() {
            // Not `square >= best`: NaN must also be skipped.
            if !(square < best) {
                continue;
            }
            let Some(node) = nodes.get(number as usize) else {
                continue;
            };
            if node.is_leaf() {
                let (point, _) = closest::point_triangle(p, &surface.corners(node.triangle()));
                let square = (p - point).norm_squared();
                if square < best {
                    best = square;
                    found = Some((point, node.triangle()));
                }
                continue;
            }
            let child = |number: u32| (square_to(&surface.tree.obb(number), p), number);
            let (a, b) = (child(node.children()), child(node.children() + 1));
            // The nearer child is visited first.
            let (near, far) = if b.0 < a.0 { (b, a) } else { (a, b) };
            self.stack.extend([far, near]);
        }
        found.map(|(point, triangle)| {
            let [a, b, c] = surface.corners(triangle);
            let normal = (b - a).cross(&(c - a)).try_normalize(0.0);
            Nearest {
                point,
                distance_m: best.sqrt(),
                normal: normal.unwrap_or_default(),
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;

    #[test]
    fn the_nearest_triangle_within_reach_is_found() {
        let mesh = shapes::terrain([0.1, 0.1], 12, 0.02, 0.05, 3).unwrap();
        let index = MeshIndex::new(mesh.clone());
        let mut work = NearestWork::default();
        let mut found = 0;
        for i in 0..400 {
            let t = f64::from(i);
            let p = Vec3::new((1.3 * t).sin(), (0.7 * t).cos(), (0.37 * t).sin()) * 0.12;
            let brute = (0..mesh.triangles().len())
                .map(|k| (p - closest::point_triangle(&p, &mesh.triangle(k)).0).norm())
                .fold(f64::INFINITY, f64::min);
            let all = work.query(&index, &p, f64::INFINITY).unwrap();
            assert!((all.distance_m - brute).abs() < 1e-15, "{all:?} {brute}");
            assert!(((p - all.point).norm() - brute).abs() < 1e-15);
            let near = work.query(&index, &p, 0.03);
            assert_eq!(near, (brute < 0.03).then_some(all));
            found += usize::from(near.is_some());
        }
        assert!(found > 20 && found < 380, "{found}");
    }

    #[test]
    fn a_point_is_its_own_nearest_and_what_is_nowhere_has_none() {
        let mut work = NearestWork::default();
        let point = MeshIndex::point(Vec3::x());
        let near = work.query(&point, &Vec3::zeros(), 2.0).unwrap();
        assert_eq!((near.point, near.distance_m), (Vec3::x(), 1.0));
        assert_eq!(work.query(&point, &Vec3::zeros(), 1.0), None);
        let cube = MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.5)).unwrap());
        assert_eq!(work.query(&cube, &Vec3::repeat(f64::NAN), 9.0), None);
        let side = work.query(&cube, &Vec3::new(0.8, 0.1, 0.2), 9.0).unwrap();
        assert_eq!((side.normal, side.point.x), (Vec3::x(), 0.5));
    }
}
