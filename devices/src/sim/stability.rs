//! Tests that the simulation shows the stability limits of sampled, delayed, quantised walls: each
//! formula of [`stiffness`](crate::safety::stiffness) against the simulated arm, on both sides of
//! the limit; then the governor's detector against a wall that is too stiff.

use super::*;
use crate::arm::{ArmCommand, ArmSample, ArmSpec, Vec3, Wrench};
use crate::safety::{
    Governor, GovernorInput, GovernorState, Limits, ReasonSet, Reductions, passive_stiffness,
};

const MS: u64 = 1_000_000;

/// A frictionless arm of 0.2 kg with 2 N·s/m that reports every millisecond, exactly, and never
/// saturates.
///
/// A loop that is clocked by the host sees a report in the tick after its arrival, so an input
/// delay counts as the next whole period; the tests use whole periods there.
fn ideal_arm(input_delay_ns: u64, output_delay_ns: u64) -> SimArmParams {
    let mut params = SimArmParams::desktop();
    params.spec = ArmSpec {
        mass_kg: 0.2,
        damping_n_s_per_m: 2.0,
        coulomb_friction_n: 0.0,
        resolution_m: 0.0,
        peak_force_n: 1e9,
        transport_delay_ns: input_delay_ns + output_delay_ns,
        ..params.spec
    };
    params.input_delay_ns = input_delay_ns;
    params.output_delay_ns = output_delay_ns;
    params
}

fn down(newtons: f64) -> Wrench {
    Wrench {
        force_n: Vec3::new(0.0, 0.0, -newtons),
        torque_nm: Vec3::zeros(),
    }
}

/// Leans the arm with `push` N on a wall of `k` N/m below z = 0, from nearly the depth where it
/// would rest. `late` is the extra delay in the loop, in samples. Returns the largest speed in each
/// tenth of the time.
fn lean_on_wall(params: SimArmParams, k: f64, late: usize, push: f64, seconds: f64) -> Vec<f64> {
    let start = crate::arm::Pose::translation(0.0, 0.0, -push / k * 1.02);
    let mut arm = SimArm::new(params, start, 0).expect("valid");
    let ticks = (seconds * 1e3) as usize;
    let mut speeds = vec![0.0_f64; 10];
    let mut forces = std::collections::VecDeque::from(vec![push; late]);
    for tick in 0..ticks {
        if let Some(ArmSample { pose, .. }) = arm.read_newest() {
            forces.push_back((-k * pose.translation.z).max(0.0));
            let mut command = ArmCommand {
                sequence: tick as u64,
                ..ArmCommand::default()
            };
            command.wrench.force_n.z = forces.pop_front().unwrap_or(0.0);
            arm.send(&command);
        }
        for _ in 0..20 {
            arm.step(MS / 20, &down(push));
        }
        let speed = arm.body().linear_velocity.norm();
        let tenth = &mut speeds[tick * 10 / ticks];
        *tenth = tenth.max(speed);
    }
    speeds
}

/// Returns the growth of the speed over the second half of the run (natural logarithm), for a wall
/// that is `factor` times as stiff as the bound allows.
fn growth_at(factor: f64, input_delay_ns: u64, output_delay_ns: u64, late: usize) -> f64 {
    let params = ideal_arm(input_delay_ns, output_delay_ns);
    let bound = passive_stiffness(&params.spec, 1e-3, late as f64 * 1e-3, 0.0).passive_n_per_m();
    let speeds = lean_on_wall(params, bound * factor, late, 3.0, 2.0);
    (speeds[9] / speeds[4]).ln()
}

#[test]
fn a_wall_below_the_delayed_damping_bound_calms_down_and_one_above_it_does_not() {
    // K = 2 b / (T + 2 td): wire delay, loop delay, and both.
    for (input, output, late) in [
        (0, 0, 0),
        (0, 500_000, 0),
        (MS, 0, 0),
        (MS, MS, 0),
        (0, 0, 1),
        (MS, 250_000, 2),
    ] {
        let (below, above) = (
            growth_at(0.95, input, output, late),
            growth_at(1.05, input, output, late),
        );
        assert!(
            below < -0.05,
            "{input} + {output} ns, {late} late: below the bound it grows by {below}"
        );
        assert!(
            above > 0.05,
            "{input} + {output} ns, {late} late: above the bound it grows by {above}"
        );
    }
}

#[test]
fn far_above_the_bound_the_arm_is_thrown_off_the_wall() {
    let params = ideal_arm(MS, 0);
    let bound = passive_stiffness(&params.spec, 1e-3, 0.0, 0.0).passive_n_per_m();
    let calm = lean_on_wall(params.clone(), bound * 0.5, 0, 3.0, 2.0);
    let wild = lean_on_wall(params, bound * 8.0, 0, 3.0, 2.0);
    assert!(calm[9] < calm[0] * 0.1, "{calm:?}");
    assert!(wild[9] > 0.3, "{wild:?}");
}

/// Returns whether an arm with a coarse encoder comes to rest under a push that lies half-way
/// between two steps of the wall.
fn rests_on_staircase(factor: f64) -> bool {
    let mut params = ideal_arm(0, 0);
    params.spec.coulomb_friction_n = 0.1;
    params.spec.resolution_m = 1e-4;
    // 2 f_c / Delta = 2000 N/m, half of 2 b / T.
    let bound = passive_stiffness(&params.spec, 1e-3, 0.0, 0.0);
    assert!(bound.from_quantisation_n_per_m * 1.5 < bound.from_damping_n_per_m);
    let k = bound.from_quantisation_n_per_m * factor;
    let push = k * params.spec.resolution_m * 10.5;
    let speeds = lean_on_wall(params, k, 0, push, 2.0);
    speeds[9] == 0.0
}

#[test]
fn the_friction_holds_the_arm_on_the_encoders_staircase_up_to_two_f_over_delta() {
    assert!(rests_on_staircase(0.5));
    assert!(rests_on_staircase(0.98));
    assert!(!rests_on_staircase(1.02));
    assert!(!rests_on_staircase(1.4));
}

/// A hand presses the desktop arm on a wall of `k` N/m at z = 0. Returns the mean square speed
/// over the last half second, the time from the first touch to the first lowering of the gain in
/// ms, and the last state.
fn press_with(k: f64, governed: bool) -> (f64, Option<u64>, GovernorState) {
    let intention = Intention::Press {
        from: [0.0, 0.0, 0.02],
        rotation: [0.0; 3],
        depth_m: 0.035,
        move_s: 0.5,
        hold_s: 3.0,
    };
    let mut held_arm =
        HeldArm::new(SimArmParams::desktop(), HandParams::relaxed(), intention, 0).expect("valid");
    let limits = Limits {
        ramp_s: 0.1,
        ..Limits::default()
    };
    let mut governor = Governor::new(&limits, held_arm.spec()).expect("valid");
    let mut command = ArmCommand::default();
    let mut sample = ArmSample::default();
    let (mut square, mut lowered, mut touched) = (0.0, None, None);
    for tick in 1..=2000u64 {
        sample = held_arm.step(tick * MS, &command).unwrap_or(sample);
        let wanted = down((k * sample.pose.translation.z).min(0.0));
        let out = governor.step(&GovernorInput {
            now_ns: tick * MS,
            wanted,
            effects_n: Vec3::zeros(),
            reacting_n: Vec3::zeros(),
            sample: &sample,
            contact_age_ns: 0,
            spring: None,
            faults: ReasonSet::EMPTY,
            enable: true,
        });
        if wanted.force_n.z > 0.0 {
            touched.get_or_insert(tick);
        }
        if out.reductions.contains(Reductions::OSCILLATION) {
            lowered.get_or_insert(tick - touched.unwrap_or(tick));
        }
        command = ArmCommand {
            sequence: tick,
            wrench: if governed { out.wrench } else { wanted },
        };
        if tick > 1500 {
            square += held_arm.handle().linear_velocity.norm_squared() / 500.0;
        }
    }
    (square, lowered, governor.state())
}

#[test]
fn the_governor_calms_a_wall_that_is_too_stiff_and_leaves_a_good_one_alone() {
    let (quiet, lowered, state) = press_with(800.0, true);
    assert!(quiet < 1e-6, "{quiet}");
    assert_eq!((lowered, state), (None, GovernorState::Active));

    let (wild, _, _) = press_with(20_000.0, false);
    let (tamed, lowered, _) = press_with(20_000.0, true);
    assert!(wild > 1e-3, "the wall is indeed too stiff: {wild}");
    assert!(tamed < wild / 20.0, "{tamed} against {wild}");
    assert!(lowered.expect("seen") <= 200, "{lowered:?} ms");
}
