//! Corners: of three walls, the wedge of two, and around the outer edges and vertex of a box.
//!
//! The truth is the nearest point of the offset solid. In corners it is the exact quadratic
//! programme, solved by trying all sets of walls; outside a box it has a closed form.

use std::f64::consts::TAU;

use hapticd_geometry::{Pose, Vec3, shapes};
use rayon::prelude::*;

use super::{APPROACH, BALLS_M, Part, STIFFNESS, TICKS, bench_at, errors, out_m};
use crate::experiment::{Context, Failure, Row};

/// Bars: RMS error of the whole force; largest jump of force for a micrometre of the hand in the
/// wedge, in micrometres of the spring.
const RMS: f64 = 5e-3;
const JUMP_UM: f64 = 3.0;
/// A step of the hand in the wedge, m.
const STEP_M: f64 = 1e-6;
/// Depths in one wall at which the hand reaches the other, m.
const DEPTHS_M: [f64; 2] = [1e-3, 3e-3];
/// Half the box's edge, m; its corner is the origin.
const HALF_M: f64 = 0.02;

/// Comparison with the truth: RMS and largest relative error, and the steepest change, N/m.
struct Comparison {
    errors: [f64; 2],
    steepest: f64,
}

fn beside(path: &[(Vec3, Vec3, Vec3)]) -> Comparison {
    let pairs: Vec<_> = path
        .iter()
        .map(|(_, ours, truth)| (*ours, *truth))
        .collect();
    let slopes = path.windows(2).map(|two| {
        let (way, step) = (two[1].0 - two[0].0, two[1].1 - two[0].1);
        step.norm() / way.norm().max(STEP_M)
    });
    Comparison {
        errors: errors(&pairs).whole,
        steepest: slopes.fold(0.0, f64::max),
    }
}

/// Returns the point nearest to `hand` on the right side of planes through the origin. It tries
/// every set of planes that could be active: the exact quadratic programme of a corner.
fn cornered(hand: &Vec3, normals: &[Vec3], out_m: f64) -> Vec3 {
    let holds = |x: &Vec3| normals.iter().all(|n| n.dot(x) >= out_m - 1e-12);
    let mut best: Option<Vec3> = holds(hand).then_some(*hand);
    for set in 1_u32..1 << normals.len() {
        let chosen: Vec<&Vec3> = (0..normals.len())
            .filter(|k| set >> k & 1 == 1)
            .map(|k| &normals[k])
            .collect();
        let rows = nalgebra::DMatrix::from_fn(chosen.len(), 3, |i, j| chosen[i][j]);
        let gap = nalgebra::DVector::from_fn(chosen.len(), |i, _| out_m - chosen[i].dot(hand));
        let Some(force) = (&rows * rows.transpose()).lu().solve(&gap) else {
            continue;
        };
        let shift = rows.transpose() * force;
        let x = hand + Vec3::new(shift[0], shift[1], shift[2]);
        let nearer = best.is_none_or(|b| (x - hand).norm() < (b - hand).norm());
        if holds(&x) && nearer {
            best = Some(x);
        }
    }
    best.unwrap_or(*hand)
}

/// Moves into a corner of three walls and along its edges; the mesh itself is the exact truth.
fn inner_corner(ball_m: f64, mutant: bool) -> Result<Comparison, Failure> {
    let mesh = shapes::inner_corner(0.2, 0.01).map_err(|e| Failure::Run(e.to_string()))?;
    let mut bench = bench_at(&mesh, Pose::identity(), ball_m, true, mutant)?;
    let out_m = out_m(ball_m);
    let normals = [Vec3::x(), Vec3::y(), Vec3::z()];
    let mut path = Vec::with_capacity(TICKS);
    for tick in 0..TICKS {
        let t = tick as f64 / TICKS as f64;
        let wave = |k: f64| 0.004 - 0.007 * (TAU * k * t).sin().max(0.0);
        let hand = Vec3::new(wave(2.0), wave(3.1), wave(1.7)) + Vec3::repeat(out_m);
        let outcome = bench.tick(&Pose::translation(hand.x, hand.y, hand.z)).0;
        let truth = (cornered(&hand, &normals, out_m) - hand) * STIFFNESS;
        path.push((hand, outcome.wrench.force_n, truth));
    }
    Ok(beside(&path[APPROACH + 1..]))
}

/// Moves from one wall of a concave edge of 90 degrees to the other, a micrometre a tick, and back.
fn wedge(ball_m: f64, depth_m: f64, mutant: bool) -> Result<Comparison, Failure> {
    let mesh = shapes::inner_corner(0.2, 0.01).map_err(|e| Failure::Run(e.to_string()))?;
    let mut bench = bench_at(&mesh, Pose::identity(), ball_m, true, mutant)?;
    let out_m = out_m(ball_m);
    let walls = [Vec3::x(), Vec3::y()];
    // Down on one wall at 20 um a tick; then towards the other one and into it, and back.
    let down = 100;
    let there = (4.0 * depth_m / STEP_M) as usize;
    let mut path = Vec::with_capacity(down + 2 * there);
    for tick in 0..down + 2 * there {
        let deep = (2.0 * tick as f64 / down as f64 - 1.0).min(1.0) * depth_m;
        let gone = tick.saturating_sub(down);
        let along = gone.min(2 * there - gone.min(2 * there)) as f64 * STEP_M;
        // Obliquely, not over the middle of a triangle.
        let at = Vec3::new(out_m - deep, out_m + 2.0 * depth_m - along, 0.09);
        let outcome = bench.tick(&Pose::translation(at.x, at.y, at.z)).0;
        let truth = (cornered(&at, &walls, out_m) - at) * STIFFNESS;
        path.push((at, outcome.wrench.force_n, truth));
    }
    Ok(beside(&path[down + 1..]))
}

/// Returns a point that moves around an edge of the box, or around its vertex. The sum of the
/// coordinates across is positive, so the point is never in the box.
fn around(vertex: bool, t: f64) -> Vec3 {
    if vertex {
        let (a, b) = (
            Vec3::new(1.0, -1.0, 0.0).normalize(),
            Vec3::new(1.0, 1.0, -2.0).normalize(),
        );
        let (p, q) = ((TAU * 3.0 * t).sin(), (TAU * 4.1 * t + 0.3).sin());
        return Vec3::repeat(1.5e-3) + (a * p + b * q) * 6e-3;
    }
    let side = 5e-3 * (TAU * 4.0 * t).cos();
    Vec3::new(
        1.5e-3 - side,
        -HALF_M + 4e-3 * (TAU * 1.3 * t).sin(),
        1.5e-3 + side,
    )
}

/// Moves around the outside of a box, outside of it and within the offset of a ball's centre: the
/// nearest point is unique, in closed form.
fn outside(ball_m: f64, vertex: bool, mutant: bool) -> Result<Comparison, Failure> {
    let mesh = shapes::cuboid(&Vec3::repeat(HALF_M)).map_err(|e| Failure::Run(e.to_string()))?;
    let pose = Pose::translation(-HALF_M, -HALF_M, -HALF_M);
    let mut bench = bench_at(&mesh, pose, ball_m, true, mutant)?;
    let out_m = out_m(ball_m);
    let mut path = Vec::with_capacity(TICKS);
    for tick in 0..TICKS {
        let t = tick as f64 / TICKS as f64;
        let place = around(vertex, t);
        let (on, across) = (place.map(|x| x.min(0.0)), place.map(|x| x.max(0.0)));
        // From a millimetre above to nine tenths of the ball's radius.
        let deep = if tick < APPROACH {
            -1e-3 + (1e-3 + 0.1 * ball_m) * tick as f64 / APPROACH as f64
        } else {
            let share = (tick - APPROACH) as f64 / (TICKS - APPROACH) as f64;
            ball_m * (0.5 - 0.4 * (TAU * 7.3 * share).cos())
        };
        let hand = on + across.normalize() * (out_m - deep);
        let outcome = bench.tick(&Pose::translation(hand.x, hand.y, hand.z)).0;
        // For the box x, y, z < 0: this corner of it is nearest.
        let away = hand - hand.map(|x| x.min(0.0));
        let truth = away.normalize() * (STIFFNESS * (out_m - away.norm()).max(0.0));
        path.push((hand, outcome.wrench.force_n, truth));
    }
    Ok(beside(&path[APPROACH..]))
}

#[derive(Clone, Copy)]
enum Case {
    Inner,
    Wedge(f64),
    Edge,
    Vertex,
}

/// Runs this part of the experiment.
pub fn part(context: &Context) -> Result<Part, Failure> {
    let mut cases = Vec::new();
    for ball_m in BALLS_M {
        if context.quick && ball_m != 1e-3 {
            continue;
        }
        cases.push((Case::Inner, ball_m));
        for depth_m in DEPTHS_M {
            cases.push((Case::Wedge(depth_m), ball_m));
        }
        // For a point there is no rounding outside a box.
        if ball_m > 0.0 {
            cases.push((Case::Edge, ball_m));
            cases.push((Case::Vertex, ball_m));
        }
    }
    let found: Vec<Comparison> = cases
        .par_iter()
        .map(|&(case, ball_m)| match case {
            Case::Inner => inner_corner(ball_m, context.mutant),
            Case::Wedge(depth_m) => wedge(ball_m, depth_m, context.mutant),
            Case::Edge => outside(ball_m, false, context.mutant),
            Case::Vertex => outside(ball_m, true, context.mutant),
        })
        .collect::<Result<_, _>>()?;
    let (mut rms, mut jump_um) = (0.0_f64, 0.0_f64);
    let mut rows = Vec::new();
    for ((case, ball_m), of) in cases.iter().zip(&found) {
        rms = rms.max(of.errors[0]);
        let what = match case {
            Case::Inner => "corner of three walls".to_owned(),
            Case::Wedge(depth_m) => format!("wedge of 90 degrees, {} mm deep", 1e3 * depth_m),
            Case::Edge => "edge of a box".to_owned(),
            Case::Vertex => "vertex of a box".to_owned(),
        };
        let name = format!("{what}, ball {} mm", 1e3 * ball_m);
        let mut row = Row::new(name, "% of 4 N, RMS", 1e2 * RMS, 1e2 * of.errors[0])
            .with("largest, %", 1e2 * of.errors[1])
            .with("steepest, N/m", of.steepest);
        if matches!(case, Case::Wedge(_)) {
            jump_um = jump_um.max(of.steepest / STIFFNESS);
            row = row.with("jump per um of hand, um spring", of.steepest / STIFFNESS);
        }
        rows.push(row);
    }
    Ok(Part {
        rows,
        holds: rms <= RMS && jump_um <= JUMP_UM,
        said: format!(
            "corners and edges {:.2} % (0.5 %), in the wedge {jump_um:.2} um of spring for 1 um of hand (3)",
            1e2 * rms
        ),
    })
}
