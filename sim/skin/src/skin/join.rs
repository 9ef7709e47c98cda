//! Triangles, built when all vertices are numbered.
//!
//! A brick reads the vertex numbers on its far sides from its neighbours, and changes none. So no
//! brick waits for another here either.

use super::brick::{Brick, Found, LOWER, OWN, all_of, any_of, bits_of, corners, cuts};
use super::classes::{FOREIGN, Foreign, Mixed, edge_number};
use super::part::Part;
use crate::domain::SIDE;
use crate::lists::{Lists, NONE};
use crate::sample::NODES;
use crate::table::Table;

/// All bricks with their vertices.
#[derive(Clone, Copy)]
pub(super) struct Join<'a> {
    pub lists: &'a Lists,
    pub found: &'a [Found],
    pub bricks: &'a [Brick],
    pub parts: &'a [Part],
    pub table: &'a Table,
}

impl Join<'_> {
    /// Appends the triangles of a brick. Returns the number of triangles dropped because a corner
    /// has no vertex. `foreign` is work space.
    pub fn all(&self, brick: &Brick, foreign: &mut Vec<u32>, out: &mut Vec<[u32; 3]>) -> usize {
        self.triangles(brick, out);
        let mixed = brick.mixed.map(|mixed| self.mixed(brick, mixed));
        mixed.map_or(0, |mixed| {
            self.triangles_of_classes(brick, mixed, foreign, out)
        })
    }

    fn mixed(&self, brick: &Brick, number: u32) -> &Mixed {
        &self.parts[brick.part as usize].work.mixed[number as usize]
    }

    /// Brick with surface at a place.
    fn brick(&self, place: [u32; 3]) -> Option<&Brick> {
        let found = self.found.get(self.lists.slot(place) as usize)?;
        self.bricks.get(found.number as usize)
    }

    /// Number of the vertex on one of a brick's own single-class edges; `None` if the edge is not
    /// cut.
    #[inline]
    fn number(&self, brick: &Brick, [x, y, z]: [usize; 3], axis: usize) -> Option<u32> {
        let cut = match brick.mixed {
            None => cuts(brick.inside[z], brick.inside[z + 1])[axis],
            Some(mixed) => self.mixed(brick, mixed).cuts[z][axis],
        };
        let bit = NODES * y + x;
        let before = cut & ((1 << bit) - 1);
        let first = brick.first + u32::from(brick.starts[z][axis]);
        (cut >> bit & 1 == 1).then(|| first + before.count_ones())
    }

    /// Appends the triangles of a brick's single-class cubes.
    fn triangles(&self, brick: &Brick, out: &mut Vec<[u32; 3]>) {
        // Bricks that own the edges at the far sides: one bit per axis.
        let around: [Option<&Brick>; 8] = std::array::from_fn(|bits| {
            let place = [0, 1, 2].map(|k| u32::from(brick.place[k]) + (bits as u32 >> k & 1));
            self.brick(place)
        });
        let plain = brick.mixed.map(|mixed| self.mixed(brick, mixed).plain);
        for z in 0..SIDE as usize {
            let [m, n] = [brick.inside[z], brick.inside[z + 1]];
            let cut = any_of(m, n) & !all_of(m, n) & plain.map_or(OWN, |plain| plain[z]);
            for bit in bits_of(cut) {
                let case = &self.table.0[corners(m, n, bit)];
                let mut vertex = [0; 12];
                let mut cut = u64::from(case.edges);
                while cut != 0 {
                    let edge = cut.trailing_zeros() as usize;
                    cut &= cut - 1;
                    let (axis, step) = LOWER[edge];
                    let node = [bit % NODES + step[0], bit / NODES + step[1], z + step[2]];
                    let last = SIDE as usize;
                    let over = [0, 1, 2].map(|k| usize::from(node[k] == last));
                    let own = node.map(|i| if i == last { 0 } else { i });
                    let owner = around[over[0] | over[1] << 1 | over[2] << 2];
                    let found = owner.and_then(|owner| self.number(owner, own, axis));
                    // A cut edge has an inside node, which some primitive reaches. That primitive
                    // also reaches all bricks that share the edge.
                    debug_assert!(found.is_some(), "an edge without a vertex");
                    vertex[edge] = found.unwrap_or(0);
                }
                let some = case.triangles().iter();
                out.extend(some.map(|t| t.map(|edge| vertex[edge as usize])));
            }
        }
    }

    /// Appends the triangles of cubes with more than one class; returns the number of dropped ones.
    fn triangles_of_classes(
        &self,
        brick: &Brick,
        mixed: &Mixed,
        foreign: &mut Vec<u32>,
        out: &mut Vec<[u32; 3]>,
    ) -> usize {
        let work = &self.parts[brick.part as usize].work;
        foreign.clear();
        let named = work.foreign[mixed.foreign.0..mixed.foreign.1].iter();
        foreign.extend(named.map(|foreign| self.vertex_named(brick, foreign).unwrap_or(NONE)));
        // A dummy for vertices that are not on the list: avoids an unpredictable branch.
        foreign.push(NONE);
        let mut dropped = 0;
        for triangle in &work.triangles[mixed.triangles.0..mixed.triangles.1] {
            let vertex = |number: u32| {
                let listed = number & FOREIGN != 0;
                let place = if listed { number ^ FOREIGN } else { 0 };
                let other = foreign[place as usize];
                if listed { other } else { brick.first + number }
            };
            let corners = [
                vertex(triangle[0]),
                vertex(triangle[1]),
                vertex(triangle[2]),
            ];
            if corners.contains(&NONE) {
                dropped += 1;
            } else {
                out.push(corners);
            }
        }
        dropped
    }

    /// Vertex of the class with this name on an edge of the brick or its neighbour.
    fn vertex_named(&self, brick: &Brick, foreign: &Foreign) -> Option<u32> {
        let node = foreign.node.map(usize::from);
        let (axis, name) = (usize::from(foreign.axis), foreign.name);
        let last = SIDE as usize;
        let place = [0, 1, 2].map(|k| u32::from(brick.place[k]) + u32::from(node[k] == last));
        let owner = self.brick(place)?;
        let own = node.map(|i| if i == last { 0 } else { i });
        if let Some(mixed) = owner.mixed {
            let mixed = self.mixed(owner, mixed);
            let work = &self.parts[owner.part as usize].work;
            let named = &work.named[mixed.named.0..mixed.named.1];
            if let Ok(at) = named.binary_search(&(edge_number(own, axis), name)) {
                return Some(owner.first + mixed.first + at as u32);
            }
        }
        self.number(owner, own, axis)
    }
}
