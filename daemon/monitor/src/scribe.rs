//! The scribe: takes every tick's record off the ring and feeds the statistics, the checker, the
//! recording and the live view.
//!
//! Not real-time. If the scribe falls behind, it first stops checking (and counts the ticks that it
//! skipped); then the ring drops records (and counts them). The loop never waits for it.

pub mod logbook;
mod minute;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crossbeam::channel::{Receiver, TryRecvError};
use hapticd_devices::safety::Limits;
use hapticd_proxy::{MAX_ARMS, Phase};
use hapticd_sync::ring;
use hapticd_sys::realtime::Step;

use crate::checker::Checker;
use crate::stats::{BUCKETS, Report, Stats, Timing};
use hapticd_collision::broad_phase::BroadPhaseStats;
use hapticd_collision::deformable::DeformableStats;
use hapticd_collision::inside::{Change, InsideWatch};
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::needle::{NeedleStats, Watch};
use hapticd_collision::skin::SkinStats;
use hapticd_collision::step_log::StepLog;
use hapticd_loop::cause::Cause;
use hapticd_loop::events::{Changes, LoopEvent, LoopEventKind};
use hapticd_loop::record::TickRecord;
use hapticd_recording::Sink;
use logbook::Logbook;
use minute::Minute;

/// Number of points in the plots of the live view.
pub const PLOT_POINTS: usize = 512;
/// Events kept for the live view.
const EVENTS: usize = 64;
/// Shortest time between two reports of missed periods, ns.
const TELL_MISSED_NS: u64 = 1_000_000_000;

/// State of one arm for the live view and `status`, in addition to its part of the record.
#[derive(Clone, Debug)]
pub struct LiveArm {
    /// Name of the arm.
    pub name: String,
    /// The limits that its governor keeps.
    pub limits: Limits,
    /// True if the arm renders torque.
    pub has_torque: bool,
    /// Largest force sent in each interval of [`Live::plot_every`] ticks, N, newest last.
    pub force_n: VecDeque<f64>,
    /// Number of force-offs, and the last one.
    pub offs: ForceOffs,
    largest_n: f64,
}

/// Number of an arm's force-offs, and the last one.
#[derive(Clone, Copy, Debug, Default)]
pub struct ForceOffs {
    /// Newest reason code of the last force-off; 0 before the first.
    pub reason: u8,
    /// Value behind the reason.
    pub cause: Cause,
    /// Tick in which force went off.
    pub tick: u64,
    /// Time of that tick, ns.
    pub now_ns: u64,
    /// Number of force-offs.
    pub count: u64,
}

impl ForceOffs {
    fn see(&mut self, event: &LoopEvent) {
        let (LoopEventKind::ForceOff { reason, cause } | LoopEventKind::StillOff { reason, cause }) =
            event.kind
        else {
            return;
        };
        (self.reason, self.cause) = (reason, cause);
        if matches!(event.kind, LoopEventKind::ForceOff { .. }) {
            (self.tick, self.now_ns) = (event.tick, event.now_ns);
            self.count += 1;
        }
    }
}

impl LiveArm {
    /// Creates the state of an arm before its first record.
    pub fn new(name: &str, limits: Limits, has_torque: bool) -> Self {
        LiveArm {
            name: name.to_owned(),
            limits,
            has_torque,
            force_n: VecDeque::with_capacity(PLOT_POINTS),
            offs: ForceOffs::default(),
            largest_n: 0.0,
        }
    }
}

/// State of the run for the live view and `status`.
#[derive(Clone, Debug)]
pub struct Live {
    /// The last record.
    pub record: TickRecord,
    /// Loop time of the first record, ns; people read times relative to it.
    pub started_ns: Option<u64>,
    /// The arms, by index.
    pub arms: Vec<LiveArm>,
    /// Names of the bodies of the configuration, by slot.
    pub bodies: Vec<(u8, String)>,
    /// Ticks per point of [`LiveArm::force_n`].
    pub plot_every: u64,
    /// Statistics so far, refreshed a few times a second.
    pub report: Option<Report>,
    /// Timing of the last seconds, refreshed with the statistics.
    pub timing: Option<Timing>,
    /// Histogram of compute times; [`bucket_floor_us`](crate::stats::bucket_floor_us) gives the
    /// bucket edges.
    pub compute_shape: [u64; BUCKETS],
    /// Outcome of the real-time set-up; empty in virtual time.
    pub realtime: Vec<Step>,
    /// Last statistics of the soft bodies' thread; `None` without one.
    pub deformable: Option<DeformableStats>,
    /// Last statistics of the skin thread; `None` without one.
    pub skin: Option<SkinStats>,
    /// State of the GPU mid-phase; `None` without one.
    pub near: Option<MidPhaseStatus>,
    /// Statistics of the dynamic bodies' broad phase; `None` until the first ones arrive.
    pub broad: Option<BroadPhaseStats>,
    /// Distances between the arms' needles and nearby structures; empty without needles.
    pub needles: Vec<NeedleStats>,
    /// By arm: the body that the tool is inside, and so does not feel.
    pub inside: [Option<String>; MAX_ARMS],
    /// By arm: the body that it holds.
    pub holds: [Option<String>; MAX_ARMS],
    /// Events, newest last.
    pub events: VecDeque<String>,
}

impl Live {
    /// Creates an empty state.
    pub fn new() -> Self {
        Live {
            record: TickRecord::new(),
            started_ns: None,
            arms: Vec::new(),
            bodies: Vec::new(),
            plot_every: 8,
            report: None,
            timing: None,
            compute_shape: [0; BUCKETS],
            realtime: Vec::new(),
            deformable: None,
            skin: None,
            near: None,
            broad: None,
            needles: Vec::new(),
            inside: Default::default(),
            holds: Default::default(),
            events: VecDeque::new(),
        }
    }

    /// Returns the time of the last record since the first, s.
    pub fn elapsed_s(&self) -> f64 {
        let started = self.started_ns.unwrap_or(self.record.now_ns);
        self.record.now_ns.saturating_sub(started) as f64 * 1e-9
    }

    /// Appends an event. The oldest one goes when there are too many.
    pub fn push_event(&mut self, line: String) {
        if self.events.len() >= EVENTS {
            self.events.pop_front();
        }
        self.events.push_back(line);
    }
}

impl Default for Live {
    fn default() -> Self {
        Self::new()
    }
}

/// Backlog (records in the ring) from which on checking is skipped.
const BUSY: usize = 256;
/// Pause between two rounds of the scribe thread.
const ROUND: Duration = Duration::from_millis(2);
/// Ticks between two refreshes of the live report.
const REFRESH: u64 = 200;

/// Source of the loop's events.
enum EventSource {
    /// Derived from the records: in virtual time, where none is lost.
    Records(Changes),
    /// Sent by the loop itself.
    Loop(ring::Consumer<LoopEvent>),
}

/// The scribe; see the module page.
pub struct Scribe {
    /// Statistics.
    pub stats: Stats,
    names: Vec<String>,
    event_source: EventSource,
    offs: [ForceOffs; MAX_ARMS],
    loop_log: Logbook,
    minute: Minute,
    /// Last known number of ticks that the deformables did not simulate.
    soft_lost: u64,
    checker: Option<Checker>,
    needles: Option<Watch>,
    inside: InsideWatch,
    sink: Option<Box<dyn Sink>>,
    live: Arc<Mutex<Live>>,
    realtime: Vec<String>,
    /// By arm: whether its needle is inserted, and the number of surfaces pierced.
    needle_before: [(bool, u32); MAX_ARMS],
    started_ns: Option<u64>,
    missed: u64,
    missed_told_ns: Option<u64>,
    /// Events that wait until the view releases the lock.
    pending: Vec<String>,
}

impl Scribe {
    /// Creates a scribe, with or without checker and recorder.
    pub fn new(
        stats: Stats,
        checker: Option<Checker>,
        sink: Option<Box<dyn Sink>>,
        live: Arc<Mutex<Live>>,
        realtime: Vec<String>,
    ) -> Self {
        let names: Vec<String> = live
            .lock()
            .map(|l| l.arms.iter().map(|a| a.name.clone()).collect())
            .unwrap_or_default();
        let inside = InsideWatch::new(std::iter::empty(), &names);
        Scribe {
            offs: [ForceOffs::default(); MAX_ARMS],
            loop_log: Logbook::new(&names),
            event_source: EventSource::Records(Changes::default()),
            minute: Minute::default(),
            soft_lost: 0,
            names,
            stats,
            checker,
            needles: None,
            inside,
            sink,
            live,
            realtime,
            needle_before: [(false, 0); MAX_ARMS],
            started_ns: None,
            missed: 0,
            missed_told_ns: None,
            pending: Vec::new(),
        }
    }

    /// Names the bodies that exist before the first step.
    pub fn name_bodies(&mut self, bodies: impl Iterator<Item = (u32, String)>) {
        self.inside = InsideWatch::new(bodies, &self.names);
    }

    /// Takes the loop's events from this ring instead of the records, which may be lost.
    pub fn take_events_from(&mut self, events: ring::Consumer<LoopEvent>) {
        self.event_source = EventSource::Loop(events);
    }

    /// Takes the events that the loop has sent since the last call.
    fn take_events(&mut self) {
        while let EventSource::Loop(events) = &mut self.event_source
            && let Some(event) = events.pop()
        {
            self.event(&event);
        }
    }

    /// Handles an event of the loop.
    fn event(&mut self, event: &LoopEvent) {
        if let Some(offs) = self.offs.get_mut(usize::from(event.arm)) {
            offs.see(event);
        }
        let started = *self.started_ns.get_or_insert(event.now_ns);
        let Some(words) = self.loop_log.event(event) else {
            return;
        };
        let t = event.now_ns.saturating_sub(started) as f64 * 1e-9;
        let line = format!("{t:8.3} s  {words}");
        self.record_line(event.now_ns, &line);
        self.pending.push(line);
    }

    fn record_line(&mut self, now_ns: u64, line: &str) {
        if let Some(sink) = &mut self.sink
            && let Err(why) = sink.event(now_ns, line)
        {
            self.drop_sink(&why);
        }
    }

    /// Starts to watch the neighbourhood of needles.
    pub fn watch_needles(&mut self, needles: Option<Watch>) {
        self.needles = needles;
    }

    /// Takes one tick; `backlog` is the number of records that still wait.
    pub fn tick(&mut self, record: &TickRecord, backlog: usize) {
        self.stats.add(record);
        if let Some(checker) = &mut self.checker {
            if backlog < BUSY {
                checker.check(record, &mut self.stats);
            } else {
                checker.pass_over(record, &mut self.stats);
            }
        }
        if let Some(needles) = self.needles.as_mut().filter(|_| backlog < BUSY) {
            needles.follow(record);
        }
        if let Some(sink) = &mut self.sink
            && let Err(why) = sink.tick(record)
        {
            self.drop_sink(&why);
        }
        if let EventSource::Records(changes) = &mut self.event_source {
            let mut events = Vec::new();
            changes.tick(record, |event| events.push(event));
            events.iter().for_each(|event| self.event(event));
        }
        self.loop_log.minute(record.now_ns);
        self.show(record);
    }

    /// Takes one step of the collision thread or of the soft bodies' thread. The checker already
    /// knows the bodies in a soft step, so those commands are skipped.
    pub fn step(&mut self, step: &StepLog) {
        for applied in step.applied.iter().filter(|_| !step.deformable) {
            self.inside.follow(applied);
        }
        if let Some(checker) = self.checker.as_mut().filter(|_| !step.deformable) {
            for applied in &step.applied {
                checker.follow(applied);
            }
            checker.answered(step.last_sequence);
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
            live.push_event(format!("recording stopped: {why}"));
        }
    }

    /// Closes the recording and returns the report.
    pub fn finish(&mut self) -> Report {
        self.take_events();
        self.loop_log.finish();
        if let Some(mut sink) = self.sink.take()
            && let Err(why) = sink.finish()
        {
            tracing::error!("the recording is not complete: {why}");
        }
        self.stats.report(self.realtime.clone())
    }

    fn show(&mut self, record: &TickRecord) {
        for line in self.news(record) {
            tracing::debug!("{}", line.trim_start());
            self.record_line(record.now_ns, &line);
            self.pending.push(line);
        }
        // It could grow only if a view never released the lock.
        let old = self.pending.len().saturating_sub(EVENTS);
        self.pending.drain(..old);
        self.minute.tick(record, self.soft_lost);
        // If the live view holds the lock at this moment, it gets the next record.
        let Ok(mut live) = self.live.try_lock() else {
            return;
        };
        for line in self.pending.drain(..) {
            live.push_event(line);
        }
        let live = &mut *live;
        self.soft_lost = live
            .deformable
            .as_ref()
            .map_or(0, |deformable| deformable.lost_ticks);
        live.started_ns = self.started_ns;
        live.record = *record;
        for (arm, inside) in live.inside.iter_mut().enumerate() {
            *inside = self.inside.body(record, arm);
            live.holds[arm] = self.inside.held(record, arm);
        }
        for (arm, offs) in live.arms.iter_mut().zip(&self.offs) {
            arm.offs = *offs;
        }
        for (arm, tick) in live.arms.iter_mut().zip(&record.arms) {
            arm.largest_n = arm.largest_n.max(tick.sent.force_n.norm());
            arm.limits = tick.limits;
            if record.tick.is_multiple_of(live.plot_every) {
                if arm.force_n.len() == PLOT_POINTS {
                    arm.force_n.pop_front();
                }
                arm.force_n.push_back(std::mem::take(&mut arm.largest_n));
            }
        }
        if record.tick.is_multiple_of(REFRESH) {
            live.report = Some(self.stats.report(self.realtime.clone()));
            live.timing = self.stats.timing();
            live.needles = self.needles.as_ref().map_or(Vec::new(), Watch::facts);
            live.compute_shape = self.stats.compute_shape();
        }
    }

    /// Returns in words what changed since the last record.
    fn news(&mut self, record: &TickRecord) -> Vec<String> {
        let mut news = Vec::new();
        let started = *self.started_ns.get_or_insert(record.now_ns);
        let t = record.now_ns.saturating_sub(started) as f64 * 1e-9;
        for (i, now) in record.arms.iter().enumerate() {
            let name = self.names.get(i).map_or("?", String::as_str);
            if let Some(change) = self.inside.change(record, i) {
                let text = change.text(name);
                match change {
                    Change::Inside(_) => tracing::warn!("{text}"),
                    Change::Out(_) => tracing::info!("{text}"),
                }
                news.push(format!("{t:8.3} s  {text}"));
            }
            let told = &now.insertion;
            let is_in = told.phase == Phase::Inserted;
            let before = &mut self.needle_before[i];
            if is_in && told.pierced != before.1 {
                news.push(format!(
                    "{t:8.3} s  {name}: the needle pierces surface {}, {:.1} mm in",
                    told.pierced,
                    told.depth_m * 1e3
                ));
            } else if before.0 && !is_in {
                news.push(format!("{t:8.3} s  {name}: the needle is out"));
            }
            *before = (is_in, told.pierced);
        }
        self.missed += u64::from(record.periods.saturating_sub(1));
        let silent = self
            .missed_told_ns
            .is_some_and(|told| record.now_ns.saturating_sub(told) < TELL_MISSED_NS);
        if self.missed > 0 && !silent {
            let s = if self.missed == 1 { "" } else { "s" };
            news.push(format!("{t:8.3} s  {} period{s} missed", self.missed));
            self.missed = 0;
            self.missed_told_ns = Some(record.now_ns);
        }
        news
    }
}

/// Runs the scribe thread: writes down what arrives, until the loop and the collision thread have
/// both dropped their ends and the queues are empty. So the last data of either is in the
/// recording, whichever ends first. `beat` counts rounds and records.
pub fn serve(
    mut scribe: Scribe,
    mut records: ring::Consumer<TickRecord>,
    steps: Receiver<StepLog>,
    beat: &AtomicU64,
) -> Report {
    loop {
        beat.fetch_add(1, Ordering::Relaxed);
        // Read before draining: the loop below drains everything that was pushed before the loop
        // dropped its end.
        let no_more_records = records.is_abandoned();
        let no_more_steps = loop {
            match steps.try_recv() {
                Ok(step) => scribe.step(&step),
                Err(TryRecvError::Empty) => break false,
                Err(TryRecvError::Disconnected) => break true,
            }
        };
        scribe.take_events();
        while let Some(record) = records.pop() {
            // A body is in the step log before it is in any answer, and so before it is in a
            // record. By now the queue has everything that the checker needs for this record.
            for step in steps.try_iter() {
                scribe.step(&step);
            }
            let backlog = records.waiting();
            scribe.tick(&record, backlog);
            beat.fetch_add(1, Ordering::Relaxed);
        }
        if no_more_records && no_more_steps {
            return scribe.finish();
        }
        std::thread::sleep(ROUND);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crossbeam::channel::{Sender, unbounded};
    use hapticd_devices::safety::ForceOffReason;

    fn scribe() -> (Scribe, Arc<Mutex<Live>>) {
        let mut live = Live::new();
        live.arms
            .push(LiveArm::new("right", Limits::default(), false));
        let live = Arc::new(Mutex::new(live));
        let stats = Stats::new(false, 1_000_000, &[Some("right".to_owned())]);
        (
            Scribe::new(stats, None, None, live.clone(), Vec::new()),
            live,
        )
    }

    /// Returns the record of a tick at 1 kHz that skipped `skipped` periods.
    fn record(tick: u64, skipped: u32) -> TickRecord {
        let mut r = TickRecord::new();
        r.tick = tick;
        r.now_ns = 7_000_000_000 + tick * 1_000_000;
        r.periods = 1 + skipped;
        r.done_ns = tick * 1000;
        r
    }

    #[test]
    fn missed_periods_are_told_at_once_and_then_summed_up_once_a_second() {
        let (mut scribe, live) = scribe();
        for tick in 1..=2500 {
            scribe.tick(&record(tick, u32::from(tick % 10 == 0)), 0);
        }
        let live = live.lock().unwrap();
        assert_eq!(
            live.events,
            [
                "   0.009 s  1 period missed",
                "   1.009 s  100 periods missed",
                "   2.009 s  100 periods missed"
            ]
        );
        assert!((live.elapsed_s() - 2.499).abs() < 1e-9);
    }

    #[test]
    fn an_arm_that_comes_goes_and_loses_its_force_is_told_by_name() {
        let (mut scribe, live) = scribe();
        let mut r = record(1, 0);
        r.arms[0].attached = true;
        scribe.tick(&r, 0);
        r = record(2, 0);
        r.arms[0].reason = ForceOffReason::DeviceLost.code();
        scribe.tick(&r, 0);
        scribe.tick(&record(3, 0), 0);
        let live = live.lock().unwrap();
        assert_eq!(
            live.events,
            [
                "   0.000 s  right: attached",
                "   0.001 s  right: gone",
                "   0.001 s  right: force off: device lost (2)",
                "   0.002 s  right: cause over: device lost (2)",
            ]
        );
    }

    #[test]
    fn a_peak_between_two_points_of_the_plot_is_kept_and_events_are_bounded() {
        let (mut scribe, live) = scribe();
        for tick in 1..=8 * (PLOT_POINTS as u64 + 3) {
            let mut r = record(tick, 0);
            r.arms[0].sent.force_n.z = if tick == 8 * PLOT_POINTS as u64 + 1 {
                3.0
            } else {
                0.0
            };
            r.arms[0].attached = tick % 2 == 0;
            scribe.tick(&r, 0);
        }
        let live = live.lock().unwrap();
        let plot = &live.arms[0].force_n;
        assert_eq!(plot.len(), PLOT_POINTS);
        assert_eq!(plot.iter().filter(|f| **f == 3.0).count(), 1);
        assert_eq!(live.events.len(), EVENTS);
    }

    #[test]
    fn every_tick_is_in_one_histogram_bucket() {
        let (mut scribe, live) = scribe();
        for tick in 1..=REFRESH {
            // 10, 20, ... us; some are far beyond the last bucket.
            let mut r = record(tick, 0);
            r.done_ns = if tick % 50 == 0 {
                900_000_000
            } else {
                tick * 10_000
            };
            scribe.tick(&r, 0);
        }
        let shape = live.lock().unwrap().compute_shape;
        assert_eq!(shape.iter().sum::<u64>(), REFRESH);
        assert_eq!(shape[BUCKETS - 1], 4);
        // 10 us is the first value of the seventh bucket, which ends before 14.7 us.
        assert_eq!(shape[6], 1);
    }

    /// Forwards everything that it is given.
    struct Said(Sender<String>);

    impl Said {
        fn say(&self, what: String) -> Result<(), String> {
            self.0.send(what).map_err(|e| e.to_string())
        }
    }

    impl Sink for Said {
        fn tick(&mut self, record: &TickRecord) -> Result<(), String> {
            self.say(format!("tick {}", record.tick))
        }
        fn step(&mut self, step: &StepLog) -> Result<(), String> {
            self.say(format!("step {}", step.step))
        }
        fn event(&mut self, _: u64, _: &str) -> Result<(), String> {
            Ok(())
        }
        fn finish(&mut self) -> Result<(), String> {
            self.say("finished".to_owned())
        }
    }

    fn step(step: u64) -> StepLog {
        StepLog {
            step,
            query_tick: 0,
            applied: Vec::new(),
            last_sequence: 0,
            deformable: false,
            work: hapticd_collision::step_log::WorkLog::default(),
        }
    }

    /// Holds whichever of the two threads ends first, and however long before the other.
    #[test]
    fn what_the_last_thread_did_after_the_other_had_ended_is_written() {
        for loop_first in [true, false] {
            let (mut scribe, _) = scribe();
            let (sink, said) = unbounded();
            scribe.sink = Some(Box::new(Said(sink)));
            let (mut records, record_out) = ring::ring(8);
            let (steps, step_out) = unbounded();
            let thread =
                std::thread::spawn(move || serve(scribe, record_out, step_out, &AtomicU64::new(0)));
            let expect = |what: &str| assert_eq!(said.recv().unwrap(), what);
            records.push(record(1, 0)).unwrap();
            expect("tick 1");
            steps.send(step(1)).unwrap();
            expect("step 1");
            if loop_first {
                records.push(record(2, 0)).unwrap();
                drop(records);
                expect("tick 2");
                // The record has been read, so the round that saw the loop end is over or about to
                // be. The next round must come all the same.
                for k in 2..20 {
                    steps.send(step(k)).expect("the scribe listens");
                    expect(&format!("step {k}"));
                }
                drop(steps);
            } else {
                drop(steps);
                for k in 2..20 {
                    records.push(record(k, 0)).unwrap();
                    expect(&format!("tick {k}"));
                }
                drop(records);
            }
            expect("finished");
            thread.join().unwrap();
        }
    }
}
