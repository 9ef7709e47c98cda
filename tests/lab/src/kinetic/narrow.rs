//! First contact of two bodies by brute force: every vertex of one against every edge of the other.
//!
//! Independent of the kinetic structure. It follows the height of a vertex above an edge in the
//! frame of the edge's body, from the time it descends to the edge's line until it is above it
//! again.

use hapticd_kinetic::pseudo::{Contact, PolygonBody};
use hapticd_kinetic::roots::{Smooth, smooth};

/// Longest interval for which accelerations are bounded once, s.
const WINDOW_S: f64 = 0.1;
/// Height from which a vertex still counts as above: after a bounce it is at zero, up to rounding.
const ABOVE_M: f64 = -1e-9;
/// Largest number of times that a vertex crosses an edge's line.
const MAX_PASSES: usize = 1000;

type Point = [f64; 2];

fn minus(a: Point, b: Point) -> Point {
    [a[0] - b[0], a[1] - b[1]]
}

fn dot(a: Point, b: Point) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// Height of a vertex above the line of an edge, times a sign.
struct Height<'a> {
    of: &'a PolygonBody,
    on: &'a PolygonBody,
    vertex: Point,
    /// A point of the edge and its outward normal, in its body's frame.
    point: Point,
    normal: Point,
    sign: f64,
}

impl Height<'_> {
    /// Returns position and velocity of the vertex in the edge's frame.
    fn seen(&self, t: f64) -> [Point; 2] {
        let on = &self.on.motion;
        let (sin, cos) = (on.angle + on.omega * (t - on.t0)).sin_cos();
        let turned = |z: Point| [cos * z[0] + sin * z[1], cos * z[1] - sin * z[0]];
        let away = minus(self.of.motion.point(self.vertex, t), on.point([0.0; 2], t));
        let speed = minus(
            self.of.motion.point_velocity(self.vertex, t),
            on.velocity_at(t),
        );
        let (y, v) = (turned(away), turned(speed));
        [y, [v[0] + on.omega * y[1], v[1] - on.omega * y[0]]]
    }
}

impl Smooth for Height<'_> {
    fn at(&self, t: f64) -> (f64, f64) {
        let [y, v] = self.seen(t);
        (
            self.sign * dot(self.normal, minus(y, self.point)),
            self.sign * dot(self.normal, v),
        )
    }

    fn second_derivative_bound(&self, t: f64, window: f64) -> f64 {
        let (of, on) = (&self.of.motion, &self.on.motion);
        let length = |z: Point| z[0].hypot(z[1]);
        let radius = length(self.vertex);
        let pull = length(minus(of.acceleration, on.acceleration));
        let speed = length(minus(of.velocity_at(t), on.velocity_at(t)))
            + pull * window
            + of.omega.abs() * radius;
        let far = length(self.seen(t)[0]) + speed * window;
        // The motion of the point itself, Coriolis, centrifugal.
        pull + of.omega * of.omega * radius
            + 2.0 * on.omega.abs() * speed
            + on.omega * on.omega * far
    }
}

/// Returns the first contact of two bodies in `[now, horizon)`.
pub fn first_contact(
    bodies: &[PolygonBody],
    pair: [usize; 2],
    now: f64,
    horizon: f64,
) -> Option<Contact> {
    let mut found = None;
    let mut before = horizon;
    for [a, b] in [pair, [pair[1], pair[0]]] {
        let (of, on) = (&bodies[a], &bodies[b]);
        for (v, vertex) in of.shape.iter().enumerate() {
            for e in 0..on.shape.len() {
                let next = (e + 1) % on.shape.len();
                let ends = [on.shape[e], on.shape[next]];
                if let Some(time) = meets(of, on, *vertex, ends, now, before) {
                    before = time;
                    let world = ends.map(|p| on.motion.point(p, time));
                    let along = minus(world[1], world[0]);
                    let length = along[0].hypot(along[1]);
                    found = Some(Contact {
                        time,
                        bodies: [a as u32, b as u32],
                        vertex: v as u32,
                        edge: [next as u32, e as u32],
                        point: of.motion.point(*vertex, time),
                        normal: [along[1] / length, -along[0] / length],
                    });
                }
            }
        }
    }
    found
}

/// Returns the time at which a vertex descends onto an edge.
fn meets(
    of: &PolygonBody,
    on: &PolygonBody,
    vertex: Point,
    ends: [Point; 2],
    now: f64,
    horizon: f64,
) -> Option<f64> {
    let along = minus(ends[1], ends[0]);
    let square = dot(along, along);
    let length = square.sqrt();
    let mut height = Height {
        of,
        on,
        vertex,
        point: ends[0],
        normal: [along[1] / length, -along[0] / length],
        sign: 1.0,
    };
    let mut t = now;
    let mut above = height.at(now).0 > ABOVE_M;
    for _ in 0..MAX_PASSES {
        height.sign = if above { 1.0 } else { -1.0 };
        t = smooth(&height, t, horizon, WINDOW_S).time;
        if !(t < horizon) {
            return None;
        }
        let share = dot(along, minus(height.seen(t)[0], ends[0])) / square;
        if above && (0.0..=1.0).contains(&share) {
            return Some(t);
        }
        above = !above;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kinetic::common::Rng;
    use crate::kinetic::common::polygons::{sampled, scene, star};

    #[test]
    fn heights_have_the_slopes_of_their_differences_and_bounds_that_bound() {
        let mut rng = Rng(1);
        for _ in 0..50 {
            let shapes = (0..2).map(|_| star(&mut rng, 6, 0.3)).collect();
            let mut bodies = scene(&mut rng, shapes, 3.0, 1.0);
            bodies[0].motion.acceleration = [0.0, -3.0];
            let height = Height {
                of: &bodies[0],
                on: &bodies[1],
                vertex: bodies[0].shape[2],
                point: bodies[1].shape[1],
                normal: [0.6, 0.8],
                sign: -1.0,
            };
            let d = 1e-5;
            for k in 0..20 {
                let t = 0.1 * f64::from(k);
                let (f, slope) = height.at(t);
                let [low, high] = [t - d, t + d].map(|t| height.at(t));
                assert!((slope - (high.0 - low.0) / (2.0 * d)).abs() < 1e-6);
                let second = (high.1 - low.1) / (2.0 * d);
                assert!(f.is_finite());
                assert!(second.abs() <= height.second_derivative_bound(t - 0.05, 0.1) + 1e-6);
            }
        }
    }

    #[test]
    fn contacts_are_those_of_sampling() {
        let mut rng = Rng(2);
        let (mut same, mut none) = (0, 0);
        for run in 0..60 {
            let shapes = (0..2).map(|_| star(&mut rng, 7, 0.4)).collect();
            let bodies = scene(&mut rng, shapes, 2.0, 1.05);
            let found = first_contact(&bodies, [0, 1], 0.0, 3.0).map(|c| c.time);
            let want = sampled(&bodies, 3.0, 1e-3);
            match (found, want) {
                (Some(a), Some(b)) if (a - b).abs() < 1e-6 => same += 1,
                // Over before the next sample.
                (Some(a), b) => assert!(b.is_none_or(|b| a < b), "run {run}: {a} {b:?}"),
                (None, None) => none += 1,
                (None, Some(b)) => panic!("run {run}: missed at {b}"),
            }
        }
        assert!(same > 20 && none > 5, "{same} {none}");
    }
}
