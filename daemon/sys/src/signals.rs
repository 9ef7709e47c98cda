//! Signals as a descriptor: they arrive where somebody waits for them, never in the middle of something.
//!
//! [`Signals::block`] must be called on the main thread before any other thread starts, because a thread inherits the mask of the
//! one that made it: a thread without the mask would be killed by the signal instead. A child process inherits it too.

use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
};

/// The signals that the daemon answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end in order (ramp to zero, stop the arms, flush). A second one: zero at once.
    Terminate,
    /// SIGINT: as SIGTERM, from a terminal.
    Interrupt,
    /// SIGHUP: read the configuration again.
    Reload,
    /// SIGUSR1: write the black box.
    Dump,
    /// SIGXCPU: a real-time thread used more processor time at a stretch than `RLIMIT_RTTIME` allows.
    RealtimeOverrun,
}

const ALL: [(libc::c_int, Signal); 5] = [
    (libc::SIGTERM, Signal::Terminate),
    (libc::SIGINT, Signal::Interrupt),
    (libc::SIGHUP, Signal::Reload),
    (libc::SIGUSR1, Signal::Dump),
    (libc::SIGXCPU, Signal::RealtimeOverrun),
];

/// The descriptor from which the signals come; readable when there is one.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks the ordinary delivery of every [`Signal`] for this thread and those it will make, and receives them here instead.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn block() -> io::Result<Self> {
        // SAFETY: `sigset_t` is plain data for which all zero is a valid value; `sigemptyset` then initialises it properly, and both
        // it and `sigaddset` only write through the pointer that they are given, with valid signal numbers.
        let mask = unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut mask);
            for (number, _) in ALL {
                libc::sigaddset(&raw mut mask, number);
            }
            mask
        };
        // SAFETY: `mask` is initialised; the old mask is not asked for.
        let failed = unsafe {
            libc::pthread_sigmask(libc::SIG_BLOCK, &raw const mask, std::ptr::null_mut())
        };
        if failed != 0 {
            return Err(io::Error::from_raw_os_error(failed));
        }
        // SAFETY: `mask` is initialised; -1 asks for a new descriptor.
        let fd =
            unsafe { libc::signalfd(-1, &raw const mask, libc::SFD_CLOEXEC | libc::SFD_NONBLOCK) };
        if fd < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: a fresh descriptor that nobody else owns.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// The next signal, `None` when there is none.
    ///
    /// # Errors
    /// Only if the descriptor is broken.
    pub fn next(&self) -> io::Result<Option<Signal>> {
        loop {
            // SAFETY: `signalfd_siginfo` is plain integers, for which all zero is valid.
            let mut info: libc::signalfd_siginfo = unsafe { std::mem::zeroed() };
            let size = size_of::<libc::signalfd_siginfo>();
            // SAFETY: the kernel writes at most `size` bytes into `info`, which is that large.
            let count = unsafe { libc::read(self.0.as_raw_fd(), (&raw mut info).cast(), size) };
            if count < 0 {
                let error = io::Error::last_os_error();
                match error.kind() {
                    io::ErrorKind::WouldBlock => return Ok(None),
                    io::ErrorKind::Interrupted => continue,
                    _ => return Err(error),
                }
            }
            let found = ALL
                .iter()
                .find(|(number, _)| u32::try_from(*number) == Ok(info.ssi_signo));
            if let Some((_, signal)) = found {
                return Ok(Some(*signal));
            }
        }
    }
}

impl AsFd for Signals {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_signal_arrives_at_the_descriptor_instead_of_killing_us() {
        let signals = Signals::block().unwrap();
        assert_eq!(signals.next().unwrap(), None);
        for (number, signal) in ALL {
            // SAFETY: `raise` sends to this thread only, where the signal is blocked.
            assert_eq!(unsafe { libc::raise(number) }, 0);
            assert_eq!(signals.next().unwrap(), Some(signal));
            assert_eq!(signals.next().unwrap(), None);
        }
    }
}
