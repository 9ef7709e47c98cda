//! Pairs that the queries of an answer found, and how many of each body's the answer lists.

use hapticd_ccd::{NearPair, NearSet};
use hapticd_geometry::{Pose, transform};
use hapticd_proxy::ToolShape;

use crate::around::Sides;

/// Result of the query for one body.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Found {
    /// Index of its first pair.
    first: usize,
    /// Number of pairs.
    pairs: usize,
    /// Distance from which on pairs may be missing, m.
    pub complete_to: f64,
    /// Whether the search was given up.
    pub exhausted: bool,
    /// Number of its nearest pairs that the answer lists.
    pub taken: usize,
}

impl Found {
    /// Nothing was searched, and nothing is certified.
    pub const NOTHING: Self = Self {
        first: 0,
        pairs: 0,
        complete_to: f64::NEG_INFINITY,
        exhausted: false,
        taken: 0,
    };

    /// Stores the result of a query; appends its pairs to `all`.
    pub fn new(near: &NearSet<'_>, sides: &Sides<'_>, all: &mut Vec<NearPair>) -> Self {
        let mut complete_to = near.complete_to;
        if near.pairs.is_empty() || near.exhausted {
            // Nothing is within reach, or the search was given up: the bounding balls may give
            // more. Otherwise a body far from every tool could move no further than the reach per
            // answer.
            let apart = balls_apart(&sides.tool.tool, sides.body_bound_m, &sides.body_from_tool);
            complete_to = complete_to.max(apart);
        }
        let first = all.len();
        all.extend_from_slice(near.pairs);
        Self {
            first,
            pairs: near.pairs.len(),
            complete_to,
            exhausted: near.exhausted,
            taken: 0,
        }
    }

    pub fn of<'n>(&self, all: &'n [NearPair]) -> &'n [NearPair] {
        &all[self.first..self.first + self.pairs]
    }
}

/// Decides how many pairs of each body an answer with capacity `room` lists: the nearest over all
/// bodies, since the tool may move only as far as the shortest certificate. `near` holds the
/// bodies' lists, each nearest first. Equal distances at the end are shared evenly, so that no body
/// is left out because of its place in the scene. `distances` is work space.
pub(crate) fn share_capacity(
    near: &[NearPair],
    found: &mut [Found],
    room: usize,
    distances: &mut Vec<f64>,
) {
    for f in found.iter_mut() {
        f.taken = f.pairs;
    }
    if found.iter().map(|f| f.pairs).sum::<usize>() <= room {
        return;
    }
    distances.clear();
    let listed = found.iter().flat_map(|f| f.of(near));
    distances.extend(listed.map(|pair| pair.distance));
    let (_, &mut end, _) = distances.select_nth_unstable_by(room, f64::total_cmp);
    let (mut left, mut tied) = (room, 0);
    for f in found.iter_mut() {
        let list = f.of(near);
        f.taken = list.partition_point(|pair| pair.distance < end);
        left -= f.taken;
        tied += usize::from(list.get(f.taken).is_some_and(|pair| pair.distance == end));
    }
    for f in found {
        let list = f.of(near);
        let ties = list[f.taken..].partition_point(|pair| pair.distance == end);
        if ties > 0 {
            let share = ties.min(left / tied);
            f.taken += share;
            left -= share;
            tied -= 1;
        }
    }
}

/// Lower bound on the distance of tool and body from their bounding balls, m.
fn balls_apart(tool: &ToolShape, body_bound_m: f64, body_from_tool: &Pose) -> f64 {
    let centre = transform(body_from_tool, &tool.centre).norm();
    let balls = tool.bound_m + tool.radius_m + body_bound_m;
    centre - balls - 1e-12 * (centre + balls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_ccd::PairKind;

    fn shared(lists: &[&[f64]], room: usize) -> Vec<usize> {
        let pair = |&distance: &f64| NearPair {
            kind: PairKind::EdgeEdge,
            feature_a: 0,
            feature_b: 0,
            distance,
        };
        let near: Vec<NearPair> = lists.iter().copied().flatten().map(pair).collect();
        let mut first = 0;
        let list = |list: &&[f64]| {
            let pairs = list.len();
            first += pairs;
            Found {
                first: first - pairs,
                pairs,
                ..Found::default()
            }
        };
        let mut found: Vec<Found> = lists.iter().map(list).collect();
        share_capacity(&near, &mut found, room, &mut Vec::new());
        found.iter().map(|f| f.taken).collect()
    }

    #[test]
    fn room_goes_to_the_nearest_and_ties_are_shared() {
        let (a, b, c): (&[f64], &[f64], &[f64]) = (&[1.0, 2.0, 3.0], &[2.5, 4.0], &[0.5]);
        assert_eq!(shared(&[a, b, c], 6), [3, 2, 1]);
        assert_eq!(shared(&[a, b, c], 4), [2, 1, 1]);
        assert_eq!(shared(&[a, b, c], 1), [0, 0, 1]);
        let flat: &[f64] = &[1.0; 10];
        assert_eq!(shared(&[flat, flat, flat], 10), [3, 3, 4]);
        assert_eq!(shared(&[flat, &[1.0], flat], 11), [3, 1, 7]);
        assert_eq!(shared(&[&[], flat, &[0.0]], 5), [0, 4, 1]);
        assert_eq!(shared(&[], 5), [0; 0]);
    }
}
