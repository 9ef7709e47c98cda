//! A GPU that is lost while a finger is in soft tissue: the CPU takes over and the hand feels nothing of it.
//!
//! On the adapter that `HAPTICD_GPU` names, else on the software one; without any this fails.
#![cfg(feature = "gpu")]

use std::path::Path;

use hapticd::haptic::record::TickRecord;
use hapticd::rig::{self, Rig};
use hapticd::session::virtual_arms;
use hapticd::virtual_time::VirtualLoop;
use hapticd_rays::Watched;
use hapticd_shaders::{Choice, Gpu, GpuDetector, GpuMidPhase, Limits, Patience};

fn palpation() -> Rig {
    let context = hapticd_config::Context::new(".", |_| None);
    let text = include_str!("../../config/palpation.toml");
    let loaded = hapticd_config::parse("palpation.toml", text, &context).unwrap();
    rig::build(&loaded.config, Path::new("."), true).unwrap()
}

fn driver(mut rig: Rig) -> VirtualLoop {
    let arms = virtual_arms(&mut rig);
    VirtualLoop::new(
        rig.core,
        (rig.collider, rig.soft),
        arms,
        4,
        rig.pair_capacity,
    )
}

fn change(now: &TickRecord, before: &TickRecord) -> f64 {
    (now.arms[0].wanted.force_n - before.arms[0].wanted.force_n).norm()
}

#[test]
fn a_lost_gpu_is_not_felt() {
    let mut rig = palpation();
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Software);
    let gpu = Gpu::open(choice).expect("this test needs a Vulkan adapter, if only a software one");
    let breaker = gpu.breaker();
    let scene = rig.soft.as_mut().unwrap();
    let detector = GpuDetector::new(gpu, *scene.detector_settings()).unwrap();
    // Virtual time does not wait for a GPU that the CPU has to play: patience beyond the end.
    let watched = Watched::new(Box::new(detector), 100_000);
    scene.set_detector(Box::new(watched)).unwrap();
    let mut driver = driver(rig);

    let in_charge = |driver: &VirtualLoop| {
        let detector = driver.soft().unwrap().detector();
        detector.name() == "GPU" && detector.incidents().unwrap().lost == 0
    };
    let mut before = *driver.step(false);
    let mut largest: f64 = 0.0;
    let mut ticks = 0;
    // Until the GPU has answered and the finger is in the tissue.
    while !(in_charge(&driver) && ticks > 400 && before.arms[0].wanted.force_n.norm() > 0.5) {
        let now = *driver.step(false);
        largest = largest.max(change(&now, &before));
        before = now;
        ticks += 1;
        assert!(
            ticks < 30_000,
            "the GPU never was in charge while the finger pressed"
        );
    }
    breaker.lose();
    let mut after: f64 = 0.0;
    let mut touching = 0;
    for _ in 0..60 {
        let now = *driver.step(false);
        after = after.max(change(&now, &before));
        touching += u32::from(now.arms[0].wanted.force_n.norm() > 0.2);
        before = now;
    }
    let incidents = driver.soft().unwrap().detector().incidents().unwrap();
    assert_eq!(
        (incidents.takeovers, incidents.lost),
        (1, 1),
        "{incidents:?}"
    );
    assert_eq!(driver.soft().unwrap().detector().name(), "CPU");
    // The surface went on pushing, no harder than anything before; 800 N/m times the 0.3 m/s that surfaces push out and let fall, and what the
    // hand goes, 0.1 m/s.
    assert!(touching > 50, "felt in {touching} of 60 ticks");
    let most = 800.0 * 1e-3 * (0.3 + 0.1) + 0.1;
    assert!(
        after < most,
        "{after} N in a tick after the loss; before it {largest}"
    );
}

/// Who asks for a GPU where there is none is told what there is, and who does not insist gets the CPU; where there is one, both get it.
#[test]
fn a_backend_is_what_was_asked_for_or_an_error() {
    use hapticd::backend::choose;
    use hapticd_config::Backend;
    let mut rig = palpation();
    let scene = rig.soft.as_mut().unwrap();
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Hardware);
    match Gpu::open(choice) {
        Err(why) => {
            let refused = choose(scene, Backend::Gpu, false).unwrap_err().to_string();
            assert!(refused.contains(&why.to_string()), "{refused}");
            let instead = choose(scene, Backend::Auto, false).unwrap();
            assert!(
                instead.contains("CPU") && instead.contains(&why.to_string()),
                "{instead}"
            );
        }
        Ok(gpu) => {
            let name = gpu.adapter().name.clone();
            for wanted in [Backend::Gpu, Backend::Auto] {
                let chosen = choose(scene, wanted, false).unwrap();
                assert!(chosen.contains(&name), "{chosen}");
            }
            return;
        }
    }
    assert_eq!(
        choose(scene, Backend::Cpu, false).unwrap(),
        "contacts of soft bodies: CPU"
    );
    // What is recorded is exact.
    assert!(choose(scene, Backend::Auto, true).unwrap().contains("CPU"));
    assert_eq!(scene.detector().name(), "CPU");
}

fn assembly() -> Rig {
    let context = hapticd_config::Context::new(".", |_| None);
    let text = include_str!("../../config/assembly.toml");
    let loaded = hapticd_config::parse("assembly.toml", text, &context).unwrap();
    rig::build(&loaded.config, Path::new("."), true).unwrap()
}

/// A peg is pressed on a plate and into its hole; a GPU finds what is near it and is lost in the middle of it. Every record of every tick is what it
/// is without a GPU, to the last bit.
#[test]
fn a_gpu_that_looks_for_what_is_near_is_not_felt_nor_missed() {
    const TICKS: usize = 3_000;
    let mut alone = driver(assembly());
    // All but the time that the tick took here.
    let step = |driver: &mut VirtualLoop| TickRecord {
        done_ns: 0,
        ..*driver.step(false)
    };
    let records: Vec<TickRecord> = (0..TICKS).map(|_| step(&mut alone)).collect();
    let touches = |r: &TickRecord| r.arms[0].wanted.force_n.norm() > 0.2;
    let touching: Vec<usize> = (0..TICKS).filter(|&k| touches(&records[k])).collect();
    assert!(touching.len() > 200, "{} ticks", touching.len());
    let lost_at = touching[touching.len() / 2];

    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Software);
    let gpu = Gpu::open(choice).expect("this test needs a Vulkan adapter, if only a software one");
    let breaker = gpu.breaker();
    let limits = Limits {
        triangles: 0,
        patience: Patience::Answer,
        ..Limits::DEFAULT
    };
    let mut rig = assembly();
    let midphase = GpuMidPhase::new(gpu, limits).unwrap();
    rig.collider.set_midphase(Box::new(midphase));
    let mut driver = driver(rig);
    for (k, expected) in records.iter().enumerate() {
        if k == lost_at {
            let facts = driver.collider().world().midphase().unwrap().facts();
            assert!(
                facts.answered > 100 && facts.given_up.is_empty(),
                "{facts:?}"
            );
            breaker.lose();
        }
        let record = step(&mut driver);
        assert!(
            format!("{record:?}") == format!("{expected:?}"),
            "tick {k}; the GPU was lost at {lost_at}"
        );
    }
    let facts = driver.collider().world().midphase().unwrap().facts();
    assert!(facts.given_up.contains("lost"), "{facts:?}");
}

/// The same for what is near the tools; small scenes do not open a device without being told to.
#[test]
fn who_looks_for_what_is_near_is_what_was_asked_for() {
    use hapticd::backend::choose_near;
    use hapticd_config::Backend;
    let mut collider = assembly().collider;
    let chosen = choose_near(&mut collider, Backend::Cpu).unwrap();
    assert_eq!(chosen, "what is near the tools: CPU");
    let chosen = choose_near(&mut collider, Backend::Auto).unwrap();
    assert!(
        chosen.contains("CPU (") && chosen.contains("from 50000 on"),
        "{chosen}"
    );
    assert!(collider.world().midphase().is_none());
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Hardware);
    match (Gpu::open(choice), choose_near(&mut collider, Backend::Gpu)) {
        (Ok(gpu), Ok(chosen)) => {
            assert!(chosen.contains(&gpu.adapter().name), "{chosen}");
            assert!(collider.world().midphase().is_some());
        }
        (Err(why), Err(refused)) => {
            assert!(refused.to_string().contains(&why.to_string()), "{refused}");
            assert!(collider.world().midphase().is_none());
        }
        (gpu, chosen) => panic!("{:?} and {chosen:?}", gpu.err()),
    }
}
