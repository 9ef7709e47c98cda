//! `benchmarks`: tables and figures of `docs/benchmarks.md`.
//!
//! ```text
//! benchmarks                        renders the tables
//! benchmarks set ROW CELL=JSON...   renews `bound`, `ours`, `peer` or `missed` of a row
//! benchmarks lab                    renews rows by what `lab run ID --json` prints, from its input
//! ```

#![forbid(unsafe_code)]
// A program.
#![allow(clippy::print_stdout, clippy::print_stderr)]

use std::process::ExitCode;

use hapticd_benchmarks::{
    By, Cell, DOCUMENTS, UPDATE, folder, load, render, renew, root, take_lab,
};

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        [] => Ok(()),
        ["set", id, cells @ ..] if !cells.is_empty() => set(id, cells),
        ["lab"] => lab(),
        _ => Err("usage: benchmarks [set ROW CELL=JSON... | lab]".to_owned()),
    };
    // Whatever was renewed is shown.
    match done.and_then(|()| tables()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(why) => {
            eprintln!("benchmarks: {why}");
            ExitCode::FAILURE
        }
    }
}

fn tables() -> Result<(), String> {
    let sections: Vec<_> = load(&folder())?.into_iter().map(|(_, s)| s).collect();
    for document in DOCUMENTS {
        let path = root().join(document);
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{document}: {e}"))?;
        let fresh = render(&text, &sections).map_err(|why| format!("{document}: {why}"))?;
        std::fs::write(&path, fresh).map_err(|e| format!("{document}: {e}"))?;
    }
    Ok(())
}

/// What `set` gives a row.
enum Change {
    Bound(Cell),
    Ours(Cell),
    Peer(Cell),
    Missed(bool),
}

impl Change {
    /// Parses `CELL=JSON`.
    fn parse(word: &str) -> Result<Self, String> {
        let (name, json) = word.split_once('=').ok_or("a cell is CELL=JSON")?;
        let wrong = |e: serde_json::Error| format!("{word}: {e}");
        let cell = || serde_json::from_str(json).map_err(wrong);
        Ok(match name {
            "bound" => Self::Bound(cell()?),
            "ours" => Self::Ours(cell()?),
            "peer" => Self::Peer(cell()?),
            "missed" => Self::Missed(serde_json::from_str(json).map_err(wrong)?),
            _ => return Err(format!("no cell `{name}`: bound, ours, peer or missed")),
        })
    }
}

fn set(id: &str, words: &[&str]) -> Result<(), String> {
    let changes: Result<Vec<_>, _> = words.iter().map(|word| Change::parse(word)).collect();
    let changes = changes?;
    // A script that measures says so; otherwise it is a person.
    let by = match std::env::var_os(UPDATE) {
        Some(_) => By::Bench,
        None => By::Hand,
    };
    renew(id, by, |row| {
        for change in changes {
            match change {
                Change::Bound(cell) => row.bound = Some(cell),
                Change::Ours(cell) => row.ours = Some(cell),
                Change::Peer(cell) => row.peer = Some(cell),
                Change::Missed(missed) => row.missed = missed,
            }
        }
    })
}

fn lab() -> Result<(), String> {
    for line in std::io::stdin().lines() {
        let line = line.map_err(|e| e.to_string())?;
        println!("renewed: {}", take_lab(&line)?.join(", "));
    }
    Ok(())
}
