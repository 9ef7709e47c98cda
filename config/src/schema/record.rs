//! `[record]`: the recording of a run.

use std::path::PathBuf;

use crate::key::{PathUse, boolean, integer, path_or};
use crate::macros::section;

section! {
    /// The recording of everything that crosses the loop's borders, for replay.
    pub struct Record {
        /// Whether to record from the start of the daemon.
        enabled: bool = boolean(false),
        /// File to write (MCAP).
        path: PathBuf = path_or(
            PathUse::Output,
            "${STATE_DIRECTORY:-${XDG_STATE_HOME:-${HOME:-/var/lib}/.local/state}/hapticd}/hapticd.mcap",
        ),
        /// Size at which the recording ends.
        max_bytes: u64 = integer(4_294_967_296, 1_048_576, 1_099_511_627_776).unit("bytes"),
    }
}
