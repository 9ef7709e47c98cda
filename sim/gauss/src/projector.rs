//! One projection: rows to kinetic coordinates, the active set, the motion back; and the memory
//! between calls.
//!
//! Guarantees: no allocation, no panic, no lock. At most
//! [`iteration_limit`](crate::iteration_limit) changes of the active set, each of a few hundred
//! operations plus one pass over the rows. Deterministic.

use nalgebra::Vector6;

use crate::active_set::{Search, UnitRow};
use crate::outcome::{Active, Status};
use crate::{MAX_ACTIVE, Metric, Motion, Row};

/// Smallest cosine at which a row of this problem counts as the continuation of a remembered active
/// row.
const WARM_COSINE: f64 = 0.9;

/// Result of a projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The motion, in the unit of the wanted one. Unique when the status is [`Status::Optimal`].
    pub motion: Motion,
    /// How far the motion can be relied on.
    pub status: Status,
    /// Number of changes of the active set that were tried.
    pub iterations: u32,
    /// Largest shortfall `bound - n . (v + om x arm)` over the rows, in the motion's unit; 0 when
    /// no row is violated.
    ///
    /// Measured against the clamped bounds if `relaxed`.
    pub violation: f64,
    /// Whether the bounds were clamped to at most zero because they could not all be met
    /// ([`Projector::project_or_hold`]).
    pub relaxed: bool,
    active: [Active; MAX_ACTIVE],
    active_len: usize,
}

impl Projection {
    /// The rows that carry force (at most [`MAX_ACTIVE`]), in the order in which they were added.
    /// Multipliers need not be unique.
    #[must_use]
    pub fn active(&self) -> &[Active] {
        &self.active[..self.active_len]
    }

    /// Multiplier of row `row`; zero for a row that carries no force.
    #[must_use]
    pub fn multiplier(&self, row: usize) -> f64 {
        self.active()
            .iter()
            .find(|active| active.row == row)
            .map_or(0.0, |active| active.multiplier)
    }

    /// Keeps the multipliers of this projection and takes the motion and the outcome of another.
    pub(crate) fn with_motion(mut self, other: &Self) -> Self {
        self.motion = other.motion;
        self.status = other.status;
        self.violation = other.violation;
        self.relaxed |= other.relaxed;
        self.iterations += other.iterations;
        self
    }

    /// Converts the result of a motion that was sought relative to `base`.
    pub(crate) fn shifted(mut self, base: &Motion, relaxed: bool) -> Self {
        if self.status != Status::Rejected {
            self.motion += base;
        }
        self.relaxed |= relaxed;
        self
    }

    fn still(status: Status) -> Self {
        Self {
            motion: Motion::zeros(),
            status,
            iterations: 0,
            violation: 0.0,
            relaxed: false,
            active: [Active::NONE; MAX_ACTIVE],
            active_len: 0,
        }
    }
}

/// Solver for problems of at most `N` rows, with its memory and the active rows of the previous
/// call (the warm start).
///
/// The warm start only decides which violated rows are tried first. It never changes the motion
/// beyond rounding. One projector per body and thread; a call needs `&mut`.
#[derive(Clone, Debug)]
pub struct Projector<const N: usize> {
    rows: [UnitRow; N],
    warm: [Vector6<f64>; MAX_ACTIVE],
    warm_len: usize,
}

impl<const N: usize> Default for Projector<N> {
    fn default() -> Self {
        Self::new()
    }
}

impl<const N: usize> Projector<N> {
    /// A projector without memory of an earlier problem. Fixed size, about 72 `N` bytes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            rows: [UnitRow {
                direction: Vector6::zeros(),
                bound: 0.0,
                length: 0.0,
                eased: 0.0,
            }; N],
            warm: [Vector6::zeros(); MAX_ACTIVE],
            warm_len: 0,
        }
    }

    /// Forgets the previous problem: the next call behaves like the first one.
    pub fn forget(&mut self) {
        self.warm_len = 0;
    }

    /// Returns the motion nearest to `wanted` in the kinetic metric among those that satisfy all
    /// `rows`.
    ///
    /// `wanted` and the result are in world axes about the reference point. Check
    /// [`Projection::status`]: any value other than [`Status::Optimal`] means that the returned
    /// motion is only an intention. Source: Redon 2002, equations 5.20 to 5.28.
    pub fn project(&mut self, metric: &Metric, wanted: &Motion, rows: &[Row]) -> Projection {
        self.solve(metric, wanted, rows, false)
    }

    /// As [`Self::project`], but if the rows cannot all be met, projects again with every bound
    /// clamped to at most zero.
    ///
    /// Standing still satisfies the clamped rows, so the second problem has a solution. If it is
    /// not found within the work bound ([`Status::IterationLimit`]), the motion is zero, which
    /// satisfies them. With [`Projection::relaxed`] set, the motion satisfies the clamped rows;
    /// rows that requested separation may not get it. Never [`Status::Infeasible`].
    pub fn project_or_hold(
        &mut self,
        metric: &Metric,
        wanted: &Motion,
        rows: &[Row],
    ) -> Projection {
        let first = self.solve(metric, wanted, rows, false);
        if matches!(first.status, Status::Optimal | Status::Rejected) {
            return first;
        }
        let mut second = self.solve(metric, wanted, rows, true);
        if matches!(second.status, Status::Infeasible | Status::IterationLimit) {
            let iterations = second.iterations;
            second = Projection::still(Status::IterationLimit);
            second.iterations = iterations;
            self.forget();
        }
        second.relaxed = true;
        second.iterations += first.iterations;
        second
    }

    fn solve(&mut self, metric: &Metric, wanted: &Motion, rows: &[Row], clamp: bool) -> Projection {
        let start = metric.to_kinetic(wanted);
        let count = rows.len();
        if count > N || !start.norm().is_finite() || !self.load(metric, rows, clamp) {
            self.forget();
            return Projection::still(Status::Rejected);
        }
        let mut warm = [usize::MAX; MAX_ACTIVE];
        let warm_len = self.match_warm(count, &mut warm);
        let mut search = Search::new(&mut self.rows[..count], &warm[..warm_len], start);
        let status = search.solve();
        let motion = metric.from_kinetic(&search.point);
        let (point, active, len, iterations) =
            (search.point, search.active, search.len, search.iterations);
        if !(motion.iter().all(|x| x.is_finite()) && point.norm().is_finite()) {
            self.forget();
            return Projection::still(Status::Rejected);
        }
        let mut result = Projection::still(status);
        result.motion = motion;
        result.iterations = iterations;
        result.active_len = len;
        for (slot, entry) in result.active.iter_mut().zip(&active[..len]) {
            *slot = Active {
                row: entry.row,
                multiplier: entry.multiplier / self.rows[entry.row].length,
            };
        }
        for row in &self.rows[..count] {
            let shortfall = row.bound + row.eased - row.direction.dot(&point);
            result.violation = result.violation.max(shortfall * row.length);
        }
        self.warm_len = len;
        for (slot, entry) in self.warm.iter_mut().zip(&active[..len]) {
            *slot = self.rows[entry.row].direction;
        }
        result
    }

    /// Converts the rows to kinetic coordinates; returns false when a number is not finite.
    fn load(&mut self, metric: &Metric, rows: &[Row], clamp: bool) -> bool {
        for (i, row) in rows.iter().enumerate() {
            let covector = metric.covector_to_kinetic(&row.covector());
            let length = covector.norm();
            let bound = if clamp { row.bound.min(0.0) } else { row.bound };
            if !(length.is_finite() && row.bound.is_finite()) {
                return false;
            }
            // A zero row keeps its bound unchanged: 0 >= bound.
            let unit = if length > f64::MIN_POSITIVE {
                UnitRow {
                    direction: covector / length,
                    bound: bound / length,
                    length,
                    eased: 0.0,
                }
            } else {
                UnitRow {
                    direction: Vector6::zeros(),
                    bound,
                    length: 1.0,
                    eased: 0.0,
                }
            };
            if !unit.bound.is_finite() {
                return false;
            }
            self.rows[i] = unit;
        }
        true
    }

    /// Finds, for each remembered row, the most parallel row of this problem.
    fn match_warm(&self, count: usize, found: &mut [usize; MAX_ACTIVE]) -> usize {
        let mut len = 0;
        for old in &self.warm[..self.warm_len] {
            let mut best = (WARM_COSINE, usize::MAX);
            for (i, row) in self.rows[..count].iter().enumerate() {
                let cosine = row.direction.dot(old);
                if cosine > best.0 && !found[..len].contains(&i) {
                    best = (cosine, i);
                }
            }
            if best.1 != usize::MAX {
                found[len] = best.1;
                len += 1;
            }
        }
        len
    }
}
