//! Answers about meshes that are built to be costly: how much work they take, what other bodies
//! lose by them, and that nothing is penetrated.

use hapticd_ccd::Proximity;
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{
    ArmQuery, ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material, Query,
    Snapshot, TickInput, ToolShape,
};
use hapticd_scene::effort::{ENCLOSURES, MAX_SEARCHES, SEARCHES};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};
use hapticd_testkit::Random;
use hapticd_testkit::meshes::{fan, tangle};

const PAIRS: usize = 4096;
const RADIUS_M: f64 = 0.005;

fn body(name: String, shape: &Shape, pose: Pose) -> BodySpec {
    BodySpec {
        name,
        kind: BodyKind::Static,
        shape: shape.clone(),
        solid: false,
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

fn tools() -> [Option<TriMesh>; 3] {
    [
        None,
        Some(shapes::cuboid(&Vec3::repeat(0.002)).unwrap()),
        Some(shapes::torus(0.02, 0.006, 50, 24).unwrap()),
    ]
}

fn shape_of(tool: Option<&TriMesh>) -> (Shape, ToolShape) {
    match tool {
        Some(mesh) => (
            Shape::of(mesh.clone()).0,
            ToolShape::mesh(mesh.positions(), true),
        ),
        None => (Shape::point(), ToolShape::sphere(RADIUS_M)),
    }
}

fn world(tool: Option<&TriMesh>) -> Scene {
    let mut world = Scene::new(Distances::for_width(0.2).clearance_m, PAIRS);
    let (shape, tool) = shape_of(tool);
    world.set_tool(0, shape, tool);
    world
}

fn query(pose: Pose, reach_m: f64) -> Query {
    let mut query = Query::default();
    query.arms[0] = ArmQuery {
        present: true,
        world_from_tool: pose,
        world_from_goal: pose,
        reach_m,
        ..query.arms[0]
    };
    query
}

#[test]
fn an_answer_is_bounded_whatever_the_meshes_are() {
    let costly = [tangle(50_000).unwrap(), fan(50_000).unwrap()].map(|mesh| Shape::of(mesh).0);
    let mut out = Snapshot::new(2 * PAIRS);
    let (mut exhausted, mut most) = (0, 0);
    for tool in tools() {
        for copies in [1, 12] {
            let mut world = world(tool.as_ref());
            for (k, shape) in costly.iter().enumerate() {
                for i in 0..copies {
                    let at = Pose::translation(0.0, 0.0, 1e-3 * f64::from(i));
                    let spec = body(format!("{k} {i}"), shape, at);
                    world.add_body(spec).unwrap();
                }
            }
            for reach_m in [0.0008, 0.02] {
                let at = Pose::translation(0.001, 0.002, 0.0035);
                assert!(world.answer(&query(at, reach_m), 0, &mut out));
                let spent = world.spent();
                assert!(spent.search <= MAX_SEARCHES, "{spent:?}");
                assert!(spent.enclosure <= ENCLOSURES, "{spent:?}");
                exhausted += spent.exhausted;
                most = most.max(spent.search);
            }
        }
    }
    assert!(exhausted > 20 && most > SEARCHES / 2, "{exhausted} {most}");
}

/// A hedgehog of many separate boxes that all overlap the tool, although none of its triangles
/// touches it.
#[test]
fn finding_out_whether_a_tool_is_inside_is_bounded() {
    let mut random = Random::new(7);
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    while triangles.len() < 50_000 {
        // In planes that miss the tool.
        let n = random.vector().normalize();
        let u = n.cross(&random.vector()).normalize();
        let (c, v) = (n * 0.006, n.cross(&u));
        let base = positions.len() as u32;
        positions.extend([
            c + u * 0.05,
            c - u * 0.03 + v * 0.04,
            c - u * 0.03 - v * 0.04,
        ]);
        triangles.push([base, base + 1, base + 2]);
    }
    let shape = Shape::of(TriMesh::new(positions, triangles).unwrap()).0;
    let [_, cube, _] = tools();
    let mut world = world(cube.as_ref());
    for i in 0..8 {
        world
            .add_body(body(format!("{i}"), &shape, Pose::identity()))
            .unwrap();
    }
    let mut out = Snapshot::new(2 * PAIRS);
    assert!(world.answer(&query(Pose::identity(), 0.0008), 0, &mut out));
    let spent = world.spent();
    assert!(spent.enclosure <= ENCLOSURES, "{spent:?}");
    assert_eq!(spent.undecided, 8, "{spent:?}");
    assert!(out.bodies.iter().all(|entry| entry.encloses_tool));
}

#[test]
fn a_body_beside_costly_ones_has_its_whole_answer() {
    let ground = Shape::of(shapes::terrain([0.15, 0.15], 80, 0.015, 0.05, 7).unwrap()).0;
    let costly = Shape::of(tangle(20_000).unwrap()).0;
    for tool in [None, Some(shapes::cuboid(&Vec3::repeat(0.002)).unwrap())] {
        for (first, copies) in [(true, 40), (false, 40), (true, 1)] {
            let mut alone = world(tool.as_ref());
            let mut beside = world(tool.as_ref());
            let spec = || body("ground".into(), &ground, Pose::identity());
            alone.add_body(spec()).unwrap();
            if first {
                beside.add_body(spec()).unwrap();
            }
            let at = Pose::translation(0.02, 0.01, 0.02);
            for i in 0..copies {
                beside.add_body(body(format!("{i}"), &costly, at)).unwrap();
            }
            if !first {
                beside.add_body(spec()).unwrap();
            }
            // Capacity for all pairs: a lack of it is a separate matter.
            let [mut one, mut other] = [0; 2].map(|_| Snapshot::new(64 * PAIRS));
            let asked = query(at, 0.002);
            assert!(alone.answer(&asked, 0, &mut one) && beside.answer(&asked, 0, &mut other));
            assert!(beside.spent().exhausted > 0 || copies == 1 && tool.is_none());
            let expected = &one.bodies[0];
            let near = |e: &&hapticd_proxy::BodyEntry| e.bound_m == expected.bound_m;
            let found = other.bodies.iter().find(near).unwrap();
            assert_eq!(found.margin_m.to_bits(), expected.margin_m.to_bits());
            let bits = |s: &Snapshot, e| {
                let pair = |p: &hapticd_proxy::Pair| {
                    (p.tool_feature, p.body_feature, p.distance_m.to_bits())
                };
                s.pairs_of(e).iter().map(pair).collect::<Vec<_>>()
            };
            assert_eq!(bits(&other, found), bits(&one, expected));
        }
    }
}

/// The scenes of the demonstrations use a fifth of the budget at most, and the answer is that of an
/// unbounded query.
#[test]
fn ordinary_meshes_lose_nothing() {
    let hole = shapes::block_with_round_hole(&Vec3::new(0.06, 0.06, 0.01), 0.0105, 24);
    let bodies = [
        shapes::terrain([0.15, 0.15], 80, 0.015, 0.05, 7),
        shapes::cuboid(&Vec3::repeat(0.02)),
        shapes::icosphere(0.015, 3),
        shapes::cylinder(0.008, 0.03, 24),
        hole,
    ];
    let pin = shapes::cylinder(0.01, 0.015, 24).unwrap();
    let cube = shapes::cuboid(&Vec3::repeat(0.005)).unwrap();
    let mut free = Proximity::new(PAIRS);
    let mut out = Snapshot::new(2 * PAIRS);
    let mut most = 0;
    for mesh in bodies {
        let shape = Shape::of(mesh.unwrap()).0;
        for tool in [None, Some(&pin), Some(&cube)] {
            let mut world = world(tool);
            world
                .add_body(body("one".into(), &shape, Pose::identity()))
                .unwrap();
            let (tool_shape, view) = shape_of(tool);
            for i in 0..40 {
                let s = f64::from(i) / 40.0;
                let turn = Quat::from_scaled_axis(Vec3::new(s, 0.3 * s, -0.5 * s));
                let at = Vec3::new(0.03 * s, 0.02 - 0.05 * s, 0.02 + 0.01 * s);
                let pose = Pose::from_parts(at.into(), turn);
                for reach_m in [0.0008, 0.005] {
                    assert!(world.answer(&query(pose, reach_m), 0, &mut out));
                    let spent = world.spent();
                    assert_eq!((spent.exhausted, spent.undecided), (0, 0));
                    most = most.max(spent.search);
                    let radius = view.radius_m;
                    let all = free.query(&tool_shape.index, radius, &shape.index, &pose, reach_m);
                    let entry = &out.bodies[0];
                    let found = out.pairs_of(entry).iter();
                    let bits = |d: f64| d.to_bits();
                    assert!(
                        found
                            .map(|p| (bits(p.distance_m), p.tool_feature, p.body_feature))
                            .eq(all.pairs.iter().map(|p| (
                                bits(p.distance),
                                p.feature_a,
                                p.feature_b
                            )))
                    );
                    if !all.pairs.is_empty() {
                        let clearance_m = Distances::for_width(0.2).clearance_m;
                        assert_eq!(entry.margin_m, all.complete_to - clearance_m);
                    }
                }
            }
        }
    }
    assert!(most < SEARCHES / 5, "{most}");
}

/// Tools are dragged through the middle of costly bodies. Features that an answer does not know are
/// not penetrated.
#[test]
fn no_tool_goes_through_a_costly_body() {
    let distances = Distances::for_width(0.2);
    let mut given_up = 0;
    for (mesh, name) in [
        (tangle(50_000).unwrap(), "tangle"),
        (fan(50_000).unwrap(), "fan"),
    ] {
        let shape = Shape::of(mesh).0;
        for tool in tools() {
            let (tool_shape, view) = shape_of(tool.as_ref());
            let mut world = world(tool.as_ref());
            world
                .add_body(body("one".into(), &shape, Pose::identity()))
                .unwrap();
            let mut setups = [None; MAX_ARMS];
            setups[0] = Some(ArmSetup {
                shape: view,
                distances,
                gains: Gains::default(),
                damping: Damping::default(),
                interaction: Interaction::default(),
                pair_budget: 256,
                reach_max_m: 0.02,
                reach_min_m: 20.0 * distances.safe_m,
            });
            let mut engine = Engine::new(setups, 0.003);
            let mut near = Proximity::new(1);
            let mut out_at = f64::NAN;
            let (mut exhausted, mut least, mut touched) = (0, f64::INFINITY, 0);
            // In and out again.
            let mut deepest = f64::INFINITY;
            for k in 0..200 {
                let t = (f64::from(k) / 100.0).min(2.0 - f64::from(k) / 100.0);
                let hand = Pose::translation(0.09 - 0.18 * t, 0.004, 0.003);
                let mut devices = [None; MAX_ARMS];
                devices[0] = Some(hand);
                engine.tick(&TickInput {
                    period_s: 1e-3,
                    devices,
                    anchor: 0,
                });
                let arm = &engine.output().arms[0];
                let (proxy, solid) = (arm.proxy, arm.solid);
                touched += arm.contact_count;
                // A tick is shorter than any tool, so a tool that penetrated something would
                // straddle it.
                if solid == 1 {
                    let (tool, radius) = (&tool_shape.index, view.radius_m);
                    let found = near.query(tool, radius, &shape.index, &proxy, 0.05);
                    least = found.pairs.first().map_or(least, |p| least.min(p.distance));
                }
                out_at = proxy.translation.x;
                deepest = deepest.min(proxy.translation.x);
                let mut snapshot = Box::new(Snapshot::new(2 * PAIRS));
                assert!(world.answer(&engine.query(), 0, &mut snapshot));
                exhausted += world.spent().exhausted;
                engine.receive(snapshot);
                let _ = engine.take_retired();
            }
            let name = format!("{name}, {} triangles", tool_shape.triangles());
            assert!(least > 0.4 * distances.clearance_m, "{name}: {least}");
            assert!(deepest > 0.0, "{name}: it was at {deepest}");
            // A ball finds its way back. Other tools may stay in such a body until it is removed:
            // too little is known about the features near them.
            let is_ball = tool.is_none();
            assert!(!is_ball || out_at > 0.08, "{name}: it is at {out_at}");
            assert!(touched > 0 || exhausted > 0, "{name}");
            given_up += exhausted;
        }
    }
    assert!(given_up > 100, "{given_up}");
}
