//! Ray-traced collision detection (Lehericey 2016): the CPU twin of the passes in `shaders`, and their oracle.
#![forbid(unsafe_code)]

pub mod layout;

/// A point or a vector, metres unless named otherwise.
pub type V3 = nalgebra::Vector3<f32>;
