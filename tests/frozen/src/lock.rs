//! Which thread of a running `hapticd` has the lock of its heap.
//!
//! The lock is a futex that holds its holder's number.

use std::io;

use crate::program::Program;

/// The name under which `hapticd_sys::heap` exports it.
const NAME: &[u8] = b"hapticd_heap_lock";
/// Bits of the futex that are no thread's number.
const FLAGS: u32 = libc::FUTEX_WAITERS | libc::FUTEX_OWNER_DIED;

/// The lock of a process's heap.
pub(crate) struct HeapLock {
    program: Program,
    address: u64,
}

impl HeapLock {
    /// Of the process that this thread is part of.
    pub(crate) fn of(thread: libc::pid_t) -> io::Result<Self> {
        let program = Program::of(thread)?;
        let address = program
            .address(|name| name == NAME)
            .ok_or_else(|| io::Error::other("the program has no symbol hapticd_heap_lock"))?;
        Ok(HeapLock { program, address })
    }

    /// The thread that has it; 0 for none.
    pub(crate) fn holder(&self) -> io::Result<libc::pid_t> {
        let mut word = [0; 4];
        self.program.read(self.address, &mut word)?;
        Ok((u32::from_ne_bytes(word) & !FLAGS).cast_signed())
    }
}
