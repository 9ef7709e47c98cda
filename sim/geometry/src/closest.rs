//! Closest points of a point and a triangle, and of two segments (after Ericson 2005, sections
//! 5.1.5 and 5.1.9).
//!
//! Degenerate triangles and segments are treated as the segments and points that they are. The
//! returned points always lie on both features, so their distance is never below the true one. It
//! exceeds the true one by at most 1e-12 of the lengths involved, also for needles and nearly
//! parallel segments. There the textbook formulas subtract nearly equal products, and others are
//! used. No allocation, no panics; NaN in, NaN out. Metres.

use crate::pose::Vec3;

/// Threshold on four times the squared area over the product of squared side and squared distance.
/// Below it, the signs of differences of products of dot products are no longer reliable to about
/// 1e-12.
const NEEDLE: f64 = 1e-3;

/// Returns the closest point of the triangle to `p`, and its barycentric coordinates (exactly 0 off
/// the feature that holds it).
#[inline]
#[must_use]
pub fn point_triangle(p: &Vec3, tri: &[Vec3; 3]) -> (Vec3, [f64; 3]) {
    let [a, b, c] = *tri;
    let (ab, ac, ap) = (b - a, c - a, p - a);
    let (d1, d2) = (ab.dot(&ap), ac.dot(&ap));
    if d1 <= 0.0 && d2 <= 0.0 {
        return (a, [1.0, 0.0, 0.0]);
    }
    let bp = p - b;
    let (d3, d4) = (ab.dot(&bp), ac.dot(&bp));
    if d3 >= 0.0 && d4 <= d3 {
        return (b, [0.0, 1.0, 0.0]);
    }
    let cp = p - c;
    let (d5, d6) = (ab.dot(&cp), ac.dot(&cp));
    if d6 >= 0.0 && d5 <= d6 {
        return (c, [0.0, 0.0, 1.0]);
    }
    // For a needle, or a triangle that is tiny for its distance, the signs below do not identify
    // the region.
    let side = ab.norm_squared().max(ac.norm_squared());
    let area = ab.cross(&ac).norm_squared();
    if area <= NEEDLE * side * (side + ap.norm_squared()) {
        return point_needle(p, tri);
    }
    let (vc, vb, va) = (d1 * d4 - d3 * d2, d5 * d2 - d1 * d6, d3 * d6 - d5 * d4);
    if vc <= 0.0 && d1 >= 0.0 && d3 <= 0.0 {
        let v = d1 / (d1 - d3);
        return (a + ab * v, [1.0 - v, v, 0.0]);
    }
    if vb <= 0.0 && d2 >= 0.0 && d6 <= 0.0 {
        let w = d2 / (d2 - d6);
        return (a + ac * w, [1.0 - w, 0.0, w]);
    }
    if va <= 0.0 && d4 - d3 >= 0.0 && d5 - d6 >= 0.0 {
        let w = (d4 - d3) / ((d4 - d3) + (d5 - d6));
        return (b + (c - b) * w, [0.0, 1.0 - w, w]);
    }
    let sum = va + vb + vc;
    let (v, w) = (vb / sum, vc / sum);
    (a + ab * v + ac * w, [1.0 - v - w, v, w])
}

/// [`point_triangle`] for triangles of which only the normal is well conditioned: the best of the
/// three sides and the foot of the perpendicular.
#[cold]
fn point_needle(p: &Vec3, tri: &[Vec3; 3]) -> (Vec3, [f64; 3]) {
    let mut best = (tri[0], [1.0, 0.0, 0.0]);
    let mut least = (p - tri[0]).norm_squared();
    let mut offer = |point: Vec3, weights: [f64; 3]| {
        let d = (p - point).norm_squared();
        if d < least {
            (least, best) = (d, (point, weights));
        }
    };
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (point, s) = point_segment(p, &tri[i], &tri[j]);
        let mut weights = [0.0; 3];
        (weights[i], weights[j]) = (1.0 - s, s);
        offer(point, weights);
    }
    let (ab, ac, ap) = (tri[1] - tri[0], tri[2] - tri[0], p - tri[0]);
    let n = ab.cross(&ac);
    let area = n.norm_squared();
    let foot = ap - n * (n.dot(&ap) / area);
    // Across side ab by area, then along it: rounding in one does not spoil the other.
    let w = ab.cross(&foot).dot(&n) / area;
    let v = (foot - ac * w).dot(&ab) / ab.norm_squared();
    if v >= 0.0 && w >= 0.0 && v + w <= 1.0 {
        offer(tri[0] + ab * v + ac * w, [1.0 - v - w, v, w]);
    }
    best
}

/// Returns the closest point `a + s (b - a)` of a segment to `p`, and `s` in `[0, 1]`.
#[inline]
#[must_use]
pub fn point_segment(p: &Vec3, a: &Vec3, b: &Vec3) -> (Vec3, f64) {
    let d = b - a;
    let length = d.norm_squared();
    if length <= 0.0 {
        return (*a, 0.0);
    }
    let s = ((p - a).dot(&d) / length).clamp(0.0, 1.0);
    (a + d * s, s)
}

/// Returns the closest points `p0 + s (p1 - p0)` and `q0 + t (q1 - q0)` of two segments, `s` and
/// `t` in `[0, 1]`.
#[inline]
#[must_use]
pub fn segment_segment(p0: &Vec3, p1: &Vec3, q0: &Vec3, q1: &Vec3) -> (Vec3, Vec3, f64, f64) {
    let (d1, d2, r) = (p1 - p0, q1 - q0, p0 - q0);
    let (a, e) = (d1.norm_squared(), d2.norm_squared());
    let (c, f) = (d1.dot(&r), d2.dot(&r));
    let (s, t);
    if a <= 0.0 {
        (s, t) = (
            0.0,
            if e <= 0.0 {
                0.0
            } else {
                (f / e).clamp(0.0, 1.0)
            },
        );
    } else if e <= 0.0 {
        (s, t) = ((-c / a).clamp(0.0, 1.0), 0.0);
    } else {
        let b = d1.dot(&d2);
        // |d1 x d2|^2, not a e - b^2: accurate down to angles of 1e-16 instead of 1e-8.
        let n = d1.cross(&d2);
        let square = n.norm_squared();
        let mut s0 = if square > 0.0 {
            (d2.cross(&r).dot(&n) / square).clamp(0.0, 1.0)
        } else {
            0.0
        };
        let mut t0 = (b * s0 + f) / e;
        if t0 < 0.0 {
            t0 = 0.0;
            s0 = (-c / a).clamp(0.0, 1.0);
        } else if t0 > 1.0 {
            t0 = 1.0;
            s0 = ((b - c) / a).clamp(0.0, 1.0);
        }
        (s, t) = (s0, t0);
    }
    (p0 + d1 * s, q0 + d2 * t, s, t)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const CASES: u32 = 4000;

    fn vector(size: f64) -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-size..size).prop_map(Vec3::from)
    }

    /// Triangles of all kinds: plain, needles down to nothing, collinear, with equal corners,
    /// small.
    fn triangles() -> impl Strategy<Value = [Vec3; 3]> {
        let shape = (0..5u8, -14.0..0.0f64, 0.0..1.0f64);
        (prop::array::uniform3(vector(1.0)), shape).prop_map(|([a, b, c], (kind, e, k))| {
            let thin = 10f64.powf(e);
            match kind {
                0 => [a, b, c],
                1 => [a, b, a + (b - a) * k + c * thin],
                2 => [a, b, a + (b - a) * (2.0 * k)],
                3 => [a, b, a + c * thin],
                _ => [a, a + (b - a) * thin, a + (c - a) * thin],
            }
        })
    }

    /// Pairs of segments: plain, nearly parallel, parallel, crossing, points.
    fn segments() -> impl Strategy<Value = [Vec3; 4]> {
        let shape = (0..5u8, -16.0..0.0f64, 0.0..1.0f64);
        (prop::array::uniform4(vector(1.0)), shape).prop_map(|([p0, p1, q0, q1], (kind, e, k))| {
            let thin = 10f64.powf(e);
            match kind {
                0 => [p0, p1, q0, q1],
                1 => [p0, p1, q0, q0 + (p1 - p0) * (2.0 * k) + q1 * thin],
                2 => [p0, p1, p0 + (p1 - p0) * k + q0 * thin, p1 + q1 * thin],
                3 => [p0, p1, p0 + (p1 - p0) * k + q0, p0 + (p1 - p0) * k - q0],
                _ => [p0, p0 + p1 * thin, q0, q1],
            }
        })
    }

    /// A lower bound of the distance from `p` to the convex hull of `points`: the gap along the
    /// direction to `closest`.
    fn gap(p: &Vec3, closest: &Vec3, points: &[Vec3]) -> f64 {
        let n = p - closest;
        let length = n.norm();
        if length == 0.0 {
            return 0.0;
        }
        points
            .iter()
            .map(|v| (p - v).dot(&n) / length)
            .fold(f64::INFINITY, f64::min)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(CASES))]

        #[test]
        fn point_triangle_is_the_minimum(tri in triangles(), p in vector(1.5), far in 0..3i32) {
            let p = p * 100f64.powi(far);
            let (q, weights) = point_triangle(&p, &tri);
            // On the triangle, where the weights say.
            prop_assert!(weights.iter().all(|w| (-1e-15..=1.0).contains(w)), "{weights:?}");
            prop_assert!((weights.iter().sum::<f64>() - 1.0).abs() < 1e-15);
            let sum = tri[0] * weights[0] + tri[1] * weights[1] + tri[2] * weights[2];
            prop_assert!((sum - q).norm() < 1e-15 * 4.0);
            // No other point is closer: first against points of the triangle, then by a separating
            // plane.
            let d = (p - q).norm();
            for i in 0..=12 {
                for j in 0..=12 - i {
                    let (v, w) = (f64::from(i) / 12.0, f64::from(j) / 12.0);
                    let other = tri[0] + (tri[1] - tri[0]) * v + (tri[2] - tri[0]) * w;
                    prop_assert!(d <= (p - other).norm() + 1e-15 * (1.0 + p.norm()));
                }
            }
            let scale = 1.0 + p.norm();
            prop_assert!(d - gap(&p, &q, &tri) <= 1e-13 * scale * scale / d.max(1e-300), "{d} {}", gap(&p, &q, &tri));
        }

        #[test]
        fn weights_are_exactly_zero_off_the_feature(tri in triangles(), p in vector(1.5)) {
            let (q, weights) = point_triangle(&p, &tri);
            match weights.map(|w| w == 0.0) {
                [false, true, true] => prop_assert_eq!(q, tri[0]),
                [true, false, true] => prop_assert_eq!(q, tri[1]),
                [true, true, false] => prop_assert_eq!(q, tri[2]),
                [true, true, true] => prop_assert!(false),
                _ => {}
            }
        }

        #[test]
        fn segment_segment_is_the_minimum([p0, p1, q0, q1] in segments()) {
            let (a, b, s, t) = segment_segment(&p0, &p1, &q0, &q1);
            prop_assert!((0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t));
            prop_assert_eq!(a, p0 + (p1 - p0) * s);
            prop_assert_eq!(b, q0 + (q1 - q0) * t);
            let d = (a - b).norm();
            for k in 0..=24 {
                let k = f64::from(k) / 24.0;
                let (on_p, on_q) = (p0 + (p1 - p0) * k, q0 + (q1 - q0) * k);
                prop_assert!(d <= (on_p - point_segment(&on_p, &q0, &q1).0).norm() + 1e-14);
                prop_assert!(d <= (on_q - point_segment(&on_q, &p0, &p1).0).norm() + 1e-14);
            }
            // The segments' projections on a - b are that far apart: nothing can be closer.
            let n = a - b;
            let low = p0.dot(&n).min(p1.dot(&n));
            let high = q0.dot(&n).max(q1.dot(&n));
            prop_assert!(d * d - (low - high) < 1e-13, "{d} {}", low - high);
            // Symmetric.
            let (_, _, t2, s2) = segment_segment(&q0, &q1, &p0, &p1);
            let back = (p0 + (p1 - p0) * s2 - q0 - (q1 - q0) * t2).norm();
            prop_assert!((back - d).abs() < 1e-14, "{back} {d}");
        }
    }

    #[test]
    fn known_places() {
        let tri = [Vec3::zeros(), Vec3::x() * 2.0, Vec3::y() * 2.0];
        let at = |x, y, z| point_triangle(&Vec3::new(x, y, z), &tri);
        assert_eq!(
            at(0.5, 0.5, 3.0),
            (Vec3::new(0.5, 0.5, 0.0), [0.5, 0.25, 0.25])
        );
        assert_eq!(at(1.0, -1.0, 0.0), (Vec3::x(), [0.5, 0.5, 0.0]));
        assert_eq!(
            at(2.0, 2.0, 1.0),
            (Vec3::new(1.0, 1.0, 0.0), [0.0, 0.5, 0.5])
        );
        assert_eq!(at(-1.0, -1.0, 1.0), (Vec3::zeros(), [1.0, 0.0, 0.0]));
        assert_eq!(at(5.0, 0.0, 1.0), (tri[1], [0.0, 1.0, 0.0]));
        let point = [Vec3::x(); 3];
        assert_eq!(point_triangle(&Vec3::y(), &point).0, Vec3::x());
    }

    #[test]
    fn nearly_parallel_segments_cross_where_they_do() {
        // Crossing in the middle at an angle of 1e-9, 1 mm apart: the textbook's determinant is
        // zero there.
        let tilt = Vec3::new(1.0, 1e-9, 0.0);
        let up = Vec3::z() * 1e-3;
        let (_, _, s, t) = segment_segment(&-Vec3::x(), &Vec3::x(), &(up - tilt), &(up + tilt));
        assert!((s - 0.5).abs() < 1e-6 && (t - 0.5).abs() < 1e-6, "{s} {t}");
    }

    #[test]
    fn nan_shows() {
        let bad = Vec3::new(f64::NAN, 0.0, 0.0);
        assert!(
            point_triangle(&bad, &[Vec3::x(), Vec3::y(), Vec3::z()])
                .0
                .x
                .is_nan()
        );
        let (a, ..) = segment_segment(&bad, &Vec3::x(), &Vec3::y(), &Vec3::z());
        assert!(a.x.is_nan());
    }
}
