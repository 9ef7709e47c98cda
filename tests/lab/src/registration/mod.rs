//! Experiments of Pitiot 2015, chapters 8 and 9: crowds that find each other by registration.
//!
//! The figures are lost and no absolute time is in the text; what is compared are ratios, orders
//! and shapes. No parameter of the behaviour is given either: those here are ours
//! ([`crowd::Settings`]). Processor time, one thread; the same seed gives the same crowd to the
//! bit.

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
