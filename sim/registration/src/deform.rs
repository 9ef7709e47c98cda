//! Vertices of the map move, and what is registered finds its cells again.
//!
//! Pitiot 2015, sections 7.2 and 7.3: after each deformation every particle in a changed cell
//! starts again from that cell's visibility centre, so its tracking does not depend on where it was
//! by less than a tolerance. On a curved surface particles are carried along with their triangles.
//! Whether cells are still seen whole from their centres is checked and said; what is not does no
//! harm but costs: tracking there may fall back to searching, and which of two overlapping cells
//! holds a point is then anybody's guess.
//!
//! The cost is the darts and the population of the cells around the vertices. No allocation once
//! tables are large enough.

use hapticd_geometry::Vec3;

use crate::map::{Cell, Invalid, Map, MoveError, Vertex};
use crate::registration::Registration;

/// What a deformation has done.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Deformed {
    /// Cells that have changed.
    pub cells: usize,
    /// Of those, how many are not seen whole from their centres.
    pub invalid: usize,
    /// The worst of those.
    pub worst: Option<Invalid>,
    /// Particles that are in no cell now. They stay with the one that they were in.
    pub outside: u64,
}

impl Map {
    /// Moves vertices, and the centres of faces and cells with them; appends the cells that have
    /// changed to `changed`, and marks them.
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
    /// Moves vertices of the map, m; all lists are exact afterwards, as they were. Settles first.
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
