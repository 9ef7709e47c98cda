//! Raises the collision thread above ordinary threads, for a bounded share of the time.
//!
//! Its late answers fade force, so it requests SCHED_FIFO. A real-time thread that never leaves a
//! processor harms those above it, including the haptic loop: the kernel then takes that processor
//! from all of them for 50 ms of each second (real-time throttling; the fair server from Linux 6.12
//! on). A scene that takes long to answer would halt the loop. So the thread is urgent for at most
//! `SHARE` of the time, and ordinary for the rest, with the niceness that it was given.
//!
//! The share is checked between answers: a single answer is not interrupted.

use hapticd_sys::clock::{now_ns, thread_cpu_ns};
use hapticd_sys::realtime::priority::{be_ordinary, request_fifo};

/// Largest share of the time as an urgent thread. Together with the loop and the arms it stays
/// below the 95 % that the kernel leaves to real-time threads.
const SHARE: f64 = 0.6;
/// Largest continuous urgent time, ns, after a period of lower use.
const BURST_NS: f64 = 30e6;
/// Credit from which the thread becomes urgent again, ns.
const RESUME_NS: f64 = 15e6;

/// Scheduling of the calling thread. One thread must make all calls.
#[derive(Debug)]
pub struct Urgency {
    /// SCHED_FIFO priority; 0: never urgent.
    priority: u8,
    allowance: Allowance,
}

impl Urgency {
    /// Leaves the thread as it is.
    #[must_use]
    pub fn none() -> Self {
        Self::ask(0)
    }

    /// Requests SCHED_FIFO of this priority; 0 requests nothing. If refused, the thread stays as it
    /// is.
    #[must_use]
    pub fn ask(priority: u8) -> Self {
        let is_granted = priority > 0 && request_fifo(priority).is_granted();
        Self {
            priority: if is_granted { priority } else { 0 },
            allowance: Allowance::new(now_ns(), thread_cpu_ns()),
        }
    }

    /// Whether SCHED_FIFO was granted.
    #[must_use]
    pub fn is_granted(&self) -> bool {
        self.priority > 0
    }

    /// Updates the scheduling between two answers. Never blocks; two system calls at most.
    pub fn attend(&mut self) {
        if self.priority == 0 {
            return;
        }
        match self.allowance.look(now_ns(), thread_cpu_ns()) {
            // If a later request is refused, the thread stays ordinary.
            Some(true) => drop(request_fifo(self.priority)),
            Some(false) => drop(be_ordinary()),
            None => {}
        }
    }
}

/// Allowance for urgent time: a bucket that fills at `SHARE` of the time.
#[derive(Debug)]
struct Allowance {
    credit_ns: f64,
    is_urgent: bool,
    /// Time and the thread's processor time at the last check, ns.
    last: [u64; 2],
}

impl Allowance {
    fn new(now_ns: u64, cpu_ns: u64) -> Self {
        Self {
            credit_ns: BURST_NS,
            is_urgent: true,
            last: [now_ns, cpu_ns],
        }
    }

    /// Returns whether the thread becomes urgent or ordinary; `None`: no change.
    fn look(&mut self, now_ns: u64, cpu_ns: u64) -> Option<bool> {
        let time_ns = now_ns.saturating_sub(self.last[0]) as f64;
        let spent_ns = cpu_ns.saturating_sub(self.last[1]) as f64;
        self.last = [now_ns, cpu_ns];
        let spent_ns = if self.is_urgent { spent_ns } else { 0.0 };
        self.credit_ns = (self.credit_ns + SHARE * time_ns - spent_ns).min(BURST_NS);
        let is_urgent = self.credit_ns > if self.is_urgent { 0.0 } else { RESUME_NS };
        let changes = is_urgent != self.is_urgent;
        self.is_urgent = is_urgent;
        changes.then_some(is_urgent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Share of urgent time for answers and pauses of these lengths.
    fn share(answer_ns: u64, pause_ns: u64) -> f64 {
        let mut allowance = Allowance::new(0, 0);
        let (mut now, mut cpu, mut urgent) = (0, 0, 0);
        while now < 20_000_000_000 {
            urgent += if allowance.is_urgent { answer_ns } else { 0 };
            cpu += answer_ns;
            now += answer_ns;
            allowance.look(now, cpu);
            now += pause_ns;
            allowance.look(now, cpu);
        }
        urgent as f64 / now as f64
    }

    #[test]
    fn a_thread_that_never_rests_is_urgent_for_its_share_only() {
        for answer_ns in [100_000, 3_000_000, 40_000_000, 700_000_000] {
            let share = share(answer_ns, 0);
            assert!(share <= SHARE + 0.02, "{answer_ns} ns: {share}");
            assert!(share > 0.5 * SHARE, "{answer_ns} ns: {share}");
        }
    }

    #[test]
    fn a_thread_that_rests_is_always_urgent() {
        // Half of the time, in pieces of up to ten milliseconds.
        for answer_ns in [50_000, 1_000_000, 10_000_000] {
            let share = share(answer_ns, answer_ns);
            assert!((share - 0.5).abs() < 0.001, "{answer_ns} ns: {share}");
        }
    }

    #[test]
    fn one_long_answer_is_paid_for() {
        let mut allowance = Allowance::new(0, 0);
        assert_eq!(allowance.look(1_000_000_000, 1_000_000_000), Some(false));
        // It took 370 ms more than allowed.
        let until = |ms: u64| (1_000 + ms) * 1_000_000;
        assert_eq!(allowance.look(until(600), 1_000_000_000), None);
        assert_eq!(allowance.look(until(680), 1_000_000_000), Some(true));
    }
}
