//! `[collision]`: how far and how much the collision thread looks.

use crate::key::{choice, integer, number};
use crate::macros::{choices, section};

choices! {
    /// What finds the contacts of soft bodies and cloth.
    pub enum Backend {
        /// A GPU if there is one, else the CPU. What is recorded is the CPU's, so that it can be
        /// replayed exactly.
        Auto as "auto",
        /// A GPU; without one the daemon does not start.
        Gpu as "gpu",
        /// The CPU.
        Cpu as "cpu",
    }
}

choices! {
    /// What finds the pairs of bodies whose boxes meet.
    pub enum BroadPhase {
        /// Boxes sorted along one axis, in an order that is kept from step to step.
        Sweep as "sweep",
        /// Orders on all three axes and pairs are kept, and change where bounds pass each other.
        Kinetic as "kinetic",
        /// A map of space, refined where it is crowded, whose cells list what is in and around
        /// them.
        Registration as "registration",
    }
}

section! {
    /// The collision thread, which hands the loop a certified set of nearby features.
    pub struct Collision {
        /// Farthest that features are looked for around a tool.
        /// The tool can move about this far until the next answer; a longer reach finds more pairs.
        reach_max_m: f64 = number(0.02, 0.0005, 0.5).unit("m"),
        /// Most feature pairs of one body in an answer, which has room for twice as many. Where
        /// more are within reach the nearest are listed, and the reach of that answer is shortened.
        pairs: u32 = integer(4096, 64, 65536),
        /// What finds the contacts of soft bodies and cloth, and which triangles of large meshes
        /// are near a tool; rigid contact is the same to the bit either way. Everything in virtual
        /// time is the CPU's.
        backend: Backend = choice::<Backend>("auto"),
        /// What finds the pairs of dynamic bodies, and of soft ones, that may touch at all. All of
        /// them find the same pairs, so contacts, forces and recordings are the same to the bit;
        /// they differ in time.
        broad_phase: BroadPhase = choice::<BroadPhase>("sweep"),
        /// Age of answers when they are ready, in virtual time, where tests and replays run without
        /// threads. The tick after that uses them.
        virtual_latency_ticks: u32 = integer(4, 0, 1000).unit("ticks"),
    }
}
