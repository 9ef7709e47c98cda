//! Bodies that come and go around tools by the thousand: no penetration, no false alarm, and no
//! planted penetration that goes unseen.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use hapticd::session;
use hapticd::session_setup::{self, SessionSetup, Source};
use hapticd_collision::collider;
use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::command::{Applied, Request, SceneCommand, SceneReply};
use hapticd_collision::janitor;
use hapticd_collision::planner;
use hapticd_collision::requests::ReplySender;
use hapticd_collision::virtual_time::VirtualLoop;
use hapticd_config as config;
use hapticd_devices::arm::ArmCommand;
use hapticd_geometry::{Pose, Quat, Vec3, shapes};
use hapticd_loop::core::ArmInput;
use hapticd_loop::limits;
use hapticd_loop::record::{BodyOrder, TickRecord};
use hapticd_loop::thread::{Flags, Links, Moment, Turns};
use hapticd_loop::watchdog::{Beat, Guard};
use hapticd_monitor::checker::Checker;
use hapticd_monitor::scribe::{Scribe, serve};
use hapticd_monitor::stats::Stats;
use hapticd_proxy::{Material, Query};
use hapticd_scene::{BodyKind, BodyPush, BodySpec, Shape};
use hapticd_sync::{latest, ring};
use hapticd_sys::wake::Wake;

/// Two hands, a ball and a box that turns; the floor is mostly out of the way.
const SCENE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "sphere", radius_m = 0.005 }

[[arm]]
name = "left"
kind = "simulated"
intention = "explore"
tool = { kind = "cuboid", size_m = [0.012, 0.008, 0.016] }
world_from_base = { position_m = [0.03, 0.0, 0.02] }

[[body]]
name = "floor"
shape = { kind = "cuboid", size_m = [0.4, 0.4, 0.02] }
position_m = [0.0, 0.0, -0.07]
"#;

fn build() -> SessionSetup {
    let context = config::Context::new("", |_| None);
    let loaded = config::parse("churn.toml", SCENE, &context).unwrap_or_else(|e| panic!("{e}"));
    session_setup::build(&loaded.config, Path::new(""), true).unwrap_or_else(|e| panic!("{e}"))
}

/// A linear congruential generator, so that the churn is the same every time.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = (self.0)
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % n
    }

    /// Returns a number in -1..1.
    fn signed(&mut self) -> f64 {
        self.below(1 << 24) as f64 / f64::from(1 << 23) - 1.0
    }

    fn vector(&mut self, size: f64) -> Vec3 {
        Vec3::new(self.signed(), self.signed(), self.signed()) * size
    }

    fn turn(&mut self) -> Quat {
        Quat::from_scaled_axis(self.vector(2.0))
    }
}

/// Shapes of the guests, made once, as importers do.
struct Guests {
    shapes: Vec<Shape>,
    count: u64,
}

impl Guests {
    fn new() -> Self {
        let meshes = [
            shapes::cuboid(&Vec3::new(0.03, 0.03, 0.02)).unwrap(),
            shapes::icosphere(0.02, 1).unwrap(),
            shapes::cuboid(&Vec3::new(0.002, 0.03, 0.03)).unwrap(),
        ];
        Guests {
            shapes: meshes.map(|mesh| Shape::of(mesh).0).to_vec(),
            count: 0,
        }
    }

    fn next(&mut self, kind: BodyKind, world_from_body: Pose, random: &mut Random) -> BodySpec {
        self.count += 1;
        BodySpec {
            name: format!("guest {}", self.count),
            kind,
            shape: self.shapes[random.below(self.shapes.len() as u64) as usize].clone(),
            solid: true,
            world_from_body,
            material: Material {
                stiffness_n_per_m: 1000.0,
                damping_n_s_per_m: 1.0,
                friction: 0.3,
                force_shading: false,
            },
            restitution: 0.1,
            density_kg_m3: 500.0,
        }
    }
}

/// Next action of a hostile client.
enum Deed {
    Add(Box<BodySpec>),
    Remove(u32),
    /// Its client is gone: the loop is told first.
    Lose(u32),
    Send(u32, Pose, f64),
    /// An order that takes effect at once.
    AtOnce(SceneCommand),
}

/// Places a body anywhere at the tools, or gives it an impulse or a velocity.
fn at_once(random: &mut Random, id: u32, at: &Vec3) -> Deed {
    let near = at + random.vector(0.03);
    let push = match random.below(4) {
        0 => BodyPush::Impulse {
            impulse_n_s: random.vector(0.1),
            moment_nm_s: random.vector(1e-4),
            point: near,
        },
        1 => BodyPush::Velocity {
            linear_m_s: random.vector(3.0),
            angular_rad_s: random.vector(20.0),
        },
        _ => {
            let world_from_body = Pose::from_parts(near.into(), random.turn());
            return Deed::AtOnce(SceneCommand::Place {
                id,
                world_from_body,
            });
        }
    };
    let push = Box::new(push);
    Deed::AtOnce(SceneCommand::Push { id, push })
}

/// Adds bodies around, at and near the tools, removes the ones just touched, and sends bodies
/// through the tools. `kept` are the ids that live, `at` is the position of a tool. `orders`: also
/// places and pushes them; no client is lost then.
fn deed(
    (random, orders): (&mut Random, bool),
    guests: &mut Guests,
    kept: &[u32],
    at: &Vec3,
) -> Deed {
    let some = |random: &mut Random| kept[random.below(kept.len() as u64) as usize];
    if orders && !kept.is_empty() && random.below(2) == 0 {
        let id = some(random);
        return at_once(random, id, at);
    }
    let choice = random.below(10);
    if kept.len() >= 5 || (!kept.is_empty() && choice < 3) {
        let id = some(random);
        return if !orders && random.below(3) == 0 {
            Deed::Lose(id)
        } else {
            Deed::Remove(id)
        };
    }
    if !kept.is_empty() && choice < 6 {
        let place = at + random.vector(0.04);
        let pose = Pose::from_parts(place.into(), random.turn());
        return Deed::Send(some(random), pose, 0.1 + 5.0 * random.signed().abs());
    }
    let pose = match random.below(3) {
        // Around the tool.
        0 => Pose::from_parts((at + random.vector(0.02)).into(), random.turn()),
        // Just beneath the tool, which touches it in the next moment.
        1 => Pose::translation(at.x, at.y, at.z - 0.0255 - 0.001 * random.signed().abs()),
        _ => Pose::from_parts((at + random.vector(0.08)).into(), random.turn()),
    };
    let kind = match random.below(8) {
        0 => BodyKind::Static,
        1 => BodyKind::Dynamic,
        2..5 if orders => BodyKind::Dynamic,
        _ => BodyKind::Kinematic,
    };
    Deed::Add(Box::new(guests.next(kind, pose, random)))
}

/// Ticks of the churn in virtual time.
const TICKS: u64 = 24_000;
/// Runs with orders that take effect at once.
const ORDERED_RUNS: u64 = 2;
/// Ticks between telling the loop of a lost client and the scene's removal of its bodies.
const LATER: u64 = 7;

/// What a run in virtual time gives its observers: steps and records, each in its order.
struct Observed<'a> {
    applied: &'a [Applied],
    last_sequence: u64,
    record: &'a TickRecord,
}

/// Runs the churn, with orders that take effect at once or without. The tick's step is given with
/// its record: it comes after it. Returns the number of guests.
fn churn((seed, orders): (u64, bool), mut observe: impl FnMut(Observed<'_>)) -> u64 {
    let mut setup = build();
    let arms = session::virtual_arms(&mut setup);
    let scenes = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, scenes, arms, 3, setup.pair_capacity);
    let (mut random, mut guests) = (Random(seed), Guests::new());
    let mut kept = Vec::new();
    let mut lost: VecDeque<(u64, u32)> = VecDeque::new();
    let mut at = Vec3::zeros();
    for tick in 1..=TICKS {
        while lost.front().is_some_and(|(due, _)| *due <= tick) {
            if let Some((_, id)) = lost.pop_front() {
                assert_eq!(
                    driver.command(SceneCommand::Remove { id }),
                    SceneReply::Done
                );
            }
        }
        for _ in 0..random.below(2) {
            match deed((&mut random, orders), &mut guests, &kept, &at) {
                Deed::Add(spec) => {
                    // A dynamic body may be refused where its place is taken.
                    if let SceneReply::Added(id) = driver.command(SceneCommand::Add(spec)) {
                        kept.push(id);
                    }
                }
                Deed::Remove(id) => {
                    kept.retain(|k| *k != id);
                    assert_eq!(
                        driver.command(SceneCommand::Remove { id }),
                        SceneReply::Done
                    );
                }
                Deed::Lose(id) => {
                    kept.retain(|k| *k != id);
                    driver.forget(id);
                    lost.push_back((tick + LATER, id));
                }
                Deed::Send(id, world_from_body, speed_m_s) => {
                    driver.command(SceneCommand::Target {
                        id,
                        world_from_body,
                        speed_m_s,
                    });
                }
                // Some are refused: a place that is taken, a body that is static.
                Deed::AtOnce(command) => drop(driver.command(command)),
            }
        }
        let record = *driver.step(false);
        at = (record.arms[random.below(2) as usize].world_from_proxy)
            .translation
            .vector;
        let step = driver.last_step();
        observe(Observed {
            applied: &step.applied,
            last_sequence: step.last_sequence,
            record: &record,
        });
    }
    guests.count
}

/// A checker with its statistics, and the steps and records that have not reached it yet.
struct Watcher {
    checker: Checker,
    stats: Stats,
    alarms: Vec<u64>,
}

impl Watcher {
    fn new() -> Self {
        let setup = build();
        Watcher {
            checker: setup.checker(),
            stats: Stats::new(true, setup.period_ns, &setup.names()),
            alarms: Vec::new(),
        }
    }

    fn step(&mut self, applied: &[Applied], last_sequence: u64) {
        for done in applied {
            self.checker.follow(done);
        }
        self.checker.answered(last_sequence);
    }

    fn tick(&mut self, record: &TickRecord) -> bool {
        let alarm = self.checker.check(record, &mut self.stats);
        if alarm {
            self.alarms.push(record.tick);
        }
        alarm
    }

    /// Returns the number of checked and of unchecked ticks over both arms.
    fn ticks(&self) -> (u64, u64) {
        let report = self.stats.report(Vec::new());
        let count =
            |of: fn(&hapticd_monitor::stats::ArmReport) -> u64| report.arms.iter().map(of).sum();
        (count(|a| a.checked_ticks), count(|a| a.unchecked_ticks))
    }
}

/// Thousands of bodies come and go. One checker receives everything in order, one receives steps
/// long before the ticks, one misses records. None may raise a false alarm, and the first misses
/// nothing.
#[test]
fn a_churn_of_bodies_around_tools_raises_no_alarm() {
    let (mut ordered, mut early, mut lossy) = (Watcher::new(), Watcher::new(), Watcher::new());
    let mut behind: VecDeque<TickRecord> = VecDeque::new();
    let mut random = Random(99);
    let (mut solid, mut inside, mut touching, mut most) = (0_u64, 0_u64, 0_u64, 0);
    let mut pause = 0;
    let guests = churn((5, false), |seen| {
        ordered.tick(seen.record);
        // Lost in bursts, as a full ring loses them.
        pause = if pause == 0 && random.below(400) == 0 {
            1 + random.below(200)
        } else {
            pause.saturating_sub(1)
        };
        if pause == 0 {
            lossy.tick(seen.record);
        }
        for watcher in [&mut ordered, &mut early, &mut lossy] {
            watcher.step(seen.applied, seen.last_sequence);
        }
        behind.push_back(*seen.record);
        // A backlog that grows and is worked off.
        if behind.len() > 300 || random.below(50) == 0 {
            behind.drain(..).for_each(|record| {
                early.tick(&record);
            });
        }
        for arm in &seen.record.arms[..2] {
            let guest = |slots: u64| u64::from(slots & !1 & ((1 << 60) - 1) != 0);
            solid += guest(arm.solid);
            inside += guest(arm.inside);
            touching += u64::from(arm.contacts > 0);
        }
        most = most.max(ordered.checker.shapes());
    });
    behind.drain(..).for_each(|record| {
        early.tick(&record);
    });
    for (name, watcher) in [("ordered", &ordered), ("early", &early), ("lossy", &lossy)] {
        assert!(watcher.alarms.is_empty(), "{name}: {:?}", watcher.alarms);
        assert_eq!(watcher.checker.misplaced(), 0, "{name}");
    }
    assert_eq!(ordered.ticks(), (2 * TICKS, 0));
    assert_eq!(early.ticks(), (2 * TICKS, 0));
    let (checked, unchecked) = lossy.ticks();
    assert!(checked > TICKS && unchecked > TICKS / 10);
    assert_eq!(checked + unchecked + 2 * pause, 2 * TICKS);
    assert!(guests > 2000, "{guests} came");
    assert!(solid > 5000 && inside > 1000 && touching > 1000);
    assert!(
        most < 40,
        "{most} shapes were kept of 6 bodies and those on their way"
    );
}

/// The worst possible fault: a loop that takes a body for the previous one in its slot, and so for
/// solid while the tool is inside.
#[test]
fn whatever_is_solid_around_a_tool_in_the_churn_is_found() {
    let mut watcher = Watcher::new();
    let (mut planted, mut found) = (0_u64, 0_u64);
    churn((6, false), |seen| {
        let mut record = *seen.record;
        let mut inside_now = false;
        for arm in &mut record.arms[..2] {
            // The answer in use may be some ticks old: the tool may have come out since.
            inside_now |= arm.inside != 0;
            arm.solid |= arm.inside;
        }
        let alarm = watcher.tick(&record);
        watcher.step(seen.applied, seen.last_sequence);
        if inside_now {
            planted += 1;
            found += u64::from(alarm);
        } else {
            assert!(!alarm, "tick {}: nothing was planted there", record.tick);
        }
    });
    assert!(planted > 1000);
    // An answer is four ticks old: a body that has just come out is no longer penetrated.
    assert!(found * 100 > planted * 90, "{found} of {planted}");
}

/// Bodies are placed around, beside and beyond the tools, pushed and thrown at them. Nothing
/// penetrates and no force jumps.
#[test]
fn bodies_placed_and_pushed_raise_no_alarm_and_no_force_jumps() {
    for seed in 1..=ORDERED_RUNS {
        let mut watcher = Watcher::new();
        let (mut placed, mut pushed, mut touching, mut inside) = (0, 0, 0, 0);
        let mut sent_n = [Vec3::zeros(); 2];
        churn((seed, true), |seen| {
            watcher.tick(seen.record);
            watcher.step(seen.applied, seen.last_sequence);
            for applied in seen.applied {
                placed += u32::from(matches!(applied.command, SceneCommand::Place { .. }));
                pushed += u32::from(matches!(applied.command, SceneCommand::Push { .. }));
            }
            for (arm, before) in seen.record.arms[..2].iter().zip(&mut sent_n) {
                let step_n = (arm.sent.force_n - *before).norm();
                let most_n = arm.limits.slew_n_per_s * 1e-3;
                let tick = seen.record.tick;
                assert!(step_n <= most_n + 1e-9, "tick {tick}: {step_n} N");
                *before = arm.sent.force_n;
                touching += u32::from(arm.contacts > 0 && step_n > 0.0);
                inside += u32::from(arm.inside != 0);
            }
        });
        assert!(watcher.alarms.is_empty(), "{seed}: {:?}", watcher.alarms);
        assert_eq!(watcher.checker.misplaced(), 0, "{seed}");
        assert_eq!(watcher.ticks(), (2 * TICKS, 0), "{seed}");
        assert!(
            placed > 500 && pushed > 200 && touching > 300 && inside > 500,
            "{seed}: {placed} placed, {pushed} pushed, {touching} touching, {inside} inside"
        );
    }
}

/// Ends the other threads when the client ends, however it does.
struct Stop<'a>(&'a AtomicBool, &'a Flags);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.1.quit.store(true, Ordering::Release);
        self.0.store(true, Ordering::Release);
    }
}

/// Number of actions with the real threads.
const DEEDS: u64 = 6000;
/// The loop's ticks do not wait for time, but yield to the other threads.
const PAUSE: Duration = Duration::from_micros(150);
/// The awaited events come at once; a longer wait means a hang.
const WATCHDOG: Duration = Duration::from_secs(120);

/// The loop's, the collision thread's and the scribe's own code, each on a thread, and a client
/// that does its worst. Whatever comes first, the checker knows every shape before it needs it.
#[test]
fn a_churn_with_the_real_threads_raises_no_alarm() {
    churn_with_the_real_threads(false);
}

/// Orders that take effect at once wait for the planner.
#[test]
fn orders_at_once_with_the_real_threads_raise_no_alarm() {
    churn_with_the_real_threads(true);
}

fn churn_with_the_real_threads(orders: bool) {
    let setup = build();
    let (period_ns, pair_capacity) = (setup.period_ns, setup.pair_capacity);
    let live = Arc::new(Mutex::new(setup.live()));
    let stats = Stats::new(false, period_ns, &setup.names());
    let scribe = Scribe::new(stats, Some(setup.checker()), None, live.clone(), Vec::new());
    let (query_in, queries) = latest::latest(Query::default());
    let (snapshot_in, snapshots) = ring::ring(collider::BUFFERS);
    let (used, used_out) = ring::ring(2 * collider::BUFFERS);
    let (records, record_out) = ring::ring::<TickRecord>(4096);
    let base = setup.core.governor(0).map(|governor| *governor.limits());
    let (composer, _configured, _restrictions) = limits::link(&setup.core, base.unwrap());
    let (requests, requests_out) = crossbeam::channel::bounded(16);
    let (reply_in, mut replies) = hapticd_sync::delivery::delivery(16);
    let (mut gone_in, gone) = ring::ring(64);
    let (log, steps) = crossbeam::channel::bounded(4096);
    let log_lost = Arc::new(AtomicU64::new(0));
    let (mut hands, mut inputs, mut commands) = (Vec::new(), Vec::new(), Vec::new());
    for arm in setup.arms {
        let Source::Simulated(hand) = arm.source else {
            panic!("the hands are simulated");
        };
        let (input, reader) = latest::latest(ArmInput::default());
        let (writer, command) = latest::latest(ArmCommand::default());
        hands.push((hand, input, command));
        inputs.push(Some(reader));
        commands.push(Some(writer));
    }
    inputs.resize_with(4, || None);
    commands.resize_with(4, || None);
    let links = Links {
        inputs: inputs.try_into().ok().unwrap(),
        commands: commands.try_into().ok().unwrap(),
        snapshots,
        used,
        queries: query_in,
        deformable: None,
        records,
        limits: composer,
        gone,
        orders: ring::ring(1).1,
        guard: Guard::idle(),
        publisher: (),
    };
    let (planner, planner_ends) = planner::planner();
    let (janitor, garbage) = janitor::janitor();
    let collision_links = collider::Links {
        pair_capacity,
        queries,
        snapshots: snapshot_in,
        used: used_out,
        requests: requests_out,
        replies: ReplySender::new(reply_in, Wake::new().unwrap()),
        deformable: None,
        log: Some(log),
        log_lost: log_lost.clone(),
        near: Arc::default(),
        broad: Arc::default(),
        planner,
        janitor,
        supervisor: None,
        urgency: Urgency::none(),
    };
    let (flags, stop, beat) = (Flags::new(), AtomicBool::new(false), AtomicU64::new(0));
    let scribe_beat = Beat::default();
    let core = setup.core;
    let collider = setup.collider;
    let (ticks, guests, report) = std::thread::scope(|threads| {
        let scribe = threads.spawn(|| serve(scribe, record_out, steps, &scribe_beat));
        threads.spawn(move || planner::serve(planner_ends));
        threads.spawn(move || janitor::serve(&garbage));
        threads.spawn(|| drop(collider::run(collider, collision_links, &stop, &beat)));
        let ticks = threads.spawn(|| {
            let mut turns = Turns::new(core, links);
            let mut tick = 0;
            while !flags.quit.load(Ordering::Acquire) {
                tick += 1;
                let now_ns = tick * period_ns;
                for (hand, input, command) in &mut hands {
                    if let Some(sample) = hand.step(now_ns, command.read().0) {
                        input.write(ArmInput {
                            sample,
                            attached: true,
                            truth: Some(hand.truth()),
                        });
                    }
                }
                let moment = Moment {
                    deadline_ns: now_ns,
                    periods: 1,
                    signalled_ns: now_ns,
                    awake_ns: now_ns,
                    device_late: false,
                };
                turns.turn(moment, &flags);
                std::thread::sleep(PAUSE);
            }
            tick
        });
        let ends = Stop(&stop, &flags);
        let (mut random, mut guests) = (Random(17), Guests::new());
        let mut kept = Vec::new();
        let mut ask = |command: SceneCommand| {
            requests
                .send(Request {
                    command,
                    token: Some(0),
                })
                .unwrap();
            replies.recv_timeout(WATCHDOG).expect("an answer").1
        };
        let (mut deeds, mut touched) = (0, [false; 2]);
        // However fast the actions are, both tools touch something in the end.
        while deeds < DEEDS || touched.contains(&false) {
            deeds += 1;
            let arm = random.below(2) as usize;
            let now = live.lock().unwrap().record.arms[arm];
            touched[arm] |= now.contacts > 0;
            let at = now.world_from_proxy.translation.vector;
            match deed((&mut random, orders), &mut guests, &kept, &at) {
                Deed::Add(spec) => {
                    if let SceneReply::Added(id) = ask(SceneCommand::Add(spec)) {
                        kept.push(id);
                    }
                }
                Deed::Remove(id) => {
                    kept.retain(|k| *k != id);
                    assert_eq!(ask(SceneCommand::Remove { id }), SceneReply::Done);
                }
                Deed::Lose(id) => {
                    kept.retain(|k| *k != id);
                    // A full ring is tried again, as the server does.
                    let mut told = gone_in.push(BodyOrder::Forget(id));
                    while told.is_err() {
                        std::thread::yield_now();
                        told = gone_in.push(BodyOrder::Forget(id));
                    }
                    assert_eq!(ask(SceneCommand::Remove { id }), SceneReply::Done);
                }
                Deed::Send(id, world_from_body, speed_m_s) => {
                    ask(SceneCommand::Target {
                        id,
                        world_from_body,
                        speed_m_s,
                    });
                }
                Deed::AtOnce(command) => match ask(command) {
                    SceneReply::Done | SceneReply::Refused(_) | SceneReply::AddRefused(_) => {}
                    SceneReply::Added(id) => panic!("{id} was added"),
                },
            }
        }
        drop(ends);
        (ticks.join().unwrap(), guests.count, scribe.join().unwrap())
    });
    let lost_steps = log_lost.load(Ordering::Relaxed);
    for arm in &report.arms {
        assert_eq!((arm.max_penetration_m, arm.crossings), (0.0, 0), "{arm:?}");
        assert!(arm.checked_ticks > 0 && arm.contact_ticks > 0, "{arm:?}");
        assert!(
            lost_steps > 0 || arm.unchecked_why.unknown_shape == 0,
            "{arm:?}"
        );
        // Every tick is accounted for, except those lost at the very end.
        let told = arm.checked_ticks + arm.unchecked_ticks;
        assert!(
            told <= ticks && told + report.lost_records + 4096 >= ticks,
            "{told} of {ticks}"
        );
    }
    let least = if orders { 700 } else { 1500 };
    assert!(guests > least, "{guests} came");
}
