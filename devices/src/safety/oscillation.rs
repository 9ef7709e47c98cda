//! The oscillation detector: detects the limit cycle of a loop that is too stiff, and lowers the
//! gain.
//!
//! # Theory
//! A sampled, delayed virtual wall that is stiffer than the arm's damping allows does not stand
//! still. Arm and wall throw each other to and fro at the frequency of their mass and stiffness,
//! typically 15 to 200 Hz. A hand does not do that: its voluntary motion ends below 10 Hz and its
//! tremor lies at 8 to 12 Hz. The detector therefore counts reversals along one axis. The motion
//! turns back each time by more than an amplitude, and the *wanted* force swings by an amplitude
//! from each turning point to the next. (The hand alone cannot do the second, a texture alone not
//! the first.) Six such reversals within 200 ms are three periods of 15 Hz or more. At 60 Hz they
//! are detected after about 50 ms.
//!
//! A limit cycle keeps its size. A light hand with little damping also rings on a wall that feeds
//! it nothing, but each swing is smaller than the one before. If the last swing there and back is
//! less than 0.97 of the one before, it is left to ring down.
//!
//! A hand that rolls a cube on its corners is lifted by each of them, four times per turn: 16 times
//! per second at 4 turns per second. That is not a limit cycle. In a limit cycle the hand goes to
//! and fro on a spring whose far end stands still; here the far end itself goes up and down and
//! carries the hand. So if only bodies that stand still hold the tool, and the hand was given no
//! energy, a swing counts only if the hand moved further in it than the far end. (Bodies that move
//! may swing against the hand: with them every swing counts.)
//!
//! Reversals are taken from positions and not from the sample's velocity. That velocity is a mean
//! over 15 ms or more, in which an oscillation of 67 Hz is exactly zero.
//!
//! Each detection halves the gain, down to a sixteenth. A detection at the floor is reported as
//! exhausted, which the governor answers with a fault. The gain comes back slowly, over ten
//! seconds, because the cause of the excessive stiffness remains.
//!
//! Not detected: oscillation slower than 15 Hz, and motion that leaves the surface between the
//! bounces with a longer period. By its reversals such motion cannot be distinguished from tapping;
//! the passivity controller distinguishes it by the energy that it is given.
//!
//! # Practice
//! Fixed memory, constant time, no allocation.

use crate::arm::Vec3;

/// Number of reversals that make an oscillation.
const REVERSALS: usize = 6;
/// Time within which they must occur, ns.
const WINDOW_NS: u64 = 200_000_000;
/// Lowest gain.
const GAIN_FLOOR: f64 = 1.0 / 16.0;
/// In an oscillation the last swing there and back is at least this share of the one before.
const MIN_SWING_RATIO: f64 = 0.97;
/// Rate at which the gain comes back, 1/s.
const GAIN_RECOVERY_PER_S: f64 = 0.1;

/// Smallest amplitudes that count: of motion (m or rad), and of the wanted force (N or N m).
#[derive(Clone, Copy, Debug)]
pub(super) struct Amplitudes {
    pub motion: f64,
    pub force: f64,
}

/// One axis of motion.
#[derive(Clone, Copy, Debug, Default)]
struct Axis {
    /// Direction of motion: -1, 0 (none yet), 1.
    direction: i8,
    /// Furthest position in this direction; the start while the direction is 0.
    extreme: Option<f64>,
    /// Range of the wanted force since the last reversal: its lowest and highest values.
    lowest: f64,
    highest: f64,
    /// Range of the spring's far end since then, if only bodies that stand still held it all the
    /// time.
    far_end: Option<[f64; 2]>,
    /// Times of the last reversals, ns, `times[0]` the oldest; `count` of them are valid.
    times: [u64; REVERSALS],
    /// Length of the swing that ended at each of them.
    swing_lengths: [f64; REVERSALS],
    /// Position of the last reversal.
    last_reversal: f64,
    count: usize,
}

/// What the detector sees in one tick, of three axes or of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Observation<T> {
    /// Position, or rotation, from any origin.
    pub place: T,
    /// Wanted force or torque.
    pub wanted: T,
    /// Where the spring behind `wanted` ends, in the coordinates of `place`, if only bodies that
    /// stand still hold it there and the ledger has no debt.
    pub far_end: Option<T>,
}

impl Axis {
    /// Advances the axis by one tick. Returns true if the reversals make an oscillation, and then
    /// starts counting again.
    fn step(&mut self, now_ns: u64, observed: Observation<f64>, least: Amplitudes) -> bool {
        let Observation {
            place,
            wanted,
            far_end,
        } = observed;
        let Some(extreme) = self.extreme else {
            self.extreme = Some(place);
            self.start_swing(wanted, far_end);
            return false;
        };
        self.lowest = self.lowest.min(wanted);
        self.highest = self.highest.max(wanted);
        let range = self.far_end.zip(far_end);
        self.far_end = range.map(|([low, high], at)| [low.min(at), high.max(at)]);
        let moved = place - extreme;
        let onwards = moved * f64::from(self.direction) > 0.0;
        if onwards {
            self.extreme = Some(place);
        }
        if onwards || moved.abs() <= least.motion {
            return false;
        }
        let first = self.direction == 0;
        let swing = self.highest - self.lowest;
        let way = (extreme - self.last_reversal).abs();
        let moved_by_far_end = self.far_end.is_some_and(|[low, high]| high - low >= way);
        self.last_reversal = extreme;
        self.direction = if moved > 0.0 { 1 } else { -1 };
        self.extreme = Some(place);
        self.start_swing(wanted, far_end);
        if first {
            return false;
        }
        if swing < least.force || moved_by_far_end {
            self.count = 0;
            return false;
        }
        if self.count == REVERSALS {
            self.times.copy_within(1.., 0);
            self.swing_lengths.copy_within(1.., 0);
            self.count -= 1;
        }
        (self.times[self.count], self.swing_lengths[self.count]) = (now_ns, way);
        self.count += 1;
        let in_time = now_ns.saturating_sub(self.times[0]) <= WINDOW_NS;
        if self.count == REVERSALS && in_time && self.is_sustained() {
            self.count = 0;
            return true;
        }
        false
    }

    /// Starts a new swing.
    fn start_swing(&mut self, wanted: f64, far_end: Option<f64>) {
        (self.lowest, self.highest) = (wanted, wanted);
        self.far_end = far_end.map(|at| [at, at]);
    }

    /// Returns whether the last swing there and back is no smaller than the one before. There and
    /// back are added, because a hand that drifts makes one longer and the other shorter.
    fn is_sustained(&self) -> bool {
        let way = |at: usize| self.swing_lengths[at] + self.swing_lengths[at + 1];
        let before = way(REVERSALS - 4).max(way(REVERSALS - 5));
        way(REVERSALS - 2) >= MIN_SWING_RATIO * before
    }
}

/// Watches three axes and keeps the gain.
#[derive(Clone, Debug)]
pub(super) struct OscillationDetector {
    axes: [Axis; 3],
    gain: f64,
    detections: u64,
}

impl Default for OscillationDetector {
    fn default() -> Self {
        OscillationDetector {
            axes: [Axis::default(); 3],
            gain: 1.0,
            detections: 0,
        }
    }
}

/// Result of a step of the detector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Calm,
    /// The gain was lowered.
    Lowered,
    /// The gain was already at its floor.
    Exhausted,
}

impl OscillationDetector {
    /// Advances by one tick. All values are finite; the amplitudes are those of
    /// [`OscillationLimits`](super::OscillationLimits).
    pub fn step(
        &mut self,
        now_ns: u64,
        dt_s: f64,
        observed: Observation<&Vec3>,
        least: Amplitudes,
    ) -> Verdict {
        let mut oscillates = false;
        for (i, axis) in self.axes.iter_mut().enumerate() {
            let along = Observation {
                place: observed.place[i],
                wanted: observed.wanted[i],
                far_end: observed.far_end.map(|at| at[i]),
            };
            oscillates |= axis.step(now_ns, along, least);
        }
        if !oscillates {
            self.gain = (self.gain + GAIN_RECOVERY_PER_S * dt_s).min(1.0);
            return Verdict::Calm;
        }
        self.detections = self.detections.saturating_add(1);
        if self.gain < 2.0 * GAIN_FLOOR {
            self.gain = GAIN_FLOOR;
            return Verdict::Exhausted;
        }
        self.gain *= 0.5;
        Verdict::Lowered
    }

    /// Returns the factor for the wanted force, between a sixteenth and 1.
    pub fn gain(&self) -> f64 {
        self.gain
    }

    /// Returns the number of detections.
    pub fn detections(&self) -> u64 {
        self.detections
    }

    /// Discards the motion so far (after a gap in time); keeps the gain.
    pub fn reset_motion(&mut self) {
        self.axes = [Axis::default(); 3];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::TAU;

    const STILL: Vec3 = Vec3::new(0.0, 0.0, 0.0);
    const MIN_AMPLITUDES: Amplitudes = Amplitudes {
        motion: 1e-4,
        force: 0.5,
    };

    fn observed<'a>(
        place: &'a Vec3,
        wanted: &'a Vec3,
        far_end: Option<&'a Vec3>,
    ) -> Observation<&'a Vec3> {
        Observation {
            place,
            wanted,
            far_end,
        }
    }

    /// Runs a sinusoidal motion of `amplitude_m` at `hz` against a spring of `k` N/m; returns the
    /// time of the first detection, s.
    fn first_detection(hz: f64, amplitude_m: f64, k: f64, seconds: f64) -> Option<f64> {
        first_of_growing(hz, 0.0, amplitude_m, k, seconds)
    }

    /// The same for an amplitude that grows by `growth` per second (natural logarithm of a factor).
    fn first_of_growing(hz: f64, growth: f64, start_m: f64, k: f64, seconds: f64) -> Option<f64> {
        let mut detector = OscillationDetector::default();
        (0..(seconds * 1e3) as u64).find_map(|tick| {
            let t = tick as f64 * 1e-3;
            let x = 0.05 + 0.001 * t + start_m * (growth * t).exp() * (TAU * hz * t).sin();
            let z = |value| Vec3::new(0.0, 0.0, value);
            let seen = detector.step(
                tick * 1_000_000,
                1e-3,
                observed(&z(x), &z(3.0 - k * x), Some(&STILL)),
                MIN_AMPLITUDES,
            );
            (seen == Verdict::Lowered).then_some(t)
        })
    }

    #[test]
    fn an_oscillation_of_a_stiff_wall_is_noticed_within_three_periods_and_a_half() {
        for hz in [16.0, 30.0, 60.0, 66.7, 120.0, 200.0] {
            let t = first_detection(hz, 2e-4, 3000.0, 1.0)
                .unwrap_or_else(|| panic!("{hz} Hz not noticed"));
            assert!(t <= 3.5 / hz + 2e-3, "{hz} Hz noticed after {t} s");
        }
    }

    #[test]
    fn hand_motion_is_ignored() {
        // Fast tapping at 10 Hz by half a centimetre; tremor with a large force swing.
        assert_eq!(first_detection(10.0, 0.005, 1000.0, 5.0), None);
        assert_eq!(first_detection(12.0, 0.001, 2000.0, 5.0), None);
    }

    #[test]
    fn ringing_down_is_no_oscillation_and_ringing_up_is() {
        for hz in [15.5, 20.0, 40.0] {
            assert_eq!(first_of_growing(hz, -2.0, 0.01, 3000.0, 2.0), None, "{hz}");
            let t = first_of_growing(hz, 2.0, 5e-4, 3000.0, 1.0);
            assert!(t.is_some_and(|t| t <= 3.5 / hz + 2e-3), "{hz} Hz: {t:?}");
        }
    }

    /// The last swing there and back is held against the two before, each there and back.
    #[test]
    fn a_swing_there_and_back_must_be_as_long_as_the_longest_before() {
        for (swing_lengths, is_sustained) in [
            ([0.0, 1.0, 1.0, 1.0, 1.0, 1.0], true),
            // A drift makes one way longer and the other shorter.
            ([0.0, 0.0, 3.0, 1.0, 3.5, 0.45], true),
            ([0.0, 1.0, 1.0, 1.0, 1.0, 0.5], false),
            ([0.0, 1.0, 1.0, 2.0, 1.0, 1.0], false),
            ([0.0, 2.0, 1.0, 1.0, 1.0, 1.0], false),
        ] {
            let axis = Axis {
                swing_lengths,
                ..Axis::default()
            };
            assert_eq!(axis.is_sustained(), is_sustained, "{swing_lengths:?}");
        }
    }

    /// What would be lowered to just the floor is lowered.
    #[test]
    fn the_gain_may_be_lowered_to_its_floor() {
        let mut detector = OscillationDetector {
            gain: 2.0 * GAIN_FLOOR,
            ..OscillationDetector::default()
        };
        let seen = (0..500_u64).find_map(|tick| {
            let x = Vec3::x() * (1e-3 * (TAU * 50.0 * tick as f64 * 1e-3).sin());
            let (wanted, now_ns) = (x * -1e3, tick * 1_000_000);
            // Nothing comes back in no time.
            let seen = detector.step(now_ns, 0.0, observed(&x, &wanted, None), MIN_AMPLITUDES);
            (seen != Verdict::Calm).then_some(seen)
        });
        assert_eq!(
            (seen, detector.gain()),
            (Some(Verdict::Lowered), GAIN_FLOOR)
        );
    }

    /// A swing of the force by just the amplitude counts.
    #[test]
    fn the_smallest_swing_of_the_force_counts() {
        for (force_n, is_seen) in [(0.25, true), (0.249, false)] {
            let mut detector = OscillationDetector::default();
            let seen = (0..500_u64).any(|tick| {
                let sign = if tick % 20 < 10 { 1.0 } else { -1.0 };
                let (place, wanted) = (Vec3::x() * (1e-3 * sign), Vec3::x() * (-force_n * sign));
                let observed = observed(&place, &wanted, None);
                detector.step(tick * 1_000_000, 1e-3, observed, MIN_AMPLITUDES) == Verdict::Lowered
            });
            assert_eq!(seen, is_seen, "{force_n} N");
        }
    }

    /// Whichever way the first swing goes, it is the first that counts.
    #[test]
    fn both_directions_count_alike() {
        let first_seen = |sign: f64| {
            let mut detector = OscillationDetector::default();
            (0..500_u64).find(|tick| {
                let swing = sign * (TAU * 40.0 * *tick as f64 * 1e-3).sin();
                let (place, wanted) = (Vec3::x() * (1e-3 * swing), Vec3::x() * -swing);
                let observed = observed(&place, &wanted, None);
                detector.step(tick * 1_000_000, 1e-3, observed, MIN_AMPLITUDES) == Verdict::Lowered
            })
        };
        assert_eq!(first_seen(1.0), first_seen(-1.0));
        assert!(first_seen(1.0).is_some());
    }

    #[test]
    fn free_shaking_without_force_and_texture_without_motion_are_no_oscillation() {
        assert_eq!(first_detection(60.0, 0.001, 1.0, 5.0), None);
        assert_eq!(first_detection(100.0, 2e-5, 1e6, 5.0), None);
    }

    /// Returns whether a swing of the hand and the far end by these amplitudes is detected. `held`:
    /// only bodies that stand still hold the tool.
    fn is_seen(hand_m: f64, far_end_m: f64, held: bool) -> bool {
        let mut detector = OscillationDetector::default();
        (0..1_000u64).any(|tick| {
            let swing = (TAU * 16.0 * tick as f64 * 1e-3).sin();
            let z = |value| Vec3::new(0.0, 0.0, value);
            let (hand, far_end) = (z(hand_m * swing), z(far_end_m * swing));
            let wanted = (far_end - hand) * 3000.0;
            let known = held.then_some(&far_end);
            let now = tick * 1_000_000;
            let seen = detector.step(now, 1e-3, observed(&hand, &wanted, known), MIN_AMPLITUDES);
            seen == Verdict::Lowered
        })
    }

    /// As on the corners of a cube that is rolled, or on a surface that yields to the hand.
    #[test]
    fn a_hand_that_is_carried_to_and_fro_is_no_oscillation() {
        assert!(!is_seen(2e-4, 4e-4, true));
        assert!(!is_seen(2e-4, 5e-4, true));
        assert!(is_seen(4e-4, 2e-4, true));
        assert!(is_seen(4e-4, -4e-4, false), "a body that swings against it");
        assert!(is_seen(2e-4, 4e-4, false), "a body that moves");
    }

    /// The hand leaves the surface at each bounce and takes the far end along.
    #[test]
    fn bounces_are_an_oscillation_however_high() {
        for high_m in [1e-4, 1e-3, 1e-2] {
            let mut detector = OscillationDetector::default();
            let seen = (0..1_000u64).any(|tick| {
                let swing = (TAU * 20.0 * tick as f64 * 1e-3).sin();
                let hand = Vec3::new(0.0, 0.0, if swing < 0.0 { 3e-4 } else { high_m } * swing);
                let far_end = Vec3::new(0.0, 0.0, hand.z.max(0.0));
                let wanted = (far_end - hand) * 3000.0;
                let now = tick * 1_000_000;
                let far_end = Some(&far_end);
                let seen =
                    detector.step(now, 1e-3, observed(&hand, &wanted, far_end), MIN_AMPLITUDES);
                seen == Verdict::Lowered
            });
            assert!(seen, "{high_m} m");
        }
    }

    #[test]
    fn the_gain_falls_by_halves_to_its_floor_then_it_is_exhausted_and_it_recovers_in_calm() {
        let mut detector = OscillationDetector::default();
        let mut verdicts = Vec::new();
        for tick in 0..2_000u64 {
            let phase = TAU * 50.0 * tick as f64 * 1e-3;
            let x = Vec3::new(1e-3 * phase.sin(), 0.0, 0.0);
            match detector.step(
                tick * 1_000_000,
                1e-3,
                observed(&x, &(x * -1e3), None),
                MIN_AMPLITUDES,
            ) {
                Verdict::Calm => {}
                seen => verdicts.push((seen, detector.gain())),
            }
        }
        assert!(verdicts[..4].iter().all(|(v, _)| *v == Verdict::Lowered));
        assert_eq!(verdicts[4].0, Verdict::Exhausted);
        assert!(verdicts.iter().all(|(_, gain)| *gain >= GAIN_FLOOR));
        assert_eq!(detector.detections(), verdicts.len() as u64);
        for tick in 2_000..13_000u64 {
            detector.step(
                tick * 1_000_000,
                1e-3,
                observed(&STILL, &STILL, None),
                MIN_AMPLITUDES,
            );
        }
        assert_eq!(detector.gain(), 1.0);
    }
}
