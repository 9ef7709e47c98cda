//! A simulated arm as an experiment sees it: from the configuration through a run to the recording,
//! which is read here as plain MCAP and JSON.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

mod forced;
mod rates;
mod start;
mod truth;

/// Files of a test, removed when it passes.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path =
            std::env::temp_dir().join(format!("hapticd-simulated-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn write(&self, name: &str, text: &str) {
        std::fs::write(self.0.join(name), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_hapticd"));
        command
            .args(args)
            .current_dir(&self.0)
            .env("XDG_RUNTIME_DIR", &self.0);
        command
    }

    fn hapticd(&self, args: &[&str]) -> Output {
        self.command(args).output().unwrap()
    }

    /// Runs `scene.toml` in virtual time and returns the arm in each tick.
    fn run(&self, seconds: &str) -> Vec<Arm> {
        let output = self.hapticd(&[
            "run",
            "scene.toml",
            "--virtual-time",
            "--duration",
            seconds,
            "--record",
            "run.mcap",
            "--no-check",
        ]);
        assert!(output.status.success(), "{output:?}");
        read(&self.path("run.mcap"))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }
}

/// The first arm in a tick.
struct Arm {
    now_ns: u64,
    arm: Value,
}

impl Arm {
    fn at(&self, path: &str) -> &Value {
        let found = self.arm.pointer(path);
        found.unwrap_or_else(|| panic!("{path} is missing in {}", self.arm))
    }

    fn integer(&self, path: &str) -> u64 {
        self.at(path).as_u64().unwrap()
    }

    fn number(&self, path: &str) -> f64 {
        self.at(path).as_f64().unwrap()
    }
}

fn read(path: &Path) -> Vec<Arm> {
    let bytes = std::fs::read(path).unwrap();
    let mut arms = Vec::new();
    for message in mcap::MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        if message.channel.topic == "/tick" {
            let tick: Value = serde_json::from_slice(&message.data).unwrap();
            arms.push(Arm {
                now_ns: tick["now_ns"].as_u64().unwrap(),
                arm: tick["arms"][0].clone(),
            });
        }
    }
    arms
}

/// A hand on a circle that presses on a floor, 5 mm under the centre of its tool's ball.
fn scene(rate_hz: u32, arm: &str, mechanics: &str) -> String {
    format!(
        "[loop]\nrate_hz = {rate_hz}\n[safety]\nramp_s = 0.1\n\
         [[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n{arm}\n\
         tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
         mechanics = {{ mass_kg = 0.15, {mechanics} }}\n\
         [[body]]\nname = \"floor\"\nposition_m = [0.0, 0.0, -0.015]\nmaterial = \"stone\"\n\
         shape = {{ kind = \"cuboid\", size_m = [0.4, 0.4, 0.02] }}\n\
         [[material]]\nname = \"stone\"\nstiffness_n_per_m = 50000.0\n"
    )
}

const HAND: &str = "kind = \"script\"\nrepeat = true\ntrack = [\n\
    { t_s = 0.0, position = [0.0, 0.0, 0.01] },\n\
    { t_s = 0.5, position = [0.02, 0.01, -0.008], rotation = [0.0, 0.1, 0.2] },\n\
    { t_s = 1.0, position = [0.0, 0.0, 0.01] } ]\n";
