//! hapticd: a real-time haptic rendering service.
//!
//! The binary's parts as a library, so that tests and tools drive the same code. See
//! `docs/architecture.md` for the threads and what flows between them.
#![forbid(unsafe_code)]

pub mod arms;
pub mod checker;
pub mod cli;
pub mod hid;
pub mod intentions;
pub mod log;
pub mod recording;
pub mod reload;
pub mod scene;
pub mod scribe;
pub mod service;
pub mod session;
pub mod session_setup;
pub mod stats;
pub mod view;
