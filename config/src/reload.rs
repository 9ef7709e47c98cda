//! Decides what a running daemon may take over from a changed file.
//!
//! All or nothing: if one change is not allowed, the whole old configuration stays, so that what
//! runs is always one file.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Problem};
use crate::effective::{Entry, Segment, TablePath};
use crate::errors::ConfigErrors;
use crate::key::{Reload, Stricter};
use crate::load::Loaded;
use crate::value::Value;

/// One value that a reload changes at the next tick boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// Key with its table, for example `material.wood.stiffness_n_per_m`.
    pub path: String,
    /// Running value.
    pub old: Value,
    /// Value in the file.
    pub new: Value,
}

/// Returns what changes from `old` (running) to `new` (just loaded), in the order of the schema.
/// Empty if both mean the same: a value that is written out equals the same value as a default.
///
/// # Errors
///
/// One diagnostic, placed in the text of `new`, for each change that needs a restart: safety limits
/// that would become looser, keys that are read only at start, tables that were added or removed.
pub fn compare(old: &Loaded, new: &Loaded) -> Result<Vec<Change>, ConfigErrors> {
    let mut refused = Vec::new();
    let old_tables = elements(old);
    let new_tables = elements(new);
    for (table, added) in old_tables
        .difference(&new_tables)
        .map(|table| (table, false))
        .chain(
            new_tables
                .difference(&old_tables)
                .map(|table| (table, true)),
        )
    {
        let problem = Problem::TableChanged {
            path: table.to_string(),
            added,
        };
        let inside = |entry: &&Entry| &&entry.table == table && entry.origin.span().is_some();
        let span = new
            .effective()
            .iter()
            .find(inside)
            .and_then(|entry| entry.origin.span());
        refused.push(Diagnostic::new(problem, span));
    }

    let index: BTreeMap<(&TablePath, &str), &Entry> = old
        .effective()
        .iter()
        .map(|entry| ((&entry.table, entry.key.name), entry))
        .collect();
    let mut changes = Vec::new();
    for entry in new.effective() {
        // A key that only one side has belongs to a table or variant that only one side has. The
        // table or its tag is reported instead.
        let Some(before) = index.get(&(&entry.table, entry.key.name)) else {
            continue;
        };
        if before.value == entry.value {
            continue;
        }
        let (old, new) = (before.value.clone(), entry.value.clone());
        let path = entry.path();
        let problem = match entry.key.reload {
            Reload::Live => {
                changes.push(Change { path, old, new });
                continue;
            }
            Reload::TightenOnly(stricter) if is_stricter(&old, &new, stricter) => {
                changes.push(Change { path, old, new });
                continue;
            }
            Reload::TightenOnly(stricter) => Problem::Loosens {
                path,
                old,
                new,
                stricter,
            },
            Reload::Restart => Problem::NeedsRestart { path, old, new },
        };
        refused.push(Diagnostic::new(problem, entry.origin.span()));
    }
    if refused.is_empty() {
        Ok(changes)
    } else {
        Err(ConfigErrors::new(new.source().clone(), refused))
    }
}

fn is_stricter(old: &Value, new: &Value, stricter: Stricter) -> bool {
    match (old.as_number(), new.as_number()) {
        (Some(old), Some(new)) => match stricter {
            Stricter::Lower => new < old,
            Stricter::Higher => new > old,
        },
        _ => false,
    }
}

/// Returns the elements of the arrays of tables.
fn elements(loaded: &Loaded) -> BTreeSet<&TablePath> {
    let is_element = |table: &&TablePath| {
        matches!(
            table.0.as_slice(),
            [Segment::Named(..) | Segment::Indexed(..)]
        )
    };
    loaded
        .effective()
        .iter()
        .map(|entry| &entry.table)
        .filter(is_element)
        .collect()
}
