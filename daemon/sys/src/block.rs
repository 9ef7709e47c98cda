//! Shared memory that only its creator can write: a memfd, mapped for writing first and sealed
//! afterwards.
//!
//! [`SharedBlock::create`] makes the file, maps it writable, then seals it `SHRINK | GROW |
//! FUTURE_WRITE | SEAL` (and not executable, on kernels 6.3 and later). The creator's mapping stays
//! writable. Through any descriptor of the file, even one re-opened from `/proc`, no process can
//! write, map writable, resize or punch holes. A receiver checks the seals in
//! [`ReadOnlyBlock::open`]. The size is sealed as well, so touching the mapping can never raise
//! SIGBUS.
//!
//! Creating, opening and dropping make system calls (unmapping can take milliseconds: not on a
//! real-time thread). Access to the words is RT-callable; the pages are touched at creation, so a
//! first access does not fault in the creator.

use hapticd_sync::{
    AtomicU64,
    words::{ReadableWords, Word, WritableWords},
};
use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, ftruncate, memfd_create},
    io::Errno,
    mm::{MapFlags, ProtFlags, mmap, munmap},
};
use std::{
    ffi::c_void,
    fmt,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    ptr::NonNull,
};

/// Seals that a receiver requires before it maps a block.
const REQUIRED: SealFlags = SealFlags::SHRINK
    .union(SealFlags::GROW)
    .union(SealFlags::FUTURE_WRITE)
    .union(SealFlags::SEAL);

/// Longest block, words: 128 MiB, two frames of a skin of two million triangles. State blocks are
/// kilobytes; a larger size is a mistake or an attack.
pub const MAX_WORDS: usize = 16 * 1024 * 1024;

const WORD_BYTES: usize = size_of::<u64>();

/// Why a block could not be made.
#[derive(Debug, thiserror::Error)]
pub enum CreateError {
    /// The size is zero or too large.
    #[error("a shared block has 1 to {MAX_WORDS} words, not {words}")]
    Size {
        /// The requested size, words.
        words: usize,
    },
    /// The kernel refused a step.
    #[error("cannot {step} a shared block of {bytes} bytes: {source}")]
    System {
        /// `create`, `size`, `map` or `seal`.
        step: &'static str,
        /// Length of the block.
        bytes: usize,
        /// The kernel's reason.
        source: std::io::Error,
    },
}

/// Why a received descriptor was not accepted as a block.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The descriptor is not a memory file with seals.
    #[error("the descriptor is not a sealable memory file: {source}")]
    NotSealable {
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The owner could still change the file while it is in use.
    #[error("the memory file lacks seals: has {has:#x}, needs {needs:#x}")]
    Unsealed {
        /// The seals that it has (`F_SEAL_*` bits).
        has: u32,
        /// The seals that it must have.
        needs: u32,
    },
    /// The file's length is impossible for a block.
    #[error("the memory file has {bytes} bytes; a block has 8 to {} bytes, in whole words", MAX_WORDS * WORD_BYTES)]
    Size {
        /// Length of the file.
        bytes: i64,
    },
    /// The kernel refused to map the file.
    #[error("cannot map a shared block of {bytes} bytes: {source}")]
    Map {
        /// Length of the file.
        bytes: usize,
        /// The kernel's reason.
        source: std::io::Error,
    },
}

/// A mapping of `words` whole words, unmapped when dropped.
struct Mapping {
    start: NonNull<AtomicU64>,
    words: usize,
}

// SAFETY: the mapping is memory of this process that lives until `Mapping` is dropped, wherever
// that happens, and it is only ever accessed through shared references to atomics (or to `Word`,
// which only loads).
unsafe impl Send for Mapping {}
// SAFETY: as above.
unsafe impl Sync for Mapping {}

impl Mapping {
    fn new(fd: BorrowedFd<'_>, words: usize, protection: ProtFlags) -> Result<Self, Errno> {
        let bytes = words * WORD_BYTES;
        // SAFETY: a fresh mapping at an address of the kernel's choice cannot alias any memory that
        // Rust knows.
        let start = unsafe {
            mmap(
                std::ptr::null_mut(),
                bytes,
                protection,
                MapFlags::SHARED,
                fd,
                0,
            )
        }?;
        // The kernel never maps at 0 unless asked to.
        let start = NonNull::new(start.cast::<AtomicU64>()).ok_or(Errno::FAULT)?;
        Ok(Self { start, words })
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: exactly the range that `mmap` returned, and no reference into it outlives `self`.
        // Failure would mean that the range was not mapped, and a drop can do nothing about it.
        let _ = unsafe {
            munmap(
                self.start.as_ptr().cast::<c_void>(),
                self.words * WORD_BYTES,
            )
        };
    }
}

impl fmt::Debug for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} words", self.words)
    }
}

/// The creator's side, the only one that can write the words.
#[derive(Debug)]
pub struct SharedBlock {
    map: Mapping,
}

/// The descriptor of a sealed block, for readers.
#[derive(Debug)]
pub struct BlockFd(OwnedFd);

impl AsFd for BlockFd {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

impl BlockFd {
    /// Duplicates the descriptor.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn try_clone(&self) -> std::io::Result<Self> {
        self.0.try_clone().map(Self)
    }

    /// Returns the bare descriptor.
    pub fn into_owned(self) -> OwnedFd {
        self.0
    }
}

fn system(step: &'static str, bytes: usize) -> impl Fn(Errno) -> CreateError {
    move |errno| CreateError::System {
        step,
        bytes,
        source: errno.into(),
    }
}

impl SharedBlock {
    /// Makes a block of `words` zero words and the descriptor for its readers. `name` shows in
    /// `/proc/PID/fd` and `maps`.
    ///
    /// The two parts are separate: the writer needs no descriptor, and the thread that hands out
    /// descriptors cannot write.
    ///
    /// # Errors
    /// [`CreateError`]: an impossible size, or the kernel's refusal (out of descriptors, out of
    /// memory).
    pub fn create(name: &str, words: usize) -> Result<(Self, BlockFd), CreateError> {
        if words == 0 || words > MAX_WORDS {
            return Err(CreateError::Size { words });
        }
        let bytes = words * WORD_BYTES;
        let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
        // Kernels before 6.3 refuse NOEXEC_SEAL as an unknown flag.
        let file = memfd_create(name, flags | MemfdFlags::NOEXEC_SEAL)
            .or_else(|errno| {
                if errno == Errno::INVAL {
                    memfd_create(name, flags)
                } else {
                    Err(errno)
                }
            })
            .map_err(system("create", bytes))?;
        ftruncate(&file, bytes as u64).map_err(system("size", bytes))?;
        let map = Mapping::new(file.as_fd(), words, ProtFlags::READ | ProtFlags::WRITE)
            .map_err(system("map", bytes))?;
        fcntl_add_seals(&file, REQUIRED).map_err(system("seal", bytes))?;
        let block = Self { map };
        for word in block.words() {
            // Brings the page in now, not at the first write of the haptic loop.
            word.store(0, std::sync::atomic::Ordering::Relaxed);
        }
        Ok((block, BlockFd(file)))
    }
}

impl WritableWords for SharedBlock {
    fn words(&self) -> &[AtomicU64] {
        // SAFETY: the mapping holds `words` words, page-aligned, initialised (zero pages) and
        // writable, until `self` is dropped. Every access by this process is atomic; other
        // processes can only read.
        unsafe { std::slice::from_raw_parts(self.map.start.as_ptr(), self.map.words) }
    }
}

/// A reader's side: checked, mapped read-only, and with no way to express a store.
#[derive(Debug)]
pub struct ReadOnlyBlock {
    map: Mapping,
}

impl ReadOnlyBlock {
    /// Checks the seals and the size of `fd` and maps it. The descriptor is closed; the mapping
    /// does not need it.
    ///
    /// # Errors
    /// [`OpenError`]: the descriptor is something else, is not sealed as a block is, or has an
    /// impossible size.
    pub fn open(fd: OwnedFd) -> Result<Self, OpenError> {
        let seals = fcntl_get_seals(&fd).map_err(|errno| OpenError::NotSealable {
            source: errno.into(),
        })?;
        if !seals.contains(REQUIRED) {
            return Err(OpenError::Unsealed {
                has: seals.bits(),
                needs: REQUIRED.bits(),
            });
        }
        let bytes = fstat(&fd)
            .map_err(|errno| OpenError::NotSealable {
                source: errno.into(),
            })?
            .st_size;
        let words = match usize::try_from(bytes) {
            Ok(length)
                if length.is_multiple_of(WORD_BYTES)
                    && (1..=MAX_WORDS).contains(&(length / WORD_BYTES)) =>
            {
                length / WORD_BYTES
            }
            _ => return Err(OpenError::Size { bytes }),
        };
        let map =
            Mapping::new(fd.as_fd(), words, ProtFlags::READ).map_err(|errno| OpenError::Map {
                bytes: words * WORD_BYTES,
                source: errno.into(),
            })?;
        Ok(Self { map })
    }
}

impl ReadableWords for ReadOnlyBlock {
    fn readable_words(&self) -> &[Word] {
        // SAFETY: the mapping holds `words` readable words until `self` is dropped; the file cannot
        // shrink (sealed, checked), so no access faults. `Word` is transparent over an atomic and
        // only loads.
        unsafe {
            std::slice::from_raw_parts(self.map.start.as_ptr().cast::<Word>(), self.map.words)
        }
    }
}
