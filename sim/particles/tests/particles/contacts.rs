//! Spheres on planes and on each other, and which spheres blend.

use hapticd_particles::Vec3;
use hapticd_particles::{
    BlendEvent, Blending, ListFault, Obstacle, Settings, Sphere, SphereWorld, Walls,
};

use crate::{DT, G, ball, earth, go, near, weightless};

/// A ball on a slope: below the angle of friction it stays, above it slides with the remaining
/// force.
#[test]
fn a_ball_on_a_slope_obeys_coulomb() {
    for (slope, slides) in [(0.25_f64, false), (0.5, true)] {
        let mut world = earth();
        let (sin, cos) = slope.sin_cos();
        let normal = Vec3::new(-sin, 0.0, cos);
        let at = normal * 0.01;
        world.add_sphere(&ball(at, 0)).unwrap();
        let obstacle = Obstacle {
            sphere: 0,
            point: Vec3::zeros(),
            normal,
            velocity: Vec3::zeros(),
            friction: 0.3,
        };
        for _ in 0..250 {
            let report = world.step(DT, &[obstacle], &[]).unwrap();
            assert_eq!(report, Default::default());
        }
        let down = Vec3::new(-cos, 0.0, -sin);
        let speed = world.velocities()[0].dot(&down);
        if slides {
            assert!(near(speed, G * (sin - 0.3 * cos), 1e-6), "{speed}");
        } else {
            assert!((world.positions()[0] - at).norm() < 1e-9);
        }
        // The impulse of the plane is the weight along the normal, plus the friction.
        let push = world.obstacle_impulses()[0];
        assert!(near(push.dot(&normal), 0.01 * G * cos * DT, 1e-6));
    }
}

/// A plane that moves carries what lies on it.
#[test]
fn a_lift_carries_a_ball() {
    let mut world = earth();
    world.add_sphere(&ball(Vec3::z() * 0.01, 0)).unwrap();
    let velocity = Vec3::new(0.1, 0.0, 0.2);
    for i in 0..250 {
        let obstacle = Obstacle {
            sphere: 0,
            point: velocity * (f64::from(i) * DT),
            normal: Vec3::z(),
            velocity,
            friction: 1.0,
        };
        world.step(DT, &[obstacle], &[]).unwrap();
    }
    assert!((world.velocities()[0] - velocity).norm() < 1e-6);
    assert!((world.positions()[0].z - 0.21).abs() < 1e-6);
}

/// Two balls head on: no bounce, both continue with the common velocity.
#[test]
fn balls_that_meet_go_on_together() {
    let mut world = weightless();
    for (x, v) in [(-0.03, 0.4), (0.03, -0.1)] {
        let mut sphere = ball(Vec3::x() * x, 0);
        sphere.velocity = Vec3::x() * v;
        world.add_sphere(&sphere).unwrap();
    }
    go(&mut world, 100);
    for v in world.velocities() {
        assert!((v - Vec3::x() * 0.15).norm() < 1e-12, "{v:?}");
    }
    let apart = (world.positions()[0] - world.positions()[1]).norm();
    assert!((apart - 0.02).abs() < 1e-12, "{apart}");
}

/// A deep sphere comes out at the push-out speed and keeps none of it.
#[test]
fn a_depth_is_not_energy() {
    let mut world = weightless();
    world.set_walls(&Walls::floor(0.0, 0.0)).unwrap();
    for (x, z) in [(0.0, 0.1), (0.002, 0.1), (0.5, -0.03)] {
        world.add_sphere(&ball(Vec3::new(x, 0.0, z), 0)).unwrap();
    }
    for _ in 0..100 {
        let before = world.positions().to_vec();
        go(&mut world, 1);
        for (a, b) in before.iter().zip(world.positions()) {
            assert!((a - b).norm() <= 0.5 * DT * (1.0 + 1e-9));
        }
        assert!(world.kinetic_energy() < 1e-20);
    }
    let x = world.positions();
    assert!((x[0] - x[1]).norm() > 0.02 - 1e-9);
    assert!((x[2].z - 0.01).abs() < 1e-9);
}

/// A heap of balls in a box stays a heap: no ball is thrown, none sinks in. It creeps, since balls
/// that do not rotate are held by friction alone.
#[test]
fn a_heap_of_balls_stays_a_heap() {
    let mut world = SphereWorld::new(Settings {
        contact_sweeps: 4,
        damping_1_s: 0.5,
        substeps: 8,
        ..Settings::default()
    })
    .unwrap();
    world
        .set_walls(&Walls {
            low: [Some(0.0); 3],
            high: [Some(0.1), Some(0.1), None],
            friction: 0.3,
        })
        .unwrap();
    for i in 0..100_u32 {
        let j = f64::from(i);
        let at = Vec3::new(
            0.02 + 0.0199 * f64::from(i % 4) + 1e-3 * (7.0 * j).sin(),
            0.02 + 0.0199 * f64::from(i / 4 % 4) + 1e-3 * (5.0 * j).cos(),
            0.02 + 0.021 * f64::from(i / 16),
        );
        world.add_sphere(&ball(at, i)).unwrap();
    }
    go(&mut world, 2000);
    let rest = world.positions().to_vec();
    go(&mut world, 500);
    let mut moved: Vec<f64> = (rest.iter().zip(world.positions()))
        .map(|(a, b)| (a - b).norm())
        .collect();
    moved.sort_by(f64::total_cmp);
    assert!(
        moved[50] < 1e-3 && moved[99] < 0.03,
        "{} {}",
        moved[50],
        moved[99]
    );
    assert!(world.kinetic_energy() < 1e-4, "{}", world.kinetic_energy());
    let x = world.positions();
    for i in 0..x.len() {
        assert!(
            x[i].min() > 0.01 - 1e-4 && x[i].x < 0.09 + 1e-4,
            "{:?}",
            x[i]
        );
        for j in 0..i {
            assert!((x[i] - x[j]).norm() > 0.0195, "{}", (x[i] - x[j]).norm());
        }
    }
}

/// Neighbours on a spring may overlap; other pairs may not.
#[test]
fn linked_spheres_do_not_touch_each_other() {
    let mut world = weightless();
    for x in [0.0, 0.012, 0.024] {
        world.add_sphere(&ball(Vec3::x() * x, 0)).unwrap();
    }
    world.link([0, 1], 0.012, 1e-3, 0.0).unwrap();
    world.link([2, 1], 0.012, 1e-3, 0.0).unwrap();
    go(&mut world, 10);
    assert_eq!(world.positions()[1], Vec3::x() * 0.012);
    world.place(2, Vec3::x() * 0.005, Vec3::zeros()).unwrap();
    go(&mut world, 500);
    let apart = (world.positions()[0] - world.positions()[2]).norm();
    assert!(apart > 0.0199, "{apart}");
}

/// Figure 4.3 of Triquet 2001: nothing blends before it touches, and spheres that touched blend
/// until they are further apart.
#[test]
fn blending_has_hysteresis() {
    let mut world = weightless();
    for x in [0.0, 0.03] {
        let sphere = Sphere {
            fixed: true,
            ..ball(Vec3::x() * x, 9)
        };
        world.add_sphere(&sphere).unwrap();
    }
    let rule = Blending {
        blend_at_m: 0.0,
        part_at_m: 0.004,
        others: false,
    };
    world.set_blending(9, Some(rule)).unwrap();
    let mut seen = Vec::new();
    // Back and forth, in steps of a millimetre.
    let way: Vec<i32> = (15..=30)
        .rev()
        .chain(15..=30)
        .chain((18..=30).rev())
        .collect();
    for mm in way {
        let x = Vec3::x() * (f64::from(mm) / 1000.0 + 1e-9);
        world.place(1, x, Vec3::zeros()).unwrap();
        go(&mut world, 1);
        for event in world.events() {
            seen.push((mm, *event));
        }
        let blends = world.blended().collect::<Vec<_>>() == [(0, 1)];
        assert_eq!(blends, seen.len() % 2 == 1);
    }
    assert_eq!(
        seen,
        [
            (19, BlendEvent::Added(0, 1)),
            (24, BlendEvent::Removed(0, 1)),
            (19, BlendEvent::Added(0, 1))
        ]
    );
    world.set_blending(9, None).unwrap();
    go(&mut world, 1);
    assert_eq!(world.events(), [BlendEvent::Removed(0, 1)]);
    // A rule with the parting gap below the blending gap is invalid.
    let wrong = Blending {
        part_at_m: -0.001,
        ..rule
    };
    let fault = world.set_blending(9, Some(wrong)).unwrap_err();
    assert_eq!(fault.to_string(), "part_at_m = -0.001 is out of range");
}

/// Two bodies blend only if both allow it, and at the lower value of the two.
#[test]
fn bodies_blend_if_both_agree() {
    let at = |part: f64, others: bool| Blending {
        blend_at_m: part,
        part_at_m: part,
        others,
    };
    for (a, b, blends) in [
        (at(0.01, true), at(0.01, true), true),
        (at(0.01, true), at(0.01, false), false),
        (at(0.01, true), at(0.001, true), false),
    ] {
        let mut world = weightless();
        world.set_blending(1, Some(a)).unwrap();
        world.set_blending(2, Some(b)).unwrap();
        world.add_sphere(&ball(Vec3::zeros(), 2)).unwrap();
        world.add_sphere(&ball(Vec3::x() * 0.025, 1)).unwrap();
        world.add_sphere(&ball(Vec3::x() * -0.025, 3)).unwrap();
        go(&mut world, 1);
        let wanted: &[BlendEvent] = if blends {
            &[BlendEvent::Added(0, 1)]
        } else {
            &[]
        };
        assert_eq!(world.events(), wanted);
    }
}

/// Events come by rising indices, and their sum is the set of blending pairs.
#[test]
fn events_are_in_order_and_complete() {
    let mut world = earth();
    let drops = crate::pool(&mut world, [6, 6, 6], Vec3::new(0.09, 0.09, 0.0));
    let rule = Blending {
        blend_at_m: 0.0,
        part_at_m: 0.003,
        others: false,
    };
    world.set_blending(7, Some(rule)).unwrap();
    let mut set = std::collections::BTreeSet::new();
    let mut removed = 0;
    for _ in 0..300 {
        go(&mut world, 1);
        let keys = world.events().iter().map(|e| match *e {
            BlendEvent::Added(a, b) | BlendEvent::Removed(a, b) => (a, b),
        });
        let keys: Vec<_> = keys.collect();
        assert!(keys.is_sorted_by(|a, b| a < b));
        for event in world.events() {
            match *event {
                BlendEvent::Added(a, b) => assert!(set.insert((a, b))),
                BlendEvent::Removed(a, b) => {
                    removed += 1;
                    assert!(set.remove(&(a, b)));
                }
            }
        }
        assert!(world.blended().eq(set.iter().copied()));
        // Compared with the definition: all that touch are in, all that are far apart are out.
        let x = world.positions();
        for i in drops.clone() {
            for j in i + 1..drops.end {
                let gap = (x[i as usize] - x[j as usize]).norm() - 0.01;
                let known = set.contains(&(i, j));
                assert!(if known { gap <= 0.003 } else { gap > 0.0 }, "{gap}");
            }
        }
    }
    assert!(set.len() > 300 && removed > 20, "{} {removed}", set.len());
}

/// Entries with a fault are left out and counted; the rest applies.
#[test]
fn obstacles_with_a_fault_are_left_out() {
    let mut world = earth();
    world.add_sphere(&ball(Vec3::z() * 0.01, 0)).unwrap();
    let fine = Obstacle {
        sphere: 0,
        point: Vec3::zeros(),
        normal: Vec3::z(),
        velocity: Vec3::zeros(),
        friction: 0.0,
    };
    let wrong = [
        Obstacle { sphere: 1, ..fine },
        Obstacle {
            normal: Vec3::z() * 2.0,
            ..fine
        },
        Obstacle {
            normal: Vec3::repeat(f64::NAN),
            ..fine
        },
        Obstacle {
            point: Vec3::repeat(f64::INFINITY),
            ..fine
        },
        Obstacle {
            velocity: Vec3::repeat(f64::NAN),
            ..fine
        },
        Obstacle {
            friction: -0.1,
            ..fine
        },
        fine,
    ];
    let report = world.step(DT, &wrong, &[]).unwrap();
    assert_eq!(report.obstacles_refused, 6);
    assert_eq!(report.first_obstacle, Some((0, ListFault::Sphere(1))));
    assert!((world.positions()[0].z - 0.01).abs() < 1e-12);
    assert_eq!(world.obstacle_impulses()[0], Vec3::zeros());
    let report = world.step(DT, &wrong[1..2], &[]).unwrap();
    let (_, fault) = report.first_obstacle.unwrap();
    assert_eq!(fault.to_string(), "the normal's length is 2, not 1");
}

/// Walls with sides in the wrong order, or not finite, are refused.
#[test]
fn walls_with_a_fault_are_refused() {
    let mut world = earth();
    let mut walls = Walls::floor(0.0, -1.0);
    assert!(
        world
            .set_walls(&walls)
            .unwrap_err()
            .to_string()
            .contains("-1")
    );
    walls = Walls::floor(f64::NAN, 0.0);
    assert!(world.set_walls(&walls).is_err());
    walls = Walls::floor(0.1, 0.0);
    walls.high[2] = Some(0.0);
    assert!(
        world
            .set_walls(&walls)
            .unwrap_err()
            .to_string()
            .contains("0.1")
    );
}
