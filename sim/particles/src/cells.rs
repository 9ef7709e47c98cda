//! Finds the spheres that may be near each other: a hashed grid, filled by counting sort.
//!
//! # Theory
//!
//! A cell is as wide as the largest distance of a pair, so partners are in the same or a
//! neighbouring cell. A hash of its coordinates numbers each cell in a table whose size is a power
//! of two; a counting sort brings the spheres into table order (Teschner et al. 2003, "Optimized
//! spatial hashing", in the compact form of Müller's lecture notes, without lists). Cells that
//! share a number are told apart by their coordinates.
//!
//! # Practice
//!
//! The order of the pairs follows from positions, indices and the width alone. Callers that need an
//! order independent of the width sort them ([`near_pairs`](super::near_pairs)). No allocation once
//! grown. Cost: 14 look-ups per sphere, plus the pairs; `n²/2` of them if all spheres are in one
//! place.

use crate::Vec3;

type Cell = [i32; 3];

/// The half of the 26 neighbours that comes after a cell.
const AFTER: [Cell; 13] = [
    [1, 0, 0],
    [-1, 1, 0],
    [0, 1, 0],
    [1, 1, 0],
    [-1, -1, 1],
    [0, -1, 1],
    [1, -1, 1],
    [-1, 0, 1],
    [0, 0, 1],
    [1, 0, 1],
    [-1, 1, 1],
    [0, 1, 1],
    [1, 1, 1],
];

/// A sphere in sorted order, with the data that is read most.
#[derive(Clone, Copy, Debug)]
struct Entry {
    at: Vec3,
    cell: Cell,
    index: u32,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Cells {
    /// Width of a cell, m.
    size: f64,
    /// Cell of each sphere.
    cell: Vec<Cell>,
    /// For each number of the table, the start of its spheres in `sorted`. One longer than the
    /// table.
    first: Vec<u32>,
    sorted: Vec<Entry>,
}

impl Cells {
    /// Reserves capacity for `spheres` spheres.
    pub fn reserve(&mut self, spheres: usize) {
        let more = |len: usize| spheres.saturating_sub(len);
        self.cell.reserve(more(self.cell.len()));
        self.sorted.reserve(more(self.sorted.len()));
        let table = table(spheres) + 1;
        self.first.reserve(table.saturating_sub(self.first.len()));
    }

    /// Sorts the spheres into cells of `size` (m, positive).
    pub fn build(&mut self, x: &[Vec3], size: f64) {
        self.size = size;
        self.cell.clear();
        // Conversions saturate, and NaN becomes 0: all distant spheres share the last cell.
        (self.cell).extend(
            x.iter()
                .map(|p| [p.x, p.y, p.z].map(|c| (c / size).floor() as i32)),
        );
        let table = table(x.len());
        self.first.clear();
        self.first.resize(table + 1, 0);
        for cell in &self.cell {
            self.first[number(cell, table) + 1] += 1;
        }
        for k in 0..table {
            self.first[k + 1] += self.first[k];
        }
        self.sorted.clear();
        let empty = Entry {
            at: Vec3::zeros(),
            cell: [0; 3],
            index: 0,
        };
        self.sorted.resize(x.len(), empty);
        // From the last sphere to the first: each number's end moves down to its beginning, and
        // indices rise within it.
        for i in (0..x.len()).rev() {
            let end = &mut self.first[number(&self.cell[i], table) + 1];
            *end -= 1;
            self.sorted[*end as usize] = Entry {
                at: x[i],
                cell: self.cell[i],
                index: i as u32,
            };
        }
        // Ends have become beginnings, one place too far along.
        self.first.rotate_left(1);
        self.first[table] = x.len() as u32;
    }

    /// Calls `visit` once for each pair of spheres no further apart than the width of a cell, with
    /// the lower index, the higher, and the square of the distance (m²).
    pub fn pairs(&self, mut visit: impl FnMut(u32, u32, f64)) {
        let table = self.first.len().saturating_sub(1);
        let range = |cell: &Cell| {
            let place = number(cell, table);
            self.first[place] as usize..self.first[place + 1] as usize
        };
        let most = self.size * self.size;
        // Test the distance first: most pairs are too far apart. Without the cell test, a sphere
        // that only shares the number of the cell would be visited twice.
        let mut meet = |a: &Entry, others: &[Entry], cell: &Cell| {
            for b in others {
                let square = (a.at - b.at).norm_squared();
                if square <= most && b.cell == *cell {
                    visit(a.index.min(b.index), a.index.max(b.index), square);
                }
            }
        };
        // Spheres of one cell mostly follow each other and have the same neighbours.
        let mut last = None;
        let mut around = [const { ([0; 3], 0..0) }; AFTER.len()];
        let mut end = 0;
        for (k, entry) in self.sorted.iter().enumerate() {
            if last != Some(entry.cell) {
                last = Some(entry.cell);
                end = range(&entry.cell).end;
                around = AFTER.map(|step| {
                    let next = core::array::from_fn(|i| entry.cell[i].wrapping_add(step[i]));
                    let range = range(&next);
                    (next, range)
                });
            }
            meet(entry, &self.sorted[k + 1..end], &entry.cell);
            for (next, range) in &around {
                meet(entry, &self.sorted[range.clone()], next);
            }
        }
    }
}

/// Size of the table: a power of two, about twice the number of spheres.
fn table(spheres: usize) -> usize {
    (2 * spheres).next_power_of_two().max(2)
}

fn number(cell: &Cell, table: usize) -> usize {
    let mix = (cell[0] as u32).wrapping_mul(0x9e37_79b1)
        ^ (cell[1] as u32).wrapping_mul(0x85eb_ca77)
        ^ (cell[2] as u32).wrapping_mul(0xc2b2_ae3d);
    // The low bits of the products depend only on the low bits of the coordinates, so the high bits
    // are folded in.
    (mix ^ (mix >> 15)) as usize & (table - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All pairs nearer than the width of a cell are visited, each once, also across zero and far
    /// from it.
    #[test]
    fn near_pairs_are_visited_once() {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
        };
        let mut cells = Cells::default();
        for (spread, size, away) in [(4.0, 0.7, 0.0), (0.1, 1.0, 0.0), (6.0, 0.5, 1e6)] {
            let x: Vec<Vec3> = (0..300)
                .map(|_| Vec3::new(next(), next(), next()) * spread + Vec3::repeat(away))
                .collect();
            cells.build(&x, size);
            let mut seen = Vec::new();
            cells.pairs(|a, b, _| seen.push((a, b)));
            let count = seen.len();
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), count, "a pair came twice");
            for a in 0..300_u32 {
                for b in a + 1..300 {
                    let near = (x[a as usize] - x[b as usize]).norm() < size;
                    assert!(!near || seen.binary_search(&(a, b)).is_ok(), "{a} {b}");
                }
            }
        }
    }

    /// Positions at the limits of `f64` are still in some cell.
    #[test]
    fn places_beyond_all_cells_are_no_fault() {
        let mut cells = Cells::default();
        let x = [
            Vec3::repeat(f64::MAX),
            Vec3::repeat(-f64::MAX),
            Vec3::zeros(),
            Vec3::repeat(f64::MAX),
        ];
        for size in [1.0, f64::MIN_POSITIVE, f64::INFINITY] {
            cells.build(&x, size);
            let mut together = false;
            cells.pairs(|a, b, square| together |= (a, b, square) == (0, 3, 0.0));
            assert!(together);
        }
    }
}
