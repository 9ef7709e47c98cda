//! Redon's elementary tests: the published formulas, the digits of worked examples, sampling, and
//! `advance` as an independent check.

use crate::common;

use std::f64::consts::PI;

use common::{
    KINDS, SplitMix, about_z, distance_at, screw_position, screw_through, two_edges,
    vertex_and_face,
};
use hapticd_ccd::{Advance, AdvanceLimits, FeaturePair, PairKind, advance};
use hapticd_geometry::{Interval, Screw, Vec3};
use hapticd_published::interval::{Contact, Precision, coplanarity, first_contact_of_pair};

const FINE: Precision = Precision {
    time: 1e-13,
    position_m: 1e-13,
    max_evaluations: 1_000_000,
};

fn first(
    kind: PairKind,
    a: &[Vec3; 3],
    b: &[Vec3; 3],
    screw: &Screw,
    p: &Precision,
) -> Option<Contact> {
    first_contact_of_pair(FeaturePair { kind, a, b }, screw, 1.0, p)
}

#[test]
fn pure_translation_meets_a_face() {
    let face = [
        Vec3::zeros(),
        Vec3::new(1.0, 0.0, 0.0),
        Vec3::new(0.0, 1.0, 0.5),
    ];
    let a = [Vec3::new(0.2, 0.2, 1.0); 3];
    let c = first(PairKind::VertexFace, &a, &face, &about_z(0.0, -1.0), &FINE).expect("contact");
    assert!(c.certain && (c.t - 0.9).abs() < 1e-12, "{}", c.t);
    assert!((c.pair.params[1] - 0.2).abs() < 1e-9 && (c.pair.params[2] - 0.2).abs() < 1e-9);
}

#[test]
fn a_screw_meets_a_face() {
    let (a, face) = vertex_and_face();
    let screw = about_z(1.0, -1.0);
    let c = first(PairKind::VertexFace, &a, &face, &screw, &FINE).expect("contact");
    assert!(c.certain && (c.t - 0.547909602676).abs() < 1e-12, "{}", c.t);
    let point = Vec3::new(0.8536153, 0.5209040, 0.4520904);
    assert!((c.pair.point_a - point).amax() < 1e-7, "{}", c.pair.point_a);
    assert!((c.pair.params[1] - 0.42680764).abs() < 1e-7);
    assert!((c.pair.params[2] - 0.2604520).abs() < 1e-7);
    // The same motion seen from the vertex.
    let inverse = about_z(-1.0, 1.0);
    let back = first(PairKind::FaceVertex, &face, &a, &inverse, &FINE).expect("contact");
    assert!((back.t - c.t).abs() < 1e-12);
}

#[test]
fn a_screw_meets_an_edge() {
    let (a, b) = two_edges();
    let screw = about_z(1.2, 0.5);
    let c = first(PairKind::EdgeEdge, &a, &b, &screw, &FINE).expect("contact");
    assert!(c.certain && (c.t - 0.604291099501).abs() < 1e-12, "{}", c.t);
    assert!((c.pair.params[0] - 0.7388510).abs() < 1e-7);
    assert!((c.pair.params[1] - 0.5799663).abs() < 1e-7);
    let point = Vec3::new(0.5899831, 0.8420034, 0.4499157);
    assert!((c.pair.point_a - point).amax() < 1e-7);
}

/// The five constants of an edge pair and the four of a vertex and a face, as printed for the screw
/// frame.
fn printed(a: &[Vec3; 3], b: &[Vec3; 3]) -> ([f64; 5], [f64; 4]) {
    let (p, e, c, f) = (a[0], a[1] - a[0], b[0], b[1] - b[0]);
    let n = (b[1] - b[0]).cross(&(b[2] - b[0]));
    let ee = [
        (p.z - c.z) * (f.x * e.y - f.y * e.x)
            + e.z * (p.x * f.y - p.y * f.x)
            + f.z * (c.x * e.y - c.y * e.x),
        (p.z - c.z) * (f.x * e.x + f.y * e.y) - e.z * (p.x * f.x + p.y * f.y)
            + f.z * (c.x * e.x + c.y * e.y),
        f.x * e.y - f.y * e.x,
        f.x * e.x + f.y * e.y,
        e.z * (f.x * c.y - f.y * c.x) + f.z * (e.x * p.y - e.y * p.x),
    ];
    let vf = [
        -p.x * n.x - p.y * n.y,
        p.y * n.x - p.x * n.y,
        -n.z,
        b[0].x * n.x + b[0].y * n.y + (b[0].z - p.z) * n.z,
    ];
    (ee, vf)
}

/// The coplanarity function by its definition.
fn direct(kind: PairKind, a: &[Vec3; 3], b: &[Vec3; 3], screw: &Screw, t: f64) -> f64 {
    let m = |x: &Vec3| screw_position(screw, x, t);
    match kind {
        PairKind::VertexFace => (b[0] - m(&a[0])).dot(&(b[1] - b[0]).cross(&(b[2] - b[0]))),
        PairKind::FaceVertex => {
            let f = [m(&a[0]), m(&a[1]), m(&a[2])];
            (f[0] - b[0]).dot(&(f[1] - f[0]).cross(&(f[2] - f[0])))
        }
        PairKind::EdgeEdge => {
            let (p, q) = (m(&a[0]), m(&a[1]));
            (b[0] - p).dot(&(q - p).cross(&(b[1] - b[0])))
        }
    }
}

#[test]
fn printed_formulas_are_the_coplanarity_functions() {
    let mut rng = SplitMix(21);
    for _ in 0..2_000 {
        let a = [0; 3].map(|_| rng.point(1.0));
        let b = [0; 3].map(|_| rng.point(1.0));
        let (w, s) = (rng.range(0.01, 3.0), rng.range(-1.0, 1.0));
        let screw = about_z(w, s);
        let t = rng.range(0.0, 1.0);
        let ([a0, a1, a2, a3, a4], [b0, b1, b2, b3]) = printed(&a, &b);
        let (sn, cs) = (w * t).sin_cos();
        let ee = a0 * cs + a1 * sn + (a2 * cs + a3 * sn) * s * t + a4;
        let vf = b0 * cs + b1 * sn + b2 * s * t + b3;
        assert!((ee - direct(PairKind::EdgeEdge, &a, &b, &screw, t)).abs() < 1e-13 * 64.0);
        assert!((vf - direct(PairKind::VertexFace, &a, &b, &screw, t)).abs() < 1e-13 * 64.0);
        // The cubics of the algebraic motion, with the shift s tan(wt/2)/tan(w/2).
        let (tau, half) = ((0.5 * w * t).tan(), (0.5 * w).tan());
        let shift = s * tau / half;
        let ee = a0 * cs + a1 * sn + (a2 * cs + a3 * sn) * shift + a4;
        let vf = b0 * cs + b1 * sn + b2 * shift + b3;
        let k = s / half;
        let ee_cubic =
            ((-k * a2 * tau + 2.0 * k * a3 + a4 - a0) * tau + 2.0 * a1 + k * a2) * tau + a0 + a4;
        let vf_cubic = ((k * b2 * tau + b3 - b0) * tau + 2.0 * b1 + k * b2) * tau + b0 + b3;
        let scale = 1.0 + tau * tau;
        assert!((ee * scale - ee_cubic).abs() < 1e-11 * scale * (1.0 + k.abs()));
        assert!((vf * scale - vf_cubic).abs() < 1e-11 * scale * (1.0 + k.abs()));
    }
}

fn random_screw(rng: &mut SplitMix) -> Screw {
    let angle = match rng.below(4) {
        0 => 0.0,
        1 => rng.log_range(1e-12, 1e-3),
        _ => rng.range(0.0, PI),
    };
    if angle == 0.0 {
        return Screw {
            angle,
            translation: rng.range(-2.0, 2.0),
            point: Vec3::zeros(),
            axis: rng.direction(),
        };
    }
    let (pivot, d, axis) = (rng.point(1.0), rng.point(1.0), rng.direction());
    screw_through(&pivot, &d, axis, angle)
}

#[test]
fn the_inclusion_function_encloses_and_tightens() {
    let mut rng = SplitMix(22);
    for _ in 0..3_000 {
        let kind = KINDS[rng.below(3)];
        let a = [0; 3].map(|_| rng.point(1.0));
        let b = [0; 3].map(|_| rng.point(1.0));
        let screw = random_screw(&mut rng);
        let low = rng.range(0.0, 1.0);
        let width = rng.log_range(1e-8, 1.0);
        let time = Interval::new(low, (low + width).min(1.0));
        let f = coplanarity(kind, &a, &b, &screw, time);
        for i in 0..=20 {
            let t = time.lo + (time.hi - time.lo) * f64::from(i) / 20.0;
            let value = direct(kind, &a, &b, &screw, t);
            assert!(
                f.lo - 1e-12 <= value && value <= f.hi + 1e-12,
                "{kind:?} {f:?} {value}"
            );
        }
        let narrow = coplanarity(kind, &a, &b, &screw, Interval::new(low, low + 1e-6));
        assert!(narrow.width() < 1e-3, "{kind:?} {screw:?} {narrow:?}");
    }
}

fn random_meeting(rng: &mut SplitMix) -> (PairKind, [Vec3; 3], [Vec3; 3], Screw) {
    let kind = KINDS[rng.below(3)];
    let apart = rng.direction() * rng.range(0.3, 2.0);
    let b = [0; 3].map(|_| rng.point(0.5));
    let a = [0; 3].map(|_| apart + rng.point(0.5));
    let point = |rng: &mut SplitMix, p: &[Vec3; 3], n: usize| {
        let w = [0; 3].map(|_| rng.range(0.0, 1.0));
        let sum: f64 = w[..n].iter().sum();
        (0..n).map(|i| p[i] * (w[i] / sum)).sum::<Vec3>()
    };
    let (from, to) = (
        point(rng, &a, kind.points_a()),
        point(rng, &b, kind.points_b()),
    );
    let d = if rng.below(4) == 0 {
        rng.point(1.0)
    } else {
        to - from
    };
    let angle = if rng.below(4) == 0 {
        rng.log_range(1e-9, 1e-2)
    } else {
        rng.range(0.05, 3.0)
    };
    let mut screw = screw_through(&from, &d, rng.direction(), angle);
    let stretch = rng.range(0.8, 1.4);
    screw.angle *= stretch;
    screw.translation *= stretch;
    (kind, a, b, screw)
}

#[test]
fn sampled_contacts_are_never_missed() {
    let mut rng = SplitMix(23);
    let precision = Precision {
        time: 1e-6,
        position_m: 1e-6,
        max_evaluations: 100_000,
    };
    let (mut contacts, mut none) = (0, 0);
    for _ in 0..100_000 {
        let (kind, a, b, screw) = random_meeting(&mut rng);
        let distance = |t: f64| distance_at(kind, &a, &b, &screw, t);
        // First bracket with a change of side and close features; sampling is finer than the
        // features.
        let n = 400;
        let hit = (0..=n)
            .map(|i| f64::from(i) / f64::from(n))
            .find(|&t| distance(t) < 1e-9);
        match first(kind, &a, &b, &screw, &precision) {
            None => {
                none += 1;
                assert!(hit.is_none());
                // Proven free of contact, so the sampled distance never changes side at 0: refine
                // the nearest sample.
                let near = (0..=n)
                    .map(|i| f64::from(i) / f64::from(n))
                    .min_by(|x, y| distance(*x).total_cmp(&distance(*y)));
                let mut best = near.expect("samples");
                let mut step = 1.0 / f64::from(n);
                for _ in 0..60 {
                    for t in [best - step, best + step] {
                        if (0.0..=1.0).contains(&t) && distance(t) < distance(best) {
                            best = t;
                        }
                    }
                    step *= 0.7;
                }
                assert!(distance(best) > 0.0, "missed a contact at {best}");
            }
            Some(c) => {
                contacts += 1;
                assert!(c.certain);
                assert!(hit.is_none_or(|h| c.t <= h));
                assert!(distance(c.t) <= 1.1e-6, "{}", distance(c.t));
                assert!((distance(c.t) - c.pair.distance).abs() < 1e-12);
                // No contact occurs earlier.
                for i in 0..100 {
                    assert!(distance(c.t * f64::from(i) / 100.0) > 0.0);
                }
            }
        }
    }
    assert!(contacts > 33_000 && none > 8_000, "{contacts} {none}");
}

#[test]
fn agrees_with_conservative_advancement() {
    // With a threshold of a nanometre both methods find the same first contact.
    let mut rng = SplitMix(24);
    let precision = Precision {
        time: 1e-9,
        position_m: 1e-9,
        max_evaluations: 1_000_000,
    };
    let (mut both, mut neither) = (0, 0);
    for _ in 0..4_000 {
        let (kind, a, b, screw) = random_meeting(&mut rng);
        let root = first(kind, &a, &b, &screw, &precision);
        let steps = advance(
            FeaturePair { kind, a: &a, b: &b },
            &screw,
            AdvanceLimits {
                threshold: 2e-9,
                t_max: 1.0,
                max_steps: 1_000_000,
            },
            None,
        );
        match (root, steps) {
            (Some(c), Advance::Stopped { t, distance, .. }) => {
                both += 1;
                assert!(distance < 2.1e-9);
                assert!(
                    t <= c.t + 1e-12,
                    "advanced to {t} past the contact at {}",
                    c.t
                );
                // Between the two times the features are within a few nanometres: at most a slow
                // approach.
                let d = distance_at(kind, &a, &b, &screw, 0.5 * (t + c.t));
                assert!(d < 1e-8 || c.t - t < 1e-7, "{t} {} {d}", c.t);
            }
            (None, Advance::Clear) => neither += 1,
            (None, Advance::Stopped { t, distance, .. }) => {
                // Only if they pass within the threshold without touching.
                assert!(distance > 0.0 && distance < 2.1e-9, "{t} {distance}");
            }
            (Some(c), Advance::Clear) => panic!("advance passed the contact at {}", c.t),
        }
    }
    assert!(both > 1_500 && neither > 500, "{both} {neither}");
}

#[test]
fn degenerate_contacts_terminate() {
    let floor = [
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
    ];
    let precision = Precision {
        time: 1e-7,
        position_m: 1e-7,
        max_evaluations: 100_000,
    };
    let slide = |d: Vec3| Screw {
        angle: 0.0,
        translation: d.norm(),
        point: Vec3::zeros(),
        axis: d.normalize(),
    };
    // In the plane of the face, from outside: contact with its edge.
    let a = [Vec3::new(-3.0, -0.5, 0.0); 3];
    let c = first(
        PairKind::VertexFace,
        &a,
        &floor,
        &slide(Vec3::new(4.0, 0.0, 0.0)),
        &precision,
    )
    .expect("contact");
    assert!(
        c.certain && c.t <= 2.25 / 4.0 && c.t > 2.25 / 4.0 - 1e-6,
        "{}",
        c.t
    );
    // In the plane of the face, past it: no contact, decided quickly.
    let a = [Vec3::new(-3.0, 1.5, 0.0); 3];
    assert!(
        first(
            PairKind::VertexFace,
            &a,
            &floor,
            &slide(Vec3::new(6.0, 0.0, 0.0)),
            &precision
        )
        .is_none()
    );
    // Contact at the start, at the end.
    let a = [Vec3::new(0.0, 0.0, 0.0); 3];
    let c = first(
        PairKind::VertexFace,
        &a,
        &floor,
        &slide(Vec3::z()),
        &precision,
    )
    .expect("contact");
    assert_eq!(c.t, 0.0);
    let a = [Vec3::new(0.0, 0.0, 1.0); 3];
    let c = first(
        PairKind::VertexFace,
        &a,
        &floor,
        &slide(-Vec3::z()),
        &precision,
    )
    .expect("contact");
    assert!(c.t > 1.0 - 1e-6);
    // A vertex that meets a vertex of the face, an edge that meets the other's end.
    let a = [Vec3::new(1.0, -1.0, 1.0); 3];
    let c = first(
        PairKind::VertexFace,
        &a,
        &floor,
        &slide(Vec3::z() * -2.0),
        &precision,
    )
    .expect("contact");
    assert!((c.t - 0.5).abs() < 1e-6);
    // Parallel edges, one above the other.
    let b = [Vec3::zeros(), Vec3::x(), Vec3::zeros()];
    let a = [
        Vec3::new(0.2, 0.0, 1.0),
        Vec3::new(1.4, 0.0, 1.0),
        Vec3::zeros(),
    ];
    let c = first(
        PairKind::EdgeEdge,
        &a,
        &b,
        &slide(Vec3::z() * -2.0),
        &precision,
    )
    .expect("contact");
    assert!((c.t - 0.5).abs() < 1e-6);
    // Tangential: a vertex on a circle that just touches the plane.
    let a = [Vec3::new(0.0, -f64::sin(1.0), 1.0 - f64::cos(1.0)); 3];
    let roll = Screw {
        angle: 2.0,
        translation: 0.0,
        point: Vec3::z(),
        axis: Vec3::x(),
    };
    let c = first(PairKind::VertexFace, &a, &floor, &roll, &precision).expect("contact");
    assert!(c.t <= 0.5 + 1e-7 && c.t > 0.499, "{}", c.t);
    // Evaluations run out: an uncertain contact that claims little.
    let few = Precision {
        max_evaluations: 5,
        ..precision
    };
    let c = first(PairKind::VertexFace, &a, &floor, &roll, &few).expect("contact");
    assert!(!c.certain && c.t <= 0.5);
    let bad = [Vec3::new(f64::NAN, 0.0, 0.0); 3];
    let c = first(PairKind::VertexFace, &bad, &floor, &roll, &precision).expect("contact");
    assert!(!c.certain && c.t == 0.0);
}

#[test]
fn the_end_only_cuts_off() {
    let mut rng = SplitMix(25);
    let precision = Precision::default();
    for _ in 0..1_000 {
        let (kind, a, b, screw) = random_meeting(&mut rng);
        let whole = first(kind, &a, &b, &screw, &precision);
        let end = rng.range(0.0, 1.0);
        let part =
            first_contact_of_pair(FeaturePair { kind, a: &a, b: &b }, &screw, end, &precision);
        assert_eq!(part, whole.filter(|c| c.t <= end));
    }
}
