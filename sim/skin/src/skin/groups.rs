//! Bricks with classes known before any node is evaluated. Each class is the part of a group that
//! reaches a cube, and a group's potential is summed in lanes.
//!
//! # Theory
//!
//! Classes are found cube by cube because *blends with* is not an equivalence in a whole brick: the
//! two ends of a strand that passes through it do not blend. A *group* is a connected component of
//! the blending relation in a brick, such as a strand that passes through once. Assume that no two
//! members of a group that may not blend reach a common cube. Then in every cube the members of a
//! group that reach it are a class, and there are no other classes. (Two members of a class are
//! connected, and connected members that reach a cube may blend.) Only cubes with a node that may
//! be inside something are tested: the others yield nothing. So a group's potential is summed once
//! for all nodes, four at a time. At a node, its sum has the terms of the class there in the same
//! order, and zeros, which change no bit.
//!
//! From there on a brick of groups is handled as one ordinary brick per group: signs are bits, and
//! cut cubes and edges are words. A group is pressed by the largest excess of all, or by the second
//! largest if the largest is its own. Bricks that violate the assumption are handled by
//! [`classes`](super::classes), node by node. Both make the same vertices on the edges that they
//! share.
//!
//! # Practice
//!
//! A vertex is named as in `classes`: by the first member of its class that reaches the edge.
//! Groups are in the order of their first members in the brick. Classes of an edge or a cube are in
//! the order of their first members there, which are searched only if there is more than one class.
//! Allocates only when a mesh exceeds all earlier ones in size.

use wide::f32x4;

use super::brick::{OWN, any_of, bits_of};
use super::classes::{Apart, Together, ends};
use crate::blend::{Bulge, Set, members};
use crate::domain::SIDE;
use crate::sample::{NODES, Samples};

mod mesh;
#[cfg(test)]
mod tests;

use mesh::{EdgeBall, GatheredPoint, NamedVertex};

/// Layers of cubes in a brick.
const LAYERS: usize = SIDE as usize;

/// All zeros.
const BLANK: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];

/// Groups of the current brick.
#[derive(Clone, Debug, Default)]
pub(super) struct Groups {
    /// Members, as places in the brick's list: one set per group, and all groups concatenated with
    /// their offsets.
    sets: Vec<Set>,
    members: Vec<u8>,
    begins: Vec<usize>,
    /// True if all members of each group precede those of the next: classes are then in the order
    /// of groups.
    in_order: bool,
    /// Group by place in the list.
    pub of: Vec<u8>,
    /// Potential at the nodes, by group; net of the other groups' effect after [`Groups::press`].
    pub sums: Vec<Samples>,
    /// Sum of the other groups' bulges at the nodes, by group; empty without bulges.
    swells: Vec<Samples>,
    /// Nodes that each group reaches, and nodes inside it, by layer.
    reached: Vec<[u64; NODES]>,
    inside: Vec<[u64; NODES]>,
    /// Cubes reached by each place in the list, by layer; only cubes with a node that may be
    /// inside.
    cubes: Vec<[u64; LAYERS]>,
    /// Cut edges or cubes of the current layer, by group.
    cut: Vec<u64>,
    /// Groups that cut the current edge or cube: the place of the first member that reaches it, and
    /// the group.
    order: Vec<(u32, u8)>,
    made: Vec<NamedVertex>,
    /// Ball at each place in the list, if it is one.
    balls: Vec<Option<EdgeBall>>,
    /// Members that reach a cube which more than one group reaches, and the offset of each list.
    /// One list by layer of cubes and group; the last layer stands for all cubes.
    near: Vec<u8>,
    /// Nodes that each of these members reaches, in the lower and the upper layer of the cubes.
    words: Vec<[u64; 2]>,
    near_begins: Vec<usize>,
    /// Vertex number by group and edge.
    numbers: Vec<u32>,
    beside: Vec<GatheredPoint>,
}

/// A node as layer and bit.
type Node = (usize, usize);

/// Tests two nodes against a board; the lowest bit tells whether either is on it.
#[inline]
fn bits_at(board: &[u64; NODES], [a, b]: [Node; 2]) -> u64 {
    board[a.0 % NODES] >> (a.1 % 64) | board[b.0 % NODES] >> (b.1 % 64)
}

#[inline]
fn meets(board: &[u64; NODES], ends: [Node; 2]) -> bool {
    bits_at(board, ends) & 1 == 1
}

/// A set under construction, held in two registers.
#[derive(Default)]
pub(super) struct Halves {
    low: u64,
    high: u64,
}

impl Halves {
    /// Adds the `i`-th member if `bit` is 1.
    #[inline]
    pub fn put(&mut self, i: u32, bit: u64) {
        let (bit, high) = (bit << (i % 64), u64::from(i / 64 % 2));
        self.low |= bit & high.wrapping_sub(1);
        self.high |= bit & high.wrapping_neg();
    }

    pub fn set(&self) -> Set {
        Set::from(self.low) | Set::from(self.high) << 64
    }
}

/// Nodes of some cubes.
fn nodes_of(cubes: &[u64; LAYERS]) -> [u64; NODES] {
    let mut nodes = [0; NODES];
    for (z, cubes) in cubes.iter().enumerate() {
        let layer = cubes | cubes << 1 | cubes << NODES | cubes << (NODES + 1);
        nodes[z] |= layer;
        nodes[z + 1] |= layer;
    }
    nodes
}

/// Nodes above a level, by layer.
pub(super) fn above(samples: &Samples, level: f32) -> [u64; NODES] {
    let level = f32x4::splat(level);
    samples.map(|layer| {
        let rows = layer.iter().enumerate();
        rows.fold(0, |bits, (y, row)| {
            let [low, high] = row.map(|half| u64::from(half.simd_gt(level).to_bitmask()));
            bits | (low | high << 4) << (NODES * y)
        })
    })
}

impl Groups {
    /// Finds the connected components of the blending relation, and sets their sums to 0.
    pub fn find(&mut self, may: &[Set]) {
        self.sets.clear();
        self.members.clear();
        self.begins.clear();
        self.of.clear();
        self.of.resize(may.len(), 0);
        let mut left = if may.is_empty() {
            0
        } else {
            Set::MAX >> (Set::BITS - may.len() as u32)
        };
        while left != 0 {
            let mut set = left & left.wrapping_neg();
            let mut fresh = set;
            while fresh != 0 {
                let more = may[fresh.trailing_zeros() as usize] & !set;
                fresh = fresh & (fresh - 1) | more;
                set |= more;
            }
            left &= !set;
            self.begins.push(self.members.len());
            for i in members(set) {
                self.of[i] = self.sets.len() as u8;
                self.members.push(i as u8);
            }
            self.sets.push(set);
        }
        self.begins.push(self.members.len());
        self.in_order = self.members.is_sorted();
        self.sums.clear();
        self.sums.resize(self.sets.len(), BLANK);
    }

    /// Tests whether the classes of each cube with a `maybe` node are the groups' members that
    /// reach it. If so, computes all data of the groups that follow from the nodes that each member
    /// reaches.
    pub fn are_classes(
        &mut self,
        may: &[Set],
        boards: &[[u64; NODES]],
        maybe: &[u64; NODES],
    ) -> bool {
        let hot: [u64; LAYERS] = std::array::from_fn(|z| any_of(maybe[z], maybe[z + 1]) & OWN);
        self.cubes.clear();
        self.cubes.extend((boards.iter()).map(|board| {
            std::array::from_fn::<u64, LAYERS, _>(|z| any_of(board[z], board[z + 1]) & hot[z])
        }));
        for (k, set) in self.sets.iter().enumerate() {
            for i in &self.members[self.begins[k]..self.begins[k + 1]] {
                let strangers = set & !may[*i as usize] & (Set::MAX << *i);
                let own = &self.cubes[*i as usize];
                let meets = |j: usize| (0..LAYERS).any(|z| own[z] & self.cubes[j][z] != 0);
                if members(strangers).any(meets) {
                    return false;
                }
            }
        }
        self.reached.clear();
        self.reached.resize(self.sets.len(), [0; NODES]);
        for (group, board) in self.of.iter().zip(boards) {
            for (all, bits) in self.reached[*group as usize].iter_mut().zip(board) {
                *all |= bits;
            }
        }
        true
    }

    /// Cubes and own edges that more than one group reaches.
    pub fn apart(&self) -> Apart {
        let (mut one, mut more) = (Apart::default(), Apart::default());
        let note = |one: &mut u64, more: &mut u64, bits: u64| {
            *more |= *one & bits;
            *one |= bits;
        };
        for board in &self.reached {
            for z in 0..LAYERS {
                let cubes = any_of(board[z], board[z + 1]);
                note(&mut one.cubes[z], &mut more.cubes[z], cubes);
                for (axis, edges) in ends(board, z).into_iter().enumerate() {
                    note(&mut one.edges[z][axis], &mut more.edges[z][axis], edges);
                }
            }
        }
        more
    }

    /// Calls `with` for pairs of groups that share an inside node among `nodes`, each given by the
    /// place of its first member.
    pub fn in_common(&self, nodes: &[u64; NODES], level: f32, mut with: impl FnMut(usize, usize)) {
        for (k, a) in self.sums.iter().enumerate() {
            let a = above(a, level);
            if (0..NODES).all(|z| a[z] & nodes[z] == 0) {
                continue;
            }
            for (j, b) in self.sums[..k].iter().enumerate() {
                let b = above(b, level);
                if (0..NODES).any(|z| a[z] & b[z] & nodes[z] != 0) {
                    let first = |k: usize| self.members[self.begins[k]] as usize;
                    with(first(j), first(k));
                }
            }
        }
    }

    /// Members of a group that reach a cube which more than one group reaches, for one layer of
    /// cubes, or for all after the last layer.
    #[inline]
    fn near(&self, layer: usize, group: usize) -> &[u8] {
        let k = layer * self.sets.len() + group;
        &self.near[self.near_begins[k]..self.near_begins[k + 1]]
    }

    /// Builds the lists that `near` returns.
    fn find_near(&mut self, boards: &[[u64; NODES]], odd: &[u64; LAYERS]) {
        self.near.clear();
        self.words.clear();
        self.near_begins.clear();
        self.near_begins.push(0);
        for z in 0..=LAYERS {
            for k in 0..self.sets.len() {
                let range = self.begins[k]..self.begins[k + 1];
                let mut count = self.near.len();
                self.near.resize(count + range.len(), 0);
                for i in &self.members[range] {
                    let cubes = &self.cubes[usize::from(*i)];
                    let reached = match odd.get(z) {
                        Some(odd) => cubes[z] & odd,
                        None => (0..LAYERS).fold(0, |all, z| all | cubes[z] & odd[z]),
                    };
                    self.near[count] = *i;
                    count += usize::from(reached != 0);
                }
                self.near.truncate(count);
                if z < LAYERS {
                    let some = self.near[self.words.len()..].iter();
                    let words = some.map(|i| {
                        let board = &boards[usize::from(*i)];
                        [board[z], board[z + 1]]
                    });
                    self.words.extend(words);
                }
                self.near_begins.push(self.near.len());
            }
        }
    }

    /// Sets [`Groups::order`] to the groups with a bit set in their mask. Branch-free per group,
    /// since the bits are unpredictable.
    #[inline]
    fn with_bit(&mut self, bit: usize) {
        self.order.resize(self.cut.len(), (0, 0));
        let mut count = 0;
        for (k, cut) in (0..).zip(&self.cut) {
            self.order[count] = (0, k);
            count += (cut >> bit & 1) as usize;
        }
        self.order.truncate(count);
    }

    /// Sorts [`Groups::order`] by the first member of each group that reaches a place.
    fn sort_by(&mut self, first: impl Fn(&Groups, usize) -> Option<u8>) {
        if self.order.len() > 1 && !self.in_order {
            let mut order = std::mem::take(&mut self.order);
            for (place, k) in &mut order {
                *place = first(self, usize::from(*k)).map_or(u32::MAX, u32::from);
            }
            order.sort_unstable();
            self.order = order;
        }
    }

    /// Members of a group that reach an edge of a layer's cubes.
    fn class_at(&self, (layer, group): (usize, usize), ends: [Node; 2]) -> Set {
        let k = layer * self.sets.len() + group;
        let range = self.near_begins[k]..self.near_begins[k + 1];
        let [(_, from), (z, to)] = ends;
        let above = z - layer;
        let mut halves = Halves::default();
        for (i, board) in self.near[range.clone()].iter().zip(&self.words[range]) {
            let bit = board[0] >> (from % 64) | board[above % 2] >> (to % 64);
            halves.put(u32::from(*i), bit & 1);
        }
        halves.set()
    }

    /// First of these members.
    fn first_at(
        &self,
        boards: &[[u64; NODES]],
        (layer, group): (usize, usize),
        ends: [Node; 2],
    ) -> Option<u8> {
        let mut some = self.near(layer, group).iter();
        some.find(|i| meets(&boards[**i as usize], ends)).copied()
    }

    /// Computes the potential of each group, pressed and swollen by the others, and its inside
    /// nodes, at the nodes of cubes that more than one group reaches. Other nodes need only the sum
    /// of all terms.
    fn press(&mut self, all: &Together, nodes: &[u64; NODES], level: f32) {
        let above = f32x4::splat(level);
        let excess = |sum: f32x4| sum.simd_gt(above) & (sum - above);
        self.inside.clear();
        self.inside.resize(self.sets.len(), [0; NODES]);
        for (z, layer) in nodes.iter().enumerate() {
            // Where no group is above the level, none is inside and none presses another; on the
            // border this is unknown.
            let some = all.maybe[z] | !all.within[z];
            let some = layer
                & if self.swells.is_empty() {
                    some
                } else {
                    u64::MAX
                };
            for (y, half) in (0..NODES).flat_map(|y| [(y, 0), (y, 1)]) {
                let at = NODES * y + 4 * half;
                if some >> at & 15 == 0 {
                    continue;
                }
                let (mut most, mut second) = (f32x4::ZERO, f32x4::ZERO);
                for sums in &self.sums {
                    let excess = excess(sums[z][y][half]);
                    second = second.fast_max(most.fast_min(excess));
                    most = most.fast_max(excess);
                }
                for (k, sums) in self.sums.iter_mut().enumerate() {
                    let value = &mut sums[z][y][half];
                    let others = excess(*value).simd_eq(most).bitselect(second, most);
                    *value -= others;
                    if let Some(swells) = self.swells.get(k) {
                        *value += swells[z][y][half];
                    }
                    if all.within[z] >> at & 15 != 15 {
                        for (lane, value) in value.as_mut_array().iter_mut().enumerate() {
                            let node = [4 * half + lane, y, z];
                            *value = all.cut_off(node, *value, level);
                        }
                    }
                    let bits = u64::from(value.simd_gt(above).to_bitmask()) << at;
                    self.inside[k][z] |= bits & self.reached[k][z] & all.maybe[z];
                }
            }
        }
    }

    /// Computes the bulge of each group at each node from the groups of bodies that press its own.
    /// Groups are added in the order of their first members that reach the node.
    fn swell(
        &mut self,
        boards: &[[u64; NODES]],
        presses: &[Set],
        nodes: &[u64; NODES],
        (level, bulge): (f32, Option<&Bulge>),
    ) {
        self.swells.clear();
        let Some(bulge) = bulge.filter(|_| !presses.is_empty()) else {
            return;
        };
        self.swells.resize(self.sets.len(), BLANK);
        let Groups {
            sets,
            members,
            begins,
            sums,
            swells,
            reached,
            order,
            ..
        } = self;
        let first = |k: usize| members[begins[k]] as usize;
        for z in 0..NODES {
            let all = reached.iter().fold(0, |all, board| all | board[z]);
            for bit in bits_of(all & nodes[z]) {
                let [y, half, lane] = [bit / NODES, bit % NODES / 4, bit % 4];
                let sum = |k: usize| sums[k][z][y][half].as_array()[lane];
                order.clear();
                for (k, board) in reached.iter().enumerate() {
                    let swells = board[z] >> bit & 1 == 1 && sum(k) <= level;
                    if swells && bulge.with_slope(f64::from(sum(k))).0 != 0.0 {
                        let own = &members[begins[k]..begins[k + 1]];
                        let mut own = own.iter().map(|i| u32::from(*i));
                        let first = own.find(|i| boards[*i as usize][z] >> bit & 1 == 1);
                        order.push((first.unwrap_or(u32::MAX), k as u8));
                    }
                }
                order.sort_unstable();
                for k in 0..sets.len() {
                    let others = order.iter().map(|(_, j)| *j as usize);
                    let others = others.filter(|j| *j != k && presses[first(k)] & sets[*j] != 0);
                    let more = others.fold(0.0, |swell, j| {
                        swell + bulge.with_slope(f64::from(sum(j))).0 as f32
                    });
                    swells[k][z][y][half].as_mut_array()[lane] = more;
                }
            }
        }
    }
}
