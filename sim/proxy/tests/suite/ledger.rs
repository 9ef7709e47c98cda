//! A hand that turns a tool on a body at rest and returns to its start gains no energy, for any
//! friction; a tool that sticks throughout ends where it was.
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};
/// Gains of the coupling, N/m and N m/rad.
const K: f64 = 500.0;
const KR: f64 = 0.5;
/// Half the edge of the tool, m.
const HALF_M: f64 = 0.01;
/// Ticks before the hand starts to turn about; then the ticks of a cycle.
const START: usize = 400;
const CYCLE: usize = 4000;

/// Returns the stored energy of the coupling if force is cut off at `most_n`, J.
fn energy(most_n: f64, hand: &Pose, proxy: &Pose) -> f64 {
    let d = (hand.translation.vector - proxy.translation.vector).norm();
    let w = (hand.rotation * proxy.rotation.inverse()).scaled_axis();
    let stretched = match K * d > most_n {
        true => most_n * (d - 0.5 * most_n / K),
        false => 0.5 * K * d * d,
    };
    stretched + 0.5 * KR * w.norm_squared()
}

/// Returns the hand's pose, from 5 mm above the floor to 16 mm in, by phase and progress (0 to 1).
fn hand(turn: impl Fn(f64, f64) -> Quat, k: usize) -> Pose {
    let come = (k as f64 / START as f64).min(1.0);
    let phase = k.saturating_sub(START) as f64 / CYCLE as f64 * std::f64::consts::TAU;
    let z = 0.015 - 0.021 * come;
    Pose::from_parts(Vec3::new(0.001, 0.0005, z).into(), turn(phase, come))
}

/// Runs two cycles and returns two values for the second: the energy that the far end of the
/// coupling put into it, J, and its distance from where it was, m.
fn cycle(friction: f64, turn: impl Fn(f64, f64) -> Quat) -> (f64, f64) {
    let floor = (Part::new(sheet(0.1, 1)), Pose::identity(), true, None);
    cycle_on(vec![floor], friction, f64::INFINITY, turn)
}

/// Runs [`cycle`] on these bodies, with a governor that cuts force off at `most_n`.
fn cycle_on(
    bodies: Vec<(Part, Pose, bool, Option<BodyTarget>)>,
    friction: f64,
    most_n: f64,
    turn: impl Fn(f64, f64) -> Quat,
) -> (f64, f64) {
    let energy = |hand: &Pose, proxy: &Pose| energy(most_n, hand, proxy);
    let tool = cuboid(Vec3::repeat(HALF_M));
    let shape = ToolShape::mesh(tool.positions(), true);
    let mut scene = Scene {
        tool: Tool::Mesh(Part::new(tool)),
        bodies,
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction,
        trajectory: None,
    };
    let mut setup = arm_setup(shape, D);
    setup.gains = Gains {
        stiffness_n_per_m: K,
        damping_n_s_per_m: 0.0,
        rotational_stiffness_nm_per_rad: KR,
        rotational_damping_nm_s_per_rad: 0.0,
    };
    let mut setups = [None; MAX_ARMS];
    setups[0] = Some(setup);
    let mut engine = Engine::new(setups, 0.003);
    engine.set_passed(
        0,
        Passed {
            most_n,
            ..Passed::default()
        },
    );
    let (mut given, mut start, mut last) = (0.0, Pose::identity(), None);
    let from = START + CYCLE;
    let device = |k| hand(&turn, k);
    run(
        &mut scene,
        &mut engine,
        from + CYCLE + 1,
        1,
        device,
        |k, h, out, d| {
            assert!(d >= D.clearance_m * (1.0 - 1e-6), "tick {k}: distance {d}");
            let p = out.spring.far_end;
            if k == from {
                start = p;
            } else if k > from
                && let Some((h0, p0)) = &last
            {
                // The far end moves within a tick: the mean of before and after the hand moves.
                given += 0.5 * (energy(h, &p) - energy(h, p0) + energy(h0, &p) - energy(h0, p0));
            }
            last = Some((*h, p));
        },
    );
    let end = last.map_or(start, |(_, p)| p);
    (
        given,
        (end.translation.vector - start.translation.vector).norm(),
    )
}

/// Over its faces and back, slowly: slip that a tick leaves adds up most.
#[test]
fn a_box_that_rocks_gains_nothing_and_stays() {
    for friction in [0.0, 0.3, 0.8] {
        let rock = |phase: f64, come| Quat::from_scaled_axis(Vec3::y() * 0.3 * phase.sin() * come);
        let (given, crept) = cycle(friction, rock);
        assert!(given <= 0.0, "friction {friction}: {given} J");
        assert!(crept <= 1e-4, "friction {friction}: crept {crept} m");
    }
}

/// The axis of tilt rotates, so the box rolls over all its edges. That turns it about the normal,
/// which is not slip.
#[test]
fn a_box_that_rolls_over_its_edges_gains_nothing() {
    for friction in [0.0, 0.3, 0.8] {
        let roll = |phase: f64, come| {
            Quat::from_scaled_axis(Vec3::new(phase.cos(), phase.sin(), 0.0) * 0.3 * come)
        };
        let (given, _) = cycle(friction, roll);
        assert!(given <= 0.0, "friction {friction}: {given} J");
    }
}

/// On a corner, about the normal.
#[test]
fn a_box_that_spins_on_its_corner_gains_nothing_and_stays() {
    for friction in [0.0, 0.3, 0.8] {
        let spin = |phase: f64, come| {
            Quat::from_scaled_axis(Vec3::z() * 0.3 * phase.sin())
                * Quat::from_scaled_axis(Vec3::new(0.2, 0.3, 0.0) * come)
        };
        let (given, crept) = cycle(friction, spin);
        assert!(given <= 0.0, "friction {friction}: {given} J");
        assert!(crept <= 1e-4, "friction {friction}: crept {crept} m");
    }
}

/// Between a floor and a wall, also with a governor that cuts force off and passes the whole
/// torque.
#[test]
fn a_box_that_turns_in_an_inner_corner_gains_nothing() {
    for (friction, most_n) in [
        (0.0, f64::INFINITY),
        (0.3, f64::INFINITY),
        (0.8, f64::INFINITY),
        (0.3, 2.0),
        (0.8, 2.0),
    ] {
        let roll = |phase: f64, come| {
            let axis = Vec3::new(phase.cos(), phase.sin(), 0.3 * phase.sin());
            Quat::from_scaled_axis(axis * 0.2 * come)
        };
        let wall = Quat::from_scaled_axis(Vec3::y() * std::f64::consts::FRAC_PI_2);
        let at = Vec3::new(-0.006, 0.0, 0.0);
        let bodies = [Pose::identity(), Pose::from_parts(at.into(), wall)];
        let bodies = bodies.map(|pose| (Part::new(sheet(0.1, 1)), pose, true, None));
        let (given, _) = cycle_on(Vec::from(bodies), friction, most_n, roll);
        assert!(given <= 0.0, "friction {friction}, {most_n} N: {given} J");
    }
}
