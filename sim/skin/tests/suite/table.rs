//! The tables against known properties: the source's example, counts, rotations, and that
//! neighbours fit together.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use hapticd_skin::table::{Ambiguity, CORNERS, EDGES, FACES, Loops, STEPS, Table};

const BOTH: [Ambiguity; 2] = [Ambiguity::Separate, Ambiguity::Join];

/// Number of times that each side between two edges occurs, minus its reverse.
type Sides = BTreeMap<(u8, u8), i32>;

/// Loops as lists of edges, each starting with its lowest, sorted.
fn loops(corners: u8, ambiguity: Ambiguity) -> BTreeSet<Vec<u8>> {
    let loops = Loops::of(corners, ambiguity);
    let mut found = BTreeSet::new();
    for first in 0..12 {
        let Some(mut edge) = loops.after(first) else {
            continue;
        };
        let mut list = vec![first];
        while edge != first {
            list.push(edge);
            edge = loops.after(edge).unwrap();
        }
        let lowest = (0..list.len()).min_by_key(|&k| list[k]).unwrap();
        list.rotate_left(lowest);
        found.insert(list);
    }
    found
}

fn edge(a: u8, b: u8) -> u8 {
    let joins = |[c, d]: [u8; 2]| (a, b) == (c, d) || (b, a) == (c, d);
    EDGES.iter().position(|e| joins(*e)).unwrap() as u8
}

/// The source's example (section 3.3.2): a pentagon, and all neighbours but the one above.
#[test]
fn entry_241_is_the_sources() {
    for ambiguity in BOTH {
        let case = &Table::of(ambiguity).0[0b1111_0001];
        assert_eq!(
            loops(0b1111_0001, ambiguity),
            BTreeSet::from([vec![0, 3, 7, 6, 5]])
        );
        assert_eq!(case.count, 3);
        let missing: Vec<usize> = (0..6).filter(|f| case.neighbours >> f & 1 == 0).collect();
        assert_eq!(missing.len(), 1);
        assert_eq!(STEPS[missing[0]], [0, 0, 1]);
    }
}

#[test]
fn triangles_are_as_many_as_they_should_be() {
    for ambiguity in BOTH {
        let cases = &Table::of(ambiguity).0;
        let mut histogram = BTreeMap::new();
        for case in cases {
            *histogram.entry(case.count).or_insert(0) += 1;
        }
        let expected = [(0, 2), (1, 16), (2, 50), (3, 80), (4, 76), (5, 32)];
        assert_eq!(histogram, BTreeMap::from(expected), "{ambiguity:?}");
        let sum: u32 = cases.iter().map(|case| u32::from(case.count)).sum();
        assert_eq!(sum, 820);
        let longest = (0..=255).flat_map(|c| loops(c, ambiguity));
        assert_eq!(longest.map(|list| list.len()).max(), Some(7));
    }
}

/// Length of the loops and number of triangles of each class under rotation (digest's section 3.4).
#[test]
fn classes_are_the_sources_21() {
    let table: [(u8, &[usize], &[usize]); 21] = [
        (1, &[3], &[3]),
        (3, &[4], &[4]),
        (5, &[3, 3], &[6]),
        (20, &[3, 3], &[3, 3]),
        (7, &[5], &[5]),
        (21, &[3, 4], &[7]),
        (26, &[3, 3, 3], &[3, 6]),
        (15, &[4], &[4]),
        (23, &[6], &[6]),
        (27, &[6], &[6]),
        (29, &[6], &[6]),
        (30, &[3, 5], &[3, 5]),
        (60, &[4, 4], &[4, 4]),
        (90, &[3, 3, 3, 3], &[3, 3, 3, 3]),
        (31, &[5], &[5]),
        (61, &[7], &[3, 4]),
        (91, &[3, 6], &[3, 3, 3]),
        (63, &[4], &[4]),
        (95, &[6], &[3, 3]),
        (125, &[3, 3], &[3, 3]),
        (127, &[3], &[3]),
    ];
    let mut seen = BTreeSet::from([0, 255]);
    for (representative, separate, join) in table {
        let class: BTreeSet<u8> = rotations()
            .iter()
            .map(|r| turned(representative, r))
            .collect();
        assert!(class.is_disjoint(&seen), "{representative}");
        seen.extend(class);
        for (ambiguity, wanted) in [(Ambiguity::Separate, separate), (Ambiguity::Join, join)] {
            let list = loops(representative, ambiguity);
            let mut lengths: Vec<usize> = list.iter().map(Vec::len).collect();
            lengths.sort_unstable();
            assert_eq!(lengths, wanted, "{representative} {ambiguity:?}");
            let triangles: usize = wanted.iter().map(|n| n - 2).sum();
            let case = &Table::of(ambiguity).0[representative as usize];
            assert_eq!(usize::from(case.count), triangles);
        }
    }
    assert_eq!(seen.len(), 256);
}

/// Image of each corner under the 24 rotations of a cube.
fn rotations() -> Vec<[u8; 8]> {
    let mut found = Vec::new();
    for axes in [
        [0, 1, 2],
        [1, 2, 0],
        [2, 0, 1],
        [0, 2, 1],
        [2, 1, 0],
        [1, 0, 2],
    ] {
        let odd = [[0, 2, 1], [2, 1, 0], [1, 0, 2]].contains(&axes);
        for flips in 0..8_u8 {
            if (flips.count_ones() % 2 == 1) != odd {
                continue;
            }
            found.push(std::array::from_fn(|corner| {
                let place: [u8; 3] =
                    std::array::from_fn(|k| CORNERS[corner][axes[k]] ^ (flips >> k & 1));
                CORNERS.iter().position(|c| *c == place).unwrap() as u8
            }));
        }
    }
    assert_eq!(found.len(), 24);
    found
}

fn turned(corners: u8, rotation: &[u8; 8]) -> u8 {
    (0..8).fold(0, |all, c| all | (corners >> c & 1) << rotation[c as usize])
}

#[test]
fn a_turned_cube_has_turned_loops() {
    for ambiguity in BOTH {
        for corners in 0..=255 {
            for rotation in rotations() {
                let turn = |e: u8| {
                    let [a, b] = EDGES[e as usize];
                    edge(rotation[a as usize], rotation[b as usize])
                };
                let expected: BTreeSet<Vec<u8>> = loops(corners, ambiguity)
                    .into_iter()
                    .map(|list| {
                        let mut list: Vec<u8> = list.into_iter().map(turn).collect();
                        let lowest = (0..list.len()).min_by_key(|&k| list[k]).unwrap();
                        list.rotate_left(lowest);
                        list
                    })
                    .collect();
                assert_eq!(loops(turned(corners, &rotation), ambiguity), expected);
            }
        }
    }
}

/// One table separates what the other joins.
#[test]
fn each_table_is_the_other_inside_out() {
    let mut different = 0;
    for corners in 0..=255_u8 {
        let reversed: BTreeSet<Vec<u8>> = loops(!corners, Ambiguity::Separate)
            .into_iter()
            .map(|mut list| {
                list[1..].reverse();
                list
            })
            .collect();
        assert_eq!(loops(corners, Ambiguity::Join), reversed);
        different += usize::from(loops(corners, Ambiguity::Separate) != reversed);
    }
    assert_eq!(different, 120);
}

/// The neighbour's half: for two adjacent cubes with any corners, one closes what the other leaves
/// open in their common face, and nothing else of either lies in it.
#[test]
fn cubes_side_by_side_close_each_other() {
    for ambiguity in BOTH {
        let table = Table::of(ambiguity);
        for (f, step) in STEPS.iter().enumerate() {
            let back = STEPS
                .iter()
                .position(|s| (0..3).all(|k| s[k] == -step[k]))
                .unwrap();
            // The neighbour's corners on this face.
            let there = |corner: u8| {
                let place = CORNERS[corner as usize];
                let moved: [i8; 3] = std::array::from_fn(|k| place[k] as i8 - step[k]);
                let found = CORNERS.iter().position(|c| c.map(|x| x as i8) == moved);
                found.unwrap() as u8
            };
            let mut of_face: HashMap<u8, BTreeSet<Sides>> = HashMap::new();
            for corners in 0..=255_u8 {
                let key = FACES[f]
                    .iter()
                    .fold(0, |all, &c| all | (corners >> c & 1) << c);
                of_face
                    .entry(key)
                    .or_default()
                    .insert(within(table, corners, f, |c| c));
            }
            for corners in 0..=255_u8 {
                let mine = FACES[f]
                    .iter()
                    .fold(0, |all, &c| all | (corners >> there(c) & 1) << c);
                let other = within(table, corners, back, |c| {
                    FACES[f].into_iter().find(|&x| there(x) == c).unwrap()
                });
                // The two cubes have opposite sides in the face.
                let opposite: Sides = other
                    .into_iter()
                    .map(|(sides, count)| (sides, -count))
                    .collect();
                assert_eq!(of_face[&mine], BTreeSet::from([opposite]), "{ambiguity:?}");
            }
        }
    }
}

/// Sides of a cube's triangles that lie in one of its faces, between edges renamed by `name` from
/// their corners: count, minus reverse. A side that occurs in both directions would give 0, which
/// is not dropped.
fn within(table: &Table, corners: u8, face: usize, name: impl Fn(u8) -> u8) -> Sides {
    let of_face = |e: u8| EDGES[e as usize].iter().all(|c| FACES[face].contains(c));
    let mut found = BTreeMap::new();
    for [a, b, c] in table.0[corners as usize].triangles() {
        for (p, q) in [(*a, *b), (*b, *c), (*c, *a)] {
            if !(of_face(p) && of_face(q)) {
                continue;
            }
            let [p, q] = [p, q].map(|e| {
                let [a, b] = EDGES[e as usize];
                edge(name(a), name(b))
            });
            let (key, sign) = if p < q { ((p, q), 1) } else { ((q, p), -1) };
            *found.entry(key).or_insert(0) += sign;
        }
    }
    found
}

/// Every triangle faces away from the inside: with corners midway on the edges, the inner ends of
/// its edges lie behind its plane.
#[test]
fn triangles_face_outwards() {
    let middle = |e: u8| {
        let [a, b] = EDGES[e as usize].map(|c| CORNERS[c as usize].map(f64::from));
        [0, 1, 2].map(|k| (a[k] + b[k]) / 2.0)
    };
    for ambiguity in BOTH {
        for corners in 0..=255_u8 {
            let case = &Table::of(ambiguity).0[corners as usize];
            for triangle in case.triangles() {
                let [a, b, c] = triangle.map(middle);
                let [u, v] = [b, c].map(|p| [0, 1, 2].map(|k| p[k] - a[k]));
                let n = [0, 1, 2].map(|k| {
                    let (i, j) = ((k + 1) % 3, (k + 2) % 3);
                    u[i] * v[j] - u[j] * v[i]
                });
                // Summed over its edges: the direction from outside to inside is against the
                // normal.
                let along: f64 = triangle
                    .iter()
                    .map(|&e| {
                        let [p, q] = EDGES[e as usize];
                        let (from, to) = if corners >> p & 1 == 1 {
                            (q, p)
                        } else {
                            (p, q)
                        };
                        let way = |k: usize| {
                            f64::from(CORNERS[to as usize][k])
                                - f64::from(CORNERS[from as usize][k])
                        };
                        (0..3).map(|k| n[k] * way(k)).sum::<f64>()
                    })
                    .sum();
                assert!(along < 0.0, "{corners} {ambiguity:?} {triangle:?}");
            }
        }
    }
}
