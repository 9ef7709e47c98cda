//! Edges and triangles on curved surfaces, and special paths there.

use std::collections::BTreeSet;

use hapticd_geometry::Vec3;
use hapticd_registration::map::{Cell, Map};
use hapticd_registration::registration::{Kind, ParticleId, Policy, Registration};
use hapticd_registration::track::Path;

use crate::common::{Random, closed_surface, hills, on_surface, rings, section};
use crate::oracle::{Scene, check};

fn put(r: &mut Registration, at: Vec3) -> ParticleId {
    let near = r.map().leaves().next().unwrap();
    r.insert_particle(&at, near).unwrap()
}

fn cell_of(r: &Registration, p: ParticleId) -> Cell {
    r.map().cell(r.particle(p).unwrap().dart)
}

/// A cube's surface of three squares a side, its top at z = 1.5.
fn cube() -> Registration {
    Registration::new(closed_surface(3, false), Policy::Tolerate)
}

fn at(x: f64, y: f64, z: f64) -> Vec3 {
    Vec3::new(x, y, z)
}

#[test]
fn box_19_on_a_curved_surface_an_edge_is_looked_at_again_only_where_it_can_have_changed() {
    let mut r = cube();
    let (a, b) = (
        put(&mut r, at(-0.3, -0.4, 1.5)),
        put(&mut r, at(0.4, 0.3, 1.5)),
    );
    let x = r.insert_edge(a, b).unwrap();
    let before = r.edits();
    let _ = r.move_particle(a, &at(0.4, -0.4, 1.5)).unwrap();
    let _ = r.move_particle(b, &at(-0.4, 0.4, 1.5)).unwrap();
    r.settle();
    assert_eq!(r.edits(), before, "within one cell");
    // Over the crease at x = 1.5. Its ends stay in their cells while its middle sweeps from one row
    // into the next and through a third cell.
    let (c, d) = (
        put(&mut r, at(0.6, 0.45, 1.5)),
        put(&mut r, at(1.5, 0.55, 1.4)),
    );
    let y = r.insert_edge(c, d).unwrap();
    let ends = [cell_of(&r, c), cell_of(&r, d)];
    let cells = |r: &Registration| r.crossed(y).collect::<BTreeSet<Cell>>();
    let over = cells(&r);
    let _ = r.move_particle(c, &at(1.45, -0.45, 1.5)).unwrap();
    r.settle();
    assert_eq!([cell_of(&r, c), cell_of(&r, d)], ends);
    let steady = r.edits();
    assert_ne!(cells(&r), over);
    let _ = r.move_particle(c, &at(1.45, -0.44, 1.5)).unwrap();
    r.settle();
    assert_eq!(r.edits(), steady, "the same cells again");
    let scene = Scene {
        particles: vec![a, b, c, d],
        entities: vec![x, y],
    };
    check(&r, &scene);
}

#[test]
fn box_21_on_a_curved_surface_a_ring_reaches_into_islands() {
    let mut r = Registration::new(closed_surface(10, true), Policy::Tolerate);
    let corners: Vec<ParticleId> = [0.1, 2.2, 4.3]
        .iter()
        .map(|turn: &f64| {
            let up = at(turn.cos(), turn.sin(), 0.9).normalize();
            // On the ball's faces, not on the ball.
            let cell = r
                .map()
                .leaves()
                .max_by(|&p, &q| {
                    let along = |c| r.map().centre(c).normalize().dot(&up);
                    along(p).total_cmp(&along(q))
                })
                .unwrap();
            let centre = r.map().centre(cell);
            put(&mut r, centre)
        })
        .collect();
    let x = r
        .insert_triangle([corners[0], corners[1], corners[2]])
        .unwrap();
    assert!(r.is_joined(x));
    let crossed: BTreeSet<Cell> = r.crossed(x).collect();
    let brute: BTreeSet<Cell> = rings(r.map())
        .into_iter()
        .filter(|(c, _)| crossed.contains(c))
        .flat_map(|(_, ring)| ring)
        .filter(|c| !crossed.contains(c))
        .collect();
    assert_eq!(r.ring(x).collect::<BTreeSet<_>>(), brute);
    // Its middle is beyond the ring: invalid. One cell wide, it is valid.
    let inside = |c: &Cell| {
        let q = corners.iter().map(|&p| r.particle(p).unwrap().position);
        let q: Vec<Vec3> = q.collect();
        let normal = (q[1] - q[0]).cross(&(q[2] - q[0]));
        let p = r.map().centre(*c);
        p.z > 0.0 && (0..3).all(|i| (q[(i + 1) % 3] - q[i]).cross(&(p - q[i])).dot(&normal) > 0.0)
    };
    let unseen = r
        .map()
        .leaves()
        .filter(inside)
        .any(|c| !crossed.contains(&c) && !brute.contains(&c));
    assert!(unseen && !r.is_triangle_valid(x));
    let middle = r.map().leaves().find(inside).unwrap();
    let close: Vec<Vec3> = r
        .map()
        .cell_darts(middle)
        .take(3)
        .map(|d| (r.map().start(d) * 2.0 + r.map().centre(middle)) / 3.0)
        .collect();
    let close: Vec<ParticleId> = close.into_iter().map(|p| put(&mut r, p)).collect();
    let y = r.insert_triangle([close[0], close[1], close[2]]).unwrap();
    assert!(r.is_triangle_valid(y));
    // The border closes around the pole: both of its sides are in the ring.
    let side = |up: bool| {
        brute
            .iter()
            .filter(|&&c| (r.map().centre(c).z > 6.7) == up)
            .count()
    };
    assert!(
        side(true) > 3 && side(false) > 8,
        "{} {}",
        side(true),
        side(false)
    );
}

#[test]
fn ways_from_centres_and_vertices_come_to_the_end_from_cell_to_cell() {
    let mut map = closed_surface(3, true);
    let cells: Vec<Cell> = map.leaves().step_by(7).collect();
    for c in cells {
        map.refine(c).unwrap();
    }
    let mut places = Vec::new();
    for d in map.all_darts().step_by(5) {
        let mut particle = map.particle_in(map.cell(d));
        places.push(particle);
        particle.position = map.start(d);
        particle.dart = d;
        places.push(particle);
        particle.position = (map.start(d) + map.start(map.phi1(d))) * 0.5;
        places.push(particle);
    }
    let rings = rings(&map);
    for a in &places {
        for b in &places {
            let mut way = Vec::new();
            match map.march_between(a, b, |c| way.push(c)) {
                Path::Reached(d) => assert!(map.cell_holds(map.cell(d), &b.position)),
                other => panic!("{a:?} {b:?}: {other:?}"),
            }
            assert_eq!(way[0], map.cell(a.dart));
            for pair in way.windows(2) {
                assert!(
                    pair[0] == pair[1] || rings[&pair[0]].contains(&pair[1]),
                    "{way:?}"
                );
            }
        }
    }
}

#[test]
fn along_a_straight_boundary_there_is_a_way() {
    for lift in [0.3, -0.3] {
        let mut r = Registration::new(hills(3, lift, 8, |_, _| false), Policy::Tolerate);
        let map = r.map();
        let rim = map
            .all_darts()
            .find(|&d| map.beyond(d) == d && map.start(d).y == 0.0 && map.start(d).x == 1.0)
            .unwrap();
        let (from, to) = (map.start(rim), map.start(map.phi1(rim)));
        let first = map.cell(rim);
        r.refine(first).unwrap();
        for child in r.map().children(first).collect::<Vec<_>>() {
            r.refine(child).unwrap();
        }
        let p = [0.05, 0.93].map(|share| put(&mut r, from.lerp(&to, share)));
        let x = r.insert_edge(p[0], p[1]).unwrap();
        assert!(r.is_joined(x));
        let crossed: BTreeSet<Cell> = r.crossed(x).collect();
        for i in 0..4 {
            let on = from.lerp(&to, 0.125 + 0.25 * f64::from(i));
            let here = r
                .map()
                .leaves()
                .find(|&c| r.map().cell_holds(c, &on))
                .unwrap();
            assert!(crossed.contains(&here), "{i}: {crossed:?}");
        }
    }
}

#[test]
fn what_does_not_hang_together_is_said() {
    // Two sheets, and a hole through one.
    let sheet = |z: f64, first: u32| {
        let corners = [
            at(0.0, 0.0, z),
            at(1.0, 0.1, z),
            at(1.0, 1.0, z + 0.2),
            at(0.0, 1.0, z),
        ];
        (corners, [first, first + 1, first + 2, first + 3])
    };
    let ((low, of_low), (high, of_high)) = (sheet(0.0, 0), sheet(5.0, 4));
    let map = Map::from_quads(&[low, high].concat(), &[of_low, of_high]).unwrap();
    let mut r = Registration::new(map, Policy::Tolerate);
    let cells: Vec<Cell> = r.map().leaves().collect();
    let p = [0, 1].map(|i| {
        let centre = r.map().centre(cells[i]);
        put(&mut r, centre)
    });
    let x = r.insert_edge(p[0], p[1]).unwrap();
    assert!(!r.is_joined(x));
    assert_eq!(
        r.crossed(x).collect::<BTreeSet<_>>(),
        cells.into_iter().collect()
    );

    let map = hills(5, 0.2, 2, |x, y| x == 2 && (1..4).contains(&y));
    let mut r = Registration::new(map, Policy::Tolerate);
    let ends = [at(0.6, 2.55, 0.0), at(4.4, 2.45, 0.0)].map(|near| {
        let mut random = Random(4);
        let mut best = Vec3::repeat(f64::INFINITY);
        for _ in 0..400 {
            let q = on_surface(r.map(), &mut random);
            if (q - near).xy().norm() < (best - near).xy().norm() {
                best = q;
            }
        }
        put(&mut r, best)
    });
    let x = r.insert_edge(ends[0], ends[1]).unwrap();
    assert!(!r.is_joined(x));
    // From both ends to the hole.
    let [a, b] = ends.map(|p| *r.particle(p).unwrap());
    let (brute, joined) = section(r.map(), &a, &b);
    assert!(!joined);
    assert_eq!(r.crossed(x).collect::<BTreeSet<_>>(), brute);
    let reach = |high: bool| {
        brute
            .iter()
            .filter(|&&c| (r.map().centre(c).x > 2.5) == high)
            .count()
    };
    assert!(reach(false) > 2 && reach(true) > 2);
    // Around the hole's end there is a path, which is reported again.
    let goal = a.position + at(0.0, -2.0, 0.0);
    let _ = r.move_particle(ends[0], &goal).unwrap();
    let goal = b.position + at(0.0, -2.0, 0.0);
    let _ = r.move_particle(ends[1], &goal).unwrap();
    r.settle();
    assert!(r.is_joined(x));
    let scene = Scene {
        particles: ends.to_vec(),
        entities: vec![x],
    };
    check(&r, &scene);
}

#[test]
fn ends_in_one_place_and_a_way_longer_than_the_limit() {
    let mut r = cube();
    let (a, b) = (
        put(&mut r, at(0.5, 0.2, 1.5)),
        put(&mut r, at(0.5, 0.2, 1.5)),
    );
    let x = r.insert_edge(a, b).unwrap();
    assert!(r.is_joined(x) && r.crossed(x).len() <= 2);
    // A strip of roofs, two triangles of each to be crossed.
    let n = 8_400_u32;
    let positions: Vec<Vec3> = (0..=n)
        .flat_map(|i| {
            let z = f64::from(i % 2) * 0.3;
            [at(f64::from(i), 0.0, z), at(f64::from(i), 1.0, z)]
        })
        .collect();
    let quads: Vec<[u32; 4]> = (0..n)
        .map(|i| [2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1])
        .collect();
    let map = Map::from_quads(&positions, &quads).unwrap();
    let mut r = Registration::new(map, Policy::Tolerate);
    let leaves: Vec<Cell> = r.map().leaves().collect();
    let p = [0, leaves.len() - 1].map(|i| {
        let centre = r.map().centre(leaves[i]);
        r.insert_particle(&centre, leaves[i]).unwrap()
    });
    let [from, to] = p.map(|p| *r.particle(p).unwrap());
    let mut visits = 0;
    assert_eq!(
        r.map().march_between(&from, &to, |_| visits += 1),
        Path::Lost
    );
    assert_eq!(visits, 1);
    let x = r.insert_edge(p[0], p[1]).unwrap();
    assert!(!r.is_joined(x));
    assert_eq!(r.crossed(x).len(), 2);
    // Half as far is within the limit.
    let middle = r.map().particle_in(leaves[leaves.len() / 2]);
    assert!(matches!(
        r.map().march_between(&from, &middle, |_| {}),
        Path::Reached(_)
    ));
    assert!(r.present(leaves[0], Kind::Edge).eq([x]));
}
