//! What can be wrong with a configuration, with the numbers, and how it is shown to the person who
//! wrote it.
//!
//! Every check appends [`Diagnostic`]s to one list, so that one run reports everything. Rendering
//! is plain text: `file:line:column: error: message`, the line itself, carets, and a hint where
//! there is one. Never panics.

use std::fmt;
use std::ops::Range;

use crate::effective::Entry;
use crate::key::Stricter;
use crate::load::found;
use crate::schema::Config;
use crate::source::Source;
use crate::value::Value;

/// How many diagnostics are printed; the rest are counted.
const SHOWN_MAX: usize = 50;

/// One thing that is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The text is not TOML.
    #[error("{message}")]
    Syntax {
        /// The TOML parser's own words.
        message: String,
    },
    /// The file is not UTF-8.
    #[error("the file is not UTF-8: byte {offset} ({byte:#04x}) is not part of a character")]
    NotUtf8 {
        /// Offset of the first wrong byte.
        offset: usize,
        /// That byte.
        byte: u8,
    },
    /// The file is longer than a configuration can be.
    #[error("the file is longer than {max} bytes")]
    TooLong {
        /// Most bytes accepted.
        max: usize,
    },
    /// No such key.
    #[error("unknown key `{key}` in {place}")]
    UnknownKey {
        /// The key.
        key: String,
        /// The table it is in.
        place: String,
    },
    /// The key exists, but not with this value of the table's tag.
    #[error("`{key}` does not apply to {tag} = \"{value}\"")]
    NotApplicable {
        /// The key.
        key: String,
        /// The tag's key.
        tag: &'static str,
        /// The tag's value.
        value: String,
    },
    /// The same for a key whose absence there is a promise.
    #[error("{place}: `{key}` = {asked} is refused for {tag} = \"{value}\": {why}")]
    Refused {
        /// The table.
        place: String,
        /// The key.
        key: &'static str,
        /// What the file asks for, with its unit.
        asked: String,
        /// The tag's key.
        tag: &'static str,
        /// The tag's value.
        value: String,
        /// Why.
        why: &'static str,
    },
    /// A required key is not there.
    #[error("{place} needs the key `{key}`")]
    Missing {
        /// The key.
        key: &'static str,
        /// The table that lacks it.
        place: String,
    },
    /// The value has another type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// The key.
        key: &'static str,
        /// What it must be.
        expected: String,
        /// What it is.
        found: &'static str,
    },
    /// A number that no machine type holds.
    #[error("`{key}` = {text} does not fit into 64 bits")]
    TooLarge {
        /// The key.
        key: &'static str,
        /// The number as written.
        text: String,
    },
    /// Not a number or infinite.
    #[error("`{key}` must be a finite number, not {text}")]
    NotFinite {
        /// The key.
        key: &'static str,
        /// The number as written.
        text: String,
    },
    /// A number outside its range.
    #[error(
        "`{key}` = {} is {} {}",
        value.short(), side(value, min),
        limit(value, min, max, unit)
    )]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// The number.
        value: Value,
        /// Smallest allowed.
        min: Value,
        /// Largest allowed.
        max: Value,
        /// Unit of all three.
        unit: Option<&'static str>,
    },
    /// An array with too many or too few elements.
    #[error("`{key}` must have {expected} numbers, not {found}")]
    WrongCount {
        /// The key.
        key: &'static str,
        /// How many it must have.
        expected: usize,
        /// How many it has.
        found: usize,
    },
    /// A direction of length zero.
    #[error("`{key}` gives no direction: all three numbers are zero")]
    NoDirection {
        /// The key.
        key: &'static str,
    },
    /// A word that is not among the allowed ones.
    #[error("`{key}` cannot be \"{value}\"")]
    NotAllowed {
        /// The key.
        key: &'static str,
        /// The word.
        value: String,
    },
    /// An identifier with other characters than letters, digits, `_` and `-`, or of a wrong length.
    #[error("`{key}` = \"{value}\" is not a name: 1 to 64 of A-Z a-z 0-9 _ - are allowed")]
    NotAName {
        /// The key.
        key: &'static str,
        /// The text.
        value: String,
    },
    /// A text that is too long or holds control characters.
    #[error("`{key}` must be 1 to {max} printable characters, not {found}")]
    BadText {
        /// The key.
        key: &'static str,
        /// Most characters allowed.
        max: usize,
        /// How many there are (control characters are not printable, whatever their number).
        found: usize,
    },
    /// A path names an environment variable that is not set and has no fallback.
    #[error("`{key}` uses ${{{variable}}}, which is not set")]
    UnsetVariable {
        /// The key.
        key: &'static str,
        /// The variable.
        variable: String,
    },
    /// A path with a `$` that starts no variable.
    #[error("`{key}` has a `$` at character {at} that starts no variable")]
    BadVariable {
        /// The key.
        key: &'static str,
        /// Position of the `$` in the text, from 1.
        at: usize,
    },
    /// A socket path longer than the kernel takes.
    #[error("`{key}` is {bytes} bytes long once expanded; a unix socket path has at most {max}")]
    SocketPathTooLong {
        /// The key.
        key: &'static str,
        /// Its length.
        bytes: usize,
        /// The kernel's limit.
        max: usize,
    },
    /// More tables than are handled.
    #[error("there are {found} [[{table}]] tables; at most {max} are handled")]
    TooManyTables {
        /// The array's key.
        table: &'static str,
        /// How many there are.
        found: usize,
        /// How many there may be.
        max: usize,
    },
    /// Two things share what must be unique.
    #[error("{what} \"{value}\" is used twice")]
    Duplicate {
        /// What kind of thing.
        what: &'static str,
        /// The shared value.
        value: String,
    },
    /// A reference to something that is not defined.
    #[error("there is no [[{table}]] named \"{value}\"")]
    Undefined {
        /// The array of tables that should define it.
        table: &'static str,
        /// The name.
        value: String,
    },
    /// One value must not exceed another.
    #[error("`{key}` = {} is above `{limit_key}` = {}", value.short(), limit.short())]
    Exceeds {
        /// The key.
        key: &'static str,
        /// Its value.
        value: Value,
        /// The key that limits it.
        limit_key: &'static str,
        /// The limit.
        limit: Value,
    },
    /// A hole as wide as its block.
    #[error("`hole_radius_m` = {radius_m} leaves no wall in a block that is {edge_m} m wide")]
    NoWall {
        /// Radius of the hole.
        radius_m: f64,
        /// The smaller of the block's edges across the hole.
        edge_m: f64,
    },
    /// `loop.clock = "device"` without a device that could be the clock.
    #[error(
        "`clock` = \"device\" needs an [[arm]] of kind \"hid\": {arms} arms, none of them has a clock"
    )]
    NoDeviceClock {
        /// How many arms there are.
        arms: usize,
    },
    /// An exact sphere given as the shape of a body.
    #[error("a body cannot have the shape \"sphere\": an exact sphere is a tool")]
    SphereBody,
    /// A body that nothing can move, or that forces move, has a motion.
    #[error("a {kind} body cannot have the motion \"{motion}\"")]
    ForeignMotion {
        /// Who moves it.
        kind: String,
        /// The motion.
        motion: String,
    },
    /// Pins that a body of this kind cannot have.
    #[error("a {kind} body cannot be pinned by its \"{pinned}\"")]
    ForeignPins {
        /// Who moves it.
        kind: String,
        /// What was asked for.
        pinned: String,
    },
    /// Several of a body that is no crowd.
    #[error("a {kind} body cannot have {copies} copies")]
    ForeignCopies {
        /// Who moves it.
        kind: String,
        /// What was asked for.
        copies: f64,
    },
    /// A dynamic body or one of a crowd that has no inside, and so no mass.
    #[error("a body that only forces move must be solid")]
    HollowDynamic,
    /// Something that a planar scene has no place for.
    #[error("{found} in a planar scene: {wanted}")]
    NotPlanar {
        /// What there is.
        found: String,
        /// What there may be.
        wanted: &'static str,
    },
    /// A shape of the plane in a scene most of which is not planar.
    #[error("the shape \"{shape}\" makes the scene planar, and {others} have other shapes")]
    OddPlanar {
        /// The shape.
        shape: String,
        /// Bodies and tools that are not planar, by name.
        others: String,
    },
    /// A pose of a hand's track that does not come after the one before it.
    #[error("`t_s` = {t_s} s is not later than {before_s} s, the time of the pose before it")]
    NotLater {
        /// Its time, s.
        t_s: f64,
        /// That of the one before it, s.
        before_s: f64,
    },
    /// A hand's track without poses.
    #[error("`track` has no poses, and needs one or more")]
    NoPoses,
    /// A hand's track of one pose that is to be repeated.
    #[error("`repeat` = true needs a `track` of two poses or more, and it has one")]
    NothingToRepeat,
    /// A file that cannot be opened.
    #[error("`{key}`: cannot read {path}: {reason}")]
    Unreadable {
        /// The key.
        key: &'static str,
        /// The path after expansion.
        path: String,
        /// The system's words.
        reason: String,
    },
    /// What a value names or asks for is wrong, as whoever uses it found: a mesh, a profile, a
    /// limit.
    #[error("{message}")]
    Unusable {
        /// The key that is to blame, as entries write it, if it is one key.
        key: Option<String>,
        /// What is wrong, in the words of the finder.
        message: String,
    },
    /// A reload that would make a safety limit looser.
    #[error(
        "{path} = {} is looser than the running {} ({} is stricter): loosening a safety limit needs a restart",
        new.short(),
        old.short(),
        direction(stricter)
    )]
    Loosens {
        /// The key with its table.
        path: String,
        /// The running value.
        old: Value,
        /// The value in the file.
        new: Value,
        /// Which direction is stricter.
        stricter: Stricter,
    },
    /// A reload that changes something that is read only at start.
    #[error("{path} = {} differs from the running {}: changing it needs a restart", new.short(), old.short())]
    NeedsRestart {
        /// The key with its table.
        path: String,
        /// The running value.
        old: Value,
        /// The value in the file.
        new: Value,
    },
    /// A reload that adds or removes a table.
    #[error("{path} was {}: that needs a restart", if *.added { "added" } else { "removed" })]
    TableChanged {
        /// The table.
        path: String,
        /// Added, else removed.
        added: bool,
    },
}

impl Problem {
    /// The key that it is about; for a [`Finding`] with its table.
    #[must_use]
    pub fn key(&self) -> Option<&str> {
        match self {
            Problem::Missing { key, .. }
            | Problem::WrongType { key, .. }
            | Problem::TooLarge { key, .. }
            | Problem::NotFinite { key, .. }
            | Problem::OutOfRange { key, .. }
            | Problem::WrongCount { key, .. }
            | Problem::NoDirection { key, .. }
            | Problem::NotAllowed { key, .. }
            | Problem::NotAName { key, .. }
            | Problem::BadText { key, .. }
            | Problem::UnsetVariable { key, .. }
            | Problem::BadVariable { key, .. }
            | Problem::SocketPathTooLong { key, .. }
            | Problem::Exceeds { key, .. }
            | Problem::Refused { key, .. }
            | Problem::Unreadable { key, .. } => Some(key),
            Problem::UnknownKey { key, .. } | Problem::NotApplicable { key, .. } => Some(key),
            Problem::Loosens { path, .. } => Some(path),
            Problem::Unusable { key, .. } => key.as_deref(),
            _ => None,
        }
    }
}

fn is_below(value: &Value, min: &Value) -> bool {
    match (value, min) {
        (Value::Integer(v), Value::Integer(m)) => v < m,
        _ => value.as_number() < min.as_number(),
    }
}

fn side(value: &Value, min: &Value) -> &'static str {
    if is_below(value, min) {
        "below the minimum"
    } else {
        "above the maximum"
    }
}

fn limit(value: &Value, min: &Value, max: &Value, unit: &Option<&'static str>) -> String {
    let bound = if is_below(value, min) { min } else { max };
    with_unit(bound, *unit)
}

/// `value` followed by its unit.
pub(crate) fn with_unit(value: &Value, unit: Option<&str>) -> String {
    match unit {
        Some(unit) => format!("{} {unit}", value.short()),
        None => value.short(),
    }
}

fn direction(stricter: &Stricter) -> &'static str {
    match stricter {
        Stricter::Lower => "lower",
        Stricter::Higher => "higher",
    }
}

/// What whoever uses a configuration found wrong with what it names, for
/// [`Loaded::with_findings`](crate::Loaded::with_findings).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The key that is to blame, as [`Entry::path`](crate::Entry::path) writes it:
    /// `body.floor.shape.file`.
    pub key: Option<String>,
    /// What is wrong. It names the table itself, as the key may not be in the file.
    pub message: String,
}

/// A problem, where it is, and what to do about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// Bytes of the text it is about; `None` where the text has no such place (a default, a removed
    /// table).
    pub span: Option<Range<usize>>,
    /// Another place that explains it, and why.
    pub related: Option<(Range<usize>, &'static str)>,
    /// What to do.
    pub help: Option<String>,
}

impl Diagnostic {
    pub(crate) fn new(problem: Problem, span: Option<Range<usize>>) -> Diagnostic {
        Diagnostic {
            problem,
            span,
            related: None,
            help: None,
        }
    }

    pub(crate) fn help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    pub(crate) fn related(mut self, span: Option<Range<usize>>, label: &'static str) -> Diagnostic {
        self.related = span.map(|span| (span, label));
        self
    }

    /// Writes the diagnostic as text; `source` is what the spans are offsets into.
    fn write(&self, source: &Source, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.span {
            Some(span) => {
                let at = source.position(span.start);
                writeln!(
                    f,
                    "{}:{}:{}: error: {}",
                    source.name(),
                    at.line,
                    at.column,
                    self.problem
                )?;
                write_excerpt(source, span, '^', "", f)?;
            }
            None => writeln!(f, "{}: error: {}", source.name(), self.problem)?,
        }
        if let Some((span, label)) = &self.related {
            write_excerpt(source, span, '-', label, f)?;
        }
        if let Some(help) = &self.help {
            writeln!(f, "  = help: {help}")?;
        }
        Ok(())
    }
}

fn write_excerpt(
    source: &Source,
    span: &Range<usize>,
    mark: char,
    label: &str,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    let line = source.position(span.start).line;
    let excerpt = source.excerpt(span);
    let number = line.to_string();
    let gutter = " ".repeat(number.len());
    let marks: String = std::iter::repeat_n(mark, excerpt.carets).collect();
    let underline = format!("{}{marks} {label}", " ".repeat(excerpt.indent));
    writeln!(f, "{gutter} |")?;
    writeln!(f, "{}", format!("{number} | {}", excerpt.line).trim_end())?;
    writeln!(f, "{gutter} | {}", underline.trim_end())
}

/// Everything that is wrong with one configuration. Displays as the text to print; never empty.
#[derive(Debug, Clone)]
pub struct ConfigErrors {
    source: Source,
    diagnostics: Vec<Diagnostic>,
    pub(crate) sound: Option<Box<SoundParts>>,
}

/// What is good of a configuration with errors, and where its values are.
#[derive(Debug, Clone)]
pub(crate) struct SoundParts {
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

    /// The arms, bodies and other tables without errors, with defaults for what is wrong at the
    /// top; `None` where the text is not TOML. What is wrong with the files that they name is true
    /// whatever else is mended.
    #[must_use]
    pub fn sound_parts(&self) -> Option<&Config> {
        self.sound.as_deref().map(|sound| &sound.config)
    }

    /// With what a user of [`sound_parts`](ConfigErrors::sound_parts) found, each at its place in
    /// the text.
    #[must_use]
    pub fn with_findings(self, findings: impl IntoIterator<Item = Finding>) -> ConfigErrors {
        let sound = self.sound.clone();
        let entries = sound.as_ref().map_or(&[][..], |sound| &sound.entries);
        self.with(findings.into_iter().map(|f| found(entries, f)))
    }

    /// The diagnostics in the order of the text.
    #[must_use]
    pub fn diagnostics(&self) -> &[Diagnostic] {
        &self.diagnostics
    }

    /// These as well.
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

    /// The text they are about.
    #[must_use]
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The diagnostics as a JSON array of `{file, line, column, key, message, help}`.
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
