//! The keys of `hapticd.toml`, one file per table. **This is the only place where a key is
//! defined.**
//!
//! Each key is one line of Rust: field, type, kind with default and range, unit, reload class. Its
//! doc comment is its documentation. The struct, the parser, the range check, `docs/config.md`, the
//! JSON Schema and the example file follow from it. Names carry their unit. Lengths are in metres;
//! angles are in degrees (`_deg`) in this file only.

mod arm;
mod body;
mod collision;
mod deformable;
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
mod timing;

pub use arm::{Arm, Device, INTENTIONS, Interaction};
pub use body::{Body, BodyKind, Motion};
pub use collision::{Backend, Collision};
pub use deformable::{Continuous, Deformable, Fabric, Neighbours, Pinned, Substance};
pub use dynamics::{Dynamics, Order};
pub use hapticd_choices::{Blending, BroadPhaseKind, Damping};
pub use implicit::{Implicit, Model, Skin, SkinGpu};
pub use ipc::Ipc;
pub use log::{Level, Log};
pub use material::{ForceShading, Material};
pub use needle::{Layer, Needle, Structure};
pub use pose::Placement;
pub use record::Record;
pub use safety::Safety;
pub use shape::{Inside, Shape};
pub use simulated::{Hand, Mechanics};
pub use timing::{Clock, Loop};

use crate::field::{table, tables};
use crate::macros::{section, words};

// The choices that `sim` has, too.
words!(Blending);
words!(BroadPhaseKind);
words!(Damping);

/// Largest number of arms: the capacity of the haptic loop.
pub const ARMS_MAX: usize = 4;
/// Largest number of layers: the capacity of a tissue.
pub const LAYERS_MAX: usize = 16;
/// Largest number of bodies: the capacity of a scene.
pub const BODIES_MAX: usize = 60;

section! {
    /// The configuration of `hapticd`: one TOML file.
    pub struct Config {
        /// The haptic loop: its rate, its clock, and its processor and priority.
        haptic_loop as "loop": Loop = table::<Loop>(),
        /// The safety governor, the last stage before the wire. It can only reduce a force. An
        /// arm's own limits also hold: the stricter one wins. A reload may make these limits
        /// stricter; making one looser needs a restart.
        safety: Safety = table::<Safety>(),
        /// The collision thread, which sends the loop a certified set of nearby features.
        collision: Collision = table::<Collision>(),
        /// The motion of dynamic bodies.
        dynamics: Dynamics = table::<Dynamics>(),
        /// The simulation of deformables (soft solids, cloth, crowds, implicit bodies), on a
        /// separate thread.
        deformable: Deformable = table::<Deformable>(),
        /// The skin thread, which meshes implicit bodies for clients to draw. Forces never wait for
        /// it.
        skin: Skin = table::<Skin>(),
        /// The sockets for applications and technicians, and what a client may use.
        ipc: Ipc = table::<Ipc>(),
        /// The recording of everything that crosses the loop's borders, for `hapticd replay`.
        record: Record = table::<Record>(),
        /// What the daemon logs about itself.
        log: Log = table::<Log>(),
        /// The arms. Each moves one tool in the scene.
        arms as "arm": Vec<Arm> = tables::<Arm>(ARMS_MAX),
        /// The bodies that are in the scene before an application adds any.
        bodies as "body": Vec<Body> = tables::<Body>(BODIES_MAX),
        /// How surfaces feel.
        materials as "material": Vec<Material> = tables::<Material>(BODIES_MAX),
        /// The layers of the tissue that needles go into, from its top down.
        layers as "layer": Vec<Layer> = tables::<Layer>(LAYERS_MAX),
    }
}
