//! The shared blocks: what is at which word.
//!
//! A block is an array of 8-byte little-endian words in a sealed memory file:
//!
//! ```text
//! word 0      "HAPTICD\0"
//!      1      kind (16 bits) | major (16) | minor (16) | arm (16), lowest bits first
//!      2      words of the whole block (32) | words of the payload (32)
//!      3      version of the daemon's program: patch (16) | minor (16) | major (16) | 0
//!      4      when the block was made, ns on the daemon's monotonic clock
//!      5..8   zero
//!      8      sequence: odd while the writer is inside; 2 v when value number v is complete; 0 before the first
//!      9..    payload
//! ```
//!
//! How to read it: load the sequence (acquire); even and not 0? copy the payload word by word; fence (acquire); load the sequence again;
//! the same? The copy is whole. Otherwise try again, a bounded number of times. (`hapticd-sync`'s seqlock does this.)
//!
//! The payload grows at its end only, with the minor version; a reader copies the words that it knows. Encoding into words is
//! real-time callable: no allocation, no panic, constant time.

mod bodies;
mod contacts;
mod header;
mod state;

pub use bodies::{BODIES_WORDS, Bodies, BodyPose};
pub use contacts::{CONTACTS_WORDS, Contact, Contacts};
pub use header::{BlockError, BlockHeader, HEADER_WORDS, block_words};
pub use state::{ArmState, GovernorState, STATE_WORDS, flag, force_off_text};

/// Word index of the sequence, and so the `first` of a seqlock in a block.
pub const SEQUENCE_WORD: usize = HEADER_WORDS;
/// Word index of the payload.
pub const PAYLOAD_WORD: usize = HEADER_WORDS + 1;

/// Puts numbers into consecutive words.
pub(crate) fn put<const N: usize>(words: &mut [u64], at: usize, values: [f64; N]) {
    if let Some(place) = words.get_mut(at..at + N) {
        for (word, value) in place.iter_mut().zip(values) {
            *word = value.to_bits();
        }
    }
}

/// Takes numbers from consecutive words; 0 where the words end.
pub(crate) fn take<const N: usize>(words: &[u64], at: usize) -> [f64; N] {
    std::array::from_fn(|index| f64::from_bits(words.get(at + index).copied().unwrap_or(0)))
}
