//! Figure 5.13: two primitives that meet, in the three modes: they fuse, touch flat, or touch flat
//! and bulge around the contact.

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Bulge, Graph};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skin};
use serde_json::Map;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{LEVEL, refused};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-modes",
    title: "figure 5.13: two primitives fuse, touch flat, or bulge around their contact",
    judges: Judges::Counts(&[]),
    run,
};

/// Half of the distance between the centres; each surface alone reaches 0.54.
const APART: f64 = 0.45;
const CELL: f64 = 0.04;

/// Observations of a mode.
struct Seen {
    pieces: usize,
    closed: bool,
    /// Largest distance of a vertex of the contact from the plane between the two.
    uneven: f64,
    /// Largest distance from the axis of the vertices next to the contact.
    width: f64,
    triangles: usize,
}

fn look(blending: Blending<'_>) -> Result<Seen, Failure> {
    let two = [-APART, APART].map(|x| Primitive::point(Vec3::new(x, 0.0, 0.0), 1.0));
    let domain = Domain::around(&two, LEVEL, CELL);
    let settings = Settings {
        domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
        level: LEVEL,
        ambiguity: Ambiguity::default(),
    };
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    skin.polygonize_by(&settings, &two, blending, &mut mesh)
        .map_err(|e| refused(&e))?;
    let points = || mesh.points.iter().map(|p| Vec3::from(p.map(f64::from)));
    let from_axis = |p: &Vec3| p.y.hypot(p.z);
    // Two balls of 0.54 meet in a circle of 0.3.
    let flat = points().filter(|p| from_axis(p) < 0.25 && p.x.abs() < 0.2);
    Ok(Seen {
        pieces: mesh.pieces(),
        closed: mesh.faults().open_edges == 0,
        uneven: flat.map(|p| p.x.abs()).fold(0.0, f64::max),
        width: points()
            .filter(|p| p.x.abs() < 0.12)
            .map(|p| from_axis(&p))
            .fold(0.0, f64::max),
        triangles: mesh.triangles.len(),
    })
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let nobody = Graph::new();
    let bulge = Bulge::new(0.1, 0.3, 0.15, LEVEL).map_err(|e| Failure::Run(e.to_string()))?;
    let free = look(Blending::Free)?;
    let flat = look(Blending::Inhibited(&nobody))?;
    let swollen = look(Blending::Bulging(&nobody, bulge))?;
    let row = |name: &str, published: &str, seen: &Seen| {
        Row::new(name, "pieces", published, seen.pieces)
            .with("contact off its plane", seen.uneven)
            .with("widest beside it", seen.width)
            .with("triangles", seen.triangles)
    };
    let closed = [&free, &flat, &swollen].iter().all(|s| s.closed);
    let holds = closed
        && (free.pieces, flat.pieces, swollen.pieces) == (1, 2, 2)
        && flat.uneven < 0.1 * CELL
        && swollen.uneven < 0.1 * CELL
        && swollen.width > flat.width + 0.5 * CELL;
    Ok(Report {
        rows: vec![
            row("free", "one body", &free),
            row("controlled", "flat contact", &flat),
            row("controlled, deformed", "and swollen around it", &swollen),
        ],
        verdict: Verdict::new(
            holds,
            format!(
                "1, 2 and 2 pieces as they should be: {}; contacts within {:.1e} and {:.1e} of their plane; {:.3} wide there and {:.3} bulging",
                (free.pieces, flat.pieces, swollen.pieces) == (1, 2, 2),
                flat.uneven,
                swollen.uneven,
                flat.width,
                swollen.width
            ),
        ),
        more: Map::new(),
        notes: vec![format!(
            "two points of radius 1, {} apart, level {LEVEL}, cubes of {CELL}; the bulge begins at 0.1, is 0.15 high at 0.3: the source gives no numbers",
            2.0 * APART
        )],
        details: Vec::new(),
    })
}
