//! The peer: Tight-Inclusion through `ipctk`, on the same files in the same run.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::experiment::Failure;

/// Reads the files and prints one JSON object; see there.
const SCRIPT: &str = include_str!("../../../peers/tight_inclusion.py");

/// Exit status of the script where the peer cannot be imported.
const NOT_INSTALLED: i32 = 3;

/// Runs the peer on files of one form; `kind:path` each.
pub fn run(python: &str, files: &[(&str, PathBuf)]) -> Result<Value, Failure> {
    let failed = |why: String| Failure::Run(format!("the peer did not run: {why}"));
    let mut child = Command::new(python)
        .arg("-")
        .args(
            files
                .iter()
                .map(|(kind, path)| format!("{kind}:{}", path.display())),
        )
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("{python}: {e}")))?;
    if let Some(mut stdin) = child.stdin.take() {
        // A script that ends early says why on its own.
        let _ = stdin.write_all(SCRIPT.as_bytes());
    }
    let output = child
        .wait_with_output()
        .map_err(|e| failed(e.to_string()))?;
    if output.status.code() == Some(NOT_INSTALLED) {
        return Err(failed(format!(
            "{python} has no module ipctk; install it (python3 -m venv peer && peer/bin/pip install ipctk==1.6.1) and say \
             --peer peer/bin/python"
        )));
    }
    if !output.status.success() {
        return Err(failed(
            String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        ));
    }
    // The peer's own log goes to standard output as well; the answer is the last line.
    let text = String::from_utf8_lossy(&output.stdout);
    let last = text.lines().next_back().unwrap_or_default();
    serde_json::from_str(last).map_err(|e| failed(format!("its answer: {e}")))
}
