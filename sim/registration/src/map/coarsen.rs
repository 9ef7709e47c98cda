//! Coarsening: the parts of a refined cell are merged again.
//!
//! Pitiot 2015, section 6.3: only the whole set of siblings merges. A face stays split while the
//! cell beyond it is finer, and an edge stays cut while any cell around it is. The result is the
//! map as it was before the cell was refined, up to the indices of darts. The merged cell's centre,
//! and those of merged faces, are where their middle vertices were.

use super::{Cell, Dart, Map, NONE, Shape};

/// Why a cell was not merged. All of these are the caller's fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CoarsenError {
    /// There is no such cell, or it is not refined.
    #[error("cell {cell} is not refined")]
    NotRefined {
        /// Its index.
        cell: u32,
    },
    /// A child is itself refined.
    #[error("cell {cell} cannot be merged: its child {child} is refined")]
    Refined {
        /// Its index.
        cell: u32,
        /// The child's index.
        child: u32,
    },
}

const CORNERS: usize = 24;

impl Map {
    /// Checks whether [`Map::coarsen`] would accept it.
    ///
    /// # Errors
    /// See [`CoarsenError`].
    pub fn can_coarsen(&self, parent: Cell) -> Result<(), CoarsenError> {
        let cell = parent.0;
        if !self.has_cell(parent) || self.children(parent).next().is_none() {
            return Err(CoarsenError::NotRefined { cell });
        }
        match self.children(parent).find(|&c| !self.is_leaf(c)) {
            Some(child) => Err(CoarsenError::Refined {
                cell,
                child: child.0,
            }),
            None => Ok(()),
        }
    }

    /// Merges the children of a cell, which becomes a leaf again.
    ///
    /// # Errors
    /// See [`CoarsenError`]; then nothing has changed.
    pub fn coarsen(&mut self, parent: Cell) -> Result<(), CoarsenError> {
        self.can_coarsen(parent)?;
        let level = self.cell_level(parent) + 1;
        match self.shape(parent) {
            Shape::Hexahedron => self.merge_hexahedron(parent, level),
            Shape::Triangle => self.merge_triangle(parent, level),
            Shape::Quad | Shape::Other => self.merge_quad(parent, level),
        }
        let children = std::mem::replace(&mut self.records[parent.index()].children, [NONE; 8]);
        for child in children.into_iter().filter(|&c| c != NONE) {
            self.records[child as usize].alive = false;
            self.free_cells.push(child);
            self.leaves -= 1;
        }
        self.leaves += 1;
        self.refresh_inner(parent);
        self.refresh_inner_around(parent);
        Ok(())
    }

    /// Returns, for each child `i`, its corner that was the parent's corner.
    fn old_corner<const N: usize>(&self, parent: Cell, level: u8) -> [Dart; N] {
        let children = self.records[parent.index()].children;
        std::array::from_fn(|i| {
            let child = Cell(children[i]);
            self.cell_darts(child)
                .find(|&d| self.dart_level(d) < level)
                .unwrap_or(Dart(self.cells.head(child.0)))
        })
    }

    fn merge_quad(&mut self, parent: Cell, level: u8) {
        let corners: [Dart; 4] = self.old_corner(parent, level);
        let inward = self.next_at(level, corners[0]);
        let centre = self.start(self.phi1(inward));
        self.unsplit_quad(corners, level);
        self.assign_side(corners[0], parent.0);
        self.cores[parent.index()].centre = centre;
        for corner in corners {
            self.uncut_at(corner, level);
        }
    }

    fn merge_triangle(&mut self, parent: Cell, level: u8) {
        let corners: [Dart; 3] = self.old_corner(parent, level);
        self.unsplit_triangle(corners, level);
        self.assign_side(corners[0], parent.0);
        for corner in corners {
            self.uncut_at(corner, level);
        }
        self.cores[parent.index()].centre = self.mean_of_corners(parent);
    }

    /// Merges the halves of the edge at a corner, unless a finer cell needs them.
    fn uncut_at(&mut self, corner: Dart, level: u8) {
        let end = self.next_at(level - 1, corner);
        if self.vertex(self.phi1(corner)) == self.vertex(end) {
            return;
        }
        // All siblings of a finer cell exist, so one half is enough to tell.
        let needed = self
            .edge_darts(self.edge(corner))
            .any(|d| self.cell_level(self.cell(d)) >= level);
        if !needed {
            self.uncut_edge(corner);
        }
    }

    fn merge_hexahedron(&mut self, parent: Cell, level: u8) {
        let mut corners = [Dart(0); CORNERS];
        let mut count = 0;
        for child in self.children(parent) {
            for d in self.cell_darts(child) {
                if self.dart_level(d) < level && count < CORNERS {
                    corners[count] = d;
                    count += 1;
                }
            }
        }
        // A face between two parts runs from F_a to M to F_b to V. This is its dart from M; two
        // darts further is V.
        let from_middle = self.phi1(self.phi2(self.next_at(level, corners[0])));
        let from_centre = self.next_at(level, self.next_at(level, from_middle));
        let centre = self.start(from_centre);
        self.remove_inner(&corners, level);
        self.assign_volume(corners[0], parent.0);
        self.cores[parent.index()].centre = centre;
        for corner in corners {
            let round = self.round(corner, level - 1);
            let split = self.face(corner) != self.face(round[1]);
            let far = self.phi3(corner);
            if split && (far == corner || self.cell_level(self.cell(far)) < level) {
                self.unsplit_quad(round, level);
            }
        }
        for corner in corners {
            self.uncut_at(corner, level);
        }
    }

    /// Removes the twelve faces between the parts of a hexahedron.
    fn remove_inner(&mut self, corners: &[Dart; CORNERS], level: u8) {
        let mut work = std::mem::take(&mut self.work);
        work.inner.clear();
        for &corner in corners {
            let first = self.phi2(self.next_at(level, corner));
            let mut d = first;
            loop {
                self.dying[d.index()] = true;
                work.inner.push(d.0);
                d = self.phi1(d);
                if d == first {
                    break;
                }
            }
        }
        for &d in &work.inner {
            let outer = self.phi2[d as usize];
            if !self.dying[outer as usize] {
                // The dart glued to the face's other side becomes adjacent again.
                let other = self.phi2[self.phi3[d as usize] as usize];
                self.phi2[outer as usize] = other;
            }
        }
        for &d in &work.inner {
            self.free_dart(Dart(d));
        }
        self.work = work;
    }
}
