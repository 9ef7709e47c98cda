//! The same random numbers in every run.

use hapticd_geometry::Vec3;

/// A linear congruential generator: good enough to choose starts.
pub struct Random(u64);

impl Random {
    /// Each seed gives numbers of its own.
    pub fn new(seed: u64) -> Self {
        let mut random = Self(seed);
        random.between(0.0, 1.0);
        random
    }

    /// Evenly from this range.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0 = self
            .0
            .wrapping_mul(6364136223846793005)
            .wrapping_add(1442695040888963407);
        low + (high - low) * (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A unit vector, all alike likely.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            let length = v.norm();
            if (0.1..=1.0).contains(&length) {
                return v / length;
            }
        }
    }
}
