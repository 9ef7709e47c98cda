//! `[log]`: how much the daemon logs.

use crate::field::choice;
use crate::macros::{choices, section};

choices! {
    /// How much the daemon logs.
    pub enum Level {
        /// Only what stops the daemon or an arm.
        Error as "error",
        /// Also faults that the daemon handles.
        Warn as "warn",
        /// Also every change of state: arms, clients, scenes.
        Info as "info",
        /// Also details for developers of the daemon.
        Debug as "debug",
        /// Everything.
        Trace as "trace",
    }
}

section! {
    /// What the daemon logs about itself.
    pub struct Log {
        /// How much the daemon logs.
        level: Level = choice::<Level>("info").live(),
    }
}
