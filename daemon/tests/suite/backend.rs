//! A GPU is lost while a finger is in soft tissue. The CPU takes over, and the hand feels neither
//! this nor the next GPU that is found.
//!
//! The tests run on the adapter that `HAPTICD_GPU` names, otherwise on the software adapter;
//! without any they fail.
#![cfg(feature = "gpu")]
// Figures, for runs with `--nocapture`.
#![allow(clippy::print_stdout)]

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};
use std::time::{Duration, Instant};

use hapticd::session::virtual_arms;
use hapticd::session_setup::{self, SessionSetup};
use hapticd_ccd::{MeshIndex, MidPhase};
use hapticd_collision::backend::{prove, prove_skins};
use hapticd_collision::collider::urgency::Urgency;
use hapticd_collision::collider::{self, Collider};
use hapticd_collision::deformable;
use hapticd_collision::gpu_supervisor::{self, GpuStats, GpuUse, Make, Pace, Supervised};
use hapticd_collision::gpu_threads::gpu_threads;
use hapticd_collision::mid_phase::MidPhaseStatus;
use hapticd_collision::requests::ReplySender;
use hapticd_collision::skin::{self, SkinUpdate};
use hapticd_collision::virtual_time::VirtualLoop;
use hapticd_deformable::{Blending, DeformableScene, SkinMaker, SkinSpec, SkinState};
use hapticd_geometry::Vec3;
use hapticd_ipc::skins::{self, SkinInfo};
use hapticd_loop::record::TickRecord;
use hapticd_proxy::Query;
use hapticd_rays::{Responder, Watched};
use hapticd_shaders::{
    Breaker, Choice, Gpu, GpuDetector, GpuMidPhase, GpuSkin, LargeSkins as LargeSkinsOnGpu, Limits,
    Patience,
};
use hapticd_skin::Primitive;
use hapticd_sync::{latest, ring};
use hapticd_sys::wake::Wake;

fn palpation() -> SessionSetup {
    let context = hapticd_config::Context::new(".", |_| None);
    let text = include_str!("../../../config/palpation.toml");
    let loaded = hapticd_config::parse("palpation.toml", text, &context).unwrap();
    session_setup::build(&loaded.config, Path::new("."), true).unwrap()
}

fn driver(mut setup: SessionSetup) -> VirtualLoop {
    let arms = virtual_arms(&mut setup);
    VirtualLoop::new(
        setup.core,
        (setup.collider, setup.deformable),
        arms,
        4,
        setup.pair_capacity,
    )
}

fn change(now: &TickRecord, before: &TickRecord) -> f64 {
    (now.arms[0].wanted.force_n - before.arms[0].wanted.force_n).norm()
}

#[test]
fn a_lost_gpu_is_not_felt() {
    let mut setup = palpation();
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Software);
    let gpu = Gpu::open(choice).expect("this test needs a Vulkan adapter, if only a software one");
    let breaker = gpu.breaker();
    let scene = setup.deformable.as_mut().unwrap();
    let detector = GpuDetector::new(gpu, *scene.detector_settings()).unwrap();
    // Virtual time does not wait for a GPU that the CPU emulates, so the patience exceeds the run.
    let watched = Watched::new(Box::new(detector), 100_000);
    scene.set_detector(Box::new(watched)).unwrap();
    let mut driver = driver(setup);

    let in_charge = |driver: &VirtualLoop| {
        let detector = driver.deformable().unwrap().detector();
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
    let incidents = driver.deformable().unwrap().detector().incidents().unwrap();
    assert_eq!(
        (incidents.takeovers, incidents.lost),
        (1, 1),
        "{incidents:?}"
    );
    assert_eq!(driver.deformable().unwrap().detector().name(), "CPU");
    // The surface went on pushing, no harder than anything before; 800 N/m times the 0.3 m/s that
    // surfaces push out and let fall, and what the hand goes, 0.1 m/s.
    assert!(touching > 50, "felt in {touching} of 60 ticks");
    let most = 800.0 * 1e-3 * (0.3 + 0.1) + 0.1;
    assert!(
        after < most,
        "{after} N in a tick after the loss; before it {largest}"
    );
}

/// Virtual time does not wait for a GPU that the CPU emulates, so the patience exceeds the run.
const PATIENCE: u64 = 100_000;

/// A tenth of the daemon's times: virtual ticks are slow with a GPU that the CPU emulates.
const PACE: Pace = Pace {
    first_ns: 100_000_000,
    max_ns: 400_000_000,
    settled_ns: 60_000_000_000,
};

fn open() -> Gpu {
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Software);
    Gpu::open(choice).expect("this test needs a Vulkan adapter, if only a software one")
}

/// Breakers of the created GPUs, in order.
type Breakers = Arc<Mutex<Vec<Breaker>>>;

/// The same loss, followed by the attempts of the GPU supervisor: two find no GPU, the third one
/// does, and it takes over. Then that one is lost as well. No tick is lost, no step is left out,
/// and the hand feels nothing of it.
#[test]
fn a_gpu_that_is_found_again_is_not_felt_either() {
    let mut setup = palpation();
    let gpu = open();
    let breakers = Breakers::default();
    breakers.lock().unwrap().push(gpu.breaker());
    let scene = setup.deformable.as_mut().unwrap();
    let detector = GpuDetector::new(gpu, *scene.detector_settings()).unwrap();
    let watched = Watched::new(Box::new(detector), PATIENCE);
    scene.set_detector(Box::new(watched)).unwrap();
    let mut driver = driver(setup);

    let (of_new, mut attempts) = (breakers.clone(), 0);
    let make: Make<DeformableScene> = Box::new(move |settings| {
        attempts += 1;
        if attempts <= 2 {
            return Err("no adapter".to_owned());
        }
        let gpu = open();
        of_new.lock().unwrap().push(gpu.breaker());
        let detector = GpuDetector::new(gpu, *settings).map_err(|e| e.to_string())?;
        Ok((Box::new(detector), "a GPU".to_owned()))
    });
    let (mut end, mut supervisor) = gpu_supervisor::pair(GpuUse::Contacts, PACE, make);

    let mut before = *driver.step(false);
    // The largest change of the force in a tick since the last loss, and ticks in which there was
    // force.
    let (mut largest, mut touching, mut losses): (f64, u32, u64) = (0.0, 0, 0);
    let mut by_gpu = 0;
    let mut lost_at = Vec::new();
    let mut found_at = Vec::new();
    let most = 800.0 * 1e-3 * (0.3 + 0.1) + 0.1;
    while lost_at.len() < 2 || before.tick < lost_at[1] + 60 {
        assert!(
            before.tick < 60_000,
            "lost at {lost_at:?}, found at {found_at:?}"
        );
        // The work of the soft bodies' thread in every round, and that of the GPU supervisor.
        end.attend(driver.scenes().1.unwrap());
        let now = *driver.step(false);
        assert!(supervisor.round(&|| now.now_ns));
        assert_eq!(now.tick, before.tick + 1);
        let scene = driver.deformable().unwrap();
        assert_eq!((scene.lost_ticks(), scene.refused()), (0, 0));
        let incidents = scene.detector().incidents().unwrap();
        // The next step sees each loss, and nothing else.
        assert!(incidents.takeovers <= losses, "{incidents:?}");
        if incidents.recovered > found_at.len() as u64 {
            found_at.push(now.tick);
        }
        largest = largest.max(change(&now, &before));
        if !lost_at.is_empty() {
            assert!(
                largest < most,
                "{largest} N at tick {}, lost at {lost_at:?}, found at {found_at:?}",
                now.tick
            );
            touching += u32::from(now.arms[0].wanted.force_n.norm() > 0.2);
        }
        before = now;
        let in_charge = scene.detector().charge() == Some(Responder::Backend);
        let finder = now.arms[0].soft_finder;
        let after_first = lost_at.first().is_some_and(|lost| now.tick > lost + 100);
        if found_at.is_empty() && after_first {
            assert_eq!((finder.name, finder.age_steps), ("CPU", 0));
        }
        by_gpu += u32::from(finder.name == "GPU" && !found_at.is_empty());
        let pressed = before.arms[0].wanted.force_n.norm() > 0.5;
        let since = found_at
            .last()
            .map_or(before.tick, |tick| before.tick - tick);
        if in_charge && pressed && since > 400 && lost_at.len() == found_at.len() && losses < 2 {
            breakers.lock().unwrap()[found_at.len()].lose();
            lost_at.push(before.tick);
            losses += 1;
            largest = 0.0;
        }
    }
    println!(
        "lost at {lost_at:?}, found at {found_at:?}, felt in {touching} ticks, {by_gpu} of the second GPU, {largest} N"
    );
    let detector = driver.deformable().unwrap().detector();
    let incidents = detector.incidents().unwrap();
    assert_eq!(
        (incidents.takeovers, incidents.lost, incidents.recovered),
        (2, 2, 1),
        "{incidents:?}"
    );
    assert_eq!(detector.name(), "CPU");
    let gpu = end.stats(driver.deformable().unwrap());
    assert_eq!((gpu.takeovers, gpu.handed_back), (2, 1), "{gpu:?}");
    assert_eq!(gpu.failed_attempts, 2);
    // 100 ms, 200 ms and 400 ms after the loss was seen, which may take a step.
    let waited = found_at[0] - lost_at[0];
    assert!(waited >= 700, "found after {waited} ticks");
    assert!(touching > 500 && by_gpu > 400, "{touching}, {by_gpu}");
}

/// The awaited events take seconds; a longer wait means a hang.
const WATCHDOG: Duration = Duration::from_secs(300);

/// Ends a thread when the test ends, however it does.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Release);
    }
}

/// Runs rounds of the loop and of the GPU supervisor, each a tick of made-up time, until `done`.
fn rounds(tick: &mut u64, mut round: impl FnMut(u64), mut done: impl FnMut() -> bool) {
    let started = Instant::now();
    while !done() {
        *tick += 1;
        round(*tick);
        assert!(started.elapsed() < WATCHDOG, "tick {tick}");
        std::thread::yield_now();
    }
}

/// The soft bodies' thread itself: its reports of a GPU that is lost, sought in vain, and found.
#[test]
fn the_soft_thread_takes_over_a_reopened_gpu() {
    let mut scene = palpation().deformable.unwrap();
    let gpu = open();
    let breaker = gpu.breaker();
    let detector = GpuDetector::new(gpu, *scene.detector_settings()).unwrap();
    let watched = Watched::new(Box::new(detector), PATIENCE);
    scene.set_detector(Box::new(watched)).unwrap();
    let mut attempts = 0;
    let make: Make<DeformableScene> = Box::new(move |settings| {
        attempts += 1;
        if attempts == 1 {
            return Err("no adapter".to_owned());
        }
        let detector = GpuDetector::new(open(), *settings).map_err(|e| e.to_string())?;
        Ok((Box::new(detector), "a GPU".to_owned()))
    });
    let (end, mut supervisor) = gpu_supervisor::pair(GpuUse::Contacts, PACE, make);
    let (mut query_in, queries) = latest::latest(Query::default());
    let (answer_in, _answers) = ring::ring(deformable::BUFFERS);
    let (_used, used_out) = ring::ring(deformable::BUFFERS);
    let (_requests, requests_out) = crossbeam::channel::bounded(1);
    let (_bodies, bodies_out) = crossbeam::channel::bounded(1);
    let state = Arc::new(deformable::DeformableState::default());
    let links = deformable::Links {
        queries,
        answers: answer_in,
        used: used_out,
        requests: requests_out,
        bodies: bodies_out,
        log: None,
        log_lost: Arc::default(),
        state: state.clone(),
        surfaces: Vec::new(),
        skins: None,
        period_ns: 1_000_000,
        supervisor: Some(end),
    };
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let ends = Stop(&stop);
        threads.spawn(|| drop(deformable::run(scene, links, &stop)));
        let mut tick = 0;
        let mut until = |done: &dyn Fn(deformable::DeformableStats) -> bool| {
            let round = |tick| {
                query_in.write(Query {
                    tick,
                    ..Query::default()
                });
                assert!(supervisor.round(&|| tick * 1_000_000));
            };
            rounds(&mut tick, round, || done(state.facts()));
        };
        until(&|facts| facts.backend == "GPU" && facts.gpu.takeovers == 0);
        breaker.lose();
        // Counts only grow, so the awaited values cannot be missed.
        until(&|facts| facts.gpu.takeovers == 1);
        until(&|facts| facts.gpu.failed_attempts == 1);
        until(&|facts| facts.gpu.handed_back == 1 && facts.backend == "GPU");
        let facts = state.facts();
        assert_eq!(
            (facts.gpu.takeovers, facts.gpu.handed_back),
            (1, 1),
            "{facts:?}"
        );
        assert_eq!(facts.gpu.failed_attempts, 1);
        assert!(facts.gpu.why.contains("lost"), "{facts:?}");
        drop(ends);
    });
    assert!(
        !supervisor.round(&|| u64::MAX),
        "the scene's thread is gone"
    );
}

/// The same for the collision thread itself.
#[test]
fn the_collision_thread_takes_over_a_reopened_gpu() {
    let setup = assembly();
    let limits = Limits {
        triangles: 0,
        patience: Patience::Answer,
        ..Limits::DEFAULT
    };
    let gpu = open();
    let breaker = gpu.breaker();
    let mut collider = setup.collider;
    let first = GpuMidPhase::new(gpu, limits).unwrap();
    collider.set_midphase(Box::new(first));
    let mut attempts = 0;
    let make: Make<Collider> = Box::new(move |shapes: &Vec<Weak<MeshIndex>>| {
        attempts += 1;
        if attempts == 1 {
            return Err("no adapter".to_owned());
        }
        let mut new = GpuMidPhase::new(open(), limits).map_err(|e| e.to_string())?;
        prove(&mut new, shapes)?;
        Ok((Box::new(new), "a GPU".to_owned()))
    });
    let (end, mut supervisor) = gpu_supervisor::pair(GpuUse::MidPhase, PACE, make);
    let (mut query_in, queries) = latest::latest(Query::default());
    let (snapshot_in, mut snapshots) = ring::ring(collider::BUFFERS);
    let (mut used, used_out) = ring::ring(2 * collider::BUFFERS);
    let (_requests, requests_out) = crossbeam::channel::bounded(1);
    let (replies, _replies) = hapticd_sync::delivery::delivery(1);
    let near = Arc::new(Mutex::new(None));
    let links = collider::Links {
        pair_capacity: setup.pair_capacity,
        queries,
        snapshots: snapshot_in,
        used: used_out,
        requests: requests_out,
        replies: ReplySender::new(replies, Wake::new().unwrap()),
        deformable: None,
        log: None,
        log_lost: Arc::default(),
        near: near.clone(),
        broad: Arc::default(),
        planner: hapticd_collision::planner::planner().0,
        janitor: hapticd_collision::janitor::janitor().0,
        supervisor: Some(end),
        urgency: Urgency::none(),
    };
    let (stop, beat) = (AtomicBool::new(false), AtomicU64::new(0));
    std::thread::scope(|threads| {
        let ends = Stop(&stop);
        threads.spawn(|| drop(collider::run(collider, links, &stop, &beat)));
        let mut tick = 0;
        let mut until = |done: &dyn Fn(&MidPhaseStatus) -> bool| {
            let round = |tick| {
                let mut query = Query {
                    tick,
                    ..Query::default()
                };
                query.arms[0].present = true;
                query_in.write(query);
                while let Some(snapshot) = snapshots.pop() {
                    let _ = used.push(snapshot);
                }
                assert!(supervisor.round(&|| tick * 1_000_000));
            };
            rounds(&mut tick, round, || {
                near.lock().unwrap().as_ref().is_some_and(done)
            });
        };
        until(&|facts| facts.answered > 3 && facts.backend == "GPU");
        breaker.lose();
        until(&|facts| facts.gpu.takeovers == 1);
        until(&|facts| facts.gpu.failed_attempts == 1);
        until(&|facts| facts.gpu.handed_back == 1);
        let facts = near.lock().unwrap().clone().unwrap();
        assert_eq!(
            (facts.backend, facts.gpu.takeovers),
            ("GPU", 1),
            "{facts:?}"
        );
        assert_eq!(facts.gpu.failed_attempts, 1);
        assert!(facts.gpu.why.contains("lost") && facts.given_up.is_empty());
        drop(ends);
    });
    assert!(
        !supervisor.round(&|| u64::MAX),
        "the scene's thread is gone"
    );
}

/// The same for the skin thread itself: every frame is shown, whoever makes it.
#[test]
fn the_skin_thread_takes_over_a_reopened_gpu() {
    const ID: u32 = 1 << 30;
    let info = SkinInfo {
        id: ID,
        name: "drop".into(),
        triangles: 20_000,
    };
    let (mut writers, _fds) = skins::create(&[info]).unwrap();
    let spec = SkinSpec {
        id: ID,
        name: "drop".into(),
        level: 0.5,
        cell_m: 0.002,
        blending: Blending::Free,
        sampled: None,
    };
    let maker = SkinMaker::new(spec, 20_000, f64::INFINITY).unwrap();
    let mesher = |gpu| GpuSkin::new(gpu, Patience::Answer).map(LargeSkinsOnGpu::new);
    let gpu = open();
    let breaker = gpu.breaker();
    let mut attempts = 0;
    let make: Make<skin::LargeSkins> = Box::new(move |()| {
        attempts += 1;
        if attempts == 1 {
            return Err("no adapter".to_owned());
        }
        let mut new = mesher(open()).map_err(|e| e.to_string())?;
        prove_skins(&mut new)?;
        Ok((Box::new(new), "a GPU".to_owned()))
    });
    let (end, mut supervisor) = gpu_supervisor::pair(GpuUse::Skins, PACE, make);
    let (mut feed, updates) = latest::latest(SkinUpdate::default());
    let state = Arc::new(skin::SkinThreadState::default());
    let links = skin::Links {
        updates,
        bodies: vec![skin::SkinBody::new(0, maker, writers.remove(0))],
        large: Some(skin::LargeFrames {
            skins: skin::LargeSkins::new(Box::new(mesher(gpu).unwrap()), 10.0),
            supervisor: end,
        }),
        period: Duration::from_millis(1),
        state: state.clone(),
    };
    let stop = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let ends = Stop(&stop);
        threads.spawn(|| skin::run(links, &stop));
        let mut tick = 0;
        let mut until = |done: &dyn Fn(u64, &GpuStats) -> bool| {
            let round = |tick| {
                feed.overwrite(|update| {
                    (update.step, update.time_ns) = (tick, tick);
                    update.states.bodies = vec![SkinState {
                        primitives: vec![Primitive::point(Vec3::zeros(), 0.02)],
                        velocities: vec![Vec3::zeros()],
                        ..SkinState::default()
                    }];
                });
                assert!(supervisor.round(&|| tick * 1_000_000));
            };
            rounds(&mut tick, round, || {
                let facts = state.facts();
                facts.gpu.is_some_and(|gpu| done(facts.by_gpu, &gpu))
            });
        };
        until(&|by_gpu, gpu| by_gpu > 3 && gpu.takeovers == 0);
        breaker.lose();
        until(&|_, gpu| gpu.takeovers == 1);
        until(&|_, gpu| gpu.failed_attempts == 1);
        until(&|_, gpu| gpu.handed_back == 1);
        let before = state.facts().by_gpu;
        until(&|by_gpu, _| by_gpu > before + 3);
        let facts = state.facts();
        let gpu = facts.gpu.unwrap();
        assert_eq!((gpu.takeovers, gpu.failed_attempts), (1, 1), "{gpu:?}");
        assert!(gpu.why.contains("lost"), "{gpu:?}");
        assert!(facts.refused == 0 && facts.instead > 0);
        drop(ends);
    });
    assert!(!supervisor.round(&|| u64::MAX), "the skin thread is gone");
}

/// A GPU that never answers is not handed over for skins, either.
#[test]
fn a_gpu_that_makes_no_skin_is_not_handed_over() {
    let mut made = GpuSkin::new(open(), Patience::Answer).unwrap();
    prove_skins(&mut LargeSkinsOnGpu::new(made)).unwrap();
    made = GpuSkin::new(open(), Patience::Looks(0)).unwrap();
    let why = prove_skins(&mut LargeSkinsOnGpu::new(made)).unwrap_err();
    assert!(why.contains("no answer"), "{why}");
}

/// A GPU that the supervisor hands over has all shapes and has answered. One that never answers is
/// not handed over, and reports that itself.
#[test]
fn a_gpu_that_does_not_answer_is_not_handed_over() {
    let mut collider = assembly().collider;
    let shapes: Vec<Weak<MeshIndex>> = collider.world().shapes().map(Arc::downgrade).collect();
    let meshes = |shape: &&Weak<MeshIndex>| shape.upgrade().is_some_and(|s| s.mesh().is_some());
    let meshes = shapes.iter().filter(meshes).count();
    assert!(meshes > 1);
    let limits = Limits {
        triangles: 0,
        patience: Patience::Answer,
        ..Limits::DEFAULT
    };
    let mut new = GpuMidPhase::new(open(), limits).unwrap();
    prove(&mut new, &shapes).unwrap();
    let facts = new.facts();
    assert_eq!((new.shapes(), facts.sent, facts.late), (meshes, 1, 0));
    assert!(facts.gpu_ns.is_some() || facts.candidates > 0, "{facts:?}");

    let hasty = Limits {
        patience: Patience::Looks(0),
        late: 8,
        ..limits
    };
    let mut hung = GpuMidPhase::new(open(), hasty).unwrap();
    let why = prove(&mut hung, &shapes).unwrap_err();
    assert_eq!(why, "the GPU was late 8 times");

    // Nothing is made of shapes that are gone since the order.
    assert!(collider.set_midphase(Box::new(new)).is_none());
    drop(collider);
    let mut late = GpuMidPhase::new(open(), limits).unwrap();
    prove(&mut late, &shapes).unwrap();
    assert_eq!((late.shapes(), late.facts().sent), (0, 0));
}

/// A GPU that did not exist at the start is not requested later.
#[test]
fn only_lost_gpus_are_reopened() {
    use hapticd_collision::backend::supervise;
    let mut deformable = palpation();
    let (threads, _end) = gpu_threads();
    let gpus = supervise(
        deformable.deformable.as_ref(),
        &deformable.collider,
        &threads,
    );
    assert!(gpus.ends.is_empty() && gpus.contacts.is_none() && gpus.mid_phase.is_none());
    let scene = deformable.deformable.as_mut().unwrap();
    let detector = GpuDetector::new(open(), *scene.detector_settings()).unwrap();
    let watched = Watched::new(Box::new(detector), PATIENCE);
    scene.set_detector(Box::new(watched)).unwrap();
    let gpus = supervise(
        deformable.deformable.as_ref(),
        &deformable.collider,
        &threads,
    );
    assert!(gpus.ends.len() == 1 && gpus.contacts.is_some() && gpus.mid_phase.is_none());
    let midphase = GpuMidPhase::new(open(), Limits::DEFAULT).unwrap();
    deformable.collider.set_midphase(Box::new(midphase));
    let gpus = supervise(
        deformable.deformable.as_ref(),
        &deformable.collider,
        &threads,
    );
    assert!(gpus.ends.len() == 2 && gpus.contacts.is_some() && gpus.mid_phase.is_some());
}

/// A request for a GPU without one is answered with the existing ones. Without insistence the CPU
/// is chosen; with a GPU, both requests get it.
#[test]
fn a_backend_is_what_was_asked_for_or_an_error() {
    use hapticd_collision::backend::choose;
    use hapticd_config::Backend;
    let mut setup = palpation();
    let scene = setup.deformable.as_mut().unwrap();
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
        "contacts of deformables: CPU"
    );
    // A recorded run must be exact.
    assert!(choose(scene, Backend::Auto, true).unwrap().contains("CPU"));
    assert_eq!(scene.detector().name(), "CPU");
}

fn assembly() -> SessionSetup {
    let context = hapticd_config::Context::new(".", |_| None);
    let text = include_str!("../../../config/assembly.toml");
    let loaded = hapticd_config::parse("assembly.toml", text, &context).unwrap();
    session_setup::build(&loaded.config, Path::new("."), true).unwrap()
}

/// A peg is pressed on a plate and into its hole. A GPU mid-phase finds its neighbours and is lost
/// in the middle of it, and so is the next one that the GPU supervisor finds. Every record of every
/// tick is the same as without a GPU, to the last bit.
#[test]
fn a_gpu_mid_phase_and_its_loss_are_not_felt() {
    const TICKS: usize = 3_000;
    let mut alone = driver(assembly());
    // Everything but the time that the tick took, and the number of bodies whose pairs the GPU
    // named.
    let step = |driver: &mut VirtualLoop| {
        let mut record = *driver.step(false);
        record.done_ns = 0;
        let share = std::mem::take(&mut record.arms[0].midphase);
        (record, share.bodies)
    };
    let records: Vec<TickRecord> = (0..TICKS).map(|_| step(&mut alone).0).collect();
    let touches = |r: &TickRecord| r.arms[0].wanted.force_n.norm() > 0.2;
    let touching: Vec<usize> = (0..TICKS).filter(|&k| touches(&records[k])).collect();
    assert!(touching.len() > 200, "{} ticks", touching.len());
    let lost_at = touching[touching.len() / 2];

    let limits = Limits {
        triangles: 0,
        patience: Patience::Answer,
        ..Limits::DEFAULT
    };
    let breakers = Breakers::default();
    let lose = |breakers: &Breakers| breakers.lock().unwrap().last().unwrap().lose();
    let of_new = breakers.clone();
    let midphase = move || -> Result<Box<dyn MidPhase>, String> {
        let gpu = open();
        of_new.lock().unwrap().push(gpu.breaker());
        let midphase = GpuMidPhase::new(gpu, limits).map_err(|e| e.to_string())?;
        Ok(Box::new(midphase))
    };
    let mut setup = assembly();
    setup.collider.set_midphase(midphase().unwrap());
    let mut driver = driver(setup);
    let (mut attempts, of_made) = (0, breakers.clone());
    let make: Make<Collider> = Box::new(move |shapes: &Vec<Weak<MeshIndex>>| {
        attempts += 1;
        let mut new = midphase()?;
        if attempts == 1 {
            // It exists, but does not answer.
            lose(&of_made);
        }
        prove(&mut *new, shapes)?;
        Ok((new, "a GPU".to_owned()))
    });
    let (mut end, mut supervisor) = gpu_supervisor::pair(GpuUse::MidPhase, PACE, make);
    let mut found_at = None;
    for (k, expected) in records.iter().enumerate() {
        let (collider, _) = driver.scenes();
        end.attend(collider);
        let facts = collider.midphase_status(end.stats(collider)).unwrap();
        if k == lost_at {
            assert!(facts.answered > 100, "{facts:?}");
            assert_eq!((facts.backend, facts.gpu.takeovers), ("GPU", 0));
            lose(&breakers);
        }
        if facts.gpu.handed_back > 0 && found_at.is_none() {
            found_at = Some(k);
        }
        if found_at.is_some_and(|found_at| k == found_at + 100) {
            assert_eq!((facts.backend, facts.gpu.takeovers), ("GPU", 1));
            assert_eq!((facts.gpu.handed_back, facts.gpu.failed_attempts), (1, 1));
            lose(&breakers);
        }
        let (record, by_gpu) = step(&mut driver);
        // The answer to a tick's query is used five ticks later.
        let known = |since: usize| k >= since + 5;
        match found_at {
            _ if k <= lost_at => assert_eq!(by_gpu > 0, known(0), "tick {k}"),
            None => assert_eq!(by_gpu > 0, !known(lost_at), "tick {k}"),
            Some(found_at) if k <= found_at + 100 => {
                assert!(by_gpu > 0 || !known(found_at), "tick {k}");
            }
            Some(_) => {}
        }
        assert!(supervisor.round(&|| record.now_ns));
        assert!(
            format!("{record:?}") == format!("{expected:?}"),
            "tick {k}; the GPU was lost at {lost_at}, and found at {found_at:?}"
        );
    }
    // 100 ms and 200 ms after the loss was seen.
    let found_at = found_at.expect("it was found again");
    assert!(
        (300..310).contains(&(found_at - lost_at)),
        "{found_at} after {lost_at}"
    );
    let collider = driver.collider();
    let facts = collider.midphase_status(end.stats(collider)).unwrap();
    // The second loss was mended as well, by the third attempt.
    assert_eq!(
        (facts.gpu.takeovers, facts.gpu.handed_back),
        (2, 2),
        "{facts:?}"
    );
    assert!(
        facts.gpu.why.contains("lost") && facts.given_up.is_empty(),
        "{facts:?}"
    );
}

/// The same for the mid-phase; small scenes do not open a device unless configured to.
#[test]
fn a_mid_phase_is_the_requested_one_or_an_error() {
    use hapticd_collision::backend::choose_midphase;
    use hapticd_config::Backend;
    let mut collider = assembly().collider;
    let (threads, _end) = gpu_threads();
    let chosen = choose_midphase(&mut collider, Backend::Cpu, &threads).unwrap();
    assert_eq!(chosen, "mid-phase: CPU");
    let chosen = choose_midphase(&mut collider, Backend::Auto, &threads).unwrap();
    assert!(
        chosen.contains("CPU (") && chosen.contains("from 50000 on"),
        "{chosen}"
    );
    assert!(collider.world().midphase().is_none());
    let choice = Choice::from_env().unwrap().unwrap_or(Choice::Hardware);
    let chosen = choose_midphase(&mut collider, Backend::Gpu, &threads);
    match (Gpu::open(choice), chosen) {
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
