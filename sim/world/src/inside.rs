//! Whether a point is inside a closed mesh, by the winding number (sum of signed solid angles).
//!
//! O(triangles), no allocation. Used when a body becomes solid to a tool, not per tick: it must be right, not fast.
//! Robust: no ray direction to be unlucky with; away from the surface the sum is an integer up to rounding.

use hapticd_ccd::{MeshIndex, PairKind};
use hapticd_geometry::{TriMesh, Vec3};

/// True if the winding number of `p` is nearer to a non-zero integer than to 0.
#[must_use]
pub fn contains(mesh: &TriMesh, p: &Vec3) -> bool {
    surrounds((0..mesh.triangles().len()).map(|i| mesh.triangle(i)), p)
}

/// The same of a closed surface by the corners of its triangles.
pub(crate) fn surrounds(triangles: impl Iterator<Item = [Vec3; 3]>, p: &Vec3) -> bool {
    let mut angle = 0.0;
    for [a, b, c] in triangles {
        let (a, b, c) = (a - p, b - p, c - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        // Van Oosterom and Strackee 1983: tan(omega / 2).
        let numerator = a.dot(&b.cross(&c));
        let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        angle += 2.0 * numerator.atan2(denominator);
    }
    (angle / (4.0 * std::f64::consts::PI)).abs() > 0.5
}

/// One vertex of each connected piece of a shape; of a point, the point.
///
/// A surface that meets no other is wholly inside or wholly outside of it, piece by piece.
pub(crate) fn piece_points(index: &MeshIndex) -> Vec<Vec3> {
    let Some(mesh) = index.mesh() else {
        let point = index.feature_a(PairKind::VertexFace, 0);
        return point.map(|p| p[0]).into_iter().collect();
    };
    // Disjoint sets of vertices, joined by triangles.
    let mut parent: Vec<u32> = (0..mesh.positions().len() as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for t in mesh.triangles() {
        for k in 1..3 {
            let (a, b) = (root(&mut parent, t[0]), root(&mut parent, t[k]));
            parent[a as usize] = b;
        }
    }
    let mut seen = vec![false; parent.len()];
    let mut points = Vec::new();
    for t in mesh.triangles() {
        let piece = root(&mut parent, t[0]) as usize;
        if !std::mem::replace(&mut seen[piece], true) {
            points.push(mesh.positions()[t[0] as usize]);
        }
    }
    points
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_geometry::shapes;

    #[test]
    fn a_hole_is_outside_and_the_rim_is_inside() {
        let mesh = shapes::cuboid(&Vec3::new(1.0, 2.0, 3.0)).unwrap();
        for (p, inside) in [
            (Vec3::zeros(), true),
            (Vec3::new(0.999_999, 1.999_999, -2.999_999), true),
            (Vec3::new(1.000_001, 0.0, 0.0), false),
            (Vec3::new(50.0, 0.0, 0.0), false),
        ] {
            assert_eq!(contains(&mesh, &p), inside, "{p}");
        }
    }
}
