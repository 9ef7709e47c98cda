//! Work of answers compared with its bound: ordinary meshes, and meshes built to be costly. `cargo
//! bench -p hapticd-scene --bench effort`.
//!
//! The work is counted and is the same everywhere; times are the least of several passes. Every
//! scene has one arm and one body.
#![allow(missing_docs, clippy::print_stdout)]

use std::time::Instant;

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{ArmQuery, Distances, Material, Query, Snapshot, ToolShape};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape, effort};
use hapticd_testkit::meshes::{fan, tangle};

const PAIRS: usize = 4096;
const PASSES: usize = 5;

fn lumpy_ball(level: u32) -> TriMesh {
    let ball = shapes::icosphere(1.0, level).unwrap();
    let lumpy = |p: &Vec3| {
        let bump = (7.0 * p.x).sin() * (6.0 * p.y).cos() + (5.0 * p.z).sin();
        p * (0.03 * (1.0 + 0.05 * bump))
    };
    let positions = ball.positions().iter().map(lumpy).collect();
    TriMesh::new(positions, ball.triangles().to_vec()).unwrap()
}

fn world(tool: Option<&TriMesh>, body: &Shape, solid: bool) -> Scene {
    let mut world = Scene::new(Distances::for_width(0.2).clearance_m, PAIRS);
    match tool {
        Some(mesh) => {
            let shape = ToolShape::mesh(mesh.positions(), true);
            world.set_tool(0, Shape::of(mesh.clone()).0, shape);
        }
        None => world.set_tool(0, Shape::point(), ToolShape::sphere(0.005)),
    }
    world
        .add_body(BodySpec {
            name: "body".into(),
            kind: BodyKind::Static,
            shape: body.clone(),
            solid,
            world_from_body: Pose::identity(),
            restitution: 0.0,
            density_kg_m3: 1000.0,
            material: Material {
                stiffness_n_per_m: 1000.0,
                damping_n_s_per_m: 1.0,
                friction: 0.3,
                force_shading: false,
            },
        })
        .unwrap();
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

fn main() {
    let torus = shapes::torus(0.03, 0.01, 100, 50).unwrap();
    let block = shapes::cuboid(&Vec3::repeat(0.005)).unwrap();
    let pin = shapes::cylinder(0.01, 0.015, 24).unwrap();
    let bumpy = shapes::terrain([0.03, 0.03], 70, 0.0005, 0.02, 3).unwrap();
    let tools = [
        ("ball", None),
        ("cube", Some(&block)),
        ("pin, 92", Some(&pin)),
        ("torus, 10k", Some(&torus)),
        ("block, 20k", Some(&bumpy)),
    ];
    let bodies = [
        (
            "terrain, 13k",
            shapes::terrain([0.15, 0.15], 80, 0.015, 0.05, 7).unwrap(),
            true,
        ),
        (
            "terrain, 100k",
            shapes::terrain([0.15, 0.15], 224, 0.005, 0.05, 11).unwrap(),
            true,
        ),
        ("flat sheet, 100k", shapes::sheet(0.15, 224).unwrap(), false),
        (
            "hole, 24",
            shapes::block_with_hole(&Vec3::new(0.06, 0.06, 0.01), 0.0105).unwrap(),
            true,
        ),
        ("ball, 80k", lumpy_ball(6), true),
        ("ball, 1.3M", lumpy_ball(8), true),
        ("tangle, 5k", tangle(5_000).unwrap(), false),
        ("tangle, 20k", tangle(20_000).unwrap(), false),
        ("tangle, 50k", tangle(50_000).unwrap(), false),
        ("fan, 50k", fan(50_000).unwrap(), false),
    ];
    for (body_name, mesh, solid) in bodies {
        let body = Shape::of(mesh).0;
        for (tool_name, tool) in tools {
            let mut world = world(tool, &body, solid);
            let mut out = Snapshot::new(2 * PAIRS);
            for reach_m in [0.0008, 0.005, 0.02] {
                let (mut search, mut enclosure, mut most_us, mut exhausted, mut undecided) =
                    (0, 0, 0.0_f64, 0, 0);
                let mut least_margin = f64::INFINITY;
                for k in 0..20 {
                    let s = f64::from(k) / 20.0;
                    let turn = Quat::from_scaled_axis(Vec3::new(0.3 * s, 0.1, s));
                    let mut at = Vec3::new(0.01 * s, -0.008 * s, 0.08);
                    // Lowered until it is 0.2 mm off the surface.
                    for _ in 0..60 {
                        let pose = Pose::from_parts(at.into(), turn);
                        world.answer(&query(pose, 0.1), 0, &mut out);
                        let entry = &out.bodies[0];
                        let nearest = (out.pairs.first()).map_or(f64::INFINITY, |p| p.distance_m);
                        let gap = nearest.min(entry.margin_m.max(0.0));
                        if body_name.starts_with("tangle") {
                            at.z = 0.01 + 0.01 * s;
                            break;
                        }
                        if gap < 3e-4 {
                            break;
                        }
                        at.z -= 0.8 * (gap - 2e-4);
                    }
                    let asked = query(Pose::from_parts(at.into(), turn), reach_m);
                    let mut us = f64::INFINITY;
                    for _ in 0..PASSES {
                        let start = Instant::now();
                        world.answer(&asked, 0, &mut out);
                        us = us.min(start.elapsed().as_nanos() as f64 * 1e-3);
                    }
                    let spent = world.spent();
                    search = search.max(spent.search);
                    enclosure = enclosure.max(spent.enclosure);
                    exhausted += spent.exhausted;
                    undecided += spent.undecided;
                    most_us = most_us.max(us);
                    least_margin = least_margin.min(out.bodies[0].margin_m);
                }
                println!(
                    "{body_name:<18} {tool_name:<11} reach {:5.1} mm: search {search:>7}, enclosure {enclosure:>6}, {most_us:>7.0} us at most; given up {exhausted}, undecided {undecided} of 20; least margin {:.4} mm",
                    1e3 * reach_m,
                    1e3 * least_margin
                );
            }
        }
    }
    println!(
        "at most {} for the searches of an answer; {} and {} for enclosures",
        effort::SEARCHES,
        effort::ENCLOSURE,
        effort::ENCLOSURES
    );
}
