//! The three ray-tracing algorithms: tree, basic and walk (Lehericey 2016, chapters 3 and 4).
//!
//! All three look at the whole line of a point: the inner ray ahead of it and the outer ray behind.
//! What a hit means is decided elsewhere ([`crate::accept`]).

use crate::V3;
use crate::layout::NONE;
use crate::line::{Line, Meeting, meet, meet_inside};
use crate::neighbours::NeighbourTable;
use crate::tree::Tree;

/// A triangle that the line meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Local.
    pub triangle: u32,
    /// Where.
    pub at: Meeting,
}

/// The nearest triangle on either side of the line's origin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Hits {
    /// `t >= 0`.
    pub ahead: Option<Hit>,
    /// `t < 0`.
    pub behind: Option<Hit>,
}

/// How far a full trace looks: from `-behind` to `ahead`, m. May be infinite.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Length of the outer ray.
    pub behind: f32,
    /// Length of the inner ray.
    pub ahead: f32,
}

/// What a trace goes through: the parts of one object.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// In the frame of the line.
    pub points: &'a [V3],
    /// Corners.
    pub triangles: &'a [[u32; 3]],
    /// Across their edges.
    pub neighbours: &'a NeighbourTable,
    /// Tree over the triangles; none for a deformable.
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
    /// Notes a triangle, if it is the nearest yet. Of two at the same place the lower number
    /// counts: the answer does not depend on the order in which they are looked at.
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
}

/// Full trace of a rigid target through its tree. `own`: the line's point if it belongs to the
/// target itself, whose triangles are left out.
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
            look_at(line, target, range, own, t, &mut hits);
        }
        i += 1;
    }
    hits
}

/// Full trace without any structure, over the given triangles.
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
        look_at(line, target, range, own, t, &mut hits);
    }
    hits
}

#[inline]
fn look_at(
    line: &Line,
    target: &Target<'_>,
    range: &Range,
    own: Option<u32>,
    t: u32,
    hits: &mut Hits,
) {
    if own.is_some_and(|p| target.triangles[t as usize].contains(&p)) {
        return;
    }
    if let Some(at) = meet_inside(line, &target.corners(t)) {
        hits.note(t, at, range);
    }
}

/// How a walk ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Walked {
    /// What it found, on either side of the origin.
    pub hit: Option<Hit>,
    /// Triangles looked at.
    pub looked: u32,
}

/// Follows the line over the surface from a triangle that was near it, looking at `limit` triangles
/// at most (Lehericey 2016, algorithms 1 to 3).
///
/// Lost at a border, where the line is parallel to a triangle, or when the limit is reached:
/// without it the walk may go round for ever.
#[must_use]
pub fn walk(line: &Line, target: &Target<'_>, start: u32, limit: u32) -> Walked {
    let corners = |triangle| target.corners(triangle);
    walk_over(line, corners, target.neighbours, start, limit)
}

/// [`walk`] over a surface whose corners are wherever the caller says, triangle by triangle; it
/// asks for triangles below `neighbours.len()` only. Real-time callable if `corners` is.
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

// A border is a triangle beyond all there are.
const _: () = assert!(NONE == u32::MAX);
