//! Figure 5.11 and 5.12 (section 5.3): the cost of controlling which primitives blend, on a coil
//! with turns that touch.

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge};
use hapticd_skin::{Ambiguity, Domain, Faults, Settings};
use serde_json::Map;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{LEVEL, coil, shiver};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-control",
    title: "figures 5.11 and 5.12: the cost of controlled blending on a coil whose turns touch, up to 8 times",
    judges: Judges::CountsAndTime(&["--frames", "10"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Frames of each run.
    #[arg(long, default_value_t = 40, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    frames: u32,
    /// Points of the coil; the source does not say.
    #[arg(long, default_value_t = 180, value_parser = clap::value_parser!(u32).range(40..=2000))]
    points: u32,
}

/// From turns that barely touch to turns deep in each other: the surface's radius is 0.54.
const PITCHES: [f64; 5] = [2.2, 1.6, 1.3, 1.1, 0.9];
const CELL: f64 = 0.27;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let domain = Domain::new(Vec3::new(-4.5, -4.5, -7.0), CELL, [34, 34, 52]);
    let settings = Settings {
        domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
        level: LEVEL,
        ambiguity: Ambiguity::default(),
    };
    let bulge = Bulge::new(0.1, 0.3, 0.15, LEVEL).map_err(|e| Failure::Run(e.to_string()))?;
    let (mut rows, mut worst, mut sound) = (Vec::new(), 0.0_f64, true);
    for pitch in PITCHES {
        let (primitives, graph) = coil(pitch, options.points, CELL);
        let (free, _, _) = shiver(&settings, &primitives, Blending::Free, options.frames)?;
        let by = Blending::Inhibited(&graph);
        let (controlled, mesh, report) = shiver(&settings, &primitives, by, options.frames)?;
        let by = Blending::Bulging(&graph, bulge);
        let (bulging, swollen, _) = shiver(&settings, &primitives, by, options.frames)?;
        let faults = [&mesh, &swollen].map(|m| m.faults());
        let whole = |f: &Faults| f.open_edges == 0 && f.pinched == 0;
        sound &= faults.iter().all(whole) && report.control.dropped == 0;
        worst = worst.max(controlled / free);
        rows.push(
            Row::new(
                format!("pitch {pitch}"),
                "times",
                "up to 8",
                controlled / free,
            )
            .with("free, ms", free)
            .with("controlled, ms", controlled)
            .with("bulging, ms", bulging)
            .with("triangles", mesh.triangles.len())
            .with("cubes with two classes", report.control.shared)
            .with("... and triangles of both", report.control.doubled)
            .with("cubes without classes", report.control.torn),
        );
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            sound,
            format!(
                "at most {worst:.1} times as slow (published up to 8; our own bar is 3), {}",
                if sound {
                    "all meshes closed, none pinched"
                } else {
                    "with faults"
                }
            ),
        )
        .and_time(worst < 3.0),
        more: Map::new(),
        notes: vec![format!(
            "{} points of radius 1 on four turns of radius 2.5, cubes of {CELL}: the digest's coil (section 4.6); those within 2 R + sqrt(3) h along the wire blend",
            options.points
        )],
        details: Vec::new(),
    })
}
