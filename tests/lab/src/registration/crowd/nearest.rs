//! The N nearest of many, sorted; ties go to the lower number. No allocation.

/// A sorted list of at most `N`.
#[derive(Clone, Copy, Debug)]
pub struct Nearest<const N: usize> {
    kept: [(f64, u32); N],
    len: usize,
}

impl<const N: usize> Default for Nearest<N> {
    fn default() -> Self {
        Nearest {
            kept: [(f64::INFINITY, u32::MAX); N],
            len: 0,
        }
    }
}

impl<const N: usize> Nearest<N> {
    /// Offers another one; keeps it if it is among the nearest so far.
    #[inline]
    pub fn offer(&mut self, distance: f64, number: u32) {
        let new = (distance, number);
        if self.len == N && new >= self.kept[N - 1] {
            return;
        }
        let mut i = self.len.min(N - 1);
        while i > 0 && new < self.kept[i - 1] {
            self.kept[i] = self.kept[i - 1];
            i -= 1;
        }
        self.kept[i] = new;
        self.len = (self.len + 1).min(N);
    }

    /// Iterates from the nearest on.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = u32> + '_ {
        self.kept[..self.len].iter().map(|k| k.1)
    }
}

#[cfg(test)]
mod tests {
    use hapticd_testkit::Random;

    use super::Nearest;

    #[test]
    fn the_nearest_are_those_of_a_sort() {
        let mut random = Random::new(1);
        for count in 0..60 {
            let mut all: Vec<(f64, u32)> =
                (0..count).map(|i| (random.below(20) as f64, i)).collect();
            for i in (1..all.len()).rev() {
                all.swap(i, random.below(i + 1));
            }
            let mut nearest = Nearest::<7>::default();
            all.iter().for_each(|&(d, i)| nearest.offer(d, i));
            all.sort_by(|a, b| a.partial_cmp(b).unwrap());
            let want: Vec<u32> = all.iter().take(7).map(|k| k.1).collect();
            assert_eq!(nearest.iter().collect::<Vec<_>>(), want);
        }
    }
}
