//! Single cases.

use std::collections::BTreeSet;

use hapticd_counting::counted;
use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map, MoveError, Space};
use hapticd_registration::registration::{
    EntityId, InsertError, Kind, ParticleId, Policy, Registration, RemoveError,
};
use hapticd_registration::scale::{Density, DensityError, Scaler};
use hapticd_registration::track::{Outcome, TrackError};

use crate::common::{Random, bent_cubes, bent_squares, closed_surface, rings};
use crate::ops::{SPACES, World};
use crate::oracle::{Scene, check};

fn plane(n: usize) -> Registration {
    Registration::new(
        Map::grid_2d(Vec3::zeros(), 1.0, [n, n]).unwrap(),
        Policy::Tolerate,
    )
}

fn put(r: &mut Registration, x: f64, y: f64) -> ParticleId {
    let near = r.map().leaves().next().unwrap();
    r.insert_particle(&Vec3::new(x, y, 0.0), near).unwrap()
}

fn go(r: &mut Registration, p: ParticleId, x: f64, y: f64) {
    let outcome = r.move_particle(p, &Vec3::new(x, y, 0.0)).unwrap();
    assert_eq!(outcome, Outcome::Reached);
    r.settle();
}

#[test]
fn box_16_particles_survive_any_motion_of_the_mesh() {
    for (map, n, flat) in [
        (bent_cubes(4, 0.1, 1), 4.0, false),
        (bent_squares(5, 0.1, 1), 5.0, true),
    ] {
        let mut r = Registration::new(map, Policy::Exact);
        let (mut random, mut scene) = (Random(3), Scene::default());
        let near = r.map().leaves().next().unwrap();
        for _ in 0..200 {
            let mut at = random.inside(Vec3::zeros(), Vec3::repeat(n));
            at.z *= if flat { 0.0 } else { 1.0 };
            let p = r.insert_particle(&at, near).unwrap();
            scene.entities.push(r.insert_point(p).unwrap());
            scene.particles.push(p);
        }
        let rest: Vec<_> = r
            .map()
            .all_vertices()
            .map(|v| (v, r.map().position(v)))
            .collect();
        for frame in 0..40 {
            let moves: Vec<_> = rest
                .iter()
                .filter(|(_, p)| (0..if flat { 2 } else { 3 }).all(|i| p[i] > 0.0 && p[i] < n))
                .map(|&(v, p)| {
                    let mut by = random.vector(0.18);
                    by.z *= if flat { 0.0 } else { 1.0 };
                    (v, p + by)
                })
                .collect();
            let done = r.deform(&moves).unwrap();
            assert_eq!((done.invalid, done.outside), (0, 0), "frame {frame}");
            check(&r, &scene);
        }
        assert_eq!(r.tally().fallbacks, 0);
    }
}

#[test]
fn on_a_curved_surface_particles_go_with_it() {
    let mut r = Registration::new(closed_surface(3, true), Policy::Tolerate);
    let near = r.map().leaves().next().unwrap();
    let at = r.map().centre(near);
    let p = r.insert_particle(&at, near).unwrap();
    let x = r.insert_point(p).unwrap();
    let go = at + Vec3::new(0.3, -0.2, 0.4);
    let _ = r.move_particle(p, &go).unwrap();
    let before = r.particle(p).unwrap().position;
    let moves: Vec<_> = r
        .map()
        .all_vertices()
        .map(|v| (v, r.map().position(v) * 1.5))
        .collect();
    let done = r.deform(&moves).unwrap();
    assert_eq!((done.cells, done.invalid), (r.map().leaf_count(), 0));
    let particle = *r.particle(p).unwrap();
    assert!((particle.position - before * 1.5).norm() < 1e-9);
    assert!(
        r.map()
            .cell_holds(r.crossed(x).next().unwrap(), &particle.position)
    );
}

#[test]
fn box_18_a_point_that_stays_in_its_cell_costs_no_edit() {
    let mut r = plane(4);
    let p = put(&mut r, 1.5, 1.5);
    let x = r.insert_point(p).unwrap();
    let before = r.edits();
    for i in 0..50 {
        go(&mut r, p, 1.1 + 0.016 * f64::from(i), 1.7);
    }
    assert_eq!(r.edits(), before);
    go(&mut r, p, 2.1, 1.7);
    // Out of one list, into one.
    assert_eq!(r.edits(), before + 2);
    assert_eq!(r.crossed(x).count(), 1);
}

#[test]
fn box_19_an_edge_is_looked_at_again_only_where_it_can_have_changed() {
    let mut r = plane(5);
    let (a, b) = (put(&mut r, 1.2, 1.2), put(&mut r, 1.8, 1.8));
    let x = r.insert_edge(a, b).unwrap();
    let before = r.edits();
    go(&mut r, a, 1.8, 1.1);
    go(&mut r, b, 1.1, 1.2);
    assert_eq!(r.edits(), before, "within one cell");
    // Across three cells: its ends stay in theirs, its middle sweeps into another one (Pitiot 2015,
    // fig. 5.6).
    let (c, d) = (put(&mut r, 1.5, 1.9), put(&mut r, 2.5, 2.1));
    let y = r.insert_edge(c, d).unwrap();
    let cells = |r: &Registration| r.crossed(y).collect::<BTreeSet<Cell>>();
    let over = cells(&r);
    let ends = [c, d].map(|p| r.map().cell(r.particle(p).unwrap().dart));
    go(&mut r, c, 1.9, 1.1);
    go(&mut r, d, 2.1, 2.9);
    assert_eq!(
        [c, d].map(|p| r.map().cell(r.particle(p).unwrap().dart)),
        ends
    );
    assert_ne!(cells(&r), over);
    let steady = r.edits();
    go(&mut r, d, 2.15, 2.9);
    assert_eq!(r.edits(), steady, "the same cells again");
    check(
        &r,
        &Scene {
            particles: vec![a, b, c, d],
            entities: vec![x, y],
        },
    );
}

#[test]
fn box_21_a_ring_reaches_into_islands() {
    // A triangle with sides that go around the middle of the grid (Pitiot 2015, fig. 5.4): cells
    // inside are its neighbours.
    let mut r = plane(9);
    let corners = [
        put(&mut r, 0.5, 0.6),
        put(&mut r, 8.5, 0.7),
        put(&mut r, 4.4, 8.5),
    ];
    let x = r.insert_triangle(corners).unwrap();
    let crossed: BTreeSet<Cell> = r.crossed(x).collect();
    let brute: BTreeSet<Cell> = rings(r.map())
        .into_iter()
        .filter(|(c, _)| crossed.contains(c))
        .flat_map(|(_, ring)| ring)
        .filter(|c| !crossed.contains(c))
        .collect();
    assert_eq!(r.ring(x).collect::<BTreeSet<_>>(), brute);
    let inside = r.map().leaves().nth(4 + 9).unwrap();
    assert!(brute.contains(&inside) && r.neighbours(inside, Kind::Triangle).eq([x]));
}

/// The least distance between an entity's points and `p`.
fn apart(r: &Registration, x: EntityId, p: &Vec3) -> f64 {
    use hapticd_geometry::closest::{point_segment, point_triangle};
    let ends = crate::oracle::positions(r, x);
    let near = match ends[..] {
        [a] => a,
        [a, b] => point_segment(p, &a, &b).0,
        _ => point_triangle(p, &[ends[0], ends[1], ends[2]]).0,
    };
    (near - p).norm()
}

#[test]
fn box_23_whatever_is_nearer_than_the_ring_is_wide_is_visible() {
    for kind in 0..SPACES {
        let mut world = World::new(kind, Policy::Exact, true, 77);
        for _ in 0..60 {
            let op = world.random.below(12) as u8;
            world.step(op);
        }
        for _ in 0..30 {
            let at = world.somewhere();
            let p = world.particle(at);
            let x = world.r.insert_point(p).unwrap();
            world.scene.entities.push(x);
        }
        let r = &mut world.r;
        let (mut out, mut near) = (Vec::new(), 0);
        for &x in &world.scene.entities {
            if r.kind(x) != Some(Kind::Point) {
                continue;
            }
            let p = crate::oracle::positions(r, x)[0];
            let c = r.crossed(x).next().unwrap();
            let width = r.ring_width_m(c);
            assert!(width > 0.0);
            let around = rings(r.map()).remove(&c).unwrap();
            for k in Kind::ALL {
                r.visible(x, k, &mut out);
                let seen: BTreeSet<EntityId> = out.iter().copied().collect();
                assert_eq!(seen.len(), out.len());
                for &y in world
                    .scene
                    .entities
                    .iter()
                    .filter(|&&y| y != x && r.kind(y) == Some(k))
                {
                    // Exactly those that cross the cell or its ring.
                    let crosses = r.crossed(y).any(|b| b == c || around.contains(&b));
                    assert_eq!(seen.contains(&y), crosses);
                    // The inside of a triangle belongs to the validity criterion. On a curved
                    // surface an edge is not where its chord is.
                    let straight = r.map().space() != Space::Surface || k == Kind::Point;
                    if straight && k != Kind::Triangle && apart(r, y, &p) < width {
                        near += 1;
                        assert!(crosses);
                    }
                }
            }
        }
        assert!(near > 5, "{kind}: {near}");
    }
    let grid = plane(5);
    let middle = grid.map().leaves().nth(12).unwrap();
    assert_eq!(grid.ring_width_m(middle), 1.0);
}

#[test]
fn box_24_what_is_removed_while_one_goes_through_is_told_by_its_generation() {
    let mut r = plane(3);
    let mut scene = Scene::default();
    for i in 0..20 {
        let p = put(&mut r, 1.05 + 0.04 * f64::from(i), 1.5);
        scene.particles.push(p);
        scene.entities.push(r.insert_point(p).unwrap());
    }
    let mut near = Vec::new();
    r.visible(scene.entities[0], Kind::Point, &mut near);
    assert_eq!(near.len(), 19);
    let mut met = 0;
    for i in 0..near.len() {
        let Some(kind) = r.kind(near[i]) else {
            continue;
        };
        assert_eq!(kind, Kind::Point);
        met += 1;
        // Each visited entity removes the next one, and a new one takes its slot.
        if let Some(&next) = near.get(i + 1) {
            let end = r.ends(next).next().unwrap();
            r.remove(next).unwrap();
            assert_eq!(
                r.remove(next),
                Err(RemoveError::Gone {
                    index: next.index() as u32,
                    generation: 0
                })
            );
            scene.entities.retain(|&x| x != next);
            let again = r.insert_point(end).unwrap();
            assert_eq!(again.index(), next.index());
            assert_ne!(again, next);
            scene.entities.push(again);
        }
    }
    assert_eq!(met, 10);
    check(&r, &scene);
    let p = scene.particles[0];
    assert!(matches!(
        r.remove_particle(p),
        Err(RemoveError::Used { users: 1, .. })
    ));
    let x = scene.entities[0];
    r.remove(x).unwrap();
    r.remove_particle(p).unwrap();
    assert!(matches!(
        r.move_particle(p, &Vec3::zeros()),
        Err(RemoveError::Gone { .. })
    ));
    assert!(matches!(r.insert_point(p), Err(InsertError::Gone { .. })));
    assert_eq!(
        (r.crossed(x).count(), r.ring(x).count(), r.ends(x).count()),
        (0, 0, 0)
    );
    r.visible(x, Kind::Point, &mut near);
    assert!(near.is_empty());
}

#[test]
fn bad_input_is_refused_and_changes_nothing() {
    let mut r = plane(3);
    let near = r.map().leaves().next().unwrap();
    let far = r
        .insert_particle(&Vec3::new(9.0, 1.0, 0.0), near)
        .unwrap_err();
    assert_eq!(
        far,
        TrackError::Outside {
            at: [9.0, 1.0, 0.0]
        }
    );
    assert!(matches!(
        r.insert_particle(&Vec3::new(1.0, f64::NAN, 0.0), near),
        Err(TrackError::NotFinite { .. })
    ));
    assert_eq!(
        r.insert_particle(&Vec3::new(1.0, 1.0, 0.5), near)
            .unwrap_err(),
        TrackError::Outside {
            at: [1.0, 1.0, 0.5]
        }
    );
    let (a, b) = (put(&mut r, 1.5, 1.5), put(&mut r, 1.5, 1.5));
    assert_eq!(r.insert_edge(a, a), Err(InsertError::Twice { index: 0 }));
    // Coincident points are points like others, and an edge without length is valid.
    let x = r.insert_edge(a, b).unwrap();
    let t = put(&mut r, 1.5, 1.5);
    let y = r.insert_triangle([a, b, t]).unwrap();
    assert!(matches!(
        r.move_particle(a, &Vec3::repeat(f64::NAN)),
        Err(RemoveError::Track(TrackError::NotFinite { .. }))
    ));
    let v = r.map().all_vertices().next().unwrap();
    for to in [Vec3::repeat(f64::NAN), Vec3::new(0.0, 0.0, 1.0)] {
        let before = r.map().position(v);
        let error = r.deform(&[(v, to)]).unwrap_err();
        assert!(
            matches!(
                error,
                MoveError::NotFinite { .. } | MoveError::OffPlane { .. }
            ),
            "{error}"
        );
        assert_eq!(r.map().position(v), before);
    }
    let blocked = r.move_particle(a, &Vec3::new(7.0, 1.5, 0.0)).unwrap();
    assert!(matches!(blocked, Outcome::Blocked { .. }));
    r.settle();
    check(
        &r,
        &Scene {
            particles: vec![a, b, t],
            entities: vec![x, y],
        },
    );
}

#[test]
fn box_30_cells_inside_out_are_reported_and_do_no_harm() {
    let mut r = Registration::new(bent_cubes(3, 0.0, 1), Policy::Exact);
    let (mut random, mut scene) = (Random(9), Scene::default());
    let near = r.map().leaves().next().unwrap();
    for _ in 0..40 {
        let p = r
            .insert_particle(&random.inside(Vec3::zeros(), Vec3::repeat(3.0)), near)
            .unwrap();
        scene.particles.push(p);
        scene.entities.push(r.insert_point(p).unwrap());
    }
    for ends in scene.particles.clone().chunks(2) {
        scene
            .entities
            .push(r.insert_edge(ends[0], ends[1]).unwrap());
    }
    let v = r
        .map()
        .all_vertices()
        .find(|&v| r.map().position(v) == Vec3::repeat(1.0))
        .unwrap();
    // Through the opposite corner of one of its cells.
    let done = r.deform(&[(v, Vec3::repeat(2.3))]).unwrap();
    let worst = done.worst.unwrap();
    assert!(done.cells == 8 && done.invalid > 0 && worst.measure <= 0.0);
    let invalid = r
        .map()
        .leaves()
        .filter(|&c| r.map().validity(c).is_err())
        .count();
    assert_eq!(done.invalid, invalid);
    for _ in 0..300 {
        let p = scene.particles[random.below(40)];
        let _ = r
            .move_particle(p, &random.inside(Vec3::zeros(), Vec3::repeat(3.0)))
            .unwrap();
        r.settle();
    }
    // And back: everything is exact again.
    let done = r.deform(&[(v, Vec3::repeat(1.1))]).unwrap();
    assert_eq!(done.invalid, 0);
    check(&r, &scene);
}

#[test]
fn box_31_a_place_is_in_one_cell_whichever_way_it_is_found() {
    // Both sides of a face have the same facets: each of the points near bent faces is in one cell,
    // except those on a facet.
    let map = bent_cubes(3, 0.3, 4);
    let mut random = Random(12);
    for _ in 0..4_000 {
        let p = random.inside(Vec3::repeat(0.5), Vec3::repeat(2.5));
        assert_eq!(
            map.leaves().filter(|&c| map.cell_holds(c, &p)).count(),
            1,
            "{p:?}"
        );
    }
}

#[test]
fn box_32_the_policy_decides_about_edges_within_a_cell_that_is_not_convex() {
    // A corner pushed into a cube: between two of the cube's points the segment passes through the
    // neighbour.
    let ends = [Vec3::new(1.09, 1.95, 1.99), Vec3::new(1.95, 1.09, 1.99)];
    let mut found = Vec::new();
    for policy in [Policy::Tolerate, Policy::Exact] {
        let mut r = Registration::new(bent_cubes(3, 0.0, 1), policy);
        let edge_end = r
            .map()
            .all_vertices()
            .find(|&v| r.map().position(v) == Vec3::new(1.0, 1.0, 2.0))
            .unwrap();
        assert_eq!(
            r.deform(&[(edge_end, Vec3::new(1.55, 1.55, 2.0))])
                .unwrap()
                .invalid,
            0
        );
        let near = r.map().leaves().nth(13).unwrap();
        let p = ends.map(|at| r.insert_particle(&at, near).unwrap());
        let cells = p.map(|p| r.map().cell(r.particle(p).unwrap().dart));
        let x = r.insert_edge(p[0], p[1]).unwrap();
        check(
            &r,
            &Scene {
                particles: p.to_vec(),
                entities: vec![x],
            },
        );
        found.push((
            cells,
            r.crossed(x).count(),
            r.crossed(x).count() + r.ring(x).count(),
        ));
    }
    let [(cells, tolerated, seen), (_, exact, _)] = found[..] else {
        panic!()
    };
    assert_eq!((cells[0], tolerated), (cells[1], 1));
    assert!(exact > 1, "{exact}");
    // Nevertheless visible where it clips.
    assert_eq!(seen, 27);
}

fn crowd(split: usize, balanced: bool, budget: usize) -> Scaler {
    Scaler::new(Density {
        kind: Kind::Point,
        split,
        merge: split / 2,
        finest: 4,
        coarsest: 0,
        budget,
        balanced,
    })
    .unwrap()
}

#[test]
fn boxes_27_and_28_crowds_are_refined_once_and_stay_so() {
    for balanced in [false, true] {
        for (mut r, flat) in [
            (plane(4), true),
            (
                Registration::new(bent_cubes(3, 0.0, 1), Policy::Tolerate),
                false,
            ),
        ] {
            let (mut random, mut scene) = (Random(4), Scene::default());
            let near = r.map().leaves().next().unwrap();
            for _ in 0..400 {
                // Most of them in a corner.
                let by = if random.unit() < 0.7 { 0.4 } else { 2.9 };
                let mut at = random.inside(Vec3::repeat(0.01), Vec3::repeat(by));
                at.z *= if flat { 0.0 } else { 1.0 };
                let p = r.insert_particle(&at, near).unwrap();
                scene.particles.push(p);
                scene.entities.push(r.insert_point(p).unwrap());
            }
            let mut scaler = crowd(8, balanced, 3);
            let mut steps = 0;
            loop {
                let done = scaler.step(&mut r);
                assert!(done.refined + done.merged <= 3);
                steps += 1;
                if !done.more && done.refined + done.merged == 0 {
                    break;
                }
                assert!(steps < 2_000);
            }
            check(&r, &scene);
            for c in r.map().leaves() {
                let finest = r.map().cell_level(c) == 4;
                assert!(r.population(c, Kind::Point) <= 8 || finest);
                if balanced {
                    for b in crate::common::ring(r.map(), c) {
                        assert!(r.map().cell_level(b).abs_diff(r.map().cell_level(c)) <= 1);
                    }
                }
            }
            // While nothing moves, nothing changes, however often cells are examined.
            for _ in 0..20 {
                for c in r.map().leaves().collect::<Vec<_>>() {
                    let some = r.present(c, Kind::Point).next();
                    if let Some(x) = some {
                        let end = r.ends(x).next().unwrap();
                        r.remove(x).unwrap();
                        let again = r.insert_point(end).unwrap();
                        scene.entities.retain(|&y| y != x);
                        scene.entities.push(again);
                    }
                }
                let done = scaler.step(&mut r);
                assert_eq!((done.refined, done.merged), (0, 0));
            }
            // All leave: the map is as it was.
            for x in std::mem::take(&mut scene.entities) {
                r.remove(x).unwrap();
            }
            for _ in 0..5_000 {
                let done = scaler.step(&mut r);
                if !done.more && done.merged == 0 {
                    break;
                }
            }
            check(&r, &scene);
            assert_eq!(r.map().leaf_count(), if flat { 16 } else { 27 });
        }
    }
    let bad = Density {
        merge: 5,
        ..crowd(8, false, 1).density()
    };
    assert_eq!(
        Scaler::new(bad).unwrap_err(),
        DensityError::Hysteresis { split: 8, merge: 5 }
    );
    let bad = Density {
        coarsest: 5,
        ..crowd(8, false, 1).density()
    };
    assert_eq!(
        Scaler::new(bad).unwrap_err(),
        DensityError::Levels {
            coarsest: 5,
            finest: 4
        }
    );
}

#[test]
fn box_29_refining_costs_the_same_in_a_large_environment() {
    let edits = |n: usize| {
        let mut r = plane(n);
        let mut random = Random(6);
        for _ in 0..30 {
            let (x, y) = (2.0 + random.unit(), 2.0 + random.unit());
            let p = put(&mut r, x, y);
            r.insert_point(p).unwrap();
        }
        // A crowd far away, if there is space for it.
        for _ in 0..20 * (n - 5) {
            let at = 5.0 + random.unit() * (n as f64 - 5.0);
            let p = put(&mut r, at, at);
            r.insert_point(p).unwrap();
        }
        let c = r.map().leaves().nth(2 + 2 * n).unwrap();
        let (before, tests) = (r.edits(), r.tally().tests);
        r.refine(c).unwrap();
        r.coarsen(c).unwrap();
        (r.edits() - before, r.tally().tests - tests)
    };
    let small = edits(6);
    assert_eq!(small, edits(40));
    assert_eq!(small.0, 4 * 30, "out and in, twice");
}

#[test]
fn updates_cost_in_proportion_to_what_moves_and_nothing_for_what_is_around() {
    // Edits of lists, tests of tracking and leaves with changed population, for the same walk of
    // `count` entities of each kind in a space of the given size.
    let costs = |n: usize, count: usize| {
        let mut r = plane(n);
        let mut random = Random(2);
        let mut ends = Vec::new();
        let mut at = || (1.5 + 6.0 * random.unit(), 1.5 + 6.0 * random.unit());
        for _ in 0..count {
            let (x, y) = at();
            let p =
                [(x, y), (x + 0.4, y - 0.3), (x - 0.2, y + 1.1)].map(|(x, y)| put(&mut r, x, y));
            r.insert_point(p[0]).unwrap();
            r.insert_edge(p[0], p[1]).unwrap();
            r.insert_triangle(p).unwrap();
            ends.extend(p);
        }
        let (edits, tests) = (r.edits(), r.tally().tests);
        for step in 0..20 {
            for &p in &ends {
                let by = 0.1 * f64::from(1 - 2 * (step % 2));
                let from = r.particle(p).unwrap().position;
                let _ = r
                    .move_particle(p, &(from + Vec3::new(by, 0.03, 0.0)))
                    .unwrap();
            }
            r.settle();
        }
        assert_eq!(r.tally().fallbacks, 0);
        (r.edits() - edits, r.tally().tests - tests)
    };
    let one = costs(12, 50);
    assert!(one.0 > 500 && one.1 > 3_000, "{one:?}");
    // A hundred times as many cells, and the same number of edits and tests.
    assert_eq!(costs(120, 50), one);
    // Four times as many entities cost four times as much, up to their random positions.
    let four = costs(12, 200);
    for (few, many) in [(one.0, four.0), (one.1, four.1)] {
        let ratio = many as f64 / few as f64;
        assert!((3.0..5.0).contains(&ratio), "{one:?} {four:?}");
    }
}

#[test]
fn identifiers_of_another_registration_and_odd_places_do_no_harm() {
    let (mut r, mut other) = (plane(3), plane(3));
    for i in 0..4 {
        let p = put(&mut other, 1.5, 0.5 + 0.5 * f64::from(i));
        other.insert_point(p).unwrap();
    }
    let stranger = put(&mut other, 0.5, 0.5);
    let foreign = other.insert_point(stranger).unwrap();
    // That index does not exist here.
    assert!(r.particle(stranger).is_none() && r.kind(foreign).is_none());
    assert!(matches!(
        r.insert_point(stranger),
        Err(InsertError::Gone { index: 4, .. })
    ));
    assert!(matches!(
        r.remove(foreign),
        Err(RemoveError::Gone { index: 4, .. })
    ));
    assert!(matches!(
        r.remove_particle(stranger),
        Err(RemoveError::Gone { index: 4, .. })
    ));
    let goal = Vec3::new(1.0, 1.0, 0.0);
    assert!(matches!(
        r.move_particle(stranger, &goal),
        Err(RemoveError::Gone { index: 4, .. })
    ));
    assert_eq!((r.users(stranger).count(), r.ends(foreign).len()), (0, 0));
    assert!(r.is_joined(foreign) && r.is_triangle_valid(foreign));
    let mut out = vec![foreign];
    r.visible(foreign, Kind::Point, &mut out);
    assert!(out.is_empty());
    // Moves of zero length: no edits, nothing dirty.
    let p = [(0.5, 0.5), (1.1, 0.9), (1.3, 1.52)].map(|(x, y)| put(&mut r, x, y));
    let x = r.insert_triangle(p).unwrap();
    let edits = r.edits();
    for p in p {
        let at = r.particle(p).unwrap().position;
        assert_eq!(r.move_particle(p, &at).unwrap(), Outcome::Reached);
        assert!(r.is_settled());
    }
    assert_eq!(r.edits(), edits);
    // As far out as a number can be: blocked at the boundary, and nothing is lost.
    for far in [1e9, 1e18, 1e150, f64::MAX] {
        for goal in [Vec3::new(far, 0.5, 0.0), Vec3::new(-far, far, 0.0)] {
            let outcome = r.move_particle(p[0], &goal).unwrap();
            assert!(
                matches!(outcome, Outcome::Blocked { share, .. } if (0.0..=1.0).contains(&share)),
                "{far}"
            );
            r.settle();
            let particle = *r.particle(p[0]).unwrap();
            assert!(
                particle.position.iter().all(|x| (0.0..=3.0).contains(x)),
                "{far}: {particle:?}"
            );
            assert!(
                r.map()
                    .cell_holds(r.map().cell(particle.dart), &particle.position)
            );
        }
        let outcome = r.move_particle(p[0], &Vec3::new(0.4, 0.6, 0.0)).unwrap();
        assert_eq!(outcome, Outcome::Reached);
    }
    r.settle();
    let scene = Scene {
        particles: p.to_vec(),
        entities: vec![x],
    };
    check(&r, &scene);
    let mut solid = Registration::new(bent_cubes(3, 0.2, 1), Policy::Exact);
    let mut curved = Registration::new(closed_surface(3, true), Policy::Exact);
    for r in [&mut solid, &mut curved] {
        let near = r.map().leaves().next().unwrap();
        let at = r.map().centre(near);
        let q = r.insert_particle(&at, near).unwrap();
        for far in [1e9, 1e18, 1e150, f64::MAX] {
            let _ = r.move_particle(q, &Vec3::new(-far, far, far)).unwrap();
            let particle = *r.particle(q).unwrap();
            assert!(particle.position.norm() < 10.0, "{far}: {particle:?}");
            assert!(r.map().has_dart(particle.dart));
        }
    }
}

#[test]
fn nothing_allocates_once_tables_are_large_enough() {
    for kind in 0..SPACES {
        let mut world = World::new(kind, Policy::Exact, false, 5);
        world.r.reserve(400_000, 400, 200, 4_000);
        for _ in 0..40 {
            world.insert();
        }
        let goals: Vec<(ParticleId, Vec3)> = (0..300)
            .map(|_| {
                (
                    world.scene.particles[world.random.below(world.scene.particles.len())],
                    world.somewhere(),
                )
            })
            .collect();
        let cells: Vec<Cell> = world.r.map().leaves().step_by(5).collect();
        let around = |r: &mut Registration| {
            for (i, (p, goal)) in goals.iter().enumerate() {
                let _ = r.move_particle(*p, goal);
                if i % 10 == 0 {
                    r.settle();
                }
            }
            r.settle();
            for &c in &cells {
                r.refine(c).unwrap();
            }
            for &c in cells.iter().rev() {
                r.coarsen(c).unwrap();
            }
        };
        around(&mut world.r);
        around(&mut world.r);
        let ((), calls) = counted(|| around(&mut world.r));
        assert_eq!(calls, 0, "{kind}");
        check(&world.r, &world.scene);
        assert_eq!(world.r.map().space() == Space::Volume, kind < 2);
    }
}

#[test]
fn box_26_merging_what_has_been_bent_moves_the_edges_of_neighbours_too() {
    // Vertices of a fine cell on its coarse neighbours' faces are moved. After merging they are
    // gone, and those faces are where they were. So particles that only passed by on the other side
    // must be located again.
    let mut r = Registration::new(bent_cubes(3, 0.0, 1), Policy::Exact);
    let (mut random, mut scene) = (Random(21), Scene::default());
    let middle = r.map().leaves().nth(13).unwrap();
    for _ in 0..150 {
        // Along the faces of the middle cell, close to them.
        let axis = random.below(3);
        let side = 1.0 + random.below(2) as f64;
        let mut ends = [0, 1].map(|_| random.inside(Vec3::repeat(0.7), Vec3::repeat(2.3)));
        for end in &mut ends {
            end[axis] = side + random.around(0.08);
        }
        let p = ends.map(|at| r.insert_particle(&at, middle).unwrap());
        scene.particles.extend(p);
        scene.entities.push(r.insert_edge(p[0], p[1]).unwrap());
    }
    let mut elsewhere = 0;
    for _ in 0..6 {
        r.refine(middle).unwrap();
        check(&r, &scene);
        let moves: Vec<_> = r
            .map()
            .all_vertices()
            .map(|v| (v, r.map().position(v)))
            .filter(|(_, p)| p.iter().any(|x| x.fract() != 0.0))
            .map(|(v, p)| (v, p.map(|x| (x * 2.0).round() / 2.0) + random.vector(0.12)))
            .collect();
        assert_eq!(moves.len(), 19);
        assert_eq!(r.deform(&moves).unwrap().invalid, 0);
        check(&r, &scene);
        let within = |r: &Registration| -> Vec<BTreeSet<Cell>> {
            scene
                .entities
                .iter()
                .map(|&x| r.crossed(x).collect())
                .collect()
        };
        let before = within(&r);
        r.coarsen(middle).unwrap();
        check(&r, &scene);
        elsewhere += before
            .iter()
            .zip(within(&r))
            .filter(|(was, is)| {
                *was != is
                    && was
                        .iter()
                        .all(|&c| r.map().parent(c).is_none() && r.map().is_leaf(c) && c != middle)
            })
            .count();
    }
    assert!(elsewhere > 5, "{elsewhere}");
}
