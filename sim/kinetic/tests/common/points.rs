//! Points that move in the plane, and their static hull.

use super::Rng;
use hapticd_kinetic::Motion1;

pub type Point = [Motion1; 2];

pub fn at(p: &Point, t: f64) -> [f64; 2] {
    [p[0].at(t), p[1].at(t)]
}

/// Andrew's monotone chain: the upper hull from left to right.
pub fn fresh(points: &[Point], t: f64) -> Vec<u32> {
    let place: Vec<_> = points.iter().map(|p| at(p, t)).collect();
    let mut order: Vec<u32> = (0..points.len() as u32).collect();
    order.sort_by(|&i, &k| place[i as usize].partial_cmp(&place[k as usize]).unwrap());
    let mut hull: Vec<u32> = Vec::new();
    for i in order {
        let c = place[i as usize];
        while hull.len() > 1 {
            let [a, b] = [hull.len() - 2, hull.len() - 1].map(|k| place[hull[k] as usize]);
            if (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]) < 0.0 {
                break;
            }
            hull.pop();
        }
        if hull.len() == 1 && place[hull[0] as usize][0] == c[0] {
            hull.pop();
        }
        hull.push(i);
    }
    hull
}

/// Whether two hulls are the same except for corners that exist only by rounding.
pub fn agree(points: &[Point], t: f64, mine: &[u32], theirs: &[u32]) -> bool {
    if mine == theirs {
        return true;
    }
    let off = |hull: &[u32], i: u32| {
        let c = at(&points[i as usize], t);
        hull.windows(2).any(|w| {
            let [a, b] = [w[0], w[1]].map(|k| at(&points[k as usize], t));
            let area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
            area.abs() < 1e-8 && c[0] > a[0] - 1e-8 && c[0] < b[0] + 1e-8
        })
    };
    mine.iter().all(|i| theirs.contains(i) || off(theirs, *i))
        && theirs.iter().all(|i| mine.contains(i) || off(mine, *i))
}

pub fn moving(rng: &mut Rng, degree: usize) -> Point {
    [0; 2].map(|_| {
        let mut c = [0.0; 4];
        for c in &mut c[..=degree] {
            *c = rng.range(-1.0, 1.0);
        }
        Motion1::poly(&c)
    })
}

pub fn circle(rng: &mut Rng) -> Point {
    let (sin, cos) = rng.range(0.0, std::f64::consts::TAU).sin_cos();
    [cos, sin].map(|x| Motion1::linear(x, 0.3 * rng.range(-1.0, 1.0)))
}

pub fn negative(m: &Motion1) -> Motion1 {
    match *m {
        Motion1::Linear { x0, v, t0 } => Motion1::Linear { x0: -x0, v: -v, t0 },
        Motion1::Poly { mut p, t0 } => {
            p.c = p.c.map(|c| -c);
            Motion1::Poly { p, t0 }
        }
        other => other,
    }
}
