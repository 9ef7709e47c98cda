//! First contact of linearly moving features: against the exact oracle, against dense sampling, and
//! at the limits of the definition.

use std::cell::RefCell;

use hapticd_ccd::{LinearContact, LinearOptions, PairKind, closest, first_contact_linear};
use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_oracle::cases::{Family, Points, Random};
use hapticd_oracle::{BigRational, Features, Query};

/// A query in the form that the detection takes.
struct Case {
    kind: PairKind,
    a: [[Vec3; 3]; 2],
    b: [[Vec3; 3]; 2],
}

impl Case {
    fn new(features: Features, start: &Points, end: &Points) -> Self {
        let [s, e] = [start, end].map(|points| points.map(Vec3::from));
        let o = Vec3::zeros();
        match features {
            Features::VertexFace => Self {
                kind: PairKind::VertexFace,
                a: [[s[0], o, o], [e[0], o, o]],
                b: [[s[1], s[2], s[3]], [e[1], e[2], e[3]]],
            },
            Features::EdgeEdge => Self {
                kind: PairKind::EdgeEdge,
                a: [[s[0], s[1], o], [e[0], e[1], o]],
                b: [[s[2], s[3], o], [e[2], e[3], o]],
            },
        }
    }

    fn first(&self, options: &LinearOptions) -> Option<LinearContact> {
        first_contact_linear(
            self.kind,
            [&self.a[0], &self.a[1]],
            [&self.b[0], &self.b[1]],
            options,
        )
    }

    fn distance(&self, t: f64) -> f64 {
        let at = |x: &[[Vec3; 3]; 2]| std::array::from_fn(|i| x[0][i] * (1.0 - t) + x[1][i] * t);
        closest(self.kind, &at(&self.a), &at(&self.b)).distance
    }

    /// Upper bound on the change of a difference of two points, one of each feature.
    fn speed(&self) -> f64 {
        let change = |x: &[[Vec3; 3]; 2], i: usize| x[1][i] - x[0][i];
        let mut most: f64 = 0.0;
        for i in 0..self.kind.points_a() {
            for j in 0..self.kind.points_b() {
                most = most.max((change(&self.a, i) - change(&self.b, j)).norm());
            }
        }
        most
    }

    /// Whether distances, sampled ever more densely, leave a contact between two times possible.
    fn may_touch(&self, from: f64, to: f64, samples: &mut u32) -> bool {
        if *samples == 0 {
            return true;
        }
        *samples -= 1;
        let middle = 0.5 * (from + to);
        let rounding = 1e-13 * self.size();
        let (distance, reach) = (self.distance(middle), self.speed() * 0.5 * (to - from));
        if distance > reach + rounding {
            return false;
        }
        distance <= rounding
            || self.may_touch(from, middle, samples)
            || self.may_touch(middle, to, samples)
    }

    /// Largest coordinate, for the rounding of `distance`.
    fn size(&self) -> f64 {
        self.a
            .iter()
            .chain(&self.b)
            .flatten()
            .map(|p| p.amax())
            .fold(0.0, f64::max)
    }
}

fn vertex_face(v: [[f64; 3]; 2], face: [[f64; 3]; 3]) -> Case {
    let points = |v| [v, face[0], face[1], face[2]];
    Case::new(Features::VertexFace, &points(v[0]), &points(v[1]))
}

const FACE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

fn plain() -> LinearOptions {
    LinearOptions::default()
}

/// Minimum number of random cases of each kind of feature.
const CASES: usize = 100_000;

/// All families in turn. The oracle judges every twentieth round. In the other rounds, it judges
/// the queries that dense sampling leaves in doubt.
fn no_contact_is_missed(features: Features) {
    let mut random = Random::new(2026);
    let (mut judged, mut contacts, mut free, mut false_alarms, mut uncertain) = (0, 0, 0, 0, 0);
    for case in 0..CASES {
        let family = Family::ALL[case % Family::ALL.len()];
        let (start, end) = random.query(family, features);
        let query = Case::new(features, &start, &end);
        let found = query.first(&plain());
        let shown = || format!("{family:?} {found:?} {start:?} {end:?}");
        if let Some(contact) = found {
            assert!(
                (0.0..=1.0).contains(&contact.t) && contact.t <= contact.t_upper,
                "{}",
                shown()
            );
            uncertain += usize::from(!contact.certain);
            // At the reported time, the features are near.
            let near = 1e-12 * query.size() + query.speed() * (contact.t_upper - contact.t);
            assert!(
                !contact.certain || contact.pair.distance <= near,
                "{}",
                shown()
            );
        }
        let sampled = found.map_or(1.0, |c| c.t * (1.0 - 1e-6) - 1e-6);
        let doubt = sampled > 0.0 && query.may_touch(0.0, sampled, &mut 1000);
        let round = case / Family::ALL.len();
        if !(round.is_multiple_of(20) || doubt && round.is_multiple_of(2)) {
            continue;
        }
        judged += 1;
        let truth = Query::from_f64(features, &start, &end)
            .expect("finite")
            .first_contact();
        match (truth, found) {
            (Some(span), None) => panic!("missed: {span:?} {}", shown()),
            (Some(span), Some(contact)) => {
                contacts += 1;
                let exact = |t: f64| BigRational::from_float(t).expect("finite");
                assert!(exact(contact.t) <= span.to, "late: {span:?} {}", shown());
                // A pass within rounding, well before the true contact, is also a false alarm.
                false_alarms += usize::from(exact(contact.t_upper) + exact(1e-6) < span.from);
            }
            (None, Some(_)) => false_alarms += 1,
            (None, None) => free += 1,
        }
    }
    let enough = judged >= CASES / 20 && contacts >= 1000 && free >= 3000;
    assert!(enough, "{judged} judged: {contacts} contacts, {free} free");
    assert!(
        false_alarms * 100 <= free,
        "{false_alarms} false alarms, {free} free"
    );
    assert_eq!(uncertain, 0);
}

#[test]
fn no_contact_of_a_vertex_and_a_face_is_missed() {
    no_contact_is_missed(Features::VertexFace);
}

#[test]
fn no_contact_of_two_edges_is_missed() {
    no_contact_is_missed(Features::EdgeEdge);
}

#[test]
fn contacts_at_the_ends_and_in_between_are_found_at_their_times() {
    let drop =
        |from: f64, to: f64| vertex_face([[1.0, 1.0, from], [1.0, 1.0, to]], FACE).first(&plain());
    for (from, to, t) in [
        (0.0, 5.0, 0.0),
        (5.0, 0.0, 1.0),
        (1.0, -3.0, 0.25),
        (1e-9, -1.0, 1e-9),
    ] {
        let contact = drop(from, to).expect("contact");
        assert!(
            contact.certain && contact.t <= t && t - contact.t < 1e-12,
            "{contact:?} for {t}"
        );
        assert!(
            contact.t_upper >= t - 1e-15 && contact.t_upper - contact.t < 1e-12,
            "{contact:?}"
        );
    }
    assert_eq!(drop(5.0, 1e-300), None);
    assert_eq!(drop(1e-300, 5.0), None);
}

#[test]
fn a_face_and_a_vertex_are_a_vertex_and_a_face() {
    let mut random = Random::new(3);
    for case in 0..4000 {
        let (start, end) = random.query(Family::ALL[case % 11], Features::VertexFace);
        let query = Case::new(Features::VertexFace, &start, &end);
        let swapped = Case {
            kind: PairKind::FaceVertex,
            a: query.b,
            b: query.a,
        };
        let (one, other) = (query.first(&plain()), swapped.first(&plain()));
        assert_eq!(
            one.map(|c| (c.t, c.t_upper, c.certain)),
            other.map(|c| (c.t, c.t_upper, c.certain))
        );
    }
}

#[test]
fn a_separation_is_kept() {
    let mut random = Random::new(4);
    let (mut found, mut free, mut uncertain) = (0, 0, 0);
    for case in 0..20_000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let family = [Family::Random, Family::Graze, Family::Fast, Family::Thin][case / 2 % 4];
        let (start, end) = random.query(family, features);
        let query = Case::new(features, &start, &end);
        let spread = (0..4)
            .map(|i| (Vec3::from(start[i]) - Vec3::from(start[0])).norm())
            .fold(0.0, f64::max);
        let options = LinearOptions {
            separation_m: spread * [1e-6, 1e-2, 0.3][case % 3],
            ..plain()
        };
        let contact = query.first(&options);
        let until = contact.map_or(1.0, |c| c.t);
        let rounding = 1e-12 * query.size();
        for k in 0..=40 {
            let t = until * f64::from(k) / 40.0;
            assert!(
                (t >= until && contact.is_some())
                    || query.distance(t) > options.separation_m - rounding,
                "{t} of {until}: {} {start:?} {end:?}",
                options.separation_m
            );
        }
        match contact {
            None => free += 1,
            Some(c) => {
                found += 1;
                let near = options.separation_m + rounding + 1e-9 * spread;
                assert!(
                    !c.certain || c.pair.distance <= near,
                    "{c:?} {options:?} {start:?} {end:?}"
                );
                uncertain += usize::from(!c.certain);
            }
        }
    }
    assert!(found > 5000 && free > 5000, "{found} {free}");
    // Passes at the separation to the last digit.
    assert!(uncertain * 1000 <= found, "{uncertain} of {found}");

    // A vertex that descends onto a face from 1 to -1 is 0.25 away at 3/8.
    let options = LinearOptions {
        separation_m: 0.25,
        ..plain()
    };
    let contact = vertex_face([[1.0, 1.0, 1.0], [1.0, 1.0, -1.0]], FACE)
        .first(&options)
        .expect("contact");
    assert!(
        contact.t <= 0.375 && contact.t > 0.375 - 1e-9,
        "{contact:?}"
    );
    let beside = vertex_face([[-0.3, 1.0, 1.0], [-0.3, 1.0, -1.0]], FACE);
    assert_eq!(beside.first(&options), None);
}

#[test]
fn tolerances_may_be_wider_and_never_make_a_contact_late() {
    let mut random = Random::new(5);
    for case in 0..4000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let (start, end) = random.query(Family::ALL[case / 2 % 11], features);
        let query = Case::new(features, &start, &end);
        let fine = query.first(&plain());
        let wide = query.first(&LinearOptions {
            time: 1e-3,
            position_m: 1e-3 * query.size(),
            ..plain()
        });
        match (fine, wide) {
            (Some(fine), Some(wide)) => assert!(wide.t <= fine.t_upper, "{fine:?} {wide:?}"),
            (fine, None) => assert_eq!(fine, None, "{start:?} {end:?}"),
            (None, Some(wide)) => assert!(wide.pair.distance <= 0.2 * query.size(), "{wide:?}"),
        }
    }
}

#[test]
fn a_search_that_is_cut_short_gives_up_at_a_time_that_is_proven() {
    let mut random = Random::new(6);
    let mut cut = 0;
    for case in 0..4000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let (start, end) = random.query(Family::ALL[case / 2 % 11], features);
        let query = Case::new(features, &start, &end);
        let whole = query.first(&plain());
        for max_stretches in [0, 1, 2, 5] {
            let short = query.first(&LinearOptions {
                max_stretches,
                ..plain()
            });
            match (whole, short) {
                (Some(whole), Some(short)) => {
                    assert!(short.t <= whole.t_upper, "{whole:?} {short:?}");
                    cut += usize::from(!short.certain);
                }
                (Some(whole), None) => panic!("{max_stretches}: {whole:?} {start:?} {end:?}"),
                (None, short) => assert!(short.is_none_or(|s| !s.certain)),
            }
        }
    }
    assert!(cut > 1000, "{cut}");
}

#[test]
fn non_finite_numbers_are_an_uncertain_contact_at_the_start() {
    for bad in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 1e308] {
        for place in 0..12 {
            for features in [Features::VertexFace, Features::EdgeEdge] {
                for at_end in [false, true] {
                    let (mut start, mut end) = Random::new(7).query(Family::Random, features);
                    let points = if at_end { &mut end } else { &mut start };
                    points[place / 3][place % 3] = bad;
                    let found = Case::new(features, &start, &end).first(&plain());
                    if !bad.is_finite() {
                        let found = found.expect("not proven");
                        assert!(found.t == 0.0 && !found.certain, "{found:?}");
                    }
                }
            }
        }
    }
    let query = vertex_face([[1.0, 1.0, 1.0], [1.0, 1.0, 2.0]], FACE);
    let with = |separation_m| {
        query.first(&LinearOptions {
            separation_m,
            ..plain()
        })
    };
    assert_eq!((with(-1.0), with(f64::NAN)), (None, None));
    assert!(with(f64::INFINITY).is_some_and(|c| c.t == 0.0 && !c.certain));
}

#[test]
fn everything_in_one_point_touches_from_the_start() {
    let p = [[3.0, -1.0, 1e3]; 4];
    let q = [[-7.0, 1.0, 2.0]; 4];
    for features in [Features::VertexFace, Features::EdgeEdge] {
        let found = Case::new(features, &p, &q)
            .first(&plain())
            .expect("contact");
        assert!(found.t == 0.0 && found.certain && found.pair.distance == 0.0);
    }
}

#[test]
fn a_power_of_two_as_unit_changes_nothing() {
    let mut random = Random::new(8);
    for case in 0..4000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let (start, end) = random.query(Family::ALL[case / 2 % 11], features);
        let found = Case::new(features, &start, &end).first(&plain());
        for scale in [0.5f64.powi(60), 2f64.powi(60)] {
            let scaled = |p: &Points| p.map(|p| p.map(|x| x * scale));
            let other = Case::new(features, &scaled(&start), &scaled(&end)).first(&plain());
            assert_eq!(
                found.map(|c| (c.t, c.certain)),
                other.map(|c| (c.t, c.certain)),
                "{start:?} {end:?}"
            );
        }
    }
}

#[test]
fn nothing_is_allocated() {
    let random = RefCell::new(Random::new(9));
    for case in 0..2000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let (start, end) = random
            .borrow_mut()
            .query(Family::ALL[case / 2 % 11], features);
        let query = Case::new(features, &start, &end);
        assert_eq!(counted(|| query.first(&plain())).1, 0);
    }
}
