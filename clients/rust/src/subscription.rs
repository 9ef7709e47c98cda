//! The mapped blocks of one arm: reading one costs a copy and no system call.

use crate::RequestError;
use hapticd_protocol::{
    block::{
        ArmState, BODIES_WORDS, BlockHeader, Bodies, CONTACTS_WORDS, Contacts, HEADER_WORDS,
        NEEDLE_WORDS, NeedleState, SEQUENCE_WORD, STATE_WORDS,
    },
    reply::{BlockInfo, BlockKind},
};
use hapticd_sync::{
    seqlock::{ReadError, Reader},
    words::ReadableWords,
};
use hapticd_sys::{
    block::ReadOnlyBlock,
    clock::now_ns,
    socket::{Connection, ReceiveError},
    wake::{Interest, wait},
};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::atomic::{AtomicBool, Ordering},
    time::Duration,
};

/// Reason why a block could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadStateError {
    /// The block was not subscribed to; the caller's fault.
    #[error("this block was not subscribed to")]
    NotSubscribed,
    /// Nothing was published yet, or the writer interfered in every attempt; both are transient.
    #[error("{0}")]
    Read(#[from] ReadError),
}

/// Reason why no later tick was returned.
#[derive(Debug, thiserror::Error)]
pub enum WaitTickError {
    /// State or wake-up line were not subscribed to; the caller's fault.
    #[error("state and wake-up line were not both subscribed to")]
    NotSubscribed,
    /// No later tick came in time.
    #[error("no later tick within {0:?}")]
    Timeout(Duration),
    /// The daemon is gone, or a later subscription of this client to the same arm has taken the
    /// wake-up line.
    #[error("the daemon is gone, or a later subscription took the wake-up line")]
    Gone,
    /// The system refused to wait.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// The subscribed blocks of one arm. Reading is wait-free, allocates nothing and makes no system
/// call, so any loop may do it. It keeps working (with the last values) when the
/// [`Client`](crate::Client) is gone.
#[derive(Debug, Default)]
pub struct Subscription {
    state: Option<Reader<ReadOnlyBlock, STATE_WORDS>>,
    contacts: Option<Reader<ReadOnlyBlock, CONTACTS_WORDS>>,
    bodies: Option<Reader<ReadOnlyBlock, BODIES_WORDS>>,
    needle: Option<Reader<ReadOnlyBlock, NEEDLE_WORDS>>,
    wake: Option<Wake>,
}

fn open<const N: usize>(
    fd: OwnedFd,
    kind: BlockKind,
) -> Result<Reader<ReadOnlyBlock, N>, RequestError> {
    let block = ReadOnlyBlock::open(fd).map_err(|error| RequestError::Block(error.to_string()))?;
    let words = block.readable_words();
    let header: [u64; HEADER_WORDS] = std::array::from_fn(|index| {
        words
            .get(index)
            .map_or(0, |word| word.load(Ordering::Relaxed))
    });
    BlockHeader::check(&header, words.len(), kind, N)
        .map_err(|error| RequestError::Block(error.to_string()))?;
    Reader::new(block, SEQUENCE_WORD).map_err(|error| RequestError::Block(error.to_string()))
}

impl Subscription {
    /// Maps the blocks that the daemon handed over.
    pub(crate) fn new(blocks: &[BlockInfo], fds: Vec<OwnedFd>) -> Result<Self, RequestError> {
        let mut result = Self::default();
        for (block, fd) in blocks.iter().zip(fds) {
            match block.kind {
                BlockKind::State => result.state = Some(open(fd, block.kind)?),
                BlockKind::Contacts => result.contacts = Some(open(fd, block.kind)?),
                BlockKind::Bodies => result.bodies = Some(open(fd, block.kind)?),
                BlockKind::Needle => result.needle = Some(open(fd, block.kind)?),
                BlockKind::Wake => {
                    result.wake = Some(Wake {
                        line: Connection::from(fd),
                        closed: AtomicBool::new(false),
                    })
                }
                BlockKind::Surface | BlockKind::Skin => {
                    let problem = "a surface among what was subscribed to: those are opened";
                    return Err(RequestError::Block(problem.to_owned()));
                }
            }
        }
        Ok(result)
    }

    /// Returns the arm's newest state.
    ///
    /// # Errors
    /// [`ReadStateError`]: not subscribed to, nothing published yet, or (rarely) a torn read; then
    /// use the previous state.
    pub fn state(&self) -> Result<ArmState, ReadStateError> {
        let reader = self.state.as_ref().ok_or(ReadStateError::NotSubscribed)?;
        Ok(ArmState::from_words(&reader.read()?.1))
    }

    /// Returns how often the state was published; 0 before the first tick. Costs one load: the
    /// cheap way to see whether there is a new state, and whether the daemon is still running.
    pub fn state_version(&self) -> u64 {
        self.state.as_ref().map_or(0, Reader::version)
    }

    /// Returns the arm's newest contacts.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn contacts(&self) -> Result<Contacts, ReadStateError> {
        let reader = self
            .contacts
            .as_ref()
            .ok_or(ReadStateError::NotSubscribed)?;
        Ok(Contacts::from_words(&reader.read()?.1))
    }

    /// Returns the newest state of the needle at the arm's tool.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn needle(&self) -> Result<NeedleState, ReadStateError> {
        let reader = self.needle.as_ref().ok_or(ReadStateError::NotSubscribed)?;
        Ok(NeedleState::from_words(&reader.read()?.1))
    }

    /// Returns the newest poses of all bodies, and the forces of the tools on them.
    ///
    /// # Errors
    /// As for [`state`](Self::state).
    pub fn bodies(&self) -> Result<Bodies, ReadStateError> {
        let reader = self.bodies.as_ref().ok_or(ReadStateError::NotSubscribed)?;
        Ok(Bodies::from_words(&reader.read()?.1))
    }

    /// Waits until the tick of the arm's state is above `after_tick`, and returns that state; at
    /// most `timeout`. With 0 it waits for the first tick. State and wake-up line must have been
    /// subscribed to. Several threads may wait, but a ring wakes only one of them: the others may
    /// see its tick a tick later.
    ///
    /// # Errors
    /// [`WaitTickError`].
    pub fn wait_tick(&self, after_tick: u64, timeout: Duration) -> Result<ArmState, WaitTickError> {
        let wake = self.wake.as_ref().ok_or(WaitTickError::NotSubscribed)?;
        let end_ns = now_ns().saturating_add(u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX));
        let mut closed = false;
        loop {
            match self.state() {
                Ok(state) if state.tick > after_tick => return Ok(state),
                Err(ReadStateError::NotSubscribed) => return Err(WaitTickError::NotSubscribed),
                _ if closed => return Err(WaitTickError::Gone),
                _ => {}
            }
            let rest_ns = end_ns.saturating_sub(now_ns());
            if rest_ns == 0 {
                return Err(WaitTickError::Timeout(timeout));
            }
            match wake.wait(Duration::from_nanos(rest_ns)) {
                Ok(_) => {}
                // A last state may have come before the end.
                Err(error) if error.kind() == io::ErrorKind::BrokenPipe => closed = true,
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Returns the wake-up line, if it was subscribed to.
    pub fn wake(&mut self) -> Option<&mut Wake> {
        self.wake.as_mut()
    }

    /// Returns the wake-up line, if it was subscribed to, for several threads.
    pub fn shared_wake(&self) -> Option<&Wake> {
        self.wake.as_ref()
    }
}

/// Signals that the arm's state is new, for applications that would rather sleep than poll. A
/// thread without real-time priority rings it: the block is always at least as new as the signal.
#[derive(Debug)]
pub struct Wake {
    line: Connection,
    closed: AtomicBool,
}

impl Wake {
    /// Waits until the state is new or `timeout` is over; returns whether it is new. Several rings
    /// since the last call count as one.
    ///
    /// # Errors
    /// `BrokenPipe` when the daemon is gone, or the error of the system when it refuses to wait.
    pub fn wait(&self, timeout: Duration) -> io::Result<bool> {
        wait(&[(self.line.as_fd(), Interest::Read)], Some(timeout))?;
        let mut rang = false;
        loop {
            match self.line.receive(&mut [0; 16]) {
                Ok(_) | Err(ReceiveError::Oversize { .. }) => rang = true,
                Err(ReceiveError::WouldBlock) => return Ok(rang),
                Err(ReceiveError::Closed) => {
                    self.closed.store(true, Ordering::Relaxed);
                    return if rang {
                        Ok(true)
                    } else {
                        Err(io::ErrorKind::BrokenPipe.into())
                    };
                }
                Err(ReceiveError::Exhausted(error) | ReceiveError::System(error)) => {
                    return Err(error);
                }
            }
        }
    }

    /// Returns true if the daemon was found to be gone.
    pub fn is_closed(&self) -> bool {
        self.closed.load(Ordering::Relaxed)
    }
}

/// For an application's poll loop: readable when it rang. Empty it with [`Wake::wait`] and a zero
/// timeout.
impl AsFd for Wake {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.line.as_fd()
    }
}
