//! Frames that move, clutches and bubbles, in the loop with its scene: what the hand feels, what
//! the ledger says, and that a replay has the same bits.

use super::*;
use hapticd_collision::virtual_time::VirtualArm;
use hapticd_devices::arm::ArmCommand;
use hapticd_devices::safety::ForceOffReason;
use hapticd_geometry::Quat;
use hapticd_loop::orders::LoopOrder;
use hapticd_loop::record::ArmTick;
use hapticd_loop::workspace::{Bubble, Mapping, WorkspaceChange, WorkspaceOrder};

/// A table whose top is at z = 0.
const SCENE: &str = r#"
[safety]
velocity_limit_m_s = 0.5
ramp_s = 0.2
[[arm]]
name = "right"
kind = "simulated"
intention = "rest"
tool = { kind = "sphere", radius_m = 0.005 }
clutch_button = 2
world_from_base = { position_m = [0.0, 0.0, 0.1] }
[[body]]
name = "table"
shape = { kind = "cuboid", size_m = [0.6, 0.6, 0.1] }
position_m = [0.0, 0.0, -0.05]
material = "stone"
[[material]]
name = "stone"
stiffness_n_per_m = 5000.0
"#;
const RADIUS_M: f64 = 0.005;
/// Tick by which force is on.
const ON: u64 = 600;

/// Where the hand is, base frame, m, and the buttons, at a tick.
type Hand = fn(u64) -> ([f64; 3], u32);

/// A hand that no force moves: what it feels is not what it does.
struct Script {
    hand: Hand,
    tick: u64,
}

impl VirtualArm for Script {
    fn step(&mut self, now_ns: u64, dt_ns: u64, _: &ArmCommand) -> Option<ArmSample> {
        let before = Vec3::from((self.hand)(self.tick).0);
        self.tick += 1;
        let (place, buttons) = (self.hand)(self.tick);
        let place = Vec3::from(place);
        Some(ArmSample {
            time_ns: now_ns,
            sequence: self.tick,
            pose: Pose::from_parts(place.into(), Quat::identity()),
            linear_velocity: (place - before) / (dt_ns as f64 * 1e-9),
            buttons,
            status: ArmStatus::default(),
            ..ArmSample::default()
        })
    }
}

/// What applications order before a tick.
type Orders<'a> = &'a mut dyn FnMut(u64) -> Option<WorkspaceChange>;

/// Runs a hand under orders. Returns the arm's records, by tick from 1, and the recording.
fn played(hand: Hand, ticks: u64, orders: Orders<'_>) -> (Vec<ArmTick>, Vec<u8>) {
    played_in(SCENE, hand, ticks, orders)
}

/// Same in another scene.
fn played_in(scene: &str, hand: Hand, ticks: u64, orders: Orders<'_>) -> (Vec<ArmTick>, Vec<u8>) {
    let setup = build(scene, Time::Virtual);
    let output = Memory::new(usize::MAX);
    let mut sink = recorder(scene, Time::Virtual, output.clone(), u64::MAX).expect("begins");
    let mut arms = [const { None }; MAX_ARMS];
    let script: Box<dyn VirtualArm + Send> = Box::new(Script { hand, tick: 0 });
    arms[0] = Some(script);
    let sides = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, sides, arms, 4, setup.pair_capacity);
    let mut records = vec![ArmTick::absent()];
    for tick in 1..=ticks {
        if let Some(change) = orders(tick) {
            let order = LoopOrder::Workspace(WorkspaceOrder { arm: 0, change });
            assert!(driver.order(order));
        }
        let record = *driver.step(false);
        records.push(record.arms[0]);
        sink.tick(&record).expect("written");
        sink.step(driver.last_step()).expect("written");
    }
    sink.finish().expect("closed");
    (records, output.take())
}

fn map(place: [f64; 3], scale: f64) -> Mapping {
    Mapping {
        world_from_base: Pose::translation(place[0], place[1], place[2]),
        scale,
        max_speed_m_s: 0.2,
        recentre: false,
        bubble: None,
    }
}

fn place(arm: &ArmTick) -> Vec3 {
    arm.world_from_proxy.translation.vector
}

fn assert_same_in_replay(bytes: &[u8]) {
    let outcome = replayed(bytes, |_| true);
    assert!(outcome.is_identical(), "{outcome:?}");
}

/// A hand that circles, 8 cm across, within 2 s.
fn circle(tick: u64) -> ([f64; 3], u32) {
    let angle = std::f64::consts::PI * 1e-3 * tick as f64;
    // The button comes and goes.
    let buttons = u32::from(tick / 700 % 3 == 2) << 2;
    ([0.04 * angle.cos(), 0.04 * angle.sin(), 0.0], buttons)
}

#[test]
fn in_free_air_a_frame_makes_no_force_whatever_it_does() {
    let (records, bytes) = played(circle, 8000, &mut |tick| {
        let k = tick / 11;
        let wave = |period: f64| (k as f64 / period).sin();
        let world_from_base = Pose::from_parts(
            Vec3::new(0.1 * wave(20.0), 0.1 * wave(13.0), 0.2 + 0.05 * wave(7.0)).into(),
            Quat::from_scaled_axis(Vec3::new(0.3 * wave(17.0), 0.0, wave(30.0))),
        );
        let mapping = Mapping {
            world_from_base,
            scale: [1.0, 1.5, 0.7][(tick / 1000 % 3) as usize],
            max_speed_m_s: 2.0,
            recentre: tick % 1100 == 0,
            bubble: Some(Bubble {
                centre_m: Vec3::zeros(),
                radius_m: 0.03,
                width_m: 0.02,
                max_speed_m_s: 0.3,
                stiffness_n_per_m: 100.0,
                cap_n: 0.5,
            }),
        };
        (tick % 11 == 0 && tick / 2000 != 1).then_some(WorkspaceChange::Map(mapping))
    });
    let mut way_m = 0.0;
    for (tick, two) in records.windows(2).enumerate().skip(2) {
        let [before, now] = [&two[0], &two[1]];
        assert_eq!(now.contacts, 0, "tick {tick}");
        assert!(
            now.wanted.force_n.norm() < 1e-9,
            "tick {tick}: {:?}",
            now.wanted
        );
        assert!(!now.anchored || tick < 2, "tick {tick}: placed again");
        // Hand, frame and bubble together; the mass of the tool lets it swing a little faster.
        let step_m = (place(now) - place(before)).norm();
        // At the start the first answers are awaited.
        assert!(tick < 50 || step_m < 0.004, "tick {tick}: {step_m} m");
        assert!(now.sent.force_n.norm() <= 0.5 + 1e-9, "the bubble alone");
        way_m += step_m;
    }
    let of = |is: fn(&ArmTick) -> bool| records.iter().filter(|arm| is(arm)).count();
    assert!(way_m > 1.0 && of(|arm| arm.clutched) > 1000 && of(|arm| arm.driven) > 500);
    assert!(of(|arm| arm.effects_n.norm() > 0.1) > 500);
    assert_same_in_replay(&bytes);
}

/// The hand rests, and the frame takes the tool down on the table: what the spring stores comes
/// from the frame, at the far end. Nothing is made, and nothing is a debt.
#[test]
fn a_frame_that_presses_is_work_of_the_far_end() {
    let rest: Hand = |_| ([0.0; 3], 0);
    let (records, bytes) = played(rest, 4000, &mut |tick| match tick {
        ON => Some(WorkspaceChange::Map(map([0.0, 0.0, 0.003], 1.0))),
        2500 => Some(WorkspaceChange::Map(map([0.0, 0.0, 0.05], 1.0))),
        _ => None,
    });
    let pressed = &records[2400];
    assert!(pressed.wanted.force_n.z > 0.5, "{:?}", pressed.wanted);
    assert!((pressed.sent.force_n - pressed.wanted.force_n).norm() < 1e-9);
    assert!(pressed.energy.stored_j > 1e-4, "{:?}", pressed.energy);
    for (tick, two) in records.windows(2).enumerate().skip(1) {
        let [before, now] = [&two[0], &two[1]];
        assert!(place(now).z > RADIUS_M - 1e-6, "tick {tick}: penetrates");
        let step_m = (place(now) - place(before)).norm();
        assert!(tick < 3 || step_m < 0.0005, "tick {tick}: {step_m} m");
        let energy = &now.energy;
        assert!(energy.given_j.abs() < 1e-9, "tick {tick}: {energy:?}");
        // The damper takes a part, and nothing is made.
        assert!(energy.leak_j < 1e-9, "tick {tick}: {energy:?}");
        let rest_j = energy.leak_j + energy.world_j - energy.stored_j;
        assert!(rest_j.abs() < 1e-9, "tick {tick}: {energy:?}");
        assert!(energy.debt_j < 2e-6 && energy.gain == 1.0, "tick {tick}");
    }
    let free = records.last().unwrap();
    assert_eq!((free.contacts, free.wanted), (0, Default::default()));
    assert_same_in_replay(&bytes);
}

/// A tool without a mass is held by the table alone, which stands still: what the frame puts in is
/// no debt of the table. The hand moves along with the frame, or against it.
#[test]
fn a_frame_that_moves_under_a_pressing_hand_makes_no_debt() {
    let scene = SCENE.replace(
        "clutch_button",
        "interaction = { tool_mass_kg = \"none\" }\nclutch_button",
    );
    let hand: Hand = |tick| {
        let angle = std::f64::consts::PI * tick as f64 / 100.0;
        ([0.0, 0.0, 5e-4 * angle.sin()], 0)
    };
    let (records, bytes) = played_in(&scene, hand, 6000, &mut |tick| {
        let up = 0.001 * (tick as f64 / 40.0).sin();
        let mapping = map([0.0, 0.0, 0.003 + up], 1.0);
        (tick >= ON && tick % 11 == 0).then_some(WorkspaceChange::Map(mapping))
    });
    let pressed = records.iter().filter(|arm| arm.wanted.force_n.z > 0.3);
    assert!(pressed.count() > 3000);
    for arm in &records[1..] {
        assert!(place(arm).z > RADIUS_M - 1e-6);
        let energy = &arm.energy;
        assert!(energy.gain == 1.0 && energy.debt_j < 1e-5, "{energy:?}");
    }
    assert_same_in_replay(&bytes);
}

/// Presses by 3 mm, then goes up and aside while the clutch is engaged, then down again by 2 mm.
fn press_and_leave(tick: u64) -> ([f64; 3], u32) {
    let at = |from: u64, ticks: u64| ((tick.saturating_sub(from)) as f64 / ticks as f64).min(1.0);
    let down = -0.098 * at(ON, 400);
    let away = at(1700, 500);
    let again = -0.002 * at(2700, 200);
    let buttons = u32::from((1500..2500).contains(&tick)) << 2;
    ([0.05 * away, 0.0, down + 0.06 * away + again], buttons)
}

#[test]
fn a_clutch_in_contact_lets_go_of_the_hand_and_not_of_the_tool() {
    let (records, bytes) = played(press_and_leave, 4000, &mut |_| None);
    let force = |tick: usize| records[tick].sent.force_n.norm();
    assert!(force(1499) > 0.5, "{}", force(1499));
    let stood = place(&records[1499]);
    for tick in 1500..4000 {
        let (before, now) = (force(tick - 1), force(tick));
        assert!(
            (now - before).abs() < 0.1,
            "tick {tick}: {before} N to {now} N"
        );
        let arm = &records[tick];
        assert_eq!(arm.clutched, tick < 2500, "tick {tick}");
        assert_eq!((arm.state, arm.reason), (3, 0), "tick {tick}: no cause");
        assert!(arm.energy.gain == 1.0 && place(arm).z > RADIUS_M - 1e-6);
        if (1520..2500).contains(&tick) {
            assert_eq!(now, 0.0, "tick {tick}");
        }
        if tick < 2700 {
            let moved_m = (place(arm) - stood).norm();
            assert!(moved_m < 1e-4, "tick {tick}: the tool moved by {moved_m} m");
            assert!(
                tick < 1520 || now < 0.02,
                "tick {tick}: {now} N without a press"
            );
        }
    }
    assert!(force(3500) > 0.3, "{} N: it presses again", force(3500));
    assert_same_in_replay(&bytes);
}

/// The tool stands, and the hand is too fast; then the hand stands, and the tool is fast.
#[test]
fn limits_of_speed_are_the_hands_own() {
    let hand: Hand = |tick| {
        let fast = tick.saturating_sub(1000).min(100) as f64;
        ([6e-4 * fast, 0.0, 0.0], 0)
    };
    let too_fast = ForceOffReason::OverVelocity.code();
    let (records, _) = played(hand, 2000, &mut |tick| {
        (tick == 900).then_some(WorkspaceChange::Clutch(true))
    });
    assert!(records[1010..1090].iter().all(|arm| arm.reason == too_fast));
    let rest: Hand = |_| ([0.0; 3], 0);
    let (records, _) = played(rest, 2000, &mut |tick| {
        let mapping = Mapping {
            max_speed_m_s: 20.0,
            ..map([5.0, 0.0, 2.0], 1.0)
        };
        (tick == 1000).then_some(WorkspaceChange::Map(mapping))
    });
    let mut fastest_m: f64 = 0.0;
    for two in records[1000..].windows(2) {
        fastest_m = fastest_m.max((place(&two[1]) - place(&two[0])).norm());
        assert_eq!(two[1].reason, 0);
        let wanted_n = two[1].wanted.force_n.norm();
        // Rounding, metres away.
        assert!(wanted_n < 1e-6, "{wanted_n} N");
    }
    assert!(fastest_m > 0.005, "{fastest_m} m in a tick");
}

/// A hand at the edge of its reach works half a metre away, and comes to a table of that place.
#[test]
fn a_bubble_reaches_beyond_the_arm_and_rests_in_contact() {
    let hand: Hand = |tick| {
        let at = |from: u64, ticks: u64| (tick.saturating_sub(from) as f64 / ticks as f64).min(1.0);
        // Out along x, back, and then down onto the table.
        let out = at(1000, 200) - at(2000, 200);
        ([0.08 * out, 0.0, -0.08 * at(2500, 400)], 0)
    };
    let bubble = Bubble {
        centre_m: Vec3::zeros(),
        radius_m: 0.05,
        width_m: 0.03,
        max_speed_m_s: 0.3,
        stiffness_n_per_m: 50.0,
        cap_n: 0.5,
    };
    let (records, bytes) = played(hand, 4500, &mut |tick| {
        let mapping = Mapping {
            bubble: Some(bubble),
            ..map([0.0, 0.0, 0.1], 1.0)
        };
        (tick == ON).then_some(WorkspaceChange::Map(mapping))
    });
    let far = place(&records[2400]);
    assert!((0.2..0.3).contains(&far.x), "{far:?}");
    assert!(records[1500].driven && !records[2400].driven);
    assert!((records[1500].sent.force_n.x + 0.5).abs() < 1e-6, "the cap");
    // Down at the table the bubble drives the frame on, until it touches.
    let last = records.last().unwrap();
    assert!(last.contacts > 0 && !last.driven);
    for arm in &records[1..] {
        assert!(place(arm).z > RADIUS_M - 1e-6);
        assert!(arm.energy.gain == 1.0 && arm.energy.debt_j < 1e-5);
    }
    // Contact's own force is that of one tick of the frame, if there is any.
    let wanted_n = last.wanted.force_n.norm();
    assert!(wanted_n < 0.5, "{wanted_n}");
    assert_same_in_replay(&bytes);
}

#[test]
fn clients_that_are_not_served_lose_clutch_and_bubble_and_the_tool_stays() {
    let mut setup = build(SCENE, Time::Virtual);
    let mut now_ns = 0;
    let mut tick = |setup: &mut SessionSetup, silent: bool| {
        now_ns += 1_000_000;
        let mut arms = [ArmInput::default(); MAX_ARMS];
        arms[0].attached = true;
        arms[0].sample = ArmSample {
            time_ns: now_ns,
            sequence: now_ns,
            pose: Pose::translation(0.08, 0.0, 0.0),
            status: ArmStatus::default(),
            ..ArmSample::default()
        };
        let silent = match silent {
            true => Silent::NONE.with(Watched::Ipc),
            false => Silent::NONE,
        };
        let input = LoopInput {
            now_ns,
            periods: 1,
            arms,
            stopping: false,
            cut: false,
            silent,
        };
        setup.core.tick(&input).arms[0]
    };
    let order = |setup: &mut SessionSetup, change| {
        let order = LoopOrder::Workspace(WorkspaceOrder { arm: 0, change });
        assert!(setup.core.order(order));
    };
    for _ in 0..ON {
        tick(&mut setup, false);
    }
    let far = Mapping {
        max_speed_m_s: 1.0,
        ..map([0.0, 0.0, 0.5], 1.0)
    };
    order(&mut setup, WorkspaceChange::Map(far));
    order(&mut setup, WorkspaceChange::Clutch(true));
    let clutched = tick(&mut setup, false);
    assert!(clutched.clutched);
    let before = clutched.world_from_device.translation.vector;
    for k in 0..200 {
        let now = tick(&mut setup, k < 100);
        assert!(!now.clutched && !now.driven, "tick {k}");
        let moved_m = (now.world_from_device.translation.vector - before).norm();
        assert!(moved_m < 1e-9, "tick {k}: {moved_m}");
    }
}
