//! What a hand feels: stiffness that an arm can carry, oscillations, energy. Against theory and,
//! where a mechanism can be switched off, against the same without it. In virtual time,
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
