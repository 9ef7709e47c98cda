//! A world with its mid-phase on a GPU answers like one without, bit for bit, whatever happens to
//! the GPU.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;

use std::sync::Arc;

use common::{Random, gpu};
use hapticd_ccd::{MeshIndex, MidPhase, MidPhaseQuery, MidPhaseStats};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{ArmQuery, BodyPose, Material, MidPhaseShare, Query, Snapshot, ToolShape};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};
use hapticd_shaders::{Breaker, GpuMidPhase, Limits, Patience};

/// Every pair is worth a query, and every answer is waited for.
const ALL: Limits = Limits {
    triangles: 0,
    candidates: 1 << 15,
    patience: Patience::Answer,
    late: 8,
};

const CLEARANCE_M: f64 = 8e-6;

fn spec(name: &str, kind: BodyKind, mesh: TriMesh, at: Vec3) -> BodySpec {
    BodySpec {
        name: name.to_owned(),
        kind,
        shape: Shape::of(mesh).0,
        solid: false,
        world_from_body: Pose::from_parts(at.into(), Quat::identity()),
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

/// Three arms with a ball, a torus and a cube, among five bodies, two of which move, one with
/// coordinates far from its origin.
fn scene(pairs_per_body: usize) -> Scene {
    let mut world = Scene::new(CLEARANCE_M, pairs_per_body);
    world.set_tool(0, Shape::point(), ToolShape::sphere(0.01));
    for (arm, mesh) in [
        (1, shapes::torus(0.03, 0.01, 24, 12).unwrap()),
        (2, shapes::cuboid(&Vec3::new(0.03, 0.02, 0.01)).unwrap()),
    ] {
        let tool = ToolShape::mesh(mesh.positions(), true);
        world.set_tool(arm, Shape::of(mesh).0, tool);
    }
    let far = Vec3::new(300.0, -200.0, 90.0);
    let ball = shapes::icosphere(0.03, 2).unwrap();
    let moved = ball.positions().iter().map(|p| p + far).collect();
    let moved = TriMesh::new(moved, ball.triangles().to_vec()).unwrap();
    let ground = shapes::terrain([0.15, 0.15], 24, 0.005, 0.05, 11).unwrap();
    let table = shapes::sheet(0.1, 12).unwrap();
    for spec in [
        spec("ground", BodyKind::Static, ground, Vec3::zeros()),
        spec("table", BodyKind::Static, table, Vec3::new(0.0, 0.0, 0.02)),
        spec(
            "ball",
            BodyKind::Kinematic,
            ball,
            Vec3::new(0.05, 0.0, 0.03),
        ),
        spec(
            "far",
            BodyKind::Static,
            moved,
            Vec3::new(0.0, 0.05, 0.03) - far,
        ),
        spec(
            "block",
            BodyKind::Kinematic,
            shapes::block_with_hole(&Vec3::new(0.03, 0.02, 0.02), 0.01).unwrap(),
            Vec3::new(-0.05, 0.0, 0.04),
        ),
    ] {
        world.add_body(spec).unwrap();
    }
    world
}

fn pose(chance: &mut Random, spread: f64) -> Pose {
    // Every third unrotated, so that faces are parallel and distances equal.
    let turn = match chance.below(3) {
        0 => Quat::identity(),
        _ => Quat::from_scaled_axis(chance.vector() * 2.0),
    };
    let at = Vec3::new(0.0, 0.0, 0.03) + chance.vector() * spread;
    Pose::from_parts(at.into(), turn)
}

/// Tools and moving bodies are anywhere; the reach is arbitrary.
fn query(world: &Scene, tick: u64, chance: &mut Random) -> Query {
    let mut query = Query {
        tick,
        ..Query::default()
    };
    for arm in &mut query.arms[..3] {
        *arm = ArmQuery {
            present: chance.below(8) > 0,
            world_from_tool: pose(chance, 0.06),
            reach_m: [5e-4, 2e-3, 0.01, 0.05][chance.below(4)],
            solid: chance.bits(),
            ..*arm
        };
    }
    for info in world.infos() {
        let moves = info.kind != BodyKind::Static && chance.below(3) > 0;
        query.bodies[query.body_count] = BodyPose {
            key: info.key,
            world_from_body: if moves {
                pose(chance, 0.05)
            } else {
                info.initial
            },
        };
        query.body_count += 1;
    }
    query
}

/// Answers of both worlds, arm by arm; they must agree to the last bit.
fn same(with: &mut Scene, without: &mut Scene, query: &Query, room: usize) -> usize {
    let mut listed = 0;
    with.advance(query, 1e-3);
    without.advance(query, 1e-3);
    for arm in 0..4 {
        let (mut one, mut other) = (Snapshot::new(room), Snapshot::new(room));
        assert_eq!(
            with.answer(query, arm, &mut one),
            without.answer(query, arm, &mut other)
        );
        // Only the share of the GPU differs.
        assert_eq!(other.midphase, MidPhaseShare::default());
        assert!(usize::from(one.midphase.bodies) <= one.bodies.len());
        one.midphase = other.midphase;
        // The shortest text that reproduces a number: other bits give another text.
        assert!(
            format!("{one:?}") == format!("{other:?}"),
            "arm {arm} of {query:?}"
        );
        listed += one.pairs.len();
    }
    listed
}

fn facts(world: &Scene) -> &MidPhaseStats {
    world.midphase().unwrap().facts()
}

fn with(mut world: Scene, limits: Limits) -> (Scene, Breaker) {
    let midphase = GpuMidPhase::new(gpu(), limits).unwrap();
    let breaker = midphase.gpu().breaker();
    world.set_midphase(Box::new(midphase));
    (world, breaker)
}

/// The device on a separate thread, which ends with the world.
fn beside(mut world: Scene, limits: Limits) -> (Scene, Breaker, std::thread::JoinHandle<()>) {
    let midphase = GpuMidPhase::new(gpu(), limits).unwrap();
    let breaker = midphase.gpu().breaker();
    let (midphase, device) = midphase.beside();
    let thread = std::thread::spawn(|| device.serve());
    world.set_midphase(Box::new(midphase));
    (world, breaker, thread)
}

#[test]
fn another_threads_answers_are_the_same_bit_for_bit() {
    let mut chance = Random(67);
    let mut without = scene(200);
    let (mut with, breaker, thread) = beside(scene(200), ALL);
    for tick in 0..30 {
        let mesh = shapes::icosphere(0.02, 2).unwrap();
        let at = chance.vector() * 0.05;
        let ids = [&mut with, &mut without].map(|world| {
            let spec = spec("passer-by", BodyKind::Kinematic, mesh.clone(), at);
            world.add_body(spec).unwrap()
        });
        if tick == 20 {
            let facts = facts(&with);
            assert!(
                facts.answered > 50 && facts.given_up.is_empty(),
                "{facts:?}"
            );
            breaker.lose();
        }
        let query = query(&without, tick, &mut chance);
        same(&mut with, &mut without, &query, 1000);
        for (world, id) in [&mut with, &mut without].into_iter().zip(ids) {
            world.remove_body(id).unwrap();
        }
    }
    let facts = facts(&with);
    assert!(facts.given_up.contains("lost"), "{facts:?}");
    drop(with);
    thread.join().unwrap();
}

#[test]
fn answers_are_the_same_bit_for_bit() {
    let mut chance = Random(41);
    let (mut answered, mut sent, mut listed) = (0, 0, 0);
    // Lists that are nearly always full, sometimes full, and never full.
    for pairs_per_body in [16, 200, 4096] {
        for room in [400, 20_000] {
            let mut without = scene(pairs_per_body);
            let (mut with, _) = with(scene(pairs_per_body), ALL);
            for tick in 0..40 {
                let query = query(&without, tick, &mut chance);
                listed += same(&mut with, &mut without, &query, room);
            }
            let facts = facts(&with);
            assert!(facts.given_up.is_empty() && facts.late == 0, "{facts:?}");
            answered += facts.answered;
            sent += facts.sent;
        }
    }
    println!("{sent} questions, {answered} answered, {listed} pairs listed");
    assert!(answered > 1_000 && listed > 100_000);
}

#[test]
fn bodies_that_come_and_go_are_the_same_and_leave_nothing_behind() {
    let mut chance = Random(43);
    let mut without = scene(200);
    let (mut with, _) = with(scene(200), ALL);
    for tick in 0..12 {
        let mesh = shapes::icosphere(0.02, 2).unwrap();
        let at = chance.vector() * 0.05;
        let add = |world: &mut Scene| {
            let spec = spec("passer-by", BodyKind::Kinematic, mesh.clone(), at);
            world.add_body(spec).unwrap()
        };
        let id = add(&mut with);
        assert_eq!(id, add(&mut without));
        let query = query(&without, tick, &mut chance);
        same(&mut with, &mut without, &query, 1000);
        for world in [&mut with, &mut without] {
            world.remove_body(id).unwrap();
        }
    }
    assert!(facts(&with).answered > 50);

    let mut midphase = GpuMidPhase::new(gpu(), ALL).unwrap();
    let shape = |n| Arc::new(MeshIndex::new(shapes::icosphere(0.1, n).unwrap()));
    let (kept, tip) = (shape(1), Arc::new(MeshIndex::point(Vec3::zeros())));
    let at = Pose::translation(0.0, 0.0, 0.19);
    let mut first = None;
    for n in [2, 3, 1, 2] {
        let passing = shape(n);
        for shape in [&passing, &kept, &kept, &tip] {
            midphase.prepare(shape);
        }
        assert_eq!(midphase.shapes(), 2);
        let ask = |a, b| MidPhaseQuery {
            a,
            b,
            b_from_a: at,
            reach_m: 0.01,
        };
        let asks = [ask(&tip, &kept), ask(&kept, &kept), ask(&passing, &kept)];
        midphase.ask(&mut asks.into_iter());
        assert!(midphase.candidates(0).is_none());
        let found = midphase.candidates(1).unwrap().to_vec();
        assert!(!found.is_empty() && found.len() < 80 * 80);
        // The remaining shape is the same, wherever its data has moved.
        assert_eq!(first.get_or_insert_with(|| found.clone()), &found);
        assert!(!midphase.candidates(2).unwrap().is_empty());
        assert!(midphase.candidates(3).is_none());
    }
}

#[test]
fn an_answer_that_nobody_waited_for_is_not_taken_for_the_next() {
    let mut midphase = GpuMidPhase::new(gpu(), ALL).unwrap();
    let ball = Arc::new(MeshIndex::new(shapes::icosphere(0.1, 2).unwrap()));
    midphase.prepare(&ball);
    let ask = |z: f64| MidPhaseQuery {
        a: &ball,
        b: &ball,
        b_from_a: Pose::translation(0.0, 0.0, z),
        reach_m: 0.001,
    };
    midphase.ask(&mut [ask(0.1)].into_iter());
    let near = midphase.candidates(0).unwrap().len();
    for _ in 0..4 {
        midphase.ask(&mut [ask(0.1)].into_iter());
        midphase.ask(&mut [ask(0.3), ask(0.1)].into_iter());
        assert_eq!(midphase.candidates(0), Some(&[][..]));
        assert_eq!(midphase.candidates(1).unwrap().len(), near);
    }
    assert!(near > 100);
}

#[test]
fn a_list_without_room_is_the_cpus() {
    let mut chance = Random(47);
    let mut without = scene(4096);
    let limits = Limits {
        candidates: 500,
        ..ALL
    };
    let (mut with, _) = with(scene(4096), limits);
    for tick in 0..40 {
        let query = query(&without, tick, &mut chance);
        same(&mut with, &mut without, &query, 20_000);
    }
    let facts = facts(&with);
    assert!(facts.short > 50 && facts.answered > 50, "{facts:?}");
}

#[test]
fn a_lost_device_costs_nothing_but_time() {
    let mut chance = Random(53);
    let mut without = scene(200);
    let (mut with, breaker) = with(scene(200), ALL);
    for tick in 0..20 {
        if tick == 10 {
            assert!(facts(&with).answered > 50);
            breaker.lose();
        }
        let query = query(&without, tick, &mut chance);
        same(&mut with, &mut without, &query, 1000);
    }
    let lost = facts(&with).clone();
    assert!(lost.given_up.contains("lost"), "{lost:?}");
    let query = query(&without, 20, &mut chance);
    same(&mut with, &mut without, &query, 1000);
    assert_eq!(facts(&with), &lost, "it is not asked again");
}

#[test]
fn what_is_always_late_is_given_up() {
    let mut chance = Random(59);
    let mut without = scene(200);
    let limits = Limits {
        patience: Patience::Looks(0),
        ..ALL
    };
    let (mut with, _) = with(scene(200), limits);
    let mut tick = 0;
    while facts(&with).given_up.is_empty() {
        assert!(tick < 10, "{:?}", facts(&with));
        let query = query(&without, tick, &mut chance);
        same(&mut with, &mut without, &query, 1000);
        tick += 1;
    }
    let hung = facts(&with).clone();
    assert_eq!(hung.answered, 0);
    assert!(
        hung.given_up == "the GPU was late 8 times" && hung.late > 8,
        "{hung:?}"
    );
    let query = query(&without, tick, &mut chance);
    same(&mut with, &mut without, &query, 1000);
    assert_eq!(facts(&with), &hung, "it is not asked again");
}

#[test]
fn numbers_out_of_range_and_small_meshes_are_the_cpus() {
    let mut chance = Random(61);
    let add = |mut world: Scene| {
        let cube = shapes::cuboid(&Vec3::repeat(0.01)).unwrap();
        let at = Vec3::new(2e6, 0.0, 0.0);
        let spec = spec("beyond", BodyKind::Static, cube, at);
        world.add_body(spec).unwrap();
        world
    };
    let mut without = add(scene(200));
    let (mut beyond, _) = with(add(scene(200)), ALL);
    // One more than any two meshes have, and as many as the largest two.
    let most = without.largest_pair();
    let limits = |triangles| Limits { triangles, ..ALL };
    let (mut small, _) = with(scene(200), limits(most + 1));
    for tick in 0..10 {
        let query = query(&without, tick, &mut chance);
        same(&mut beyond, &mut without, &query, 1000);
    }
    let facts_beyond = facts(&beyond);
    assert!(
        facts_beyond.refused > 50 && facts_beyond.sent == 0 && facts_beyond.given_up.is_empty()
    );

    let mut without = scene(200);
    let mut query = query(&without, 0, &mut chance);
    for arm in &mut query.arms[..3] {
        arm.present = true;
    }
    same(&mut small, &mut without, &query, 1000);
    assert_eq!(facts(&small).sent, 0);
    let (mut worth, _) = with(scene(200), limits(most));
    let mut without = scene(200);
    same(&mut worth, &mut without, &query, 1000);
    assert_eq!(facts(&worth).sent, 1);
}
