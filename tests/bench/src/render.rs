//! The tables of the documents, between the markers that each document has for them.

use crate::section::{Detail, Row, Section};
use crate::stamp::{By, Measured};

/// Documents with tables, from the repository's root.
pub const DOCUMENTS: [&str; 2] = ["docs/benchmarks.md", "docs/benchmarks/notes.md"];

/// Returns `text` with its tables renewed: each stands between `<!-- table N -->` and `<!-- end
/// -->`, N the number of a section or of the row that it details. `sections` in order.
///
/// # Errors
/// If a marker names no table or has no end.
pub fn render(text: &str, sections: &[Section]) -> Result<String, String> {
    let mut fresh = String::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        fresh += line;
        fresh.push('\n');
        let marker = line.trim().strip_prefix("<!-- table ");
        let Some(name) = marker.and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let table = table(name, sections).ok_or_else(|| format!("there is no table {name}"))?;
        let end = lines.find(|line| line.trim() == "<!-- end -->");
        let end = end.ok_or_else(|| format!("table {name} has no end"))?;
        let indent = &line[..line.len() - line.trim_start().len()];
        // Without empty lines a Markdown reader takes the table for the marker's text.
        fresh.push('\n');
        for row in table {
            fresh += &format!("{indent}{row}\n");
        }
        fresh += &format!("\n{end}\n");
    }
    Ok(fresh)
}

/// Returns the lines of table `name`.
fn table(name: &str, sections: &[Section]) -> Option<Vec<String>> {
    if let Ok(number) = name.parse::<usize>() {
        return Some(main_table(sections.get(number.checked_sub(1)?)?));
    }
    let detail = sections.iter().find_map(|s| s.details.get(name));
    detail.map(detail_table)
}

fn main_table(section: &Section) -> Vec<String> {
    let columns = ["row, what", "bound", "ours", "peer", "command", "measured"];
    let mut lines = head(&columns.map(String::from));
    for row in &section.rows {
        let cell = |cell: &Option<_>| match cell {
            Some(cell) => crate::Cell::markdown(cell, &row.unit, None),
            None => String::new(),
        };
        let command = match row.command.as_str() {
            "" => "note".to_owned(),
            command => format!("`{command}`"),
        };
        lines.push(line(&[
            format!("{} {}", row.id, row.what),
            cell(&row.bound),
            ours(row),
            cell(&row.peer),
            command,
            when(&row.measured),
        ]));
    }
    lines
}

/// Returns our figures, bold what misses its bound.
fn ours(row: &Row) -> String {
    let Some(ours) = &row.ours else {
        return String::new();
    };
    if row.missed {
        return format!("**{}**", ours.markdown(&row.unit, None));
    }
    ours.markdown(&row.unit, row.bound.as_ref())
}

fn when(measured: &Measured) -> String {
    let by = match measured.by {
        By::Bench | By::Lab => "",
        By::Hand => ", by hand",
    };
    format!("{}{by}", measured.date)
}

fn detail_table(detail: &Detail) -> Vec<String> {
    let mut lines = head(&detail.columns);
    for row in &detail.rows {
        let cells = row.cells.iter().map(|cell| cell.markdown("", None));
        let cells: Vec<String> = std::iter::once(row.what.clone()).chain(cells).collect();
        lines.push(line(&cells));
    }
    lines
}

fn head(columns: &[String]) -> Vec<String> {
    vec![line(columns), "|---".repeat(columns.len()) + "|"]
}

/// Returns a table's line; an empty cell is one space wide.
fn line(cells: &[String]) -> String {
    let cells = cells.iter().map(|cell| match cell.as_str() {
        "" => " |".to_owned(),
        cell => format!(" {cell} |"),
    });
    format!("|{}", cells.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn section() -> Section {
        serde_json::from_str(
            r#"{
                "rows": [{
                    "id": "1.1", "what": "tick", "unit": "us", "bound": 20, "ours": 21,
                    "command": "bench a b",
                    "measured": {"date": "2026-01-02", "machine": "m", "by": "hand"}
                }],
                "details": {"1.1": {
                    "columns": ["scene", "us"],
                    "rows": [{
                        "what": "a", "cells": [2],
                        "measured": {"date": "2026-01-02", "machine": "m", "by": "bench"}
                    }]
                }}
            }"#,
        )
        .unwrap()
    }

    #[test]
    fn tables_stand_between_their_markers() {
        let text = "# T\n<!-- table 1 -->\nold\n<!-- end -->\n  <!-- table 1.1 -->\n  <!-- end -->\nrest\n";
        let fresh = render(text, &[section()]).unwrap();
        let expected = "# T\n<!-- table 1 -->\n\n\
            | row, what | bound | ours | peer | command | measured |\n|---|---|---|---|---|---|\n\
            | 1.1 tick | 20 us | **21 us** | | `bench a b` | 2026-01-02, by hand |\n\n<!-- end -->\n  \
            <!-- table 1.1 -->\n\n  | scene | us |\n  |---|---|\n  | a | 2 |\n\n  <!-- end -->\nrest\n";
        assert_eq!(fresh, expected);
        assert_eq!(render(&fresh, &[section()]).unwrap(), fresh);
    }

    #[test]
    fn a_marker_that_names_no_table_is_refused() {
        for name in ["0", "2", "1.2", "x"] {
            let text = format!("<!-- table {name} -->\n<!-- end -->\n");
            assert!(render(&text, &[section()]).is_err());
        }
        assert!(render("<!-- table 1 -->\n", &[section()]).is_err());
    }
}
