//! Which thread of a running `hapticd` has the lock of its heap.
//!
//! The lock is a futex that holds its holder's number. Where it is the program's table of symbols
//! says, and the process's memory map where the program was loaded.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// The name under which `hapticd_sys::heap` exports it.
const NAME: &[u8] = b"hapticd_heap_lock";
/// Bits of the futex that are no thread's number.
const FLAGS: u32 = libc::FUTEX_WAITERS | libc::FUTEX_OWNER_DIED;
/// Of a 64-bit ELF file: size of a section's header and of a symbol, and a symbol table's type.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
const SYMBOLS: u32 = 2;

/// The lock of a process's heap.
pub(crate) struct HeapLock {
    memory: File,
    address: u64,
}

impl HeapLock {
    /// Of the process that this thread is part of.
    pub(crate) fn of(thread: libc::pid_t) -> io::Result<Self> {
        let program = fs::read(format!("/proc/{thread}/exe"))?;
        let offset = symbol(&program, NAME)
            .ok_or_else(|| io::Error::other("the program has no symbol hapticd_heap_lock"))?;
        let name = fs::read_link(format!("/proc/{thread}/exe"))?;
        let maps = fs::read_to_string(format!("/proc/{thread}/maps"))?;
        let first = maps
            .lines()
            .find(|line| line.ends_with(&*name.to_string_lossy()))
            .and_then(|line| line.split('-').next())
            .and_then(|start| u64::from_str_radix(start, 16).ok())
            .ok_or_else(|| io::Error::other("the program is not in its process's memory map"))?;
        Ok(HeapLock {
            memory: File::open(format!("/proc/{thread}/mem"))?,
            address: first + offset,
        })
    }

    /// The thread that has it; 0 for none.
    pub(crate) fn holder(&self) -> io::Result<libc::pid_t> {
        let mut word = [0; 4];
        self.memory.read_exact_at(&mut word, self.address)?;
        Ok((u32::from_ne_bytes(word) & !FLAGS).cast_signed())
    }
}

/// The value of a symbol of a 64-bit little-endian ELF file: of a program that is loaded anywhere,
/// its distance from there.
fn symbol(program: &[u8], name: &[u8]) -> Option<u64> {
    let at = |from: usize, bytes: usize| {
        let bytes = program.get(from..from.checked_add(bytes)?)?;
        let number = bytes.iter().rev().fold(0, |n, b| n << 8 | u64::from(*b));
        Some(number)
    };
    let size = |from: usize, bytes: usize| usize::try_from(at(from, bytes)?).ok();
    let (sections, count) = (size(40, 8)?, size(60, 2)?);
    let header = |k: usize| sections + k * SECTION;
    let table = (0..count).find(|k| at(header(*k) + 4, 4) == Some(u64::from(SYMBOLS)))?;
    let (start, bytes) = (size(header(table) + 24, 8)?, size(header(table) + 32, 8)?);
    let names = size(header(size(header(table) + 40, 4)?) + 24, 8)?;
    (0..bytes / SYMBOL).find_map(|k| {
        let entry = start + k * SYMBOL;
        let text = program.get(names + size(entry, 4)?..)?;
        let is_it = text.starts_with(name) && text.get(name.len()) == Some(&0);
        is_it.then(|| at(entry + 8, 8)).flatten()
    })
}
