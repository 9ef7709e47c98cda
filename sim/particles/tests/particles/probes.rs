//! A tool in a hand among spheres.

use hapticd_particles::Vec3;
use hapticd_particles::{
    ListFault, MAX_WEIGHTS, Probe, ProbeContact, Settings, SphereWorld, Walls,
};

use crate::{DT, go, jelly, near, pool, weightless};

pub fn tool(at: Vec3, to: Vec3) -> Probe {
    Probe {
        position: at,
        velocity: Vec3::zeros(),
        mass_kg: 0.05,
        from: at,
        to,
        stiffness_n_m: 1000.0,
        damping_n_s_m: 4.0,
    }
}

/// Contacts of a tool of `radius` at the start of a step: one for each near sphere.
pub fn touches(world: &SphereWorld, radius: f64, friction: f64) -> Vec<ProbeContact> {
    let probe = world.probe(0).unwrap();
    let mut list = Vec::new();
    for (i, x) in world.positions().iter().enumerate() {
        let apart = probe.position - x;
        let gap_m = apart.norm() - radius - world.radii()[i];
        if gap_m < 0.005 {
            let normal = apart.normalize();
            let mut weights = [(0, 0.0); MAX_WEIGHTS];
            weights[0] = (i as u32, 1.0);
            list.push(ProbeContact {
                probe: 0,
                offset: normal * -radius,
                normal,
                gap_m,
                weights,
                friction,
            });
        }
    }
    list
}

/// Alone, a probe is a mass on a spring and a damper: it comes to rest at its target, and the
/// impulse of its spring is its momentum.
#[test]
fn a_free_probe_follows_its_frame() {
    let mut world = weightless();
    let to = Vec3::new(0.01, 0.0, 0.0);
    world.set_probe(0, Some(&tool(Vec3::zeros(), to))).unwrap();
    world.step(DT, &[], &[]).unwrap();
    let state = world.probe(0).unwrap();
    assert!((state.pull_impulse - state.velocity * 0.05).norm() < 1e-15);
    assert!(state.velocity.x > 0.0 && state.impulse == Vec3::zeros());
    go(&mut world, 1000);
    let state = world.probe(0).unwrap();
    assert!((state.position - to).norm() < 1e-12 && state.velocity.norm() < 1e-10);
    // With an evenly moving frame it has no lag: the damper knows the frame's velocity.
    for i in 0..500 {
        let x = |i: i32| to + Vec3::y() * (0.0004 * f64::from(i));
        world.pull_probe(0, x(i), x(i + 1)).unwrap();
        go(&mut world, 1);
    }
    let state = world.probe(0).unwrap();
    let at = to + Vec3::y() * 0.2;
    assert!(
        (state.position - at).norm() < 1e-6,
        "{:?}",
        state.position - at
    );
}

/// Pulled into a fixed sphere with any stiffness, a probe stands still, and pushes with deflection
/// times stiffness to rounding.
#[test]
fn a_probe_on_something_fixed_pushes_with_its_spring() {
    for stiffness_n_m in [10.0, 1000.0, 1e5, 1e8] {
        let mut world = weightless();
        world.add_sphere(&crate::ball(Vec3::zeros(), 0)).unwrap();
        world.set_fixed(0, true).unwrap();
        let mut probe = tool(Vec3::z() * 0.03, Vec3::z() * 0.015);
        probe.stiffness_n_m = stiffness_n_m;
        world.set_probe(0, Some(&probe)).unwrap();
        for _ in 0..2000 {
            let list = touches(&world, 0.01, 0.5);
            world.step(DT, &[], &list).unwrap();
        }
        let state = world.probe(0).unwrap();
        let force = state.impulse / DT;
        let spring = (state.position.z - 0.015) * stiffness_n_m;
        assert!(
            (state.position.z - 0.02).abs() < 1e-9,
            "{}",
            state.position.z
        );
        assert!(near(force.z, spring, 1e-6), "{force:?} {spring}");
        assert!(near(-state.pull_impulse.z / DT, spring, 1e-6));
    }
}

/// Presses a tool into objects on the floor: it settles at the spring's force (mean of a second),
/// and no step moves it further than `jitter_m`. On soft objects it may creep, since friction has
/// no memory beyond a step. The energy is bounded by what the spring can hold.
fn press(world: &mut SphereWorld, from: Vec3, to: Vec3, jitter_m: f64) {
    const RADIUS: f64 = 0.015;
    world.set_probe(0, Some(&tool(from, from))).unwrap();
    let energy = |w: &SphereWorld| w.kinetic_energy();
    let mut fastest: f64 = 0.0;
    for i in 0..3000 {
        let share = |i: i32| from + (to - from) * (f64::from(i) / 250.0).min(1.0);
        world.pull_probe(0, share(i), share(i + 1)).unwrap();
        let list = touches(world, RADIUS, 0.3);
        let report = world.step(DT, &[], &list).unwrap();
        assert_eq!(report, Default::default());
        fastest = fastest.max(energy(world));
    }
    // Half of what the spring can hold.
    let most = 1000.0 * (to - from).norm_squared() / 4.0;
    assert!(fastest < most, "{fastest} of {most}");
    let (mut jump, mut last) = (0.0_f64, world.probe(0).unwrap().position);
    let (mut force, mut spring) = (Vec3::zeros(), Vec3::zeros());
    for _ in 0..250 {
        let list = touches(world, RADIUS, 0.3);
        world.step(DT, &[], &list).unwrap();
        let state = world.probe(0).unwrap();
        jump = jump.max((state.position - last).norm());
        last = state.position;
        force += state.impulse / DT / 250.0;
        spring += (state.position - to) * (1000.0 / 250.0);
    }
    assert!(spring.norm() > 0.3, "nothing was pressed: {spring:?}");
    let off = (force - spring).norm() / spring.norm();
    assert!(off < 2e-3, "{force:?} {spring:?}");
    assert!(jump < jitter_m, "{jump}");
}

#[test]
fn a_probe_settles_on_a_jelly() {
    let mut world = SphereWorld::new(Settings {
        contact_sweeps: 2,
        ..Settings::default()
    })
    .unwrap();
    world.set_walls(&Walls::floor(0.0, 0.5)).unwrap();
    jelly(&mut world, Vec3::new(0.0, 0.0, 0.035), 0.03, 0);
    let from = Vec3::new(0.002, 0.001, 0.1);
    press(&mut world, from, from - Vec3::z() * 0.04, 1e-6);
}

#[test]
fn a_probe_settles_on_a_strand() {
    let mut world = SphereWorld::new(Settings {
        contact_sweeps: 2,
        ..Settings::default()
    })
    .unwrap();
    world.set_walls(&Walls::floor(0.0, 0.5)).unwrap();
    let points = crate::line(Vec3::new(-0.1, 0.0, 0.004), Vec3::x() * 0.004, 51);
    let material = hapticd_particles::StrandMaterial {
        bend_n_m2: 1e-4,
        damping_s: 0.001,
        ..crate::wire()
    };
    world.strand(&points, 0, &material).unwrap();
    let from = Vec3::new(0.001, 0.0, 0.06);
    press(&mut world, from, Vec3::new(0.001, 0.0, 0.02), 1e-6);
}

#[test]
fn a_probe_settles_in_a_fluid_against_the_floor() {
    let mut world = SphereWorld::new(Settings {
        contact_sweeps: 2,
        ..Settings::default()
    })
    .unwrap();
    pool(&mut world, [8, 8, 4], Vec3::new(0.09, 0.09, 0.0));
    go(&mut world, 1000);
    let from = Vec3::new(0.045, 0.045, 0.09);
    press(&mut world, from, Vec3::new(0.045, 0.045, 0.022), 1e-6);
}

/// Two-way coupling: the spheres of the contact get the opposite of the probe's impulse, by their
/// weights.
#[test]
fn a_contact_pushes_both_sides() {
    let mut world = weightless();
    for x in [-0.01, 0.01] {
        world
            .add_sphere(&crate::Sphere::at(Vec3::x() * x, 0.02, 0.001, 0))
            .unwrap();
    }
    let mut probe = tool(Vec3::z() * 0.001, Vec3::z() * 0.001);
    (probe.stiffness_n_m, probe.damping_n_s_m) = (0.0, 0.0);
    probe.velocity = Vec3::new(0.02, 0.0, -0.5);
    world.set_probe(0, Some(&probe)).unwrap();
    let before = world.momentum();
    let mut weights = [(0, 0.0); MAX_WEIGHTS];
    weights[..3].copy_from_slice(&[(0, 0.25), (1, 0.5), (0, 0.25)]);
    let contact = ProbeContact {
        probe: 0,
        offset: Vec3::zeros(),
        normal: Vec3::z(),
        gap_m: 0.001,
        weights,
        friction: 0.2,
    };
    world.step(DT, &[], &[contact]).unwrap();
    assert!((world.momentum() - before).norm() < 1e-15);
    let got = world.probe(0).unwrap().impulse;
    assert_eq!(world.probe_contact_impulses(), [got]);
    assert!(got.z > 0.005 && got.x < 0.0);
    let (a, b) = (world.velocities()[0], world.velocities()[1]);
    assert!((a - b).norm() < 1e-12 && (a + b + got / 0.02).norm() < 1e-12);
    // Moving together afterwards, no bounce.
    let state = world.probe(0).unwrap();
    assert!((state.velocity.z - (a.z + b.z) / 2.0).abs() < 1e-12);
}

/// A probe that starts deep inside is pushed out slowly.
#[test]
fn a_probe_deep_inside_is_let_out_slowly() {
    let mut world = weightless();
    world.add_sphere(&crate::ball(Vec3::zeros(), 0)).unwrap();
    world.set_fixed(0, true).unwrap();
    let at = Vec3::z() * 0.002;
    let mut probe = tool(at, at);
    probe.stiffness_n_m = 0.0;
    world.set_probe(3, Some(&probe)).unwrap();
    let mut last = at.z;
    for _ in 0..50 {
        let state = world.probe(3).unwrap();
        let mut weights = [(0, 0.0); MAX_WEIGHTS];
        weights[0].1 = 1.0;
        let contact = ProbeContact {
            probe: 3,
            offset: Vec3::zeros(),
            normal: Vec3::z(),
            gap_m: state.position.z - 0.02,
            weights,
            friction: 0.0,
        };
        world.step(DT, &[], &[contact]).unwrap();
        let z = world.probe(3).unwrap().position.z;
        assert!(z - last <= 0.5 * DT * (1.0 + 1e-9));
        last = z;
    }
    assert!((last - 0.02).abs() < 1e-9, "{last}");
    assert!(world.kinetic_energy() < 1e-20);
}

/// Faults of probes and of their contacts carry their numbers.
#[test]
fn probes_and_contacts_with_a_fault_are_refused() {
    let mut world = weightless();
    world.add_sphere(&crate::ball(Vec3::zeros(), 0)).unwrap();
    let probe = tool(Vec3::z(), Vec3::z());
    assert!(world.set_probe(4, Some(&probe)).is_err());
    assert!(world.pull_probe(0, Vec3::zeros(), Vec3::zeros()).is_err());
    for (wrong, text) in [
        (
            Probe {
                mass_kg: 0.0,
                ..probe
            },
            "mass_kg = 0",
        ),
        (
            Probe {
                stiffness_n_m: -1.0,
                ..probe
            },
            "stiffness_n_m = -1",
        ),
        (
            Probe {
                damping_n_s_m: f64::NAN,
                ..probe
            },
            "damping_n_s_m = NaN",
        ),
        (
            Probe {
                to: Vec3::repeat(f64::INFINITY),
                ..probe
            },
            "to ",
        ),
    ] {
        let said = world.set_probe(0, Some(&wrong)).unwrap_err().to_string();
        assert!(said.contains(text), "{said}");
    }
    world.set_probe(0, Some(&probe)).unwrap();
    let mut weights = [(0, 0.0); MAX_WEIGHTS];
    weights[0].1 = 1.0;
    let fine = ProbeContact {
        probe: 0,
        offset: Vec3::zeros(),
        normal: Vec3::z(),
        gap_m: 1.0,
        weights,
        friction: 0.0,
    };
    let weigh = |w: f64, sphere: u32| {
        let mut weights = weights;
        weights[0] = (sphere, w);
        ProbeContact { weights, ..fine }
    };
    let wrong = [
        (ProbeContact { probe: 1, ..fine }, ListFault::Probe(1)),
        (ProbeContact { probe: 9, ..fine }, ListFault::Probe(9)),
        (
            ProbeContact {
                normal: Vec3::zeros(),
                ..fine
            },
            ListFault::Normal(0.0),
        ),
        (
            ProbeContact {
                gap_m: f64::INFINITY,
                ..fine
            },
            ListFault::Gap(f64::INFINITY),
        ),
        (
            ProbeContact {
                friction: -1.0,
                ..fine
            },
            ListFault::Friction(-1.0),
        ),
        (weigh(0.9, 0), ListFault::Weights(0.9)),
        (weigh(1.0, 5), ListFault::Sphere(5)),
        (weigh(-0.5, 0), ListFault::Weight(-0.5)),
    ];
    for (contact, fault) in wrong {
        let report = world.step(DT, &[], &[contact, fine]).unwrap();
        assert_eq!(
            (report.contacts_refused, report.first_contact),
            (1, Some((0, fault)))
        );
    }
    world.set_probe(0, None).unwrap();
    assert!(world.probe(0).is_none());
}
