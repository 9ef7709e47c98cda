//! Checks that need more than one key: uniqueness, references, one limit against another, and
//! files.
//!
//! Works on the list of effective values, so an error in one table does not hide errors between the
//! others.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::PathBuf;

use crate::context::Context;
use crate::decode::NAME_MAX;
use crate::diagnostic::{Diagnostic, Problem};
use crate::effective::{Entry, Segment, TablePath};
use crate::foreign;
use crate::key::{Kind, PathUse, looks_like_path};
use crate::read::Reader;
use crate::suggest;
use crate::value::Value;

/// Checks everything that concerns more than one key.
pub(crate) fn cross_check(reader: &mut Reader<'_>) {
    let all = Entries(&reader.entries);
    let mut found = Vec::new();
    all.names(&mut found);
    all.serials(&mut found);
    all.materials(&mut found);
    all.limits(&mut found);
    all.sockets(&mut found);
    all.clock(&mut found);
    all.bodies(&mut found);
    all.crowd_names(&mut found);
    all.shapes(&mut found);
    all.planar(&mut found);
    // Recordings of earlier versions hold every key, with its default.
    if !reader.context.is_recorded() {
        foreign::check(&reader.entries, &mut found);
    }
    reader.diagnostics.append(&mut found);
}

/// Largest number of bodies and tools named in one message.
const NAMED_MAX: usize = 5;

struct Entries<'e>(&'e [Entry]);

impl<'e> Entries<'e> {
    /// The key `key` of the table `table`.
    fn get(&self, table: &TablePath, key: &str) -> Option<&'e Entry> {
        self.0
            .iter()
            .find(|entry| entry.key.name == key && &entry.table == table)
    }

    /// The key `key` of the top-level table `table`.
    fn top(&self, table: &'static str, key: &str) -> Option<&'e Entry> {
        self.get(&TablePath(vec![Segment::Table(table)]), key)
    }

    /// The key `key` of each element of the top-level array `array`.
    fn each(&self, array: &str, key: &str) -> impl Iterator<Item = &'e Entry> {
        self.0.iter().filter(move |entry| {
            entry.key.name == key && entry.table.0.len() == 1 && entry.table.is_within(array)
        })
    }

    fn unique(
        entries: impl Iterator<Item = &'e Entry>,
        what: &'static str,
        found: &mut Vec<Diagnostic>,
    ) {
        let mut first: BTreeMap<&str, Option<Range<usize>>> = BTreeMap::new();
        for entry in entries {
            let (Some(text), span) = (entry.value.as_text(), entry.origin.span()) else {
                continue;
            };
            if let Some(earlier) = first.get(text) {
                let problem = Problem::Duplicate {
                    what,
                    value: text.to_owned(),
                };
                let diagnostic = Diagnostic::new(problem, span);
                found.push(diagnostic.related(earlier.clone(), "first used here"));
            } else {
                first.insert(text, span);
            }
        }
    }

    fn names(&self, found: &mut Vec<Diagnostic>) {
        Self::unique(self.each("arm", "name"), "the arm name", found);
        Self::unique(self.each("body", "name"), "the body name", found);
        Self::unique(self.each("material", "name"), "the material name", found);
        Self::unique(self.each("layer", "name"), "the layer name", found);
    }

    fn serials(&self, found: &mut Vec<Diagnostic>) {
        Self::unique(self.each("arm", "serial"), "the serial number", found);
        Self::unique(self.each("arm", "port_path"), "the USB port", found);
    }

    fn materials(&self, found: &mut Vec<Diagnostic>) {
        let names: Vec<_> = self
            .each("material", "name")
            .filter_map(|entry| entry.value.as_text())
            .collect();
        for entry in self.each("body", "material") {
            let Some(text) = entry.value.as_text() else {
                continue;
            };
            if names.contains(&text) {
                continue;
            }
            let problem = Problem::Undefined {
                table: "material",
                value: text.to_owned(),
            };
            let help = match suggest::nearest(text, names.iter().copied()) {
                Some(nearest) => format!("did you mean \"{nearest}\"?"),
                None if names.is_empty() => format!("add [[material]] with name = \"{text}\""),
                None => suggest::one_of(names.iter().copied()),
            };
            found.push(Diagnostic::new(problem, entry.origin.span()).help(help));
        }
    }

    /// Reports `key` if it exceeds `limit`. The error points at a value that the file gives, not at
    /// a default.
    fn at_most(&self, key: Option<&Entry>, limit: Option<&Entry>, found: &mut Vec<Diagnostic>) {
        let (Some(key), Some(limit)) = (key, limit) else {
            return;
        };
        if key.value.as_number() <= limit.value.as_number() {
            return;
        }
        let problem = Problem::Exceeds {
            key: key.key.name,
            value: key.value.clone(),
            limit_key: limit.key.name,
            limit: limit.value.clone(),
        };
        let (span, related, default) = match (key.origin.span(), limit.origin.span()) {
            (Some(span), Some(limit_span)) => (Some(span), Some(limit_span), None),
            (Some(span), None) => (Some(span), None, Some(limit)),
            (None, span) => (span, None, Some(key)),
        };
        let mut diagnostic = Diagnostic::new(problem, span).related(related, "the limit");
        if let Some(default) = default {
            diagnostic = diagnostic.help(format!(
                "`{}` = {} is its default: set it too",
                default.key.name, default.value
            ));
        }
        found.push(diagnostic);
    }

    fn limits(&self, found: &mut Vec<Diagnostic>) {
        for (table, key, limit) in [
            ("safety", "continuous_force_n", "peak_force_n"),
            ("safety", "continuous_torque_nm", "peak_torque_nm"),
        ] {
            self.at_most(self.top(table, key), self.top(table, limit), found);
        }
        let budget = self.top("loop", "tick_budget_pairs");
        self.at_most(budget, self.top("collision", "pairs"), found);
    }

    fn sockets(&self, found: &mut Vec<Diagnostic>) {
        let sockets = ["app_socket", "technician_socket"];
        let entries = sockets.iter().filter_map(|key| self.top("ipc", key));
        Self::unique(entries, "the socket", found);
    }

    fn clock(&self, found: &mut Vec<Diagnostic>) {
        let Some(clock) = self.top("loop", "clock") else {
            return;
        };
        let kinds: Vec<_> = self.each("arm", "kind").collect();
        let has_hid = kinds.iter().any(|kind| kind.value.as_text() == Some("hid"));
        if clock.value.as_text() == Some("device") && !has_hid {
            let problem = Problem::NoDeviceClock { arms: kinds.len() };
            found.push(Diagnostic::new(problem, clock.origin.span()));
        }
    }

    fn bodies(&self, found: &mut Vec<Diagnostic>) {
        for body in self.each("body", "kind") {
            let shape = body.table.child(Segment::Table("shape"));
            if let Some(kind) = self.get(&shape, "kind")
                && kind.value.as_text() == Some("sphere")
            {
                let diagnostic = Diagnostic::new(Problem::SphereBody, kind.origin.span());
                found.push(diagnostic.help("use \"icosphere\""));
            }
            let motion = body.table.child(Segment::Table("motion"));
            let motion = self.get(&motion, "kind");
            if let Some((motion, kind)) = motion.and_then(|m| Some((m, m.value.as_text()?)))
                && kind != "none"
                && let Some(mover) = body.value.as_text()
                && mover != "kinematic"
            {
                let problem = Problem::MotionNotKinematic {
                    kind: mover.to_owned(),
                    motion: kind.to_owned(),
                };
                let diagnostic = Diagnostic::new(problem, motion.origin.span());
                found.push(diagnostic.help("give the body `kind = \"kinematic\"`"));
            }
            if let Some(pinned) = self.get(&body.table, "pinned")
                && let (Some(held), Some(kind)) = (pinned.value.as_text(), body.value.as_text())
                && !matches!(
                    (kind, held),
                    (_, "none")
                        | ("cloth", "bottom" | "corners" | "border")
                        | ("soft", "bottom")
                        | ("implicit", "bottom" | "ends")
                )
            {
                let problem = Problem::InvalidPins {
                    kind: kind.to_owned(),
                    pinned: held.to_owned(),
                };
                let diagnostic = Diagnostic::new(problem, pinned.origin.span());
                let help = match kind {
                    "soft" => "a soft body can be pinned by its \"bottom\"",
                    "implicit" => {
                        "an implicit body can be pinned by its \"bottom\", a strand by its \"ends\""
                    }
                    "cloth" => "a cloth can be pinned by its \"corners\", \"border\" or \"bottom\"",
                    _ => "only bodies of kind \"soft\", \"cloth\" and \"implicit\" are pinned",
                };
                found.push(diagnostic.help(help));
            }
            if let Some(copies) = self.get(&body.table, "copies")
                && let Some(count) = copies.value.as_number().filter(|n| *n != 1.0)
                && let Some(kind) = body.value.as_text().filter(|kind| *kind != "crowd")
            {
                let problem = Problem::CopiesNotCrowd {
                    kind: kind.to_owned(),
                    copies: count,
                };
                let diagnostic = Diagnostic::new(problem, copies.origin.span());
                found.push(diagnostic.help("give the body `kind = \"crowd\"`"));
            }
            if matches!(body.value.as_text(), Some("dynamic" | "crowd"))
                && let Some(solid) = self.get(&body.table, "solid")
                && solid.value == Value::Boolean(false)
            {
                let diagnostic = Diagnostic::new(Problem::DynamicNotSolid, solid.origin.span());
                found.push(diagnostic.help("its mass comes from its inside: omit `solid`"));
            }
        }
    }

    /// Checks that each copy of a crowd has a name that clients can be told: that of the crowd, a
    /// space and its number.
    fn crowd_names(&self, found: &mut Vec<Diagnostic>) {
        for kind in self.each("body", "kind") {
            let (Some(name), Some(copies)) = (
                self.get(&kind.table, "name"),
                self.get(&kind.table, "copies"),
            ) else {
                continue;
            };
            let (Some("crowd"), Some(text)) = (kind.value.as_text(), name.value.as_text()) else {
                continue;
            };
            let last = copies.value.as_number().unwrap_or(1.0);
            if format!("{text} {last}").len() > NAME_MAX {
                let problem = Problem::CrowdNameTooLong {
                    name: text.to_owned(),
                    max: NAME_MAX,
                };
                let diagnostic = Diagnostic::new(problem, name.origin.span());
                found.push(diagnostic.help("a copy is named \"NAME 1\": shorten the name"));
            }
        }
    }

    /// Returns the table that the shape `kind` belongs to, in words: a body, or the tool of an arm.
    fn owner(&self, kind: &Entry) -> String {
        let first = kind.table.0.first();
        let Some(Segment::Named(table, name)) = first else {
            return TablePath(first.cloned().into_iter().collect()).place();
        };
        match *table {
            "arm" => format!("the tool of arm `{name}`"),
            other => format!("{other} `{name}`"),
        }
    }

    /// Checks planar scenes. If one body or tool is planar, all must be: the loop and clients rely
    /// on this. If the planar ones are the minority, reports them and nothing else.
    fn planar(&self, found: &mut Vec<Diagnostic>) {
        let bodies: Vec<_> = self.each("body", "kind").collect();
        let shape_of = |owner: &'e Entry, table| {
            let table = owner.table.child(Segment::Table(table));
            self.get(&table, "kind")
        };
        let shapes = bodies.iter().filter_map(|body| shape_of(body, "shape"));
        let tools = self
            .each("arm", "kind")
            .filter_map(|arm| shape_of(arm, "tool"));
        let shapes: Vec<_> = shapes.chain(tools).collect();
        let (flat, other): (Vec<&Entry>, Vec<&Entry>) =
            shapes.iter().copied().partition(|kind| is_planar(kind));
        let Some(&witness) = flat.first() else {
            return;
        };
        if flat.len() < other.len() {
            self.odd_planar(&flat, &other, found);
            return;
        }
        let mut report = NotPlanar { witness, found };
        for kind in shapes {
            report.shape(kind);
        }
        for body in bodies {
            report.body_kind(body);
            self.planar_placement(body, &mut report);
        }
    }

    /// Reports the planar shapes of a scene of which most are not.
    fn odd_planar(&self, flat: &[&Entry], other: &[&Entry], found: &mut Vec<Diagnostic>) {
        let named = other.iter().take(NAMED_MAX).map(|kind| self.owner(kind));
        let mut others = named.collect::<Vec<_>>().join(", ");
        if let Some(more @ 1..) = other.len().checked_sub(NAMED_MAX) {
            others += &format!(" and {more} more");
        }
        for kind in flat {
            let problem = Problem::OddPlanar {
                shape: kind.value.as_text().unwrap_or_default().to_owned(),
                others: others.clone(),
            };
            let diagnostic = Diagnostic::new(problem, kind.origin.span());
            let related = other.first().and_then(|kind| kind.origin.span());
            found.push(diagnostic.related(related, "this is not planar").help(
                "planar scenes have only polygons, stars and discs: change its shape, or all the \
                 others",
            ));
        }
    }

    /// Checks that a body of a planar scene lies in the plane and moves in it.
    fn planar_placement(&self, body: &Entry, report: &mut NotPlanar<'_>) {
        let vector = |table: &TablePath, key| {
            let entry = self.get(table, key)?;
            match &entry.value {
                Value::Numbers(xs) if xs.len() == 3 => Some((entry, xs)),
                _ => None,
            }
        };
        if let Some((entry, xs)) = vector(&body.table, "position_m").filter(|e| e.1[2] != 0.0) {
            report.push(entry, format!("z = {} m", xs[2]), "the plane is z = 0");
        }
        if let Some((entry, _)) = vector(&body.table, "rpy_deg").filter(|e| e.1[..2] != [0.0; 2]) {
            let what = "roll or pitch".to_owned();
            report.push(entry, what, "bodies turn about z only");
        }
        let motion = body.table.child(Segment::Table("motion"));
        if let Some((entry, _)) = vector(&motion, "amplitude_m").filter(|e| e.1[2] != 0.0) {
            let what = "a motion along z".to_owned();
            report.push(entry, what, "bodies move along x and y");
        }
        if let Some((entry, _)) = vector(&motion, "axis").filter(|e| e.1[..2] != [0.0; 2]) {
            let what = "an axis that is not z".to_owned();
            report.push(entry, what, "bodies turn about z only");
        }
    }

    /// Checks relations between the dimensions of one shape.
    fn shapes(&self, found: &mut Vec<Diagnostic>) {
        for kind in self.0.iter().filter(|entry| entry.key.name == "kind") {
            let get = |key| self.get(&kind.table, key);
            match kind.value.as_text() {
                Some("terrain") => {
                    self.at_most(get("amplitude_m"), get("depth_m"), found);
                }
                Some("torus") => {
                    self.at_most(get("minor_radius_m"), get("major_radius_m"), found);
                }
                Some("block_with_hole") => {
                    let (Some(hole), Some(size)) = (get("hole_radius_m"), get("size_m")) else {
                        continue;
                    };
                    let Value::Numbers(edges) = &size.value else {
                        continue;
                    };
                    let edge = edges.iter().take(2).copied().fold(f64::INFINITY, f64::min);
                    if let Some(radius) = hole.value.as_number()
                        && 2.0 * radius >= edge
                    {
                        let problem = Problem::HoleTooLarge {
                            radius_m: radius,
                            edge_m: edge,
                        };
                        let diagnostic = Diagnostic::new(problem, hole.origin.span());
                        found.push(diagnostic.related(size.origin.span(), "the block"));
                    }
                }
                Some("star") => {
                    self.at_most(get("inner_radius_m"), get("outer_radius_m"), found);
                }
                _ => {}
            }
        }
    }
}

/// Kinds of shapes that make a scene planar.
const PLANAR: &[&str] = &["polygon", "star", "disc"];

/// Whether a shape makes its scene planar.
fn is_planar(kind: &Entry) -> bool {
    let kind = kind.value.as_text();
    kind.is_some_and(|kind| PLANAR.contains(&kind))
}

/// Reports what does not belong in a planar scene.
struct NotPlanar<'f> {
    /// The shape that makes the scene planar.
    witness: &'f Entry,
    found: &'f mut Vec<Diagnostic>,
}

impl NotPlanar<'_> {
    /// Reports an entry, beside the shape that makes the scene planar.
    fn push(&mut self, entry: &Entry, found: String, wanted: &'static str) {
        let diagnostic = Diagnostic::new(Problem::NotPlanar { found, wanted }, entry.origin.span());
        let related = self.witness.origin.span();
        (self.found).push(diagnostic.related(related, "this makes it planar"));
    }

    /// Reports the shape of a body or tool that is not planar.
    fn shape(&mut self, kind: &Entry) {
        if let Some(text) = kind.value.as_text().filter(|text| !PLANAR.contains(text)) {
            let wanted = "bodies are of shape \"polygon\", \"star\" or \"disc\", tools \"disc\" or \"polygon\"";
            self.push(kind, format!("the shape \"{text}\""), wanted);
        }
    }

    /// Reports a body of a kind that planar scenes do not have.
    fn body_kind(&mut self, body: &Entry) {
        let kind = body.value.as_text();
        if let Some(kind) = kind.filter(|kind| !matches!(*kind, "static" | "kinematic")) {
            let wanted = "bodies are static or kinematic";
            self.push(body, format!("a {kind} body"), wanted);
        }
    }
}

/// A file that the configuration refers to.
#[derive(Debug, Clone)]
pub(crate) struct InputFile {
    key: &'static str,
    path: PathBuf,
    span: Option<Range<usize>>,
}

/// Returns the files that must be readable when the daemon starts.
pub(crate) fn input_files(reader: &Reader<'_>, context: &Context<'_>) -> Vec<InputFile> {
    let mut files = Vec::new();
    for entry in &reader.entries {
        let is_input = match entry.key.kind {
            Kind::Path(purpose) => purpose == PathUse::Input,
            Kind::NameOrPath { .. } => entry.value.as_text().is_some_and(looks_like_path),
            _ => false,
        };
        if let Some(text) = entry.value.as_text()
            && is_input
            && let Ok(path) = context.resolve(text)
        {
            files.push(InputFile {
                key: entry.key.name,
                path,
                span: entry.origin.span(),
            });
        }
    }
    files
}

impl InputFile {
    /// Opens the file and returns what is wrong with it, if anything.
    pub(crate) fn open(&self) -> Option<Diagnostic> {
        let reason = hapticd_files::open(&self.path).err()?.to_string();
        let problem = Problem::Unreadable {
            key: self.key,
            path: self.path.display().to_string(),
            reason,
        };
        Some(Diagnostic::new(problem, self.span.clone()))
    }
}
