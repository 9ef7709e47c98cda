//! The scribe: takes every tick's record off the ring and makes statistics, checks, recordings and the live view of it.
//!
//! Not real-time. If it falls behind it first stops checking (and says how many ticks it passed over), then the ring drops
//! records (and counts them). The loop never waits for it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use crate::checker::Checker;
use crate::haptic::record::TickRecord;
use crate::stats::{Report, Stats};

/// Takes records and collision steps, and keeps them. The recorder implements it.
pub trait Sink: Send {
    /// One tick. An error ends the recording, not the run.
    fn tick(&mut self, record: &TickRecord) -> Result<(), String>;
    /// One collision step.
    fn step(&mut self, step: &crate::collision::StepLog) -> Result<(), String>;
    /// The end.
    fn finish(&mut self) -> Result<(), String>;
}

/// Points of the plots of the live view.
pub const PLOT_POINTS: usize = 512;

/// What the live view and `status` show.
#[derive(Clone, Debug)]
pub struct Live {
    /// The last record.
    pub record: TickRecord,
    /// Force sent by the first arm, N, newest last; one point per [`Live::plot_every`] ticks.
    pub force_n: VecDeque<f64>,
    /// Compute time, µs, likewise.
    pub compute_us: VecDeque<f64>,
    /// Ticks per point.
    pub plot_every: u64,
    /// Statistics so far, refreshed a few times a second.
    pub report: Option<Report>,
    /// Events, newest last.
    pub events: VecDeque<String>,
}

impl Live {
    /// Nothing seen.
    pub fn new() -> Self {
        Live {
            record: TickRecord::new(),
            force_n: VecDeque::with_capacity(PLOT_POINTS),
            compute_us: VecDeque::with_capacity(PLOT_POINTS),
            plot_every: 8,
            report: None,
            events: VecDeque::new(),
        }
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

/// A backlog (records in the ring) above which checking is skipped.
const BUSY: usize = 256;
/// Ticks between two refreshes of the live report.
const REFRESH: u64 = 200;

/// See the module page.
pub struct Scribe {
    /// Statistics.
    pub stats: Stats,
    checker: Option<Checker>,
    sink: Option<Box<dyn Sink>>,
    live: Arc<Mutex<Live>>,
    realtime: Vec<String>,
    shown: TickRecord,
}

impl Scribe {
    /// With or without checker and recorder.
    pub fn new(
        stats: Stats,
        checker: Option<Checker>,
        sink: Option<Box<dyn Sink>>,
        live: Arc<Mutex<Live>>,
        realtime: Vec<String>,
    ) -> Self {
        Scribe {
            stats,
            checker,
            sink,
            live,
            realtime,
            shown: TickRecord::new(),
        }
    }

    /// One tick; `backlog` is how many more wait.
    pub fn tick(&mut self, record: &TickRecord, backlog: usize) {
        self.stats.add(record);
        if let Some(checker) = &mut self.checker {
            if backlog < BUSY {
                checker.check(record, &mut self.stats);
            } else {
                checker.pass_over(record, &mut self.stats);
            }
        }
        if let Some(sink) = &mut self.sink
            && let Err(why) = sink.tick(record)
        {
            self.drop_sink(&why);
        }
        self.show(record);
    }

    /// One collision step.
    pub fn step(&mut self, step: &crate::collision::StepLog) {
        if let Some(checker) = &mut self.checker {
            for applied in &step.applied {
                checker.follow(applied);
            }
        }
        if let Some(sink) = &mut self.sink
            && let Err(why) = sink.step(step)
        {
            self.drop_sink(&why);
        }
    }

    fn drop_sink(&mut self, why: &str) {
        tracing::error!("recording stopped: {why}");
        self.sink = None;
        if let Ok(mut live) = self.live.lock() {
            live.events.push_back(format!("recording stopped: {why}"));
        }
    }

    /// The end: closes the recording and gives the report.
    pub fn finish(&mut self) -> Report {
        if let Some(mut sink) = self.sink.take()
            && let Err(why) = sink.finish()
        {
            tracing::error!("the recording is not complete: {why}");
        }
        self.stats.report(self.realtime.clone())
    }

    fn show(&mut self, record: &TickRecord) {
        let news = self.news(record);
        // A live view that holds the lock just now gets the next record.
        let Ok(mut live) = self.live.try_lock() else {
            return;
        };
        for line in news {
            if live.events.len() == 64 {
                live.events.pop_front();
            }
            live.events.push_back(line);
        }
        self.shown = *record;
        live.record = *record;
        if record.tick % live.plot_every == 0 {
            let push = |q: &mut VecDeque<f64>, v: f64| {
                if q.len() == PLOT_POINTS {
                    q.pop_front();
                }
                q.push_back(v);
            };
            push(&mut live.force_n, record.arms[0].sent.force_n.norm());
            push(&mut live.compute_us, record.done_ns.saturating_sub(record.awake_ns) as f64 * 1e-3);
        }
        if record.tick % REFRESH == 0 {
            live.report = Some(self.stats.report(self.realtime.clone()));
        }
    }

    /// What changed since the record that was shown last, in words.
    fn news(&self, record: &TickRecord) -> Vec<String> {
        let mut lines = Vec::new();
        let t = record.now_ns as f64 * 1e-9;
        for (i, (now, before)) in record.arms.iter().zip(&self.shown.arms).enumerate() {
            if now.attached != before.attached {
                lines.push(format!("{t:.3} s: arm {i} {}", if now.attached { "attached" } else { "gone" }));
            }
            if now.reason != before.reason {
                let why = hapticd_devices::safety::ForceOffReason::from_code(now.reason)
                    .map_or_else(|| "force is allowed again".to_owned(), |r| format!("force off: {r}"));
                lines.push(format!("{t:.3} s: arm {i} {why}"));
            }
        }
        if record.periods > 1 {
            lines.push(format!("{t:.3} s: {} periods missed", record.periods - 1));
        }
        lines
    }
}
