//! loom models of the two slots: what a reader gets whole was written whole, and it carries that
//! value's number.

use super::*;
use crate::loom::sync::{AtomicU64, Ordering};
use ::loom::thread;
use std::sync::Arc;

const ATTEMPTS: u32 = 2;

fn model(orders: Orders) {
    ::loom::model(move || {
        let memory: Arc<[AtomicU64]> = (0..4).map(|_| AtomicU64::new(0)).collect();
        let mut writer = TurnsWriter::new(Arc::clone(&memory), 0, 1).unwrap();
        let reader = TurnsReader::new(memory, 0, 1).unwrap();
        let writing = thread::spawn(move || {
            // The third value returns to the first slot.
            for value in [11, 22, 33] {
                writer.write_with(&[value], orders).unwrap();
            }
        });
        let mut seen = [0];
        if let Ok(number) = reader.read_with(&mut seen, ATTEMPTS, orders) {
            assert_eq!(seen[0], number * 11, "another value was taken for {number}");
        }
        writing.join().unwrap();
        assert_eq!(reader.read_with(&mut seen, ATTEMPTS, orders), Ok(3));
        assert_eq!(seen, [33]);
    });
}

#[test]
fn loom_a_reader_of_two_slots_never_takes_one_value_for_another() {
    model(SOUND);
}

#[test]
#[should_panic(expected = "another value was taken")]
fn loom_mutant_of_two_slots_with_a_relaxed_publish_fails() {
    model(Orders {
        publish: Ordering::Relaxed,
        ..SOUND
    });
}

#[test]
#[should_panic(expected = "another value was taken")]
fn loom_mutant_of_two_slots_without_the_readers_fence_fails() {
    model(Orders {
        check: None,
        ..SOUND
    });
}
