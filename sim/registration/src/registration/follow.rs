//! Registered entities follow a deformation of the map.

use hapticd_geometry::Vec3;

use super::{Kind, Registration};
use crate::map::{Cell, MoveError, Vertex};

impl Registration {
    /// Moves the vertices and updates everything. Returns the number of changed cells, which
    /// [`Registration::changed`] lists.
    pub(crate) fn deform_map(&mut self, moves: &[(Vertex, Vec3)]) -> Result<usize, MoveError> {
        self.carried.clear();
        if self.curved() {
            self.store_barycentric(moves);
        }
        let mut changed = std::mem::take(&mut self.old_ring);
        changed.clear();
        let moved = self.map.deform(moves, &mut self.marks, &mut changed);
        self.old_ring = changed;
        moved?;
        // Coarsening straightens what was bent.
        self.bent = true;
        for i in 0..self.carried.len() {
            let (p, shares) = self.carried[i];
            let mut particle = self.particles[p as usize].particle;
            particle.position = self.map.at_shares(particle.dart, shares);
            self.particles[p as usize].particle = particle;
        }
        self.ids.clear();
        if !self.curved() {
            for i in 0..self.old_ring.len() {
                let c = self.old_ring[i];
                self.ids
                    .extend_from_slice(self.pool.get(self.cells[c.index()].resident));
            }
        }
        for i in 0..self.ids.len() {
            let p = self.ids[i];
            let cell = self.particles[p as usize].cell;
            if self.relocate_particle(p, self.map.dart(cell)) {
                self.mark_dirty(p);
            }
        }
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
        Ok(self.old_ring.len())
    }

    /// Returns one of the cells of the last deformation.
    pub(crate) fn changed(&self, i: usize) -> Cell {
        self.old_ring[i]
    }

    /// On a surface: stores the positions, within their triangles, of the particles of all cells
    /// around these vertices.
    fn store_barycentric(&mut self, moves: &[(Vertex, Vec3)]) {
        self.marks.clear(&self.map);
        for &(v, _) in moves {
            for d in self.map.vertex_darts(v) {
                let c = self.map.cell(d);
                if !self.marks.mark(c) {
                    continue;
                }
                for &p in self.pool.get(self.cells[c.index()].resident) {
                    let particle = &mut self.particles[p as usize].particle;
                    particle.dart = self.map.facet_at(particle.dart, &particle.position);
                    let shares = self.map.shares(particle.dart, &particle.position);
                    self.carried.push((p, shares));
                }
            }
        }
    }
}
