//! Block of the needle at one arm's tool, published in every tick.

use super::words::words;
use crate::wire::codes;

/// Words of the payload.
pub const NEEDLE_WORDS: usize = NeedleState::WORDS;

codes! {
    /// State of a needle.
    pub enum NeedlePhase: u8, "a state of a needle" {
        /// The arm has no needle.
        Absent = 0,
        /// Outside the tissue, or not known to have come from outside.
        Free = 1,
        /// The tip dents the surface.
        Touching = 2,
        /// In the tissue.
        Inserted = 3,
    }
}

codes! {
    /// What holds the tip of a needle.
    pub enum NeedleHold: u8, "what holds a needle" {
        /// Friction of the shaft and the cutting force.
        Friction = 0,
        /// The surface of a layer: `held_by` counts layers from the top, from 0.
        Layer = 1,
        /// The surface of a structure that can be pierced: `held_by` counts structures from 0, in
        /// the order of the configuration.
        Membrane = 2,
        /// A structure that cannot be pierced; counted likewise.
        Bone = 3,
        /// The side of the tissue.
        Border = 4,
        /// The hub is at the surface: all of the needle is in.
        Hub = 5,
    }
}

words! {
    /// Payload of the block: the needle of an arm, world frame.
    pub struct NeedleState in 13 words {
        /// Number of the tick.
        tick: u64 = word 0;
        /// Time of the tick, ns on the daemon's monotonic clock.
        time_ns: u64 = word 1;
        /// Code of the [`NeedlePhase`].
        phase: u8 = word 2;
        /// Code of the [`NeedleHold`].
        hold: u8 = word 2 bit 8;
        /// Layer that the tip is in, from the top, from 0; 0 outside of the tissue.
        layer: u16 = word 2 bit 16;
        /// Number of surfaces pierced since the start.
        pierced: u32 = word 2 bit 32;
        /// Layer or structure that holds the tip, as [`NeedleHold`] says; otherwise 0.
        held_by: u32 = word 3;
        /// Structure nearest to the end of the needle, counted from 1 in the order of the
        /// configuration; 0 if none is near enough to be known.
        nearest: u32 = word 3 bit 32;
        /// Length of the tip's path in the tissue, m.
        depth_m: f64 = word 4;
        /// Force of the tissue along the axis, N; positive pushes the needle out, negative holds it
        /// back.
        axial_n: f64 = word 5;
        /// Force across the axis, N.
        lateral_n: f64 = word 6;
        /// Position of the tip, m.
        tip_m: [f64; 3] = word 7;
        /// Distance of that structure from the needle's surface, m; 0 where the needle goes through
        /// it, and with `nearest` 0.
        nearest_m: f64 = word 10;
        /// Distance from the needle's axis up to which no structure is missed, m; 0 outside of the
        /// tissue.
        sure_m: f64 = word 11;
        /// Tick for which `nearest` was computed: some 20 ticks back. 0: never.
        nearest_tick: u64 = word 12;
    }
}
