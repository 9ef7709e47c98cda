//! Starts the real `hapticd`, queries its state, and stops it as a service manager would.
//!
//! A [`Daemon`] that is dropped without [`Daemon::stop`] (a scenario failed) is killed; its output
//! becomes part of the scenario's error text.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::Duration;

use hapticd_vmrig::host::wait_for;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// Guard against waiting for ever; far above what the emulated machine needs.
pub const LIMIT: Duration = Duration::from_secs(60);

/// The shipped profile, for [`ArmConfig::keys`].
pub const PROFILE: &str = "profile = \"generic-vendor-3dof\"\n";

/// One `[[arm]]` of the configuration.
pub struct ArmConfig {
    /// Name of the arm.
    pub name: &'static str,
    /// More keys, as whole lines: [`PROFILE`], `serial = "..."`, `port_path = "..."`.
    pub keys: String,
    /// Position of its base along x, so that the tools of two arms do not meet.
    pub x_m: f64,
}

/// Largest force that the configuration permits, N.
pub const PEAK_N: f64 = 0.05;

/// Returns a configuration with a plate under every arm, its top in the plane of the arms' bases;
/// see [`config_over`].
pub fn config(arms: &[ArmConfig], ramp_s: f64) -> String {
    let plate = "shape = { kind = \"plate\", size_m = [1.0, 0.2], thickness_m = 0.2 }\n";
    config_over(plate, arms, ramp_s)
}

/// Returns a configuration with one body, whose `[[body]]` has these lines; the tools are spheres
/// of 5 mm.
///
/// The machine emulates one slow processor: the loop runs at its lowest rate and does not spin, and
/// the limits on late data and silent threads are wide.
pub fn config_over(body: &str, arms: &[ArmConfig], ramp_s: f64) -> String {
    let engage_n = 0.2 * PEAK_N;
    let mut text = format!(
        "\
[loop]
rate_hz = 500
spin_us = 0
silent_supervisor_ms = 1000
silent_ipc_ms = 1000

[safety]
peak_force_n = {PEAK_N}
continuous_force_n = {PEAK_N}
ramp_s = {ramp_s:.1}
engage_force_n = {engage_n}
stall_ms = 1000.0
stale_input_ms = 300.0
stale_contact_ms = 5000.0
velocity_limit_m_s = 10.0

[[body]]
name = \"ground\"
material = \"soft\"
{body}

[[material]]
name = \"soft\"
stiffness_n_per_m = 200.0
damping_n_s_per_m = 0.0
friction_coefficient = 0.0
"
    );
    for arm in arms {
        text += &format!(
            "
[[arm]]
name = \"{}\"
kind = \"hid\"
{}
tool = {{ kind = \"sphere\", radius_m = 0.005 }}
world_from_base = {{ position_m = [{}, 0.0, 0.0] }}
",
            arm.name, arm.keys, arm.x_m
        );
    }
    text
}

/// A running `hapticd`.
pub struct Daemon {
    child: Child,
    directory: PathBuf,
}

impl Daemon {
    /// Writes the configuration and starts `hapticd run` on it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(name: &str, config: &str) -> Result<Daemon, String> {
        let directory = PathBuf::from("/tmp").join(name);
        let io = |error: std::io::Error| error.to_string();
        fs::create_dir_all(&directory).map_err(io)?;
        fs::write(directory.join("hapticd.toml"), config).map_err(io)?;
        let output = File::create(directory.join("output")).map_err(io)?;
        let child = Command::new("hapticd")
            .arg("run")
            .arg(directory.join("hapticd.toml"))
            .arg("--report")
            .arg(directory.join("report.json"))
            .stdin(Stdio::null())
            .stdout(output.try_clone().map_err(io)?)
            .stderr(output)
            .spawn()
            .map_err(|error| format!("hapticd: {error}"))?;
        Ok(Daemon { child, directory })
    }

    /// Returns everything that the daemon has written so far.
    pub fn output(&self) -> String {
        fs::read_to_string(self.directory.join("output")).unwrap_or_default()
    }

    /// Waits until the daemon, after the first `from` bytes of its output, has reported `what`
    /// about the arm `name`.
    ///
    /// # Errors
    /// As for [`Daemon::until`].
    pub fn until_logged(&mut self, from: usize, name: &str, what: &str) -> Result<(), String> {
        let arm = format!("arm={name} ");
        self.until(
            &format!("hapticd to say `{what}` of the arm {name}"),
            |daemon| {
                let output = daemon.output();
                let news = output.get(from..).unwrap_or_default();
                news.lines()
                    .any(|line| line.contains(&arm) && line.contains(what))
                    .then_some(())
            },
        )
    }

    /// Waits until `probe` returns a value, and fails at once if the daemon ends.
    ///
    /// # Errors
    /// What was awaited, and the daemon's output.
    pub fn until<T>(
        &mut self,
        what: &str,
        mut probe: impl FnMut(&Daemon) -> Option<T>,
    ) -> Result<T, String> {
        let ended = wait_for(what, LIMIT, || {
            if let Ok(Some(status)) = self.child.try_wait() {
                return Some(Err(format!("hapticd ended ({status}) before: {what}")));
            }
            probe(self).map(Ok)
        });
        ended
            .and_then(|inner| inner)
            .map_err(|error| self.explain(&error))
    }

    /// Fails if the daemon has ended.
    ///
    /// # Errors
    /// How it ended, and its output.
    pub fn alive(&mut self) -> Result<(), String> {
        match self.child.try_wait() {
            Ok(None) => Ok(()),
            Ok(Some(status)) => Err(self.explain(&format!("hapticd ended: {status}"))),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Sends SIGTERM and waits; returns the report.
    ///
    /// # Errors
    /// If it does not end, ends with another status than 0, or leaves no report.
    pub fn stop(mut self) -> Result<Value, String> {
        let process = i32::try_from(self.child.id())
            .ok()
            .and_then(Pid::from_raw)
            .ok_or("no process id")?;
        kill_process(process, Signal::TERM).map_err(|error| error.to_string())?;
        let status: ExitStatus = wait_for("hapticd to end after SIGTERM", LIMIT, || {
            self.child.try_wait().ok().flatten()
        })
        .map_err(|error| self.explain(&error))?;
        if !status.success() {
            return Err(self.explain(&format!("hapticd ended after SIGTERM with {status}")));
        }
        let report = fs::read(self.directory.join("report.json"))
            .map_err(|error| format!("report: {error}"))?;
        serde_json::from_slice(&report).map_err(|error| format!("report: {error}"))
    }

    /// Returns an error with the end of the output.
    pub fn explain(&self, error: &str) -> String {
        let output = self.output();
        let lines: Vec<&str> = output.lines().collect();
        let tail = lines[lines.len().saturating_sub(40)..].join("\n    ");
        format!("{error}\n  hapticd wrote:\n    {tail}")
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        // It has already ended, unless the scenario failed.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Runs `hapticd devices --json`.
///
/// # Errors
/// If it fails or writes something else.
pub fn devices() -> Result<Value, String> {
    let output = Command::new("hapticd")
        .args(["devices", "--json"])
        .output()
        .map_err(|error| format!("hapticd devices: {error}"))?;
    if !output.status.success() {
        return Err(format!(
            "hapticd devices: {}, {}",
            output.status,
            String::from_utf8_lossy(&output.stderr)
        ));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("hapticd devices: {error}"))
}
