//! Order of points that move on a line, kept up to date.
//!
//! # Theory
//!
//! Each pair of neighbours `a`, `b` has one certificate: `b(t) - a(t) > 0`. When it fails they
//! swap, and the certificates with their outer neighbours are reissued. All events change the
//! order, so none is wasted. The queue holds at most `n - 1` of them, a point is in two
//! certificates, and an event costs `O(log n)`. Points of constant speed pass each other once: the
//! events of a time span are the inversions between the orders at its ends. Polynomials of degree
//! `d` pass at most `d` times.
//!
//! # Practice
//!
//! Any number of points may pass through one place at one time: each pair swaps once. Two equal
//! motions never pass. For a point on a rotating body a certificate is examined span by span, and
//! the end of a span is an internal event. Processing events does not allocate.

use hapticd_kinetic::kinetic::{
    Advanced, Inconsistent, Kinetic, Livelock, MAX_STALLED_EVENTS, PlanError,
};
use hapticd_kinetic::motion::{Motion1, first_passing, have_met};
use hapticd_kinetic::queue::EventQueue;
use hapticd_kinetic::stats::{EventCost, Stats};

/// Place of a point that is not in the list.
const NOWHERE: u32 = u32::MAX;

/// How far two neighbours may be out of order, relative to the numbers involved: they are then just
/// passing each other.
const ROUNDING: f64 = 1e-9;

/// One event of a list: the two points that swap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Swap {
    /// Time, s.
    pub time: f64,
    /// Point on the right from now on.
    pub passing: u32,
    /// Point on the left from now on.
    pub passed: u32,
}

/// Kinetic sorted list. See the module page.
#[derive(Clone, Debug)]
pub struct SortedList {
    motions: Vec<Motion1>,
    /// Points from left to right.
    order: Vec<u32>,
    /// Place of each point in `order`.
    place: Vec<u32>,
    free: Vec<u32>,
    /// Events; a point's slot holds the certificate of the point and its right neighbour.
    queue: EventQueue,
    now: f64,
    horizon: f64,
    livelock: Livelock,
    stats: Stats,
}

impl SortedList {
    /// Sorts the points as they are at `now`. Events at or after `horizon` are not computed; it may
    /// be infinite.
    ///
    /// # Errors
    /// A motion has a non-finite number.
    pub fn new(motions: &[Motion1], now: f64, horizon: f64) -> Result<Self, PlanError> {
        for (object, motion) in motions.iter().enumerate() {
            motion.checked(object as u32)?;
        }
        let mut list = Self {
            motions: motions.to_vec(),
            order: (0..motions.len() as u32).collect(),
            place: vec![NOWHERE; motions.len()],
            free: Vec::new(),
            queue: EventQueue::with_slots(motions.len()),
            now,
            horizon,
            livelock: Livelock::new(now),
            stats: Stats::new(&["swap", "stretch"]),
        };
        list.sort();
        Ok(list)
    }

    /// Points from left to right.
    #[must_use]
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// Motion of a point; `None` if it is not in the list.
    #[must_use]
    pub fn motion(&self, object: u32) -> Option<&Motion1> {
        self.is_there(object)
            .then(|| &self.motions[object as usize])
    }

    /// Time at which a point will pass its right neighbour; infinite if no event is known.
    #[must_use]
    pub fn passes_at(&self, object: u32) -> f64 {
        self.queue.time_of(object)
    }

    /// Number of events in the queue.
    #[must_use]
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// Extends the time up to which events are computed. Does nothing if `horizon` is not later
    /// than before.
    pub fn extend_horizon(&mut self, horizon: f64) {
        if horizon > self.horizon {
            self.horizon = horizon;
            for k in 0..self.order.len() {
                if self.queue.time_of(self.order[k]) == f64::INFINITY {
                    self.certify(k);
                }
            }
        }
    }

    /// Processes the next event if it is due at `t` or before.
    ///
    /// # Errors
    /// Too many events occur at one time.
    pub fn step(&mut self, t: f64) -> Result<Option<Swap>, Inconsistent> {
        while let Some((time, left)) = self.queue.first().filter(|e| e.0 <= t) {
            self.queue.pop();
            self.now = self.now.max(time);
            // Any number of pairs may pass at one time: at most all of them, up to degree times
            // each.
            let most = self.order.len() * self.order.len() * 3 + MAX_STALLED_EVENTS as usize;
            if self
                .livelock
                .event(self.now, u32::try_from(most).unwrap_or(u32::MAX))
            {
                self.queue.schedule(left, time);
                return Err(Inconsistent {
                    time: self.now,
                    object: left,
                    what: "time stands still",
                });
            }
            let k = self.place[left as usize] as usize;
            let right = self.order[k + 1];
            let motions = [left, right].map(|o| &self.motions[o as usize]);
            let met = have_met(motions[0], motions[1], self.now);
            let before = self.queue.operations();
            let mut cost = EventCost {
                destroyed: 1,
                levels: 1,
                ..EventCost::default()
            };
            let first = if met {
                self.order.swap(k, k + 1);
                self.place[left as usize] = k as u32 + 1;
                self.place[right as usize] = k as u32;
                k.saturating_sub(1)..k + 2
            } else {
                k..k + 1
            };
            for gap in first {
                let (had, has) = self.certify(gap);
                cost.destroyed += u32::from(had);
                cost.created += u32::from(has);
            }
            cost.queue_operations = 1 + (self.queue.operations() - before) as u32;
            self.stats.event(usize::from(!met), met, cost);
            self.count();
            if met {
                return Ok(Some(Swap {
                    time: self.now,
                    passing: left,
                    passed: right,
                }));
            }
        }
        Ok(None)
    }

    /// Adds a point now and returns its name, which may be that of a removed point. May allocate.
    ///
    /// # Errors
    /// The motion has a non-finite number.
    pub fn insert(&mut self, motion: Motion1) -> Result<u32, PlanError> {
        let object = self.free.last().map_or(self.motions.len() as u32, |o| *o);
        motion.checked(object)?;
        if self.free.pop().is_none() {
            self.motions.push(motion);
            self.place.push(NOWHERE);
            self.queue.reserve(self.motions.len());
        }
        self.motions[object as usize] = motion;
        let (value, slope) = (motion.at(self.now), motion.slope(self.now));
        let k = self.order.partition_point(|&o| {
            let m = &self.motions[o as usize];
            (m.at(self.now), m.slope(self.now)) < (value, slope)
        });
        self.order.insert(k, object);
        self.number_from(k);
        self.certify(k);
        if k > 0 {
            self.certify(k - 1);
        }
        self.count();
        Ok(object)
    }

    /// Removes a point. Returns false if it is not in the list.
    pub fn remove(&mut self, object: u32) -> bool {
        if !self.is_there(object) {
            return false;
        }
        let k = self.place[object as usize] as usize;
        self.order.remove(k);
        self.place[object as usize] = NOWHERE;
        self.queue.remove(object);
        self.free.push(object);
        self.number_from(k);
        if k > 0 {
            self.certify(k - 1);
        }
        self.count();
        true
    }

    fn is_there(&self, object: u32) -> bool {
        self.place
            .get(object as usize)
            .is_some_and(|&k| k != NOWHERE)
    }

    fn number_from(&mut self, k: usize) {
        for (k, &object) in self.order.iter().enumerate().skip(k) {
            self.place[object as usize] = k as u32;
        }
    }

    fn sort(&mut self) {
        let (motions, now) = (&self.motions, self.now);
        // By value, and among equals by future values.
        let key = |o: u32| {
            let m = &motions[o as usize];
            m.about(now).map_or_else(
                || [m.at(now), m.slope(now), 0.0, 0.0, 0.0, 0.0, 0.0],
                |p| p.value.c,
            )
        };
        self.order.sort_unstable_by(|&a, &b| {
            let (x, y) = (key(a), key(b));
            (x.iter().zip(&y))
                .map(|(x, y)| (x + 0.0).total_cmp(&(y + 0.0)))
                .find(|o| o.is_ne())
                .unwrap_or(a.cmp(&b))
        });
        self.queue.clear();
        self.number_from(0);
        for k in 0..self.order.len() {
            self.certify(k);
        }
        self.count();
    }

    /// Reissues the certificate of gap `k`. Returns whether it had an event, and whether it has
    /// one.
    fn certify(&mut self, k: usize) -> (bool, bool) {
        let Some(&left) = self.order.get(k) else {
            return (false, false);
        };
        let time = self.order.get(k + 1).map_or(f64::INFINITY, |&right| {
            let [l, r] = [left, right].map(|o| &self.motions[o as usize]);
            first_passing(l, r, self.now, self.horizon)
        });
        (self.queue.schedule(left, time), time < f64::INFINITY)
    }

    fn count(&mut self) {
        let certificates = self.order.len().saturating_sub(1) as u64;
        self.stats.sizes(certificates, self.queue.len());
    }

    /// For tests: exchanges two places silently.
    #[doc(hidden)]
    pub fn corrupt(&mut self, k: usize) {
        self.order.swap(k, k + 1);
        self.number_from(k);
    }
}

impl Kinetic for SortedList {
    type Plan = Motion1;

    fn now(&self) -> f64 {
        self.now
    }

    fn next_time(&self) -> f64 {
        self.queue.first().map_or(f64::INFINITY, |e| e.0)
    }

    fn advance(&mut self, t: f64) -> Result<Advanced, Inconsistent> {
        let before = Advanced::total(&self.stats);
        while self.step(t)?.is_some() {}
        self.now = self.now.max(t);
        Ok(Advanced::total(&self.stats).since(before))
    }

    fn change_plan(&mut self, object: u32, plan: Motion1) -> Result<(), PlanError> {
        if !self.is_there(object) {
            let count = self.motions.len();
            return Err(PlanError::NoObject { object, count });
        }
        plan.checked(object)?;
        let (old, new) = (
            self.motions[object as usize].at(self.now),
            plan.at(self.now),
        );
        PlanError::check_jump(object, new - old, 1.0 + old.abs())?;
        self.motions[object as usize] = plan;
        let k = self.place[object as usize] as usize;
        self.certify(k);
        if k > 0 {
            self.certify(k - 1);
        }
        self.stats
            .plan_change(u64::from(k > 0) + u64::from(k + 1 < self.order.len()));
        self.count();
        Ok(())
    }

    fn audit(&self, t: f64) -> Result<(), Inconsistent> {
        let fault = |object, what| {
            Err(Inconsistent {
                time: t,
                object,
                what,
            })
        };
        for (k, &left) in self.order.iter().enumerate() {
            if self.place[left as usize] as usize != k {
                return fault(left, "it is not where its place says");
            }
            let time = self.queue.time_of(left);
            let Some(&right) = self.order.get(k + 1) else {
                if time < f64::INFINITY {
                    return fault(left, "the last point has an event");
                }
                continue;
            };
            let [l, r] = [left, right].map(|o| &self.motions[o as usize]);
            let size = l.at(t).abs() + r.at(t).abs() + (l.slope(t) - r.slope(t)).abs();
            if r.at(t) - l.at(t) < -ROUNDING * size {
                return fault(left, "it is right of its right neighbour");
            }
            let fresh = first_passing(l, r, self.now, self.horizon);
            // A gap near zero was just repaired, and its event is sensitive to the value of now; a
            // clear gap is not.
            let clear = r.at(self.now) - l.at(self.now) > 1e-6 * size;
            let polynomials = l.degree().is_some() && r.degree().is_some();
            if clear
                && polynomials
                && fresh != time
                && !((fresh - time).abs() < 1e-5 * (1.0 + time.abs()))
            {
                return fault(left, "its event is not when it passes");
            }
        }
        if self.queue.len() >= self.order.len().max(1) {
            return fault(0, "there are more events than gaps");
        }
        Ok(())
    }

    fn rebuild(&mut self, t: f64) -> Result<(), Inconsistent> {
        self.now = self.now.max(t);
        self.livelock = Livelock::new(self.now);
        self.sort();
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
