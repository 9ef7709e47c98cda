//! Table 4.1 and figures 4.5 and 4.6 (chapter 4, section 3): savings by the walk, with either full
//! algorithm.
//!
//! The motions are recorded once. Each variant of the detection then runs on the same recording, on
//! one thread, and its processor time is measured. S1: concave bodies fall together on a plane.
//! Phases: A free fall, up to the first contact; B everything after, by its slowest step; C
//! settled, the last fifth. S2: a body every 0.1 s on a heap; again the last fifth counts.

use clap::Parser;
use hapticd_rays::{Full, Settings};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::looks::{StepCost, landing, looks, mean, round, settled};
use crate::rays::scenes::{BETWEEN, Rigid, contacts_only, rigid_rays};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-iterative",
    title: "table 4.1: what the iterative algorithm saves, concave bodies fall on a plane (S1)",
    judges: Judges::Time,
    run: together,
};

pub const ONE_BY_ONE: Experiment = Experiment {
    id: "rays-iterative-s2",
    title: "figure 4.6: what the iterative algorithm saves, concave bodies fall one by one (S2)",
    judges: Judges::Time,
    run: one_by_one,
};

#[derive(Parser)]
struct Together {
    /// Bodies; the source has 512.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u32).range(2..=1000))]
    bodies: u32,
    /// Steps of 1/60 s; the source has 600.
    #[arg(long, default_value_t = 600, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// Variants without the walk look at one step in this many: they remember nothing.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10))]
    every: u32,
}

#[derive(Parser)]
struct OneByOne {
    /// Bodies, one every six steps of 1/60 s; the source has 500.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(10..=1000))]
    bodies: u32,
    /// Variants without the walk look at one step in this many: they remember nothing.
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u32).range(1..=10))]
    every: u32,
}

/// The variants: full algorithm, with or without the walk, and the source's times in ms for A, B
/// and C.
const VARIANTS: [(&str, Full, bool, [f64; 3]); 4] = [
    ("basic", Full::Basic, false, [3.78, 82.6, 66.2]),
    ("basic + iterative", Full::Basic, true, [1.04, 56.7, 3.0]),
    ("tree", Full::Tree, false, [9.43, 18.5, 14.0]),
    ("tree + iterative", Full::Tree, true, [9.71, 14.1, 2.27]),
];

fn together(context: &Context) -> Result<Report, Failure> {
    let options: Together = context.parse()?;
    let settings = rigid_rays()?;
    let stage = Rigid::S1.stage(options.bodies, settings)?;
    let recording = stage.record(options.steps as usize)?;
    let every = options.every as usize;
    let mut all = Vec::new();
    for (_, full, iterative, _) in VARIANTS {
        let settings = Settings {
            full,
            iterative,
            ..contacts_only(settings)
        };
        all.push(looks(&recording, settings, |step| {
            iterative || step % every == 0
        })?);
    }
    let walked = &all[3];
    let landing = landing(walked)?;
    let settled = settled(recording.steps());
    let mut rows = Vec::new();
    let mut ours = Vec::new();
    for ((name, _, _, published), looks) in VARIANTS.iter().zip(&all) {
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
            let name = format!("{name}: time / time with walks, {phase}");
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
    let (basic, tree) = (&saved[..3], &saved[3..]);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            basic[2] >= 20.0
                && tree[2] >= 6.0
                && basic[2] > 2.0 * basic[1]
                && tree[2] > 2.0 * tree[1],
            format!(
                "settled, walks save {:.1} times beside the basic algorithm (published: 21.9) and {:.1} times beside the tree (6.2); at the peak {:.1} (1.5) and {:.1} (1.3): to hold, the former at least 20 and 6, and twice the latter",
                basic[2], tree[2], basic[1], tree[1]
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} bodies (published: 512), {} steps; {}",
                options.bodies,
                options.steps,
                size(walked, &settings)
            ),
            OURS.into(),
        ],
    })
}

const OURS: &str = "ours: processor time of the whole narrow phase and its broad phase, one thread; published: tracing alone on a GPU of 2012";

fn size(looks: &[StepCost], settings: &Settings) -> String {
    let most = looks.iter().map(|look| look.did.pairs).max();
    let last = looks.last().map_or(0, |look| look.did.collisions);
    format!(
        "at most {} pairs, {last} contacts at the end; prediction {:.1} mm, threshold {:.1} mm (the source gives neither)",
        most.unwrap_or(0),
        1e3 * settings.prediction_m,
        1e3 * settings.displacement_m
    )
}

/// Returns the mean before the landing, the peak after it, and the mean of the end, ms.
fn phases(looks: &[StepCost], landing: usize, settled: usize) -> [f64; 3] {
    let after = looks.iter().filter(|look| look.step >= landing);
    let peak = after.map(|look| look.ms).fold(0.0, f64::max);
    [
        mean(looks, 0..landing),
        peak,
        mean(looks, settled..usize::MAX),
    ]
}

fn one_by_one(context: &Context) -> Result<Report, Failure> {
    let options: OneByOne = context.parse()?;
    let settings = rigid_rays()?;
    let steps = BETWEEN * options.bodies as usize;
    let recording = Rigid::S2.stage(options.bodies, settings)?.record(steps)?;
    let (every, settled) = (options.every as usize, settled(steps));
    let mut rows = Vec::new();
    let mut saved = Vec::new();
    let mut last = Vec::new();
    for (name, full, published) in [("basic", Full::Basic, 33.0), ("tree", Full::Tree, 19.0)] {
        let mut times = [0.0; 2];
        for (time, iterative) in times.iter_mut().zip([false, true]) {
            let settings = Settings {
                full,
                iterative,
                ..contacts_only(settings)
            };
            last = looks(&recording, settings, |step| {
                iterative || (step >= settled && step % every == 0)
            })?;
            *time = mean(&last, settled..steps);
            let with = if iterative { " + iterative" } else { "" };
            rows.push(Row::new(
                format!("{name}{with}: end, mean"),
                "ms",
                serde_json::Value::Null,
                round(*time),
            ));
        }
        let ratio = times[0] / times[1];
        let name = format!("{name}: time / time with walks, end");
        rows.push(Row::new(name, "", published, round(ratio)));
        saved.push(ratio);
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            saved[0] >= 16.5 && saved[1] >= 9.5 && saved[0] > saved[1],
            format!(
                "at the end walks save {:.1} times beside the basic algorithm (published: 33) and {:.1} times beside the tree (19): to hold, at least half of that",
                saved[0], saved[1]
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} bodies (published: 500), {steps} steps, the last fifth of them looked at; {}",
                options.bodies,
                size(&last, &settings)
            ),
            OURS.into(),
        ],
    })
}
