//! Entities near an entity.

use super::{EntityId, Kind, List, Registration};
use crate::map::Cell;

impl Registration {
    /// Fills `out` with the entities of a kind that cross a cell that this one crosses or a cell
    /// around those, each once, without itself.
    ///
    /// Empty if the entity has been removed. The copy stays valid while entities are removed. `out`
    /// grows; otherwise no allocation.
    pub fn visible(&mut self, x: EntityId, kind: Kind, out: &mut Vec<EntityId>) {
        out.clear();
        if self.kind(x).is_none() {
            return;
        }
        self.clear_visited();
        self.mark_visited(x.index);
        let crossed = self.entities[x.index as usize].crossed;
        for i in 0..self.pool.get(crossed).len() {
            let c = Cell(self.pool.get(crossed)[i]);
            self.collect(c, kind, out);
        }
    }

    fn collect(&mut self, c: Cell, kind: Kind, out: &mut Vec<EntityId>) {
        self.collect_list(self.cells[c.index()].present[kind as usize], out);
        if kind == Kind::Point {
            let ring = self.known_ring(c);
            for i in 0..self.pool.get(ring).len() {
                let b = self.pool.get(ring)[i];
                self.collect_list(self.cells[b as usize].present[kind as usize], out);
            }
        } else {
            let list = self.cells[c.index()].neighbour[kind as usize - 1];
            self.collect_list(list, out);
        }
    }

    fn collect_list(&mut self, list: List, out: &mut Vec<EntityId>) {
        for i in 0..self.pool.get(list).len() {
            let index = self.pool.get(list)[i];
            if self.mark_visited(index) {
                let generation = self.entities[index as usize].generation;
                out.push(EntityId { index, generation });
            }
        }
    }

    /// Returns how many entities of a kind cross a leaf.
    #[must_use]
    pub fn population(&self, c: Cell, kind: Kind) -> usize {
        self.pool
            .get(self.cells[c.index()].present[kind as usize])
            .len()
    }
}
