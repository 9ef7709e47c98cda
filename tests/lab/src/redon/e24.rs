//! E24 and E29 (section 6.4): insertions by hand, with a device that measures six degrees of
//! freedom and gives force in three. A pipe is inserted into a simplified nozzle, and a window-lift
//! motor into its door.

use hapticd_geometry::{Pose, Quat, Vec3};
use hapticd_testkit::{BodyPlan, ScenePlan, ToolPlan};
use serde_json::Value;

use super::hand::{Grip, Script};
use super::trial::{Feels, Trial, most};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::nozzle::{BORE_M, FUNNEL_M, PIPE_HALF_M, PIPE_M, nozzle, pipe};
use crate::models::{lift_door, window_motor};

pub const PIPE: Experiment = Experiment {
    id: "redon-e24",
    title: "haptic: a pipe is inserted in a nozzle",
    judges: Judges::Counts(&[]),
    run: pipe_in_nozzle,
};
pub const MOTOR: Experiment = Experiment {
    id: "redon-e29",
    title: "haptic: a window-lift motor is inserted in its door",
    judges: Judges::Counts(&[]),
    run: motor_in_door,
};

/// Largest change of the force in 1 ms, of the largest force: as for the finger of E28. The source
/// says nothing of it.
const JUMP: f64 = 0.5;

/// Makes a pose of a position and a rotation.
fn pose(at: Vec3, turn: [f64; 3]) -> Pose {
    Pose::from_parts(at.into(), Quat::from_scaled_axis(Vec3::from(turn)))
}

/// Returns the rows and the verdict that both experiments share.
fn report(
    trial: &Trial,
    first: Vec<Row>,
    completed: bool,
    ended: &str,
    notes: Vec<String>,
) -> Report {
    let touching = trial.samples.iter().filter(|s| s.normal.is_some()).count();
    let largest = most(trial.samples.iter().map(|s| s.force_n.norm()));
    let jump = most(trial.samples.iter().map(|s| s.jump_n));
    let bar = JUMP * largest;
    let mut rows = first;
    rows.extend(trial.rows());
    Report {
        rows,
        verdict: Verdict::new(
            trial.is_clean() && completed && touching > 100 && jump < bar,
            format!(
                "{ended}; {}; it touches in {touching} of {} ticks, with at most {largest:.2} N and {jump:.2} N of change in 1 ms (bar: half of the former, {bar:.2} N)",
                trial.words(),
                trial.samples.len()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes,
    }
}

fn pipe_in_nozzle(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (tool, body) = (pipe()?, nozzle()?);
    let triangles = [tool.triangles().len(), body.triangles().len()];
    let mut scene = ScenePlan::new(
        "pipe and nozzle",
        ToolPlan::Mesh {
            mesh: tool,
            turns: true,
        },
        vec![BodyPlan::fixed(body, Pose::identity())],
    );
    scene.friction = 0.1;
    // Position with the pipe's front at `x`.
    let at = |x: f64, y: f64, z: f64, turn: [f64; 3]| pose(Vec3::new(x - PIPE_HALF_M, y, z), turn);
    let script = Script::new(&[
        (0.1, at(-0.03, 0.004, -0.003, [0.0, 0.04, 0.05])),
        // Off the axis and tilted against the funnel, which guides it in.
        (0.8, at(FUNNEL_M + 0.005, 0.004, -0.003, [0.0, 0.04, 0.05])),
        (0.8, at(FUNNEL_M + 0.01, 0.001, -0.001, [0.0, 0.01, 0.01])),
        // In, still off by more than the clearance.
        (2.0, at(0.1, 0.001, -0.001, [0.0, 0.005, 0.008])),
        (0.5, at(0.1, 0.001, -0.001, [0.0, 0.005, 0.008])),
    ]);
    scene.start = script.goal(0.0);
    let trial = Trial::run(&scene, Grip::RELAXED, &script, Feels::Force, 8)?;
    let front = |s: &super::trial::Sample| s.tool.translation.x + PIPE_HALF_M;
    let depth = trial.samples.last().map_or(0.0, front);
    let askew = trial
        .stages(1..=1)
        .last()
        .map_or(0.0, |s| s.tool.rotation.angle());
    let rows = vec![
        Row::new(
            "triangles of pipe and nozzle",
            "",
            Value::Null,
            format!("{} and {}", triangles[0], triangles[1]),
        ),
        Row::new("inserted", "", true, depth > 0.095),
        Row::new("inserted by, at the end", "m", Value::Null, depth),
        Row::new("room around the pipe", "m", Value::Null, BORE_M - PIPE_M),
        Row::new(
            "off the axis on entering the funnel",
            "rad",
            Value::Null,
            askew,
        ),
    ];
    let ended = format!(
        "the pipe is {:.1} mm in the nozzle at the end, of 100 mm wanted, with {:.1} mm of room",
        1e3 * depth,
        1e3 * (BORE_M - PIPE_M)
    );
    let notes = vec![
        "a simulated hand (0.15 kg, 300 N/m) stands for the operator and the Phantom: it gives the pose in six directions and feels no torque; coupling 500 N/m, 0.5 N m/rad".into(),
        "surrogates of pipe (40 mm) and nozzle (41 mm bore); the loop decides the motion too, which the source left to another author's algorithms".into(),
    ];
    Ok(report(&trial, rows, depth > 0.095, &ended, notes))
}

fn motor_in_door(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (tool, body) = (window_motor()?, lift_door()?);
    let triangles = tool.triangles().len() + body.triangles().len();
    let mut scene = ScenePlan::new(
        "motor and door",
        ToolPlan::Mesh {
            mesh: tool,
            turns: true,
        },
        vec![BodyPlan::fixed(body, Pose::identity())],
    );
    scene.friction = 0.1;
    scene.reach_max_m = 0.02;
    let (outside, before) = (lift_door::outside(), lift_door::before_access_hole());
    let mounted = lift_door::mounted_motor();
    let goal = mounted.translation.vector;
    let script = Script::new(&[
        (0.1, pose(outside, [0.0; 3])),
        // In through the hole, at first against its edge.
        (
            1.0,
            pose(before + Vec3::new(0.07, 0.08, 0.02), [0.0, 0.05, 0.0]),
        ),
        (0.8, pose(before + Vec3::new(0.01, 0.03, 0.0), [0.0; 3])),
        (0.6, pose(before, [0.0; 3])),
        // Along the inner plate, pulled against it.
        (1.5, pose(goal + Vec3::new(0.04, 0.06, 0.0), [0.0; 3])),
        (0.5, pose(goal + Vec3::new(0.0, 0.06, 0.0), [0.0; 3])),
        (0.5, mounted),
        (0.3, mounted),
    ]);
    scene.start = script.goal(0.0);
    let trial = Trial::run(&scene, Grip::RELAXED, &script, Feels::Force, 100)?;
    let off = trial.samples.last().map_or(f64::INFINITY, |s| {
        (s.tool.translation.vector - goal).norm()
            + 0.1 * s.tool.rotation.angle_to(&mounted.rotation)
    });
    let rows = vec![
        Row::new("triangles of motor and door", "", 20_000, triangles),
        Row::new("inserted", "", true, off < 2e-3),
        Row::new(
            "off its place at the end, 0.1 m from its middle",
            "m",
            Value::Null,
            off,
        ),
    ];
    let ended = format!(
        "the motor, through the access hole and along the inner plate, is {:.1e} mm off its place at the end",
        1e3 * off
    );
    let notes = vec![
        "a simulated hand (0.15 kg, 300 N/m) stands for the user and the SPIDAR with stylus: it gives the pose in six directions and feels no torque".into(),
        "surrogates of motor and door; coupling 500 N/m and 0.5 N m/rad".into(),
    ];
    Ok(report(&trial, rows, off < 2e-3, &ended, notes))
}
