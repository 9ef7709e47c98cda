//! Fuzz targets: one function for each parser and for the state machine behind both sockets.
//!
//! A target takes any bytes and panics if a guarantee is violated. It is a pure function: no file,
//! no socket, no clock. `tests/fuzz/runner` links each one with libFuzzer; `tests/inputs.rs` runs
//! every input of `corpus/` and `regressions/` through its target in the ordinary tests.

#![forbid(unsafe_code)]

pub mod devices;
pub mod files;
pub mod hub;
pub mod input;
pub mod seeds;
pub mod text;
pub mod wire;

/// A fuzz target.
#[derive(Clone, Copy)]
pub struct Target {
    /// Name of the target, its corpus and its regressions.
    pub name: &'static str,
    /// Takes any bytes; panics on a violation.
    pub run: fn(&[u8]),
    /// The longest input that libFuzzer tries, bytes.
    pub max_len: usize,
}

/// All targets, by name.
pub const TARGETS: &[Target] = &[
    target("block", wire::block, 4096),
    target("config", text::config, 16_384),
    target("haptmesh", files::haptmesh, 4096),
    target("hid_descriptor", devices::descriptor, 1024),
    target("hid_report", devices::report, 512),
    target("hub", hub::packets, 4096),
    target("intention", text::intention, 4096),
    target("mesh_file", files::mesh, 8192),
    target("profile", devices::profile, 8192),
    target("recording", files::recording, 16_384),
    target("reply", wire::reply, 4096),
    target("request", wire::request, 4096),
    target("socket_folder", text::socket_folder, 1024),
    target("volume", files::volume, 4096),
];

const fn target(name: &'static str, run: fn(&[u8]), max_len: usize) -> Target {
    Target { name, run, max_len }
}

/// Returns the target with this name.
pub fn find(name: &str) -> Option<Target> {
    TARGETS.iter().find(|target| target.name == name).copied()
}
