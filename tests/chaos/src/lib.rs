//! Chaos tests with real processes. hapticd runs in real time with two simulated arms under force,
//! while clients die, stop, flood, pass strange descriptors and churn bodies, limits change, the
//! configuration is replaced and the log's reader stops. Afterwards a judge reads the recording and
//! checks every tick against what was acknowledged.
//!
//! * [`episode`] runs one daemon for about twenty seconds, from a seed.
//! * [`crowd`] and [`soak`] are another kind of trial, with well-behaved clients only: a full
//!   scene, and an hour of running.
//! * [`clients`] are the misbehaving processes. [`notes`] is what all of them log, with times on
//!   `CLOCK_MONOTONIC`, the clock of the recording.
//! * [`recording`] reads the recording independently of the daemon's own reader.
//! * [`judge`] is a pure function of ticks and notes. It counts ticks of the loop and the order of
//!   events, never wall-clock maxima, so a loaded machine does not make it fail.

#![forbid(unsafe_code)]

pub mod clients;
pub mod crowd;
pub mod daemon;
pub mod episode;
pub mod judge;
pub mod notes;
pub mod pauses;
pub mod random;
pub mod raw;
pub mod recording;
pub mod soak;

/// An error that ends an episode early, as a sentence.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
