//! A reader gets the newer value, which stays unchanged while the next one is written.

use super::*;
use crate::loom::sync::{AtomicU64, Ordering};
use proptest::prelude::*;
use std::sync::Arc;

fn zeros(count: usize) -> Arc<[AtomicU64]> {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

type Memory = Arc<[AtomicU64]>;

fn pair(words: usize) -> (TurnsWriter<Memory>, TurnsReader<Memory>) {
    let memory = zeros(3 + 2 * (words + 1));
    (
        TurnsWriter::new(Arc::clone(&memory), 3, words).unwrap(),
        TurnsReader::new(memory, 3, words).unwrap(),
    )
}

#[test]
fn values_of_any_length_are_read_in_turns_with_their_numbers() {
    let (mut writer, reader) = pair(5);
    let empty = Err(ReadSliceError::Read(ReadError::Empty));
    assert_eq!(
        (reader.read_into(&mut [0; 5]), reader.version()),
        (empty, 0)
    );
    for number in 1..=7_u64 {
        let value: Vec<u64> = (0..number % 6).map(|word| word << 32 | number).collect();
        writer.write(&value).unwrap();
        let mut seen = vec![0; value.len()];
        assert_eq!(reader.read_into(&mut seen), Ok(number));
        assert_eq!(seen, value);
        assert_eq!((writer.version(), reader.version()), (number, number));
    }
    let wrong = WrongLength {
        expected: 5,
        given: 6,
    };
    assert_eq!(writer.write(&[0; 6]), Err(wrong));
    assert_eq!(
        reader.read_into(&mut [0; 6]),
        Err(ReadSliceError::Length(wrong))
    );
    assert_eq!(reader.version(), 7);
}

#[test]
fn the_newest_value_is_read_while_the_writer_is_inside_the_other_slot_and_after_it_died_there() {
    let (mut writer, reader) = pair(2);
    writer.write(&[1, 1]).unwrap();
    writer.write(&[2, 2]).unwrap();
    // The writer is inside value 3, which replaces value 1.
    writer.memory()[3].store(3, Ordering::Relaxed);
    writer.memory()[4].store(99, Ordering::Relaxed);
    let mut seen = [0; 2];
    assert_eq!((reader.read_into(&mut seen), seen), (Ok(2), [2, 2]));
    let memory = Arc::clone(writer.memory());
    let mut successor = TurnsWriter::new(memory, 3, 2).unwrap();
    for number in [4_u64, 5] {
        successor.write(&[number, number]).unwrap();
        assert_eq!(
            (reader.read_into(&mut seen), seen),
            (Ok(number), [number; 2])
        );
    }
    // Inside both slots: no whole value is left.
    for word in [3, 6] {
        writer.memory()[word].store(9, Ordering::Relaxed);
    }
    let torn = Err(ReadSliceError::Read(ReadError::Torn));
    assert_eq!(reader.read_into(&mut seen), torn);
}

#[test]
fn memory_that_ends_too_early_is_refused_with_the_sizes() {
    for available in 0..11 {
        let expected = TooSmall {
            needed: 11,
            available,
        };
        let writer = TurnsWriter::new(zeros(available), 3, 3);
        assert_eq!(writer.err(), Some(expected));
        let reader = TurnsReader::new(zeros(available), 3, 3);
        assert_eq!(reader.err(), Some(expected));
    }
    assert!(TurnsWriter::new(zeros(11), 3, 3).is_ok());
    assert!(TurnsReader::new(zeros(11), 3, usize::MAX).is_err());
}

proptest! {
    /// For any content, reading ends and returns no more than requested.
    #[test]
    fn no_words_do_harm(words in prop::collection::vec(any::<u64>(), 8..16), asked in 0_usize..4) {
        let memory: Arc<[AtomicU64]> = words.into_iter().map(AtomicU64::new).collect();
        let reader = TurnsReader::new(memory, 0, 3).unwrap();
        let _ = reader.read_into(&mut vec![0; asked]);
    }
}
