//! `hapticd record`, and the code behind `--record` and `[record]`.

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::{SystemTime, UNIX_EPOCH};

use hapticd_config as config;

use super::{CreatedFile, Failure, outputs};
use hapticd_monitor::log::LogFormat;
use hapticd_recording::Sink;
use hapticd_recording::{Meta, Recorder, Setup, Time, files};

#[derive(clap::Args)]
pub struct Args {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    pub(super) config: PathBuf,
    /// Recording to write (MCAP).
    #[arg(long, short, value_name = "FILE")]
    pub(super) output: PathBuf,
    /// Overwrite the recording if it exists.
    #[arg(long)]
    pub(super) force: bool,
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = super::run::duration)]
    pub(super) duration: Option<f64>,
    /// One thread, deterministic, at full speed; simulated arms only.
    #[arg(long)]
    pub(super) virtual_time: bool,
    /// Write a JSON report at the end.
    #[arg(long, value_name = "FILE")]
    pub(super) report: Option<PathBuf>,
    /// Do not check every tick with the independent checker.
    #[arg(long)]
    pub(super) no_check: bool,
    /// The form of the log on standard error.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogFormat::Text)]
    pub(super) log_format: LogFormat,
}

/// Runs a configuration without a view and records it.
pub fn record(args: Args) -> Result<(), Failure> {
    super::run::recorded(args)
}

/// A recording that has begun.
#[derive(Default)]
pub struct Recording {
    /// Takes the records; `None` if nothing is recorded.
    pub sink: Option<Box<dyn Sink>>,
    /// Reason why the recording is incomplete, if it is. Reaching its size limit is not a failure.
    pub failure: Arc<OnceLock<String>>,
    /// The created file, for a run that does not begin.
    pub fresh: CreatedFile,
}

/// Begins the recording that the command line or the configuration requests. `file` is that of the
/// command line; with `force`, an existing one is overwritten. `effective` is the effective
/// configuration. If writing fails, the daemon still runs.
///
/// # Errors
/// If the file cannot be created, or a file that the configuration names cannot be read.
pub fn begin(
    config: &config::Config,
    effective: &str,
    file: Option<&Path>,
    force: bool,
    time: Time,
) -> Result<Recording, Failure> {
    let settings = &config.record;
    let path = match file {
        Some(path) => path,
        None if settings.enabled => &settings.path,
        None => return Ok(Recording::default()),
    };
    let said = |e: std::io::Error| Failure::Input(format!("{}: {e}", path.display()));
    if file.is_none() {
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(said)?;
        }
        // The last recording may show the crash that made the user restart, so one old recording is
        // kept.
        if path.is_file() {
            std::fs::rename(path, outputs::kept(path)).map_err(said)?;
        }
    }
    let files = files::embed(config)
        .map_err(|(path, e)| Failure::Input(format!("{}: {e}", path.display())))?;
    // The file that the configuration's recording would overwrite has just been moved aside.
    let (output, fresh) = super::create(path, force || file.is_none())?;
    let setup = Setup {
        meta: Meta::of_this(time, false),
        config: effective,
        files: &files,
        arms: config.arms.len(),
        max_bytes: settings.max_bytes,
        epoch_ns: match time {
            Time::Real => wall_ns().saturating_sub(hapticd_sys::clock::now_ns()),
            Time::Virtual => wall_ns(),
        },
    };
    match Recorder::new(output, &setup) {
        Ok(recorder) => Ok(Recording {
            failure: recorder.failure(),
            sink: Some(Box::new(recorder)),
            fresh,
        }),
        Err(why) => {
            tracing::error!("nothing is recorded: {}: {why}", path.display());
            let recording = Recording::default();
            // The cell is new, so it is empty.
            let _ = recording.failure.set(why);
            Ok(recording)
        }
    }
}

/// Returns nanoseconds since 1970; 0 if the clock is earlier.
fn wall_ns() -> u64 {
    let since = SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}
