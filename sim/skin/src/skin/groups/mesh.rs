//! Meshing of a brick of groups: named vertices, and the triangles of cubes that more than one
//! group reaches.
//!
//! # Theory
//!
//! A vertex lies where its group's potential, net of the others, equals the level. Its normal is
//! that of its class less that of the class furthest above the level there, if any. A member that
//! reaches a vertex's edge but neither of its ends belongs to no class there: classes are known at
//! nodes only.
//!
//! # Practice
//!
//! Vertices are in the order of their edges and, on one edge, of their classes; triangles are in
//! the order of cubes and classes. Normals are computed for four vertices at a time, using only
//! primitives that reach a cube of the layer which more than one group reaches. Allocates only when
//! a mesh exceeds all earlier ones in size.

use wide::f32x4;

use super::{Groups, LAYERS, Node, bits_at, meets, nodes_of};
use crate::blend::{Bulge, MAX_IN_PLACE, Set};
use crate::sample::{Ball, NODES, Samples, outwards_other, value_of_other};
use crate::skin::brick::{
    EDGE_NUMBERS, NUMBER, OWN, all_of, any_of, bits_of, corners, cuts, far_cuts, part_of,
};
use crate::skin::classes::{Apart, FOREIGN, Foreign, Own, Together, Work, edge_number};
use crate::skin::part::{MeshContext, Part};
use crate::table::Table;

/// Lane masks, by a bit for each lane.
const LANES: [f32x4; 16] = {
    let (mut all, mut k) = ([f32x4::ZERO; 16], 0);
    while k < 16 {
        let mut lanes = [0.0; 4];
        let mut j = 0;
        while j < 4 {
            if k >> j & 1 == 1 {
                lanes[j] = f32::from_bits(u32::MAX);
            }
            j += 1;
        }
        all[k] = f32x4::new(lanes);
        k += 1;
    }
    all
};

/// A named vertex, relative to the domain's lowest corner, and the ends of its edge.
#[derive(Clone, Copy, Debug)]
pub(super) struct NamedVertex {
    at: [f32; 3],
    group: u8,
    ends: [Node; 2],
}

/// A ball, and the largest depth of a point on an edge with both ends out of reach.
#[derive(Clone, Copy, Debug)]
pub(super) struct EdgeBall {
    ball: Ball,
    thin: f32,
}

/// Value and outward direction of a group at four vertices.
pub(super) type GatheredPoint = ([f32; 4], [[f32; 4]; 3]);

/// Ends of an edge, from its lower node and axis.
#[inline]
fn ends_of([x, y, z]: [usize; 3], axis: usize) -> [Node; 2] {
    let bit = NODES * y + x;
    [(z, bit), (z + [0, 0, 1][axis], bit + [1, NODES, 0][axis])]
}

/// Potential at a node.
#[inline]
fn value_at(samples: &Samples, (z, bit): Node) -> f32 {
    samples[z % NODES][bit / NODES % NODES][bit / 4 % 2].as_array()[bit % 4]
}

impl Part {
    /// Makes the named vertices of a brick of groups, in the order of edges and classes. Appends
    /// the triangles of cubes that more than one group reaches to [`Work::triangles`]. Returns the
    /// number of these cubes with something inside, and of those in which more than one group makes
    /// triangles.
    pub(in crate::skin) fn by_groups(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (all, apart, table): (&Together, &Apart, &Table),
        own: &Own,
    ) -> (u16, u16) {
        let odd: [u64; LAYERS] =
            std::array::from_fn(|z| apart.cubes[z] & any_of(all.maybe[z], all.maybe[z + 1]) & OWN);
        if odd == [0; LAYERS] {
            return (0, 0);
        }
        let (level, list) = (scene.settings.level as f32, scene.lists.of(slot));
        let work = &mut self.work;
        let (groups, boards) = (&mut work.groups, &work.boards);
        groups.find_near(boards, &odd);
        let by = (level, scene.contacts.bulge.as_ref());
        let nodes = nodes_of(&odd);
        groups.swell(boards, &work.presses, &nodes, by);
        groups.press(all, &nodes, level);
        groups.take_numbers(own);
        groups.list_foreign(boards, list, &odd, &mut work.foreign);
        self.group_vertices(scene, slot, (all, apart), own.first_named);
        self.group_normals(scene, slot);
        self.group_triangles((&odd, table))
    }

    /// Places the vertices on their edges.
    fn group_vertices(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (all, apart): (&Together, &Apart),
        mut number: u32,
    ) {
        let (level, at) = (scene.settings.level as f32, &all.at);
        let list = scene.lists.of(slot);
        let work = &mut self.work;
        let (groups, boards) = (&mut work.groups, &work.boards);
        groups.made.clear();
        for (z, odd) in apart.edges.iter().enumerate() {
            for (axis, odd) in odd.iter().enumerate() {
                let mut any = 0;
                groups.cut.clear();
                for inside in &groups.inside {
                    let cut = cuts(inside[z], inside[z + 1])[axis] & odd;
                    groups.cut.push(cut);
                    any |= cut;
                }
                for bit in bits_of(any) {
                    let node = [bit % NODES, bit / NODES % NODES, z];
                    let ends = ends_of(node, axis);
                    let edge = edge_number(node, axis);
                    let from = [at[0][node[0]], at[1][node[1]], at[2][node[2]]];
                    let length = at[axis][node[axis] + 1] - from[axis];
                    groups.with_bit(bit);
                    groups.sort_by(|groups, k| groups.first_at(boards, (z, k), ends));
                    for n in 0..groups.order.len() {
                        let group = groups.order[n].1;
                        let k = usize::from(group);
                        let sums = &groups.sums[k];
                        let [low, high] = [value_at(sums, ends[0]), value_at(sums, ends[1])];
                        let mut point = from;
                        point[axis] += part_of(level, low, high) * length;
                        let class = groups.class_at((z, k), ends);
                        // A class that cuts an edge also reaches it.
                        let name = list[class.trailing_zeros() as usize % 128];
                        work.named.push((edge, name));
                        work.named_of.push(class);
                        groups.numbers[k * EDGE_NUMBERS + usize::from(edge)] = number;
                        number += 1;
                        groups.made.push(NamedVertex {
                            at: point,
                            group,
                            ends,
                        });
                    }
                }
            }
        }
    }

    /// Adds the points of [`Groups::made`] and their normals: those of the vertex's group, net of
    /// the other group that is furthest above the level.
    fn group_normals(&mut self, scene: &MeshContext<'_>, slot: usize) {
        let domain = &scene.settings.domain;
        let low = domain.low();
        let list = scene.lists.of(slot);
        let level = scene.settings.level as f32;
        let work = &mut self.work;
        let (boards, presses) = (work.boards.as_slice(), &work.presses);
        let bulge = scene.contacts.bulge.as_ref();
        let bulge = bulge.filter(|_| !presses.is_empty());
        let groups = &mut work.groups;
        let mut beside = std::mem::take(&mut groups.beside);
        let half = 0.5 * domain.cell_m() as f32;
        groups.balls.clear();
        groups.balls.extend(list.iter().map(|entry| {
            let ball = scene.balls.get(*entry as usize)?;
            let most = half * ball.per_radius;
            // A little more for rounding.
            let thin = 1e-5 + 1.02 * most * most;
            Some(EdgeBall { ball: *ball, thin })
        }));
        let about = (scene, list, boards);
        for made in groups.made.chunks(4) {
            let last = &made[made.len() - 1];
            let lanes = std::array::from_fn(|j| made.get(j).unwrap_or(last));
            let at = [0, 1, 2].map(|k| f32x4::new(lanes.map(|made| made.at[k])));
            let layer = made[0].ends[0].0;
            // If the edges lie in two layers, use the members near any layer.
            let layer = if last.ends[0].0 == layer {
                layer
            } else {
                LAYERS
            };
            let (mut most, mut press) = (f32x4::splat(level), [f32x4::ZERO; 3]);
            let (mut sum, mut equal) = ([f32x4::ZERO; 3], f32x4::ZERO);
            for (k, board) in groups.reached.iter().enumerate() {
                let is_own = |made: &NamedVertex| usize::from(made.group) == k;
                let (mut others, mut own) = (0, 0);
                for (j, made) in lanes.iter().enumerate() {
                    own |= usize::from(is_own(made)) << j;
                    others |= (bits_at(board, made.ends) as usize & 1) << j;
                }
                others &= !own;
                if others | own == 0 {
                    continue;
                }
                let near = groups.near(layer, k);
                let wanted = (others != 0, own != 0);
                let (value, mut outwards) = groups.gather(about, near, lanes, at, wanted);
                let first = value.simd_gt(most) & LANES[others];
                equal |= value.simd_eq(most) & LANES[others];
                if own != 0 {
                    for k in 0..3 {
                        sum[k] |= outwards[k] & LANES[own];
                    }
                }
                if first.to_bitmask() != 0 {
                    if own == 0 {
                        // The other group's direction matters only where it presses.
                        (_, outwards) = groups.gather(about, near, lanes, at, (false, true));
                    }
                    most = first.bitselect(value, most);
                    for k in 0..3 {
                        press[k] = first.bitselect(outwards[k], press[k]);
                    }
                }
            }
            let sum = if equal.to_bitmask() != 0 || bulge.is_some() {
                beside.clear();
                for k in 0..groups.sets.len() {
                    let near = groups.near(layer, k);
                    let of = groups.gather(about, near, lanes, at, (true, true));
                    let outwards = of.1.map(f32x4::to_array);
                    beside.push((of.0.to_array(), outwards));
                }
                let by = (level, bulge, presses.as_slice());
                let of = |j: usize| groups.outwards(boards, lanes[j], (&beside, j), by);
                let each = [0, 1, 2, 3].map(of);
                [0, 1, 2].map(|k| f32x4::new(each.map(|sum| sum[k])))
            } else {
                [sum[0] - press[0], sum[1] - press[1], sum[2] - press[2]]
            };
            let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt();
            let unit = sum.map(|x| (x / length).to_array());
            for (j, made) in made.iter().enumerate() {
                let n = [unit[0][j], unit[1][j], unit[2][j]];
                // A zero gradient has no direction; any unit vector will do.
                let some = n[0].is_finite() && n[1].is_finite() && n[2].is_finite();
                self.normals.push(if some { n } else { [0.0, 0.0, 1.0] });
                let world = |k: usize| (low[k] + f64::from(made.at[k])) as f32;
                self.points.push([world(0), world(1), world(2)]);
            }
        }
        groups.beside = beside;
    }

    /// Makes the triangles, once all corners are numbered. Returns the counts as in
    /// [`Part::by_groups`].
    fn group_triangles(&mut self, (odd, table): (&[u64; LAYERS], &Table)) -> (u16, u16) {
        let Work {
            groups, triangles, ..
        } = &mut self.work;
        let (mut shared, mut doubled) = (0, 0);
        for z in 0..LAYERS {
            let (mut some, mut one, mut more) = (0, 0, 0);
            groups.cut.clear();
            for inside in &groups.inside {
                let [m, n] = [inside[z], inside[z + 1]];
                let any = any_of(m, n) & odd[z];
                let cut = any & !all_of(m, n);
                groups.cut.push(cut);
                some |= any;
                more |= one & cut;
                one |= cut;
            }
            shared += some.count_ones() as u16;
            doubled += more.count_ones() as u16;
            for bit in bits_of(one) {
                let number = 3 * z * NODES * NODES + bit;
                groups.with_bit(bit);
                groups.sort_by(|groups, k| {
                    let mut some = groups.near(z, k).iter();
                    let found = some.find(|i| groups.cubes[**i as usize][z] >> bit & 1 == 1);
                    found.copied()
                });
                for (_, k) in &groups.order {
                    let k = usize::from(*k);
                    let [m, n] = [z, z + 1].map(|z| groups.inside[k][z]);
                    let case = &table.0[corners(m, n, bit)];
                    let numbers = &groups.numbers[k * EDGE_NUMBERS + number..];
                    let vertex = |edge: &u8| numbers[NUMBER[usize::from(*edge)]];
                    let some = case.triangles().iter();
                    triangles.extend(some.map(|[a, b, c]| [vertex(a), vertex(b), vertex(c)]));
                }
            }
        }
        (shared, doubled)
    }
}

impl Groups {
    /// Grows the table of vertex numbers, and enters those on own edges of one class for the group
    /// that cuts each.
    fn take_numbers(&mut self, own: &Own) {
        let room = self.sets.len() * EDGE_NUMBERS;
        if self.numbers.len() < room {
            self.numbers.resize(room, 0);
        }
        let tables = self.numbers.chunks_mut(EDGE_NUMBERS);
        for (numbers, inside) in tables.zip(&self.inside) {
            for z in 0..LAYERS {
                for (axis, cut) in cuts(inside[z], inside[z + 1]).into_iter().enumerate() {
                    for bit in bits_of(cut & own.cuts[z][axis]) {
                        let node = [bit % NODES, bit / NODES, z];
                        numbers[usize::from(edge_number(node, axis))] = own.plain(node, axis);
                    }
                }
            }
        }
    }

    /// Outward direction of a vertex, net of the other groups in the order of their first members
    /// at its edge. `beside` has the value and direction of each group.
    fn outwards(
        &self,
        boards: &[[u64; NODES]],
        made: &NamedVertex,
        (beside, lane): (&[GatheredPoint], usize),
        (level, bulge, presses): (f32, Option<&Bulge>, &[Set]),
    ) -> [f32; 3] {
        let outwards = |k: usize| beside[k].1.map(|lanes| lanes[lane]);
        let own = usize::from(made.group);
        let mut others = [(u32::MAX, 0); MAX_IN_PLACE];
        let mut count = 0;
        for k in (0..beside.len()).filter(|k| *k != own) {
            let mut some = self.near(LAYERS, k).iter();
            let first = some.find(|i| meets(&boards[usize::from(**i)], made.ends));
            if let Some(first) = first {
                others[count] = (u32::from(*first), k);
                count += 1;
            }
        }
        others[..count].sort_unstable();
        let pressed = presses.get(usize::from(self.members[self.begins[own]]));
        let (mut sum, mut most) = (outwards(own), (level, [0.0; 3]));
        for (_, k) in &others[..count] {
            let value = beside[*k].0[lane];
            if value > level {
                if value > most.0 {
                    most = (value, outwards(*k));
                }
            } else if let Some(bulge) = bulge
                && pressed.is_some_and(|set| set & self.sets[*k] != 0)
            {
                let slope = bulge.with_slope(f64::from(value)).1 as f32;
                let outwards = outwards(*k);
                for k in 0..3 {
                    sum[k] += slope * outwards[k];
                }
            }
        }
        for k in 0..3 {
            sum[k] -= most.1[k];
        }
        sum
    }

    /// Lists the neighbours' edges that the groups cut, in cubes that more than one reaches, and
    /// records each group's index in that list.
    fn list_foreign(
        &mut self,
        boards: &[[u64; NODES]],
        list: &[u32],
        odd: &[u64; LAYERS],
        out: &mut Vec<Foreign>,
    ) {
        let mut count = 0;
        for k in 0..self.sets.len() {
            let inside = self.inside[k];
            far_cuts(odd, &inside, |z, axis, cut| {
                for bit in bits_of(cut) {
                    let node = [bit % NODES, bit / NODES, z];
                    let ends = ends_of(node, axis);
                    // A class that cuts an edge also reaches it.
                    let name = self.first_at(boards, (z.min(LAYERS - 1), k), ends);
                    let edge = usize::from(edge_number(node, axis));
                    self.numbers[k * EDGE_NUMBERS + edge] = FOREIGN | count;
                    count += 1;
                    out.push(Foreign {
                        node: node.map(|i| i as u8),
                        axis: axis as u8,
                        name: list[usize::from(name.unwrap_or(0))],
                    });
                }
            });
        }
    }

    /// Value and negative gradient of a group at four vertices, as requested, summed over its
    /// members that reach the vertex's edge.
    fn gather(
        &self,
        (scene, list, boards): (&MeshContext<'_>, &[u32], &[[u64; NODES]]),
        some: &[u8],
        lanes: [&NamedVertex; 4],
        at: [f32x4; 3],
        (with_value, with_outwards): (bool, bool),
    ) -> (f32x4, [f32x4; 3]) {
        let domain = &scene.settings.domain;
        let (mut value, mut outwards) = (f32x4::ZERO, [f32x4::ZERO; 3]);
        for i in some {
            let place = usize::from(*i);
            let Some(EdgeBall { ball, thin }) = &self.balls[place] else {
                for (j, made) in lanes.iter().enumerate() {
                    if meets(&boards[place], made.ends) {
                        let source = scene.source(list[place]);
                        let more = outwards_other(domain, source, made.at);
                        value.as_mut_array()[j] += value_of_other(domain, source, made.at);
                        for k in 0..3 {
                            outwards[k].as_mut_array()[j] += more[k];
                        }
                    }
                }
                continue;
            };
            let away = ball.away(at);
            let depth = ball.depth(away);
            // Out of reach, up to rounding.
            let reached = depth.simd_gt(f32x4::splat(-1e-5));
            let mut kept = reached;
            // A member that reaches an edge but neither end is not in the class there.
            if (reached & depth.simd_lt(f32x4::splat(*thin))).to_bitmask() != 0 {
                for (j, made) in lanes.iter().enumerate() {
                    if !meets(&boards[place], made.ends) {
                        kept.as_mut_array()[j] = 0.0;
                    }
                }
            }
            if with_value {
                value += ball.value_at(away) & kept;
            }
            if with_outwards {
                let more = ball.outwards_at(away, depth);
                for k in 0..3 {
                    outwards[k] += more[k] & kept;
                }
            }
        }
        (value, outwards)
    }
}
