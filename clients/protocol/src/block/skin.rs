//! Block of an implicit body's skin: its layout, and the check that a block is one.
//!
//! The layout is on the [module's page](super). Nothing here allocates. [`SkinHeader::check`]
//! proves that both slots lie inside the block, and [`SkinHeader::check_counts`] that a frame lies
//! inside its slot, so that a reader can slice by them.

use super::surface::BodyHeader;
use super::words::words;
use super::{BlockError, BlockHeader, HEADER_WORDS, SEQUENCE_WORD};
use crate::reply::BlockKind;
use crate::wire::flags;

/// Number of words of a slot's payload before the first point.
pub const SKIN_FIXED_WORDS: usize = 16;
/// Number of frames in a block.
pub const SKIN_SLOTS: usize = 2;

flags! {
    /// Bits of [`SkinFrameHeader::flags`](crate::block::SkinFrameHeader::flags).
    pub mod skin_flag: u32 {
        /// The surface extends beyond the box of its cubes and is cut off there.
        CLIPPED = 1,
        /// Cubes are larger than the configuration asks for: time or capacity did not suffice for
        /// more triangles.
        COARSE = 2,
        /// The mesh's own check found faults ([`faults`](crate::block::SkinFrameHeader::faults)).
        FAULTY = 4,
        /// Primitives are smaller than a cube and may be invisible.
        SMALL = 8,
        /// Primitives blend that must not: too many were in one place even for creases.
        UNCONTROLLED = 16,
        /// Parts that must not blend meet in a crease, where the configuration asks for a separate
        /// surface around each. In cubes of this size, "blends with" is not an equivalence
        /// relation, as where a strand folds tightly. The mesh is closed, and lies where the hand
        /// feels it.
        CREASED = 32,
    }
}

/// Returns the number of words for `triples` times three numbers of 32 bits.
const fn packed_words(triples: u32) -> u64 {
    (triples as u64 * 3).div_ceil(2)
}

words! {
    /// Size of a frame, or capacity of a slot.
    #[derive(Default, Eq)]
    pub struct SkinCounts in 1 words {
        /// Number of points.
        points: u32 = word 0;
        /// Number of triangles.
        triangles: u32 = word 0 bit 32;
    }
}

impl SkinCounts {
    /// Returns the number of words that a frame needs, its fixed words included.
    pub const fn words(self) -> u64 {
        SKIN_FIXED_WORDS as u64 + 3 * packed_words(self.points) + packed_words(self.triangles)
    }

    /// Returns the ranges of points, normals, velocities and triangles in a slot's payload; `None`
    /// if that many words cannot be addressed.
    pub fn places(self) -> Option<[std::ops::Range<usize>; 4]> {
        let list = usize::try_from(packed_words(self.points)).ok()?;
        let end = usize::try_from(self.words()).ok()?;
        let start = SKIN_FIXED_WORDS;
        Some([
            start..start + list,
            start + list..start + 2 * list,
            start + 2 * list..start + 3 * list,
            start + 3 * list..end,
        ])
    }
}

/// Header of a skin's block; constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinHeader {
    /// Header that every block has.
    pub block: BlockHeader,
    /// Identity of the body.
    pub body: u32,
    /// Capacity for each frame.
    pub capacity: SkinCounts,
}

/// Reason why a block is not the skin that its reader expects; the daemon's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkinError {
    /// The block is of another kind, version or size.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// The slots do not fit into the block.
    #[error(
        "two frames of {points} points and {triangles} triangles need {needed} words of payload, the block has {payload}"
    )]
    Size {
        /// Capacity for points that the header declares.
        points: u32,
        /// Capacity for triangles that the header declares.
        triangles: u32,
        /// Number of payload words that these need.
        needed: u64,
        /// Number of payload words in the block.
        payload: u32,
    },
    /// The skin belongs to another body.
    #[error("the skin is body {actual}'s, not body {expected}'s")]
    Body {
        /// Identity in the header.
        actual: u32,
        /// Identity that was requested.
        expected: u32,
    },
    /// A frame is larger than its slot.
    #[error("a frame of {} points and {} triangles in a slot for {} and {}", .frame.points, .frame.triangles, .capacity.points, .capacity.triangles)]
    Frame {
        /// Size that the frame declares.
        frame: SkinCounts,
        /// Capacity of the slot.
        capacity: SkinCounts,
    },
    /// A corner of a triangle is not a point.
    #[error("triangle {triangle} has corner {corner}, and there are {points} points")]
    Corner {
        /// Index of the triangle.
        triangle: usize,
        /// The corner.
        corner: u32,
        /// Number of points.
        points: u32,
    },
}

impl SkinHeader {
    /// Returns the header of a new block of this version.
    pub fn new(body: u32, capacity: SkinCounts, created_ns: u64) -> Self {
        let payload = usize::try_from(Self::needed_words(capacity)).unwrap_or(usize::MAX);
        Self {
            block: BlockHeader::new(BlockKind::Skin, 0, payload, created_ns),
            body,
            capacity,
        }
    }

    /// Returns the number of payload words of this version (everything after the first sequence)
    /// for this capacity.
    pub const fn needed_words(capacity: SkinCounts) -> u64 {
        SKIN_SLOTS as u64 * (1 + capacity.words()) - 1
    }

    /// Returns the number of words that each slot's sequence guards.
    pub fn slot_words(&self) -> usize {
        // Checked, or constructed, to be at most the size of the block.
        self.capacity.words() as usize
    }

    /// Returns the index of a slot's sequence, in words of the whole block.
    pub fn sequence_word(&self, slot: usize) -> usize {
        SEQUENCE_WORD + slot * (1 + self.slot_words())
    }

    /// Returns words 0 to 7 of the block.
    pub fn to_words(&self) -> [u64; HEADER_WORDS] {
        let mut words = self.block.to_words();
        let body = BodyHeader {
            body: self.body,
            points: self.capacity.points,
            triangles: self.capacity.triangles,
        };
        body.write(&mut words);
        words
    }

    /// Checks the header of a mapped block of `actual` words that should be the skin of body
    /// `body`.
    ///
    /// # Errors
    /// [`SkinError`]: the first thing that is wrong.
    pub fn check(words: &[u64; HEADER_WORDS], actual: usize, body: u32) -> Result<Self, SkinError> {
        let least = 2 * SKIN_FIXED_WORDS + 1;
        let block = BlockHeader::check_but_reserved(words, actual, BlockKind::Skin, least)?;
        let of = BodyHeader::check(words, block.arm)?;
        if of.body != body {
            return Err(SkinError::Body {
                actual: of.body,
                expected: body,
            });
        }
        let capacity = SkinCounts {
            points: of.points,
            triangles: of.triangles,
        };
        let needed = Self::needed_words(capacity);
        if needed > u64::from(block.payload_words) {
            return Err(SkinError::Size {
                points: capacity.points,
                triangles: capacity.triangles,
                needed,
                payload: block.payload_words,
            });
        }
        Ok(Self {
            block,
            body,
            capacity,
        })
    }

    /// Checks that a frame fits into its slot.
    ///
    /// # Errors
    /// [`SkinError::Frame`].
    pub fn check_counts(&self, frame: SkinCounts) -> Result<(), SkinError> {
        let capacity = self.capacity;
        if frame.points <= capacity.points && frame.triangles <= capacity.triangles {
            Ok(())
        } else {
            Err(SkinError::Frame { frame, capacity })
        }
    }
}

words! {
    /// Description of a frame. Words are counted from the first word of the slot's payload.
    #[derive(Default)]
    pub struct SkinFrameHeader in 16 words {
        /// Number of points and of triangles.
        counts: SkinCounts = word 0;
        /// Number of the frame, from 1.
        frame: u64 = word 1;
        /// Tick of the loop after which the body had this shape.
        tick: u64 = word 2;
        /// Time of that, ns on the daemon's monotonic clock.
        time_ns: u64 = word 3;
        /// Time of publication on the same clock; the difference is the frame's age at that time.
        published_ns: u64 = word 4;
        /// A sum of [`skin_flag`] bits.
        flags: u32 = word 5;
        /// Number of levels by which cubes are coarser than wanted.
        coarser: u32 = word 5 bit 32;
        /// Edge of the cubes, m.
        cell_m: f64 = word 6;
        /// Largest distance found between a point of the mesh and the surface that tools feel, m.
        deviation_m: f64 = word 7;
        /// Faults that the mesh's own check found in this frame.
        faults: u32 = word 8;
        /// Frames with faults so far.
        faulty_frames: u32 = word 8 bit 32;
        /// States of the body that were supplied and never shown, so far.
        skipped: u64 = word 9;
        /// Primitives under the skin.
        primitives: u32 = word 10;
        /// How many of them may be too small to be visible.
        small: u32 = word 10 bit 32;
        /// Processor time that the mesh took, ns.
        compute_ns: u64 = word 11;
    }
}
