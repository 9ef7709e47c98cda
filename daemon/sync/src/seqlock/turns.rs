//! Two sequence locks written in turns, for long values whose length changes, such as a mesh that
//! differs in every frame.
//!
//! The newer value stays untouched while the next one is written to the other slot. So a reader has
//! the time between two values for its copy, however long the writing takes. Each slot is the lock
//! of [any length](super::slice): same orderings, same code. A value may be shorter than its slot.
//! The words after its end are left from earlier values and have no meaning, so values must carry
//! their length at the beginning.
//!
//! Layout from word `first` on: sequence and `words` words of the first slot, then the same of the
//! second. Values 1, 3, 5 .. are in the first.

use super::slice::{ReadSliceError, WrongLength};
use super::{
    Orders, READ_ATTEMPTS, ReadError, SOUND, TooSmall, check_size, load, lock_words, store,
    version_left, version_seen,
};
use crate::words::{ReadableWords, WritableWords};

/// Index of the word with a slot's sequence.
fn start(first: usize, words: usize, slot: usize) -> usize {
    first.saturating_add(slot.saturating_mul(words.saturating_add(1)))
}

fn check(available: usize, first: usize, words: usize) -> Result<(), TooSmall> {
    let needed = start(first, words, 2);
    if needed <= available && words < available {
        Ok(())
    } else {
        Err(TooSmall { needed, available })
    }
}

/// The writing end. One per pair of slots.
///
/// RT-callable: [`write`](Self::write) neither allocates nor waits.
#[derive(Debug)]
pub struct TurnsWriter<M> {
    memory: M,
    first: usize,
    words: usize,
    versions: [u64; 2],
}

impl<M: WritableWords> TurnsWriter<M> {
    /// Takes two slots of `words` words each, from word `first` of `memory` on, which must be zero
    /// or left by an earlier writer.
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the slots do.
    pub fn new(memory: M, first: usize, words: usize) -> Result<Self, TooSmall> {
        check(memory.words().len(), first, words)?;
        let versions = [0, 1].map(|slot| version_left(memory.words(), start(first, words, slot)));
        Ok(Self {
            memory,
            first,
            words,
            versions,
        })
    }

    /// Publishes `words` as the newest value. Wait-free.
    ///
    /// # Errors
    /// [`WrongLength`] when `words` is longer than a slot; then nothing is written.
    #[inline]
    pub fn write(&mut self, words: &[u64]) -> Result<(), WrongLength> {
        self.write_with(words, SOUND)
    }

    #[inline]
    fn write_with(&mut self, words: &[u64], orders: Orders) -> Result<(), WrongLength> {
        if words.len() > self.words {
            return Err(WrongLength {
                expected: self.words,
                given: words.len(),
            });
        }
        let slot = usize::from(self.versions[0] > self.versions[1]);
        self.versions[slot] = self.versions[slot].wrapping_add(1);
        let at = start(self.first, self.words, slot);
        if let Some((sequence, payload)) = lock_words(self.memory.words(), at, words.len()) {
            store(sequence, payload, self.versions[slot], words, orders);
        }
        Ok(())
    }

    /// Number of values written.
    pub fn version(&self) -> u64 {
        self.versions[0].wrapping_add(self.versions[1])
    }

    /// The memory given to [`new`](Self::new).
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// A reading end. Any number may read one pair of slots. RT-callable.
#[derive(Clone, Debug)]
pub struct TurnsReader<M> {
    memory: M,
    first: usize,
    words: usize,
}

impl<M: ReadableWords> TurnsReader<M> {
    /// Reads two slots of `words` words each, from word `first` of `memory` on.
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the slots do.
    pub fn new(memory: M, first: usize, words: usize) -> Result<Self, TooSmall> {
        let all = memory.readable_words();
        check(all.len(), first, words)?;
        check_size(all, first, words)?;
        Ok(Self {
            memory,
            first,
            words,
        })
    }

    /// Versions of the complete values in both slots.
    fn versions(&self) -> [u64; 2] {
        let at = |slot| start(self.first, self.words, slot);
        [0, 1].map(|slot| version_seen(self.memory.readable_words(), at(slot)))
    }

    /// Number of values written; 0 before the first. Two loads.
    pub fn version(&self) -> u64 {
        let [first, second] = self.versions();
        first.wrapping_add(second)
    }

    /// Copies the beginning of the newest value, `words.len()` words. Returns the number of that
    /// value, from 1: two reads with the same number read the same value.
    ///
    /// # Errors
    /// [`ReadSliceError::Length`] when `words` is longer than a slot; [`ReadError::Empty`] before
    /// the first write; [`ReadError::Torn`] when the writer came round [`READ_ATTEMPTS`] times
    /// meanwhile; then `words` is unspecified.
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
        if words.len() > self.words {
            return Err(ReadSliceError::Length(WrongLength {
                expected: self.words,
                given: words.len(),
            }));
        }
        for _ in 0..attempts {
            let versions = self.versions();
            let slot = usize::from(versions[0] <= versions[1]);
            if versions == [0, 0] {
                return Err(ReadSliceError::Read(ReadError::Empty));
            }
            let at = start(self.first, self.words, slot);
            let memory = self.memory.readable_words();
            let read = match lock_words(memory, at, words.len()) {
                // One attempt: if the writer is in this slot, it has come round, and the other slot
                // is newer.
                Some((sequence, payload)) => load(sequence, payload, words, 1, orders),
                None => Err(ReadError::Empty),
            };
            match read {
                // Version v of the first slot is value 2 v - 1, of the second 2 v.
                Ok(version) => return Ok(2 * version - 1 + slot as u64),
                Err(ReadError::Torn) => {}
                Err(error) => return Err(ReadSliceError::Read(error)),
            }
        }
        Err(ReadSliceError::Read(ReadError::Torn))
    }

    /// Words per slot.
    pub fn words(&self) -> usize {
        self.words
    }

    /// The memory given to [`new`](Self::new).
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
#[cfg(all(test, not(loom)))]
mod tests;
