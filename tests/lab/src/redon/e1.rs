//! E1 (section 2.6.4, table 2.1): what labels and tables save on sphere trees.

use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes};
use hapticd_published::algebraic::AlgebraicMotion;
use hapticd_published::spheres::{SphereOptions, SphereSearch, SphereTree};

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e1",
    title: "labels and tables on sphere trees: tests saved on large flat faces",
    judges: Judges::Counts(&[]),
    run,
};

const STEPS: u32 = 120;

/// Published: sphere/sphere, EE, VF, FV for each variant.
const PUBLISHED: [(&str, [u64; 4]); 4] = [
    ("no tables", [1_213_596, 87_284, 3_963, 3_858]),
    ("sphere table only", [1_017_112, 61_916, 3_155, 3_098]),
    ("feature tables only", [1_213_596, 20_717, 2_367, 2_317]),
    ("all four tables", [1_017_112, 20_717, 2_367, 2_317]),
];

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let run = |e: &dyn std::fmt::Display| Failure::Run(format!("the model: {e}"));
    let mesh = shapes::inner_corner(0.3, 0.1).map_err(|e| run(&e))?;
    let tree = SphereTree::new(&mesh, 0.012).map_err(|e| run(&e))?;
    let mut rows = Vec::new();
    let mut totals = Vec::new();
    let mut contacts: Vec<Vec<Option<u64>>> = Vec::new();
    for (k, (name, published)) in PUBLISHED.into_iter().enumerate() {
        let options = SphereOptions {
            sphere_table: k & 1 != 0,
            feature_tables: k & 2 != 0,
            ..SphereOptions::default()
        };
        let mut search = SphereSearch::default();
        let mut times = Vec::new();
        for step in 0..STEPS {
            let (from, to) = (path(step), path(step + 1));
            let motion = AlgebraicMotion::new(&Screw::between(&from, &to))
                .ok_or_else(|| Failure::Run("a step turns by half a turn".into()))?;
            let found = search.first_contact(&tree, &tree, &from, &motion, &options);
            times.push(found.map(|c| c.t.to_bits()));
        }
        let c = search.counters;
        let ours = [c.spheres, c.edge_edge, c.vertex_face, c.face_vertex];
        for ((kind, published), ours) in ["sphere/sphere", "EE", "VF", "FV"]
            .iter()
            .zip(published)
            .zip(ours)
        {
            rows.push(Row::new(
                format!("{name}: {kind}"),
                "tests",
                published,
                ours,
            ));
        }
        let total: u64 = published.iter().sum();
        rows.push(Row::new(
            format!("{name}: total"),
            "tests",
            total,
            c.tests(),
        ));
        totals.push(c.tests());
        contacts.push(times);
    }
    let saved = |k: usize| 1.0 - totals[k] as f64 / totals[0] as f64;
    rows.push(Row::new("saved by the sphere table", "", 0.171, saved(1)));
    rows.push(Row::new("saved by all four", "", 0.203, saved(3)));
    let same = contacts.iter().all(|c| *c == contacts[0]);
    let touched = contacts[0].iter().flatten().count();
    let fewer =
        totals[3] < totals[1] && totals[3] < totals[2] && totals[1].max(totals[2]) < totals[0];
    let holds = same && touched > 0 && fewer && (0.1..=0.6).contains(&saved(3));
    let why = format!(
        "contact times of all variants are {}; all four tables save {:.0} % (published: 20 %)",
        if same {
            "the same to the last bit"
        } else {
            "NOT the same"
        },
        100.0 * saved(3)
    );
    Ok(Report {
        rows,
        verdict: Verdict::new(holds, why),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "two identical inner corners of 0.3 m, {} leaf spheres of 12 mm each; A comes from afar, touches at mid-path and leaves, \
             {STEPS} steps, {touched} with a contact",
            tree.nodes().len().div_ceil(2)
        )],
    })
}

/// Far, close at half time, away again; turning slowly.
fn path(step: u32) -> Pose {
    let s = f64::from(step) / f64::from(STEPS);
    let away = (2.0 * s - 1.0).abs();
    let at = Vec3::new(0.25 + 0.9 * away, 0.1 * (s - 0.5), 0.2 + 0.5 * away);
    Pose::from_parts(
        at.into(),
        Quat::from_scaled_axis(Vec3::new(0.3, 0.5 * s, 1.2 * s)),
    )
}
