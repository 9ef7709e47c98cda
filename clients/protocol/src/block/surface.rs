//! The surface of a deformable body: where what is in its block, and whether a block is one.
//!
//! The layout is on the [module's page](super). Nothing here allocates; [`SurfaceHeader::check`]
//! proves that everything that the header speaks of lies inside the block, so that a reader can
//! slice by it.

use super::{BlockError, BlockHeader, HEADER_WORDS, PAYLOAD_WORD};
use crate::reply::BlockKind;

/// Words of the payload before the first point.
pub const SURFACE_FIXED_WORDS: usize = 3;

/// Words of `triples` times three numbers of 32 bits.
const fn packed_words(triples: u32) -> u64 {
    (triples as u64 * 3).div_ceil(2)
}

/// What the block of a surface says of itself, once and for all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceHeader {
    /// What every block says.
    pub block: BlockHeader,
    /// Whose surface it is.
    pub body: u32,
    /// How many points it has.
    pub points: u32,
    /// How many triangles it has.
    pub triangles: u32,
}

/// Why a block is not the surface that its reader expects. The daemon's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// It is not even the block that it should be.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// Points and triangles do not fit into it.
    #[error(
        "{points} points and {triangles} triangles need {needed} words of payload, the block has {payload}"
    )]
    Size {
        /// Points that it says to have.
        points: u32,
        /// Triangles that it says to have.
        triangles: u32,
        /// Words that these need.
        needed: u64,
        /// Words that there are.
        payload: u32,
    },
    /// Another body's.
    #[error("the surface is body {actual}'s, not body {expected}'s")]
    Body {
        /// Whose it is.
        actual: u32,
        /// Whose it should be.
        expected: u32,
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

impl SurfaceHeader {
    /// The header of a new block of this version.
    pub fn new(body: u32, points: u32, triangles: u32, created_ns: u64) -> Self {
        let needed = Self::needed_words(points, triangles);
        let payload = usize::try_from(needed).unwrap_or(usize::MAX);
        Self {
            block: BlockHeader::new(BlockKind::Surface, 0, payload, created_ns),
            body,
            points,
            triangles,
        }
    }

    /// Words of the payload of this version with so many points and triangles.
    pub const fn needed_words(points: u32, triangles: u32) -> u64 {
        SURFACE_FIXED_WORDS as u64 + packed_words(points) + packed_words(triangles)
    }

    /// Words that the sequence guards: what changes.
    pub fn changing_words(&self) -> usize {
        // Checked, or made, to be no more than the block has.
        SURFACE_FIXED_WORDS + packed_words(self.points) as usize
    }

    /// Where the triangles are, in words of the whole block.
    pub fn triangle_words(&self) -> std::ops::Range<usize> {
        let start = PAYLOAD_WORD + self.changing_words();
        start..start + packed_words(self.triangles) as usize
    }

    /// As words 0 to 7 of the block.
    pub fn to_words(&self) -> [u64; HEADER_WORDS] {
        let mut words = self.block.to_words();
        words[5] = u64::from(self.body);
        words[6] = u64::from(self.points) | u64::from(self.triangles) << 32;
        words
    }

    /// Checks the header of a mapped block of `actual` words that should be the surface of body
    /// `body`.
    ///
    /// # Errors
    /// [`SurfaceError`]: what is wrong first. [`Corner`](SurfaceError::Corner) is
    /// [`check_corners`](Self::check_corners)'s.
    pub fn check(
        words: &[u64; HEADER_WORDS],
        actual: usize,
        body: u32,
    ) -> Result<Self, SurfaceError> {
        let block = BlockHeader::check_but_reserved(
            words,
            actual,
            BlockKind::Surface,
            SURFACE_FIXED_WORDS,
        )?;
        let [.., whose, counts, reserved] = *words;
        if reserved != 0 || whose >> 32 != 0 || block.arm != 0 {
            return Err(BlockError::Reserved.into());
        }
        if whose as u32 != body {
            return Err(SurfaceError::Body {
                actual: whose as u32,
                expected: body,
            });
        }
        let (points, triangles) = (counts as u32, (counts >> 32) as u32);
        let needed = Self::needed_words(points, triangles);
        if needed > u64::from(block.payload_words) {
            return Err(SurfaceError::Size {
                points,
                triangles,
                needed,
                payload: block.payload_words,
            });
        }
        Ok(Self {
            block,
            body,
            points,
            triangles,
        })
    }

    /// Checks the corners of triangle number `triangle`.
    ///
    /// # Errors
    /// [`SurfaceError::Corner`] for one that is no point.
    pub fn check_corners(&self, triangle: usize, corners: [u32; 3]) -> Result<(), SurfaceError> {
        match corners.into_iter().find(|corner| *corner >= self.points) {
            None => Ok(()),
            Some(corner) => Err(SurfaceError::Corner {
                triangle,
                corner,
                points: self.points,
            }),
        }
    }
}

/// When a surface was where its points are. What is behind the equals sign is its payload word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceMoment {
    /// = 0. Number of the step, as the simulation counts.
    pub tick: u64,
    /// = 1. Time of the step, ns on the daemon's monotonic clock.
    pub time_ns: u64,
    /// = 2. Simulated time lost since the start, ns: by so much the body is behind the clock.
    pub lost_ns: u64,
}

impl SurfaceMoment {
    /// As the first payload words.
    pub const fn to_words(self) -> [u64; SURFACE_FIXED_WORDS] {
        [self.tick, self.time_ns, self.lost_ns]
    }

    /// From the first payload words.
    pub const fn from_words(words: [u64; SURFACE_FIXED_WORDS]) -> Self {
        let [tick, time_ns, lost_ns] = words;
        Self {
            tick,
            time_ns,
            lost_ns,
        }
    }
}

/// Puts numbers of 32 bits into words, two to a word, the first in the lower half; what is left of
/// the last word becomes zero. Numbers that find no place are not taken. Returns how many were put.
pub fn pack(words: &mut [u64], numbers: impl IntoIterator<Item = u32>) -> usize {
    let mut numbers = numbers.into_iter().fuse();
    let mut count = 0;
    for word in words {
        let Some(low) = numbers.next() else {
            break;
        };
        let high = numbers.next();
        count += 1 + usize::from(high.is_some());
        *word = u64::from(low) | u64::from(high.unwrap_or(0)) << 32;
    }
    count
}

/// The triples of numbers that were put into these words; one that is not whole is left out.
pub fn unpack(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = [u32; 3]> {
    let mut numbers = words
        .into_iter()
        .flat_map(|word| [word as u32, (word >> 32) as u32]);
    std::iter::from_fn(move || Some([numbers.next()?, numbers.next()?, numbers.next()?]))
}
