//! Detection of bodies in contact: the dry pass (Triquet 2001, section 4.3.2).
//!
//! # Theory
//!
//! A [`Bulge`] is for bodies that press each other, not for those that pass by. The one place where
//! a vertex is made does not show which they are. So a first pass visits the bricks without making
//! triangles: two bodies are in contact if some node is inside both. The source leaves open what a
//! body is. Here it is a connected part of the graph, so a strand can be in contact with itself. A
//! mesh also knows only nodes: bodies that meet only between nodes have no vertex that shows it.
//!
//! As in the source, a pair that is in contact anywhere bulges wherever it is close (section
//! 4.3.3).
//!
//! # Practice
//!
//! Visits only bricks that primitives reach which may not blend, and there only nodes where all
//! potentials together are twice the level. Costs as much again as sampling them. Allocates only
//! when a mesh exceeds all earlier ones in size.

use std::ops::Range;

use super::brick::{Found, bits_of};
use super::classes::{Links, Together};
use super::part::{MeshContext, Part};
use crate::blend::{Bulge, MAX_IN_PLACE};
use crate::sample::NODES;

/// Bodies, and the pairs in contact.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Contacts {
    /// The bulge; `None` if bulges are not requested.
    pub bulge: Option<Bulge>,
    /// First primitive of its body, by primitive.
    pub bodies: Vec<u32>,
    /// Bodies in contact, by their first primitives; sorted, lower number first.
    pub pairs: Vec<(u32, u32)>,
}

impl Contacts {
    /// Finds the connected bodies, and clears the contacts.
    pub fn begin(&mut self, bulge: Option<Bulge>, links: &Links, count: usize) {
        self.bulge = bulge;
        self.pairs.clear();
        self.bodies.clear();
        if bulge.is_none() {
            return;
        }
        self.bodies.extend(0..count as u32);
        let bodies = &mut self.bodies;
        let first = |bodies: &mut [u32], mut p: u32| {
            while bodies[p as usize] != p {
                bodies[p as usize] = bodies[bodies[p as usize] as usize];
                p = bodies[p as usize];
            }
            p
        };
        for p in 0..count as u32 {
            for q in links.of(p) {
                let (a, b) = (first(bodies, p), first(bodies, *q));
                bodies[a.max(b) as usize] = a.min(b);
            }
        }
        for p in 0..count as u32 {
            bodies[p as usize] = first(bodies, p);
        }
    }

    /// True if two bodies, each given by any of its primitives, are in contact.
    pub fn touch(&self, a: u32, b: u32) -> bool {
        let [a, b] = [a, b].map(|p| self.bodies[p as usize]);
        self.pairs.binary_search(&(a.min(b), a.max(b))).is_ok()
    }

    /// Factor by which all potentials together may exceed one potential: the largest ratio of a
    /// bulge to the potential that causes it, at least 1.
    pub fn gain(&self) -> f32 {
        self.bulge.map_or(1.0, |bulge| bulge.gain().max(1.0) as f32)
    }
}

impl Part {
    /// Writes pairs of bodies that share an inside node in these slots to [`Part::touching`]; some
    /// repeat.
    pub fn find_contacts(&mut self, scene: &MeshContext<'_>, slots: Range<usize>) {
        self.touching.clear();
        self.work.begin(scene.count());
        let Some(links) = scene.links else {
            return;
        };
        for slot in slots {
            let list = scene.lists.of(slot);
            let primitives = list.iter().map(|entry| scene.order[*entry as usize]);
            let one = self.work.is_one(links, primitives);
            // Crowded bricks are refused later, when their vertices are made.
            if one || list.len() > MAX_IN_PLACE || !scene.may_be_cut(slot, false) {
                continue;
            }
            let all = self.prepare(scene, links, slot, &mut Found::none());
            self.touch_in(scene, slot, &all);
        }
    }

    /// Finds the contacts of one brick.
    fn touch_in(&mut self, scene: &MeshContext<'_>, slot: usize, all: &Together) {
        let level = scene.settings.level as f32;
        let body = |place: usize| {
            let entry = scene.lists.of(slot)[place % MAX_IN_PLACE];
            scene.contacts.bodies[scene.order[entry as usize] as usize]
        };
        let touch = |touching: &mut Vec<(u32, u32)>, a: usize, b: usize| {
            let (a, b) = (body(a), body(b));
            let pair = (a.min(b), a.max(b));
            if touching.last() != Some(&pair) {
                touching.push(pair);
            }
        };
        if self.work.are_groups(scene, all) {
            let touching = &mut self.touching;
            let groups = &self.work.groups;
            groups.in_common(&all.both, level, |a, b| touch(touching, a, b));
            return;
        }
        self.work.begin_nodes();
        for z in 0..NODES {
            for bit in bits_of(all.both[z]) {
                let node = [bit % NODES, bit / NODES, z];
                let shares = self.share(scene, slot, all, node);
                let inside = self.work.shares[shares]
                    .iter()
                    .filter(|(_, sum)| *sum > level);
                let first = |set: u128| set.trailing_zeros() as usize;
                for (k, (set, _)) in inside.clone().enumerate() {
                    for (other, _) in inside.clone().skip(k + 1) {
                        touch(&mut self.touching, first(*set), first(*other));
                    }
                }
            }
        }
    }
}
