//! Convex hull of points that move in the plane.
//!
//! # Theory
//!
//! Basch, Guibas and Hershberger (1999). A point `(p, q)` is the line `y = p x + q` of the dual
//! plane; the upper hull from left to right is the *upper envelope* of those lines from left to
//! right. The lines are the leaves of a balanced tree, and each node merges the envelopes of its
//! two halves. It keeps the vertices of both in one list, by abscissa, and records at each of them
//! which envelope is above. The list yields the node's own envelope, which the node above merges.
//! Nine types of certificates ([`Certificate`]) prove each list. When one fails, the list changes
//! locally; so may the node's envelope and the lists above.
//!
//! The published list lacks the certificate of the parallels at infinity; it is one of the nine
//! here. Each of the nine is necessary, which a test shows by omitting each in turn.
//!
//! # Practice
//!
//! [`UpperHull`] is the upper hull, [`Hull`] the whole. Coordinates are polynomials of degree 3 or
//! less. Points must be in general position. Three that stay on a line, or many events at one time,
//! make the structure inconsistent; this is an error ([`hapticd_kinetic::Inconsistent`]) and a
//! reason to rebuild. Perturb such input once by a millionth, and use
//! [`hapticd_kinetic::Kinetic::advance_or_rebuild`]. Two points with the same motion are refused.
//!
//! There are `O(n log n)` live certificates, some `7 log n` name one point, and an event costs
//! `O(log^2 n)`. Processing allocates: not for the haptic loop.

mod audit;
mod build;
mod events;

use hapticd_kinetic::kinetic::{Advanced, Inconsistent, Kinetic, Livelock, PlanError};
use hapticd_kinetic::motion::Motion1;
use hapticd_kinetic::polynomial::Predicate;
use hapticd_kinetic::queue::EventQueue;
use hapticd_kinetic::roots::first_failure;
use hapticd_kinetic::stats::{EventCost, Stats};
use std::collections::BTreeMap;

/// Index of no vertex or node.
const NONE: u32 = u32::MAX;

/// Maximum degree of a coordinate: predicates are products of two.
const MAX_DEGREE: usize = 3;

/// The nine types of certificates about a vertex `ab` of a node's list; `ce` is the edge of the
/// other envelope above or below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Certificate {
    /// `ab` is left of the next vertex, which belongs to the other envelope.
    X,
    /// `ab` is on its side of `ce`, and the envelopes cross right of it.
    Yli,
    /// `ab` is on its side of `ce`, and the envelopes cross left of it.
    Yri,
    /// `ab` is above `ce`, which has a slope between those of `a` and `b`.
    Yt,
    /// Under the condition of `Yt`: `a` is less steep than `ce`.
    Slt,
    /// Under the condition of `Yt`: `ce` is less steep than `b`.
    Srt,
    /// `ab` is below `ce`, which is steeper than `b`.
    Sl,
    /// `ab` is below `ce`, which is less steep than `a`.
    Sr,
    /// At an end of the list next to which the envelopes cross: the upper one's end edge is the
    /// less steep on the left, the steeper on the right.
    SInfinity,
}

impl Certificate {
    /// All types.
    pub const ALL: [Self; 9] = [
        Self::X,
        Self::Yli,
        Self::Yri,
        Self::Yt,
        Self::Slt,
        Self::Srt,
        Self::Sl,
        Self::Sr,
        Self::SInfinity,
    ];

    fn bit(self) -> u16 {
        1 << self as u16
    }
}

/// Certificate slots of one vertex: its order in the list, its height, and the slopes of the
/// intervals left and right of it. `SInfinity` uses an end's `LEFT`.
const ORDER: usize = 0;
const HEIGHT: usize = 1;
const LEFT: usize = 2;
const RIGHT: usize = 3;
const SLOTS: usize = 4;

/// One event of a hull.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct HullEvent {
    /// Time, s.
    pub time: f64,
    /// Type of the certificate that failed; the first type if one predicate stands for several.
    pub certificate: Certificate,
    /// The points that it names; unused entries are `u32::MAX`.
    pub points: [u32; 4],
    /// True if the hull has changed.
    pub external: bool,
}

/// List of one node: two merged envelopes.
#[derive(Clone, Debug, PartialEq)]
pub struct Merged {
    /// First and last lines of both envelopes.
    pub edges: [[u32; 2]; 2],
    /// Envelope that is above at the left end, and whether [`Certificate::SInfinity`] is live
    /// there; the same for the right end.
    pub ends: [(u8, bool); 2],
    /// Vertices of both envelopes from left to right.
    pub vertices: Vec<MergedVertex>,
}

/// A vertex of a node's list.
#[derive(Clone, Debug, PartialEq)]
pub struct MergedVertex {
    /// Lines that meet in it.
    pub edges: (u32, u32),
    /// Envelope that it belongs to, 0 or 1.
    pub envelope: u8,
    /// Envelope that is above here, 0 or 1.
    pub above: u8,
    /// Line of the other envelope here.
    pub contender: u32,
    /// Live certificates of the vertex.
    pub certificates: Vec<Certificate>,
}

#[derive(Clone, Copy, Debug)]
struct Vertex {
    /// Edges that meet in it; `NONE` for an end of the list.
    a: u32,
    b: u32,
    node: u32,
    prev: u32,
    next: u32,
    /// Edge of the other envelope.
    ce: u32,
    /// Envelope that it belongs to, and the envelope that is above here.
    colour: u8,
    top: u8,
    /// Types of the live certificates in each slot.
    live: [u16; SLOTS],
}

#[derive(Clone, Debug)]
struct Node {
    parent: u32,
    /// Index of this node's envelope among the parent's two.
    colour: u8,
    /// Ends of the list.
    ends: [u32; 2],
    /// First and last edges of the two envelopes merged here.
    edges: [[u32; 2]; 2],
    /// Vertices of the list by their edges.
    map: BTreeMap<(u32, u32), u32>,
}

/// Kinetic upper hull. See the module page.
#[derive(Clone, Debug)]
pub struct UpperHull {
    points: Vec<[Motion1; 2]>,
    nodes: Vec<Node>,
    /// Node above the root: its only envelope is the hull.
    collector: u32,
    /// Lowest node that has a list with the line, by line.
    leaf: Vec<u32>,
    vertices: Vec<Vertex>,
    free: Vec<u32>,
    queue: EventQueue,
    now: f64,
    horizon: f64,
    livelock: Livelock,
    live: u64,
    /// Cost of the current event.
    cost: EventCost,
    external: bool,
    disabled: u16,
    stats: Stats,
}

impl UpperHull {
    /// Builds the hull of these points, `[x, y]` each, at `now`. Events at or after `horizon` are
    /// not computed; it may be infinite.
    ///
    /// # Errors
    /// A motion is not a polynomial of degree 3 or less with finite coefficients, or two points
    /// move identically; the error then names both.
    pub fn new(points: &[[Motion1; 2]], now: f64, horizon: f64) -> Result<Self, HullError> {
        for (object, point) in points.iter().enumerate() {
            check(object as u32, point)?;
        }
        let mut by_place: Vec<u32> = (0..points.len() as u32).collect();
        let key = |i: u32| points[i as usize].map(|m| m.about(now).map_or([0.0; 7], |p| p.value.c));
        by_place.sort_by(|&i, &k| {
            key(i)
                .partial_cmp(&key(k))
                .unwrap_or(std::cmp::Ordering::Equal)
        });
        if let Some(w) = by_place.windows(2).find(|w| key(w[0]) == key(w[1])) {
            return Err(HullError::Double {
                object: w[1],
                of: w[0],
            });
        }
        let mut hull = Self {
            points: points.to_vec(),
            nodes: Vec::new(),
            collector: NONE,
            leaf: vec![NONE; points.len()],
            vertices: Vec::new(),
            free: Vec::new(),
            queue: EventQueue::default(),
            now,
            horizon,
            livelock: Livelock::new(now),
            live: 0,
            cost: EventCost::default(),
            external: false,
            disabled: 0,
            stats: Stats::new(&["x", "yli", "yri", "yt", "slt", "srt", "sl", "sr", "s-inf"]),
        };
        hull.build().map_err(HullError::Inconsistent)?;
        Ok(hull)
    }

    /// Points of the hull from left to right.
    #[must_use]
    pub fn hull(&self) -> Vec<u32> {
        let Some(node) = self.nodes.get(self.collector as usize) else {
            return Vec::new();
        };
        let mut hull = vec![node.edges[0][0]];
        let mut v = self.vertices[node.ends[0] as usize].next;
        while v != node.ends[1] {
            hull.push(self.vertices[v as usize].b);
            v = self.vertices[v as usize].next;
        }
        hull
    }

    /// Motion of a point.
    #[must_use]
    pub fn point(&self, object: u32) -> Option<&[Motion1; 2]> {
        self.points.get(object as usize)
    }

    /// Number of live certificates, with or without an event.
    #[must_use]
    pub fn certificates(&self) -> u64 {
        self.live
    }

    /// Number of events in the queue.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Number of tree nodes that merge two envelopes: one fewer than points. The last one is the
    /// root.
    #[must_use]
    pub fn nodes(&self) -> usize {
        self.points.len().saturating_sub(1)
    }

    /// Returns what a node merges, for pictures and explanations; `None` if there is no such node.
    /// Allocates.
    #[must_use]
    pub fn merged(&self, node: usize) -> Option<Merged> {
        let number = (0..self.nodes.len())
            .filter(|n| *n as u32 != self.collector)
            .nth(node)?;
        let node = &self.nodes[number];
        let live = |v: &Vertex| {
            let bits = v.live.iter().fold(0, |bits, live| bits | live);
            Certificate::ALL
                .into_iter()
                .filter(move |c| bits & c.bit() != 0)
        };
        let ends = node.ends.map(|v| {
            let end = &self.vertices[v as usize];
            (end.top, live(end).count() > 0)
        });
        let mut vertices = Vec::new();
        let mut v = self.vertices[node.ends[0] as usize].next;
        while v != node.ends[1] {
            let vertex = &self.vertices[v as usize];
            vertices.push(MergedVertex {
                edges: (vertex.a, vertex.b),
                envelope: vertex.colour,
                above: vertex.top,
                contender: vertex.ce,
                certificates: live(vertex).collect(),
            });
            v = vertex.next;
        }
        Some(Merged {
            edges: node.edges,
            ends,
            vertices,
        })
    }

    /// Processes the next event if it is due at `t` or before.
    ///
    /// # Errors
    /// As [`Kinetic::advance`].
    pub fn step(&mut self, t: f64) -> Result<Option<HullEvent>, Inconsistent> {
        let Some((time, slot)) = self.queue.first().filter(|e| e.0 <= t) else {
            return Ok(None);
        };
        self.now = self.now.max(time);
        let points = self.named(slot / SLOTS as u32, slot as usize % SLOTS);
        let certificate = self.process(slot)?;
        Ok(Some(HullEvent {
            time: self.now,
            certificate,
            points,
            external: self.external,
        }))
    }

    /// Maximum number of certificates that name one point. Counts them, `O(n log n)`.
    #[must_use]
    pub fn certificates_per_object(&self) -> u64 {
        let mut counts = vec![0_u64; self.points.len()];
        for (v, vertex) in self.vertices.iter().enumerate() {
            for slot in 0..SLOTS {
                if vertex.live[slot] != 0 {
                    let mut named = self.named(v as u32, slot);
                    named.sort_unstable();
                    for k in 0..named.len() {
                        if named[k] != NONE && (k == 0 || named[k] != named[k - 1]) {
                            counts[named[k] as usize] += 1;
                        }
                    }
                }
            }
        }
        counts.into_iter().max().unwrap_or(0)
    }

    /// Stops issuing a type of certificate, for the test that each type is necessary.
    #[doc(hidden)]
    pub fn disable(&mut self, certificate: Certificate) {
        self.disabled |= certificate.bit();
        for v in 0..self.vertices.len() {
            if self.vertices[v].node != NONE {
                self.refresh(v as u32);
            }
        }
    }

    /// For tests: flips the flag of each vertex silently.
    #[doc(hidden)]
    pub fn corrupt(&mut self) {
        for v in &mut self.vertices {
            if v.node != NONE && v.node != self.collector && v.a != NONE {
                v.top = 1 - v.top;
            }
        }
    }

    fn about(&self, i: u32) -> [Predicate; 2] {
        self.points[i as usize].map(|m| m.about(self.now).unwrap_or_default())
    }

    /// Positive if `i` is less steep than `j`, that is, the point is left of it.
    fn steeper(&self, i: u32, j: u32) -> Predicate {
        self.about(j)[0] - self.about(i)[0]
    }

    /// Positive if the vertex `ab` is above line `e`.
    fn above(&self, (a, b): (u32, u32), e: u32) -> Predicate {
        let ([pa, qa], [pb, qb], [pe, qe]) = (self.about(a), self.about(b), self.about(e));
        (pa - pe) * (qa - qb) + (qa - qe) * (pb - pa)
    }

    /// Positive if the vertex `ab` is left of the vertex `cd`.
    fn left_of(&self, (a, b): (u32, u32), (c, d): (u32, u32)) -> Predicate {
        let ([pa, qa], [pb, qb]) = (self.about(a), self.about(b));
        let ([pc, qc], [pd, qd]) = (self.about(c), self.about(d));
        (qc - qd) * (pb - pa) - (qa - qb) * (pd - pc)
    }

    fn edges(&self, v: u32) -> (u32, u32) {
        let v = &self.vertices[v as usize];
        (v.a, v.b)
    }

    fn is_end(&self, v: u32) -> bool {
        self.vertices[v as usize].a == NONE
    }

    /// True if the envelopes cross between two neighbours of a list.
    fn crossing(&self, u: u32, w: u32) -> bool {
        self.vertices[u as usize].top != self.vertices[w as usize].top
    }

    /// Predicate of the certificate in a slot, and the types it stands for, by the table of Basch,
    /// Guibas and Hershberger; `None` if there is no such certificate.
    fn certificate(&self, v: u32, slot: usize) -> Option<(Predicate, u16)> {
        let vertex = &self.vertices[v as usize];
        let node = &self.nodes[vertex.node as usize];
        if vertex.node == self.collector {
            return None;
        }
        if vertex.a == NONE {
            let (side, neighbour) = if vertex.prev == NONE {
                (0, vertex.next)
            } else {
                (1, vertex.prev)
            };
            if slot != LEFT || !self.crossing(v, neighbour) {
                return None;
            }
            let top = vertex.top as usize;
            let (upper, lower) = (node.edges[top][side], node.edges[1 - top][side]);
            let f = if side == 0 {
                self.steeper(upper, lower)
            } else {
                self.steeper(lower, upper)
            };
            return Some((f, Certificate::SInfinity.bit()));
        }
        let (a, b, ce) = (vertex.a, vertex.b, vertex.ce);
        let is_above = vertex.top == vertex.colour;
        let a_ce = || self.steeper(a, ce);
        let ce_b = || self.steeper(ce, b);
        let between = || a_ce().sign_after() > 0.0 && ce_b().sign_after() > 0.0;
        match slot {
            ORDER => {
                let next = &self.vertices[vertex.next as usize];
                (next.a != NONE && next.colour != vertex.colour)
                    .then(|| (self.left_of((a, b), (next.a, next.b)), Certificate::X.bit()))
            }
            HEIGHT => {
                let mut types = 0;
                if self.crossing(v, vertex.next) {
                    types |= Certificate::Yli.bit();
                }
                if self.crossing(vertex.prev, v) {
                    types |= Certificate::Yri.bit();
                }
                if is_above && between() {
                    types |= Certificate::Yt.bit();
                }
                (types != 0).then(|| {
                    let f = self.above((a, b), ce);
                    (if is_above { f } else { -f }, types)
                })
            }
            LEFT if is_above => between().then(|| (a_ce(), Certificate::Slt.bit())),
            RIGHT if is_above => between().then(|| (ce_b(), Certificate::Srt.bit())),
            LEFT => {
                let f = -a_ce();
                (f.sign_after() > 0.0).then(|| (f, Certificate::Sr.bit()))
            }
            _ => {
                let f = -ce_b();
                (f.sign_after() > 0.0).then(|| (f, Certificate::Sl.bit()))
            }
        }
    }

    /// Lines that a certificate names.
    fn named(&self, v: u32, slot: usize) -> [u32; 4] {
        let vertex = &self.vertices[v as usize];
        if vertex.a == NONE {
            let side = usize::from(vertex.prev != NONE);
            let edges = self.nodes[vertex.node as usize].edges;
            return [edges[0][side], edges[1][side], NONE, NONE];
        }
        let (a, b, ce) = (vertex.a, vertex.b, vertex.ce);
        match slot {
            ORDER => {
                let (c, d) = self.edges(vertex.next);
                [a, b, c, d]
            }
            HEIGHT => [a, b, ce, NONE],
            LEFT => [a, ce, NONE, NONE],
            _ => [b, ce, NONE, NONE],
        }
    }

    /// Drops the certificates of a vertex.
    fn drop_certificates(&mut self, v: u32) {
        for slot in 0..SLOTS {
            if std::mem::take(&mut self.vertices[v as usize].live[slot]) != 0 {
                self.live -= 1;
                self.cost.destroyed += 1;
                self.queue.remove(SLOTS as u32 * v + slot as u32);
            }
        }
    }

    /// Drops the certificates of a vertex and issues them again.
    fn refresh(&mut self, v: u32) {
        if v == NONE {
            return;
        }
        self.drop_certificates(v);
        for slot in 0..SLOTS {
            let Some((f, types)) = self.certificate(v, slot) else {
                continue;
            };
            let types = types & !self.disabled;
            if types == 0 {
                continue;
            }
            self.vertices[v as usize].live[slot] = types;
            self.live += 1;
            self.cost.created += 1;
            let time = first_failure(&f, self.now, self.horizon);
            self.queue.schedule(SLOTS as u32 * v + slot as u32, time);
        }
    }

    fn fault<T>(&self, object: u32, what: &'static str) -> Result<T, Inconsistent> {
        Err(Inconsistent {
            time: self.now,
            object,
            what,
        })
    }
}

/// Reasons why a hull cannot be built.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum HullError {
    /// A motion is invalid, or of a kind that has no predicates. The caller is at fault.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// Two points move identically, so it is undecidable which of them is on the hull. The caller
    /// is at fault.
    #[error("point {object} moves exactly as point {of}")]
    Double {
        /// Number of the point.
        object: u32,
        /// Number of the point that moves identically.
        of: u32,
    },
    /// The points are not in general position.
    #[error(transparent)]
    Inconsistent(Inconsistent),
}

fn check(object: u32, point: &[Motion1; 2]) -> Result<(), PlanError> {
    for motion in point {
        let degree = motion.checked(object)?.degree();
        // A rotation is not a polynomial of any degree.
        let degree = degree.unwrap_or(usize::MAX);
        if degree > MAX_DEGREE {
            return Err(PlanError::Degree {
                object,
                degree,
                most: MAX_DEGREE,
            });
        }
    }
    Ok(())
}

impl Kinetic for UpperHull {
    /// Motions of both coordinates.
    type Plan = [Motion1; 2];

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.queue.first().map_or(f64::INFINITY, |e| e.0)
    }

    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = Advanced::total(&self.stats);
        while self.step(t)?.is_some() {}
        self.now = self.now.max(t);
        Ok(Advanced::total(&self.stats).since(before))
    }

    /// Visits the lists above the point's leaf and reissues the certificates that name it.
    fn change_plan(&mut self, object: u32, plan: [Motion1; 2]) -> Result<(), PlanError> {
        let count = self.points.len();
        let Some(old) = self.points.get(object as usize) else {
            return Err(PlanError::NoObject { object, count });
        };
        check(object, &plan)?;
        for (old, new) in old.iter().zip(&plan) {
            let (old, new) = (old.at(self.now), new.at(self.now));
            PlanError::check_jump(object, new - old, 1.0 + old.abs())?;
        }
        self.points[object as usize] = plan;
        self.cost = EventCost::default();
        let mut node = self.leaf[object as usize];
        while node != NONE && node != self.collector {
            let mut v = self.nodes[node as usize].ends[0];
            while v != NONE {
                let names = (0..SLOTS).any(|slot| self.named(v, slot).contains(&object));
                if names {
                    self.refresh(v);
                }
                v = self.vertices[v as usize].next;
            }
            node = self.nodes[node as usize].parent;
        }
        self.stats.plan_change(u64::from(self.cost.created));
        self.stats.sizes(self.live, self.queue.len());
        Ok(())
    }

    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        self.audit_all(t)
    }

    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        self.now = self.now.max(t);
        self.livelock = Livelock::new(self.now);
        self.stats.rebuilds += 1;
        self.build()
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn reset_stats(&mut self) {
        self.stats.reset();
    }
}

/// The whole hull: the upper hull, and that of the points mirrored in the x axis.
#[derive(Clone, Debug)]
pub struct Hull {
    /// Upper hull, from left to right.
    pub upper: UpperHull,
    /// Lower hull, of the points `[x, -y]`, from left to right.
    pub lower: UpperHull,
}

fn upside_down(point: &[Motion1; 2]) -> [Motion1; 2] {
    let negated = match point[1] {
        Motion1::Linear { x0, v, t0 } => Motion1::Linear { x0: -x0, v: -v, t0 },
        Motion1::Poly { mut p, t0 } => {
            p.c = p.c.map(|c| -c);
            Motion1::Poly { p, t0 }
        }
        turning @ Motion1::Turning { .. } => turning,
    };
    [point[0], negated]
}

impl Hull {
    /// As [`UpperHull::new`].
    ///
    /// # Errors
    /// As there.
    pub fn new(points: &[[Motion1; 2]], now: f64, horizon: f64) -> Result<Self, HullError> {
        let below: Vec<_> = points.iter().map(upside_down).collect();
        Ok(Self {
            upper: UpperHull::new(points, now, horizon)?,
            lower: UpperHull::new(&below, now, horizon)?,
        })
    }

    /// As [`Kinetic::advance_or_rebuild`], for both.
    ///
    /// # Errors
    /// As there.
    pub fn advance(&mut self, t: f64, scale_s: f64) -> Result<Advanced, Inconsistent> {
        let upper = self.upper.advance_or_rebuild(t, scale_s)?;
        let lower = self.lower.advance_or_rebuild(t, scale_s)?;
        Ok(Advanced {
            events: upper.events + lower.events,
            external: upper.external + lower.external,
        })
    }

    /// As [`Kinetic::change_plan`], for both.
    ///
    /// # Errors
    /// As there; nothing has then changed.
    pub fn change_plan(&mut self, object: u32, plan: [Motion1; 2]) -> Result<(), PlanError> {
        self.upper.change_plan(object, plan)?;
        self.lower.change_plan(object, upside_down(&plan))
    }

    /// Corners, counter-clockwise from the leftmost.
    #[must_use]
    pub fn hull(&self) -> Vec<u32> {
        let mut hull = self.lower.hull();
        let upper = self.upper.hull();
        hull.extend(upper.iter().rev().skip(1));
        if upper.len() > 1 {
            hull.pop();
        }
        hull
    }
}
