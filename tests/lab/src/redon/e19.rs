//! E19 (section 6.3.1): first evaluations of the whole simulator. A bunny is led through a static
//! scene, slowly and fast, with and without gravity, in worlds of first and second order. A car's
//! body shell bounces and slides with static and dynamic friction.

use hapticd_geometry::{Pose, Vec3, shapes, transform};
use hapticd_rigid::{BodyId, Material, Order, Settings};
use serde_json::Value;

use super::hand::Script;
use super::stage::{Lead, Spring, Stage};
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::{bunny, car};

pub const BUNNY: Experiment = Experiment {
    id: "redon-e19",
    title: "a bunny in a static scene: slow, fast, with and without gravity, both orders",
    judges: Judges::Counts(&[]),
    run: bunny_led,
};
pub const SHELL: Experiment = Experiment {
    id: "redon-e19b",
    title: "a car's body shell under gravity: bounces, slides, stays",
    judges: Judges::Counts(&[]),
    run: shell_slides,
};

const LED_STEP_S: f64 = 4e-3;
const SLIDE_STEP_S: f64 = 2e-3;
const G: f64 = 9.81;

/// Parameters of leading the bunny.
struct Manner {
    name: &'static str,
    order: Order,
    gravity: bool,
    /// Speed of the lead, m/s.
    speed_m_s: f64,
}

fn bunny_led(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (mut rows, mut clean, mut precise, mut faces) = (Vec::new(), true, true, 0);
    let mut words = Vec::new();
    for (order, gravity) in [
        (Order::First, false),
        (Order::Second, false),
        (Order::Second, true),
    ] {
        for (name, speed_m_s) in [("slow", 0.3), ("fast", 2.0)] {
            let manner = Manner {
                name,
                order,
                gravity,
                speed_m_s,
            };
            let (stage, error_m, triangles) = led(&manner)?;
            let world = if order == Order::First {
                "first order"
            } else {
                "second order"
            };
            let what = format!(
                "{world}, {}, {}",
                if gravity { "gravity" } else { "no gravity" },
                manner.name
            );
            rows.push(Row::new(
                format!("{what}: off the place it was led to"),
                "m",
                "precise",
                error_m,
            ));
            rows.extend(stage.rows(&what));
            // A spring (6.3) yields by the weight.
            let sag = if gravity { G / (RAD_S * RAD_S) } else { 0.0 };
            precise &= error_m < sag + 1e-3;
            clean &= stage.is_clean();
            faces = triangles;
            words.push(format!("{:.1e}", stage.tally.least_m));
        }
    }
    rows.insert(0, Row::new("faces in all", "", 6000, faces));
    Ok(Report {
        rows,
        verdict: Verdict::new(
            clean && precise,
            format!("nothing overlaps in six runs: {clean}, least distances {} m; the bunny ends where it is led to: {precise}", words.join(", ")),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "surrogate of the bunny (5,120 triangles) on a floor beside a ring; a scripted lead stands for the mouse and goes through floor and ring at 0.3 and 2 m/s".into(),
            "second order: a damped spring (6.3) of 20 rad/s draws the bunny; steps of 4 ms, friction 0.3, restitution 0.2".into(),
        ],
    })
}

/// Natural frequency of the spring that pulls the bunny.
const RAD_S: f64 = 20.0;

fn led(manner: &Manner) -> Result<(Stage, f64, usize), Failure> {
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let material = Material {
        friction: 0.3,
        restitution: 0.2,
    };
    let mut settings = Settings {
        order: manner.order,
        ..Settings::default()
    };
    if !manner.gravity {
        settings.gravity = Vec3::zeros();
    }
    let mut stage = Stage::new(settings)?;
    let bunny = bunny()?;
    let floor = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.05)).map_err(failed)?;
    let ring = shapes::torus(0.12, 0.03, 24, 16).map_err(failed)?;
    let faces = bunny.triangles().len() + floor.triangles().len() + ring.triangles().len();
    let (low, high) = bunny.bounds();
    let middle = (low + high) / 2.0;
    let rest = 0.5 * (high.z - low.z);
    stage.fixed(floor, Pose::translation(0.0, 0.0, -0.05), material)?;
    stage.fixed(ring, Pose::translation(0.3, 0.0, 0.04), material)?;
    let at = |x: f64, y: f64, z: f64, turn: f64| {
        super::stage::about(
            &middle,
            &(Vec3::new(0.3, 0.5, 1.0) * turn),
            &(Vec3::new(x, y, z) - middle),
        )
    };
    let start = at(-0.2, 0.0, rest + 0.15, 0.0);
    let body = stage.moving(bunny, start, 1000.0, material)?;
    // Through the floor, through the ring, around, through the ring from the side, and to a place
    // in the air.
    let places = [
        at(-0.2, 0.0, rest - 0.06, 0.1),
        at(0.1, 0.02, rest - 0.03, 0.4),
        at(0.3, 0.0, rest - 0.03, 0.5),
        at(0.55, 0.05, rest, 0.0),
        at(0.3, 0.1, 0.0, -0.6),
        at(0.0, -0.1, rest + 0.05, 0.0),
        at(0.0, -0.1, rest + 0.02, 0.0),
    ];
    let mut stations = vec![(0.1, start)];
    for place in places {
        let last = stations.last().map_or(start, |s: &(f64, Pose)| s.1);
        let way = (transform(&place, &middle) - transform(&last, &middle)).norm();
        stations.push((way / manner.speed_m_s, place));
        stations.push((0.25, place));
    }
    let end = places[places.len() - 1];
    stations.push((1.5, end));
    let script = Script::new(&stations);
    let steps = (script.duration_s() / LED_STEP_S).round() as u64;
    let lead = Lead {
        lag_s: LED_STEP_S,
        most_m_s: manner.speed_m_s,
        most_rad_s: 10.0 * manner.speed_m_s,
    };
    let spring = Spring {
        rad_s: RAD_S,
        mass_kg: mass(&stage, body)?,
        inertia_kg_m2: 3e-3,
        most_n: 1e3,
    };
    for k in 0..steps {
        let goal = script.goal(k as f64 * LED_STEP_S);
        match manner.order {
            Order::First => stage.lead(body, &goal, &lead)?,
            Order::Second => stage.pull(body, &goal, &spring)?,
        }
        stage.step(LED_STEP_S, k.is_multiple_of(25))?;
    }
    stage.audit()?;
    let off = transform(&stage.pose(body)?, &middle) - transform(&end, &middle);
    Ok((stage, off.norm(), faces))
}

/// Returns the mass of a body for a force through its centre.
fn mass(stage: &Stage, body: BodyId) -> Result<f64, Failure> {
    let view = stage
        .world
        .body(body)
        .map_err(|e| Failure::Run(format!("a body: {e}")))?;
    Ok(stage.world.mass_at(body, &view.centre, &Vec3::z()))
}

/// Measurements of a slide of the shell.
struct Slide {
    stage: Stage,
    way_m: f64,
    speed_m_s: f64,
    stopped_s: Option<f64>,
    bounces: u32,
}

/// Releases the shell `drop_m` above a floor that is tilted by `tilt_rad` about y, moving along x.
fn slide(
    tilt_rad: f64,
    friction: f64,
    drop_m: f64,
    speed_m_s: f64,
    seconds: f64,
) -> Result<Slide, Failure> {
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let settings = Settings {
        gravity: Vec3::new(tilt_rad.sin(), 0.0, -tilt_rad.cos()) * G,
        // A body at rest must be held by friction, not by sleeping.
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    };
    let mut stage = Stage::new(settings)?;
    let material = Material {
        friction,
        restitution: 0.3,
    };
    let floor = shapes::cuboid(&Vec3::new(20.0, 5.0, 0.5)).map_err(failed)?;
    stage.fixed(floor, Pose::translation(0.0, 0.0, -0.5), material)?;
    let shell = stage.moving(
        car::body_shell()?,
        Pose::translation(0.0, 0.0, drop_m),
        1000.0,
        material,
    )?;
    let error = |e| Failure::Run(format!("the shell: {e}"));
    let twist = hapticd_rigid::Twist {
        linear: Vec3::x() * speed_m_s,
        angular: Vec3::zeros(),
    };
    stage.world.set_twist(shell, &twist).map_err(error)?;
    let start = stage.world.body(shell).map_err(error)?;
    let (mut stopped_s, mut bounces, mut before) = (None, 0, 0.0);
    let steps = (seconds / SLIDE_STEP_S).round() as u64;
    for k in 0..steps {
        stage.step(SLIDE_STEP_S, k.is_multiple_of(10))?;
        let now = stage.world.body(shell).map_err(error)?.twist.linear;
        bounces += u32::from(before < -0.05 && now.z > 0.02);
        before = now.z;
        if now.x.abs() > 1e-2 {
            stopped_s = None;
        } else if stopped_s.is_none() {
            stopped_s = Some((k + 1) as f64 * SLIDE_STEP_S);
        }
    }
    stage.audit()?;
    let end = stage.world.body(shell).map_err(error)?;
    Ok(Slide {
        stage,
        way_m: end.centre.x - start.centre.x,
        speed_m_s: end.twist.linear.x,
        stopped_s,
        bounces,
    })
}

fn shell_slides(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let triangles = car::body_shell()?.triangles().len();
    const FRICTION: f64 = 0.4;
    let thrown = slide(0.0, FRICTION, 0.1, 3.0, 1.0)?;
    // Every impulse of the floor, also in bounces, takes its share of the speed along it.
    let stop_s = 3.0 / (FRICTION * G);
    let gentle = 15_f64.to_radians();
    let stays = slide(gentle, FRICTION, 1e-3, 0.0, 1.0)?;
    let steep = 30_f64.to_radians();
    let slides = slide(steep, FRICTION, 1e-3, 0.0, 0.5)?;
    let expected = 0.5 * G * (steep.sin() - FRICTION * steep.cos());
    let mut rows = vec![
        Row::new("triangles of the shell", "", 29_000, triangles),
        Row::new("thrown: bounces", "", "bounces", thrown.bounces),
        Row::new("thrown: stops after", "s", stop_s, thrown.stopped_s),
        Row::new("thrown: slides", "m", Value::Null, thrown.way_m),
        Row::new(
            "slope of 15 degrees, friction 0.4: moves in 1 s",
            "m",
            0.0,
            stays.way_m,
        ),
        Row::new(
            "slope of 30 degrees, friction 0.4: speed after 0.5 s",
            "m/s",
            expected,
            slides.speed_m_s,
        ),
    ];
    for (what, s) in [
        ("thrown", &thrown),
        ("15 degrees", &stays),
        ("30 degrees", &slides),
    ] {
        rows.extend(s.stage.rows(what));
    }
    let clean = [&thrown, &stays, &slides]
        .iter()
        .all(|s| s.stage.is_clean());
    let stops = thrown
        .stopped_s
        .is_some_and(|s| (s / stop_s - 1.0).abs() < 0.05);
    let accelerates = (slides.speed_m_s / expected - 1.0).abs() < 0.05;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            clean && stops && thrown.bounces > 0 && stays.way_m.abs() < 2e-3 && accelerates,
            format!(
                "thrown at 3 m/s it bounces {} times and stops after {:.3} s (Coulomb: {stop_s:.3} s); on 15 degrees it stays within {:.2} mm, on 30 it has {:.3} m/s after 0.5 s \
                 (Coulomb: {expected:.3}); nothing overlaps: {clean}",
                thrown.bounces,
                thrown.stopped_s.unwrap_or(f64::INFINITY),
                1e3 * stays.way_m.abs(),
                slides.speed_m_s
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "surrogate of the shell, about 0.3 t; Coulomb's law at friction 0.4, restitution 0.3, steps of 2 ms; the published column is what Coulomb's law says where it is a number"
                .into(),
        ],
    })
}
