//! What a command writes never destroys what it reads, or another output; a failed write leaves no
//! empty file, and no panic.

use super::*;

const VIRTUAL: [&str; 3] = ["--virtual-time", "--duration", "0.2"];

/// Runs with arguments in a shell, for redirections and limits. `$0` is the program.
fn shell(dir: &Path, script: &str) -> Output {
    Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_hapticd")])
        .current_dir(dir)
        .env("XDG_RUNTIME_DIR", dir)
        .output()
        .unwrap()
}

fn refused(dir: &Path, args: &[&str], says: &str) {
    let out = hapticd(dir, args);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(2), "{args:?}: {said}");
    assert!(said.contains(says), "{args:?}: {said}");
}

#[test]
fn no_output_replaces_what_a_run_reads_or_another_output() {
    let dir = folder("outputs");
    let mesh = "[[body]]\nname = \"thing\"\nposition_m = [0.0, 0.0, -3.0]\n\
                shape = { kind = \"mesh\", file = \"thing.obj\" }\n";
    let text = format!("{ARM}{mesh}");
    std::fs::write(dir.join("my.toml"), &text).unwrap();
    std::fs::write(dir.join("thing.obj"), obj("0 0 1", false)).unwrap();
    std::fs::hard_link(dir.join("my.toml"), dir.join("hard.toml")).unwrap();
    std::os::unix::fs::symlink("my.toml", dir.join("soft.toml")).unwrap();
    std::os::unix::fs::symlink("new.json", dir.join("dangling.json")).unwrap();
    let here = dir.join("my.toml");
    let own = "it is the configuration, which would be lost";
    let both = "writes the same file";
    for (options, says) in [
        (&["--report", "my.toml"][..], own),
        (&["--report", here.to_str().unwrap()], own),
        (&["--report", "hard.toml"], own),
        (&["--report", "soft.toml"], own),
        (&["--record", "my.toml", "--force"], own),
        (&["--record", "./soft.toml", "--force"], own),
        (
            &["--report", "thing.obj"],
            "it is a file of the configuration",
        ),
        (&["--report", "x", "--record", "x"], both),
        (&["--report", "./x", "--record", "x", "--force"], both),
        (&["--report", "dangling.json", "--record", "new.json"], both),
    ] {
        let args = [&["run", "my.toml"][..], &VIRTUAL, options].concat();
        refused(&dir, &args, says);
    }
    let record = ["record", "my.toml", "--output", "my.toml", "--force"];
    refused(&dir, &[&record[..], &VIRTUAL].concat(), own);
    let demo = ["demo", "--report", "x", "--record", "x"];
    refused(&dir, &[&demo[..], &VIRTUAL].concat(), both);
    // The recording that the configuration asks for is an output like the others.
    let recorded = format!("[record]\nenabled = true\npath = \"rec.toml\"\n{text}");
    std::fs::write(dir.join("rec.toml"), &recorded).unwrap();
    let args = [&["run", "rec.toml"][..], &VIRTUAL].concat();
    refused(&dir, &args, "[record] path");
    let kept = |name: &str| std::fs::read_to_string(dir.join(name)).unwrap();
    assert_eq!((kept("my.toml"), kept("rec.toml")), (text, recorded));
    assert_eq!(kept("thing.obj"), obj("0 0 1", false));
    assert!(!dir.join("x").exists() && !dir.join("new.json").exists());
    // A device holds nothing that could be lost.
    let devices = ["--report", "/dev/null", "--record", "/dev/null"];
    let out = hapticd(
        &dir,
        &[&["run", "my.toml"][..], &VIRTUAL, &devices].concat(),
    );
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn no_output_of_a_replay_replaces_its_recording() {
    let dir = folder("replay-outputs");
    std::fs::write(dir.join("my.toml"), ARM).unwrap();
    let record = ["record", "my.toml", "--output", "run.mcap"];
    let out = hapticd(&dir, &[&record[..], &VIRTUAL].concat());
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let before = std::fs::read(dir.join("run.mcap")).unwrap();
    let own = "it is the recording, which would be lost";
    refused(&dir, &["replay", "run.mcap", "--report", "run.mcap"], own);
    let onto = [
        "replay",
        "run.mcap",
        "--trajectory",
        "./run.mcap",
        "--force",
    ];
    refused(&dir, &onto, own);
    assert_eq!(std::fs::read(dir.join("run.mcap")).unwrap(), before);
    std::fs::remove_dir_all(dir).unwrap();
}

/// A limit on the size of files stands for a full disk.
#[test]
fn a_file_that_cannot_be_written_is_named_and_does_not_stay_behind() {
    let dir = folder("full");
    std::fs::write(dir.join("my.toml"), ARM).unwrap();
    let record = ["record", "my.toml", "--output", "run.mcap"];
    let out = hapticd(&dir, &[&record[..], &VIRTUAL].concat());
    assert_eq!(out.status.code(), Some(0), "{out:?}");
    let full = "trap '' XFSZ; ulimit -f 0; exec \"$0\"";
    for (command, file) in [
        (
            "run my.toml --virtual-time --duration 0.2 --report r.json",
            "r.json",
        ),
        ("replay run.mcap --report r.json", "r.json"),
        ("replay run.mcap --trajectory t.mcap", "t.mcap"),
    ] {
        let out = shell(&dir, &format!("{full} {command}"));
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{command}: {said}");
        assert!(said.contains(&format!("{file}: ")), "{command}: {said}");
        assert!(!dir.join(file).exists(), "{command}: {said}");
    }
    let out = hapticd(&dir, &["replay", "run.mcap", "--report", "/dev/full"]);
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(said.contains("/dev/full: No space left"), "{said}");
    assert!(Path::new("/dev/full").exists());
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn output_that_nobody_can_read_is_no_panic() {
    let dir = folder("unread");
    std::fs::write(dir.join("my.toml"), ARM).unwrap();
    std::fs::write(dir.join("bad.toml"), "[loop]\nrate = 3\n").unwrap();
    let run = "run my.toml --plain --virtual-time --duration 0.2";
    for (command, code) in [
        ("check bad.toml 2>/dev/full".to_owned(), 2),
        ("status >/dev/full 2>/dev/full".to_owned(), 1),
        (format!("{run} >/dev/full 2>/dev/full"), 1),
        ("nonsense 2>/dev/full".to_owned(), 2),
    ] {
        let out = shell(&dir, &format!("exec \"$0\" {command}"));
        assert_eq!(out.status.code(), Some(code), "{command}: {out:?}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

/// The paths of the sockets are said by the daemon, and what was tried by who finds none.
#[test]
fn the_log_names_the_sockets_and_a_search_without_a_find_its_places() {
    let dir = folder("named-sockets");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let search = |args: &[&str]| {
        let out = Command::new(env!("CARGO_BIN_EXE_hapticd"))
            .args(args)
            .env("XDG_RUNTIME_DIR", &dir)
            .env("HOME", &dir)
            .env_remove("HAPTICD_SOCKET")
            .output()
            .unwrap();
        let said = String::from_utf8(out.stderr).unwrap();
        (out.status.code(), said)
    };
    let [session, home] = ["hapticd", ".hapticd"].map(|name| dir.join(name));
    // What a crash may leave: it is found first, whatever else runs on this machine, and no
    // process listens there.
    std::fs::create_dir(&session).unwrap();
    std::fs::write(session.join("app.sock"), "").unwrap();
    for (args, name) in [
        (&["status"][..], "technician.sock"),
        (&["clear"], "technician.sock"),
        (&["release"], "technician.sock"),
        (&["export", "x.obj", "--within", "0"], "app.sock"),
    ] {
        let (code, said) = search(args);
        assert_eq!(code, Some(1), "{said}");
        assert!(said.contains("these places were tried:\n"), "{said}");
        for folder in [&session, &home, &PathBuf::from("/run/hapticd")] {
            let place = format!("  {}\n", folder.join(name).display());
            assert!(said.contains(&place), "{place} is not in:\n{said}");
        }
    }
    let (_, said) = search(&["status", "--socket", "/nowhere/technician.sock"]);
    assert!(!said.contains("were tried"), "{said}");
    std::fs::remove_dir_all(&session).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    let [app, technician] = ["app.sock", "technician.sock"].map(|name| session.join(name));
    daemon.until(&format!(
        "sockets: {}, {}",
        app.display(),
        technician.display()
    ));
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// A folder that is passed over is passed over for both sockets.
#[test]
fn a_folder_that_is_not_safe_is_warned_of_once() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder("unsafe");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    let open = dir.join("hapticd");
    std::fs::create_dir(&open).unwrap();
    std::fs::set_permissions(&open, std::fs::Permissions::from_mode(0o777)).unwrap();
    let own = dir.join("service");
    let out = Command::new(env!("CARGO_BIN_EXE_hapticd"))
        .args(["run", "rig.toml", "--plain", "--duration", "0.2"])
        .current_dir(&dir)
        .env("XDG_RUNTIME_DIR", &dir)
        .env("RUNTIME_DIRECTORY", &own)
        .output()
        .unwrap();
    let said = String::from_utf8(out.stderr).unwrap();
    assert_eq!(
        said.matches("the sockets go elsewhere").count(),
        1,
        "{said}"
    );
    let sockets = format!("sockets: {}/app.sock, ", own.display());
    assert!(said.contains(&sockets), "{said}");
    std::fs::remove_dir_all(dir).unwrap();
}
