//! A brick of 7³ cubes: what is kept of it, the bits of its nodes and edges, and what the domain's
//! border does to it.

use crate::domain::Domain;
use crate::lists::{NONE, SIDE};
use crate::sample::{NODES, Samples};
use crate::skin::Settings;
use crate::table::EDGES;

/// What was found where something reaches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Found {
    /// Of its brick, if there is surface; `NONE`.
    pub number: u32,
    /// Whether bounds left room for a surface.
    pub sampled: bool,
    /// Nodes on the domain's border that would be inside.
    pub clipped: u16,
    /// Of [`Control`](super::Control): there are 343 cubes.
    pub shared: u16,
    pub doubled: u16,
    pub torn: u16,
}

impl Found {
    /// Excluded by bounds.
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
    /// In the lists.
    pub slot: u32,
    /// Signs of its nodes, a bit each, by layers.
    pub inside: [u64; NODES],
    /// The number of its first vertex, and how many it has.
    pub first: u32,
    pub count: u32,
    /// Of its vertices: the first on each layer and axis.
    pub starts: [[u16; 3]; SIDE as usize],
    /// The part that has made it, and where its vertices are there.
    pub part: u32,
    pub at: u32,
    /// If it has more than one class: where it is among those of its part.
    pub mixed: Option<u32>,
    /// If it is of a union in which not all blend: where its vertices' cliques are, among those of
    /// its part.
    pub creased: Option<u32>,
}

impl Brick {
    /// Of one class, and without edges; who keeps it says which it is and how many vertices it has.
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

/// Columns of a layer: all of its nodes but the last along an axis, by which bricks overlap.
pub(super) const NOT_LAST_X: u64 = 0x7f7f_7f7f_7f7f_7f7f;
pub(super) const OWN: u64 = NOT_LAST_X & (u64::MAX >> NODES);

/// On both sides of each edge along the axes, in one layer (z: with the layer above). Edges that
/// belong to the brick.
#[inline]
pub(super) fn cuts(layer: u64, above: u64) -> [u64; 3] {
    [
        (layer ^ (layer >> 1)) & OWN,
        (layer ^ (layer >> NODES)) & OWN,
        (layer ^ above) & OWN,
    ]
}

/// The cubes of a layer with a node in it or in the layer above.
#[inline]
pub(super) fn any_of(m: u64, n: u64) -> u64 {
    let both = m | n;
    both | both >> 1 | both >> NODES | both >> (NODES + 1)
}

/// The cubes all of whose nodes are in.
#[inline]
pub(super) fn all_of(m: u64, n: u64) -> u64 {
    let both = m & n;
    both & both >> 1 & both >> NODES & both >> (NODES + 1)
}

/// The number of a cube's case, from the nodes of its lower and its upper layer that are in.
#[inline]
pub(super) fn corners(m: u64, n: u64, bit: usize) -> usize {
    let corners = |layer: u64| {
        let (here, next) = (layer >> bit, layer >> (bit + NODES));
        // The numbering goes round: back along x.
        (here & 3) | (next & 1) << 3 | (next & 2) << 1
    };
    (corners(m) | corners(n) << 4) as usize
}

/// For each edge of a cube its axis, and its lower node from the cube's.
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

/// How many numbers edges have by [`edge_number`](super::classes::edge_number), those of neighbours
/// on the far sides among them.
pub(super) const EDGE_NUMBERS: usize = 3 * NODES * NODES * NODES;

/// For each edge of a cube: how far its number is from that of the cube's first.
pub(super) const NUMBER: [usize; 12] = {
    let (mut all, mut e) = ([0; 12], 0);
    while e < 12 {
        let (axis, [x, y, z]) = LOWER[e];
        all[e] = (3 * z + axis) * NODES * NODES + NODES * y + x;
        e += 1;
    }
    all
};

/// The edges of some cubes that are neighbours', on the far sides, by layers and axes; of those the
/// ones that are cut, by the nodes that are in.
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

/// Where the level is between two samples, 0 to 1. Where they are beyond single precision: at one
/// of them.
#[inline]
pub(crate) fn part_of(level: f32, from: f32, to: f32) -> f32 {
    let part = ((level - from) / (to - from)).clamp(0.0, 1.0);
    if part.is_nan() { 0.0 } else { part }
}

/// Where the level is on an edge, from the domain's lowest corner, m.
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

/// Places of the bits that are set, from the lowest on.
pub(super) fn bits_of(mut bits: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (bits != 0).then(|| bits.trailing_zeros() as usize);
        bits &= bits.wrapping_sub(1);
        next
    })
}

/// The nodes of the domain that are neither on its border nor beyond it.
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

    /// Whether a brick has a node that is not.
    pub(super) fn touches(&self, place: [u16; 3]) -> bool {
        (0..3).any(|k| {
            let first = u32::from(place[k]) * SIDE;
            !(self.is_within(k, first) && self.is_within(k, first + SIDE))
        })
    }

    /// A bit for each node of a layer.
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

    /// How many of these are the brick's own and in the domain.
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
