//! loom's versions, which explore every interleaving and every stale value that the memory model
//! allows.

pub(crate) mod sync {
    pub(crate) use ::loom::sync::Arc;
    pub use ::loom::sync::atomic::AtomicU64;
    pub(crate) use ::loom::sync::atomic::{AtomicBool, AtomicU8, AtomicUsize, Ordering, fence};

    /// Mock of the standard library's type, for one thread that sets it. It gives only the ordering
    /// that the real one promises: what happened before the value was set is seen with the value.
    #[derive(Debug)]
    pub(crate) struct OnceLock<T> {
        value: ::loom::cell::UnsafeCell<Option<T>>,
        is_set: AtomicBool,
    }

    // SAFETY: the value is written before `is_set` is released and only read after that was
    // acquired; loom checks it.
    unsafe impl<T: Send + Sync> Sync for OnceLock<T> {}

    impl<T> Default for OnceLock<T> {
        fn default() -> Self {
            OnceLock {
                value: ::loom::cell::UnsafeCell::new(None),
                is_set: AtomicBool::new(false),
            }
        }
    }

    impl<T> OnceLock<T> {
        pub(crate) fn get(&self) -> Option<&T> {
            if !self.is_set.load(Ordering::Acquire) {
                return None;
            }
            // SAFETY: no thread writes it any more.
            self.value.with(|value| unsafe { (*value).as_ref() })
        }

        pub(crate) fn get_or_init(&self, make: impl FnOnce() -> T) -> &T {
            if self.get().is_none() {
                // SAFETY: only this thread sets it, and it is not read before.
                self.value
                    .with_mut(|value| unsafe { *value = Some(make()) });
                self.is_set.store(true, Ordering::Release);
            }
            self.get().expect("it was set just now")
        }
    }
}

pub(crate) mod thread {
    pub(crate) use ::loom::thread::{Thread, current, park};

    /// loom has no time: a timeout passes once all other threads had their turn.
    pub(crate) fn park_timeout(_: std::time::Duration) {
        ::loom::thread::yield_now();
    }
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
