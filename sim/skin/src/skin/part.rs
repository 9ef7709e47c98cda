//! Processing of a range of bricks: the part of a mesh that one thread makes.
//!
//! # Theory
//!
//! The content of a brick depends only on the primitives that reach it. So no brick waits for
//! another. A brick reached by the same, unchanged primitives as in the last mesh has the same
//! content, to the bit, and is reused without evaluating its nodes. Both follow from bricks. The
//! source goes from cube to cube, computes everything again, and names such coherence as future
//! work (Triquet 2001, section 3.5.2).
//!
//! # Practice
//!
//! Vertices and bricks count from 0 in each part; [`Skin`](super::Skin) concatenates the parts.
//! Allocates only when a mesh exceeds all earlier ones in size.

use std::ops::Range;

use hapticd_geometry::Vec3;
use wide::f32x4;

use super::brick::{Border, Brick, Found, bits_of, crossing, cuts};
use super::classes::{Links, Work};
use super::contacts::Contacts;
use super::union::{Union, may_be_negative};
use super::{Frame, MAX_BRICKS, MAX_POINTS, Settings, SkinError};
use crate::domain::SIDE;
use crate::grid::Grid;
use crate::lists::{Lists, NONE};
use crate::primitive::{Primitive, Skeleton};
use crate::sample::{
    Ball, NODES, Samples, Source, each_of_ball, each_of_other, has_direction, outwards,
    outwards_other, places, unit_of_any,
};

/// Constants of one mesh.
pub(super) struct MeshContext<'a> {
    pub settings: &'a Settings,
    pub primitives: &'a [Primitive],
    pub grids: &'a [Grid],
    pub lists: &'a Lists,
    pub balls: &'a [Ball],
    /// Number of the primitive of each entry in `lists`: balls first.
    pub order: &'a [u32],
    pub border: Border,
    /// Blending relation; `None` if all blend.
    pub links: Option<&'a Links>,
    /// True: primitives that may not blend meet in a crease. False: each class has its own surface.
    pub union: bool,
    /// Bodies in contact.
    pub contacts: &'a Contacts,
    pub kept: Option<Kept<'a>>,
    /// True to process all bricks of more than one class node by node.
    pub by_nodes: bool,
}

/// The last mesh, if its bricks may be reused.
#[derive(Clone, Copy)]
pub(super) struct Kept<'a> {
    pub frame: &'a Frame,
    /// True for primitives that differ from the last mesh's.
    pub changed: &'a [bool],
    /// True if the lists number the primitives in the same way.
    pub same_order: bool,
}

impl MeshContext<'_> {
    /// Number of balls in a list; they come first.
    pub fn balls_of(&self, list: &[u32]) -> usize {
        list.partition_point(|entry| (*entry as usize) < self.balls.len())
    }

    /// Term of an entry; grids follow all primitives.
    pub fn source(&self, entry: u32) -> Source<'_> {
        let number = self.order[entry as usize] as usize;
        match self.primitives.get(number) {
            Some(primitive) => Source::Primitive(primitive),
            None => Source::Grid(&self.grids[number - self.primitives.len()]),
        }
    }

    /// Number of terms.
    pub fn count(&self) -> usize {
        self.primitives.len() + self.grids.len()
    }

    /// Slot of a brick in the last mesh, if exactly the same primitives reached it and none has
    /// changed.
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

    /// True if bounds of the sum allow the level in a brick. Conservative for negative primitives
    /// and convolved segments. With more than one class, tests only whether all of them together
    /// may reach the level.
    pub fn may_be_cut(&self, slot: usize, one: bool) -> bool {
        let settings = self.settings;
        let place = self.lists.reached[slot];
        let cell = settings.domain.cell_m() as f32;
        // Positions of the outermost nodes, to the bit.
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
            // Same operations in the same order as at the nodes. Each operation is monotonic in
            // rounded arithmetic, so no node exceeds these bounds, however large the rounding
            // errors.
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
            // A class may lack the negative terms.
            most += if one {
                high.max(deep)
            } else {
                high.max(deep).max(0.0)
            };
        }
        // A margin for rounding in long sums.
        let room = 1e-4 * (1.0 + settings.level as f32);
        let level = settings.level as f32;
        if !one {
            most *= self.contacts.gain();
        }
        // A sum that overflows single precision proves nothing: a NaN excludes no brick.
        let [too_little, too_much] = [most <= level - room, least >= level + room];
        !too_little && (!too_much || !one || self.border.touches(place))
    }
}

/// Bricks and vertices of one part. See the module page.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    /// Results by slot, from the part's first.
    pub found: Vec<Found>,
    pub bricks: Vec<Brick>,
    pub points: Vec<[f32; 3]>,
    pub normals: Vec<[f32; 3]>,
    pub work: Work,
    pub union: Union,
    /// Bodies that share an inside node, by their first primitives.
    pub touching: Vec<(u32, u32)>,
    /// Reused bricks, without those excluded by bounds.
    pub reused: usize,
    /// Reason for ending early.
    pub refused: Option<SkinError>,
}

impl Part {
    /// Processes these slots. `number` is the part's own.
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
                match self.sample_slot(scene, slot) {
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

    /// Copies a brick from the last mesh.
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

    fn sample_slot(&mut self, scene: &MeshContext<'_>, slot: usize) -> Result<Found, SkinError> {
        let mut found = Found::none();
        let one = scene.links.is_none_or(|links| {
            let list = scene.lists.of(slot).iter();
            self.work
                .is_one(links, list.map(|entry| scene.order[*entry as usize]))
        });
        // A union adds negative terms in another order, and neighbours must agree to the bit.
        let one = one && !(scene.union && self.has_negative_term(scene, slot));
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

    fn has_negative_term(&self, scene: &MeshContext<'_>, slot: usize) -> bool {
        let list = scene.lists.of(slot).iter();
        list.into_iter()
            .any(|entry| may_be_negative(scene.source(*entry)))
    }

    /// Samples the nodes of a brick, and makes its vertices if the surface cuts it.
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

    /// Clips the samples at the domain's border and finds where the surface cuts the brick's edges.
    /// Returns the number of its first vertex, and the brick; `None` if there is no cut. The
    /// vertices are relative to the domain's lowest corner, and have no normals yet.
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
                    // Clipped to the level, which puts the surface on the node itself.
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

    /// Computes normals for the vertices from `first` on, and moves them to the world.
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
                    // Falls back to double precision, so that one primitive of extreme size spoils
                    // no other's normals.
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
