//! The virtual proxy of Ruspini, Kolarov and Khatib (SIGGRAPH 1997), in the form of CHAI3D's finger
//! proxy: a ball that is swept towards the device, and along the surfaces that it meets.
//!
//! Up to three times in a tick the ball moves until it touches, and continues along the tangent
//! plane, then along the line of two planes; then it stops. With *force shading*, a first pass
//! projects the goal on a plane with the normal that is interpolated over the touched triangle. The
//! ball is then swept to the projection of that goal on the true planes.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_triangle;

use super::{Method, Surface, across};

/// Distance that the ball keeps, m.
const KEPT_M: f64 = 1e-6;
/// Amount by which it may come closer while it slides; otherwise an edge just ahead would stop it,
/// m.
const SLACK_M: f64 = 1e-7;
/// Accuracy of the search, m.
const EXACT_M: f64 = 1e-9;

pub struct FingerProxy<'a> {
    surface: &'a Surface,
    stiffness: f64,
    radius_m: f64,
    shaded: bool,
    at: Vec3,
}

impl<'a> FingerProxy<'a> {
    /// Makes a proxy at the device's position, which is outside.
    pub fn new(
        surface: &'a Surface,
        stiffness: f64,
        radius_m: f64,
        shaded: bool,
        at: Vec3,
    ) -> Self {
        FingerProxy {
            surface,
            stiffness,
            radius_m,
            shaded,
            at,
        }
    }

    /// Returns how far the ball gets on its way to `goal`, and what stops it: the triangle, the
    /// foot's barycentric coordinates, and the normal there. Triangles that it already touches stop
    /// it only if it would enter them.
    fn swept(&self, goal: &Vec3, kept_m: f64) -> (Vec3, Option<(usize, [f64; 3], Vec3)>) {
        let way = goal - self.at;
        let length = way.norm();
        if length < EXACT_M {
            return (self.at, None);
        }
        let direction = way / length;
        let keep = self.radius_m + kept_m;
        let mut gone = length;
        let mut hit = None;
        for (k, triangle) in self.surface.triangles.iter().enumerate() {
            // Conservative advancement: the distance to a triangle is convex along a line, so there
            // is no touch once it grows again.
            let mut t = 0.0;
            while t < gone {
                let p = self.at + direction * t;
                let (foot, weights) = point_triangle(&p, triangle);
                let out = p - foot;
                let away = out.norm();
                if away - keep <= EXACT_M {
                    if direction.dot(&out) < -1e-12 * away {
                        gone = t;
                        hit = Some((k, weights, out / away));
                    }
                    break;
                }
                if direction.dot(&out) >= 0.0 {
                    break;
                }
                t += away - keep;
            }
        }
        (self.at + direction * gone, hit)
    }

    fn shading(&self, k: usize, weights: &[f64; 3]) -> Vec3 {
        let corners = &self.surface.corners[k];
        let sum: Vec3 = corners.iter().zip(weights).map(|(n, w)| n * *w).sum();
        sum.normalize()
    }

    /// Moves to a goal in up to three sweeps.
    fn slide(&mut self, goal: &Vec3) -> Option<(usize, [f64; 3], Vec3)> {
        const SLIDING_M: f64 = KEPT_M - SLACK_M;
        let (at, first) = self.swept(goal, KEPT_M);
        self.at = at;
        let (_, _, n) = first?;
        let along = self.at + across(&(goal - self.at), &n);
        let (at, second) = self.swept(&along, SLIDING_M);
        self.at = at;
        if let Some((_, _, m)) = second {
            let line = n.cross(&m);
            if line.norm() > 1e-9 {
                let line = line.normalize();
                let along = self.at + line * (goal - self.at).dot(&line);
                (self.at, _) = self.swept(&along, SLIDING_M);
            }
        }
        first
    }
}

impl Method for FingerProxy<'_> {
    fn force(&mut self, device: &Vec3) -> Vec3 {
        let mut goal = *device;
        if self.shaded
            && let (at, Some((k, weights, normal))) = self.swept(device, KEPT_M)
        {
            // The first pass projects on the shading plane through the touch. The goal is then
            // projected on the true plane, on which the ball slides.
            let shading = self.shading(k, &weights);
            goal = at + across(&across(&(device - at), &shading), &normal);
            self.at = at;
        }
        self.slide(&goal);
        (self.at - device) * self.stiffness
    }
}
