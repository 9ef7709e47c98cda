//! Sensitivity of the bars: each `feel` experiment falls short with its planted fault. That it
//! holds without is in `verdicts.rs`.

use std::process::Command;

use serde_json::Value;

fn run(words: &[&str]) -> Vec<Value> {
    let output = Command::new(env!("CARGO_BIN_EXE_lab"))
        .args(words)
        .output()
        .expect("the program runs");
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().expect("JSON a line")
}

fn judged(id: &str) -> (bool, String) {
    let told = run(&["run", id, "--json", "--quick", "--mutant"]);
    let [told] = &told[..] else {
        panic!("{id}: {told:?}");
    };
    let why = told["why"].as_str().expect("a reason");
    let rows = told["rows"].as_array().map_or(0, Vec::len);
    assert!(rows > 0, "{id}: nothing was measured");
    (told["verdict"] == "holds", why.to_owned())
}

#[test]
fn every_experiment_on_feel_tells_its_planted_fault() {
    let all = run(&["list", "--json"]);
    let ids = all.iter().filter_map(|one| one["id"].as_str());
    let mut count = 0;
    for id in ids.filter(|id| id.starts_with("feel-")) {
        let (holds, why) = judged(id);
        assert!(!holds, "{id} does not tell its fault: {why}");
        if id == "feel-fidelity" {
            // Every part of it.
            let short = why.split("; held:").next().unwrap_or_default();
            for part in [
                "default bodies",
                "corners",
                "ripple",
                "pegs",
                "volumes",
                "closed paths",
            ] {
                assert!(short.contains(part), "{part}: {why}");
            }
        }
        count += 1;
    }
    assert_eq!(count, 11);
}

#[test]
fn faults_and_small_runs_are_refused_where_there_are_none() {
    for (id, flag) in [("redon-e1", "--mutant"), ("redon-e12", "--quick")] {
        let output = Command::new(env!("CARGO_BIN_EXE_lab"))
            .args(["run", id, flag])
            .output()
            .expect("the program runs");
        assert_eq!(output.status.code(), Some(2));
    }
}
