//! The parts of a running daemon that people see: statistics, log and live view, and the checker of
//! every tick.
//!
//! The [`scribe`] takes the loop's records from a ring, counts them ([`stats`]), and hands them to
//! the [`checker`] and to a recording. It also keeps what [`view`] and `hapticd status` show.
//! Nothing here is real-time, and the loop never waits for it.
#![forbid(unsafe_code)]

pub mod checker;
pub mod log;
pub mod scribe;
pub mod stats;
pub mod view;
