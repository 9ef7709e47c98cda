//! The Rust client of `hapticd`: reads the state of arms, and adds bodies that they can touch.
//!
//! ```no_run
//! use hapticd_client::{Client, topic};
//!
//! let mut client = Client::connect("my application")?;
//! let mut arm = client.subscribe(0, topic::STATE | topic::CONTACTS)?;
//! loop {
//!     // At the application's own pace: no message, no system call, always the newest value.
//!     let state = arm.state()?;
//!     println!("tool at {:?}, force {:?} N", state.world_from_proxy.translation_m, state.force_n);
//! #   break;
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! * **No threads, no callbacks.** Requests wait for their answer (microseconds) up to a
//!   [timeout](Client::set_timeout). Requests that must not wait within a frame have a `post_`
//!   variant; its refusals arrive later with the [notifications](Client::poll).
//! * **Reading a block** copies it out of shared memory that only the daemon can write:
//!   [`Subscription`] for the blocks of an arm, [`Surface`] for the points and triangles of a soft
//!   body, a cloth or a body of a crowd, [`Skin`] for the mesh of an implicit body.
//! * **Files.** With the feature `export`, the module of that name writes skins as OBJ, PLY and
//!   glTF.
//! * **Leases.** A client that has bodies must send a request at least every
//!   [`Welcome::lease_ms`](hapticd_protocol::reply::Welcome), or the force of its bodies ramps to
//!   zero. A pose command, [`Client::renew_leases`] or [`Client::poll_renewing`] in every frame is
//!   enough. When a client's
//!   process dies or closes the connection, the force of its bodies is zero at the next tick.
//!
//! # When the daemon goes away
//!
//! Every call then returns [`RequestError::Disconnected`]. Blocks keep their last value, and their
//! versions no longer change. Connect again with [`Client::connect_to`] (or
//! [`Client::connect_until`], which waits for a daemon that is starting), subscribe again and add
//! the bodies again: a new daemon does not know the old one's clients, and identities are new.
//! Until then draw the last state, or nothing.

#![forbid(unsafe_code)]

mod client;
mod effect;
mod error;
#[cfg(feature = "export")]
pub mod export;
mod path;
mod predict;
mod skin;
mod subscription;
mod surface;
mod workspace;

pub use client::{BodySpec, Client, Notification};
pub use effect::effect;
pub use error::{ConnectError, RequestError};
pub use hapticd_protocol::{
    block::{
        ArmEnergy, ArmState, Bodies, BodyState, Contact, Contacts, GovernorState, NeedleHold,
        NeedlePhase, NeedleState, SkinFrameHeader, SurfaceFrameHeader, flag, force_off_text,
        skin_flag,
    },
    event::Event,
    mesh::{Mesh, Precision},
    reply::{ArmInfo, BodyInfo, ErrorCode, Limits},
    request::{
        ALL_ARMS, BodyKind, BodyTarget, EffectKind, EffectShape, MAX_TARGETS, PushBody, PushMode,
        SetEffect, SetWorkspace, Waveform, topic,
    },
    wire::{Limit, NonNegative, Pose},
};
pub use hapticd_sync::seqlock::ReadError;
pub use hapticd_sys::clock::now_ns;
pub use path::default_socket;
pub use predict::{PREDICTION_HORIZON, Prediction, predict_device, predict_proxy};
pub use skin::{ReadSkinError, Skin, SkinFrame};
pub use subscription::{ReadStateError, Subscription, WaitTickError, Wake};
pub use surface::Surface;
pub use workspace::workspace;

/// Returns the identity of an arm's tool, for [`Client::shape`] and in [`Contact::body`].
pub const fn tool_id(arm: u8) -> u32 {
    u32::MAX - arm as u32
}
