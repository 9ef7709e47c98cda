//! Everything that is wrong with one configuration: the diagnostics in the order of the text, those
//! that a user of the configuration adds, and the parts that are sound.

use std::fmt;
use std::ops::Range;

use crate::diagnostic::{Diagnostic, Problem};
use crate::effective::Entry;
use crate::schema::Config;
use crate::source::Source;

/// Largest number of diagnostics printed; the rest are counted.
pub(crate) const SHOWN_MAX: usize = 50;

/// An error that a user of the configuration found in what a value names or asks for. Input of
/// [`Loaded::with_findings`](crate::Loaded::with_findings).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// Key at fault, as [`Entry::path`](crate::Entry::path) writes it: `body.floor.shape.file`.
    pub key: Option<String>,
    /// What is wrong. Names the table itself, because the key may not be in the file.
    pub message: String,
}

/// Everything that is wrong with one configuration. Displays as the text to print; never empty.
#[derive(Debug, Clone)]
pub struct ConfigErrors {
    source: Source,
    diagnostics: Vec<Diagnostic>,
    pub(crate) sound: Option<Box<ValidParts>>,
}

/// The sound parts of a configuration with errors, and where their values are.
#[derive(Debug, Clone)]
pub(crate) struct ValidParts {
    pub(crate) config: Config,
    pub(crate) entries: Vec<Entry>,
}

impl ConfigErrors {
    /// Sorts by position (those without one last) and drops repetitions.
    pub(crate) fn new(source: Source, mut diagnostics: Vec<Diagnostic>) -> ConfigErrors {
        let start = |d: &Diagnostic| d.span.as_ref().map_or(usize::MAX, |span| span.start);
        diagnostics.sort_by_key(start);
        diagnostics.dedup();
        ConfigErrors {
            source,
            diagnostics,
            sound: None,
        }
    }

    /// Returns the arms, bodies and other tables without errors, with defaults for top-level tables
    /// that have errors; `None` if the text is not TOML. Errors in the files that these parts name
    /// are real, whatever else is corrected.
    #[must_use]
    pub fn sound_parts(&self) -> Option<&Config> {
        self.sound.as_deref().map(|sound| &sound.config)
    }

    /// Adds what a user of [`sound_parts`](ConfigErrors::sound_parts) found, each at its place in
    /// the text.
    #[must_use]
    pub fn with_findings(self, findings: impl IntoIterator<Item = Finding>) -> ConfigErrors {
        let sound = self.sound.clone();
        let entries = sound.as_ref().map_or(&[][..], |sound| &sound.entries);
        self.with(findings.into_iter().map(|f| found(entries, f)))
    }

    /// Returns the diagnostics in the order of the text.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// Adds `more` and sorts again.
    pub(crate) fn with(self, more: impl IntoIterator<Item = Diagnostic>) -> ConfigErrors {
        let all = self.diagnostics.into_iter().chain(more);
        ConfigErrors {
            sound: self.sound,
            ..ConfigErrors::new(self.source, all.collect())
        }
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        self.diagnostics
    }

    /// Returns the text that the diagnostics are about.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the diagnostics as a JSON array of `{file, line, column, key, message, help}`.
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        self.diagnostics
            .iter()
            .map(|d| {
                let at = d.span.as_ref().map(|s| self.source.position(s.start));
                serde_json::json!({
                    "file": self.source.name(),
                    "line": at.map(|p| p.line),
                    "column": at.map(|p| p.column),
                    "key": d.problem.key(),
                    "message": d.problem.to_string(),
                    "help": d.help,
                })
            })
            .collect()
    }
}

impl fmt::Display for ConfigErrors {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, diagnostic) in self.diagnostics.iter().take(SHOWN_MAX).enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            diagnostic.write(&self.source, f)?;
        }
        if let Some(more) = self.diagnostics.len().checked_sub(SHOWN_MAX)
            && more > 0
        {
            writeln!(f, "\nand {more} more errors")?;
        }
        Ok(())
    }
}

impl std::error::Error for ConfigErrors {}

/// Places what a user of the configuration found in the text.
pub(crate) fn found(entries: &[Entry], finding: Finding) -> Diagnostic {
    let Finding { key, message } = finding;
    let span = key.as_ref().and_then(|key| span_of(entries, key));
    Diagnostic::new(Problem::Unusable { key, message }, span)
}

/// Returns where the value of the key at `path` is. For a default, returns the name of the table
/// that the default belongs to.
fn span_of(entries: &[Entry], path: &str) -> Option<Range<usize>> {
    let entry = entries.iter().find(|entry| entry.path() == path)?;
    entry.origin.span().or_else(|| {
        let name = |other: &&Entry| other.table == entry.table && other.key.name == "name";
        entries.iter().find(name)?.origin.span()
    })
}
