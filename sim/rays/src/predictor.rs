//! Predicts the number of elements of a buffer before it is filled (Lehericey 2016, chapter 3,
//! section 1.3).
//!
//! All passes of a step are scheduled before the first has run. The prediction sets the buffers'
//! capacity, and the launch size where the device cannot launch by the actual count (indirect
//! dispatch). It scales the fill of the step before by the number of pairs, which is known.

/// Method of prediction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Predictor {
    /// Equation 3.1: `N' pairs / pairs' confidence`.
    ByPairs {
        /// Safety factor, at least 1.
        confidence: f64,
    },
    /// Equation 3.2: `N' confidence`. For comparison.
    Simple {
        /// Safety factor, at least 1.
        confidence: f64,
    },
}

/// Predictions for one buffer, and their quality.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Predicted {
    last_fill: usize,
    last_pairs: usize,
    /// Prediction for this step.
    pub elements: usize,
    /// Number of steps so far.
    pub steps: u64,
    /// Steps with more elements than predicted.
    pub short: u64,
    /// Elements beyond the prediction, over all steps.
    pub missed: u64,
    /// Predicted elements that were not needed, over all steps.
    pub surplus: u64,
}

impl Predicted {
    /// Predicts the elements of a step with `pairs` pairs. `worst`: the largest possible number,
    /// used when nothing is known.
    pub fn predict(&mut self, with: Predictor, pairs: usize, worst: usize) -> usize {
        let guess = match with {
            Predictor::ByPairs { confidence } if self.last_pairs > 0 => {
                self.last_fill as f64 * pairs as f64 / self.last_pairs as f64 * confidence
            }
            Predictor::Simple { confidence } if self.steps > 0 => {
                self.last_fill as f64 * confidence
            }
            _ => worst as f64,
        };
        // An empty step gives no basis for scaling: there may be elements now.
        let guess = if self.last_fill == 0 {
            worst
        } else {
            guess.ceil() as usize
        };
        self.elements = guess.min(worst);
        self.elements
    }

    /// Records the actual fill, including attempted appends beyond the capacity.
    pub fn learn(&mut self, fill: usize, pairs: usize) {
        self.learn_late(self.elements, fill, pairs);
    }

    /// Records the actual fill of a step for which `elements` had been predicted, if later steps
    /// have been predicted since.
    pub fn learn_late(&mut self, elements: usize, fill: usize, pairs: usize) {
        self.steps += 1;
        if fill > elements {
            self.short += 1;
            self.missed += (fill - elements) as u64;
        } else {
            self.surplus += (elements - fill) as u64;
        }
        (self.last_fill, self.last_pairs) = (fill, pairs);
    }

    /// Returns a copy that keeps the statistics but not the fill of the step before.
    #[must_use]
    pub fn forgetting(self) -> Predicted {
        Predicted {
            last_fill: 0,
            last_pairs: 0,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fill_in_proportion_to_the_pairs_is_predicted_by_them() {
        let (mut by_pairs, mut simple) = (Predicted::default(), Predicted::default());
        for step in 1..=100_usize {
            let pairs = 100 + 10 * step;
            by_pairs.predict(Predictor::ByPairs { confidence: 1.02 }, pairs, 1 << 20);
            simple.predict(Predictor::Simple { confidence: 1.02 }, pairs, 1 << 20);
            for p in [&mut by_pairs, &mut simple] {
                p.learn(7 * pairs, pairs);
            }
        }
        assert_eq!(by_pairs.short, 0);
        assert!(simple.short > 30, "{}", simple.short);
    }

    #[test]
    fn nothing_known_is_the_worst_case() {
        let with = Predictor::ByPairs { confidence: 1.1 };
        let mut p = Predicted::default();
        assert_eq!(p.predict(with, 5, 1000), 1000);
        p.learn(0, 5);
        assert_eq!(p.predict(with, 5, 1000), 1000);
        p.learn(100, 0);
        assert_eq!(p.predict(with, 5, 1000), 1000);
        p.learn(100, 10);
        assert_eq!(p.predict(with, 10, 1000), 111);
        assert_eq!(p.predict(with, 1000, 1000), 1000);
    }

    #[test]
    fn what_is_missed_is_counted() {
        let mut p = Predicted::default();
        p.predict(Predictor::Simple { confidence: 1.0 }, 1, 50);
        p.learn(60, 1);
        assert_eq!((p.short, p.missed), (1, 10));
        p.predict(Predictor::Simple { confidence: 1.0 }, 1, 500);
        p.learn(40, 1);
        assert_eq!((p.steps, p.short, p.surplus), (2, 1, 20));
    }
}
