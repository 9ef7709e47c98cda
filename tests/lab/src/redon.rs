//! Experiments of Redon 2002: *Algorithmes de simulation dynamique interactive d'objets rigides*.
//! Detection: sphere trees, box tests, back-face cones. Dynamics: contact groups, motion space.
//!
//! The original models are not available; the notes of each report name the stand-ins. The
//! experiments compare counts and ratios, not times.

pub mod e1;
pub mod e10;
pub mod e11;
pub mod e12;
pub mod e13;
pub mod e15;
pub mod e17;
pub mod e18;
pub mod e19;
pub mod e2;
pub mod e20;
pub mod e23;
pub mod e24;
pub mod e26;
pub mod e27;
pub mod e28;
pub mod e3;
pub mod e30;
pub mod e4;
pub mod e5;
pub mod e6;

pub(crate) mod bench;
mod door;
mod doors;
mod hand;
mod motor;
mod stage;
mod trajectory;
mod trial;
