//! Generates the JSON Schema (draft 2020-12) of the file, for editors.
//!
//! It covers what a schema can express: names, types, ranges, words, and which keys belong to which
//! tag. Only the parser checks references between tables and relations between limits.

use serde_json::{Map, Value as Json, json};

use crate::key::{Key, Kind, Section, one_line};
use crate::read::Tabular;
use crate::schema::Config;
use crate::value::Value;

/// Generates the schema as JSON, `config/schema.json`.
#[must_use]
pub fn json_schema() -> Json {
    let mut schema = table(Config::SECTION);
    if let Json::Object(object) = &mut schema {
        object.insert(
            "$schema".to_owned(),
            "https://json-schema.org/draft/2020-12/schema".into(),
        );
        object.insert("title".to_owned(), "hapticd.toml".into());
    }
    schema
}

/// One set of keys that a table can have together.
#[derive(Clone, Default)]
struct Alternative {
    properties: Map<String, Json>,
    required: Vec<&'static str>,
}

fn table(section: &'static Section) -> Json {
    let mut alternatives = alternatives(section);
    let description = one_line(section.doc);
    if alternatives.len() == 1
        && let Some(only) = alternatives.pop()
    {
        let mut schema = object(only);
        schema.insert("description".to_owned(), description.into());
        return schema.into();
    }
    let branches: Vec<Json> = alternatives.into_iter().map(|a| object(a).into()).collect();
    json!({ "description": description, "oneOf": branches })
}

fn object(alternative: Alternative) -> Map<String, Json> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    schema.insert("properties".to_owned(), alternative.properties.into());
    if !alternative.required.is_empty() {
        schema.insert("required".to_owned(), alternative.required.into());
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}

fn alternatives(section: &'static Section) -> Vec<Alternative> {
    let mut all = with_keys(vec![Alternative::default()], section.keys);
    if let Some(variants) = &section.variants {
        let before = all;
        all = Vec::new();
        for case in variants.cases {
            let mut tagged = before.clone();
            for alternative in &mut tagged {
                let mut tag = leaf(&variants.tag);
                tag.insert("const".to_owned(), case.name.into());
                tag.remove("enum");
                let name = variants.tag.name;
                alternative.properties.insert(name.to_owned(), tag.into());
                // If the tag has a default, leaving it out means that case only.
                let default = variants.tag.default.map(Value::from);
                if default.as_ref().and_then(Value::as_text) != Some(case.name) {
                    alternative.required.push(name);
                }
            }
            all.extend(with_keys(tagged, case.keys));
        }
    }
    all
}

fn with_keys(mut all: Vec<Alternative>, keys: &'static [Key]) -> Vec<Alternative> {
    for key in keys {
        if let Kind::Flatten(section) = key.kind {
            let inner = alternatives(section);
            all = all
                .iter()
                .flat_map(|outer| {
                    inner.iter().map(|inner| {
                        let mut both = outer.clone();
                        both.properties.extend(inner.properties.clone());
                        both.required.extend(&inner.required);
                        both
                    })
                })
                .collect();
            continue;
        }
        for alternative in &mut all {
            alternative
                .properties
                .insert(key.name.to_owned(), property(key));
            if key.required {
                alternative.required.push(key.name);
            }
        }
    }
    all
}

fn property(key: &'static Key) -> Json {
    match key.kind {
        Kind::Table(section) => table(section),
        Kind::Tables { section, max } => json!({
            "description": one_line(key.doc),
            "type": "array",
            "items": table(section),
            "maxItems": max,
        }),
        _ => leaf(key).into(),
    }
}

fn leaf(key: &Key) -> Map<String, Json> {
    let mut schema = Map::new();
    let description = match key.unit {
        Some(unit) => format!("{} Unit: {unit}.", one_line(key.doc)),
        None => one_line(key.doc),
    };
    schema.insert("description".to_owned(), description.into());
    if let Some(default) = key.default {
        schema.insert("default".to_owned(), Value::from(default).to_json());
    }
    let number = |min: f64, max: f64| json!({ "type": "number", "minimum": min, "maximum": max });
    let constraint = match key.kind {
        Kind::Boolean => json!({ "type": "boolean" }),
        Kind::Integer { min, max, word } => or_word(
            json!({ "type": "integer", "minimum": min, "maximum": max }),
            word,
        ),
        Kind::Number { min, max, word } => or_word(number(min, max), word),
        Kind::Numbers { count, min, max } => json!({
            "type": "array", "items": number(min, max), "minItems": count, "maxItems": count,
        }),
        Kind::Direction => json!({
            "type": "array", "items": { "type": "number" }, "minItems": 3, "maxItems": 3,
        }),
        Kind::Points {
            least,
            most,
            min,
            max,
        } => json!({
            "type": "array", "minItems": least, "maxItems": most,
            "items": { "type": "array", "items": number(min, max), "minItems": 2, "maxItems": 2 },
        }),
        Kind::Text { max_chars } => {
            json!({ "type": "string", "minLength": 1, "maxLength": max_chars })
        }
        Kind::Name => json!({ "type": "string", "pattern": "^[A-Za-z0-9_-]{1,63}$" }),
        Kind::Path(_) => json!({ "type": "string", "minLength": 1 }),
        Kind::NameOrPath { names: &[] } => json!({ "type": "string", "minLength": 1 }),
        Kind::NameOrPath { names } => json!({
            "anyOf": [{ "enum": names }, { "type": "string", "pattern": "[./$]" }],
        }),
        Kind::Choice(choices) => {
            let names: Vec<_> = choices.iter().map(|choice| choice.name).collect();
            json!({ "enum": names })
        }
        // Tables are not leaves; `property` handled them.
        Kind::Table(_) | Kind::Flatten(_) | Kind::Tables { .. } => json!({}),
    };
    if let Json::Object(constraint) = constraint {
        schema.extend(constraint);
    }
    schema
}

fn or_word(number: Json, word: Option<&str>) -> Json {
    match word {
        Some(word) => json!({ "anyOf": [number, { "const": word }] }),
        None => number,
    }
}
