//! The peer: Tight-Inclusion through `ipctk`, on the same files in the same run.

use std::path::PathBuf;

use serde_json::Value;

use crate::experiment::Failure;
use crate::peer::Peer;

/// Reads the files and prints one JSON object; see there.
const PEER: Peer = Peer {
    script: include_str!("../../../peers/tight_inclusion.py"),
    module: "ipctk",
    package: "ipctk==1.6.1",
};

/// Runs the peer on files of one form; `kind:path` each.
pub fn run(python: &str, files: &[(&str, PathBuf)]) -> Result<Value, Failure> {
    let words = files.iter();
    let words: Vec<_> = words
        .map(|(kind, path)| format!("{kind}:{}", path.display()))
        .collect();
    PEER.run(python, &words)
}
