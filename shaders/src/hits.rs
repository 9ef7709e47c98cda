//! What a trace answers, as the passes write it.

use bytemuck::{Pod, Zeroable};
use hapticd_rays::layout::NONE;

/// The nearest triangle on either side of a line's origin.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[repr(C)]
pub struct Hits {
    /// Where ahead, m, 0 or more.
    pub ahead_t: f32,
    /// Which triangle ahead, local; the highest bit says that the line goes outward there. [`NONE`] if there is none.
    pub ahead: u32,
    /// Where behind, m, below 0.
    pub behind_t: f32,
    /// As [`Hits::ahead`].
    pub behind: u32,
}

/// A triangle that a line meets.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Hit {
    /// Local.
    pub triangle: u32,
    /// Along the line, m.
    pub t: f32,
    /// The line goes from the inner side of the triangle to the outer one.
    pub outward: bool,
}

const OUTWARD: u32 = 1 << 31;

impl Hits {
    /// Nothing on either side.
    pub const NOTHING: Self = Self {
        ahead_t: 0.0,
        ahead: NONE,
        behind_t: 0.0,
        behind: NONE,
    };

    /// Ahead of the origin.
    #[must_use]
    pub fn ahead(&self) -> Option<Hit> {
        hit(self.ahead_t, self.ahead)
    }

    /// Behind it.
    #[must_use]
    pub fn behind(&self) -> Option<Hit> {
        hit(self.behind_t, self.behind)
    }
}

fn hit(t: f32, word: u32) -> Option<Hit> {
    (word != NONE).then_some(Hit {
        triangle: word & !OUTWARD,
        t,
        outward: word & OUTWARD != 0,
    })
}

/// A list that passes append to: its count goes on past its capacity, its elements do not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct List {
    /// Attempted appends.
    pub count: u32,
    /// Room.
    pub capacity: u32,
    /// Fills the row.
    pub pad: [u32; 2],
}

impl List {
    /// Elements that are there.
    #[must_use]
    pub fn entries(&self) -> u32 {
        self.count.min(self.capacity)
    }
}
