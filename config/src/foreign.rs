//! Keys of a `[[body]]` that only some kinds take. A file that gives one to a body of another kind
//! is refused: most often its `kind` was forgotten, and the body would silently be rigid.

use std::collections::{BTreeMap, BTreeSet};

use crate::diagnostic::{Diagnostic, Problem};
use crate::effective::{Entry, Origin, Segment};

/// Keys and tables, each with the kinds that take it.
const OWN: [(&str, &[&str]); 6] = [
    ("density_kg_m3", &["dynamic", "soft", "crowd", "implicit"]),
    ("soft", &["soft"]),
    ("cloth", &["cloth"]),
    ("implicit", &["implicit"]),
    ("needle", &["needle"]),
    ("structure", &["structure"]),
];

/// The kind of each body of a list of entries.
struct BodyKinds<'e>(BTreeMap<&'e Segment, &'e str>);

impl<'e> BodyKinds<'e> {
    fn of(entries: &'e [Entry]) -> Self {
        let kinds = entries.iter().filter_map(|entry| {
            let [body] = &entry.table.0[..] else {
                return None;
            };
            let is_kind = body.key() == "body" && entry.key.name == "kind";
            is_kind.then(|| Some((body, entry.value.as_text()?)))?
        });
        BodyKinds(kinds.collect())
    }

    /// Returns the key or table of a body that its kind does not take, if `entry` is or is in one:
    /// its name, the kind, and the kinds that take it.
    fn foreign(&self, entry: &Entry) -> Option<(&'static str, &'e str, &'static [&'static str])> {
        let (body, name) = match &entry.table.0[..] {
            [body] => (body, entry.key.name),
            [body, table, ..] => (body, table.key()),
            [] => return None,
        };
        let kind = *self.0.get(body)?;
        let (name, takers) = OWN.into_iter().find(|(own, _)| *own == name)?;
        (!takers.contains(&kind)).then_some((name, kind, takers))
    }

    /// Whether `entry` is the default of a key that has no effect.
    fn is_idle(&self, entry: &Entry) -> bool {
        entry.origin == Origin::Default && self.foreign(entry).is_some()
    }
}

/// Returns the entries without defaults of keys that the kind of their body does not take.
pub(crate) fn applying(entries: &[Entry]) -> Vec<&Entry> {
    let kinds = BodyKinds::of(entries);
    entries.iter().filter(|e| !kinds.is_idle(e)).collect()
}

/// Refuses what the file gives to bodies of kinds that do not take it: a table once.
pub(crate) fn check(entries: &[Entry], found: &mut Vec<Diagnostic>) {
    let kinds = BodyKinds::of(entries);
    let mut told = BTreeSet::new();
    for entry in entries {
        let Some(span) = entry.origin.span() else {
            continue;
        };
        let Some((name, kind, takers)) = kinds.foreign(entry) else {
            continue;
        };
        if !told.insert((entry.table.0.first(), name)) {
            continue;
        }
        let problem = Problem::NotApplicable {
            key: name.to_owned(),
            tag: "kind",
            value: kind.to_owned(),
        };
        let takers: Vec<String> = takers.iter().map(|kind| format!("\"{kind}\"")).collect();
        let help = format!(
            "give the body `kind = {}`, or leave `{name}` out",
            takers.join("` or `")
        );
        found.push(Diagnostic::new(problem, Some(span)).help(help));
    }
}
