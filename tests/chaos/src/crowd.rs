//! Trial of a full scene. A tool presses continuously on the ground of the configuration, a heap of
//! small dynamic boxes falls around it, and a mesh of millions of triangles comes and goes nearby.
//! Everything is within the quota of a client, so no force may go off, and the contact data behind
//! the forces may not be old.
//!
//! It runs in real time, so the verdict also depends on the machine. The bounds are for a release
//! build on a quiet machine with two cores. A force-off that coincides with a pause of the whole
//! machine ([`crate::pauses`]) is reported, but not counted against the daemon.

use crate::{
    Failure,
    clients::{cuboid, spec, tolerant},
    daemon::Daemon,
    judge::Verdict,
    pauses::{Pauses, Seen},
    random::Random,
    recording::length,
};
use hapticd_client::{BodyKind, Client, Event, Mesh, Notification, Subscription, topic};
use hapticd_protocol::{
    block::{ArmState, force_off_text},
    event::ForceOff,
};
use rustix::process::Signal;
use serde_json::Value;
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// Parameters of the trial.
#[derive(Clone, Debug)]
pub struct Setup {
    /// Path of the daemon's program.
    pub daemon: PathBuf,
    /// Folder for its files: empty, and used by this trial only.
    pub folder: PathBuf,
    /// Seed of the places of the boxes and the mesh.
    pub seed: u64,
    /// Duration.
    pub length: Duration,
    /// Number of dynamic boxes in the heap.
    pub boxes: usize,
    /// Minimum number of triangles of the mesh that comes and goes.
    pub triangles: usize,
    /// Maximum age of the contact data in 99 of 100 ticks, ticks.
    pub max_age_ticks: f64,
}

/// Number of bodies added, and how long the mesh took, s.
#[derive(Clone, Debug, Default)]
struct LoadStats {
    boxes: usize,
    meshes: usize,
    refused: usize,
    slowest_s: f64,
}

/// Moves down slowly, because the daemon takes a while to start, then holds for the whole run.
const INTENTION: &str = "kind = \"press\"\nfrom = [0.0, 0.0, 0.05]\ndepth_m = 0.07\n\
    move_s = 5.0\nhold_s = 1e6\n";

const CONFIGURATION: &str = r#"
[log]
level = "info"
[ipc]
max_lease_ms = 10000
[safety]
peak_force_n = 4.0
continuous_force_n = 4.0
[[arm]]
name = "right"
kind = "simulated"
intention = "./press.toml"
tool = { kind = "sphere", radius_m = 0.005 }
mechanics = { mass_kg = 0.15, damping_n_s_per_m = 2.0, coulomb_friction_n = 0.1, resolution_m = 2e-5, delay_us = 500 }
[[body]]
name = "ground"
kind = "static"
shape = { kind = "terrain", size_m = [0.5, 0.5], amplitude_m = 0.008, cells = 80 }
"#;

/// Runs the trial and judges it by the daemon's state block, events and report.
///
/// # Errors
/// What prevented the run.
pub fn run(setup: &Setup) -> Result<Vec<Verdict>, Failure> {
    fs::create_dir_all(&setup.folder)?;
    fs::write(setup.folder.join("press.toml"), INTENTION)?;
    fs::write(setup.folder.join("config.toml"), CONFIGURATION)?;
    let mesh = lumpy_ball(0.03, setup.triangles);
    let mut daemon = Daemon::spawn(
        &setup.daemon,
        &setup.folder,
        &["run", "config.toml", "--plain", "--report", "report.json"],
    )?;
    let socket = setup.folder.join("hapticd/app.sock");
    let mut monitor = Client::connect_until(&socket, "monitor", Duration::from_secs(60))?;
    let subscription = monitor.subscribe(0, topic::STATE | topic::EVENTS)?;
    let before = under_force(&subscription)?;
    let ending = AtomicBool::new(false);
    let mut offs = Vec::new();
    let pauses = Pauses::watch();
    let played: Result<(LoadStats, LoadStats, ArmState), Failure> = std::thread::scope(|scope| {
        let (ending, socket, mesh) = (&ending, &socket, &mesh);
        let heap = scope.spawn(move || heap(socket, setup, ending));
        let bulk = scope.spawn(move || bulk(socket, setup, mesh, ending));
        let listened = listen(&mut monitor, setup.length, &mut offs, || {
            daemon.runs() && !heap.is_finished() && !bulk.is_finished()
        });
        ending.store(true, Ordering::Relaxed);
        let ended = || Failure::from("a client panicked");
        let heap = heap.join().map_err(|_| ended())??;
        let bulk = bulk.join().map_err(|_| ended())??;
        listened?;
        Ok((heap, bulk, subscription.state()?))
    });
    let paused = pauses.end();
    let runs = daemon.runs();
    daemon.signal(Signal::TERM);
    let status = daemon.end(Duration::from_secs(60));
    if !runs || status != Some(0) {
        return Err(format!("the daemon ended with {status:?}, it ran until then: {runs}").into());
    }
    let (heap, bulk, after) = played?;
    let report: Value = serde_json::from_slice(&fs::read(setup.folder.join("report.json"))?)?;
    let arm = &report["arms"][0];
    Ok(vec![
        check_force_stayed(&before, &after, &offs, &paused),
        answers(arm, setup.max_age_ticks),
        came(setup, &heap, &bulk),
        check_no_penetration(arm),
    ])
}

/// Waits until the tool presses.
fn under_force(subscription: &Subscription) -> Result<ArmState, Failure> {
    let end = Instant::now() + Duration::from_secs(60);
    while Instant::now() < end {
        if let Ok(state) = subscription.state()
            && length(&state.force_n) > 1.0
        {
            return Ok(state);
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    Err("no force in a minute".into())
}

/// Collects force-off events.
fn listen(
    monitor: &mut Client,
    length: Duration,
    offs: &mut Vec<ForceOff>,
    goes_on: impl FnMut() -> bool,
) -> Result<(), Failure> {
    let (end, mut goes_on) = (Instant::now() + length, goes_on);
    while Instant::now() < end && goes_on() {
        if let Some(Notification::Event(Event::ForceOff(off))) =
            monitor.poll(Duration::from_millis(100))?
        {
            offs.push(off);
        }
        monitor.renew_leases(2000)?;
    }
    Ok(())
}

/// Adds boxes around the tool until there are enough, then repeatedly replaces one.
fn heap(socket: &Path, setup: &Setup, ending: &AtomicBool) -> Result<LoadStats, Failure> {
    let mut client = Client::connect_to(socket, "heap")?;
    client.set_timeout(Duration::from_secs(60));
    let mut random = Random::new(setup.seed);
    let (mut came, mut bodies) = (LoadStats::default(), Vec::new());
    let small = cuboid([0.01, 0.012, 0.008], 1);
    let mut count = 0;
    while !ending.load(Ordering::Relaxed) {
        if bodies.len() >= setup.boxes {
            let body = bodies.swap_remove(random.below(bodies.len()));
            tolerant(client.remove_body(body))?;
        }
        count += 1;
        let at = [
            random.within(-0.08, 0.08),
            random.within(-0.08, 0.08),
            random.within(0.03, 0.2),
        ];
        let name = format!("box-{count}");
        match tolerant(client.add_body(&spec(&name, BodyKind::Dynamic, at), &small))? {
            Some(body) => {
                came.boxes += 1;
                bodies.push(body);
            }
            None => came.refused += 1,
        }
        client.renew_leases(2000)?;
        let pause_ms = [10, 300][usize::from(bodies.len() >= setup.boxes)];
        std::thread::sleep(Duration::from_millis(pause_ms));
    }
    Ok(came)
}

/// Adds and removes the mesh repeatedly.
fn bulk(
    socket: &Path,
    setup: &Setup,
    mesh: &Mesh,
    ending: &AtomicBool,
) -> Result<LoadStats, Failure> {
    let mut client = Client::connect_to(socket, "bulk")?;
    client.set_timeout(Duration::from_secs(120));
    let mut random = Random::new(setup.seed + 1);
    let mut came = LoadStats::default();
    let mut count = 0;
    while !ending.load(Ordering::Relaxed) {
        count += 1;
        // Next to the tool, among or above the falling boxes.
        let at = [
            0.08 * [1.0, -1.0][random.below(2)],
            random.within(-0.08, 0.08),
            random.within(0.08, 0.3),
        ];
        let kind = [BodyKind::Static, BodyKind::Kinematic][random.below(2)];
        let start = Instant::now();
        let body = tolerant(client.add_body(&spec(&format!("bulk-{count}"), kind, at), mesh))?;
        let Some(body) = body else {
            came.refused += 1;
            continue;
        };
        came.meshes += 1;
        came.slowest_s = came.slowest_s.max(start.elapsed().as_secs_f64());
        client.renew_leases(2000)?;
        std::thread::sleep(Duration::from_millis(500));
        client.remove_body(body)?;
    }
    Ok(came)
}

/// Returns a ball with bumps and at least this many triangles.
fn lumpy_ball(radius_m: f64, triangles: usize) -> Mesh {
    let cuts = (triangles as f64 / 12.0).sqrt().ceil().max(1.0) as u32;
    let mut mesh = cuboid([1.0; 3], cuts);
    for p in &mut mesh.positions {
        let bump = (7.0 * p[0]).sin() * (6.0 * p[1]).cos() + (5.0 * p[2]).sin();
        let scale = radius_m * (1.0 + 0.05 * bump) / length(p);
        p.iter_mut().for_each(|x| *x *= scale);
    }
    mesh
}

/// Reasons of a force-off that a pause of the machine causes: the loop stalled, and a sample that
/// is too old.
const PAUSE_REASONS: [u8; 2] = [9, 32];

/// Rule: force did not go off, except for pauses of the machine.
fn check_force_stayed(
    before: &ArmState,
    after: &ArmState,
    offs: &[ForceOff],
    paused: &Seen,
) -> Verdict {
    let is_pause =
        |off: &&ForceOff| PAUSE_REASONS.contains(&off.reason) && paused.explains(off.time_ns);
    let (explained, others): (Vec<_>, Vec<_>) = offs.iter().partition(is_pause);
    let unexplained = others.len();
    let (pauses, longest_ms) = paused.count_and_longest_ms();
    let all = (after.force_offs - before.force_offs) as usize;
    Verdict {
        rule: "force",
        checked: (after.tick - before.tick) as usize,
        // Reported force-offs, and those that were not reported.
        broken: unexplained.max(all.saturating_sub(explained.len())),
        words: format!(
            "force-offs{}; {} by {pauses} pauses of the machine, {longest_ms:.1} ms at most",
            told(others),
            explained.len()
        ),
    }
}

/// Describes force-offs: each cause with its ticks.
pub(crate) fn told<'a>(offs: impl IntoIterator<Item = &'a ForceOff>) -> String {
    let mut ticks = BTreeMap::<u8, Vec<String>>::new();
    for off in offs {
        let of_cause = ticks.entry(off.reason).or_default();
        of_cause.push(off.tick.to_string());
    }
    let causes: Vec<String> = (ticks.iter())
        .map(|(&reason, ticks)| {
            let words = force_off_text(reason);
            format!("{words} ({reason}) at ticks {}", ticks.join(", "))
        })
        .collect();
    causes.join("; ")
}

/// Rule: contact data was recent.
fn answers(arm: &Value, most_ticks: f64) -> Verdict {
    let age = |of: &str| arm["snapshot_age_ticks"][of].as_f64().unwrap_or(f64::NAN);
    let [p50, p99, p999, max] = ["p50", "p99", "p999", "max"].map(age);
    Verdict {
        rule: "answers",
        checked: 1,
        // A missing number (NaN) fails.
        broken: usize::from(!(p99 <= most_ticks)),
        words: format!(
            "age p50 {p50}, p99 {p99}, p99.9 {p999}, max {max} ticks; p99 may be {most_ticks}"
        ),
    }
}

/// Rule: the load was present.
fn came(setup: &Setup, heap: &LoadStats, bulk: &LoadStats) -> Verdict {
    let enough = heap.boxes >= setup.boxes && bulk.meshes >= 2;
    Verdict {
        rule: "came",
        checked: heap.boxes + bulk.meshes,
        broken: usize::from(!enough),
        words: format!(
            "{} boxes ({} refused), the mesh {} times ({} refused), {:.1} s at most to come",
            heap.boxes, heap.refused, bulk.meshes, bulk.refused, bulk.slowest_s
        ),
    }
}

/// Rule: the tool was never inside a body, by the daemon's independent checker.
pub(crate) fn check_no_penetration(arm: &Value) -> Verdict {
    let number = |key: &str| arm[key].as_f64().unwrap_or(f64::NAN);
    let (deepest, crossings) = (number("max_penetration_m"), number("crossings"));
    Verdict {
        rule: "penetration",
        checked: number("checked_ticks") as usize,
        broken: usize::from(!(deepest <= 0.0 && crossings == 0.0)),
        words: format!(
            "{deepest} m, {crossings} crossings, {} ticks not checked",
            number("unchecked_ticks")
        ),
    }
}
