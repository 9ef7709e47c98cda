//! Pairs of spheres that may meet in a step, each once, in the order of their indices, whichever
//! search finds them.
//!
//! The order matters to the bit, since constraints are solved one after the other. So all searches
//! share one order: by the lower index, then by the higher. The number of pairs is bounded
//! ([`NearPairs::collect`]): if more pairs survive than rows fit, those with the lowest indices
//! stay and the rest are counted.

use super::cells::Cells;
use crate::Vec3;

/// Finds moving points near each other. The world's own search is a hashed grid, filled at each
/// step; an implementation may keep data between steps.
pub trait NeighbourSearch: core::fmt::Debug + Send + Sync {
    /// Calls `visit` once for each two of the positions `x` (m) that are no further apart than
    /// `reach_m` (m, positive), with the lower index, the higher, and the square of their distance
    /// as `(x[lower] - x[higher]).norm_squared()` gives it. The order is free. May visit more
    /// pairs.
    ///
    /// Returns false if it cannot search these positions; it has then visited nothing, and the
    /// world searches itself.
    fn pairs(&mut self, x: &[Vec3], reach_m: f64, visit: &mut dyn FnMut(u32, u32, f64)) -> bool;

    /// Returns a copy with the same state.
    fn boxed_clone(&self) -> Box<dyn NeighbourSearch>;
}

impl Clone for Box<dyn NeighbourSearch> {
    fn clone(&self) -> Self {
        self.boxed_clone()
    }
}

/// Two spheres: both indices, the lower one in the high half; and the square of their distance, m².
pub(super) type Pair = (u64, f64);

/// Both searches, and the pairs that they found.
#[derive(Clone, Debug, Default)]
pub(super) struct NearPairs {
    cells: Cells,
    other: Option<Box<dyn NeighbourSearch>>,
    found: Vec<Pair>,
    sorted: Vec<Pair>,
    /// For each lower sphere, the start of its pairs.
    first: Vec<u32>,
}

impl NearPairs {
    /// Reserves capacity for `spheres` spheres.
    pub fn reserve(&mut self, spheres: usize) {
        self.cells.reserve(spheres);
        (self.first).reserve((spheres + 1).saturating_sub(self.first.len()));
    }

    pub fn set_other(&mut self, other: Option<Box<dyn NeighbourSearch>>) {
        self.other = other;
    }

    /// Finds all pairs within `reach` of each other that `keep` accepts, at most `most`. Returns
    /// the number of pairs left out.
    pub fn collect(
        &mut self,
        x: &[Vec3],
        reach: f64,
        most: usize,
        keep: impl Fn(usize, usize, f64) -> bool,
    ) -> u32 {
        let Self {
            cells,
            other,
            found,
            ..
        } = self;
        found.clear();
        let mut left_out = 0_u32;
        let mut visit = |a: u32, b: u32, square: f64| {
            if keep(a as usize, b as usize, square) {
                found.push((u64::from(a) << 32 | u64::from(b), square));
                if found.len() >= 2 * most {
                    let _ = found.select_nth_unstable_by_key(most, |pair| pair.0);
                    left_out = left_out.saturating_add((found.len() - most) as u32);
                    found.truncate(most);
                }
            }
        };
        let searched = (other.as_mut()).is_some_and(|other| other.pairs(x, reach, &mut visit));
        if !searched {
            cells.build(x, reach);
            cells.pairs(visit);
        }
        self.sort(x.len());
        if self.sorted.len() > most {
            left_out = left_out.saturating_add((self.sorted.len() - most) as u32);
            self.sorted.truncate(most);
        }
        left_out
    }

    /// Sorts by counting, then within the few pairs of each sphere.
    fn sort(&mut self, spheres: usize) {
        let Self {
            found,
            sorted,
            first,
            ..
        } = self;
        first.clear();
        first.resize(spheres + 1, 0);
        let lower = |pair: &Pair| (pair.0 >> 32) as usize;
        for pair in found.iter() {
            first[lower(pair) + 1] += 1;
        }
        for i in 0..spheres {
            first[i + 1] += first[i];
        }
        sorted.clear();
        sorted.resize(found.len(), (0, 0.0));
        for pair in found.iter() {
            let place = &mut first[lower(pair)];
            sorted[*place as usize] = *pair;
            *place += 1;
        }
        // Beginnings have become ends.
        let mut begin = 0;
        for end in &first[..spheres] {
            sorted[begin..*end as usize].sort_unstable_by_key(|pair| pair.0);
            begin = *end as usize;
        }
    }

    /// The collected pairs, in order.
    pub fn pairs(&self) -> impl Iterator<Item = (u32, u32, f64)> + '_ {
        let ends = |key: u64| ((key >> 32) as u32, key as u32);
        (self.sorted.iter()).map(move |&(key, square)| (ends(key).0, ends(key).1, square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Visits in reverse order, twice as far as requested.
    #[derive(Clone, Debug)]
    struct Backwards {
        knows: bool,
    }

    impl NeighbourSearch for Backwards {
        fn pairs(
            &mut self,
            x: &[Vec3],
            reach_m: f64,
            visit: &mut dyn FnMut(u32, u32, f64),
        ) -> bool {
            for b in (0..x.len()).rev().filter(|_| self.knows) {
                for a in (0..b).rev() {
                    let square = (x[a] - x[b]).norm_squared();
                    if square <= 4.0 * reach_m * reach_m {
                        visit(a as u32, b as u32, square);
                    }
                }
            }
            self.knows
        }

        fn boxed_clone(&self) -> Box<dyn NeighbourSearch> {
            Box::new(self.clone())
        }
    }

    fn places() -> Vec<Vec3> {
        let at = |i: u32| f64::from(i * 7919 % 101) / 101.0;
        (0..80)
            .map(|i| Vec3::new(at(i), at(i + 37), at(i + 61)))
            .collect()
    }

    #[test]
    fn pairs_are_in_the_order_of_numbers_with_any_finder() {
        let x = places();
        let keep = |_: usize, _: usize, square: f64| square < 0.2 * 0.2;
        let mut expected = Vec::new();
        for a in 0..80_u32 {
            for b in a + 1..80 {
                let square = (x[a as usize] - x[b as usize]).norm_squared();
                if keep(0, 0, square) {
                    expected.push((a, b, square));
                }
            }
        }
        assert!(expected.len() > 50, "{}", expected.len());
        for most in [1000, expected.len(), 40, 3] {
            for knows in [None, Some(true), Some(false)] {
                let mut near = NearPairs::default();
                near.set_other(knows.map(|knows| Backwards { knows }.boxed_clone()));
                let left_out = near.clone().collect(&x, 0.2, most, keep);
                assert_eq!(near.collect(&x, 0.2, most, keep), left_out);
                assert_eq!(left_out as usize, expected.len().saturating_sub(most));
                let found: Vec<_> = near.pairs().collect();
                assert_eq!(found, expected[..most.min(expected.len())]);
            }
        }
    }
}
