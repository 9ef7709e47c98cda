//! Results of a trace, as the passes write them.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::{Class, NONE};

/// Triangle that a line hits on one side of its origin, or none.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hit {
    /// Position along the line, m.
    pub t: f32,
    /// Local triangle number, with flags in the high bits: see [`Hit::number`].
    pub triangle: u32,
    /// Barycentric coordinate: the point is `corner 0 + u (corner 1 - corner 0) + v (corner 2 -
    /// corner 0)`.
    pub u: f32,
    /// See [`Hit::u`].
    pub v: f32,
}

const OUTWARD: u32 = 1 << 31;
const CLASS: u32 = 29;

impl Hit {
    /// No hit.
    pub const NONE: Self = Self {
        t: 0.0,
        triangle: NONE,
        u: 0.0,
        v: 0.0,
    };

    /// Local triangle number; `None` without a hit.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        (self.triangle != NONE).then_some(self.triangle & ((1 << CLASS) - 1))
    }

    /// True if the line passes from the inner side of the triangle to the outer side.
    #[must_use]
    pub fn outward(&self) -> bool {
        self.triangle & OUTWARD != 0
    }

    /// Class of the hit, once it is known.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.triangle >> CLASS & 3 {
            1 => Class::Collision,
            2 => Class::Prediction,
            _ => Class::Nothing,
        }
    }
}

/// Nearest triangle on either side of a line's origin.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hits {
    /// Hit with `t >= 0`.
    pub ahead: Hit,
    /// Hit with `t < 0`.
    pub behind: Hit,
}

impl Hits {
    /// No hit on either side.
    pub const NOTHING: Self = Self {
        ahead: Hit::NONE,
        behind: Hit::NONE,
    };

    /// Hit ahead of the origin.
    #[must_use]
    pub fn ahead(&self) -> Option<Hit> {
        self.ahead.number().map(|_| self.ahead)
    }

    /// Hit behind the origin.
    #[must_use]
    pub fn behind(&self) -> Option<Hit> {
        self.behind.number().map(|_| self.behind)
    }
}

/// A list that passes append to. Its count may exceed its capacity; its elements do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct List {
    /// Attempted appends.
    pub count: u32,
    /// Capacity.
    pub capacity: u32,
    /// Start in its buffer.
    pub first: u32,
    /// Padding.
    pub pad: u32,
}

impl List {
    /// Number of elements present.
    #[must_use]
    pub fn entries(&self) -> u32 {
        self.count.min(self.capacity)
    }
}

/// Best result so far for one side of a point, as passed between the passes.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// Bits of its length; [`NONE`] without a result.
    pub nearest: u32,
    /// Lowest scene triangle among those at the same length.
    pub winner: u32,
    /// Object hit.
    pub target: u32,
    /// Triangle hit, local.
    pub triangle: u32,
    /// As in [`hapticd_rays::layout::Record::bits`]; the highest bit means that the line goes
    /// outward.
    pub bits: u32,
    /// Position along the ray, m.
    pub t: f32,
    /// Barycentric coordinate on the triangle.
    pub u: f32,
    /// Barycentric coordinate on the triangle.
    pub v: f32,
}

impl Place {
    /// No result yet.
    pub(crate) const EMPTY: Self = Self {
        nearest: NONE,
        winner: NONE,
        target: NONE,
        triangle: NONE,
        bits: 0,
        t: 0.0,
        u: 0.0,
        v: 0.0,
    };
}
