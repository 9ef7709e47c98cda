//! The continuous box test: worked examples, no false negatives, and the effect of subdivision.

use crate::common;

use common::SplitMix;
use hapticd_ccd::{Obb, obb};
use hapticd_geometry::{Interval, Mat3, Pose, Quat, Screw, Vec3};
use hapticd_published::sweep::{Axes, SweepOptions, overlap_during, separated_during};

fn cube(half: f64, center: Vec3) -> Obb {
    Obb {
        center,
        axes: Mat3::identity(),
        half: Vec3::repeat(half),
    }
}

fn quarter_turn() -> Screw {
    Screw {
        angle: std::f64::consts::FRAC_PI_2,
        translation: 0.0,
        point: Vec3::zeros(),
        axis: Vec3::z(),
    }
}

#[test]
fn a_box_that_circles_another_is_separated_at_once() {
    // Orbit 2.6 > 0.5 + 2: in the moving box's own frame, one axis separates throughout.
    let (a, b) = (
        cube(0.5, Vec3::new(2.6, 0.0, 0.0)),
        cube(1.0, Vec3::zeros()),
    );
    let whole = Interval::new(0.0, 1.0);
    assert!(separated_during(
        &a,
        &b,
        &quarter_turn(),
        whole,
        Axes::Faces
    ));
    let mut evaluations = 0;
    let options = SweepOptions::default();
    assert!(!overlap_during(
        [&a, &b],
        &quarter_turn(),
        1.0,
        &options,
        &mut evaluations
    ));
    assert_eq!(evaluations, 1);
}

#[test]
fn a_box_that_circles_too_near_overlaps_from_its_first_contact_on() {
    let (a, b) = (
        cube(0.5, Vec3::new(1.85, 0.0, 0.0)),
        cube(1.0, Vec3::zeros()),
    );
    let contact = 0.307421344914;
    let fine = SweepOptions {
        k: 1e-3,
        max_depth: 20,
        axes: Axes::All,
    };
    let during = |t_end: f64| overlap_during([&a, &b], &quarter_turn(), t_end, &fine, &mut 0);
    assert!(during(1.0) && during(contact + 1e-9));
    assert!(!during(contact - 1e-3));
    // The contact time itself, from cos + sin = 1.35.
    let th: f64 = contact * std::f64::consts::FRAC_PI_2;
    assert!((th.cos() + th.sin() - 1.35).abs() < 1e-11);
}

struct Case {
    a: Obb,
    b: Obb,
    screw: Screw,
}

fn random_box(rng: &mut SplitMix, center: Vec3) -> Obb {
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    let mut half = Vec3::new(
        rng.range(0.05, 0.5),
        rng.range(0.05, 0.5),
        rng.range(0.05, 0.5),
    );
    if rng.below(4) == 0 {
        half[rng.below(3)] = 0.0;
    }
    Obb {
        center,
        axes: *turn.to_rotation_matrix().matrix(),
        half,
    }
}

fn random_case(rng: &mut SplitMix) -> Case {
    let at = rng.direction() * rng.range(0.3, 3.0);
    let (a, b) = (random_box(rng, at), random_box(rng, Vec3::zeros()));
    let d = if rng.below(2) == 0 {
        rng.point(0.4) - at
    } else {
        rng.point(1.5)
    };
    let w = rng.direction() * rng.range(0.0, 1.2);
    Case {
        a,
        b,
        screw: Screw::from_twist(&d, &w, &at),
    }
}

/// True if the boxes overlap at one of many instants.
fn sampled(c: &Case, samples: u32) -> bool {
    (0..=samples).any(|i| {
        let pose: Pose = c.screw.displacement_at(f64::from(i) / f64::from(samples));
        obb::overlap(&c.a.transformed(&pose), &c.b)
    })
}

#[test]
fn no_overlap_is_missed_and_subdivision_removes_false_ones() {
    let mut rng = SplitMix(31);
    let ks = [0.02, 0.15, 1.0, f64::INFINITY];
    let (mut truth, mut wrong, mut evaluations) = (0, [0; 4], [0u64; 4]);
    let n = 3_000;
    for _ in 0..n {
        let case = random_case(&mut rng);
        let real = sampled(&case, 300);
        truth += i32::from(real);
        for (i, &k) in ks.iter().enumerate() {
            for axes in [Axes::All, Axes::Faces] {
                let options = SweepOptions {
                    k,
                    axes,
                    ..SweepOptions::default()
                };
                let mut count = 0;
                let said =
                    overlap_during([&case.a, &case.b], &case.screw, 1.0, &options, &mut count);
                assert!(said || !real, "missed with k = {k}, {axes:?}");
                if axes == Axes::All {
                    wrong[i] += i32::from(said && !real);
                    evaluations[i] += count;
                }
            }
        }
    }
    assert!(truth > n / 5, "{truth}");
    // More subdivision gives fewer false overlaps; k = 0.15 removes most of them for a few
    // evaluations.
    assert!(wrong.windows(2).all(|w| w[0] <= w[1]), "{wrong:?}");
    assert!(
        f64::from(wrong[1]) < 0.35 * f64::from(wrong[3]),
        "{wrong:?}"
    );
    assert_eq!(evaluations[3], n as u64);
    assert!(evaluations[1] < 6 * n as u64, "{evaluations:?}");
}

/// The same with the product's settings, many times.
#[test]
fn no_overlap_is_missed_in_a_hundred_thousand_motions() {
    let mut rng = SplitMix(35);
    let n = 100_000;
    let (mut truth, mut said) = (0, 0);
    for k in 0..n {
        let case = random_case(&mut rng);
        let options = SweepOptions {
            axes: [Axes::All, Axes::Faces][k % 2],
            ..SweepOptions::default()
        };
        let found = overlap_during([&case.a, &case.b], &case.screw, 1.0, &options, &mut 0);
        let real = sampled(&case, 200);
        assert!(found || !real, "missed: {:?}", options.axes);
        truth += usize::from(real);
        said += usize::from(found);
    }
    assert!(truth > n / 5 && said - truth < n / 10, "{truth} {said}");
}

#[test]
fn shorter_motions_overlap_less() {
    let mut rng = SplitMix(32);
    let options = SweepOptions {
        k: 0.02,
        ..SweepOptions::default()
    };
    let mut later = 0;
    for _ in 0..500 {
        let case = random_case(&mut rng);
        let during = |t: f64| overlap_during([&case.a, &case.b], &case.screw, t, &options, &mut 0);
        let at_start = obb::overlap(&case.a, &case.b);
        assert!(during(0.0) || !at_start);
        later += i32::from(!during(0.0) && during(1.0));
    }
    assert!(later > 50, "{later}");
}

#[test]
fn tiny_rotations_and_nonsense_are_safe() {
    let mut rng = SplitMix(33);
    for _ in 0..300 {
        let mut case = random_case(&mut rng);
        let w = rng.direction() * rng.log_range(1e-11, 1e-4);
        let d = rng.point(0.3) - case.a.center;
        case.screw = Screw::from_twist(&d, &w, &case.a.center);
        let said = overlap_during(
            [&case.a, &case.b],
            &case.screw,
            1.0,
            &SweepOptions::default(),
            &mut 0,
        );
        assert!(said || !sampled(&case, 200));
        case.screw.translation = f64::NAN;
        let depth = SweepOptions {
            max_depth: u32::MAX,
            ..SweepOptions::default()
        };
        assert!(overlap_during(
            [&case.a, &case.b],
            &case.screw,
            1.0,
            &depth,
            &mut 0
        ));
    }
}

#[test]
fn discrete_test_matches_a_search_for_common_points() {
    // Alternating projections between two boxes converge to their distance: an oracle without axes.
    let mut rng = SplitMix(34);
    let clamp = |o: &Obb, p: &Vec3| {
        let q = o.axes.tr_mul(&(p - o.center));
        let q = Vec3::from([0, 1, 2].map(|i| q[i].clamp(-o.half[i], o.half[i])));
        o.center + o.axes * q
    };
    let (mut yes, mut no) = (0, 0);
    for _ in 0..1_500 {
        let at = rng.direction() * rng.range(0.1, 1.5);
        let (mut a, b) = (
            random_box(&mut rng, at),
            random_box(&mut rng, Vec3::zeros()),
        );
        if rng.below(4) == 0 {
            a.axes = b.axes;
        }
        let mut p = a.center;
        for _ in 0..2_000 {
            p = clamp(&a, &clamp(&b, &p));
        }
        let distance = (p - clamp(&b, &p)).norm();
        if distance > 1e-4 {
            no += 1;
            assert!(!obb::overlap(&a, &b), "{distance}");
        } else if distance < 1e-9 {
            yes += 1;
            assert!(obb::overlap(&a, &b));
        }
        assert!(obb::distance_lower_bound(&a, &b) <= distance + 1e-12);
    }
    assert!(yes > 200 && no > 200, "{yes} {no}");
}
