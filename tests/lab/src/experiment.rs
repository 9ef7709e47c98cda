//! Definition of an experiment, and its report.

use serde::{Serialize, Serializer};
use serde_json::{Map, Value};

/// An experiment of the registry.
#[derive(Clone, Copy)]
pub struct Experiment {
    /// Unique name: `group-rest`, lower case; `group-all` runs a whole group.
    pub id: &'static str,
    /// One line for `lab list`.
    pub title: &'static str,
    /// What its verdict depends on.
    pub judges: Judges,
    /// Runs it with the words after the ID (without `--json`).
    pub run: fn(&Context) -> Result<Report, Failure>,
}

/// What the verdict of an experiment depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Judges {
    /// Counts, distances and forces, which are the same in every run. The words are those of a
    /// small run (`--quick`), at which `tests/verdicts.rs` holds it to its verdict.
    Counts(&'static [&'static str]),
    /// The same, and times of this machine ([`Verdict::and_time`]), which the test leaves out.
    CountsAndTime(&'static [&'static str]),
    /// Times of this machine alone.
    Time,
    /// The times of another program, which has to be there.
    Peer,
}

impl Judges {
    /// Returns the words of a small run, if anything is judged that no time decides.
    pub fn quick(self) -> Option<&'static [&'static str]> {
        match self {
            Self::Counts(words) | Self::CountsAndTime(words) => Some(words),
            Self::Time | Self::Peer => None,
        }
    }

    /// Returns its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Counts(_) => "counts",
            Self::CountsAndTime(_) => "counts and time",
            Self::Time => "time",
            Self::Peer => "peer",
        }
    }
}

/// Context of a run.
pub struct Context {
    /// ID by which it was called.
    pub id: &'static str,
    /// Words after the ID, without `--json`, `--quick` and `--mutant`.
    pub args: Vec<String>,
    /// Run few cases, those whose bars are met, or few frames: for tests.
    pub quick: bool,
    /// Run with the experiment's planted fault; it must then fall short.
    pub mutant: bool,
}

impl Context {
    /// Parses [`Context::args`] with the experiment's own `clap` parser, which also answers
    /// `--help`.
    pub fn parse<P: clap::Parser>(&self) -> Result<P, Failure> {
        let words =
            std::iter::once(format!("lab run {}", self.id)).chain(self.args.iter().cloned());
        P::try_parse_from(words).map_err(Failure::Arguments)
    }

    /// Refuses any arguments; for experiments that take none.
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

/// Reason why an experiment gave no report.
#[derive(Debug)]
pub enum Failure {
    /// The arguments do not parse, or help was requested; exit status 2 or 0.
    Arguments(clap::Error),
    /// The user's input is wrong: exit status 2.
    Input(String),
    /// The run failed: exit status 1.
    Run(String),
}

/// Result of an experiment.
#[derive(Serialize)]
pub struct Report {
    /// Published values next to ours.
    pub rows: Vec<Row>,
    /// Whether the published result holds here.
    #[serde(flatten)]
    pub verdict: Verdict,
    /// Further data for scripts, as keys of the report object.
    #[serde(flatten)]
    pub more: Map<String, Value>,
    /// Remarks for people: the set-up, surrogate models, differences from the source.
    pub notes: Vec<String>,
    /// Longer remarks for people only; scripts find them in `more`.
    #[serde(skip)]
    pub details: Vec<String>,
}

/// One quantity.
#[derive(Serialize)]
pub struct Row {
    /// Name of the quantity and of the case.
    pub name: String,
    /// The unit of both values; empty for counts and ratios.
    pub unit: &'static str,
    /// Value of the source, in its words or figures; `null` if it gives none.
    pub published: Value,
    /// Our value.
    pub ours: Value,
    /// True for a time on this machine, which differs from run to run.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub timed: bool,
    /// Further columns, in alphabetical order.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row {
    /// Makes a row without further columns. Values in ns, us or ms count as [`timed`](Self::timed).
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

    /// Marks the row as a time on this machine, in any unit.
    #[must_use]
    pub fn timed(mut self) -> Self {
        self.timed = true;
        self
    }

    /// Adds a column to the row.
    #[must_use]
    pub fn with(mut self, column: &str, value: impl Into<Value>) -> Self {
        self.more.insert(column.to_owned(), value.into());
        self
    }
}

/// Whether a claim holds, and the reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// `true` if it holds.
    pub holds: bool,
    /// One or two sentences with the deciding numbers.
    pub why: String,
    /// Where times of this machine are judged, too: whether all the rest holds.
    pub untimed: Option<bool>,
}

impl Verdict {
    /// Makes a verdict from a condition.
    pub fn new(holds: bool, why: impl Into<String>) -> Self {
        Self {
            holds,
            why: why.into(),
            untimed: None,
        }
    }

    /// Adds a condition on times of this machine, which `why` has to give, too. What was judged
    /// before must not depend on time.
    #[must_use]
    pub fn and_time(mut self, holds: bool) -> Self {
        self.untimed = Some(self.untimed.unwrap_or(self.holds));
        self.holds &= holds;
        self
    }

    /// Makes a verdict on this many rows, of which `missed` missed their bar, each with its
    /// figures.
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

    /// Returns `"holds"` or `"falls short"`.
    pub fn word(&self) -> &'static str {
        word(self.holds)
    }
}

fn word(holds: bool) -> &'static str {
    if holds { "holds" } else { "falls short" }
}

impl Serialize for Verdict {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        use serde::ser::SerializeMap;
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("verdict", self.word())?;
        if let Some(holds) = self.untimed {
            map.serialize_entry("verdict_untimed", word(holds))?;
        }
        map.serialize_entry("why", &self.why)?;
        map.end()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_time_that_falls_short_leaves_the_rest_as_it_is() {
        for (rest, time) in [(true, true), (true, false), (false, true), (false, false)] {
            let verdict = Verdict::new(rest, "").and_time(time);
            assert_eq!((verdict.holds, verdict.untimed), (rest && time, Some(rest)));
            let twice = verdict.and_time(time);
            assert_eq!((twice.holds, twice.untimed), (rest && time, Some(rest)));
        }
    }
}
