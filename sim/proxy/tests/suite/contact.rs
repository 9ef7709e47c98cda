//! Contact as a hand finds it: resting, sliding, thin plates at speed, late answers, pushes by
//! bodies. Distances are checked by brute force after every tick.
use crate::common;
use common::*;
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3};
use hapticd_proxy::*;

const D: Distances = Distances {
    clearance_m: 8e-6,
    safe_m: 4e-5,
    release_m: 9e-5,
};

fn ball(r: f64, bodies: Vec<(Part, Pose, bool, Option<BodyTarget>)>) -> (Scene, Engine) {
    let scene = Scene {
        tool: Tool::Ball(r),
        bodies,
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: None,
    };
    (scene, Engine::new(setup(ToolShape::sphere(r), D), 0.003))
}

fn mesh(tool: TriMesh, bodies: Vec<(Part, Pose, bool, Option<BodyTarget>)>) -> (Scene, Engine) {
    let shape = ToolShape::mesh(tool.positions(), true);
    let scene = Scene {
        tool: Tool::Mesh(Part::new(tool)),
        bodies,
        capacity: 400,
        sequence: 0,
        clearance: D.clearance_m,
        friction: 0.0,
        trajectory: None,
    };
    (scene, Engine::new(setup(shape, D), 0.003))
}

#[test]
fn free_space_is_transparent() {
    let floor = (Part::new(sheet(0.1, 4)), Pose::identity(), true, None);
    let (mut s, mut e) = ball(0.005, vec![floor]);
    run(
        &mut s,
        &mut e,
        300,
        1,
        |k| Pose::translation(0.05 * (k as f64 * 0.02).sin(), 0.0, 0.03),
        |k, device, out, d| {
            if k > 5 {
                assert!(
                    (out.proxy.translation.vector - device.translation.vector).norm() < 1e-9,
                    "tick {k}: {out:?}"
                );
                assert_eq!(out.wrench.force_n, Vec3::zeros());
                assert!(d > 0.0);
            }
        },
    );
}

#[test]
fn pressing_on_a_sheet_rests_at_the_safe_distance_with_the_spring_force() {
    let floor = (Part::new(sheet(0.1, 8)), Pose::identity(), true, None);
    let (mut s, mut e) = ball(0.005, vec![floor]);
    let press = |k: usize| Pose::translation(0.003, 0.001, 0.02 - 0.0003 * (k as f64).min(70.0));
    run(&mut s, &mut e, 400, 1, press, |k, device, out, d| {
        assert!(d >= D.clearance_m * (1.0 - 1e-6), "tick {k}: distance {d}");
        if k > 200 {
            assert!((d - D.safe_m).abs() < 1e-7, "tick {k}: rests at {d}");
            let depth = out.proxy.translation.z - device.translation.z;
            assert!(
                (out.wrench.force_n.z - 500.0 * depth).abs() < 1e-3,
                "{:?}",
                out.wrench
            );
            assert!(out.wrench.force_n.xy().norm() < 1e-6);
        }
    });
}

#[test]
fn sliding_over_inner_edges_is_smooth() {
    // A ball, a cube on its side, and a cube on its corner with its sides facing down at the
    // floor's inner vertices that it passes.
    for tool in 0..3 {
        let floor = (Part::new(sheet(0.1, 8)), Pose::identity(), true, None);
        let (mut s, mut e) = match tool {
            0 => ball(0.005, vec![floor]),
            1 => mesh(cuboid(Vec3::repeat(0.004)), vec![floor]),
            _ => {
                let cube = cuboid(Vec3::repeat(0.004));
                let on_corner = Quat::rotation_between(&Vec3::repeat(1.0), &-Vec3::z()).unwrap();
                let turned = cube.positions().iter().map(|p| on_corner * p).collect();
                let turned = TriMesh::new(turned, cube.triangles().to_vec()).unwrap();
                mesh(turned, vec![floor])
            }
        };
        let h = [0.005, 0.004, 0.004 * 3.0_f64.sqrt()][tool];
        let along = if tool == 2 {
            (0.02501, 0.0)
        } else {
            (0.0123, 5e-5)
        };
        let slide = |k: usize| {
            Pose::translation(
                -0.04 + 0.0002 * k as f64,
                along.0 + along.1 * k as f64,
                h + 0.002 - (0.0001 * k as f64).min(0.004),
            )
        };
        let mut lowest: f64 = 1.0;
        let mut highest: f64 = 0.0;
        run(&mut s, &mut e, 350, 1, slide, |k, device, out, d| {
            assert!(d >= D.clearance_m * (1.0 - 1e-6), "tick {k}: distance {d}");
            if k > 60 {
                lowest = lowest.min(out.proxy.translation.z);
                highest = highest.max(out.proxy.translation.z);
                let lag = (out.proxy.translation.vector - device.translation.vector)
                    .xy()
                    .norm();
                assert!(
                    out.substeps <= 1,
                    "tool {tool}, tick {k}: {} rounds",
                    out.substeps
                );
                assert!(lag < 1e-5, "tool {tool}, tick {k}: held back by {lag} m");
            }
        });
        assert!(
            highest - lowest < 1e-8,
            "tool {tool}: bumps of {} m",
            highest - lowest
        );
    }
}

#[test]
fn a_plate_of_a_tenth_of_a_millimetre_holds_at_ten_metres_a_second() {
    for lag in [0, 1, 4, 15] {
        for tool in 0..2 {
            let plate = (
                Part::new(cuboid(Vec3::new(0.05, 0.05, 5e-5))),
                Pose::identity(),
                true,
                None,
            );
            let (mut s, mut e) = if tool == 0 {
                ball(0.003, vec![plate])
            } else {
                mesh(cuboid(Vec3::new(0.004, 0.003, 0.002)), vec![plate])
            };
            let mut r = Random(7 + lag as u64);
            let mut at = Vec3::new(0.0, 0.0, 0.03);
            let mut goal = at;
            let mut turn = Vec3::zeros();
            let mut above = None;
            run(
                &mut s,
                &mut e,
                1500,
                lag,
                |_| {
                    if (goal - at).norm() < 0.01 {
                        goal = Vec3::new(0.03 * r.signed(), 0.03 * r.signed(), 0.04 * r.signed());
                    }
                    at += (goal - at).cap_magnitude(0.01);
                    turn += r.vector() * 0.05;
                    Pose::from_parts(at.into(), Quat::from_scaled_axis(turn))
                },
                |k, _, out, d| {
                    assert!(
                        d >= D.clearance_m * (1.0 - 1e-6),
                        "lag {lag} tool {tool} tick {k}: distance {d}"
                    );
                    let p = out.proxy.translation.vector;
                    if d.is_finite() && p.x.abs() < 0.04 && p.y.abs() < 0.04 {
                        let side = p.z > 0.0;
                        if let Some(a) = above {
                            assert_eq!(a, side, "lag {lag} tool {tool} tick {k}: tunnelled");
                        }
                        above = Some(side);
                    } else {
                        above = None;
                    }
                },
            );
        }
    }
}

#[test]
fn a_moving_body_pushes_the_tool_and_stops_when_it_cannot() {
    let target = BodyTarget {
        world_from_body: Pose::translation(0.0, 0.0, 0.05),
        speed_m_s: 0.2,
    };
    // A piston rises under a ball that is held at z = 0; then a ceiling stops both.
    let piston = (
        Part::new(cuboid(Vec3::new(0.02, 0.02, 0.01))),
        Pose::translation(0.0, 0.0, -0.03),
        false,
        Some(target),
    );
    let ceiling = (
        Part::new(cuboid(Vec3::new(0.05, 0.05, 0.01))),
        Pose::translation(0.0, 0.0, 0.03),
        true,
        None,
    );
    let (mut s, mut e) = ball(0.005, vec![piston, ceiling]);
    let mut top = f64::NEG_INFINITY;
    let mut pushed = 0.0f64;
    run(
        &mut s,
        &mut e,
        600,
        2,
        |_| Pose::identity(),
        |k, _, out, d| {
            assert!(d >= D.clearance_m * (1.0 - 1e-6), "tick {k}: distance {d}");
            pushed = pushed.max(out.proxy.translation.z);
            top = top.max(out.wrench.force_n.z);
        },
    );
    // The ball ends under the ceiling at 0.02 - 0.005 - safe.
    assert!((pushed - 0.015).abs() < 2e-4, "pushed to {pushed}");
    assert!((top - 500.0 * 0.015).abs() < 0.2, "force {top}");
    assert!(
        e.output().blocked_bodies & 1 == 1,
        "the piston must be blocked"
    );
}

#[test]
fn a_peg_goes_into_its_hole_and_stays_off_the_walls() {
    // Four walls around a square shaft; clearance 0.2 mm on each side.
    let mut bodies = Vec::new();
    let gap = 0.004 + 2e-4;
    for (x, y) in [(1.0, 0.0), (-1.0, 0.0), (0.0, 1.0), (0.0, -1.0)] {
        let half = if x != 0.0 {
            Vec3::new(0.01, 0.03, 0.01)
        } else {
            Vec3::new(gap, 0.01, 0.01)
        };
        let at = gap + 0.01;
        bodies.push((
            Part::new(cuboid(half)),
            Pose::translation(x * at, y * at, -0.01),
            true,
            None,
        ));
    }
    let (mut s, mut e) = mesh(cuboid(Vec3::new(0.004, 0.004, 0.008)), bodies);
    let mut r = Random(3);
    let mut depth = 0.0f64;
    run(
        &mut s,
        &mut e,
        900,
        1,
        |k| {
            let wobble = Quat::from_scaled_axis(r.vector() * 0.05);
            let z = 0.02 - 0.00006 * k as f64;
            Pose::from_parts(
                Vec3::new(0.001 * r.signed(), 0.001 * r.signed(), z.max(-0.03)).into(),
                wobble,
            )
        },
        |k, _, out, d| {
            assert!(d >= D.clearance_m * (1.0 - 1e-6), "tick {k}: distance {d}");
            depth = depth.min(out.proxy.translation.z);
        },
    );
    assert!(depth < -0.01, "the peg only reached {depth}");
}

#[test]
fn a_tool_that_starts_inside_feels_nothing_until_it_is_out() {
    let block = (
        Part::new(cuboid(Vec3::repeat(0.02))),
        Pose::identity(),
        true,
        None,
    );
    let (mut s, mut e) = ball(0.005, vec![block]);
    // Starts with its surface across the block's top face.
    let mut touched = false;
    run(
        &mut s,
        &mut e,
        600,
        1,
        |k| {
            let z = if k < 300 {
                0.02 + 0.0002 * k as f64
            } else {
                0.08 - 0.0003 * (k - 300) as f64
            };
            Pose::translation(0.0, 0.0, z)
        },
        |k, _, out, _| {
            if k < 26 {
                assert_eq!(out.wrench.force_n, Vec3::zeros(), "tick {k}");
            }
            if k > 500 {
                touched |= out.wrench.force_n.z > 0.5;
            }
        },
    );
    assert!(touched, "after leaving, the block must be felt");
}

#[test]
fn the_same_inputs_give_the_same_bits() {
    let once = || {
        let plate = (
            Part::new(cuboid(Vec3::new(0.05, 0.05, 5e-5))),
            Pose::identity(),
            true,
            None,
        );
        let (mut s, mut e) = mesh(cuboid(Vec3::new(0.004, 0.003, 0.002)), vec![plate]);
        let mut r = Random(11);
        let mut at = Vec3::new(0.0, 0.0, 0.01);
        let mut bits = Vec::new();
        run(
            &mut s,
            &mut e,
            300,
            2,
            |_| {
                at += r.vector() * 0.002;
                at.z = at.z.min(0.01);
                Pose::from_parts(at.into(), Quat::from_scaled_axis(r.vector() * 0.3))
            },
            |_, _, out, _| {
                bits.extend(
                    out.wrench
                        .force_n
                        .iter()
                        .chain(out.wrench.torque_nm.iter())
                        .map(|x| x.to_bits()),
                )
            },
        );
        bits
    };
    assert_eq!(once(), once());
}

#[test]
fn nonsense_poses_move_nothing() {
    let block = (
        Part::new(cuboid(Vec3::repeat(0.02))),
        Pose::identity(),
        true,
        None,
    );
    let (mut s, mut e) = ball(0.005, vec![block]);
    run(
        &mut s,
        &mut e,
        50,
        1,
        |k| Pose::translation(if k % 3 == 0 { f64::NAN } else { 0.1 }, 0.0, f64::INFINITY),
        |_, _, out, _| {
            assert!(!out.present);
            assert_eq!(out.wrench, Wrench::default());
        },
    );
}

/// A body without its client: snapshots still list it, and some under way were made while it
/// existed.
#[test]
fn a_forgotten_body_is_not_in_the_way_from_the_next_tick_on_and_stays_gone() {
    let floor = |z: f64| {
        (
            Part::new(sheet(0.1, 4)),
            Pose::translation(0.0, 0.0, z),
            true,
            None,
        )
    };
    let (mut s, mut e) = ball(0.005, vec![floor(0.0), floor(-0.02)]);
    let press = |k: usize| Pose::translation(0.0, 0.0, 0.02 - 1e-4 * (k as f64).min(250.0));
    let mut last = None;
    run(&mut s, &mut e, 400, 2, press, |_, _, out, _| {
        last = Some(*out)
    });
    let before = last.unwrap();
    assert!(
        before.wrench.force_n.z > 1.0 && before.contacts[0].body == 1,
        "{before:?}"
    );

    e.forget(1);
    let hand = press(400);
    for k in 0..100 {
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(hand);
        let out = e
            .tick(&TickInput {
                period_s: 1e-3,
                devices,
                anchor: 0,
            })
            .arms[0];
        // The tool catches up with the hand, each tick as far as the answers certify it clear of
        // the other one.
        assert_eq!(out.contact_count, 0, "tick {k}");
        if k > 20 {
            assert_eq!(out.wrench, Wrench::default(), "tick {k}");
            assert_eq!(out.proxy.translation, hand.translation, "tick {k}");
        }
        assert_eq!(out.solid, 0b10, "tick {k}");
        assert!(e.bodies().all(|b| b.id == 2) && e.query().body_count == 1);
        // The scene still lists it.
        let snapshot = s.answer(&e.query());
        assert_eq!(snapshot.bodies.len(), 2);
        e.receive(snapshot);
    }
    // The other one is unchanged.
    let down = |k: usize| Pose::translation(0.0, 0.0, -0.005 - 1e-4 * (k as f64).min(150.0));
    run(&mut s, &mut e, 400, 2, down, |_, _, out, _| {
        last = Some(*out)
    });
    let after = last.unwrap();
    assert!(
        after.wrench.force_n.z > 1.0 && after.contacts[0].body == 2,
        "{after:?}"
    );
}

#[test]
fn a_body_forgotten_before_the_loop_knew_of_it_never_comes() {
    let floor = (Part::new(sheet(0.1, 4)), Pose::identity(), true, None);
    let (mut s, mut e) = ball(0.005, vec![floor]);
    e.forget(1);
    let down = |k: usize| Pose::translation(0.0, 0.0, 0.02 - 1e-4 * k as f64);
    run(&mut s, &mut e, 300, 1, down, |_, _, out, _| {
        assert_eq!((out.solid, out.contact_count), (0, 0));
    });
    assert_eq!(e.bodies().count(), 0);
}
