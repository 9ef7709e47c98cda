//! Tables for people: columns as wide as their widest cell, numbers aligned to the right.

use std::fmt::Write;

use serde_json::Value;

use crate::experiment::Report;

/// Formats the report as text: notes, table, verdict.
pub fn render(id: &str, title: &str, report: &Report) -> String {
    let mut text = format!("{id}: {title}\n");
    for note in report.notes.iter().chain(&report.details) {
        let _ = writeln!(text, "  {note}");
    }
    let mut headings = vec!["", "unit", "published", "ours"];
    for row in &report.rows {
        for column in row.more.keys() {
            if !headings.contains(&column.as_str()) {
                headings.push(column);
            }
        }
    }
    let mut lines: Vec<Vec<String>> = vec![headings.iter().map(|h| (*h).to_owned()).collect()];
    for row in &report.rows {
        let mut line = vec![
            row.name.clone(),
            row.unit.to_owned(),
            cell(&row.published),
            cell(&row.ours),
        ];
        line.extend((headings[4..].iter()).map(|h| row.more.get(*h).map_or(String::new(), cell)));
        lines.push(line);
    }
    text.push_str(&aligned(&lines));
    let _ = writeln!(
        text,
        "verdict: {}: {}",
        report.verdict.word(),
        report.verdict.why
    );
    text
}

/// Formats a value as a cell; numbers with four significant digits, counts in full.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "-".to_owned(),
        Value::String(s) => s.clone(),
        Value::Number(n) => match n.as_f64() {
            Some(x) if !n.is_i64() && !n.is_u64() => significant(x),
            _ => n.to_string(),
        },
        other => other.to_string(),
    }
}

fn significant(x: f64) -> String {
    let size = x.abs();
    if size == 0.0 {
        "0".to_owned()
    } else if (1e-3..1e6).contains(&size) {
        let decimals = (3 - size.log10().floor() as i32).max(0) as usize;
        format!("{x:.decimals$}")
    } else {
        format!("{x:.3e}")
    }
}

/// Aligns lines of cells; the first column to the left, the others to the right.
pub fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| {
        let cells = lines.iter().filter_map(|line| line.get(c));
        cells.map(|s| s.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<_> = (0..columns).map(width).collect();
    let mut text = String::new();
    for line in lines {
        let mut out = String::from(" ");
        for (c, (s, w)) in line.iter().zip(&widths).enumerate() {
            if c == 0 {
                let _ = write!(out, " {s:<w$}");
            } else {
                let _ = write!(out, "  {s:>w$}");
            }
        }
        text.push_str(out.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::{Row, Verdict};

    #[test]
    fn a_report_is_a_table_with_a_verdict() {
        let report = Report {
            rows: vec![
                Row::new("mean", "us", 0.74, 0.5),
                Row::new("missed", "", Value::Null, 0).with("peer", 12),
            ],
            verdict: Verdict::new(true, "none missed"),
            more: serde_json::Map::new(),
            notes: vec!["seed 1".into()],
            details: vec!["query 0".into()],
        };
        assert_eq!(
            render("a-b", "title", &report),
            "a-b: title\n  seed 1\n  query 0\n          unit  published    ours  peer\n  mean      us     0.7400  0.5000\n  \
             missed                -       0    12\nverdict: holds: none missed\n"
        );
    }

    #[test]
    fn numbers_keep_four_digits() {
        assert_eq!(significant(1234.56), "1235");
        assert_eq!(significant(-0.0123456), "-0.01235");
        assert_eq!(significant(1.5e-9), "1.500e-9");
        assert_eq!(significant(f64::NAN), "NaN");
    }
}
