//! Soft bodies compared with the strength of materials.

use hapticd_xpbd::Vec3;
use hapticd_xpbd::{Contact, ContactPoint, DeformableId, SoftMaterial, XpbdWorld};

use crate::{FRAME, G, ball, block, near, still, weightless};

fn rubber(poisson: f64) -> SoftMaterial {
    SoftMaterial {
        density_kg_m3: 1000.0,
        young_pa: 2e4,
        poisson,
        damping_s: 0.0,
        half_thickness_m: 0.0,
    }
}

fn extent(world: &XpbdWorld, body: DeformableId, axis: usize) -> f64 {
    let s = world.surface(body).unwrap();
    let high = s.iter().map(|p| p[axis]).fold(f64::NEG_INFINITY, f64::max);
    high - s.iter().map(|p| p[axis]).fold(f64::INFINITY, f64::min)
}

fn enclosed(world: &XpbdWorld, body: DeformableId) -> f64 {
    let s = world.surface(body).unwrap();
    (world.triangles(body).unwrap().iter())
        .map(|t| {
            let [a, b, c] = t.map(|i| s[i as usize]);
            a.dot(&b.cross(&c)) / 6.0
        })
        .sum()
}

/// Pulls a bar at both ends by `strain` of Young's modulus; returns the relative extension, and the
/// contraction at mid-length.
fn pulled(poisson: f64, strain: f64, substeps: u32) -> (f64, f64, f64) {
    let size = Vec3::new(0.2, 0.05, 0.05);
    let (positions, triangles) = block(size, [16, 4, 4]);
    let mut world = still(Vec3::zeros());
    let material = rubber(poisson);
    let body = world
        .add_soft(&positions, &triangles, 16, &material)
        .unwrap();
    let force = material.young_pa * strain * size.y * size.z;
    let volume = enclosed(&world, body);
    for _ in 0..120 {
        for t in &triangles {
            let corners = t.map(|i| positions[i as usize]);
            let sign = if corners.iter().all(|p| p.x == 0.0) {
                -1.0
            } else if corners.iter().all(|p| p.x == size.x) {
                1.0
            } else {
                continue;
            };
            // 32 equal triangles at each end.
            let force = Vec3::x() * (sign * force / 32.0);
            world.push_surface(body, *t, [1.0 / 3.0; 3], force).unwrap();
        }
        world.step(FRAME, substeps, &[]).unwrap();
    }
    // Away from the ends, whose corners get more than their share of the pull.
    let ring = |x: f64, axis: usize| -> Vec<f64> {
        (positions.iter().zip(world.surface(body).unwrap()))
            .filter(|(p, _)| (p.x - x).abs() < 1e-9)
            .map(|(_, now)| now[axis])
            .collect()
    };
    let mean = |of: Vec<f64>| of.iter().sum::<f64>() / of.len() as f64;
    let width = |of: Vec<f64>| {
        of.iter().copied().fold(f64::NEG_INFINITY, f64::max)
            - of.iter().copied().fold(f64::INFINITY, f64::min)
    };
    (
        (mean(ring(0.15, 0)) - mean(ring(0.05, 0))) / 0.1 - 1.0,
        1.0 - width(ring(0.1, 1)) / size.y,
        enclosed(&world, body) / volume - 1.0,
    )
}

#[test]
fn a_pulled_bar_shows_its_youngs_modulus_and_poissons_ratio() {
    for poisson in [0.0, 0.3, 0.45] {
        let strain = 0.01;
        let (longer, thinner, _) = pulled(poisson, strain, 40);
        near(longer / strain, 1.0, 0.04, "extension over Hooke's");
        near(
            thinner / longer,
            poisson,
            0.03,
            "contraction over extension",
        );
    }
}

/// Near 0.5, the volume stays while the body is stretched by a quarter.
#[test]
fn a_nearly_incompressible_body_keeps_its_volume() {
    let (longer, _, volume) = pulled(0.499, 0.2, 20);
    assert!(longer > 0.1);
    assert!(volume.abs() < 0.01, "volume changed by {volume}");
    let (longer, _, soft) = pulled(0.2, 0.2, 20);
    assert!(longer > 0.1 && soft > 0.05, "{longer} {soft}");
}

/// A bar that hangs from its top is extended by `rho g L² / 2 E`.
#[test]
fn a_hanging_bar_extends_by_its_weight() {
    let size = Vec3::new(0.05, 0.05, 0.2);
    let (positions, triangles) = block(size, [4, 4, 16]);
    let mut world = still(Vec3::z() * -G);
    let material = rubber(0.3);
    let body = world
        .add_soft(&positions, &triangles, 16, &material)
        .unwrap();
    for i in world.particles_of(body).unwrap() {
        if world.positions()[i].z > size.z - 1e-9 {
            let id = hapticd_xpbd::ParticleId(i as u32);
            world.pin(id, true).unwrap();
        }
    }
    for _ in 0..120 {
        world.step(FRAME, 40, &[]).unwrap();
    }
    let longer = extent(&world, body, 2) - size.z;
    let expected = material.density_kg_m3 * G * size.z * size.z / (2.0 * material.young_pa);
    near(longer / expected, 1.0, 0.06, "extension over the expected");
}

/// At rest nothing moves: the constraints of a tetrahedron balance as one.
#[test]
fn rest_is_rest_whatever_the_substep() {
    for (poisson, substeps) in [(0.0, 1), (0.3, 1), (0.499, 1), (0.3, 30)] {
        let (positions, triangles) = block(Vec3::new(0.1, 0.07, 0.05), [3, 2, 2]);
        let mut world = weightless();
        let body = world
            .add_soft(&positions, &triangles, 5, &rubber(poisson))
            .unwrap();
        for _ in 0..30 {
            world.step(FRAME, substeps, &[]).unwrap();
        }
        let off = (positions.iter().zip(world.surface(body).unwrap()))
            .map(|(p, x)| (p - x).norm())
            .fold(0.0, f64::max);
        assert!(off < 1e-12, "moved by {off}");
    }
}

/// A ball, whose lattice does not follow its surface: the mass is that of the surface, vertices
/// start where they were.
#[test]
fn a_ball_in_a_lattice_has_its_own_mass_and_shape() {
    let (positions, triangles) = ball(0.05, 3);
    let mut world = weightless();
    let body = world
        .add_soft(&positions, &triangles, 7, &rubber(0.3))
        .unwrap();
    let mass: f64 = world.masses().iter().sum();
    let volume = enclosed(&world, body);
    near(mass, 1000.0 * volume, 1e-12, "mass");
    for (p, x) in positions.iter().zip(world.surface(body).unwrap()) {
        assert!((p - x).norm() < 1e-15);
    }
    assert!(world.masses().iter().all(|m| *m > 0.0));
    // Rigid motion is reproduced exactly.
    let turn = nalgebra::Rotation3::from_euler_angles(0.3, 1.0, -0.4);
    for i in world.particles_of(body).unwrap() {
        let id = hapticd_xpbd::ParticleId(i as u32);
        let to = turn * world.positions()[i] + Vec3::x();
        world.set_particle(id, to, Vec3::zeros()).unwrap();
    }
    world.step(FRAME, 4, &[]).unwrap();
    for (p, x) in positions.iter().zip(world.surface(body).unwrap()) {
        assert!((turn * p + Vec3::x() - x).norm() < 1e-12);
    }
    near(
        world.volume_ratios(body).unwrap().0,
        1.0,
        1e-9,
        "least volume ratio",
    );
}

/// Dropped on a plane, it deforms, comes to rest, and presses with its weight.
#[test]
fn a_soft_ball_comes_to_rest_on_a_plane() {
    let (positions, triangles) = ball(0.05, 3);
    let raised: Vec<Vec3> = positions.iter().map(|p| p + Vec3::z() * 0.1).collect();
    let mut world = still(Vec3::z() * -G);
    let body = world
        .add_soft(&raised, &triangles, 6, &rubber(0.4))
        .unwrap();
    let mut pressed = 0.0;
    for _ in 0..240 {
        let surface = world.surface(body).unwrap();
        let list: Vec<Contact> = (surface.iter().enumerate())
            .filter(|(_, p)| p.z < 0.01)
            .map(|(vertex, p)| Contact {
                a: ContactPoint::Vertex {
                    deformable: body,
                    vertex: vertex as u32,
                },
                b: ContactPoint::World(Vec3::new(p.x, p.y, 0.0)),
                normal: Vec3::z(),
                gap_m: 0.0,
                friction: 0.5,
                restitution: 0.0,
            })
            .collect();
        let report = world.step(FRAME, 20, &list).unwrap();
        assert_eq!(report, Default::default());
        pressed = world.impulses().iter().map(|p| p.z).sum::<f64>() / FRAME;
    }
    let weight = world.masses().iter().sum::<f64>() * G;
    let lowest = world
        .surface(body)
        .unwrap()
        .iter()
        .map(|p| p.z)
        .fold(f64::INFINITY, f64::min);
    let top = world
        .surface(body)
        .unwrap()
        .iter()
        .map(|p| p.z)
        .fold(0.0, f64::max);
    near(pressed, weight, 0.02 * weight, "pressure");
    assert!(lowest > -1e-3 && top < 0.1 && top > 0.08, "{lowest} {top}");
    assert!(world.kinetic_energy() < 1e-6);
    assert!(world.volume_ratios(body).unwrap().0 > 0.3);
}
