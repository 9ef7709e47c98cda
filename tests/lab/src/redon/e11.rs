//! E11 (section 3.6, figure 3.7): six cubes that move together, one of them driven: one contact
//! group, and no cube in another.

use std::sync::Arc;

use hapticd_ccd::MeshIndex;
use hapticd_ccd::intersect::Intersections;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rigid::{BodyId, BodySpec, RigidWorld, Settings, Twist};
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e11",
    title: "six cubes, one driven, pushing the others",
    judges: Judges::Counts(&[]),
    run,
};

const HALF_M: f64 = 0.05;
const STEP_S: f64 = 1e-3;
const STEPS: u32 = 3000;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let refused = |e| Failure::Run(format!("a body: {e}"));
    let cube = Arc::new(MeshIndex::new(
        shapes::cuboid(&Vec3::repeat(HALF_M)).map_err(failed)?,
    ));
    let floor = Arc::new(MeshIndex::new(
        shapes::cuboid(&Vec3::new(2.0, 2.0, 0.1)).map_err(failed)?,
    ));
    let mut world = RigidWorld::new(Settings::default()).map_err(refused)?;
    world
        .add(&BodySpec::fixed(floor, Pose::translation(0.0, 0.0, -0.1)))
        .map_err(refused)?;
    // Two rows, slightly rotated; the driven one comes from the left.
    let mut cubes: Vec<BodyId> = Vec::new();
    for (k, (x, y)) in [
        (0.0, 0.0),
        (0.13, 0.05),
        (0.14, -0.06),
        (0.27, 0.07),
        (0.28, -0.05),
    ]
    .iter()
    .enumerate()
    {
        let mut pose = Pose::translation(*x, *y, HALF_M + 1e-4);
        pose.rotation = hapticd_geometry::Quat::from_scaled_axis(Vec3::z() * 0.02 * k as f64);
        cubes.push(
            world
                .add(&BodySpec::dynamic(cube.clone(), pose, 800.0))
                .map_err(refused)?,
        );
    }
    let twist = Twist {
        linear: Vec3::new(0.15, 0.0, 0.0),
        angular: Vec3::zeros(),
    };
    let from = Pose::translation(-0.2, 0.02, HALF_M + 1e-3);
    let driver = world
        .add(&BodySpec::kinematic(cube.clone(), from, twist))
        .map_err(refused)?;
    let before: Vec<Vec3> = places(&world, &cubes)?;
    cubes.push(driver);

    let mut discrete = Intersections::default();
    let (mut overlaps, mut largest, mut contacts) = (0, 0, 0);
    for _ in 0..STEPS {
        let plan = world.step(STEP_S);
        let touching = plan
            .contacts()
            .iter()
            .filter(|c| c.impulse.norm_squared() > 0.0);
        let between: Vec<_> = touching
            .filter(|c| c.bodies.iter().all(|b| cubes.contains(b)))
            .map(|c| c.bodies)
            .collect();
        contacts = contacts.max(between.len());
        largest = largest.max(group(&cubes, &between));
        for (i, &a) in cubes.iter().enumerate() {
            for &b in &cubes[i + 1..] {
                let (a, b) = (
                    world.body(a).map_err(refused)?,
                    world.body(b).map_err(refused)?,
                );
                let b_from_a = b.world_from_body.inverse() * a.world_from_body;
                overlaps += u32::from(discrete.any(&cube, &cube, &b_from_a));
            }
        }
    }
    let after = places(&world, &cubes[..5])?;
    let pushed = before
        .iter()
        .zip(&after)
        .filter(|(a, b)| (*a - *b).norm() > 0.01)
        .count();
    Ok(Report {
        rows: vec![
            Row::new("cubes in the largest contact group", "", 6, largest),
            Row::new("contacts between cubes at once, most", "", Value::Null, contacts),
            Row::new("cubes that were pushed more than 1 cm", "of 5", Value::Null, pushed),
            Row::new("pairs found overlapping, over all steps", "", 0, overlaps),
        ],
        verdict: Verdict::new(
            largest == 6 && overlaps == 0 && pushed == 5,
            format!("all six form one contact group ({largest}), {pushed} of 5 are pushed along, {overlaps} overlaps in {STEPS} steps of 1 ms"),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "the driven cube follows a straight line at 0.15 m/s instead of a user; the precise door of figure 3.1 is not part of this".into(),
        ],
    })
}

fn places(world: &RigidWorld, cubes: &[BodyId]) -> Result<Vec<Vec3>, Failure> {
    let place = |id: &BodyId| world.body(*id).map(|b| b.centre);
    let places: Result<Vec<Vec3>, _> = cubes.iter().map(place).collect();
    places.map_err(|e| Failure::Run(format!("a body: {e}")))
}

/// Returns the size of the largest set of cubes that touch, directly or through others.
fn group(cubes: &[BodyId], touching: &[[BodyId; 2]]) -> usize {
    let mut of: Vec<usize> = (0..cubes.len()).collect();
    let place = |id: &BodyId| cubes.iter().position(|c| c == id);
    for [a, b] in touching {
        if let (Some(a), Some(b)) = (place(a), place(b)) {
            let (from, to) = (of[a], of[b]);
            for g in &mut of {
                if *g == from {
                    *g = to;
                }
            }
        }
    }
    (0..cubes.len())
        .map(|g| of.iter().filter(|&&x| x == g).count())
        .max()
        .unwrap_or(0)
}
