//! What is found in some of the bricks, one after the other: the part of a mesh that one thread
//! makes.
//!
//! # Theory
//!
//! What a brick has depends on the primitives that reach it and on nothing else. So no brick waits
//! for another; and one that is reached by the same primitives as in the last mesh, none of which
//! has changed, has what it had then, to the bit: it is taken over without a look at its nodes.
//! Both follow from bricks; the source, which goes from cube to cube, computes everything again and
//! asks for such coherence in its outlook (Triquet 2001, section 3.5.2).
//!
//! # Practice
//!
//! Vertices count from 0 in each part, and bricks too; [`Skin`](super::Skin) puts parts one behind
//! the other. Does not allocate once it has seen as much.

use std::ops::Range;

use hapticd_geometry::Vec3;
use wide::f32x4;

use super::brick::{Border, Brick, Found, bits_of, crossing, cuts};
use super::classes::{Links, Work};
use super::contacts::Contacts;
use super::union::{Union, takes_away};
use super::{Frame, MAX_BRICKS, MAX_POINTS, Settings, SkinError};
use crate::grid::Grid;
use crate::lists::{Lists, NONE, SIDE};
use crate::primitive::{Primitive, Skeleton};
use crate::sample::{
    Ball, NODES, Samples, Source, each_of_ball, each_of_other, has_direction, outwards,
    outwards_other, places, unit_of_any,
};

/// What does not change while a mesh is made.
pub(super) struct MeshContext<'a> {
    pub settings: &'a Settings,
    pub primitives: &'a [Primitive],
    pub grids: &'a [Grid],
    pub lists: &'a Lists,
    pub balls: &'a [Ball],
    /// Numbers of the primitives that `lists` counts: balls first.
    pub order: &'a [u32],
    pub border: Border,
    /// Who may blend; `None`: all.
    pub links: Option<&'a Links>,
    /// Whether those that may not blend meet in a crease, and not each with a surface of its own.
    pub union: bool,
    /// Who presses whom.
    pub contacts: &'a Contacts,
    pub kept: Option<Kept<'a>>,
    /// Whether bricks of more than one class all go node by node.
    pub by_nodes: bool,
}

/// The last mesh, where bricks of it may be those of this one.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    pub frame: &'a Frame,
    /// Primitives that are not what they were.
    pub changed: &'a [bool],
    /// Whether the lists have the same numbers for the same primitives.
    pub same_order: bool,
}

impl MeshContext<'_> {
    /// How many of a list are balls: they come first.
    pub fn balls_of(&self, list: &[u32]) -> usize {
        list.partition_point(|entry| (*entry as usize) < self.balls.len())
    }

    /// What an entry of a list stands for: grids come after all primitives.
    pub fn source(&self, entry: u32) -> Source<'_> {
        let number = self.order[entry as usize] as usize;
        match self.primitives.get(number) {
            Some(primitive) => Source::Primitive(primitive),
            None => Source::Grid(&self.grids[number - self.primitives.len()]),
        }
    }

    /// How many terms there are.
    pub fn count(&self) -> usize {
        self.primitives.len() + self.grids.len()
    }

    /// Where a brick was in the last mesh, if the same primitives reached it and none has changed:
    /// all that reach it now are the same, and there were no more.
    fn kept(&self, slot: usize) -> Option<(&Frame, usize)> {
        let kept = self.kept?;
        let place = self.lists.reached[slot].map(u32::from);
        let before = kept.frame.lists.slot(place);
        if before == NONE {
            return None;
        }
        let list = self.lists.of(slot);
        let same = kept.frame.lists.of(before as usize).len() == list.len()
            && (list.iter()).all(|entry| !kept.changed[self.order[*entry as usize] as usize]);
        let found = kept.frame.found[before as usize];
        let brick = kept.frame.bricks.get(found.number as usize);
        let nameless = |brick: &Brick| brick.mixed.is_none() && brick.creased.is_none();
        let names = kept.same_order || brick.is_none_or(nameless);
        (same && names).then_some((kept.frame, before as usize))
    }

    /// Whether bounds of the sum leave room for the level in a brick. True where a term is not a
    /// ball, of which nothing is known. Of more than one class only that all of them together may
    /// reach the level.
    pub fn may_be_cut(&self, slot: usize, one: bool) -> bool {
        let settings = self.settings;
        let place = self.lists.reached[slot];
        let cell = settings.domain.cell_m() as f32;
        // Where the outermost nodes are, to the bit.
        let [low, high] = [0, SIDE].map(|i| place.map(|b| (u32::from(b) * SIDE + i) as f32 * cell));
        let (mut least, mut most) = (0.0, 0.0);
        for entry in self.lists.of(slot) {
            let Some(ball) = self.balls.get(*entry as usize) else {
                let primitive = match self.source(*entry) {
                    Source::Primitive(primitive) => primitive,
                    Source::Grid(grid) => {
                        let corner =
                            |at: [f32; 3]| settings.domain.low() + Vec3::from(at.map(f64::from));
                        let (deep, high) = grid.extremes(&corner(low), &corner(high));
                        least += deep;
                        most += if one { high } else { high.max(0.0) };
                        continue;
                    }
                };
                let top = primitive.amplitude.max(0.0) * primitive.kernel.value(0.0);
                if primitive.amplitude < 0.0 || matches!(primitive.skeleton, Skeleton::Convolved(_))
                {
                    return true;
                }
                most += top as f32;
                continue;
            };
            // The same operations in the same order as at nodes, each of which keeps what is more
            // from becoming less: so no node is above these bounds or below them, however large the
            // numbers are that rounding is a part of.
            let mut left = [1.0, 1.0];
            for k in [2, 1, 0] {
                let (a, b) = (low[k] - ball.centre[k], ball.centre[k] - high[k]);
                let [outside, across] = [a.max(b).max(0.0), a.abs().max(b.abs())];
                let squares =
                    [outside, across].map(|d| (d * ball.per_radius) * (d * ball.per_radius));
                left = [left[0] - squares[0], left[1] - squares[1]];
            }
            let [high, deep] = left.map(|left| {
                let v = left.max(0.0);
                ball.amplitude * v * v
            });
            least += high.min(deep);
            // A class may be without what takes away.
            most += if one {
                high.max(deep)
            } else {
                high.max(deep).max(0.0)
            };
        }
        // What rounding may do to sums of so many terms.
        let room = 1e-4 * (1.0 + settings.level as f32);
        let level = settings.level as f32;
        if !one {
            most *= self.contacts.gain();
        }
        // Where single precision does not hold the sums nothing is known: a NaN excludes no brick.
        let [too_little, too_much] = [most <= level - room, least >= level + room];
        !too_little && (!too_much || !one || self.border.touches(place))
    }
}

/// See the module page.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// By slot, from the first of the part on.
    pub found: Vec<Found>,
    pub bricks: Vec<Brick>,
    pub points: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub work: Work,
    pub union: Union,
    /// Bodies that have a node in common, by their first primitives.
    pub touching: Vec<(u32, u32)>,
    /// Bricks that were taken over, of those not excluded by bounds.
    pub reused: usize,
    /// Why it ends early.
    pub refused: Option<SkinError>,
}

impl Part {
    /// What is in these slots. `number` is the part's own.
    pub fn make(&mut self, scene: &MeshContext<'_>, number: usize, slots: Range<usize>) {
        self.found.clear();
        self.bricks.clear();
        self.points.clear();
        self.normals.clear();
        self.work.begin(scene.count());
        self.union
            .begin(if scene.union { scene.count() } else { 0 });
        self.reused = 0;
        self.refused = None;
        for slot in slots {
            if self.bricks.len() == MAX_BRICKS || self.points.len() > MAX_POINTS {
                self.refused = Some(SkinError::TooLarge(self.bricks.len() + 1));
                return;
            }
            let found = if let Some((frame, before)) = scene.kept(slot) {
                self.keep(frame, before, (number as u32, slot as u32))
            } else {
                match self.look(scene, slot) {
                    Ok(found) => found,
                    Err(refused) => {
                        self.refused = Some(refused);
                        return;
                    }
                }
            };
            if let Some(brick) = self.bricks.get_mut(found.number as usize) {
                brick.part = number as u32;
                brick.slot = slot as u32;
                brick.count = self.points.len() as u32 - brick.at;
            }
            self.found.push(found);
        }
    }

    /// Takes over what the last mesh had in a place.
    fn keep(&mut self, frame: &Frame, before: usize, (part, slot): (u32, u32)) -> Found {
        let mut found = frame.found[before];
        self.reused += usize::from(found.sampled);
        if let Some(old) = frame.bricks.get(found.number as usize) {
            let from = &frame.parts[old.part as usize];
            let vertices = old.at as usize..(old.at + old.count) as usize;
            found.number = self.bricks.len() as u32;
            self.bricks.push(Brick {
                slot,
                part,
                at: self.points.len() as u32,
                mixed: old.mixed.map(|mixed| self.work.keep(&from.work, mixed)),
                creased: (old.creased).map(|creased| self.union.keep(&from.union, creased)),
                ..*old
            });
            self.points
                .extend_from_slice(&from.points[vertices.clone()]);
            self.normals.extend_from_slice(&from.normals[vertices]);
        }
        found
    }

    fn look(&mut self, scene: &MeshContext<'_>, slot: usize) -> Result<Found, SkinError> {
        let mut found = Found::none();
        let one = scene.links.is_none_or(|links| {
            let list = scene.lists.of(slot).iter();
            self.work
                .is_one(links, list.map(|entry| scene.order[*entry as usize]))
        });
        // What takes away is added in another order in a union, and neighbours have to agree to the
        // bit.
        let one = one && !(scene.union && self.is_taken_from(scene, slot));
        if scene.may_be_cut(slot, one) {
            found.sampled = true;
            match scene.links.filter(|_| !one) {
                None => self.sample(scene, slot, &mut found),
                Some(links) if scene.union => {
                    self.sample_union(scene, links, slot, &mut found)?;
                }
                Some(links) => self.sample_classes(scene, links, slot, &mut found)?,
            }
        }
        Ok(found)
    }

    fn is_taken_from(&self, scene: &MeshContext<'_>, slot: usize) -> bool {
        let list = scene.lists.of(slot).iter();
        list.into_iter()
            .any(|entry| takes_away(scene.source(*entry)))
    }

    /// Nodes of a brick, and if the surface cuts it, its vertices.
    fn sample(&mut self, scene: &MeshContext<'_>, slot: usize, found: &mut Found) {
        let domain = &scene.settings.domain;
        let place = scene.lists.reached[slot];
        let at = place.map(|b| places(domain, b));
        let mut samples: Samples = [[[f32x4::ZERO; 2]; NODES]; NODES];
        let list = scene.lists.of(slot);
        // Balls come first.
        let (balls, others) = list.split_at(scene.balls_of(list));
        let mut add = |z: usize, y: usize, half: usize, term: f32x4| samples[z][y][half] += term;
        for entry in balls {
            each_of_ball(&scene.balls[*entry as usize], &at, &mut add);
        }
        for entry in others {
            each_of_other(domain, scene.source(*entry), &at, &mut add);
        }
        if let Some((first, brick)) = self.vertices(scene, slot, &at, &mut samples, found) {
            self.normals(scene, slot, first);
            found.number = self.bricks.len() as u32;
            self.bricks.push(brick);
        }
    }

    /// Where the surface cuts the edges of a brick of these samples, which are cut off at the
    /// domain's border: the number of its first vertex, and the brick; `None` where it does not.
    /// Vertices have no normals yet, and are from the domain's lowest corner on.
    pub(super) fn vertices(
        &mut self,
        scene: &MeshContext<'_>,
        slot: usize,
        at: &[[f32; NODES]; 3],
        samples: &mut Samples,
        found: &mut Found,
    ) -> Option<(usize, Brick)> {
        let (settings, border) = (scene.settings, &scene.border);
        let place = scene.lists.reached[slot];
        let level = f32x4::splat(settings.level as f32);
        let mut inside = [0; NODES];
        for (bits, layer) in inside.iter_mut().zip(samples.iter()) {
            for (y, row) in layer.iter().enumerate() {
                let [low, high] = row.map(|half| u64::from(half.simd_gt(level).to_bitmask()));
                *bits |= (low | high << 4) << (NODES * y);
            }
        }
        if border.touches(place) {
            for (z, bits) in inside.iter_mut().enumerate() {
                let cut_off = *bits & !border.within(place, z);
                *bits ^= cut_off;
                found.clipped += border.own(place, z, cut_off) as u16;
                for bit in bits_of(cut_off) {
                    // Not above the level: where the surface is cut off is on the node itself.
                    let half = &mut samples[z][bit / NODES][bit % NODES / 4];
                    let sample = &mut half.as_mut_array()[bit % 4];
                    *sample = sample.min(settings.level as f32);
                }
            }
        }
        let any = inside.iter().any(|bits| *bits != 0);
        if !any || inside.iter().all(|bits| *bits == u64::MAX) {
            return None;
        }
        let first = self.points.len();
        let mut starts = [[0; 3]; SIDE as usize];
        for z in 0..SIDE as usize {
            for (axis, cut) in cuts(inside[z], inside[z + 1]).into_iter().enumerate() {
                starts[z][axis] = (self.points.len() - first) as u16;
                for bit in bits_of(cut) {
                    let node = [bit % NODES, bit / NODES, z];
                    self.points
                        .push(crossing(settings, samples, at, node, axis));
                }
            }
        }
        let brick = Brick {
            starts,
            ..Brick::new(place, inside, first)
        };
        Some((first, brick))
    }

    /// Normals at the vertices from `first` on, which are then moved to the world.
    pub(super) fn normals(&mut self, scene: &MeshContext<'_>, slot: usize, first: usize) {
        let domain = &scene.settings.domain;
        let low = domain.low();
        let list = scene.lists.of(slot);
        let (balls, others) = list.split_at(scene.balls_of(list));
        for points in self.points[first..].chunks_mut(4) {
            let lane = |j: usize, k: usize| points[j.min(points.len() - 1)][k];
            let at = [0, 1, 2].map(|k| f32x4::new([0, 1, 2, 3].map(|j| lane(j, k))));
            let some = balls.iter().map(|entry| &scene.balls[*entry as usize]);
            let mut sum = outwards(some, at).map(f32x4::to_array);
            for entry in others {
                let primitive = scene.source(*entry);
                for (j, point) in points.iter().enumerate() {
                    let more = outwards_other(domain, primitive, *point);
                    for k in 0..3 {
                        sum[k][j] += more[k];
                    }
                }
            }
            let sum = sum.map(f32x4::new);
            let length = (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]).sqrt();
            let unit = sum.map(|x| (x / length).to_array());
            let length = length.to_array();
            for (j, point) in points.iter_mut().enumerate() {
                self.normals.push(if has_direction(length[j]) {
                    [unit[0][j], unit[1][j], unit[2][j]]
                } else {
                    // What single precision does not hold, double does; so one primitive that is
                    // out of all measure spoils no other's normals.
                    let at = low + Vec3::from(point.map(f64::from));
                    let gradients = list.iter().map(|entry| scene.source(*entry).gradient(&at));
                    unit_of_any(-gradients.sum::<Vec3>())
                });
                for k in 0..3 {
                    point[k] = (low[k] + f64::from(point[k])) as f32;
                }
            }
        }
    }
}
