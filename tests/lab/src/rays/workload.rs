//! Table 3.2 (chapter 3, section 1.4.3): rays missed by predicting the workload before it is known,
//! with and without the number of pairs.
//!
//! It works off-line, from the fills of every step of scenes R (concave bodies on irregular ground)
//! and RD (with sheets above). `rays-pipeline` measures the cost of a synchronisation in the middle
//! of a step (table 3.1); the twin on the CPU has none.

use clap::Parser;
use hapticd_rays::{Predicted, Predictor, Settings, Tracer};
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::scenes::{mixed_rays, on_hills, rigid_rays};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-workload",
    title: "table 3.2: rays missed by predicted workloads, with the number of pairs and without",
    judges: Judges::Counts(&["--bodies", "16", "--sheets", "1", "--steps", "60"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Bodies of R; the source has 1000. RD has a fifth of them, as in the source.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u32).range(5..=1000))]
    bodies: u32,
    /// Sheets of RD; the source has 36.
    #[arg(long, default_value_t = 4, value_parser = clap::value_parser!(u32).range(1..=36))]
    sheets: u32,
    /// Squares a side of a sheet; the source has 64.
    #[arg(long, default_value_t = 16, value_parser = clap::value_parser!(u32).range(4..=128))]
    cells: u32,
    /// Steps of 1/60 s; the source has 600.
    #[arg(long, default_value_t = 180, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// Of both predictions; the source's is this.
    #[arg(long, default_value_t = 1.02, value_parser = confidence)]
    confidence: f64,
}

fn confidence(word: &str) -> Result<f64, String> {
    let value: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if (1.0..=10.0).contains(&value) {
        Ok(value)
    } else {
        Err("1 to 10".into())
    }
}

/// Number of pairs, and the fill of each list of rays.
type Fill = (usize, [usize; 3]);

/// More than any list holds: launched when nothing is known.
const WORST: usize = 1 << 40;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps as usize;
    let rigid = rigid_rays()?;
    let mixed = mixed_rays(options.cells)?;
    // The motion does not matter for R alone: the walk drives it, and the full trace observes.
    let mut stage = on_hills(options.bodies, 0, options.cells, rigid)?;
    let mut beside = Tracer::new(Settings {
        iterative: false,
        ..rigid
    });
    let (mut full, mut walked) = (Vec::new(), Vec::new());
    for _ in 0..steps {
        stage.step()?;
        walked.push(fill(stage.world().detector().report()));
        beside.step(stage.world_mut().scene_mut());
        full.push(fill(beside.report()));
    }
    let mut stage = on_hills(options.bodies / 5, options.sheets, options.cells, mixed)?;
    let mut both = Vec::new();
    for _ in 0..steps {
        stage.step()?;
        both.push(fill(stage.world().detector().report()));
    }
    let confidence = options.confidence;
    let mut rows = Vec::new();
    let mut reductions = Vec::new();
    for (name, fills, published) in [
        ("R, full + iterative", &walked, 79),
        ("RD, full + iterative", &both, 28),
    ] {
        let [by_pairs, simple] = [
            Predictor::ByPairs { confidence },
            Predictor::Simple { confidence },
        ]
        .map(|with| missed(with, fills));
        let reduction = 100.0 * (1.0 - by_pairs as f64 / simple.max(1) as f64);
        let row = Row::new(
            format!("{name}: fewer missed by the pairs"),
            "%",
            published,
            (10.0 * reduction).round() / 10.0,
        );
        rows.push(
            row.with("missed by 3.1", by_pairs)
                .with("missed by 3.2", simple)
                .with("rays", rays(fills)),
        );
        reductions.push(reduction);
    }
    let lost = missed(Predictor::ByPairs { confidence }, &full);
    let share = 100.0 * lost as f64 / rays(&full).max(1) as f64;
    let row = Row::new("R, full: missed", "%", "< 0.1", share);
    rows.push(row.with("missed by 3.1", lost).with("rays", rays(&full)));
    let most = walked.iter().chain(&both).map(|fill| fill.0).max();
    rows.push(Row::new("pairs, at most", "", "10,000", most.unwrap_or(0)));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            reductions[0] >= 40.0
                && reductions[1] > 0.0
                && reductions[0] > reductions[1]
                && share < 0.1,
            format!(
                "the number of pairs takes {:.0} % off what is missed in R (published: 79; to hold: 40) and {:.0} % in RD (28; above 0 and less than in R); full traces alone miss {share:.3} % (below 0.1)",
                reductions[0], reductions[1]
            ),
        ),
        more: [("confidence".to_owned(), Value::from(confidence))]
            .into_iter()
            .collect(),
        details: Vec::new(),
        notes: vec![
            format!(
                "R: {} bodies (published: 1000); RD: {} bodies and {} sheets of {} squares a side (216 and 36 of 64); {} steps (600)",
                options.bodies,
                options.bodies / 5,
                options.sheets,
                options.cells,
                options.steps
            ),
            format!(
                "confidence {confidence}; lists of rays for the walk, the tree and the basic algorithm; where a list was empty the worst case is launched"
            ),
        ],
    })
}

fn fill(did: &hapticd_rays::Report) -> Fill {
    (did.pairs, [did.walks, did.tree, did.basic])
}

fn rays(fills: &[Fill]) -> usize {
    fills.iter().flat_map(|fill| fill.1).sum()
}

/// Returns the number of rays beyond the prediction, over all lists and steps.
fn missed(with: Predictor, fills: &[Fill]) -> u64 {
    let mut lists = [Predicted::default(); 3];
    for (pairs, fill) in fills {
        for (list, n) in lists.iter_mut().zip(fill) {
            list.predict(with, *pairs, WORST);
            list.learn(*n, *pairs);
        }
    }
    lists.iter().map(|list| list.missed).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_grows_with_the_pairs_is_missed_without_them_only() {
        let fills: Vec<Fill> = (1..50).map(|k| (10 * k, [30 * k, 0, 7 * k])).collect();
        assert_eq!(missed(Predictor::ByPairs { confidence: 1.02 }, &fills), 0);
        assert!(missed(Predictor::Simple { confidence: 1.02 }, &fills) > 100);
    }
}
