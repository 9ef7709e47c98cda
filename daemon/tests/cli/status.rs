//! Broad and mid-phase in `hapticd status`, and its output in words.

use super::*;

/// Requests the status until `is_said` holds; at most for a minute of the daemon's ticks.
fn until(dir: &Path, is_said: impl Fn(&serde_json::Value) -> bool) -> serde_json::Value {
    loop {
        let out = hapticd(dir, &["status", "--json"]);
        assert_eq!(out.status.code(), Some(0), "{out:?}");
        let status: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
        if is_said(&status) {
            return status;
        }
        assert!(status["tick"].as_u64() < Some(60_000), "{status}");
    }
}

/// A technician reads words; a program finds each key in the schema.
#[test]
fn the_status_is_told_in_words_and_again_each_second() {
    let dir = folder("status-words");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let status = until(&dir, |status| status["arms"][0]["attached"] == true);
    assert_eq!(status["arms"][0]["name"], "right");
    assert!(status["arms"][0]["state"].is_string(), "{status}");
    let out = hapticd(&dir, &["status", "--schema"]);
    let schema: serde_json::Value = serde_json::from_slice(&out.stdout).unwrap();
    for key in status.as_object().unwrap().keys() {
        assert!(schema["properties"][key].is_object(), "{key}");
    }
    let mut watch = Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(["status", "--watch"])
        .env("XDG_RUNTIME_DIR", &dir)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let said = BufReader::new(watch.stdout.take().unwrap()).lines();
    let arms: Vec<String> = said
        .map(Result::unwrap)
        .filter(|line| line.starts_with("right  "))
        .take(2)
        .collect();
    watch.kill().unwrap();
    watch.wait().unwrap();
    for line in &arms {
        assert!(line.contains(" N | missed "), "{line}");
        assert!(!line.contains(['[', '"']), "{line}");
    }
    assert_eq!(arms.len(), 2);
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// The status names the broad phase, with its work: live, and empty if nothing queries it.
#[test]
fn the_status_names_the_broad_phase_and_counts_what_it_does() {
    let block = "[[body]]\nname = \"block\"\nkind = \"dynamic\"\nposition_m = [0.1, 0.0, 0.1]\nshape = { kind = \"cuboid\", size_m = [0.03, 0.03, 0.03] }\n";
    let cloth = "[[body]]\nname = \"awning\"\nkind = \"cloth\"\nposition_m = [0.0, 0.0, -0.2]\nshape = { kind = \"sheet\", size_m = 0.1, cells = 4 }\npinned = \"border\"\n";
    for (broad, bodies) in [
        ("kinetic", format!("{block}{cloth}")),
        ("registration", String::new()),
    ] {
        let dir = folder(&format!("broad-{broad}"));
        let config = format!("[collision]\nbroad_phase = \"{broad}\"\n{ARM}\n{bodies}");
        std::fs::write(dir.join("rig.toml"), config).unwrap();
        let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
        daemon.until("arm attached");
        let text = || {
            let out = hapticd(&dir, &["status"]);
            assert_eq!(out.status.code(), Some(0), "{out:?}");
            String::from_utf8(out.stdout).unwrap()
        };
        if bodies.is_empty() {
            // One tool and only bodies that forces do not move: nothing queries it, however long it
            // runs.
            until(&dir, |status| {
                !status["broad_phase"].is_null() && status["tick"].as_u64() > Some(20)
            });
            let said = text();
            assert!(
                said.contains("broad phase: registration, not used\n"),
                "{said}"
            );
            assert!(!said.contains("of the soft bodies"), "{said}");
            assert!(!said.contains("planar: "), "{said}");
        } else {
            let searches = |facts: &serde_json::Value| facts["searches"].as_u64();
            let first = until(&dir, |status| {
                searches(&status["broad_phase"]) > Some(1)
                    && searches(&status["deformables"]["broad_phase"]) > Some(1)
            });
            let facts = &first["broad_phase"];
            assert_eq!(facts["name"], "kinetic", "{facts}");
            assert_eq!(
                facts["upkeep"]["kinetic"]["certificates_per_box"], 12,
                "{facts}"
            );
            // One block alone, each time that it has left the skin of its bounding ball.
            assert_eq!(
                (&facts["boxes"], &facts["pairs"]),
                (&facts["searches"], &0.into()),
                "{facts}"
            );
            // It falls on and on, so the counter goes on.
            until(&dir, |status| {
                searches(&status["broad_phase"]) > searches(facts)
            });
            let said = text();
            for line in [
                "\nbroad phase: kinetic, asked ",
                "\nbroad phase of the soft bodies: kinetic, asked ",
            ] {
                assert!(said.contains(line), "{said}");
            }
        }
        daemon.signal("-TERM");
        assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
        std::fs::remove_dir_all(dir).unwrap();
    }
}

/// For a planar scene the status reports the structure itself, with its four measures.
#[test]
fn the_status_of_a_planar_scene_has_the_measures_of_its_structure() {
    let dir = folder("planar-status");
    let config = ARM.replace(
        "{ kind = \"sphere\", radius_m = 0.005 }",
        "{ kind = \"disc\", radius_m = 0.005, sides = 12 }",
    );
    assert_ne!(config, ARM);
    let wall = |name: &str, y: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nposition_m = [0.0, {y}, 0.0]\nshape = {{ kind = \"polygon\", vertices_m = [[-0.1, 0.0], [0.1, 0.0], [0.1, 0.01], [-0.1, 0.01]] }}\n"
        )
    };
    let config = format!("{config}{}{}", wall("near", 0.1), wall("far", -0.1));
    std::fs::write(dir.join("rig.toml"), config).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    // The structure is built, and each body was counted.
    let status = until(&dir, |status| {
        status["planar"]["certificates_per_body_max"].as_u64() > Some(0)
    });
    let planar = &status["planar"];
    assert!(planar["builds"].as_u64() > Some(0), "{planar}");
    let out = hapticd(&dir, &["status"]);
    let said = String::from_utf8(out.stdout).unwrap();
    assert!(said.contains("\nbroad phase: sweep, not used\n"), "{said}");
    let line = said.lines().find(|line| line.starts_with("planar: "));
    let has = |what: &str| line.is_some_and(|line| line.contains(what));
    assert!(
        has(" per body (of all bodies)") && has(" internal events"),
        "{said}"
    );
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// Reads up to a line with these words.
fn read_to(lines: &mut impl Iterator<Item = std::io::Result<String>>, what: &str) {
    let mut seen = Vec::new();
    for line in lines {
        let line = line.unwrap();
        if line.contains(what) {
            return;
        }
        seen.push(line);
    }
    panic!("`{what}` was never said: {seen:#?}");
}

#[test]
fn a_watch_outlives_its_daemon_and_shows_the_next_one() {
    let dir = folder("status-gone");
    for is_json in [false, true] {
        std::fs::write(dir.join("rig.toml"), ARM).unwrap();
        let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
        daemon.until("arm attached");
        let mut watch = Command::new(env!("CARGO_BIN_EXE_hapticd"))
            .args(["status", "--watch"])
            .args(is_json.then_some("--json"))
            .env("XDG_RUNTIME_DIR", &dir)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(watch.stdout.take().unwrap()).lines();
        let mut errors = BufReader::new(watch.stderr.take().unwrap()).lines();
        read_to(&mut said, "right");
        daemon.signal("-TERM");
        assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
        let gone = "the daemon is gone; retrying every second: ";
        if is_json {
            read_to(&mut errors, gone);
        } else {
            read_to(&mut said, gone);
        }
        // Another name, so that no line of the first daemon is mistaken for it.
        std::fs::write(dir.join("rig.toml"), ARM.replace("right", "left")).unwrap();
        let mut next = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
        next.until("arm attached");
        read_to(&mut said, "left");
        watch.kill().unwrap();
        watch.wait().unwrap();
        assert_eq!(errors.count(), 0, "it is said once");
        if is_json {
            for line in said {
                serde_json::from_str::<serde_json::Value>(&line.unwrap()).unwrap();
            }
        }
        next.signal("-TERM");
        assert_eq!(next.process.wait().unwrap().code(), Some(0));
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// A reader that takes only the first lines leaves no process behind that goes on asking.
#[test]
fn a_watch_ends_with_its_reader() {
    let dir = folder("status-reader");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    let watch = |stdout: Stdio| {
        Command::new(env!("CARGO_BIN_EXE_hapticd"))
            .args(["status", "--watch"])
            .env("XDG_RUNTIME_DIR", &dir)
            .stdout(stdout)
            .stderr(Stdio::null())
            .spawn()
            .unwrap()
    };
    let mut read = watch(Stdio::piped());
    let mut lines = BufReader::new(read.stdout.take().unwrap()).lines();
    assert!(lines.next().unwrap().is_ok());
    drop(lines);
    assert_eq!(read.wait().unwrap().code(), Some(0));
    let full = std::fs::File::options().write(true).open("/dev/full");
    let mut unread = watch(full.unwrap().into());
    assert_eq!(unread.wait().unwrap().code(), Some(1));
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
