//! Thousands of presses by hands of all kinds: energy given to the hand beyond what the arm
//! absorbs.

use clap::Parser;
use hapticd_devices::sim::{HandParams, Intention};
use hapticd_testkit::Random;
use hapticd_testkit::wall::{AUTO_STIFFNESS, Tick, Wall};
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-passivity",
    title: "random presses at the default stiffness: energy that the hand is given",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// How many presses.
    #[arg(long, default_value_t = 10_000)]
    presses: u64,
    /// What the random hands follow from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// 1.2 times the bound of which [`AUTO_STIFFNESS`] is 0.9, N/m.
const BEYOND: f64 = 1.2 / 0.9 * AUTO_STIFFNESS;
/// Number of presses in tests.
const QUICK: u64 = 30;

#[derive(Clone, Copy, Default)]
struct Outcome {
    acted: bool,
    debt_j: f64,
    stored_j: f64,
    gained_j: f64,
    off_j: f64,
}

fn press(seed: u64, stiffness: f64) -> Outcome {
    let mut random = Random::new(seed);
    let mut log = |low: f64, high: f64| low * (high / low).powf(random.unit());
    let hand = HandParams {
        mass_kg: log(0.01, 2.0),
        stiffness_n_per_m: log(50.0, 1500.0),
        damping_n_s_per_m: log(0.05, 20.0),
        ..HandParams::relaxed()
    };
    let intention = Intention::Press {
        from: [0.0, 0.0, 0.01],
        rotation: [0.0; 3],
        depth_m: 0.01 + log(0.001, 0.03),
        move_s: log(0.15, 1.0),
        hold_s: log(0.05, 0.5),
    };
    let ticks = Wall::of(stiffness).run(hand, intention, 3000);
    let last = ticks.last().copied().unwrap_or_default();
    let of = |value: fn(&Tick) -> f64| ticks.iter().map(value);
    Outcome {
        acted: ticks.iter().any(|tick| tick.oscillation_limited),
        debt_j: of(|tick| tick.debt_j).fold(0.0, f64::max),
        stored_j: -of(|tick| tick.true_j).fold(0.0, f64::min),
        gained_j: last.true_j,
        off_j: (last.given_j - last.true_j).abs(),
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let mut options: Options = context.parse()?;
    if context.quick {
        options.presses = options.presses.min(QUICK);
    }
    let stiffness = if context.mutant {
        BEYOND
    } else {
        AUTO_STIFFNESS
    };
    let seed = |k: u64| options.seed.wrapping_mul(1_000_003).wrapping_add(k);
    let outcomes: Vec<Outcome> = (0..options.presses)
        .into_par_iter()
        .map(|k| press(seed(k), stiffness))
        .collect();
    let largest = |of: fn(&Outcome) -> f64| outcomes.iter().map(of).fold(0.0, f64::max);
    let acted = outcomes.iter().filter(|outcome| outcome.acted).count();
    let debt_j = largest(|outcome| outcome.debt_j);
    let null = serde_json::Value::Null;
    let rows = vec![
        Row::new("presses", "", null.clone(), options.presses),
        Row::new("in which controller or detector acted", "", 0, acted),
        Row::new("largest debt", "mJ", null.clone(), 1e3 * debt_j),
        Row::new(
            "largest input at once",
            "mJ",
            null.clone(),
            1e3 * largest(|o| o.stored_j),
        ),
        Row::new(
            "largest true gain of a run, before the arm's own damping",
            "mJ",
            null.clone(),
            1e3 * largest(|o| o.gained_j),
        ),
        Row::new(
            "largest difference of ledger and truth",
            "mJ",
            null,
            1e3 * largest(|o| o.off_j),
        ),
    ];
    Ok(Report {
        rows,
        verdict: Verdict::new(
            acted == 0 && debt_j < 1e-4,
            format!(
                "controller or detector acted in {acted} of {} presses; beyond what the arm takes at \
                 most {:.3} mJ were given",
                options.presses,
                1e3 * debt_j
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "a frictionless wall at 0.9 of the passive bound; hands of 0.01 to 2 kg, 50 to 1500 N/m, 0.05 to 20 N s/m".into(),
        ],
    })
}
