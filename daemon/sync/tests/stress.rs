//! Real threads on real hardware, bounded by counts, never by time. ThreadSanitizer runs these too.
#![cfg(not(loom))]

use hapticd_sync::{
    latest::latest,
    ring::ring,
    seqlock::{
        self, ReadError,
        slice::{ReadSliceError, slice_seqlock},
    },
};
use std::thread;

const ROUNDS: u64 = 200_000;

#[test]
fn seqlock_readers_see_whole_values_in_order() {
    const N: usize = 24;
    let (mut writer, reader) = seqlock::seqlock::<N>();
    thread::scope(|scope| {
        for _ in 0..2 {
            let reader = reader.clone();
            scope.spawn(move || {
                let mut newest = 0;
                loop {
                    match reader.read() {
                        Ok((version, words)) => {
                            assert!(
                                words.iter().all(|word| *word == version),
                                "torn value {words:?} taken as version {version}"
                            );
                            assert!(version >= newest, "version {version} after {newest}");
                            newest = version;
                            if version == ROUNDS {
                                break;
                            }
                        }
                        Err(ReadError::Empty | ReadError::Torn) => thread::yield_now(),
                    }
                }
            });
        }
        for version in 1..=ROUNDS {
            writer.write(&[version; N]);
        }
    });
}

#[test]
fn readers_of_values_of_any_length_see_whole_values_in_order() {
    // From a single word to a value that takes long enough to write for readers to meet the writer
    // inside.
    for (words, rounds) in [(1, ROUNDS), (30, ROUNDS / 2), (3000, ROUNDS / 100)] {
        let (mut writer, reader) = slice_seqlock(words);
        thread::scope(|scope| {
            for _ in 0..2 {
                let reader = reader.clone();
                scope.spawn(move || {
                    let (mut newest, mut value) = (0, vec![0; words]);
                    while newest < rounds {
                        match reader.read_into(&mut value) {
                            Ok(version) => {
                                let torn = value.iter().find(|word| **word != version);
                                assert_eq!(torn, None, "in a value taken as version {version}");
                                assert!(version >= newest, "version {version} after {newest}");
                                newest = version;
                            }
                            Err(ReadSliceError::Read(_)) => thread::yield_now(),
                            Err(error) => panic!("{error}"),
                        }
                    }
                });
            }
            let mut value = vec![0; words];
            for version in 1..=rounds {
                value.fill(version);
                writer.write(&value).unwrap();
            }
        });
    }
}

#[test]
fn latest_gives_whole_values_in_order_and_the_last_one_in_the_end() {
    let (mut writer, mut reader) = latest([0_u64; 16]);
    thread::scope(|scope| {
        scope.spawn(move || {
            let mut newest = 0;
            while newest < ROUNDS {
                let (value, new) = reader.read();
                assert!(
                    value.iter().all(|word| *word == value[0]),
                    "torn value {value:?}"
                );
                assert!(
                    if new {
                        value[0] > newest
                    } else {
                        value[0] == newest
                    },
                    "{} after {newest}, new: {new}",
                    value[0]
                );
                newest = value[0];
                if !new {
                    thread::yield_now();
                }
            }
        });
        for round in 1..=ROUNDS {
            writer.write([round; 16]);
        }
    });
}

#[test]
fn ring_delivers_everything_once_in_order_apart_from_what_it_counted() {
    let (mut producer, mut consumer) = ring(64);
    thread::scope(|scope| {
        let popping = scope.spawn(move || {
            let (mut popped, mut newest) = (0, 0);
            loop {
                let last_look = consumer.is_abandoned();
                while let Some(value) = consumer.pop() {
                    assert!(value > newest, "{value} after {newest}");
                    newest = value;
                    popped += 1;
                }
                if last_look {
                    return popped;
                }
                thread::yield_now();
            }
        });
        let mut refused = 0;
        for value in 1..=ROUNDS {
            if let Err(back) = producer.push(value) {
                assert_eq!(back, value);
                refused += 1;
            }
        }
        assert_eq!(producer.dropped(), refused);
        drop(producer);
        assert_eq!(popping.join().unwrap() + refused, ROUNDS);
    });
}
