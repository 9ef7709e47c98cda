//! Other libraries for comparison: a script of `tests/peers` in the user's Python that answers with
//! one JSON object.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::Value;

use crate::experiment::Failure;

/// Exit status of a script if the peer cannot be imported.
const NOT_INSTALLED: i32 = 3;

/// A script and what it needs.
pub struct Peer {
    /// Text of the script.
    pub script: &'static str,
    /// Name of the module that it needs, and of the package to install.
    pub module: &'static str,
    pub package: &'static str,
}

impl Peer {
    /// Runs it with these words. Its log also goes to standard output; the answer is the last line.
    pub fn run(&self, python: &str, words: &[String]) -> Result<Value, Failure> {
        let failed = |why: String| Failure::Run(format!("the peer did not run: {why}"));
        let mut child = Command::new(python)
            .arg("-")
            .args(words)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|e| failed(format!("{python}: {e}")))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A script that ends early prints the reason itself.
            let _ = stdin.write_all(self.script.as_bytes());
        }
        let output = child
            .wait_with_output()
            .map_err(|e| failed(e.to_string()))?;
        if output.status.code() == Some(NOT_INSTALLED) {
            return Err(failed(format!(
                "{python} has no module {}; install it (python3 -m venv peer && peer/bin/pip install {}) and say --peer peer/bin/python",
                self.module, self.package
            )));
        }
        if !output.status.success() {
            return Err(failed(
                String::from_utf8_lossy(&output.stderr).trim().to_owned(),
            ));
        }
        let text = String::from_utf8_lossy(&output.stdout);
        let last = text.lines().next_back().unwrap_or_default();
        serde_json::from_str(last).map_err(|e| failed(format!("its answer: {e}")))
    }
}
