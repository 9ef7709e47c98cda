//! Memory that never faults in the loop: locked, already touched, and with an allocator that does
//! not give it back.

use super::Step;
use rustix::{
    mm::{MlockAllFlags, mlockall},
    process::{Resource, getrlimit},
};
use std::{hint::black_box, io};

const LOCK: &str = "mlockall";
const MALLOC: &str = "malloc";
const HEAP: &str = "heap";
const STACK: &str = "stack";

/// Bytes of stack that [`prefault_stack`] touches. The loop's deepest call chain is well below it;
/// a thread's stack is 2 MiB.
pub const STACK_BYTES: usize = 256 * 1024;

/// The smallest page of any supported machine.
const PAGE_BYTES: usize = 4096;

/// Locks all memory of the process, present and future, into RAM: no page is ever swapped or
/// dropped.
///
/// Present memory is filled now; later memory is filled when it is first touched. Without
/// `MCL_ONFAULT` the kernel fills a new mapping of hundreds of megabytes as a whole, and every
/// thread that allocates or frees memory is held up meanwhile. So a thread that must not wait for a
/// page touches it beforehand.
///
/// Needs `RLIMIT_MEMLOCK` large enough for everything that the process maps, or `CAP_IPC_LOCK`.
pub fn lock_all() -> Step {
    let later = MlockAllFlags::FUTURE | MlockAllFlags::ONFAULT;
    match mlockall(MlockAllFlags::CURRENT).and_then(|()| mlockall(later)) {
        Ok(()) => Step::granted(LOCK, "all memory, present and future"),
        Err(errno) => {
            let limit = getrlimit(Resource::Memlock)
                .current
                .map_or_else(|| "unlimited".to_owned(), |bytes| format!("{bytes} bytes"));
            Step::refused(
                LOCK,
                format!("{}; RLIMIT_MEMLOCK is {limit}", io::Error::from(errno)),
                "set LimitMEMLOCK=infinity in the unit, or memlock in /etc/security/limits.conf",
            )
        }
    }
}

/// Size from which an allocation is a separate mapping.
const LARGE_BYTES: i32 = 1 << 20;

/// Tells the C allocator to keep freed memory (`M_TRIM_THRESHOLD`), so that memory once touched
/// stays. Blocks of a mebibyte and more are the exception: they are separate mappings
/// (`M_MMAP_THRESHOLD`) and return to the system when freed. These are clients' meshes and what is
/// made from them. As everything is locked, memory that is not returned is lost to the whole
/// machine.
pub fn tune_allocator() -> Step {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: `mallopt` takes two integers and only changes the allocator's settings under its
        // own lock.
        let done = unsafe {
            libc::mallopt(libc::M_TRIM_THRESHOLD, -1) == 1
                && libc::mallopt(libc::M_MMAP_THRESHOLD, LARGE_BYTES) == 1
        };
        if done {
            return Step::granted(
                MALLOC,
                "keeps freed memory, returns blocks of 1 MiB or more",
            );
        }
    }
    Step::refused(
        MALLOC,
        "this C library's allocator has no such settings",
        "memory may be returned and faulted in again",
    )
}

/// Allocates `bytes`, touches every page, and frees them, so that later allocations find them
/// present. Useful after [`tune_allocator`]; without it the allocator may return them to the
/// system.
pub fn prefault_heap(bytes: usize) -> Step {
    let mut memory: Vec<u8> = Vec::new();
    if memory.try_reserve_exact(bytes).is_err() {
        return Step::refused(
            HEAP,
            format!("{bytes} bytes are not available"),
            "free memory, or ask for less",
        );
    }
    // Not zero: writing zeros into zero pages could be optimised away.
    memory.resize(bytes, 0xa5);
    for page in memory.chunks(PAGE_BYTES) {
        black_box(page);
    }
    Step::granted(HEAP, format!("{bytes} bytes touched"))
}

/// Touches [`STACK_BYTES`] of the *calling thread's* stack below this call.
#[inline(never)]
pub fn prefault_stack() -> Step {
    let mut area = [0_u8; STACK_BYTES];
    for index in (0..STACK_BYTES).step_by(PAGE_BYTES) {
        area[index] = 1;
    }
    black_box(&mut area);
    Step::granted(STACK, format!("{STACK_BYTES} bytes touched"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Page faults of this thread that needed no disk, so far.
    fn faults() -> i64 {
        // SAFETY: `rusage` is plain integers, for which all zero is valid; the kernel writes one of
        // them.
        unsafe {
            let mut usage: libc::rusage = std::mem::zeroed();
            assert_eq!(libc::getrusage(libc::RUSAGE_THREAD, &raw mut usage), 0);
            usage.ru_minflt
        }
    }

    #[inline(never)]
    fn use_stack() -> u8 {
        let mut area = [0_u8; STACK_BYTES / 2];
        for index in (0..area.len()).step_by(PAGE_BYTES) {
            area[index] = 1;
        }
        *black_box(&mut area).last().unwrap()
    }

    #[test]
    fn a_prefaulted_stack_does_not_fault_again() {
        // A fresh thread has a fresh stack: the first use, in the test's function, faults and the
        // second does not.
        std::thread::spawn(|| {
            let start = faults();
            assert!(prefault_stack().is_granted());
            let prefaulted = faults();
            use_stack();
            let used = faults();
            assert!(
                prefaulted - start >= (STACK_BYTES / PAGE_BYTES / 2) as i64,
                "{}",
                prefaulted - start
            );
            // The test binary's own code may fault in; the stack's 32 pages would show.
            assert!(used - prefaulted < 8, "{}", used - prefaulted);
        })
        .join()
        .unwrap();
    }

    #[test]
    fn a_prefaulted_heap_is_granted_and_an_impossible_one_refused() {
        assert!(tune_allocator().is_granted() || !cfg!(target_env = "gnu"));
        assert!(prefault_heap(1 << 20).is_granted());
        assert!(!prefault_heap(usize::MAX).is_granted());
    }
}
