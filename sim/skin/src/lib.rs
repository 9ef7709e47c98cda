//! Skins: implicit surfaces around skeletons, for bodies that deform, merge and part (Triquet 2001).
//!
//! Every [`Primitive`] of a skeleton radiates a potential that falls with distance; the surface is where their sum is the level. Inside it is
//! above. Such surfaces blend where they meet, and change their topology by themselves.
//!
//! * [`kernel`] is how a potential falls, [`primitive`] what it falls from, with gradients.
//! * [`table`] is what Marching Cubes makes of a cube, such that the mesh closes.
//!
//! No I/O, no clocks, no threads. Deterministic.
#![forbid(unsafe_code)]

pub mod kernel;
pub mod primitive;
pub mod table;

pub use kernel::{Kernel, KernelError};
pub use primitive::{Primitive, PrimitiveError, Skeleton};
pub use table::{Ambiguity, Table};
