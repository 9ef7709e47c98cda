//! When two simple polygons that move rigidly in the plane touch: their external relative geodesic
//! triangulation.
//!
//! # Theory
//!
//! Each polygon has a binary tree over its edges in order. A node stands for consecutive edges and
//! has the *relative geodesic* between their two ends: the shortest of the paths that can be
//! deformed into these edges without touching either polygon. The geodesic of a whole polygon is
//! its *relative hull*. A root joins both trees. Its geodesic goes around the second polygon and is
//! *pinned* at a vertex of the first. Together they cut the space between the polygons into cells
//! with three convex corners each. While every corner stays convex or reflex as it is, cells do not
//! overlap, and neither do polygons. A corner of three vertices of one body never changes; every
//! other one has a certificate.
//!
//! When the vertex `m` reaches the segment `ab`, one of two things happens. A reflex corner `a m b`
//! becomes straight: `m` leaves every geodesic that bends there. Or a convex corner closes, or a
//! triangle collapses, and `m` pushes into `ab`: every geodesic along `ab` then contains `m`. If
//! `ab` is a polygon's edge, that is a contact. Where another edge divides the outer side of a
//! geodesic's bend, there is no corner to tell when it becomes straight; such bends have
//! certificates of their own. A new pin is chosen if the pin is no longer on the first polygon's
//! relative hull, or if the root's geodesic begins inside it.
//!
//! Merckx and Moerenhout, *Introduction aux structures de données cinétiques*, after Basch,
//! Erickson, Guibas, Hershberger and Zhang, *Kinetic collision detection between two simple
//! polygons* (1999). The choice of the pin and the handling of events are not in the former; they
//! are a reconstruction.
//!
//! # Practice
//!
//! Bodies, motions and contacts are those of [`crate::pseudo`], which takes any number of polygons.
//! This structure has fewer events, and more work for each: an event searches all geodesics and
//! computes the positions of all vertices. With `n` vertices the geodesics are `O(n log n)` long if
//! the polygons are not wound into each other. Storing them as trees that share parts, as the paper
//! does, would make it `O(log^2 n)`.
//!
//! **Memory grows at events**: geodesics and edges come and go, and each event allocates. Not for a
//! haptic loop. The structure needs general position: perturb what lies on a lattice by at least
//! 1e-8. Polygons that touch or overlap at the start are refused, and so is a rebuild while they
//! touch. An event may coincide to rounding with a contact at one of its vertices (edges that meet
//! edge on edge and corner on corner, 1e-14 s apart). Then it counts as the contact, since the
//! state behind the event cannot be determined.
//!
//! The trees' geodesics are always those that a rebuild would give. The root's is the shortest of
//! its kind as well, but its kind and the position of the pin depend on the history.

mod audit;
mod build;
mod events;
mod geodesic;
mod graph;
mod signs;

use crate::kinetic::{Advanced, Inconsistent, Kinetic, PlanError};
use crate::motion::Rigid2;
pub use crate::polygons::{Bounce, Contact, Contacts, PolygonBody, ShapeError, overlap};
use crate::polygons::{PolygonState, PolygonStructure, Polygons};
use crate::stats::Stats;
use geodesic::Geodesics;
use graph::Graph;

/// Types of events, as [`Kinetic::stats`] counts them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A reflex corner became straight.
    Straight,
    /// A convex corner closed.
    Closed,
    /// A convex corner opened to a straight one: a triangle collapsed. Its other two corners close
    /// at the same time; the first to be processed does the work.
    Opened,
    /// A corner outside of all cells changed its sign, and nothing else.
    Flipped,
    /// A bend without a corner became straight.
    Bend,
    /// A vertex met an edge.
    Contact,
    /// A search ended without finding a failure.
    Looked,
    /// The pin moved. Never counted as an event, since it is part of one.
    Repinned,
}

const KINDS: [&str; 7] = [
    "straight", "closed", "opened", "flipped", "bend", "contact", "looked",
];

/// A geodesic of the structure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Geodesic {
    /// Body of the edges for which it stands; `None` for the root.
    pub body: Option<u32>,
    /// Indices in the list of the two geodesics that together have its edges; `None` for an edge,
    /// and for the root.
    pub children: Option<[usize; 2]>,
    /// Bodies and vertices along it.
    pub path: Vec<(u32, u32)>,
}

/// A cell of the subdivision.
#[derive(Clone, Debug, PartialEq)]
pub struct Cell {
    /// Bodies and vertices around it, free space on the left.
    pub vertices: Vec<(u32, u32)>,
    /// Number of convex corners.
    pub corners: usize,
    /// Area, m²; negative for the cell outside of everything.
    pub area: f64,
}

/// External relative geodesic triangulation of two polygons. See the [module](self).
#[derive(Clone, Debug)]
pub struct GeodesicTriangulation {
    state: PolygonState,
    geodesics: Geodesics,
    graph: Graph,
    /// Bends without a corner, written so that they turn left.
    bends: Vec<Option<[u32; 3]>>,
    repins: u64,
    /// Whether the certificate of each slot is live. Slots come in pairs, one pair for each
    /// half-edge or bend: even ones are the corners of half-edges, odd ones bends.
    live: Vec<bool>,
    left_out: Option<Kind>,
}

impl GeodesicTriangulation {
    /// Builds the structure for two bodies as they are at `now`. Does not search for events at or
    /// after `horizon`.
    ///
    /// # Errors
    /// See [`ShapeError`].
    pub fn new(
        bodies: [PolygonBody; 2],
        now: f64,
        horizon: f64,
        contacts: Contacts,
    ) -> Result<Self, ShapeError> {
        let polygons = Polygons::new(bodies.into(), now)?;
        let mut structure = Self {
            state: PolygonState::new(polygons, [now, horizon], contacts, &KINDS),
            geodesics: Geodesics::default(),
            graph: Graph::default(),
            bends: Vec::new(),
            repins: 0,
            live: Vec::new(),
            left_out: None,
        };
        structure.build().map_err(ShapeError::Inconsistent)?;
        Ok(structure)
    }

    /// Returns how often a new pin was chosen.
    #[must_use]
    pub fn repins(&self) -> u64 {
        self.repins
    }

    fn names(&self, path: &[u32]) -> Vec<(u32, u32)> {
        path.iter().map(|v| self.state.polygons.name(*v)).collect()
    }

    /// Returns all geodesics, including edges of polygons: those of the first tree, children before
    /// parents, those of the second, then the root's.
    #[must_use]
    pub fn geodesics(&self) -> Vec<Geodesic> {
        let Geodesics { nodes, tops, root } = &self.geodesics;
        let trees = nodes.iter().enumerate().map(|(k, node)| Geodesic {
            body: Some(u32::from(k as u32 > tops[0])),
            children: node.children.map(|c| c.map(|c| c as usize)),
            path: self.names(&node.path),
        });
        let root = Geodesic {
            body: None,
            children: None,
            path: self.names(root),
        };
        trees.chain([root]).collect()
    }

    /// Returns the edges of the subdivision that belong to no polygon, as pairs of a body and its
    /// vertex.
    #[must_use]
    pub fn free_edges(&self) -> Vec<[(u32, u32); 2]> {
        (self.graph.used().step_by(2))
            .filter(|&h| !self.graph.half(h).obstacle)
            .map(|h| {
                [self.graph.half(h).origin, self.graph.end(h)].map(|v| self.state.polygons.name(v))
            })
            .collect()
    }

    /// For tests of the tests: events of this kind do nothing.
    #[doc(hidden)]
    pub fn leave_out(&mut self, kind: Kind) {
        self.left_out = Some(kind);
    }

    /// For tests: counts nonexistent geodesics along the edges between the two bodies.
    #[doc(hidden)]
    pub fn corrupt(&mut self) {
        let owner = |v: u32| self.state.polygons.owner[v as usize];
        for edge in 0..self.graph.uses.len() as u32 {
            let ends = [2 * edge, 2 * edge + 1].map(|h| owner(self.graph.half(h).origin));
            self.graph.uses[edge as usize] += u32::from(ends[0] != ends[1]);
        }
    }

    /// Returns the three vertices of a slot's certificate, and whether they turn left; `None` if
    /// the slot needs no certificate.
    fn certificate(&self, slot: u32) -> Option<([u32; 3], bool)> {
        let found = if slot % 2 == 1 {
            let bend = self.bends.get(slot as usize / 2)?;
            (bend.as_ref()).map(|bend| (*bend, true))?
        } else {
            let half = self.graph.half(slot / 2);
            if half.interior || !half.used {
                return None;
            }
            (self.graph.corner(slot / 2), !half.reflex)
        };
        self.state.polygons.corner(found.0, found.1).map(|_| found)
    }

    fn reissue(&mut self, slot: u32) {
        let (now, horizon) = (self.state.now, self.state.horizon);
        let failure = (self.certificate(slot))
            .and_then(|(corner, left)| self.state.polygons.corner(corner, left))
            .map(|corner| corner.failure(now, horizon));
        if self.live.len() <= slot as usize {
            self.live.resize(slot as usize + 1, false);
        }
        let live = &mut self.live[slot as usize];
        *live = self.state.issue(slot, failure, *live);
    }

    /// Returns all existing slots.
    fn slots(&self) -> impl Iterator<Item = u32> + use<> {
        let (halves, bends) = (self.graph.halves.len() as u32, self.bends.len() as u32);
        (0..halves)
            .map(|h| 2 * h)
            .chain((0..bends).map(|k| 2 * k + 1))
    }

    fn reissue_body(&mut self, body: u32) -> u64 {
        let mut count = 0;
        for slot in self.slots() {
            let touches = |v: u32| self.state.polygons.owner[v as usize] == body;
            if (self.certificate(slot)).is_some_and(|(c, _)| c.into_iter().any(touches)) {
                self.reissue(slot);
                count += 1;
            }
        }
        count
    }

    /// Processes the next event if it is due at `t` or before. Returns whether it was.
    fn step(&mut self, t: f64) -> Result<bool, Inconsistent> {
        let Some(slot) = self.state.next_event(t, |_| 0)? else {
            return Ok(false);
        };
        self.process(slot)?;
        Ok(true)
    }
}

impl PolygonStructure for GeodesicTriangulation {
    fn state(&self) -> &PolygonState {
        &self.state
    }
}

impl Kinetic for GeodesicTriangulation {
    type Plan = Rigid2;

    fn now(&self) -> f64 {
        self.state.now
    }

    fn next_time(&self) -> f64 {
        self.state.next_time()
    }

    /// Stops at a contact, unless contacts bounce: see [`PolygonStructure::contact`]. Allocates at
    /// events.
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = Advanced::total(&self.state.stats);
        while self.step(t)? {}
        Ok(self.state.end_advance(t, before))
    }

    fn change_plan(&mut self, body: u32, plan: Rigid2) -> Result<(), PlanError> {
        self.state.change_plan(body, plan)?;
        let count = self.reissue_body(body);
        self.state.count_plan_change(count);
        Ok(())
    }

    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        self.audit_all(t)
    }

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
