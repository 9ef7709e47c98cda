//! Recordings of runs with a needle.

use super::*;
use hapticd_proxy::{Held, Phase};

const NEEDLE: &str = include_str!("../../../../config/needle.toml");

/// Records a run in virtual time that is checked at every tick: the tip against all of bone, the
/// hub by the checker.
fn bytes(ticks: u64) -> Vec<u8> {
    let output = Memory::new(usize::MAX);
    let mut setup = build(NEEDLE, Time::Virtual);
    let tissue = setup.tissue.clone().unwrap();
    let mut watch = setup.watch.take().unwrap();
    let mut checker = setup.checker();
    let mut stats = Stats::new(true, setup.period_ns, &setup.names());
    let mut sink = recorder(NEEDLE, Time::Virtual, output.clone(), u64::MAX).unwrap();
    let arms = session::virtual_arms(&mut setup);
    let (scene, pairs) = ((setup.collider, setup.deformable), setup.pair_capacity);
    let mut driver = VirtualLoop::new(setup.core, scene, arms, 4, pairs);
    let tissue_from_world = tissue.spec().world_from_tissue.inverse();
    let (mut nearest, mut looks) = (f64::INFINITY, 0);
    for tick in 0..ticks {
        let record = *driver.step(tick + 100 > ticks);
        stats.add(&record);
        checker.check(&record, &mut stats);
        watch.follow(&record);
        sink.tick(&record).unwrap();
        sink.step(driver.last_step()).unwrap();
        let told = &record.arms[0].insertion;
        if told.phase != Phase::Inserted {
            continue;
        }
        let tip = hapticd_geometry::transform(&tissue_from_world, &told.tip);
        for t in 0..tissue.triangles().len() {
            let owner = tissue.structure(tissue.owner(t));
            if owner.puncture_force_n.is_none() {
                let at = hapticd_geometry::closest::point_triangle(&tip, &tissue.triangles()[t]).0;
                nearest = nearest.min((at - tip).norm());
            }
        }
        if matches!(told.held, Held::Bone(_)) && tick % 50 == 0 {
            let facts = &watch.facts()[0];
            if let Some(d) = facts.distance_m.filter(|d| *d < 1e-4) {
                // The shaft is still in the vessel that the tip has left.
                let wanted = if d == 0.0 { "vessel" } else { "rib" };
                assert_eq!(facts.nearest.as_deref(), Some(wanted), "{facts:?}");
                looks += 1;
            }
        }
    }
    assert!(looks > 5, "{looks}");
    // The radius of the needle is 0.6 mm.
    assert!((6e-4..7e-4).contains(&nearest), "{nearest}");
    let arm = &stats.report(Vec::new()).arms[0];
    assert!(
        arm.checked_ticks > ticks / 2 && arm.crossings == 0,
        "{arm:?}"
    );
    assert_eq!(arm.max_penetration_m, 0.0);
    sink.finish().unwrap();
    let bytes = output.bytes.lock().unwrap();
    bytes.clone()
}

#[test]
fn needles_replay() {
    let bytes = bytes(9_000);
    let outcome = replayed(&bytes, |_| true);
    assert_eq!(
        (
            outcome.ticks,
            outcome.first_difference.clone(),
            outcome.end.clone()
        ),
        (9_000, None, End::Complete)
    );
    // The run covered skin, fat, muscle, both walls of the vessel, and bone.
    let needle = outcome.report.arms[0].needle.unwrap();
    assert_eq!((needle.insertions, needle.pierced), (1, 5), "{needle:?}");
    assert!(
        needle.max_depth_m > 0.04 && needle.max_push_n > 1.5,
        "{needle:?}"
    );
    assert!(
        needle.bone_ticks > 500 && needle.max_pull_n > 0.3,
        "{needle:?}"
    );
    assert!(needle.inserted_ticks > 4_000, "{needle:?}");
    // The recorded state of the needle is compared.
    let mut seen = 0;
    let other = replayed(&bytes, |event| {
        if let Event::Tick(tick) = event
            && tick.tick == 3_000
            && let Some(needle) = &mut tick.arms[0].output.needle
        {
            needle.depth_m.0 += 1e-6;
            seen += 1;
        }
        true
    });
    assert_eq!(seen, 1);
    let difference = other.first_difference.unwrap();
    assert_eq!((difference.tick, difference.what), (3_000, "needle"));
}
