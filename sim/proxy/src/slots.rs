//! Slots of the body tables: which belong to bodies of the scene and which to tools, and the keys
//! of what is in them.

/// Most arms that one daemon drives.
pub const MAX_ARMS: usize = 4;
/// Number of slots in the body tables.
pub const MAX_BODIES: usize = 64;
/// Most bodies of one scene; the scene refuses the next one with this number. The slots after them
/// belong to the tools, which are bodies to each other.
pub const MAX_SCENE_BODIES: usize = MAX_BODIES - MAX_ARMS;

/// Returns the slot of an arm's tool in the body tables.
#[must_use]
pub fn tool_slot(arm: usize) -> usize {
    MAX_SCENE_BODIES + arm
}

/// Returns the arm that owns the tool in this slot; `None` for a body of the scene.
#[must_use]
pub fn tool_in(slot: usize) -> Option<usize> {
    slot.checked_sub(MAX_SCENE_BODIES)
        .filter(|arm| *arm < MAX_ARMS)
}

/// Returns the client-visible identity of an arm's tool as a body; no body of the scene has it.
#[must_use]
pub fn tool_id(arm: usize) -> u32 {
    u32::MAX - arm as u32
}

/// Returns the key of an arm's tool as a body; a tool that is placed again gets another key.
#[must_use]
pub fn tool_key(arm: usize, epoch: u32) -> BodyKey {
    BodyKey {
        slot: tool_slot(arm) as u8,
        generation: epoch,
    }
}

/// Identifies a body for its lifetime: a slot that is reused gets another generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub struct BodyKey {
    /// Slot in the body table, below [`MAX_BODIES`].
    pub slot: u8,
    /// Number of times that the slot was given out.
    pub generation: u32,
}
