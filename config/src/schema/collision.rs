//! `[collision]`: reach, capacity and methods of the collision thread.

use hapticd_choices::BroadPhaseKind;

use crate::field::choice;
use crate::key::{integer, number};
use crate::macros::{choices, section};

choices! {
    /// Processor that finds the contacts of deformables and the triangles near a tool.
    pub enum Backend {
        /// A GPU if there is one, else the CPU. While recording, contacts come from the CPU, so
        /// that a replay is exact.
        Auto as "auto",
        /// A GPU. Without one the daemon does not start.
        Gpu as "gpu",
        /// The CPU.
        Cpu as "cpu",
    }
}

section! {
    /// The collision thread, which sends the loop a certified set of nearby features.
    pub struct Collision {
        /// Largest distance from a tool at which features are listed. The tool can move about this
        /// far until the next answer. A longer reach finds more pairs.
        reach_max_m: f64 = number(0.02, 0.0005, 0.5).unit("m"),
        /// Largest number of feature pairs of one body in an answer, which holds twice as many in
        /// total. If more are within reach, the answer lists the nearest and its reach is
        /// shortened.
        pairs: u32 = integer(4096, 64, 65536),
        /// Processor that finds the contacts of soft solids and cloth, and the triangles of large
        /// meshes near a tool. Rigid contact is the same to the bit on either. Virtual time always
        /// uses the CPU.
        backend: Backend = choice::<Backend>("auto"),
        /// Algorithm that finds pairs of dynamic bodies, and pairs of deformables, that may touch.
        /// All find the same pairs: contacts, forces and recordings are the same to the bit, only
        /// the computing time differs.
        broad_phase: BroadPhaseKind = choice::<BroadPhaseKind>("sweep"),
        /// Age at which an answer is ready in virtual time, where tests and replays run without
        /// threads. The next tick uses it.
        virtual_latency_ticks: u32 = integer(4, 0, 1000).unit("ticks"),
    }
}
