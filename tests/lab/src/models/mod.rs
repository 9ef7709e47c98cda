//! Stand-ins for the models of the sources, which are not available: closed, outward-oriented, in metres, the same in every run.
//!
//! Each is a pure function of nothing, with about as many triangles as the original.

pub mod car;
pub mod nozzle;
pub mod pylon;
pub mod steering_wheel;

mod lattice;
