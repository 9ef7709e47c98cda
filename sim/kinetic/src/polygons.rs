//! Rigid polygons that move in the plane, their contacts, and when a corner of three of their
//! vertices becomes straight or closes. Shared by [`crate::pseudo`] and [`crate::ergt`].
//!
//! Metres, seconds, radians; polygons are counter-clockwise, and turn about the origin of their own
//! frames. Vertices are numbered consecutively, those of the first body first. The search for a
//! failure does not allocate.

mod contact;
pub(crate) mod shape;
mod state;

use crate::kinetic::{Inconsistent, PlanError};
use crate::motion::Rigid2;
use crate::polynomial::{Polynomial, Predicate};
use crate::roots::{Smooth, first_failure, smooth};
pub use contact::{Bounce, Contact, Contacts, PolygonBody, rebound};
pub use shape::{ShapeError, overlap};
pub use state::{PolygonState, PolygonStructure};

/// Longest interval for which accelerations are bounded once, s.
const WINDOW_S: f64 = 0.25;

/// Largest rotation of a body in such an interval, rad.
const WINDOW_RAD: f64 = 0.5;

/// Most such intervals searched at once, since a horizon may be infinite. The search continues
/// where they end.
const MAX_WINDOWS: f64 = 64.0;

/// Largest deviation of a corner from straight or closed at its failure, as a share of the product
/// of its sides. If it is more, the corner has not failed.
const FAILED: f64 = 1e-6;

pub(crate) fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

pub(crate) fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

pub(crate) fn length(a: [f64; 2]) -> f64 {
    a[0].hypot(a[1])
}

/// Positive if `u`, `v`, `x` are in counter-clockwise order.
pub(crate) fn orient(u: [f64; 2], v: [f64; 2], x: [f64; 2]) -> f64 {
    cross(minus(v, u), minus(x, v))
}

/// A certificate: the orientation of a corner, times a sign.
pub(crate) struct Corner<'a> {
    motions: [&'a Rigid2; 3],
    local: [[f64; 2]; 3],
    bodies: [u32; 3],
    radius: [f64; 3],
    sign: f64,
}

impl Corner<'_> {
    /// Returns bounds of `|d'|`, `|d''|` and `|d|` on a window, where `d` goes from the corner's
    /// vertex (1) to neighbour `k`.
    fn bounds(&self, k: usize, t: f64, window: f64) -> [f64; 3] {
        let points = [1, k].map(|k| self.motions[k].point(self.local[k], t));
        let d = length(minus(points[1], points[0]));
        let [a, b] = [self.motions[1], self.motions[k]];
        if self.bodies[1] == self.bodies[k] {
            return [a.omega.abs() * d, a.omega * a.omega * d, d];
        }
        let dv = length(minus(b.velocity_at(t), a.velocity_at(t)));
        let da = length(minus(b.acceleration, a.acceleration));
        let (ra, rb) = (self.radius[1], self.radius[k]);
        let speed = dv + da * window + a.omega.abs() * ra + b.omega.abs() * rb;
        let pull = da + a.omega * a.omega * ra + b.omega * b.omega * rb;
        [speed, pull, d + speed * window]
    }

    /// Returns the polynomial about `now` if nothing turns.
    fn polynomial(&self, now: f64) -> Option<Predicate> {
        if self.motions.iter().any(|m| m.omega != 0.0) {
            return None;
        }
        let [u, v, x] = [0, 1, 2].map(|k| {
            let m = self.motions[k];
            let (place, velocity) = (m.point(self.local[k], now), m.velocity_at(now));
            [0, 1].map(|i| {
                Predicate::exact(Polynomial::new(&[
                    place[i],
                    velocity[i],
                    0.5 * m.acceleration[i],
                ]))
            })
        });
        let f = (v[0] - u[0]) * (x[1] - v[1]) - (v[1] - u[1]) * (x[0] - v[0]);
        Some(if self.sign < 0.0 { -f } else { f })
    }
}

impl Smooth for Corner<'_> {
    fn at(&self, t: f64) -> (f64, f64) {
        let p = [0, 1, 2].map(|k| self.motions[k].point(self.local[k], t));
        let v = [0, 1, 2].map(|k| self.motions[k].point_velocity(self.local[k], t));
        let (a, b) = (minus(p[1], p[0]), minus(p[2], p[1]));
        let (c, d) = (minus(v[1], v[0]), minus(v[2], v[1]));
        (
            self.sign * cross(a, b),
            self.sign * (cross(c, b) + cross(a, d)),
        )
    }

    fn second_derivative_bound(&self, t: f64, window: f64) -> f64 {
        let [u1, u2, u] = self.bounds(0, t, window);
        let [x1, x2, x] = self.bounds(2, t, window);
        2.0 * u1 * x1 + u2 * x + u * x2
    }
}

/// Bodies, and their vertices in one array.
#[derive(Clone, Debug)]
pub(crate) struct Polygons {
    pub(crate) bodies: Vec<PolygonBody>,
    /// For each vertex: its body, and its position in the body's frame.
    pub(crate) owner: Vec<u32>,
    pub(crate) local: Vec<[f64; 2]>,
    /// First vertex of each body, and the total number.
    pub(crate) first: Vec<u32>,
    /// Largest distance of a vertex from its body's centre of rotation.
    pub(crate) radius: Vec<f64>,
}

/// Failure of a corner.
pub(crate) struct Failure {
    /// Infinite if not before the horizon. If one of the bodies turns, it may only be the end of
    /// the searched interval: see [`Corner::has_failed`].
    pub(crate) time: f64,
    /// It was false at the start, which should not happen.
    pub(crate) was_false: bool,
}

impl Corner<'_> {
    /// Returns the first time in `[now, horizon)` after which it is false.
    pub(crate) fn failure(&self, now: f64, horizon: f64) -> Failure {
        if let Some(f) = self.polynomial(now) {
            return Failure {
                time: first_failure(&f, now, horizon),
                was_false: false,
            };
        }
        let fastest = (self.motions.iter()).fold(0.0_f64, |w, m| w.max(m.omega.abs()));
        let window = WINDOW_S.min(WINDOW_RAD / fastest);
        let searched_until = horizon.min(now + MAX_WINDOWS * window);
        let found = smooth(self, now, searched_until, window);
        let search_ended = found.time == f64::INFINITY && searched_until < horizon;
        Failure {
            time: if search_ended {
                searched_until
            } else {
                found.time
            },
            was_false: found.was_false,
        }
    }

    /// Returns whether it has failed at `now`, a time that [`Self::failure`] returned. If not, that
    /// time was the end of a search without result.
    pub(crate) fn has_failed(&self, now: f64) -> bool {
        let [u, v, x] = [0, 1, 2].map(|k| self.motions[k].point(self.local[k], now));
        let sides = length(minus(u, v)) * length(minus(x, v));
        let turns = self.motions.iter().any(|m| m.omega != 0.0);
        !(turns && self.sign * orient(u, v, x) > FAILED * sides)
    }
}

impl Polygons {
    /// Checks the bodies at `now`, which must not overlap.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub(crate) fn new(bodies: Vec<PolygonBody>, now: f64) -> Result<Self, ShapeError> {
        shape::check(&bodies, now)?;
        Ok(Self::listed(bodies))
    }

    /// Accepts bodies at any position: they may overlap.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub(crate) fn allowing_overlap(bodies: Vec<PolygonBody>) -> Result<Self, ShapeError> {
        shape::check_shapes(&bodies)?;
        Ok(Self::listed(bodies))
    }

    fn listed(bodies: Vec<PolygonBody>) -> Self {
        let mut first = vec![0];
        let (mut owner, mut local, mut radius) = (Vec::new(), Vec::new(), Vec::new());
        for (b, body) in bodies.iter().enumerate() {
            owner.extend(body.shape.iter().map(|_| b as u32));
            local.extend_from_slice(&body.shape);
            first.push(owner.len() as u32);
            radius.push(body.shape.iter().map(|p| length(*p)).fold(0.0, f64::max));
        }
        Self {
            bodies,
            owner,
            local,
            first,
            radius,
        }
    }

    pub(crate) fn place(&self, vertex: u32, t: f64) -> [f64; 2] {
        let body = self.owner[vertex as usize] as usize;
        self.bodies[body]
            .motion
            .point(self.local[vertex as usize], t)
    }

    /// Returns a vertex's body and its index there.
    pub(crate) fn name(&self, vertex: u32) -> (u32, u32) {
        let body = self.owner[vertex as usize];
        (body, vertex - self.first[body as usize])
    }

    /// Fails at a vertex at `time`; at the first body if there is no such vertex.
    pub(crate) fn fault<T>(
        &self,
        vertex: u32,
        time: f64,
        what: &'static str,
    ) -> Result<T, Inconsistent> {
        let object = self.owner.get(vertex as usize).copied().unwrap_or(0);
        Err(Inconsistent { time, object, what })
    }

    /// Returns the next and the previous vertex on the polygon.
    pub(crate) fn beside(&self, v: u32) -> [u32; 2] {
        let body = self.owner[v as usize] as usize;
        let (first, end) = (self.first[body], self.first[body + 1]);
        [
            if v + 1 == end { first } else { v + 1 },
            if v == first { end - 1 } else { v - 1 },
        ]
    }

    /// Returns the certificate of the corner at the second of three vertices: that it turns left,
    /// or right. `None` if that never changes.
    pub(crate) fn corner(&self, corner: [u32; 3], left: bool) -> Option<Corner<'_>> {
        let bodies = corner.map(|v| self.owner[v as usize]);
        let motions = bodies.map(|b| &self.bodies[b as usize].motion);
        let one_body = bodies[0] == bodies[1] && bodies[1] == bodies[2];
        if one_body || motions.iter().all(|m| m.is_still()) {
            return None;
        }
        Some(Corner {
            motions,
            local: corner.map(|v| self.local[v as usize]),
            bodies,
            radius: bodies.map(|b| self.radius[b as usize]),
            sign: if left { 1.0 } else { -1.0 },
        })
    }

    /// Gives the body this motion from `now` on.
    ///
    /// # Errors
    /// The plan is invalid, or begins elsewhere; then nothing has changed.
    pub(crate) fn change_plan(
        &mut self,
        body: u32,
        plan: Rigid2,
        now: f64,
    ) -> Result<(), PlanError> {
        let (object, count) = (body, self.bodies.len());
        let Some(old) = self.bodies.get(body as usize).map(|b| b.motion.about(now)) else {
            return Err(PlanError::NoObject { object, count });
        };
        if !plan.is_finite() {
            return Err(PlanError::NotFinite { object });
        }
        let new = plan.about(now);
        let by = length(minus(new.centre, old.centre)).max((new.angle - old.angle).abs());
        PlanError::check_jump(object, by, 1.0 + length(old.centre) + old.angle.abs())?;
        self.bodies[body as usize].motion = plan;
        Ok(())
    }
}
