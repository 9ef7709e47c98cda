//! Output of `hapticd check` for people and for scripts, for good files and for bad ones.

use super::{ARM, config_file, folder, hapticd};

#[test]
fn check_prints_the_sheet_and_warns_of_unlikely_values() {
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
    // 10,201 points in 100 substeps a millisecond are beyond any machine; 25 points are not.
    let cloth = |deformable: &str, cells| {
        format!(
            "{ARM}{deformable}[[body]]\nname = \"cloth\"\nkind = \"cloth\"\n\
             shape = {{ kind = \"sheet\", size_m = 0.3, cells = {cells} }}\n\
             position_m = [0.0, 0.0, -0.3]\n"
        )
    };
    let fine = cloth("[deformable]\nstep_ticks = 1\nsubsteps = 100\n", 100);
    std::fs::write(dir.join("fine.toml"), fine).unwrap();
    std::fs::write(dir.join("coarse.toml"), cloth("", 4)).unwrap();
    let out = hapticd(&dir, &["check", "fine.toml", "--json"]);
    assert_eq!(out.status.code(), Some(0), "a warning is no error");
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let warnings = said["warnings"].as_array().unwrap();
    assert_eq!(warnings.len(), 1, "{said}");
    assert_eq!(warnings[0]["key"], "deformable.step_ticks");
    let message = warnings[0]["message"].as_str().unwrap();
    assert!(
        message.contains(" but may take 1.0 ms: they move at "),
        "{message}"
    );
    let out = hapticd(&dir, &["check", "fine.toml", "--strict"]);
    assert_eq!(out.status.code(), Some(2));
    let text = String::from_utf8(out.stdout).unwrap();
    let line = "warning: deformable.step_ticks: a step of the deformable bodies takes ";
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
        // Ticks and not only the schemas: the process takes no signals before it runs.
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

/// A configuration that `run` would refuse is not good, and what `run` would warn of is warned of.
#[test]
fn check_says_what_run_would_say() {
    let dir = folder("as-run");
    let slow = format!("[safety]\nslew_n_per_ms = 0.001\n{ARM}");
    let cold = format!("[safety]\ncontinuous_force_n = 0.001\n{ARM}");
    for (text, words) in [
        (String::new(), "the configuration has no [[arm]]"),
        (
            slow,
            "`slew_n_per_ms` is 0.001 N/ms, must be at least 0.08 N/ms: a peak of 4 N must fade \
             within `safety.fade_ms`, which is 50 ms",
        ),
        (cold, "`continuous_force_n` is 0.001: with a peak of 4"),
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

/// A limit is reported by the key and the unit of its file, and that file is named.
#[test]
fn a_limit_that_cannot_be_kept_is_named_by_its_key() {
    let dir = folder("own-key");
    let profile = include_str!("../../../config/devices/generic-vendor-3dof.toml");
    let write = |name: &str, from: &str, to: &str| {
        assert!(profile.contains(from));
        std::fs::write(dir.join(name), profile.replacen(from, to, 1)).unwrap();
    };
    let slew = "max_force_slew_n_per_s = 2000.0";
    write("slow.toml", slew, "max_force_slew_n_per_s = 40.0");
    let heat = "\ncontinuous_force_n = ";
    write("cold.toml", heat, "\ncontinuous_force_n = 0.001 # ");
    let hid = |file: &str| {
        format!(
            "[[arm]]\nname = \"right\"\nkind = \"hid\"\nprofile = \"./{file}\"\n\
             tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n"
        )
    };
    let steep = format!(
        "[safety]\npeak_force_n = 8.0\nfade_ms = 1.0\nslew_n_per_ms = 100.0\n\
         slew_nm_per_ms = 20.0\n{ARM}"
    );
    for (text, place, words) in [
        (
            hid("slow.toml"),
            "rig.toml:4:11: ",
            "arm `right`: `max_force_slew_n_per_s` of its profile ././slow.toml is 40 N/s, must be \
             at least ",
        ),
        (
            hid("cold.toml"),
            "rig.toml:4:11: ",
            "arm `right`: `continuous_force_n` of its profile ././cold.toml is 0.001: with a peak",
        ),
        (
            steep,
            "rig.toml:3:11: ",
            "arm `right`: `max_force_slew_n_per_s` of every simulated arm is 4000 N/s, must be at \
             least ",
        ),
        (
            format!("[safety]\nslew_nm_per_ms = 0.0033\n{ARM}"),
            "rig.toml:2:18: ",
            "`slew_nm_per_ms` is 0.0033 N m/ms, must be at least 0.004 N m/ms: a peak of 0.2 N m",
        ),
    ] {
        std::fs::write(dir.join("rig.toml"), text).unwrap();
        let out = hapticd(&dir, &["check", "rig.toml"]);
        assert_eq!(out.status.code(), Some(2), "{words}: {out:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        let line = said.lines().find(|line| line.starts_with(place));
        assert!(line.is_some_and(|l| l.contains(words)), "{words}: {said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// A full standard output is an error, because scripts rely on the exit code.
#[test]
fn failed_output_is_a_failure() {
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

/// Outputs that would block, or be lost at the end of a run, are reported before it begins.
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
        (["--report", "nowhere/x.json"], "its folder does not exist"),
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

/// In virtual time, answers of 20 ms are young enough and those of 21 ms are not, to the tick.
#[test]
fn answers_that_are_always_too_old_are_warned_of_with_both_numbers() {
    let dir = folder("late-answers");
    let words = "collision.virtual_latency_ticks: in virtual time an answer is 21 ticks (21 ms) \
        old when used, but force fades beyond 20 ms (`safety.stale_contact_ms`): no force is ever \
        rendered. Set at most 19 ticks";
    for (ticks, is_late) in [(19, false), (20, true)] {
        let text = format!("{ARM}[collision]\nvirtual_latency_ticks = {ticks}\n");
        std::fs::write(dir.join("rig.toml"), text).unwrap();
        let out = hapticd(&dir, &["check", "rig.toml", "--strict"]);
        assert_eq!(out.status.code(), Some(if is_late { 2 } else { 0 }));
        let said = String::from_utf8(out.stdout).unwrap();
        assert_eq!(said.contains(words), is_late, "{said}");
        let args = ["run", "rig.toml", "--plain", "--virtual-time"];
        let out = hapticd(&dir, &[&args[..], &["--duration", "2"]].concat());
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        let said = String::from_utf8(out.stderr).unwrap();
        assert_eq!(said.contains(words), is_late, "{said}");
        let lines = String::from_utf8(out.stdout).unwrap();
        let is_off = lines.contains("[force off: contact data too old (34)]");
        assert_eq!(is_off, is_late, "{lines}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// Waits for five seconds, then ramps for ten: one line a second, in virtual time.
#[test]
fn the_plain_line_says_what_force_waits_for() {
    let dir = folder("plain-states");
    let safety = "[safety]\nengage_ticks = 5000\nramp_s = 5.0\n";
    let rest = ARM.replace("\"press\"", "\"rest\"");
    std::fs::write(dir.join("rig.toml"), format!("{safety}{rest}")).unwrap();
    let args = ["run", "rig.toml", "--plain", "--virtual-time"];
    let out = hapticd(&dir, &[&args[..], &["--duration", "13"]].concat());
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let said = String::from_utf8(out.stdout).unwrap();
    let at = |second: &str| {
        let line = said.lines().find(|line| line.trim().starts_with(second));
        line.unwrap_or_else(|| panic!("no {second} in\n{said}"))
    };
    let waits = "[ready, waiting for a small force to engage]";
    assert!(at("3.0 s").contains(waits), "{said}");
    assert!(at("8.0 s").contains("[ramping up]"), "{said}");
    assert!(!at("12.0 s").contains('['), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A tool that starts in a body feels nothing of it.
#[test]
fn in_every_shipped_scene_the_tools_start_outside_all_bodies() {
    let dir = folder("starts");
    let mut scenes = 0;
    for entry in std::fs::read_dir(config_file("demo").parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        if path.extension().is_some_and(|e| e == "toml") && text.contains("\n[[arm]]") {
            let out = hapticd(&dir, &["check", path.to_str().unwrap()]);
            let said = String::from_utf8(out.stdout).unwrap();
            assert_eq!(out.status.code(), Some(0), "{said}");
            assert!(!said.contains("the tool starts at"), "{said}");
            scenes += 1;
        }
    }
    assert!(scenes >= 12, "{scenes} scenes");
    std::fs::remove_dir_all(dir).unwrap();
}
