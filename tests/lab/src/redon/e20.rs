//! E20 to E22 (section 6.3.2), the industrial cases: a car's door into its opening, a window-lift
//! motor out of a door, a part out of an engine's pylon. A user leads the part with a mouse; it
//! slides on its surroundings.

use hapticd_geometry::{Pose, Quat, Vec3, transform};
use hapticd_rigid::{Order, Settings};
use serde_json::Value;

use super::hand::Script;
use super::stage::{Lead, SMOOTH, Stage, about};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::{car, lift_door, pylon, window_motor};

pub const DOOR: Experiment = Experiment {
    id: "redon-e20",
    title: "industrial: a car's door is placed in its opening",
    judges: Judges::Counts(&[]),
    run: door,
};
pub const MOTOR: Experiment = Experiment {
    id: "redon-e21",
    title: "industrial: a window-lift motor is taken out of a door",
    judges: Judges::Counts(&[]),
    run: motor,
};
pub const PYLON: Experiment = Experiment {
    id: "redon-e22",
    title: "industrial: a part is pivoted out of an engine's pylon",
    judges: Judges::Counts(&[]),
    run: part,
};

/// The rate of a display: the source's loop makes one step per image.
const STEP_S: f64 = 1.0 / 60.0;
const LEAD: Lead = Lead {
    lag_s: 0.1,
    most_m_s: 0.4,
    most_rad_s: 1.5,
};

fn first_order() -> Result<Stage, Failure> {
    Stage::new(Settings {
        order: Order::First,
        ..Settings::default()
    })
}

/// Returns the distance of two poses of a body at `radius_m` from its middle, m.
fn apart(a: &Pose, b: &Pose, middle: &Vec3, radius_m: f64) -> f64 {
    let shift = transform(a, middle) - transform(b, middle);
    shift.norm() + radius_m * a.rotation.angle_to(&b.rotation)
}

fn door(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut stage = first_order()?;
    let (shell, door) = (car::body_shell()?, car::car_door()?);
    let triangles = [door.triangles().len(), shell.triangles().len()];
    let (low, high) = door.bounds();
    let middle = (low + high) / 2.0;
    let at = |yaw: f64, pitch: f64, shift: [f64; 3]| {
        about(&middle, &Vec3::new(0.0, pitch, yaw), &Vec3::from(shift))
    };
    stage.fixed(shell, Pose::identity(), SMOOTH)?;
    let start = at(0.25, 0.05, [0.15, -0.6, 0.08]);
    let body = stage.moving(door, start, 500.0, SMOOTH)?;
    let script = Script::new(&[
        (0.2, start),
        // Towards the opening, rotated and off to the side: the door meets the pillar and the
        // roof's frame.
        (2.0, at(0.1, 0.02, [0.06, -0.02, 0.03])),
        (1.0, at(0.04, 0.01, [0.03, 0.01, 0.02])),
        // Slid until it drops into the opening, against the flange behind.
        (1.5, at(0.0, 0.0, [0.0, 0.02, 0.0])),
        (0.5, at(0.0, 0.0, [0.0, 0.02, 0.0])),
        // Pressed against the frame as well.
        (1.0, at(0.0, 0.0, [0.02, 0.02, -0.02])),
        (0.5, at(0.0, 0.0, [0.02, 0.02, -0.02])),
        // Released from the frame: exactly at its place.
        (1.0, Pose::identity()),
        (1.0, Pose::identity()),
    ]);
    let steps = (script.duration_s() / STEP_S).round() as u64;
    let (mut seated, mut touched) = (None, 0_u64);
    for k in 0..steps {
        let time_s = k as f64 * STEP_S;
        let goal = script.goal(time_s);
        stage.lead(body, &goal, &LEAD)?;
        stage.step(STEP_S, k.is_multiple_of(3))?;
        let here = stage.pose(body)?;
        touched += u64::from(apart(&here, &goal, &middle, 0.6) > 0.03);
        if script.stage(time_s) == 7 && seated.is_none() {
            seated = Some(transform(&here, &middle) - middle);
        }
    }
    stage.audit()?;
    let end = stage.pose(body)?;
    let error = apart(&end, &Pose::identity(), &middle, 0.6);
    let seat = seated.unwrap_or_default();
    // Against the frame exactly the gap is used up.
    let in_frame =
        (seat.x - car::GAP_M).abs() < 1.5e-3 && (seat.y - car::FLANGE_GAP_M).abs() < 1.5e-3;
    let mut rows = vec![
        Row::new(
            "triangles of door and shell",
            "",
            "16,000 and 29,000",
            format!("{} and {}", triangles[0], triangles[1]),
        ),
        Row::new("placed", "", "easily and precisely", error < 1e-3),
        Row::new("largest final offset of any point", "m", Value::Null, error),
        Row::new(
            "pressed against frame and flange it stops after, along x",
            "m",
            Value::Null,
            seat.x,
        ),
        Row::new(
            "pressed against frame and flange it stops after, along y",
            "m",
            Value::Null,
            seat.y,
        ),
    ];
    rows.extend(held(touched, Value::Null, &script));
    rows.extend(stage.rows(""));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            stage.is_clean() && error < 1e-3 && in_frame && touched > 10,
            format!(
                "the door, held by pillar and frame in {touched} steps, pressed stops {:.1} mm from its place on the frame and {:.1} mm on the flange (gaps {:.0} and {:.0} \
                 mm), and ends {:.1e} mm off its place; {}",
                1e3 * seat.x,
                1e3 * seat.y,
                1e3 * car::GAP_M,
                1e3 * car::FLANGE_GAP_M,
                1e3 * error,
                stage.words()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "surrogates of shell and door; a scripted lead stands for the mouse: a first-order world, the door wants to be at the lead's pose within 0.1 s, no friction"
                .into(),
        ],
    })
}

fn motor(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let mut stage = first_order()?;
    let (door, motor) = (lift_door()?, window_motor()?);
    let triangles = door.triangles().len() + motor.triangles().len();
    let (_, door_high) = door.bounds();
    stage.fixed(door, Pose::identity(), SMOOTH)?;
    let mounted = lift_door::mounted_motor();
    let body = stage.moving(motor.clone(), mounted, 2000.0, SMOOTH)?;
    let to = |p: Vec3, shift: [f64; 3], turn: [f64; 3]| {
        Pose::from_parts(
            (p + Vec3::from(shift)).into(),
            Quat::from_scaled_axis(Vec3::from(turn)),
        )
    };
    let (before, outside) = (lift_door::before_access_hole(), lift_door::outside());
    let script = Script::new(&[
        (0.2, mounted),
        // Against the inner plate, along it, back to the middle, to the hole.
        (
            1.0,
            to(mounted.translation.vector, [0.02, 0.08, 0.0], [0.0; 3]),
        ),
        (
            1.5,
            to(
                mounted.translation.vector,
                [0.12, 0.08, 0.01],
                [0.1, 0.0, 0.1],
            ),
        ),
        (
            0.5,
            to(mounted.translation.vector, [0.14, 0.0, 0.0], [0.0; 3]),
        ),
        (1.5, to(before, [0.02, 0.0, 0.0], [0.0; 3])),
        // Out, at first rotated, on the edge of the hole.
        (1.5, to(outside, [0.2, 0.0, 0.04], [0.0, 0.0, 0.1])),
        (1.5, to(outside, [0.0, 0.05, 0.0], [0.0; 3])),
        (1.0, to(outside, [0.0, 0.05, 0.0], [0.0; 3])),
    ]);
    let touched = led(&mut stage, body, &script)?;
    let end = stage.pose(body)?;
    let nearest = motor
        .positions()
        .iter()
        .map(|p| transform(&end, p).y)
        .fold(f64::INFINITY, f64::min);
    let out = nearest > door_high.y;
    let mut rows = vec![
        Row::new("triangles of motor and door", "", 20_000, triangles),
        Row::new("taken out", "", "naive users succeed", out),
        Row::new(
            "out of the door by, at the end",
            "m",
            Value::Null,
            nearest - door_high.y,
        ),
    ];
    rows.extend(held(touched, Value::Null, &script));
    rows.extend(stage.rows(""));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            stage.is_clean() && out && touched > 10,
            format!(
                "the motor, held by plate and hole in {touched} steps, is {:.0} mm clear of the door at the end; {}",
                1e3 * (nearest - door_high.y),
                stage.words()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "surrogates of motor and door; a scripted lead stands for the mouse: a first-order world, the motor wants to be at the lead's pose within 0.1 s, no friction"
                .into(),
        ],
    })
}

/// Returns the rows that all three report about their script.
fn held(touched: u64, published_s: impl Into<Value>, script: &Script) -> [Row; 2] {
    let what = "steps in which its surroundings held it back";
    [
        Row::new(what, "", Value::Null, touched),
        Row::new("simulated time", "s", published_s, script.duration_s()),
    ]
}

/// Leads the body along the script; returns the number of steps in which its surroundings held it
/// away from its goal.
fn led(stage: &mut Stage, body: hapticd_rigid::BodyId, script: &Script) -> Result<u64, Failure> {
    let steps = (script.duration_s() / STEP_S).round() as u64;
    let mut touched = 0;
    for k in 0..steps {
        let goal = script.goal(k as f64 * STEP_S);
        stage.lead(body, &goal, &LEAD)?;
        let wanted = stage
            .world
            .body(body)
            .map_err(|e| Failure::Run(format!("a body: {e}")))?;
        stage.step(STEP_S, k.is_multiple_of(3))?;
        let now = stage
            .world
            .body(body)
            .map_err(|e| Failure::Run(format!("a body: {e}")))?;
        touched +=
            u64::from((now.centre - wanted.centre - wanted.twist.linear * STEP_S).norm() > 1e-6);
    }
    stage.audit()?;
    Ok(touched)
}

fn part(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (mounted, pivoted) = (pylon::mounted(), pylon::pivoted());
    let half = 0.5 * pylon::PART_M[0];
    let end_of = |pose: &Pose| {
        let mesh = pylon::pylon_part()?;
        let lowest = mesh
            .positions()
            .iter()
            .map(|p| transform(pose, p).y)
            .fold(f64::INFINITY, f64::min);
        Ok(lowest - pylon::outside_m())
    };
    let shifted = |pose: &Pose, by: Vec3| {
        Pose::from_parts((pose.translation.vector + by).into(), pose.rotation)
    };
    // First without pivoting: straight out through the hole.
    let mut straight = first_order()?;
    let (pylon_mesh, part_mesh) = (pylon::pylon()?, pylon::pylon_part()?);
    let triangles = pylon_mesh.triangles().len() + part_mesh.triangles().len();
    straight.fixed(pylon_mesh.clone(), Pose::identity(), SMOOTH)?;
    let body = straight.moving(part_mesh.clone(), mounted, 1000.0, SMOOTH)?;
    let pull = Script::new(&[
        (0.2, mounted),
        (2.0, shifted(&mounted, Vec3::y())),
        (1.0, shifted(&mounted, Vec3::y())),
    ]);
    // The user holds it straight.
    led(&mut straight, body, &pull)?;
    let stays = end_of(&straight.pose(body)?)?;

    let mut stage = first_order()?;
    stage.fixed(pylon_mesh, Pose::identity(), SMOOTH)?;
    let body = stage.moving(part_mesh, mounted, 1000.0, SMOOTH)?;
    let out = pivoted.rotation * Vec3::x();
    let far = shifted(&pivoted, out * (2.0 * half + 0.2));
    let script = Script::new(&[
        (0.2, mounted),
        // Pivoted against the ribs and the rear skin.
        (3.0, shifted(&pivoted, Vec3::new(-0.03, -0.03, 0.02))),
        (1.0, pivoted),
        // Out along its own axis, pulled sideways on the edges of the hole, then freely.
        (3.0, shifted(&far, Vec3::new(0.12, 0.0, -0.02))),
        (2.0, far),
        (2.0, shifted(&far, Vec3::y() * 0.1)),
    ]);
    let touched = led(&mut stage, body, &script)?;
    let cleared = end_of(&stage.pose(body)?)?;
    let mut rows = vec![
        Row::new("triangles of pylon and part", "", 80_000, triangles),
        Row::new("taken out", "", true, cleared > 0.0),
        Row::new("out of the pylon by, at the end", "m", Value::Null, cleared),
        Row::new(
            "pulled straight, without pivoting: out by",
            "m",
            "must be pivoted",
            stays,
        ),
    ];
    rows.extend(held(touched, "about 30", &script));
    rows.extend(stage.rows(""));
    rows.extend(straight.rows("straight"));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            stage.is_clean() && straight.is_clean() && cleared > 0.0 && stays < 0.0 && touched > 10,
            format!(
                "pulled straight the part is {:.0} mm clear of the pylon; pivoted, held by its surroundings in {touched} steps, it is {:.0} mm clear after {:.0} s; {}",
                1e3 * stays,
                1e3 * cleared,
                script.duration_s(),
                stage.words()
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "surrogates: a box beam with ribs, stringers and lightening holes, and in one bay a bar of 420 mm with flanges behind a hole of 300 mm".into(),
            "a scripted lead replaces the mouse and knows the path: a first-order world, the part wants to be at the lead's pose within 0.1 s, no friction".into(),
        ],
    })
}
