//! The continuous limit: how long a force above the continuous force may be held.
//!
//! # Theory
//! Motor current, hence force, heats the windings with its square, and they cool with one time
//! constant `tau`. The model is the usual I²t budget: `tau dx/dt = F² - x`. Here `x` is the heating
//! so far, expressed as the square of the constant force that would cause it. The continuous limit
//! `C` is the force that may be held for ever, so `x` must stay below `C²`.
//!
//! From a heating of `(1 - knee) C²`, the permitted force is lowered from the peak `P` to `C`:
//! `cap² = C² + (P² - C²) min(1, (1 - x/C²) / knee)`, with `knee` = 0.3. With backward-Euler steps
//! `x' = (tau x + dt F²) / (tau + dt)`, two properties hold exactly for forces below the cap:
//! * `x` never passes `C²`, if `dt (P²/C² - 1) <= knee tau` (which
//!   [`Limits::validate`](super::Limits::validate) requires).
//! * Summing `dt F² = tau (x' - x) + dt x'` over any stretch of length `W` bounds the mean square
//!   of the force over it by `C² (1 + tau/W)`. So the root mean square is at most `C` in the long
//!   run and at most `1.42 C` over one time constant.
//!
//! The slew limit may keep a force above a cap that is falling. With real limits the cap moves a
//! hundred times slower than the slew limit allows (it takes a good part of `tau`), so the effect
//! is negligible.
//!
//! # Practice
//! `Copy`, constant time, no allocation.

use super::limits::THERMAL_KNEE;

/// Heating of one channel (force or torque).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ThermalBudget {
    /// Heating, as the square of an equivalent constant force (N²) or torque (N²·m²).
    heating: f64,
}

impl ThermalBudget {
    /// Advances the heating by `dt_s` with the magnitude `held`.
    pub fn advance(&mut self, held: f64, dt_s: f64, time_constant_s: f64) {
        self.heating =
            (time_constant_s * self.heating + dt_s * held * held) / (time_constant_s + dt_s);
    }

    /// Returns the largest magnitude permitted now, between `continuous` and `peak`.
    #[must_use]
    pub fn cap(&self, peak: f64, continuous: f64) -> f64 {
        if continuous >= peak {
            return peak;
        }
        if continuous <= 0.0 {
            return 0.0;
        }
        let square = continuous * continuous;
        let room = ((1.0 - self.heating / square) / THERMAL_KNEE).clamp(0.0, 1.0);
        (square + (peak * peak - square) * room).sqrt()
    }

    /// Returns the share of the continuous budget that is used up: 0 cold, 1 at the limit.
    #[must_use]
    pub fn used(&self, continuous: f64) -> f64 {
        if continuous > 0.0 {
            self.heating / (continuous * continuous)
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const TAU: f64 = 10.0;
    const DT: f64 = 1e-3;

    /// Holds the permitted maximum for `ticks` and returns the forces.
    fn hold_the_maximum(peak: f64, continuous: f64, ticks: usize) -> Vec<f64> {
        let mut budget = ThermalBudget::default();
        (0..ticks)
            .map(|_| {
                let force = budget.cap(peak, continuous);
                budget.advance(force, DT, TAU);
                force
            })
            .collect()
    }

    #[test]
    fn the_peak_lasts_as_long_as_the_formula_says_and_then_settles_at_the_continuous_limit() {
        let forces = hold_the_maximum(10.0, 3.0, 60_000);
        // Full peak until x = 0.7 C²: t = -tau ln(1 - 0.7 C²/P²).
        let expected = -TAU * (1.0 - 0.7 * 9.0 / 100.0_f64).ln();
        let at_peak = forces.iter().filter(|f| **f >= 10.0).count() as f64 * DT;
        assert!(
            (at_peak - expected).abs() < 0.01,
            "{at_peak} s at peak, expected {expected} s"
        );
        assert!((forces[59_999] - 3.0).abs() < 1e-6);
        assert!(
            forces.windows(2).all(|w| w[1] <= w[0] + 1e-12),
            "the cap only falls while the maximum is held"
        );
    }

    #[test]
    fn a_rested_arm_may_use_its_peak_again() {
        let mut budget = ThermalBudget::default();
        for _ in 0..20_000 {
            budget.advance(budget.cap(10.0, 3.0), DT, TAU);
        }
        assert!(budget.cap(10.0, 3.0) < 3.5);
        for _ in 0..5_000 {
            budget.advance(0.0, DT, TAU);
        }
        assert_eq!(budget.cap(10.0, 3.0), 10.0);
    }

    /// A step as long as the time constant makes half of the heat that the force makes in the end.
    #[test]
    fn the_budget_is_used_up_by_the_square_of_the_force() {
        let mut budget = ThermalBudget::default();
        assert_eq!(budget.used(3.0), 0.0);
        budget.advance(3.0, TAU, TAU);
        assert_eq!(budget.used(3.0), 0.5);
        assert_eq!(budget.used(6.0), 0.125);
        budget.advance(6.0, TAU, TAU);
        assert_eq!(budget.used(3.0), 2.25);
        // A force that may not be held at all has no budget, warm or cold.
        assert_eq!(budget.used(0.0), 0.0);
        assert_eq!(ThermalBudget::default().used(0.0), 0.0);
    }

    #[test]
    fn no_continuous_force_means_no_force() {
        assert_eq!(ThermalBudget::default().cap(10.0, 0.0), 0.0);
        assert_eq!(ThermalBudget::default().cap(0.0, 0.0), 0.0);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn the_mean_square_over_any_window_keeps_the_bound(
            peak in 1.0..20.0f64,
            ratio in 0.1..1.0f64,
            wanted in prop::collection::vec((0.0..25.0f64, 1usize..3000), 1..12),
        ) {
            let continuous = peak * ratio;
            let mut budget = ThermalBudget::default();
            let mut energy = vec![0.0];
            for (force, ticks) in wanted {
                for _ in 0..ticks {
                    let out = budget.cap(peak, continuous).min(force);
                    budget.advance(out, DT, TAU);
                    prop_assert!(budget.used(continuous) <= 1.0 + 1e-12);
                    energy.push(energy[energy.len() - 1] + out * out * DT);
                }
            }
            let n = energy.len() - 1;
            for (from, to) in [(0, n), (n / 3, n), (n / 2, n), (n / 4, n / 2)] {
                let window = (to - from) as f64 * DT;
                let spent = energy[to] - energy[from];
                prop_assert!(spent <= continuous * continuous * (window + TAU) * (1.0 + 1e-9));
            }
        }
    }
}
