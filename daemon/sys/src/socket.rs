//! Unix SEQPACKET sockets: whole messages, each with up to [`MAX_FDS`] descriptors, and the peer's
//! credentials.
//!
//! Everything is non-blocking and close-on-exec. A message arrives whole or is refused: a message
//! that was truncated, by the kernel or by a short buffer, is an error. A message of zero bytes is
//! indistinguishable from the end of the connection and is treated as the end; peers never send
//! one.
//!
//! Closing a descriptor that a peer passed may block for as long as the peer likes (`SO_LINGER`, a
//! FUSE file, a socket with such a descriptor in its queue). [`Connection::receive_into`] therefore
//! hands over every descriptor, even of a refused message. A thread that must not block passes
//! them, and its own end of the connection, to a thread that may.

use rustix::{
    io::{Errno, IoSlice, IoSliceMut},
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, ReturnFlags,
        SendAncillaryBuffer, SendAncillaryMessage, SendFlags, SocketAddrUnix, SocketFlags,
        SocketType,
    },
};
use std::{
    io,
    mem::MaybeUninit,
    os::{
        fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd},
        unix::fs::PermissionsExt,
    },
    path::Path,
};

/// Most descriptors in one message.
pub const MAX_FDS: usize = 8;

/// Most descriptors that the kernel lets a peer put into one message (`SCM_MAX_FD`). All of them
/// are received: the kernel would close those beyond the control buffer's capacity, on the
/// receiving thread.
pub const MAX_PASSED_FDS: usize = 253;

/// Connections that may wait to be accepted. Further connect attempts at the same time are told to
/// try again.
const BACKLOG: i32 = 32;

const FLAGS: SocketFlags = SocketFlags::CLOEXEC.union(SocketFlags::NONBLOCK);

/// Identity of the peer, as the kernel recorded it when the connection was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Process id; 0 when the peer lives in a process namespace that is not visible here.
    pub pid: i32,
    /// User id.
    pub uid: u32,
    /// Group id.
    pub gid: u32,
}

/// Why a message was not sent.
#[derive(Debug, thiserror::Error)]
pub enum SendError {
    /// The peer does not read and its queue is full. Nothing was sent.
    #[error("the peer's queue is full")]
    WouldBlock,
    /// The system is out of memory, or of descriptors that may be in flight. Nothing was sent; try
    /// again later.
    #[error("the system cannot take the message now: {0}")]
    Exhausted(io::Error),
    /// The peer is gone.
    #[error("the peer has closed the connection")]
    Closed,
    /// The message is longer than the kernel takes, empty, or has too many descriptors.
    #[error("a message of {bytes} bytes with {fds} descriptors cannot be sent")]
    Impossible {
        /// Length of the message.
        bytes: usize,
        /// Number of descriptors.
        fds: usize,
    },
    /// Any other error.
    #[error("cannot send: {0}")]
    System(#[from] io::Error),
}

/// Why no message was received.
#[derive(Debug, thiserror::Error)]
pub enum ReceiveError {
    /// No message is waiting.
    #[error("no message is waiting")]
    WouldBlock,
    /// The peer is gone.
    #[error("the peer has closed the connection")]
    Closed,
    /// The system is out of memory. Nothing was taken; try again later.
    #[error("the system cannot hand over the message now: {0}")]
    Exhausted(io::Error),
    /// The message was longer than the buffer, or had too many descriptors. It is lost.
    #[error("a message was longer than {limit} bytes or had more than {MAX_FDS} descriptors")]
    Oversize {
        /// Length of the buffer.
        limit: usize,
    },
    /// Any other error.
    #[error("cannot receive: {0}")]
    System(#[from] io::Error),
}

/// A received message: its length in the caller's buffer, and its descriptors.
#[derive(Debug)]
pub struct Received {
    /// Bytes of the buffer that the message fills; at least 1.
    pub length: usize,
    /// Descriptors that came with it, at most [`MAX_FDS`].
    pub fds: Vec<OwnedFd>,
}

/// One end of a connection.
#[derive(Debug)]
pub struct Connection(OwnedFd);

impl Connection {
    /// Connects to the socket at `path`.
    ///
    /// # Errors
    /// `NotFound` and `ConnectionRefused` when no process listens there, `WouldBlock` when the
    /// listener's queue is full, `PermissionDenied` when the socket's mode forbids it.
    pub fn connect(path: &Path) -> io::Result<Self> {
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, FLAGS, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
        Ok(Self(socket))
    }

    /// Makes two connected ends, both in this process.
    ///
    /// # Errors
    /// When the process is out of descriptors.
    pub fn pair() -> io::Result<(Self, Self)> {
        let (a, b) =
            rustix::net::socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, FLAGS, None)?;
        Ok((Self(a), Self(b)))
    }

    /// Sends one message, whole or not at all.
    ///
    /// # Errors
    /// [`SendError`]; a dead peer is an error and never a SIGPIPE.
    pub fn send(&self, message: &[u8], fds: &[BorrowedFd<'_>]) -> Result<(), SendError> {
        let impossible = SendError::Impossible {
            bytes: message.len(),
            fds: fds.len(),
        };
        if message.is_empty() || fds.len() > MAX_FDS {
            return Err(impossible);
        }
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FDS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
            return Err(impossible);
        }
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        loop {
            return match rustix::net::sendmsg(
                &self.0,
                &[IoSlice::new(message)],
                &mut ancillary,
                flags,
            ) {
                Ok(_) => Ok(()),
                Err(Errno::INTR) => continue,
                Err(Errno::AGAIN) => Err(SendError::WouldBlock),
                // Too many descriptors of this user are in flight, to any receiver (`TOOMANYREFS`),
                // or no memory: not the end of the peer.
                Err(errno @ (Errno::NOBUFS | Errno::NOMEM | Errno::TOOMANYREFS | Errno::MFILE)) => {
                    Err(SendError::Exhausted(errno.into()))
                }
                Err(Errno::PIPE | Errno::CONNRESET | Errno::NOTCONN) => Err(SendError::Closed),
                Err(Errno::MSGSIZE) => Err(impossible),
                Err(errno) => Err(SendError::System(errno.into())),
            };
        }
    }

    /// Takes the next message into `buffer`, whose length is the longest accepted message. Closes
    /// the descriptors of a refused message, so it is not for a thread that must not block (see the
    /// module documentation).
    ///
    /// # Errors
    /// [`ReceiveError`]; after [`Oversize`](ReceiveError::Oversize) the connection is still in
    /// step.
    pub fn receive(&self, buffer: &mut [u8]) -> Result<Received, ReceiveError> {
        let mut fds = Vec::new();
        let length = self.receive_into(buffer, &mut fds)?;
        Ok(Received { length, fds })
    }

    /// Same as [`receive`](Self::receive), for a thread that must not block. Appends every received
    /// descriptor to `fds`, up to [`MAX_PASSED_FDS`], even when the message is refused. Returns the
    /// message's length.
    ///
    /// The process must have capacity for that many more descriptors; the kernel closes any excess
    /// right here.
    ///
    /// # Errors
    /// [`ReceiveError`]; after [`Oversize`](ReceiveError::Oversize) the connection is still in
    /// step.
    pub fn receive_into(
        &self,
        buffer: &mut [u8],
        fds: &mut Vec<OwnedFd>,
    ) -> Result<usize, ReceiveError> {
        let limit = buffer.len();
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PASSED_FDS))];
        let mut ancillary = RecvAncillaryBuffer::new(&mut space);
        let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
        let mut reset = false;
        let message = loop {
            match rustix::net::recvmsg(
                &self.0,
                &mut [IoSliceMut::new(buffer)],
                &mut ancillary,
                flags,
            ) {
                Ok(message) => break message,
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => return Err(ReceiveError::WouldBlock),
                // The peer closed without reading everything sent to it. The kernel reports this
                // once, ahead of the peer's own messages, which can still be read.
                Err(Errno::CONNRESET) if !std::mem::replace(&mut reset, true) => {}
                Err(Errno::CONNRESET | Errno::NOTCONN) => return Err(ReceiveError::Closed),
                Err(errno @ (Errno::NOBUFS | Errno::NOMEM)) => {
                    return Err(ReceiveError::Exhausted(errno.into()));
                }
                Err(errno) => return Err(ReceiveError::System(errno.into())),
            }
        };
        let before = fds.len();
        for part in ancillary.drain() {
            if let RecvAncillaryMessage::ScmRights(rights) = part {
                fds.extend(rights);
            }
        }
        if message.bytes == 0 {
            return Err(ReceiveError::Closed);
        }
        let cut = ReturnFlags::TRUNC | ReturnFlags::CTRUNC;
        if message.flags.intersects(cut) || fds.len() - before > MAX_FDS {
            return Err(ReceiveError::Oversize { limit });
        }
        Ok(message.bytes)
    }

    /// Whether the next message that [`receive`](Self::receive) would take has descriptors. Takes
    /// and closes nothing.
    pub fn next_has_descriptors(&self) -> bool {
        let mut ancillary = RecvAncillaryBuffer::default();
        let flags = RecvFlags::DONTWAIT | RecvFlags::PEEK;
        // Without capacity for them the kernel reports truncation, and releases only its own second
        // reference.
        rustix::net::recvmsg(
            &self.0,
            &mut [IoSliceMut::new(&mut [0])],
            &mut ancillary,
            flags,
        )
        .is_ok_and(|message| message.flags.contains(ReturnFlags::CTRUNC))
    }

    /// Number of sent bytes that the peer has not read yet, including the kernel's overhead; 0
    /// means it has read everything.
    ///
    /// # Errors
    /// Only if this is not a socket.
    pub fn unread(&self) -> io::Result<usize> {
        let mut bytes: libc::c_int = 0;
        // SAFETY: the descriptor is open, and TIOCOUTQ writes one `int` through the given pointer.
        if unsafe { libc::ioctl(self.0.as_raw_fd(), libc::TIOCOUTQ, &raw mut bytes) } != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(usize::try_from(bytes).unwrap_or(0))
    }

    /// Accepts nothing more from the peer. It can no longer send, and what cannot arrive cannot
    /// block the closing of this end.
    ///
    /// # Errors
    /// Only if this is not a connected socket.
    pub fn refuse_messages(&self) -> io::Result<()> {
        Ok(rustix::net::shutdown(&self.0, rustix::net::Shutdown::Read)?)
    }

    /// Credentials of the peer when the connection was made.
    ///
    /// # Errors
    /// Only if this is not a connected socket.
    pub fn peer(&self) -> io::Result<Credentials> {
        // Not rustix's version: its `Pid` cannot be 0, which the kernel returns for a process
        // outside this namespace.
        let mut credentials = libc::ucred {
            pid: 0,
            uid: u32::MAX,
            gid: u32::MAX,
        };
        let mut length = size_of::<libc::ucred>() as libc::socklen_t;
        // SAFETY: the descriptor is open; the kernel writes at most `length` bytes into
        // `credentials`, which is that large.
        let result = unsafe {
            libc::getsockopt(
                self.0.as_raw_fd(),
                libc::SOL_SOCKET,
                libc::SO_PEERCRED,
                (&raw mut credentials).cast(),
                &raw mut length,
            )
        };
        if result != 0 {
            return Err(io::Error::last_os_error());
        }
        Ok(Credentials {
            pid: credentials.pid,
            uid: credentials.uid,
            gid: credentials.gid,
        })
    }
}

impl AsFd for Connection {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Takes a descriptor that arrived over another connection. It is assumed to be a SEQPACKET socket;
/// otherwise later calls fail.
impl From<OwnedFd> for Connection {
    fn from(fd: OwnedFd) -> Self {
        Self(fd)
    }
}

impl From<Connection> for OwnedFd {
    fn from(connection: Connection) -> Self {
        connection.0
    }
}

/// A listening socket in the file system.
#[derive(Debug)]
pub struct Listener(OwnedFd);

impl Listener {
    /// Makes a socket at `path` with the file mode `mode` (such as `0o600`) and listens. No client
    /// can connect before the mode is set.
    ///
    /// # Errors
    /// `AddrInUse` when the path exists (remove a stale socket first), `InvalidInput` when it is
    /// longer than 107 bytes.
    pub fn bind(path: &Path, mode: u32) -> io::Result<Self> {
        let socket =
            rustix::net::socket_with(AddressFamily::UNIX, SocketType::SEQPACKET, FLAGS, None)?;
        rustix::net::bind(&socket, &SocketAddrUnix::new(path)?)?;
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode))?;
        rustix::net::listen(&socket, BACKLOG)?;
        Ok(Self(socket))
    }

    /// Accepts the next connection; `None` when no client is waiting.
    ///
    /// # Errors
    /// When the process is out of descriptors or memory; the connection then stays in the queue.
    pub fn accept(&self) -> io::Result<Option<Connection>> {
        loop {
            return match rustix::net::accept_with(&self.0, FLAGS) {
                Ok(socket) => Ok(Some(Connection(socket))),
                Err(Errno::AGAIN) => Ok(None),
                Err(Errno::INTR | Errno::CONNABORTED) => continue,
                Err(errno) => Err(errno.into()),
            };
        }
    }
}

impl From<Listener> for OwnedFd {
    fn from(listener: Listener) -> Self {
        listener.0
    }
}

impl AsFd for Listener {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    fn directory(name: &str) -> std::path::PathBuf {
        let path = std::env::temp_dir().join(format!("hapticd-sys-{}-{name}", std::process::id()));
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn messages_keep_their_borders_and_their_order() {
        let (a, b) = Connection::pair().unwrap();
        let mut buffer = [0; 64];
        assert!(matches!(
            b.receive(&mut buffer),
            Err(ReceiveError::WouldBlock)
        ));
        a.send(b"one", &[]).unwrap();
        a.send(b"second", &[]).unwrap();
        assert_eq!(b.receive(&mut buffer).unwrap().length, 3);
        assert_eq!(&buffer[..3], b"one");
        assert_eq!(b.receive(&mut buffer).unwrap().length, 6);
        assert_eq!(&buffer[..6], b"second");
    }

    #[test]
    fn a_descriptor_travels_and_works_at_the_other_end() {
        let (a, b) = Connection::pair().unwrap();
        let (mut reading, writing) = io::pipe().unwrap();
        a.send(b"take this", &[writing.as_fd()]).unwrap();
        drop(writing);
        let mut received = b.receive(&mut [0; 64]).unwrap();
        assert_eq!(received.fds.len(), 1);
        let mut file = std::fs::File::from(received.fds.remove(0));
        file.write_all(b"hello").unwrap();
        drop(file);
        let mut text = String::new();
        reading.read_to_string(&mut text).unwrap();
        assert_eq!(text, "hello");
    }

    #[test]
    fn a_message_that_does_not_fit_is_refused_and_the_next_one_is_whole() {
        let (a, b) = Connection::pair().unwrap();
        let (_reading, writing) = io::pipe().unwrap();
        a.send(&[7; 100], &[writing.as_fd()]).unwrap();
        a.send(b"next", &[]).unwrap();
        let mut buffer = [0; 10];
        assert!(matches!(
            b.receive(&mut buffer),
            Err(ReceiveError::Oversize { limit: 10 })
        ));
        assert_eq!(b.receive(&mut buffer).unwrap().length, 4);
    }

    #[test]
    fn the_descriptors_of_a_refused_message_are_closed() {
        let (a, b) = Connection::pair().unwrap();
        let (mut reading, writing) = io::pipe().unwrap();
        a.send(&[7; 100], &[writing.as_fd()]).unwrap();
        drop(writing);
        assert!(b.receive(&mut [0; 10]).is_err());
        // End of file proves that no copy of the writing end is left.
        assert_eq!(reading.read(&mut [0; 1]).unwrap(), 0);
    }

    #[test]
    fn as_many_descriptors_as_allowed_arrive_and_one_more_is_not_sent() {
        let (a, b) = Connection::pair().unwrap();
        let (_reading, writing) = io::pipe().unwrap();
        let nine = [writing.as_fd(); MAX_FDS + 1];
        assert!(matches!(
            a.send(b"x", &nine),
            Err(SendError::Impossible { bytes: 1, fds: 9 })
        ));
        a.send(b"x", &nine[..MAX_FDS]).unwrap();
        assert_eq!(b.receive(&mut [0; 8]).unwrap().fds.len(), MAX_FDS);
    }

    #[test]
    fn a_peer_that_sends_more_descriptors_than_allowed_is_refused() {
        let (a, b) = Connection::pair().unwrap();
        let (_reading, writing) = io::pipe().unwrap();
        for count in [MAX_FDS + 1, MAX_FDS + 2, 100] {
            let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(100))];
            let mut ancillary = SendAncillaryBuffer::new(&mut space);
            let fds = vec![writing.as_fd(); count];
            assert!(ancillary.push(SendAncillaryMessage::ScmRights(&fds)));
            rustix::net::sendmsg(
                &a,
                &[IoSlice::new(b"x")],
                &mut ancillary,
                SendFlags::empty(),
            )
            .unwrap();
            assert!(
                matches!(b.receive(&mut [0; 8]), Err(ReceiveError::Oversize { .. })),
                "{count}"
            );
        }
    }

    fn send_many(to: &Connection, bytes: &[u8], fds: &[BorrowedFd<'_>]) {
        let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_PASSED_FDS))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        assert!(ancillary.push(SendAncillaryMessage::ScmRights(fds)));
        let flags = SendFlags::empty();
        rustix::net::sendmsg(to, &[IoSlice::new(bytes)], &mut ancillary, flags).unwrap();
    }

    #[test]
    fn every_descriptor_is_handed_over_whatever_the_message() {
        let (a, b) = Connection::pair().unwrap();
        let (_reading, writing) = io::pipe().unwrap();
        let most = [writing.as_fd(); MAX_PASSED_FDS];
        for (bytes, count) in [(1, MAX_PASSED_FDS), (9, 1), (9, MAX_PASSED_FDS), (0, 5)] {
            send_many(&a, &vec![1; bytes], &most[..count]);
            let mut fds = Vec::new();
            let refused = b.receive_into(&mut [0; 8], &mut fds);
            assert!(refused.is_err(), "{bytes} bytes, {count} descriptors");
            assert_eq!(fds.len(), count);
        }
        send_many(&a, b"x", &most[..MAX_FDS]);
        let mut fds = Vec::new();
        assert_eq!(b.receive_into(&mut [0; 8], &mut fds).unwrap(), 1);
        assert_eq!(fds.len(), MAX_FDS);
    }

    #[test]
    fn whether_a_message_has_descriptors_is_seen_first() {
        let (a, b) = Connection::pair().unwrap();
        let (_reading, writing) = io::pipe().unwrap();
        assert!(!b.next_has_descriptors());
        a.send(b"without", &[]).unwrap();
        a.send(b"with", &[writing.as_fd()]).unwrap();
        assert!(!b.next_has_descriptors());
        assert_eq!(b.receive(&mut [0; 8]).unwrap().length, 7);
        assert!(b.next_has_descriptors() && b.next_has_descriptors());
        let received = b.receive(&mut [0; 8]).unwrap();
        assert_eq!((received.length, received.fds.len()), (4, 1));
        assert!(!b.next_has_descriptors());
    }

    #[test]
    fn what_the_peer_has_not_read_is_known() {
        let (a, b) = Connection::pair().unwrap();
        assert_eq!(a.unread().unwrap(), 0);
        a.send(b"x", &[]).unwrap();
        assert!(a.unread().unwrap() > 0);
        b.receive(&mut [0; 8]).unwrap();
        assert_eq!(a.unread().unwrap(), 0);
    }

    #[test]
    fn an_end_that_refuses_messages_still_sends() {
        let (ours, theirs) = Connection::pair().unwrap();
        ours.refuse_messages().unwrap();
        assert!(matches!(theirs.send(b"x", &[]), Err(SendError::Closed)));
        ours.send(b"ring", &[]).unwrap();
        assert_eq!(theirs.receive(&mut [0; 8]).unwrap().length, 4);
    }

    #[test]
    fn the_end_of_the_peer_is_told_to_both_directions() {
        let (a, b) = Connection::pair().unwrap();
        drop(a);
        assert!(matches!(b.receive(&mut [0; 8]), Err(ReceiveError::Closed)));
        assert!(matches!(b.send(b"x", &[]), Err(SendError::Closed)));
    }

    #[test]
    fn what_the_peer_said_last_is_read_although_it_closed_without_listening() {
        let (a, b) = Connection::pair().unwrap();
        a.send(b"never read", &[]).unwrap();
        b.send(b"last words", &[]).unwrap();
        drop(b);
        let mut buffer = [0; 16];
        assert_eq!(a.receive(&mut buffer).unwrap().length, 10);
        assert!(matches!(a.receive(&mut buffer), Err(ReceiveError::Closed)));
    }

    #[test]
    fn a_peer_that_does_not_read_never_blocks_the_sender() {
        let (a, _b) = Connection::pair().unwrap();
        let sent = (0..1_000_000)
            .take_while(|_| a.send(&[0; 4096], &[]).is_ok())
            .count();
        assert!(sent > 0 && sent < 1_000_000, "{sent}");
        assert!(matches!(
            a.send(&[0; 4096], &[]),
            Err(SendError::WouldBlock)
        ));
    }

    #[test]
    fn the_listener_sees_the_credentials_of_the_one_that_connects() {
        let path = directory("listen").join("socket");
        let listener = Listener::bind(&path, 0o600).unwrap();
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        assert!(listener.accept().unwrap().is_none());
        let client = Connection::connect(&path).unwrap();
        let server = listener.accept().unwrap().unwrap();
        let peer = server.peer().unwrap();
        assert_eq!(peer.pid, i32::try_from(std::process::id()).unwrap());
        assert_eq!(peer.uid, rustix::process::getuid().as_raw());
        client.send(b"hello", &[]).unwrap();
        assert_eq!(server.receive(&mut [0; 8]).unwrap().length, 5);
        assert_eq!(
            Listener::bind(&path, 0o600).unwrap_err().kind(),
            io::ErrorKind::AddrInUse
        );
        drop(listener);
        assert_eq!(
            Connection::connect(&path).unwrap_err().kind(),
            io::ErrorKind::ConnectionRefused
        );
        std::fs::remove_dir_all(path.parent().unwrap()).unwrap();
        assert_eq!(
            Connection::connect(&path).unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}
