//! Chaos over real processes: hapticd runs in real time with two simulated arms under force, while
//! clients die, stop, flood, pass strange descriptors and churn bodies, limits change, the
//! configuration is replaced and the log's reader stops. Afterwards a judge reads the recording and
//! holds every tick against what was acknowledged.
//!
//! * [`episode`] runs one daemon for some twenty seconds, from a seed.
//! * [`crowd`] and [`soak`] are trials of another kind, with nothing but good clients: a full
//!   scene, and an hour.
//! * [`clients`] are the processes that misbehave; [`notes`] is what all of them write down, with
//!   `CLOCK_MONOTONIC`, the clock of the recording.
//! * [`recording`] reads the recording by itself, not with the daemon's own reader.
//! * [`judge`] is a pure function of ticks and notes. It counts ticks of the loop and the order of
//!   events, never wall-clock maxima: a loaded machine makes nothing fail.

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

/// Anything that ends an episode early, in a sentence.
pub type Failure = Box<dyn std::error::Error + Send + Sync>;
