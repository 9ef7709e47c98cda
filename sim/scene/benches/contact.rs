//! Time of a tick and of an answer, as medians and 99th percentiles. `cargo bench -p
//! hapticd-scene`.
//!
//! * **tick**: the engine with a 6-DOF mesh tool of 32 spikes that slides over a plane and turns:
//!   32 contact rows, without friction and with.
//! * **answer**: the scene's answer for a 10,000-triangle tool that slides along a 100,000-triangle
//!   ground.
//!
//! `-- tick` or `-- answer` runs one of them, for a profiler.
//!
//! A plain loop instead of criterion, because the tail matters most for a haptic loop. Every run
//! does bit for bit the same work, so it is repeated [`PASSES`] times. *As timed* is every tick of
//! every pass, including disturbances by other activity of the machine. *Least of the passes* takes
//! each tick from its fastest pass, which is the cost of the work itself. Neither accounts for how
//! fast the machine was at that hour: compare within one run.
// Boxes are the type that the engine takes and returns.
#![allow(missing_docs, clippy::print_stdout, clippy::vec_box)]

use std::time::Instant;

use hapticd_benchmarks::{ours, quantiles};
use hapticd_geometry::{Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_proxy::{
    ArmSetup, Damping, Distances, Engine, Gains, Interaction, MAX_ARMS, Material, Snapshot,
    TickInput, ToolShape,
};
use hapticd_scene::{BodyKind, BodySpec, Scene, Shape};

const WIDTH_M: f64 = 0.2;
/// Number of times that the same run is timed.
const PASSES: usize = 5;

/// A plate with 8 x 4 spikes under it, all of the same length: each tip is a contact on a plane.
fn spikes() -> TriMesh {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..8 {
        for j in 0..4 {
            let at = Vec3::new(
                f64::from(i) * 0.006 - 0.021,
                f64::from(j) * 0.006 - 0.009,
                0.0,
            );
            let base = positions.len() as u32;
            positions.push(at - Vec3::new(0.0, 0.0, 0.004));
            for k in 0..3 {
                let (s, c) = (f64::from(k) * std::f64::consts::TAU / 3.0).sin_cos();
                positions.push(at + Vec3::new(0.002 * c, 0.002 * s, 0.0));
            }
            triangles.push([base + 1, base + 2, base + 3]);
            for k in 0..3 {
                triangles.push([base, base + 1 + (k + 1) % 3, base + 1 + k]);
            }
        }
    }
    TriMesh::new(positions, triangles).unwrap()
}

/// The buffers are reused, as in the daemon: fresh memory would be timed with the answer.
fn rig(
    tool: TriMesh,
    ground: TriMesh,
    solid: bool,
    pairs: usize,
    friction: f64,
) -> (Scene, Engine, Vec<Box<Snapshot>>) {
    let distances = Distances::for_width(WIDTH_M);
    let tool_shape = ToolShape::mesh(tool.positions(), true);
    let mut world = Scene::new(distances.clearance_m, pairs);
    world.set_tool(0, Shape::of(tool).0, tool_shape);
    world
        .add_body(BodySpec {
            name: "ground".into(),
            kind: BodyKind::Static,
            shape: Shape::of(ground).0,
            solid,
            world_from_body: Pose::identity(),
            restitution: 0.0,
            density_kg_m3: 1000.0,
            material: Material {
                stiffness_n_per_m: 1000.0,
                damping_n_s_per_m: 1.0,
                friction,
                force_shading: false,
            },
        })
        .unwrap();
    let mut setups = [None; MAX_ARMS];
    setups[0] = Some(ArmSetup {
        shape: tool_shape,
        distances,
        gains: Gains {
            stiffness_n_per_m: 500.0,
            ..Gains::default()
        },
        damping: Damping::default(),
        interaction: Interaction::default(),
        pair_budget: 1024,
        reach_max_m: 0.02,
        reach_min_m: 20.0 * distances.safe_m,
    });
    let buffers = (0..4).map(|_| Box::new(Snapshot::new(2 * pairs)));
    (world, Engine::new(setups, 0.003), buffers.collect())
}

/// Times of the same calls in several passes.
#[derive(Default)]
struct Times {
    passes: Vec<Vec<u64>>,
}

impl Times {
    /// Prints both views; returns median and 99th percentile as timed, us, and the calls per second
    /// by the least time.
    fn report(&self, name: &str) -> ([f64; 2], f64) {
        let calls = self.passes[0].len();
        assert!(
            self.passes.iter().all(|pass| pass.len() == calls),
            "the passes did not do the same work"
        );
        let least = (0..calls).map(|k| {
            let times = self.passes.iter().map(|pass| pass[k]);
            times.min().unwrap_or(0)
        });
        let least: Vec<u64> = least.collect();
        let seconds = least.iter().sum::<u64>() as f64 * 1e-9;
        let as_timed = line(name, "as timed", self.passes.concat());
        line("", "least of the passes", least);
        (as_timed, calls as f64 / seconds)
    }
}

/// Prints quantiles; returns median and 99th percentile, us.
fn line(name: &str, what: &str, mut ns: Vec<u64>) -> [f64; 2] {
    ns.sort_unstable();
    let at = |q: f64| ns[((ns.len() - 1) as f64 * q) as usize] as f64 * 1e-3;
    println!(
        "{name:<20} {what:<20} median {:8.2} us   p99 {:8.2} us   max {:9.2} us   n {}",
        at(0.5),
        at(0.99),
        at(1.0),
        ns.len()
    );
    [at(0.5), at(0.99)]
}

fn tick(row: &str, friction: f64) {
    let mut times = Times::default();
    let (mut rows, mut pairs, mut rounds) = (0u64, 0u64, 0u64);
    for _ in 0..PASSES {
        let sheet = shapes::sheet(0.1, 40).unwrap();
        let (mut world, mut engine, mut buffers) = rig(spikes(), sheet, false, 2048, friction);
        let mut took = Vec::new();
        for k in 0..30_000 {
            let t = f64::from(k) * 1e-3;
            // Presses 5 mm into the plane, slides in circles at 0.2 m/s and rocks by a tenth of a
            // degree.
            let at = Vec3::new(
                0.03 * (6.0 * t).sin(),
                0.03 * (6.0 * t).cos(),
                0.03 - 0.03 * (2.0 * t).min(1.0),
            );
            let turn = Quat::from_scaled_axis(
                Vec3::new((40.0 * t).sin(), (33.0 * t).cos(), 30.0 * (t).sin()) * 0.002,
            );
            let input = input(Pose::from_parts(at.into(), turn));
            let start = Instant::now();
            engine.tick(&input);
            let ns = start.elapsed().as_nanos() as u64;
            let out = &engine.output().arms[0];
            if k > 1000 && out.rows >= 32 {
                took.push(ns);
                rows += u64::from(out.rows);
                pairs += u64::from(out.pairs_tested);
                rounds += u64::from(out.substeps);
            }
            exchange(&mut world, &mut engine, &mut buffers);
        }
        times.passes.push(took);
    }
    let n = times.passes.concat().len().max(1) as u64;
    let ([median, p99], _) = times.report(&format!("tick, friction {friction}"));
    ours(row, "us", quantiles(median, p99));
    println!(
        "{:<20} {} rows, {} pairs and {:.2} rounds a tick in the mean",
        "",
        rows / n,
        pairs / n,
        rounds as f64 / n as f64
    );
}

fn answer() {
    let mut times = Times::default();
    let mut pairs = 0;
    for _ in 0..PASSES {
        let tool = shapes::torus(0.03, 0.01, 100, 50);
        let (mut world, mut engine, mut buffers) = rig(
            tool.unwrap(),
            shapes::terrain([0.15, 0.15], 224, 0.005, 0.05, 11).unwrap(),
            true,
            512,
            0.3,
        );
        let mut took = Vec::new();
        pairs = 0;
        for k in 0..6_000 {
            let t = f64::from(k) * 1e-3;
            let at = Vec3::new(
                0.08 * (2.5 * t).sin(),
                0.08 * (2.0 * t).cos(),
                0.04 - 0.04 * (2.0 * t).min(1.0),
            );
            engine.tick(&input(Pose::from_parts(at.into(), Quat::identity())));
            if let Some((ns, listed)) = exchange(&mut world, &mut engine, &mut buffers) {
                pairs += listed;
                if k > 600 {
                    took.push(ns);
                }
            }
        }
        times.passes.push(took);
    }
    let ([median, p99], rate) = times.report("answer, 10k on 100k");
    ours("1.8", "ms", quantiles(1e-3 * median, 1e-3 * p99));
    println!(
        "{:<20} {rate:.0} answers a second, one after the other; {} pairs in the mean",
        "",
        pairs / 6_000
    );
}

/// Answers the loop's query and hands it the answer. Returns the time in nanoseconds and the number
/// of pairs listed; `None` if there was no query.
fn exchange(
    world: &mut Scene,
    engine: &mut Engine,
    buffers: &mut Vec<Box<Snapshot>>,
) -> Option<(u64, usize)> {
    let query = engine.query();
    let mut snapshot = buffers.pop().expect("as many come back as go");
    let start = Instant::now();
    let answered = world.answer(&query, 0, &mut snapshot);
    let ns = start.elapsed().as_nanos() as u64;
    let told = answered.then_some((ns, snapshot.pairs.len()));
    if answered {
        buffers.extend(engine.receive(snapshot));
    } else {
        buffers.push(snapshot);
    }
    buffers.extend(engine.take_retired());
    told
}

fn input(device: Pose) -> TickInput {
    let mut devices = [None; MAX_ARMS];
    devices[0] = Some(device);
    TickInput {
        period_s: 1e-3,
        devices,
        anchor: 0,
    }
}

fn main() {
    let only: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|o| o == name);
    if wanted("tick") {
        tick("1.1", 0.0);
        tick("1.2", 0.3);
    }
    if wanted("answer") {
        answer();
    }
}
