//! The k-cell of each dart, and the darts of each k-cell: indices and rings of darts, kept
//! consistent.
//!
//! A k-cell is an orbit. Its darts are chained: visiting them all walks a list, needs no marks and
//! meets each once. A k-cell without darts is free, and its index is the next to be reused. Nothing
//! allocates once the chains have reached their largest size.

use super::NONE;

/// The k-cells of one dimension.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orbits {
    /// For each dart: its k-cell.
    of: Vec<u32>,
    /// For each dart: the chain.
    next: Vec<u32>,
    prev: Vec<u32>,
    /// For each k-cell: its first dart, [`NONE`] if the k-cell does not exist.
    head: Vec<u32>,
    free: Vec<u32>,
    /// The owner numbers the k-cells: free ones are not kept here.
    external_ids: bool,
}

impl Orbits {
    /// Creates k-cells with indices from outside, through [`Orbits::admit`].
    pub(crate) fn external_ids() -> Self {
        Orbits {
            external_ids: true,
            ..Orbits::default()
        }
    }

    /// Makes capacity for a k-cell of this index.
    pub(crate) fn admit(&mut self, cell: u32) {
        while self.head.len() <= cell as usize {
            self.head.push(NONE);
        }
    }

    /// Makes capacity for a dart of this index, in no k-cell.
    pub(crate) fn grow(&mut self, dart: u32) {
        while self.of.len() <= dart as usize {
            self.of.push(NONE);
            self.next.push(NONE);
            self.prev.push(NONE);
        }
    }

    /// Returns whether there is capacity for a dart of this index.
    pub(crate) fn knows(&self, dart: u32) -> bool {
        (dart as usize) < self.of.len()
    }

    /// Reserves capacity for this many darts and k-cells.
    pub(crate) fn reserve(&mut self, darts: usize, cells: usize) {
        for list in [&mut self.of, &mut self.next, &mut self.prev] {
            list.reserve(darts.saturating_sub(list.len()));
        }
        for list in [&mut self.head, &mut self.free] {
            list.reserve(cells.saturating_sub(list.len()));
        }
    }

    /// Creates a k-cell without darts. It must be given one before the next is created.
    pub(crate) fn create(&mut self) -> u32 {
        if let Some(cell) = self.free.pop() {
            return cell;
        }
        self.head.push(NONE);
        if self.free.capacity() < self.head.capacity() {
            // All may be released at once, which must not allocate then.
            self.free.reserve(self.head.capacity() - self.free.len());
        }
        self.head.len() as u32 - 1
    }

    /// Returns the k-cell of a dart, [`NONE`] if it is in none.
    #[inline]
    pub(crate) fn of(&self, dart: u32) -> u32 {
        self.of[dart as usize]
    }

    /// Moves a dart to the end of the chain of a k-cell. The first dart of a chain stays the first.
    pub(crate) fn assign(&mut self, dart: u32, cell: u32) {
        if self.of[dart as usize] == cell {
            return;
        }
        self.release(dart);
        let d = dart as usize;
        self.of[d] = cell;
        let head = self.head[cell as usize];
        if head == NONE {
            self.head[cell as usize] = dart;
            (self.next[d], self.prev[d]) = (dart, dart);
        } else {
            let last = self.prev[head as usize];
            (self.prev[d], self.next[d]) = (last, head);
            self.next[last as usize] = dart;
            self.prev[head as usize] = dart;
        }
    }

    /// Removes a dart from its k-cell; the last one frees it.
    pub(crate) fn release(&mut self, dart: u32) {
        let d = dart as usize;
        let cell = self.of[d];
        if cell == NONE {
            return;
        }
        let (before, after) = (self.prev[d], self.next[d]);
        if after == dart {
            self.head[cell as usize] = NONE;
            if !self.external_ids {
                self.free.push(cell);
            }
        } else {
            self.next[before as usize] = after;
            self.prev[after as usize] = before;
            if self.head[cell as usize] == dart {
                self.head[cell as usize] = after;
            }
        }
        self.of[d] = NONE;
    }

    /// Returns a dart of the k-cell, [`NONE`] if the k-cell does not exist.
    #[inline]
    pub(crate) fn head(&self, cell: u32) -> u32 {
        self.head.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// Returns the next dart along the chain, which is closed.
    #[inline]
    pub(crate) fn after(&self, dart: u32) -> u32 {
        self.next[dart as usize]
    }

    /// Returns the indices of all k-cells, in rising order.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.head.len() as u32).filter(|&c| self.head[c as usize] != NONE)
    }

    /// Returns the darts of a k-cell, each once; none if the k-cell does not exist.
    #[inline]
    pub(crate) fn darts(&self, cell: u32) -> Chain<'_> {
        let head = self.head(cell);
        Chain {
            next: &self.next,
            head,
            at: head,
        }
    }
}

/// Walks once along a chain.
#[derive(Clone, Debug)]
pub(crate) struct Chain<'a> {
    next: &'a [u32],
    head: u32,
    at: u32,
}

impl Iterator for Chain<'_> {
    type Item = u32;

    #[inline]
    fn next(&mut self) -> Option<u32> {
        let dart = self.at;
        if dart == NONE {
            return None;
        }
        let after = self.next[dart as usize];
        self.at = if after == self.head { NONE } else { after };
        Some(dart)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cell_has_its_darts_once_and_is_freed_with_the_last() {
        let mut orbits = Orbits::default();
        orbits.grow(4);
        let (a, b) = (orbits.create(), orbits.create());
        for (dart, cell) in [(0, a), (1, b), (2, a), (3, a)] {
            orbits.assign(dart, cell);
        }
        assert_eq!(orbits.darts(a).collect::<Vec<_>>(), [0, 2, 3]);
        orbits.assign(0, b);
        assert_eq!(orbits.darts(a).collect::<Vec<_>>(), [2, 3]);
        assert_eq!(orbits.darts(b).collect::<Vec<_>>(), [1, 0]);
        orbits.release(1);
        orbits.release(0);
        assert_eq!(orbits.head(b), NONE);
        assert_eq!(orbits.create(), b);
    }
}
