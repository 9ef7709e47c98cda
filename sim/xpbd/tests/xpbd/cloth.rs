//! Particles, threads, hinges, holds.

use hapticd_xpbd::Vec3;
use hapticd_xpbd::{ClothMaterial, ContactPoint, ParticleId, XpbdWorld};

use crate::{FRAME, G, earth, grid, near, still, weightless};

const COTTON: ClothMaterial = ClothMaterial {
    density_kg_m2: 0.15,
    stretch_compliance_m_n: 1e-5,
    bending_compliance_1_nm: Some(1e5),
    damping_s: 0.0,
    half_thickness_m: 5e-4,
};

/// The scheme is semi-implicit Euler: exact in velocity, `g t h / 2` low in position.
#[test]
fn free_fall_is_the_schemes_own_to_rounding() {
    let mut world = earth();
    let v = Vec3::new(1.0, -2.0, 3.0);
    let p = world.add_particle(Vec3::zeros(), v, 0.3).unwrap();
    for _ in 0..60 {
        world.step(FRAME, 10, &[]).unwrap();
    }
    let t = 60.0 * FRAME;
    let h = FRAME / 10.0;
    let down = Vec3::new(0.0, 0.0, -G);
    assert!((world.velocities()[p.0 as usize] - (v + down * t)).norm() < 1e-12);
    let fallen = v * t + down * (t * (t + h) / 2.0);
    assert!((world.positions()[p.0 as usize] - fallen).norm() < 1e-11);
}

/// Linear momentum to rounding. Angular momentum has the error of a first-order scheme, smaller
/// with smaller substeps.
#[test]
fn a_thrown_cloth_keeps_its_momenta() {
    let lost = [10, 20].map(|substeps| {
        let (positions, triangles) = grid([8, 8], [0.4, 0.4]);
        let mut world = weightless();
        let cloth = world.add_cloth(&positions, &triangles, &COTTON).unwrap();
        for i in world.particles_of(cloth).unwrap() {
            let x = positions[i] - Vec3::new(0.2, 0.2, 0.0);
            let v = Vec3::new(1.0, 0.5, -0.2)
                + Vec3::new(1.0, 2.0, 3.0).cross(&x)
                + Vec3::z() * (20.0 * x.x * x.y);
            let id = ParticleId(i as u32);
            world.set_particle(id, positions[i], v).unwrap();
        }
        let (p, l) = (world.momentum(), world.angular_momentum());
        for _ in 0..60 {
            world.step(FRAME, substeps, &[]).unwrap();
        }
        assert!((world.momentum() - p).norm() < 1e-12 * p.norm());
        (world.angular_momentum() - l).norm() / l.norm()
    });
    assert!(lost[0] < 0.04, "{lost:?}");
    assert!(lost[1] < 0.7 * lost[0], "{lost:?}");
}

#[test]
fn a_pendulum_swings_in_its_period() {
    let mut world = earth();
    let (length, angle) = (0.5_f64, 0.2_f64);
    let o = world
        .add_particle(Vec3::zeros(), Vec3::zeros(), 1.0)
        .unwrap();
    world.pin(o, true).unwrap();
    let bob = Vec3::new(angle.sin(), 0.0, -angle.cos()) * length;
    let bob = world.add_particle(bob, Vec3::zeros(), 0.2).unwrap();
    world.link([o, bob], length, 0.0, 0.0).unwrap();
    // Times at which it passes below the pin, interpolated linearly between steps.
    let mut passes = Vec::new();
    let dt = 1e-3;
    for i in 0..10_000 {
        let before = world.positions()[bob.0 as usize].x;
        world.step(dt, 2, &[]).unwrap();
        let after = world.positions()[bob.0 as usize].x;
        if before * after < 0.0 {
            passes.push(dt * (f64::from(i) + before / (before - after)));
        }
    }
    let swings = (passes.len() - 1) as f64;
    let period = 2.0 * (passes[passes.len() - 1] - passes[0]) / swings;
    let a2 = angle * angle;
    let expected =
        std::f64::consts::TAU * (length / G).sqrt() * (1.0 + a2 / 16.0 + 11.0 * a2 * a2 / 3072.0);
    near(period, expected, 2e-4 * expected, "period");
    let length_now = world.positions()[bob.0 as usize].norm();
    near(length_now, length, 1e-6, "length");
}

/// `n` springs of compliance `a` in line, each carrying the weight below it.
#[test]
fn a_hanging_chain_of_springs_extends_as_hooke_says() {
    let mut world = still(Vec3::z() * -G);
    let (n, mass, a) = (20_u32, 0.01, 2e-3);
    let ids: Vec<ParticleId> = (0..=n)
        .map(|i| {
            let x = Vec3::z() * (-0.05 * f64::from(i));
            world.add_particle(x, Vec3::zeros(), mass).unwrap()
        })
        .collect();
    world.pin(ids[0], true).unwrap();
    for pair in ids.windows(2) {
        world.link([pair[0], pair[1]], 0.05, a, 0.0).unwrap();
    }
    for _ in 0..400 {
        world.step(FRAME, 40, &[]).unwrap();
    }
    let weight_sum = mass * G * f64::from(n * (n + 1)) / 2.0;
    let extension = -world.positions()[ids[n as usize].0 as usize].z - 0.05 * f64::from(n);
    let expected = a * weight_sum;
    near(extension, expected, 0.01 * expected, "extension");
}

fn hang(cells: u32, size: f64, substeps: u32) -> (XpbdWorld, f64) {
    let (positions, triangles) = grid([cells, cells], [size, size]);
    let mut world = earth();
    let material = ClothMaterial {
        stretch_compliance_m_n: 0.0,
        damping_s: 1e-3,
        ..COTTON
    };
    // Rotated so that it hangs along -z from its side y = 0.
    let hung: Vec<Vec3> = positions
        .iter()
        .map(|p| Vec3::new(p.x, 0.0, -p.y))
        .collect();
    let cloth = world.add_cloth(&hung, &triangles, &material).unwrap();
    for i in 0..=cells {
        let id = world.particle_of(cloth, i).unwrap();
        world.pin(id, true).unwrap();
    }
    for _ in 0..180 {
        world.step(FRAME, substeps, &[]).unwrap();
    }
    let lowest = world.positions().iter().fold(0.0_f64, |z, p| z.min(p.z));
    (world, -lowest / size - 1.0)
}

/// Stretch of a nearly inextensible cloth: at most `2 n² g h²` over the length, by the rows that
/// hang below the pins.
#[test]
fn a_nearly_inextensible_cloth_hangs_without_stretching() {
    for (substeps, most) in [(10, 0.04), (20, 0.01), (40, 0.003)] {
        let (_, stretch) = hang(24, 1.0, substeps);
        assert!((0.0..most).contains(&stretch), "{substeps}: {stretch}");
    }
}

/// The membrane's stiffness: a strip stretched by a force at its end.
#[test]
fn a_strip_is_as_stiff_as_its_membrane_however_fine() {
    for cells in [[20, 4], [40, 8]] {
        let (length, width, compliance, pull) = (0.5, 0.1, 1e-2, 0.5);
        let (positions, triangles) = grid(cells, [length, width]);
        let mut world = still(Vec3::zeros());
        let material = ClothMaterial {
            stretch_compliance_m_n: compliance,
            damping_s: 0.0,
            ..COTTON
        };
        let cloth = world.add_cloth(&positions, &triangles, &material).unwrap();
        let mut end = Vec::new();
        for (i, p) in positions.iter().enumerate() {
            let id = world.particle_of(cloth, i as u32).unwrap();
            if p.x == 0.0 {
                world.pin(id, true).unwrap();
            } else if p.x == length {
                end.push(id);
            }
        }
        for _ in 0..120 {
            for (k, id) in end.iter().enumerate() {
                // A distributed force: the corners carry half.
                let share = if k == 0 || k + 1 == end.len() {
                    0.5
                } else {
                    1.0
                };
                let force = Vec3::x() * (pull * share / f64::from(cells[1]));
                world.push_particle(*id, force).unwrap();
            }
            world.step(FRAME, 120, &[]).unwrap();
        }
        let drawn: f64 = end
            .iter()
            .map(|id| world.positions()[id.0 as usize].x)
            .sum::<f64>()
            / end.len() as f64
            - length;
        let expected = pull / width * compliance * length;
        // The diagonals of a square grid take a sixth of the load: 5/6 for an endless one.
        near(drawn / expected, 0.87, 0.06, "extension over Hooke's");
    }
}

/// A strip clamped at one side droops by `w L⁴ / 8 B` (a beam of rigidity `B` per width).
#[test]
fn a_clamped_strip_droops_as_a_beam() {
    let (length, width, rigidity) = (0.2, 0.05, 2e-3);
    for (cells, substeps) in [([8, 2], 150), ([12, 3], 400)] {
        let (positions, triangles) = grid(cells, [length, width]);
        let mut world = still(Vec3::z() * -G);
        let material = ClothMaterial {
            density_kg_m2: 0.02,
            stretch_compliance_m_n: 1e-5,
            bending_compliance_1_nm: Some(1.0 / rigidity),
            damping_s: 0.0,
            half_thickness_m: 0.0,
        };
        let cloth = world.add_cloth(&positions, &triangles, &material).unwrap();
        let step = length / f64::from(cells[0]);
        for (i, p) in positions.iter().enumerate() {
            // Two rows, for the slope. The clamp is at the first, and the hinges over the second
            // bend.
            if p.x < 1.5 * step {
                let id = world.particle_of(cloth, i as u32).unwrap();
                world.pin(id, true).unwrap();
            }
        }
        for _ in 0..180 {
            world.step(FRAME, substeps, &[]).unwrap();
        }
        let tip = -world.positions()[cells[0] as usize].z;
        // The hinges over the second row act half a cell before it.
        let free = length - step / 2.0;
        let expected = 0.02 * G * free.powi(4) / (8.0 * rigidity);
        near(tip / expected, 1.0, 0.2, "droop over the beam's");
    }
}

#[test]
fn pins_and_holds_follow_what_drives_them() {
    let (positions, triangles) = grid([4, 4], [0.2, 0.2]);
    let mut world = earth();
    let cloth = world.add_cloth(&positions, &triangles, &COTTON).unwrap();
    let pinned = world.particle_of(cloth, 0).unwrap();
    world.pin(pinned, true).unwrap();
    let point = ContactPoint::Triangle {
        deformable: cloth,
        vertices: triangles[31],
        weights: [0.2, 0.3, 0.5],
    };
    let hold = world.hold(&point, 0.0, 0.0).unwrap();
    let at = |world: &XpbdWorld| {
        let s = world.surface(cloth).unwrap();
        let [a, b, c] = triangles[31].map(|i| s[i as usize]);
        a * 0.2 + b * 0.3 + c * 0.5
    };
    let first = at(&world);
    for i in 1..=60 {
        let way = Vec3::new(0.0, 0.001, 0.002) * f64::from(i);
        world.drive_particle(pinned, way).unwrap();
        world.move_hold(hold, first + way).unwrap();
        world.step(FRAME, 10, &[]).unwrap();
        assert!((world.positions()[0] - way).norm() == 0.0);
        // A driven particle has a velocity instead of jumping.
        near(
            world.velocities()[0].z,
            0.002 / FRAME,
            1e-9,
            "velocity of the pin",
        );
        assert!((at(&world) - (first + way)).norm() < 1e-12);
    }
    for _ in 0..300 {
        world.step(FRAME, 10, &[]).unwrap();
    }
    assert_eq!(world.velocities()[0], Vec3::zeros());
    // Together they carry the cloth; the hold at most all of it.
    let weight = world.masses().iter().sum::<f64>() * G;
    let pull = world.hold_impulse(hold).unwrap() / FRAME;
    assert!(pull.z > 0.2 * weight && pull.z < 1.5 * weight, "{pull:?}");
    world.let_go(hold).unwrap();
    assert!(world.move_hold(hold, first).is_err());
    for _ in 0..10 {
        world.step(FRAME, 10, &[]).unwrap();
    }
    assert!((at(&world) - first).norm() > 0.01);
}
