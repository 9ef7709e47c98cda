//! Generates the commented example file: every key with its documentation and default, all
//! commented out.

use std::fmt::Write;

use super::allowed;
use crate::key::{Case, Key, Kind, Literal, Section, one_line};
use crate::read::Tabular;
use crate::schema::Config;
use crate::value::Value;

/// A key, the value to show, and (for a tag) the cases that it chooses between.
type Leaf = (&'static Key, Option<Literal>, &'static [Case]);

/// Width of the wrapped comments, in columns.
const WIDTH: usize = 100;

/// Generates `config/hapticd.toml`. As it stands it means the defaults. Without the `#` in front of
/// every key and header (`#key` has no space, `# text` is text) it is a valid configuration as
/// well, but for what the kind of its body does not take.
#[must_use]
pub fn example() -> String {
    let mut out = String::from(
        "#:schema ./schema.json\n\
         #\n\
         # Configuration of hapticd. Generated from the key definitions: every key is here with its default.\n\
         # Remove the # in front of a key to change it, and in front of a [[header]] to add a table.\n\
         # `hapticd check FILE` reports what is wrong with a file; docs/config.md is the reference.\n",
    );
    for key in Config::SECTION.keys {
        match key.kind {
            Kind::Table(section) => {
                let _ = write!(out, "\n\n");
                comment(&mut out, section.doc);
                let _ = writeln!(out, "[{}]", key.name);
                keys(&mut out, key.name, section, None);
            }
            Kind::Tables { section, .. } => {
                let _ = write!(out, "\n\n");
                comment(&mut out, section.doc);
                let _ = writeln!(out, "#[[{}]]", key.name);
                keys(&mut out, key.name, section, None);
            }
            _ => {}
        }
    }
    out
}

/// Writes the keys of a table (with the tag `case`, if it has one): first its own, then its
/// sub-tables, as TOML requires.
fn keys(out: &mut String, header: &str, section: &'static Section, case: Option<Literal>) {
    let mut own = Vec::new();
    let mut tables = Vec::new();
    collect(section, case, &mut own, &mut tables);
    for key in own {
        leaf(out, key);
    }
    for (key, section) in tables {
        let header = format!("{header}.{}", key.name);
        out.push('\n');
        comment(out, key.doc);
        let _ = writeln!(out, "#[{header}]");
        keys(out, &header, section, key.example);
    }
}

/// Collects the keys that can stand together: those of the section and those of the tag's value
/// that the example shows.
fn collect(
    section: &'static Section,
    case: Option<Literal>,
    own: &mut Vec<Leaf>,
    tables: &mut Vec<(&'static Key, &'static Section)>,
) {
    enter(section.keys, own, tables);
    if let Some(variants) = &section.variants {
        let shown = case.or(variants.tag.shown());
        own.push((&variants.tag, shown, variants.cases));
        let shown = shown.map(Value::from);
        let name = shown.as_ref().and_then(Value::as_text);
        if let Some(case) = variants.cases.iter().find(|case| Some(case.name) == name) {
            enter(case.keys, own, tables);
        }
    }
}

fn enter(
    keys: &'static [Key],
    own: &mut Vec<Leaf>,
    tables: &mut Vec<(&'static Key, &'static Section)>,
) {
    for key in keys {
        match key.kind {
            Kind::Flatten(section) => collect(section, None, own, tables),
            Kind::Table(section) => tables.push((key, section)),
            _ => own.push((key, key.shown(), &[])),
        }
    }
}

fn leaf(out: &mut String, (key, value, cases): Leaf) {
    out.push('\n');
    comment(out, key.doc);
    if let Kind::Choice(choices) = key.kind {
        for choice in choices {
            let case = cases.iter().find(|case| case.name == choice.name);
            let with = case.map(with_keys).unwrap_or_default();
            comment(
                out,
                &format!("\"{}\": {}{with}", choice.name, one_line(choice.doc)),
            );
        }
    } else {
        let status = match (key.required, key.default) {
            (true, _) => ", required",
            (false, None) => ", unset by default",
            (false, Some(_)) => "",
        };
        comment(out, &format!("({}{status})", allowed(key)));
    }
    if let Some(value) = value {
        let _ = writeln!(out, "#{} = {}", key.name, Value::from(value));
    }
}

/// Lists the keys that come with one value of a tag, with example values, as a sentence.
fn with_keys(case: &Case) -> String {
    let keys = case.keys.iter().map(|key| match key.shown() {
        Some(value) => format!("{} = {}", key.name, Value::from(value).short()),
        None => format!("[{}]", key.name),
    });
    match keys.collect::<Vec<_>>().join(", ") {
        keys if keys.is_empty() => String::new(),
        keys => format!(" With {keys}."),
    }
}

/// Writes `text` as comment lines of at most [`WIDTH`] characters.
fn comment(out: &mut String, text: &str) {
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.chars().count() + 1 + word.chars().count() > WIDTH && line != "#" {
            let _ = writeln!(out, "{line}");
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    let _ = writeln!(out, "{line}");
}
