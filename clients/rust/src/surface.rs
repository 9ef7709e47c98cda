//! The mapped surface of a deformable body: its triangles once, its points as often as wanted.
//!
//! Reading copies the newest points out of shared memory that only the daemon can write: no
//! message, no system call, and no allocation once the caller's list has grown to the body's size.
//! It keeps working (with the last points) when the [`Client`](crate::Client) is gone.
//!
//! An invalid block is an error of opening, whatever its words are; after that, nothing in it can
//! cause harm.

use crate::RequestError;
use hapticd_protocol::block::{
    HEADER_WORDS, SEQUENCE_WORD, SURFACE_FIXED_WORDS, SurfaceFrameHeader, SurfaceHeader, unpack,
};
use hapticd_sync::{
    seqlock::{
        ReadError,
        slice::{ReadSliceError, SliceReader},
    },
    words::{ReadableWords, Word},
};
use hapticd_sys::block::ReadOnlyBlock;
use std::{os::fd::OwnedFd, sync::atomic::Ordering};

/// The surface of one deformable body.
#[derive(Debug)]
pub struct Surface {
    body: u32,
    points: usize,
    triangles: Vec<[u32; 3]>,
    reader: SliceReader<ReadOnlyBlock>,
    /// Buffer for a copied value before it is decoded; as long as one value.
    words: Vec<u64>,
}

fn unusable(error: impl ToString) -> RequestError {
    RequestError::Block(error.to_string())
}

impl Surface {
    /// Maps the descriptor from the daemon as the surface of body `body`.
    pub(crate) fn open(fd: OwnedFd, body: u32) -> Result<Self, RequestError> {
        let block = ReadOnlyBlock::open(fd).map_err(unusable)?;
        let words = block.readable_words();
        let load = |word: &Word| word.load(Ordering::Relaxed);
        let header: [u64; HEADER_WORDS] =
            std::array::from_fn(|index| words.get(index).map_or(0, load));
        let header = SurfaceHeader::check(&header, words.len(), body).map_err(unusable)?;
        // The check has proven that the range lies inside the block, so nothing is longer than
        // that.
        let packed = words.get(header.triangle_words()).unwrap_or(&[]);
        let mut triangles = Vec::with_capacity(header.triangles as usize);
        for (index, corners) in unpack(packed.iter().map(load)).enumerate() {
            header.check_corners(index, corners).map_err(unusable)?;
            triangles.push(corners);
        }
        let changing = header.changing_words();
        let reader = SliceReader::new(block, SEQUENCE_WORD, changing).map_err(unusable)?;
        Ok(Self {
            body,
            points: header.points as usize,
            triangles,
            reader,
            words: vec![0; changing],
        })
    }

    /// Returns the identity of the body.
    pub fn body(&self) -> u32 {
        self.body
    }

    /// Returns the number of points, which is constant.
    pub fn points(&self) -> usize {
        self.points
    }

    /// Returns the triangles, which are constant: indices of points, each below
    /// [`points`](Self::points). Counter-clockwise seen from outside for a soft body; a cloth has
    /// two sides.
    pub fn triangles(&self) -> &[[u32; 3]] {
        &self.triangles
    }

    /// Returns how often the points were published; 0 before the first time. Costs one load: the
    /// cheap way to see whether there are new points.
    pub fn version(&self) -> u64 {
        self.reader.version()
    }

    /// Replaces `points` by the newest points (x, y, z in the world frame, m), and returns when
    /// they were there. The old content of the list is lost.
    ///
    /// # Errors
    /// [`ReadError`]: nothing was published yet, or the writer interfered in every attempt. The
    /// latter happens now and then for a large body; then continue with the previous points.
    /// `points` is unchanged.
    pub fn read(&mut self, points: &mut Vec<[f32; 3]>) -> Result<SurfaceFrameHeader, ReadError> {
        match self.reader.read_into(&mut self.words) {
            Ok(_) => {}
            Err(ReadSliceError::Read(error)) => return Err(error),
            // Cannot occur: the buffer has the length of a value.
            Err(ReadSliceError::Length(_)) => return Err(ReadError::Empty),
        }
        let mut words = self.words.iter().copied();
        let header =
            std::array::from_fn::<_, SURFACE_FIXED_WORDS, _>(|_| words.next().unwrap_or(0));
        points.clear();
        points.extend(unpack(words).map(|point| point.map(f32::from_bits)));
        Ok(SurfaceFrameHeader::from_words(&header))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_counting::{Counting, counted};
    use hapticd_protocol::block::pack;
    use hapticd_sync::{seqlock::slice::SliceWriter, words::WritableWords};
    use hapticd_sys::block::SharedBlock;
    use proptest::prelude::*;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    const TRIANGLES: [[u32; 3]; 3] = [[0, 1, 2], [0, 2, 3], [4, 3, 1]];

    /// Returns the words of a valid block with five points and three triangles.
    fn good() -> Vec<u64> {
        let header = SurfaceHeader::new(7, 5, 3, 1);
        let mut words = vec![0; header.triangle_words().end];
        words[..HEADER_WORDS].copy_from_slice(&header.to_words());
        pack(
            &mut words[header.triangle_words()],
            TRIANGLES.into_iter().flatten(),
        );
        words
    }

    /// Makes a real sealed block with these words.
    fn sealed(words: &[u64]) -> (SharedBlock, OwnedFd) {
        let (block, fd) = SharedBlock::create("hapticd-test", words.len()).unwrap();
        for (place, word) in block.words().iter().zip(words) {
            place.store(*word, Ordering::Relaxed);
        }
        (block, fd.into_owned())
    }

    fn refused(words: &[u64], body: u32) -> String {
        let (_block, fd) = sealed(words);
        Surface::open(fd, body).unwrap_err().to_string()
    }

    #[test]
    fn points_are_read_as_they_were_written_and_an_error_leaves_the_list() {
        let (block, fd) = sealed(&good());
        let mut surface = Surface::open(fd, 7).unwrap();
        assert_eq!((surface.body(), surface.points()), (7, 5));
        assert_eq!(surface.triangles(), TRIANGLES);
        let mut points = vec![[9.0; 3]; 2];
        assert_eq!(surface.read(&mut points), Err(ReadError::Empty));
        assert_eq!((points.len(), surface.version()), (2, 0));

        let expected: Vec<[f32; 3]> = (0..5u8).map(|k| [f32::from(k), 0.25, -1e9]).collect();
        let mut words = vec![0; 3 + 8];
        words[..3].copy_from_slice(&[11, 22, 33]);
        let numbers = expected.iter().flatten().map(|number| number.to_bits());
        pack(&mut words[3..], numbers);
        let mut writer = SliceWriter::new(block, SEQUENCE_WORD, words.len()).unwrap();
        writer.write(&words).unwrap();
        let header = SurfaceFrameHeader {
            tick: 11,
            time_ns: 22,
            lost_ns: 33,
        };
        assert_eq!(surface.read(&mut points), Ok(header));
        assert_eq!(points, expected);
        assert_eq!(surface.version(), 1);
        assert_eq!(counted(|| surface.read(&mut points)), (Ok(header), 0));

        writer.memory().words()[SEQUENCE_WORD].store(3, Ordering::Relaxed);
        assert_eq!(surface.read(&mut points), Err(ReadError::Torn));
        assert_eq!(points, expected);
    }

    #[test]
    fn another_magic_version_size_body_or_corner_is_refused_with_the_numbers() {
        let with = |index: usize, value: u64| {
            let mut words = good();
            words[index] = value;
            words
        };
        for (words, body, says) in [
            (with(0, 1), 7, "not a block of this protocol"),
            (with(1, 5 | 9 << 16), 7, "of version 9.0"),
            (
                with(1, 1 | u64::from(hapticd_protocol::MAJOR) << 16),
                7,
                "of kind 1, not 5",
            ),
            (with(2, 5), 7, "says 5 words and has 25"),
            (with(6, 5 | 4 << 32), 7, "5 points and 4 triangles need 17"),
            (good(), 8, "body 7's, not body 8's"),
            (with(20, 5 << 32), 7, "triangle 0 has corner 5"),
            (vec![1], 7, "not a block of this protocol"),
        ] {
            let error = refused(&words, body);
            assert!(error.contains(says), "{error}: not {says}");
        }
        let not_sealed = std::fs::File::open("/dev/null").unwrap();
        assert!(matches!(
            Surface::open(not_sealed.into(), 7),
            Err(RequestError::Block(_))
        ));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]

        /// Whatever a block contains: it is refused, or every triangle has three points and reading
        /// returns all points or an error.
        #[test]
        fn no_words_do_harm(
            damage in prop::collection::vec((any::<prop::sample::Index>(), prop_oneof![any::<u64>(), 0_u64..8]), 0..6),
            cut in prop_oneof![Just(0_usize), 0_usize..25],
            grown in prop_oneof![Just(0_usize), 0_usize..9],
        ) {
            let mut words = good();
            for (index, value) in damage {
                let index = index.index(words.len());
                words[index] = value;
            }
            words.truncate(words.len() - cut);
            words.resize(words.len() + grown, 0);
            let (_block, fd) = sealed(&words);
            if let Ok(mut surface) = Surface::open(fd, 7) {
                let count = surface.points() as u32;
                prop_assert!(surface.triangles().iter().flatten().all(|corner| *corner < count));
                let mut points = Vec::new();
                if surface.read(&mut points).is_ok() {
                    prop_assert_eq!(points.len(), surface.points());
                }
            }
        }

        /// The same for words that have only the size in common with a surface.
        #[test]
        fn no_other_words_do_harm(mut words in prop::collection::vec(any::<u64>(), 1..40), headed in any::<bool>()) {
            if headed && words.len() > HEADER_WORDS {
                let size = words.len() as u64 | (words.len() as u64 - 9) << 32;
                let kind = good()[1];
                for (place, word) in words.iter_mut().zip([hapticd_protocol::MAGIC, kind, size, 0, 0, 7]) {
                    *place = word;
                }
                words[6] &= 0x7_0000_0007;
                words[7] = 0;
            }
            let (_block, fd) = sealed(&words);
            if let Ok(mut surface) = Surface::open(fd, 7) {
                let _ = surface.read(&mut Vec::new());
            }
        }
    }
}
