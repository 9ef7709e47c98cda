//! Scene and loop together, where the two could disagree: answers out of order, bodies added later,
//! distant bodies, bodies of several pieces.

use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_proxy::{
    ArmQuery, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material, Query,
    Snapshot, TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

const RADIUS_M: f64 = 0.005;

fn body(name: &str, kind: BodyKind, mesh: TriMesh, pose: Pose) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        kind,
        shape: Shape::of(mesh).0,
        solid: true,
        world_from_body: pose,
        restitution: 0.0,
        density_kg_m3: 1000.0,
        material: Material {
            stiffness_n_per_m: 1000.0,
            damping_n_s_per_m: 1.0,
            friction: 0.0,
            force_shading: false,
        },
    }
}

fn pair(tool: ToolShape, tool_mesh: Option<TriMesh>) -> (Scene, Engine) {
    pair_with(tool, tool_mesh, 1024, 0.0008)
}

fn pair_with(
    tool: ToolShape,
    tool_mesh: Option<TriMesh>,
    pairs: usize,
    reach_min_m: f64,
) -> (Scene, Engine) {
    pair_within(tool, tool_mesh, pairs, (reach_min_m, 0.05))
}

fn pair_within(
    tool: ToolShape,
    tool_mesh: Option<TriMesh>,
    pairs: usize,
    (reach_min_m, reach_max_m): (f64, f64),
) -> (Scene, Engine) {
    let distances = Distances::for_width(0.2);
    let mut world = Scene::new(distances.clearance_m, pairs);
    let form = tool_mesh.map_or_else(Shape::point, |mesh| Shape::of(mesh).0);
    world.set_tool(0, form, tool);
    let mut setups = [None; MAX_ARMS];
    setups[0] = Some(ArmSetup {
        shape: tool,
        distances,
        gains: Gains {
            stiffness_n_per_m: 500.0,
            ..Gains::default()
        },
        damping: Damping::default(),
        interaction: Interaction::default(),
        pair_budget: 256,
        reach_max_m,
        reach_min_m,
    });
    (world, Engine::new(setups, 0.003))
}

fn tick(engine: &mut Engine, at: Pose) {
    let mut devices = [None; MAX_ARMS];
    devices[0] = Some(at);
    engine.tick(&TickInput {
        period_s: 1e-3,
        devices,
        anchor: 0,
    });
}

fn answer(world: &mut Scene, engine: &Engine) -> Box<Snapshot> {
    let mut snapshot = Box::new(Snapshot::new(4096));
    assert!(world.answer(&engine.query(), 0, &mut snapshot));
    snapshot
}

#[test]
fn an_overtaken_answer_does_not_unmake_a_body_that_came_since() {
    let (mut world, mut engine) = pair(ToolShape::sphere(RADIUS_M), None);
    let cube = || shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
    world
        .add_body(body(
            "first",
            BodyKind::Static,
            cube(),
            Pose::translation(0.1, 0.0, 0.0),
        ))
        .unwrap();
    let at = Pose::translation(0.0, 0.0, 0.03);
    tick(&mut engine, at);
    let early = answer(&mut world, &engine);
    world
        .add_body(body("second", BodyKind::Static, cube(), Pose::identity()))
        .unwrap();
    let late = answer(&mut world, &engine);
    engine.receive(late);
    tick(&mut engine, at);
    assert_eq!(engine.output().arms[0].solid, 0b11);
    assert!(
        engine.receive(early).is_some(),
        "the older answer must be given back"
    );
    tick(&mut engine, at);
    assert_eq!(engine.output().arms[0].solid, 0b11);
}

#[test]
fn a_body_far_from_every_tool_goes_at_its_speed() {
    let (mut world, mut engine) = pair(ToolShape::sphere(RADIUS_M), None);
    let cube = shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
    let start = Pose::translation(0.5, 0.0, 0.0);
    let id = world
        .add_body(body("far", BodyKind::Kinematic, cube, start))
        .unwrap();
    world
        .set_target(id, &Pose::translation(0.5, 1.0, 0.0), 2.0)
        .unwrap();
    let mut waiting = std::collections::VecDeque::new();
    for _ in 0..105 {
        if waiting.len() > 4
            && let Some(snapshot) = waiting.pop_front()
        {
            engine.receive(snapshot);
        }
        tick(&mut engine, Pose::identity());
        waiting.push_back(answer(&mut world, &engine));
    }
    // 100 ticks of 2 mm.
    let y = engine.bodies().next().unwrap().pose.translation.y;
    assert!((y - 0.2).abs() < 1e-9, "it went {y} m");
}

/// A rod that sticks out of a plate on both sides: no vertex or edge of it is near a vertex or an
/// edge of the plate.
#[test]
fn a_tool_that_pierces_a_body_is_not_clear_of_it() {
    let rod = shapes::cuboid(&Vec3::new(0.001, 0.001, 0.04)).unwrap();
    let tool = ToolShape::mesh(rod.positions(), true);
    let plate = shapes::cuboid(&Vec3::new(0.05, 0.05, 0.001)).unwrap();
    for solid in [true, false] {
        let (mut world, mut engine) = pair(tool, Some(rod.clone()));
        let mut plate = body("plate", BodyKind::Static, plate.clone(), Pose::identity());
        plate.solid = solid;
        world.add_body(plate).unwrap();
        let mut solid_at = |x: f64| {
            // Off the diagonals of the plate's sides, which are also edges.
            let at = Pose::translation(x, -0.015, 0.0);
            tick(&mut engine, at);
            let snapshot = answer(&mut world, &engine);
            engine.receive(snapshot);
            tick(&mut engine, at);
            engine.output().arms[0].solid
        };
        assert_eq!(solid_at(0.02), 0, "it is in the plate");
        assert_eq!(solid_at(0.1), 1, "it is beside the plate");
    }
}

#[test]
fn a_tool_around_one_piece_of_a_body_is_not_clear_of_it() {
    let tool = shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
    let small = shapes::cuboid(&Vec3::repeat(0.002)).unwrap();
    // A body of two cubes; the second is wholly inside the tool, and the surfaces do not meet.
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for offset in [Vec3::new(0.05, 0.0, 0.0), Vec3::zeros()] {
        let base = positions.len() as u32;
        positions.extend(small.positions().iter().map(|p| p + offset));
        triangles.extend(small.triangles().iter().map(|t| t.map(|v| v + base)));
    }
    let pieces = TriMesh::new(positions, triangles).unwrap();
    for swapped in [false, true] {
        let (a, b) = if swapped {
            (pieces.clone(), tool.clone())
        } else {
            (tool.clone(), pieces.clone())
        };
        let (mut world, mut engine) = pair(ToolShape::mesh(a.positions(), true), Some(a));
        world
            .add_body(body("other", BodyKind::Static, b, Pose::identity()))
            .unwrap();
        tick(&mut engine, Pose::identity());
        let snapshot = answer(&mut world, &engine);
        assert!(snapshot.bodies[0].encloses_tool, "swapped {swapped}");
        engine.receive(snapshot);
        tick(&mut engine, Pose::identity());
        assert_eq!(engine.output().arms[0].solid, 0, "swapped {swapped}");
    }
}

#[test]
fn margins_of_the_bounding_balls_are_true() {
    // Beyond the reach no pair is listed and the margin comes from the bounding balls: never more
    // than the distance of the surfaces.
    for k in 0..40 {
        let at = Vec3::new(0.02 + 0.01 * f64::from(k), 0.003 * f64::from(k), -0.02);
        let (mut world, mut engine) = pair(ToolShape::sphere(RADIUS_M), None);
        let cube = shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
        world
            .add_body(body("cube", BodyKind::Static, cube, Pose::identity()))
            .unwrap();
        tick(&mut engine, Pose::translation(at.x, at.y, at.z));
        let snapshot = answer(&mut world, &engine);
        let gap = (at.abs() - Vec3::repeat(0.01)).sup(&Vec3::zeros()).norm() - RADIUS_M;
        let margin = snapshot.bodies[0].margin_m;
        if snapshot.pairs.is_empty() {
            assert!(margin < gap, "margin {margin}, gap {gap}");
            assert!(k < 10 || margin > 0.3 * gap, "margin {margin}, gap {gap}");
        }
    }
}

/// The loop sends a query while one body is solid to the tool. Before the answer, another body
/// takes its slot, around the tool. It must not become solid there.
#[test]
fn a_new_body_in_the_slot_of_one_that_was_solid_is_looked_at_for_enclosing() {
    let cube = |name: &str, x: f64| {
        let mesh = shapes::cuboid(&Vec3::repeat(0.05)).unwrap();
        body(name, BodyKind::Static, mesh, Pose::translation(x, 0.0, 0.0))
    };
    let mut world = Scene::new(1e-5, 1024);
    let centre = Shape::point();
    world.set_tool(0, centre, ToolShape::sphere(RADIUS_M));
    let first = world.add_body(cube("first", 1.0)).unwrap();
    let key = world.infos().next().unwrap().key;
    let mut query = Query {
        tick: 1,
        ..Query::default()
    };
    query.arms[0] = ArmQuery {
        present: true,
        reach_m: 0.01,
        solid: 1,
        ..query.arms[0]
    };
    query.bodies[0].key = key;
    query.bodies[0].world_from_body = Pose::translation(1.0, 0.0, 0.0);
    query.body_count = 1;
    world.remove_body(first).unwrap();
    world.add_body(cube("second", 0.0)).unwrap();
    let mut snapshot = Snapshot::new(2048);
    assert!(world.answer(&query, 0, &mut snapshot));
    assert!(snapshot.bodies[0].encloses_tool);
}

/// The loop asks no further than a full list can reach. The shortest certificate, which is what the
/// tool may move, is the same as if it asked as far as possible: while sliding, while lifting off
/// fast, and with other bodies nearby.
#[test]
fn asking_no_further_than_worthwhile_costs_no_certificate() {
    let tool = shapes::cuboid(&Vec3::repeat(0.004)).unwrap();
    let turning = ToolShape::mesh(tool.positions(), true);
    let (mut world, mut engine) = pair_with(turning, Some(tool), 200, 0.01);
    let ground = shapes::terrain([0.05, 0.05], 60, 0.002, 0.02, 5).unwrap();
    world
        .add_body(body("ground", BodyKind::Static, ground, Pose::identity()))
        .unwrap();
    let ball = shapes::torus(0.01, 0.003, 20, 10).unwrap();
    let mover = world
        .add_body(body(
            "mover",
            BodyKind::Kinematic,
            ball,
            Pose::translation(0.03, 0.0, 0.012),
        ))
        .unwrap();
    let mut waiting = std::collections::VecDeque::new();
    let (mut shortened, mut asked) = (0, 0);
    for k in 0..900 {
        if waiting.len() > 2
            && let Some(snapshot) = waiting.pop_front()
        {
            engine.receive(snapshot);
        }
        let t = f64::from(k) * 1e-3;
        // Down to the ground, along it, and off it at 5 m/s, three times.
        let cycle = k % 300;
        let z = match cycle {
            0..100 => 0.02 - 0.0002 * f64::from(cycle),
            100..290 => 0.0,
            _ => 0.005 * f64::from(cycle - 290),
        };
        tick(
            &mut engine,
            Pose::translation(0.03 * (7.0 * t).sin(), 0.01 * (3.0 * t).cos(), z),
        );
        if k % 100 == 0 {
            let x = if k % 200 == 0 { -0.01 } else { 0.03 };
            world
                .set_target(mover, &Pose::translation(x, 0.0, 0.012), 0.2)
                .unwrap();
        }
        let query = engine.query();
        let mut far = query;
        far.arms[0].reach_m = 0.05;
        let mut snapshots = [query, far].map(|q| {
            let mut snapshot = Box::new(Snapshot::new(1000));
            assert!(world.answer(&q, 0, &mut snapshot));
            snapshot
        });
        if k > 5 {
            let [near, far] = [&snapshots[0], &snapshots[1]].map(|s| {
                let margins = s.bodies.iter().map(|b| b.margin_m);
                margins.fold(f64::INFINITY, f64::min)
            });
            asked += 1;
            if query.arms[0].reach_m < 0.0099 {
                shortened += 1;
                // Ties at the end of a list are worth a thousandth.
                assert!(near > 0.998 * far - 1e-9, "tick {k}: {near} of {far}");
            }
        }
        snapshots.swap(0, 1);
        let [_, asked_for] = snapshots;
        waiting.push_back(asked_for);
    }
    assert!(10 * shortened > 8 * asked, "{shortened} of {asked}");
}

/// More pairs nearby than the capacity of an answer: which body is touched does not depend on its
/// place in the scene.
#[test]
fn the_last_of_several_dense_bodies_is_touched_like_the_first() {
    // A floor of few triangles, and two dense grounds beneath it that would take the whole capacity
    // if it were assigned in order.
    let dense = |name: &str, z: f64| {
        let mesh = shapes::sheet(0.012, 40).unwrap();
        let mut spec = body(name, BodyKind::Static, mesh, Pose::translation(0.0, 0.0, z));
        spec.solid = false;
        spec
    };
    let floor = || {
        let mesh = shapes::sheet(0.05, 4).unwrap();
        let mut spec = body("floor", BodyKind::Static, mesh, Pose::identity());
        spec.solid = false;
        spec
    };
    let orders = [
        vec![floor(), dense("one", -0.0005), dense("two", -0.0005)],
        vec![dense("one", -0.0005), dense("two", -0.0005), floor()],
    ];
    for bodies in orders {
        const PAIRS: usize = 128;
        let tool = shapes::cuboid(&Vec3::repeat(0.004)).unwrap();
        let turning = ToolShape::mesh(tool.positions(), true);
        let (mut world, mut engine) = pair_with(turning, Some(tool), PAIRS, 0.002);
        let last = bodies[2].name.clone();
        for spec in bodies {
            world.add_body(spec).unwrap();
        }
        let mut touched = 0;
        for k in 0..400 {
            let z = (0.012 - 0.00005 * f64::from(k)).max(0.002);
            tick(
                &mut engine,
                Pose::translation(1e-5 * f64::from(k), 0.001, z),
            );
            let out = &engine.output().arms[0];
            touched += u32::from(out.contacts[..out.contact_count].iter().any(|c| c.active));
            // The same capacity as in the daemon.
            let mut snapshot = Box::new(Snapshot::new(2 * PAIRS));
            assert!(world.answer(&engine.query(), 0, &mut snapshot));
            assert!(snapshot.pairs.len() <= 2 * PAIRS);
            engine.receive(snapshot);
        }
        assert!(touched > 200, "{last} last: touched in {touched} ticks");
    }
}

/// Unknown does not mean inside: the loop reports it once an answer has found it, for as long as
/// answers do.
#[test]
fn what_a_tool_is_inside_of_is_known_by_an_answer_only() {
    let cube = shapes::cuboid(&Vec3::repeat(0.02)).unwrap();
    let pin = shapes::cuboid(&Vec3::repeat(0.002)).unwrap();
    for (tool, mesh) in [
        (ToolShape::sphere(RADIUS_M), None),
        (ToolShape::mesh(pin.positions(), true), Some(pin)),
    ] {
        let (mut world, mut engine) = pair(tool, mesh);
        for (name, x) in [("around", 0.0), ("beside", 0.1)] {
            let pose = Pose::translation(x, 0.0, 0.0);
            world
                .add_body(body(name, BodyKind::Static, cube.clone(), pose))
                .unwrap();
        }
        let said = |engine: &mut Engine, z: f64| {
            tick(engine, Pose::translation(0.0, 0.0, z));
            let arm = &engine.output().arms[0];
            (arm.inside, arm.solid)
        };
        assert_eq!(said(&mut engine, 0.0), (0, 0), "no answer yet");
        for (z, expected) in [
            (0.0, (0b01, 0b10)),
            (0.015, (0b01, 0b10)),
            // Across the upper side.
            (0.021, (0b01, 0b10)),
            (0.03, (0b00, 0b11)),
        ] {
            // The answer after a tick at that place.
            tick(&mut engine, Pose::translation(0.0, 0.0, z));
            let snapshot = answer(&mut world, &engine);
            engine.receive(snapshot);
            assert_eq!(said(&mut engine, z), expected, "{z}");
        }
        // Placed inside again: nothing is known.
        let mut devices = [None; MAX_ARMS];
        devices[0] = Some(Pose::identity());
        engine.tick(&TickInput {
            period_s: 1e-3,
            devices,
            anchor: 1,
        });
        assert_eq!(engine.output().arms[0].inside, 0);
    }
}

/// 5,120 triangles 1 mm above 12,800: a full list ends 1.7 mm away, and the tool moves 1.5 mm
/// before its answer is used. The answer refers to where the tool will be, so only its motion in
/// one tick counts.
#[test]
fn a_dense_tool_over_a_dense_floor_is_not_held_back() {
    let mesh = shapes::icosphere(0.02, 4).unwrap();
    let tool = ToolShape::mesh(mesh.positions(), true);
    let (mut world, mut engine) = pair_with(tool, Some(mesh), 4096, 0.0008);
    let floor = shapes::sheet(0.05, 80).unwrap();
    let mut floor = body("floor", BodyKind::Static, floor, Pose::identity());
    floor.solid = false;
    world.add_body(floor).unwrap();
    let mut waiting = std::collections::VecDeque::new();
    let (mut starved, mut full) = (0, 0);
    for k in 0..1000 {
        if waiting.len() > 2
            && let Some(snapshot) = waiting.pop_front()
        {
            engine.receive(snapshot);
        }
        let t = f64::from(k) * 1e-3;
        let down = (t / 0.4).min(1.0);
        // Circling at 0.5 m/s.
        let (sin, cos) = (20.0 * t).sin_cos();
        let at = Pose::translation(0.025 * sin, 0.025 * cos, 0.041 - 0.02 * down);
        tick(&mut engine, at);
        let snapshot = {
            let mut snapshot = Box::new(Snapshot::new(8192));
            assert!(world.answer(&engine.query(), 0, &mut snapshot));
            snapshot
        };
        if k >= 500 {
            starved += u32::from(engine.output().arms[0].starved);
            full += u32::from(snapshot.bodies[0].full);
        }
        waiting.push_back(snapshot);
    }
    assert!(full > 400, "full in {full} of 500 ticks");
    assert!(starved < 5, "starved in {starved} of 500 ticks");
}

/// As fast as a client may move a body: the tool that yields to it is pushed one way, and the body
/// arrives. (At 20 m/s the tool went to and fro by 20 mm in every tick. Friction carried it by the
/// body's step once in each round of the tick, and then the certificate had nothing left for the
/// body.)
#[test]
fn a_fast_body_pushes_a_tool_one_way_and_arrives() {
    for (speed_m_s, late) in [2.0, 5.0, 12.0, 16.0, 20.0]
        .into_iter()
        .flat_map(|speed| [0, 1, 2, 4, 8].map(|late| (speed, late)))
    {
        for (k, friction) in (0..8).flat_map(|k| [0.0, 0.3].map(|friction| (k, friction))) {
            let tool = ToolShape::sphere(RADIUS_M);
            let (mut world, mut engine) = pair_within(tool, None, 1024, (0.0008, 0.02));
            let slab = shapes::cuboid(&Vec3::new(0.05, 0.05, 0.01)).unwrap();
            let start_m = 0.15 + 0.0019 * f64::from(k);
            let start = Pose::translation(0.0, 0.0, start_m);
            let mut slab = body("slab", BodyKind::Kinematic, slab, start);
            slab.material.friction = friction;
            let id = world.add_body(slab).unwrap();
            let mut waiting = std::collections::VecDeque::new();
            let (mut last_m, mut back_m) = (0.0, 0.0_f64);
            for k in 0..400 {
                if k == 20 {
                    let to = Pose::translation(0.0, 0.0, -0.08);
                    world.set_target(id, &to, speed_m_s).unwrap();
                }
                while waiting.len() > late {
                    engine.receive(waiting.pop_front().unwrap());
                }
                tick(&mut engine, Pose::identity());
                let z = engine.output().arms[0].proxy.translation.vector.z;
                back_m = back_m.max(z - last_m);
                last_m = z;
                waiting.push_back(answer(&mut world, &engine));
            }
            let slab = engine.bodies().next().unwrap().pose.translation.vector;
            let run = format!("{speed_m_s} m/s from {start_m}, mu {friction}, {late} ticks late");
            assert!(back_m < 1e-4, "{run}: back by {back_m} m");
            assert!((slab.z + 0.08).abs() < 1e-9, "{run}: {}", slab.z);
        }
    }
}
