//! A ball drawn along prescribed paths over meshes: the force compared with the smooth truth that
//! the meshes represent, for the bare mesh and with the product's force shading.

use std::f64::consts::TAU;
use std::path::PathBuf;

use clap::Parser;
use hapticd_geometry::{MeshError, Pose, TriMesh, Vec3, shapes};
use hapticd_proxy::{ArmOutcome, Damping, Distances, Gains, Interaction, Material};
use rayon::prelude::*;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};
use crate::redon::bench::{Bench, Setting, WIDTH_M};
use crate::svg::{Axis, COLOURS, Frame, Point, Svg};

mod corners;
mod peg;
mod ripple;
mod volume;

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-fidelity",
    title: "force beside the smooth truth: planes, spheres, torus, cylinder, corners, ripple, pegs, volumes",
    judges: Judges::Counts(&[]),
    run,
};

#[derive(Parser)]
struct Options {
    /// Writes a picture of forces on the default sphere to this file.
    #[arg(long)]
    svg: Option<PathBuf>,
}

/// Stiffness of the coupling, N/m.
const STIFFNESS: f64 = 800.0;
/// Reference force for relative errors, N.
const FULL_N: f64 = 4.0;
/// Radii of balls, m; the first is a point.
const BALLS_M: [f64; 3] = [0.0, 0.001, 0.005];
/// Ticks of a path, and ticks before the measurement starts.
const TICKS: usize = 6000;
const APPROACH: usize = 200;
/// Bar: RMS error of the whole force on the bodies of default configurations.
const DEFAULT_BAR: f64 = 0.01;
/// Bar on planes: the whole error, and the part across the path.
const PLANE_BAR: f64 = 1e-3;
const RIPPLE_N: f64 = 1e-3;
/// Bar of the proxy against the exact god-object of the polyhedron.
const GOD_BAR: f64 = 5e-3;
/// Bar: energy of a closed path over the energy that a deflection of its depth stores.
const LOOP_BAR: f64 = 1e-3;

/// True surface of a body: signed distance of a point from it, and the outward direction.
type Truth = fn(&Vec3) -> (f64, Vec3);
/// A point on the surface and the outward direction there, after a fraction of the path.
type Path = fn(f64) -> (Vec3, Vec3);

#[derive(Clone, Copy)]
struct Body {
    name: &'static str,
    mesh: fn() -> Result<TriMesh, MeshError>,
    truth: Truth,
    path: Path,
    /// A body of a default configuration, to which the bar applies.
    is_default: bool,
    convex: bool,
}

fn ball(p: &Vec3, radius_m: f64) -> (f64, Vec3) {
    (p.norm() - radius_m, p.normalize())
}

/// A rosette over a sphere: every direction across the facets.
fn over_ball(share: f64, radius_m: f64) -> (Vec3, Vec3) {
    let (a, b) = (TAU * (1.0 * share + 0.13), 0.9 * (TAU * 2.6 * share).sin());
    let out = Vec3::new(a.cos() * b.cos(), a.sin() * b.cos(), b.sin());
    (out * radius_m, out)
}

fn torus(p: &Vec3) -> (f64, Vec3) {
    let off = p - Vec3::new(p.x, p.y, 0.0).normalize() * 0.05;
    (off.norm() - 0.015, off.normalize())
}

/// Around the tube and along it: curvatures of either sign in both directions.
fn over_torus(share: f64) -> (Vec3, Vec3) {
    let (along, around) = (TAU * 0.8 * share + 0.1, TAU * 2.3 * share);
    let ring = Vec3::new(along.cos(), along.sin(), 0.0);
    let out = ring * around.cos() + Vec3::z() * around.sin();
    (ring * 0.05 + out * 0.015, out)
}

fn cylinder(p: &Vec3) -> (f64, Vec3) {
    let out = Vec3::new(p.x, p.y, 0.0);
    (out.norm() - 0.03, out.normalize())
}

fn over_cylinder(share: f64) -> (Vec3, Vec3) {
    let around = TAU * 1.3 * share + 0.02;
    let out = Vec3::new(around.cos(), around.sin(), 0.0);
    (
        out * 0.03 + Vec3::z() * (0.035 * (TAU * 3.0 * share).sin()),
        out,
    )
}

fn plane(p: &Vec3) -> (f64, Vec3) {
    (p.z, Vec3::z())
}

fn over_plane(share: f64) -> (Vec3, Vec3) {
    let (a, b) = ((TAU * 3.0 * share).sin(), (TAU * 2.1 * share).cos());
    (Vec3::new(0.06 * a, 0.06 * b, 0.0), Vec3::z())
}

const fn body(
    name: &'static str,
    mesh: fn() -> Result<TriMesh, MeshError>,
    truth: Truth,
    path: Path,
) -> Body {
    Body {
        name,
        mesh,
        truth,
        path,
        is_default: false,
        convex: false,
    }
}

const fn by_default(body: Body) -> Body {
    Body {
        is_default: true,
        ..body
    }
}

const fn convex(body: Body) -> Body {
    Body {
        convex: true,
        ..body
    }
}

const R50: Truth = |p| ball(p, 0.05);
const R20: Truth = |p| ball(p, 0.02);
const OVER50: Path = |s| over_ball(s, 0.05);
const OVER20: Path = |s| over_ball(s, 0.02);

const PLANES: [Body; 3] = [
    body(
        "plane of 2 triangles",
        || shapes::sheet(0.1, 1),
        plane,
        over_plane,
    ),
    body(
        "plane of 200 triangles",
        || shapes::sheet(0.1, 10),
        plane,
        over_plane,
    ),
    body(
        "plane of 20,000 triangles",
        || shapes::sheet(0.1, 100),
        plane,
        over_plane,
    ),
];

const CURVED: [Body; 9] = [
    convex(body(
        "sphere, R 50 mm, L/R 0.28",
        || shapes::icosphere(0.05, 2),
        R50,
        OVER50,
    )),
    by_default(convex(body(
        "sphere, R 50 mm, L/R 0.14 (default)",
        || shapes::icosphere(0.05, 3),
        R50,
        OVER50,
    ))),
    convex(body(
        "sphere, R 50 mm, L/R 0.07",
        || shapes::icosphere(0.05, 4),
        R50,
        OVER50,
    )),
    convex(body(
        "sphere, R 50 mm, L/R 0.035",
        || shapes::icosphere(0.05, 5),
        R50,
        OVER50,
    )),
    convex(body(
        "sphere, R 20 mm, L/R 0.28",
        || shapes::icosphere(0.02, 2),
        R20,
        OVER20,
    )),
    convex(body(
        "sphere, R 20 mm, L/R 0.14",
        || shapes::icosphere(0.02, 3),
        R20,
        OVER20,
    )),
    convex(body(
        "sphere, R 20 mm, L/R 0.07",
        || shapes::icosphere(0.02, 4),
        R20,
        OVER20,
    )),
    by_default(body(
        "torus 50 and 15 mm, 64 x 24 (default)",
        || shapes::torus(0.05, 0.015, 64, 24),
        torus,
        over_torus,
    )),
    by_default(convex(body(
        "cylinder, R 30 mm, 48 sides (default)",
        || shapes::cylinder(0.03, 0.05, 48),
        cylinder,
        over_cylinder,
    ))),
];

/// Errors of a path, as fractions of [`FULL_N`] except for the angle.
#[derive(Clone, Copy, Default)]
struct Errors {
    /// Error of the whole force: RMS and largest.
    whole: [f64; 2],
    /// Error of its magnitude: RMS, p99, largest.
    size: [f64; 3],
    /// Error of its direction, degrees: RMS, p99, largest.
    degrees: [f64; 3],
    /// Largest component across the true force, N.
    across_n: f64,
    /// Largest distance of the rendered proxy from the proxy, m.
    apart_m: f64,
}

fn spread(mut values: Vec<f64>) -> [f64; 3] {
    values.sort_by(f64::total_cmp);
    let square: f64 = values.iter().map(|v| v * v).sum();
    let rms = (square / values.len().max(1) as f64).sqrt();
    let at = |share: f64| {
        let last = values.len().saturating_sub(1);
        values
            .get((share * last as f64) as usize)
            .copied()
            .unwrap_or_default()
    };
    [rms, at(0.99), at(1.0)]
}

/// Computes errors of pairs of forces, ours and true.
fn errors(forces: &[(Vec3, Vec3)]) -> Errors {
    let whole = forces.iter().map(|(f, t)| (f - t).norm() / FULL_N);
    let whole = spread(whole.collect());
    let size = forces
        .iter()
        .map(|(f, t)| (f.norm() - t.norm()).abs() / FULL_N);
    let told = forces.iter().filter(|(_, t)| t.norm() > 0.1);
    let angle = told
        .clone()
        .map(|(f, t)| f.cross(t).norm().atan2(f.dot(t)).to_degrees());
    let across = told.map(|(f, t)| f.cross(&t.normalize()).norm());
    Errors {
        whole: [whole[0], whole[2]],
        size: spread(size.collect()),
        degrees: spread(angle.collect()),
        across_n: across.fold(0.0, f64::max),
        apart_m: 0.0,
    }
}

/// Returns the stiffness of the spring: too high by 2 % if a fault is planted.
fn stiffness(mutant: bool) -> f64 {
    if mutant { 1.02 * STIFFNESS } else { STIFFNESS }
}

fn setting(gains: Gains) -> Setting {
    Setting {
        gains,
        damping: Damping::default(),
        interaction: Interaction::Spring,
        period_s: 1e-3,
        delay: 0,
    }
}

fn material(force_shading: bool) -> Material {
    Material {
        stiffness_n_per_m: 1e12,
        damping_n_s_per_m: 0.0,
        friction: 0.0,
        force_shading,
    }
}

/// Returns a bench with a ball before a body at a pose.
fn bench_at(
    mesh: &TriMesh,
    pose: Pose,
    ball_m: f64,
    force_shading: bool,
    mutant: bool,
) -> Result<Bench, Failure> {
    let gains = Gains {
        stiffness_n_per_m: stiffness(mutant),
        ..Gains::default()
    };
    Bench::of(
        Ok(ball_m),
        mesh,
        pose,
        &setting(gains),
        material(force_shading),
    )
}

fn bench(mesh: &TriMesh, ball_m: f64, force_shading: bool, mutant: bool) -> Result<Bench, Failure> {
    bench_at(mesh, Pose::identity(), ball_m, force_shading, mutant)
}

/// Rises smoothly from 0 at 0 to 1 at 1, at rest at both ends.
fn smooth(share: f64) -> f64 {
    let u = share.clamp(0.0, 1.0);
    u * u * (3.0 - 2.0 * u)
}

/// One part of the experiment: rows, whether the bars are met, and the deciding figures.
struct Part {
    rows: Vec<Row>,
    holds: bool,
    said: String,
}

/// Returns the depth of the hand at a tick, m: above at first, then 0.5 to 5 mm under the offset
/// surface.
fn depth_m(tick: usize) -> f64 {
    if tick < APPROACH {
        return -1e-3 + 1.5e-3 * tick as f64 / APPROACH as f64;
    }
    let share = (tick - APPROACH) as f64 / (TICKS - APPROACH) as f64;
    2.75e-3 - 2.25e-3 * (TAU * 7.3 * share).cos()
}

/// Returns the hand's position on its path.
fn hand(body: &Body, out_m: f64, tick: usize) -> Vec3 {
    let (on, out) = (body.path)(tick as f64 / TICKS as f64);
    on + out * (out_m - depth_m(tick))
}

fn out_m(ball_m: f64) -> f64 {
    ball_m + Distances::for_width(WIDTH_M).safe_m
}

/// Returns hand and outcome of every tick.
fn drawn(
    body: &Body,
    ball_m: f64,
    shaded: bool,
    mutant: bool,
) -> Result<Vec<(Vec3, ArmOutcome)>, Failure> {
    let mesh = (body.mesh)().map_err(|e| Failure::Run(e.to_string()))?;
    let mut bench = bench(&mesh, ball_m, shaded, mutant)?;
    let out_m = out_m(ball_m);
    let ticks = (0..TICKS).map(|tick| {
        let at = hand(body, out_m, tick);
        (at, bench.tick(&Pose::translation(at.x, at.y, at.z)).0)
    });
    Ok(ticks.collect())
}

/// Compares ours with the truth of the offset surface.
fn beside_truth(body: &Body, ball_m: f64, shaded: bool, mutant: bool) -> Result<Errors, Failure> {
    let ticks = drawn(body, ball_m, shaded, mutant)?;
    let out_m = out_m(ball_m);
    let pressed = &ticks[APPROACH..];
    let forces: Vec<_> = pressed
        .iter()
        .map(|(at, outcome)| {
            let (distance, out) = (body.truth)(at);
            let truth = out * (STIFFNESS * (out_m - distance).max(0.0));
            (outcome.wrench.force_n, truth)
        })
        .collect();
    let apart = pressed.iter().map(|(_, outcome)| {
        let felt = outcome.spring.far_end.translation.vector;
        (felt - outcome.proxy.translation.vector).norm()
    });
    Ok(Errors {
        apart_m: apart.fold(0.0, f64::max),
        ..errors(&forces)
    })
}

/// The exact god-object of a convex polyhedron. It stays on its facet until the foot of the hand
/// leaves that, then moves to the facet beyond the edge (Zilles and Salisbury 1995, without
/// intermediate numerics).
struct God {
    mesh: TriMesh,
    face: usize,
}

impl God {
    fn new(mesh: TriMesh, at: &Vec3) -> Self {
        let middle = |face: usize| mesh.triangle(face).iter().sum::<Vec3>() / 3.0;
        let faces = 0..mesh.triangles().len();
        let off = |face: usize| (middle(face) - at).norm();
        let face = faces.min_by(|a, b| off(*a).total_cmp(&off(*b)));
        let face = face.unwrap_or(0);
        God { mesh, face }
    }

    /// Returns its position, `out_m` outside the facets.
    fn at(&mut self, hand: &Vec3, out_m: f64) -> Vec3 {
        for _ in 0..100 {
            let [a, b, c] = self.mesh.triangle(self.face);
            let normal = (b - a).cross(&(c - a)).normalize();
            let foot = hand - normal * normal.dot(&(hand - a));
            let sides = [(a, b), (b, c), (c, a)];
            let beyond =
                sides.map(|(p, q)| (q - p).cross(&(foot - p)).dot(&normal) / (q - p).norm());
            let worst = (0..3).min_by(|i, j| beyond[*i].total_cmp(&beyond[*j]));
            let worst = worst.filter(|side| beyond[*side] < -1e-12);
            let next = worst.and_then(|side| {
                let corners = self.mesh.triangles()[self.face];
                let (p, q) = (corners[side], corners[(side + 1) % 3]);
                let mut all = self.mesh.triangles().iter().enumerate();
                all.find(|(face, t)| *face != self.face && t.contains(&p) && t.contains(&q))
            });
            match next {
                Some((face, _)) => self.face = face,
                None => return foot + normal * out_m,
            }
        }
        *hand
    }
}

/// For a point: returns the RMS difference of the plain proxy's force from the god-object's.
fn beside_god(body: &Body) -> Result<f64, Failure> {
    let mesh = (body.mesh)().map_err(|e| Failure::Run(e.to_string()))?;
    let ticks = drawn(body, 0.0, false, false)?;
    let out_m = out_m(0.0);
    let mut god = God::new(mesh, &ticks[0].0);
    let forces: Vec<_> = ticks
        .iter()
        .map(|(at, outcome)| {
            let place = god.at(at, out_m);
            (outcome.wrench.force_n, (place - at) * STIFFNESS)
        })
        .collect();
    Ok(errors(&forces[APPROACH..]).whole[0])
}

/// Returns the work of the force over a closed path, by trapezoids, J.
fn work(ring: &[(Vec3, Vec3)]) -> f64 {
    let pairs = ring.windows(2);
    pairs
        .map(|w| ((w[0].1 + w[1].1) / 2.0).dot(&(w[1].0 - w[0].0)))
        .sum()
}

/// Moves over the default sphere at 1 mm and back at 5 mm, in steps of 5 um. Returns the energy
/// over what the deflection stores, for the rendered force, and for the mutant: the proxy's force
/// turned to the smooth normal.
fn rings() -> Result<[f64; 2], Failure> {
    let mesh = shapes::icosphere(0.05, 3).map_err(|e| Failure::Run(e.to_string()))?;
    let mut worst = [0.0_f64; 2];
    for from in [0.1, 0.83, 2.02] {
        let mut bench = bench(&mesh, 0.0, true, false)?;
        let out = 0.05 + out_m(0.0);
        let at = |angle: f64, depth: f64| {
            let way = Vec3::new(angle.cos(), 0.6 * angle.sin(), 0.8 * angle.sin());
            way * (out - depth)
        };
        let to = from + 0.11;
        let corners = [
            (from, -1e-3),
            (from, 1e-3),
            (to, 1e-3),
            (to, 5e-3),
            (from, 5e-3),
            (from, 1e-3),
        ];
        let (mut felt, mut turned) = (Vec::new(), Vec::new());
        for (leg, ends) in corners.windows(2).enumerate() {
            let ((a0, d0), (a1, d1)): ((f64, f64), (f64, f64)) = (ends[0], ends[1]);
            let count = ((0.05 * (a1 - a0)).hypot(d1 - d0) / 5e-6).ceil();
            for k in 0..=count as usize {
                let share = k as f64 / count;
                let hand = at(a0 + (a1 - a0) * share, d0 + (d1 - d0) * share);
                let outcome = bench.tick(&Pose::translation(hand.x, hand.y, hand.z)).0;
                if leg > 0 {
                    let force = outcome.wrench.force_n;
                    let depth = (outcome.proxy.translation.vector - hand).norm();
                    felt.push((hand, force));
                    turned.push((hand, force.normalize() * (STIFFNESS * depth)));
                }
            }
        }
        let stored = 0.5 * STIFFNESS * 5e-3 * 5e-3;
        worst[0] = worst[0].max(work(&felt).abs() / stored);
        worst[1] = worst[1].max(work(&turned).abs() / stored);
    }
    Ok(worst)
}

/// Draws the force across the true one along the path on the default sphere: the mesh's and the
/// rendered one.
fn picture() -> Result<String, Failure> {
    let sphere = CURVED.iter().find(|body| body.is_default);
    let Some(sphere) = sphere else {
        return Err(Failure::Run("there is no sphere".into()));
    };
    let across = |shaded: bool| -> Result<Vec<Point>, Failure> {
        let ticks = drawn(sphere, 0.001, shaded, false)?;
        let window = ticks.iter().enumerate().skip(1000).take(1500);
        Ok(window
            .map(|(tick, (at, outcome))| {
                let (_, out) = (sphere.truth)(at);
                let (_, on) = (sphere.path)((tick + 1) as f64 / TICKS as f64);
                let along = (on - out * on.dot(&out)).normalize();
                [tick as f64 * 1e-3, outcome.wrench.force_n.dot(&along)]
            })
            .collect())
    };
    let (plain, felt) = (across(false)?, across(true)?);
    let mut svg = Svg::new(900.0, 320.0);
    let frame = Frame {
        place: [70.0, 30.0, 640.0, 230.0],
        x: Axis::linear("s", [1.0, 2.5]),
        y: Axis::linear("N along the path; a sphere gives none", [-0.35, 0.35]),
    };
    frame.axes(&mut svg);
    frame.names(&mut svg, &["with force shading", "as a mesh"]);
    svg.line(&frame.all(&plain), COLOURS[1], 1.0);
    svg.line(&frame.all(&felt), COLOURS[0], 1.5);
    Ok(svg.finish())
}

fn row(name: String, bar: serde_json::Value, of: &Errors) -> Row {
    Row::new(name, "% of 4 N, RMS", bar, 1e2 * of.whole[0])
        .with("largest, %", 1e2 * of.whole[1])
        .with(
            "size: RMS, p99, largest, %",
            of.size.map(|e| 1e2 * e).to_vec(),
        )
        .with("angle: RMS, p99, largest, deg", of.degrees.to_vec())
        .with("largest across, N", of.across_n)
        .with("felt from proxy, mm", 1e3 * of.apart_m)
}

/// Runs planes and curved bodies.
fn bodies(context: &Context) -> Result<Part, Failure> {
    let is_quick = |body: &Body| body.is_default || body.name == PLANES[1].name;
    let bodies: Vec<Body> = PLANES.iter().chain(&CURVED).copied().collect();
    let bodies = bodies.iter().filter(|b| !context.quick || is_quick(b));
    let cases: Vec<(Body, f64, bool)> = bodies
        .flat_map(|body| BALLS_M.iter().map(|ball_m| (*body, *ball_m)))
        .filter(|(_, ball_m)| !context.quick || *ball_m == 1e-3)
        .flat_map(|(body, ball_m)| [false, true].map(|shaded| (body, ball_m, shaded)))
        .collect();
    let found: Vec<Errors> = cases
        .par_iter()
        .map(|(body, ball_m, shaded)| beside_truth(body, *ball_m, *shaded, context.mutant))
        .collect::<Result<_, _>>()?;
    let null = serde_json::Value::Null;
    let mut rows = Vec::new();
    let (mut default, mut plane, mut ripple_n) = (0.0_f64, 0.0_f64, 0.0_f64);
    for ((body, ball_m, shaded), of) in cases.iter().zip(&found) {
        let is_plane = PLANES.iter().any(|p| p.name == body.name);
        if is_plane {
            plane = plane.max(of.whole[0]);
            ripple_n = ripple_n.max(of.across_n);
        }
        if body.is_default && *shaded {
            default = default.max(of.whole[0]);
        }
        let bar = match (is_plane, body.is_default && *shaded) {
            (true, _) => (1e2 * PLANE_BAR).into(),
            (_, true) => (1e2 * DEFAULT_BAR).into(),
            _ => null.clone(),
        };
        let how = if *shaded { "shaded" } else { "plain" };
        rows.push(row(
            format!("{}, ball {} mm, {how}", body.name, 1e3 * ball_m),
            bar,
            of,
        ));
    }
    Ok(Part {
        rows,
        holds: default <= DEFAULT_BAR && plane <= PLANE_BAR && ripple_n < RIPPLE_N,
        said: format!(
            "default bodies at most {:.2} % RMS of the smooth truth (1 %), planes {:.3} % (0.1 %) with {:.3} mN across \
             (1 mN)",
            1e2 * default,
            1e2 * plane,
            1e3 * ripple_n
        ),
    })
}

/// Compares points on convex bodies with the god-object of the polyhedron.
fn gods() -> Result<Part, Failure> {
    let convex: Vec<&Body> = CURVED.iter().filter(|body| body.convex).collect();
    let gods: Vec<f64> = convex
        .par_iter()
        .map(|body| beside_god(body))
        .collect::<Result<_, _>>()?;
    let god = gods.iter().copied().fold(0.0, f64::max);
    let rows = convex.iter().zip(&gods).map(|(body, off)| {
        let name = format!("{}, plain, beside the exact god-object", body.name);
        Row::new(name, "% of 4 N, RMS", 1e2 * GOD_BAR, 1e2 * off)
    });
    Ok(Part {
        rows: rows.collect(),
        holds: god <= GOD_BAR,
        said: format!("proxy beside the god-object {:.2} % (0.5 %)", 1e2 * god),
    })
}

/// Runs closed paths, also with a shading without a potential, which the bar must detect. If a
/// fault is planted, that shading is rendered.
fn closed_paths(context: &Context) -> Result<Part, Failure> {
    let [felt, turned] = rings()?;
    let ring = if context.mutant { turned } else { felt };
    let row = Row::new(
        "energy of closed paths",
        "% of what is stored",
        1e2 * LOOP_BAR,
        1e2 * ring,
    );
    Ok(Part {
        rows: vec![row.with("mutant: force without a potential", 1e2 * turned)],
        holds: ring <= LOOP_BAR && turned > LOOP_BAR,
        said: format!(
            "closed paths {:.3} % (0.1 %) and without a potential {:.1} % (more)",
            1e2 * ring,
            1e2 * turned
        ),
    })
}

fn run(context: &Context) -> Result<Report, Failure> {
    let options: Options = context.parse()?;
    let mut parts = vec![bodies(context)?];
    if !context.quick {
        // The coarsest sphere misses its bar.
        parts.push(gods()?);
    }
    parts.push(corners::part(context)?);
    parts.push(ripple::part(context)?);
    parts.push(peg::part(context)?);
    parts.push(volume::part(context)?);
    parts.push(closed_paths(context)?);
    if let Some(file) = &options.svg {
        let text = picture()?;
        std::fs::write(file, text).map_err(|e| Failure::Run(format!("{}: {e}", file.display())))?;
    }
    let of = |holds: bool| {
        let said = parts.iter().filter(|part| part.holds == holds);
        said.map(|part| part.said.as_str()).collect::<Vec<_>>()
    };
    let (short, held) = (of(false), of(true));
    let mut why = held.join("; ");
    if !short.is_empty() {
        why = format!("short: {}; held: {why}", short.join("; "));
    }
    Ok(Report {
        verdict: Verdict::new(short.is_empty(), why),
        rows: parts.into_iter().flat_map(|part| part.rows).collect(),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![
            "800 N/m, 1 kHz, no friction, answers one tick late; truth: the smooth body's offset surface, a ball's \
             radius and the safe distance outside; depth 0.5 to 5 mm; errors are shares of 4 N"
                .into(),
            "corners, wedge, edges: the offset solid's nearest place; ripple: across the truth, RMS of 5 to 400 Hz; \
             pegs of 10 and 30 mm: the pose in the hole that stores least, torque of 4 N at the end; volumes: what was \
             sampled, and the sum of published kernels"
                .into(),
        ],
    })
}
