//! Commands to an arm, read from recordings by a reader that shares no code with the daemon: the
//! bounds of a force, its end and return, and the reachable poses of tools, as `docs/safety.md`
//! says.
//!
//! The tests use virtual time where the hand alone decides, and real processes where a process is
//! stopped.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use hapticd_chaos::recording::{self, ArmTick, Tick};

mod border;
mod bounds;
mod effects;
mod energy;
mod grasp;
mod jam;
mod late;
mod liquids;
mod movers;
mod orders;
mod panics;
mod rolled;
mod shading;
mod slips;
mod stiffness;
mod threads;
mod tools;
mod workspace;

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

    /// Writes a floor whose top is at -0.02 m and that ends at `x = 0.5`, and a simulated arm at
    /// each `x`.
    fn scene(&self, safety: &str, hand: &str, arms: &[f64]) {
        let arm = |(k, x): (usize, &f64)| {
            format!(
                "[[arm]]\nname = \"arm-{k}\"\nkind = \"simulated\"\nintention = \"./hand.toml\"\n\
                 world_from_base = {{ position_m = [{x:?}, 0.0, 0.0] }}\n\
                 tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
                 mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, \
                 coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }}\n"
            )
        };
        let arms: String = arms.iter().enumerate().map(arm).collect();
        let text = format!(
            "[ipc]\nmax_lease_ms = 10000\n[safety]\n{safety}\n{arms}[[body]]\nname = \"floor\"\n\
             position_m = [0.0, 0.0, -0.03]\n\
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

    /// Runs it in virtual time and reads the sent commands.
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

fn arm(ticks: &[Tick]) -> Vec<ArmTick> {
    ticks.iter().map(|tick| tick.arms[0]).collect()
}

fn longest(arm: &[ArmTick]) -> f64 {
    arm.iter().map(ArmTick::length_n).fold(0.0, f64::max)
}
