//! What a running daemon may take over from a changed file.
//!
//! All or nothing: if one change is not allowed the old configuration stays whole, so that what
//! runs is always one file.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{ConfigErrors, Diagnostic, Problem};
use crate::effective::{Entry, Segment, TablePath};
use crate::key::{Reload, Stricter};
use crate::load::Loaded;
use crate::value::Value;

/// One value that a reload changes at the next tick boundary.
#[derive(Debug, Clone, PartialEq)]
pub struct Change {
    /// The key with its table, for example `material.wood.stiffness_n_per_m`.
    pub path: String,
    /// What runs now.
    pub old: Value,
    /// What the file says.
    pub new: Value,
}

/// Tells what changes from `old` (which runs) to `new` (which was just loaded), in the order of the
/// schema. Empty when both say the same. Whether a value is written out or a default makes no
/// difference.
///
/// # Errors
///
/// One diagnostic, placed in the text of `new`, for each change that needs a restart: safety limits
/// that would become looser, keys that are read only at start, tables that came or went.
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
        // A key that only one side has belongs to a table or a variant that only one side has: its
        // tag tells.
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

/// The elements of the arrays of tables.
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
