//! Kinetic sweep-and-prune: which boxes overlap, and when, over steps in which all bounds move
//! linearly.
//!
//! # Theory
//!
//! On each axis the endpoints of all bodies are kept in order; two boxes overlap if their intervals
//! do on all three axes. In a step two linear bounds pass each other at most once. So the events of
//! the step are the inversions between the orders at its start and at its end, each at a time that
//! is a quotient. An insertion sort of the endpoints that can have passed anything finds them (see
//! the module of the axis). Only exchanges of a lower with an upper bound are examined further: on
//! the other axes, in closed form. The overlap of two boxes within a step is one interval of time.
//! So what a queue would deliver one by one comes sorted, without a queue: a log of pairs that go
//! *on* and *off*.
//!
//! This differs from the kinetic sorted list of the literature, which has a certificate and a queue
//! entry for each two neighbours, and reissues all of them in every step.
//!
//! # Practice
//!
//! [`Sap::set`] says how a body moves in the coming step; a body that is not set rests.
//! [`Sap::step`] finds everything that happens in the step; [`Kinetic::advance`] moves along it.
//! [`Sap::overlap`] tells in which part of the step continuous detection must search.
//! [`Kinetic::change_plan`] is for a body that hits something during the step.
//!
//! A step costs a comparison of each moving body with its bands, four for each endpoint, and some
//! operations for each exchange. It does not allocate while pairs and log fit what was
//! [reserved](Sap::reserve). When the exchanges exceed the budget ([`Sap::set_budget`]), the search
//! ends. The step is then answered by all pairs of boxes that overlap when each is swept over the
//! whole step; none is missing. The next step starts from scratch. Both cost a sort.
//!
//! Touching is overlapping. Metres and seconds; the times of a step are counted from its start.

mod axis;
mod lines;
mod pairs;
mod table;

use crate::kinetic::{Advanced, Inconsistent, Kinetic, PlanError};
use crate::stats::{EventCost, Stats};
use axis::Axis;
pub use lines::{Lines, acceleration_margin, turning_margin};
pub use pairs::{Pair, PairSet};
use table::{BOUNDS, Table};

/// The beginning or the end of a pair's overlap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEvent {
    /// Time, s from the start of the step.
    pub time: f64,
    /// The bodies, the smaller index first.
    pub pair: Pair,
    /// True if the overlap begins.
    pub on: bool,
    /// Order among events of equal time.
    sequence: u32,
}

/// Summary of a step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// True if the log is exact. If not, all pairs that may overlap anywhere in the step are on
    /// from its start.
    pub exact: bool,
    /// Exchanges of neighbours on all axes.
    pub swaps: u64,
    /// Endpoints that needed more than a comparison with their bands.
    pub awake: u64,
    /// Events in the log.
    pub events: u64,
}

/// Why a step is refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum StepError {
    /// A body's bounds are invalid, or it has none.
    #[error(transparent)]
    Plan(#[from] PlanError),
    /// The step's length is not positive and finite.
    #[error("bad step {h} s")]
    Length {
        /// Its length, s.
        h: f64,
    },
}

/// Kinetic sweep-and-prune. See the [module](self).
#[derive(Clone, Debug)]
pub struct Sap {
    table: Table,
    axes: [Axis; 3],
    /// Bodies set since the last step, and in it.
    moved: Vec<u32>,
    moved_before: Vec<u32>,
    /// All of them were, in one call; then they are not listed.
    all: bool,
    all_before: bool,
    /// Number of the step for which a body was last set; 0 means never.
    stamp: Vec<u64>,
    step: u64,
    /// Number of bodies that were never set.
    unset: usize,
    continuous: bool,
    /// A body was given invalid bounds.
    suspect: bool,
    /// The starts of the coming step are in place.
    ends_swapped: bool,
    /// Bodies with plans that were changed in this step.
    replanned: Vec<u32>,
    /// The orders are those at the end of the last step.
    synced: bool,
    exact: bool,
    /// Pairs that overlap now.
    pairs: PairSet,
    candidates: Vec<Pair>,
    /// For sweeping: lower bounds and bodies.
    sweep: Vec<(f64, u32)>,
    log: Vec<PairEvent>,
    /// Number of events of the log that have happened.
    happened: usize,
    budget: u64,
    now: f64,
    report: StepReport,
    stats: Stats,
}

const ON: usize = 0;
const OFF: usize = 1;
const SWAP: usize = 2;

fn pair(a: u32, b: u32) -> Pair {
    (a.min(b), a.max(b))
}

fn check(object: u32, lines: &Lines) -> Result<(), PlanError> {
    let Lines { start, end } = *lines;
    if lines.is_valid() {
        Ok(())
    } else {
        Err(PlanError::Bounds { object, start, end })
    }
}

impl Sap {
    /// Creates a structure for bodies `0..bodies`, all of which must be set before the first step.
    #[must_use]
    pub fn new(bodies: usize) -> Self {
        let mut sap = Self {
            table: Table::new(bodies),
            axes: [0, 1, 2].map(|number| Axis::new(number, bodies)),
            moved: Vec::with_capacity(bodies),
            moved_before: Vec::with_capacity(bodies),
            all: false,
            all_before: false,
            stamp: vec![0; bodies],
            step: 1,
            unset: bodies,
            continuous: true,
            suspect: false,
            ends_swapped: false,
            replanned: Vec::with_capacity(bodies),
            synced: false,
            exact: true,
            pairs: PairSet::default(),
            candidates: Vec::new(),
            sweep: Vec::with_capacity(bodies),
            log: Vec::new(),
            happened: 0,
            budget: u64::MAX,
            now: 0.0,
            report: StepReport::default(),
            stats: Stats::new(&["on", "off", "swap"]),
        };
        sap.reserve(4 * bodies);
        sap
    }

    /// Makes capacity for this many overlapping pairs and for as many events in a step.
    pub fn reserve(&mut self, pairs: usize) {
        self.pairs.reserve(pairs);
        self.candidates
            .reserve(pairs.saturating_sub(self.candidates.len()));
        self.log.reserve(pairs.saturating_sub(self.log.len()));
    }

    /// Limits the exchanges of neighbours in one step, on all axes together. A step that takes more
    /// is answered by a superset. There is no limit at first.
    pub fn set_budget(&mut self, swaps: u64) {
        self.budget = swaps;
    }

    /// Returns the number of bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stamp.len()
    }

    /// Returns whether there are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stamp.is_empty()
    }

    /// Sets the motion of a body in the coming step. That step reports bounds that are not finite
    /// or not in order.
    ///
    /// # Errors
    /// There is no such body.
    pub fn set(&mut self, body: u32, lines: &Lines) -> Result<(), PlanError> {
        let Some(stamp) = self.stamp.get_mut(body as usize) else {
            let (object, count) = (body, self.stamp.len());
            return Err(PlanError::NoObject { object, count });
        };
        if *stamp == self.step {
            // Set twice: the last step's end, to which it should be compared, is gone.
            self.continuous = false;
        } else {
            self.unset -= usize::from(*stamp == 0);
            *stamp = self.step;
            self.moved.push(body);
        }
        self.turn();
        let (continuous, valid) = self.table.set(body as usize, lines);
        self.continuous &= continuous;
        self.suspect |= !valid;
        Ok(())
    }

    /// Sets the motions of all bodies in the coming step.
    ///
    /// # Errors
    /// There are more lines than bodies; those of the existing bodies have been set.
    pub fn set_all(&mut self, lines: &[Lines]) -> Result<(), PlanError> {
        if lines.len() != self.len() || !self.moved.is_empty() || self.unset > 0 {
            return (lines.iter().enumerate())
                .try_for_each(|(body, lines)| self.set(body as u32, lines));
        }
        self.turn();
        self.all = true;
        let (continuous, valid) = self.table.set_all(lines);
        self.continuous &= continuous;
        self.suspect |= !valid;
        Ok(())
    }

    /// Gives the bodies that were not set their ends: at rest.
    fn rest(&mut self) {
        self.turn();
        self.all |= self.moved.len() == self.len();
        if self.all {
            return;
        }
        // For bodies that rested in the last step as well, both ends are already the same.
        let stays = |body: u32| self.stamp[body as usize] != self.step;
        if self.all_before {
            for body in (0..self.len() as u32).filter(|b| stays(*b)) {
                self.table.rest(body as usize);
            }
        } else {
            for &body in self.moved_before.iter().filter(|b| stays(**b)) {
                self.table.rest(body as usize);
            }
        }
    }

    /// Makes the last step's ends the new starts, once.
    fn turn(&mut self) {
        if !self.ends_swapped {
            self.ends_swapped = true;
            self.apply_events(f64::INFINITY);
            self.table.turn();
        }
    }

    /// Finds everything that happens in a step of `h` seconds, and goes to its start. If the
    /// previous step was not finished, it is.
    ///
    /// # Errors
    /// See [`StepError`]. The log is then empty, the pairs are those of the last step, and the next
    /// step starts from scratch.
    pub fn step(&mut self, h: f64) -> Result<StepReport, StepError> {
        self.apply_events(f64::INFINITY);
        self.log.clear();
        self.happened = 0;
        self.now = 0.0;
        let done = self.find(h);
        if done.is_err() {
            self.synced = false;
        }
        self.moved_before.clear();
        std::mem::swap(&mut self.moved, &mut self.moved_before);
        self.continuous = true;
        self.ends_swapped = false;
        self.all_before = std::mem::take(&mut self.all);
        self.step += 1;
        done
    }

    fn find(&mut self, h: f64) -> Result<StepReport, StepError> {
        for body in self.replanned.drain(..) {
            self.table.since[body as usize] = 0.0;
        }
        self.rest();
        if !(h > 0.0 && h < f64::INFINITY) {
            return Err(StepError::Length { h });
        }
        if self.unset > 0 {
            let object = self.stamp.iter().position(|s| *s == 0).unwrap_or(0) as u32;
            return Err(PlanError::Unset { object }.into());
        }
        if self.suspect {
            self.check_all()?;
            self.suspect = false;
        }
        self.table.h = h;
        self.exact = true;
        let mut report = StepReport {
            exact: true,
            ..StepReport::default()
        };
        if self.synced {
            self.wake();
            report.awake = self.axes.iter().map(|a| a.awake() as u64).sum();
            if self.sort_in() {
                self.resolve(0.0);
            } else {
                self.exact = false;
                self.superset(0.0);
            }
            report.swaps = self.axes.iter().map(|a| a.swaps).sum();
        } else {
            report.awake = 6 * self.len() as u64;
            self.start_again(0.0);
        }
        self.synced = self.exact;
        report.exact = self.exact;
        report.events = self.log.len() as u64;
        self.sort_log(0);
        self.count(report.swaps);
        self.apply_events(0.0);
        self.report = report;
        Ok(report)
    }

    fn check_all(&self) -> Result<(), PlanError> {
        (0..self.len() as u32).try_for_each(|body| check(body, &self.table.lines(body as usize)))
    }

    /// Finds the endpoints that leave their bands.
    fn wake(&mut self) {
        let (table, axes) = (&self.table, &mut self.axes);
        for axis in axes.iter_mut() {
            axis.sleep();
        }
        if axes.iter().all(Axis::is_blind) {
            return;
        }
        if self.all {
            table.leavers(self.continuous, |number, endpoint| {
                axes[number].wake(endpoint)
            });
            return;
        }
        for &body in &self.moved {
            for (number, axis) in axes.iter_mut().enumerate() {
                for endpoint in [2 * body, 2 * body + 1] {
                    if table.leaves(number, endpoint) {
                        axis.wake(endpoint);
                    }
                }
            }
        }
    }

    /// Brings all orders to the end of the step and collects the pairs that may go on or off.
    /// Returns false if the budget is used up.
    fn sort_in(&mut self) -> bool {
        self.candidates.clear();
        let mut budget = self.budget;
        let (pairs, candidates) = (&self.pairs, &mut self.candidates);
        for (number, axis) in self.axes.iter_mut().enumerate() {
            let done = axis.step(
                &mut self.table,
                self.continuous,
                &mut budget,
                |table, left, right| {
                    let p = pair(left / 2, right / 2);
                    let (i, j) = (p.0 as usize, p.1 as usize);
                    // A lower bound passes an upper one to the left: the intervals begin to
                    // overlap. Otherwise they cease to, which matters if the boxes overlapped.
                    let matters = if right & 1 == 0 {
                        table.swept_overlap((number + 1) % 3, i, j)
                            && table.swept_overlap((number + 2) % 3, i, j)
                    } else {
                        pairs.contains(p)
                    };
                    if matters {
                        candidates.push(p);
                    }
                },
            );
            if done.is_err() {
                return false;
            }
        }
        true
    }

    /// Logs the events of the candidates from `from` on.
    fn resolve(&mut self, from: f64) {
        self.candidates.sort_unstable();
        self.candidates.dedup();
        for k in 0..self.candidates.len() {
            let p = self.candidates[k];
            self.decide(p, from);
        }
    }

    fn decide(&mut self, p: Pair, from: f64) {
        let was = self.pairs.contains(p);
        let overlap = self.table.overlap(p, from);
        if was && overlap.is_none_or(|[on, _]| on > from) {
            self.push(from, p, false);
        }
        if let Some([on, off]) = overlap {
            if !was || on > from {
                self.push(on, p, true);
            }
            if off < f64::INFINITY {
                self.push(off, p, false);
            }
        }
    }

    fn push(&mut self, time: f64, pair: Pair, on: bool) {
        let sequence = self.log.len() as u32;
        self.log.push(PairEvent {
            time,
            pair,
            on,
            sequence,
        });
    }

    fn sort_log(&mut self, from: usize) {
        self.log[from..]
            .sort_unstable_by(|a, b| (a.time.total_cmp(&b.time)).then(a.sequence.cmp(&b.sequence)));
    }

    /// Applies the events up to `t`.
    fn apply_events(&mut self, t: f64) -> u64 {
        let before = self.happened;
        while let Some(event) = self.log.get(self.happened).filter(|e| e.time <= t) {
            if event.on {
                self.pairs.insert(event.pair);
            } else {
                self.pairs.remove(event.pair);
            }
            self.happened += 1;
        }
        (self.happened - before) as u64
    }

    /// Sorts everything, and decides all pairs with overlapping swept boxes.
    fn start_again(&mut self, from: f64) {
        for axis in &mut self.axes {
            axis.sort(&mut self.table);
        }
        self.candidates.clear();
        self.candidates.extend_from_slice(self.pairs.list());
        self.sweep_all();
        self.resolve(from);
    }

    /// Turns on, from `now`, all pairs with overlapping swept boxes.
    fn superset(&mut self, now: f64) {
        self.log.truncate(self.happened);
        self.candidates.clear();
        self.sweep_all();
        self.candidates.sort_unstable();
        for k in 0..self.pairs.list().len() {
            let p = self.pairs.list()[k];
            if self.candidates.binary_search(&p).is_err() {
                self.push(now, p, false);
            }
        }
        for k in 0..self.candidates.len() {
            let p = self.candidates[k];
            if !self.pairs.contains(p) {
                self.push(now, p, true);
            }
        }
    }

    /// Adds the pairs with overlapping swept boxes to the candidates, by a sweep along the axis on
    /// which the bodies are spread most.
    fn sweep_all(&mut self) {
        let n = self.len();
        let table = &self.table;
        let end = |axis: usize, b: usize| table.end[BOUNDS * b + 2 * axis];
        let spread = |axis: usize| {
            let mean = (0..n).map(|b| end(axis, b)).sum::<f64>() / n.max(1) as f64;
            (0..n).map(|b| (end(axis, b) - mean).powi(2)).sum::<f64>()
        };
        let spreads = [spread(0), spread(1), spread(2)];
        let mut axis = 0;
        for other in 1..3 {
            if spreads[other] > spreads[axis] {
                axis = other;
            }
        }
        let ends = |k: usize| (table.start[k], table.end[k]);
        let least = |b: usize| {
            let (start, end) = ends(BOUNDS * b + 2 * axis);
            start.min(end)
        };
        let most = |b: usize| {
            let (start, end) = ends(BOUNDS * b + 2 * axis + 1);
            start.max(end)
        };
        self.sweep.clear();
        self.sweep.extend((0..n).map(|b| (least(b), b as u32)));
        self.sweep
            .sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for k in 0..n {
            let i = self.sweep[k].1 as usize;
            let end = most(i);
            for &(start, other) in &self.sweep[k + 1..] {
                if start > end {
                    break;
                }
                let j = other as usize;
                if table.swept_overlap((axis + 1) % 3, i, j)
                    && table.swept_overlap((axis + 2) % 3, i, j)
                {
                    self.candidates.push(pair(i as u32, other));
                }
            }
        }
    }

    fn count(&mut self, swaps: u64) {
        for k in self.happened..self.log.len() {
            let kind = if self.log[k].on { ON } else { OFF };
            self.stats.event(kind, true, EventCost::default());
        }
        self.stats.internal[SWAP] += swaps;
        let certificates = 3 * (2 * self.len() as u64).saturating_sub(1);
        self.stats.sizes(certificates, self.log.len());
    }

    /// Returns the events of the step, by time: those that have happened and those to come.
    #[must_use]
    pub fn log(&self) -> &[PairEvent] {
        &self.log
    }

    /// Returns the summary of the last step that succeeded.
    #[must_use]
    pub fn last_report(&self) -> StepReport {
        self.report
    }

    /// Returns the pairs that overlap now, in no particular order. For a step that is not exact: a
    /// superset.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        self.pairs.list()
    }

    /// Returns whether two bodies overlap now.
    #[must_use]
    pub fn is_on(&self, a: u32, b: u32) -> bool {
        self.pairs.contains(pair(a, b))
    }

    /// Returns whether the log of this step is exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// Returns when two bodies' boxes overlap in the rest of the step: the interval that continuous
    /// detection must search.
    ///
    /// It is one interval, since bounds are linear. `None` if they do not overlap, if there are no
    /// such two bodies, or if a body has already been set for the next step.
    #[must_use]
    pub fn overlap(&self, a: u32, b: u32) -> Option<[f64; 2]> {
        if a == b || a.max(b) as usize >= self.len() || self.ends_swapped {
            return None;
        }
        let [on, off] = self.table.overlap(pair(a, b), self.now)?;
        Some([on, off.min(self.table.h)])
    }

    /// For tests: reverses the order of one axis without telling the structure.
    #[doc(hidden)]
    pub fn corrupt(&mut self) {
        self.axes[1].corrupt();
    }
}

impl Kinetic for Sap {
    /// Bounds from now to the end of the step.
    type Plan = Lines;

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.log
            .get(self.happened)
            .map_or(f64::INFINITY, |e| e.time)
    }

    /// Advances in the step, at most to its end.
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        if t > self.now {
            self.now = t.min(self.table.h);
        }
        let events = self.apply_events(self.now);
        Ok(Advanced {
            events,
            external: events,
        })
    }

    /// Gives the body these bounds from now to the end of the step. Costs a comparison with every
    /// body, since the others' orders are already those at the end of the step.
    fn change_plan(&mut self, body: u32, plan: Lines) -> Result<(), PlanError> {
        let (object, count) = (body, self.len());
        if body as usize >= count {
            return Err(PlanError::NoObject { object, count });
        }
        check(body, &plan)?;
        if self.ends_swapped {
            return Err(PlanError::BetweenSteps { object });
        }
        if self.stamp[body as usize] == 0 {
            return Err(PlanError::Unset { object });
        }
        let now = self.now;
        // So that it rests after this step unless it is set again.
        if now > 0.0 && self.table.since[body as usize] == 0.0 {
            self.replanned.push(body);
        }
        let stamp = &mut self.stamp[body as usize];
        if *stamp + 1 < self.step {
            *stamp = self.step - 1;
            self.moved_before.push(body);
        }
        self.table.set(body as usize, &plan);
        self.table.since[body as usize] = now;
        let mut kept = self.happened;
        for k in self.happened..self.log.len() {
            let p = self.log[k].pair;
            if p.0 != body && p.1 != body {
                self.log[kept] = self.log[k];
                kept += 1;
            }
        }
        self.log.truncate(kept);
        let i = body as usize;
        for other in (0..self.len() as u32).filter(|o| *o != body) {
            let p = pair(body, other);
            let near = (0..3).all(|axis| self.table.swept_overlap(axis, i, other as usize));
            if self.exact {
                if near || self.pairs.contains(p) {
                    self.decide(p, now);
                }
            } else if near && !self.pairs.contains(p) {
                self.push(now, p, true);
            }
        }
        if self.synced {
            for axis in &mut self.axes {
                axis.replace(&mut self.table, body);
            }
        }
        let happened = self.happened;
        for k in happened..self.log.len() {
            self.log[k].sequence = k as u32;
        }
        self.sort_log(happened);
        self.apply_events(now);
        self.stats.plan_change(12);
        Ok(())
    }

    /// Checks the orders at the end of the step, and the pairs at `t` by comparing all with all.
    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |object, what| {
            Err(Inconsistent {
                time: t,
                object,
                what,
            })
        };
        if self.ends_swapped {
            return fault(0, "bodies were set for the next step already");
        }
        if self.synced {
            for axis in &self.axes {
                if let Some(endpoint) = axis.fault(&self.table) {
                    return fault(
                        endpoint / 2,
                        "an endpoint is out of order or out of its band",
                    );
                }
            }
        }
        let mut on = 0;
        for b in 0..self.len() as u32 {
            for a in 0..b {
                let is = self.table.overlap_at((a, b), t);
                on += usize::from(is);
                if is && !self.pairs.contains((a, b)) {
                    return fault(a, "an overlapping pair is missing");
                }
            }
        }
        if self.exact && on != self.pairs.list().len() {
            return fault(0, "some pairs do not overlap");
        }
        Ok(())
    }

    /// Between steps it only makes the next one start from scratch.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        if self.ends_swapped {
            self.synced = false;
            return Ok(());
        }
        self.advance(t)?;
        self.log.truncate(self.happened);
        self.exact = true;
        self.start_again(self.now);
        self.sort_log(self.happened);
        self.synced = true;
        self.apply_events(self.now);
        self.stats.rebuilds += 1;
        Ok(())
    }

    fn stats(&self) -> &Stats {
        &self.stats
    }

    fn reset_stats(&mut self) {
        self.stats.reset();
    }
}
