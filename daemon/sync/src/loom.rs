//! One switch between the real atomics and loom's. Code in this crate imports atomics, fences,
//! cells and `Arc` from here only.

#[cfg(loom)]
mod mocked;
#[cfg(not(loom))]
mod std;

#[cfg(loom)]
pub(crate) use mocked::*;
#[cfg(not(loom))]
pub(crate) use std::*;
