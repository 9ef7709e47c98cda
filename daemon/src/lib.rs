//! hapticd: a real-time haptic rendering service.
//!
//! This library holds the parts of the binary, so that tests and tools drive the same code. See
//! `docs/architecture.md` for the threads and the data that flows between them.
#![forbid(unsafe_code)]

pub mod cli;
pub mod hid;
pub mod intentions;
mod priority;
pub mod reload;
pub mod replay;
pub mod service;
pub mod session;
pub mod session_setup;
