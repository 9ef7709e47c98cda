//! The GPU's part in ray-traced collision detection (Lehericey 2016): the shaders and their typed
//! passes, on wgpu.
//!
//! The CPU twin is `hapticd_rays`; the two share one layout and give the same answers but for
//! rounding. This crate knows nothing of arms, of the daemon or of time.
//!
//! # Theory
//!
//! A point of an object looks along its normal, both ways, for the surface of another. Three
//! algorithms do that: through a tree of boxes, over all triangles, or by a walk from the triangle
//! that was met before. Each is a pass of its own: threads of a GPU that go together must do the
//! same. The lists of rays are counted on the GPU, and the passes are launched with those counts
//! (indirect dispatch): the CPU schedules a whole step ahead and never reads in the middle of one.
//!
//! # Practice
//!
//! [`Gpu`] is the device: hardware unless [`Choice::Software`] is asked for; in tests the
//! environment variable [`Choice::VARIABLE`] (`HAPTICD_GPU=hardware` or `software`, by default
//! `software`) chooses. [`Packed`] is the scene to hand over.
//!
//! * [`Narrow`] is the narrow phase: from pairs to contacts, remembering what each point met. A
//!   [`Step`] goes in, a [`Found`] comes out.
//! * [`Feed`] is a twin's scene and plan in its words.
//! * [`GpuDetector`] puts that behind the trait that a world asks, [`hapticd_rays::Detector`].
//! * [`Tracer`] only traces: from lists of rays to what they meet.
//!
//! * [`Midphase`] is continuous detection's: which triangles of two meshes may meet while one
//!   moves.
//! * [`GpuMidPhase`] puts that behind the trait that a world asks, [`hapticd_ccd::MidPhase`].
//!   [`GpuMidPhase::beside`] does so for a thread that must not call a driver: another one
//!   [serves](DeviceEnd::serve) the device.
//!
//! * [`GpuSkin`] makes large skins: what `hapticd_skin::Skin` does, for points that all blend.
//!   [`LargeSkins`] puts that behind the trait that who shows them asks,
//!   [`hapticd_skin::Polygonizer`].
//!
//! None ever waits, but in `wait` and for a skin. Any call may return a [`Fault`]; after one,
//! [`Narrow::recover`] opens the device again, a generation later, and the scene has to be set
//! again.
//!
//! Where the adapter has ray queries and [`Options::ray_queries`] asks for them, full traces go
//! through those: the adapter names the triangles whose boxes a ray meets, and those are looked at
//! by the very functions of the other passes, so the answers are the same. Everything else stays.
//!
//! Single precision, and poses in the world: keep the scene within a metre or so of the origin, or
//! move the origin. A metre off, places in another frame are good to some tenths of a micrometre.
//!
//! Shaders are in `src/wgsl`, one file for a pass and some for what passes share; they are checked
//! when this crate is built, and what a pass binds is read off its shader. No pass binds more than
//! eight storage buffers, which every adapter of WebGPU has.
// One call is, and says so: `queries.rs`.
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
mod pass;
mod plan;
mod queries;
mod readback;
mod room;
mod scene;
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
pub use midphase::{Candidate, Candidates, Midphase, ShapeId, SweepError, Tally};
pub use narrow::{Found, Launch, Narrow, Room, Step};
pub use near::{AskingEnd, DeviceEnd, GpuMidPhase, Limits, Patience, Sweeper};
pub use pass::{Access, Bound, Pass, PassError, Slot, Source};
pub use plan::{Chunk, ClusterPoints, NearCluster, Row, Run};
pub use queries::{RayQueries, UnknownRayQueries};
pub use readback::DEPTH;
pub use room::Demand;
pub use scene::{Cluster, GpuScene, Packed, Parts, SceneError};
pub use skin::{
    GpuReport, GpuSkin, GpuSkinError, LargeSkins, SkinBall, SkinBrick, SkinGrid, SkinRefused,
    SkinScan, SkinTally,
};
pub use sweep::{PARTS, Sweep, SweepRow};
pub use tracer::{Answer, SetupError, StepError, Ticket, Tracer, Work};
pub use traces::Settings;

/// wgpu, for the types of it that are in this crate's interface.
pub use wgpu;

/// The passes, as the build found them in `src/wgsl`.
pub mod passes {
    use crate::pass::{Access, Slot, Source};

    include!(concat!(env!("OUT_DIR"), "/passes.rs"));
}

/// Threads of a group, in every pass.
pub const GROUP: u32 = 64;
/// Points of a [`Chunk`].
pub const CHUNK: u32 = 256;
/// Most groups along one dimension; more are folded in two.
pub const SIDE: u32 = 65_535;
