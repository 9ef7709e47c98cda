//! When, where and how a figure was measured.

use std::process::Command;

use serde::{Deserialize, Serialize};

/// Who wrote a figure into its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum By {
    /// The bench of the row's command.
    Bench,
    /// An experiment of the lab, by its report.
    Lab,
    /// A person, who ran the row's command.
    Hand,
}

/// Date and machine of a figure.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Measured {
    /// ISO 8601: a day, or two with a slash between them.
    pub date: String,
    /// Processor, cores, kernel, compiler.
    pub machine: String,
    /// Load of the machine over the last minute, or in words; unknown for some.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub load: Option<String>,
    /// Commit of the code; with a `+` if the tree was changed since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
    /// Who wrote it.
    pub by: By,
}

impl Measured {
    /// Describes this machine at this moment.
    #[must_use]
    pub fn now(by: By) -> Self {
        let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
        let commit = output("git", &["rev-parse", "--short=12", "HEAD"]);
        // The figures themselves are no change of what was measured.
        let status = ["status", "--porcelain", "-uno", "--", ":!docs"];
        let changed = output("git", &status).is_some_and(|told| !told.is_empty());
        Self {
            date: output("date", &["-u", "+%F"]).unwrap_or_default(),
            machine: machine(),
            load: load.split(' ').next().map(str::to_owned),
            commit: commit.map(|commit| commit + if changed { "+" } else { "" }),
            by,
        }
    }
}

fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model = cpu.lines().find(|line| line.starts_with("model name"));
    let model = model.and_then(|line| line.split(": ").nth(1));
    let cores = std::thread::available_parallelism().map_or(0, usize::from);
    let kernel = output("uname", &["-sr"]).unwrap_or_default();
    let compiler = output("rustc", &["--version"]).unwrap_or_default();
    // `rustc 1.95.0 (hash date)`: the version tells.
    let compiler = compiler.split(" (").next().unwrap_or_default();
    let model = model.unwrap_or("unknown processor");
    format!("{model}, {cores} cores, {kernel}, {compiler}")
}

/// Returns the trimmed standard output of a command that succeeds, run in the repository.
fn output(program: &str, words: &[&str]) -> Option<String> {
    let told = Command::new(program)
        .args(words)
        .current_dir(crate::root())
        .output()
        .ok()?;
    let text = String::from_utf8_lossy(&told.stdout).trim().to_owned();
    told.status.success().then_some(text)
}
