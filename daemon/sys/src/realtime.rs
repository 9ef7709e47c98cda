//! Makes a thread real-time on Linux, step by step. Every step reports what was granted, or what
//! was refused, why, and what would help. No step fails silently and none is fatal: a daemon that
//! is refused all of them still runs, and reports it.
//!
//! ```no_run
//! use hapticd_sys::realtime::{self, memory, power, priority};
//! let mut report = realtime::Report::default();
//! // Once, at start, on the main thread:
//! report.add(memory::tune_allocator());
//! report.add(memory::lock_all());
//! report.add(memory::prefault_heap(8 << 20));
//! let (step, _hold) = power::forbid_deep_sleep();
//! report.add(step);
//! report.add(priority::limit_uninterrupted(200_000, 1_000_000));
//! // On the haptic thread, before its loop:
//! report.add(memory::prefault_stack());
//! report.add(priority::request_fifo(60));
//! println!("{report}");
//! ```
//!
//! All of these make system calls and belong before the loop, not into it.

pub mod memory;
pub mod power;
pub mod priority;

use std::fmt;

/// Result of one step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The step was done; the text says exactly what.
    Granted(String),
    /// The step was not done.
    Refused {
        /// Why, with the numbers.
        reason: String,
        /// What would help, a sentence for the person who runs the machine.
        help: &'static str,
    },
}

/// One step of the set-up and its result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Name of the step, such as `SCHED_FIFO`.
    pub what: &'static str,
    /// Result of the step.
    pub outcome: Outcome,
}

impl Step {
    fn granted(what: &'static str, detail: impl Into<String>) -> Self {
        Self {
            what,
            outcome: Outcome::Granted(detail.into()),
        }
    }

    fn refused(what: &'static str, reason: impl Into<String>, help: &'static str) -> Self {
        Self {
            what,
            outcome: Outcome::Refused {
                reason: reason.into(),
                help,
            },
        }
    }

    /// Whether the step was done.
    pub fn is_granted(&self) -> bool {
        matches!(self.outcome, Outcome::Granted(_))
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.outcome {
            Outcome::Granted(detail) => write!(f, "{}: {detail}", self.what),
            Outcome::Refused { reason, help } => {
                write!(f, "{}: refused: {reason}; {help}", self.what)
            }
        }
    }
}

/// The steps in the order in which they were taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// The steps.
    pub steps: Vec<Step>,
}

impl Report {
    /// Appends a step.
    pub fn add(&mut self, step: Step) {
        self.steps.push(step);
    }

    /// Whether every step was granted.
    pub fn is_complete(&self) -> bool {
        self.steps.iter().all(Step::is_granted)
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for step in &self.steps {
            writeln!(f, "{step}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_complete_when_nothing_was_refused_and_shows_reason_and_help() {
        let mut report = Report::default();
        report.add(Step::granted("A", "done"));
        assert!(report.is_complete());
        report.add(Step::refused(
            "B",
            "limit is 0, 60 asked",
            "raise the limit",
        ));
        assert!(!report.is_complete());
        assert_eq!(
            report.to_string(),
            "A: done\nB: refused: limit is 0, 60 asked; raise the limit\n"
        );
    }
}
