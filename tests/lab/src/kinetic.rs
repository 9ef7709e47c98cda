//! Experiments of Merckx and Moerenhout, *Introduction aux structures de données cinétiques*: the
//! page's five demonstrations, and the cost of its structures.
//!
//! The page's programs and figures are lost; seeded scenes stand in for them. With `--out FOLDER`
//! each experiment writes its log of events (CSV) and pictures (SVG). The answers of a structure
//! are compared with ones computed without it (`oracle:` in the verdict): a fresh sort, a static
//! hull, polygons sampled in time. Everything but times is deterministic.

pub mod brute;
pub mod gravity;
pub mod hull;
pub mod polygons;
pub mod sap;
pub mod sorted;

mod cells;
mod claims;
mod dual;
mod log;
mod narrow;

/// Scenes and answers of the library's own tests.
#[path = "../../../sim/kinetic/tests/common/mod.rs"]
mod common;

use std::path::PathBuf;

use crate::experiment::Failure;

/// What all of them take, so that the group can be run with it.
#[derive(clap::Args)]
pub struct Common {
    /// Seed of the scene.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Folder for the log of events (CSV) and the pictures (SVG).
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
}

impl Common {
    /// Writes a file if a folder was given.
    fn save(&self, name: &str, text: impl FnOnce() -> String) -> Result<(), Failure> {
        match &self.out {
            Some(folder) => crate::output::save(folder, name, &text()),
            None => Ok(()),
        }
    }
}

/// Parses a number above zero.
fn positive(word: &str) -> Result<f64, String> {
    let x: f64 = word.parse().map_err(|e| format!("{e}"))?;
    if x > 0.0 && x <= 1e6 {
        Ok(x)
    } else {
        Err("above 0, 1e6 at most".into())
    }
}

/// Converts an error of a structure on our own input: our fault.
fn failed(e: impl std::fmt::Display) -> Failure {
    Failure::Run(e.to_string())
}

/// Returns `n log2 n`, and 1 for n = 1.
fn n_log_n(n: usize) -> f64 {
    (n as f64 * (n as f64).log2()).max(1.0)
}
