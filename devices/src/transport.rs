//! The border between an arm, whatever it hangs on, and the thread that serves it.
//!
//! A transport may block, in [`Transport::wait_input`] for at most the time given and in
//! [`Transport::write`] for as long as the system likes (a USB arm whose firmware hangs: 5 s for
//! each call). So every arm has a thread of its own, and none of it is ever the haptic loop's.
//! Errors are small and `Copy`.

use std::time::Duration;

use thiserror::Error;

use crate::arm::{ArmCommand, ArmSample, ArmSpec};
use crate::sim::ArmTruth;

/// Why an arm could not be read or written.
#[derive(Copy, Clone, Debug, PartialEq, Eq, Error)]
pub enum TransportError {
    /// It is unplugged, or its driver is gone. Opening it again is the only cure.
    #[error("the arm is gone")]
    Gone,
    /// It did not take or give data in time: its firmware hangs.
    #[error("the arm did not answer in time")]
    TimedOut,
    /// The system took only a part of a report.
    #[error("only {sent} of {all} bytes were sent")]
    Incomplete {
        /// Bytes that were sent.
        sent: usize,
        /// Bytes of the report.
        all: usize,
    },
    /// Any other failure of the system.
    #[error("input or output failed with system error {errno}")]
    Io {
        /// The system's error number; 0 where it gave none.
        errno: i32,
    },
}

/// What went over a transport since it was opened. All counts only grow.
#[derive(Copy, Clone, Debug, Default, PartialEq, Eq)]
pub struct TransportStats {
    /// Reports that were read, good or bad.
    pub reports: u64,
    /// Reports passed over because newer ones were waiting.
    pub skipped: u64,
    /// Times when the queue was full: newer reports had been lost and what was read was old.
    pub stalls: u64,
    /// Reports that the arm says it sent and that never came, by its own counter.
    pub lost: u64,
    /// Reports with an id that the profile does not know.
    pub unknown: u64,
    /// Reports that were too short.
    pub short: u64,
    /// Poses that the kinematic model could not give.
    pub bad_poses: u64,
    /// Commands that were written as no force because they were not finite or the model could not
    /// turn them into efforts.
    pub bad_efforts: u64,
    /// Commands written.
    pub commands: u64,
}

/// An arm that can be read and written.
pub trait Transport: Send {
    /// What the arm declares.
    fn spec(&self) -> &ArmSpec;

    /// Block until input waits, `timeout` at most. `false`: nothing came.
    ///
    /// # Errors
    /// See [`TransportError`]; after [`TransportError::Gone`] the transport is of no more use.
    fn wait_input(&mut self, timeout: Duration) -> Result<bool, TransportError>;

    /// Take in everything that waits and give the newest sample, or nothing if no new pose came.
    /// Never blocks, never allocates.
    ///
    /// `now_ns` is the arrival time: the caller reads the monotonic clock after
    /// [`Self::wait_input`] returned.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn read_newest(&mut self, now_ns: u64) -> Result<Option<ArmSample>, TransportError>;

    /// Send a command. May block for seconds. Does nothing for an arm without motors.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn write(&mut self, command: &ArmCommand) -> Result<(), TransportError>;

    /// Send no force and whatever the arm wants at the end. May block for seconds.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn stop(&mut self) -> Result<(), TransportError>;

    /// What went over it so far.
    fn stats(&self) -> TransportStats;

    /// Of a simulated arm: the truth at the time of the last [`Self::read_newest`]. `None` for real
    /// arms, which cannot tell. Neither blocks nor allocates.
    fn truth(&self) -> Option<ArmTruth> {
        None
    }
}
