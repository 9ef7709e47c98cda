//! The blocks of an arm: reads for any number of threads, and waiting for a tick.

use crate::{
    connection::{ClientHandle, Connected, duration},
    failure::{
        HD_GONE, HD_INVALID, HD_NOT_SUBSCRIBED, HD_OK, HD_PANIC, HD_SYSTEM, HD_TIMEOUT, Misuse,
        state_status,
    },
    handle::{Handle, discard},
    memory::{self, Growing},
    requests::arm_of,
    types::{hd_arm_state, hd_bodies, hd_contacts, hd_error, hd_needle},
};
use hapticd_client::{ReadStateError, Subscription, WaitTickError};
use std::{
    io,
    os::fd::{AsFd, AsRawFd},
    panic::{AssertUnwindSafe, catch_unwind},
    ptr,
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// An `hd_subscription`. Shared by threads, so it is read only; a panic poisons it for all.
pub(crate) struct SubscriptionHandle {
    blocks: Subscription,
    poisoned: AtomicBool,
}

impl SubscriptionHandle {
    /// Calls `f` with the blocks.
    unsafe fn with(handle: *const Self, f: impl FnOnce(&Subscription) -> i32) -> i32 {
        // SAFETY: the rule of `memory`.
        let Some(shared) = (unsafe { handle.as_ref() }) else {
            return HD_INVALID;
        };
        if shared.poisoned.load(Ordering::Relaxed) {
            return HD_PANIC;
        }
        catch_unwind(AssertUnwindSafe(|| f(&shared.blocks))).unwrap_or_else(|payload| {
            shared.poisoned.store(true, Ordering::Relaxed);
            discard(payload);
            HD_PANIC
        })
    }
}

/// Bits of `HD_TOPIC_*` that a request can carry. Which of them mean something is for the daemon.
fn topics_of(topics: u32) -> Result<u8, Misuse> {
    u8::try_from(topics).map_err(|_| Misuse {
        what: "no topics have such bits",
        number: topics.into(),
        limit: u8::MAX.into(),
    })
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_subscribe(
    client: *mut ClientHandle,
    arm: u32,
    topics: u32,
    subscription: *mut *mut SubscriptionHandle,
    error: *mut hd_error,
) -> i32 {
    let subscribe = |connected: &mut Connected| {
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(subscription, ptr::null_mut()) }?;
        let blocks = connected
            .client
            .subscribe(arm_of(arm)?, topics_of(topics)?)?;
        let made = SubscriptionHandle {
            blocks,
            poisoned: AtomicBool::new(false),
        };
        // SAFETY: the rule of `memory`.
        unsafe { memory::put(subscription, Box::into_raw(Box::new(made))) }?;
        Ok(HD_OK)
    };
    // SAFETY: the rule of `memory`.
    unsafe { Handle::call(client, error, subscribe) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_subscription_free(subscription: *mut SubscriptionHandle) {
    if subscription.is_null() {
        return;
    }
    // SAFETY: the rule of `memory`: `hd_subscribe` made it with `into_raw`, and nothing freed it.
    let all = unsafe { Box::from_raw(subscription) };
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| drop(all))) {
        discard(payload);
    }
}

/// Copies what `read` returns into the caller's struct.
unsafe fn copy<T, Value>(
    subscription: *const SubscriptionHandle,
    to: *mut T,
    read: impl FnOnce(&Subscription) -> Result<Value, ReadStateError>,
) -> i32
where
    T: Growing + for<'a> From<&'a Value>,
{
    let copy = |blocks: &Subscription| match read(blocks) {
        Ok(value) => {
            // SAFETY: the rule of `memory`.
            let written = unsafe { memory::write(to, &T::from(&value)) };
            written.map_or_else(|misuse| misuse.status(), |()| HD_OK)
        }
        Err(error) => state_status(error),
    };
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, copy) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_read_state(
    subscription: *const SubscriptionHandle,
    state: *mut hd_arm_state,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { copy(subscription, state, Subscription::state) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_read_contacts(
    subscription: *const SubscriptionHandle,
    contacts: *mut hd_contacts,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { copy(subscription, contacts, Subscription::contacts) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_read_bodies(
    subscription: *const SubscriptionHandle,
    bodies: *mut hd_bodies,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { copy(subscription, bodies, Subscription::bodies) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_read_needle(
    subscription: *const SubscriptionHandle,
    needle: *mut hd_needle,
) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { copy(subscription, needle, Subscription::needle) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_state_version(subscription: *const SubscriptionHandle) -> u64 {
    let mut version = 0;
    let load = |blocks: &Subscription| {
        version = blocks.state_version();
        HD_OK
    };
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, load) };
    version
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_wait_tick(
    subscription: *const SubscriptionHandle,
    after_tick: u64,
    timeout_ms: i32,
    state: *mut hd_arm_state,
) -> i32 {
    // Before anything waits for what could then not be written.
    // SAFETY: the rule of `memory`.
    if let Err(misuse) = unsafe { memory::stated_size(state) } {
        return misuse.status();
    }
    let wait = |blocks: &Subscription| match blocks.wait_tick(after_tick, duration(timeout_ms)) {
        Ok(made) => {
            // SAFETY: the rule of `memory`.
            let written = unsafe { memory::write(state, &hd_arm_state::from(&made)) };
            written.map_or_else(|misuse| misuse.status(), |()| HD_OK)
        }
        Err(WaitTickError::NotSubscribed) => HD_NOT_SUBSCRIBED,
        Err(WaitTickError::Timeout(_)) => HD_TIMEOUT,
        Err(WaitTickError::Gone) => HD_GONE,
        Err(WaitTickError::System(_)) => HD_SYSTEM,
    };
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, wait) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_wake_fd(subscription: *const SubscriptionHandle) -> i32 {
    let fd = |blocks: &Subscription| {
        blocks
            .shared_wake()
            .map_or(HD_NOT_SUBSCRIBED, |wake| wake.as_fd().as_raw_fd())
    };
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, fd) }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn hd_wake_clear(subscription: *const SubscriptionHandle) -> i32 {
    let clear = |blocks: &Subscription| {
        let Some(wake) = blocks.shared_wake() else {
            return HD_NOT_SUBSCRIBED;
        };
        match wake.wait(Duration::ZERO) {
            Ok(_) => HD_OK,
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => HD_GONE,
            Err(_) => HD_SYSTEM,
        }
    };
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, clear) }
}

/// A mistake in the library while it reads, for tests of what it does then.
#[cfg(feature = "panic-entry")]
#[unsafe(no_mangle)]
unsafe extern "C" fn hd_test_panic_subscription(subscription: *const SubscriptionHandle) -> i32 {
    // SAFETY: the rule of `memory`.
    unsafe { SubscriptionHandle::with(subscription, |_| panic!("a planted mistake")) }
}
