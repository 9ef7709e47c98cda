//! Watches the threads that the loop's guarantees depend on. Pure: heartbeats and ticks in, silence
//! out.
//!
//! Each watched thread counts its rounds in an atomic, which the loop reads in every tick (a
//! relaxed load: wait-free). Silence is counted in *ticks that the loop ran*, never in time: while
//! the whole machine is paused, or the loop itself is held up, no thread falls silent.
//!
//! | silent thread | what is lost | what the loop does |
//! |---|---|---|
//! | supervisor | gains no longer follow what is measured, a thread that died is not noticed | cuts all force, latched |
//! | IPC | a client that dies or falls silent is not noticed | fades the arms that touch a client's body |
//! | collision | answers grow old | nothing more: stale data already fades the force |
//! | scribe | records, and with them checks | nothing: force does not depend on it |
//!
//! All four verdicts are inputs of the tick and are recorded with it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

/// A thread that the loop watches. The discriminant is its bit in a recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Watched {
    /// The main thread.
    Supervisor = 0,
    /// The thread that serves clients.
    Ipc = 1,
    /// The thread that answers the loop's queries.
    Collision = 2,
    /// The thread that takes the records.
    Scribe = 3,
}

/// Number of watched threads.
pub const WATCHED: usize = 4;

/// A set of silent threads.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent {
    bits: u8,
    /// How long the supervisor has been silent, and its budget, ticks. For people alone: it is not
    /// recorded, and no part of a comparison.
    supervisor: Option<[u32; 2]>,
}

impl PartialEq for Silent {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl Eq for Silent {}

impl Silent {
    /// The empty set: all threads show signs of life.
    pub const NONE: Silent = Silent {
        bits: 0,
        supervisor: None,
    };

    /// Returns this set with one more thread.
    #[must_use]
    pub const fn with(self, thread: Watched) -> Self {
        Silent {
            bits: self.bits | 1 << thread as u8,
            ..self
        }
    }

    /// Whether the thread is silent.
    #[must_use]
    pub const fn contains(self, thread: Watched) -> bool {
        self.bits & 1 << thread as u8 != 0
    }

    /// How long the supervisor has been silent, and its budget, in ticks; `None` if it is not
    /// silent or the set comes from a recording.
    #[must_use]
    pub const fn supervisor(self) -> Option<[u32; 2]> {
        self.supervisor
    }

    /// The set as recorded: bit `n` is the thread with discriminant `n`.
    #[must_use]
    pub const fn bits(self) -> u8 {
        self.bits
    }

    /// The set from a recording; bits without a thread are ignored.
    #[must_use]
    pub const fn from_bits(bits: u8) -> Self {
        Silent {
            bits: bits & ((1 << WATCHED) - 1),
            supervisor: None,
        }
    }
}

/// Last state seen of a thread.
#[derive(Clone, Copy, Debug)]
struct Seen {
    beat: u64,
    /// Ticks since the beat changed.
    ticks: u32,
    /// Ticks without a change after which the thread counts as silent; `None`: not watched.
    budget: Option<u32>,
}

/// Counts the ticks of each thread's silence. RT-callable: constant time, no allocation.
#[derive(Clone, Debug)]
pub struct Watchdog([Seen; WATCHED]);

impl Watchdog {
    /// Makes a watchdog. `budgets` holds, by thread, the ticks without a beat after which the
    /// thread counts as silent; `None`: not watched.
    #[must_use]
    pub fn new(budgets: [Option<u32>; WATCHED]) -> Self {
        Watchdog(budgets.map(|budget| Seen {
            beat: 0,
            ticks: 0,
            budget,
        }))
    }

    /// Counts one tick that the loop ran and returns the silent threads. `beats` are the threads'
    /// present counts.
    pub fn tick(&mut self, beats: [u64; WATCHED]) -> Silent {
        let mut silent = Silent::NONE;
        for (bit, (seen, beat)) in self.0.iter_mut().zip(beats).enumerate() {
            if beat == seen.beat {
                seen.ticks = seen.ticks.saturating_add(1);
            } else {
                (seen.beat, seen.ticks) = (beat, 0);
            }
            if let Some(budget) = seen.budget.filter(|budget| seen.ticks >= *budget) {
                silent.bits |= 1 << bit;
                if bit == Watched::Supervisor as usize {
                    silent.supervisor = Some([seen.ticks, budget]);
                }
            }
        }
        silent
    }
}

/// A thread's count of its rounds, shared with the loop.
pub type Beat = Arc<AtomicU64>;

/// The longest silence of each thread so far, in ticks. Any thread may read it at any time.
pub type Longest = Arc<[AtomicU32; WATCHED]>;

/// The watchdog together with the counters that it reads.
#[derive(Debug)]
pub struct Guard {
    watchdog: Watchdog,
    beats: [Option<Beat>; WATCHED],
    longest: Longest,
}

impl Guard {
    /// Watches the threads that have a counter, each with its budget in ticks.
    #[must_use]
    pub fn new(threads: [Option<(Beat, u32)>; WATCHED]) -> Self {
        let budgets = threads.each_ref().map(|t| t.as_ref().map(|(_, n)| *n));
        Guard {
            watchdog: Watchdog::new(budgets),
            beats: threads.map(|t| t.map(|(beat, _)| beat)),
            longest: Longest::default(),
        }
    }

    /// Shared handle to the longest silences.
    #[must_use]
    pub fn longest(&self) -> Longest {
        self.longest.clone()
    }

    /// Watches no thread.
    #[must_use]
    pub fn idle() -> Self {
        Self::new([const { None }; WATCHED])
    }

    /// Reads all counters for one tick. RT-callable.
    pub fn tick(&mut self) -> Silent {
        let count =
            |beat: &Option<Beat>| beat.as_ref().map_or(0, |beat| beat.load(Ordering::Relaxed));
        let silent = self.watchdog.tick(self.beats.each_ref().map(count));
        for (longest, seen) in self.longest.iter().zip(&self.watchdog.0) {
            // No other thread writes it.
            if seen.ticks > longest.load(Ordering::Relaxed) {
                longest.store(seen.ticks, Ordering::Relaxed);
            }
        }
        silent
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silence_begins_after_the_budget_and_ends_with_a_beat() {
        let mut dog = Watchdog::new([Some(3), None, None, None]);
        let mut look = |beat| dog.tick([beat, 0, 0, 0]).contains(Watched::Supervisor);
        assert!(!look(1));
        let silent: Vec<bool> = (0..5).map(|_| look(1)).collect();
        assert_eq!(silent, [false, false, true, true, true]);
        assert!(!look(2));
    }

    #[test]
    fn the_supervisors_silence_has_a_length_as_long_as_it_lasts() {
        let mut dog = Watchdog::new([Some(2), Some(1), None, None]);
        let mut look = |beat| dog.tick([beat, 0, 0, 0]).supervisor();
        let told: Vec<_> = [1, 1, 1, 1, 2].into_iter().map(&mut look).collect();
        assert_eq!(told, [None, None, Some([2, 2]), Some([3, 2]), None]);
    }

    #[test]
    fn a_thread_that_never_beats_is_silent_after_its_budget() {
        let mut dog = Watchdog::new([Some(3), Some(5), None, None]);
        let silent: Vec<u8> = (0..6).map(|_| dog.tick([0; WATCHED]).bits()).collect();
        assert_eq!(silent, [0, 0, 1, 1, 3, 3]);
    }

    #[test]
    fn each_thread_is_judged_by_its_own_beat_and_budget() {
        let mut dog = Watchdog::new([Some(2), Some(4), Some(2), Some(4)]);
        let mut last = Silent::NONE;
        for tick in 1..=10 {
            // The supervisor and the scribe beat, IPC and collision do not.
            last = dog.tick([tick, 7, 7, tick]);
        }
        let expected = Silent::NONE.with(Watched::Ipc).with(Watched::Collision);
        assert_eq!(last, expected);
        assert_eq!(Silent::from_bits(expected.bits()), expected);
        assert_eq!(Silent::from_bits(0xf0), Silent::NONE);
    }

    #[test]
    fn the_longest_silence_stays() {
        let beat = Beat::default();
        let mut guard = Guard::new([Some((beat.clone(), 3)), None, None, None]);
        let longest = guard.longest();
        for silence in [2, 7, 4] {
            beat.fetch_add(1, Ordering::Relaxed);
            (0..=silence).for_each(|_| _ = guard.tick());
        }
        assert_eq!(longest[0].load(Ordering::Relaxed), 7);
    }

    #[test]
    fn unwatched_threads_are_never_silent() {
        let mut guard = Guard::idle();
        assert!((0..1000).all(|_| guard.tick() == Silent::NONE));
    }
}
