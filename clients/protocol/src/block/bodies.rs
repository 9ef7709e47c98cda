//! Block of all bodies' poses, published in every tick.

use super::{put, take};
use crate::{MAX_BODIES, wire::Pose};

/// Number of words of one body.
const BODY_WORDS: usize = 8;
/// Number of words before the first body.
const FIRST: usize = 3;
/// Number of words of the payload.
pub const BODIES_WORDS: usize = FIRST + MAX_BODIES * BODY_WORDS;

/// Pose of one body. Words are counted from the first word of the body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BodyPose {
    /// Word 0, bits 0..32: identity of the body.
    pub body: u32,
    /// Word 0, bit 32: true if the body has a target that it has not reached. A command shows here
    /// some ticks after it was answered.
    pub moving: bool,
    /// Words 1..8: pose of the body.
    pub world_from_body: Pose,
}

/// Payload of the block: poses of all bodies. Words: 0 tick, 1 time, 2 count, then the bodies, 8
/// words each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bodies {
    /// Number of the tick.
    pub tick: u64,
    /// Time of the tick, ns on the daemon's monotonic clock.
    pub time_ns: u64,
    count: usize,
    bodies: [BodyPose; MAX_BODIES],
}

impl Bodies {
    /// Returns an empty list for this tick.
    pub const fn new(tick: u64, time_ns: u64) -> Self {
        let none = BodyPose {
            body: 0,
            moving: false,
            world_from_body: Pose::IDENTITY,
        };
        Self {
            tick,
            time_ns,
            count: 0,
            bodies: [none; MAX_BODIES],
        }
    }

    /// Appends a body, unless there are [`MAX_BODIES`] already. Returns whether it was appended.
    /// Real-time callable.
    pub fn push(&mut self, body: BodyPose) -> bool {
        match self.bodies.get_mut(self.count) {
            Some(place) => {
                *place = body;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    /// Returns the bodies.
    pub fn as_slice(&self) -> &[BodyPose] {
        &self.bodies[..self.count.min(MAX_BODIES)]
    }

    /// Returns the payload words; words after the last body are zero. Real-time callable.
    pub fn to_words(&self) -> [u64; BODIES_WORDS] {
        let mut words = [0; BODIES_WORDS];
        words[0] = self.tick;
        words[1] = self.time_ns;
        words[2] = self.count as u64;
        let places = words[FIRST..].chunks_exact_mut(BODY_WORDS);
        for (place, body) in places.zip(self.as_slice()) {
            place[0] = u64::from(body.body) | u64::from(body.moving) << 32;
            put(place, 1, body.world_from_body.to_array());
        }
        words
    }

    /// Reads the payload words; a count above the limit counts as the limit. Real-time callable.
    pub fn from_words(words: &[u64; BODIES_WORDS]) -> Self {
        let mut result = Self::new(words[0], words[1]);
        let count = usize::try_from(words[2]).unwrap_or(MAX_BODIES);
        for place in words[FIRST..].chunks_exact(BODY_WORDS).take(count) {
            result.push(BodyPose {
                body: place[0] as u32,
                moving: place[0] >> 32 & 1 == 1,
                world_from_body: Pose::from_array(take(place, 1)),
            });
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(body: u32) -> BodyPose {
        let world_from_body =
            Pose::from_array(std::array::from_fn(|index| f64::from(body) + index as f64));
        BodyPose {
            body,
            moving: true,
            world_from_body,
        }
    }

    #[test]
    fn every_field_is_at_its_published_word() {
        let mut bodies = Bodies::new(10, 11);
        bodies.push(body(4));
        bodies.push(body(12));
        let words = bodies.to_words();
        assert_eq!(words.len(), 515);
        assert_eq!(words[..4], [10, 11, 2, 4 | 1 << 32]);
        assert_eq!(words[11], 12 | 1 << 32);
        for index in [4, 5, 6, 7, 8, 9, 10, 12, 13, 14, 15, 16, 17, 18] {
            assert_eq!(f64::from_bits(words[index]), index as f64);
        }
        assert!(words[19..].iter().all(|word| *word == 0));
        assert_eq!(Bodies::from_words(&words), bodies);
    }

    #[test]
    fn one_more_than_the_limit_is_not_taken_and_an_impossible_count_is_cut() {
        let mut bodies = Bodies::new(1, 1);
        for id in 0..MAX_BODIES as u32 {
            assert!(bodies.push(body(id)));
        }
        assert!(!bodies.push(body(1000)));
        let mut words = bodies.to_words();
        assert_eq!(Bodies::from_words(&words), bodies);
        words[2] = u64::MAX;
        assert_eq!(Bodies::from_words(&words), bodies);
    }
}
