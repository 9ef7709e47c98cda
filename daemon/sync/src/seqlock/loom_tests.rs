//! loom models of the seqlock: no reader ever takes a mixture of two writes for a whole value.
//!
//! The writer writes two values, each with all words equal; a reader that runs at the same time may
//! get either, or an error, but never words that differ. Each of the four orderings has a mutant
//! twin.

use super::*;
use ::loom::{sync::Arc, thread};

const WORDS: usize = 2;
/// Enough for a reader to meet the writer and try again; more only multiplies the interleavings.
const ATTEMPTS: u32 = 2;

fn read(block: &Block, words: &mut [u64; WORDS], orders: Orders) -> Result<u64, ReadError> {
    let (sequence, payload) = (std::slice::from_ref(&block.sequence), &block.payload);
    load(
        &Word::slice(sequence)[0],
        Word::slice(payload),
        words,
        ATTEMPTS,
        orders,
    )
}

struct Block {
    sequence: AtomicU64,
    payload: [AtomicU64; WORDS],
}

fn model(orders: Orders) {
    ::loom::model(move || {
        let block = Arc::new(Block {
            sequence: AtomicU64::new(0),
            payload: [AtomicU64::new(0), AtomicU64::new(0)],
        });
        let shared = Arc::clone(&block);
        let writer = thread::spawn(move || {
            store(&shared.sequence, &shared.payload, 1, &[11; WORDS], orders);
            store(&shared.sequence, &shared.payload, 2, &[22; WORDS], orders);
        });
        let mut words = [0; WORDS];
        if let Ok(version) = read(&block, &mut words, orders) {
            assert_eq!(
                words,
                [version * 11; WORDS],
                "a mixture was taken for value {version}"
            );
        }
        writer.join().unwrap();
        assert_eq!(read(&block, &mut words, orders), Ok(2));
        assert_eq!(words, [22; WORDS]);
    });
}

#[test]
fn loom_a_reader_never_takes_a_mixture_for_a_value() {
    model(SOUND);
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_without_the_writers_fence_fails() {
    model(Orders {
        enter: None,
        ..SOUND
    });
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_with_a_relaxed_publish_fails() {
    model(Orders {
        publish: Ordering::Relaxed,
        ..SOUND
    });
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_with_a_relaxed_first_look_fails() {
    model(Orders {
        begin: Ordering::Relaxed,
        ..SOUND
    });
}

#[test]
#[should_panic(expected = "a mixture was taken")]
fn loom_mutant_without_the_readers_fence_fails() {
    model(Orders {
        check: None,
        ..SOUND
    });
}
