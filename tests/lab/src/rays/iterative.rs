//! Table 4.1 and figure 4.5 (chapter 4, section 3): what the walk saves, with either full algorithm.
//!
//! Concave bodies fall together on a plane (S1). The motions are recorded once; each variant of the detection then looks at the same ones, on one
//! thread, and its processor time is taken. Phases: A free fall, up to the first contact; B everything after, by its slowest step; C settled, the
//! last fifth.

use clap::Parser;
use hapticd_rays::{Full, Settings, Tracer};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Report, Row, Verdict};
use crate::rays::stage::{Falling, Recording, failed, parts, rays};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-iterative",
    title: "table 4.1: what the iterative algorithm saves, concave bodies fall on a plane",
    run,
};

#[derive(Parser)]
struct Options {
    /// Objects along each edge of the lattice that they fall from; the source has 8.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(2..=8))]
    side: u32,
    /// Steps of 1/60 s; the source has 600.
    #[arg(long, default_value_t = 300, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// Variants without the walk look at one step in this many: they remember nothing.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10))]
    every: u32,
}

/// A step that a variant looked at.
struct Look {
    step: usize,
    ms: f64,
    did: hapticd_rays::Report,
}

/// The variants: full algorithm, with the walk or without, and the source's times in ms for A, B and C.
const VARIANTS: [(&str, Full, bool, [f64; 3]); 4] = [
    ("basic", Full::Basic, false, [3.78, 82.6, 66.2]),
    ("basic + iterative", Full::Basic, true, [1.04, 56.7, 3.0]),
    ("tree", Full::Tree, false, [9.43, 18.5, 14.0]),
    ("tree + iterative", Full::Tree, true, [9.71, 14.1, 2.27]),
];

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let settings = rays(&parts()?);
    let recording = Falling::new(options.side, settings)?.record(options.steps as usize)?;
    let mut looks = Vec::new();
    for (_, full, iterative, _) in VARIANTS {
        let settings = Settings {
            full,
            iterative,
            ..settings
        };
        let every = if iterative { 1 } else { options.every };
        looks.push(measure(&recording, settings, every as usize)?);
    }
    let walked = &looks[3];
    let landing = (walked.iter().position(|look| look.did.collisions > 0))
        .ok_or_else(|| Failure::Run("nothing has landed: more steps are needed".into()))?;
    let settled = recording.steps() - recording.steps() / 5;
    let mut rows = Vec::new();
    let mut ours = Vec::new();
    for ((name, _, _, published), looks) in VARIANTS.iter().zip(&looks) {
        let values = phases(looks, landing, settled);
        for (phase, (published, ours)) in ["A, mean", "B, peak", "C, mean"]
            .iter()
            .zip(published.iter().zip(values))
        {
            rows.push(Row::new(
                format!("{name}: {phase}"),
                "ms",
                *published,
                round(ours),
            ));
        }
        ours.push(values);
    }
    let mut saved = Vec::new();
    for (name, slow, published) in [("basic", 0, [3.6, 1.5, 21.9]), ("tree", 2, [1.0, 1.3, 6.2])] {
        for (k, phase) in ["A", "B", "C"].iter().enumerate() {
            let ratio = ours[slow][k] / ours[slow + 1][k];
            let name = format!("{name}: time by the time with walks, {phase}");
            rows.push(Row::new(name, "", published[k], round(ratio)));
            saved.push(ratio);
        }
    }
    let fewest = walked[landing..].iter().map(|look| {
        let all = look.did.walks + look.did.tree;
        look.did.walks as f64 / all.max(1) as f64
    });
    let fewest = fewest.fold(1.0, f64::min);
    rows.push(Row::new(
        "least share of walks after the landing",
        "",
        0.5,
        round(fewest),
    ));
    let (basic, tree) = (saved[2], saved[5]);
    let most = walked.iter().map(|look| look.did.pairs).max();
    let last = walked.last().map_or(0, |look| look.did.collisions);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            basic >= 20.0 && tree >= 6.0,
            format!(
                "settled, walks save {basic:.1} times beside the basic algorithm (published: 21.9) and {tree:.1} times beside the tree (6.2)"
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} bodies (published: 512), {} steps, at most {} pairs, {last} contacts at the end; prediction {:.1} mm, threshold {:.1} mm (the source gives neither)",
                options.side.pow(3),
                options.steps,
                most.unwrap_or(0),
                1e3 * settings.prediction_m,
                1e3 * settings.displacement_m
            ),
            "ours: processor time of the whole narrow phase and its broad phase, one thread; published: tracing alone on a GPU of 2012".into(),
        ],
    })
}

fn round(x: f64) -> f64 {
    (100.0 * x).round() / 100.0
}

/// Mean before the landing, peak after it, mean of the end, ms.
fn phases(looks: &[Look], landing: usize, settled: usize) -> [f64; 3] {
    let mean = |from: usize, to: usize| {
        let some = looks.iter().filter(|look| (from..to).contains(&look.step));
        let (sum, count) = some.fold((0.0, 0), |(sum, n), look| (sum + look.ms, n + 1));
        sum / f64::from(count.max(1))
    };
    let after = looks.iter().filter(|look| look.step >= landing);
    let peak = after.map(|look| look.ms).fold(0.0, f64::max);
    [mean(0, landing), peak, mean(settled, usize::MAX)]
}

/// The processor time of the steps, on one thread.
fn measure(recording: &Recording, settings: Settings, every: usize) -> Result<Vec<Look>, Failure> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    pool.map_err(|e| failed(&e))?.install(|| {
        let mut tracer = Tracer::new(settings);
        let mut looks = Vec::with_capacity(recording.steps());
        recording.replay(|step, scene| {
            if step % every == 0 {
                let start = Moment::now();
                tracer.step(scene);
                looks.push(Look {
                    step,
                    ms: 1e3 * start.elapsed().as_secs_f64(),
                    did: *tracer.report(),
                });
            }
            Ok(())
        })?;
        Ok(looks)
    })
}
