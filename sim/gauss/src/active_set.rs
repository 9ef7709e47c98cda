//! Nearest point of a polyhedron by an active set in motion space (Wilhelmsen's scheme, Redon 2002,
//! section 5.5).
//!
//! In kinetic coordinates (`y = Q x`, rows of unit length), the wanted point moves along the
//! multiplier line of the row being added. A row with a multiplier that would turn negative on that
//! line is dropped. A row that depends on the active ones moves multipliers only (the singular
//! block); when nothing blocks it, the rows contradict each other. No allocation, bounded work,
//! deterministic, no panic.

use nalgebra::Vector6;

use crate::MAX_ACTIVE;
use crate::basis::Basis;
use crate::outcome::{Active, Status};

/// Tolerances of one pass of the active set. All lengths are of unit rows; all violations are
/// relative to a row's scale.
#[derive(Clone, Copy)]
pub(crate) struct Tolerances {
    /// Violation below which a row counts as satisfied.
    pub satisfied: f64,
    /// A row counts as dependent if its part outside the span of the active rows is shorter than
    /// this.
    pub dependent: f64,
    /// Violation below which a contradiction counts as rounding: the bound of the row is then
    /// eased.
    pub eased: f64,
    /// Error of the sum of the multipliers, relative to the kinetic size of the problem, that
    /// counts as rounding.
    pub stationary: f64,
}

/// The passes, tried in turn. The first settles everything except nearly dependent rows:
/// it cannot resolve their multipliers.
pub(crate) const PASSES: [Tolerances; 4] = [
    Tolerances {
        satisfied: 1e-11,
        dependent: 1e-9,
        eased: 1e-8,
        stationary: 1e-9,
    },
    Tolerances {
        satisfied: 1e-10,
        dependent: 1e-8,
        eased: 1e-7,
        stationary: 1e-7,
    },
    Tolerances {
        satisfied: 1e-9,
        dependent: 1e-6,
        eased: 1e-5,
        stationary: 1e-6,
    },
    Tolerances {
        satisfied: 1e-6,
        dependent: 1e-4,
        eased: 1e-4,
        stationary: 1e-5,
    },
];

/// A contradiction smaller than this, relative to the row's scale, is checked again by a coarser
/// pass.
const DOUBTFUL: f64 = 1e-2;
/// Maximum number of changes of the active set tried on a problem of `rows` rows.
#[must_use]
pub const fn iteration_limit(rows: usize) -> u32 {
    (8 * rows + 64) as u32
}

/// A row in kinetic coordinates: `direction . y >= bound`, `|direction| = 1`. `length` converts
/// back to the row's unit.
#[derive(Clone, Copy, Debug)]
pub(crate) struct UnitRow {
    pub direction: Vector6<f64>,
    pub bound: f64,
    pub length: f64,
    /// Amount by which the bound was lowered to absorb rounding of nearly dependent rows.
    pub eased: f64,
}

/// One run of the active set.
pub(crate) struct Search<'a> {
    rows: &'a mut [UnitRow],
    warm: &'a [usize],
    start: Vector6<f64>,
    start_norm: f64,
    tolerances: Tolerances,
    iteration_limit: u32,
    /// Relative violation by which the rows contradict each other.
    contradiction: f64,
    pub point: Vector6<f64>,
    basis: Basis,
    pub active: [Active; MAX_ACTIVE],
    pub len: usize,
    pub iterations: u32,
}

/// Outcome of adding one row.
enum Step {
    /// The row holds, exactly or eased.
    Settled,
    /// The rows exclude each other.
    Contradiction,
    /// The active rows are too close to dependent for these tolerances.
    Breakdown,
    OutOfWork,
}

impl<'a> Search<'a> {
    /// Sets up the search from the point `start`; `warm` are the rows to try first.
    pub fn new(rows: &'a mut [UnitRow], warm: &'a [usize], start: Vector6<f64>) -> Self {
        Self {
            rows,
            warm,
            start,
            start_norm: start.norm(),
            tolerances: PASSES[0],
            iteration_limit: 0,
            contradiction: 0.0,
            point: start,
            basis: Basis::new(),
            active: [Active::NONE; MAX_ACTIVE],
            len: 0,
            iterations: 0,
        }
    }

    /// Runs the passes until one is conclusive.
    pub fn solve(&mut self) -> Status {
        let mut status = Status::IterationLimit;
        for tolerances in PASSES {
            self.start_pass(tolerances);
            status = self.run();
            if !self.is_doubtful(status) {
                break;
            }
        }
        status
    }
}

impl Search<'_> {
    /// Runs one pass. Leaves the solution, or the last point that was optimal for a subset of the
    /// rows.
    fn run(&mut self) -> Status {
        while let Some(row) = self.most_violated() {
            let (point, active, len) = (self.point, self.active, self.len);
            let status = match self.add(row) {
                Step::Settled => continue,
                Step::Contradiction => Status::Infeasible,
                Step::Breakdown | Step::OutOfWork => Status::IterationLimit,
            };
            (self.point, self.active, self.len) = (point, active, len);
            return status;
        }
        Status::Optimal
    }

    /// Whether a coarser pass may do better: no result, or a contradiction small enough to be
    /// rounding.
    fn is_doubtful(&self, status: Status) -> bool {
        match status {
            Status::IterationLimit => true,
            Status::Infeasible => self.contradiction <= DOUBTFUL,
            Status::Optimal | Status::Rejected => false,
        }
    }

    fn start_pass(&mut self, tolerances: Tolerances) {
        for row in self.rows.iter_mut() {
            row.bound += row.eased;
            row.eased = 0.0;
        }
        self.tolerances = tolerances;
        self.iteration_limit =
            self.iterations + iteration_limit(self.rows.len()) / PASSES.len() as u32;
        self.point = self.start;
        self.basis = Basis::new();
        self.len = 0;
    }

    fn violation(&self, row: usize) -> f64 {
        self.rows[row].bound - self.rows[row].direction.dot(&self.point)
    }

    /// Reference size for rounding and tolerances of this row.
    fn scale(&self, row: usize, point_norm: f64) -> f64 {
        self.rows[row].bound.abs() + self.start_norm + point_norm
    }

    /// Returns a violated row of the warm start, otherwise the most violated row; ties go to the
    /// lowest index.
    fn most_violated(&self) -> Option<usize> {
        let norm = self.point.norm();
        let eligible = |i: usize| !self.active[..self.len].iter().any(|active| active.row == i);
        let excess = |i: usize| self.violation(i) - self.tolerances.satisfied * self.scale(i, norm);
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

    /// Makes row `row` hold, dropping active rows that block. The dual objective never decreases.
    fn add(&mut self, row: usize) -> Step {
        let direction = self.rows[row].direction;
        let mut multiplier = 0.0;
        loop {
            if self.iterations >= self.iteration_limit {
                return Step::OutOfWork;
            }
            self.iterations += 1;
            let split = self.basis.split(&direction);
            let ratios = self.basis.solve(&split.coefficients);
            let outside = split.residual.norm();
            let independent = outside > self.tolerances.dependent && !self.basis.is_full();

            let mut blocking = None;
            let mut partial = f64::INFINITY;
            let noise = if independent {
                f64::EPSILON
            } else {
                self.tolerances.dependent
            } * ratios.amax().max(1.0);
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
                return self.settle();
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

    /// Handles a row that nothing can give way to: either the rows contradict each other, or the
    /// violation is rounding and the bound is eased by it.
    ///
    /// `ratios` are the coefficients of the row on the active ones, none positive beyond noise.
    /// `multiplier` is the share that the row has taken over from rows dropped before. That share
    /// goes back to the active rows, or the row replaces the first one that it empties.
    fn contradiction(&mut self, row: usize, multiplier: f64, ratios: &Vector6<f64>) -> Step {
        let short = self.violation(row).max(0.0);
        let eased = self.rows[row].eased + short;
        let scale = self.scale(row, self.point.norm());
        if eased > self.tolerances.eased * scale {
            self.contradiction = short / scale;
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
            if split.residual.norm() > self.tolerances.dependent {
                self.basis.push(&direction, &split);
                self.active[self.len] = Active {
                    row,
                    multiplier: 0.0,
                };
                self.len += 1;
            }
        }
        self.settle()
    }

    fn drop_active(&mut self, index: usize) {
        self.basis.remove(index);
        self.active.copy_within(index + 1..self.len, index);
        self.len -= 1;
    }

    /// Recomputes the point and the multipliers from the active rows alone, so that no error
    /// accumulates.
    ///
    /// Drops rows with a multiplier that is negative beyond rounding, the worst first.
    fn settle(&mut self) -> Step {
        loop {
            let mut gap = Vector6::zeros();
            for (i, active) in self.active[..self.len].iter().enumerate() {
                let row = &self.rows[active.row];
                gap[i] = row.bound - row.direction.dot(&self.start);
            }
            let along = self.basis.solve_transposed(&gap);
            let multipliers = self.basis.solve(&along);
            self.point = self.start + self.basis.combine(&along);
            let mut rounding = 0.0;
            let mut least = (0.0, None);
            for (i, active) in self.active[..self.len].iter_mut().enumerate() {
                let multiplier = multipliers[i];
                rounding += f64::EPSILON * multiplier.abs();
                if multiplier < least.0 {
                    least = (multiplier, Some(i));
                }
                active.multiplier = multiplier.max(0.0);
            }
            // The rows are unit vectors: errors of the multipliers shift their sum by at most as
            // much.
            let allowed = self.tolerances.stationary * (self.start_norm + self.point.norm());
            match least {
                (value, Some(index)) if value < -allowed => self.drop_active(index),
                _ if rounding > allowed => return Step::Breakdown,
                _ => return Step::Settled,
            }
        }
    }
}
