//! A coupling that is stiffer than its arm's bound: allowed for simulated arms only.

use std::io::{BufRead, BufReader};
use std::process::{Child, Stdio};

use super::*;

/// Returns stiffness and damping of the coupling, at each change.
fn gains(arms: &[Arm]) -> Vec<[f64; 2]> {
    let said = arms
        .iter()
        .filter_map(|arm| arm.arm.pointer("/input/gains"));
    said.map(|gains| {
        ["stiffness_n_per_m", "damping_n_s_per_m"].map(|key| gains[key].as_f64().unwrap())
    })
    .collect()
}

fn folder(name: &str, arm: &str) -> Folder {
    let folder = Folder::new(name);
    folder.write("hand.toml", HAND);
    folder.write("scene.toml", &scene(1000, arm, "delay_us = 500"));
    folder
}

/// Returns a real arm with a key that it must not have.
fn real(key: &str) -> String {
    format!(
        "[[arm]]\nname = \"left\"\nkind = \"hid\"\nprofile = \"generic-vendor-3dof\"\n{key}\n\
         tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n"
    )
}

const REFUSED: &str = "[[arm]] \"left\": `forced_stiffness_n_per_m` = 5000 N/m is refused for \
    kind = \"hid\"";

#[test]
fn a_forced_coupling_has_that_stiffness_and_damping() {
    let auto = gains(&folder("auto", "").run("1"));
    assert!(auto[0][0] < 1500.0, "{auto:?}");
    let both = "forced_stiffness_n_per_m = 5000.0\nforced_damping_n_s_per_m = 3.0";
    // Exceeds the configuration's own bound as well.
    let bounded = format!("{both}\nmax_stiffness_n_per_m = 100.0");
    for (name, keys, expected) in [
        ("both", both, [5000.0, 3.0]),
        ("bounded", &bounded, [5000.0, 3.0]),
        (
            "stiffness",
            "forced_stiffness_n_per_m = 5000.0",
            [5000.0, auto[0][1]],
        ),
        (
            "damping",
            "forced_damping_n_s_per_m = 0.0",
            [auto[0][0], 0.0],
        ),
    ] {
        let folder = folder(name, keys);
        let arms = folder.run("2");
        assert_eq!(gains(&arms), [expected], "{name}");
        let replayed = folder.hapticd(&["replay", "run.mcap", "--verify"]);
        assert!(replayed.status.success(), "{name}: {replayed:?}");
    }
}

#[test]
fn the_force_is_the_forced_stiffness_times_the_stretch() {
    // Half as much again as is stable, at which this hand does not oscillate: the gain stays.
    let keys = "forced_stiffness_n_per_m = 900.0\nforced_damping_n_s_per_m = 0.0";
    let arms = folder("force", keys).run("2");
    let mut pressed = 0;
    for arm in &arms {
        let along = |path: &str| arm.number(&format!("/output/{path}/2"));
        let stretch = along("world_from_proxy/position_m") - along("world_from_device/position_m");
        let force = along("wanted/force_n");
        if stretch > 1e-4 {
            assert!(
                (force / stretch / 900.0 - 1.0).abs() < 0.02,
                "{force} N, {stretch} m"
            );
            pressed += 1;
        }
    }
    assert!(pressed > 100, "{pressed} ticks");
}

#[test]
fn measured_timing_does_not_undo_what_is_forced() {
    let folder = folder("real-time", "forced_stiffness_n_per_m = 5000.0");
    // The supervisor follows the timing once a second.
    let output = folder.hapticd(&[
        "run",
        "scene.toml",
        "--duration",
        "3",
        "--record",
        "run.mcap",
        "--no-check",
    ]);
    assert!(output.status.success(), "{output:?}");
    let gains = gains(&read(&folder.path("run.mcap")));
    assert!(!gains.is_empty());
    assert!(gains.iter().all(|gains| gains[0] == 5000.0), "{gains:?}");
}

#[test]
fn check_and_run_say_by_how_much_the_bound_is_passed() {
    let folder = folder(
        "warned",
        "forced_stiffness_n_per_m = 5000.0\nmax_stiffness_n_per_m = 100.0",
    );
    let warning = "arm.right.forced_stiffness_n_per_m: the coupling is forced to 5000 N/m \
        instead of 100.0 N/m";
    let checked = folder.hapticd(&["check", "scene.toml"]);
    assert_eq!(checked.status.code(), Some(0), "{checked:?}");
    let said = String::from_utf8(checked.stdout).unwrap();
    assert!(said.contains(warning), "{said}");
    let strict = folder.hapticd(&["check", "scene.toml", "--strict"]);
    assert_eq!(strict.status.code(), Some(2));
    let run = folder.hapticd(&["run", "scene.toml", "--virtual-time", "--duration", "0.1"]);
    let said = String::from_utf8(run.stderr).unwrap();
    assert!(said.contains("WARN") && said.contains(warning), "{said}");
}

#[test]
fn a_real_arm_is_refused_it_by_check_and_run() {
    let folder = Folder::new("refused");
    folder.write("real.toml", &real("forced_stiffness_n_per_m = 5000.0"));
    for args in [
        &["check", "real.toml"][..],
        &["run", "real.toml", "--duration", "1"],
        &[
            "record",
            "real.toml",
            "--duration",
            "1",
            "--output",
            "run.mcap",
        ],
    ] {
        let output = folder.hapticd(args);
        assert_eq!(output.status.code(), Some(2), "{args:?}: {output:?}");
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.contains("real.toml:5:1"), "{said}");
        assert!(said.contains(REFUSED), "{said}");
    }
    assert!(!folder.path("run.mcap").exists());
    // Without the key the configuration is good, so the key was the cause.
    folder.write("real.toml", &real(""));
    let output = folder.hapticd(&["check", "real.toml"]);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
}

/// A run that ends with its test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        // A run that has ended already needs no kill.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[test]
fn a_reload_neither_forces_a_real_arm_nor_a_running_one() {
    let folder = folder("reload", "");
    let mut child = folder
        .command(&["run", "scene.toml", "--duration", "300", "--plain"])
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut log = BufReader::new(child.stderr.take().unwrap()).lines();
    let run = Run(child);
    let mut until = |what: &str| {
        let line = log
            .by_ref()
            .map(Result::unwrap)
            .find(|line| line.contains(what));
        line.unwrap_or_else(|| panic!("`{what}` was never said"));
    };
    let signal = |name: &str| {
        let sent = Command::new("kill")
            .args([name, &run.0.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    };
    until("arm attached");
    folder.write("scene.toml", &real("forced_stiffness_n_per_m = 5000.0"));
    signal("-HUP");
    until(REFUSED);
    let forced = scene(1000, "forced_stiffness_n_per_m = 5000.0", "delay_us = 500");
    folder.write("scene.toml", &forced);
    signal("-HUP");
    until("arm.right.forced_stiffness_n_per_m");
    signal("-TERM");
    until("shutting down");
}
