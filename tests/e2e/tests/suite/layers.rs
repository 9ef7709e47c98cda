//! Arrows between crates and between modules go down only.
//!
//! Cargo refuses circles of crates. These tests refuse what it accepts: a crate that names one
//! above its own layer, and modules of one crate that need each other. A module counts with its
//! children as one; tests do not count.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use hapticd_e2e::output;

/// Layers from the bottom up, by folder. A crate sees its own layer and those below.
const LAYERS: [&[&str]; 7] = [
    &[
        "config/files",
        "config/choices",
        "sim/elementary",
        "daemon/sync",
        "clients/protocol",
    ],
    &["daemon/sys", "sim/geometry", "config", "devices"],
    &["sim"],
    &["shaders", "clients/rust"],
    &[
        "clients/viewer",
        "clients/c",
        "clients/gateway",
        "daemon/loop",
        "daemon/ipc",
    ],
    &["daemon/collision", "daemon/recording", "daemon/monitor"],
    &["daemon"],
];

/// Folders that a layer's crates may not see, although they stand below.
const FORBIDDEN: [(&str, &str); 4] = [
    ("sim", "devices"),
    ("sim", "daemon"),
    ("sim", "clients"),
    ("shaders", "devices"),
];

struct Crate {
    folder: String,
    /// Folders of the crates that it names, tests apart.
    sees: Vec<String>,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Returns the product's crates.
fn crates() -> Vec<Crate> {
    let cargo = std::env::var("CARGO").unwrap_or_else(|_| env!("CARGO").into());
    let root = root();
    let text = output(
        Command::new(cargo)
            .args([
                "metadata",
                "--offline",
                "--no-deps",
                "--format-version",
                "1",
            ])
            .current_dir(&root),
    );
    let json: serde_json::Value = serde_json::from_str(&text).unwrap();
    let folder = |path: &str| {
        let path = Path::new(path).strip_prefix(&root).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let packages = json["packages"].as_array().unwrap().iter().map(|package| {
        let manifest = folder(package["manifest_path"].as_str().unwrap());
        let named = package["dependencies"].as_array().unwrap().iter();
        let named = named.filter(|named| named["kind"].is_null());
        Crate {
            folder: manifest.trim_end_matches("/Cargo.toml").to_owned(),
            sees: named
                .filter_map(|n| n["path"].as_str())
                .map(folder)
                .collect(),
        }
    });
    packages
        .filter(|c| !c.folder.starts_with("tests/"))
        .collect()
}

/// Returns whether `folder` is `parent` or inside it.
fn is_in(folder: &str, parent: &str) -> bool {
    folder
        .strip_prefix(parent)
        .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Returns the layer whose entry is the longest that fits.
fn layer(folder: &str) -> Option<usize> {
    let entries = LAYERS
        .iter()
        .enumerate()
        .flat_map(|(k, l)| l.iter().map(move |e| (k, *e)));
    let fitting = entries.filter(|(_, entry)| is_in(folder, entry));
    fitting.max_by_key(|(_, entry)| entry.len()).map(|(k, _)| k)
}

#[test]
fn crates_see_only_what_stands_below() {
    let crates = crates();
    assert!(crates.len() > 20, "{} crates", crates.len());
    for c in &crates {
        let own = layer(&c.folder).unwrap_or_else(|| panic!("{} has no layer", c.folder));
        for seen in &c.sees {
            let below = layer(seen).is_some_and(|k| k <= own);
            let forbidden = FORBIDDEN
                .iter()
                .any(|(a, b)| is_in(&c.folder, a) && is_in(seen, b));
            assert!(below && !forbidden, "{} sees {seen}", c.folder);
        }
    }
}

/// Returns code without comments, strings and the module of tests at its end.
fn code(path: &Path) -> String {
    let text = std::fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap();
    let mut kept = String::new();
    for line in text.lines() {
        // A string that holds `//` ends early, which loses code of that line at most.
        kept += line.split("//").next().unwrap();
        kept.push('\n');
    }
    kept
}

/// Returns all Rust files below a folder but those of tests, relative to it.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            found.extend(files(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found
}

/// Returns the first name of each path that begins with `from`, in one file's code.
fn paths<'a>(code: &'a str, from: &'a str) -> impl Iterator<Item = &'a str> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let first = move |path: &'a str| &path[..path.find(|c| !is_word(c)).unwrap_or(path.len())];
    code.match_indices(from).flat_map(move |(at, _)| {
        let rest = &code[at + from.len()..];
        let Some(list) = rest.strip_prefix('{') else {
            return vec![first(rest)];
        };
        // Each item of the list, whatever lists it holds.
        let (mut depth, mut starts) = (1, vec![0]);
        for (place, c) in list.char_indices() {
            match c {
                '{' => depth += 1,
                '}' => depth -= 1,
                ',' if depth == 1 => starts.push(place + 1),
                _ => {}
            }
            if depth == 0 {
                break;
            }
        }
        starts
            .into_iter()
            .map(|k| first(list[k..].trim_start()))
            .collect()
    })
}

/// Returns what each top-level module of a crate needs of the others.
fn modules(source: &Path) -> BTreeMap<String, BTreeSet<String>> {
    let mut needs: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    let mut texts = Vec::new();
    for file in files(source) {
        let relative = file.strip_prefix(source).unwrap().to_str().unwrap();
        let module = relative
            .split('/')
            .next()
            .unwrap()
            .trim_end_matches(".rs")
            .to_owned();
        if !["lib", "main", "bin"].contains(&module.as_str()) {
            needs.entry(module.clone()).or_default();
            texts.push((module, !relative.contains('/'), code(&file)));
        }
    }
    let all: BTreeSet<String> = needs.keys().cloned().collect();
    for (module, is_direct, text) in &texts {
        let own = needs.get_mut(module).unwrap();
        let mut named: Vec<&str> = paths(text, "crate::").collect();
        if *is_direct {
            named.extend(paths(text, "super::"));
        }
        own.extend(
            named
                .into_iter()
                .filter(|n| all.contains(*n) && n != module)
                .map(String::from),
        );
    }
    needs
}

/// Returns the modules from which each one is reached, itself among them if it is in a circle.
fn in_circles(needs: &BTreeMap<String, BTreeSet<String>>) -> Vec<&str> {
    let reaches_itself = |start: &String| {
        let mut seen: BTreeSet<&String> = BTreeSet::new();
        let mut open: Vec<&String> = needs[start].iter().collect();
        while let Some(next) = open.pop() {
            if seen.insert(next) {
                open.extend(&needs[next]);
            }
        }
        seen.contains(start)
    };
    needs
        .keys()
        .filter(|module| reaches_itself(module))
        .map(String::as_str)
        .collect()
}

#[test]
fn modules_of_a_crate_form_no_circle() {
    let mut count = 0;
    for c in &crates() {
        let needs = modules(&root().join(&c.folder).join("src"));
        count += needs.len();
        let circle = in_circles(&needs);
        assert!(circle.is_empty(), "{}: {circle:?} of {needs:#?}", c.folder);
    }
    assert!(count > 200, "{count} modules");
}

#[test]
fn a_circle_is_found() {
    let needs = [("a", "b"), ("b", "c"), ("c", "b"), ("d", "a")];
    let needs = needs.map(|(from, to)| (from.to_owned(), BTreeSet::from([to.to_owned()])));
    assert_eq!(in_circles(&needs.into()), ["b", "c"]);
    let text = "use crate::{one::{A, b::C}, two::Three}; crate::four::five()";
    let named: Vec<_> = paths(text, "crate::").collect();
    assert_eq!(named, ["one", "two", "four"]);
}
