//! The three ray-tracing algorithms: tree, basic and walk (Lehericey 2016, chapters 3 and 4).
//!
//! All three trace the whole line of a point: the inner ray ahead of it and the outer ray behind.
//! [`crate::accept`] classifies the hits.

use crate::V3;
use crate::layout::NONE;
use crate::line::{Line, Meeting, meet, meet_inside};
use crate::neighbours::NeighbourTable;
use crate::tree::Tree;

/// A triangle that the line meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Index of the triangle, local.
    pub triangle: u32,
    /// Position of the hit.
    pub at: Meeting,
}

/// The nearest triangle on either side of the line's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hits {
    /// Hit at `t >= 0`.
    pub ahead: Option<Hit>,
    /// Hit at `t < 0`.
    pub behind: Option<Hit>,
}

/// Range of a full trace: from `-behind` to `ahead`, m. May be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Length of the outer ray.
    pub behind: f32,
    /// Length of the inner ray.
    pub ahead: f32,
}

/// The parts of one object that a trace reads.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// Points, in the frame of the line.
    pub points: &'a [V3],
    /// Corners of the triangles.
    pub triangles: &'a [[u32; 3]],
    /// Neighbours across their edges.
    pub neighbours: &'a NeighbourTable,
    /// Tree over the triangles; `None` for a deformable.
    pub tree: Option<&'a Tree>,
}

impl Target<'_> {
    /// Corners of a triangle.
    #[inline]
    #[must_use]
    pub fn corners(&self, triangle: u32) -> [V3; 3] {
        self.triangles[triangle as usize].map(|v| self.points[v as usize])
    }
}

impl Hits {
    /// Records a triangle if it is the nearest so far. Of two at the same distance the lower index
    /// wins, so the answer does not depend on the order of the tests.
    #[inline]
    fn note(&mut self, triangle: u32, at: Meeting, range: &Range) {
        let hit = Hit { triangle, at };
        let nearer = |old: Option<Hit>| {
            old.is_none_or(|old| {
                let (new, old_t) = (at.t.abs(), old.at.t.abs());
                new < old_t || (new == old_t && triangle < old.triangle)
            })
        };
        if at.t >= 0.0 {
            if at.t <= range.ahead && nearer(self.ahead) {
                self.ahead = Some(hit);
            }
        } else if -at.t <= range.behind && nearer(self.behind) {
            self.behind = Some(hit);
        }
    }

    /// Tests the triangle `t` of a target, unless the line's point `own` is one of its corners.
    #[inline]
    fn test(&mut self, line: &Line, target: &Target<'_>, range: &Range, own: Option<u32>, t: u32) {
        if own.is_some_and(|p| target.triangles[t as usize].contains(&p)) {
            return;
        }
        if let Some(at) = meet_inside(line, &target.corners(t)) {
            self.note(t, at, range);
        }
    }
}

/// Traces a rigid target in full through its tree. `own`: the line's point if it belongs to the
/// target itself; its triangles are left out.
#[must_use]
pub fn trace_tree(line: &Line, target: &Target<'_>, range: &Range, own: Option<u32>) -> Hits {
    let mut hits = Hits::default();
    let Some(tree) = target.tree else {
        return hits;
    };
    let in_grid = tree.in_grid(line);
    let mut i = 0;
    while let Some(node) = tree.node(i) {
        let from = hits.behind.map_or(-range.behind, |hit| hit.at.t);
        let to = hits.ahead.map_or(range.ahead, |hit| hit.at.t);
        if !in_grid.meets(node, from, to) {
            i = node.skip(i);
            continue;
        }
        for t in node.triangles() {
            hits.test(line, target, range, own, t);
        }
        i += 1;
    }
    hits
}

/// Traces the given triangles in full, without any acceleration structure.
#[must_use]
pub fn trace_basic(
    line: &Line,
    target: &Target<'_>,
    triangles: impl IntoIterator<Item = u32>,
    range: &Range,
    own: Option<u32>,
) -> Hits {
    let mut hits = Hits::default();
    for t in triangles {
        hits.test(line, target, range, own, t);
    }
    hits
}

/// Result of a walk.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walked {
    /// The hit, on either side of the origin.
    pub hit: Option<Hit>,
    /// Number of triangles visited.
    pub looked: u32,
}

/// Follows the line over the surface from a triangle that was near it, visiting at most `limit`
/// triangles (Lehericey 2016, algorithms 1 to 3).
///
/// The walk is lost at a border, where the line is parallel to a triangle, or when the limit is
/// reached. Without the limit it might cycle forever.
#[must_use]
pub fn walk(line: &Line, target: &Target<'_>, start: u32, limit: u32) -> Walked {
    let corners = |triangle| target.corners(triangle);
    walk_over(line, corners, target.neighbours, start, limit)
}

/// Like [`walk`], over a surface whose corners the caller gives, triangle by triangle. Requests
/// only triangles below `neighbours.len()`. Real-time callable if `corners` is.
#[must_use]
pub fn walk_over(
    line: &Line,
    corners: impl Fn(u32) -> [V3; 3],
    neighbours: &NeighbourTable,
    start: u32,
    limit: u32,
) -> Walked {
    let mut triangle = start;
    for looked in 1..=limit {
        if triangle as usize >= neighbours.len() {
            return Walked {
                hit: None,
                looked: looked - 1,
            };
        }
        let Some(at) = meet(line, &corners(triangle)) else {
            return Walked { hit: None, looked };
        };
        match at.edge() {
            None => {
                let hit = Some(Hit { triangle, at });
                return Walked { hit, looked };
            }
            Some(edge) => triangle = neighbours.across(triangle, edge),
        }
    }
    Walked {
        hit: None,
        looked: limit,
    }
}

// A border is an index beyond all triangles.
const _: () = assert!(NONE == u32::MAX);
