//! Today's bar: splatting the field onto a grid and VTK's Flying Edges over it, compared with ours,
//! on a chain of 64 primitives.
//!
//! This is not an experiment of the source, whose comparison with VTK dates from 2001
//! (`skin-scan`). The peer's time is the sum of two stages: the field by our own splatting, each
//! primitive onto the nodes that it reaches, in single precision; then VTK in the user's Python.
//! Times are processor times, the least of the runs, on one thread.

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skeleton, Skin};
use serde_json::{Map, Value};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::peer::Peer;
use crate::skin::scenes::refused;

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-peers",
    title: "a chain of 64 primitives beside splatting and VTK's Flying Edges (--peer PYTHON)",
    judges: Judges::Peer,
    run,
};

const VTK: Peer = Peer {
    script: include_str!("../../../peers/flying_edges.py"),
    module: "vtk",
    package: "vtk",
};

#[derive(Parser)]
struct Options {
    /// A Python that has `vtk`. Without, ours and the splatting stand alone.
    #[arg(long)]
    peer: Option<String>,
}

/// Cubes along an edge; radius; bar, ms.
const CASES: [(u32, f64, f64); 5] = [
    (64, 0.3, 2.7),
    (128, 0.3, 16.0),
    (64, 0.1, f64::NAN),
    (128, 0.1, f64::NAN),
    (256, 0.1, 21.0),
];
const LEVEL: f64 = 0.35;
const RUNS: u32 = 7;

/// Returns the chain of the bar, at rest.
fn chain(radius_m: f64) -> Vec<Primitive> {
    let at = |i: u8| {
        let s = f64::from(i) / 63.0;
        0.62 * Vec3::new((6.0 * s).sin(), (9.0 * s + 0.5).sin(), (5.0 * s).cos())
    };
    (0..64).map(|i| Primitive::point(at(i), radius_m)).collect()
}

/// Returns the least time of some runs, ms.
fn least(mut once: impl FnMut() -> Result<(), Failure>) -> Result<f64, Failure> {
    let mut best = f64::INFINITY;
    for _ in 0..RUNS {
        let start = Moment::now();
        once()?;
        best = best.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(best)
}

/// Makes a whole mesh with normals; all primitives move in every frame, so that nothing is reused.
fn ours(cells: u32, radius: f64) -> Result<(f64, usize), Failure> {
    let domain = Domain::new(Vec3::repeat(-1.0), 2.0 / f64::from(cells), [cells; 3]);
    let settings = Settings {
        domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
        level: LEVEL,
        ambiguity: Ambiguity::default(),
    };
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    let mut primitives = chain(radius);
    let mut by = 1e-6;
    let mut frame = || {
        by = -by;
        for primitive in &mut primitives {
            if let Skeleton::Point(at) = &mut primitive.skeleton {
                at.x += by;
            }
        }
        skin.polygonize(&settings, &primitives, &mut mesh)
            .map(drop)
            .map_err(|e| refused(&e))
    };
    // Memory grows in these.
    frame()?;
    frame()?;
    let ms = least(frame)?;
    Ok((ms, mesh.triangles.len()))
}

/// Samples the same field at all nodes of the grid: each primitive at those in its bounding cube.
fn splat(cells: u32, radius: f64) -> Result<f64, Failure> {
    let primitives = chain(radius);
    let n = cells as usize + 1;
    let step = 2.0 / cells as f32;
    let mut nodes = vec![0.0_f32; n.pow(3)];
    least(|| {
        nodes.fill(0.0);
        for primitive in &primitives {
            let centre = primitive.heart().map(|x| x as f32);
            let r = radius as f32;
            let range = |k: usize| {
                let low = ((centre[k] - r + 1.0) / step).ceil().max(0.0) as usize;
                let high = ((centre[k] + r + 1.0) / step).floor().max(0.0) as usize;
                low..(high + 1).min(n)
            };
            let square = |i: usize, k: usize| {
                let d = (i as f32 * step - 1.0 - centre[k]) / r;
                d * d
            };
            for z in range(2) {
                for y in range(1) {
                    let beside = square(z, 2) + square(y, 1);
                    let row = &mut nodes[(z * n + y) * n..(z * n + y + 1) * n];
                    for x in range(0) {
                        let rest = (1.0 - beside - square(x, 0)).max(0.0);
                        row[x] += rest * rest;
                    }
                }
            }
        }
        std::hint::black_box(&nodes);
        Ok(())
    })
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let theirs = match &options.peer {
        Some(python) => {
            let words = CASES.map(|(cells, radius, _)| format!("{cells}:{radius}"));
            Some(VTK.run(python, &words)?)
        }
        None => None,
    };
    let (mut rows, mut worst, mut over) = (Vec::new(), f64::INFINITY, Vec::new());
    for (k, (cells, radius, bar)) in CASES.into_iter().enumerate() {
        let (ms, triangles) = ours(cells, radius)?;
        let field = splat(cells, radius)?;
        let bar_text = if bar.is_nan() {
            Value::Null
        } else {
            Value::from(bar)
        };
        if ms > bar {
            over.push(format!("{cells}³"));
        }
        let mut row = Row::new(format!("radius {radius}, {cells}³"), "ms", bar_text, ms)
            .with("triangles", triangles)
            .with("splatting", field);
        let peer = theirs.as_ref().and_then(|t| t["rows"].get(k));
        if let Some(peer) = peer {
            let edges = 1e3 * peer["normals_s"].as_f64().unwrap_or(f64::NAN);
            let whole = field + edges;
            worst = worst.min(whole / ms);
            row = row
                .with("Flying Edges", edges)
                .with("theirs together", whole)
                .with("theirs over ours", whole / ms)
                .with("their triangles", peer["triangles"].clone());
        }
        rows.push(row);
    }
    let verdict = match &theirs {
        Some(peer) => Verdict::new(
            worst > 1.0 && over.is_empty(),
            format!(
                "at least {worst:.1} times as fast as splatting and Flying Edges with normals (VTK {}) in the same run; over their bar: {}",
                peer["version"].as_str().unwrap_or("?"),
                if over.is_empty() {
                    "none".into()
                } else {
                    over.join(", ")
                }
            ),
        ),
        None => Verdict::new(false, "not compared: VTK was not run (--peer)"),
    };
    Ok(Report {
        rows,
        verdict,
        more: Map::new(),
        notes: vec!["`published`: the bar, measured elsewhere as splatting and Flying Edges, without normals".into()],
        details: Vec::new(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triangle_counts_match() {
        // As many as Flying Edges makes.
        assert_eq!(ours(64, 0.3).unwrap().1, 24_420);
        assert_eq!(ours(64, 0.1).unwrap().1, 6_372);
        assert!(splat(32, 0.3).unwrap() > 0.0);
    }
}
