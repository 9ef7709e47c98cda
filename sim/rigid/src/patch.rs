//! Contact reduction for face on face: of the coplanar contacts, those at the corners of their hull
//! suffice.
//!
//! With one normal and one gap, the row of a point inside the hull of others is a convex
//! combination of theirs. The same holds for any friction that it could take up, force and moment.
//! Leaving it out changes no motion, and two stacked boxes have four contacts instead of eight or
//! more.

use hapticd_geometry::Vec3;

use crate::point::{Features, Point};

/// Limit of `1 - cos` for normals that belong to one plane.
const SAME_PLANE: f64 = 1e-7;
/// A point is left out if its gap is at least the largest of its plane minus this fraction of the
/// safe distance.
const SAME_GAP: f64 = 0.05;

/// Keeps in `points` the corners of the hull of every plane, in their order, and the pairs in
/// `keep`. `safe_m` is the safe distance; `work` and `drop` are work space.
pub(crate) fn keep_corners(
    points: &mut Vec<Point>,
    keep: &[Features],
    safe_m: f64,
    (work, drop): (&mut Vec<(f64, f64, usize)>, &mut Vec<bool>),
) {
    drop.clear();
    drop.resize(points.len(), false);
    // Each plane is taken by its first point; a point belongs to one plane only.
    for first in 0..points.len() {
        let n = points[first].normal;
        let origin = points[first].middle;
        let in_plane = |p: &Point| {
            p.normal.dot(&n) > 1.0 - SAME_PLANE && (p.middle - origin).dot(&n).abs() <= 2.0 * safe_m
        };
        if drop[first] || points[..first].iter().any(in_plane) {
            continue;
        }
        let across = Vec3::ith(n.iamin(), 1.0).cross(&n).normalize();
        let along = n.cross(&across);
        work.clear();
        let mut most = 0.0_f64;
        for (k, p) in points.iter().enumerate().filter(|(_, p)| in_plane(p)) {
            let r = p.middle - origin;
            work.push((r.dot(&across), r.dot(&along), k));
            most = most.max(p.gap_m);
        }
        if work.len() <= 2 {
            continue;
        }
        for &(.., k) in work.iter() {
            drop[k] =
                points[k].gap_m >= most - SAME_GAP * safe_m && !keep.contains(&points[k].features);
        }
        work.sort_unstable_by(|x, y| x.0.total_cmp(&y.0).then(x.1.total_cmp(&y.1)));
        half_hull(work, safe_m, drop);
        work.reverse();
        half_hull(work, safe_m, drop);
    }
    let mut k = 0;
    points.retain(|_| {
        k += 1;
        !drop[k - 1]
    });
}

/// Unmarks the corners of one side of the hull of sorted points (Andrew's chain), except those
/// nearer than `tolerance` to a side.
fn half_hull(sorted: &[(f64, f64, usize)], tolerance: f64, drop: &mut [bool]) {
    let mut at = 0;
    drop[sorted[0].2] = false;
    while at + 1 < sorted.len() {
        let from = sorted[at];
        // The next corner: all points lie to the left of the line to it.
        let mut next = sorted.len() - 1;
        for (k, p) in sorted.iter().enumerate().skip(at + 1) {
            let q = sorted[next];
            let cross = (q.0 - from.0) * (p.1 - from.1) - (q.1 - from.1) * (p.0 - from.0);
            let length = (q.0 - from.0).hypot(q.1 - from.1);
            // Of collinear ones, the farthest.
            let farther = (p.0 - from.0).hypot(p.1 - from.1) > length;
            if k != next && (cross < -tolerance * length || farther && cross <= tolerance * length)
            {
                next = k;
            }
        }
        drop[sorted[next].2] = false;
        at = next;
    }
}

#[cfg(test)]
mod tests {
    use hapticd_ccd::PairKind;

    use super::*;

    fn point(x: f64, y: f64, z: f64, normal: Vec3) -> Point {
        Point {
            features: Features {
                kind: PairKind::EdgeEdge,
                a: 0,
                b: 0,
            },
            normal,
            middle: Vec3::new(x, y, z),
            gap_m: 1e-4,
            impulse: Vec3::zeros(),
        }
    }

    fn corners(points: &mut Vec<Point>) {
        keep_corners(points, &[], 1e-4, (&mut Vec::new(), &mut Vec::new()));
    }

    #[test]
    fn the_corners_of_a_rectangle_stay_and_other_planes_too() {
        let mut points = Vec::new();
        for y in 0..4 {
            for x in 0..5 {
                points.push(point(f64::from(x), f64::from(y), 0.0, Vec3::z()));
            }
        }
        points.push(point(0.0, 0.0, 1.0, Vec3::z()));
        points.push(point(9.0, 0.5, 0.0, Vec3::x()));
        corners(&mut points);
        let kept: Vec<(f64, f64)> = points.iter().map(|p| (p.middle.x, p.middle.y)).collect();
        assert_eq!(
            kept,
            [
                (0.0, 0.0),
                (4.0, 0.0),
                (0.0, 3.0),
                (4.0, 3.0),
                (0.0, 0.0),
                (9.0, 0.5)
            ]
        );
    }

    #[test]
    fn what_is_nearer_than_its_plane_stays() {
        let mut points: Vec<Point> = [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0), (1.0, 0.7), (1.1, 0.7)]
            .iter()
            .map(|&(x, y)| point(x, y, 0.0, Vec3::z()))
            .collect();
        points[3].gap_m = 0.5e-4;
        corners(&mut points);
        assert_eq!(points.len(), 4);
        points.swap_remove(3);
        points.push(point(1.0, 0.7, 0.0, Vec3::z()));
        corners(&mut points);
        assert_eq!(points.len(), 3);
    }

    #[test]
    fn a_polygon_keeps_all_its_corners() {
        let corner = |k: i32| {
            let a = f64::from(k) * 0.7;
            point(a.cos(), a.sin(), 0.0, Vec3::z())
        };
        let mut points: Vec<Point> = (0..8).map(corner).collect();
        points.push(point(0.1, 0.2, 0.0, Vec3::z()));
        corners(&mut points);
        assert_eq!(points.len(), 8);
    }
}
