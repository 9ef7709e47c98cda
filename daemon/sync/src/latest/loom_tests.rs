//! loom models of the mailbox: no cell is ever touched from two sides at once, and what the reader
//! gets was written whole, in order.
//!
//! loom's `UnsafeCell` itself reports an access that is not ordered after the previous owner's, so
//! the mutants fail by its causality check.

use super::*;
use ::loom::thread;

fn write(writer: &mut Writer<[u64; 2]>, value: u64, order: Ordering) {
    writer.shared.cell(writer.own).with_mut(|cell| {
        // SAFETY: as in `Writer::overwrite`; loom checks it.
        unsafe { *cell = [value; 2] };
    });
    writer.hand_over(order);
}

fn read(reader: &mut Reader<[u64; 2]>, order: Ordering) -> [u64; 2] {
    if reader.shared.middle.load(Ordering::Relaxed) & FRESH != 0 {
        reader.hand_over(order);
    }
    // SAFETY: as in `Reader::get`; loom checks it.
    reader.shared.cell(reader.own).with(|cell| unsafe { *cell })
}

fn model(writers_order: Ordering, readers_order: Ordering) {
    ::loom::model(move || {
        let (mut writer, mut reader) = latest([0; 2]);
        let writing = thread::spawn(move || {
            for value in 1..=3 {
                write(&mut writer, value, writers_order);
            }
        });
        let mut newest = 0;
        for _ in 0..2 {
            let [a, b] = read(&mut reader, readers_order);
            assert_eq!(a, b, "a value was read half-written");
            assert!(a >= newest, "an older value came after a newer one");
            newest = a;
        }
        writing.join().unwrap();
        assert_eq!(
            read(&mut reader, readers_order),
            [3; 2],
            "the newest value is there in the end"
        );
    });
}

#[test]
fn loom_the_reader_gets_whole_values_in_order_and_the_newest_in_the_end() {
    model(HAND_OVER, HAND_OVER);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn loom_mutant_where_the_writer_does_not_release_fails() {
    model(Ordering::Acquire, HAND_OVER);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn loom_mutant_where_the_writer_does_not_acquire_fails() {
    model(Ordering::Release, HAND_OVER);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn loom_mutant_where_the_reader_does_not_acquire_fails() {
    model(HAND_OVER, Ordering::Release);
}

#[test]
#[should_panic(expected = "Causality violation")]
fn loom_mutant_where_the_reader_does_not_release_fails() {
    model(HAND_OVER, Ordering::Acquire);
}
