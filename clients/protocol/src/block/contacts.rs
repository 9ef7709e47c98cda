//! Block of one arm's contacts, published in every tick.

use super::list::ListHeader;
use super::words::{Placed, words};
use crate::MAX_CONTACTS;

/// Number of words before the first contact.
const FIRST: usize = ListHeader::WORDS;
/// Number of words of the payload.
pub const CONTACTS_WORDS: usize = FIRST + MAX_CONTACTS * Contact::WORDS;

words! {
    /// One contact. Words are counted from the first word of the contact.
    pub struct Contact in 11 words {
        /// Point on the body's surface, world frame, m.
        point_m: [f64; 3] = word 0;
        /// Unit normal from the body to the tool, world frame.
        normal: [f64; 3] = word 3;
        /// Distance between the surfaces along the normal, m; positive, since they never overlap.
        distance_m: f64 = word 6;
        /// Identity of the body. For the tool of arm `k` it is `u32::MAX - k`, which no body has.
        body: u32 = word 7;
        /// Force of the body on the hand through the tool, N, world frame: this contact's share of
        /// what is sent to the arm. The shares add up to
        /// [`ArmState::force_n`](crate::block::ArmState::force_n) of the same tick where a contact
        /// holds the tool, unless a needle does so, too.
        force_n: [f64; 3] = word 8;
    }
}

impl Contact {
    /// A placeholder.
    pub const NONE: Self = Self {
        point_m: [0.0; 3],
        normal: [0.0; 3],
        distance_m: 0.0,
        body: 0,
        force_n: [0.0; 3],
    };
}

/// Payload of the block: contacts of an arm. First a [`ListHeader`], then the contacts.
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
        let header = ListHeader {
            tick: self.tick,
            time_ns: self.time_ns,
            count: self.count as u64,
        };
        header.put(&mut words, 0, 0);
        for (index, contact) in self.as_slice().iter().enumerate() {
            contact.put(&mut words, FIRST + index * Contact::WORDS, 0);
        }
        words
    }

    /// Reads the payload words; a count above the limit counts as the limit. Real-time callable.
    pub fn from_words(words: &[u64; CONTACTS_WORDS]) -> Self {
        let header = ListHeader::take(words, 0, 0);
        let mut result = Self::new(header.tick, header.time_ns);
        for index in 0..header.count(MAX_CONTACTS) {
            result.push(Contact::take(words, FIRST + index * Contact::WORDS, 0));
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
            force_n: [first + 8.0, first + 9.0, first + 10.0],
        }
    }

    #[test]
    fn every_field_is_at_its_published_word() {
        let mut contacts = Contacts::new(10, 11);
        contacts.push(contact(3.0, 99));
        contacts.push(contact(14.0, 98));
        let words = contacts.to_words();
        assert_eq!(words.len(), 355);
        assert_eq!(words[..3], [10, 11, 2]);
        for index in (3..10).chain(11..21).chain(22..25) {
            assert_eq!(f64::from_bits(words[index]), index as f64);
        }
        assert_eq!((words[10], words[21]), (99, 98));
        assert!(words[25..].iter().all(|word| *word == 0));
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
