//! Fills a closed surface with tetrahedra: a grid over its bounds, five tetrahedra per box, and the
//! surface vertices embedded in them.
//!
//! # Theory
//!
//! A grid is used instead of a mesh that follows the surface (as in free-form lattices and embedded
//! simulation). Any closed surface will do, however badly meshed. Tetrahedra are well shaped by
//! construction, and their size, which sets the stable substep, is the caller's choice. The bounds
//! are divided exactly, so the lattice of a block is the block. A box is weighted by the fraction
//! of it that is inside (64 samples, by winding number along columns), which scales mass and
//! stiffness. Boxes without a sample inside are kept only where a surface vertex would otherwise be
//! outside the lattice. Boxes alternate between the two mirror images of the division in five, so
//! that faces match and no diagonal is preferred.
//!
//! Parts of the surface that are closer together than the length of a box move together.

use crate::Vec3;

/// Samples per box and axis.
const SAMPLES: usize = 4;
/// Smallest fill of a kept box: the fill of a box that holds a surface vertex but no sample.
const MIN_FILL: f64 = 1.0 / 64.0;
/// Offset of the samples from their cell centres, so that columns avoid the edges of surfaces with
/// round coordinates.
const SAMPLE_OFFSET: f64 = 0.1 / std::f64::consts::PI;

/// The two divisions of a box. Bit 0 of a corner is x, bit 1 y, bit 2 z.
const DIVISIONS: [[[usize; 4]; 5]; 2] = [
    [
        [0, 3, 5, 6],
        [1, 0, 3, 5],
        [2, 0, 3, 6],
        [4, 0, 5, 6],
        [7, 3, 5, 6],
    ],
    [
        [1, 2, 4, 7],
        [0, 1, 2, 4],
        [3, 1, 2, 7],
        [5, 1, 4, 7],
        [6, 2, 4, 7],
    ],
];

pub(super) struct Lattice {
    pub nodes: Vec<Vec3>,
    /// Corners of each tetrahedron, oriented for positive volume.
    pub tetrahedra: Vec<[u32; 4]>,
    /// Fraction of each tetrahedron that counts.
    pub fill: Vec<f64>,
    /// Particles and barycentric weights of each surface vertex.
    pub embedding: Vec<([u32; 4], [f64; 4])>,
}

struct Grid {
    low: Vec3,
    cell: Vec3,
    count: [usize; 3],
}

impl Grid {
    fn index(&self, i: [usize; 3]) -> usize {
        (i[2] * self.count[1] + i[1]) * self.count[0] + i[0]
    }

    fn boxes(&self) -> usize {
        self.count.iter().product()
    }

    fn of(&self, index: usize) -> [usize; 3] {
        let [nx, ny, _] = self.count;
        [index % nx, index / nx % ny, index / (nx * ny)]
    }

    fn corner(&self, i: [usize; 3], corner: usize) -> [usize; 3] {
        [0, 1, 2].map(|axis| i[axis] + (corner >> axis & 1))
    }

    fn point(&self, node: [usize; 3]) -> Vec3 {
        self.low + Vec3::from_fn(|axis, _| node[axis] as f64 * self.cell[axis])
    }

    /// First and last box that may contain the point.
    fn around(&self, p: &Vec3) -> [[usize; 3]; 2] {
        [-1e-9, 1e-9].map(|slack| {
            [0, 1, 2].map(|axis| {
                let at = (p[axis] - self.low[axis]) / self.cell[axis] + slack;
                (at.max(0.0) as usize).min(self.count[axis] - 1)
            })
        })
    }
}

/// Builds the lattice of a closed surface, with `cells` boxes along the longest side of its bounds.
pub(super) fn lattice(positions: &[Vec3], triangles: &[[u32; 3]], cells: u32) -> Lattice {
    let used = || triangles.iter().flatten().map(|&i| positions[i as usize]);
    let low = used().fold(Vec3::repeat(f64::INFINITY), |a, p| a.inf(&p));
    let size = used().fold(Vec3::repeat(f64::NEG_INFINITY), |a, p| a.sup(&p)) - low;
    let edge = size.max() / f64::from(cells);
    let count = [0, 1, 2].map(|axis| (size[axis] / edge).round().max(1.0) as usize);
    let cell = Vec3::from_fn(|axis, _| size[axis] / count[axis] as f64);
    let grid = Grid { low, cell, count };

    let mut fill = shares(&grid, positions, triangles);
    for p in positions {
        let candidates = boxes_between(grid.around(p));
        if candidates.clone().all(|i| fill[grid.index(i)] == 0.0) {
            fill[grid.index(grid.around(p)[0])] = MIN_FILL;
        }
    }

    let mut numbers = vec![u32::MAX; count.iter().map(|n| n + 1).product()];
    let mut built = Lattice {
        nodes: Vec::new(),
        tetrahedra: Vec::new(),
        fill: Vec::new(),
        embedding: Vec::with_capacity(positions.len()),
    };
    let mut first = vec![usize::MAX; grid.boxes()];
    for b in (0..grid.boxes()).filter(|b| fill[*b] > 0.0) {
        first[b] = built.tetrahedra.len();
        let i = grid.of(b);
        let corners: [u32; 8] = core::array::from_fn(|c| {
            let node = grid.corner(i, c);
            let n = (node[2] * (count[1] + 1) + node[1]) * (count[0] + 1) + node[0];
            if numbers[n] == u32::MAX {
                numbers[n] = built.nodes.len() as u32;
                built.nodes.push(grid.point(node));
            }
            numbers[n]
        });
        for division in DIVISIONS[(i[0] + i[1] + i[2]) % 2] {
            let mut t = division.map(|c| corners[c]);
            if signed_volume(&built.nodes, &t) < 0.0 {
                t.swap(2, 3);
            }
            built.tetrahedra.push(t);
            built.fill.push(fill[b]);
        }
    }
    for p in positions {
        let mut best = ([0; 4], [0.0; 4], f64::NEG_INFINITY);
        for i in boxes_between(grid.around(p)) {
            let from = first[grid.index(i)];
            if from == usize::MAX {
                continue;
            }
            for t in &built.tetrahedra[from..from + 5] {
                let weights = barycentric(&built.nodes, t, p);
                let least = weights.iter().copied().fold(f64::INFINITY, f64::min);
                if least > best.2 {
                    best = (*t, weights, least);
                }
            }
        }
        built.embedding.push((best.0, best.1));
    }
    built
}

fn boxes_between([from, to]: [[usize; 3]; 2]) -> impl Iterator<Item = [usize; 3]> + Clone {
    (from[2]..=to[2]).flat_map(move |z| {
        (from[1]..=to[1]).flat_map(move |y| (from[0]..=to[0]).map(move |x| [x, y, z]))
    })
}

fn signed_volume(nodes: &[Vec3], t: &[u32; 4]) -> f64 {
    let [a, b, c, d] = t.map(|i| nodes[i as usize]);
    (b - a).dot(&(c - a).cross(&(d - a)))
}

fn barycentric(nodes: &[Vec3], t: &[u32; 4], p: &Vec3) -> [f64; 4] {
    let [a, b, c, d] = t.map(|i| nodes[i as usize]);
    let whole = (b - a).dot(&(c - a).cross(&(d - a)));
    let wb = (p - a).dot(&(c - a).cross(&(d - a))) / whole;
    let wc = (b - a).dot(&(p - a).cross(&(d - a))) / whole;
    let wd = (b - a).dot(&(c - a).cross(&(p - a))) / whole;
    [1.0 - wb - wc - wd, wb, wc, wd]
}

/// Fraction of each box that is inside the surface.
fn shares(grid: &Grid, positions: &[Vec3], triangles: &[[u32; 3]]) -> Vec<f64> {
    let [nx, ny, nz] = grid.count;
    let (columns_x, columns_y) = (nx * SAMPLES, ny * SAMPLES);
    let place = |i: usize, axis: usize| {
        let in_cells = (i as f64 + 0.5 + SAMPLE_OFFSET) / SAMPLES as f64;
        grid.low[axis] + in_cells * grid.cell[axis]
    };
    // Where each column crosses the surface, and whether upwards out of it (+1) or into it (-1).
    let mut crossings: Vec<Vec<(f64, i32)>> = vec![Vec::new(); columns_x * columns_y];
    for t in triangles {
        let corners = t.map(|i| positions[i as usize]);
        let normal = (corners[1] - corners[0]).cross(&(corners[2] - corners[0]));
        if normal.z == 0.0 {
            continue;
        }
        let range = |axis: usize, columns: usize| {
            let (low, high) = (corners.iter()).fold((f64::INFINITY, f64::NEG_INFINITY), |r, c| {
                (r.0.min(c[axis]), r.1.max(c[axis]))
            });
            let step = grid.cell[axis] / SAMPLES as f64;
            let from = ((low - grid.low[axis]) / step - 1.0).max(0.0) as usize;
            let to = ((high - grid.low[axis]) / step + 1.0).max(0.0) as usize;
            from..to.min(columns)
        };
        for j in range(1, columns_y) {
            for i in range(0, columns_x) {
                let (x, y) = (place(i, 0), place(j, 1));
                if covers(t, &corners, x, y) {
                    let o = corners[0];
                    let z = o.z - (normal.x * (x - o.x) + normal.y * (y - o.y)) / normal.z;
                    let sense = if normal.z > 0.0 { 1 } else { -1 };
                    crossings[j * columns_x + i].push((z, sense));
                }
            }
        }
    }
    let mut inside = vec![0_u32; grid.boxes()];
    for (column, list) in crossings.iter().enumerate() {
        let (i, j) = (column % columns_x, column / columns_x);
        for k in 0..nz * SAMPLES {
            let z = place(k, 2);
            let winding: i32 = list.iter().filter(|c| c.0 > z).map(|c| c.1).sum();
            if winding > 0 {
                inside[grid.index([i / SAMPLES, j / SAMPLES, k / SAMPLES])] += 1;
            }
        }
    }
    let samples = (SAMPLES * SAMPLES * SAMPLES) as f64;
    inside.iter().map(|n| f64::from(*n) / samples).collect()
}

/// Whether `(x, y)` is under or over the triangle. Of two triangles with a common side, exactly one
/// covers a point near that side, because a side is always computed from its lower vertex.
fn covers(t: &[u32; 3], corners: &[Vec3; 3], x: f64, y: f64) -> bool {
    let mut odd = false;
    for i in 0..3 {
        let j = (i + 1) % 3;
        let (a, b) = if t[i] < t[j] {
            (&corners[i], &corners[j])
        } else {
            (&corners[j], &corners[i])
        };
        if (a.y > y) != (b.y > y) && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x {
            odd = !odd;
        }
    }
    odd
}
