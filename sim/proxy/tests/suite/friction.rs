//! Friction as a hand finds it: a tool that sticks does not creep, and one that slides is held back
//! by the coefficient times the pressure, with every tool, on slopes and on moving bodies.
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};
const BALL_M: f64 = 0.005;
const CUBE_M: f64 = 0.004;
const TOOLS: [&str; 2] = ["ball", "cube"];

fn rig(
    tool: &str,
    friction: f64,
    body: Part,
    pose: Pose,
    target: Option<BodyTarget>,
) -> (Scene, Engine) {
    let (tool, shape) = if tool == "ball" {
        (Tool::Ball(BALL_M), ToolShape::sphere(BALL_M))
    } else {
        let cube = cuboid(Vec3::repeat(CUBE_M));
        let shape = ToolShape::mesh(cube.positions(), true);
        (Tool::Mesh(Part::new(cube)), shape)
    };
    let scene = Scene {
        tool,
        bodies: vec![(body, pose, target.is_none(), target)],
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction,
        trajectory: None,
    };
    (scene, Engine::new(setup(shape, D), 0.003))
}

fn floor() -> Part {
    Part::new(sheet(0.1, 2))
}

/// Presses 4 mm in, then pulls sideways by `pull(tick)`.
fn pressed(tool: &str, pull: impl Fn(usize) -> Vec3) -> impl Fn(usize) -> Pose {
    let height = if tool == "ball" { BALL_M } else { CUBE_M };
    move |k| {
        let down = (0.0001 * k as f64).min(0.006);
        let at = Vec3::new(0.003, 0.001, height + 0.002 - down) + pull(k);
        Pose::translation(at.x, at.y, at.z)
    }
}

#[test]
fn a_held_tool_does_not_creep() {
    for tool in TOOLS {
        let (mut s, mut e) = rig(tool, 0.5, floor(), Pose::identity(), None);
        // 20 % inside the cone: 1.6 of 2 mm, in a direction that turns.
        let pull = |k: usize| {
            let angle = k as f64 * 1e-3;
            0.0016 * (k as f64 / 1000.0).min(1.0) * Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let mut from: Option<Vec3> = None;
        run(
            &mut s,
            &mut e,
            6000,
            1,
            pressed(tool, pull),
            |k, _, out, d| {
                assert!(
                    d >= D.clearance_m * (1.0 - 1e-6),
                    "{tool}, tick {k}: distance {d}"
                );
                if k >= 500 {
                    let at = out.proxy.translation.vector;
                    let crept = (at - *from.get_or_insert(at)).xy().norm();
                    assert!(crept <= 1e-6, "{tool}, tick {k}: crept {crept:.3e} m");
                }
            },
        );
    }
}

#[test]
fn a_sliding_tool_lags_by_the_coefficient_times_the_depth() {
    for tool in TOOLS {
        for friction in [0.1, 0.3, 0.8] {
            let (mut s, mut e) = rig(tool, friction, floor(), Pose::identity(), None);
            let pull = |k: usize| 2e-5 * k.saturating_sub(100) as f64 * Vec3::new(0.8, -0.6, 0.0);
            run(
                &mut s,
                &mut e,
                900,
                1,
                pressed(tool, pull),
                |k, device, out, _| {
                    let lag = device.translation.vector - out.proxy.translation.vector;
                    if k > 500 {
                        let expected = friction * -lag.z;
                        let along = lag.xy().norm();
                        assert!(
                            (along / expected - 1.0).abs() < 0.005,
                            "{tool}, tick {k}: lags by {along:.6} m instead of {expected:.6}"
                        );
                        let f = out.wrench.force_n;
                        let against = -(f.x * 0.8 - f.y * 0.6) / f.xy().norm();
                        assert!(against > 0.999, "{tool}, tick {k}: pushes {f:?}");
                    }
                },
            );
        }
    }
}

/// Pressing straight down on a slope: it sticks if the tangent is below the coefficient, and slides
/// if it is above.
#[test]
fn a_slope_holds_up_to_its_angle_of_friction() {
    for tool in TOOLS {
        for (coefficient, holds) in [(0.44, true), (0.29, false)] {
            // 20 degrees: tangent 0.364.
            let tilt = Quat::from_scaled_axis(Vec3::new(0.0, 20.0_f64.to_radians(), 0.0));
            let slope = Pose::from_parts(Vec3::zeros().into(), tilt);
            let (mut s, mut e) = rig(tool, coefficient, floor(), slope, None);
            let height = if tool == "ball" { BALL_M } else { CUBE_M };
            let press = |k: usize| {
                let up = tilt * Vec3::z() * (height + 0.001);
                let down = (0.0001 * k as f64).min(0.005);
                Pose::from_parts((up - Vec3::z() * down).into(), tilt)
            };
            let mut from = None;
            let mut crept: f64 = 0.0;
            run(&mut s, &mut e, 3000, 1, press, |k, _, out, _| {
                if k >= 100 {
                    let at = out.proxy.translation.vector;
                    crept = crept.max((at - *from.get_or_insert(at)).norm());
                }
            });
            let out = e.output().arms[0];
            if holds {
                assert!(crept <= 1e-6, "{tool}: crept {crept:.3e} m");
                // It rests where it touched down, except for its motion over the last tenth of a
                // millimetre. A smooth one would have slid down until only the slope's normal (0.73
                // N sideways) were left.
                let sideways = out.wrench.force_n.xy().norm();
                assert!(sideways < 0.05, "{tool}: {sideways} N sideways");
            } else {
                // It has slid until the deflection is at the edge of the cone.
                let lag = press(3000).translation.vector - out.proxy.translation.vector;
                let n = tilt * Vec3::z();
                let depth = -lag.dot(&n);
                let along = (lag + n * depth).norm();
                assert!(
                    (along / depth / coefficient - 1.0).abs() < 0.005,
                    "{tool}: {along} at {depth}"
                );
            }
        }
    }
}

/// A moving plate carries the tool that presses on it, up to what the friction holds.
#[test]
fn a_moving_body_carries_the_tool() {
    for tool in TOOLS {
        let to = Pose::translation(0.05, 0.0, -0.001);
        let target = BodyTarget {
            world_from_body: to,
            speed_m_s: 0.02,
        };
        let plate = Part::new(cuboid(Vec3::new(0.08, 0.08, 0.001)));
        let from = Pose::translation(0.0, 0.0, -0.001);
        let (mut s, mut e) = rig(tool, 0.5, plate, from, Some(target));
        let mut start: Option<(Vec3, Vec3)> = None;
        let still = pressed(tool, |_| Vec3::zeros());
        run(&mut s, &mut e, 400, 1, still, |k, device, out, d| {
            assert!(
                d >= D.clearance_m * (1.0 - 1e-6),
                "{tool}, tick {k}: distance {d}"
            );
            let lag = out.proxy.translation.vector - device.translation.vector;
            let x = out.proxy.translation.x;
            if k == 65 {
                start = Some((out.proxy.translation.vector, lag));
            } else if let Some((at, _)) = start
                && k <= 90
            {
                // 20 um a tick, sticking: 25 ticks of it are 0.5 mm, the cone is 2 mm.
                let carried = 2e-5 * (k - 65) as f64;
                assert!(
                    (x - at.x - carried).abs() < 2e-6,
                    "{tool}, tick {k}: {}",
                    x - at.x
                );
            } else if k > 250 {
                assert!(
                    (lag.x / lag.z - 0.5).abs() < 0.003,
                    "{tool}, tick {k}: {lag:?}"
                );
            }
        });
    }
}

/// Round and round: friction never returns what it takes from the hand.
#[test]
fn friction_only_takes_energy() {
    for tool in TOOLS {
        let (mut s, mut e) = rig(tool, 0.4, floor(), Pose::identity(), None);
        let circle = |k: usize| {
            let angle = 0.01 * k as f64;
            0.004 * (k as f64 / 200.0).min(1.0) * Vec3::new(angle.cos(), angle.sin(), 0.0)
        };
        let (mut before, mut work, mut path): (Option<Vec3>, f64, f64) = (None, 0.0, 0.0);
        run(
            &mut s,
            &mut e,
            4000,
            1,
            pressed(tool, circle),
            |k, device, out, _| {
                if k < 700 {
                    return;
                }
                let at = device.translation.vector;
                if let Some(before) = before {
                    work += out.wrench.force_n.dot(&(at - before));
                    path += (at - before).norm();
                }
                before = Some(at);
            },
        );
        // 500 N/m, 4 mm, coefficient 0.4: 0.8 N against the whole path.
        let mean = -work / path;
        assert!((mean - 0.8).abs() < 0.1, "{tool}: {mean} N along the path");
    }
}

/// Without friction nothing holds: the coefficient alone enables it.
#[test]
fn no_coefficient_no_friction() {
    for tool in TOOLS {
        let (mut s, mut e) = rig(tool, 0.0, floor(), Pose::identity(), None);
        let pull = |k: usize| 2e-5 * k.saturating_sub(100) as f64 * Vec3::x();
        run(
            &mut s,
            &mut e,
            500,
            1,
            pressed(tool, pull),
            |k, device, out, _| {
                if k > 100 {
                    let lag = device.translation.vector - out.proxy.translation.vector;
                    assert!(lag.xy().norm() < 1e-6, "{tool}, tick {k}: {lag:?}");
                }
            },
        );
    }
}
