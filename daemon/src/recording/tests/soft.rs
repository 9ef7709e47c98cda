//! Recordings of runs with soft bodies.

use super::*;
use crate::scene::FIRST_SOFT_ID;

const PALPATION: &str = include_str!("../../../../config/palpation.toml");

/// A run in virtual time in which the tissue gets another surface half way.
fn bytes(ticks: u64) -> Vec<u8> {
    let output = Memory::new(usize::MAX);
    let mut rig = build(PALPATION, Time::Virtual);
    let mut sink = recorder(PALPATION, Time::Virtual, output.clone(), u64::MAX).unwrap();
    let arms = session::virtual_arms(&mut rig);
    let (scene, pairs) = ((rig.collider, rig.soft), rig.pair_capacity);
    let mut driver = VirtualLoop::new(rig.core, scene, arms, 4, pairs);
    for tick in 0..ticks {
        if tick == ticks / 2 {
            let material = Material {
                stiffness_n_per_m: 300.0,
                damping_n_s_per_m: 0.1,
                friction: 0.0,
            };
            let surface = |id| SceneCommand::Surface { id, material };
            assert_eq!(driver.command(surface(FIRST_SOFT_ID)), SceneReply::Done);
            let nobody = driver.command(surface(FIRST_SOFT_ID + 1));
            assert!(matches!(nobody, SceneReply::Refused(_)), "{nobody:?}");
        }
        let record = *driver.step(tick + 100 > ticks);
        sink.tick(&record).unwrap();
        sink.step(driver.last_step()).unwrap();
        if let Some(step) = driver.last_soft_step() {
            sink.step(step).unwrap();
        }
    }
    sink.finish().unwrap();
    let bytes = output.bytes.lock().unwrap();
    bytes.clone()
}

#[test]
fn soft_bodies_replay() {
    let bytes = bytes(1800);
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (
            outcome.ticks,
            outcome.first_difference.clone(),
            outcome.end.clone()
        ),
        (1800, None, End::Complete)
    );
    // It was about something.
    let arm = &outcome.report.arms[0];
    assert!(arm.contact_ticks > 300 && arm.tracked.max > 10.0, "{arm:?}");
    // Without one of the soft steps it is not the same, and says so.
    let lost = replayed(
        &bytes,
        |event| !matches!(event, Event::Step(s) if s.soft && s.step == 100),
    );
    assert!(
        matches!(&lost.end, End::Gap(why) if why.contains("soft steps 100 to 100 are missing")),
        "{:?}",
        lost.end
    );
    // Without the new surface in the middle the forces are others.
    let hard = replayed(&bytes, |event| {
        if let Event::Step(step) = event
            && step.soft
        {
            step.applied.clear();
        }
        true
    });
    assert!(hard.first_difference.is_some_and(|d| d.tick > 900));
}

/// The soft bodies' thread hangs while a finger presses: the surface stays, and after four steps and `safety.stale_contact_ms` force fades.
#[test]
fn stale_soft_contact_fades() {
    let mut rig = build(PALPATION, Time::Virtual);
    let arms = session::virtual_arms(&mut rig);
    let (scene, pairs) = ((rig.collider, rig.soft), rig.pair_capacity);
    let mut driver = VirtualLoop::new(rig.core, scene, arms, 4, pairs);
    let mut ticks = 0;
    while driver.step(false).arms[0].sent.force_n.norm() < 0.5 {
        ticks += 1;
        assert!(ticks < 5000, "never pressed");
    }
    let stale = Limits::default().stale_contact_ns / 1_000_000;
    driver.hang_soft(true);
    let mut reason = 0;
    for tick in 1..=stale + 200 {
        let arm = driver.step(false).arms[0];
        let age = u64::from(arm.soft_age);
        if arm.reason != 0 && reason == 0 {
            reason = arm.reason;
            assert!(age > stale + 16, "off after {tick} ticks, {age} old");
        }
    }
    assert_eq!(
        reason,
        hapticd_devices::safety::ForceOffReason::StaleContact.code()
    );
    assert_eq!(driver.core().record().arms[0].sent.force_n.norm(), 0.0);
}
