//! `hapticd replay`: computes a recording again.

use std::path::{Path, PathBuf};
use std::time::Instant;

use hapticd_config as config;
use serde_json::json;

use super::outputs::{self, Files};
use super::{Failure, print_line};
use crate::replay::End;
use crate::replay::{Outcome, replay as compute};
use crate::session_setup;
use hapticd_recording::trajectory::{self, ExtractError};
use hapticd_recording::{Reader, Time, files};

#[derive(clap::Args)]
pub struct Args {
    /// The recording.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Fail (exit code 1) unless every tick comes out bit for bit as it was recorded.
    #[arg(long)]
    verify: bool,
    /// Check every replayed tick with the independent checker.
    #[arg(long)]
    check: bool,
    /// Write a JSON report of the replayed run.
    #[arg(long, value_name = "FILE")]
    report: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    json: bool,
    /// Write only the device's poses instead, for a simulated hand to follow
    /// (`intention = "FILE"`).
    #[arg(long, value_name = "FILE", conflicts_with_all = ["verify", "check", "report", "json"])]
    trajectory: Option<PathBuf>,
    /// Overwrite the trajectory if it exists.
    #[arg(long, requires = "trajectory")]
    force: bool,
    /// Poses per second.
    #[arg(long, value_name = "HZ", default_value_t = 200.0, value_parser = rate, requires = "trajectory")]
    trajectory_rate: f64,
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(hz) if (1.0..=100_000.0).contains(&hz) => Ok(hz),
        _ => Err(format!("`{text}` is not a rate from 1 to 100000 Hz")),
    }
}

/// Replays a recording; see the arguments.
pub fn replay(args: &Args) -> Result<(), Failure> {
    let name = args.file.display();
    let bad = |e: &dyn std::fmt::Display| Failure::Input(format!("{name}: {e}"));
    Files::default()
        .reads("the recording", &args.file)
        .writes("--trajectory", args.trajectory.as_deref())
        .writes("--report", args.report.as_deref())
        .check()?;
    let mut reader = Reader::open(&args.file).map_err(|e| bad(&e))?;
    if let Some(to) = &args.trajectory {
        let (output, fresh) = super::create(to, args.force)?;
        let extracted = trajectory::extract(&mut reader, output, args.trajectory_rate);
        let count = extracted.map_err(|why| {
            fresh.discard();
            let of = match why {
                ExtractError::Read(_) => &args.file,
                ExtractError::Write(_) => to,
            };
            Failure::Runtime(format!("{}: {why}", of.display()))
        })?;
        print_line(&format!("{}: {count} poses", to.display()));
        return Ok(());
    }
    let meta = reader.meta().clone();
    if meta.trajectory {
        return Err(Failure::Input(format!(
            "{name}: it is a trajectory, device poses alone: use it as the intention of a simulated arm"
        )));
    }
    let text = reader.config().map_err(|e| bad(&e))?.to_owned();
    // Every path is replaced by that of an embedded file, so the values of variables do not matter.
    let context = config::Context::new("", |_| Some("/".to_owned())).recorded();
    let mut config = config::parse("hapticd.toml", &text, &context)
        .map_err(|e| Failure::Input(format!("{name}: recorded by hapticd {}: {e}", meta.version)))?
        .config;
    let unpacked = files::Unpacked::new(&mut config, &reader.files()).map_err(|e| bad(&e))?;
    let setup = session_setup::build(&config, Path::new(""), meta.time == Time::Virtual)
        .map_err(|e| bad(&e))?;
    let period_s = setup.period_ns as f64 * 1e-9;
    let started = Instant::now();
    let outcome = compute(setup, meta.time, args.check, || reader.event());
    drop(unpacked);
    let speed = outcome.ticks as f64 * period_s / started.elapsed().as_secs_f64().max(1e-9);

    if let Some(path) = &args.report {
        let json = serde_json::to_string_pretty(&outcome).map_err(Failure::runtime)?;
        outputs::write_whole(path, &(json + "\n"))?;
    }
    let other_version = (meta.version != env!("CARGO_PKG_VERSION")).then(|| {
        format!(
            "it was recorded by hapticd {}, this is {}: another version may compute other forces",
            meta.version,
            env!("CARGO_PKG_VERSION")
        )
    });
    let is_failure = outcome.ticks == 0 || (args.verify && !outcome.is_identical());
    if args.json {
        let json = json!({
            "file": args.file.to_string_lossy(),
            "recorded_by": meta.version,
            "time": meta.time.word(),
            "identical": outcome.is_identical(),
            "ticks": outcome.ticks,
            "differing_ticks": outcome.differing_ticks,
            "unverified_ticks": outcome.unverified_ticks,
            "first_difference": outcome.first_difference,
            "end": outcome.end,
            "speed": speed,
        });
        print_line(&json.to_string());
    } else {
        // Where nothing was replayed there is nothing to report.
        if !args.verify && outcome.ticks > 0 {
            print_line(outcome.report.to_string().trim_end());
        }
        // A failure says it on standard error.
        if !is_failure {
            print_line(&format!("{name}: {}", verdict(&outcome)));
        }
        if outcome.ticks > 0 {
            print_line(&format!("{speed:.1} times real time"));
        }
        if let Some(note) = other_version.as_ref().filter(|_| !is_failure) {
            print_line(note);
        }
    }
    if is_failure {
        let note = other_version.map_or_else(String::new, |n| format!("; {n}"));
        return Err(Failure::Runtime(format!(
            "{name}: {}{note}",
            verdict(&outcome)
        )));
    }
    super::run::penetration(&outcome.report)
}

/// Returns the outcome in a sentence.
fn verdict(outcome: &Outcome) -> String {
    let mut text = match &outcome.first_difference {
        // Nothing was compared, so nothing is identical. Damage or a gap may hide ticks that exist.
        None if outcome.ticks == 0 => {
            let is_read = matches!(outcome.end, End::Complete | End::Truncated);
            if is_read && outcome.unverified_ticks == 0 {
                "it has no ticks".to_owned()
            } else {
                "no tick could be compared".to_owned()
            }
        }
        None => format!("{} ticks, identical bit for bit", outcome.ticks),
        Some(d) => format!(
            "{} of {} ticks differ, first tick {}: arm {}: {} was {}, is {}",
            outcome.differing_ticks, outcome.ticks, d.tick, d.arm, d.what, d.recorded, d.replayed
        ),
    };
    match &outcome.end {
        End::Complete => {}
        End::Truncated => text += "; the file is cut off there",
        End::Damaged(why) => text += &format!("; the rest is not verifiable: {why}"),
        End::Gap(why) => text += &format!("; the rest is not verifiable: {why}"),
    }
    if outcome.unverified_ticks > 0 {
        text += &format!(
            "; {} ticks at the end lack their collision step",
            outcome.unverified_ticks
        );
    }
    text
}
