//! Many bodies: pyramids, stirred piles, squeezed bodies, sleep, sizes.

mod common;

use common::*;
use hapticd_geometry::{Vec3, shapes};
use hapticd_rigid::{BodyId, BodyKind, BodySpec, Executed, Order, Settings, Twist, Wrench};

fn pyramid(scene: &mut Scene, rows: i32, half: f64, friction: f64) -> Vec<BodyId> {
    let wide = 100.0 * half;
    let fixed = BodySpec::fixed(cuboid(wide, wide, half), at(0.0, 0.0, -half));
    scene.add(with(fixed, friction, 0.0));
    let shape = cube(half);
    let mut ids = Vec::new();
    for row in 0..rows {
        for k in 0..rows - row {
            let x = (f64::from(k) - 0.5 * f64::from(rows - row - 1)) * 2.2 * half;
            let z = half * (1.0 + 1e-3) + f64::from(row) * 2.0 * half * (1.0 + 1e-3);
            let spec = BodySpec::dynamic(shape.clone(), at(x, 0.0, z), 1000.0);
            ids.push(scene.add(with(spec, friction, 0.0)));
        }
    }
    ids
}

#[test]
fn a_pyramid_stands() {
    let mut scene = Scene::new(Settings {
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    });
    let ids = pyramid(&mut scene, 10, 0.1, 0.5);
    let start: Vec<Vec3> = ids.iter().map(|&id| scene.x(id)).collect();
    for k in 0..600 {
        let plan = scene.world.step(H);
        assert_eq!(plan.duration_s, H);
        if k >= 400 {
            // Settled: four contacts on each of 100 faces, and nothing to search.
            let c = plan.counters;
            assert!((396..=412).contains(&c.contacts), "{c:?}");
            assert_eq!((c.searches, c.segments, c.repositionings), (0, 1, 0));
            assert!(plan.residual_m_s < 1e-5, "{}", plan.residual_m_s);
        }
    }
    let moved = (ids.iter().zip(&start))
        .map(|(&id, x)| (scene.x(id) - x).norm())
        .fold(0.0, f64::max);
    assert_eq!(scene.audit.penetrations(&scene.world), []);
    // They start above the safe distance: ten of them sink by a fraction of a millimetre.
    assert!(moved < 2e-3, "{moved}");
}

/// 24 bodies of several shapes in a box, and a bar that turns in it.
fn stirred(scene: &mut Scene) -> (Vec<BodyId>, BodyId) {
    let wall = |x: f64, y: f64, z: f64, p| BodySpec::fixed(cuboid(x, y, z), p);
    scene.add(wall(1.0, 1.0, 0.1, at(0.0, 0.0, -0.1)));
    for s in [-1.0, 1.0] {
        scene.add(wall(0.05, 0.6, 0.5, at(s * 0.6, 0.0, 0.55)));
        scene.add(wall(0.6, 0.05, 0.5, at(0.0, s * 0.7, 0.55)));
    }
    let shapes = [
        cube(0.06),
        cuboid(0.1, 0.05, 0.03),
        index(shapes::icosphere(0.07, 2).unwrap()),
        index(shapes::cylinder(0.05, 0.08, 16).unwrap()),
        index(shapes::torus(0.07, 0.025, 16, 8).unwrap()),
    ];
    let mut numbers = Numbers(7);
    let mut ids = Vec::new();
    for k in 0..24 {
        let (i, j, l) = (k % 3, k / 3 % 3, k / 9);
        let p = at(
            0.3 * (f64::from(i) - 1.0),
            0.3 * (f64::from(j) - 1.0),
            0.25 + 0.3 * f64::from(l),
        );
        let spec = BodySpec::dynamic(
            shapes[k as usize % 5].clone(),
            turned(p, numbers.vector()),
            800.0,
        );
        ids.push(scene.add(with(spec, 0.4, 0.2)));
    }
    let bar = BodySpec::kinematic(cuboid(0.4, 0.02, 0.03), at(0.0, 0.0, 0.06), Twist::ZERO);
    (ids, scene.add(with(bar, 0.4, 0.0)))
}

#[test]
fn a_stirred_pile_never_penetrates() {
    let mut scene = Scene::new(Settings::default());
    let (ids, bar) = stirred(&mut scene);
    let mut energy = scene.world.energy_j();
    let first = energy;
    let mut worst_gain = 0.0_f64;
    let mut lost = 0.0;
    let mut held = 0;
    for k in 0..2000 {
        let stirring = (800..1400).contains(&k);
        let angular = Vec3::z() * if stirring { 3.0 } else { 0.0 };
        scene
            .world
            .set_twist(
                bar,
                &Twist {
                    angular,
                    ..Twist::ZERO
                },
            )
            .unwrap();
        let plan = scene.world.step(H);
        let c = plan.counters;
        lost += H - plan.duration_s;
        held += c.held;
        let now = scene.world.energy_j();
        if !stirring {
            worst_gain = worst_gain.max(now - energy);
        }
        energy = now;
        if k % 40 == 0 {
            assert_eq!(scene.audit.penetrations(&scene.world), [], "step {k}");
        }
    }
    assert!(
        ids.iter()
            .all(|&id| scene.x(id).z > 0.0 && scene.x(id).x.abs() < 0.6)
    );
    // The energy that repositioning may add in one step: a kilogram lifted by a safe distance.
    assert!(worst_gain < 1.0 * G * 4e-5, "{worst_gain}");
    assert!(
        energy < first && lost < 0.02 && held < 10,
        "{energy} {lost} {held}"
    );
}

#[test]
fn sizes_from_a_tenth_of_a_millimetre_to_a_kilometre() {
    for size in [1e-4, 1e3] {
        let mut scene = Scene::new(Settings {
            gravity: Vec3::new(0.0, 0.0, -G * size),
            sleep_after_s: f64::INFINITY,
            ..Settings::default()
        });
        let ids = pyramid(&mut scene, 3, size, 0.5);
        let start: Vec<Vec3> = ids.iter().map(|&id| scene.x(id)).collect();
        for _ in 0..300 {
            scene.world.step(H);
        }
        let moved = ids
            .iter()
            .zip(&start)
            .map(|(&id, x)| (scene.x(id) - x).norm())
            .fold(0.0, f64::max);
        assert!(moved < 0.02 * size);
        assert_eq!(scene.audit.penetrations(&scene.world), []);
    }
}

#[test]
fn a_squeezed_body_stops_the_press() {
    let mut scene = Scene::new(Settings::default());
    scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.1), at(0.0, 0.0, -0.1)));
    let body = scene.add(BodySpec::dynamic(cube(0.1), at(0.0, 0.0, 0.1001), 1000.0));
    let down = Twist {
        linear: Vec3::new(0.0, 0.0, -0.5),
        ..Twist::ZERO
    };
    let press = scene.add(BodySpec::kinematic(
        cuboid(0.2, 0.2, 0.05),
        at(0.0, 0.0, 0.3),
        down,
    ));
    // Elsewhere, motion continues.
    let free = scene.add(BodySpec::dynamic(cube(0.05), at(0.7, 0.0, 2.0), 1000.0));
    let mut infeasible = 0;
    let mut lost = 0.0;
    for _ in 0..400 {
        let plan = scene.world.step(H);
        infeasible += plan.counters.infeasible;
        lost += H - plan.duration_s;
    }
    assert_eq!(scene.audit.penetrations(&scene.world), []);
    assert!(scene.x(press).z > 0.25 && scene.x(press).z < 0.251);
    assert!(infeasible > 0 && lost < 1e-9, "{infeasible} {lost}");
    assert!((scene.x(body).z - 0.1).abs() < 2e-4);
    assert!(scene.x(free).z < 2.0 - 0.4 * G * 0.16);
}

/// Twenty bodies, some hollow and some with a hole, thrown at rough ground at 30 steps per second.
#[test]
fn what_is_thrown_far_and_fast_stays_apart_and_gains_nothing() {
    let mut scene = Scene::new(Settings::default());
    let ground = index(shapes::terrain([1.0, 1.0], 24, 0.1, 0.3, 7).unwrap());
    scene.add(with(BodySpec::fixed(ground, at(0.0, 0.0, 0.0)), 0.5, 0.0));
    let shapes = [
        index(shapes::icosphere(0.08, 2).unwrap()),
        cube(0.07),
        index(shapes::torus(0.1, 0.03, 24, 12).unwrap()),
        index(shapes::inner_corner(0.1, 0.02).unwrap()),
    ];
    let mut numbers = Numbers(5);
    for k in 0..20 {
        let f = f64::from;
        let pose = at(
            0.3 * (f(k % 4) - 1.5),
            0.3 * (f(k / 4 % 3) - 1.0),
            0.5 + 0.3 * f(k / 12),
        );
        let spec = BodySpec::dynamic(
            shapes[k as usize % 4].clone(),
            turned(pose, numbers.vector()),
            1000.0,
        );
        scene.add(BodySpec {
            twist: Twist {
                linear: numbers.vector() * 10.0,
                angular: numbers.vector() * 100.0,
            },
            ..with(spec, 0.5, 0.3)
        });
    }
    let mut energy = scene.world.energy_j();
    for k in 0..40 {
        scene.world.step(1.0 / 30.0);
        let now = scene.world.energy_j();
        assert!(now <= energy + 1e-5, "step {k}: {energy} to {now}");
        energy = now;
        if k % 4 == 0 {
            assert_eq!(scene.audit.penetrations(&scene.world), [], "step {k}");
        }
    }
}

#[test]
fn the_quiet_sleep_and_wake_when_disturbed() {
    let mut scene = Scene::new(Settings::default());
    let ids = pyramid(&mut scene, 3, 0.1, 0.5);
    for _ in 0..1500 {
        scene.world.step(H);
    }
    let asleep = |scene: &Scene| {
        ids.iter()
            .filter(|&&id| scene.world.body(id).unwrap().asleep)
            .count()
    };
    assert_eq!(asleep(&scene), 6);
    let searches = |scene: &Scene| scene.world.broad_phase().work().searches;
    let before = searches(&scene);
    let plan = scene.world.step(H);
    assert_eq!((plan.counters.contacts, plan.counters.searches), (0, 0));
    // No search runs while all bodies rest. Some ran while the pile settled, but not in every step.
    assert_eq!(searches(&scene), before);
    assert!((1..30).contains(&before), "{before}");
    let push = Wrench {
        force: Vec3::x() * 100.0,
        torque: Vec3::zeros(),
    };
    scene.world.set_wrench(ids[5], &push).unwrap();
    assert_eq!(asleep(&scene), 0);
    scene.world.set_wrench(ids[5], &Wrench::ZERO).unwrap();
    for _ in 0..1500 {
        scene.world.step(H);
    }
    assert_eq!(asleep(&scene), 6);
    // A thrown cube wakes what it hits.
    let thrown = BodySpec {
        twist: Twist {
            linear: Vec3::new(-3.0, 0.0, 0.0),
            ..Twist::ZERO
        },
        ..BodySpec::dynamic(cube(0.05), at(1.0, 0.0, 0.5), 1000.0)
    };
    scene.add(thrown);
    let mut woken = 0;
    for _ in 0..400 {
        scene.world.step(H);
        woken = woken.max(6 - asleep(&scene));
    }
    assert_eq!(woken, 6);
}

#[test]
fn a_first_order_world_moves_only_what_is_pushed() {
    let mut scene = Scene::new(Settings {
        order: Order::First,
        ..Settings::default()
    });
    // Six cubes in a row, the first one pushed into the others.
    let shape = cube(0.1);
    let ids: Vec<BodyId> = (0..6)
        .map(|k| {
            scene.add(BodySpec::dynamic(
                shape.clone(),
                at(0.25 * f64::from(k), 0.0, 0.0),
                1000.0,
            ))
        })
        .collect();
    let push = Twist {
        linear: Vec3::new(1.0, 0.0, 0.0),
        ..Twist::ZERO
    };
    scene.world.set_twist(ids[0], &push).unwrap();
    let start: Vec<Vec3> = ids.iter().map(|&id| scene.x(id)).collect();
    for _ in 0..200 {
        scene.world.step(H);
    }
    for _ in 0..800 {
        scene.world.step(H);
        assert_eq!(scene.world.body(ids[0]).unwrap().twist, push);
    }
    let moved: Vec<f64> = ids
        .iter()
        .zip(&start)
        .map(|(&id, x)| (scene.x(id) - x).x)
        .collect();
    assert!(moved.windows(2).all(|m| m[0] > m[1]) && moved[5] > 0.0 && moved[0] < 0.9);
    assert_eq!(scene.audit.penetrations(&scene.world), []);
    scene.world.set_twist(ids[0], &Twist::ZERO).unwrap();
    let before = scene.x(ids[3]);
    for _ in 0..100 {
        scene.world.step(H);
    }
    assert!((before - scene.x(ids[3])).norm() < 1e-9);
}

/// First order: `f / (m drag)`, at once and only while the force lasts. A body pressed against
/// another stays.
#[test]
fn in_a_first_order_world_a_force_is_a_velocity() {
    let drag_per_s = 5.0;
    let mut scene = Scene::new(Settings {
        order: Order::First,
        drag_per_s,
        ..Settings::default()
    });
    let free = scene.add(BodySpec::dynamic(cube(0.1), at(0.0, 0.0, 0.0), 1000.0));
    let wall = BodySpec {
        kind: BodyKind::Static,
        ..BodySpec::dynamic(cube(0.1), at(2.0, 0.0, 0.0), 1000.0)
    };
    scene.add(wall);
    let push = |x| Wrench {
        force: Vec3::new(x, 0.0, 0.0),
        torque: Vec3::zeros(),
    };
    let mass_kg = 0.2 * 0.2 * 0.2 * 1000.0;
    scene.world.set_wrench(free, &push(4.0)).unwrap();
    for _ in 0..100 {
        scene.world.step(H);
    }
    let expected = 4.0 / (mass_kg * drag_per_s) * 100.0 * H;
    assert!(
        (scene.x(free).x / expected - 1.0).abs() < 1e-9,
        "{}",
        scene.x(free).x
    );
    scene.world.set_wrench(free, &Wrench::ZERO).unwrap();
    let before = scene.x(free);
    scene.world.step(H);
    assert_eq!(scene.x(free), before);
    scene.world.set_wrench(free, &push(4000.0)).unwrap();
    for _ in 0..1000 {
        scene.world.step(H);
    }
    assert!(
        (1.79..1.8).contains(&scene.x(free).x),
        "{}",
        scene.x(free).x
    );
    assert_eq!(scene.audit.penetrations(&scene.world), []);
}

#[test]
fn a_part_of_a_plan_is_a_part_of_the_motion() {
    let mut scene = Scene::new(Settings::default());
    let (_, _) = stirred(&mut scene);
    for _ in 0..200 {
        scene.world.step(H);
    }
    let mut numbers = Numbers(3);
    for _ in 0..100 {
        let segments = scene.world.plan(H).segments().len();
        let share = 0.5 + 0.5 * numbers.next();
        scene.world.commit(&Executed {
            segments: segments - 1,
            share,
        });
    }
    assert_eq!(scene.audit.penetrations(&scene.world), []);
}

#[test]
fn equal_worlds_do_equal_things() {
    let run = || {
        let mut scene = Scene::new(Settings::default());
        let (ids, _) = stirred(&mut scene);
        for _ in 0..300 {
            scene.world.step(H);
        }
        ids.iter()
            .map(|&id| scene.world.body(id).unwrap())
            .collect::<Vec<_>>()
    };
    assert_eq!(run(), run());
}
