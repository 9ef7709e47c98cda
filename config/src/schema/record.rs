//! `[record]`: the recording of a run.

use std::path::PathBuf;

use crate::key::{PathUse, boolean, integer, path_or};
use crate::macros::section;

section! {
    /// The recording of what crosses the loop, from which it can be replayed.
    pub struct Record {
        /// Record from the start of the daemon.
        enabled: bool = boolean(false),
        /// File that is written (MCAP).
        path: PathBuf = path_or(
            PathUse::Output,
            "${STATE_DIRECTORY:-${XDG_STATE_HOME:-${HOME:-/var/lib}/.local/state}/hapticd}/hapticd.mcap",
        ),
        /// The recording ends at this size.
        max_bytes: u64 = integer(4_294_967_296, 1_048_576, 1_099_511_627_776).unit("bytes"),
    }
}
