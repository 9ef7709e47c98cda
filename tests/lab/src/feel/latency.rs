//! Latency of force in real time, with all of the daemon's threads: from the time stamp of a sample
//! to the command that answers it.
//!
//! The result depends on the machine and on its other load, so this is not a test.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use clap::Parser;
use hapticd::session::{self, Options as Session};
use hapticd::session_setup;
use hapticd_collision::step_log::StepLog;
use hapticd_config::{Context as Files, parse};
use hapticd_loop::record::TickRecord;
use hapticd_monitor::view::ViewAction;
use hapticd_recording::Sink;

use crate::experiment::{Context, Experiment, Failure, Judges, Report, Row, Verdict};

pub const EXPERIMENT: Experiment = Experiment {
    id: "feel-latency",
    title: "real time, this machine: from a sample's stamp to its command, and what the tick computes",
    judges: Judges::Time,
    run,
};

/// Bars: fraction of the ticks in which a command is sent within a period of its sample;
/// computation time of a tick at the 99th percentile, us.
const WITHIN: f64 = 0.99;
const COMPUTE_US: f64 = 50.0;
/// A machine with more than this many runnable threads per processor is busy.
const BUSY: f64 = 1.0;

#[derive(Parser)]
struct Options {
    /// How long each scene runs, s.
    #[arg(long, default_value_t = 10.0)]
    seconds: f64,
    /// The scenes, of those that ship.
    #[arg(long, default_values_t = ["demo".to_owned(), "palpation".to_owned()])]
    scene: Vec<String>,
}

/// Times of one tick, us: age of the sample at the command, time from waking until done, lateness
/// of waking.
#[derive(Clone, Copy)]
struct Times {
    command: f64,
    compute: f64,
    woken: f64,
    /// Periods since the previous tick.
    periods: u32,
}

struct SampleSink {
    kept: Arc<Mutex<Vec<Times>>>,
    /// Planted fault: samples are stamped too early by this, ns.
    early_ns: u64,
}

impl Sink for SampleSink {
    fn tick(&mut self, record: &TickRecord) -> Result<(), String> {
        let us = |from: u64, to: u64| to.saturating_sub(from) as f64 * 1e-3;
        let sample = &record.arms[0].sample;
        // Before the first sample nothing can be late.
        if sample.sequence > 0
            && let Ok(mut kept) = self.kept.lock()
        {
            kept.push(Times {
                command: us(sample.time_ns.saturating_sub(self.early_ns), record.done_ns),
                compute: us(record.awake_ns, record.done_ns),
                woken: us(record.now_ns, record.awake_ns),
                periods: record.periods,
            });
        }
        Ok(())
    }

    fn step(&mut self, _: &StepLog) -> Result<(), String> {
        Ok(())
    }

    fn event(&mut self, _: u64, _: &str) -> Result<(), String> {
        Ok(())
    }

    fn finish(&mut self) -> Result<(), String> {
        Ok(())
    }
}

fn measured(scene: &str, seconds: f64, early_ns: u64) -> Result<Vec<Times>, Failure> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../config");
    let failed = |what: &dyn std::fmt::Display| Failure::Run(format!("{scene}: {what}"));
    let text = std::fs::read_to_string(folder.join(format!("{scene}.toml")))
        .map_err(|e| Failure::Input(format!("{scene}: {e}")))?;
    let text = format!("{text}\n[ipc]\nenabled = false\n");
    let config =
        parse("scene.toml", &text, &Files::new(&folder, |_| None)).map_err(|e| failed(&e))?;
    let config = config.config;
    let setup = session_setup::build(&config, &folder, false).map_err(|e| failed(&e))?;
    let kept = Arc::new(Mutex::new(Vec::with_capacity((1200.0 * seconds) as usize)));
    let options = Session {
        duration_s: Some(seconds),
        check: false,
        sink: Some(Box::new(SampleSink {
            kept: kept.clone(),
            early_ns,
        })),
        view: Box::new(|_| ViewAction::Continue),
        view_every: Duration::from_secs(1),
        reload: None,
        log: None,
        require_ipc: false,
    };
    session::run_real(setup, &config, options).map_err(|e| failed(&e))?;
    let mut kept = kept.lock().map_err(|e| failed(&e))?;
    // In the first second, threads start.
    let started = 1000.min(kept.len());
    Ok(kept.split_off(started))
}

/// Returns the value that this fraction does not exceed.
fn quantile(values: &mut [f64], share: f64) -> f64 {
    values.sort_by(f64::total_cmp);
    let k = (share * values.len() as f64).ceil() as usize;
    values.get(k.saturating_sub(1)).copied().unwrap_or(f64::NAN)
}

/// Returns the processor's name, the number of processors, and the load of the last minute.
fn machine() -> (String, usize, Option<f64>) {
    let text = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = text
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split(": ").nth(1))
        .unwrap_or("unknown processor");
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let load = load.split(' ').next().and_then(|x| x.parse().ok());
    let count = std::thread::available_parallelism().map_or(1, usize::from);
    (name.to_owned(), count, load)
}

fn run(context: &Context) -> Result<Report, Failure> {
    let mut options: Options = context.parse()?;
    if context.quick {
        options.seconds = options.seconds.min(2.0);
        options.scene.truncate(1);
    }
    let early_ns = if context.mutant { 1_000_000 } else { 0 };
    let (name, processors, load) = machine();
    let busy = load.is_some_and(|load| load > BUSY * processors as f64);
    let mut rows = Vec::new();
    let (mut least_within, mut most_us) = (1.0_f64, 0.0_f64);
    for scene in &options.scene {
        let times = measured(scene, options.seconds, early_ns)?;
        if times.is_empty() {
            return Err(Failure::Run(format!("{scene}: no ticks")));
        }
        let period_us = 1000.0;
        let within =
            times.iter().filter(|t| t.command <= period_us).count() as f64 / times.len() as f64;
        let missed: u32 = times.iter().map(|t| t.periods.saturating_sub(1)).sum();
        let of = |what: fn(&Times) -> f64, share: f64| {
            let mut values: Vec<f64> = times.iter().map(what).collect();
            quantile(&mut values, share)
        };
        least_within = least_within.min(within);
        most_us = most_us.max(of(|t| t.compute, 0.99));
        let null = serde_json::Value::Null;
        for (what, pick, bar) in [
            (
                "sample to command",
                (|t: &Times| t.command) as fn(&Times) -> f64,
                period_us.into(),
            ),
            ("computed", |t: &Times| t.compute, COMPUTE_US.into()),
            ("woken late", |t: &Times| t.woken, null),
        ] {
            rows.push(
                Row::new(format!("{scene}: {what}, 99 %"), "us", bar, of(pick, 0.99))
                    .with("a 50 %", of(pick, 0.5))
                    .with("b 99.9 %", of(pick, 0.999)),
            );
        }
        rows.push(Row::new(
            format!("{scene}: within a period"),
            "%",
            1e2 * WITHIN,
            1e2 * within,
        ));
        rows.push(Row::new(format!("{scene}: periods missed"), "", 0, missed));
    }
    let holds = least_within >= WITHIN && most_us <= COMPUTE_US;
    let mut why = format!(
        "{:.2} % of the commands within a period of their sample (bar 99 %), computed in {most_us:.1} us at the 99th \
         percentile ({COMPUTE_US} allowed)",
        1e2 * least_within
    );
    if !holds && busy {
        why += "; the machine is busy with other work: repeat when quiet before judging the loop";
    }
    Ok(Report {
        rows,
        verdict: Verdict::new(holds, why),
        more: serde_json::Map::new(),
        details: Vec::new(),
        notes: vec![format!(
            "{processors} x {name}, load {} before the run; {} s a scene, simulated arm at 1 kHz; what the arm's wire adds \
             is its transport",
            load.map_or("unknown".to_owned(), |load| load.to_string()),
            options.seconds
        )],
    })
}
