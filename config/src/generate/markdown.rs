//! Generates the reference, `docs/config.md`.

use std::fmt::Write;

use super::{allowed, reload};
use crate::key::{Case, Key, Kind, Section, one_line};
use crate::read::Tabular;
use crate::schema::Config;
use crate::value::Value;

const INTRODUCTION: &str = "\
<!-- Generated from config/src/schema. Do not edit: UPDATE_GENERATED=1 cargo test -p hapticd-config -->

# Configuration reference

`hapticd` reads one TOML file. `hapticd check FILE` reports everything that is wrong with it, each with line, column and a
hint, and opens no device; `hapticd check --effective FILE` prints every value and where it comes from; `hapticd schema`
prints a JSON Schema for editors.

* Units are in the names: `_n` newtons, `_nm` newton metres, `_m` metres, `_s`, `_ms`, `_us` seconds and parts of them,
  `_hz` per second, `_deg` degrees.
* A key that is not listed here is an error.
* Paths may name environment variables as in a shell: `$NAME`, `${NAME}`, `${NAME:-fallback}`; `$$` is a dollar sign.
  Relative paths start at the folder of the configuration file.
* **Reload** (SIGHUP, or the file changed) is all or nothing, at a tick boundary; after any error the old configuration stays.
  *live*: taken over. *lower only* / *raise only*: a safety limit, taken over if it becomes stricter. *restart*: a changed
  value refuses the reload. So does adding or removing an `[[arm]]`, `[[body]]` or `[[material]]`.
";

/// Generates the reference as Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut out = INTRODUCTION.to_owned();
    let mut printed = Vec::new();
    for key in Config::SECTION.keys {
        match key.kind {
            Kind::Table(section) => {
                let _ = write!(out, "\n## `[{}]`\n\n{}\n", key.name, sentences(key.doc));
                body(&mut out, key.name, section, &mut printed);
            }
            Kind::Tables { section, max } => {
                let doc = sentences(key.doc);
                let _ = write!(out, "\n## `[[{}]]`\n\n{doc} At most {max}.\n", key.name);
                body(&mut out, key.name, section, &mut printed);
            }
            _ => {}
        }
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
            let _ = writeln!(out, "* `\"{}\"`: {}", choice.name, sentences(choice.doc));
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
            "\n### `[{header}]`\n\n{}{required}\n",
            sentences(key.doc)
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
