//! Shared by the tests of polygons: shapes, scenes, and the first contact by sampling.

use super::Rng;
use hapticd_kinetic::Rigid2;
use hapticd_kinetic::polygons::{Contact, PolygonBody, overlap};
use std::f64::consts::TAU;

/// End of the scenes, s.
pub const END: f64 = 4.0;

pub type Shape = Vec<[f64; 2]>;

pub fn star(rng: &mut Rng, n: usize, low: f64) -> Shape {
    (0..n)
        .map(|k| {
            let (sin, cos) = ((k as f64 + rng.range(0.1, 0.9)) * TAU / n as f64).sin_cos();
            let r = rng.range(low, 1.0);
            [r * cos, r * sin]
        })
        .collect()
}

/// Three quarters of a thick ring, with `n` vertices.
pub fn c_shape(rng: &mut Rng, n: usize) -> Shape {
    let half = n / 2;
    let turn = rng.range(0.0, TAU);
    let mut at = |k: usize, r: f64| {
        // No two ends of a diameter: three collinear points are not in general position.
        let angle = turn + 0.75 * TAU * k as f64 / (half - 1) as f64 + rng.range(-0.03, 0.03);
        let r = r + rng.range(-0.03, 0.03);
        let (sin, cos) = angle.sin_cos();
        [r * cos, r * sin]
    };
    let outer: Vec<_> = (0..half).map(|k| at(k, 1.0)).collect();
    let inner: Vec<_> = (0..half).rev().map(|k| at(k, 0.6)).collect();
    [outer, inner].concat()
}

pub fn body(shape: Shape, centre: [f64; 2], velocity: [f64; 2], omega: f64) -> PolygonBody {
    PolygonBody {
        shape,
        motion: Rigid2 {
            centre,
            velocity,
            omega,
            ..Rigid2::default()
        },
        mass: 1.0,
        inertia: 0.4,
    }
}

pub fn any_overlap(bodies: &[PolygonBody], t: f64) -> bool {
    let polygons: Vec<_> = bodies.iter().map(|b| b.polygon(t)).collect();
    (0..polygons.len()).any(|k| (0..k).any(|i| overlap(&polygons[i], &polygons[k])))
}

/// Returns the first time at which any two overlap: by sampling, then by bisection. Misses overlaps
/// shorter than a sample.
pub fn sampled(bodies: &[PolygonBody], end: f64, step: f64) -> Option<f64> {
    let count = (end / step).ceil() as u32;
    let found = (1..=count).find(|&k| any_overlap(bodies, f64::from(k) * step))?;
    let (mut low, mut high) = (f64::from(found - 1) * step, f64::from(found) * step);
    for _ in 0..50 {
        let middle = 0.5 * (low + high);
        if any_overlap(bodies, middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    Some(high)
}

pub fn scene(rng: &mut Rng, shapes: Vec<Shape>, spin: f64, gap: f64) -> Vec<PolygonBody> {
    let count = shapes.len();
    let (turn, distance) = (rng.range(0.0, TAU), gap / (TAU / 2.0 / count as f64).sin());
    (shapes.into_iter().enumerate())
        .map(|(k, shape)| {
            let (sin, cos) = (turn + TAU * k as f64 / count as f64).sin_cos();
            let aim = rng.range(-1.5, 1.5);
            let speed = rng.range(0.1, 1.0);
            let velocity = [-cos - aim * sin, -sin + aim * cos].map(|x| speed * x);
            body(
                shape,
                [distance * cos, distance * sin],
                velocity,
                rng.range(-spin, spin),
            )
        })
        .collect()
}

/// Four walls around the square from -size to size, perturbed by a millionth.
pub fn walls(rng: &mut Rng, size: f64) -> Vec<PolygonBody> {
    (0..4)
        .map(|k| {
            let (sin, cos) = [(0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0)][k];
            let l = 0.98 * size;
            let shape = [[size, -l], [size + 0.5, -l], [size + 0.5, l], [size, l]].map(|p| {
                let p = p.map(|x| x + 1e-4 * rng.range(-1.0, 1.0));
                [cos * p[0] - sin * p[1], sin * p[0] + cos * p[1]]
            });
            PolygonBody::wall(shape.to_vec())
        })
        .collect()
}

pub fn boxed(rng: &mut Rng, count: usize, n: usize, gravity: f64) -> Vec<PolygonBody> {
    let size = 1.3 * (count as f64).sqrt() + 0.3;
    let mut bodies = walls(rng, size);
    let side = (count as f64).sqrt().ceil() as usize;
    for k in 0..count {
        let cell = 2.0 * (size - 0.1) / side as f64;
        let centre = [k % side, k / side].map(|c| -size + 0.1 + cell * (c as f64 + 0.5));
        let mut b = body(
            star(rng, n, 0.35),
            centre,
            [0; 2].map(|_| rng.range(-2.0, 2.0)),
            rng.range(-2.0, 2.0),
        );
        b.motion.acceleration = [0.0, -gravity];
        bodies.push(b);
    }
    bodies
}

/// Checks that the vertex is on the edge: that is a contact, whatever the samples show.
pub fn assert_touching(bodies: &[PolygonBody], contact: &Contact, what: &str) {
    let [a, b] = contact.bodies.map(|b| &bodies[b as usize]);
    let p = a.polygon(contact.time)[contact.vertex as usize];
    let [q, r] = contact.edge.map(|v| b.polygon(contact.time)[v as usize]);
    let along = [r[0] - q[0], r[1] - q[1]];
    let off = [p[0] - q[0], p[1] - q[1]];
    let length = along[0].hypot(along[1]);
    let share = (along[0] * off[0] + along[1] * off[1]) / (length * length);
    let height = (along[0] * off[1] - along[1] * off[0]) / length;
    assert!(
        height.abs() < 1e-8 && (-1e-8..1.0 + 1e-8).contains(&share),
        "{what}: {height} {share}"
    );
}

/// Moves two bodies nearer to each other as long as they do not touch: C in C, hulls that overlap.
pub fn interlock(rng: &mut Rng, bodies: &mut Vec<PolygonBody>, steps: usize) {
    for _ in 0..steps {
        let mut closer = bodies.clone();
        for b in &mut closer {
            b.motion.centre = b.motion.centre.map(|x| 0.97 * x);
            b.motion.angle += rng.range(-0.3, 0.3);
        }
        if !any_overlap(&closer, 0.0) {
            *bodies = closer;
        }
    }
}
