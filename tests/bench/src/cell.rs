//! Figures of a cell.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Number;

/// What a cell of a table holds. Numbers are in the row's unit.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// One number, shown as the file has it.
    Number(Number),
    /// Words, or a figure with its own unit.
    Text(String),
    /// Two quantiles of the same times, shown as `median / p99`.
    Quantiles {
        /// Half of the times are below.
        median: Number,
        /// 99 % of the times are below.
        p99: Number,
    },
    /// Least and most of several runs.
    Range {
        /// Least.
        from: Number,
        /// Most.
        to: Number,
    },
    /// Several figures, in the order of the row's description.
    Several(Vec<Cell>),
}

/// Makes a cell of one number, with three significant digits.
#[must_use]
pub fn number(x: f64) -> Cell {
    Cell::Number(rounded(x))
}

/// Makes a cell of a median and a 99th percentile, with three significant digits.
#[must_use]
pub fn quantiles(median: f64, p99: f64) -> Cell {
    let [median, p99] = [median, p99].map(rounded);
    Cell::Quantiles { median, p99 }
}

/// Rounds to three significant digits; a number of 100 or more to a whole one. What is not finite
/// becomes 0, as JSON has no such number.
fn rounded(x: f64) -> Number {
    if x.abs() >= 99.95 && x.abs() < 1e15 {
        return Number::from(x.round() as i64);
    }
    let text = format!("{x:.2e}");
    Number::from_f64(text.parse().unwrap_or(0.0)).unwrap_or_else(|| Number::from(0))
}

impl From<f64> for Cell {
    fn from(x: f64) -> Self {
        number(x)
    }
}

impl From<usize> for Cell {
    fn from(n: usize) -> Self {
        Self::Number(Number::from(n))
    }
}

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<Cell>> for Cell {
    fn from(cells: Vec<Cell>) -> Self {
        Self::Several(cells)
    }
}

impl Cell {
    /// Makes a cell of the least and the most of some numbers, with three significant digits.
    #[must_use]
    pub fn range(all: &[f64]) -> Self {
        Self::Range {
            from: rounded(all.iter().copied().fold(f64::INFINITY, f64::min)),
            to: rounded(all.iter().copied().fold(f64::NEG_INFINITY, f64::max)),
        }
    }

    /// Returns whether a figure is above its bound. `false` where they cannot be compared: then a
    /// person says so, in [`Row::missed`](crate::Row::missed).
    #[must_use]
    pub fn is_above(&self, bound: &Cell) -> bool {
        let value = |x: &Number| x.as_f64().unwrap_or(f64::NAN);
        match (self, bound) {
            (
                Self::Number(x) | Self::Range { to: x, .. } | Self::Quantiles { p99: x, .. },
                Self::Number(bound),
            ) => value(x) > value(bound),
            (Self::Quantiles { median, p99 }, Self::Quantiles { median: m, p99: p }) => {
                value(median) > value(m) || value(p99) > value(p)
            }
            (Self::Several(all), Self::Several(bounds)) => {
                all.len() == bounds.len() && all.iter().zip(bounds).any(|(x, b)| x.is_above(b))
            }
            (Self::Several(all), bound) => all.iter().any(|x| x.is_above(bound)),
            _ => false,
        }
    }

    /// Returns the cell in Markdown, its unit behind its last number; bold is what is above its
    /// bound.
    #[must_use]
    pub fn markdown(&self, unit: &str, bound: Option<&Cell>) -> String {
        let unit = match self.last() {
            Self::Text(_) => "",
            _ => unit,
        };
        let space = if unit.is_empty() { "" } else { " " };
        match self {
            // Each of several is judged alone.
            Self::Several(all) => {
                let text = |(k, x): (usize, &Cell)| {
                    let bound = match bound {
                        Some(Self::Several(bounds)) => bounds.get(k),
                        bound => bound,
                    };
                    let unit = if k + 1 == all.len() { unit } else { "" };
                    x.markdown(unit, bound)
                };
                let all: Vec<String> = all.iter().enumerate().map(text).collect();
                all.join(", ")
            }
            _ if bound.is_some_and(|bound| self.is_above(bound)) => {
                format!("**{self}{space}{unit}**")
            }
            _ => format!("{self}{space}{unit}"),
        }
    }

    fn last(&self) -> &Cell {
        match self {
            Self::Several(all) => all.last().map_or(self, Cell::last),
            _ => self,
        }
    }
}

impl fmt::Display for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(x) => write!(f, "{x}"),
            Self::Text(text) => f.write_str(text),
            Self::Quantiles { median, p99 } => write!(f, "{median} / {p99}"),
            Self::Range { from, to } => write!(f, "{from} to {to}"),
            Self::Several(all) => {
                for (k, x) in all.iter().enumerate() {
                    let comma = if k > 0 { ", " } else { "" };
                    write!(f, "{comma}{x}")?;
                }
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(json: &str) -> Cell {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_cell_is_shown_as_its_file_has_it() {
        for (json, shown) in [
            ("19.0", "19.0 us"),
            ("3.5e-13", "3.5e-13 us"),
            (r#""2 to 10 ms""#, "2 to 10 ms"),
            (r#"{"median":14.5,"p99":32}"#, "14.5 / 32 us"),
            (r#"{"from":0.57,"to":1.1}"#, "0.57 to 1.1 us"),
            (r#"[1.1,10.8,0.8]"#, "1.1, 10.8, 0.8 us"),
            (r#"[0,"0.02 %"]"#, "0, 0.02 %"),
        ] {
            assert_eq!(cell(json).markdown("us", None), shown);
        }
        assert_eq!(cell("0").markdown("", None), "0");
    }

    #[test]
    fn what_is_above_its_bound_is_bold() {
        let bold = |ours: &str, bound: &str| cell(ours).markdown("us", Some(&cell(bound)));
        let (ours, bound) = (r#"{"median":19,"p99":52}"#, r#"{"median":20,"p99":50}"#);
        assert_eq!(bold(ours, bound), "**19 / 52 us**");
        assert_eq!(bold(bound, bound), "20 / 50 us");
        assert_eq!(bold(r#"{"from":0.5,"to":2.1}"#, "2"), "**0.5 to 2.1 us**");
        assert_eq!(bold("[2.7,9.1]", "3"), "2.7, **9.1 us**");
        let (ours, bound) = (r#"[0,"0.02 %",1.2,68]"#, r#"[0,"1 %",1,100]"#);
        assert_eq!(bold(ours, bound), "0, 0.02 %, **1.2**, 68 us");
        assert_eq!(bold("5", r#""twice the peer's""#), "5 us");
    }

    #[test]
    fn a_bench_writes_three_significant_digits() {
        let shown = [0.012345, 1.0, 14.523, 99.96, 1297.4, 0.0].map(|x| number(x).to_string());
        assert_eq!(shown, ["0.0123", "1.0", "14.5", "100", "1297", "0.0"]);
        assert_eq!(number(f64::NAN).to_string(), "0");
    }
}
