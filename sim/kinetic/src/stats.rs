//! What a structure's events cost: counters of the four measures of kinetic structures, and a table
//! of them.
//!
//! Responsiveness is counted in operations, not in nanoseconds: the simulation reads no clock, and
//! what wants times measures around it. Counting neither allocates nor panics; numbers stay at
//! their largest value instead of wrapping.

use std::fmt::{self, Write};

/// Most types of events that a structure tells apart.
pub const MAX_KINDS: usize = 10;

/// Classes of the histogram: class `k` counts events of `2^k - 1` to `2^(k+1) - 2` operations.
pub const CLASSES: usize = 12;

/// What one event cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventCost {
    /// Certificates made.
    pub created: u32,
    /// Certificates dropped.
    pub destroyed: u32,
    /// Insertions into the queue and removals.
    pub queue_operations: u32,
    /// Levels of a tree that were changed; 1 where there is no tree.
    pub levels: u32,
}

impl EventCost {
    fn operations(&self) -> u64 {
        u64::from(self.created) + u64::from(self.destroyed) + u64::from(self.queue_operations)
    }
}

/// Counters over a window: from the last [`Stats::reset`] on.
#[derive(Clone, Debug, PartialEq)]
pub struct Stats {
    kinds: &'static [&'static str],
    /// Events by type that changed bookkeeping only.
    pub internal: [u64; MAX_KINDS],
    /// Events by type that changed what is kept up to date.
    pub external: [u64; MAX_KINDS],
    /// Events by type and class of cost.
    pub histogram: [[u64; CLASSES]; MAX_KINDS],
    /// Sum over the events.
    pub total: EventTotals,
    /// Largest of each over the events.
    pub worst: EventCost,
    /// Live certificates now, whether they have an event or not.
    pub certificates_live: u64,
    /// Most live certificates.
    pub certificates_live_max: u64,
    /// Longest queue.
    pub queue_len_max: u64,
    /// Changes of flight plans.
    pub plan_changes: u64,
    /// Certificates that those issued again, all together.
    pub reissued: u64,
    /// Most that one issued again.
    pub reissued_max: u64,
    /// Most certificates that name one object, of those that were counted ([`Stats::named`]).
    pub certificates_per_object_max: u64,
    /// Times at which the structure was rebuilt because something in it could not be.
    pub rebuilds: u64,
    /// Searches of a smooth certificate's failure that found it false at the start.
    pub false_at_start: u64,
}

/// The four measures of a kinetic structure, for who shows them while it works. Over the same
/// window as the [`Stats`] that they are of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Compactness: the most live certificates there were after an event.
    pub certificates_max: u64,
    /// Efficiency: events that changed bookkeeping only, beside those that changed what is kept up
    /// to date.
    pub events_internal: u64,
    /// See above.
    pub events_external: u64,
    /// Locality: most certificates that name one object, of those that were counted.
    pub certificates_per_object_max: u64,
    /// Responsiveness: most certificates that one event made or dropped, the larger of the two.
    pub changes_per_event_max: u64,
    /// Times at which the structure was rebuilt.
    pub rebuilds: u64,
}

/// Sums of [`EventCost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventTotals {
    /// Certificates made.
    pub created: u64,
    /// Certificates dropped.
    pub destroyed: u64,
    /// Insertions into the queue and removals.
    pub queue_operations: u64,
    /// Levels of a tree that were changed.
    pub levels: u64,
}

impl Stats {
    /// All zero. `kinds`: names of the types of events, [`MAX_KINDS`] at most; further ones are
    /// counted with the last.
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

    /// A new window: zero, but for the certificates that are live.
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

    /// Counts a change of a flight plan that issued this many certificates again.
    pub fn plan_change(&mut self, reissued: u64) {
        self.plan_changes += 1;
        self.reissued += reissued;
        self.reissued_max = self.reissued_max.max(reissued);
    }

    /// Says how many certificates are live and how long the queue is.
    pub fn sizes(&mut self, certificates: u64, queue: usize) {
        self.certificates_live = certificates;
        self.certificates_live_max = self.certificates_live_max.max(certificates);
        self.queue_len_max = self.queue_len_max.max(queue as u64);
    }

    /// All events.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events_internal() + self.events_external()
    }

    /// Events that changed bookkeeping only.
    #[must_use]
    pub fn events_internal(&self) -> u64 {
        self.internal.iter().sum()
    }

    /// Events that changed what is kept up to date.
    #[must_use]
    pub fn events_external(&self) -> u64 {
        self.external.iter().sum()
    }

    /// Says how many certificates name an object.
    pub fn named(&mut self, certificates: u64) {
        self.certificates_per_object_max = self.certificates_per_object_max.max(certificates);
    }

    /// The four measures.
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

    /// Names of the types of events.
    #[must_use]
    pub fn kinds(&self) -> &'static [&'static str] {
        self.kinds
    }

    /// Writes a table, comma-separated: a line for each type of event with its histogram, then the
    /// counters, each with its name.
    ///
    /// # Errors
    /// What the writer returns.
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
