//! E3 (section 2.7.3, figure 2.9): a teapot is led around a bunny and stopped where they touch; at
//! its goal they would overlap.

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Quat, Screw, Vec3};
use hapticd_testkit::Random;
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models;

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e3",
    title: "manipulation with stop on contact: a teapot and a bunny",
    judges: Judges::Counts(&[]),
    run,
};

const TRIALS: u32 = 200;
/// Clearance of the two, m.
const CLEARANCE_M: f64 = 1e-7;
/// Largest distance at which they may be stopped, m.
const TOLERANCE_M: f64 = CLEARANCE_M + 1e-9;
/// Motion of the hand per frame, m and rad.
const FRAME_M: f64 = 0.01;
const FRAME_RAD: f64 = 0.02;
/// Frames for which the hand continues after the one in which the teapot is stopped.
const FURTHER: u32 = 2;
/// By then it has met the bunny or passed it.
const FRAMES: u32 = 90;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let pot = MeshIndex::new(models::teapot()?);
    let bunny = MeshIndex::new(models::bunny()?);
    let mut search = MovingSearch::new(16);
    let still = Motion::still(&Pose::identity());
    let mut random = Random::new(3);
    let (mut discrete, mut near) = (Intersections::default(), Proximity::new(16));
    let (mut stops, mut overlaps, mut beyond, mut meant) = (0, 0, 0, 0);
    let (mut farthest, mut share): (f64, f64) = (0.0, 0.0);
    for _ in 0..TRIALS {
        // Towards a point in the bunny, slowly turning.
        let way = random.direction() * FRAME_M;
        let turn = random.direction() * FRAME_RAD;
        let aim = random.direction() * random.between(0.0, 0.05);
        let rotation = Quat::from_scaled_axis(random.direction() * random.between(0.0, 3.0));
        // The middle of the pot is 7 cm above its foot.
        let middle = Vec3::z() * 0.07;
        let mut pose = Pose::from_parts((aim - way * 45.0 - rotation * middle).into(), rotation);
        for _ in 0..FRAMES {
            let screw =
                Screw::from_twist(&way, &turn, &hapticd_geometry::transform(&pose, &middle));
            let motion = Motion::screw(&pose, &screw);
            let body = |shape, motion| MovingBody {
                shape,
                motion,
                radius_m: 0.0,
            };
            let (led, standing) = (body(&pot, &motion), body(&bunny, &still));
            let meeting = search.first_contact(&led, &standing, CLEARANCE_M, 1.0);
            if meeting.first.is_none() {
                pose = screw.pose_at(&pose, 1.0);
                pose.rotation.renormalize();
                continue;
            };
            stops += 1;
            let stopped = motion.pose_at(meeting.free_until);
            overlaps += u32::from(discrete.any(&pot, &bunny, &stopped));
            let apart = near.query(&pot, 0.0, &bunny, &stopped, 1.0);
            let distance = apart
                .pairs
                .first()
                .map_or(f64::INFINITY, |pair| pair.distance);
            farthest = farthest.max(distance);
            share = share.max(distance / TOLERANCE_M);
            beyond += u32::from(!(distance <= TOLERANCE_M));
            let intended = (0..=FURTHER).fold(pose, |p, _| {
                let next =
                    Screw::from_twist(&way, &turn, &hapticd_geometry::transform(&p, &middle));
                next.pose_at(&p, 1.0)
            });
            meant += u32::from(discrete.any(&pot, &bunny, &intended));
            break;
        }
    }
    let why = format!(
        "{stops} stops in {TRIALS} trials: overlapping there {overlaps}, farther apart than the tolerance {beyond} (farthest {farthest:.1e} m); the \
         intended pose overlaps in \
         {meant} of {stops}"
    );
    Ok(Report {
        rows: vec![
            Row::new("trials that meet the bunny", "", Value::Null, stops),
            Row::new("overlapping where stopped", "", 0, overlaps),
            Row::new("farther apart there than the tolerance", "", 0, beyond),
            Row::new("largest distance there", "m", Value::Null, farthest),
            Row::new("largest distance there, of the tolerance", "", Value::Null, share),
            Row::new("intended pose overlapping", "", stops, meant),
        ],
        verdict: Verdict::new(stops > 0 && overlaps == 0 && beyond == 0 && meant == stops, why),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "a procedural teapot (open, about 6,400 triangles) and a procedural bunny of 5,120 stand for the models; straight ways with a slow turn \
             towards the bunny stand for \
             the keyboard"
                .into(),
            format!("intended: where the hand is {FURTHER} frames of 10 mm after the one in which the teapot was stopped"),
        ],
    })
}
