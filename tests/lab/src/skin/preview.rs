//! Section 5.6: previews of complex objects for a ray tracer, with thousands of overlapping
//! primitives.

use hapticd_geometry::Vec3;
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skin};
use serde_json::Map;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{LEVEL, Random, refused};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-preview",
    title: "section 5.6: previews of thousands of primitives, 4 to 6 s in 2001",
    judges: Judges::CountsAndTime(&[]),
    run,
};

/// Primitives, triangles and seconds of the source's two pictures.
const PICTURES: [(usize, usize, f64); 2] = [(5092, 35152, 4.0), (4918, 30498, 6.0)];

/// Returns this many primitives about a knotted curve, overlapping. The curve is long enough for
/// about as many triangles as published.
fn object(count: usize, seed: u64) -> Vec<Primitive> {
    let mut random = Random::new(seed);
    let point = |k: usize, random: &mut Random| {
        let t = std::f64::consts::TAU * k as f64 / count as f64;
        let ring = 12.0 + 4.0 * (7.0 * t).cos();
        let at = Vec3::new(
            ring * (2.0 * t).cos(),
            ring * (2.0 * t).sin(),
            4.0 * (7.0 * t).sin(),
        );
        Primitive::point(at + random.vector().add_scalar(-0.5) * 3.0, 1.0)
    };
    (0..count).map(|k| point(k, &mut random)).collect()
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (mut rows, mut worst, mut sound) = (Vec::new(), 0.0_f64, true);
    for (seed, (count, triangles, seconds)) in (1..).zip(PICTURES) {
        let primitives = object(count, seed);
        let domain = Domain::around(&primitives, LEVEL, 0.5);
        let settings = Settings {
            domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
            level: LEVEL,
            ambiguity: Ambiguity::default(),
        };
        // Run alone: memory grows as it goes.
        let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
        let start = Moment::now();
        skin.polygonize(&settings, &primitives, &mut mesh)
            .map_err(|e| refused(&e))?;
        let ours = start.elapsed().as_secs_f64();
        sound &= mesh.faults().open_edges == 0;
        worst = worst.max(ours);
        rows.push(
            Row::new(format!("{count} primitives"), "s", seconds, ours)
                .with("published triangles", triangles)
                .with("triangles", mesh.triangles.len()),
        );
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(
            sound,
            format!(
                "at most {worst:.3} s for a first mesh (bar 1 s), {}",
                if sound { "closed" } else { "with open edges" }
            ),
        )
        .and_time(worst < 1.0),
        more: Map::new(),
        notes: vec!["the objects are lost: points about a knotted curve, overlapping so that about as many triangles are left as published".into()],
        details: Vec::new(),
    })
}
