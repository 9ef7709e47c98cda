//! `hapticd demo` and `hapticd run`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::Args;
use hapticd_config as config;

use super::{Failure, folder_of, say};
use crate::rig;
use crate::scribe::Live;
use crate::session::{self, Options, ViewWish};
use crate::stats::Report;

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

fn duration(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 && s <= 1e9 => Ok(s),
        _ => Err(format!("`{text}` is not a number of seconds above 0")),
    }
}

/// Runs the built-in configuration.
pub fn demo(args: DemoArgs) -> Result<(), Failure> {
    let context = config::Context::new(".", |name| std::env::var(name).ok());
    let loaded = config::parse("demo.toml", DEMO, &context).map_err(Failure::runtime)?;
    start(&loaded.config, Path::new("."), DEMO, None, args.common)
}

/// Runs a configuration from a file.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    let loaded = load(&args.config)?;
    let folder = folder_of(&args.config);
    let text = loaded.source().text().to_owned();
    let config = loaded.config.clone();
    start(&config, &folder, &text, Some((args.config, loaded)), args.common)
}

/// Loads and checks a configuration with the files that it names.
pub fn load(path: &Path) -> Result<config::Loaded, Failure> {
    let loaded = config::load(path).map_err(Failure::input)?;
    loaded.check_files().map_err(Failure::input)?;
    Ok(loaded)
}

fn start(
    config: &config::Config,
    folder: &Path,
    text: &str,
    file: Option<(PathBuf, config::Loaded)>,
    common: Common,
) -> Result<(), Failure> {
    let tui = !common.plain && !common.virtual_time && std::io::stdout().is_terminal();
    log_to_stderr(config.log.level, tui);
    let rig = rig::build(config, folder, common.virtual_time).map_err(Failure::input)?;
    if config.arms.is_empty() {
        return Err(Failure::Input("the configuration has no [[arm]]".into()));
    }
    let sink = recorder(config, &rig, folder, text, &common)?;
    let view: Box<dyn FnMut(&Live) -> ViewWish> = Box::new(|live| {
        say(&line(live));
        ViewWish::Continue
    });
    let options = Options {
        duration_s: common.duration,
        check: !common.no_check,
        sink,
        view,
        view_every: Duration::from_secs(1),
        reload: file.map(|(path, loaded)| {
            let specs = rig.arms.iter().map(|a| a.spec.clone()).collect();
            crate::reload::reader(path, loaded, specs)
        }),
    };
    let report = if common.virtual_time {
        session::run_virtual(rig, config, options)
    } else {
        session::run_real(rig, config, options).map_err(Failure::runtime)?
    };
    finish(&report, common.report.as_deref())
}

fn recorder(
    _config: &config::Config,
    _rig: &rig::Rig,
    _folder: &Path,
    _text: &str,
    _common: &Common,
) -> Result<Option<Box<dyn crate::scribe::Sink>>, Failure> {
    Ok(None)
}

/// Prints the summary and writes the JSON report. Penetration is a failure of ours, not a statistic.
fn finish(report: &Report, file: Option<&Path>) -> Result<(), Failure> {
    say(report.to_string().trim_end());
    if let Some(path) = file {
        let json = serde_json::to_string_pretty(report).map_err(Failure::runtime)?;
        std::fs::write(path, json + "\n").map_err(|e| Failure::Runtime(format!("{}: {e}", path.display())))?;
    }
    let crossings: u64 = report.arms.iter().map(|a| a.crossings).sum();
    if report.max_penetration_m > 0.0 || crossings > 0 {
        return Err(Failure::Runtime(format!(
            "the independent checker found {} m of penetration and {crossings} crossings: please report this",
            report.max_penetration_m
        )));
    }
    Ok(())
}

/// A line of the plain view.
fn line(live: &Live) -> String {
    let r = &live.record;
    let mut text = format!("{:>9.3} s", r.tick as f64 * 1e-3);
    for (i, a) in r.arms.iter().enumerate().filter(|(_, a)| a.attached) {
        let p = a.world_from_proxy.translation.vector * 1e3;
        text += &format!(
            "  arm {i}: at {:7.2} {:7.2} {:7.2} mm  force {:6.3} N  {} contacts  answer {} ticks old{}",
            p.x,
            p.y,
            p.z,
            a.sent.force_n.norm(),
            a.contacts,
            if a.snapshot_age == u32::MAX { "?".to_owned() } else { a.snapshot_age.to_string() },
            if a.starved { "  starved" } else { "" },
        );
        if let Some(reason) = hapticd_devices::safety::ForceOffReason::from_code(a.reason) {
            text += &format!("  [force off: {reason}]");
        }
    }
    text
}

fn log_to_stderr(level: config::Level, tui: bool) {
    let max = match level {
        config::Level::Error => tracing::Level::ERROR,
        config::Level::Warn => tracing::Level::WARN,
        config::Level::Info => tracing::Level::INFO,
        config::Level::Debug => tracing::Level::DEBUG,
        config::Level::Trace => tracing::Level::TRACE,
    };
    if tui {
        // The live view owns the screen; it shows events itself.
        return;
    }
    // A second call (tests) keeps the first subscriber.
    let _ = tracing_subscriber::fmt()
        .with_max_level(max)
        .with_writer(std::io::stderr)
        .with_ansi(std::io::stderr().is_terminal())
        .try_init();
}
