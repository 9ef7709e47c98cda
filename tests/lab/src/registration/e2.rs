//! Figure 8.16: cost of a corridor by the number of polygonal agents.

use serde_json::Map;

use super::corridor::{WIDE, corridor};
use super::crowd::picture::{self, View};
use super::crowd::{Cost, Crowd};
use super::stage::{self, Cells, Options, Watch, line, ms};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-corridor",
    title: "figure 8.16 (E2): the time of a crowd is linear in the number of polygonal agents",
    judges: Judges::CountsAndTime(&["--steps", "50"]),
    run,
};

const CARS: [usize; 7] = [0, 25, 50, 75, 100, 150, 200];
const POINTS: usize = 1000;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(1000, 10_000);
    let seeds = if options.full { 5 } else { 1 };
    let mut rows: Vec<Row> = Vec::new();
    let mut watch = Watch::default();
    let mut most_changing = 0.0_f64;
    let mut costs = vec![[0.0; 5]; CARS.len()];
    for seed in 0..seeds {
        let mut crowds = Vec::new();
        for cars in CARS {
            let cells = Cells::Multiresolution;
            crowds.push(corridor(WIDE, cells, POINTS, cars, options.seed + seed)?);
        }
        let before: Vec<u64> = crowds.iter().map(|c| c.registration.edits()).collect();
        let watches = stage::run_together(&mut crowds, steps, Crowd::shuttle, |i, crowd, k| {
            // 100 polygons.
            if i != 4 || seed > 0 {
                return Ok(());
            }
            options.frame("corridor", k, steps, || {
                picture::draw(crowd, View::above(WIDE, 1.0), |i| i, &[])
            })
        })?;
        watches.iter().for_each(|w| watch.add(w));
        for (k, crowd) in crowds.iter().enumerate() {
            let each = (steps * seeds) as f64;
            costs[k][4] += ms(crowd.cost.total()) / each;
            for (part, (_, t)) in costs[k].iter_mut().zip(stage::timers(&crowd.cost)) {
                *part += t / each;
            }
            most_changing = most_changing.max(crowd.cost.changing());
            if seed == 0 {
                let edits = (crowd.registration.edits() - before[k]) as f64 / steps as f64;
                let name = format!("{} polygons", CARS[k]);
                rows.push(
                    Row::new(name, "ms a step", "linear", 0.0)
                        .with("points that change cell, %", 100.0 * crowd.cost.changing())
                        .with("edits a step", edits),
                );
            }
        }
    }
    for (row, cost) in rows.iter_mut().zip(&costs) {
        row.ours = cost[4].into();
        for (t, (name, _)) in cost.iter().zip(stage::timers(&Cost::default())) {
            row.more.insert(name.into(), (*t).into());
        }
    }
    let times: Vec<(f64, f64)> = (CARS.iter().zip(&costs))
        .map(|(cars, cost)| (*cars as f64, cost[4]))
        .collect();
    let [slope, offset, r2] = line(&times);
    rows.push(Row::new("fit: R^2", "", "linear", r2));
    rows.push(Row::new(
        "fit: a polygon's step",
        "us",
        serde_json::Value::Null,
        slope * 1e3,
    ));
    rows.push(Row::new(
        "points that change cell in a step, most",
        "%",
        "less than 10",
        100.0 * most_changing,
    ));
    rows.push(watch.row());
    Ok(Report {
        rows,
        verdict: Verdict::new(
            most_changing < 0.1 && watch.missed == 0,
            format!(
                "R^2 = {r2:.4} (bar 0.98), {offset:.2} ms and {:.1} us a polygon; at most {:.1} % of the points change cell in a step; {}",
                slope * 1e3,
                100.0 * most_changing,
                watch.words()
            ),
        )
        .and_time(r2 >= 0.98 && slope > 0.0),
        more: Map::new(),
        notes: vec![format!(
            "{POINTS} points, {steps} steps of 1/30 s, {seeds} seed(s); corridor of 192 by 128 m, cells of 16 to 2 m; the range of polygons is lost with the figure. A polygon is a box of 4 by 2 m: 4 edges and a virtual one"
        )],
        details: Vec::new(),
    })
}
