//! Dynamic bodies under a hand: they fall and rest, are pushed and push back, and nothing ever
//! penetrates anything.

use std::collections::VecDeque;

use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{
    ArmOutcome, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material,
    Snapshot, TickInput, ToolShape,
};
use hapticd_rigid::BodyError;
use hapticd_scene::{AddError, BodyKind, BodySpec, Order, Scene, Shape};

const PERIOD_S: f64 = 1e-3;
const BALL_M: f64 = 0.005;
const STIFFNESS: f64 = 500.0;
const FRICTION: f64 = 0.3;
const G: f64 = 9.81;

fn spec(name: &str, kind: BodyKind, half: Vec3, at: Vec3) -> BodySpec {
    BodySpec {
        name: name.into(),
        kind,
        shape: Shape::of(shapes::cuboid(&half).unwrap()).0,
        solid: true,
        world_from_body: Pose::translation(at.x, at.y, at.z),
        material: Material {
            stiffness_n_per_m: 1000.0,
            damping_n_s_per_m: 0.5,
            friction: FRICTION,
            force_shading: false,
        },
        restitution: 0.0,
        density_kg_m3: 2000.0,
    }
}

/// A ball on a hand above a floor with its top at z = 0.
struct Fixture {
    world: Scene,
    engine: Engine,
    waiting: VecDeque<hapticd_proxy::Query>,
    lag: usize,
    clearance_m: f64,
    specs: Vec<BodySpec>,
    ids: Vec<u32>,
    far: Proximity,
}

impl Fixture {
    fn new(lag: usize, bodies: Vec<BodySpec>) -> Self {
        Self::of(lag, bodies, None, Interaction::Spring)
    }

    fn of(
        lag: usize,
        bodies: Vec<BodySpec>,
        order: Option<Order>,
        interaction: Interaction,
    ) -> Self {
        let gains = Gains {
            stiffness_n_per_m: STIFFNESS,
            damping_n_s_per_m: 0.5,
            ..Gains::default()
        };
        let ball = (Shape::point(), ToolShape::sphere(BALL_M));
        Self::with_tool(lag, bodies, order, interaction, (ball, gains))
    }

    fn with_tool(
        lag: usize,
        bodies: Vec<BodySpec>,
        order: Option<Order>,
        interaction: Interaction,
        ((shape, tool), gains): ((Shape, ToolShape), Gains),
    ) -> Self {
        let distances = Distances::for_width(0.2);
        let mut world = Scene::new(distances.clearance_m, 1024);
        if let Some(order) = order {
            world.set_order(order);
        }
        world.set_tool(0, shape, tool);
        let floor = spec(
            "floor",
            BodyKind::Static,
            Vec3::new(0.3, 0.3, 0.05),
            Vec3::new(0.0, 0.0, -0.05),
        );
        let specs: Vec<BodySpec> = std::iter::once(floor).chain(bodies).collect();
        let ids = specs
            .iter()
            .map(|s| world.add_body(s.clone()).unwrap())
            .collect();
        let mut setups = [None; MAX_ARMS];
        setups[0] = Some(ArmSetup {
            shape: tool,
            distances,
            gains,
            damping: Damping::default(),
            interaction,
            pair_budget: 512,
            reach_max_m: 0.05,
            reach_min_m: 20.0 * distances.safe_m,
        });
        Fixture {
            world,
            engine: Engine::new(setups, 0.003),
            waiting: VecDeque::new(),
            lag,
            clearance_m: distances.clearance_m,
            specs,
            ids,
            far: Proximity::new(16),
        }
    }

    fn tick(&mut self, hand: Vec3) -> ArmOutcome {
        self.tick_at(Pose::translation(hand.x, hand.y, hand.z))
    }

    fn tick_at(&mut self, hand: Pose) -> ArmOutcome {
        if self.waiting.len() > self.lag {
            let query = self.waiting.pop_front().unwrap();
            self.world.advance(&query, PERIOD_S);
            let mut snapshot = Box::new(Snapshot::new(4096));
            if self.world.answer(&query, 0, &mut snapshot) {
                self.engine.receive(snapshot);
            }
        }
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(hand);
        let input = TickInput {
            period_s: PERIOD_S,
            devices,
            anchor: 0,
        };
        let outcome = self.engine.tick(&input).arms[0];
        self.waiting.push_back(self.engine.query());
        self.check(&outcome);
        outcome
    }

    fn pose(&self, body: usize) -> Pose {
        let living = self.engine.bodies().find(|b| b.id == self.ids[body]);
        living.map_or(self.specs[body].world_from_body, |b| b.pose)
    }

    fn at(&self, body: usize) -> Vec3 {
        self.pose(body).translation.vector
    }

    fn apart(&mut self, a: &MeshIndex, b: usize, b_from_a: &Pose) -> f64 {
        let near = self
            .far
            .query(a, 0.0, &self.specs[b].shape.index, b_from_a, 1.0);
        near.pairs.first().map_or(f64::INFINITY, |p| p.distance)
    }

    /// Checks that tool and bodies, and all bodies among each other, are apart.
    fn check(&mut self, outcome: &ArmOutcome) {
        let centre = MeshIndex::point(Vec3::zeros());
        for b in 0..self.specs.len() {
            let pose = self.pose(b);
            if outcome.solid & (1 << b) != 0 {
                let apart = self.apart(&centre, b, &(pose.inverse() * outcome.proxy)) - BALL_M;
                assert!(
                    apart >= self.clearance_m * (1.0 - 1e-6),
                    "the tool is {apart} m from body {b}"
                );
            }
            for a in b + 1..self.specs.len() {
                // Only dynamic bodies are kept apart from others.
                if ![a, b]
                    .map(|k| self.specs[k].kind)
                    .contains(&BodyKind::Dynamic)
                {
                    continue;
                }
                let there = pose.inverse() * self.pose(a);
                let index = self.specs[a].shape.index.clone();
                let apart = self.apart(&index, b, &there);
                assert!(apart > 0.0, "body {a} is {apart} m from body {b}");
            }
        }
    }
}

fn block(at: Vec3) -> BodySpec {
    spec("block", BodyKind::Dynamic, Vec3::repeat(0.02), at)
}

/// Mass of a block: 4 cm cube of 2000 kg/m³.
const MASS_KG: f64 = 0.128;

#[test]
fn a_block_falls_on_time_and_rests() {
    for lag in [0, 1, 3] {
        let mut fixture = Fixture::new(lag, vec![block(Vec3::new(0.0, 0.0, 0.07))]);
        let away = Vec3::new(0.0, 0.2, 0.1);
        let mut begun = None;
        let mut fell = 0.0_f64;
        for k in 0..1500 {
            fixture.tick(away);
            let z = fixture.at(1).z;
            if z < 0.07 && begun.is_none() {
                begun = Some(k);
            }
            // 30 mm above its rest position.
            if let Some(begun) = begun.filter(|b| k == b + 69) {
                fell = 0.07 - z;
                let t = f64::from(k - begun + 1) * PERIOD_S;
                assert!(
                    (fell / (0.5 * G * t * t) - 1.0).abs() < 0.05,
                    "lag {lag}: fell {fell} m in {t} s"
                );
            }
        }
        assert!(fell > 0.0);
        let rest = fixture.at(1);
        assert!(
            (rest.z - 0.02).abs() < 1e-4 && rest.xy().norm() < 1e-4,
            "lag {lag}: {rest:?}"
        );
        let before = fixture.at(1);
        for _ in 0..1000 {
            fixture.tick(away);
        }
        assert!(
            (fixture.at(1) - before).norm() < 1e-6,
            "lag {lag}: creeps by {}",
            (fixture.at(1) - before).norm()
        );
    }
}

/// Pushed along the floor at a steady pace: the hand feels exactly the friction of the block on the
/// floor.
#[test]
fn pushed_along_the_floor_it_rubs() {
    for lag in [0, 1, 3] {
        let mut fixture = Fixture::new(lag, vec![block(Vec3::new(0.0, 0.0, 0.0205))]);
        for _ in 0..500 {
            fixture.tick(Vec3::new(-0.05, 0.0, 0.01));
        }
        let start = fixture.at(1);
        let (mut sum, mut n) = (0.0, 0);
        let mut worst = (f64::INFINITY, 0.0_f64);
        for k in 0..3000 {
            let x = -0.05 + 0.05 * f64::from(k) * PERIOD_S;
            let out = fixture.tick(Vec3::new(x, 0.0, 0.01));
            if k > 1500 {
                let felt = -out.wrench.force_n.x;
                sum += felt;
                n += 1;
                worst = (worst.0.min(felt), worst.1.max(felt));
            }
        }
        let moved = fixture.at(1) - start;
        assert!(
            moved.x > 0.1 && moved.yz().norm() < 2e-3,
            "lag {lag}: {moved:?}"
        );
        let (mean, expected) = (sum / f64::from(n), FRICTION * MASS_KG * G);
        assert!(
            (mean / expected - 1.0).abs() < 0.05,
            "lag {lag}: {mean} N instead of {expected}"
        );
        assert!(
            worst.0 > 0.5 * expected && worst.1 < 1.5 * expected,
            "lag {lag}: trembles between {worst:?} N around {expected}"
        );
    }
}

/// Pressed against the floor, the block stays, and the hand feels its own spring.
#[test]
fn a_pressed_block_stays() {
    for lag in [0, 1, 3] {
        let mut fixture = Fixture::new(lag, vec![block(Vec3::new(0.0, 0.0, 0.0205))]);
        for _ in 0..500 {
            fixture.tick(Vec3::new(0.0, 0.0, 0.06));
        }
        let start = fixture.at(1);
        let mut out = fixture.tick(Vec3::new(0.0, 0.0, 0.06));
        for k in 0..2000 {
            let z = 0.06 - 1e-4 * f64::from(k.min(200));
            out = fixture.tick(Vec3::new(0.003, 0.002, z));
        }
        let depth = out.proxy.translation.z - 0.04;
        assert!(depth > 4e-3);
        assert!(
            (out.wrench.force_n.z - STIFFNESS * depth).abs() < 1e-3,
            "lag {lag}: {:?}",
            out.wrench
        );
        assert!(
            (fixture.at(1) - start).norm() < 1e-4,
            "lag {lag}: {:?}",
            fixture.at(1) - start
        );
    }
}

/// Pushed and let go, a block comes to rest after `v²/(2 mu g)`.
#[test]
fn thrown_at_the_hand_it_bounces_off_and_stops() {
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0205))]);
    for _ in 0..300 {
        fixture.tick(Vec3::new(-0.05, 0.0, 0.012));
    }
    // A quick stroke of 3 cm past the block's side.
    for k in 0..1500 {
        let x = -0.05 + 0.055 * (f64::from(k) / 220.0).min(1.0);
        fixture.tick(Vec3::new(x, 0.0, 0.012));
    }
    let rest = fixture.at(1);
    assert!(rest.x > 0.03, "{rest:?}");
    for _ in 0..300 {
        fixture.tick(Vec3::new(-0.05, 0.0, 0.012));
    }
    assert!(
        (fixture.at(1) - rest).norm() < 1e-6,
        "{rest:?}, then {:?}",
        fixture.at(1)
    );
}

/// Squeezed between the hand and a wall, a block yields nowhere; withdrawing the hand frees
/// everything.
#[test]
fn squeezed_against_a_wall_nothing_goes_through() {
    let wall = spec(
        "wall",
        BodyKind::Static,
        Vec3::new(0.01, 0.1, 0.05),
        Vec3::new(0.05, 0.0, 0.05),
    );
    for lag in [0, 2, 5] {
        let mut fixture = Fixture::new(lag, vec![block(Vec3::new(0.0, 0.0, 0.0205)), wall.clone()]);
        for _ in 0..300 {
            fixture.tick(Vec3::new(-0.05, 0.0, 0.015));
        }
        for k in 0..3000 {
            let x = -0.05 + 0.1 * f64::from(k) * PERIOD_S;
            fixture.tick(Vec3::new(x.min(0.04), 1e-3, 0.015));
        }
        // 4 cm of block before the wall at 0.04.
        let pressed = fixture.at(1).x;
        assert!((pressed - 0.02).abs() < 1e-3, "lag {lag}: {pressed}");
        let out = fixture.tick(Vec3::new(0.04, 1e-3, 0.015));
        assert!(-out.wrench.force_n.x > 10.0, "lag {lag}: {:?}", out.wrench);
        for _ in 0..200 {
            fixture.tick(Vec3::new(-0.05, 0.0, 0.015));
        }
        assert!((fixture.at(1).x - pressed).abs() < 2e-3);
    }
}

/// A kinematic pusher shoves a block; the tool stands in the block's way, and the hand stops both.
#[test]
fn a_kinematic_body_pushes_a_dynamic_one() {
    let pusher = spec(
        "pusher",
        BodyKind::Kinematic,
        Vec3::new(0.01, 0.02, 0.02),
        Vec3::new(-0.06, 0.0, 0.025),
    );
    let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0205)), pusher]);
    for _ in 0..200 {
        fixture.tick(Vec3::new(0.1, 0.0, 0.02));
    }
    let to = Pose::translation(0.0, 0.0, 0.025);
    fixture.world.set_target(fixture.ids[2], &to, 0.05).unwrap();
    for _ in 0..2000 {
        fixture.tick(Vec3::new(0.1, 0.0, 0.02));
    }
    assert!(
        (fixture.at(2) - Vec3::new(0.0, 0.0, 0.025)).norm() < 1e-6,
        "{:?}",
        fixture.at(2)
    );
    assert!((fixture.at(1).x - 0.03).abs() < 1e-3, "{:?}", fixture.at(1));
}

#[test]
fn bad_bodies_are_refused() {
    let mut fixture = Fixture::new(1, vec![]);
    let inside = block(Vec3::new(0.0, 0.0, 0.01));
    let error = fixture.world.add_body(inside).unwrap_err().to_string();
    assert!(
        error.contains("block") && error.contains("inside"),
        "{error}"
    );
    let mut light = block(Vec3::new(0.0, 0.0, 0.1));
    light.density_kg_m3 = 0.0;
    let error = fixture
        .world
        .add_body(light.clone())
        .unwrap_err()
        .to_string();
    assert!(error.contains("block"), "{error}");
    light.density_kg_m3 = 1000.0;
    let id = fixture.world.add_body(light).unwrap();
    let error = fixture
        .world
        .set_target(id, &Pose::identity(), 1.0)
        .unwrap_err();
    assert!(error.to_string().contains("dynamic"), "{error}");
    fixture.world.remove_body(id).unwrap();
}

#[test]
fn the_same_hand_gives_the_same_bits() {
    let run = || {
        let mut fixture = Fixture::new(
            2,
            vec![block(Vec3::new(0.0, 0.0, 0.03)), {
                let mut b = block(Vec3::new(0.005, 0.0, 0.08));
                b.name = "upper".into();
                b
            }],
        );
        for k in 0..800 {
            let t = f64::from(k) * PERIOD_S;
            fixture.tick(Vec3::new(-0.06 + 0.08 * t, 0.01 * (9.0 * t).sin(), 0.03));
        }
        (
            fixture.pose(1),
            fixture.pose(2),
            fixture.engine.output().arms[0].wrench,
        )
    };
    let (a, b) = (run(), run());
    assert_eq!(a.0, b.0);
    assert_eq!(a.1, b.1);
    assert_eq!(a.2, b.2);
}

/// A heap of blocks, stirred with a ball, is stopped and set in motion many times. The bodies' time
/// continues throughout, and they rest once the hand has left them.
#[test]
fn a_stirred_heap_does_not_stall() {
    let mut blocked = 0;
    for lag in [0, 4] {
        let heap = [
            ("left", Vec3::new(0.04, -0.02, 0.0205)),
            ("right", Vec3::new(0.04, 0.021, 0.0205)),
            ("top", Vec3::new(0.04, 0.0, 0.062)),
        ];
        let heap = heap.map(|(name, at)| BodySpec {
            name: name.into(),
            ..block(at)
        });
        let mut fixture = Fixture::new(lag, heap.to_vec());
        let start = [1, 2, 3].map(|b| fixture.at(b));
        for k in 0..5000 {
            let t = f64::from(k) * PERIOD_S;
            let (sin, cos) = (std::f64::consts::TAU * t / 2.0).sin_cos();
            let down = (t / 0.5).min(1.0);
            fixture.tick(Vec3::new(0.04 * cos, 0.04 * sin, 0.1 - 0.08 * down));
            blocked += u32::from(fixture.engine.output().blocked_bodies != 0);
        }
        let idle = fixture.engine.query().idle_ticks;
        assert!(
            // Each time the tool stops them, they wait for one answer.
            idle < 500,
            "lag {lag}: the bodies waited in {idle} of 5000 ticks"
        );
        for _ in 0..1500 {
            fixture.tick(Vec3::new(0.0, 0.0, 0.2));
        }
        let rest = [1, 2, 3].map(|b| fixture.at(b));
        let moved = (start.iter().zip(&rest)).filter(|(a, b)| (*a - *b).norm() > 0.01);
        assert!(moved.count() >= 2, "lag {lag}: {rest:?}");
        for _ in 0..200 {
            fixture.tick(Vec3::new(0.0, 0.0, 0.2));
        }
        for (b, rest) in rest.iter().enumerate() {
            let crept = (fixture.at(b + 1) - rest).norm();
            assert!(crept < 1e-6, "lag {lag}: body {b} creeps by {crept}");
        }
    }
    assert!(blocked > 0, "nothing was ever in the way");
}

/// In a first-order world nothing falls. A pushed body moves with the hand, resists only by its
/// drag, and stops when the hand does.
#[test]
fn of_first_order_it_moves_only_while_it_is_pushed() {
    let drag_per_s = 20.0;
    for lag in [0, 1, 3] {
        let order = Some(Order::First { drag_per_s });
        let free = block(Vec3::new(0.0, 0.0, 0.1));
        let mut fixture = Fixture::of(lag, vec![free], order, Interaction::Spring);
        for _ in 0..300 {
            fixture.tick(Vec3::new(-0.05, 0.0, 0.1));
        }
        assert_eq!(fixture.at(1), Vec3::new(0.0, 0.0, 0.1));
        let (mut sum, mut n) = (0.0, 0);
        let mut far = 0.0;
        for k in 0..2000 {
            far = -0.05 + 0.05 * f64::from(k) * PERIOD_S;
            let out = fixture.tick(Vec3::new(far, 0.0, 0.1));
            if k > 1500 {
                sum -= out.wrench.force_n.x;
                n += 1;
            }
        }
        let (mean, expected) = (sum / f64::from(n), MASS_KG * drag_per_s * 0.05);
        assert!(
            (mean / expected - 1.0).abs() < 0.05,
            "lag {lag}: {mean} N instead of {expected}"
        );
        // The hand stops and the stretch of the spring decays; the body may learn of it 20 ms late.
        for _ in 0..1000 {
            fixture.tick(Vec3::new(far, 0.0, 0.1));
        }
        let rest = fixture.at(1);
        assert!(
            (rest.x - far - BALL_M - 0.02).abs() < 0.02 * 0.05,
            "lag {lag}: {} m",
            rest.x - far
        );
        for _ in 0..300 {
            fixture.tick(Vec3::new(far - 0.01, 0.0, 0.1));
        }
        assert_eq!(fixture.at(1), rest, "lag {lag}");
    }
}

/// A tool with mass that runs into a loose block pushes it with the spring behind it, and passes on
/// no energy that it did not have.
#[test]
fn a_tool_with_mass_strikes() {
    for (lag, mass_kg) in [(0, 0.05), (1, 0.2), (3, 0.2), (1, 1.0)] {
        let bodies = vec![block(Vec3::new(0.0, 0.0, 0.0205))];
        let mut fixture = Fixture::of(lag, bodies, None, Interaction::SpringWithMass(mass_kg));
        for _ in 0..500 {
            fixture.tick(Vec3::new(-0.06, 0.0, 0.012));
        }
        let mut before = fixture.at(1);
        let mut fastest = 0.0_f64;
        // 0.3 m/s until 1 cm past the side of the block.
        for k in 0..1500 {
            let x = -0.06 + (0.3 * f64::from(k) * PERIOD_S).min(0.045);
            fixture.tick(Vec3::new(x, 0.0, 0.012));
            // Over 8 ticks, since a trajectory has its own rhythm.
            if k % 8 == 0 {
                let now = fixture.at(1);
                fastest = fastest.max((now - before).norm() / (8.0 * PERIOD_S));
                before = now;
            }
        }
        // A spring with a far end that moves at a given speed can give a resting body at most twice
        // that speed, without losses.
        let most = 2.0 * 0.3;
        assert!(
            (0.05..most).contains(&fastest),
            "lag {lag}, {mass_kg} kg: {fastest} m/s"
        );
        let rest = fixture.at(1);
        assert!(rest.x > 0.005, "lag {lag}, {mass_kg} kg: {rest:?}");
        for _ in 0..300 {
            fixture.tick(Vec3::new(-0.06, 0.0, 0.012));
        }
        assert!(
            (fixture.at(1) - rest).norm() < 1e-5,
            "{rest:?}, then {:?}",
            fixture.at(1)
        );
    }
}

/// A body added during a trajectory may not stand where another one is about to fall through.
#[test]
fn nothing_is_added_in_a_trajectory() {
    let small = spec(
        "small",
        BodyKind::Dynamic,
        Vec3::repeat(0.003),
        Vec3::new(0.0, 0.0, 1.0),
    );
    let mut fixture = Fixture::new(4, vec![small]);
    let away = Vec3::new(0.0, 0.25, 0.25);
    for _ in 0..390 {
        fixture.tick(away);
    }
    // At 3.7 m/s, the block would be past a thin plate right below it by the end of the trajectory,
    // which is the only place where a new body is checked otherwise.
    let below = fixture.at(1) - Vec3::new(0.0, 0.0, 0.003 + 0.001);
    let plate = spec(
        "plate",
        BodyKind::Static,
        Vec3::new(0.05, 0.05, 1e-4),
        below,
    );
    let refused = fixture.world.add_body(plate.clone());
    assert!(
        matches!(
            &refused,
            Err(AddError::Dynamics {
                why: BodyError::InTheWay(_),
                ..
            })
        ),
        "{refused:?}"
    );
    let said = refused.unwrap_err().to_string();
    let other = &fixture.specs[1].name;
    assert_eq!(
        said,
        format!("body `plate`: `{other}` is about to pass there")
    );
    // Farther down it is detected in time, and the block comes to rest on it.
    let mut spec = plate;
    spec.world_from_body.translation.vector.z = 0.05;
    fixture
        .ids
        .push(fixture.world.add_body(spec.clone()).unwrap());
    fixture.specs.push(spec);
    for _ in 0..1000 {
        fixture.tick(away);
    }
    assert!(
        (fixture.at(1).z - 0.0531).abs() < 1e-4,
        "{:?}",
        fixture.at(1)
    );
}

/// A surface that changes while the block slides also affects the floor contact: the block stops
/// after `v²/(2 mu g)` with the new coefficient.
#[test]
fn another_surface_rubs_otherwise_on_the_floor() {
    let slid = |friction: Option<f64>| {
        let mut fixture = Fixture::new(1, vec![block(Vec3::new(0.0, 0.0, 0.0205))]);
        for _ in 0..300 {
            fixture.tick(Vec3::new(-0.05, 0.0, 0.012));
        }
        for k in 0..1500 {
            let x = -0.05 + 0.055 * (f64::from(k) / 150.0).min(1.0);
            fixture.tick(Vec3::new(x, 0.0, 0.012));
            if let (100, Some(friction)) = (k, friction) {
                for id in fixture.ids.clone() {
                    let material = Material {
                        friction,
                        ..fixture.specs[1].material
                    };
                    fixture.world.set_material(id, &material).unwrap();
                }
            }
        }
        fixture.at(1).x
    };
    let (rough, smooth) = (slid(None), slid(Some(0.05)));
    assert!(smooth > 2.0 * rough, "{smooth} m instead of {rough} m");
}

#[path = "dynamics/grasp.rs"]
mod grasp;

#[path = "dynamics/orders.rs"]
mod orders;
