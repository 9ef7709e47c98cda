//! Header of a block: the eight words before the sequence, with kind and version.

use super::words::{Placed, words};
use super::{PAYLOAD_WORD, STATE_WORDS};
use crate::{MAGIC, MAJOR, MINOR, reply::BlockKind};

/// Number of words of the header.
pub const HEADER_WORDS: usize = 8;

/// Returns the number of words of a whole block with `payload` payload words.
pub const fn block_words(payload: usize) -> usize {
    PAYLOAD_WORD + payload
}

words! {
    /// Words 0 to 4 of every block.
    #[derive(Eq)]
    pub struct HeaderWords in 5 words {
        /// `HAPTICD` and a zero byte.
        magic: u64 = word 0;
        /// Kind of the block.
        kind: u16 = word 1;
        /// The daemon's major version of the protocol.
        major: u16 = word 1 bit 16;
        /// The daemon's minor version of the protocol.
        minor: u16 = word 1 bit 32;
        /// Index of the arm that the block belongs to; 0 for a block of the whole scene or of a
        /// body.
        arm: u16 = word 1 bit 48;
        /// Number of words of the whole block.
        words: u32 = word 2;
        /// Number of words of the payload: all behind the sequence.
        payload_words: u32 = word 2 bit 32;
        /// Patch version of the daemon's program.
        program_patch: u16 = word 3;
        /// Minor version of the daemon's program.
        program_minor: u16 = word 3 bit 16;
        /// Major version of the daemon's program.
        program_major: u16 = word 3 bit 32;
        /// Time at which the block was made, ns on the daemon's monotonic clock.
        created_ns: u64 = word 4;
    }
}

/// Header of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockHeader {
    /// Kind of the block.
    pub kind: BlockKind,
    /// The daemon's major version.
    pub major: u16,
    /// The daemon's minor version.
    pub minor: u16,
    /// Index of the arm that the block belongs to; 0 for a block of the whole scene or of a body.
    pub arm: u16,
    /// Number of words of the payload.
    pub payload_words: u32,
    /// The daemon's program version, as `[major, minor, patch]`.
    pub program: [u16; 3],
    /// Time at which the block was made, ns on the daemon's monotonic clock.
    pub created_ns: u64,
}

/// Reason why a block is not what its reader expects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// The block has no header, or the magic differs.
    #[error("not a block of this protocol")]
    NotABlock,
    /// The major version differs.
    #[error("the block is of version {major}.{minor}, this program reads {MAJOR}.{MINOR}")]
    Version {
        /// The block's major version.
        major: u16,
        /// The block's minor version.
        minor: u16,
    },
    /// The block is of another kind than requested.
    #[error("the block is of kind {actual}, not {expected}")]
    Kind {
        /// Code of the block's kind.
        actual: u16,
        /// Code of the requested kind.
        expected: u16,
    },
    /// Header and memory disagree about the size, or the payload is shorter than the reader's
    /// version requires.
    #[error(
        "the block says {declared} words and has {actual}; its payload has {payload} and {needed} are read"
    )]
    Size {
        /// Number of words that the header declares.
        declared: u32,
        /// Number of words of the memory.
        actual: usize,
        /// Number of payload words that the header declares.
        payload: u32,
        /// Number of payload words that the reader needs.
        needed: usize,
    },
    /// Reserved words are not zero.
    #[error("reserved words are not zero")]
    Reserved,
}

impl BlockHeader {
    /// Returns the header of a new block of this version.
    pub fn new(kind: BlockKind, arm: u16, payload_words: usize, created_ns: u64) -> Self {
        let program = [
            env!("CARGO_PKG_VERSION_MAJOR"),
            env!("CARGO_PKG_VERSION_MINOR"),
            env!("CARGO_PKG_VERSION_PATCH"),
        ];
        Self {
            kind,
            major: MAJOR,
            minor: MINOR,
            arm,
            payload_words: u32::try_from(payload_words).unwrap_or(u32::MAX),
            program: program.map(|number| number.parse().unwrap_or(0)),
            created_ns,
        }
    }

    /// Returns words 0 to 7 of the block.
    pub fn to_words(&self) -> [u64; HEADER_WORDS] {
        let [program_major, program_minor, program_patch] = self.program;
        let fixed = HeaderWords {
            magic: MAGIC,
            kind: self.kind.code(),
            major: self.major,
            minor: self.minor,
            arm: self.arm,
            words: self.payload_words.saturating_add(PAYLOAD_WORD as u32),
            payload_words: self.payload_words,
            program_patch,
            program_minor,
            program_major,
            created_ns: self.created_ns,
        };
        let mut words = [0; HEADER_WORDS];
        fixed.put(&mut words, 0, 0);
        words
    }

    /// Checks the header of a mapped block of `actual` words. The reader will read `payload`
    /// payload words.
    ///
    /// # Errors
    /// [`BlockError`]: the first thing that is wrong.
    pub fn check(
        words: &[u64; HEADER_WORDS],
        actual: usize,
        kind: BlockKind,
        payload: usize,
    ) -> Result<Self, BlockError> {
        let header = Self::check_but_reserved(words, actual, kind, payload)?;
        match words {
            [.., 0, 0, 0] => Ok(header),
            _ => Err(BlockError::Reserved),
        }
    }

    /// Like [`check`](Self::check), for a kind that uses words 5 to 7.
    pub(super) fn check_but_reserved(
        words: &[u64; HEADER_WORDS],
        actual: usize,
        kind: BlockKind,
        payload: usize,
    ) -> Result<Self, BlockError> {
        let fixed = HeaderWords::take(words, 0, 0);
        let HeaderWords { major, minor, .. } = fixed;
        if fixed.magic != MAGIC {
            return Err(BlockError::NotABlock);
        }
        if major != MAJOR {
            return Err(BlockError::Version { major, minor });
        }
        if fixed.kind != kind.code() {
            return Err(BlockError::Kind {
                actual: fixed.kind,
                expected: kind.code(),
            });
        }
        let (declared, payload_words) = (fixed.words, fixed.payload_words);
        let fits = usize::try_from(declared) == Ok(actual)
            && usize::try_from(payload_words)
                .is_ok_and(|has| has >= payload && block_words(has) == actual);
        if !fits {
            return Err(BlockError::Size {
                declared,
                actual,
                payload: payload_words,
                needed: payload,
            });
        }
        if fixed.to_words() != words[..HeaderWords::WORDS] {
            return Err(BlockError::Reserved);
        }
        Ok(Self {
            kind,
            major,
            minor,
            arm: fixed.arm,
            payload_words,
            program: [
                fixed.program_major,
                fixed.program_minor,
                fixed.program_patch,
            ],
            created_ns: fixed.created_ns,
        })
    }
}

const _: () = assert!(block_words(STATE_WORDS) == 57);

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> BlockHeader {
        BlockHeader::new(BlockKind::Contacts, 3, 100, 777)
    }

    #[test]
    fn a_header_is_at_its_published_words() {
        let words = sample().to_words();
        assert_eq!(words[0].to_le_bytes(), *b"HAPTICD\0");
        assert_eq!(words[1], 2 | 3 << 16 | 3 << 48);
        assert_eq!(words[2], 109 | 100 << 32);
        assert_eq!(words[4], 777);
        assert_eq!(words[5..], [0; 3]);
    }

    #[test]
    fn a_header_finds_its_way_back_and_a_longer_payload_is_welcome() {
        let header = sample();
        assert_eq!(
            BlockHeader::check(&header.to_words(), 109, BlockKind::Contacts, 100),
            Ok(header)
        );
        assert_eq!(
            BlockHeader::check(&header.to_words(), 109, BlockKind::Contacts, 90),
            Ok(header)
        );
    }

    #[test]
    fn everything_that_disagrees_is_refused() {
        let good = sample().to_words();
        let check = |words: &[u64; 8], actual, kind, payload| {
            BlockHeader::check(words, actual, kind, payload).unwrap_err()
        };
        let with = |index: usize, value: u64| {
            let mut words = good;
            words[index] = value;
            words
        };
        let kind = BlockKind::Contacts;
        assert_eq!(check(&with(0, 1), 109, kind, 100), BlockError::NotABlock);
        assert_eq!(
            check(&with(1, 2 | 9 << 16), 109, kind, 100),
            BlockError::Version { major: 9, minor: 0 }
        );
        assert_eq!(
            check(&good, 109, BlockKind::State, 100),
            BlockError::Kind {
                actual: 2,
                expected: 1
            }
        );
        assert!(matches!(
            check(&good, 108, kind, 100),
            BlockError::Size { .. }
        ));
        assert!(matches!(
            check(&good, 109, kind, 101),
            BlockError::Size { .. }
        ));
        assert!(matches!(
            check(&with(2, 109 | 99 << 32), 109, kind, 10),
            BlockError::Size { .. }
        ));
        assert!(matches!(
            check(&with(2, u64::MAX), 109, kind, 10),
            BlockError::Size { .. }
        ));
        for (word, value) in [(3, 1 << 48), (5, 1), (6, 1), (7, 1)] {
            let refused = check(&with(word, value), 109, kind, 100);
            assert_eq!(refused, BlockError::Reserved, "word {word}");
        }
    }
}
