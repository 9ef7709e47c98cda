//! Meshes against a plain Marching Cubes over all cubes, and against the properties of a surface.

use std::collections::HashMap;

use hapticd_counting::counted;
use hapticd_geometry::{Mat3, Vec3};
use hapticd_skin::blend::Graph;
use hapticd_skin::table::{CORNERS, EDGES};
use hapticd_skin::{
    Ambiguity, Domain, DomainError, Faults, Kernel, Mesh, Primitive, Settings, Skeleton, Skin,
    SkinError, Table, Tracker,
};
use proptest::prelude::*;

const BOTH: [Ambiguity; 2] = [Ambiguity::Separate, Ambiguity::Join];

fn settings(cell_m: f64, cells: u32) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

fn skin(settings: &Settings, primitives: &[Primitive]) -> Mesh {
    let mut mesh = Mesh::default();
    Skin::default()
        .polygonize(settings, primitives, &mut mesh)
        .unwrap();
    mesh
}

/// Visits every cube, sums plainly at every node, and names vertices by edges. Triangles are
/// positions of their corners, lowest corner first, sorted.
fn plain(settings: &Settings, primitives: &[Primitive]) -> Vec<[[f32; 3]; 3]> {
    let domain = &settings.domain;
    let cells = domain.cells();
    let cell = domain.cell_m() as f32;
    let level = settings.level as f32;
    let mut values = HashMap::new();
    let mut value = |node: [u32; 3]| {
        *values.entry(node).or_insert_with(|| {
            let border = (0..3).any(|k| node[k] == 0 || node[k] == cells[k]);
            let at = node.map(|i| i as f32 * cell);
            let mut sum = 0.0_f32;
            for p in primitives {
                let Skeleton::Point(c) = p.skeleton else {
                    panic!()
                };
                let c: [f32; 3] = (c - domain.low()).cast().into();
                let per = (1.0 / p.radius_m) as f32;
                let [x, y, z] = [0, 1, 2].map(|k| ((at[k] - c[k]) * per) * ((at[k] - c[k]) * per));
                let v = ((1.0 - z) - y - x).max(0.0);
                sum += p.amplitude as f32 * v * v;
            }
            if border { sum.min(level) } else { sum }
        })
    };
    let table = Table::of(settings.ambiguity);
    let mut triangles = Vec::new();
    for z in 0..cells[2] {
        for y in 0..cells[1] {
            for x in 0..cells[0] {
                let node = |c: u8| {
                    let d = CORNERS[c as usize].map(u32::from);
                    [x + d[0], y + d[1], z + d[2]]
                };
                let bits = (0..8).fold(0, |all, c| all | usize::from(value(node(c)) > level) << c);
                for triangle in table.0[bits].triangles() {
                    triangles.push(triangle.map(|edge| {
                        let [a, b] = EDGES[edge as usize].map(node);
                        let [from, to] = if a < b { [a, b] } else { [b, a] };
                        let share = (level - value(from)) / (value(to) - value(from));
                        let share = share.clamp(0.0, 1.0);
                        [0, 1, 2].map(|k| {
                            let [low, high] = [from, to].map(|n| n[k] as f32 * cell);
                            let local = low + share * (high - low);
                            (domain.low()[k] + f64::from(local)) as f32
                        })
                    }));
                }
            }
        }
    }
    in_order(triangles)
}

fn in_order(mut triangles: Vec<[[f32; 3]; 3]>) -> Vec<[[f32; 3]; 3]> {
    let lower = |a: &[f32; 3], b: &[f32; 3]| a.partial_cmp(b).unwrap();
    for t in &mut triangles {
        let lowest = (0..3).min_by(|&i, &j| lower(&t[i], &t[j])).unwrap();
        t.rotate_left(lowest);
    }
    triangles.sort_by(|a, b| a.partial_cmp(b).unwrap());
    triangles
}

fn places(mesh: &Mesh) -> Vec<[[f32; 3]; 3]> {
    let corner = |v: u32| mesh.points[v as usize];
    in_order(mesh.triangles.iter().map(|t| t.map(corner)).collect())
}

fn volume(mesh: &Mesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| Vec3::from(mesh.points[v as usize].map(f64::from)));
        a.dot(&b.cross(&c)) / 6.0
    };
    mesh.triangles.iter().map(of).sum()
}

fn area(mesh: &Mesh) -> f64 {
    let of = |t: &[u32; 3]| {
        let [a, b, c] = t.map(|v| Vec3::from(mesh.points[v as usize].map(f64::from)));
        (b - a).cross(&(c - a)).norm() / 2.0
    };
    mesh.triangles.iter().map(of).sum()
}

fn balls() -> impl Strategy<Value = Vec<Primitive>> {
    let ball = ([-1.0..1.0, -1.0..1.0, -1.0..1.0], 0.1..0.6, 0.6..1.4).prop_map(
        |(centre, radius_m, amplitude)| Primitive {
            amplitude,
            ..Primitive::point(Vec3::from(centre), radius_m)
        },
    );
    proptest::collection::vec(ball, 1..40)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// To the bit: no brick is skipped, and none disagrees with its neighbour's nodes.
    #[test]
    fn bricks_find_what_all_cubes_have(balls in balls(), cells in 5_u32..30, join in any::<bool>()) {
        let settings = Settings {
            ambiguity: BOTH[usize::from(join)],
            ..settings(2.6 / f64::from(cells), cells)
        };
        let mesh = skin(&settings, &balls);
        prop_assert_eq!(places(&mesh), plain(&settings, &balls));
    }

    /// To the bit, except for surface without a start; the triangles are then a subset.
    #[test]
    fn following_the_surface_finds_what_bricks_find(balls in balls(), cells in 5_u32..40, join in any::<bool>()) {
        let settings = Settings {
            ambiguity: BOTH[usize::from(join)],
            ..settings(2.6 / f64::from(cells), cells)
        };
        let (mut tracker, mut mesh) = (Tracker::default(), Mesh::default());
        let report = tracker.polygonize(&settings, &balls, &mut mesh).unwrap();
        let whole = skin(&settings, &balls);
        let [tracked, all] = [places(&mesh), places(&whole)];
        let mut rest = all.iter();
        prop_assert!(tracked.iter().all(|t| rest.any(|other| other == t)));
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        // If the whole is one piece and one start was found, it is complete.
        if report.lost < balls.len() && whole.pieces() == 1 {
            prop_assert_eq!(tracked, all);
        }
    }

    /// Closed, each point in one ring of triangles, normals outwards, also at the domain's border.
    #[test]
    fn meshes_close(balls in balls(), cells in 3_u32..60, size in 0.8..4.0, join in any::<bool>()) {
        let settings = Settings {
            ambiguity: BOTH[usize::from(join)],
            ..settings(size / f64::from(cells), cells)
        };
        let mesh = skin(&settings, &balls);
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        prop_assert!(mesh.euler() % 2 == 0 && volume(&mesh) >= 0.0);
    }
}

#[test]
fn balls_apart_are_spheres_apart() {
    let settings = settings(0.05, 80);
    let mut balls = Vec::new();
    for k in 0..27_u8 {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| f64::from(i) - 1.0);
        let wobble = Vec3::new(0.01, 0.013, 0.017) * f64::from(k);
        balls.push(Primitive::point(Vec3::from(at) + wobble, 0.45));
    }
    let mesh = skin(&settings, &balls);
    assert_eq!(mesh.faults(), Faults::default());
    assert_eq!(mesh.euler(), 2 * 27);
    let radius = 0.45 * Kernel::Murakami.reach(0.5);
    let ball = 4.0 / 3.0 * std::f64::consts::PI * radius.powi(3);
    assert!((volume(&mesh) / (27.0 * ball) - 1.0).abs() < 0.06);
}

/// Twice as fine has a quarter of the error, in volume and area.
#[test]
fn spheres_converge_with_the_square() {
    let ball = [Primitive::point(Vec3::new(0.013, -0.007, 0.021), 1.0)];
    let r = Kernel::Murakami.reach(0.5);
    let pi = std::f64::consts::PI;
    let errors = [20, 40, 80, 160].map(|cells| {
        let mesh = skin(&settings(1.4 / f64::from(cells), cells), &ball);
        assert_eq!(mesh.faults(), Faults::default());
        let [v, a] = [
            volume(&mesh) / (4.0 / 3.0 * pi * r * r * r),
            area(&mesh) / (4.0 * pi * r * r),
        ];
        [1.0 - v, 1.0 - a]
    });
    for pair in errors.windows(2) {
        for k in 0..2 {
            let ratio = pair[0][k] / pair[1][k];
            assert!((3.5..4.5).contains(&ratio), "{errors:?}");
        }
    }
}

/// Vertices satisfy the field to the error of linear interpolation; normals are the field's.
#[test]
fn vertices_and_normals_are_the_fields() {
    let turned = *hapticd_geometry::Quat::from_scaled_axis(Vec3::new(0.4, 0.9, -0.3))
        .to_rotation_matrix()
        .matrix();
    let of = |skeleton, kernel| Primitive {
        skeleton,
        radius_m: 0.4,
        amplitude: 1.0,
        kernel,
    };
    let [a, b, c] = [[-0.7, 0.1, 0.0], [0.5, 0.6, 0.1], [0.4, -0.7, 0.3]].map(Vec3::from);
    let primitives = [
        of(Skeleton::Segment([a, b]), Kernel::Wyvill),
        of(Skeleton::Point(c), Kernel::Murakami),
        of(Skeleton::Triangle([-a, b, c]), Kernel::Gascuel(1.0)),
        of(Skeleton::Point(-b), Kernel::BlancSchlick(1.0)),
        of(Skeleton::Convolved([-b, -c]), Kernel::Murakami),
        of(
            Skeleton::Ellipsoid(-c, turned * Mat3::from_diagonal(&Vec3::new(1.5, 1.0, 0.7))),
            Kernel::Murakami,
        ),
        of(Skeleton::Rounded(-a, 4.0), Kernel::Nishimura),
        of(Skeleton::Cylinder([b, -a], 0.1), Kernel::Murakami),
        Primitive {
            amplitude: -0.4,
            ..of(Skeleton::Point(0.5 * (a + b)), Kernel::Murakami)
        },
    ];
    let settings = settings(0.02, 140);
    let mesh = skin(&settings, &primitives);
    let faults = mesh.faults();
    assert_eq!((faults.open_edges, faults.pinched), (0, 0));
    assert!(mesh.triangles.len() > 10_000, "{}", mesh.triangles.len());
    assert!(faults.flipped * 1000 < mesh.triangles.len(), "{faults:?}");
    let mut off = 0;
    for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
        let at = Vec3::from(point.map(f64::from));
        let (mut value, mut gradient) = (0.0, Vec3::zeros());
        for p in &primitives {
            let (f, g) = p.with_gradient(&at);
            (value, gradient) = (value + f, gradient + g);
        }
        // Linear between nodes a cube apart: a second derivative of some 1/R² times the square of
        // half a cube, over 2.
        assert!((value - settings.level).abs() < 0.02, "{value}");
        let n = Vec3::from(normal.map(f64::from));
        assert!((n.norm() - 1.0).abs() < 1e-5);
        // Gradients jump on ridges of distance; elsewhere they agree.
        off += usize::from((n + gradient.normalize()).norm() > 1e-3);
    }
    assert!(
        off * 100 < mesh.points.len(),
        "{off} of {}",
        mesh.points.len()
    );
}

#[test]
fn what_leaves_the_domain_is_cut_off_and_closed() {
    let settings = settings(0.1, 10);
    let mut mesh = Mesh::default();
    let ball = [Primitive::point(Vec3::new(0.5, 0.0, 0.0), 0.7)];
    let report = Skin::default()
        .polygonize(&settings, &ball, &mut mesh)
        .unwrap();
    assert!(report.clipped > 20, "{report:?}");
    assert_eq!(mesh.faults(), Faults::default());
    let furthest = mesh.points.iter().map(|p| p[0]).fold(0.0, f32::max);
    assert_eq!(furthest, 0.5);
    let half = 2.0 / 3.0 * std::f64::consts::PI * (0.7 * Kernel::Murakami.reach(0.5)).powi(3);
    assert!((volume(&mesh) / half - 1.0).abs() < 0.1);
    // Larger than the domain: its box.
    let all = [Primitive::point(Vec3::zeros(), 9.0)];
    let report = Skin::default()
        .polygonize(&settings, &all, &mut mesh)
        .unwrap();
    assert_eq!(report.clipped, 11 * 11 * 11 - 9 * 9 * 9);
    assert_eq!((mesh.euler(), mesh.faults().open_edges), (2, 0));
    // Except for its edges, which a cube cuts off.
    assert!((0.92..0.96).contains(&volume(&mesh)), "{}", volume(&mesh));
    // Nothing of a primitive outside.
    let beyond = [Primitive::point(Vec3::new(3.0, 0.0, 0.0), 1.0)];
    let report = Skin::default()
        .polygonize(&settings, &beyond, &mut mesh)
        .unwrap();
    assert_eq!((mesh.triangles.len(), report.reached), (0, 0));
}

/// Nodes that equal the level are all outside, and the mesh closes by the identity of its edges.
#[test]
fn samples_on_the_level_leave_no_hole() {
    for ambiguity in BOTH {
        // 1 - (1/2)² squared: exact in single precision on the nodes at half the radius, six for
        // each ball, and between balls that touch there.
        let settings = Settings {
            level: 0.5625,
            ambiguity,
            ..settings(0.25, 16)
        };
        let mut balls = Vec::new();
        for k in 0..8_u8 {
            let at = [k & 1, k >> 1 & 1, k >> 2].map(|i| f64::from(i) - 0.5);
            balls.push(Primitive::point(Vec3::from(at), 1.0));
            balls.push(Primitive {
                amplitude: -1.0,
                ..Primitive::point(Vec3::from(at) * 0.5, 0.5)
            });
        }
        let mesh = skin(&settings, &balls);
        assert!(mesh.triangles.len() > 100);
        let faults = mesh.faults();
        assert_eq!((faults.open_edges, faults.pinched), (0, 0), "{ambiguity:?}");
    }
}

/// Two drops almost touching along a cube's face diagonal: the table decides whether they do.
#[test]
fn the_table_chooses_between_apart_and_together() {
    // Inside are only the nodes (0, 0, 0) and (1, 1, 0).
    let node = |i: [f64; 3]| Vec3::from(i) * 0.1 - Vec3::repeat(0.5);
    let balls = [[5.0, 5.0, 5.0], [6.0, 6.0, 5.0]].map(|i| Primitive::point(node(i), 0.12));
    let pieces = BOTH.map(|ambiguity| {
        let settings = Settings {
            ambiguity,
            ..settings(0.1, 10)
        };
        let mesh = skin(&settings, &balls);
        let faults = mesh.faults();
        assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        mesh.euler()
    });
    assert_eq!(pieces, [4, 2]);
}

/// Nodes that cubes share are computed once, and entries of an old date do not count. Lost starts
/// are counted.
#[test]
fn following_computes_each_node_once_and_counts_lost_starts() {
    let settings = settings(0.05, 60);
    let balls = [
        Primitive::point(Vec3::new(0.1, 0.2, 0.0), 0.5),
        Primitive::point(Vec3::new(-0.3, 0.2, 0.1), 0.4),
        // Outside the domain; smaller than a cube, between the nodes; without a surface.
        Primitive::point(Vec3::new(9.0, 0.0, 0.0), 0.4),
        Primitive::point(Vec3::new(-0.925, -0.925, -0.925), 0.06),
        Primitive {
            amplitude: 0.4,
            ..Primitive::point(Vec3::new(0.9, -0.9, 0.9), 0.3)
        },
    ];
    let (mut tracker, mut mesh) = (Tracker::default(), Mesh::default());
    tracker.set_date(65_530);
    for _ in 0..12 {
        let report = tracker.polygonize(&settings, &balls, &mut mesh).unwrap();
        assert_eq!(report.lost, 3);
        let mut nodes = std::collections::HashSet::new();
        let cut = mesh.triangles.len();
        assert!(
            report.cubes < cut && cut < 3 * report.cubes,
            "{report:?} {cut}"
        );
        // Nodes of cut cubes and of the paths to them, none twice: about one per cube.
        for p in &mesh.points {
            nodes.insert(p.map(f32::to_bits));
        }
        assert_eq!(nodes.len(), mesh.points.len());
        assert!(report.nodes < report.cubes * 2 + 8 * 60, "{report:?}");
        assert_eq!(places(&mesh), places(&skin(&settings, &balls)));
        assert!(mesh.faults() == Faults::default() && mesh.pieces() == 1);
    }
    let (_, calls) = counted(|| tracker.polygonize(&settings, &balls, &mut mesh));
    assert_eq!(calls, 0);
    // As in the source: about 100 MB for 160 cubes along each axis, 24 bytes per node.
    assert_eq!(tracker.bytes(), 24 * 61_usize.pow(3) + 2 * 60_usize.pow(3));
}

#[test]
fn the_same_again_is_the_same_bytes_whatever_the_date() {
    let settings = settings(0.05, 40);
    let at = |k: f64| {
        [
            Primitive::point(Vec3::new(0.3 * k.sin(), 0.2, 0.0), 0.5),
            Primitive::point(Vec3::new(-0.3, 0.2 * k.cos(), 0.1), 0.4),
        ]
    };
    let (mut skin_of, mut mesh) = (Skin::default(), Mesh::default());
    skin_of.polygonize(&settings, &at(0.0), &mut mesh).unwrap();
    skin_of.set_date(65_530);
    for k in 0..12 {
        skin_of
            .polygonize(&settings, &at(f64::from(k)), &mut mesh)
            .unwrap();
        assert_eq!(mesh, skin(&settings, &at(f64::from(k))), "{k}");
    }
}

#[test]
fn nothing_is_allocated_once_warm() {
    let settings = settings(0.05, 40);
    let balls = |by: f64| -> Vec<Primitive> {
        let at = |k: u32| {
            let s = f64::from(k) * 0.4;
            Vec3::new(0.6 * s.sin() + by, 0.6 * (1.3 * s).cos(), 0.05 * s - 0.3)
        };
        (0..30).map(|k| Primitive::point(at(k), 0.3)).collect()
    };
    let (here, there) = (balls(0.0), balls(0.01));
    let (mut skin, mut mesh) = (Skin::default(), Mesh::default());
    // Two meshes are kept: each must have held either scene.
    for balls in [&here, &there, &there, &here, &here] {
        skin.polygonize(&settings, balls, &mut mesh).unwrap();
    }
    // Once all bricks are rebuilt, once all are reused.
    for (balls, reused) in [(&there, false), (&there, true)] {
        let (report, calls) = counted(|| skin.polygonize(&settings, balls, &mut mesh));
        let report = report.unwrap();
        assert_eq!((calls, report.reused == report.sampled), (0, reused));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Sums beyond single precision, of both signs, and radii and positions at its limits: no
    /// invalid position, no hole, no panic.
    #[test]
    fn what_single_precision_cannot_hold_leaves_no_hole(
        some in proptest::collection::vec(
            (
                [-0.9..0.9, -0.9..0.9, -0.9..0.9],
                prop::sample::select(vec![0.5, 0.3, 1e-30, 1e-12, 1e12, 1e300]),
                prop::sample::select(vec![1.0, 3e38, -3e38, 1e-40, -1.0, 0.0]),
                prop::sample::select(vec![Kernel::Murakami, Kernel::Wyvill, Kernel::Inverse]),
                prop::sample::select(vec![1.0, 1.0, 1.0, 1e-30, 1e30, 1e300]),
            ),
            1..8,
        ),
    ) {
        let settings = settings(0.1, 20);
        let balls: Vec<Primitive> = some
            .iter()
            .map(|(c, radius_m, amplitude, kernel, far)| Primitive {
                amplitude: *amplitude,
                kernel: *kernel,
                ..Primitive::point(*far * Vec3::from(*c), *radius_m)
            })
            .collect();
        let (mut controlled, mut alone) = (Mesh::default(), Skin::default());
        alone.polygonize_controlled(&settings, &balls, &Graph::new(), &mut controlled).unwrap();
        for mesh in [skin(&settings, &balls), controlled] {
            let numbers = mesh.points.iter().chain(&mesh.normals).flatten();
            prop_assert!(numbers.clone().all(|x| x.is_finite()));
            let faults = mesh.faults();
            prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        }
    }
}

#[test]
fn what_cannot_be_is_refused_and_nothing_is_no_error() {
    let good = settings(0.1, 10);
    let mut mesh = skin(&good, &[Primitive::point(Vec3::zeros(), 0.4)]);
    assert!(!mesh.triangles.is_empty());
    let mut skin = Skin::default();
    skin.polygonize(&good, &[], &mut mesh).unwrap();
    assert_eq!(mesh, Mesh::default());
    for level in [0.0, -1.0, f64::NAN, f64::INFINITY] {
        let settings = Settings { level, ..good };
        let error = skin.polygonize(&settings, &[], &mut mesh).unwrap_err();
        assert!(matches!(error, SkinError::Level(_)), "{error}");
    }
    let some = [
        Primitive::point(Vec3::zeros(), 1.0),
        Primitive::point(Vec3::zeros(), f64::NAN),
    ];
    let error = skin.polygonize(&good, &some, &mut mesh).unwrap_err();
    assert_eq!(
        error.to_string(),
        "primitive 1: radius NaN m: it has to be above 0 and finite"
    );
    assert_eq!(mesh, Mesh::default());
    for (amplitude, radius_m, x) in [
        (1e39, 1.0, 0.0),
        (f64::NAN, 1.0, 0.0),
        (1.0, f64::INFINITY, 0.0),
        (1.0, 0.0, 0.0),
        (1.0, 1.0, f64::NEG_INFINITY),
    ] {
        let bad = Primitive {
            amplitude,
            ..Primitive::point(Vec3::new(x, 0.0, 0.0), radius_m)
        };
        let error = skin.polygonize(&good, &[bad], &mut mesh).unwrap_err();
        assert!(matches!(error, SkinError::Primitive { number: 0, .. }));
    }
    assert_eq!(
        Domain::new(Vec3::zeros(), 0.0, [9; 3]),
        Err(DomainError::Cell(0.0))
    );
    assert!(matches!(
        Domain::new(Vec3::zeros(), 1.0, [9, 2, 9]),
        Err(DomainError::Cells(_))
    ));
    assert!(matches!(
        Domain::new(Vec3::zeros(), 1.0, [9, 9, 5000]),
        Err(DomainError::Cells(_))
    ));
    for x in [1e6, f64::NAN, f64::INFINITY] {
        let far = Vec3::new(0.0, x, 0.0);
        assert!(matches!(
            Domain::new(far, 0.01, [9; 3]),
            Err(DomainError::Place { .. })
        ));
    }
}
