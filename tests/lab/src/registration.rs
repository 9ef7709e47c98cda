//! Experiments of Pitiot 2015, chapters 8 and 9: crowds whose agents find each other by
//! registration.
//!
//! The figures are lost, and the text gives no absolute times; the experiments compare ratios,
//! orders and shapes. The source gives no parameters of the behaviour either; those here are ours
//! ([`crowd::Settings`]). Times are processor times on one thread. The same seed gives the same
//! crowd to the bit.

pub mod crowd;
pub mod e11;
pub mod e2;
pub mod e3;
pub mod e4;
pub mod e5;
pub mod e6;
pub mod e7;
pub mod e8;
pub mod needle;
pub mod pairs;

mod corridor;
mod route;
mod stage;
mod worlds;
