//! What a hand feels: stiffness that an arm can render, oscillations, energy. Compared with theory
//! and, where a mechanism can be switched off, with the same run without it. In virtual time,
//! deterministic.

pub mod air;
pub mod energy;
pub mod fidelity;
pub mod friction;
pub mod impact;
pub mod latency;
pub mod oscillation;
pub mod peers;
pub mod presses;
pub mod stage;
pub mod wrench;
pub mod zwidth;
