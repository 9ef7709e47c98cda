//! loom models of the lock of any length: what a reader gets whole was written whole, in order, for
//! values of one and of several words.
//!
//! They go through [`SliceWriter`] and [`SliceReader`] themselves. Each of the four orderings has a
//! mutant twin.

use super::*;
use crate::loom::sync::{AtomicU64, Ordering};
use ::loom::thread;
use std::sync::Arc;

/// Enough for a reader to meet the writer and try again; more only multiplies the interleavings.
const ATTEMPTS: u32 = 2;

fn model(words: usize, orders: Orders) {
    ::loom::model(move || {
        let memory: Arc<[AtomicU64]> = (0..=words).map(|_| AtomicU64::new(0)).collect();
        let mut writer = SliceWriter::new(Arc::clone(&memory), 0, words).unwrap();
        let reader = SliceReader::new(memory, 0, words).unwrap();
        let writing = thread::spawn(move || {
            for value in [11, 22] {
                writer.write_with(&vec![value; words], orders).unwrap();
            }
        });
        let mut seen = vec![0; words];
        if let Ok(version) = reader.read_with(&mut seen, ATTEMPTS, orders) {
            assert_eq!(
                seen,
                vec![version * 11; words],
                "a mixture was taken for value {version}"
            );
        }
        writing.join().unwrap();
        assert_eq!(reader.read_with(&mut seen, ATTEMPTS, orders), Ok(2));
        assert_eq!(seen, vec![22; words]);
    });
}

#[test]
fn loom_a_reader_never_takes_a_mixture_for_a_value_of_any_length() {
    for words in [1, 2] {
        model(words, SOUND);
    }
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_of_any_length_without_the_writers_fence_fails() {
    model(
        2,
        Orders {
            enter: None,
            ..SOUND
        },
    );
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_of_any_length_with_a_relaxed_publish_fails() {
    model(
        2,
        Orders {
            publish: Ordering::Relaxed,
            ..SOUND
        },
    );
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_of_any_length_with_a_relaxed_first_look_fails() {
    model(
        2,
        Orders {
            begin: Ordering::Relaxed,
            ..SOUND
        },
    );
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_of_any_length_without_the_readers_fence_fails() {
    model(
        2,
        Orders {
            check: None,
            ..SOUND
        },
    );
}
