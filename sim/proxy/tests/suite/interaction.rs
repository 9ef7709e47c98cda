//! The metaphors of interaction and the variants of the coupling, as a hand finds them (Redon 2002,
//! sections 6.3.3 and 6.4.2).
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};
const CUBE_M: f64 = 0.004;
const STIFFNESS: f64 = 500.0;

fn rig(interaction: Interaction, damping: Damping) -> (Scene, Engine) {
    let cube = cuboid(Vec3::repeat(CUBE_M));
    let shape = ToolShape::mesh(cube.positions(), true);
    let scene = Scene {
        tool: Tool::Mesh(Part::new(cube)),
        bodies: vec![(Part::new(sheet(0.1, 2)), Pose::identity(), true, None)],
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: None,
    };
    let mut setups = [None; MAX_ARMS];
    setups[0] = Some(ArmSetup {
        interaction,
        damping,
        ..arm_setup(shape, D)
    });
    (scene, Engine::new(setups, 0.003))
}

/// The stylus of the source's figures 6.10 and 6.11: down 10 mm (the floor is 4 mm below), then up
/// 8 mm, then at rest.
fn stylus(k: usize) -> Pose {
    let down = 1e-5 * k.min(1000) as f64;
    let up = 1e-5 * k.saturating_sub(1000).min(800) as f64;
    let turn = 1e-4 * k.saturating_sub(1000).min(800) as f64;
    let at = Vec3::new(0.003, 0.001, CUBE_M + 0.004 - down + up);
    Pose::from_parts(at.into(), Quat::from_scaled_axis(Vec3::z() * turn))
}

const TICKS: usize = 2600;

fn follow(
    interaction: Interaction,
    damping: Damping,
    mut each: impl FnMut(usize, &Pose, &ArmOutcome),
) {
    let (mut scene, mut engine) = rig(interaction, damping);
    run(
        &mut scene,
        &mut engine,
        TICKS,
        1,
        stylus,
        |k, device, out, d| {
            assert!(
                d >= D.clearance_m * (1.0 - 1e-6),
                "{interaction:?}, tick {k}: distance {d}"
            );
            each(k, device, out);
        },
    );
}

/// Experiment E23: what the floor refuses is lost with increments, and comes back with the spring.
#[test]
fn increments_keep_the_offset_that_a_spring_gives_back() {
    follow(Interaction::Spring, Damping::Relative, |k, device, out| {
        let offset = out.proxy.translation.z - device.translation.z;
        match k {
            1000 => assert!((offset - 0.006 - D.safe_m).abs() < 1e-6, "{offset}"),
            2599 => assert_eq!(out.proxy, *device),
            _ => {}
        }
    });
    follow(
        Interaction::Increments,
        Damping::Relative,
        |k, device, out| {
            let offset = out.proxy.translation.z - device.translation.z;
            // It moves up with the hand at once and keeps that height above it. Rotation has
            // followed the hand throughout.
            if k >= 1000 {
                assert!(
                    (offset - 0.006 - D.safe_m).abs() < 1e-6,
                    "tick {k}: {offset}"
                );
                assert!(out.proxy.rotation.angle_to(&device.rotation) < 1e-9);
            }
            assert_eq!(out.wrench, Wrench::default(), "tick {k}");
        },
    );
}

/// A gap in the device's samples does not move the tool.
#[test]
fn a_tool_that_goes_by_increments_is_placed_once() {
    let (mut scene, mut engine) = rig(Interaction::Increments, Damping::Relative);
    run(&mut scene, &mut engine, 900, 1, stylus, |_, _, _, _| {});
    let before = engine.output().arms[0].proxy;
    let mut devices = [None; MAX_ARMS];
    for anchor in [0, 1] {
        devices[0] = Some(Pose::translation(0.05, 0.0, -0.03));
        let input = TickInput {
            period_s: 1e-3,
            devices: if anchor == 0 {
                [None; MAX_ARMS]
            } else {
                devices
            },
            anchor,
        };
        engine.tick(&input);
    }
    assert_eq!(engine.output().arms[0].proxy, before);
}

/// With mass the tool settles without overshoot, rests under the hand in free space, and on the
/// floor pushes with the spring alone.
#[test]
fn a_tool_with_mass_lags_and_then_presses_as_the_spring_does() {
    for mass_kg in [0.01, 0.1, 2.0] {
        let mut most_lag = 0.0_f64;
        follow(
            Interaction::SpringWithMass(mass_kg),
            Damping::Relative,
            |k, device, out| {
                let lag = device.translation.vector - out.proxy.translation.vector;
                match k {
                    1..300 => most_lag = most_lag.max(lag.norm()),
                    2599 => {
                        assert!(lag.norm() < 1e-6, "{mass_kg} kg: {lag:?}");
                        assert!(out.proxy.rotation.angle_to(&device.rotation) < 1e-4);
                    }
                    _ => {}
                }
                if k == 999 {
                    let felt = out.wrench.force_n.z;
                    let depth = out.proxy.translation.z - device.translation.z;
                    assert!((depth - 0.006).abs() < 1e-4, "{mass_kg} kg: {depth}");
                    assert!((felt / (STIFFNESS * depth) - 1.0).abs() < 0.02, "{felt} N");
                }
            },
        );
        // The hand moves at 10 mm/s; the spring needs time to accelerate the mass.
        assert!(most_lag > 1e-6, "{mass_kg} kg: no inertia");
    }
}

/// Equation 6.5: the arm is braked everywhere, with the damping times its own speed; at rest it
/// feels nothing.
#[test]
fn damping_of_the_device_is_felt_in_free_space() {
    let damping = 0.5;
    follow(Interaction::Spring, Damping::Device, |k, _, out| {
        let f = out.wrench.force_n;
        if (100..300).contains(&k) {
            assert!((f.z - damping * 0.01).abs() < 1e-9, "tick {k}: {f:?}");
        }
        if k == TICKS - 1 {
            assert_eq!(out.wrench, Wrench::default());
        }
    });
}
