//! Prisms over simple polygons, which show planar polygons in space. Closed and outward. Metres.

use crate::mesh::{MeshError, TriMesh};
use crate::pose::Vec3;

/// Builds the prism over `outline` from `z = -half_height` to `half_height`.
///
/// `outline` holds the vertices of a simple polygon, counter-clockwise. If it is not simple, the
/// mesh is meaningless.
///
/// # Errors
/// If a number is not finite, or there are too many.
pub fn prism(outline: &[[f64; 2]], half_height: f64) -> Result<TriMesh, MeshError> {
    let n = outline.len() as u32;
    let level = |z: f64| outline.iter().map(move |p| Vec3::new(p[0], p[1], z));
    let positions = level(-half_height).chain(level(half_height)).collect();
    let mut triangles = Vec::with_capacity(4 * outline.len());
    for [a, b, c] in triangulated(outline) {
        triangles.push([n + a, n + b, n + c]);
        triangles.push([c, b, a]);
    }
    for k in 0..n {
        let next = (k + 1) % n;
        triangles.push([k, next, n + next]);
        triangles.push([k, n + next, n + k]);
    }
    TriMesh::new(positions, triangles)
}

/// Triangulates a simple polygon, given counter-clockwise, into `n - 2` triangles.
///
/// Ear clipping (Meisters 1975), the fattest ear first. `O(n^3)`.
#[must_use]
pub fn triangulated(outline: &[[f64; 2]]) -> Vec<[u32; 3]> {
    let mut left: Vec<u32> = (0..outline.len() as u32).collect();
    let at = |v: u32| outline[v as usize];
    let mut triangles = Vec::with_capacity(outline.len().saturating_sub(2));
    while left.len() > 3 {
        let m = left.len();
        let corner = |k: usize| [left[(k + m - 1) % m], left[k], left[(k + 1) % m]];
        let is_ear = |k: usize| {
            let t = corner(k);
            let [a, b, c] = t.map(at);
            let others = left.iter().filter(|v| !t.contains(v));
            turn(a, b, c) > 0.0
                && others
                    .map(|v| at(*v))
                    .all(|p| turn(a, b, p) < 0.0 || turn(b, c, p) < 0.0 || turn(c, a, p) < 0.0)
        };
        let fatness = |k: usize| {
            let [a, b, c] = corner(k).map(at);
            let square = |p: [f64; 2], q: [f64; 2]| (p[0] - q[0]).powi(2) + (p[1] - q[1]).powi(2);
            turn(a, b, c) / (square(a, b) + square(b, c) + square(c, a))
        };
        let ears = (0..m).filter(|k| is_ear(*k));
        // A simple polygon has at least two ears; for another, takes any corner.
        let ear = ears
            .max_by(|i, k| fatness(*i).total_cmp(&fatness(*k)))
            .unwrap_or(0);
        triangles.push(corner(ear));
        left.remove(ear);
    }
    if let [a, b, c] = left[..] {
        triangles.push([a, b, c]);
    }
    triangles
}

/// Twice the area of a triangle, positive if counter-clockwise.
fn turn(a: [f64; 2], b: [f64; 2], c: [f64; 2]) -> f64 {
    (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Adjacency, MeshReport};

    #[test]
    fn prisms_of_stars_and_combs_are_closed_solids_of_the_right_volume() {
        let star = |n: u32, inner: f64| -> Vec<[f64; 2]> {
            (0..2 * n)
                .map(|k| {
                    let a = f64::from(k) * std::f64::consts::PI / f64::from(n);
                    let r = if k % 2 == 0 { 0.05 } else { inner };
                    [r * a.cos(), r * a.sin()]
                })
                .collect()
        };
        // Teeth down, like a maze.
        let mut comb = vec![[0.0, 0.0], [0.1, 0.0], [0.1, 0.01]];
        for k in (0..8).rev() {
            let x = 0.012 * f64::from(k);
            comb.extend([[x + 0.008, 0.01], [x + 0.008, 0.05], [x, 0.05], [x, 0.01]]);
        }
        comb.dedup();
        comb.retain(|p| *p != [0.0, 0.01]);
        for outline in [star(3, 0.01), star(5, 0.02), star(30, 0.045), comb] {
            let n = outline.len();
            assert_eq!(triangulated(&outline).len(), n - 2);
            let area: f64 = (0..n)
                .map(|k| {
                    let (a, b) = (outline[k], outline[(k + 1) % n]);
                    0.5 * (a[0] * b[1] - a[1] * b[0])
                })
                .sum();
            let mesh = prism(&outline, 0.005).unwrap();
            let report = MeshReport::of(&mesh, &Adjacency::new(&mesh));
            assert!(report.closed && report.oriented, "{report:?}");
            assert!(
                (report.signed_volume_m3 - 0.01 * area).abs() < 1e-12,
                "{report:?}"
            );
        }
    }

    #[test]
    fn nonsense_does_not_panic() {
        assert!(triangulated(&[]).is_empty());
        assert_eq!(
            triangulated(&[[0.0, 0.0], [1.0, 1.0], [1.0, 0.0], [0.0, 1.0]]).len(),
            2
        );
        assert!(prism(&[[0.0, f64::NAN], [1.0, 0.0], [0.0, 1.0]], 0.1).is_err());
    }
}
