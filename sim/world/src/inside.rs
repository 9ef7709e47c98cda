//! Whether a point is inside a closed mesh, by the winding number (sum of signed solid angles).
//!
//! O(triangles), no allocation. Used when a body becomes solid to a tool, not per tick: it must be right, not fast.
//! Robust: no ray direction to be unlucky with; away from the surface the sum is an integer up to rounding.

use hapticd_geometry::{TriMesh, Vec3};

/// True if the winding number of `p` is nearer to a non-zero integer than to 0.
pub(crate) fn contains(mesh: &TriMesh, p: &Vec3) -> bool {
    let mut angle = 0.0;
    for i in 0..mesh.triangles().len() {
        let [a, b, c] = mesh.triangle(i);
        let (a, b, c) = (a - p, b - p, c - p);
        let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
        // Van Oosterom and Strackee 1983: tan(omega / 2).
        let numerator = a.dot(&b.cross(&c));
        let denominator = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
        angle += 2.0 * numerator.atan2(denominator);
    }
    (angle / (4.0 * std::f64::consts::PI)).abs() > 0.5
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
