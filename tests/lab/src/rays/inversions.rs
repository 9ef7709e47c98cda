//! Figure 3.25 (chapter 3, section 4.2.2): two sheets fall on a ball, with and without the repair
//! of inversions.
//!
//! The upper sheet is faster and passes through the lower one within single steps. The solver gets
//! contacts only, like the source's. The source shows pictures; here the points of one sheet on the
//! wrong side of a nearby triangle of the other are counted, independently of the detection.

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_rays::Settings;
use serde_json::Value;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::rays::scenes::{HALF_THICKNESS_M, cloth_rays, sheets_on_a_ball};
use crate::rays::stage::Stage;

pub const EXPERIMENT: Experiment = Experiment {
    id: "rays-inversions",
    title: "figure 3.25: two sheets on a ball, with inversions put right and without",
    judges: Judges::Counts(&["--cells", "14", "--steps", "60"]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Squares a side of a sheet.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(4..=128))]
    cells: u32,
    /// Steps of 1/60 s.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(60..=6000))]
    steps: u32,
    /// How fast the upper sheet is thrown down on the lower one, m/s.
    #[arg(long, default_value_t = 0.5, value_parser = speed)]
    speed: f64,
}

fn speed(word: &str) -> Result<f64, String> {
    let speed: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if (0.0..=10.0).contains(&speed) {
        Ok(speed)
    } else {
        Err("0 to 10".into())
    }
}

/// Two layers at rest are two half thicknesses apart. Larger distances are ignored, so that the
/// other layer of a fold is not taken for the nearest.
const REACH_M: f64 = 3.0 * HALF_THICKNESS_M;
/// Name, whether inversions are repaired, whether the solver gets contacts only, and what the
/// source shows.
const RUNS: [(&str, bool, bool, Option<&str>); 4] = [
    ("without", false, true, Some("tangled and stuck")),
    ("with", true, true, Some("correct")),
    ("without, the solver gets predictions", false, false, None),
    ("with, the solver gets predictions", true, false, None),
];
/// Steps between two counts.
const EVERY: usize = 6;

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let settings = cloth_rays(options.cells);
    let mut curves = Vec::new();
    for (_, inversions, contacts_only, _) in RUNS {
        let rays = Settings {
            inversions,
            ..settings
        };
        let mut stage = sheets_on_a_ball(options.cells, rays, options.speed)?;
        stage.world_mut().set_contacts_only(contacts_only);
        let mut curve = Vec::new();
        for step in 1..=options.steps as usize {
            stage.step()?;
            if step % EVERY == 0 {
                curve.push(sides(&stage));
            }
        }
        curves.push(curve);
    }
    let mut rows = Vec::new();
    for ((what, _, _, published), curve) in RUNS.iter().zip(&curves) {
        let most = curve.iter().map(|c| c.wrong).max().unwrap_or(0);
        let last = curve.last().copied().unwrap_or_default();
        let published = published.map_or(Value::Null, Value::from);
        rows.push(
            Row::new(
                format!("{what}: pairs on the wrong side, end"),
                "",
                published,
                last.wrong,
            )
            .with("most", most)
            .with("on the right side, end", last.right),
        );
    }
    let end = |k: usize| curves[k].last().copied().unwrap_or_default();
    let (without, with) = (end(0), end(1));
    let share = |s: &Sides| 100.0 * s.wrong as f64 / (s.wrong + s.right).max(1) as f64;
    let wrong =
        |curve: &[Sides]| -> Value { curve.iter().map(|s| s.wrong).collect::<Vec<_>>().into() };
    Ok(Report {
        rows,
        verdict: Verdict::new(
            without.wrong >= 100 && share(&with) < 1.0,
            format!(
                "without, {} pairs of a point and a triangle near it are on the wrong side at the end ({:.1} %; to hold: 100 or more); with, {} ({:.2} %; below 1 %); where the solver gets predictions, too, as in the product, {} without and {} with",
                without.wrong,
                share(&without),
                with.wrong,
                share(&with),
                end(2).wrong,
                end(3).wrong
            ),
        ),
        more: [(
            "wrong".to_owned(),
            curves
                .iter()
                .map(|curve| wrong(curve))
                .collect::<Vec<_>>()
                .into(),
        )]
        .into_iter()
        .collect(),
        details: (RUNS.iter().zip(&curves))
            .map(|((what, ..), curve)| {
                let every = curve.chunks(5).filter_map(|c| c.last());
                let counts: Vec<_> = every.map(|s| s.wrong.to_string()).collect();
                format!("{what}, every half second: {}", counts.join(", "))
            })
            .collect(),
        notes: vec![format!(
            "two sheets of {} squares a side, the upper one at {} m/s; pairs nearer than {:.1} mm",
            options.cells,
            options.speed,
            1e3 * REACH_M
        )],
    })
}

#[derive(Clone, Copy, Default)]
struct Sides {
    right: usize,
    wrong: usize,
}

fn sides(stage: &Stage) -> Sides {
    let mut sides = Sides::default();
    let mut surfaces = stage.surfaces();
    let (Some(lower), Some(upper)) = (surfaces.next(), surfaces.next()) else {
        return sides;
    };
    let scene = stage.world().scene();
    let triangles = |object: u32| scene.shape(object).triangles().iter();
    for (points, onto, object, above) in [(upper, lower, 1, true), (lower, upper, 2, false)] {
        for v in triangles(object) {
            let corners = v.map(|v| onto[v as usize]);
            for p in points {
                if let Some(height) = height(p, &corners).filter(|h| h.abs() < REACH_M) {
                    if (height > 0.0) == above {
                        sides.right += 1;
                    } else {
                        sides.wrong += 1;
                    }
                }
            }
        }
    }
    sides
}

/// Returns the height of a point above a triangle, if its foot is inside.
fn height(p: &Vec3, [a, b, c]: &[Vec3; 3]) -> Option<f64> {
    // Usually one coordinate alone is far enough away.
    let longest = (b - a).amax().max((c - a).amax()).max((c - b).amax());
    if (p - a).amax() > longest + REACH_M {
        return None;
    }
    let n = (b - a).cross(&(c - a));
    let inside = |p0: &Vec3, p1: &Vec3| (p1 - p0).cross(&(p - p0)).dot(&n) >= 0.0;
    (inside(a, b) && inside(b, c) && inside(c, a)).then(|| (p - a).dot(&n) / n.norm())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heights_have_a_side_and_a_foot() {
        let corners = [Vec3::zeros(), Vec3::x(), Vec3::y()];
        let at = |z: f64| Vec3::new(0.3, 0.3, z);
        assert_eq!(height(&at(0.002), &corners), Some(0.002));
        assert_eq!(height(&at(-0.002), &corners), Some(-0.002));
        assert_eq!(height(&Vec3::new(0.9, 0.9, 0.001), &corners), None);
    }
}
