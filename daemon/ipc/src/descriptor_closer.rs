//! The descriptor closer: closes what clients passed, and the connections to them, on threads that
//! may block.
//!
//! Closing another process's descriptor may take as long as that process likes: a TCP socket that
//! lingers, a file of a FUSE file system, a socket in whose queue such a descriptor waits. So no
//! other thread closes one. Every descriptor from a client is a [`Foreign`], which goes to the
//! closer wherever it is dropped.
//!
//! A thread that hangs is replaced by the next one, up to [`MAX_THREADS`]. When all of them hang,
//! descriptors wait, and from [`DescriptorCloser::is_full`] on the server accepts no more of them.
//! Threads that hang end with the process, which does not wait for them.

use hapticd_sys::descriptors::{self, do_not_linger};
use std::{
    fmt, io,
    ops::Deref,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc,
        atomic::{AtomicU64, AtomicUsize, Ordering::SeqCst},
    },
};

use crossbeam::channel::{Receiver, Sender, unbounded};

/// Most threads: this many descriptors may hang in `close` before others wait for them.
const MAX_THREADS: usize = 16;
/// Stack of a thread, bytes: it makes two system calls. The daemon's memory is locked, so all of it
/// is resident.
const STACK_BYTES: usize = 128 * 1024;
/// Most descriptors that wait to be closed, if the process may have enough of them.
const MAX_WAITING: usize = 1024;

/// Number of descriptors that one client has passed and that are not closed yet.
pub(super) type UnclosedCount = Arc<AtomicUsize>;

struct Job {
    fd: OwnedFd,
    unclosed: UnclosedCount,
}

#[derive(Debug, Default)]
struct Counts {
    /// Descriptors handed over and not closed, including those that hang.
    waiting: AtomicUsize,
    closed: AtomicU64,
    threads: AtomicUsize,
    idle: AtomicUsize,
}

/// Statistics of the closer, for the status.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CloserStats {
    /// Descriptors not closed yet. More than a few for long means that a client passes descriptors
    /// that hang in `close`.
    pub waiting: usize,
    /// Descriptors that were closed since the start.
    pub closed: u64,
}

/// A sender to the closer. A clone sends to the same closer; when the last one is dropped, the
/// closer's threads end as soon as they can.
#[derive(Clone)]
pub(super) struct DescriptorCloser {
    jobs: Sender<Job>,
    threads: Threads,
    capacity: usize,
}

/// State that a thread needs to work, and to start the next one.
#[derive(Clone)]
struct Threads {
    jobs: Receiver<Job>,
    counts: Arc<Counts>,
}

impl DescriptorCloser {
    /// Starts the first thread. The closer is full with a quarter of the descriptors that the
    /// process may have, at most 1024.
    ///
    /// # Errors
    /// When the system has no thread for it.
    pub(super) fn new() -> io::Result<Self> {
        let quarter = usize::try_from(descriptors::limit() / 4).unwrap_or(usize::MAX);
        let (jobs, receiver) = unbounded();
        let threads = Threads {
            jobs: receiver,
            counts: Arc::default(),
        };
        threads.start()?;
        Ok(Self {
            jobs,
            threads,
            capacity: quarter.min(MAX_WAITING),
        })
    }

    /// Takes over a file that a client passed. `unclosed` counts the client's descriptors that are
    /// not closed yet.
    pub(super) fn foreign<T: Into<OwnedFd>>(
        &self,
        file: T,
        unclosed: &UnclosedCount,
    ) -> Foreign<T> {
        unclosed.fetch_add(1, SeqCst);
        Foreign {
            file: Some(file),
            unclosed: unclosed.clone(),
            closer: self.clone(),
        }
    }

    /// Whether too many descriptors wait to accept more.
    pub(super) fn is_full(&self) -> bool {
        self.threads.counts.waiting.load(SeqCst) >= self.capacity
    }

    /// Present statistics.
    pub(super) fn stats(&self) -> CloserStats {
        let counts = &self.threads.counts;
        CloserStats {
            waiting: counts.waiting.load(SeqCst),
            closed: counts.closed.load(SeqCst),
        }
    }

    /// Queues a descriptor to be closed. Never blocks.
    fn close(&self, job: Job) {
        self.threads.counts.waiting.fetch_add(1, SeqCst);
        // Cannot fail: this closer holds a receiver.
        let _ = self.jobs.send(job);
        // After sending: a thread that counted as idle but no longer is finds the job when it
        // checks the queue.
        if self.threads.counts.idle.load(SeqCst) == 0 {
            // Without another thread the job waits for the existing ones.
            let _ = self.threads.start();
        }
    }
}

impl Threads {
    /// Starts one more thread, unless the maximum is reached.
    fn start(&self) -> io::Result<()> {
        let threads = &self.counts.threads;
        if threads.fetch_add(1, SeqCst) >= MAX_THREADS {
            threads.fetch_sub(1, SeqCst);
            return Ok(());
        }
        let own = self.clone();
        std::thread::Builder::new()
            .name("hapticd-closer".to_owned())
            .stack_size(STACK_BYTES)
            .spawn(move || own.work())
            .map(drop)
            .inspect_err(|_| {
                threads.fetch_sub(1, SeqCst);
            })
    }

    fn work(&self) {
        let counts = &self.counts;
        loop {
            counts.idle.fetch_add(1, SeqCst);
            let job = self.jobs.recv();
            let idle = counts.idle.fetch_sub(1, SeqCst) - 1;
            let Ok(Job { fd, unclosed }) = job else {
                return;
            };
            if idle == 0 && !self.jobs.is_empty() {
                // This thread may hang.
                let _ = self.start();
            }
            do_not_linger(&fd);
            drop(fd);
            unclosed.fetch_sub(1, SeqCst);
            counts.waiting.fetch_sub(1, SeqCst);
            counts.closed.fetch_add(1, SeqCst);
        }
    }
}

/// A file shared with a client: dropped anywhere, closed by the closer.
pub(super) struct Foreign<T: Into<OwnedFd>> {
    /// `Some` until it is dropped.
    file: Option<T>,
    unclosed: UnclosedCount,
    closer: DescriptorCloser,
}

impl<T: Into<OwnedFd> + fmt::Debug> fmt::Debug for Foreign<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.file.fmt(f)
    }
}

impl<T: Into<OwnedFd>> Deref for Foreign<T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.file {
            Some(file) => file,
            None => unreachable!("taken only by its drop"),
        }
    }
}

impl<T: Into<OwnedFd> + AsFd> AsFd for Foreign<T> {
    fn as_fd(&self) -> BorrowedFd<'_> {
        (**self).as_fd()
    }
}

impl<T: Into<OwnedFd>> Drop for Foreign<T> {
    fn drop(&mut self) {
        if let Some(file) = self.file.take() {
            self.closer.close(Job {
                fd: file.into(),
                unclosed: self.unclosed.clone(),
            });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::hanging::hanging;
    use hapticd_sys::{
        socket::Connection,
        wake::{Interest, wait},
    };
    use std::time::Duration;

    /// Waits until the other end of a connection is closed.
    fn await_end(connection: &Connection) {
        let patience = Some(Duration::from_secs(60));
        let ready = wait(&[(connection.as_fd(), Interest::Read)], patience).unwrap();
        assert!(ready[0].ended, "not closed within a minute");
    }

    #[test]
    fn what_is_dropped_is_closed_beside_closes_that_hang() {
        let closer = DescriptorCloser::new().unwrap();
        let unclosed = UnclosedCount::default();
        for _ in 0..MAX_THREADS - 1 {
            drop(closer.foreign(hanging(), &unclosed));
        }
        for _ in 0..100 {
            let (ours, theirs) = Connection::pair().unwrap();
            drop(closer.foreign(theirs, &unclosed));
            await_end(&ours);
        }
        assert_eq!(unclosed.load(SeqCst), closer.stats().waiting);
        assert!(closer.stats().waiting >= MAX_THREADS - 1, "nothing hung");
    }

    #[test]
    fn the_janitor_is_full_before_descriptors_run_out() {
        let closer = DescriptorCloser {
            capacity: 2 * MAX_THREADS,
            ..DescriptorCloser::new().unwrap()
        };
        let unclosed = UnclosedCount::default();
        for passed in 0..2 * MAX_THREADS {
            assert!(!closer.is_full(), "after {passed}");
            drop(closer.foreign(hanging(), &unclosed));
        }
        assert!(closer.is_full());
    }
}
