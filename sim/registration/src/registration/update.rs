//! Lists follow motion.
//!
//! The cases of Pitiot 2015, section 5.4, reduce to one rule. Nothing is done if all ends are in
//! the only crossed cell. Otherwise the crossed cells are computed again, and if they differ, the
//! entity is removed from all lists and put into the new ones. Removal and insertion cost less than
//! the difference of two rings, and are right by construction (section 5.2).

use hapticd_geometry::Vec3;

use super::{Kind, List, ParticleId, Policy, Registration, RemoveError};
use crate::map::{Cell, Space};
use crate::track::{Outcome, Particle, Path, State};

impl Registration {
    /// Moves a particle towards a goal, m. The lists of points follow at once, those of edges and
    /// triangles at [`Registration::settle`].
    ///
    /// For the real-time thread: no allocation once tables are large enough.
    ///
    /// # Errors
    /// [`RemoveError::Gone`], [`RemoveError::Track`]; then nothing has moved.
    pub fn move_particle(&mut self, p: ParticleId, goal: &Vec3) -> Result<Outcome, RemoveError> {
        let slot = self.particles.get_mut(p.index as usize);
        let Some(slot) = slot.filter(|slot| slot.alive && slot.generation == p.generation) else {
            return Err(RemoveError::Gone {
                index: p.index,
                generation: p.generation,
            });
        };
        let particle = slot.particle;
        if self.map.well_inside(slot.cell, goal) {
            self.map.stay(&mut slot.particle, goal);
            self.tally.add(1);
            if slot.corners > 0 && slot.particle.position != particle.position {
                self.mark_dirty(p.index);
            }
            return Ok(Outcome::Reached);
        }
        let mut moved = particle;
        let outcome = self.map.track(&mut moved, goal, &mut self.tally)?;
        let same = moved.position == particle.position;
        self.place(p.index, moved);
        if !same {
            self.mark_dirty(p.index);
        }
        Ok(outcome)
    }

    /// Updates the lists of all edges and triangles with ends that have moved. For the real-time
    /// thread; the cost is proportional to their number.
    pub fn settle(&mut self) {
        while let Some(x) = self.dirty.pop() {
            self.entities[x as usize].dirty = false;
            self.update(x);
        }
    }

    /// Stores a particle's new position; its points follow.
    pub(crate) fn place(&mut self, p: u32, particle: Particle) {
        let slot = &mut self.particles[p as usize];
        slot.particle = particle;
        let (from, to) = (slot.cell, self.map.cell(particle.dart));
        if from == to {
            return;
        }
        slot.cell = to;
        self.pool.remove(&mut self.cells[from.index()].resident, p);
        self.pool.push(&mut self.cells[to.index()].resident, p);
        let users = slot.users;
        for i in 0..self.pool.get(users).len() {
            let x = self.pool.get(users)[i];
            // A point in no list is about to be registered at its new position.
            let slot = &self.entities[x as usize];
            if slot.kind == Kind::Point && !self.pool.get(slot.crossed).is_empty() {
                let k = Kind::Point as usize;
                self.pool.set_first(slot.crossed, to.0);
                self.pool
                    .remove(&mut self.cells[from.index()].present[k], x);
                self.pool.push(&mut self.cells[to.index()].present[k], x);
                self.edits += 2;
                self.touch(from);
                self.touch(to);
            }
        }
    }

    /// Marks the edges and triangles at a particle as moved.
    pub(crate) fn mark_dirty(&mut self, p: u32) {
        if self.particles[p as usize].corners == 0 {
            return;
        }
        let users = self.particles[p as usize].users;
        for &x in self.pool.get(users) {
            let slot = &mut self.entities[x as usize];
            if slot.kind != Kind::Point && !slot.dirty {
                slot.dirty = true;
                self.dirty.push(x);
            }
        }
    }

    /// Updates an entity's lists if they are stale.
    pub(crate) fn update(&mut self, x: u32) {
        let slot = &self.entities[x as usize];
        let stored = self.pool.get(slot.crossed);
        if let Some(cell) = self.only_cell(x)
            && stored == [cell.0]
        {
            self.entities[x as usize].joined = true;
            return;
        }
        self.find_crossed(x);
        // `marks` now holds the crossed cells.
        let stored = self.pool.get(self.entities[x as usize].crossed);
        let same =
            stored.len() == self.crossed.len() && stored.iter().all(|&c| self.marks.has(Cell(c)));
        if !same {
            self.unregister(x);
            self.register_crossed(x);
        }
    }

    /// Returns the only cell that an entity counts as crossing, if it need not be marched along.
    fn only_cell(&self, x: u32) -> Option<Cell> {
        let slot = &self.entities[x as usize];
        let cell = |i: usize| self.particles[slot.particles[i] as usize].cell;
        let exact =
            self.policy == Policy::Exact && !self.map.is_convex() && slot.kind != Kind::Point;
        let one = (1..slot.kind.particles()).all(|i| cell(i) == cell(0));
        (one && !exact).then(|| cell(0))
    }

    /// Puts the leaves that an entity crosses into `crossed`, and marks them.
    pub(crate) fn find_crossed(&mut self, x: u32) {
        let slot = &self.entities[x as usize];
        let (kind, ends) = (slot.kind, slot.particles);
        self.entities[x as usize].joined = true;
        self.marks.clear(&self.map);
        self.crossed.clear();
        if let Some(cell) = self.only_cell(x) {
            self.marks.mark(cell);
            self.crossed.push(cell);
            return;
        }
        let sides = if kind == Kind::Triangle { 3 } else { 1 };
        for i in 0..sides {
            let [a, b] = [ends[i], ends[(i + 1) % kind.particles()]];
            let joined = self.cross(a, b);
            self.entities[x as usize].joined &= joined;
        }
    }

    /// Adds the leaves along the path between two particles. Returns whether the path connects
    /// them.
    fn cross(&mut self, a: u32, b: u32) -> bool {
        let Registration {
            map,
            marks,
            crossed,
            tally,
            particles,
            policy,
            ..
        } = self;
        let mut visit = |c: Cell| {
            if marks.mark(c) {
                crossed.push(c);
            }
        };
        let [a, b] = [a, b].map(|p| &particles[p as usize]);
        visit(a.cell);
        visit(b.cell);
        let convex = map.is_convex() || *policy == Policy::Tolerate;
        if a.cell == b.cell && convex {
            return true;
        }
        let (from, to) = (&a.particle, &b.particle);
        match map.march_between(from, to, &mut visit) {
            Path::Reached(_) => return true,
            // It leaves the space: adds the part at the other end as well.
            Path::Blocked { .. } => {
                let _ = map.march_between(to, from, &mut visit);
            }
            Path::Apart => {}
            Path::Lost if map.space() == Space::Surface => tally.fallbacks += 1,
            Path::Lost => {
                tally.fallbacks += 1;
                for c in map.leaves() {
                    if map.crosses(c, &from.position, &to.position) {
                        visit(c);
                    }
                }
                return true;
            }
        }
        false
    }

    /// Puts an entity that is in no list into all lists to which it belongs.
    pub(crate) fn register(&mut self, x: u32) {
        self.find_crossed(x);
        self.register_crossed(x);
    }

    fn register_crossed(&mut self, x: u32) {
        let kind = self.entities[x as usize].kind;
        let k = kind as usize;
        let mut list = List::default();
        for i in 0..self.crossed.len() {
            let c = self.crossed[i];
            self.pool.push(&mut list, c.0);
            self.pool.push(&mut self.cells[c.index()].present[k], x);
            self.edits += 1;
            self.touch(c);
        }
        self.entities[x as usize].crossed = list;
        if kind == Kind::Point {
            return;
        }
        if self.crossed.len() == 1 {
            let around = self.known_ring(self.crossed[0]);
            self.enter_ring(x, around);
            return;
        }
        let mut around = std::mem::take(&mut self.around);
        around.clear();
        self.map
            .ring_of(&self.crossed, &mut self.marks, &mut around);
        let mut ring = List::default();
        for &c in &around {
            self.pool.push(&mut ring, c.0);
            self.pool
                .push(&mut self.cells[c.index()].neighbour[k - 1], x);
        }
        self.edits += around.len() as u64;
        self.around = around;
        self.entities[x as usize].ring = ring;
    }

    /// Puts an edge or triangle into the lists of one cell's ring.
    fn enter_ring(&mut self, x: u32, around: List) {
        let kind = self.entities[x as usize].kind;
        let mut ring = List::default();
        let count = self.pool.get(around).len();
        for i in 0..count {
            let c = self.pool.get(around)[i];
            self.pool.push(&mut ring, c);
            let list = &mut self.cells[c as usize].neighbour[kind as usize - 1];
            self.pool.push(list, x);
        }
        self.edits += count as u64;
        self.entities[x as usize].ring = ring;
    }

    /// Removes an entity from all lists.
    pub(crate) fn unregister(&mut self, x: u32) {
        let slot = &self.entities[x as usize];
        let (kind, crossed, ring) = (slot.kind, slot.crossed, slot.ring);
        let k = kind as usize;
        for i in 0..self.pool.get(crossed).len() {
            let c = Cell(self.pool.get(crossed)[i]);
            self.pool.remove(&mut self.cells[c.index()].present[k], x);
            self.edits += 1;
            self.touch(c);
        }
        // A point's is empty.
        let count = self.pool.get(ring).len();
        for i in 0..count {
            let c = self.pool.get(ring)[i];
            self.pool
                .remove(&mut self.cells[c as usize].neighbour[k - 1], x);
        }
        self.edits += count as u64;
        let slot = &mut self.entities[x as usize];
        self.pool.clear(&mut slot.crossed);
        self.pool.clear(&mut slot.ring);
    }

    /// Returns the ring of a leaf, computed once and kept until a cell at one of its vertices is
    /// refined or merged.
    pub(crate) fn known_ring(&mut self, c: Cell) -> List {
        let lists = &mut self.cells[c.index()];
        if !lists.ring_known {
            let mut around = std::mem::take(&mut self.around);
            around.clear();
            self.map.ring(c, &mut self.marks, &mut around);
            self.pool.clear(&mut lists.ring);
            for b in &around {
                self.pool.push(&mut lists.ring, b.0);
            }
            lists.ring_known = true;
            self.around = around;
        }
        lists.ring
    }

    /// Finds a particle's cell again after the map has changed, starting at the centre of the cell
    /// of `dart`. Returns whether it is now in another cell.
    pub(crate) fn relocate_particle(&mut self, p: u32, dart: crate::map::Dart) -> bool {
        let slot = &self.particles[p as usize];
        let (at, before) = (slot.particle.position, slot.cell);
        let mut particle = Particle {
            position: at,
            dart,
            state: State::Cell,
        };
        if !self.map.relocate(&mut particle, &at, &mut self.tally) {
            self.outside += 1;
        }
        self.place(p, particle);
        self.particles[p as usize].cell != before
    }
}
