//! When simple polygons that move rigidly in the plane touch: a kinetic pointed pseudo-triangulation of the space between them.
//!
//! # Theory
//!
//! The convex hull of all polygons, less their insides, is cut by *free edges* between their vertices into *pseudo-triangles*: cells with exactly three convex corners. Every vertex is
//! *pointed*: one of the angles about it is larger than a straight one. With `k` polygons and `r` reflex vertices there are `r + 3 (k - 1)` free edges and
//! `r + 2 (k - 1)` cells, and that does not change. While every corner of every cell stays convex or reflex as it is, cells do not overlap, and neither do polygons. A corner of three
//! points of one body never changes; each other has a certificate, the sign of its orientation.
//!
//! When a reflex corner becomes straight, or a convex one closes, one free edge *slides* along its neighbour: five certificates are issued anew. Where the edge that would have to slide is a
//! polygon's, a vertex has met it: a contact. Digest, section 4.5, after Kirkpatrick, Snoeyink and Speckmann, and Agarwal, Basch, Guibas, Hershberger and Zhang.
//!
//! # Practice
//!
//! Metres, seconds, radians; polygons are counter-clockwise, and turn about the origin of their own frames. What happens at a contact is [`Contacts`]' to say: stop there, or bounce without friction.
//! All memory is made when the structure is; events do not allocate. A change of a plan looks through all half-edges. General position is wanted: perturb what lies on a lattice by
//! 1e-8 at least. Polygons that touch at the start, or holes, are refused.

mod build;
mod contact;

use crate::kinetic::{Advanced, Inconsistent, Kinetic, Livelock, MOST_STILL_EVENTS};
use crate::motion::Rigid2;
use crate::polynomial::{Polynomial, Predicate};
use crate::queue::EventQueue;
use crate::roots::{Smooth, first_failure, smooth};
use crate::stats::{EventCost, Stats};
pub use build::{ShapeError, overlap};
pub use contact::{Body, Bounce, Contact, Contacts};

/// Longest stretch for which accelerations are bounded once, s.
const WINDOW_S: f64 = 0.25;

/// And how far a body may turn in it.
const WINDOW_RAD: f64 = 0.5;

/// Most such stretches that are searched at once: a horizon may be infinite. Where they end the search goes on.
const MOST_WINDOWS: f64 = 64.0;

/// What a corner may be from straight or closed where its failure was found, as a share of the product of its sides: it has not failed if it is more.
const FAILED: f64 = 1e-6;

/// Largest jump of a new plan, m or rad.
const LARGEST_JUMP: f64 = 1e-9;

/// Which of two free edges goes when a reflex corner becomes straight. All are right; they differ in how many events there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// The one before the corner.
    First,
    /// The longer one.
    Longer,
    /// The shorter one.
    Shorter,
    /// The one between two bodies if the other is not, else the longer one.
    #[default]
    Foreign,
}

/// Half-edges: `h ^ 1` is the other half of `h`.
#[derive(Clone, Copy, Debug, Default)]
struct Half {
    origin: u32,
    next: u32,
    prev: u32,
    /// Of a polygon's edge.
    obstacle: bool,
    /// On its left is a polygon.
    interior: bool,
    /// The corner at its origin is larger than a straight angle.
    reflex: bool,
    /// It has a certificate.
    live: bool,
}

/// See the module.
#[derive(Clone, Debug)]
pub struct PseudoTriangulation {
    bodies: Vec<Body>,
    /// Of each vertex: body, place in the body's frame.
    owner: Vec<u32>,
    local: Vec<[f64; 2]>,
    /// First vertex of each body, and the number of all.
    first: Vec<u32>,
    /// Largest distance of a vertex from its body's centre of rotation.
    radius: Vec<f64>,
    halves: Vec<Half>,
    policy: Policy,
    contacts: Contacts,
    contact: Option<Contact>,
    impacts: u64,
    queue: EventQueue,
    now: f64,
    horizon: f64,
    livelock: Livelock,
    live: u64,
    cost: EventCost,
    stats: Stats,
}

const STRAIGHT: usize = 0;
const CLOSED: usize = 1;
const CONTACT: usize = 2;
const LOOKED: usize = 3;

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

fn length(a: [f64; 2]) -> f64 {
    a[0].hypot(a[1])
}

/// Positive if `u`, `v`, `x` go round counter-clockwise.
fn orient(u: [f64; 2], v: [f64; 2], x: [f64; 2]) -> f64 {
    cross(minus(v, u), minus(x, v))
}

/// The orientation of a corner, times a sign: digest, 1.4 (d).
struct Corner<'a> {
    motions: [&'a Rigid2; 3],
    local: [[f64; 2]; 3],
    bodies: [u32; 3],
    radius: [f64; 3],
    sign: f64,
}

impl Corner<'_> {
    /// Bounds of `|d'|`, `|d''|` and `|d|` on a window, `d` being from the corner's vertex (1) to neighbour `k`.
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

    /// The polynomial about `now` if nothing turns.
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

impl PseudoTriangulation {
    /// Of bodies as they are at `now`. Events at or after `horizon` are not looked for.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub fn new(
        bodies: Vec<Body>,
        now: f64,
        horizon: f64,
        policy: Policy,
        contacts: Contacts,
    ) -> Result<Self, ShapeError> {
        build::check(&bodies, now)?;
        let mut first = vec![0];
        let (mut owner, mut local, mut radius) = (Vec::new(), Vec::new(), Vec::new());
        for (b, body) in bodies.iter().enumerate() {
            owner.extend(body.shape.iter().map(|_| b as u32));
            local.extend_from_slice(&body.shape);
            first.push(owner.len() as u32);
            radius.push(body.shape.iter().map(|p| length(*p)).fold(0.0, f64::max));
        }
        let mut structure = Self {
            bodies,
            owner,
            local,
            first,
            radius,
            halves: Vec::new(),
            policy,
            contacts,
            contact: None,
            impacts: 0,
            queue: EventQueue::default(),
            now,
            horizon,
            livelock: Livelock::new(now),
            live: 0,
            cost: EventCost::default(),
            stats: Stats::new(&["straight", "closed", "contact", "looked"]),
        };
        structure.build().map_err(ShapeError::Inconsistent)?;
        Ok(structure)
    }

    /// The bodies, with the motions they have now.
    #[must_use]
    pub fn bodies(&self) -> &[Body] {
        &self.bodies
    }

    /// Where a body's vertices are at `t`.
    #[must_use]
    pub fn polygon(&self, body: u32, t: f64) -> Vec<[f64; 2]> {
        self.bodies
            .get(body as usize)
            .map_or_else(Vec::new, |b| b.polygon(t))
    }

    /// The contact at which time has stopped, until the plan of one of its bodies changes.
    #[must_use]
    pub fn contact(&self) -> Option<&Contact> {
        self.contact.as_ref()
    }

    /// Bounces so far.
    #[must_use]
    pub fn impacts(&self) -> u64 {
        self.impacts
    }

    /// Free edges: pairs of a body and a vertex of it.
    #[must_use]
    pub fn free_edges(&self) -> Vec<[(u32, u32); 2]> {
        let name = |v: u32| {
            let body = self.owner[v as usize];
            (body, v - self.first[body as usize])
        };
        (0..self.halves.len())
            .step_by(2)
            .filter(|&h| !self.halves[h].obstacle)
            .map(|h| [h, h + 1].map(|h| name(self.halves[h].origin)))
            .collect()
    }

    /// Bounded cells, counted.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.faces(self.now).filter(|f| f.area > 0.0).count()
    }

    /// For tests: turns a flag of a corner round and says nothing.
    #[doc(hidden)]
    pub fn corrupt(&mut self) {
        let found = (0..self.halves.len()).find(|&h| self.halves[h].live);
        if let Some(h) = found {
            self.halves[h].reflex = !self.halves[h].reflex;
            self.reissue(h as u32);
        }
    }

    fn half(&self, h: u32) -> &Half {
        &self.halves[h as usize]
    }

    fn half_mut(&mut self, h: u32) -> &mut Half {
        &mut self.halves[h as usize]
    }

    fn link(&mut self, h: u32, next: u32) {
        self.half_mut(h).next = next;
        self.half_mut(next).prev = h;
    }

    fn place(&self, vertex: u32, t: f64) -> [f64; 2] {
        let body = self.owner[vertex as usize] as usize;
        self.bodies[body]
            .motion
            .point(self.local[vertex as usize], t)
    }

    /// The vertices of the corner at the origin of `h`: before it, at it, behind it.
    fn corner(&self, h: u32) -> [u32; 3] {
        let half = self.half(h);
        [
            self.half(half.prev).origin,
            half.origin,
            self.half(h ^ 1).origin,
        ]
    }

    /// What the certificate of `h` is about; none if its corner never changes.
    fn certificate(&self, h: u32) -> Option<Corner<'_>> {
        let half = self.half(h);
        if half.interior {
            return None;
        }
        let corner = self.corner(h);
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
            sign: if half.reflex { -1.0 } else { 1.0 },
        })
    }

    fn reissue(&mut self, h: u32) {
        let had = self.half(h).live;
        let found = self.certificate(h).map(|corner| {
            if let Some(f) = corner.polynomial(self.now) {
                return (first_failure(&f, self.now, self.horizon), false);
            }
            let fastest = corner
                .motions
                .iter()
                .fold(0.0_f64, |w, m| w.max(m.omega.abs()));
            let window = WINDOW_S.min(WINDOW_RAD / fastest);
            let looked = self.horizon.min(self.now + MOST_WINDOWS * window);
            let found = smooth(&corner, self.now, looked, window);
            if found.time == f64::INFINITY && looked < self.horizon {
                return (looked, false);
            }
            (found.time, found.was_false)
        });
        let has = found.is_some();
        let (time, was_false) = found.unwrap_or((f64::INFINITY, false));
        self.stats.false_at_start += u64::from(was_false);
        self.live = self.live + u64::from(has) - u64::from(had);
        self.cost.destroyed += u32::from(had);
        self.cost.created += u32::from(has);
        self.half_mut(h).live = has;
        self.queue.schedule(h, time);
    }

    fn reissue_body(&mut self, body: u32) -> u64 {
        let mut count = 0;
        for h in 0..self.halves.len() as u32 {
            let touches = |v: u32| self.owner[v as usize] == body;
            if !self.half(h).interior && self.corner(h).into_iter().any(touches) {
                self.reissue(h);
                count += u64::from(self.half(h).live);
            }
        }
        count
    }

    fn fault<T>(&self, vertex: u32, what: &'static str) -> Result<T, Inconsistent> {
        Err(Inconsistent {
            time: self.now,
            object: self.owner.get(vertex as usize).copied().unwrap_or(0),
            what,
        })
    }

    /// The corner at the origin of `h` has become straight, or closed.
    fn process(&mut self, h: u32) -> Result<(), Inconsistent> {
        let before = self.queue.operations();
        self.cost = EventCost {
            levels: 1,
            ..EventCost::default()
        };
        let Half {
            prev: g, reflex, ..
        } = *self.half(h);
        let [u, v, x] = self.corner(h);
        let places = [u, v, x].map(|v| self.place(v, self.now));
        if self.only_looked(h) {
            self.reissue(h);
            self.stats.event(LOOKED, false, self.cost);
            return Ok(());
        }
        let (first, second) = (
            length(minus(places[0], places[1])),
            length(minus(places[2], places[1])),
        );
        let (g_fixed, h_fixed) = (self.half(g).obstacle, self.half(h).obstacle);
        let mut kind = CLOSED;
        if reflex {
            kind = STRAIGHT;
            let head = match (g_fixed, h_fixed) {
                (true, true) => return self.fault(v, "two edges of one polygon become straight"),
                (false, true) => true,
                (true, false) => false,
                (false, false) => self.head_goes([u, v, x], first, second),
            };
            if head {
                self.slide_head(h, true)?;
            } else {
                self.slide_tail(h, true)?;
            }
        } else if first < second {
            if h_fixed {
                kind = CONTACT;
                self.meet(h, u, h)?;
            } else {
                self.slide_tail(h, false)?;
            }
        } else if g_fixed {
            kind = CONTACT;
            self.meet(h, x, g)?;
        } else {
            self.slide_head(h, false)?;
        }
        self.cost.queue_operations = (self.queue.operations() - before) as u32;
        self.stats.event(kind, kind == CONTACT, self.cost);
        self.stats.sizes(self.live, self.queue.len());
        Ok(())
    }

    /// The event of `h` is the end of a search that found nothing.
    fn only_looked(&self, h: u32) -> bool {
        self.certificate(h).is_some_and(|corner| {
            let [u, v, x] = [0, 1, 2].map(|k| corner.motions[k].point(corner.local[k], self.now));
            let sides = length(minus(u, v)) * length(minus(x, v));
            corner.motions.iter().any(|m| m.omega != 0.0)
                && corner.sign * orient(u, v, x) > FAILED * sides
        })
    }

    /// Whether the edge before the corner is the one to go.
    fn head_goes(&self, corner: [u32; 3], first: f64, second: f64) -> bool {
        let [u, v, x] = corner.map(|v| self.owner[v as usize]);
        match self.policy {
            Policy::First => true,
            Policy::Longer => first >= second,
            Policy::Shorter => first < second,
            Policy::Foreign if (u != v) != (v != x) => u != v,
            Policy::Foreign => first >= second,
        }
    }

    /// The head of the edge before `h` slides from the origin of `h` to its end.
    fn slide_head(&mut self, h: u32, straight: bool) -> Result<(), Inconsistent> {
        let Half {
            prev: g, next: hn, ..
        } = *self.half(h);
        let twin = g ^ 1;
        let (p, f) = (self.half(twin).prev, self.half(twin).reflex);
        let x = self.half(h ^ 1).origin;
        if straight && f || !straight && !self.half(hn).reflex {
            return self.fault(x, "an edge slides where no vertex is pointed");
        }
        self.link(g, hn);
        self.link(p, h);
        self.link(h, twin);
        self.half_mut(twin).origin = x;
        if straight {
            self.half_mut(h).reflex = true;
            self.half_mut(twin).reflex = false;
        } else {
            self.half_mut(hn).reflex = false;
            self.half_mut(h).reflex = f;
            self.half_mut(twin).reflex = true;
        }
        for h in [g, hn, h, twin, self.half(twin).next] {
            self.reissue(h);
        }
        Ok(())
    }

    /// The tail of `h` slides from its origin to that of the edge before it.
    fn slide_tail(&mut self, h: u32, straight: bool) -> Result<(), Inconsistent> {
        let g = self.half(h).prev;
        let Half {
            prev: p, reflex: f, ..
        } = *self.half(g);
        let twin = h ^ 1;
        let n = self.half(twin).next;
        let u = self.half(g).origin;
        if straight && self.half(n).reflex || !straight && !f {
            return self.fault(u, "an edge slides where no vertex is pointed");
        }
        self.link(p, h);
        self.half_mut(h).origin = u;
        self.link(twin, g);
        self.link(g, n);
        if straight {
            self.half_mut(h).reflex = f;
            self.half_mut(g).reflex = false;
            self.half_mut(n).reflex = true;
        } else {
            self.half_mut(h).reflex = false;
            self.half_mut(g).reflex = true;
        }
        for h in [h, self.half(h).next, twin, g, n] {
            self.reissue(h);
        }
        Ok(())
    }

    /// The cells, the outer face among them, at `t`.
    fn faces(&self, t: f64) -> impl Iterator<Item = Face> {
        let mut seen = vec![false; self.halves.len()];
        (0..self.halves.len() as u32).filter_map(move |start| {
            if seen[start as usize] || self.half(start).interior {
                return None;
            }
            let mut face = Face::default();
            let mut h = start;
            loop {
                seen[h as usize] = true;
                let half = self.half(h);
                face.convex += u32::from(!half.reflex);
                let ends = [half.origin, self.half(h ^ 1).origin].map(|v| self.place(v, t));
                face.area += 0.5 * cross(ends[0], ends[1]);
                face.vertex = half.origin;
                h = half.next;
                if h == start || seen[h as usize] {
                    return Some(face);
                }
            }
        })
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct Face {
    convex: u32,
    area: f64,
    vertex: u32,
}

impl Kinetic for PseudoTriangulation {
    type Plan = Rigid2;
    type PlanError = ShapeError;

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.queue.first().map_or(f64::INFINITY, |e| e.0)
    }

    /// Stops at a contact that is not to be bounced off: see [`Self::contact`].
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = [self.stats.events(), self.stats.events_external()];
        while let Some((time, h)) = self.queue.first().filter(|e| e.0 <= t) {
            if self.contact.is_some() {
                break;
            }
            self.now = self.now.max(time);
            if self.livelock.event(self.now, MOST_STILL_EVENTS) {
                return self.fault(self.half(h).origin, "time stands still");
            }
            self.process(h)?;
        }
        if self.contact.is_none() {
            self.now = self.now.max(t);
        }
        Ok(Advanced {
            events: self.stats.events() - before[0],
            external: self.stats.events_external() - before[1],
        })
    }

    fn change_plan(&mut self, body: u32, plan: Rigid2) -> Result<(), ShapeError> {
        let count = self.bodies.len();
        let Some(old) = self
            .bodies
            .get(body as usize)
            .map(|b| b.motion.about(self.now))
        else {
            return Err(ShapeError::NoBody { body, count });
        };
        if !plan.is_finite() {
            return Err(ShapeError::NotFinite { body });
        }
        let new = plan.about(self.now);
        let by = length(minus(new.centre, old.centre)).max((new.angle - old.angle).abs());
        if !(by <= LARGEST_JUMP * (1.0 + length(old.centre) + old.angle.abs())) {
            return Err(ShapeError::Jump { body, by });
        }
        self.bodies[body as usize].motion = plan;
        if self
            .contact
            .as_ref()
            .is_some_and(|c| c.bodies.contains(&body))
        {
            self.contact = None;
        }
        let count = self.reissue_body(body);
        self.stats.plan_change(count);
        self.stats.sizes(self.live, self.queue.len());
        Ok(())
    }

    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        self.audit_all(t)
    }

    /// May allocate.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        self.now = self.now.max(t);
        self.livelock = Livelock::new(self.now);
        self.stats.rebuilds += 1;
        self.contact = None;
        self.build()
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn reset_stats(&mut self) {
        self.stats.reset();
    }
}
