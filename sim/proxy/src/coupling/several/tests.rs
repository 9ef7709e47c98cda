//! Several materials at once, against least energies and closed paths.

use super::*;
use hapticd_gauss::coulomb::{Effort, FrictionMemory, FrictionProblem, Surface};
use hapticd_gauss::{Metric, Projector};
use proptest::prelude::*;

fn touching(parts: &[(f64, Vec3)]) -> Touched {
    let mut touched = Touched::new();
    for (stiffness, push) in parts {
        touched.touch(*stiffness, 1.0);
        touched.hold(*stiffness, push, &Vec3::zeros());
    }
    touched
}

fn several(touched: &Touched, arm: f64, gyration_m2: Option<f64>) -> (Form, Motion) {
    match touched.holding(arm, gyration_m2) {
        Holding::Several(form, held) => (form, held),
        other => panic!("{other:?}"),
    }
}

fn one(touched: &Touched) -> Option<f64> {
    match touched.holding(3000.0, None) {
        Holding::One(stiffness) => Some(stiffness),
        _ => None,
    }
}

/// Returns the force on the held tool, N, at a stiffness of the arm.
fn force(touched: &Touched, arm: f64) -> Vec3 {
    let (form, held) = several(touched, arm, None);
    let (share, across) = form.at(&held);
    let all = (held * share + across) * arm;
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
fn one_stiffness_is_that_of_what_holds_and_the_least_is_told() {
    let parts = [(500.0, Vec3::z() * 1e-3), (500.0, Vec3::x() * 1e-3)];
    assert_eq!(one(&touching(&parts)), Some(500.0));
    assert_eq!(touching(&parts).softest(), Some((500.0, 1.0)));
    // Both are stiffer than the arm.
    let parts = [(5000.0, Vec3::z() * 1e-3), (4000.0, Vec3::x() * 1e-3)];
    assert_eq!(one(&touching(&parts)), Some(3000.0));
    // A contact that holds nothing does not count.
    let parts = [(500.0, Vec3::z() * 1e-3), (50.0, Vec3::zeros())];
    assert_eq!(one(&touching(&parts)), Some(500.0));
    assert_eq!(touching(&parts).softest(), Some((50.0, 1.0)));
    let nothing = Touched::new().holding(3000.0, None);
    assert!(matches!(nothing, Holding::Unknown), "{nothing:?}");
}

/// Collecting contacts again clears what held before, but not the least stiffness and damping of
/// the tick.
#[test]
fn contacts_are_asked_again() {
    let mut touched = touching(&[(500.0, Vec3::z() * 1e-3), (50.0, Vec3::x() * 1e-3)]);
    touched.clear_contacts();
    touched.hold(500.0, &(Vec3::z() * 1e-3), &Vec3::zeros());
    assert_eq!(one(&touched), Some(500.0));
    assert_eq!(touched.softest(), Some((50.0, 1.0)));
    touched.or_touch(Some((20.0, 0.5)));
    assert_eq!(touched.softest(), Some((50.0, 1.0)));
    let mut touched = Touched::new();
    touched.or_touch(Some((20.0, 0.5)));
    assert_eq!(touched.softest(), Some((20.0, 0.5)));
}

/// 2 mm into a floor, 1 mm into a smooth wall, and 0.3 mm along the floor, where friction holds it.
#[test]
fn each_material_holds_what_the_projection_says() {
    let row = |normal: Vec3| hapticd_gauss::Row {
        normal,
        arm: Vec3::zeros(),
        bound: 0.0,
    };
    let rows = [row(Vec3::z()), row(Vec3::x())];
    let rough = Surface {
        friction: 0.5,
        ..Surface::SMOOTH
    };
    let problem = FrictionProblem {
        metric: &Metric::new(1.0, &nalgebra::Matrix3::identity()).unwrap(),
        wanted: &Motion::new(-1e-3, 3e-4, -2e-3, 0.0, 0.0, 0.0),
        rows: &rows,
        surfaces: &[rough, Surface::SMOOTH],
    };
    let mut memory = FrictionMemory::new();
    let mut projector = Projector::<4>::new();
    let solution = projector.project_with_friction(problem, &mut memory, Effort::THOROUGH);
    let holding = |stiffness: [Option<f64>; 2]| {
        let mut touched = Touched::new();
        touched.hold_all(&solution, &rows, |row| stiffness[row]);
        touched
    };
    let f = force(&holding([Some(200.0), Some(800.0)]), 3000.0);
    assert!((f - Vec3::new(0.8, -0.06, 0.4)).norm() < 1e-9, "{f:?}");
    assert_eq!(one(&holding([Some(200.0), None])), Some(200.0));
    assert_eq!(one(&holding([None, Some(800.0)])), Some(800.0));
    assert_eq!(one(&holding([None, None])), None);
}

/// A box stands on stone by two corners, and a sponge pushes at its side: the stone holds height
/// and rotation as before, whichever corner carries.
#[test]
fn what_stands_on_stone_is_not_softer_for_a_sponge_at_its_side() {
    let (arm, stone, sponge) = (3000.0, 2000.0, 100.0);
    for load in [0.0, 1e-4, -1e-4, 5e-4, -5e-4] {
        let mut touched = Touched::new();
        for (x, push) in [(-0.01, 1e-3 - load), (0.01, 1e-3 + load)] {
            touched.hold(stone, &(Vec3::z() * push), &(Vec3::x() * x));
        }
        touched.hold(sponge, &(Vec3::x() * -2e-3), &(Vec3::z() * 0.002));
        let (form, held) = several(&touched, arm, Some(4e-4));
        let (share, across) = form.at(&held);
        let all = (held * share + across) * arm;
        assert!((all[2] - stone * 2e-3).abs() < 1e-9, "{load}: {all:?}");
        // The rest by hand: of shift across and rotation, which the stone holds as well.
        let surface = |k: f64| k / (1.0 - k / arm);
        let u = nalgebra::Vector2::new(-1.0, -0.1) / 1.01_f64.sqrt();
        let s = nalgebra::Vector2::new(held[0], held[4]);
        let springs = nalgebra::Matrix2::from_diagonal(&[arm, arm + surface(stone)].into());
        let z = (springs + u * u.transpose() * surface(sponge)).try_inverse();
        let f = (s - z.unwrap() * s * arm) * arm;
        let wrong = (all[0] - f.x).hypot(all[4] - f.y);
        assert!(wrong < 1e-9, "{load}: {all:?}, not {f:?}");
    }
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
    // As stiff as the arm: it carries everything.
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
    // Gyration: 1 cm. In this metric the two are perpendicular.
    let (form, held) = several(&touched, 2000.0, Some(1e-4));
    let (share, across) = form.at(&held);
    let all = (held * share + across) * 2000.0;
    let moment = all.fixed_rows::<3>(3) * 1e-2;
    // Pushes that are perpendicular to each other, and their moments as well.
    let wanted = lever.cross(&(push * 1000.0)) + lever.cross(&(Vec3::y() * 0.1));
    assert!(
        (moment - wanted).norm() < 1e-9,
        "{moment:?}, not {wanted:?}"
    );
}

/// Under 2 mm at a quarter of the arm's stiffness a surface gives way by 1.5 mm.
#[test]
fn a_contact_counts_from_where_the_others_give_way_to_it() {
    let (arm, pressed, behind) = (2000.0, 500.0, 1500.0);
    let at_a_gap = |normal: Vec3, gap_m: f64| {
        let mut touched = touching(&[(pressed, Vec3::z() * 2e-3)]);
        assert!(touched.near(behind, &normal, &Vec3::zeros(), gap_m));
        touched
    };
    for (normal, gap_m) in [(Vec3::z(), 1.6e-3), (Vec3::x(), 0.0), (-Vec3::z(), 0.0)] {
        match at_a_gap(normal, gap_m).holding(arm, None) {
            Holding::One(stiffness) => assert_eq!(stiffness, pressed),
            other => panic!("{normal:?} at {gap_m} m: {other:?}"),
        }
    }
    // By hand: the surfaces' own springs are 2000/3 and 6000 N/m, the second 1.4 mm further in.
    let (own, further) = (2000.0 / 3.0, 6000.0);
    let depth_m = (arm * 2e-3 + further * 1.4e-3) / (arm + own + further);
    let f = force(&at_a_gap(Vec3::z(), 1.4e-3), arm);
    let wanted_n = own * depth_m + further * (depth_m - 1.4e-3);
    assert!((f.z - wanted_n).abs() < 1e-9, "{f:?}, not {wanted_n} N");
    assert!(f.z > pressed * 2e-3 && f.xy().norm() < 1e-12, "{f:?}");
}

/// No surface gives way by more than the stretch of the arm.
#[test]
fn a_contact_that_the_push_does_not_reach_is_left_out() {
    let mut touched = touching(&[(500.0, Vec3::z() * 1e-3), (100.0, Vec3::x() * 1e-3)]);
    let count = touched.count;
    assert!(!touched.near(800.0, &Vec3::z(), &Vec3::zeros(), 2.1e-3));
    assert_eq!(touched.count, count);
    assert!(touched.near(800.0, &Vec3::z(), &Vec3::zeros(), 1.9e-3));
    assert_eq!(touched.count, count + 1);
    // Without a push nothing is reached.
    assert!(!Touched::new().near(800.0, &Vec3::z(), &Vec3::zeros(), 0.0));
}

#[test]
fn a_contact_that_pushes_by_nothing_changes_nothing() {
    let stretch = [(2000.0, Vec3::z() * 1e-3), (100.0, Vec3::x() * 2e-3)];
    let mut touched = touching(&stretch);
    touched.hold(50.0, &Vec3::zeros(), &Vec3::x());
    touched.rub(50.0, &Vec3::zeros(), &Vec3::x());
    assert_eq!(force(&touched, 3000.0), force(&touching(&stretch), 3000.0));
}

#[test]
fn a_material_without_stiffness_gives_no_force() {
    let stretch = [(2000.0, Vec3::z() * 1e-3), (0.0, Vec3::x() * 2e-3)];
    let f = force(&touching(&stretch), 3000.0);
    assert!((f - Vec3::z() * 2.0).norm() < 1e-12, "{f:?}");
}

/// A contact without stiffness holds all of the stretch, against stone.
#[test]
fn what_gives_way_without_end_gives_no_force_against_stone() {
    let gains = crate::Gains {
        stiffness_n_per_m: 3000.0,
        ..crate::Gains::default()
    };
    let mut c = crate::Coupling::new(gains, crate::Damping::Relative);
    let touched = touching(&[(0.0, Vec3::z() * 2e-3), (2000.0, Vec3::z() * -1e-3)]);
    let hand = hapticd_geometry::Pose::translation(0.0, 0.0, -1e-3);
    let tool = hapticd_geometry::Pose::identity();
    for _ in 0..3 {
        let w = c.wrench_on(&hand, &tool, &Vec3::zeros(), &touched, 1e-3);
        assert_eq!(w, crate::Wrench::default());
    }
}

/// Returns an arm of 2000 N/m that turns with a gyration of 1 cm.
fn turning() -> crate::Coupling {
    let gains = crate::Gains {
        stiffness_n_per_m: 2000.0,
        rotational_stiffness_nm_per_rad: 0.2,
        ..crate::Gains::default()
    };
    crate::Coupling::new(gains, crate::Damping::Relative)
}

/// Returns the hand pose for this stretch and twist of a tool at the origin.
fn hand_at(stretch: Vec3, twist: Vec3) -> hapticd_geometry::Pose {
    let turn = hapticd_geometry::Quat::from_scaled_axis(-twist);
    hapticd_geometry::Pose::from_parts((-stretch).into(), turn)
}

/// Returns a tool that leans on stone with its end, while a sponge pushes at its side; and the
/// stretch and the twist that they hold.
fn leaning(lever: Vec3) -> (Touched, Vec3, Vec3) {
    let mut touched = Touched::new();
    let parts = [(1000.0, Vec3::z() * 1e-3), (100.0, Vec3::y() * 1e-3)];
    for (stiffness, push) in &parts {
        touched.touch(*stiffness, 0.0);
        touched.hold(*stiffness, push, &lever);
    }
    let stretch: Vec3 = parts.iter().map(|part| part.1).sum();
    // Their moment on the tool, over the square of the gyration.
    (touched, stretch, lever.cross(&stretch) / 1e-4)
}

#[test]
fn the_hand_feels_force_and_torque_of_each_material() {
    let lever = Vec3::x() * 0.02;
    let (touched, stretch, twist) = leaning(lever);
    let tool = hapticd_geometry::Pose::identity();
    // The rendered stretch may be less than what the contacts hold, as for a surface that was found
    // late.
    for part in [1.0, 0.5] {
        let hand = hand_at(stretch * part, twist * part);
        let mut c = turning();
        for _ in 0..3 {
            let w = c.wrench_on(&hand, &tool, &Vec3::zeros(), &touched, 1e-3);
            let wanted = Vec3::new(0.0, 0.1, 1.0) * part;
            assert!((w.force_n - wanted).norm() < 1e-9, "{w:?}");
            let wanted = lever.cross(&wanted);
            assert!((w.torque_nm - wanted).norm() < 1e-9, "{w:?}");
        }
    }
}

/// Pressed into foam of 50 N/m that turns to stone and sponge: the stored energy stays as it was,
/// and the wrench is its derivative along any motion of the hand from there.
#[test]
fn the_wrench_of_a_slack_spring_is_the_slope_of_what_is_stored() {
    let (touched, stretch, twist) = leaning(Vec3::x() * 0.02);
    let mut foam = Touched::new();
    foam.touch(50.0, 0.0);
    foam.hold(50.0, &stretch, &(Vec3::x() * 0.02));
    let tool = hapticd_geometry::Pose::identity();
    // Small enough that rotations add like vectors.
    let hand = hand_at(stretch * 0.01, twist * 0.01);
    let mut c = turning();
    let sum = |[stored_j, turned_j]: [f64; 2]| stored_j + turned_j;
    c.wrench_on(&hand, &tool, &Vec3::zeros(), &foam, 1e-3);
    let put_in_j = sum(c.energy().stored_j);
    // 2e-10 m² of shift and, at a gyration of 1 cm, 8e-10 m² of rotation.
    assert!((put_in_j - 0.5 * 50.0 * 1e-9).abs() < 1e-15, "{put_in_j} J");
    let mut w = crate::Wrench::default();
    for _ in 0..400 {
        w = c.wrench_on(&hand, &tool, &Vec3::zeros(), &touched, 1e-3);
    }
    assert!((sum(c.energy().stored_j) / put_in_j - 1.0).abs() < 1e-6);
    for axis in 0..6 {
        let mut way = Motion::zeros();
        way[axis] = if axis < 3 { 1e-10 } else { 1e-8 };
        let shift = way.fixed_rows::<3>(0).into_owned();
        let turn = way.fixed_rows::<3>(3).into_owned();
        let there = hapticd_geometry::Pose::from_parts(
            (hand.translation.vector + shift).into(),
            hapticd_geometry::Quat::from_scaled_axis(turn) * hand.rotation,
        );
        let mut c = c.clone();
        c.wrench_on(&there, &tool, &Vec3::zeros(), &touched, 1e-3);
        let before = c.energy().before;
        let given_j = sum(before.none_j) - sum(before.hand_j);
        let wanted_j = w.force_n.dot(&shift) + w.torque_nm.dot(&turn);
        let scale_j = w.force_n.norm() * shift.norm() + w.torque_nm.norm() * turn.norm();
        assert!(
            (given_j - wanted_j).abs() < 1e-3 * scale_j,
            "{axis}: {given_j} J, not {wanted_j} J of {w:?}"
        );
    }
}

/// Stone below and a sponge at the side: each stores its own stiffness times half the square of its
/// part of the stretch, wherever an end moves.
#[test]
fn what_each_end_did_to_several_materials_is_told() {
    let touched = touching(&[(2000.0, Vec3::z() * 1e-3), (100.0, Vec3::x() * 1e-3)]);
    let mut c = turning();
    let at = |x: f64, z: f64| hapticd_geometry::Pose::translation(x, 0.0, z);
    let mut step = |hand: (f64, f64), far: (f64, f64)| {
        let (hand, far) = (at(hand.0, hand.1), at(far.0, far.1));
        c.wrench_on(&hand, &far, &Vec3::zeros(), &touched, 1e-3);
        *c.energy()
    };
    let near = |[stored_j, turned_j]: [f64; 2], mj: f64| {
        assert!(
            (stored_j - mj * 1e-3).abs() < 1e-12,
            "{stored_j} J, not {mj} mJ"
        );
        assert_eq!(turned_j, 0.0);
    };
    near(step((-1e-3, -1e-3), (0.0, 0.0)).stored_j, 1.05);
    let before = step((-1e-3, -2e-3), (1e-3, 0.0)).before;
    near(before.none_j, 1.05);
    near(before.hand_j, 4.05);
    near(before.far_j, 1.2);
    near(before.both_j, 4.2);
}

/// Two materials that hold against each other hold nothing of the hand.
#[test]
fn a_tool_that_is_pinched_between_materials_gives_no_force() {
    let gains = crate::Gains {
        stiffness_n_per_m: 2000.0,
        ..crate::Gains::default()
    };
    let touched = touching(&[(800.0, Vec3::z() * 1e-3), (100.0, Vec3::z() * -1e-3)]);
    let mut c = crate::Coupling::new(gains, crate::Damping::Relative);
    let at = hapticd_geometry::Pose::identity();
    let w = c.wrench_on(&at, &at, &Vec3::zeros(), &touched, 1e-3);
    assert_eq!(w, crate::Wrench::default());
}

#[test]
fn a_stretch_across_all_that_holds_finds_the_softest() {
    let touched = touching(&[(2000.0, Vec3::z() * 1e-3), (100.0, Vec3::x() * 1e-3)]);
    let (form, _) = several(&touched, 3000.0, None);
    let along = |v: Vec3| Motion::new(v.x, v.y, v.z, 0.0, 0.0, 0.0) * 1e-3;
    for (stretch, stiffness) in [(Vec3::y(), 100.0), (Vec3::x(), 100.0), (Vec3::z(), 2000.0)] {
        let (share, across) = form.at(&along(stretch));
        assert!((share * 3000.0 - stiffness).abs() < 1e-9, "{stretch:?}");
        assert!(across.norm() < 1e-15, "{stretch:?}: {across:?}");
    }
    assert_eq!(form.at(&Motion::zeros()), (100.0 / 3000.0, Motion::zeros()));
}

#[test]
fn what_is_parallel_but_for_rounding_adds_no_direction() {
    let mut projector = Matrix6::zeros();
    include(&mut projector, &Motion::zeros());
    assert_eq!(projector, Matrix6::zeros());
    let along = with_moment(&Vec3::z(), &(Vec3::x() * 1000.0));
    include(&mut projector, &along);
    let one = projector;
    assert!((one.trace() - 1.0).abs() < 1e-12, "{one}");
    let off = with_moment(&Vec3::x(), &Vec3::zeros());
    include(&mut projector, &(along + off * 1e-4));
    assert_eq!(projector, one);
    // A hundred-thousandth of its length still counts as a direction.
    include(&mut projector, &(along + off * 1e-2));
    assert!((projector.trace() - 2.0).abs() < 1e-9, "{projector}");
    assert!((projector * off - off).norm() < 1e-6, "{projector}");
}

/// A projection may load any corner of a box. Corners reported as near count equally, and the
/// mirror image gives the mirror image.
#[test]
fn a_corner_that_was_not_loaded_counts_like_the_others() {
    let (arm, stone, sponge) = (3000.0, 1000.0, 200.0);
    let corners = |x: f64| [(x, -0.01), (x, 0.01)].map(|(x, y)| Vec3::new(x, y, -0.01));
    // Held by three corners while the fourth has no load; and by the two in the middle of each
    // side.
    let stretch = [
        vec![(0, 1.0), (2, 0.5), (3, 0.5)],
        vec![(1, 1.0), (2, 0.5), (3, 0.5)],
        vec![(0, 0.5), (1, 0.5), (2, 1.0)],
        vec![(0, 0.5), (1, 0.5), (2, 0.5), (3, 0.5)],
    ];
    let mut seen = Vec::new();
    for (left, right) in [(stone, sponge), (sponge, stone)] {
        for loads in &stretch {
            // The same stretch, whichever corners hold it: down, without rotation.
            let mut touched = Touched::new();
            let all: Vec<(f64, Vec3)> = (corners(-0.02).map(|c| (left, c)).into_iter())
                .chain(corners(0.02).map(|c| (right, c)))
                .collect();
            let mut moment = Vec3::zeros();
            for (k, share) in loads {
                touched.hold(all[*k].0, &(Vec3::z() * (share * 1e-3)), &all[*k].1);
                moment += all[*k].1.cross(&(Vec3::z() * (share * 1e-3)));
            }
            for (k, (stiffness, corner)) in all.iter().enumerate() {
                if loads.iter().all(|load| load.0 != k) {
                    assert!(touched.near(*stiffness, &Vec3::z(), corner, 0.0));
                }
            }
            let (form, held) = several(&touched, arm, Some(4e-4));
            let (share, across) = form.at(&held);
            seen.push((moment, (held * share + across) * arm));
        }
    }
    let (even, mirrored) = (&seen[3].1, &seen[7].1);
    assert!((even[2] - mirrored[2]).abs() < 1e-9 && (even[4] + mirrored[4]).abs() < 1e-9);
    for force in [even, mirrored] {
        assert!(force[3].abs() < 1e-9 && force[0].abs() < 1e-9, "{force:?}");
    }
    // Turned a little about x by the chosen corners, equally in either direction.
    let (one, other) = (&seen[0].1, &seen[1].1);
    assert!((one[2] - other[2]).abs() < 1e-9 && (one[3] + other[3]).abs() < 1e-9);
}

/// Friction holds by its share of what it held of a rigid surface, and no more.
#[test]
fn what_rubs_gives_no_more_than_its_part() {
    let (arm, stone, sponge) = (3000.0, 2000.0, 100.0);
    let mut touched = Touched::new();
    // In a corner: on stone, which rubs by 0.3, against a sponge.
    touched.hold(stone, &(Vec3::y() * 2e-3), &Vec3::zeros());
    touched.hold(sponge, &(Vec3::x() * -1.4e-3), &Vec3::zeros());
    touched.rub(stone, &(Vec3::x() * -6e-4), &Vec3::zeros());
    let f = force(&touched, arm);
    assert!((f.y - 4.0).abs() < 1e-9, "{f:?}");
    // The stone's 1.2 N, and the sponge's part of the stretch that this leaves.
    let left_n = (arm * 2e-3 - 1.2) * (sponge / arm);
    assert!((f.x + 1.2 + left_n).abs() < 1e-9, "{f:?} {left_n}");
}

/// Returns a row with a stiffness that is a share of the arm's.
fn row_of(stiffness: f64, along: Vec3, limit_m: f64) -> Row {
    Row {
        stiffness,
        along: with_moment(&along, &Vec3::zeros()),
        gap_m: 0.0,
        push_m: 0.0,
        source: 0,
        holds: true,
        limit_m,
    }
}

/// Friction that was at its limit holds less when a slope starts to carry most of the stretch.
#[test]
fn what_rubs_gives_back_what_a_slope_takes_over() {
    let slope = row_of(1.0, Vec3::new(1.0, 1.0, 0.0).normalize(), f64::INFINITY);
    let rubs = row_of(1.0, Vec3::x(), 0.3);
    let stretch = with_moment(&Vec3::new(1.0, 0.9, 0.0), &Vec3::zeros());
    for rows in [[slope, rubs], [rubs, slope]] {
        let rubs_alone = 1 << rows.iter().position(|row| row.limit_m < 1.0).unwrap();
        for first in [0, rubs_alone, 3] {
            let loads = Loads::of(&rows, &stretch, first);
            // As stiff as the arm, both hold all of the stretch: 0.1 of it by friction.
            let wrong = (loads.force - stretch).norm();
            assert!(wrong < 1e-9, "{first}: {:?}", loads.force);
            assert!((loads.stored - stretch.norm_squared()).abs() < 1e-9);
            assert_eq!(loads.loaded, 3);
        }
    }
}

/// For a thousandth of a stretch the force is a thousandth, down to rounding.
#[test]
fn the_force_of_a_picometre_is_that_of_a_millimetre_in_small() {
    let of = |stretch_m: f64| {
        let along = Vec3::new(0.6, 0.0, 0.8);
        let mut touched = touching(&[(200.0, Vec3::z() * stretch_m)]);
        assert!(touched.near(1500.0, &along, &Vec3::zeros(), 0.0));
        force(&touched, 3000.0) / stretch_m
    };
    let whole = of(1e-3);
    assert!(whole.x > 1.0 && whole.z > 201.0, "{whole:?}");
    for stretch_m in [1e-6, 1e-9, 1e-12] {
        let wrong = (of(stretch_m) - whole).norm();
        assert!(wrong < 1e-6, "{stretch_m} m: {:?}", of(stretch_m));
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Idle,
    Free,
    Full,
}

/// Tries every combination of loaded rows until one fits. Returns the force and twice the stored
/// energy.
fn by_brute_force(rows: &[Row], stretch: &Motion) -> Option<(Motion, f64)> {
    let n = rows.len();
    let gives = |i: usize, j: usize| match rows[i].stiffness == rows[j].stiffness {
        true => 1.0 / rows[i].stiffness,
        false => 1.0,
    };
    let a =
        nalgebra::DMatrix::from_fn(n, n, |i, j| rows[i].along.dot(&rows[j].along) * gives(i, j));
    let b = nalgebra::DVector::from_fn(n, |i, _| rows[i].along.dot(stretch) - rows[i].gap_m);
    let close = 1e-9 * stretch.norm();
    for code in 0..3_usize.pow(n as u32) {
        let states: Vec<State> = (0..n as u32)
            .map(|k| [State::Idle, State::Free, State::Full][code / 3_usize.pow(k) % 3])
            .collect();
        let of = |wanted: fn(&State) -> bool| -> Vec<usize> {
            (0..n).filter(|k| wanted(&states[*k])).collect()
        };
        let free = of(|state| matches!(state, State::Free));
        let full = of(|state| matches!(state, State::Full));
        if full.iter().any(|k| !rows[*k].limit_m.is_finite()) {
            continue;
        }
        let mut loads = nalgebra::DVector::zeros(n);
        for k in &full {
            loads[*k] = rows[*k].limit_m;
        }
        if !free.is_empty() {
            let right = (&b - &a * &loads).select_rows(&free);
            let system = a.select_rows(&free).select_columns(&free);
            let least = system.clone().svd(false, false).singular_values.min();
            let Some(solved) = system.lu().solve(&right).filter(|_| least > 1e-7) else {
                continue;
            };
            for (k, load) in free.iter().zip(solved.iter()) {
                loads[*k] = *load;
            }
        }
        let out = &b - &a * &loads;
        let fits = (0..n).all(|k| match states[k] {
            State::Idle => out[k] <= close,
            State::Full => out[k] >= -close,
            State::Free => loads[k] >= -close && loads[k] <= rows[k].limit_m + close,
        });
        if fits {
            let force = (0..n).map(|k| rows[k].along * loads[k]).sum();
            return Some((force, 2.0 * loads.dot(&b) - loads.dot(&(&a * &loads))));
        }
    }
    None
}

/// In each of these one contact is loaded, released or held at its limit, and needed again. Lists
/// normal, stiffness and limit of the rows, and the stretch.
#[test]
fn what_was_let_go_is_loaded_again_where_it_is_needed() {
    const NONE: f64 = f64::INFINITY;
    type Case = (&'static [([f64; 3], f64, f64)], [f64; 3]);
    let cases: [Case; 4] = [
        (
            &[
                ([-1.0, 1.0, 1.0], 1.0, NONE),
                ([0.0, -1.0, -1.0], 1.0, NONE),
                ([-1.0, -1.0, 1.0], 1.0, 0.3),
            ],
            [-1.0, -1.0, -1.0],
        ),
        (
            &[
                ([0.0, 1.0, 1.0], 1.0, NONE),
                ([-1.0, 1.0, 1.0], 1.0, 0.3),
                ([-1.0, 1.0, -1.0], 1.0, NONE),
            ],
            [-1.0, 2.0, 0.0],
        ),
        (
            &[
                ([-1.0, -1.0, -1.0], 1.0, NONE),
                ([-1.0, 0.0, 1.0], 1.0, NONE),
                ([1.0, -1.0, 0.0], 0.4, 0.3),
                ([1.0, 1.0, 1.0], 1.0, NONE),
                ([1.0, 0.0, 1.0], 0.4, NONE),
            ],
            [3.0, 2.0, 3.0],
        ),
        (
            &[
                ([-1.0, 0.0, 0.0], 0.4, 0.3),
                ([-1.0, -1.0, 0.0], 0.4, 0.3),
                ([-1.0, 0.0, 0.0], 1.0, 0.3),
                ([0.0, -1.0, 0.0], 1.0, NONE),
                ([0.0, -1.0, 1.0], 1.0, NONE),
            ],
            [-1.0, 1.0, 1.0],
        ),
    ];
    for (k, (rows, stretch)) in cases.iter().enumerate() {
        let rows: Vec<Row> = (rows.iter())
            .map(|(along, stiffness, limit_m)| {
                row_of(*stiffness, Vec3::from(*along).normalize(), *limit_m)
            })
            .collect();
        let stretch = with_moment(&Vec3::from(*stretch), &Vec3::zeros());
        let (force, stored) = by_brute_force(&rows, &stretch).unwrap();
        let loads = Loads::of(&rows, &stretch, 0);
        let wrong = (loads.force - force).norm();
        assert!(wrong < 1e-9, "{k}: {:?}, not {force:?}", loads.force);
        assert!(
            (loads.stored - stored).abs() < 1e-9,
            "{k}: {}",
            loads.stored
        );
    }
}

/// Two plates side by side, with more corners than may be loaded or even kept.
#[test]
fn more_contacts_than_are_loaded_push_no_harder() {
    let (arm, a, b) = (3000.0, 400.0, 900.0);
    let surface = |k: f64| 1.0 / (1.0 / k - 1.0 / arm);
    let together = 1.0 / (1.0 / arm + 1.0 / (surface(a) + surface(b)));
    for corners in [4_u32, 9, 10, 16, 40] {
        let share = 1.0 / f64::from(corners);
        let parts = [(a, Vec3::z() * 1e-3 * share), (b, Vec3::z() * 2e-3 * share)];
        let touched = touching(&parts.repeat(corners as usize));
        let f = force(&touched, arm);
        // Beyond the capacity, the stretch is what all of them hold.
        assert!((f.z - together * 3e-3).abs() < 1e-9, "{corners}: {f:?}");
    }
}

prop_compose! {
    fn row()(
        normal in prop::array::uniform3(-1.0..1.0f64),
        moment in prop::array::uniform3(-1.0..1.0f64),
        stiffness in prop::sample::select(vec![0.03, 0.4, 0.4, 1.0]),
        gap_m in prop::sample::select(vec![0.0, 0.0, 0.3]),
        limit_m in prop::sample::select(vec![f64::INFINITY, f64::INFINITY, 0.05, 0.3]),
    ) -> Row {
        let [x, y, z] = normal;
        let [u, v, w] = moment;
        Row { stiffness, along: Motion::new(x, y, z, u, v, w), gap_m, push_m: 0.0, source: 0, holds: true, limit_m }
    }
}

prop_compose! {
    fn direction()(x in -1.0..1.0f64, y in -1.0..1.0f64, z in -1.0..1.0f64)
        -> Option<Vec3> { Vec3::new(x, y, z).try_normalize(0.1) }
}

proptest! {
    /// Includes rows that depend on others and rows of one point.
    #[test]
    fn loads_are_those_of_brute_force(
        rows in prop::collection::vec(row(), 1..6), twice in any::<bool>(),
        shift in prop::array::uniform6(-1.0..1.0f64), first in any::<u32>(),
    ) {
        let mut rows = rows;
        if twice && rows.len() < 5 {
            rows.push(rows[0]);
        }
        let stretch = Motion::from(shift);
        let (force, stored) = by_brute_force(&rows, &stretch).unwrap();
        let loads = Loads::of(&rows, &stretch, first & ((1 << rows.len()) - 1));
        let wrong = (loads.force - force).norm();
        prop_assert!(wrong < 1e-6 * stretch.norm(), "{:?} {force:?}", loads.force);
        prop_assert!((loads.stored - stored).abs() < 1e-6, "{} {stored}", loads.stored);
    }

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
        if let Holding::Several(form, held) = touching(&parts).holding(arm, None) {
            // The force is the gradient of the stored energy, in every direction.
            let (share, across) = form.at(&held);
            let force = held * share + across;
            let stored = |s: &Motion| 0.5 * form.share(s) * s.norm_squared();
            let step = 1e-4 * held.norm();
            for k in 0..3 {
                let mut by = Motion::zeros();
                by[k] = step;
                let slope = (stored(&(held + by)) - stored(&(held - by))) / (2.0 * step);
                prop_assert!((slope - force[k]).abs() < 1e-3 * held.norm(), "{k}: {slope} {force}");
            }
            prop_assert!((0.0..=1.0 + 1e-9).contains(&form.share(&held)));
        }
    }

    /// For any number and order of contacts of one stiffness, it gives that stiffness along all of
    /// them if the other one is perpendicular to it.
    #[test]
    fn contacts_of_one_stiffness_are_one_spring(
        pushes in prop::collection::vec((0.0..std::f64::consts::TAU, 1e-4..2e-3f64), 2..8),
        across in 1e-4..2e-3f64, soft in 50.0..900.0f64, stiff in 1000.0..4000.0f64,
    ) {
        let parts: Vec<(f64, Vec3)> = pushes
            .iter()
            .map(|(angle, a)| (stiff, Vec3::new(a * angle.cos(), a * angle.sin(), 0.0)))
            .collect();
        let held: Vec3 = parts.iter().map(|part| part.1).sum();
        prop_assume!(held.norm() > 1e-5);
        let mut parts = parts;
        parts.insert(1, (soft, Vec3::z() * across));
        let f = force(&touching(&parts), 2500.0);
        let wanted = held * stiff.min(2500.0) + Vec3::z() * (across * soft);
        prop_assert!((f - wanted).norm() < 1e-6, "{f:?}, not {wanted:?}");
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
        // A convex function of two pieces each: the least of the pieces that are valid at their own
        // minimum. (Values alone give it to 1e-8 of its size, which is all of a small force.)
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
        let (form, held) = several(&touched, arm, None);
        let ours = 0.5 * arm * form.share(&held) * held.norm_squared();
        prop_assert!((ours / stored(&best) - 1.0).abs() < 1e-6, "{ours} {}", stored(&best));
        let f = force(&touched, arm);
        let wanted = (s - best) * arm;
        prop_assert!((f - wanted).norm() < 1e-9 * arm * s.norm(), "{f:?} {wanted:?}");
    }
}

/// A hand that moves round in a wedge of two materials, in and out of both, is given no energy.
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
                // Two rounds per path, of 8 s each.
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
                    // The energy given was stored.
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

/// Returns the hold of a wedge of these normals on a hand at a point, and the sides that hold it.
fn wedge(hand: &Vec3, (k, u): (f64, Vec3), (l, v): (f64, Vec3)) -> (Vec3, Touched) {
    let (a, b, c) = (-u.dot(hand), -v.dot(hand), u.dot(&v));
    // Both hold, or one holds and the other does not touch.
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
