//! The most recent force-offs, kept for later queries.
//!
//! A fixed ring inside the governor: no allocation, constant time, callable from the haptic loop. A
//! cause that returns while it is still the newest entry (a flickering switch) is counted in that
//! entry and pushes no other out.

use super::reason::ForceOffReason;

/// Number of entries kept.
pub const HISTORY_LENGTH: usize = 64;

/// One force-off, or several of the same cause in a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForceOff {
    /// Cause of the force-off.
    pub reason: ForceOffReason,
    /// First time that it began, on the caller's clock, ns.
    pub first_ns: u64,
    /// Last time that it began, ns.
    pub last_ns: u64,
    /// Number of times that it began.
    pub count: u32,
}

/// Ring of the last [`HISTORY_LENGTH`] force-offs.
#[derive(Clone, Debug)]
pub struct History {
    entries: [Option<ForceOff>; HISTORY_LENGTH],
    /// Index of the next new entry.
    next: usize,
    total: u64,
}

impl Default for History {
    fn default() -> Self {
        History {
            entries: [None; HISTORY_LENGTH],
            next: 0,
            total: 0,
        }
    }
}

impl History {
    /// Records that `reason` began at `now_ns`.
    pub fn record(&mut self, now_ns: u64, reason: ForceOffReason) {
        self.total = self.total.saturating_add(1);
        let newest = (self.next + HISTORY_LENGTH - 1) % HISTORY_LENGTH;
        if let Some(entry) = &mut self.entries[newest]
            && entry.reason == reason
        {
            entry.last_ns = now_ns;
            entry.count = entry.count.saturating_add(1);
            return;
        }
        self.entries[self.next] = Some(ForceOff {
            reason,
            first_ns: now_ns,
            last_ns: now_ns,
            count: 1,
        });
        self.next = (self.next + 1) % HISTORY_LENGTH;
    }

    /// Returns the number of force-offs since the start, kept or not.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the newest entry.
    #[must_use]
    pub fn newest(&self) -> Option<&ForceOff> {
        self.iter().next()
    }

    /// Iterates over the kept entries, newest first.
    pub fn iter(&self) -> impl Iterator<Item = &ForceOff> {
        let next = self.next;
        (1..=HISTORY_LENGTH).filter_map(move |back| {
            self.entries[(next + HISTORY_LENGTH - back) % HISTORY_LENGTH].as_ref()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ForceOffReason::{OverVelocity, StaleInput, Stall};

    #[test]
    fn entries_come_newest_first_and_repeats_are_counted() {
        let mut history = History::default();
        assert_eq!(history.newest(), None);
        history.record(10, Stall);
        history.record(20, StaleInput);
        history.record(30, StaleInput);
        let kept: Vec<_> = history.iter().copied().collect();
        assert_eq!(
            kept,
            [
                ForceOff {
                    reason: StaleInput,
                    first_ns: 20,
                    last_ns: 30,
                    count: 2
                },
                ForceOff {
                    reason: Stall,
                    first_ns: 10,
                    last_ns: 10,
                    count: 1
                },
            ]
        );
        assert_eq!(history.total(), 3);
    }

    #[test]
    fn the_oldest_entry_leaves_when_the_ring_is_full() {
        let mut history = History::default();
        for i in 0..100u64 {
            history.record(i, if i % 2 == 0 { Stall } else { OverVelocity });
        }
        let times: Vec<_> = history.iter().map(|e| e.first_ns).collect();
        assert_eq!(times, (36..100).rev().collect::<Vec<_>>());
        assert_eq!(history.total(), 100);
    }
}
