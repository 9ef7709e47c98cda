//! Two triangles: exact intersection against integer arithmetic, distance against sampling and
//! against scaled configurations.

mod common;

use common::{Random, at, mesh};
use hapticd_audit::{Solid, Tool, distance_m, intersects};
use hapticd_geometry::{Pose, Vec3};

type Int3 = [i64; 3];

fn sub(a: Int3, b: Int3) -> Int3 {
    [a[0] - b[0], a[1] - b[1], a[2] - b[2]]
}

fn cross(a: Int3, b: Int3) -> Int3 {
    [
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    ]
}

fn dot(a: Int3, b: Int3) -> i64 {
    a[0] * b[0] + a[1] * b[1] + a[2] * b[2]
}

/// Separating axes in integers: complete for points, segments and triangles in any position.
/// Disjoint sets are strictly separated by an edge, a product of two edges, or a product of that
/// with a third edge.
fn integer_triangles_meet(a: &[Int3; 3], b: &[Int3; 3]) -> bool {
    let edges: Vec<Int3> = [a, b]
        .iter()
        .flat_map(|t| (0..3).map(|i| sub(t[(i + 1) % 3], t[i])))
        .chain([sub(a[0], b[0])])
        .collect();
    let mut axes = edges.clone();
    for &u in &edges {
        for &v in &edges {
            let n = cross(u, v);
            axes.push(n);
            axes.extend(edges.iter().map(|&w| cross(n, w)));
        }
    }
    !axes.iter().any(|&axis| {
        let along = |t: &[Int3; 3]| t.map(|p| dot(p, axis));
        let (x, y) = (along(a), along(b));
        x.iter().max() < y.iter().min() || y.iter().max() < x.iter().min()
    })
}

fn solid(t: &[Vec3; 3]) -> Solid {
    Solid::new(&mesh(t.to_vec(), vec![[0, 1, 2]]))
}

fn meet(a: &Solid, b: &Solid) -> bool {
    let tool = Tool::Mesh(a);
    let hit = intersects(&tool, &Pose::identity(), b, &Pose::identity());
    let distance = distance_m(&tool, &Pose::identity(), b, &Pose::identity());
    assert_eq!(hit.is_some(), distance == 0.0);
    hit.is_some()
}

#[test]
fn agrees_with_integer_arithmetic() {
    let mut random = Random(1);
    let mut touching = 0;
    for round in 0..12_000 {
        // Small grids produce almost every degenerate position there is.
        let size = 2 + round % 4;
        let mut point = || [0; 3].map(|_: i64| random.below(size + 1) as i64);
        let a = [point(), point(), point()];
        let mut b = [point(), point(), point()];
        if round % 3 == 0 {
            // Coplanar.
            for (x, y) in b.iter_mut().zip(a) {
                x[2] = y[2];
            }
        }
        let expected = integer_triangles_meet(&a, &b);
        // A power of two scales without rounding.
        let scale = 2f64.powi([0, -10, -30][round % 3]);
        let real = |t: [Int3; 3]| t.map(|p| Vec3::from(p.map(|x| x as f64 * scale)));
        assert_eq!(
            meet(&solid(&real(a)), &solid(&real(b))),
            expected,
            "{a:?} {b:?}"
        );
        touching += usize::from(expected);
    }
    assert!((3_000..10_000).contains(&touching), "{touching}");
}

fn triangle(points: [[f64; 3]; 3]) -> Solid {
    solid(&points.map(Vec3::from))
}

#[test]
fn known_contacts() {
    let base = triangle([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
    let up = f64::MIN_POSITIVE.sqrt();
    for (name, other, expected) in [
        (
            "vertex on face",
            [[0.25, 0.25, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]],
            true,
        ),
        (
            "vertex above face",
            [[0.25, 0.25, up], [0.0, 0.0, 1.0], [1.0, 0.0, 1.0]],
            false,
        ),
        (
            "vertex on edge",
            [[0.5, 0.5, 0.0], [2.0, 2.0, 1.0], [2.0, 1.0, 1.0]],
            true,
        ),
        (
            "vertex on vertex",
            [[1.0, 0.0, 0.0], [2.0, 1.0, 1.0], [2.0, -1.0, 1.0]],
            true,
        ),
        (
            "edge on edge",
            [[0.25, 0.0, 0.0], [0.75, 0.0, 0.0], [0.5, -1.0, 0.5]],
            true,
        ),
        (
            "edges across",
            [[0.5, 0.0, 1.0], [0.5, 0.0, -1.0], [0.5, -1.0, 0.0]],
            true,
        ),
        (
            "same line, apart",
            [[1.5, 0.0, 0.0], [2.5, 0.0, 0.0], [2.0, -1.0, 0.5]],
            false,
        ),
        (
            "coplanar inside",
            [[0.1, 0.1, 0.0], [0.2, 0.1, 0.0], [0.1, 0.2, 0.0]],
            true,
        ),
        (
            "coplanar around",
            [[-9.0, -9.0, 0.0], [9.0, -9.0, 0.0], [0.0, 9.0, 0.0]],
            true,
        ),
        (
            "coplanar across",
            [[-1.0, 0.3, 0.0], [1.0, 0.3, 0.0], [1.0, 0.4, 0.0]],
            true,
        ),
        (
            "coplanar apart",
            [[0.6, 0.6, 0.0], [1.0, 1.0, 0.0], [0.6, 1.0, 0.0]],
            false,
        ),
        (
            "parallel",
            [[0.0, 0.0, 1e-9], [1.0, 0.0, 1e-9], [0.0, 1.0, 1e-9]],
            false,
        ),
        (
            "through",
            [[0.2, 0.2, -1.0], [0.2, 0.2, 1.0], [0.3, 0.2, 1.0]],
            true,
        ),
        (
            "needle through",
            [[0.2, 0.2, -1.0], [0.2, 0.2, 0.0], [0.2, 0.2, 1.0]],
            true,
        ),
        (
            "needle in plane",
            [[0.2, 0.2, 0.0], [0.5, 0.5, 0.0], [2.0, 2.0, 0.0]],
            true,
        ),
        ("point on face", [[0.2, 0.2, 0.0]; 3], true),
        ("point off face", [[0.2, 0.2, up]; 3], false),
        ("point in plane, off", [[0.6, 0.6, 0.0]; 3], false),
    ] {
        let other = triangle(other);
        assert_eq!(meet(&base, &other), expected, "{name}");
        assert_eq!(meet(&other, &base), expected, "{name}, exchanged");
    }
}

/// One unit in the last place is the difference between a gap and a contact.
#[test]
fn a_gap_of_one_ulp_is_a_gap() {
    let floor = triangle([[-1.0, -1.0, 0.1], [1.0, -1.0, 0.1], [0.0, 1.0, 0.1]]);
    let tip = |z: f64| triangle([[0.03, 0.02, z], [0.5, 0.5, 1.0], [-0.5, 0.5, 1.0]]);
    assert!(meet(&floor, &tip(0.1)));
    assert!(!meet(&floor, &tip(0.1f64.next_up())));
    assert!(meet(&floor, &tip(0.1f64.next_down())));
    // Two edges across each other, on a slope that f64 cannot hit: decided, and in opposite ways
    // for opposite neighbours.
    let slope = |dz: f64| {
        triangle([
            [-1.0, 0.1, -0.3 + dz],
            [1.0, 0.1, 0.3 + dz],
            [0.0, 0.1, 5.0],
        ])
    };
    let bar = triangle([[0.0, -1.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, -5.0]]);
    assert!(meet(&slope(-1e-15), &bar));
    assert!(!meet(&slope(1e-15), &bar));
}

/// Distances of generic, thin and nearly parallel triangles against dense sampling.
#[test]
fn distance_agrees_with_sampling() {
    let mut random = Random(2);
    let n = 14;
    for round in 0..120 {
        let mut a = [0; 3].map(|_| random.vec3());
        let mut b = [0; 3].map(|_| random.vec3() + Vec3::new(0.3, 0.0, 1.0));
        if round % 3 == 1 {
            a[2] = a[0] + (a[1] - a[0]) * 0.4 + random.vec3() * 1e-7;
        }
        if round % 5 == 1 {
            b = a.map(|p| p + Vec3::z() + random.vec3() * 1e-8);
        }
        let measured = distance_m(
            &Tool::Mesh(&solid(&a)),
            &Pose::identity(),
            &solid(&b),
            &Pose::identity(),
        );
        let samples = |t: &[Vec3; 3]| -> Vec<Vec3> {
            (0..=n)
                .flat_map(|i| (0..=n - i).map(move |j| (i, j)))
                .map(|(i, j)| {
                    let (u, v) = (i as f64 / n as f64, j as f64 / n as f64);
                    t[0] * (1.0 - u - v) + t[1] * u + t[2] * v
                })
                .collect()
        };
        let (sa, sb) = (samples(&a), samples(&b));
        let mut sampled = f64::INFINITY;
        for x in &sa {
            for y in &sb {
                sampled = sampled.min((x - y).norm());
            }
        }
        let step = 2.0 * 3.5 / n as f64;
        assert!(measured <= sampled + 1e-14, "{measured} {sampled}");
        assert!(sampled <= measured + step, "{measured} {sampled}");
    }
}

/// Two nearly parallel edges that cross with a known gap: no digit of the gap is lost, however
/// small the angle.
#[test]
fn nearly_parallel_edges_keep_their_gap() {
    for exponent in 1..=12 {
        let tilt = 10f64.powi(-exponent);
        for gap in [1e-3, 1e-6, 1e-9] {
            let a = triangle([[-1.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.1, -1.0]]);
            let b = triangle([[-1.0, -tilt, gap], [1.0, tilt, gap], [0.0, -0.2, 1.0]]);
            let measured = distance_m(&Tool::Mesh(&a), &Pose::identity(), &b, &Pose::identity());
            assert!((measured - gap).abs() < 1e-15, "{tilt} {gap} {measured}");
        }
    }
}

/// A point over the middle of an ever thinner sliver.
#[test]
fn slivers_keep_their_gap() {
    for exponent in 0..=12 {
        let width = 10f64.powi(-exponent);
        for gap in [1.0, 1e-6, 1e-9] {
            let sliver = triangle([[-1.0, 0.0, 0.1], [1.0, 0.0, 0.1], [0.3, width, 0.1]]);
            let measured = distance_m(
                &Tool::Sphere { radius_m: 0.0 },
                &at(0.2, 0.3 * width, 0.1 + gap),
                &sliver,
                &Pose::identity(),
            );
            assert!((measured - gap).abs() < 1e-15, "{width} {gap} {measured}");
        }
    }
}
