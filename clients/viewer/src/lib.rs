//! The viewer of `hapticd`: the scene, the arms' tools, contacts and forces in a window, or the
//! same picture in a file.
//!
//! It is an ordinary client in a separate process. It adds nothing to the daemon, holds no lease
//! and owns nothing there, so the daemon does not know whether anyone is watching. It survives the
//! daemon and connects to the next one.
//!
//! ```text
//!  daemon ──blocks, shapes──> Feed ──> Scene ──compose──> Picture ──> Renderer ──> window or file
//!                                        └────panels────> egui ─────────┘
//!                                 Controls ^ (camera, keys)
//! ```
//!
//! * [`feed`] is the client. For the window it runs on a separate thread, so that a daemon that
//!   does not answer delays no picture.
//! * [`scene`], [`compose`], [`camera`], [`controls`], [`model`], [`picture`], [`history`],
//!   [`plot`] are pure and use no device.
//! * [`export`] writes the visible skins to a file.
//! * [`renderer`] draws on any adapter with Vulkan; [`offscreen`] gives it a texture, [`window`] a
//!   surface.
//!
//! Units are metres; the world frame is right-handed with z up; what is drawn is `f32`.

#![forbid(unsafe_code)]

pub mod camera;
pub mod cli;
pub mod compose;
pub mod controls;
pub mod export;
pub mod feed;
pub mod gpu;
pub mod history;
pub mod model;
pub mod offscreen;
pub mod panels;
pub mod picture;
pub mod plot;
pub mod renderer;
pub mod scene;
pub mod snapshot;
pub mod theme;
pub mod window;

/// Failures, by whose fault they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Failure {
    /// The user's input: exit code 2.
    Input(String),
    /// Everything else: exit code 1.
    Runtime(String),
}

impl Failure {
    fn runtime(error: impl std::fmt::Display) -> Self {
        Self::Runtime(error.to_string())
    }
}
