//! How stiff a spring may be, so that the arm that renders it stays passive in whatever hand.
//!
//! # Theory
//!
//! A wall `H(z)` that is sampled and held every `T` makes no more than the arm's viscous damping
//! `b` takes if and only if, for all `0 < w < pi/T` (Colgate and Schenkel 1997, main theorem), `b >
//! T/2 / (1 - cos wT) * Re{ (1 - e^{-jwT}) H(e^{jwT}) }`. The coupling is a spring and a damper of
//! `n` samples ([`WINDOW`]), late by `t_d`: `H = e^{-jw t_d} (K + B (1 - z^-n) / (n T))`. The right
//! side is then `K A(w) + B C(w)` with
//!
//! ```text
//! A(w) = sin(w (T/2 + t_d)) T / (2 sin(wT/2))
//! C(w) = -cos(w (t_d + (n + 1) T/2)) sin(n wT/2) / (n sin(wT/2))
//! ```
//!
//! and the largest passive stiffness is the least of `(b - B C) / A` where `A > 0`. The closed form
//! `b >= K (T/2 + t_d) + |B|` covers it, and gives away a fifth to two fifths of it: a mean of
//! eight samples has lost its gain where a difference of two is worst.
//!
//! The condition is linear in `(K, B)`. So what is passive without damper, without spring, and with
//! both, is passive with all that a material may ask for instead: less of either.
//!
//! A delay that is no whole number of periods lets the hand do better than theory, by going faster
//! within a period just after a force has changed: 6 % of the damping at most, at half a period.
//! The reserve covers it.
//!
//! Encoder steps `d` feed energy that only Coulomb friction `f_c` can take away: `K <= 2 f_c / d`
//! (Abbott and Okamura 2005).
//!
//! # Practice
//!
//! Some thousand sines: where gains change, never in a tick. The bounds are as good as damping,
//! friction and delay that are declared.

use crate::coupling::WINDOW;
use std::f64::consts::PI;

/// What the stable gains follow from. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopTiming {
    /// Time for which a force is held: the loop's period or the arm's, the longer of them, s.
    pub period_s: f64,
    /// Delay from a change at the hand to the force that answers it, beyond the sampling itself, s
    /// (measured).
    pub delay_s: f64,
    /// The arm's own viscous damping, N·s/m.
    pub damping_n_s_per_m: f64,
    /// The arm's own Coulomb friction, N.
    pub coulomb_friction_n: f64,
    /// Smallest position step that the encoders see, m.
    pub resolution_m: f64,
}

/// Share of the passive bound that is used. As much of the arm's damping is what the safety
/// governor's ledger counts on: so at this stiffness it has no reason to act. The rest is for
/// damping that is less than declared.
const SHARE: f64 = 0.9;
/// The virtual damper, as a share of the arm's damping: the passive stiffness falls by 2 to 6 % for
/// it, and a spring that rings in a hand without damping calms down sooner.
const DAMPER_SHARE: f64 = 0.2;
/// Frequencies that are tried for each period of delay and window, at least and at most.
const FREQUENCIES: [f64; 3] = [16.0, 512.0, 65_536.0];

impl LoopTiming {
    /// Largest stiffness that stays passive with as much of this virtual damping as a material
    /// leaves, N/m, by viscous damping alone: the exact bound.
    ///
    /// Zero where timing or arm give no room (no damping, the virtual one too large, NaN).
    pub fn passive_stiffness(&self, virtual_damping_n_s_per_m: f64) -> f64 {
        let (period, arm, damper) = (
            self.period_s,
            self.damping_n_s_per_m,
            virtual_damping_n_s_per_m,
        );
        let lag = period / 2.0 + self.delay_s;
        // What is NaN fails here; `f64::min` below would drop it.
        let is_sound = period >= 0.0 && self.delay_s >= 0.0 && lag > 0.0 && arm >= 0.0;
        if !(is_sound && arm.is_finite() && damper.is_finite() && lag.is_finite()) {
            return 0.0;
        }
        // At the lowest frequency, without damper.
        let mut most = arm / lag;
        if period == 0.0 {
            return if damper == 0.0 { most } else { 0.0 };
        }
        let samples = WINDOW as f64;
        let [each, fewest, largest] = FREQUENCIES;
        let tried = (each * (self.delay_s / period + samples)).clamp(fewest, largest) as u32;
        for k in 0..tried {
            // Half of the angle of a period: w T / 2.
            let half = 0.5 * PI * (f64::from(k) + 0.5) / f64::from(tried);
            let by_spring = 0.5 * period * (2.0 * half * lag / period).sin() / half.sin();
            let turn = 2.0 * half * (self.delay_s / period + 0.5 * (samples + 1.0));
            let by_damper = -turn.cos() * (samples * half).sin() / (samples * half.sin());
            let left = arm - damper * by_damper;
            if left < 0.0 {
                return 0.0;
            }
            if by_spring > 0.0 {
                most = most.min(left / by_spring);
            }
        }
        most
    }

    /// The stiffness that an arm is given unless something else is asked for, N/m: 0.9 of the
    /// passive bound with the virtual damper of [`Self::stable_damping`], by viscous damping and by
    /// friction.
    ///
    /// Zero if the timing or the arm gives no room (no damping, NaN): then nothing stiff can be
    /// rendered.
    pub fn stable_stiffness(&self) -> f64 {
        self.stiffness_beyond(1.0)
    }

    /// The same where viscous damping is taken to carry `factor` times as much as it does. What
    /// friction has to hold against encoder steps stays: no hand helps there.
    pub fn stiffness_beyond(&self, factor: f64) -> f64 {
        // `f64::min` below drops a NaN, so a NaN must be seen here.
        if !(self.coulomb_friction_n >= 0.0 && factor >= 0.0) {
            return 0.0;
        }
        let viscous = factor * self.passive_stiffness(self.stable_damping());
        let bound = if self.resolution_m > 0.0 {
            viscous.min(2.0 * self.coulomb_friction_n / self.resolution_m)
        } else {
            viscous
        };
        if bound.is_finite() {
            SHARE * bound
        } else {
            0.0
        }
    }

    /// Virtual damping that goes with it, N·s/m.
    pub fn stable_damping(&self) -> f64 {
        let b = DAMPER_SHARE * self.damping_n_s_per_m;
        if b.is_finite() { b.max(0.0) } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIG: LoopTiming = LoopTiming {
        period_s: 1e-3,
        delay_s: 1e-3,
        damping_n_s_per_m: 2.0,
        coulomb_friction_n: 0.1,
        resolution_m: 1e-5,
    };

    fn late(periods: f64) -> LoopTiming {
        LoopTiming {
            delay_s: periods * RIG.period_s,
            ..RIG
        }
    }

    /// Complex numbers, as far as they are needed.
    #[derive(Clone, Copy)]
    struct Z(f64, f64);

    impl Z {
        fn at(angle: f64) -> Z {
            Z(angle.cos(), angle.sin())
        }
        fn by(self, o: Z) -> Z {
            Z(self.0 * o.0 - self.1 * o.1, self.0 * o.1 + self.1 * o.0)
        }
        fn over(self, o: Z) -> Z {
            let square = o.0 * o.0 + o.1 * o.1;
            self.by(Z(o.0 / square, -o.1 / square))
        }
        /// `K + B (1 - z^-8) / 8T`.
        fn wall(theta: f64, k: f64, b: f64, period: f64) -> Z {
            let past = Z::at(-8.0 * theta);
            let rate = b / (8.0 * period);
            Z(k + rate * (1.0 - past.0), -rate * past.1)
        }
    }

    /// The right side of Colgate's and Schenkel's condition at `theta = wT`, from the complex
    /// definition.
    fn needed_damping(rig: &LoopTiming, k: f64, b: f64, theta: f64) -> f64 {
        let lag = Z::at(-theta);
        let held = Z(1.0 - lag.0, -lag.1)
            .by(Z::wall(theta, k, b, rig.period_s))
            .by(Z::at(-theta * rig.delay_s / rig.period_s));
        0.5 * rig.period_s / (1.0 - theta.cos()) * held.0
    }

    fn worst(rig: &LoopTiming, k: f64, b: f64) -> f64 {
        (1..20_000)
            .map(|i| needed_damping(rig, k, b, f64::from(i) * PI / 20_000.0))
            .fold(f64::NEG_INFINITY, f64::max)
    }

    /// The least share of the arm's damping at which no motion of the hand at this frequency gains,
    /// motion within a period included, for a delay of `whole + part` periods. The hand's way in a
    /// period is that up to where the force changes, `u1`, and the rest, `u2`; straight each, since
    /// that is least damped. What it gets is `-Re(h X Y*)` with `X = (u1 + u2) / (z - 1)` and `Y =
    /// z^whole (u2 + z u1)`.
    fn share_for_any_motion(rig: &LoopTiming, k: f64, b: f64, theta: f64) -> f64 {
        let whole = (rig.delay_s / rig.period_s).floor();
        let part = rig.delay_s / rig.period_s - whole;
        let z = Z::at(theta);
        let h = Z::wall(theta, k, b, rig.period_s)
            .by(Z::at(-whole * theta))
            .over(Z(z.0 - 1.0, z.1));
        let early = h.by(Z::at(-theta));
        // Its Hermitian part: rows u1, u2.
        let (m11, m22) = (early.0, h.0);
        let m12 = Z(0.5 * (early.0 + h.0), 0.5 * (h.1 - early.1));
        // Damping takes d1 |u1|^2 + d2 |u2|^2: the largest eigenvalue of -D^-1/2 M D^-1/2.
        let d = |part: f64| rig.damping_n_s_per_m / (part * rig.period_s);
        let (d1, d2) = (d(part), d(1.0 - part));
        let (a, c) = (-m11 / d1, -m22 / d2);
        let square = (m12.0 * m12.0 + m12.1 * m12.1) / (d1 * d2);
        0.5 * (a + c) + (0.25 * (a - c) * (a - c) + square).sqrt()
    }

    #[test]
    fn the_exact_bound_is_that_of_published_theory() {
        let known = [
            (0.0, [4000.0, 3704.0, 3408.0, 2816.0, 0.0, 0.0]),
            (1.0, [1333.0, 1273.0, 1122.0, 812.0, 0.0, 0.0]),
        ];
        for (delay, of_damping) in known {
            for (b, expected) in [0.0, 0.5, 1.0, 2.0, 8.0, 32.0].into_iter().zip(of_damping) {
                let k = late(delay).passive_stiffness(b);
                assert!(
                    (k - expected).abs() <= 0.01 * expected,
                    "{delay}, {b}: {k}, not {expected}"
                );
            }
        }
    }

    #[test]
    fn the_exact_bound_is_where_colgates_condition_ends() {
        for delay in [0.0, 0.25, 0.5, 1.0, 1.5, 2.0, 4.0, 10.0, 40.0, 150.0, 300.0] {
            for b in [0.0, 0.2, 0.4, 1.0] {
                let rig = late(delay);
                let k = rig.passive_stiffness(b);
                // With less of the damper, too: none of it may be the worst case.
                let needed = worst(&rig, k, b).max(worst(&rig, k, 0.0));
                assert!(
                    (needed / 2.0 - 1.0).abs() < 2e-3,
                    "{delay}, {b}: {k} N/m needs {needed}"
                );
            }
        }
    }

    /// A damper that needs nearly all of the arm's damping turns round with every period of delay.
    #[test]
    fn the_bound_is_exact_for_a_strong_damper_that_is_very_late() {
        for delay in [40.0, 150.0] {
            let rig = late(delay);
            let k = rig.passive_stiffness(1.95);
            let needed = worst(&rig, k, 1.95);
            assert!(
                (needed / 2.0 - 1.0).abs() < 2e-3,
                "{delay}: {k} N/m needs {needed}"
            );
        }
    }

    #[test]
    fn any_softer_material_is_passive_with_what_is_left_to_the_ledger() {
        for tenths in 0..60 {
            let rig = late(0.1 * f64::from(tenths));
            let (k, b) = (rig.stable_stiffness(), rig.stable_damping());
            for (k, b) in [(k, b), (k, 0.0), (0.0, b), (0.5 * k, b), (k, 0.5 * b)] {
                let needed = worst(&rig, k, b);
                // 0.9 of the damper as well would be 0.9; that is its worst frequency's share.
                assert!(
                    needed <= 0.911 * 2.0,
                    "{tenths}: {k} N/m, {b} needs {needed}"
                );
            }
        }
    }

    #[test]
    fn no_motion_gains_within_a_period_either() {
        let mut most = 0.0_f64;
        for tenths in (0..60).filter(|tenths| tenths % 10 != 0) {
            let rig = late(0.1 * f64::from(tenths));
            let (k, b) = (rig.stable_stiffness(), rig.stable_damping());
            for (k, b) in [(k, b), (k, 0.0)] {
                for i in 1..4000 {
                    let theta = f64::from(i) * PI / 4000.0;
                    most = most.max(share_for_any_motion(&rig, k, b, theta));
                }
            }
        }
        assert!((0.92..0.97).contains(&most), "{most} of the arm's damping");
    }

    #[test]
    fn what_is_used_is_nine_tenths_of_the_bound() {
        for delay in [0.0, 0.5, 1.0, 1.5, 5.0, 100.0] {
            let rig = late(delay);
            let bound = rig.passive_stiffness(rig.stable_damping());
            assert!(
                (rig.stable_stiffness() / bound - 0.9).abs() < 1e-12,
                "{delay}"
            );
            // Of which the damper costs a sixteenth at most.
            assert!(
                bound >= 0.93 * rig.passive_stiffness(0.0),
                "{delay}: {bound}"
            );
        }
    }

    #[test]
    fn stiffness_falls_with_period_and_with_delay() {
        let k = RIG.stable_stiffness();
        let slower = LoopTiming {
            period_s: 2e-3,
            ..RIG
        };
        assert!(slower.stable_stiffness() < k && late(2.0).stable_stiffness() < k);
    }

    #[test]
    fn coarse_encoders_cap_stiffness() {
        let coarse = LoopTiming {
            resolution_m: 1e-3,
            ..RIG
        };
        assert!((coarse.stable_stiffness() - 0.9 * 200.0).abs() < 1e-9);
        // Whatever the hand damps.
        assert_eq!(coarse.stiffness_beyond(5.0), coarse.stable_stiffness());
        assert_eq!(RIG.stiffness_beyond(5.0), 5.0 * RIG.stable_stiffness());
        assert_eq!(RIG.stiffness_beyond(f64::NAN), 0.0);
    }

    #[test]
    fn nonsense_gives_no_stiffness() {
        let wrong: [fn(&mut LoopTiming); 11] = [
            |rig| rig.damping_n_s_per_m = f64::NAN,
            |rig| rig.damping_n_s_per_m = 0.0,
            |rig| rig.damping_n_s_per_m = -2.0,
            |rig| (rig.damping_n_s_per_m, rig.resolution_m) = (f64::INFINITY, 0.0),
            |rig| (rig.period_s, rig.delay_s) = (0.0, 0.0),
            |rig| rig.period_s = f64::NAN,
            |rig| rig.period_s = -1e-3,
            |rig| rig.delay_s = -2e-4,
            |rig| rig.delay_s = f64::INFINITY,
            |rig| rig.coulomb_friction_n = -0.1,
            |rig| rig.coulomb_friction_n = f64::NAN,
        ];
        for (k, wrong) in wrong.iter().enumerate() {
            let mut rig = RIG;
            wrong(&mut rig);
            assert_eq!(rig.stable_stiffness(), 0.0, "{k}: {rig:?}");
        }
        assert_eq!(RIG.passive_stiffness(f64::NAN), 0.0);
        let at_once = LoopTiming {
            period_s: 0.0,
            delay_s: 0.0,
            ..RIG
        };
        assert_eq!(at_once.passive_stiffness(0.0), 0.0);
    }

    /// `K t_d <= b`; a damper of no window has all frequencies against it.
    #[test]
    fn a_spring_that_is_only_late_is_held_by_damping_over_delay() {
        let only_late = LoopTiming {
            period_s: 0.0,
            ..RIG
        };
        assert!((only_late.passive_stiffness(0.0) - 2000.0).abs() < 1e-9);
        assert_eq!(only_late.passive_stiffness(0.4), 0.0);
    }

    #[test]
    fn the_damper_takes_a_fifth() {
        assert!((RIG.stable_damping() - 0.4).abs() < 1e-15);
        for damping in [f64::NAN, f64::INFINITY, -2.0, 0.0] {
            let rig = LoopTiming {
                damping_n_s_per_m: damping,
                ..RIG
            };
            assert_eq!(rig.stable_damping(), 0.0, "{damping}");
        }
    }
}
