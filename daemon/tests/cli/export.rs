//! `hapticd export` where no daemon runs.

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use super::*;

#[test]
fn export_says_at_once_that_it_waits_for_a_daemon() {
    let dir = folder("export-alone");
    let mut process = Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args([
            "export",
            "out.obj",
            "--within",
            "60",
            "--socket",
            "none.sock",
        ])
        .current_dir(&dir)
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let line = lines.next().unwrap().unwrap();
    let is_waiting = process.try_wait().unwrap().is_none();
    process.kill().unwrap();
    process.wait().unwrap();
    assert!(
        line.starts_with("hapticd: no daemon at none.sock: "),
        "{line}"
    );
    assert!(
        line.ends_with("; waiting up to 60 s for one (--within)"),
        "{line}"
    );
    assert!(is_waiting);
    let out = hapticd(
        &dir,
        &[
            "export",
            "out.obj",
            "--within",
            "0",
            "--socket",
            "none.sock",
        ],
    );
    assert_eq!(out.status.code(), Some(1));
    let said = String::from_utf8(out.stderr).unwrap();
    assert!(
        said.contains("no daemon at none.sock") && !said.contains("waiting"),
        "{said}"
    );
    std::fs::remove_dir_all(dir).unwrap();
}
