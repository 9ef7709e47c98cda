//! Generators that work from the key definitions: the reference, the JSON Schema and the example
//! file.
//!
//! The results are committed. The test `generated_files_are_up_to_date` compares them, and rewrites
//! them if the environment variable `UPDATE_GENERATED` is set.

mod example;
mod json_schema;
mod markdown;

pub use example::example;
pub use json_schema::json_schema;
pub use markdown::{EXAMPLES, markdown};

use crate::key::{Key, Kind, Reload, Stricter};
use crate::value::Value;

/// Describes the allowed values of a key for the reference and the example: `500 to 8000 Hz`.
fn allowed(key: &Key) -> String {
    let unit = key.unit.map(|unit| format!(" {unit}")).unwrap_or_default();
    let range = |min: Value, max: Value, word: Option<&str>| {
        let word = word
            .map(|word| format!(", or \"{word}\""))
            .unwrap_or_default();
        format!("{} to {}{unit}{word}", min.short(), max.short())
    };
    match key.kind {
        Kind::Boolean => "true or false".to_owned(),
        Kind::Integer { min, max, word } => range(Value::Integer(min), Value::Integer(max), word),
        Kind::Number { min, max, word } => range(Value::Number(min), Value::Number(max), word),
        Kind::Numbers { count, min, max } => {
            let each = range(Value::Number(min), Value::Number(max), None);
            format!("{count} numbers, each {each}")
        }
        Kind::Direction => "3 numbers, not all zero".to_owned(),
        Kind::Points {
            least,
            most,
            min,
            max,
        } => {
            let each = range(Value::Number(min), Value::Number(max), None);
            format!("{least} to {most} points [x, y], each number {each}")
        }
        Kind::Text { max_chars } => format!("text, at most {max_chars} characters"),
        Kind::Name => "name: 1 to 63 of A-Z a-z 0-9 _ -".to_owned(),
        Kind::Path(_) => "path".to_owned(),
        Kind::NameOrPath { names: &[] } => "name, or path (has a `/` or a `.`)".to_owned(),
        Kind::NameOrPath { names } => format!("{}, or path (has a `/` or a `.`)", quoted(names)),
        Kind::Choice(choices) => {
            let names: Vec<_> = choices.iter().map(|choice| choice.name).collect();
            quoted(&names)
        }
        Kind::Table(_) | Kind::Flatten(_) => "table".to_owned(),
        Kind::Tables { max, .. } => format!("up to {max} tables"),
    }
}

fn quoted(names: &[&str]) -> String {
    let names: Vec<_> = names.iter().map(|name| format!("\"{name}\"")).collect();
    names.join(", ")
}

/// Names what a reload may do with the key.
fn reload(key: &Key) -> &'static str {
    match key.reload {
        Reload::Restart => "restart",
        Reload::Live => "live",
        Reload::TightenOnly(Stricter::Lower) => "lower only",
        Reload::TightenOnly(Stricter::Higher) => "raise only",
    }
}
