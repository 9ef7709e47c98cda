//! Point in closed surface: exact crossing count along a segment to a far point.
//!
//! Exact predicates decide each crossing. A segment through an edge or a corner is undecided, and
//! another far point is tried. The far points are fixed, so the answer is deterministic.

use hapticd_geometry::{Pose, Vec3};

use crate::Triangle;
use crate::boxes::{Aabb, Content};
use crate::exact::{orient3d, segment_meets_triangle};
use crate::solid::Solid;

/// Far points tried before the solid angle decides.
const ATTEMPTS: u32 = 64;

/// Returns whether the world point lies inside the body at `world_from_body`, or on its surface.
/// Always false for a sheet.
///
/// Inside means a winding number other than zero for an oriented surface, and an odd number of
/// crossings for any other closed one. The point is moved into the body's frame with `f64`; from
/// there the test is exact. A point or a pose that is not finite counts as inside.
#[must_use]
pub fn contains(body: &Solid, world_from_body: &Pose, point: &Vec3) -> bool {
    if !body.closed {
        return false;
    }
    if !(crate::is_finite(world_from_body) && point.iter().all(|x| x.is_finite())) {
        return true;
    }
    let local = world_from_body.rotation.inverse() * (point - world_from_body.translation.vector);
    encloses(body, &local)
}

/// [`contains`] for a point in the body's own frame.
pub(crate) fn encloses(body: &Solid, p: &Vec3) -> bool {
    let bounds = body.bounds();
    if !body.closed || !bounds.overlaps(&Aabb::of_point(p)) {
        return false;
    }
    let size = (bounds.high - bounds.low).norm().max(f64::MIN_POSITIVE);
    for attempt in 0..ATTEMPTS {
        // Directions spread by the golden angle; twice the diagonal ends beyond the box.
        let height = 1.0 - (2.0 * f64::from(attempt) + 1.0) / f64::from(ATTEMPTS);
        let (sin, cos) = (2.399_963_229_728_653 * f64::from(attempt) + 0.7).sin_cos();
        let across = (1.0 - height * height).sqrt();
        let far = p + Vec3::new(across * cos, across * sin, height) * (2.0 * size);
        match crossings(body, p, &far) {
            Some(Crossings::OnSurface) => return true,
            Some(Crossings::Count { number, winding }) => {
                return if body.oriented {
                    winding != 0
                } else {
                    number % 2 == 1
                };
            }
            None => {}
        }
    }
    solid_angle_says_inside(body, p)
}

enum Crossings {
    OnSurface,
    Count { number: u64, winding: i64 },
}

/// Counts the crossings of the segment from `p` to `far`; `None` if a crossing is not through the
/// interior of one triangle.
fn crossings(body: &Solid, p: &Vec3, far: &Vec3) -> Option<Crossings> {
    let around = Aabb {
        low: p.inf(far),
        high: p.sup(far),
    };
    let (mut number, mut winding) = (0, 0);
    let mut pending = vec![0];
    while let Some(index) = pending.pop() {
        let node = body.boxes.node(index);
        if !node.bounds.overlaps(&around) {
            continue;
        }
        match node.content {
            Content::Inner(a, b) => pending.extend([a, b]),
            Content::Leaf(start, end) => {
                for &i in body.boxes.triangles(start, end) {
                    match crossing(&body.corners(i), p, far)? {
                        Crossing::None => {}
                        Crossing::OnSurface => return Some(Crossings::OnSurface),
                        Crossing::Through(direction) => {
                            number += 1;
                            winding += direction;
                        }
                    }
                }
            }
        }
    }
    Some(Crossings::Count { number, winding })
}

enum Crossing {
    None,
    OnSurface,
    /// 1 if it leaves through the front of the triangle, -1 if through the back.
    Through(i64),
}

/// Returns how the segment crosses the triangle; `None` if it meets the triangle's border or lies
/// in its plane.
fn crossing(t: &Triangle, p: &Vec3, far: &Vec3) -> Option<Crossing> {
    let [a, b, c] = t;
    let from = orient3d(a, b, c, p);
    let to = orient3d(a, b, c, far);
    if (from > 0.0 && to > 0.0) || (from < 0.0 && to < 0.0) {
        return Some(Crossing::None);
    }
    if from == 0.0 && segment_meets_triangle(p, p, t) {
        return Some(Crossing::OnSurface);
    }
    if from == 0.0 && to == 0.0 {
        // In the plane, or a triangle without area: undecided only if it is really hit.
        let hit = segment_meets_triangle(p, far, t);
        return if hit { None } else { Some(Crossing::None) };
    }
    if from == 0.0 {
        // It leaves the plane at p, which is not in the triangle.
        return Some(Crossing::None);
    }
    let around = [
        orient3d(p, far, a, b),
        orient3d(p, far, b, c),
        orient3d(p, far, c, a),
    ];
    let positive = around.iter().any(|&s| s > 0.0);
    let negative = around.iter().any(|&s| s < 0.0);
    if positive && negative {
        return Some(Crossing::None);
    }
    if to == 0.0 || around.contains(&0.0) {
        return None;
    }
    // It starts below the triangle (behind its front): it leaves.
    Some(Crossing::Through(if from > 0.0 { 1 } else { -1 }))
}

/// Decides by the winding number from solid angles (van Oosterom and Strackee 1983), for a point
/// that no segment could decide.
fn solid_angle_says_inside(body: &Solid, p: &Vec3) -> bool {
    let total: f64 = body
        .triangles()
        .map(|t| {
            let [a, b, c] = t.map(|v| v - p);
            let (la, lb, lc) = (a.norm(), b.norm(), c.norm());
            let volume = a.dot(&b.cross(&c));
            let spread = la * lb * lc + a.dot(&b) * lc + b.dot(&c) * la + c.dot(&a) * lb;
            2.0 * volume.atan2(spread)
        })
        .sum();
    let winding = (total / (4.0 * std::f64::consts::PI)).round() as i64;
    if body.oriented {
        winding != 0
    } else {
        winding % 2 != 0
    }
}
