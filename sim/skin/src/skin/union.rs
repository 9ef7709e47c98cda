//! Bricks of a [`Union`](crate::blend::Blending::Union): each node has the largest sum over the
//! maximal cliques, and there is one surface.
//!
//! # Theory
//!
//! See [`Cliques`]: any candidate set gives the same value at a node, as long as it holds all
//! primitives that reach the node. So a brick is processed in eight *blocks* of 4³ nodes, each with
//! the primitives that reach it or the layer of nodes beyond it. These are few, and most often all
//! blend with each other. The cliques are found once per block, and its nodes are summed in lanes.
//! A cut edge lies in the block of its lower node. Its normal is that of the clique that is highest
//! at its vertex.
//!
//! Over a crease the potential is not linear from node to node, however small the cubes. Legs about
//! one node spacing apart would be misplaced by half a cube. So if the vertex's clique is not the
//! highest at both nodes of its edge, a few root-finding steps place the vertex on the level.
//!
//! # Practice
//!
//! The result is an ordinary brick of one surface. Only bricks come here that have primitives that
//! may not all blend, or a negative term. Bounded: at most [`MAX_IN_PLACE`] primitives and
//! [`MAX_CLIQUES`] cliques in a block, or the mesh is refused. Allocates only when a mesh exceeds
//! all earlier ones in size.

use wide::f32x4;

use super::SkinError;
use super::brick::{Brick, Found, part_of};
use super::classes::{Links, next_along};
use super::part::{MeshContext, Part};
use crate::blend::{Cliques, MAX_IN_PLACE, Set, members};
use crate::sample::{NODES, Samples, Source, outwards_other, places, unit, value_of_other};

/// Maximum number of maximal cliques in a block of 4³ nodes.
pub const MAX_CLIQUES: usize = 256;

/// Maximum number of root-finding steps on an edge over a crease. The search ends when the residual
/// is below the fraction [`MET`] of the level.
const REFINED: usize = 16;
const MET: f32 = 1e-3;

/// Nodes along a side of a block: half a brick.
const BLOCK: usize = NODES / 2;

/// Values at the nodes of a block, by layers and rows along x.
type Lanes = [f32x4; BLOCK * BLOCK];

const NOTHING: Lanes = [f32x4::ZERO; BLOCK * BLOCK];

/// Evaluates `value` at the nodes of the block that starts at `node`.
#[inline]
fn each_in_block(
    at: &[[f32; NODES]; 3],
    node: [usize; 3],
    mut value: impl FnMut(([f32; 4], f32, f32)) -> f32x4,
) -> Lanes {
    let x = std::array::from_fn(|i| at[0][node[0] + i]);
    let mut all = NOTHING;
    for (k, lanes) in all.iter_mut().enumerate() {
        *lanes = value((x, at[1][node[1] + k % BLOCK], at[2][node[2] + k / BLOCK]));
    }
    all
}

/// Extent of a block, from its lowest node to the layer of nodes beyond it, relative to the
/// domain's lowest corner, m.
struct Place {
    low: [f32; 3],
    high: [f32; 3],
}

impl Place {
    fn of(at: &[[f32; NODES]; 3], node: [usize; 3]) -> Place {
        let last = |k: usize| at[k][(node[k] + BLOCK).min(NODES - 1)];
        Place {
            low: [0, 1, 2].map(|k| at[k][node[k]]),
            high: [0, 1, 2].map(last),
        }
    }

    /// False means that a term is 0 at all nodes of the block. For a ball, the test evaluates a
    /// point nearer than all nodes, with the same bits. Other terms are tested by their boxes,
    /// which may reach further.
    fn is_reached(&self, scene: &MeshContext<'_>, entry: u32) -> bool {
        if let Some(ball) = scene.balls.get(entry as usize) {
            let nearest = [0, 1, 2].map(|k| ball.centre[k].max(self.low[k]).min(self.high[k]));
            return ball.at(nearest) != 0.0;
        }
        let (low, high) = match scene.source(entry) {
            Source::Primitive(primitive) => primitive.bounds(),
            Source::Grid(grid) => grid.bounds(),
        };
        let domain = &scene.settings.domain;
        let room = 1e-3 * domain.cell_m();
        let corner = domain.low();
        (0..3).all(|k| {
            low[k] - room <= corner[k] + f64::from(self.high[k])
                && high[k] + room >= corner[k] + f64::from(self.low[k])
        })
    }
}

/// Cliques of a brick's vertices: ranges in [`Union::of`], and in [`Union::members`] for their
/// members.
#[derive(Clone, Copy, Debug)]
pub(super) struct Creased {
    of: (usize, usize),
    members: (usize, usize),
}

/// One of a brick's blocks: ranges of its entries in [`Union::entries`] and of its cliques in
/// [`Union::cliques`].
#[derive(Clone, Copy, Debug, Default)]
struct Block {
    entries: (usize, usize),
    cliques: (usize, usize),
}

/// Work space, and the kept cliques of a mesh's bricks.
#[derive(Clone, Debug, Default)]
pub(super) struct Union {
    /// Mark of the last block that had the primitive, and its place in that block; by primitive.
    marks: Vec<(u32, u32)>,
    mark: u32,
    /// Contribution of each entry to the nodes of the current block.
    terms: Vec<Lanes>,
    /// Blocks of the current brick. Entries are places in the brick's list, cliques are sets of
    /// those.
    blocks: [Block; 8],
    entries: Vec<u32>,
    cliques: Vec<Set>,
    /// Blending relation within the current block.
    may: Vec<Set>,
    search: Cliques,
    /// Entries of the brick's list that may be negative: in no clique, and in every sum.
    always: Vec<u32>,
    /// Value of each entry of the block at the current vertex.
    values: Vec<f32>,
    /// Range of the members of each clique of the brick, if a vertex has that clique.
    kept: Vec<Option<(u32, u32)>>,
    pub creased: Vec<Creased>,
    of: Vec<(u32, u32)>,
    members: Vec<u32>,
}

impl Union {
    /// Clears everything, for this many primitives.
    pub fn begin(&mut self, count: usize) {
        self.marks.clear();
        self.marks.resize(count, (0, 0));
        self.mark = 0;
        self.creased.clear();
        self.of.clear();
        self.members.clear();
    }

    /// Copies a brick from another frame; returns its index here.
    pub fn keep(&mut self, from: &Union, number: u32) -> u32 {
        let old = from.creased[number as usize];
        let (of, first) = (self.of.len(), self.members.len());
        self.members
            .extend_from_slice(&from.members[old.members.0..old.members.1]);
        let moved = from.of[old.of.0..old.of.1].iter();
        let by = |at: u32| at - old.members.0 as u32 + first as u32;
        self.of.extend(moved.map(|(a, b)| (by(*a), by(*b))));
        self.creased.push(Creased {
            of: (of, self.of.len()),
            members: (first, self.members.len()),
        });
        self.creased.len() as u32 - 1
    }

    /// Entries that make up each of a brick's vertices.
    pub fn cliques_of(&self, creased: u32) -> impl Iterator<Item = &[u32]> {
        let of = self.creased[creased as usize].of;
        let of = self.of[of.0..of.1].iter();
        of.map(|(a, b)| &self.members[*a as usize..*b as usize])
    }

    /// Memory kept, bytes, without the work space of a single brick, which is small.
    pub fn bytes(&self) -> usize {
        use super::memory::of;
        of(&self.creased) + of(&self.of) + of(&self.members)
    }

    /// Potential at a position in a block, relative to the domain's lowest corner, and the clique
    /// that attains it.
    fn highest_at(
        &mut self,
        scene: &MeshContext<'_>,
        list: &[u32],
        block: &Block,
        at: [f32; 3],
    ) -> (f32, Option<usize>) {
        let domain = &scene.settings.domain;
        let value = |i: &u32| {
            let entry = list[*i as usize];
            match scene.balls.get(entry as usize) {
                Some(ball) => ball.at(at),
                None => value_of_other(domain, scene.source(entry), at),
            }
        };
        let entries = &self.entries[block.entries.0..block.entries.1];
        self.values.clear();
        self.values.extend(entries.iter().map(value));
        let mut highest: Option<(f32, usize)> = None;
        for k in block.cliques.0..block.cliques.1 {
            let sum = members(self.cliques[k]).fold(0.0, |sum, i| sum + self.values[i]);
            if highest.is_none_or(|(most, _)| sum > most) {
                highest = Some((sum, k));
            }
        }
        let less = self.always.iter().map(value).fold(0.0, |sum, x| sum + x);
        (
            highest.map_or(0.0, |(most, _)| most) + less,
            highest.map(|(_, k)| k),
        )
    }

    /// True if the vertex's clique is not the highest at both ends of its edge, so that the
    /// potential between them is not linear at any cube size. Also true at an end on the domain's
    /// border, where a sample may have been clipped.
    fn is_creased(
        &self,
        scene: &MeshContext<'_>,
        list: &[u32],
        (block, clique): (&Block, Option<usize>),
        (at, samples): (&[[f32; NODES]; 3], &Samples),
        (node, axis): ([usize; 3], usize),
    ) -> bool {
        let domain = &scene.settings.domain;
        let entries = &self.entries[block.entries.0..block.entries.1];
        let clique = clique.map_or(0, |k| self.cliques[k]);
        let differs = |node: [usize; 3]| {
            let place = [0, 1, 2].map(|k| at[k][node[k]]);
            let add = |sum: f32, i: u32| {
                let entry = list[i as usize];
                sum + match scene.balls.get(entry as usize) {
                    Some(ball) => ball.at(place),
                    None => value_of_other(domain, scene.source(entry), place),
                }
            };
            // Sums with the same bits as the node, if the clique is the highest there.
            let own = members(clique).map(|i| entries[i]).fold(0.0, add);
            let less = self.always.iter().copied().fold(0.0, add);
            (own + less) != value_at(samples, node)
        };
        [node, next_along(node, axis)].into_iter().any(differs)
    }

    /// Sets the blending relation within a block, for the primitives of its entries.
    fn relate(&mut self, links: &Links, primitives: impl Iterator<Item = u32> + Clone) {
        self.mark += 1;
        for (place, primitive) in (0..).zip(primitives.clone()) {
            self.marks[primitive as usize] = (self.mark, place);
        }
        self.may.clear();
        for (place, primitive) in (0_u32..).zip(primitives) {
            let others = links.of(primitive).iter();
            let among = others.map(|q| self.marks[*q as usize]);
            let among = among.filter(|(mark, _)| *mark == self.mark);
            self.may
                .push(among.fold(1 << place, |set: Set, (_, q)| set | 1 << q));
        }
    }
}

/// Block of a node, and of the edges of which it is the lower node.
fn block_of(node: [usize; 3]) -> usize {
    (0..3).fold(0, |block, k| block | usize::from(node[k] >= BLOCK) << k)
}

fn value_at(samples: &Samples, [x, y, z]: [usize; 3]) -> f32 {
    samples[z][y][x / 4].as_array()[x % 4]
}

/// True if a term may be negative somewhere: it is then in no clique, and in every sum.
pub(super) fn may_be_negative(source: Source<'_>) -> bool {
    match source {
        Source::Primitive(primitive) => primitive.amplitude < 0.0,
        Source::Grid(grid) => grid.is_below_zero(),
    }
}

impl Part {
    /// Finds the vertices of a brick's own edges. Where all primitives blend and none is negative,
    /// [`Part::sample`] finds the same vertices faster.
    pub(super) fn sample_union(
        &mut self,
        scene: &MeshContext<'_>,
        links: &Links,
        slot: usize,
        found: &mut Found,
    ) -> Result<(), SkinError> {
        let at = scene.lists.reached[slot].map(|b| places(&scene.settings.domain, b));
        let mut samples: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];
        let work = &mut self.union;
        work.entries.clear();
        work.cliques.clear();
        work.always.clear();
        let list = (0..).zip(scene.lists.of(slot));
        let always = list.filter(|(_, entry)| may_be_negative(scene.source(**entry)));
        work.always.extend(always.map(|(i, _)| i));
        for block in 0..8 {
            self.sample_block(scene, links, slot, (&at, block), &mut samples)?;
        }
        let Some((first, brick)) = self.vertices(scene, slot, &at, &mut samples, found) else {
            return Ok(());
        };
        self.finish_vertices(scene, slot, (&at, &samples), first);
        found.number = self.bricks.len() as u32;
        self.bricks.push(Brick {
            creased: Some(self.union.creased.len() as u32 - 1),
            ..brick
        });
        Ok(())
    }

    /// Finds the cliques of a block, and the largest of their sums plus the negative terms at its
    /// nodes.
    fn sample_block(
        &mut self,
        scene: &MeshContext<'_>,
        links: &Links,
        slot: usize,
        (at, number): (&[[f32; NODES]; 3], usize),
        samples: &mut Samples,
    ) -> Result<(), SkinError> {
        let domain = &scene.settings.domain;
        let list = scene.lists.of(slot);
        let node = [0, 1, 2].map(|k| BLOCK * (number >> k & 1));
        let place = Place::of(at, node);
        let term = |entry: u32| match scene.balls.get(entry as usize) {
            Some(ball) => each_in_block(at, node, |(x, y, z)| ball.at_row(x, y, z)),
            None => {
                let source = scene.source(entry);
                each_in_block(at, node, |(x, y, z)| {
                    f32x4::new(x.map(|x| value_of_other(domain, source, [x, y, z])))
                })
            }
        };
        let work = &mut self.union;
        let (first, cliques) = (work.entries.len(), work.cliques.len());
        work.terms.clear();
        let mut sum = NOTHING;
        for (i, entry) in (0..).zip(list) {
            if !place.is_reached(scene, *entry) || work.always.binary_search(&i).is_ok() {
                continue;
            }
            let term = term(*entry);
            for (sum, term) in sum.iter_mut().zip(&term) {
                *sum += *term;
            }
            work.entries.push(i);
            work.terms.push(term);
        }
        let count = work.entries.len() - first;
        if count > MAX_IN_PLACE {
            return Err(SkinError::Crowded(count));
        }
        // Taken out to satisfy the borrow checker.
        let entries = std::mem::take(&mut work.entries);
        let primitives = entries[first..].iter();
        work.relate(
            links,
            primitives.map(|i| scene.order[list[*i as usize] as usize]),
        );
        work.entries = entries;
        let all = match count {
            0 => 0,
            count => Set::MAX >> (MAX_IN_PLACE - count),
        };
        let found = work.search.find(&work.may, all, MAX_CLIQUES)?;
        work.cliques.extend_from_slice(found);
        work.blocks[number] = Block {
            entries: (first, work.entries.len()),
            cliques: (cliques, work.cliques.len()),
        };
        if let [_, _, ..] = found {
            let mut most = NOTHING;
            for clique in found {
                let mut sum = NOTHING;
                for i in members(*clique) {
                    for (sum, term) in sum.iter_mut().zip(&work.terms[i]) {
                        *sum += *term;
                    }
                }
                for (most, sum) in most.iter_mut().zip(sum) {
                    // The terms are nonnegative, so no sum is NaN and `fast_max` is safe.
                    *most = most.fast_max(sum);
                }
            }
            sum = most;
        }
        if !work.always.is_empty() {
            let mut less = NOTHING;
            for i in &work.always {
                for (less, term) in less.iter_mut().zip(&term(list[*i as usize])) {
                    *less += *term;
                }
            }
            for (sum, less) in sum.iter_mut().zip(less) {
                *sum += less;
            }
        }
        for (k, sum) in sum.into_iter().enumerate() {
            samples[node[2] + k / BLOCK][node[1] + k % BLOCK][node[0] / BLOCK] = sum;
        }
        Ok(())
    }

    /// Computes normals and cliques for the vertices from `first` on, and moves them to the world.
    /// A vertex on an edge over a crease is first placed on the surface.
    fn finish_vertices(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        (at, samples): (&[[f32; NODES]; 3], &Samples),
        first: usize,
    ) {
        let domain = &scene.settings.domain;
        let low = domain.low();
        let list = scene.lists.of(slot);
        let work = &mut self.union;
        let (of, kept) = (work.of.len(), work.members.len());
        work.kept.clear();
        work.kept.resize(work.cliques.len(), None);
        for point in &mut self.points[first..] {
            // Lower node of its edge: vertices on nodes have the same bits.
            let node = [0, 1, 2].map(|k| at[k].partition_point(|x| *x <= point[k]).max(1) - 1);
            let block = work.blocks[block_of(node)];
            // With one clique, it is the highest.
            let one = block.cliques.1 - block.cliques.0 == 1;
            let mut highest = match one {
                true => (0.0, Some(block.cliques.0)),
                false => work.highest_at(scene, list, &block, *point),
            };
            let axis = (0..3).find(|k| point[*k] != at[*k][node[*k]]);
            if let Some(axis) = axis
                && !one
                && work.is_creased(
                    scene,
                    list,
                    (&block, highest.1),
                    (at, samples),
                    (node, axis),
                )
            {
                let level = scene.settings.level as f32;
                let mut ends = [node, next_along(node, axis)]
                    .map(|end| (at[axis][end[axis]], value_at(samples, end) - level));
                // Regula falsi, Illinois variant: an end kept twice in a row has its value halved.
                let mut last = None;
                for _ in 0..REFINED {
                    let [from, to] = ends;
                    point[axis] = from.0 + part_of(0.0, from.1, to.1) * (to.0 - from.0);
                    highest = work.highest_at(scene, list, &block, *point);
                    let new = (point[axis], highest.0 - level);
                    if new.1.abs() < MET * level {
                        break;
                    }
                    let moved = usize::from((new.1 > 0.0) != (from.1 > 0.0));
                    if last == Some(moved) {
                        ends[1 - moved].1 *= 0.5;
                    }
                    ends[moved] = new;
                    last = Some(moved);
                }
            }
            let entries = &work.entries[block.entries.0..block.entries.1];
            // No clique exists where only a grid with negative samples contributes.
            let clique = highest.1.map_or(0, |k| work.cliques[k]);
            let mut sum = [0.0; 3];
            let terms = members(clique).map(|i| entries[i]);
            for i in terms.clone().chain(work.always.iter().copied()) {
                let entry = list[i as usize];
                let more = match scene.balls.get(entry as usize) {
                    Some(ball) => ball.outwards(*point),
                    None => outwards_other(domain, scene.source(entry), *point),
                };
                for k in 0..3 {
                    sum[k] += more[k];
                }
            }
            self.normals.push(unit(sum));
            let known = highest.1.and_then(|k| work.kept[k]);
            let range = known.unwrap_or_else(|| {
                let begin = work.members.len() as u32;
                let terms = terms.chain(work.always.iter().copied());
                work.members.extend(terms.map(|i| list[i as usize]));
                (begin, work.members.len() as u32)
            });
            if let Some(k) = highest.1 {
                work.kept[k] = Some(range);
            }
            work.of.push(range);
            for k in 0..3 {
                point[k] = (low[k] + f64::from(point[k])) as f32;
            }
        }
        work.creased.push(Creased {
            of: (of, work.of.len()),
            members: (kept, work.members.len()),
        });
    }
}
