//! Skins of a million triangles and more, by the CPU and by the GPU: whether the mesh is the same,
//! and how long each takes.
//!
//! This is not an experiment of the source. Times are wall-clock times, since the processor waits
//! for the GPU; the least of the runs counts. Without a GPU a software driver stands in: it shows
//! that the mesh is the same, and nothing about speed.

use std::collections::HashMap;
use std::time::Instant;

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_shaders::{Choice, Gpu, GpuSkin, Kind, OpenError, Patience};
use hapticd_skin::{Ambiguity, Checker, Domain, Mesh, Primitive, Settings, Skin};
use serde_json::Map;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::refused;

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-gpu",
    title: "skins of a million triangles, by the CPU and by the GPU: the same mesh, and both times",
    judges: Judges::CountsAndTime(&["--gpu", "software", "--runs", "2", "--cells", "64"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Frames of each by each; the least time counts.
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(2..=1000))]
    runs: u32,
    /// Cubes along an edge of the box around the chain.
    #[arg(long, default_value_t = 420, value_parser = clap::value_parser!(u32).range(16..=2000))]
    cells: u32,
    /// `hardware` or `software`, or as `HAPTICD_GPU` says; by default a GPU, or a driver in
    /// software where there is none.
    #[arg(long)]
    gpu: Option<Choice>,
}

const LEVEL: f64 = 0.35;

/// Largest distance of a vertex from its counterpart, in edges of cubes; and one vertex in this
/// many may have none, because single precision cannot distinguish its node from the level.
const TOLERANCE: f64 = 0.01;
const ALONE: usize = 10_000;

/// The chain of `skin-peers`, and a crowd of many points on a ball with small cubes.
fn scenes(cells: u32) -> [(&'static str, Vec<Primitive>); 2] {
    let chain = |i: u8| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    let count = 50 * cells;
    // Evenly distributed, by the golden angle.
    let crowd = |i: u32| {
        let z = 1.0 - (2.0 * f64::from(i) + 1.0) / f64::from(count);
        let (sin, cos) = (f64::from(i) * 2.399_963_229_728_653).sin_cos();
        let flat = (1.0 - z * z).sqrt();
        0.85 * Vec3::new(flat * cos, flat * sin, z)
    };
    let radius = 8.0 / f64::from(count).sqrt();
    [
        (
            "64 points on a curve",
            (0..64).map(|i| Primitive::point(chain(i), 0.3)).collect(),
        ),
        (
            "a ball of many",
            (0..count)
                .map(|i| Primitive {
                    amplitude: 0.2,
                    ..Primitive::point(crowd(i), radius)
                })
                .collect(),
        ),
    ]
}

/// Opens the requested adapter; otherwise a GPU, or a software driver if there is none.
fn open(choice: Option<Choice>) -> Result<Gpu, OpenError> {
    match choice {
        Some(choice) => Gpu::open(choice),
        None => Gpu::open(Choice::Hardware).or_else(|_| Gpu::open(Choice::Software)),
    }
}

/// Returns how many vertices of a mesh have no counterpart in another, and the largest distance of
/// those that have one, in edges of cubes.
fn compare(domain: &Domain, mesh: &Mesh, other: &Mesh) -> (usize, f64) {
    let cubes = |p: &[f32; 3]| (Vec3::from(p.map(f64::from)) - domain.low()) / domain.cell_m();
    let key = |p: Vec3| -> [i32; 3] { [0, 1, 2].map(|k| p[k].floor() as i32) };
    let mut places: HashMap<[i32; 3], Vec<Vec3>> = HashMap::with_capacity(other.points.len());
    for point in &other.points {
        let at = cubes(point);
        places.entry(key(at)).or_default().push(at);
    }
    let (mut alone, mut furthest) = (0, 0.0_f64);
    for point in &mesh.points {
        let at = cubes(point);
        // All within the tolerance, whatever cube they are counted in.
        let (low, high) = (
            key(at - Vec3::repeat(TOLERANCE)),
            key(at + Vec3::repeat(TOLERANCE)),
        );
        let around = (low[2]..=high[2]).flat_map(|z| {
            (low[1]..=high[1]).flat_map(move |y| (low[0]..=high[0]).map(move |x| [x, y, z]))
        });
        let near = around.filter_map(|key| places.get(&key)).flatten();
        let nearest = near
            .map(|other| (other - at).norm())
            .fold(f64::INFINITY, f64::min);
        if nearest <= TOLERANCE {
            furthest = furthest.max(nearest);
        } else {
            alone += 1;
        }
    }
    (alone, furthest)
}

/// Returns the least time of some runs, ms.
fn least(runs: u32, mut once: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..runs {
        let start = Instant::now();
        once()?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(best)
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let choice = match options.gpu {
        Some(choice) => Some(choice),
        None => Choice::from_env().map_err(|e| Failure::Input(e.to_string()))?,
    };
    let gpu = open(choice).map_err(|e| Failure::Run(e.to_string()))?;
    let adapter = gpu.adapter().clone();
    let is_software = adapter.kind == Kind::Software;
    let mut skin = GpuSkin::new(gpu, Patience::Answer).map_err(|e| Failure::Run(e.to_string()))?;
    let cells = options.cells;
    let domain = Domain::new(Vec3::repeat(-1.0), 2.0 / f64::from(cells), [cells; 3]);
    let settings = Settings {
        domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
        level: LEVEL,
        ambiguity: Ambiguity::default(),
    };
    let threads = rayon::current_num_threads();
    let (mut rows, mut same, mut slowest, mut most) = (Vec::new(), true, 0.0_f64, 0);
    for (name, primitives) in scenes(cells) {
        let by = |parallel: bool, mesh: &mut Mesh| {
            // From scratch every time: nothing is reused from the frame before.
            least(options.runs, || {
                let mut skin = Skin::default();
                skin.set_parallel(parallel);
                let made = skin.polygonize(&settings, &primitives, mesh);
                made.map(drop).map_err(|e| refused(&e))
            })
        };
        let (mut theirs, mut ours) = (Mesh::default(), Mesh::default());
        let alone_ms = by(false, &mut theirs)?;
        let all_ms = by(true, &mut theirs)?;
        let mut report = None;
        let mut on_gpu = || {
            let made = skin.polygonize(&settings, &primitives, &mut ours);
            report = Some(made.map_err(|e| Failure::Run(e.to_string()))?);
            Ok(())
        };
        // Buffers grow in this one.
        on_gpu()?;
        let gpu_ms = least(options.runs, on_gpu)?;
        let report = report.unwrap_or_default();
        let check = Checker::default().check(&ours);
        let (alone, furthest) = compare(&settings.domain, &ours, &theirs);
        let (missed, back) = compare(&settings.domain, &theirs, &ours);
        let few = 4 + theirs.points.len() / ALONE;
        same &= check.is_sound() && alone <= few && missed <= few;
        slowest = slowest.max(gpu_ms / all_ms);
        most = most.max(ours.triangles.len());
        rows.push(
            Row::new(
                format!("{name}: {} primitives", primitives.len()),
                "ms",
                "",
                gpu_ms,
            )
            .with("CPU, one thread, ms", alone_ms)
            .with("CPU, all threads, ms", all_ms)
            .with("GPU's own clock, ms", report.gpu_ns.map(|ns| ns * 1e-6))
            .with("triangles", ours.triangles.len())
            .with("CPU's triangles", theirs.triangles.len())
            .with("furthest vertex, cubes", furthest.max(back))
            .with("vertices without a counterpart", alone.max(missed))
            .with("sound", check.is_sound())
            .with("GPU memory, MB", report.bytes as f64 * 1e-6),
        );
    }
    let what = format!(
        "up to {most} triangles, {}",
        if same {
            "the same meshes"
        } else {
            "meshes that differ"
        }
    );
    let verdict = if is_software {
        let why = format!("{what}; of speed {adapter}, which computes on the CPU, says nothing");
        Verdict::new(same, why).and_time(true)
    } else {
        let why = format!(
            "{what}; on {adapter} at most {slowest:.2} times the time of {threads} threads"
        );
        Verdict::new(same, why).and_time(slowest < 1.0)
    };
    Ok(Report {
        rows,
        verdict,
        more: Map::new(),
        notes: vec![
            format!("adapter: {adapter}"),
            format!(
                "a box of {cells}³ cubes, level {LEVEL}; a vertex has a counterpart within {TOLERANCE} of a cube, and one in {ALONE} may have none"
            ),
        ],
        details: Vec::new(),
    })
}
