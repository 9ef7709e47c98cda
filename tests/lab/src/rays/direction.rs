//! Table 3.3 (chapter 3, section 3.2): error of the directions of contacts, by the method that
//! derives them from a ray.
//!
//! An object is put into a horizontal plane in 400 orientations at 20 depths each. The forces of
//! all its contacts, each along the contact's direction and in proportion to its depth, should add
//! up to a vertical force; its horizontal part is the error.

use std::sync::Arc;

use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_rays::{RayScene, Separation, Settings, Shape, Topology, Tracer};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::concave;
use crate::rays::stage::{Numbers, failed};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-direction",
    title: "table 3.3: directions of contacts by ray, by cosine and re-projected, object against plane",
    judges: Judges::Counts(&[]),
    run,
};

const ORIENTATIONS: u32 = 400;
const DEPTHS: u32 = 20;

/// An object of the source, and its deviations in percent by the three methods.
type Case = (&'static str, TriMesh, [f64; 3]);

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let cases: [Case; 3] = [
        (
            "sphere, 70 points",
            concave::sphere_of_70()?,
            [3.97, 2.66, 0.0],
        ),
        ("bunny, 453 points", concave::hare()?, [22.0, 16.5, 0.0]),
        (
            "pig, 1,067 points (published: 1,085)",
            concave::pig()?,
            [27.0, 20.6, 0.0],
        ),
    ];
    let methods = [
        ("ray", Separation::Ray),
        ("cosine", Separation::Cosine),
        ("re-projected", Separation::Reprojected),
    ];
    let mut rows = Vec::new();
    let (mut worst, mut ordered) = (0.0_f64, true);
    for (name, mesh, published) in cases {
        let mut last = f64::INFINITY;
        for ((method, separation), published) in methods.into_iter().zip(published) {
            let ours = deviation(&mesh, separation)?;
            rows.push(Row::new(
                format!("{name}, {method}"),
                "%",
                published,
                (1e4 * ours).round() / 100.0,
            ));
            ordered &= ours < last;
            last = ours;
            if separation == Separation::Reprojected {
                worst = worst.max(ours);
            }
        }
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            ordered && worst < 5e-5,
            format!(
                "re-projection leaves {:.4} % (published: 0.00), the cosine less than the ray alone for every object: {}",
                1e2 * worst,
                if ordered { "yes" } else { "no" }
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "depths evenly from 1/20 to all of half of the object's height in that orientation; the source gives neither depths nor orientations".into(),
            "bodies with the source's number of points stand in for its bunny and pig".into(),
        ],
    })
}

/// Returns the mean ratio of the horizontal to the vertical force, over all orientations and
/// depths.
fn deviation(mesh: &TriMesh, separation: Separation) -> Result<f64, Failure> {
    let shape = Shape::new(mesh, Topology::Volume, 0).map_err(|e| failed(&e))?;
    let ground = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.5)).map_err(|e| failed(&e))?;
    let ground = Shape::new(&ground, Topology::Volume, 0).map_err(|e| failed(&e))?;
    let mut scene = RayScene::new();
    let start = Pose::translation(0.0, 0.0, 2.0);
    let object = (scene.add_rigid(Arc::new(shape), &start, false)).map_err(|e| failed(&e))?;
    // Its upper side is z = 0.
    let below = Pose::translation(0.0, 0.0, -0.5);
    (scene.add_rigid(Arc::new(ground), &below, true)).map_err(|e| failed(&e))?;
    let mut tracer = Tracer::new(Settings {
        iterative: false,
        prediction_m: 0.0,
        separation,
        ..Settings::for_edges(0.01)
    });
    let mut numbers = Numbers::new(1);
    let (mut sum, mut count) = (0.0, 0_u32);
    for _ in 0..ORIENTATIONS {
        let turn = numbers.turn();
        let heights = || mesh.positions().iter().map(|p| (turn * p).z);
        let low = heights().fold(f64::INFINITY, f64::min);
        let high = heights().fold(f64::NEG_INFINITY, f64::max);
        for depth in 1..=DEPTHS {
            let depth = 0.5 * (high - low) * f64::from(depth) / f64::from(DEPTHS);
            let pose = Pose::from_parts(Vec3::new(0.0, 0.0, -low - depth).into(), turn);
            scene.begin_step();
            scene.set_pose(object, &pose).map_err(|e| failed(&e))?;
            let contacts = tracer
                .step(&mut scene)
                .iter()
                .filter(|c| c.source == object);
            let force: Vec3 = contacts
                .map(|c| Vec3::from(c.n.map(f64::from)) * f64::from(c.depth))
                .sum();
            if force.z > 0.0 {
                sum += force.xy().norm() / force.z;
                count += 1;
            }
        }
    }
    if count < ORIENTATIONS * DEPTHS / 2 {
        return Err(Failure::Run(format!(
            "only {count} configurations have contacts"
        )));
    }
    Ok(sum / f64::from(count))
}
