//! Small scenes with an end that can be told beforehand.

use std::sync::Arc;

use hapticd_dynamics::xpbd::{self, ClothMaterial, SoftMaterial};
use hapticd_geometry::{Adjacency, MassProperties, MeshReport, Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::{Shape, Topology};
use hapticd_soft::{AddError, ObjectId, Settings, SoftWorld};

const H: f64 = 1.0 / 60.0;
const HALF_THICKNESS_M: f64 = 0.002;

fn settings(mean_edge_m: f32) -> Settings {
    Settings {
        dynamics: xpbd::Settings {
            damping_1_s: 1.0,
            ..xpbd::Settings::default()
        },
        substeps: 10,
        rays: hapticd_rays::Settings::for_edges(mean_edge_m),
    }
}

fn volume(mesh: &TriMesh) -> Arc<Shape> {
    Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap())
}

fn ground(world: &mut SoftWorld) {
    let slab = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap();
    let below = Pose::translation(0.0, 0.0, -0.1);
    world.add_fixed(volume(&slab), &below, 0.5).unwrap();
}

fn rigid(world: &mut SoftWorld, mesh: &TriMesh, pose: &Pose) -> ObjectId {
    let report = MeshReport::of(mesh, &Adjacency::new(mesh));
    let mass = MassProperties::of(mesh, &report, 1000.0).unwrap();
    world.add_rigid(volume(mesh), &mass, pose, 0.5).unwrap()
}

fn cloth() -> ClothMaterial {
    ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-4,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 0.001,
        half_thickness_m: HALF_THICKNESS_M,
    }
}

fn raised(mesh: &TriMesh, by: &Vec3) -> TriMesh {
    let positions = mesh.positions().iter().map(|p| p + by).collect();
    TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
}

fn surface(world: &SoftWorld, id: ObjectId) -> Vec<Vec3> {
    let deformable = world.deformable(id).unwrap();
    world.dynamics().surface(deformable).unwrap().to_vec()
}

/// A body whose mesh is neither at its centre of mass nor along its axes comes to rest on the ground, upright.
#[test]
fn a_brick_comes_to_rest() {
    let mut world = SoftWorld::new(settings(0.05)).unwrap();
    ground(&mut world);
    let brick = shapes::cuboid(&Vec3::new(0.1, 0.06, 0.03)).unwrap();
    // Its own frame is at a corner and turned.
    let turn = Quat::from_euler_angles(0.3, -0.2, 0.9);
    let positions = (brick.positions().iter())
        .map(|p| turn * (p + Vec3::new(0.1, 0.06, 0.03)))
        .collect();
    let odd = TriMesh::new(positions, brick.triangles().to_vec()).unwrap();
    let pose = Pose::from_parts(Vec3::new(-0.1, -0.06, 0.05).into(), turn.inverse());
    let id = rigid(&mut world, &odd, &pose);
    for _ in 0..120 {
        world.step(H).unwrap();
    }
    let end = world.pose(id).unwrap();
    assert!(end.rotation.angle_to(&pose.rotation) < 0.02, "{end}");
    assert!(end.translation.z.abs() < 1e-3, "{end}");
    let body = world.dynamics().body(world.body(id).unwrap()).unwrap();
    assert!(body.velocity.norm() < 1e-2, "{body:?}");
    assert!(
        (1..=4).contains(&world.report().contacts),
        "{:?}",
        world.report()
    );
}

/// Digest item 35: a sheet on the ground rests at its half thickness, a second on it at three of them, without jitter.
#[test]
fn two_sheets_rest_at_their_thicknesses() {
    let mesh = shapes::sheet(0.1, 12).unwrap();
    let mut world = SoftWorld::new(settings(0.02)).unwrap();
    ground(&mut world);
    let lower = raised(&mesh, &Vec3::new(0.0, 0.0, 0.004));
    let upper = raised(&mesh, &Vec3::new(0.004, 0.002, 0.012));
    let ids = [lower, upper].map(|m| world.add_cloth(&m, &cloth(), 32, 0.3).unwrap());
    for _ in 0..240 {
        world.step(H).unwrap();
    }
    let mut last = ids.map(|id| surface(&world, id));
    for _ in 0..30 {
        world.step(H).unwrap();
        for ((id, last), layer) in ids.into_iter().zip(&mut last).zip([1.0, 3.0]) {
            let now = surface(&world, id);
            for (p, was) in now.iter().zip(last.iter()) {
                // What lies on an inner point of the lower sheet; at the borders the upper one hangs over.
                if p.xy().amax() < 0.08 {
                    let height = layer * HALF_THICKNESS_M;
                    assert!((p.z - height).abs() < 1e-4, "layer {layer}: {p}");
                }
                let moved = p - was;
                assert!(moved.z.abs() < 5e-6, "jitter of {} m", moved.z);
                assert!(moved.xy().norm() < 1e-4, "creep of {} m", moved.xy().norm());
            }
            *last = now;
        }
    }
}

/// Digest items 36 and 6.7: two sheets fall on a ball. With inversions handled none of the points of one is on the wrong side of the other at the end.
#[test]
fn two_sheets_on_a_ball_do_not_tangle() {
    let mesh = shapes::sheet(0.15, 24).unwrap();
    let mut settings = settings(0.0125);
    settings.rays.prediction_m = 0.012;
    let mut world = SoftWorld::new(settings).unwrap();
    let ball = shapes::icosphere(0.06, 3).unwrap();
    world
        .add_fixed(volume(&ball), &Pose::identity(), 0.3)
        .unwrap();
    let ids = [0.07, 0.08].map(|z| {
        let sheet = raised(&mesh, &Vec3::new(0.002 * z, 0.0, z));
        world.add_cloth(&sheet, &cloth(), 32, 0.3).unwrap()
    });
    let mut inverted = 0;
    for _ in 0..180 {
        let report = world.step(H).unwrap();
        inverted = report.rays.inversions;
        assert_eq!(
            report.dynamics.particles_held + report.dynamics.constraints_skipped,
            0
        );
    }
    assert_eq!(inverted, 0);
    let [lower, upper] = ids.map(|id| surface(&world, id));
    // They hang on the ball, nothing is in it, and where they lie on its top they are in order.
    for p in lower.iter().chain(&upper) {
        assert!(p.norm() > 0.055, "in the ball: {p}");
        assert!(p.z > -0.3, "fell off: {p}");
    }
    let top = |points: &[Vec3]| -> f64 {
        let near = points.iter().filter(|p| p.xy().norm() < 0.02);
        near.clone().map(|p| p.z).sum::<f64>() / near.count() as f64
    };
    let between = top(&upper) - top(&lower);
    assert!((between - 2.0 * HALF_THICKNESS_M).abs() < 1e-3, "{between}");
}

/// A soft ball on the ground: it is flattened below, keeps its volume about, and comes to rest.
#[test]
fn a_soft_ball_rests_on_the_ground() {
    let ball = raised(
        &shapes::icosphere(0.05, 3).unwrap(),
        &Vec3::new(0.0, 0.0, 0.055),
    );
    let mut world = SoftWorld::new(settings(0.015)).unwrap();
    ground(&mut world);
    let material = SoftMaterial {
        density_kg_m3: 1000.0,
        young_pa: 2e4,
        poisson: 0.4,
        damping_s: 0.005,
        half_thickness_m: 0.0,
    };
    let id = world.add_soft(&ball, 6, &material, 32, 0.5).unwrap();
    for _ in 0..240 {
        world.step(H).unwrap();
    }
    let points = surface(&world, id);
    let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    assert!(low > -1e-3 && low < 1e-3, "{low}");
    // Its weight flattens it by some millimetres: about its weight by its diameter and stiffness.
    assert!((0.085..0.0995).contains(&(high - low)), "{}", high - low);
    let flat = points.iter().filter(|p| p.z < 1e-3).count();
    assert!(flat > 10, "{flat}");
    // It may still roll, by less than 6 mm/s.
    let energy = world.dynamics().kinetic_energy();
    assert!(energy < 1e-5, "{energy}");
}

/// The same world twice gives the same bits.
#[test]
fn reruns_are_bit_equal() {
    let run = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new()
            .num_threads(threads)
            .build()
            .unwrap();
        pool.install(|| {
            let mut world = SoftWorld::new(settings(0.02)).unwrap();
            ground(&mut world);
            let mesh = raised(&shapes::sheet(0.1, 10).unwrap(), &Vec3::new(0.0, 0.0, 0.05));
            let sheet = world.add_cloth(&mesh, &cloth(), 32, 0.3).unwrap();
            let ball = shapes::icosphere(0.02, 2).unwrap();
            let ball = rigid(&mut world, &ball, &Pose::translation(0.01, 0.0, 0.08));
            for _ in 0..60 {
                world.step(H).unwrap();
            }
            let bits = |p: &Vec3| p.map(f64::to_bits);
            let points: Vec<_> = surface(&world, sheet).iter().map(bits).collect();
            (points, bits(&world.pose(ball).unwrap().translation.vector))
        })
    };
    assert_eq!(run(1), run(3));
}

#[test]
fn what_is_refused_is_in_neither_half() {
    let mut world = SoftWorld::new(settings(0.02)).unwrap();
    let mesh = shapes::sheet(0.1, 4).unwrap();
    let bad = [
        world.add_cloth(&mesh, &cloth(), 32, -1.0).unwrap_err(),
        world
            .add_cloth(
                &mesh,
                &ClothMaterial {
                    density_kg_m2: 0.0,
                    ..cloth()
                },
                32,
                0.3,
            )
            .unwrap_err(),
        world
            .add_cloth(
                &mesh,
                &ClothMaterial {
                    half_thickness_m: 1.0,
                    ..cloth()
                },
                32,
                0.3,
            )
            .unwrap_err(),
    ];
    assert!(matches!(bad[0], AddError::Friction(_)));
    assert!(matches!(bad[1], AddError::Cloth(_)));
    assert!(matches!(bad[2], AddError::Shape(_)));
    let ball = shapes::icosphere(0.02, 1).unwrap();
    let report = MeshReport::of(&ball, &Adjacency::new(&ball));
    let mass = MassProperties::of(&ball, &report, 1000.0).unwrap();
    let none = MassProperties {
        mass: f64::NAN,
        ..mass
    };
    let here = Pose::identity();
    assert!(world.add_rigid(volume(&ball), &none, &here, 0.5).is_err());
    let far = Pose::translation(f64::NAN, 0.0, 0.0);
    assert!(world.add_rigid(volume(&ball), &mass, &far, 0.5).is_err());
    assert!(world.scene().is_empty());
    assert_eq!(
        (world.dynamics().bodies(), world.dynamics().deformables()),
        (0, 0)
    );
    // And the next one is whole.
    assert_eq!(
        world.add_rigid(volume(&ball), &mass, &here, 0.5).unwrap(),
        ObjectId(0)
    );
    world.step(H).unwrap();
    assert!(world.step(f64::NAN).is_err());
}
