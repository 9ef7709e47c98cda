//! Whether a point is inside a closed mesh, by the winding number (sum of signed solid angles).
//!
//! [`contains`] visits every triangle: correct and slow, an oracle. Answers use [`encloses`], which
//! queries the box hierarchies.

use hapticd_ccd::Winding;
use hapticd_geometry::{Pose, TriMesh, Vec3, transform};

use crate::body::Shape;

/// Maximum number of pieces of one shape, near the other, that are tested. A shape with more pieces
/// counts as enclosed until it is apart. That costs contact with it for a while, but never more
/// time than this.
const MAX_PIECES: usize = 1024;
/// Rejecting this many distant pieces takes as long as visiting one box.
const PIECES_PER_VISIT: usize = 8;

/// True if the winding number of `p` is nearer to a non-zero integer than to 0.
#[must_use]
pub fn contains(mesh: &TriMesh, p: &Vec3) -> bool {
    surrounds((0..mesh.triangles().len()).map(|i| mesh.triangle(i)), p)
}

/// As [`contains`], for a closed surface given by the corners of its triangles.
pub fn surrounds(triangles: impl Iterator<Item = [Vec3; 3]>, p: &Vec3) -> bool {
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

/// Whether a piece of one shape is inside the other, given that their surfaces do not meet. If
/// undecided, returns true: the body then exerts no force until the tool has moved. `O(log n)` in
/// the triangles of an ordinary mesh, and never more than `visits` boxes, from which it subtracts
/// those used. No allocation once `work` has grown.
pub(crate) fn encloses(
    work: &mut Winding,
    tool: &Shape,
    body: &Shape,
    from_tool: &Pose,
    visits: &mut u64,
) -> bool {
    let mut inside = |outer: &Shape, inner: &Shape, pose: &Pose| {
        let apart = pose.translation.vector.norm() * (1.0 - 1e-9) > outer.bound_m + inner.bound_m;
        if !outer.closed || apart {
            return false;
        }
        let bound = outer.bound_m * outer.bound_m;
        let (mut seen, mut asked) = (0, 0);
        inner.pieces().iter().any(|p| {
            seen += 1;
            if seen % PIECES_PER_VISIT == 0 {
                match visits.checked_sub(1) {
                    Some(left) => *visits = left,
                    None => return true,
                }
            }
            let p = transform(pose, p);
            // Not `>`, so that NaN counts as inside.
            if p.norm_squared() > bound {
                return false;
            }
            asked += 1;
            asked > MAX_PIECES || work.about_within(&outer.index, &p, visits) != Some(0)
        })
    };
    inside(body, tool, from_tool) || inside(tool, body, &from_tool.inverse())
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
