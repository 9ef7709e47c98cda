//! The heap of a process with threads of unequal urgency: no thread waits for it longer than
//! another works on it. Not RT-callable: an allocation may fault.
//!
//! # Theory
//!
//! The C library's allocator has a lock for each of its arenas, and a thread that frees what
//! another one allocated takes the other one's. That lock knows no priorities. A thread that holds
//! it when its time slice ends keeps it until the next one, and an urgent thread waits for as long:
//! 57 ms of it were seen beside two builds, enough to leave clients without their server. The cure
//! is priority inheritance (Sha, Rajkumar, Lehoczky 1990, "Priority inheritance protocols", section
//! III): the holder runs with the priority of the most urgent thread that waits.
//!
//! # Practice
//!
//! [`Heap`] puts one such lock ([`Inheriting`], a futex of the kernel's) before the C library's
//! allocator. What takes long stays outside of it: pieces of [`LARGE_BYTES`] and more are mappings
//! of their own, and zeros and copies are written without it. An allocation costs two more atomic
//! operations, some 15 ns. Libraries in C that allocate by themselves (drivers) do so past the
//! lock, in arenas of their own.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::hint::spin_loop;
use std::ptr;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use rustix::io::Errno;
use rustix::mm::{MapFlags, MremapFlags, ProtFlags};
use rustix::thread::futex;

/// From so many bytes on a piece of memory is a mapping of its own, which goes back to the system
/// when it is freed.
pub const LARGE_BYTES: usize = 1 << 20;

/// A piece that grows to more is copied outside of the lock.
const COPIED_BYTES: usize = 4096;

/// The strictest alignment that every mapping has.
const PAGE_BYTES: usize = 4096;

/// Looks at a lock that is taken before the kernel is asked: for about as long as a piece takes to
/// be found.
const LOOKS: u32 = 30;

/// The process's heap: `#[global_allocator] static HEAP: Heap = Heap;`. See the module page.
#[derive(Clone, Copy, Debug, Default)]
pub struct Heap;

/// By this name a debugger, and a test that holds a thread, sees which thread has it.
// No other item of this name is linked: it begins with the program's.
#[unsafe(export_name = "hapticd_heap_lock")]
static LOCK: Inheriting = Inheriting::new();

fn is_large(layout: &Layout) -> bool {
    layout.size() >= LARGE_BYTES && layout.align() <= PAGE_BYTES
}

// SAFETY: what is large is a mapping of its own, everything else is `System`'s: which of them is a
// matter of the layout, which `dealloc` and `realloc` get as `alloc` got it. Nothing here unwinds.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if is_large(&layout) {
            return map(layout.size());
        }
        let _held = LOCK.lock();
        // SAFETY: the caller's promises are `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if is_large(&layout) {
            return map(layout.size());
        }
        // SAFETY: the caller promises a size that is not zero.
        let piece = unsafe { self.alloc(layout) };
        if !piece.is_null() {
            // SAFETY: it is as large as that, and has no other user yet.
            unsafe { ptr::write_bytes(piece, 0, layout.size()) };
        }
        piece
    }

    unsafe fn dealloc(&self, piece: *mut u8, layout: Layout) {
        if is_large(&layout) {
            // SAFETY: `map` made it, of this size, and the caller has no use for it any more.
            let _ = unsafe { rustix::mm::munmap(piece.cast(), layout.size()) };
            return;
        }
        let _held = LOCK.lock();
        // SAFETY: `System` lent it for this layout.
        unsafe { System.dealloc(piece, layout) }
    }

    unsafe fn realloc(&self, piece: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: the caller promises that the size is allowed for this alignment.
        let wanted = unsafe { Layout::from_size_align_unchecked(size, layout.align()) };
        match (is_large(&layout), is_large(&wanted)) {
            (true, true) => {
                let flags = MremapFlags::MAYMOVE;
                // SAFETY: `map` made it, of this size; the caller uses only what comes back.
                let moved = unsafe { rustix::mm::mremap(piece.cast(), layout.size(), size, flags) };
                moved.map_or(ptr::null_mut(), <*mut _>::cast)
            }
            (false, false) if size <= COPIED_BYTES => {
                let _held = LOCK.lock();
                // SAFETY: `System` lent it for this layout, and the caller's promises are
                // `System`'s.
                unsafe { System.realloc(piece, layout, size) }
            }
            _ => {
                // SAFETY: a new piece, at least as large as what is copied, and an old one that the
                // caller gives up.
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

/// Zeros, from the system; null: it has none.
fn map(bytes: usize) -> *mut u8 {
    let (access, flags) = (ProtFlags::READ | ProtFlags::WRITE, MapFlags::PRIVATE);
    // SAFETY: a new mapping where the kernel likes it overlaps nothing.
    let mapped = unsafe { rustix::mm::mmap_anonymous(ptr::null_mut(), bytes, access, flags) };
    mapped.map_or(ptr::null_mut(), <*mut _>::cast)
}

/// A lock that lends its holder the priority of the most urgent waiting thread.
///
/// Not fair, not reentrant, never poisoned. A thread that is refused by the kernel (none has been
/// seen to: `FUTEX_LOCK_PI` is in every kernel of a distribution) looks again every 50 us.
#[derive(Debug)]
#[repr(C)]
pub struct Inheriting {
    /// 0, or the holder's thread id as the kernel wants it.
    holder: AtomicU32,
    /// What one holder did is seen by the next one, also where the kernel handed the lock on.
    seen: AtomicU32,
}

/// An [`Inheriting`] lock that is held; dropped, it is free.
#[derive(Debug)]
pub struct Held<'a>(&'a Inheriting);

impl Inheriting {
    /// A free one.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            holder: AtomicU32::new(0),
            seen: AtomicU32::new(0),
        }
    }

    /// Waits for it. A thread that has it must not ask again: it would wait for itself.
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
            // Others wait in the kernel, which gives it to the most urgent of them.
            let _ = futex::unlock_pi(holder, futex::Flags::PRIVATE);
        }
    }
}

/// This thread's number, as the kernel knows it.
fn me() -> u32 {
    thread_local! {
        // Neither made when it is first used nor dropped, so that it is there for every allocation.
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
