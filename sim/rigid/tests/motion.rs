//! Guarantees of continuous detection for moving bodies: thin ones, linked ones, fitting ones,
//! bouncing ones.

mod common;

use common::*;
use hapticd_audit::{Tool, intersects};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rigid::{BodyId, BodySpec, Distances, Settings, Twist, Wrench};

fn weightless() -> Settings {
    Settings {
        gravity: Vec3::zeros(),
        ..Settings::default()
    }
}

fn moving(spec: BodySpec, linear: Vec3, angular: Vec3) -> BodySpec {
    BodySpec {
        twist: Twist { linear, angular },
        ..spec
    }
}

/// Two plates of ten metres by two centimetres that fly at each other and spin in their plane: one
/// step would take them past each other.
#[test]
fn plates_that_spin_do_not_pass_each_other() {
    let mut numbers = Numbers(9);
    let plate = cuboid(5.0, 5.0, 0.01);
    for run in 0..20 {
        let speed = if run % 2 == 0 { 100.0 } else { 20.0 };
        let mut scene = Scene::new(weightless());
        let mut plates = Vec::new();
        for side in [-1.0, 1.0] {
            let pose = turned(
                at(numbers.next(), numbers.next(), 0.3 * side),
                numbers.vector() * 0.02,
            );
            let spin = Vec3::new(0.0, 0.0, 50.0 * side) + numbers.vector();
            let spec = BodySpec::dynamic(plate.clone(), pose, 500.0);
            plates.push(scene.add(moving(spec, Vec3::z() * (-side * speed), spin)));
        }
        let mut passed = 0.0;
        // The side of the first plate on which the second one's centre lies. That centre stays
        // above the first plate's face at all times.
        for _ in 0..4 {
            passed += scene.world.step(0.01).duration_s;
            assert_eq!(scene.audit.penetrations(&scene.world), [], "run {run}");
            let below = scene.world.body(plates[0]).unwrap().world_from_body;
            let apart = below.rotation.inverse() * (scene.x(plates[1]) - scene.x(plates[0]));
            assert!(
                apart.z > 0.0 && apart.x.abs().max(apart.y.abs()) < 5.0,
                "run {run}: {apart}"
            );
        }
        // Stopping costs time, but not all of it.
        assert!(passed > 0.01, "run {run}: {passed} s");
    }
}

/// Two rings through each other, pulled apart with force.
#[test]
fn linked_rings_stay_linked() {
    let ring = index(shapes::torus(0.1, 0.01, 24, 8).unwrap());
    let mut scene = Scene::new(weightless());
    let first = scene.add(BodySpec::dynamic(ring.clone(), at(0.0, 0.0, 0.0), 1000.0));
    let across = turned(at(0.1, 0.0, 0.0), Vec3::x() * std::f64::consts::FRAC_PI_2);
    let second = scene.add(BodySpec::dynamic(ring, across, 1000.0));
    let pull = |x: f64| Wrench {
        force: Vec3::new(x, 0.3 * x, 0.0),
        torque: Vec3::new(0.0, 0.0, 0.01 * x),
    };
    scene.world.set_wrench(first, &pull(-30.0)).unwrap();
    scene.world.set_wrench(second, &pull(30.0)).unwrap();
    let mut lost = 0.0;
    for k in 0..400 {
        lost += H - scene.world.step(H).duration_s;
        if k % 20 == 0 {
            assert_eq!(scene.audit.penetrations(&scene.world), []);
        }
    }
    let apart = (scene.x(first) - scene.x(second)).norm();
    assert!(apart < 0.2 && lost < 0.01);
}

/// A square peg falls through a hole that is wider by twice the safe distance on each side.
#[test]
fn a_peg_goes_through_a_hole_that_just_fits() {
    let half = 0.05;
    let safe = Distances::new((2.0 * half * half + 0.1 * 0.1_f64).sqrt(), 0.0).safe_m;
    let mut scene = Scene::new(Settings {
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    });
    let hole = half + 2.0 * safe;
    let block = index(shapes::block_with_hole(&Vec3::new(0.5, 0.5, 0.05), hole).unwrap());
    scene.add(with(BodySpec::fixed(block, at(0.0, 0.0, 0.0)), 0.0, 0.0));
    let peg = scene.add(with(
        BodySpec::dynamic(cuboid(half, half, 0.1), at(0.0, 0.0, 0.16), 1000.0),
        0.0,
        0.0,
    ));
    for k in 0..400 {
        assert_eq!(scene.world.step(H).duration_s, H);
        if k % 20 == 0 {
            assert_eq!(scene.audit.penetrations(&scene.world), []);
        }
    }
    let fallen = 0.16 - scene.x(peg).z;
    assert!((fallen / (0.5 * G * 0.16) - 1.0).abs() < 0.02, "{fallen}");
}

/// Elastic bodies without friction in a box keep their energy and never gain any.
#[test]
fn elastic_bodies_keep_their_energy() {
    for (e, least) in [(1.0, 0.999), (0.5, 0.0)] {
        let mut scene = Scene::new(weightless());
        for (axis, sign) in (0..3).flat_map(|a| [(a, -1.0), (a, 1.0)]) {
            let mut half = Vec3::repeat(0.7);
            half[axis] = 0.1;
            let mut place = Vec3::zeros();
            place[axis] = 0.6 * sign;
            let wall = index(shapes::cuboid(&half).unwrap());
            scene.add(with(
                BodySpec::fixed(wall, Pose::translation(place.x, place.y, place.z)),
                0.0,
                e,
            ));
        }
        let mut numbers = Numbers(4);
        let shape = [cube(0.06), index(shapes::icosphere(0.07, 1).unwrap())];
        let ids: Vec<BodyId> = (0..8)
            .map(|k| {
                let place = |b: i32| if k & b == 0 { -0.2 } else { 0.2 };
                let spec = BodySpec::dynamic(
                    shape[k as usize % 2].clone(),
                    at(place(1), place(2), place(4)),
                    1000.0,
                );
                scene.add(with(
                    moving(spec, numbers.vector() * 2.0, numbers.vector() * 5.0),
                    0.0,
                    e,
                ))
            })
            .collect();
        let first = scene.world.energy_j();
        let (mut energy, mut gain) = (first, 0.0_f64);
        for k in 0..1500 {
            scene.world.step(H);
            let now = scene.world.energy_j();
            gain = gain.max(now / energy - 1.0);
            energy = now;
            if k % 100 == 0 {
                let found = scene.audit.penetrations(&scene.world);
                // The walls overlap each other.
                assert!(
                    found
                        .iter()
                        .all(|(a, b, _)| !ids.contains(a) && !ids.contains(b)),
                    "{found:?}"
                );
            }
        }
        assert!(gain < 1e-9 && energy > least * first);
    }
}

/// Bodies that have dozens of contacts when they stand, thrown with fast spin at 30 steps per
/// second: a step turns them by a quarter of a radian.
#[test]
fn what_spins_fast_and_bounces_never_gains_energy() {
    let shapes = [
        index(shapes::cylinder(0.1, 0.06, 64).unwrap()),
        index(shapes::torus(0.1, 0.03, 32, 12).unwrap()),
        cuboid(0.12, 0.06, 0.02),
    ];
    let step_s = 1.0 / 30.0;
    let mut lost = 0.0;
    let mut numbers = Numbers(2);
    for run in 0..60 {
        let mut scene = Scene::new(Settings::default());
        let friction = if run % 2 == 0 { 0.0 } else { 0.4 };
        let restitution = numbers.next().abs();
        let floor = BodySpec::fixed(cuboid(20.0, 20.0, 0.5), at(0.0, 0.0, -0.5));
        scene.add(with(floor, friction, restitution));
        let start = turned(
            at(0.0, 0.0, 0.4 + 0.2 * numbers.next()),
            numbers.vector() * 1.5,
        );
        let spec = BodySpec::dynamic(shapes[run % 3].clone(), start, 300.0);
        let spec = with(spec, friction, restitution);
        scene.add(moving(spec, numbers.vector() * 3.0, numbers.vector() * 9.0));
        let first = scene.world.energy_j();
        let mut energy = first;
        for k in 0..60 {
            let plan = scene.world.step(step_s);
            lost += step_s - plan.duration_s;
            assert_eq!(plan.counters.held, 0, "run {run}, step {k}");
            let now = scene.world.energy_j();
            let gain = (now - energy) / first;
            assert!(gain <= 1e-9, "run {run}, step {k}: {gain}");
            energy = now;
            if k % 20 == 0 {
                assert_eq!(scene.audit.penetrations(&scene.world), []);
            }
        }
    }
    // Out of two minutes.
    assert!(lost < 0.1, "{lost} s");
}

/// Not only at the ends: all bodies are apart at many times within every segment.
#[test]
fn the_screws_of_a_plan_keep_everybody_apart_at_every_moment() {
    let mut scene = Scene::new(Settings::default());
    scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.1), at(0.0, 0.0, -0.1)));
    let shapes = [
        cube(0.06),
        cuboid(0.1, 0.05, 0.03),
        index(shapes::icosphere(0.07, 1).unwrap()),
    ];
    let mut numbers = Numbers(21);
    let mut bodies = Vec::new();
    for k in 0..6 {
        let shape = shapes[k % 3].clone();
        let pose = turned(
            at(
                0.05 * numbers.next(),
                0.05 * numbers.next(),
                0.2 + 0.25 * k as f64,
            ),
            numbers.vector(),
        );
        let spec = moving(
            BodySpec::dynamic(shape.clone(), pose, 1000.0),
            Vec3::z() * -3.0,
            numbers.vector() * 10.0,
        );
        bodies.push((
            scene.add(spec),
            hapticd_audit::Solid::new(shape.mesh().unwrap()),
        ));
    }
    let mut looked = 0;
    for _ in 0..150 {
        let mut poses: Vec<Pose> = bodies
            .iter()
            .map(|(id, _)| scene.world.body(*id).unwrap().world_from_body)
            .collect();
        let plan = scene.world.plan(4e-3);
        for segment in plan.segments() {
            let screws = plan.screws(segment);
            for t in [0.25, 0.5, 0.75, 1.0] {
                let there: Vec<Pose> = (bodies.iter().zip(&poses))
                    .map(|((id, _), pose)| screws[id.slot as usize].pose_at(pose, t))
                    .collect();
                for i in 0..bodies.len() {
                    for j in i + 1..bodies.len() {
                        let hit = intersects(
                            &Tool::Mesh(&bodies[i].1),
                            &there[i],
                            &bodies[j].1,
                            &there[j],
                        );
                        assert_eq!(hit, None);
                        looked += 1;
                    }
                }
                if t == 1.0 {
                    poses = there;
                }
            }
        }
        scene.world.commit(&hapticd_rigid::Executed::ALL);
        for ((id, _), pose) in bodies.iter().zip(&poses) {
            let is = scene.world.body(*id).unwrap().world_from_body;
            assert!((is.translation.vector - pose.translation.vector).norm() < 1e-12);
        }
    }
    assert!(looked > 150 * 4 * 15);
}

/// A light body under a heavy one, and a tall stack.
#[test]
fn a_heavy_body_rests_on_a_light_one() {
    let mut scene = Scene::new(Settings {
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    });
    scene.add(BodySpec::fixed(cuboid(5.0, 5.0, 0.5), at(0.0, 0.0, -0.5)));
    let shape = cube(0.1);
    let ids: Vec<BodyId> = (0..5)
        .map(|k| {
            let density = if k == 4 { 10_000.0 } else { 100.0 };
            scene.add(BodySpec::dynamic(
                shape.clone(),
                at(0.0, 0.0, 0.1001 + 0.2001 * f64::from(k)),
                density,
            ))
        })
        .collect();
    let start = scene.x(ids[4]);
    let mut residual = 0.0;
    for _ in 0..1000 {
        residual = scene.world.step(H).residual_m_s;
    }
    let moved = (scene.x(ids[4]) - start).norm();
    assert!(moved < 1e-3 && residual < 1e-4);
    assert_eq!(scene.audit.penetrations(&scene.world), []);
}
