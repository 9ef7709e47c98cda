//! Tests of the coupling at the limits of its guarantees, against numbers from theory.

use super::*;
use hapticd_geometry::Quat;

const RIG: LoopTiming = LoopTiming {
    period_s: 1e-3,
    delay_s: 1e-3,
    damping_n_s_per_m: 2.0,
    coulomb_friction_n: 0.1,
    resolution_m: 1e-5,
};

const GAINS: Gains = Gains {
    stiffness_n_per_m: 1000.0,
    damping_n_s_per_m: 2.0,
    rotational_stiffness_nm_per_rad: 0.5,
    rotational_damping_nm_s_per_rad: 0.004,
};

const PERIOD_S: f64 = 1e-3;
/// Rotational damping that goes with [`GAINS`], in the ratio of the springs, N·m·s/rad.
const TURNING: f64 = 2.0 * 0.5 / 1000.0;

/// Returns the wrench on a hand that lags the tool by `stretch` (m) and `twist` (rad).
fn pull(c: &mut Coupling, stretch: Vec3, twist: Vec3, k: f64) -> Wrench {
    let device = Pose::from_parts((-stretch).into(), Quat::from_scaled_axis(-twist));
    let tool = Pose::identity();
    c.wrench(
        &device,
        &tool,
        &Vec3::zeros(),
        Some((k, f64::INFINITY)),
        PERIOD_S,
    )
}

/// Creates a coupling without the damper, which these tests leave out.
fn spring(gains: Gains) -> Coupling {
    let undamped = Gains {
        damping_n_s_per_m: 0.0,
        rotational_damping_nm_s_per_rad: 0.0,
        ..gains
    };
    Coupling::new(undamped, Damping::Relative)
}

fn near(is: f64, expected: f64) {
    assert!(
        (is - expected).abs() <= 1e-9 * expected.abs().max(1e-3),
        "{is}, expected {expected}"
    );
}

#[test]
fn each_part_of_the_gains_follows_from_its_own_timing() {
    let angular = LoopTiming {
        damping_n_s_per_m: 1e-3,
        coulomb_friction_n: 1.0,
        ..RIG
    };
    let gains = Gains::stable(&RIG, Some(&angular), 1.0);
    near(gains.stiffness_n_per_m, RIG.stable_stiffness());
    near(gains.damping_n_s_per_m, 0.4);
    // Smaller by the same factor as the damping.
    near(
        gains.rotational_stiffness_nm_per_rad,
        RIG.stable_stiffness() / 2000.0,
    );
    near(gains.rotational_damping_nm_s_per_rad, 0.2e-3);
    let forces_only = Gains {
        rotational_stiffness_nm_per_rad: 0.0,
        rotational_damping_nm_s_per_rad: 0.0,
        ..gains
    };
    assert_eq!(Gains::stable(&RIG, None, 1.0), forces_only);
}

#[test]
fn a_lever_needs_both_stiffnesses() {
    near(GAINS.gyration_m2().unwrap(), 5e-4);
    let no_force = Gains {
        stiffness_n_per_m: 0.0,
        ..GAINS
    };
    let no_torque = Gains {
        rotational_stiffness_nm_per_rad: 0.0,
        ..GAINS
    };
    for gains in [no_force, no_torque, Gains::default()] {
        assert_eq!(gains.gyration_m2(), None, "{gains:?}");
    }
}

/// First-order lag: after `n` ticks, `1 - (1 - T / BLEND_S)^n` of the change is made.
#[test]
fn stiffness_lags_by_the_time_of_blending() {
    let mut c = spring(GAINS);
    let stretch = Vec3::z() * 1e-3;
    pull(&mut c, stretch, Vec3::zeros(), 200.0);
    near(c.stiffness_n_per_m(), 200.0);
    for n in 1..=50 {
        pull(&mut c, stretch, Vec3::zeros(), 800.0);
        near(
            c.stiffness_n_per_m(),
            800.0 - 600.0 * (1.0 - PERIOD_S / BLEND_S).powi(n),
        );
    }
    // New gains that allow more glide as well, here with a material that asks for all of them.
    let stiffer = Gains {
        stiffness_n_per_m: 2000.0,
        ..c.gains()
    };
    c.set_gains(stiffer);
    let before = c.stiffness_n_per_m();
    pull(&mut c, stretch, Vec3::zeros(), f64::INFINITY);
    near(c.stiffness_n_per_m(), before + (2000.0 - before) * 0.1);
    // A tick longer than the blending time arrives without overshoot.
    let device = Pose::translation(0.0, 0.0, -1e-3);
    c.wrench(&device, &Pose::identity(), &Vec3::zeros(), None, 0.02);
    near(c.stiffness_n_per_m(), 2000.0);
}

#[test]
fn a_twist_alone_loads_the_spring() {
    let mut c = spring(GAINS);
    let twist = Vec3::x() * 0.1;
    pull(&mut c, Vec3::zeros(), twist, 200.0);
    let w = pull(&mut c, Vec3::zeros(), twist, 800.0);
    near(c.stiffness_n_per_m(), 260.0);
    // The stored energy stays, so the torque grows by the square root.
    near(w.torque_nm.x, 0.5 * 0.1 * 0.26 * (200.0_f64 / 260.0).sqrt());
}

#[test]
fn a_twist_that_gives_no_torque_loads_nothing() {
    let mut c = spring(Gains {
        rotational_stiffness_nm_per_rad: 0.0,
        ..GAINS
    });
    pull(&mut c, Vec3::zeros(), Vec3::x() * 0.1, 200.0);
    let w = pull(&mut c, Vec3::z() * 1e-3, Vec3::x() * 0.1, 800.0);
    near(w.force_n.z, 0.8);
    assert_eq!(w.torque_nm, Vec3::zeros());
}

#[test]
fn rounding_of_a_nanometre_is_no_load() {
    for (at, loaded) in [(REST_M, 800.0), (2.0 * REST_M, 260.0)] {
        let mut c = spring(GAINS);
        pull(&mut c, Vec3::z() * at, Vec3::zeros(), 200.0);
        pull(&mut c, Vec3::z() * 1e-3, Vec3::zeros(), 800.0);
        near(c.stiffness_n_per_m(), loaded);
    }
    for (turn, loaded) in [(REST_RAD, 800.0), (2.0 * REST_RAD, 260.0)] {
        let mut c = spring(GAINS);
        pull(&mut c, Vec3::zeros(), Vec3::y() * turn, 200.0);
        pull(&mut c, Vec3::z() * 1e-3, Vec3::zeros(), 800.0);
        near(c.stiffness_n_per_m(), loaded);
    }
}

/// The stored energy is that of `L^2 = 3^2 + 4^2` mm; four times the stiffness stores it in half
/// the length. The slack of 2.5 mm stays when the twist goes, which leaves 0.5 mm of the stretch.
#[test]
fn slack_counts_stretch_and_twist_together() {
    let mut c = spring(GAINS);
    let stretch = Vec3::z() * 3e-3;
    let twist = Vec3::x() * (4e-3 / 5e-4_f64.sqrt());
    let first = pull(&mut c, stretch, twist, 250.0);
    near(first.force_n.z, 0.75);
    for _ in 0..400 {
        pull(&mut c, stretch, twist, 1000.0);
    }
    let stiff = pull(&mut c, stretch, twist, 1000.0);
    near(stiff.force_n.z, 1.5);
    near(stiff.torque_nm.x, 0.5 * twist.x / 2.0);
    near(pull(&mut c, stretch, Vec3::zeros(), 1000.0).force_n.z, 0.5);
}

#[test]
fn a_slack_spring_that_gets_softer_is_taut_again() {
    let mut c = spring(GAINS);
    let stretch = Vec3::z() * 4e-3;
    pull(&mut c, stretch, Vec3::zeros(), 250.0);
    for k in [1000.0, 250.0] {
        for _ in 0..400 {
            pull(&mut c, stretch, Vec3::zeros(), k);
        }
        // 2 mJ throughout, so the force is the root of 2 E k.
        let force = pull(&mut c, stretch, Vec3::zeros(), k).force_n.z;
        near(force, (2.0_f64 * 2e-3 * k).sqrt());
    }
    assert!(c.slack_m < 1e-9, "{} m", c.slack_m);
}

#[test]
fn an_arm_that_loses_its_force_gains_no_torque() {
    let mut c = spring(GAINS);
    let (stretch, twist) = (Vec3::z() * 3e-3, Vec3::x() * 0.1);
    pull(&mut c, stretch, twist, 250.0);
    for _ in 0..100 {
        pull(&mut c, stretch, twist, 1000.0);
    }
    let before = pull(&mut c, stretch, twist, 1000.0).torque_nm.x;
    let weak = Gains {
        stiffness_n_per_m: 0.0,
        ..c.gains()
    };
    c.set_gains(weak);
    let after = pull(&mut c, stretch, twist, 1000.0);
    assert_eq!(after.force_n, Vec3::zeros());
    assert!(
        after.torque_nm.x > 0.0 && after.torque_nm.x <= before,
        "{} of {before}",
        after.torque_nm.x
    );
}

#[test]
fn reset_forgets_load_slack_and_speed() {
    let mut used = Coupling::new(GAINS, Damping::Relative);
    for k in 0..20 {
        let deep = Vec3::z() * (1e-3 + 1e-4 * f64::from(k));
        pull(
            &mut used,
            deep,
            Vec3::x() * 0.1,
            200.0 + 40.0 * f64::from(k),
        );
    }
    used.reset();
    let mut fresh = Coupling::new(GAINS, Damping::Relative);
    for deep in [2e-3, 1e-3, 3e-3] {
        let stretch = Vec3::z() * deep;
        assert_eq!(
            pull(&mut used, stretch, Vec3::zeros(), 500.0),
            pull(&mut fresh, stretch, Vec3::zeros(), 500.0)
        );
    }
    // Earlier rotation does not count either, for the variant that damps the device.
    let at = |turn: f64| Pose::rotation(Vec3::y() * turn);
    let free = |c: &mut Coupling, turn: f64| {
        c.wrench(&at(turn), &at(turn), &Vec3::zeros(), None, PERIOD_S)
    };
    let mut turned = Coupling::new(GAINS, Damping::Device);
    for k in 0..20 {
        free(&mut turned, 0.01 * f64::from(k));
    }
    turned.reset();
    assert_eq!(free(&mut turned, 2.0), Wrench::default());
}

/// Equation 6.5: `-b v` and `-b_r w` from the second tick on, over any time and distance.
#[test]
fn a_damped_device_feels_its_own_speed_everywhere() {
    let mut c = Coupling::new(GAINS, Damping::Device);
    for k in 0..400 {
        let at = f64::from(k);
        // 0.1 m/s and 10 rad/s, through half a turn.
        let device = Pose::new(Vec3::x() * (1e-4 * at), Vec3::y() * (0.01 * at));
        let w = c.wrench(&device, &device, &Vec3::zeros(), None, PERIOD_S);
        if k == 0 {
            assert_eq!(w, Wrench::default());
        } else {
            assert!((w.force_n + Vec3::x() * 0.2).norm() < 1e-9, "{k}: {w:?}");
            assert!(
                (w.torque_nm + Vec3::y() * (TURNING * 10.0)).norm() < 1e-9,
                "{k}: {w:?}"
            );
        }
    }
}

#[test]
fn a_damped_device_has_spring_and_damper_added() {
    let mut c = Coupling::new(GAINS, Damping::Device);
    // Into the surface at 0.1 m/s: both push out.
    for deep in [1e-3, 1.1e-3] {
        pull(&mut c, Vec3::z() * deep, Vec3::zeros(), 1000.0);
    }
    let w = pull(&mut c, Vec3::z() * 1.2e-3, Vec3::zeros(), 1000.0);
    near(w.force_n.z, 1.2 + 0.2);
}

/// The window of the estimate slides: a stretch that grows evenly is damped evenly.
#[test]
fn a_steady_stretch_is_damped_by_its_rate() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    for k in 1..60 {
        let deep = 1e-4 * f64::from(k);
        let twist = Vec3::x() * (1e-2 * f64::from(k));
        let w = pull(&mut c, Vec3::z() * deep, twist, 1000.0);
        if k > 1 {
            near(w.force_n.z, 1000.0 * deep + 2.0 * 0.1);
            near(w.torque_nm.x, 0.5 * twist.x + TURNING * 10.0);
        }
    }
}

#[test]
fn what_takes_no_time_is_not_damped() {
    let mut c = Coupling::new(GAINS, Damping::Device);
    for at in [0.0, 0.01] {
        let device = Pose::translation(at, 0.0, 0.0);
        let w = c.wrench(&device, &device, &Vec3::zeros(), None, 0.0);
        assert_eq!(w, Wrench::default());
    }
}

/// Nothing is cut off until the governor reports a limit.
#[test]
fn the_length_at_which_the_force_was_cut_off_is_told() {
    let mut c = spring(GAINS);
    assert_eq!(c.most_n(), f64::INFINITY);
    for most_n in [3.0, 0.5] {
        c.set_passed(Passed {
            share: 0.5,
            most_n,
            ..Passed::default()
        });
        assert_eq!(c.most_n(), most_n);
    }
}

/// A contact becomes twice as stiff: stretch and twist go slack together and keep their stored
/// energy.
#[test]
fn a_slack_spring_stores_by_twist_as_by_stretch() {
    let mut c = spring(GAINS);
    let at = |z: f64, angle: f64| {
        Pose::from_parts(
            (Vec3::z() * z).into(),
            Quat::from_scaled_axis(Vec3::x() * angle),
        )
    };
    let (hand, far) = (at(-2e-3, -0.05), at(0.0, 0.1));
    for k in [500.0].into_iter().chain(std::iter::repeat_n(1000.0, 300)) {
        let material = Some((k, f64::INFINITY));
        c.wrench(&hand, &far, &Vec3::zeros(), material, PERIOD_S);
        let energy = c.energy();
        for [stretch_j, twist_j] in [energy.stored_j, energy.before.both_j] {
            near(stretch_j, 0.5 * 500.0 * 2e-3 * 2e-3);
            near(twist_j, 0.5 * 0.25 * 0.15 * 0.15);
        }
    }
    near(c.stiffness_n_per_m(), 1000.0);
}

#[test]
fn a_damper_of_the_device_without_one_of_its_turning_damps_its_way_alone() {
    let gains = Gains {
        rotational_damping_nm_s_per_rad: 0.0,
        ..GAINS
    };
    let mut c = Coupling::new(gains, Damping::Device);
    let mut wrench = Wrench::default();
    // 0.1 m/s and 1 rad/s through free space.
    for k in 0..20 {
        let gone = f64::from(k) * PERIOD_S;
        let turn = Quat::from_scaled_axis(Vec3::y() * gone);
        let hand = Pose::from_parts((Vec3::x() * (0.1 * gone)).into(), turn);
        wrench = c.wrench(&hand, &hand, &Vec3::zeros(), None, PERIOD_S);
    }
    near(wrench.force_n.x, -2.0 * 0.1);
    near(wrench.torque_nm.norm(), 0.0);
}
