//! Which boxes overlap, and when: kinetic sweep-and-prune over steps in which all bounds move
//! linearly.
//!
//! # Theory
//!
//! On each axis the endpoints of all bodies are kept in order; two boxes overlap where their
//! intervals do on all three. In a step two linear bounds pass each other once at most, so the
//! events of the step are the inversions between the orders at its start and at its end, each at a
//! time that is a quotient. They are found by an insertion sort of those endpoints that can have
//! passed anything (see the module of the axis), and only exchanges of a lower with an upper bound
//! are looked at any further: on the other axes, in closed form. The overlap of two boxes within a
//! step is one stretch of time. So what a queue would bring one by one comes sorted, without a
//! queue: a log of pairs that go *on* and *off*.
//!
//! This differs from the kinetic sorted list of the literature, which has a certificate and a place
//! in a queue for each two neighbours, and issues all of them again in every step.
//!
//! # Practice
//!
//! [`Sap::set`] says how a body moves in the coming step; who is not mentioned rests. [`Sap::step`]
//! finds everything that happens in it; [`Kinetic::advance`] goes along it. [`Sap::overlap`] is
//! where in the step continuous detection has to look. [`Kinetic::change_plan`] is for a body that
//! hits something on the way.
//!
//! A step costs a comparison of each body that moves with its bands, four for each endpoint, and
//! some operations for each exchange. It does not allocate while pairs and log fit what was
//! [reserved](Sap::reserve). An exchange too many ([`Sap::set_budget`]) ends the search: the step
//! is then answered by all pairs whose boxes, each swept over the whole step, overlap, which are
//! never too few; the next step starts from nothing. Both cost a sort.
//!
//! Touching is overlapping. Metres and seconds; the times of a step are counted from its start.

mod axis;
mod lines;
mod pairs;
mod table;

use crate::kinetic::{Advanced, Inconsistent, Kinetic};
use crate::stats::{EventCost, Stats};
use axis::Axis;
pub use lines::{Lines, acceleration_margin, turning_margin};
pub use pairs::{Pair, PairSet};
use table::{BOUNDS, Table};

/// A pair begins to overlap, or ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairEvent {
    /// When, s from the start of the step.
    pub time: f64,
    /// The bodies, the smaller number first.
    pub pair: Pair,
    /// It begins.
    pub on: bool,
    /// Its place among events of one time.
    sequence: u32,
}

/// What a step was like.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct StepReport {
    /// The log is exact. If not, all pairs that may overlap anywhere in the step are on from its
    /// start on.
    pub exact: bool,
    /// Exchanges of neighbours on all axes.
    pub swaps: u64,
    /// Endpoints that were looked at beyond a comparison with their bands.
    pub awake: u64,
    /// Events.
    pub events: u64,
}

/// Why bounds are refused. The caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SapError {
    /// There is no such body.
    #[error("there is no body {body}, only {count}")]
    NoBody {
        /// Which.
        body: u32,
        /// How many there are.
        count: usize,
    },
    /// A bound is not finite, or a lower one is above the upper one.
    #[error("body {body}: bounds {lines:?} are not finite or not in order")]
    Bounds {
        /// Which.
        body: u32,
        /// Its bounds.
        lines: Lines,
    },
    /// Never told where it is.
    #[error("body {body} was never given bounds")]
    Unset {
        /// Which, or the first of several.
        body: u32,
    },
    /// A body was set for the next step already: this one is over.
    #[error("body {body}: its plan cannot be changed between two steps")]
    BetweenSteps {
        /// Which.
        body: u32,
    },
    /// The step has no length.
    #[error("a step of {h} s")]
    Step {
        /// Its length.
        h: f64,
    },
}

/// See the module.
#[derive(Clone, Debug)]
pub struct Sap {
    table: Table,
    axes: [Axis; 3],
    /// Bodies set since the last step, and in it.
    moved: Vec<u32>,
    moved_before: Vec<u32>,
    /// All of them were, in one call: they are not listed.
    all: bool,
    all_before: bool,
    /// Number of the step for which a body was set last; 0 is never.
    stamp: Vec<u64>,
    step: u64,
    /// Bodies that were never set.
    unset: usize,
    continuous: bool,
    /// A body was given bounds that are none.
    suspect: bool,
    /// The starts of the coming step are there.
    turned: bool,
    /// Bodies whose plans were changed in this step.
    replanned: Vec<u32>,
    /// The orders are those at the end of the last step.
    synced: bool,
    exact: bool,
    /// Those that overlap now.
    pairs: PairSet,
    candidates: Vec<Pair>,
    /// For sweeping: lower bounds and bodies.
    sweep: Vec<(f64, u32)>,
    log: Vec<PairEvent>,
    /// Events of the log that have happened.
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

impl Sap {
    /// For bodies `0..bodies`, all of which are to be set before the first step.
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
            turned: false,
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

    /// Makes room for this many overlapping pairs and for as many events in a step.
    pub fn reserve(&mut self, pairs: usize) {
        self.pairs.reserve(pairs);
        self.candidates
            .reserve(pairs.saturating_sub(self.candidates.len()));
        self.log.reserve(pairs.saturating_sub(self.log.len()));
    }

    /// Most exchanges of neighbours in one step, on all axes together; a step that takes more is
    /// answered by a superset (rule T9). No limit at first.
    pub fn set_budget(&mut self, swaps: u64) {
        self.budget = swaps;
    }

    /// Bodies.
    #[must_use]
    pub fn len(&self) -> usize {
        self.stamp.len()
    }

    /// There are no bodies.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.stamp.is_empty()
    }

    /// How a body moves in the coming step. What is not finite or not in order is found by that
    /// step.
    ///
    /// # Errors
    /// There is no such body.
    pub fn set(&mut self, body: u32, lines: &Lines) -> Result<(), SapError> {
        let Some(stamp) = self.stamp.get_mut(body as usize) else {
            let count = self.stamp.len();
            return Err(SapError::NoBody { body, count });
        };
        if *stamp == self.step {
            // Set twice: the end that counts is the last step's, which is gone.
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

    /// How all bodies move in the coming step.
    ///
    /// # Errors
    /// There are more lines than bodies; those of the bodies that there are have been set.
    pub fn set_all(&mut self, lines: &[Lines]) -> Result<(), SapError> {
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
        // Of those that rested in the last step, too, both ends are the same already.
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

    /// The last step's ends become starts, once.
    fn turn(&mut self) {
        if !self.turned {
            self.turned = true;
            self.happen(f64::INFINITY);
            self.table.turn();
        }
    }

    /// Finds everything that happens in a step of `h` seconds, and goes to its start; the step
    /// before is ended if it was not.
    ///
    /// # Errors
    /// See [`SapError`]. The log is empty then, pairs are those of the last step, and the next step
    /// starts from nothing.
    pub fn step(&mut self, h: f64) -> Result<StepReport, SapError> {
        self.happen(f64::INFINITY);
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
        self.turned = false;
        self.all_before = std::mem::take(&mut self.all);
        self.step += 1;
        done
    }

    fn find(&mut self, h: f64) -> Result<StepReport, SapError> {
        for body in self.replanned.drain(..) {
            self.table.since[body as usize] = 0.0;
        }
        self.rest();
        if !(h > 0.0 && h < f64::INFINITY) {
            return Err(SapError::Step { h });
        }
        if self.unset > 0 {
            let body = self.stamp.iter().position(|s| *s == 0).unwrap_or(0) as u32;
            return Err(SapError::Unset { body });
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
        self.happen(0.0);
        self.report = report;
        Ok(report)
    }

    fn check_all(&self) -> Result<(), SapError> {
        for body in 0..self.len() as u32 {
            let lines = self.table.lines(body as usize);
            if !lines.is_valid() {
                return Err(SapError::Bounds { body, lines });
            }
        }
        Ok(())
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
    /// False: the budget is used up.
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
                    // A lower bound goes left past an upper one: the intervals begin to overlap.
                    // Else they cease to, which matters if the boxes did.
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

    /// The events of the candidates from `from` on.
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
    fn happen(&mut self, t: f64) -> u64 {
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

    /// Sorts everything, and decides about all pairs whose swept boxes overlap.
    fn start_again(&mut self, from: f64) {
        for axis in &mut self.axes {
            axis.sort(&mut self.table);
        }
        self.candidates.clear();
        self.candidates.extend_from_slice(self.pairs.list());
        self.sweep_all();
        self.resolve(from);
    }

    /// All pairs whose swept boxes overlap are on, from now on (rule T9).
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

    /// Adds the pairs whose swept boxes overlap to the candidates: a sweep along the axis on which
    /// the bodies are spread most.
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

    /// The events of the step, by time: those that have happened and those to come.
    #[must_use]
    pub fn log(&self) -> &[PairEvent] {
        &self.log
    }

    /// What the last step that succeeded was like.
    #[must_use]
    pub fn last_report(&self) -> StepReport {
        self.report
    }

    /// The pairs that overlap now, in no particular order. Of a step that is not exact: a superset.
    #[must_use]
    pub fn pairs(&self) -> &[Pair] {
        self.pairs.list()
    }

    /// Whether two bodies overlap now.
    #[must_use]
    pub fn is_on(&self, a: u32, b: u32) -> bool {
        self.pairs.contains(pair(a, b))
    }

    /// Whether the log of this step is exact.
    #[must_use]
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// When two bodies' boxes overlap in what is left of the step: one stretch, since bounds are
    /// linear; what continuous detection has to search. None: they do not, or there are no such two
    /// bodies, or a body was set for the next step already.
    #[must_use]
    pub fn overlap(&self, a: u32, b: u32) -> Option<[f64; 2]> {
        if a == b || a.max(b) as usize >= self.len() || self.turned {
            return None;
        }
        let [on, off] = self.table.overlap(pair(a, b), self.now)?;
        Some([on, off.min(self.table.h)])
    }

    /// For tests: turns the order of one axis round and says nothing.
    #[doc(hidden)]
    pub fn corrupt(&mut self) {
        self.axes[1].corrupt();
    }
}

impl Kinetic for Sap {
    /// From now to the end of the step.
    type Plan = Lines;
    type PlanError = SapError;

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.log
            .get(self.happened)
            .map_or(f64::INFINITY, |e| e.time)
    }

    /// Goes on in the step, to its end at most.
    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        if t > self.now {
            self.now = t.min(self.table.h);
        }
        let events = self.happen(self.now);
        Ok(Advanced {
            events,
            external: events,
        })
    }

    /// The body's bounds are these from now to the end of the step. Costs a comparison with every
    /// body: the others' orders are those at the end of the step already.
    fn change_plan(&mut self, body: u32, plan: Lines) -> Result<(), SapError> {
        if body as usize >= self.len() {
            let count = self.len();
            return Err(SapError::NoBody { body, count });
        }
        if !plan.is_valid() {
            return Err(SapError::Bounds { body, lines: plan });
        }
        if self.turned {
            return Err(SapError::BetweenSteps { body });
        }
        if self.stamp[body as usize] == 0 {
            return Err(SapError::Unset { body });
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
        self.happen(now);
        self.stats.plan_change(12);
        Ok(())
    }

    /// The orders at the end of the step, and the pairs at `t` by comparing all with all.
    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |object, what| {
            Err(Inconsistent {
                time: t,
                object,
                what,
            })
        };
        if self.turned {
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
                    return fault(a, "an overlapping pair is not there");
                }
            }
        }
        if self.exact && on != self.pairs.list().len() {
            return fault(0, "there are pairs that do not overlap");
        }
        Ok(())
    }

    /// Between steps it does nothing but have the next one start from nothing.
    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        if self.turned {
            self.synced = false;
            return Ok(());
        }
        self.advance(t)?;
        self.log.truncate(self.happened);
        self.exact = true;
        self.start_again(self.now);
        self.sort_log(self.happened);
        self.synced = true;
        self.happen(self.now);
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
