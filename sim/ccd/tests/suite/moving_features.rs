//! `advance_features` against dense sampling with independent screws and an independent distance.

use crate::common;

use common::{KINDS, SplitMix, oracle_distance, screw_position, screw_through};
use hapticd_ccd::moving::{Motion, advance_features};
use hapticd_ccd::{Advance, AdvanceLimits, FeaturePair, PairKind, advance};
use hapticd_counting::counted;
use hapticd_geometry::{Pose, Quat, Screw, Vec3, transform};

const GENEROUS: u32 = 10_000;

struct Case {
    kind: PairKind,
    a: [Vec3; 3],
    b: [Vec3; 3],
    motions: [Motion; 2],
    threshold: f64,
}

/// Position of a point of a body, factor by factor, by Rodrigues' formula.
fn place(motion: &Motion, local: &Vec3, t: f64) -> Vec3 {
    let start = transform(motion.start(), local);
    let screws = motion.screws().iter().rev();
    screws.fold(start, |x, s| screw_position(s, &x, t))
}

fn distance_at(case: &Case, t: f64) -> f64 {
    let at = |motion, points: &[Vec3; 3]| points.map(|p| place(motion, &p, t));
    oracle_distance(
        case.kind,
        &at(&case.motions[0], &case.a),
        &at(&case.motions[1], &case.b),
    )
}

fn pose(rng: &mut SplitMix, at: &Vec3) -> Pose {
    let turn = Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0));
    Pose::from_parts((*at).into(), turn)
}

/// A screw that brings `from` to `to`, and beyond it if `stretch` is more than 1.
fn towards(rng: &mut SplitMix, from: &Vec3, to: &Vec3, stretch: f64) -> Screw {
    let axis = rng.direction();
    let angle = match rng.below(4) {
        0 => return translation((to - from) * stretch),
        1 => rng.log_range(1e-12, 1e-3),
        _ => rng.range(0.0, std::f64::consts::PI),
    };
    let mut screw = screw_through(from, &(to - from), axis, angle);
    screw.angle *= stretch;
    screw.translation *= stretch;
    screw
}

/// A random point of a feature of `n` points.
fn inside(rng: &mut SplitMix, p: &[Vec3; 3], n: usize) -> Vec3 {
    let w = [0; 3].map(|_| rng.range(0.0, 1.0));
    let sum: f64 = w[..n].iter().sum();
    (0..n).map(|i| p[i] * (w[i] / sum)).sum()
}

fn translation(d: Vec3) -> Screw {
    Screw::from_twist(&d, &Vec3::zeros(), &Vec3::zeros())
}

/// Two features of about `size`, a few sizes apart. A point of each goes to the same place, mostly
/// at the same time.
fn random_case(rng: &mut SplitMix, kind: PairKind) -> Case {
    let size = rng.log_range(1e-3, 0.3);
    let place = rng.point(1.0);
    let apart = rng.direction() * size * rng.range(0.5, 4.0);
    let (at_a, at_b) = (place + apart, place);
    let meet = place + rng.point(2.0 * size);
    let (start_a, start_b) = (pose(rng, &at_a), pose(rng, &at_b));
    let (a, b) = (
        [0; 3].map(|_| rng.point(size)),
        [0; 3].map(|_| rng.point(size)),
    );
    let from_a = transform(&start_a, &inside(rng, &a, kind.points_a()));
    let from_b = transform(&start_b, &inside(rng, &b, kind.points_b()));
    let stretch = rng.range(0.7, 1.5);
    let screw_a = towards(rng, &from_a, &meet, stretch);
    let screw_b = match rng.below(3) {
        0 => towards(rng, &from_b, &meet, 0.7 * stretch),
        _ => towards(rng, &from_b, &meet, stretch),
    };
    let mut motions = [
        Motion::screw(&start_a, &screw_a),
        Motion::screw(&start_b, &screw_b),
    ];
    match rng.below(6) {
        // One stands still.
        0 => motions[1] = Motion::still(&start_b),
        // Both are carried.
        1 => {
            let carrier = Motion::screw(&Pose::identity(), &towards(rng, &place, &meet, 1.0));
            motions[0] = carrier.link(&start_a, &screw_a).expect("short");
            motions[1] = carrier.link(&start_b, &screw_b).expect("short");
        }
        // One is the end of a chain.
        2 => {
            let carrier = Motion::screw(&pose(rng, &place), &towards(rng, &place, &meet, 1.0));
            let from_carrier = carrier.start().inverse() * start_a;
            let in_carrier = screw_a.in_frame(&carrier.start().inverse());
            motions[0] = carrier.link(&from_carrier, &in_carrier).expect("short");
        }
        _ => {}
    }
    let threshold = size * rng.log_range(1e-5, 0.1);
    Case {
        kind,
        a,
        b,
        motions,
        threshold,
    }
}

fn advance_case(case: &Case, steps: u32) -> Advance {
    let [a, b] = &case.motions;
    advance_features(
        FeaturePair {
            kind: case.kind,
            a: &case.a,
            b: &case.b,
        },
        [a, b],
        AdvanceLimits {
            threshold: case.threshold,
            t_max: 1.0,
            max_steps: steps,
        },
    )
}

/// Samples the proven interval; returns whether it is the whole motion.
fn check(case: &Case, samples: u32, steps: u32) -> (bool, f64) {
    let (clear, proven) = match advance_case(case, steps) {
        Advance::Clear => (true, 1.0),
        Advance::Stopped { t, distance, .. } => {
            let d = distance_at(case, t);
            assert!((d - distance).abs() <= 1e-11, "reported {distance}, is {d}");
            (false, t)
        }
    };
    assert!((0.0..=1.0).contains(&proven));
    let floor = case.threshold.min(distance_at(case, 0.0)) - 1e-11;
    for i in 0..=samples {
        let t = proven * f64::from(i) / f64::from(samples);
        let d = distance_at(case, t);
        assert!(
            d >= floor,
            "{:?} at {t} of {proven}: {d} < {floor}",
            case.kind
        );
    }
    (clear, proven)
}

/// A hundred thousand cases of each kind, none missed; those that stop do so at the threshold.
#[test]
fn random_pairs_stay_apart_and_stops_are_tight() {
    for (kind, seed) in KINDS.into_iter().zip(101..) {
        let mut rng = SplitMix(seed);
        let (mut clear, mut stopped, mut short) = (0, 0, 0);
        for _ in 0..100_000 {
            let case = random_case(&mut rng, kind);
            let (all, t) = check(&case, 24, 256);
            if all {
                clear += 1;
                continue;
            }
            stopped += 1;
            let d = distance_at(&case, t);
            let start = distance_at(&case, 0.0);
            let tight = case.threshold.min(start) + (2e-3 * case.threshold).min(2e-9) + 1e-11;
            short += usize::from(d > tight);
        }
        assert!(clear > 20_000 && stopped > 20_000, "{clear} {stopped}");
        // Out of steps before the threshold: rare.
        assert!(short < 20, "{kind:?}: {short} of {stopped} stops are short");
    }
}

/// Wherever dense sampling finds a pair under the threshold, the proven interval ends earlier.
#[test]
fn sampled_contacts_are_never_passed() {
    let mut found = 0;
    for (kind, seed) in KINDS.into_iter().zip(201..) {
        let mut rng = SplitMix(seed);
        for _ in 0..1_000 {
            let case = random_case(&mut rng, kind);
            let n = 2_000;
            let mut times = (0..=n).map(|i| f64::from(i) / f64::from(n));
            if distance_at(&case, 0.0) <= 1.001 * case.threshold {
                continue;
            }
            let Some(first) = times.find(|&t| distance_at(&case, t) < case.threshold) else {
                continue;
            };
            found += 1;
            let Advance::Stopped { t, .. } = advance_case(&case, GENEROUS) else {
                panic!("passed a contact at {first}");
            };
            assert!(t <= first);
        }
    }
    assert!(found > 500, "{found}");
}

#[test]
fn few_steps_only_cost_motion() {
    let mut rng = SplitMix(301);
    for k in 0..3_000 {
        let case = random_case(&mut rng, KINDS[k % 3]);
        let (all, end) = check(&case, 1, GENEROUS);
        for steps in [0, 1, 2, 4] {
            let (fewer, t) = check(&case, 10, steps);
            assert!(t <= end && (all || !fewer));
        }
    }
}

/// With one static body, the result is that of `advance`.
#[test]
fn one_mover_agrees_with_the_real_time_path() {
    let mut rng = SplitMix(401);
    let mut stopped = 0;
    for k in 0..3_000 {
        let mut case = random_case(&mut rng, KINDS[k % 3]);
        let from = transform(case.motions[0].start(), &case.a[0]);
        let to = transform(case.motions[1].start(), &case.b[0]);
        let near = rng.point(0.1 * (to - from).norm());
        let screw = towards(&mut rng, &from, &(to + near), 1.3);
        case.motions[0] = Motion::screw(case.motions[0].start(), &screw);
        case.motions[1] = Motion::still(case.motions[1].start());
        let world = |m: &Motion, p: &[Vec3; 3]| p.map(|x| transform(m.start(), &x));
        let (a, b) = (
            world(&case.motions[0], &case.a),
            world(&case.motions[1], &case.b),
        );
        let one = advance(
            FeaturePair {
                kind: case.kind,
                a: &a,
                b: &b,
            },
            &screw,
            AdvanceLimits {
                threshold: case.threshold,
                t_max: 1.0,
                max_steps: GENEROUS,
            },
            None,
        );
        let two = advance_case(&case, GENEROUS);
        let (Advance::Stopped { distance: x, .. }, Advance::Stopped { distance: y, .. }) =
            (one, two)
        else {
            // Grazing within the resolution may go either way.
            assert!(
                one == two || grazes(one, &case) || grazes(two, &case),
                "{one:?} {two:?}"
            );
            continue;
        };
        stopped += 1;
        let limit = case.threshold + 2e-9;
        assert!(
            x <= limit && y <= limit || x == y || (x - y).abs() < 1e-9,
            "{x} {y}"
        );
    }
    assert!(stopped > 500);
}

fn grazes(one: Advance, case: &Case) -> bool {
    matches!(one, Advance::Stopped { distance, .. } if distance <= case.threshold * 1.01 + 2e-9)
}

/// Bodies that move together keep their distance forever, however fast and however near.
#[test]
fn what_moves_as_one_is_free() {
    let mut rng = SplitMix(501);
    for k in 0..1_000 {
        let mut case = random_case(&mut rng, KINDS[k % 3]);
        let carrier = case.motions[0];
        case.motions[1] = carrier
            .link(
                &(carrier.start().inverse() * case.motions[1].start()),
                &Screw::identity(),
            )
            .expect("short");
        let apart = distance_at(&case, 0.0);
        if apart > 1e-6 {
            case.threshold = 2.0 * apart;
            assert_eq!(advance_case(&case, 1), Advance::Clear);
        }
    }
}

/// A vertex rests at the threshold on a face that turns away under it, for all kinds of support:
/// the direction turns along.
#[test]
fn resting_on_a_turning_body_is_free() {
    let face = [
        Vec3::new(-1.0, -1.0, 0.0),
        Vec3::new(1.0, -1.0, 0.0),
        Vec3::new(0.0, 1.0, 0.0),
    ];
    let tip = [Vec3::new(0.0, 0.0, 1e-4); 3];
    let still = Motion::still(&Pose::identity());
    for w in [1e-3, 0.05, 0.5] {
        // The face turns about an axis below the tip and sinks a little: the distance grows from
        // 1e-4 on.
        let screw = Screw::from_twist(
            &Vec3::new(0.0, 0.0, -1e-3),
            &(Vec3::x() * w),
            &Vec3::zeros(),
        );
        let turning = Motion::screw(&Pose::identity(), &screw);
        let got = advance_features(
            FeaturePair {
                kind: PairKind::VertexFace,
                a: &tip,
                b: &face,
            },
            [&still, &turning],
            AdvanceLimits {
                threshold: 1e-4,
                t_max: 1.0,
                max_steps: 64,
            },
        );
        assert_eq!(got, Advance::Clear, "{w}");
        let got = advance_features(
            FeaturePair {
                kind: PairKind::FaceVertex,
                a: &face,
                b: &tip,
            },
            [&turning, &still],
            AdvanceLimits {
                threshold: 1e-4,
                t_max: 1.0,
                max_steps: 64,
            },
        );
        assert_eq!(got, Advance::Clear, "{w}");
        // Two edges that cross, each turning about its own direction and a little about the
        // other's.
        let a = [
            Vec3::new(-1.0, 0.0, 1e-4),
            Vec3::new(1.0, 0.0, 1e-4),
            Vec3::zeros(),
        ];
        let b = [
            Vec3::new(0.0, -1.0, 0.0),
            Vec3::new(0.0, 1.0, 0.0),
            Vec3::zeros(),
        ];
        let rise = Screw::from_twist(&(Vec3::z() * 1e-3), &(Vec3::y() * w), &Vec3::zeros());
        let got = advance_features(
            FeaturePair {
                kind: PairKind::EdgeEdge,
                a: &a,
                b: &b,
            },
            [&Motion::screw(&Pose::identity(), &rise), &turning],
            AdvanceLimits {
                threshold: 1e-4,
                t_max: 1.0,
                max_steps: 64,
            },
        );
        assert_eq!(got, Advance::Clear, "{w}");
    }
}

#[test]
fn nonsense_proves_nothing_and_never_panics() {
    let mut rng = SplitMix(601);
    for k in 0..3_000 {
        let mut case = random_case(&mut rng, KINDS[k % 3]);
        let bad = [f64::NAN, f64::INFINITY, 1e308, -1e200][rng.below(4)];
        let mut screw = towards(&mut rng, &Vec3::zeros(), &Vec3::x(), 1.0);
        match rng.below(6) {
            0 => screw.angle = bad,
            1 => screw.translation = bad,
            2 => screw.point.x = bad,
            3 => case.a[0].y = bad,
            4 => case.b[0].z = bad,
            _ => case.threshold = bad,
        }
        let start = *case.motions[1].start();
        case.motions[1] = Motion::screw(&start, &screw);
        if let Advance::Stopped { t, .. } = advance_case(&case, 64) {
            assert!((0.0..=1.0).contains(&t));
        }
        if case.a[0].y.is_nan() || case.b[0].z.is_nan() || screw.angle.is_nan() {
            assert!(matches!(
                advance_case(&case, 64),
                Advance::Stopped { t: 0.0, .. }
            ));
        }
    }
}

/// Allocates nothing, whatever the outcome, so that the real-time thread may call it.
#[test]
fn no_memory_is_allocated() {
    let mut rng = SplitMix(701);
    for k in 0..300 {
        let case = random_case(&mut rng, KINDS[k % 3]);
        assert_eq!(counted(|| advance_case(&case, GENEROUS)).1, 0);
    }
}
