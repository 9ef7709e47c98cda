//! Small scenes with a predictable end, for any detector.
#![allow(dead_code)]

use std::sync::Arc;

use hapticd_deformable::world::{AddError, DeformableWorld, ObjectId, Settings};
use hapticd_geometry::{Adjacency, MassProperties, MeshReport, Pose, Quat, TriMesh, Vec3, shapes};
use hapticd_rays::{Detector, Shape, Topology};
use hapticd_xpbd::{self as xpbd, ClothMaterial, SoftMaterial};

/// Constructor of a detector.
pub type Make<'a> = &'a dyn Fn(hapticd_rays::Settings) -> Box<dyn Detector>;

pub const H: f64 = 1.0 / 60.0;
pub const HALF_THICKNESS_M: f64 = 0.002;

pub fn settings(mean_edge_m: f32) -> Settings {
    Settings {
        dynamics: xpbd::Settings {
            damping_1_s: 1.0,
            ..xpbd::Settings::default()
        },
        substeps: 10,
        rays: hapticd_rays::Settings::for_edges(mean_edge_m),
    }
}

pub fn volume(mesh: &TriMesh) -> Arc<Shape> {
    Arc::new(Shape::new(mesh, Topology::Volume, 32).unwrap())
}

pub fn ground(world: &mut DeformableWorld) {
    let slab = shapes::cuboid(&Vec3::new(1.0, 1.0, 0.1)).unwrap();
    let below = Pose::translation(0.0, 0.0, -0.1);
    world.add_fixed(volume(&slab), &below, 0.5).unwrap();
}

pub fn rigid(world: &mut DeformableWorld, mesh: &TriMesh, pose: &Pose) -> ObjectId {
    let report = MeshReport::of(mesh, &Adjacency::new(mesh));
    let mass = MassProperties::of(mesh, &report, 1000.0).unwrap();
    world.add_rigid(volume(mesh), &mass, pose, 0.5).unwrap()
}

pub fn cloth() -> ClothMaterial {
    ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-4,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 0.001,
        half_thickness_m: HALF_THICKNESS_M,
    }
}

pub fn raised(mesh: &TriMesh, by: &Vec3) -> TriMesh {
    let positions = mesh.positions().iter().map(|p| p + by).collect();
    TriMesh::new(positions, mesh.triangles().to_vec()).unwrap()
}

pub fn surface(world: &DeformableWorld, id: ObjectId) -> Vec<Vec3> {
    let deformable = world.deformable(id).unwrap();
    world.dynamics().surface(deformable).unwrap().to_vec()
}

pub fn flesh() -> SoftMaterial {
    SoftMaterial {
        density_kg_m3: 1000.0,
        young_pa: 2e4,
        poisson: 0.4,
        damping_s: 0.005,
        half_thickness_m: 0.0,
    }
}

/// Creates an empty world with a detector made by `make`.
pub fn world(settings: Settings, make: Make<'_>) -> DeformableWorld {
    let mut world = DeformableWorld::new(settings).unwrap();
    world.set_detector(make(settings.rays)).unwrap();
    world
}

/// A body whose mesh is neither at its centre of mass nor along its axes comes to rest on the
/// ground, upright.
pub fn brick(make: Make<'_>) {
    let mut world = world(settings(0.05), make);
    ground(&mut world);
    let brick = shapes::cuboid(&Vec3::new(0.1, 0.06, 0.03)).unwrap();
    // Its own frame is at a corner and rotated.
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

/// A plate that carries a brick is removed: the brick falls freely at once. A plate added in its
/// place carries it again.
pub fn plate(make: Make<'_>) {
    let mut world = world(settings(0.05), make);
    let plate = volume(&shapes::cuboid(&Vec3::new(0.2, 0.2, 0.05)).unwrap());
    let below = |z| Pose::translation(0.0, 0.0, z - 0.05);
    let first = world.add_kinematic(plate.clone(), &below(0.0), 0.5);
    let first = first.unwrap();
    let brick = shapes::cuboid(&Vec3::new(0.1, 0.06, 0.03)).unwrap();
    let brick = rigid(&mut world, &brick, &Pose::translation(0.0, 0.0, 0.031));
    let height = |world: &DeformableWorld| world.pose(brick).unwrap().translation.z;
    let speed = |world: &DeformableWorld| {
        let body = world.body(brick).unwrap();
        world.dynamics().body(body).unwrap().velocity.z
    };
    for _ in 0..60 {
        world.step(H).unwrap();
    }
    assert!((height(&world) - 0.03).abs() < 1e-3 && speed(&world).abs() < 1e-2);
    let nobody = ObjectId(9);
    assert_eq!(world.remove(nobody), Err(AddError::Stays(9)));
    world.remove(first).unwrap();
    assert_eq!(world.remove(first), Err(AddError::Stays(first.0)));
    assert_eq!(world.pose(first), None);
    let driven = world.drive(first, &below(0.0));
    assert_eq!(driven, Err(AddError::NotRigid(first.0)));
    let before = speed(&world);
    world.step(H).unwrap();
    assert_eq!(world.report().contacts, 0);
    let gained = speed(&world) - before;
    assert!((gained + 9.81 * H).abs() < 0.01, "{gained}");
    for _ in 0..2 {
        world.step(H).unwrap();
    }
    let second = world.add_fixed(plate, &below(-0.06), 0.5).unwrap();
    assert_eq!(second, first);
    for _ in 0..120 {
        world.step(H).unwrap();
    }
    assert!((height(&world) + 0.03).abs() < 2e-3, "{}", height(&world));
}

/// Digest item 35: a sheet on the ground rests at its half thickness, a second one on it at three
/// of them, without jitter.
pub fn two_sheets(make: Make<'_>, [jitter_m, at_borders_m]: [f64; 2]) {
    let mesh = shapes::sheet(0.1, 12).unwrap();
    let mut world = world(settings(0.02), make);
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
                // Points above an inner point of the lower sheet; at the borders the upper one
                // hangs over.
                let inner = p.xy().amax() < 0.08;
                if inner {
                    let height = layer * HALF_THICKNESS_M;
                    assert!((p.z - height).abs() < 1e-4, "layer {layer}: {p}");
                }
                let moved = p - was;
                let most = if inner { jitter_m } else { at_borders_m };
                assert!(moved.z.abs() < most, "jitter of {} m: {p}", moved.z);
                assert!(moved.xy().norm() < 1e-4, "creep of {} m", moved.xy().norm());
            }
            *last = now;
        }
    }
}

/// A soft ball on the ground is flattened below, keeps about its volume, and comes to rest.
pub fn soft_ball(make: Make<'_>) {
    let ball = raised(
        &shapes::icosphere(0.05, 3).unwrap(),
        &Vec3::new(0.0, 0.0, 0.055),
    );
    let mut world = world(settings(0.015), make);
    ground(&mut world);
    let id = world.add_soft(&ball, 6, &flesh(), 32, 0.5).unwrap();
    for _ in 0..240 {
        world.step(H).unwrap();
    }
    let points = surface(&world, id);
    let low = points.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let high = points.iter().map(|p| p.z).fold(f64::NEG_INFINITY, f64::max);
    assert!(low > -1e-3 && low < 1e-3, "{low}");
    // Its weight flattens it by some millimetres: about its weight over its diameter and stiffness.
    assert!((0.085..0.0995).contains(&(high - low)), "{}", high - low);
    let flat = points.iter().filter(|p| p.z < 1e-3).count();
    assert!(flat > 10, "{flat}");
    // It may still roll, by less than 6 mm/s.
    let energy = world.dynamics().kinetic_energy();
    assert!(energy < 1e-5, "{energy}");
}
