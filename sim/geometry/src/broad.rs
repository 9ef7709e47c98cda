//! Which boxes meet during a step: what a broad phase is asked and what it answers, to the bit the
//! same whoever it is.
//!
//! # Theory
//!
//! A [`SweptBox`] says that a body's bounds along each axis go linearly from those at the start of
//! a step to those at its end. Whoever knows the motion makes them wide enough: between the two
//! ends a point leaves its chord by an eighth of its acceleration times the square of the step at
//! most. Two such boxes meet if there is a time at which their intervals have a point in common on
//! all three axes; on each axis that is one stretch of time, its ends quotients of differences, so
//! all of it is one stretch, too.
//!
//! # Practice
//!
//! A [`BroadPhase`] lists exactly the pairs that [`SweptBox::meets`] is true of, in order:
//! implementations differ in what they cost and in nothing else. What one remembers from call to
//! call is only what it found before, to find it sooner; a clone, a new one, or one that was asked
//! about something else in between says the same. Metres, one frame, `f64`. No clock, no threads,
//! no panics; numbers that are none make a box that meets everything.

mod sweep;

use crate::pose::Vec3;

pub use sweep::SweepAndPrune;

/// An axis-aligned box.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Aabb {
    /// Lowest corner, m.
    pub low: Vec3,
    /// Highest corner, m.
    pub high: Vec3,
}

impl Aabb {
    /// All of space: overlaps everything.
    pub const EVERYWHERE: Self = Self {
        low: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        high: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// Without a point: what [`Aabb::union`] begins with.
    pub const NOWHERE: Self = Self {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// About a ball, or a cube of this half width, m.
    #[must_use]
    pub fn about(centre: &Vec3, reach_m: f64) -> Self {
        let reach = Vec3::repeat(reach_m);
        Self {
            low: centre - reach,
            high: centre + reach,
        }
    }

    /// Wider by this on all sides, m.
    #[must_use]
    pub fn widened(&self, by_m: f64) -> Self {
        let by = Vec3::repeat(by_m);
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// The least box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// Whether two boxes have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }
}

/// From here on a box counts as without bounds, m: sums and squares of what is nearer are finite.
pub const FURTHEST_M: f64 = 1e100;

/// By how much the times of an overlap are moved outwards, as a share of the step: twice what they
/// are rounded by.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// What sort of box it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Without a point at the start or at the end: meets nothing.
    Nowhere,
    /// As its numbers say.
    Bounded,
    /// A number is none, or beyond [`FURTHEST_M`]: meets all that is somewhere.
    Everywhere,
}

/// A box whose bounds go linearly from `start` to `end` over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBox {
    /// At the start of the step.
    pub start: Aabb,
    /// At its end.
    pub end: Aabb,
}

impl SweptBox {
    /// Meets all that is somewhere.
    pub const EVERYWHERE: Self = Self::still(Aabb::EVERYWHERE);

    /// Meets nothing.
    pub const NOWHERE: Self = Self::still(Aabb::NOWHERE);

    /// What stays where it is.
    #[must_use]
    pub const fn still(at: Aabb) -> Self {
        Self { start: at, end: at }
    }

    /// From one box to another, wider by a margin all the time, m.
    #[must_use]
    pub fn between(start: &Aabb, end: &Aabb, margin_m: f64) -> Self {
        Self {
            start: start.widened(margin_m),
            end: end.widened(margin_m),
        }
    }

    /// What sort of box it is.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let ends = [&self.start, &self.end];
        if ends.iter().any(|b| (0..3).any(|i| b.low[i] > b.high[i])) {
            return Extent::Nowhere;
        }
        let near = |v: &Vec3| v.iter().all(|x| x.abs() <= FURTHEST_M);
        if ends.iter().all(|b| near(&b.low) && near(&b.high)) {
            Extent::Bounded
        } else {
            Extent::Everywhere
        }
    }

    /// The least box that holds it all the time.
    #[must_use]
    pub fn hull(&self) -> Aabb {
        self.start.union(&self.end)
    }

    /// Whether there is a time of the step at which two boxes have a point in common. Their bounds
    /// are taken at their word, the time is rounded so that none is missed. Symmetric.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        match (self.extent(), other.extent()) {
            (Extent::Nowhere, _) | (_, Extent::Nowhere) => false,
            (Extent::Bounded, Extent::Bounded) => self.meets_bounded(other),
            _ => true,
        }
    }

    /// As [`SweptBox::meets`], for two of which is known that both are [`Extent::Bounded`].
    #[must_use]
    pub fn meets_bounded(&self, other: &Self) -> bool {
        let (mut on, mut off) = (0.0_f64, 1.0_f64);
        for axis in 0..3 {
            for (lower, upper) in [(self, other), (other, self)] {
                let before = upper.start.high[axis] - lower.start.low[axis];
                let after = upper.end.high[axis] - lower.end.low[axis];
                let time = before / (before - after);
                match (before >= 0.0, after >= 0.0) {
                    (true, true) => {}
                    (false, false) => return false,
                    (false, true) => on = on.max(time - ROUNDING),
                    (true, false) => off = off.min(time + ROUNDING),
                }
            }
        }
        on <= off
    }
}

/// What a broad phase has done since it was made. Counts only ever grow, also where it began again;
/// a clone goes on with them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroadWork {
    /// Times that it was asked.
    pub searches: u64,
    /// Boxes that it was asked about, in all searches together.
    pub boxes: u64,
    /// Pairs that it listed, in all searches together.
    pub pairs: u64,
    /// What it did to find them.
    pub upkeep: Upkeep,
}

impl BroadWork {
    /// Counts a search.
    pub fn search(&mut self, boxes: usize, pairs: usize) {
        self.searches += 1;
        self.boxes += boxes as u64;
        self.pairs += pairs as u64;
    }
}

/// What it costs to keep what is remembered from search to search true.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// An order along one axis.
    Order {
        /// Exchanges of neighbours in it.
        exchanges: u64,
        /// Times that it was sorted again, because too much had changed.
        sorts: u64,
    },
    /// The orders of all bounds on three axes, and the pairs: a kinetic structure, with its four
    /// measures. Compact: `certificates`. Efficient: `exchanges` change bookkeeping, `events` what
    /// is listed. Local: a box is named by twelve certificates, two for each bound. Responsive: an
    /// exchange changes three. The latter two always.
    Kinetic {
        /// That hold now: two neighbouring bounds are in order. Of all places that there is room
        /// for, taken or not.
        certificates: u64,
        /// Exchanges of neighbours.
        exchanges: u64,
        /// Pairs that began to overlap or ceased to.
        events: u64,
        /// Searches in which so many passed each other that all was sorted again.
        sorts: u64,
    },
    /// A point for each box, in the cells of a map.
    Registration {
        /// Points that had moved since the search before.
        moved: u64,
        /// Of those: ended in another cell.
        changed_cell: u64,
        /// Boxes too large for the cells, or outside of them, that were compared with all.
        large: u64,
        /// Maps that were made.
        maps: u64,
    },
}

impl Default for Upkeep {
    fn default() -> Self {
        Self::Order {
            exchanges: 0,
            sorts: 0,
        }
    }
}

/// Finds the pairs of boxes that meet. See the [module](self).
pub trait BroadPhase: std::fmt::Debug + Send + Sync {
    /// As the configuration names it.
    fn name(&self) -> &'static str;

    /// Puts into `pairs` (emptied first) every pair `(i, j)`, `i < j`, of boxes that meet
    /// ([`SweptBox::meets`]), each once, sorted, and no other. Allocates only where there are more
    /// boxes or pairs than ever before, or where they are elsewhere than ever before. Not bounded
    /// beforehand: pairs may be as many as the square of the boxes.
    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>);

    /// What it has done so far. Reads counters: no allocation, no lock.
    fn work(&self) -> BroadWork;

    /// Another one like it.
    fn boxed_clone(&self) -> Box<dyn BroadPhase>;
}

impl Clone for Box<dyn BroadPhase> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

impl Default for Box<dyn BroadPhase> {
    /// [`SweepAndPrune`].
    fn default() -> Self {
        Box::new(SweepAndPrune::default())
    }
}

/// Appends the pairs of those boxes without bounds, `wide` (rising), with all that are somewhere:
/// for implementations, which have nothing to look for there. Not in order.
pub fn pairs_of_wide(wide: &[u32], boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
    if wide.is_empty() {
        return;
    }
    for (j, other) in (0_u32..).zip(boxes) {
        match other.extent() {
            Extent::Nowhere => {}
            Extent::Bounded => pairs.extend(wide.iter().map(|&i| (i.min(j), i.max(j)))),
            Extent::Everywhere => {
                let before = wide.iter().take_while(|&&i| i < j);
                pairs.extend(before.map(|&i| (i, j)));
            }
        }
    }
}
