use super::*;
use hapticd_geometry::Quat;

#[test]
fn free_space_is_forceless_and_a_held_stretch_gives_the_spring() {
    let gains = Gains {
        stiffness_n_per_m: 500.0,
        damping_n_s_per_m: 1.0,
        ..Gains::default()
    };
    let mut c = Coupling::new(gains, Damping::Relative);
    for i in 0..20 {
        let p = Pose::translation(f64::from(i) * 0.01, 0.0, 0.0);
        assert_eq!(
            c.wrench(&p, &p, &Vec3::zeros(), None, 1e-3),
            Wrench::default()
        );
    }
    let device = Pose::translation(0.0, 0.0, -0.002);
    let soft = Some((400.0, 1.0));
    let press = |c: &mut Coupling| c.wrench(&device, &Pose::identity(), &Vec3::zeros(), soft, 1e-3);
    // From the first tick with the material's stiffness, but without damping until the rate is
    // known.
    for _ in 0..20 {
        let w = press(&mut c);
        assert!((w.force_n - Vec3::z() * 0.8).norm() < 1e-12, "{w:?}");
    }
}

/// A hand that rests in a frame that moves and turns, with a tool that is held in the world: in the
/// hand's view the far end alone has moved, and so it is accounted for.
#[test]
fn a_frame_that_moves_is_motion_of_the_far_end() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let held = Pose::translation(0.1, 0.0, 0.0);
    let hand = Pose::translation(0.098, 0.001, 0.0);
    c.wrench(&hand, &held, &Vec3::zeros(), None, 1e-3);
    let change = FrameChange {
        from: Pose::translation(0.02, 0.0, 0.0),
        to: Pose::from_parts(
            Vec3::new(0.0195, 0.0001, 0.0).into(),
            Quat::from_scaled_axis(Vec3::new(0.0, 0.0, 0.01)),
        ),
        ratio: 1.0,
        tool_turn: Quat::identity(),
    };
    c.carry(&change);
    c.wrench(&change.carry(&hand), &held, &Vec3::zeros(), None, 1e-3);
    let before = &c.energy().before;
    let near = |a: [f64; 2], b: [f64; 2]| (0..2).all(|k| (a[k] - b[k]).abs() < 1e-15);
    assert!(near(before.hand_j, before.none_j), "{before:?}");
    assert!(near(before.far_j, before.both_j), "{before:?}");
    assert!(!near(before.far_j, before.none_j), "{before:?}");
}

const GAINS: Gains = Gains {
    stiffness_n_per_m: 1000.0,
    damping_n_s_per_m: 2.0,
    rotational_stiffness_nm_per_rad: 0.5,
    rotational_damping_nm_s_per_rad: 0.004,
};

/// Returns the wrench on a hand at this height (m) and twist (rad) below what holds the tool at the
/// origin.
fn held(c: &mut Coupling, z: f64, twist: f64, material: (f64, f64)) -> Wrench {
    let turn = Quat::from_scaled_axis(Vec3::new(-twist, 0.0, 0.0));
    let device = Pose::from_parts(Vec3::new(0.0, 0.0, -z).into(), turn);
    c.wrench(
        &device,
        &Pose::identity(),
        &Vec3::zeros(),
        Some(material),
        1e-3,
    )
}

#[test]
fn stiffness_glides_under_load_and_only_then() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    assert!((held(&mut c, 1e-3, 0.0, (200.0, 0.0)).force_n.z - 0.2).abs() < 1e-12);
    // From one material to the next the force does not step.
    let mut before = 0.2;
    for k in 0..60 {
        let force = held(&mut c, 1e-3, 0.0, (800.0, 0.0)).force_n.z;
        let step = force - before;
        assert!(step > 0.0 && step <= 0.03, "tick {k}: {step} N");
        before = force;
    }
    // The stored energy stays: the force grows by the square root, until the hand presses on
    // against the new stiffness.
    assert!((before - 0.4).abs() < 2e-3, "{before}");
    let further = held(&mut c, 1.5e-3, 0.0, (800.0, 0.0)).force_n.z;
    assert!((further - before - 0.4).abs() < 3e-3, "{further}");
    // Out of free space nothing could step.
    let rest = Pose::identity();
    assert_eq!(
        c.wrench(&rest, &rest, &Vec3::zeros(), None, 1e-3),
        Wrench::default()
    );
    assert!((held(&mut c, 1e-3, 0.0, (300.0, 0.0)).force_n.z - 0.3).abs() < 1e-12);
}

#[test]
fn a_spring_that_gets_stiffer_under_load_gives_back_what_was_put_in() {
    for (first, then) in [(100.0, 1000.0), (200.0, 400.0), (1000.0, 100.0)] {
        for twist in [0.0, 0.1] {
            let mut c = Coupling::new(GAINS, Damping::Relative);
            // In by 5 mm of one material, held until it is the other, and out again, in 10 um
            // steps. The work of held forces is then that of the springs to a few parts in a
            // thousand.
            let (mut work_j, mut put_in_j) = (0.0, 0.0);
            let mut last = Wrench::default();
            let way = (0..=500)
                .chain(std::iter::repeat_n(500, 100))
                .chain((0..500).rev());
            let mut at = 0;
            for (k, step) in way.enumerate() {
                let material = if k <= 500 { first } else { then };
                let moved = f64::from(step - at);
                at = step;
                work_j -= last.force_n.z * moved * 1e-5;
                work_j -= last.torque_nm.x * moved * twist / 500.0;
                put_in_j = f64::max(put_in_j, -work_j);
                let share = f64::from(step) / 500.0;
                last = held(&mut c, 5e-3 * share, twist * share, (material, 0.0));
            }
            assert_eq!(last, Wrench::default());
            let gained = work_j / put_in_j;
            assert!(
                gained < 0.01,
                "{first} to {then} N/m: {work_j} J of {put_in_j} J"
            );
            if then > first {
                assert!(
                    gained > -0.02,
                    "{first} to {then} N/m: {work_j} J of {put_in_j} J"
                );
            }
        }
    }
}

#[test]
fn a_spring_whose_share_rises_under_load_gives_back_what_was_put_in() {
    let part = |share, most_n| Passed {
        share,
        most_n,
        ..Passed::default()
    };
    let all = part(1.0, f64::INFINITY);
    for (first, then) in [
        (part(0.1, f64::INFINITY), all),
        (part(0.5, 2.0), part(1.0, 2.0)),
        (part(0.3, 3.0), part(0.6, 3.0)),
    ] {
        let mut c = Coupling::new(GAINS, Damping::Relative);
        let (mut work_j, mut put_in_j, mut last_n) = (0.0, 0.0_f64, 0.0);
        let way = (0..=500)
            .chain(std::iter::repeat_n(500, 100))
            .chain((0..500).rev());
        let mut at = 0;
        for (k, step) in way.enumerate() {
            let passed = if k <= 500 { first } else { then };
            c.set_passed(passed);
            work_j -= last_n * f64::from(step - at) * 1e-5;
            put_in_j = put_in_j.max(-work_j);
            at = step;
            let depth_m = 5e-3 * f64::from(step) / 500.0;
            let wanted_n = held(&mut c, depth_m, 0.0, (1000.0, 0.0)).force_n.z;
            last_n = passed.share * wanted_n.min(passed.most_n);
        }
        assert_eq!(last_n, 0.0);
        let gained = work_j / put_in_j;
        // Steps of 10 um at 5 mm: the work of held forces is that of the spring to some parts
        // in a thousand.
        assert!(
            (-0.02..0.01).contains(&gained),
            "{first:?} {then:?}: {gained}"
        );
    }
}

/// Returns the force at this depth if the fade leaves `edge` of it, N.
fn pressed_at_edge(c: &mut Coupling, depth_m: f64, edge: f64) -> f64 {
    c.set_passed(Passed {
        edge,
        ..Passed::default()
    });
    held(c, depth_m, 0.0, (1000.0, 0.0)).force_n.z
}

/// Pressed, out through the fade, deeper there, and back: the force is that of the energy put in.
#[test]
fn a_fade_gives_back_what_it_took_and_no_more() {
    let pressed =
        |c: &mut Coupling, depth_m: f64, edge: f64| edge * pressed_at_edge(c, depth_m, edge);
    // Depth outside, and the share that the fade leaves there.
    for (deep, least) in [
        (4e-3, 0.0),
        (4e-3, 0.5),
        (9e-3, 0.0),
        (9e-3, 0.25),
        (3e-3, 0.0),
    ] {
        let mut c = Coupling::new(GAINS, Damping::Relative);
        let edges: Vec<f64> = (0..=1000).map(|k| 1.0 - f64::from(k) * 1e-3).collect();
        let edges: Vec<f64> = edges.into_iter().filter(|e| *e >= least).collect();
        near_n(pressed(&mut c, 4e-3, 1.0), 4.0);
        for &edge in &edges {
            near_n(pressed(&mut c, 4e-3, edge), 4.0 * edge);
        }
        let put_in_j = 0.5 * least * 1000.0 * (deep * deep - 16e-6);
        near_n(pressed(&mut c, deep, least), least * deep * 1e3);
        let mut last = 0.0;
        for &edge in edges.iter().rev().chain(&[1.0, 1.0]) {
            last = pressed(&mut c, deep, edge);
        }
        let stored_j = (8e-3 + put_in_j).min(500.0 * deep * deep);
        assert!(
            (last - (2000.0 * stored_j).sqrt()).abs() < 0.01,
            "{deep} m at {least}: {last} N"
        );
        // From then on it is an ordinary spring, and the remainder is dropped.
        let slack = deep - last * 1e-3;
        near_n(
            pressed(&mut c, 0.5 * deep, 1.0),
            (0.5 * deep - slack).max(0.0) * 1e3,
        );
    }
}

fn near_n(is: f64, expected: f64) {
    assert!((is - expected).abs() < 1e-9, "{is} N, not {expected}");
}

/// Of 8 mJ that a fade took, 3.5 were released outside and are lost. The next way out and back
/// gives the 4.5 mJ that it takes, although the hand is deeper then.
#[test]
fn what_was_let_go_outside_is_not_saved_up_for_the_next_time() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let mut pressed = |depth_m: f64, edge: f64| pressed_at_edge(&mut c, depth_m, edge);
    let edges = || (0..=1000).map(|k| f64::from(k) * 1e-3);
    let mut last_n = 0.0;
    pressed(4e-3, 1.0);
    for (before_m, after_m) in [(4e-3, 3e-3), (3e-3, 5e-3)] {
        for edge in edges().rev() {
            pressed(before_m, edge);
        }
        for edge in edges().chain([1.0]) {
            last_n = pressed(after_m, edge);
        }
        assert!((last_n - 3.0).abs() < 0.01, "{after_m} m: {last_n} N");
    }
}

/// Outside the workspace from the start: nothing was put in, so nothing is given.
#[test]
fn a_fade_gives_nothing_to_a_hand_that_pressed_outside_alone() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let mut pressed = |depth_m: f64, edge: f64| pressed_at_edge(&mut c, depth_m, edge);
    pressed(0.0, 0.0);
    pressed(5e-3, 0.0);
    for k in 1..=100 {
        near_n(pressed(5e-3, f64::from(k) * 1e-2), 0.0);
    }
    // Further in it is a spring; out of the body and in again it is the whole one.
    near_n(pressed(6e-3, 1.0), 1.0);
    pressed(0.0, 1.0);
    near_n(pressed(5e-3, 1.0), 5.0);
}

#[test]
fn a_limit_that_is_raised_gives_all_of_the_force() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    for (most_n, k) in [(0.0, 0), (0.0, 1), (1.0, 2), (3.0, 3)] {
        c.set_passed(Passed {
            most_n,
            ..Passed::default()
        });
        let wanted_n = held(&mut c, 5e-3, 0.0, (1000.0, 0.0)).force_n.z;
        assert!((wanted_n - 5.0).abs() < 1e-12, "{k}: {wanted_n} N");
    }
}

/// The stored energy is reported for each end that moved alone, with the spring as it was before,
/// including its slack.
#[test]
fn what_each_end_did_to_the_stored_energy_is_told() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let at = |z: f64| Pose::translation(0.0, 0.0, z);
    let step = |c: &mut Coupling, hand: f64, far: f64, material: f64| {
        let material = Some((material, 0.0));
        c.wrench(&at(hand), &at(far), &Vec3::zeros(), material, 1e-3);
        *c.energy()
    };
    let near = |[stored_j, turned_j]: [f64; 2], mj: f64| {
        assert!(
            (stored_j - mj * 1e-3).abs() < 1e-12 && turned_j == 0.0,
            "{stored_j} J, not {mj} mJ"
        );
    };
    let first = step(&mut c, -2e-3, 0.0, 500.0);
    near(first.stored_j, 1.0);
    // No ends before: all values are the present one.
    near(first.before.none_j, 1.0);
    near(first.before.both_j, 1.0);
    let then = step(&mut c, -4e-3, 2e-3, 500.0);
    assert_eq!(then.before.stiffness, [500.0, 0.25]);
    near(then.before.none_j, 1.0);
    near(then.before.hand_j, 4.0);
    near(then.before.far_j, 4.0);
    near(then.before.both_j, 9.0);
    near(then.stored_j, 9.0);
    // Twice as stiff within some ticks, at the same energy: 4.24 mm are taut of 6.
    let mut stiff = then;
    for _ in 0..200 {
        stiff = step(&mut c, -4e-3, 2e-3, 1000.0);
    }
    assert!((stiff.stored_j[0] - 9e-3).abs() < 1e-9, "{stiff:?}");
    let slack = 6e-3 - (2.0 * 9e-3 / 1000.0_f64).sqrt();
    let last = step(&mut c, -2e-3, 2e-3, 1000.0);
    let taut = 4e-3 - slack;
    assert!(
        (last.before.hand_j[0] - 500.0 * taut * taut).abs() < 1e-7,
        "{last:?}"
    );
    // In the slack nothing is stored.
    let last = step(&mut c, 1e-3, 2e-3, 1000.0);
    near(last.before.hand_j, 0.0);
}

#[test]
fn a_soft_material_turns_softly_too() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let w = held(&mut c, 1e-3, 0.1, (250.0, 0.0));
    assert!((w.force_n.z - 0.25).abs() < 1e-12);
    assert!((w.torque_nm.x - 0.25 * 0.05).abs() < 1e-12, "{w:?}");
}

#[test]
fn damping_weakens_the_spring_on_the_way_out_and_never_pulls() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    let material = (1000.0, 2.0);
    let mut deep = 4e-3;
    let mut weakened = false;
    for _ in 0..8 {
        held(&mut c, deep, 0.1, material);
    }
    // 0.5 m/s.
    while deep > 0.0 {
        let w = held(&mut c, deep, 0.1, material);
        assert!(w.force_n.z >= 0.0, "{w:?}");
        weakened |= w.force_n.z < 1000.0 * deep - 0.1;
        deep -= 5e-4;
    }
    assert!(weakened);
    let rest = Pose::identity();
    for _ in 0..10 {
        let w = c.wrench(&rest, &rest, &Vec3::zeros(), None, 1e-3);
        assert_eq!(w, Wrench::default());
    }
    // Back in at once: the earlier motion does not count.
    let w = held(&mut c, 1e-3, 0.0, material);
    assert!((w.force_n.z - 1.0).abs() < 1e-12, "{w:?}");
    let w = held(&mut c, 1.5e-3, 0.0, material);
    assert!((w.force_n.z - (1.5 + 2.0 * 0.5)).abs() < 1e-9, "{w:?}");
    let w = held(&mut c, 1.5e-3, 0.1, material);
    assert!(
        (w.torque_nm.x - (0.05 + 1e-3 * 0.1 / 2e-3)).abs() < 1e-9,
        "{w:?}"
    );
}

#[test]
fn the_force_turns_the_hand_about_the_tools_origin() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    // A ball at the end of a stylus of 100 mm, pushed sideways; the stylus points along x.
    let centre = Vec3::new(0.0, 0.0, 0.1);
    let turn = Quat::from_scaled_axis(Vec3::y() * std::f64::consts::FRAC_PI_2);
    let device = Pose::from_parts(Vec3::new(0.3, 0.2, 0.1).into(), turn);
    let proxy = Pose::from_parts(Vec3::new(0.3, 0.201, 0.1).into(), turn);
    let w = c.wrench(&device, &proxy, &centre, Some((500.0, 0.0)), 1e-3);
    assert!((w.force_n - Vec3::y() * 0.5).norm() < 1e-12, "{w:?}");
    assert!((w.torque_nm - Vec3::z() * 0.05).norm() < 1e-12, "{w:?}");
}

#[test]
fn new_gains_are_in_force_and_less_of_them_at_once() {
    let mut c = Coupling::new(GAINS, Damping::Relative);
    held(&mut c, 1e-3, 0.0, (5000.0, 0.0));
    c.set_gains(Gains {
        stiffness_n_per_m: 400.0,
        ..GAINS
    });
    assert!((held(&mut c, 1e-3, 0.0, (5000.0, 0.0)).force_n.z - 0.4).abs() < 1e-12);
    assert_eq!(c.gains().stiffness_n_per_m, 400.0);
    assert_eq!(c.gains().gyration_m2(), Some(0.5 / 400.0));
    c.set_gains(GAINS);
    c.reset();
    assert!((held(&mut c, 1e-3, 0.0, (5000.0, 0.0)).force_n.z - 1.0).abs() < 1e-12);
}
