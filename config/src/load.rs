//! From bytes to a checked configuration.

use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::DeTable;

use crate::check;
use crate::context::Context;
use crate::diagnostic::{ConfigErrors, Diagnostic, Finding, Problem, SoundParts};
use crate::effective::{Entry, effective_json, effective_toml};
use crate::read::Reader;
use crate::schema::Config;
use crate::source::Source;

/// Longest configuration that is read: far above any that a person writes, far below what would
/// slow a reload down.
pub const TEXT_BYTES_MAX: usize = 1 << 20;

/// A configuration that passed every check, with where its values come from.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The typed values.
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
        /// The file.
        path: PathBuf,
        /// The system's words.
        #[source]
        error: std::io::Error,
    },
    /// What it says is wrong.
    #[error("{0}")]
    Invalid(Box<ConfigErrors>),
}

/// Reads and checks the file at `path`, with the environment of this process.
///
/// # Errors
///
/// [`LoadError::Unreadable`] if the file cannot be read; [`LoadError::Invalid`] with everything
/// that is wrong in it, and then with the files that it names and that cannot be opened.
pub fn load(path: &Path) -> Result<Loaded, LoadError> {
    let unreadable = |error| LoadError::Unreadable {
        path: path.to_owned(),
        error,
    };
    // Not looked at any further: a reload costs no more than the longest file that is read.
    let bytes = hapticd_files::read(path, TEXT_BYTES_MAX as u64).map_err(unreadable)?;
    let name = path.display().to_string();
    let text = decode_utf8(&name, bytes).map_err(|errors| LoadError::Invalid(Box::new(errors)))?;
    let (parsed, inputs) = parse_with_inputs(&name, &text, &Context::of_file(path));
    parsed.map_err(|errors| {
        // Of a good configuration its user asks, by `check_files`.
        let unreadable = inputs.iter().filter_map(check::InputFile::open);
        LoadError::Invalid(Box::new(errors.with(unreadable)))
    })
}

/// `bytes` as text, or where they stop being text.
fn decode_utf8(name: &str, bytes: Vec<u8>) -> Result<String, ConfigErrors> {
    String::from_utf8(bytes).map_err(|error| {
        let offset = error.utf8_error().valid_up_to();
        let bytes = error.into_bytes();
        let source = Source::new(name, String::from_utf8_lossy(&bytes));
        let problem = Problem::NotUtf8 {
            offset,
            byte: bytes.get(offset).copied().unwrap_or(0),
        };
        // The replacement character stands where the first wrong byte was, so the offset is the
        // same in both texts.
        let diagnostic = Diagnostic::new(problem, Some(offset..offset));
        ConfigErrors::new(source, vec![diagnostic])
    })
}

/// Checks the configuration `text`, which is shown as the file `name` in errors.
///
/// # Errors
///
/// Everything that is wrong: TOML errors, unknown keys, types, ranges, references. Where the text
/// is not TOML, the parts that could still be understood are checked too, but nothing is called
/// missing.
pub fn parse(name: &str, text: &str, context: &Context<'_>) -> Result<Loaded, ConfigErrors> {
    parse_with_inputs(name, text, context).0
}

/// As [`parse`], with the files that the understood parts of the text name.
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
    let mut reader = Reader::new(context);
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
    tell_syntax(&mut diagnostics, &syntax_errors, &source, text);
    let parsed = match config {
        Some(config) if diagnostics.is_empty() => Ok(Loaded {
            config,
            entries,
            source,
            inputs: inputs.clone(),
        }),
        _ => {
            let sound = syntax_errors.is_empty().then(|| {
                let config = Reader::lenient(context).read::<Config>(root.get_ref());
                config.map(|config| Box::new(SoundParts { config, entries }))
            });
            let mut errors = ConfigErrors::new(source, diagnostics);
            errors.sound = sound.flatten();
            Err(errors)
        }
    };
    (parsed, inputs)
}

/// Tells what is not TOML, and takes back what may be wrong only because of that.
pub(crate) fn tell_syntax(
    diagnostics: &mut Vec<Diagnostic>,
    errors: &[toml::de::Error],
    source: &Source,
    text: &str,
) {
    if errors.is_empty() {
        return;
    }
    let broken: Vec<Range<usize>> = errors
        .iter()
        .map(|error| error.span().unwrap_or(text.len()..text.len()))
        .collect();
    diagnostics.retain(|diagnostic| survives_syntax_errors(diagnostic, &broken, source));
    for (error, span) in errors.iter().zip(broken) {
        let problem = Problem::Syntax {
            message: error.message().to_owned(),
        };
        diagnostics.push(Diagnostic::new(problem, Some(span)));
    }
}

/// Whether what was found in the understood parts of a broken text is true of the text that was
/// meant.
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
    /// The built-in configuration: every default, no arm, no body.
    ///
    /// # Errors
    ///
    /// If a default path names an environment variable that `context` lacks (each has a fallback,
    /// so none does).
    pub fn defaults(context: &Context<'_>) -> Result<Loaded, ConfigErrors> {
        parse("defaults", "", context)
    }

    /// Every key with its value and where the value comes from, in the order of the schema.
    #[must_use]
    pub fn effective(&self) -> &[Entry] {
        &self.entries
    }

    /// The text that was read.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The effective configuration as TOML that reads back as the same configuration, each line
    /// with its origin.
    #[must_use]
    pub fn effective_toml(&self) -> String {
        effective_toml(&self.entries, &self.source)
    }

    /// The effective configuration as a JSON array of `{key, value, unit, origin}`.
    #[must_use]
    pub fn effective_json(&self) -> serde_json::Value {
        effective_json(&self.entries, &self.source)
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

    /// Puts what a user of the configuration found together with what
    /// [`check_files`](Loaded::check_files) said, each at the place in the text that its key is at.
    ///
    /// # Errors
    ///
    /// All of it, unless there is nothing.
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

/// What a user of the configuration found, at its place in the text.
pub(crate) fn found(entries: &[Entry], finding: Finding) -> Diagnostic {
    let Finding { key, message } = finding;
    let span = key.as_ref().and_then(|key| span_of(entries, key));
    Diagnostic::new(Problem::Unusable { key, message }, span)
}

/// Where the value of the key at `path` is; if it is a default, the name of the table that it is a
/// default of.
fn span_of(entries: &[Entry], path: &str) -> Option<Range<usize>> {
    let entry = entries.iter().find(|entry| entry.path() == path)?;
    entry.origin.span().or_else(|| {
        let name = |other: &&Entry| other.table == entry.table && other.key.name == "name";
        entries.iter().find(name)?.origin.span()
    })
}
