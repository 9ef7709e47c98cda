//! E18 (section 5.5.3, tables 5.1 and 5.2): Dantzig's algorithm in contact space against
//! Wilhelmsen's in motion space.

use clap::Parser;
use hapticd_published::twin::{Storage, Twin, dantzig, wilhelmsen};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e18",
    title: "motion space against contact space, dense and sparse",
    judges: Judges::CountsAndTime(&["--runs", "1"]),
    run,
};

/// Tolerance of the source: the solvers stop here.
const TOLERANCE: f64 = 1e-6;
const BODIES: [usize; 5] = [2, 7, 12, 17, 22];
const CONTACTS: [usize; 5] = [5, 15, 25, 35, 45];
/// Tables 5.1 and 5.2: rows by contacts per body, columns by bodies. The entry (45, 12) of the
/// first is printed as "1.5".
const DENSE: [[f64; 5]; 5] = [
    [0.60, 0.50, 0.51, 0.54, 0.52],
    [0.85, 1.08, 1.23, 1.47, 1.63],
    [0.85, 0.90, 1.07, 1.21, 1.05],
    [0.94, 0.93, 1.31, 1.15, 1.01],
    [1.01, 1.08, 1.5, 1.08, 1.03],
];
const SPARSE: [[f64; 5]; 5] = [
    [0.51, 0.62, 0.80, 0.91, 0.93],
    [0.71, 1.19, 1.52, 1.95, 2.19],
    [0.70, 1.04, 1.60, 1.98, 1.90],
    [0.76, 1.11, 2.08, 2.20, 2.05],
    [0.78, 1.34, 2.44, 2.43, 2.20],
];

#[derive(Parser)]
struct Arguments {
    /// Problems per cell of the tables (the source: 50).
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=1000))]
    runs: u64,
}

/// Results for one storage format.
struct Table {
    ratios: [[f64; 5]; 5],
    /// Largest difference of the two solutions.
    apart: f64,
    unsolved: u32,
}

fn run(context: &Context) -> Result<Report, Failure> {
    let runs = context.parse::<Arguments>()?.runs;
    let mut rows = Vec::new();
    let mut tables = Vec::new();
    for (storage, name, published) in [
        (Storage::Dense, "dense", &DENSE),
        (Storage::Sparse, "sparse", &SPARSE),
    ] {
        let table = measure(storage, runs);
        for (i, p) in CONTACTS.iter().enumerate() {
            for (k, n) in BODIES.iter().enumerate() {
                let what = format!("{name}, {p} contacts a body, {n} bodies");
                rows.push(Row::new(what, "ratio", published[i][k], table.ratios[i][k]));
            }
        }
        tables.push(table);
    }
    // The trend that the author stresses: with sparse storage, more contacts per body favour motion
    // space.
    let mean = |row: &[f64; 5]| row.iter().sum::<f64>() / 5.0;
    let (few, many) = (mean(&tables[1].ratios[0]), mean(&tables[1].ratios[4]));
    let apart = tables.iter().map(|t| t.apart).fold(0.0, f64::max);
    let unsolved: u32 = tables.iter().map(|t| t.unsolved).sum();
    let problems = 2 * 25 * runs;
    // Both stop at the tolerance, relative to the size of the violations.
    let agree = apart <= 10.0 * TOLERANCE;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            agree && u64::from(unsolved) * 50 <= problems,
            format!(
                "sparse, the mean ratio goes from {few:.1} at 5 contacts a body to {many:.1} at 45 (published 0.75 to 1.84); solutions differ by at most {apart:.1e}; {unsolved} of {problems} problems were not solved by one of the two"
            ),
        )
        .and_time(many > few),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "time of Dantzig's over that of Wilhelmsen's algorithm; random data as in the source, the wanted motion is zero".into(),
            format!("{runs} problems a cell; `--runs 50` for the source's number"),
        ],
    })
}

fn measure(storage: Storage, runs: u64) -> Table {
    let mut table = Table {
        ratios: [[0.0; 5]; 5],
        apart: 0.0,
        unsolved: 0,
    };
    for (i, p) in CONTACTS.into_iter().enumerate() {
        for (k, n) in BODIES.into_iter().enumerate() {
            let (mut contact, mut motion) = (0.0, 0.0);
            for run in 0..runs {
                let twin = Twin::random(n, p, run + 1000 * (n * 100 + p) as u64);
                let clock = Moment::now();
                let x = wilhelmsen(&twin, storage, TOLERANCE);
                motion += clock.elapsed().as_secs_f64();
                let clock = Moment::now();
                let y = dantzig(&twin, storage, TOLERANCE);
                contact += clock.elapsed().as_secs_f64();
                if x.solved && y.solved {
                    let apart = x.motion.iter().zip(&y.motion).map(|(a, b)| (a - b).abs());
                    table.apart = apart.fold(table.apart, f64::max);
                } else {
                    table.unsolved += 1;
                }
            }
            table.ratios[i][k] = contact / motion;
        }
    }
    table
}
