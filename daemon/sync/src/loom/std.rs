//! The real primitives: `core`'s atomics, and an `UnsafeCell` with loom's closure interface at no
//! cost.

pub(crate) mod sync {
    pub use ::std::sync::atomic::AtomicU64;
    pub(crate) use ::std::sync::atomic::{AtomicU8, Ordering, fence};
    pub(crate) use ::std::sync::{Arc, OnceLock};
}

pub(crate) mod thread {
    pub(crate) use ::std::thread::{Thread, current, park, park_timeout};
}

pub(crate) mod hint {
    pub(crate) use ::std::hint::spin_loop;
}

pub(crate) mod cell {
    /// `core::cell::UnsafeCell` behind the two accessors that loom can watch.
    #[derive(Debug)]
    pub(crate) struct UnsafeCell<T>(::std::cell::UnsafeCell<T>);

    impl<T> UnsafeCell<T> {
        pub(crate) const fn new(value: T) -> Self {
            Self(::std::cell::UnsafeCell::new(value))
        }

        /// Hands a pointer for shared access to `f`. Dereferencing it is the caller's `unsafe`.
        pub(crate) fn with<R>(&self, f: impl FnOnce(*const T) -> R) -> R {
            f(self.0.get())
        }

        /// Hands a pointer for exclusive access to `f`. Dereferencing it is the caller's `unsafe`.
        pub(crate) fn with_mut<R>(&self, f: impl FnOnce(*mut T) -> R) -> R {
            f(self.0.get())
        }
    }
}
