//! The tools of several arms are bodies to each other: hands drive them through each other; checks
//! contact and forces.

use hapticd_audit::{
    ScrewMotion, Solid, Sweep, SweepLimits, Tool, sweep_past_tool, tools_overlap_m,
};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{
    ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Snapshot, TickInput,
    ToolShape, tool_id, tool_slot,
};
use hapticd_scene::{Scene, Shape};
use hapticd_testkit::courier::Delivery;
use hapticd_testkit::{Courier, Hand, Playground, Random};

enum Form {
    Ball(f64),
    Mesh(Box<Solid>, TriMesh),
}

impl Form {
    fn ball() -> Self {
        Form::Ball(0.008)
    }

    fn cube() -> Self {
        let mesh = shapes::cuboid(&Vec3::new(0.012, 0.008, 0.01)).unwrap();
        Form::Mesh(Box::new(Solid::new(&mesh)), mesh)
    }

    /// A thin rod that the hand turns fast.
    fn rod() -> Self {
        let mesh = shapes::cuboid(&Vec3::new(0.04, 0.001, 0.001)).unwrap();
        Form::Mesh(Box::new(Solid::new(&mesh)), mesh)
    }

    fn tool(&self) -> Tool<'_> {
        match self {
            Form::Ball(radius_m) => Tool::Sphere {
                radius_m: *radius_m,
            },
            Form::Mesh(solid, _) => Tool::Mesh(solid),
        }
    }

    fn shapes(&self) -> (Shape, ToolShape) {
        match self {
            Form::Ball(radius_m) => (Shape::point(), ToolShape::sphere(*radius_m)),
            Form::Mesh(_, mesh) => (
                Shape::of(mesh.clone()).0,
                ToolShape::mesh(mesh.positions(), true),
            ),
        }
    }
}

/// Arms with only each other's tools around.
struct Fixture {
    forms: Vec<Form>,
    world: Scene,
    engine: Engine,
    couriers: Vec<Courier>,
    random: Random,
    before: [Option<Pose>; MAX_ARMS],
    /// Ticks in which two tools were solid to each other, touched, and violated a check.
    met: u64,
    touched: u64,
    violations: u64,
}

impl Fixture {
    fn new(forms: Vec<Form>, stiffness: &[f64], manner: Delivery, seed: u64) -> Self {
        let distances = Distances::for_width(0.2);
        let mut world = Scene::new(distances.clearance_m, 1024);
        let mut setups = [None; MAX_ARMS];
        for (i, form) in forms.iter().enumerate() {
            let (shape, tool) = form.shapes();
            world.set_tool(i, shape, tool);
            setups[i] = Some(ArmSetup {
                shape: tool,
                distances,
                gains: Gains {
                    stiffness_n_per_m: stiffness[i],
                    rotational_stiffness_nm_per_rad: 0.5,
                    ..Gains::default()
                },
                damping: Damping::default(),
                interaction: Interaction::default(),
                pair_budget: 256,
                reach_max_m: 0.05,
                reach_min_m: 0.0008,
            });
        }
        Fixture {
            world,
            engine: Engine::new(setups, 0.003),
            couriers: forms.iter().map(|_| Courier::new(manner)).collect(),
            forms,
            random: Random::new(seed),
            before: [None; MAX_ARMS],
            met: 0,
            touched: 0,
            violations: 0,
        }
    }

    fn step(&mut self, hands: &[Option<Pose>]) {
        let tick = self.engine.output().tick + 1;
        for courier in &mut self.couriers {
            for answer in courier.deliver(tick) {
                self.engine.receive(answer);
            }
        }
        let mut devices = [None; MAX_ARMS];
        devices[..hands.len()].copy_from_slice(hands);
        self.engine.tick(&TickInput {
            period_s: 1e-3,
            devices,
            anchor: 0,
        });
        while self.engine.take_retired().is_some() {}
        self.check();
        let query = self.engine.query();
        for (arm, courier) in self.couriers.iter_mut().enumerate() {
            let mut answer = Box::new(Snapshot::new(2048));
            if courier.may_query() && self.world.answer(&query, arm, &mut answer) {
                courier.post(tick, answer, &mut self.random);
            }
        }
    }

    /// Arms move one after the other.
    fn check(&mut self) {
        let arms = &self.engine.output().arms;
        let limits = SweepLimits::default();
        let n = self.forms.len();
        let mut violations = 0;
        for i in 0..n {
            for j in (0..n).filter(|j| *j != i) {
                let solid = |a: usize, b: usize| arms[a].solid & (1 << tool_slot(b)) != 0;
                if !(solid(i, j) && solid(j, i)) {
                    continue;
                }
                self.met += 1;
                let contacts = &arms[i].contacts[..arms[i].contact_count];
                let touching = contacts.iter().filter(|c| c.body == tool_id(j));
                self.touched += u64::from(touching.clone().any(|c| c.active));
                let (mover, other) = (self.forms[i].tool(), self.forms[j].tool());
                let at = if j < i {
                    arms[j].proxy
                } else {
                    self.before[j].unwrap()
                };
                let mut from = self.before[i].unwrap();
                if matches!(mover, Tool::Sphere { .. }) {
                    from.rotation = arms[i].proxy.rotation;
                }
                for to in &arms[i].path[..arms[i].path_len] {
                    let sweep = sweep_past_tool(
                        &mover,
                        ScrewMotion { from: &from, to },
                        &other,
                        &at,
                        &limits,
                    );
                    violations += u64::from(!matches!(sweep, Sweep::Clear { .. }));
                    from = *to;
                }
                let depth = tools_overlap_m(&mover, &arms[i].proxy, &other, &arms[j].proxy);
                violations += u64::from(depth != 0.0);
            }
        }
        for i in 0..n {
            self.before[i] = Some(arms[i].proxy).filter(|_| arms[i].present);
        }
        self.violations += violations;
    }

    fn force(&self, arm: usize) -> Vec3 {
        self.engine.output().arms[arm].wrench.force_n
    }

    fn proxy(&self, arm: usize) -> Pose {
        self.engine.output().arms[arm].proxy
    }
}

/// Hands that attack each other.
fn attacked(forms: Vec<Form>, manner: Delivery, ticks: u64, seed: u64) -> Fixture {
    let playground = Playground {
        room: Vec3::repeat(0.03),
        targets: vec![Vec3::zeros(), Vec3::repeat(0.005)],
        insert: Vec3::z(),
        free: Pose::translation(0.0, 0.0, 0.04),
    };
    let mut hands: Vec<Hand> = (0..forms.len() as u64)
        .map(|k| Hand::new(playground.clone(), seed + 17 * k))
        .collect();
    let stiffness = vec![500.0; forms.len()];
    let mut fixture = Fixture::new(forms, &stiffness, manner, seed);
    for tick in 0..ticks {
        let mut poses: Vec<Option<Pose>> = hands.iter_mut().map(|h| Some(h.step())).collect();
        // An arm that is unplugged now and then returns wherever its hand is.
        if tick % 500 == 499 {
            poses[0] = None;
        }
        fixture.step(&poses);
    }
    fixture
}

#[test]
fn no_tool_goes_through_another_whatever_the_hands_do() {
    let pairings: [fn() -> Vec<Form>; 5] = [
        || vec![Form::ball(), Form::ball()],
        || vec![Form::ball(), Form::cube()],
        || vec![Form::cube(), Form::ball()],
        || vec![Form::rod(), Form::cube()],
        || vec![Form::cube(), Form::ball(), Form::rod(), Form::ball()],
    ];
    for (k, forms) in pairings.into_iter().enumerate() {
        for (m, manner) in [Delivery::fixed(3), Delivery::wild()]
            .into_iter()
            .enumerate()
        {
            let fixture = attacked(forms(), manner, 2000, 31 * k as u64 + m as u64);
            assert_eq!(fixture.violations, 0, "pairing {k}, manner {m}");
            assert!(
                fixture.met > 1000,
                "pairing {k}, manner {m}: met {}",
                fixture.met
            );
            assert!(
                fixture.touched > 20,
                "pairing {k}, manner {m}: {}",
                fixture.touched
            );
        }
    }
}

/// Two hands that press `overlap_m` past each other along x.
fn press(forms: Vec<Form>, stiffness: [f64; 2], apart_m: f64, overlap_m: f64) -> Fixture {
    let mut fixture = Fixture::new(forms, &stiffness, Delivery::fixed(2), 1);
    for tick in 0..400 {
        let share = (f64::from(tick) / 200.0).min(1.0);
        let x = 0.5 * (apart_m + 0.02) * (1.0 - share) + 0.5 * (apart_m - overlap_m) * share;
        fixture.step(&[
            Some(Pose::translation(-x, 0.0, 0.0)),
            Some(Pose::translation(x, 0.0, 0.0)),
        ]);
    }
    assert_eq!(fixture.violations, 0);
    fixture
}

#[test]
fn tools_pressed_together_push_back_equally_as_springs_in_series() {
    let pairings: [fn() -> Vec<Form>; 3] = [
        || vec![Form::ball(), Form::ball()],
        || vec![Form::ball(), Form::cube()],
        || vec![Form::cube(), Form::cube()],
    ];
    for (forms, apart_m) in pairings.into_iter().zip([0.016, 0.02, 0.024]) {
        for stiffness in [[500.0, 500.0], [300.0, 900.0]] {
            let fixture = press(forms(), stiffness, apart_m, 0.004);
            let (left, right) = (fixture.force(0).x, fixture.force(1).x);
            let series = stiffness[0] * stiffness[1] / (stiffness[0] + stiffness[1]);
            // The overlap plus the distance that contact keeps.
            let expected = series * (0.004 + Distances::for_width(0.2).safe_m);
            let near = |a: f64, b: f64| (a - b).abs() < 0.01 * expected;
            assert!(near(-left, right), "{left} N and {right} N");
            assert!(near(right, expected), "{right} N, expected {expected} N");
        }
    }
}

/// Hands that press off the centre of the other's tool, square to it and on an edge: forces are
/// opposite, and both torques belong to one line of action.
#[test]
fn tools_pressed_beside_their_middles_turn_both_hands_by_the_force() {
    let pairings: [fn() -> Vec<Form>; 3] = [
        || vec![Form::cube(), Form::cube()],
        || vec![Form::ball(), Form::cube()],
        || vec![Form::rod(), Form::cube()],
    ];
    let cases = pairings.into_iter().zip([0.024, 0.02, 0.052]);
    let cases = cases.flat_map(|case| [0.0, 0.3].map(|turn| (case, turn)));
    for ((forms, apart_m), turn) in cases {
        for stiffness in [[500.0, 500.0], [300.0, 900.0]] {
            let mut fixture = Fixture::new(forms(), &stiffness, Delivery::fixed(2), 1);
            let mut hands = [Pose::identity(); 2];
            // The turned one is longer.
            let apart_m = apart_m + 0.001 + 0.006 * f64::from(turn > 0.0);
            for tick in 0..600 {
                let share = (f64::from(tick) / 200.0).min(1.0);
                let x = 0.5 * (apart_m + 0.02) * (1.0 - share) + 0.5 * (apart_m - 0.006) * share;
                let turned = Quat::from_scaled_axis(Vec3::new(0.0, turn, 0.5 * turn));
                hands = [
                    Pose::translation(-x, 0.002, -0.002),
                    Pose::from_parts(Vec3::new(x, -0.002, 0.002).into(), turned),
                ];
                fixture.step(&hands.map(Some));
            }
            assert_eq!(fixture.violations, 0);
            let arms = &fixture.engine.output().arms;
            let [a, b] = [0, 1].map(|k| arms[k].wrench);
            let about = |k: usize, w: &hapticd_proxy::Wrench| {
                w.torque_nm + hands[k].translation.vector.cross(&w.force_n)
            };
            let what = format!("{apart_m} m, turn {turn}, {stiffness:?}: {a:?} {b:?}");
            let force = a.force_n.norm();
            assert!(force > 0.3, "{what}");
            assert!((a.force_n + b.force_n).norm() < 0.01 * force, "{what}");
            // One percent of the torque of the force at a lever of 10 mm.
            let left = about(0, &a) + about(1, &b);
            assert!(left.norm() < 1e-4 * force, "{what}: {left:?}");
            let lever = b.torque_nm.norm() / force;
            assert!(lever > 0.001, "{what}: {lever}");
        }
    }
}

#[test]
fn a_tool_held_by_a_soft_hand_is_pushed_away_by_a_stiff_one() {
    let mut fixture = Fixture::new(
        vec![Form::ball(), Form::cube()],
        &[1000.0, 10.0],
        Delivery::fixed(2),
        1,
    );
    for tick in 0..400 {
        let x = -0.03 + 0.02 * (f64::from(tick) / 300.0).min(1.0);
        fixture.step(&[Some(Pose::translation(x, 0.0, 0.0)), Some(Pose::identity())]);
    }
    assert_eq!(fixture.violations, 0);
    // The cube gives way by nearly all of the overlap.
    let overlap = 0.008 + 0.012 - 0.01 + Distances::for_width(0.2).safe_m;
    let gave_way = fixture.proxy(1).translation.x;
    assert!(
        (gave_way - overlap * 1000.0 / 1010.0).abs() < 1e-4,
        "{gave_way} of {overlap} m"
    );
    // Pulled away, it returns to its hand.
    for _ in 0..100 {
        fixture.step(&[
            Some(Pose::translation(-0.05, 0.0, 0.0)),
            Some(Pose::identity()),
        ]);
    }
    assert!(fixture.proxy(1).translation.x.abs() < 1e-9 && fixture.force(1).norm() < 1e-9);
}

#[test]
fn a_ball_that_spins_is_no_news_to_its_neighbour() {
    let mut fixture = Fixture::new(
        vec![Form::cube(), Form::ball()],
        &[500.0, 500.0],
        Delivery::fixed(4),
        1,
    );
    for tick in 0..300 {
        let ball = Pose::from_parts(
            Vec3::new(0.023, 0.0, 0.0).into(),
            Quat::from_scaled_axis(Vec3::z() * (0.1 * f64::from(tick))),
        );
        let y = 1e-5 * f64::from(tick);
        fixture.step(&[Some(Pose::translation(0.0, y, 0.0)), Some(ball)]);
        let cube = &fixture.engine.output().arms[0];
        assert!(!cube.starved, "tick {tick}");
        assert!(
            tick < 20 || cube.snapshot_age <= 12,
            "tick {tick}: {}",
            cube.snapshot_age
        );
        assert!((cube.proxy.translation.y - y).abs() < 1e-12, "tick {tick}");
    }
    assert_eq!(fixture.violations, 0);
}

#[test]
fn a_tool_that_comes_back_inside_another_stops_nothing_until_it_is_out() {
    let mut fixture = Fixture::new(
        vec![Form::ball(), Form::cube()],
        &[500.0, 500.0],
        Delivery::fixed(2),
        1,
    );
    let inside = Some(Pose::from_parts(
        Vec3::new(0.001, 0.0, 0.0).into(),
        Quat::identity(),
    ));
    for _ in 0..20 {
        fixture.step(&[Some(Pose::identity()), inside]);
    }
    assert_eq!(fixture.met, 0);
    assert!(fixture.force(0).norm() < 1e-9 && fixture.force(1).norm() < 1e-9);
    for _ in 0..20 {
        fixture.step(&[
            Some(Pose::identity()),
            Some(Pose::translation(0.1, 0.0, 0.0)),
        ]);
    }
    assert!(fixture.met > 0 && fixture.violations == 0);
}
