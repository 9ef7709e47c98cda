//! `hapticd demo` and `hapticd run`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::Duration;

use clap::{Args, ValueEnum};
use hapticd_config as config;

use super::check::warnings;
use super::outputs::{self, Files};
use super::{Failure, print_line, record};
use crate::intentions;
use crate::session::{self, Options, SessionError, Show};
use crate::session_setup::{self, SessionSetup};
use hapticd_ipc::SetupError;
use hapticd_monitor::log::{self, LogFormat};
use hapticd_monitor::stats::Report;
use hapticd_monitor::view::{self, View, ViewAction, plain};
use hapticd_recording::{Time, files};

/// The built-in demonstrations: all with a simulated arm and hand.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum DemoScene {
    /// A ball explores hilly ground while a block swings over it.
    Terrain,
    /// A peg is slid over a plate into its hole.
    Assembly,
    /// A ball stirs loose blocks.
    Blocks,
    /// A fingertip explores a sheet of cloth over a ball, and a napkin falls onto it.
    Cloth,
    /// A fingertip presses into soft tissue and feels the lump beneath.
    Palpation,
    /// A ball stirs a crowd of stones and bricks on a rubber mat.
    Crowd,
    /// A fingertip explores a coil of gut whose turns lie on each other and do not blend.
    Coil,
    /// A ball stirs a viscous fluid in a cup.
    Fluid,
    /// A fingertip explores an intestine that is folded on itself: its folds meet in creases and do
    /// not melt.
    Intestine,
    /// A fingertip explores a skull made of samples, like a scan.
    Skull,
    /// A hand pushes a bevelled needle through skin, fat and muscle, through a vessel and onto
    /// bone.
    Needle,
    /// A disc in the plane among fixed, turning and swinging polygons, as for a pantograph.
    Planar,
}

impl DemoScene {
    /// Returns the name and text of its configuration.
    fn configuration(self) -> (&'static str, &'static str) {
        match self {
            DemoScene::Terrain => ("demo.toml", include_str!("../../../config/demo.toml")),
            DemoScene::Assembly => (
                "assembly.toml",
                include_str!("../../../config/assembly.toml"),
            ),
            DemoScene::Blocks => ("blocks.toml", include_str!("../../../config/blocks.toml")),
            DemoScene::Cloth => ("cloth.toml", include_str!("../../../config/cloth.toml")),
            DemoScene::Palpation => (
                "palpation.toml",
                include_str!("../../../config/palpation.toml"),
            ),
            DemoScene::Crowd => ("crowd.toml", include_str!("../../../config/crowd.toml")),
            DemoScene::Coil => ("coil.toml", include_str!("../../../config/coil.toml")),
            DemoScene::Fluid => ("fluid.toml", include_str!("../../../config/fluid.toml")),
            DemoScene::Intestine => (
                "intestine.toml",
                include_str!("../../../config/intestine.toml"),
            ),
            DemoScene::Skull => ("skull.toml", include_str!("../../../config/skull.toml")),
            DemoScene::Needle => ("needle.toml", include_str!("../../../config/needle.toml")),
            DemoScene::Planar => ("planar.toml", include_str!("../../../config/planar.toml")),
        }
    }
}

#[derive(Args)]
pub struct Common {
    /// Stop after this many seconds.
    #[arg(long, value_name = "SECONDS", value_parser = duration)]
    duration: Option<f64>,
    /// One thread, deterministic, at full speed; simulated arms only.
    #[arg(long)]
    virtual_time: bool,
    /// Write a JSON report at the end.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// One line per second, no live view.
    #[arg(long)]
    plain: bool,
    /// Record everything that crosses the loop (MCAP).
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Overwrite the recording if it exists.
    #[arg(long, requires = "record")]
    force: bool,
    /// Do not check every tick with the independent checker.
    #[arg(long)]
    no_check: bool,
    /// The form of the log on standard error.
    #[arg(long, value_name = "FORM", value_enum, default_value_t = LogFormat::Text)]
    log_format: LogFormat,
}

#[derive(Args)]
pub struct DemoArgs {
    /// What to show.
    #[arg(long, value_enum, default_value_t = DemoScene::Terrain)]
    scene: DemoScene,
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
    let (name, text) = args.scene.configuration();
    let loaded = config::parse(name, text, &context).map_err(Failure::runtime)?;
    start(loaded, None, args.common)
}

/// Runs a configuration from a file.
pub fn run(args: RunArgs) -> Result<(), Failure> {
    let loaded = load(&args.config, args.common.virtual_time)?;
    start(loaded, Some(args.config), args.common)
}

/// Runs a configuration from a file without a view and records it.
pub(super) fn recorded(args: record::Args) -> Result<(), Failure> {
    let common = Common {
        duration: args.duration,
        virtual_time: args.virtual_time,
        report: args.report,
        plain: true,
        record: Some(args.output),
        force: args.force,
        no_check: args.no_check,
        log_format: args.log_format,
    };
    let config = args.config;
    run(RunArgs { config, common })
}

/// Loads and checks a configuration. [`setup`] checks the files that a good one names.
pub(super) fn load(path: &Path, virtual_time: bool) -> Result<config::Loaded, Failure> {
    config::load(path).map_err(|error| match error {
        config::LoadError::Invalid(errors) => Failure::input(with_files(*errors, virtual_time)),
        error @ config::LoadError::Unreadable { .. } => Failure::input(error),
    })
}

/// Returns the errors of a configuration, together with those in the files that its good arms and
/// bodies name: a wrong number does not hide a bad mesh.
pub(super) fn with_files(errors: config::ConfigErrors, virtual_time: bool) -> config::ConfigErrors {
    let Some(mut sound) = errors.sound_parts().cloned() else {
        return errors;
    };
    without(&mut sound, &errors);
    let Err(faults) = session_setup::build(&sound, Path::new(""), virtual_time) else {
        return errors;
    };
    // Other faults may exist only because something is left out.
    let is_of_file = |fault: &&session_setup::Fault| {
        fault.file.is_some()
            || matches!(
                fault.error,
                session_setup::SessionSetupError::NoProfile { .. }
            )
    };
    let findings: Vec<_> = faults
        .faults()
        .iter()
        .filter(is_of_file)
        .map(finding)
        .collect();
    errors.with_findings(findings)
}

/// Builds what a session needs. All faults in files, meshes, profiles and limits are reported at
/// once, each at its place in the configuration.
pub(super) fn setup(loaded: &config::Loaded, virtual_time: bool) -> Result<SessionSetup, Failure> {
    let built = built(loaded, virtual_time).map_err(Failure::input)?;
    built.ok_or_else(unbuildable)
}

/// Failure for an impossible case: every error has a fault, and every fault is a finding, so
/// `built` never returns `None`.
pub(super) fn unbuildable() -> Failure {
    Failure::Runtime("the session cannot be set up: please report this".into())
}

/// Like [`setup`], but returns the errors as they were found.
pub(super) fn built(
    loaded: &config::Loaded,
    virtual_time: bool,
) -> Result<Option<SessionSetup>, config::ConfigErrors> {
    // The configuration's paths already start at its folder.
    let files = loaded.check_files();
    let mut config = loaded.config.clone();
    if let Err(errors) = &files {
        // Faults of these files have been reported, and opening them again could hang (a device, a
        // pipe). The rest may be wrong as well.
        without(&mut config, errors);
    }
    let mut findings = Vec::new();
    if loaded.config.arms.is_empty() {
        findings.push(config::Finding {
            key: None,
            message: "the configuration has no [[arm]]: there is nothing to run".to_owned(),
        });
    }
    if virtual_time {
        findings.extend(loaded.config.arms.iter().filter_map(not_virtual));
    }
    let built = session_setup::build(&config, Path::new(""), virtual_time)
        .map_err(|errors| findings.extend(errors.faults().iter().map(finding)));
    loaded.with_findings(files, findings)?;
    Ok(built.ok())
}

/// Removes the tools, arms and bodies that name unreadable files.
fn without(config: &mut config::Config, errors: &config::ConfigErrors) {
    let unreadable: Vec<&Path> = errors
        .diagnostics()
        .iter()
        .filter_map(|d| match &d.problem {
            config::Problem::Unreadable { path, .. } => Some(Path::new(path)),
            _ => None,
        })
        .collect();
    let is_good = |path: &mut PathBuf| !unreadable.contains(&path.as_path());
    for arm in &mut config.arms {
        // The arm's device is still checked.
        if let config::Shape::Mesh { file, .. } = &mut arm.tool
            && !is_good(file)
        {
            arm.tool = config::Shape::Sphere { radius_m: 0.005 };
        }
    }
    config.arms.retain_mut(|a| files::of_arm(a).all(is_good));
    config.bodies.retain_mut(|b| files::of_body(b).all(is_good));
}

/// A device exists in real time only: in virtual time it would be lost from the first tick on. A
/// replay needs no device, so the session set-up must not refuse this.
fn not_virtual(arm: &config::Arm) -> Option<config::Finding> {
    matches!(arm.device, config::Device::Hid { .. }).then(|| config::Finding {
        key: Some(format!("arm.{}.kind", arm.name)),
        message: format!(
            "arm `{}` is a device, and --virtual-time is for simulated arms only",
            arm.name
        ),
    })
}

fn finding(fault: &session_setup::Fault) -> config::Finding {
    let message = match &fault.error {
        // These errors have separate lines, in another file.
        session_setup::SessionSetupError::Profile { .. } => {
            format!("{fault}\nThis profile is named here:")
        }
        session_setup::SessionSetupError::Intention { error, .. }
            if matches!(**error, intentions::Error::File(_)) =>
        {
            format!("{fault}\nThis intention is named here:")
        }
        _ => fault.to_string(),
    };
    config::Finding {
        key: Some(fault.key.clone()),
        message,
    }
}

fn start(loaded: config::Loaded, file: Option<PathBuf>, common: Common) -> Result<(), Failure> {
    let config = &loaded.config.clone();
    outputs_differ(config, file.as_deref(), &common)?;
    let tui = !common.plain && !common.virtual_time && std::io::stdout().is_terminal();
    let (log, log_end) = log::start(config.log.level, common.log_format, tui);
    let setup = setup(&loaded, common.virtual_time)?;
    let stale_input_ms = config.safety.stale_input_ms;
    let warned = |arm| warnings::without_force(arm, setup.period_ns, stale_input_ms);
    let late = warnings::late_answers(config, setup.period_ns).filter(|_| common.virtual_time);
    for warning in setup.arms.iter().flat_map(warned).chain(late) {
        tracing::warn!("{warning}");
    }
    if let Some(report) = &common.report {
        can_be_made(report)?;
    }
    let time = if common.virtual_time {
        Time::Virtual
    } else {
        Time::Real
    };
    let effective = loaded.effective_toml();
    let output = common.record.as_deref();
    let recording = record::begin(config, &effective, output, common.force, time)?;
    let view_every = if tui {
        view::FRAME
    } else {
        Duration::from_secs(1)
    };
    let view: Show = if tui {
        let title = file
            .as_ref()
            .map_or_else(|| "demo".to_owned(), |path| path.display().to_string());
        let mut view = View::new(&title);
        Box::new(move |live| view.show(live))
    } else {
        Box::new(|live| {
            plain::print(live);
            ViewAction::Continue
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
        reload: file.map(|path| crate::reload::reader(path, loaded, &setup)),
        log: Some(log),
    };
    let report = if common.virtual_time {
        session::run_virtual(setup, config, options)
    } else {
        session::run_real(setup, config, options).map_err(|e| {
            // Any other error comes from the start, when nothing was recorded yet.
            if !matches!(e, SessionError::Died(_)) {
                recording.fresh.discard();
            }
            match &e {
                SessionError::Ipc(SetupError::Socket(why)) if why.is_user_fixable() => {
                    Failure::input(e)
                }
                _ => Failure::runtime(e),
            }
        })?
    };
    drop(log_end);
    finish(&report, common.report.as_deref())?;
    match recording.failure.get() {
        None => Ok(()),
        Some(why) => Err(Failure::Runtime(format!(
            "the recording is not complete: {why}"
        ))),
    }
}

/// Refuses outputs that would destroy each other or what the run reads.
fn outputs_differ(
    config: &config::Config,
    file: Option<&Path>,
    common: &Common,
) -> Result<(), Failure> {
    let configured = &config.record.path;
    let own = (config.record.enabled && common.record.is_none()).then_some(configured.as_path());
    let kept = own.filter(|path| path.is_file()).map(outputs::kept);
    let mut files = Files::default()
        .reads_files_of(config)
        .writes("--record", common.record.as_deref())
        .writes("--report", common.report.as_deref())
        .writes("[record] path", own)
        .writes("the last recording, kept as", kept.as_deref());
    if let Some(file) = file {
        files = files.reads("the configuration", file);
    }
    files.check()
}

/// Checks before the run that the report can be written.
fn can_be_made(report: &Path) -> Result<(), Failure> {
    let folder = match report.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    if folder.is_dir() && !report.is_dir() {
        return Ok(());
    }
    let why = if report.is_dir() {
        "it is a folder"
    } else {
        "its folder does not exist"
    };
    Err(Failure::Input(format!(
        "--report {}: {why}",
        report.display()
    )))
}

/// Prints the summary and writes the JSON report. Penetration is a failure of the program, not a
/// statistic.
fn finish(report: &Report, file: Option<&Path>) -> Result<(), Failure> {
    // The report comes before the summary, whose reader may have stopped reading.
    let written = file.map_or(Ok(()), |path| {
        let json = serde_json::to_string_pretty(report).map_err(Failure::runtime)?;
        outputs::write_whole(path, &(json + "\n"))
    });
    print_line(report.to_string().trim_end());
    written?;
    penetration(report)
}

/// Fails if the independent checker found penetration or a crossing.
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
