//! E17 (section 4.3, figure 4.5): the part of a receding door that each level of the hierarchy
//! culls.

use hapticd_geometry::{Screw, Vec3};
use hapticd_published::backface::recede::recedes;
use hapticd_published::backface::{BackFaceCones, Strategy};
use serde_json::Value;

use super::door;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "redon-e17",
    title: "culled triangles by level of the hierarchy, door moving away",
    judges: Judges::Counts(&[]),
    run,
};

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let door = door::door()?;
    let (Some(tree), Some(mesh)) = (door.tree(), door.mesh()) else {
        return Err(Failure::Run("the door has no hierarchy".into()));
    };
    let cones = BackFaceCones::new(&door, 6, Strategy::TopDown)
        .map_err(|e| Failure::Run(format!("the door: {e}")))?;
    // Away from an eye above it, swinging slightly.
    let screw = Screw::from_twist(&-Vec3::z(), &Vec3::new(0.0, 0.15, 0.1), &Vec3::zeros());
    let triangles = mesh.triangles().len();
    let receding = (0..triangles)
        .filter(|&t| {
            let [p, q, r] = mesh.triangle(t);
            let n = (q - p).cross(&(r - p));
            [p, q, r].iter().all(|x| screw.velocity_of(x).dot(&n) < 0.0)
        })
        .count();
    let truth = receding as f64 / triangles as f64;
    let nodes = tree.nodes();
    let mut rows = Vec::new();
    let mut shares: Vec<f64> = Vec::new();
    for level in 0..=tree.depth() {
        let mut culled = 0;
        // All boxes of the level, and leaves above it.
        let mut waiting = vec![(0u32, 0)];
        while let Some((i, at)) = waiting.pop() {
            let node = &nodes[i as usize];
            if at < level && !node.is_leaf() {
                waiting.extend([(node.children(), at + 1), (node.children() + 1, at + 1)]);
            } else if recedes(&tree.obb(i), cones.of(i), &screw, 1.0) {
                let mut below = vec![i];
                while let Some(i) = below.pop() {
                    let node = &nodes[i as usize];
                    if node.is_leaf() {
                        culled += 1;
                    } else {
                        below.extend([node.children(), node.children() + 1]);
                    }
                }
            }
        }
        let share = f64::from(culled) / triangles as f64;
        shares.push(share);
        rows.push(Row::new(format!("level {level}"), "", Value::Null, share));
    }
    rows.push(Row::new("all that recede", "", Value::Null, truth));
    let rising = shares.windows(2).all(|w| w[0] <= w[1]);
    let last = shares.last().copied().unwrap_or(0.0);
    let bounded = last <= truth;
    Ok(Report {
        rows,
        verdict: Verdict::new(
            rising && bounded && last > 0.99 * truth,
            format!(
                "the share rises with the level: {rising}; the leaves cull {:.1} % of {:.1} % that recede (published: a figure, rising over levels 7, 9, 11, 14)",
                100.0 * last,
                100.0 * truth
            ),
        ),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            door::note(&door),
            "the other sheet of a closed door faces the way it goes, so about half of it recedes"
                .into(),
        ],
    })
}
