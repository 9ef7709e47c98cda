//! Strands that bend, coils, lattices.

use hapticd_particles::Vec3;
use hapticd_particles::{
    BlendEvent, Blending, LatticeError, LatticeMaterial, Neighbours, Region, Rest, Settings,
    SphereWorld, StrandError, Walls,
};

use crate::{G, go, line, near, weightless, wire};

/// A coil about z: `turns` of `radius` with a `pitch`, `per_turn` points each.
fn coil(radius: f64, pitch: f64, turns: u32, per_turn: u32) -> Vec<Vec3> {
    (0..=turns * per_turn)
        .map(|i| {
            let angle = core::f64::consts::TAU * f64::from(i) / f64::from(per_turn);
            let rise = pitch * f64::from(i) / f64::from(per_turn);
            Vec3::new(radius * angle.cos(), radius * angle.sin(), rise)
        })
        .collect()
}

/// A clamped beam under its own weight: `q L^4 / 8 EI`, clamped by two fixed spheres at the wall.
#[test]
fn a_clamped_beam_sags_as_theory_says() {
    let (n, length, rigidity) = (21, 0.2, 2e-3);
    let mut world = SphereWorld::new(Settings {
        substeps: 40,
        damping_1_s: 4.0,
        ..Settings::default()
    })
    .unwrap();
    let step = length / (n - 1) as f64;
    let mut material = wire();
    material.mass_kg = 0.01;
    material.stretch_n = 200.0;
    material.bend_n_m2 = rigidity;
    let strand = world
        .strand(&line(Vec3::zeros(), Vec3::x() * step, n), 0, &material)
        .unwrap();
    world.set_fixed(strand.spheres.start, true).unwrap();
    world.set_fixed(strand.spheres.start + 1, true).unwrap();
    go(&mut world, 2500);
    // The beam begins in the middle of the held segment, where its direction is held.
    let free = length - step / 2.0;
    let q = 0.01 * G / length;
    let theory = q * free.powi(4) / 8.0 / rigidity;
    let sag = -world.positions()[n - 1].z;
    assert!(near(sag, theory, 0.08), "{sag} {theory}");
}

/// A coil that is pressed until its rings touch, then released, becomes the coil again; the rings
/// do not pass each other.
#[test]
fn a_coil_pressed_to_its_rings_comes_back() {
    let (turns, per_turn, pitch) = (4, 24, 0.02);
    let mut world = SphereWorld::new(Settings {
        gravity_m_s2: Vec3::zeros(),
        substeps: 10,
        contact_sweeps: 2,
        damping_1_s: 4.0,
        friction: 0.1,
        ..Settings::default()
    })
    .unwrap();
    let points = coil(0.03, pitch, turns, per_turn);
    let mut material = wire();
    material.mass_kg = 0.005;
    material.bend_n_m2 = 1e-3;
    material.damping_s = 0.0004;
    let strand = world.strand(&points, 3, &material).unwrap();
    let (first, last) = (strand.spheres.start, strand.spheres.end - 1);
    let ends = [first, first + 1, last - 1, last];
    for end in ends {
        world.set_fixed(end, true).unwrap();
    }
    go(&mut world, 100);
    let at_rest: f64 = (points.iter().zip(world.positions()))
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max);
    assert!(at_rest < 1e-6, "it did not keep its shape: {at_rest}");

    // From 80 mm to 30: rings 7.5 mm apart, which is less than they are thick.
    let press = |world: &mut SphereWorld, speed: f64, steps: u32| {
        for end in [last - 1, last] {
            let x = world.positions()[end as usize];
            world.place(end, x, Vec3::z() * speed).unwrap();
        }
        go(world, steps);
        for end in [last - 1, last] {
            let x = world.positions()[end as usize];
            world.place(end, x, Vec3::zeros()).unwrap();
        }
    };
    press(&mut world, -0.025, 500);
    go(&mut world, 500);
    // Rings over rings: a quarter of a turn apart and so on, never nearer than slightly less than
    // two radii.
    let mut narrowest = f64::INFINITY;
    let x = world.positions();
    for i in 0..x.len() {
        for j in i + per_turn as usize / 2..x.len() {
            narrowest = narrowest.min((x[i] - x[j]).norm());
        }
    }
    assert!((0.0078..0.0082).contains(&narrowest), "{narrowest}");
    press(&mut world, 0.025, 500);
    go(&mut world, 4000);
    let off: f64 = (points.iter().zip(world.positions()))
        .map(|(a, b)| (a - b).norm())
        .fold(0.0, f64::max);
    assert!(off < 2e-3, "{off}");
    assert!(world.kinetic_energy() < 1e-9);
}

/// A bent wire that is straight at rest unbends; one with its given shape as rest shape stays.
#[test]
fn a_wire_goes_back_to_its_rest() {
    for (rest, straightens) in [(Rest::Straight, true), (Rest::AsGiven, false)] {
        let mut world = SphereWorld::new(Settings {
            gravity_m_s2: Vec3::zeros(),
            damping_1_s: 5.0,
            ..Settings::default()
        })
        .unwrap();
        let points: Vec<Vec3> = (0..12)
            .map(|i| {
                let angle = f64::from(i) * 0.1;
                Vec3::new(angle.sin(), 1.0 - angle.cos(), 0.0) * 0.1
            })
            .collect();
        let mut material = wire();
        material.bend_n_m2 = 1e-4;
        material.rest = rest;
        let strand = world.strand(&points, 0, &material).unwrap();
        assert_eq!(strand.spheres, 0..12);
        go(&mut world, 3000);
        let chord = (world.positions()[0] - world.positions()[11]).norm();
        let (arc, given) = (
            0.1 * 2.0 * 0.05_f64.sin() * 11.0,
            (points[0] - points[11]).norm(),
        );
        let wanted = if straightens { arc } else { given };
        assert!(near(chord, wanted, 1e-3), "{rest:?}: {chord} of {wanted}");
    }
}

/// Spheres whose diameter exceeds their spacing do not push along the wire.
#[test]
fn a_thick_wire_does_not_push_itself() {
    let mut world = weightless();
    let points = line(Vec3::zeros(), Vec3::x() * 0.003, 20);
    world.strand(&points, 0, &wire()).unwrap();
    go(&mut world, 20);
    assert_eq!(world.positions(), points);
}

/// The window along the wire is exactly the list, and makes no events although all of it touches.
#[test]
fn the_window_along_a_wire_always_blends() {
    let mut world = weightless();
    let mut material = wire();
    material.window_m = 0.0151;
    let points = line(Vec3::zeros(), Vec3::x() * 0.005, 10);
    let rule = Blending {
        blend_at_m: 0.0,
        part_at_m: 0.01,
        others: false,
    };
    world.set_blending(4, Some(rule)).unwrap();
    let strand = world.strand(&points, 4, &material).unwrap();
    let wanted: Vec<(u32, u32)> = (0..10_u32)
        .flat_map(|i| (i + 1..10.min(i + 4)).map(move |j| (i, j)))
        .collect();
    assert_eq!(strand.blended, wanted);
    go(&mut world, 1);
    assert_eq!(world.events(), []);
    // Folded, it blends with itself: that is an event.
    let end = world.positions()[0] + Vec3::y() * 0.0079;
    world.place(9, end, Vec3::zeros()).unwrap();
    world.step(1e-6, &[], &[]).unwrap();
    assert_eq!(world.events(), [BlendEvent::Added(0, 9)]);
}

/// A block dropped on the floor stands at rest at nearly its height, and nowhere presses deeper
/// into the floor than a micrometre.
#[test]
fn a_jelly_stands_on_the_floor() {
    let mut world = SphereWorld::new(Settings {
        damping_1_s: 1.0,
        ..Settings::default()
    })
    .unwrap();
    world.set_walls(&Walls::floor(0.0, 0.5)).unwrap();
    let block = crate::jelly(&mut world, Vec3::new(0.0, 0.0, 0.04), 0.03, 0);
    assert_eq!(block.len(), 343);
    go(&mut world, 1500);
    let x = world.positions();
    let low = x.iter().map(|p| p.z).fold(f64::INFINITY, f64::min);
    let high = x.iter().map(|p| p.z).fold(0.0, f64::max);
    assert!((low - 0.005).abs() < 1e-6, "{low}");
    assert!((0.055..0.065).contains(&high), "{high}");
    assert!(world.kinetic_energy() < 1e-9, "{}", world.kinetic_energy());
}

/// A perfect grid has the springs of a perfect grid.
#[test]
fn a_lattice_has_the_neighbours_it_says() {
    let points = Region::Box(Vec3::zeros(), Vec3::repeat(0.01))
        .fill(0.01)
        .unwrap();
    assert_eq!(points.len(), 27);
    let round = Region::Ellipsoid(Vec3::zeros(), Vec3::new(0.02, 0.01, 0.01));
    assert_eq!(round.fill(0.01).unwrap().len(), 9);
    // The centre of 27 is linked to all; when it is pulled away, each spring contributes its share.
    for (neighbours, count) in [(Neighbours::Eighteen, 18.0), (Neighbours::TwentySix, 26.0)] {
        let mut world = SphereWorld::new(Settings {
            gravity_m_s2: Vec3::x() * -1.0,
            damping_1_s: 20.0,
            ..Settings::default()
        })
        .unwrap();
        let material = LatticeMaterial {
            radius_m: 0.002,
            mass_kg: 0.027,
            stiffness_n_m: 10.0,
            damping_s: 0.0,
            neighbours,
        };
        world.lattice(&points, 0, 0.01, &material).unwrap();
        // All but the centre are held.
        for i in (0..27).filter(|i| *i != 13) {
            world.set_fixed(i, true).unwrap();
        }
        for _ in 0..1000 {
            world.step(0.002, &[], &[]).unwrap();
        }
        // Along x: 2 axes, 8 of the 12 face diagonals by half each with 1/sqrt 2, 8 corners by a
        // third with 1/sqrt 3.
        let corners = if count > 20.0 {
            8.0 / 3.0 / 3.0_f64.sqrt()
        } else {
            0.0
        };
        let k = 10.0 * (2.0 + 8.0 / 2.0 / 2.0_f64.sqrt() + corners);
        let sag = -world.positions()[13].x;
        assert!(near(sag, 0.001 / k, 0.02), "{sag} {}", 0.001 / k);
    }
}

/// An invalid body is refused with the numbers, and nothing is added.
#[test]
fn bodies_that_cannot_be_are_refused() {
    let mut world = weightless();
    let points = line(Vec3::zeros(), Vec3::x() * 0.01, 4);
    assert_eq!(
        world.strand(&points[..1], 0, &wire()),
        Err(StrandError::Few(1))
    );
    let twice = [points[0], points[1], points[1]];
    assert_eq!(
        world.strand(&twice, 0, &wire()),
        Err(StrandError::Piece {
            index: 2,
            length: 0.0
        })
    );
    let mut bad = points.clone();
    bad[3].y = f64::NAN;
    let fault = world.strand(&bad, 0, &wire()).unwrap_err();
    assert!(matches!(fault, StrandError::Point { index: 3, .. }));
    assert!(fault.to_string().contains("point 3"));
    let mut material = wire();
    material.stretch_n = 0.0;
    let fault = world.strand(&points, 0, &material).unwrap_err();
    assert_eq!(fault.to_string(), "stretch_n = 0 is out of range");
    let many = line(Vec3::zeros(), Vec3::x() * 1e-4, 600);
    material = wire();
    material.window_m = 0.1;
    let fault = world.strand(&many, 0, &material).unwrap_err();
    assert!(
        matches!(fault, StrandError::Window { most: 153_600, .. }),
        "{fault}"
    );

    let solid = LatticeMaterial {
        radius_m: 0.002,
        mass_kg: 0.1,
        stiffness_n_m: 10.0,
        damping_s: 0.0,
        neighbours: Neighbours::Eighteen,
    };
    assert_eq!(
        world.lattice(&[], 0, 0.01, &solid),
        Err(LatticeError::Empty)
    );
    let heap = vec![Vec3::zeros(); 200];
    let fault = world.lattice(&heap, 0, 0.01, &solid).unwrap_err();
    assert!(
        matches!(fault, LatticeError::Dense { most: 12_800, .. }),
        "{fault}"
    );
    let fault = world.lattice(&points, 0, -0.01, &solid).unwrap_err();
    assert_eq!(fault.to_string(), "spacing_m = -0.01 is out of range");
    let huge = Region::Box(Vec3::zeros(), Vec3::repeat(10.0));
    assert_eq!(huge.fill(0.01), Err(LatticeError::Points(1 << 20)));
    assert!(huge.fill(f64::NAN).is_err());
    assert_eq!(world.positions().len(), 0);
}
