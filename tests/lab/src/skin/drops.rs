//! Drops in a box (section 5.1): time by number of drops, triangles by number of drops, time by
//! triangles.

use clap::Parser;
use serde_json::{Map, Value};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{Cost, HIGH, NORMAL, fly, line};

pub const TIME: Experiment = Experiment {
    id: "skin-primitives",
    title: "section 5.1.1: time by the number of primitives, 200 of them in less than 25 ms",
    judges: Judges::Time,
    run: time,
};

pub const TRIANGLES: Experiment = Experiment {
    id: "skin-triangles",
    title: "tables 5.3 and 5.4: triangles by the number of primitives, in cubes of two fitted sizes",
    judges: Judges::Counts(&["--frames", "12"]),
    run: triangles,
};

pub const RESOLUTION: Experiment = Experiment {
    id: "skin-resolution",
    title: "figure 5.7: time by triangles, one line whatever the number of primitives",
    judges: Judges::Time,
    run: resolution,
};

#[derive(Parser)]
struct Options {
    /// Frames of each run.
    #[arg(long, default_value_t = 60, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    frames: u32,
}

/// Every tenth up to 200, as in the source.
fn counts() -> impl Iterator<Item = usize> {
    (1..=20).map(|k| 10 * k)
}

const BOX_NOTE: &str = "drops of radius 1 in a box of 20, level 0.5, cubes of 0.42 (normal) and 0.151 (high): the digest's calibration, the source gives none";

fn report(rows: Vec<Row>, verdict: Verdict, note: &str) -> Report {
    Report {
        rows,
        verdict,
        more: Map::new(),
        notes: vec![BOX_NOTE.into(), note.into()],
        details: Vec::new(),
    }
}

fn time(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let costs: Vec<(usize, Cost)> = counts()
        .map(|n| Ok((n, fly(n, NORMAL, options.frames)?)))
        .collect::<Result<_, Failure>>()?;
    let fit = line(
        &costs
            .iter()
            .map(|(n, c)| (*n as f64, c.ms))
            .collect::<Vec<_>>(),
    );
    let mut rows: Vec<Row> = (costs.iter())
        .map(|(n, c)| {
            let published = if *n == 200 {
                Value::from("< 25")
            } else {
                Value::Null
            };
            Row::new(format!("{n} primitives"), "ms", published, c.ms)
        })
        .collect();
    rows.push(Row::new("a line: R²", "", "linear", fit.r2));
    let last = costs.last().map_or(f64::NAN, |(_, c)| c.ms);
    let holds = fit.r2 > 0.99 && last < 2.0;
    let why = format!(
        "200 primitives in {last:.2} ms (25 ms in 2001, our own bar is 2), {:.4} ms each and {:.3} ms beside, R² {:.4}",
        fit.slope, fit.intercept, fit.r2
    );
    let verdict = Verdict::new(holds, why);
    Ok(report(
        rows,
        verdict,
        "all drops move in every frame; normals included",
    ))
}

/// Tables 5.3 and 5.4: primitives, triangles at normal and at high precision.
const PUBLISHED: [(usize, f64, f64); 20] = [
    (10, 554.0, 4776.0),
    (20, 1108.0, 9556.0),
    (30, 1663.0, 14317.0),
    (40, 2222.0, 19088.0),
    (50, 2777.0, 23869.0),
    (60, 3334.0, 28609.0),
    (70, 3890.0, 33375.0),
    (80, 4450.0, 38104.0),
    (90, 5006.0, 42827.0),
    (100, 5561.0, 47511.0),
    (110, 6118.0, 52127.0),
    (120, 6677.0, 56808.0),
    (130, 7233.0, 61401.0),
    (140, 7794.0, 66070.0),
    (150, 8346.0, 70678.0),
    (160, 8908.0, 75343.0),
    (170, 9461.0, 80003.0),
    (180, 10019.0, 84648.0),
    (190, 10589.0, 89328.0),
    (200, 11139.0, 93828.0),
];

fn triangles(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut rows = Vec::new();
    let (mut worst, mut each) = (0.0_f64, [0.0; 2]);
    let mut points = [Vec::new(), Vec::new()];
    for (n, normal, high) in PUBLISHED {
        for (k, (published, cell)) in [(normal, NORMAL), (high, HIGH)].into_iter().enumerate() {
            let cost = fly(n, cell, options.frames)?;
            worst = worst.max((cost.triangles / published - 1.0).abs());
            each[k] = cost.triangles / cost.cubes;
            points[k].push((n as f64, cost.triangles));
            let name = format!("{n} primitives, {}", ["normal", "high"][k]);
            rows.push(Row::new(
                name,
                "triangles",
                published,
                cost.triangles.round(),
            ));
        }
    }
    for (k, name) in ["normal", "high"].into_iter().enumerate() {
        let name = format!("triangles a useful cube, {name}");
        rows.push(Row::new(name, "", 1.8, each[k]));
    }
    let r2 = points.map(|p| line(&p).r2);
    // The digest: 1.75 to 1.80 at normal and 1.97 at high precision, where the source says 1.8 for
    // all.
    let cubes = (1.7..1.9).contains(&each[0]) && (1.8..2.05).contains(&each[1]);
    let verdict = Verdict::new(
        worst < 0.03 && r2.iter().all(|r| *r > 0.999) && cubes,
        format!(
            "with the box and both sizes of cubes fitted to these tables: all 40 numbers within {:.1} % (bar 3), R² {:.5} and {:.5}; {:.2} and {:.2} triangles a useful cube, which are not fitted",
            100.0 * worst,
            r2[0],
            r2[1],
            each[0],
            each[1]
        ),
    );
    let note = "the source gives neither box nor cubes: three lengths were chosen for these 40 numbers, so that they are reached says little; that each column is a line and its triangles a cube are what is shown. The published columns fit a ratio of resolutions of 2.78, not the 3 that the source states, and 1.8 triangles a cube only the coarse one (digest, section 7.3)";
    Ok(report(rows, verdict, note))
}

fn resolution(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut rows = Vec::new();
    let mut lines = Vec::new();
    for n in [50, 100, 150, 200] {
        let mut points = Vec::new();
        for cell in [0.5, 0.42, 0.35, 0.28, 0.22, 0.18, HIGH] {
            let cost = fly(n, cell, options.frames)?;
            points.push((cost.triangles, cost.ms));
        }
        let fit = line(&points);
        let (most, ms) = points.last().copied().unwrap_or_default();
        rows.push(
            Row::new(
                format!("{n} primitives"),
                "us a triangle",
                "the same",
                1e3 * fit.slope,
            )
            .with("beside, ms", fit.intercept)
            .with("most triangles", most.round())
            .with("in, ms", ms)
            .with("R²", fit.r2),
        );
        lines.push((fit, ms));
    }
    let slopes = lines.iter().map(|(fit, _)| fit.slope);
    let (low, high) = slopes.fold((f64::INFINITY, 0.0_f64), |(a, b), s| (a.min(s), b.max(s)));
    let beside = lines.iter().map(|(fit, ms)| (fit.intercept / ms).abs());
    let beside = beside.fold(0.0, f64::max);
    let straight = lines.iter().all(|(fit, _)| fit.r2 > 0.98);
    let spread = high / low - 1.0;
    let verdict = Verdict::new(
        spread < 0.15 && beside < 0.1 && straight,
        format!(
            "slopes within {:.0} % of each other (bar 15), intercepts at most {:.0} % of the range",
            100.0 * spread,
            100.0 * beside
        ),
    );
    Ok(report(
        rows,
        verdict,
        "seven sizes of cubes for each number of primitives",
    ))
}
