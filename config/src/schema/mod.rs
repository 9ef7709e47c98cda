//! The keys of `hapticd.toml`, one file per table. **This is the only place where a key is
//! defined.**
//!
//! Each key is one line of Rust: field, type, kind with default and range, unit, reload class; its
//! doc comment is its documentation. The struct, the parser, the range check, `docs/config.md`, the
//! JSON Schema and the example file follow. Names carry their unit. Lengths are metres, angles at
//! this border are degrees (`_deg`).

mod arm;
mod body;
mod collision;
mod dynamics;
mod implicit;
mod ipc;
mod log;
mod material;
mod needle;
mod pose;
mod record;
mod safety;
mod shape;
mod simulated;
mod soft;
mod timing;

pub use arm::{Arm, Damping, Device, Interaction};
pub use body::{Body, BodyKind, Motion};
pub use collision::{Backend, BroadPhase, Collision};
pub use dynamics::{Dynamics, Order};
pub use implicit::{Blending, Implicit, Model, Skin, SkinGpu};
pub use ipc::Ipc;
pub use log::{Level, Log};
pub use material::{ForceShading, Material};
pub use needle::{Layer, Needle, Structure};
pub use pose::Placement;
pub use record::Record;
pub use safety::Safety;
pub use shape::{Inside, Shape};
pub use simulated::{Hand, Mechanics};
pub use soft::{Continuous, Fabric, Neighbours, Pinned, Soft, Substance};
pub use timing::{Clock, Loop};

use crate::key::{table, tables};
use crate::macros::section;

/// Most arms: what the haptic loop has room for.
pub const ARMS_MAX: usize = 4;
/// Most layers: what a tissue has room for.
pub const LAYERS_MAX: usize = 16;
/// Most bodies: what a scene has room for.
pub const BODIES_MAX: usize = 60;

section! {
    /// The configuration of `hapticd`: one file in TOML.
    pub struct Config {
        /// The haptic loop: its rate, its clock and its right to the processor.
        haptic_loop as "loop": Loop = table::<Loop>(),
        /// The safety governor, the last stage before the wire. It can only reduce a force.
        /// An arm's own limits hold too: whichever is stricter wins.
        /// A reload may make these limits stricter; making one looser needs a restart.
        safety: Safety = table::<Safety>(),
        /// The collision thread, which hands the loop a certified set of nearby features.
        collision: Collision = table::<Collision>(),
        /// The motion of dynamic bodies.
        dynamics: Dynamics = table::<Dynamics>(),
        /// The simulation of soft bodies and cloth, on a thread of its own.
        soft: Soft = table::<Soft>(),
        /// The skin thread, which makes the meshes of implicit bodies for clients to draw. Nothing
        /// that is felt waits for it.
        skin: Skin = table::<Skin>(),
        /// What applications and technicians connect to.
        ipc: Ipc = table::<Ipc>(),
        /// The recording of what crosses the loop, from which it can be replayed.
        record: Record = table::<Record>(),
        /// What the daemon says about itself.
        log: Log = table::<Log>(),
        /// The arms. Each gets a tool in the scene.
        arms as "arm": Vec<Arm> = tables::<Arm>(ARMS_MAX),
        /// What the tools can touch before any application adds to it.
        bodies as "body": Vec<Body> = tables::<Body>(BODIES_MAX),
        /// How surfaces feel.
        materials as "material": Vec<Material> = tables::<Material>(BODIES_MAX),
        /// What the tissue is made of that needles go into, from its top down.
        layers as "layer": Vec<Layer> = tables::<Layer>(LAYERS_MAX),
    }
}
