//! The live check against plain definitions, on meshes with planted damage.

use std::collections::HashMap;

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_skin::{Ambiguity, Check, Checker, Domain, Faults, Mesh, Primitive, Settings, Skin};
use proptest::prelude::*;

fn mesh_of(balls: &[([f64; 3], f64)], cells: u32) -> Mesh {
    let settings = Settings {
        domain: Domain::new(Vec3::repeat(-1.3), 2.6 / f64::from(cells), [cells; 3]).unwrap(),
        level: 0.5,
        ambiguity: Ambiguity::Separate,
    };
    let balls: Vec<Primitive> = (balls.iter())
        .map(|(c, r)| Primitive::point(Vec3::from(*c), *r))
        .collect();
    let mut mesh = Mesh::default();
    Skin::default()
        .polygonize(&settings, &balls, &mut mesh)
        .unwrap();
    mesh
}

/// Reference counts from an edge table.
fn plain(mesh: &Mesh) -> Check {
    let mut edges: HashMap<(u32, u32), [usize; 2]> = HashMap::new();
    let mut check = Check {
        faults: mesh.faults(),
        ..Check::default()
    };
    for &[a, b, c] in &mesh.triangles {
        for (p, q) in [(a, b), (b, c), (c, a)] {
            if p != q {
                edges.entry((p.min(q), p.max(q))).or_default()[usize::from(p > q)] += 1;
            }
        }
        let [a, b, c] = [a, b, c].map(|v| Vec3::from(mesh.points[v as usize].map(f64::from)));
        check.degenerate += usize::from((b - a).cross(&(c - a)) == Vec3::zeros());
    }
    for ways in edges.values() {
        check.borders += usize::from(ways[0] + ways[1] == 1);
        check.crowded += usize::from(ways[0] + ways[1] > 2);
        check.same_way += usize::from(ways[0].max(ways[1]) > 1);
    }
    check
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// Holes, flips, repeated triangles, repeated corners and wrong corners: all counts match the
    /// definitions, in whatever order meshes come.
    #[test]
    fn counts_are_those_of_the_definitions(
        balls in proptest::collection::vec(([-1.0..1.0, -1.0..1.0, -1.0..1.0], 0.2..0.6), 1..12),
        cells in 5_u32..20,
        damage in proptest::collection::vec((0_u8..5, any::<prop::sample::Index>(), any::<prop::sample::Index>()), 0..6),
    ) {
        let mut checker = Checker::default();
        let mut mesh = mesh_of(&balls, cells);
        prop_assume!(!mesh.triangles.is_empty());
        prop_assert_eq!(checker.check(&mesh), plain(&mesh));
        prop_assert!(checker.check(&mesh).is_sound());
        for (what, a, b) in &damage {
            let at = a.index(mesh.triangles.len());
            let point = b.index(mesh.points.len()) as u32;
            match what {
                0 => mesh.triangles[at].swap(0, 1),
                1 => mesh.triangles.push(mesh.triangles[at]),
                2 => mesh.triangles[at][1] = mesh.triangles[at][0],
                3 => mesh.triangles[at][2] = point,
                _ if mesh.triangles.len() > 1 => { mesh.triangles.swap_remove(at); }
                _ => {}
            }
            prop_assert_eq!(checker.check(&mesh), plain(&mesh));
        }
    }
}

#[test]
fn each_fault_has_its_count() {
    let whole = mesh_of(&[([0.0; 3], 0.9)], 20);
    let mut checker = Checker::default();
    let good = checker.check(&whole);
    assert_eq!(good, Check::default());
    assert!(good.is_sound() && checker.check(&Mesh::default()).is_sound());
    let mut damaged = whole.clone();
    damaged.triangles.pop();
    let hole = checker.check(&damaged);
    assert_eq!((hole.borders, hole.crowded, hole.same_way), (3, 0, 0));
    assert!(hole.faults.open_edges == 3 && hole.faults.pinched == 3 && !hole.is_sound());
    damaged = whole.clone();
    damaged.triangles[7].swap(0, 1);
    let flip = checker.check(&damaged);
    assert_eq!((flip.borders, flip.crowded, flip.same_way), (0, 0, 3));
    assert!(flip.faults.flipped == 1 && !flip.is_sound());
    damaged = whole.clone();
    damaged.triangles.push(damaged.triangles[7]);
    let twice = checker.check(&damaged);
    assert_eq!((twice.borders, twice.crowded, twice.same_way), (0, 3, 3));
    // Non-finite numbers, a missing normal, and missing points.
    damaged = whole.clone();
    damaged.points[3][1] = f32::NAN;
    damaged.normals[5][2] = f32::INFINITY;
    damaged.normals[3][0] = f32::NAN;
    damaged.normals.pop();
    assert_eq!(checker.check(&damaged).not_finite, 3);
    assert!(!checker.check(&damaged).is_sound());
    damaged = whole.clone();
    let count = damaged.points.len() as u32;
    damaged.triangles.extend([[0, 1, count], [u32::MAX; 3]]);
    let stray = checker.check(&damaged);
    assert_eq!((stray.strays, stray.faults), (2, Faults::default()));
    assert!(!stray.is_sound());
    // Two tetrahedra that share a point: closed, and pinched there.
    let corner = |x: f32| [[x, 0.0, 0.0], [0.0, x, 0.0], [0.0, 0.0, x]];
    let points: Vec<_> = [[0.0; 3]]
        .into_iter()
        .chain(corner(1.0))
        .chain(corner(-1.0))
        .collect();
    let pinched = Mesh {
        normals: vec![[0.0, 0.0, 1.0]; points.len()],
        points,
        triangles: vec![
            [0, 2, 1],
            [0, 3, 2],
            [0, 1, 3],
            [1, 2, 3],
            [0, 4, 5],
            [0, 5, 6],
            [0, 6, 4],
            [4, 6, 5],
        ],
    };
    let found = checker.check(&pinched).faults;
    assert_eq!((found.open_edges, found.pinched), (0, 1));
}

#[test]
fn nothing_is_allocated_once_warm() {
    let mesh = mesh_of(&[([0.1, 0.0, 0.0], 0.9), ([-0.4, 0.2, 0.1], 0.7)], 30);
    let less = mesh_of(&[([0.1, 0.0, 0.0], 0.7)], 20);
    let mut checker = Checker::default();
    checker.check(&mesh);
    let (found, calls) = counted(|| [checker.check(&less), checker.check(&mesh)]);
    assert_eq!((calls, found), (0, [Check::default(); 2]));
}
