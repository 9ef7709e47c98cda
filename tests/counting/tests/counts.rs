//! What the allocator counts.

use std::hint::black_box;

use hapticd_counting::{Counting, counted};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn taking_resizing_and_giving_back_are_counted() {
    let (mut kept, calls) = counted(|| vec![1_u8; 32]);
    assert_eq!((kept.len(), calls), (32, 1));
    assert_eq!(counted(|| kept.reserve_exact(1000)).1, 1);
    assert_eq!(counted(|| drop(black_box(kept))).1, 1);
    assert_eq!(counted(|| black_box(1) + 1), (2, 0));
}

#[test]
fn other_threads_are_not_counted() {
    use std::sync::atomic::{AtomicU32, Ordering::SeqCst};
    // 0: not yet, 1: allocate now, 2: done.
    let step = AtomicU32::new(0);
    let reach = |from: u32, to: u32| {
        while step.load(SeqCst) != from {
            std::thread::yield_now();
        }
        step.store(to, SeqCst);
    };
    std::thread::scope(|scope| {
        scope.spawn(|| {
            reach(1, 1);
            drop(black_box(vec![1_u8; 32]));
            reach(1, 2);
        });
        let (_, calls) = counted(|| {
            reach(0, 1);
            reach(2, 2);
        });
        assert_eq!(calls, 0);
    });
}
