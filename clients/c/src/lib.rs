//! The Rust client as a C library. Users read `include/hapticd.h`, which says what each function
//! does; nothing here is an interface for Rust.
//!
//! Every function checks its pointers, sizes and counts, catches panics, and passes the daemon's
//! refusals on with code, numbers and text. Values are copied into the caller's memory. The reads
//! of a subscription allocate nothing, take no lock and make no system call.
//!
//! The module `memory` states the rule of the crate's `unsafe` code.

mod connection;
mod exchange;
mod failure;
mod handle;
mod library;
mod memory;
mod meshes;
mod misuse;
mod requests;
mod status;
mod subscription;
#[cfg(test)]
mod tests;
mod types;
