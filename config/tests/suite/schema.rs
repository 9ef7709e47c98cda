//! The JSON Schema against the parser: both accept and refuse the same, as far as a schema can
//! express it.
//!
//! The validator below supports the few keywords of draft 2020-12 that the generator uses, and
//! panics at any other.

use std::path::Path;

use hapticd_config::generate;
use serde_json::Value as Json;

/// Returns whether `value` is valid under `schema`.
fn valid(schema: &Json, value: &Json) -> bool {
    let Json::Object(words) = schema else {
        panic!("not a schema: {schema}")
    };
    words.iter().all(|(word, rule)| match word.as_str() {
        "$schema" | "title" | "description" | "default" | "required" | "additionalProperties" => {
            true
        }
        "type" => match rule.as_str().unwrap() {
            "object" => value
                .as_object()
                .is_some_and(|object| properties(words, object)),
            "array" => value.is_array(),
            "string" => value.is_string(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            other => panic!("unknown type {other}"),
        },
        // Checked together with `type`: "object".
        "properties" => true,
        "minimum" => value.as_f64().is_none_or(|x| x >= rule.as_f64().unwrap()),
        "maximum" => value.as_f64().is_none_or(|x| x <= rule.as_f64().unwrap()),
        "minLength" => value
            .as_str()
            .is_none_or(|s| s.chars().count() as u64 >= rule.as_u64().unwrap()),
        "maxLength" => value
            .as_str()
            .is_none_or(|s| s.chars().count() as u64 <= rule.as_u64().unwrap()),
        "pattern" => value.as_str().is_none_or(|s| match rule.as_str().unwrap() {
            "^[A-Za-z0-9_-]{1,63}$" => {
                (1..=63).contains(&s.len())
                    && s.chars()
                        .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
            }
            "[./$]" => s.contains(['.', '/', '$']),
            other => panic!("unknown pattern {other}"),
        }),
        "items" => value
            .as_array()
            .is_none_or(|items| items.iter().all(|item| valid(rule, item))),
        "minItems" => value
            .as_array()
            .is_none_or(|items| items.len() as u64 >= rule.as_u64().unwrap()),
        "maxItems" => value
            .as_array()
            .is_none_or(|items| items.len() as u64 <= rule.as_u64().unwrap()),
        "const" => value == rule,
        "enum" => rule.as_array().unwrap().contains(value),
        "anyOf" => rule
            .as_array()
            .unwrap()
            .iter()
            .any(|branch| valid(branch, value)),
        "oneOf" => {
            rule.as_array()
                .unwrap()
                .iter()
                .filter(|branch| valid(branch, value))
                .count()
                == 1
        }
        other => panic!("unknown word {other}"),
    })
}

/// Checks `properties`, `required` and `additionalProperties: false`.
fn properties(
    words: &serde_json::Map<String, Json>,
    object: &serde_json::Map<String, Json>,
) -> bool {
    assert_eq!(words["additionalProperties"], Json::Bool(false));
    let known = words["properties"].as_object().unwrap();
    let required = words.get("required").and_then(Json::as_array);
    let complete = required
        .into_iter()
        .flatten()
        .all(|key| object.contains_key(key.as_str().unwrap()));
    let each = |(key, value): (&String, &Json)| known.get(key).is_some_and(|s| valid(s, value));
    complete && object.iter().all(each)
}

fn accepts(text: &str) -> bool {
    valid(&generate::json_schema(), &toml::from_str(text).unwrap())
}

#[test]
fn what_the_parser_accepts_the_schema_accepts() {
    let example = generate::example();
    let on = example.lines().map(|line| match line.strip_prefix('#') {
        Some(rest) if rest.starts_with(|c: char| c == '[' || c.is_ascii_lowercase()) => rest,
        _ => line,
    });
    let on = on.collect::<Vec<_>>().join("\n");
    for text in ["", include_str!("../../demo.toml"), &example, &on] {
        assert!(accepts(text));
    }
    assert!(accepts("[loop]\ncpu_affinity = 3\n"));
    assert!(accepts("[safety]\npeak_force_n = 3\n"));
}

#[test]
fn what_the_parser_refuses_in_one_key_the_schema_refuses() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/errors");
    for name in [
        "unknown_keys",
        "not_applicable",
        "missing",
        "wrong_types",
        "words",
        "too_many",
    ] {
        let text = std::fs::read_to_string(folder.join(name).with_extension("toml")).unwrap();
        let text = text.replace("1979-05-27", "0");
        assert!(!accepts(&text), "{name}");
    }
    for line in [
        "loop.rate_hz = 499",
        "loop.rate_hz = 1000.5",
        "loop.clock = 'hots'",
        "loop.cpu_affinity = 'all'",
        "safety.peak_force_n = 100.5",
        "safety = 3",
        "log.level = 'everything'",
        "body = [{ name = 'a b', shape = { kind = 'plate', size_m = [1, 1] } }]",
        "body = [{ name = 'a', shape = { kind = 'plate', size_m = [1, 1, 1] } }]",
        "body = [{ name = 'a', shape = { kind = 'plate', size_m = [1, 1], radius_m = 1 } }]",
        "body = [{ name = 'a', shape = { size_m = [1, 1] } }]",
        "body = [{ shape = { kind = 'plate', size_m = [1, 1] } }]",
    ] {
        assert!(!accepts(line), "{line}");
    }
    assert!(accepts(
        "body = [{ name = 'a', shape = { kind = 'plate', size_m = [1, 1] } }]"
    ));
}
