//! The trial of time: one daemon under force for as long as wanted, beside whatever else the
//! machine does, with clients that come and go within their quota. What it holds stays the same,
//! and no thread that force depends on is taken for hung.
//!
//! Builds beside it are the load that it is for. How late the loop was is the machine's, and is
//! told without a verdict; so are pauses of a whole processor ([`crate::pauses`]).

use crate::{
    Failure,
    clients::{LEFT_X_M, cuboid, spec, tolerant},
    crowd::{outside, told},
    daemon::Daemon,
    judge::Verdict,
    notes::What,
    pauses::{Pauses, Seen},
    random::Random,
};
use hapticd_client::{BodyKind, Client, Event, News, want};
use hapticd_protocol::event::ForceOff;
use rustix::process::Signal;
use serde_json::Value;
use std::{
    fs,
    path::{Path, PathBuf},
    sync::atomic::{AtomicBool, Ordering},
    time::{Duration, Instant},
};

/// What the trial is run with.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The daemon's program.
    pub daemon: PathBuf,
    /// Where its files go: the trial's own, and empty.
    pub folder: PathBuf,
    /// What clients add, and where.
    pub seed: u64,
    /// How long.
    pub length: Duration,
    /// Whether the daemon asks for SCHED_FIFO.
    pub realtime: bool,
}

/// Reasons of a force-off that say that a thread hangs: the supervisor's, and the clients'
/// server's.
const HUNG: [u8; 2] = [11, 40];
/// Threads that close what clients passed begin when they are needed, so many at most.
const CLOSERS: u64 = 16;
/// How often what the daemon holds is looked at.
const SAMPLE: Duration = Duration::from_secs(5);

/// What the daemon held at one time.
#[derive(Clone, Copy, Debug)]
struct Held {
    resident: u64,
    descriptors: u64,
    threads: u64,
}

/// Runs the trial.
///
/// # Errors
/// What kept it from being run.
pub fn run(setup: &Setup) -> Result<Vec<Verdict>, Failure> {
    fs::create_dir_all(&setup.folder)?;
    let priority = if setup.realtime { 70 } else { 0 };
    let more = format!("[ipc]\nmax_lease_ms = 10000\n[loop]\nrt_priority = {priority}\n");
    let mut daemon = Daemon::start_plain(&setup.daemon, &setup.folder, &more)?;
    let socket = setup.folder.join("hapticd/app.sock");
    let mut monitor = Client::connect_until(&socket, "monitor", Duration::from_secs(60))?;
    monitor.subscribe(0, want::EVENTS)?;
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
    verdicts.extend(arms.map(outside));
    Ok(verdicts)
}

/// Hears force-offs and looks at what the daemon holds, until the time is over or `usage` has
/// nothing more to say.
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
        if let Some(News::Event(Event::ForceOff(off))) = monitor.poll(Duration::from_millis(100))? {
            offs.push(off);
        }
        monitor.renew(5000)?;
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

/// A block under the right arm. Gives how often its lease was renewed.
fn block(socket: &Path, ending: &AtomicBool) -> Result<usize, Failure> {
    let mut client = Client::connect_to(socket, "block")?;
    client.set_timeout(Duration::from_secs(60));
    client.add_body(
        &spec("block", BodyKind::Kinematic, [0.0, 0.0, -0.04]),
        &cuboid([0.03, 0.03, 0.02], 1),
    )?;
    let mut renewed = 0;
    while !ending.load(Ordering::Relaxed) {
        client.renew(5000)?;
        renewed += 1;
        while client.poll(Duration::ZERO)?.is_some() {}
        std::thread::sleep(Duration::from_millis(100));
    }
    Ok(renewed)
}

/// Bodies of 12 to 120,000 triangles beside the left arm, eight at a time, one in another's place
/// again and again, by a client that goes now and then and comes back. Gives how many there were.
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
            client.renew(5000)?;
            while client.poll(Duration::ZERO)?.is_some() {}
            std::thread::sleep(Duration::from_millis(200));
        }
    }
    Ok(added)
}

/// No thread was taken for hung, unless its processor paused; how near each came to it is told.
fn alive(
    folder: &Path,
    offs: &[ForceOff],
    paused: &Seen,
    renewed: usize,
) -> Result<Verdict, Failure> {
    let hung = (offs.iter())
        .filter(|off| HUNG.contains(&off.reason) && !paused.explains(off.time_ns))
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

/// What the daemon holds at the end is what it held when all had been there once, and at most
/// `slack` more.
fn stays(
    rule: &'static str,
    held: &[Held],
    unit: u64,
    slack: u64,
    of: impl Fn(&Held) -> u64,
) -> Verdict {
    // Of a tenth of the time, so that what happens to be under way is no matter.
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
