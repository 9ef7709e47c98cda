//! Runs the same scenes in `hapticd` and in Rapier, parry, FCL, MuJoCo and PyBullet, in one run and
//! alternating, and prints one table. Skins ([`skins`]) are a separate run.
//!
//! `tests/peers/run` sets up what this needs. The program prints versions and settings first. Bars
//! that hapticd misses are printed as such and do not fail the run. Times are wall-clock times
//! (skins: processor time); compare them only within one run.

mod dynamics;
mod skins;
mod statics;
mod sweeps;

use std::error::Error;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// One line of the table.
pub struct Row {
    /// What was measured.
    pub what: String,
    /// Our value, the peer's, and their ratio or the verdict on the bar.
    pub cells: [String; 3],
}

impl Row {
    /// Makes a line.
    pub fn new(what: &str, ours: String, peer: String, verdict: String) -> Self {
        Self {
            what: what.to_owned(),
            cells: [ours, peer, verdict],
        }
    }
}

/// Mean, median and worst of times in seconds.
#[derive(Clone, Copy)]
pub struct Times {
    /// Mean.
    pub mean: f64,
    /// Median.
    pub median: f64,
    /// 99th percentile.
    pub p99: f64,
}

impl Times {
    /// Computes the statistics of at least one time.
    pub fn of(times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            median: sorted[sorted.len() / 2],
            p99: sorted[sorted.len() * 99 / 100],
        }
    }

    /// Formats them in milliseconds.
    pub fn ms(&self) -> String {
        let [mean, median, p99] = [self.mean, self.median, self.p99].map(|x| 1e3 * x);
        format!("mean {mean:.3} ms, median {median:.3}, p99 {p99:.3}")
    }
}

/// Formats whether a bar is reached, with the ratio.
pub fn bar(ratio: f64, most: f64) -> String {
    let verdict = if ratio <= most {
        "holds"
    } else {
        "FALLS SHORT"
    };
    format!("{ratio:.2} of the peer's (bar {most}): {verdict}")
}

/// Runs a script of this folder with a request; returns its answer.
pub fn ask(python: &str, script: &str, request: &Value) -> Result<Value, Box<dyn Error>> {
    let path = std::env::temp_dir().join(format!("hapticd-peers-{}.json", std::process::id()));
    std::fs::write(&path, request.to_string())?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join(script);
    let output = Command::new(python).arg(script).arg(&path).output();
    std::fs::remove_file(&path)?;
    let output = output?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned().into());
    }
    Ok(serde_json::from_slice(&output.stdout)?)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let python = arguments
        .first()
        .ok_or("usage: hapticd-peers PYTHON [PART...]")?;
    if arguments.get(1).is_some_and(|part| part == "skin") {
        return skins::run(python);
    }
    let chosen = |part: &str| arguments.len() < 2 || arguments[1..].iter().any(|a| a == part);
    println!(
        "peers: rapier3d 0.36 (f32, its default parameters, one thread), parry3d-f64 0.31, python-fcl 0.7.0, mujoco 4.0.0, pybullet 3.2.7"
    );
    let mut rows = Vec::new();
    for (name, part) in [
        (
            "pyramid",
            dynamics::pyramid as fn(&str) -> Result<Vec<Row>, Box<dyn Error>>,
        ),
        ("slope", dynamics::slope),
        ("plates", dynamics::plates),
        ("sweeps", sweeps::sweeps),
        ("statics", statics::statics),
    ] {
        if chosen(name) {
            eprintln!("{name} ...");
            rows.extend(part(python)?);
        }
    }
    println!("\n| what | hapticd | peer | bar |\n|---|---|---|---|");
    for row in rows {
        println!("| {} | {} |", row.what, row.cells.join(" | "));
    }
    Ok(())
}
