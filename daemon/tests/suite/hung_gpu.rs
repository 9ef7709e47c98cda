//! A GPU driver that blocks in a call, in a whole session in real time. The force continues,
//! because the collision thread never makes that call.
#![cfg(feature = "gpu")]
// Figures, for runs with `--nocapture`.
#![allow(clippy::print_stdout)]

use std::collections::VecDeque;
use std::convert::Infallible;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crossbeam::channel::{Receiver, bounded};
use hapticd::session::{Options, run_real};
use hapticd::session_setup;
use hapticd_ccd::MeshIndex;
use hapticd_collision::gpu_threads::gpu_threads;
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::step_log::StepLog;
use hapticd_loop::record::TickRecord;
use hapticd_monitor::scribe::Live;
use hapticd_monitor::view::ViewAction;
use hapticd_recording::Sink;
use hapticd_shaders::{
    Candidate, Candidates, Fault, GpuMidPhase, Limits, ShapeId, Sweep, SweepError, Sweeper, Ticket,
};

/// Published code of the reason: contact data too old.
const STALE_CONTACT: u8 = 34;
/// Age from which contact data are too old: long for a busy machine, and short against a driver
/// that never returns.
const STALE_CONTACT_MS: u32 = 2000;
/// Bound that counts as a failure, above what a busy machine needs.
const WATCHDOG: Duration = Duration::from_secs(120);
/// Required ticks under force: with the GPU, and after it was given up.
const TICKS: u64 = 300;

const SCENE: &str = r#"
[ipc]
enabled = false
[loop]
lock_memory = false
[collision]
backend = "cpu"
[safety]
stale_contact_ms = 2000.0
ramp_s = 0.05
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "cuboid", size_m = [0.01, 0.01, 0.01] }
[[body]]
name = "floor"
position_m = [0.0, 0.0, -0.03]
shape = { kind = "cuboid", size_m = [1.0, 1.0, 0.02] }
"#;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Call {
    Submit,
    Poll,
}

/// When a call hangs: until the other end is dropped.
#[derive(Debug)]
struct Hang {
    call: Call,
    wanted: Arc<AtomicBool>,
    reached: Arc<AtomicBool>,
    released: Receiver<Infallible>,
}

impl Hang {
    fn pass(&self, call: Call) {
        if call == self.call && self.wanted.load(Ordering::Acquire) {
            self.reached.store(true, Ordering::Release);
            let _ = self.released.recv();
        }
    }
}

/// A device that names all pairs of triangles at once, until its driver hangs.
#[derive(Debug)]
struct Device {
    hang: Hang,
    /// Number of triangles of each shape.
    shapes: Vec<u32>,
    sent: u64,
    answers: VecDeque<Candidates>,
}

impl Sweeper for Device {
    fn add(&mut self, shape: &Arc<MeshIndex>) -> Option<ShapeId> {
        let triangles = shape.mesh()?.triangles().len();
        self.shapes.push(triangles as u32);
        Some(ShapeId::nth(self.shapes.len() as u32 - 1))
    }

    fn keep(&mut self, shapes: &[ShapeId]) -> Vec<ShapeId> {
        shapes.to_vec()
    }

    fn send(&mut self, sweeps: &[Sweep]) -> Result<Ticket, SweepError> {
        self.hang.pass(Call::Submit);
        self.sent += 1;
        let ticket = Ticket {
            generation: 1,
            number: self.sent,
        };
        let triangles = |id: ShapeId| self.shapes[id.number() as usize];
        let pairs = |(query, sweep): (usize, &Sweep)| {
            let (of_a, of_b) = (triangles(sweep.a), triangles(sweep.b));
            let each = (0..of_a).flat_map(move |a| (0..of_b).map(move |b| (a, b)));
            let query = query as u32;
            each.map(move |(a, b)| Candidate {
                query,
                a,
                b,
                pad: 0,
            })
        };
        let pairs = sweeps.iter().enumerate().flat_map(pairs).collect();
        let answer = Candidates::whole(ticket, sweeps.len(), pairs);
        self.answers.push_back(answer);
        Ok(ticket)
    }

    fn receive_into(&mut self, found: &mut Candidates) -> Result<bool, SweepError> {
        self.hang.pass(Call::Poll);
        let answer = self.answers.pop_front();
        Ok(answer.map(|answer| *found = answer).is_some())
    }

    fn finish(&mut self) -> Result<(), Fault> {
        self.hang.pass(Call::Poll);
        Ok(())
    }
}

/// What the loop did, tick by tick.
#[derive(Clone, Copy, Debug)]
struct Seen {
    reason: u8,
    force_n: f64,
    age_ticks: u32,
    by_gpu: u16,
    snapshot: u64,
}

impl Seen {
    fn presses(&self) -> bool {
        self.force_n > 0.1
    }
}

/// Keeps every tick, and hangs the driver when the hand has pressed for a while with the GPU's
/// answers.
struct Watcher {
    seen: Arc<Mutex<Vec<Seen>>>,
    wanted: Arc<AtomicBool>,
    pressed: u64,
    /// Ticks under force since the GPU was given up.
    after: Arc<AtomicU64>,
    given_up: Arc<AtomicBool>,
    stale: Arc<AtomicBool>,
}

impl Sink for Watcher {
    fn tick(&mut self, record: &TickRecord) -> Result<(), String> {
        let arm = &record.arms[0];
        let seen = Seen {
            reason: arm.reason,
            force_n: arm.sent.force_n.norm(),
            age_ticks: arm.snapshot_age,
            by_gpu: arm.midphase.bodies,
            snapshot: arm.snapshot,
        };
        self.seen.lock().unwrap().push(seen);
        if seen.presses() && seen.by_gpu > 0 {
            self.pressed += 1;
            if self.pressed == TICKS {
                self.wanted.store(true, Ordering::Release);
            }
        }
        if seen.presses() && self.given_up.load(Ordering::Acquire) {
            self.after.fetch_add(1, Ordering::Release);
        }
        if seen.reason == STALE_CONTACT {
            self.stale.store(true, Ordering::Release);
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

fn a_call_that_hangs_is_not_felt(call: Call) {
    let context = hapticd_config::Context::new("", |_| None);
    let loaded = hapticd_config::parse("scene.toml", SCENE, &context).unwrap();
    let mut setup = session_setup::build(&loaded.config, Path::new(""), false).unwrap();

    let (release, released) = bounded(0);
    let release = Arc::new(Mutex::new(Some(release)));
    let [wanted, reached, given_up, stale] = [(); 4].map(|()| Arc::new(AtomicBool::new(false)));
    let device = Device {
        hang: Hang {
            call,
            wanted: wanted.clone(),
            reached: reached.clone(),
            released,
        },
        shapes: Vec::new(),
        sent: 0,
        answers: VecDeque::new(),
    };
    let limits = Limits {
        triangles: 0,
        // A busy machine may be late as often as it likes: only silence ends the run.
        late: u32::MAX,
        ..Limits::DEFAULT
    };
    let (asking, device) = GpuMidPhase::on(device, limits).beside();
    let (threads, threads_end) = gpu_threads();
    threads.start(|| device.serve()).unwrap();
    drop(threads);
    setup.collider.set_midphase(Box::new(asking));

    let seen = Arc::new(Mutex::new(Vec::new()));
    let after = Arc::new(AtomicU64::new(0));
    let near = Arc::new(Mutex::new(None::<MidPhaseStatus>));
    let watcher = Watcher {
        seen: seen.clone(),
        wanted,
        pressed: 0,
        after: after.clone(),
        given_up: given_up.clone(),
        stale: stale.clone(),
    };
    let begun = Instant::now();
    let (shown, failure) = (near.clone(), release.clone());
    let view = move |live: &Live| {
        if let Some(facts) = &live.near {
            given_up.fetch_or(facts.gpu.takeovers > 0, Ordering::AcqRel);
            *shown.lock().unwrap() = Some(facts.clone());
        }
        let enough = after.load(Ordering::Acquire) >= TICKS;
        let failed = stale.load(Ordering::Acquire) || begun.elapsed() > WATCHDOG;
        if failed {
            // Every wait for the driver must end, so that the test can report what was seen.
            failure.lock().unwrap().take();
        }
        match enough || failed {
            true => ViewAction::Quit,
            false => ViewAction::Continue,
        }
    };
    let options = Options {
        duration_s: None,
        check: false,
        sink: Some(Box::new(watcher)),
        view: Box::new(view),
        view_every: Duration::from_millis(20),
        reload: None,
        log: None,
        require_ipc: false,
    };
    run_real(setup, &loaded.config, options).unwrap();

    assert!(
        reached.load(Ordering::Acquire),
        "the driver was never asked"
    );
    let seen = seen.lock().unwrap();
    let hung_at = (seen.iter())
        .scan(0, |pressed, seen| {
            *pressed += u64::from(seen.by_gpu > 0 && seen.presses());
            Some(*pressed)
        })
        .position(|pressed| pressed == TICKS)
        .expect("the hand pressed by the GPU's answers");
    let (before, after) = seen.split_at(hung_at + 1);
    let oldest = after.iter().map(|seen| seen.age_ticks).max().unwrap();
    let pressed = after.iter().filter(|seen| seen.presses()).count() as u64;
    let answers = after.last().unwrap().snapshot - before.last().unwrap().snapshot;
    println!(
        "{} ticks with a driver that hangs, {pressed} under force, {answers} answers, {oldest} ticks old at most",
        after.len()
    );
    let offs = after.iter().filter(|seen| seen.reason == STALE_CONTACT);
    assert_eq!(offs.count(), 0, "the contact data grew {oldest} ticks old");
    assert!(oldest < STALE_CONTACT_MS && pressed >= TICKS && answers > 0);
    let near = near.lock().unwrap().clone().unwrap();
    assert!(near.gpu.takeovers >= 1, "{near:?}");
    assert!(near.gpu.why.contains("has not answered"), "{near:?}");

    // The session has ended, but the driver still hangs.
    assert!(!threads_end.have_ended(Duration::ZERO));
    release.lock().unwrap().take();
    assert!(threads_end.have_ended(WATCHDOG), "it ends by itself");
}

#[test]
fn a_driver_that_blocks_in_submit_is_not_felt() {
    a_call_that_hangs_is_not_felt(Call::Submit);
}

#[test]
fn a_driver_that_blocks_in_poll_is_not_felt() {
    a_call_that_hangs_is_not_felt(Call::Poll);
}
