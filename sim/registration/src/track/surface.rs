//! Tracking on curved surfaces: the step is bent over edges and keeps its length.
//!
//! Each face consists of its triangles `(V, S, S')`. The step is laid into the plane of the first
//! one, at full length. At an edge it is rotated about it by the angle between the two planes, so
//! that it continues straight as on the unfolded surface.

use hapticd_geometry::Vec3;

use super::{Budget, Outcome, Particle};
use crate::map::{Dart, Map};

/// A triangle `(V, S, S')` and its unit normal.
struct Facet {
    corners: [Vec3; 3],
    normal: Vec3,
}

impl Facet {
    fn new(map: &Map, d: Dart) -> Option<Self> {
        let [v, _, s, e] = map.tetrahedron(d);
        let normal = (s - v).cross(&(e - v));
        let length = normal.norm();
        (length > 0.0).then(|| Facet {
            corners: [v, s, e],
            normal: normal / length,
        })
    }

    /// Returns, for the side opposite to corner `i`: its start, its direction, and the direction
    /// from it into the triangle.
    fn side(&self, i: usize) -> (Vec3, Vec3, Vec3) {
        let (a, b) = (self.corners[(i + 1) % 3], self.corners[(i + 2) % 3]);
        let along = (b - a).normalize();
        (a, along, self.normal.cross(&along))
    }
}

impl Map {
    pub(super) fn track_surface(
        &self,
        particle: &mut Particle,
        goal: &Vec3,
        budget: &mut Budget,
    ) -> Option<Outcome> {
        let mut p = particle.position;
        let mut d = self.facet_at(particle.dart, &p);
        let length = (goal - p).norm();
        let Some(mut facet) = Facet::new(self, d).filter(|_| length > 0.0) else {
            return Some(Outcome::Reached);
        };
        let mut rest = (goal - p) - facet.normal * facet.normal.dot(&(goal - p));
        if rest.norm() <= 1e-9 * length {
            // Perpendicular to the surface: no direction to move in.
            return Some(Outcome::Reached);
        }
        rest *= length / rest.norm();
        let mut entered = None;
        while budget.tests < budget.most {
            budget.tests += 1;
            let mut exit: Option<(f64, usize)> = None;
            for i in 0..3 {
                if entered == Some(i) {
                    continue;
                }
                let (from, _, inward) = facet.side(i);
                let speed = -inward.dot(&rest);
                if speed > 0.0 {
                    let t = (inward.dot(&(p - from)) / speed).max(0.0);
                    if exit.is_none_or(|(least, _)| t < least) {
                        exit = Some((t, i));
                    }
                }
            }
            let Some((t, i)) = exit.filter(|&(t, _)| t < 1.0) else {
                *particle = self.settle(d, &(p + rest));
                return Some(Outcome::Reached);
            };
            let (from, along, inward) = facet.side(i);
            // Exactly on the side, so that nothing drifts off the surface.
            p = from + along * along.dot(&(p + rest * t - from));
            rest *= 1.0 - t;
            let next = match i {
                0 => self.phi2(d),
                1 => self.phi1(d),
                _ => self.phi_1(d),
            };
            let stopped = i == 0 && (next == d || self.is_obstacle(d));
            let beyond = Facet::new(self, next).filter(|_| !stopped);
            let Some(beyond) = beyond else {
                *particle = self.settle(d, &p);
                return Some(Outcome::Blocked {
                    dart: d,
                    share: 1.0 - rest.norm() / length,
                });
            };
            // The same side seen from beyond: opposite to V again, or S and S' change places.
            let back = [0, 2, 1][i];
            let (_, _, onward) = beyond.side(back);
            rest = along * along.dot(&rest) - onward * inward.dot(&rest);
            (d, facet, entered) = (next, beyond, Some(back));
        }
        None
    }

    /// Returns the triangle of a dart's cell that holds a point; that of the dart itself if none
    /// does.
    pub(crate) fn facet_at(&self, d: Dart, p: &Vec3) -> Dart {
        if self.holds(d, p) {
            return d;
        }
        self.cell_darts(self.cell(d))
            .find(|&x| self.holds(x, p))
            .unwrap_or(d)
    }
}
