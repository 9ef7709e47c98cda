//! What a trace answers, as the passes write it.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::{Class, NONE};

/// A triangle that a line meets on one side of its origin, or none.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hit {
    /// Along the line, m.
    pub t: f32,
    /// Which triangle, local, with flags above: see [`Hit::number`].
    pub triangle: u32,
    /// `corner 0 + u (corner 1 - corner 0) + v (corner 2 - corner 0)`.
    pub u: f32,
    /// See [`Hit::u`].
    pub v: f32,
}

const OUTWARD: u32 = 1 << 31;
const CLASS: u32 = 29;

impl Hit {
    /// No triangle.
    pub const NONE: Self = Self {
        t: 0.0,
        triangle: NONE,
        u: 0.0,
        v: 0.0,
    };

    /// Which triangle, local; `None` if none is met.
    #[must_use]
    pub fn number(&self) -> Option<u32> {
        (self.triangle != NONE).then_some(self.triangle & ((1 << CLASS) - 1))
    }

    /// Whether the line goes from the inner side of the triangle to the outer one.
    #[must_use]
    pub fn outward(&self) -> bool {
        self.triangle & OUTWARD != 0
    }

    /// What it means, once that has been found out.
    #[must_use]
    pub fn class(&self) -> Class {
        match self.triangle >> CLASS & 3 {
            1 => Class::Collision,
            2 => Class::Prediction,
            _ => Class::Nothing,
        }
    }
}

/// The nearest triangle on either side of a line's origin.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hits {
    /// `t >= 0`.
    pub ahead: Hit,
    /// `t < 0`.
    pub behind: Hit,
}

impl Hits {
    /// Nothing on either side.
    pub const NOTHING: Self = Self {
        ahead: Hit::NONE,
        behind: Hit::NONE,
    };

    /// Ahead of the origin.
    #[must_use]
    pub fn ahead(&self) -> Option<Hit> {
        self.ahead.number().map(|_| self.ahead)
    }

    /// Behind it.
    #[must_use]
    pub fn behind(&self) -> Option<Hit> {
        self.behind.number().map(|_| self.behind)
    }
}

/// A list that passes append to: its count goes on past its capacity, its elements do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct List {
    /// Attempted appends.
    pub count: u32,
    /// Room.
    pub capacity: u32,
    /// Where it begins in its buffer.
    pub first: u32,
    /// Fills the row.
    pub pad: u32,
}

impl List {
    /// Elements that are there.
    #[must_use]
    pub fn entries(&self) -> u32 {
        self.count.min(self.capacity)
    }
}

/// The best answer yet for one side of a point, as the passes have it between themselves.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Place {
    /// Bits of its length, [`NONE`] if there is none.
    pub nearest: u32,
    /// Of those at the same length the lowest triangle of the scene.
    pub winner: u32,
    /// The object met.
    pub target: u32,
    /// The triangle met, local.
    pub triangle: u32,
    /// As in [`hapticd_rays::layout::Record::bits`]; the highest says that the line goes outward.
    pub bits: u32,
    /// Along the ray, m.
    pub t: f32,
    /// On the triangle.
    pub u: f32,
    /// On the triangle.
    pub v: f32,
}

impl Place {
    /// No answer yet.
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
