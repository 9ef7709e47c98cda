//! How long an answer of the world takes, with the CPU alone and with the GPU's mid-phase, read-back included.
//!
//! `cargo bench -p hapticd-shaders --bench near`; `HAPTICD_GPU=software` stands a driver in that computes on the CPU. A tool slides over a ground; every
//! query is answered by both, in turns, and the answers must be the same. *Asked* is how often the GPU answered in full.
// A program.
#![allow(missing_docs, clippy::print_stdout)]

use std::time::Instant;

use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_haptics::{Material, Query, Snapshot, ToolShape};
use hapticd_shaders::{Choice, Gpu, GpuMidPhase, Limits, Patience};
use hapticd_world::{BodyKind, BodySpec, Shape, World};

/// Pairs of a body that an answer lists, as the daemon has it when nothing is said.
const PAIRS: usize = 4096;
const QUERIES: u32 = 200;

fn world(tool: &Shape, points: &TriMesh, ground: &Shape) -> World {
    let mut world = World::new(8e-6, PAIRS);
    let shape = ToolShape::mesh(points.positions(), true);
    world.set_tool(0, tool.clone(), shape);
    world
        .add_body(BodySpec {
            name: "ground".into(),
            kind: BodyKind::Static,
            shape: ground.clone(),
            solid: false,
            world_from_body: Pose::identity(),
            restitution: 0.0,
            density_kg_m3: 1000.0,
            material: Material {
                stiffness_n_per_m: 1000.0,
                damping_n_s_per_m: 1.0,
                friction: 0.0,
            },
        })
        .expect("a body");
    world
}

/// Sliding in circles just above the ground, turning slowly.
fn query(k: u32, above: f64, reach_m: f64) -> Query {
    let t = f64::from(k) * 0.03;
    let at = Vec3::new(0.06 * t.sin(), 0.06 * (0.8 * t).cos(), above);
    let mut query = Query {
        tick: u64::from(k),
        ..Query::default()
    };
    let arm = &mut query.arms[0];
    arm.present = true;
    arm.world_from_tool = Pose::from_parts(at.into(), Quat::from_scaled_axis(Vec3::z() * t));
    arm.reach_m = reach_m;
    // Solid already: whether it is inside is asked once, not at every tick.
    arm.solid = u64::MAX;
    query
}

fn quantile(times: &mut [f64], q: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * q) as usize]
}

fn row(gpu: Gpu, (tool, ground): (&(Shape, TriMesh), &Shape), reach_m: f64) {
    let (tool, mesh) = tool;
    let mut cpu = world(tool, mesh, ground);
    let limits = Limits {
        triangles: 0,
        patience: Patience::Looks(u32::MAX),
        ..Limits::DEFAULT
    };
    let mut with = world(tool, mesh, ground);
    with.set_midphase(Box::new(GpuMidPhase::new(gpu, limits).expect("a pass")));
    let (mut alone, mut both) = (Vec::new(), Vec::new());
    let mut listed = 0;
    let mut snapshots = [Snapshot::new(2 * PAIRS), Snapshot::new(2 * PAIRS)];
    for k in 0..QUERIES {
        let query = query(k, 0.0145, reach_m);
        let worlds = [(&mut cpu, &mut alone), (&mut with, &mut both)];
        for ((world, times), snapshot) in worlds.into_iter().zip(&mut snapshots) {
            let start = Instant::now();
            assert!(world.answer(&query, 0, snapshot));
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let [one, other] = &snapshots;
        assert!(format!("{one:?}") == format!("{other:?}"), "query {k}");
        listed += one.pairs.len();
    }
    let facts = with.midphase().expect("it was set").facts().clone();
    let size = tool.triangles() + ground.triangles();
    println!(
        "{size:>8} triangles, reach {:>4.1} mm: CPU {:>6.0} us (99 % {:>6.0}), with the GPU {:>6.0} us (99 % {:>6.0}); asked {} of {QUERIES}, \
         {} candidates, {} pairs listed, pass {:.0} us",
        reach_m * 1e3,
        quantile(&mut alone, 0.5),
        quantile(&mut alone, 0.99),
        quantile(&mut both, 0.5),
        quantile(&mut both, 0.99),
        facts.answered,
        facts.candidates,
        listed / QUERIES as usize,
        facts.gpu_ns.unwrap_or(f64::NAN) * 1e-3,
    );
}

fn main() {
    let choice = Choice::from_env().expect("a choice");
    let choice = choice.unwrap_or(Choice::Hardware);
    let open = || Gpu::open(choice).expect("an adapter; HAPTICD_GPU=software stands one in");
    println!("{}", open().adapter().name);
    // Tool and ground together 10,000, 110,000 and 1,100,000 triangles.
    for (rings, cells) in [(16, 67), (50, 224), (160, 707)] {
        let tool = shapes::torus(0.03, 0.01, 2 * rings, rings).expect("sizes");
        let tool = (Shape::of(tool.clone()).0, tool);
        let ground = shapes::terrain([0.15, 0.15], cells, 0.005, 0.05, 11).expect("sizes");
        let ground = Shape::of(ground).0;
        for reach_m in [5e-4, 1e-3, 2e-3] {
            row(open(), (&tool, &ground), reach_m);
        }
    }
}
