//! What the caller holds: a value that one thread uses at a time, and that a panic poisons.
//!
//! A second thread is refused, not made to wait, so a mistake of the caller's is an answer and
//! never a data race. Taking a handle is one atomic operation.

use crate::failure::{Failure, HD_IN_USE, HD_INVALID, HD_PANIC, Misuse};
use crate::types::hd_error;
use std::{
    any::Any,
    cell::UnsafeCell,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::atomic::{AtomicU8, Ordering},
};

const FREE: u8 = 0;
const TAKEN: u8 = 1;
const POISONED: u8 = 2;

/// A value behind an opaque pointer.
pub(crate) struct Handle<T> {
    state: AtomicU8,
    value: UnsafeCell<T>,
}

impl<T> Handle<T> {
    /// Hands a value to the caller.
    pub fn give(value: T) -> *mut Self {
        Box::into_raw(Box::new(Self {
            state: AtomicU8::new(FREE),
            value: UnsafeCell::new(value),
        }))
    }

    /// Takes a value back to end it with `end`. Does nothing for NULL. Where another thread uses
    /// it, which the header forbids, it is leaked rather than pulled away.
    pub unsafe fn free(handle: *mut Self, end: impl FnOnce(T)) {
        // SAFETY: the rule of `memory`: NULL, or what `give` returned and nothing has freed.
        let Some(shared) = (unsafe { handle.as_ref() }) else {
            return;
        };
        let before = shared.state.swap(TAKEN, Ordering::Acquire);
        if before == TAKEN {
            return;
        }
        let ended = catch_unwind(AssertUnwindSafe(|| {
            // SAFETY: `give` made it with `into_raw`, and no other thread has it.
            let value = unsafe { Box::from_raw(handle) }.value.into_inner();
            if before == FREE {
                end(value);
            }
        }));
        if let Err(payload) = ended {
            discard(payload);
        }
    }

    /// Calls `f` with the value.
    ///
    /// # Errors
    /// `HD_INVALID` for NULL, `HD_IN_USE`, `HD_PANIC` where `f` or an earlier call panicked. The
    /// payload is that of this panic.
    pub unsafe fn with<R>(
        handle: *const Self,
        f: impl FnOnce(&mut T) -> R,
    ) -> Result<R, (i32, Option<Box<dyn Any + Send>>)> {
        // SAFETY: the rule of `memory`.
        let Some(shared) = (unsafe { handle.as_ref() }) else {
            return Err((HD_INVALID, None));
        };
        let taken =
            shared
                .state
                .compare_exchange(FREE, TAKEN, Ordering::Acquire, Ordering::Relaxed);
        match taken {
            Ok(_) => {}
            Err(POISONED) => return Err((HD_PANIC, None)),
            Err(_) => return Err((HD_IN_USE, None)),
        }
        // SAFETY: `state` was FREE and is TAKEN, by this call alone, until it is stored below.
        let value = unsafe { &mut *shared.value.get() };
        let result = catch_unwind(AssertUnwindSafe(|| f(value)));
        let after = if result.is_ok() { FREE } else { POISONED };
        shared.state.store(after, Ordering::Release);
        result.map_err(|payload| (HD_PANIC, Some(payload)))
    }

    /// Like [`with`](Self::with) for a call that reports into an [`hd_error`].
    pub unsafe fn call(
        handle: *const Self,
        error: *mut hd_error,
        f: impl FnOnce(&mut T) -> Result<i32, Failure>,
    ) -> i32 {
        // SAFETY: the rule of `memory`.
        let result = unsafe { Self::with(handle, f) };
        let failure = match result {
            Ok(Ok(status)) => return status,
            Ok(Err(failure)) => failure,
            Err((HD_INVALID, _)) => Misuse::of("the handle is NULL").into(),
            Err((status, payload)) => panicked(status, payload),
        };
        // SAFETY: the rule of `memory`.
        unsafe { failure.report(error) }
    }
}

/// Drops what a panic carried. Where that panics, too, the second payload is left alone.
pub(crate) fn discard(payload: Box<dyn Any + Send>) {
    if let Err(second) = catch_unwind(AssertUnwindSafe(|| drop(payload))) {
        std::mem::forget(second);
    }
}

fn panicked(status: i32, payload: Option<Box<dyn Any + Send>>) -> Failure {
    let mut failure = Failure::plain(status);
    if let Some(payload) = payload {
        let said = payload.downcast_ref::<&str>().copied();
        let said = said.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
        if let Some(said) = said {
            failure.message.push_str(": ");
            failure.message.push_str(said);
        }
        discard(payload);
    }
    failure
}

/// Calls `f`, which has no handle; a panic is `HD_PANIC`.
pub(crate) fn guarded(f: impl FnOnce() -> i32) -> i32 {
    catch_unwind(AssertUnwindSafe(f)).unwrap_or_else(|payload| {
        discard(payload);
        HD_PANIC
    })
}

/// Like [`guarded`], for a call that reports into an [`hd_error`].
pub(crate) unsafe fn guarded_call(
    error: *mut hd_error,
    f: impl FnOnce() -> Result<i32, Failure>,
) -> i32 {
    let failure = match catch_unwind(AssertUnwindSafe(f)) {
        Ok(Ok(status)) => return status,
        Ok(Err(failure)) => failure,
        Err(payload) => panicked(HD_PANIC, Some(payload)),
    };
    // SAFETY: the rule of `memory`.
    unsafe { failure.report(error) }
}
