//! The triangles across the edges of each triangle, in 6 bytes instead of 12.
//!
//! Triangles are in the order of the tree, so neighbours have close indices: mostly the difference
//! fits 16 bits. The few triangles with a neighbour further away have a separate row.

use crate::layout::NONE;

/// Differences between the neighbours' indices and that of the triangle.
type Steps = [i16; 3];

/// No triangle across this edge: no triangle is its own neighbour.
const BORDER: i16 = 0;
/// Marker in the first entry. The other two are then halves of the index of a row in
/// [`NeighbourTable::far`], the lower half first.
const FAR: i16 = i16::MIN;

/// Neighbours of all triangles. Edges are numbered as in [`crate::layout::Neighbours`].
#[derive(Clone, Debug, Default)]
pub struct NeighbourTable {
    steps: Vec<Steps>,
    far: Vec<[u32; 3]>,
}

impl NeighbourTable {
    /// Builds the table from the neighbours of each triangle in turn, or [`NONE`].
    pub fn new(rows: impl ExactSizeIterator<Item = [u32; 3]>) -> NeighbourTable {
        let mut table = NeighbourTable {
            steps: Vec::with_capacity(rows.len()),
            far: Vec::new(),
        };
        for (triangle, across) in (0..).zip(rows) {
            let steps = steps(triangle, across).unwrap_or_else(|| {
                let row = table.far.len() as u32;
                table.far.push(across);
                [FAR, row as i16, (row >> 16) as i16]
            });
            table.steps.push(steps);
        }
        table.far.shrink_to_fit();
        table
    }

    /// Number of triangles.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps.len()
    }

    /// Whether there are no triangles.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// Triangles across the three edges of a triangle; [`NONE`] at a border.
    ///
    /// # Panics
    /// If the triangle does not exist.
    #[must_use]
    pub fn of(&self, triangle: u32) -> [u32; 3] {
        [0, 1, 2].map(|edge| self.across(triangle, edge))
    }

    /// Triangle across one edge of a triangle; [`NONE`] at a border. Real-time callable.
    ///
    /// # Panics
    /// If the triangle or the edge does not exist.
    #[inline]
    #[must_use]
    pub fn across(&self, triangle: u32, edge: usize) -> u32 {
        let steps = self.steps[triangle as usize];
        if steps[0] == FAR {
            let row = u32::from(steps[1] as u16) | u32::from(steps[2] as u16) << 16;
            return self.far[row as usize][edge];
        }
        match steps[edge] {
            BORDER => NONE,
            step => triangle.wrapping_add_signed(i32::from(step)),
        }
    }

    /// Neighbours of each triangle in turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = [u32; 3]> + '_ {
        (0..self.len()).map(|triangle| self.of(triangle as u32))
    }
}

/// Returns the differences, or `None` if a neighbour is too far away.
fn steps(triangle: u32, across: [u32; 3]) -> Option<Steps> {
    let mut steps = [BORDER; 3];
    for (step, &other) in steps.iter_mut().zip(&across) {
        if other != NONE {
            let by = i64::from(other) - i64::from(triangle);
            *step = i16::try_from(by).ok().filter(|&by| by != BORDER)?;
        }
    }
    (steps[0] != FAR).then_some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn neighbours_are_those_given_near_and_far() {
        let last = 199_999;
        // Just within 16 bits, just beyond, at a border, and across the whole table.
        let offsets: [i64; 9] = [
            1, -1, 32_767, 32_768, -32_767, -32_768, -32_769, 70_000, -150_000,
        ];
        let row = |t: u32| {
            [0, 1, 2].map(|edge| {
                let k = (t as usize * 7 + edge * 5) % (offsets.len() + 1);
                let other = offsets.get(k).map(|by| i64::from(t) + by);
                let inside = other.filter(|other| (0..=last).contains(other));
                inside.map_or(NONE, |other| other as u32)
            })
        };
        let table = NeighbourTable::new((0..last as u32 + 1).map(row));
        assert_eq!(table.len(), last as usize + 1);
        assert!(table.iter().zip(0..).all(|(across, t)| across == row(t)));
        assert!(table.far.len() > 1 << 16 && table.far.len() < table.len());
    }

    #[test]
    fn a_triangle_that_is_its_own_neighbour_is_not_a_border() {
        let table = NeighbourTable::new([[0, NONE, NONE]].into_iter());
        assert_eq!(table.of(0), [0, NONE, NONE]);
    }
}
