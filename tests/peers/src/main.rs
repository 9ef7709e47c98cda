//! The same scenes in `hapticd` and in Rapier, parry, FCL, MuJoCo and PyBullet, in one run and in
//! turns, as one table; and skins ([`skins`]), which are a run of their own.
//!
//! `tests/peers/run` sets up what this needs. Prints versions and settings first; bars that ours
//! does not reach are printed as such, and are not a failure of the run. Times are of the wall
//! clock (skins: of the processor): compare within one run.

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
    /// Ours, the peer's, their ratio or the bar's verdict.
    pub cells: [String; 3],
}

impl Row {
    /// A line.
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
    /// Of at least one time.
    pub fn of(times: &[f64]) -> Self {
        let mut sorted = times.to_vec();
        sorted.sort_by(f64::total_cmp);
        Self {
            mean: sorted.iter().sum::<f64>() / sorted.len() as f64,
            median: sorted[sorted.len() / 2],
            p99: sorted[sorted.len() * 99 / 100],
        }
    }

    /// In milliseconds.
    pub fn ms(&self) -> String {
        let [mean, median, p99] = [self.mean, self.median, self.p99].map(|x| 1e3 * x);
        format!("mean {mean:.3} ms, median {median:.3}, p99 {p99:.3}")
    }
}

/// Whether a bar is reached, with the ratio.
pub fn bar(ratio: f64, most: f64) -> String {
    let verdict = if ratio <= most {
        "holds"
    } else {
        "FALLS SHORT"
    };
    format!("{ratio:.2} of the peer's (bar {most}): {verdict}")
}

/// Runs a script of this folder on a request.
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
