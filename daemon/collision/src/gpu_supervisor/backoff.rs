//! Schedules attempts to reopen a GPU that was given up: soon, and less often while it does not
//! last.
//!
//! Pure: times are arguments, ns on any clock that does not go back. Allocates nothing.

/// Waiting times.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pace {
    /// Wait before the first attempt, ns. Each further wait is twice as long as the one before.
    pub first_ns: u64,
    /// Longest wait, ns.
    pub max_ns: u64,
    /// Time in use after which a backend counts as settled, ns: the next wait is a first one again.
    pub settled_ns: u64,
}

impl Pace {
    /// The daemon's pace. A driver that resets its GPU needs about a second. An unplugged GPU may
    /// come back at any time, and an attempt a minute costs nothing.
    pub const DEFAULT: Self = Self {
        first_ns: 1_000_000_000,
        max_ns: 60_000_000_000,
        settled_ns: 60_000_000_000,
    };
}

/// The schedule of attempts: see the module documentation. The methods report events to it;
/// [`Backoff::due_ns`] says when to try.
#[derive(Clone, Debug)]
pub struct Backoff {
    pace: Pace,
    /// Wait before the next attempt.
    wait_ns: u64,
    due_ns: Option<u64>,
    /// Time since which the present backend has been in use.
    active_since_ns: Option<u64>,
}

impl Backoff {
    /// State before any backend was given up.
    #[must_use]
    pub fn new(pace: Pace) -> Self {
        Self {
            pace,
            wait_ns: pace.first_ns,
            due_ns: None,
            active_since_ns: None,
        }
    }

    /// Time of the next attempt; `None` if none is planned.
    #[must_use]
    pub fn due_ns(&self) -> Option<u64> {
        self.due_ns
    }

    /// Notes that the backend was given up, in use or on probation.
    pub fn given_up(&mut self, now_ns: u64) {
        let lasted = |since: u64| now_ns.saturating_sub(since) >= self.pace.settled_ns;
        if self.active_since_ns.take().is_some_and(lasted) {
            self.wait_ns = self.pace.first_ns;
        }
        self.plan(now_ns);
    }

    /// Notes that an attempt gave no backend.
    pub fn failed(&mut self, now_ns: u64) {
        self.plan(now_ns);
    }

    /// Notes that an attempt gave a backend, which is on probation now.
    pub fn handed_over(&mut self) {
        self.due_ns = None;
    }

    /// Notes that the backend has answered.
    pub fn in_charge(&mut self, now_ns: u64) {
        self.due_ns = None;
        self.active_since_ns = Some(now_ns);
    }

    fn plan(&mut self, now_ns: u64) {
        self.due_ns = Some(now_ns.saturating_add(self.wait_ns));
        self.wait_ns = self.wait_ns.saturating_mul(2).min(self.pace.max_ns);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S: u64 = 1_000_000_000;

    /// Waits before each attempt if `after` follows each attempt.
    fn waits(backoff: &mut Backoff, from_ns: u64, after: impl Fn(&mut Backoff, u64)) -> Vec<u64> {
        let mut now = from_ns;
        let mut waits = Vec::new();
        for _ in 0..9 {
            let due = backoff.due_ns().unwrap();
            waits.push((due - now) / S);
            now = due;
            after(backoff, now);
        }
        waits
    }

    const DOUBLING: [u64; 9] = [1, 2, 4, 8, 16, 32, 60, 60, 60];

    #[test]
    fn while_attempts_fail_they_become_rarer_down_to_one_a_minute() {
        let mut backoff = Backoff::new(Pace::DEFAULT);
        assert_eq!(backoff.due_ns(), None);
        backoff.given_up(5 * S);
        let waits = waits(&mut backoff, 5 * S, |backoff, now| backoff.failed(now));
        assert_eq!(waits, DOUBLING);
    }

    #[test]
    fn one_lost_on_probation_has_not_lasted() {
        let mut backoff = Backoff::new(Pace::DEFAULT);
        backoff.given_up(0);
        let waits = waits(&mut backoff, 0, |backoff, now| {
            backoff.handed_over();
            assert_eq!(backoff.due_ns(), None);
            backoff.given_up(now);
        });
        assert_eq!(waits, DOUBLING);
    }

    #[test]
    fn the_first_wait_comes_back_with_one_that_lasts_a_minute() {
        let mut backoff = Backoff::new(Pace::DEFAULT);
        let mut now = 0;
        // How long each backend was in use, and how long the wait is after it.
        for (lasted, wait) in [
            (100, 1),
            (0, 2),
            (59, 4),
            (60, 1),
            (1, 2),
            (1000, 1),
            (59, 2),
        ] {
            backoff.in_charge(now);
            assert_eq!(backoff.due_ns(), None);
            now += lasted * S;
            backoff.given_up(now);
            assert_eq!(backoff.due_ns(), Some(now + wait * S), "after {lasted} s");
            now += wait * S;
            backoff.handed_over();
        }
        // A long time in use does not count for the next backend.
        backoff.in_charge(now);
        backoff.given_up(now + 60 * S);
        backoff.handed_over();
        backoff.given_up(now + 1000 * S);
        assert_eq!(backoff.due_ns(), Some(now + 1002 * S));
    }

    #[test]
    fn late_times_saturate() {
        let mut backoff = Backoff::new(Pace {
            max_ns: u64::MAX,
            ..Pace::DEFAULT
        });
        for _ in 0..70 {
            backoff.failed(u64::MAX - 1);
            assert_eq!(backoff.due_ns(), Some(u64::MAX));
        }
    }
}
