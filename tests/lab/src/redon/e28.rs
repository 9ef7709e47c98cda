//! E28 (section 6.4): a tiny cube follows the finger, in translation only, over a steering wheel of
//! 11,000 triangles. Logo and groove can be felt.

use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_testkit::{BodyPlan, ScenePlan, ToolPlan};
use serde_json::Value;

use super::hand::{Grip, Script};
use super::trial::{Feels, Sample, Trial, least, most};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::steering_wheel::{
    GROOVE_DEPTH_M, GROOVE_RADIUS_M, HUB_HALF_M, LOGO_HALF_M, LOGO_HEIGHT_M, steering_wheel,
};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e28",
    title: "haptic: a tiny cube explores a steering wheel, logo and groove",
    judges: Judges::Counts(&[]),
    run,
};

/// Half of the cube's edge.
const HALF_M: f64 = 1.5e-3;
/// Intended depth of the finger in the surface.
const PRESS_M: f64 = 4e-3;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let wheel = steering_wheel()?;
    let triangles = wheel.triangles().len();
    let cube =
        shapes::cuboid(&Vec3::repeat(HALF_M)).map_err(|e| Failure::Run(format!("a mesh: {e}")))?;
    let mut scene = ScenePlan::new(
        "steering wheel",
        ToolPlan::Mesh {
            mesh: cube,
            turns: false,
        },
        vec![BodyPlan::fixed(wheel, Pose::identity())],
    );
    scene.friction = 0.05;
    let (hub, rim) = (HUB_HALF_M + HALF_M, 0.014 + HALF_M);
    let lane = 0.004;
    let over = |x: f64, up: f64| Pose::translation(x, lane, hub + up);
    // Across the rim where it has no spoke, at 90 degrees.
    let along = |y: f64, up: f64| Pose::translation(0.0, y, rim + up);
    let script = Script::new(&[
        (0.1, over(-0.05, 0.01)),
        (0.3, over(-0.05, -PRESS_M)),
        (2.0, over(0.05, -PRESS_M)),
        (0.2, over(0.05, 0.02)),
        (0.4, along(0.178, 0.02)),
        (0.3, along(0.178, -PRESS_M)),
        (1.0, along(0.192, -PRESS_M)),
        (0.2, along(0.192, 0.02)),
    ]);
    scene.start = script.goal(0.0);
    let trial = Trial::run(&scene, Grip::RELAXED, &script, Feels::Force, 4)?;

    let logo: Vec<&Sample> = trial.stages(2..=2).collect();
    let groove: Vec<&Sample> = trial.stages(6..=6).collect();
    let height = |s: &&Sample, from: f64| s.tool.translation.z - from;
    // The path crosses two bars of the lozenge; between and next to them the hub is flat.
    let bar = LOGO_HALF_M[0] * (1.0 - lane / LOGO_HALF_M[1]);
    let near = |s: &&&Sample, x: f64| (s.tool.translation.x - x).abs() < 4e-3;
    let bars =
        [-bar, bar].map(|x| most(logo.iter().filter(|s| near(s, x)).map(|s| height(s, hub))));
    let flat = most(
        logo.iter()
            .filter(|s| near(s, 0.0))
            .map(|s| height(s, hub).abs()),
    );
    // Uphill the force is against the motion, downhill with it.
    let push = [
        least(logo.iter().map(|s| s.force_n.x)),
        most(logo.iter().map(|s| s.force_n.x)),
    ];
    let shoulder = most(groove.iter().map(|s| s.tool.translation.z));
    let bottom = least(
        groove
            .iter()
            .filter(|s| (s.tool.translation.y - GROOVE_RADIUS_M).abs() < 1.5e-3)
            .map(|s| s.tool.translation.z),
    );
    let pull = [
        least(groove.iter().map(|s| s.force_n.y)),
        most(groove.iter().map(|s| s.force_n.y)),
    ];
    let crossed = groove
        .last()
        .is_some_and(|s| s.tool.translation.y > GROOVE_RADIUS_M + 4e-3);
    let jump = most(logo.iter().chain(&groove).map(|s| s.jump_n));
    let largest = most(logo.iter().chain(&groove).map(|s| s.force_n.norm()));

    let felt_logo = bars.iter().all(|b| *b > 0.8 * LOGO_HEIGHT_M)
        && flat < 0.2 * LOGO_HEIGHT_M
        && push[0] < -0.1
        && push[1] > 0.1;
    let felt_groove = shoulder - bottom > 0.8 * GROOVE_DEPTH_M && pull[0] < -0.1 && crossed;
    let mut rows = vec![
        Row::new("triangles of the wheel", "", 11_000, triangles),
        Row::new(
            "logo: the tool rises over its first bar by",
            "m",
            "felt",
            bars[0],
        ),
        Row::new(
            "logo: the tool rises over its second bar by",
            "m",
            "felt",
            bars[1],
        ),
        Row::new(
            "logo: off the hub's plane between the bars",
            "m",
            Value::Null,
            flat,
        ),
        Row::new(
            "logo: force along the way, against the motion, most",
            "N",
            "felt",
            -push[0],
        ),
        Row::new(
            "logo: force along the way, with the motion, most",
            "N",
            Value::Null,
            push[1],
        ),
        Row::new("groove: the tool sinks by", "m", "felt", shoulder - bottom),
        Row::new(
            "groove: force across it, against the motion, most",
            "N",
            "felt",
            -pull[0],
        ),
        Row::new(
            "groove: force across it, with the motion, most",
            "N",
            Value::Null,
            pull[1],
        ),
        Row::new(
            "groove: the finger gets out on the other side",
            "",
            Value::Null,
            crossed,
        ),
        Row::new(
            "largest change of the force in 1 ms while exploring",
            "N",
            "continuous",
            jump,
        ),
    ];
    rows.extend(trial.rows());
    Ok(Report {
        rows,
        verdict: Verdict::new(
            trial.is_clean() && felt_logo && felt_groove && jump < 0.5 * largest,
            format!(
                "{}; the {:.1} mm logo lifts the tool by {:.2} and {:.2} mm, the {:.1} mm groove lets it sink by {:.2} mm, and both push back ({:.2} N, {:.2} N); the \
                 force changes by at most {jump:.3} N in 1 ms",
                trial.words(),
                1e3 * LOGO_HEIGHT_M,
                1e3 * bars[0],
                1e3 * bars[1],
                1e3 * GROOVE_DEPTH_M,
                1e3 * (shoulder - bottom),
                -push[0],
                -pull[0]
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "the wheel is a surrogate: a rim of 400 mm with a groove 5 mm wide and 1.5 mm deep, a hub with a lozenge embossed by 1 mm; the tool is a cube of 3 mm".into(),
            "a simulated hand (0.15 kg, 300 N/m, 8 N s/m) at 1 kHz in virtual time stands for the finger; it aims 4 mm under the surface and moves at 50 \
             and 14 mm/s"
                .into(),
        ],
    })
}
