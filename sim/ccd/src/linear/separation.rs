//! Separating directions over a stretch of time.

use hapticd_geometry::Vec3;

use crate::pair::PairKind;

use super::TINY;
use super::frame::{Frame, State};

/// Rounding error of a corner's component along a unit direction, in units of `f64::EPSILON` and of
/// the summed lengths (16 u, see the module).
pub(super) const CORNER_ROUNDING: f64 = 8.0;

/// Whether one of the three axes separates the features by more than `separation` at both ends of
/// the motion, and hence throughout. Exact for a separation of 0.
#[inline]
pub(super) fn along_an_axis(
    kind: PairKind,
    a: [&[Vec3; 3]; 2],
    b: [&[Vec3; 3]; 2],
    separation: f64,
) -> bool {
    let clear = |low: f64, high: f64| (low - high) * (1.0 - 1e-15) > separation;
    for axis in 0..3 {
        // Plain comparisons, since coordinates are finite: `f64::min` and `f64::max` would test for
        // NaN.
        let range = |points: &[Vec3]| {
            let (mut low, mut high) = (points[0][axis], points[0][axis]);
            for p in &points[1..] {
                let x = p[axis];
                low = if x < low { x } else { low };
                high = if x > high { x } else { high };
            }
            (low, high)
        };
        let (a0, b0) = (
            range(&a[0][..kind.points_a()]),
            range(&b[0][..kind.points_b()]),
        );
        let (a1, b1) = (
            range(&a[1][..kind.points_a()]),
            range(&b[1][..kind.points_b()]),
        );
        if (clear(a0.0, b0.1) && clear(a1.0, b1.1)) || (clear(b0.0, a0.1) && clear(b1.0, a1.1)) {
            return true;
        }
    }
    false
}

/// Components of the corners of the difference along a direction at one time: extreme points of A
/// minus those of B.
pub(super) type Corners = [f64; 4];

/// The corners along `n`. A face has three, and the first is repeated.
#[inline]
pub(super) fn corners(frame: &Frame, s: &State, n: &Vec3) -> Corners {
    let (d, e1, e2) = (n.dot(&s.d), n.dot(&s.e1), n.dot(&s.e2));
    if frame.edges {
        [d, d + e1, d - e2, (d + e1) - e2]
    } else {
        [d, d - e1, d - e2, d]
    }
}

/// Value that a corner must exceed along a direction of length 1 (to 1e-12), for the features to be
/// more than `separation` apart.
#[inline]
pub(super) fn threshold(frame: &Frame, separation: f64) -> f64 {
    (separation + CORNER_ROUNDING * f64::EPSILON * frame.reach) * (1.0 + 1e-11) + TINY
}

/// Whether all corners exceed the threshold.
#[inline]
pub(super) fn clear(s: &Corners, threshold: f64) -> bool {
    s[0] > threshold && s[1] > threshold && s[2] > threshold && s[3] > threshold
}

/// Part of a stretch, in local time from 0 to 1, on which a direction separates, given its corners
/// at both ends; `None` if there is no such part.
#[inline]
pub(super) fn proven_part(
    frame: &Frame,
    at_a: &Corners,
    at_b: &Corners,
    threshold: f64,
) -> Option<(f64, f64)> {
    // The cut itself is also rounded.
    let higher = threshold + CORNER_ROUNDING * f64::EPSILON * frame.reach;
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for (&sa, &sb) in at_a.iter().zip(at_b) {
        match (sa > threshold, sb > threshold) {
            (true, true) => {}
            (true, false) => to = to.min((sa - higher) / (sa - sb)),
            (false, true) => from = from.max((higher - sa) / (sb - sa)),
            // Also handles NaN.
            (false, false) => return None,
        }
    }
    (from < to).then_some((from, to))
}

/// Whether a direction that turns linearly from one to another separates over the whole stretch.
/// `first` holds the corners along the start direction, at both ends of the stretch; `last` holds
/// those along the end direction.
#[inline]
pub(super) fn turning(first: &[Corners; 2], last: &[Corners; 2], threshold: f64) -> bool {
    clear(&first[0], threshold)
        && clear(&last[1], threshold)
        && (first[1].iter().zip(&last[0])).all(|(x, y)| 0.5 * (x + y) > threshold)
}
