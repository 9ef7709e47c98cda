//! A sequence lock: one writer publishes the newest `N` words, any number of readers copy them, in
//! this process or in another.
//!
//! * **Writer**: wait-free. `N + 2` plain stores, independent of any reader. Callable from the
//!   haptic loop.
//! * **Reader**: copies, then checks that nothing changed meanwhile. It tries a bounded number of
//!   times and then returns [`ReadError::Torn`]. It never waits for the writer, and a writer that
//!   died half-way through cannot hang it.
//! * No allocation, no lock, no system call, no `unsafe`: memory is only touched through atomic
//!   words. So a torn copy is a detected copy and never undefined behaviour, whatever the process
//!   on the other side does.
//!
//! # Memory
//!
//! The lock occupies `N + 1` consecutive 8-byte words of memory that the caller provides
//! ([`WritableWords`], [`ReadableWords`]), from a word index of the caller's choice. Word 0 is the
//! sequence, words `1..=N` are the payload. All zero is the valid empty state.
//!
//! The sequence is odd while the writer is inside. Sequence `2 v` means that value number `v` is
//! complete; 0 means that nothing has been written yet. (2^63 writes at 1 kHz last 290 million
//! years.)
//!
//! # Theory
//!
//! H. J. Boehm, "Can seqlocks get along with programming language memory models?", MSPC 2012,
//! figure 6: relaxed payload accesses between a release fence on the writer's side and an acquire
//! fence on the reader's side. As in that paper, a payload larger than a word is copied by atomic
//! words and not by `memcpy`.
//!
//! [`mod@slice`] is the same lock for values whose length is known only when the lock is made.
//! [`turns`] combines two of them for values whose length changes.

pub mod slice;
pub mod turns;

use crate::{
    loom::{
        hint,
        sync::{AtomicU64, Ordering, fence},
    },
    words::{ReadableWords, Word, WritableWords},
};
#[cfg(not(loom))]
use std::sync::Arc;

/// Number of attempts of a reader before it returns [`ReadError::Torn`].
///
/// A write of a 600-word block takes well under a microsecond, so on an idle machine even three
/// attempts are rare. All 64 fail only if the writer was descheduled or killed inside its write,
/// and then no small number would help.
pub const READ_ATTEMPTS: u32 = 64;

/// The memory ends before the lock does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooSmall {
    /// Words that the lock needs, counted from the start of the memory.
    pub needed: usize,
    /// Words that the memory has.
    pub available: usize,
}

impl std::fmt::Display for TooSmall {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "the shared block has {} words and the value needs {}",
            self.available, self.needed
        )
    }
}

impl std::error::Error for TooSmall {}

/// Why a read returned no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadError {
    /// Nothing has been written yet.
    Empty,
    /// Each attempt met the writer inside. If the writer is alive, try again at the next frame.
    Torn,
}

impl std::fmt::Display for ReadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Empty => write!(f, "nothing has been published yet"),
            Self::Torn => write!(
                f,
                "the writer was inside its write at each of {READ_ATTEMPTS} attempts"
            ),
        }
    }
}

impl std::error::Error for ReadError {}

/// The orderings in one place, so that the models can weaken exactly one of them.
#[derive(Clone, Copy)]
struct Orders {
    /// Writer: fence between the odd sequence and the payload.
    enter: Option<Ordering>,
    /// Writer: store of the even sequence after the payload.
    publish: Ordering,
    /// Reader: first load of the sequence.
    begin: Ordering,
    /// Reader: fence between the payload and the second load of the sequence.
    check: Option<Ordering>,
}

const SOUND: Orders = Orders {
    enter: Some(Ordering::Release),
    publish: Ordering::Release,
    begin: Ordering::Acquire,
    check: Some(Ordering::Acquire),
};

/// The sequence and the `count` payload words of the lock at `first`.
#[inline]
fn lock_words<W>(memory: &[W], first: usize, count: usize) -> Option<(&W, &[W])> {
    let (sequence, rest) = memory.get(first..)?.split_first()?;
    Some((sequence, rest.get(..count)?))
}

fn check_size<W>(memory: &[W], first: usize, count: usize) -> Result<(), TooSmall> {
    match lock_words(memory, first, count) {
        Some(_) => Ok(()),
        None => Err(TooSmall {
            needed: first.saturating_add(1).saturating_add(count),
            available: memory.len(),
        }),
    }
}

/// Version from which a new writer continues: that of the last value, or of the one in which an
/// earlier writer died.
fn version_left(memory: &[AtomicU64], first: usize) -> u64 {
    memory
        .get(first)
        .map_or(0, |sequence| sequence.load(Ordering::Relaxed).div_ceil(2))
}

/// The version of the newest complete value; 0 before the first.
#[inline]
fn version_seen(memory: &[Word], first: usize) -> u64 {
    memory
        .get(first)
        .map_or(0, |sequence| sequence.load(Ordering::Relaxed) / 2)
}

// Not `inline`, like `load`: a development build optimises loops over words in this crate, but
// would not in the caller's.
fn store(sequence: &AtomicU64, payload: &[AtomicU64], version: u64, words: &[u64], orders: Orders) {
    sequence.store(version.wrapping_mul(2).wrapping_sub(1), Ordering::Relaxed);
    if let Some(order) = orders.enter {
        // SYNC POINT: seqlock torn. Partner: the acquire fence in `load`. A reader that saw any
        // payload word of this write also sees the odd sequence (or a later one) at its second
        // load.
        fence(order);
    }
    for (cell, word) in payload.iter().zip(words) {
        cell.store(*word, Ordering::Relaxed);
    }
    // SYNC POINT: seqlock complete. Partner: the acquire load in `load`. A reader that saw this
    // sequence sees the whole payload.
    sequence.store(version.wrapping_mul(2), orders.publish);
}

fn load(
    sequence: &Word,
    payload: &[Word],
    words: &mut [u64],
    attempts: u32,
    orders: Orders,
) -> Result<u64, ReadError> {
    for _ in 0..attempts {
        // SYNC POINT: seqlock complete. Partner: the last store in `store`.
        let before = sequence.load(orders.begin);
        if before == 0 {
            return Err(ReadError::Empty);
        }
        if before.is_multiple_of(2) {
            for (word, cell) in words.iter_mut().zip(payload) {
                *word = cell.load(Ordering::Relaxed);
            }
            if let Some(order) = orders.check {
                // SYNC POINT: seqlock torn. Partner: the release fence in `store`.
                fence(order);
            }
            if sequence.load(Ordering::Relaxed) == before {
                return Ok(before / 2);
            }
        }
        hint::spin_loop();
    }
    Err(ReadError::Torn)
}

/// The writing end. One per lock: with a second one over the same memory, readers take torn values
/// for whole ones.
///
/// `N` is the number of payload words. RT-callable: [`write`](Writer::write) neither allocates nor
/// waits.
#[derive(Debug)]
pub struct Writer<M, const N: usize> {
    memory: M,
    first: usize,
    version: u64,
}

impl<M: WritableWords, const N: usize> Writer<M, N> {
    /// Takes the lock at words `first ..= first + N` of `memory`, which must be zero or left by an
    /// earlier writer.
    ///
    /// An earlier writer that died inside its write is repaired by the first
    /// [`write`](Self::write).
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the lock does.
    pub fn new(memory: M, first: usize) -> Result<Self, TooSmall> {
        check_size(memory.words(), first, N)?;
        let version = version_left(memory.words(), first);
        Ok(Self {
            memory,
            first,
            version,
        })
    }

    /// Publishes `words` as the newest value. Wait-free.
    #[inline]
    pub fn write(&mut self, words: &[u64; N]) {
        self.version = self.version.wrapping_add(1);
        if let Some((sequence, payload)) = lock_words(self.memory.words(), self.first, N) {
            store(sequence, payload, self.version, words, SOUND);
        }
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
pub struct Reader<M, const N: usize> {
    memory: M,
    first: usize,
}

impl<M: ReadableWords, const N: usize> Reader<M, N> {
    /// Reads the lock at words `first ..= first + N` of `memory`.
    ///
    /// # Errors
    /// [`TooSmall`] when the memory ends before the lock does.
    pub fn new(memory: M, first: usize) -> Result<Self, TooSmall> {
        check_size(memory.readable_words(), first, N)?;
        Ok(Self { memory, first })
    }

    /// Copies the newest value into `words` and returns its version (1 for the first ever written).
    ///
    /// # Errors
    /// [`ReadError::Empty`] before the first write; [`ReadError::Torn`] after [`READ_ATTEMPTS`]
    /// attempts. On an error `words` is unspecified.
    #[inline]
    pub fn read_into(&self, words: &mut [u64; N]) -> Result<u64, ReadError> {
        match lock_words(self.memory.readable_words(), self.first, N) {
            Some((sequence, payload)) => load(sequence, payload, words, READ_ATTEMPTS, SOUND),
            None => Err(ReadError::Empty),
        }
    }

    /// Returns the version of the newest value, and the value.
    ///
    /// # Errors
    /// As [`read_into`](Self::read_into).
    #[inline]
    pub fn read(&self) -> Result<(u64, [u64; N]), ReadError> {
        let mut words = [0; N];
        let version = self.read_into(&mut words)?;
        Ok((version, words))
    }

    /// Version of the newest complete value, without copying it; 0 before the first. One load.
    pub fn version(&self) -> u64 {
        version_seen(self.memory.readable_words(), self.first)
    }

    /// The memory given to [`new`](Self::new).
    pub fn memory(&self) -> &M {
        &self.memory
    }
}

/// Memory private to this process, for a lock between threads.
#[cfg(not(loom))]
pub type Local = Arc<[AtomicU64]>;

/// Makes a lock with separate memory, for use between threads. Allocates once.
#[cfg(not(loom))]
pub fn seqlock<const N: usize>() -> (Writer<Local, N>, Reader<Local, N>) {
    let memory: Local = (0..=N).map(|_| AtomicU64::new(0)).collect();
    (
        Writer {
            memory: Arc::clone(&memory),
            first: 0,
            version: 0,
        },
        Reader { memory, first: 0 },
    )
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn zeros(count: usize) -> Local {
        (0..count).map(|_| AtomicU64::new(0)).collect()
    }

    #[test]
    fn a_reader_finds_nothing_before_the_first_write() {
        let (_writer, reader) = seqlock::<3>();
        assert_eq!(reader.read(), Err(ReadError::Empty));
        assert_eq!(reader.version(), 0);
    }

    #[test]
    fn a_reader_gets_the_newest_value_and_its_version() {
        let (mut writer, reader) = seqlock::<3>();
        writer.write(&[1, 2, 3]);
        assert_eq!(reader.read(), Ok((1, [1, 2, 3])));
        writer.write(&[4, 5, 6]);
        writer.write(&[7, 8, 9]);
        assert_eq!(reader.read(), Ok((3, [7, 8, 9])));
        assert_eq!(reader.version(), 3);
        assert_eq!(writer.version(), 3);
    }

    #[test]
    fn words_before_and_behind_the_lock_are_left_alone() {
        let memory = zeros(6);
        let mut writer = Writer::<_, 2>::new(Arc::clone(&memory), 2).unwrap();
        writer.write(&[u64::MAX, 5]);
        let seen: Vec<u64> = memory
            .iter()
            .map(|word| word.load(Ordering::Relaxed))
            .collect();
        assert_eq!(seen, [0, 0, 2, u64::MAX, 5, 0]);
        assert_eq!(
            Reader::<_, 2>::new(memory, 2).unwrap().read(),
            Ok((1, [u64::MAX, 5]))
        );
    }

    #[test]
    fn memory_that_ends_too_early_is_refused_with_the_sizes() {
        let refused = TooSmall {
            needed: 6,
            available: 5,
        };
        assert_eq!(Writer::<_, 3>::new(zeros(5), 2).unwrap_err(), refused);
        assert_eq!(Reader::<_, 3>::new(zeros(5), 2).unwrap_err(), refused);
        assert!(Reader::<_, 3>::new(zeros(5), usize::MAX).is_err());
        assert!(Reader::<_, 3>::new(zeros(6), 2).is_ok());
    }

    #[test]
    fn a_writer_that_died_inside_is_reported_and_its_successor_repairs_it() {
        let memory = zeros(3);
        let mut writer = Writer::<_, 2>::new(Arc::clone(&memory), 0).unwrap();
        writer.write(&[1, 1]);
        memory[0].store(3, Ordering::Relaxed);
        let reader = Reader::<_, 2>::new(Arc::clone(&memory), 0).unwrap();
        assert_eq!(reader.read(), Err(ReadError::Torn));

        let mut successor = Writer::<_, 2>::new(memory, 0).unwrap();
        successor.write(&[2, 2]);
        let (version, words) = reader.read().unwrap();
        assert_eq!(words, [2, 2]);
        assert!(version > 1);
    }
}

#[cfg(all(test, loom))]
mod loom_tests;
