//! What an experiment is, and what it reports.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// One experiment of the registry.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Unique name: `group-rest`, lower case; `group-all` runs a whole group.
    pub id: &'static str,
    /// One line for `lab list`.
    pub title: &'static str,
    /// Runs it with the words that followed the ID (without `--json`).
    pub run: fn(&Context) -> Result<Report, Failure>,
}

/// What an experiment is run with.
pub struct Context {
    /// The ID it was called by.
    pub id: &'static str,
    /// Words after the ID, without `--json`, `--quick` and `--mutant`.
    pub args: Vec<String>,
    /// Few cases, of those whose bars are kept: for tests.
    pub quick: bool,
    /// With the experiment's planted fault: it has to fall short.
    pub mutant: bool,
}

impl Context {
    /// Parses [`Context::args`] with a `clap` parser of the experiment's own. `--help` is answered
    /// too.
    pub fn parse<P: clap::Parser>(&self) -> Result<P, Failure> {
        let words =
            std::iter::once(format!("lab run {}", self.id)).chain(self.args.iter().cloned());
        P::try_parse_from(words).map_err(Failure::Arguments)
    }

    /// For an experiment that takes no arguments: refuses any.
    pub fn no_arguments(&self) -> Result<(), Failure> {
        match self.args.first() {
            None => Ok(()),
            Some(word) => Err(Failure::Input(format!(
                "{}: unexpected argument '{word}'",
                self.id
            ))),
        }
    }
}

/// Why an experiment gave no report.
#[derive(Debug)]
pub enum Failure {
    /// The arguments do not parse, or help was asked for; exit status 2 or 0.
    Arguments(clap::Error),
    /// The user's input is wrong: exit status 2.
    Input(String),
    /// It went wrong: exit status 1.
    Run(String),
}

/// The outcome of an experiment.
#[derive(Serialize)]
pub struct Report {
    /// Published values beside ours.
    pub rows: Vec<Row>,
    /// Whether what was published holds here.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Anything else a script may want, as further keys of the report object.
    #[serde(flatten)]
    pub more: Map<String, Value>,
    /// Remarks for people: the set-up, surrogate models, what differs from the source.
    pub notes: Vec<String>,
    /// Longer remarks for people only: a script has them in `more`.
    #[serde(skip)]
    pub details: Vec<String>,
}

/// One quantity.
#[derive(Serialize)]
pub struct Row {
    /// What was measured, and where.
    pub name: String,
    /// The unit of both values; empty for counts and ratios.
    pub unit: &'static str,
    /// What the source says, in its words or figures; `null` where it says nothing.
    pub published: Value,
    /// What we found.
    pub ours: Value,
    /// The value is a time that this machine took: another run gives another one.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed: bool,
    /// Further columns, in alphabetical order.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row {
    /// A row without further columns. Values in ns, us or ms count as [`timed`](Self::timed).
    pub fn new(
        name: impl Into<String>,
        unit: &'static str,
        published: impl Into<Value>,
        ours: impl Into<Value>,
    ) -> Self {
        Self {
            name: name.into(),
            unit,
            published: published.into(),
            ours: ours.into(),
            timed: matches!(unit, "ns" | "us" | "ms"),
            more: Map::new(),
        }
    }

    /// The same row as a time of this machine, in whatever unit.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }

    /// The same row with a further column.
    #[must_use]
    pub fn with(mut self, column: &str, value: impl Into<Value>) -> Self {
        self.more.insert(column.to_owned(), value.into());
        self
    }
}

/// Whether a claim holds, and why we say so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `true`: it holds.
    pub holds: bool,
    /// One or two sentences with the deciding numbers.
    pub why: String,
}

impl Verdict {
    /// A verdict on a condition.
    pub fn new(holds: bool, why: impl Into<String>) -> Self {
        Self {
            holds,
            why: why.into(),
        }
    }

    /// A verdict on so many rows, of which these missed their bar, each with its figures.
    pub fn on_rows(rows: usize, missed: &[String]) -> Self {
        let why = match missed {
            [] => format!("all {rows} rows within their bars"),
            _ => format!(
                "{} of {rows} miss their bar: {}",
                missed.len(),
                missed.join("; ")
            ),
        };
        Self::new(missed.is_empty(), why)
    }

    /// `"holds"` or `"falls short"`.
    pub fn word(&self) -> &'static str {
        if self.holds { "holds" } else { "falls short" }
    }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(Some(2))?;
        map.serialize_entry("verdict", self.word())?;
        map.serialize_entry("why", &self.why)?;
        map.end()
    }
}
