//! The heap of a process with threads of different priority: no thread waits for it longer than
//! another one works on it. Not RT-callable: an allocation may fault.
//!
//! # Theory
//!
//! The C library's allocator has a lock for each of its arenas, and a thread that frees memory of
//! another thread takes that thread's lock. That lock knows no priorities. A thread that holds it
//! when its time slice ends keeps it until its next slice, and an urgent thread waits as long. Next
//! to two builds, waits of 57 ms were seen, enough to leave clients without their server. The
//! remedy is priority inheritance (Sha, Rajkumar, Lehoczky 1990, "Priority inheritance protocols",
//! section III): the holder runs with the priority of the most urgent waiting thread.
//!
//! # Practice
//!
//! [`Heap`] puts one such lock ([`Inheriting`], a kernel futex) in front of the C library's
//! allocator. Long operations stay outside of it: allocations of [`LARGE_BYTES`] and more are
//! separate mappings, and zeroing and copying happen without the lock. An allocation costs two more
//! atomic operations, some 15 ns. C libraries that allocate on their own (drivers) bypass the lock,
//! in separate arenas.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::spin_loop;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::mm::{MapFlags, MremapFlags, ProtFlags};
use rustix::thread::futex;

/// Size from which an allocation is a separate mapping, which returns to the system when freed.
pub const LARGE_BYTES: usize = 1 << 20;

/// A larger block that grows is copied outside of the lock.
const COPIED_BYTES: usize = 4096;

/// The strictest alignment that every mapping satisfies.
const PAGE_BYTES: usize = 4096;

/// Number of polls of a taken lock before the kernel is called: about as long as an allocation
/// takes.
const LOOKS: u32 = 30;

/// The process's heap: `#[global_allocator] static HEAP: Heap = Heap;`. See the module
/// documentation.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// Exported by name so that a debugger, or a test that stops a thread, can see which thread holds
/// it.
// No other linked item has this name: it begins with the program's name.
#[unsafe(export_name = "hapticd_heap_lock")]
static LOCK: Inheriting = Inheriting::new();

fn is_large(layout: &Layout) -> bool {
    layout.size() >= LARGE_BYTES && layout.align() <= PAGE_BYTES
}

// SAFETY: large allocations are separate mappings, all others are `System`'s. The layout alone
// decides which, and `dealloc` and `realloc` get the same layout as `alloc`. Nothing here unwinds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(&layout) {
            return map(layout.size());
        }
        let _held = LOCK.lock();
        // SAFETY: the caller's guarantees are those that `System` requires.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(&layout) {
            return map(layout.size());
        }
        // SAFETY: the caller guarantees a size that is not zero.
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() {
            // SAFETY: the allocation has this size and no other user yet.
            unsafe { ptr::write_bytes(piece, 0, layout.size()) };
        }
        piece
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if is_large(&layout) {
            // SAFETY: `map` made it with this size, and the caller no longer uses it.
            let _ = unsafe { rustix::mm::munmap(piece.cast(), layout.size()) };
            return;
        }
        let _held = LOCK.lock();
        // SAFETY: `System` allocated it with this layout.
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller guarantees that the size is allowed for this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(&layout), is_large(&wanted)) {
            (true, true) => {
                let flags = MremapFlags::MAYMOVE;
                // SAFETY: `map` made it with this size; the caller uses only the returned pointer.
                let moved = unsafe { rustix::mm::mremap(piece.cast(), layout.size(), size, flags) };
                moved.map_or(ptr::null_mut(), <*mut _>::cast)
            }
            (false, false) if size <= COPIED_BYTES => {
                let _held = LOCK.lock();
                // SAFETY: `System` allocated it with this layout, and the caller's guarantees are
                // those that `System` requires.
                unsafe { System.realloc(piece, layout, size) }
            }
            _ => {
                // SAFETY: a new allocation at least as large as what is copied, and an old one that
                // the caller gives up.
                unsafe {
                    let new = self.alloc(wanted);
                    if !new.is_null() {
                        ptr::copy_nonoverlapping(piece, new, layout.size().min(size));
                        self.dealloc(piece, layout);
                    }
                    new
                }
            }
        }
    }
}

/// Maps zeroed memory from the system; null if it has none.
fn map(bytes: usize) -> *mut u8 {
    let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: a new mapping at an address of the kernel's choice overlaps nothing.
    let mapped = unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), bytes, access, flags) };
    mapped.map_or(ptr::null_mut(), <*mut _>::cast)
}

/// A lock that lends its holder the priority of the most urgent waiting thread.
///
/// Not fair, not reentrant, never poisoned. If the kernel refuses a thread, the thread tries again
/// every 50 us (never observed: every distribution kernel has `FUTEX_LOCK_PI`).
#[derive(Debug)]
#[repr(C)]
pub struct Inheriting {
    /// 0, or the holder's thread id in the kernel's format.
    holder: AtomicU32,
    /// Makes the previous holder's writes visible to the next one, even where the kernel handed the
    /// lock on.
    seen: AtomicU32,
}

/// Guard of a held [`Inheriting`] lock; dropping it releases the lock.
#[derive(Debug)]
pub struct Held<'a>(&'a Inheriting);

impl Inheriting {
    /// Makes a free lock.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            holder: AtomicU32::new(0),
            seen: AtomicU32::new(0),
        }
    }

    /// Waits for the lock. The thread that holds it must not lock it again: it would wait for
    /// itself.
    pub fn lock(&self) -> Held<'_> {
        let me = me();
        let take = || {
            (self.holder)
                .compare_exchange_weak(0, me, Ordering::Acquire, Ordering::Relaxed)
                .is_ok()
        };
        if !take() {
            self.wait(take);
        }
        self.seen.load(Ordering::Acquire);
        Held(self)
    }

    #[cold]
    fn wait(&self, take: impl Fn() -> bool) {
        for _ in 0..LOOKS {
            spin_loop();
            if self.holder.load(Ordering::Relaxed) == 0 && take() {
                return;
            }
        }
        loop {
            match futex::lock_pi(&self.holder, futex::Flags::PRIVATE, None) {
                Ok(()) => return,
                Err(Errno::AGAIN | Errno::INTR) => {}
                Err(_) => std::thread::sleep(Duration::from_micros(50)),
            }
            if take() {
                return;
            }
        }
    }
}

impl Default for Inheriting {
    fn default() -> Self {
        Self::new()
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        let Inheriting { holder, seen } = self.0;
        seen.store(0, Ordering::Release);
        let given = holder.compare_exchange(me(), 0, Ordering::Release, Ordering::Relaxed);
        if given.is_err() {
            // Other threads wait in the kernel, which hands the lock to the most urgent one.
            let _ = futex::unlock_pi(holder, futex::Flags::PRIVATE);
        }
    }
}

/// This thread's id, as the kernel knows it.
fn me() -> u32 {
    thread_local! {
        // Needs neither lazy initialisation nor drop, so it is available to every allocation.
        static ME: Cell<u32> = const { Cell::new(0) };
    }
    ME.with(|cell| {
        if cell.get() == 0 {
            cell.set(
                rustix::thread::gettid()
                    .as_raw_nonzero()
                    .get()
                    .cast_unsigned(),
            );
        }
        cell.get()
    })
}
