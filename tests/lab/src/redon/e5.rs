//! E5 (section 2.6.4, figures 2.6 and 2.7): all leaf spheres of a scene should have similar sizes.

use hapticd_geometry::{Pose, Screw, Vec3, shapes};
use hapticd_published::algebraic::AlgebraicMotion;
use hapticd_published::spheres::{SphereOptions, SphereSearch, SphereTree};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e5",
    title: "leaf spheres of one size: leaf tests of a coarse cube in a detailed body",
    judges: Judges::Counts(&[]),
    run,
};

const DETAIL_M: f64 = 0.02;

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let run = |e: &dyn std::fmt::Display| Failure::Run(format!("the models: {e}"));
    let cube = shapes::cuboid(&Vec3::repeat(0.15)).map_err(|e| run(&e))?;
    let detailed = shapes::torus(0.25, 0.1, 48, 24).map_err(|e| run(&e))?;
    let detailed = SphereTree::new(&detailed, DETAIL_M).map_err(|e| run(&e))?;
    let start = Pose::translation(0.0, 0.0, 0.3);
    let screw = Screw::from_twist(&Vec3::new(0.02, 0.0, -0.05), &Vec3::zeros(), &Vec3::zeros());
    let motion = AlgebraicMotion::new(&screw).ok_or_else(|| Failure::Run("no motion".into()))?;
    let mut rows = Vec::new();
    let mut tests = Vec::new();
    for ratio in [1.0, 2.0, 4.0, 8.0, 15.0] {
        let tree = SphereTree::new(&cube, ratio * DETAIL_M).map_err(|e| run(&e))?;
        let mut search = SphereSearch::default();
        search.first_contact(&tree, &detailed, &start, &motion, &SphereOptions::default());
        let c = search.counters;
        let leaf_tests = c.edge_edge + c.vertex_face + c.face_vertex;
        tests.push(leaf_tests);
        let leaves = tree.nodes().len().div_ceil(2) as u64;
        rows.push(
            Row::new(
                format!("cube's leaves {ratio} times as large"),
                "tests",
                serde_json::Value::Null,
                leaf_tests,
            )
            .with("leaves", leaves)
            .with("sphere tests", c.spheres),
        );
    }
    let worst = tests[tests.len() - 1] as f64 / tests[0].max(1) as f64;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            worst > 4.0,
            format!(
                "one leaf over the whole cube costs {worst:.0} times the feature tests of equal leaves (published: a figure)"
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "a cube of 0.3 m above a torus (for the teapot) of {} leaf spheres of {} mm",
            detailed.nodes().len().div_ceil(2),
            1e3 * DETAIL_M
        )],
    })
}
