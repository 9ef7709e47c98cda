//! Random numbers for the benchmarks of registration.

use hapticd_geometry::Vec3;

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn vector(&mut self, flat: bool) -> Vec3 {
        let mut v = Vec3::new(self.unit(), self.unit(), self.unit());
        v.z *= if flat { 0.0 } else { 1.0 };
        v
    }
}
