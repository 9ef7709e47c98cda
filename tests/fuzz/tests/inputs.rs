//! Runs every input of the corpora, and every input that once caused a failure, through its target.
// A panic names the input before it.
#![allow(clippy::print_stdout)]

use hapticd_fuzz::{TARGETS, find, seeds};
use std::{fs, path::Path};

/// Runs all inputs of a target; returns their number.
fn run_all(kind: &str, name: &str) -> usize {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(kind).join(name);
    let Ok(entries) = fs::read_dir(&folder) else {
        return 0;
    };
    let run = find(name).unwrap().run;
    let mut paths: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    for path in &paths {
        println!("{}", path.display());
        run(&fs::read(path).unwrap());
    }
    paths.len()
}

#[test]
fn inputs_that_broke_something_break_nothing_now() {
    for target in TARGETS {
        run_all("regressions", target.name);
    }
}

#[test]
fn every_target_takes_its_whole_corpus() {
    for target in TARGETS {
        let count = run_all("corpus", target.name);
        assert!(count > 0, "{} has no corpus", target.name);
    }
}

#[test]
fn every_seed_goes_through_its_target() {
    for (name, seed) in seeds::all() {
        let target = find(name).unwrap();
        (target.run)(&seed);
    }
}

#[test]
fn no_folder_of_inputs_is_without_a_target() {
    for kind in ["corpus", "regressions"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(kind);
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            if entry.file_type().unwrap().is_dir() {
                let name = entry.file_name().into_string().unwrap();
                assert!(find(&name).is_some(), "{kind}/{name}");
            }
        }
    }
}
