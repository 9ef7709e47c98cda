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
//!      5..8   zero (in the block of a surface or a skin: see below)
//!      8      sequence: odd while the writer is inside; 2 v when value number v is complete; 0 before the first
//!      9..    payload
//! ```
//!
//! How to read it: load the sequence (acquire); even and not 0? copy the payload word by word;
//! fence (acquire); load the sequence again; the same? The copy is whole. Otherwise try again, a
//! bounded number of times. (`hapticd-sync`'s seqlock does this.)
//!
//! The payload grows at its end only, with the minor version; a reader copies the words that it
//! knows. Encoding into words is real-time callable: no allocation, no panic, constant time.
//!
//! # The surface of a deformable body
//!
//! One block for each soft body and each cloth, of a length of its own, kind 5. With P points and T
//! triangles:
//!
//! ```text
//! word 5          the body's identity (32 bits) | zero (32)
//!      6          P (32) | T (32)
//!      7          zero
//!      8          sequence
//!      9          number of the step, as the simulation counts
//!      10         time of the step, ns on the daemon's monotonic clock
//!      11         simulated time lost since the start, ns: by so much the body is behind the clock
//!      12..       points: x, y, z each as f32, m, in the world frame; two numbers to a word, the first in the lower half
//!                 (in memory: 3 P packed little-endian f32, zeros up to the next whole word)
//!      12 + (3 P + 1) / 2 ..
//!                 triangles: three u32 indices of points each, packed in the same way
//! ```
//!
//! Words 9 up to the triangles are what the sequence guards. The header and the triangles never
//! change after the block was made, and are there before its descriptor is given away.
//!
//! # The skin of an implicit body
//!
//! One block for each, kind 6. Its mesh is another one in every frame, so there are two *slots*,
//! written in turns: whoever reads the newer one has the time of a frame for it. With room for P
//! points and T triangles:
//!
//! ```text
//! word 5          the body's identity (32 bits) | zero (32)
//!      6          P (32) | T (32)
//!      7          zero
//!      8          sequence of the first slot, which guards what follows
//!      9..25      the moment (16 words, see SkinMoment): counts p and t of this frame first
//!      25..       p points, p normals, p velocities: three f32 each, packed as points of a surface are, each list from a whole word on;
//!                 then t triangles, three u32 each
//!      8 + 1 + 16 + 3 ceil(3 P / 2) + ceil(3 T / 2)
//!                 sequence of the second slot; the same again
//! ```
//!
//! Words of a slot that this frame has no use for are old ones. The newest frame is in the slot
//! whose sequence is larger, or in the second where both are the same.

mod bodies;
mod contacts;
mod header;
mod skin;
mod state;
mod surface;

pub use bodies::{BODIES_WORDS, Bodies, BodyPose};
pub use contacts::{CONTACTS_WORDS, Contact, Contacts};
pub use header::{BlockError, BlockHeader, HEADER_WORDS, block_words};
pub use skin::{
    SKIN_FIXED_WORDS, SKIN_SLOTS, SkinCounts, SkinError, SkinHeader, SkinMoment, skin_flag,
};
pub use state::{ArmEnergy, ArmState, GovernorState, STATE_WORDS, flag, force_off_text};
pub use surface::{SURFACE_FIXED_WORDS, SurfaceError, SurfaceHeader, SurfaceMoment, pack, unpack};

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
