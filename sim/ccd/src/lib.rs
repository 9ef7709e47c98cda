//! Continuous collision detection and proximity between rigid triangle meshes.
//!
//! Everything here answers questions of one form: *the points of A follow one constant-speed screw,
//! the points of B stand still, both are given in B's frame.* With one mover at a time that covers
//! every query of the simulation.
//!
//! - [`pair`]: closest features, the distance of one feature pair.
//! - [`mod@advance`]: how far one feature pair can move and provably stay apart; the real-time path.
//! - [`proximity`]: all feature pairs of two meshes nearer than a reach; the collision thread.
//! - [`obb`], [`sweep`], [`tree`]: oriented boxes, their discrete and continuous overlap tests, and the
//!   hierarchy over a mesh.
//! - [`elementary`], [`mod@first_contact`]: Redon's interval root isolation and the tree traversal around
//!   it, an independent second opinion on whole paths.
//! - [`linear`]: first contact of one feature pair when every vertex moves on a straight line (deformable meshes); the one
//!   query here that is not about rigid motion.
//!
//! Units are metres and radians, `f64`. Nothing blocks, nothing uses threads, and all results are pure
//! functions of the arguments.

#![forbid(unsafe_code)]

pub mod advance;
mod cull;
pub mod elementary;
pub mod first_contact;
mod front;
pub mod index;
pub mod linear;
pub mod obb;
pub mod pair;
pub mod proximity;
pub mod sweep;
pub mod tree;

pub use advance::{Advance, MotionBound, advance};
pub use elementary::Precision;
pub use first_contact::{FirstContact, FirstContactOptions, first_contact};
pub use index::MeshIndex;
pub use linear::{LinearContact, LinearOptions, first_contact_linear};
pub use obb::Obb;
pub use pair::{PairDistance, PairKind, closest};
pub use proximity::{NearPair, NearSet, Proximity};
pub use tree::ObbTree;
