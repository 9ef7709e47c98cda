//! Rigid bodies, free and on planes.

use hapticd_xpbd::Vec3;
use hapticd_xpbd::{
    BodyId, BodyKind, BodyState, Contact, ContactPoint, Pull, Settings, XpbdWorld, keep_four,
};
use nalgebra::UnitQuaternion;

use crate::{FRAME, G, corners, cuboid, earth, near, on_plane, weightless};

/// A spinning book, thrown about its intermediate axis: the hardest free rotation.
#[test]
fn a_free_body_keeps_momentum_to_rounding_and_energy_nearly() {
    let mut world = weightless();
    let half = Vec3::new(0.1, 0.15, 0.02);
    let state = BodyState {
        velocity: Vec3::new(0.3, 0.0, -1.0),
        spin: Vec3::new(10.0, 0.05, 0.02),
        ..BodyState::at(Vec3::new(1.0, 0.0, 0.0))
    };
    let body = world.add_body(&cuboid(0.5, half), &state).unwrap();
    let (p, l, e) = (
        world.momentum(),
        world.angular_momentum(),
        world.kinetic_energy(),
    );
    let mut worst: f64 = 0.0;
    let mut tumbled = false;
    for _ in 0..600 {
        world.step(FRAME, 10, &[]).unwrap();
        worst = worst.max((world.kinetic_energy() / e - 1.0).abs());
        let x = world.body(body).unwrap().rotation * Vec3::x();
        tumbled |= x.x < -0.9;
    }
    assert!((world.momentum() - p).norm() < 1e-12);
    assert!((world.angular_momentum() - l).norm() < 1e-12 * l.norm() + 1e-12);
    assert!(tumbled, "it did not turn over");
    assert!(worst < 2e-3, "energy wandered by {worst}");
}

/// About a principal axis, a body rotates by exactly the angle that its angular velocity gives.
#[test]
fn a_spin_about_a_principal_axis_is_exact() {
    let mut world = weightless();
    let state = BodyState {
        spin: Vec3::new(0.0, 0.0, 7.0),
        ..BodyState::at(Vec3::zeros())
    };
    let body = world
        .add_body(&cuboid(2.0, Vec3::new(0.1, 0.2, 0.3)), &state)
        .unwrap();
    for _ in 0..60 {
        world.step(FRAME, 4, &[]).unwrap();
    }
    let expected = UnitQuaternion::from_scaled_axis(Vec3::new(0.0, 0.0, 7.0));
    assert!(world.body(body).unwrap().rotation.angle_to(&expected) < 1e-12);
}

/// An off-centre push for one step gives the impulse and its moment.
#[test]
fn a_push_gives_its_impulse_and_moment() {
    let mut world = weightless();
    let state = BodyState::at(Vec3::new(0.5, 0.0, 0.0));
    let body = world
        .add_body(&cuboid(2.0, Vec3::new(0.1, 0.2, 0.3)), &state)
        .unwrap();
    let (force, at) = (Vec3::new(1.0, -2.0, 3.0), Vec3::new(0.6, 0.1, -0.2));
    world.push_body(body, force, at).unwrap();
    world.step(FRAME, 8, &[]).unwrap();
    world.step(FRAME, 8, &[]).unwrap();
    assert!((world.momentum() - force * FRAME).norm() < 1e-15);
    // The drift of the centre during the step adds a second-order term to the moment.
    let moment = at.cross(&force) * FRAME;
    assert!((world.angular_momentum() - moment).norm() < 1e-3 * moment.norm());
}

/// Two boxes that hit each other off centre: one gains what the other loses.
#[test]
fn a_collision_of_free_bodies_keeps_both_momenta() {
    for restitution in [0.0, 0.7] {
        let mut world = weightless();
        let half = Vec3::repeat(0.1);
        let a = world.add_body(
            &cuboid(1.0, half),
            &BodyState {
                velocity: Vec3::new(2.0, 0.0, 0.3),
                spin: Vec3::new(0.0, 1.0, 0.5),
                ..BodyState::at(Vec3::new(-0.102, 0.03, 0.02))
            },
        );
        let a = a.unwrap();
        let b = world.add_body(&cuboid(3.0, half), &BodyState::at(Vec3::new(0.1, 0.0, 0.0)));
        let b = b.unwrap();
        let (p, l, e) = (
            world.momentum(),
            world.angular_momentum(),
            world.kinetic_energy(),
        );
        let contact = |y: f64| {
            let at = Vec3::new(0.1, y, 0.05);
            Contact {
                a: ContactPoint::Body { body: a, local: at },
                b: ContactPoint::Body {
                    body: b,
                    local: Vec3::new(-0.1, y + 0.03, 0.07),
                },
                normal: -Vec3::x(),
                gap_m: 0.0,
                friction: 0.4,
                restitution,
            }
        };
        let list = [contact(-0.1), contact(0.05)];
        world.step(FRAME, 20, &list).unwrap();
        let pushed = world.impulses().iter().sum::<Vec3>();
        assert!(pushed.x < -0.5, "{pushed:?}");
        assert!((world.momentum() - p).norm() < 1e-13);
        // Friction acts at two places that are slightly apart.
        let change = (world.angular_momentum() - l).norm() / l.norm();
        assert!(change < 5e-3, "{change}");
        assert!(world.kinetic_energy() < e);
        assert!((world.body(b).unwrap().velocity * 3.0 + pushed).norm() < 1e-12);
    }
}

/// Equal balls head on, one contact: velocities are exchanged, times the restitution.
#[test]
fn restitution_is_the_ratio_of_speeds() {
    for restitution in [0.0, 0.5, 1.0] {
        let mut world = weightless();
        let ball = BodyKind::Dynamic {
            mass_kg: 1.0,
            inertia_kg_m2: Vec3::repeat(4e-3),
        };
        let [a, b] = [(-0.101, 1.0), (0.1, -0.5)].map(|(x, v)| {
            let state = BodyState {
                velocity: Vec3::x() * v,
                ..BodyState::at(Vec3::x() * x)
            };
            world.add_body(&ball, &state).unwrap()
        });
        let contact = Contact {
            a: ContactPoint::Body {
                body: a,
                local: Vec3::x() * 0.1,
            },
            b: ContactPoint::Body {
                body: b,
                local: Vec3::x() * -0.1,
            },
            normal: -Vec3::x(),
            gap_m: 0.0,
            friction: 0.0,
            restitution,
        };
        world.step(FRAME, 20, &[contact]).unwrap();
        let apart = world.body(b).unwrap().velocity.x - world.body(a).unwrap().velocity.x;
        near(apart, 1.5 * restitution, 1e-9, "speed apart");
    }
}

fn slope(angle: f64) -> (Vec3, Vec3) {
    (
        Vec3::new(angle.cos(), 0.0, -angle.sin()),
        Vec3::new(angle.sin(), 0.0, angle.cos()),
    )
}

/// Sticks below the angle of friction; above it slides with `g (sin - mu cos)`.
#[test]
fn a_box_on_a_slope_sticks_or_slides_as_coulomb_says() {
    let mu = 0.5_f64;
    let half = Vec3::new(0.1, 0.1, 0.05);
    for (share, sticks) in [(0.97, true), (1.03, false), (1.4, false)] {
        let angle = mu.atan() * share;
        let (down, n) = slope(angle);
        let mut world = earth();
        let rotation = UnitQuaternion::from_scaled_axis(Vec3::y() * angle);
        let state = BodyState {
            rotation,
            ..BodyState::at(n * half.z)
        };
        let body = world.add_body(&cuboid(1.0, half), &state).unwrap();
        let mut list = Vec::new();
        let steps = 60;
        for _ in 0..steps {
            list.clear();
            on_plane(
                &world,
                body,
                &half,
                (&Vec3::zeros(), &n),
                mu,
                1e-3,
                &mut list,
            );
            world.step(FRAME, 20, &list).unwrap();
        }
        let t = f64::from(steps) * FRAME;
        let way = (world.body(body).unwrap().position - state.position).dot(&down);
        let speed = world.body(body).unwrap().velocity.dot(&down);
        let expected = G * (angle.sin() - mu * angle.cos());
        if sticks {
            assert!(way.abs() < 1e-4, "crept {way} m");
        } else {
            near(speed, expected * t, 0.02 * expected * t + 1e-3, "speed");
        }
    }
}

#[test]
fn a_box_comes_to_rest_on_a_plane_and_stays() {
    let mut world = earth();
    let half = Vec3::new(0.1, 0.07, 0.05);
    let state = BodyState {
        rotation: UnitQuaternion::from_euler_angles(0.3, 0.2, 0.1),
        spin: Vec3::new(1.0, -2.0, 0.5),
        ..BodyState::at(Vec3::new(0.0, 0.0, 0.4))
    };
    let body = world.add_body(&cuboid(1.0, half), &state).unwrap();
    let mut list = Vec::new();
    let mut settled = Vec3::zeros();
    for i in 0..900 {
        list.clear();
        on_plane(
            &world,
            body,
            &half,
            (&Vec3::zeros(), &Vec3::z()),
            0.5,
            0.02,
            &mut list,
        );
        world.step(FRAME, 20, &list).unwrap();
        if i == 300 {
            settled = world.body(body).unwrap().position;
        }
    }
    let drift = (world.body(body).unwrap().position - settled).norm();
    let lowest = corners(&half)
        .map(|c| world.body(body).unwrap().point(&c).z)
        .into_iter()
        .fold(f64::INFINITY, f64::min);
    assert!(drift < 1e-9, "drifted {drift} m in 10 s");
    assert!(lowest.abs() < 1e-9, "{lowest}");
    assert!(world.kinetic_energy() < 1e-9);
}

fn stack(world: &mut XpbdWorld, count: u32, half: &Vec3) -> Vec<BodyId> {
    (0..count)
        .map(|i| {
            let state = BodyState::at(Vec3::z() * (half.z * f64::from(2 * i + 1)));
            world.add_body(&cuboid(1.0, *half), &state).unwrap()
        })
        .collect()
}

fn stack_contacts(world: &XpbdWorld, bodies: &[BodyId], half: &Vec3, list: &mut Vec<Contact>) {
    list.clear();
    on_plane(
        world,
        bodies[0],
        half,
        (&Vec3::zeros(), &Vec3::z()),
        0.5,
        0.01,
        list,
    );
    for pair in bodies.windows(2) {
        let (under, over) = (world.body(pair[0]).unwrap(), world.body(pair[1]).unwrap());
        let normal = under.rotation * Vec3::z();
        for local in corners(half).into_iter().filter(|c| c.z < 0.0) {
            let mut below = under.rotation.inverse() * (over.point(&local) - under.position);
            if below.z - half.z < 0.01 {
                below.z = half.z;
                list.push(Contact {
                    a: ContactPoint::Body {
                        body: pair[1],
                        local,
                    },
                    b: ContactPoint::Body {
                        body: pair[0],
                        local: below,
                    },
                    normal,
                    gap_m: 0.0,
                    friction: 0.5,
                    restitution: 0.0,
                });
            }
        }
    }
}

/// With four sweeps the top drifts by a fifth of a millimetre a second, with eight by a tenth of
/// that.
#[test]
fn a_stack_of_five_boxes_stands() {
    for (sweeps, most_drift, most_turn) in [(4, 2e-3, 0.03), (8, 3e-4, 1e-3)] {
        let mut world = XpbdWorld::new(Settings {
            contact_sweeps: sweeps,
            ..Settings::default()
        })
        .unwrap();
        let half = Vec3::repeat(0.05);
        let bodies = stack(&mut world, 5, &half);
        let mut list = Vec::new();
        let mut settled = Vec::new();
        for i in 0..600 {
            if i == 300 {
                settled = bodies.iter().map(|b| *world.body(*b).unwrap()).collect();
            }
            stack_contacts(&world, &bodies, &half, &mut list);
            world.step(FRAME, 20, &list).unwrap();
        }
        for (i, body) in bodies.iter().enumerate() {
            let state = world.body(*body).unwrap();
            let sunk = 0.05 * (2 * i + 1) as f64 - state.position.z;
            assert!((-1e-5..1e-4).contains(&sunk), "box {i} sank by {sunk}");
            let aside = state.position.xy().norm();
            assert!(aside < 5e-3, "box {i} moved aside by {aside}");
            let turned = state.rotation.angle();
            assert!(turned < most_turn, "box {i} turned by {turned}");
            let drift = (state.position - settled[i].position).norm();
            assert!(drift < most_drift, "box {i} drifted {drift} m in 5 s");
        }
        // The ground carries all boxes.
        let carried: f64 = world.impulses()[..4].iter().map(|p| p.z).sum();
        near(
            carried / FRAME,
            5.0 * G,
            0.01 * 5.0 * G,
            "force on the ground",
        );
    }
}

/// For a face covered with contacts, four give the same rest.
#[test]
fn four_contacts_carry_what_many_do() {
    let half = Vec3::new(0.1, 0.1, 0.05);
    let rest = [false, true].map(|reduce| {
        let mut world = earth();
        let state = BodyState::at(Vec3::z() * 0.06);
        let body = world.add_body(&cuboid(1.0, half), &state).unwrap();
        for _ in 0..120 {
            let points: Vec<Vec3> = (0..81)
                .map(|i| {
                    Vec3::new(
                        0.025 * f64::from(i % 9) - 0.1,
                        0.025 * f64::from(i / 9) - 0.1,
                        -0.05,
                    )
                })
                .collect();
            let world_points: Vec<Vec3> = (points.iter())
                .map(|p| world.body(body).unwrap().point(p))
                .collect();
            let depths: Vec<f64> = world_points.iter().map(|p| -p.z).collect();
            let all: Vec<u32> = (0..81).collect();
            let kept = keep_four(&world_points, &depths);
            let kept = if reduce { kept.indices() } else { &all };
            let list: Vec<Contact> = (kept.iter())
                .map(|&i| {
                    let at = world_points[i as usize];
                    Contact {
                        a: ContactPoint::Body {
                            body,
                            local: points[i as usize],
                        },
                        b: ContactPoint::World(Vec3::new(at.x, at.y, 0.0)),
                        normal: Vec3::z(),
                        gap_m: 0.0,
                        friction: 0.5,
                        restitution: 0.0,
                    }
                })
                .collect();
            assert!(!reduce || list.len() == 4);
            world.step(FRAME, 20, &list).unwrap();
        }
        *world.body(body).unwrap()
    });
    for state in rest {
        near(state.position.z, 0.05, 1e-4, "height");
        assert!(state.rotation.angle() < 1e-3);
    }
}

/// A kinematic body arrives where it is driven, and carries the box on it.
#[test]
fn a_driven_lift_carries_a_box() {
    let mut world = earth();
    let half = Vec3::repeat(0.05);
    let lift = world
        .add_body(&BodyKind::Kinematic, &BodyState::at(Vec3::z() * -0.05))
        .unwrap();
    let boxed = world
        .add_body(&cuboid(1.0, half), &BodyState::at(Vec3::z() * 0.05))
        .unwrap();
    for i in 1..=60 {
        let target = Vec3::new(0.002, 0.0, 0.003) * f64::from(i) - Vec3::z() * 0.05;
        world
            .drive_body(lift, target, UnitQuaternion::identity())
            .unwrap();
        let shift = world.body(lift).unwrap().position - world.body(boxed).unwrap().position;
        let list: Vec<Contact> = (corners(&half).into_iter())
            .filter(|c| c.z < 0.0)
            .map(|local| Contact {
                a: ContactPoint::Body { body: boxed, local },
                b: ContactPoint::Body {
                    body: lift,
                    local: Vec3::new(local.x - shift.x, local.y - shift.y, 0.05),
                },
                normal: Vec3::z(),
                gap_m: 0.0,
                friction: 0.8,
                restitution: 0.0,
            })
            .collect();
        world.step(FRAME, 20, &list).unwrap();
        assert_eq!(world.body(lift).unwrap().position, target);
    }
    let way = world.body(boxed).unwrap().position - Vec3::z() * 0.05;
    // It starts with a jump to 0.12 m/s, for which friction has to compensate.
    near(way.z, 0.18, 1e-3, "height");
    near(way.x, 0.12, 5e-3, "way along");
    world.step(FRAME, 20, &[]).unwrap();
    assert_eq!(world.body(lift).unwrap().velocity, Vec3::zeros());
}

/// Objects carried by a removed body fall freely at once. A body in its place does not start with
/// the old multipliers.
#[test]
fn a_body_that_goes_carries_nothing() {
    let mut world = earth();
    let half = Vec3::repeat(0.05);
    let at = BodyState::at(Vec3::z() * -0.05);
    let first = world.add_body(&BodyKind::Kinematic, &at).unwrap();
    let state = BodyState::at(Vec3::z() * 0.05);
    let boxed = world.add_body(&cuboid(1.0, half), &state).unwrap();
    let under = |table: BodyId| -> Vec<Contact> {
        let corners = corners(&half).into_iter().filter(|c| c.z < 0.0);
        let on = |local: Vec3| Contact {
            a: ContactPoint::Body { body: boxed, local },
            b: ContactPoint::Body {
                body: table,
                local: Vec3::new(local.x, local.y, 0.05),
            },
            normal: Vec3::z(),
            gap_m: 0.0,
            friction: 0.8,
            restitution: 0.0,
        };
        corners.map(on).collect()
    };
    for _ in 0..30 {
        world.step(FRAME, 20, &under(first)).unwrap();
    }
    near(
        world.body(boxed).unwrap().velocity.norm(),
        0.0,
        1e-6,
        "at rest",
    );
    world.remove_body(first).unwrap();
    assert_eq!(world.bodies(), 1);
    assert_eq!(world.body(first), None);
    let unknown = hapticd_xpbd::BodyError::Unknown { body: 0, count: 1 };
    assert_eq!(world.remove_body(first), Err(unknown));
    assert_eq!(world.set_body(first, &at), Err(unknown));
    // A contact with it is left out.
    let report = world.step(FRAME, 20, &under(first)).unwrap();
    assert_eq!(report.contacts_refused, 4);
    near(
        world.body(boxed).unwrap().velocity.z,
        -G * FRAME,
        1e-9,
        "falls",
    );
    // Pressed again, and another body takes the id within a step: it does not hold a rising body.
    let again = world.add_body(&BodyKind::Kinematic, &at).unwrap();
    assert_eq!(again, first);
    world.set_body(boxed, &state).unwrap();
    for _ in 0..30 {
        world.step(FRAME, 20, &under(again)).unwrap();
    }
    world.remove_body(again).unwrap();
    let third = world.add_body(&BodyKind::Kinematic, &at).unwrap();
    let rising = BodyState {
        velocity: Vec3::z(),
        ..*world.body(boxed).unwrap()
    };
    world.set_body(boxed, &rising).unwrap();
    world.step(FRAME, 20, &under(third)).unwrap();
    near(
        world.body(boxed).unwrap().velocity.z,
        1.0 - G * FRAME,
        1e-9,
        "rises",
    );
}

fn held(at: Vec3) -> Pull {
    let still = (at, UnitQuaternion::identity());
    Pull {
        from: still,
        to: still,
        stiffness_n_m: 500.0,
        damping_n_s_m: 2.0,
        stiffness_nm_rad: 0.5,
        damping_nm_s_rad: 1e-3,
    }
}

/// Under a force, the displacement is force over stiffness; the hand carries the body's weight. The
/// same holds for a moment.
#[test]
fn a_drawn_body_gives_way_as_its_springs_say() {
    let mut world = earth();
    let kind = cuboid(0.02, Vec3::new(0.01, 0.02, 0.03));
    let body = world
        .add_body(&kind, &BodyState::at(Vec3::zeros()))
        .unwrap();
    let force = Vec3::new(0.5, -1.0, 2.0);
    for _ in 0..2000 {
        world.pull_body(body, &held(Vec3::zeros())).unwrap();
        // Twice, at opposite places: a force at the centre and a moment about z.
        let at = world.body(body).unwrap().position;
        let twist = Vec3::new(0.0, 1.0, 0.0);
        world
            .push_body(body, force + twist, at + Vec3::new(0.01, 0.0, 0.0))
            .unwrap();
        world
            .push_body(body, -twist, at - Vec3::new(0.01, 0.0, 0.0))
            .unwrap();
        world.step(0.004, 8, &[]).unwrap();
    }
    let state = world.body(body).unwrap();
    assert!((state.position - force / 500.0).norm() < 1e-9, "{state:?}");
    // 0.02 N m about z from the pair, plus the moment of the force at its lever of 1 cm.
    let moment = Vec3::new(0.0, 0.0, 0.02) + Vec3::new(0.01, 0.0, 0.0).cross(&force);
    let turned = state.rotation.scaled_axis();
    assert!(
        (turned - moment / 0.5).norm() < 2e-4,
        "{turned:?} {:?}",
        moment / 0.5
    );
}

/// As free as its hand: no lag behind even motion, whatever the stiffness and however long the
/// substeps.
#[test]
fn a_drawn_body_keeps_up_and_never_blows_up() {
    for (stiffness, substeps) in [(10.0, 1), (500.0, 8), (1e7, 1)] {
        let mut world = earth();
        let kind = cuboid(0.001, Vec3::repeat(0.01));
        let body = world
            .add_body(&kind, &BodyState::at(Vec3::zeros()))
            .unwrap();
        let way = Vec3::new(0.3, 0.0, -0.1);
        let turn = Vec3::new(0.0, 0.8, 0.2);
        let at = |t: f64| (way * t, UnitQuaternion::from_scaled_axis(turn * t));
        let mut largest: f64 = 0.0;
        for k in 0..1500 {
            let t = f64::from(k) * 0.004;
            let pull = Pull {
                from: at(t),
                to: at(t + 0.004),
                stiffness_n_m: stiffness,
                stiffness_nm_rad: stiffness * 1e-3,
                damping_nm_s_rad: 1e-4,
                ..held(Vec3::zeros())
            };
            world.pull_body(body, &pull).unwrap();
            world.step(0.004, substeps, &[]).unwrap();
            let state = world.body(body).unwrap();
            largest = largest.max((state.position - at(t + 0.004).0).norm());
        }
        let state = world.body(body).unwrap();
        let (goal, turned) = at(6.0);
        assert!(largest < 5e-3, "{stiffness}: {largest}");
        assert!(
            (state.position - goal).norm() < 1e-6,
            "{stiffness}: {state:?}"
        );
        assert!(
            state.rotation.angle_to(&turned) < 1e-3,
            "{stiffness}: {state:?}"
        );
    }
}

#[test]
fn an_invalid_pull_is_refused() {
    let mut world = earth();
    let kind = cuboid(0.02, Vec3::repeat(0.01));
    let body = world
        .add_body(&kind, &BodyState::at(Vec3::zeros()))
        .unwrap();
    let good = held(Vec3::zeros());
    let bad = [
        Pull {
            stiffness_n_m: -1.0,
            ..good
        },
        Pull {
            damping_n_s_m: f64::NAN,
            ..good
        },
        Pull {
            stiffness_nm_rad: f64::INFINITY,
            ..good
        },
        Pull {
            to: (Vec3::repeat(f64::NAN), good.to.1),
            ..good
        },
    ];
    for pull in bad {
        world.pull_body(body, &pull).unwrap_err();
    }
    world.pull_body(BodyId(7), &good).unwrap_err();
    // A refused pull does not act.
    world.step(FRAME, 4, &[]).unwrap();
    assert!(world.body(body).unwrap().velocity.z < -0.1);
}
