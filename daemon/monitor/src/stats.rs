//! Statistics of a run: histograms, counts, and the report behind the summary and the JSON output.
//!
//! [`TickRecord`]s arrive here off the real-time thread. The code allocates at the start and when
//! it makes a report.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use hapticd_geometry::Digest;
use hapticd_proxy::{Held, Insertion, MAX_ARMS, Phase};
use hdrhistogram::Histogram;
use serde::Serialize;

use hapticd_loop::arms::ArmState;
use hapticd_loop::record::{Blame, TickRecord};

/// Percentiles of one quantity.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Percentiles {
    /// Median.
    pub p50: f64,
    /// 99th percentile.
    pub p99: f64,
    /// 99.9th percentile.
    pub p999: f64,
    /// Maximum.
    pub max: f64,
}

impl Percentiles {
    fn of(h: &Histogram<u64>, unit: f64) -> Self {
        let at = |q: f64| h.value_at_quantile(q) as f64 * unit;
        Percentiles {
            p50: at(0.5),
            p99: at(0.99),
            p999: at(0.999),
            max: h.max() as f64 * unit,
        }
    }
}

/// Missed periods and late ticks, by the party to blame.
#[derive(Clone, Copy, Debug, Default, Serialize)]
pub struct Missed {
    /// All missed periods.
    pub total: u64,
    /// Missed periods of the loop: it woke late or computed too long.
    pub by_loop: u64,
    /// Missed periods of the device: its report did not come.
    pub by_device: u64,
    /// Ticks in which input was stale.
    pub stale_device_ticks: u64,
    /// Ticks in which the certificate held a tool back or the snapshot was stale.
    pub collision_ticks: u64,
}

/// Statistics of an arm's needle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct NeedleReport {
    /// Ticks in which the needle was in the tissue.
    pub inserted_ticks: u64,
    /// Number of insertions.
    pub insertions: u64,
    /// Largest depth of the tip along its path, m.
    pub max_depth_m: f64,
    /// Number of surfaces pierced.
    pub pierced: u32,
    /// Largest force of the tissue against insertion, N.
    pub max_push_n: f64,
    /// Largest force of the tissue against extraction, N.
    pub max_pull_n: f64,
    /// Ticks in which bone stopped the needle.
    pub bone_ticks: u64,
    #[serde(skip)]
    was_in: bool,
}

impl NeedleReport {
    fn add(&mut self, told: &Insertion) {
        let is_in = told.phase == Phase::Inserted;
        self.inserted_ticks += u64::from(is_in);
        self.insertions += u64::from(is_in && !self.was_in);
        self.was_in = is_in;
        self.max_depth_m = self.max_depth_m.max(told.depth_m);
        self.pierced = told.pierced;
        self.max_push_n = self.max_push_n.max(told.force_n);
        self.max_pull_n = self.max_pull_n.max(-told.force_n);
        self.bone_ticks += u64::from(is_in && matches!(told.held, Held::Bone(_)));
    }
}

/// One arm's part of the report.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ArmReport {
    /// Name of the arm.
    pub name: String,
    /// Largest force sent, N.
    pub max_force_n: f64,
    /// Largest torque sent, N·m.
    pub max_torque_nm: f64,
    /// Largest number of contacts in a tick.
    pub max_contacts: u16,
    /// Ticks with contact.
    pub contact_ticks: u64,
    /// Ticks in which the certificate or a budget held the tool back.
    pub starved_ticks: u64,
    /// Age of the snapshot in use, ticks.
    pub snapshot_age_ticks: Percentiles,
    /// Age of the soft bodies' snapshot in use, ticks; all 0 without soft bodies.
    pub deformable_age_ticks: Percentiles,
    /// Number of tracked points of tool and soft bodies.
    pub tracked: Percentiles,
    /// Statistics of the needle, if the arm holds one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needle: Option<NeedleReport>,
    /// Age of the arm's newest sample at the tick, µs. Only ticks in which force was allowed count:
    /// an age that turns force off needs no gain for it.
    pub input_age_us: Percentiles,
    /// Feature pairs evaluated per tick.
    pub pairs: Percentiles,
    /// Number of reports decoded.
    pub samples: u64,
    /// Reports skipped because a newer one was there.
    pub skipped_samples: u64,
    /// Reasons of force-offs, in words and in the order in which they came. At most
    /// [`MAX_FORCE_OFFS`] are kept, the first ones; beyond them only reasons that are not in the
    /// list yet.
    pub force_off: Vec<String>,
    /// State code of the governor at the end.
    pub state: u8,
    /// Deepest penetration that the independent checker found, m. Must be 0.
    pub max_penetration_m: f64,
    /// Ticks that the checker checked completely.
    pub checked_ticks: u64,
    /// Ticks that the checker did not check, or not completely.
    pub unchecked_ticks: u64,
    /// The unchecked ticks by cause.
    pub unchecked_why: Unchecked,
    /// Ticks in which the checker found that the tool crossed a body. Must be 0.
    pub crossings: u64,
    /// Times that the arm was opened.
    pub opened: u64,
    /// Times that the arm was lost.
    pub lost: u64,
    /// Reports that were too short, had an unknown id, or gave no pose.
    pub bad_reports: u64,
    /// Commands that the arm did not take.
    pub failed_writes: u64,
    /// Longest time that sending one command took, ms.
    pub longest_write_ms: f64,
}

/// Reason why the independent checker did not check a tick completely.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotChecked {
    /// The checker could not keep up, or a large shape was not ready yet.
    Busy,
    /// A pose from before the tick was unknown: records were lost on the way to the checker, or a
    /// tool was placed.
    UnknownPlace,
    /// A body or tool was solid to the tool, but the checker did not have its shape.
    UnknownShape,
}

/// Ticks that the independent checker did not check completely, by cause.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Unchecked {
    /// The checker could not keep up, or a large shape was not ready yet.
    pub busy: u64,
    /// A pose was unknown: ticks whose records were lost, and those until the pose was known again.
    pub unknown_place: u64,
    /// A shape was unknown.
    pub unknown_shape: u64,
}

/// Report of a run.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// `hapticd` and its version.
    pub program: String,
    /// Clock of the run: "real" or "virtual".
    pub time: &'static str,
    /// Nominal rate, Hz.
    pub rate_hz: f64,
    /// Number of ticks.
    pub ticks: u64,
    /// Missed periods and late ticks.
    pub missed: Missed,
    /// Time from waking to done, µs.
    pub compute_us: Percentiles,
    /// Time from the deadline to waking, µs.
    pub lateness_us: Percentiles,
    /// Reports of the arms.
    pub arms: Vec<ArmReport>,
    /// Records lost on the way to the statistics. They count in `ticks` but not in the histograms.
    pub lost_records: u64,
    /// Largest penetration over all arms, m. Must be 0.
    pub max_penetration_m: f64,
    /// Largest force over all arms, N.
    pub max_force_n: f64,
    /// Starved ticks, summed over all arms.
    pub starved_ticks: u64,
    /// Digest of everything that the ticks did, in virtual time only. Runs of the same
    /// configuration on one machine have the same digest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub digest: Option<String>,
    /// Outcome of the real-time set-up, in words.
    pub realtime: Vec<String>,
}

/// Timing of the last seconds, s. The gains follow it, because a load on the machine may be
/// temporary.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Timing {
    /// Time from the deadline to waking, 99th percentile.
    pub lateness_s: f64,
    /// Age of each arm's newest sample at the tick, 90th percentile. As in
    /// [`ArmReport::input_age_us`], only ticks in which force was allowed count. `None` before the
    /// first such tick.
    pub input_age_s: [Option<f64>; MAX_ARMS],
}

/// Loop time after which a span of [`Recent`] ends, ns.
const SPAN_NS: u64 = 2_000_000_000;

/// Histogram of a quantity over the last seconds with values: the span under way and the last
/// complete one.
struct Recent {
    now: Histogram<u64>,
    before: Histogram<u64>,
}

impl Recent {
    fn new() -> Self {
        Recent {
            now: histogram(LONGEST_NS),
            before: histogram(LONGEST_NS),
        }
    }

    /// Begins another span. Without new values, the old ones stay.
    fn roll(&mut self) {
        if !self.now.is_empty() {
            std::mem::swap(&mut self.now, &mut self.before);
            self.now.reset();
        }
    }

    fn quantile_s(&self, quantile: f64) -> Option<f64> {
        let mut both = self.before.clone();
        // Two histograms with the same bounds always add up.
        let _ = both.add(&self.now);
        (!both.is_empty()).then(|| both.value_at_quantile(quantile) as f64 * 1e-9)
    }
}

struct ArmStats {
    report: ArmReport,
    /// Counters of the arm's thread; `None` in virtual time.
    thread: Option<Arc<ArmState>>,
    age: Histogram<u64>,
    soft_age: Histogram<u64>,
    tracked: Histogram<u64>,
    input_age: Histogram<u64>,
    recent_input_age: Recent,
    pairs: Histogram<u64>,
    last_sequence: u64,
    last_reason: u8,
}

/// Collects the statistics of a run.
pub struct Stats {
    time: &'static str,
    period_ns: u64,
    ticks: u64,
    first_tick: Option<u64>,
    seen: u64,
    missed: Missed,
    compute: Histogram<u64>,
    shape: [u64; BUCKETS],
    lateness: Histogram<u64>,
    recent_lateness: Recent,
    /// Loop time at which the recent spans began.
    rolled_ns: Option<u64>,
    arms: Vec<Option<ArmStats>>,
    /// Present in virtual time only.
    digest: Option<Digest>,
}

/// Number of buckets of [`Stats::compute_shape`]: six per decade from 1 µs to 10 ms. The first and
/// the last also take values outside that range.
pub const BUCKETS: usize = 24;

/// Lower edge of a bucket of [`Stats::compute_shape`], µs.
pub fn bucket_floor_us(bucket: usize) -> f64 {
    10f64.powf(bucket as f64 / 6.0)
}

/// Returns the bucket of a time in ns.
fn bucket(ns: u64) -> usize {
    // The cast saturates: below 1 us, even minus infinity becomes 0.
    (((ns as f64 * 1e-3).log10() * 6.0) as usize).min(BUCKETS - 1)
}

/// Number of force-offs kept in [`ArmReport::force_off`]; beyond them, only the first of each
/// reason is kept.
pub const MAX_FORCE_OFFS: usize = 64;

/// Highest value that the time histograms keep, ns.
const LONGEST_NS: u64 = 60_000_000_000;

fn histogram(high: u64) -> Histogram<u64> {
    // Three significant digits of a fixed range never fail; only a range below 2 would.
    Histogram::new_with_bounds(1, high.max(2), 3).unwrap_or_else(|_| {
        // Unreachable with the bounds above. An auto-resizing histogram would be right as well.
        let mut h = Histogram::<u64>::new(3).expect("3 digits are allowed");
        h.auto(true);
        h
    })
}

impl Stats {
    /// Creates empty statistics for a loop of this period and arms of these names (by index).
    pub fn new(virtual_time: bool, period_ns: u64, names: &[Option<String>]) -> Self {
        Stats {
            time: if virtual_time { "virtual" } else { "real" },
            digest: virtual_time.then(Digest::default),
            period_ns,
            ticks: 0,
            first_tick: None,
            seen: 0,
            missed: Missed::default(),
            compute: histogram(LONGEST_NS),
            shape: [0; BUCKETS],
            lateness: histogram(LONGEST_NS),
            recent_lateness: Recent::new(),
            rolled_ns: None,
            arms: (0..MAX_ARMS)
                .map(|i| {
                    let name = names.get(i).cloned().flatten()?;
                    Some(ArmStats {
                        report: ArmReport {
                            name,
                            ..ArmReport::default()
                        },
                        thread: None,
                        age: histogram(1 << 40),
                        soft_age: histogram(1 << 40),
                        tracked: histogram(1 << 16),
                        input_age: histogram(LONGEST_NS),
                        recent_input_age: Recent::new(),
                        pairs: histogram(1 << 40),
                        last_sequence: 0,
                        last_reason: 0,
                    })
                })
                .collect(),
        }
    }

    /// Adds the counters of the arms' threads (by index) to the report from now on.
    pub fn watch(&mut self, threads: &[Arc<ArmState>]) {
        for (arm, thread) in self.arms.iter_mut().zip(threads) {
            if let Some(arm) = arm {
                arm.thread = Some(thread.clone());
            }
        }
    }

    /// Adds one tick.
    pub fn add(&mut self, r: &TickRecord) {
        if let Some(digest) = &mut self.digest {
            r.add_to(digest);
        }
        self.seen += 1;
        self.first_tick.get_or_insert(r.tick);
        self.ticks = self.ticks.max(r.tick);
        let compute_ns = r.done_ns.saturating_sub(r.awake_ns);
        self.compute.saturating_record(compute_ns);
        self.shape[bucket(compute_ns)] += 1;
        if r.now_ns
            .saturating_sub(*self.rolled_ns.get_or_insert(r.now_ns))
            >= SPAN_NS
        {
            self.rolled_ns = Some(r.now_ns);
            self.recent_lateness.roll();
            for arm in self.arms.iter_mut().flatten() {
                arm.recent_input_age.roll();
            }
        }
        let lateness_ns = r.awake_ns.saturating_sub(r.signalled_ns);
        self.lateness.saturating_record(lateness_ns);
        self.recent_lateness.now.saturating_record(lateness_ns);
        let skipped = u64::from(r.periods.saturating_sub(1));
        self.missed.total += skipped;
        match r.blame {
            Blame::None => {}
            Blame::Loop => self.missed.by_loop += skipped,
            Blame::Device if skipped > 0 => self.missed.by_device += skipped,
            Blame::Device => self.missed.stale_device_ticks += 1,
            Blame::Collision => self.missed.collision_ticks += 1,
        }
        for (arm, tick) in self.arms.iter_mut().zip(&r.arms) {
            let Some(a) = arm else { continue };
            let p = &mut a.report;
            p.max_force_n = p.max_force_n.max(tick.sent.force_n.norm());
            p.max_torque_nm = p.max_torque_nm.max(tick.sent.torque_nm.norm());
            p.max_contacts = p.max_contacts.max(tick.contacts);
            p.contact_ticks += u64::from(tick.contacts > 0);
            p.starved_ticks += u64::from(tick.starved);
            if tick.snapshot_age != u32::MAX {
                a.age.saturating_record(u64::from(tick.snapshot_age));
            }
            if tick.soft_age != u32::MAX {
                a.soft_age.saturating_record(u64::from(tick.soft_age));
                a.tracked.saturating_record(u64::from(tick.tracked));
            }
            if tick.insertion.phase != Phase::None {
                p.needle
                    .get_or_insert_with(NeedleReport::default)
                    .add(&tick.insertion);
            }
            if tick.sample.sequence > 0 && tick.attached && tick.reason == 0 {
                a.input_age.saturating_record(tick.input_age_ns);
                a.recent_input_age.now.saturating_record(tick.input_age_ns);
            }
            a.pairs.saturating_record(u64::from(tick.pairs));
            if tick.sample.sequence != a.last_sequence {
                p.samples = tick.sample.sequence;
                p.skipped_samples += u64::from(tick.sample.skipped);
                a.last_sequence = tick.sample.sequence;
            }
            if tick.reason != a.last_reason {
                a.last_reason = tick.reason;
                let reason = hapticd_devices::safety::ForceOffReason::from_code(tick.reason);
                if let Some(reason) = reason.map(|r| r.to_string())
                    && (p.force_off.len() < MAX_FORCE_OFFS || !p.force_off.contains(&reason))
                {
                    p.force_off.push(reason);
                }
            }
            p.state = tick.state;
        }
    }

    /// Adds the checker's result for one tick of one arm.
    pub fn checked(&mut self, arm: usize, penetration_m: f64, crossed: bool) {
        if let Some(Some(a)) = self.arms.get_mut(arm) {
            a.report.checked_ticks += 1;
            a.report.max_penetration_m = a.report.max_penetration_m.max(penetration_m);
            a.report.crossings += u64::from(crossed);
        }
    }

    /// Adds the checker's result for one tick of one arm that it could not check completely.
    pub fn checked_in_part(&mut self, arm: usize, penetration_m: f64, crossed: bool) {
        if let Some(Some(a)) = self.arms.get_mut(arm) {
            a.report.max_penetration_m = a.report.max_penetration_m.max(penetration_m);
            a.report.crossings += u64::from(crossed);
        }
    }

    /// Counts `ticks` that the checker did not check, or not completely.
    pub fn unchecked(&mut self, arm: usize, why: NotChecked, ticks: u64) {
        let Some(Some(a)) = self.arms.get_mut(arm) else {
            return;
        };
        a.report.unchecked_ticks += ticks;
        let by_cause = &mut a.report.unchecked_why;
        *match why {
            NotChecked::Busy => &mut by_cause.busy,
            NotChecked::UnknownPlace => &mut by_cause.unknown_place,
            NotChecked::UnknownShape => &mut by_cause.unknown_shape,
        } += ticks;
    }

    /// Returns the histogram of compute times; [`bucket_floor_us`] gives the bucket edges.
    pub fn compute_shape(&self) -> [u64; BUCKETS] {
        self.shape
    }

    /// Returns the timing of the last seconds; `None` before the first tick.
    pub fn timing(&self) -> Option<Timing> {
        let mut input_age_s = [None; MAX_ARMS];
        for (age, arm) in input_age_s.iter_mut().zip(&self.arms) {
            *age = arm
                .as_ref()
                .and_then(|a| a.recent_input_age.quantile_s(0.9));
        }
        Some(Timing {
            lateness_s: self.recent_lateness.quantile_s(0.99)?,
            input_age_s,
        })
    }

    /// Returns the report so far.
    pub fn report(&self, realtime: Vec<String>) -> Report {
        let arms: Vec<ArmReport> = self
            .arms
            .iter()
            .flatten()
            .map(|a| {
                let count = |of: fn(&ArmState) -> &std::sync::atomic::AtomicU64| {
                    a.thread
                        .as_ref()
                        .map_or(0, |thread| of(thread).load(Ordering::Relaxed))
                };
                ArmReport {
                    snapshot_age_ticks: Percentiles::of(&a.age, 1.0),
                    deformable_age_ticks: Percentiles::of(&a.soft_age, 1.0),
                    tracked: Percentiles::of(&a.tracked, 1.0),
                    input_age_us: Percentiles::of(&a.input_age, 1e-3),
                    pairs: Percentiles::of(&a.pairs, 1.0),
                    opened: count(|thread| &thread.opened),
                    lost: count(|thread| &thread.lost),
                    bad_reports: count(|thread| &thread.bad_reports),
                    failed_writes: count(|thread| &thread.failed_writes),
                    longest_write_ms: count(|thread| &thread.longest_write_ns) as f64 * 1e-6,
                    ..a.report.clone()
                }
            })
            .collect();
        let ticks = self.first_tick.map_or(0, |first| self.ticks - first + 1);
        Report {
            program: concat!("hapticd ", env!("CARGO_PKG_VERSION")).to_owned(),
            time: self.time,
            rate_hz: 1e9 / self.period_ns as f64,
            ticks,
            missed: self.missed,
            compute_us: Percentiles::of(&self.compute, 1e-3),
            lateness_us: Percentiles::of(&self.lateness, 1e-3),
            lost_records: ticks.saturating_sub(self.seen),
            max_penetration_m: arms.iter().map(|a| a.max_penetration_m).fold(0.0, f64::max),
            max_force_n: arms.iter().map(|a| a.max_force_n).fold(0.0, f64::max),
            digest: self.digest.map(|digest| digest.to_string()),
            starved_ticks: arms.iter().map(|a| a.starved_ticks).sum(),
            arms,
            realtime,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the record of a tick at 1 kHz that came `lateness_us` late, with a sample of age
    /// `age_us`.
    fn record(tick: u64, lateness_us: u64, age_us: u64) -> TickRecord {
        let mut r = TickRecord::new();
        r.tick = tick;
        r.now_ns = 5_000_000_000 + tick * 1_000_000;
        r.signalled_ns = r.now_ns;
        r.awake_ns = r.now_ns + lateness_us * 1000;
        r.done_ns = r.awake_ns;
        r.arms[0].attached = true;
        r.arms[0].sample.sequence = tick;
        r.arms[0].input_age_ns = age_us * 1000;
        r
    }

    fn near(got: f64, expected: f64) -> bool {
        (got / expected - 1.0).abs() < 0.01
    }

    #[test]
    fn the_timing_is_that_of_the_last_seconds_and_the_report_that_of_the_run() {
        let mut stats = Stats::new(false, 1_000_000, &[Some("right".to_owned()), None]);
        assert_eq!(stats.timing(), None);
        // A minute under load, followed by normal operation.
        for tick in 1..=60_000 {
            stats.add(&record(tick, 2000, 5000));
        }
        let loaded = stats.timing().unwrap();
        assert!(near(loaded.lateness_s, 2e-3) && near(loaded.input_age_s[0].unwrap(), 5e-3));
        assert_eq!(loaded.input_age_s[1], None);
        for tick in 60_001..=64_001 {
            stats.add(&record(tick, 50, 800));
        }
        let well = stats.timing().unwrap();
        assert!(
            near(well.lateness_s, 50e-6) && near(well.input_age_s[0].unwrap(), 800e-6),
            "{well:?}"
        );
        let report = stats.report(Vec::new());
        assert!(
            near(report.lateness_us.p99, 2000.0) && near(report.arms[0].input_age_us.p50, 5000.0)
        );
        // The statistics react as fast in the other direction.
        for tick in 64_002..=64_100 {
            stats.add(&record(tick, 2000, 5000));
        }
        assert!(near(stats.timing().unwrap().lateness_s, 2e-3));
    }

    #[test]
    fn an_age_that_cannot_be_measured_any_more_stays_the_last_one() {
        let mut stats = Stats::new(false, 1_000_000, &[Some("right".to_owned())]);
        for tick in 1..=10_000 {
            stats.add(&record(tick, 50, 3000));
        }
        // Force is off for a minute, and ages from that time do not count.
        for tick in 10_001..=70_000 {
            let mut r = record(tick, 50, 90_000);
            r.arms[0].reason = 32;
            stats.add(&r);
        }
        let age_s = stats.timing().unwrap().input_age_s[0].unwrap();
        assert!(near(age_s, 3e-3), "{age_s}");
    }
}
