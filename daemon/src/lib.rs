//! hapticd: a real-time haptic rendering service.
//!
//! The binary's parts as a library, so that tests and tools drive the same code. See
//! `docs/architecture.md` for the threads and what flows between them.
#![forbid(unsafe_code)]

pub mod arms;
pub mod backend;
pub mod broad_phase;
pub mod checker;
pub mod cli;
pub mod collision;
pub mod gpu_supervisor;
pub mod gpu_threads;
pub mod hid;
pub mod inside;
pub mod intentions;
pub mod janitor;
pub mod log;
pub mod mid_phase;
pub mod motion;
pub mod needle;
pub mod planner;
pub mod recording;
pub mod reload;
pub mod scene;
pub mod scribe;
pub mod service;
pub mod session;
pub mod session_setup;
pub mod skin;
pub mod soft;
pub mod stats;
pub mod view;
pub mod virtual_time;
