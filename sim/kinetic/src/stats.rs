//! Cost of a structure's events: counters of the four measures of kinetic structures, and a table
//! of them.
//!
//! Responsiveness is counted in operations, not in nanoseconds. The simulation reads no clock; a
//! caller that wants times measures from outside. Counting neither allocates nor panics; 64-bit
//! counters do not overflow in practice.

use std::fmt::{self, Write};

/// Most types of events that a structure distinguishes.
pub const MAX_KINDS: usize = 10;

/// Classes of the histogram: class `k` counts events of `2^k - 1` to `2^(k+1) - 2` operations.
pub const CLASSES: usize = 12;

/// Cost of one event.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCost {
    /// Certificates created.
    pub created: u32,
    /// Certificates destroyed.
    pub destroyed: u32,
    /// Insertions into the queue and removals.
    pub queue_operations: u32,
    /// Levels of a tree that changed; 1 if there is no tree.
    pub levels: u32,
}

impl EventCost {
    fn operations(&self) -> u64 {
        u64::from(self.created) + u64::from(self.destroyed) + u64::from(self.queue_operations)
    }
}

/// Counters over a window, which starts at the last [`Stats::reset`].
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    kinds: &'static [&'static str],
    /// Events by type that changed bookkeeping only.
    pub internal: [u64; MAX_KINDS],
    /// Events by type that changed the maintained property.
    pub external: [u64; MAX_KINDS],
    /// Events by type and class of cost.
    pub histogram: [[u64; CLASSES]; MAX_KINDS],
    /// Sum over the events.
    pub total: EventTotals,
    /// Largest of each cost over the events.
    pub worst: EventCost,
    /// Certificates that are live now, whether they have an event or not.
    pub certificates_live: u64,
    /// Most live certificates.
    pub certificates_live_max: u64,
    /// Longest queue.
    pub queue_len_max: u64,
    /// Changes of flight plans.
    pub plan_changes: u64,
    /// Certificates that changes of flight plans reissued, in total.
    pub reissued: u64,
    /// Most certificates that one change of a plan reissued.
    pub reissued_max: u64,
    /// Most certificates that involve one object, among those counted by [`Stats::named`].
    pub certificates_per_object_max: u64,
    /// Number of rebuilds after an inconsistency.
    pub rebuilds: u64,
    /// Searches for the failure of a smooth certificate that found it false at the start.
    pub false_at_start: u64,
}

/// The four measures of a kinetic structure, for display while it runs. They cover the same window
/// as their [`Stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Compactness: the most live certificates after an event.
    pub certificates_max: u64,
    /// Efficiency: events that changed bookkeeping only, to be compared with `events_external`.
    pub events_internal: u64,
    /// Efficiency: events that changed the maintained property.
    pub events_external: u64,
    /// Locality: most certificates that involve one object, among those that were counted.
    pub certificates_per_object_max: u64,
    /// Responsiveness: most certificates that one event created or destroyed, whichever is larger.
    pub changes_per_event_max: u64,
    /// Number of rebuilds.
    pub rebuilds: u64,
}

/// Sums of [`EventCost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTotals {
    /// Certificates created.
    pub created: u64,
    /// Certificates destroyed.
    pub destroyed: u64,
    /// Insertions into the queue and removals.
    pub queue_operations: u64,
    /// Levels of a tree that changed.
    pub levels: u64,
}

impl Stats {
    /// Starts with zeros. `kinds` holds the names of the types of events, at most [`MAX_KINDS`];
    /// further types are counted with the last.
    #[must_use]
    pub fn new(kinds: &'static [&'static str]) -> Self {
        Self {
            kinds,
            internal: [0; MAX_KINDS],
            external: [0; MAX_KINDS],
            histogram: [[0; CLASSES]; MAX_KINDS],
            total: EventTotals::default(),
            worst: EventCost::default(),
            certificates_live: 0,
            certificates_live_max: 0,
            queue_len_max: 0,
            plan_changes: 0,
            reissued: 0,
            reissued_max: 0,
            certificates_per_object_max: 0,
            rebuilds: 0,
            false_at_start: 0,
        }
    }

    /// Starts a new window: zero, except for the certificates that are live.
    pub fn reset(&mut self) {
        let live = self.certificates_live;
        *self = Self::new(self.kinds);
        self.certificates_live = live;
        self.certificates_live_max = live;
    }

    /// Counts an event.
    pub fn event(&mut self, kind: usize, external: bool, cost: EventCost) {
        let kind = kind.min(MAX_KINDS - 1);
        if external {
            self.external[kind] += 1;
        } else {
            self.internal[kind] += 1;
        }
        let class = (cost.operations() + 1).ilog2() as usize;
        self.histogram[kind][class.min(CLASSES - 1)] += 1;
        let (total, worst) = (&mut self.total, &mut self.worst);
        total.created += u64::from(cost.created);
        total.destroyed += u64::from(cost.destroyed);
        total.queue_operations += u64::from(cost.queue_operations);
        total.levels += u64::from(cost.levels);
        worst.created = worst.created.max(cost.created);
        worst.destroyed = worst.destroyed.max(cost.destroyed);
        worst.queue_operations = worst.queue_operations.max(cost.queue_operations);
        worst.levels = worst.levels.max(cost.levels);
    }

    /// Counts a change of a flight plan that reissued this many certificates.
    pub fn plan_change(&mut self, reissued: u64) {
        self.plan_changes += 1;
        self.reissued += reissued;
        self.reissued_max = self.reissued_max.max(reissued);
    }

    /// Records how many certificates are live and how long the queue is.
    pub fn sizes(&mut self, certificates: u64, queue: usize) {
        self.certificates_live = certificates;
        self.certificates_live_max = self.certificates_live_max.max(certificates);
        self.queue_len_max = self.queue_len_max.max(queue as u64);
    }

    /// Returns the number of all events.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events_internal() + self.events_external()
    }

    /// Returns the number of events that changed bookkeeping only.
    #[must_use]
    pub fn events_internal(&self) -> u64 {
        self.internal.iter().sum()
    }

    /// Returns the number of events that changed the maintained property.
    #[must_use]
    pub fn events_external(&self) -> u64 {
        self.external.iter().sum()
    }

    /// Records how many certificates involve an object.
    pub fn named(&mut self, certificates: u64) {
        self.certificates_per_object_max = self.certificates_per_object_max.max(certificates);
    }

    /// Returns the four measures.
    #[must_use]
    pub fn measures(&self) -> Measures {
        Measures {
            certificates_max: self.certificates_live_max,
            events_internal: self.events_internal(),
            events_external: self.events_external(),
            certificates_per_object_max: self.certificates_per_object_max,
            changes_per_event_max: u64::from(self.worst.created.max(self.worst.destroyed)),
            rebuilds: self.rebuilds,
        }
    }

    /// Returns the names of the types of events.
    #[must_use]
    pub fn kinds(&self) -> &'static [&'static str] {
        self.kinds
    }

    /// Writes a table, comma-separated: a line for each type of event with its histogram, then the
    /// counters, each with its name.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn write_csv(&self, to: &mut impl Write) -> fmt::Result {
        write!(to, "type,internal,external")?;
        for class in 0..CLASSES {
            write!(to, ",ops_from_{}", (1_u64 << class) - 1)?;
        }
        for (k, name) in self.kinds.iter().enumerate().take(MAX_KINDS) {
            write!(to, "\n{name},{},{}", self.internal[k], self.external[k])?;
            for count in &self.histogram[k] {
                write!(to, ",{count}")?;
            }
        }
        writeln!(to, "\ncounter,value")?;
        for (name, value) in [
            ("created", self.total.created),
            ("destroyed", self.total.destroyed),
            ("queue_operations", self.total.queue_operations),
            ("levels", self.total.levels),
            ("created_max", u64::from(self.worst.created)),
            ("destroyed_max", u64::from(self.worst.destroyed)),
            ("levels_max", u64::from(self.worst.levels)),
            ("certificates_live", self.certificates_live),
            ("certificates_live_max", self.certificates_live_max),
            ("queue_len_max", self.queue_len_max),
            ("plan_changes", self.plan_changes),
            ("reissued", self.reissued),
            ("reissued_max", self.reissued_max),
            (
                "certificates_per_object_max",
                self.certificates_per_object_max,
            ),
            ("rebuilds", self.rebuilds),
            ("false_at_start", self.false_at_start),
        ] {
            writeln!(to, "{name},{value}")?;
        }
        Ok(())
    }
}
