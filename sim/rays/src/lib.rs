//! Ray-traced collision detection (Lehericey 2016): the CPU twin of the passes in `shaders`, and
//! their oracle.
//!
//! From every point of every object of a pair a ray goes inward along the normal against the other
//! object. If it leaves the other object there, the point is inside, and triangle, normal and depth
//! are known at once. The ray the other way sees what is near: a *prediction*. A surface that was
//! met a step ago is met again a few triangles further on at most, so a *walk* over the mesh from
//! there replaces the full trace as long as the two have hardly moved.
//!
//! * [`Shape`] is a mesh made ready, [`RayScene`] the objects, [`Tracer`] a step: pairs, then
//!   points, then rays.
//! * [`Detector`] is what a world asks: the tracer, another backend with the same [`Plan`], or one
//!   that is [`Watched`].
//! * [`layout`] is what the shaders share; [`line`](mod@line), [`trace`], [`accept`](mod@accept),
//!   [`displacement`] are the parts, each on its own.
//!
//! Single precision, as on the GPU; poses are subtracted in double precision before. Vertices
//! against triangles only: edges that cross with no vertex inside are not seen, and between steps
//! nothing is; what must not be missed belongs to `hapticd-ccd`.
//!
//! No I/O, no clocks. Threads are rayon's; the answer does not depend on how many. Not for the
//! real-time thread, but for [`trace::walk`], which neither allocates nor blocks.
#![forbid(unsafe_code)]

pub mod accept;
mod apart;
mod asleep;
mod clusters;
mod commit;
mod detector;
pub mod displacement;
mod emit;
pub mod layout;
pub mod line;
mod lists;
mod neighbourhood;
mod neighbours;
pub mod plan;
mod predictor;
mod report;
mod resolve;
mod roster;
mod scene;
mod settings;
mod shape;
pub mod trace;
mod tracer;
mod tree;
mod watched;

pub use clusters::Clusters;
pub use detector::{Detector, DetectorError, Progress, Refused};
pub use emit::Rays;
pub use lists::Lists;
pub use neighbours::NeighbourTable;
pub use plan::Plan;
pub use predictor::{Predicted, Predictor};
pub use report::Report;
pub use roster::Roster;
pub use scene::{Bounds, FURTHEST_M, MAX_POINTS, RayScene, SceneError, check_pose};
pub use settings::{Full, Separation, Settings};
pub use shape::{POINTS_PER_CLUSTER, Shape, ShapeError, Topology};
pub use tracer::Tracer;
pub use tree::Tree;
pub use watched::{Failures, PATIENCE, Responder, Watched};

/// A point or a vector, metres unless named otherwise.
pub type V3 = nalgebra::Vector3<f32>;
