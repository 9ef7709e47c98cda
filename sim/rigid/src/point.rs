//! A contact point of two bodies, and the features that it lies between.

use hapticd_ccd::PairKind;
use hapticd_geometry::Vec3;

/// A feature of one body against a feature of the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Features {
    pub kind: PairKind,
    pub a: u32,
    pub b: u32,
}

/// A contact point.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub features: Features,
    /// Unit normal, world, from b to a.
    pub normal: Vec3,
    /// Midpoint between the surfaces, world.
    pub middle: Vec3,
    pub gap_m: f64,
    /// Impulse of the last step on a, world, N s.
    pub impulse: Vec3,
}
