//! Deformation: vertices of the map move, and registered objects find their cells again.
//!
//! Pitiot 2015, sections 7.2 and 7.3. After each deformation every particle in a changed cell
//! starts again from that cell's visibility centre. So its tracking does not depend on its old
//! position by less than a tolerance. On a curved surface particles are carried along with their
//! triangles. Whether cells are still fully visible from their centres is checked and reported.
//! Invalid cells cost time but do no harm: tracking there may fall back to a search, and it is
//! undefined which of two overlapping cells holds a point.
//!
//! The cost is proportional to the darts and the population of the cells around the vertices. No
//! allocation once tables are large enough.

use hapticd_geometry::Vec3;

use crate::map::{Cell, Invalid, Map, MoveError, Vertex};
use crate::registration::Registration;

/// Result of a deformation.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deformed {
    /// Number of changed cells.
    pub cells: usize,
    /// Number of changed cells that are not fully visible from their centres.
    pub invalid: usize,
    /// The worst of the invalid cells.
    pub worst: Option<Invalid>,
    /// Particles that are now in no cell. They keep the cell in which they were.
    pub outside: u64,
}

impl Map {
    /// Moves vertices, and the centres of faces and cells with them; appends the changed cells to
    /// `changed`, and marks them.
    ///
    /// # Errors
    /// See [`MoveError`]; then nothing has moved.
    pub fn deform(
        &mut self,
        moves: &[(Vertex, Vec3)],
        marks: &mut crate::map::Marks,
        changed: &mut Vec<Cell>,
    ) -> Result<(), MoveError> {
        for (v, to) in moves {
            self.check_move(*v, to)?;
        }
        marks.clear(self);
        let first = changed.len();
        for &(v, to) in moves {
            self.place_vertex(v, to);
            changed.extend(
                self.vertex_darts(v)
                    .map(|d| self.cell(d))
                    .filter(|&c| marks.mark(c)),
            );
        }
        for &(v, _) in moves {
            self.refresh_faces_at(v);
        }
        for &c in &changed[first..] {
            self.refresh_centre(c);
        }
        self.lose_convexity(&changed[first..]);
        Ok(())
    }
}

impl Registration {
    /// Moves vertices of the map, m. All lists are exact afterwards, as before. Settles first.
    ///
    /// # Errors
    /// See [`MoveError`]; then nothing has moved.
    pub fn deform(&mut self, moves: &[(Vertex, Vec3)]) -> Result<Deformed, MoveError> {
        for (v, to) in moves {
            self.map().check_move(*v, to)?;
        }
        self.settle();
        let outside = self.outside();
        let cells = self.deform_map(moves)?;
        let (mut invalid, mut worst) = (0, None);
        for i in 0..cells {
            if let Err(found) = self.map().validity(self.changed(i)) {
                invalid += 1;
                if worst.is_none_or(|w: Invalid| !(found.measure >= w.measure)) {
                    worst = Some(found);
                }
            }
        }
        self.settle();
        Ok(Deformed {
            cells,
            invalid,
            worst,
            outside: self.outside() - outside,
        })
    }
}
