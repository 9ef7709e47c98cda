//! The program that a process runs: where its functions and statics are in memory, and what is
//! there.
//!
//! Where a symbol is the program's table of symbols says, and the process's memory map where the
//! program was loaded.

use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;

/// Of a 64-bit ELF file: size of a section's header and of a symbol, and a symbol table's type.
const SECTION: usize = 64;
const SYMBOL: usize = 24;
const SYMBOLS: u32 = 2;

/// See the module page.
pub(crate) struct Program {
    file: Vec<u8>,
    memory: File,
    start: u64,
}

impl Program {
    /// Of the process that this thread is part of.
    pub(crate) fn of(thread: libc::pid_t) -> io::Result<Self> {
        let name = fs::read_link(format!("/proc/{thread}/exe"))?;
        let maps = fs::read_to_string(format!("/proc/{thread}/maps"))?;
        let start = maps
            .lines()
            .find(|line| line.ends_with(&*name.to_string_lossy()))
            .and_then(|line| line.split('-').next())
            .and_then(|start| u64::from_str_radix(start, 16).ok())
            .ok_or_else(|| io::Error::other("the program is not in its process's memory map"))?;
        Ok(Program {
            file: fs::read(format!("/proc/{thread}/exe"))?,
            memory: File::options()
                .read(true)
                .write(true)
                .open(format!("/proc/{thread}/mem"))?,
            start,
        })
    }

    /// Address of the first symbol with a name that this accepts.
    pub(crate) fn address(&self, is_it: impl Fn(&[u8]) -> bool) -> Option<u64> {
        symbol(&self.file, is_it).map(|offset| self.start + offset)
    }

    pub(crate) fn read(&self, address: u64, bytes: &mut [u8]) -> io::Result<()> {
        self.memory.read_exact_at(bytes, address)
    }

    /// Writes, in pages that are not writable, too: a process that holds a thread by `ptrace` may.
    pub(crate) fn write(&self, address: u64, bytes: &[u8]) -> io::Result<()> {
        self.memory.write_all_at(bytes, address)
    }
}

/// The value of a symbol of a 64-bit little-endian ELF file: of a program that is loaded anywhere,
/// its distance from there.
fn symbol(program: &[u8], is_it: impl Fn(&[u8]) -> bool) -> Option<u64> {
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
        let name = text.split(|byte| *byte == 0).next()?;
        is_it(name).then(|| at(entry + 8, 8)).flatten()
    })
}
