//! The gate's own test: every planted violation dies with the sanitizer's report, the clean
//! function lives.
//!
//! Each case runs in a process of its own (this test binary, started again with `RTGATE_CASE`),
//! because the sanitizer ends the process that it catches.
#![forbid(unsafe_code)]

use hapticd_rtgate::{Materials, PLANTED};

/// Runs the case that the parent asked for. Without one there is nothing to do.
#[test]
fn case() {
    let Ok(name) = std::env::var("RTGATE_CASE") else {
        return;
    };
    let planted = PLANTED
        .iter()
        .find(|planted| planted.name == name)
        .expect("a known case");
    let mut materials = Materials::new().expect("materials");
    (planted.run)(&mut materials);
    // The parent looks for this: the function came back.
    #[allow(
        clippy::print_stdout,
        reason = "the line is the child's answer to its parent"
    )]
    {
        println!("RTGATE-CAME-BACK");
    }
}

#[cfg(rtsan)]
#[test]
fn every_planted_violation_is_caught_and_the_clean_function_is_not() {
    use std::process::Command;

    let mut wrong = Vec::new();
    for planted in PLANTED {
        let output = Command::new(std::env::current_exe().expect("this binary"))
            .args(["--exact", "case", "--nocapture", "--test-threads=1"])
            .env("RTGATE_CASE", planted.name)
            .env("RTSAN_OPTIONS", "halt_on_error=true")
            .output()
            .expect("starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let came_back = String::from_utf8_lossy(&output.stdout).contains("RTGATE-CAME-BACK");
        let good = match planted.offence {
            None => came_back && output.status.success(),
            Some(offence) => {
                let report = text
                    .lines()
                    .find(|line| line.contains("RealtimeSanitizer: unsafe-library-call"));
                let call = text
                    .lines()
                    .find(|line| line.starts_with("Intercepted call to real-time unsafe function"));
                !came_back
                    && !output.status.success()
                    && report.is_some()
                    && call.is_some_and(|line| line.contains(offence))
            }
        };
        if !good {
            wrong.push(format!(
                "{}: {} came back: {came_back}\n{text}",
                planted.name, output.status
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "the gate is wrong about:\n{}",
        wrong.join("\n")
    );
}
