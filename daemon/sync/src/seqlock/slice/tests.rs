//! The lock of any length behaves as the lock of fixed length, except for lengths that do not fit.

use super::{
    super::{Local, Reader, Writer},
    *,
};
use crate::loom::sync::{AtomicU64, Ordering};
use proptest::prelude::*;
use std::sync::Arc;

fn zeros(count: usize) -> Local {
    (0..count).map(|_| AtomicU64::new(0)).collect()
}

fn contents(memory: &Local) -> Vec<u64> {
    memory
        .iter()
        .map(|word| word.load(Ordering::Relaxed))
        .collect()
}

const EMPTY: ReadSliceError = ReadSliceError::Read(ReadError::Empty);

#[test]
fn a_reader_gets_the_newest_value_and_its_version() {
    for words in [0, 1, 7, 1000] {
        let (mut writer, reader) = slice_seqlock(words);
        let mut seen = vec![9; words];
        assert_eq!(
            (reader.read_into(&mut seen), reader.version()),
            (Err(EMPTY), 0)
        );
        for version in 1..=3 {
            let value: Vec<u64> = (0..words as u64).map(|word| word << 32 | version).collect();
            assert_eq!(writer.write(&value), Ok(()));
            assert_eq!(reader.read_into(&mut seen), Ok(version));
            assert_eq!(seen, value);
            assert_eq!((writer.version(), reader.version()), (version, version));
        }
        assert_eq!(reader.words(), words);
    }
}

#[test]
fn another_length_is_refused_with_both_and_nothing_is_touched() {
    let memory = zeros(5);
    let mut writer = SliceWriter::new(Arc::clone(&memory), 1, 3).unwrap();
    writer.write(&[1, 2, 3]).unwrap();
    let before = contents(&memory);
    let reader = SliceReader::new(Arc::clone(&memory), 1, 3).unwrap();
    for given in [0, 2, 4] {
        let wrong = WrongLength { expected: 3, given };
        assert_eq!(writer.write(&vec![7; given]), Err(wrong));
        let mut words = vec![9; given];
        assert_eq!(
            reader.read_into(&mut words),
            Err(ReadSliceError::Length(wrong))
        );
        assert_eq!(words, vec![9; given]);
    }
    assert_eq!((contents(&memory), writer.version()), (before, 1));
    let text = WrongLength {
        expected: 3,
        given: 4,
    };
    assert_eq!(
        text.to_string(),
        "the slice has 4 words and a value of this lock 3"
    );
}

#[test]
fn memory_that_ends_too_early_is_refused_with_the_sizes() {
    let refused = TooSmall {
        needed: 6,
        available: 5,
    };
    assert_eq!(SliceWriter::new(zeros(5), 2, 3).unwrap_err(), refused);
    assert_eq!(SliceReader::new(zeros(5), 2, 3).unwrap_err(), refused);
    for (first, words) in [(usize::MAX, 0), (0, usize::MAX), (6, 0)] {
        assert!(SliceReader::new(zeros(5), first, words).is_err());
        assert!(SliceWriter::new(zeros(5), first, words).is_err());
    }
}

#[test]
fn a_writer_that_died_inside_is_reported_and_its_successor_repairs_it() {
    let memory = zeros(3);
    let mut writer = SliceWriter::new(Arc::clone(&memory), 0, 2).unwrap();
    writer.write(&[1, 1]).unwrap();
    memory[0].store(3, Ordering::Relaxed);
    let reader = SliceReader::new(Arc::clone(&memory), 0, 2).unwrap();
    let mut words = [0; 2];
    assert_eq!(
        reader.read_into(&mut words),
        Err(ReadSliceError::Read(ReadError::Torn))
    );
    let mut successor = SliceWriter::new(memory, 0, 2).unwrap();
    successor.write(&[2, 2]).unwrap();
    assert!(reader.read_into(&mut words).unwrap() > 1);
    assert_eq!(words, [2, 2]);
}

proptest! {
    /// Both locks leave the same memory behind, and each reads what the other wrote.
    #[test]
    fn it_is_the_lock_of_fixed_length(values in prop::collection::vec(any::<[u64; 5]>(), 1..6), first in 0_usize..3) {
        let (one, other) = (zeros(10), zeros(10));
        let mut fixed = Writer::<_, 5>::new(Arc::clone(&one), first).unwrap();
        let mut any_length = SliceWriter::new(Arc::clone(&other), first, 5).unwrap();
        for (value, version) in values.iter().zip(1..) {
            fixed.write(value);
            any_length.write(value).unwrap();
            prop_assert_eq!(contents(&one), contents(&other));
            let mut words = [0; 5];
            let reader = SliceReader::new(Arc::clone(&one), first, 5).unwrap();
            prop_assert_eq!(reader.read_into(&mut words), Ok(version));
            prop_assert_eq!(&words, value);
            prop_assert_eq!(Reader::<_, 5>::new(Arc::clone(&other), first).unwrap().read(), Ok((version, *value)));
        }
    }
}
