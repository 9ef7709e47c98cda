//! Vectors of one cone: few, with a positive hull that contains all given normals.
//!
//! Deterministic, instead of the thesis' annealing (section 4.5.2). The normals are projected from
//! the origin onto a plane, along a direction that is within a right angle of every normal. The
//! corners of their convex hull are the smallest set with the same positive hull. A polygon with
//! too many corners loses sides: always the one for which the extended neighbours enclose the least
//! additional area.
//!
//! Off-line; allocates; no panics.

use hapticd_geometry::Vec3;

/// Maximum number of vectors of a cone.
pub const MAX_VECTORS: usize = 9;
/// Minimum cosine between a normal and the axis. A normal nearer to a right angle makes no cone:
/// its projection would be too far away.
const MIN_COSINE: f64 = 1e-2;

type Point = [f64; 2];

/// Returns at most `most` (3 to 9) unit vectors with a positive hull that contains all `normals`,
/// which are unit vectors.
///
/// `None` if the normals do not fit a cone: they span half of all directions or more, up to
/// rounding. No set with all of them can then recede as a whole.
#[must_use]
pub fn enclosing_cone(normals: &[Vec3], most: usize) -> Option<Vec<Vec3>> {
    let axis = common_axis(normals)?;
    let aside = if axis.x.abs() < 0.6 {
        Vec3::x()
    } else {
        Vec3::y()
    };
    let e = axis.cross(&aside).normalize();
    let f = axis.cross(&e);
    let mut points: Vec<Point> = Vec::with_capacity(normals.len());
    for n in normals {
        let along = n.dot(&axis);
        points.push([n.dot(&e) / along, n.dot(&f) / along]);
    }
    let mut corners = convex_hull(points);
    let most = most.clamp(3, MAX_VECTORS);
    while corners.len() > most {
        if !drop_side(&mut corners) {
            corners = triangle_around(&corners);
        }
    }
    let lift = |[x, y]: Point| (axis + e * x + f * y).normalize();
    Some(corners.into_iter().map(lift).collect())
}

/// Unit vector within less than a right angle of all given unit vectors, found by steps towards the
/// nearest point of their convex hull.
fn common_axis(normals: &[Vec3]) -> Option<Vec3> {
    /// Maximum number of steps; inputs that need more hardly fit a cone.
    const STEPS: u32 = 64;
    let mut x = normals.iter().sum::<Vec3>() / normals.len() as f64;
    for _ in 0..STEPS {
        let unit = x.try_normalize(1e-9)?;
        let mut worst = (f64::INFINITY, Vec3::zeros());
        for n in normals {
            let cosine = n.dot(&unit);
            // In this order a NaN becomes the worst.
            if !(cosine >= worst.0) {
                worst = (cosine, *n);
            }
        }
        if worst.0 >= MIN_COSINE {
            return Some(unit);
        }
        // Nearest point to the origin on the segment to the worst normal.
        let d = worst.1 - x;
        let s = (-x.dot(&d) / d.norm_squared()).clamp(0.0, 1.0);
        x += d * s;
        if !(s > 0.0) {
            return None;
        }
    }
    None
}

fn cross(o: Point, p: Point, q: Point) -> f64 {
    (p[0] - o[0]) * (q[1] - o[1]) - (p[1] - o[1]) * (q[0] - o[0])
}

/// Corners of the convex hull, counter-clockwise (Andrew's monotone chain); one for a point, two
/// for a segment.
fn convex_hull(mut points: Vec<Point>) -> Vec<Point> {
    points.sort_by(|p, q| p[0].total_cmp(&q[0]).then(p[1].total_cmp(&q[1])));
    // Points equal up to rounding are merged.
    points.dedup_by(|p, q| (p[0] - q[0]).abs() + (p[1] - q[1]).abs() < 1e-12);
    if points.len() < 3 {
        return points;
    }
    let half = |points: &mut dyn Iterator<Item = Point>| {
        let mut chain: Vec<Point> = Vec::new();
        for p in points {
            while chain.len() >= 2 {
                let (o, q) = (chain[chain.len() - 2], chain[chain.len() - 1]);
                if cross(o, q, p) > 1e-14 {
                    break;
                }
                chain.pop();
            }
            chain.push(p);
        }
        chain.pop();
        chain
    };
    let mut hull = half(&mut points.iter().copied());
    hull.extend(half(&mut points.iter().rev().copied()));
    hull
}

/// Removes the side that costs the least area; false if none can be removed.
fn drop_side(corners: &mut Vec<Point>) -> bool {
    let n = corners.len();
    let mut best: Option<(f64, usize, Point)> = None;
    for k in 0..n {
        let [a, b, c, d] = [k, k + 1, k + 2, k + 3].map(|i| corners[i % n]);
        // Side bc is removed; the lines ab and cd meet outside b and c.
        let (u, v) = ([b[0] - a[0], b[1] - a[1]], [d[0] - c[0], d[1] - c[1]]);
        let turn = u[0] * v[1] - u[1] * v[0];
        if turn <= 1e-12 {
            continue;
        }
        let s = ((c[0] - b[0]) * v[1] - (c[1] - b[1]) * v[0]) / turn;
        let p = [b[0] + u[0] * s, b[1] + u[1] * s];
        let area = cross(b, p, c).abs();
        // Not too far out.
        if p[0].abs() + p[1].abs() < 1e6 && best.is_none_or(|x| area < x.0) {
            best = Some((area, (k + 1) % n, p));
        }
    }
    let Some((_, k, p)) = best else {
        return false;
    };
    corners[k] = p;
    corners.remove((k + 1) % n);
    true
}

/// Triangle around a circle that contains all points.
fn triangle_around(points: &[Point]) -> Vec<Point> {
    let n = points.len() as f64;
    let sum = points
        .iter()
        .fold([0.0; 2], |s, p| [s[0] + p[0], s[1] + p[1]]);
    let center = [sum[0] / n, sum[1] / n];
    let away = |p: &Point| (p[0] - center[0]).hypot(p[1] - center[1]);
    let radius = 2.0 * points.iter().map(away).fold(0.0, f64::max) * (1.0 + 1e-9);
    let height = 0.5 * 3f64.sqrt() * radius;
    vec![
        [center[0] + radius, center[1]],
        [center[0] - 0.5 * radius, center[1] + height],
        [center[0] - 0.5 * radius, center[1] - height],
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn vector() -> impl Strategy<Value = Vec3> {
        prop::array::uniform3(-1.0..1.0f64)
            .prop_map(Vec3::from)
            .prop_filter("long enough", |v| v.norm() > 0.1)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(600))]

        /// A direction against all cone vectors is against all normals. Tested by sampling near the
        /// cone and everywhere.
        #[test]
        fn normals_are_enclosed(
            about in vector(), spread in 0.0..2.0f64, offsets in prop::collection::vec(vector(), 1..40),
            most in 3..10usize, tries in prop::collection::vec(vector(), 300),
        ) {
            let about = about.normalize();
            let normals: Vec<Vec3> = offsets.iter().map(|o| (about + o * spread).normalize()).collect();
            let Some(cone) = enclosing_cone(&normals, most) else {
                // Only if no cone fits: no direction is well within a right angle of all.
                for v in &tries {
                    let v = v.normalize();
                    prop_assert!(normals.iter().any(|n| n.dot(&v) < 0.2));
                }
                return Ok(());
            };
            prop_assert!(!cone.is_empty() && cone.len() <= most);
            prop_assert!(cone.iter().all(|m| (m.norm() - 1.0).abs() < 1e-12));
            let mut inside = 0;
            let near = tries.iter().map(|v| (v * 0.7 - about).normalize());
            for v in near.chain(tries.iter().map(|v| v.normalize())) {
                if cone.iter().all(|m| m.dot(&v) < -1e-9) {
                    inside += 1;
                    prop_assert!(normals.iter().all(|n| n.dot(&v) < 0.0), "{:?}", cone);
                }
            }
            // Nearly equal normals make a cone that accepts many directions.
            prop_assert!(spread > 0.1 || inside > 0);
        }

        /// Up to the allowed number the cone is exact: a direction against all normals is against
        /// the cone.
        #[test]
        fn few_normals_lose_nothing(about in vector(), offsets in prop::collection::vec(vector(), 1..10), tries in prop::collection::vec(vector(), 100)) {
            let normals: Vec<Vec3> = offsets.iter().map(|o| (about.normalize() + o * 0.4).normalize()).collect();
            if let Some(cone) = enclosing_cone(&normals, 9) {
                for v in tries {
                    if normals.iter().all(|n| n.dot(&v) < -1e-9) {
                        prop_assert!(cone.iter().all(|m| m.dot(&v) < 0.0));
                    }
                }
            }
        }
    }

    #[test]
    fn points_segments_squares_and_no_room() {
        let up = Vec3::z();
        assert_eq!(enclosing_cone(&[up, up, up], 3).map(|c| c.len()), Some(1));
        let roof = [
            Vec3::new(0.5, 0.0, 1.0).normalize(),
            Vec3::new(-0.5, 0.0, 1.0).normalize(),
        ];
        let ridge = [roof[0], up, roof[1], up];
        assert_eq!(enclosing_cone(&ridge, 3).map(|c| c.len()), Some(2));
        let square: Vec<Vec3> = [(1.0, 0.0), (0.0, 1.0), (-1.0, 0.0), (0.0, -1.0)]
            .map(|(x, y)| Vec3::new(x, y, 1.0).normalize())
            .to_vec();
        // No side of a square can be removed: its neighbours are parallel.
        assert_eq!(enclosing_cone(&square, 3).map(|c| c.len()), Some(3));
        assert_eq!(enclosing_cone(&square, 4).map(|c| c.len()), Some(4));
        assert!(enclosing_cone(&[up, -up], 9).is_none());
        assert!(enclosing_cone(&[Vec3::repeat(f64::NAN)], 9).is_none());
        let all = [
            Vec3::x(),
            -Vec3::x(),
            Vec3::y(),
            -Vec3::y(),
            Vec3::z(),
            -Vec3::z(),
        ];
        assert!(enclosing_cone(&all, 9).is_none());
    }
}
