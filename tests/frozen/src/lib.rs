//! Holds one thread of another process, as if it hung, or has it panic: all others run on. For
//! tests of real binaries.
//!
//! SIGSTOP stops a whole process; a debugger stops a thread of it. So this is `ptrace`, which a
//! process may use on its children.
//!
//! A thread that is stopped in the middle of taking memory would stop all others that want some: no
//! hang of a thread does that, so it is let go on a little and stopped again.

use std::io;
use std::marker::PhantomData;
use std::time::{Duration, Instant};

mod lock;
mod panic;
mod program;

/// How long a thread may take to be held, or to be gone.
const PATIENCE: Duration = Duration::from_secs(60);

/// A thread that does not run while this lives. The thread that made it must end it: the kernel
/// takes orders about a held thread from nobody else.
///
/// While a child's first thread is held, the child must not be waited for.
#[derive(Debug)]
pub struct Frozen {
    thread: libc::pid_t,
    not_send: PhantomData<*const ()>,
}

impl Frozen {
    /// Holds the first thread of a process.
    ///
    /// # Errors
    /// There is no such process, or the kernel does not permit it.
    pub fn first(process: u32) -> io::Result<Self> {
        Self::hold(libc::pid_t::try_from(process).map_err(io::Error::other)?)
    }

    /// Holds the thread of a process that has this name.
    ///
    /// # Errors
    /// There is no such thread, or the kernel does not permit it.
    pub fn named(process: u32, name: &str) -> io::Result<Self> {
        Self::hold(named(process, name)?)
    }

    fn hold(thread: libc::pid_t) -> io::Result<Self> {
        Self::hold_where(thread, |_| true)
    }

    /// Holds it where it has no lock of the heap, and where this is true of the address that it is
    /// at.
    fn hold_where(thread: libc::pid_t, may: impl Fn(u64) -> bool) -> io::Result<Self> {
        let lock = lock::HeapLock::of(thread)?;
        order(libc::PTRACE_SEIZE, thread)?;
        let held = Frozen {
            thread,
            not_send: PhantomData,
        };
        let from = Instant::now();
        while from.elapsed() < PATIENCE {
            order(libc::PTRACE_INTERRUPT, thread)?;
            if !held.until(|status| libc::WIFSTOPPED(status)) {
                return Err(io::Error::other("the thread does not stop"));
            }
            if lock.holder()? != thread && may(place(thread)?) {
                return Ok(held);
            }
            order(libc::PTRACE_CONT, thread)?;
        }
        Err(io::Error::other("the thread is never where it may be held"))
    }

    /// Waits until the thread is gone, since its process has ended; a process whose thread is held
    /// is not seen to end before. False: it is still there after a minute.
    #[must_use]
    pub fn is_gone(&self) -> bool {
        self.until(|status| libc::WIFEXITED(status) || libc::WIFSIGNALED(status))
    }

    /// Waits for a change of the thread's state. True also when there is no such thread any more.
    fn until(&self, is_it: impl Fn(libc::c_int) -> bool) -> bool {
        let from = Instant::now();
        while from.elapsed() < PATIENCE {
            let mut status = 0;
            let flags = libc::__WALL | libc::WNOHANG;
            // SAFETY: the kernel writes one integer, for which there is room.
            let found = unsafe { libc::waitpid(self.thread, &raw mut status, flags) };
            if found < 0 || (found == self.thread && is_it(status)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // One that is gone needs no word.
        let _ = order(libc::PTRACE_DETACH, self.thread);
    }
}

/// Has a thread of a process panic, the one with this name or the first one: in its next call of a
/// function that it alone calls. `function`: its path, a part of it from each level, its own name
/// last. The thread is held for a moment only.
///
/// # Errors
/// There is no such thread or function, or the kernel does not permit it.
pub fn panic_in(process: u32, thread: Option<&str>, function: &[&str]) -> io::Result<()> {
    let thread = match thread {
        Some(name) => named(process, name)?,
        None => libc::pid_t::try_from(process).map_err(io::Error::other)?,
    };
    let program = program::Program::of(thread)?;
    let panic = panic::Panic::of(&program, function)?;
    let _held = Frozen::hold_where(thread, |at| !panic.cuts(at))?;
    panic.plant(&program)
}

/// The thread of a process that has this name.
fn named(process: u32, name: &str) -> io::Result<libc::pid_t> {
    for entry in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let entry = entry?;
        // One that has just ended has no name.
        let found = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if found.trim_end() == name {
            let number = entry.file_name().to_string_lossy().parse();
            return number.map_err(io::Error::other);
        }
    }
    let why = format!("process {process} has no thread `{name}`");
    Err(io::Error::new(io::ErrorKind::NotFound, why))
}

/// The address of the instruction at which a held thread is.
fn place(thread: libc::pid_t) -> io::Result<u64> {
    let text = std::fs::read_to_string(format!("/proc/{thread}/syscall"))?;
    let last = text.split_whitespace().next_back().unwrap_or_default();
    u64::from_str_radix(last.trim_start_matches("0x"), 16).map_err(io::Error::other)
}

fn order(what: libc::c_uint, thread: libc::pid_t) -> io::Result<()> {
    let none = std::ptr::null_mut::<libc::c_void>();
    // SAFETY: these orders take no address and no data.
    match unsafe { libc::ptrace(what, thread, none, none) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}
