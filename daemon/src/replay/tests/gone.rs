//! A client that is gone takes its bodies along at the next tick; this is recorded and replayed.

use super::*;

const SCENE: &str = r#"
[[arm]]
name = "right"
kind = "simulated"
intention = "press"
tool = { kind = "sphere", radius_m = 0.005 }
"#;

/// Tick after which the client is known to be gone; the hand is down from 1.5 s on.
const GONE: u64 = 2000;
/// Ticks after that until the collision thread removes the bodies.
const LATER: u64 = 10;

fn table() -> BodySpec {
    BodySpec {
        name: "table".to_owned(),
        kind: BodyKind::Static,
        shape: hapticd_scene::Shape::of(shapes::cuboid(&Vec3::new(0.1, 0.1, 0.01)).expect("a box"))
            .0,
        solid: true,
        world_from_body: Pose::translation(0.0, 0.0, -0.01),
        material: Material::DEFAULT,
        restitution: 0.0,
        density_kg_m3: 1000.0,
    }
}

#[test]
fn bodies_of_a_gone_client_lose_force_next_tick_and_that_replays() {
    let mut setup = build(SCENE, Time::Virtual);
    let output = Memory::new(usize::MAX);
    let mut sink = recorder(SCENE, Time::Virtual, output.clone(), u64::MAX).expect("begins");
    let mut stats = Stats::new(true, setup.period_ns, &setup.names());
    let mut checker = setup.checker();
    let arms = session::virtual_arms(&mut setup);
    let mut driver = VirtualLoop::new(
        setup.core,
        (setup.collider, setup.deformable),
        arms,
        4,
        setup.pair_capacity,
    );
    let table = id_of(Some(&driver.command(SceneCommand::Add(Box::new(table())))));
    let mut pressed_n = 0.0;
    for tick in 1..=GONE + 500 {
        if tick == GONE + 1 {
            driver.forget(table);
        }
        if tick == GONE + LATER {
            assert_eq!(
                driver.command(SceneCommand::Remove { id: table }),
                SceneReply::Done
            );
        }
        let record = *driver.step(false);
        let arm = &record.arms[0];
        if tick <= GONE {
            pressed_n = arm.sent.force_n.norm();
        } else {
            assert_eq!(arm.sent, Default::default(), "tick {tick}");
            assert_eq!((arm.contacts, arm.solid), (0, 0), "tick {tick}");
            assert_eq!(arm.world_from_proxy, arm.world_from_device, "tick {tick}");
        }
        sink.tick(&record).expect("written");
        sink.step(driver.last_step()).expect("written");
        for applied in &driver.last_step().applied {
            checker.follow(applied);
        }
        checker.check(&record, &mut stats);
    }
    sink.finish().expect("closed");
    assert!(pressed_n > 1.0, "{pressed_n} N: it pressed");
    // The checker knows that the body is gone, although the removal comes later: the tool goes to
    // where it was.
    let report = stats.report(Vec::new());
    assert_eq!(
        (report.max_penetration_m, report.arms[0].crossings),
        (0.0, 0)
    );

    let bytes = output.take();
    let outcome = replayed(&bytes, |_| true);
    assert!(
        outcome.is_identical() && outcome.ticks == GONE + 500,
        "{outcome:?}"
    );
    let outcome = replayed(&bytes, |event| {
        if let Event::Tick(tick) = event {
            tick.gone.clear();
        }
        true
    });
    assert_eq!(
        outcome.first_difference.map(|d| d.tick),
        Some(GONE + 1),
        "it is what was recorded of it that makes it come out"
    );
}

#[test]
fn too_many_gone_bodies_are_refused() {
    let bytes = virtual_bytes(50);
    let outcome = replayed(&bytes, |event| {
        if let Event::Tick(tick) = event
            && tick.tick == 30
        {
            tick.gone = (1..200).collect();
        }
        true
    });
    assert_eq!(outcome.ticks, 29);
    assert!(matches!(outcome.end, End::Gap(_)), "{:?}", outcome.end);
}
