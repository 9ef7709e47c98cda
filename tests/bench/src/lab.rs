//! Figures of the lab's experiments, from the reports that they print.

use serde_json::Value;

use crate::cell::{Cell, number};
use crate::stamp::By;
use crate::{folder, load, renew};

/// Renews the rows whose command runs the experiment of a report: one line of `lab run ID --json`.
/// Returns the numbers of the rows.
///
/// # Errors
/// If the text is no report, if a row that ours comes from is not in it or has another kind of
/// unit, or if a file cannot be written.
pub fn take(report: &str) -> Result<Vec<String>, String> {
    let report: Value = serde_json::from_str(report).map_err(|e| e.to_string())?;
    let id = report["id"].as_str().ok_or("no report: it has no `id`")?;
    let rows = report["rows"].as_array();
    let rows = rows.ok_or_else(|| format!("{id} has no rows: {}", report["error"]))?;
    let command = format!("lab run {id}");
    let mut renewed = Vec::new();
    for (_, section) in load(&folder())? {
        let own = section.rows.into_iter();
        for row in own.filter(|row| row.command == command && !row.lab.is_empty()) {
            let cells = row.lab.iter().map(|name| {
                let found = rows.iter().find(|r| r["name"] == name.as_str());
                let found = found.ok_or_else(|| format!("{id} has no row `{name}`"))?;
                figure(found, &row.unit).ok_or_else(|| format!("{id}, `{name}`: no number"))
            });
            let mut cells: Vec<Cell> = cells.collect::<Result<_, String>>()?;
            let ours = match cells.len() {
                1 => cells.remove(0),
                _ => Cell::Several(cells),
            };
            renew(&row.id, By::Lab, |row| row.ours = Some(ours))?;
            renewed.push(row.id);
        }
    }
    Ok(renewed)
}

/// Returns a row's own figure in `unit`; a count has no unit of its own.
fn figure(row: &Value, unit: &str) -> Option<Cell> {
    let ours = &row["ours"];
    match (seconds(row["unit"].as_str()?), seconds(unit)) {
        (Some(own), Some(wanted)) => Some(number(ours.as_f64()? * own / wanted)),
        _ => match ours {
            Value::Number(n) if n.is_f64() => n.as_f64().map(number),
            Value::Number(n) => Some(Cell::Number(n.clone())),
            _ => None,
        },
    }
}

/// Returns a unit of time in seconds.
fn seconds(unit: &str) -> Option<f64> {
    let units = [("s", 1.0), ("ms", 1e-3), ("us", 1e-6), ("ns", 1e-9)];
    units.into_iter().find(|(u, _)| *u == unit).map(|(_, s)| s)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn times_of_a_report_are_converted_to_the_unit_of_the_row() {
        let row = json!({ "unit": "s", "ours": 0.00123456 });
        assert_eq!(figure(&row, "ms").unwrap().to_string(), "1.23");
        let row = json!({ "unit": "", "ours": 0 });
        assert_eq!(figure(&row, "ms").unwrap().to_string(), "0");
        assert_eq!(figure(&json!({ "unit": "", "ours": "?" }), "ms"), None);
    }
}
