//! Runs scenarios one after the other inside the test machine and prints one line for each; the
//! exit status is the number that failed (at most 100). `scenario --list` names them all.
#![forbid(unsafe_code)]
#![allow(
    clippy::print_stdout,
    reason = "its standard output is the machine's console, where the verdict is read"
)]

mod arms;
mod daemon;
mod rig;

use std::process::ExitCode;
use std::time::Instant;

/// A scenario: returns what it showed, or why it failed.
type Scenario = fn() -> Result<String, String>;

/// All scenarios in order of execution: the virtual arms prove themselves before the daemon is
/// tested.
const SCENARIOS: &[(&str, Scenario)] = &[
    ("rig-uhid", rig::uhid),
    ("rig-gadget", rig::gadget),
    ("rig-console", rig::console),
    ("enumeration", arms::enumeration),
    ("contact", arms::contact),
    ("mesh", arms::mesh),
    ("interlocks", arms::interlocks),
    ("replug", arms::replug),
    ("hung", arms::hung),
    ("misfit", arms::misfit),
    ("garbage", arms::garbage),
    ("twins", arms::twins),
];

fn main() -> ExitCode {
    let wanted: Vec<String> = std::env::args().skip(1).collect();
    if wanted.iter().any(|name| name == "--list") {
        for (name, _) in SCENARIOS {
            println!("{name}");
        }
        return ExitCode::SUCCESS;
    }
    if let Some(unknown) = wanted
        .iter()
        .find(|name| !SCENARIOS.iter().any(|(known, _)| known == name))
    {
        println!("no scenario `{unknown}`; --list names them");
        return ExitCode::from(2);
    }
    let mut failed = 0u8;
    let mut passed = 0;
    for (name, scenario) in SCENARIOS {
        if !wanted.is_empty() && !wanted.iter().any(|wanted| wanted == name) {
            continue;
        }
        let start = Instant::now();
        let outcome = scenario();
        let seconds = start.elapsed().as_secs_f64();
        match outcome {
            Ok(shown) => {
                passed += 1;
                println!("ok     {name} ({seconds:.1} s): {shown}");
            }
            Err(why) => {
                failed = (failed + 1).min(100);
                println!("FAILED {name} ({seconds:.1} s): {why}");
            }
        }
    }
    println!("scenarios: {passed} passed, {failed} failed");
    ExitCode::from(failed)
}
