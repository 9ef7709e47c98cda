//! Contact of whole meshes: against every feature pair, with every setting, thin plates at speed.

use crate::common;

use common::SplitMix;
use hapticd_ccd::{FeaturePair, MeshIndex, PairKind, Proximity};
use hapticd_geometry::{Pose, Quat, Screw, Vec3, shapes, transform};
use hapticd_published::first_contact::{
    Counters, FirstContact, FirstContactOptions, PreTests, first_contact,
};
use hapticd_published::interval::{Precision, first_contact_of_pair};
use hapticd_published::sweep::{Axes, SweepOptions};

fn zoo() -> Vec<MeshIndex> {
    [
        shapes::cuboid(&Vec3::new(0.3, 0.2, 0.1)),
        shapes::icosphere(0.25, 1),
        shapes::torus(0.3, 0.1, 7, 4),
        shapes::plate(0.4, 0.3, 0.001),
        shapes::sheet(0.3, 2),
    ]
    .into_iter()
    .map(|m| MeshIndex::new(m.expect("valid")))
    .collect()
}

fn counts(s: &MeshIndex) -> [u32; 3] {
    match (s.mesh(), s.adjacency()) {
        (Some(m), Some(a)) => [
            m.positions().len() as u32,
            a.edges.len() as u32,
            m.triangles().len() as u32,
        ],
        _ => [1, 0, 0],
    }
}

/// The earliest contact over all feature pairs, without a hierarchy.
fn brute(a: &MeshIndex, b: &MeshIndex, start: &Pose, screw: &Screw, p: &Precision) -> Option<f64> {
    let (na, nb) = (counts(a), counts(b));
    let mut best: Option<f64> = None;
    for kind in common::KINDS {
        for i in 0..na[kind.points_a() - 1] {
            let fa = a
                .feature_a(kind, i)
                .expect("in range")
                .map(|x| transform(start, &x));
            for j in 0..nb[kind.points_b() - 1] {
                let fb = b.feature_b(kind, j).expect("in range");
                let end = best.unwrap_or(1.0);
                if let Some(c) = first_contact_of_pair(
                    FeaturePair {
                        kind,
                        a: &fa,
                        b: &fb,
                    },
                    screw,
                    end,
                    p,
                ) {
                    best = Some(best.map_or(c.t, |t| t.min(c.t)));
                }
            }
        }
    }
    best
}

fn random_motion(rng: &mut SplitMix) -> (Pose, Screw) {
    let at = rng.direction() * rng.range(0.7, 1.5);
    let start = Pose::from_parts(
        at.into(),
        Quat::from_scaled_axis(rng.direction() * rng.range(0.0, 3.0)),
    );
    let d = if rng.below(3) == 0 {
        rng.point(1.0)
    } else {
        (rng.point(0.3) - at) * rng.range(0.8, 2.0)
    };
    (
        start,
        Screw::from_twist(&d, &(rng.direction() * rng.range(0.0, 2.0)), &at),
    )
}

#[test]
fn agrees_with_every_pair_tried() {
    let zoo = zoo();
    let mut rng = SplitMix(41);
    let mut proximity = Proximity::new(16);
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..50 {
        let a = &zoo[rng.below(zoo.len())];
        let b = &zoo[rng.below(zoo.len())];
        let (start, screw) = random_motion(&mut rng);
        let options = FirstContactOptions::default();
        let (found, _) = first_contact(a, b, &start, &screw, &options);
        assert_eq!(
            found.map(|c| c.t),
            brute(a, b, &start, &screw, &options.precision)
        );
        // Neither touches earlier, by the distance of the meshes at sampled times.
        let end = found.map_or(1.0, |c| c.t);
        for i in 0..60 {
            let pose = screw.pose_at(&start, end * f64::from(i) / 60.0);
            let near = proximity.query(a, 0.0, b, &pose, 10.0);
            assert!(near.pairs[0].distance > 0.0);
        }
        match found {
            None => misses += 1,
            Some(c) => {
                hits += 1;
                assert!(c.certain);
                let near = proximity.query(a, 0.0, b, &screw.pose_at(&start, c.t), 10.0);
                assert!(
                    near.pairs[0].distance < 1.01e-7,
                    "{}",
                    near.pairs[0].distance
                );
            }
        }
    }
    assert!(hits > 15 && misses > 5, "{hits} {misses}");
}

#[test]
fn all_settings_find_the_same_contact() {
    let zoo = zoo();
    let mut rng = SplitMix(42);
    let base = FirstContactOptions::default();
    let mut settings = Vec::new();
    for pre_tests in [
        PreTests::None,
        PreTests::Final,
        PreTests::Initial,
        PreTests::Both,
    ] {
        for pass_contact_time in [true, false] {
            for axes in [Axes::All, Axes::Faces] {
                for discrete_axes in [Axes::All, Axes::Faces] {
                    for k in [0.02, 0.15, f64::INFINITY] {
                        let sweep = SweepOptions {
                            k,
                            axes,
                            ..SweepOptions::default()
                        };
                        settings.push(FirstContactOptions {
                            pre_tests,
                            pass_contact_time,
                            discrete_axes,
                            sweep,
                            ..base
                        });
                    }
                }
            }
        }
    }
    let elementary = |c: &Counters| c.edge_edge + c.vertex_face + c.face_vertex;
    let (mut with, mut without) = (0, 0);
    let mut by_pre_test = [0; 4];
    for _ in 0..8 {
        let a = &zoo[rng.below(zoo.len())];
        let b = &zoo[rng.below(zoo.len())];
        let (start, screw) = random_motion(&mut rng);
        let (expected, _) = first_contact(a, b, &start, &screw, &base);
        for s in &settings {
            let (found, counters) = first_contact(a, b, &start, &screw, s);
            assert_eq!(found.map(key), expected.map(key), "{s:?}");
            if s.pass_contact_time {
                with += elementary(&counters);
                by_pre_test[s.pre_tests as usize] += counters.boxes_continuous;
            } else {
                without += elementary(&counters);
            }
        }
    }
    // Passing the contact time saves elementary tests, pre-tests save continuous tests.
    assert!(with < without, "{with} {without}");
    let [none, last, first, both] = by_pre_test;
    assert!(
        both <= last && both < first && last < none && first <= none,
        "{by_pre_test:?}"
    );
}

fn key(c: FirstContact) -> (u64, PairKind, u32, u32) {
    (c.t.to_bits(), c.kind, c.feature_a, c.feature_b)
}

#[test]
fn thin_plates_do_not_tunnel() {
    // Two plates a tenth of a millimetre thick, at 1 to 100 m per step, spinning.
    let plate = MeshIndex::new(shapes::plate(0.2, 0.2, 1e-4).expect("valid"));
    let mut rng = SplitMix(43);
    for _ in 0..25 {
        let height = rng.range(0.01, 1.0);
        let speed = rng.log_range(2.0, 100.0);
        let start = Pose::translation(rng.range(-0.1, 0.1), rng.range(-0.1, 0.1), height);
        let spin = Vec3::z() * rng.range(0.0, 3.0);
        let at = start.translation.vector;
        let screw = Screw::from_twist(&Vec3::new(0.0, 0.0, -speed), &spin, &at);
        let (c, _) = first_contact(
            &plate,
            &plate,
            &start,
            &screw,
            &FirstContactOptions::default(),
        );
        let t = c.expect("contact").t;
        let gap = height - 2.0 * 1e-4;
        assert!(
            (t - gap / speed).abs() < 3e-4 / speed + 1e-6,
            "{t} {}",
            gap / speed
        );
    }
}

#[test]
fn interlocked_tori_stop_each_other() {
    // Two chain links: pulled in any direction, one is stopped.
    let link = MeshIndex::new(shapes::torus(0.3, 0.05, 24, 8).expect("valid"));
    let turn = Quat::from_scaled_axis(Vec3::x() * std::f64::consts::FRAC_PI_2);
    let start = Pose::from_parts(Vec3::new(0.3, 0.0, 0.0).into(), turn);
    let mut rng = SplitMix(44);
    for _ in 0..10 {
        let d = rng.direction() * 3.0;
        let screw = Screw::from_twist(&d, &(rng.direction() * 0.5), &Vec3::zeros());
        let (c, _) = first_contact(
            &link,
            &link,
            &start,
            &screw,
            &FirstContactOptions::default(),
        );
        let c = c.expect("links hold");
        assert!(c.t > 0.0 && c.t < 0.4, "{}", c.t);
    }
}

#[test]
fn points_and_surfaces_both_ways() {
    let ball = MeshIndex::new(shapes::icosphere(0.25, 2).expect("valid"));
    let tip = MeshIndex::point(Vec3::new(0.0, 0.0, 0.1));
    let mut rng = SplitMix(45);
    let options = FirstContactOptions::default();
    let (mut hits, mut misses) = (0, 0);
    for _ in 0..60 {
        let (start, screw) = random_motion(&mut rng);
        let (found, counters) = first_contact(&tip, &ball, &start, &screw, &options);
        assert_eq!(
            found.map(|c| c.t),
            brute(&tip, &ball, &start, &screw, &options.precision)
        );
        assert_eq!(counters.edge_edge + counters.face_vertex, 0);
        // Seen from the moving point: the ball moves on the inverse screw.
        let back = start.inverse();
        let seen = screw.inverse().in_frame(&back);
        // At time t the point's frame sees start^-1 screw(-t): the same screw in that frame.
        let (mirror, _) = first_contact(&ball, &tip, &back, &seen, &options);
        match (found, mirror) {
            (Some(x), Some(y)) => {
                hits += 1;
                assert!((x.t - y.t).abs() < 1e-5, "{} {}", x.t, y.t);
            }
            (None, None) => misses += 1,
            // A grazing pass within the precision may go either way.
            (Some(x), None) | (None, Some(x)) => assert!(x.certain),
        }
    }
    assert!(hits > 10 && misses > 10, "{hits} {misses}");
    let (none, _) = first_contact(&tip, &tip, &Pose::identity(), &Screw::identity(), &options);
    assert!(none.is_none());
    let bad = Pose::translation(f64::NAN, 0.0, 0.0);
    let (c, _) = first_contact(&ball, &ball, &bad, &Screw::identity(), &options);
    assert!(c.is_some_and(|c| !c.certain && c.t == 0.0));
}
