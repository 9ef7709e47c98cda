//! Tracking against brute force.

mod common;

use std::collections::BTreeSet;

use common::{
    Random, bent_cubes, bent_squares, closed_surface, hills, on_surface, shuffle, triangles,
};
use hapticd_counting::{Counting, counted};
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map, Marks, Space};
use hapticd_registration::track::{Outcome, Particle, Path, State, Tally, TrackError};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn first(map: &Map) -> Particle {
    map.particle_in(map.leaves().next().unwrap())
}

fn goal(random: &mut Random, map: &Map, n: f64) -> Vec3 {
    let mut p = random.inside(Vec3::zeros(), Vec3::repeat(n));
    if map.space() == Space::Plane {
        p.z = 0.0;
    }
    p
}

/// Random goals; every end is the cell that holds the goal. Returns the tally.
fn wander(map: &Map, n: f64, moves: usize, seed: u64) -> Tally {
    let mut random = Random(seed);
    let (mut particle, mut tally) = (first(map), Tally::default());
    for i in 0..moves {
        let goal = if i % 7 == 0 {
            goal(&mut random, map, n)
        } else {
            let mut p = particle.position + random.vector(0.6);
            p = p.sup(&Vec3::repeat(1e-3)).inf(&Vec3::repeat(n - 1e-3));
            if map.space() == Space::Plane {
                Vec3::new(p.x, p.y, 0.0)
            } else {
                p
            }
        };
        let outcome = map.track(&mut particle, &goal, &mut tally).unwrap();
        assert_eq!(outcome, Outcome::Reached, "move {i} to {goal:?}");
        assert_eq!(particle.position, goal);
        assert!(
            map.cell_holds(map.cell(particle.dart), &goal),
            "move {i} to {goal:?}"
        );
    }
    tally
}

#[test]
fn box_8_any_goal_of_a_convex_mesh_is_reached_in_the_right_cell() {
    let mut cubes = bent_cubes(4, 0.0, 1);
    shuffle(&mut cubes, &mut Random(3), 20, 3);
    let mut squares = bent_squares(5, 0.2, 2);
    shuffle(&mut squares, &mut Random(4), 30, 3);
    let mut flat = triangles(4);
    shuffle(&mut flat, &mut Random(5), 30, 3);
    for (map, n) in [(cubes, 4.0), (squares, 5.0), (flat, 4.0)] {
        let tally = wander(&map, n, 35_000, 17);
        assert_eq!(tally.fallbacks, 0);
    }
}

#[test]
fn box_9_any_goal_is_reached_in_cells_that_are_not_convex() {
    for (amp, refined) in [(0.1, 0), (0.2, 10), (0.3, 0), (0.3, 10)] {
        let mut map = bent_cubes(4, amp, 5);
        shuffle(&mut map, &mut Random(6), refined, 2);
        for c in map.leaves() {
            map.validity(c).unwrap();
        }
        let tally = wander(&map, 4.0, 10_000, 23);
        assert!(tally.fallbacks <= 2, "{amp}: {tally:?}");
    }
}

/// The state of a goal on the half-integer lattice of a grid of unit cells: a vertex if all
/// coordinates are integers, and so on.
fn lattice_state(p: &Vec3, axes: usize) -> State {
    let whole = (0..axes).filter(|&i| p[i].fract() == 0.0).count();
    match (axes - whole, axes) {
        (0, _) => State::Vertex,
        (1, _) => State::Edge,
        (2, 3) => State::Face,
        _ => State::Cell,
    }
}

#[test]
fn boxes_10_and_11_faces_edges_and_vertices_are_told_from_everywhere_to_everywhere() {
    for map in [bent_cubes(4, 0.0, 1), bent_squares(4, 0.0, 1)] {
        let axes = if map.space() == Space::Volume { 3 } else { 2 };
        let mut random = Random(31);
        let (mut particle, mut tally) = (first(&map), Tally::default());
        let mut pairs = BTreeSet::new();
        for i in 0..8_000 {
            let mut goal = Vec3::zeros();
            for axis in 0..axes {
                // Quarters off the middle: the middle of a face is its centre, through which all
                // planes go.
                let steps = [0.0, 0.25, 0.5, 0.75];
                goal[axis] = random.below(4) as f64
                    + if random.unit() < 0.5 {
                        0.0
                    } else {
                        steps[random.below(4)]
                    };
            }
            let before = particle.state;
            let outcome = map.track(&mut particle, &goal, &mut tally).unwrap();
            assert_eq!(outcome, Outcome::Reached);
            assert_eq!(
                particle.state,
                lattice_state(&goal, axes),
                "move {i} to {goal:?}"
            );
            assert!(map.cell_holds(map.cell(particle.dart), &goal));
            if particle.state == State::Vertex {
                assert_eq!(map.start(particle.dart), goal);
            }
            pairs.insert((before as u8, particle.state as u8));
        }
        assert_eq!(pairs.len(), if axes == 3 { 16 } else { 9 });
        assert_eq!(tally.fallbacks, 0);
    }
}

#[test]
fn box_11_moves_along_faces_and_edges_and_through_vertices_end_where_they_should() {
    let mut map = bent_cubes(3, 0.0, 1);
    let middle = map.leaves().nth(13).unwrap();
    map.refine(middle).unwrap();
    let p = |x: f64, y: f64, z: f64| Vec3::new(x, y, z);
    let mut tally = Tally::default();
    // In a face, out of it along itself, along an edge, through a vertex, over a finer cell's
    // edges.
    let path = [
        (p(0.3, 1.2, 1.0), State::Face),
        (p(2.6, 1.3, 1.0), State::Face),
        (p(0.5, 1.0, 1.0), State::Edge),
        (p(2.5, 1.0, 1.0), State::Edge),
        (p(1.0, 1.0, 1.0), State::Vertex),
        (p(2.0, 2.0, 2.0), State::Vertex),
        (p(0.5, 0.5, 0.7), State::Cell),
        (p(2.4, 2.4, 2.2), State::Cell),
        (p(1.5, 1.0, 1.5), State::Vertex),
        (p(1.5, 1.2, 1.5), State::Edge),
        (p(1.5, 1.2, 1.3), State::Face),
        (p(1.0, 1.0, 2.0), State::Vertex),
    ];
    let mut particle = first(&map);
    for (goal, state) in path {
        let outcome = map.track(&mut particle, &goal, &mut tally).unwrap();
        assert_eq!(
            (outcome, particle.state),
            (Outcome::Reached, state),
            "{goal:?}"
        );
        assert!(map.cell_holds(map.cell(particle.dart), &goal));
    }
}

#[test]
fn box_12_a_goal_inside_the_curvature_of_a_face_ends_the_walk() {
    // Two cubes with a common face that has one corner far out: planes through three of its corners
    // depend on the choice of the three.
    let (mut positions, cells) =
        hapticd_registration::map::cubes(Vec3::zeros(), 1.0, [2, 1, 1]).unwrap();
    for corner in positions.iter_mut().filter(|p| p.x == 1.0 && p.y == p.z) {
        corner.x = 1.4;
    }
    let map = Map::from_hexahedra(&positions, &cells).unwrap();
    let mut random = Random(2);
    let (mut particle, mut tally) = (first(&map), Tally::default());
    for _ in 0..20_000 {
        let goal = random.inside(Vec3::new(0.9, 0.05, 0.05), Vec3::new(1.5, 0.95, 0.95));
        assert_eq!(
            map.track(&mut particle, &goal, &mut tally).unwrap(),
            Outcome::Reached
        );
        assert!(map.cell_holds(map.cell(particle.dart), &goal));
    }
    assert_eq!(tally.fallbacks, 0);
    assert!(tally.most_tests < 64, "{tally:?}");
}

#[test]
fn box_13_obstacles_are_reported_and_never_entered() {
    for mut map in [bent_cubes(4, 0.1, 3), bent_squares(5, 0.1, 3)] {
        let n = if map.space() == Space::Volume {
            4.0
        } else {
            5.0
        };
        let walled: Vec<Cell> = map.leaves().filter(|c| c.index() % 7 == 5).collect();
        for &c in &walled {
            map.set_obstacle_cell(c, true);
        }
        shuffle(&mut map, &mut Random(8), 10, 2);
        let inside = |map: &Map, c: Cell| {
            let mut c = c;
            while let Some(parent) = map.parent(c) {
                c = parent;
            }
            walled.contains(&c)
        };
        let mut random = Random(41);
        let (mut particle, mut tally) = (first(&map), Tally::default());
        let mut blocked = 0;
        for _ in 0..5_000 {
            let from = particle;
            let goal = goal(&mut random, &map, n);
            // Brute force: small steps along the path, each a search.
            let meets = (0..=400).any(|i| {
                let p = from.position.lerp(&goal, f64::from(i) / 400.0);
                map.leaves()
                    .filter(|&c| map.cell_holds(c, &p))
                    .all(|c| inside(&map, c))
            });
            match map.track(&mut particle, &goal, &mut tally).unwrap() {
                Outcome::Reached => assert!(!meets),
                Outcome::Blocked { dart, share } => {
                    blocked += 1;
                    assert!(map.is_obstacle(dart) && (0.0..=1.0).contains(&share));
                    if map.space() == Space::Volume {
                        assert_eq!(particle, from);
                    } else {
                        assert!(
                            (particle.position - from.position.lerp(&goal, share)).norm() < 1e-9
                        );
                    }
                }
            }
            assert!(!inside(&map, map.cell(particle.dart)));
            if blocked + 1 > 150 {
                break;
            }
        }
        assert!(blocked > 100);
    }
}

#[test]
fn box_13_goals_outside_are_reported_and_the_particle_stays_in() {
    for map in [bent_cubes(3, 0.2, 3), bent_squares(3, 0.2, 3)] {
        let mut random = Random(43);
        let (mut particle, mut tally) = (first(&map), Tally::default());
        for _ in 0..500 {
            let inside = goal(&mut random, &map, 3.0);
            assert_eq!(
                map.track(&mut particle, &inside, &mut tally).unwrap(),
                Outcome::Reached
            );
            let mut outside = inside;
            outside[random.below(2)] += if random.unit() < 0.5 { 4.0 } else { -4.0 };
            match map.track(&mut particle, &outside, &mut tally).unwrap() {
                Outcome::Reached => panic!("{outside:?} is outside"),
                Outcome::Blocked { dart, share } => {
                    assert_eq!(map.beyond(dart), dart);
                    let at = inside.lerp(&outside, share);
                    assert!(map.cell_holds(map.cell(dart), &at), "{at:?}");
                    let stays = if map.space() == Space::Volume {
                        inside
                    } else {
                        at
                    };
                    assert!((particle.position - stays).norm() < 1e-9);
                }
            }
        }
    }
}

/// Cells that are fully visible from their centres but not convex: their common corner is far from
/// its regular position.
fn star_shaped(solid: bool) -> impl Iterator<Item = Map> {
    let make = move |seed| {
        if solid {
            bent_cubes(2, 0.65, seed)
        } else {
            bent_squares(2, 0.65, seed)
        }
    };
    (0..10_000).map(make).filter(move |map| {
        let valid = map.leaves().all(|c| map.validity(c).is_ok());
        valid && (solid || !map.is_convex())
    })
}

/// A position in a leaf: in the tetrahedron or triangle of one of its darts, often far from the
/// centre.
fn inside_of(map: &Map, c: Cell, random: &mut Random) -> Vec3 {
    let darts: Vec<_> = map.cell_darts(c).collect();
    let d = darts[random.below(darts.len())];
    let end = map.start(map.phi1(d));
    let corners = [map.face_centre(d), map.start(d), end];
    let shares = corners.map(|_| 0.02 + random.unit());
    let sum: f64 = shares.iter().sum();
    let on: Vec3 = corners.iter().zip(shares).map(|(p, x)| p * (x / sum)).sum();
    map.centre(c)
        .lerp(&on, 0.98 * (1.0 - random.unit().powi(3)))
}

/// Moves within a closed leaf: moves that stay within it are made, others are not. Returns how many
/// were not, and how many there were.
fn stays_within(map: &Map, c: Cell, random: &mut Random) -> (usize, usize) {
    let (mut tally, mut blocked, moves) = (Tally::default(), 0, 300);
    for _ in 0..moves {
        let [from, goal] = [0, 1].map(|_| inside_of(map, c, random));
        let mut particle = map.locate(&from, c, &mut tally).unwrap();
        assert_eq!(map.cell(particle.dart), c);
        // Brute force: small steps along the path.
        let mut path = (0..=400).map(|i| from.lerp(&goal, f64::from(i) / 400.0));
        match map.track(&mut particle, &goal, &mut tally).unwrap() {
            Outcome::Reached => {
                assert!(
                    path.all(|p| map.cell_holds(c, &p)),
                    "from {from:?} to {goal:?}"
                );
                assert_eq!(particle.position, goal);
            }
            Outcome::Blocked { dart, share } => {
                let [before, beyond] = [-1e-6, 1e-6].map(|by| from.lerp(&goal, share + by));
                assert!(map.is_obstacle(dart));
                assert!(map.cell_holds(c, &before) && !map.cell_holds(c, &beyond));
                blocked += 1;
            }
        }
        assert_eq!(map.cell(particle.dart), c);
    }
    (blocked, moves)
}

#[test]
fn box_13_a_way_out_of_a_cell_that_is_not_convex_and_back_in_is_seen() {
    for solid in [false, true] {
        let mut random = Random(47);
        let (mut out_and_in, mut within) = (0, 0);
        for free in star_shaped(solid).take(6) {
            for c in free.leaves() {
                // Nothing can leave this one.
                let mut map = free.clone();
                map.set_obstacle_cell(c, true);
                let (out, all) = stays_within(&map, c, &mut random);
                out_and_in += out;
                within += all - out;
            }
        }
        assert!(out_and_in > 30 && within > 1_000, "{out_and_in} {within}");
    }
}

#[test]
fn a_bay_of_the_boundary_is_no_trap() {
    // A row of cubes around three sides of a square: straight paths through the gap are blocked,
    // others are not.
    let (positions, cells) =
        hapticd_registration::map::cubes(Vec3::zeros(), 1.0, [3, 3, 1]).unwrap();
    let cells: Vec<_> = cells
        .into_iter()
        .enumerate()
        .filter(|(i, _)| *i != 4 && *i != 1)
        .map(|(_, c)| c)
        .collect();
    let map = Map::from_hexahedra(&positions, &cells).unwrap();
    let (mut particle, mut tally) = (first(&map), Tally::default());
    let go = |particle: &mut Particle, x, y, tally: &mut Tally| {
        map.track(particle, &Vec3::new(x, y, 0.5), tally).unwrap()
    };
    assert_eq!(go(&mut particle, 0.5, 1.5, &mut tally), Outcome::Reached);
    assert!(matches!(
        go(&mut particle, 1.5, 1.5, &mut tally),
        Outcome::Blocked { .. }
    ));
    assert_eq!(go(&mut particle, 1.4, 2.9, &mut tally), Outcome::Reached);
    assert_eq!(go(&mut particle, 2.5, 2.2, &mut tally), Outcome::Reached);
    assert_eq!(go(&mut particle, 2.5, 0.2, &mut tally), Outcome::Reached);
}

#[test]
fn box_14_on_curved_surfaces_particles_stay_on_it_and_steps_keep_their_length() {
    // A cube's surface unfolds: three steps of a straight line around it return after its girth.
    let map = closed_surface(4, false);
    let mut tally = Tally::default();
    let start = Vec3::new(0.3, -0.7, 2.0);
    let near = map.leaves().next().unwrap();
    let mut particle = map.locate(&start, near, &mut tally).unwrap();
    let step = Vec3::new(16.0, 0.0, 0.0);
    let goal = particle.position + step;
    assert_eq!(
        map.track(&mut particle, &goal, &mut tally).unwrap(),
        Outcome::Reached
    );
    assert!(
        (particle.position - start).norm() < 1e-9,
        "{:?}",
        particle.position
    );
    // Obliquely over one crease: checked by hand on the unfolded sides.
    let goal = particle.position + Vec3::new(3.0, 0.9, 0.0);
    let _ = map.track(&mut particle, &goal, &mut tally).unwrap();
    assert!(
        (particle.position - Vec3::new(2.0, 0.2, 0.7)).norm() < 1e-9,
        "{:?}",
        particle.position
    );

    let mut ball = closed_surface(4, true);
    shuffle(&mut ball, &mut Random(3), 20, 2);
    let mut random = Random(5);
    let mut particle = first(&ball);
    for _ in 0..20_000 {
        let from = particle.position;
        let goal = from + random.vector(0.5);
        let outcome = ball.track(&mut particle, &goal, &mut tally).unwrap();
        assert_eq!(outcome, Outcome::Reached);
        let c = ball.cell(particle.dart);
        assert!(
            ball.cell_holds(c, &particle.position),
            "{:?}",
            particle.position
        );
        // A bent step is no longer than it was.
        assert!((particle.position - from).norm() <= (goal - from).norm() + 1e-9);
    }
    assert_eq!(
        tally.fallbacks, 1,
        "the search that `locate` is on a surface"
    );
}

#[test]
fn box_15_odd_goals_do_no_harm() {
    for map in [
        bent_cubes(3, 0.2, 7),
        bent_squares(3, 0.2, 7),
        closed_surface(3, true),
    ] {
        let (mut particle, mut tally) = (first(&map), Tally::default());
        for d in map.all_darts() {
            // The centres of its cell and its face, where all planes meet; the same again; and its
            // vertex.
            let goals = [
                map.centre(map.cell(d)),
                map.face_centre(d),
                map.face_centre(d),
                map.start(d),
            ];
            for goal in goals {
                let _ = map.track(&mut particle, &goal, &mut tally).unwrap();
                assert!(map.cell_holds(map.cell(particle.dart), &particle.position));
                if map.space() != Space::Surface {
                    assert!((particle.position - goal).norm() < 1e-9);
                }
            }
        }
        assert_eq!(tally.fallbacks, 0);
        let before = particle;
        for bad in [f64::NAN, f64::INFINITY] {
            let goal = Vec3::new(0.0, bad, 0.0);
            let error = map.track(&mut particle, &goal, &mut tally).unwrap_err();
            assert!(matches!(error, TrackError::NotFinite { .. }));
            assert_eq!(particle, before);
        }
    }
    let mut map = bent_cubes(2, 0.0, 0);
    let c = map.leaves().next().unwrap();
    map.refine(c).unwrap();
    let gone = map.particle_in(map.children(c).next().unwrap());
    let inner = map.cell_darts(map.cell(gone.dart)).max().unwrap();
    map.coarsen(c).unwrap();
    let mut particle = Particle {
        dart: inner,
        ..gone
    };
    let error = map
        .track(&mut particle, &Vec3::zeros(), &mut Tally::default())
        .unwrap_err();
    assert_eq!(
        error,
        TrackError::NoDart {
            dart: inner.index() as u32
        }
    );
}

#[test]
fn box_20_a_march_names_exactly_the_cells_that_a_segment_crosses() {
    for mut map in [
        bent_cubes(5, 0.0, 2),
        bent_cubes(5, 0.2, 3),
        bent_cubes(5, 0.3, 4),
        bent_squares(6, 0.3, 5),
    ] {
        shuffle(&mut map, &mut Random(6), 15, 2);
        let n = if map.space() == Space::Volume {
            5.0
        } else {
            6.0
        };
        let mut random = Random(51);
        let mut tally = Tally::default();
        for i in 0..300 {
            let (a, b) = (goal(&mut random, &map, n), goal(&mut random, &map, n));
            let start = map
                .locate(&a, map.leaves().next().unwrap(), &mut tally)
                .unwrap();
            let mut cells = BTreeSet::new();
            let end = map.march(start.dart, &a, &b, |c| {
                cells.insert(c);
            });
            assert!(matches!(end, Path::Reached(d) if map.cell_holds(map.cell(d), &b)));
            let brute: BTreeSet<Cell> = common::crossed(&map, &a, &b);
            assert_eq!(cells, brute, "segment {i}");
        }
    }
}

#[test]
fn box_20_on_curved_surfaces_the_way_is_the_shorter_arc_of_the_section() {
    let hole = |x, y| (2..4).contains(&x) && y == 3;
    for (mut map, closed) in [
        (closed_surface(4, true), true),
        (closed_surface(3, false), true),
        (hills(6, 0.6, 3, |_, _| false), false),
        (hills(6, 0.6, 4, hole), false),
    ] {
        shuffle(&mut map, &mut Random(6), 15, 2);
        let (mut random, mut tally) = (Random(51), Tally::default());
        let near = map.leaves().next().unwrap();
        let (mut whole, mut parts) = (0, 0);
        for i in 0..150 {
            let [a, b] = [0, 1].map(|_| {
                let at = on_surface(&map, &mut random);
                map.locate(&at, near, &mut tally).unwrap()
            });
            let mut cells = BTreeSet::new();
            let end = map.march_between(&a, &b, |c| {
                cells.insert(c);
            });
            let (brute, reached) = common::section(&map, &a, &b);
            match end {
                Path::Reached(d) => {
                    assert!(reached, "{i}");
                    assert!(map.cell_holds(map.cell(d), &b.position));
                    whole += 1;
                }
                Path::Blocked { dart, share } => {
                    assert!(!reached && map.beyond(dart) == dart && (0.0..=1.0).contains(&share));
                    let _ = map.march_between(&b, &a, |c| {
                        cells.insert(c);
                    });
                    parts += 1;
                }
                Path::Apart => assert!(!reached),
                Path::Lost => panic!("{i}"),
            }
            cells.insert(map.cell(b.dart));
            assert_eq!(cells, brute, "{i}: {a:?} {b:?}");
            // The same from the other end.
            if reached {
                let mut back = BTreeSet::new();
                let _ = map.march_between(&b, &a, |c| {
                    back.insert(c);
                });
                assert_eq!(back, cells);
            }
        }
        assert!(whole > 60 && (!closed || parts == 0), "{whole} {parts}");
    }
}

/// A strip of `n` unit cells along x: squares or cubes.
fn strip(space: Space, n: usize) -> Map {
    match space {
        Space::Plane => Map::grid_2d(Vec3::zeros(), 1.0, [n, 1]).unwrap(),
        _ => Map::grid_3d(Vec3::zeros(), 1.0, [n, 1, 1]).unwrap(),
    }
}

#[test]
fn at_the_limit_a_move_is_not_made_or_searched_for_and_a_march_is_lost() {
    let end = |n: usize| Vec3::new(n as f64 - 0.4, 0.3, 0.0);
    for space in [Space::Plane, Space::Volume] {
        let n = 4_200;
        let map = strip(space, n);
        let mut goal = end(n);
        goal.z = if space == Space::Volume { 0.3 } else { 0.0 };
        let start = map.particle_in(map.leaves().next().unwrap());
        let (mut particle, mut tally) = (start, Tally::default());
        // With a limit: the move is not made, whatever the limit is, and spends no more than it.
        for most in [0, 1, 50, 1_000, 10_000] {
            let done = map
                .track_bounded(&mut particle, &goal, most, &mut tally)
                .unwrap();
            assert_eq!((done, particle), (None, start));
            assert!(tally.most_tests <= most + 8, "{tally:?}");
        }
        assert_eq!(tally.fallbacks, 0);
        // Without a limit the map is searched, and that is counted.
        let done = map.track(&mut particle, &goal, &mut tally).unwrap();
        assert_eq!((done, tally.fallbacks), (Outcome::Reached, 1));
        assert!(map.cell_holds(map.cell(particle.dart), &goal));
        // With a sufficient limit it is walked.
        let mut particle = start;
        let done = map
            .track_bounded(&mut particle, &goal, 200_000, &mut tally)
            .unwrap();
        assert_eq!(done, Some(Outcome::Reached));
        assert_eq!((particle.position, tally.fallbacks), (goal, 1));
        // Two triangles or more a cell: the march reaches its limit as well, and the cells visited
        // until then were right.
        let most = 1_000;
        let (mut named, mut last) = (0, map.cell(start.dart));
        let path = map.march_bounded(&start, &particle, most, |c| {
            named += 1;
            last = c;
        });
        assert_eq!(path, Path::Lost);
        assert!(named > 100 && named <= most && last.index() + 1 == named as usize);
        let mut all = BTreeSet::new();
        let path = map.march_bounded(&start, &particle, 200_000, |c| {
            all.insert(c);
        });
        assert!(matches!(path, Path::Reached(_)));
        assert_eq!(all.len(), n);
    }
    // On a surface a step is a direction: at the limit it is not made.
    let mut map = closed_surface(3, false);
    let first = map.leaves().next().unwrap();
    map.refine(first).unwrap();
    let start = map.particle_in(map.leaves().last().unwrap());
    let (mut particle, mut tally) = (start, Tally::default());
    let goal = start.position + Vec3::new(1e5, 0.7e5, 0.3e5);
    let done = map
        .track_bounded(&mut particle, &goal, 500, &mut tally)
        .unwrap();
    assert_eq!((done, particle), (None, start));
    let done = map.track(&mut particle, &goal, &mut tally).unwrap();
    let dart = start.dart;
    assert_eq!(done, Outcome::Blocked { dart, share: 0.0 });
    assert_eq!((particle, tally.fallbacks), (start, 1));
}

#[test]
fn box_26_what_a_merged_cell_takes_back_is_no_longer_its_neighbours() {
    // All cells around a coarse cell are fine, and their vertices on its sides are pushed out, so
    // that it grows. Merging them one by one reverses that. The known box in which no test is
    // needed must follow. On all sides at once, since that box is as wide as the nearest side
    // allows.
    for solid in [false, true] {
        let (mut random, mut taken_back) = (Random(53), 0);
        for _ in 0..3 {
            let mut map = if solid {
                bent_cubes(3, 0.0, 1)
            } else {
                bent_squares(3, 0.0, 1)
            };
            let middle = map.leaves().nth(if solid { 13 } else { 4 }).unwrap();
            let centre = map.centre(middle);
            let beside: Vec<Cell> = map
                .leaves()
                .filter(|&c| (map.centre(c) - centre).norm() == 1.0)
                .collect();
            for &c in &beside {
                map.refine(c).unwrap();
            }
            let moves: Vec<_> = map
                .cell_darts(middle)
                .map(|d| (map.vertex(d), map.start(d)))
                .filter(|(_, p)| p.iter().any(|x| x.fract() != 0.0))
                .map(|(v, p)| (v, p + (p - centre) * (0.2 + 0.3 * random.unit())))
                .collect();
            let (mut marks, mut changed) = (Marks::default(), Vec::new());
            map.deform(&moves, &mut marks, &mut changed).unwrap();
            assert!(map.leaves().all(|c| map.validity(c).is_ok()));
            let mut before = places_are_where_they_are_found(&map, 5);
            for &c in &beside {
                map.coarsen(c).unwrap();
                let after = places_are_where_they_are_found(&map, 5);
                let both = before.iter().zip(&after);
                taken_back += both.filter(|&(&was, &is)| was == middle && is == c).count();
                before = after;
            }
        }
        assert!(taken_back > 50, "{taken_back}");
    }
}

/// Random positions near the sides of the middle cell of three a side, each located from the
/// centres of all leaves: each is in the leaf that was found. Returns the leaves.
fn places_are_where_they_are_found(map: &Map, seed: u64) -> Vec<Cell> {
    let (mut random, mut tally, mut found) = (Random(seed), Tally::default(), Vec::new());
    let axes = if map.space() == Space::Volume { 3 } else { 2 };
    for _ in 0..400 {
        let mut goal = random.inside(Vec3::repeat(1.0), Vec3::repeat(2.0));
        goal[random.below(axes)] = [1.0, 2.0][random.below(2)] + random.around(0.1);
        if axes == 2 {
            goal.z = 0.0;
        }
        for c in map.leaves() {
            let mut particle = map.particle_in(c);
            let outcome = map.track(&mut particle, &goal, &mut tally).unwrap();
            assert_eq!(outcome, Outcome::Reached);
            let c = map.cell(particle.dart);
            assert!(map.cell_holds(c, &goal), "{goal:?} is not in {c:?}");
        }
        found.push(map.leaves().find(|&c| map.cell_holds(c, &goal)).unwrap());
    }
    found
}

#[test]
fn tracking_does_not_allocate() {
    for map in [
        bent_cubes(3, 0.2, 1),
        bent_squares(3, 0.2, 1),
        closed_surface(3, true),
    ] {
        let (mut random, mut particle, mut tally) = (Random(1), first(&map), Tally::default());
        let ((), calls) = counted(|| {
            for _ in 0..200 {
                let goal = goal(&mut random, &map, 3.5);
                let _ = map.track(&mut particle, &goal, &mut tally);
            }
        });
        assert_eq!(calls, 0);
    }
}
