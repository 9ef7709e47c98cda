//! E30 (appendix A.2): the sample program. A teapot advances with a twist that is partly random,
//! slides on a bunny and passes it.

use hapticd_geometry::{Pose, Vec3};
use hapticd_rigid::{Order, Settings, Twist};
use hapticd_testkit::Random;
use serde_json::Value;

use super::stage::{SMOOTH, Stage};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::{bunny, teapot};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e30",
    title: "sample program: a teapot slides on a bunny and passes it",
    judges: Judges::Counts(&[]),
    run,
};

/// Unit of length, m. The source does not state it; here the teapot moves by its own length in 66
/// steps of 0.02 units.
const UNIT_M: f64 = 0.25;
const ADVANCE: f64 = 0.02;
const TURN: f64 = 0.05;
const STEPS: u32 = 400;
/// Offset of the teapot to the side of and above the bunny's middle, m.
const BESIDE_M: [f64; 2] = [0.03, 0.02];

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut stage = Stage::new(Settings {
        order: Order::First,
        ..Settings::default()
    })?;
    let (pot_mesh, bunny_mesh) = (teapot()?, bunny()?);
    let triangles = [pot_mesh.triangles().len(), bunny_mesh.triangles().len()];
    let (low, high) = pot_mesh.bounds();
    let middle = (low + high) / 2.0;
    let (bunny_low, bunny_high) = bunny_mesh.bounds();
    let from = Vec3::new(
        -0.5,
        BESIDE_M[0],
        0.5 * (bunny_low.z + bunny_high.z) + BESIDE_M[1],
    ) - middle;
    stage.fixed(bunny_mesh, Pose::identity(), SMOOTH)?;
    let pot = stage.moving(
        pot_mesh,
        Pose::from_parts(from.into(), hapticd_geometry::Quat::identity()),
        500.0,
        SMOOTH,
    )?;
    let mut random = Random::new(1);
    let (mut sliding, mut free_m, mut aside) = (0, 0.0, 0.0_f64);
    let middle_of = |stage: &Stage| {
        stage
            .world
            .body(pot)
            .map(|b| b.centre)
            .map_err(|e| Failure::Run(format!("the teapot: {e}")))
    };
    let start = middle_of(&stage)?;
    for _ in 0..STEPS {
        // A step of time is 1: velocities are displacements and rotations per step.
        let mut turn = || TURN * (random.unit() - 0.5);
        let twist = Twist {
            linear: Vec3::x() * (ADVANCE * UNIT_M),
            angular: Vec3::new(turn(), turn(), turn()),
        };
        stage
            .world
            .set_twist(pot, &twist)
            .map_err(|e| Failure::Run(format!("the teapot: {e}")))?;
        let before = middle_of(&stage)?;
        stage.step(1.0, true)?;
        let way = middle_of(&stage)? - before;
        let touches = (way - twist.linear).norm() > 1e-6;
        sliding += u32::from(touches && way.norm() > 1e-5);
        free_m += if touches { 0.0 } else { way.norm() };
        aside = aside.max((middle_of(&stage)? - start).yz().norm());
    }
    let end = middle_of(&stage)?;
    let passed_by = end.x - 0.5 * (high.x - low.x) - bunny_high.x;
    let passed = passed_by > 0.0;
    let mut rows = vec![
        Row::new(
            "triangles of teapot and bunny",
            "",
            Value::Null,
            format!("{} and {}", triangles[0], triangles[1]),
        ),
        Row::new("teapot passes the bunny", "", true, passed),
        Row::new("behind the bunny by, at the end", "m", "> 0", passed_by),
        Row::new("steps in which it slides on the bunny", "", "some", sliding),
        Row::new("pushed aside by, most", "m", Value::Null, aside),
        Row::new("free motion", "m", Value::Null, free_m),
    ];
    rows.extend(stage.rows(""));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            stage.is_clean() && passed && sliding > 10,
            format!(
                "the teapot slides on the bunny in {sliding} of {STEPS} steps, {:.0} mm aside, and is {:.0} mm past it at the end; {}",
                1e3 * aside,
                1e3 * passed_by,
                stage.words()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "first-order world, a command of (0.02, 0, 0, r, r, r) a step with r = 0.05 (rand - 0.5), a unit of length of the source taken as 0.25 m; no friction".into(),
            "surrogates of teapot (open patches, so its mass is given) and bunny; the teapot comes 30 mm beside and 20 mm above the bunny's middle".into(),
        ],
    })
}
