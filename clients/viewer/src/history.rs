//! The last seconds of an arm: bounded samples of its state, in order of time.
//!
//! It samples and does not record: a viewer reads a few hundred times a second and misses the ticks
//! in between. Samples with numbers that are not finite are dropped. The only clock is that of the
//! states.

use hapticd_client::ArmState;
use std::collections::VecDeque;

/// Length of the history, s.
pub const SPAN_S: f64 = 8.0;
/// Maximum number of samples: 500 per second.
const MAX_SAMPLES: usize = 4000;

/// A sample of an arm's state.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Time on the daemon's clock, s.
    pub time_s: f64,
    /// Magnitude of the force sent to the arm, N.
    pub force_n: f64,
    /// Magnitude of the force wanted before the governor, N.
    pub wanted_n: f64,
    /// How much later than requested the loop woke, us.
    pub lateness_us: f64,
    /// Computation time of a tick, us.
    pub compute_us: f64,
    /// Age of the arm's sample, ms.
    pub input_age_ms: f64,
}

fn norm(v: [f64; 3]) -> f64 {
    v.iter().map(|x| x * x).sum::<f64>().sqrt()
}

impl Sample {
    /// Takes a sample of a state.
    pub fn of(state: &ArmState) -> Self {
        Self {
            time_s: state.time_ns as f64 * 1e-9,
            force_n: norm(state.force_n),
            wanted_n: norm(state.wanted_force_n),
            lateness_us: state.lateness_ns as f64 * 1e-3,
            compute_us: state.compute_ns as f64 * 1e-3,
            input_age_ms: state.input_age_ns as f64 * 1e-6,
        }
    }
}

/// Samples of the last [`SPAN_S`], oldest first, at distinct times.
#[derive(Clone, Debug, Default)]
pub struct History {
    samples: VecDeque<Sample>,
}

impl History {
    /// Appends a sample, unless it is not later than the last one. Drops samples that are too old.
    pub fn push(&mut self, sample: Sample) {
        let finite = [sample.time_s, sample.force_n, sample.wanted_n];
        if !finite.iter().all(|x| x.is_finite()) {
            return;
        }
        if self
            .samples
            .back()
            .is_some_and(|last| sample.time_s <= last.time_s)
        {
            return;
        }
        self.samples.push_back(sample);
        let from_s = sample.time_s - SPAN_S;
        while self.samples.len() > MAX_SAMPLES
            || self.samples.front().is_some_and(|old| old.time_s < from_s)
        {
            self.samples.pop_front();
        }
    }

    /// Iterates over all samples, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Sample> + ExactSizeIterator {
        self.samples.iter()
    }

    /// Returns the newest sample.
    pub fn last(&self) -> Option<&Sample> {
        self.samples.back()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(time_s: f64) -> Sample {
        Sample {
            time_s,
            ..Sample::of(&ArmState::EMPTY)
        }
    }

    #[test]
    fn it_keeps_the_last_seconds_in_order_and_nothing_twice() {
        let mut history = History::default();
        for tick in 0..20_000u32 {
            history.push(sample(f64::from(tick / 2) * 0.001));
        }
        assert_eq!(history.iter().len(), MAX_SAMPLES);
        assert!(history.iter().is_sorted_by(|a, b| a.time_s < b.time_s));
        assert_eq!(history.last().unwrap().time_s, 9.999);
        history.push(sample(17.0));
        let first = history.iter().next().unwrap();
        assert!(first.time_s >= 9.0, "{first:?}");
    }

    #[test]
    fn numbers_that_are_none_are_not_kept() {
        let mut history = History::default();
        history.push(Sample {
            force_n: f64::NAN,
            ..sample(1.0)
        });
        history.push(sample(f64::INFINITY));
        assert!(history.last().is_none());
    }

    #[test]
    fn magnitudes_and_units_are_those_of_the_state() {
        let state = ArmState {
            time_ns: 2_500_000_000,
            force_n: [0.0, 3.0, -4.0],
            wanted_force_n: [6.0, 0.0, 8.0],
            lateness_ns: 7_000,
            compute_ns: 12_500,
            input_age_ns: 1_500_000,
            ..ArmState::EMPTY
        };
        let expected = Sample {
            time_s: 2.5,
            force_n: 5.0,
            wanted_n: 10.0,
            lateness_us: 7.0,
            compute_us: 12.5,
            input_age_ms: 1.5,
        };
        assert_eq!(Sample::of(&state), expected);
    }
}
