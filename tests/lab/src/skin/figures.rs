//! Figures 5.15 and 5.17: a character with one arm under control and one without, and an intestine
//! folded on itself.

use std::f64::consts::{PI, TAU};

use hapticd_geometry::Vec3;
use hapticd_skin::blend::{Blending, Graph};
use hapticd_skin::{Ambiguity, Domain, Mesh, Primitive, Settings, Skin};
use serde_json::Map;

use crate::clock::Moment;
use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::skin::scenes::{LEVEL, refused};

pub const EXPERIMENT: Experiment = Experiment {
    id: "skin-figures",
    title: "figures 5.15 and 5.17: control of chosen pairs only, and an intestine that is folded on itself",
    judges: Judges::CountsAndTime(&[]),
    run,
};

const CELL: f64 = 0.012;
/// Between an arm and the torso, equally far from both: outside of each alone.
const BESIDE: Vec3 = Vec3::new(0.385, 0.0, 0.6);
/// Edge of the intestine's cubes: gives as many triangles as in the source.
const GUT_CELL_M: f64 = 0.0017;
/// Time of a frame at 30 frames a second.
const FRAME_MS: f64 = 33.0;
const FRAMES: usize = 7;

fn settings(primitives: &[Primitive], cell: f64) -> Result<Settings, Failure> {
    let domain = Domain::around(primitives, LEVEL, cell);
    Ok(Settings {
        domain: domain.map_err(|e| Failure::Run(e.to_string()))?,
        level: LEVEL,
        ambiguity: Ambiguity::default(),
    })
}

/// Torso, and arms that hang next to it. An arm's lower part blends with its own arm, and the right
/// one's also with the torso.
fn character() -> (Vec<Primitive>, Graph) {
    let mut points: Vec<(Vec3, f64, usize)> = (0..9)
        .map(|k| (Vec3::z() * 0.15 * f64::from(k), 0.5, 0))
        .collect();
    for (side, lower) in [(-1.0, 1), (1.0, 2)] {
        for k in 0..4 {
            let t = f64::from(k) / 3.0;
            let at = Vec3::new(side * (0.2 + 0.36 * t), 0.0, 1.2 - 0.1 * t);
            points.push((at, 0.22, 0));
        }
        for k in 1..12 {
            let at = Vec3::new(side * 0.56, 0.0, 1.1 - 0.08 * f64::from(k));
            // The first ones belong to the shoulder.
            points.push((at, 0.22, if k > 2 { lower } else { 0 }));
        }
    }
    let torso = 9;
    let mut graph = Graph::new();
    for (a, one) in points.iter().enumerate() {
        for (b, other) in points.iter().enumerate().skip(a + 1) {
            let kept = a < torso && other.2 == 1 || one.2 + other.2 == 3 && one.2 * other.2 > 0;
            if !kept {
                graph.allow(a as u32, b as u32);
            }
        }
    }
    let points = points.iter().map(|(at, r, _)| Primitive::point(*at, *r));
    (points.collect(), graph)
}

/// Returns the winding number of the mesh at a point, by the solid angles of its triangles: 1
/// inside, 0 outside.
fn winding(mesh: &Mesh, at: &Vec3) -> f64 {
    let corner = |k: u32| Vec3::from(mesh.points[k as usize].map(f64::from)) - at;
    let angle = |t: &[u32; 3]| {
        let [a, b, c] = t.map(corner);
        let [la, lb, lc] = [a.norm(), b.norm(), c.norm()];
        let below = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        2.0 * a.dot(&b.cross(&c)).atan2(below)
    };
    mesh.triangles.iter().map(angle).sum::<f64>() / (4.0 * PI)
}

/// Two layers of ten runs each, of one strand of balls with a surface of about 6 mm, m.
fn intestine() -> (Vec<Primitive>, Graph) {
    let (run, pitch, layers, step) = (0.09, 0.0122, 2, 0.003);
    let radius = 0.006 / (1.0 - LEVEL.sqrt()).sqrt();
    let mut corners = Vec::new();
    for layer in 0..layers {
        for k in 0..10 {
            let along = if layer % 2 == 0 { k } else { 9 - k };
            let y = pitch * (f64::from(along) - 4.5);
            let z = pitch * f64::from(layer);
            let ends = [-0.5 * run, 0.5 * run].map(|x| Vec3::new(x, y, z));
            let forth = (k + 10 * layer) % 2 == 0;
            corners.extend(if forth { ends } else { [ends[1], ends[0]] });
        }
    }
    // From run to run by half circles, outwards.
    let mut course: Vec<Vec3> = Vec::new();
    for (k, pair) in corners.windows(2).enumerate() {
        let [a, b] = [pair[0], pair[1]];
        if k % 2 == 0 {
            let count = (run / step).round();
            course.extend((0..count as u32).map(|i| a + (b - a) * (f64::from(i) / count)));
        } else {
            let (middle, half) = (0.5 * (a + b), 0.5 * (a - b));
            let out = Vec3::x() * (a.x.signum() * half.norm());
            let count = (PI * half.norm() / step).round();
            course.extend((0..count as u32).map(|i| {
                let (sin, cos) = (0.5 * TAU * f64::from(i) / count).sin_cos();
                middle + half * cos + out * sin
            }));
        }
    }
    course.extend(corners.last());
    let ways: Vec<f64> = course.windows(2).map(|w| (w[1] - w[0]).norm()).collect();
    let mut graph = Graph::new();
    graph.strand(0, &ways, PI * radius);
    let points = course.iter().map(|at| Primitive::point(*at, radius));
    (points.collect(), graph)
}

struct Made {
    mesh: Mesh,
    ms: f64,
}

/// Makes the scene's mesh; the time is the least over some earlier frames in which everything
/// moves.
fn make(scene: &[Primitive], settings: &Settings, by: Blending<'_>) -> Result<Made, Failure> {
    let (mut skin, mut mesh, mut ms) = (Skin::default(), Mesh::default(), f64::INFINITY);
    for left in (0..FRAMES).rev() {
        let shift = Vec3::z() * 1e-3 * settings.domain.cell_m() * left as f64;
        let moved = scene
            .iter()
            .map(|p| Primitive::point(p.heart() + shift, p.radius_m));
        let moved: Vec<Primitive> = moved.collect();
        let start = Moment::now();
        skin.polygonize_by(settings, &moved, by, &mut mesh)
            .map_err(|e| refused(&e))?;
        ms = ms.min(1e3 * start.elapsed().as_secs_f64());
    }
    Ok(Made { mesh, ms })
}

fn run(context: &Context) -> Result<Report, Failure> {
    context.no_arguments()?;
    let (scene, graph) = character();
    let asked = settings(&scene, CELL)?;
    let free = make(&scene, &asked, Blending::Free)?;
    let kept = make(&scene, &asked, Blending::Union(&graph))?;
    let sides = [BESIDE.component_mul(&Vec3::new(-1.0, 1.0, 1.0)), BESIDE];
    let [left, right] = sides.map(|at| winding(&kept.mesh, &at));
    let melted = sides.map(|at| winding(&free.mesh, &at));
    // The uncontrolled half is unchanged, to the bit.
    let half = |mesh: &Mesh| {
        let mut half: Vec<[u32; 3]> = (mesh.points.iter())
            .filter(|p| p[0] > 0.2)
            .map(|p| p.map(f32::to_bits))
            .collect();
        half.sort_unstable();
        half
    };
    let same = half(&free.mesh) == half(&kept.mesh);
    let (gut, strand) = intestine();
    let asked = settings(&gut, GUT_CELL_M)?;
    let molten = make(&gut, &asked, Blending::Free)?;
    let creased = make(&gut, &asked, Blending::Union(&strand))?;
    let whole = |made: &Made| {
        let faults = made.mesh.faults();
        faults.open_edges == 0 && faults.pinched == 0 && made.mesh.pieces() == 1
    };
    let sound = [&free, &kept, &molten, &creased].into_iter().all(whole);
    let inside = |w: f64| (w - 1.0).abs() < 0.01;
    let apart = left.abs() < 0.01 && inside(right) && melted.iter().all(|w| inside(*w));
    let triangles = creased.mesh.triangles.len();
    let fits = (30_000..=50_000).contains(&triangles);
    let row = |name: &str, unit: &'static str, published: &str, made: &Made, ours: f64| {
        Row::new(name, unit, published, ours)
            .with("triangles", made.mesh.triangles.len())
            .with("ms", made.ms)
    };
    Ok(Report {
        rows: vec![
            row("5.15, arm without control", "inside", "melts", &kept, right),
            row("5.15, arm under control", "inside", "does not", &kept, left),
            row("5.15, no arm under control", "inside", "", &free, melted[0]),
            row("5.17, intestine", "triangles", "30,000 to 50,000", &creased, triangles as f64),
            row("5.17, without control", "triangles", "", &molten, molten.mesh.triangles.len() as f64),
        ],
        verdict: Verdict::new(
            sound && apart && same && fits,
            format!(
                "{}; the arm under control is {}, the other half of the figure is {}; {triangles} triangles of the intestine in {:.1} ms, {:.1} blended",
                if sound { "all meshes closed and in one piece" } else { "with faults" },
                if apart { "beside the torso and the other one melts into it" } else { "not what it should be" },
                if same { "the same to the bit" } else { "another" },
                creased.ms,
                molten.ms
            ),
        )
        .and_time(creased.ms < FRAME_MS),
        more: Map::new(),
        notes: vec![
            "inside: how often the mesh goes around a place between arm and torso that is outside of both alone; the source shows pictures without numbers".into(),
            "the cubes of the intestine are chosen for as many triangles as the source had, which exceeded its graphics hardware; a frame has 33 ms. It moves in `hapticd demo --scene intestine`".into(),
        ],
        details: Vec::new(),
    })
}
