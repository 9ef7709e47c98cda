//! A configuration with faults of every kind: all of them are reported at once.

use super::*;

/// Four arms and bodies with good numbers and bad files, and as many with bad numbers.
const CASE: &str = "\
[safety]
peak_force_n = -1.0
[[arm]]
name = \"left\"
kind = \"hid\"
profile = \"no-such-arm\"
tool = { kind = \"sphere\", radius_m = 0.005 }
[[arm]]
name = \"right\"
kind = \"hid\"
profile = \"./nowhere.toml\"
tool = { kind = \"sphere\", radius_m = 5000.0 }
[[arm]]
name = \"third\"
kind = \"hid\"
profile = \"./bad.toml\"
tool = { kind = \"mesh\", file = \"lost.obj\" }
[[body]]
name = \"floor\"
shape = { kind = \"mesh\", file = \"gone.obj\", scale = -1.0 }
material = \"rubber\"
[[body]]
name = \"void\"
shape = { kind = \"mesh\", file = \"empty.obj\" }
[[body]]
name = \"ghost\"
shape = { kind = \"mesh\", file = \"away.obj\" }
colour = \"red\"
";

#[test]
fn numbers_names_and_files_are_told_in_one_round() {
    let dir = folder("rounds");
    std::fs::write(dir.join("case.toml"), CASE).unwrap();
    std::fs::write(dir.join("empty.obj"), "v 0 0 0\n").unwrap();
    std::fs::write(dir.join("bad.toml"), "colour = \"red\"\n").unwrap();
    let all = [
        ("case.toml:2:16: error: ", "`peak_force_n` = -1"),
        ("case.toml:6:11: error: ", "`no-such-arm`"),
        ("case.toml:11:11: error: ", "nowhere.toml"),
        ("case.toml:12:38: error: ", "`radius_m` = 5000"),
        ("case.toml:16:11: error: ", "bad.toml"),
        ("case.toml:17:32: error: ", "lost.obj"),
        ("case.toml:20:33: error: ", "gone.obj"),
        ("case.toml:20:53: error: ", "`scale` = -1"),
        ("case.toml:21:12: error: ", "\"rubber\""),
        ("case.toml:24:33: error: ", "no triangles"),
        ("case.toml:27:33: error: ", "away.obj"),
        ("case.toml:28:1: error: ", "`colour`"),
    ];
    for command in ["check", "run"] {
        let out = hapticd(&dir, &[command, "case.toml"]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{command}: {said}");
        for (place, words) in all {
            let line = said.lines().find(|line| line.starts_with(place));
            let is_there = line.is_some_and(|line| line.contains(words));
            assert!(is_there, "{command}: no `{words}` at {place}\n{said}");
        }
        let told = said.lines().filter(|l| l.starts_with("case.toml:"));
        assert_eq!(told.count(), all.len(), "{command}: {said}");
    }
    let out = hapticd(&dir, &["check", "case.toml", "--json"]);
    let said: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    let errors = said["errors"].as_array().unwrap();
    assert_eq!(errors.len(), all.len(), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}
