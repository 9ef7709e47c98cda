//! The safety governor: the last stage before the wire, which can only reduce a force.
//!
//! [`Governor::step`] takes what the loop wants and what the arm reports, and returns what may be
//! sent. It keeps the limits of the arm, of the technician and of the application (the tightest of
//! the three, [`Limits`]). On every fault that it is told of or finds, it turns force off, with a
//! numbered [`ForceOffReason`] that goes into a [`History`].
//!
//! Guarantees: real-time callable (no allocation, no lock, no blocking, constant time), no panic on
//! any input, deterministic, no clock of its own. The rules and their proofs are in [`governor`].
//!
//! | module | rule |
//! |---|---|
//! | [`governor`] | the state machine: faults, waiting for a small force, ramps, fades |
//! | [`limits`] | who may limit what, and how limits combine |
//! | [`thermal`] | the continuous limit: an I²t budget |
//! | [`oscillation`] | detects limit cycles and lowers the gain |
//! | [`passivity`] | accounts for the energy that the hand is given, and lowers the gain |
//! | `pause` | takes all force away for a while, without a cause |
//! | [`stiffness`] | how stiff a wall this arm and this loop can render passively |
//! | [`reason`], [`history`] | why force is off, and was |

mod channel;
pub mod governor;
pub mod history;
pub mod limits;
pub mod oscillation;
pub mod passivity;
mod pause;
#[cfg(test)]
mod properties;
pub mod reason;
pub mod stiffness;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod tests;
pub mod thermal;

pub use governor::{Governed, Governor, GovernorInput, GovernorState, PassedForce, Reductions};
pub use history::{ForceOff, HISTORY_LENGTH, History};
pub use limits::{Limits, LimitsError, OscillationLimits};
pub use passivity::{Ends, Energy, Spring};
pub use reason::{ForceOffReason, ReasonSet, Response};
pub use stiffness::{StiffnessBound, passive_stiffness};
pub use thermal::ThermalBudget;
