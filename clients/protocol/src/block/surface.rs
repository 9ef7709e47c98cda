//! Block of a deformable body's surface: its layout, and the check that a block is one.
//!
//! The layout is on the [module's page](super). Nothing here allocates. [`SurfaceHeader::check`]
//! proves that everything the header refers to lies inside the block, so that a reader can slice by
//! it.

use super::words::words;
use super::{BlockError, BlockHeader, HEADER_WORDS, PAYLOAD_WORD};
use crate::reply::BlockKind;

/// Number of payload words before the first point.
pub const SURFACE_FIXED_WORDS: usize = SurfaceFrameHeader::WORDS;

/// Returns the number of words for `triples` times three numbers of 32 bits.
const fn packed_words(triples: u32) -> u64 {
    (triples as u64 * 3).div_ceil(2)
}

/// Header of a surface's block; constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SurfaceHeader {
    /// Header that every block has.
    pub block: BlockHeader,
    /// Identity of the body.
    pub body: u32,
    /// Number of points.
    pub points: u32,
    /// Number of triangles.
    pub triangles: u32,
}

/// Reason why a block is not the surface that its reader expects; the daemon's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SurfaceError {
    /// The block is of another kind, version or size.
    #[error(transparent)]
    Block(#[from] BlockError),
    /// Points and triangles do not fit into the block.
    #[error(
        "{points} points and {triangles} triangles need {needed} words of payload, the block has {payload}"
    )]
    Size {
        /// Number of points that the header declares.
        points: u32,
        /// Number of triangles that the header declares.
        triangles: u32,
        /// Number of payload words that these need.
        needed: u64,
        /// Number of payload words in the block.
        payload: u32,
    },
    /// The surface belongs to another body.
    #[error("the surface is body {actual}'s, not body {expected}'s")]
    Body {
        /// Identity in the header.
        actual: u32,
        /// Identity that was requested.
        expected: u32,
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

impl SurfaceHeader {
    /// Returns the header of a new block of this version.
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

    /// Returns the number of payload words of this version for these numbers of points and
    /// triangles.
    pub const fn needed_words(points: u32, triangles: u32) -> u64 {
        SURFACE_FIXED_WORDS as u64 + packed_words(points) + packed_words(triangles)
    }

    /// Returns the number of words that change, which are those that the sequence guards.
    pub fn changing_words(&self) -> usize {
        // Checked, or constructed, to be at most the size of the block.
        SURFACE_FIXED_WORDS + packed_words(self.points) as usize
    }

    /// Returns the range of the triangles, in words of the whole block.
    pub fn triangle_words(&self) -> std::ops::Range<usize> {
        let start = PAYLOAD_WORD + self.changing_words();
        start..start + packed_words(self.triangles) as usize
    }

    /// Returns words 0 to 7 of the block.
    pub fn to_words(&self) -> [u64; HEADER_WORDS] {
        let mut words = self.block.to_words();
        let body = BodyHeader {
            body: self.body,
            points: self.points,
            triangles: self.triangles,
        };
        body.write(&mut words);
        words
    }

    /// Checks the header of a mapped block of `actual` words that should be the surface of body
    /// `body`.
    ///
    /// # Errors
    /// [`SurfaceError`]: the first thing that is wrong. [`Corner`](SurfaceError::Corner) comes only
    /// from [`check_corners`](Self::check_corners).
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
        let of = BodyHeader::check(words, block.arm)?;
        if of.body != body {
            return Err(SurfaceError::Body {
                actual: of.body,
                expected: body,
            });
        }
        let (points, triangles) = (of.points, of.triangles);
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

    /// Checks the corners of the triangle with index `triangle`.
    ///
    /// # Errors
    /// [`SurfaceError::Corner`] for a corner that is not a point.
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

words! {
    /// Time of a surface's points. Words are counted from the first word of the payload.
    #[derive(Eq)]
    pub struct SurfaceFrameHeader in 3 words {
        /// Number of the step, as the simulation counts.
        tick: u64 = word 0;
        /// Time of the step, ns on the daemon's monotonic clock.
        time_ns: u64 = word 1;
        /// Simulated time lost since the start, ns; the body is this far behind the clock.
        lost_ns: u64 = word 2;
    }
}

words! {
    /// Words 5 to 7 of the header of a surface or a skin.
    #[derive(Eq)]
    pub struct BodyHeader in 3 words {
        /// Identity of the body.
        body: u32 = word 0;
        /// Number of points of a surface; capacity for points of each frame of a skin.
        points: u32 = word 1;
        /// Number of triangles of a surface; capacity for triangles of each frame of a skin.
        triangles: u32 = word 1 bit 32;
    }
}

impl BodyHeader {
    /// Writes words 5 to 7 of a block's header.
    pub(super) fn write(&self, header: &mut [u64; HEADER_WORDS]) {
        header[HEADER_WORDS - Self::WORDS..].copy_from_slice(&self.to_words());
    }

    /// Reads words 5 to 7 of a block's header, which belongs to no arm; other bits must be zero.
    pub(super) fn check(header: &[u64; HEADER_WORDS], arm: u16) -> Result<Self, BlockError> {
        let [.., first, second, third] = *header;
        let words = [first, second, third];
        let result = Self::from_words(&words);
        if arm == 0 && result.to_words() == words {
            Ok(result)
        } else {
            Err(BlockError::Reserved)
        }
    }
}

/// Packs numbers of 32 bits into words: two per word, the first in the lower half. Zero fills the
/// rest of the last word that is used. Numbers that do not fit are dropped. Returns how many were
/// packed.
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

/// Unpacks triples of numbers from words; an incomplete last triple is dropped.
pub fn unpack(words: impl IntoIterator<Item = u64>) -> impl Iterator<Item = [u32; 3]> {
    let mut numbers = words
        .into_iter()
        .flat_map(|word| [word as u32, (word >> 32) as u32]);
    std::iter::from_fn(move || Some([numbers.next()?, numbers.next()?, numbers.next()?]))
}
