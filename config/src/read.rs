//! Reads a TOML tree by the schema: types, ranges, unknown keys, defaults and origins, in one pass
//! that reports everything it finds.
//!
//! A [`Cursor`] stands on one table. The schema's types ask it for their keys; a key that no type
//! asked for is unknown. Recursion is as deep as the schema, not as the input. Never panics.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::PathBuf;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::context::{Context, ExpandError};
use crate::diagnostic::{Diagnostic, Problem, with_unit};
use crate::effective::{Entry, Origin, Segment, TablePath};
use crate::key::{Case, Key, Kind, PathUse, SOCKET_PATH_MAX, Section};
use crate::value::Value;
use crate::{decode, suggest};

/// Collects entries and diagnostics of a whole file.
pub(crate) struct Reader<'a> {
    pub(crate) context: &'a Context<'a>,
    /// All keys of the configuration: where a key that is unknown here may belong.
    schema: &'static Section,
    pub(crate) diagnostics: Vec<Diagnostic>,
    pub(crate) entries: Vec<Entry>,
    /// Leaves out what is wrong instead of failing: elements of arrays, and top-level tables, which
    /// become their defaults.
    lenient: bool,
    /// Whether to keep a list of the entries.
    listed: bool,
}

/// Stands on one table of the file, or on the place where an absent table would be.
pub struct Cursor<'r, 'a, 't> {
    reader: &'r mut Reader<'a>,
    table: Option<&'t DeTable<'t>>,
    /// Where the table starts; errors about missing keys point here.
    header: Option<Range<usize>>,
    path: TablePath,
    /// Keys that were asked for.
    known: Vec<&'static str>,
    /// The tag of a table with variants and its case, once known.
    tag: Option<(&'static Key, &'static Case)>,
    /// The tag is wrong or missing, so it is unknown which keys apply.
    tag_unknown: bool,
}

/// A type made from the keys of a table.
pub trait Tabular: Sized {
    /// The definition of the keys.
    const SECTION: &'static Section;

    /// Reads the keys from the table under `cursor`. Returns `None` if an error was reported.
    #[doc(hidden)]
    fn read_keys(cursor: &mut Cursor<'_, '_, '_>) -> Option<Self>;
}

impl<'a> Reader<'a> {
    pub(crate) fn new(context: &'a Context<'a>, schema: &'static Section) -> Reader<'a> {
        Reader {
            context,
            schema,
            diagnostics: Vec::new(),
            entries: Vec::new(),
            lenient: false,
            listed: true,
        }
    }

    /// Makes a reader that keeps no list of the entries, for files with very many.
    pub(crate) fn unlisted(context: &'a Context<'a>, schema: &'static Section) -> Reader<'a> {
        Reader {
            listed: false,
            ..Reader::new(context, schema)
        }
    }

    /// Makes a reader that keeps the sound parts of a file with errors.
    pub(crate) fn lenient(context: &'a Context<'a>, schema: &'static Section) -> Reader<'a> {
        Reader {
            lenient: true,
            ..Reader::new(context, schema)
        }
    }

    /// Reads the whole file as a `T`. Returns `None` if an error was reported.
    pub(crate) fn read<T: Tabular>(&mut self, root: &DeTable<'_>) -> Option<T> {
        self.enter::<T>(Some(root), None, TablePath::default())
    }

    fn enter<T: Tabular>(
        &mut self,
        table: Option<&DeTable<'_>>,
        header: Option<Range<usize>>,
        path: TablePath,
    ) -> Option<T> {
        let mut cursor = Cursor {
            reader: self,
            table,
            header,
            path,
            known: Vec::new(),
            tag: None,
            tag_unknown: false,
        };
        let value = T::read_keys(&mut cursor);
        cursor.report_unknown_keys(T::SECTION);
        value
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.diagnostics.push(diagnostic);
    }
}

impl<'t> Cursor<'_, '_, 't> {
    /// Returns the value of the leaf `key`: from the file, else the default, else unset. `None` if
    /// an error was reported.
    pub(crate) fn leaf(&mut self, key: &'static Key) -> Option<Value> {
        self.known.push(key.name);
        let (value, origin) = match self.get(key.name) {
            Some(item) => match decode::decode(key, item) {
                Ok(value) => (value, Origin::File(item.span())),
                Err(diagnostic) => {
                    self.reader.report(*diagnostic);
                    return None;
                }
            },
            None if key.required => {
                self.report_missing(key);
                return None;
            }
            None => {
                let default = key.default.map_or(Value::Unset, Into::into);
                (default, Origin::Default)
            }
        };
        if self.reader.listed {
            self.reader.entries.push(Entry {
                table: self.path.clone(),
                key,
                value: value.clone(),
                origin,
            });
        }
        Some(value)
    }

    /// Returns the table `key` (or, if flattened, this table) as a `T`.
    pub(crate) fn table<T: Tabular>(&mut self, key: &'static Key) -> Option<T> {
        if let Kind::Flatten(_) = key.kind {
            return T::read_keys(self);
        }
        self.known.push(key.name);
        let path = self.path.child(Segment::Table(key.name));
        match self.get(key.name) {
            Some(item) => match item.get_ref() {
                DeValue::Table(table) => {
                    let read = self
                        .reader
                        .enter(Some(table), Some(item.span()), path.clone());
                    let is_optional = self.reader.lenient && self.path.0.is_empty();
                    read.or_else(|| is_optional.then(|| self.reader.enter(None, None, path))?)
                }
                other => {
                    let problem = Problem::WrongType {
                        key: key.name,
                        expected: "a table".to_owned(),
                        found: decode::type_of(other),
                    };
                    let header = path.header();
                    let help = match other {
                        DeValue::Array(_) => {
                            format!("write it as [{header}], with single brackets")
                        }
                        _ => format!("write `{} = {{ ... }}` or [{header}]", key.name),
                    };
                    let diagnostic = Diagnostic::new(problem, Some(item.span()));
                    self.reader.report(diagnostic.help(help));
                    None
                }
            },
            None if key.required => {
                self.report_missing(key);
                None
            }
            None => self.reader.enter(None, self.header.clone(), path),
        }
    }

    /// Returns the array of tables `key`, each as a `T`. `None` if an error was reported in any of
    /// them.
    pub(crate) fn tables<T: Tabular>(&mut self, key: &'static Key) -> Option<Vec<T>> {
        self.known.push(key.name);
        let Some(item) = self.get(key.name) else {
            return Some(Vec::new());
        };
        let max = match key.kind {
            Kind::Tables { max, .. } => max,
            _ => usize::MAX,
        };
        let DeValue::Array(array) = item.get_ref() else {
            let problem = Problem::WrongType {
                key: key.name,
                expected: "an array of tables".to_owned(),
                found: decode::type_of(item.get_ref()),
            };
            let help = format!("write [[{}]], with double brackets", key.name);
            let diagnostic = Diagnostic::new(problem, Some(item.span()));
            self.reader.report(diagnostic.help(help));
            return None;
        };
        if array.len() > max {
            let problem = Problem::TooManyTables {
                table: key.name,
                found: array.len(),
                max,
            };
            let span = array.get(max).map(Spanned::span);
            self.reader.report(Diagnostic::new(problem, span));
            return None;
        }
        let mut seen = BTreeSet::new();
        let mut all = Some(Vec::with_capacity(array.len()));
        for (index, element) in array.iter().enumerate() {
            let DeValue::Table(table) = element.get_ref() else {
                let problem = Problem::WrongType {
                    key: key.name,
                    expected: "an array of tables".to_owned(),
                    found: decode::type_of(element.get_ref()),
                };
                self.reader
                    .report(Diagnostic::new(problem, Some(element.span())));
                all = None;
                continue;
            };
            let name = table.get("name").and_then(|name| name.get_ref().as_str());
            let segment = match name {
                Some(name) if decode::is_name(name) && seen.insert(name.to_owned()) => {
                    Segment::Named(key.name, name.to_owned())
                }
                _ => Segment::Indexed(key.name, index),
            };
            let path = self.path.child(segment);
            let read = self
                .reader
                .enter::<T>(Some(table), Some(element.span()), path);
            match (read, &mut all) {
                (Some(value), Some(list)) => list.push(value),
                _ if self.reader.lenient => {}
                _ => all = None,
            }
        }
        all
    }

    /// Returns the case that the table's tag chooses. `None` if an error was reported.
    pub(crate) fn case(&mut self, section: &'static Section) -> Option<&'static Case> {
        let variants = section.variants.as_ref()?;
        let value = self.leaf(&variants.tag);
        let name = value.as_ref().and_then(Value::as_text);
        let case = variants.cases.iter().find(|case| Some(case.name) == name);
        match case {
            Some(case) => self.tag = Some((&variants.tag, case)),
            None => self.tag_unknown = true,
        }
        case
    }

    /// Resolves `text` as a path, with environment variables substituted. `None` if an error was
    /// reported.
    pub(crate) fn resolve(
        &mut self,
        key: &'static Key,
        text: &str,
        purpose: PathUse,
    ) -> Option<PathBuf> {
        let problem = match self.reader.context.resolve(text) {
            Ok(path) => {
                let bytes = path.as_os_str().len();
                if purpose != PathUse::Socket || bytes <= SOCKET_PATH_MAX {
                    return Some(path);
                }
                Problem::SocketPathTooLong {
                    key: key.name,
                    bytes,
                    max: SOCKET_PATH_MAX,
                }
            }
            Err(ExpandError::Unset(variable)) => Problem::UnsetVariable {
                key: key.name,
                variable,
            },
            Err(ExpandError::Malformed(byte)) => Problem::BadVariable {
                key: key.name,
                at: text.get(..byte).map_or(0, |before| before.chars().count()) + 1,
            },
        };
        let help = match &problem {
            Problem::UnsetVariable { variable, .. } => Some(format!(
                "set it, or give a fallback: ${{{variable}:-/some/folder}}"
            )),
            Problem::BadVariable { .. } => {
                Some("write $NAME, ${NAME} or ${NAME:-fallback}; $$ is a dollar sign".to_owned())
            }
            _ => None,
        };
        let span = self.get(key.name).map(Spanned::span);
        let mut diagnostic = Diagnostic::new(problem, span);
        diagnostic.help = help;
        self.reader.report(diagnostic);
        None
    }

    fn get(&self, key: &str) -> Option<&'t Spanned<DeValue<'t>>> {
        self.table?.get(key)
    }

    fn report_missing(&mut self, key: &'static Key) {
        let problem = Problem::Missing {
            key: key.name,
            place: self.path.place(),
        };
        let mut diagnostic = Diagnostic::new(problem, self.header.clone());
        diagnostic.help = match (key.kind, key.example) {
            (Kind::Choice(choices), _) => Some(suggest::one_of(choices.iter().map(|c| c.name))),
            (Kind::Table(section), Some(tag)) => Some(format!(
                "for example `{} = {}`",
                key.name,
                suggest::inline_table(section, tag)
            )),
            (_, Some(example)) => {
                let value = Value::from(example);
                Some(format!("for example `{} = {value}`", key.name))
            }
            (_, None) => None,
        };
        self.reader.report(diagnostic);
    }

    /// Reports every key of the table that the schema does not have, with the nearest one that it
    /// has.
    fn report_unknown_keys(&mut self, section: &'static Section) {
        let Some(table) = self.table else {
            return;
        };
        let mut other_cases: Vec<&'static str> = Vec::new();
        let mut refused: Vec<(&'static Key, &'static str)> = Vec::new();
        section.each_key(&mut |key| {
            other_cases.push(key.name);
            refused.extend(key.refused_elsewhere.map(|why| (key, why)));
        });
        for (key, item) in table.iter() {
            let name: &str = key.get_ref();
            if self.known.contains(&name) {
                continue;
            }
            let elsewhere = other_cases.contains(&name);
            if elsewhere && self.tag_unknown {
                continue;
            }
            let span = if key.span().is_empty() {
                item.span()
            } else {
                key.span()
            };
            let refusal = refused.iter().find(|(key, _)| key.name == name);
            let diagnostic = match (self.tag, refusal) {
                (Some((tag, case)), Some((key, why))) => {
                    let problem = Problem::Refused {
                        place: self.path.place(),
                        key: key.name,
                        asked: asked(key, item),
                        tag: tag.name,
                        value: case.name.to_owned(),
                        why,
                    };
                    Diagnostic::new(problem, Some(span)).help("leave it out")
                }
                (Some((tag, case)), None) if elsewhere => {
                    let problem = Problem::NotApplicable {
                        key: name.to_owned(),
                        tag: tag.name,
                        value: case.name.to_owned(),
                    };
                    let help = suggest::one_of(self.known.iter().copied());
                    Diagnostic::new(problem, Some(span)).help(help)
                }
                _ => {
                    let problem = Problem::UnknownKey {
                        key: name.to_owned(),
                        place: self.path.place(),
                    };
                    let candidates: &[&'static str] = if self.tag_unknown {
                        &other_cases
                    } else {
                        &self.known
                    };
                    let mut diagnostic = Diagnostic::new(problem, Some(span));
                    diagnostic.help = Some(suggest::for_key(name, candidates, self.reader.schema));
                    diagnostic
                }
            };
            self.reader.report(diagnostic);
        }
    }
}

/// Formats what the file asks for with a key that it must not have, for the message.
fn asked(key: &'static Key, item: &Spanned<DeValue<'_>>) -> String {
    let value = match decode::decode(key, item) {
        Ok(value) => value,
        Err(diagnostic) => match diagnostic.problem {
            Problem::OutOfRange { value, .. } => value,
            _ => return decode::type_of(item.get_ref()).to_owned(),
        },
    };
    with_unit(&value, key.unit.filter(|_| value.as_number().is_some()))
}
