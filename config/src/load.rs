//! Loads a configuration: from bytes to checked, typed values.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::check;
use crate::context::Context;
use crate::diagnostic::{Diagnostic, Problem, cut};
use crate::effective::{Entry, effective_json, effective_toml};
use crate::errors::{ConfigErrors, Finding, SHOWN_MAX, ValidParts, found};
use crate::foreign;
use crate::read::{Reader, Tabular};
use crate::schema::Config;
use crate::source::Source;

/// Largest configuration that is read, in bytes: far above any that a person writes, far below a
/// size that would slow down a reload.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// A configuration that passed every check, with the origin of its values.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// Typed values.
    pub config: Config,
    entries: Vec<Entry>,
    source: Source,
    inputs: Vec<check::InputFile>,
}

/// Why a configuration file could not be loaded.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// The file itself could not be read.
    #[error("cannot read {path}: {error}", path = path.display())]
    Unreadable {
        /// Path of the file.
        path: PathBuf,
        /// Error of the system.
        #[source]
        error: std::io::Error,
    },
    /// The contents are wrong.
    #[error("{0}")]
    Invalid(Box<ConfigErrors>),
}

/// Reads and checks the file at `path`, with the environment of this process.
///
/// # Errors
///
/// [`LoadError::Unreadable`] if the file cannot be read. [`LoadError::Invalid`] with everything
/// that is wrong in it; then also with the files that it names and that cannot be opened.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let unreadable = |error| LoadError::Unreadable {
        path: path.to_owned(),
        error,
    };
    // Never reads more than the limit: a reload costs no more than the longest allowed file.
    let bytes = hapticd_files::read(path, TEXT_BYTES_MAX as u64).map_err(unreadable)?;
    let name = path.display().to_string();
    let text = decode_utf8(&name, bytes).map_err(|errors| LoadError::Invalid(Box::new(errors)))?;
    let (parsed, inputs) = parse_with_inputs(&name, &text, &Context::of_file(path));
    parsed.map_err(|errors| {
        // For a valid configuration, its user calls `check_files`.
        let unreadable = inputs.iter().filter_map(check::InputFile::open);
        LoadError::Invalid(Box::new(errors.with(unreadable)))
    })
}

/// Returns `bytes` as text, or reports where they are not UTF-8.
fn decode_utf8(name: &str, bytes: Vec<u8>) -> Result<String, ConfigErrors> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let source = Source::new(name, String::from_utf8_lossy(&bytes));
        let problem = Problem::NotUtf8 {
            offset,
            byte: bytes.get(offset).copied().unwrap_or(0),
        };
        // The replacement character stands where the first invalid byte was, so the offset is the
        // same in both texts.
        let diagnostic = Diagnostic::new(problem, Some(offset..offset));
        ConfigErrors::new(source, vec![diagnostic])
    })
}

/// Checks the configuration `text`, which errors show as the file `name`.
///
/// # Errors
///
/// Everything that is wrong: TOML errors, unknown keys, types, ranges, references. If the text is
/// not TOML, the parts that can still be understood are checked, but no key is reported missing.
pub fn parse(name: &str, text: &str, context: &Context<'_>) -> Result<Loaded, ConfigErrors> {
    parse_with_inputs(name, text, context).0
}

/// As [`parse`], and also returns the files that the understood parts of the text name.
fn parse_with_inputs(
    name: &str,
    text: &str,
    context: &Context<'_>,
) -> (Result<Loaded, ConfigErrors>, Vec<check::InputFile>) {
    if text.len() > TEXT_BYTES_MAX {
        let problem = Problem::TooLong {
            max: TEXT_BYTES_MAX,
        };
        let errors = ConfigErrors::new(Source::new(name, ""), vec![Diagnostic::new(problem, None)]);
        return (Err(errors), Vec::new());
    }
    let source = Source::new(name, text);
    let (root, syntax_errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader::new(context, Config::SECTION);
    let config = reader.read::<Config>(root.get_ref());
    let mut inputs = Vec::new();
    if syntax_errors.is_empty() {
        check::cross_check(&mut reader);
        inputs = check::input_files(&reader, context);
    }
    let Reader {
        mut diagnostics,
        entries,
        ..
    } = reader;
    report_syntax_errors(&mut diagnostics, &syntax_errors, &source, root.get_ref());
    let parsed = match config {
        Some(config) if diagnostics.is_empty() => Ok(Loaded {
            config,
            entries,
            source,
            inputs: inputs.clone(),
        }),
        _ => {
            let sound = syntax_errors.is_empty().then(|| {
                let config =
                    Reader::lenient(context, Config::SECTION).read::<Config>(root.get_ref());
                config.map(|config| Box::new(ValidParts { config, entries }))
            });
            let mut errors = ConfigErrors::new(source, diagnostics);
            errors.sound = sound.flatten();
            Err(errors)
        }
    };
    (parsed, inputs)
}

/// Message of the TOML parser for a key or table that is given twice.
const DUPLICATE: &str = "duplicate key";

/// Reports what is not TOML, and withdraws diagnostics that may be wrong only because of it.
/// `root`: what was understood.
pub(crate) fn report_syntax_errors(
    diagnostics: &mut Vec<Diagnostic>,
    errors: &[toml::de::Error],
    source: &Source,
    root: &DeTable<'_>,
) {
    if errors.is_empty() {
        return;
    }
    let text = source.text();
    let broken: Vec<Range<usize>> = errors
        .iter()
        .map(|error| error.span().unwrap_or(text.len()..text.len()))
        .collect();
    diagnostics.retain(|diagnostic| survives_syntax_errors(diagnostic, &broken, source));
    for (i, (error, span)) in errors.iter().zip(broken).enumerate() {
        let is_duplicate = error.message() == DUPLICATE;
        let message = match text.get(span.clone()).filter(|_| is_duplicate) {
            Some(key) => format!("{DUPLICATE} `{}`", cut(key)),
            None => error.message().to_owned(),
        };
        // The search walks through the whole text, so it is made for errors that are shown.
        let is_sought = is_duplicate && i < SHOWN_MAX;
        let before = is_sought.then(|| first_use(root, text, &span)).flatten();
        let diagnostic = Diagnostic::new(Problem::Syntax { message }, Some(span));
        diagnostics.push(diagnostic.related(before, "first given here"));
    }
}

/// Whether a table is written in braces.
fn is_inline(text: &str, item: &Spanned<DeValue<'_>>) -> bool {
    text.get(item.span())
        .is_some_and(|written| written.starts_with('{'))
}

/// Returns where the key that is given again at `span` was given before, in the same table: the
/// last such place before it, not counting what closed inline tables hold.
fn first_use(table: &DeTable<'_>, text: &str, span: &Range<usize>) -> Option<Range<usize>> {
    let name = text.get(span.clone())?.trim_matches(['"', '\'']);
    let mut last: Option<Range<usize>> = None;
    let mut take = |place: Range<usize>| {
        if place.end <= span.start && last.as_ref().is_none_or(|last| place.start > last.start) {
            last = Some(place);
        }
    };
    for (key, item) in table.iter() {
        if *key.get_ref() == name {
            take(key.span());
        }
        let is_closed = is_inline(text, item) && item.span().end <= span.start;
        let inner: Vec<&DeTable<'_>> = match item.get_ref() {
            DeValue::Table(table) if !is_closed => vec![table],
            DeValue::Array(array) => {
                let tables = array.iter().filter_map(|element| match element.get_ref() {
                    DeValue::Table(table) if !is_inline(text, element) => Some(table),
                    _ => None,
                });
                tables.collect()
            }
            _ => continue,
        };
        for found in inner
            .iter()
            .filter_map(|table| first_use(table, text, span))
        {
            take(found);
        }
    }
    last
}

/// Returns whether a diagnostic about the understood parts of a broken text also holds for the
/// intended text.
fn survives_syntax_errors(
    diagnostic: &Diagnostic,
    broken: &[Range<usize>],
    source: &Source,
) -> bool {
    if matches!(diagnostic.problem, Problem::Missing { .. }) {
        return false;
    }
    let Some(span) = &diagnostic.span else {
        return false;
    };
    let line = source.position(span.start).line;
    broken
        .iter()
        .all(|error| source.position(error.start).line != line)
}

impl Loaded {
    /// Returns the built-in configuration: every default, no arm, no body.
    ///
    /// # Errors
    ///
    /// If a default path names an environment variable that `context` lacks. Each default has a
    /// fallback, so this does not happen.
    pub fn defaults(context: &Context<'_>) -> Result<Loaded, ConfigErrors> {
        parse("defaults", "", context)
    }

    /// Returns every key with its value and the origin of the value, in the order of the schema.
    #[must_use]
    pub fn effective(&self) -> &[Entry] {
        &self.entries
    }

    /// Returns the text that was read.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the effective configuration as TOML that reads back as the same configuration, each
    /// line with its origin.
    #[must_use]
    pub fn effective_toml(&self) -> String {
        effective_toml(&foreign::applying(&self.entries), &self.source)
    }

    /// Returns the effective configuration as a JSON array of `{key, value, unit, origin}`.
    #[must_use]
    pub fn effective_json(&self) -> serde_json::Value {
        effective_json(&foreign::applying(&self.entries), &self.source)
    }

    /// Checks that every file that the configuration refers to can be opened. Reads nothing from
    /// them.
    ///
    /// # Errors
    ///
    /// One diagnostic for each file that cannot be opened.
    pub fn check_files(&self) -> Result<(), ConfigErrors> {
        let diagnostics: Vec<_> = self
            .inputs
            .iter()
            .filter_map(check::InputFile::open)
            .collect();
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(ConfigErrors::new(self.source.clone(), diagnostics))
        }
    }

    /// Combines what a user of the configuration found with the result of
    /// [`check_files`](Loaded::check_files), each at the place of its key in the text.
    ///
    /// # Errors
    ///
    /// All diagnostics, if there are any.
    pub fn with_findings(
        &self,
        files: Result<(), ConfigErrors>,
        findings: impl IntoIterator<Item = Finding>,
    ) -> Result<(), ConfigErrors> {
        let mut diagnostics = files
            .err()
            .map_or_else(Vec::new, ConfigErrors::into_diagnostics);
        diagnostics.extend(findings.into_iter().map(|f| found(&self.entries, f)));
        if diagnostics.is_empty() {
            Ok(())
        } else {
            Err(ConfigErrors::new(self.source.clone(), diagnostics))
        }
    }
}
