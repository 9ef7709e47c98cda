//! Tests the algebraic motion: reference vectors after the thesis, polynomials
//! against direct evaluation, spheres against sampling.

use crate::common;

use common::{SplitMix, about_z, two_edges, vertex_and_face};
use hapticd_ccd::obb::Obb;
use hapticd_ccd::{FeaturePair, PairKind, closest};
use hapticd_geometry::{Interval, Mat3, Screw, Vec3};
use hapticd_published::algebraic::AlgebraicMotion;
use hapticd_published::algebraic::cubic::{roots_in, value};
use hapticd_published::algebraic::pair::{Edge, edge_edge, first_contact_of_pair, vertex_face};
use hapticd_published::algebraic::sphere::{sphere_quartic, spheres_meet};
use hapticd_published::interval::{self, Precision};
use hapticd_published::sweep::{Axes, SweepOptions, overlap_during, separated_during};

fn motion(angle: f64, translation: f64) -> AlgebraicMotion {
    AlgebraicMotion::new(&about_z(angle, translation)).expect("in range")
}

/// Contact time on the algebraic motion, with points given in the frame of the screw.
fn algebraic_time(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], m: &AlgebraicMotion) -> f64 {
    let frame = |p: &[Vec3; 3]| p.map(|x| m.to_frame(&x));
    let c = first_contact_of_pair(
        FeaturePair {
            kind,
            a: &frame(a),
            b: &frame(b),
        },
        m,
        1.0,
        1e-9,
    )
    .expect("contact");
    m.time_of(c.share)
}

/// Contact time on the constant-speed motion.
fn uniform(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], s: &Screw) -> interval::Contact {
    let precision = Precision {
        time: 1e-13,
        position_m: 1e-13,
        ..Precision::default()
    };
    interval::first_contact_of_pair(FeaturePair { kind, a, b }, s, 1.0, &precision)
        .expect("contact")
}

fn near(x: f64, y: f64, tolerance: f64) {
    assert!((x - y).abs() <= tolerance, "{x} is not {y}");
}

#[test]
fn v1_pure_translation() {
    let a = [Vec3::new(0.2, 0.2, 1.0); 3];
    let b = [Vec3::zeros(), Vec3::x(), Vec3::new(0.0, 1.0, 0.5)];
    let kind = PairKind::VertexFace;
    near(algebraic_time(kind, &a, &b, &motion(0.0, -1.0)), 0.9, 1e-14);
    let c = uniform(kind, &a, &b, &about_z(0.0, -1.0));
    near(c.t, 0.9, 1e-12);
    near(c.pair.params[1], 0.2, 1e-12);
    near(c.pair.params[2], 0.2, 1e-12);
}

#[test]
fn v2_vertex_face() {
    let (a, b) = vertex_and_face();
    let m = motion(1.0, -1.0);
    let t = m.half_tangent();
    // In tau, as printed.
    let c = vertex_face(&a[0], &b, -1.0, t);
    let printed = [-2.4, 8.121_950_886_850, -2.4, 7.321_950_886_850];
    for k in 0..4 {
        near(c[k] / t.powi(k as i32), printed[k], 1e-11);
    }
    let (roots, n) = roots_in(&c, 0.0, 1.0);
    assert_eq!(n, 1);
    near(roots[0] * t, 0.297_886_957_322, 1e-12);
    near(
        algebraic_time(PairKind::VertexFace, &a, &b, &m),
        0.579_034_195_145,
        1e-12,
    );
    let moved = m.displacement_at(0.579_034_195_145) * nalgebra::Point3::from(a[0]);
    let touched = closest(PairKind::VertexFace, &[moved.coords; 3], &b);
    near(
        (touched.point_b - Vec3::new(0.836_991_5, 0.547_215_8, 0.454_721_6)).norm(),
        0.0,
        1e-7,
    );
    near(touched.params[1], 0.418_495_8, 1e-7);
    near(touched.params[2], 0.273_607_9, 1e-7);
    let c = uniform(PairKind::VertexFace, &a, &b, &about_z(1.0, -1.0));
    near(c.t, 0.547_909_602_676, 1e-12);
    near(
        (c.pair.point_b - Vec3::new(0.853_615_3, 0.520_904_0, 0.452_090_4)).norm(),
        0.0,
        1e-7,
    );
    // The digest prints 0.4268078 for u; x / 2 of the point above is 0.4268076.
    near(c.pair.params[1], 0.426_807_6, 1e-7);
    near(c.pair.params[2], 0.260_452_0, 1e-7);
}

#[test]
fn v3_edge_edge() {
    let (a, b) = two_edges();
    let m = motion(1.2, 0.5);
    let t = m.half_tangent();
    near(t, 0.684_136_808_342, 1e-12);
    let c = edge_edge(
        &Edge::between(&a[0], &a[1]),
        &Edge::between(&b[0], &b[1]),
        0.5,
        t,
    );
    let printed = [
        -1.124,
        4.445_423_986_770,
        -3.830_169_594_708,
        -0.365_423_986_770,
    ];
    for k in 0..4 {
        near(c[k] / t.powi(k as i32), printed[k], 1e-11);
    }
    let (roots, n) = roots_in(&c, -20.0 / t, 1.1 / t);
    assert_eq!(n, 3);
    for (root, tau) in roots
        .iter()
        .zip([-11.557_080_158_3, 0.385_821_050_4, 0.689_819_100_2])
    {
        near(root * t, tau, 1e-9);
    }
    near(
        algebraic_time(PairKind::EdgeEdge, &a, &b, &m),
        0.613_706_176_288,
        1e-12,
    );
    let share = m.share_at(0.613_706_176_288);
    let moved = a.map(|x| m.from_frame(&m.moved(&m.to_frame(&x), share)));
    let touched = closest(PairKind::EdgeEdge, &moved, &b);
    near(touched.params[0], 0.731_099_1, 1e-7);
    near(touched.params[1], 0.571_278_5, 1e-7);
    near(
        (touched.point_b - Vec3::new(0.585_639_3, 0.842_872_1, 0.428_196_4)).norm(),
        0.0,
        1e-7,
    );
    let c = uniform(PairKind::EdgeEdge, &a, &b, &about_z(1.2, 0.5));
    near(c.t, 0.604_291_099_501, 1e-12);
    near(c.pair.params[0], 0.738_851_0, 1e-7);
    near(c.pair.params[1], 0.579_966_3, 1e-7);
    near(
        (c.pair.point_b - Vec3::new(0.589_983_1, 0.842_003_4, 0.449_915_7)).norm(),
        0.0,
        1e-7,
    );
}

#[test]
fn v4_spheres() {
    let (a, b) = (Vec3::x(), Vec3::new(0.1, 1.3, 0.4));
    let t = motion(1.5, 0.3).half_tangent();
    near(t, 0.931_596_459_944, 1e-12);
    let q = sphere_quartic(&a, &b, 0.55, 0.3, t);
    let printed = [
        2.3575,
        -5.457_622_275_652,
        2.861_201_932_675,
        -0.257_622_275_652,
        0.103_701_932_675,
    ];
    for k in 0..5 {
        near(q[k] / t.powi(k as i32), printed[k], 1e-11);
    }
    let at = |x: f64| q.iter().rev().fold(0.0, |sum, c| sum * x + c);
    near(at(1.0), -0.373_825_445_109, 1e-11);
    assert!(spheres_meet([&a, &b], 0.55, 0.3, t, 1.0));
    let first = 0.633_286_622_9 / t;
    near(at(first), 0.0, 1e-9);
    assert!(spheres_meet([&a, &b], 0.55, 0.3, t, first + 1e-6));
    assert!(!spheres_meet([&a, &b], 0.55, 0.3, t, first - 1e-6));
}

/// V5, the screw of a twist, is tested with the screw; this tests that the algebraic motion has the
/// same ends.
#[test]
fn v5_the_ends_are_those_of_the_screw() {
    let twist = (Vec3::new(0.3, 0.1, 0.2), Vec3::new(0.1, -0.2, 0.4));
    let pivot = Vec3::new(1.0, 2.0, 3.0);
    let s = Screw::from_twist(&twist.0, &twist.1, &pivot);
    let m = AlgebraicMotion::new(&s).expect("in range");
    for t in [0.0, 1.0] {
        let (x, y) = (m.displacement_at(t), s.displacement_at(t));
        near(
            (x.translation.vector - y.translation.vector).norm(),
            0.0,
            1e-14,
        );
        near(x.rotation.angle_to(&y.rotation), 0.0, 1e-7);
    }
    let end = m.displacement_at(1.0) * nalgebra::Point3::from(pivot);
    near((end.coords - Vec3::new(1.3, 2.1, 3.2)).norm(), 0.0, 1e-14);
    for t in [0.1, 0.5, 0.9] {
        near(m.time_of(m.share_at(t)), t, 1e-14);
    }
}

#[test]
fn v6_boxes() {
    let cube = |half: f64, x: f64| Obb {
        center: Vec3::x() * x,
        axes: Mat3::identity(),
        half: Vec3::repeat(half),
    };
    let quarter = about_z(std::f64::consts::FRAC_PI_2, 0.0);
    let b = cube(1.0, 0.0);
    let all = Interval::new(0.0, 1.0);
    assert!(separated_during(
        &cube(0.5, 2.6),
        &b,
        &quarter,
        all,
        Axes::Faces
    ));
    let a = cube(0.5, 1.85);
    let mut sweeps = 0;
    let fine = SweepOptions {
        k: 1e-4,
        max_depth: 30,
        axes: Axes::All,
    };
    let first = 0.307_421_344_914;
    assert!(overlap_during(
        [&a, &b],
        &quarter,
        first + 1e-6,
        &fine,
        &mut sweeps
    ));
    assert!(!overlap_during(
        [&a, &b],
        &quarter,
        first - 1e-3,
        &fine,
        &mut sweeps
    ));
}

#[test]
fn polynomials_are_what_they_say() {
    let mut rng = SplitMix(91);
    for k in 0..2_000 {
        let angle = if k % 7 == 0 { 0.0 } else { rng.range(0.0, 2.5) };
        let s = if k % 5 == 0 {
            0.0
        } else {
            rng.range(-1.0, 1.0)
        };
        let m = motion(angle, s);
        let t = m.half_tangent();
        let share = rng.range(0.0, 1.0);
        let p: Vec<Vec3> = (0..4).map(|_| rng.point(1.0)).collect();
        let tau = t * share;
        let scale = 1.0 + tau * tau;
        let at = |x: &Vec3| {
            let moved = m.displacement_at(m.time_of(share)) * nalgebra::Point3::from(*x);
            moved.coords
        };
        let (x, y) = (at(&p[0]), at(&p[1]));
        let c = edge_edge(
            &Edge::between(&p[0], &p[1]),
            &Edge::between(&p[2], &p[3]),
            s,
            t,
        );
        let direct = (p[2] - x).dot(&(y - x).cross(&(p[3] - p[2])));
        near(value(&c, share), direct * scale, 1e-12 * scale.max(1.0));
        let c = vertex_face(&p[0], &[p[1], p[2], p[3]], s, t);
        let direct = (p[1] - x).dot(&(p[2] - p[1]).cross(&(p[3] - p[1])));
        near(value(&c, share), direct * scale, 1e-12 * scale.max(1.0));
        let q = sphere_quartic(&p[0], &p[1], 0.3, s, t);
        let direct = (p[1] - x).norm_squared() - 0.09;
        let quartic = q.iter().rev().fold(0.0, |sum, c| sum * share + c);
        near(quartic, direct * scale, 1e-12 * scale.max(1.0));
    }
}

/// No overlap that sampling finds is missed, and a reported overlap nearly is one; also for pure
/// rotation and pure translation.
#[test]
fn spheres_agree_with_sampling() {
    let mut rng = SplitMix(92);
    let (mut hits, mut misses, mut grazes) = (0, 0, 0);
    for k in 0..100_000 {
        let angle = if k % 4 == 0 { 0.0 } else { rng.range(0.0, 2.8) };
        let s = if k % 4 == 1 {
            0.0
        } else {
            rng.range(-1.5, 1.5)
        };
        let m = motion(angle, s);
        let (a, radii) = (rng.point(1.0), rng.range(0.0, 0.6));
        // Mostly near the path.
        let b = m.moved(&a, rng.range(0.0, 1.0)) + rng.point(0.6);
        let end = rng.range(0.2, 1.0);
        let least = (0..=1_000)
            .map(|i| (m.moved(&a, end * f64::from(i) / 1_000.0) - b).norm())
            .fold(f64::INFINITY, f64::min);
        let meet = spheres_meet([&a, &b], radii, s, m.half_tangent(), end);
        if least <= radii {
            hits += 1;
            assert!(meet);
        } else if meet {
            grazes += 1;
            assert!(least - radii < 1e-3, "{least} {radii}");
        } else {
            misses += 1;
        }
    }
    assert!(
        hits > 16_000 && misses > 16_000 && grazes < 500,
        "{hits} {misses} {grazes}"
    );
    assert!(spheres_meet(
        [&Vec3::repeat(f64::NAN), &Vec3::zeros()],
        0.1,
        0.1,
        0.1,
        1.0
    ));
}

/// Random pairs against dense sampling of the motion itself.
#[test]
fn contacts_agree_with_sampling() {
    let mut rng = SplitMix(93);
    let (mut hits, mut minima) = (0, 0);
    for k in 0..100_000 {
        let kind = common::KINDS[k % 3];
        let angle = if k % 9 == 0 {
            0.0
        } else {
            rng.range(0.01, 1.5)
        };
        let m = motion(angle, rng.range(-1.0, 1.0));
        let a = [0; 3].map(|_| rng.point(0.8));
        let mut b = [0; 3].map(|_| rng.point(0.8));
        if k % 2 == 0 {
            // A point of one passes through a point of the other.
            let through = m.moved(&((a[0] + a[1]) * 0.5), rng.range(0.1, 0.9));
            let shift = through - (b[0] * 0.3 + b[1] * 0.7);
            b = b.map(|x| x + shift);
        }
        let found = first_contact_of_pair(FeaturePair { kind, a: &a, b: &b }, &m, 1.0, 1e-9);
        let distance =
            |share: f64| common::oracle_distance(kind, &a.map(|x| m.moved(&x, share)), &b);
        if let Some(c) = found {
            hits += 1;
            assert!(distance(c.share) < 1e-9);
        }
        // Every local minimum before it, found by sampling and refined, is clear of zero.
        let end = found.map_or(1.0, |c| c.share) * (1.0 - 1e-6);
        let n = 200;
        let share = |i: i32| end * f64::from(i) / f64::from(n);
        for i in 1..n {
            let here = distance(share(i));
            if here > 0.02 || here > distance(share(i - 1)) || here > distance(share(i + 1)) {
                continue;
            }
            let (mut low, mut high) = (share(i - 1), share(i + 1));
            for _ in 0..80 {
                let (x, y) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
                if distance(x) < distance(y) {
                    high = y;
                } else {
                    low = x;
                }
            }
            minima += 1;
            assert!(
                distance(0.5 * (low + high)) > 1e-9,
                "missed at {low} before {end}"
            );
        }
    }
    assert!(hits > 1_000 && minima > 50, "{hits} {minima}");
}

#[test]
fn out_of_range_is_refused() {
    for angle in [-0.1, std::f64::consts::PI, 4.0, f64::NAN] {
        assert!(AlgebraicMotion::new(&about_z(angle, 0.1)).is_none());
    }
    assert!(AlgebraicMotion::new(&about_z(0.1, f64::INFINITY)).is_none());
}
