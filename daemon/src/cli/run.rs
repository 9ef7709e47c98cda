//! `hapticd demo` and `hapticd run`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hapticd_config as config;

use super::{Failure, record, say};
use crate::log;
use crate::recording::Time;
use crate::rig;
use crate::scribe::Live;
use crate::session::{self, Options, ViewWish};
use crate::stats::Report;
use crate::view::{self, View, plain};

/// The built-in demonstration: simulated arm and hand, hilly ground, a swinging block.
const DEMO: &str = include_str!("../../../config/demo.toml");

#[derive(Args)]
pub struct Common {
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    duration: Option<f64>,
    /// One thread, deterministic, as fast as it goes; simulated arms only.
    #[arg(long)]
    virtual_time: bool,
    /// Write a JSON report at the end.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// A line a second instead of the live view.
    #[arg(long)]
    plain: bool,
    /// Record everything that crosses the loop (MCAP).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Do not check every tick with the independent checker.
    #[arg(long)]
    no_check: bool,
}

#[derive(Args)]
pub struct DemoArgs {
    #[command(flatten)]
    common: Common,
}

#[derive(Args)]
pub struct RunArgs {
    /// The configuration.
    #[arg(value_name = "CONFIG")]
    config: PathBuf,
    #[command(flatten)]
    common: Common,
}

pub(super) fn duration(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 && s <= 1e9 => Ok(s),
        _ => Err(format!("`{text}` is not a number of seconds above 0")),
    }
}

/// Runs the built-in configuration.
pub fn demo(args: DemoArgs) -> Result<(), Failure> {
    let context = config::Context::new(".", |name| std::env::var(name).ok());
    let loaded = config::parse("demo.toml", DEMO, &context).map_err(Failure::runtime)?;
    start(&loaded.config, &loaded.effective_toml(), None, args.common)
}

/// Runs a configuration from a file.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    let loaded = load(&args.config)?;
    let text = loaded.effective_toml();
    let config = loaded.config.clone();
    start(&config, &text, Some((args.config, loaded)), args.common)
}

/// Runs a configuration from a file without a view and records it.
pub(super) fn recorded(
    config: PathBuf,
    output: PathBuf,
    duration: Option<f64>,
    virtual_time: bool,
    report: Option<PathBuf>,
    no_check: bool,
) -> Result<(), Failure> {
    let record = Some(output);
    let common = Common {
        duration,
        virtual_time,
        report,
        plain: true,
        record,
        no_check,
    };
    run(RunArgs { config, common })
}

/// Loads and checks a configuration with the files that it names.
pub fn load(path: &Path) -> Result<config::Loaded, Failure> {
    let loaded = config::load(path).map_err(Failure::input)?;
    loaded.check_files().map_err(Failure::input)?;
    Ok(loaded)
}

fn start(
    config: &config::Config,
    effective: &str,
    file: Option<(PathBuf, config::Loaded)>,
    common: Common,
) -> Result<(), Failure> {
    let tui = !common.plain && !common.virtual_time && std::io::stdout().is_terminal();
    let (log, held) = log::start(config.log.level, tui);
    // The configuration's paths start at its folder already.
    let rig = rig::build(config, Path::new(""), common.virtual_time).map_err(Failure::input)?;
    if config.arms.is_empty() {
        return Err(Failure::Input("the configuration has no [[arm]]".into()));
    }
    let time = if common.virtual_time {
        Time::Virtual
    } else {
        Time::Real
    };
    let recording = record::begin(config, effective, common.record.as_deref(), time)?;
    let view_every = if tui {
        view::FRAME
    } else {
        Duration::from_secs(1)
    };
    let view: Box<dyn FnMut(&Live) -> ViewWish> = if tui {
        let title = file
            .as_ref()
            .map_or_else(|| "demo".to_owned(), |(path, _)| path.display().to_string());
        let mut view = View::new(&title);
        Box::new(move |live| view.show(live))
    } else {
        Box::new(|live| {
            plain::print(live);
            ViewWish::Continue
        })
    };
    let require_ipc = file.is_some();
    let options = Options {
        require_ipc,
        duration_s: common.duration,
        check: !common.no_check,
        sink: recording.sink,
        view,
        view_every,
        reload: file.map(|(path, loaded)| crate::reload::reader(path, loaded, &rig)),
        log: Some(log),
    };
    let report = if common.virtual_time {
        session::run_virtual(rig, config, options)
    } else {
        session::run_real(rig, config, options).map_err(Failure::runtime)?
    };
    drop(held);
    finish(&report, common.report.as_deref())?;
    match recording.failure.get() {
        None => Ok(()),
        Some(why) => Err(Failure::Runtime(format!(
            "the recording is not complete: {why}"
        ))),
    }
}

/// Prints the summary and writes the JSON report. Penetration is a failure of ours, not a statistic.
fn finish(report: &Report, file: Option<&Path>) -> Result<(), Failure> {
    say(report.to_string().trim_end());
    if let Some(path) = file {
        let json = serde_json::to_string_pretty(report).map_err(Failure::runtime)?;
        std::fs::write(path, json + "\n")
            .map_err(|e| Failure::Runtime(format!("{}: {e}", path.display())))?;
    }
    penetration(report)
}

/// Fails if the independent checker found any.
pub(super) fn penetration(report: &Report) -> Result<(), Failure> {
    let crossings: u64 = report.arms.iter().map(|a| a.crossings).sum();
    if report.max_penetration_m > 0.0 || crossings > 0 {
        return Err(Failure::Runtime(format!(
            "the independent checker found {} m of penetration and {crossings} crossings: please report this",
            report.max_penetration_m
        )));
    }
    Ok(())
}
