//! The oracle against answers known by hand, against plain sampling, and against itself in
//! transformed coordinates.

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::{point_triangle, segment_segment};
use hapticd_oracle::{BigInt, BigRational, Features, Query};

type Points = [[f64; 3]; 4];

fn ratio(n: i64, d: i64) -> BigRational {
    BigRational::new(BigInt::from(n), BigInt::from(d))
}

fn query(features: Features, start: Points, end: Points) -> Query {
    Query::from_f64(features, &start, &end).expect("finite")
}

/// The answer must be this fraction, or no contact.
fn expect(features: Features, start: Points, end: Points, at: Option<(i64, i64)>) {
    let found = query(features, start, end).first_contact();
    match (found, at) {
        (None, None) => {}
        (Some(span), Some((n, d))) => {
            let t = ratio(n, d);
            assert!(
                span.from <= t && t <= span.to,
                "{span:?} for {n}/{d}: {start:?} {end:?}"
            );
        }
        (found, at) => panic!("{found:?} for {at:?}: {start:?} {end:?}"),
    }
}

const TRIANGLE: [[f64; 3]; 3] = [[0.0, 0.0, 0.0], [4.0, 0.0, 0.0], [0.0, 4.0, 0.0]];

fn with_vertex(v: [f64; 3]) -> Points {
    [v, TRIANGLE[0], TRIANGLE[1], TRIANGLE[2]]
}

#[test]
fn a_vertex_meets_a_face_at_the_times_worked_out_by_hand() {
    let vertex =
        |from, to, at| expect(Features::VertexFace, with_vertex(from), with_vertex(to), at);
    // Through the inside, the boundary, a corner, and past each.
    vertex([1.0, 1.0, 1.0], [1.0, 1.0, -2.0], Some((1, 3)));
    vertex([2.0, 2.0, 1.0], [2.0, 2.0, -1.0], Some((1, 2)));
    vertex([4.0, 0.0, 1.0], [4.0, 0.0, -3.0], Some((1, 4)));
    vertex(
        [2.0, 2.0f64.next_up(), 1.0],
        [2.0, 2.0f64.next_up(), -1.0],
        None,
    );
    vertex([-1e-300, 1.0, 1.0], [-1e-300, 1.0, -1.0], None);
    // At the very beginning and end, and just not.
    vertex([1.0, 1.0, 0.0], [1.0, 1.0, 5.0], Some((0, 1)));
    vertex([1.0, 1.0, 5.0], [1.0, 1.0, 0.0], Some((1, 1)));
    vertex([1.0, 1.0, 5.0], [1.0, 1.0, 1e-300], None);
    // Within the plane: from outside across an edge; along an edge's line; past a corner.
    vertex([-2.0, 1.0, 0.0], [2.0, 1.0, 0.0], Some((1, 2)));
    vertex([-2.0, 0.0, 0.0], [8.0, 0.0, 0.0], Some((1, 5)));
    vertex([-1.0, 2.0, 0.0], [2.0, -1.0, 0.0], Some((1, 3)));
    vertex([-1.0, 0.5, 0.0], [0.5, -1.0, 0.0], None);
    vertex([-1.0, 1.0, 0.0], [1.0, -1.0, 0.0], Some((1, 2)));
    // At rest.
    vertex([1.0, 1.0, 0.0], [1.0, 1.0, 0.0], Some((0, 1)));
    vertex([3.0, 3.0, 0.0], [3.0, 3.0, 0.0], None);
}

#[test]
fn a_face_without_area_is_the_segment_or_point_that_it_is() {
    let face = |v0, v1, f: [[f64; 3]; 3], at| {
        let with = |v| [v, f[0], f[1], f[2]];
        expect(Features::VertexFace, with(v0), with(v1), at);
    };
    let segment = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    face([2.0, 0.0, 1.0], [2.0, 0.0, -1.0], segment, Some((1, 2)));
    face([4.0, 0.0, 1.0], [4.0, 0.0, -1.0], segment, None);
    face([5.0, 0.0, 0.0], [1.0, 0.0, 0.0], segment, Some((1, 2)));
    face([2.0, 1.0, 1.0], [2.0, 1.0, -1.0], segment, None);
    let point = [[1.0, 1.0, 1.0]; 3];
    face([0.0, 0.0, 0.0], [3.0, 3.0, 3.0], point, Some((1, 3)));
    face([0.0, 0.0, 0.0], [3.0, 3.0, 4.0], point, None);
    // A face that turns inside out through a line, with the vertex on the side that stays.
    let flips = |z| {
        [
            [1.0, 1.0, 0.0],
            [0.0, 0.0, 0.0],
            [2.0, 2.0, 0.0],
            [0.0, 2.0, z],
        ]
    };
    expect(Features::VertexFace, flips(1.0), flips(-1.0), Some((0, 1)));
}

#[test]
fn edges_meet_at_the_times_worked_out_by_hand() {
    let along_x = |y: f64, z: f64| [[-1.0, y, z], [1.0, y, z]];
    let edges = |a: [[f64; 3]; 2], b: [[f64; 3]; 2], c: [[f64; 3]; 2], d: [[f64; 3]; 2], at| {
        expect(
            Features::EdgeEdge,
            [a[0], a[1], b[0], b[1]],
            [c[0], c[1], d[0], d[1]],
            at,
        );
    };
    let along_y = [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]];
    edges(
        along_x(0.0, 1.0),
        along_y,
        along_x(0.0, -2.0),
        along_y,
        Some((1, 3)),
    );
    edges(
        along_x(1.0, 1.0),
        along_y,
        along_x(1.0, -1.0),
        along_y,
        Some((1, 2)),
    );
    let beyond = 1.0f64.next_up();
    edges(
        along_x(beyond, 1.0),
        along_y,
        along_x(beyond, -1.0),
        along_y,
        None,
    );
    // Parallel: next to each other, in line, overlapping at the end, and passing in parallel lines.
    edges(
        along_x(1.0, 0.0),
        along_x(0.0, 0.0),
        along_x(-1.0, 0.0),
        along_x(0.0, 0.0),
        Some((1, 2)),
    );
    let far = [[3.0, 0.0, 0.0], [4.0, 0.0, 0.0]];
    edges(
        along_x(0.0, 0.0),
        far,
        along_x(0.0, 0.0),
        [[-1.0, 0.0, 0.0], [0.0, 0.0, 0.0]],
        Some((1, 2)),
    );
    edges(
        along_x(0.0, 0.0),
        far,
        along_x(0.0, 0.0),
        [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0]],
        Some((1, 1)),
    );
    edges(
        along_x(0.0, 0.0),
        far,
        along_x(0.0, 0.0),
        [[2.0, 0.0, 0.0], [3.0, 0.0, 0.0]],
        None,
    );
    edges(
        along_x(1.0, 0.0),
        far,
        along_x(1.0, 0.0),
        [[-4.0, 0.0, 0.0], [-3.0, 0.0, 0.0]],
        None,
    );
    // Points for edges.
    let point = |x| [[x, 0.0, 0.0]; 2];
    edges(
        point(3.0),
        along_x(0.0, 0.0),
        point(-1.0),
        along_x(0.0, 0.0),
        Some((1, 2)),
    );
    edges(point(0.0), point(3.0), point(2.0), point(1.0), Some((3, 4)));
    edges(point(0.0), point(3.0), point(1.0), point(2.0), None);
    // A shared vertex touches from the start.
    let shared = [[-1.0, 0.0, 0.0], [-1.0, 2.0, 5.0]];
    edges(
        along_x(0.0, 0.0),
        shared,
        along_x(0.0, 0.0),
        shared,
        Some((0, 1)),
    );
}

#[test]
fn an_irrational_time_is_enclosed() {
    // The face is the plane z = -x t, the vertex has x = 2 t, z = -1: 2 t^2 = 1.
    let start = [
        [0.0, 0.0, -1.0],
        [0.0, -9.0, 0.0],
        [9.0, 9.0, 0.0],
        [-9.0, 9.0, 0.0],
    ];
    let end = [
        [2.0, 0.0, -1.0],
        [0.0, -9.0, 0.0],
        [9.0, 9.0, -9.0],
        [-9.0, 9.0, 9.0],
    ];
    let span = query(Features::VertexFace, start, end)
        .first_contact()
        .expect("contact");
    let half = ratio(1, 2);
    assert!(&span.from * &span.from <= half && half <= &span.to * &span.to);
    assert!(&span.to - &span.from < ratio(1, 1 << 60));
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        let x = self.0 ^ (self.0 >> 32);
        x.wrapping_mul(0xd6e8_feb8_6659_fd93) >> 20
    }

    /// Small integers, so that every degenerate case turns up often.
    fn points(&mut self, size: u64) -> Points {
        std::array::from_fn(|_| {
            std::array::from_fn(|_| (self.next() % (2 * size + 1)) as f64 - size as f64)
        })
    }
}

fn distance(features: Features, start: &Points, end: &Points, t: f64) -> f64 {
    let p: [Vec3; 4] = std::array::from_fn(|i| {
        let (from, to) = (Vec3::from(start[i]), Vec3::from(end[i]));
        from * (1.0 - t) + to * t
    });
    match features {
        Features::VertexFace => (p[0] - point_triangle(&p[0], &[p[1], p[2], p[3]]).0).norm(),
        Features::EdgeEdge => {
            let (a, b, ..) = segment_segment(&p[0], &p[1], &p[2], &p[3]);
            (a - b).norm()
        }
    }
}

fn float(x: &BigRational) -> f64 {
    // Accurate to 1e-15 for numbers in [0, 1].
    let scaled = x * BigRational::from_integer(BigInt::from(1_u64 << 53));
    scaled
        .to_integer()
        .to_string()
        .parse::<f64>()
        .expect("a number")
        / (1_u64 << 53) as f64
}

#[test]
fn sampling_finds_no_contact_that_the_oracle_denies_and_every_one_it_reports() {
    const SAMPLES: u32 = 240;
    let mut random = Random(1);
    let mut hits = 0;
    for case in 0..6000 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let size = [1, 2, 5][case / 2 % 3];
        let (start, end) = (random.points(size), random.points(size));
        let found = query(features, start, end).first_contact();
        let sampled = (0..=SAMPLES)
            .find(|&k| distance(features, &start, &end, f64::from(k) / f64::from(SAMPLES)) < 1e-13);
        if let Some(k) = sampled {
            // On a lattice of small integers, at such times, a distance below 1e-13 is contact.
            let span = found
                .as_ref()
                .unwrap_or_else(|| panic!("{start:?} {end:?} at {k}"));
            assert!(
                span.from <= ratio(i64::from(k), i64::from(SAMPLES)),
                "{start:?} {end:?}"
            );
        }
        if let Some(span) = found {
            hits += 1;
            let d = distance(features, &start, &end, float(&span.from));
            assert!(d < 1e-7, "{d} {span:?} {start:?} {end:?}");
        }
    }
    assert!((1000..5000).contains(&hits), "{hits} contacts");
}

#[test]
fn the_answer_does_not_depend_on_names_scale_or_the_direction_of_time() {
    let mut random = Random(2);
    for case in 0..1500 {
        let features = [Features::VertexFace, Features::EdgeEdge][case % 2];
        let (start, end) = (random.points(2), random.points(2));
        let found = query(features, start, end).first_contact();
        let renamed = |order: [usize; 4]| {
            let of = |p: &Points| order.map(|i| p[i]);
            query(features, of(&start), of(&end)).first_contact()
        };
        let others: &[[usize; 4]] = match features {
            Features::VertexFace => &[[0, 2, 3, 1], [0, 1, 3, 2], [0, 3, 2, 1]],
            Features::EdgeEdge => &[[1, 0, 2, 3], [0, 1, 3, 2], [2, 3, 0, 1], [3, 2, 1, 0]],
        };
        let same = |other: Option<hapticd_oracle::Span>, what: &str| match (&found, other) {
            (None, None) => {}
            (Some(a), Some(b)) => {
                assert!(
                    a.from <= b.to && b.from <= a.to,
                    "{what}: {a:?} {b:?} {start:?} {end:?}"
                );
            }
            (a, b) => panic!("{what}: {a:?} {b:?} {start:?} {end:?}"),
        };
        for &order in others {
            same(renamed(order), "renamed");
        }
        // Sheared, scaled and moved: all exact for these numbers.
        let moved =
            |p: &Points| p.map(|[x, y, z]| [4096.0 * (x + 0.5 * y), -y + 7.0, z * 0.125 + 3.0 * x]);
        same(
            query(features, moved(&start), moved(&end)).first_contact(),
            "moved",
        );
        let back = query(features, end, start).first_contact();
        assert_eq!(
            back.is_some(),
            found.is_some(),
            "backwards: {start:?} {end:?}"
        );
    }
}
