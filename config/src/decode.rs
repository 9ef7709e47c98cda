//! Decodes one TOML value: checks type and range of a single key.
//!
//! Pure; allocates only for texts and errors. Never panics.

use std::ops::RangeInclusive;

use toml::Spanned;
use toml::de::DeValue;

use crate::diagnostic::{Diagnostic, Problem, with_unit};
use crate::key::{Key, Kind, looks_like_path};
use crate::suggest;
use crate::value::Value;

/// Longest name, in characters: what fits into a name on the wire.
pub(crate) const NAME_MAX: usize = 63;

/// Longest path text, in characters (`PATH_MAX` of Linux).
const PATH_MAX: usize = 4096;

/// Whether `text` is an identifier: 1 to 63 of `A-Z a-z 0-9 _ -`.
pub(crate) fn is_name(text: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    !text.is_empty() && text.len() <= NAME_MAX && text.chars().all(allowed)
}

/// Names the type of a value for an error text.
pub(crate) fn type_of(value: &DeValue<'_>) -> &'static str {
    match value {
        DeValue::String(_) => "a string",
        DeValue::Integer(_) => "an integer",
        DeValue::Float(_) => "a number with a decimal point",
        DeValue::Boolean(_) => "a boolean",
        DeValue::Datetime(_) => "a date or time",
        DeValue::Array(_) => "an array",
        DeValue::Table(_) => "a table",
    }
}

/// Checks `item` against `key` and returns the value.
pub(crate) fn decode(
    key: &'static Key,
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    let value = item.get_ref();
    match (key.kind, value) {
        (Kind::Boolean, DeValue::Boolean(b)) => Ok(Value::Boolean(*b)),
        (Kind::Integer { min, max, .. }, DeValue::Integer(_)) => {
            integer_in_range(key, min, max, item)
        }
        (Kind::Number { min, max, .. }, DeValue::Integer(_) | DeValue::Float(_)) => {
            let number = number(key, value).map_err(|problem| fail(*problem, item))?;
            in_range(key, number, min, max, item)?;
            Ok(Value::Number(number))
        }
        (
            Kind::Integer {
                word: Some(word), ..
            }
            | Kind::Number {
                word: Some(word), ..
            },
            DeValue::String(text),
        ) if text == word => Ok(Value::Text(word.to_owned())),
        (Kind::Numbers { count, min, max }, DeValue::Array(array)) => {
            elements(key, array, count, min..=max, item).map(Value::Numbers)
        }
        (Kind::Direction, DeValue::Array(array)) => direction(key, array, item),
        (
            Kind::Points {
                least,
                most,
                min,
                max,
            },
            DeValue::Array(array),
        ) => points(key, array, least..=most, min..=max, item),
        (Kind::Text { max_chars }, DeValue::String(text)) => {
            printable(key, text, max_chars).map_err(|problem| fail(*problem, item))
        }
        (Kind::Path(_), DeValue::String(text)) => {
            printable(key, text, PATH_MAX).map_err(|problem| fail(*problem, item))
        }
        (Kind::Name, DeValue::String(text)) => name(key, text, item),
        (Kind::NameOrPath { names }, DeValue::String(text)) => name_or_path(key, text, names, item),
        (Kind::Choice(choices), DeValue::String(text)) => {
            let names: Vec<_> = choices.iter().map(|choice| choice.name).collect();
            one_of(key, text, &names, item)
        }
        _ => Err(wrong_type(key, item)),
    }
}

/// Makes an error that points at `item`.
fn fail(problem: Problem, item: &Spanned<DeValue<'_>>) -> Box<Diagnostic> {
    Box::new(Diagnostic::new(problem, Some(item.span())))
}

/// Decodes an integer from `min` to `max`.
fn integer_in_range(
    key: &'static Key,
    min: i64,
    max: i64,
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    let number = integer(key, item.get_ref()).map_err(|problem| fail(*problem, item))?;
    if (min..=max).contains(&number) {
        return Ok(Value::Integer(number));
    }
    let number = Value::Integer(number);
    Err(out_of_range(
        key,
        number,
        Value::Integer(min),
        Value::Integer(max),
        item,
    ))
}

/// Decodes a vector of any length but zero.
fn direction(
    key: &'static Key,
    array: &[Spanned<DeValue<'_>>],
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    let xs = elements(key, array, 3, -1e6..=1e6, item)?;
    if xs.iter().all(|&x| x == 0.0) {
        return Err(fail(Problem::NoDirection { key: key.name }, item));
    }
    Ok(Value::Numbers(xs))
}

/// Decodes an array of pairs of numbers: first their count, then each pair.
fn points(
    key: &'static Key,
    array: &[Spanned<DeValue<'_>>],
    counts: RangeInclusive<usize>,
    range: RangeInclusive<f64>,
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    // The message names the minimum if there are too few points, the maximum if too many.
    let expected = array.len().clamp(*counts.start(), *counts.end());
    if array.len() != expected {
        let problem = Problem::WrongCount {
            key: key.name,
            expected,
            found: array.len(),
        };
        return Err(fail(problem, item));
    }
    let mut points = Vec::with_capacity(array.len());
    for point in array.iter() {
        let DeValue::Array(pair) = point.get_ref() else {
            let problem = Problem::WrongType {
                key: key.name,
                expected: "made of pairs of numbers".to_owned(),
                found: type_of(point.get_ref()),
            };
            return Err(fail(problem, point));
        };
        let xy = elements(key, pair, 2, range.clone(), point)?;
        points.extend(<[f64; 2]>::try_from(xy));
    }
    Ok(Value::Points(points))
}

/// Decodes an identifier.
fn name(
    key: &'static Key,
    text: &str,
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    if is_name(text) {
        return Ok(Value::Text(text.to_owned()));
    }
    let problem = Problem::NotAName {
        key: key.name,
        value: text.to_owned(),
    };
    Err(fail(problem, item))
}

/// Decodes a path, or one of `names`; without any, every identifier is allowed.
fn name_or_path(
    key: &'static Key,
    text: &str,
    names: &[&'static str],
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    if looks_like_path(text) {
        return printable(key, text, PATH_MAX).map_err(|problem| fail(*problem, item));
    }
    let name = name(key, text, item)?;
    if names.is_empty() {
        return Ok(name);
    }
    one_of(key, text, names, item)
}

/// Decodes one of `names`.
fn one_of(
    key: &'static Key,
    text: &str,
    names: &[&'static str],
    item: &Spanned<DeValue<'_>>,
) -> Result<Value, Box<Diagnostic>> {
    if names.contains(&text) {
        return Ok(Value::Text(text.to_owned()));
    }
    Err(not_allowed(key, text, names, item))
}

fn integer(key: &'static Key, value: &DeValue<'_>) -> Result<i64, Box<Problem>> {
    let DeValue::Integer(digits) = value else {
        return Err(Box::new(Problem::TooLarge {
            key: key.name,
            text: String::new(),
        }));
    };
    i64::from_str_radix(digits.as_str(), digits.radix()).map_err(|_| {
        Box::new(Problem::TooLarge {
            key: key.name,
            text: digits.to_string(),
        })
    })
}

fn number(key: &'static Key, value: &DeValue<'_>) -> Result<f64, Box<Problem>> {
    let DeValue::Float(digits) = value else {
        // Exact up to 2^53, which is beyond every range of the schema.
        return integer(key, value).map(|i| i as f64);
    };
    match digits.as_str().parse::<f64>() {
        // A negative zero is a typing error; it must not reach a division.
        Ok(x) if x.is_finite() => Ok(x + 0.0),
        _ => Err(Box::new(Problem::NotFinite {
            key: key.name,
            text: digits.to_string(),
        })),
    }
}

fn in_range(
    key: &'static Key,
    number: f64,
    min: f64,
    max: f64,
    item: &Spanned<DeValue<'_>>,
) -> Result<(), Box<Diagnostic>> {
    if (min..=max).contains(&number) {
        return Ok(());
    }
    let (min, max) = (Value::Number(min), Value::Number(max));
    Err(out_of_range(key, Value::Number(number), min, max, item))
}

fn elements(
    key: &'static Key,
    array: &[Spanned<DeValue<'_>>],
    count: usize,
    range: RangeInclusive<f64>,
    item: &Spanned<DeValue<'_>>,
) -> Result<Vec<f64>, Box<Diagnostic>> {
    if array.len() != count {
        let problem = Problem::WrongCount {
            key: key.name,
            expected: count,
            found: array.len(),
        };
        return Err(Box::new(Diagnostic::new(problem, Some(item.span()))));
    }
    let mut xs = Vec::with_capacity(count);
    for element in array {
        let value = element.get_ref();
        if !matches!(value, DeValue::Integer(_) | DeValue::Float(_)) {
            let problem = Problem::WrongType {
                key: key.name,
                expected: "made of numbers".to_owned(),
                found: type_of(value),
            };
            return Err(Box::new(Diagnostic::new(problem, Some(element.span()))));
        }
        let x = number(key, value)
            .map_err(|problem| Box::new(Diagnostic::new(*problem, Some(element.span()))))?;
        in_range(key, x, *range.start(), *range.end(), element)?;
        xs.push(x);
    }
    Ok(xs)
}

fn printable(key: &'static Key, text: &str, max: usize) -> Result<Value, Box<Problem>> {
    let found = text.chars().count();
    if found == 0 || found > max || text.chars().any(char::is_control) {
        return Err(Box::new(Problem::BadText {
            key: key.name,
            max,
            found,
        }));
    }
    Ok(Value::Text(text.to_owned()))
}

fn out_of_range(
    key: &'static Key,
    value: Value,
    min: Value,
    max: Value,
    item: &Spanned<DeValue<'_>>,
) -> Box<Diagnostic> {
    let mut help = format!("allowed: {} to {}", min.short(), with_unit(&max, key.unit));
    if let Some(default) = key.default {
        help.push_str(&format!(", default {}", Value::from(default).short()));
    }
    let problem = Problem::OutOfRange {
        key: key.name,
        value,
        min,
        max,
        unit: key.unit,
    };
    Box::new(Diagnostic::new(problem, Some(item.span())).help(help))
}

fn not_allowed(
    key: &'static Key,
    text: &str,
    names: &[&'static str],
    item: &Spanned<DeValue<'_>>,
) -> Box<Diagnostic> {
    let problem = Problem::NotAllowed {
        key: key.name,
        value: text.to_owned(),
    };
    let help = match suggest::nearest(text, names.iter().copied()) {
        Some(nearest) => format!("did you mean \"{nearest}\"?"),
        None => suggest::one_of(names.iter().copied()),
    };
    Box::new(Diagnostic::new(problem, Some(item.span())).help(help))
}

fn wrong_type(key: &'static Key, item: &Spanned<DeValue<'_>>) -> Box<Diagnostic> {
    let problem = Problem::WrongType {
        key: key.name,
        expected: expected(key),
        found: type_of(item.get_ref()),
    };
    let mut diagnostic = Diagnostic::new(problem, Some(item.span()));
    let numeric = matches!(
        key.kind,
        Kind::Integer { .. } | Kind::Number { .. } | Kind::Boolean
    );
    if let DeValue::String(text) = item.get_ref()
        && numeric
        && (text.parse::<f64>().is_ok() || text.parse::<bool>().is_ok())
    {
        diagnostic = diagnostic.help(format!("write it without quotes: {} = {text}", key.name));
    } else if let Some(shown) = key.shown() {
        diagnostic = diagnostic.help(format!(
            "for example `{} = {}`",
            key.name,
            Value::from(shown)
        ));
    }
    Box::new(diagnostic)
}

/// Names the type of a key for an error text and the reference.
pub(crate) fn expected(key: &Key) -> String {
    let or_word = |text: &str, word: Option<&str>| match word {
        Some(word) => format!("{text} or \"{word}\""),
        None => text.to_owned(),
    };
    match key.kind {
        Kind::Boolean => "true or false".to_owned(),
        Kind::Integer { word, .. } => or_word("an integer", word),
        Kind::Number { word, .. } => or_word("a number", word),
        Kind::Numbers { count, .. } => format!("an array of {count} numbers"),
        Kind::Direction => "an array of 3 numbers".to_owned(),
        Kind::Points { .. } => "an array of [x, y]".to_owned(),
        Kind::Text { .. } => "a string".to_owned(),
        Kind::Name => "a name in quotes".to_owned(),
        Kind::Path(_) => "a path in quotes".to_owned(),
        Kind::NameOrPath { .. } => "a name or a path in quotes".to_owned(),
        Kind::Choice(choices) => {
            let names: Vec<_> = choices
                .iter()
                .map(|choice| format!("\"{}\"", choice.name))
                .collect();
            match names.as_slice() {
                [all @ .., last] if !all.is_empty() => format!("{} or {last}", all.join(", ")),
                _ => names.join(""),
            }
        }
        Kind::Table(_) | Kind::Flatten(_) => "a table".to_owned(),
        Kind::Tables { .. } => "an array of tables".to_owned(),
    }
}
