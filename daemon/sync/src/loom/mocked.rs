//! loom's versions, which explore every interleaving and every stale value that the memory model allows.

pub(crate) mod sync {
    pub(crate) use ::loom::sync::Arc;
    pub use ::loom::sync::atomic::AtomicU64;
    pub(crate) use ::loom::sync::atomic::{AtomicU8, Ordering, fence};
}

pub(crate) mod hint {
    /// A spinning thread must let the others run, or loom explores the spin for ever.
    pub(crate) fn spin_loop() {
        ::loom::thread::yield_now();
    }
}

pub(crate) mod cell {
    pub(crate) use ::loom::cell::UnsafeCell;
}
