//! Exact predicates on segments and triangles, touching included. No allocation, no failure;
//! degenerate triangles are allowed.
//!
//! Every decision is the sign of a determinant from [`robust`]. Two closed triangles meet if and
//! only if an edge of one meets the other. Their intersection is convex, and its extreme points lie
//! on the boundary of one of them.

use hapticd_geometry::Vec3;
use robust::{Coord, Coord3D};

use crate::Triangle;

/// Positive if `d` is on the side of `abc` from which `abc` appears clockwise (below it), zero if
/// the four are coplanar. The sign is exact.
pub(crate) fn orient3d(a: &Vec3, b: &Vec3, c: &Vec3, d: &Vec3) -> f64 {
    robust::orient3d(coord3(a), coord3(b), coord3(c), coord3(d))
}

fn coord3(p: &Vec3) -> Coord3D<f64> {
    Coord3D {
        x: p.x,
        y: p.y,
        z: p.z,
    }
}

/// A coordinate plane, named by the axis that is dropped.
type Drop = usize;

fn orient2d(drop: Drop, a: &Vec3, b: &Vec3, c: &Vec3) -> f64 {
    let flat = |p: &Vec3| Coord {
        x: p[(drop + 1) % 3],
        y: p[(drop + 2) % 3],
    };
    robust::orient2d(flat(a), flat(b), flat(c))
}

/// Returns a coordinate plane in which the triangle keeps an area, if it has one.
fn projection(t: &Triangle) -> Option<Drop> {
    (0..3).find(|&drop| orient2d(drop, &t[0], &t[1], &t[2]) != 0.0)
}

/// Returns whether the closed triangles share a point.
pub(crate) fn triangles_meet(a: &Triangle, b: &Triangle) -> bool {
    if on_one_side(a, b) || on_one_side(b, a) {
        return false;
    }
    (0..3).any(|i| segment_meets_triangle(&a[i], &a[(i + 1) % 3], b))
        || (0..3).any(|i| segment_meets_triangle(&b[i], &b[(i + 1) % 3], a))
}

/// Returns whether `b` lies strictly on one side of the plane of `a` (never, if `a` has no area).
fn on_one_side(a: &Triangle, b: &Triangle) -> bool {
    let sides = b.map(|p| orient3d(&a[0], &a[1], &a[2], &p));
    sides.iter().all(|&s| s > 0.0) || sides.iter().all(|&s| s < 0.0)
}

/// Returns whether the closed segment and the closed triangle share a point.
pub(crate) fn segment_meets_triangle(p: &Vec3, q: &Vec3, t: &Triangle) -> bool {
    let [a, b, c] = t;
    let Some(drop) = projection(t) else {
        return (0..3).any(|i| segments_meet(p, q, &t[i], &t[(i + 1) % 3]));
    };
    let side_p = orient3d(a, b, c, p);
    let side_q = orient3d(a, b, c, q);
    if side_p == 0.0 && side_q == 0.0 {
        return coplanar_segment_meets_triangle(drop, p, q, t);
    }
    if (side_p > 0.0 && side_q > 0.0) || (side_p < 0.0 && side_q < 0.0) {
        return false;
    }
    // The line crosses the plane in one point, which is in the triangle if it is on the same side
    // of all three edges.
    let around = [
        orient3d(p, q, a, b),
        orient3d(p, q, b, c),
        orient3d(p, q, c, a),
    ];
    around.iter().all(|&s| s >= 0.0) || around.iter().all(|&s| s <= 0.0)
}

/// [`segment_meets_triangle`] for a segment in the plane of a triangle that keeps an area when axis
/// `drop` is dropped.
fn coplanar_segment_meets_triangle(drop: Drop, p: &Vec3, q: &Vec3, t: &Triangle) -> bool {
    let inside = |x: &Vec3| {
        let s: [f64; 3] = core::array::from_fn(|i| orient2d(drop, &t[i], &t[(i + 1) % 3], x));
        s.iter().all(|&s| s >= 0.0) || s.iter().all(|&s| s <= 0.0)
    };
    // A segment with only one end inside crosses an edge.
    inside(p) || (0..3).any(|i| flat_segments_meet(drop, p, q, &t[i], &t[(i + 1) % 3]))
}

/// Returns whether the closed segments share a point.
pub(crate) fn segments_meet(p: &Vec3, q: &Vec3, a: &Vec3, b: &Vec3) -> bool {
    if orient3d(p, q, a, b) != 0.0 {
        return false;
    }
    // Coplanar: they meet exactly if they do in a projection that keeps their plane; if collinear,
    // in all projections.
    let plane = [[p, q, a], [p, q, b], [a, b, p], [a, b, q]];
    let drop = plane
        .iter()
        .find_map(|t| projection(&[*t[0], *t[1], *t[2]]));
    match drop {
        Some(drop) => flat_segments_meet(drop, p, q, a, b),
        None => collinear_segments_meet(p, q, a, b),
    }
}

/// Returns whether two segments of one line, either possibly a point, overlap. Tested along every
/// axis, since the line is monotone along each.
fn collinear_segments_meet(p: &Vec3, q: &Vec3, a: &Vec3, b: &Vec3) -> bool {
    (0..3).all(|k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]))
}

fn flat_segments_meet(drop: Drop, p: &Vec3, q: &Vec3, a: &Vec3, b: &Vec3) -> bool {
    let [pa, pb] = [orient2d(drop, p, q, a), orient2d(drop, p, q, b)];
    let [ap, aq] = [orient2d(drop, a, b, p), orient2d(drop, a, b, q)];
    let apart = |s: f64, t: f64| (s > 0.0 && t > 0.0) || (s < 0.0 && t < 0.0);
    if apart(pa, pb) || apart(ap, aq) {
        return false;
    }
    if pa == 0.0 && pb == 0.0 && ap == 0.0 && aq == 0.0 {
        // Collinear, or points: the boxes decide.
        return [(drop + 1) % 3, (drop + 2) % 3]
            .iter()
            .all(|&k| p[k].min(q[k]) <= a[k].max(b[k]) && a[k].min(b[k]) <= p[k].max(q[k]));
    }
    true
}
