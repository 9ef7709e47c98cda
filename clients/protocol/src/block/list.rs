//! First words of a block that holds a list: the tick, its time, and how many elements follow.

use super::words::words;

words! {
    /// First words of the payload of contacts and bodies.
    pub struct ListHeader in 3 words {
        /// Number of the tick.
        tick: u64 = word 0;
        /// Time of the tick, ns on the daemon's monotonic clock.
        time_ns: u64 = word 1;
        /// Number of elements that follow, at most the block's limit. Words behind them are zero.
        count: u64 = word 2;
    }
}

impl ListHeader {
    /// Returns the number of elements to read: the count, at most `max`.
    pub(crate) fn count(&self, max: usize) -> usize {
        usize::try_from(self.count).unwrap_or(max).min(max)
    }
}
