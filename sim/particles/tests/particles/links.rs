//! Springs, free flight, and conserved quantities.

use hapticd_particles::Vec3;
use hapticd_particles::{Settings, Sphere, SphereWorld};

use crate::{DT, G, ball, earth, go, line, near, wire};

/// Free fall: velocity to rounding, position half a substep behind the parabola.
#[test]
fn free_fall_is_what_the_page_says() {
    let mut world = earth();
    let mut sphere = ball(Vec3::new(0.0, 0.0, 5.0), 0);
    sphere.velocity = Vec3::new(1.0, 2.0, 0.0);
    world.add_sphere(&sphere).unwrap();
    go(&mut world, 250);
    let (t, h) = (1.0, DT / 4.0);
    let (x, v) = (world.positions()[0], world.velocities()[0]);
    assert!((v - Vec3::new(1.0, 2.0, -G)).norm() < 1e-11);
    let fallen = 5.0 - G * t * (t + h) / 2.0;
    assert!((x - Vec3::new(1.0, 2.0, fallen)).norm() < 1e-11);
}

/// Two masses on a spring: the theoretical frequency, and no energy gained.
#[test]
fn a_spring_swings_at_its_frequency() {
    let (m, k, rest) = (0.02, 30.0, 0.1);
    let mut world = SphereWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        substeps: 40,
        ..Settings::default()
    })
    .unwrap();
    for x in [0.0, rest * 1.1] {
        let at = Vec3::new(x, 0.0, 0.0);
        world.add_sphere(&Sphere::at(at, m, 0.0, 0)).unwrap();
    }
    world.link([0, 1], rest, 1.0 / k, 0.0).unwrap();
    let energy = |w: &SphereWorld| {
        let stretch = (w.positions()[0] - w.positions()[1]).norm() - rest;
        w.kinetic_energy() + k * stretch * stretch / 2.0
    };
    let mut last = energy(&world);
    let (mut crossings, mut at) = (0, 0.0);
    let mut was = 0.1 * rest;
    for i in 1..=500 {
        go(&mut world, 1);
        let e = energy(&world);
        assert!(e <= last * (1.0 + 1e-9), "{i}: {last} to {e}");
        last = e;
        let stretch = (world.positions()[0] - world.positions()[1]).norm() - rest;
        if was > 0.0 && stretch <= 0.0 {
            crossings += 1;
            at = f64::from(i) * DT - DT * stretch / (stretch - was);
        }
        was = stretch;
    }
    // A cosine crosses zero a quarter of a period after its start.
    let period = at / (f64::from(crossings) - 0.75);
    let theory = core::f64::consts::TAU * (m / 2.0 / k).sqrt();
    assert!(near(period, theory, 2e-3), "{period} {theory}");
}

/// The damping time takes from a spring's oscillation what theory predicts.
#[test]
fn a_damped_spring_loses_what_its_damping_says() {
    let (m, k, rest, damping) = (0.02, 10.0, 0.1, 0.002);
    let mut world = SphereWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        substeps: 100,
        ..Settings::default()
    })
    .unwrap();
    for x in [0.0, rest * 1.1] {
        let at = Vec3::new(x, 0.0, 0.0);
        world.add_sphere(&Sphere::at(at, m, 0.0, 0)).unwrap();
    }
    world.link([0, 1], rest, 1.0 / k, damping).unwrap();
    let energy = |w: &SphereWorld| {
        let stretch = (w.positions()[0] - w.positions()[1]).norm() - rest;
        w.kinetic_energy() + k * stretch * stretch / 2.0
    };
    let before = energy(&world);
    go(&mut world, 50);
    // Both masses: reduced mass m/2, viscosity k damping; energy falls as exp(-viscosity t /
    // (m/2)).
    let rate = k * damping / (m / 2.0);
    let lost = (before / energy(&world)).ln() / (50.0 * DT);
    // Implicit Euler adds `h w²`: 0.04 1/s.
    assert!((lost - rate).abs() < 0.1 * rate, "{lost} {rate}");
}

/// A strand hung by its end: each segment stretches by the weight below it, and the length agrees
/// with theory.
#[test]
fn a_hanging_strand_is_as_long_as_theory_says() {
    let (n, length) = (21, 0.4);
    let mut world = SphereWorld::new(Settings {
        substeps: 20,
        damping_1_s: 3.0,
        ..Settings::default()
    })
    .unwrap();
    let step = Vec3::new(0.0, 0.0, -length / (n - 1) as f64);
    let mut material = wire();
    material.stretch_n = 10.0;
    let strand = world
        .strand(&line(Vec3::zeros(), step, n), 0, &material)
        .unwrap();
    world.set_fixed(strand.spheres.start, true).unwrap();
    go(&mut world, 3000);
    // A wire under its own weight: m g L / 2 EA; the lumped masses give exactly that.
    let theory = length * (1.0 + 0.1 * G / 2.0 / 10.0);
    let hangs = -world.positions()[n - 1].z;
    let extra = (hangs - length) / (theory - length);
    assert!((extra - 1.0).abs() < 0.02, "{extra}");
    assert!(world.kinetic_energy() < 1e-12, "{}", world.kinetic_energy());
}

/// A rope between two nails: the sag is the catenary's.
#[test]
fn a_rope_between_nails_is_a_catenary() {
    let (n, span) = (41, 0.4);
    let mut world = SphereWorld::new(Settings {
        substeps: 20,
        damping_1_s: 4.0,
        ..Settings::default()
    })
    .unwrap();
    // A V of two straight halves, 0.25 m each, that sags to the curve.
    let depth = (0.25_f64.powi(2) - 0.2_f64.powi(2)).sqrt();
    let points: Vec<Vec3> = (0..n)
        .map(|i| {
            let s = i as f64 / (n - 1) as f64;
            Vec3::new(span * s, 0.0, -depth * (1.0 - (2.0 * s - 1.0).abs()))
        })
        .collect();
    let mut material = wire();
    material.stretch_n = 1e4;
    let strand = world.strand(&points, 0, &material).unwrap();
    world.set_fixed(strand.spheres.start, true).unwrap();
    world.set_fixed(strand.spheres.end - 1, true).unwrap();
    go(&mut world, 3000);
    // 2 a sinh(span / 2a) = 0.5, sag = a (cosh(span / 2a) - 1).
    let (mut low, mut high) = (0.01, 10.0);
    for _ in 0..200 {
        let a: f64 = (low + high) / 2.0;
        if 2.0 * a * (span / 2.0 / a).sinh() > 0.5 {
            low = a;
        } else {
            high = a;
        }
    }
    let sag = low * ((span / 2.0 / low).cosh() - 1.0);
    let hangs = -world.positions()[n / 2].z;
    assert!(near(hangs, sag, 0.01), "{hangs} {sag}");
}

/// Two jellies that spin and meet conserve linear momentum to rounding, and angular momentum with
/// an error that falls with the substep.
#[test]
fn momentum_is_kept_between_spheres() {
    let lost = |substeps: u32| {
        let mut world = SphereWorld::new(Settings {
            gravity_m_s2: Vec3::zeros(),
            substeps,
            // Friction acts on the centres: the torque on the balls is lost.
            friction: 0.0,
            ..Settings::default()
        })
        .unwrap();
        let a = crate::jelly(&mut world, Vec3::new(-0.03, 0.004, 0.0), 0.02, 0);
        let b = crate::jelly(&mut world, Vec3::new(0.03, -0.006, 0.003), 0.02, 1);
        for (range, speed) in [(a, 0.5), (b, -0.3)] {
            for i in range {
                let x = world.positions()[i as usize];
                let v = Vec3::new(speed, 2.0 * x.z, -2.0 * x.y);
                world.place(i, x, v).unwrap();
            }
        }
        let (p, l) = (world.momentum(), world.angular_momentum());
        let e = world.kinetic_energy();
        go(&mut world, 50);
        assert!(world.kinetic_energy() < 0.8 * e, "they did not meet");
        let off = (world.momentum() - p).norm();
        assert!(off < 1e-12, "{off}");
        (world.angular_momentum() - l).norm() / l.norm()
    };
    let (coarse, fine) = (lost(4), lost(40));
    assert!(coarse < 0.3 && fine < 0.2 * coarse, "{coarse} {fine}");
}
