//! `hapticd-devices`: the arms.
//!
//! A driver is a pure codec (bytes to state and back), a kinematic model and a transport; the
//! layout of an arm's reports, its units, geometry, limits and quirks are data, a [`profile`]. What
//! the daemon sees of any arm, real or simulated, is the handful of types in [`arm`]. The last
//! thing before the wire is the [`safety`] governor.
//!
//! | module | what it is | blocks | allocates |
//! |---|---|---|---|
//! | [`arm`] | sample, command, specification: what every arm has in common | no | only to build a specification |
//! | [`profile`] | a model of arm as data: TOML to a checked [`profile::Profile`]; the shipped ones | no | yes: not for the loop |
//! | [`codec`] | report bytes to state, commands to report bytes | no | only to build it |
//! | [`kinematics`] | axes to the tool's pose, wrench to efforts | no | only to build it |
//! | [`velocity`] | velocity from poses | no | only to build it |
//! | [`driver`] | the four above joined: an arm without its wire | no | only to build it |
//! | [`transport`] | the border that the daemon's device threads use | its methods may | no |
//! | [`hid`] | arms on HID: listing, identity, opening, reading, writing | yes | listing and opening only |
//! | [`safety`] | the governor: can only ever reduce a force | no | only to build it |
//! | [`sim`] | simulated arm and simulated hand | no | only to build them |
//!
//! This crate starts no thread and reads no clock: time is always an argument, on one monotonic
//! clock, in nanoseconds. SI units, `f64`, right-handed frames. No panic is reachable from device
//! bytes or from a profile.

#![forbid(unsafe_code)]

pub mod arm;
pub mod codec;
pub mod driver;
pub mod hid;
pub mod kinematics;
pub mod profile;
pub mod safety;
pub mod sim;
pub mod transport;
pub mod velocity;

pub use arm::{ArmCommand, ArmSample, ArmSpec, ArmStatus, Pose, Vec3, Workspace, Wrench};
