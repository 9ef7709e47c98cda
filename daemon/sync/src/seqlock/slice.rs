//! The sequence lock for values whose length is known only when the lock is made, such as the
//! points of a mesh.
//!
//! Memory, orderings and code are those of the lock of fixed length ([`super`]): the writer is
//! wait-free (`words + 2` plain stores); the reader is bounded and never takes a mixture of two
//! writes for a value. Neither allocates: both copy between the lock and the caller's slice. A
//! slice whose length differs from the lock's is refused, with both lengths, before anything is
//! touched.
//!
//! A long value takes long to write (6 us for 15,000 words, 60 us for 100,000), so its readers meet
//! the writer more often than those of a small value. Expect [`Torn`](ReadError::Torn) now and
//! then, and keep the last value.

use super::{
    Orders, READ_ATTEMPTS, ReadError, SOUND, TooSmall, check_size, load, lock_words, store,
    version_left, version_seen,
};
use crate::words::{ReadableWords, WritableWords};

/// The caller's slice does not have the length of the lock's values. The caller is at fault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrongLength {
    /// Words of a value of this lock.
    pub expected: usize,
    /// Words of the slice.
    pub given: usize,
}

impl std::fmt::Display for WrongLength {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the slice has {} words and a value of this lock {}",
            self.given, self.expected
        )
    }
}

impl std::error::Error for WrongLength {}

/// Why a read into a slice returned no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadSliceError {
    /// No value yet, or each attempt met the writer inside; both are temporary.
    Read(ReadError),
    /// The slice is too short or too long.
    Length(WrongLength),
}

impl std::fmt::Display for ReadSliceError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Read(error) => error.fmt(f),
            Self::Length(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for ReadSliceError {}

fn check_length(expected: usize, given: usize) -> Result<(), WrongLength> {
    if expected == given {
        Ok(())
    } else {
        Err(WrongLength { expected, given })
    }
}

/// The writing end. One per lock: with a second one over the same memory, readers take torn values
/// for whole ones.
///
/// RT-callable: [`write`](SliceWriter::write) neither allocates nor waits.
#[derive(Debug)]
pub struct SliceWriter<M> {
    memory: M,
    first: usize,
    words: usize,
    version: u64,
}

impl<M: WritableWords> SliceWriter<M> {
    /// Takes the lock at words `first ..= first + words` of `memory`, which must be zero or left by
    /// an earlier writer.
    ///
    /// An earlier writer that died inside its write is repaired by the first
    /// [`write`](Self::write).
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the lock does.
    pub fn new(memory: M, first: usize, words: usize) -> Result<Self, TooSmall> {
        check_size(memory.words(), first, words)?;
        let version = version_left(memory.words(), first);
        Ok(Self {
            memory,
            first,
            words,
            version,
        })
    }

    /// Publishes `words` as the newest value. Wait-free.
    ///
    /// # Errors
    /// [`WrongLength`] when the length differs from the lock's; then nothing is written.
    #[inline]
    pub fn write(&mut self, words: &[u64]) -> Result<(), WrongLength> {
        self.write_with(words, SOUND)
    }

    #[inline]
    fn write_with(&mut self, words: &[u64], orders: Orders) -> Result<(), WrongLength> {
        check_length(self.words, words.len())?;
        self.version = self.version.wrapping_add(1);
        if let Some((sequence, payload)) = lock_words(self.memory.words(), self.first, self.words) {
            store(sequence, payload, self.version, words, orders);
        }
        Ok(())
    }

    /// Number of values written, which is also the version of the newest.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The memory given to [`new`](Self::new).
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// A reading end. Any number may read one lock. RT-callable.
#[derive(Clone, Debug)]
pub struct SliceReader<M> {
    memory: M,
    first: usize,
    words: usize,
}

impl<M: ReadableWords> SliceReader<M> {
    /// Reads the lock at words `first ..= first + words` of `memory`.
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the lock does.
    pub fn new(memory: M, first: usize, words: usize) -> Result<Self, TooSmall> {
        check_size(memory.readable_words(), first, words)?;
        Ok(Self {
            memory,
            first,
            words,
        })
    }

    /// Copies the newest value into `words` and returns its version (1 for the first ever written).
    ///
    /// # Errors
    /// [`ReadSliceError::Length`] when `words` has another length than the lock's values; then it
    /// is untouched. [`ReadError::Empty`] before the first write; [`ReadError::Torn`] after
    /// [`READ_ATTEMPTS`] attempts; then `words` is unspecified.
    #[inline]
    pub fn read_into(&self, words: &mut [u64]) -> Result<u64, ReadSliceError> {
        self.read_with(words, READ_ATTEMPTS, SOUND)
    }

    #[inline]
    fn read_with(
        &self,
        words: &mut [u64],
        attempts: u32,
        orders: Orders,
    ) -> Result<u64, ReadSliceError> {
        check_length(self.words, words.len()).map_err(ReadSliceError::Length)?;
        match lock_words(self.memory.readable_words(), self.first, self.words) {
            Some((sequence, payload)) => load(sequence, payload, words, attempts, orders),
            None => Err(ReadError::Empty),
        }
        .map_err(ReadSliceError::Read)
    }

    /// Version of the newest complete value, without copying it; 0 before the first. One load.
    pub fn version(&self) -> u64 {
        version_seen(self.memory.readable_words(), self.first)
    }

    /// Words per value.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The memory given to [`new`](Self::new).
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// Makes a lock for values of `words` words with separate memory, for use between threads.
/// Allocates once.
#[cfg(not(loom))]
pub fn slice_seqlock(words: usize) -> (SliceWriter<super::Local>, SliceReader<super::Local>) {
    let memory: super::Local = (0..=words).map(|_| crate::AtomicU64::new(0)).collect();
    (
        SliceWriter {
            memory: std::sync::Arc::clone(&memory),
            first: 0,
            words,
            version: 0,
        },
        SliceReader {
            memory,
            first: 0,
            words,
        },
    )
}

#[cfg(all(test, not(loom)))]
mod tests;

#[cfg(all(test, loom))]
mod loom_tests;
