//! Threads on which the loop's promises depend, and that fall silent, in virtual time: the loop's
//! own ticks, with beats that stop.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::Ordering;

use hapticd::session_setup::{self, Source};
use hapticd_collision::collider::Collider;
use hapticd_collision::command::{SceneCommand, SceneReply};
use hapticd_devices::arm::ArmCommand;
use hapticd_devices::safety::{ForceOffReason, GovernorState, Limits};
use hapticd_devices::sim::HeldArm;
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_loop::cause::Cause;
use hapticd_loop::core::ArmInput;
use hapticd_loop::limits::{self, ConfiguredOwner, RestrictionsOwner};
use hapticd_loop::record::{ArmTick, BodyOrder, TickRecord};
use hapticd_loop::thread::{Flags, Links, Moment, Turns};
use hapticd_loop::watchdog::{Beat, Guard, Watched};
use hapticd_proxy::{Query, Snapshot};
use hapticd_scene::{BodyKind, BodySpec, Shape};
use hapticd_sync::{latest, ring};

/// A hand that presses on whatever is at the origin.
const HAND: &str = "
[[arm]]
name = \"right\"
kind = \"simulated\"
intention = \"press\"
tool = { kind = \"sphere\", radius_m = 0.005 }
";
const TABLE: &str = "
[[body]]
name = \"table\"
shape = { kind = \"cuboid\", size_m = [0.2, 0.2, 0.02] }
";

/// Buffers as the rings carry them.
type Pool = VecDeque<Box<Snapshot>>;

/// The loop, its scene and its arm in one thread, with control of the beats of supervisor and IPC
/// thread.
struct Bench {
    turns: Turns<()>,
    flags: Flags,
    collider: Collider,
    arm: Box<HeldArm>,
    input: latest::Writer<ArmInput>,
    command: latest::Reader<ArmCommand>,
    queries: latest::Reader<Query>,
    snapshots: ring::Producer<Box<Snapshot>>,
    used: ring::Consumer<Box<Snapshot>>,
    records: ring::Consumer<TickRecord>,
    restrictions: RestrictionsOwner,
    _configured: ConfiguredOwner,
    _gone: ring::Producer<BodyOrder>,
    spare: Pool,
    supervisor: Beat,
    ipc: Beat,
    period_ns: u64,
    now_ns: u64,
    supervisor_lives: bool,
    ipc_lives: bool,
}

/// Default budgets, ticks at 1 kHz.
const SUPERVISOR_TICKS: u64 = 90;
const IPC_TICKS: u64 = 40;

impl Bench {
    fn new(text: &str) -> Self {
        let context = hapticd_config::Context::new(".", |_| None);
        let loaded = hapticd_config::parse("silence.toml", text, &context).unwrap();
        let of = &loaded.config.haptic_loop;
        assert_eq!(u64::from(of.silent_supervisor_ms), SUPERVISOR_TICKS);
        assert_eq!(u64::from(of.silent_ipc_ms), IPC_TICKS);
        let setup = session_setup::build(&loaded.config, Path::new("."), true).unwrap();
        let Source::Simulated(arm) = setup.arms.into_iter().next().unwrap().source else {
            panic!("the arm is simulated");
        };
        let (input, input_reader) = latest::latest(ArmInput::default());
        let (command_writer, command) = latest::latest(ArmCommand::default());
        let (query_writer, queries) = latest::latest(Query::default());
        let (snapshots, snapshot_out) = ring::ring(32);
        let (used_in, used) = ring::ring(64);
        let (record_in, records) = ring::ring::<TickRecord>(16);
        let (gone_in, gone) = ring::ring(8);
        let base = Limits::from(&loaded.config.safety);
        let (composer, configured, restrictions) = limits::link(&setup.core, base);
        let (supervisor, ipc) = (Beat::default(), Beat::default());
        let guard = Guard::new([
            Some((supervisor.clone(), SUPERVISOR_TICKS as u32)),
            Some((ipc.clone(), IPC_TICKS as u32)),
            None,
            None,
        ]);
        let links = Links {
            inputs: [Some(input_reader), None, None, None],
            commands: [Some(command_writer), None, None, None],
            snapshots: snapshot_out,
            used: used_in,
            queries: query_writer,
            deformable: None,
            records: record_in,
            limits: composer,
            gone,
            orders: ring::ring(1).1,
            guard,
            publisher: (),
        };
        let capacity = setup.pair_capacity;
        Bench {
            turns: Turns::new(setup.core, links),
            flags: Flags::new(),
            collider: setup.collider,
            arm,
            input,
            command,
            queries,
            snapshots,
            used,
            records,
            restrictions,
            _configured: configured,
            _gone: gone_in,
            spare: (0..24).map(|_| Box::new(Snapshot::new(capacity))).collect(),
            supervisor,
            ipc,
            period_ns: setup.period_ns,
            now_ns: 0,
            supervisor_lives: true,
            ipc_lives: true,
        }
    }

    /// Runs one tick, `periods` after the last one.
    fn tick_after(&mut self, periods: u32) -> TickRecord {
        self.now_ns += self.period_ns * u64::from(periods);
        if let Some(sample) = self.arm.step(self.now_ns, self.command.read().0) {
            let attached = true;
            self.input.write(ArmInput {
                sample,
                attached,
                truth: Some(self.arm.truth()),
            });
        }
        for (beat, lives) in [
            (&self.supervisor, self.supervisor_lives),
            (&self.ipc, self.ipc_lives),
        ] {
            beat.fetch_add(u64::from(lives), Ordering::Relaxed);
        }
        let moment = Moment {
            deadline_ns: self.now_ns,
            periods,
            signalled_ns: self.now_ns,
            awake_ns: self.now_ns,
            device_late: false,
        };
        self.turns.turn(moment, &self.flags);
        while let Some(buffer) = self.used.pop() {
            self.spare.push_back(buffer);
        }
        let query = *self.queries.read().0;
        let (spare, snapshots) = (&mut self.spare, &mut self.snapshots);
        self.collider.answer(
            &query,
            || spare.pop_front(),
            |s| assert!(snapshots.push(s).is_ok()),
        );
        self.records.pop().unwrap()
    }

    fn tick(&mut self) -> ArmTick {
        self.tick_after(1).arms[0]
    }

    /// Runs until the hand presses with full authority.
    fn press(&mut self) {
        for _ in 0..60_000 {
            let arm = self.tick();
            if arm.state == GovernorState::Active as u8 && force_n(&arm) > 0.5 {
                return;
            }
        }
        panic!("the hand never presses");
    }

    /// A technician clears latched faults; the path to the loop needs no supervisor.
    fn clear(&mut self) {
        self.restrictions.change(|all| all.clears[0] += 1);
    }

    /// A client puts a table under the hand.
    fn add_clients_table(&mut self) {
        let mesh = shapes::cuboid(&Vec3::new(0.2, 0.2, 0.02)).unwrap();
        let (reply, _) = (self.collider).apply_logged(SceneCommand::Add(Box::new(BodySpec {
            name: "guest".to_owned(),
            kind: BodyKind::Static,
            shape: Shape::of(mesh).0,
            solid: true,
            world_from_body: Pose::identity(),
            material: hapticd_proxy::Material::DEFAULT,
            restitution: 0.0,
            density_kg_m3: 1000.0,
        })));
        assert!(matches!(reply, SceneReply::Added(_)), "{reply:?}");
    }
}

fn force_n(arm: &ArmTick) -> f64 {
    arm.sent.force_n.norm()
}

#[test]
fn a_silent_supervisor_cuts_force_at_its_budget() {
    let mut bench = Bench::new(&format!("{HAND}{TABLE}"));
    bench.press();
    bench.supervisor_lives = false;
    for tick in 1..SUPERVISOR_TICKS {
        let arm = bench.tick();
        assert_eq!(arm.reason, 0, "after {tick} ticks");
    }
    let record = bench.tick_after(1);
    let arm = record.arms[0];
    assert_eq!(force_n(&arm), 0.0);
    assert_eq!(arm.reason, ForceOffReason::Supervisor.code());
    let cause = Cause::of(arm.reason, &arm, &record, bench.period_ns);
    assert_eq!(cause.to_string(), ": it was silent for 90 ms, limit 90");
    assert!(cause.awaits_a_clear(arm.reason));
    // Latched: neither beats nor a clear alone bring force back, but both do.
    bench.clear();
    for _ in 0..200 {
        let arm = bench.tick();
        assert_eq!((force_n(&arm), arm.reason), (0.0, 11));
    }
    bench.supervisor_lives = true;
    for _ in 0..200 {
        assert_eq!(bench.tick().reason, 11);
    }
    bench.clear();
    assert_eq!(bench.tick().reason, 0);
    bench.press();
}

#[test]
fn a_silent_ipc_thread_fades_what_touches_a_clients_body() {
    let mut bench = Bench::new(HAND);
    bench.add_clients_table();
    bench.press();
    bench.ipc_lives = false;
    let mut zero = None;
    for tick in 1..=200 {
        let arm = bench.tick();
        let silent = tick >= IPC_TICKS;
        let expected = ForceOffReason::ClientsUnserved.code();
        assert_eq!(arm.reason == expected, silent, "tick {tick}");
        if force_n(&arm) == 0.0 {
            zero.get_or_insert(tick);
        } else {
            assert!(zero.is_none(), "force comes back");
        }
    }
    let zero = zero.expect("force ends");
    assert!((IPC_TICKS + 1..=100).contains(&zero), "zero after {zero}");
    // Not latched: served again, force comes back as after any fault, when little is wanted.
    bench.ipc_lives = true;
    let arm = bench.tick();
    assert_eq!((arm.reason, force_n(&arm)), (0, 0.0));
    bench.press();
}

#[test]
fn a_silent_ipc_thread_leaves_configured_bodies_alone() {
    let mut bench = Bench::new(&format!("{HAND}{TABLE}"));
    bench.press();
    bench.ipc_lives = false;
    for _ in 0..2000 {
        let record = bench.tick_after(1);
        assert_eq!(record.arms[0].reason, 0);
    }
    assert!(bench.tick_after(1).silent.contains(Watched::Ipc));
}

#[test]
fn a_hand_that_bounces_off_gets_no_new_fade() {
    let mut bench = Bench::new(HAND);
    bench.add_clients_table();
    bench.press();
    bench.ipc_lives = false;
    let mut touches = 0;
    let mut was_touching = true;
    let mut off = false;
    for _ in 0..20_000 {
        let arm = bench.tick();
        touches += u64::from(arm.contacts > 0 && !was_touching);
        was_touching = arm.contacts > 0;
        off |= arm.reason != 0 && force_n(&arm) == 0.0;
        if off {
            assert_eq!((force_n(&arm), arm.reason), (0.0, 40));
        }
    }
    assert!(touches > 2, "it touched {touches} times only");
}

/// A thread that pauses with the whole machine is not silent, however long by the clock.
#[test]
fn periods_that_the_loop_did_not_run_are_no_silence() {
    let mut bench = Bench::new(&format!("{HAND}{TABLE}"));
    bench.press();
    bench.supervisor_lives = false;
    for _ in 1..SUPERVISOR_TICKS {
        let record = bench.tick_after(40);
        assert!(!record.silent.contains(Watched::Supervisor));
    }
    assert!(bench.tick_after(40).silent.contains(Watched::Supervisor));
}
