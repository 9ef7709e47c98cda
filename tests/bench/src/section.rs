//! The JSON files.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::cell::Cell;
use crate::stamp::Measured;

/// One of the five sections: a file, a table of `docs/benchmarks.md`, and tables of the notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Section {
    /// Rows of the table.
    pub rows: Vec<Row>,
    /// Tables of the notes, by the row that each is of.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, Detail>,
}

/// A row of one of the five tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Row {
    /// Number of the section, and of the row in it.
    pub id: String,
    /// What is measured.
    pub what: String,
    /// Unit of all numbers of the row.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub unit: String,
    /// What ours should not exceed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<Cell>,
    /// Our figures.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ours: Option<Cell>,
    /// Figures of another library in the same run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub peer: Option<Cell>,
    /// Ours misses a bound that is in words, or could not be measured. Bounds in numbers are
    /// compared where the table is rendered.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub missed: bool,
    /// The command that measures, in the short forms of the document; empty where the note has it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub command: String,
    /// Rows of the experiment's report (`lab run ID --json`) of which our figures are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lab: Vec<String>,
    /// When, where and how.
    pub measured: Measured,
}

/// A table of the notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detail {
    /// Headings; the first is of [`DetailRow::what`].
    pub columns: Vec<String>,
    /// The rows.
    pub rows: Vec<DetailRow>,
}

/// A row of a table of the notes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DetailRow {
    /// First cell; unique in its table.
    pub what: String,
    /// The other cells, one for each further column.
    pub cells: Vec<Cell>,
    /// When, where and how.
    pub measured: Measured,
}

/// Reads all sections of a folder, in the order of their numbers.
///
/// # Errors
/// If a file cannot be read or is not a section.
pub fn load(folder: &Path) -> Result<Vec<(PathBuf, Section)>, String> {
    let entries = std::fs::read_dir(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.filter_map(|e| Some(e.ok()?.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "json"));
    paths.sort();
    let read = |path: PathBuf| -> Result<(PathBuf, Section), String> {
        let text = std::fs::read_to_string(&path).map_err(|e| e.to_string());
        let section = text.and_then(|t| serde_json::from_str(&t).map_err(|e| e.to_string()));
        let section = section.map_err(|why| format!("{}: {why}", path.display()))?;
        Ok((path, section))
    };
    paths.into_iter().map(read).collect()
}

/// Writes a section to its file.
///
/// # Errors
/// If the file cannot be written.
pub fn save(path: &Path, section: &Section) -> Result<(), String> {
    let text = serde_json::to_string_pretty(section).map_err(|e| e.to_string())?;
    std::fs::write(path, text + "\n").map_err(|e| format!("{}: {e}", path.display()))
}
