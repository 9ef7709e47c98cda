//! Figure 5.10 (section 5.2.2): against polygonizers that visit every cube of a grid, as VTK's and
//! GTS's did.
//!
//! The comparison is with a plain Marching Cubes over all cubes of the same grid. Its time excludes
//! filling the grid, as in the source. (For today's peers see `skin-peers`.)

use clap::Parser;
use hapticd_geometry::Vec3;
use hapticd_skin::table::{CORNERS, EDGES};
use hapticd_skin::{Ambiguity, Table};
use serde_json::Map;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{BOX, Drops, HIGH, LEVEL, NORMAL, fly, line};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-scan",
    title: "figure 5.10: a floor for a scan of the whole grid, a line through zero for ours",
    judges: Judges::Time,
    run,
};

#[derive(Parser)]
struct Options {
    /// Frames of each run.
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u32).range(3..=10_000))]
    frames: u32,
}

/// Potentials at all nodes of a cubic grid, single precision.
struct Field {
    nodes: usize,
    values: Vec<f32>,
}

impl Field {
    fn of(drops: &Drops, cell: f64) -> Field {
        let nodes = ((BOX + 2.2) / cell).ceil() as usize + 1;
        let mut values = vec![0.0_f32; nodes.pow(3)];
        let low = Vec3::repeat(-1.1);
        for primitive in &drops.primitives {
            let (a, b) = primitive.bounds();
            let at = |p: Vec3| ((p - low) / cell).map(|x| x.max(0.0) as usize);
            let (a, b) = (at(a), at(b));
            for z in a.z..=(b.z + 1).min(nodes - 1) {
                for y in a.y..=(b.y + 1).min(nodes - 1) {
                    for x in a.x..=(b.x + 1).min(nodes - 1) {
                        let place = low + cell * Vec3::new(x as f64, y as f64, z as f64);
                        values[(z * nodes + y) * nodes + x] += primitive.value(&place) as f32;
                    }
                }
            }
        }
        Field { nodes, values }
    }

    /// Visits every cube and makes every vertex where it is needed; returns milliseconds and
    /// triangles.
    fn scan(&self) -> (f64, usize) {
        let table = Table::of(Ambiguity::Separate);
        let n = self.nodes;
        let mut points: Vec<[f32; 3]> = Vec::new();
        let start = Moment::now();
        for z in 0..n - 1 {
            for y in 0..n - 1 {
                for x in 0..n - 1 {
                    let value = |c: usize| {
                        let [i, j, k] = CORNERS[c].map(usize::from);
                        self.values[((z + k) * n + y + j) * n + x + i]
                    };
                    let index =
                        (0..8).fold(0, |all, c| all | usize::from(value(c) > LEVEL as f32) << c);
                    if index == 0 || index == 255 {
                        continue;
                    }
                    for triangle in table.0[index].triangles() {
                        for edge in triangle {
                            let [a, b] = EDGES[usize::from(*edge)].map(usize::from);
                            let share = (LEVEL as f32 - value(a)) / (value(b) - value(a));
                            let cube = [x, y, z];
                            points.push([0, 1, 2].map(|k| {
                                let [p, q] = [a, b].map(|c| f32::from(CORNERS[c][k]));
                                cube[k] as f32 + p + share * (q - p)
                            }));
                        }
                    }
                }
            }
        }
        (1e3 * start.elapsed().as_secs_f64(), points.len() / 3)
    }
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let (mut rows, mut floors, mut passing) = (Vec::new(), Vec::new(), true);
    for (name, cell) in [("normal", NORMAL), ("high", HIGH)] {
        let (mut theirs, mut ours) = (Vec::new(), Vec::new());
        for count in [1, 10, 50, 100, 200] {
            let cost = fly(count, cell, options.frames)?;
            let field = Field::of(&Drops::new(count, 11), cell);
            let runs = (0..3).map(|_| field.scan());
            let (ms, triangles) = runs.min_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
            theirs.push((count as f64, ms));
            ours.push((count as f64, cost.ms));
            rows.push(
                Row::new(
                    format!("{count} primitives, {name}"),
                    "ms",
                    "at least 80",
                    ms,
                )
                .with("ours, field included", cost.ms)
                .with("triangles", triangles)
                .with("cubes", (field.nodes - 1).pow(3)),
            );
        }
        let (floor, fit) = (line(&theirs).intercept, line(&ours));
        let last = ours.last().map_or(f64::NAN, |p| p.1);
        // A floor: most of the cost of the whole grid when it is almost empty.
        passing &= floor > 0.5 * theirs[0].1 && fit.intercept.abs() < 0.1 * last;
        floors.push(format!("{name}: {floor:.2} ms beside {:.3}", fit.intercept));
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            passing,
            format!("with no primitives, theirs against ours: {}", floors.join(", ")),
        ),
        more: Map::new(),
        notes: vec![
            "the source's grids are not given; theirs has no normals and shares no vertices, and its field is computed before timing starts".into(),
        ],
        details: Vec::new(),
    })
}
