//! The skin of an implicit body: where what is in its block, and whether a block is one.
//!
//! The layout is on the [module's page](super). Nothing here allocates; [`SkinHeader::check`]
//! proves that both slots lie inside the block, and [`SkinHeader::check_counts`] that a frame lies
//! inside its slot, so that a reader can slice by them.

use super::{BlockError, BlockHeader, HEADER_WORDS, SEQUENCE_WORD};
use crate::reply::BlockKind;

/// Words of a slot's payload before the first point.
pub const SKIN_FIXED_WORDS: usize = 16;
/// Frames in a block.
pub const SKIN_SLOTS: usize = 2;

/// What a frame's [`SkinMoment::flags`] say: a sum of these.
pub mod skin_flag {
    /// The surface goes on beyond the box of its cubes, and is cut off there.
    pub const CLIPPED: u32 = 1;
    /// Cubes are larger than the configuration wants: there was no time or no room for more
    /// triangles.
    pub const COARSE: u32 = 2;
    /// The mesh's own check found something wrong ([`faults`](super::SkinMoment::faults)).
    pub const FAULTY: u32 = 4;
    /// Primitives are smaller than a cube and may not be seen.
    pub const SMALL: u32 = 8;
    /// Primitives blend that may not: too many were in one place even for creases.
    pub const UNCONTROLLED: u32 = 16;
    /// Parts that may not blend meet in a crease, where the configuration asks for a surface around
    /// each: who blends is no equivalence in cubes of this size, as where a strand folds tightly.
    /// The mesh is closed, and lies where it is felt.
    pub const CREASED: u32 = 32;
}

/// Words of `triples` times three numbers of 32 bits.
const fn packed_words(triples: u32) -> u64 {
    (triples as u64 * 3).div_ceil(2)
}

/// How large a frame is, or may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkinCounts {
    /// Points.
    pub points: u32,
    /// Triangles.
    pub triangles: u32,
}

impl SkinCounts {
    /// Words that a frame needs, its fixed ones included.
    pub const fn words(self) -> u64 {
        SKIN_FIXED_WORDS as u64 + 3 * packed_words(self.points) + packed_words(self.triangles)
    }

    /// Where points, normals, velocities and triangles are in a slot's payload; `None` where such a
    /// number of words cannot be addressed.
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

/// What the block of a skin says of itself, once and for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SkinHeader {
    /// What every block says.
    pub block: BlockHeader,
    /// Whose skin it is.
    pub body: u32,
    /// Room for so much in each frame.
    pub room: SkinCounts,
}

/// Why a block is not the skin that its reader expects. The daemon's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SkinError {
    /// It is not even the block that it should be.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// Its slots do not fit into it.
    #[error(
        "two frames of {points} points and {triangles} triangles need {needed} words of payload, the block has {payload}"
    )]
    Size {
        /// Points that it says to have room for.
        points: u32,
        /// Triangles that it says to have room for.
        triangles: u32,
        /// Words that these need.
        needed: u64,
        /// Words that there are.
        payload: u32,
    },
    /// Another body's.
    #[error("the skin is body {actual}'s, not body {expected}'s")]
    Body {
        /// Whose it is.
        actual: u32,
        /// Whose it should be.
        expected: u32,
    },
    /// A frame that is larger than its slot.
    #[error("a frame of {} points and {} triangles in a slot for {} and {}", .frame.points, .frame.triangles, .room.points, .room.triangles)]
    Frame {
        /// What it says to have.
        frame: SkinCounts,
        /// What there is room for.
        room: SkinCounts,
    },
    /// A corner that is no point.
    #[error("triangle {triangle} has corner {corner}, and there are {points} points")]
    Corner {
        /// Which triangle.
        triangle: usize,
        /// Its corner.
        corner: u32,
        /// How many points there are.
        points: u32,
    },
}

impl SkinHeader {
    /// The header of a new block of this version.
    pub fn new(body: u32, room: SkinCounts, created_ns: u64) -> Self {
        let payload = usize::try_from(Self::needed_words(room)).unwrap_or(usize::MAX);
        Self {
            block: BlockHeader::new(BlockKind::Skin, 0, payload, created_ns),
            body,
            room,
        }
    }

    /// Words of the payload of this version (all that is behind the first sequence) with such room.
    pub const fn needed_words(room: SkinCounts) -> u64 {
        SKIN_SLOTS as u64 * (1 + room.words()) - 1
    }

    /// Words that each slot's sequence guards.
    pub fn slot_words(&self) -> usize {
        // Checked, or made, to be no more than the block has.
        self.room.words() as usize
    }

    /// Where a slot's sequence is, in words of the whole block.
    pub fn sequence_word(&self, slot: usize) -> usize {
        SEQUENCE_WORD + slot * (1 + self.slot_words())
    }

    /// As words 0 to 7 of the block.
    pub fn to_words(&self) -> [u64; HEADER_WORDS] {
        let mut words = self.block.to_words();
        words[5] = u64::from(self.body);
        words[6] = u64::from(self.room.points) | u64::from(self.room.triangles) << 32;
        words
    }

    /// Checks the header of a mapped block of `actual` words that should be the skin of body
    /// `body`.
    ///
    /// # Errors
    /// [`SkinError`]: what is wrong first.
    pub fn check(words: &[u64; HEADER_WORDS], actual: usize, body: u32) -> Result<Self, SkinError> {
        let least = 2 * SKIN_FIXED_WORDS + 1;
        let block = BlockHeader::check_but_reserved(words, actual, BlockKind::Skin, least)?;
        let [.., whose, counts, reserved] = *words;
        if reserved != 0 || whose >> 32 != 0 || block.arm != 0 {
            return Err(BlockError::Reserved.into());
        }
        if whose as u32 != body {
            return Err(SkinError::Body {
                actual: whose as u32,
                expected: body,
            });
        }
        let room = SkinCounts {
            points: counts as u32,
            triangles: (counts >> 32) as u32,
        };
        let needed = Self::needed_words(room);
        if needed > u64::from(block.payload_words) {
            return Err(SkinError::Size {
                points: room.points,
                triangles: room.triangles,
                needed,
                payload: block.payload_words,
            });
        }
        Ok(Self { block, body, room })
    }

    /// Checks that a frame fits into its slot.
    ///
    /// # Errors
    /// [`SkinError::Frame`].
    pub fn check_counts(&self, frame: SkinCounts) -> Result<(), SkinError> {
        let room = self.room;
        if frame.points <= room.points && frame.triangles <= room.triangles {
            Ok(())
        } else {
            Err(SkinError::Frame { frame, room })
        }
    }
}

/// What a frame is and when it was so. What is behind the equals sign is its payload word.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SkinMoment {
    /// = 0. Its points (32 bits) and triangles (32).
    pub counts: SkinCounts,
    /// = 1. Counts the frames, from 1.
    pub frame: u64,
    /// = 2. Tick of the loop at whose end the body was so.
    pub tick: u64,
    /// = 3. When that was, ns on the daemon's monotonic clock.
    pub time_ns: u64,
    /// = 4. When the frame was published, on the same clock: by so much it was old then.
    pub published_ns: u64,
    /// = 5. A sum of [`skin_flag`]s (32 bits), how many levels cubes are coarser than wanted (32).
    pub flags: u32,
    /// See `flags`.
    pub coarser: u32,
    /// = 6. Edge of the cubes, m.
    pub cell_m: f64,
    /// = 7. Largest distance found between a point of the mesh and the surface that tools feel, m.
    pub felt_m: f64,
    /// = 8. Faults that the mesh's own check found in this frame (32), and frames with faults so
    /// far (32).
    pub faults: u32,
    /// See `faults`.
    pub faulty_frames: u32,
    /// = 9. States of the body that were given and never shown, so far.
    pub skipped: u64,
    /// = 10. Primitives under the skin (32), and how many of them may be too small to be seen (32).
    pub primitives: u32,
    /// See `primitives`.
    pub small: u32,
    /// = 11. Processor time that the mesh took, ns.
    pub took_ns: u64,
}

impl SkinMoment {
    /// As the first payload words; those without a meaning are zero.
    pub fn to_words(&self) -> [u64; SKIN_FIXED_WORDS] {
        let two = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let mut words = [0; SKIN_FIXED_WORDS];
        words[..12].copy_from_slice(&[
            two(self.counts.points, self.counts.triangles),
            self.frame,
            self.tick,
            self.time_ns,
            self.published_ns,
            two(self.flags, self.coarser),
            self.cell_m.to_bits(),
            self.felt_m.to_bits(),
            two(self.faults, self.faulty_frames),
            self.skipped,
            two(self.primitives, self.small),
            self.took_ns,
        ]);
        words
    }

    /// From the first payload words.
    pub fn from_words(words: &[u64; SKIN_FIXED_WORDS]) -> Self {
        let low = |word: u64| word as u32;
        let high = |word: u64| (word >> 32) as u32;
        let [
            counts,
            frame,
            tick,
            time_ns,
            published_ns,
            flags,
            cell,
            felt,
            faults,
            skipped,
            primitives,
            took_ns,
            ..,
        ] = *words;
        Self {
            counts: SkinCounts {
                points: low(counts),
                triangles: high(counts),
            },
            frame,
            tick,
            time_ns,
            published_ns,
            flags: low(flags),
            coarser: high(flags),
            cell_m: f64::from_bits(cell),
            felt_m: f64::from_bits(felt),
            faults: low(faults),
            faulty_frames: high(faults),
            skipped,
            primitives: low(primitives),
            small: high(primitives),
            took_ns,
        }
    }
}
