//! Safety is not enough: a tool that never moves is safe. These tests check what must move, and how
//! freely.

#![allow(clippy::print_stdout)]

use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{BodyPlan, Fixture, ScenePlan, ToolPlan};

fn ball() -> ToolPlan {
    ToolPlan::Ball { radius_m: 0.004 }
}

fn block() -> ToolPlan {
    ToolPlan::Mesh {
        mesh: shapes::cuboid(&Vec3::new(0.006, 0.004, 0.003)).unwrap(),
        turns: true,
    }
}

fn floor() -> Vec<BodyPlan> {
    // Top at z = 0.
    let mesh = shapes::cuboid(&Vec3::new(0.05, 0.05, 0.005)).unwrap();
    vec![BodyPlan::fixed(mesh, Pose::translation(0.0, 0.0, -0.005))]
}

#[test]
fn at_rest_in_free_space_the_tool_is_where_the_hand_is() {
    for (tool, lag) in [(ball(), 0), (ball(), 15), (block(), 0), (block(), 15)] {
        let mut fixture =
            Fixture::new(&ScenePlan::new("", tool, floor()), Delivery::fixed(lag), 1).unwrap();
        for _ in 0..40 {
            fixture.step(Some(Pose::translation(0.0, 0.0, 0.03)));
        }
        // At 10 m/s past a corner of the floor, 8 mm off.
        for k in 0..10 {
            fixture.step(Some(Pose::translation(0.01 * f64::from(k), 0.0, 0.015)));
        }
        let goal = Pose::from_parts(
            Vec3::new(0.09, 0.0, -0.005).into(),
            Quat::from_scaled_axis(Vec3::new(0.4, 1.0, -0.3)),
        );
        let mut last = None;
        for k in 0..150 {
            let (outcome, _) = fixture.step(Some(goal));
            let there = (outcome.proxy.translation.vector - goal.translation.vector).norm() < 1e-9
                && outcome.proxy.rotation.angle_to(&goal.rotation) < 1e-6;
            if there && last.is_none() {
                last = Some(k);
            }
        }
        assert!(last.is_some(), "lag {lag}: {}", fixture.tally);
        assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
    }
}

#[test]
fn without_answers_it_stops_and_with_them_it_goes_on() {
    for tool in [ball(), block()] {
        let mut fixture =
            Fixture::new(&ScenePlan::new("", tool, floor()), Delivery::fixed(1), 1).unwrap();
        let path = |k: u32| Pose::translation(-0.03 + 1e-4 * f64::from(k), 0.0, 0.006);
        for k in 0..100 {
            fixture.step(Some(path(k)));
        }
        // Every answer gets lost.
        fixture.courier().set_delivery(Delivery {
            lost: 1.0,
            ..Delivery::fixed(1)
        });
        let mut starved = false;
        for k in 100..500 {
            starved |= fixture.step(Some(path(k))).0.starved;
        }
        assert!(starved, "{}", fixture.tally);
        fixture.courier().set_delivery(Delivery::fixed(1));
        let mut left = f64::INFINITY;
        for _ in 0..100 {
            let (outcome, _) = fixture.step(Some(path(500)));
            left = (outcome.proxy.translation.vector - path(500).translation.vector).norm();
        }
        assert!(left < 1e-9, "{left} m short; {}", fixture.tally);
        assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
    }
}

#[test]
fn pressed_hard_it_slides_along_a_plane_with_the_hand() {
    for tool in [ball(), block()] {
        for depth in [0.0005, 0.005] {
            let mut scene = ScenePlan::new("", tool.clone(), floor());
            scene.friction = 0.0;
            let mut fixture = Fixture::new(&scene, Delivery::fixed(2), 1).unwrap();
            let mut behind = 0.0_f64;
            for k in 0..500 {
                let press = 0.01 - (0.01 + depth) * (f64::from(k) / 100.0).min(1.0);
                let x = -0.03 + 1e-4 * f64::from(k);
                let (outcome, _) = fixture.step(Some(Pose::translation(x, 0.3 * x, press)));
                if k > 150 {
                    behind = behind.max((outcome.proxy.translation.x - x).abs());
                }
            }
            assert!(
                behind < 1e-6,
                "depth {depth}: {behind} m behind; {}",
                fixture.tally
            );
            assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
        }
    }
}

/// Held still against an edge, in a corner, in a hole: the force must be still as well.
#[test]
fn pressed_steadily_it_does_not_tremble() {
    let corner = || shapes::inner_corner(0.03, 0.004).unwrap();
    let hole = || shapes::block_with_hole(&Vec3::new(0.02, 0.02, 0.01), 0.0042).unwrap();
    let peg = || ToolPlan::Mesh {
        mesh: shapes::cuboid(&Vec3::new(0.004, 0.004, 0.012)).unwrap(),
        turns: true,
    };
    let tilted = |p: Vec3, w: Vec3| Pose::from_parts(p.into(), Quat::from_scaled_axis(w));
    let cases = [
        (
            "ball, corner",
            ball(),
            corner(),
            Pose::translation(0.02, 0.02, 0.02),
            tilted(Vec3::repeat(0.001), Vec3::zeros()),
        ),
        (
            "block, corner",
            block(),
            corner(),
            Pose::translation(0.02, 0.02, 0.02),
            tilted(Vec3::repeat(0.001), Vec3::new(0.1, 0.05, -0.1)),
        ),
        (
            "peg, hole",
            peg(),
            hole(),
            Pose::translation(0.0, 0.0, 0.03),
            tilted(Vec3::new(0.001, 0.0005, 0.0), Vec3::new(0.05, 0.02, 0.04)),
        ),
    ];
    for (name, tool, mesh, start, end) in cases {
        let scene = ScenePlan::new("", tool, vec![BodyPlan::fixed(mesh, Pose::identity())]);
        for lag in [0, 3] {
            let mut fixture = Fixture::new(&scene, Delivery::fixed(lag), 1).unwrap();
            let mut forces: Vec<Vec3> = Vec::new();
            for k in 0..700 {
                let s = (f64::from(k) / 200.0).clamp(0.0, 1.0);
                let p = start.translation.vector.lerp(&end.translation.vector, s);
                let device = Pose::from_parts(p.into(), start.rotation.slerp(&end.rotation, s));
                let (outcome, _) = fixture.step(Some(device));
                if k >= 400 {
                    forces.push(outcome.wrench.force_n);
                }
            }
            let mean = forces.iter().sum::<Vec3>() / forces.len() as f64;
            let noise = forces.iter().map(|f| (f - mean).norm()).fold(0.0, f64::max);
            println!(
                "{name}, lag {lag}: mean {:.3} N, most off {noise:.2e} N",
                mean.norm()
            );
            assert!(mean.norm() > 0.1, "{name}: nothing is pressed");
            assert!(
                noise < 0.01,
                "{name}, lag {lag}: {noise} N of {} N",
                mean.norm()
            );
            assert!(
                fixture.tally.is_clean(),
                "{name}: {:?}",
                fixture.tally.findings
            );
        }
    }
}
