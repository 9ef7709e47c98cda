//! The governor's guarantees under random fault scripts, in virtual time.
//!
//! The script says what is wrong when. The oracle below knows from the script alone what the
//! governor must do.

use super::testing::{sample, spec};
use super::*;
use crate::arm::{ArmSample, Vec3, Wrench};
use ForceOffReason as R;
use nalgebra::Rotation3;
use proptest::prelude::*;

/// The fault of a stretch of ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trouble {
    None,
    NanWanted,
    InfiniteTorque,
    NanPose,
    TooFast,
    TurnsTooFast,
    Uncalibrated,
    SwitchOpen,
    EmergencyStop,
    DeviceLost,
    ClientLost,
    StaleInput,
    StaleContact,
    LeaseExpired,
    Disabled,
    TooHot,
    /// One gap of this many ms at the start of the stretch.
    Gap(u64),
    Outside,
}

impl Trouble {
    fn response(self) -> Option<Response> {
        use Trouble as T;
        match self {
            T::None | T::Outside => None,
            T::Gap(ms) => (ms > 10).then_some(Response::Cut),
            T::StaleInput | T::StaleContact | T::LeaseExpired | T::Disabled | T::TooHot => {
                Some(Response::Fade)
            }
            _ => Some(Response::Cut),
        }
    }
}

fn trouble() -> impl Strategy<Value = Trouble> {
    use Trouble as T;
    prop_oneof![
        8 => Just(T::None),
        1 => prop::sample::select(vec![
            T::NanWanted, T::InfiniteTorque, T::NanPose, T::TooFast, T::TurnsTooFast, T::Uncalibrated, T::SwitchOpen,
            T::EmergencyStop, T::DeviceLost, T::ClientLost,
        ]),
        2 => prop::sample::select(vec![T::StaleInput, T::StaleContact, T::LeaseExpired, T::Disabled, T::TooHot]),
        1 => (2u64..400).prop_map(T::Gap),
        1 => Just(T::Outside),
    ]
}

/// A stretch of ticks: its fault, its length, the wanted wrench (fixed, turning, or shaking), and
/// the tick jitter.
#[derive(Clone, Debug)]
struct Stretch {
    trouble: Trouble,
    ticks: u32,
    force: [f64; 3],
    torque: [f64; 3],
    turn_rad_per_tick: f64,
    velocity: f64,
    period_us: u64,
}

fn stretch() -> impl Strategy<Value = Stretch> {
    let magnitude =
        prop_oneof![2 => Just(0.0), 2 => 0.0..0.15f64, 4 => 0.0..40.0f64, 1 => Just(1e200)];
    (
        trouble(),
        1u32..400,
        magnitude,
        prop::array::uniform3(-1.0..1.0f64),
        prop::array::uniform3(-1.0..1.0f64),
        prop_oneof![Just(0.0), 0.0..3.0f64],
        -0.7..0.7f64,
        prop_oneof![3 => Just(1000u64), 1 => 100u64..3000],
    )
        .prop_map(
            |(trouble, ticks, magnitude, f, t, turn_rad_per_tick, velocity, period_us)| Stretch {
                trouble,
                ticks,
                force: f.map(|x| x * magnitude),
                torque: t.map(|x| x * magnitude * 0.03),
                turn_rad_per_tick,
                velocity,
                period_us,
            },
        )
}

/// Input of one tick, owned.
struct Tick {
    wanted: Wrench,
    sample: ArmSample,
    contact_age_ns: u64,
    faults: ReasonSet,
    enable: bool,
}

impl Tick {
    fn new(part: &Stretch, tick: u32, now_ns: u64) -> Self {
        let turn =
            Rotation3::from_axis_angle(&Vec3::z_axis(), part.turn_rad_per_tick * f64::from(tick));
        let mut this = Tick {
            wanted: Wrench {
                force_n: turn * Vec3::from(part.force),
                torque_nm: turn * Vec3::from(part.torque),
            },
            sample: sample(now_ns),
            contact_age_ns: 0,
            faults: ReasonSet::EMPTY,
            enable: true,
        };
        this.sample.linear_velocity.y = part.velocity;
        this
    }

    fn spoil(&mut self, trouble: Trouble) {
        let s = &mut self.sample;
        match trouble {
            Trouble::NanWanted => self.wanted.force_n.y = f64::NAN,
            Trouble::InfiniteTorque => self.wanted.torque_nm.x = f64::INFINITY,
            Trouble::NanPose => s.pose.translation.vector.x = f64::NAN,
            Trouble::TooFast => s.linear_velocity.x = 4.0,
            Trouble::TurnsTooFast => s.angular_velocity.x = 60.0,
            Trouble::Uncalibrated => s.status.calibrated = false,
            Trouble::SwitchOpen => s.status.safety_switch_closed = false,
            Trouble::EmergencyStop => self.faults = ReasonSet::of(R::EmergencyStop),
            Trouble::DeviceLost => self.faults = ReasonSet::of(R::DeviceLost),
            Trouble::ClientLost => self.faults = ReasonSet::of(R::ClientLost),
            Trouble::LeaseExpired => self.faults = ReasonSet::of(R::LeaseExpired),
            Trouble::StaleInput => s.time_ns -= 50_000_000,
            Trouble::StaleContact => self.contact_age_ns = 50_000_000,
            Trouble::Disabled => self.enable = false,
            Trouble::TooHot => s.temperature_c = Some(95.0),
            Trouble::Outside => s.pose.translation.vector.x = 0.3,
            Trouble::None | Trouble::Gap(_) => {}
        }
    }

    fn input(&self, now_ns: u64) -> GovernorInput<'_> {
        GovernorInput {
            now_ns,
            wanted: self.wanted,
            effects_n: Vec3::zeros(),
            reacting_n: Vec3::zeros(),
            sample: &self.sample,
            contact_age_ns: self.contact_age_ns,
            spring: None,
            faults: self.faults,
            enable: self.enable,
        }
    }
}

/// Knows from the script alone how much authority the governor may have.
struct Oracle {
    limits: Limits,
    troubled_since: Option<u64>,
    small_run: u32,
    /// Largest permitted factor; zero until the wanted force was small for long enough.
    scale: f64,
    engaged: bool,
}

impl Oracle {
    fn step(
        &mut self,
        now_ns: u64,
        gap_s: f64,
        response: Option<Response>,
        wanted: &Wrench,
        out: &Governed,
    ) {
        match response {
            None => {
                self.troubled_since = None;
                let small = wanted.force_n.norm() < self.limits.engage_force_n
                    && wanted.torque_nm.norm() < self.limits.engage_torque_nm;
                self.small_run = if small { self.small_run + 1 } else { 0 };
                if self.engaged {
                    self.scale = (self.scale + gap_s / self.limits.ramp_s).min(1.0);
                } else if self.small_run >= self.limits.engage_ticks {
                    self.engaged = true;
                }
            }
            Some(kind) => {
                self.troubled_since.get_or_insert(now_ns);
                self.small_run = 0;
                if kind == Response::Cut || out.scale == 0.0 {
                    self.engaged = false;
                    self.scale = 0.0;
                } else {
                    // The fade has begun; from here the ramp may resume.
                    self.scale = self.scale.min(out.scale);
                }
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_promises_hold_under_every_script(script in prop::collection::vec(stretch(), 1..25)) {
        let wish = Limits { ramp_s: 0.2, continuous_window_s: 1.0, ..Limits::default() };
        let mut governor = Governor::new(&wish, &spec()).expect("valid");
        let limits = *governor.limits();
        let fade_bound_ns = governor.zero_within_ns(3_000_000);
        let mut oracle = Oracle {
            limits, troubled_since: None, small_run: 0, scale: 0.0, engaged: false,
        };
        let mut now_ns = 1_000_000_000u64;
        let begun_ns = now_ns;
        let mut last = Wrench::zero();
        let mut last_reasons = ReasonSet::EMPTY;
        let mut beginnings = 0u64;
        let mut energy = [0.0f64; 2];
        // The first tick has no gap.
        let first = Tick::new(&script[0], 0, now_ns);
        let out = governor.step(&first.input(now_ns));
        oracle.step(now_ns, 0.0, None, &first.wanted, &out);

        for part in &script {
            for tick in 0..part.ticks {
                let (gap_ns, response) = match part.trouble {
                    Trouble::Gap(ms) if tick == 0 => (ms * 1_000_000, part.trouble.response()),
                    Trouble::Gap(_) => (part.period_us * 1000, None),
                    other => (part.period_us * 1000, other.response()),
                };
                now_ns += gap_ns;
                let gap_s = gap_ns as f64 * 1e-9;
                let mut given = Tick::new(part, tick, now_ns);
                given.spoil(part.trouble);
                if part.trouble != Trouble::EmergencyStop {
                    governor.clear();
                }
                let out = governor.step(&given.input(now_ns));
                oracle.step(now_ns, gap_s, response, &given.wanted, &out);

                beginnings += out.reasons.minus(last_reasons).iter().count() as u64;
                last_reasons = out.reasons;
                prop_assert_eq!(response.is_some(), !out.reasons.minus(ReasonSet::of(R::Oscillation)).is_empty());
                for (now, before, wanted, peak, slew) in [
                    (out.wrench.force_n, last.force_n, given.wanted.force_n,
                     limits.peak_force_n, limits.slew_n_per_s),
                    (out.wrench.torque_nm, last.torque_nm, given.wanted.torque_nm,
                     limits.peak_torque_nm, limits.slew_nm_per_s),
                ] {
                    prop_assert!(now.norm() <= peak * (1.0 + 1e-9), "peak");
                    if response == Some(Response::Cut) {
                        continue;
                    }
                    prop_assert!((now - before).norm() <= slew * gap_s * (1.0 + 1e-9) + 1e-12, "slew");
                    prop_assert!(now.norm() <= before.norm().max(wanted.norm()) * (1.0 + 1e-9), "only less");
                    if !out.reductions.contains(Reductions::SLEW) {
                        prop_assert!(now.norm() <= wanted.norm().min(oracle.scale * peak) * (1.0 + 1e-9) + 1e-12, "ramp");
                        let direction = wanted / wanted.amax().max(1e-300);
                        prop_assert!(now.cross(&direction).norm() <= 1e-9 * peak, "parallel");
                        prop_assert!(now.dot(&direction) >= 0.0, "same sense");
                    }
                }
                prop_assert!(out.scale <= oracle.scale + 1e-9, "{} > {}", out.scale, oracle.scale);
                if response == Some(Response::Cut) {
                    prop_assert_eq!(out.wrench, Wrench::zero());
                    prop_assert_eq!(out.state, GovernorState::Fault);
                }
                if oracle.troubled_since.is_some_and(|since| now_ns - since >= fade_bound_ns) {
                    prop_assert_eq!(out.wrench, Wrench::zero());
                }
                // What the arm held since the last tick heats it.
                energy[0] += last.force_n.norm_squared() * gap_s;
                energy[1] += last.torque_nm.norm_squared() * gap_s;
                last = out.wrench;
            }
        }
        prop_assert_eq!(governor.history().total(), beginnings);
        let elapsed = (now_ns - begun_ns) as f64 * 1e-9;
        // A stall holds the last force for longer than the heating bound covers.
        let stalls = script.iter().filter(|p| matches!(p.trouble, Trouble::Gap(_))).count() as f64;
        for (spent, continuous, peak) in [
            (energy[0], limits.continuous_force_n, limits.peak_force_n),
            (energy[1], limits.continuous_torque_nm, limits.peak_torque_nm),
        ] {
            let window = elapsed + limits.continuous_window_s;
            prop_assert!(spent <= continuous * continuous * window * 1.001 + stalls * 0.4 * peak * peak);
        }
    }
}
