//! The three algorithms against brute force in double precision.

use hapticd_geometry::{TriMesh, Vec3, shapes};
use hapticd_rays::line::{Line, Meeting};
use hapticd_rays::trace::{Hit, Range, Target, trace_basic, trace_tree, walk};
use hapticd_rays::{Shape, Topology, V3};

/// Deterministic pseudo-random numbers in -1..1.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u64 << 23) as f32 - 1.0
    }

    fn vector(&mut self) -> V3 {
        V3::from_fn(|_, _| self.next())
    }

    fn direction(&mut self) -> V3 {
        loop {
            let v = self.vector();
            if (0.01..1.0).contains(&v.norm_squared()) {
                return v.normalize();
            }
        }
    }
}

fn shape(mesh: &TriMesh) -> Shape {
    let sheet = Topology::Sheet {
        half_thickness_m: 1e-6,
    };
    Shape::new(mesh, Topology::Volume, 0)
        .or_else(|_| Shape::new(mesh, sheet, 0))
        .unwrap()
}

fn target(shape: &Shape) -> Target<'_> {
    Target {
        points: shape.points(),
        triangles: shape.triangles(),
        neighbours: shape.neighbours(),
        tree: Some(shape.tree()),
    }
}

/// All crossings of the line, in double precision: `(t, distance inside the triangle, triangle)`.
fn crossings(line: &Line, shape: &Shape) -> Vec<(f64, f64, u32)> {
    let (o, d) = (line.o.cast::<f64>(), line.d.cast::<f64>());
    let mut all = Vec::new();
    for (t, triangle) in shape.triangles().iter().enumerate() {
        let [a, b, c] = triangle.map(|v| shape.points()[v as usize].cast::<f64>());
        let (e1, e2) = (b - a, c - a);
        let p = d.cross(&e2);
        let det = e1.dot(&p);
        let q = (o - a).cross(&e1);
        let (u, v) = ((o - a).dot(&p) / det, d.dot(&q) / det);
        let margin = u.min(v).min(1.0 - u - v);
        if margin > -1e-3 {
            all.push((e2.dot(&q) / det, margin, t as u32));
        }
    }
    all
}

/// Whether a hit is right: a triangle at that place, and none certainly nearer.
fn is_right(hit: Option<Hit>, ahead: bool, reach: f64, all: &[(f64, f64, u32)]) -> bool {
    let side = |t: f64| if ahead { t } else { -t };
    let slack = |t: f64| 2e-5 * (1.0 + t.abs());
    let nearest_certain = all
        .iter()
        .filter(|(_, margin, _)| *margin > 1e-4)
        .map(|(t, ..)| side(*t))
        .filter(|t| *t > slack(*t) && *t < reach - slack(*t))
        .fold(f64::INFINITY, f64::min);
    match hit {
        None => nearest_certain == f64::INFINITY,
        Some(hit) => {
            let t = side(f64::from(hit.at.t));
            let there = all
                .iter()
                .any(|(u, _, k)| *k == hit.triangle && (side(*u) - t).abs() <= slack(t) * 10.0);
            // Or nearly parallel to the triangle, where `t` is arbitrary.
            there && t <= nearest_certain + slack(t) * 10.0
        }
    }
}

#[test]
fn tree_and_basic_find_what_brute_force_finds() {
    let meshes = [
        shapes::icosphere(0.5, 2),
        shapes::torus(0.5, 0.2, 24, 12),
        shapes::block_with_hole(&Vec3::new(0.5, 0.5, 0.3), 0.2),
        shapes::inner_corner(0.6, 0.1),
        shapes::sheet(0.5, 9),
    ];
    let mut numbers = Numbers(1);
    for mesh in meshes {
        let shape = shape(&mesh.unwrap());
        let target = target(&shape);
        let all = 0..shape.triangles().len() as u32;
        let (mut met, mut wrong) = (0, 0);
        const RAYS: usize = 20_000;
        for k in 0..RAYS {
            let line = Line {
                o: numbers.vector() * 0.7,
                d: numbers.direction(),
            };
            let reach = if k % 2 == 0 { f32::INFINITY } else { 0.1 };
            let range = Range {
                behind: reach,
                ahead: reach,
            };
            let tree = trace_tree(&line, &target, &range, None);
            assert_eq!(
                tree,
                trace_basic(&line, &target, all.clone(), &range, None),
                "{k}"
            );
            let truth = crossings(&line, &shape);
            for (hit, ahead) in [(tree.ahead, true), (tree.behind, false)] {
                met += usize::from(hit.is_some());
                wrong += usize::from(!is_right(hit, ahead, f64::from(reach), &truth));
            }
        }
        // Another rounding may decide differently for lines that run along a triangle.
        assert!(wrong * 10_000 <= RAYS, "{wrong} wrong of {RAYS}");
        assert!(met > RAYS / 20, "{met} met anything");
    }
}

/// A million lines: the tree never loses what the basic algorithm finds.
#[test]
fn a_million_lines_through_the_tree() {
    let shape = shape(&shapes::icosphere(0.5, 1).unwrap());
    let target = target(&shape);
    let all = 0..shape.triangles().len() as u32;
    let mut numbers = Numbers(5);
    let range = Range {
        behind: 0.2,
        ahead: 0.4,
    };
    for k in 0..1_000_000 {
        // Half of them on a grid, along axes: through corners and along edges.
        let line = if k % 2 == 0 {
            Line {
                o: numbers.vector() * 0.6,
                d: numbers.direction(),
            }
        } else {
            Line {
                o: shape.points()[k % shape.points().len()] * numbers.next(),
                d: V3::ith(k % 3, 1.0),
            }
        };
        let tree = trace_tree(&line, &target, &range, None);
        assert_eq!(
            tree,
            trace_basic(&line, &target, all.clone(), &range, None),
            "{k}"
        );
    }
}

/// Digest item 13: on a smooth convex surface, after a small displacement, the walk ends where a
/// full trace does.
#[test]
fn walks_on_a_sphere_end_where_full_traces_do() {
    let shape = shape(&shapes::icosphere(0.5, 3).unwrap());
    let target = target(&shape);
    let range = Range {
        behind: f32::INFINITY,
        ahead: f32::INFINITY,
    };
    let mut numbers = Numbers(9);
    let (mut same, mut looked) = (0, 0);
    for k in 0..20_000 {
        let out = numbers.direction();
        // A point near the surface, its ray roughly along the radius, as rays of contacts are.
        let d = (numbers.direction() * 0.3 + out).normalize();
        let line = |shift: V3| Line {
            o: out * (0.5 + 0.02 * (k % 3) as f32 - 0.02) + shift,
            d,
        };
        let before = trace_tree(&line(V3::zeros()), &target, &range, None);
        let nearest = |hits: hapticd_rays::trace::Hits| {
            let length = |hit: &Hit| hit.at.t.abs();
            match (hits.ahead, hits.behind) {
                (Some(a), Some(b)) if length(&a) > length(&b) => Some(b),
                (a, b) => a.or(b),
            }
        };
        let Some(start) = nearest(before) else {
            continue;
        };
        let moved = line(numbers.direction() * 0.5 * shape.mean_edge_m());
        let walked = walk(&moved, &target, start.triangle, 64);
        let full = nearest(trace_tree(&moved, &target, &range, None)).unwrap();
        let found = walked.hit.unwrap_or_else(|| panic!("lost, {k}"));
        assert!(
            (found.at.t - full.at.t).abs() < 1e-5,
            "{k}: {found:?} {full:?}"
        );
        same += 1;
        looked += walked.looked;
    }
    assert!(same > 19_000);
    assert!(looked < 3 * same, "{looked} triangles for {same} walks");
}

/// Digest item 14: a concavity between the old place and the new one ends the walk, within the
/// limit.
#[test]
fn a_concavity_ends_the_walk() {
    // A channel: two walls and a floor. The line moves from the top of one wall to that of the
    // other.
    let mesh = shapes::inner_corner(0.6, 0.1).unwrap();
    let shape = shape(&mesh);
    let target = target(&shape);
    let mut numbers = Numbers(3);
    let (mut lost, mut limit_reached) = (0, 0);
    for k in 0..20_000 {
        let line = Line {
            o: numbers.vector() * 0.6,
            d: numbers.direction(),
        };
        let start = (k % shape.triangles().len()) as u32;
        for limit in [1, 2, 8, 50] {
            let walked = walk(&line, &target, start, limit);
            assert!(walked.looked <= limit);
            lost += usize::from(walked.hit.is_none());
            limit_reached += usize::from(walked.hit.is_none() && walked.looked == limit);
            if let Some(hit) = walked.hit {
                assert!(hit.at.inside());
            }
        }
    }
    assert!(
        lost > 1000 && limit_reached > 1000,
        "{lost} {limit_reached}"
    );
}

#[test]
fn walks_end_at_borders_where_they_are_parallel_and_on_nonsense() {
    let shape = shape(&shapes::sheet(0.5, 4).unwrap());
    let target = target(&shape);
    let down = |x: f32| Line {
        o: V3::new(x, 0.0, 0.3),
        d: -V3::z(),
    };
    for start in 0..shape.triangles().len() as u32 {
        assert!(walk(&down(0.1), &target, start, 64).hit.is_some());
        assert!(
            walk(&down(0.9), &target, start, 64).hit.is_none(),
            "over the border"
        );
        let along = Line {
            o: V3::z(),
            d: V3::x(),
        };
        assert_eq!(walk(&along, &target, start, 64).looked, 1, "parallel");
        let nonsense = Line {
            o: V3::repeat(f32::NAN),
            d: V3::z(),
        };
        assert!(walk(&nonsense, &target, start, 64).hit.is_none());
    }
    assert!(
        walk(&down(0.0), &target, u32::MAX, 64).hit.is_none(),
        "no such triangle"
    );
}

/// The sign of `t` alone tells a collision from a prediction: the walk passes from one to the other
/// (digest item 15).
#[test]
fn one_walk_serves_both_rays() {
    let shape = shape(&shapes::icosphere(0.5, 3).unwrap());
    let target = target(&shape);
    let mut triangle = None;
    for k in 0..=40 {
        let height = 0.52 - 0.001 * k as f32;
        let line = Line {
            o: V3::new(0.001, 0.002, height),
            d: V3::z(),
        };
        let start = triangle.unwrap_or_else(|| {
            let range = Range {
                behind: 0.1,
                ahead: 0.1,
            };
            trace_tree(&line, &target, &range, None)
                .behind
                .unwrap()
                .triangle
        });
        let Some(Hit {
            triangle: there,
            at: Meeting { t, outward, .. },
        }) = walk(&line, &target, start, 32).hit
        else {
            panic!("lost at {height}")
        };
        assert!(outward);
        assert_eq!(t >= 0.0, height < 0.4999, "{height} {t}");
        triangle = Some(there);
    }
}
