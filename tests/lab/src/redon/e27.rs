//! E27 (section 6.4): a held cube slides on a standing cube, over an edge from one face to the
//! next. It never enters the edge; a test of single poses with the shortest way out would push it
//! out on the wrong side.

use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_testkit::{BodyPlan, ScenePlan, ToolPlan};
use serde_json::Value;

use super::hand::{Grip, Script};
use super::trial::{Feels, Trial, least, most};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e27",
    title: "haptic: a cube slides over the edge of another, from face to face",
    judges: Judges::Counts(&[]),
    run,
};

const STANDING_M: f64 = 0.05;
const HELD_M: f64 = 0.01;
/// Position of the held cube's middle when it touches.
const TOUCH_M: f64 = STANDING_M + HELD_M;
/// Most that a face which was left may pull back, N.
const PULL_N: f64 = 1e-3;
/// A surface is where the tool rests: within its safe distance of touching, rounded up.
const RESTS_M: f64 = 1e-4;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let cube = |half| shapes::cuboid(&Vec3::repeat(half)).map_err(failed);
    let at = |x: f64, z: f64| Pose::translation(x, 0.003, z);
    let mut scene = ScenePlan::new(
        "cube on cube",
        ToolPlan::Mesh {
            mesh: cube(HELD_M)?,
            turns: false,
        },
        vec![BodyPlan::fixed(cube(STANDING_M)?, Pose::identity())],
    );
    scene.friction = 0.0;
    scene.start = at(0.0, TOUCH_M + 0.01);
    let script = Script::new(&[
        (0.1, scene.start),
        // 1: press on the upper face, 10 mm into it; 2: along it.
        (0.3, at(0.0, TOUCH_M - 0.01)),
        (0.5, at(0.045, TOUCH_M - 0.01)),
        // 3: 5 mm before the edge is passed, press deeper than that; 4: back to the place before,
        // and 5: over the edge.
        (0.3, at(0.055, 0.02)),
        (0.3, at(0.045, TOUCH_M - 0.01)),
        (0.3, at(TOUCH_M + 0.02, TOUCH_M - 0.01)),
        // 6: down next to it; 7: press on the side face; 8: along it.
        (0.3, at(TOUCH_M + 0.02, 0.02)),
        (0.3, at(TOUCH_M - 0.01, 0.02)),
        (0.4, at(TOUCH_M - 0.01, -0.03)),
        // 9: up along the side, beyond the edge; 10: over the edge onto the upper face again, 11:
        // and along it.
        (0.8, at(TOUCH_M - 0.01, TOUCH_M + 0.02)),
        (0.4, at(0.03, TOUCH_M + 0.01)),
        (0.3, at(0.03, TOUCH_M - 0.01)),
        (0.3, at(0.0, TOUCH_M - 0.01)),
    ]);
    let trial = Trial::run(&scene, Grip::RELAXED, &script, Feels::Force, 1)?;

    let (up, side) = (Vec3::z(), Vec3::x());
    let holds_along = |n: &Vec3| {
        trial
            .samples
            .iter()
            .filter(|s| s.normal.is_some_and(|m| m.dot(n) > 0.999))
            .count()
    };
    // Before the edge: a method that pushes the device pose out by the shortest way chooses the
    // side as soon as that is nearer.
    let before_edge = trial.stages(1..=4);
    let wrong = before_edge
        .clone()
        .filter(|s| {
            let out = [TOUCH_M - s.device.z, TOUCH_M - s.device.x];
            out[0] > 0.0 && out[1] > 0.0 && out[1] < out[0]
        })
        .count();
    let deepest_m = most(before_edge.clone().map(|s| TOUCH_M - s.device.z));
    let stayed = before_edge.clone().all(|s| s.tool.translation.z > TOUCH_M);
    let pull = least(before_edge.clone().map(|s| s.force_n.z));
    // Over the edges, the face that was left must not pull back: the upper one down, the side in.
    let pulled_back = (-least(trial.stages(5..=5).map(|s| s.force_n.z)))
        .max(-least(trial.stages(9..=11).map(|s| s.force_n.x)));
    let sideways = most(before_edge.clone().map(|s| s.force_n.x.abs()));
    // Along a face the force may only change as the hand does; over an edge the spring may relax.
    let on_faces = most(
        trial
            .samples
            .iter()
            .filter(|s| [2, 4, 8, 12].contains(&s.stage))
            .map(|s| s.jump_n),
    );
    let over_edges = most(
        trial
            .stages(5..=5)
            .chain(trial.stages(9..=11))
            .map(|s| s.jump_n),
    );
    let largest = most(trial.samples.iter().map(|s| s.force_n.norm()));
    let released = most(
        trial
            .stages(5..=5)
            .chain(trial.stages(9..=11))
            .map(|s| s.force_n.norm()),
    );
    let reached = |stage: usize, touches: fn(&Vec3) -> f64| {
        trial
            .stages(stage..=stage)
            .last()
            .is_some_and(|s| (touches(&s.tool.translation.vector) - TOUCH_M).abs() < RESTS_M)
    };
    let completes = reached(2, |p| p.z) && reached(8, |p| p.x) && reached(12, |p| p.z);
    let mut rows = vec![
        Row::new(
            "rests on the upper face, the side face, the upper face again",
            "",
            true,
            completes,
        ),
        Row::new(
            "ticks held by the upper face",
            "",
            Value::Null,
            holds_along(&up),
        ),
        Row::new(
            "ticks held by the side face",
            "",
            Value::Null,
            holds_along(&side),
        ),
        Row::new(
            "pressed through the upper face, deepest",
            "m",
            Value::Null,
            deepest_m,
        ),
        Row::new(
            "ticks at which the shortest way out is the wrong side",
            "",
            "> 0",
            wrong,
        ),
        Row::new(
            "at these ticks the tool stays on its face",
            "",
            true,
            stayed,
        ),
        Row::new(
            "force towards the upper face, most",
            "N",
            0.0,
            (-pull).max(0.0),
        ),
        Row::new(
            "force towards the face that was left, over the edges, most",
            "N",
            PULL_N,
            pulled_back.max(0.0),
        ),
        Row::new(
            "force along the upper face before the edge, most",
            "N",
            Value::Null,
            sideways,
        ),
        Row::new(
            "largest change of the force in 1 ms, along the faces",
            "N",
            "continuous",
            on_faces,
        ),
        Row::new(
            "largest change of the force in 1 ms, over the edges",
            "N",
            "continuous",
            over_edges,
        ),
    ];
    rows.extend(trial.rows());
    let pushes = pull >= -1e-9 && pulled_back <= PULL_N;
    let bounded = on_faces < 0.05 * largest && over_edges <= released;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            trial.is_clean() && completes && stayed && wrong > 0 && pushes && bounded,
            format!(
                "{}; from face to face over the edge and back: {completes}; {wrong} ticks at \
                 which the shortest way out would have been the wrong side and the tool stayed on \
                 its own; the force changes by at most {on_faces:.3} N in 1 ms along faces and \
                 {over_edges:.3} N over edges, where the spring held {released:.2} N",
                trial.words()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "a simulated hand (0.15 kg, 300 N/m, 8 N s/m) at 1 kHz in virtual time stands for the \
             finger in the SPIDAR; coupling 500 N/m and 0.5 N s/m, no friction, a held cube of \
             20 mm that does not turn, a standing one of 100 mm"
                .into(),
            "the discrete method is the shortest translation that takes the device's pose out of \
             the standing cube, counted while the tool is on the upper face"
                .into(),
        ],
    })
}
