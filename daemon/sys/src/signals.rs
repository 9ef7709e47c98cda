//! Signals as a descriptor: they arrive where a thread waits for them and never interrupt code.
//!
//! [`Signals::block`] must be called on the main thread before any other thread starts. A thread
//! inherits the mask of the thread that made it; a signal to a thread without the mask would kill
//! the process. A child process inherits the mask as well.

use crate::wake::{Interest, Wake, wait};
use std::{
    io,
    os::fd::{AsFd, AsRawFd, BorrowedFd, FromRawFd, OwnedFd},
    time::Duration,
};

/// A signal that arrived.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signal {
    /// SIGTERM: end in order (ramp to zero, stop the arms, flush). A second one cuts force at once.
    Terminate,
    /// SIGINT: as SIGTERM, from a terminal.
    Interrupt,
    /// SIGQUIT: as SIGTERM; for a process that holds an arm, a safe stop matters more than a core
    /// file.
    Quit,
    /// SIGPWR: the machine is about to lose power. As SIGTERM.
    PowerFailure,
    /// SIGXCPU: the process exceeded its processor time, and the kernel will kill it soon. As
    /// SIGTERM.
    ProcessorTime,
    /// SIGABRT from outside: the service manager has given the process up. As SIGTERM. A process
    /// that aborts on its own ends at once.
    Abort,
    /// SIGHUP: read the configuration again.
    Reload,
    /// Any other signal that would end or stop the process by default. It is ignored.
    Harmless(i32),
}

impl Signal {
    /// Whether the signal requests the end of the process.
    #[must_use]
    pub const fn ends(self) -> bool {
        !matches!(self, Self::Reload | Self::Harmless(_))
    }
}

const ANSWERED: [(libc::c_int, Signal); 7] = [
    (libc::SIGTERM, Signal::Terminate),
    (libc::SIGINT, Signal::Interrupt),
    (libc::SIGQUIT, Signal::Quit),
    (libc::SIGPWR, Signal::PowerFailure),
    (libc::SIGXCPU, Signal::ProcessorTime),
    (libc::SIGABRT, Signal::Abort),
    (libc::SIGHUP, Signal::Reload),
];

/// Blocked so that they neither end nor stop the process, which would leave the present force on
/// the arms. A file that grows too long then makes `write` fail, and a terminal in the background
/// makes `read` fail.
const HARMLESS: [libc::c_int; 12] = [
    libc::SIGUSR1,
    libc::SIGUSR2,
    libc::SIGALRM,
    libc::SIGVTALRM,
    libc::SIGPROF,
    libc::SIGIO,
    libc::SIGPIPE,
    libc::SIGSTKFLT,
    libc::SIGXFSZ,
    libc::SIGTSTP,
    libc::SIGTTIN,
    libc::SIGTTOU,
];

/// All signals received here.
fn all() -> impl Iterator<Item = libc::c_int> {
    let answered = ANSWERED.into_iter().map(|(number, _)| number);
    answered
        .chain(HARMLESS)
        .chain(libc::SIGRTMIN()..=libc::SIGRTMAX())
}

/// The descriptor that delivers the signals; readable when one is pending.
#[derive(Debug)]
pub struct Signals(OwnedFd);

impl Signals {
    /// Blocks the ordinary delivery of every [`Signal`] for this thread and the threads it will
    /// make, and receives them here instead. Not included: faults of the program itself (SIGSEGV,
    /// SIGILL and the like) and signals of interest only to a terminal's owner (SIGWINCH).
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn block() -> io::Result<Self> {
        // SAFETY: `sigset_t` is plain data for which all zero is a valid value; `sigemptyset` then
        // initialises it properly, and both it and `sigaddset` only write through the pointer that
        // they are given, with valid signal numbers.
        let mask = unsafe {
            let mut mask: libc::sigset_t = std::mem::zeroed();
            libc::sigemptyset(&raw mut mask);
            for number in all() {
                libc::sigaddset(&raw mut mask, number);
            }
            mask
        };
        // SAFETY: `mask` is initialised; the old mask is not requested.
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
        // SAFETY: a fresh descriptor without another owner.
        Ok(Self(unsafe { OwnedFd::from_raw_fd(fd) }))
    }

    /// Returns the next signal; `None` if none is pending.
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
            // A signal number is small.
            let number = libc::c_int::try_from(info.ssi_signo).unwrap_or(0);
            let found = ANSWERED.iter().find(|(answered, _)| *answered == number);
            return Ok(Some(
                found.map_or(Signal::Harmless(number), |(_, signal)| *signal),
            ));
        }
    }

    /// Waits for a signal, at most for `timeout` or until `wake` is signalled. Returns the pending
    /// signal, `None` if there is none. Clears `wake`.
    ///
    /// # Errors
    /// When the kernel is out of memory, or a descriptor is broken.
    pub fn wait(&self, wake: &Wake, timeout: Option<Duration>) -> io::Result<Option<Signal>> {
        let items = [
            (self.as_fd(), Interest::Read),
            (wake.as_fd(), Interest::Read),
        ];
        wait(&items, timeout)?;
        wake.clear();
        self.next()
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

    /// Sends a signal to this thread, where it is blocked.
    fn raise(number: libc::c_int) {
        // SAFETY: `raise` takes any number and sends to this thread only.
        assert_eq!(unsafe { libc::raise(number) }, 0);
    }

    #[test]
    fn each_signal_arrives_at_the_descriptor_instead_of_killing_us() {
        let signals = Signals::block().unwrap();
        assert_eq!(signals.next().unwrap(), None);
        for (number, signal) in ANSWERED {
            raise(number);
            assert_eq!(signals.next().unwrap(), Some(signal));
            assert_eq!(signal.ends(), number != libc::SIGHUP);
            assert_eq!(signals.next().unwrap(), None);
        }
        for number in all().filter(|n| !ANSWERED.iter().any(|(answered, _)| answered == n)) {
            raise(number);
            let expected = Some(Signal::Harmless(number));
            assert_eq!(signals.next().unwrap(), expected, "signal {number}");
        }
    }

    /// The list of `kill -l`, except faults of the program itself, SIGKILL and SIGSTOP, and signals
    /// that do nothing by default.
    #[test]
    fn no_signal_that_ends_or_stops_is_forgotten() {
        let left: Vec<libc::c_int> = (1..32).filter(|n| !all().any(|k| k == *n)).collect();
        let expected = [
            libc::SIGILL,
            libc::SIGTRAP,
            libc::SIGBUS,
            libc::SIGFPE,
            libc::SIGKILL,
            libc::SIGSEGV,
            libc::SIGCHLD,
            libc::SIGCONT,
            libc::SIGSTOP,
            libc::SIGURG,
            libc::SIGWINCH,
            libc::SIGSYS,
        ];
        assert_eq!(left, expected);
    }

    #[test]
    fn a_wait_ends_with_a_signal_or_when_it_is_woken() {
        let signals = Signals::block().unwrap();
        let wake = Wake::new().unwrap();
        raise(libc::SIGTERM);
        assert_eq!(signals.wait(&wake, None).unwrap(), Some(Signal::Terminate));
        wake.signal();
        assert_eq!(signals.wait(&wake, None).unwrap(), None);
        assert_eq!(
            signals.wait(&wake, Some(Duration::ZERO)).unwrap(),
            None,
            "the wake-up was cleared"
        );
    }
}
