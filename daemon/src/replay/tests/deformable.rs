//! Recordings of runs with soft bodies.

use super::*;
use hapticd_collision::deformable::FIRST_ID;

const PALPATION: &str = include_str!("../../../../config/palpation.toml");

/// Records a run in virtual time in which the tissue gets another surface half way.
fn bytes(ticks: u64) -> Vec<u8> {
    let output = Memory::new(usize::MAX);
    let mut setup = build(PALPATION, Time::Virtual);
    let mut sink = recorder(PALPATION, Time::Virtual, output.clone(), u64::MAX).unwrap();
    let arms = session::virtual_arms(&mut setup);
    let (scene, pairs) = ((setup.collider, setup.deformable), setup.pair_capacity);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 4, pairs);
    for tick in 0..ticks {
        if tick == ticks / 2 {
            let material = Material {
                stiffness_n_per_m: 300.0,
                damping_n_s_per_m: 0.1,
                friction: 0.0,
                force_shading: false,
            };
            let surface = |id| SceneCommand::Surface { id, material };
            assert_eq!(driver.command(surface(FIRST_ID)), SceneReply::Done);
            let nobody = driver.command(surface(FIRST_ID + 1));
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
    // The run had contact.
    let arm = &outcome.report.arms[0];
    assert!(arm.contact_ticks > 300 && arm.tracked.max > 10.0, "{arm:?}");
    // Without one of the soft steps the replay fails and reports it.
    let lost = replayed(
        &bytes,
        |event| !matches!(event, Event::Step(s) if s.deformable && s.step == 100),
    );
    assert!(
        matches!(&lost.end, End::Gap(why) if why.contains("soft steps 100 to 100 are missing")),
        "{:?}",
        lost.end
    );
    // Without the new surface in the middle the forces differ.
    let hard = replayed(&bytes, |event| {
        if let Event::Step(step) = event
            && step.deformable
        {
            step.applied.clear();
        }
        true
    });
    assert!(hard.first_difference.is_some_and(|d| d.tick > 900));
}

/// Presses a client's box into the tissue near the finger, adds one that the tissue cannot meet,
/// and removes the first. Returns the recording.
fn bytes_with_a_guest() -> Vec<u8> {
    let output = Memory::new(usize::MAX);
    let mut setup = build(PALPATION, Time::Virtual);
    let mut sink = recorder(PALPATION, Time::Virtual, output.clone(), u64::MAX).unwrap();
    let mut stats = Stats::new(true, setup.period_ns, &setup.names());
    let mut checker = setup.checker();
    let arms = session::virtual_arms(&mut setup);
    let (scene, pairs) = ((setup.collider, setup.deformable), setup.pair_capacity);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 4, pairs);
    let body = |name: &str, mesh, solid| BodySpec {
        name: name.to_owned(),
        kind: BodyKind::Kinematic,
        shape: hapticd_scene::Shape::of(mesh).0,
        solid,
        world_from_body: Pose::translation(-0.02, 0.025, 0.02),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    };
    let known = driver.deformable().unwrap().rigid_bodies();
    let met = |driver: &VirtualLoop| driver.deformable().unwrap().rigid_bodies() - known;
    let mut block = 0;
    for tick in 1..=1800 {
        match tick {
            200 => {
                let mesh = shapes::cuboid(&Vec3::repeat(0.008)).unwrap();
                let add = SceneCommand::Add(Box::new(body("block", mesh, true)));
                block = id_of(Some(&driver.command(add)));
                let target = SceneCommand::Target {
                    id: block,
                    world_from_body: Pose::translation(-0.02, 0.025, 0.002),
                    speed_m_s: 0.05,
                };
                assert_eq!(driver.command(target), SceneReply::Done);
                assert_eq!(met(&driver), 1);
            }
            // Too fine for a sheet of a millimetre: tools feel it, soft bodies do not.
            300 => {
                let mesh = shapes::icosphere(0.002, 3).unwrap();
                let add = SceneCommand::Add(Box::new(body("dust", mesh, false)));
                id_of(Some(&driver.command(add)));
                assert_eq!(met(&driver), 1);
            }
            1300 => {
                let remove = SceneCommand::Remove { id: block };
                assert_eq!(driver.command(remove), SceneReply::Done);
                assert_eq!(met(&driver), 0);
            }
            _ => {}
        }
        let record = *driver.step(tick > 1700);
        sink.tick(&record).unwrap();
        sink.step(driver.last_step()).unwrap();
        if let Some(step) = driver.last_soft_step() {
            sink.step(step).unwrap();
        }
        for applied in &driver.last_step().applied {
            checker.follow(applied);
        }
        checker.check(&record, &mut stats);
    }
    assert_eq!(stats.report(Vec::new()).max_penetration_m, 0.0);
    sink.finish().unwrap();
    output.take()
}

#[test]
fn a_clients_body_among_soft_ones_replays() {
    let bytes = bytes_with_a_guest();
    let mut told = 0;
    let outcome = replayed(&bytes, |event| {
        if let Event::Step(step) = event
            && step.deformable
        {
            told += step.applied.len();
        }
        true
    });
    assert_eq!(
        (outcome.first_difference, outcome.end),
        (None, End::Complete)
    );
    assert_eq!((outcome.ticks, told), (1800, 2), "it came and it went");
    // A recording from before soft bodies met clients' bodies has none of these commands: the
    // finger then feels a tissue that nothing dents.
    let alone = replayed(&bytes, |event| {
        if let Event::Step(step) = event
            && step.deformable
        {
            step.applied.clear();
        }
        true
    });
    let differs = alone.first_difference.map(|d| d.tick);
    assert!(
        differs.is_some_and(|tick| (300..1300).contains(&tick)),
        "{differs:?}"
    );
    // The key of another body: the wrong body goes.
    let mixed = replayed(&bytes, |event| {
        if let Event::Step(step) = event
            && step.deformable
        {
            for applied in &mut step.applied {
                applied.key.generation += 1;
            }
        }
        true
    });
    assert!(mixed.first_difference.is_some());
}

/// The soft bodies' thread hangs while a finger presses: the surface stays, and after four steps
/// and `safety.stale_contact_ms` force fades.
#[test]
fn stale_soft_contact_fades() {
    let mut setup = build(PALPATION, Time::Virtual);
    let arms = session::virtual_arms(&mut setup);
    let (scene, pairs) = ((setup.collider, setup.deformable), setup.pair_capacity);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 4, pairs);
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
