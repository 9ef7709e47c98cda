//! One or a few bodies: rest, slopes, bounces, and impacts that other tests would not detect.

mod common;

use common::*;
use hapticd_geometry::Vec3;
use hapticd_rigid::{BodyError, BodySpec, Distances, Settings, Twist};

/// A cube of half size `half` that starts at the safe distance above a floor.
fn cube_on_floor(
    half: f64,
    friction: f64,
    gravity: Vec3,
    sleep_after_s: f64,
) -> (Scene, hapticd_rigid::BodyId, hapticd_rigid::BodyId) {
    let mut scene = Scene::new(Settings {
        gravity,
        sleep_after_s,
        ..Settings::default()
    });
    let wide = 100.0 * half;
    let floor = scene.add(with(
        BodySpec::fixed(cuboid(wide, wide, half), at(0.0, 0.0, -half)),
        friction,
        0.0,
    ));
    let safe = Distances::new(half * 3f64.sqrt(), 0.0).safe_m;
    let body = scene.add(with(
        BodySpec::dynamic(cube(half), at(0.0, 0.0, half + safe), 1000.0),
        friction,
        0.0,
    ));
    (scene, floor, body)
}

#[test]
fn a_block_with_a_fifth_of_margin_does_not_creep() {
    let angle = 0.5_f64.atan();
    let (mut scene, _, body) = cube_on_floor(0.1, 0.6, tilted(angle), f64::INFINITY);
    let start = scene.x(body);
    for _ in 0..5000 {
        let plan = scene.world.step(H);
        assert_eq!(plan.duration_s, H);
    }
    let crept = (scene.x(body) - start).norm();
    assert!(crept <= 1e-6, "{crept}");
}

#[test]
fn a_sliding_block_goes_as_far_as_coulomb_says() {
    let angle = 0.5_f64.atan();
    for friction in [0.0, 0.2, 0.49] {
        let (mut scene, _, body) = cube_on_floor(0.1, friction, tilted(angle), f64::INFINITY);
        let start = scene.x(body);
        let time = if friction > 0.4 { 5.0 } else { 1.0 };
        for _ in 0..(time / H) as u32 {
            scene.world.step(H);
        }
        let gone = scene.x(body) - start;
        let expected = 0.5 * G * (angle.sin() - friction * angle.cos()) * time * time;
        assert!((gone.x / expected - 1.0).abs() < 5e-3);
        assert!(
            gone.y.abs() < 1e-9 && gone.z.abs() < 1e-5,
            "{friction} {gone:?}"
        );
    }
}

#[test]
fn a_resting_contact_lasts() {
    let (mut scene, floor, body) = cube_on_floor(0.1, 0.5, tilted(0.0), f64::INFINITY);
    let d = Distances::new(0.1 * 3f64.sqrt(), 10.0);
    let start = scene.x(body);
    let (mut searches, mut most) = (0, 0);
    for k in 0..100_000 {
        let plan = scene.world.step(H);
        assert_eq!(plan.duration_s, H);
        if k > 10 {
            searches += plan.counters.searches;
        }
        most = most.max(plan.counters.segments);
        if k % 10_000 == 0 {
            let gap = scene.audit.distance(&scene.world, body, floor);
            assert!(gap > d.alarm_m && gap < d.release_m, "{gap}");
        }
    }
    let drift = (scene.x(body) - start).norm();
    assert!(drift < 1e-9 && searches == 0 && most == 1);
}

#[test]
fn a_bounce_gives_back_its_share() {
    for (e, shape) in [(0.5, "cube"), (1.0, "cube"), (0.8, "ball"), (0.0, "cube")] {
        let mut scene = Scene::new(Settings::default());
        scene.add(with(
            BodySpec::fixed(cuboid(5.0, 5.0, 0.5), at(0.0, 0.0, -0.5)),
            0.0,
            0.0,
        ));
        let mesh = match shape {
            "cube" => cube(0.1),
            _ => index(hapticd_geometry::shapes::icosphere(0.1, 2).unwrap()),
        };
        let body = scene.add(with(
            BodySpec::dynamic(mesh, at(0.0, 0.0, 0.6), 1000.0),
            0.0,
            e,
        ));
        let mut energy = scene.world.energy_j();
        let first = energy;
        let mut fell = 0.0;
        let mut rose = 0.0_f64;
        for _ in 0..600 {
            scene.world.step(H);
            let now = scene.world.energy_j();
            // Rounding of positions and velocities.
            assert!(now <= energy + 1e-11 * first, "{now} {energy}");
            energy = now;
            let v = scene.world.body(body).unwrap().twist.linear.z;
            if rose == 0.0 {
                fell = f64::min(fell, v);
            }
            rose = rose.max(v);
        }
        // One step's gravity is the resolution.
        assert!((rose + e * fell).abs() <= 1.01 * G * H, "{rose} {fell}");
    }
}

#[test]
fn a_fall_is_exact() {
    let mut scene = Scene::new(Settings::default());
    let body = scene.add(BodySpec {
        twist: Twist {
            linear: Vec3::new(1.0, 0.0, 2.0),
            angular: Vec3::new(1.0, 2.0, 3.0),
        },
        ..BodySpec::dynamic(cuboid(0.1, 0.2, 0.3), at(0.0, 0.0, 0.0), 500.0)
    });
    let energy = scene.world.energy_j();
    for _ in 0..1000 {
        scene.world.step(H);
    }
    let x = scene.x(body);
    assert!(
        (x - Vec3::new(1.0, 0.0, 2.0 - 0.5 * G)).norm() < 1e-9,
        "{x}"
    );
    let now = scene.world.energy_j();
    assert!(
        now <= energy * (1.0 + 1e-12) && now > 0.99 * energy,
        "{now} {energy}"
    );
}

#[test]
fn nothing_tunnels() {
    // A cube at 500 m/s, spinning, against a plate of a millimetre: one step is half a metre.
    for spin in [0.0, 50.0, 300.0] {
        let mut scene = Scene::new(Settings {
            gravity: Vec3::zeros(),
            ..Settings::default()
        });
        scene.add(BodySpec::fixed(cuboid(5e-4, 2.0, 2.0), at(0.0, 0.0, 0.0)));
        let body = scene.add(BodySpec {
            twist: Twist {
                linear: Vec3::new(500.0, 0.0, 0.0),
                angular: Vec3::new(0.2, 1.0, 0.5) * spin,
            },
            ..BodySpec::dynamic(cube(0.05), at(-0.3, 0.1, 0.2), 1000.0)
        });
        for _ in 0..20 {
            scene.world.step(H);
            assert_eq!(scene.audit.penetrations(&scene.world), []);
            assert!(scene.x(body).x < 0.0);
        }
    }
}

#[test]
fn what_starts_inside_is_refused_with_the_depth() {
    let mut scene = Scene::new(Settings::default());
    let floor = scene.add(BodySpec::fixed(cuboid(1.0, 1.0, 0.5), at(0.0, 0.0, -0.5)));
    let sunk = BodySpec::dynamic(cube(0.1), at(0.013, 0.017, 0.07), 1000.0);
    match scene.world.add(&sunk) {
        Err(BodyError::Overlap(o)) => {
            assert_eq!(o.other, floor);
            assert!(o.crossings > 0 && (o.depth_m - 0.03).abs() < 1e-12, "{o:?}");
        }
        other => panic!("{other:?}"),
    }
    let swallowed = BodySpec::dynamic(cube(0.1), at(0.0, 0.0, -0.4), 1000.0);
    match scene.world.add(&swallowed) {
        Err(BodyError::Overlap(o)) => {
            assert!(o.crossings == 0 && (o.depth_m - 0.5).abs() < 1e-12, "{o:?}")
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(scene.world.ids().count(), 1);
}

/// The rows of a contact against finite differences of the gap: the distance changes as the normal
/// and the point of a report predict.
#[test]
fn gaps_change_as_the_rows_say() {
    let mut numbers = Numbers(31);
    let shapes = [
        cube(0.1),
        cuboid(0.2, 0.05, 0.1),
        index(hapticd_geometry::shapes::icosphere(0.12, 1).unwrap()),
    ];
    let (mut compared, h) = (0, 1e-7);
    for k in 0..60 {
        let mut scene = Scene::new(Settings {
            gravity: Vec3::zeros(),
            order: hapticd_rigid::Order::First,
            ..Settings::default()
        });
        let one = scene.add(BodySpec::dynamic(
            shapes[k % 3].clone(),
            turned(at(0.0, 0.0, 0.0), numbers.vector()),
            1000.0,
        ));
        let free = turned(at(0.6, 0.0, 0.0), numbers.vector());
        let two = scene.add(BodySpec::dynamic(shapes[k / 3 % 3].clone(), free, 1000.0));
        // Together, until they are in contact.
        let towards = Twist {
            linear: Vec3::new(-1.0, 0.0, 0.0),
            ..Twist::ZERO
        };
        scene.world.set_twist(two, &towards).unwrap();
        for _ in 0..700 {
            scene.world.step(H);
        }
        // Apart, each with a random twist, so slowly that nothing is in the way.
        for id in [one, two] {
            let away = Twist {
                linear: numbers.vector() + Vec3::x() * if id == one { -3.0 } else { 3.0 },
                angular: numbers.vector(),
            };
            scene.world.set_twist(id, &away).unwrap();
        }
        // Out of the range in which gaps are restored.
        scene.world.step(1e-5);
        let before = (
            scene.world.body(one).unwrap(),
            scene.world.body(two).unwrap(),
        );
        let contacts = scene.world.plan(h).contacts().to_vec();
        scene.world.commit(&hapticd_rigid::Executed::ALL);
        let after = scene.world.plan(h).contacts().to_vec();
        for c in &contacts {
            // The same contact, a moment later.
            let Some(then) = after
                .iter()
                .find(|d| (d.point - c.point).norm() < 1e-5 && d.normal.dot(&c.normal) > 0.9)
            else {
                continue;
            };
            let velocity = |b: &hapticd_rigid::BodyView| {
                b.twist.linear + b.twist.angular.cross(&(c.point - b.centre))
            };
            let sign = if c.bodies[0] == one { 1.0 } else { -1.0 };
            let rate = c.normal.dot(&(velocity(&before.0) - velocity(&before.1))) * sign;
            let measured = (then.gap_m - c.gap_m) / h;
            assert!(
                (rate - measured).abs() < 1e-4 * (1.0 + rate.abs()),
                "{k}: {rate} {measured}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 40, "{compared}");
}

#[test]
fn numbers_that_make_no_sense_are_refused_and_move_nothing() {
    use hapticd_geometry::{MassProperties, Pose, Quat};
    use hapticd_rigid::{BodyId, BodyKind, Executed, Mass, RigidWorld, Wrench};
    let mut scene = Scene::new(Settings::default());
    let good = BodySpec::dynamic(cube(0.1), at(0.0, 0.0, 0.0), 1000.0);
    let properties = |mass, inertia: f64| {
        Some(Mass::Given(MassProperties {
            mass,
            center: Vec3::zeros(),
            inertia: hapticd_geometry::Mat3::identity() * inertia,
        }))
    };
    let pose = |x: f64| Pose::from_parts(Vec3::repeat(x).into(), Quat::identity());
    let open = index(hapticd_geometry::shapes::sheet(1.0, 2).unwrap());
    for (bad, message) in [
        (
            BodySpec {
                mass: None,
                ..good.clone()
            },
            "needs a mass",
        ),
        (
            BodySpec {
                mass: properties(0.0, 1.0),
                ..good.clone()
            },
            "mass 0 kg",
        ),
        (
            BodySpec {
                mass: properties(1.0, -1.0),
                ..good.clone()
            },
            "inertia of -1",
        ),
        (
            BodySpec {
                mass: properties(f64::NAN, 1.0),
                ..good.clone()
            },
            "NaN",
        ),
        (
            BodySpec {
                world_from_body: pose(f64::NAN),
                ..good.clone()
            },
            "pose is not finite",
        ),
        (
            BodySpec {
                shape: open,
                ..good.clone()
            },
            "8 edges with one face",
        ),
        (with(good.clone(), -0.1, 0.0), "friction = -0.1"),
        (with(good.clone(), 0.1, 1.1), "restitution = 1.1"),
    ] {
        let error = scene.world.add(&bad).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    }
    assert!(
        RigidWorld::new(Settings {
            tolerance: f64::NAN,
            ..Settings::default()
        })
        .is_err()
    );
    let id = scene.add(good);
    let infinite = Twist {
        linear: Vec3::repeat(f64::INFINITY),
        ..Twist::ZERO
    };
    assert_eq!(
        scene.world.set_twist(id, &infinite),
        Err(BodyError::NotFinite("twist"))
    );
    let gone = BodyId {
        generation: 9,
        ..id
    };
    assert_eq!(
        scene.world.set_wrench(gone, &Wrench::ZERO),
        Err(BodyError::Unknown(gone))
    );
    let floor = scene.add(BodySpec::fixed(cube(0.1), at(5.0, 0.0, 0.0)));
    let refused = scene.world.set_twist(floor, &Twist::ZERO);
    assert_eq!(
        refused,
        Err(BodyError::Kind {
            id: floor,
            kind: BodyKind::Static
        })
    );
    let before = scene.world.body(id).unwrap();
    for step in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        assert_eq!(scene.world.step(step).duration_s, 0.0);
    }
    // Without a plan, and with an invalid `Executed`.
    scene.world.commit(&Executed::ALL);
    scene.world.plan(H);
    scene.world.commit(&Executed {
        segments: 0,
        share: f64::NAN,
    });
    assert_eq!(scene.world.body(id).unwrap(), before);
    // Overflowing numbers: refused, or nothing moves.
    let wrench = |size: f64| Wrench {
        force: Vec3::repeat(size),
        torque: Vec3::repeat(size),
    };
    assert_eq!(
        scene.world.set_wrench(id, &wrench(1e308)),
        Err(BodyError::NotFinite("wrench"))
    );
    scene.world.set_wrench(id, &wrench(1e150)).unwrap();
    for step in [H, 1e300, H] {
        scene.world.step(step);
        let now = scene.world.body(id).unwrap();
        assert!(now.world_from_body.translation.vector.sum().is_finite());
        assert!(now.twist.linear.sum().is_finite() && now.twist.angular.sum().is_finite());
    }
}
