//! What a step is going to do: the motions, what made them, and what they cost.

use std::ops::Range;

use hapticd_geometry::{Screw, Vec3};

use crate::body::{BodyId, Twist};

/// Why a segment moves the bodies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SegmentKind {
    /// Apart again to the safe distance; takes no simulated time (Redon 2002, equation 6.2).
    Reposition,
    /// On in time.
    Motion,
}

/// A part of a plan during which every body follows one constant-speed screw.
#[derive(Clone, Debug)]
pub struct Segment {
    /// Why.
    pub kind: SegmentKind,
    /// Simulated time it takes, s; 0 for a repositioning.
    pub duration_s: f64,
    /// The bodies' motions in [`Plan::screws`].
    pub(crate) screws: Range<usize>,
}

/// A contact that carries an impulse, or is about to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactReport {
    /// The two bodies.
    pub bodies: [BodyId; 2],
    /// Half way between the surfaces, world, m.
    pub point: Vec3,
    /// Unit, from the second body to the first.
    pub normal: Vec3,
    /// Surface to surface, m.
    pub gap_m: f64,
    /// What the second body gave the first in the last motion segment, N s.
    pub impulse: Vec3,
}

/// What a plan cost and met with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Motion segments.
    pub segments: u32,
    /// Repositioning segments.
    pub repositionings: u32,
    /// Groups of bodies that were solved, over all segments.
    pub groups: u32,
    /// Contacts in these.
    pub contacts: u32,
    /// Visits of the solver to contacts.
    pub visits: u32,
    /// Groups that did not reach the tolerance within the work bound.
    pub unconverged: u32,
    /// Groups for which no admissible motion exists: a body squeezed between others. They stood
    /// still.
    pub infeasible: u32,
    /// Bodies that were held where they were because detection found no way on for them.
    pub held: u32,
    /// Pairs of bodies whose near features were searched again.
    pub searches: u32,
    /// Feature pairs whose motion was followed.
    pub followed: u32,
    /// Whole pairs of bodies whose motion was searched, because they move too far for their lists.
    pub swept: u32,
}

/// What the coming interval brings.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// Simulated time of all segments, s: the interval asked for, or less if detection cut it short
    /// more often than a step may be cut.
    pub duration_s: f64,
    pub(crate) segments: Vec<Segment>,
    /// By slot, segment after segment.
    pub(crate) screws: Vec<Screw>,
    /// Twists at the start and the end of each segment, as `screws`.
    pub(crate) start: Vec<Twist>,
    pub(crate) end: Vec<Twist>,
    pub(crate) contacts: Vec<ContactReport>,
    /// What the solver left undone, m/s: the largest change of a contact velocity in its last
    /// sweep.
    pub residual_m_s: f64,
    /// What it cost.
    pub counters: Counters,
    pub(crate) slots: usize,
}

impl Plan {
    /// The parts, in order.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The motions of one segment by [`BodyId::slot`], in the world, each over `t` in `[0, 1]`.
    /// They were proven collision-free together: bodies placed by these screws at one common time
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

/// How much of a plan was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Executed {
    /// Segments made to their end.
    pub segments: usize,
    /// Share of the next one, 0 to 1.
    pub share: f64,
}

impl Executed {
    /// Everything.
    pub const ALL: Self = Self {
        segments: usize::MAX,
        share: 0.0,
    };
}
