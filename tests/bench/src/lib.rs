//! The figures of `docs/benchmarks`: a JSON file for each section of `docs/benchmarks.md`.
//!
//! A bench calls [`ours`] and [`detail`] with what it measured. They do nothing unless
//! [`UPDATE`] is set in the environment; then they renew the row in its file, with the date, the
//! machine and the commit. [`render`] makes the tables of the documents.
//!
//! No function is for a tick: all allocate, and read files.

#![forbid(unsafe_code)]

mod cell;
mod criterion;
mod lab;
mod render;
mod section;
mod stamp;

pub use cell::{Cell, number, quantiles};
pub use criterion::median_s;
pub use lab::take as take_lab;
pub use render::{DOCUMENTS, render};
pub use section::{Detail, DetailRow, Row, Section, load, save};
pub use stamp::{By, Measured};

use std::path::{Path, PathBuf};

/// The environment variable with which a bench renews its rows.
pub const UPDATE: &str = "UPDATE_BENCHMARKS";

/// Returns the folder of the JSON files.
#[must_use]
pub fn folder() -> PathBuf {
    root().join("docs/benchmarks")
}

/// Returns the repository's root.
#[must_use]
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Renews our figures of a row of the five tables, if [`UPDATE`] is set.
///
/// # Panics
/// If there is no row `id`, if its unit is not `unit`, or if its file cannot be written: what a
/// bench renews is part of the tree.
pub fn ours(id: &str, unit: &str, ours: impl Into<Cell>) {
    if std::env::var_os(UPDATE).is_some() {
        let change = |row: &mut Row| {
            assert_eq!(row.unit, unit, "unit of row {id}");
            row.ours = Some(ours.into());
            // It was said of the figures before.
            row.missed = false;
        };
        renew(id, By::Bench, change).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Renews a row of the details of row `id` by its first cell, if [`UPDATE`] is set.
///
/// # Panics
/// As [`ours`] does, and if there are not as many cells as columns after the first.
pub fn detail(id: &str, what: &str, cells: Vec<Cell>) {
    if std::env::var_os(UPDATE).is_some() {
        renew_detail(id, what, cells).unwrap_or_else(|why| panic!("{why}"));
    }
}

/// Changes a row of the five tables in its file, and stamps it.
///
/// # Errors
/// If there is no such row, or its file cannot be read or written.
pub fn renew(id: &str, by: By, change: impl FnOnce(&mut Row)) -> Result<(), String> {
    let (path, mut section) = section_of(id)?;
    let row = section.rows.iter_mut().find(|row| row.id == id);
    let row = row.ok_or_else(|| format!("{}: no row {id}", path.display()))?;
    change(row);
    row.measured = Measured::now(by);
    save(&path, &section)
}

fn renew_detail(id: &str, what: &str, cells: Vec<Cell>) -> Result<(), String> {
    let (path, mut section) = section_of(id)?;
    let none = || format!("{}: no detail of {id}: {what}", path.display());
    let detail = section.details.get_mut(id).ok_or_else(none)?;
    if cells.len() + 1 != detail.columns.len() {
        return Err(format!("{} cells in the details of {id}", cells.len()));
    }
    let row = detail.rows.iter_mut().find(|row| row.what == what);
    let row = row.ok_or_else(none)?;
    row.cells = cells;
    row.measured = Measured::now(By::Bench);
    save(&path, &section)
}

/// Returns the section of row `id`, and its file: `4.1` is of the file that begins with `4-`.
fn section_of(id: &str) -> Result<(PathBuf, Section), String> {
    let number = id.split('.').next().unwrap_or_default();
    let mut found = load(&folder())?;
    let own = |path: &Path| {
        let name = path.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| name.split('-').next() == Some(number))
    };
    let at = found.iter().position(|(path, _)| own(path));
    at.map(|at| found.swap_remove(at))
        .ok_or_else(|| format!("no section of row {id}"))
}
