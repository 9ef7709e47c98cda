//! Mistakes of the caller.

use crate::status::{HD_CAPACITY, HD_INVALID};

/// A mistake of the caller: found without allocation, so that reads may find it, too.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Misuse {
    pub what: &'static str,
    pub number: u64,
    pub limit: u64,
}

impl Misuse {
    pub const NULL: Self = Self::of("a pointer is NULL");
    const CAPACITY: &'static str = "a buffer is too small";

    pub const fn of(what: &'static str) -> Self {
        Self {
            what,
            number: 0,
            limit: 0,
        }
    }

    /// A buffer for `given` elements where `needed` are to be written.
    pub fn capacity(needed: usize, given: usize) -> Self {
        Self {
            what: Self::CAPACITY,
            number: needed as u64,
            limit: given as u64,
        }
    }

    pub fn status(&self) -> i32 {
        if self.what == Self::CAPACITY {
            HD_CAPACITY
        } else {
            HD_INVALID
        }
    }
}
