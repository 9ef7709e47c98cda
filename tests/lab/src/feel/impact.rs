//! A hand that strikes a surface: which part of the effect is mechanics, and which is the lateness
//! of answers.
//!
//! The device is led down to a depth, held, and led up again. A spring between it and a surface
//! known in time would press by stiffness times depth. Compared with that, the experiment measures
//! the growth of the force in a tick, its overshoot, and the energy given to the hand over the
//! whole path.

use hapticd_geometry::Pose;
use hapticd_loop::record::ArmTick;
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::feel::stage::{
    LIMITS, SETTLED_S, STIFFNESS, Stage, TICK_S, ball, body, corners, cube, forced_arm, lowest,
    work_j,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-impact",
    title: "blows of 0.05 to 1.5 m/s with answers 0 to 15 ticks late; materials from the first tick on",
    judges: Judges::Counts(&[]),
    run,
};

/// Bars. Force beyond stiffness times depth, as a fraction of the largest; growth in a tick beyond
/// the hand's motion in it, N; energy given beyond what sampling generates, as a fraction of the
/// stored energy; stiffness of a material; pull on the way out, N.
const OVERSHOOT: f64 = 0.01;
const GROWTH_N: f64 = 0.12;
const GIVEN: f64 = 0.01;
const MATERIAL: f64 = 0.05;
const PULL_N: f64 = 1e-3;

const LATE: [u32; 5] = [0, 2, 5, 10, 15];
const SPEEDS: [f64; 5] = [0.05, 0.2, 0.5, 1.0, 1.5];
/// Reach of an answer, m: the product's, and one so short that a fast hand finds the surface only
/// when it is inside.
const REACHES_M: [f64; 2] = [0.02, 0.004];
const HALF_M: f64 = 0.005;
const DEPTH_M: f64 = 0.003;
/// Height above the surface at the start.
const ABOVE_M: f64 = 0.12;

#[derive(Clone, Copy, PartialEq)]
enum Tool {
    Ball,
    Cube,
}

/// Measurements of a strike.
#[derive(Clone, Copy, Default)]
struct Strike {
    /// Largest depth of the tool in the surface, m.
    inside_m: f64,
    overshoot: f64,
    growth_n: f64,
    given: f64,
    pull_n: f64,
    /// Smallest and largest stiffness by the hand's depth, relative to the material's; over ticks
    /// under force.
    stiffness: [f64; 2],
    most_n: f64,
    /// Force at the deepest point, relative to stiffness times depth.
    held: f64,
    /// Ticks from the hand's deepest point until nine tenths of that force.
    late: usize,
}

/// Time for which the hand stays down, s: long enough for a tool with short answers to arrive.
const HELD_S: f64 = 0.5;

/// Moves down at a speed, stays for a while, and moves up at the same speed. The touch is at 0.
fn way(speed: f64) -> impl FnMut(f64) -> Pose + Send + 'static {
    move |t| {
        let down_s = (ABOVE_M + DEPTH_M) / speed;
        let t = t - SETTLED_S;
        let gone = if t < down_s + HELD_S {
            t.clamp(0.0, down_s)
        } else {
            (2.0 * down_s + HELD_S - t).max(0.0)
        };
        // A place on the surface that is not a vertex.
        Pose::translation(0.007, 0.003, ABOVE_M - speed * gone)
    }
}

/// Returns the lowest point of the tool, m.
fn bottom(tool: Tool, tick: &ArmTick) -> f64 {
    let proxy = tick.world_from_proxy;
    match tool {
        Tool::Ball => proxy.translation.z - HALF_M,
        Tool::Cube => proxy.translation.z + lowest(&corners(HALF_M), &proxy.rotation).z,
    }
}

fn blow(
    (tool, late, speed): (Tool, u32, f64),
    stiffness: f64,
    reach_m: f64,
    mutant: bool,
) -> Result<Strike, Failure> {
    let shape = match tool {
        Tool::Ball => ball(HALF_M),
        Tool::Cube => cube(HALF_M),
    };
    let text = forced_arm(&shape, STIFFNESS, 0.0)
        + LIMITS
        + &format!("[collision]\nreach_max_m = {reach_m:?}\n")
        + &body(
            "{ kind = \"cuboid\", size_m = [0.8, 0.8, 0.04] }",
            [0.0, 0.0, -HALF_M - 0.02],
            stiffness,
            0.0,
            0.0,
        );
    let felt = stiffness.min(STIFFNESS);
    let ticks = (1e3 * (SETTLED_S + 2.0 * (ABOVE_M + DEPTH_M) / speed + HELD_S + 0.1)) as u64;
    let mut ticks = Stage::led(&text, late, way(speed))?.run(ticks);
    if mutant {
        // The force in this tick was wanted a tick ago.
        for k in (1..ticks.len()).rev() {
            ticks[k].wanted = ticks[k - 1].wanted;
        }
    }
    // The tool keeps this distance from the surface, so contact begins earlier by as much.
    let safe_m = 2e-4 * 0.2;
    let depth = |tick: &ArmTick| (safe_m - tick.world_from_device.translation.z).max(0.0);
    let mut out = Strike {
        inside_m: f64::MIN,
        stiffness: [f64::MAX, 0.0],
        ..Strike::default()
    };
    let mut given_j = 0.0;
    let mut deepest = None;
    for (k, pair) in ticks.windows(2).enumerate() {
        let (before, now) = (&pair[0], &pair[1]);
        let force = now.wanted.force_n.z;
        out.inside_m = out.inside_m.max(-HALF_M - bottom(tool, now));
        out.overshoot = out.overshoot.max(force - felt * depth(now));
        // Mechanics: the motion of the hand.
        let went = felt * (depth(now) - depth(before)).abs();
        out.growth_n = out.growth_n.max(force - before.wanted.force_n.z - went);
        out.pull_n = out.pull_n.max(-force);
        out.most_n = out.most_n.max(now.wanted.force_n.norm());
        given_j += work_j(before, now);
        if now.wanted.force_n.norm() > 1e-3 && depth(now) > 2e-4 {
            let ratio = now.wanted.force_n.norm() / depth(now) / felt;
            out.stiffness = [out.stiffness[0].min(ratio), out.stiffness[1].max(ratio)];
        }
        let at_bottom = depth(now) >= DEPTH_M + safe_m - 1e-9;
        if at_bottom && deepest.is_none() {
            deepest = Some(k);
        }
        let held = force / (felt * (DEPTH_M + safe_m));
        if at_bottom {
            out.held = held;
        }
        if let Some(from) = deepest
            && held >= 0.9
            && out.late == 0
        {
            out.late = k - from + 1;
        }
    }
    let most = felt * (DEPTH_M + safe_m);
    out.overshoot /= most;
    // A force that is held for a tick generates K v h T over a strike to a depth h and back.
    let made_j = felt * speed * (DEPTH_M + safe_m) * TICK_S;
    out.given = (given_j - made_j) / (0.5 * most * (DEPTH_M + safe_m));
    if out.most_n < 0.5 * most {
        return Err(Failure::Run(format!(
            "a blow of {speed} m/s, {late} ticks late: {} N of {most} N",
            out.most_n
        )));
    }
    Ok(out)
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut missed = Vec::new();
    let mut rows = Vec::new();
    let cases: Vec<(f64, Tool, u32, f64)> = REACHES_M
        .into_iter()
        .flat_map(|reach| [Tool::Ball, Tool::Cube].map(|tool| (reach, tool)))
        .flat_map(|(reach, tool)| LATE.map(|late| (reach, tool, late)))
        .flat_map(|(reach, tool, late)| SPEEDS.map(|speed| (reach, tool, late, speed)))
        // With a reach of 4 mm, bars are missed.
        .filter(|&(reach, tool, late, speed)| {
            let is_quick = reach == REACHES_M[0] && tool == Tool::Ball && late == 5;
            !context.quick || (is_quick && speed > 0.1)
        })
        .collect();
    let blows: Result<Vec<Strike>, Failure> = cases
        .par_iter()
        .map(|&(reach, tool, late, speed)| blow((tool, late, speed), 1e5, reach, context.mutant))
        .collect();
    for (&(reach, tool, late, speed), blow) in cases.iter().zip(&blows?) {
        let tool = if tool == Tool::Ball { "ball" } else { "box" };
        let name = format!(
            "{tool}, {late} ticks late, {speed} m/s, reach {} mm",
            1e3 * reach
        );
        let mut judge = |what: &str, bar: f64, ours: f64| {
            if !(ours <= bar) {
                missed.push(format!("{name}: {what} {ours:.3}"));
            }
        };
        judge("inside, um", 0.0, 1e6 * blow.inside_m.max(0.0));
        judge("overshoot", OVERSHOOT, blow.overshoot);
        // The ramp equals this bar, except for rounding.
        judge("growth, N", GROWTH_N + 1e-9, blow.growth_n);
        judge("given", GIVEN, blow.given);
        judge("pull, N", PULL_N, blow.pull_n);
        rows.push(
            Row::new(name, "um", 0.0, 1e6 * blow.inside_m.max(0.0))
                .with("a overshoot, %", 1e2 * blow.overshoot)
                .with(
                    "b growth in a tick beyond mechanics, mN",
                    1e3 * blow.growth_n,
                )
                .with("c given beyond the hold's, %", 1e2 * blow.given)
                .with("d pull, mN", 1e3 * blow.pull_n)
                .with("e ticks late in force", blow.late),
        );
    }
    let materials: Vec<(u32, f64, f64)> = [0, 4]
        .into_iter()
        .flat_map(|late| [50.0, 100.0, 300.0, 1000.0].map(|k| (late, k)))
        .flat_map(|(late, k)| [0.05, 0.2].map(|speed| (late, k, speed)))
        .filter(|&(late, k, speed)| !context.quick || (late == 4 && k == 300.0 && speed > 0.1))
        .collect();
    let blows: Result<Vec<Strike>, Failure> = materials
        .par_iter()
        .map(|&(late, stiffness, speed)| {
            let case = (Tool::Ball, late, speed);
            blow(case, stiffness, REACHES_M[0], context.mutant)
        })
        .collect();
    for (&(late, stiffness, speed), blow) in materials.iter().zip(&blows?) {
        let name = format!("material of {stiffness} N/m, {late} ticks late, {speed} m/s");
        let off = (1.0 - blow.stiffness[0]).max(blow.stiffness[1] - 1.0);
        if !(off <= MATERIAL) {
            missed.push(format!("{name}: {:.1} %", 1e2 * off));
        }
        if !(blow.pull_n <= PULL_N) {
            missed.push(format!("{name}: pull {:.2} mN", 1e3 * blow.pull_n));
        }
        rows.push(
            Row::new(name, "%", 1e2 * MATERIAL, 1e2 * off)
                .with("a overshoot, %", 1e2 * blow.overshoot)
                .with("c given beyond the hold's, %", 1e2 * blow.given)
                .with("d pull, mN", 1e3 * blow.pull_n),
        );
    }
    Ok(Report {
        verdict: Verdict::on_rows(rows.len(), &missed),
        rows,
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            format!(
                "{STIFFNESS} N/m without damping or friction, {:.0} mm deep after {:.0} mm of air; rows of blows: \
                 how far the tool was inside, of materials: force over depth beside the material's",
                1e3 * DEPTH_M,
                1e3 * ABOVE_M
            ),
            format!(
                "bars: inside 0; overshoot over stiffness times depth {:.0} %; growth in a tick \
                 beyond stiffness times hand motion {:.0} \
                 mN; given, beyond what a held force makes, {:.0} % of what is stored; pull {:.0} mN",
                1e2 * OVERSHOOT,
                1e3 * GROWTH_N,
                1e2 * GIVEN,
                1e3 * PULL_N
            ),
        ],
    })
}
