//! The source's tracker over time: its caches expire, its counters are exact, and what it finds and
//! misses is known.

use std::collections::{HashMap, HashSet};

use hapticd_geometry::{Mat3, Vec3};
use hapticd_skin::table::CORNERS;
use hapticd_skin::{
    Ambiguity, Domain, Faults, Kernel, Mesh, Primitive, Settings, Skeleton, Skin, TrackReport,
    Tracker,
};
use proptest::prelude::*;

fn settings(cell_m: f64, cells: u32) -> Settings {
    let half = f64::from(cells) * cell_m / 2.0;
    Settings {
        domain: Domain::new(Vec3::repeat(-half), cell_m, [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    }
}

fn track(tracker: &mut Tracker, settings: &Settings, of: &[Primitive]) -> (Mesh, TrackReport) {
    let mut mesh = Mesh::default();
    let report = tracker.polygonize(settings, of, &mut mesh).unwrap();
    (mesh, report)
}

fn skin(settings: &Settings, of: &[Primitive]) -> Mesh {
    let mut mesh = Mesh::default();
    Skin::default().polygonize(settings, of, &mut mesh).unwrap();
    mesh
}

/// Triangles as bits of their corners' positions, lowest corner first, sorted.
fn places(mesh: &Mesh) -> Vec<[[u32; 3]; 3]> {
    let corner = |v: u32| mesh.points[v as usize].map(f32::to_bits);
    let mut all: Vec<_> = mesh.triangles.iter().map(|t| t.map(corner)).collect();
    for t in &mut all {
        let lowest = (0..3).min_by_key(|k| t[*k]).unwrap();
        t.rotate_left(lowest);
    }
    all.sort_unstable();
    all
}

/// Dates wrap around after 65,535 meshes. An entry of the first mesh that no later one touched then
/// carries the new mesh's date, and must not count: each mesh and each counter equal those of a new
/// tracker.
#[test]
fn what_was_kept_before_the_dates_end_is_forgotten() {
    let settings = settings(0.1, 40);
    // Near one corner at first and after the wrap, but not at the same place; near the other corner
    // in between.
    let balls = |x: f64| {
        [
            Primitive::point(Vec3::new(x, -0.9, -0.9), 0.9),
            Primitive::point(Vec3::new(x + 0.5, -0.9, -0.8), 0.8),
        ]
    };
    let xs = [-1.10, 1.0, 1.01, 1.02, 1.03, 1.04, -1.06, -1.02, 1.0];
    let mut tracker = Tracker::default();
    for (k, x) in xs.into_iter().enumerate() {
        if k == 1 {
            tracker.set_date(65_530);
        }
        let (mesh, report) = track(&mut tracker, &settings, &balls(x));
        assert!(mesh.triangles.len() > 300, "{k}");
        let fresh = track(&mut Tracker::default(), &settings, &balls(x));
        assert!((mesh, report) == fresh, "{k}: {report:?}, {:?}", fresh.1);
    }
}

/// Another domain, with more or fewer cubes, between two meshes: nothing of the last one is left.
#[test]
fn another_domain_is_another_beginning() {
    let ball = [Primitive::point(Vec3::new(0.03, -0.02, 0.01), 0.9)];
    let mut tracker = Tracker::default();
    for (cell_m, cells) in [(0.1, 20), (0.05, 40), (0.1, 20), (0.07, 20), (0.1, 21)] {
        let settings = settings(cell_m, cells);
        let made = track(&mut tracker, &settings, &ball);
        assert!(made.0.faults() == Faults::default() && !made.0.triangles.is_empty());
        assert!(made == track(&mut Tracker::default(), &settings, &ball));
    }
}

/// 27 spheres in one call. The nodes, cubes and vertices are exactly those needed, each once,
/// counted by the plain sum at all nodes of the domain.
#[test]
fn every_isolated_ball_is_found_and_every_node_is_computed_once() {
    let settings = settings(0.1, 40);
    let mut balls = Vec::new();
    for k in 0..27_u8 {
        let at = [k % 3, k / 3 % 3, k / 9].map(|i| f64::from(i) - 1.0);
        let wobble = Vec3::new(0.01, 0.013, 0.017) * f64::from(k);
        balls.push(Primitive::point(Vec3::from(at) + wobble, 0.45));
    }
    let (mesh, report) = track(&mut Tracker::default(), &settings, &balls);
    assert_eq!(mesh.faults(), Faults::default());
    assert_eq!((mesh.pieces(), mesh.euler(), report.lost), (27, 2 * 27, 0));
    assert_eq!(places(&mesh), places(&skin(&settings, &balls)));

    let cells = 40;
    let low = settings.domain.low();
    let mut inside = HashSet::new();
    for k in 0..(cells + 1_u32).pow(3) {
        let node = [
            k % (cells + 1),
            k / (cells + 1) % (cells + 1),
            k / (cells + 1).pow(2),
        ];
        let at = low + 0.1 * Vec3::from(node.map(f64::from));
        let sum: f64 = balls.iter().map(|p| p.value(&at)).sum();
        assert!((sum - 0.5).abs() > 1e-6, "a node on the level says nothing");
        if sum > 0.5 {
            inside.insert(node);
        }
    }
    let corner = |cube: [u32; 3], c: usize| [0, 1, 2].map(|k| cube[k] + u32::from(CORNERS[c][k]));
    let within = |cube| {
        (0..8)
            .filter(|c| inside.contains(&corner(cube, *c)))
            .count()
    };
    let (mut cubes, mut nodes) = (0, HashSet::new());
    for k in 0..cells.pow(3) {
        let cube = [k % cells, k / cells % cells, k / cells.pow(2)];
        if !matches!(within(cube), 0 | 8) {
            cubes += 1;
            nodes.extend((0..8).map(|c| corner(cube, c)));
        }
    }
    // And those on the paths from the hearts along x.
    for ball in &balls {
        let at = (ball.heart() - low) / 0.1;
        let mut cube = [0, 1, 2].map(|k| at[k] as u32);
        while within(cube) == 8 {
            nodes.extend((0..8).map(|c| corner(cube, c)));
            cube[0] += 1;
        }
    }
    let mut edges = 0;
    for node in &inside {
        for axis in 0..3 {
            let [mut up, mut down] = [*node; 2];
            (up[axis], down[axis]) = (up[axis] + 1, down[axis] - 1);
            edges += usize::from(!inside.contains(&up)) + usize::from(!inside.contains(&down));
        }
    }
    assert_eq!((report.cubes, report.nodes), (cubes, nodes.len()));
    assert_eq!((mesh.points.len(), mesh.normals.len()), (edges, edges));
}

/// The module documents what is missed, and how it is reported: a hollow that no path along x
/// meets, and a body that is higher away from every heart than at it. Each costs a start, and the
/// brick polygonizer finds it.
#[test]
fn parts_without_a_start_are_missed_and_counted_lost() {
    let settings = settings(0.05, 40);
    let ball = |x: f64, y: f64, radius_m, amplitude| Primitive {
        amplitude,
        ..Primitive::point(Vec3::new(x, y, 0.007), radius_m)
    };
    let hollow = [ball(0.0, 0.0, 1.2, 1.0), ball(0.01, 0.31, 0.25, -1.5)];
    // Three weak ones: none is visible alone, and none has its heart inside their common surface.
    let ring = [(0.45, 0.0), (-0.225, 0.39), (-0.225, -0.39)];
    let weak = ring.map(|(x, y)| ball(x, y, 0.9, 0.38));
    for (scene, found, whole, lost) in [(&hollow[..], 1, 2, 1), (&weak, 0, 1, 3)] {
        let (mesh, report) = track(&mut Tracker::default(), &settings, scene);
        assert_eq!((mesh.pieces(), report.lost), (found, lost));
        let all = skin(&settings, scene);
        assert_eq!((all.pieces(), all.faults()), (whole, Faults::default()));
        let [mesh, all] = [places(&mesh), places(&all)];
        assert!(mesh.len() < all.len() && mesh.iter().all(|t| all.binary_search(t).is_ok()));
    }
}

fn any_primitive() -> impl Strategy<Value = Primitive> {
    let place = || [-0.9..0.9, -0.9..0.9, -0.9..0.9].prop_map(Vec3::from);
    let skeleton = prop_oneof![
        3 => place().prop_map(Skeleton::Point),
        1 => (place(), 1.5..6.0).prop_map(|(c, n)| Skeleton::Rounded(c, n)),
        1 => [place(), place()].prop_map(Skeleton::Segment),
        1 => [place(), place()].prop_map(Skeleton::Convolved),
        1 => [place(), place(), place()].prop_map(Skeleton::Triangle),
        1 => (place(), [0.5..1.5, 0.5..1.5, 0.5..1.5])
            .prop_map(|(c, axes)| Skeleton::Ellipsoid(c, Mat3::from_diagonal(&Vec3::from(axes)))),
        1 => ([place(), place()], 0.02..0.2).prop_map(|(ends, r)| Skeleton::Cylinder(ends, r)),
    ];
    let kernel = prop_oneof![
        Just(Kernel::Murakami),
        Just(Kernel::Wyvill),
        Just(Kernel::Blinn(4.0))
    ];
    (skeleton, 0.2..0.6, -0.4..1.4, kernel).prop_map(|(skeleton, radius_m, amplitude, kernel)| {
        let convolved = matches!(skeleton, Skeleton::Convolved(_));
        Primitive {
            skeleton,
            radius_m,
            amplitude,
            kernel: if convolved { Kernel::Murakami } else { kernel },
        }
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// All kinds of primitives: the positions of the triangles equal the bricks' to the bit, and
    /// the normals up to single precision.
    #[test]
    fn primitives_of_all_kinds_are_tracked_as_bricks_have_them(
        some in proptest::collection::vec(any_primitive(), 1..8),
        cells in 12_u32..30,
        join in any::<bool>(),
    ) {
        let settings = Settings {
            ambiguity: [Ambiguity::Separate, Ambiguity::Join][usize::from(join)],
            ..settings(2.8 / f64::from(cells), cells)
        };
        let (mesh, report) = track(&mut Tracker::default(), &settings, &some);
        let whole = skin(&settings, &some);
        let [tracked, all] = [places(&mesh), places(&whole)];
        prop_assert!(tracked.iter().all(|t| all.binary_search(t).is_ok()));
        let faults = mesh.faults();
        prop_assert_eq!((faults.open_edges, faults.pinched), (0, 0));
        if report.lost < some.len() && whole.pieces() == 1 {
            prop_assert_eq!(tracked, all);
        }
        let bits = |p: &[f32; 3]| p.map(f32::to_bits);
        let by_place: HashMap<_, _> = whole.points.iter().map(bits).zip(&whole.normals).collect();
        for (point, normal) in mesh.points.iter().zip(&mesh.normals) {
            let at = Vec3::from(point.map(f64::from));
            let gradient = some.iter().map(|p| p.with_gradient(&at).1).sum::<Vec3>();
            // Where terms nearly cancel, single precision has no direction.
            if gradient.norm() > 0.3 {
                let [a, b] = [normal, by_place[&bits(point)]].map(|n| Vec3::from(n.map(f64::from)));
                prop_assert!((a - b).norm() < 1e-3, "{point:?}: {a:?} {b:?}");
                prop_assert!((a + gradient.normalize()).norm() < 1e-4, "{point:?}");
            }
        }
    }
}
