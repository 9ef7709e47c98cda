//! The haptic loop: one tick ([`core`]), its record ([`record`]), the limits that it keeps
//! ([`limits`]), and the thread that runs it ([`thread`]).

pub mod arms;
pub mod cause;
pub mod contact_events;
pub mod core;
pub mod effects;
pub mod events;
pub mod frame;
pub mod grasp;
pub mod limits;
pub mod line_limit;
pub mod orders;
pub mod record;
pub mod silenced;
pub mod simulation;
pub mod thread;
pub mod watchdog;
pub mod workspace;
