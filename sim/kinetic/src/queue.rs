//! The queue of events: the earliest first, those of one time in the order in which they were
//! scheduled.
//!
//! An indexed heap with four children a node. Each certificate has a *slot*, and a slot has at most
//! one event, so the queue is never longer than there are certificates. All operations are `O(log
//! n)`; nothing allocates once [`EventQueue::reserve`] has made room for the slots. An infinite
//! time, or none (NaN), is no event: scheduling it takes the slot's event out.

use std::cmp::Ordering;

/// A slot without an event.
const NOWHERE: u32 = u32::MAX;

/// Children of a node: with four a node's children are in one or two cache lines, and the heap is
/// half as high.
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

/// See the module.
#[derive(Clone, Debug, Default)]
pub struct EventQueue {
    heap: Vec<Entry>,
    place: Vec<u32>,
    sequence: u64,
    operations: u64,
}

impl EventQueue {
    /// A queue with room for the events of this many slots.
    #[must_use]
    pub fn with_slots(slots: usize) -> Self {
        let mut queue = Self::default();
        queue.reserve(slots);
        queue
    }

    /// Makes room for slots `0..slots`. Allocates if there were fewer.
    pub fn reserve(&mut self, slots: usize) {
        if slots > self.place.len() {
            self.place.resize(slots, NOWHERE);
            self.heap.reserve(slots - self.heap.len());
        }
    }

    /// Events in the queue.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heap.len()
    }

    /// No events.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heap.is_empty()
    }

    /// Insertions, removals and moves so far.
    #[must_use]
    pub fn operations(&self) -> u64 {
        self.operations
    }

    /// Time of a slot's event, infinite if it has none.
    #[must_use]
    pub fn time_of(&self, slot: u32) -> f64 {
        match self.place.get(slot as usize) {
            Some(&at) if at != NOWHERE => self.heap[at as usize].time,
            _ => f64::INFINITY,
        }
    }

    /// The earliest event: its time and slot.
    #[must_use]
    pub fn first(&self) -> Option<(f64, u32)> {
        self.heap.first().map(|e| (e.time, e.slot))
    }

    /// The slot's event is at `time` from now on, behind all others of that time; its old one is
    /// forgotten. True if it had one. Allocates only for a slot that [`Self::reserve`] was not told
    /// of.
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

    /// Takes the slot's event out. True if it had one.
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

    /// Takes the earliest event out.
    pub fn pop(&mut self) -> Option<(f64, u32)> {
        let first = self.first();
        if first.is_some() {
            self.take(0);
        }
        first
    }

    /// Takes all out. Keeps the memory.
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
