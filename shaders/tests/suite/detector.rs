//! The GPU as a detector: the requirements of every detector, and those of this one alone.

use crate::common;
use crate::detectors;

use std::sync::Arc;

use common::gpu;
use common::waited::Waited;
use detectors::{conformance, settle};
use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_rays::displacement::Measure;
use hapticd_rays::{Detector, RayScene, Separation, Settings, Shape, Topology, Tracer, Watched};
use hapticd_shaders::{DEPTH, GpuDetector};

fn on_gpu(settings: Settings) -> Box<dyn Detector> {
    Box::new(Waited(GpuDetector::new(gpu(), settings).unwrap()))
}

macro_rules! conforms {
    ($($name:ident),+) => {$(
        #[test]
        fn $name() {
            conformance::$name(&on_gpu);
        }
    )+};
}

conforms!(
    a_ruler_agrees,
    a_heap_of_bodies,
    cloths_and_a_ball,
    a_sheet_beside_an_edge_is_outside,
    a_soft_ball,
    steps_are_counted,
    objects_come_later,
    objects_come_and_go,
    what_stays_is_remembered,
    settings_change,
    recovered_it_is_as_new
);

fn volume(mesh: &TriMesh) -> Arc<Shape> {
    Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap())
}

/// Balls on a slab, in a row, each touching its neighbours.
fn row(balls: u32, level: u32) -> RayScene {
    let mut scene = RayScene::new();
    let slab = volume(&shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap());
    scene.add_rigid(slab, &Pose::identity(), true).unwrap();
    let ball = volume(&shapes::icosphere(0.02, level).unwrap());
    for k in 0..balls {
        scene.add_rigid(ball.clone(), &place(k, 0), false).unwrap();
    }
    scene
}

fn place(k: u32, step: u32) -> Pose {
    let swing = 0.0005 * (f64::from(step) * 0.4 + f64::from(k)).sin();
    Pose::translation(0.038 * f64::from(k) - 0.3, 0.0, 0.115 + swing)
}

fn stir(scene: &mut RayScene, step: u32) {
    scene.begin_step();
    for id in 1..scene.len() as u32 {
        scene.set_pose(id, &place(id - 1, step)).unwrap();
    }
}

#[test]
fn what_only_the_twin_does_is_refused() {
    let settings = Settings::for_edges(0.01);
    let mut detector = GpuDetector::new(gpu(), settings).unwrap();
    for (refused, message) in [
        (
            Settings {
                separation: Separation::Ray,
                ..settings
            },
            "the GPU does not do Separation::Ray: only Reprojected",
        ),
        (
            Settings {
                measure: Measure::Absolute,
                ..settings
            },
            "the GPU does not do Measure::Absolute: only [Mean, MeanDeviation, Max]",
        ),
    ] {
        let error = detector.set_settings(refused).unwrap_err();
        assert_eq!(error.to_string(), message);
        assert_eq!(*detector.settings(), settings);
        assert!(GpuDetector::new(gpu(), refused).is_err());
    }
}

/// Contacts by name.
fn names(detector: &dyn Detector) -> Vec<(u32, u32, u32)> {
    let contacts = detector.contacts().iter();
    let mut all: Vec<_> = contacts.map(|c| (c.source, c.point, c.target)).collect();
    all.sort_unstable();
    all
}

/// Objects that move while steps are skipped have moved: the next step traces in full what the
/// skipped plans wanted.
#[test]
fn steps_left_out_are_made_up_for() {
    let mut scene = row(6, 2);
    let settings = Settings {
        prediction_m: 0.002,
        ..Settings::for_edges(0.01)
    };
    let mut detector = GpuDetector::new(gpu(), settings).unwrap();
    let mut twin = Tracer::new(Settings {
        iterative: false,
        ..settings
    });
    for step in 0..16_u32 {
        stir(&mut scene, step);
        let left_out = (5..15).contains(&step);
        // 9 mm deeper: the plans notice the first 5, and 4 more are too little to be noticed again.
        let way = 0.0009 * f64::from(step.clamp(5, 15) - 5);
        for id in 1..scene.len() as u32 {
            let pose = Pose::translation(0.0, 0.0, -way) * place(id - 1, step);
            scene.set_pose(id, &pose).unwrap();
        }
        detector.set_max_in_flight(if left_out { 0 } else { DEPTH });
        twin.step(&mut scene);
        detector.submit(&mut scene).unwrap();
        detector.wait().unwrap();
        let progress = detector.progress();
        assert_eq!(progress.newest, u64::from(step) + 1);
        assert_eq!(
            progress.left_out,
            u64::from(step.clamp(4, 14) - 4),
            "{step}"
        );
        assert_eq!(
            progress.age(),
            if left_out { u64::from(step) - 4 } else { 0 }
        );
        if step == 15 {
            assert!(twin.contacts().len() > 200);
            assert!(names(&detector) == names(&twin));
        }
    }
}

/// An object goes while answers about it are under way: from the next step on no contact names it,
/// and for its successor only the successor's own contacts are reported.
#[test]
fn answers_under_way_do_not_speak_of_who_has_gone() {
    // Large enough for a step to take longer than sending the next.
    let mut scene = row(6, 5);
    let mut detector = GpuDetector::new(gpu(), Settings::for_edges(0.01)).unwrap();
    let names = |detector: &GpuDetector, id: u32| {
        let all = detector.contacts().iter().chain(detector.near());
        all.filter(|c| c.source == id || c.target == id).count()
    };
    stir(&mut scene, 0);
    detector.submit(&mut scene).unwrap();
    detector.wait().unwrap();
    let others = names(&detector, 5);
    assert!(names(&detector, 2) > 10 && others > 10);
    // Held, and under way.
    scene.begin_step();
    detector.submit(&mut scene).unwrap();
    scene.remove(2).unwrap();
    scene.begin_step();
    detector.submit(&mut scene).unwrap();
    assert_eq!(names(&detector, 2), 0);
    for _ in 0..1_u64 << 26 {
        detector.poll().unwrap();
        assert_eq!((names(&detector, 2), names(&detector, 5)), (0, others));
        if detector.progress().age() == 0 {
            break;
        }
        std::thread::yield_now();
    }
    assert_eq!(detector.progress().answered, 3);
    // A larger body takes its number, with other triangles; answers without that body are still
    // under way.
    scene.begin_step();
    detector.submit(&mut scene).unwrap();
    let torus = volume(&shapes::torus(0.03, 0.01, 24, 10).unwrap());
    scene.begin_step();
    assert_eq!(scene.add_rigid(torus, &place(1, 0), false), Ok(2));
    detector.submit(&mut scene).unwrap();
    detector.wait().unwrap();
    let mut twin = Tracer::new(Settings::for_edges(0.01));
    twin.step(&mut scene);
    let touching = twin
        .contacts()
        .iter()
        .filter(|c| c.source == 2 || c.target == 2);
    assert!(touching.count() > 10 && names(&detector, 2) > 10);
    for contact in detector.contacts().iter().chain(detector.near()) {
        // Within the existing elements.
        let mut contact = *contact;
        scene.refresh(&mut contact);
    }
    assert_eq!(
        (detector.progress().answered, detector.progress().short),
        (5, 0)
    );
}

/// Capacity is predicted from the pairs: after the first step, which has the worst-case capacity,
/// less suffices, and nothing overflows.
#[test]
fn room_follows_the_pairs() {
    let mut scene = row(12, 2);
    let settings = Settings {
        iterative: false,
        ..Settings::for_edges(0.01)
    };
    let mut detector = GpuDetector::new(gpu(), settings).unwrap();
    detector.set_min_capacity(0, 0);
    let mut first = 0;
    for step in 0..20 {
        stir(&mut scene, step);
        detector.submit(&mut scene).unwrap();
        detector.wait().unwrap();
        let tree = &detector.predicted()[0];
        if step == 0 {
            first = tree.elements;
        }
        assert_eq!(tree.short, 0);
        assert!(detector.report().tree <= tree.elements);
    }
    // The slab has eight points, and not all of a ball's points are near.
    let tree = &detector.predicted()[0];
    assert!(
        tree.elements < first && tree.steps == 20,
        "{first}, then {tree:?}"
    );
    assert_eq!(detector.progress().short, 0);
}

/// As many bodies again come within reach in one step: an overflowed answer is discarded, and the
/// next step traces all in full.
#[test]
fn an_answer_that_ran_short_is_not_taken_over() {
    let mut scene = row(24, 3);
    let far = |id: u32| Pose::translation(0.1 * f64::from(id), 5.0, 5.0);
    let settings = Settings::for_edges(0.02);
    let mut detector = GpuDetector::new(gpu(), settings).unwrap();
    detector.set_min_capacity(8, 8);
    let mut twin = Tracer::new(settings);
    // Barely in reach: few rays per pair.
    let high = |id: u32, z: f64| {
        let at = place(id - 1, 0).translation.vector;
        Pose::translation(2.0 * at.x, at.y, z)
    };
    let mut shorts = Vec::new();
    for step in 0..12 {
        scene.begin_step();
        for id in 1..scene.len() as u32 {
            let pose = match step {
                0..4 if id <= 2 => high(id, 0.1395),
                0..4 => far(id),
                _ => high(id, 0.11),
            };
            scene.set_pose(id, &pose).unwrap();
        }
        if step < 4 {
            detector.forget();
            twin.forget();
        }
        twin.step(&mut scene);
        detector.submit(&mut scene).unwrap();
        detector.wait().unwrap();
        shorts.push(detector.progress().short);
        assert!(detector.progress().age() <= 1);
        if detector.progress().age() == 0 {
            let (ours, theirs) = (detector.contacts().len(), twin.contacts().len());
            assert!(ours.abs_diff(theirs) * 100 <= theirs, "{ours}, {theirs}");
        }
    }
    assert!(shorts[3] == 0 && shorts[11] >= 1, "{shorts:?}");
    assert_eq!(detector.progress().age(), 0);
    assert!(twin.contacts().len() > 24 * 20);
}

/// A device is lost midway: the twin finds the same contacts in the same step, and the device finds
/// them again when it is back.
#[test]
fn a_lost_device_is_taken_over_and_handed_back() {
    let mut scene = row(6, 2);
    let settings = Settings::for_edges(0.01);
    let detector = GpuDetector::new(gpu(), settings).unwrap();
    let breaker = detector.gpu().breaker();
    let mut watched = Watched::new(Box::new(Waited(detector)), 4);
    let mut twin = Tracer::new(settings);
    let mut run = |watched: &mut Watched, steps: std::ops::Range<u32>, lose: Option<u32>| {
        for step in steps {
            stir(&mut scene, step);
            twin.step(&mut scene);
            watched.submit(&mut scene).unwrap();
            if lose == Some(step) {
                breaker.lose();
            } else {
                settle(watched);
            }
            let (ours, theirs) = (watched.contacts().len(), twin.contacts().len());
            assert!(
                theirs > 50 && ours.abs_diff(theirs) * 10 <= theirs,
                "{step}: {ours}, {theirs}"
            );
        }
    };
    run(&mut watched, 0..10, None);
    assert_eq!(watched.name(), "GPU");
    // Under way while it is lost: that answer never arrives, and the one before is held.
    run(&mut watched, 10..11, Some(10));
    run(&mut watched, 11..20, None);
    assert_eq!(watched.name(), "CPU");
    let incidents = watched.incidents();
    assert_eq!((incidents.takeovers, incidents.lost), (1, 1));
    assert!(
        incidents.reason.contains("the GPU failed") && incidents.reason.contains("lost"),
        "{}",
        incidents.reason
    );
    watched.try_recover().unwrap();
    run(&mut watched, 20..40, None);
    assert_eq!(watched.name(), "GPU");
    assert_eq!(watched.incidents().recovered, 1);
}
