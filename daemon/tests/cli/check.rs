//! What `hapticd check` says of a rig: to people and to scripts, of good files and of bad ones.

use super::{ARM, folder, hapticd};

#[test]
fn check_prints_the_rig_and_warns_of_what_is_hardly_meant() {
    let dir = folder("sheet");
    let arm = format!("{ARM}motion_scale = 100.0\n");
    std::fs::write(dir.join("wide.toml"), arm).unwrap();
    let out = hapticd(&dir, &["check", "wide.toml"]);
    assert_eq!(out.status.code(), Some(0), "a warning is no error");
    let said = String::from_utf8(out.stdout).unwrap();
    for words in [
        "arm `right`: simulated",
        "a sphere, radius 0.0050 m",
        "limits: 4 N, 2 N held",
        "warning: arm.right.motion_scale: the workspace is",
    ] {
        assert!(said.contains(words), "{words}\n{said}");
    }
    let out = hapticd(&dir, &["check", "wide.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(2));
    let out = hapticd(&dir, &["check", "wide.toml", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(said["rig"]["arms"][0]["limits"]["peak_force_n"], 4.0);
    assert_eq!(said["warnings"][0]["key"], "arm.right.motion_scale");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn deformables_that_cannot_keep_up_here_are_warned_of_in_numbers() {
    let dir = folder("pace");
    // 10,201 points in 100 substeps a millisecond are beyond any machine, 25 points are not.
    let cloth = |soft: &str, cells| {
        format!(
            "{ARM}{soft}[[body]]\nname = \"cloth\"\nkind = \"cloth\"\n\
             shape = {{ kind = \"sheet\", size_m = 0.3, cells = {cells} }}\nposition_m = [0.0, 0.0, -0.3]\n"
        )
    };
    let fine = cloth("[soft]\nstep_ticks = 1\nsubsteps = 100\n", 100);
    std::fs::write(dir.join("fine.toml"), fine).unwrap();
    std::fs::write(dir.join("coarse.toml"), cloth("", 4)).unwrap();
    let out = hapticd(&dir, &["check", "fine.toml", "--json"]);
    assert_eq!(out.status.code(), Some(0), "a warning is no error");
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let warnings = said["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{said}");
    assert_eq!(warnings[0]["key"], "soft.step_ticks");
    let message = warnings[0]["message"].as_str().unwrap();
    assert!(
        message.contains(" and has 1.0 ms: they move at "),
        "{message}"
    );
    let out = hapticd(&dir, &["check", "fine.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8(out.stdout).unwrap();
    let line = "warning: soft.step_ticks: a step of the deformable bodies takes ";
    assert!(text.contains(line), "{text}");
    let out = hapticd(&dir, &["check", "coarse.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn bad_files_are_described_to_scripts_with_file_line_and_key() {
    let dir = folder("bad-json");
    let far = "v 0 0 0\nv 3e9 0 0\nv 0 3e9 0\nv 0 0 3e9\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    std::fs::write(dir.join("far.obj"), far).unwrap();
    let body = "[[body]]\nname = \"a\"\nshape = ";
    for (name, text, key) in [
        (
            "range",
            format!("{ARM}motion_scale = 1e9\n"),
            "motion_scale",
        ),
        (
            "cells",
            format!("{body}{{ kind = \"terrain\", size_m = [0.3, 0.3], cells = 1024 }}\n"),
            "body.a.shape.kind",
        ),
        (
            "far",
            format!("{body}{{ kind = \"mesh\", file = \"far.obj\" }}\n"),
            "body.a.shape.file",
        ),
    ] {
        let file = format!("{name}.toml");
        std::fs::write(dir.join(&file), text).unwrap();
        let out = hapticd(&dir, &["check", &file, "--json"]);
        assert_eq!(out.status.code(), Some(2), "{name}");
        let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        assert_eq!(said["valid"], false);
        let error = &said["errors"][0];
        assert_eq!(error["key"], key, "{said}");
        assert!(
            error["line"].as_u64().is_some_and(|line| line > 0),
            "{said}"
        );
        assert!(error["file"].as_str().is_some_and(|f| f.ends_with(&file)));
    }
    let out = hapticd(&dir, &["check", "nowhere.toml", "--json"]);
    assert_eq!(out.status.code(), Some(2));
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert!(said["errors"][0]["line"].is_null());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_recording_that_was_removed_meanwhile_is_a_failure() {
    let dir = folder("removed");
    let mut daemon = super::Daemon::start(&dir, &["demo", "--plain", "--record", "run.mcap"]);
    let begun = std::time::Instant::now();
    let is_written = || {
        let file = std::fs::metadata(dir.join("run.mcap"));
        // Ticks, and not the schemas alone: the process takes no signals before it runs.
        file.is_ok_and(|file| file.len() > 200_000)
    };
    while !is_written() {
        assert!(begun.elapsed().as_secs() < 60, "nothing is recorded");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    std::fs::remove_file(dir.join("run.mcap")).unwrap();
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(1));
    daemon.until("its file was removed");
    std::fs::remove_dir_all(dir).unwrap();
}

/// What `run` would refuse is not good, and what it would warn of is warned of.
#[test]
fn check_says_what_run_would_say() {
    let dir = folder("as-run");
    let slow = format!("[safety]\nslew_n_per_ms = 0.001\n{ARM}");
    let cold = format!("[safety]\ncontinuous_force_n = 0.001\n{ARM}");
    for (text, words) in [
        (String::new(), "the configuration has no [[arm]]"),
        (
            slow,
            "slew_n_per_s is 1, must be at least 80: a peak of 4 must fade within 50 ms",
        ),
        (cold, "continuous_force_n is 0.001: with a peak of 4"),
    ] {
        std::fs::write(dir.join("rig.toml"), text).unwrap();
        for args in [
            ["check", "rig.toml"].as_slice(),
            &["run", "rig.toml", "--plain"],
        ] {
            let out = hapticd(&dir, args);
            assert_eq!(out.status.code(), Some(2), "{args:?}: {out:?}");
            let said = String::from_utf8(out.stderr).unwrap();
            assert!(said.contains(words), "{args:?}: {said}");
        }
    }
    let other = ARM.replace("\"right\"", "\"left\"");
    std::fs::write(dir.join("rig.toml"), format!("{ARM}{other}")).unwrap();
    let out = hapticd(&dir, &["check", "rig.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(2));
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(said.contains("10.0 mm inside the tool of `left`"), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A reader that is full is none, and scripts ask for the status.
#[test]
fn what_cannot_be_said_is_a_failure() {
    let dir = folder("full");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let full = std::fs::File::options().write(true).open("/dev/full");
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(["check", "rig.toml"])
        .current_dir(&dir)
        .stdout(full.unwrap())
        .status();
    assert_eq!(status.unwrap().code(), Some(1));
    std::fs::remove_dir_all(dir).unwrap();
}

/// What would be waited for, or lost at the end of a run, is said before it begins.
#[test]
fn outputs_that_cannot_be_made_are_refused_before_the_run() {
    let dir = folder("outputs");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let made = std::process::Command::new("mkfifo")
        .arg(dir.join("pipe"))
        .status();
    assert!(made.unwrap().success());
    for (args, words) in [
        (["--record", "pipe"], "pipe: "),
        (["--report", "nowhere/x.json"], "there is no such folder"),
        (["--report", "."], "it is a folder"),
    ] {
        let args = [&["run", "rig.toml", "--plain"], args.as_slice()].concat();
        let out = hapticd(&dir, &args);
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        assert!(said.contains(words), "{args:?}: {said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// A mesh in millimetres that is taken for metres.
#[test]
fn a_body_of_forty_metres_is_warned_of_with_its_unit() {
    let dir = folder("forty");
    std::fs::write(dir.join("bone.obj"), super::obj("0 0 40", false)).unwrap();
    let body = |keys: &str| {
        format!(
            "{ARM}[[body]]\nname = \"bone\"\nposition_m = [0.0, 0.0, -60.0]\n\
             shape = {{ kind = \"mesh\", file = \"bone.obj\"{keys} }}\n"
        )
    };
    std::fs::write(dir.join("large.toml"), body("")).unwrap();
    std::fs::write(dir.join("small.toml"), body(", scale = 0.001")).unwrap();
    let out = hapticd(&dir, &["check", "large.toml"]);
    assert_eq!(out.status.code(), Some(0), "a warning is no error");
    let said = String::from_utf8(out.stdout).unwrap();
    let line = "warning: body.bone.shape.scale: the body is 40.000 m long, ";
    let help = "a mesh in millimetres needs scale = 0.001";
    let is_told = |l: &str| l.contains(line) && l.ends_with(help);
    assert!(said.lines().any(is_told), "{said}");
    let out = hapticd(&dir, &["check", "small.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}
