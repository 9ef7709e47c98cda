//! Weaknesses that the adversary once found, and the required behaviour.

use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{BodyPlan, Fixture, ScenePlan, ToolPlan, meshes};

fn ball_over_block() -> ScenePlan {
    let block = shapes::cuboid(&Vec3::new(0.03, 0.03, 0.02)).unwrap();
    ScenePlan::new(
        "",
        ToolPlan::Ball { radius_m: 0.005 },
        vec![BodyPlan::fixed(block, Pose::identity())],
    )
}

#[test]
fn a_nonsense_sample_does_not_let_the_tool_into_what_it_presses_on() {
    let mut fixture = Fixture::new(&ball_over_block(), Delivery::fixed(1), 1).unwrap();
    for _ in 0..20 {
        fixture.step(Some(Pose::translation(0.0, 0.0, 0.04)));
    }
    let pressed = Pose::translation(0.0, 0.0, 0.015);
    // A hand that jumps finds the surface late: its force grows at 0.2 m/s, 10 mm deep.
    for _ in 0..100 {
        fixture.step(Some(pressed));
    }
    for bad in [f64::NAN, f64::INFINITY, 1e200, -1e5] {
        let (outcome, _) = fixture.step(Some(Pose::translation(bad, 0.0, 0.0)));
        assert!(outcome.present && outcome.solid == 1, "{bad}: {outcome:?}");
        assert!(
            (outcome.wrench.force_n.z - 500.0 * (outcome.proxy.translation.z - 0.015)).abs() < 1e-6
        );
        let (outcome, _) = fixture.step(Some(pressed));
        assert!(
            outcome.solid == 1 && outcome.proxy.translation.z > 0.025,
            "{bad}: {outcome:?}"
        );
    }
    // Without a device the case differs: the tool is gone, and returns at the hand.
    let (outcome, _) = fixture.step(None);
    assert!(!outcome.present);
    assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
}

#[test]
fn a_ball_that_turns_while_it_moves_goes_straight() {
    let mut fixture = Fixture::new(&ball_over_block(), Delivery::fixed(1), 1).unwrap();
    for k in 0..400 {
        let turn = Quat::from_scaled_axis(Vec3::new(1.1, 2.0, -0.7) * (0.11 * f64::from(k)));
        let x = 0.03 * (f64::from(k) * 0.05).sin();
        fixture.step(Some(Pose::from_parts(
            Vec3::new(x, 0.0, 0.024).into(),
            turn,
        )));
        if k == 0 {
            // It started inside: nothing is solid until it has left.
            for _ in 0..10 {
                fixture.step(Some(Pose::translation(0.0, 0.0, 0.04)));
            }
        }
    }
    assert!(fixture.tally.contact > 100, "{}", fixture.tally);
    assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
}

/// Face on face, with more pairs at one distance than the budget allows: the tool must stick
/// neither sideways nor away.
#[test]
fn conforming_faces_of_many_triangles_do_not_stick() {
    let mesh = meshes::tiled_box(&Vec3::new(0.01, 0.01, 0.004), 6).unwrap();
    let ground = meshes::tiled_box(&Vec3::new(0.03, 0.03, 0.004), 18).unwrap();
    let mut scene = ScenePlan::new(
        "",
        ToolPlan::Mesh { mesh, turns: true },
        vec![BodyPlan::fixed(ground, Pose::identity())],
    );
    scene.start = Pose::translation(0.0, 0.0, 0.02);
    let mut fixture = Fixture::new(&scene, Delivery::fixed(2), 1).unwrap();
    let path = |k: f64| -> Vec3 {
        if k < 150.0 {
            Vec3::new(0.0, 0.0, 0.02 - 0.015 * k / 150.0)
        } else if k < 450.0 {
            Vec3::new(0.005 * (k - 150.0) / 300.0, 0.0, 0.005)
        } else {
            Vec3::new(0.005, 0.0, 0.005 + 0.015 * ((k - 450.0) / 150.0).min(1.0))
        }
    };
    let mut slid = 0.0_f64;
    let mut end = Vec3::zeros();
    for k in 0..1000 {
        let (outcome, _) = fixture.step(Some(Pose::from_parts(
            path(f64::from(k)).into(),
            Quat::identity(),
        )));
        if k == 449 {
            slid = outcome.proxy.translation.x;
        }
        end = outcome.proxy.translation.vector;
    }
    assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
    assert!(fixture.tally.contact > 100, "{}", fixture.tally);
    assert!(slid > 0.003, "slid {slid} m of 5 mm; {}", fixture.tally);
    assert!(
        (end - Vec3::new(0.005, 0.0, 0.02)).norm() < 1e-6,
        "ended at {end}; {}",
        fixture.tally
    );
}

/// With a large rotation, the straight path to the goal leads away from the floor, and the screw
/// starts into it. With contact rows for the straight path only, the tool stood there for good.
#[test]
fn a_turn_of_a_right_angle_does_not_pin_the_tool_to_the_floor() {
    for turn in [1.5, -1.5] {
        let floor = shapes::cuboid(&Vec3::new(0.1, 0.1, 0.005)).unwrap();
        let tool = shapes::cuboid(&Vec3::repeat(0.001)).unwrap();
        let scene = ScenePlan::new(
            "",
            ToolPlan::Mesh {
                mesh: tool,
                turns: true,
            },
            vec![BodyPlan::fixed(floor, Pose::identity())],
        );
        let mut fixture = Fixture::new(&scene, Delivery::fixed(1), 1).unwrap();
        for k in 0..100 {
            let z = 0.008 - 1e-4 * f64::from(k);
            fixture.step(Some(Pose::translation(-0.03, 0.0, z)));
        }
        let goal = Pose::from_parts(
            Vec3::new(0.03, 0.0, 0.012).into(),
            Quat::from_scaled_axis(Vec3::new(0.0, turn, 0.0)),
        );
        let mut left = f64::INFINITY;
        for _ in 0..100 {
            let (outcome, _) = fixture.step(Some(goal));
            left = (outcome.proxy.translation.vector - goal.translation.vector).norm();
        }
        assert!(
            left < 1e-9,
            "turn {turn}: {left} m short; {}",
            fixture.tally
        );
        assert!(fixture.tally.is_clean(), "{:?}", fixture.tally.findings);
    }
}
