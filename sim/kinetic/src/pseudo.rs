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

use crate::kinetic::{Advanced, Inconsistent, Kinetic, PlanError};
use crate::motion::Rigid2;
use crate::polygons::shape::reflex_vertices;
pub use crate::polygons::{Bounce, Contact, Contacts, PolygonBody, ShapeError, overlap, rebound};
use crate::polygons::{Corner, PolygonState, PolygonStructure, Polygons, cross, length, minus};
use crate::stats::Stats;
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
    state: PolygonState,
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
}

const KINDS: [&str; 4] = ["straight", "closed", "contact", "looked"];

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
        let state = PolygonState::new(polygons, [now, horizon], contacts, &KINDS);
        let mut structure = Self::unbuilt(state, policy);
        structure.members.fill(true);
        structure.build().map_err(ShapeError::Inconsistent)?;
        Ok(structure)
    }

    fn unbuilt(state: PolygonState, policy: Policy) -> Self {
        let bodies = &state.polygons.bodies;
        let mut structure = Self {
            members: vec![false; bodies.len()],
            reflex_vertices: (bodies.iter())
                .map(|b| reflex_vertices(&b.shape) as u32)
                .collect(),
            scratch: build::BuildScratch::default(),
            at_rest: false,
            moving: vec![corner_test::Moving::default(); bodies.len()],
            rest: vec![[0.0; 2]; state.polygons.owner.len()],
            issued: false,
            spoilt: false,
            halves: Vec::new(),
            policy,
            state,
        };
        structure.reserve();
        structure
    }

    /// Returns the free edges, as pairs of a body and its vertex.
    #[must_use]
    pub fn free_edges(&self) -> Vec<[(u32, u32); 2]> {
        (0..self.halves.len())
            .step_by(2)
            .filter(|&h| !self.halves[h].obstacle)
            .map(|h| [h, h + 1].map(|h| self.state.polygons.name(self.halves[h].origin)))
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
            let (body, vertex) = self.state.polygons.name(self.half(h).origin);
            (body, vertex, !self.half(h).reflex)
        };
        (self.faces(self.state.now))
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
        self.state.queue.len()
    }

    /// Returns the number of live certificates, whether they have an event or not.
    #[must_use]
    pub fn certificates(&self) -> u64 {
        self.state.live
    }

    /// Counts the bounded cells.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.faces(self.state.now).filter(|f| f.area > 0.0).count()
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
        self.state.polygons.corner(self.corner(h), !half.reflex)
    }

    fn reissue(&mut self, h: u32) {
        let had = self.half(h).live;
        let (now, horizon) = (self.state.now, self.state.horizon);
        let failure = (self.certificate(h)).map(|corner| corner.failure(now, horizon));
        self.half_mut(h).live = self.state.issue(h, failure, had);
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

    /// Processes the next event if it is due at `t` or before. Does nothing at a contact at which
    /// time has stopped. Does not allocate.
    ///
    /// # Errors
    /// As [`Kinetic::advance`].
    pub fn step(&mut self, t: f64) -> Result<Option<CornerEvent>, Inconsistent> {
        let vertex = |h: u32| self.halves[h as usize].origin;
        let Some(h) = self.state.next_event(t, vertex)? else {
            return Ok(None);
        };
        let corner = self.corner(h).map(|v| self.state.polygons.name(v));
        let happened = self.process(h)?;
        Ok(Some(CornerEvent {
            time: self.state.now,
            happened,
            corner,
        }))
    }

    /// Handles the corner at the origin of `h`, which has become straight or closed.
    fn process(&mut self, h: u32) -> Result<CornerChange, Inconsistent> {
        let before = self.state.start_event(1);
        let Half {
            prev: g, reflex, ..
        } = *self.half(h);
        let [u, v, x] = self.corner(h);
        let places = [u, v, x].map(|v| self.state.polygons.place(v, self.state.now));
        if self.search_ended(h) {
            self.reissue(h);
            let state = &mut self.state;
            (state.stats).event(CornerChange::Looked as usize, false, state.cost);
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
                (true, true) => {
                    return self
                        .state
                        .fault(v, "two edges of one polygon become straight");
                }
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
        let external = happened == CornerChange::Contact;
        self.state.end_event(happened as usize, external, before);
        Ok(happened)
    }

    /// Whether the event of `h` is only the end of a search without result.
    fn search_ended(&self, h: u32) -> bool {
        (self.certificate(h)).is_some_and(|corner| !corner.has_failed(self.state.now))
    }

    /// Handles a vertex that has reached the polygon's edge `edge`, as the corner of `h` has
    /// closed.
    fn meet(&mut self, h: u32, vertex: u32, edge: u32) -> Result<(), Inconsistent> {
        let ends = [edge, edge ^ 1].map(|h| self.half(h).origin);
        // The cell is on the left of the half-edge, the polygon on its right.
        for body in self.state.meet(h, vertex, ends)?.into_iter().flatten() {
            let count = self.reissue_body(body);
            self.state.stats.plan_change(count);
        }
        Ok(())
    }

    /// Whether the edge before the corner is the one to slide.
    fn slides_head(&self, corner: [u32; 3], first: f64, second: f64) -> bool {
        let [u, v, x] = corner.map(|v| self.state.polygons.owner[v as usize]);
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
            return self
                .state
                .fault(x, "an edge slides where no vertex is pointed");
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
            return self
                .state
                .fault(u, "an edge slides where no vertex is pointed");
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
                    [half.origin, self.half(h ^ 1).origin].map(|v| self.state.polygons.place(v, t));
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

impl PolygonStructure for PseudoTriangulation {
    fn state(&self) -> &PolygonState {
        &self.state
    }
}

impl Kinetic for PseudoTriangulation {
    type Plan = Rigid2;

    fn now(&self) -> f64 {
        self.state.now
    }

    fn next_time(&self) -> f64 {
        self.state.next_time()
    }

    /// Stops at a contact, unless contacts bounce: see [`PolygonStructure::contact`].
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = Advanced::total(&self.state.stats);
        while self.step(t)?.is_some() {}
        Ok(self.state.end_advance(t, before))
    }

    fn change_plan(&mut self, body: u32, plan: Rigid2) -> Result<(), PlanError> {
        self.state.change_plan(body, plan)?;
        self.at_rest = false;
        let count = self.reissue_body(body);
        self.state.count_plan_change(count);
        Ok(())
    }

    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        self.audit_all(t)
    }

    /// May allocate.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        self.state.restart(self.state.now.max(t));
        self.state.stats.rebuilds += 1;
        self.build()
    }

    fn stats(&self) -> &Stats {
        &self.state.stats
    }

    fn reset_stats(&mut self) {
        self.state.stats.reset();
    }
}
