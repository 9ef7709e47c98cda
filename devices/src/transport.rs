//! The border between an arm, whatever its connection, and the thread that serves it.
//!
//! A transport may block: in [`Transport::wait_input`] for at most the given time, and in
//! [`Transport::write`] for as long as the system takes (5 s per call for a USB arm whose firmware
//! hangs). Therefore every arm has a separate thread, and the haptic loop never calls a transport.
//! Errors are small and `Copy`.

use std::time::Duration;

use thiserror::Error;

use crate::arm::{ArmCommand, ArmSample, ArmSpec};
use crate::truth::ArmTruth;

/// Why an arm could not be read or written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum TransportError {
    /// The arm is unplugged, or its driver is gone. The only remedy is to open it again.
    #[error("the arm is gone")]
    Gone,
    /// The arm did not accept or deliver data in time: its firmware hangs.
    #[error("the arm did not answer in time")]
    TimedOut,
    /// The system accepted only a part of a report.
    #[error("only {sent} of {all} bytes were sent")]
    Incomplete {
        /// Number of bytes sent.
        sent: usize,
        /// Number of bytes of the report.
        all: usize,
    },
    /// Any other failure of the system.
    #[error("input or output failed with system error {errno}")]
    Io {
        /// Error number of the system; 0 if it gave none.
        errno: i32,
    },
}

/// Counters of a transport since it was opened. All counts only grow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TransportStats {
    /// Reports read, good or bad.
    pub reports: u64,
    /// Reports skipped because newer ones were waiting.
    pub skipped: u64,
    /// Times that the queue was full: newer reports had been lost, and what was read was old.
    pub stalls: u64,
    /// Reports that the arm sent, by its own counter, and that never arrived.
    pub lost: u64,
    /// Reports with an id that the profile does not know.
    pub unknown: u64,
    /// Reports that were too short.
    pub short: u64,
    /// Poses that the kinematic model could not compute.
    pub bad_poses: u64,
    /// Commands written as zero force because they were not finite or the model could not turn them
    /// into efforts.
    pub bad_efforts: u64,
    /// Commands written.
    pub commands: u64,
}

/// An arm that can be read and written.
pub trait Transport: Send {
    /// Returns what the arm declares.
    fn spec(&self) -> &ArmSpec;

    /// Blocks until input waits, for at most `timeout`. Returns `false` if nothing came.
    ///
    /// # Errors
    /// See [`TransportError`]. After [`TransportError::Gone`] the transport is useless.
    fn wait_input(&mut self, timeout: Duration) -> Result<bool, TransportError>;

    /// Reads everything that waits and returns the newest sample, or `None` if no new pose came.
    /// Never blocks, never allocates.
    ///
    /// `now_ns` is the arrival time: the caller reads the monotonic clock after
    /// [`Self::wait_input`] returns.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn read_newest(&mut self, now_ns: u64) -> Result<Option<ArmSample>, TransportError>;

    /// Sends a command. May block for seconds. Does nothing for an arm without motors.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn write(&mut self, command: &ArmCommand) -> Result<(), TransportError>;

    /// Sends zero force and the final reports that the arm wants. May block for seconds.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn stop(&mut self) -> Result<(), TransportError>;

    /// Returns the counters so far.
    fn stats(&self) -> TransportStats;

    /// Returns the true state of a simulated arm at the time of the last [`Self::read_newest`].
    /// `None` for real arms, which do not know it. Neither blocks nor allocates.
    fn truth(&self) -> Option<ArmTruth> {
        None
    }
}
