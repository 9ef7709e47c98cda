//! E23 (section 6.3.3): the two metaphors of the virtual workbench. The stylus moves through the
//! floor and up again; the floor stops the cube that it leads. With increments the offset remains,
//! with the spring it vanishes.

use hapticd_audit::{Solid, Tool, distance_m};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_proxy::{Damping, Gains, Interaction};
use serde_json::Value;

use super::bench::{Bench, Setting};
use super::hand::Script;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e23",
    title: "workbench metaphors: increments keep an offset, a spring does not",
    judges: Judges::Counts(&[]),
    run,
};

const HALF_M: f64 = 0.02;
/// Heights of the stylus: before, below the floor, after.
const S0_M: f64 = 0.1;
const S1_M: f64 = -0.03;
const S3_M: f64 = 0.12;
const PERIOD_S: f64 = 1e-3;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let cube = shapes::cuboid(&Vec3::repeat(HALF_M)).map_err(failed)?;
    let floor = shapes::cuboid(&Vec3::new(0.3, 0.3, 0.05)).map_err(failed)?;
    let below = Pose::translation(0.0, 0.0, -0.05);
    let solids = [Solid::new(&cube), Solid::new(&floor)];
    let at = |z: f64| Pose::translation(0.01, -0.02, z);
    let script = Script::new(&[
        (0.1, at(S0_M)),
        (0.5, at(S1_M)),
        (0.2, at(S1_M)),
        (0.5, at(S3_M)),
        (0.5, at(S3_M)),
    ]);
    let (mut rows, mut holds, mut words) = (Vec::new(), true, Vec::new());
    for (name, interaction, published) in [
        ("increments", Interaction::Increments, "an offset remains"),
        ("spring", Interaction::Spring, "none"),
        (
            "spring, cube of 0.2 kg",
            Interaction::SpringWithMass(0.2),
            "none",
        ),
    ] {
        let gains = Gains {
            stiffness_n_per_m: 500.0,
            damping_n_s_per_m: 1.0,
            ..Gains::default()
        };
        let setting = Setting {
            gains,
            damping: Damping::Relative,
            interaction,
            period_s: PERIOD_S,
            delay: 0,
        };
        let mut bench = Bench::new(Err(&cube), &floor, below, &setting)?;
        let (mut least, mut lowest, mut end) = (f64::INFINITY, f64::INFINITY, 0.0);
        for k in 0..(script.duration_s() / PERIOD_S) as u32 {
            let (outcome, _) = bench.tick(&script.goal(f64::from(k) * PERIOD_S));
            end = outcome.proxy.translation.z;
            lowest = lowest.min(end);
            least = least.min(distance_m(
                &Tool::Mesh(&solids[0]),
                &outcome.proxy,
                &solids[1],
                &below,
            ));
        }
        // Motion that the floor refused: from where the cube stopped down to where the stylus went.
        let lost = lowest - S1_M;
        let offset = end - S3_M;
        let wanted = if interaction == Interaction::Increments {
            lost
        } else {
            0.0
        };
        holds &= (offset - wanted).abs() < 1e-5 && least > 0.0 && (lowest - HALF_M).abs() < 1e-3;
        rows.push(Row::new(
            format!("{name}: the floor refuses"),
            "m",
            Value::Null,
            lost,
        ));
        rows.push(Row::new(
            format!("{name}: offset of the cube from the stylus at the end"),
            "m",
            published,
            offset,
        ));
        rows.push(Row::new(
            format!("{name}: least distance from the floor"),
            "m",
            "> 0",
            least,
        ));
        words.push(format!(
            "{name} {:.3} mm of {:.3} mm lost",
            1e3 * offset,
            1e3 * lost
        ));
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(holds, format!("offset after the stylus has come up again: {}", words.join(", "))),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "the stylus is scripted: from 100 mm above the floor to 30 mm below it and up to 120 mm; the metaphors are those of the product's loop (hapticd-proxy)"
                .into(),
        ],
    })
}
