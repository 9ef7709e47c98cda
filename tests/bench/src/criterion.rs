//! Results of criterion, from the files that it leaves.

use std::path::PathBuf;
use std::time::SystemTime;

use serde_json::Value;

/// Returns the median that criterion has measured after `since`, s; `None` if the benchmark was
/// left out. `path` is its group, if it has one, its function, and its parameter.
#[must_use]
pub fn median_s(since: SystemTime, path: &[&str]) -> Option<f64> {
    let mut file = folder()?;
    file.extend(path.iter().map(|name| safe(name)));
    file.extend(["new", "estimates.json"]);
    // An earlier run may have left one.
    let written = std::fs::metadata(&file).and_then(|m| m.modified()).ok()?;
    if written < since {
        return None;
    }
    let text = std::fs::read_to_string(file).ok()?;
    let estimates: Value = serde_json::from_str(&text).ok()?;
    Some(estimates["median"]["point_estimate"].as_f64()? * 1e-9)
}

/// Returns criterion's folder: of the environment, or in the target folder of this binary.
fn folder() -> Option<PathBuf> {
    if let Some(home) = std::env::var_os("CRITERION_HOME") {
        return Some(home.into());
    }
    // TARGET/release/deps/BENCH.
    let binary = std::env::current_exe().ok()?;
    Some(binary.ancestors().nth(3)?.join("criterion"))
}

/// Returns a name as criterion makes it safe for files.
fn safe(name: &str) -> String {
    let safe = |c: char| {
        if "?\"/\\*<>:|^".contains(c) { '_' } else { c }
    };
    let mut name: String = name.chars().map(safe).collect();
    name.truncate(name.floor_char_boundary(64));
    name
}
