//! Figures 4.14 and 4.15 (chapter 4, section 4.2.1): choice of the measure of displacement, for
//! sheets on irregular ground with balls (D1).
//!
//! Four tracers run on one recording, each with its own measure, and a fifth traces everything in
//! full.

use clap::Parser;
use hapticd_rays::displacement::Measure;
use hapticd_rays::{Settings, Tracer};
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::audit::{Audit, Errors, lines};
use crate::rays::looks::{alone, round};
use crate::rays::scenes::{cloth_rays, sheets_on_hills};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-measures",
    title: "figures 4.14 and 4.15: measures of displacement, sheets on irregular ground",
    judges: Judges::Counts(&["--sheets", "1", "--cells", "16", "--steps", "60"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Sheets; the source has 64.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=100))]
    sheets: u32,
    /// Squares a side of a sheet; the source has 64.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(4..=128))]
    cells: u32,
    /// Steps of 1/60 s; the source has 300.
    #[arg(long, default_value_t = 150, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// Points of a cluster, on average.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(4..=1024))]
    points: u32,
}

/// The measures, and the source's statements about their use of the walk and their errors.
const MEASURES: [(&str, Measure, &str, &str); 4] = [
    ("absolute", Measure::Absolute, "lowest", "up to 4"),
    ("mean", Measure::Mean, "highest", "up to 6.5"),
    (
        "mean + deviation",
        Measure::MeanDeviation,
        "below max",
        "0.5, fewest",
    ),
    (
        "max",
        Measure::Max,
        "above mean + deviation",
        "3 times mean + deviation",
    ),
];

#[derive(Default)]
struct Run {
    ms: Vec<f64>,
    walks: usize,
    full: usize,
    errors: Errors,
    worst: f64,
}

impl Run {
    /// Returns the fraction of all rays that walked.
    fn used(&self) -> f64 {
        self.walks as f64 / (self.walks + self.full).max(1) as f64
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let settings = cloth_rays(options.cells);
    let recording = sheets_on_hills(
        options.sheets,
        options.cells,
        options.points as usize,
        settings,
    )?
    .record(options.steps as usize)?;
    let runs = alone(|| {
        let mut runs: [Run; 4] = Default::default();
        let mut tracers = MEASURES.map(|(_, measure, ..)| {
            Tracer::new(Settings {
                measure,
                ..settings
            })
        });
        let mut audit = Audit::new(settings);
        recording.replay(|_, scene| {
            audit.look(scene);
            for (run, tracer) in runs.iter_mut().zip(&mut tracers) {
                let start = Moment::now();
                tracer.step(scene);
                run.ms.push(1e3 * start.elapsed().as_secs_f64());
                let rays = tracer.rays();
                run.walks += lines(&rays.walk);
                run.full += rays.tree.len() + lines(&rays.basic);
                let errors = audit.judge(tracer.contacts());
                // A fraction of few contacts is meaningless.
                if errors.contacts >= 100 {
                    run.worst = run.worst.max(errors.of_contacts());
                }
                run.errors += errors;
            }
            Ok(())
        })?;
        Ok(runs)
    })?;
    let mut rows = Vec::new();
    for ((name, _, used, wrong), run) in MEASURES.iter().zip(&runs) {
        let percent = |x: f64| (1e4 * x).round() / 100.0;
        rows.push(Row::new(
            format!("{name}: rays that walk"),
            "%",
            *used,
            percent(run.used()),
        ));
        let row = Row::new(
            format!("{name}: wrong, of all contacts"),
            "%",
            *wrong,
            percent(run.errors.of_contacts()),
        );
        rows.push(
            row.with("worst step", percent(run.worst))
                .with("of all rays", 100.0 * run.errors.rate())
                .with("false negatives", run.errors.missed)
                .with("false positives", run.errors.invented)
                .with("mislocated", run.errors.misplaced),
        );
        let most = run.ms.iter().copied().fold(0.0, f64::max);
        let mean = run.ms.iter().sum::<f64>() / run.ms.len().max(1) as f64;
        let row = Row::new(
            format!("{name}: time, mean"),
            "ms",
            Value::Null,
            round(mean),
        );
        rows.push(row.with("worst step", round(most)));
    }
    let [absolute, mean, deviation, max] = &runs;
    let wrong = |run: &Run| run.errors.of_contacts();
    let fewest = [absolute, mean, max]
        .iter()
        .all(|run| wrong(deviation) < wrong(run));
    let lowest = [mean, deviation, max]
        .iter()
        .all(|run| absolute.used() < run.used());
    let highest = mean.used() >= deviation.used() && mean.used() >= max.used();
    let below = deviation.used() < max.used();
    Ok(Report {
        rows,
        verdict: Verdict::new(
            fewest && lowest && highest && below,
            format!(
                "mean and deviation makes the fewest errors: {} ({:.2} % of the contacts; mean {:.2}, max {:.2}, absolute {:.2}); absolute walks least: {}; mean walks most: {}; mean and deviation walks less than max: {}",
                word(fewest),
                100.0 * wrong(deviation),
                100.0 * wrong(mean),
                100.0 * wrong(max),
                100.0 * wrong(absolute),
                word(lowest),
                word(highest),
                word(below)
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} sheets of {} squares a side (published: 64 of 64), {} steps (300), clusters of {} points, {} contacts in all steps",
                options.sheets, options.cells, options.steps, options.points, deviation.errors.contacts
            ),
            format!(
                "prediction {:.1} mm, threshold {:.1} mm; processor time of the whole detection, one thread",
                1e3 * settings.prediction_m,
                1e3 * settings.displacement_m
            ),
            "an error is a contact that a full trace finds and the walk does not, or the other way round, or elsewhere; the source's share is of rays, which it does not define".into(),
        ],
    })
}

fn word(yes: bool) -> &'static str {
    if yes { "yes" } else { "no" }
}
