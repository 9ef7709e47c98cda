//! Figure 8.18: the corridor in coarse cells, in fine ones, and in cells that follow the density.

use serde_json::{Map, Value};

use super::corridor::{NARROW, corridor};
use super::crowd::Crowd;
use super::crowd::picture::{self, View};
use super::stage::{self, Cells, Options, Watch, ms};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-cells",
    title: "figure 8.18 (E4): a corridor in coarse, fine and multiresolution cells; which task costs what",
    judges: Judges::CountsAndTime(&["--steps", "100"]),
    run,
};

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(1500, 10_000);
    let kinds = [
        ("coarse, 16 m", Cells::Coarse),
        ("fine, 1 m", Cells::Fine),
        ("multiresolution", Cells::Multiresolution),
    ];
    let mut crowds = Vec::new();
    for (_, cells) in kinds {
        crowds.push(corridor(NARROW, cells, 1000, 50, options.seed)?);
    }
    let watches = stage::run_together(&mut crowds, steps, Crowd::shuttle, |i, crowd, k| {
        let name = ["cells-coarse", "cells-fine", "cells-multiresolution"][i];
        options.frame(name, k, steps, || {
            picture::draw(crowd, View::above(NARROW, 1.0), |i| i, &[])
        })
    })?;
    let mut watch = Watch::default();
    watches.iter().for_each(|w| watch.add(w));
    let same = crowds
        .iter()
        .all(|c| c.fingerprint() == crowds[0].fingerprint());
    let mut rows = Vec::new();
    for ((name, _), crowd) in kinds.iter().zip(&crowds) {
        let cost = &crowd.cost;
        let mut row = Row::new(
            *name,
            "ms a step",
            Value::Null,
            ms(cost.total()) / steps as f64,
        );
        for (name, t) in stage::timers(cost) {
            row = row.with(name, t / steps as f64);
        }
        let moves = cost.moves as f64;
        rows.push(
            row.with("cells", crowd.registration.map().leaf_count())
                .with("points seen", cost.seen as f64 / moves)
                .with("minded", cost.kept as f64 / moves)
                .with("points that change cell, %", 100.0 * cost.changing())
                .with(
                    "edits a step",
                    crowd.registration.edits() as f64 / steps as f64,
                ),
        );
    }
    let time = |k: usize, timer: usize| stage::timers(&crowds[k].cost)[timer].1;
    let total = |k: usize| ms(crowds[k].cost.total());
    let share = time(2, 0) / total(2);
    let judged = [
        (
            "points: fine / coarse",
            "strongly reduced",
            time(1, 2) / time(0, 2),
            0.5,
        ),
        (
            "points: multiresolution / coarse",
            "low",
            time(2, 2) / time(0, 2),
            0.7,
        ),
        (
            "polygons: coarse / fine",
            "very low",
            time(0, 3) / time(1, 3),
            0.7,
        ),
        (
            "polygons: multiresolution / fine",
            "low",
            time(2, 3) / time(1, 3),
            0.9,
        ),
        (
            "behaviour: fine / coarse",
            "reduced",
            time(1, 1) / time(0, 1),
            1.0,
        ),
        (
            "behaviour: multiresolution / coarse",
            "low",
            time(2, 1) / time(0, 1),
            1.0,
        ),
        (
            "total: multiresolution / coarse",
            "best of the three",
            total(2) / total(0),
            1.0,
        ),
        (
            "total: multiresolution / fine",
            "best of the three",
            total(2) / total(1),
            1.0,
        ),
        ("multiresolution, share of all", "negligible", share, 0.05),
    ];
    let mut failing = Vec::new();
    for (name, published, ours, bar) in judged {
        rows.push(Row::new(name, "", published, ours).with("below", bar));
        if ours >= bar {
            failing.push(format!("{name}: {ours:.2}, not below {bar}"));
        }
    }
    rows.push(watch.row());
    let judgement = if failing.is_empty() {
        "the order of all tasks is as published".into()
    } else {
        failing.join("; ")
    };
    let ways = if same {
        "no path differs by a bit between the three"
    } else {
        "PATHS DIFFER in the three"
    };
    Ok(Report {
        rows,
        verdict: Verdict::new(
            same && watch.missed == 0,
            format!("{judgement}; {ways}; {}", watch.words()),
        )
        .and_time(failing.is_empty()),
        more: Map::new(),
        notes: vec![format!(
            "1,000 points, 50 polygons, {steps} steps of 1/30 s, stepped in turns; no influence reaches further than the finest cell is wide, so all three are the same simulation"
        )],
        details: Vec::new(),
    })
}
