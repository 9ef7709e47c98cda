//! Time of an answer of the world, with the CPU alone and with the GPU's mid-phase, readback
//! included.
//!
//! `cargo bench -p hapticd-shaders --bench near`; `HAPTICD_GPU=software` uses a driver that
//! computes on the CPU. A tool slides over a ground. Both answer every query, in turns, and the
//! answers must be equal. *Asked* is how often the GPU answered in full.
// A program.
#![allow(missing_docs, clippy::print_stdout)]

use std::time::Instant;

use hapticd_ccd::Proximity;
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{BodyPose, Material, Query, Snapshot, ToolShape};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};
use hapticd_shaders::{Choice, Gpu, GpuMidPhase, Limits, Patience};

/// Pairs of a body that an answer lists, as in the daemon by default.
const PAIRS: usize = 4096;
const QUERIES: u32 = 200;

fn world(tool: &Shape, points: &TriMesh, ground: &Shape) -> Scene {
    let mut world = Scene::new(8e-6, PAIRS);
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
                force_shading: false,
            },
        })
        .expect("a body");
    world
}

/// Slides in circles over the ground, rotating slowly, a tenth of a millimetre away from it.
fn path(tool: &Shape, ground: &Shape) -> Vec<Pose> {
    let mut proximity = Proximity::new(1);
    let (tool, ground) = (&tool.index, &ground.index);
    let pose = |k: u32| {
        let t = f64::from(k) * 0.03;
        let turn = Quat::from_scaled_axis(Vec3::z() * t);
        let mut at = Vec3::new(0.06 * t.sin(), 0.06 * (0.8 * t).cos(), 0.05);
        for _ in 0..30 {
            let pose = Pose::from_parts(at.into(), turn);
            let near = proximity.query(tool, 0.0, ground, &pose, 1.0);
            at.z -= 0.9 * (near.pairs[0].distance - 1e-4);
        }
        Pose::from_parts(at.into(), turn)
    };
    (0..QUERIES).map(pose).collect()
}

fn query(world: &Scene, k: usize, world_from_tool: Pose, reach_m: f64) -> Query {
    let mut query = Query {
        tick: k as u64,
        ..Query::default()
    };
    let arm = &mut query.arms[0];
    arm.present = true;
    arm.world_from_tool = world_from_tool;
    arm.reach_m = reach_m;
    // Solid already: whether it is inside is tested once, not at every tick.
    arm.solid = u64::MAX;
    for info in world.infos() {
        query.bodies[query.body_count] = BodyPose {
            key: info.key,
            world_from_body: info.initial,
        };
        query.body_count += 1;
    }
    query
}

fn quantile(times: &mut [f64], q: f64) -> f64 {
    times.sort_by(f64::total_cmp);
    times[((times.len() - 1) as f64 * q) as usize]
}

fn row(gpu: Gpu, (tool, mesh): (&Shape, &TriMesh), ground: &Shape, path: &[Pose], reach_m: f64) {
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
    let mut candidates = 0;
    for (k, pose) in path.iter().enumerate() {
        let query = query(&cpu, k, *pose, reach_m);
        let worlds = [(&mut cpu, &mut alone), (&mut with, &mut both)];
        for ((world, times), snapshot) in worlds.into_iter().zip(&mut snapshots) {
            let start = Instant::now();
            assert!(world.answer(&query, 0, snapshot));
            times.push(start.elapsed().as_secs_f64() * 1e6);
        }
        let [one, other] = &snapshots;
        assert!(format!("{one:?}") == format!("{other:?}"), "query {k}");
        listed += one.pairs.len();
        candidates += with.midphase().map_or(0, |m| m.facts().candidates);
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
        candidates / u64::from(QUERIES),
        listed / QUERIES as usize,
        facts.gpu_ns.unwrap_or(f64::NAN) * 1e-3,
    );
}

fn main() {
    let choice = Choice::from_env().expect("a choice");
    let choice = choice.unwrap_or(Choice::Hardware);
    let open = || Gpu::open(choice).expect("an adapter; HAPTICD_GPU=software stands one in");
    println!("{}", open().adapter().name);
    // Tool and ground together about 10,000, 100,000 and 1,000,000 triangles.
    for (rings, cells) in [(16, 47), (50, 150), (160, 472)] {
        let mesh = shapes::torus(0.03, 0.01, 2 * rings, rings).expect("sizes");
        let tool = Shape::of(mesh.clone()).0;
        let ground = shapes::terrain([0.15, 0.15], cells, 0.005, 0.05, 11).expect("sizes");
        let ground = Shape::of(ground).0;
        let path = path(&tool, &ground);
        for reach_m in [3e-4, 6e-4, 1.2e-3, 2.4e-3] {
            row(open(), (&tool, &mesh), &ground, &path, reach_m);
        }
    }
}
