//! Late answers as a hand feels them: nothing in free air, a ramp for a surface that is found late,
//! and an unchanged contact.
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};
const STIFFNESS: f64 = 500.0;
/// As in the engine: the speed at which a surface that was found late comes in.
const FOUND_M_S: f64 = 0.2;

/// Creates a scene with answers that reach no further than `reach_m`.
fn over_floor(tool: Option<Part>, reach_m: f64) -> (Scene, Engine) {
    let (shape, tool) = match tool {
        Some(part) => (
            ToolShape::mesh(part.mesh.positions(), true),
            Tool::Mesh(part),
        ),
        None => (ToolShape::sphere(0.005), Tool::Ball(0.005)),
    };
    let floor = (Part::new(sheet(2.0, 2)), Pose::identity(), true, None);
    let scene = Scene {
        tool,
        bodies: vec![floor],
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: None,
    };
    let mut setup = arm_setup(shape, D);
    (setup.reach_min_m, setup.reach_max_m) = (reach_m.min(0.005), reach_m);
    setup.gains = Gains {
        stiffness_n_per_m: STIFFNESS,
        damping_n_s_per_m: 0.0,
        rotational_stiffness_nm_per_rad: 0.5,
        rotational_damping_nm_s_per_rad: 0.0,
    };
    let mut setups = [None; MAX_ARMS];
    setups[0] = Some(setup);
    (scene, Engine::new(setups, 0.003))
}

fn cube() -> Option<Part> {
    Some(Part::new(cuboid(Vec3::repeat(0.005))))
}

#[test]
fn a_certificate_that_ends_in_free_air_is_not_felt() {
    for (tool, lag) in [cube, || None]
        .into_iter()
        .flat_map(|t| [8, 20, 50].map(|lag| (t(), lag)))
    {
        let (mut s, mut e) = over_floor(tool, 0.01);
        // 1.5 m/s, and turning.
        let hand = |k: usize| {
            let t = k as f64 * 1e-3;
            let x = 0.2 * (7.5 * t).sin();
            let turn = Quat::from_scaled_axis(Vec3::new(0.3 * (20.0 * t).sin(), 2.0 * x, 0.0));
            Pose::from_parts(Vec3::new(x, 0.0, 0.03).into(), turn)
        };
        let mut starved = 0;
        run(&mut s, &mut e, 800, lag, hand, |k, _, out, _| {
            starved += usize::from(out.starved);
            let (force, torque) = (out.wrench.force_n.norm(), out.wrench.torque_nm.norm());
            assert!(
                force < 1e-9 && torque < 1e-9,
                "lag {lag}, tick {k}: {:?}",
                out.wrench
            );
        });
        assert!(lag < 20 || starved > 100, "lag {lag}: {starved}");
    }
}

#[test]
fn a_surface_that_is_found_late_comes_in_by_a_ramp() {
    for (tool, lag) in [cube, || None]
        .into_iter()
        .flat_map(|t| [10, 20, 50].map(|lag| (t(), lag)))
    {
        let (mut s, mut e) = over_floor(tool, 0.006);
        // Both extend as far below their centre as above: 3 mm into the floor, at 0.5 m/s. Not
        // before the tool is known to be clear of the floor.
        let hand = |k: usize| {
            let z = 0.08 - 5e-4 * k.saturating_sub(100) as f64;
            Pose::translation(0.01, 0.02, z.max(0.002))
        };
        let mut last: Option<(Pose, Pose, f64)> = None;
        let (mut starved, mut most, mut grew) = (0, 0.0_f64, 0.0_f64);
        run(
            &mut s,
            &mut e,
            1500,
            lag,
            hand,
            |k, device, out, distance| {
                assert!(distance > 0.0, "tick {k}");
                starved += usize::from(out.starved);
                let force = out.wrench.force_n.norm();
                if let Some((before, proxy, had)) = last {
                    let went =
                        |a: &Pose, b: &Pose| (a.translation.vector - b.translation.vector).norm();
                    let room = went(&before, device) + went(&proxy, &out.proxy);
                    let bound = STIFFNESS * (room + FOUND_M_S * 1e-3 + D.safe_m);
                    assert!(
                        force - had <= bound + 1e-9,
                        "lag {lag}, tick {k}: {had} N, {force} N"
                    );
                    grew = grew.max(force - had);
                }
                last = Some((*device, out.proxy, force));
                most = most.max(force);
            },
        );
        let held = STIFFNESS * (0.003 + D.safe_m);
        let end = last.unwrap().2;
        assert!(
            (end - held).abs() < 0.01 * held,
            "lag {lag}: {end} N of {held} N"
        );
        assert!(most < 1.01 * held, "lag {lag}: {most} N");
        assert!(lag < 20 || starved > 20, "lag {lag}: {starved}");
        assert!(grew < 0.5 * held, "lag {lag}: {grew} N in a tick");
    }
}

#[test]
fn a_contact_that_is_held_keeps_its_force_where_answers_are_late() {
    for tool in [cube(), None] {
        let (mut s, mut e) = over_floor(tool, 0.006);
        // Down within a second, 2 mm deep; then along, at 1 m/s.
        let hand = |k: usize| {
            let down = (k as f64 / 1000.0).min(1.0);
            let along = 0.1 * (10.0 * (k.saturating_sub(1200) as f64) * 1e-3).sin();
            Pose::translation(0.01 + along, 0.02, 0.01 - 0.007 * down)
        };
        let mut starved = 0;
        run(&mut s, &mut e, 2000, 20, hand, |k, _, out, distance| {
            assert!(distance > 0.0, "tick {k}");
            if k < 1100 {
                return;
            }
            starved += usize::from(out.starved);
            let (force, held) = (out.wrench.force_n, STIFFNESS * (0.002 + D.safe_m));
            assert!(
                (force.z - held).abs() < 0.02 * held,
                "tick {k}: {force:?}, not {held} N"
            );
            assert!(force.xy().norm() < 0.02 * held, "tick {k}: {force:?}");
        });
        assert!(starved > 100, "{starved}");
    }
}

#[test]
fn a_tool_that_turns_as_it_slides_feels_nothing_along_a_smooth_floor_where_answers_are_late() {
    let (mut s, mut e) = over_floor(cube(), 0.006);
    // Pressed as above, then along at 1 m/s, and rocked over its edges.
    let hand = |k: usize| {
        let down = (k as f64 / 1000.0).min(1.0);
        let t = k.saturating_sub(1200) as f64 * 1e-3;
        let turn = Quat::from_scaled_axis(Vec3::y() * (0.3 * (25.0 * t).sin()));
        let x = 0.01 + 0.1 * (10.0 * t).sin();
        Pose::from_parts(Vec3::new(x, 0.02, 0.01 - 0.007 * down).into(), turn)
    };
    let (mut starved, mut strides) = (0, 0);
    run(
        &mut s,
        &mut e,
        2000,
        20,
        hand,
        |k, device, out, distance| {
            assert!(distance > 0.0, "tick {k}");
            if k < 1100 {
                return;
            }
            let force = out.wrench.force_n;
            let behind = (device.translation.vector - out.proxy.translation.vector).norm();
            starved += usize::from(out.starved);
            strides += usize::from(out.starved && behind > 0.006);
            assert!(
                force.xy().norm() < 0.02 * force.z,
                "tick {k}: {force:?}, the tool {:.1} mm behind",
                behind * 1e3
            );
        },
    );
    assert!(strides > 100, "{strides} of {starved}");
}
