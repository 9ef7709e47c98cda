//! Endurance trial: one daemon under force for as long as requested, next to any other load of the
//! machine, with clients that come and go within their quota. Its resources stay constant, and no
//! thread that force depends on is taken for hung.
//!
//! It is designed for builds as the load. The lateness of the loop depends on the machine and is
//! reported without a verdict, and so are pauses of a whole processor ([`crate::pauses`]).

use crate::{
    Failure,
    clients::{LEFT_X_M, cuboid, spec, tolerant},
    crowd::{check_no_penetration, told},
    daemon::Daemon,
    judge::Verdict,
    notes::What,
    pauses::{Pauses, Seen},
    random::Random,
};
use hapticd_client::{BodyKind, Client, Event, Notification, topic};
use hapticd_protocol::event::ForceOff;
use rustix::process::Signal;
use serde_json::Value;
use std::{
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
    /// Seed of the clients' bodies and their places.
    pub seed: u64,
    /// Duration.
    pub length: Duration,
    /// Whether the daemon asks for SCHED_FIFO.
    pub realtime: bool,
}

/// Reasons of a force-off for a hung thread: the supervisor's, and that of the clients' server.
const HUNG_REASONS: [u8; 2] = [11, 40];
/// Maximum number of threads that close clients' descriptors; they start on demand.
const CLOSERS: u64 = 16;
/// Sampling period of the daemon's resources.
const SAMPLE: Duration = Duration::from_secs(5);

/// Resources of the daemon at one time.
#[derive(Clone, Copy, Debug)]
struct Held {
    resident: u64,
    descriptors: u64,
    threads: u64,
}

/// Runs the trial.
///
/// # Errors
/// What prevented the run.
pub fn run(setup: &Setup) -> Result<Vec<Verdict>, Failure> {
    fs::create_dir_all(&setup.folder)?;
    let priority = if setup.realtime { 70 } else { 0 };
    let more = format!("[ipc]\nmax_lease_ms = 10000\n[loop]\nrt_priority = {priority}\n");
    let mut daemon = Daemon::start_plain(&setup.daemon, &setup.folder, &more)?;
    let socket = setup.folder.join("hapticd/app.sock");
    let mut monitor = Client::connect_until(&socket, "monitor", Duration::from_secs(60))?;
    monitor.subscribe(0, topic::EVENTS)?;
    let ending = AtomicBool::new(false);
    let mut offs = Vec::new();
    let pauses = Pauses::watch();
    let mut held = Vec::new();
    let played: Result<[usize; 2], Failure> = std::thread::scope(|scope| {
        let (ending, socket) = (&ending, &socket);
        let block = scope.spawn(move || block(socket, ending));
        let churn = scope.spawn(move || churn(socket, setup.seed, ending));
        let watched = watch(setup.length, &mut monitor, &mut offs, &mut held, || {
            (daemon.runs() && !block.is_finished() && !churn.is_finished())
                .then(|| daemon.usage(false))
        });
        ending.store(true, Ordering::Relaxed);
        let ended = || Failure::from("a client panicked");
        let renewed = block.join().map_err(|_| ended())??;
        let added = churn.join().map_err(|_| ended())??;
        watched?;
        Ok([renewed, added])
    });
    let paused = pauses.end();
    let runs = daemon.runs();
    daemon.signal(Signal::TERM);
    let status = daemon.end(Duration::from_secs(60));
    if !runs || status != Some(0) {
        return Err(format!("the daemon ended with {status:?}, it ran until then: {runs}").into());
    }
    let [renewed, added] = played?;
    let report: Value = serde_json::from_slice(&fs::read(setup.folder.join("report.json"))?)?;
    let mut verdicts = vec![
        alive(&setup.folder, &offs, &paused, renewed)?,
        stays("resident", &held, 1 << 20, 16 << 20, |held| held.resident),
        stays("descriptors", &held, 1, 0, |held| held.descriptors),
        stays("threads", &held, 1, CLOSERS, |held| held.threads),
        Verdict {
            rule: "came",
            checked: added,
            broken: usize::from(added < 10),
            words: "bodies were added by a client and removed again".to_owned(),
        },
    ];
    let arms = report["arms"].as_array().into_iter().flatten();
    verdicts.extend(arms.map(check_no_penetration));
    Ok(verdicts)
}

/// Collects force-offs and samples the daemon's resources, until the time is over or they can no
/// longer be read.
fn watch(
    length: Duration,
    monitor: &mut Client,
    offs: &mut Vec<ForceOff>,
    held: &mut Vec<Held>,
    mut usage: impl FnMut() -> Option<What>,
) -> Result<(), Failure> {
    let end = Instant::now() + length;
    let mut due = Instant::now();
    while Instant::now() < end {
        if let Some(Notification::Event(Event::ForceOff(off))) =
            monitor.poll(Duration::from_millis(100))?
        {
            offs.push(off);
        }
        monitor.renew_leases(5000)?;
        if Instant::now() < due {
            continue;
        }
        due += SAMPLE;
        let Some(What::Usage {
            resident,
            descriptors,
            threads,
            ..
        }) = usage()
        else {
            return Ok(());
        };
        held.push(Held {
            resident,
            descriptors,
            threads,
        });
    }
    Ok(())
}

/// Keeps a block under the right arm. Returns how often its lease was renewed.
fn block(socket: &Path, ending: &AtomicBool) -> Result<usize, Failure> {
    let mut client = Client::connect_to(socket, "block")?;
    client.set_timeout(Duration::from_secs(60));
    client.add_body(
        &spec("block", BodyKind::Kinematic, [0.0, 0.0, -0.04]),
        &cuboid([0.03, 0.03, 0.02], 1),
    )?;
    let mut renewed = 0;
    while !ending.load(Ordering::Relaxed) {
        client.renew_leases(5000)?;
        renewed += 1;
        while client.poll(Duration::ZERO)?.is_some() {}
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(renewed)
}

/// Adds bodies of 12 to 120,000 triangles near the left arm, eight at a time, and repeatedly
/// replaces one. The client disconnects now and then and returns. Returns the number of bodies.
fn churn(socket: &Path, seed: u64, ending: &AtomicBool) -> Result<usize, Failure> {
    let mut random = Random::new(seed);
    let mut added = 0;
    while !ending.load(Ordering::Relaxed) {
        let mut client = Client::connect_to(socket, "churn")?;
        client.set_timeout(Duration::from_secs(60));
        let mut bodies: Vec<u32> = Vec::new();
        for count in 0..50 {
            if ending.load(Ordering::Relaxed) {
                break;
            }
            if bodies.len() >= 8 {
                let body = bodies.swap_remove(random.below(bodies.len()));
                tolerant(client.remove_body(body))?;
            }
            let cuts = [1, 1, 1, 10, 100][random.below(5)];
            let at = [
                LEFT_X_M + random.within(0.02, 0.1),
                random.within(-0.1, 0.1),
                random.within(0.02, 0.1),
            ];
            let name = format!("soak-{count}");
            let mesh = cuboid([0.01, 0.012, 0.008], cuts);
            let body = tolerant(client.add_body(&spec(&name, BodyKind::Kinematic, at), &mesh))?;
            added += usize::from(body.is_some());
            bodies.extend(body);
            client.renew_leases(5000)?;
            while client.poll(Duration::ZERO)?.is_some() {}
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    Ok(added)
}

/// Rule: no thread was taken for hung, unless its processor paused. Reports how close each came to
/// it.
fn alive(
    folder: &Path,
    offs: &[ForceOff],
    paused: &Seen,
    renewed: usize,
) -> Result<Verdict, Failure> {
    let hung = (offs.iter())
        .filter(|off| HUNG_REASONS.contains(&off.reason) && !paused.explains(off.time_ns))
        .count();
    let (pauses, longest_ms) = paused.count_and_longest_ms();
    let log = fs::read_to_string(folder.join("log"))?;
    let longest = log.lines().find(|line| line.contains("sign of life, in"));
    let longest = longest
        .and_then(|line| line.split_once("longest"))
        .unzip()
        .1;
    Ok(Verdict {
        rule: "alive",
        checked: renewed,
        broken: hung,
        words: format!(
            "force-offs: {}; {pauses} pauses of the machine, {longest_ms:.1} ms at most; longest{}",
            told(offs),
            longest.unwrap_or(" silences are not told")
        ),
    })
}

/// Rule: at the end the daemon holds at most `slack` more than when everything had been present
/// once.
fn stays(
    rule: &'static str,
    held: &[Held],
    unit: u64,
    slack: u64,
    of: impl Fn(&Held) -> u64,
) -> Verdict {
    // The median over a tenth of the time, so that work in progress does not matter.
    let median = |tenth: usize| {
        let mut values: Vec<u64> = held[held.len() * tenth / 10..held.len() * (tenth + 1) / 10]
            .iter()
            .map(&of)
            .collect();
        values.sort_unstable();
        values.get(values.len() / 2).copied()
    };
    let medians: Vec<Option<u64>> = (0..10).map(median).collect();
    let (before, after) = (medians[2], medians[9]);
    let grows = match (before, after) {
        (Some(before), Some(after)) => after > before + slack,
        _ => true,
    };
    let told: Vec<String> = (medians.iter().flatten())
        .map(|value| (value / unit).to_string())
        .collect();
    Verdict {
        rule,
        checked: held.len(),
        broken: usize::from(grows),
        words: format!("medians of the tenths: {}", told.join(" ")),
    }
}
