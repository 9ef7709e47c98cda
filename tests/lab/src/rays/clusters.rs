//! Figure 4.16 (chapter 4, section 4.2.2): savings by clusters, and by the walk in addition, for
//! sheets on irregular ground with balls (D1).
//!
//! Without clusters every sheet is a single one: whole objects are tested, and the walk uses the
//! absolute displacement of each point.

use std::sync::Arc;

use clap::Parser;
use hapticd_rays::displacement::Measure;
use hapticd_rays::{Settings, Shape, Tracer};
use serde_json::Value;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::looks::{alone, round};
use crate::rays::scenes::{cloth_rays, sheets_on_hills};
use crate::rays::stage::Recording;

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-clusters",
    title: "figure 4.16: what clusters save, with the walk and without, sheets on irregular ground",
    judges: Judges::Time,
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
    #[arg(long, default_value_t = 120, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// One step in this many is timed.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=10))]
    every: u32,
}

/// Points of a cluster; the middle value is the subject of the experiment.
const SIZES: [usize; 3] = [16, 64, 256];

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let settings = cloth_rays(options.cells);
    let recording = sheets_on_hills(
        options.sheets,
        options.cells,
        hapticd_rays::POINTS_PER_CLUSTER,
        settings,
    )?
    .record(options.steps as usize)?;
    let every = options.every as usize;
    let time = |points: usize, iterative: bool| {
        let shapes = recording.shapes(points)?;
        let measure = if points == 0 {
            Measure::Absolute
        } else {
            Measure::MeanDeviation
        };
        let settings = Settings {
            iterative,
            measure,
            ..settings
        };
        alone(|| mean_ms(&recording, &shapes, settings, every))
    };
    let neither = time(0, false)?;
    let walk = time(0, true)?;
    let mut rows = vec![
        Row::new("neither", "ms", Value::Null, round(neither)),
        Row::new("walk alone", "ms", Value::Null, round(walk)),
    ];
    let mut both = [0.0; 2];
    for points in SIZES {
        let times = [time(points, false)?, time(points, true)?];
        for (what, ms) in ["clusters", "clusters and walk"].iter().zip(times) {
            let name = format!("{what}, {points} points each");
            rows.push(Row::new(name, "ms", Value::Null, round(ms)));
        }
        if points == hapticd_rays::POINTS_PER_CLUSTER {
            both = times;
        }
    }
    let saved = [neither / both[0], both[0] / both[1], neither / both[1]];
    for (name, published, ours) in [
        ("neither / clusters", 28, saved[0]),
        ("clusters / both", 4, saved[1]),
        ("neither / both", 99, saved[2]),
    ] {
        rows.push(Row::new(name, "", published, round(ours)));
    }
    // The cost of whole objects grows with their size squared.
    let size = (f64::from(options.cells) / 64.0).powi(2);
    let bars = [
        (0.5 * 28.0 * size).max(1.0),
        2.0,
        (0.5 * 99.0 * size).max(2.0),
    ];
    let holds = saved.iter().zip(bars).all(|(saved, bar)| *saved >= bar);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            holds,
            format!(
                "clusters save {:.1} times, the walk on top of them {:.1}, both {:.1}; to hold at this size: half of the published 28, 4 and 99, clusters and both by the sheets' number of points: {:.1}, {:.1}, {:.1}",
                saved[0], saved[1], saved[2], bars[0], bars[1], bars[2]
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{} sheets of {} squares a side (published: 64 of 64), {} steps (300), one in {} timed",
                options.sheets, options.cells, options.steps, options.every
            ),
            "processor time of the whole detection, one thread, mean of the steps".into(),
        ],
    })
}

fn mean_ms(
    recording: &Recording,
    shapes: &[Arc<Shape>],
    settings: Settings,
    every: usize,
) -> Result<f64, Failure> {
    let mut tracer = Tracer::new(settings);
    let (mut sum, mut count) = (0.0, 0);
    recording.replay_with(shapes, |step, scene| {
        let timed = step % every == 0;
        if timed || settings.iterative {
            let start = Moment::now();
            tracer.step(scene);
            if timed {
                sum += 1e3 * start.elapsed().as_secs_f64();
                count += 1;
            }
        }
        Ok(())
    })?;
    Ok(sum / f64::from(count.max(1)))
}
