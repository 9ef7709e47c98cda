//! A simulated arm in a simulated hand: what a real arm does to the loop, without the arm.
//!
//! The arm has mass, viscous and Coulomb friction, motors that saturate, encoders that quantise,
//! and reports that come at their own rate, late, or not at all. The hand is an impedance that
//! follows an intention. Together, in a [`HeldArm`], they are the in-process arm of `hapticd demo`
//! (in real time) and of the tests (in virtual time).
//!
//! Guarantees: no thread, no clock (time is an argument), no allocation after construction,
//! deterministic: the same calls give bit-identical samples. Made for the arm's I/O thread, not for
//! the haptic loop: advancing by a millisecond costs about twenty integration steps.
//!
//! | module | what it is |
//! |---|---|
//! | [`mechanism`] | rigid body with friction that sticks |
//! | [`arm`] | the mechanism behind encoders, motors, a delay in both directions, and faults |
//! | [`fault`] | what can go wrong, and when |
//! | [`hand`] | the impedance of a hand |
//! | [`intention`], [`track`] | what the hand wants to do |
//! | [`held_arm`] | arm and hand together |
//! | [`transport`] | the held arm behind the border that real arms have too |
//! | [`truth`] | exact state of the handle, wrenches and work, for experiments |

pub mod arm;
pub mod fault;
pub mod hand;
pub mod held_arm;
pub mod intention;
pub mod mechanism;
mod random;
#[cfg(test)]
mod stability;
pub mod track;
pub mod transport;

pub use arm::{SimArm, SimArmParams, SimError};
pub use fault::{FaultKind, SimFault};
pub use hand::{Hand, HandParams};
pub use held_arm::HeldArm;
pub use intention::{Intention, IntentionError, Pattern};
pub use mechanism::{Displacement, Mechanism, MechanismParams};
pub use track::{Keyframe, Track};
pub use transport::SimTransport;

pub use crate::truth::{self, ArmTruth, Work};
