//! Whether and how deep two bodies overlap. Tested once, when a body is added; afterwards
//! continuous detection keeps them apart.

use hapticd_ccd::intersect::Intersections;
use hapticd_ccd::{MeshIndex, Proximity, Winding};
use hapticd_geometry::{Pose, Vec3, transform};

use crate::body::RigidBody;

/// Maximum number of pairs of crossing triangles that are counted and used for the depth.
const MAX_CROSSINGS: usize = 256;

/// Number of pairs of intersecting triangles of `a` and `b`, and the depth; `None` if the bodies
/// are apart.
pub(crate) fn overlap_of(a: &RigidBody, b: &RigidBody, b_from_a: &Pose) -> Option<(usize, f64)> {
    let (mesh_a, mesh_b) = (a.shape.mesh()?, b.shape.mesh()?);
    let mut search = Intersections::default();
    let crossings = search.some(&a.shape, &b.shape, b_from_a, MAX_CROSSINGS);
    let a_from_b = b_from_a.inverse();
    let mut depth = 0.0_f64;
    if crossings.is_empty() {
        // The surfaces do not meet, but a piece of one may still be inside the other.
        for p in &a.summary.pieces {
            depth = depth.max(depth_of(&transform(b_from_a, p), b));
        }
        for p in &b.summary.pieces {
            depth = depth.max(depth_of(&transform(&a_from_b, p), a));
        }
        return (depth > 0.0).then_some((0, depth));
    }
    for &(ta, tb) in crossings {
        let corners_a = mesh_a
            .triangle(ta as usize)
            .map(|p| transform(b_from_a, &p));
        for p in probes(&corners_a, &mesh_b.triangle(tb as usize)) {
            depth = depth.max(depth_of(&p, b));
        }
        let corners_b = mesh_b
            .triangle(tb as usize)
            .map(|p| transform(&a_from_b, &p));
        for p in probes(&corners_b, &mesh_a.triangle(ta as usize)) {
            depth = depth.max(depth_of(&p, a));
        }
    }
    Some((crossings.len(), depth))
}

/// Points of a triangle that may be deep inside the body that `other` belongs to: its corners, its
/// centroid, and its point nearest to the centroid of `other`.
fn probes(corners: &[Vec3; 3], other: &[Vec3; 3]) -> [Vec3; 5] {
    let [p, q, r] = *corners;
    let middle = (other[0] + other[1] + other[2]) / 3.0;
    let (near, _) = hapticd_geometry::closest::point_triangle(&middle, corners);
    [p, q, r, (p + q + r) / 3.0, near]
}

/// How deep a point (body frame) is inside a closed body, m; 0 outside.
fn depth_of(p: &Vec3, body: &RigidBody) -> f64 {
    let outside = (p - body.centre).norm() > body.radius_m;
    if !body.closed || outside {
        return 0.0;
    }
    // Points on the surface, as far as rounding tells, have no depth.
    if matches!(Winding::default().about(&body.shape, p), Some(0) | None) {
        return 0.0;
    }
    let point = MeshIndex::point(*p);
    let reach = 2.0 * body.radius_m;
    let mut near = Proximity::new(16);
    let found = near.query(&point, 0.0, &body.shape, &Pose::identity(), reach);
    // A full list may have omitted a pair that is slightly nearer.
    let nearest = found.pairs.first().map_or(reach, |pair| pair.distance);
    nearest.min(found.complete_to).max(f64::MIN_POSITIVE)
}
