//! For tests: stops one thread of a child process, and lets it go on.
//!
//! A thread that hangs in a driver, a lock or a file looks the same to all others. SIGSTOP stops
//! whole processes; `ptrace` stops one thread.

use std::ffi::c_void;
use std::io;
use std::marker::PhantomData;
use std::ptr;

/// A thread that is stopped for as long as this lives.
///
/// Only the thread that froze it may let it go (`ptrace` knows its tracer by its thread), hence not
/// `Send`.
#[derive(Debug)]
pub struct Frozen {
    thread: libc::pid_t,
    here: PhantomData<*const ()>,
}

impl Frozen {
    /// Stops the thread of this name of a child process; the main thread is `None`. Returns when it
    /// runs no more.
    ///
    /// # Errors
    /// `NotFound` without such a thread; the kernel's where tracing is not allowed.
    pub fn thread(process: u32, name: Option<&str>) -> io::Result<Self> {
        let thread = find(process, name)?;
        request(libc::PTRACE_SEIZE, thread)?;
        // From here on it is let go again whatever happens.
        let frozen = Frozen {
            thread,
            here: PhantomData,
        };
        request(libc::PTRACE_INTERRUPT, thread)?;
        let status = wait(thread)?;
        if !libc::WIFSTOPPED(status) {
            return Err(io::Error::other(format!("it ended: status {status:#x}")));
        }
        Ok(frozen)
    }

    /// Waits until the thread has ended with its process, which it cannot leave while it is frozen.
    /// To be called before the process is waited for: its end is reported when no thread is left.
    ///
    /// # Errors
    /// The kernel's.
    pub fn wait_for_the_end(&self) -> io::Result<()> {
        while libc::WIFSTOPPED(wait(self.thread)?) {}
        Ok(())
    }
}

/// Waits for the next change of a traced thread.
fn wait(thread: libc::pid_t) -> io::Result<libc::c_int> {
    let mut status = 0;
    // SAFETY: `status` outlives the call, which writes nothing else.
    while unsafe { libc::waitpid(thread, &raw mut status, libc::__WALL) } != thread {
        let error = io::Error::last_os_error();
        if error.kind() != io::ErrorKind::Interrupted {
            return Err(error);
        }
    }
    Ok(status)
}

impl Drop for Frozen {
    fn drop(&mut self) {
        // Refused only where the thread has ended, and then there is nothing to let go.
        let _ = request(libc::PTRACE_DETACH, self.thread);
    }
}

/// A request without address and data.
fn request(what: libc::c_uint, thread: libc::pid_t) -> io::Result<()> {
    let none = ptr::null_mut::<c_void>();
    // SAFETY: none of the three requests reads or writes memory of this process.
    match unsafe { libc::ptrace(what, thread, none, none) } {
        -1 => Err(io::Error::last_os_error()),
        _ => Ok(()),
    }
}

fn find(process: u32, name: Option<&str>) -> io::Result<libc::pid_t> {
    let Some(name) = name else {
        return libc::pid_t::try_from(process).map_err(io::Error::other);
    };
    for entry in std::fs::read_dir(format!("/proc/{process}/task"))? {
        let entry = entry?;
        // One that has just ended has no name.
        let known = std::fs::read_to_string(entry.path().join("comm")).unwrap_or_default();
        if known.trim_end() == name {
            let number = entry.file_name();
            return number.to_string_lossy().parse().map_err(io::Error::other);
        }
    }
    let error = format!("process {process} has no thread named {name}");
    Err(io::Error::new(io::ErrorKind::NotFound, error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{BufRead, BufReader, Write};
    use std::process::{Command, Stdio};

    #[test]
    fn a_frozen_thread_answers_when_it_is_let_go() {
        let mut cat = Command::new("cat")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let state = || {
            let stat = std::fs::read_to_string(format!("/proc/{}/stat", cat.id())).unwrap();
            stat.rsplit(") ").next().unwrap().chars().next()
        };
        let frozen = Frozen::thread(cat.id(), None).unwrap();
        assert_eq!(state(), Some('t'));
        assert!(Frozen::thread(cat.id(), Some("nobody")).is_err());
        let mut input = cat.stdin.take().unwrap();
        input.write_all(b"word\n").unwrap();
        drop(input);
        drop(frozen);
        let mut line = String::new();
        BufReader::new(cat.stdout.take().unwrap())
            .read_line(&mut line)
            .unwrap();
        assert_eq!(line, "word\n");
        assert!(cat.wait().unwrap().success());
    }
}
