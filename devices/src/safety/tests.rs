//! The governor, rule by rule, in virtual time.

use super::testing::{sample, spec};
use super::*;
use crate::arm::{ArmSample, ArmSpec, Pose, Vec3, Workspace, Wrench};
use ForceOffReason as R;
use GovernorState as S;

mod effects;
mod energy;
mod oscillation;

const MS: u64 = 1_000_000;

/// A governor, a clock of 1 kHz and its inputs.
struct Bench {
    governor: Governor,
    now_ns: u64,
    wanted: Wrench,
    contact_age_ns: u64,
    faults: ReasonSet,
    enable: bool,
    /// Applied to the fresh sample of each tick.
    spoil: fn(&mut ArmSample),
}

impl Bench {
    fn new() -> Self {
        Self::with(&Limits::default())
    }

    fn with(limits: &Limits) -> Self {
        Bench {
            governor: Governor::new(limits, &spec()).expect("valid limits"),
            now_ns: 0,
            wanted: Wrench::zero(),
            contact_age_ns: 0,
            faults: ReasonSet::EMPTY,
            enable: true,
            spoil: |_| {},
        }
    }

    /// Returns a bench that is active, with this force settled.
    fn active(force_n: f64) -> Self {
        let mut bench = Self::new();
        bench.activate();
        bench.wanted.force_n.x = force_n;
        for _ in 0..20 {
            bench.tick();
        }
        bench
    }

    /// Ticks until full authority.
    fn activate(&mut self) {
        let is_active = (0..5000).any(|_| self.tick().state == S::Active);
        assert!(is_active, "not active after 5 s");
    }

    fn tick(&mut self) -> Governed {
        self.tick_after(MS)
    }

    fn tick_after(&mut self, gap_ns: u64) -> Governed {
        self.tick_at(&Pose::identity(), gap_ns)
    }

    /// Ticks with the handle at `pose`, before the sample is spoilt.
    fn tick_at(&mut self, pose: &Pose, gap_ns: u64) -> Governed {
        self.now_ns += gap_ns;
        let mut sample = sample(self.now_ns);
        sample.pose = *pose;
        (self.spoil)(&mut sample);
        self.governor.step(&GovernorInput {
            now_ns: self.now_ns,
            wanted: self.wanted,
            effects_n: Vec3::zeros(),
            reacting_n: Vec3::zeros(),
            sample: &sample,
            contact_age_ns: self.contact_age_ns,
            spring: None,
            faults: self.faults,
            enable: self.enable,
        })
    }

    fn ticks(&mut self, n: usize) -> Governed {
        (1..n).for_each(|_| {
            self.tick();
        });
        self.tick()
    }
}

#[test]
fn force_starts_after_little_was_wanted_and_then_rises_in_a_straight_line() {
    let mut bench = Bench::new();
    bench.wanted.force_n.x = 5.0;
    let waiting = bench.ticks(100);
    assert_eq!(
        (waiting.state, waiting.wrench),
        (S::WaitingSmallForce, Wrench::zero()),
        "the tool is buried"
    );
    bench.wanted.force_n.x = 0.1;
    bench.ticks(4);
    bench.wanted.force_n.x = 5.0;
    let mut last = 0.0;
    for tick in 1..=999 {
        let out = bench.tick();
        assert_eq!(out.state, S::Ramping);
        assert!(
            (out.wrench.force_n.x - 5.0 * f64::from(tick) * 1e-3).abs() < 1e-9,
            "tick {tick}"
        );
        assert!(out.wrench.force_n.x > last);
        last = out.wrench.force_n.x;
    }
    let full = bench.ticks(2);
    assert_eq!(
        (full.state, full.wrench.force_n.x, full.reductions),
        (S::Active, 5.0, Reductions::default())
    );
}

#[test]
fn a_wanted_force_that_flickers_around_the_engage_force_does_not_engage() {
    let mut bench = Bench::new();
    for i in 0..1000 {
        bench.wanted.force_n.x = if i % 4 == 0 { 0.3 } else { 0.1 };
        assert_eq!(bench.tick().state, S::WaitingSmallForce);
    }
}

#[test]
fn every_reported_cause_ends_force_in_its_own_manner() {
    for reason in R::ALL {
        let mut bench = Bench::active(8.0);
        bench.faults = ReasonSet::of(reason);
        let first = bench.tick();
        assert_eq!(first.reason, Some(reason));
        assert_eq!(
            bench.governor.history().newest().map(|e| e.reason),
            Some(reason)
        );
        match reason.response() {
            Response::Cut => {
                assert_eq!(
                    (first.wrench, first.state),
                    (Wrench::zero(), S::Fault),
                    "{reason}"
                );
            }
            Response::Fade => {
                assert_eq!(first.state, S::Fading, "{reason}");
                assert!(first.wrench.force_n.x > 7.0 && first.wrench.force_n.x < 8.0);
                let bound = bench.governor.zero_within_ns(MS) / MS;
                let last = bench.ticks(bound as usize);
                assert_eq!(last.wrench, Wrench::zero(), "{reason}");
                assert_eq!(
                    last.state,
                    if reason.is_orderly() {
                        S::Disengaged
                    } else {
                        S::Fault
                    }
                );
            }
        }
    }
}

#[test]
fn an_arm_that_has_not_reported_yet_is_not_said_to_be_uncalibrated() {
    let mut bench = Bench::new();
    bench.spoil = |s| {
        *s = ArmSample {
            time_ns: s.time_ns,
            ..ArmSample::default()
        }
    };
    for _ in 0..100 {
        let out = bench.tick();
        assert_eq!(out.reasons, ReasonSet::EMPTY.with(R::StaleInput));
        assert_eq!(out.wrench, Wrench::zero());
    }
    bench.spoil = |_| {};
    bench.wanted.force_n.x = 0.1;
    bench.activate();
}

#[test]
fn every_cause_that_the_governor_finds_itself_is_found() {
    type Spoil = fn(&mut ArmSample);
    let spoils: [(R, Spoil); 11] = [
        (R::NotCalibrated, |s| s.status.calibrated = false),
        (R::SafetySwitch, |s| s.status.safety_switch_closed = false),
        (R::InvalidSample, |s| s.pose.translation.vector.y = f64::NAN),
        (R::InvalidSample, |s| s.linear_velocity.z = f64::INFINITY),
        (R::InvalidSample, |s| {
            s.angular_velocity.x = f64::NEG_INFINITY
        }),
        (R::OverVelocity, |s| {
            s.linear_velocity = Vec3::new(1.2, 1.2, 0.0)
        }),
        (R::OverVelocity, |s| s.angular_velocity.y = -20.1),
        (R::Stall, |s| s.status.input_stalled = true),
        (R::StaleInput, |s| s.time_ns -= 6 * MS),
        (R::PoseUnknown, |s| s.status.pose_invalid = true),
        (R::OverTemperature, |s| s.temperature_c = Some(81.0)),
    ];
    for (reason, spoil) in spoils {
        let mut bench = Bench::active(8.0);
        bench.spoil = spoil;
        assert_eq!(bench.tick().reason, Some(reason));
        assert_eq!(bench.ticks(60).wrench, Wrench::zero(), "{reason}");
    }
    for bad in [f64::NAN, f64::INFINITY] {
        let mut bench = Bench::active(8.0);
        bench.wanted.torque_nm.z = bad;
        let out = bench.tick();
        assert_eq!(
            (out.reason, out.wrench),
            (Some(R::InvalidCommand), Wrench::zero())
        );
    }
    let mut bench = Bench::active(8.0);
    bench.contact_age_ns = 21 * MS;
    assert_eq!(bench.tick().reason, Some(R::StaleContact));
    let mut bench = Bench::active(8.0);
    bench.enable = false;
    assert_eq!(bench.tick().reason, Some(R::Disabled));
    assert_eq!(bench.ticks(60).state, S::Disengaged);
}

#[test]
fn after_a_cut_force_comes_back_only_by_waiting_and_ramp() {
    let mut bench = Bench::active(8.0);
    bench.faults = ReasonSet::of(R::DeviceLost);
    bench.tick();
    bench.faults = ReasonSet::EMPTY;
    assert_eq!(bench.ticks(500).state, S::WaitingSmallForce);
    bench.wanted.force_n.x = 0.0;
    bench.ticks(4);
    bench.wanted.force_n.x = 8.0;
    let out = bench.ticks(100);
    assert_eq!(out.state, S::Ramping);
    assert!((out.wrench.force_n.x - 0.8).abs() < 1e-9);
}

#[test]
fn a_short_delay_costs_a_dip_and_no_waiting() {
    let mut bench = Bench::active(8.0);
    bench.contact_age_ns = 30 * MS;
    let dip = bench.ticks(10);
    assert!((dip.scale - 0.8).abs() < 1e-9);
    bench.contact_age_ns = 0;
    let back = bench.tick();
    assert_eq!(back.state, S::Ramping);
    assert!((back.scale - 0.801).abs() < 1e-9);
    assert_eq!(bench.ticks(200).state, S::Active);
}

#[test]
fn a_stall_cuts_re_anchors_and_ramps() {
    let mut bench = Bench::active(8.0);
    assert_eq!(
        bench.tick_after(10 * MS).reason,
        None,
        "ten periods are not yet a stall"
    );
    let out = bench.tick_after(10 * MS + 1);
    assert_eq!(
        (out.reason, out.wrench, out.reanchor),
        (Some(R::Stall), Wrench::zero(), true)
    );
    let next = bench.tick();
    assert_eq!((next.state, next.reanchor), (S::WaitingSmallForce, false));
}

#[test]
fn time_running_backwards_is_no_time() {
    let mut bench = Bench::active(0.0);
    let (now_ns, sample) = (bench.now_ns - 500 * MS, sample(bench.now_ns));
    let input = GovernorInput {
        now_ns,
        wanted: Wrench {
            force_n: Vec3::new(9.0, 0.0, 0.0),
            torque_nm: Vec3::zeros(),
        },
        effects_n: Vec3::zeros(),
        reacting_n: Vec3::zeros(),
        sample: &sample,
        contact_age_ns: 0,
        spring: None,
        faults: ReasonSet::EMPTY,
        enable: true,
    };
    assert_eq!(
        bench.governor.step(&input).wrench,
        Wrench::zero(),
        "no time, no change"
    );
    assert_eq!(
        bench.tick().reason,
        None,
        "and the clock's return is no stall"
    );
}

#[test]
fn an_emergency_stop_stays_until_it_is_cleared() {
    let mut bench = Bench::active(8.0);
    bench.faults = ReasonSet::of(R::EmergencyStop);
    assert!(bench.tick().brake);
    bench.governor.clear();
    assert_eq!(bench.tick().reason, Some(R::EmergencyStop), "still pressed");
    bench.faults = ReasonSet::EMPTY;
    bench.wanted = Wrench::zero();
    assert_eq!(
        bench.ticks(100).reason,
        Some(R::EmergencyStop),
        "released but not cleared"
    );
    bench.governor.clear();
    assert_eq!(bench.ticks(5).state, S::Ramping);
}

#[test]
fn a_shutdown_fades_to_exactly_zero_and_cannot_be_cleared() {
    let mut bench = Bench::active(8.0);
    bench.governor.request_stop(R::Shutdown);
    assert_eq!(bench.tick().state, S::Fading);
    bench.governor.clear();
    assert_eq!(bench.ticks(60).wrench, Wrench::zero());
    assert_eq!(bench.tick().state, S::Disengaged);
    let mut second = Bench::active(8.0);
    second.governor.request_stop(R::Supervisor);
    assert_eq!(second.tick().wrench, Wrench::zero());
}

#[test]
fn too_fast_is_over_only_below_half_the_limit() {
    let mut bench = Bench::active(1.0);
    bench.spoil = |s| s.linear_velocity.x = 1.6;
    let out = bench.tick();
    assert!(out.brake && out.reason == Some(R::OverVelocity));
    bench.spoil = |s| s.linear_velocity.x = 0.8;
    assert_eq!(bench.tick().reason, Some(R::OverVelocity));
    bench.spoil = |s| s.linear_velocity.x = 0.7;
    assert_eq!(bench.tick().reason, None);
    bench.spoil = |s| s.linear_velocity.x = 1.4;
    assert_eq!(bench.tick().reason, None);
    let turning: [(fn(&mut ArmSample), _); 4] = [
        (|s| s.angular_velocity.x = 20.1, Some(R::OverVelocity)),
        (|s| s.angular_velocity.x = 10.1, Some(R::OverVelocity)),
        (|s| s.angular_velocity.x = 9.9, None),
        (|s| s.angular_velocity.x = 19.9, None),
    ];
    for (spoil, reason) in turning {
        bench.spoil = spoil;
        assert_eq!(bench.tick().reason, reason);
    }
}

#[test]
fn a_motor_that_is_too_hot_must_cool_by_five_degrees() {
    let mut bench = Bench::active(1.0);
    bench.spoil = |s| s.temperature_c = Some(f32::NAN);
    assert_eq!(
        bench.tick().reason,
        Some(R::OverTemperature),
        "a temperature that is no number is no good"
    );
    bench.spoil = |s| s.temperature_c = Some(76.0);
    assert_eq!(bench.tick().reason, Some(R::OverTemperature));
    bench.spoil = |s| s.temperature_c = Some(74.0);
    assert_eq!(bench.tick().reason, None);
}

#[test]
fn force_fades_over_the_last_centimetre_outside_the_workspace() {
    let mut bench = Bench::active(4.0);
    bench.spoil = |s| s.pose.translation.vector = Vec3::new(0.0999, -0.0999, 0.0);
    assert_eq!(bench.ticks(10).wrench.force_n.x, 4.0);
    bench.spoil = |s| s.pose.translation.vector = Vec3::new(0.0, 0.0, -0.105);
    let half = bench.ticks(10);
    assert!((half.wrench.force_n.x - 2.0).abs() < 1e-9);
    assert!(half.reductions.contains(Reductions::EDGE) && half.reason.is_none());
    bench.spoil = |s| s.pose.translation.vector = Vec3::new(0.2, 0.0, 0.0);
    assert_eq!(bench.ticks(10).wrench.force_n.x, 0.0);
}

/// Not every arm has its workspace centre at its origin.
#[test]
fn the_workspace_is_where_its_centre_is() {
    let mut bench = Bench::new();
    let mut arm = spec();
    arm.workspace.center = Vec3::new(0.3, 0.0, -0.2);
    bench.governor = Governor::new(&Limits::default(), &arm).expect("valid limits");
    bench.spoil = |s| s.pose.translation.vector = Vec3::new(0.3, 0.0, -0.2);
    bench.activate();
    bench.wanted.force_n.x = 4.0;
    assert_eq!(bench.ticks(20).wrench.force_n.x, 4.0);
    bench.spoil = |s| s.pose.translation.vector = Vec3::new(0.405, 0.0, -0.2);
    assert!((bench.ticks(20).wrench.force_n.x - 2.0).abs() < 1e-9);
}

#[test]
fn peak_and_continuous_limit_bind_force_and_torque_apart() {
    let mut bench = Bench::active(0.0);
    bench.wanted = Wrench {
        force_n: Vec3::new(0.0, 30.0, 40.0),
        torque_nm: Vec3::new(0.1, 0.0, 0.0),
    };
    let out = bench.ticks(20);
    assert!(
        (out.wrench.force_n - Vec3::new(0.0, 6.0, 8.0)).norm() < 1e-12,
        "same direction, 10 N"
    );
    assert_eq!(out.wrench.torque_nm, bench.wanted.torque_nm);
    assert!(out.reductions.contains(Reductions::PEAK));
    let out = bench.ticks(60_000);
    assert!(
        (out.wrench.force_n - Vec3::new(0.0, 1.8, 2.4)).norm() < 1e-4,
        "held for a minute: 3 N"
    );
    assert!(out.reductions.contains(Reductions::CONTINUOUS));
    assert!(bench.governor.heat().0 > 0.999 && bench.governor.heat().1 < 0.5);
}

#[test]
fn an_application_can_tighten_but_not_loosen_and_the_force_follows_inside_the_slew_limit() {
    let mut bench = Bench::active(9.0);
    let app = Limits {
        peak_force_n: 2.0,
        slew_n_per_s: 1e9,
        ramp_s: 0.0,
        ..Limits::default()
    };
    bench.governor.tighten(&app).expect("tighter");
    assert_eq!(
        bench.governor.limits().slew_n_per_s,
        spec().max_force_slew_n_per_s
    );
    assert_eq!(bench.governor.limits().ramp_s, 1.0);
    let mut last = 9.0;
    for _ in 0..4 {
        let now = bench.tick().wrench.force_n.x;
        assert!(last - now <= 2.0 + 1e-12);
        last = now;
    }
    assert_eq!(last, 2.0);
    bench
        .governor
        .tighten(&Limits {
            peak_force_n: 1e6,
            ..Limits::default()
        })
        .expect("no tighter than the ceiling");
    // Up by the ramp: 10 N in a second, and one tick for rounding.
    for _ in 0..=700 {
        let now = bench.tick().wrench.force_n.x;
        assert!(now - last <= 0.01 + 1e-12 && now >= last, "{last} {now}");
        last = now;
    }
    assert_eq!(last, 9.0);
    let nonsense = Limits {
        edge_fade_m: -1.0,
        ..Limits::default()
    };
    assert!(bench.governor.tighten(&nonsense).is_err());
    assert_eq!(
        bench.governor.limits().peak_force_n,
        10.0,
        "refused limits change nothing"
    );
}

#[test]
fn what_is_eased_rises_by_the_ramp_from_where_it_is() {
    let mut bench = Bench::active(4.0);
    bench.governor.ease();
    bench.wanted.force_n.x = 9.0;
    let mut last = 4.0;
    for _ in 0..=500 {
        let now = bench.tick().wrench.force_n.x;
        assert!(now - last <= 0.01 + 1e-12 && now >= last, "{last} {now}");
        last = now;
    }
    assert_eq!(last, 9.0);
    // No force is rendered, so nothing can jump: the next contact is rendered at once.
    bench.wanted.force_n.x = 0.0;
    bench.ticks(20);
    bench.governor.ease();
    bench.wanted.force_n.x = 9.0;
    assert_eq!(bench.ticks(20).wrench.force_n.x, 9.0);
}

#[test]
fn a_limit_that_is_raised_during_the_ramp_makes_it_no_steeper() {
    let peak = |peak_force_n: f64| Limits {
        peak_force_n,
        ..Limits::default()
    };
    let mut bench = Bench::new();
    bench.governor.tighten(&peak(1.0)).expect("tighter");
    while bench.tick().state != S::Ramping {}
    bench.wanted.force_n.x = 9.0;
    let mut last = bench.ticks(900).wrench.force_n.x;
    assert!(0.85 < last && last < 0.95, "not the ramp's: {last}");
    bench.governor.tighten(&peak(1e6)).expect("the ceiling");
    for _ in 0..1200 {
        let now = bench.tick().wrench.force_n.x;
        assert!(now - last <= 0.01 + 1e-12 && now >= last, "{last} {now}");
        last = now;
    }
    assert_eq!(last, 9.0);
}

#[test]
fn limits_that_cannot_be_kept_make_no_governor() {
    let endless = Limits {
        ramp_s: f64::INFINITY,
        ..Limits::default()
    };
    assert!(matches!(
        Governor::new(&endless, &spec()),
        Err(LimitsError::OutOfRange {
            field: "ramp_s",
            ..
        })
    ));
}

#[test]
fn oscillation_lowers_the_gain_and_at_the_floor_takes_the_force_away() {
    let mut bench = Bench::active(0.0);
    let mut first_reduction_ms = None;
    let mut gains = Vec::new();
    let mut end = None;
    for tick in 0..2_000u64 {
        bench.wanted.force_n.x = 3.0 + 2.0 * (std::f64::consts::TAU * tick as f64 / 12.0).sin();
        // A square motion of 83 Hz, half a millimetre wide.
        bench.spoil = if tick % 12 < 6 {
            |s| s.pose.translation.vector.x = 5e-4
        } else {
            |s| s.pose.translation.vector.x = 0.0
        };
        let out = bench.tick();
        if out.reductions.contains(Reductions::OSCILLATION) {
            first_reduction_ms.get_or_insert(tick);
            gains.push(out.wrench.force_n.x / bench.wanted.force_n.x);
        }
        if out.reason == Some(R::Oscillation) && out.wrench == Wrench::zero() {
            end = Some(out.state);
            break;
        }
    }
    assert!(
        first_reduction_ms.expect("seen") <= 50,
        "{first_reduction_ms:?}"
    );
    assert_eq!(end, Some(S::Fault), "it went on at a sixteenth of the gain");
    assert!(bench.governor.oscillations() >= 5);
}

#[test]
fn a_continuous_limit_that_is_raised_rises_by_the_ramp() {
    let mut bench = Bench::active(3.0);
    let ceiling = *bench.governor.limits();
    let low = Limits {
        continuous_force_n: 0.5,
        ..Limits::default()
    };
    bench.governor.tighten(&low).expect("tighter");
    let mut before = bench.ticks(120_000).wrench.force_n.x;
    assert!((before - 0.5).abs() < 0.01, "{before} N");
    bench.governor.tighten(&ceiling).expect("the ceiling");
    // Peak and continuous limit rise together, each by its full value in `ramp_s`, while the force
    // moves from one to the other.
    let both_n = ceiling.peak_force_n + ceiling.continuous_force_n;
    let steepest = 2.0 * both_n * 1e-3 / ceiling.ramp_s;
    for tick in 0..3000 {
        let now = bench.tick().wrench.force_n.x;
        assert!(now - before <= steepest, "tick {tick}: {before} to {now} N");
        before = now;
    }
    assert!(before > 2.5, "{before} N");
}

/// Energy from nothing, again and again: the gain falls to its floor, and then the force goes off.
#[test]
fn energy_that_is_given_at_the_least_gain_takes_the_force_away() {
    let mut bench = Bench::new();
    // An arm that takes no energy.
    let mut frictionless = spec();
    frictionless.damping_n_s_per_m = 0.0;
    frictionless.coulomb_friction_n = 0.0;
    bench.governor = Governor::new(&Limits::default(), &frictionless).expect("valid limits");
    bench.activate();
    let (mut k, mut gains) = (0_u64, vec![1.0]);
    let last = loop {
        k += 1;
        bench.now_ns += MS;
        // A hand that moves along with a force of constant magnitude: 2 mm to and 2 mm fro, by a
        // spring that follows.
        let z = if k % 40 < 20 { 1e-4 } else { -1e-4 } * (k % 20) as f64;
        let mut sample = sample(bench.now_ns);
        sample.pose.translation.x = z;
        bench.wanted.force_n.x = if k % 40 < 20 { 3.0 } else { -3.0 };
        let out = bench.governor.step(&GovernorInput {
            now_ns: bench.now_ns,
            wanted: bench.wanted,
            effects_n: Vec3::zeros(),
            reacting_n: Vec3::zeros(),
            sample: &sample,
            contact_age_ns: 0,
            spring: Some(Spring {
                far_end: sample.pose,
                centre: Vec3::zeros(),
                stored_j: [0.0; 2],
                stiffness: [1000.0, 0.0],
                before: Ends::default(),
                held_by_movers: false,
            }),
            faults: ReasonSet::EMPTY,
            enable: true,
        });
        let gain = bench.governor.energy().gain;
        if gain < gains[gains.len() - 1] * 0.99 {
            gains.push(gain);
        }
        if out.reasons.contains(R::Oscillation) {
            break out;
        }
        assert!(k < 20_000, "{gains:?}");
    };
    assert!(
        gains.len() > 3 && gains[gains.len() - 1] < 0.02,
        "{gains:?}"
    );
    assert!(matches!(last.state, S::Fading | S::Fault), "{last:?}");
    assert!(bench.governor.oscillations() >= 4);
}

#[test]
fn the_rules_that_bit_are_published_as_bits_of_their_own() {
    let mut bench = Bench::new();
    // Off, and ramping: 32.
    assert_eq!(bench.tick().reductions.bits(), 32);
    while bench.tick().state != S::Ramping {}
    assert_eq!(bench.tick().reductions.bits(), 32);
    bench.activate();
    // Full authority over a force within all limits.
    bench.wanted.force_n.x = 1.5;
    let out = bench.tick();
    assert_eq!(out.reductions.bits(), 0);
    assert!(!out.reductions.contains(Reductions::PEAK));
    // Peak and slew limit.
    bench.wanted.force_n.x = 11.0;
    assert_eq!(bench.tick().reductions.bits(), 1 + 4);
    assert_eq!(bench.ticks(20).reductions.bits(), 1);
    assert_eq!(bench.ticks(60_000).reductions.bits(), 2);
    bench.wanted.force_n.x = 1.0;
    bench.spoil = |s| s.pose.translation.vector.x = 0.105;
    assert_eq!(bench.ticks(20).reductions.bits(), 8);
}

#[test]
fn a_fade_takes_its_time_the_slew_from_the_peak_and_two_ticks() {
    let bound_ms = |limits: &Limits, arm: &ArmSpec| {
        let governor = Governor::new(limits, arm).expect("valid limits");
        governor.zero_within_ns(MS) / MS
    };
    // 10 N at 2000 N/s and 0.4 N m at 80 N m/s are 5 ms each.
    assert_eq!(bound_ms(&Limits::default(), &spec()), 50 + 5 + 2);
    let slow = |slew_n_per_s, slew_nm_per_s| Limits {
        slew_n_per_s,
        slew_nm_per_s,
        ..Limits::default()
    };
    assert_eq!(bound_ms(&slow(100.0, 80.0), &spec()), 50 + 100 + 2);
    assert_eq!(bound_ms(&slow(100.0, 2.0), &spec()), 50 + 200 + 2);
    // Forever, if a force may not change; but a force that is never made need not fade.
    let still = slow(0.0, 80.0);
    assert_eq!(bound_ms(&still, &spec()), u64::MAX / MS);
    let forceless = Limits {
        peak_force_n: 0.0,
        ..still
    };
    assert_eq!(bound_ms(&forceless, &spec()), 50 + 5 + 2);
}

#[test]
fn what_is_released_falls_at_the_slew_limit_and_waits_for_a_small_force() {
    let mut bench = Bench::active(8.0);
    bench.governor.release();
    for left_n in [6.0, 4.0, 2.0, 0.0, 0.0] {
        let out = bench.tick();
        assert!((out.wrench.force_n.x - left_n).abs() < 1e-12, "{out:?}");
        assert_eq!(out.state, S::WaitingSmallForce);
    }
    bench.wanted.force_n.x = 0.1;
    assert_eq!(bench.ticks(4).state, S::Ramping);
}

#[test]
fn the_ceiling_is_what_arm_and_technician_allow() {
    let technician = Limits {
        peak_force_n: 6.0,
        ..Limits::default()
    };
    let mut bench = Bench::with(&technician);
    let both = technician.tightened_by_arm(&spec());
    assert_eq!(*bench.governor.ceiling(), both);
    let app = Limits {
        peak_force_n: 1.0,
        ..Limits::default()
    };
    bench.governor.tighten(&app).expect("tighter");
    assert_eq!(*bench.governor.ceiling(), both, "whatever is put on top");
}

#[test]
fn heat_is_that_of_force_and_torque_by_the_square() {
    let mut bench = Bench::active(0.0);
    assert_eq!(bench.governor.heat(), (0.0, 0.0));
    bench.wanted.force_n.y = 2.4;
    bench.wanted.torque_nm.z = 0.09;
    // 80 % of 3 N and 60 % of 0.15 N m, for one minute with a time constant of ten seconds: all but
    // e^-6.
    bench.ticks(60_000);
    let warmed = 1.0 - (-6.0_f64).exp();
    let (force, torque) = bench.governor.heat();
    assert!((force / (0.64 * warmed) - 1.0).abs() < 1e-3, "{force}");
    assert!((torque / (0.36 * warmed) - 1.0).abs() < 1e-3, "{torque}");
}

/// Also for a hand that feels nothing when the limit is raised: then no present force limits the
/// rise.
#[test]
fn a_continuous_limit_rises_by_the_ramp_while_nothing_is_felt() {
    let mut bench = Bench::active(3.0);
    let ceiling = *bench.governor.limits();
    let low = Limits {
        continuous_force_n: 0.5,
        ..Limits::default()
    };
    bench.governor.tighten(&low).expect("tighter");
    bench.ticks(120_000);
    bench.wanted.force_n.x = 0.0;
    bench.ticks(10);
    bench.governor.tighten(&ceiling).expect("the ceiling");
    bench.wanted.force_n.x = 10.0;
    // Five ticks of 2 N could be 10 N.
    let out = bench.ticks(5);
    let heating = bench.governor.heat().0 * 9.0;
    let square = (0.5_f64 + 3.0 * 5e-3).powi(2);
    let room = (1.0 - heating / square) / 0.3;
    let cap_n = (square + (100.0 - square) * room).sqrt();
    assert!(cap_n < 6.0, "{cap_n}");
    assert!(out.wrench.force_n.x < cap_n * 1.01, "{out:?} {cap_n}");
}

#[test]
fn the_engage_force_itself_is_not_small() {
    let limits = Limits {
        engage_force_n: 0.25,
        engage_torque_nm: 0.03125,
        ..Limits::default()
    };
    let below = |limit: f64| limit * (1.0 - 1e-9);
    for (force_n, torque_nm, is_little) in [
        (below(0.25), below(0.03125), true),
        (0.25, 0.0, false),
        (0.0, 0.03125, false),
    ] {
        let mut bench = Bench::with(&limits);
        bench.wanted.force_n.x = force_n;
        bench.wanted.torque_nm.y = torque_nm;
        let state = bench.ticks(100).state;
        let expected = match is_little {
            true => S::Ramping,
            false => S::WaitingSmallForce,
        };
        assert_eq!(state, expected, "{force_n} N, {torque_nm} N m");
    }
}

#[test]
fn force_and_a_limit_that_is_raised_take_the_time_of_the_ramp() {
    let slow = Limits {
        ramp_s: 2.0,
        ..Limits::default()
    };
    let mut bench = Bench::with(&slow);
    while bench.tick().state != S::Ramping {}
    let ramp_ms = (1..).find(|_| bench.tick().state == S::Active).unwrap_or(0);
    assert!((1999..=2001).contains(&ramp_ms), "{ramp_ms} ms");
    bench.wanted.force_n.x = 4.0;
    bench.ticks(20);
    bench.governor.ease();
    bench.wanted.force_n.x = 9.0;
    // 10 N in 2 s.
    for tick in 1..100 {
        let now_n = bench.tick().wrench.force_n.x;
        assert!((now_n - 4.0 - 5e-3 * f64::from(tick)).abs() < 1e-9);
    }
}

/// A swing of hand and force at 250 Hz with every other tick spoilt: the motion between is unknown.
#[test]
fn what_is_not_seen_between_two_ticks_is_no_oscillation() {
    type Spoil = fn(&mut Bench) -> u64;
    let spoils: [Spoil; 4] = [
        |_| MS,
        |bench| {
            bench.wanted.force_n.y = f64::NAN;
            MS
        },
        |bench| {
            bench.spoil = |s| s.pose.translation.vector.y = f64::NAN;
            MS
        },
        |_| 11 * MS,
    ];
    for (k, spoil) in spoils.into_iter().enumerate() {
        let mut bench = Bench::active(0.0);
        for tick in 0..60_u64 {
            let is_far = tick % 4 < 2;
            bench.wanted.force_n = Vec3::x() * if is_far { 1.0 } else { 3.0 };
            bench.spoil = match is_far {
                true => |s| s.pose.translation.vector.x = 5e-4,
                false => |_| {},
            };
            let gap_ns = match tick % 2 {
                0 => MS,
                _ => spoil(&mut bench),
            };
            bench.tick_after(gap_ns);
        }
        let seen = bench.governor.oscillations();
        assert_eq!(seen > 0, k == 0, "{k}: {seen}");
        // After that it is detected as before.
        for tick in 0..100_u64 {
            let is_far = tick % 4 < 2;
            bench.wanted.force_n = Vec3::x() * if is_far { 1.0 } else { 3.0 };
            bench.spoil = match is_far {
                true => |s| s.pose.translation.vector.x = 5e-4,
                false => |_| {},
            };
            bench.tick();
        }
        assert!(bench.governor.oscillations() > seen, "{k}");
    }
}

/// When the torque's own limit is raised, the torque rises from its present value.
#[test]
fn a_continuous_torque_that_is_raised_eases_as_well() {
    let mut bench = Bench::active(0.0);
    let ceiling = *bench.governor.limits();
    bench.wanted.torque_nm.z = 0.15;
    let low = Limits {
        continuous_torque_nm: 0.05,
        ..Limits::default()
    };
    bench.governor.tighten(&low).expect("tighter");
    let mut before = bench.ticks(120_000).wrench.torque_nm.z;
    assert!((before - 0.05).abs() < 1e-3, "{before} N m");
    bench.governor.tighten(&ceiling).expect("the ceiling");
    let both_nm = ceiling.peak_torque_nm + ceiling.continuous_torque_nm;
    let steepest = 2.0 * both_nm * 1e-3 / ceiling.ramp_s;
    for tick in 0..3000 {
        let now = bench.tick().wrench.torque_nm.z;
        assert!(now - before <= steepest, "{tick}: {before} to {now} N m");
        before = now;
    }
    assert!(before > 0.12, "{before} N m");
}

#[test]
fn what_is_just_at_its_limit_is_no_fault() {
    let spoils: [fn(&mut ArmSample); 4] = [
        |s| s.temperature_c = Some(80.0),
        |s| s.linear_velocity.y = -1.5,
        |s| s.angular_velocity.z = 20.0,
        |s| s.time_ns -= 5 * MS,
    ];
    for (k, spoil) in spoils.into_iter().enumerate() {
        let mut bench = Bench::active(1.0);
        bench.spoil = spoil;
        assert_eq!(bench.tick().reason, None, "{k}");
    }
    let mut bench = Bench::active(1.0);
    bench.contact_age_ns = 20 * MS;
    assert_eq!(bench.tick().reason, None);
}
