//! Layout of the shared blocks.
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
//!      8      sequence: odd while the writer writes; 2 v when value number v is complete; 0 before the first
//!      9..    payload
//! ```
//!
//! To read a block (the seqlock of `hapticd-sync` does this):
//!
//! 1. Load the sequence (acquire). It must be even and not 0.
//! 2. Copy the payload word by word.
//! 3. Fence (acquire), then load the sequence again. If it is the same, the copy is consistent.
//! 4. Otherwise try again, a bounded number of times.
//!
//! The payload grows only at its end, with the minor version; a reader copies the words that it
//! knows. Encoding into words may be called from a real-time thread: no allocation, no panic,
//! constant time.
//!
//! # The surface of a deformable body
//!
//! Each soft body, cloth and body of a crowd has a block of kind 5. Its length depends on the body.
//! With P points and T triangles:
//!
//! ```text
//! word 5          the body's identity (32 bits) | zero (32)
//!      6          P (32) | T (32)
//!      7          zero
//!      8          sequence
//!      9          number of the step, as the simulation counts
//!      10         time of the step, ns on the daemon's monotonic clock
//!      11         simulated time lost since the start, ns: the body is this far behind the clock
//!      12..       points: x, y, z each as f32, m, in the world frame; two numbers to a word, the first in the lower half
//!                 (in memory: 3 P packed little-endian f32, zeros up to the next whole word)
//!      12 + (3 P + 1) / 2 ..
//!                 triangles: three u32 indices of points each, packed in the same way
//! ```
//!
//! The sequence guards the words from 9 up to the triangles. The header and the triangles are
//! written before the daemon hands out the block's descriptor, and never change after that.
//!
//! # The skin of an implicit body
//!
//! Each implicit body has a block of kind 6. Its mesh is a different one in every frame, so there
//! are two *slots*, written in turns: a reader of the newer one has the time of one frame. With a
//! capacity of P points and T triangles:
//!
//! ```text
//! word 5          the body's identity (32 bits) | zero (32)
//!      6          P (32) | T (32)
//!      7          zero
//!      8          sequence of the first slot, which guards what follows
//!      9..25      header of the frame (16 words, see SkinFrameHeader): counts p and t of this frame first
//!      25..       p points, p normals, p velocities: three f32 each, packed like the points of a surface; each list starts at a whole word;
//!                 then t triangles, three u32 each
//!      8 + 1 + 16 + 3 ceil(3 P / 2) + ceil(3 T / 2)
//!                 sequence of the second slot; the same again
//! ```
//!
//! Words of a slot that the frame does not use hold old values. The newest frame is in the slot
//! with the larger sequence, or in the second slot if both are the same.

mod bodies;
mod contacts;
mod header;
mod list;
mod needle;
mod skin;
mod state;
mod surface;
mod words;

pub use bodies::{BODIES_WORDS, Bodies, BodyState};
pub use contacts::{CONTACTS_WORDS, Contact, Contacts};
pub use header::{BlockError, BlockHeader, HEADER_WORDS, HeaderWords, block_words};
pub use list::ListHeader;
pub use needle::{NEEDLE_WORDS, NeedleHold, NeedlePhase, NeedleState};
pub use skin::{
    SKIN_FIXED_WORDS, SKIN_SLOTS, SkinCounts, SkinError, SkinFrameHeader, SkinHeader, skin_flag,
};
pub(crate) use state::force_off_layout;
pub use state::{ArmEnergy, ArmState, GovernorState, STATE_WORDS, flag, force_off_text};
pub use surface::{
    BodyHeader, SURFACE_FIXED_WORDS, SurfaceError, SurfaceFrameHeader, SurfaceHeader, pack, unpack,
};

/// Word index of the sequence, and thus the `first` of a seqlock in a block.
pub const SEQUENCE_WORD: usize = HEADER_WORDS;
/// Word index of the payload.
pub const PAYLOAD_WORD: usize = HEADER_WORDS + 1;

/// Seals of a block: `F_SEAL_SEAL`, `F_SEAL_SHRINK`, `F_SEAL_GROW` and `F_SEAL_FUTURE_WRITE`. Newer
/// kernels add `F_SEAL_EXEC`.
pub const BLOCK_SEALS: u32 = 1 | 2 | 4 | 16;

/// Returns what stands at fixed places of blocks.
pub(crate) fn layouts() -> Vec<crate::description::WordsLayout> {
    vec![
        HeaderWords::layout(),
        BodyHeader::layout(),
        ArmState::layout(),
        ArmEnergy::layout(),
        ListHeader::layout(),
        Contact::layout(),
        BodyState::layout(),
        NeedleState::layout(),
        SurfaceFrameHeader::layout(),
        SkinFrameHeader::layout(),
        SkinCounts::layout(),
    ]
}
