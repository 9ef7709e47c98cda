//! A client that falls silent, and speaks again while the hand is inside its body; judged by the
//! recorded force.

use super::*;
use hapticd_devices::safety::{ForceOffReason, GovernorState};

/// A hand that presses, comes out, and presses again.
const SCENE: &str = r#"
[safety]
peak_force_n = 4.0
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "sphere", radius_m = 0.005 }
"#;

/// Tick at which the client falls silent; the hand is down from 1.5 s on.
const SILENT: u64 = 2000;

const PEAK_N: f64 = 4.0;

/// Ticks from the silence until the client speaks again, and whether it falls silent once more soon
/// after.
struct Story {
    back_after: u64,
    again_after: Option<u64>,
}

/// Force sent and wanted, N; state and reason of the governor.
type Judged = (f64, f64, u8, u8);

/// Returns the force of every tick, and the recording.
fn played(story: &Story, ticks: u64) -> (Vec<Judged>, Vec<u8>) {
    let mut setup = build(SCENE, Time::Virtual);
    let output = Memory::new(usize::MAX);
    let mut sink = recorder(SCENE, Time::Virtual, output.clone(), u64::MAX).expect("begins");
    let arms = session::virtual_arms(&mut setup);
    let sides = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, sides, arms, 4, setup.pair_capacity);
    let spec = BodySpec {
        name: "table".to_owned(),
        kind: BodyKind::Static,
        shape: hapticd_scene::Shape::of(shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).expect("a box"))
            .0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.01),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    };
    let table = id_of(Some(&driver.command(SceneCommand::Add(Box::new(spec)))));
    let mut forces = Vec::new();
    for tick in 1..=ticks {
        let since = tick.saturating_sub(SILENT);
        if tick == SILENT || story.again_after == Some(since) {
            driver.silence(table, true);
        }
        if since == story.back_after {
            driver.silence(table, false);
        }
        let record = *driver.step(false);
        let arm = &record.arms[0];
        let (sent, wanted) = (arm.sent.force_n.norm(), arm.wanted.force_n.norm());
        forces.push((sent, wanted, arm.state, arm.reason));
        sink.tick(&record).expect("written");
        sink.step(driver.last_step()).expect("written");
    }
    sink.finish().expect("closed");
    (forces, output.take())
}

#[test]
fn a_returning_client_waits_for_a_small_force() {
    let story = Story {
        back_after: 500,
        again_after: None,
    };
    let (forces, bytes) = played(&story, SILENT + 4000);
    let at = |tick: u64| forces[tick as usize - 1];
    let (pressed_n, ..) = at(SILENT - 1);
    assert!(pressed_n > 1.0, "{pressed_n} N: it pressed");
    let lease = ForceOffReason::LeaseExpired.code();
    assert_eq!(at(SILENT).3, lease, "in the tick that is told");
    // Force fades within 50 ms. No tick takes more than its share and the hand's part.
    for tick in SILENT..SILENT + 60 {
        let (before, now) = (at(tick - 1).0, at(tick).0);
        assert!(now <= before + 1e-9, "tick {tick}: {before} N, {now} N");
        assert!(
            before - now < 0.05 * pressed_n,
            "tick {tick}: {before} N, {now} N"
        );
    }
    let limits = Limits::default();
    let back = SILENT + story.back_after;
    let engage_n = limits.engage_force_n;
    // The hand is inside, and the body wants as much as before: no force until that is little, and
    // then a ramp.
    assert!(at(back).1 > 1.0, "{} N wanted", at(back).1);
    let (mut small, mut ramping) = (false, 0_u64);
    for tick in SILENT + 60..=SILENT + 4000 {
        let (sent, wanted, state, _) = at(tick);
        small |= tick >= back && wanted < engage_n;
        if !small {
            assert_eq!(sent, 0.0, "tick {tick}: {wanted} N wanted");
            continue;
        }
        ramping += u64::from(state == GovernorState::Ramping as u8);
        let share = (ramping as f64 * 1e-3 / limits.ramp_s).min(1.0);
        assert!(sent <= share * PEAK_N + 1e-9, "tick {tick}: {sent} N");
    }
    assert!(small && ramping > 100, "{ramping} ticks of ramp");
    let outcome = replayed(&bytes, |_| true);
    assert!(outcome.is_identical(), "{outcome:?}");
    let outcome = replayed(&bytes, |event| {
        if let Event::Tick(tick) = event {
            tick.silenced.clear();
        }
        true
    });
    assert_eq!(outcome.first_difference.map(|d| d.tick), Some(SILENT));
}

#[test]
fn a_short_silence_is_a_dip_without_a_jump() {
    let story = Story {
        back_after: 20,
        again_after: Some(30),
    };
    let (forces, _) = played(&story, SILENT + 500);
    let limits = Limits::default();
    let ramp_n = 1e-3 / limits.ramp_s * PEAK_N;
    for tick in SILENT as usize..forces.len() {
        let (before, now) = (forces[tick - 1], forces[tick]);
        assert!(
            now.0 <= before.0 + ramp_n + 1e-3,
            "tick {tick}: {before:?}, {now:?}"
        );
    }
}

/// A hand that comes to a silent client's body feels nothing, and nothing jumps when the client
/// speaks a moment later.
#[test]
fn a_silent_clients_body_is_not_felt_at_the_first_touch() {
    let mut setup = build(SCENE, Time::Virtual);
    let arms = session::virtual_arms(&mut setup);
    let sides = (setup.collider, setup.deformable);
    let mut driver = VirtualLoop::new(setup.core, sides, arms, 4, setup.pair_capacity);
    let spec = BodySpec {
        name: "table".to_owned(),
        kind: BodyKind::Static,
        shape: hapticd_scene::Shape::of(shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).expect("a box"))
            .0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.01),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    };
    let table = id_of(Some(&driver.command(SceneCommand::Add(Box::new(spec)))));
    driver.silence(table, true);
    let (mut touched, mut back) = (0, None);
    for tick in 1..=2500 {
        if touched == 10 && back.is_none() {
            driver.silence(table, false);
            back = Some(tick);
        }
        let arm = driver.step(false).arms[0];
        touched += u64::from(arm.contacts > 0 && arm.wanted.force_n.norm() > 0.01);
        if arm.contacts > 0 {
            assert_eq!(arm.sent, Default::default(), "tick {tick}");
        }
    }
    assert!(back.is_some(), "it never touched");
}
