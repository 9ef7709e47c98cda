//! E4 (section 2.7.3, figure 2.10): a body crosses a thin obstacle in one step; a test of the end
//! pose alone may miss it.

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::moving::{Motion, MovingBody, MovingSearch};
use hapticd_ccd::{MeshIndex, Proximity};
use hapticd_geometry::{Pose, Screw, Vec3, shapes};
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e4",
    title: "tunnelling: a body and a thin obstacle in one step",
    judges: Judges::Counts(&[]),
    run,
};

/// Half of the obstacle's thickness, m; the body is 0.3 m wide.
const HALF_THICKNESS_M: f64 = 0.5e-3;
/// Clearance of the two, m.
const CLEARANCE_M: f64 = 1e-7;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let failed = |e| Failure::Run(format!("a mesh: {e}"));
    let body = MeshIndex::new(shapes::torus(0.1, 0.05, 80, 40).map_err(failed)?);
    let wall =
        MeshIndex::new(shapes::cuboid(&Vec3::new(HALF_THICKNESS_M, 0.5, 0.5)).map_err(failed)?);
    let start = Pose::translation(-0.4, 0.02, -0.01);
    let mut discrete = Intersections::default();
    let (mut near, mut search) = (Proximity::new(16), MovingSearch::new(16));
    let still = Motion::still(&Pose::identity());
    let (mut rows, mut holds) = (Vec::new(), true);
    for (case, way_m, published) in [
        ("(a) ends in it", 0.42, true),
        ("(b) ends behind it", 0.9, false),
    ] {
        let turn = Vec3::new(0.05, 0.1, -0.08);
        let screw = Screw::from_twist(&(Vec3::x() * way_m), &turn, &start.translation.vector);
        let seen = discrete.any(&body, &wall, &screw.pose_at(&start, 1.0));
        let motion = Motion::screw(&start, &screw);
        let moving = |shape, motion| MovingBody {
            shape,
            motion,
            radius_m: 0.0,
        };
        let (thrown, standing) = (moving(&body, &motion), moving(&wall, &still));
        let meeting = search.first_contact(&thrown, &standing, CLEARANCE_M, 1.0);
        let found = meeting.first.is_some();
        rows.push(Row::new(
            format!("{case}: discrete test finds it"),
            "",
            published,
            seen,
        ));
        rows.push(Row::new(
            format!("{case}: continuous test finds it"),
            "",
            true,
            found,
        ));
        holds &= seen == published && found;
        let stopped = motion.pose_at(meeting.free_until);
        let overlaps = discrete.any(&body, &wall, &stopped);
        let apart = near.query(&body, 0.0, &wall, &stopped, 1.0);
        let distance = apart
            .pairs
            .first()
            .map_or(f64::INFINITY, |pair| pair.distance);
        rows.push(Row::new(
            format!("{case}: stopped at"),
            "step",
            Value::Null,
            meeting.free_until,
        ));
        rows.push(Row::new(
            format!("{case}: distance there"),
            "m",
            Value::Null,
            distance,
        ));
        holds &= !overlaps && distance <= CLEARANCE_M + 1e-9;
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            holds,
            "the end pose shows the collision in (a) only; the continuous test stops the body in both, touching and not overlapping",
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "a ring of 6,400 triangles stands for the bunny; the obstacle is 1 mm thick, the way 0.42 and 0.9 m with a turn of 8 degrees"
                .into(),
        ],
    })
}
