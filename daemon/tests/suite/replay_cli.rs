//! `hapticd record` and `hapticd replay` as a user calls them: output and exit codes.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

fn hapticd(args: &[&str]) -> (Option<i32>, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(args)
        // Separate sockets.
        .env("XDG_RUNTIME_DIR", env!("CARGO_TARGET_TMPDIR"))
        .output()
        .expect("it starts");
    let text = String::from_utf8_lossy(&stdout).into_owned() + &String::from_utf8_lossy(&stderr);
    (status.code(), text)
}

fn at(name: &str) -> String {
    let path: PathBuf = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    path.to_str().expect("plain").to_owned()
}

fn demo() -> String {
    format!("{}/../config/demo.toml", env!("CARGO_MANIFEST_DIR"))
}

fn record(file: &str, how: &[&str]) {
    // The folder outlives the tests, and existing files are not overwritten.
    let _ = std::fs::remove_file(file);
    let mut args = vec!["record", "--output", file, "--no-check"];
    let config = demo();
    args.extend(how);
    args.push(&config);
    let (code, text) = hapticd(&args);
    assert_eq!(code, Some(0), "{text}");
}

#[test]
fn a_run_in_virtual_time_is_verified() {
    let file = at("virtual.mcap");
    record(&file, &["--virtual-time", "--duration", "1"]);
    let (code, text) = hapticd(&["replay", &file, "--verify"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("1000 ticks, identical bit for bit"), "{text}");
    let report = at("virtual.json");
    let (code, text) = hapticd(&["replay", &file, "--json", "--check", "--report", &report]);
    assert_eq!(code, Some(0), "{text}");
    let json: serde_json::Value = serde_json::from_str(&text).expect("nothing but JSON");
    assert_eq!(
        (&json["identical"], &json["ticks"]),
        (&true.into(), &1000.into())
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(report).expect("written")).expect("JSON");
    assert_eq!(report["report"]["arms"][0]["checked_ticks"], 1000);
}

/// The threads' timing depends on the machine; the computed values are reproduced all the same.
#[test]
fn a_run_in_real_time_is_verified() {
    let file = at("real.mcap");
    record(&file, &["--duration", "1.5"]);
    let (code, text) = hapticd(&["replay", &file, "--verify", "--json"]);
    assert_eq!(code, Some(0), "{text}");
    let json: serde_json::Value = serde_json::from_str(&text).expect("nothing but JSON");
    assert_eq!(json["identical"], true, "{text}");
    // The last ticks also have the collision steps that they need.
    assert_eq!(
        (&json["unverified_ticks"], &json["end"]),
        (&0.into(), &"complete".into()),
        "{text}"
    );
}

#[test]
fn damage_fails_the_verification_and_a_cut_does_not() {
    let file = at("damaged.mcap");
    record(&file, &["--virtual-time", "--duration", "2"]);
    let bytes = std::fs::read(&file).expect("written");
    std::fs::write(&file, &bytes[..bytes.len() * 2 / 3]).expect("written");
    let (code, text) = hapticd(&["replay", &file, "--verify"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.contains("the file is cut off there"), "{text}");
    let mut broken = bytes.clone();
    broken[bytes.len() / 2] ^= 0x10;
    std::fs::write(&file, &broken).expect("written");
    let (code, text) = hapticd(&["replay", &file, "--verify"]);
    assert_eq!(code, Some(1), "{text}");
    // Said once.
    assert_eq!(
        text.matches("the rest is not verifiable").count(),
        1,
        "{text}"
    );
}

#[test]
fn another_file_is_the_users_mistake() {
    for (file, why) in [
        (demo(), "not an MCAP file"),
        (at("there is no such file"), "cannot be read"),
        (
            format!(
                "{}/../tests/data/explore-terrain.mcap",
                env!("CARGO_MANIFEST_DIR")
            ),
            "it is a trajectory",
        ),
    ] {
        let (code, text) = hapticd(&["replay", &file, "--verify"]);
        assert_eq!(code, Some(2), "{text}");
        assert!(text.contains(why), "{text}");
    }
}

/// The beginning of a recording of format 1, as a recording and as an intention.
#[test]
fn a_recording_of_an_earlier_format_is_refused_with_what_to_do() {
    let old = format!(
        "{}/../tests/data/trajectory-format-1.mcap",
        env!("CARGO_MANIFEST_DIR")
    );
    let config = at("old.toml");
    let arm = "[[arm]]\nname = \"right\"\nkind = \"simulated\"\n\
        tool = { kind = \"sphere\", radius_m = 0.005 }\n";
    std::fs::write(&config, format!("{arm}intention = {old:?}\n")).expect("written");
    for args in [
        &["replay", &old, "--verify"],
        &["replay", &old, "--check"],
        &["check", &config, "--strict"],
    ] {
        let (code, text) = hapticd(args);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        for words in [
            "of format 1, written by hapticd 0.1.0;",
            "reads format 3: read it with the hapticd that wrote it, or record it again",
        ] {
            assert!(text.contains(words), "{args:?}: {text}");
        }
    }
}

#[test]
fn a_full_disk_stops_the_recording_and_not_the_run() {
    let (code, text) = hapticd(&[
        "run",
        &demo(),
        "--virtual-time",
        "--duration",
        "0.5",
        "--no-check",
        "--record",
        "/dev/full",
    ]);
    assert_eq!(code, Some(1), "{text}");
    assert!(
        text.contains("the recording is not complete: No space left on device"),
        "{text}"
    );
    // The summary of a whole run.
    assert!(text.contains("500 ticks"), "{text}");
}

#[test]
fn a_file_that_exists_is_not_overwritten_unless_forced() {
    let (file, poses) = (at("kept.mcap"), at("kept-poses.mcap"));
    record(&file, &["--virtual-time", "--duration", "0.1"]);
    let config = demo();
    let short = ["--virtual-time", "--duration", "0.2", "--no-check"];
    let cases = [
        (
            &file,
            [&["record", &config, "--output", &file], &short[..]].concat(),
        ),
        (
            &file,
            [&["run", &config, "--record", &file], &short[..]].concat(),
        ),
        (&file, [&["demo", "--record", &file], &short[..]].concat()),
        (&poses, vec!["replay", &file, "--trajectory", &poses]),
    ];
    for (target, mut args) in cases {
        if target == &poses {
            std::fs::write(&poses, "precious").expect("written");
        }
        let before = std::fs::read(target).expect("there");
        let (code, text) = hapticd(&args);
        assert_eq!(code, Some(2), "{args:?}: {text}");
        for part in [target.as_str(), "already exists", "another name", "--force"] {
            assert!(text.contains(part), "`{part}` is not in: {text}");
        }
        assert_eq!(std::fs::read(target).expect("there"), before, "{args:?}");
        args.push("--force");
        let (code, text) = hapticd(&args);
        assert_eq!(code, Some(0), "{args:?}: {text}");
        assert_ne!(std::fs::read(target).expect("there"), before, "{args:?}");
    }
}

#[test]
fn a_recording_without_ticks_is_reported_as_such() {
    let file = at("no-ticks.mcap");
    record(&file, &["--virtual-time", "--duration", "0.1"]);
    // Cut off in the first message.
    let bytes = std::fs::read(&file).expect("written");
    let topic = bytes
        .windows(8)
        .position(|w| w == b"\"tick\":1")
        .expect("a first tick");
    std::fs::write(&file, &bytes[..topic]).expect("written");
    let (code, text) = hapticd(&["replay", &file, "--verify"]);
    assert_eq!(code, Some(1), "{text}");
    assert!(text.contains("it has no ticks"), "{text}");
    assert!(!text.contains("identical"), "{text}");
    // Nothing was computed, so there is nothing to report.
    let (code, text) = hapticd(&["replay", &file]);
    assert_eq!(code, Some(1), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines.len(), 1, "{text}");
    assert!(lines[0].contains("it has no ticks"), "{text}");
}

#[test]
fn a_trajectory_of_a_damaged_recording_is_not_left_half_written() {
    let (file, poses) = (at("half.mcap"), at("half-poses.mcap"));
    record(&file, &["--virtual-time", "--duration", "2"]);
    let _ = std::fs::remove_file(&poses);
    let mut bytes = std::fs::read(&file).expect("written");
    let middle = bytes.len() / 2;
    bytes[middle] ^= 0x10;
    std::fs::write(&file, &bytes).expect("written");
    let (code, text) = hapticd(&["replay", &file, "--trajectory", &poses]);
    assert_eq!(code, Some(1), "{text}");
    assert!(!Path::new(&poses).exists(), "{text}");
}

#[test]
fn a_trajectory_never_takes_the_place_of_its_recording() {
    let file = at("own.mcap");
    record(&file, &["--virtual-time", "--duration", "0.2"]);
    let before = std::fs::read(&file).expect("written");
    let (code, text) = hapticd(&["replay", &file, "--trajectory", &file, "--force"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(
        text.contains("it is the recording, which would be lost"),
        "{text}"
    );
    assert_eq!(std::fs::read(&file).expect("still there"), before);
}
