//! A 64-bit digest of many numbers: equal bits give equal digests.
//!
//! Allocation-free. FNV-1a of 64 bits (Fowler, Noll and Vo): the same on every machine and in every
//! version.

use crate::pose::Pose;

/// Digest over words, numbers and poses in their order. It offers no protection against
/// deliberately constructed collisions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Digest(u64);

impl Default for Digest {
    fn default() -> Self {
        Digest(0xcbf2_9ce4_8422_2325)
    }
}

impl Digest {
    /// Adds a word.
    pub fn word(&mut self, word: u64) {
        self.bytes(&word.to_le_bytes());
    }

    /// Adds the bits of numbers; zeros of either sign differ.
    pub fn numbers(&mut self, numbers: &[f64]) {
        for number in numbers {
            self.word(number.to_bits());
        }
    }

    /// Adds a pose.
    pub fn pose(&mut self, pose: &Pose) {
        self.numbers(pose.translation.vector.as_slice());
        self.numbers(pose.rotation.coords.as_slice());
    }

    /// Adds bytes.
    pub fn bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

/// Writes sixteen hexadecimal digits.
impl std::fmt::Display for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Published values of FNV-1a.
    #[test]
    fn the_hash_is_fnv_1a() {
        for (text, published) in [
            ("", "cbf29ce484222325"),
            ("a", "af63dc4c8601ec8c"),
            ("foobar", "85944171f73967e8"),
        ] {
            let mut digest = Digest::default();
            digest.bytes(text.as_bytes());
            assert_eq!(digest.to_string(), published, "{text}");
        }
    }

    #[test]
    fn a_pose_is_its_bits() {
        let of = |pose: &Pose| {
            let mut digest = Digest::default();
            digest.pose(pose);
            digest
        };
        let plain = Pose::translation(1.0, 0.0, 3.0);
        assert_eq!(of(&plain), of(&Pose::translation(1.0, 0.0, 3.0)));
        assert_ne!(of(&plain), of(&Pose::translation(1.0, -0.0, 3.0)));
        assert_ne!(of(&plain), of(&Pose::translation(3.0, 0.0, 1.0)));
        let mut turned = plain;
        turned.rotation.as_mut_unchecked().coords.x = 1e-300;
        assert_ne!(of(&plain), of(&turned));
    }
}
