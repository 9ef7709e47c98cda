//! Our own bar: 1,000 rigid bodies of 500 triangles, settled, in 16 ms a step on two threads.
//!
//! The bodies fall together on a plane, as in S1. Once they are at rest, a tracer runs on the same
//! scene and is timed, in wall-clock and processor time. The whole step, dynamics included, is
//! timed as well, without a bar.

use std::time::Instant;

use clap::Parser;
use hapticd_rays::Tracer;
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::concave;
use crate::rays::looks::round;
use crate::rays::scenes::{contacts_only, rays, together};
use crate::rays::stage::{Part, failed};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-crowd",
    title: "our own bar: detection for 1,000 settled bodies of 500 triangles, 16 ms on two threads",
    judges: Judges::Time,
    run,
};

#[derive(Parser)]
struct Options {
    /// Bodies.
    #[arg(long, default_value_t = 1000, value_parser = clap::value_parser!(u32).range(2..=2000))]
    bodies: u32,
    /// Steps of 1/60 s until they lie.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(10..=6000))]
    settle: u32,
    /// Steps that are timed.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(10..=6000))]
    steps: u32,
    /// Threads.
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=64))]
    threads: u32,
}

const BAR_MS: f64 = 16.0;
/// Steps of the tracer before it is timed.
const WARM: u32 = 10;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads as usize)
        .build();
    pool.map_err(|e| failed(&e))?.install(|| crowd(&options))
}

fn crowd(options: &Options) -> Result<Report, Failure> {
    let parts = [Part::new(&concave::pebble()?, 0)?];
    let settings = rays(&parts);
    let mut stage = together(&parts, options.bodies, settings)?;
    let mut tracer = Tracer::new(contacts_only(settings));
    let (mut wall, mut busy, mut whole) = (Vec::new(), Vec::new(), Vec::new());
    for step in 0..options.settle + options.steps {
        let start = Instant::now();
        stage.step()?;
        let took = start.elapsed();
        if step + WARM < options.settle {
            continue;
        }
        let (start, processor) = (Instant::now(), Moment::now());
        tracer.step(stage.world_mut().scene_mut());
        if step >= options.settle {
            wall.push(1e3 * start.elapsed().as_secs_f64());
            busy.push(1e3 * processor.elapsed().as_secs_f64());
            whole.push(1e3 * took.as_secs_f64());
        }
    }
    let mass = parts[0].mass.mass * f64::from(options.bodies);
    let speed = (2.0 * stage.world().dynamics().kinetic_energy() / mass).sqrt();
    let did = tracer.report();
    // The plane is object 0. A pair is traced again when the rim of its larger object may have
    // moved by the threshold, and the rim of the plane is far away.
    let tree = tracer.rays().tree.iter();
    let onto_plane = tree.filter(|ray| ray.source.min(ray.target) == 0).count();
    for times in [&mut wall, &mut busy, &mut whole] {
        times.sort_by(f64::total_cmp);
    }
    let at = |times: &[f64], part: usize| times[times.len() * part / 100];
    let row = |name: &str, times: &[f64]| {
        let row = Row::new(name, "ms", Value::Null, round(at(times, 50)));
        row.with("least", round(times[0]))
            .with("p95", round(at(times, 95)))
    };
    let median = at(&wall, 50);
    Ok(Report {
        rows: vec![
            Row::new("detection, median", "ms", "bar: 16", round(median))
                .with("least", round(wall[0]))
                .with("p95", round(at(&wall, 95))),
            row("detection, processor time of all threads, median", &busy),
            row("whole step, detection and dynamics, median", &whole),
            Row::new("pairs", "", Value::Null, did.pairs).with("moved", did.rigid_high),
            Row::new("walks", "", Value::Null, did.walks)
                .with("full rays", did.tree)
                .with("asleep", did.asleep),
            Row::new(
                "full rays of a body and the plane",
                "",
                Value::Null,
                onto_plane,
            ),
            Row::new("contacts", "", Value::Null, did.collisions),
            Row::new(
                "speed of a body, root of the mean square",
                "mm/s",
                Value::Null,
                round(1e3 * speed),
            ),
        ],
        verdict: Verdict::new(
            median <= BAR_MS,
            format!(
                "the median step of {} bodies takes {median:.1} ms on {} threads (bar: {BAR_MS}), {:.1} ms of processor time; they still move at {:.0} mm/s",
                options.bodies,
                options.threads,
                at(&busy, 50),
                1e3 * speed
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "{} triangles each, steps {} to {}; the wall clock, so only a quiet machine tells",
            parts[0].shape.triangles().len(),
            options.settle,
            options.settle + options.steps
        )],
    })
}
