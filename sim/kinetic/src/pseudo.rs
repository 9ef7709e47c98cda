//! When simple polygons that move rigidly in the plane touch: a kinetic pointed
//! pseudo-triangulation of the space between them.
//!
//! # Theory
//!
//! *Free edges* between vertices cut the convex hull of all polygons, minus their insides, into
//! *pseudo-triangles*: cells with exactly three convex corners. Every vertex is *pointed*: one of
//! the angles around it is larger than a straight one. With `k` polygons and `r` reflex vertices
//! there are always `r + 3 (k - 1)` free edges and `r + 2 (k - 1)` cells. While every corner of
//! every cell stays convex or reflex as it is, cells do not overlap, and neither do polygons. A
//! corner of three points of one body never changes. Every other corner has a certificate, the sign
//! of its orientation.
//!
//! When a reflex corner becomes straight, or a convex one closes, one free edge *slides* along its
//! neighbour, and five certificates are reissued. If the edge that would have to slide is a
//! polygon's, a vertex has met it: a contact. After Kirkpatrick, Snoeyink and Speckmann, and
//! Agarwal, Basch, Guibas, Hershberger and Zhang.
//!
//! # Practice
//!
//! Metres, seconds, radians; polygons are counter-clockwise, and turn about the origin of their own
//! frames. [`Contacts`] decides what happens at a contact: stop there, or bounce without friction.
//! All memory is allocated when the structure is made; events do not allocate. A change of a plan
//! visits the corners of its body. For a control loop there are steps that shift some of the bodies
//! and may be cut short ([`PseudoTriangulation::go`]). The structure can also be rebuilt
//! incrementally, for some of its bodies ([`PseudoTriangulation::begin`]). It needs general
//! position: perturb what lies on a lattice by at least 1e-8. Polygons that touch at the start, or
//! that have holes, are refused.

mod build;
mod corner_test;
mod locality;
mod step;

use crate::kinetic::{Advanced, Inconsistent, Kinetic, Livelock, MAX_STALLED_EVENTS, PlanError};
use crate::motion::Rigid2;
use crate::polygons::shape::reflex_vertices;
pub use crate::polygons::{Bounce, Contact, Contacts, PolygonBody, ShapeError, overlap, rebound};
use crate::polygons::{Corner, Polygons, cross, length, minus};
use crate::queue::EventQueue;
use crate::stats::{EventCost, Stats};
pub use step::{End, Shift, StepOutcome};

/// Which of two free edges is replaced when a reflex corner becomes straight. All choices are
/// correct; they differ in the number of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Policy {
    /// The one before the corner.
    First,
    /// The longer one.
    Longer,
    /// The shorter one.
    Shorter,
    /// The one between two bodies if the other is not, otherwise the longer one.
    #[default]
    Foreign,
}

/// Half-edge: `h ^ 1` is the other half of `h`.
#[derive(Clone, Copy, Debug, Default)]
struct Half {
    origin: u32,
    next: u32,
    prev: u32,
    /// It belongs to a polygon's edge.
    obstacle: bool,
    /// A polygon is on its left.
    interior: bool,
    /// The corner at its origin is larger than a straight angle.
    reflex: bool,
    /// It has a certificate.
    live: bool,
    /// Number of the cell on its left.
    cell: u32,
}

/// Change of a corner at an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CornerChange {
    /// A reflex corner became straight, and an edge slid.
    Straight,
    /// A convex corner closed, and an edge slid.
    Closed,
    /// A convex corner closed on a polygon's edge: a vertex has met it.
    Contact,
    /// Nothing: the searched interval ended without a failure.
    Looked,
}

/// An event of a structure of polygons.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CornerEvent {
    /// Time, s.
    pub time: f64,
    /// Kind of the event.
    pub happened: CornerChange,
    /// The corner's three points, each as a body and its vertex.
    pub corner: [(u32, u32); 3],
}

/// A cell of the space between the polygons.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// Number of the cell, which stays while edges slide, until the structure is rebuilt.
    pub number: u32,
    /// Its corners counter-clockwise: body, vertex, and whether the cell is convex there, as it is
    /// at three of them.
    pub corners: Vec<(u32, u32, bool)>,
}

/// Kinetic pseudo-triangulation. See the [module](self).
#[derive(Clone, Debug)]
pub struct PseudoTriangulation {
    polygons: Polygons,
    halves: Vec<Half>,
    /// Whether each body takes part.
    members: Vec<bool>,
    reflex_vertices: Vec<u32>,
    scratch: build::BuildScratch,
    /// True between steps, when nothing moves.
    at_rest: bool,
    /// For steps: how each body moves, and the positions of vertices while nothing does.
    moving: Vec<corner_test::Moving>,
    rest: Vec<[f64; 2]>,
    /// Its certificates have been issued since it was built.
    issued: bool,
    spoilt: bool,
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

impl PseudoTriangulation {
    /// Builds the structure for bodies as they are at `now`. Does not search for events at or after
    /// `horizon`.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub fn new(
        bodies: Vec<PolygonBody>,
        now: f64,
        horizon: f64,
        policy: Policy,
        contacts: Contacts,
    ) -> Result<Self, ShapeError> {
        let polygons = Polygons::new(bodies, now)?;
        let mut structure = Self::unbuilt(polygons, now, horizon, policy, contacts);
        structure.members.fill(true);
        structure.build().map_err(ShapeError::Inconsistent)?;
        Ok(structure)
    }

    fn unbuilt(
        polygons: Polygons,
        now: f64,
        horizon: f64,
        policy: Policy,
        contacts: Contacts,
    ) -> Self {
        let bodies = &polygons.bodies;
        let mut structure = Self {
            members: vec![false; bodies.len()],
            reflex_vertices: (bodies.iter())
                .map(|b| reflex_vertices(&b.shape) as u32)
                .collect(),
            scratch: build::BuildScratch::default(),
            at_rest: false,
            moving: vec![corner_test::Moving::default(); bodies.len()],
            rest: vec![[0.0; 2]; polygons.owner.len()],
            issued: false,
            spoilt: false,
            polygons,
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
        structure.reserve();
        structure
    }

    /// Returns the bodies, with their current motions.
    #[must_use]
    pub fn bodies(&self) -> &[PolygonBody] {
        &self.polygons.bodies
    }

    /// Returns the positions of a body's vertices at `t`.
    #[must_use]
    pub fn polygon(&self, body: u32, t: f64) -> Vec<[f64; 2]> {
        self.polygons.polygon(body, t)
    }

    /// Returns the contact at which time has stopped, until the plan of one of its bodies changes.
    #[must_use]
    pub fn contact(&self) -> Option<&Contact> {
        self.contact.as_ref()
    }

    /// Returns the number of bounces so far.
    #[must_use]
    pub fn impacts(&self) -> u64 {
        self.impacts
    }

    /// Returns the free edges, as pairs of a body and its vertex.
    #[must_use]
    pub fn free_edges(&self) -> Vec<[(u32, u32); 2]> {
        (0..self.halves.len())
            .step_by(2)
            .filter(|&h| !self.halves[h].obstacle)
            .map(|h| [h, h + 1].map(|h| self.polygons.name(self.halves[h].origin)))
            .collect()
    }

    /// Returns the bounded cells, for display. Allocates.
    #[must_use]
    pub fn outlines(&self) -> Vec<Cell> {
        let walk = |first: u32| {
            std::iter::successors(Some(first), move |&h| {
                Some(self.half(h).next).filter(|next| *next != first)
            })
        };
        let of = |h: u32| {
            let (body, vertex) = self.polygons.name(self.half(h).origin);
            (body, vertex, !self.half(h).reflex)
        };
        (self.faces(self.now))
            .filter(|face| face.convex > 0)
            .map(|face| Cell {
                number: self.half(face.half).cell,
                corners: walk(face.half).map(of).collect(),
            })
            .collect()
    }

    /// Returns the number of events in the queue.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Returns the number of live certificates, whether they have an event or not.
    #[must_use]
    pub fn certificates(&self) -> u64 {
        self.live
    }

    /// Counts the bounded cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.faces(self.now).filter(|f| f.area > 0.0).count()
    }

    /// For tests: inverts a flag of a corner.
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

    /// Returns the vertices of the corner at the origin of `h`: before it, at it, after it.
    fn corner(&self, h: u32) -> [u32; 3] {
        let half = self.half(h);
        [
            self.half(half.prev).origin,
            half.origin,
            self.half(h ^ 1).origin,
        ]
    }

    /// Returns the certificate of `h`; `None` if its corner never changes.
    fn certificate(&self, h: u32) -> Option<Corner<'_>> {
        let half = self.half(h);
        if half.interior {
            return None;
        }
        self.polygons.corner(self.corner(h), !half.reflex)
    }

    fn reissue(&mut self, h: u32) {
        let had = self.half(h).live;
        let found = (self.certificate(h)).map(|corner| corner.failure(self.now, self.horizon));
        let has = found.is_some();
        let (time, was_false) = found.map_or((f64::INFINITY, false), |f| (f.time, f.was_false));
        self.stats.false_at_start += u64::from(was_false);
        self.live = self.live + u64::from(has) - u64::from(had);
        self.cost.destroyed += u32::from(had);
        self.cost.created += u32::from(has);
        self.half_mut(h).live = has;
        self.queue.schedule(h, time);
    }

    fn reissue_body(&mut self, body: u32) -> u64 {
        let mut touched = std::mem::take(&mut self.scratch.touched);
        self.touch(body, &mut touched, true);
        let mut count = 0;
        for &h in &touched {
            self.reissue(h);
            count += u64::from(self.half(h).live);
        }
        self.scratch.touched = touched;
        count
    }

    fn fault<T>(&self, vertex: u32, what: &'static str) -> Result<T, Inconsistent> {
        Err(Inconsistent {
            time: self.now,
            object: self
                .polygons
                .owner
                .get(vertex as usize)
                .copied()
                .unwrap_or(0),
            what,
        })
    }

    /// Processes the next event if it is due at `t` or before. Does nothing at a contact at which
    /// time has stopped. Does not allocate.
    ///
    /// # Errors
    /// As [`Kinetic::advance`].
    pub fn step(&mut self, t: f64) -> Result<Option<CornerEvent>, Inconsistent> {
        let due = self.queue.first().filter(|e| e.0 <= t);
        let Some((time, h)) = due.filter(|_| self.contact.is_none()) else {
            return Ok(None);
        };
        self.now = self.now.max(time);
        if self.livelock.event(self.now, MAX_STALLED_EVENTS) {
            return self.fault(self.half(h).origin, "time stands still");
        }
        let corner = self.corner(h).map(|v| self.polygons.name(v));
        let happened = self.process(h)?;
        Ok(Some(CornerEvent {
            time: self.now,
            happened,
            corner,
        }))
    }

    /// Handles the corner at the origin of `h`, which has become straight or closed.
    fn process(&mut self, h: u32) -> Result<CornerChange, Inconsistent> {
        let before = self.queue.operations();
        self.cost = EventCost {
            levels: 1,
            ..EventCost::default()
        };
        let Half {
            prev: g, reflex, ..
        } = *self.half(h);
        let [u, v, x] = self.corner(h);
        let places = [u, v, x].map(|v| self.polygons.place(v, self.now));
        if self.search_ended(h) {
            self.reissue(h);
            self.stats
                .event(CornerChange::Looked as usize, false, self.cost);
            return Ok(CornerChange::Looked);
        }
        let (first, second) = (
            length(minus(places[0], places[1])),
            length(minus(places[2], places[1])),
        );
        let (g_fixed, h_fixed) = (self.half(g).obstacle, self.half(h).obstacle);
        let mut happened = CornerChange::Closed;
        if reflex {
            happened = CornerChange::Straight;
            let head = match (g_fixed, h_fixed) {
                (true, true) => return self.fault(v, "two edges of one polygon become straight"),
                (false, true) => true,
                (true, false) => false,
                (false, false) => self.slides_head([u, v, x], first, second),
            };
            if head {
                self.slide_head(h, true)?;
            } else {
                self.slide_tail(h, true)?;
            }
        } else if first < second {
            if h_fixed {
                happened = CornerChange::Contact;
                self.meet(h, u, h)?;
            } else {
                self.slide_tail(h, false)?;
            }
        } else if g_fixed {
            happened = CornerChange::Contact;
            self.meet(h, x, g)?;
        } else {
            self.slide_head(h, false)?;
        }
        self.cost.queue_operations = (self.queue.operations() - before) as u32;
        let external = happened == CornerChange::Contact;
        self.stats.event(happened as usize, external, self.cost);
        self.stats.sizes(self.live, self.queue.len());
        Ok(happened)
    }

    /// Whether the event of `h` is only the end of a search without result.
    fn search_ended(&self, h: u32) -> bool {
        (self.certificate(h)).is_some_and(|corner| !corner.has_failed(self.now))
    }

    /// Handles a vertex that has reached the polygon's edge `edge`, as the corner of `h` has
    /// closed.
    fn meet(&mut self, h: u32, vertex: u32, edge: u32) -> Result<(), Inconsistent> {
        let ends = [edge, edge ^ 1].map(|h| self.half(h).origin);
        // The cell is on the left of the half-edge, the polygon on its right.
        let contact = self.polygons.contact(vertex, ends, self.now);
        match self.contacts {
            Contacts::Stop => {
                self.contact = Some(contact);
                self.queue.remove(h);
            }
            Contacts::Bounce(bounce) => {
                self.polygons.bounce(&contact, bounce)?;
                self.impacts += 1;
                for body in contact.bodies {
                    let count = self.reissue_body(body);
                    self.stats.plan_change(count);
                }
            }
        }
        Ok(())
    }

    /// Whether the edge before the corner is the one to slide.
    fn slides_head(&self, corner: [u32; 3], first: f64, second: f64) -> bool {
        let [u, v, x] = corner.map(|v| self.polygons.owner[v as usize]);
        match self.policy {
            Policy::First => true,
            Policy::Longer => first >= second,
            Policy::Shorter => first < second,
            Policy::Foreign if (u != v) != (v != x) => u != v,
            Policy::Foreign => first >= second,
        }
    }

    /// Slides the head of the edge before `h` from the origin of `h` to its end.
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
        self.half_mut(h).cell = self.half(twin).cell;
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

    /// Slides the tail of `h` from its origin to that of the edge before it.
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
        self.half_mut(g).cell = self.half(twin).cell;
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

    /// Returns the cells at `t`, including the outer face.
    fn faces(&self, t: f64) -> impl Iterator<Item = Face> {
        let mut seen = vec![false; self.halves.len()];
        (0..self.halves.len() as u32).filter_map(move |start| {
            if seen[start as usize] || self.half(start).interior {
                return None;
            }
            let mut face = Face {
                half: start,
                one_number: true,
                ..Face::default()
            };
            let mut h = start;
            loop {
                seen[h as usize] = true;
                let half = self.half(h);
                face.convex += u32::from(!half.reflex);
                let ends =
                    [half.origin, self.half(h ^ 1).origin].map(|v| self.polygons.place(v, t));
                face.area += 0.5 * cross(ends[0], ends[1]);
                face.vertex = half.origin;
                face.one_number &= half.cell == self.half(start).cell;
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
    /// One of its half-edges, and whether all of them have the same cell number.
    half: u32,
    one_number: bool,
}

impl Kinetic for PseudoTriangulation {
    type Plan = Rigid2;

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.queue.first().map_or(f64::INFINITY, |e| e.0)
    }

    /// Stops at a contact, unless contacts bounce: see [`Self::contact`].
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = [self.stats.events(), self.stats.events_external()];
        while self.step(t)?.is_some() {}
        if self.contact.is_none() {
            self.now = self.now.max(t);
        }
        Ok(Advanced {
            events: self.stats.events() - before[0],
            external: self.stats.events_external() - before[1],
        })
    }

    fn change_plan(&mut self, body: u32, plan: Rigid2) -> Result<(), PlanError> {
        self.polygons.change_plan(body, plan, self.now)?;
        self.at_rest = false;
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
