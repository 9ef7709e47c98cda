//! The effective configuration: every key with its value and the origin of the value.
//!
//! Filled while the file is read, in the order of the schema. Cross checks, reload comparison and
//! `check --effective` work on this list, so they need no second description of the keys.

use std::fmt;
use std::ops::Range;

use crate::key::Key;
use crate::source::Source;
use crate::value::Value;

/// Where a value comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// The schema's default; the file does not give the key.
    Default,
    /// The file, at these bytes.
    File(Range<usize>),
}

impl Origin {
    /// Returns where in the text the value is.
    #[must_use]
    pub fn span(&self) -> Option<Range<usize>> {
        match self {
            Origin::Default => None,
            Origin::File(span) => Some(span.clone()),
        }
    }
}

/// One step of a [`TablePath`].
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Segment {
    /// A table.
    Table(&'static str),
    /// An element of an array of tables, with its name.
    Named(&'static str, String),
    /// An element of an array of tables without a usable name, with its index.
    Indexed(&'static str, usize),
}

/// Path of the table that a key is in, for example `arm.right.tool`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TablePath(pub Vec<Segment>);

impl TablePath {
    pub(crate) fn child(&self, segment: Segment) -> TablePath {
        let mut segments = self.0.clone();
        segments.push(segment);
        TablePath(segments)
    }

    /// Returns the table as an error names it: `[loop]`, `[[arm]] "right"`, `[arm.tool]`.
    #[must_use]
    pub fn place(&self) -> String {
        match self.0.last() {
            None => "the file".to_owned(),
            Some(Segment::Named(key, name)) => format!("[[{key}]] \"{name}\""),
            Some(Segment::Indexed(key, index)) => format!("[[{key}]] number {}", index + 1),
            Some(Segment::Table(_)) => format!("[{}]", self.header()),
        }
    }

    /// Returns the table as its TOML header writes it, without brackets: `arm.tool`.
    #[must_use]
    pub fn header(&self) -> String {
        let keys: Vec<_> = self.0.iter().map(Segment::key).collect();
        keys.join(".")
    }

    /// Returns whether the table is an element of the top-level array `key`, or inside one.
    #[must_use]
    pub fn is_within(&self, key: &str) -> bool {
        self.0.first().is_some_and(|first| first.key() == key)
    }

    /// Returns the path of `key` in this table: `arm.right.tool.radius_m`.
    #[must_use]
    pub fn with(&self, key: &str) -> String {
        if self.0.is_empty() {
            key.to_owned()
        } else {
            format!("{self}.{key}")
        }
    }
}

impl Segment {
    /// Returns the TOML key of the table.
    #[must_use]
    pub fn key(&self) -> &'static str {
        match self {
            Segment::Table(key) | Segment::Named(key, _) | Segment::Indexed(key, _) => key,
        }
    }

    fn is_element(&self) -> bool {
        !matches!(self, Segment::Table(_))
    }
}

impl fmt::Display for TablePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, segment) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(".")?;
            }
            match segment {
                Segment::Table(key) => f.write_str(key)?,
                Segment::Named(key, name) => write!(f, "{key}.{name}")?,
                Segment::Indexed(key, index) => write!(f, "{key}[{index}]")?,
            }
        }
        Ok(())
    }
}

/// One key of the effective configuration.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Table that the key is in.
    pub table: TablePath,
    /// Definition of the key.
    pub key: &'static Key,
    /// Value of the key; texts as written, before environment variables are substituted.
    pub value: Value,
    /// Where the value comes from.
    pub origin: Origin,
}

impl Entry {
    /// Returns the key with its table, for example `safety.peak_force_n`.
    #[must_use]
    pub fn path(&self) -> String {
        self.table.with(self.key.name)
    }
}

/// Writes the entries as TOML that reads back as the same configuration, each line with its origin.
#[must_use]
pub fn effective_toml(entries: &[&Entry], source: &Source) -> String {
    let mut tables: Vec<&TablePath> = Vec::new();
    for entry in entries {
        if !tables.contains(&&entry.table) {
            tables.push(&entry.table);
        }
    }
    let mut out = String::new();
    for table in tables {
        let header = table.header();
        match table.0.last() {
            None => {}
            Some(last) if last.is_element() => out.push_str(&format!("\n[[{header}]]\n")),
            Some(_) => out.push_str(&format!("\n[{header}]\n")),
        }
        for entry in entries.iter().filter(|entry| &entry.table == table) {
            let origin = match &entry.origin {
                Origin::Default => "default".to_owned(),
                Origin::File(span) => {
                    format!("{}:{}", source.name(), source.position(span.start).line)
                }
            };
            let line = match &entry.value {
                Value::Unset => format!("# {} is not set", entry.key.name),
                value => format!("{} = {value}", entry.key.name),
            };
            out.push_str(&format!("{line:<44} # {origin}\n"));
        }
    }
    out.trim_start().to_owned()
}

/// Writes the entries as a JSON array of `{key, value, unit, origin}`; `origin` is `"default"` or
/// `{file, line, column}`.
#[must_use]
pub fn effective_json(entries: &[&Entry], source: &Source) -> serde_json::Value {
    (entries.iter())
        .map(|entry| {
            let origin = match &entry.origin {
                Origin::Default => "default".into(),
                Origin::File(span) => {
                    let at = source.position(span.start);
                    serde_json::json!({
                        "file": source.name(), "line": at.line, "column": at.column
                    })
                }
            };
            serde_json::json!({
                "key": entry.path(),
                "value": entry.value.to_json(),
                "unit": entry.key.unit,
                "origin": origin,
            })
        })
        .collect()
}
