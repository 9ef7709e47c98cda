//! Core of the haptic loop: proxy, virtual coupling and the certified contact protocol.
//!
//! The crate is sans-I/O and deterministic. [`Engine::tick`] and everything it calls allocate
//! nothing, lock nothing, block on nothing and read no clock, and their work is bounded. World
//! frame, right-handed, SI units, `f64`.
//!
//! The guarantee: *the proxy never penetrates*. Its path is a chain of constant-speed screws. Each
//! screw is cut at a proven lower bound of the first time at which any feature pair of tool and
//! solid body would come closer than [`Distances::clearance_m`]. The snapshot's certificate
//! excludes the pairs that are not evaluated. Late snapshots and exhausted budgets shorten the
//! motion; they never make it unsafe.
//!
//! ```text
//! device pose -> Engine::tick -> wrench (to the safety governor) , proxy pose
//!                  |    ^
//!           Query  v    |  Snapshot (certificate)
//!              collision thread (hapticd-scene)
//! ```
#![forbid(unsafe_code)]

mod arm_setup;
mod bodies;
mod contact;
mod coupling;
mod engine;
mod frame_change;
mod guide;
mod implicit;
mod interaction;
mod motion;
mod outcome;
mod proxy;
mod rendered;
mod rows;
mod screw_path;
mod slots;
mod snapshot;
mod soft;
mod soft_row;
mod timing;
mod together;
mod tool;
mod trajectory;
mod twist;

pub use arm_setup::ArmSetup;
pub use bodies::{BodyTable, TrackedBody};
pub use contact::{Contact, MAX_CONTACTS};
pub use coupling::{Coupling, Damping, EndsEnergy, Gains, Passed, SpringEnergy, Touched, Wrench};
pub use engine::{Engine, TickInput, TickOutput, is_pose};
pub use frame_change::FrameChange;
pub use guide::{Guide, Held, Insertion, NEWEST, Phase};
pub use hapticd_ccd::{FeaturePair, PairKind};
pub use implicit::{
    FOOT_REACH, Foot, ImplicitSurface, MAX_CLIQUES, MAX_SAMPLES, MAX_TERMS, Sampled, Term, Touch,
};
pub use interaction::{Intent, Interaction, gyration};
pub use outcome::{ArmOutcome, LetGo, MAX_SUBSTEPS, MIN_SUBSTEP_M, SpringState};
pub use proxy::MAX_ROWS;
pub use rendered::{RenderContext, RenderedProxy};
pub use slots::{
    BodyKey, MAX_ARMS, MAX_BODIES, MAX_SCENE_BODIES, tool_id, tool_in, tool_key, tool_slot,
};
pub use snapshot::{
    ArmQuery, BodyEntry, BodyPose, BodyTarget, GraspQuery, HINTS, MAX_PUSHES, Material,
    MidPhaseShare, Pair, Push, Query, Snapshot,
};
pub use soft::{
    DeformableSnapshot, DeformableSurface, Finder, MAX_DEFORMABLE_ROWS, MAX_TRACKED, Tracked,
    WALK_LIMIT,
};
pub use timing::LoopTiming;
pub use tool::{Distances, ToolShape};
pub use trajectory::{Followed, MAX_SEGMENTS, Trajectory};
