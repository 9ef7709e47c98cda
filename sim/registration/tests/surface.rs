//! Surfaces and their validity.

mod common;

use std::collections::BTreeSet;

use common::{Random, rings};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::registration::{EntityId, Policy, Registration};
use hapticd_registration::surface::{Surface, SurfaceError};
use hapticd_registration::track::TrackError;

/// A tetrahedron of triangles around the middle of a space of six cubes a side.
fn scene() -> (Registration, Vec<Vec3>, Vec<[u32; 3]>) {
    let map = Map::grid_3d(Vec3::zeros(), 1.0, [6; 3]).unwrap();
    let at = vec![
        Vec3::new(0.6, 0.7, 0.55),
        Vec3::new(5.4, 1.15, 0.8),
        Vec3::new(2.7, 5.3, 1.2),
        Vec3::new(2.45, 2.3, 5.35),
    ];
    let triangles = vec![[0, 2, 1], [0, 1, 3], [1, 2, 3], [2, 0, 3]];
    (Registration::new(map, Policy::Tolerate), at, triangles)
}

/// By brute force over all cells: those that the triangle meets but that do not list it.
fn unseen(r: &Registration, x: EntityId) -> usize {
    let known: BTreeSet<Cell> = r.crossed(x).chain(r.ring(x)).collect();
    let ends: Vec<Vec3> = r.ends(x).map(|p| r.particle(p).unwrap().position).collect();
    r.map()
        .leaves()
        .filter(|&c| r.map().meets_triangle(c, &[ends[0], ends[1], ends[2]]) && !known.contains(&c))
        .count()
}

#[test]
fn box_22_large_triangles_fail_and_are_cut_until_none_does() {
    let (mut r, at, triangles) = scene();
    let near = r.map().leaves().next().unwrap();
    let mut surface = Surface::insert(&mut r, &at, &triangles, near).unwrap();
    let failing = |r: &Registration, s: &Surface| {
        s.triangles()
            .iter()
            .for_each(|&x| assert_eq!(r.is_triangle_valid(x), unseen(r, x) == 0));
        s.triangles()
            .iter()
            .filter(|&&x| !r.is_triangle_valid(x))
            .count()
    };
    // Some cells in the middle of a side are two cells away from its border.
    let _ = failing(&r, &surface);
    let mut random = Random(8);
    for _ in 0..80 {
        let leaves: Vec<Cell> = r.map().leaves().collect();
        let c = leaves[random.below(leaves.len())];
        if r.map().cell_level(c) < 2 {
            r.refine(c).unwrap();
        }
    }
    assert!(
        failing(&r, &surface) > 0,
        "after refinement there are triangles that fail"
    );
    // The limit holds, and the rest is reported.
    let before = failing(&r, &surface);
    let none = surface.restore(&mut r, 0).unwrap();
    assert_eq!((none.cuts, none.invalid), (0, before));
    let all = surface.restore(&mut r, 10_000).unwrap();
    assert!(all.cuts > 0);
    assert_eq!((all.invalid, failing(&r, &surface)), (0, 0));
    // Every edge still has two triangles: it is closed.
    let mut edges: BTreeSet<_> = BTreeSet::new();
    for &x in surface.triangles() {
        let ends: Vec<_> = r.ends(x).collect();
        for k in 0..3 {
            assert!(
                edges.insert((ends[k], ends[(k + 1) % 3])),
                "twice in one direction"
            );
        }
    }
    assert!(edges.iter().all(|&(a, b)| edges.contains(&(b, a))));
    // After a move, inserted vertices are in the middles of their edges, and all lists are right.
    let by = Vec3::new(0.21, -0.13, 0.17);
    let moved: Vec<Vec3> = at.iter().map(|p| p + by).collect();
    let before: Vec<Vec3> = surface
        .particles()
        .iter()
        .map(|&p| r.particle(p).unwrap().position)
        .collect();
    assert_eq!(surface.move_to(&mut r, &moved).unwrap(), 0);
    for (p, was) in surface.particles().iter().zip(before) {
        assert!((r.particle(*p).unwrap().position - was - by).norm() < 1e-9);
    }
    let rings = rings(r.map());
    for &x in surface.triangles() {
        let crossed: BTreeSet<Cell> = r.crossed(x).collect();
        let ring: BTreeSet<Cell> = crossed
            .iter()
            .flat_map(|c| rings[c].clone())
            .filter(|c| !crossed.contains(c))
            .collect();
        assert_eq!(r.ring(x).collect::<BTreeSet<_>>(), ring);
    }
    // Outside, vertices are held back at the boundary, and counted.
    let out: Vec<Vec3> = at.iter().map(|p| p + Vec3::new(9.0, 0.0, 0.0)).collect();
    assert!(surface.move_to(&mut r, &out).unwrap() >= 4);
    surface.remove(&mut r).unwrap();
    for c in r.map().leaves().collect::<Vec<_>>() {
        use hapticd_registration::registration::Kind::Triangle;
        assert_eq!(r.present(c, Triangle).len(), 0);
        assert_eq!(r.neighbours(c, Triangle).count(), 0);
    }
}

#[test]
fn bad_surfaces_are_refused_whole() {
    let (mut r, mut at, mut triangles) = scene();
    let near = r.map().leaves().next().unwrap();
    triangles[2] = [1, 7, 2];
    let error = Surface::insert(&mut r, &at, &triangles, near).unwrap_err();
    assert_eq!(
        error,
        SurfaceError::IndexOutOfRange {
            triangle: 2,
            index: 7,
            vertices: 4
        }
    );
    triangles[2] = [1, 2, 2];
    assert!(matches!(
        Surface::insert(&mut r, &at, &triangles, near),
        Err(SurfaceError::Triangle { triangle: 2, .. })
    ));
    triangles[2] = [1, 2, 3];
    at[3].z = 8.0;
    let error = Surface::insert(&mut r, &at, &triangles, near).unwrap_err();
    assert!(matches!(
        error,
        SurfaceError::Vertex {
            vertex: 3,
            error: TrackError::Outside { .. }
        }
    ));
    at[3].z = 4.0;
    let surface = Surface::insert(&mut r, &at, &triangles, near).unwrap();
    assert_eq!(
        surface.move_to(&mut r, &at[..2]),
        Err(SurfaceError::Count {
            given: 2,
            wanted: 4
        })
    );
    // Nothing was left of the others.
    assert_eq!(surface.triangles().iter().map(|x| x.index()).max(), Some(3));
    // Separate removal is reported as an error.
    r.remove(surface.triangles()[0]).unwrap();
    assert!(surface.remove(&mut r).is_err());
}
