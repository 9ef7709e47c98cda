//! Generates the reference, `docs/config.md`.

use std::fmt::Write;

use super::{allowed, reload};
use crate::key::{Case, Key, Kind, Section, one_line};
use crate::read::Tabular;
use crate::schema::Config;
use crate::value::Value;

const INTRODUCTION: &str = "\
<!-- Generated from config/src/schema: UPDATE_GENERATED=1 cargo test -p hapticd-config -->

# Configuration reference

`hapticd` reads one TOML file. `hapticd check FILE` reports everything that is wrong with it, each
with line, column and a hint, and opens no device. `hapticd check --effective FILE` prints every
value and its source. `hapticd schema` prints a JSON Schema for editors. [A first
scene](first-scene.md) begins with ten lines.

* Units are in the names: `_n` newtons, `_nm` newton metres, `_m` metres, `_s`, `_ms`, `_us` seconds
  and parts of them, `_hz` per second, `_deg` degrees.
* A key that is not listed here is an error.
* Paths may name environment variables as in a shell: `$NAME`, `${NAME}`, `${NAME:-fallback}`; `$$`
  is a dollar sign. Relative paths start at the folder of the configuration file.
* **Reload** (SIGHUP, or the file changed) is all or nothing, at a tick boundary. After any error
  the old configuration stays. *live*: taken over. *lower only* / *raise only*: a safety limit,
  taken over if it becomes stricter. *restart*: a changed value blocks the reload. So does adding
  or removing an `[[arm]]`, `[[body]]` or `[[material]]`.
";

/// Sections in the order of the reference, those that a first file needs first, each with an
/// example. A file with all examples is valid (`tests/suite/generated.rs`).
pub const EXAMPLES: &[(&str, &str)] = &[
    (
        "arm",
        "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"press\"\n\
         tool = { kind = \"sphere\", radius_m = 0.005 }\n",
    ),
    (
        "body",
        "[[body]]\nname = \"table\"\nmaterial = \"rubber\"\nposition_m = [0.0, 0.0, -0.02]\n\
         shape = { kind = \"plate\", size_m = [0.3, 0.3] }\n",
    ),
    (
        "material",
        "[[material]]\nname = \"rubber\"\nstiffness_n_per_m = 500.0\nfriction_coefficient = 0.6\n",
    ),
    (
        "safety",
        "[safety]\npeak_force_n = 2.0\ncontinuous_force_n = 1.0\nramp_s = 2.0\n",
    ),
    ("loop", "[loop]\nrate_hz = 2000\nspin_us = 100\n"),
    (
        "collision",
        "[collision]\nbackend = \"cpu\"\nbroad_phase = \"kinetic\"\n",
    ),
    ("dynamics", "[dynamics]\ngravity_m_s2 = [0.0, 0.0, -1.62]\n"),
    (
        "deformable",
        "[deformable]\nstep_ticks = 4\nsubsteps = 10\ncontinuous = \"hold\"\n",
    ),
    (
        "layer",
        "[[body]]\nname = \"thigh\"\nkind = \"tissue\"\nposition_m = [0.0, 0.0, -0.2]\n\
         shape = { kind = \"cuboid\", size_m = [0.1, 0.1, 0.05] }\n\n[[layer]]\nname = \"skin\"\nthickness_m = 0.002\nstiffness_n_per_m = 900.0\n\
         puncture_force_n = 1.5\n",
    ),
    ("skin", "[skin]\nrate_hz = 60\nmax_triangles = 20000\n"),
    ("ipc", "[ipc]\nmax_clients = 4\nlease_ms = 100\n"),
    ("record", "[record]\npath = \"runs/run.mcap\"\n"),
    ("log", "[log]\nlevel = \"debug\"\n"),
];

/// Generates the reference as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = INTRODUCTION.to_owned();
    let keys = || {
        let key = |name: &str| Config::SECTION.keys.iter().find(|key| key.name == name);
        EXAMPLES
            .iter()
            .filter_map(move |(name, example)| Some((key(name)?, *example)))
    };
    out.push_str("\n## Contents\n\nA first file needs the first three.\n\n");
    for (key, _) in keys() {
        let header = header(key);
        let line = format!("* [`{header}`](#{}): {}", key.name, first_sentence(key.doc));
        let _ = writeln!(out, "{}", wrapped(&line, "  "));
    }
    let mut printed = Vec::new();
    for (key, example) in keys() {
        let _ = write!(out, "\n## `{}`\n\n", header(key));
        let (section, doc) = match key.kind {
            Kind::Table(section) => (section, sentences(key.doc)),
            Kind::Tables { section, max } => {
                (section, format!("{} At most {max}.", sentences(key.doc)))
            }
            _ => continue,
        };
        let _ = write!(out, "{}\n\n```toml\n{example}```\n", wrapped(&doc, ""));
        body(&mut out, key.name, section, &mut printed);
    }
    out
}

fn header(key: &Key) -> String {
    match key.kind {
        Kind::Tables { .. } => format!("[[{}]]", key.name),
        _ => format!("[{}]", key.name),
    }
}

fn first_sentence(text: &str) -> String {
    let text = sentences(text);
    text.split_once(". ")
        .map_or(text.clone(), |(first, _)| format!("{first}."))
}

/// Breaks a paragraph at 100 columns; every line but the first begins with `indent`.
fn wrapped(text: &str, indent: &str) -> String {
    let mut out = String::new();
    let mut column = 0;
    for word in text.split(' ') {
        let length = word.chars().count();
        if column > 0 && column + 1 + length > 100 {
            out.push('\n');
            out.push_str(indent);
            column = indent.len();
        } else if column > 0 {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out
}

/// The parts of a section, in the order in which they are printed.
#[derive(Default)]
struct Parts {
    own: Vec<&'static Key>,
    choices: Vec<&'static Key>,
    tables: Vec<(&'static Key, &'static Section)>,
    cases: Vec<(&'static Key, &'static Case)>,
}

impl Parts {
    fn add(&mut self, keys: &'static [Key]) {
        for key in keys {
            match key.kind {
                Kind::Flatten(section) => self.add_section(section),
                Kind::Table(section) => self.tables.push((key, section)),
                Kind::Choice(_) => {
                    self.own.push(key);
                    self.choices.push(key);
                }
                _ => self.own.push(key),
            }
        }
    }

    fn add_section(&mut self, section: &'static Section) {
        self.add(section.keys);
        if let Some(variants) = &section.variants {
            self.add(std::slice::from_ref(&variants.tag));
            for case in variants.cases {
                self.cases.push((&variants.tag, case));
            }
        }
    }
}

/// Tables already described: their documentation and their place.
type DescribedTables = Vec<(&'static str, String)>;

fn body(out: &mut String, header: &str, section: &'static Section, printed: &mut DescribedTables) {
    let mut parts = Parts::default();
    parts.add_section(section);
    rows(out, &parts.own);
    for key in &parts.choices {
        let Kind::Choice(choices) = key.kind else {
            continue;
        };
        let _ = write!(out, "\n`{}`:\n\n", key.name);
        for choice in choices {
            let line = format!("* `\"{}\"`: {}", choice.name, sentences(choice.doc));
            let _ = writeln!(out, "{}", wrapped(&line, "  "));
        }
    }
    for (tag, case) in &parts.cases {
        if case.keys.is_empty() {
            continue;
        }
        let _ = write!(out, "\nWith `{} = \"{}\"`:\n", tag.name, case.name);
        let mut inner = Parts::default();
        inner.add(case.keys);
        rows(out, &inner.own);
        parts.tables.extend(inner.tables);
    }
    for (key, section) in parts.tables {
        let header = format!("{header}.{}", key.name);
        let required = if key.required { " Required." } else { "" };
        let _ = write!(
            out,
            "\n### `[{header}]`\n\n{}\n",
            wrapped(&format!("{}{required}", sentences(key.doc)), "")
        );
        // A table that stands in two places is described once. Its documentation identifies it.
        if let Some((_, place)) = printed.iter().find(|(doc, _)| *doc == section.doc) {
            let _ = write!(out, "\nThe keys are those of `[{place}]` above.\n");
            continue;
        }
        printed.push((section.doc, header.clone()));
        body(out, &header, section, printed);
    }
}

fn rows(out: &mut String, keys: &[&'static Key]) {
    if keys.is_empty() {
        return;
    }
    out.push_str("\n| key | default | allowed | reload | meaning |\n|---|---|---|---|---|\n");
    for key in keys {
        let default = match (key.default, key.required) {
            (Some(default), _) => format!("`{}`", Value::from(default)),
            (None, true) => "*required*".to_owned(),
            (None, false) => "unset".to_owned(),
        };
        let _ = writeln!(
            out,
            "| `{}` | {default} | {} | {} | {} |",
            key.name,
            allowed(key),
            reload(key),
            sentences(key.doc),
        );
    }
}

fn sentences(text: &str) -> String {
    one_line(text).replace('|', "\\|")
}
