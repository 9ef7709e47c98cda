//! Distances between points, segments and triangles in plain `f64`. No allocation, no failure;
//! degenerate shapes are allowed.
//!
//! Every result is the distance of two points that do lie on the two shapes (to rounding). So it is
//! never below the true distance, and exceeds it by a few units in the last place of the
//! coordinates.

use hapticd_geometry::Vec3;

use crate::Triangle;

/// Returns the point of the segment `ab` closest to `p`.
fn closest_on_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> Vec3 {
    let along = b - a;
    let length2 = along.norm_squared();
    if length2 <= 0.0 {
        return *a;
    }
    let s = (p - a).dot(&along) / length2;
    if s <= 0.0 {
        *a
    } else if s >= 1.0 {
        *b
    } else {
        a + along * s
    }
}

/// Squared distance of a point and a segment.
fn point_segment2(p: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    (closest_on_segment(p, a, b) - p).norm_squared()
}

/// Squared distance of a point and a triangle.
///
/// The foot of the perpendicular is computed in coordinates along the longest edge and across it.
/// In a sliver, any other pair of edges would lose as many digits as the sliver is thin.
pub(crate) fn point_triangle2(p: &Vec3, t: &Triangle) -> f64 {
    let best = (0..3)
        .map(|i| point_segment2(p, &t[i], &t[(i + 1) % 3]))
        .fold(f64::INFINITY, f64::min);
    let lengths2: [f64; 3] = core::array::from_fn(|i| (t[(i + 1) % 3] - t[i]).norm_squared());
    let base = (1..3).fold(0, |k, i| if lengths2[i] > lengths2[k] { i } else { k });
    let (a, b, c) = (t[base], t[(base + 1) % 3], t[(base + 2) % 3]);
    let length = (b - a).norm();
    if length <= 0.0 {
        return best;
    }
    let along = (b - a) / length;
    let apex = along.dot(&(c - a));
    let across = (c - a) - along * apex;
    let height = across.norm();
    if height <= 0.0 {
        return best;
    }
    let across = across / height;
    let (u, v) = (along.dot(&(p - a)), across.dot(&(p - a)));
    // Outside the triangle an edge is closer.
    let level = v / height;
    let left = apex * level;
    let right = length - (length - apex) * level;
    if (0.0..=1.0).contains(&level) && (left..=right).contains(&u) {
        let foot = a + along * u + across * v;
        best.min((foot - p).norm_squared())
    } else {
        best
    }
}

/// Squared distance of two segments.
///
/// The minimum is at an end of one of them, or inside both. The latter comes from cross products.
/// Dot products would lose all digits when the segments are parallel to within 1e-8.
pub(crate) fn segment_segment2(p: &Vec3, q: &Vec3, a: &Vec3, b: &Vec3) -> f64 {
    let best = point_segment2(p, a, b)
        .min(point_segment2(q, a, b))
        .min(point_segment2(a, p, q))
        .min(point_segment2(b, p, q));
    let (d, e) = (q - p, b - a);
    let normal = d.cross(&e);
    let area2 = normal.norm_squared();
    if area2 <= 0.0 {
        return best;
    }
    let s = ((a - p).cross(&e).dot(&normal) / area2).clamp(0.0, 1.0);
    let y = closest_on_segment(&(p + d * s), a, b);
    let x = closest_on_segment(&y, p, q);
    best.min((x - y).norm_squared())
}

/// Squared distance of two triangles that do not meet. For triangles that meet, the squared
/// distance of their edges and corners.
pub(crate) fn triangle_triangle2(a: &Triangle, b: &Triangle) -> f64 {
    let mut best = f64::INFINITY;
    for i in 0..3 {
        best = best
            .min(point_triangle2(&a[i], b))
            .min(point_triangle2(&b[i], a));
        for j in 0..3 {
            best = best.min(segment_segment2(
                &a[i],
                &a[(i + 1) % 3],
                &b[j],
                &b[(j + 1) % 3],
            ));
        }
    }
    best
}
