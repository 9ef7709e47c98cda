//! Section 8.4: thousands of points and hundreds of polygons in real time.

use serde_json::Map;

use super::e3;
use super::stage::{Options, Watch, ms};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-capacity",
    title: "section 8.4 (E11): thousands of points and hundreds of polygons in real time",
    judges: Judges::CountsAndTime(&["--steps", "50"]),
    run,
};

const POINTS: usize = 4000;
const POLYGONS: usize = 100;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(600, 10_000);
    // Two of the circles, for hundreds of polygons.
    let mut crowds = Vec::new();
    for k in 0..2 {
        crowds.push(e3::circle(POINTS / 2, POLYGONS, options.seed + k)?);
    }
    let mut watch = Watch::default();
    let mut times: Vec<f64> = Vec::new();
    for k in 0..steps {
        let mut step = 0.0;
        for crowd in &mut crowds {
            let before = ms(crowd.cost.total());
            e3::go_round(crowd);
            crowd.step()?;
            step += ms(crowd.cost.total()) - before;
        }
        times.push(step);
        if (k + 1) % (steps / 3).max(1) == 0 {
            crowds.iter_mut().for_each(|c| watch.look(c));
        }
    }
    times.sort_by(f64::total_cmp);
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize];
    let changing = crowds.iter().map(|c| c.cost.changing()).fold(0.0, f64::max);
    let rows = vec![
        Row::new("a step, median", "ms", "real time: 33", at(0.5)),
        Row::new("a step, 99 % below", "ms", "real time: 33", at(0.99)),
        Row::new("a step, 99.9 % below", "ms", "real time: 33", at(0.999)),
        Row::new(
            "points that change cell in a step",
            "%",
            "less than 10",
            100.0 * changing,
        ),
        watch.row(),
    ];
    Ok(Report {
        rows,
        verdict: Verdict::new(
            changing < 0.1 && watch.missed == 0,
            format!(
                "{POINTS} points and {} polygons: median {:.1} ms, 99 % below {:.1} ms of the 33 of 30 steps a second; {}",
                2 * POLYGONS,
                at(0.5),
                at(0.99),
                watch.words()
            ),
        )
        .and_time(at(0.99) < 1e3 / 30.0),
        more: Map::new(),
        notes: vec![format!(
            "two circles of figure 8.10 side by side, {} points and {POLYGONS} polygons each, {steps} steps, processor time of one thread",
            POINTS / 2
        )],
        details: Vec::new(),
    })
}
