//! Continuous collision detection and proximity between rigid triangle meshes.
//!
//! Most queries have one form: *the points of A follow one constant-speed screw, the points of B
//! stand still, and both are given in B's frame.* [`mod@moving`] covers any number of bodies that
//! move at once.
//!
//! - [`pair`]: closest points and distance of one feature pair.
//! - [`mod@advance`]: how far one feature pair can move and provably stay apart; the real-time
//!   path.
//! - [`proximity`]: all feature pairs of two meshes nearer than a reach; runs on the collision
//!   thread.
//! - [`nearest`]: the point of a mesh that is nearest to a given point.
//! - [`inside`]: winding numbers, for the test whether a point is inside a mesh.
//! - [`index`]: a shape prepared for these queries.
//! - [`midphase`]: interface of an external mid-phase that finds the candidate triangle pairs.
//! - [`obb`], [`tree`]: oriented boxes, their discrete overlap test, and the hierarchy over a mesh.
//! - [`mod@moving`]: pairs and scenes of moving bodies, chains of links, parametric and implicit
//!   surfaces; used by the dynamics.
//! - [`intersect`]: which triangles of two static meshes intersect.
//! - [`linear`]: first contact of one feature pair when every vertex moves on a straight line
//!   (deformable meshes); the only query here that is not about rigid motion.
//!
//! Redon's methods as published are in the crate `hapticd-published`. Tests use them as a second
//! opinion; the daemon does not link them.
//!
//! Units are metres and radians, `f64`. Nothing blocks, and only [`ObbTree::with_threads`] uses
//! threads. All results are pure functions of the arguments.

#![forbid(unsafe_code)]

pub mod advance;
mod cull;
mod front;
pub mod index;
pub mod inside;
pub mod intersect;
pub mod linear;
pub mod midphase;
pub mod moving;
pub mod nearest;
pub mod obb;
pub mod pair;
pub mod proximity;
pub mod tree;

pub use advance::{Advance, AdvanceLimits, MotionBound, advance};
pub use index::MeshIndex;
pub use inside::Winding;
pub use linear::{LinearContact, LinearOptions, first_contact_linear};
pub use midphase::{MidPhase, MidPhaseQuery, MidPhaseStats};
pub use nearest::{Nearest, NearestWork};
pub use obb::Obb;
pub use pair::{FeaturePair, PairDistance, PairKind, closest};
pub use proximity::{NearPair, NearSet, Proximity, ShapePair};
pub use tree::ObbTree;
