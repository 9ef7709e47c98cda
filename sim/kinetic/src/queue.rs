//! The event queue: earliest first; events of equal time in the order in which they were scheduled.
//!
//! An indexed heap with four children a node. Each certificate has a *slot*, and a slot has at most
//! one event, so the queue is never longer than there are certificates. All operations are `O(log
//! n)`. Nothing allocates once [`EventQueue::reserve`] has made capacity for the slots. An infinite
//! time or NaN is not an event: scheduling it removes the slot's event.

use std::cmp::Ordering;

/// A slot without an event.
const NOWHERE: u32 = u32::MAX;

/// Children of a node. With four, they lie in one or two cache lines, and the heap is half as high
/// as a binary one.
const CHILDREN: usize = 4;

#[derive(Clone, Copy, Debug)]
struct Entry {
    time: f64,
    sequence: u64,
    slot: u32,
}

impl Entry {
    fn before(&self, other: &Self) -> bool {
        match self.time.total_cmp(&other.time) {
            Ordering::Less => true,
            Ordering::Equal => self.sequence < other.sequence,
            Ordering::Greater => false,
        }
    }
}

/// A queue of events by time. See the [module](self).
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    place: Vec<u32>,
    sequence: u64,
    operations: u64,
}

impl EventQueue {
    /// Creates a queue with capacity for the events of this many slots.
    #[must_use]
    pub fn with_slots(slots: usize) -> Self {
        let mut queue = Self::default();
        queue.reserve(slots);
        queue
    }

    /// Makes capacity for slots `0..slots`. Allocates if there were fewer.
    pub fn reserve(&mut self, slots: usize) {
        if slots > self.place.len() {
            self.place.resize(slots, NOWHERE);
            self.heap.reserve(slots - self.heap.len());
        }
    }

    /// Returns the number of events in the queue.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// Returns whether there are no events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Returns the number of insertions and removals so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Returns the time of a slot's event, infinite if it has none.
    #[must_use]
    pub fn time_of(&self, slot: u32) -> f64 {
        match self.place.get(slot as usize) {
            Some(&at) if at != NOWHERE => self.heap[at as usize].time,
            _ => f64::INFINITY,
        }
    }

    /// Returns the earliest event: its time and slot.
    #[must_use]
    pub fn first(&self) -> Option<(f64, u32)> {
        self.heap.first().map(|e| (e.time, e.slot))
    }

    /// Schedules the slot's event at `time`, after all others of that time, and discards its old
    /// one.
    ///
    /// Returns true if it had one. Allocates only for a slot beyond those that [`Self::reserve`]
    /// made capacity for.
    pub fn schedule(&mut self, slot: u32, time: f64) -> bool {
        let had = self.remove(slot);
        if !(time < f64::INFINITY) {
            return had;
        }
        self.reserve(slot as usize + 1);
        self.operations += 1;
        self.sequence += 1;
        self.heap.push(Entry {
            time,
            sequence: self.sequence,
            slot,
        });
        self.rise(self.heap.len() - 1);
        had
    }

    /// Removes the slot's event. Returns true if it had one.
    pub fn remove(&mut self, slot: u32) -> bool {
        let Some(&at) = self.place.get(slot as usize) else {
            return false;
        };
        if at == NOWHERE {
            return false;
        }
        self.take(at as usize);
        true
    }

    /// Removes and returns the earliest event.
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        let first = self.first();
        if first.is_some() {
            self.take(0);
        }
        first
    }

    /// Removes all events. Keeps the memory.
    pub fn clear(&mut self) {
        for entry in self.heap.drain(..) {
            self.place[entry.slot as usize] = NOWHERE;
        }
    }

    fn take(&mut self, at: usize) {
        self.operations += 1;
        let gone = self.heap.swap_remove(at);
        self.place[gone.slot as usize] = NOWHERE;
        if at < self.heap.len() {
            let at = self.rise(at);
            self.sink(at);
        }
    }

    fn rise(&mut self, mut at: usize) -> usize {
        let entry = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / CHILDREN;
            if !entry.before(&self.heap[parent]) {
                break;
            }
            self.put(at, self.heap[parent]);
            at = parent;
        }
        self.put(at, entry);
        at
    }

    fn sink(&mut self, mut at: usize) {
        let entry = self.heap[at];
        loop {
            let first = CHILDREN * at + 1;
            let last = (first + CHILDREN).min(self.heap.len());
            let Some(least) = (first..last).reduce(|a, b| {
                if self.heap[b].before(&self.heap[a]) {
                    b
                } else {
                    a
                }
            }) else {
                break;
            };
            if !self.heap[least].before(&entry) {
                break;
            }
            self.put(at, self.heap[least]);
            at = least;
        }
        self.put(at, entry);
    }

    fn put(&mut self, at: usize, entry: Entry) {
        self.heap[at] = entry;
        self.place[entry.slot as usize] = at as u32;
    }
}
