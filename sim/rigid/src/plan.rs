//! The plan of a step: the motions, the contacts behind them, and the cost.

use std::ops::Range;

use hapticd_geometry::{Screw, Vec3};

use crate::body::{BodyId, Twist};

/// Purpose of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Separates bodies again to the safe distance; takes no simulated time (Redon 2002, equation
    /// 6.2).
    Reposition,
    /// Advances in time.
    Motion,
}

/// A part of a plan during which every body follows one constant-speed screw.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Purpose of the segment.
    pub kind: SegmentKind,
    /// Simulated duration, s; 0 for a repositioning.
    pub duration_s: f64,
    /// Range of the motions of the bodies in [`Plan::screws`].
    pub(crate) screws: Range<usize>,
}

/// A contact that carries an impulse, or is about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Midpoint between the surfaces, world, m.
    pub point: Vec3,
    /// Unit normal, from the second body to the first.
    pub normal: Vec3,
    /// Distance of the surfaces, m.
    pub gap_m: f64,
    /// Impulse of the second body on the first in the last motion segment, N s.
    pub impulse: Vec3,
}

/// Cost and events of a plan.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Motion segments.
    pub segments: u32,
    /// Repositioning segments.
    pub repositionings: u32,
    /// Groups of bodies solved, over all segments.
    pub groups: u32,
    /// Contacts in these groups.
    pub contacts: u32,
    /// Contact visits of the solver.
    pub visits: u32,
    /// Groups that did not reach the tolerance within the work bound.
    pub unconverged: u32,
    /// Groups without an admissible motion: a body squeezed between others. They stand still.
    pub infeasible: u32,
    /// Bodies held in place because detection found no further motion for them.
    pub held: u32,
    /// Pairs of bodies with a repeated search for near features.
    pub searches: u32,
    /// Feature pairs tested by continuous detection.
    pub followed: u32,
    /// Whole pairs of bodies tested by continuous detection, because they move too far for their
    /// lists.
    pub swept: u32,
}

/// Planned motions of the coming interval.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Simulated time of all segments, s: the requested interval, or less if detection cuts it
    /// short more often than a step allows.
    pub duration_s: f64,
    pub(crate) segments: Vec<Segment>,
    /// Indexed by slot, segment after segment.
    pub(crate) screws: Vec<Screw>,
    /// Twists at the start and the end of each segment, indexed as `screws`.
    pub(crate) start: Vec<Twist>,
    pub(crate) end: Vec<Twist>,
    pub(crate) contacts: Vec<ContactReport>,
    /// Residual of the solver, m/s: the largest change of a contact velocity in its last sweep.
    pub residual_m_s: f64,
    /// Cost of the plan.
    pub counters: Counters,
    pub(crate) slots: usize,
}

impl Plan {
    /// The segments, in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The motions of one segment by [`BodyId::slot`], in the world, each over `t` in `[0, 1]`.
    /// They are proven collision-free together: bodies placed by these screws at one common time
    /// are at least as far apart as their clearance.
    #[must_use]
    pub fn screws(&self, segment: &Segment) -> &[Screw] {
        self.screws.get(segment.screws.clone()).unwrap_or(&[])
    }

    /// The contacts of the last motion segment.
    #[must_use]
    pub fn contacts(&self) -> &[ContactReport] {
        &self.contacts
    }

    pub(crate) fn clear(&mut self, slots: usize) {
        self.duration_s = 0.0;
        self.segments.clear();
        self.screws.clear();
        self.start.clear();
        self.end.clear();
        self.contacts.clear();
        self.residual_m_s = 0.0;
        self.counters = Counters::default();
        self.slots = slots;
    }
}

/// How much of a plan was executed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Executed {
    /// Segments executed completely.
    pub segments: usize,
    /// Executed share of the next segment, 0 to 1.
    pub share: f64,
}

impl Executed {
    /// The whole plan.
    pub const ALL: Self = Self {
        segments: usize::MAX,
        share: 0.0,
    };
}
