//! Gauss' principle for a group of bodies, exactly: the active set of [`crate::active_set`] in `6
//! n` dimensions.
//!
//! For groups of a few bodies, and as the reference for [`crate::ConeSolver`]. Every row touches at
//! most two bodies and is stored that way (twelve numbers); only the factorisation of the active
//! rows is dense. Work grows with the cube of the degrees of freedom that contacts remove. No
//! allocation after the first problem of the largest size, no panic, deterministic, bounded work.

use crate::active_set::{PASSES, Tolerances, iteration_limit};
use crate::group_basis::GroupBasis;
use crate::outcome::{Active, Status};
use crate::{Metric, Motion, Vec3};

/// One inequality on the motions of one or two bodies: `c_0 . x_i + c_1 . x_j >= bound`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairRow {
    /// Indices of the bodies. `None` for no body, or for one with its motion included in the bound.
    pub bodies: [Option<u32>; 2],
    /// Covectors on the motions of the bodies.
    pub covectors: [Motion; 2],
    /// Smallest admissible value, in the motion's unit.
    pub bound: f64,
}

impl PairRow {
    /// The contact row `normal . (v_i(I) - v_j(I)) >= bound` at a point that is at `arms` from the
    /// reference points of the bodies (Redon 2002, equation 5.8).
    #[must_use]
    pub fn contact(bodies: [Option<u32>; 2], normal: &Vec3, arms: &[Vec3; 2], bound: f64) -> Self {
        let covector = |k: usize, sign: f64| {
            let moment = arms[k].cross(normal);
            Motion::new(normal.x, normal.y, normal.z, moment.x, moment.y, moment.z) * sign
        };
        Self {
            bodies,
            covectors: [covector(0, 1.0), covector(1, -1.0)],
            bound,
        }
    }

    /// Value minus the bound: negative when the row is violated.
    #[must_use]
    pub fn slack(&self, motions: &[Motion]) -> f64 {
        let of = |k: usize| match self.bodies[k].and_then(|i| motions.get(i as usize)) {
            Some(x) => self.covectors[k].dot(x),
            None => 0.0,
        };
        of(0) + of(1) - self.bound
    }
}

/// Result of a group's projection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GroupProjection {
    /// How far the motions can be relied on; see [`Status`].
    pub status: Status,
    /// Number of changes of the active set that were tried.
    pub iterations: u32,
    /// Largest shortfall over the rows, in the rows' units.
    pub violation: f64,
}

/// A row in kinetic coordinates, of unit length.
#[derive(Clone, Copy, Debug)]
struct UnitRow {
    bodies: [u32; 2],
    blocks: [Motion; 2],
    bound: f64,
    length: f64,
    eased: f64,
}

const NO_BODY: u32 = u32::MAX;

impl UnitRow {
    fn dot(&self, y: &[f64]) -> f64 {
        let mut sum = 0.0;
        for k in 0..2 {
            if self.bodies[k] != NO_BODY {
                let at = 6 * self.bodies[k] as usize;
                for (c, y) in self.blocks[k].iter().zip(&y[at..at + 6]) {
                    sum += c * y;
                }
            }
        }
        sum
    }

    fn spread(&self, into: &mut [f64]) {
        into.fill(0.0);
        for k in 0..2 {
            if self.bodies[k] != NO_BODY {
                let at = 6 * self.bodies[k] as usize;
                for (c, y) in self.blocks[k].iter().zip(&mut into[at..at + 6]) {
                    *y += c;
                }
            }
        }
    }
}

/// Solver for groups, with its memory.
#[derive(Clone, Debug, Default)]
pub struct GroupProjector {
    rows: Vec<UnitRow>,
    start: Vec<f64>,
    start_norm: f64,
    point: Vec<f64>,
    kept: Vec<f64>,
    dense: Vec<f64>,
    work: Vec<f64>,
    active: Vec<Active>,
    kept_active: Vec<Active>,
    basis: GroupBasis,
    iterations: u32,
    limit: u32,
    contradiction: f64,
}

enum Step {
    Settled,
    Contradiction,
    Breakdown,
    OutOfWork,
}

/// A contradiction smaller than this, relative to the row's scale, is checked again by a coarser
/// pass.
const DOUBTFUL: f64 = 1e-2;

impl GroupProjector {
    /// Computes the motions nearest to the wanted ones in the kinetic metric of all bodies
    /// together, among those that satisfy all `rows`.
    ///
    /// `motions` holds the wanted motions and receives the result, one per metric, about the
    /// reference points of the metrics. Any status other than [`Status::Optimal`] means that they
    /// are optimal for the active rows only. On [`Status::Rejected`] (a number that is not finite,
    /// a body that does not exist, lists of unequal length) they are zero. Source: Redon 2002,
    /// equations 5.20 to 5.28.
    pub fn project(
        &mut self,
        metrics: &[Metric],
        motions: &mut [Motion],
        rows: &[PairRow],
    ) -> GroupProjection {
        self.active.clear();
        self.iterations = 0;
        if !self.load(metrics, motions, rows) {
            motions.fill(Motion::zeros());
            return GroupProjection {
                status: Status::Rejected,
                iterations: 0,
                violation: 0.0,
            };
        }
        let mut status = Status::IterationLimit;
        for tolerances in PASSES {
            self.start_pass();
            status = self.run(&tolerances);
            let doubtful = match status {
                Status::IterationLimit => true,
                Status::Infeasible => self.contradiction <= DOUBTFUL,
                Status::Optimal | Status::Rejected => false,
            };
            if !doubtful {
                break;
            }
        }
        let mut violation = 0.0_f64;
        for row in &self.rows {
            violation = violation.max((row.bound + row.eased - row.dot(&self.point)) * row.length);
        }
        for (k, metric) in metrics.iter().enumerate() {
            motions[k] =
                metric.from_kinetic(&Motion::from_column_slice(&self.point[6 * k..6 * k + 6]));
        }
        for active in &mut self.active {
            active.multiplier /= self.rows[active.row].length;
        }
        GroupProjection {
            status,
            iterations: self.iterations,
            violation,
        }
    }

    /// The rows that carried force in the last projection; multipliers need not be unique. `M (x -
    /// wanted) = sum multiplier * covector`.
    #[must_use]
    pub fn active(&self) -> &[Active] {
        &self.active
    }

    fn load(&mut self, metrics: &[Metric], wanted: &[Motion], rows: &[PairRow]) -> bool {
        let dimension = 6 * metrics.len();
        if wanted.len() != metrics.len() {
            return false;
        }
        self.start.clear();
        for (metric, x) in metrics.iter().zip(wanted) {
            self.start.extend(metric.to_kinetic(x).iter());
        }
        self.start_norm = self.start.iter().map(|x| x * x).sum::<f64>().sqrt();
        self.point.clone_from(&self.start);
        for list in [&mut self.dense, &mut self.work] {
            list.clear();
            list.resize(dimension.max(1), 0.0);
        }
        self.rows.clear();
        for row in rows {
            let mut unit = UnitRow {
                bodies: [NO_BODY; 2],
                blocks: [Motion::zeros(); 2],
                bound: row.bound,
                length: 1.0,
                eased: 0.0,
            };
            let mut squared = 0.0;
            for k in 0..2 {
                let Some(body) = row.bodies[k] else { continue };
                let Some(metric) = metrics.get(body as usize) else {
                    return false;
                };
                unit.bodies[k] = body;
                unit.blocks[k] = metric.covector_to_kinetic(&row.covectors[k]);
            }
            if unit.bodies[0] == unit.bodies[1] {
                unit.blocks[0] += unit.blocks[1];
                unit.bodies[1] = NO_BODY;
            }
            for k in (0..2).filter(|&k| unit.bodies[k] != NO_BODY) {
                squared += unit.blocks[k].norm_squared();
            }
            let length: f64 = squared.sqrt();
            if !(length.is_finite() && row.bound.is_finite()) {
                return false;
            }
            // A zero row keeps its bound unchanged: 0 >= bound.
            if length > f64::MIN_POSITIVE {
                unit.blocks = unit.blocks.map(|b| b / length);
                unit.bound /= length;
                unit.length = length;
            } else {
                unit.bodies = [NO_BODY; 2];
            }
            if !unit.bound.is_finite() {
                return false;
            }
            self.rows.push(unit);
        }
        self.start_norm.is_finite()
    }

    fn start_pass(&mut self) {
        for row in &mut self.rows {
            row.bound += row.eased;
            row.eased = 0.0;
        }
        self.limit = self.iterations + iteration_limit(self.rows.len() + self.start.len());
        self.point.clone_from(&self.start);
        self.basis.start(self.start.len());
        self.active.clear();
    }

    fn run(&mut self, tolerances: &Tolerances) -> Status {
        while let Some(row) = self.most_violated(tolerances) {
            self.kept.clone_from(&self.point);
            self.kept_active.clone_from(&self.active);
            let status = match self.add(row, tolerances) {
                Step::Settled => continue,
                Step::Contradiction => Status::Infeasible,
                Step::Breakdown | Step::OutOfWork => Status::IterationLimit,
            };
            std::mem::swap(&mut self.point, &mut self.kept);
            std::mem::swap(&mut self.active, &mut self.kept_active);
            return status;
        }
        Status::Optimal
    }

    fn norm(&self) -> f64 {
        self.point.iter().map(|x| x * x).sum::<f64>().sqrt()
    }

    fn violation(&self, row: usize) -> f64 {
        self.rows[row].bound - self.rows[row].dot(&self.point)
    }

    fn scale(&self, row: usize, norm: f64) -> f64 {
        self.rows[row].bound.abs() + self.start_norm + norm
    }

    fn most_violated(&self, tolerances: &Tolerances) -> Option<usize> {
        let norm = self.norm();
        let mut worst = None;
        let mut most = 0.0;
        for i in 0..self.rows.len() {
            let excess = self.violation(i) - tolerances.satisfied * self.scale(i, norm);
            if excess > most && !self.active.iter().any(|a| a.row == i) {
                most = excess;
                worst = Some(i);
            }
        }
        worst
    }

    /// Makes row `row` hold, dropping active rows that block; see the single-body search.
    fn add(&mut self, row: usize, tolerances: &Tolerances) -> Step {
        let mut dense = std::mem::take(&mut self.dense);
        self.rows[row].spread(&mut dense);
        let step = self.add_dense(row, &dense, tolerances);
        self.dense = dense;
        step
    }

    fn add_dense(&mut self, row: usize, dense: &[f64], tolerances: &Tolerances) -> Step {
        let mut multiplier = 0.0;
        loop {
            if self.iterations >= self.limit {
                return Step::OutOfWork;
            }
            self.iterations += 1;
            let outside = self.basis.split(dense);
            let count = self.active.len();
            self.work[..count].copy_from_slice(&self.basis.coefficients[..count]);
            self.basis.solve(&mut self.work[..count]);
            let independent = outside > tolerances.dependent && !self.basis.is_full();
            let largest = self.work[..count]
                .iter()
                .fold(1.0_f64, |m, x| m.max(x.abs()));
            let noise = largest
                * if independent {
                    f64::EPSILON
                } else {
                    tolerances.dependent
                };
            let mut blocking = None;
            let mut partial = f64::INFINITY;
            for (i, active) in self.active.iter().enumerate() {
                let ratio = self.work[i];
                if ratio > noise && active.multiplier / ratio < partial {
                    partial = active.multiplier / ratio;
                    blocking = Some(i);
                }
            }
            let full = if independent {
                self.violation(row).max(0.0) / (outside * outside)
            } else {
                f64::INFINITY
            };
            if independent && full <= partial {
                self.basis.push(dense, outside);
                self.active.push(Active {
                    row,
                    multiplier: multiplier + full,
                });
                return self.settle(tolerances);
            }
            let Some(blocking) = blocking else {
                return self.contradiction(row, dense, multiplier, tolerances);
            };
            multiplier += partial;
            for (active, ratio) in self.active.iter_mut().zip(&self.work) {
                active.multiplier = (active.multiplier - partial * ratio).max(0.0);
            }
            if independent {
                for (x, r) in self.point.iter_mut().zip(&self.basis.residual) {
                    *x += r * partial;
                }
            }
            self.basis.remove(blocking);
            self.active.remove(blocking);
        }
    }

    fn contradiction(
        &mut self,
        row: usize,
        dense: &[f64],
        multiplier: f64,
        tolerances: &Tolerances,
    ) -> Step {
        let short = self.violation(row).max(0.0);
        let scale = self.scale(row, self.norm());
        if self.rows[row].eased + short > tolerances.eased * scale {
            self.contradiction = short / scale;
            return Step::Contradiction;
        }
        self.rows[row].eased += short;
        self.rows[row].bound -= short;
        let mut emptied = None;
        let mut share = multiplier;
        for (i, active) in self.active.iter().enumerate() {
            let ratio = self.work[i];
            if ratio < 0.0 && active.multiplier / -ratio < share {
                share = active.multiplier / -ratio;
                emptied = Some(i);
            }
        }
        if let Some(index) = emptied {
            self.basis.remove(index);
            self.active.remove(index);
            let outside = self.basis.split(dense);
            if outside > tolerances.dependent {
                self.basis.push(dense, outside);
                self.active.push(Active {
                    row,
                    multiplier: 0.0,
                });
            }
        }
        self.settle(tolerances)
    }

    /// Recomputes the point and the multipliers from the active rows alone.
    fn settle(&mut self, tolerances: &Tolerances) -> Step {
        loop {
            let count = self.active.len();
            for (gap, active) in self.work.iter_mut().zip(&self.active) {
                let row = &self.rows[active.row];
                *gap = row.bound - row.dot(&self.start);
            }
            self.basis.solve_transposed(&mut self.work[..count]);
            self.point.clone_from(&self.start);
            self.basis.combine(&self.work[..count], &mut self.point);
            self.basis.solve(&mut self.work[..count]);
            let mut rounding = 0.0;
            let mut least = (0.0, None);
            for (i, active) in self.active.iter_mut().enumerate() {
                let multiplier = self.work[i];
                rounding += f64::EPSILON * multiplier.abs();
                if multiplier < least.0 {
                    least = (multiplier, Some(i));
                }
                active.multiplier = multiplier.max(0.0);
            }
            let allowed = tolerances.stationary * (self.start_norm + self.norm());
            match least {
                (value, Some(index)) if value < -allowed => {
                    self.basis.remove(index);
                    self.active.remove(index);
                }
                _ if rounding > allowed => return Step::Breakdown,
                _ => return Step::Settled,
            }
        }
    }
}
