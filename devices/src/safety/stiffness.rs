//! How stiff a virtual wall an arm can render without creating energy.
//!
//! # Theory
//! *Sampling and delay.* Colgate and Schenkel (1997) consider a sampler of period `T`, a hold, and
//! a linear wall `H(z)`. An arm of damping `b` that faces it is passive if and only if, for all `0
//! < w < pi/T`, `b > T/2 * 1/(1 - cos wT) * Re{ (1 - e^{-jwT}) H(e^{jwT}) }`. For a spring and a
//! backward-difference damper that are `d` samples late, `H(z) = z^-d (K + B (1 - 1/z) / T)`, and
//! the right side is `(KT/2) sin((2d+1) wT/2) / sin(wT/2) - B cos((d+1) wT)`. The first term is
//! largest at `w -> 0`, where it is `(KT/2)(2d+1) = K (T/2 + td)` with `td = dT`; the second is at
//! most `|B|`. Hence the condition used here, `b >= K (T/2 + td) + |B|`. Without delay it is
//! Colgate and Schenkel's own `b > KT/2 + |B|`; for a pure spring it is also necessary. It is also
//! the *stability* boundary that Gil et al. (2009) and Hulin et al. (2014) find for a massive arm
//! in the limit of small damping and delay, so it is not overly conservative.
//!
//! *Quantisation.* An encoder of resolution `Delta` makes the wall's force a staircase of step `K
//! Delta`. The hand can push with a force between two steps, and then only Coulomb friction `f_c`
//! can hold the arm. The arm stays at rest for every push only if half a step is no more than the
//! friction, `K <= 2 f_c / Delta` (Abbott and Okamura 2005, who show that both conditions together,
//! without delay, are necessary and sufficient for passivity).
//!
//! The simulated arm shows each of these boundaries: see the tests of [`crate::sim`].
//!
//! # Practice
//! Pure arithmetic on the values that an arm declares; called when an arm is opened, not in the
//! loop. A bound is only as good as the declared damping, friction and delay.

use crate::arm::ArmSpec;

/// The largest passive stiffness, and what limits it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StiffnessBound {
    /// Bound from damping, period and delay, N/m. Zero if virtual damping alone uses up the arm's
    /// damping.
    pub from_damping_n_per_m: f64,
    /// Bound from friction and encoder resolution, N/m. Infinite for an arm that declares no
    /// resolution.
    pub from_quantisation_n_per_m: f64,
}

impl StiffnessBound {
    /// Returns the smaller of both bounds, up to which the wall is passive.
    #[must_use]
    pub fn passive_n_per_m(&self) -> f64 {
        self.from_damping_n_per_m
            .min(self.from_quantisation_n_per_m)
    }
}

/// Computes the bound for a wall with virtual damping `virtual_damping_n_s_per_m`, rendered every
/// `period_s`, with `extra_delay_s` between sample and force in addition to the arm's own transport
/// delay. Angular bounds follow from the angular values of an arm in the same way.
#[must_use]
pub fn passive_stiffness(
    spec: &ArmSpec,
    period_s: f64,
    extra_delay_s: f64,
    virtual_damping_n_s_per_m: f64,
) -> StiffnessBound {
    let delay_s = extra_delay_s + spec.transport_delay_ns as f64 * 1e-9;
    let damping = (spec.damping_n_s_per_m - virtual_damping_n_s_per_m.abs()).max(0.0);
    StiffnessBound {
        from_damping_n_per_m: 2.0 * damping / (period_s + 2.0 * delay_s),
        from_quantisation_n_per_m: if spec.resolution_m > 0.0 {
            2.0 * spec.coulomb_friction_n / spec.resolution_m
        } else {
            f64::INFINITY
        },
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::spec;
    use super::*;
    use std::f64::consts::PI;

    /// Returns the right side of Colgate and Schenkel's condition, evaluated from the complex
    /// definition.
    fn needed_damping(k: f64, b: f64, period: f64, delay_samples: u32, w: f64) -> f64 {
        let z = |angle: f64| nalgebra::Complex::new(angle.cos(), angle.sin());
        let theta = w * period;
        let one = nalgebra::Complex::new(1.0, 0.0);
        let lag = one - z(-theta);
        let h = z(-theta * f64::from(delay_samples)) * (one * k + lag * (b / period));
        0.5 * period / (1.0 - theta.cos()) * (lag * h).re
    }

    #[test]
    fn the_closed_form_covers_colgates_condition_at_every_frequency_and_is_tight_for_a_spring() {
        let period = 1e-3;
        for delay in 0..4u32 {
            for virtual_damping in [0.0, 0.7] {
                let mut arm = spec();
                arm.transport_delay_ns = u64::from(delay) * 1_000_000;
                let k = passive_stiffness(&arm, period, 0.0, virtual_damping).from_damping_n_per_m;
                let worst = (1..2000)
                    .map(|i| f64::from(i) / 2000.0 * PI / period)
                    .map(|w| needed_damping(k, virtual_damping, period, delay, w))
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(worst <= arm.damping_n_s_per_m * (1.0 + 1e-9), "{worst}");
                if virtual_damping == 0.0 || delay == 0 {
                    assert!(worst >= arm.damping_n_s_per_m * 0.999, "tight: {worst}");
                }
            }
        }
    }

    #[test]
    fn exact_encoders_do_not_limit_stiffness() {
        for coulomb_friction_n in [0.1, 0.0] {
            let arm = ArmSpec {
                resolution_m: 0.0,
                coulomb_friction_n,
                ..spec()
            };
            let bound = passive_stiffness(&arm, 1e-3, 0.0, 0.0);
            assert_eq!(bound.from_quantisation_n_per_m, f64::INFINITY);
            assert_eq!(bound.passive_n_per_m(), bound.from_damping_n_per_m);
        }
    }

    #[test]
    fn delay_costs_stiffness_and_damping_beyond_the_arms_own_leaves_none() {
        let k0 = passive_stiffness(&spec(), 1e-3, 0.0, 0.0);
        let k1 = passive_stiffness(&spec(), 1e-3, 1e-3, 0.0);
        assert!((k0.from_damping_n_per_m - 4000.0).abs() < 1e-9);
        assert!((k1.from_damping_n_per_m * 3.0 - k0.from_damping_n_per_m).abs() < 1e-9);
        assert_eq!(
            passive_stiffness(&spec(), 1e-3, 0.0, 2.5).from_damping_n_per_m,
            0.0
        );
        assert!((k0.from_quantisation_n_per_m - 10_000.0).abs() < 1e-6);
        assert!((k0.passive_n_per_m() - 4000.0).abs() < 1e-9);
    }
}
