//! Every key of the configuration does something: code of the daemon or of the devices reads it.

use std::collections::BTreeSet;
use std::path::Path;

/// Collects the names below each `properties` of a JSON Schema.
fn keys(schema: &serde_json::Value, found: &mut BTreeSet<String>) {
    match schema {
        serde_json::Value::Object(map) => {
            for (name, value) in map {
                if let ("properties", Some(properties)) = (name.as_str(), value.as_object()) {
                    found.extend(properties.keys().cloned());
                }
                keys(value, found);
            }
        }
        serde_json::Value::Array(list) => list.iter().for_each(|value| keys(value, found)),
        _ => {}
    }
}

/// Collects the words of all Rust files below a folder but those of tests.
fn words(folder: &Path, found: &mut BTreeSet<String>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_str().unwrap();
        if path.is_dir() && name != "tests" {
            words(&path, found);
        } else if name.ends_with(".rs") && name != "tests.rs" {
            let text = std::fs::read_to_string(&path).unwrap();
            let code = text
                .lines()
                .filter(|line| !line.trim_start().starts_with("//"));
            let is_word = |c: char| c.is_alphanumeric() || c == '_';
            found.extend(
                code.flat_map(|line| line.split(move |c| !is_word(c)))
                    .map(String::from),
            );
        }
    }
}

#[test]
fn every_key_of_the_configuration_is_read() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = std::fs::read_to_string(root.join("config/schema.json")).unwrap();
    let mut all = BTreeSet::new();
    keys(&serde_json::from_str(&schema).unwrap(), &mut all);
    assert!(all.len() > 150, "{} keys", all.len());
    let mut read = BTreeSet::new();
    for folder in ["daemon", "devices"] {
        words(&root.join(folder), &mut read);
    }
    let dead: Vec<_> = all.difference(&read).collect();
    assert!(dead.is_empty(), "keys without effect: {dead:?}");
}
