//! Queries on two surfaces: do they meet, and how far apart are they? Traversals of two box trees.
//!
//! The tool is moved into the body's frame. Every vertex is moved in the same way wherever it
//! occurs, so that neighbouring triangles stay joined.

use core::ops::ControlFlow;

use hapticd_geometry::{Pose, Vec3};
use nalgebra::Matrix3;

use crate::Triangle;
use crate::boxes::{Aabb, Boxes, Content};
use crate::exact::{segment_meets_triangle, triangles_meet};
use crate::measure::{point_triangle2, triangle_triangle2};
use crate::solid::Solid;

/// A shape that is moved and must stay outside the bodies.
#[derive(Clone, Copy, Debug)]
pub enum Tool<'a> {
    /// A mesh, in the tool's frame.
    Mesh(&'a Solid),
    /// A ball about the origin of the tool's frame.
    Sphere {
        /// Its radius (m), zero for a point.
        radius_m: f64,
    },
}

/// Two triangles that meet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Triangle of the tool, `None` for a sphere.
    pub tool_triangle: Option<u32>,
    /// Triangle of the body.
    pub body_triangle: u32,
}

/// Pose of the tool in the body's frame.
pub(crate) struct Placement {
    pose: Pose,
    rotation: Matrix3<f64>,
}

impl Placement {
    /// Returns `None` if a pose is not finite.
    pub fn new(world_from_tool: &Pose, world_from_body: &Pose) -> Option<Self> {
        let pose = world_from_body.inverse() * world_from_tool;
        crate::is_finite(&pose).then(|| Self {
            rotation: pose.rotation.to_rotation_matrix().into_inner(),
            pose,
        })
    }

    /// Moves a point of the tool into the body's frame, with the rounding from which exactness
    /// starts.
    pub fn point(&self, p: &Vec3) -> Vec3 {
        self.rotation * p + self.pose.translation.vector
    }

    /// Moves a point of the body into the tool's frame.
    pub fn point_back(&self, p: &Vec3) -> Vec3 {
        self.rotation.tr_mul(&(p - self.pose.translation.vector))
    }

    /// The origin of the tool's frame, which is the centre of a sphere tool.
    pub fn origin(&self) -> Vec3 {
        self.pose.translation.vector
    }

    pub fn triangle(&self, t: &Triangle) -> Triangle {
        t.map(|p| self.point(&p))
    }

    fn bounds(&self, b: &Aabb) -> Aabb {
        b.transformed(&self.pose, &self.rotation)
    }
}

/// Returns whether a sphere radius is valid: finite and not negative.
pub(crate) fn is_radius(radius_m: f64) -> bool {
    radius_m.is_finite() && radius_m >= 0.0
}

/// Returns the first pair of triangles found that meet, touching included; `None` if the surfaces
/// are apart.
///
/// A tool entirely inside a body meets nothing: see [`crate::penetration_depth_m`]. Exact for a
/// mesh tool (crate documentation); for a sphere the rounded squared distance is compared. A pose
/// or radius that is not finite is reported as a hit of the first triangle.
#[must_use]
pub fn intersects(
    tool: &Tool<'_>,
    world_from_tool: &Pose,
    body: &Solid,
    world_from_body: &Pose,
) -> Option<Hit> {
    let refused = Some(Hit {
        tool_triangle: None,
        body_triangle: 0,
    });
    let Some(placement) = Placement::new(world_from_tool, world_from_body) else {
        return refused;
    };
    match *tool {
        Tool::Mesh(tool) => {
            let mut found = None;
            meeting_pairs(tool, body, &placement, |i, j| {
                found = Some(Hit {
                    tool_triangle: Some(i),
                    body_triangle: j,
                });
                ControlFlow::Break(())
            });
            found
        }
        Tool::Sphere { radius_m } if is_radius(radius_m) => {
            let limit2 = radius_m * radius_m;
            let (distance2, body_triangle) =
                point_surface2(body, &placement.origin(), f64::INFINITY)?;
            (distance2 <= limit2).then_some(Hit {
                tool_triangle: None,
                body_triangle,
            })
        }
        Tool::Sphere { .. } => refused,
    }
}

/// Returns the least distance of the two surfaces (m): zero exactly when [`intersects`] finds a
/// pair.
///
/// Plain `f64`, never below the true distance by more than rounding, a few units in the last place
/// of the coordinates. For a sphere the ball's surface counts: the distance of its centre minus its
/// radius. A pose or radius that is not finite gives zero.
#[must_use]
pub fn distance_m(
    tool: &Tool<'_>,
    world_from_tool: &Pose,
    body: &Solid,
    world_from_body: &Pose,
) -> f64 {
    distance_within(tool, world_from_tool, body, world_from_body, f64::INFINITY)
}

/// Returns the distance, or `limit_m` (made positive) if that is smaller.
pub(crate) fn distance_within(
    tool: &Tool<'_>,
    world_from_tool: &Pose,
    body: &Solid,
    world_from_body: &Pose,
    limit_m: f64,
) -> f64 {
    let limit_m = limit_m.max(f64::MIN_POSITIVE);
    let Some(placement) = Placement::new(world_from_tool, world_from_body) else {
        return 0.0;
    };
    match *tool {
        Tool::Mesh(tool) => surface_surface(tool, body, &placement, limit_m),
        Tool::Sphere { radius_m } if is_radius(radius_m) => {
            let reach = radius_m + limit_m;
            match point_surface2(body, &placement.origin(), reach * reach) {
                Some((d2, _)) if d2 <= radius_m * radius_m => 0.0,
                Some((d2, _)) => (d2.sqrt() - radius_m).clamp(f64::MIN_POSITIVE, limit_m),
                None => limit_m,
            }
        }
        Tool::Sphere { .. } => 0.0,
    }
}

/// Visits every pair of triangles that meet, until the visitor breaks off.
pub(crate) fn meeting_pairs(
    tool: &Solid,
    body: &Solid,
    placement: &Placement,
    mut visit: impl FnMut(u32, u32) -> ControlFlow<()>,
) {
    let mut pending = vec![(0, 0)];
    while let Some((i, j)) = pending.pop() {
        let (a, b) = (tool.boxes.node(i), body.boxes.node(j));
        if !placement.bounds(&a.bounds).overlaps(&b.bounds) {
            continue;
        }
        let (Content::Leaf(a0, a1), Content::Leaf(b0, b1)) = (a.content, b.content) else {
            pending.extend(children(&tool.boxes, i, &body.boxes, j));
            continue;
        };
        for &i in tool.boxes.triangles(a0, a1) {
            let moved = placement.triangle(&tool.corners(i));
            let bounds = Aabb::of_triangle(&moved);
            for &j in body.boxes.triangles(b0, b1) {
                let fixed = body.corners(j);
                if bounds.overlaps(&Aabb::of_triangle(&fixed))
                    && triangles_meet(&moved, &fixed)
                    && visit(i, j).is_break()
                {
                    return;
                }
            }
        }
    }
}

/// Returns the pairs below a pair of nodes that are not both leaves: the larger one is opened.
fn children(a: &Boxes, i: usize, b: &Boxes, j: usize) -> [(usize, usize); 2] {
    let (x, y) = (a.node(i), b.node(j));
    match (x.content, y.content) {
        (Content::Inner(l, r), Content::Leaf(..)) => [(l, j), (r, j)],
        (Content::Inner(l, r), _) if x.bounds.size2() > y.bounds.size2() => [(l, j), (r, j)],
        (_, Content::Inner(l, r)) => [(i, l), (i, r)],
        // Two leaves: never called.
        _ => [(i, j), (i, j)],
    }
}

fn surface_surface(tool: &Solid, body: &Solid, placement: &Placement, limit_m: f64) -> f64 {
    let squared_gap = |i: usize, j: usize| {
        placement
            .bounds(&tool.boxes.node(i).bounds)
            .distance2(&body.boxes.node(j).bounds)
    };
    let mut best2 = limit_m * limit_m;
    let mut pending = vec![(squared_gap(0, 0), 0, 0)];
    while let Some((near2, i, j)) = pending.pop() {
        if near2 > best2 {
            continue;
        }
        let (a, b) = (tool.boxes.node(i), body.boxes.node(j));
        let (Content::Leaf(a0, a1), Content::Leaf(b0, b1)) = (a.content, b.content) else {
            let mut next =
                children(&tool.boxes, i, &body.boxes, j).map(|(i, j)| (squared_gap(i, j), i, j));
            // The nearer pair is popped first.
            next.sort_by(|x, y| y.0.total_cmp(&x.0));
            pending.extend(next);
            continue;
        };
        for &i in tool.boxes.triangles(a0, a1) {
            let moved = placement.triangle(&tool.corners(i));
            let bounds = Aabb::of_triangle(&moved);
            for &j in body.boxes.triangles(b0, b1) {
                let fixed = body.corners(j);
                let around = Aabb::of_triangle(&fixed);
                if bounds.overlaps(&around) && triangles_meet(&moved, &fixed) {
                    return 0.0;
                }
                if bounds.distance2(&around) < best2 {
                    best2 = best2.min(triangle_triangle2(&moved, &fixed));
                }
            }
        }
    }
    best2.sqrt().clamp(f64::MIN_POSITIVE, limit_m)
}

/// Returns the squared distance from a point to the surface and the nearest triangle; `None` if it
/// is `limit2` or more.
pub(crate) fn point_surface2(body: &Solid, p: &Vec3, limit2: f64) -> Option<(f64, u32)> {
    let at = Aabb::of_point(p);
    let squared_gap = |i: usize| body.boxes.node(i).bounds.distance2(&at);
    let mut best = None;
    let mut best2 = limit2;
    let mut pending = vec![(squared_gap(0), 0)];
    while let Some((near2, i)) = pending.pop() {
        if near2 > best2 {
            continue;
        }
        match body.boxes.node(i).content {
            Content::Inner(l, r) => {
                let (l, r) = ((squared_gap(l), l), (squared_gap(r), r));
                pending.extend(if l.0 < r.0 { [r, l] } else { [l, r] });
            }
            Content::Leaf(start, end) => {
                for &j in body.boxes.triangles(start, end) {
                    let d2 = point_triangle2(p, &body.corners(j));
                    if d2 < best2 {
                        best2 = d2;
                        best = Some((d2, j));
                    }
                }
            }
        }
    }
    best
}

/// Returns whether the closed segment meets the surface. Exact.
pub(crate) fn segment_meets_surface(body: &Solid, p: &Vec3, q: &Vec3) -> bool {
    let around = Aabb::of_point(p).union(&Aabb::of_point(q));
    let mut pending = vec![0];
    while let Some(i) = pending.pop() {
        let node = body.boxes.node(i);
        if !node.bounds.overlaps(&around) {
            continue;
        }
        match node.content {
            Content::Inner(l, r) => pending.extend([l, r]),
            Content::Leaf(start, end) => {
                let mut leaf = body.boxes.triangles(start, end).iter();
                if leaf.any(|&j| segment_meets_triangle(p, q, &body.corners(j))) {
                    return true;
                }
            }
        }
    }
    false
}
