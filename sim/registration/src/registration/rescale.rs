//! Cells are refined and merged under their registered entities.
//!
//! Pitiot 2015, sections 6.2 and 6.3. Entities present in the cell are removed from all lists.
//! Entities that have it as a neighbour forget it. The map changes, the new cells find their
//! neighbours, and the removed entities are registered again. Refinement by a primal scheme does
//! not change which *other* cells share a vertex. So only lists of the cell, its parts and its ring
//! are visited; the cost is their population.
//!
//! Where faces are not planar, a neighbour's boundary may move a little, or the dart of a particle
//! in a neighbour may disappear. Then particles around find their cells again as well, and edges
//! and triangles around are marched along again.

use super::{Kind, List, Registration};
use crate::map::{Cell, CoarsenError, RefineError};

impl Registration {
    /// Refines a leaf. All lists are exact afterwards, as before. Settles first.
    ///
    /// # Errors
    /// See [`RefineError`]; then nothing has changed.
    pub fn refine(&mut self, c: Cell) -> Result<(), RefineError> {
        self.map.can_refine(c)?;
        self.settle();
        self.forget(&[c]);
        self.map.refine(c)?;
        self.adopt(&[c], self.map.children(c));
        Ok(())
    }

    /// Merges the children of a cell. All lists are exact afterwards, as before. Settles first.
    ///
    /// # Errors
    /// See [`CoarsenError`]; then nothing has changed.
    pub fn coarsen(&mut self, parent: Cell) -> Result<(), CoarsenError> {
        self.map.can_coarsen(parent)?;
        self.settle();
        let mut children = [parent; 8];
        let mut count = 0;
        for (i, child) in self.map.children(parent).enumerate() {
            children[i] = child;
            count += 1;
        }
        let children = &children[..count];
        self.forget(children);
        self.map.coarsen(parent)?;
        self.adopt(children, std::iter::once(parent));
        Ok(())
    }

    /// Removes all entities present in these cells from all lists, into `ids`. Entities that have
    /// the cells in their rings forget them. `old_ring` becomes the ring of all these cells.
    fn forget(&mut self, cells: &[Cell]) {
        self.ids.clear();
        self.old_ring.clear();
        self.map.ring_of(cells, &mut self.marks, &mut self.old_ring);
        // Present entities first: those of one part are neighbours of the next. Points are only in
        // their own cell's list, and removing its last item is cheap.
        for &c in cells {
            while let Some(&x) = self.pool.get(self.cells[c.index()].present[0]).last() {
                self.unregister(x);
                self.ids.push(x);
            }
        }
        self.unregister_extended(cells);
        for &c in cells {
            for k in 0..2 {
                let mut list = std::mem::take(&mut self.cells[c.index()].neighbour[k]);
                self.edits += self.pool.get(list).len() as u64;
                for i in 0..self.pool.get(list).len() {
                    let x = self.pool.get(list)[i];
                    self.pool.remove(&mut self.entities[x as usize].ring, c.0);
                }
                self.pool.clear(&mut list);
            }
        }
    }

    /// Removes the edges and triangles present in these cells from all lists, into `ids`. Visits
    /// each list that holds any of them once, however many there are.
    fn unregister_extended(&mut self, cells: &[Cell]) {
        self.clear_visited();
        let from = self.ids.len();
        for &c in cells {
            for k in 1..3 {
                for i in 0..self.pool.get(self.cells[c.index()].present[k]).len() {
                    let x = self.pool.get(self.cells[c.index()].present[k])[i];
                    if self.mark_visited(x) {
                        self.ids.push(x);
                    }
                }
            }
        }
        if from == self.ids.len() {
            return;
        }
        let mut concerned = std::mem::take(&mut self.around);
        concerned.clear();
        self.marks.clear(&self.map);
        for i in from..self.ids.len() {
            let x = self.ids[i] as usize;
            let (mut crossed, mut ring) = (self.entities[x].crossed, self.entities[x].ring);
            self.edits += (self.pool.get(crossed).len() + self.pool.get(ring).len()) as u64;
            for j in 0..self.pool.get(crossed).len() {
                let c = Cell(self.pool.get(crossed)[j]);
                self.touch(c);
                if self.marks.mark(c) {
                    concerned.push(c);
                }
            }
            for &c in self.pool.get(ring) {
                if self.marks.mark(Cell(c)) {
                    concerned.push(Cell(c));
                }
            }
            self.pool.clear(&mut crossed);
            self.pool.clear(&mut ring);
            (self.entities[x].crossed, self.entities[x].ring) = (crossed, ring);
        }
        let (met, meeting) = (&self.met, self.meeting);
        for &c in &concerned {
            let lists = &mut self.cells[c.index()];
            for list in lists.present[1..].iter_mut().chain(&mut lists.neighbour) {
                self.pool.retain(list, |x| met[x as usize] != meeting);
            }
        }
        self.around = concerned;
    }

    /// Updates the lists after a change of the map: `old` are no longer leaves, `new` are.
    fn adopt(&mut self, old: &[Cell], new: impl Iterator<Item = Cell> + Clone) {
        self.grow_cells(self.map.cell_slots());
        for i in 0..self.old_ring.len() {
            self.cells[self.old_ring[i].index()].ring_known = false;
        }
        let mut resident = List::default();
        for &c in old {
            let lists = &mut self.cells[c.index()];
            let mut list = std::mem::take(&mut lists.resident);
            for i in 0..self.pool.get(list).len() {
                let p = self.pool.get(list)[i];
                self.pool.push(&mut resident, p);
            }
            self.pool.clear(&mut list);
            // Empty lists still have their blocks.
            let mut gone = std::mem::take(&mut self.cells[c.index()]);
            for list in gone.present.iter_mut().chain([&mut gone.ring]) {
                self.pool.clear(list);
            }
        }
        for c in new.clone() {
            self.meet_neighbours(c);
            self.touch(c);
        }
        self.relocate_resident(resident, new);
        self.relocate_around();
        for i in 0..self.ids.len() {
            self.register(self.ids[i]);
        }
        if self.bent {
            self.others.clear();
            for i in 0..self.old_ring.len() {
                let lists = &self.cells[self.old_ring[i].index()];
                for k in [Kind::Edge, Kind::Triangle] {
                    self.others
                        .extend_from_slice(self.pool.get(lists.present[k as usize]));
                }
            }
            for i in 0..self.others.len() {
                self.update(self.others[i]);
            }
        }
        self.settle();
    }

    /// Adds the edges and triangles around a new leaf to its lists. Those to be registered again
    /// later are in no list at this point.
    fn meet_neighbours(&mut self, c: Cell) {
        let around = self.known_ring(c);
        for kind in [Kind::Edge, Kind::Triangle] {
            let k = kind as usize;
            self.clear_visited();
            for i in 0..self.pool.get(around).len() {
                let b = self.pool.get(around)[i];
                let present = self.cells[b as usize].present[k];
                for j in 0..self.pool.get(present).len() {
                    let x = self.pool.get(present)[j];
                    if !self.mark_visited(x) {
                        continue;
                    }
                    self.pool
                        .push(&mut self.cells[c.index()].neighbour[k - 1], x);
                    self.edits += 1;
                    self.pool.push(&mut self.entities[x as usize].ring, c.0);
                }
            }
        }
    }

    /// Relocates the particles of the refined or merged cells: from the centre of the cell that now
    /// has their dart, or of the first new one.
    fn relocate_resident(&mut self, mut resident: List, mut new: impl Iterator<Item = Cell>) {
        let Some(first) = new.next() else { return };
        for i in 0..self.pool.get(resident).len() {
            let p = self.pool.get(resident)[i];
            let dart = self.particles[p as usize].particle.dart;
            let dart = if self.map.has_dart(dart) {
                dart
            } else {
                self.map.dart(first)
            };
            let cell = self.map.cell(dart);
            // In that cell's list first, so that it can be taken out of it.
            self.particles[p as usize].cell = cell;
            self.pool.push(&mut self.cells[cell.index()].resident, p);
            self.relocate_particle(p, dart);
        }
        self.pool.clear(&mut resident);
    }

    /// Relocates particles around: those that have lost their dart, those on a side that may have
    /// been split or merged, and all if faces are bent.
    fn relocate_around(&mut self) {
        let bent = self.bent;
        for i in 0..self.old_ring.len() {
            let c = self.old_ring[i];
            self.others.clear();
            self.others
                .extend_from_slice(self.pool.get(self.cells[c.index()].resident));
            for j in 0..self.others.len() {
                let p = self.others[j];
                let particle = self.particles[p as usize].particle;
                let alive = self.map.has_dart(particle.dart);
                if !alive || bent || particle.state != crate::track::State::Cell {
                    let dart = if alive {
                        particle.dart
                    } else {
                        self.map.dart(c)
                    };
                    if self.relocate_particle(p, dart) {
                        self.mark_dirty(p);
                    }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use hapticd_geometry::Vec3;

    use crate::map::{Cell, Map};
    use crate::registration::{Policy, Registration};

    /// Lists of removed cells release their blocks, empty ones as well.
    #[test]
    fn refining_and_merging_for_ever_takes_no_more_memory() {
        let map = Map::grid_3d(Vec3::zeros(), 1.0, [3; 3]).unwrap();
        let mut r = Registration::new(map, Policy::Exact);
        let near = r.map().leaves().next().unwrap();
        // Points, edges and triangles in all cells.
        for i in 0..60_u32 {
            let at = |k: u32| {
                let x = |n: u32| 0.05 + 2.9 * f64::from((i * 3 + k) * n % 101) / 101.0;
                Vec3::new(x(37), x(53), x(71))
            };
            let p = [0, 1, 2].map(|k| r.insert_particle(&at(k), near).unwrap());
            r.insert_point(p[0]).unwrap();
            r.insert_edge(p[0], p[1]).unwrap();
            r.insert_triangle(p).unwrap();
        }
        let cells: Vec<Cell> = r.map().leaves().collect();
        let mut after = Vec::new();
        for _ in 0..40 {
            for &c in &cells {
                r.refine(c).unwrap();
            }
            for &c in &cells {
                r.coarsen(c).unwrap();
            }
            after.push(r.pool.words());
        }
        assert_eq!(after[39], after[9], "{after:?}");
    }
}
