//! Ray-traced collision detection (Lehericey 2016): the CPU twin of the passes in `shaders`, and
//! their reference.
//!
//! From every point of every object of a pair, a ray goes inward along the normal against the other
//! object. If it leaves the other object there, the point is inside, and triangle, normal and depth
//! are known at once. The opposite ray finds near surfaces: a *prediction*. A surface that was met
//! a step ago is met again at most a few triangles further on. So a *walk* over the mesh from there
//! replaces the full trace while the two have hardly moved.
//!
//! * [`Shape`] is a preprocessed mesh, [`RayScene`] holds the objects, [`Tracer`] runs a step:
//!   pairs, then points, then rays.
//! * [`Detector`] is the interface for a world. It is the tracer, another backend with the same
//!   [`Plan`], or a supervised one ([`Watched`]).
//! * [`layout`] is shared with the shaders; [`line`](mod@line), [`trace`], [`accept`](mod@accept),
//!   [`displacement`] are the independent parts.
//!
//! Single precision, as on the GPU; poses are subtracted in double precision first. Only vertices
//! are tested against triangles: crossing edges without a vertex inside are not seen, and nothing
//! is seen between steps. Contacts that must not be missed are the task of `hapticd-ccd`.
//!
//! No I/O, no clocks. Uses rayon's threads; the answer does not depend on their number. Not for the
//! real-time thread, except [`trace::walk`], which neither allocates nor blocks.
#![forbid(unsafe_code)]

pub mod accept;
mod apart;
mod asleep;
mod bounds;
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
mod rays;
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

pub use bounds::Bounds;
pub use clusters::Clusters;
pub use detector::{Detector, DetectorError, Failures, Progress, Refused, Responder};
pub use lists::Lists;
pub use neighbours::NeighbourTable;
pub use plan::Plan;
pub use predictor::{Predicted, Predictor};
pub use rays::Rays;
pub use report::Report;
pub use roster::Roster;
pub use scene::{MAX_COORDINATE_M, MAX_POINTS, RayScene, SceneError, check_pose};
pub use settings::{Full, Separation, Settings};
pub use shape::{POINTS_PER_CLUSTER, Shape, ShapeError, Topology};
pub use tracer::Tracer;
pub use tree::Tree;
pub use watched::{PATIENCE, Watched};

/// A point or a vector, in metres unless stated otherwise.
pub type V3 = nalgebra::Vector3<f32>;
