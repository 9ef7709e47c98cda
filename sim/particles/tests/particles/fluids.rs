//! Fluid-like particles: a puddle, a drop, two drops.

use hapticd_particles::Vec3;
use hapticd_particles::{FluidMaterial, Region, Settings, SphereWorld};

use crate::{go, near, pool, weightless};

/// A column collapses to a puddle, fills the box, and stays: 10,000 steps without drift or
/// explosion.
#[test]
fn a_puddle_in_a_box_settles_and_stays() {
    let mut world = crate::earth();
    let size = Vec3::new(0.08, 0.08, 0.0);
    let drops = pool(&mut world, [4, 4, 20], size);
    let mut fastest: f64 = 0.0;
    for _ in 0..2500 {
        go(&mut world, 1);
        fastest = world
            .velocities()
            .iter()
            .map(|v| v.norm())
            .fold(fastest, f64::max);
    }
    // From 20 cm nothing is faster than free fall.
    assert!(fastest < 2.1, "{fastest}");
    let height = |w: &SphereWorld| {
        let sum: f64 = w.positions().iter().map(|p| p.z).sum();
        2.0 * sum / drops.len() as f64
    };
    let settled = height(&world);
    // 320 spheres of 10 mm: from the densest packing (0.74) to a loose one (0.52), with the walls'
    // share.
    let volume = 320.0 * core::f64::consts::PI / 6.0 * 1e-6;
    let (dense, loose) = (volume / 0.74 / 0.0064, volume / 0.5 / 0.0064);
    assert!(
        (dense..loose).contains(&settled),
        "{settled} of {dense} to {loose}"
    );
    go(&mut world, 5000);
    let slow = world.positions().to_vec();
    go(&mut world, 2500);
    assert!(
        near(height(&world), settled, 0.05),
        "{settled} {}",
        height(&world)
    );
    let drift = (slow.iter().zip(world.positions()))
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max);
    assert!(drift < 1e-4, "{drift}");
    // It jitters: 320 g at a few millimetres a second, micrometres a substep.
    assert!(world.kinetic_energy() < 2e-6, "{}", world.kinetic_energy());
    for p in world.positions() {
        assert!(
            p.z > 0.005 - 1e-6 && p.x > 0.005 - 1e-6 && p.x < 0.075 + 1e-6,
            "{p:?}"
        );
    }
}

/// A fluid compressed to three fifths of its spacing bursts, and makes no energy.
#[test]
fn a_drop_from_too_dense_a_start_makes_no_energy() {
    let material = FluidMaterial {
        cohesion_n_m: 60.0,
        viscosity_1_s: 40.0,
        ..FluidMaterial::default()
    };
    let points = Region::Ellipsoid(Vec3::zeros(), Vec3::repeat(0.02))
        .fill(0.006)
        .unwrap();
    let mut world = weightless();
    world.fluid(&points, 0, 0.005, 0.001, &material).unwrap();
    let energy = |w: &SphereWorld| {
        let x = w.positions();
        let mut sum = w.kinetic_energy();
        for i in 0..x.len() {
            for j in 0..i {
                sum += material.energy_j((x[i] - x[j]).norm(), 0.005);
            }
        }
        sum
    };
    let first = energy(&world);
    let mut last = first;
    for i in 0..1500 {
        go(&mut world, 1);
        let e = energy(&world);
        // While it bursts, each pair uses the slightly older positions of the others: half a per
        // cent either way.
        let play = if i < 250 { 0.01 } else { 1e-4 };
        assert!(
            e <= last + play * first.abs(),
            "{i}: {last} to {e} of {first}"
        );
        assert!(e <= first);
        last = e;
    }
    let p = world.momentum().norm();
    assert!(p < 1e-12, "{p}");
}

/// Without gravity, a stirred cube of fluid holds together: all of it is within reach of the rest,
/// in a ball not much larger than the packed one.
#[test]
fn a_drop_holds_together() {
    let material = FluidMaterial {
        cohesion_n_m: 60.0,
        ..FluidMaterial::default()
    };
    let points = Region::Box(Vec3::zeros(), Vec3::repeat(0.025))
        .fill(0.01)
        .unwrap();
    let mut world = weightless();
    let drops = world.fluid(&points, 0, 0.005, 0.001, &material).unwrap();
    for i in drops {
        let x = world.positions()[i as usize];
        let v = Vec3::new(
            (300.0 * x.y).sin(),
            (200.0 * x.z).sin(),
            (100.0 * x.x).sin(),
        ) * 0.02;
        world.place(i, x, v).unwrap();
    }
    go(&mut world, 2000);
    let middle = world.positions().iter().sum::<Vec3>() / points.len() as f64;
    let wide = (world.positions().iter())
        .map(|x| (x - middle).norm())
        .fold(0.0, f64::max);
    // 125 balls of 10 mm at 0.64 fill a ball of 29 mm; their centres one of 24.
    assert!((0.02..0.035).contains(&wide), "{wide}");
}

/// Two pairs that rotate freely keep their angular momentum: viscosity acts along the line of
/// centres.
#[test]
fn viscosity_does_not_brake_a_rotation() {
    let mut world = SphereWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        substeps: 40,
        ..Settings::default()
    })
    .unwrap();
    let material = FluidMaterial {
        viscosity_1_s: 50.0,
        ..FluidMaterial::default()
    };
    let points = [Vec3::x() * 0.005, Vec3::x() * -0.005];
    world.fluid(&points, 0, 0.005, 0.001, &material).unwrap();
    for (i, sign) in [(0, 1.0), (1, -1.0)] {
        world
            .place(i, points[i as usize], Vec3::y() * (0.05 * sign))
            .unwrap();
    }
    let l = world.angular_momentum();
    go(&mut world, 250);
    let kept = world.angular_momentum().z / l.z;
    assert!((kept - 1.0).abs() < 0.01, "{kept}");
}

/// With more viscosity, less of a stir is left after the same time.
#[test]
fn viscosity_stills_a_stir() {
    let mut left = Vec::new();
    for viscosity_1_s in [0.0, 10.0, 200.0] {
        // Without cohesion, which would contract the grid and stir by itself.
        let material = FluidMaterial {
            viscosity_1_s,
            cohesion_n_m: 0.0,
            ..FluidMaterial::default()
        };
        let points = Region::Ellipsoid(Vec3::zeros(), Vec3::repeat(0.03))
            .fill(0.01)
            .unwrap();
        let mut world = weightless();
        let drops = world.fluid(&points, 0, 0.005, 0.001, &material).unwrap();
        for i in drops {
            let x = world.positions()[i as usize];
            let v = Vec3::new(0.0, 0.05 * (200.0 * x.x).sin(), 0.0);
            world.place(i, x, v).unwrap();
        }
        let whole = world.kinetic_energy();
        go(&mut world, 25);
        left.push(world.kinetic_energy() / whole);
    }
    assert!(left[2] < 0.6 * left[1] && left[1] < left[0], "{left:?}");
}

/// A fluid's values out of range are refused with the number; nothing is added.
#[test]
fn fluids_that_cannot_be_are_refused() {
    let mut world = weightless();
    let fine = FluidMaterial::default();
    let mut add = |points: &[Vec3], radius: f64, mass: f64, m: FluidMaterial| {
        let fault = world.fluid(points, 0, radius, mass, &m).unwrap_err();
        assert!(world.positions().is_empty());
        fault.to_string()
    };
    let one = [Vec3::zeros()];
    for (m, text) in [
        (
            FluidMaterial {
                stiffness_n_m: 0.0,
                cohesion_n_m: 0.0,
                ..fine
            },
            "stiffness_n_m = 0",
        ),
        (
            FluidMaterial {
                cohesion_n_m: 201.0,
                ..fine
            },
            "cohesion_n_m = 201",
        ),
        (FluidMaterial { reach: 1.0, ..fine }, "reach = 1 "),
        (
            FluidMaterial {
                viscosity_1_s: f64::NAN,
                ..fine
            },
            "viscosity_1_s = NaN",
        ),
    ] {
        let said = add(&one, 0.01, 0.01, m);
        assert!(said.contains(text), "{said}");
    }
    assert!(add(&one, 0.0, 0.01, fine).contains("radius_m = 0"));
    assert!(add(&one, 0.01, -1.0, fine).contains("mass_kg = -1"));
    assert!(add(&[Vec3::repeat(f64::NAN)], 0.01, 0.01, fine).contains("point"));
}
