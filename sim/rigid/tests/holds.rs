//! Guarantees of holds: exact at rest, stable for any stiffness and step, whole force on what the
//! body presses against, and never through anything.

mod common;

use common::*;
use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_rigid::{BodyId, BodySpec, Hold, Order, Settings, Twist};

fn hold(target: Pose, stiffness: f64) -> Hold {
    Hold {
        grip: None,
        target,
        velocity: Twist::ZERO,
        stiffness_n_per_m: stiffness,
        stiffness_nm_per_rad: 0.0,
        most_n: f64::INFINITY,
    }
}

/// Steps a world with the same holds in each step.
fn run(scene: &mut Scene, body: BodyId, holds: &[Hold], step_s: f64, steps: usize) {
    for _ in 0..steps {
        scene.world.set_holds(body, holds).unwrap();
        scene.world.step(step_s);
    }
}

/// A cube of 1 kg.
fn kilogram(pose: Pose) -> BodySpec {
    BodySpec::dynamic(cube(0.05), pose, 1000.0)
}

#[test]
fn a_held_body_sags_by_its_weight_over_the_stiffness() {
    for (stiffness, step_s) in [(500.0, 0.002), (2000.0, 0.016), (1e5, 0.004)] {
        let mut scene = Scene::new(Settings::default());
        let body = scene.add(kilogram(at(0.0, 0.0, 1.0)));
        let held = [hold(at(0.0, 0.0, 1.0), stiffness)];
        run(&mut scene, body, &held, step_s, 5000);
        let sag = 1.0 - scene.x(body).z;
        let wanted = G / stiffness;
        assert!(
            (sag - wanted).abs() < 1e-9,
            "{stiffness}: {sag} of {wanted}"
        );
    }
}

#[test]
fn two_holds_share_the_weight() {
    let mut scene = Scene::new(Settings::default());
    let body = scene.add(kilogram(at(0.0, 0.0, 1.0)));
    let held = [
        hold(at(0.0, 0.0, 1.0), 500.0),
        hold(at(0.0, 0.0, 1.0), 1500.0),
    ];
    run(&mut scene, body, &held, 0.004, 2000);
    let sag = 1.0 - scene.x(body).z;
    assert!((sag - G / 2000.0).abs() < 1e-9, "{sag}");
}

/// A bar that is held at its end turns until the spring's torque carries its weight.
#[test]
fn a_bar_held_at_its_end_turns_by_its_weight() {
    let mut scene = Scene::new(Settings::default());
    let bar = BodySpec::dynamic(cuboid(0.1, 0.01, 0.01), at(0.0, 0.0, 1.0), 1000.0);
    let mass = 0.2 * 0.02 * 0.02 * 1000.0;
    let body = scene.add(bar);
    let held = Hold {
        grip: Some(Vec3::new(-0.1, 0.0, 0.0)),
        stiffness_nm_per_rad: 2.0,
        ..hold(at(0.0, 0.0, 1.0), 800.0)
    };
    run(&mut scene, body, &[held], 0.004, 4000);
    let view = scene.world.body(body).unwrap();
    let turn = view.world_from_body.rotation.scaled_axis();
    // The lever gets shorter as the bar turns: theta = m g L cos(theta) / k.
    let mut wanted = 0.0_f64;
    for _ in 0..50 {
        wanted = mass * G * 0.1 * wanted.cos() / 2.0;
    }
    assert!(
        (turn - Vec3::y() * wanted).norm() < 1e-9,
        "{turn} of {wanted}"
    );
    let grip = view.world_from_body * nalgebra::Point3::new(-0.1, 0.0, 0.0);
    let sag = 1.0 - grip.z;
    assert!((sag - mass * G / 800.0).abs() < 1e-9, "{sag}");
}

/// Whatever stiffness, step and target: the energy falls, and the body comes to the target.
#[test]
fn a_hold_is_stable_for_any_stiffness_and_step() {
    let settings = Settings {
        gravity: Vec3::zeros(),
        ..Settings::default()
    };
    let mut numbers = Numbers(5);
    for run in 0..150 {
        let mut scene = Scene::new(settings);
        let bar = cuboid(0.1, 0.02 + 0.01 * numbers.next(), 0.02);
        let body = scene.add(BodySpec {
            twist: Twist {
                linear: numbers.vector(),
                angular: numbers.vector() * 3.0,
            },
            ..BodySpec::dynamic(bar, at(0.0, 0.0, 0.0), 1000.0)
        });
        let step_s = 10_f64.powf(-2.5 + 0.8 * numbers.next());
        let stiffness = 10_f64.powf(3.5 + 2.5 * numbers.next());
        // The spring weighs a turn like a shift at 5 mm to 10 cm, as those of arms do.
        let gyration_m = 10_f64.powf(-1.65 + 0.65 * numbers.next());
        let held = Hold {
            grip: (run % 3 > 0).then(|| numbers.vector() * 0.1),
            stiffness_nm_per_rad: match run % 2 {
                0 => stiffness * gyration_m * gyration_m,
                _ => 0.0,
            },
            ..hold(turned(at(0.05, 0.02, -0.04), numbers.vector()), stiffness)
        };
        let mut farthest = 0.0_f64;
        for _ in 0..20_000 {
            scene.world.set_holds(body, &[held]).unwrap();
            scene.world.step(step_s);
            farthest = farthest.max(scene.x(body).norm());
        }
        let off = held.target.inverse() * scene.world.body(body).unwrap().world_from_body;
        let (shift, turn) = (off.translation.vector.norm(), off.rotation.angle());
        assert!(farthest < 2.0, "{run}: {farthest} m, {held:?}, {step_s} s");
        assert!(
            shift < 1e-3 && turn < 1e-2,
            "{run}: {shift} m, {turn} rad, {held:?}, {step_s} s"
        );
    }
}

/// Action and reaction: what the body is pressed against feels the spring's whole force, whatever
/// the step.
#[test]
fn a_held_body_presses_with_the_whole_force() {
    for step_s in [0.001, 0.004, 0.016] {
        let mut scene = Scene::new(Settings::default());
        scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.1), at(0.0, 0.0, -0.1)));
        let body = scene.add(kilogram(at(0.0, 0.0, 0.051)));
        let held = [hold(at(0.0, 0.0, 0.041), 1000.0)];
        run(&mut scene, body, &held, step_s, 1000);
        let z = scene.x(body).z;
        let pushed = 1000.0 * (z - 0.041) + G;
        let plan = scene.world.last_plan();
        let up: f64 = plan.contacts().iter().map(|c| c.impulse.z.abs()).sum();
        assert!(
            (up / step_s - pushed).abs() < 1e-6 * pushed,
            "{step_s}: {} of {pushed}",
            up / step_s
        );
        assert_eq!(scene.audit.penetrations(&scene.world), []);
    }
}

#[test]
fn a_hold_pulls_with_no_more_than_its_largest_force() {
    let mut scene = Scene::new(Settings::default());
    scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.1), at(0.0, 0.0, -0.1)));
    let body = scene.add(kilogram(at(0.0, 0.0, 0.051)));
    let held = Hold {
        most_n: 5.0,
        ..hold(at(0.0, 0.0, 0.5), 1000.0)
    };
    run(&mut scene, body, &[held], 0.004, 1000);
    // 5 N do not lift 9.81 N.
    assert!(scene.x(body).z < 0.0501, "{}", scene.x(body).z);
    let plan = scene.world.last_plan();
    let up: f64 = plan.contacts().iter().map(|c| c.impulse.z.abs()).sum();
    assert!((up / 0.004 - (G - 5.0)).abs() < 1e-6, "{}", up / 0.004);
}

/// A body that is torn about among others goes through none of them.
#[test]
fn a_held_body_never_goes_through_another() {
    let mut numbers = Numbers(11);
    let mut scene = Scene::new(Settings::default());
    scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.1), at(0.0, 0.0, -0.1)));
    let body = scene.add(kilogram(at(0.0, 0.0, 0.06)));
    for k in 0..4 {
        let angle = f64::from(k) * 1.6;
        scene.add(kilogram(at(0.2 * angle.cos(), 0.2 * angle.sin(), 0.051)));
    }
    for k in 0..300 {
        let target = turned(
            at(
                0.3 * numbers.next(),
                0.3 * numbers.next(),
                0.1 * numbers.next(),
            ),
            numbers.vector() * 2.0,
        );
        let held = [hold(target, 10_f64.powf(3.0 + numbers.next()))];
        run(&mut scene, body, &held, 0.004, 5);
        assert_eq!(scene.audit.penetrations(&scene.world), [], "{k}");
    }
}

/// In a first-order world a held body goes to its target, and stays there.
#[test]
fn a_hold_draws_in_a_first_order_world() {
    let settings = Settings {
        order: Order::First,
        drag_per_s: 20.0,
        ..Settings::default()
    };
    let mut scene = Scene::new(settings);
    let body = scene.add(kilogram(at(0.0, 0.0, 1.0)));
    let target = turned(at(0.1, 0.0, 1.0), Vec3::x() * 0.5);
    run(&mut scene, body, &[hold(target, 1000.0)], 0.004, 500);
    let off = target.inverse() * scene.world.body(body).unwrap().world_from_body;
    assert!(off.translation.vector.norm() < 1e-6, "{off:?}");
    assert!(off.rotation.angle() < 1e-6, "{off:?}");
}

/// A held body follows a target that moves steadily without a lag: its velocity is told.
#[test]
fn a_held_body_follows_a_moving_target() {
    let settings = Settings {
        gravity: Vec3::zeros(),
        ..Settings::default()
    };
    let mut scene = Scene::new(settings);
    let body = scene.add(kilogram(at(0.0, 0.0, 0.0)));
    let (speed, spin) = (0.3, 1.0);
    let at_time = |t: f64| {
        Pose::from_parts(
            Vec3::new(speed * t, 0.0, 0.0).into(),
            Quat::from_scaled_axis(Vec3::z() * (spin * t)),
        )
    };
    for k in 1..=1000 {
        let held = Hold {
            velocity: Twist {
                linear: Vec3::x() * speed,
                angular: Vec3::z() * spin,
            },
            ..hold(at_time(f64::from(k) * 0.004), 800.0)
        };
        scene.world.set_holds(body, &[held]).unwrap();
        scene.world.step(0.004);
    }
    let off = at_time(4.0).inverse() * scene.world.body(body).unwrap().world_from_body;
    assert!(off.translation.vector.norm() < 1e-6, "{off:?}");
    assert!(off.rotation.angle() < 1e-6, "{off:?}");
}

#[test]
fn numbers_that_make_no_sense_are_refused() {
    let mut scene = Scene::new(Settings::default());
    let body = scene.add(kilogram(at(0.0, 0.0, 1.0)));
    let floor = scene.add(BodySpec::fixed(cube(0.1), at(0.0, 0.0, 0.0)));
    let good = hold(at(0.0, 0.0, 1.0), 1000.0);
    for bad in [
        Hold {
            stiffness_n_per_m: f64::NAN,
            ..good
        },
        Hold {
            stiffness_n_per_m: -1.0,
            ..good
        },
        Hold {
            stiffness_nm_per_rad: f64::INFINITY,
            ..good
        },
        Hold {
            most_n: f64::NAN,
            ..good
        },
        Hold {
            grip: Some(Vec3::repeat(f64::NAN)),
            ..good
        },
        Hold {
            target: at(f64::INFINITY, 0.0, 0.0),
            ..good
        },
    ] {
        assert!(scene.world.set_holds(body, &[bad]).is_err(), "{bad:?}");
    }
    assert!(scene.world.set_holds(floor, &[good]).is_err());
    assert!(scene.world.set_holds(body, &[good]).is_ok());
}
