//! Chapter 3, section 4.3: detection between sheets, solids and themselves (C1 to C3).
//!
//! Each scene is recorded and then traced on one thread. At the end a full trace counts the points
//! of cloth inside static bodies; this shows whether the detection was good enough to keep the
//! objects apart.

use clap::Parser;
use hapticd_rays::{RayScene, Settings, Topology, Tracer};
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::looks::{looks, round};
use crate::rays::scenes::HALF_THICKNESS_M;
use crate::rays::stage::Stage;
use crate::rays::wardrobe::{dressed, on_edge, sheets_on_bodies};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-cloth",
    title: "section 4.3: detection for sheets on bodies (C1), a dressed mannequin (C2), a sheet on its edge (C3)",
    judges: Judges::CountsAndTime(&["--sheets", "1", "--steps", "60"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Sheets of C1; the source has 8.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=64))]
    sheets: u32,
    /// Squares a side of a sheet of C1 and C3; the source has 64.
    #[arg(long, default_value_t = 24, value_parser = clap::value_parser!(u32).range(4..=128))]
    cells: u32,
    /// Points along each line of C2, by the source's, 0.2 to 2.
    #[arg(long, default_value_t = 0.35, value_parser = detail)]
    detail: f64,
    /// Steps of 1/60 s.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
}

fn detail(word: &str) -> Result<f64, String> {
    let detail: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if (0.2..=2.0).contains(&detail) {
        Ok(detail)
    } else {
        Err("0.2 to 2".into())
    }
}

/// Builds a scene.
type Make<'a> = &'a dyn Fn() -> Result<Stage, Failure>;

/// Step of the source, ms: detection in real time takes less.
const STEP_MS: f64 = 1e3 / 60.0;
/// Depth in a solid beyond rounding, m.
const INSIDE_M: f64 = 5e-4;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut rows = Vec::new();
    let mut notes = Vec::new();
    let (mut slowest, mut deepest, mut all_three) = (0.0_f64, 0.0_f64, true);
    let c1 = || sheets_on_bodies(options.sheets, options.cells);
    let c2 = || dressed(options.detail);
    let c3 = || on_edge(options.cells);
    let scenes: [(&str, Make, Value, Value); 3] = [
        ("C1", &c1, 5.3.into(), Value::Null),
        ("C2", &c2, 4.3.into(), 16_000.into()),
        ("C3", &c3, "real time".into(), 3_800.into()),
    ];
    for (name, scene, published_ms, published_contacts) in scenes {
        let stage = scene()?;
        let settings = stage.settings();
        let recording = stage.record(options.steps as usize)?;
        let looks = looks(&recording, settings, |_| true)?;
        let count = looks.len().max(1) as f64;
        let mean = looks.iter().map(|look| look.ms).sum::<f64>() / count;
        let most = looks.iter().map(|look| look.ms).fold(0.0, f64::max);
        let mut end = (0, 0);
        recording.replay(|step, scene| {
            if step + 1 == recording.steps() {
                end = inside(scene, settings);
            }
            Ok(())
        })?;
        let row = Row::new(
            format!("{name}: detection, mean"),
            "ms",
            published_ms,
            round(mean),
        );
        rows.push(row.with("worst step", round(most)));
        let contacts = looks.iter().map(|look| look.did.collisions);
        let row = Row::new(
            format!("{name}: contacts in a step, at most"),
            "",
            published_contacts,
            contacts.clone().max().unwrap_or(0),
        );
        rows.push(row.with("mean", round(contacts.sum::<usize>() as f64 / count)));
        let share = 100.0 * end.0 as f64 / end.1.max(1) as f64;
        let row = Row::new(
            format!("{name}: points in a solid, end"),
            "%",
            "none seen",
            round(share),
        );
        rows.push(row.with("points", end.1));
        let some = |of: fn(&hapticd_rays::Report) -> usize| looks.iter().any(|l| of(&l.did) > 0);
        all_three &= some(|did| did.walks) && some(|did| did.tree) && some(|did| did.basic);
        slowest = slowest.max(mean);
        deepest = deepest.max(share);
        notes.push(format!(
            "{name}: prediction {:.1} mm, threshold {:.1} mm, {} inversions in all steps",
            1e3 * settings.prediction_m,
            1e3 * settings.displacement_m,
            looks.iter().map(|look| look.did.inversions).sum::<u64>()
        ));
    }
    notes.extend([
        format!(
            "C1: {} sheets of {} squares a side (published: 8 of 64) on eight concave bodies of 9,766 points together (9,000)",
            options.sheets, options.cells
        ),
        format!(
            "C2: a dress form without limbs and tubes of cloth around it, at {} of the source's points along each line; what it wears is published with 17,500 points",
            options.detail
        ),
        format!("C3: {} squares a side, nothing pulls it", options.cells),
        "processor time of the whole detection, one thread; published: a GPU of 2014".into(),
    ]);
    Ok(Report {
        rows,
        verdict: Verdict::new(
            deepest <= 0.5 && all_three,
            format!(
                "the slowest scene takes {slowest:.1} ms a step on one thread (to hold: less than the step's {STEP_MS:.1}); at most {deepest:.2} % of the points of cloth are in a solid at the end (0.5); all three algorithms at work: {}",
                if all_three { "yes" } else { "no" }
            ),
        )
        .and_time(slowest < STEP_MS),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes,
    })
}

/// Returns the number of points of sheets inside a solid, by a full trace, and the number of all
/// points.
fn inside(scene: &mut RayScene, settings: Settings) -> (usize, usize) {
    let mut tracer = Tracer::new(Settings {
        iterative: false,
        ..settings
    });
    tracer.step(scene);
    let is_sheet = |object: u32| matches!(scene.shape(object).topology(), Topology::Sheet { .. });
    let deep = tracer.contacts().iter().filter(|c| {
        is_sheet(c.source)
            && !is_sheet(c.target)
            && f64::from(c.depth) > HALF_THICKNESS_M + INSIDE_M
    });
    let points = (0..scene.len() as u32).filter(|o| is_sheet(*o));
    (
        deep.count(),
        points.map(|o| scene.shape(o).points().len()).sum(),
    )
}
