//! The god-object of Zilles and Salisbury (IROS 1995): a point that stays on facets.
//!
//! A facet is active if the path from the god-object to the device crosses it from its front within
//! its edges. With up to three active facets the god-object is the point nearest to the device on
//! all their planes, found by Lagrange multipliers; the search is repeated for the path to that
//! point until no further facet is crossed. Each tick begins without facets.

use hapticd_geometry::Vec3;
use nalgebra::Matrix3;

use super::{Method, Surface};

/// Down to this depth, a point on a plane counts as in front of it: tolerance for rounding, m.
const ROUNDING_M: f64 = 1e-10;

pub struct GodObject<'a> {
    surface: &'a Surface,
    stiffness: f64,
    at: Vec3,
}

impl<'a> GodObject<'a> {
    /// Makes a god-object at the device's position, which is outside.
    pub fn new(surface: &'a Surface, stiffness: f64, at: Vec3) -> Self {
        GodObject {
            surface,
            stiffness,
            at,
        }
    }

    /// Returns the first facet on the path that is crossed from its front and is not in `active`.
    fn crossed(&self, to: &Vec3, active: &[usize]) -> Option<usize> {
        let mut first: Option<(f64, usize)> = None;
        let way = to - self.at;
        for (k, (triangle, n)) in self
            .surface
            .triangles
            .iter()
            .zip(&self.surface.normals)
            .enumerate()
        {
            let (before, after) = ((self.at - triangle[0]).dot(n), (to - triangle[0]).dot(n));
            if active.contains(&k) || before < -ROUNDING_M || after >= -ROUNDING_M {
                continue;
            }
            let t = (before / (before - after)).max(0.0);
            let hit = self.at + way * t;
            let inside = (0..3).all(|i| {
                let (p, q) = (triangle[i], triangle[(i + 1) % 3]);
                (q - p).cross(&(hit - p)).dot(n) >= 0.0
            });
            if inside && first.is_none_or(|(least, _)| t < least) {
                first = Some((t, k));
            }
        }
        first.map(|(_, k)| k)
    }

    /// Returns the point nearest to the device on the planes of these facets.
    fn nearest(&self, device: &Vec3, active: &[usize]) -> Vec3 {
        let plane = |k: usize| (self.surface.normals[k], self.surface.triangles[k][0]);
        match *active {
            [] => *device,
            [a] => {
                let (n, p) = plane(a);
                device - n * (device - p).dot(&n)
            }
            [a, b] => {
                let ((n, p), (m, q)) = (plane(a), plane(b));
                let c = n.dot(&m);
                let (x, y) = ((p - device).dot(&n), (q - device).dot(&m));
                let det = 1.0 - c * c;
                if det < 1e-12 {
                    return device + n * x;
                }
                device + n * ((x - c * y) / det) + m * ((y - c * x) / det)
            }
            [a, b, c, ..] => {
                let planes = [plane(a), plane(b), plane(c)];
                let rows = Matrix3::from_rows(&planes.map(|(n, _)| n.transpose()));
                let wanted = Vec3::from_iterator(planes.iter().map(|(n, p)| n.dot(p)));
                rows.lu().solve(&wanted).unwrap_or(self.at)
            }
        }
    }
}

impl Method for GodObject<'_> {
    fn force(&mut self, device: &Vec3) -> Vec3 {
        let mut active = Vec::new();
        let mut goal = *device;
        while let Some(k) = self.crossed(&goal, &active) {
            if active.len() == 3 {
                goal = self.at;
                break;
            }
            active.push(k);
            goal = self.nearest(device, &active);
        }
        self.at = goal;
        (self.at - device) * self.stiffness
    }
}
