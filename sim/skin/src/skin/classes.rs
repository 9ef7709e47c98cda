//! Bricks in which primitives meet that may not blend: each class makes its own surface (Triquet
//! 2001, section 4.2.3).
//!
//! # Theory
//!
//! The source processes a cube once for each class in it, and must discard in between what it kept
//! at nodes and edges. Here the contribution of each primitive to each node of the brick is kept
//! separately, and a class is a partial sum. Nothing is computed twice, however many classes there
//! are.
//!
//! Most cubes of such a brick still have one class: all primitives that reach their nodes may
//! blend. These cubes and their edges are processed as in any brick, by bits. On other edges a
//! vertex belongs to the edge *and* to a class, and the cubes around the edge must agree on the
//! class. They see different primitives, but the same ones among those that reach the edge itself.
//! Where blending is an equivalence in each cube, they form the same classes of these. So a class
//! is named at an edge by its first primitive that reaches the edge. Where blending is not an
//! equivalence, the names differ and the mesh has a hole; [`Control`] counts these places.
//!
//! [`Work::pressed`] alone defines how the other classes affect one at a node. Classes of bodies in
//! contact also swell it, if requested (equation 4.3; [`contacts`](super::contacts)).
//!
//! Where the classes of all cubes are known before any node is evaluated, [`groups`](super::groups)
//! produces the same result, to the bit and several times as fast. Node by node remain bricks in
//! which a strand meets itself within its window, and graphs that are not an equivalence.
//!
//! # Practice
//!
//! Only bricks with primitives that may not all blend come here. Allocates only when a mesh exceeds
//! all earlier ones in size.

use std::ops::Range;

use wide::f32x4;

use super::SkinError;
use super::brick::{
    Brick, Found, LOWER, OWN, all_of, any_of, bits_of, crossing, cuts as cuts_of, part_of,
};
use super::contacts::Contacts;
use super::groups::{Groups, Halves, above};
use super::part::{MeshContext, Part};
use crate::blend::{Bulge, Classes, Graph, MAX_IN_PLACE, Set, members};
use crate::domain::SIDE;
use crate::sample::{
    NODES, Samples, each_of_ball, each_of_other, outwards_other, places, unit, value_of_other,
};
use crate::table::{CORNERS, Table};

/// Statistics of controlled blending.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Cubes that more than one class reaches, with a corner inside one.
    pub shared: usize,
    /// Shared cubes in which more than one class makes triangles.
    pub doubled: usize,
    /// Cubes in which blending is not an equivalence: their classes depend on the order of the
    /// primitives, and the mesh may be torn there. [`Graph::strand`] states a sufficient window.
    pub torn: usize,
    /// Triangles dropped because a corner has no vertex.
    pub dropped: usize,
}

/// Data of a brick with more than one class.
#[derive(Clone, Copy, Debug)]
pub(super) struct Mixed {
    /// Cut own edges of one class, by layer and axis.
    pub cuts: [[u64; 3]; SIDE as usize],
    /// Cubes of one class that may be cut, by layer.
    pub plain: [u64; SIDE as usize],
    /// Its named vertices: their range in [`Work::named`], and the first of them relative to the
    /// brick's first vertex.
    pub named: (usize, usize),
    pub first: u32,
    /// Triangles of its other cubes, as a range of [`Work::triangles`], and their foreign vertices,
    /// as a range of [`Work::foreign`].
    pub triangles: (usize, usize),
    pub foreign: (usize, usize),
}

/// A vertex that may be a neighbour's: lower node and axis of its edge, and the name of its class
/// there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Foreign {
    pub node: [u8; 3],
    pub axis: u8,
    pub name: u32,
}

/// Flag of a triangle's corner: the other bits index the brick's list of [`Foreign`]. Without it
/// they are a vertex relative to the brick's first.
pub(super) const FOREIGN: u32 = 1 << 31;

/// Vertices of the current brick.
pub(super) struct Own {
    pub cuts: [[u64; 3]; SIDE as usize],
    starts: [[u16; 3]; SIDE as usize],
    /// Named vertices: the first in [`Work::named`], and its number relative to the brick's first
    /// vertex.
    named: usize,
    pub first_named: u32,
}

/// A graph as adjacency lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Links {
    /// Start of each primitive's neighbours.
    pub first: Vec<u32>,
    pub neighbours: Vec<u32>,
}

/// Work space, and data that one stage leaves to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// Mark of the last list that had the primitive, and its place in that list; by primitive.
    marks: Vec<(u32, u32)>,
    mark: u32,
    /// Members of the current brick's list that each member may blend with.
    pub may: Vec<Set>,
    /// Members of bodies that press the member's own body; empty without bulges.
    pub presses: Vec<Set>,
    /// Nodes that each member of the list reaches: one bit each, by layer.
    pub boards: Vec<[u64; NODES]>,
    /// Connected components.
    pub groups: Groups,
    /// Members that reach each node.
    reach: Vec<Set>,
    /// Range of each node's classes in `shares`, if computed.
    at_node: Vec<Option<(u32, u32)>>,
    /// Classes of the members that reach a node, and their sums.
    pub shares: Vec<(Set, f32)>,
    /// Members of the classes that each node is inside.
    inside_of: Vec<Set>,
    classes: Classes,
    of_node: Classes,
    odd: Vec<([usize; 3], usize)>,
    pub mixed: Vec<Mixed>,
    /// Edge and class of each named vertex, sorted within each brick.
    pub named: Vec<(u16, u32)>,
    /// Members of the brick's list in the class of each named vertex.
    pub named_of: Vec<Set>,
    pub triangles: Vec<[u32; 3]>,
    pub foreign: Vec<Foreign>,
    /// First name of each own edge of the current brick, relative to the brick's first in `named`.
    begins: Vec<u16>,
}

/// Number of an own edge from its lower node and axis. Numbers ascend in the order of traversal:
/// layers, axes, bits.
pub(super) fn edge_number([x, y, z]: [usize; 3], axis: usize) -> u16 {
    ((3 * z + axis) * NODES * NODES + NODES * y + x) as u16
}

fn node_number([x, y, z]: [usize; 3]) -> usize {
    (z * NODES + y) * NODES + x
}

/// Edges of a layer along each axis with an end among `nodes`, by their lower nodes.
#[inline]
pub(super) fn ends(nodes: &[u64; NODES], z: usize) -> [u64; 3] {
    let layer = nodes[z];
    [
        layer | layer >> 1,
        layer | layer >> NODES,
        layer | nodes[z + 1],
    ]
}

/// Transposes a 64 × 64 bit matrix: swaps halves, then quarters and so on, across the diagonal.
fn transpose(words: &mut [u64; 64]) {
    let (mut step, mut mask) = (32, u64::MAX >> 32);
    while step > 0 {
        for k in (0..64).filter(|k| k & step == 0) {
            let other = (words[k] >> step ^ words[k | step]) & mask;
            words[k] ^= other << step;
            words[k | step] ^= other;
        }
        step /= 2;
        mask ^= mask << step;
    }
}

/// Result of [`Work::apart`], by layer.
#[derive(Default)]
pub(super) struct Apart {
    pub cubes: [u64; SIDE as usize],
    /// By layer and axis.
    pub edges: [[u64; 3]; SIDE as usize],
}

pub(super) fn next_along(node: [usize; 3], axis: usize) -> [usize; 3] {
    let mut next = node;
    next[axis] += 1;
    next
}

impl Links {
    /// Takes the edges of a graph of `count` primitives.
    pub fn set(&mut self, graph: &Graph, count: usize) {
        self.first.clear();
        self.first.resize(count + 1, 0);
        for &(a, b) in graph.pairs() {
            self.first[a as usize + 1] += 1;
            self.first[b as usize + 1] += 1;
        }
        for k in 1..self.first.len() {
            self.first[k] += self.first[k - 1];
        }
        self.neighbours.clear();
        self.neighbours.resize(2 * graph.pairs().len(), 0);
        for &(a, b) in graph.pairs() {
            for (from, to) in [(a, b), (b, a)] {
                let next = &mut self.first[from as usize];
                self.neighbours[*next as usize] = to;
                *next += 1;
            }
        }
        self.first.rotate_right(1);
        self.first[0] = 0;
    }

    pub fn of(&self, primitive: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.first[primitive as usize + k] as usize);
        &self.neighbours[from..to]
    }
}

impl Own {
    /// Vertex on a cut own edge of one class, relative to the brick's first.
    pub fn plain(&self, [x, y, z]: [usize; 3], axis: usize) -> u32 {
        let before = self.cuts[z][axis] & ((1 << (NODES * y + x)) - 1);
        u32::from(self.starts[z][axis]) + before.count_ones()
    }
}

impl Work {
    /// Clears everything, for this many primitives.
    pub fn begin(&mut self, count: usize) {
        self.marks.clear();
        self.marks.resize(count, (0, 0));
        self.mark = 0;
        self.mixed.clear();
        self.named.clear();
        self.named_of.clear();
        self.triangles.clear();
        self.foreign.clear();
    }

    /// Copies a brick from another frame; returns its index here.
    pub fn keep(&mut self, from: &Work, number: u32) -> u32 {
        let old = &from.mixed[number as usize];
        let (named, triangles) = (self.named.len(), self.triangles.len());
        let foreign = self.foreign.len();
        let range = old.named.0..old.named.1;
        self.named.extend_from_slice(&from.named[range.clone()]);
        self.named_of.extend_from_slice(&from.named_of[range]);
        let range = old.triangles.0..old.triangles.1;
        self.triangles.extend_from_slice(&from.triangles[range]);
        let range = old.foreign.0..old.foreign.1;
        self.foreign.extend_from_slice(&from.foreign[range]);
        self.mixed.push(Mixed {
            named: (named, self.named.len()),
            triangles: (triangles, self.triangles.len()),
            foreign: (foreign, self.foreign.len()),
            ..*old
        });
        self.mixed.len() as u32 - 1
    }

    /// True if any two of these may blend. Marks each of them.
    pub fn is_one(&mut self, links: &Links, primitives: impl Iterator<Item = u32> + Clone) -> bool {
        self.mark += 1;
        let mut count = 0;
        for (place, primitive) in (0..).zip(primitives.clone()) {
            self.marks[primitive as usize] = (self.mark, place);
            count += 1;
        }
        primitives.into_iter().all(|p| {
            let others = links.of(p).iter();
            let among = others.filter(|q| self.marks[**q as usize].0 == self.mark);
            among.count() + 1 == count
        })
    }

    /// Sets the blending relation of the primitives last marked by [`Work::is_one`]; at most 128.
    fn relate(&mut self, links: &Links, primitives: impl Iterator<Item = u32>) {
        let mut may = std::mem::take(&mut self.may);
        may.clear();
        may.extend((0..).zip(primitives).map(|(place, primitive): (u32, u32)| {
            let mut halves = Halves::default();
            for q in links.of(primitive) {
                let (mark, q) = self.marks[*q as usize];
                halves.put(q, u64::from(mark == self.mark));
            }
            1 << place | halves.set()
        }));
        self.may = may;
        self.presses.clear();
    }

    /// Resets all node data of the current brick but the members that reach each node.
    pub fn begin_nodes(&mut self) {
        self.transpose_boards();
        self.classes.clear();
        self.of_node.clear();
        self.shares.clear();
        self.at_node.clear();
        self.at_node.resize(NODES * NODES * NODES, None);
        self.inside_of.clear();
        self.inside_of.resize(NODES * NODES * NODES, 0);
    }

    /// True if the brick's classes are its groups, and the group path is enabled.
    pub fn are_groups(&mut self, scene: &MeshContext<'_>, all: &Together) -> bool {
        !scene.by_nodes && self.groups.are_classes(&self.may, &self.boards, &all.maybe)
    }

    /// Cubes and own edges of the brick that two members reach which may not blend.
    fn apart(&self) -> Apart {
        let mut apart = Apart::default();
        for (i, (may, a)) in self.may.iter().zip(&self.boards).enumerate() {
            let others = (self.may.len() > i + 1).then(|| Set::MAX << (i + 1) & !may);
            for j in members(others.unwrap_or(0)).take_while(|j| *j < self.may.len()) {
                let b = &self.boards[j];
                for z in 0..SIDE as usize {
                    apart.cubes[z] |= any_of(a[z], a[z + 1]) & any_of(b[z], b[z + 1]);
                    for ((edges, a), b) in apart.edges[z].iter_mut().zip(ends(a, z)).zip(ends(b, z))
                    {
                        *edges |= a & b;
                    }
                }
            }
        }
        apart
    }

    /// Transposes `boards`: from the nodes of each member to the members of each node.
    fn transpose_boards(&mut self) {
        self.reach.clear();
        self.reach.resize(NODES * NODES * NODES, 0);
        for (block, boards) in self.boards.chunks(64).enumerate() {
            for (z, reach) in self.reach.chunks_mut(NODES * NODES).enumerate() {
                let mut bits = [0; 64];
                for (row, board) in bits.iter_mut().zip(boards) {
                    *row = board[z];
                }
                transpose(&mut bits);
                for (reach, word) in reach.iter_mut().zip(bits) {
                    *reach |= Set::from(word) << (64 * block);
                }
            }
        }
    }

    /// Members that reach a node.
    fn reach(&self, node: [usize; 3]) -> Set {
        self.reach[node_number(node)]
    }

    /// Sets `begins` for the names from `named` on.
    fn find_begins(&mut self, named: usize) {
        self.begins.clear();
        self.begins
            .resize(3 * SIDE as usize * NODES * NODES, u16::MAX);
        for (k, (edge, _)) in self.named[named..].iter().enumerate().rev() {
            self.begins[*edge as usize] = k as u16;
        }
    }

    /// Named vertex on an edge, relative to the brick's first; `None` if the edge is a neighbour's
    /// or has no such vertex.
    fn own_vertex(&self, own: &Own, node: [usize; 3], axis: usize, name: u32) -> Option<u32> {
        if node.contains(&(SIDE as usize)) {
            return None;
        }
        let edge = edge_number(node, axis);
        let begin = self.begins[edge as usize];
        if begin != u16::MAX {
            let names = self.named[own.named + begin as usize..].iter();
            let k = names
                .take_while(|named| named.0 == edge)
                .position(|named| named.1 == name)?;
            return Some(own.first_named + u32::from(begin) + k as u32);
        }
        let [x, y, z] = node;
        let cut = own.cuts[z][axis] >> (NODES * y + x) & 1 == 1;
        cut.then(|| own.plain(node, axis))
    }

    /// Members that reach an edge.
    fn reach_edge(&self, node: [usize; 3], axis: usize) -> Set {
        self.reach(node) | self.reach(next_along(node, axis))
    }

    /// Finds which bodies press each other among the primitives of [`Work::relate`].
    fn press(&mut self, contacts: &Contacts, primitives: impl Iterator<Item = u32> + Clone) {
        if contacts.pairs.is_empty() {
            return;
        }
        let others = primitives.clone();
        self.presses.extend(primitives.map(|p| {
            let touch = others.clone().map(|q| Set::from(contacts.touch(p, q)));
            (0..).zip(touch).fold(0, |set, (i, bit)| set | bit << i)
        }));
    }

    /// True if the bodies of two classes press each other.
    fn is_pressed_by(&self, class: Set, other: Set) -> bool {
        let presses = self.presses.get(class.trailing_zeros() as usize);
        presses.is_some_and(|set| set & other != 0)
    }

    /// Potential of a class at a node that [`Part::share`] has processed, pressed and swollen by
    /// the others there. Of the pressing classes the largest excess counts; all bulges add up.
    fn pressed(&self, class: Set, node: [usize; 3], (level, bulge): (f32, Option<&Bulge>)) -> f32 {
        let range = self.at_node[node_number(node)].map_or(0..0, |(a, b)| a as usize..b as usize);
        let (mut own, mut excess, mut swell) = (0.0, 0.0_f32, 0.0);
        for (set, sum) in &self.shares[range] {
            if set & class != 0 {
                own += sum;
            } else if *sum > level {
                excess = excess.max(sum - level);
            } else if let Some(bulge) = bulge
                && self.is_pressed_by(class, *set)
            {
                swell += bulge.with_slope(f64::from(*sum)).0 as f32;
            }
        }
        own - excess + swell
    }
}

/// Data of a brick's nodes for all classes together.
pub(super) struct Together {
    /// Positions along each axis.
    pub at: [[f32; NODES]; 3],
    /// Sum of all terms, clipped to the level on the border.
    sum: Samples,
    /// Nodes inside the sum of all.
    inside: [u64; NODES],
    /// Nodes that may be inside a class.
    pub maybe: [u64; NODES],
    /// Nodes that may be inside two classes.
    pub both: [u64; NODES],
    /// Nodes off the domain's border.
    pub within: [u64; NODES],
}

impl Together {
    /// Clips a potential at a node on the border to the level.
    pub fn cut_off(&self, [x, y, z]: [usize; 3], value: f32, level: f32) -> f32 {
        if self.within[z] >> (NODES * y + x) & 1 == 0 {
            value.min(level)
        } else {
            value
        }
    }
}

impl Part {
    /// Computes the contribution of each member of a brick's list to its nodes, the nodes that each
    /// reaches, and the data for all together.
    pub(super) fn prepare(
        &mut self,
        scene: &MeshContext<'_>,
        links: &Links,
        slot: usize,
        found: &mut Found,
    ) -> Together {
        let (settings, border) = (scene.settings, &scene.border);
        let domain = &settings.domain;
        let place = scene.lists.reached[slot];
        let at = place.map(|b| places(domain, b));
        let list = scene.lists.of(slot);
        let order = scene.order;
        self.work
            .relate(links, list.iter().map(|entry| order[*entry as usize]));
        let primitives = list.iter().map(|entry| order[*entry as usize]);
        self.work.press(scene.contacts, primitives);
        self.work.groups.find(&self.work.may);
        self.work.boards.clear();
        self.work.boards.resize(list.len(), [0; NODES]);
        let blank: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];
        let (mut sum, mut most) = (blank, blank);
        let ball = |entry: &u32| scene.balls.get(*entry as usize);
        let takes = |entry: &u32| ball(entry).is_none_or(|ball| ball.amplitude < 0.0);
        let takes = list.iter().any(takes);
        for (i, entry) in list.iter().enumerate() {
            let Work { boards, groups, .. } = &mut self.work;
            let board = &mut boards[i];
            let group = usize::from(groups.of[i]);
            let own = &mut groups.sums[group];
            let note = |z: usize, y: usize, half: usize, term: f32x4| {
                let reached = term.simd_ne(f32x4::ZERO).to_bitmask();
                sum[z][y][half] += term;
                own[z][y][half] += term;
                if takes {
                    most[z][y][half] += term.fast_max(f32x4::ZERO);
                }
                board[z] |= u64::from(reached) << (NODES * y + 4 * half);
            };
            match scene.balls.get(*entry as usize) {
                Some(ball) => each_of_ball(ball, &at, note),
                None => each_of_other(domain, scene.source(*entry), &at, note),
            }
        }
        if !takes {
            most = sum;
        }
        let level = settings.level as f32;
        let within = std::array::from_fn(|z| border.within(place, z));
        let mut inside = above(&sum, level);
        let mut maybe = above(&most, level / scene.contacts.gain());
        // A margin for rounding in long sums.
        let mut both = above(&most, 2.0 * level * (1.0 - 1e-4));
        for z in 0..NODES {
            let cut_off = inside[z] & !within[z];
            found.clipped += border.own(place, z, cut_off) as u16;
            for bit in bits_of(cut_off) {
                let half = &mut sum[z][bit / NODES][bit % NODES / 4];
                let sample = &mut half.as_mut_array()[bit % 4];
                *sample = sample.min(settings.level as f32);
            }
            inside[z] &= within[z];
            maybe[z] &= within[z];
            both[z] &= within[z];
        }
        Together {
            at,
            sum,
            inside,
            maybe,
            both,
            within,
        }
    }

    /// Finds the vertices of a brick's own edges, by class, and the triangles of cubes with more
    /// than one class.
    pub(super) fn sample_classes(
        &mut self,
        scene: &MeshContext<'_>,
        links: &Links,
        slot: usize,
        found: &mut Found,
    ) -> Result<(), SkinError> {
        let count = scene.lists.of(slot).len();
        if count > MAX_IN_PLACE {
            return Err(SkinError::Crowded(count));
        }
        let all = self.prepare(scene, links, slot, found);
        let work = &mut self.work;
        let grouped = work.are_groups(scene, &all);
        let apart = if grouped {
            work.groups.apart()
        } else {
            work.begin_nodes();
            work.apart()
        };
        let (first, named) = (self.points.len(), self.work.named.len());
        let (triangles, foreign) = (self.work.triangles.len(), self.work.foreign.len());
        let (cuts, starts) = self.plain_vertices(scene, slot, (&all, &apart));
        let own = Own {
            cuts,
            starts,
            named,
            first_named: (self.points.len() - first) as u32,
        };
        let table = Table::of(scene.settings.ambiguity);
        if grouped {
            let both = self.by_groups(scene, slot, (&all, &apart, table), &own);
            (found.shared, found.doubled) = both;
        } else {
            self.named_vertices(scene, slot, (&all, &apart));
            self.work.find_begins(named);
            self.cubes(scene, slot, (&all, &apart, table), &own, (found, foreign));
        }
        let plain: [u64; SIDE as usize] =
            std::array::from_fn(|z| any_of(all.maybe[z], all.maybe[z + 1]) & OWN & !apart.cubes[z]);
        let cut = |z: usize| {
            let [m, n] = [all.inside[z], all.inside[z + 1]];
            any_of(m, n) & !all_of(m, n) & plain[z]
        };
        let nothing =
            self.work.triangles.len() == triangles && (0..plain.len()).all(|z| cut(z) == 0);
        if nothing && self.points.len() == first {
            return Ok(());
        }
        found.number = self.bricks.len() as u32;
        self.bricks.push(Brick {
            starts,
            mixed: Some(self.work.mixed.len() as u32),
            ..Brick::new(scene.lists.reached[slot], all.inside, first)
        });
        self.work.mixed.push(Mixed {
            cuts,
            plain,
            named: (named, self.work.named.len()),
            first: own.first_named,
            triangles: (triangles, self.work.triangles.len()),
            foreign: (foreign, self.work.foreign.len()),
        });
        Ok(())
    }

    /// Finds the classes of the members that reach a node, and their sums, once per node. Returns
    /// their range in [`Work::shares`].
    pub(super) fn share(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        all: &Together,
        node: [usize; 3],
    ) -> Range<usize> {
        let number = node_number(node);
        if let Some((from, to)) = self.work.at_node[number] {
            return from as usize..to as usize;
        }
        let domain = &scene.settings.domain;
        let list = scene.lists.of(slot);
        let place = [0, 1, 2].map(|k| all.at[k][node[k]]);
        let reach = self.work.reach(node);
        let work = &mut self.work;
        work.of_node.divide(&work.may, reach);
        let first = work.shares.len() as u32;
        for class in work.of_node.classes() {
            let terms = members(*class).map(|i| match scene.balls.get(list[i] as usize) {
                Some(ball) => ball.at(place),
                None => value_of_other(domain, scene.source(list[i]), place),
            });
            // In order, starting from 0: the same bits as in a brick of one class.
            let sum = terms.fold(0.0, |sum, term| sum + term);
            work.shares.push((*class, sum));
        }
        work.at_node[number] = Some((first, work.shares.len() as u32));
        let (level, bulge) = (scene.settings.level as f32, scene.contacts.bulge.as_ref());
        let all_one = work.shares.len() == first as usize + 1;
        for k in first as usize..work.shares.len() {
            let (set, sum) = work.shares[k];
            let value = if all_one {
                sum
            } else {
                work.pressed(set, node, (level, bulge))
            };
            if all.cut_off(node, value, level) > level {
                work.inside_of[number] |= set;
            }
        }
        first as usize..work.shares.len()
    }

    /// Members of the classes that a node is inside.
    fn inside(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        all: &Together,
        node: [usize; 3],
    ) -> Set {
        let [x, y, z] = node;
        if all.maybe[z] >> (NODES * y + x) & 1 == 0 {
            return 0;
        }
        self.share(scene, slot, all, node);
        self.work.inside_of[node_number(node)]
    }

    /// Makes the vertices on edges of one class.
    fn plain_vertices(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (all, apart): (&Together, &Apart),
    ) -> ([[u64; 3]; SIDE as usize], [[u16; 3]; SIDE as usize]) {
        let (settings, at) = (scene.settings, &all.at);
        let first = self.points.len();
        let (mut cuts, mut starts) = ([[0; 3]; SIDE as usize], [[0; 3]; SIDE as usize]);
        for z in 0..SIDE as usize {
            let cut = cuts_of(all.inside[z], all.inside[z + 1]);
            for axis in 0..3 {
                cuts[z][axis] = cut[axis] & !apart.edges[z][axis];
                starts[z][axis] = (self.points.len() - first) as u16;
                let node = |bit| [bit % NODES, bit / NODES, z];
                for bit in bits_of(cuts[z][axis]) {
                    let point = crossing(settings, &all.sum, at, node(bit), axis);
                    self.points.push(point);
                }
            }
        }
        self.normals(scene, slot, first);
        (cuts, starts)
    }

    /// Makes the vertices on edges of more than one class, by class.
    fn named_vertices(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (all, apart): (&Together, &Apart),
    ) {
        let domain = &scene.settings.domain;
        let (level, at) = (scene.settings.level as f32, &all.at);
        let by = (level, scene.contacts.bulge.as_ref());
        let low = domain.low();
        let mut odd = std::mem::take(&mut self.work.odd);
        odd.clear();
        for z in 0..SIDE as usize {
            for (axis, maybe) in ends(&all.maybe, z).into_iter().enumerate() {
                let some = bits_of(maybe & apart.edges[z][axis] & OWN);
                odd.extend(some.map(|bit| ([bit % NODES, bit / NODES, z], axis)));
            }
        }
        for &(node, axis) in &odd {
            let next = next_along(node, axis);
            let ends = [node, next].map(|end| self.inside(scene, slot, all, end));
            if ends == [0, 0] {
                continue;
            }
            for end in [node, next] {
                self.share(scene, slot, all, end);
            }
            let candidates = self.work.reach_edge(node, axis);
            self.work.classes.divide(&self.work.may, candidates);
            for k in 0..self.work.classes.classes().len() {
                let class = self.work.classes.classes()[k];
                if (ends[0] & class == 0) == (ends[1] & class == 0) {
                    continue;
                }
                let [from, to] = [node, next]
                    .map(|end| all.cut_off(end, self.work.pressed(class, end, by), level));
                let share = part_of(level, from, to);
                let mut point = [0, 1, 2].map(|k| at[k][node[k]]);
                point[axis] += share * (at[axis][next[axis]] - at[axis][node[axis]]);
                let name = scene.lists.of(slot)[class.trailing_zeros() as usize];
                self.work.named.push((edge_number(node, axis), name));
                self.work.named_of.push(class);
                let normal = self.normal_of(scene, slot, k, point);
                self.normals.push(normal);
                self.points
                    .push([0, 1, 2].map(|k| (low[k] + f64::from(point[k])) as f32));
            }
        }
        self.work.odd = odd;
        // Edges come in order, and so do the first members of their classes where *blends with* is
        // an equivalence. Where it is not, a name may repeat or be out of order; a failed search
        // then drops the triangle and counts it.
    }

    /// Outward normal of one class at a position relative to the domain's lowest corner.
    fn normal_of(
        &self,
        scene: &MeshContext<'_>,
        slot: usize,
        class: usize,
        at: [f32; 3],
    ) -> [f32; 3] {
        let (domain, classes) = (&scene.settings.domain, self.work.classes.classes());
        let list = scene.lists.of(slot);
        let of = |k: usize| {
            let (mut value, mut outwards) = (0.0, [0.0; 3]);
            for i in members(classes[k]) {
                let (term, more) = match scene.balls.get(list[i] as usize) {
                    Some(ball) => (ball.at(at), ball.outwards(at)),
                    None => {
                        let source = scene.source(list[i]);
                        let term = value_of_other(domain, source, at);
                        (term, outwards_other(domain, source, at))
                    }
                };
                value += term;
                for k in 0..3 {
                    outwards[k] += more[k];
                }
            }
            (value, outwards)
        };
        let level = scene.settings.level as f32;
        let mut most = (level, [0.0; 3]);
        let mut sum = of(class).1;
        for other in (0..classes.len()).filter(|k| *k != class) {
            let (value, outwards) = of(other);
            if value > level {
                if value > most.0 {
                    most = (value, outwards);
                }
            } else if let Some(bulge) = &scene.contacts.bulge
                && self.work.is_pressed_by(classes[class], classes[other])
            {
                let slope = bulge.with_slope(f64::from(value)).1 as f32;
                for k in 0..3 {
                    sum[k] += slope * outwards[k];
                }
            }
        }
        for k in 0..3 {
            sum[k] -= most.1[k];
        }
        unit(sum)
    }

    /// Appends the triangles of cubes with more than one class to [`Work::triangles`]. The brick's
    /// foreign vertices start at `foreign`.
    fn cubes(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (all, apart, table): (&Together, &Apart, &Table),
        own: &Own,
        (found, foreign): (&mut Found, usize),
    ) {
        for z in 0..SIDE as usize {
            let maybe = any_of(all.maybe[z], all.maybe[z + 1]) & OWN;
            for bit in bits_of(maybe & apart.cubes[z]) {
                let low = [bit % NODES, bit / NODES, z];
                let node = |c: usize| [0, 1, 2].map(|k| low[k] + usize::from(CORNERS[c][k]));
                let inside: [Set; 8] =
                    std::array::from_fn(|c| self.inside(scene, slot, all, node(c)));
                if inside == [0; 8] {
                    continue;
                }
                let candidates = (0..8).fold(0, |set, c| set | self.work.reach(node(c)));
                self.work.classes.split(&self.work.may, candidates);
                found.shared += 1;
                found.torn += u16::from(!self.work.classes.is_partition());
                let mut with_triangles = 0;
                for k in 0..self.work.classes.classes().len() {
                    let class = self.work.classes.classes()[k];
                    let is_in = |c: usize| usize::from(inside[c] & class != 0);
                    let bits = (0..8).fold(0, |bits, c| bits | is_in(c) << c);
                    let case = &table.0[bits];
                    with_triangles += usize::from(case.count > 0);
                    for triangle in case.triangles() {
                        let triangle = triangle.map(|edge| {
                            let (axis, step) = LOWER[edge as usize];
                            let node = [0, 1, 2].map(|k| low[k] + step[k]);
                            let first = class & self.work.reach_edge(node, axis);
                            // A class that cuts an edge also reaches it.
                            let name = scene.lists.of(slot)[first.trailing_zeros() as usize % 128];
                            let own = self.work.own_vertex(own, node, axis, name);
                            own.unwrap_or_else(|| {
                                let place = self.work.foreign.len() - foreign;
                                self.work.foreign.push(Foreign {
                                    node: node.map(|i| i as u8),
                                    axis: axis as u8,
                                    name,
                                });
                                FOREIGN | place as u32
                            })
                        });
                        self.work.triangles.push(triangle);
                    }
                }
                found.doubled += u16::from(with_triangles > 1);
            }
        }
    }
}
