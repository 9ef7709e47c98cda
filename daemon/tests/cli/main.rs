//! The real binary, as a user types it: its answers to bad input, the results of a demo, and its
//! end.

mod check;
mod descriptors;
mod export;
mod faults;
mod inside;
mod log;
mod memory;
mod named;
mod numbers;
mod outputs;
mod rounds;
mod status;
mod technician;
mod whose;

use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, Command, Output, Stdio};
use std::time::Duration;

use hapticd_client::{
    BodyKind, BodySpec, Client, Event, Mesh, Notification, Pose, Subscription, topic,
};
use hapticd_geometry::{Vec3, shapes};

fn folder(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hapticd-cli-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

fn hapticd(folder: &Path, args: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(args)
        .current_dir(folder)
        .env("XDG_RUNTIME_DIR", folder)
        .output()
        .unwrap()
}

/// A running daemon and its log; ends with its test, however that ends.
struct Daemon {
    process: Child,
    log: Lines<BufReader<ChildStderr>>,
}

impl Daemon {
    fn start(folder: &PathBuf, args: &[&str]) -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_hapticd"))
            .args(args)
            .current_dir(folder)
            .env("XDG_RUNTIME_DIR", folder)
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let log = BufReader::new(process.stderr.take().unwrap()).lines();
        Daemon { process, log }
    }

    /// Reads the log up to a line with these words.
    fn until(&mut self, what: &str) -> String {
        let mut seen = String::new();
        for line in self.log.by_ref() {
            let line = line.unwrap();
            if line.contains(what) {
                return line;
            }
            seen += &line;
            seen.push('\n');
        }
        panic!("`{what}` was never said:\n{seen}");
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([name, &self.process.id().to_string()])
            .status()
            .unwrap();
        assert!(sent.success());
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A daemon that has ended already needs no kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

const ARM: &str = "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"press\"\ntool = { kind = \"sphere\", radius_m = 0.005 }\n";

/// Returns a tetrahedron; `hole` leaves out a face.
fn obj(corner: &str, hole: bool) -> String {
    let last = if hole { "" } else { "f 2 3 4\n" };
    format!("v 0 0 0\nv 1 0 0\nv 0 1 0\nv {corner}\nf 1 3 2\nf 1 2 4\nf 1 4 3\n{last}")
}

#[test]
fn bad_input_is_named_and_exits_with_2() {
    let dir = folder("bad");
    let body = |file: &str| {
        format!(
            "{ARM}\n[[body]]\nname = \"thing\"\nshape = {{ kind = \"mesh\", file = \"{file}\" }}\n"
        )
    };
    std::fs::write(dir.join("nan.obj"), obj("0 0 nan", false)).unwrap();
    std::fs::write(dir.join("open.obj"), obj("0 0 1", true)).unwrap();
    std::fs::write(dir.join("empty.obj"), "v 0 0 0\n").unwrap();
    let cases: [(&str, String, &[&str]); 9] = [
        ("syntax", "[loop\nrate_hz = 1\n".into(), &["case.toml:1:"]),
        ("unknown key", format!("[loop]\nrate = 1000\n{ARM}"), &["case.toml:2:1", "unknown key", "rate_hz"]),
        ("range", format!("[loop]\nrate_hz = 9\n{ARM}"), &["case.toml:2:11", "500"]),
        ("two at once", format!("[loop]\nrate_hz = 9\nspin = 3\n{ARM}"), &["case.toml:2:", "case.toml:3:"]),
        ("missing mesh", body("nowhere.obj"), &["nowhere.obj"]),
        ("mesh with NaN", body("nan.obj"), &["nan.obj"]),
        ("open mesh as a solid", body("open.obj"), &["thing", "boundary edges"]),
        ("mesh without triangles", body("empty.obj"), &["empty.obj", "no triangles"]),
        (
            "two arms with one serial",
            "[[arm]]\nname = \"a\"\nkind = \"hid\"\nprofile = \"generic-vendor-3dof\"\nserial = \"X\"\ntool = { kind = \"sphere\", radius_m = 0.005 }\n\
             [[arm]]\nname = \"b\"\nkind = \"hid\"\nprofile = \"generic-vendor-3dof\"\nserial = \"X\"\ntool = { kind = \"sphere\", radius_m = 0.005 }\n"
                .into(),
            &["serial"],
        ),
    ];
    for (name, text, says) in cases {
        std::fs::write(dir.join("case.toml"), text).unwrap();
        let out = hapticd(&dir, &["check", "case.toml"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{name}: {said}");
        for part in says {
            assert!(said.contains(part), "{name}: `{part}` is not in:\n{said}");
        }
    }
    // An open mesh that does not claim to be solid is accepted.
    std::fs::write(dir.join("case.toml"), body("open.obj") + "solid = false\n").unwrap();
    assert_eq!(
        hapticd(&dir, &["check", "case.toml"]).status.code(),
        Some(0)
    );
    std::fs::remove_dir_all(dir).unwrap();
}

/// Three bodies and two arms are wrong in five ways: everything is reported at once, where the
/// configuration names it.
#[test]
fn everything_that_is_wrong_with_the_named_files_comes_at_once_with_its_line() {
    let dir = folder("all");
    std::fs::write(dir.join("open.obj"), obj("0 0 1", true)).unwrap();
    std::fs::write(dir.join("empty.obj"), "v 0 0 0\n").unwrap();
    std::fs::write(dir.join("bad.toml"), "colour = \"red\"\n").unwrap();
    let text = "\
[[arm]]
name = \"left\"
kind = \"hid\"
profile = \"./bad.toml\"
tool = { kind = \"mesh\", file = \"open.obj\" }
[[arm]]
name = \"right\"
kind = \"hid\"
profile = \"no-such-arm\"
tool = { kind = \"sphere\", radius_m = 0.005 }
[[body]]
name = \"lid\"
[body.shape]
kind = \"mesh\"
file = \"open.obj\"
[[body]]
name = \"void\"
shape = { kind = \"mesh\", file = \"empty.obj\" }
[[body]]
name = \"ghost\"
shape = { kind = \"mesh\", file = \"nowhere.obj\" }
";
    std::fs::write(dir.join("case.toml"), text).unwrap();
    for command in ["check", "run"] {
        let out = hapticd(&dir, &[command, "case.toml"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        for (place, names) in [
            ("case.toml:4:11: error: ", &["`left`", "bad.toml"][..]),
            (
                "case.toml:5:32: error: ",
                &["`left`", "open.obj", "boundary edges"],
            ),
            ("case.toml:9:11: error: ", &["`right`", "`no-such-arm`"]),
            (
                "case.toml:15:8: error: ",
                &["`lid`", "open.obj", "boundary edges"],
            ),
            (
                "case.toml:18:33: error: ",
                &["`void`", "empty.obj", "no triangles"],
            ),
            ("case.toml:21:33: error: ", &["nowhere.obj"]),
        ] {
            let Some(line) = said.lines().find(|l| l.starts_with(place)) else {
                panic!("{command}: nothing at {place}\n{said}");
            };
            for name in names {
                assert!(line.contains(name), "`{name}` is not in: {line}");
            }
        }
        // The profile's own mistake is reported with the profile's own line.
        assert!(said.contains("bad.toml:1:1: "), "{said}");
        assert_eq!(said.matches("nowhere.obj: ").count(), 1, "{said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// The sockets belong to another daemon. A leftover of a recording that never began would block the
/// next attempt.
#[test]
fn a_run_that_cannot_begin_leaves_no_recording() {
    let dir = folder("unbegun");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    std::fs::write(dir.join("old.mcap"), "old").unwrap();
    for (file, how, is_left) in [
        ("new.mcap", &[][..], false),
        ("old.mcap", &["--force"][..], true),
    ] {
        let mut args = vec!["record", "rig.toml", "--output", file];
        args.extend(how);
        let out = hapticd(&dir, &args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        assert!(
            said.contains("another hapticd already listens on"),
            "{said}"
        );
        assert_eq!(dir.join(file).exists(), is_left, "{file}: {said}");
    }
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn virtual_time_has_no_place_for_a_device() {
    let dir = folder("virtual-hid");
    let text = "[[arm]]\nname = \"left\"\nkind = \"hid\"\nprofile = \"generic-vendor-3dof\"\ntool = { kind = \"sphere\", radius_m = 0.005 }\n";
    std::fs::write(dir.join("hid.toml"), text).unwrap();
    for how in [
        &["run", "hid.toml"][..],
        &["record", "hid.toml", "--output", "x.mcap"],
    ] {
        let mut args = how.to_vec();
        args.extend(["--virtual-time", "--duration", "0.1"]);
        let out = hapticd(&dir, &args);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{said}");
        for part in [
            "hid.toml:3:8: error: ",
            "`left`",
            "--virtual-time",
            "simulated",
        ] {
            assert!(said.contains(part), "`{part}` is not in:\n{said}");
        }
        assert!(!dir.join("x.mcap").exists());
    }
    // Without virtual time the configuration is good.
    assert_eq!(hapticd(&dir, &["check", "hid.toml"]).status.code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// Runs a demonstration for six seconds of virtual time. Returns its output and its report. Checks
/// that nothing was entered or crossed, and something was touched.
fn demonstrate(dir: &Path, scene: &str) -> (String, serde_json::Value) {
    let args = [
        "demo",
        "--scene",
        scene,
        "--virtual-time",
        "--duration",
        "6",
        "--plain",
        "--report",
        "report.json",
    ];
    let out = hapticd(dir, &args);
    let said = [&*out.stdout, &*out.stderr].concat();
    let said = String::from_utf8_lossy(&said).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    let report = std::fs::read(dir.join("report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["max_penetration_m"], 0.0);
    assert_eq!(report["arms"][0]["crossings"], 0);
    assert_eq!(report["arms"][0]["checked_ticks"], 6000);
    let touched = report["arms"][0]["contact_ticks"].as_u64().unwrap();
    assert!(touched > 300, "{scene}: {report}");
    (said, report)
}

/// The demonstrations with dynamics and friction work: at five seconds the peg is in its hole (3 cm
/// long, its centre 15 mm above the plate when it stands on it), and the hand has felt the blocks,
/// which never penetrated each other or the tool unseen.
#[test]
fn demos_fit_a_part_and_stir_blocks() {
    let dir = folder("rigid-scenes");
    let (said, _) = demonstrate(&dir, "assembly");
    let line = said.lines().find(|l| l.trim_start().starts_with("5.0 s"));
    let words: Vec<&str> = line.expect(&said).split_whitespace().collect();
    let at = words.iter().position(|w| *w == "mm").unwrap();
    let height_mm: f64 = words[at - 1].parse().unwrap();
    assert!(height_mm < 0.0, "the peg is not in: {line:?}");
    demonstrate(&dir, "blocks");
    std::fs::remove_dir_all(dir).unwrap();
}

/// The demonstrations with soft bodies render them.
#[test]
fn demos_touch_what_yields() {
    let dir = folder("soft-scenes");
    for scene in ["palpation", "cloth", "crowd"] {
        let (_, report) = demonstrate(&dir, scene);
        assert!(report["arms"][0]["tracked"]["max"].as_f64().unwrap() > 20.0);
        let felt = report["arms"][0]["max_force_n"].as_f64().unwrap();
        assert!(felt > 0.5, "{scene}: {felt} N");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// The demonstrations with implicit bodies render their potentials, and so does a replay, to the
/// last bit.
#[test]
fn demos_touch_what_is_implicit_and_replay() {
    let dir = folder("implicit-scenes");
    for scene in ["coil", "fluid", "intestine", "skull"] {
        let (_, report) = demonstrate(&dir, scene);
        let felt = report["arms"][0]["max_force_n"].as_f64().unwrap();
        assert!(felt > 0.3, "{scene}: {felt} N");
        let text = std::fs::read_to_string(config_file(scene)).unwrap();
        let again = run_and_verify(&dir, &text, "4");
        assert!(
            again["arms"][0]["contact_ticks"].as_u64().unwrap() > 100,
            "{scene}"
        );
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// A needle goes in to bone and comes out. Its report and summary say so, and a replay does the
/// same to the last bit.
#[test]
fn a_needle_goes_in_and_out_and_replays() {
    let dir = folder("needle");
    let text = std::fs::read_to_string(config_file("needle")).unwrap();
    let report = run_and_verify(&dir, &text, "9");
    let needle = &report["arms"][0]["needle"];
    let number = |key: &str| needle[key].as_f64().unwrap();
    // Skin, fat, muscle, and both walls of the vessel.
    assert_eq!(
        (number("insertions"), number("pierced")),
        (1.0, 5.0),
        "{needle}"
    );
    assert!(
        number("max_depth_m") > 0.045 && number("max_depth_m") < 0.055,
        "{needle}"
    );
    assert!(
        number("bone_ticks") > 300.0 && number("inserted_ticks") > 4_000.0,
        "{needle}"
    );
    assert!(
        number("max_push_n") > 1.5 && number("max_pull_n") > 0.3,
        "{needle}"
    );
    let out = hapticd(
        &dir,
        &[
            "demo",
            "--scene",
            "needle",
            "--virtual-time",
            "--duration",
            "3",
            "--plain",
        ],
    );
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(said.contains("  needle        1 insertion, "), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A disc feels the planar demonstration, which is checked in space and replays to the last bit.
#[test]
fn the_planar_demo_touches_polygons_and_replays() {
    let dir = folder("planar-scene");
    let (_, report) = demonstrate(&dir, "planar");
    let arm = &report["arms"][0];
    let felt = arm["max_force_n"].as_f64().unwrap();
    assert!(felt > 1.0, "{felt} N");
    let text = std::fs::read_to_string(config_file("planar")).unwrap();
    let again = run_and_verify(&dir, &text, "8");
    assert!(again["arms"][0]["contact_ticks"].as_u64().unwrap() > 1000);
    std::fs::remove_dir_all(dir).unwrap();
}

/// Returns the path of a shipped configuration.
fn config_file(scene: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../config");
    root.join(scene).with_extension("toml")
}

/// Runs a configuration in virtual time, verifies the replay of its recording bit for bit, and
/// returns the run's report.
fn run_and_verify(dir: &Path, configuration: &str, seconds: &str) -> serde_json::Value {
    std::fs::write(dir.join("hapticd.toml"), configuration).unwrap();
    let run = [
        "run",
        "hapticd.toml",
        "--virtual-time",
        "--duration",
        seconds,
        "--plain",
        "--record",
        "session.mcap",
        "--force",
        "--report",
        "report.json",
    ];
    for arguments in [&run[..], &["replay", "session.mcap", "--verify"]] {
        let out = hapticd(dir, arguments);
        assert_eq!(out.status.code(), Some(0), "{configuration}: {out:?}");
    }
    let report = std::fs::read(dir.join("report.json")).unwrap();
    serde_json::from_slice(&report).unwrap()
}

/// Each interaction: loose blocks are stirred, nothing penetrates, and the session replays to the
/// last bit.
#[test]
fn every_interaction_in_worlds_of_both_orders_runs_and_replays() {
    let dir = folder("interaction");
    let blocks = include_str!("../../../config/blocks.toml");
    let arm = "world_from_base = { position_m = [0.0, 0.0, 0.04] }\n";
    assert!(blocks.contains(arm));
    for (interaction, order) in [
        ("{ tool_mass_kg = 0.1 }", "order = \"second\""),
        (
            "{ tool_mass_kg = 0.1, damping = \"device\" }",
            "order = \"first\"",
        ),
        ("{ metaphor = \"increments\" }", "order = \"first\""),
        ("{}", "order = \"first\"\ndrag_per_s = 30"),
    ] {
        let with = format!("{arm}interaction = {interaction}\n");
        let text = blocks.replace(arm, &with) + &format!("\n[dynamics]\n{order}\n");
        let report = run_and_verify(&dir, &text, "4");
        assert_eq!(report["max_penetration_m"], 0.0, "{interaction}, {order}");
        assert_eq!(report["arms"][0]["crossings"], 0);
        let touched = report["arms"][0]["contact_ticks"].as_u64().unwrap();
        assert!(touched > 100, "{interaction}, {order}: {report}");
        let felt = report["arms"][0]["max_force_n"].as_f64().unwrap();
        assert_eq!(felt == 0.0, interaction.contains("increments"), "{report}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn two_arms_whose_tools_meet_feel_each_other_and_replay() {
    let dir = folder("arms");
    let arm = |name: &str, tool: &str, x_m: f64, yaw_deg: f64| {
        format!(
            "[[arm]]\nname = \"{name}\"\nkind = \"simulated\"\nintention = \"circle\"\ntool = {tool}\n\
             world_from_base = {{ position_m = [{x_m}, 0.0, 0.0], rpy_deg = [0.0, 0.0, {yaw_deg}] }}\n\n"
        )
    };
    let ball = "{ kind = \"sphere\", radius_m = 0.02 }";
    let cube = "{ kind = \"cuboid\", size_m = [0.04, 0.04, 0.04] }";
    for (left, right) in [(ball, ball), (ball, cube), (cube, cube)] {
        let text = arm("left", left, 0.0, 0.0) + &arm("right", right, 0.05, 180.0);
        let report = run_and_verify(&dir, &text, "7");
        assert_eq!(report["max_penetration_m"], 0.0, "{left}, {right}");
        for arm in 0..2 {
            let arm = &report["arms"][arm];
            assert_eq!(arm["crossings"], 0, "{left}, {right}: {report}");
            let of = |key: &str| arm[key].as_f64().unwrap();
            assert!(of("contact_ticks") > 100.0, "{left}, {right}: {report}");
            assert!(of("max_force_n") > 0.2, "{left}, {right}: {report}");
        }
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_demo_in_virtual_time_touches_and_never_penetrates() {
    let dir = folder("demo");
    let out = hapticd(
        &dir,
        &[
            "demo",
            "--virtual-time",
            "--duration",
            "4",
            "--report",
            "report.json",
        ],
    );
    assert_eq!(
        out.status.code(),
        Some(0),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["ticks"], 4000);
    assert_eq!(report["max_penetration_m"], 0.0);
    assert_eq!(report["arms"][0]["crossings"], 0);
    assert_eq!(report["arms"][0]["checked_ticks"], 4000);
    assert!(
        report["arms"][0]["contact_ticks"].as_u64().unwrap() > 500,
        "{report}"
    );
    assert!(report["max_force_n"].as_f64().unwrap() > 0.5, "{report}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_running_daemon_answers_reloads_only_what_is_stricter_and_ends_in_order() {
    let dir = folder("run");
    let file = |peak: f64| {
        format!(
            "[safety]\npeak_force_n = {peak}\ncontinuous_force_n = 1.0\n{ARM}\n[[body]]\nname = \"floor\"\nshape = {{ kind = \"plate\", size_m = [0.2, 0.2] }}\n"
        )
    };
    std::fs::write(dir.join("rig.toml"), file(3.0)).unwrap();
    let args = ["run", "rig.toml", "--plain", "--report", "report.json"];
    let mut daemon = Daemon::start(&dir, &args);
    daemon.until("arm attached");
    // The technician's socket exists before any arm does.
    let ask = || -> serde_json::Value {
        let out = hapticd(&dir, &["status", "--json"]);
        let said = String::from_utf8_lossy(&out.stderr);
        assert_eq!(out.status.code(), Some(0), "{said}");
        serde_json::from_slice(&out.stdout).unwrap()
    };
    let status = ask();
    assert!(status["clients"].as_array().unwrap().len() == 1, "{status}");
    // The loop has begun, however busy the machine is.
    while ask()["report"]["ticks"].as_u64() <= Some(10) {}
    // Looser: refused. Broken: refused. Stricter: applied.
    std::fs::write(dir.join("rig.toml"), file(9.0)).unwrap();
    daemon.signal("-HUP");
    daemon.until("not reloaded");
    std::fs::write(dir.join("rig.toml"), "[safety\n").unwrap();
    daemon.signal("-HUP");
    daemon.until("not reloaded");
    std::fs::write(dir.join("rig.toml"), file(2.0)).unwrap();
    daemon.signal("-HUP");
    daemon.until("configuration reloaded: safety.peak_force_n");
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("report.json")).unwrap()).unwrap();
    assert_eq!(report["max_penetration_m"], 0.0);
    assert!(report["ticks"].as_u64().unwrap() > 10);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn the_logs_level_and_a_bodys_surface_change_without_a_restart_and_replay() {
    let dir = folder("live");
    let file = |level: &str, stiffness: f64| {
        format!(
            "[log]\nlevel = \"{level}\"\n{ARM}\n[[material]]\nname = \"foam\"\nstiffness_n_per_m = {stiffness}\n\
             [[body]]\nname = \"floor\"\nmaterial = \"foam\"\nshape = {{ kind = \"plate\", size_m = [0.2, 0.2] }}\n"
        )
    };
    std::fs::write(dir.join("rig.toml"), file("error", 400.0)).unwrap();
    let args = [
        "record",
        "rig.toml",
        "--output",
        "run.mcap",
        "--duration",
        "60",
    ];
    let mut daemon = Daemon::start(&dir, &args);
    // It logs nothing yet, but it answers.
    while hapticd(&dir, &["status"]).status.code() != Some(0) {
        assert!(daemon.process.try_wait().unwrap().is_none(), "it ended");
    }
    std::fs::write(dir.join("rig.toml"), file("info", 20.0)).unwrap();
    daemon.signal("-HUP");
    daemon.until("configuration reloaded: log.level = ");
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let recorded = std::fs::read(dir.join("run.mcap")).unwrap();
    let surface = b"\"surface\":{\"id\":1,\"stiffness_n_per_m\":20";
    assert!(recorded.windows(surface.len()).any(|w| w == surface));
    let out = hapticd(&dir, &["replay", "run.mcap", "--verify"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// Waits until an arm presses on the body of a client, whose lease is kept meanwhile. Pressing from
/// below counts as well: the hand may have been down before the body was there.
fn until_it_presses(arm: &mut Subscription, app: &mut Client, patience: Duration) {
    loop {
        arm.wake().unwrap().wait(patience).unwrap();
        let state = arm.state().unwrap();
        if state.contacts > 0 && state.force_n[2].abs() > 0.5 {
            return;
        }
        if state.tick.is_multiple_of(50) {
            app.renew_leases(1000).unwrap();
        }
    }
}

/// A client puts a table under the hand and disconnects while the hand presses on it.
#[test]
fn the_force_of_a_body_ends_with_its_client_and_the_recording_replays() {
    let dir = folder("gone");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let args = [
        "run",
        "rig.toml",
        "--plain",
        "--report",
        "report.json",
        "--record",
        "run.mcap",
    ];
    let mut daemon = Daemon::start(&dir, &args);
    daemon.until("arm attached");
    let socket = dir.join("hapticd/app.sock");
    let patience = Duration::from_secs(60);
    let mut watcher = Client::connect_until(&socket, "watcher", patience).unwrap();
    let mut arm = watcher
        .subscribe(0, topic::STATE | topic::WAKE | topic::EVENTS)
        .unwrap();
    let mut app = Client::connect_to(&socket, "app").unwrap();
    let mesh = shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).unwrap();
    let table = Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    };
    let spec = BodySpec {
        friction: 0.0,
        ..hapticd_chaos::clients::spec("table", BodyKind::Static, [0.0, 0.0, 0.0])
    };
    // Gone as well, and before it, is a body that nothing touches.
    let far = hapticd_chaos::clients::spec("far", BodyKind::Static, [0.5, 0.0, 0.0]);
    app.add_body(&far, &table).unwrap();
    let body = app.add_body(&spec, &table).unwrap();
    until_it_presses(&mut arm, &mut app, patience);
    drop(app);
    daemon.until(&format!("client lost (10): body {body} is gone"));
    loop {
        match watcher.poll(patience).unwrap() {
            Some(Notification::Event(Event::BodyLeft(left))) if left.body == body => break,
            Some(_) => {}
            None => panic!("nothing was heard of body {body}"),
        }
    }
    // The event is on its way when the loop is told; a few ticks later it has taken effect.
    let seen = arm.state().unwrap().tick;
    while arm.state().unwrap().tick < seen + 100 {
        arm.wake().unwrap().wait(patience).unwrap();
    }
    assert_eq!(arm.state().unwrap().contacts, 0);
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let report: serde_json::Value =
        serde_json::from_slice(&std::fs::read(dir.join("report.json")).unwrap()).unwrap();
    let off = report["arms"][0]["force_off"].as_array().unwrap();
    assert!(off.contains(&"client lost (10)".into()), "{report}");
    assert_eq!(report["max_penetration_m"], 0.0);
    let out = hapticd(&dir, &["replay", "run.mcap", "--verify"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A client presses a box into a cloth and disconnects: the cloth gives way and springs back. All
/// of it replays.
#[test]
fn cloth_gives_way_to_a_clients_body_and_the_recording_replays() {
    let dir = folder("guest");
    let cloth = "\n[[body]]\nname = \"awning\"\nkind = \"cloth\"\nshape = { kind = \"sheet\", size_m = 0.2, cells = 10 }\npinned = \"border\"\n";
    std::fs::write(
        dir.join("rig.toml"),
        format!("{ARM}{cloth}\n[ipc]\nmax_lease_ms = 10000\n"),
    )
    .unwrap();
    let args = [
        "record",
        "rig.toml",
        "--output",
        "run.mcap",
        "--duration",
        "120",
    ];
    let mut daemon = Daemon::start(&dir, &args);
    daemon.until("arm attached");
    let socket = dir.join("hapticd/app.sock");
    let patience = Duration::from_secs(60);
    let mut watcher = Client::connect_until(&socket, "watcher", patience).unwrap();
    let mut arm = watcher.subscribe(0, topic::STATE | topic::WAKE).unwrap();
    let bodies = watcher.bodies().unwrap();
    let awning = bodies.iter().find(|b| b.kind == BodyKind::Cloth).unwrap();
    let mut awning = watcher.surface(awning.body).unwrap();
    let mut points = Vec::new();
    // Lowest point near the box. If the daemon ends, so does the wait.
    let mut height_m = |app: Option<&mut Client>| {
        arm.wake().unwrap().wait(patience).unwrap();
        if let Some(app) = app.filter(|_| arm.state().unwrap().tick.is_multiple_of(50)) {
            app.renew_leases(500).unwrap();
        }
        let _ = awning.read(&mut points);
        let near = points.iter().filter(|p| (p[0] - 0.05).hypot(p[1]) < 0.03);
        near.map(|p| p[2]).fold(f32::INFINITY, f32::min)
    };
    let mut app = Client::connect_to(&socket, "app").unwrap();
    let mesh = shapes::cuboid(&Vec3::repeat(0.015)).unwrap();
    let block = Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    };
    let place = |z| Pose {
        translation_m: [0.05, 0.0, z],
        ..Pose::IDENTITY
    };
    let spec = hapticd_chaos::clients::spec("block", BodyKind::Kinematic, [0.05, 0.0, 0.05]);
    // Too fine for a sheet of a millimetre: tools would feel it, the cloth does not.
    let mesh = shapes::icosphere(0.002, 3).unwrap();
    let dust = Mesh {
        positions: mesh.positions().iter().map(|p| [p.x, p.y, p.z]).collect(),
        triangles: mesh.triangles().to_vec(),
    };
    let fine = BodySpec {
        name: "dust",
        solid: false,
        ..spec
    };
    app.add_body(&fine, &dust).unwrap();
    let body = app.add_body(&spec, &block).unwrap();
    app.set_body_pose(body, place(-0.005), 0.1, 10_000).unwrap();
    // Its lower side comes to rest at -20 mm.
    while !(-0.03..-0.018).contains(&height_m(Some(&mut app))) {}
    let status = || String::from_utf8_lossy(&hapticd(&dir, &["status"]).stdout).into_owned();
    let said = status();
    assert!(
        said.contains("they meet 1 rigid body and cannot meet 1"),
        "{said}"
    );
    drop(app);
    while height_m(None) < -0.012 {}
    let said = status();
    assert!(said.contains("cannot meet 0"), "{said}");
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    let out = hapticd(&dir, &["replay", "run.mcap", "--verify"]);
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}

/// The properties of a mesh are reported, not only whether it is valid.
#[test]
fn check_reports_what_the_meshes_are_like() {
    let dir = folder("meshes");
    // A tetrahedron and a degenerate triangle; then a tetrahedron with one side left out.
    let corners = "v 0 0 0\nv 0.01 0 0\nv 0 0.01 0\nv 0 0 0.01\n";
    let closed = format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\nf 1 2 2\n");
    let open = format!("{corners}f 1 3 2\nf 1 2 4\nf 2 3 4\n");
    std::fs::write(dir.join("closed.obj"), closed).unwrap();
    std::fs::write(dir.join("open.obj"), open).unwrap();
    let bodies = "[[body]]\nname = \"a\"\nshape = { kind = \"mesh\", file = \"closed.obj\" }\n\
                  [[body]]\nname = \"b\"\nsolid = false\nshape = { kind = \"mesh\", file = \"open.obj\" }\n";
    std::fs::write(dir.join("case.toml"), format!("{ARM}{bodies}")).unwrap();
    let out = hapticd(&dir, &["check", "case.toml"]);
    assert_eq!(out.status.code(), Some(0));
    let said = String::from_utf8(out.stdout).unwrap();
    for line in [
        "body `a`: 4 triangles, closed, outward, 1.667e-7 m3, 1 degenerate left out",
        "body `b`: 3 triangles, open: 3 boundary edges, 0 non-manifold edges, 0 misoriented edges",
    ] {
        assert!(said.contains(line), "{said}");
    }
    let out = hapticd(&dir, &["check", "case.toml", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    assert_eq!(said["valid"], true);
    assert_eq!(said["meshes"][0]["degenerate_triangles"], 1);
    assert_eq!(said["meshes"][1]["closed"], false);
}

/// `export` writes its messages to standard output; an independent reader finds in the file what
/// they state.
#[test]
fn skins_are_exported_in_every_format_and_overwrite_nothing() {
    let dir = folder("export");
    let daemon = Daemon::start(&dir, &["demo", "--plain", "--scene", "coil"]);
    let export = |args: &[&str]| {
        let args = [&["export"], args, &["--within", "600"]].concat();
        let out = hapticd(&dir, &args);
        let said = [out.stdout, out.stderr].map(|b| String::from_utf8_lossy(&b).into_owned());
        (out.status.code(), said.concat())
    };
    let triangles = |said: &str| -> usize {
        let line = said.lines().next().unwrap();
        let (name, rest) = line.split_once(": ").unwrap();
        assert!(name.starts_with("gut ("), "{line}");
        assert!(line.contains(" ms old, closed"), "{line}");
        rest.split_once(" triangles").unwrap().0.parse().unwrap()
    };
    for (name, up) in [
        ("gut.obj", "z up"),
        ("gut.ply", "z up"),
        ("gut.glb", "y up, as this format has it"),
    ] {
        let (code, said) = export(&[name, "--after", "0.1"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains(up), "{said}");
        let count = triangles(&said);
        assert!(count > 1000, "{said}");
        let read = hapticd_geometry::load::load(&dir.join(name)).unwrap();
        let left = read.mesh.triangles().len() + read.report.degenerate_triangles;
        assert_eq!(left, count, "{name}");
        // The reader drops degenerate triangles, of which a skin may have a few, and each leaves a
        // slit.
        let slits = 3 * read.report.degenerate_triangles;
        assert!(read.report.boundary_edges <= slits, "{:?}", read.report);
        // A coil that lies: metres, and lowest along the up axis.
        let (low, high) = read.mesh.bounds();
        let size = high - low;
        let axis = if name == "gut.glb" { 1 } else { 2 };
        assert_eq!(size.imin(), axis, "{name}: {size}");
        assert!((0.1..0.17).contains(&size.max()), "{name}: {size}");
    }
    let before = std::fs::read(dir.join("gut.obj")).unwrap();
    for (args, code, says) in [
        (&["gut.obj"][..], 2, &["gut.obj", "--force"][..]),
        (&["gut.stl"], 2, &["gut.stl", "`stl`", "obj, ply, glb"]),
        (
            &["x.obj", "--body", "tripe"],
            2,
            &["no body `tripe`", "gut (", "bowl ("],
        ),
        (
            &["x.obj", "--body", "bowl"],
            2,
            &["bowl (", "static and has no skin", "gut ("],
        ),
        (&["x.obj", "--after=-1"], 2, &["number of seconds"]),
        (&["no/such/folder.obj"], 2, &["no/such/folder.obj"]),
    ] {
        let (done, said) = export(args);
        assert_eq!(done, Some(code), "{args:?}: {said}");
        for part in says {
            assert!(said.contains(part), "{args:?}: `{part}` is not in: {said}");
        }
        assert!(!dir.join("x.obj").exists(), "{args:?}");
    }
    assert_eq!(std::fs::read(dir.join("gut.obj")).unwrap(), before);
    // One body by its name and by its id.
    let (code, said) = export(&["gut.obj", "--force", "--body", "gut"]);
    assert_eq!(code, Some(0), "{said}");
    let identity = said
        .split_once("gut (")
        .unwrap()
        .1
        .split_once(')')
        .unwrap()
        .0;
    let (code, said) = export(&["gut.obj", "--force", "--body", identity]);
    assert_eq!((code, triangles(&said) > 1000), (Some(0), true), "{said}");
    assert!(
        std::fs::read_to_string(dir.join("gut.obj"))
            .unwrap()
            .contains("\no gut\n")
    );
    drop(daemon);
    let kept = std::fs::read(dir.join("gut.obj")).unwrap();
    let gone = hapticd(&dir, &["export", "gut.obj", "--force", "--within", "0"]);
    let said = String::from_utf8_lossy(&gone.stderr).into_owned();
    assert_eq!(gone.status.code(), Some(1), "{said}");
    assert!(said.contains("no daemon at"), "{said}");
    assert_eq!(
        std::fs::read(dir.join("gut.obj")).unwrap(),
        kept,
        "kept also when forced"
    );
    std::fs::remove_dir_all(dir).unwrap();
}
