//! Worlds of soft bodies with contacts from the GPU: bodies that rest on the twin's contacts rest
//! on these.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

use crate::common;
use crate::detectors;
use crate::scenes;

use common::gpu;
use common::waited::Waited;
use detectors::late::Late;
use hapticd_deformable::world::{DeformableWorld, StepError};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rays::{Detector, PATIENCE, Separation, Settings, Tracer, Watched};
use hapticd_shaders::GpuDetector;

/// Every step waits for its answer: the results are the same in every run.
fn on_gpu(settings: Settings) -> Box<dyn Detector> {
    let detector = GpuDetector::new(gpu(), settings).unwrap();
    Box::new(Late::new(Box::new(Waited(detector)), 0))
}

#[test]
fn a_brick_comes_to_rest() {
    scenes::brick(&on_gpu);
}

#[test]
fn two_sheets_rest_at_their_thicknesses() {
    scenes::two_sheets(&on_gpu, [5e-6; 2]);
}

#[test]
fn a_soft_ball_rests_on_the_ground() {
    scenes::soft_ball(&on_gpu);
}

/// Immediately, and two steps late.
#[test]
fn what_goes_carries_nothing_and_what_comes_does() {
    for by in [0, 2] {
        scenes::plate(&|settings| Box::new(Late::new(on_gpu(settings), by)));
    }
}

/// A step late, like a GPU that works while the world goes on.
#[test]
fn a_step_late_a_brick_comes_to_rest_all_the_same() {
    let late = |settings| -> Box<dyn Detector> { Box::new(Late::new(on_gpu(settings), 1)) };
    scenes::brick(&late);
}

/// A soft ball and a brick at rest on the ground; returns the greatest depth of each one's lowest
/// point so far, m.
fn resting(world: &mut DeformableWorld, steps: u32, mut each: impl FnMut(u32)) -> [f64; 2] {
    let ids = world_of(world);
    let mut deepest = [0.0_f64; 2];
    for step in 0..steps {
        each(step);
        world.step(scenes::H).unwrap();
        let ball = scenes::surface(world, ids[0]);
        let low = |z: f64, p: &Vec3| z.min(p.z);
        deepest[0] = deepest[0].min(ball.iter().fold(0.0, low));
        let pose = world.pose(ids[1]).unwrap();
        let corners = world.scene().shape(ids[1].0).points();
        let at = |p: &hapticd_rays::V3| pose * nalgebra::Point3::from(p.cast::<f64>());
        deepest[1] = corners.iter().fold(deepest[1], |z, p| z.min(at(p).z));
    }
    deepest
}

fn world_of(world: &mut DeformableWorld) -> [hapticd_deformable::world::ObjectId; 2] {
    scenes::ground(world);
    let ball = scenes::raised(
        &shapes::icosphere(0.05, 3).unwrap(),
        &Vec3::new(0.0, 0.0, 0.051),
    );
    let ball = world.add_soft(&ball, 6, &scenes::flesh(), 32, 0.5).unwrap();
    let brick = shapes::cuboid(&Vec3::new(0.1, 0.06, 0.03)).unwrap();
    let brick = scenes::rigid(world, &brick, &Pose::translation(0.3, 0.0, 0.031));
    [ball, brick]
}

/// Whenever the answers arrive: the world does not wait, the device is lost midway and regained
/// later, and resting bodies stay in place, no deeper than on the twin's contacts.
#[test]
fn what_rests_stays_when_the_device_is_lost() {
    const STEPS: u32 = 150;
    let settings = scenes::settings(0.015);
    let mut alone = DeformableWorld::new(settings).unwrap();
    let without = resting(&mut alone, STEPS, |_| {});

    let mut world = DeformableWorld::new(settings).unwrap();
    let detector = GpuDetector::new(gpu(), settings.rays).unwrap();
    let breaker = detector.gpu().breaker();
    let watched = Watched::new(Box::new(detector), PATIENCE);
    world.set_detector(Box::new(watched)).unwrap();
    let with = resting(&mut world, STEPS, |step| {
        if step == 60 {
            breaker.lose();
        }
    });
    let incidents = world.detector().incidents().unwrap();
    assert!(incidents.lost + incidents.hung >= 1, "{incidents:?}");
    assert_eq!(world.detector().name(), "CPU");
    world.detector_mut().recover().unwrap();
    println!("deepest {with:?} m, {without:?} m without a loss");
    for (with, without) in with.iter().zip(without) {
        assert!(
            *with > without - 1e-4,
            "{with} m, {without} m without a loss"
        );
    }
    // On probation again, and nothing has moved meanwhile.
    for _ in 0..30 {
        world.step(scenes::H).unwrap();
    }
    let ball = scenes::surface(&world, hapticd_deformable::world::ObjectId(1));
    let low = ball.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    assert!(low.abs() < 2e-3, "{low}");
}

/// Without a supervisor, a lost device is an error of the step, and nothing has moved; another
/// detector can continue.
#[test]
fn without_a_watch_a_loss_ends_the_step() {
    let mut world = DeformableWorld::new(scenes::settings(0.015)).unwrap();
    let [_, brick] = world_of(&mut world);
    let rays = scenes::settings(0.015).rays;
    let detector = GpuDetector::new(gpu(), rays).unwrap();
    let breaker = detector.gpu().breaker();
    world.set_detector(Box::new(Waited(detector))).unwrap();
    for _ in 0..5 {
        world.step(scenes::H).unwrap();
    }
    let before = world.pose(brick);
    breaker.lose();
    let error = world.step(scenes::H).unwrap_err();
    assert!(matches!(error, StepError::Detector(_)), "{error}");
    assert_eq!(world.pose(brick), before);
    let old = world.set_detector(Box::new(Tracer::new(rays))).unwrap();
    assert_eq!(old.name(), "GPU");
    world.step(scenes::H).unwrap();
    assert_ne!(world.pose(brick), before);

    // The world must request only what a detector supports.
    let mut settings = scenes::settings(0.015);
    settings.rays.separation = Separation::Ray;
    let mut world = DeformableWorld::new(settings).unwrap();
    let refused = world.set_detector(on_gpu(rays)).unwrap_err();
    assert!(refused.to_string().contains("Separation::Ray"), "{refused}");
    assert_eq!(world.detector().name(), "CPU");
}
