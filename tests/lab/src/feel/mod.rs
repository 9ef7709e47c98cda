//! What a hand feels: stiffness that an arm can carry, oscillations, energy. Against theory and, where a mechanism can be switched
//! off, against the same without it. In virtual time, deterministic.

pub mod fidelity;
pub mod oscillation;
pub mod presses;
pub mod zwidth;
