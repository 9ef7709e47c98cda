//! The tables of the documents are those of the JSON files beside them.
//!
//! `UPDATE_GENERATED=1 cargo test -p hapticd-benchmarks` renders them, as `cargo run -p
//! hapticd-benchmarks` does.

use std::collections::BTreeSet;

use hapticd_benchmarks::{DOCUMENTS, Section, folder, load, render, root};

fn sections() -> Vec<Section> {
    let sections = load(&folder()).unwrap();
    sections.into_iter().map(|(_, section)| section).collect()
}

#[test]
fn generated_files_are_up_to_date() {
    for document in DOCUMENTS {
        let path = root().join(document);
        let committed = std::fs::read_to_string(&path).unwrap();
        let fresh = render(&committed, &sections()).unwrap();
        if std::env::var_os("UPDATE_GENERATED").is_some() {
            std::fs::write(&path, &fresh).unwrap();
            continue;
        }
        assert!(
            committed == fresh,
            "{document} is out of date: run cargo run -p hapticd-benchmarks"
        );
    }
}

#[test]
fn every_table_has_a_place_in_a_document() {
    let texts = DOCUMENTS.map(|name| std::fs::read_to_string(root().join(name)).unwrap());
    let sections = sections();
    assert_eq!(sections.len(), 5);
    let numbers = (1..=sections.len()).map(|k| k.to_string());
    let details = sections.iter().flat_map(|s| s.details.keys().cloned());
    for name in numbers.chain(details) {
        let marker = format!("<!-- table {name} -->");
        assert!(texts.iter().any(|text| text.contains(&marker)), "{name}");
    }
}

#[test]
fn rows_are_numbered_and_tables_rectangular() {
    for (k, section) in sections().iter().enumerate() {
        for (i, row) in section.rows.iter().enumerate() {
            assert_eq!(row.id, format!("{}.{}", k + 1, i + 1));
        }
        for (id, detail) in &section.details {
            assert!(section.rows.iter().any(|row| row.id == *id), "{id}");
            let names: BTreeSet<_> = detail.rows.iter().map(|row| &row.what).collect();
            assert_eq!(names.len(), detail.rows.len(), "{id}");
            for row in &detail.rows {
                assert_eq!(
                    row.cells.len() + 1,
                    detail.columns.len(),
                    "{id} {}",
                    row.what
                );
            }
        }
    }
}

#[test]
fn every_figure_has_a_date_and_a_machine() {
    for section in sections() {
        let details = section.details.into_values().flat_map(|d| d.rows);
        let rows = section.rows.into_iter().map(|row| (row.id, row.measured));
        for (name, measured) in rows.chain(details.map(|row| (row.what, row.measured))) {
            let days = measured.date.split('/');
            let digits = days.map(|d| d.bytes().filter(u8::is_ascii_digit).count());
            assert!(
                measured.date.starts_with("20") && digits.min() >= Some(2),
                "{name}"
            );
            assert!(!measured.machine.is_empty(), "{name}");
        }
    }
}

/// `benchmarks lab` finds a figure by the name that its experiment gives it. An experiment may add
/// `: mean` and the like.
#[test]
fn figures_of_the_lab_have_names_that_it_uses() {
    let mut sources = String::new();
    let mut folders = vec![root().join("tests/lab/src")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                sources += &std::fs::read_to_string(path).unwrap();
            }
        }
    }
    let sections = sections();
    let rows = sections.iter().flat_map(|section| &section.rows);
    let names: Vec<&String> = rows.flat_map(|row| &row.lab).collect();
    assert!(!names.is_empty());
    for name in names {
        let own = name.rsplit_once(": ").map_or(name.as_str(), |(own, _)| own);
        assert!(sources.contains(&format!("\"{own}\"")), "{name}");
    }
}
