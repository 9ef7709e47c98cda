//! Everything that can be wrong with a configuration, with the numbers, and how it is shown to the
//! person who wrote it.
//!
//! Every check appends [`Diagnostic`]s to one list, so that one run reports everything. The text is
//! plain: `file:line:column: error: message`, the line itself, carets, and a hint if there is one.
//! Never panics.

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;

use crate::key::Stricter;
use crate::source::Source;
use crate::value::Value;

/// One thing that is wrong with a configuration.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum Problem {
    /// The text is not TOML.
    #[error("{message}")]
    Syntax {
        /// Message of the TOML parser.
        message: String,
    },
    /// The file is not UTF-8.
    #[error("the file is not UTF-8: byte {offset} ({byte:#04x}) is not part of a character")]
    NotUtf8 {
        /// Offset of the first invalid byte.
        offset: usize,
        /// Value of that byte.
        byte: u8,
    },
    /// The file is longer than a configuration can be.
    #[error("the file is longer than {max} bytes")]
    TooLong {
        /// Largest accepted size, in bytes.
        max: usize,
    },
    /// The schema has no such key in this table.
    #[error("unknown key `{}` in {place}", cut(key))]
    UnknownKey {
        /// Name of the key.
        key: String,
        /// Table that the key is in.
        place: String,
    },
    /// The key exists, but not with this value of the table's tag.
    #[error("`{key}` does not apply to {tag} = \"{value}\"")]
    NotApplicable {
        /// Name of the key.
        key: String,
        /// Name of the tag.
        tag: &'static str,
        /// Value of the tag.
        value: String,
    },
    /// As `NotApplicable`, for a key that this value of the tag refuses for a reason worth telling.
    #[error("{place}: `{key}` = {asked} is refused for {tag} = \"{value}\": {why}")]
    Refused {
        /// Table that the key is in.
        place: String,
        /// Name of the key.
        key: &'static str,
        /// What the file asks for, with its unit.
        asked: String,
        /// Name of the tag.
        tag: &'static str,
        /// Value of the tag.
        value: String,
        /// Reason for the refusal.
        why: &'static str,
    },
    /// A required key is missing.
    #[error("{place} needs the key `{key}`")]
    Missing {
        /// Name of the key.
        key: &'static str,
        /// Table that lacks it.
        place: String,
    },
    /// The value has the wrong type.
    #[error("`{key}` must be {expected}, not {found}")]
    WrongType {
        /// Name of the key.
        key: &'static str,
        /// Type that it must have.
        expected: String,
        /// Type that it has.
        found: &'static str,
    },
    /// A number that no machine type holds.
    #[error("`{key}` = {} does not fit into 64 bits", cut(text))]
    TooLarge {
        /// Name of the key.
        key: &'static str,
        /// Number as written.
        text: String,
    },
    /// A number that is infinite or NaN.
    #[error("`{key}` must be a finite number, not {}", cut(text))]
    NotFinite {
        /// Name of the key.
        key: &'static str,
        /// Number as written.
        text: String,
    },
    /// A number outside its range.
    #[error(
        "`{key}` = {} is {} {}",
        value.short(), side(value, min),
        limit(value, min, max, unit)
    )]
    OutOfRange {
        /// Name of the key.
        key: &'static str,
        /// Value in the file.
        value: Value,
        /// Smallest allowed value.
        min: Value,
        /// Largest allowed value.
        max: Value,
        /// Unit of all three.
        unit: Option<&'static str>,
    },
    /// An array with too many or too few elements.
    #[error("`{key}` must have {expected} numbers, not {found}")]
    WrongCount {
        /// Name of the key.
        key: &'static str,
        /// Number of elements that it must have.
        expected: usize,
        /// Number of elements that it has.
        found: usize,
    },
    /// A direction of length zero.
    #[error("`{key}` gives no direction: all three numbers are zero")]
    NoDirection {
        /// Name of the key.
        key: &'static str,
    },
    /// A word that is not among the allowed ones.
    #[error("`{key}` cannot be \"{}\"", cut(value))]
    NotAllowed {
        /// Name of the key.
        key: &'static str,
        /// Word in the file.
        value: String,
    },
    /// An identifier of wrong length, or with characters other than letters, digits, `_` and `-`.
    #[error(
        "`{key}` = \"{}\" is not a name: 1 to 63 of A-Z a-z 0-9 _ - are allowed",
        cut(value)
    )]
    NotAName {
        /// Name of the key.
        key: &'static str,
        /// Text in the file.
        value: String,
    },
    /// A text that is too long or holds control characters.
    #[error("`{key}` must be 1 to {max} printable characters, not {found}")]
    BadText {
        /// Name of the key.
        key: &'static str,
        /// Largest allowed number of characters.
        max: usize,
        /// Number of characters. Control characters are refused whatever the number.
        found: usize,
    },
    /// A path names an environment variable that is not set and has no fallback.
    #[error("`{key}` uses ${{{}}}, which is not set", cut(variable))]
    UnsetVariable {
        /// Name of the key.
        key: &'static str,
        /// Name of the variable.
        variable: String,
    },
    /// A path with a `$` that does not start a variable.
    #[error("`{key}` has a `$` at character {at} that starts no variable")]
    BadVariable {
        /// Name of the key.
        key: &'static str,
        /// Position of the `$` in the text, from 1.
        at: usize,
    },
    /// A socket path longer than the kernel accepts.
    #[error("`{key}` is {bytes} bytes long once expanded; a unix socket path has at most {max}")]
    SocketPathTooLong {
        /// Name of the key.
        key: &'static str,
        /// Length of the path in bytes.
        bytes: usize,
        /// Limit of the kernel in bytes.
        max: usize,
    },
    /// More tables than the daemon handles.
    #[error("there are {found} [[{table}]] tables; at most {max} are handled")]
    TooManyTables {
        /// Name of the array.
        table: &'static str,
        /// Number of tables in the file.
        found: usize,
        /// Largest allowed number.
        max: usize,
    },
    /// Two entries share a value that must be unique.
    #[error("{what} \"{}\" is used twice", cut(value))]
    Duplicate {
        /// What the value is, for example "the arm name".
        what: &'static str,
        /// Value that they share.
        value: String,
    },
    /// A reference to something that is not defined.
    #[error("there is no [[{table}]] named \"{value}\"")]
    Undefined {
        /// Array of tables that should define it.
        table: &'static str,
        /// Name in the reference.
        value: String,
    },
    /// One value exceeds another that limits it.
    #[error("`{key}` = {} is above `{limit_key}` = {}", value.short(), limit.short())]
    Exceeds {
        /// Name of the key.
        key: &'static str,
        /// Value of the key.
        value: Value,
        /// Name of the key that limits it.
        limit_key: &'static str,
        /// Value of the limit.
        limit: Value,
    },
    /// A hole as wide as its block.
    #[error("`hole_radius_m` = {radius_m} leaves no wall in a block that is {edge_m} m wide")]
    HoleTooLarge {
        /// Radius of the hole, m.
        radius_m: f64,
        /// Smaller of the block's edges across the hole, m.
        edge_m: f64,
    },
    /// `loop.clock = "device"` without a device that could be the clock.
    #[error(
        "`clock` = \"device\" needs an [[arm]] of kind \"hid\": {arms} arms, none of them has a clock"
    )]
    NoDeviceClock {
        /// Number of arms.
        arms: usize,
    },
    /// An exact sphere given as the shape of a body.
    #[error("a body cannot have the shape \"sphere\": an exact sphere is a tool")]
    SphereBody,
    /// A motion on a body that is not kinematic.
    #[error("a {kind} body cannot have the motion \"{motion}\"")]
    MotionNotKinematic {
        /// Kind of the body.
        kind: String,
        /// Kind of the motion.
        motion: String,
    },
    /// Pins that a body of this kind cannot have.
    #[error("a {kind} body cannot be pinned by its \"{pinned}\"")]
    InvalidPins {
        /// Kind of the body.
        kind: String,
        /// Value of `pinned`.
        pinned: String,
    },
    /// Several copies of a body that is not a crowd.
    #[error("a {kind} body cannot have {copies} copies")]
    CopiesNotCrowd {
        /// Kind of the body.
        kind: String,
        /// Value of `copies`.
        copies: f64,
    },
    /// A crowd whose copies would have names that are too long.
    #[error(
        "the crowd \"{name}\" and the number of a copy make a name longer than {max} characters"
    )]
    CrowdNameTooLong {
        /// Name of the crowd.
        name: String,
        /// Longest name of a body.
        max: usize,
    },
    /// A dynamic body, or a body of a crowd, without an inside and so without mass.
    #[error("a body that only forces move must be solid")]
    DynamicNotSolid,
    /// Something that a planar scene cannot hold.
    #[error("{found} in a planar scene: {wanted}")]
    NotPlanar {
        /// What the file has.
        found: String,
        /// What a planar scene allows.
        wanted: &'static str,
    },
    /// A planar shape in a scene that is mostly not planar.
    #[error("the shape \"{shape}\" makes the scene planar, and {others} have other shapes")]
    OddPlanar {
        /// Kind of the shape.
        shape: String,
        /// Bodies and tools that are not planar, by name.
        others: String,
    },
    /// A pose of a hand's track that does not come after the pose before it.
    #[error("`t_s` = {t_s} s is not later than {before_s} s, the time of the pose before it")]
    NotLater {
        /// Time of the pose, s.
        t_s: f64,
        /// Time of the pose before it, s.
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
        /// Name of the key.
        key: &'static str,
        /// Path after expansion.
        path: String,
        /// Error message of the system.
        reason: String,
    },
    /// A value names or asks for something unusable, as found by the code that uses it: a mesh, a
    /// profile, a limit.
    #[error("{message}")]
    Unusable {
        /// Key at fault, as entries write it, if it is a single key.
        key: Option<String>,
        /// Message of the code that found it.
        message: String,
    },
    /// A reload that would loosen a safety limit.
    #[error(
        "{path} = {} is looser than the running {} ({} is stricter): loosening a safety limit needs a restart",
        new.short(),
        old.short(),
        direction(stricter)
    )]
    Loosens {
        /// Key with its table.
        path: String,
        /// Running value.
        old: Value,
        /// Value in the file.
        new: Value,
        /// Direction that is stricter.
        stricter: Stricter,
    },
    /// A reload that changes a value that is read only at start.
    #[error("{path} = {} differs from the running {}: changing it needs a restart", new.short(), old.short())]
    NeedsRestart {
        /// Key with its table.
        path: String,
        /// Running value.
        old: Value,
        /// Value in the file.
        new: Value,
    },
    /// A reload that adds or removes a table.
    #[error("{path} was {}: that needs a restart", if *.added { "added" } else { "removed" })]
    TableChanged {
        /// Path of the table.
        path: String,
        /// True if the table was added, false if it was removed.
        added: bool,
    },
}

impl Problem {
    /// Returns the key at fault; for a [`Finding`](crate::Finding), with its table.
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

/// Longest text of the file that a message repeats, in characters.
const SHOWN_CHARS: usize = 80;

/// Shortens a text of the file for a message.
pub(crate) fn cut(text: &str) -> Cow<'_, str> {
    match text.char_indices().nth(SHOWN_CHARS) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
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

/// Formats `value` with its unit.
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

/// A problem, where it is, and what to do about it.
#[derive(Debug, Clone, PartialEq)]
pub struct Diagnostic {
    /// What is wrong.
    pub problem: Problem,
    /// Bytes of the text that it is about; `None` if the text has no such place (a default, a
    /// removed table).
    pub span: Option<Range<usize>>,
    /// Another place that explains the problem, and its label.
    pub related: Option<(Range<usize>, &'static str)>,
    /// Hint: what to do.
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

    /// Writes the diagnostic as text; `source` is the text that the spans point into.
    pub(crate) fn write(&self, source: &Source, f: &mut fmt::Formatter<'_>) -> fmt::Result {
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
