//! The committed files that come from the key definitions, and the shipped configurations.
//!
//! `UPDATE_GENERATED=1 cargo test -p hapticd-config` rewrites the generated ones.

use std::path::{Path, PathBuf};

use hapticd_config::key::{Kind, Literal, Section};
use hapticd_config::{
    Config, Context, Device, Ipc, Loaded, Motion, Shape, Tabular, generate, parse,
};

fn context() -> Context<'static> {
    Context::new("/etc/hapticd", |_| None)
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn parsed(text: &str) -> Loaded {
    parsed_in(&context(), text)
}

fn parsed_in(context: &Context<'_>, text: &str) -> Loaded {
    match parse("test.toml", text, context) {
        Ok(loaded) => loaded,
        Err(errors) => panic!("{errors}"),
    }
}

/// Parses text that may give a body the keys of other kinds, as the uncommented example does.
fn parsed_with_all_keys(text: &str) -> Loaded {
    parsed_in(&context().recorded(), text)
}

/// Returns the example with every key and header uncommented.
fn uncommented() -> String {
    let example = generate::example();
    let on = example.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()) => rest,
        _ => line,
    });
    on.collect::<Vec<_>>().join("\n")
}

#[test]
fn generated_files_are_up_to_date() {
    let schema = serde_json::to_string_pretty(&generate::json_schema()).unwrap() + "\n";
    let files = [
        ("config/hapticd.toml", generate::example()),
        ("config/schema.json", schema),
        ("docs/config.md", generate::markdown()),
    ];
    for (name, fresh) in files {
        let path = root().join(name);
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&path, &fresh).unwrap();
        }
        let committed = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            committed == fresh,
            "{name} is out of date: run UPDATE_GENERATED=1 cargo test -p hapticd-config"
        );
    }
}

#[test]
fn examples_of_the_reference_are_a_valid_file() {
    let whole: String = generate::EXAMPLES
        .iter()
        .map(|(_, example)| *example)
        .collect();
    let loaded = parsed(&whole).config;
    assert_eq!(loaded.bodies[0].material.as_deref(), Some("rubber"));
    let sections = Config::SECTION.keys.iter().map(|key| key.name);
    for name in sections {
        let count = generate::EXAMPLES
            .iter()
            .filter(|(known, _)| *known == name)
            .count();
        assert_eq!(count, 1, "examples of `{name}`");
    }
}

#[test]
fn the_example_as_it_stands_means_the_defaults() {
    let defaults = Loaded::defaults(&context()).unwrap();
    assert_eq!(parsed(&generate::example()).config, defaults.config);
}

#[test]
fn the_example_without_comment_signs_is_valid_and_gives_every_default_explicitly() {
    let text = uncommented();
    each_section(Config::SECTION, &mut |section| {
        section.each_key(&mut |key| assert!(text.contains(key.name), "{}", key.name));
    });
    let loaded = parsed_with_all_keys(&text);
    let defaults = Loaded::defaults(&context()).unwrap().config;
    assert_eq!(loaded.config.haptic_loop, defaults.haptic_loop);
    assert_eq!(loaded.config.safety, defaults.safety);
    // Unset keys show an example.
    let ipc = Ipc {
        app_socket: None,
        technician_socket: None,
        ..loaded.config.ipc.clone()
    };
    assert_eq!(ipc, defaults.ipc);
    assert_eq!(loaded.config.arms.len(), 1);
    assert_eq!(loaded.config.bodies.len(), 1);
    assert_eq!(loaded.config.materials.len(), 1);
    for entry in loaded.effective() {
        assert!(
            entry.origin.span().is_some(),
            "{} is not in the example",
            entry.path()
        );
    }
}

#[test]
fn the_effective_configuration_reads_back_as_itself() {
    let demo = include_str!("../../demo.toml");
    for text in ["", demo, &uncommented()] {
        let loaded = parsed_with_all_keys(text);
        let again = parsed_with_all_keys(&loaded.effective_toml());
        assert_eq!(again.config, loaded.config);
    }
}

#[test]
fn the_effective_configuration_tells_where_values_come_from() {
    let loaded = parsed("[loop]\n\nrate_hz = 2000\n");
    let text = loaded.effective_toml();
    assert!(
        text.starts_with("[loop]\nrate_hz = 2000                               # test.toml:3\n")
    );
    assert!(text.contains("spin_us = 200                                # default\n"));
    let json = loaded.effective_json();
    assert_eq!(
        json[0],
        serde_json::json!({
            "key": "loop.rate_hz", "value": 2000, "unit": "Hz",
            "origin": { "file": "test.toml", "line": 3, "column": 11 },
        })
    );
    assert_eq!(json[1]["origin"], "default");
}

#[test]
fn the_demo_is_what_the_demo_promises() {
    let config = parsed(include_str!("../../demo.toml")).config;
    let [arm] = config.arms.as_slice() else {
        panic!("one arm")
    };
    assert_eq!(arm.name, "right");
    assert_eq!(arm.tool, Shape::Sphere { radius_m: 0.005 });
    assert!(matches!(arm.device, Device::Simulated { .. }));
    let terrain = config
        .bodies
        .iter()
        .find(|body| body.name == "terrain")
        .unwrap();
    assert!(matches!(terrain.shape, Shape::Terrain { cells, .. } if 2 * cells * cells >= 10_000));
    assert!(
        config
            .bodies
            .iter()
            .any(|body| body.motion != Motion::None {})
    );
    assert_eq!(config.materials.len(), 2);
}

/// Calls `visit` for every section of the schema, once for each place.
fn each_section(section: &'static Section, visit: &mut dyn FnMut(&'static Section)) {
    visit(section);
    section.each_key(&mut |key| match key.kind {
        Kind::Table(inner) | Kind::Tables { section: inner, .. } => each_section(inner, visit),
        _ => {}
    });
}

#[test]
fn every_key_is_documented_and_its_default_lies_in_its_range() {
    let mut count = 0;
    each_section(Config::SECTION, &mut |section| {
        section.each_key(&mut |key| {
            count += 1;
            assert!(
                !key.name.is_empty() && key.doc.trim().len() > 5,
                "{}",
                key.name
            );
            assert!(
                key.doc.trim().ends_with(['.', ':']),
                "{}: {}",
                key.name,
                key.doc
            );
            let inside =
                |x: f64, min: f64, max: f64| assert!((min..=max).contains(&x), "{}", key.name);
            match (key.kind, key.shown()) {
                (Kind::Integer { min, max, .. }, Some(Literal::Integer(i))) => {
                    assert!((min..=max).contains(&i), "{}", key.name);
                }
                (Kind::Number { min, max, .. }, Some(Literal::Number(x))) => inside(x, min, max),
                (Kind::Numbers { count, min, max }, Some(Literal::Numbers(xs))) => {
                    assert_eq!(xs.len(), count, "{}", key.name);
                    xs.iter().for_each(|&x| inside(x, min, max));
                }
                (Kind::Table(_) | Kind::Tables { .. }, _) => {}
                (_, shown) => assert!(shown.is_some(), "{} has nothing to show", key.name),
            }
            let unit = key.unit.unwrap_or_default();
            for (suffix, symbol) in [
                ("_hz", "Hz"),
                ("_nm", "N m"),
                ("_m", "m"),
                ("_ms", "ms"),
                ("_deg", "deg"),
            ] {
                if key.name.ends_with(suffix) && !key.name.contains("_per_") {
                    assert!(unit.ends_with(symbol), "{} has the unit {unit}", key.name);
                }
            }
        });
    });
    assert!(count > 80, "only {count} keys were visited");
}
