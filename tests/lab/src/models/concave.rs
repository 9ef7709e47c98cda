//! Stand-ins for the objects of Lehericey 2016: bodies with hollows, with the same numbers of
//! triangles, about 0.1 m across.
//!
//! The source shows them in a figure that is lost; 453 points and 902 triangles are those of the
//! bunny of its table 3.3.

use std::f64::consts::{PI, TAU};

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::mesh;
use crate::experiment::Failure;

/// Returns the four shapes of the source's scenes: 902, 2,130, 3,264 and 3,458 triangles.
pub fn all() -> Result<[TriMesh; 4], Failure> {
    Ok([hare()?, pig()?, chain_link()?, star()?])
}

/// Returns a closed surface about the middle: `around` points on each of `rings` rings between two
/// poles, `2 around rings` triangles.
fn globe(around: u32, rings: u32, radius: impl Fn(&Vec3) -> f64) -> Result<TriMesh, Failure> {
    let counts = vec![around; rings as usize];
    stacked(&counts, radius)
}

/// The same, with another number of points on each ring.
fn stacked(counts: &[u32], radius: impl Fn(&Vec3) -> f64) -> Result<TriMesh, Failure> {
    let rings = counts.len();
    let mut positions = vec![Vec3::z()];
    let mut first = Vec::new();
    for (j, &count) in counts.iter().enumerate() {
        first.push(positions.len() as u32);
        let polar = PI * (j + 1) as f64 / (rings + 1) as f64;
        for i in 0..count {
            let angle = TAU * f64::from(i) / f64::from(count);
            let (s, c) = angle.sin_cos();
            positions.push(Vec3::new(polar.sin() * c, polar.sin() * s, polar.cos()));
        }
    }
    let pole = positions.len() as u32;
    positions.push(-Vec3::z());
    let mut triangles = Vec::new();
    for i in 0..counts[0] {
        triangles.push([0, first[0] + i, first[0] + (i + 1) % counts[0]]);
    }
    for j in 0..rings - 1 {
        // Like a zip: the ring whose next point comes sooner advances.
        let (m, n) = (counts[j], counts[j + 1]);
        let at = |ring: usize, k: u32| first[ring] + k % counts[ring];
        let (mut i, mut k) = (0, 0);
        while i < m || k < n {
            if k == n || (i < m && (i + 1) * n <= (k + 1) * m) {
                triangles.push([at(j, i), at(j + 1, k), at(j, i + 1)]);
                i += 1;
            } else {
                triangles.push([at(j, i), at(j + 1, k), at(j + 1, k + 1)]);
                k += 1;
            }
        }
    }
    let last = first[rings - 1];
    let count = counts[rings - 1];
    for i in 0..count {
        triangles.push([pole, last + (i + 1) % count, last + i]);
    }
    let positions = positions.iter().map(|d| d * radius(d)).collect();
    mesh(positions, triangles)
}

fn bump(d: &Vec3, towards: [f64; 3], height: f64, width: f64) -> f64 {
    height * (-(d.angle(&Vec3::from(towards)) / width).powi(2)).exp()
}

/// 453 points: a body, a head and two ears.
pub fn hare() -> Result<TriMesh, Failure> {
    globe(41, 11, |d| {
        let ears = bump(d, [0.3, 0.5, 1.0], 0.9, 0.3) + bump(d, [0.3, -0.5, 1.0], 0.9, 0.3);
        let head = bump(d, [1.0, 0.0, 0.4], 0.5, 0.4);
        0.04 * (1.0 + ears + head + 0.03 * (7.0 * d.x).sin() * (8.0 * d.y).sin())
    })
}

/// 1,067 points: a body on four legs, with a snout.
pub fn pig() -> Result<TriMesh, Failure> {
    globe(71, 15, |d| {
        let legs: f64 = [(1.0, 0.7), (1.0, -0.7), (-1.0, 0.7), (-1.0, -0.7)]
            .iter()
            .map(|&(x, y)| bump(d, [x, y, -1.0], 0.6, 0.25))
            .sum();
        let snout = bump(d, [1.0, 0.0, 0.1], 0.5, 0.3);
        0.04 * (1.0 + 0.3 * d.x * d.x + legs + snout)
    })
}

/// A link of a chain, in which other links can hang.
pub fn chain_link() -> Result<TriMesh, Failure> {
    let (around, across) = (48_u32, 34_u32);
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for i in 0..around {
        for j in 0..across {
            let (u, v) = (
                TAU * f64::from(i) / f64::from(around),
                TAU * f64::from(j) / f64::from(across),
            );
            let r = 0.04 + 0.015 * v.cos();
            positions.push(Vec3::new(1.3 * r * u.cos(), r * u.sin(), 0.015 * v.sin()));
            let at = |i: u32, j: u32| (i % around) * across + j % across;
            let [a, b, c, d] = [at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)];
            triangles.extend([[a, b, c], [a, c, d]]);
        }
    }
    mesh(positions, triangles)
}

/// 1,731 points: six arms with hollows between them.
pub fn star() -> Result<TriMesh, Failure> {
    globe(91, 19, |d| {
        let arms: f64 = (0..3)
            .flat_map(|k| [Vec3::ith(k, 1.0), Vec3::ith(k, -1.0)])
            .map(|arm| bump(d, arm.into(), 1.0, 0.4))
            .sum();
        0.03 * (1.0 + arms)
    })
}

/// 500 triangles: a stone with three hollows.
pub fn pebble() -> Result<TriMesh, Failure> {
    globe(25, 10, |d| {
        let hollows = bump(d, [1.0, 0.0, 0.3], 0.5, 0.5)
            + bump(d, [-1.0, 0.8, 0.0], 0.4, 0.5)
            + bump(d, [0.0, -0.5, -1.0], 0.5, 0.6);
        0.05 * (1.0 - hollows)
    })
}

/// 70 points, spread as evenly as seven rings and two poles allow: the sphere of the source's table
/// 3.3.
pub fn sphere_of_70() -> Result<TriMesh, Failure> {
    stacked(&[5, 10, 12, 14, 12, 10, 5], |_| 0.05)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Adjacency, MeshReport};

    #[test]
    fn the_counts_are_the_sources_and_all_are_solids() {
        let four = all().unwrap().map(|mesh| (mesh, 0));
        let counts = [902, 2130, 3264, 3458];
        for ((mesh, _), count) in four.iter().zip(counts) {
            assert_eq!(mesh.triangles().len(), count);
        }
        assert_eq!(four[0].0.positions().len(), 453);
        let stone = pebble().unwrap();
        assert_eq!(stone.triangles().len(), 500);
        let ball = sphere_of_70().unwrap();
        assert_eq!(ball.positions().len(), 70);
        for mesh in four.iter().map(|(mesh, _)| mesh).chain([&ball, &stone]) {
            let report = MeshReport::of(mesh, &Adjacency::new(mesh));
            assert!(report.oriented && report.components == 1, "{report:?}");
            assert_eq!(report.degenerate_triangles, 0);
        }
    }
}
