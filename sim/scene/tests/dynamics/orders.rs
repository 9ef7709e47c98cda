//! What clients do to bodies at once: impulses and velocities take effect exactly once, and a body
//! that is placed elsewhere is another one to every tool.

use super::*;
use hapticd_geometry::Quat;
use hapticd_proxy::LetGo;
use hapticd_scene::{BodyPush, CommandError, MAX_PUSH_M_S, MAX_PUSH_RAD_S, PlaceError};
use proptest::prelude::*;

/// Edge of a block, m.
const EDGE_M: f64 = 0.04;
/// Moment of inertia of a block, kg m².
const INERTIA: f64 = MASS_KG * EDGE_M * EDGE_M / 6.0;
/// Far from everything.
const AWAY: Vec3 = Vec3::new(0.0, 0.25, 0.2);

fn weightless(lag: usize, bodies: Vec<BodySpec>) -> Fixture {
    let gravity_m_s2 = Vec3::zeros();
    let order = Some(Order::Second { gravity_m_s2 });
    Fixture::of(lag, bodies, order, Interaction::Spring)
}

fn another(at: Vec3) -> BodySpec {
    BodySpec {
        name: "another".into(),
        ..block(at)
    }
}

fn kick(impulse_n_s: Vec3, point: Vec3) -> BodyPush {
    BodyPush::Impulse {
        impulse_n_s,
        moment_nm_s: Vec3::zeros(),
        point,
    }
}

fn speed(linear_m_s: Vec3) -> BodyPush {
    BodyPush::Velocity {
        linear_m_s,
        angular_rad_s: Vec3::zeros(),
    }
}

impl Fixture {
    fn push(&mut self, body: usize, push: BodyPush) {
        self.world.push_body(self.ids[body], &push).unwrap();
    }

    fn place(&mut self, body: usize, at: Vec3) -> Result<(), PlaceError> {
        let pose = Pose::translation(at.x, at.y, at.z);
        self.world.place_body(self.ids[body], &pose)
    }

    fn rest(&mut self, hand: Vec3, ticks: usize) -> ArmOutcome {
        (1..ticks).for_each(|_| {
            self.tick(hand);
        });
        self.tick(hand)
    }

    /// Mean velocity over these ticks, and angular velocity, rad/s.
    fn velocity(&mut self, body: usize, hand: Vec3, ticks: usize) -> (Vec3, Vec3) {
        let before = self.pose(body);
        self.rest(hand, ticks);
        let (after, time_s) = (self.pose(body), ticks as f64 * PERIOD_S);
        let turn = (after.rotation * before.rotation.inverse()).scaled_axis();
        let shift = after.translation.vector - before.translation.vector;
        (shift / time_s, turn / time_s)
    }
}

#[test]
fn an_impulse_gives_its_share_of_mass_and_inertia() {
    for lag in [0, 1, 3] {
        let at = Vec3::new(0.0, 0.0, 0.1);
        let mut fixture = weightless(lag, vec![block(at)]);
        fixture.rest(AWAY, 20);
        let impulse = Vec3::new(0.02, 0.01, 0.0);
        let lever = Vec3::new(0.0, 0.01, 0.02);
        fixture.push(1, kick(impulse, at + lever));
        fixture.rest(AWAY, 20);
        let (linear, angular) = fixture.velocity(1, AWAY, 40);
        let (wanted, spin) = (impulse / MASS_KG, lever.cross(&impulse) / INERTIA);
        assert!((linear - wanted).norm() < 1e-6, "lag {lag}: {linear}");
        assert!((angular - spin).norm() < 1e-4, "lag {lag}: {angular}");
        // Another one adds to it; a velocity takes its place.
        fixture.push(1, kick(impulse, fixture.at(1)));
        fixture.rest(AWAY, 20);
        let (linear, _) = fixture.velocity(1, AWAY, 40);
        // The point was where the loop had the body: no more spin.
        assert!((linear - 2.0 * wanted).norm() < 1e-6, "lag {lag}: {linear}");
        fixture.push(1, speed(Vec3::z() * 0.1));
        fixture.rest(AWAY, 20);
        let (linear, angular) = fixture.velocity(1, AWAY, 40);
        assert!((linear - Vec3::z() * 0.1).norm() < 1e-6, "lag {lag}");
        assert!(angular.norm() < 1e-6, "lag {lag}: {angular}");
    }
}

#[test]
fn a_sleeping_body_wakes_and_flies_as_high_as_it_should() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0202))]);
    fixture.rest(AWAY, 1500);
    let low = fixture.at(1);
    fixture.rest(AWAY, 100);
    assert_eq!(fixture.at(1), low, "it sleeps");
    let up = 0.6;
    fixture.push(1, kick(Vec3::z() * MASS_KG * up, low));
    let mut high = low.z;
    for _ in 0..200 {
        fixture.tick(AWAY);
        high = high.max(fixture.at(1).z);
    }
    let (rose, wanted) = (high - low.z, up * up / (2.0 * G));
    assert!((rose / wanted - 1.0).abs() < 0.03, "{rose} m, not {wanted}");
}

/// A block runs into the tool: trajectories end early and are planned again. Meanwhile another
/// block is pushed at any time. It never gets the push twice, and never loses it.
#[test]
fn a_push_survives_a_trajectory_that_a_tool_ends() {
    let mut stops = 0;
    for lag in [0, 1, 2, 4] {
        for when in 0..40 {
            let bodies = vec![
                block(Vec3::new(0.0, 0.0, 0.1)),
                another(Vec3::new(0.15, 0.0, 0.1)),
            ];
            let mut fixture = weightless(lag, bodies);
            let hand = Vec3::new(0.0, 0.0, 0.128);
            fixture.rest(hand, 15);
            fixture.push(1, speed(Vec3::z() * 0.4));
            for k in 0..60 {
                if k == when {
                    // In two parts, with a velocity before.
                    fixture.push(2, speed(Vec3::new(0.0, 0.1, 0.0)));
                    fixture.push(2, kick(Vec3::x() * MASS_KG * 0.2, fixture.at(2)));
                    fixture.push(2, kick(Vec3::x() * MASS_KG * 0.1, fixture.at(2)));
                }
                fixture.tick(hand);
                stops += u32::from(fixture.engine.output().blocked_bodies != 0);
            }
            // Where the tool is in the way no more.
            fixture.rest(hand + Vec3::z() * 0.1, 100);
            let (linear, _) = fixture.velocity(2, AWAY, 40);
            let off = (linear - Vec3::new(0.3, 0.1, 0.0)).norm();
            assert!(off < 1e-6, "lag {lag}, pushed at {when}: {linear}");
        }
    }
    assert!(stops > 500, "{stops} stops");
}

/// A block comes and is thrown at a wall while trajectories end early. The dynamics have it where
/// the loop has it: it comes to rest at the wall, not before and not in it.
#[test]
fn a_body_that_came_is_as_it_came_when_a_tool_ends_a_trajectory() {
    let wall = spec(
        "wall",
        BodyKind::Static,
        Vec3::new(0.01, 0.1, 0.05),
        Vec3::new(0.25, 0.0, 0.1),
    );
    for lag in [0, 1, 2, 4] {
        for when in 0..30 {
            let bodies = vec![
                block(Vec3::new(0.0, 0.0, 0.1)),
                another(Vec3::new(0.15, 0.1, 0.1)),
                wall.clone(),
            ];
            let mut fixture = weightless(lag, bodies);
            let hand = Vec3::new(0.0, 0.0, 0.128);
            fixture.rest(hand, 15);
            fixture.push(1, speed(Vec3::z() * 0.4));
            fixture.rest(hand, 1 + when);
            fixture.place(2, Vec3::new(0.2, 0.0, 0.1)).unwrap();
            fixture.push(2, speed(Vec3::x() * 2.0));
            fixture.rest(hand, 60);
            fixture.rest(hand + Vec3::z() * 0.1, 100);
            let gap_m = 0.22 - fixture.at(2).x;
            assert!((0.0..2e-4).contains(&gap_m), "{lag}, {when}: {gap_m} m");
        }
    }
}

#[test]
fn a_push_that_is_too_much_is_refused_with_its_number() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0202))]);
    fixture.rest(AWAY, 300);
    let (id, low) = (fixture.ids[1], fixture.at(1));
    let fast = |fixture: &mut Fixture, push| match fixture.world.push_body(id, &push) {
        Err(CommandError::TooFast {
            body, value, limit, ..
        }) => {
            assert_eq!(body, id);
            (value, limit)
        }
        other => panic!("{other:?}"),
    };
    let (value, limit) = fast(&mut fixture, kick(Vec3::x() * MASS_KG * 101.0, low));
    assert!((value - 101.0).abs() < 1e-9 && limit == MAX_PUSH_M_S);
    let moment_nm_s = Vec3::z() * INERTIA * 1001.0;
    let spin = BodyPush::Impulse {
        impulse_n_s: Vec3::zeros(),
        moment_nm_s,
        point: low,
    };
    let (value, limit) = fast(&mut fixture, spin);
    assert!((value - 1001.0).abs() < 1e-6 && limit == MAX_PUSH_RAD_S);
    fast(&mut fixture, speed(Vec3::x() * 100.1));
    fast(&mut fixture, kick(Vec3::repeat(f64::NAN), low));
    fixture.rest(AWAY, 100);
    assert!((fixture.at(1) - low).norm() < 1e-6, "nothing changed");
    let floor = fixture.ids[0];
    let refused = fixture.world.push_body(floor, &speed(Vec3::zeros()));
    assert_eq!(refused, Err(CommandError::NotDynamic(floor)));
    let refused = fixture.world.push_body(99, &speed(Vec3::zeros()));
    assert_eq!(refused, Err(CommandError::NoSuchBody(99)));
    let order = Some(Order::First { drag_per_s: 10.0 });
    let mut first = Fixture::of(1, vec![block(low)], order, Interaction::Spring);
    let refused = first.world.push_body(first.ids[1], &speed(Vec3::x()));
    assert_eq!(refused, Err(CommandError::FirstOrder(first.ids[1])));
}

/// The tool presses on the block; then the block is elsewhere. No tick has more force than before,
/// and the tool is not moved.
#[test]
fn a_body_that_is_placed_away_leaves_the_tool() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        for lag in [0, 1, 3] {
            let at = Vec3::new(0.0, 0.0, 0.0202);
            let body = BodySpec { kind, ..block(at) };
            let mut fixture = Fixture::new(lag, vec![body]);
            fixture.rest(Vec3::new(0.0, 0.0, 0.06), 300);
            let on = Vec3::new(0.0, 0.0, 0.042);
            let pressed = fixture.rest(on, 300);
            assert!(pressed.wrench.force_n.z > 1.0 && pressed.solid & 2 != 0);
            let key = fixture.engine.bodies().find(|b| b.id == fixture.ids[1]);
            let key = key.unwrap().key;
            // On the other side of the tool.
            let there = Vec3::new(0.0, 0.0, 0.1);
            fixture.place(1, there).unwrap();
            let off_m = (pressed.proxy.translation.vector - on).norm();
            let mut new = None;
            for _ in 0..60 {
                let out = fixture.tick(on);
                let (force, most) = (out.wrench.force_n.norm(), pressed.wrench.force_n.norm());
                assert!(force <= most * (1.0 + 1e-9), "{kind:?} {lag}: {force} N");
                let body = fixture.engine.bodies().find(|b| b.id == fixture.ids[1]);
                let body = *body.unwrap();
                if body.key != key && new.is_none() {
                    let off_m = (body.pose.translation.vector - there).norm();
                    assert!(body.key.slot == key.slot && off_m < 1e-4, "{off_m} m");
                    assert_eq!(body.key.generation, key.generation + 1);
                    new = Some(body.key);
                }
                if new.is_some() {
                    let left_m = (out.proxy.translation.vector - on).norm();
                    assert!(
                        force == 0.0 && left_m <= off_m,
                        "{kind:?} {lag}: {left_m} m"
                    );
                }
            }
            assert!(new.is_some());
            assert!(fixture.tick(on).solid & 2 != 0, "proven clear by now");
        }
    }
}

#[test]
fn a_body_placed_around_a_tool_is_a_ghost_until_the_tool_is_out() {
    for kind in [BodyKind::Kinematic, BodyKind::Dynamic] {
        let body = BodySpec {
            kind,
            ..block(Vec3::new(0.1, 0.0, 0.1))
        };
        let mut fixture = weightless(2, vec![body]);
        let hand = Vec3::new(-0.1, 0.0, 0.1);
        fixture.rest(hand, 50);
        fixture.place(1, hand).unwrap();
        for k in 0..100 {
            let out = fixture.tick(hand);
            assert_eq!(out.wrench.force_n, Vec3::zeros(), "{kind:?} tick {k}");
        }
        let out = fixture.tick(hand);
        assert_eq!((out.solid & 2, out.inside & 2), (0, 2), "{kind:?}");
        for k in 0..300 {
            let out = fixture.tick(hand + Vec3::y() * 2e-4 * f64::from(k));
            assert_eq!(out.wrench.force_n, Vec3::zeros(), "{kind:?} tick {k}");
        }
        assert_eq!(fixture.tick(hand + Vec3::y() * 0.06).solid & 2, 2);
        let pushes = fixture.rest(hand, 100).wrench.force_n.norm() > 1.0;
        let pushed = (fixture.at(1) - hand).norm() > 0.01;
        assert_eq!(
            (pushes, pushed),
            match kind {
                BodyKind::Dynamic => (false, true),
                _ => (true, false),
            }
        );
    }
}

#[test]
fn a_place_must_be_free_and_the_old_one_is() {
    let bodies = vec![
        block(Vec3::new(0.0, 0.0, 0.1)),
        another(Vec3::new(0.15, 0.0, 0.1)),
    ];
    let mut fixture = Fixture::new(1, bodies);
    fixture.rest(AWAY, 10);
    let (ids, had) = (fixture.ids.clone(), fixture.at(1));
    // On a body that falls, in the floor, not anywhere.
    let on = fixture.at(2) + Vec3::repeat(0.01);
    for (at, who) in [(on, 2), (Vec3::zeros(), 0)] {
        let refused = fixture.place(1, at).unwrap_err();
        let PlaceError::Add(AddError::Dynamics { why, other, .. }) = &refused else {
            panic!("{refused:?}");
        };
        assert!(matches!(why, BodyError::Overlap(_)), "{why:?}");
        assert_eq!(other.as_deref(), Some(fixture.specs[who].name.as_str()));
    }
    let refused = fixture.place(1, Vec3::repeat(f64::NAN)).unwrap_err();
    assert_eq!(refused, CommandError::BadTarget(ids[1]).into());
    let refused = fixture.place(0, AWAY).unwrap_err();
    assert_eq!(refused, CommandError::Static(ids[0]).into());
    fixture.tick(AWAY);
    let fell = had - fixture.at(1);
    assert!(fell.z > 0.0 && fell.norm() < 1e-3, "it goes on as it was");
    // A centimetre beside itself, with no velocity: it falls from there.
    let there = fixture.at(1) + Vec3::x() * 0.01;
    fixture.place(1, there).unwrap();
    fixture.rest(AWAY, 4);
    let start = fixture.at(1);
    assert!((start - there).norm() < 1e-3, "{start}");
    fixture.rest(AWAY, 50);
    let fell = start.z - fixture.at(1).z;
    let t = 0.05;
    assert!(fell > 0.4 * G * t * t && fell < 0.8 * G * t * t, "{fell} m");
    fixture.rest(AWAY, 1500);
    assert!((fixture.at(1) - Vec3::new(there.x, 0.0, 0.02)).norm() < 1e-4);
}

#[test]
fn what_rested_on_a_placed_body_falls() {
    let bodies = vec![
        block(Vec3::new(0.0, 0.0, 0.0202)),
        another(Vec3::new(0.0, 0.0, 0.0606)),
    ];
    let mut fixture = Fixture::new(1, bodies);
    fixture.rest(AWAY, 1500);
    assert!(fixture.at(2).z > 0.059);
    fixture.place(1, Vec3::new(0.15, 0.0, 0.0202)).unwrap();
    fixture.rest(AWAY, 400);
    assert!(fixture.at(2).z < 0.0205, "{}", fixture.at(2));
}

#[test]
fn a_placed_body_has_no_target_and_takes_a_new_one() {
    let kind = BodyKind::Kinematic;
    let start = Vec3::new(0.0, 0.0, 0.1);
    let mut fixture = Fixture::new(
        1,
        vec![BodySpec {
            kind,
            ..block(start)
        }],
    );
    let id = fixture.ids[1];
    let to = |x: f64| Pose::translation(x, 0.0, 0.1);
    fixture.world.set_target(id, &to(0.1), 0.2).unwrap();
    fixture.rest(AWAY, 50);
    assert!(fixture.at(1).x > 5e-3);
    fixture.place(1, Vec3::new(-0.1, 0.0, 0.1)).unwrap();
    fixture.rest(AWAY, 100);
    assert_eq!(fixture.at(1).x, -0.1);
    fixture.world.set_target(id, &to(-0.05), 0.2).unwrap();
    fixture.rest(AWAY, 300);
    assert!((fixture.at(1).x + 0.05).abs() < 1e-9);
}

#[test]
fn an_arm_lets_go_of_a_body_that_is_placed_elsewhere() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0202))]);
    let on = Vec3::new(0.0, 0.0, 0.0442);
    fixture.rest(Vec3::new(0.0, 0.0, 0.06), 300);
    fixture.rest(on, 300);
    assert!(fixture.engine.grasp(0, fixture.ids[1]));
    let high = on + Vec3::z() * 0.03;
    fixture.rest(high, 300);
    fixture.place(1, Vec3::new(0.1, 0.0, 0.0202)).unwrap();
    let ended = (0..20).find_map(|_| fixture.tick(high).let_go);
    assert_eq!(ended, Some(LetGo::BodyGone));
    let out = fixture.rest(high, 50);
    assert_eq!((out.grasped, out.wrench.force_n), (0, Vec3::zeros()));
    assert!((fixture.at(1).x - 0.1).abs() < 1e-3);
}

#[test]
fn no_body_of_a_planar_scene_is_placed() {
    let kind = BodyKind::Kinematic;
    let mut fixture = Fixture::new(
        1,
        vec![BodySpec {
            kind,
            ..block(AWAY)
        }],
    );
    fixture.world.set_planar();
    let refused = fixture.place(1, Vec3::zeros()).unwrap_err();
    assert_eq!(refused, CommandError::Planar(fixture.ids[1]).into());
}

/// Whether two boxes overlap, by separating axes: shares no code with what it judges.
fn overlap(a: &Pose, half_a: &Vec3, b: &Pose, half_b: &Vec3) -> bool {
    let axes = |pose: &Pose| [Vec3::x(), Vec3::y(), Vec3::z()].map(|axis| pose.rotation * axis);
    let (of_a, of_b) = (axes(a), axes(b));
    let crossed = of_a.iter().flat_map(|u| of_b.map(|v| u.cross(&v)));
    let crossed = crossed.filter_map(|axis| axis.try_normalize(1e-9));
    let apart = b.translation.vector - a.translation.vector;
    let reach = |axis: &Vec3, axes: &[Vec3; 3], half: &Vec3| -> f64 {
        (0..3).map(|k| (axis.dot(&axes[k]) * half[k]).abs()).sum()
    };
    let separates = |axis: Vec3| {
        axis.dot(&apart).abs() >= reach(&axis, &of_a, half_a) + reach(&axis, &of_b, half_b)
    };
    let mut all = of_a.into_iter().chain(of_b).chain(crossed);
    !all.any(separates)
}

/// Checks that no dynamic body overlaps another body, and the ball none that is solid to it.
fn check_boxes(fixture: &Fixture, out: &ArmOutcome) {
    let half = |k: usize| match k {
        0 => Vec3::new(0.3, 0.3, 0.05),
        _ => Vec3::repeat(EDGE_M / 2.0),
    };
    let poses: Vec<Pose> = (0..fixture.specs.len()).map(|k| fixture.pose(k)).collect();
    for a in 0..poses.len() {
        let is_dynamic = |k: usize| fixture.specs[k].kind == BodyKind::Dynamic;
        for b in (0..a).filter(|b| is_dynamic(a) || is_dynamic(*b)) {
            let meet = overlap(&poses[a], &half(a), &poses[b], &half(b));
            assert!(!meet, "bodies {a} and {b}: {} {}", poses[a], poses[b]);
        }
        if out.solid & (1 << a) != 0 {
            let at =
                hapticd_geometry::transform(&poses[a].inverse(), &out.proxy.translation.vector);
            let outside = at.abs() - half(a);
            let apart = outside.map(|x| x.max(0.0)).norm();
            assert!(apart > BALL_M, "the ball is {apart} m from body {a}");
        }
    }
}

/// Something that a client does at random.
#[derive(Clone, Debug)]
enum Deed {
    Kick(usize, Vec3, Vec3),
    Speed(usize, Vec3, Vec3),
    Place(usize, Vec3, Vec3),
    Send(usize, Vec3),
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    [-size..size, -size..size, -size..size].prop_map(Vec3::from)
}

fn deed() -> impl Strategy<Value = Deed> {
    let body = 1..5_usize;
    prop_oneof![
        (body.clone(), vector(0.3), vector(0.02)).prop_map(|(b, j, p)| Deed::Kick(b, j, p)),
        (body.clone(), vector(3.0), vector(20.0)).prop_map(|(b, v, w)| Deed::Speed(b, v, w)),
        (body.clone(), vector(0.05), vector(2.0)).prop_map(|(b, p, r)| Deed::Place(b, p, r)),
        (body, vector(0.1)).prop_map(|(b, p)| Deed::Send(b, p)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    /// [`Fixture::check`] after every tick: tool and bodies, and all bodies, are apart.
    #[test]
    fn whatever_clients_do_at_once_nothing_penetrates(
        deeds in prop::collection::vec((1..25_usize, deed()), 30),
        lag in 0..5_usize,
        pace in 1.0..12.0,
    ) {
        let named = |name: &str, kind, at| BodySpec {
            name: name.into(),
            kind,
            ..block(at)
        };
        let bodies = vec![
            named("a", BodyKind::Dynamic, Vec3::new(0.0, 0.0, 0.0202)),
            named("b", BodyKind::Dynamic, Vec3::new(0.05, 0.0, 0.0202)),
            named("c", BodyKind::Dynamic, Vec3::new(0.0, 0.0, 0.0606)),
            named("d", BodyKind::Kinematic, Vec3::new(-0.08, 0.0, 0.03)),
        ];
        let mut fixture = Fixture::new(lag, bodies);
        let mut t = 0.0_f64;
        for (ticks, deed) in deeds {
            let tool = fixture.engine.output().arms[0].proxy.translation.vector;
            let ids = fixture.ids.clone();
            match deed {
                Deed::Kick(body, impulse, lever) => {
                    let push = kick(impulse, fixture.at(body) + lever);
                    let _ = fixture.world.push_body(ids[body], &push);
                }
                Deed::Speed(body, linear_m_s, angular_rad_s) => {
                    let push = BodyPush::Velocity { linear_m_s, angular_rad_s };
                    let _ = fixture.world.push_body(ids[body], &push);
                }
                Deed::Place(body, beside, turn) => {
                    let at = tool + beside;
                    let pose = Pose::from_parts(at.into(), Quat::from_scaled_axis(turn));
                    let _ = fixture.world.place_body(ids[body], &pose);
                }
                Deed::Send(body, beside) => {
                    let at = tool + beside;
                    let pose = Pose::translation(at.x, at.y, at.z);
                    let _ = fixture.world.set_target(ids[body], &pose, 1.0);
                }
            }
            for _ in 0..ticks {
                t += pace * PERIOD_S;
                let (x, y, z) = (0.08 * t.sin(), 0.05 * (1.7 * t).cos(), 0.03 * (2.3 * t).sin());
                let hand = Vec3::new(x, y, 0.03 + z);
                let out = fixture.tick(hand);
                check_boxes(&fixture, &out);
            }
        }
    }
}
