//! Why a recording cannot be read.

use std::io;

use super::FORMAT;

/// Why a file could not be read, or not further.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// A system error.
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
    /// Not MCAP.
    #[error("it is not an MCAP file")]
    NotMcap,
    /// MCAP, but not ours.
    #[error("it is an MCAP file, but not a recording of hapticd")]
    NotOurs,
    /// Another format version.
    #[error(
        "it is a recording of format {found}, written by hapticd {version}; this hapticd {} reads \
         format {FORMAT}: read it with the hapticd that wrote it, or record it again",
        env!("CARGO_PKG_VERSION")
    )]
    Format {
        /// Its format.
        found: u32,
        /// The version of the hapticd that wrote it.
        version: String,
    },
    /// The file ends too early: the recorder was killed, or the disk was full.
    #[error("it is cut off")]
    Truncated,
    /// Bytes differ from those written.
    #[error("it is damaged: {0}")]
    Damaged(String),
}
