//! Meshes, random numbers and brute-force references for the tests.
#![allow(dead_code)]

use std::collections::{BTreeMap, BTreeSet};

use hapticd_geometry::Vec3;
use hapticd_geometry::closest::point_segment;
use hapticd_registration::map::{Cell, Dart, Map, Marks, Space, Vertex, cubes};
use hapticd_registration::track::Particle;

/// A generator defined here, so that seeds never change their meaning (SplitMix64).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// In [0, 1).
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// In [-by, by).
    pub fn around(&mut self, by: f64) -> f64 {
        (2.0 * self.unit() - 1.0) * by
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn vector(&mut self, by: f64) -> Vec3 {
        Vec3::new(self.around(by), self.around(by), self.around(by))
    }

    pub fn inside(&mut self, low: Vec3, high: Vec3) -> Vec3 {
        low + Vec3::new(self.unit(), self.unit(), self.unit()).component_mul(&(high - low))
    }
}

/// `n` cubes a side of width 1 from the origin, inner vertices displaced by up to `amp` along each
/// axis.
pub fn bent_cubes(n: usize, amp: f64, seed: u64) -> Map {
    let mut random = Random(seed);
    let (mut positions, cells) = cubes(Vec3::zeros(), 1.0, [n; 3]).unwrap();
    for p in &mut positions {
        if p.iter().all(|&x| x > 0.0 && x < n as f64) {
            *p += random.vector(amp);
        }
    }
    Map::from_hexahedra(&positions, &cells).unwrap()
}

/// `n` squares a side of width 1 from the origin, inner vertices displaced.
pub fn bent_squares(n: usize, amp: f64, seed: u64) -> Map {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for y in 0..=n {
        for x in 0..=n {
            let mut p = Vec3::new(x as f64, y as f64, 0.0);
            if x > 0 && y > 0 && x < n && y < n {
                p += Vec3::new(random.around(amp), random.around(amp), 0.0);
            }
            positions.push(p);
        }
    }
    let at = |x: usize, y: usize| (x + (n + 1) * y) as u32;
    let mut quads = Vec::new();
    for y in 0..n {
        for x in 0..n {
            quads.push([at(x, y), at(x + 1, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
    }
    Map::from_quads(&positions, &quads).unwrap()
}

/// A unit square of triangles, `n` squares a side each cut in two.
pub fn triangles(n: usize) -> Map {
    let mut positions = Vec::new();
    for y in 0..=n {
        for x in 0..=n {
            positions.push(Vec3::new(x as f64, y as f64, 0.0));
        }
    }
    let at = |x: usize, y: usize| (x + (n + 1) * y) as u32;
    let mut list = Vec::new();
    for y in 0..n {
        for x in 0..n {
            list.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
            list.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
        }
    }
    Map::from_triangles(&positions, &list).unwrap()
}

/// The surface of a cube of `n` squares a side, blown up to a ball of radius `n` where `round`.
pub fn closed_surface(n: usize, round: bool) -> Map {
    let mut positions: Vec<Vec3> = Vec::new();
    let mut numbers: BTreeMap<[i64; 3], u32> = BTreeMap::new();
    let mut quads = Vec::new();
    let half = n as f64 / 2.0;
    let faces: [[[i64; 3]; 3]; 6] = [
        [[0, 0, 0], [0, 1, 0], [1, 0, 0]],
        [[0, 0, 1], [1, 0, 0], [0, 1, 0]],
        [[0, 0, 0], [1, 0, 0], [0, 0, 1]],
        [[0, 1, 0], [0, 0, 1], [1, 0, 0]],
        [[0, 0, 0], [0, 0, 1], [0, 1, 0]],
        [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
    ];
    let n = n as i64;
    for [o, u, v] in faces {
        let mut at = |i: i64, j: i64| {
            let key: [i64; 3] = std::array::from_fn(|k| o[k] * n + u[k] * i + v[k] * j);
            *numbers.entry(key).or_insert_with(|| {
                let p = Vec3::new(key[0] as f64, key[1] as f64, key[2] as f64) - Vec3::repeat(half);
                positions.push(if round { p.normalize() * n as f64 } else { p });
                positions.len() as u32 - 1
            })
        };
        for i in 0..n {
            for j in 0..n {
                quads.push([at(i, j), at(i + 1, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    Map::from_quads(&positions, &quads).unwrap()
}

/// Hills and valleys with a boundary around them: `n` squares a side of width 1, each cut in two,
/// lifted by up to `height`. Omits the triangles of squares for which `hole` is true.
pub fn hills(n: usize, height: f64, seed: u64, hole: impl Fn(usize, usize) -> bool) -> Map {
    let mut random = Random(seed);
    let mut positions = Vec::new();
    for y in 0..=n {
        for x in 0..=n {
            positions.push(Vec3::new(x as f64, y as f64, random.around(height)));
        }
    }
    let at = |x: usize, y: usize| (x + (n + 1) * y) as u32;
    let mut list = Vec::new();
    for y in 0..n {
        for x in 0..n {
            if !hole(x, y) {
                list.push([at(x, y), at(x + 1, y), at(x + 1, y + 1)]);
                list.push([at(x, y), at(x + 1, y + 1), at(x, y + 1)]);
            }
        }
    }
    Map::from_triangles(&positions, &list).unwrap()
}

/// A point of a curved surface, on any of its triangles.
pub fn on_surface(map: &Map, random: &mut Random) -> Vec3 {
    let darts: Vec<Dart> = map.all_darts().collect();
    let d = darts[random.below(darts.len())];
    let [v, s, e] = facet(map, d);
    let (mut a, mut b) = (0.02 + 0.96 * random.unit(), 0.02 + 0.96 * random.unit());
    if a + b > 1.0 {
        (a, b) = (1.0 - a, 1.0 - b);
    }
    v * (1.0 - a - b) + s * a + e * b
}

fn facet(map: &Map, d: Dart) -> [Vec3; 3] {
    [
        map.centre(map.cell(d)),
        map.start(d),
        map.start(map.phi1(d)),
    ]
}

/// A side of a triangle of a surface: an edge of the map, or from the centre of a cell to a vertex.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Side {
    Rim(usize),
    Spoke(Cell, Vertex),
}

/// The segment that a plane cuts out of a triangle: its two sides, and the positions there.
struct Piece {
    d: Dart,
    ends: [(Side, Vec3); 2],
}

fn cell_normal(map: &Map, c: Cell) -> Vec3 {
    let v = map.centre(c);
    let sum: Vec3 = map
        .cell_darts(c)
        .map(|d| (map.start(d) - v).cross(&(map.start(map.phi1(d)) - v)))
        .sum();
    sum.normalize()
}

/// All segments that the plane of a section cuts out of a surface.
fn pieces(map: &Map, from: &Particle, to: &Particle, level: f64) -> Vec<Piece> {
    let [up, other] = [from, to].map(|p| cell_normal(map, map.cell(p.dart)));
    let along = (to.position - from.position).normalize();
    let mut normal = along.cross(&(up + other));
    if normal.norm() <= 1e-6 {
        normal = along.cross(&up);
    }
    normal.normalize_mut();
    assert!(normal.iter().all(|x| x.is_finite()));
    let mut pieces = Vec::new();
    for d in map.all_darts() {
        let corners = facet(map, d);
        let h = corners.map(|p| normal.dot(&(p - from.position)));
        let sides = [
            Side::Rim(map.edge(d).index()),
            Side::Spoke(map.cell(d), map.vertex(map.phi1(d))),
            Side::Spoke(map.cell(d), map.vertex(d)),
        ];
        let mut ends = Vec::new();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            if (h[j] > level) != (h[k] > level) {
                let share = (h[j] / (h[j] - h[k])).clamp(0.0, 1.0);
                let at = corners[j].lerp(&corners[k], share);
                ends.push((sides[i], at));
            }
        }
        if let [a, b] = ends[..] {
            pieces.push(Piece { d, ends: [a, b] });
        }
    }
    pieces
}

/// The cells on the path between two particles on a curved surface, and whether it connects them,
/// by cutting all triangles and joining the pieces. Vertices on the plane count as above it or, if
/// that gives no path, as below it.
pub fn section(map: &Map, from: &Particle, to: &Particle) -> (BTreeSet<Cell>, bool) {
    let above = section_at(map, from, to, -map.tolerance_m());
    if above.1 {
        return above;
    }
    let below = section_at(map, from, to, map.tolerance_m());
    if below.1 { below } else { above }
}

/// Distance, in tolerances, up to which a particle counts as on a cut.
const AT: f64 = 1e3;

fn section_at(map: &Map, from: &Particle, to: &Particle, level: f64) -> (BTreeSet<Cell>, bool) {
    let mut cells: BTreeSet<Cell> = [from, to].map(|p| map.cell(p.dart)).into();
    let pieces = pieces(map, from, to, level);
    if pieces.is_empty() {
        return (cells, false);
    }
    // `None` where nothing is cut at the particle: at a boundary the plane may pass just outside,
    // and the nearest piece belongs to another place.
    let of = |p: &Particle| {
        let off = |k: usize| {
            let [a, b] = pieces[k].ends;
            (point_segment(&p.position, &a.1, &b.1).0 - p.position).norm()
        };
        (0..pieces.len())
            .min_by(|&i, &j| off(i).total_cmp(&off(j)))
            .filter(|&k| off(k) <= AT * map.tolerance_m())
    };
    let (Some(first), last) = (of(from), of(to)) else {
        return (cells, false);
    };
    if last == Some(first) {
        return (cells, true);
    }
    // From a piece, out by one of its ends: the pieces on the path with the length to the other
    // particle; or none, and whether it ended at a boundary.
    let arm = |first: usize, last: Option<usize>, start: Vec3, goal: Vec3, out: usize| {
        let (mut at, mut out) = (first, out);
        let mut way = vec![at];
        let mut length = (pieces[at].ends[out].1 - start).norm();
        loop {
            let (side, p) = pieces[at].ends[out];
            let next =
                (0..pieces.len()).find(|&k| k != at && pieces[k].ends.iter().any(|e| e.0 == side));
            match next {
                None => return (way, None, true),
                Some(k) if k == first => return (way, None, false),
                Some(k) => {
                    way.push(k);
                    if Some(k) == last {
                        return (way, Some(length + (goal - p).norm()), false);
                    }
                    out = usize::from(pieces[k].ends[0].0 == side);
                    length += (pieces[k].ends[1].1 - pieces[k].ends[0].1).norm();
                    at = k;
                }
            }
        }
    };
    let both = |i, j, start, goal| [0, 1].map(|out| arm(i, j, start, goal, out));
    let there = both(first, last, from.position, to.position);
    let best = there
        .iter()
        .filter_map(|(way, length, _)| length.map(|l| (l, way)))
        .min_by(|a, b| a.0.total_cmp(&b.0));
    let mut take = |way: &[usize]| cells.extend(way.iter().map(|&k| map.cell(pieces[k].d)));
    if let Some((_, way)) = best {
        take(way);
        return (cells, true);
    }
    for (i, j, start, goal) in [
        (Some(first), last, from.position, to.position),
        (last, Some(first), to.position, from.position),
    ] {
        let Some(i) = i else {
            break;
        };
        let towards = goal - start;
        let [a, b] = pieces[i].ends.map(|e| towards.dot(&e.1));
        let (way, _, boundary) = arm(i, j, start, goal, usize::from(b > a));
        if !boundary {
            break;
        }
        take(&way);
    }
    (cells, false)
}

/// The vertices of a cell, from its darts alone.
pub fn vertices_of(map: &Map, c: Cell) -> BTreeSet<Vertex> {
    map.cell_darts(c).map(|d| map.vertex(d)).collect()
}

/// All rings at once, from the vertices of the cells.
pub fn rings(map: &Map) -> BTreeMap<Cell, BTreeSet<Cell>> {
    let mut at: BTreeMap<Vertex, BTreeSet<Cell>> = BTreeMap::new();
    for c in map.leaves() {
        for v in vertices_of(map, c) {
            at.entry(v).or_default().insert(c);
        }
    }
    map.leaves()
        .map(|c| {
            let mut ring: BTreeSet<Cell> = vertices_of(map, c)
                .into_iter()
                .flat_map(|v| at[&v].clone())
                .collect();
            ring.remove(&c);
            (c, ring)
        })
        .collect()
}

pub fn ring(map: &Map, c: Cell) -> Vec<Cell> {
    let (mut marks, mut out) = (Marks::default(), Vec::new());
    map.ring(c, &mut marks, &mut out);
    out
}

/// Refines and merges at random, and validates the result. Returns how many of each there were.
pub fn shuffle(map: &mut Map, random: &mut Random, steps: usize, finest: u8) -> [usize; 2] {
    let mut done = [0; 2];
    for _ in 0..steps {
        let leaves: Vec<Cell> = map.leaves().collect();
        let c = leaves[random.below(leaves.len())];
        if random.unit() < 0.55 {
            if map.cell_level(c) < finest {
                map.refine(c).unwrap();
                done[0] += 1;
            }
        } else if let Some(parent) = map.parent(c)
            && map.coarsen(parent).is_ok()
        {
            done[1] += 1;
        }
    }
    done
}

type Key = [i64; 3];

/// The corners of a map's cells by position: the same for maps that differ in numbers only.
pub fn signature(map: &Map) -> BTreeMap<Vec<Key>, (usize, Key, Vec<Key>)> {
    let key = |p: Vec3| [p.x, p.y, p.z].map(|x| (x * 1e6).round() as i64);
    map.leaves()
        .map(|c| {
            let mut corners: Vec<_> = vertices_of(map, c)
                .into_iter()
                .map(|v| key(map.position(v)))
                .collect();
            corners.sort_unstable();
            let mut faces: Vec<_> = map
                .cell_darts(c)
                .filter(|_| map.space() == Space::Volume)
                .map(|d| key(map.face_centre(d)))
                .collect();
            faces.sort_unstable();
            (
                corners,
                (map.cell_darts(c).count(), key(map.centre(c)), faces),
            )
        })
        .collect()
}

/// Merges every family of siblings until all cells are at `level` or below.
pub fn coarsened(map: &Map, level: u8) -> Map {
    let mut map = map.clone();
    loop {
        let Some(parent) = map
            .leaves()
            .filter(|&c| map.cell_level(c) > level)
            .filter_map(|c| map.parent(c))
            .find(|&p| map.can_coarsen(p).is_ok())
        else {
            return map;
        };
        map.coarsen(parent).unwrap();
    }
}

/// The cells that a segment crosses, by cutting it with every tetrahedron or triangle.
pub fn crossed(map: &Map, a: &Vec3, b: &Vec3) -> BTreeSet<Cell> {
    map.leaves()
        .filter(|&c| map.cell_darts(c).any(|d| stretch(map, d, a, b) > 0.0))
        .collect()
}

/// The share of the segment inside `T(d)`.
fn stretch(map: &Map, d: Dart, a: &Vec3, b: &Vec3) -> f64 {
    let v = map.centre(map.cell(d));
    let (s, e, f) = (map.start(d), map.start(map.phi1(d)), map.face_centre(d));
    // Planes with the inside on their positive side.
    let sides: Vec<(Vec3, Vec3)> = if map.space() == Space::Volume {
        let plane = |p: Vec3, q: Vec3, r: Vec3, inside: Vec3| {
            let n = (q - p).cross(&(r - p));
            (p, if n.dot(&(inside - p)) < 0.0 { -n } else { n })
        };
        vec![
            plane(v, s, e, f),
            plane(v, s, f, e),
            plane(v, e, f, s),
            plane(s, e, f, v),
        ]
    } else {
        let line = |p: Vec3, q: Vec3| (p, Vec3::z().cross(&(q - p)));
        vec![line(v, s), line(s, e), line(e, v)]
    };
    let (mut low, mut high) = (0.0_f64, 1.0_f64);
    for (p, n) in sides {
        let (from, to) = (n.dot(&(a - p)), n.dot(&(b - p)));
        if from < 0.0 && to < 0.0 {
            return 0.0;
        }
        if from > to {
            high = high.min(from / (from - to));
        } else if from < to {
            low = low.max(from / (from - to));
        }
    }
    high - low
}
