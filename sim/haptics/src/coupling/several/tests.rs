//! Several materials at once, beside least energies and closed paths.

use super::*;
use proptest::prelude::*;

fn touching(parts: &[(f64, Vec3)]) -> Touched {
    let mut touched = Touched::new();
    for (stiffness, push) in parts {
        touched.touch(*stiffness, 1.0);
        touched.hold(*stiffness, push, &Vec3::zeros());
    }
    touched
}

/// The force on what is held, N, at a stiffness of the arm.
fn force(touched: &Touched, arm: f64) -> Vec3 {
    let (form, held) = touched.form(arm, None).expect("several");
    let all = (held * form.share(&held) + form.across(&held)) * arm;
    all.fixed_rows::<3>(0).into_owned()
}

#[test]
fn contacts_that_are_square_to_each_other_give_what_each_gives_alone() {
    let stretch = [
        (3000.0, Vec3::z() * 6e-4),
        (100.0, Vec3::x() * 2e-3),
        (800.0, Vec3::y() * 1e-3),
    ];
    let f = force(&touching(&stretch), 3000.0);
    assert!((f - Vec3::new(0.2, 0.8, 1.8)).norm() < 1e-12, "{f:?}");
    // No stiffer than the arm.
    let f = force(&touching(&stretch), 2000.0);
    assert!((f - Vec3::new(0.2, 0.8, 1.2)).norm() < 1e-12, "{f:?}");
}

#[test]
fn one_stiffness_is_no_form_and_the_least_is_told() {
    let parts = [(500.0, Vec3::z() * 1e-3), (500.0, Vec3::x() * 1e-3)];
    assert!(touching(&parts).form(3000.0, None).is_none());
    assert_eq!(touching(&parts).softest(), Some((500.0, 1.0)));
    // Both are stiffer than the arm.
    let parts = [(5000.0, Vec3::z() * 1e-3), (4000.0, Vec3::x() * 1e-3)];
    assert!(touching(&parts).form(3000.0, None).is_none());
    // What holds nothing has no say.
    let parts = [(500.0, Vec3::z() * 1e-3), (50.0, Vec3::zeros())];
    assert!(touching(&parts).form(3000.0, None).is_none());
    assert_eq!(touching(&parts).softest(), Some((50.0, 1.0)));
    assert!(Touched::new().form(3000.0, None).is_none());
}

/// Side by side: compliances `1/k - 1/K` of the surfaces are springs in parallel, with the arm's
/// behind them.
#[test]
fn flush_surfaces_are_springs_side_by_side() {
    let (arm, a, b) = (3000.0, 400.0, 900.0);
    let f = force(
        &touching(&[(a, Vec3::z() * 1e-3), (b, Vec3::z() * 2e-3)]),
        arm,
    );
    let surface = |k: f64| 1.0 / (1.0 / k - 1.0 / arm);
    let together = 1.0 / (1.0 / arm + 1.0 / (surface(a) + surface(b)));
    assert!((f.z - together * 3e-3).abs() < 1e-9, "{f:?}");
    // As stiff as the arm: it carries all.
    let f = force(
        &touching(&[(a, Vec3::z() * 1e-3), (arm, Vec3::z() * 2e-3)]),
        arm,
    );
    assert!((f.z - arm * 3e-3).abs() < 1e-9, "{f:?}");
}

#[test]
fn a_moment_is_that_of_the_force() {
    let mut touched = Touched::new();
    let (lever, push) = (Vec3::x() * 0.02, Vec3::z() * 1e-3);
    touched.hold(1000.0, &push, &lever);
    touched.hold(100.0, &(Vec3::y() * 1e-3), &(Vec3::x() * 0.02));
    // Gyration: 1 cm. The two are square to each other by it.
    let (form, held) = touched.form(2000.0, Some(1e-4)).unwrap();
    let all = (held * form.share(&held) + form.across(&held)) * 2000.0;
    let moment = all.fixed_rows::<3>(3) * 1e-2;
    // Pushes that are square to each other, and their moments, too.
    let wanted = lever.cross(&(push * 1000.0)) + lever.cross(&(Vec3::y() * 0.1));
    assert!(
        (moment - wanted).norm() < 1e-9,
        "{moment:?}, not {wanted:?}"
    );
}

prop_compose! {
    fn direction()(x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64)
        -> Option<Vec3> { Vec3::new(x, y, z).try_normalize(0.1) }
}

proptest! {
    /// The gradient of a potential: the form is symmetric, at least as soft as its stiffest part
    /// and not negative.
    #[test]
    fn any_form_is_a_spring(
        parts in prop::collection::vec((1.0..5000.0f64, direction(), 1e-5..5e-3f64), 2..6)
    ) {
        let parts: Vec<(f64, Vec3)> = parts
            .into_iter()
            .filter_map(|(k, direction, a)| Some((k, direction? * a)))
            .collect();
        let arm = 2500.0;
        if let Some((form, held)) = touching(&parts).form(arm, None) {
            let skew = (form.0 - form.0.transpose()).norm();
            prop_assert!(skew < 1e-9, "{skew}");
            let shares = form.0.symmetric_eigenvalues();
            prop_assert!(shares.min() > -1e-9, "{shares:?}");
            prop_assert!(shares.max() < 1.0 + 1e-9, "{shares:?}");
            prop_assert!((0.0..=1.0 + 1e-9).contains(&form.share(&held)));
        }
    }

    /// Least energy, by brute force: `K |z - s|^2 / 2` and the surfaces' springs, which only push.
    #[test]
    fn two_contacts_store_the_least_that_they_can(
        angle in 0.2..2.9f64, a in 1e-4..3e-3f64, b in 1e-4..3e-3f64,
        soft in 50.0..900.0f64, stiff in 1000.0..2400.0f64,
    ) {
        let arm = 2500.0;
        let (u, v) = (Vec3::x(), Vec3::new(angle.cos(), angle.sin(), 0.0));
        let s = u * a + v * b;
        let surface = |k: f64| 1.0 / (1.0 / k - 1.0 / arm);
        let stored = |z: &Vec3| {
            let of = |k: f64, n: &Vec3| 0.5 * surface(k) * z.dot(n).max(0.0).powi(2);
            0.5 * arm * (z - s).norm_squared() + of(soft, &u) + of(stiff, &v)
        };
        // A convex function of two pieces each: the least of the pieces that hold where it is.
        // (By values alone it is known to 1e-8 of its size, which is all of a small force.)
        let mut best: Option<Vec3> = None;
        for set in 0..4_u32 {
            let pushes = [(set & 1 == 1, soft, u), (set & 2 == 2, stiff, v)];
            let mut matrix = nalgebra::Matrix3::identity() * arm;
            for (_, k, n) in pushes.iter().filter(|push| push.0) {
                matrix += n * n.transpose() * surface(*k);
            }
            let z = matrix.try_inverse().unwrap() * (s * arm);
            let holds = pushes.iter().all(|(is_in, _, n)| (z.dot(n) > 0.0) == *is_in);
            if holds && best.is_none_or(|b| stored(&z) < stored(&b)) {
                best = Some(z);
            }
        }
        let best = best.unwrap();
        let touched = touching(&[(soft, u * a), (stiff, v * b)]);
        let (form, held) = touched.form(arm, None).unwrap();
        let ours = 0.5 * arm * form.share(&held) * held.norm_squared();
        prop_assert!((ours / stored(&best) - 1.0).abs() < 1e-6, "{ours} {}", stored(&best));
        let f = force(&touched, arm);
        let wanted = (s - best) * arm;
        prop_assert!((f - wanted).norm() < 1e-9 * arm * s.norm(), "{f:?} {wanted:?}");
    }
}

/// A hand that goes round in a wedge of two materials, in and out of both, is given nothing.
#[test]
fn a_closed_path_in_a_wedge_of_two_materials_gives_nothing() {
    let gains = crate::Gains {
        stiffness_n_per_m: 2500.0,
        ..crate::Gains::default()
    };
    for degrees in [40.0_f64, 90.0, 130.0] {
        for (k, l) in [(2500.0, 100.0), (800.0, 200.0), (100.0, 2500.0)] {
            let (u, v) = (Vec3::z(), {
                let angle = degrees.to_radians();
                Vec3::new(angle.sin(), 0.0, angle.cos())
            });
            for (x, z, r) in [(-1e-3, -1e-3, 0.5e-3), (-0.5e-3, -1e-3, 2e-3)] {
                let mut c = crate::Coupling::new(gains, crate::Damping::Relative);
                let (mut given_j, mut last) = (0.0, None);
                // Two rounds a way, of 8 s each.
                for step in 0..=32_000_i32 {
                    let turn = if step <= 16_000 { step } else { 32_000 - step };
                    let angle = f64::from(turn) / 8000.0 * std::f64::consts::TAU;
                    let hand = Vec3::new(x + r * angle.cos(), 0.0, z + r * angle.sin());
                    let (held, touched) = wedge(&hand, (k, u), (l, v));
                    let at = |p: Vec3| hapticd_geometry::Pose::translation(p.x, p.y, p.z);
                    let (hand_at, tool_at) = (at(hand), at(hand + held));
                    let w = c.wrench_on(&hand_at, &tool_at, &Vec3::zeros(), &touched, 1e-3);
                    let stored_j = c.energy().stored_j[0];
                    let (from, force, before_j) = last.unwrap_or((hand, w.force_n, stored_j));
                    last = Some((hand, w.force_n, stored_j));
                    // What is given was stored.
                    given_j += 0.5 * (force + w.force_n).dot(&(hand - from));
                    given_j += stored_j - before_j;
                    assert!(
                        given_j < 1e-8,
                        "{degrees} degrees, {k} and {l} N/m, {r} m, step {step}: {given_j} J"
                    );
                }
            }
        }
    }
}

/// What a wedge of these normals holds of a hand at a place, and by which of its sides.
fn wedge(hand: &Vec3, (k, u): (f64, Vec3), (l, v): (f64, Vec3)) -> (Vec3, Touched) {
    let (a, b, c) = (-u.dot(hand), -v.dot(hand), u.dot(&v));
    // Both hold, or the one of which the other is left alone.
    let both = [(a - c * b) / (1.0 - c * c), (b - c * a) / (1.0 - c * c)];
    let [a, b] = if both[0] > 0.0 && both[1] > 0.0 {
        both
    } else if a > 0.0 && b - c * a <= 0.0 {
        [a, 0.0]
    } else if b > 0.0 && a - c * b <= 0.0 {
        [0.0, b]
    } else {
        [0.0, 0.0]
    };
    let mut touched = Touched::new();
    for (stiffness, push) in [(k, u * a), (l, v * b)] {
        if push != Vec3::zeros() {
            touched.touch(stiffness, 0.0);
            touched.hold(stiffness, &push, &Vec3::zeros());
        }
    }
    (u * a + v * b, touched)
}
