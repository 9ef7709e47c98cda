//! Maps against brute force.

mod common;

use std::collections::BTreeSet;

use common::{
    Random, bent_cubes, bent_squares, closed_surface, coarsened, ring, rings, shuffle, signature,
    triangles,
};
use hapticd_counting::{Counting, counted};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{
    BuildError, Cell, CoarsenError, GridError, Map, RefineError, Shape, Space,
};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn tetrahedra() -> Map {
    // A cube of six tetrahedra around a diagonal.
    let positions: Vec<Vec3> = (0..8)
        .map(|i| Vec3::new(f64::from(i & 1), f64::from(i >> 1 & 1), f64::from(i >> 2)))
        .collect();
    let around = [1, 3, 2, 6, 4, 5];
    let cells: Vec<[u32; 4]> = (0..6)
        .map(|i| [0, around[i], around[(i + 1) % 6], 7])
        .collect();
    Map::from_tetrahedra(&positions, &cells).unwrap()
}

fn all_kinds() -> Vec<(&'static str, Map)> {
    vec![
        ("squares", bent_squares(3, 0.2, 1)),
        ("triangles", triangles(3)),
        ("ball", closed_surface(2, true)),
        ("cubes", bent_cubes(3, 0.2, 2)),
        ("tetrahedra", tetrahedra()),
    ]
}

#[test]
fn box_1_maps_of_every_kind_are_built_and_are_whole() {
    for (name, map) in all_kinds() {
        map.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
    }
    let map = bent_cubes(3, 0.0, 0);
    assert_eq!(map.space(), Space::Volume);
    let counts = [
        map.all_vertices().count(),
        map.all_edges().count(),
        map.all_faces().count(),
        map.leaf_count(),
    ];
    assert_eq!(counts, [64, 3 * 3 * 16, 3 * 4 * 9, 27]);
    assert_eq!(map.all_darts().count(), 27 * 24);
    let map = closed_surface(2, true);
    assert_eq!(map.space(), Space::Surface);
    let euler = map.all_vertices().count() as i64 - map.all_edges().count() as i64
        + map.all_faces().count() as i64;
    assert_eq!(euler, 2);
}

#[test]
fn box_1_what_is_no_quasi_manifold_is_refused_with_numbers() {
    let p = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let square = [
        p(0., 0., 0.),
        p(1., 0., 0.),
        p(1., 1., 0.),
        p(0., 1., 0.),
        p(2., 2., 0.),
        p(1., 2., 0.),
    ];
    assert_eq!(
        Map::from_quads(&square, &[]).unwrap_err(),
        BuildError::Empty
    );
    assert_eq!(
        Map::from_quads(&square, &[[0, 1, 2, 9]]).unwrap_err(),
        BuildError::IndexOutOfRange {
            cell: 0,
            index: 9,
            vertices: 6
        }
    );
    assert_eq!(
        Map::from_quads(&square, &[[0, 1, 2, 2]]).unwrap_err(),
        BuildError::Degenerate {
            cell: 0,
            corners: 4,
            different: 3
        }
    );
    // A third triangle at the edge 0 2, and one that runs the same way.
    assert_eq!(
        Map::from_triangles(&square, &[[0, 1, 2], [0, 2, 3], [0, 2, 5]]).unwrap_err(),
        BuildError::Side {
            first: 1,
            second: 2,
            vertices: [0, 2, 2]
        }
    );
    // Two squares that share only a corner.
    let far = [
        p(0., 0., 0.),
        p(1., 0., 0.),
        p(1., 1., 0.),
        p(0., 1., 0.),
        p(2., 1., 0.),
        p(2., 2., 0.),
        p(1., 2., 0.),
    ];
    assert_eq!(
        Map::from_quads(&far, &[[0, 1, 2, 3], [2, 4, 5, 6]]).unwrap_err(),
        BuildError::Pinched {
            vertex: 2,
            groups: 2
        }
    );
    // Clockwise, and not seen whole from its centre.
    assert!(matches!(
        Map::from_quads(&square, &[[0, 3, 2, 1]]).unwrap_err(),
        BuildError::Inverted { cell: 0, measure } if measure < 0.0
    ));
    let dart = [p(0., 0., 0.), p(4., 0., 0.), p(1., 1., 0.), p(0., 4., 0.)];
    assert!(matches!(
        Map::from_quads(&dart, &[[0, 1, 2, 3]]).unwrap_err(),
        BuildError::Inverted { cell: 0, .. }
    ));
    let mut bad = square;
    bad[3].x = f64::NAN;
    assert_eq!(
        Map::from_quads(&bad, &[[0, 1, 2, 3]]).unwrap_err(),
        BuildError::NotFinite { vertex: 3 }
    );
    // Three tetrahedra at one face, and one inside out.
    let tets = [
        p(0., 0., 0.),
        p(1., 0., 0.),
        p(0., 1., 0.),
        p(0., 0., 1.),
        p(0., 0., -1.),
        p(0.2, 0.2, 2.),
    ];
    assert!(matches!(
        Map::from_tetrahedra(&tets, &[[0, 1, 2, 3], [0, 2, 1, 4], [0, 1, 2, 5]]).unwrap_err(),
        BuildError::Side {
            first: 0,
            second: 2,
            ..
        }
    ));
    assert!(matches!(
        Map::from_tetrahedra(&tets, &[[0, 2, 1, 3]]).unwrap_err(),
        BuildError::Inverted { cell: 0, .. }
    ));
    let error = BuildError::Pinched {
        vertex: 2,
        groups: 2,
    };
    assert_eq!(
        error.to_string(),
        "the cells around vertex 2 form 2 groups, not one"
    );
    assert_eq!(
        Map::grid_2d(p(0., 0., 0.), 1.0, [0, 2]).unwrap_err(),
        GridError::Cells { cells: [0, 2, 1] }
    );
    assert_eq!(
        Map::grid_3d(p(0., 0., 0.), 1.0, [usize::MAX, 2, 2]).unwrap_err(),
        GridError::Cells {
            cells: [usize::MAX, 2, 2]
        }
    );
    assert!(matches!(
        Map::grid_3d(p(0., 0., 0.), f64::NAN, [1; 3]).unwrap_err(),
        GridError::Size { .. }
    ));
}

#[test]
fn box_2_orbits_have_each_dart_once_whatever_the_degree() {
    // A pentagon next to a triangle: any number of corners. The validator compares the chains with
    // what the links reach.
    let positions = [
        Vec3::new(0., 0., 0.),
        Vec3::new(2., 0., 0.),
        Vec3::new(3., 1., 0.),
        Vec3::new(1., 2., 0.),
        Vec3::new(-1., 1., 0.),
        Vec3::new(3., -1., 0.),
    ];
    let faces: [&[u32]; 2] = [&[0, 1, 2, 3, 4], &[1, 5, 2]];
    let map = Map::from_faces(&positions, faces).unwrap();
    map.validate().unwrap();
    let mut map = bent_cubes(2, 0.1, 4);
    shuffle(&mut map, &mut Random(7), 30, 3);
    map.validate().unwrap();
    let mut degrees = BTreeSet::new();
    for f in map.all_faces() {
        let darts: Vec<_> = map.face_darts(f).collect();
        let unique: BTreeSet<_> = darts.iter().collect();
        assert_eq!(unique.len(), darts.len());
        let first = darts[0];
        let (mut at, mut degree) = (map.phi1(first), 1);
        while at != first {
            at = map.phi1(at);
            degree += 1;
        }
        degrees.insert(degree);
    }
    assert!(degrees.len() > 1, "faces of several degrees: {degrees:?}");
}

#[test]
fn box_3_rings_are_the_cells_that_share_a_vertex() {
    for (name, mut map) in all_kinds() {
        let mut random = Random(11);
        for round in 0..6 {
            for (c, brute) in rings(&map) {
                let found = ring(&map, c);
                let set: BTreeSet<Cell> = found.iter().copied().collect();
                assert_eq!(set.len(), found.len(), "{name}, round {round}: doubles");
                assert_eq!(set, brute, "{name}, round {round}, cell {c:?}");
            }
            if map.leaves().all(|c| map.shape(c) == Shape::Other) {
                break;
            }
            shuffle(&mut map, &mut random, 6, 3);
        }
    }
}

#[test]
fn box_3_the_ring_of_a_set_is_outside_it() {
    let mut map = Map::grid_2d(Vec3::zeros(), 1.0, [5, 5]).unwrap();
    let middle = map.leaves().nth(12).unwrap();
    map.refine(middle).unwrap();
    // The eight cells around the refined one: an island of four inside.
    let set: Vec<Cell> = map
        .leaves()
        .filter(|&c| {
            let far = (map.centre(c) - Vec3::new(2.5, 2.5, 0.0)).amax();
            far > 0.6 && far < 1.6
        })
        .collect();
    assert_eq!(set.len(), 8);
    let (mut marks, mut out) = (Default::default(), Vec::new());
    map.ring_of(&set, &mut marks, &mut out);
    let found: BTreeSet<Cell> = out.iter().copied().collect();
    let brute: BTreeSet<Cell> = rings(&map)
        .into_iter()
        .filter(|(c, _)| set.contains(c))
        .flat_map(|(_, ring)| ring)
        .filter(|c| !set.contains(c))
        .collect();
    assert_eq!(out.len(), found.len());
    assert_eq!(found, brute);
    // All 16 of the border, and all four inside.
    assert_eq!(found.len(), 20);
}

#[test]
fn box_4_attributes_are_shared_by_an_orbit() {
    let mut map = bent_cubes(2, 0.1, 3);
    shuffle(&mut map, &mut Random(5), 20, 2);
    // Tables by index: written through one dart, read through any other.
    let mut of_edge = vec![0; map.all_edges().map(|e| e.index()).max().unwrap() + 1];
    let mut of_face = vec![0; map.all_faces().map(|f| f.index()).max().unwrap() + 1];
    for (i, e) in map.all_edges().enumerate() {
        of_edge[e.index()] = i;
    }
    for (i, f) in map.all_faces().enumerate() {
        of_face[f.index()] = i;
    }
    for (i, e) in map.all_edges().enumerate() {
        assert!(map.edge_darts(e).all(|d| of_edge[map.edge(d).index()] == i));
    }
    for (i, f) in map.all_faces().enumerate() {
        assert!(map.face_darts(f).all(|d| of_face[map.face(d).index()] == i));
    }
    for d in map.all_darts() {
        assert_eq!(map.start(d), map.position(map.vertex(d)));
        assert_eq!(map.face_centre(d), map.face_centre(map.phi3(d)));
    }
}

#[test]
fn box_5_refining_and_merging_keep_the_map_whole() {
    for (name, mut map) in all_kinds() {
        if name == "tetrahedra" {
            continue;
        }
        let before = signature(&map);
        let mut random = Random(21);
        let mut done = [0; 2];
        for _ in 0..40 {
            let [refined, merged] = shuffle(&mut map, &mut random, 3, 3);
            done = [done[0] + refined, done[1] + merged];
            map.validate().unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        assert!(done[0] > 30 && done[1] > 5, "{name}: {done:?}");
        assert_ne!(signature(&map), before);
        let back = coarsened(&map, 0);
        back.validate().unwrap();
        assert_eq!(signature(&back), before, "{name}");
    }
}

#[test]
fn box_5_only_whole_families_merge() {
    let mut map = bent_cubes(2, 0.0, 0);
    let c = map.leaves().next().unwrap();
    assert_eq!(map.coarsen(c), Err(CoarsenError::NotRefined { cell: 0 }));
    map.refine(c).unwrap();
    assert_eq!(map.refine(c), Err(RefineError::NotLeaf { cell: 0 }));
    let child = map.children(c).nth(3).unwrap();
    assert_eq!(map.children(c).count(), 8);
    map.refine(child).unwrap();
    let before = signature(&map);
    let refused = CoarsenError::Refined {
        cell: c.index() as u32,
        child: child.index() as u32,
    };
    assert_eq!(map.coarsen(c), Err(refused));
    assert_eq!(signature(&map), before);
    map.coarsen(child).unwrap();
    map.coarsen(c).unwrap();
    assert_eq!(map.leaf_count(), 8);
    let mut tets = tetrahedra();
    let c = tets.leaves().next().unwrap();
    assert_eq!(
        tets.refine(c),
        Err(RefineError::Shape {
            cell: c.index() as u32
        })
    );
}

#[test]
fn box_6_levels_share_what_is_split() {
    let mut map = bent_cubes(2, 0.0, 0);
    let plain = map.all_darts().count();
    let [a, b] = [0, 1].map(|i| map.leaves().nth(i).unwrap());
    map.refine(a).unwrap();
    // The neighbour has the four faces and the middles of four edges.
    assert_eq!(map.cell_darts(b).count(), 24 + (16 - 4) + 4);
    for d in map.cell_darts(b) {
        assert_eq!(map.phi3(map.phi3(d)), d);
    }
    map.refine(b).unwrap();
    map.coarsen(a).unwrap();
    map.validate().unwrap();
    // The parts that the finer neighbour needs are kept.
    assert_eq!(map.cell_darts(a).count(), 24 + (16 - 4) + 4);
    map.coarsen(b).unwrap();
    map.validate().unwrap();
    assert_eq!(map.all_darts().count(), plain);
}

#[test]
fn box_7_levels_walked_by_labels_are_the_levels_rebuilt() {
    for (name, mut map) in all_kinds() {
        if name == "tetrahedra" {
            continue;
        }
        let mut random = Random(33);
        for _ in 0..4 {
            shuffle(&mut map, &mut random, 12, 4);
            for level in 0..4 {
                // Merging keeps the indices of the remaining darts.
                let rebuilt = coarsened(&map, level);
                rebuilt.validate().unwrap();
                for d in rebuilt.all_darts() {
                    assert!(map.dart_level(d) <= level, "{name}");
                    assert_eq!(map.next_at(level, d), rebuilt.phi1(d), "{name} {level}");
                    assert_eq!(
                        map.previous_at(level, d),
                        rebuilt.phi_1(d),
                        "{name} {level}"
                    );
                    assert_eq!(map.across_at(level, d), rebuilt.phi2(d), "{name} {level}");
                    assert_eq!(map.beyond_at(level, d), rebuilt.phi3(d), "{name} {level}");
                }
            }
        }
    }
}

#[test]
fn refining_moves_no_boundary() {
    // The tetrahedra of a refined, bent cell and its neighbours fill the same volume as before.
    let volume = |map: &Map, cells: &mut dyn Iterator<Item = Cell>| -> f64 {
        cells
            .flat_map(|c| map.cell_darts(c).collect::<Vec<_>>())
            .map(|d| {
                let (v, f) = (map.centre(map.cell(d)), map.face_centre(d));
                let (s, e) = (map.start(d), map.start(map.phi1(d)));
                (s - v).cross(&(e - v)).dot(&(f - v)) / 6.0
            })
            .sum()
    };
    let mut map = bent_cubes(3, 0.3, 9);
    let middle = map.leaves().nth(13).unwrap();
    let before: Vec<(Cell, f64)> = map
        .leaves()
        .map(|c| (c, volume(&map, &mut [c].into_iter())))
        .collect();
    map.refine(middle).unwrap();
    for (c, was) in before {
        let is = if c == middle {
            volume(&map, &mut map.children(c))
        } else {
            volume(&map, &mut [c].into_iter())
        };
        assert!((is - was).abs() < 1e-12, "{c:?}: {was} {is}");
    }
}

#[test]
fn obstacles_go_with_the_sides_they_are_on() {
    for mut map in [bent_cubes(3, 0.1, 5), bent_squares(3, 0.1, 5)] {
        let middle = map
            .leaves()
            .nth(if map.space() == Space::Volume { 13 } else { 4 })
            .unwrap();
        map.set_obstacle_cell(middle, true);
        let marked = |map: &Map| map.all_darts().filter(|&d| map.is_obstacle(d)).count();
        let at_first = marked(&map);
        map.refine(middle).unwrap();
        map.validate().unwrap();
        for child in map.children(middle) {
            for d in map.cell_darts(child) {
                let inside = map.parent(map.cell(map.beyond(d))) == Some(middle);
                assert_eq!(map.is_obstacle(d), !inside);
            }
        }
        map.coarsen(middle).unwrap();
        assert_eq!(marked(&map), at_first);
        map.set_obstacle_cell(middle, false);
        assert!(!map.has_obstacles());
        assert_eq!(marked(&map), 0);
    }
}

#[test]
fn refining_and_merging_again_and_again_does_not_allocate() {
    for mut map in [bent_cubes(3, 0.1, 6), bent_squares(4, 0.1, 6), triangles(3)] {
        let cycle = |map: &mut Map, seed| {
            let mut random = Random(seed);
            for _ in 0..12 {
                let pick = random.below(9);
                let c = map.leaves().nth(pick).unwrap();
                if map.cell_level(c) < 2 {
                    map.refine(c).unwrap();
                }
            }
            loop {
                let finest = map.leaves().map(|c| (map.cell_level(c), c)).max();
                let Some((level, c)) = finest else { break };
                if level == 0 {
                    break;
                }
                map.coarsen(map.parent(c).unwrap()).unwrap();
            }
        };
        cycle(&mut map, 1);
        cycle(&mut map, 1);
        let ((), calls) = counted(|| cycle(&mut map, 1));
        assert_eq!(calls, 0);
    }
}

#[test]
fn cells_of_a_straight_grid_stay_cubes_with_their_centres_in_the_middle() {
    for seed in 0..20 {
        let mut map = bent_cubes(3, 0.0, 0);
        let mut random = Random(seed);
        for _ in 0..20 {
            shuffle(&mut map, &mut random, 5, 4);
            for c in map.leaves() {
                let (low, high) = map.cell_darts(c).fold(
                    (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY)),
                    |(low, high), d| (low.inf(&map.start(d)), high.sup(&map.start(d))),
                );
                let width = 0.5_f64.powi(i32::from(map.cell_level(c)));
                assert!((high - low - Vec3::repeat(width)).amax() < 1e-12, "{c:?}");
                assert!((map.centre(c) - (low + high) * 0.5).amax() < 1e-12, "{c:?}");
                for d in map.cell_darts(c) {
                    let plane = (0..3).filter(|&i| {
                        let f = map.face_centre(d)[i];
                        (f - low[i]).abs() < 1e-12 || (f - high[i]).abs() < 1e-12
                    });
                    assert_eq!(plane.count(), 1, "the centre of a face is inside it");
                }
            }
        }
    }
}
