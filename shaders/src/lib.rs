//! GPU side of ray-traced collision detection (Lehericey 2016): the shaders and their typed passes,
//! on wgpu.
//!
//! The CPU twin is `hapticd_rays`; both share one layout and give the same answers but for
//! rounding. This crate knows nothing of arms, of the daemon or of time.
//!
//! # Theory
//!
//! A point of an object casts a ray along its normal, in both directions, for the surface of
//! another object. Three algorithms do that: through a tree of boxes, over all triangles, or by a
//! walk from the triangle that was hit before. Each is a separate pass, since GPU threads of one
//! group must do the same work. The lists of rays are counted on the GPU, and the passes are
//! launched with those counts (indirect dispatch). The CPU schedules a whole step ahead and never
//! reads back in the middle of one.
//!
//! # Practice
//!
//! [`Gpu`] is the device: hardware unless [`Choice::Software`] is requested. In tests the
//! environment variable [`Choice::VARIABLE`] chooses (`HAPTICD_GPU=hardware` or `software`, by
//! default `software`). [`Packed`] is the scene to upload.
//!
//! * [`Narrow`] is the narrow phase: from pairs to contacts, with a memory of what each point hit.
//!   It takes a [`Step`] and returns a [`Found`].
//! * [`Feed`] converts a twin's scene and plan for it.
//! * [`GpuDetector`] wraps it as the trait that a world uses, [`hapticd_rays::Detector`].
//! * [`Tracer`] only traces: from lists of rays to their hits.
//!
//! * [`Midphase`] is the mid-phase of continuous detection: which triangles of two meshes may touch
//!   while one moves.
//! * [`GpuMidPhase`] wraps it as the trait that a world uses, [`hapticd_ccd::MidPhase`].
//!   [`GpuMidPhase::beside`] does so for a thread that must not call a driver: another thread
//!   [serves](DeviceEnd::serve) the device.
//!
//! * [`GpuSkin`] makes large skins as `hapticd_skin::Skin` does, for points that all blend.
//!   [`LargeSkins`] wraps it as the trait that callers of a mesher use,
//!   [`hapticd_skin::Polygonizer`].
//!
//! No call waits except `wait` and those for a skin. Any call may return a [`Fault`]. After one,
//! [`Narrow::recover`] opens the device again with the next generation number, and the scene must
//! be set again.
//!
//! If the adapter has ray queries and [`Options::ray_queries`] requests them, full traces use them.
//! The adapter names the triangles with boxes that a ray hits, and the same functions as in the
//! other passes test these, so the answers are the same. All else is unchanged.
//!
//! Single precision, and poses in the world: keep the scene within about a metre of the origin, or
//! move the origin. A metre away, positions in another frame are accurate to some tenths of a
//! micrometre.
//!
//! Shaders are in `src/wgsl`, one file per pass and some for shared parts. The build of this crate
//! checks them, and derives each pass's bindings from its shader. No pass binds more than eight
//! storage buffers, which every WebGPU adapter has.
// The only unsafe call is in `queries.rs`, with its justification.
#![deny(unsafe_code)]

mod adapter;
mod boxes;
mod buffer;
mod detector;
mod device;
mod feed;
mod hits;
mod midphase;
mod narrow;
mod near;
mod packed;
mod pass;
mod plan;
mod queries;
mod readback;
mod room;
mod scene;
mod setup;
mod skin;
mod structures;
mod sweep;
mod times;
mod tracer;
mod traces;

pub use adapter::{AdapterReport, Choice, Kind, OpenError, UnknownChoice, suffices};
pub use boxes::{MeshBoxes, TriangleBox};
pub use buffer::{BufferError, Store};
pub use detector::GpuDetector;
pub use device::{Breaker, Fault, Gpu, Options};
pub use feed::Feed;
pub use hits::{Hit, Hits, List, Place};
pub use midphase::{Candidate, Candidates, Midphase, SweepError, Tally};
pub use narrow::{Found, Launch, Narrow, Room, Step};
pub use near::{DeviceEnd, GpuMidPhase, Limits, Patience, QueryEnd, Sweeper};
pub use packed::{Cluster, Packed, Parts, SceneError};
pub use pass::{Access, Bound, Pass, PassError, Slot, Source};
pub use plan::{Chunk, ClusterPoints, NearCluster, Row, Run};
pub use queries::{RayQueries, UnknownRayQueries};
pub use readback::DEPTH;
pub use room::Demand;
pub use scene::GpuScene;
pub use setup::SetupError;
pub use skin::{
    GpuReport, GpuSkin, GpuSkinError, LargeSkins, SkinBall, SkinBrick, SkinGrid, SkinRefused,
    SkinScan, SkinTally,
};
pub use sweep::{PARTS, ShapeId, Sweep, SweepRow};
pub use tracer::{Answer, StepError, Ticket, Tracer, Work};
pub use traces::Settings;

/// wgpu, for its types in this crate's interface.
pub use wgpu;

/// The passes that the build found in `src/wgsl`.
pub mod passes {
    use crate::pass::{Access, Slot, Source};

    include!(concat!(env!("OUT_DIR"), "/passes.rs"));
}

/// Threads per workgroup, in every pass.
pub const GROUP: u32 = 64;
/// Points per [`Chunk`].
pub const CHUNK: u32 = 256;
/// Maximum number of workgroups along one dimension; larger launches use two.
pub const SIDE: u32 = 65_535;
