//! What an arm is sent, read from recordings by a reader that shares no code with the daemon: the
//! bounds of a force, and that it ends and comes back as `docs/safety.md` says.
//!
//! Virtual time where the hand alone decides; real processes where a process is stopped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hapticd_chaos::recording::{self, ArmTick, Tick};

/// Period of the loop, s.
const DT: f64 = 1e-3;
/// Codes of reasons, as published.
const OVER_VELOCITY: u8 = 8;
const STALL: u8 = 9;

/// Files of a test, removed when it passes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("hapticd-force-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    /// A floor whose top is at -0.02 m, one simulated arm, and what the test adds.
    fn scene(&self, safety: &str, hand: &str, arm: &str, mechanics: &str) {
        let text = format!(
            "[safety]\n{safety}\n[[arm]]\nname = \"right\"\nkind = \"simulated\"\n\
             intention = \"./hand.toml\"\n{arm}\ntool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
             {mechanics}\n[[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.03]\n\
             shape = {{ kind = \"cuboid\", size_m = [1.0, 0.5, 0.02] }}\n\
             material = \"stone\"\n[[material]]\nname = \"stone\"\nstiffness_n_per_m = 5000.0\n"
        );
        std::fs::write(self.0.join("scene.toml"), text).unwrap();
        std::fs::write(self.0.join("hand.toml"), hand).unwrap();
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapticd"));
        command
            .args(args)
            .current_dir(&self.0)
            .env("XDG_RUNTIME_DIR", &self.0)
            .stdin(Stdio::null())
            .stdout(Stdio::null());
        command
    }

    /// Runs it in virtual time and reads what was sent.
    fn run(&self, seconds: u32) -> Vec<Tick> {
        let seconds = seconds.to_string();
        let status = self
            .command(&[
                "record",
                "scene.toml",
                "--virtual-time",
                "--duration",
                &seconds,
                "--output",
                "run.mcap",
                "--no-check",
            ])
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0));
        self.read()
    }

    fn read(&self) -> Vec<Tick> {
        let recorded = recording::read(&self.0.join("run.mcap")).unwrap();
        assert_eq!(recorded.cut, None);
        recorded.ticks
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The hand of a person, and motors that can render a stiff floor.
const MECHANICS: &str = "mechanics = { mass_kg = 0.15, damping_n_s_per_m = 2.0, \
     coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }";

fn arm(ticks: &[Tick]) -> Vec<ArmTick> {
    ticks.iter().map(|tick| tick.arms[0]).collect()
}

fn longest(arm: &[ArmTick]) -> f64 {
    arm.iter().map(ArmTick::length_n).fold(0.0, f64::max)
}

/// A hand that taps: down far beyond what the peak allows, and up again.
const TAP: &str =
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.3\nhold_s = 0.4\n";

#[test]
fn peak_slew_and_what_is_wanted_bound_every_tick() {
    let folder = Folder::new("bounds");
    let (peak_n, slew_n) = (2.0, 0.05);
    let safety = format!(
        "peak_force_n = {peak_n:?}\ncontinuous_force_n = {peak_n:?}\nslew_n_per_ms = {slew_n}\nramp_s = 0.1\n"
    );
    folder.scene(&safety, TAP, "", MECHANICS);
    let ticks = arm(&folder.run(10));
    assert_eq!(ticks.len(), 10_000);
    // The hand pushes against the peak, or nothing is shown.
    assert!(longest(&ticks) > 0.999 * peak_n, "{}", longest(&ticks));
    let mut fastest: f64 = 0.0;
    for (tick, pair) in ticks.windows(2).enumerate() {
        let [before, now] = pair else { unreachable!() };
        let change: f64 = (0..3)
            .map(|k| (now.force_n[k] - before.force_n[k]).powi(2))
            .sum::<f64>()
            .sqrt();
        fastest = fastest.max(change);
        assert!(now.length_n() <= peak_n + 1e-12, "tick {tick}: {now:?}");
        // A cut is exempt: zero at once is what it is for.
        assert!(
            change <= slew_n + 1e-12 || now.length_n() == 0.0,
            "tick {tick}: {change} N from {before:?} to {now:?}"
        );
        // What is wanted may fall faster than the slew limit lets the force follow: then it falls.
        assert!(
            now.length_n() <= now.wanted_n.max(before.length_n()) + 1e-12,
            "tick {tick}: {before:?} to {now:?}"
        );
    }
    assert!(fastest > 0.999 * slew_n, "{fastest}");
}

/// `docs/config.md`: the mean square over any window is at most that of the continuous limit over
/// the window and `continuous_window_s`.
#[test]
fn a_force_that_is_held_falls_to_the_continuous_limit() {
    let folder = Folder::new("continuous");
    let (continuous_n, window_s) = (1.0, 2.0);
    let safety = format!(
        "peak_force_n = 4.0\ncontinuous_force_n = {continuous_n:?}\ncontinuous_window_s = {window_s:?}\nramp_s = 0.1\n"
    );
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.3\nhold_s = 100.0\n";
    folder.scene(&safety, hand, "", MECHANICS);
    let ticks = arm(&folder.run(20));
    assert!(longest(&ticks) > 2.0 * continuous_n, "{}", longest(&ticks));
    // The last second holds the fade of the end.
    let held = ticks[ticks.len() - 1000].length_n();
    assert!(held <= continuous_n * 1.001, "{held} N held");
    assert!(held >= continuous_n * 0.9, "{held} N held");
    // The worst window of all: the largest sum of a run.
    let bound = continuous_n * continuous_n * window_s;
    let mut excess: f64 = 0.0;
    for tick in &ticks {
        excess += (tick.length_n().powi(2) - continuous_n.powi(2)) * DT;
        excess = excess.max(0.0);
        assert!(excess <= bound * (1.0 + 1e-9), "{excess} of {bound} N2 s");
    }
    assert!(excess > 0.5 * bound, "{excess} of {bound} N2 s");
}

/// Holds that force is nothing until little was wanted for `engage_ticks`, and then rises to the
/// peak within `ramp_s`. Gives how often it came back.
fn comes_back_by_waiting_and_a_ramp(ticks: &[Tick], ramp_s: f64, peak_n: f64) -> usize {
    let mut returns = 0;
    let mut little = 0;
    // When the ramp began, ns.
    let mut ramp: Option<u64> = None;
    for pair in ticks.windows(2) {
        let [before, tick] = pair else { unreachable!() };
        let now = tick.arms[0];
        if now.reason != 0 {
            (ramp, little) = (None, 0);
            continue;
        }
        // The defaults: less than 0.2 N (`engage_force_n`), for four ticks.
        little = if now.wanted_n < 0.2 { little + 1 } else { 0 };
        if ramp.is_none() && little >= 4 {
            ramp = Some(before.now_ns);
            returns += 1;
        }
        let risen = ramp.map_or(0.0, |begun| (tick.now_ns - begun) as f64 * 1e-9 / ramp_s);
        let most = peak_n * risen.min(1.0);
        assert!(
            now.length_n() <= most + 1e-9,
            "{tick:?}: at most {most} N of a force that comes back"
        );
    }
    returns
}

#[test]
fn a_hand_that_is_too_fast_gets_nothing_and_waits_for_a_small_force() {
    let folder = Folder::new("fast");
    let (peak_n, ramp_s) = (4.0, 0.5);
    let safety = format!(
        "peak_force_n = {peak_n:?}\ncontinuous_force_n = {peak_n:?}\nvelocity_limit_m_s = 0.25\nramp_s = {ramp_s}\n"
    );
    folder.scene(&safety, TAP, "", MECHANICS);
    let recorded = folder.run(10);
    let ticks = arm(&recorded);
    let fast: Vec<&ArmTick> = ticks.iter().filter(|t| t.reason == OVER_VELOCITY).collect();
    assert!(fast.len() > 10, "{} ticks were too fast", fast.len());
    assert!(fast.iter().all(|t| t.force_n == [0.0; 3]), "{fast:?}");
    let returns = comes_back_by_waiting_and_a_ramp(&recorded, ramp_s, peak_n);
    assert!(returns >= 3, "it came back {returns} times");
}

/// A recording daemon in real time; ends with its test.
struct Daemon(Child);

impl Daemon {
    fn signal(&self, name: &str) {
        let pid = self.0.id().to_string();
        assert!(
            Command::new("kill")
                .args([name, &pid])
                .status()
                .unwrap()
                .success()
        );
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        let _ = (self.0.kill(), self.0.wait());
    }
}

/// Until the published force is above this.
fn presses(folder: &Path, least_n: f64) {
    use hapticd_client::{Client, want};
    let patience = Duration::from_secs(120);
    let socket = folder.join("hapticd/app.sock");
    let mut client = Client::connect_until(&socket, "force", patience).unwrap();
    client.set_timeout(patience);
    let state = client.subscribe(0, want::STATE).unwrap();
    let begun = std::time::Instant::now();
    loop {
        let force = state.state().map_or([0.0; 3], |state| state.force_n);
        if recording::length(&force) > least_n {
            return client.close();
        }
        assert!(begun.elapsed() < patience, "never more than {least_n} N");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn the_first_tick_of_a_process_that_was_stopped_has_no_force() {
    let folder = Folder::new("stopped");
    let (peak_n, ramp_s) = (4.0, 0.5);
    let safety =
        format!("peak_force_n = {peak_n:?}\ncontinuous_force_n = {peak_n:?}\nramp_s = {ramp_s}\n");
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.5\nhold_s = 0.5\n";
    folder.scene(&safety, hand, "", MECHANICS);
    let mut command = folder.command(&["run", "scene.toml", "--plain", "--record", "run.mcap"]);
    let mut daemon = Daemon(command.stderr(Stdio::null()).spawn().unwrap());
    for _ in 0..3 {
        presses(&folder.0, 0.5);
        daemon.signal("-STOP");
        std::thread::sleep(Duration::from_millis(60));
        daemon.signal("-CONT");
    }
    presses(&folder.0, 0.5);
    daemon.signal("-TERM");
    assert_eq!(daemon.0.wait().unwrap().code(), Some(0));
    let recorded = folder.read();
    // Longer than the default `stall_ms` (10), and two ticks that were both recorded.
    let gaps: Vec<&Tick> = recorded
        .windows(2)
        .filter(|p| p[1].tick == p[0].tick + 1 && p[1].now_ns - p[0].now_ns > 10_000_000)
        .map(|p| &p[1])
        .collect();
    assert!(gaps.len() >= 3, "{} gaps", gaps.len());
    for tick in gaps {
        assert_eq!(tick.arms[0].force_n, [0.0; 3], "{tick:?}");
        assert_eq!(tick.arms[0].reason, STALL, "{tick:?}");
    }
    let whole = recorded.windows(2).all(|p| p[1].tick == p[0].tick + 1);
    // Where the recorder lost ticks, what was wanted in them is not known.
    if whole {
        comes_back_by_waiting_and_a_ramp(&recorded, ramp_s, peak_n);
    }
}
