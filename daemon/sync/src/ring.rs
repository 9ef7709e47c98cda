//! A bounded first-in-first-out ring between two threads: one pushes, the other pops, and values
//! that do not fit are counted.
//!
//! * **Both sides wait-free**; RT-callable. Allocates once, in [`ring`]. No waiting, no waking: the
//!   consumer polls.
//! * **Full**: [`Producer::push`] gives the value back and counts it. Nothing in the ring is
//!   overwritten.
//! * **Empty**: [`Consumer::pop`] returns `None`.
//! * The last end to be dropped frees the memory and drops the remaining values: this must not
//!   happen on the real-time thread.
//!
//! The ring itself is `ringbuf`'s. The daemon uses it only through these two types, so it can be
//! replaced in one place.

#[cfg(loom)]
pub(crate) mod mocked;

#[cfg(loom)]
use mocked::{HeapCons, HeapProd, HeapRb};
#[cfg(not(loom))]
use ringbuf::{
    HeapCons, HeapProd, HeapRb,
    traits::{Consumer as _, Observer as _, Producer as _, Split as _},
};
use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

/// Makes a ring for `capacity` values (at least 1). Allocates once.
pub fn ring<T: Send>(capacity: usize) -> (Producer<T>, Consumer<T>) {
    ends(HeapRb::new(capacity.max(1)))
}

pub(crate) fn ends<T: Send>(inner: HeapRb<T>) -> (Producer<T>, Consumer<T>) {
    let (inner_producer, inner_consumer) = inner.split();
    let dropped = Arc::new(AtomicU64::new(0));
    (
        Producer {
            inner: inner_producer,
            dropped: Arc::clone(&dropped),
        },
        Consumer {
            inner: inner_consumer,
            dropped,
        },
    )
}

/// The pushing end.
pub struct Producer<T> {
    inner: HeapProd<T>,
    dropped: Arc<AtomicU64>,
}

impl<T> Producer<T> {
    /// Appends `value`. Wait-free.
    ///
    /// # Errors
    /// When the ring is full the value comes back and is counted in [`dropped`](Self::dropped).
    #[inline]
    pub fn push(&mut self, value: T) -> Result<(), T> {
        let result = self.inner.try_push(value);
        if result.is_err() {
            // Relaxed: a count for people to read; it orders nothing.
            self.dropped.fetch_add(1, Ordering::Relaxed);
        }
        result
    }

    /// Number of values that did not fit since the ring was made.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Most values that the ring holds.
    pub fn capacity(&self) -> usize {
        self.inner.capacity().get()
    }

    /// Whether the consumer is gone: no value will be popped again.
    pub fn is_abandoned(&self) -> bool {
        !self.inner.read_is_held()
    }
}

impl<T> std::fmt::Debug for Producer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Producer")
            .field("capacity", &self.capacity())
            .field("dropped", &self.dropped())
            .finish()
    }
}

/// The popping end.
pub struct Consumer<T> {
    inner: HeapCons<T>,
    dropped: Arc<AtomicU64>,
}

impl<T> Consumer<T> {
    /// Takes the oldest value; `None` if the ring is empty. Wait-free.
    #[inline]
    pub fn pop(&mut self) -> Option<T> {
        self.inner.try_pop()
    }

    /// Number of waiting values; more may come at any time. Wait-free.
    pub fn waiting(&self) -> usize {
        self.inner.occupied_len()
    }

    /// Number of values that did not fit since the ring was made.
    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Most values that the ring holds.
    pub fn capacity(&self) -> usize {
        self.inner.capacity().get()
    }

    /// Whether the producer is gone. If [`pop`](Self::pop) returns `None` after this was true, the
    /// ring stays empty.
    pub fn is_abandoned(&self) -> bool {
        !self.inner.write_is_held()
    }
}

impl<T> std::fmt::Debug for Consumer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Consumer")
            .field("capacity", &self.capacity())
            .field("dropped", &self.dropped())
            .finish()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    #[test]
    fn a_full_ring_gives_the_value_back_and_counts_it() {
        let (mut producer, mut consumer) = ring(2);
        assert_eq!(producer.push('a'), Ok(()));
        assert_eq!(producer.push('b'), Ok(()));
        assert_eq!(producer.push('c'), Err('c'));
        assert_eq!((producer.dropped(), consumer.dropped()), (1, 1));
        assert_eq!(consumer.pop(), Some('a'));
        assert_eq!(producer.push('d'), Ok(()));
        assert_eq!(
            (consumer.pop(), consumer.pop(), consumer.pop()),
            (Some('b'), Some('d'), None)
        );
    }

    #[test]
    fn a_capacity_of_zero_becomes_one() {
        let (mut producer, consumer) = ring(0);
        assert_eq!((producer.capacity(), consumer.capacity()), (1, 1));
        assert_eq!(producer.push(1), Ok(()));
    }

    #[test]
    fn each_end_sees_that_the_other_is_gone() {
        let (producer, consumer) = ring::<u8>(1);
        assert!(!producer.is_abandoned() && !consumer.is_abandoned());
        drop(producer);
        assert!(consumer.is_abandoned());
        let (producer, consumer) = ring::<u8>(1);
        drop(consumer);
        assert!(producer.is_abandoned());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn behaves_as_a_bounded_queue(capacity in 1_usize..9, operations in prop::collection::vec(prop::bool::ANY, 0..200)) {
            let (mut producer, mut consumer) = ring(capacity);
            let mut oracle = VecDeque::new();
            let mut lost = 0;
            for (value, push) in operations.into_iter().enumerate() {
                if push {
                    let fits = oracle.len() < capacity;
                    if fits { oracle.push_back(value) } else { lost += 1 }
                    prop_assert_eq!(producer.push(value).is_ok(), fits);
                } else {
                    prop_assert_eq!(consumer.pop(), oracle.pop_front());
                }
            }
            prop_assert_eq!(producer.dropped(), lost);
        }
    }
}
