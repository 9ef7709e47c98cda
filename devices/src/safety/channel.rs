//! One channel of the governor: a force vector or a torque vector, clamped, slewed and
//! heat-budgeted.
//!
//! Guarantees, for every wanted vector however large (but finite):
//! * Clamping keeps the direction and never lengthens a vector.
//! * The output moves on the straight line from the last output towards the clamped target, by at
//!   most `slew * dt`. It is therefore never longer than the longer of the two, and it is the
//!   target itself once the slew limit no longer binds.
//! * What is added to the wanted vector takes only what the limits leave beside that: the wanted
//!   vector is never shortened for it.
//!
//! Constant time, no allocation.

use super::thermal::ThermalBudget;
use crate::arm::Vec3;

/// Limits of one channel, in its unit (N or N·m).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChannelLimits {
    pub peak: f64,
    pub continuous: f64,
    pub slew_per_s: f64,
    pub time_constant_s: f64,
}

/// Result of one step of a channel.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ChannelStep {
    pub clamped_to_peak: bool,
    pub clamped_to_continuous: bool,
    pub slewed: bool,
    /// Part of the target that the slew limit leaves for later steps.
    pub held_back: Vec3,
    /// Length that the limits allowed.
    pub most: f64,
    /// Share of the clamped vector that was sent.
    pub factor: f64,
    /// Share of what was wanted in addition that was sent, 0 to 1.
    pub added: f64,
}

/// State of one channel: its last output and the heat that it made.
#[derive(Clone, Debug, Default)]
pub(super) struct Channel {
    output: Vec3,
    /// What the output would be without what is added: steps of their own, within the same limits.
    base: Vec3,
    budget: ThermalBudget,
}

/// Moves `output` straight towards `target` by at most `most`. Returns whether it did not get
/// there.
fn approach(output: &mut Vec3, target: &Vec3, most: f64) -> bool {
    let change = target - *output;
    let step = clamp_length(&change, most);
    let slewed = step != change;
    // If the slew limit does not bind, takes the target itself: `output + change` would leave
    // rounding errors, and a fade to zero must end at zero.
    *output = if slewed { *output + step } else { *target };
    slewed
}

/// Returns the longest share of `added`, up to all of it, with which `v` is not longer than
/// `length`. `v` is not longer than `length`. A vector that is added never shortens `v`.
fn share_within(v: &Vec3, added: &Vec3, length: f64) -> Vec3 {
    if (v + added).norm() <= length {
        return *added;
    }
    // The root of |v + share added| = length with the larger share. The short form of the formula:
    // the terms under the root are not negative, since |v| <= length.
    let (a, b) = (added.norm_squared(), v.dot(added));
    let room = (length * length - v.norm_squared()).max(0.0);
    let root = (b * b + a * room).sqrt();
    let share = match b > 0.0 {
        true => room / (b + root),
        false => (root - b) / a,
    };
    match share.is_finite() {
        true => added * share.clamp(0.0, 1.0),
        false => Vec3::zeros(),
    }
}

/// Returns `v` shortened to at most `length`, in the same direction. Safe for components up to the
/// largest `f64`.
pub(super) fn clamp_length(v: &Vec3, length: f64) -> Vec3 {
    let largest = v.amax();
    if largest == 0.0 || length <= 0.0 {
        return Vec3::zeros();
    }
    let unit = v / largest;
    let norm = unit.norm();
    // largest * norm may overflow to infinity, which compares correctly.
    if largest * norm <= length {
        *v
    } else {
        unit * (length / norm)
    }
}

impl Channel {
    /// Accounts for the output that was held for `dt_s` up to now.
    pub fn hold(&mut self, dt_s: f64, limits: &ChannelLimits) {
        self.budget
            .advance(self.output.norm(), dt_s, limits.time_constant_s);
    }

    /// Moves the output towards `scale` times the clamped `wanted`, `dt_s` after the last step.
    /// `wanted` is finite, `scale` is in 0..=1. (Clamped first, so that a ramp covers the whole
    /// permitted force however much more is wanted.)
    ///
    /// Adds as much of `added` (finite) as the limits leave beside `wanted`. What the step says is
    /// of `wanted` alone: it is the same whatever is added.
    #[inline]
    pub fn step(
        &mut self,
        wanted: &Vec3,
        added: &Vec3,
        scale: f64,
        dt_s: f64,
        limits: &ChannelLimits,
    ) -> ChannelStep {
        let cap = self.budget.cap(limits.peak, limits.continuous);
        let permitted = clamp_length(wanted, cap);
        let clamped = permitted != *wanted;
        let target = permitted * scale;
        let most_step = limits.slew_per_s * dt_s;
        let before = self.base;
        let slewed = approach(&mut self.base, &target, most_step);
        let along = self.base.dot(&permitted) / permitted.norm_squared();
        let mut step = ChannelStep {
            clamped_to_peak: clamped && cap >= limits.peak,
            clamped_to_continuous: clamped && cap < limits.peak,
            slewed,
            held_back: target - self.base,
            most: cap,
            factor: match slewed {
                true if along.is_finite() => along.clamp(0.0, 1.0),
                _ => scale,
            },
            added: 1.0,
        };
        if *added == Vec3::zeros() && self.output == before {
            self.output = self.base;
            return step;
        }
        let room = (cap * scale).max(self.base.norm());
        let target = self.base + share_within(&self.base, &(added * scale), room);
        step.slewed |= approach(&mut self.output, &target, most_step);
        let sent = (self.output - self.base).dot(added) / added.norm_squared();
        step.added = match sent.is_finite() {
            true => sent.clamp(0.0, 1.0),
            false => 1.0,
        };
        step
    }

    /// Sets the output to zero at once.
    pub fn cut(&mut self) {
        self.output = Vec3::zeros();
        self.base = Vec3::zeros();
    }

    /// Returns the vector without what was added.
    pub fn base(&self) -> Vec3 {
        self.base
    }

    /// Returns the vector that the arm is asked to hold.
    pub fn output(&self) -> Vec3 {
        self.output
    }

    /// Returns the share of the continuous budget in use.
    pub fn used(&self, limits: &ChannelLimits) -> f64 {
        self.budget.used(limits.continuous)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NONE: Vec3 = Vec3::new(0.0, 0.0, 0.0);
    const LIMITS: ChannelLimits = ChannelLimits {
        peak: 10.0,
        continuous: 10.0,
        slew_per_s: 1000.0,
        time_constant_s: 10.0,
    };

    #[test]
    fn the_largest_numbers_are_clamped_and_not_lost() {
        let huge = Vec3::new(f64::MAX, -f64::MAX, f64::MAX);
        let clamped = clamp_length(&huge, 3.0);
        assert!((clamped.norm() - 3.0).abs() < 1e-12);
        assert!(clamped.x > 0.0 && clamped.y < 0.0 && clamped.z > 0.0);
        let tiny = Vec3::new(f64::MIN_POSITIVE, 0.0, 0.0);
        assert_eq!(clamp_length(&tiny, 3.0), tiny);
        assert_eq!(clamp_length(&huge, 0.0), Vec3::zeros());
    }

    #[test]
    fn a_step_of_the_wanted_force_becomes_a_straight_ramp_of_the_permitted_slope() {
        let mut channel = Channel::default();
        let outputs: Vec<f64> = (0..7)
            .map(|_| {
                channel.step(&Vec3::new(5.0, 0.0, 0.0), &NONE, 1.0, 1e-3, &LIMITS);
                channel.output().x
            })
            .collect();
        for (tick, out) in outputs.iter().enumerate() {
            assert!((out - (tick as f64 + 1.0).min(5.0)).abs() < 1e-12);
        }
        assert_eq!(outputs[6], 5.0, "settled exactly");
        assert!(
            !channel
                .step(&Vec3::new(5.0, 0.0, 0.0), &NONE, 1.0, 1e-3, &LIMITS)
                .slewed
        );
    }

    /// 1 N per tick of the 5 N; the rest comes later. If nothing is wanted, the share is the scale.
    #[test]
    fn a_step_tells_what_the_slew_limit_holds_back_and_lets_out() {
        let mut channel = Channel::default();
        let mut to = |wanted: f64, scale: f64| {
            let step = channel.step(&Vec3::new(wanted, 0.0, 0.0), &NONE, scale, 1e-3, &LIMITS);
            (step.held_back.x, step.factor)
        };
        for (held_back, share) in [(4.0, 0.2), (3.0, 0.4), (2.0, 0.6), (1.0, 0.8), (0.0, 1.0)] {
            let step = to(5.0, 1.0);
            assert!((step.0 - held_back).abs() < 1e-12, "{step:?}");
            assert!((step.1 - share).abs() < 1e-12, "{step:?}");
        }
        let step = to(0.0, 0.5);
        assert!((step.0 + 4.0).abs() < 1e-12 && step.1 == 0.5, "{step:?}");
    }

    #[test]
    fn a_step_names_the_limit_that_bound_it() {
        let limits = ChannelLimits {
            continuous: 3.0,
            slew_per_s: 1e6,
            ..LIMITS
        };
        let bound = |limits: &ChannelLimits, channel: &mut Channel, wanted: f64| {
            let step = channel.step(&Vec3::new(0.0, wanted, 0.0), &NONE, 1.0, 1e-3, limits);
            (step.clamped_to_peak, step.clamped_to_continuous)
        };
        let mut channel = Channel::default();
        assert_eq!(bound(&limits, &mut channel, 10.0), (false, false));
        assert_eq!(bound(&limits, &mut channel, 10.1), (true, false));
        // Without a lower continuous limit the peak binds.
        let mut steady = channel.clone();
        assert_eq!(bound(&LIMITS, &mut steady, 10.1), (true, false));
        // One second at 10 N uses up the budget of 3 N.
        channel.hold(1.0, &limits);
        assert_eq!(bound(&limits, &mut channel, 2.9), (false, false));
        assert_eq!(bound(&limits, &mut channel, 10.1), (false, true));
    }

    #[test]
    fn what_is_added_takes_what_the_limits_leave() {
        let limits = ChannelLimits {
            slew_per_s: 1e9,
            ..LIMITS
        };
        let sent = |wanted: Vec3, added: Vec3| {
            let mut channel = Channel::default();
            let step = channel.step(&wanted, &added, 0.5, 1e-3, &limits);
            (channel.output(), channel.base(), step)
        };
        let (along, up) = (Vec3::x(), Vec3::y());
        let (out, base, step) = sent(along * 3.0, up * 4.0);
        assert_eq!((out, base), (along * 1.5 + up * 2.0, along * 1.5));
        assert_eq!((step.added, step.factor), (0.5, 0.5));
        // 4 N of 5: 1 N is left along it, 3 N across, 9 N against it.
        for (added, left) in [(along, 1.0), (up, 3.0), (-along, 9.0)] {
            let (out, base, step) = sent(along * 8.0, added * 100.0);
            assert!((out - base - added * left).norm() < 1e-12, "{out} {base}");
            assert!((out.norm() - 5.0).abs() < 1e-12 && base == along * 4.0);
            assert!(!step.clamped_to_peak && step.factor == 0.5);
        }
        let (out, base, step) = sent(along * 12.0, along * 5.0);
        assert_eq!((out, base), (along * 5.0, along * 5.0));
        assert!(step.clamped_to_peak && step.added == 0.0);
        let (out, _, step) = sent(along, Vec3::repeat(f64::MAX));
        assert!(out.norm() <= 5.0 + 1e-12 && step.added.is_finite());
    }

    #[test]
    fn what_is_cut_is_zero_and_as_warm_as_it_was() {
        let mut channel = Channel::default();
        channel.step(&Vec3::new(0.0, 6.0, 8.0), &NONE, 1.0, 0.1, &LIMITS);
        channel.hold(LIMITS.time_constant_s, &LIMITS);
        channel.cut();
        assert_eq!(channel.output(), Vec3::zeros());
        // 10 N for one time constant, in one step: half of the heat that 10 N makes in the end.
        assert!((channel.used(&LIMITS) - 0.5).abs() < 1e-12);
    }

    proptest! {
        #[test]
        fn output_stays_on_the_segment_between_the_last_output_and_the_target(
            moves in prop::collection::vec((prop::array::uniform3(-30.0..30.0f64), 0.0..=1.0f64, 0.0..0.01f64), 1..40)
        ) {
            let mut channel = Channel::default();
            let mut last = Vec3::zeros();
            for (wanted, scale, dt_s) in moves {
                let wanted = Vec3::from(wanted);
                channel.step(&wanted, &NONE, scale, dt_s, &LIMITS);
                let out = channel.output();
                let target = clamp_length(&wanted, LIMITS.peak) * scale;
                prop_assert!(target.norm() <= wanted.norm() * (1.0 + 1e-12));
                prop_assert!((out - last).norm() <= LIMITS.slew_per_s * dt_s + 1e-12);
                // On the segment the two parts add up to the whole.
                let whole = (target - last).norm();
                prop_assert!(((out - last).norm() + (target - out).norm() - whole).abs() < 1e-9);
                prop_assert!(out.norm() <= last.norm().max(target.norm()) + 1e-12);
                last = out;
            }
        }

        /// Whatever is added, the output keeps peak and slew, and the base is that of a channel to
        /// which nothing is added.
        #[test]
        fn what_is_added_keeps_the_limits_and_leaves_the_rest_as_it_is(
            moves in prop::collection::vec((
                prop::array::uniform3(-12.0..12.0f64),
                prop::array::uniform3(-12.0..12.0f64),
                0.0..=1.0f64,
                0.0..0.004f64,
            ), 1..60)
        ) {
            let (mut channel, mut plain) = (Channel::default(), Channel::default());
            let mut last = Vec3::zeros();
            for (wanted, added, scale, dt_s) in moves {
                let (wanted, added) = (Vec3::from(wanted), Vec3::from(added));
                let step = channel.step(&wanted, &added, scale, dt_s, &LIMITS);
                let alone = plain.step(&wanted, &NONE, scale, dt_s, &LIMITS);
                prop_assert_eq!(channel.base(), plain.output());
                prop_assert_eq!((step.factor, step.held_back), (alone.factor, alone.held_back));
                prop_assert!((0.0..=1.0).contains(&step.added));
                let out = channel.output();
                prop_assert!((out - last).norm() <= LIMITS.slew_per_s * dt_s + 1e-12);
                prop_assert!(out.norm() <= LIMITS.peak + 1e-12);
                last = out;
            }
        }
    }
}
