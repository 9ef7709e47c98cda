//! Stand-in for the dressed mannequin of Lehericey 2016: a dress form of ellipses, and tubes of
//! cloth around it. Metres, z upward.
//!
//! A head, a neck, shoulders, a bust, a waist and hips down to the middle of the thighs; no limbs.
//! The numbers of points are the source's at full detail.

use std::f64::consts::TAU;

use hapticd_geometry::{TriMesh, Vec3};

use super::meshing::mesh;
use crate::experiment::Failure;

/// Height, and half sizes across and from front to back.
const PROFILE: [[f64; 3]; 10] = [
    [0.00, 0.170, 0.130],
    [0.12, 0.185, 0.140],
    [0.25, 0.190, 0.140],
    [0.40, 0.130, 0.100],
    [0.57, 0.165, 0.125],
    [0.70, 0.185, 0.090],
    [0.76, 0.070, 0.065],
    [0.82, 0.060, 0.062],
    [0.90, 0.080, 0.100],
    [1.00, 0.030, 0.035],
];

/// Returns the half sizes at a height, interpolated smoothly between those of the profile; below
/// the profile those of its hips, from which a skirt hangs.
fn sizes(z: f64) -> [f64; 2] {
    let next = PROFILE.iter().position(|p| p[0] > z);
    let (a, b) = match next {
        Some(0) => return [PROFILE[0][1], PROFILE[0][2]],
        Some(k) => (PROFILE[k - 1], PROFILE[k]),
        None => return [PROFILE[9][1], PROFILE[9][2]],
    };
    let s = (z - a[0]) / (b[0] - a[0]);
    // No kinks at the heights of the profile.
    let s = s * s * (3.0 - 2.0 * s);
    [1, 2].map(|k| a[k] + s * (b[k] - a[k]))
}

fn count(full: u32, detail: f64) -> u32 {
    ((f64::from(full) * detail).round() as u32).max(8)
}

/// Makes rings of points one above the other, and the squares between them, two triangles each,
/// facing outward.
fn rings(around: u32, rows: u32, at: impl Fn(f64, f64) -> Vec3) -> (Vec<Vec3>, Vec<[u32; 3]>) {
    let mut positions = Vec::new();
    let mut triangles = Vec::new();
    for j in 0..rows {
        for i in 0..around {
            let angle = TAU * f64::from(i) / f64::from(around);
            positions.push(at(f64::from(j) / f64::from(rows - 1), angle));
            if j + 1 < rows {
                let v = |i: u32, j: u32| j * around + i % around;
                let [a, b, c, d] = [v(i, j), v(i + 1, j), v(i + 1, j + 1), v(i, j + 1)];
                triangles.extend([[a, b, c], [a, c, d]]);
            }
        }
    }
    (positions, triangles)
}

fn on(z: f64, angle: f64, further: f64) -> Vec3 {
    let [x, y] = sizes(z).map(|r| r + further);
    Vec3::new(x * angle.cos(), y * angle.sin(), z)
}

/// Returns the form; 9,802 points at a detail of 1, in proportion to its square.
pub fn body(detail: f64) -> Result<TriMesh, Failure> {
    let (around, rows) = (count(98, detail), count(100, detail));
    let (mut positions, mut triangles) = rings(around, rows, |s, angle| on(s, angle, 0.0));
    let (bottom, top) = (positions.len() as u32, positions.len() as u32 + 1);
    positions.extend([Vec3::new(0.0, 0.0, -0.01), Vec3::new(0.0, 0.0, 1.01)]);
    let last = (rows - 1) * around;
    for i in 0..around {
        let next = (i + 1) % around;
        triangles.extend([[bottom, next, i], [top, last + i, last + next]]);
    }
    mesh(positions, triangles)
}

/// Makes a tube of cloth that follows the form at a distance of `off` m.
fn tube(
    around: u32,
    rows: u32,
    from: f64,
    to: f64,
    off: f64,
    detail: f64,
) -> Result<TriMesh, Failure> {
    let (around, rows) = (count(around, detail), count(rows, detail));
    let (positions, triangles) = rings(around, rows, |s, angle| {
        let z = from + s * (to - from);
        // Skirts are wider at the bottom.
        let flare = 0.15 * (0.2 - z).max(0.0);
        on(z.max(0.2).min(to), angle, off + flare) + Vec3::z() * (z - z.max(0.2).min(to))
    });
    mesh(positions, triangles)
}

/// Returns the three layers of a dress (10,944 points), a jacket (2,688) and a scarf (3,800), inner
/// ones first; `layer` is the distance from one to the next, m.
pub fn garments(detail: f64, layer: f64) -> Result<Vec<TriMesh>, Failure> {
    let mut all = Vec::new();
    for k in 0..3 {
        let off = layer * (1.0 + f64::from(k));
        all.push(tube(96, 38, -0.15, 0.60, off, detail)?);
    }
    all.push(tube(64, 42, 0.32, 0.745, 4.5 * layer, detail)?);
    all.push(tube(100, 38, 0.755, 0.86, 5.0 * layer, detail)?);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::{Adjacency, MeshReport};

    #[test]
    fn the_counts_are_the_sources_and_the_form_is_a_solid() {
        let body = body(1.0).unwrap();
        let report = MeshReport::of(&body, &Adjacency::new(&body));
        assert!(report.oriented && report.components == 1, "{report:?}");
        assert_eq!(
            (body.positions().len(), report.degenerate_triangles),
            (9802, 0)
        );
        let garments = garments(1.0, 0.006).unwrap();
        let counts: Vec<_> = garments.iter().map(|m| m.positions().len()).collect();
        assert_eq!(counts, [3648, 3648, 3648, 2688, 3800]);
    }
}
