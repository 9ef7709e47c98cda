//! A run told by its log alone.

use std::path::Path;

use hapticd_config as config;
use hapticd_devices::arm::{ArmCommand, ArmSample};
use hapticd_devices::safety::ForceOffReason::{self, *};

use std::sync::{Arc, Mutex};

use hapticd::session::virtual_arms;
use hapticd::session_setup;
use hapticd_collision::virtual_time::{VirtualArm, VirtualLoop};
use hapticd_devices::safety::Limits;
use hapticd_loop::record::TickRecord;
use hapticd_monitor::log::{LogFormat, logged};
use hapticd_monitor::scribe::{Live, LiveArm, Scribe, logbook};
use hapticd_monitor::stats::Stats;

/// First tick, number of ticks, fault. Tens of milliseconds and single ticks; the last three follow
/// each other.
const SCRIPT: [(u64, u64, ForceOffReason); 9] = [
    (400, 35, DeviceLost),
    (700, 1, SafetySwitch),
    (702, 1, PoseUnknown),
    (1000, 250, NotCalibrated),
    (1500, 2, DeviceLost),
    (1600, 1, PoseUnknown),
    (2000, 10, SafetySwitch),
    (2010, 10, NotCalibrated),
    (2020, 10, SafetySwitch),
];

/// An arm that follows the script.
struct Faulty {
    arm: Box<dyn VirtualArm + Send>,
    tick: u64,
}

impl VirtualArm for Faulty {
    fn step(&mut self, now_ns: u64, dt_ns: u64, command: &ArmCommand) -> Option<ArmSample> {
        self.tick += 1;
        let mut sample = self.arm.step(now_ns, dt_ns, command)?;
        let now = SCRIPT
            .iter()
            .find(|(first, ticks, _)| (*first..first + ticks).contains(&self.tick));
        match now.map(|(.., what)| what) {
            Some(DeviceLost) => return None,
            Some(NotCalibrated) => sample.status.calibrated = false,
            Some(SafetySwitch) => sample.status.safety_switch_closed = false,
            Some(PoseUnknown) => sample.status.pose_invalid = true,
            _ => {}
        }
        Some(sample)
    }
}

fn run() {
    let text = "[[arm]]\nname = \"right\"\nkind = \"simulated\"\nintention = \"press\"\n\
        tool = { kind = \"sphere\", radius_m = 0.005 }\n\
        [[body]]\nname = \"floor\"\nshape = { kind = \"plate\", size_m = [0.2, 0.2] }\n";
    let context = config::Context::new("", |_| None);
    let loaded = config::parse("test.toml", text, &context).unwrap();
    let mut setup = session_setup::build(&loaded.config, Path::new(""), true).unwrap();
    let live = Arc::new(Mutex::new(setup.live()));
    let stats = Stats::new(true, setup.period_ns, &setup.names());
    let mut scribe = Scribe::new(stats, None, None, live, Vec::new());
    let mut arms = virtual_arms(&mut setup);
    let arm = arms[0].take().unwrap();
    arms[0] = Some(Box::new(Faulty { arm, tick: 0 }));
    let scene = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 1, setup.pair_capacity);
    for _ in 0..6000 {
        scribe.tick(driver.step(false), 0);
    }
    scribe.finish();
}

/// Returns the script's faults alone: a consequence of a loss is not reported as a separate cause.
fn expected() -> Vec<(u64, u64, u8)> {
    SCRIPT
        .map(|(first, ticks, what)| (first, ticks, what.code()))
        .to_vec()
}

/// Returns the number after a word, up to the next space.
fn after(line: &str, word: &str) -> u64 {
    let rest = line.split(word).nth(1).unwrap();
    rest.split([' ', ')']).next().unwrap().parse().unwrap()
}

#[test]
fn a_fault_script_is_rebuilt_from_the_log_alone() {
    let log = logged(LogFormat::Text, run);
    let mut script: Vec<(u64, u64, u8)> = Vec::new();
    let mut open: Option<(u64, u8)> = None;
    for line in log.lines().filter(|line| line.contains(" arm=right ")) {
        let is_off = line.contains(" WARN arm=right force off: ")
            || line.contains(" WARN arm=right force still off: ");
        if !is_off && !line.contains(" INFO arm=right cause over: ") {
            continue;
        }
        let tick = after(line, "tick=");
        if let Some((since, reason)) = open.take() {
            // Each end repeats its subject and its duration: a tick is a millisecond.
            let end = line
                .split(if is_off { ", after " } else { "over: " })
                .nth(1)
                .unwrap();
            assert_eq!(after(end, "("), u64::from(reason), "{line}");
            let length = end.rsplit("for ").next().unwrap();
            assert_eq!(
                after(&format!("for {length}"), "for "),
                tick - since,
                "{line}"
            );
            script.push((since, tick - since, reason));
        }
        if is_off {
            open = Some((tick, after(line, "(") as u8));
        }
    }
    assert_eq!(open, None, "{log}");
    assert_eq!(script, expected(), "{log}");
    // The log also has the whole duration without force.
    assert!(log.contains(" INFO arm=right force on after "), "{log}");
}

/// Returns the lines of the log of 70 s, and the number of force-offs, by the reason in each tick.
fn logged_reasons(reason: impl Fn(u64) -> u8) -> (Vec<serde_json::Value>, u64) {
    let mut live = Live::new();
    live.arms
        .push(LiveArm::new("right", Limits::default(), false));
    let live = Arc::new(Mutex::new(live));
    let log = logged(LogFormat::Json, || {
        let stats = Stats::new(false, 1_000_000, &[Some("right".to_owned())]);
        let mut scribe = Scribe::new(stats, None, None, live.clone(), Vec::new());
        for tick in 1..=70_000 {
            let mut record = TickRecord::new();
            (record.tick, record.now_ns) = (tick, tick * 1_000_000);
            record.arms[0].reason = reason(tick);
            scribe.tick(&record, 0);
        }
        scribe.finish();
    });
    let lines = log
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let offs = live.lock().unwrap().arms[0].offs;
    (lines, offs.count)
}

/// A supervisor that fell silent, latched, and a loop that stalls now and then meanwhile: force
/// went off once.
#[test]
fn force_that_is_off_does_not_go_off_again() {
    let (lines, count) = logged_reasons(|tick| match tick {
        ..5 => 0,
        100..=10_000 if tick % 100 == 0 => 9,
        _ => 11,
    });
    assert_eq!(count, 1);
    let of = |event: &str| -> Vec<_> { lines.iter().filter(|l| l["event"] == event).collect() };
    let off = of("force_off");
    assert_eq!(off.len(), 1, "{off:?}");
    assert_eq!(
        off[0]["message"],
        "force off: stopped by the supervisor (11); needs `hapticd clear`"
    );
    assert_eq!(of("force_off_more").len(), 0);
    // What is shown meanwhile has lines of its own, and a count where there are too many.
    let still = of("force_still_off");
    assert_eq!(still.len(), logbook::MAX_FORCE_OFFS as usize);
    let says = still[0]["message"].as_str().unwrap();
    assert!(
        says.starts_with("force still off: loop stalled (9)"),
        "{says}"
    );
    assert!(
        says.ends_with(", after stopped by the supervisor (11) for 95 ms"),
        "{says}"
    );
    let more = of("force_still_off_more");
    assert_eq!(more.len(), 1, "{more:?}");
    assert_eq!(
        more[0]["message"],
        "while force was off its reason changed 180 more times in the last minute: 90 x loop stalled (9), 90 x stopped by the supervisor (11)"
    );
}

#[test]
fn a_storm_of_force_offs_is_counted_by_reason() {
    let (lines, count) = logged_reasons(|tick| match tick % 100 {
        0 if tick <= 10_000 => 34,
        50 if tick <= 10_000 => 32,
        _ => 0,
    });
    assert_eq!(count, 200);
    let of = |event: &str| lines.iter().filter(|line| line["event"] == event).count();
    let told = logbook::MAX_FORCE_OFFS as usize;
    assert_eq!((of("force_off"), of("cause_over")), (told, told));
    let more: Vec<_> = lines
        .iter()
        .filter(|l| l["event"] == "force_off_more")
        .collect();
    assert_eq!(more.len(), 1, "{more:?}");
    assert_eq!(more[0]["count"], 200 - told);
    assert_eq!(
        more[0]["message"],
        "force off 180 more times in the last minute: 90 x device sample too old (32), 90 x contact data too old (34)"
    );
    assert_eq!(of("minute"), 1);
}
