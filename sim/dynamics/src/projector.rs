//! Nearest admissible motion by an active set in motion space (Wilhelmsen's scheme, Redon 2002, section 5.5).
//!
//! Guarantees: no allocation, no panic, no lock; at most [`iteration_limit`] changes of the active set, each of a few hundred
//! operations plus one pass over the rows; deterministic. In kinetic coordinates (`y = Q x`, unit rows) the wanted point moves
//! along the multiplier line of the constraint being added; a row whose multiplier would turn negative is dropped on the way. A row
//! that depends on the active ones moves multipliers only (the singular block); when nothing blocks it, the set is empty.

use nalgebra::Vector6;

use crate::basis::Basis;
use crate::{MAX_ACTIVE, Metric, Motion, Row};

/// Violation, relative to a row's scale, below which a row counts as satisfied.
const TOLERANCE: f64 = 1e-11;
/// The same for rows that contradict the active ones: below it the contradiction is rounding, not infeasibility.
const TOLERANCE_DEGENERATE: f64 = 1e-8;
/// Length of the part of a unit row outside the span of the active rows, below which it counts as dependent.
const DEPENDENT: f64 = 1e-9;
/// Least cosine between a remembered active row and a row of this problem taken for its continuation.
const WARM_COSINE: f64 = 0.9;

/// What became of a projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// The motion is the nearest admissible one; every row holds within 1e-8 of its scale (1e-11 but for nearly dependent rows).
    Optimal,
    /// No motion satisfies all rows. The motion is optimal for the active rows alone: an intention, not an admissible motion.
    Infeasible,
    /// The work bound was reached. The motion is optimal for the active rows alone: an intention, not an admissible motion.
    IterationLimit,
    /// A number was not finite, or there were more rows than the projector's capacity. The motion is zero.
    Rejected,
}

/// One row that carries force.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Active {
    /// Index of the row in the problem.
    pub row: usize,
    /// Multiplier, never negative, for the row as given: `M (x - wanted) = sum_i multiplier_i covector_i`.
    ///
    /// For a motion that is a displacement (m) and a unit normal: kg m, a force times the square of the time step.
    pub multiplier: f64,
}

/// Result of a projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Projection {
    /// The motion, in the unit of the wanted one. Unique when the status is [`Status::Optimal`].
    pub motion: Motion,
    /// What the motion is worth.
    pub status: Status,
    /// Changes of the active set that were tried.
    pub iterations: u32,
    /// Largest shortfall `bound - n . (v + om x arm)` over the rows, 0 when none is violated, in the motion's unit.
    ///
    /// Against the clamped bounds when `relaxed`.
    pub violation: f64,
    /// The bounds were clamped to at most zero because they could not all be met ([`Projector::project_or_hold`]).
    pub relaxed: bool,
    active: [Active; MAX_ACTIVE],
    active_len: usize,
}

impl Projection {
    /// The rows that carry force (at most [`MAX_ACTIVE`]), in the order they were added; multipliers need not be unique.
    #[must_use]
    pub fn active(&self) -> &[Active] {
        &self.active[..self.active_len]
    }

    /// Multiplier of row `row`: zero for a row that carries no force.
    #[must_use]
    pub fn multiplier(&self, row: usize) -> f64 {
        self.active()
            .iter()
            .find(|active| active.row == row)
            .map_or(0.0, |active| active.multiplier)
    }

    fn still(status: Status) -> Self {
        Self {
            motion: Motion::zeros(),
            status,
            iterations: 0,
            violation: 0.0,
            relaxed: false,
            active: [NONE; MAX_ACTIVE],
            active_len: 0,
        }
    }
}

const NONE: Active = Active {
    row: 0,
    multiplier: 0.0,
};

/// Most changes of the active set tried on a problem of `rows` rows.
#[must_use]
pub const fn iteration_limit(rows: usize) -> u32 {
    (8 * rows + 64) as u32
}

/// A row in kinetic coordinates: `direction . y >= bound`, `|direction| = 1`; `length` brings it back to the row's unit.
#[derive(Clone, Copy, Debug)]
struct UnitRow {
    direction: Vector6<f64>,
    bound: f64,
    length: f64,
    /// By how much the bound was lowered to absorb rounding of nearly dependent rows.
    eased: f64,
}

/// Solver for problems of at most `N` rows, with its memory and the active rows of the previous call (the warm start).
///
/// The memory of the last call only decides which violated rows are tried first: it never changes the motion beyond rounding. One
/// projector per body and thread; a call needs `&mut`.
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

    /// Forgets the previous problem: the next call behaves as the first one does.
    pub fn forget(&mut self) {
        self.warm_len = 0;
    }

    /// The motion nearest to `wanted` in the kinetic metric among those that satisfy all `rows`.
    ///
    /// `wanted` and the result are in world axes about the reference point. Read [`Projection::status`]: anything else than
    /// [`Status::Optimal`] means that the returned motion is only an intention. Source: Redon 2002, equations 5.20 to 5.28.
    pub fn project(&mut self, metric: &Metric, wanted: &Motion, rows: &[Row]) -> Projection {
        self.solve(metric, wanted, rows, false)
    }

    /// Like [`Self::project`], but when the rows cannot all be met, projects again with every bound clamped to at most zero.
    ///
    /// Standing still satisfies the clamped rows, so the second problem has a solution; if it is not found within the work bound
    /// ([`Status::IterationLimit`]) the motion is zero, which satisfies them. With [`Projection::relaxed`] set the motion satisfies the
    /// clamped rows, and rows that asked for separation may not get it. Never [`Status::Infeasible`].
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
        if count > N || !start.iter().all(|x| x.is_finite()) || !self.load(metric, rows, clamp) {
            self.forget();
            return Projection::still(Status::Rejected);
        }
        let mut warm = [usize::MAX; MAX_ACTIVE];
        let warm_len = self.match_warm(count, &mut warm);
        let mut search = Search {
            rows: &mut self.rows[..count],
            warm: &warm[..warm_len],
            start,
            start_norm: start.norm(),
            point: start,
            basis: Basis::new(),
            active: [NONE; MAX_ACTIVE],
            len: 0,
            iterations: 0,
        };
        let status = search.run();
        let motion = metric.from_kinetic(&search.point);
        let (point, active, len, iterations) =
            (search.point, search.active, search.len, search.iterations);
        if !motion.iter().all(|x| x.is_finite()) {
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

    /// Copies the rows into kinetic coordinates; false when a number is not finite.
    fn load(&mut self, metric: &Metric, rows: &[Row], clamp: bool) -> bool {
        for (i, row) in rows.iter().enumerate() {
            let covector = metric.covector_to_kinetic(&row.covector());
            let length = covector.norm();
            let bound = if clamp { row.bound.min(0.0) } else { row.bound };
            if !(length.is_finite() && row.bound.is_finite()) {
                return false;
            }
            // A row without direction keeps its bound as it is: 0 >= bound.
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

/// One run of the active set.
struct Search<'a> {
    rows: &'a mut [UnitRow],
    warm: &'a [usize],
    start: Vector6<f64>,
    start_norm: f64,
    point: Vector6<f64>,
    basis: Basis,
    active: [Active; MAX_ACTIVE],
    len: usize,
    iterations: u32,
}

/// How adding one row ended.
enum Step {
    Added,
    Eased,
    Contradiction,
    OutOfWork,
}

impl Search<'_> {
    fn run(&mut self) -> Status {
        while let Some(row) = self.most_violated() {
            match self.add(row) {
                Step::Added | Step::Eased => {}
                Step::Contradiction => return Status::Infeasible,
                Step::OutOfWork => return Status::IterationLimit,
            }
        }
        Status::Optimal
    }

    fn violation(&self, row: usize) -> f64 {
        self.rows[row].bound - self.rows[row].direction.dot(&self.point)
    }

    /// What rounding and tolerance are measured against for this row.
    fn scale(&self, row: usize, point_norm: f64) -> f64 {
        self.rows[row].bound.abs() + self.start_norm + point_norm
    }

    /// A violated row of the warm start, else the most violated row; ties go to the lowest index.
    fn most_violated(&self) -> Option<usize> {
        let norm = self.point.norm();
        let eligible = |i: usize| !self.active[..self.len].iter().any(|active| active.row == i);
        let excess = |i: usize| self.violation(i) - TOLERANCE * self.scale(i, norm);
        if let Some(&row) = self.warm.iter().find(|&&i| eligible(i) && excess(i) > 0.0) {
            return Some(row);
        }
        let mut worst = None;
        let mut most = 0.0;
        for i in 0..self.rows.len() {
            let e = excess(i);
            if e > most && eligible(i) {
                most = e;
                worst = Some(i);
            }
        }
        worst
    }

    /// Makes row `row` hold, dropping active rows that block; the dual objective never decreases.
    fn add(&mut self, row: usize) -> Step {
        let direction = self.rows[row].direction;
        let mut multiplier = 0.0;
        loop {
            if self.iterations >= iteration_limit(self.rows.len()) {
                return Step::OutOfWork;
            }
            self.iterations += 1;
            let split = self.basis.split(&direction);
            let ratios = self.basis.solve(&split.coefficients);
            let outside = split.residual.norm();
            let independent = outside > DEPENDENT && !self.basis.is_full();

            let mut blocking = None;
            let mut partial = f64::INFINITY;
            let noise = if independent { f64::EPSILON } else { DEPENDENT } * ratios.amax().max(1.0);
            for (i, active) in self.active[..self.len].iter().enumerate() {
                if ratios[i] > noise && active.multiplier / ratios[i] < partial {
                    partial = active.multiplier / ratios[i];
                    blocking = Some(i);
                }
            }
            let full = if independent {
                self.violation(row).max(0.0) / (outside * outside)
            } else {
                f64::INFINITY
            };

            if independent && full <= partial {
                self.basis.push(&direction, &split);
                self.active[self.len] = Active {
                    row,
                    multiplier: multiplier + full,
                };
                self.len += 1;
                self.settle();
                return Step::Added;
            }
            let Some(blocking) = blocking else {
                return self.contradiction(row, multiplier, &ratios);
            };
            multiplier += partial;
            for i in 0..self.len {
                let left = self.active[i].multiplier - partial * ratios[i];
                self.active[i].multiplier = left.max(0.0);
            }
            if independent {
                self.point += split.residual * partial;
            }
            self.drop_active(blocking);
        }
    }

    /// Nothing can give way: either the rows contradict each other, or the violation is rounding and the bound is eased by it.
    ///
    /// `ratios` are the coefficients of the row on the active ones, none positive beyond noise; `multiplier` is what the row has
    /// taken over from rows dropped on the way. That share goes back to the active rows, or replaces the first one it empties.
    fn contradiction(&mut self, row: usize, multiplier: f64, ratios: &Vector6<f64>) -> Step {
        let short = self.violation(row).max(0.0);
        let eased = self.rows[row].eased + short;
        if eased > TOLERANCE_DEGENERATE * self.scale(row, self.point.norm()) {
            return Step::Contradiction;
        }
        self.rows[row].eased = eased;
        self.rows[row].bound -= short;
        let mut emptied = None;
        let mut share = multiplier;
        for (i, active) in self.active[..self.len].iter().enumerate() {
            if ratios[i] < 0.0 && active.multiplier / -ratios[i] < share {
                share = active.multiplier / -ratios[i];
                emptied = Some(i);
            }
        }
        if let Some(index) = emptied {
            self.drop_active(index);
            let direction = self.rows[row].direction;
            let split = self.basis.split(&direction);
            if split.residual.norm() > DEPENDENT {
                self.basis.push(&direction, &split);
                self.active[self.len] = Active {
                    row,
                    multiplier: 0.0,
                };
                self.len += 1;
            }
        }
        self.settle();
        Step::Eased
    }

    fn drop_active(&mut self, index: usize) {
        self.basis.remove(index);
        self.active.copy_within(index + 1..self.len, index);
        self.len -= 1;
    }

    /// Recomputes point and multipliers from the active rows alone, so that no error accumulates.
    fn settle(&mut self) {
        let mut gap = Vector6::zeros();
        for (i, active) in self.active[..self.len].iter().enumerate() {
            let row = &self.rows[active.row];
            gap[i] = row.bound - row.direction.dot(&self.start);
        }
        let along = self.basis.solve_transposed(&gap);
        let multipliers = self.basis.solve(&along);
        self.point = self.start + self.basis.combine(&along);
        for (i, active) in self.active[..self.len].iter_mut().enumerate() {
            active.multiplier = multipliers[i].max(0.0);
        }
    }
}
