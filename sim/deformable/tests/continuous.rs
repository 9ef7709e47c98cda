//! Steps without crossings: what rays let through is held.

mod common;

use common::{H, HALF_THICKNESS_M, cloth, ground, raised, settings, surface, volume};
use hapticd_deformable::world::{DeformableWorld, ObjectId};
use hapticd_deformable::{Continuous, ContinuousReport};
use hapticd_geometry::{Pose, Vec3, shapes};
use hapticd_xpbd::{ClothMaterial, ParticleId};

const HOLD: Continuous = Continuous::Hold { attempts: 8 };

/// Sums the reports of some steps.
fn run(world: &mut DeformableWorld, steps: u32) -> ContinuousReport {
    let mut sum = ContinuousReport::default();
    for _ in 0..steps {
        let report = *world.step(H).unwrap();
        let (held, skipped) = (
            report.dynamics.particles_held,
            report.dynamics.constraints_skipped,
        );
        assert_eq!((report.dynamics.contacts_refused, held, skipped), (0, 0, 0));
        sum.crossings += report.continuous.crossings;
        sum.prevented += report.continuous.prevented;
        sum.attempts += report.continuous.attempts;
        sum.stopped += report.continuous.stopped;
        sum.contacts += report.continuous.contacts;
        sum.tested += report.continuous.tested;
    }
    sum
}

fn throw(world: &mut DeformableWorld, id: ObjectId, speed: impl Fn(&Vec3) -> Vec3) {
    let deformable = world.deformable(id).unwrap();
    let range = world.dynamics().particles_of(deformable).unwrap();
    for i in range {
        let at = world.dynamics().positions()[i];
        (world.dynamics_mut())
            .set_particle(ParticleId(i as u32), at, speed(&at))
            .unwrap();
    }
}

/// A sheet thrown down on a thin rod that meets none of its points.
fn on_a_rod(mode: Continuous, speed: f64) -> (DeformableWorld, ObjectId) {
    let mut world = DeformableWorld::new(settings(0.025)).unwrap();
    world.set_continuous(mode);
    let rod = shapes::cylinder(0.003, 0.3, 8).unwrap();
    let along_y =
        nalgebra::UnitQuaternion::from_euler_angles(std::f64::consts::FRAC_PI_2, 0.0, 0.0);
    let pose = Pose::from_parts(Vec3::new(0.011, 0.0, 0.0).into(), along_y);
    world.add_fixed(volume(&rod), &pose, 0.5).unwrap();
    let sheet = raised(
        &shapes::sheet(0.15, 12).unwrap(),
        &Vec3::new(0.0, 0.0, 0.06),
    );
    let id = world.add_cloth(&sheet, &cloth(), 32, 0.5).unwrap();
    throw(&mut world, id, |_| Vec3::new(0.0, 0.0, -speed));
    (world, id)
}

#[test]
fn a_fast_sheet_does_not_fall_through_a_thin_rod() {
    for speed in [1.0, 5.0] {
        let height = |world: &DeformableWorld, id| {
            let points = surface(world, id);
            let over = points.iter().filter(|p| p.x.abs() < 0.02);
            over.clone().map(|p| p.z).sum::<f64>() / over.count() as f64
        };
        let (mut loose, id) = on_a_rod(Continuous::Count, speed);
        let through = run(&mut loose, 20);
        assert!(through.crossings > 20, "{speed} m/s: {through:?}");
        let (mut held, held_id) = on_a_rod(HOLD, speed);
        let kept = run(&mut held, 20);
        assert_eq!(kept.crossings, 0, "{speed} m/s: {kept:?}");
        assert!(kept.prevented > 10 && kept.contacts > 20, "{kept:?}");
        let heights = [height(&loose, id), height(&held, held_id)];
        assert!(heights[1] > -0.05 && heights[0] < heights[1], "{heights:?}");
    }
}

/// With no attempts, points stay where they were: rough, but nothing goes through.
#[test]
fn what_may_not_be_tried_again_stays_where_it_was() {
    let (mut held, id) = on_a_rod(Continuous::Hold { attempts: 0 }, 5.0);
    let kept = run(&mut held, 20);
    assert_eq!((kept.crossings, kept.attempts), (0, 0), "{kept:?}");
    assert!(kept.stopped > 10, "{kept:?}");
    let over = surface(&held, id);
    assert!(over.iter().any(|p| p.z > -0.005));
}

/// One half of a sheet is thrown over onto the other.
fn page(mode: Continuous) -> (DeformableWorld, ObjectId) {
    let mut world = DeformableWorld::new(settings(0.02)).unwrap();
    world.set_continuous(mode);
    ground(&mut world);
    let mut mesh = shapes::sheet(0.1, 10).unwrap();
    let positions = mesh.positions().iter().map(|p| {
        // One half stands upright.
        let (x, z) = if p.x > 0.0 { (0.0, p.x) } else { (p.x, 0.0) };
        Vec3::new(x, p.y, z + 0.01)
    });
    mesh = hapticd_geometry::TriMesh::new(positions.collect(), mesh.triangles().to_vec()).unwrap();
    let soft = ClothMaterial {
        bending_compliance_1_nm: None,
        ..cloth()
    };
    let id = world.add_cloth(&mesh, &soft, 32, 0.3).unwrap();
    throw(&mut world, id, |p| {
        Vec3::new(-60.0 * (p.z - 0.01).max(0.0), 0.0, 0.0)
    });
    (world, id)
}

#[test]
fn a_page_that_is_slammed_shut_does_not_go_through_the_other() {
    let (mut loose, _) = page(Continuous::Count);
    let through = run(&mut loose, 40);
    assert!(through.crossings > 10, "{through:?}");
    let (mut held, id) = page(HOLD);
    let kept = run(&mut held, 40);
    assert!(
        kept.crossings * 10 < through.crossings,
        "{kept:?} {through:?}"
    );
    for p in surface(&held, id) {
        assert!(p.z > -HALF_THICKNESS_M, "{p}");
    }
}

/// Counting changes nothing; in a world without crossings, holding changes nothing either.
#[test]
fn looking_changes_no_bit_and_holding_none_where_nothing_meets() {
    let end = |mode: Continuous| {
        let mut world = DeformableWorld::new(settings(0.025)).unwrap();
        world.set_continuous(mode);
        ground(&mut world);
        let sheet = raised(&shapes::sheet(0.1, 8).unwrap(), &Vec3::new(0.0, 0.0, 0.03));
        let id = world.add_cloth(&sheet, &cloth(), 32, 0.3).unwrap();
        let sum = run(&mut world, 30);
        assert_eq!(sum.crossings, 0);
        let bits = |p: &Vec3| p.map(f64::to_bits);
        surface(&world, id).iter().map(bits).collect::<Vec<_>>()
    };
    assert_eq!(end(Continuous::Off), end(Continuous::Count));
    assert_eq!(end(Continuous::Off), end(HOLD));
}

#[test]
fn reruns_are_bit_equal() {
    let end = || {
        let (mut world, id) = on_a_rod(HOLD, 3.0);
        let sum = run(&mut world, 15);
        let bits = |p: &Vec3| p.map(f64::to_bits);
        let points: Vec<_> = surface(&world, id).iter().map(bits).collect();
        (sum, points)
    };
    assert_eq!(end(), end());
}
