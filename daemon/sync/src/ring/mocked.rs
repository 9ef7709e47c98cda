//! `ringbuf`'s algorithm on loom's atomics, with the same orderings (`rb/shared.rs`,
//! `wrap/caching.rs`): two counters, each written by one end and cached by the other, and a flag
//! for each end.

use crate::loom::cell::UnsafeCell;
use crate::loom::sync::{Arc, AtomicBool, AtomicUsize, Ordering};

/// Ordering of both counter stores. A model may weaken it.
pub(crate) const PUBLISH: Ordering = Ordering::Release;

struct Shared<T> {
    cells: Vec<UnsafeCell<Option<T>>>,
    read: AtomicUsize,
    write: AtomicUsize,
    read_held: AtomicBool,
    write_held: AtomicBool,
    publish: Ordering,
}

// SAFETY: a cell belongs to the producer outside of `read..write` and to the consumer inside; loom
// checks it.
unsafe impl<T: Send> Sync for Shared<T> {}
// SAFETY: see above.
unsafe impl<T: Send> Send for Shared<T> {}

/// The ring before it is split.
pub(crate) struct HeapRb<T>(Shared<T>);

/// The pushing end.
pub(crate) struct HeapProd<T> {
    shared: Arc<Shared<T>>,
    write: usize,
    read: usize,
}

/// The popping end.
pub(crate) struct HeapCons<T> {
    shared: Arc<Shared<T>>,
    read: usize,
    write: usize,
}

impl<T: Send> HeapRb<T> {
    pub(crate) fn new(capacity: usize) -> Self {
        Self::ordered(capacity, PUBLISH)
    }

    pub(crate) fn ordered(capacity: usize, publish: Ordering) -> Self {
        HeapRb(Shared {
            cells: (0..capacity).map(|_| UnsafeCell::new(None)).collect(),
            read: AtomicUsize::new(0),
            write: AtomicUsize::new(0),
            read_held: AtomicBool::new(true),
            write_held: AtomicBool::new(true),
            publish,
        })
    }

    pub(crate) fn split(self) -> (HeapProd<T>, HeapCons<T>) {
        let shared = Arc::new(self.0);
        let producer = HeapProd {
            shared: Arc::clone(&shared),
            write: 0,
            read: 0,
        };
        let consumer = HeapCons {
            shared,
            read: 0,
            write: 0,
        };
        (producer, consumer)
    }
}

impl<T> Shared<T> {
    fn cell(&self, at: usize) -> &UnsafeCell<Option<T>> {
        &self.cells[at % self.cells.len()]
    }
}

impl<T> HeapProd<T> {
    pub(crate) fn try_push(&mut self, value: T) -> Result<(), T> {
        let capacity = self.shared.cells.len();
        if self.write - self.read == capacity {
            self.read = self.shared.read.load(Ordering::Acquire);
        }
        if self.write - self.read == capacity {
            return Err(value);
        }
        // SAFETY: the cell is outside the range that the consumer may take.
        let put = |cell: *mut Option<T>| unsafe { *cell = Some(value) };
        self.shared.cell(self.write).with_mut(put);
        self.write += 1;
        self.shared.write.store(self.write, self.shared.publish);
        Ok(())
    }

    pub(crate) fn capacity(&self) -> std::num::NonZeroUsize {
        self.shared.cells.len().try_into().expect("at least 1")
    }

    pub(crate) fn read_is_held(&self) -> bool {
        self.shared.read_held.load(Ordering::Acquire)
    }
}

impl<T> Drop for HeapProd<T> {
    fn drop(&mut self) {
        self.shared.write_held.swap(false, Ordering::AcqRel);
    }
}

impl<T> HeapCons<T> {
    pub(crate) fn try_pop(&mut self) -> Option<T> {
        if self.read == self.write {
            self.write = self.shared.write.load(Ordering::Acquire);
        }
        if self.read == self.write {
            return None;
        }
        // SAFETY: the cell is inside the published range.
        let take = |cell: *mut Option<T>| unsafe { (*cell).take() };
        let value = self.shared.cell(self.read).with_mut(take);
        self.read += 1;
        self.shared.read.store(self.read, self.shared.publish);
        value
    }

    pub(crate) fn occupied_len(&self) -> usize {
        self.shared.write.load(Ordering::Acquire) - self.read
    }

    pub(crate) fn capacity(&self) -> std::num::NonZeroUsize {
        self.shared.cells.len().try_into().expect("at least 1")
    }

    pub(crate) fn write_is_held(&self) -> bool {
        self.shared.write_held.load(Ordering::Acquire)
    }
}

impl<T> Drop for HeapCons<T> {
    fn drop(&mut self) {
        self.shared.read_held.swap(false, Ordering::AcqRel);
    }
}
