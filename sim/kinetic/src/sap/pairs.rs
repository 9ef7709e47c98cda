//! A set of pairs of bodies: a dense list with a hash index. Allocates only to grow. The order of
//! the list depends only on the operations applied to it.

/// A pair: the smaller number first.
pub type Pair = (u32, u32);

const EMPTY: u32 = u32::MAX;

/// A set of pairs. See the module.
#[derive(Clone, Debug, Default)]
pub struct PairSet {
    list: Vec<Pair>,
    /// Positions in the list, by hash; at least twice as many entries as pairs.
    table: Vec<u32>,
}

fn hash(pair: Pair) -> u64 {
    let key = u64::from(pair.0) << 32 | u64::from(pair.1);
    (key ^ (key >> 29)).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}

impl PairSet {
    /// Creates an empty set with capacity for this many pairs.
    #[must_use]
    pub fn with_capacity(pairs: usize) -> Self {
        let mut set = Self::default();
        set.reserve(pairs);
        set
    }

    /// Makes capacity for this many pairs in total.
    pub fn reserve(&mut self, pairs: usize) {
        let size = (2 * pairs.max(8)).next_power_of_two();
        if size > self.table.len() {
            self.list.reserve(pairs.saturating_sub(self.list.len()));
            self.table.clear();
            self.table.resize(size, EMPTY);
            for k in 0..self.list.len() {
                let at = self.vacancy(self.list[k]);
                self.table[at] = k as u32;
            }
        }
    }

    /// Returns the pairs.
    #[must_use]
    pub fn list(&self) -> &[Pair] {
        &self.list
    }

    /// Returns whether it contains this pair.
    #[must_use]
    pub fn contains(&self, pair: Pair) -> bool {
        self.find(pair).is_some()
    }

    /// Adds a pair. Returns false if it was present.
    pub fn insert(&mut self, pair: Pair) -> bool {
        if self.contains(pair) {
            return false;
        }
        if 2 * (self.list.len() + 1) > self.table.len() {
            self.reserve(2 * (self.list.len() + 1));
        }
        let at = self.vacancy(pair);
        self.table[at] = self.list.len() as u32;
        self.list.push(pair);
        true
    }

    /// Removes a pair. Returns false if it was absent.
    pub fn remove(&mut self, pair: Pair) -> bool {
        let Some(at) = self.find(pair) else {
            return false;
        };
        let k = self.table[at] as usize;
        self.close(at);
        let last = self.list.len() - 1;
        if k != last {
            let moved = self.find(self.list[last]);
            if let Some(at) = moved {
                self.table[at] = k as u32;
            }
        }
        self.list.swap_remove(k);
        true
    }

    /// Removes all pairs. Keeps the memory.
    pub fn clear(&mut self) {
        self.list.clear();
        self.table.fill(EMPTY);
    }

    fn first(&self, pair: Pair) -> usize {
        let bits = self.table.len().trailing_zeros();
        (hash(pair) >> (64 - bits)) as usize
    }

    fn find(&self, pair: Pair) -> Option<usize> {
        if self.table.is_empty() {
            return None;
        }
        let mut at = self.first(pair);
        loop {
            match self.table[at] {
                EMPTY => return None,
                k if self.list[k as usize] == pair => return Some(at),
                _ => at = (at + 1) & (self.table.len() - 1),
            }
        }
    }

    fn vacancy(&self, pair: Pair) -> usize {
        let mut at = self.first(pair);
        while self.table[at] != EMPTY {
            at = (at + 1) & (self.table.len() - 1);
        }
        at
    }

    /// Empties an entry and moves up those that it had displaced, so that no search ends too early.
    fn close(&mut self, mut hole: usize) {
        let mask = self.table.len() - 1;
        let mut at = hole;
        loop {
            at = (at + 1) & mask;
            let k = self.table[at];
            if k == EMPTY {
                break;
            }
            let home = self.first(self.list[k as usize]);
            // It may move to the hole unless its home is behind that.
            if (at.wrapping_sub(home) & mask) >= (at.wrapping_sub(hole) & mask) {
                self.table[hole] = k;
                hole = at;
            }
        }
        self.table[hole] = EMPTY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn it_is_a_set() {
        let mut set = PairSet::default();
        let mut want = BTreeSet::new();
        let mut x = 1_u64;
        for _ in 0..200_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let pair = ((x >> 33) as u32 % 40, (x >> 50) as u32 % 40 + 40);
            if x >> 62 == 0 {
                assert_eq!(set.insert(pair), want.insert(pair));
            } else if x >> 62 == 1 {
                assert_eq!(set.remove(pair), want.remove(&pair));
            } else {
                assert_eq!(set.contains(pair), want.contains(&pair));
            }
            assert_eq!(set.list().len(), want.len());
        }
        let mut list = set.list().to_vec();
        list.sort_unstable();
        assert!(list.iter().eq(&want));
        set.clear();
        assert!(set.list().is_empty() && !set.contains((0, 40)));
    }
}
