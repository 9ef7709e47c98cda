//! Refused input, and the treatment of diverging numbers.

use hapticd_xpbd::Vec3;
use hapticd_xpbd::{
    AttachmentError, BodyError, BodyId, BodyKind, BodyState, ClothError, ClothMaterial, Contact,
    ContactFault, ContactPoint, DeformableId, LinkError, MeshFault, ParticleError, ParticleId,
    Settings, SoftError, SoftMaterial, StepError, XpbdWorld,
};

use crate::{FRAME, ball, cuboid, earth, grid, weightless};

const CLOTH: ClothMaterial = ClothMaterial {
    density_kg_m2: 0.2,
    stretch_compliance_m_n: 1e-5,
    bending_compliance_1_nm: None,
    damping_s: 0.0,
    half_thickness_m: 1e-3,
};

const RUBBER: SoftMaterial = SoftMaterial {
    density_kg_m3: 1000.0,
    young_pa: 1e4,
    poisson: 0.4,
    damping_s: 0.0,
    half_thickness_m: 0.0,
};

#[test]
fn settings_and_steps_out_of_range_are_refused() {
    let bad = XpbdWorld::new(Settings {
        push_out_m_s: 0.0,
        ..Settings::default()
    });
    assert_eq!(bad.unwrap_err().name, "push_out_m_s");
    let bad = XpbdWorld::new(Settings {
        gravity_m_s2: Vec3::new(0.0, f64::NAN, 0.0),
        ..Settings::default()
    });
    assert_eq!(bad.unwrap_err().name, "gravity_m_s2");
    let mut world = earth();
    assert_eq!(world.step(0.0, 1, &[]), Err(StepError::Time(0.0)));
    assert!(matches!(
        world.step(f64::NAN, 1, &[]),
        Err(StepError::Time(_))
    ));
    assert_eq!(world.step(FRAME, 0, &[]), Err(StepError::Substeps(0)));
    assert_eq!(world.step(FRAME, 1001, &[]), Err(StepError::Substeps(1001)));
}

#[test]
fn particles_links_and_holds_are_checked() {
    let mut world = earth();
    let nan = Vec3::new(0.0, f64::NAN, 0.0);
    let o = Vec3::zeros();
    assert!(matches!(
        world.add_particle(nan, o, 1.0),
        Err(ParticleError::Position(_))
    ));
    assert!(matches!(
        world.add_particle(o, nan, 1.0),
        Err(ParticleError::Velocity(_))
    ));
    assert_eq!(world.add_particle(o, o, 0.0), Err(ParticleError::Mass(0.0)));
    let p = world.add_particle(o, o, 1.0).unwrap();
    let unknown = ParticleError::Unknown {
        particle: 7,
        count: 1,
    };
    assert_eq!(world.pin(ParticleId(7), true), Err(unknown));
    assert!(matches!(
        world.push_particle(p, nan),
        Err(ParticleError::Force(_))
    ));
    assert_eq!(world.link([p, p], 1.0, 0.0, 0.0), Err(LinkError::Same(0)));
    let q = world.add_particle(o, o, 1.0).unwrap();
    assert!(matches!(
        world.link([p, q], 1.0, -1.0, 0.0),
        Err(LinkError::Number {
            name: "compliance_m_n",
            value: -1.0
        })
    ));
    let point = ContactPoint::Particle(p);
    assert_eq!(
        world.hold(&point, -1.0, 0.0),
        Err(AttachmentError::Compliance(-1.0))
    );
    assert_eq!(
        world.hold(&ContactPoint::World(o), 0.0, 0.0),
        Err(AttachmentError::Rigid)
    );
    let hold = world.hold(&point, 0.0, 0.0).unwrap();
    assert!(matches!(
        world.move_hold(hold, nan),
        Err(AttachmentError::Target(_))
    ));
    world.let_go(hold).unwrap();
    assert_eq!(world.let_go(hold), Err(AttachmentError::Unknown(0)));
    assert_eq!(world.hold(&point, 0.0, 0.0), Ok(hold));
}

#[test]
fn bodies_are_checked() {
    let mut world = earth();
    let state = BodyState::at(Vec3::zeros());
    let inertia = Vec3::new(1.0, 1.0, 3.0);
    let flat = BodyKind::Dynamic {
        mass_kg: 1.0,
        inertia_kg_m2: inertia,
    };
    assert_eq!(
        world.add_body(&flat, &state),
        Err(BodyError::Inertia(inertia))
    );
    let none = cuboid(0.0, Vec3::repeat(1.0));
    assert_eq!(world.add_body(&none, &state), Err(BodyError::Mass(0.0)));
    let lost = BodyState::at(Vec3::repeat(f64::INFINITY));
    assert!(matches!(
        world.add_body(&BodyKind::Kinematic, &lost),
        Err(BodyError::Position(_))
    ));
    let unknown = BodyError::Unknown { body: 3, count: 0 };
    assert_eq!(world.set_body(BodyId(3), &state), Err(unknown));
}

#[test]
fn meshes_are_checked() {
    let mut world = earth();
    let (positions, triangles) = grid([2, 2], [0.2, 0.2]);
    let cloth = |p: &[Vec3], t: &[[u32; 3]], m: &ClothMaterial| earth().add_cloth(p, t, m);
    assert_eq!(
        cloth(&positions, &[], &CLOTH),
        Err(ClothError::Mesh(MeshFault::Empty))
    );
    assert!(matches!(
        cloth(&positions, &[[0, 1, 9]], &CLOTH),
        Err(ClothError::Mesh(MeshFault::Index { triangle: 0, .. }))
    ));
    assert_eq!(
        cloth(&positions, &[[0, 1, 3]], &CLOTH),
        Err(ClothError::Loose(2))
    );
    assert!(matches!(
        cloth(&positions, &[[0, 1, 2]], &CLOTH),
        Err(ClothError::Degenerate { triangle: 0, .. })
    ));
    let three = [[0, 1, 3], [0, 1, 4], [0, 1, 5], [2, 6, 7], [2, 7, 8]];
    assert_eq!(
        cloth(&positions, &three, &CLOTH),
        Err(ClothError::Edge([0, 1]))
    );
    let heavy = ClothMaterial {
        density_kg_m2: f64::NAN,
        ..CLOTH
    };
    assert!(matches!(
        cloth(&positions, &triangles, &heavy),
        Err(ClothError::Material {
            name: "density_kg_m2",
            ..
        })
    ));
    assert!(matches!(
        world.add_soft(&positions, &triangles, 4, &RUBBER),
        Err(SoftError::Open(_))
    ));
    let (positions, mut triangles) = ball(0.1, 1);
    assert_eq!(
        world.add_soft(&positions, &triangles, 0, &RUBBER),
        Err(SoftError::Cells(0))
    );
    let hard = SoftMaterial {
        poisson: 0.5,
        ..RUBBER
    };
    assert!(matches!(
        world.add_soft(&positions, &triangles, 4, &hard),
        Err(SoftError::Material {
            name: "poisson",
            value: 0.5
        })
    ));
    for t in &mut triangles {
        t.swap(0, 1);
    }
    assert!(matches!(
        world.add_soft(&positions, &triangles, 4, &RUBBER),
        Err(SoftError::Volume(v)) if v < 0.0
    ));
    assert_eq!(world.positions().len() + world.deformables(), 0);
}

#[test]
fn contacts_with_faults_are_left_out_and_named() {
    let mut world = earth();
    let (positions, triangles) = grid([2, 2], [0.2, 0.2]);
    let cloth = world.add_cloth(&positions, &triangles, &CLOTH).unwrap();
    let good = Contact {
        a: ContactPoint::Vertex {
            deformable: cloth,
            vertex: 4,
        },
        b: ContactPoint::World(Vec3::zeros()),
        normal: Vec3::z(),
        gap_m: 0.0,
        friction: 0.5,
        restitution: 0.0,
    };
    let weights = [0.5, 0.6, 0.2];
    let bad = [
        (
            Contact {
                normal: Vec3::z() * 2.0,
                ..good
            },
            ContactFault::Normal(2.0),
        ),
        (
            Contact {
                gap_m: -1.0,
                ..good
            },
            ContactFault::Gap(-1.0),
        ),
        (
            Contact {
                friction: -1.0,
                ..good
            },
            ContactFault::Friction(-1.0),
        ),
        (
            Contact {
                restitution: 2.0,
                ..good
            },
            ContactFault::Restitution(2.0),
        ),
        (
            Contact {
                a: ContactPoint::Vertex {
                    deformable: cloth,
                    vertex: 9,
                },
                ..good
            },
            ContactFault::Vertex {
                deformable: 0,
                vertex: 9,
            },
        ),
        (
            Contact {
                a: ContactPoint::Vertex {
                    deformable: DeformableId(1),
                    vertex: 0,
                },
                ..good
            },
            ContactFault::Deformable(1),
        ),
        (
            Contact {
                b: ContactPoint::Triangle {
                    deformable: cloth,
                    vertices: [0, 1, 3],
                    weights,
                },
                ..good
            },
            ContactFault::Weights(weights),
        ),
        (
            Contact {
                b: ContactPoint::Body {
                    body: BodyId(0),
                    local: Vec3::x(),
                },
                ..good
            },
            ContactFault::Body(0),
        ),
        (
            Contact {
                a: ContactPoint::Particle(ParticleId(9)),
                ..good
            },
            ContactFault::Particle(9),
        ),
    ];
    for (contact, fault) in bad {
        let report = world.step(FRAME, 2, &[good, contact, contact]).unwrap();
        assert_eq!(report.contacts_refused, 2);
        assert_eq!(report.first_refused, Some((1, fault)));
        assert!(world.impulses()[0].z > 0.0);
        assert_eq!(world.impulses()[1], Vec3::zeros());
    }
    assert!(
        world
            .push_surface(cloth, [0, 1, 3], [f64::NAN; 3], Vec3::z())
            .is_err()
    );
}

/// Numbers that overflow stop one particle or body; the others continue.
#[test]
fn what_runs_off_is_held_and_counted() {
    let mut world = weightless();
    let (positions, triangles) = grid([2, 2], [0.2, 0.2]);
    let cloth = world.add_cloth(&positions, &triangles, &CLOTH).unwrap();
    let lone = world.add_particle(Vec3::x(), Vec3::x(), 1.0).unwrap();
    let body = world
        .add_body(&cuboid(1.0, Vec3::repeat(0.1)), &BodyState::at(Vec3::y()))
        .unwrap();
    world
        .push_particle(ParticleId(4), Vec3::x() * 1e308)
        .unwrap();
    world
        .push_particle(ParticleId(4), Vec3::x() * 1e308)
        .unwrap();
    world
        .push_body(body, Vec3::x() * 1e308, Vec3::new(0.0, 1e300, 0.0))
        .unwrap();
    let report = world.step(FRAME, 4, &[]).unwrap();
    assert!(
        report.particles_held >= 4 && report.bodies_held >= 1,
        "{report:?}"
    );
    for p in world.positions() {
        assert!(p.iter().all(|x| x.is_finite()));
    }
    assert!((world.positions()[lone.0 as usize].x - 1.0 - FRAME).abs() < 1e-12);
    assert!(world.body(body).unwrap().position.norm() < 2.0);
    // The forces end with the step, and the fault with them.
    for _ in 0..10 {
        let report = world.step(FRAME, 4, &[]).unwrap();
        assert_eq!(
            report.particles_held + report.bodies_held + report.constraints_skipped,
            0
        );
    }
    assert!(world.surface(cloth).unwrap().iter().all(|p| p.norm() < 1.0));
}
