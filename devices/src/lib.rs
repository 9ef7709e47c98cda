//! `hapticd-devices`: haptic arms, real and simulated.
//!
//! A driver is a pure codec (bytes to state and back), a kinematic model and a transport. The
//! report layout, units, geometry, limits and quirks of an arm are data: a [`profile`]. The daemon
//! sees every arm, real or simulated, through the few types in [`arm`]. The [`safety`] governor is
//! the last stage before the wire.
//!
//! | module | what it is | blocks | allocates |
//! |---|---|---|---|
//! | [`arm`] | sample, command, specification: what every arm has in common | no | only to build a specification |
//! | [`profile`] | a model of arm as data: TOML to a checked [`profile::Profile`]; the shipped ones | no | yes: not for the loop |
//! | [`codec`] | report bytes to state, commands to report bytes | no | only to build it |
//! | [`kinematics`] | axes to the tool's pose, wrench to efforts | no | only to build it |
//! | [`velocity`] | velocity from poses | no | only to build it |
//! | [`driver`] | joins the four above: an arm without its wire | no | only to build it |
//! | [`truth`] | exact state of a simulated handle, for experiments | no | no |
//! | [`transport`] | the border that the daemon's device threads use | its methods may | no |
//! | [`hid`] | arms on HID: listing, identity, opening, reading, writing | yes | listing and opening only |
//! | [`safety`] | the governor: can only reduce a force | no | only to build it |
//! | [`sim`] | simulated arm and simulated hand | no | only to build them |
//!
//! This crate starts no thread and reads no clock: time is always an argument, in nanoseconds on
//! one monotonic clock. SI units, `f64`, right-handed frames. Neither device bytes nor a profile
//! can cause a panic.

#![forbid(unsafe_code)]

pub mod arm;
pub mod codec;
mod configured;
pub mod driver;
pub mod hid;
pub mod kinematics;
pub mod profile;
pub mod safety;
pub mod sim;
pub mod transport;
pub mod truth;
pub mod velocity;

pub use arm::{ArmCommand, ArmSample, ArmSpec, ArmStatus, Pose, Vec3, Workspace, Wrench};
