//! Random numbers from a seed (splitmix64), the same in every process with the same seed.

/// A generator.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// Returns the generator of a seed.
    pub fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// Returns an integer below `end`; 0 if `end` is 0.
    pub fn below(&mut self, end: usize) -> usize {
        (self.bits() % (end.max(1) as u64)) as usize
    }

    /// Returns a number in `from..to`.
    pub fn within(&mut self, from: f64, to: f64) -> f64 {
        from + (to - from) * (self.bits() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Returns true with a probability of 1/n.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// Shuffles a slice.
    pub fn shuffle<T>(&mut self, things: &mut [T]) {
        for last in (1..things.len()).rev() {
            things.swap(last, self.below(last + 1));
        }
    }
}
