//! Bricks in which primitives meet that may not blend: each class of them makes a surface of its own (Triquet 2001, section 4.2.3).
//!
//! # Theory
//!
//! The source treats a cube once for each class in it, and has to forget between two what it kept at nodes and edges. Here what each primitive adds to each node
//! of the brick is kept apart, and a class is a sum of some of it: nothing is computed twice in a brick, however many classes there are.
//!
//! A vertex belongs to an edge *and* to a class, and the cubes around the edge must mean the same one. They see different primitives; but of
//! those that reach the edge itself they see the same, and where blending is an equivalence in each cube they make the same classes of
//! them. So a class is named at an edge by its first primitive that reaches the edge. Where it is no equivalence, the names differ and the
//! mesh has a hole; [`Control`] counts where.
//!
//! # Practice
//!
//! Only bricks whose primitives are not all allowed to blend come here. Does not allocate once it has seen as much.

use wide::f32x4;

use super::{Border, Brick, LOWER, Report, Settings, Skin, bits_of, number};
use crate::blend::{Classes, Graph};
use crate::domain::Domain;
use crate::lists::SIDE;
use crate::mesh::Mesh;
use crate::primitive::Primitive;
use crate::sample::{NODES, Samples, add_ball, add_other, outwards_other, places};
use crate::table::{CORNERS, Table};

/// What control of blending met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Control {
    /// Cubes that more than one class reaches.
    pub shared: usize,
    /// Of those: in which more than one makes triangles.
    pub doubled: usize,
    /// Cubes in which blending is no equivalence: their classes depend on the order of the primitives, and the mesh may be torn there
    /// ([`Graph::strand`] says what it takes).
    pub torn: usize,
    /// Triangles that were left out, since a corner has no vertex.
    pub dropped: usize,
}

/// Work space, and what one stage leaves to the next.
#[derive(Clone, Debug, Default)]
pub(super) struct Work {
    /// By primitive: where its neighbours in the graph begin.
    first: Vec<u32>,
    neighbours: Vec<u32>,
    /// By primitive: its place in the list that was looked at last, and when that was.
    marks: Vec<(u32, u32)>,
    mark: u32,
    /// Of the brick at hand: may blend, by two places in its list.
    may: Vec<bool>,
    /// What each of its list adds.
    samples: Vec<Samples>,
    candidates: Vec<u32>,
    classes: Classes,
    /// The candidates that `classes` are of.
    of: Vec<u32>,
    sums: Vec<f32>,
    pressed: Vec<[f32; 8]>,
    /// Edge and class of each vertex of all these bricks, in order within each.
    pub named: Vec<(u16, u32)>,
}

/// A brick's own edges by number: their lower node and axis.
fn edge_number([x, y, z]: [usize; 3], axis: usize) -> u16 {
    (((z * NODES + y) * NODES + x) * 3 + axis) as u16
}

impl Work {
    /// A graph by primitives.
    pub fn begin(&mut self, graph: &Graph, count: usize) {
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
        self.marks.clear();
        self.marks.resize(count, (0, 0));
        self.mark = 0;
        self.named.clear();
    }

    fn neighbours(&self, primitive: u32) -> &[u32] {
        let [from, to] = [0, 1].map(|k| self.first[primitive as usize + k] as usize);
        &self.neighbours[from..to]
    }

    /// Whether any two of these may blend. Leaves a mark on each.
    pub fn is_clique(&mut self, primitives: impl Iterator<Item = u32> + Clone) -> bool {
        self.mark += 1;
        let mut count = 0;
        for (place, primitive) in (0..).zip(primitives.clone()) {
            self.marks[primitive as usize] = (self.mark, place);
            count += 1;
        }
        primitives.into_iter().all(|p| {
            let others = self.neighbours(p).iter();
            let among = others.filter(|q| self.marks[**q as usize].0 == self.mark);
            among.count() + 1 == count
        })
    }

    /// Who may blend with whom among those that [`Work::is_clique`] looked at last.
    fn relate(&mut self, primitives: impl Iterator<Item = u32> + Clone) {
        let count = primitives.clone().count();
        self.may.clear();
        self.may.resize(count * count, false);
        for (a, primitive) in primitives.enumerate() {
            self.may[a * count + a] = true;
            let [from, to] = [0, 1].map(|k| self.first[primitive as usize + k] as usize);
            for q in &self.neighbours[from..to] {
                let (mark, b) = self.marks[*q as usize];
                if mark == self.mark {
                    self.may[a * count + b as usize] = true;
                }
            }
        }
        self.of.clear();
        self.classes.by(&[], |_, _| false);
    }

    fn reaches(&self, entry: usize, [x, y, z]: [usize; 3]) -> bool {
        self.samples[entry][z][y][x / 4].as_array()[x % 4] != 0.0
    }

    /// The classes of those that reach any of some nodes. True if there are any.
    fn split(&mut self, nodes: impl Iterator<Item = [usize; 3]> + Clone) -> bool {
        self.candidates.clear();
        for entry in 0..self.samples.len() {
            if nodes.clone().any(|node| self.reaches(entry, node)) {
                self.candidates.push(entry as u32);
            }
        }
        // Cubes side by side are reached by the same ones, as a rule.
        if self.candidates != self.of {
            let (may, count) = (&self.may, self.samples.len());
            let blends = |a: u32, b: u32| may[a as usize * count + b as usize];
            self.classes.by(&self.candidates, blends);
            self.of.clone_from(&self.candidates);
        }
        !self.candidates.is_empty()
    }

    /// The potential of each class at a node, pressed by the others.
    fn potentials(&mut self, corner: usize, [x, y, z]: [usize; 3], level: f32, border: bool) {
        self.sums.clear();
        for k in 0..self.classes.count() {
            let members = self.classes.class(k).iter();
            let terms = members.map(|m| self.samples[*m as usize][z][y][x / 4].as_array()[x % 4]);
            // In their order, from 0 on: the bits that a brick of one class has.
            self.sums.push(terms.fold(0.0, |sum, term| sum + term));
        }
        for k in 0..self.sums.len() {
            let others = self
                .sums
                .iter()
                .enumerate()
                .filter(|(other, _)| *other != k);
            let excess = others.fold(0.0_f32, |most, (_, sum)| most.max(sum - level));
            let own = self.sums[k] - excess;
            self.pressed[k][corner] = if border { own.min(level) } else { own };
        }
    }
}

impl Skin {
    /// Whether all that reaches a brick may blend.
    pub(super) fn is_one(&mut self, slot: usize) -> bool {
        let list = self.lists.of(slot).iter();
        let order = &self.order;
        self.work
            .is_clique(list.map(|entry| order[*entry as usize]))
    }

    /// What each of a brick's list adds to its nodes, and who of them may blend.
    fn prepare(&mut self, domain: &Domain, primitives: &[Primitive], slot: usize) {
        let at = self.lists.reached[slot].map(|b| places(domain, b));
        let list = self.lists.of(slot);
        let order = &self.order;
        let some = list.iter().map(|entry| order[*entry as usize]);
        // For the marks.
        self.work.is_clique(some.clone());
        self.work.relate(some);
        let blank: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];
        self.work.samples.clear();
        self.work.samples.resize(list.len(), blank);
        for (entry, samples) in list.iter().zip(&mut self.work.samples) {
            match self.balls.get(*entry as usize) {
                Some(ball) => add_ball(samples, ball, &at),
                None => add_other(
                    samples,
                    domain,
                    &primitives[order[*entry as usize] as usize],
                    &at,
                ),
            }
        }
        self.work
            .pressed
            .resize(list.len().max(self.work.pressed.len()), [0.0; 8]);
    }

    /// The vertices of a brick's own edges, for each class.
    pub(super) fn sample_classes(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        slot: usize,
        border: &Border,
        report: &mut Report,
        out: &mut Mesh,
    ) {
        let domain = &settings.domain;
        let level = settings.level as f32;
        let place = self.lists.reached[slot];
        let at = place.map(|b| places(domain, b));
        self.prepare(domain, primitives, slot);
        let within: [u64; NODES] = std::array::from_fn(|z| border.within(place, z));
        let is_border = |[x, y, z]: [usize; 3]| within[z] >> (NODES * y + x) & 1 == 0;
        let first = out.points.len() as u32;
        let begin = self.work.named.len();
        for number in 0..SIDE.pow(3) {
            let node =
                [number % SIDE, number / SIDE % SIDE, number / SIDE / SIDE].map(|i| i as usize);
            for axis in 0..3 {
                let mut next = node;
                next[axis] += 1;
                let ends = [node, next];
                if !self.work.split(ends.into_iter()) {
                    continue;
                }
                for (corner, end) in ends.into_iter().enumerate() {
                    self.work.potentials(corner, end, level, is_border(end));
                }
                let begin = self.work.named.len();
                for k in 0..self.work.classes.count() {
                    let [from, to, ..] = self.work.pressed[k];
                    if (from > level) == (to > level) {
                        continue;
                    }
                    let share = ((level - from) / (to - from)).clamp(0.0, 1.0);
                    let mut point = [0, 1, 2].map(|k| at[k][node[k]]);
                    point[axis] += share * (at[axis][next[axis]] - at[axis][node[axis]]);
                    let name = self.lists.of(slot)[self.work.classes.class(k)[0] as usize];
                    self.work.named.push((edge_number(node, axis), name));
                    out.normals
                        .push(self.normal_of(settings, primitives, slot, k, point));
                    out.points.push(point);
                }
                // Representatives come in order, so names do.
                debug_assert!(self.work.named[begin..].is_sorted());
            }
        }
        let low = domain.low();
        for point in &mut out.points[first as usize..] {
            for k in 0..3 {
                point[k] = (low[k] + f64::from(point[k])) as f32;
            }
        }
        for (z, within) in within.iter().enumerate() {
            let mut above = 0;
            for bit in bits_of(!within) {
                let node = [bit % NODES, bit / NODES, z];
                let sum = self.work.samples.iter();
                let sum: f32 = sum
                    .map(|s| s[z][node[1]][node[0] / 4].as_array()[node[0] % 4])
                    .sum();
                above |= u64::from(sum > level) << bit;
            }
            report.clipped += border.own(place, z, above);
        }
        let brick = Brick {
            place,
            slot: slot as u32,
            inside: [0; NODES],
            first,
            starts: [[0; 3]; SIDE as usize],
            named: Some((begin as u32, self.work.named.len() as u32)),
        };
        self.lists.set(place, self.bricks.len() as u32);
        self.bricks.push(brick);
    }

    /// Outwards for a class of the last [`Work::split`], at a place from the domain's lowest corner on.
    fn normal_of(
        &self,
        settings: &Settings,
        primitives: &[Primitive],
        slot: usize,
        class: usize,
        at: [f32; 3],
    ) -> [f32; 3] {
        let (domain, work) = (&settings.domain, &self.work);
        let list = self.lists.of(slot);
        let world = domain.low() + hapticd_geometry::Vec3::from(at.map(f64::from));
        let of = |k: usize| {
            let (mut value, mut outwards) = (0.0, [0.0; 3]);
            for member in work.classes.class(k) {
                let primitive = &primitives[self.order[list[*member as usize] as usize] as usize];
                value += primitive.value(&world);
                let more = outwards_other(domain, primitive, at);
                for k in 0..3 {
                    outwards[k] += more[k];
                }
            }
            (value, outwards)
        };
        let others = (0..work.classes.count()).filter(|k| *k != class).map(of);
        let most = others.fold((settings.level, [0.0; 3]), |most, other| {
            if other.0 > most.0 { other } else { most }
        });
        let own = of(class).1;
        let sum = [0, 1, 2].map(|k| own[k] - most.1[k]);
        let length = sum.iter().map(|x| x * x).sum::<f32>().sqrt();
        let unit = sum.map(|x| x / length);
        if unit.iter().all(|x| x.is_finite()) {
            unit
        } else {
            [0.0, 0.0, 1.0]
        }
    }

    /// The triangles of a brick's cubes, for each class.
    pub(super) fn triangles_of_classes(
        &mut self,
        settings: &Settings,
        primitives: &[Primitive],
        brick: &Brick,
        table: &Table,
        control: &mut Control,
        out: &mut Vec<[u32; 3]>,
    ) {
        let level = settings.level as f32;
        let slot = brick.slot as usize;
        self.prepare(&settings.domain, primitives, slot);
        let border = Border::of(&settings.domain);
        let within: [u64; NODES] = std::array::from_fn(|z| border.within(brick.place, z));
        for cube in 0..SIDE.pow(3) {
            let cube = [cube % SIDE, cube / SIDE % SIDE, cube / SIDE / SIDE].map(|i| i as usize);
            let node = |c: usize| [0, 1, 2].map(|k| cube[k] + usize::from(CORNERS[c][k]));
            if !self.work.split((0..8).map(node)) {
                continue;
            }
            for corner in 0..8 {
                let [x, y, z] = node(corner);
                let is_border = within[z] >> (NODES * y + x) & 1 == 0;
                self.work.potentials(corner, [x, y, z], level, is_border);
            }
            let count = self.work.classes.count();
            control.shared += usize::from(count > 1);
            control.torn += usize::from(!self.work.classes.is_partition());
            let mut with_triangles = 0;
            for k in 0..count {
                let values = &self.work.pressed[k];
                let bits = (0..8).fold(0, |all, c| all | usize::from(values[c] > level) << c);
                let case = &table.0[bits];
                with_triangles += usize::from(case.count > 0);
                for triangle in case.triangles() {
                    let corners = triangle.map(|edge| self.vertex_of(brick, cube, edge, k));
                    match corners {
                        [Some(a), Some(b), Some(c)] => out.push([a, b, c]),
                        _ => control.dropped += 1,
                    }
                }
            }
            control.doubled += usize::from(with_triangles > 1);
        }
    }

    /// The vertex of a class on an edge of a cube.
    fn vertex_of(&self, brick: &Brick, cube: [usize; 3], edge: u8, class: usize) -> Option<u32> {
        let (axis, step) = LOWER[edge as usize];
        let node = [0, 1, 2].map(|k| cube[k] + step[k]);
        let mut next = node;
        next[axis] += 1;
        let reaches = |m: &&u32| {
            [node, next]
                .iter()
                .any(|n| self.work.reaches(**m as usize, *n))
        };
        let member = self.work.classes.class(class).iter().find(reaches)?;
        let name = self.lists.of(brick.slot as usize)[*member as usize];
        self.vertex_named(brick, node, axis, Some(name))
    }

    /// The vertex on a brick's or its neighbour's edge, by the name of its class; `None`: whatever class there is.
    pub(super) fn vertex_named(
        &self,
        brick: &Brick,
        node: [usize; 3],
        axis: usize,
        name: Option<u32>,
    ) -> Option<u32> {
        let last = SIDE as usize;
        let place = [0, 1, 2].map(|k| u32::from(brick.place[k]) + u32::from(node[k] == last));
        let owner = self.bricks.get(self.lists.get(place) as usize)?;
        let own = node.map(|i| if i == last { 0 } else { i });
        let Some((from, to)) = owner.named else {
            return number(owner, own, axis);
        };
        let named = &self.work.named[from as usize..to as usize];
        let edge = edge_number(own, axis);
        let at = match name {
            Some(name) => named.binary_search(&(edge, name)).ok()?,
            None => {
                let at = named.partition_point(|(e, _)| *e < edge);
                (named.get(at)?.0 == edge).then_some(at)?
            }
        };
        Some(owner.first + at as u32)
    }
}
