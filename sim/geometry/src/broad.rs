//! The broad phase: which swept boxes meet during a step. All implementations give the same answer,
//! bit for bit.
//!
//! # Theory
//!
//! A [`SweptBox`] says that a body's bounds move linearly along each axis, from those at the start
//! of a step to those at its end. The caller, which knows the motion, makes the bounds wide enough:
//! between the two ends a point leaves its chord by at most an eighth of its acceleration times the
//! square of the step. Two such boxes meet if there is a time at which their intervals have a point
//! in common on all three axes. On each axis these times form one interval with quotients of
//! differences as its ends. So their intersection is one interval as well.
//!
//! # Practice
//!
//! A [`BroadPhase`] lists, in order, exactly the pairs for which [`SweptBox::meets`] is true.
//! Implementations differ in cost only. Whatever state one keeps between calls is a cache of
//! earlier results. A clone, a new instance, or one that has answered other queries in between
//! gives the same result. Metres, one frame, `f64`. No clock, no threads, no panics. A box with a
//! number that is not finite meets everything.

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
    /// All of space: overlaps every box.
    pub const EVERYWHERE: Self = Self {
        low: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
        high: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
    };

    /// The empty box, from which [`Aabb::union`] starts.
    pub const NOWHERE: Self = Self {
        low: Vec3::new(f64::INFINITY, f64::INFINITY, f64::INFINITY),
        high: Vec3::new(f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY),
    };

    /// Returns the cube with this centre and half width, m: the bounds of a ball of that radius.
    #[must_use]
    pub fn about(centre: &Vec3, reach_m: f64) -> Self {
        let reach = Vec3::repeat(reach_m);
        Self {
            low: centre - reach,
            high: centre + reach,
        }
    }

    /// Returns the box made wider by this much on every side, m.
    #[must_use]
    pub fn widened(&self, by_m: f64) -> Self {
        let by = Vec3::repeat(by_m);
        Self {
            low: self.low - by,
            high: self.high + by,
        }
    }

    /// Returns the smallest box that holds both.
    #[must_use]
    pub fn union(&self, other: &Self) -> Self {
        Self {
            low: self.low.inf(&other.low),
            high: self.high.sup(&other.high),
        }
    }

    /// Returns whether two boxes have a point in common.
    #[must_use]
    pub fn overlaps(&self, other: &Self) -> bool {
        (0..3).all(|i| self.low[i] <= other.high[i] && other.low[i] <= self.high[i])
    }
}

/// Coordinates beyond this count as unbounded, m. Sums and squares of smaller ones are finite.
pub const MAX_COORDINATE_M: f64 = 1e100;

/// How far the times of an overlap are moved outwards, as a share of the step: twice their rounding
/// error.
const ROUNDING: f64 = 4.0 * f64::EPSILON;

/// How far a swept box extends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Empty at the start or at the end: meets nothing.
    Nowhere,
    /// Finite, as its numbers say.
    Bounded,
    /// A number is not finite, or is beyond [`MAX_COORDINATE_M`]: meets every box that is not
    /// empty.
    Everywhere,
}

/// A box with bounds that move linearly from `start` to `end` over a step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SweptBox {
    /// Bounds at the start of the step.
    pub start: Aabb,
    /// Bounds at the end of the step.
    pub end: Aabb,
}

impl SweptBox {
    /// Meets every box that is not empty.
    pub const EVERYWHERE: Self = Self::still(Aabb::EVERYWHERE);

    /// Meets nothing.
    pub const NOWHERE: Self = Self::still(Aabb::NOWHERE);

    /// Returns the swept box of a body that stays where it is.
    #[must_use]
    pub const fn still(at: Aabb) -> Self {
        Self { start: at, end: at }
    }

    /// Returns the motion from one box to another, both widened by a margin, m.
    #[must_use]
    pub fn between(start: &Aabb, end: &Aabb, margin_m: f64) -> Self {
        Self {
            start: start.widened(margin_m),
            end: end.widened(margin_m),
        }
    }

    /// Returns how far the box extends.
    #[must_use]
    pub fn extent(&self) -> Extent {
        let ends = [&self.start, &self.end];
        if ends.iter().any(|b| (0..3).any(|i| b.low[i] > b.high[i])) {
            return Extent::Nowhere;
        }
        let near = |v: &Vec3| v.iter().all(|x| x.abs() <= MAX_COORDINATE_M);
        if ends.iter().all(|b| near(&b.low) && near(&b.high)) {
            Extent::Bounded
        } else {
            Extent::Everywhere
        }
    }

    /// Returns the smallest box that holds it during the whole step.
    #[must_use]
    pub fn hull(&self) -> Aabb {
        self.start.union(&self.end)
    }

    /// Returns whether there is a time of the step at which two boxes have a point in common.
    ///
    /// The bounds are taken as exact; times are rounded so that no meeting is missed. Symmetric.
    #[must_use]
    pub fn meets(&self, other: &Self) -> bool {
        match (self.extent(), other.extent()) {
            (Extent::Nowhere, _) | (_, Extent::Nowhere) => false,
            (Extent::Bounded, Extent::Bounded) => self.meets_bounded(other),
            _ => true,
        }
    }

    /// Same as [`SweptBox::meets`], for two boxes that are both known to be [`Extent::Bounded`].
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

/// Work that a broad phase has done since it was made. Counters never fall, not even when it starts
/// over; a clone continues them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BroadWork {
    /// Number of searches.
    pub searches: u64,
    /// Boxes of all searches together.
    pub boxes: u64,
    /// Pairs listed by all searches together.
    pub pairs: u64,
    /// Work spent on the state kept between searches.
    pub upkeep: Upkeep,
}

impl BroadWork {
    /// Counts one search.
    pub fn search(&mut self, boxes: usize, pairs: usize) {
        self.searches += 1;
        self.boxes += boxes as u64;
        self.pairs += pairs as u64;
    }
}

/// Cost of keeping the state between searches up to date.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Upkeep {
    /// A sorted order along one axis.
    Order {
        /// Exchanges of neighbours in the order.
        exchanges: u64,
        /// Times that it was sorted from scratch, because too much had changed.
        sorts: u64,
    },
    /// A kinetic structure: the orders of all bounds on three axes, and the pairs.
    ///
    /// Its four measures: compactness is `certificates`. Efficiency compares `exchanges`, which
    /// change bookkeeping, with `events`, which change the list. Locality: a box takes part in
    /// twelve certificates, two for each bound. Responsiveness: an exchange changes three. The
    /// latter two are constant.
    Kinetic {
        /// Certificates that hold now, each saying that two neighbouring bounds are in order.
        /// Counts every slot of the capacity, taken or not.
        certificates: u64,
        /// Exchanges of neighbours.
        exchanges: u64,
        /// Pairs that began or ceased to overlap.
        events: u64,
        /// Searches in which so many bounds passed each other that everything was sorted again.
        sorts: u64,
    },
    /// One point for each box, in the cells of a map.
    Registration {
        /// Points that had moved since the previous search.
        moved: u64,
        /// Moved points that ended in another cell.
        changed_cell: u64,
        /// Boxes that were compared with all others, because they are too large for the cells or
        /// outside of them.
        large: u64,
        /// Maps that were built.
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
    /// Returns the name by which the configuration selects it.
    fn name(&self) -> &'static str;

    /// Fills `pairs` with every pair `(i, j)`, `i < j`, of boxes that meet ([`SweptBox::meets`]).
    ///
    /// `pairs` is cleared first; each pair appears once, sorted, and there are no others. Allocates
    /// only when there are more boxes or pairs than ever before, or when they are where none has
    /// been before. There is no bound in advance: the pairs may be as many as the square of the
    /// boxes.
    fn overlapping(&mut self, boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>);

    /// Returns the work done so far. Reads counters: no allocation, no lock.
    fn work(&self) -> BroadWork;

    /// Clones it into a box.
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

/// Appends the pairs that the unbounded boxes `wide` (indices in rising order) form with every box
/// that is not empty.
///
/// For implementations of [`BroadPhase`], which need not search for those pairs. Not in order.
pub fn pairs_of_unbounded(wide: &[u32], boxes: &[SweptBox], pairs: &mut Vec<(u32, u32)>) {
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
