//! Stability bound of the coupling: the stiffness at which the rendering arm stays passive in any
//! hand.
//!
//! # Theory
//!
//! A wall `H(z)` that is sampled and held every `T` generates no more energy than the arm's viscous
//! damping `b` takes if and only if, for all `0 < w < pi/T` (Colgate and Schenkel 1997, main
//! theorem), `b > T/2 / (1 - cos wT) * Re{ (1 - e^{-jwT}) H(e^{jwT}) }`. The coupling is a spring
//! and a damper of `n` samples ([`WINDOW`]), late by `t_d`: `H = e^{-jw t_d} (K + B (1 - z^-n) / (n
//! T))`. The right side is then `K A(w) + B C(w)` with
//!
//! ```text
//! A(w) = sin(w (T/2 + t_d)) T / (2 sin(wT/2))
//! C(w) = -cos(w (t_d + (n + 1) T/2)) sin(n wT/2) / (n sin(wT/2))
//! ```
//!
//! and the largest passive stiffness is the least of `(b - B C) / A` where `A > 0`. The closed form
//! `b >= K (T/2 + t_d) + |B|` is sufficient, but gives away a fifth to two fifths of it: a mean of
//! eight samples has lost its gain where a difference of two is worst.
//!
//! The condition is linear in `(K, B)`. Therefore what is passive without damper, without spring,
//! and with both, is passive with any smaller values that a material asks for.
//!
//! A delay that is not a whole number of periods lets the hand do better than theory, by moving
//! faster within a period just after a force has changed: by 6 % of the damping at most, at half a
//! period. The reserve covers it.
//!
//! Encoder steps `d` feed energy that only Coulomb friction `f_c` can take away: `K <= 2 f_c / d`
//! (Abbott and Okamura 2005).
//!
//! # Practice
//!
//! The bound takes some thousand sines: it is computed when gains change, never in a tick. It is
//! only as good as the declared damping, friction and delay.

use std::f64::consts::PI;

/// Inputs of the stable gains. SI units.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LoopTiming {
    /// Time for which a force is held, s: the loop's period or the arm's, whichever is longer.
    pub period_s: f64,
    /// Delay from a change at the hand to the force that answers it, in addition to the sampling
    /// itself, s (measured).
    pub delay_s: f64,
    /// Viscous damping of the arm itself, N·s/m.
    pub damping_n_s_per_m: f64,
    /// Coulomb friction of the arm itself, N.
    pub coulomb_friction_n: f64,
    /// Smallest position step that the encoders resolve, m.
    pub resolution_m: f64,
}

/// Length of the window of the coupling's rate estimate, in samples.
pub(crate) const WINDOW: usize = 8;
/// Share of the passive bound that is used. The safety governor's ledger counts on the same share
/// of the arm's damping, so at this stiffness it has no reason to act. The rest is a reserve for
/// damping below its declared value.
const SHARE: f64 = 0.9;
/// Virtual damper as a share of the arm's damping. It lowers the passive stiffness by 2 to 6 %, and
/// a spring that rings in a hand without damping settles sooner.
const DAMPER_SHARE: f64 = 0.2;
/// Frequencies tested per period of delay and window, then the smallest and the largest total
/// number.
const FREQUENCIES: [f64; 3] = [16.0, 512.0, 65_536.0];

impl LoopTiming {
    /// Returns the largest passive stiffness, N/m, by viscous damping alone: the exact bound. It
    /// holds for this virtual damping and for any smaller one that a material asks for.
    ///
    /// Zero if timing or arm permit no stiffness (no damping, virtual damping too large, NaN).
    pub fn passive_stiffness(&self, virtual_damping_n_s_per_m: f64) -> f64 {
        let (period, arm, damper) = (
            self.period_s,
            self.damping_n_s_per_m,
            virtual_damping_n_s_per_m,
        );
        let lag = period / 2.0 + self.delay_s;
        // NaN fails here; `f64::min` below would drop it.
        let is_sound = period >= 0.0 && self.delay_s >= 0.0 && lag > 0.0 && arm >= 0.0;
        if !(is_sound && arm.is_finite() && damper.is_finite() && lag.is_finite()) {
            return 0.0;
        }
        // Bound at the lowest frequency, without damper.
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

    /// Returns the default stiffness of an arm, N/m: 0.9 of the passive bound with the virtual
    /// damper of [`Self::stable_damping`], by viscous damping and by friction.
    ///
    /// Zero if the timing or the arm permits no stiffness (no damping, NaN).
    pub fn stable_stiffness(&self) -> f64 {
        self.stiffness_beyond(1.0)
    }

    /// Returns the stable stiffness, N/m, if viscous damping is taken to carry `factor` times as
    /// much as it does. The limit by friction against encoder steps stays: a hand does not help
    /// there.
    pub fn stiffness_beyond(&self, factor: f64) -> f64 {
        // `f64::min` below drops a NaN, so NaN must be caught here.
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

    /// Returns the virtual damping that goes with the stable stiffness, N·s/m.
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

    /// Right side of Colgate's and Schenkel's condition at `theta = wT`, from the complex
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

    /// Least share of the arm's damping at which no motion of the hand at this frequency gains
    /// energy, for a delay of `whole + part` periods. This includes motion within a period.
    ///
    /// The hand's displacement in a period has two straight parts, since that is least damped: `u1`
    /// up to where the force changes, and the rest `u2`. The hand gets `-Re(h X Y*)` with `X =
    /// (u1 + u2) / (z - 1)` and `Y = z^whole (u2 + z u1)`.
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
                // With less of the damper as well: zero damping may be the worst case.
                let needed = worst(&rig, k, b).max(worst(&rig, k, 0.0));
                assert!(
                    (needed / 2.0 - 1.0).abs() < 2e-3,
                    "{delay}, {b}: {k} N/m needs {needed}"
                );
            }
        }
    }

    /// The effect of a damper that needs nearly all of the arm's damping reverses with every period
    /// of delay.
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
                // 0.9 of the damper as well would give 0.9; the excess is the share of its worst
                // frequency.
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
            // The damper costs a sixteenth of that at most.
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
        // Independent of the hand's damping.
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

    /// `K t_d <= b`; a damper without a window is limited at all frequencies.
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
