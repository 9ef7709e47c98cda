//! E12 (section 3.6): cost of a step on the trajectory of E6, on average and at worst.

use hapticd_published::first_contact::FirstContactOptions;
use serde_json::Value;

use super::motor::scene;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e12",
    title: "time of a step with the window motor: mean, 99th percentile, worst",
    judges: Judges::Time,
    run,
};

/// Target of the mean: "well below 1 ms is a realistic target".
const TARGET_S: f64 = 1e-3;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let scene = scene(context)?;
    let moving = scene.moving_seconds();
    let published = scene.replay(&FirstContactOptions::default());
    let mut rows = Vec::new();
    let mut means = Vec::new();
    for (name, published, seconds) in [
        (
            "whole step, dynamics and detection",
            Some(39.1 / 2604.0),
            &scene.trajectory.seconds,
        ),
        ("detection alone", None, &moving),
        (
            "detection alone, by the published method",
            None,
            &published.seconds,
        ),
    ] {
        let mut sorted = seconds.clone();
        sorted.sort_by(f64::total_cmp);
        let mean = sorted.iter().sum::<f64>() / sorted.len().max(1) as f64;
        let at = |share: f64| {
            sorted
                .get((share * (sorted.len() as f64 - 1.0)) as usize)
                .copied()
                .unwrap_or(f64::INFINITY)
        };
        let published = published.map_or(Value::Null, Value::from);
        rows.push(Row::new(format!("{name}: mean"), "s", published, mean));
        for (what, share) in [
            ("half of them below", 0.5),
            ("99 % below", 0.99),
            ("worst", 1.0),
        ] {
            rows.push(Row::new(
                format!("{name}: {what}"),
                "s",
                Value::Null,
                at(share),
            ));
        }
        means.push(mean);
    }
    let why = format!(
        "a whole step takes {:.2} ms on average; the target was well below 1 ms; {:.0} steps a second (published: 66 on a 1 GHz machine)",
        1e3 * means[0],
        1.0 / means[0]
    );
    let notes = [
        "the whole step is that of the simulator of the recorded path, which follows lists of near features; detection alone starts from the roots of the trees at every step; \
         processor time",
    ];
    Ok(scene.report(rows, Verdict::new(means[0] < TARGET_S, why), &notes))
}
