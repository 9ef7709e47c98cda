//! The haptic loop: one tick ([`core`]), what it leaves behind ([`record`]), and the thread that runs it ([`thread`]).

pub mod core;
pub mod events;
pub mod record;
pub mod simulation;
pub mod thread;
