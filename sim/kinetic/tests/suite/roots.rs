//! Failure times against dense sampling and against functions built from known roots.

use crate::common;

use common::Rng;
use hapticd_kinetic::polynomial::{Polynomial, Predicate};
use hapticd_kinetic::roots::{Smooth, linear, polynomial, quadratic, smooth};
use hapticd_kinetic::{Rigid2, first_failure};

/// Magnitude of the terms; the error of a value is a share of it.
fn size(p: &Polynomial, s: f64) -> f64 {
    p.c.iter().rev().fold(0.0, |sum, c| sum * s + c.abs())
}

/// Checks that the certificate holds up to `t` and is false right after it.
fn judge(p: &Polynomial, t: f64, window: f64, samples: u32, what: &str) {
    for k in 1..=samples {
        let s = window * f64::from(k) / f64::from(samples);
        if s < t {
            assert!(
                p.at(s) >= -1e-11 * size(p, s),
                "{what}: {p:?} is {} at {s}, long before {t}",
                p.at(s)
            );
        }
    }
    if t < window {
        // At a failure time, the first derivative that is not zero is negative: the function falls.
        let about = p.shifted(t);
        let scale = size(p, t).max(1e-300);
        let down = (1..=6)
            .find(|&k| about.c[k].abs() * t.max(1e-9 * window).powi(k as i32) > 1e-9 * scale);
        assert!(
            about.c[0].abs() <= 1e-7 * scale || t == 0.0,
            "{what}: {p:?} is {} at {t}",
            about.c[0]
        );
        if let Some(k) = down {
            assert!(
                about.c[k] < 0.0 || about.c[1] < 1e-6 * scale,
                "{what}: {p:?} rises at {t}"
            );
        }
    }
}

#[test]
fn failures_of_a_hundred_thousand_polynomials_agree_with_dense_sampling() {
    let mut rng = Rng(1);
    let mut found = 0;
    for case in 0..100_000 {
        let degree = 1 + case % 6;
        let unit = match case % 5 {
            0 => 1e-150,
            1 => 1e120,
            _ => 1.0,
        };
        let mut c: Vec<f64> = (0..=degree).map(|_| unit * rng.range(-2.0, 2.0)).collect();
        match (case / 6) % 4 {
            0 => c[0] = 0.0,
            1 => c[0] = -1e-17 * unit,
            _ => c[0] = c[0].abs(),
        }
        if (case / 24) % 5 == 0 {
            c[1] = 0.0;
        }
        let mut p = Polynomial::new(&c);
        let window = 3.0;
        let t = polynomial(&p, window);
        // Below zero at now by rounding only: counts as zero.
        p.c[0] = p.c[0].max(0.0);
        found += u32::from(t < window);
        if c[0] <= 0.0 && c[1] < 0.0 {
            assert_eq!(t, 0.0, "falling from zero: {p:?}");
        } else {
            judge(&p, t, window, 100, "random");
        }
        // The first change of sign among the samples is never earlier than the computed one.
        let first =
            (1..=400).find(|&k| p.at(window * f64::from(k) / 400.0) < -1e-11 * size(&p, 3.0));
        if let Some(k) = first {
            assert!(t <= window * f64::from(k) / 400.0, "{p:?}: late, {t}");
        } else {
            let dip = (0..=4000).any(|k| p.at(window * f64::from(k) / 4000.0) < 0.0);
            assert!(t >= window || dip || p.at(t + 1e-5) < 0.0 || t > 0.99 * window);
        }
    }
    assert!(found > 50_000, "{found}");
}

/// The roots are known, including those where the function only touches zero.
#[test]
fn the_first_falling_root_of_known_ones_is_found() {
    let mut rng = Rng(2);
    for case in 0..20_000 {
        let count = 1 + case % 6;
        let mut at: Vec<f64> = (0..count).map(|_| rng.range(0.1, 4.0)).collect();
        at.sort_by(f64::total_cmp);
        if at.windows(2).any(|w| w[1] - w[0] < 0.02) {
            continue;
        }
        // Odd multiplicities only: positive before the first root.
        let mut p = Predicate::exact(Polynomial::new(&[1.0]));
        for &x in &at {
            p = p * Predicate::exact(Polynomial::new(&[x, -1.0]));
        }
        let t = polynomial(&p.value, 10.0);
        assert!((t - at[0]).abs() < 1e-6, "{at:?}: {t}");
        assert_eq!(polynomial(&p.value, at[0] * 0.99), f64::INFINITY);
        // Rising first: the failure is at the second root.
        let t = polynomial(&(-p).value.shifted(at[0]), 10.0);
        let want = at.get(1).map_or(f64::INFINITY, |x| x - at[0]);
        assert!(t == want || (t - want).abs() < 1e-5, "{at:?}: {t} {want}");
    }
}

#[test]
fn touching_zero_flat_functions_and_zero_throughout_do_not_fail() {
    assert_eq!(quadratic(1.0, -2.0, 1.0), f64::INFINITY);
    assert_eq!(quadratic(1.0, 0.0, 0.0), f64::INFINITY);
    assert_eq!(quadratic(-1.0, 0.0, 0.0), 0.0);
    assert_eq!(quadratic(-1.0, 3.0, 0.0), 3.0);
    assert_eq!(quadratic(0.0, -2.0, 1.0), 0.5);
    assert_eq!(linear(1.0, 0.0), f64::INFINITY);
    assert_eq!(linear(0.0, 0.0), f64::INFINITY);
    assert_eq!(linear(-1e-17, 1.0), f64::INFINITY);
    assert_eq!(linear(-1e-17, -1.0), 0.0);
    for p in [[0.0; 4], [2.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]] {
        assert_eq!(
            polynomial(&Polynomial::new(&p), f64::INFINITY),
            f64::INFINITY
        );
    }
    // (s - 1)^2 (s + 1) touches, (s - 1)^2 (2 - s) touches and then fails.
    let touching = Polynomial::new(&[1.0, -1.0, -1.0, 1.0]);
    assert_eq!(polynomial(&touching, 10.0), f64::INFINITY);
    let then = Polynomial::new(&[2.0, -5.0, 4.0, -1.0]);
    assert!((polynomial(&then, f64::INFINITY) - 2.0).abs() < 1e-12);
    // 1 - s^3: an inflection, and still a failure.
    let cubic = Polynomial::new(&[0.0, 0.0, 0.0, -1.0]);
    assert_eq!(polynomial(&cubic, 10.0), 0.0);
}

#[test]
fn what_is_not_finite_never_fails_and_never_panics() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        for k in 0..7 {
            let mut p = Polynomial::new(&[1.0, -1.0, 0.5, 1.0, 0.1, 0.2, 0.3]);
            p.c[k] = bad;
            assert_eq!(polynomial(&p, 10.0), f64::INFINITY);
        }
        assert!(linear(1.0, f64::NAN).is_infinite());
    }
    let huge = Polynomial::new(&[1e308, -1e308, 1e308, -1e308]);
    assert!((polynomial(&huge, f64::INFINITY) - 1.0).abs() < 1e-9);
    let tiny = Polynomial::new(&[1e-308, -1e-308, 0.0, -1e-320]);
    assert!((polynomial(&tiny, f64::INFINITY) - 1.0).abs() < 1e-6);
}

#[test]
fn a_root_is_counted_from_now_and_only_before_the_horizon() {
    let p = Predicate::exact(Polynomial::new(&[1.0, -1.0]));
    assert_eq!(first_failure(&p, 5.0, 10.0), 6.0);
    assert_eq!(first_failure(&p, 5.0, 6.0), f64::INFINITY);
    assert_eq!(first_failure(&p, 5.0, f64::INFINITY), 6.0);
}

/// Orientation of three points of rotating bodies, with a bound of its second derivative.
struct Triple {
    bodies: [Rigid2; 3],
    local: [[f64; 2]; 3],
}

fn minus(a: [f64; 2], b: [f64; 2]) -> [f64; 2] {
    [a[0] - b[0], a[1] - b[1]]
}

fn cross(a: [f64; 2], b: [f64; 2]) -> f64 {
    a[0] * b[1] - a[1] * b[0]
}

impl Smooth for Triple {
    fn at(&self, t: f64) -> (f64, f64) {
        let p = [0, 1, 2].map(|k| self.bodies[k].point(self.local[k], t));
        let v = [0, 1, 2].map(|k| self.bodies[k].point_velocity(self.local[k], t));
        let (d1, d2) = (minus(p[1], p[0]), minus(p[2], p[0]));
        let (e1, e2) = (minus(v[1], v[0]), minus(v[2], v[0]));
        (cross(d1, d2), cross(e1, d2) + cross(d1, e2))
    }

    fn second_derivative_bound(&self, _: f64, _: f64) -> f64 {
        // A crude but safe bound: lengths are at most 12 here, speeds and accelerations of each
        // point come from its own body.
        let speed = |k: usize| {
            let b = &self.bodies[k];
            let r = self.local[k][0].hypot(self.local[k][1]);
            b.velocity[0].hypot(b.velocity[1]) + b.omega.abs() * r
        };
        let pull = |k: usize| {
            let r = self.local[k][0].hypot(self.local[k][1]);
            self.bodies[k].omega.powi(2) * r
        };
        let (e1, e2) = (speed(1) + speed(0), speed(2) + speed(0));
        let (g1, g2) = (pull(1) + pull(0), pull(2) + pull(0));
        2.0 * e1 * e2 + 12.0 * (g1 + g2)
    }
}

#[test]
fn a_smooth_failure_is_never_later_than_the_first_change_of_sign() {
    let mut rng = Rng(3);
    let (mut failures, mut most) = (0, 0);
    for _ in 0..10_000 {
        let bodies = [0, 1, 2].map(|_| Rigid2 {
            centre: [rng.range(-2.0, 2.0), rng.range(-2.0, 2.0)],
            velocity: [rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)],
            omega: rng.range(-3.0, 3.0),
            ..Rigid2::default()
        });
        let local = [0, 1, 2].map(|_| [rng.range(-1.0, 1.0), rng.range(-1.0, 1.0)]);
        let mut triple = Triple { bodies, local };
        if triple.at(0.0).0 < 0.0 {
            triple.local.swap(1, 2);
            triple.bodies.swap(1, 2);
        }
        if triple.at(0.0).0 <= 0.0 {
            continue;
        }
        let found = smooth(&triple, 0.0, 1.0, 0.25);
        most = most.max(found.evaluations);
        assert!(!found.was_false);
        let first = (1..=500)
            .map(|k| f64::from(k) / 500.0)
            .find(|&t| triple.at(t).0 < -1e-12);
        if let Some(t) = first {
            assert!(found.time <= t, "{} after {t}", found.time);
        }
        if found.time < 1.0 {
            failures += 1;
            let (value, slope) = triple.at(found.time);
            assert!(value.abs() < 1e-9 && slope < 1e-6, "{value} {slope}");
        }
    }
    assert!(failures > 3_000 && most < 2000, "{failures} {most}");
}

/// A certificate that has just been repaired rises from zero; one of points that only translate has
/// a bound of zero.
#[test]
fn a_smooth_function_leaves_zero_upwards_and_a_bound_of_zero_is_no_livelock() {
    struct Line(f64, f64);
    impl Smooth for Line {
        fn at(&self, t: f64) -> (f64, f64) {
            (self.0 + self.1 * t, self.1)
        }
        fn second_derivative_bound(&self, _: f64, _: f64) -> f64 {
            0.0
        }
    }
    assert_eq!(smooth(&Line(0.0, 1.0), 0.0, 9.0, 1.0).time, f64::INFINITY);
    assert_eq!(smooth(&Line(1.0, 0.0), 0.0, 9.0, 1.0).time, f64::INFINITY);
    assert_eq!(
        smooth(&Line(-1e-18, 1.0), 0.0, 9.0, 1.0).time,
        f64::INFINITY
    );
    assert_eq!(smooth(&Line(0.0, -1.0), 2.0, 9.0, 1.0).time, 2.0);
    let found = smooth(&Line(1.0, -1.0), 0.0, 9.0, 0.25);
    assert!((found.time - 1.0).abs() < 1e-12 && found.evaluations < 20);

    struct Sine;
    impl Smooth for Sine {
        fn at(&self, t: f64) -> (f64, f64) {
            (t.sin(), t.cos())
        }
        fn second_derivative_bound(&self, _: f64, _: f64) -> f64 {
            1.0
        }
    }
    let found = smooth(&Sine, 0.0, 9.0, 9.0);
    assert!((found.time - std::f64::consts::PI).abs() < 1e-9);
    let late = smooth(&Sine, 4.8, 9.0, 9.0);
    assert!(late.was_false && late.time == 4.8);
    let none = smooth(&Sine, 0.0, 3.0, 0.5);
    assert_eq!(none.time, f64::INFINITY);
}
