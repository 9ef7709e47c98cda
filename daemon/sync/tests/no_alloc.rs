//! Nothing here allocates or frees after construction: counted by the test binary's own allocator, on this thread, while armed.
#![cfg(not(loom))]

use hapticd_sync::{latest::latest, ring::ring, seqlock::seqlock};
use std::{
    alloc::{GlobalAlloc, Layout, System},
    cell::Cell,
};

struct Counting;

thread_local! {
    static ARMED: Cell<bool> = const { Cell::new(false) };
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // `try_with`: an allocation during thread teardown is not ours to count.
    let _ = ARMED.try_with(|armed| {
        if armed.get() {
            let _ = COUNT.try_with(|count| count.set(count.get() + 1));
        }
    });
}

// SAFETY: every method forwards its arguments unchanged to the system allocator; counting touches only const-initialised thread
// locals without destructors, so it neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: the caller's promise about `layout`, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        // SAFETY: the caller's promise about `pointer` and `layout`, passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn allocations(f: impl FnOnce()) -> u64 {
    COUNT.set(0);
    ARMED.set(true);
    f();
    ARMED.set(false);
    COUNT.get()
}

#[test]
fn the_counter_sees_an_allocation() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1]))) >= 2);
}

#[test]
fn reading_and_writing_never_allocate() {
    let (mut lock_writer, lock_reader) = seqlock::<40>();
    let (mut mail_writer, mut mail_reader) = latest([0_u64; 40]);
    let (mut producer, mut consumer) = ring::<[u64; 8]>(4);
    let counted = allocations(|| {
        for round in 0..10_000 {
            lock_writer.write(&[round; 40]);
            assert_eq!(
                lock_reader.read().map(|(version, _)| version),
                Ok(round + 1)
            );
            mail_writer.write([round; 40]);
            assert!(mail_reader.update());
            // Fills, overflows, drains and underflows in turn.
            if round % 16 < 8 {
                let _ = producer.push([round; 8]);
            } else {
                let _ = consumer.pop();
            }
        }
    });
    assert_eq!(counted, 0);
    assert!(producer.dropped() > 0);
}
