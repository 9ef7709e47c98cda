//! A step does not allocate once its buffers have grown: counted by the allocator itself.

use std::sync::Arc;

use hapticd_counting::{Counting, counted};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_rays::{RayScene, Settings, Shape, Topology, Tracer};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn stepping_never_allocates() {
    let ball = shapes::icosphere(0.02, 2).unwrap();
    let ball = Arc::new(Shape::new(&ball, Topology::Volume, 32).unwrap());
    let mesh = shapes::sheet(0.1, 16).unwrap();
    let cloth = Topology::Sheet {
        half_thickness_m: 0.001,
    };
    let cloth = Arc::new(Shape::new(&mesh, cloth, 32).unwrap());
    let mut scene = RayScene::new();
    let sheet = scene.add_deformable(cloth);
    let balls: Vec<u32> = (0..12)
        .map(|k| {
            let pose = Pose::translation(
                0.03 * f64::from(k % 4) - 0.05,
                0.03 * f64::from(k / 4) - 0.03,
                0.0,
            );
            scene.add_rigid(ball.clone(), &pose, false).unwrap()
        })
        .collect();
    let mut tracer = Tracer::new(Settings::for_edges(0.01));
    let mut points: Vec<Vec3> = mesh.positions().to_vec();
    let mut run = |steps: std::ops::Range<u32>| {
        let (mut contacts, mut full) = (0, 0);
        for step in steps {
            let s = f64::from(step % 40) / 40.0 * std::f64::consts::TAU;
            scene.begin_step();
            for (p, rest) in points.iter_mut().zip(mesh.positions()) {
                p.z = 0.01 + 0.006 * s.sin() + 0.003 * (40.0 * rest.x + s).sin();
            }
            scene.set_points(sheet, &points).unwrap();
            for (&id, k) in balls.iter().zip(0..12) {
                let x = 0.03 * f64::from(k % 4) - 0.05 + 0.004 * (s + f64::from(k)).sin();
                let pose = Pose::translation(x, 0.03 * f64::from(k / 4) - 0.03, 0.0);
                scene.set_pose(id, &pose).unwrap();
            }
            contacts += tracer.step(&mut scene).len();
            full += tracer.report().tree + tracer.report().basic;
        }
        (contacts, full)
    };
    // On one thread, in the pool: only this thread's allocations are counted, and handing over to a
    // pool is not part of the step.
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build()
        .unwrap();
    pool.install(|| {
        run(0..80);
        let ((contacts, full), calls) = counted(|| run(80..160));
        assert!(contacts > 5_000 && full > 10_000, "{contacts} {full}");
        assert_eq!(calls, 0);
    });
}
