//! The governor with something that swings: what counts as a swing, of force and of torque.

use super::energy::{Pushed, frictionless, wrench};
use super::*;
use nalgebra::UnitQuaternion;

/// Returns how often oscillation is detected in half a second of a swing at 83 Hz: of the pose
/// between `near` and `far`, and of force and torque by 2 N and 0.1 N m.
fn seen(arm: &ArmSpec, near: &Pose, far: &Pose) -> u64 {
    let mut bench = Bench::new();
    bench.governor = Governor::new(&Limits::default(), arm).expect("valid limits");
    bench.activate();
    for tick in 0..500_u64 {
        let is_far = tick % 12 < 6;
        let share = if is_far { 1.0 } else { -1.0 };
        bench.wanted = wrench(share, 0.05 * share);
        bench.tick_at(if is_far { far } else { near }, MS);
    }
    bench.governor.oscillations()
}

/// A motion that an encoder cannot tell from rest is not a swing, however small the limit is.
#[test]
fn a_swing_is_more_than_four_encoder_steps_and_than_what_the_limits_say() {
    let still = Pose::identity();
    // For position, angle, and the limits themselves.
    let fine = (Limits::default().oscillation).motion_m;
    let angle = (Limits::default().oscillation).turning_rad;
    let coarse = ArmSpec {
        resolution_m: 2e-4,
        resolution_rad: 5e-3,
        ..spec()
    };
    assert!(fine < 8e-4 && angle < 2e-2);
    for (arm, way_m, way_rad) in [(&coarse, 8e-4, 2e-2), (&spec(), fine, angle)] {
        for (share, is_seen) in [(0.95, false), (1.05, true)] {
            let place = Pose::new(Vec3::x() * (share * way_m), Vec3::zeros());
            let turn = Pose::new(Vec3::zeros(), Vec3::x() * (share * way_rad));
            assert_eq!(
                seen(arm, &still, &place) > 0,
                is_seen,
                "{share} of {way_m} m"
            );
            assert_eq!(
                seen(arm, &still, &turn) > 0,
                is_seen,
                "{share} of {way_rad} rad"
            );
        }
    }
}

/// The rotation is taken in the base frame, like the torque.
#[test]
fn a_handle_that_swings_about_a_turned_pose_is_seen() {
    let turned = UnitQuaternion::from_euler_angles(0.4, 1.1, -0.7);
    let posed = |turn: f64| {
        let swung = UnitQuaternion::from_scaled_axis(Vec3::x() * turn) * turned;
        Pose::from_parts(Vec3::zeros().into(), swung)
    };
    assert!(seen(&spec(), &posed(0.0), &posed(0.05)) > 0);
}

/// Runs a hand that swings by 0.3 mm at 83 Hz while the spring's far end swings by twice as much,
/// against a force that takes energy from it. Returns the gain that the detector leaves.
fn gain_of_a_carried_hand(held_by_movers: bool) -> f64 {
    let still = (Vec3::zeros(), Vec3::zeros());
    let arm = frictionless(&spec());
    let mut pushed = Pushed::by(&arm, &Limits::default(), wrench(0.0, 0.0), still);
    pushed.held_by_movers = held_by_movers;
    for tick in 0..500_u64 {
        let is_far = tick % 12 < 6;
        pushed.wrench.force_n.y = if is_far { 1.0 } else { -1.0 };
        pushed.gone.0.y = if is_far { 3e-4 } else { 0.0 };
        pushed.far_end_ahead = pushed.gone.0;
        pushed.tick();
        assert_eq!(pushed.bench.governor.energy().debt_j, 0.0);
    }
    pushed.bench.governor.oscillation_gains()[0]
}

/// What a body that moves does may be one half of an oscillation.
#[test]
fn a_hand_that_is_carried_is_no_oscillation_unless_a_body_that_moves_holds_it() {
    assert_eq!(gain_of_a_carried_hand(false), 1.0);
    assert!(gain_of_a_carried_hand(true) < 0.6);
}

/// When the detector lowers the force, commands sent before are still under way: that is not a
/// debt.
#[test]
fn what_is_under_way_when_an_oscillation_is_seen_is_no_debt() {
    const LEAD: u64 = 5;
    for [force_n, torque_nm] in [[0.26, 0.0], [0.0, 0.026]] {
        let mut limits = Limits::default();
        limits.oscillation.turning_rad = 5e-4;
        let arm = ArmSpec {
            native_period_ns: 4 * MS,
            ..frictionless(&spec())
        };
        let step = (Vec3::x() * 1e-6, Vec3::zeros());
        let mut pushed = Pushed::by(&arm, &limits, wrench(2.0, 0.0), step);
        let mut has_owed = false;
        let mut is_seen = false;
        for tick in 0..200_u64 {
            // 83 Hz, with the force along the motion of the hand: it turns before the hand does, so
            // that it is felt in the tick in which the detector counts.
            let share = if (tick + LEAD) % 12 < 6 { 1.0 } else { -1.0 };
            pushed.wrench.force_n.y = share * force_n;
            pushed.wrench.torque_nm.y = share * torque_nm;
            let way = if tick % 12 < 6 { 1.0 } else { 0.0 };
            pushed.gone.0.y = way * if force_n > 0.0 { 1.1e-4 } else { 0.0 };
            pushed.gone.1.y = way * if torque_nm > 0.0 { 6e-4 } else { 0.0 };
            pushed.tick();
            let governor = &pushed.bench.governor;
            let debt_j = governor.energy().debt_j;
            if governor.oscillations() > 0 {
                assert!(has_owed, "no debt before it");
                assert_eq!(debt_j, 0.0, "{force_n} N, {torque_nm} Nm");
                is_seen = true;
                break;
            }
            has_owed |= debt_j > 0.0;
        }
        assert!(is_seen, "{force_n} N, {torque_nm} Nm: no oscillation");
    }
}

/// The coupling receives the share of its force that passes: gain and ramp, without the fade
/// outside the workspace, even where that fade leaves nothing.
#[test]
fn the_share_that_passes_is_that_of_gain_and_ramp_wherever_the_arm_is() {
    let mut bench = Bench::active(0.0);
    for (place_m, edge) in [(0.0, 1.0), (0.105, 0.5), (0.2, 0.0)] {
        // The swing goes on until the gain is halved.
        let seen = bench.governor.oscillations();
        let mut tick = 0;
        let halved = loop {
            let is_far = tick % 12 < 6;
            bench.wanted.force_n.x = if is_far { 1.0 } else { -1.0 };
            let x = if is_far { 5e-4 } else { 0.0 };
            let governed = bench.tick_at(&Pose::translation(x, place_m, 0.0), MS);
            if bench.governor.oscillations() > seen {
                break governed.passed;
            }
            tick += 1;
            assert!(tick < 200, "not seen at {place_m} m");
        };
        let gain = 0.5_f64.powi(bench.governor.oscillations() as i32);
        // It recovers by 0.1 per second.
        assert!(
            (gain..gain + 0.02).contains(&halved.share) && (halved.edge - edge).abs() < 1e-9,
            "at {place_m} m: {halved:?}, not {gain}"
        );
        let gains = bench.governor.oscillation_gains();
        assert!((gains[0] - halved.share).abs() < 1e-4, "{gains:?}");
        assert_eq!(gains[1], 1.0, "the torque did not swing");
    }
    // The ramp alone.
    let mut bench = Bench::new();
    bench.spoil = |s| s.pose.translation.vector.y = 0.2;
    bench.ticks(4);
    let ramp = bench.ticks(300);
    assert_eq!((ramp.passed.share, ramp.passed.edge), (ramp.scale, 0.0));
    assert!(ramp.scale > 0.1 && ramp.scale < 0.9, "{}", ramp.scale);
}
