//! The penalty method: stiffness times depth, towards the nearest point of the surface.
//!
//! It has no memory, so it cannot know from which side the device entered (Zilles and Salisbury
//! 1995 name this as its fault). The normal at the nearest point decides whether a point is inside;
//! at edges and vertices it is weighted by angle (Bærentzen and Aanæs 2005).

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_triangle;

use super::{Method, Surface, angle};

/// Triangles farther than the nearest by at most this count as equally near: they share the foot,
/// m.
const TIE_M: f64 = 1e-10;

pub struct Penalty<'a> {
    pub surface: &'a Surface,
    pub stiffness: f64,
    /// Radius of the ball, m; 0 for a point.
    pub radius_m: f64,
}

impl Method for Penalty<'_> {
    fn force(&mut self, device: &Vec3) -> Vec3 {
        let (foot, ..) = self.surface.nearest(device);
        let least = (device - foot).norm();
        let mut normal = Vec3::zeros();
        for (triangle, n) in self.surface.triangles.iter().zip(&self.surface.normals) {
            let (foot, weights) = point_triangle(device, triangle);
            if (device - foot).norm() > least + TIE_M {
                continue;
            }
            let corner = weights.iter().position(|w| *w > 1.0 - 1e-9);
            normal += n * corner.map_or(std::f64::consts::PI, |i| angle(triangle, i));
        }
        let out = device - foot;
        let outside = out.dot(&normal) >= 0.0;
        let depth = self.radius_m + if outside { -least } else { least };
        if depth <= 0.0 {
            return Vec3::zeros();
        }
        let direction = match (least > 1e-12, outside) {
            (true, true) => out / least,
            (true, false) => -out / least,
            (false, _) => normal.normalize(),
        };
        direction * (self.stiffness * depth)
    }
}
