//! Shared memory of several threads or processes, as 8-byte words, with or without the right to
//! write.
//!
//! A process with a read-only mapping must not even be able to express a store, which would fault
//! in safe code. So it gets a slice of [`Word`], which can only be loaded.

use crate::loom::sync::{AtomicU64, Ordering};

/// A word that this side may only read. The other side may write it at any time.
#[derive(Debug)]
#[repr(transparent)]
pub struct Word(AtomicU64);

impl Word {
    /// Reads the word. Wait-free.
    ///
    /// # Panics
    /// With an ordering that is invalid for a load: `Release` or `AcqRel`.
    #[inline]
    pub fn load(&self, order: Ordering) -> u64 {
        self.0.load(order)
    }

    /// Views the words without the right to write.
    #[inline]
    pub fn slice(words: &[AtomicU64]) -> &[Self] {
        // SAFETY: `Word` is `repr(transparent)` over `AtomicU64`, so the slices have the same
        // layout, length and lifetime, and both are shared references to memory that is only
        // accessed atomically.
        unsafe { &*(std::ptr::from_ref(words) as *const [Self]) }
    }
}

/// Words that this side may write (and read).
///
/// `words` must return the same slice at every call. (If it does not, readers see torn or stale
/// values, but nothing worse.)
pub trait WritableWords {
    /// The memory, as atomic words.
    fn words(&self) -> &[AtomicU64];
}

/// Words that this side may read. Everything writable is readable.
///
/// `readable_words` must return the same slice at every call.
pub trait ReadableWords {
    /// The memory, as words that can be loaded.
    fn readable_words(&self) -> &[Word];
}

impl<M: WritableWords> ReadableWords for M {
    fn readable_words(&self) -> &[Word] {
        Word::slice(self.words())
    }
}

impl WritableWords for std::sync::Arc<[AtomicU64]> {
    fn words(&self) -> &[AtomicU64] {
        self
    }
}
