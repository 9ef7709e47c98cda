//! Figure 8.17: what each task costs on a circle, with twice the points and with twice the
//! polygons.

use hapticd_geometry::Vec3;
use hapticd_testkit::Random;
use serde_json::{Map, Value};

use super::crowd::picture::{self, View};
use super::crowd::{Ahead, Body, Crowd, Settings, polygon};
use super::stage::{self, Cells, Options, Watch, ms};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "registration-circle",
    title: "figure 8.17 (E3): points cross a circle on which polygons go round; what each task costs",
    judges: Judges::CountsAndTime(&["--steps", "100"]),
    run,
};

const MIDDLE: Vec3 = Vec3::new(160.0, 160.0, 0.0);
/// Radius of the points' circle, and of the two circular roads of polygons.
const CIRCLE_M: f64 = 150.0;
const ROUNDS_M: [f64; 2] = [80.0, 115.0];
const CAR_M_S: f64 = 2.0;

fn about(angle: f64, radius: f64) -> Vec3 {
    MIDDLE + Vec3::new(angle.cos(), angle.sin(), 0.0) * radius
}

/// Makes points on a circle, each with the opposite position as its goal, and cars, half on each
/// circular road.
pub fn circle(points: usize, cars: usize, seed: u64) -> Result<Crowd, Failure> {
    let settings = Settings::close(seed);
    let mut crowd = stage::plane(
        Cells::Multiresolution,
        [20, 20],
        stage::LEVELS + 1,
        settings,
    )?;
    let mut random = Random::new(seed);
    for i in 0..points {
        let angle = (i as f64 + random.unit()) * std::f64::consts::TAU / points as f64;
        let radius = CIRCLE_M + random.signed() * 4.0;
        let (from, to) = (about(angle, radius), about(angle, -radius));
        crowd.add_point(from, to, random.between(1.0, 1.8))?;
    }
    for i in 0..cars {
        let (round, place) = (i % 2, i / 2);
        let angle = place as f64 * std::f64::consts::TAU / (cars / 2) as f64;
        let heading = angle + std::f64::consts::FRAC_PI_2 * [1.0, -1.0][round];
        let centre = about(angle, ROUNDS_M[round]);
        let body = Body::rigid(polygon::box_of(4.0, 2.0), centre, heading, true);
        crowd.add_polygon(body, &[], Ahead::One, centre, CAR_M_S)?;
    }
    crowd.settle_cells();
    Ok(crowd)
}

/// Gives each car a goal a little farther on its road.
pub fn go_round(crowd: &mut Crowd) {
    for (i, car) in crowd.polygons.iter_mut().enumerate() {
        let out = car.middle() - MIDDLE;
        let radius = ROUNDS_M[i % 2];
        let on = 6.0 / radius * [1.0, -1.0][i % 2];
        car.target = about(out.y.atan2(out.x) + on, radius);
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let steps = options.steps(4000, 10_000);
    let sizes = [(500, 50), (1000, 50), (500, 100)];
    let mut crowds = Vec::new();
    for (points, cars) in sizes {
        crowds.push(circle(points, cars, options.seed)?);
    }
    let watches = stage::run_together(&mut crowds, steps, go_round, |i, crowd, k| {
        if i != 2 {
            return Ok(());
        }
        options.frame("circle", k, steps, || {
            picture::draw(
                crowd,
                View::above([20, 20], 1.0),
                |i| 4 * i / sizes[2].0,
                &[],
            )
        })
    })?;
    let mut watch = Watch::default();
    watches.iter().for_each(|w| watch.add(w));
    let costs: Vec<_> = crowds.iter().map(|c| c.cost).collect();
    let ratio = |k: usize, timer: usize| {
        stage::timers(&costs[k])[timer].1 / stage::timers(&costs[0])[timer].1
    };
    let mut rows = Vec::new();
    for ((points, cars), cost) in sizes.iter().zip(&costs) {
        let name = format!("{points} points, {cars} polygons: a step");
        let total = ms(cost.total()) / steps as f64;
        let mut row = Row::new(name, "ms", Value::Null, total);
        for (name, t) in stage::timers(cost) {
            row = row.with(name, t / steps as f64);
        }
        rows.push(row.with("points that change cell, %", 100.0 * cost.changing()));
    }
    let share = (costs.iter())
        .map(|c| ms(c.multiresolution) / ms(c.total()))
        .fold(0.0, f64::max);
    // For a ratio: the source's value, and our tolerance.
    let judged = [
        (
            "twice the points: behaviour",
            "doubles",
            ratio(1, 1),
            1.6..2.6,
        ),
        ("twice the points: points", "doubles", ratio(1, 2), 1.6..2.6),
        (
            "twice the polygons: behaviour",
            "a little less",
            ratio(2, 1),
            0.0..1.0,
        ),
        (
            "twice the polygons: polygons",
            "doubles",
            ratio(2, 3),
            1.6..2.6,
        ),
        (
            "multiresolution, share of all",
            "negligible",
            share,
            0.0..0.05,
        ),
    ];
    let mut failing = Vec::new();
    for (name, published, ours, bar) in judged {
        rows.push(Row::new(name, "", published, ours));
        if !bar.contains(&ours) {
            failing.push(format!("{name}: {ours:.2} is not in {bar:?}"));
        }
    }
    // Not stated in the text; its figure would show it.
    rows.push(Row::new(
        "twice the points: polygons",
        "",
        "not said",
        ratio(1, 3),
    ));
    rows.push(Row::new(
        "twice the polygons: points",
        "",
        "not said",
        ratio(2, 2),
    ));
    let box_cost = ms(costs[0].polygons) / 50.0 / (ms(costs[0].points) / 500.0);
    rows.push(Row::new("cost of a box agent, in points", "", 20, box_cost));
    rows.push(watch.row());
    let judgement = if failing.is_empty() {
        "all ratios are as published".into()
    } else {
        failing.join("; ")
    };
    Ok(Report {
        rows,
        verdict: Verdict::new(
            watch.missed == 0,
            format!(
                "{judgement}; a box costs as much as {box_cost:.1} points (bar: no more than the source's 20); {}",
                watch.words()
            ),
        )
        .and_time(failing.is_empty() && box_cost <= 20.0),
        more: Map::new(),
        notes: vec![format!(
            "{steps} steps of 1/30 s, a circle of {CIRCLE_M} m, cars on {ROUNDS_M:?} m in opposite directions; the three are stepped in turns, so that other load affects all alike. Points and polygons: neighbours, moves and lists"
        )],
        details: Vec::new(),
    })
}
