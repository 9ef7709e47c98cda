//! The daemon of an episode: its files, process, log and resources.

use crate::{Failure, notes::What};
use rustix::process::{Pid, Signal, kill_process};
use std::{
    fs,
    io::{Read, Write},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

/// Peak force in the configuration of a new episode, N.
pub const PEAK_N: f64 = 4.0;

const INTENTION: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.06\n\
    move_s = 0.4\nhold_s = 2.5\n";

/// Returns the configuration: two hands that press, the right one only on bodies of clients.
pub fn configuration(peak_n: f64) -> String {
    let arm = |name: &str, x: f64| {
        format!(
            "[[arm]]\nname = \"{name}\"\nkind = \"simulated\"\nintention = \"./press.toml\"\n\
             tool = {{ kind = \"sphere\", radius_m = 0.005 }}\n\
             world_from_base = {{ position_m = [{x:?}, 0.0, 0.0] }}\n\
             mechanics = {{ mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, \
             resolution_m = 2e-5, delay_us = 500 }}\n"
        )
    };
    format!(
        "[log]\nlevel = \"info\"\n[safety]\npeak_force_n = {peak_n:?}\n\
         continuous_force_n = {peak_n:?}\n{}{}[[body]]\nname = \"floor\"\nkind = \"static\"\n\
         position_m = [0.5, 0.0, -0.03]\n\
         shape = {{ kind = \"cuboid\", size_m = [0.5, 0.5, 0.02] }}\n",
        arm("right", 0.0),
        arm("left", 0.5),
    )
}

/// Returns the peak of every configuration that is read from now on, N.
pub fn peak_of(folder: &Path) -> Option<f64> {
    let text = fs::read_to_string(folder.join("peak")).ok()?;
    text.trim().parse().ok()
}

/// The running daemon.
pub struct Daemon {
    process: Child,
    folder: PathBuf,
    reading: Arc<AtomicBool>,
}

impl Daemon {
    /// Starts a daemon in a folder, recording into it.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start(program: &Path, folder: &Path) -> Result<Self, Failure> {
        fs::write(folder.join("press.toml"), INTENTION)?;
        write_configuration(folder, &configuration(PEAK_N))?;
        write_peak(folder, PEAK_N)?;
        let recording = ["--record", "run.mcap", "--report", "report.json"];
        let arguments = [&["run", "config.toml", "--plain"], &recording[..]].concat();
        Self::spawn(program, folder, &arguments)
    }

    /// Starts a daemon in a folder with the same two hands, without a recording. `more` holds
    /// further sections of its configuration.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn start_plain(program: &Path, folder: &Path, more: &str) -> Result<Self, Failure> {
        fs::write(folder.join("press.toml"), INTENTION)?;
        write_configuration(folder, &(configuration(PEAK_N) + more))?;
        let arguments = ["run", "config.toml", "--plain", "--report", "report.json"];
        Self::spawn(program, folder, &arguments)
    }

    /// Starts a daemon in a folder with these arguments; its sockets and output go there.
    ///
    /// # Errors
    /// If it cannot be started.
    pub fn spawn(program: &Path, folder: &Path, arguments: &[&str]) -> Result<Self, Failure> {
        let reading = Arc::new(AtomicBool::new(true));
        let mut daemon_command = Command::new(program);
        daemon_command
            .args(arguments)
            .current_dir(folder)
            .env("XDG_RUNTIME_DIR", folder)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        let mut process = daemon_command.spawn()?;
        for (name, pipe) in [
            (
                "out",
                process
                    .stdout
                    .take()
                    .map(|p| Box::new(p) as Box<dyn Read + Send>),
            ),
            (
                "log",
                process
                    .stderr
                    .take()
                    .map(|p| Box::new(p) as Box<dyn Read + Send>),
            ),
        ] {
            let Some(pipe) = pipe else { continue };
            let file = fs::File::create(folder.join(name))?;
            let reading = Arc::clone(&reading);
            std::thread::spawn(move || copy(pipe, file, &reading));
        }
        Ok(Self {
            process,
            folder: folder.to_owned(),
            reading,
        })
    }

    /// Sets whether stdout and stderr are read.
    pub fn set_reading(&self, reading: bool) {
        self.reading.store(reading, Ordering::Relaxed);
    }

    /// Sends a signal.
    pub fn signal(&self, signal: Signal) {
        signal_process(&self.process, signal);
    }

    /// Returns true if it is still running.
    pub fn runs(&mut self) -> bool {
        matches!(self.process.try_wait(), Ok(None))
    }

    /// Waits for its end and returns its exit status; `None` if it had to be killed after
    /// `patience`.
    pub fn end(&mut self, patience: Duration) -> Option<i32> {
        let end = Instant::now() + patience;
        while Instant::now() < end {
            if let Ok(Some(status)) = self.process.try_wait() {
                return status.code();
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        None
    }

    /// Returns its resource usage.
    pub fn usage(&self, before: bool) -> What {
        let proc = PathBuf::from(format!("/proc/{}", self.process.id()));
        let entries = |name: &str| fs::read_dir(proc.join(name)).map_or(0, |d| d.count() as u64);
        let status = fs::read_to_string(proc.join("status")).unwrap_or_default();
        let line = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key))?;
            line.split_whitespace().next()?.parse::<u64>().ok()
        };
        What::Usage {
            before,
            resident: line("VmRSS:").unwrap_or(0) << 10,
            descriptors: entries("fd"),
            threads: entries("task"),
        }
    }

    /// Replaces its configuration atomically by one with this peak.
    ///
    /// # Errors
    /// The error of the system.
    pub fn configure(&self, peak_n: f64) -> Result<(), Failure> {
        write_configuration(&self.folder, &configuration(peak_n))?;
        // Any reader of the old file is done with it before the new peak is published.
        std::thread::sleep(Duration::from_secs(1));
        write_peak(&self.folder, peak_n)
    }
}

impl Drop for Daemon {
    fn drop(&mut self) {
        self.set_reading(true);
        // A process that has ended needs no kill.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Sends a signal to a child that was not waited for.
pub fn signal_process(process: &Child, signal: Signal) {
    if let Some(pid) = i32::try_from(process.id()).ok().and_then(Pid::from_raw) {
        // A process that has ended takes none.
        let _ = kill_process(pid, signal);
    }
}

fn write_peak(folder: &Path, peak_n: f64) -> Result<(), Failure> {
    Ok(fs::write(folder.join("peak"), format!("{peak_n:?}"))?)
}

fn write_configuration(folder: &Path, text: &str) -> Result<(), Failure> {
    let fresh = folder.join("config.toml.new");
    fs::write(&fresh, text)?;
    Ok(fs::rename(fresh, folder.join("config.toml"))?)
}

/// Copies a pipe to a file while reading is on.
fn copy(mut pipe: Box<dyn Read + Send>, mut file: fs::File, reading: &AtomicBool) {
    let mut buffer = [0; 4096];
    loop {
        while !reading.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(10));
        }
        match pipe.read(&mut buffer) {
            Ok(count) if count > 0 => {
                if file.write_all(&buffer[..count]).is_err() {
                    return;
                }
            }
            _ => return,
        }
    }
}
