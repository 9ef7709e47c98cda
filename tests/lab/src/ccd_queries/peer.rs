//! The peer: Tight-Inclusion through `ipctk`, on the same files in the same run.

use std::path::PathBuf;

use serde_json::Value;

use crate::experiment::Failure;
use crate::peer::Peer;

/// Reads the files and prints one JSON object; see the script.
const PEER: Peer = Peer {
    script: include_str!("../../../peers/tight_inclusion.py"),
    module: "ipctk",
    package: "ipctk==1.6.1",
};

/// Runs the peer on files of this form, given as `kind:path`.
pub fn run(python: &str, files: &[(&str, PathBuf)]) -> Result<Value, Failure> {
    let words = files.iter();
    let words: Vec<_> = words
        .map(|(kind, path)| format!("{kind}:{}", path.display()))
        .collect();
    PEER.run(python, &words)
}
