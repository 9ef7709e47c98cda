//! Contacts of particles and surfaces.

use hapticd_xpbd::Vec3;
use hapticd_xpbd::{BodyState, ClothMaterial, Contact, ContactPoint, Settings, XpbdWorld};

use crate::{FRAME, G, cuboid, earth, grid, near, weightless};

fn against_plane(a: ContactPoint, n: Vec3, friction: f64) -> Contact {
    Contact {
        a,
        b: ContactPoint::World(Vec3::zeros()),
        normal: n,
        gap_m: 0.0,
        friction,
        restitution: 0.0,
    }
}

#[test]
fn a_particle_on_a_slope_sticks_or_slides_as_coulomb_says() {
    let mu = 0.3_f64;
    for (share, sticks) in [(0.999, true), (1.001, false), (2.0, false)] {
        let angle = mu.atan() * share;
        let down = Vec3::new(angle.cos(), 0.0, -angle.sin());
        let n = Vec3::new(angle.sin(), 0.0, angle.cos());
        let mut world = earth();
        let p = world
            .add_particle(Vec3::zeros(), Vec3::zeros(), 0.1)
            .unwrap();
        for _ in 0..60 {
            let list = [against_plane(ContactPoint::Particle(p), n, mu)];
            world.step(FRAME, 10, &list).unwrap();
        }
        let v = world.velocities()[0];
        let expected = G * (angle.sin() - mu * angle.cos());
        if sticks {
            assert!(world.positions()[0].norm() < 1e-12);
        } else {
            near(v.dot(&down), expected, 1e-9 * G, "speed after a second");
        }
    }
}

/// The opposite of the "spontaneous bounce": out at the stated speed, with no velocity left.
#[test]
fn a_deep_contact_is_resolved_at_the_push_out_speed_and_leaves_at_none() {
    let depth = 0.05;
    let speed = 0.5;
    for substeps in [1, 7, 20] {
        let mut world = XpbdWorld::new(Settings {
            gravity_m_s2: Vec3::zeros(),
            push_out_m_s: speed,
            ..Settings::default()
        })
        .unwrap();
        let p = world
            .add_particle(Vec3::z() * -depth, Vec3::zeros(), 0.1)
            .unwrap();
        let half = Vec3::repeat(0.05);
        let b = world
            .add_body(
                &cuboid(1.0, half),
                &BodyState::at(Vec3::z() * (0.05 - depth)),
            )
            .unwrap();
        let mut last = -depth;
        for i in 1..=10 {
            let mut list = vec![against_plane(ContactPoint::Particle(p), Vec3::z(), 0.5)];
            for (x, y) in [(-0.05, -0.05), (0.05, -0.05), (0.05, 0.05), (-0.05, 0.05)] {
                let local = Vec3::new(x, y, -0.05);
                list.push(against_plane(
                    ContactPoint::Body { body: b, local },
                    Vec3::z(),
                    0.5,
                ));
            }
            world.step(FRAME, substeps, &list).unwrap();
            let z = world.positions()[0].z;
            assert!(z - last <= speed * FRAME * (1.0 + 1e-9));
            near(
                z,
                (-depth + speed * FRAME * f64::from(i)).min(0.0),
                1e-12,
                "height",
            );
            assert!(world.velocities()[0].norm() < 1e-12);
            let state = world.body(b).unwrap();
            near(state.position.z - 0.05, z, 2e-3, "the body's");
            assert!(state.velocity.norm() < 1e-12, "{:?}", state.velocity);
            last = z;
        }
        assert!(last.abs() < 1e-12);
    }
}

/// A particle between two of a triangle's corners and a body: each side by its weights, both
/// momenta conserved.
#[test]
fn contacts_between_movers_keep_momentum() {
    let mut world = weightless();
    let (positions, triangles) = grid([3, 3], [0.3, 0.3]);
    let material = ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-4,
        bending_compliance_1_nm: Some(1e3),
        damping_s: 1e-3,
        half_thickness_m: 1e-3,
    };
    let cloth = world.add_cloth(&positions, &triangles, &material).unwrap();
    let half = Vec3::repeat(0.03);
    let state = BodyState {
        velocity: Vec3::new(0.2, 0.1, -1.0),
        spin: Vec3::new(0.0, 3.0, 0.0),
        ..BodyState::at(Vec3::new(0.14, 0.16, 0.035))
    };
    let body = world.add_body(&cuboid(0.05, half), &state).unwrap();
    let (p, l) = (world.momentum(), world.angular_momentum());
    for _ in 0..30 {
        let surface = world.surface(cloth).unwrap();
        let contact = |local: Vec3| {
            let [a, b, c] = triangles[8].map(|i| surface[i as usize]);
            let n = (b - a).cross(&(c - a)).normalize();
            Contact {
                a: ContactPoint::Body { body, local },
                b: ContactPoint::Triangle {
                    deformable: cloth,
                    vertices: triangles[8],
                    weights: [1.0 / 3.0; 3],
                },
                normal: n,
                gap_m: 1e-3,
                friction: 0.5,
                restitution: 0.0,
            }
        };
        let list = [contact(Vec3::new(0.0, 0.0, -0.03))];
        world.step(FRAME, 20, &list).unwrap();
    }
    assert!(world.impulses().len() == 1);
    let surface_speed = world.surface_velocity(cloth, 5).unwrap();
    assert!(surface_speed.norm() > 0.05, "the cloth was hit");
    assert!((world.momentum() - p).norm() < 1e-13);
    let change = (world.angular_momentum() - l).norm() / l.norm();
    assert!(change < 0.15, "{change}");
}

/// Item 35 of the digest: two sheets over each other rest at the sum of their half thicknesses.
#[test]
fn two_sheets_rest_at_the_sum_of_their_half_thicknesses() {
    let (positions, triangles) = grid([6, 6], [0.3, 0.3]);
    let material = ClothMaterial {
        density_kg_m2: 0.2,
        stretch_compliance_m_n: 1e-5,
        bending_compliance_1_nm: Some(1e4),
        damping_s: 1e-3,
        half_thickness_m: 1e-3,
    };
    let mut world = earth();
    let raised = |z: f64| -> Vec<Vec3> { positions.iter().map(|p| p + Vec3::z() * z).collect() };
    let under = world
        .add_cloth(&raised(1e-3), &triangles, &material)
        .unwrap();
    let over = world
        .add_cloth(&raised(0.02), &triangles, &material)
        .unwrap();
    let e = world.half_thickness(under).unwrap();
    let mut last = [0.0; 2];
    for i in 0..240 {
        let mut list = Vec::new();
        for vertex in 0..positions.len() as u32 {
            list.push(Contact {
                a: ContactPoint::Vertex {
                    deformable: under,
                    vertex,
                },
                gap_m: e,
                ..against_plane(ContactPoint::World(Vec3::zeros()), Vec3::z(), 0.4)
            });
            // Each vertex of the upper sheet over a triangle of the lower, and vice versa.
            let t = triangles.iter().find(|t| t.contains(&vertex)).unwrap();
            let weights = t.map(|i| if i == vertex { 1.0 } else { 0.0 });
            for (a, b, normal) in [(over, under, Vec3::z()), (under, over, -Vec3::z())] {
                list.push(Contact {
                    a: ContactPoint::Vertex {
                        deformable: a,
                        vertex,
                    },
                    b: ContactPoint::Triangle {
                        deformable: b,
                        vertices: *t,
                        weights,
                    },
                    normal,
                    gap_m: 2.0 * e,
                    friction: 0.4,
                    restitution: 0.0,
                });
            }
        }
        let report = world.step(FRAME, 10, &list).unwrap();
        assert_eq!(report, Default::default());
        let mean = |id| {
            let s = world.surface(id).unwrap();
            s.iter().map(|p| p.z).sum::<f64>() / s.len() as f64
        };
        let now = [mean(under), mean(over)];
        if i > 120 {
            near(now[0], e, 1e-9, "lower sheet");
            near(now[1] - now[0], 2.0 * e, 1e-9, "gap");
            near(now[1], last[1], 1e-9, "jitter");
        }
        last = now;
    }
}
