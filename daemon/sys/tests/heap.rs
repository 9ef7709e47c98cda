//! The allocator with a lock that inherits priority: its memory is usable, and no urgent thread
//! waits for a thread without a processor.

use std::alloc::{GlobalAlloc, Layout};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use hapticd_sys::heap::{Heap, Inheriting, LARGE_BYTES};
use hapticd_sys::realtime::priority::request_fifo;
use rustix::thread::{CpuSet, sched_setaffinity};
use rustix::time::{ClockId, clock_gettime};

#[global_allocator]
static HEAP: Heap = Heap;

/// Pins this thread to the first processor, at this priority.
fn pinned(priority: u8) {
    let mut first = CpuSet::new();
    first.set(0);
    sched_setaffinity(None, &first).expect("every process may choose among its processors");
    let step = request_fifo(priority);
    assert!(
        step.is_granted(),
        "this test needs real-time priorities: {step:?}"
    );
}

/// One processor. A thread of low priority holds the lock, one of middle priority holds the
/// processor, and one of high priority wants the lock.
#[test]
fn the_holder_of_the_lock_inherits_the_priority_of_the_most_urgent_waiter() {
    struct Stage {
        lock: Inheriting,
        is_held: AtomicBool,
        is_busy: AtomicBool,
        was_got: AtomicBool,
    }
    let stage = Arc::new(Stage {
        lock: Inheriting::new(),
        is_held: AtomicBool::new(false),
        is_busy: AtomicBool::new(false),
        was_got: AtomicBool::new(false),
    });
    let low = thread::spawn({
        let stage = stage.clone();
        move || {
            pinned(1);
            let _held = stage.lock.lock();
            stage.is_held.store(true, Ordering::Release);
            // Not before the other thread has taken the processor away.
            while !stage.is_busy.load(Ordering::Acquire) {
                std::hint::spin_loop();
            }
        }
    });
    while !stage.is_held.load(Ordering::Acquire) {
        thread::yield_now();
    }
    let (want, wanted) = std::sync::mpsc::channel();
    let high = thread::spawn({
        let stage = stage.clone();
        move || {
            pinned(20);
            wanted.recv().unwrap();
            let _held = stage.lock.lock();
            stage.was_got.store(true, Ordering::Release);
        }
    });
    let middle = thread::spawn(move || {
        pinned(10);
        stage.is_busy.store(true, Ordering::Release);
        want.send(()).unwrap();
        // Its processor time: if the low thread were not lifted above it, it would end without
        // interruption.
        let used = || Duration::try_from(clock_gettime(ClockId::ThreadCPUTime)).unwrap();
        let start = used();
        while !stage.was_got.load(Ordering::Acquire) {
            if used() - start > Duration::from_secs(2) {
                return false;
            }
        }
        true
    });
    assert!(
        middle.join().unwrap(),
        "the lock stayed with a thread that could not run"
    );
    low.join().unwrap();
    high.join().unwrap();
}

#[test]
fn pieces_of_every_size_keep_what_is_in_them() {
    const SIZES: [usize; 10] = [
        1,
        16,
        100,
        4096,
        5000,
        100_000,
        LARGE_BYTES - 1,
        LARGE_BYTES,
        LARGE_BYTES + 1,
        5 * LARGE_BYTES,
    ];
    for align in [1, 16, 64, 4096, 1 << 16] {
        for (from, to) in SIZES
            .into_iter()
            .flat_map(|from| SIZES.map(|to| (from, to)))
        {
            let layout = Layout::from_size_align(from, align).unwrap();
            let grown = Layout::from_size_align(to, align).unwrap();
            // SAFETY: sizes are not zero; every block is used within its size and freed once, with
            // its own layout.
            unsafe {
                let piece = HEAP.alloc_zeroed(layout);
                assert!(!piece.is_null() && piece.addr().is_multiple_of(align));
                let bytes = std::slice::from_raw_parts_mut(piece, from);
                assert!(bytes.iter().all(|b| *b == 0), "{from}, {align}");
                for (k, b) in bytes.iter_mut().enumerate() {
                    *b = (k % 251) as u8;
                }
                let piece = HEAP.realloc(piece, layout, to);
                assert!(!piece.is_null() && piece.addr().is_multiple_of(align));
                let kept = std::slice::from_raw_parts(piece, from.min(to));
                assert!(kept.iter().enumerate().all(|(k, b)| *b == (k % 251) as u8));
                piece.write_bytes(0xff, to);
                HEAP.dealloc(piece, grown);
            }
        }
    }
}

/// Without the lock, two threads would sooner or later write into each other's blocks.
#[test]
fn threads_that_free_what_others_allocated_do_not_disturb_each_other() {
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..4)
        .map(|_| std::sync::mpsc::sync_channel::<Vec<usize>>(64))
        .unzip();
    let threads: Vec<_> = receivers
        .into_iter()
        .enumerate()
        .map(|(mine, pieces)| {
            let next = senders[(mine + 1) % senders.len()].clone();
            thread::spawn(move || {
                for round in 0..20_000_usize {
                    let piece = vec![round; 1 + round * 7 % 300];
                    if next.send(piece).is_err() {
                        break;
                    }
                    let theirs = pieces.recv().unwrap();
                    assert!(theirs.len() == 1 + theirs[0] * 7 % 300);
                    assert!(theirs.iter().all(|v| *v == theirs[0]));
                }
            })
        })
        .collect();
    drop(senders);
    threads.into_iter().for_each(|t| t.join().unwrap());
}

#[test]
fn what_the_machine_does_not_have_is_refused() {
    let mut bytes = Vec::<u8>::new();
    assert!(bytes.try_reserve_exact(1 << 47).is_err());
    bytes.extend_from_slice(&[1; LARGE_BYTES]);
    assert!(bytes.try_reserve_exact(1 << 47).is_err());
    assert!(bytes.iter().all(|b| *b == 1));
}
