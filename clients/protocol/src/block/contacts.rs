//! Block of one arm's contacts, published in every tick.

use super::{put, take};
use crate::MAX_CONTACTS;

/// Number of words of one contact.
const CONTACT_WORDS: usize = 8;
/// Number of words before the first contact.
const FIRST: usize = 3;
/// Number of words of the payload.
pub const CONTACTS_WORDS: usize = FIRST + MAX_CONTACTS * CONTACT_WORDS;

/// One contact. Words are counted from the first word of the contact.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// Words 0..3: point on the body's surface, world frame, m.
    pub point_m: [f64; 3],
    /// Words 3..6: unit normal from the body to the tool, world frame.
    pub normal: [f64; 3],
    /// Word 6: distance between the surfaces along the normal, m; positive, since they never
    /// overlap.
    pub distance_m: f64,
    /// Word 7, bits 0..32: identity of the body. For the tool of arm `k` it is `u32::MAX - k`,
    /// which no body has.
    pub body: u32,
}

impl Contact {
    /// A placeholder.
    pub const NONE: Self = Self {
        point_m: [0.0; 3],
        normal: [0.0; 3],
        distance_m: 0.0,
        body: 0,
    };
}

/// Payload of the block: contacts of an arm. Words: 0 tick, 1 time, 2 count, then the contacts, 8
/// words each.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// Number of the tick.
    pub tick: u64,
    /// Time of the tick, ns on the daemon's monotonic clock.
    pub time_ns: u64,
    count: usize,
    contacts: [Contact; MAX_CONTACTS],
}

impl Contacts {
    /// Returns an empty list for this tick.
    pub const fn new(tick: u64, time_ns: u64) -> Self {
        Self {
            tick,
            time_ns,
            count: 0,
            contacts: [Contact::NONE; MAX_CONTACTS],
        }
    }

    /// Appends a contact, unless there are [`MAX_CONTACTS`] already. Returns whether it was
    /// appended. Real-time callable.
    pub fn push(&mut self, contact: Contact) -> bool {
        match self.contacts.get_mut(self.count) {
            Some(place) => {
                *place = contact;
                self.count += 1;
                true
            }
            None => false,
        }
    }

    /// Returns the contacts.
    pub fn as_slice(&self) -> &[Contact] {
        &self.contacts[..self.count.min(MAX_CONTACTS)]
    }

    /// Returns the payload words; words after the last contact are zero. Real-time callable.
    pub fn to_words(&self) -> [u64; CONTACTS_WORDS] {
        let mut words = [0; CONTACTS_WORDS];
        words[0] = self.tick;
        words[1] = self.time_ns;
        words[2] = self.count as u64;
        let places = words[FIRST..].chunks_exact_mut(CONTACT_WORDS);
        for (place, contact) in places.zip(self.as_slice()) {
            put(place, 0, contact.point_m);
            put(place, 3, contact.normal);
            put(place, 6, [contact.distance_m]);
            place[7] = u64::from(contact.body);
        }
        words
    }

    /// Reads the payload words; a count above the limit counts as the limit. Real-time callable.
    pub fn from_words(words: &[u64; CONTACTS_WORDS]) -> Self {
        let mut result = Self::new(words[0], words[1]);
        let count = usize::try_from(words[2]).unwrap_or(MAX_CONTACTS);
        for place in words[FIRST..].chunks_exact(CONTACT_WORDS).take(count) {
            let [distance_m] = take(place, 6);
            result.push(Contact {
                point_m: take(place, 0),
                normal: take(place, 3),
                distance_m,
                body: place[7] as u32,
            });
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contact(first: f64, body: u32) -> Contact {
        Contact {
            point_m: [first, first + 1.0, first + 2.0],
            normal: [first + 3.0, first + 4.0, first + 5.0],
            distance_m: first + 6.0,
            body,
        }
    }

    #[test]
    fn every_field_is_at_its_published_word() {
        let mut contacts = Contacts::new(10, 11);
        contacts.push(contact(3.0, 99));
        contacts.push(contact(11.0, 98));
        let words = contacts.to_words();
        assert_eq!(words.len(), 259);
        assert_eq!(words[..3], [10, 11, 2]);
        for index in [3, 4, 5, 6, 7, 8, 9, 11, 12, 13, 14, 15, 16, 17] {
            assert_eq!(f64::from_bits(words[index]), index as f64);
        }
        assert_eq!((words[10], words[18]), (99, 98));
        assert!(words[19..].iter().all(|word| *word == 0));
        assert_eq!(Contacts::from_words(&words), contacts);
    }

    #[test]
    fn one_more_than_the_limit_is_not_taken() {
        let mut contacts = Contacts::new(1, 1);
        for body in 0..MAX_CONTACTS as u32 {
            assert!(contacts.push(contact(0.0, body)));
        }
        assert!(!contacts.push(contact(0.0, 1000)));
        assert_eq!(contacts.as_slice().len(), MAX_CONTACTS);
        assert_eq!(Contacts::from_words(&contacts.to_words()), contacts);
    }

    #[test]
    fn an_impossible_count_is_taken_for_the_limit() {
        let mut words = Contacts::new(1, 1).to_words();
        for count in [33, u64::MAX] {
            words[2] = count;
            assert_eq!(Contacts::from_words(&words).as_slice().len(), MAX_CONTACTS);
        }
    }
}
