//! The kinetic hull against a static one.

use crate::common;

use common::kinetic::Rng;
use common::kinetic::points::{Point, agree, at, circle, fresh, moving, negative};
use hapticd_kinetic::{Kinetic, Motion1, PlanError};
use hapticd_published::hull::{Certificate, Hull, HullError, UpperHull};

struct Figures {
    events: u64,
    external: u64,
    per_n_log_n: f64,
    per_object: f64,
}

fn family(seed: u64, runs: u32, most: usize, make: impl Fn(&mut Rng) -> Point) -> Figures {
    let mut rng = Rng(seed);
    let mut figures = Figures {
        events: 0,
        external: 0,
        per_n_log_n: 0.0,
        per_object: 0.0,
    };
    for run in 0..runs {
        let n = 1 + rng.below(most);
        let points: Vec<_> = (0..n).map(|_| make(&mut rng)).collect();
        let mut hull = Hull::new(&points, 0.0, 4.0).unwrap();
        let mut times: Vec<f64> = (0..40).map(|_| rng.range(0.0, 3.0)).collect();
        times.sort_by(f64::total_cmp);
        let below: Vec<Point> = (points.iter()).map(|p| [p[0], negative(&p[1])]).collect();
        for (k, &t) in times.iter().enumerate() {
            // No rebuild here: an inconsistency is a failure.
            hull.upper.advance(t).unwrap();
            hull.lower.advance(t).unwrap();
            let (mine, theirs) = (hull.upper.hull(), fresh(&points, t));
            assert!(
                agree(&points, t, &mine, &theirs),
                "run {run} at {t}: {mine:?} {theirs:?}"
            );
            let (mine, theirs) = (hull.lower.hull(), fresh(&below, t));
            assert!(
                agree(&below, t, &mine, &theirs),
                "run {run} at {t}: {mine:?} {theirs:?}"
            );
            if k % 8 == 0 {
                hull.upper.audit(t).unwrap();
                hull.lower.audit(t).unwrap();
            }
        }
        for half in [&hull.upper, &hull.lower] {
            let stats = half.stats();
            figures.events += stats.events();
            figures.external += stats.events_external();
            if n >= 8 {
                let log = (n as f64).log2();
                figures.per_n_log_n = figures
                    .per_n_log_n
                    .max(stats.certificates_live_max as f64 / (n as f64 * log));
                figures.per_object = figures
                    .per_object
                    .max(half.certificates_per_object() as f64 / log);
            }
        }
    }
    figures
}

/// Boxes 17 and 20.
#[test]
fn hulls_of_points_at_constant_speeds_are_those_rebuilt() {
    let f = family(171, 300, 150, |rng| moving(rng, 1));
    assert!(
        f.events > 50_000 && f.external > 2_000,
        "{} {}",
        f.events,
        f.external
    );
    assert!(
        f.per_n_log_n <= 1.5 && f.per_object <= 8.0,
        "{} {}",
        f.per_n_log_n,
        f.per_object
    );
}

#[test]
fn hulls_of_points_on_parabolas_are_those_rebuilt() {
    family(172, 150, 60, |rng| moving(rng, 2));
}

#[test]
fn hulls_of_points_on_cubics_are_those_rebuilt() {
    family(173, 100, 40, |rng| moving(rng, 3));
}

#[test]
fn hulls_of_points_from_a_circle_are_those_rebuilt() {
    let f = family(174, 60, 150, circle);
    assert!(
        f.per_n_log_n <= 1.5 && f.per_object <= 8.0,
        "{} {}",
        f.per_n_log_n,
        f.per_object
    );
}

#[test]
fn everything_is_as_it_should_be_after_every_event() {
    let mut rng = Rng(18);
    let mut events = 0;
    for _ in 0..2000 {
        let points: Vec<_> = (0..1 + rng.below(12))
            .map(|_| moving(&mut rng, 1))
            .collect();
        let mut hull = UpperHull::new(&points, 0.0, 1.5).unwrap();
        hull.audit(0.0).unwrap();
        while hull.next_time() < 1.5 {
            let t = hull.next_time();
            events += hull.advance(t).unwrap().events;
            hull.audit(t).unwrap();
        }
    }
    assert!(events > 10_000, "{events}");
}

/// Flight plans change at random.
#[test]
fn points_may_change_their_plans() {
    let mut rng = Rng(19);
    for run in 0..60 {
        let n = 2 + rng.below(62);
        let mut points: Vec<_> = (0..n).map(|_| moving(&mut rng, 1)).collect();
        let mut hull = UpperHull::new(&points, 0.0, 10.0).unwrap();
        let mut t = 0.0;
        for _ in 0..50 {
            t += rng.range(0.0, 0.1);
            hull.advance(t).unwrap();
            let i = rng.below(n);
            let here = at(&points[i], t);
            let plan = here.map(|x| Motion1::Linear {
                x0: x,
                v: -x.signum() * rng.range(0.0, 1.0),
                t0: t,
            });
            hull.change_plan(i as u32, plan).unwrap();
            points[i] = plan;
            hull.audit(t).unwrap();
            let (mine, theirs) = (hull.hull(), fresh(&points, t));
            assert!(
                agree(&points, t, &mine, &theirs),
                "run {run} at {t}: {mine:?} {theirs:?}"
            );
        }
        assert!(hull.stats().reissued_max <= 100);
    }
}

#[test]
fn each_of_the_nine_types_of_certificates_is_necessary() {
    for certificate in Certificate::ALL {
        let mut rng = Rng(190);
        let (mut wrong, mut runs) = (0, 0);
        while wrong == 0 && runs < 400 {
            runs += 1;
            let points: Vec<_> = (0..3 + rng.below(37))
                .map(|_| moving(&mut rng, 1))
                .collect();
            let mut hull = UpperHull::new(&points, 0.0, 3.0).unwrap();
            hull.disable(certificate);
            for k in 1..=20 {
                let t = f64::from(k) * 0.15;
                let failed = hull.advance(t).is_err();
                if failed || !agree(&points, t, &hull.hull(), &fresh(&points, t)) {
                    wrong += 1;
                    break;
                }
            }
        }
        assert!(wrong > 0, "without {certificate:?} {runs} runs were right");
    }
}

#[test]
fn a_lattice_that_is_perturbed_by_a_millionth_is_right_with_making_it_again() {
    let mut rng = Rng(21);
    for run in 0..200 {
        let n = 3 + rng.below(30);
        let points: Vec<Point> = (0..n)
            .map(|_| {
                [0; 2].map(|_| {
                    let x = [0; 2].map(|_| rng.below(9) as f64 - 4.0 + 1e-6 * rng.range(-1.0, 1.0));
                    Motion1::linear(x[0], x[1])
                })
            })
            .collect();
        let mut hull = Hull::new(&points, 0.0, 4.0).unwrap();
        for _ in 0..40 {
            let t = hull.upper.now() + rng.range(0.0, 0.1);
            hull.advance(t, 1.0).unwrap();
            let t = hull.upper.now();
            let (mine, theirs) = (hull.upper.hull(), fresh(&points, t));
            assert!(
                agree(&points, t, &mine, &theirs),
                "run {run} at {t}: {mine:?} {theirs:?}"
            );
        }
    }
}

/// A structure with wrong flags is detected, rebuilt, and then right.
#[test]
fn a_corrupted_hull_is_found_out_rebuilt_and_right() {
    let mut rng = Rng(22);
    let mut found = 0;
    for _ in 0..50 {
        let points: Vec<_> = (0..30).map(|_| moving(&mut rng, 1)).collect();
        let mut hull = UpperHull::new(&points, 0.0, 5.0).unwrap();
        hull.advance(0.2).unwrap();
        hull.corrupt();
        assert!(hull.audit(0.2).is_err());
        hull.advance_or_rebuild(1.5, 1.0).unwrap();
        if hull.stats().rebuilds > 0 {
            found += 1;
            let t = hull.now();
            hull.audit(t).unwrap();
            assert!(agree(&points, t, &hull.hull(), &fresh(&points, t)));
        }
    }
    assert!(found > 40, "{found}");
}

#[test]
fn the_corners_go_round_and_few_points_are_no_trouble() {
    let still = |x: f64, y: f64| [Motion1::still(x), Motion1::still(y)];
    let square = [
        still(0.0, 0.0),
        still(1.0, 0.1),
        still(1.1, 1.0),
        still(0.1, 1.1),
        still(0.5, 0.5),
    ];
    let mut hull = Hull::new(&square, 0.0, 1.0).unwrap();
    assert_eq!(hull.hull(), [0, 1, 2, 3]);
    assert_eq!(hull.advance(1.0, 1.0).unwrap().events, 0);
    // The point in the middle leaves through the top.
    let plan = [
        Motion1::still(0.5),
        Motion1::Linear {
            x0: 0.5,
            v: 1.0,
            t0: 1.0,
        },
    ];
    let mut hull = Hull::new(&square, 1.0, 9.0).unwrap();
    hull.change_plan(4, plan).unwrap();
    hull.advance(3.0, 1.0).unwrap();
    assert_eq!(hull.hull(), [0, 1, 2, 4, 3]);
    assert_eq!(Hull::new(&[], 0.0, 1.0).unwrap().hull(), Vec::<u32>::new());
    assert_eq!(Hull::new(&square[..1], 0.0, 1.0).unwrap().hull(), [0]);
    assert_eq!(Hull::new(&square[..2], 0.0, 1.0).unwrap().hull(), [0, 1]);
}

#[test]
fn what_is_no_motion_of_a_point_is_refused() {
    let fine = [Motion1::still(0.0), Motion1::linear(0.0, 1.0)];
    let double = UpperHull::new(&[fine, fine], 0.0, 1.0).unwrap_err();
    assert_eq!(double, HullError::Double { object: 1, of: 0 });
    assert_eq!(double.to_string(), "point 1 moves exactly as point 0");
    for bad in [f64::NAN, f64::INFINITY] {
        let fault = UpperHull::new(
            &[fine, [Motion1::still(1.0), Motion1::still(bad)]],
            0.0,
            1.0,
        );
        assert_eq!(
            fault.unwrap_err(),
            HullError::Plan(PlanError::NotFinite { object: 1 })
        );
    }
    let steep = [
        Motion1::still(1.0),
        Motion1::poly(&[0.0, 0.0, 0.0, 0.0, 1.0]),
    ];
    let fault = UpperHull::new(&[steep], 0.0, 1.0).unwrap_err();
    assert!(matches!(
        fault,
        HullError::Plan(PlanError::Degree {
            object: 0,
            degree: 4,
            most: 3
        })
    ));
    let turning = Motion1::Turning {
        x0: 0.0,
        v: 0.0,
        radius: 1.0,
        phase: 0.0,
        omega: 1.0,
        t0: 0.0,
    };
    assert!(UpperHull::new(&[[turning, turning]], 0.0, 1.0).is_err());
    let mut hull = UpperHull::new(&[fine], 0.0, 1.0).unwrap();
    assert!(hull.change_plan(1, fine).is_err());
    let jump = hull
        .change_plan(0, [Motion1::still(2.0), fine[1]])
        .unwrap_err();
    assert_eq!(jump, PlanError::Jump { object: 0, by: 2.0 });
    // Points that stay above each other are not in general position; a millionth apart they are,
    // and no event occurs.
    let pair = |x: f64| {
        [
            [Motion1::still(0.0), Motion1::still(0.0)],
            [Motion1::still(x), Motion1::still(1.0)],
        ]
    };
    let fault = UpperHull::new(&pair(0.0), 0.0, 9.0).unwrap_err();
    assert!(matches!(fault, HullError::Inconsistent(_)), "{fault}");
    let mut hull = UpperHull::new(&pair(1e-6), 0.0, 9.0).unwrap();
    assert_eq!(hull.advance(9.0).unwrap().events, 0);
}

/// A node's list against lines compared one by one; the root's list against the hull.
#[test]
fn merged_lists_are_the_envelopes_of_their_lines() {
    let mut rng = Rng(23);
    for _ in 0..40 {
        let n = 2 + rng.below(30);
        let points: Vec<_> = (0..n).map(|_| moving(&mut rng, 1)).collect();
        let mut hull = UpperHull::new(&points, 0.0, 2.0).unwrap();
        assert_eq!((hull.nodes(), hull.merged(n - 1)), (n - 1, None));
        let mut events = 0;
        while let Some(event) = hull.step(1.0).unwrap() {
            events += 1;
            assert_eq!(event.time, hull.now());
            assert!(event.points.iter().all(|p| *p == u32::MAX || *p < n as u32));
            assert!((event.points[0] as usize) < n && (event.points[1] as usize) < n);
        }
        assert_eq!(events, hull.stats().events());
        hull.advance(1.0).unwrap();
        for node in 0..hull.nodes() {
            let merged = hull.merged(node).unwrap();
            let line = |i: u32| at(&points[i as usize], 1.0);
            let mut before = f64::NEG_INFINITY;
            for v in &merged.vertices {
                let [[pa, qa], [pb, qb], [pc, qc]] = [v.edges.0, v.edges.1, v.contender].map(line);
                let x = (qa - qb) / (pb - pa);
                assert!(x > before && pb > pa);
                before = x;
                let own = pa * x + qa > pc * x + qc;
                assert_eq!(own, v.above == v.envelope);
                let lines_cross = v.certificates.contains(&Certificate::Yt);
                assert_eq!(lines_cross, own && pa < pc && pc < pb);
            }
        }
        let root = hull.merged(hull.nodes() - 1).unwrap();
        let mut seen: Vec<u32> = (root.vertices.iter())
            .filter(|v| v.above == v.envelope)
            .flat_map(|v| [v.edges.0, v.edges.1])
            .collect();
        seen.sort_unstable();
        seen.dedup();
        let corners = hull.hull();
        assert!(seen.iter().all(|i| corners.contains(i)));
    }
}
