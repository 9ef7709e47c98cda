//! E15 and E16 (section 4.7, figures 4.10 and 4.11, table 4.3): sizes, memory and construction
//! times of back-face cones.

use std::time::Instant;

use hapticd_published::backface::{BackFaceCones, Strategy};
use serde_json::Value;

use super::door;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

/// E15.
pub const SIZES: Experiment = Experiment {
    id: "redon-e15",
    title: "sizes and memory of back-face cones",
    judges: Judges::Counts(&[]),
    run: sizes,
};

/// E16.
pub const TIMES: Experiment = Experiment {
    id: "redon-e16",
    title: "construction times of back-face cones",
    judges: Judges::Time,
    run: times,
};

/// Number of cones by size for r_max 3 to 9, top-down then bottom-up; digits restored as in the
/// digest.
const PUBLISHED: [[&[u32]; 7]; 2] = [
    [
        &[1393, 3494, 1234, 938],
        &[1013, 3494, 1234, 591, 727],
        &[811, 3494, 1234, 591, 345, 584],
        &[676, 3494, 1234, 591, 345, 235, 484],
        &[590, 3494, 1234, 591, 345, 235, 175, 395],
        &[530, 3494, 1234, 591, 345, 235, 175, 124, 331],
        &[504, 3494, 1234, 591, 345, 235, 175, 124, 82, 275],
    ],
    [
        &[2184, 3279, 1079, 517],
        &[1924, 3279, 1079, 480, 297],
        &[1778, 3279, 1079, 477, 249, 197],
        &[1679, 3279, 1081, 477, 246, 153, 144],
        &[1618, 3279, 1079, 477, 246, 155, 108, 97],
        &[1587, 3279, 1079, 477, 247, 154, 106, 67, 63],
        &[1569, 3279, 1079, 477, 246, 153, 107, 66, 49, 40],
    ],
];

/// Seconds for r_max 3 to 9, top-down then bottom-up.
const PUBLISHED_S: [[f64; 7]; 2] = [
    [137.2, 175.3, 192.6, 212.8, 219.8, 233.2, 231.3],
    [6.31, 13.86, 12.05, 13.10, 14.71, 10.43, 9.73],
];

const STRATEGIES: [(&str, Strategy); 2] = [
    ("top-down", Strategy::TopDown),
    ("bottom-up", Strategy::BottomUp),
];

fn sizes(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let door = door::door()?;
    let mut rows = Vec::new();
    let mut empty = [[0; 7]; 2];
    let (mut totals, mut same) = (true, true);
    let mut largest: Option<Vec<usize>> = None;
    for (s, (name, strategy)) in STRATEGIES.into_iter().enumerate() {
        for (k, published) in PUBLISHED[s].iter().enumerate() {
            let most = k + 3;
            let report = cones(&door, most, strategy)?.report();
            let boxes: usize = report.by_size.iter().sum();
            totals &= boxes == door::boxes(&door);
            empty[s][k] = report.by_size[0];
            // A cone that needs fewer vectors than the limit does not depend on the limit: the
            // top-down columns of the table.
            if s == 0 {
                let before = largest
                    .as_ref()
                    .is_none_or(|l| l[1..most - 1] == report.by_size[1..most - 1]);
                same &= before;
                largest = Some(report.by_size.to_vec());
            }
            let ours = &report.by_size[..=most];
            rows.push(
                Row::new(
                    format!("{name}, at most {most}: boxes by size"),
                    "",
                    list(published),
                    list(ours),
                )
                .with("bytes", report.bytes),
            );
        }
    }
    let fewer_empty = (0..7).all(|k| empty[0][k] <= empty[1][k]);
    let share = |n: usize| 100.0 * n as f64 / door::boxes(&door) as f64;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            totals && fewer_empty && same && share(empty[0][3]) < 12.0,
            format!(
                "every box has a place in the table: {totals}; top-down, sizes below the limit are the same for every limit, as published: {same}; without a cone \
                 at 6 vectors: top-down {:.0} %, bottom-up {:.0} % (published 10 % and 24 %)",
                share(empty[0][3]),
                share(empty[1][3])
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            door::note(&door),
            "cones are built deterministically (hull of the projected normals), not by annealing"
                .into(),
        ],
    })
}

fn list<T: Copy + std::fmt::Display>(counts: &[T]) -> Value {
    let text: Vec<String> = counts.iter().map(T::to_string).collect();
    Value::from(text.join(" "))
}

fn cones(
    door: &hapticd_ccd::MeshIndex,
    most: usize,
    strategy: Strategy,
) -> Result<BackFaceCones, Failure> {
    BackFaceCones::new(door, most, strategy).map_err(|e| Failure::Run(format!("the door: {e}")))
}

fn times(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let door = door::door()?;
    let mut rows = Vec::new();
    let mut sums = [0.0; 2];
    let mut slowest: f64 = 0.0;
    for (s, (name, strategy)) in STRATEGIES.into_iter().enumerate() {
        for (k, published) in PUBLISHED_S[s].into_iter().enumerate() {
            // The least of three: other load on the machine only adds.
            let mut least = f64::INFINITY;
            for _ in 0..3 {
                let start = Instant::now();
                cones(&door, k + 3, strategy)?;
                least = least.min(start.elapsed().as_secs_f64());
            }
            sums[s] += least;
            slowest = slowest.max(least);
            rows.push(Row::new(
                format!("{name}, at most {}", k + 3),
                "s",
                published,
                least,
            ));
        }
    }
    let ratio = sums[0] / sums[1];
    rows.push(Row::new("top-down to bottom-up", "", "13 to 24", ratio));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            slowest < 1.0 && ratio > 1.0,
            format!("the slowest takes {slowest:.3} s (published: 6 to 233 s on a 1 GHz machine); bottom-up is {ratio:.1} times quicker"),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            door::note(&door),
            "times include the check that the mesh is a solid, which is the same for both strategies and makes their ratio smaller".into(),
        ],
    })
}
