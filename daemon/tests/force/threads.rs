//! Threads of the real daemon that hang under force, one by one, and a process that is stopped:
//! commands to the arms, as recorded.
//!
//! A thread hangs because `ptrace` stops it, as a driver, a lock or a file would. Bounds are ticks
//! that the loop ran.

use super::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use hapticd_client::{BodyKind, BodySpec, Client, Subscription, topic};
use hapticd_frozen::Frozen;
use hapticd_sys::clock::now_ns;

/// Published codes of reasons.
const STALL: u8 = 9;
const SUPERVISOR: u8 = 11;
const STALE_INPUT: u8 = 32;
const STALE_CONTACT: u8 = 34;
const UNSERVED: u8 = 40;
/// Ticks from a thread's silence to a force of exactly zero, at default keys.
const ZERO_TICKS: u64 = 100;
/// Bound that counts as a failure, above what a busy machine needs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Position of the second arm: next to the floor, over nothing but a client's block.
const CLIENTS_X_M: f64 = 0.8;
const PEAK_N: f64 = 4.0;
/// A hand that comes down again and again. A hand that is down before the client's block is there
/// is inside it, and feels nothing.
pub(super) const HOLD: &str =
    "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.5\nhold_s = 6.0\n";

/// A recording daemon under force: the first arm presses on the floor, the second one on a client's
/// block. Ends with its test.
pub(super) struct Fixture {
    pub(super) folder: Folder,
    pub(super) process: Child,
    pub(super) arms: [Subscription; 2],
    _client: Client,
    alive: Arc<AtomicBool>,
    presser: Option<std::thread::JoinHandle<()>>,
}

impl Fixture {
    pub(super) fn press(name: &str, hand: &str) -> Self {
        Fixture::press_at(0.0, name, hand, "")
    }

    /// With the first arm at `x_m`, and `more` in the scene in addition to floor and block.
    fn press_at(x_m: f64, name: &str, hand: &str, more: &str) -> Self {
        let folder = Folder::new(name);
        let safety = format!(
            "peak_force_n = {PEAK_N:?}\ncontinuous_force_n = {PEAK_N:?}\nramp_s = 0.2\nstall_ms = 30.0\nstale_input_ms = 40.0\nstale_contact_ms = 40.0\n"
        );
        folder.scene(&safety, hand, &[x_m, CLIENTS_X_M]);
        let scene = folder.0.join("scene.toml");
        let text = std::fs::read_to_string(&scene).unwrap();
        std::fs::write(scene, text + more).unwrap();
        let process = folder
            .command(&["run", "scene.toml", "--plain", "--record", "run.mcap"])
            .stderr(std::fs::File::create(folder.0.join("log")).unwrap())
            .spawn()
            .unwrap();
        let socket = folder.0.join("hapticd/app.sock");
        let mut client = Client::connect_until(&socket, "watcher", PATIENCE).unwrap();
        client.set_timeout(PATIENCE);
        let arms = [0, 1].map(|arm| client.subscribe(arm, topic::STATE).unwrap());
        let alive = Arc::new(AtomicBool::new(true));
        let presser = {
            let alive = Arc::clone(&alive);
            std::thread::spawn(move || block(&socket, &alive))
        };
        let fixture = Fixture {
            folder,
            process,
            arms,
            _client: client,
            alive,
            presser: Some(presser),
        };
        // From the beginning of a press on, all of it is left.
        fixture.until("both are up", |states| {
            states
                .iter()
                .all(|state| state.tick > 0 && state.world_from_device.translation_m[2] > 0.0)
        });
        fixture.presses();
        fixture
    }

    /// Waits until both arms are under force.
    fn presses(&self) {
        self.until("both press", |states| {
            states
                .iter()
                .all(|state| recording::length(&state.force_n) > 0.1)
        });
    }

    pub(super) fn until(&self, what: &str, is_it: impl Fn(&[hapticd_client::ArmState; 2]) -> bool) {
        let begun = Instant::now();
        loop {
            if let (Ok(one), Ok(two)) = (self.arms[0].state(), self.arms[1].state())
                && is_it(&[one, two])
            {
                return;
            }
            assert!(
                begun.elapsed() < PATIENCE,
                "never: {what}\n{}",
                std::fs::read_to_string(self.folder.0.join("log")).unwrap()
            );
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Hangs a thread while the loop runs 300 ticks. Returns the loop's time of the beginning.
    fn freeze(&self, thread: Option<&str>) -> u64 {
        let process = self.process.id();
        let frozen = thread.map_or_else(
            || Frozen::first(process),
            |name| Frozen::named(process, name),
        );
        let frozen = frozen.unwrap();
        let at_ns = now_ns();
        let from = self.arms[0].state().map_or(0, |state| state.tick);
        self.until("300 ticks", |states| states[0].tick > from + 300);
        drop(frozen);
        at_ns
    }

    fn signal(&self, name: &str) {
        let pid = self.process.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status().unwrap();
        assert!(sent.success());
    }

    fn technician(&self) -> Client {
        let socket = self.folder.0.join("hapticd/technician.sock");
        let mut client = Client::connect_until(&socket, "technician", PATIENCE).unwrap();
        client.set_timeout(PATIENCE);
        client
    }

    /// Ends it in order, and reads the sent commands.
    fn end(&mut self) -> Vec<Tick> {
        self.signal("-TERM");
        assert_eq!(self.process.wait().unwrap().code(), Some(0));
        self.folder.read()
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        self.alive.store(false, Ordering::Relaxed);
        let _ = (self.process.kill(), self.process.wait());
        if let Some(presser) = self.presser.take() {
            // The effect of the daemon's end on the client does not matter.
            let _ = presser.join();
        }
    }
}

/// Runs a client with a block under the second arm. It keeps its lease.
fn block(socket: &Path, alive: &AtomicBool) {
    let mut client = Client::connect_until(socket, "presser", PATIENCE).unwrap();
    client.set_timeout(PATIENCE);
    let spec = BodySpec {
        stiffness_n_per_m: 5000.0,
        ..hapticd_chaos::clients::spec("block", BodyKind::Kinematic, [CLIENTS_X_M, 0.0, -0.04])
    };
    let mesh = hapticd_chaos::clients::cuboid([0.1, 0.1, 0.02], 1);
    client.add_body(&spec, &mesh).unwrap();
    while alive.load(Ordering::Relaxed) {
        if client.renew_leases(5000).is_err() {
            return;
        }
        while let Ok(Some(_)) = client.poll(Duration::ZERO) {}
        std::thread::sleep(Duration::from_millis(40));
    }
}

/// Returns the ticks that the loop ran after a time, until it had run 300.
pub(super) fn during(ticks: &[Tick], from_ns: u64) -> &[Tick] {
    let begin = ticks.partition_point(|tick| tick.now_ns <= from_ns);
    let ticks = &ticks[begin..];
    let end = ticks.partition_point(|tick| tick.tick < ticks[0].tick + 300);
    &ticks[..end]
}

/// Checks that an arm gets exactly zero from [`ZERO_TICKS`] on, for this reason. In single ticks a
/// busy machine may add a reason that ranks higher.
fn ends(ticks: &[Tick], arm: usize, reason: u8) {
    let (mut seen, mut known) = (0, 0);
    for tick in ticks
        .iter()
        .filter(|t| t.tick >= ticks[0].tick + ZERO_TICKS)
    {
        let now = tick.arms[arm];
        assert_eq!(now.force_n, [0.0; 3], "{tick:?}");
        assert_ne!(now.reason, 0, "{tick:?}");
        seen += 1;
        known += usize::from(now.reason == reason);
    }
    assert!(
        known * 2 > seen,
        "{known} of {seen} ticks for reason {reason}"
    );
    assert!(seen > 50, "{seen} ticks were recorded");
}

/// Checks that an arm kept its force, with no reason from this list.
fn goes_on(ticks: &[Tick], arm: usize, not: &[u8]) {
    for tick in ticks {
        assert!(!not.contains(&tick.arms[arm].reason), "{tick:?}");
    }
    let forces = ticks.iter().filter(|t| t.arms[arm].length_n() > 0.1);
    assert!(forces.count() > 50);
}

#[test]
fn a_supervisor_that_hangs_costs_all_force_until_a_technician_clears_it() {
    let mut fixture = Fixture::press("supervisor", HOLD);
    let at_ns = fixture.freeze(None);
    // The loop goes on; force stays away.
    let from = fixture.arms[0].state().map_or(0, |state| state.tick);
    fixture.until("200 ticks", |states| states[0].tick > from + 200);
    let states = [&fixture.arms[0], &fixture.arms[1]].map(|arm| arm.state().unwrap());
    assert!(
        states
            .iter()
            .all(|state| state.reason != 0 && state.force_n == [0.0; 3])
    );
    fixture.technician().clear_fault(0).unwrap();
    fixture.until("the first arm is cleared", |states| {
        states[0].reason != SUPERVISOR
    });
    let ticks = fixture.end();
    for arm in [0, 1] {
        ends(during(&ticks, at_ns), arm, SUPERVISOR);
    }
}

#[test]
fn an_application_reads_the_energy_that_is_recorded() {
    let mut fixture = Fixture::press("energy", HOLD);
    fixture.until("both hands have worked", |states| {
        states.iter().all(|state| state.energy.given_j < -1e-4)
    });
    let states = [&fixture.arms[0], &fixture.arms[1]].map(|arm| arm.state().unwrap());
    let ticks = fixture.end();
    for (arm, state) in states.iter().enumerate() {
        let tick = ticks.iter().find(|tick| tick.tick == state.tick).unwrap();
        let (read, recorded) = (state.energy, &tick.arms[arm]);
        assert_eq!((read.given_j, read.gain), (recorded.given_j, recorded.gain));
        assert!(
            read.stored_j > 0.0 && read.given_j < 0.0,
            "pressed: {read:?}"
        );
    }
}

#[test]
fn an_ipc_thread_that_hangs_costs_the_force_on_clients_bodies() {
    let mut fixture = Fixture::press("ipc", HOLD);
    let at_ns = fixture.freeze(Some("ipc"));
    let ticks = fixture.end();
    let during = during(&ticks, at_ns);
    ends(during, 1, UNSERVED);
    goes_on(during, 0, &[UNSERVED, SUPERVISOR]);
}

#[test]
fn a_collision_thread_that_hangs_costs_all_force() {
    let mut fixture = Fixture::press("collision", HOLD);
    let at_ns = fixture.freeze(Some("collision"));
    let ticks = fixture.end();
    for arm in [0, 1] {
        ends(during(&ticks, at_ns), arm, STALE_CONTACT);
    }
}

/// A soft slab next to the floor.
const SLAB: &str = "[[body]]\nname = \"slab\"\nkind = \"soft\"\n\
    shape = { kind = \"cuboid\", size_m = [0.08, 0.08, 0.05] }\nposition_m = [0.6, 0.0, -0.035]\n\
    pinned = \"bottom\"\nsoft = { young_modulus_pa = 60000, poisson_ratio = 0.4, cells = 6 }\n\
    material = \"stone\"\n";

#[test]
fn a_thread_of_soft_bodies_that_hangs_costs_the_force_on_them() {
    let mut fixture = Fixture::press_at(0.6, "soft", HOLD, SLAB);
    let at_ns = fixture.freeze(Some("soft"));
    let ticks = fixture.end();
    let during = during(&ticks, at_ns);
    ends(during, 0, STALE_CONTACT);
    goes_on(during, 1, &[STALE_CONTACT, SUPERVISOR]);
}

#[test]
fn an_arm_that_hangs_costs_its_own_force() {
    let mut fixture = Fixture::press("arm", HOLD);
    let at_ns = fixture.freeze(Some("arm"));
    let ticks = fixture.end();
    let during = during(&ticks, at_ns);
    // Both arms have a thread of this name.
    let hangs = usize::from(during[during.len() - 1].arms[0].reason != STALE_INPUT);
    ends(during, hangs, STALE_INPUT);
    goes_on(during, 1 - hangs, &[SUPERVISOR]);
}

#[test]
fn a_scribe_that_hangs_costs_records_only() {
    let mut fixture = Fixture::press("scribe", HOLD);
    let before = fixture.arms[0].state().unwrap().force_offs;
    fixture.freeze(Some("scribe"));
    let state = fixture.arms[0].state().unwrap();
    // A machine that pauses may take force away meanwhile; the scribe does not.
    if state.force_offs == before {
        assert!(recording::length(&state.force_n) > 0.1, "{state:?}");
    }
    assert!(![SUPERVISOR, UNSERVED].contains(&state.last_force_off));
    fixture.end();
}

#[test]
fn a_stop_ends_a_run_whose_loop_hangs() {
    let mut fixture = Fixture::press("stop", HOLD);
    let frozen = Frozen::named(fixture.process.id(), "haptic").unwrap();
    fixture.signal("-TERM");
    assert!(frozen.is_gone());
    fixture.process.wait().unwrap();
}

#[test]
fn the_first_tick_of_a_process_that_was_stopped_has_no_force() {
    let hand =
        "kind = \"press\"\nfrom = [0.0, 0.0, 0.02]\ndepth_m = 0.1\nmove_s = 0.5\nhold_s = 0.5\n";
    let mut fixture = Fixture::press("stopped", hand);
    for _ in 0..3 {
        fixture.presses();
        fixture.signal("-STOP");
        std::thread::sleep(Duration::from_millis(60));
        fixture.signal("-CONT");
    }
    fixture.presses();
    let ticks = fixture.end();
    // Longer than `stall_ms`, and two ticks that were both recorded.
    let next = |pair: &&[Tick]| pair[1].tick == pair[0].tick + 1;
    let gaps: Vec<&Tick> = ticks
        .windows(2)
        .filter(next)
        .filter(|pair| pair[1].now_ns - pair[0].now_ns > 30_000_000)
        .map(|pair| &pair[1])
        .collect();
    assert!(gaps.len() >= 3, "{} gaps", gaps.len());
    for tick in gaps {
        for arm in &tick.arms {
            assert_eq!(arm.force_n, [0.0; 3], "{tick:?}");
            assert_eq!(arm.reason, STALL, "{tick:?}");
        }
    }
}
