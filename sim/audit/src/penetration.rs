//! Penetration depth of the tool in the body: zero if and only if they share no point.

use core::ops::ControlFlow;

use hapticd_geometry::{Pose, Vec3};

use crate::Triangle;
use crate::inside::encloses;
use crate::query::{Placement, Tool, is_radius, meeting_pairs, point_surface2};
use crate::solid::Solid;

/// Returns the depth of the tool in the body (m): exactly 0.0 if the surfaces are apart and neither
/// is inside the other, else positive.
///
/// The decision is as exact as [`crate::intersects`] and [`crate::contains`]. The depth measures
/// the damage, not the least translation that separates them. It is the largest of
/// * the distance to the body's surface of any tool vertex (or sphere centre, plus the radius)
///   inside the body,
/// * the distance to the tool's surface of any body vertex inside a closed tool,
/// * for two triangles that meet, the least of how far either reaches across the other's plane and
///   the length of their common line.
///
/// Contact without depth gives a rounding error or [`f64::MIN_POSITIVE`], never zero. A pose or
/// radius that is not finite gives infinity. A sheet has no inside, so only crossing it counts.
#[must_use]
pub fn penetration_depth_m(
    tool: &Tool<'_>,
    world_from_tool: &Pose,
    body: &Solid,
    world_from_body: &Pose,
) -> f64 {
    let Some(placement) = Placement::new(world_from_tool, world_from_body) else {
        return f64::INFINITY;
    };
    match *tool {
        Tool::Mesh(tool) => mesh_depth(tool, body, &placement),
        Tool::Sphere { radius_m } if is_radius(radius_m) => {
            sphere_depth(radius_m, body, &placement)
        }
        Tool::Sphere { .. } => f64::INFINITY,
    }
}

fn sphere_depth(radius_m: f64, body: &Solid, placement: &Placement) -> f64 {
    let centre = placement.origin();
    let distance2 = point_surface2(body, &centre, f64::INFINITY).map_or(0.0, |(d2, _)| d2);
    let distance = distance2.sqrt();
    if encloses(body, &centre) {
        (radius_m + distance).max(f64::MIN_POSITIVE)
    } else if distance2 <= radius_m * radius_m {
        (radius_m - distance).max(f64::MIN_POSITIVE)
    } else {
        0.0
    }
}

fn mesh_depth(tool: &Solid, body: &Solid, placement: &Placement) -> f64 {
    let mut depth: Option<f64> = None;
    meeting_pairs(tool, body, placement, |i, j| {
        let across = crossing_depth(&placement.triangle(&tool.corners(i)), &body.corners(j));
        depth = Some(depth.unwrap_or(0.0).max(across));
        ControlFlow::Continue(())
    });
    let apart = depth.is_none();
    // The surfaces are apart: one vertex of each piece shows where the piece is.
    let swallowed = || {
        tool.piece_vertices()
            .any(|p| encloses(body, &placement.point(p)))
            || body
                .piece_vertices()
                .any(|p| encloses(tool, &placement.point_back(p)))
    };
    if apart && !swallowed() {
        return 0.0;
    }
    let mut deepest = depth.unwrap_or(0.0);
    for p in tool.vertices() {
        let p = placement.point(p);
        if encloses(body, &p) {
            deepest = deepest.max(surface_distance(body, &p));
        }
    }
    for p in body.vertices() {
        let p = placement.point_back(p);
        if encloses(tool, &p) {
            deepest = deepest.max(surface_distance(tool, &p));
        }
    }
    deepest.max(f64::MIN_POSITIVE)
}

fn surface_distance(solid: &Solid, p: &Vec3) -> f64 {
    point_surface2(solid, p, f64::INFINITY).map_or(0.0, |(d2, _)| d2.sqrt())
}

/// Depth to which two meeting triangles reach into each other: the least translation along either
/// normal, or along the line in which they cut each other.
fn crossing_depth(a: &Triangle, b: &Triangle) -> f64 {
    let (Some(na), Some(nb)) = (normal(a), normal(b)) else {
        return 0.0;
    };
    let across = reach_across(&na, a, b).min(reach_across(&nb, b, a));
    let line = na.cross(&nb);
    let length = line.norm();
    if length <= 0.0 {
        return across;
    }
    let line = line / length;
    let (from_a, to_a) = cut(&nb, &b[0], a, &line);
    let (from_b, to_b) = cut(&na, &a[0], b, &line);
    across.min((to_a.min(to_b) - from_a.max(from_b)).max(0.0))
}

fn normal(t: &Triangle) -> Option<Vec3> {
    let normal = (t[1] - t[0]).cross(&(t[2] - t[0]));
    let length = normal.norm();
    (length > 0.0).then(|| normal / length)
}

/// How far `b` reaches across the plane of `a`, on the side where it reaches less.
fn reach_across(normal: &Vec3, a: &Triangle, b: &Triangle) -> f64 {
    let heights = b.map(|p| (p - a[0]).dot(normal));
    let above = heights.iter().fold(0.0_f64, |m, &h| m.max(h));
    let below = heights.iter().fold(0.0_f64, |m, &h| m.max(-h));
    above.min(below)
}

/// Range along `line` in which a plane cuts a triangle; empty (from > to) if it does not.
fn cut(normal: &Vec3, origin: &Vec3, t: &Triangle, line: &Vec3) -> (f64, f64) {
    let heights = t.map(|p| (p - origin).dot(normal));
    let mut range = (f64::INFINITY, f64::NEG_INFINITY);
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (h, k) = (heights[i], heights[j]);
        if (h <= 0.0 && k >= 0.0) || (h >= 0.0 && k <= 0.0) {
            let share = if h == k { 0.0 } else { h / (h - k) };
            let at = (t[i] + (t[j] - t[i]) * share).dot(line);
            range = (range.0.min(at), range.1.max(at));
        }
    }
    range
}
