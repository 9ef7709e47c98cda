//! The endpoints of all bodies along one axis, in order, and the bands in which each may move
//! without a check against its neighbours.
//!
//! # Theory
//!
//! Bounds that move linearly pass each other at most once in a step. So the certificates that fail
//! in a step are the inversions between the order at its start and that at its end. An insertion
//! sort finds each of them once, as one exchange. The times have a closed form and need no queue.
//!
//! Between each two neighbours there is a *separator*, somewhere in their gap. While every endpoint
//! stays between its two separators, in its *band*, no certificate fails. So endpoints that stay in
//! their bands are not compared with their neighbours at all. Those that leave, the *awake* ones,
//! are sorted in among the others and get new bands. A separator is placed where its two neighbours
//! would arrive at the same time at their current speeds.
//!
//! # Practice
//!
//! If more than one endpoint in a hundred and sixty is awake (one in forty, if only a few are),
//! bands cost more than they save. The axis then goes *blind* for some steps, which means a plain
//! insertion sort.

use super::table::{BOUNDS, Table, at};

/// Share of awake endpoints beyond which a plain insertion sort is cheaper: one in this many. An
/// awake endpoint is at a random place in memory, as are its neighbours and bands, while a sort of
/// all runs straight through. The second share applies above `CACHED_AWAKE` awake ones, when they
/// do not fit the nearest caches.
const PLAIN_SORT_SHARES: [usize; 2] = [40, 160];
const CACHED_AWAKE: usize = 16;

/// Steps without bands after that: new bands cost about five steps. The number doubles each time
/// that the bands were in vain.
const MIN_BLIND_STEPS: u32 = 32;
const MAX_BLIND_STEPS: u32 = 1024;

/// Places that are compared together when all endpoints are sorted.
const RUN: usize = 32;

/// Share of the gap's speed that each side of a separator gets, whichever of them moves: speeds
/// change.
const MIN_SPEED_SHARE: f64 = 0.15;

/// The endpoints along one axis. An endpoint's number is twice its body's, plus one for the upper
/// bound.
#[derive(Clone, Debug, Default)]
pub(super) struct Axis {
    number: usize,
    pub(super) order: Vec<u32>,
    place: Vec<u32>,
    /// Endpoints that have left their bands.
    awake: Vec<u32>,
    /// Places next to which separators must be set again, and places to be visited. One bit each,
    /// so that they come sorted.
    marks: Vec<u64>,
    places: Vec<u64>,
    keys: Vec<f32>,
    /// Steps left without bands, and how many there will be the next time.
    blind: u32,
    next_blind_steps: u32,
    pub(super) swaps: u64,
}

/// The budget is used up: the order is invalid.
pub(super) struct Exhausted;

impl Axis {
    pub(super) fn new(number: usize, bodies: usize) -> Self {
        let ends = 2 * bodies;
        Self {
            number,
            order: (0..ends as u32).collect(),
            place: (0..ends as u32).collect(),
            awake: Vec::with_capacity(ends),
            marks: vec![0; ends.div_ceil(64)],
            places: vec![0; ends.div_ceil(64)],
            keys: vec![0.0; ends],
            blind: 0,
            next_blind_steps: MIN_BLIND_STEPS,
            swaps: 0,
        }
    }

    pub(super) fn is_blind(&self) -> bool {
        self.blind > 0
    }

    pub(super) fn wake(&mut self, endpoint: u32) {
        self.awake.push(endpoint);
    }

    /// Returns the number of endpoints that this step visits.
    pub(super) fn awake(&self) -> usize {
        if self.is_blind() {
            self.order.len()
        } else {
            self.awake.len()
        }
    }

    pub(super) fn sleep(&mut self) {
        self.awake.clear();
    }

    /// Sorts from scratch, by the ends of the step, and sets all bands.
    pub(super) fn sort(&mut self, table: &mut Table) {
        let (number, ends) = (self.number, &table.end);
        let key = |e: u32| ends[at(number, e)];
        self.order.sort_unstable_by(|&a, &b| {
            // Lower bounds first: touching is overlapping. The number only makes the order unique.
            (key(a).total_cmp(&key(b)))
                .then((a & 1).cmp(&(b & 1)))
                .then(a.cmp(&b))
        });
        for (k, &e) in self.order.iter().enumerate() {
            self.place[e as usize] = k as u32;
        }
        self.awake.clear();
        self.blind = 0;
        self.separate_all(table);
    }

    /// Brings the order from the start of the step to its end.
    ///
    /// Calls `crossing(left, right)` when `right` moves to the left of `left`, one being a lower
    /// bound and the other an upper one. If `continuous`, the start equals the last step's end.
    pub(super) fn step(
        &mut self,
        table: &mut Table,
        continuous: bool,
        budget: &mut u64,
        mut crossing: impl FnMut(&Table, u32, u32),
    ) -> Result<(), Exhausted> {
        self.swaps = 0;
        let many = PLAIN_SORT_SHARES[usize::from(self.awake.len() > CACHED_AWAKE)];
        if self.blind == 0 && self.awake.len() * many > self.order.len() {
            self.blind = self.next_blind_steps;
            self.next_blind_steps = (2 * self.next_blind_steps).min(MAX_BLIND_STEPS);
            table.open(self.number);
        } else if self.blind == 0 {
            self.next_blind_steps = (self.next_blind_steps - 1).max(MIN_BLIND_STEPS);
        }
        if self.blind > 0 {
            for at_end in [false, true] {
                if at_end || !continuous {
                    self.insert_all(table, at_end, budget, &mut crossing)?;
                }
            }
            self.awake.clear();
            self.blind -= 1;
            if self.blind == 0 {
                self.separate_all(table);
            }
            return Ok(());
        }
        if self.awake.is_empty() {
            return Ok(());
        }
        for at_end in [false, true] {
            if at_end || !continuous {
                self.insert_awake(table, at_end, budget, &mut crossing)?;
            }
        }
        for k in 0..self.awake.len() {
            self.mark(self.place[self.awake[k] as usize]);
        }
        for word in 0..self.marks.len() {
            let mut bits = std::mem::take(&mut self.marks[word]);
            while bits != 0 {
                let k = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                if k > 0 {
                    self.separate(table, k - 1);
                }
                self.separate(table, k);
            }
        }
        self.awake.clear();
        Ok(())
    }

    fn mark(&mut self, place: u32) {
        self.marks[place as usize / 64] |= 1 << (place % 64);
    }

    /// Insertion sort that visits only places where an awake endpoint is or has moved to.
    fn insert_awake(
        &mut self,
        table: &Table,
        at_end: bool,
        budget: &mut u64,
        crossing: &mut impl FnMut(&Table, u32, u32),
    ) -> Result<(), Exhausted> {
        let keys = if at_end { &table.end } else { &table.start };
        let number = self.number;
        let key = |e: u32| keys[at(number, e)];
        self.places.fill(0);
        for &e in &self.awake {
            let k = self.place[e as usize] as usize;
            self.places[k / 64] |= 1 << (k % 64);
        }
        // All places before this one are in order.
        let mut settled = 0;
        for word in 0..self.places.len() {
            let mut bits = self.places[word];
            while bits != 0 {
                let first = 64 * word + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                // Runs from an awake endpoint until one that stayed in its band is right of all
                // before it. Then all up to the next awake one are in order.
                if first < settled {
                    continue;
                }
                let mut k = first;
                while k < self.order.len() {
                    let e = self.order[k];
                    let value = key(e);
                    let mut m = k;
                    while m > 0 {
                        let f = self.order[m - 1];
                        let other = key(f);
                        if !(value < other || (value == other && e & 1 < f & 1)) {
                            break;
                        }
                        if (e ^ f) & 1 == 1 {
                            crossing(table, f, e);
                        }
                        self.order[m] = f;
                        self.place[f as usize] = m as u32;
                        m -= 1;
                    }
                    self.order[m] = e;
                    self.place[e as usize] = m as u32;
                    let moved = (k - m) as u64;
                    self.swaps += moved;
                    if moved > *budget {
                        return Err(Exhausted);
                    }
                    *budget -= moved;
                    let is_awake = self.places[k / 64] >> (k % 64) & 1 == 1;
                    k += 1;
                    if moved == 0 && !is_awake {
                        break;
                    }
                }
                settled = k;
            }
        }
        Ok(())
    }

    /// Plain insertion sort. The test that passes for most endpoints runs in single precision and
    /// on several at once: a larger value there is larger in double precision.
    fn insert_all(
        &mut self,
        table: &Table,
        at_end: bool,
        budget: &mut u64,
        crossing: &mut impl FnMut(&Table, u32, u32),
    ) -> Result<(), Exhausted> {
        let values = if at_end { &table.end } else { &table.start };
        // Visits the bodies in memory order and scatters their values to their places in the order.
        // The reads are sequential, and nothing waits for the stores.
        let rows = values.as_chunks::<BOUNDS>().0;
        let (lower, upper) = (2 * self.number, 2 * self.number + 1);
        for (row, [low, high]) in rows.iter().zip(self.place.as_chunks::<2>().0) {
            for (place, column) in [(*low, lower), (*high, upper)] {
                if let Some(to) = self.keys.get_mut(place as usize) {
                    *to = row[column] as f32;
                }
            }
        }
        let mut k = 1;
        while k < self.order.len() {
            if let Some(run) = self.keys[k - 1..].first_chunk::<{ RUN + 1 }>() {
                let mut out = 0_u32;
                for i in 0..RUN {
                    out |= u32::from(!(run[i + 1] > run[i]));
                }
                if out == 0 {
                    k += RUN;
                    continue;
                }
            }
            let end = (k + RUN).min(self.order.len());
            while k < end {
                if !(self.keys[k] > self.keys[k - 1]) {
                    let moved = self.insert(table, values, k, crossing);
                    self.swaps += moved;
                    if moved > *budget {
                        return Err(Exhausted);
                    }
                    *budget -= moved;
                }
                k += 1;
            }
        }
        Ok(())
    }

    /// Moves the endpoint at place `k` to where it belongs among those before it, which are in
    /// order. Returns how far it moved.
    fn insert(
        &mut self,
        table: &Table,
        values: &[f64],
        k: usize,
        crossing: &mut impl FnMut(&Table, u32, u32),
    ) -> u64 {
        let (e, key) = (self.order[k], self.keys[k]);
        let value = |e: u32| values[at(self.number, e)];
        let mut m = k;
        while m > 0 {
            let (f, other) = (self.order[m - 1], self.keys[m - 1]);
            // Equal in single precision decides nothing.
            if !(key < other) {
                let (left, right) = (value(f), value(e));
                if key > other || !(right < left || (right == left && e & 1 < f & 1)) {
                    break;
                }
            }
            if (e ^ f) & 1 == 1 {
                crossing(table, f, e);
            }
            self.order[m] = f;
            self.keys[m] = other;
            self.place[f as usize] = m as u32;
            m -= 1;
        }
        if m < k {
            self.order[m] = e;
            self.keys[m] = key;
            self.place[e as usize] = m as u32;
        }
        (k - m) as u64
    }

    /// Sets the separator between places `k` and `k + 1`.
    fn separate(&self, table: &mut Table, k: usize) {
        let left = at(self.number, self.order[k]);
        let Some(&next) = self.order.get(k + 1) else {
            table.high[left] = f64::MAX;
            return;
        };
        if k == 0 {
            table.low[left] = f64::MIN;
        }
        let right = at(self.number, next);
        let (l, r) = (table.end[left], table.end[right]);
        let (u, v) = (l - table.start[left], r - table.start[right]);
        let either = MIN_SPEED_SHARE * (u.abs() + v.abs()) + f64::MIN_POSITIVE;
        let (u, v) = (u.max(0.0) + either, (-v).max(0.0) + either);
        let separator = (l + (r - l) * (u / (u + v))).clamp(l, r.max(l));
        table.high[left] = separator;
        table.low[right] = separator;
    }

    fn separate_all(&self, table: &mut Table) {
        for k in 0..self.order.len() {
            self.separate(table, k);
        }
    }

    /// Moves the endpoints of one body to where they belong at the end of the step, while all
    /// others are in order.
    pub(super) fn replace(&mut self, table: &mut Table, body: u32) {
        let number = self.number;
        // If it moves left, the upper bound can move only after the lower one.
        for e in [2 * body + 1, 2 * body, 2 * body + 1, 2 * body] {
            let ends = &table.end;
            let key = |e: u32| ends[at(number, e)];
            let before = |a: u32, b: u32| key(a) < key(b) || (key(a) == key(b) && a & 1 < b & 1);
            let from = self.place[e as usize] as usize;
            let mut k = from;
            while k > 0 && before(e, self.order[k - 1]) {
                self.order[k] = self.order[k - 1];
                self.place[self.order[k] as usize] = k as u32;
                k -= 1;
            }
            while k + 1 < self.order.len() && before(self.order[k + 1], e) {
                self.order[k] = self.order[k + 1];
                self.place[self.order[k] as usize] = k as u32;
                k += 1;
            }
            self.order[k] = e;
            self.place[e as usize] = k as u32;
            if self.blind == 0 {
                for k in [from, k] {
                    if k > 0 {
                        self.separate(table, k - 1);
                    }
                    self.separate(table, k);
                }
            }
        }
    }

    /// Returns the first endpoint that is misplaced at the end of the step.
    pub(super) fn fault(&self, table: &Table) -> Option<u32> {
        let key = |e: u32| table.end[at(self.number, e)];
        let misplaced =
            (0..self.order.len()).find(|&k| self.place[self.order[k] as usize] as usize != k);
        let disordered = (1..self.order.len()).find(|&k| {
            let (e, f) = (self.order[k - 1], self.order[k]);
            key(e) > key(f) || (key(e) == key(f) && e & 1 > f & 1)
        });
        let outside = (0..self.order.len()).find(|&k| {
            let e = at(self.number, self.order[k]);
            !(table.low[e] <= table.end[e] && table.end[e] <= table.high[e])
        });
        (misplaced.or(disordered).or(outside)).map(|k| self.order[k])
    }

    #[doc(hidden)]
    pub(super) fn corrupt(&mut self) {
        self.order.reverse();
    }
}
