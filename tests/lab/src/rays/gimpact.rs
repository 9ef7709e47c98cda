//! Figure 4.7 (chapter 4, section 3): the whole step compared with GIMPACT's, on S1.
//!
//! GIMPACT is part of Bullet and is used through Panda3D, whose wheels include it. Both get the
//! same meshes at the same positions above a plane. Both run on one thread; times are processor
//! times.

use std::path::PathBuf;

use clap::Parser;
use hapticd_geometry::transform;
use hapticd_rays::{Full, Settings};
use serde_json::{Value, json};

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::models::concave;
use crate::peer::Peer;
use crate::rays::looks::{alone, round};
use crate::rays::scenes::{parts, places, rigid_rays, together};
use crate::rays::stage::{FRICTION, STEP_S, failed};

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-gimpact",
    title: "figure 4.7: the whole step beside GIMPACT's, concave bodies fall on a plane (S1)",
    judges: Judges::Peer,
    run,
};

const PEER: Peer = Peer {
    script: include_str!("../../../peers/gimpact.py"),
    module: "panda3d",
    package: "panda3d==1.10.16",
};

#[derive(Parser)]
struct Options {
    /// Bodies; the source has 512.
    #[arg(long, default_value_t = 12, value_parser = clap::value_parser!(u32).range(2..=1000))]
    bodies: u32,
    /// Steps of 1/60 s; the source has 600.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// A Python that has `panda3d`, as `tests/peers/run gimpact` sets one up. Without, ours stands
    /// alone.
    #[arg(long)]
    peer: Option<String>,
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let settings = rigid_rays()?;
    let mut rows = Vec::new();
    let peer = match &options.peer {
        Some(python) => Some(ask(python, &options)?),
        None => None,
    };
    let mut factors = Vec::new();
    for (name, full, published) in [("basic", Full::Basic, 8.2), ("tree", Full::Tree, 8.9)] {
        let rays = Settings { full, ..settings };
        let ms = alone(|| ours(&options, rays))?;
        let mean = mean(&ms);
        rows.push(Row::new(
            format!("ours, iterative + {name}: step, mean"),
            "ms",
            Value::Null,
            round(mean),
        ));
        if let Some(theirs) = &peer {
            let factor = self::mean(theirs) / mean;
            rows.push(Row::new(
                format!("GIMPACT / ours, {name}"),
                "",
                published,
                round(factor),
            ));
            factors.push(factor);
        }
    }
    if let Some(theirs) = &peer {
        rows.push(Row::new(
            "GIMPACT: step, mean",
            "ms",
            Value::Null,
            round(mean(theirs)),
        ));
    }
    let verdict = match factors[..] {
        [basic, tree] => Verdict::new(
            basic >= 4.1 && tree >= 4.4,
            format!(
                "GIMPACT takes {basic:.1} times as long as ours with the basic algorithm (published: 8.2) and {tree:.1} times with the tree (8.9); to hold, half of that"
            ),
        ),
        _ => Verdict::new(false, "not compared: GIMPACT was not run (--peer)"),
    };
    Ok(Report {
        rows,
        verdict,
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "{} bodies (published: 512), {} steps (600); ours with four substeps of position-based dynamics, GIMPACT's with Bullet's solver as it comes: only the scene is the same",
            options.bodies, options.steps
        )],
    })
}

fn mean(ms: &[f64]) -> f64 {
    ms.iter().sum::<f64>() / ms.len().max(1) as f64
}

/// Returns the time of each of our steps, ms.
fn ours(options: &Options, rays: Settings) -> Result<Vec<f64>, Failure> {
    let mut stage = together(&parts(0)?, options.bodies, rays)?;
    (0..options.steps)
        .map(|_| {
            let start = Moment::now();
            stage.step()?;
            Ok(1e3 * start.elapsed().as_secs_f64())
        })
        .collect()
}

/// Returns the time of each of GIMPACT's steps, ms.
fn ask(python: &str, options: &Options) -> Result<Vec<f64>, Failure> {
    let parts = parts(0)?;
    let shapes: Vec<Value> = (concave::all()?.iter().zip(&parts))
        .map(|(mesh, part)| {
            let about = |p: &hapticd_geometry::Vec3| <[f64; 3]>::from(p - part.mass.center);
            json!({
                "mass": part.mass.mass,
                "vertices": mesh.positions().iter().map(about).collect::<Vec<_>>(),
                "triangles": mesh.triangles(),
            })
        })
        .collect();
    let bodies: Vec<Value> = (places(options.bodies).iter().enumerate())
        .map(|(k, pose)| {
            let shape = k % parts.len();
            let q = pose.rotation.coords;
            json!({
                "shape": shape,
                "t": <[f64; 3]>::from(transform(pose, &parts[shape].mass.center)),
                "q": [q.w, q.x, q.y, q.z],
            })
        })
        .collect();
    let request = json!({
        "step_s": STEP_S, "steps": options.steps, "friction": FRICTION, "shapes": shapes, "bodies": bodies,
    });
    let path: PathBuf =
        std::env::temp_dir().join(format!("lab-gimpact-{}.json", std::process::id()));
    std::fs::write(&path, request.to_string()).map_err(|e| failed(&e))?;
    let answer = PEER.run(python, &[path.display().to_string()]);
    let _ = std::fs::remove_file(&path);
    let answer = answer?;
    let below = answer["below"].as_u64();
    if below != Some(0) {
        return Err(Failure::Run(format!(
            "the peer: {below:?} bodies fell through the plane"
        )));
    }
    let seconds = answer["step_s"].as_array().into_iter().flatten();
    Ok(seconds.filter_map(Value::as_f64).map(|s| 1e3 * s).collect())
}
