//! Block of all bodies' poses and of the forces on them, published in every tick.

use super::list::ListHeader;
use super::words::{Placed, words};
use crate::{MAX_BODIES, wire::Pose};

/// Number of words before the first body.
const FIRST: usize = ListHeader::WORDS;
/// Number of words of the payload.
pub const BODIES_WORDS: usize = FIRST + MAX_BODIES * BodyState::WORDS;

words! {
    /// Pose of one body, and the force of the tools on it. Words are counted from the first word of
    /// the body.
    pub struct BodyState in 14 words {
        /// Identity of the body.
        body: u32 = word 0;
        /// True if the body has a target that it has not reached. A command shows here some ticks
        /// after it was answered.
        moving: bool = word 0 bit 32;
        /// Pose of the body.
        world_from_body: Pose = word 1;
        /// Force of all arms' tools on the body, N, world frame: what hands feel at their
        /// [`Contact`](crate::block::Contact)s with it, the other way round.
        force_n: [f64; 3] = word 8;
        /// Torque of that force about the body's origin, N m, world frame.
        torque_nm: [f64; 3] = word 11;
    }
}

/// Payload of the block: poses of all bodies. First a [`ListHeader`], then the bodies.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bodies {
    /// Number of the tick.
    pub tick: u64,
    /// Time of the tick, ns on the daemon's monotonic clock.
    pub time_ns: u64,
    count: usize,
    bodies: [BodyState; MAX_BODIES],
}

impl Bodies {
    /// Returns an empty list for this tick.
    pub const fn new(tick: u64, time_ns: u64) -> Self {
        let none = BodyState {
            body: 0,
            moving: false,
            world_from_body: Pose::IDENTITY,
            force_n: [0.0; 3],
            torque_nm: [0.0; 3],
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
    pub fn push(&mut self, body: BodyState) -> bool {
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
    pub fn as_slice(&self) -> &[BodyState] {
        &self.bodies[..self.count.min(MAX_BODIES)]
    }

    /// Returns the payload words; words after the last body are zero. Real-time callable.
    pub fn to_words(&self) -> [u64; BODIES_WORDS] {
        let mut words = [0; BODIES_WORDS];
        let header = ListHeader {
            tick: self.tick,
            time_ns: self.time_ns,
            count: self.count as u64,
        };
        header.put(&mut words, 0, 0);
        for (index, body) in self.as_slice().iter().enumerate() {
            body.put(&mut words, FIRST + index * BodyState::WORDS, 0);
        }
        words
    }

    /// Reads the payload words; a count above the limit counts as the limit. Real-time callable.
    pub fn from_words(words: &[u64; BODIES_WORDS]) -> Self {
        let header = ListHeader::take(words, 0, 0);
        let mut result = Self::new(header.tick, header.time_ns);
        for index in 0..header.count(MAX_BODIES) {
            result.push(BodyState::take(words, FIRST + index * BodyState::WORDS, 0));
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(body: u32) -> BodyState {
        let world_from_body =
            Pose::from_array(std::array::from_fn(|index| f64::from(body) + index as f64));
        BodyState {
            body,
            moving: true,
            world_from_body,
            force_n: std::array::from_fn(|index| f64::from(body + 7) + index as f64),
            torque_nm: std::array::from_fn(|index| f64::from(body + 10) + index as f64),
        }
    }

    #[test]
    fn every_field_is_at_its_published_word() {
        let mut bodies = Bodies::new(10, 11);
        bodies.push(body(4));
        bodies.push(body(18));
        let words = bodies.to_words();
        assert_eq!(words.len(), 899);
        assert_eq!(words[..4], [10, 11, 2, 4 | 1 << 32]);
        assert_eq!(words[17], 18 | 1 << 32);
        for index in (4..17).chain(18..31) {
            assert_eq!(f64::from_bits(words[index]), index as f64);
        }
        assert!(words[31..].iter().all(|word| *word == 0));
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
