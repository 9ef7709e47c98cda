//! `[log]`: what the daemon says about itself.

use crate::key::choice;
use crate::macros::{choices, section};

choices! {
    /// How much is logged.
    pub enum Level {
        /// Only what stops the daemon or an arm.
        Error as "error",
        /// Also what is wrong but handled.
        Warn as "warn",
        /// Also every change of state: arms, clients, scenes.
        Info as "info",
        /// Also what a developer of the daemon wants to see.
        Debug as "debug",
        /// Everything.
        Trace as "trace",
    }
}

section! {
    /// What the daemon says about itself.
    pub struct Log {
        /// How much is logged.
        level: Level = choice::<Level>("info").live(),
    }
}
