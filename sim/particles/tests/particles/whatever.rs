//! The guarantees of the crate documentation, whatever the input: finite, bounded, the same bits,
//! no allocation.

use hapticd_counting::counted;
use hapticd_particles::Vec3;
use hapticd_particles::{
    Blending, FluidMaterial, MAX_WEIGHTS, Obstacle, Probe, ProbeContact, Rest, Settings, Sphere,
    SphereError, SphereWorld, StepError, Walls,
};
use proptest::prelude::*;

use crate::{DT, ball, earth, go, jelly, line, pool, weightless, wire};

/// A bit of everything: a pool with a coil of wire and a jelly falling in, a tool that stirs.
fn everything() -> SphereWorld {
    let mut world = earth();
    pool(&mut world, [6, 6, 5], Vec3::new(0.09, 0.09, 0.0));
    jelly(&mut world, Vec3::new(0.045, 0.045, 0.12), 0.02, 1);
    let mut material = wire();
    (material.bend_n_m2, material.rest) = (1e-4, Rest::Straight);
    let points = line(Vec3::new(0.01, 0.03, 0.18), Vec3::x() * 0.005, 14);
    world.strand(&points, 2, &material).unwrap();
    let rule = Blending {
        blend_at_m: 0.0,
        part_at_m: 0.003,
        others: true,
    };
    world.set_blending(7, Some(rule)).unwrap();
    world.set_blending(2, Some(rule)).unwrap();
    let at = Vec3::new(0.045, 0.045, 0.1);
    let probe = Probe {
        position: at,
        velocity: Vec3::zeros(),
        mass_kg: 0.05,
        from: at,
        to: at,
        stiffness_n_m: 500.0,
        damping_n_s_m: 2.0,
    };
    world.set_probe(1, Some(&probe)).unwrap();
    world
}

/// Fills the existing lists with the tool's contacts and an obstacle.
fn meet(world: &SphereWorld, i: u32, contacts: &mut Vec<ProbeContact>, planes: &mut Vec<Obstacle>) {
    contacts.clear();
    planes.clear();
    let probe = world.probe(1).unwrap();
    for (k, x) in world.positions().iter().enumerate() {
        let apart = probe.position - x;
        let gap_m = apart.norm() - 0.02;
        if gap_m < 0.003 && apart.norm() > 0.0 {
            let mut weights = [(0, 0.0); MAX_WEIGHTS];
            weights[0] = (k as u32, 1.0);
            contacts.push(ProbeContact {
                probe: 1,
                offset: Vec3::zeros(),
                normal: apart.normalize(),
                gap_m,
                weights,
                friction: 0.2,
            });
        }
        if (k as u32 + i).is_multiple_of(7) {
            planes.push(Obstacle {
                sphere: k as u32,
                point: Vec3::z() * 0.004,
                normal: Vec3::z(),
                velocity: Vec3::zeros(),
                friction: 0.1,
            });
        }
    }
}

fn stir(
    world: &mut SphereWorld,
    i: u32,
    contacts: &mut Vec<ProbeContact>,
    planes: &mut Vec<Obstacle>,
) {
    let at = |i: u32| {
        let t = f64::from(i) * 0.05;
        Vec3::new(0.045 + 0.02 * t.sin(), 0.045 + 0.02 * t.cos(), 0.03)
    };
    world.pull_probe(1, at(i), at(i + 1)).unwrap();
    meet(world, i, contacts, planes);
    let report = world.step(DT, planes, contacts).unwrap();
    assert_eq!(report, Default::default());
}

/// Once the lists are as long as they get, nothing is allocated.
#[test]
fn steps_do_not_allocate() {
    let mut world = everything();
    let (mut contacts, mut planes) = (Vec::with_capacity(1000), Vec::with_capacity(1000));
    for i in 0..400 {
        stir(&mut world, i, &mut contacts, &mut planes);
    }
    let ((), calls) = counted(|| {
        for i in 400..500 {
            stir(&mut world, i, &mut contacts, &mut planes);
        }
    });
    assert_eq!(calls, 0);
    assert!(!contacts.is_empty() && !planes.is_empty());
}

/// Equal calls give equal bits.
#[test]
fn equal_calls_give_equal_bits() {
    let run = || {
        let mut world = everything();
        let (mut contacts, mut planes) = (Vec::new(), Vec::new());
        let mut events = Vec::new();
        for i in 0..150 {
            stir(&mut world, i, &mut contacts, &mut planes);
            events.extend_from_slice(world.events());
        }
        let bits: Vec<[u64; 3]> = (world.positions().iter().chain(world.velocities()))
            .map(|v| [v.x, v.y, v.z].map(f64::to_bits))
            .collect();
        (bits, events, world.probe(1).map(|p| p.impulse))
    };
    let (a, b) = (run(), run());
    assert!(a == b);
    assert!(a.1.len() > 100, "{}", a.1.len());
}

/// A sphere that diverges stays where it was, at rest, and is counted; the others are not affected.
#[test]
fn what_runs_off_is_held_and_counted() {
    let mut world = weightless();
    let mut sphere = ball(Vec3::repeat(5e307), 0);
    sphere.velocity = Vec3::repeat(5e307);
    world.add_sphere(&sphere).unwrap();
    let mut other = ball(Vec3::zeros(), 0);
    other.velocity = Vec3::x();
    world.add_sphere(&other).unwrap();
    world.link([0, 1], 0.1, 1e-3, 0.0).unwrap();
    let report = world.step(1000.0, &[], &[]).unwrap();
    assert!(report.spheres_held >= 1, "{report:?}");
    assert_eq!(world.positions()[0], Vec3::repeat(5e307));
    assert_eq!(world.velocities()[0], Vec3::zeros());
    assert!((world.positions()[1] - Vec3::x() * 1000.0).norm() < 1e-9);
}

/// Pairs beyond the limit are left out and counted, and memory stays bounded.
#[test]
fn too_many_pairs_are_left_out() {
    let mut world = SphereWorld::new(Settings {
        most_pairs: 10,
        ..Settings::default()
    })
    .unwrap();
    for i in 0..20 {
        world.add_sphere(&ball(Vec3::zeros(), i)).unwrap();
    }
    let report = world.step(DT, &[], &[]).unwrap();
    assert_eq!(report.pairs_left_out, 190 - 10);
}

/// If not all pairs that might meet fit, those that do meet are kept: a cloud that flies by, all
/// within its margins, takes no capacity from pairs that overlap.
#[test]
fn the_nearest_pairs_have_the_room_that_there_is() {
    let mut world = SphereWorld::new(Settings {
        most_pairs: 8,
        gravity_m_s2: Vec3::zeros(),
        ..Settings::default()
    })
    .unwrap();
    let radius = ball(Vec3::zeros(), 0).radius_m;
    let mut couples = Vec::new();
    for k in 0..30 {
        let at = Vec3::new(2.6 * radius * f64::from(k), 0.0, 0.0);
        let mut fast = ball(at, k);
        fast.velocity = Vec3::y() * (radius / DT);
        world.add_sphere(&fast).unwrap();
        if k % 10 == 5 {
            let couple = [0.0, 1.8 * radius]
                .map(|z| world.add_sphere(&ball(at + Vec3::new(0.0, 9.0 * radius, z), 100 + k)));
            couples.push(couple.map(|index| index.unwrap() as usize));
        }
    }
    let apart = |world: &SphereWorld, [a, b]: [usize; 2]| {
        (world.positions()[a] - world.positions()[b]).norm()
    };
    let report = world.step(DT, &[], &[]).unwrap();
    assert!(report.pairs_left_out > 20, "{report:?}");
    for couple in couples {
        assert!(apart(&world, couple) > 1.81 * radius);
    }
}

/// Errors say what is at fault, and by how much.
#[test]
fn wrong_calls_are_refused_with_the_numbers() {
    for (settings, text) in [
        (
            Settings {
                substeps: 0,
                ..Settings::default()
            },
            "substeps = 0",
        ),
        (
            Settings {
                substeps: 1001,
                ..Settings::default()
            },
            "substeps = 1001",
        ),
        (
            Settings {
                contact_sweeps: 65,
                ..Settings::default()
            },
            "contact_sweeps = 65",
        ),
        (
            Settings {
                damping_1_s: -1.0,
                ..Settings::default()
            },
            "damping_1_s = -1",
        ),
        (
            Settings {
                push_out_m_s: 0.0,
                ..Settings::default()
            },
            "push_out_m_s = 0",
        ),
        (
            Settings {
                friction: f64::NAN,
                ..Settings::default()
            },
            "friction = NaN",
        ),
        (
            Settings {
                gravity_m_s2: Vec3::repeat(f64::INFINITY),
                ..Settings::default()
            },
            "gravity_m_s2 = inf",
        ),
    ] {
        let said = SphereWorld::new(settings).unwrap_err().to_string();
        assert!(said.contains(text), "{said}");
    }
    let mut world = weightless();
    let fine = ball(Vec3::zeros(), 0);
    for (wrong, text) in [
        (
            Sphere {
                mass_kg: 0.0,
                ..fine
            },
            "mass_kg = 0",
        ),
        (
            Sphere {
                mass_kg: 1e-320,
                ..fine
            },
            "mass_kg",
        ),
        (
            Sphere {
                mass_kg: f64::INFINITY,
                ..fine
            },
            "mass_kg = inf",
        ),
        (
            Sphere {
                radius_m: -1.0,
                ..fine
            },
            "radius_m = -1",
        ),
        (
            Sphere {
                position: Vec3::repeat(f64::NAN),
                ..fine
            },
            "position",
        ),
        (
            Sphere {
                velocity: Vec3::repeat(f64::NAN),
                ..fine
            },
            "velocity",
        ),
    ] {
        let said = world.add_sphere(&wrong).unwrap_err().to_string();
        assert!(said.contains(text), "{said}");
    }
    assert!(world.positions().is_empty());
    world.add_sphere(&fine).unwrap();
    let unknown = SphereError::Unknown {
        sphere: 3,
        count: 1,
    };
    assert_eq!(world.link([0, 3], 0.1, 0.0, 0.0), Err(unknown));
    assert_eq!(world.link([0, 0], 0.1, 0.0, 0.0), Err(SphereError::Same(0)));
    assert_eq!(world.set_fixed(3, true), Err(unknown));
    assert_eq!(world.place(3, Vec3::zeros(), Vec3::zeros()), Err(unknown));
    assert!(
        world
            .place(0, Vec3::repeat(f64::NAN), Vec3::zeros())
            .is_err()
    );
    world.add_sphere(&fine).unwrap();
    let said = world.link([0, 1], -0.5, 0.0, 0.0).unwrap_err().to_string();
    assert_eq!(said, "rest_m = -0.5 is out of range");
    for dt in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e-200] {
        let fault = world.step(dt, &[], &[]).unwrap_err();
        assert!(dt.is_nan() || fault == StepError(dt));
    }
    assert_eq!(world.positions(), [Vec3::zeros(); 2]);
}

fn vector(size: f64) -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(-size..size).prop_map(|v| Vec3::new(v[0], v[1], v[2]))
}

/// From nothing to the largest representable numbers, of both signs.
fn wild() -> impl Strategy<Value = f64> {
    (-300..308_i32, -1.0..1.0_f64).prop_map(|(e, f)| f * 10_f64.powi(e))
}

fn wild_vector() -> impl Strategy<Value = Vec3> {
    prop::array::uniform3(wild()).prop_map(|v| Vec3::new(v[0], v[1], v[2]))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    /// Whatever finite numbers a world is made from, it stays finite.
    #[test]
    fn finite_input_stays_finite(
        spheres in prop::collection::vec((wild_vector(), wild_vector(), wild(), wild()), 2..12),
        gravity in wild_vector(), links in prop::collection::vec((wild(), wild(), wild()), 0..6),
        stiffness in wild(), dt in -6..3_i32, at in wild_vector(), to in wild_vector(),
    ) {
        let Ok(mut world) = SphereWorld::new(Settings { gravity_m_s2: gravity, ..Settings::default() }) else {
            return Ok(());
        };
        world.set_walls(&Walls::floor(at.z, 0.5)).unwrap();
        let points: Vec<Vec3> = spheres.iter().map(|s| s.0).collect();
        let (_, _, mass, radius) = spheres[0];
        let material = FluidMaterial {
            stiffness_n_m: stiffness.abs().max(1e-300), cohesion_n_m: 0.0, ..FluidMaterial::default()
        };
        let _ = world.fluid(&points, 0, radius.abs(), mass.abs(), &material);
        let mut material = wire();
        (material.bend_n_m2, material.radius_m) = (stiffness.abs(), radius.abs());
        let _ = world.strand(&points, 1, &material);
        for (x, v, mass, radius) in &spheres {
            let mut sphere = Sphere::at(*x, mass.abs(), radius.abs(), 2);
            sphere.velocity = *v;
            let _ = world.add_sphere(&sphere);
        }
        for (i, (rest, compliance, damping)) in links.iter().enumerate() {
            let _ = world.link([i as u32, i as u32 + 1], rest.abs(), compliance.abs(), damping.abs());
        }
        let probe = Probe {
            position: at, velocity: to, mass_kg: mass.abs(), from: at, to,
            stiffness_n_m: stiffness.abs(), damping_n_s_m: stiffness.abs(),
        };
        let has_probe = world.set_probe(0, Some(&probe)).is_ok();
        let rule = Blending { blend_at_m: 0.0, part_at_m: radius.abs(), others: true };
        let _ = world.set_blending(2, Some(rule));
        let mut weights = [(0, 0.0); MAX_WEIGHTS];
        weights[0].1 = 1.0;
        let contact = ProbeContact { probe: 0, offset: at, normal: Vec3::z(), gap_m: to.x, weights, friction: 0.5 };
        let plane = Obstacle { sphere: 0, point: at, normal: Vec3::x(), velocity: to, friction: 0.5 };
        for _ in 0..5 {
            world.step(10_f64.powi(dt), &[plane], &[contact]).unwrap();
            for v in world.positions().iter().chain(world.velocities()) {
                prop_assert!(v.iter().all(|c| c.is_finite()), "{v:?}");
            }
            if has_probe {
                let p = world.probe(0).unwrap();
                prop_assert!(p.position.iter().chain(p.velocity.iter()).all(|c| c.is_finite()), "{p:?}");
            }
        }
    }

    /// Without gravity, balls that meet never have more energy than at the start. The part of a
    /// depth that one sweep leaves may return a twentieth of it in a step. If they started
    /// overlapping, pushing out may leave a tenth. (In 400,000 cases the maxima were 3.4 % and 7.1
    /// %; some exceeded the earlier bounds of a hundredth and a twentieth.)
    #[test]
    fn contacts_make_no_energy(
        balls in prop::collection::vec((vector(0.03), vector(1.0), 0.001..0.1_f64, 0.002..0.02_f64), 2..12),
        friction in 0.0..1.0_f64, sweeps in 1..4_u32, overlap in any::<bool>(),
    ) {
        let mut world = SphereWorld::new(Settings {
            gravity_m_s2: Vec3::zeros(), friction, contact_sweeps: sweeps, ..Settings::default()
        }).unwrap();
        for (x, v, mass, radius) in balls {
            let mut near = world.positions().iter().zip(world.radii());
            if !overlap && near.any(|(y, r)| (x - y).norm() < radius + r) {
                continue;
            }
            let mut sphere = Sphere::at(x, mass, radius, 0);
            sphere.velocity = v;
            world.add_sphere(&sphere).unwrap();
        }
        let p = world.momentum();
        let first = world.kinetic_energy();
        let mut last = first;
        for _ in 0..50 {
            go(&mut world, 1);
            let e = world.kinetic_energy();
            prop_assert!(overlap || e <= last + 5e-2 * first, "{last} to {e} of {first}");
            let most = if overlap { 1.1 } else { 1.0 + 1e-12 };
            prop_assert!(e <= most * first, "{e} of {first}");
            last = e;
        }
        prop_assert!((world.momentum() - p).norm() < 1e-12);
    }

    /// A probe on a spring of any stiffness against a ball on one that the substep resolves: the
    /// frame stands still, so energy only falls.
    #[test]
    fn a_hand_that_stands_gains_nothing(
        hand in 0.0..5.0_f64, wall in 1.0..3.0_f64, mass in 0.01..0.2_f64, other in 0.01..0.2_f64,
        speed in -0.5..0.0_f64, damping in 0.0..10.0_f64,
    ) {
        let (k, kw) = (10_f64.powf(hand), 10_f64.powf(wall));
        let mut world = weightless();
        for (z, fixed) in [(-0.1, true), (0.0, false)] {
            let sphere = Sphere { fixed, ..Sphere::at(Vec3::z() * z, other, 0.01, 0) };
            world.add_sphere(&sphere).unwrap();
        }
        world.link([0, 1], 0.1, 1.0 / kw, 0.0).unwrap();
        let at = Vec3::z() * 0.021;
        let probe = Probe {
            position: at, velocity: Vec3::z() * speed, mass_kg: mass, from: at, to: Vec3::z() * 0.015,
            stiffness_n_m: k, damping_n_s_m: damping,
        };
        world.set_probe(0, Some(&Probe { from: probe.to, ..probe })).unwrap();
        let energy = |w: &SphereWorld| {
            let p = w.probe(0).unwrap();
            let stretch = (w.positions()[0] - w.positions()[1]).norm() - 0.1;
            w.kinetic_energy() + k * (p.position.z - 0.015).powi(2) / 2.0 + kw * stretch * stretch / 2.0
        };
        let first = energy(&world);
        let mut last = first;
        for _ in 0..200 {
            let p = world.probe(0).unwrap().position;
            let mut weights = [(0, 0.0); MAX_WEIGHTS];
            weights[0] = (1, 1.0);
            let contact = ProbeContact {
                probe: 0, offset: Vec3::zeros(), normal: Vec3::z(),
                gap_m: p.z - world.positions()[1].z - 0.02, weights, friction: 0.3,
            };
            world.step(DT, &[], &[contact]).unwrap();
            let e = energy(&world);
            prop_assert!(e <= last + 1e-2 * first, "{last} to {e} of {first}");
            last = e;
        }
        prop_assert!(last <= first);
    }
}
