//! A tool that starts in a body, as its user sees it: status, log, `check`, recording.

use super::*;

/// The hand of [`ARM`] starts 50 mm above the origin and goes straight down.
const BOX: &str = "[[body]]\nname = \"box\"\nshape = { kind = \"cuboid\", size_m = [0.04, 0.04, 0.04] }\n\
    position_m = [0.0, 0.0, 0.05]\n";

fn rest() -> String {
    ARM.replace("press", "rest") + BOX
}

#[test]
fn a_tool_that_rests_in_a_box_is_said_to_be_inside() {
    let dir = folder("inside");
    std::fs::write(dir.join("rig.toml"), rest()).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("right: the tool is inside `box`");
    let status = |args: &[&str]| {
        let out = hapticd(&dir, args);
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let json: serde_json::Value = serde_json::from_str(&status(&["status", "--json"])).unwrap();
    assert_eq!(json["arms"][0]["inside"], "box", "{json}");
    let text = status(&["status"]);
    assert!(text.contains("inside `box`"), "{text}");
    // The block that clients read says it as well.
    let mut client = Client::connect_until(
        &dir.join("hapticd/app.sock"),
        "reader",
        Duration::from_secs(60),
    )
    .unwrap();
    let blocks = client.subscribe(0, topic::STATE).unwrap();
    let state = blocks.state().unwrap();
    assert!(state.has(hapticd_client::flag::INSIDE), "{state:?}");
    assert_eq!((state.inside_body, state.contacts), (1, 0));
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn moving_out_of_the_box_is_said_and_the_run_replays() {
    let dir = folder("out");
    std::fs::write(dir.join("rig.toml"), format!("{ARM}{BOX}")).unwrap();
    let args = [
        "record",
        "rig.toml",
        "--virtual-time",
        "--output",
        "run.mcap",
        "--duration",
        "4",
    ];
    let out = hapticd(&dir, &args);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
    // In, out below, and back from below: the tool touches the body there, and never enters it
    // again.
    let lines: Vec<&str> = said.lines().filter(|l| l.contains("`box`")).collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].contains("WARN") && lines[0].contains("is inside"));
    assert!(lines[1].contains("INFO") && lines[1].contains("is out of"));
    let recorded = std::fs::read(dir.join("run.mcap")).unwrap();
    let inside = b"\"inside\":\"1\"";
    assert!(recorded.windows(inside.len()).any(|w| w == inside));
    let out = hapticd(&dir, &["replay", "run.mcap", "--verify"]);
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn check_warns_of_a_tool_that_starts_in_a_body() {
    let dir = folder("warned");
    let said = |name: &str, text: String, json: bool| {
        std::fs::write(dir.join(name), text).unwrap();
        let args = ["check", name, "--json"];
        let out = hapticd(&dir, &args[..2 + usize::from(json)]);
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        String::from_utf8(out.stdout).unwrap()
    };
    let text = said("in.toml", rest(), false);
    let warning =
        "warning: arm.right.tool: the tool starts at 0.0, 0.0, 50.0 mm, 25.0 mm inside `box`";
    assert!(text.contains(warning), "{text}");
    let json: serde_json::Value = serde_json::from_str(&said("in.toml", rest(), true)).unwrap();
    assert_eq!(json["warnings"].as_array().unwrap().len(), 1, "{json}");
    let beside = rest().replace("[0.0, 0.0, 0.05]", "[0.0, 0.1, 0.05]");
    assert!(!said("out.toml", beside, false).contains("warning"));
    std::fs::remove_dir_all(dir).unwrap();
}
