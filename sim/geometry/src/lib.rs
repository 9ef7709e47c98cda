//! Meshes, volumes, poses and screws: the geometry that every simulation crate builds on.
//!
//! The only I/O is loading and writing meshes and volumes. No threads; deterministic.
#![forbid(unsafe_code)]

// Linked for its effect on `sin`, `cos` and others, never called: see the crate's page.
use hapticd_elementary as _;

pub mod adjacency;
pub mod broad;
pub mod closest;
pub mod digest;
pub mod export;
pub mod interval;
pub mod load;
pub mod mass;
pub mod mesh;
pub mod pose;
pub mod prism;
pub mod refine;
pub mod report;
pub mod screw;
pub mod screw_bounds;
pub mod shapes;
pub mod smooth;
pub mod volume;

pub use adjacency::{Adjacency, Edge, NO_FACE, NO_OWNER, Owned, VertexEdges};
pub use broad::{Aabb, BroadPhase, SweepAndPrune, SweptBox};
pub use digest::Digest;
pub use interval::{IVec3, Interval};
pub use mass::{MassError, MassProperties, Moments};
pub use mesh::{MAX_TRIANGLES, MeshError, TriMesh};
pub use pose::{Mat3, Pose, Quat, Rigid, Vec3, transform};
pub use refine::refined;
pub use report::MeshReport;
pub use screw::Screw;
pub use screw_bounds::ScrewBounds;
pub use smooth::SmoothMesh;
pub use volume::{Volume, VolumeFault};
