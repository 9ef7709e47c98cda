//! A step of the GPU's detector allocates only for wgpu's commands: as often in a large scene as in
//! a small one. With ray queries wgpu also allocates for each pose that is sent.

// Prints figures for `--nocapture`.
#![allow(clippy::print_stdout)]

mod common;

use std::sync::Arc;

use common::gpu;
use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Pose, TriMesh, Vec3, shapes};
use hapticd_rays::{Detector, RayScene, Settings, Shape, Topology};
use hapticd_shaders::GpuDetector;

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Number of steps counted.
const STEPS: u64 = 20;
/// Allocations for each object in each step that rebuilds the structure of instances.
const WGPU_TAKES: u64 = 2;

/// Allocator calls in those steps with that many balls and as many cloths, and the contacts found.
fn calls(balls: u32) -> (u64, usize) {
    let made = |mesh: &TriMesh, topology| Arc::new(Shape::new(mesh, topology, 32).unwrap());
    let ball = made(&shapes::icosphere(0.02, 2).unwrap(), Topology::Volume);
    let slab = shapes::cuboid(&Vec3::new(2.0, 2.0, 0.1)).unwrap();
    let mut scene = RayScene::new();
    let slab = made(&slab, Topology::Volume);
    scene.add_rigid(slab, &Pose::identity(), true).unwrap();
    let place = |k: u32, step: u32| {
        let swing = 0.002 * (f64::from(step) * 0.4 + f64::from(k)).sin();
        Pose::translation(0.038 * f64::from(k), 0.0, 0.115 + swing)
    };
    for k in 0..balls {
        scene.add_rigid(ball.clone(), &place(k, 0), false).unwrap();
    }
    let mesh = shapes::sheet(0.1, 12).unwrap();
    let cloth = Topology::Sheet {
        half_thickness_m: 0.001,
    };
    let sheet = scene.add_deformable(made(&mesh, cloth));
    let mut points: Vec<Vec3> = mesh.positions().to_vec();
    let mut detector = GpuDetector::new(gpu(), Settings::for_edges(0.01)).unwrap();
    let mut contacts = 0;
    let mut run = |steps: std::ops::Range<u32>| {
        for step in steps {
            scene.begin_step();
            for k in 0..balls {
                scene.set_pose(k + 1, &place(k, step % 16)).unwrap();
            }
            for (p, rest) in points.iter_mut().zip(mesh.positions()) {
                p.z = 0.1 + 0.002 * (f64::from(step % 16) * 0.4 + 40.0 * rest.x).sin();
            }
            scene.set_points(sheet, &points).unwrap();
            detector.submit(&mut scene).unwrap();
            detector.wait().unwrap();
            contacts += detector.contacts().len();
        }
    };
    // On one thread, in the pool: only this thread's calls are counted.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    let calls = pool.install(|| {
        run(0..40);
        counted(|| run(40..40 + STEPS as u32)).1
    });
    (calls, contacts)
}

#[test]
fn a_step_takes_no_memory_of_ours() {
    let ((few, some), (many, more)) = (calls(2), calls(24));
    println!("{few} calls with {some} contacts, {many} with {more}");
    assert!(more > 3 * some && some > 1000);
    // The driver's own queues grow now and then.
    let wgpus = if gpu().ray_queries() {
        STEPS * WGPU_TAKES * (24 - 2)
    } else {
        0
    };
    assert!(
        many <= few + few / 20 + wgpus,
        "{few} calls, then {many}, of which wgpu may take {wgpus}"
    );
}
