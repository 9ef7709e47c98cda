//! Which k-cell each dart belongs to, and the darts of each k-cell: numbers and rings of darts,
//! kept in step.
//!
//! A k-cell is an orbit. Its darts are chained, so that whoever wants them all walks a list, needs
//! no marks and gets each once; a k-cell whose last dart has gone is free, and its number is the
//! next that is given. Nothing allocates once the chains have been as long as they get.

use super::NONE;

/// The k-cells of one dimension.
#[derive(Clone, Debug, Default)]
pub(crate) struct Orbits {
    /// Per dart: its k-cell.
    of: Vec<u32>,
    /// Per dart: the chain.
    next: Vec<u32>,
    prev: Vec<u32>,
    /// Per k-cell: its first dart, [`NONE`] where there is no such k-cell.
    head: Vec<u32>,
    free: Vec<u32>,
    /// Somebody else numbers the k-cells: free ones are not kept here.
    numbered_outside: bool,
}

impl Orbits {
    /// K-cells whose numbers come from outside, through [`Orbits::admit`].
    pub(crate) fn numbered_outside() -> Self {
        Orbits {
            numbered_outside: true,
            ..Orbits::default()
        }
    }

    /// Makes room for a k-cell of this number.
    pub(crate) fn admit(&mut self, cell: u32) {
        while self.head.len() <= cell as usize {
            self.head.push(NONE);
        }
    }

    /// Makes room for a dart number `dart`, in no k-cell.
    pub(crate) fn grow(&mut self, dart: u32) {
        while self.of.len() <= dart as usize {
            self.of.push(NONE);
            self.next.push(NONE);
            self.prev.push(NONE);
        }
    }

    /// Whether there is room for a dart of this number.
    pub(crate) fn knows(&self, dart: u32) -> bool {
        (dart as usize) < self.of.len()
    }

    /// Room for this many darts and k-cells without allocation.
    pub(crate) fn reserve(&mut self, darts: usize, cells: usize) {
        for list in [&mut self.of, &mut self.next, &mut self.prev] {
            list.reserve(darts.saturating_sub(list.len()));
        }
        for list in [&mut self.head, &mut self.free] {
            list.reserve(cells.saturating_sub(list.len()));
        }
    }

    /// A new k-cell without darts. It has to be given one before the next is asked for.
    pub(crate) fn create(&mut self) -> u32 {
        if let Some(cell) = self.free.pop() {
            return cell;
        }
        self.head.push(NONE);
        if self.free.capacity() < self.head.capacity() {
            // All may be given back at once: that must not allocate then.
            self.free.reserve(self.head.capacity() - self.free.len());
        }
        self.head.len() as u32 - 1
    }

    /// The k-cell of a dart, [`NONE`] where it is in none.
    #[inline]
    pub(crate) fn of(&self, dart: u32) -> u32 {
        self.of[dart as usize]
    }

    /// Puts a dart into a k-cell, at the end of its chain, and takes it out of the one it was in.
    /// The first dart stays the first.
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

    /// Takes a dart out of its k-cell; the last one frees it.
    pub(crate) fn release(&mut self, dart: u32) {
        let d = dart as usize;
        let cell = self.of[d];
        if cell == NONE {
            return;
        }
        let (before, after) = (self.prev[d], self.next[d]);
        if after == dart {
            self.head[cell as usize] = NONE;
            if !self.numbered_outside {
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

    /// A dart of the k-cell, [`NONE`] where there is no such k-cell.
    #[inline]
    pub(crate) fn head(&self, cell: u32) -> u32 {
        self.head.get(cell as usize).copied().unwrap_or(NONE)
    }

    /// The next dart along the chain, which comes back to the first.
    #[inline]
    pub(crate) fn after(&self, dart: u32) -> u32 {
        self.next[dart as usize]
    }

    /// The numbers of all k-cells, rising.
    pub(crate) fn ids(&self) -> impl Iterator<Item = u32> + '_ {
        (0..self.head.len() as u32).filter(|&c| self.head[c as usize] != NONE)
    }

    /// The darts of a k-cell, each once; none where there is no such k-cell.
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

/// Goes once along a chain.
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
