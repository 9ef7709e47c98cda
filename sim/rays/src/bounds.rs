//! Axis-aligned boxes in single precision, and their comparisons.

use crate::V3;

/// An axis-aligned box: lowest and highest corner.
pub type Bounds = (V3, V3);

/// The empty box.
pub(crate) const NOWHERE: Bounds = (
    V3::new(f32::INFINITY, f32::INFINITY, f32::INFINITY),
    V3::new(f32::NEG_INFINITY, f32::NEG_INFINITY, f32::NEG_INFINITY),
);

pub(crate) fn bounds_of<'a>(points: impl Iterator<Item = &'a V3>) -> Bounds {
    points.fold(NOWHERE, |(low, high), p| (low.inf(p), high.sup(p)))
}

/// Whether two boxes are nearer than `margin` along every axis.
#[inline]
pub(crate) fn near(a: &Bounds, b: &Bounds, margin: f32) -> bool {
    (0..3).all(|k| a.0[k] - margin <= b.1[k] && b.0[k] - margin <= a.1[k])
}

/// Whether a point is in a box that is larger by `margin` on all sides.
#[inline]
pub(crate) fn contains(b: &Bounds, p: &V3, margin: f32) -> bool {
    (0..3).all(|k| b.0[k] - margin <= p[k] && p[k] <= b.1[k] + margin)
}
