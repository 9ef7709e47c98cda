//! Waiting for descriptors and waking waiting threads: poll, an in-process wake-up, and the death
//! of another process.
//!
//! [`Wake`] is for threads of this process only. To wake *another* process, use one end of
//! [`Connection::pair`](crate::socket::Connection::pair) and send a byte. Whether a write to an
//! eventfd blocks is a property of the shared file: the receiver could change it and then fill the
//! counter. Whether a send blocks depends on the sender's flag alone.

use rustix::{
    event::{EventfdFlags, PollFd, PollFlags, Timespec, eventfd, poll},
    io::Errno,
    process::{Pid, PidfdFlags, pidfd_open},
};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    time::Duration,
};

/// Events of a descriptor to wait for. Its end (hang-up, error) is always reported.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// Data to read, or a connection to accept.
    Read,
    /// Data to read, or capacity to write.
    ReadWrite,
    /// Capacity to write.
    Write,
    /// Only its end.
    End,
}

/// State of one descriptor after [`wait`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ready {
    /// Data can be read or a connection accepted.
    pub readable: bool,
    /// Data can be written.
    pub writable: bool,
    /// The other end is gone, or the descriptor is broken. There may still be data to read first.
    pub ended: bool,
}

/// Lets the kernel end this thread's waits as exactly as it can, instead of up to 50 us late to
/// save energy. Waits of real-time threads are exact anyway. Does nothing where it is refused.
pub fn exact_waits() {
    let _ = rustix::thread::set_current_timer_slack(std::num::NonZeroU64::new(1));
}

/// Waits until one of `items` is ready or `timeout` is over (`None`: for ever). Returns the state
/// of each item, in order.
///
/// A signal that is handled meanwhile ends the wait early with nothing ready. Allocates two lists.
///
/// # Errors
/// When the kernel is out of memory, or `items` is longer than the process's limit on descriptors.
pub fn wait(
    items: &[(BorrowedFd<'_>, Interest)],
    timeout: Option<Duration>,
) -> io::Result<Vec<Ready>> {
    let mut polled: Vec<PollFd<'_>> = items
        .iter()
        .map(|(fd, interest)| {
            let flags = match interest {
                Interest::Read => PollFlags::IN,
                Interest::ReadWrite => PollFlags::IN | PollFlags::OUT,
                Interest::Write => PollFlags::OUT,
                Interest::End => PollFlags::empty(),
            };
            PollFd::from_borrowed_fd(*fd, flags)
        })
        .collect();
    let timeout = timeout.map(|limit| Timespec {
        tv_sec: i64::try_from(limit.as_secs()).unwrap_or(i64::MAX),
        tv_nsec: i64::from(limit.subsec_nanos()),
    });
    match poll(&mut polled, timeout.as_ref()) {
        Ok(_) => {}
        Err(Errno::INTR) => return Ok(vec![Ready::default(); items.len()]),
        Err(errno) => return Err(errno.into()),
    }
    Ok(polled
        .iter()
        .map(|item| {
            let events = item.revents();
            Ready {
                readable: events.contains(PollFlags::IN),
                writable: events.contains(PollFlags::OUT),
                ended: events.intersects(PollFlags::HUP | PollFlags::ERR | PollFlags::NVAL),
            }
        })
        .collect())
}

/// Wakes a thread of this process that [`wait`]s. All signals until it is cleared count as one. Not
/// for real-time threads (a system call).
#[derive(Debug)]
pub struct Wake(OwnedFd);

impl Wake {
    /// Makes a wake-up that is not signalled.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn new() -> io::Result<Self> {
        Ok(Self(eventfd(
            0,
            EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK,
        )?))
    }

    /// Makes the descriptor readable. Never blocks.
    pub fn signal(&self) {
        // The only possible refusal is a full counter, which is readable already.
        let _ = rustix::io::write(&self.0, &1_u64.to_ne_bytes());
    }

    /// Makes the descriptor unreadable again and returns whether it was signalled.
    pub fn clear(&self) -> bool {
        let mut count = [0; 8];
        rustix::io::read(&self.0, &mut count).is_ok()
    }

    /// Makes another handle of the same wake-up, for another thread.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn try_clone(&self) -> io::Result<Self> {
        self.0.try_clone().map(Self)
    }
}

impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Watches the life of another process: readable (for [`wait`]) once the process has ended.
#[derive(Debug)]
pub struct ProcessWatch(OwnedFd);

impl ProcessWatch {
    /// Watches process `pid`.
    ///
    /// # Errors
    /// `InvalidInput` for an impossible pid (a peer outside this process namespace has 0); an error
    /// when the process no longer exists.
    pub fn new(pid: i32) -> io::Result<Self> {
        let pid = if pid > 0 { Pid::from_raw(pid) } else { None };
        let pid = pid.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(Self(pidfd_open(pid, PidfdFlags::empty())?))
    }
}

impl AsFd for ProcessWatch {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::socket::Connection;

    #[test]
    fn many_signals_are_one_wake_up() {
        let wake = Wake::new().unwrap();
        let other = wake.try_clone().unwrap();
        assert!(!wake.clear());
        let look =
            || wait(&[(wake.as_fd(), Interest::Read)], Some(Duration::ZERO)).unwrap()[0].readable;
        assert!(!look());
        other.signal();
        other.signal();
        assert!(look());
        assert!(wake.clear());
        assert!(!wake.clear());
        assert!(!look());
    }

    #[test]
    fn waiting_without_an_end_is_ended_by_another_thread() {
        let wake = Wake::new().unwrap();
        let other = wake.try_clone().unwrap();
        let thread = std::thread::spawn(move || other.signal());
        assert!(wait(&[(wake.as_fd(), Interest::Read)], None).unwrap()[0].readable);
        thread.join().unwrap();
    }

    #[test]
    fn each_descriptor_is_reported_by_itself() {
        let (a, b) = Connection::pair().unwrap();
        let (_c, d) = Connection::pair().unwrap();
        a.send(b"x", &[]).unwrap();
        let items = [
            (b.as_fd(), Interest::Read),
            (d.as_fd(), Interest::ReadWrite),
            (a.as_fd(), Interest::Read),
        ];
        let ready = wait(&items, Some(Duration::from_secs(60))).unwrap();
        assert_eq!(
            ready[0],
            Ready {
                readable: true,
                writable: false,
                ended: false
            }
        );
        assert_eq!(
            ready[1],
            Ready {
                readable: false,
                writable: true,
                ended: false
            }
        );
        assert_eq!(ready[2], Ready::default());
        drop(a);
        assert!(wait(&[(b.as_fd(), Interest::Read)], None).unwrap()[0].ended);
    }

    #[test]
    fn the_end_of_a_process_is_seen() {
        let mut child = std::process::Command::new("cat")
            .stdin(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let watch = ProcessWatch::new(i32::try_from(child.id()).unwrap()).unwrap();
        assert!(
            !wait(&[(watch.as_fd(), Interest::Read)], Some(Duration::ZERO)).unwrap()[0].readable
        );
        child.kill().unwrap();
        assert!(wait(&[(watch.as_fd(), Interest::Read)], None).unwrap()[0].readable);
        child.wait().unwrap();
    }

    #[test]
    fn an_impossible_process_is_not_watched() {
        for pid in [0, -1, i32::MIN] {
            assert_eq!(
                ProcessWatch::new(pid).unwrap_err().kind(),
                io::ErrorKind::InvalidInput
            );
        }
        assert!(ProcessWatch::new(i32::MAX).is_err());
    }
}
