//! Rigid bodies: a pyramid, a slope, and two plates that fly at each other; `hapticd-rigid` next to
//! Rapier, and on the slope also next to MuJoCo and PyBullet.

use std::error::Error;
use std::sync::Arc;
use std::time::Instant;

use hapticd_ccd::MeshIndex;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rigid::{BodyId, BodySpec, Material, Settings, Twist, RigidWorld};
use rapier3d::prelude::{ColliderBuilder, PhysicsWorld, RigidBodyBuilder, RigidBodyHandle, Vector};
use serde_json::json;

use crate::{Row, Times, ask, bar};

type Rows = Result<Vec<Row>, Box<dyn Error>>;

const GRAVITY: f64 = 9.81;

fn cuboid(x: f64, y: f64, z: f64) -> Result<Arc<MeshIndex>, Box<dyn Error>> {
    Ok(Arc::new(MeshIndex::new(shapes::cuboid(&Vec3::new(
        x, y, z,
    ))?)))
}

fn rapier_vector(v: &Vec3) -> Vector {
    Vector::new(v.x as f32, v.y as f32, v.z as f32)
}

/// Returns an empty scene in both.
fn scenes(gravity: Vec3, dt: f64) -> Result<(RigidWorld, PhysicsWorld), Box<dyn Error>> {
    let ours = RigidWorld::new(Settings {
        gravity,
        sleep_after_s: f64::INFINITY,
        ..Settings::default()
    })?;
    let mut theirs = PhysicsWorld {
        gravity: rapier_vector(&gravity),
        ..PhysicsWorld::default()
    };
    theirs.integration_parameters.dt = dt as f32;
    theirs.integration_parameters.min_ccd_dt = dt as f32 / 100.0;
    Ok((ours, theirs))
}

/// 55 boxes of 0.2 m at 1 ms a step, with continuous detection and without sleeping bodies.
pub fn pyramid(_: &str) -> Rows {
    const STEPS: usize = 2000;
    const TURN: usize = 100;
    let dt = 1e-3;
    let half = 0.1;
    let (mut ours, mut theirs) = scenes(Vec3::z() * -GRAVITY, dt)?;
    ours.add(&BodySpec::fixed(
        cuboid(5.0, 5.0, 0.5)?,
        Pose::translation(0.0, 0.0, -0.5),
    ))?;
    theirs.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -0.5)),
        ColliderBuilder::cuboid(5.0, 5.0, 0.5).friction(0.5),
    );
    let cube = cuboid(half, half, half)?;
    let mut starts = Vec::new();
    let mut ids: Vec<(BodyId, RigidBodyHandle)> = Vec::new();
    for row in 0..10 {
        for k in 0..10 - row {
            let x = (f64::from(k) - 0.5 * f64::from(9 - row)) * 2.2 * half;
            let at = Vec3::new(x, 0.0, half * 1.001 * f64::from(2 * row + 1));
            let id = ours.add(&BodySpec::dynamic(
                cube.clone(),
                Pose::translation(at.x, at.y, at.z),
                1000.0,
            ))?;
            let (handle, _) = theirs.insert(
                RigidBodyBuilder::dynamic()
                    .translation(rapier_vector(&at))
                    .can_sleep(false)
                    .ccd_enabled(true),
                ColliderBuilder::cuboid(half as f32, half as f32, half as f32)
                    .friction(0.5)
                    .density(1000.0),
            );
            ids.push((id, handle));
            starts.push(at);
        }
    }
    let mut times = [Vec::with_capacity(STEPS), Vec::with_capacity(STEPS)];
    for _ in 0..STEPS / TURN {
        for _ in 0..TURN {
            let clock = Instant::now();
            ours.step(dt);
            times[0].push(clock.elapsed().as_secs_f64());
        }
        for _ in 0..TURN {
            let clock = Instant::now();
            theirs.step();
            times[1].push(clock.elapsed().as_secs_f64());
        }
    }
    let mut moved = [0.0_f64; 2];
    for ((id, handle), start) in ids.iter().zip(&starts) {
        moved[0] = moved[0].max((ours.body(*id)?.centre - start).norm());
        let x = theirs.bodies[*handle].translation();
        let x = Vec3::new(f64::from(x.x), f64::from(x.y), f64::from(x.z));
        moved[1] = moved[1].max((x - start).norm());
    }
    let [a, b] = [Times::of(&times[0]), Times::of(&times[1])];
    let shown = |t: &Times, moved: f64| format!("{}; moved {:.1} mm", t.ms(), 1e3 * moved);
    Ok(vec![
        Row::new(
            "pyramid of 55 boxes, step of 1 ms, Rapier: CCD on all boxes",
            shown(&a, moved[0]),
            shown(&b, moved[1]),
            bar(a.mean / b.mean, 2.0),
        ),
        Row::new(
            "the same, medians",
            String::new(),
            String::new(),
            format!("{:.2} of the peer's", a.median / b.median),
        ),
    ])
}

/// Half width of the slope's cube, m; step, s; number of steps; friction with a fifth of margin,
/// and too low.
const HALF: f64 = 0.1;
const SLOPE_DT: f64 = 1e-3;
const SLOPE_STEPS: u32 = 5000;
const FRICTION: [f64; 2] = [0.6, 0.49];

/// Gravity in the frame of a slope of angle atan 0.5: x points down it, z away from it.
fn slope_gravity() -> Vec3 {
    let angle = 0.5_f64.atan();
    Vec3::new(angle.sin(), 0.0, -angle.cos()) * GRAVITY
}

/// Returns the distance in metres that a cube slides down the slope: ours, Rapier's.
fn slid(friction: f64) -> Result<[f64; 2], Box<dyn Error>> {
    let half = HALF;
    let (mut ours, mut theirs) = scenes(slope_gravity(), SLOPE_DT)?;
    let material = Material {
        friction,
        restitution: 0.0,
    };
    ours.add(&BodySpec {
        material,
        ..BodySpec::fixed(
            cuboid(10.0, 10.0, half)?,
            Pose::translation(0.0, 0.0, -half),
        )
    })?;
    // The smallest distance at which bodies may start.
    let safe = hapticd_rigid::Distances::new(half * 3f64.sqrt(), 0.0).safe_m;
    let id = ours.add(&BodySpec {
        material,
        ..BodySpec::dynamic(
            cuboid(half, half, half)?,
            Pose::translation(0.0, 0.0, half + safe),
            1000.0,
        )
    })?;
    let (h, mu) = (half as f32, friction as f32);
    theirs.insert(
        RigidBodyBuilder::fixed().translation(Vector::new(0.0, 0.0, -h)),
        ColliderBuilder::cuboid(10.0, 10.0, h).friction(mu),
    );
    let (handle, _) = theirs.insert(
        RigidBodyBuilder::dynamic()
            .translation(Vector::new(0.0, 0.0, h))
            .can_sleep(false),
        ColliderBuilder::cuboid(h, h, h)
            .friction(mu)
            .density(1000.0),
    );
    let start = ours.body(id)?.centre.x;
    for _ in 0..SLOPE_STEPS {
        ours.step(SLOPE_DT);
        theirs.step();
    }
    Ok([
        ours.body(id)?.centre.x - start,
        f64::from(theirs.bodies[handle].translation().x),
    ])
}

/// Creep with a fifth of margin, and the sliding distance.
pub fn slope(python: &str) -> Rows {
    let gravity = slope_gravity();
    let [creep, sliding] = [slid(FRICTION[0])?, slid(FRICTION[1])?];
    let time = SLOPE_DT * f64::from(SLOPE_STEPS);
    let truth = 0.5 * (gravity.x + FRICTION[1] * gravity.z) * time * time;
    let off = |x: f64| 100.0 * (x / truth - 1.0);
    let scene = json!({
        "half_m": HALF, "density": 1000.0, "gravity": gravity.as_slice(), "dt_s": SLOPE_DT, "steps": SLOPE_STEPS, "friction": FRICTION,
    });
    let others = ask(python, "slope.py", &scene)?;
    let mut peers = vec![("Rapier", [creep[1], sliding[1]])];
    for name in ["MuJoCo", "MuJoCo, no slip", "PyBullet"] {
        let of = |k: usize| others[name][k].as_f64().ok_or("no answer");
        peers.push((name, [of(0)?, of(1)?]));
    }
    let verdict =
        |holds: bool, bar: &str| format!("{bar}: {}", if holds { "holds" } else { "FALLS SHORT" });
    let mut rows = Vec::new();
    for (name, [crept, slid]) in peers {
        rows.push(Row::new(
            "block on a slope with 20 % margin, creep in 5 s",
            format!("{:.1e} m", creep[0]),
            format!("{name} {crept:.1e} m"),
            verdict(creep[0].abs() <= 1e-6, "1 um"),
        ));
        rows.push(Row::new(
            &format!("the same sliding (friction 0.49), against {truth:.4} m"),
            format!("{:+.2} %", off(sliding[0])),
            format!("{name} {:+.2} %", off(slid)),
            verdict(off(sliding[0]).abs() <= 0.5, "0.5 %"),
        ));
    }
    Ok(rows)
}

/// Returns a number in [-1, 1).
fn next(state: &mut u64) -> f64 {
    *state = state
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407);
    (*state >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Returns the side of the first plate on which the second one's centre is, in the first one's
/// frame, while it is over the first one's face.
fn side(apart: &Vec3) -> Option<f64> {
    (apart.x.abs().max(apart.y.abs()) < 5.0).then_some(apart.z.signum())
}

/// Drives two plates of 10 x 10 m, 2 cm thick, at each other. Returns whether the second one's
/// centre was on one side of the first one's face in one step and on the other side in the next,
/// and whether the velocities never changed; ours, Rapier's.
fn plates_once(state: &mut u64, speed: f64) -> Result<[(bool, bool); 2], Box<dyn Error>> {
    let dt = 1e-2;
    let (mut ours, mut theirs) = scenes(Vec3::zeros(), dt)?;
    let plate = cuboid(5.0, 5.0, 0.01)?;
    let mut handles = Vec::new();
    for side in [-1.0, 1.0] {
        let at = Vec3::new(
            2.0 * next(state),
            2.0 * next(state),
            side * (1.25 + 0.5 * next(state)),
        );
        let twist = Twist {
            linear: Vec3::new(0.0, 0.0, -side * speed),
            angular: Vec3::new(0.0, 0.0, 50.0 * next(state).signum()),
        };
        let id = ours.add(&BodySpec {
            twist,
            ..BodySpec::dynamic(plate.clone(), Pose::translation(at.x, at.y, at.z), 1000.0)
        })?;
        let (handle, _) = theirs.insert(
            RigidBodyBuilder::dynamic()
                .translation(rapier_vector(&at))
                .linvel(rapier_vector(&twist.linear))
                .angvel(rapier_vector(&twist.angular))
                .can_sleep(false)
                .ccd_enabled(side < 0.0),
            ColliderBuilder::cuboid(5.0, 5.0, 0.01)
                .friction(0.5)
                .density(1000.0),
        );
        handles.push((id, handle));
    }
    // Long enough for the slowest to have met and moved on.
    let steps = (3.5 / speed / dt).ceil() as u32 + 2;
    let mut sides: [[Option<f64>; 2]; 2] = [[None; 2]; 2];
    let mut through = [false; 2];
    for _ in 0..=steps {
        let [low, high] = [ours.body(handles[0].0)?, ours.body(handles[1].0)?];
        let [first, second] = [&theirs.bodies[handles[0].1], &theirs.bodies[handles[1].1]];
        let apart = first.rotation().inverse() * (second.translation() - first.translation());
        let now = [
            side(&(low.world_from_body.rotation.inverse() * (high.centre - low.centre))),
            side(&Vec3::new(apart.x.into(), apart.y.into(), apart.z.into())),
        ];
        for k in 0..2 {
            sides[k] = [sides[k][1], now[k]];
            through[k] |= matches!(sides[k], [Some(a), Some(b)] if a != b);
        }
        ours.step(dt);
        theirs.step();
    }
    let [low, high] = [ours.body(handles[0].0)?, ours.body(handles[1].0)?];
    let [first, second] = [&theirs.bodies[handles[0].1], &theirs.bodies[handles[1].1]];
    let same = |x: f64| (x / speed - 1.0).abs() < 1e-3;
    Ok([
        (
            through[0],
            same(low.twist.linear.z) && same(-high.twist.linear.z),
        ),
        (
            through[1],
            same(f64::from(first.linvel().z)) && same(-f64::from(second.linvel().z)),
        ),
    ])
}

/// Fifty random runs at each of two speeds.
pub fn plates(_: &str) -> Rows {
    let mut rows = Vec::new();
    for speed in [100.0, 20.0] {
        let mut state = 2026;
        let (mut crossed, mut untouched) = ([0; 2], [0; 2]);
        for _ in 0..50 {
            for (k, (through, same)) in plates_once(&mut state, speed)?.into_iter().enumerate() {
                crossed[k] += usize::from(through);
                untouched[k] += usize::from(through && same);
            }
        }
        let shown = |k: usize| {
            format!(
                "{} of 50 through each other, {} of them as if there were nothing",
                crossed[k], untouched[k]
            )
        };
        rows.push(Row::new(
            &format!("two plates, each {speed} m/s and 50 rad/s in its plane, step 10 ms; Rapier: CCD on one"),
            shown(0),
            format!("Rapier {}", shown(1)),
            format!("0: {}", if crossed[0] == 0 { "holds" } else { "FALLS SHORT" }),
        ));
    }
    Ok(rows)
}
