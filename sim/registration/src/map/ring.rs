//! Rings of cells: those that share a vertex with a cell, or with any cell of a set.
//!
//! Pitiot 2015, sections 2.4 and 5.3. A ring is found by walking around the vertices of a cell,
//! across levels and along boundaries alike. The source rejects the shortcut of walking around the
//! border of a set, which fails if the set encloses other cells. Visiting all cells of the set does
//! not fail.
//!
//! [`Marks`] record what has been visited. No allocation once they and the list of the ring have
//! reached their largest size. Any thread, each with its own marks.

use super::{Cell, Map};

/// Marks of visited cells and vertices. Clearing them takes constant time, except after 2^32 - 1
/// times.
#[derive(Clone, Debug, Default)]
pub struct Marks {
    cells: Vec<u32>,
    vertices: Vec<u32>,
    now: u32,
}

impl Marks {
    /// Clears all marks, and makes capacity for the current map.
    pub fn clear(&mut self, map: &Map) {
        if self.cells.len() < map.cell_slots() {
            let slots = map.records.capacity().max(map.cell_slots());
            self.cells.resize(slots, 0);
        }
        if self.vertices.len() < map.positions.len() {
            let slots = map.positions.capacity().max(map.positions.len());
            self.vertices.resize(slots, 0);
        }
        if self.now == u32::MAX {
            self.cells.fill(0);
            self.vertices.fill(0);
            self.now = 0;
        }
        self.now += 1;
    }

    /// Marks a cell; returns whether it was not marked before.
    #[inline]
    pub fn mark(&mut self, c: Cell) -> bool {
        let is = &mut self.cells[c.index()];
        let fresh = *is != self.now;
        *is = self.now;
        fresh
    }

    /// Returns whether a cell is marked.
    #[inline]
    #[must_use]
    pub fn has(&self, c: Cell) -> bool {
        self.cells[c.index()] == self.now
    }
}

impl Map {
    /// Appends the cells that share a vertex with a leaf, without the leaf: its one-ring.
    pub fn ring(&self, c: Cell, marks: &mut Marks, out: &mut Vec<Cell>) {
        self.ring_of(std::slice::from_ref(&c), marks, out);
    }

    /// Appends the cells that share a vertex with any cell of a set and are not in it (`ring_of`,
    /// Pitiot 2015, section 5.3). Afterwards the set and its ring are marked.
    pub fn ring_of(&self, set: &[Cell], marks: &mut Marks, out: &mut Vec<Cell>) {
        marks.clear(self);
        for &c in set {
            marks.mark(c);
        }
        for &c in set {
            for d in self.cells.darts(c.0) {
                let v = self.vertices.of(d);
                let seen = &mut marks.vertices[v as usize];
                if *seen == marks.now {
                    continue;
                }
                *seen = marks.now;
                for around in self.vertices.darts(v) {
                    let b = Cell(self.cells.of(around));
                    if marks.mark(b) {
                        out.push(b);
                    }
                }
            }
        }
    }
}
