//! A value that was read, and its notation in TOML.
//!
//! Pure data; allocates. [`Display`](fmt::Display) writes a [`Value`] as valid TOML that reads back
//! as the same value.

use std::fmt;

use crate::key::Literal;

/// A value of the configuration whose type was checked.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// An optional key that is not set.
    Unset,
    /// `true` or `false`.
    Boolean(bool),
    /// A whole number.
    Integer(i64),
    /// A finite real number.
    Number(f64),
    /// A string, a word, a choice, or a path before environment variables are substituted.
    Text(String),
    /// An array of finite real numbers.
    Numbers(Vec<f64>),
    /// An array of points in the plane.
    Points(Vec<[f64; 2]>),
}

impl Value {
    /// Returns the number, if it is one.
    #[must_use]
    pub fn as_number(&self) -> Option<f64> {
        match *self {
            Value::Integer(i) => Some(i as f64),
            Value::Number(x) => Some(x),
            _ => None,
        }
    }

    /// Returns the text, if it is one.
    #[must_use]
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Value::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Formats the value for a person: as TOML, but whole numbers without a decimal point and small
    /// ones without an exponent.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Value::Number(x) => short_number(*x),
            Value::Numbers(xs) => {
                let parts: Vec<_> = xs.iter().map(|&x| short_number(x)).collect();
                format!("[{}]", parts.join(", "))
            }
            other => other.to_string(),
        }
    }

    /// Returns the value as JSON (`null` if unset).
    #[must_use]
    pub fn to_json(&self) -> serde_json::Value {
        match self {
            Value::Unset => serde_json::Value::Null,
            Value::Boolean(b) => (*b).into(),
            Value::Integer(i) => (*i).into(),
            Value::Number(x) => (*x).into(),
            Value::Text(text) => text.as_str().into(),
            Value::Numbers(xs) => xs.as_slice().into(),
            Value::Points(points) => points.iter().map(|p| p.as_slice()).collect(),
        }
    }
}

fn short_number(x: f64) -> String {
    if x == 0.0 || (1e-6..1e15).contains(&x.abs()) {
        format!("{x}")
    } else {
        format!("{x:?}")
    }
}

impl From<Literal> for Value {
    fn from(literal: Literal) -> Value {
        match literal {
            Literal::Boolean(b) => Value::Boolean(b),
            Literal::Integer(i) => Value::Integer(i),
            Literal::Number(x) => Value::Number(x),
            Literal::Text(text) => Value::Text(text.to_owned()),
            Literal::Numbers(xs) => Value::Numbers(xs.to_vec()),
            Literal::Points(points) => Value::Points(points.to_vec()),
        }
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Unset => f.write_str("unset"),
            Value::Boolean(b) => write!(f, "{b}"),
            Value::Integer(i) => write!(f, "{i}"),
            Value::Number(x) => write!(f, "{x:?}"),
            Value::Text(text) => write_string(f, text),
            Value::Numbers(xs) => {
                f.write_str("[")?;
                for (i, x) in xs.iter().enumerate() {
                    write!(f, "{}{x:?}", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
            Value::Points(points) => {
                f.write_str("[")?;
                for (i, [x, y]) in points.iter().enumerate() {
                    write!(f, "{}[{x:?}, {y:?}]", if i == 0 { "" } else { ", " })?;
                }
                f.write_str("]")
            }
        }
    }
}

/// Writes `text` as a TOML basic string.
fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_str("\"")?;
    for c in text.chars() {
        match c {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\t' => f.write_str("\\t")?,
            '\r' => f.write_str("\\r")?,
            c if c.is_control() => write!(f, "\\u{:04X}", u32::from(c))?,
            c => write!(f, "{c}")?,
        }
    }
    f.write_str("\"")
}
