//! Every numeric key, at its bounds and beyond: each value gets an answer, whatever it is.

use std::collections::HashSet;
use std::path::Path;

use hapticd_config as config;

use crate::session_setup;

const RIG: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "rest"
tool = { kind = "sphere", radius_m = 0.005 }

[[body]]
name = "block"
kind = "dynamic"
shape = { kind = "cuboid", size_m = [0.02, 0.02, 0.02] }

[[body]]
name = "sheet"
kind = "cloth"
shape = { kind = "sheet", size_m = 0.1, cells = 4 }
position_m = [0.0, 0.0, -0.2]

[[body]]
name = "ground"
shape = { kind = "terrain", size_m = [0.3, 0.3], cells = 3 }
position_m = [0.0, 0.0, -0.6]

[[body]]
name = "ring"
shape = { kind = "torus", major_radius_m = 0.05, minor_radius_m = 0.01, major_segments = 3, minor_segments = 3 }
position_m = [0.0, 0.0, -0.4]
"#;

const BEYOND: [&str; 6] = [
    "1e300",
    "-1e300",
    "9223372036854775807",
    "-9223372036854775808",
    "nan",
    "0",
];

fn parsed(text: &str) -> Result<config::Loaded, config::ConfigErrors> {
    let context = config::Context::new(".", |_| None);
    config::parse("case.toml", text, &context)
}

/// For every number in a text, returns the text before and after it.
fn places(text: &str) -> Vec<(String, String)> {
    let is_number = |c: char| c.is_ascii_digit() || "+-.eE_".contains(c);
    let mut found = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let begin = at;
        at += line.len();
        let Some(equals) = line.find(" = ") else {
            continue;
        };
        let value = &line[equals + 3..];
        let skip = value.len() - value.trim_start_matches('[').len();
        let from = begin + equals + 3 + skip;
        let length = value[skip..].find(|c| !is_number(c)).unwrap_or(0);
        if text[from..from + length].parse::<f64>().is_ok() {
            found.push((text[..from].to_owned(), text[from + length..].to_owned()));
        }
    }
    found
}

/// Returns the smallest and the largest allowed value, as an error states them.
fn bounds(errors: &config::ConfigErrors) -> Vec<String> {
    let each = errors.diagnostics().iter().map(|d| match &d.problem {
        config::Problem::OutOfRange { min, max, .. } => vec![min.short(), max.short()],
        _ => Vec::new(),
    });
    each.flatten().collect()
}

#[test]
fn every_number_of_a_configuration_gets_an_answer() {
    let text = parsed(RIG).unwrap().effective_toml();
    let places = places(&text);
    assert!(places.len() > 80, "{} numbers in\n{text}", places.len());
    let (mut refused, mut built) = (0, 0);
    for (before, after) in &places {
        let mut values: Vec<String> = BEYOND.map(str::to_owned).to_vec();
        let mut tried = HashSet::new();
        while let Some(value) = values.pop() {
            if !tried.insert(value.clone()) {
                continue;
            }
            match parsed(&format!("{before}{value}{after}")) {
                Err(errors) => {
                    refused += 1;
                    values.extend(bounds(&errors));
                }
                // Valid or not, the set-up gives a result and does not run for ever.
                Ok(loaded) => {
                    built += usize::from(
                        session_setup::build(&loaded.config, Path::new(""), true).is_ok(),
                    );
                }
            }
        }
    }
    assert!(built > places.len(), "{built} at their bounds");
    assert!(refused > 3 * places.len(), "{refused} beyond");
}
