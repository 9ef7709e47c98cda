//! Rigid bodies in contact: any number of them, with friction and impacts, never one inside
//! another.
//!
//! A [`RigidWorld`] holds bodies made of meshes. [`RigidWorld::plan`] computes the coming interval:
//! velocities by Gauss' principle of least constraint, then *one constant-speed screw per moving
//! body, all proven collision-free together* by continuous detection. [`RigidWorld::commit`] moves
//! the bodies along these screws, to the end or as far as the caller has executed them. Poses do
//! not change in a plan or commit in any other way, so bodies that start apart stay apart, at any
//! speed (Redon 2002, sections 2.2, 5.3 and 6.2).
//!
//! ```
//! use std::sync::Arc;
//! use hapticd_ccd::MeshIndex;
//! use hapticd_geometry::{Pose, Vec3, shapes};
//! use hapticd_rigid::{BodySpec, RigidWorld, Settings};
//!
//! let cube = Arc::new(MeshIndex::new(shapes::cuboid(&Vec3::repeat(0.1)).unwrap()));
//! let mut world = RigidWorld::new(Settings::default()).unwrap();
//! world.add(&BodySpec::fixed(cube.clone(), Pose::translation(0.0, 0.0, -0.1))).unwrap();
//! let body = world.add(&BodySpec::dynamic(cube, Pose::translation(0.0, 0.0, 0.11), 1000.0)).unwrap();
//! for _ in 0..1000 {
//!     world.step(1e-3);
//! }
//! // It has fallen by a centimetre and rests, a safe distance above the other.
//! let gap = world.body(body).unwrap().centre.z - 0.1;
//! assert!(gap > 0.0 && gap < 1e-4);
//! ```
//!
//! * [`BodySpec`], [`Material`], [`Twist`], [`Wrench`]: inputs.
//! * [`Plan`], [`Segment`], [`ContactReport`], [`Counters`]: outputs.
//! * [`Settings`], [`Distances`]: parameters.
//!
//! SI units, world frame. Sans-I/O, no threads, deterministic: equal calls give bit-equal results.
//! A step does not allocate once its buffers have grown to the scene. No panics; invalid numbers
//! are refused on input.
//! that make no sense are refused where they come in.
#![forbid(unsafe_code)]

mod body;
mod broad;
mod clamp;
mod distances;
mod groups;
mod hold;
mod link;
mod overlap;
mod patch;
mod plan;
mod point;
mod saved;
mod settings;
mod sleep;
mod solve;
mod step;
mod world;

pub use body::{
    BodyError, BodyId, BodyKind, BodySpec, BodyView, Hold, Mass, Material, Overlap, ShapeSummary,
    Twist, Wrench,
};
pub use distances::Distances;
pub use plan::{ContactReport, Counters, Executed, Plan, Segment, SegmentKind};
pub use saved::Checkpoint;
pub use settings::{Order, Settings};
pub use world::RigidWorld;
