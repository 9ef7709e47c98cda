//! A brick of 7³ cubes: the data kept of it, the bits of its nodes and edges, and the effect of the
//! domain's border.

use crate::domain::{Domain, SIDE};
use crate::lists::NONE;
use crate::sample::{NODES, Samples};
use crate::skin::Settings;
use crate::table::EDGES;

/// Result for one slot: a brick that something reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Number of its [`Brick`] if it has surface, else `NONE`.
    pub number: u32,
    /// True if bounds do not exclude a surface.
    pub sampled: bool,
    /// Nodes on the domain's border that would be inside.
    pub clipped: u16,
    /// As in [`Control`](super::Control). At most 343, the number of cubes.
    pub shared: u16,
    pub doubled: u16,
    pub torn: u16,
}

impl Found {
    /// Result of a brick that bounds exclude.
    pub fn none() -> Found {
        Found {
            number: NONE,
            sampled: false,
            clipped: 0,
            shared: 0,
            doubled: 0,
            torn: 0,
        }
    }
}

/// A brick with surface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Brick {
    pub place: [u16; 3],
    /// Index in the lists.
    pub slot: u32,
    /// Signs of its nodes, one bit each, by layer.
    pub inside: [u64; NODES],
    /// Number of its first vertex, and its number of vertices.
    pub first: u32,
    pub count: u32,
    /// First vertex on each layer and axis, relative to the brick's first.
    pub starts: [[u16; 3]; SIDE as usize],
    /// Part that made it, and the index of its first vertex there.
    pub part: u32,
    pub at: u32,
    /// Index among its part's mixed bricks, if it has more than one class.
    pub mixed: Option<u32>,
    /// Index of its vertices' cliques in its part, if it belongs to a union in which not all blend.
    pub creased: Option<u32>,
}

impl Brick {
    /// Creates a brick of one class without edges. The caller sets its slot and number of vertices.
    pub fn new(place: [u16; 3], inside: [u64; NODES], at: usize) -> Brick {
        Brick {
            place,
            slot: 0,
            inside,
            first: 0,
            count: 0,
            starts: [[0; 3]; SIDE as usize],
            part: 0,
            at: at as u32,
            mixed: None,
            creased: None,
        }
    }
}

/// Masks of a layer's nodes without the last along an axis, which the next brick owns.
pub(super) const NOT_LAST_X: u64 = 0x7f7f_7f7f_7f7f_7f7f;
pub(super) const OWN: u64 = NOT_LAST_X & (u64::MAX >> NODES);

/// Cut edges that belong to the brick along each axis, in one layer (for z, to the layer above):
/// those with ends on both sides.
#[inline]
pub(super) fn cuts(layer: u64, above: u64) -> [u64; 3] {
    [
        (layer ^ (layer >> 1)) & OWN,
        (layer ^ (layer >> NODES)) & OWN,
        (layer ^ above) & OWN,
    ]
}

/// Cubes of a layer with an inside node there or in the layer above.
#[inline]
pub(super) fn any_of(m: u64, n: u64) -> u64 {
    let both = m | n;
    both | both >> 1 | both >> NODES | both >> (NODES + 1)
}

/// Cubes with all nodes inside.
#[inline]
pub(super) fn all_of(m: u64, n: u64) -> u64 {
    let both = m & n;
    both & both >> 1 & both >> NODES & both >> (NODES + 1)
}

/// Case number of a cube, from the inside nodes of its lower and upper layers.
#[inline]
pub(super) fn corners(m: u64, n: u64, bit: usize) -> usize {
    let corners = |layer: u64| {
        let (here, next) = (layer >> bit, layer >> (bit + NODES));
        // Corners are numbered in a ring: back along x.
        (here & 3) | (next & 1) << 3 | (next & 2) << 1
    };
    (corners(m) | corners(n) << 4) as usize
}

/// For each edge of a cube: its axis, and its lower node relative to the cube's.
pub(super) const LOWER: [(usize, [usize; 3]); 12] = {
    let mut all = [(0, [0; 3]); 12];
    let mut e = 0;
    while e < 12 {
        let a = crate::table::CORNERS[EDGES[e][0] as usize];
        let b = crate::table::CORNERS[EDGES[e][1] as usize];
        let mut k = 0;
        while k < 3 {
            if a[k] != b[k] {
                all[e].0 = k;
            }
            all[e].1[k] = if a[k] < b[k] { a[k] } else { b[k] } as usize;
            k += 1;
        }
        e += 1;
    }
    all
};

/// Number of edge numbers by [`edge_number`](super::classes::edge_number), including neighbours'
/// edges on the far sides.
pub(super) const EDGE_NUMBERS: usize = 3 * NODES * NODES * NODES;

/// For each edge of a cube: offset of its number from that of the cube's first edge.
pub(super) const NUMBER: [usize; 12] = {
    let (mut all, mut e) = ([0; 12], 0);
    while e < 12 {
        let (axis, [x, y, z]) = LOWER[e];
        all[e] = (3 * z + axis) * NODES * NODES + NODES * y + x;
        e += 1;
    }
    all
};

/// Calls `with` for the cut edges of some cubes that belong to neighbours, on the far sides, by
/// layer and axis.
pub(super) fn far_cuts(
    cubes: &[u64; SIDE as usize],
    inside: &[u64; NODES],
    mut with: impl FnMut(usize, usize, u64),
) {
    for z in 0..NODES {
        let of = |z: usize| cubes.get(z).copied().unwrap_or(0);
        let around = of(z) | of(z.wrapping_sub(1));
        let across = of(z) | of(z) << 1;
        let edges = [
            around | around << NODES,
            around | around << 1,
            across | across << NODES,
        ];
        let layer = inside[z];
        let above = inside.get(z + 1).copied().unwrap_or(0);
        let next = [layer >> 1, layer >> NODES, above];
        let far = if z == SIDE as usize { u64::MAX } else { !OWN };
        for axis in 0..3 {
            let cut = (layer ^ next[axis]) & edges[axis] & far;
            if cut != 0 {
                with(z, axis, cut);
            }
        }
    }
}

/// Position of the level between two samples, 0 to 1. If the samples overflow single precision, it
/// is at one of them.
#[inline]
pub(crate) fn part_of(level: f32, from: f32, to: f32) -> f32 {
    let part = ((level - from) / (to - from)).clamp(0.0, 1.0);
    if part.is_nan() { 0.0 } else { part }
}

/// Position of the level on an edge, relative to the domain's lowest corner, m.
#[inline]
pub(super) fn crossing(
    settings: &Settings,
    samples: &Samples,
    at: &[[f32; NODES]; 3],
    node: [usize; 3],
    axis: usize,
) -> [f32; 3] {
    let value = |[x, y, z]: [usize; 3]| samples[z][y][x / 4].as_array()[x % 4];
    let mut next = node;
    next[axis] += 1;
    let (from, to) = (value(node), value(next));
    let share = part_of(settings.level as f32, from, to);
    let mut point = [0, 1, 2].map(|k| at[k][node[k]]);
    let (low, high) = (at[axis][node[axis]], at[axis][next[axis]]);
    point[axis] = low + share * (high - low);
    point
}

/// Indices of the set bits, ascending.
pub(super) fn bits_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// Tests which nodes are inside the domain and not on its border.
pub(super) struct Border {
    cells: [u32; 3],
}

impl Border {
    pub(super) fn of(domain: &Domain) -> Border {
        Border {
            cells: domain.cells(),
        }
    }

    pub(super) fn is_within(&self, axis: usize, node: u32) -> bool {
        node > 0 && node < self.cells[axis]
    }

    /// True if a brick has a node on the border or beyond it.
    pub(super) fn touches(&self, place: [u16; 3]) -> bool {
        (0..3).any(|k| {
            let first = u32::from(place[k]) * SIDE;
            !(self.is_within(k, first) && self.is_within(k, first + SIDE))
        })
    }

    /// Mask of the nodes of a layer that are within.
    pub(super) fn within(&self, place: [u16; 3], z: usize) -> u64 {
        let [x0, y0, z0] = place.map(|b| u32::from(b) * SIDE);
        if !self.is_within(2, z0 + z as u32) {
            return 0;
        }
        let row = (0..NODES).fold(0, |row, i| {
            row | u64::from(self.is_within(0, x0 + i as u32)) << i
        });
        (0..NODES).fold(0, |all, i| {
            let is = self.is_within(1, y0 + i as u32);
            all | if is { row << (NODES * i) } else { 0 }
        })
    }

    /// Number of these nodes that the brick owns and that are in the domain.
    pub(super) fn own(&self, place: [u16; 3], z: usize, bits: u64) -> usize {
        let at = |bit: usize| [bit % NODES, bit / NODES, z];
        let own = |bit: &usize| {
            (0..3).all(|k| {
                let node = u32::from(place[k]) * SIDE + at(*bit)[k] as u32;
                let last = at(*bit)[k] == SIDE as usize && node != self.cells[k];
                node <= self.cells[k] && !last
            })
        };
        bits_of(bits).filter(own).count()
    }
}
