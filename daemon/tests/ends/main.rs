//! How a run ends, seen from outside the real binary: by signals, with readers that do not read and
//! with files that are not regular files.
//!
//! Force is judged by what the daemon publishes and records. Every wait is for a condition; a bound
//! of a minute only turns a wait without end into a failure.

use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use hapticd_client::{ArmState, Client, Subscription, topic};
use hapticd_devices::safety::ForceOffReason;
use hapticd_frozen::Frozen;
use hapticd_protocol::request;
use hapticd_recording::message::TickMessage;
use hapticd_recording::reader::{Event, Reader};
use rustix::process::{Pid, Signal, kill_process};

const PATIENCE: Duration = Duration::from_secs(60);
/// From an order to end to a force of exactly zero, at the default `fade_ms`.
const FADE_TICKS: u64 = 100;

/// A hand that comes down on the floor, presses for 20 s, and does so again. A hand that is down
/// before the loop runs would feel nothing.
const HAND: &str =
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.05]\ndepth_m = 0.09\nmove_s = 4.0\nhold_s = 20.0\n";
const RIG: &str = "
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"./hand.toml\"
tool = { kind = \"sphere\", radius_m = 0.005 }
mechanics = { mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }
[[body]]
name = \"floor\"
kind = \"static\"
position_m = [0.0, 0.0, -0.03]
shape = { kind = \"cuboid\", size_m = [0.5, 0.5, 0.02] }
";

/// The most patient settings: force must end because of the test, not because the machine has other
/// work.
const PATIENT: &str =
    "continuous_force_n = 4.0\nstale_input_ms = 1000.0\nstale_contact_ms = 5000.0\n";
/// Pause of the loop that counts as a stall, ms. The arms' threads wait for a little longer before
/// they take a loop for silent.
const STALL_MS: u32 = 1000;

/// Makes a folder with a configuration and its hand; `safety` holds keys of that section.
fn folder(name: &str, safety: &str) -> PathBuf {
    folder_with(name, STALL_MS, safety)
}

fn folder_with(name: &str, stall_ms: u32, safety: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("hapticd-ends-{}-{name}", std::process::id()));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    std::fs::write(path.join("hand.toml"), HAND).unwrap();
    let safety = format!("[safety]\n{PATIENT}stall_ms = {stall_ms}.0\n{safety}");
    std::fs::write(path.join("rig.toml"), safety + RIG).unwrap();
    path
}

fn command(dir: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hapticd"));
    command
        .args(args)
        .current_dir(dir)
        .env("XDG_RUNTIME_DIR", dir)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Makes a named pipe.
fn make_fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// A daemon whose hand presses; it ends with its test.
struct Daemon {
    process: Child,
    arm: Subscription,
    _client: Client,
    log: Option<Receiver<String>>,
}

impl Daemon {
    /// Starts a daemon and waits until its hand presses with full force.
    fn press(dir: &Path, mut command: Command) -> Self {
        let mut process = command.spawn().unwrap();
        let log = process.stderr.take().map(|stderr| {
            let (lines, log) = channel();
            std::thread::spawn(move || {
                for line in BufReader::new(stderr).lines().map_while(Result::ok) {
                    // If the receiver is gone, the test has seen enough.
                    let _ = lines.send(line);
                }
            });
            log
        });
        let socket = dir.join("hapticd/app.sock");
        let mut client = Client::connect_until(&socket, "test", PATIENCE).unwrap();
        let arm = client.subscribe(0, topic::STATE).unwrap();
        let mut daemon = Daemon {
            process,
            arm,
            _client: client,
            log,
        };
        daemon.until("it presses", |state| {
            state.reason == 0 && state.force_n[2] > 1.0
        });
        daemon
    }

    fn state(&self) -> Option<ArmState> {
        self.arm.state().ok()
    }

    /// Waits for a state.
    fn until(&mut self, what: &str, is_it: impl Fn(&ArmState) -> bool) -> ArmState {
        let from = Instant::now();
        let mut last = None;
        while from.elapsed() < PATIENCE {
            last = self.state().or(last);
            if let Some(state) = last.filter(&is_it) {
                return state;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("never: {what}; {last:?}");
    }

    /// Waits for a line of the log.
    fn says(&self, what: &str) {
        let log = self.log.as_ref().unwrap();
        let from = Instant::now();
        let mut seen = Vec::new();
        while from.elapsed() < PATIENCE {
            let line = log.recv_timeout(PATIENCE).unwrap_or_default();
            if line.contains(what) {
                return;
            }
            seen.push(line);
        }
        panic!("`{what}` was never said: {seen:#?}");
    }

    fn signal(&self, name: &str) {
        let id = self.process.id().to_string();
        let sent = Command::new("kill").args([name, &id]).status().unwrap();
        assert!(sent.success(), "{name}");
    }

    fn end(&mut self) -> ExitStatus {
        let from = Instant::now();
        while from.elapsed() < PATIENCE {
            if let Some(status) = self.process.try_wait().unwrap() {
                return status;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        panic!("it does not end: {:?}", self.state());
    }

    /// Waits until force is off.
    fn is_off(&mut self) {
        self.until("no force", |state| {
            state.reason != 0 && state.force_n == [0.0; 3]
        });
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // A daemon that has ended already needs no kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Reads the ticks of a recording.
fn ticks(dir: &Path, name: &str) -> Vec<TickMessage> {
    let mut reader = Reader::open(&dir.join(name)).unwrap();
    let mut ticks = Vec::new();
    while let Some(event) = reader.event().unwrap() {
        if let Event::Tick(tick) = event {
            ticks.push(*tick);
        }
    }
    ticks
}

fn force_n(tick: &TickMessage) -> f64 {
    let force = &tick.arms[0].output.sent.force_n;
    force.iter().map(|f| f.0 * f.0).sum::<f64>().sqrt()
}

/// Returns the ticks that the loop ran from the one that was told to stop to the first one without
/// force, which stays off.
///
/// There must be a force that can fade. How large it is depends on the machine: where an arm's
/// thread loses its processor, the governor lowers the gain for the energy that this gave the hand.
fn fade_ticks(ticks: &[TickMessage]) -> u64 {
    let from = ticks.iter().position(|t| t.stopping).unwrap();
    let before = &ticks[from - 1].arms[0].output;
    let pressed = force_n(&ticks[from - 1]);
    assert!(pressed > 0.1, "{pressed} N, reason {}", before.reason);
    let zero = (from..ticks.len()).find(|k| force_n(&ticks[*k]) == 0.0);
    let zero = zero.expect("force ends");
    assert!(ticks[zero..].iter().all(|t| force_n(t) == 0.0));
    ticks[zero].tick - ticks[from].tick
}

fn replays(dir: &Path, name: &str) {
    let out = command(dir, &["replay", name, "--verify"])
        .stdout(Stdio::piped())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&out.stdout).into_owned();
    assert_eq!(out.status.code(), Some(0), "{said}");
}

#[test]
fn a_reader_of_the_output_that_stops_holds_up_no_stop() {
    let dir = folder("reader", "");
    let (reader, mut writer) = std::io::pipe().unwrap();
    // Full before the first line: this is its capacity, and any further write waits.
    let held = writer.try_clone().unwrap();
    let filled = std::thread::spawn(move || writer.write_all(&[b' '; 1 << 16]));
    let mut command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    command.stdout(held);
    let mut daemon = Daemon::press(&dir, command);
    // A line a second: two are due.
    let seen = daemon.state().unwrap().tick;
    daemon.until("two seconds pass", |state| state.tick > seen + 2000);
    daemon.signal("-TERM");
    daemon.is_off();
    let status = daemon.end();
    assert_eq!(status.code(), Some(1), "the report was not read");
    assert!(fade_ticks(&ticks(&dir, "run.mcap")) <= FADE_TICKS);
    replays(&dir, "run.mcap");
    drop(reader);
    let _ = filled.join().unwrap();
    std::fs::remove_dir_all(dir).unwrap();
}

/// Returns a terminal with its size set, and a second path to its inside.
fn terminal() -> (std::fs::File, std::fs::File, PathBuf) {
    use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
    let outside = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&outside).unwrap();
    unlockpt(&outside).unwrap();
    let name = ptsname(&outside, Vec::new()).unwrap();
    let path = PathBuf::from(name.to_str().unwrap());
    let size = rustix::termios::Winsize {
        ws_row: 40,
        ws_col: 120,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    rustix::termios::tcsetwinsize(&outside, size).unwrap();
    let inside = std::fs::File::options().read(true).write(true).open(&path);
    (outside.into(), inside.unwrap(), path)
}

/// A terminal that takes no more output (a link that stalls, a multiplexer that is frozen) still
/// has keys.
#[test]
fn a_key_ends_a_run_whose_terminal_takes_nothing() {
    use std::os::unix::fs::OpenOptionsExt;
    for key in [b"q", b"\x03"] {
        let dir = folder("terminal", "");
        let (mut outside, inside, path) = terminal();
        let mut command = command(&dir, &["run", "rig.toml", "--record", "run.mcap"]);
        command.stdin(inside.try_clone().unwrap()).stdout(inside);
        let mut daemon = Daemon::press(&dir, command);
        let mut filler = std::fs::File::options()
            .write(true)
            .custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed())
            .open(&path)
            .unwrap();
        while filler.write(b" ").is_ok() {}
        // Many frames are due.
        let seen = daemon.state().unwrap().tick;
        daemon.until("a second passes", |state| state.tick > seen + 1000);
        outside.write_all(key).unwrap();
        daemon.is_off();
        let drained = std::thread::spawn(move || {
            let mut bytes = [0; 4096];
            while outside.read(&mut bytes).is_ok_and(|count| count > 0) {}
        });
        assert_eq!(daemon.end().code(), Some(0));
        drop(filler);
        drained.join().unwrap();
        assert!(fade_ticks(&ticks(&dir, "run.mcap")) <= FADE_TICKS);
        std::fs::remove_dir_all(dir).unwrap();
    }
}

/// The log does not keep force on either, whichever thread waits for its reader.
#[test]
fn a_reader_of_the_log_that_stops_holds_up_no_stop() {
    let dir = folder("log", "");
    let (reader, mut writer) = std::io::pipe().unwrap();
    let mut command = command(&dir, &["run", "rig.toml", "--plain"]);
    command.stderr(writer.try_clone().unwrap());
    let mut daemon = Daemon::press(&dir, command);
    // More than the capacity: this waits until the reader is gone, like any thread that logs.
    let filled = std::thread::spawn(move || writer.write_all(&[b' '; 1 << 20]));
    let seen = daemon.state().unwrap().tick;
    daemon.until("it is full", |state| state.tick > seen + 100);
    daemon.signal("-HUP");
    let seen = daemon.state().unwrap().tick;
    daemon.until("it was logged, or is about to be", |state| {
        state.tick > seen + 200
    });
    daemon.signal("-TERM");
    daemon.is_off();
    daemon.end();
    drop(reader);
    assert!(filled.join().unwrap().is_err(), "the pipe was full");
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn a_pipe_in_the_place_of_the_configuration_is_refused() {
    let dir = folder("fifo", "");
    let mut command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    command.stderr(Stdio::piped());
    let mut daemon = Daemon::press(&dir, command);
    std::fs::remove_file(dir.join("rig.toml")).unwrap();
    make_fifo(&dir.join("rig.toml"));
    daemon.signal("-HUP");
    daemon.says("it is not a regular file");
    assert!(daemon.state().unwrap().force_n[2] > 1.0, "it goes on");
    daemon.signal("-TERM");
    daemon.is_off();
    assert_eq!(daemon.end().code(), Some(0));
    assert!(fade_ticks(&ticks(&dir, "run.mcap")) <= FADE_TICKS);
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn check_refuses_pipes_instead_of_waiting_for_them() {
    let dir = folder("check", "");
    for name in ["rig.toml", "hand.toml", "mesh.obj"] {
        let path = dir.join("other").join(name);
        let _ = std::fs::remove_dir_all(dir.join("other"));
        std::fs::create_dir(dir.join("other")).unwrap();
        std::fs::write(dir.join("other/hand.toml"), HAND).unwrap();
        std::fs::write(
            dir.join("other/rig.toml"),
            format!("{RIG}[[body]]\nname = \"part\"\nshape = {{ kind = \"mesh\", file = \"mesh.obj\" }}\n"),
        )
        .unwrap();
        let corner = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
        std::fs::write(dir.join("other/mesh.obj"), corner).unwrap();
        std::fs::remove_file(&path).unwrap();
        make_fifo(&path);
        let mut check = command(&dir.join("other"), &["check", "rig.toml"])
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let from = Instant::now();
        while check.try_wait().unwrap().is_none() {
            if from.elapsed() > PATIENCE {
                let _ = check.kill();
                panic!("it hangs on {name}");
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        let out = check.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(2), "{name}: {said}");
        assert!(said.contains("it is not a regular file"), "{name}: {said}");
    }
    std::fs::remove_dir_all(dir).unwrap();
}

#[test]
fn every_signal_that_can_be_caught_ends_in_order_or_does_nothing() {
    let harmless = [
        "USR1", "USR2", "ALRM", "VTALRM", "PROF", "IO", "PIPE", "STKFLT", "XFSZ", "TSTP", "TTIN",
        "TTOU", "34", "64",
    ];
    for last in ["QUIT", "PWR", "XCPU", "ABRT", "INT"] {
        let dir = folder(&format!("signal-{last}"), "");
        let command = command(
            &dir,
            &["run", "rig.toml", "--plain", "--record", "run.mcap"],
        );
        let mut daemon = Daemon::press(&dir, command);
        for name in harmless {
            daemon.signal(&format!("-{name}"));
        }
        let seen = daemon.state().unwrap().tick;
        daemon.until("it goes on", |state| {
            state.tick > seen + 100 && state.force_n[2] > 1.0
        });
        daemon.signal(&format!("-{last}"));
        assert_eq!(daemon.end().code(), Some(0), "{last}");
        let fade_ticks = fade_ticks(&ticks(&dir, "run.mcap"));
        assert!(fade_ticks <= FADE_TICKS, "{last}: {fade_ticks} ticks");
        std::fs::remove_dir_all(dir).unwrap();
    }
}

#[test]
fn a_second_signal_cuts_what_still_fades() {
    let dir = folder("second", "fade_ms = 1000.0\n");
    let command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    let mut daemon = Daemon::press(&dir, command);
    daemon.signal("-TERM");
    let first = daemon.until("it fades", |state| {
        state.reason == ForceOffReason::Shutdown.code()
    });
    // A signal that comes sooner would be the same order.
    daemon.until("30 ms pass", |state| state.tick > first.tick + 30);
    daemon.signal("-TERM");
    assert_eq!(daemon.end().code(), Some(0));
    let ticks = ticks(&dir, "run.mcap");
    let cut = ticks.iter().position(|t| t.cut).expect("it was told to");
    assert!(ticks[cut - 1].stopping && force_n(&ticks[cut - 1]) > 0.5);
    assert!(ticks[cut..].iter().all(|t| force_n(t) == 0.0));
    let reason = ticks[cut].arms[0].output.reason;
    assert_eq!(reason, ForceOffReason::Supervisor.code());
    replays(&dir, "run.mcap");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A program that relays an order to its child and to the child's process group delivers it twice.
#[test]
fn an_order_that_is_delivered_twice_fades() {
    let dir = folder("twice", "fade_ms = 1000.0\n");
    let command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    let mut daemon = Daemon::press(&dir, command);
    let process = Pid::from_child(&daemon.process);
    let from = Instant::now();
    kill_process(process, Signal::TERM).unwrap();
    // Two signals at once are one to the kernel: the first one must have been taken.
    while daemon.state().is_none_or(|state| state.reason == 0) {
        assert!(from.elapsed() < PATIENCE, "it never fades");
    }
    kill_process(process, Signal::TERM).unwrap();
    // On a machine that held this up for longer they are two orders.
    let is_one = from.elapsed() < Duration::from_millis(20);
    assert_eq!(daemon.end().code(), Some(0));
    let ticks = ticks(&dir, "run.mcap");
    let is_cut = ticks.iter().any(|t| t.cut);
    assert!(!(is_one && is_cut), "it was cut");
    assert!(is_cut || fade_ticks(&ticks) > 500);
    std::fs::remove_dir_all(dir).unwrap();
}

/// The scribe waits for a reader that has stopped. Records are lost, but force stays, and so does
/// its orderly end. The end of the process does not wait for the supervisor, which waits for the
/// scribe.
#[test]
fn a_recording_whose_reader_stops_costs_records_and_no_stop() {
    let dir = folder("record", "");
    let pipe = dir.join("run.mcap");
    make_fifo(&pipe);
    let args = [
        "run", "rig.toml", "--plain", "--record", "run.mcap", "--force",
    ];
    let mut command = command(&dir, &args);
    command.stderr(Stdio::piped());
    let (opened, reader) = channel();
    std::thread::spawn(move || {
        let mut reader = std::fs::File::open(pipe).unwrap();
        let mut first = [0; 8];
        reader.read_exact(&mut first).unwrap();
        opened.send((reader, first)).unwrap();
    });
    let mut daemon = Daemon::press(&dir, command);
    let (reader, first) = reader.recv_timeout(PATIENCE).unwrap();
    assert_eq!(&first, b"\x89MCAP0\r\n");
    daemon.says("scribe has not responded");
    let seen = daemon.state().unwrap().tick;
    daemon.until("force stays", |state| {
        state.tick > seen + 100 && state.force_n[2] > 1.0
    });
    daemon.signal("-TERM");
    daemon.is_off();
    assert_eq!(daemon.end().code(), Some(1));
    daemon.says("ended because its supervisor did not finish in time");
    drop(reader);
    std::fs::remove_dir_all(dir).unwrap();
}

/// A technician's order to end takes the path of a signal: straight to the loop.
#[test]
fn a_shutdown_by_request_fades_while_the_supervisor_hangs() {
    // The loop needs longer to miss the supervisor than this takes.
    let dir = folder("request", "[loop]\nsilent_supervisor_ms = 1000\n");
    let command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    let mut daemon = Daemon::press(&dir, command);
    let socket = dir.join("hapticd/technician.sock");
    let mut technician = Client::connect_until(&socket, "test", PATIENCE).unwrap();
    let held = Frozen::first(daemon.process.id()).unwrap();
    technician.request(request::Shutdown {}).unwrap();
    let off = daemon.until("no force", |state| {
        state.reason == ForceOffReason::Shutdown.code() && state.force_n == [0.0; 3]
    });
    drop(held);
    assert_eq!(daemon.end().code(), Some(0));
    let ticks = ticks(&dir, "run.mcap");
    assert!(fade_ticks(&ticks) <= FADE_TICKS);
    let stopping = ticks.iter().find(|t| t.stopping).unwrap();
    assert!(stopping.tick <= off.tick, "while it was held");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A loop that does not tick cannot end force: the arm's thread does, and the run ends.
#[test]
fn a_loop_that_hangs_leaves_no_force_and_ends_the_run() {
    let dir = folder("hangs", "");
    let mut command = command(&dir, &["run", "rig.toml", "--plain"]);
    command.stderr(Stdio::piped());
    let mut daemon = Daemon::press(&dir, command);
    let held = Frozen::named(daemon.process.id(), "haptic").unwrap();
    daemon.says("the loop sends no commands: the arm is set to zero force");
    daemon.says("the haptic loop hangs: the run ends without it");
    assert!(held.is_gone(), "the run goes on");
    assert_eq!(daemon.end().code(), Some(1));
    daemon.says("thread haptic died");
    std::fs::remove_dir_all(dir).unwrap();
}

/// A machine that gives the loop no processor for a while ends no run.
#[test]
fn a_loop_that_pauses_leaves_no_force_and_the_run_goes_on() {
    let dir = folder_with("pauses", 100, "");
    let mut command = command(
        &dir,
        &["run", "rig.toml", "--plain", "--record", "run.mcap"],
    );
    command.stderr(Stdio::piped());
    let mut daemon = Daemon::press(&dir, command);
    let held = Frozen::named(daemon.process.id(), "haptic").unwrap();
    daemon.says("the loop sends no commands: the arm is set to zero force");
    drop(held);
    let seen = daemon.state().unwrap().tick;
    let after = daemon.until("it runs", |state| state.tick > seen + 100);
    // The hand is down, so the wanted force is never small.
    assert_eq!(after.force_n, [0.0; 3]);
    daemon.signal("-TERM");
    assert_eq!(daemon.end().code(), Some(0));
    let ticks = ticks(&dir, "run.mcap");
    let stall = ticks.iter().find(|t| {
        let output = &t.arms[0].output;
        output.reason == ForceOffReason::Stall.code() && t.tick > 0
    });
    assert_eq!(force_n(stall.expect("it is said to be a stall")), 0.0);
    std::fs::remove_dir_all(dir).unwrap();
}

/// A status request does not wait for the thread that writes the status.
#[test]
fn the_status_is_served_while_its_writer_hangs() {
    let dir = folder("status", "");
    let mut daemon = Daemon::press(&dir, command(&dir, &["run", "rig.toml", "--plain"]));
    let socket = dir.join("hapticd/technician.sock");
    let mut technician = Client::connect_until(&socket, "test", PATIENCE).unwrap();
    // Stopped anywhere in its rounds, sometimes while it has the lock.
    for _ in 0..50 {
        let held = Frozen::named(daemon.process.id(), "scribe").unwrap();
        let status = technician.status().unwrap();
        assert!(status.contains("\"right\""), "{status}");
        drop(held);
        let seen = daemon.state().unwrap().tick;
        daemon.until("it runs", |state| state.tick > seen + 3);
    }
    daemon.signal("-TERM");
    assert_eq!(daemon.end().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
