//! For tests: an allocator that counts its calls, on one thread, while a closure runs.
//!
//! ```
//! use hapticd_counting::{Counting, counted};
//!
//! #[global_allocator]
//! static ALLOCATOR: Counting = Counting;
//!
//! let mut numbers = Vec::with_capacity(1);
//! assert_eq!(counted(|| numbers.push(1)).1, 0);
//! assert_eq!(counted(|| numbers.push(2)).1, 1);
//! ```

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, with a counter. To be the `#[global_allocator]` of a test.
pub struct Counting;

thread_local! {
    static BYTES: Cell<i64> = const { Cell::new(0) };
    static PEAK: Cell<i64> = const { Cell::new(0) };
    static ARMED: Cell<bool> = const { Cell::new(false) };
    static CALLS: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // `try_with`: an allocation while a thread ends is not one that is watched.
    let _ = ARMED.try_with(|armed| {
        if armed.get() {
            let _ = CALLS.try_with(|calls| calls.set(calls.get() + 1));
        }
    });
}

fn weigh(bytes: i64) {
    let _ = ARMED.try_with(|armed| {
        if armed.get() {
            let now = BYTES.get() + bytes;
            BYTES.set(now);
            PEAK.set(PEAK.get().max(now));
        }
    });
}

// SAFETY: every method hands its arguments unchanged to the system's allocator; counting touches
// only const-initialised thread locals without destructors, so it neither allocates nor unwinds.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        weigh(layout.size() as i64);
        // SAFETY: the caller's promise about `layout`, passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        count();
        weigh(-(layout.size() as i64));
        // SAFETY: the caller's promise about `pointer` and `layout`, passed on: `alloc` and
        // `realloc` are the system's too.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        weigh(size as i64 - layout.size() as i64);
        // SAFETY: as in `dealloc`, and the caller's promise about `size`.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// Runs `f` and says how often it called the allocator on this thread, to take memory, to give it
/// back or to resize it.
///
/// # Panics
/// If [`Counting`] is not the global allocator: then nothing would be counted, and every test would
/// pass.
pub fn counted<T>(f: impl FnOnce() -> T) -> (T, u64) {
    let (_, planted) = watched(|| drop(std::hint::black_box(Box::new(1))));
    assert!(planted > 0, "`Counting` is not the #[global_allocator]");
    watched(f)
}

/// Bytes that a closure took and did not give back, on its own thread.
#[derive(Clone, Copy, Debug)]
pub struct Held {
    /// At its end.
    pub now: i64,
    /// At most.
    pub peak: i64,
}

/// Runs `f` and says how much memory it holds then, in what it returns.
///
/// # Panics
/// As [`counted`].
pub fn held<T>(f: impl FnOnce() -> T) -> (T, Held) {
    counted(|| ());
    BYTES.set(0);
    PEAK.set(0);
    let (value, _) = watched(f);
    let held = Held {
        now: BYTES.get(),
        peak: PEAK.get(),
    };
    (value, held)
}

fn watched<T>(f: impl FnOnce() -> T) -> (T, u64) {
    CALLS.set(0);
    ARMED.set(true);
    let value = f();
    ARMED.set(false);
    (value, CALLS.get())
}
