//! Springs that are far too stiff, with the passivity controller and without.

use hapticd_devices::sim::Intention;
use hapticd_testkit::wall::{AUTO_STIFFNESS, Tick, Wall, hands, swing_n};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-oscillation",
    title: "a press on a spring up to 50 times too stiff: swing and energy fed",
    judges: Judges::Counts(&[]),
    run,
};

/// Bars: swing 300 ms after the touch, N, and generated energy, J.
const SWING_N: f64 = 0.5;
const FED_J: f64 = 5e-3;

/// Returns the largest swing in a fifth of a second from 300 ms after the touch on, N, and the
/// largest energy from the motors, J.
fn measured(ticks: &[Tick]) -> (f64, f64) {
    let touch = ticks.iter().position(|tick| tick.sent_n > 0.0);
    let from = touch.map_or(0, |touch| (touch + 300).max(600));
    let swings = ticks[from..].chunks(200).map(swing_n);
    let fed = ticks.iter().map(|tick| tick.true_j);
    (swings.fold(0.0, f64::max), fed.fold(0.0, f64::max))
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let press = Intention::Press {
        from: [0.0, 0.0, 0.02],
        rotation: [0.0; 3],
        depth_m: 0.03,
        move_s: 0.5,
        hold_s: 30.0,
    };
    let mut rows = Vec::new();
    let (mut widest_n, mut most_j) = (0.0_f64, 0.0_f64);
    // The heavy one rings for seconds even at a passive stiffness; nothing feeds it.
    for (name, hand) in hands().into_iter().take(3) {
        for factor in [5.0, 10.0, 25.0, 50.0] {
            if context.quick && (factor != 10.0 || name != "relaxed") {
                continue;
            }
            let with = Wall {
                governed: !context.mutant,
                ..Wall::of(AUTO_STIFFNESS * factor)
            };
            let without = Wall {
                governed: false,
                ..with.clone()
            };
            let (swing_n, fed_j) = measured(&with.run(hand, press.clone(), 6000));
            let (wild_n, wild_j) = measured(&without.run(hand, press.clone(), 6000));
            widest_n = widest_n.max(swing_n);
            most_j = most_j.max(fed_j);
            let name = format!("{name} hand, {factor} times `auto`");
            rows.push(
                Row::new(name, "N", serde_json::Value::Null, swing_n)
                    .with("fed, mJ", 1e3 * fed_j)
                    .with("without: N", wild_n)
                    .with("without: fed, mJ", 1e3 * wild_j),
            );
        }
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            widest_n <= SWING_N && most_j <= FED_J,
            format!(
                "at most {widest_n:.2} N peak to peak ({SWING_N} allowed) and {:.2} mJ ({:.0} allowed)",
                1e3 * most_j,
                1e3 * FED_J
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "desktop arm of 0.15 kg, 2 N s/m, 0.1 N, 20 um, 10 N; swing in any 200 ms from 300 ms after the touch on".into(),
            "without: no governor at all, the motors' own saturation alone".into(),
        ],
    })
}
