//! Free air over a surface of 100,000 triangles: forces caused by late answers.

use hapticd_geometry::{Quat, Vec3};
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::feel::stage::{
    LIMITS, SETTLED_S, STIFFNESS, Stage, ball, cube, eased, forced_arm, posed, stone,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-air",
    title: "free motion of 0.5 to 1.5 m/s over 100,000 triangles with answers 0 to 20 ticks late",
    judges: Judges::Counts(&[]),
    run,
};

/// Maximum force, N: with answers up to eight ticks late, and beyond.
const FRESH_N: f64 = 0.0;
const LATE_N: f64 = 0.05;
/// Lateness from which the second value holds, ticks.
const STALE: u32 = 9;
/// Tolerance for rounding: forces below it count as zero, N.
const NOTHING_N: f64 = 1e-12;

const HALF_M: f64 = 0.005;
/// Height of the hills; squares along an edge, each with two triangles on the upper side alone.
const HILLS_M: f64 = 0.005;
const CELLS: u32 = 224;
/// The same for tests.
const QUICK: u32 = 64;
/// Amplitude of the motion, m.
const SWING_M: f64 = 0.07;

#[derive(Clone, Copy)]
struct Case {
    cube: bool,
    late: u32,
    speed: f64,
    above_m: f64,
    /// Planted fault: the damper acts on the hand's own speed.
    drags: bool,
    cells: u32,
}

/// Returns the largest force and torque, and the number of ticks that a certificate cut short.
fn swept(case: Case) -> Result<(f64, f64, usize), Failure> {
    let shape = if case.cube {
        cube(HALF_M)
    } else {
        ball(HALF_M)
    };
    let terrain = format!(
        "{{ kind = \"terrain\", size_m = [0.3, 0.3], amplitude_m = {HILLS_M:?}, cells = {}, seed = 7 }}",
        case.cells
    );
    // Height of the whole tool above the highest hill; a cube's corner extends further.
    let reach = if case.cube {
        HALF_M * 3.0_f64.sqrt()
    } else {
        HALF_M
    };
    let under = HILLS_M + reach + case.above_m;
    let arm = if case.drags {
        forced_arm(&shape, STIFFNESS, 0.4) + "interaction = { damping = \"device\" }\n"
    } else {
        forced_arm(&shape, STIFFNESS, 0.0)
    };
    let text = arm + LIMITS + &stone(&terrain, [0.0, 0.0, -under], 0.3);
    let way = move |t: f64| {
        // At rest until force is on; then a sine of growing frequency, up to the speed.
        let t = t - SETTLED_S;
        let phase = if t > 0.0 {
            case.speed / SWING_M * t * eased(t, -0.1, 0.3)
        } else {
            0.0
        };
        let at = Vec3::new(
            SWING_M * phase.sin(),
            0.4 * SWING_M * (0.31 * phase).sin(),
            0.0,
        );
        let turn = Vec3::new(0.4 * (1.3 * phase).sin(), 0.5 * (0.7 * phase).sin(), 0.0);
        posed(at, Quat::from_scaled_axis(turn))
    };
    let ticks = Stage::led(&text, case.late, way)?.run(1000);
    let over =
        |of: fn(&hapticd_loop::record::ArmTick) -> f64| ticks.iter().map(of).fold(0.0, f64::max);
    Ok((
        over(|tick| tick.wanted.force_n.norm()),
        over(|tick| tick.wanted.torque_nm.norm()),
        ticks.iter().filter(|tick| tick.starved).count(),
    ))
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut cases = Vec::new();
    for cube in [false, true] {
        for late in [0, 8, 20] {
            for above_m in [0.002, 0.02] {
                for speed in [0.5, 1.0, 1.5] {
                    cases.push(Case {
                        cube,
                        late,
                        speed,
                        above_m,
                        drags: context.mutant,
                        cells: if context.quick { QUICK } else { CELLS },
                    });
                }
            }
        }
    }
    if context.quick {
        cases.retain(|case| case.late == 8 && case.above_m < 0.01 && case.speed == 1.0);
    }
    let felt: Result<Vec<_>, Failure> = cases.par_iter().map(|&case| swept(case)).collect();
    let mut rows = Vec::new();
    let (mut missed, mut fresh_n, mut late_n) = (Vec::new(), 0.0_f64, 0.0_f64);
    for (case, (force_n, torque_nm, starved)) in cases.iter().zip(felt?) {
        let bar = if case.late < STALE { FRESH_N } else { LATE_N };
        if case.late < STALE {
            fresh_n = fresh_n.max(force_n);
        } else {
            late_n = late_n.max(force_n);
        }
        let tool = if case.cube { "box" } else { "ball" };
        let name = format!(
            "{tool}, {} ticks late, {:.0} mm above, {} m/s",
            case.late,
            1e3 * case.above_m,
            case.speed
        );
        if !(force_n <= bar + NOTHING_N) {
            missed.push(format!("{name}: {force_n:.3} N"));
        }
        rows.push(
            Row::new(name, "N", bar, force_n)
                .with("starved ticks", starved)
                .with("torque, mN m", 1e3 * torque_nm),
        );
    }
    let mut why = format!(
        "with answers up to 8 ticks late at most {fresh_n:.3e} N (none allowed), up to 20 late {late_n:.3e} N ({LATE_N} allowed)"
    );
    if !missed.is_empty() {
        why += &format!(
            "; {} of {} miss: {}",
            missed.len(),
            rows.len(),
            missed.join("; ")
        );
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(missed.is_empty(), why),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "terrain of {CELLS} x {CELLS} squares; turning too; the product's reach (20 mm) and budget (1024 pairs); \
             {STIFFNESS} N/m; largest force that the coupling wanted in 1 s"
        )],
    })
}
