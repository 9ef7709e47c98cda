//! Actions of a technician on a running daemon by the command line: latched faults cleared,
//! tightened limits released.

use super::*;
use hapticd_client::{ALL_ARMS, Limit};
use hapticd_frozen::Frozen;
use hapticd_protocol::request;

/// Bound that counts as a failure, above what a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(120);

/// Two arms, next to each other.
fn two_arms() -> String {
    let left = ARM.replace("right", "left");
    format!("{ARM}{left}world_from_base = {{ position_m = [0.5, 0.0, 0.0] }}\n")
}

fn started(name: &str, text: &str) -> (PathBuf, Daemon) {
    let dir = folder(name);
    std::fs::write(dir.join("rig.toml"), text).unwrap();
    let mut daemon = Daemon::start(&dir, &["run", "rig.toml", "--plain"]);
    daemon.until("arm attached");
    (dir, daemon)
}

fn ended(dir: PathBuf, mut daemon: Daemon) {
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// Returns exit code, standard output, standard error.
fn typed(dir: &Path, args: &[&str]) -> (Option<i32>, String, String) {
    let out = hapticd(dir, args);
    let [said, error] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
    (out.status.code(), said, error)
}

fn application(dir: &Path) -> Client {
    let mut app =
        Client::connect_until(&dir.join("hapticd/app.sock"), "painter", PATIENCE).unwrap();
    app.set_timeout(PATIENCE);
    app
}

/// Tightens the speed above which force is cut, and the peak force.
fn slower(arm: u8, velocity_m_s: f64, peak_force_n: f64) -> request::TightenLimits {
    request::TightenLimits {
        peak_force_n: Limit(peak_force_n),
        continuous_force_n: Limit::NONE,
        peak_torque_nm: Limit::NONE,
        continuous_torque_nm: Limit::NONE,
        slew_n_per_s: Limit::NONE,
        slew_nm_per_s: Limit::NONE,
        velocity_m_s: Limit(velocity_m_s),
        angular_velocity_rad_s: Limit::NONE,
        arm,
    }
}

#[test]
fn a_technician_releases_what_an_application_tightened() {
    let (dir, daemon) = started("release", &two_arms());
    let mut app = application(&dir);
    let before = [0, 1].map(|arm| app.limits(arm).unwrap());
    app.request(slower(ALL_ARMS, 0.001, 1.25)).unwrap();

    let (code, said, error) = typed(&dir, &["release", "left"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
    let velocity = format!("velocity_m_s 0.001 -> {}", before[1].velocity_m_s.0);
    let peak = format!("peak_force_n 1.25 -> {}", before[1].peak_force_n.0);
    assert_eq!(said, format!("left: released: {peak}, {velocity}\n"));
    assert_eq!(app.limits(1).unwrap(), before[1]);
    assert_eq!(app.limits(0).unwrap().velocity_m_s.0, 0.001);

    // Without a name, all arms: one that is released already says so.
    let (code, said, error) = typed(&dir, &["release"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(lines[0].starts_with("right: released: peak_force_n 1.25 -> "));
    assert_eq!(lines[1..], ["left: nothing was tightened"]);
    assert_eq!(app.limits(0).unwrap(), before[0]);
    ended(dir, daemon);
}

#[test]
fn a_technician_clears_a_latched_fault() {
    // A stall ranks higher, and on a busy machine the supervisor alone may be silent.
    let calm = "[loop]\nsilent_supervisor_ms = 1000\n[safety]\nstall_ms = 100.0\n";
    let (dir, mut daemon) = started("clear", &format!("{calm}{}", two_arms()));
    let app = &mut application(&dir);
    let mut arms = [0, 1].map(|arm| app.subscribe(arm, topic::STATE | topic::WAKE).unwrap());
    let mut reaches = |arm: usize, is_it: &dyn Fn(u8) -> bool| {
        while !arms[arm].state().is_ok_and(|state| is_it(state.reason)) {
            arms[arm].wake().unwrap().wait(PATIENCE).unwrap();
        }
    };
    let frozen = Frozen::first(daemon.process.id()).unwrap();
    for arm in [0, 1] {
        reaches(arm, &|reason| reason == 11);
    }
    drop(frozen);
    let line = daemon.until("stopped by the supervisor (11): it was silent for ");
    assert!(line.contains(" ms, limit 1000"), "{line}");
    assert!(line.contains("; needs `hapticd clear`"), "{line}");
    let (code, said, error) = typed(&dir, &["clear", "right"]);
    assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
    let cleared = "cleared: stopped by the supervisor (11)";
    assert!(said.starts_with(&format!("right: {cleared}")), "{said}");
    assert_eq!(said.lines().count(), 1, "{said}");
    reaches(0, &|reason| reason != 11);
    reaches(1, &|reason| reason == 11);
    let (code, said, _) = typed(&dir, &["clear"]);
    assert_eq!(code, Some(0), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert!(
        lines[0].starts_with("right: no latched fault was in force"),
        "{said}"
    );
    assert!(lines[1].starts_with(&format!("left: {cleared}")), "{said}");
    reaches(1, &|reason| reason != 11);
    ended(dir, daemon);
}

#[test]
fn what_cannot_be_cleared_or_released_says_why() {
    let (dir, daemon) = started("technician-refused", &two_arms());
    let app = dir.join("hapticd/app.sock");
    for command in ["clear", "release"] {
        let (code, said, error) = typed(&dir, &[command, "middle"]);
        assert_eq!((code, said.as_str()), (Some(2), ""), "{error}");
        assert!(error.contains("no arm `middle`"), "{error}");
        assert!(error.contains("right, left"), "{error}");
        // By its index as well.
        let (code, said, error) = typed(&dir, &[command, "1"]);
        assert_eq!((code, error.as_str()), (Some(0), ""), "{said}");
        assert!(said.starts_with("left: "), "{said}");
        // The daemon's own words, and exit code 1.
        let socket = app.to_str().unwrap();
        let (code, said, error) = typed(&dir, &[command, "--socket", socket]);
        assert_eq!((code, said.as_str()), (Some(1), ""), "{error}");
        assert!(error.contains("technician"), "{error}");
    }
    ended(dir, daemon);
    let gone = folder("technician-gone");
    let socket = gone.join("technician.sock");
    let (code, _, error) = typed(&gone, &["clear", "--socket", socket.to_str().unwrap()]);
    assert_eq!(code, Some(1), "{error}");
    assert!(error.contains("no daemon at"), "{error}");
    std::fs::remove_dir_all(gone).unwrap();
}

/// The client that cut the force at walking pace is found in the log and in the status, without a
/// program.
#[test]
fn what_clients_tighten_is_told_in_the_log_and_in_the_status() {
    let (dir, mut daemon) = started("tightened", &two_arms());
    let mut app = application(&dir);
    let plain = typed(&dir, &["status"]).1;
    assert!(!plain.contains("tightened"), "{plain}");
    let configured = app.limits(0).unwrap().velocity_m_s.0;
    app.request(slower(0, 0.001, f64::INFINITY)).unwrap();
    // Not reported: neither of these changes anything.
    app.request(slower(0, 0.001, f64::INFINITY)).unwrap();
    app.request(slower(0, 0.5, f64::INFINITY)).unwrap();
    let (code, said, _) = typed(&dir, &["status"]);
    assert_eq!(code, Some(0), "{said}");
    let line = format!(
        "limits tightened by clients: velocity_m_s 0.001 (configuration {configured}); \
         `hapticd release right` undoes it\n"
    );
    assert!(said.contains(&line), "{said}");
    assert_eq!(said.matches("tightened").count(), 1, "{said}");
    let (_, said, _) = typed(&dir, &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&said).unwrap();
    let [right, left] = [0, 1].map(|arm| &status["arms"][arm]);
    assert_eq!(right["limits"]["velocity_m_s"], 0.001);
    assert_eq!(right["limits_configured"]["velocity_m_s"], configured);
    assert_eq!(left["limits"], left["limits_configured"]);
    let (code, said, _) = typed(&dir, &["release", "right"]);
    assert_eq!(code, Some(0), "{said}");
    let (_, said, _) = typed(&dir, &["status"]);
    assert!(!said.contains("tightened"), "{said}");

    daemon.signal("-TERM");
    let lines: Vec<String> = daemon.log.by_ref().map(Result::unwrap).collect();
    let told = |what: &str| -> Vec<&String> {
        (lines.iter().filter(|line| line.contains(what))).collect()
    };
    let tightened = told("tightened limits");
    assert_eq!(tightened.len(), 1, "{lines:#?}");
    for part in [
        " WARN arm=right client=".to_owned(),
        format!("application `painter` tightened limits: velocity_m_s {configured} -> 0.001; "),
        "`hapticd release right` undoes it".to_owned(),
    ] {
        assert!(tightened[0].contains(&part), "`{part}`: {}", tightened[0]);
    }
    let released = told("released limits");
    assert_eq!(released.len(), 1, "{lines:#?}");
    let part =
        format!("technician `hapticd release` released limits: velocity_m_s 0.001 -> {configured}");
    assert!(released[0].contains(&part), "{}", released[0]);
    assert!(released[0].contains(" INFO arm=right "), "{}", released[0]);
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}

/// The variable means the same as `--socket`; a client's own setting does as well.
#[test]
fn the_commands_connect_to_the_socket_that_the_environment_names() {
    let ipc = "[ipc]\ntechnician_socket = \"my-tech\"\n";
    let (dir, daemon) = started("environment", &format!("{ipc}{}", two_arms()));
    let run = |socket: &str, args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapticd"));
        command.args(args).current_dir(&dir);
        let out = command.env("HAPTICD_SOCKET", socket).output().unwrap();
        let [said, error] = [out.stdout, out.stderr].map(|text| String::from_utf8(text).unwrap());
        (out.status.code(), said + &error)
    };
    let absolute = dir.join("my-tech");
    for socket in ["my-tech", "./my-tech", absolute.to_str().unwrap()] {
        for command in ["status", "clear", "release"] {
            let (code, said) = run(socket, &[command]);
            assert_eq!(code, Some(0), "{socket}: {said}");
            assert!(said.contains("right"), "{socket}: {said}");
        }
    }
    // What is not there is named as it was given.
    let (code, said) = run("gone/my-tech", &["status"]);
    assert_eq!(code, Some(1), "{said}");
    assert!(said.contains("no daemon at gone/my-tech: "), "{said}");
    ended(dir, daemon);
    let (dir, daemon) = started("beside", &two_arms());
    let app = dir.join("hapticd/app.sock");
    let mut command = Command::new(env!("CARGO_BIN_EXE_hapticd"));
    let out = command.arg("status").env("HAPTICD_SOCKET", app).output();
    assert!(out.unwrap().status.success());
    ended(dir, daemon);
    for command in ["status", "clear", "release", "export"] {
        let help = hapticd(&std::env::temp_dir(), &[command, "--help"]);
        let help = String::from_utf8(help.stdout).unwrap();
        assert!(help.contains("$HAPTICD_SOCKET"), "{command}: {help}");
    }
}

/// Exit code 2 is for what the user can mend, as docs/operations.md says.
#[test]
fn a_socket_fault_the_user_can_fix_exits_with_2() {
    let dir = folder("mend");
    std::fs::write(dir.join("file.sock"), "no socket").unwrap();
    for (socket, says) in [
        ("file.sock", "exists and is not a socket"),
        ("file.sock/app.sock", "cannot make the folder"),
    ] {
        let ipc = format!("[ipc]\napp_socket = {:?}\n", dir.join(socket));
        std::fs::write(dir.join("rig.toml"), format!("{ipc}{ARM}")).unwrap();
        let (code, _, error) = typed(&dir, &["run", "rig.toml", "--plain"]);
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains(says), "{error}");
    }
    // The folder of the session is too long a name, and no key of the configuration.
    let long = dir.join("s".repeat(120));
    std::fs::create_dir(&long).unwrap();
    std::fs::write(long.join("rig.toml"), ARM).unwrap();
    let (code, _, error) = typed(&long, &["run", "rig.toml", "--plain"]);
    assert_eq!(code, Some(2), "{error}");
    let says = "bytes is too long for a socket path (maximum 107)";
    assert!(error.contains(says), "{error}");
    std::fs::write(dir.join("rig.toml"), ARM).unwrap();
    for how in [
        &["run", "rig.toml", "--plain", "--record"][..],
        &["demo", "--plain", "--record"],
        &["record", "rig.toml", "--output"],
    ] {
        let (code, _, error) = typed(&dir, &[how, &["nowhere/a.mcap"]].concat());
        assert_eq!(code, Some(2), "{error}");
        assert!(error.contains("nowhere/a.mcap"), "{error}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}
