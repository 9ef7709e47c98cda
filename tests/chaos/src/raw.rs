//! Ill-behaved client actions: messages without a client library, and strange descriptors.

use crate::Failure;
use hapticd_protocol::{
    frame::{Header, MAX_MESSAGE, Message},
    request::{Hello, ListArms, Request},
    text::Name,
};
use rustix::{
    fs::{CWD, FileType, MemfdFlags, Mode, OFlags, memfd_create, mknodat, open},
    net::{
        AddressFamily, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage, SendFlags,
        SocketAddrUnix, SocketType, sockopt,
    },
};
use std::{
    io::{ErrorKind, IoSlice, Write},
    mem::MaybeUninit,
    net::{TcpListener, TcpStream},
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
    time::{Duration, Instant},
};

/// Maximum number of descriptors that the kernel passes with one message.
const SCM_MAX: usize = 253;

/// A connection that has said hello and follows no other rule.
pub struct Raw(OwnedFd);

impl Raw {
    /// Connects and says hello; does not wait for the answer.
    ///
    /// # Errors
    /// If no process listens.
    pub fn connect(path: &Path) -> Result<Self, Failure> {
        let kind = SocketType::SEQPACKET;
        let socket = rustix::net::socket(AddressFamily::UNIX, kind, None)?;
        rustix::net::connect(&socket, &SocketAddrUnix::new(path)?)?;
        let raw = Self(socket);
        let name = Name::new("raw")?;
        raw.send(&Request::from(Hello::new(name)).encode(1), &[]);
        Ok(raw)
    }

    /// Sends a packet with up to 253 descriptors, without waiting. Returns false if it was not
    /// accepted.
    pub fn send(&self, packet: &[u8], fds: &[BorrowedFd<'_>]) -> bool {
        let mut space = vec![MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(SCM_MAX))];
        let mut ancillary = SendAncillaryBuffer::new(&mut space);
        if !fds.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(fds)) {
            return false;
        }
        let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
        rustix::net::sendmsg(&self.0, &[IoSlice::new(packet)], &mut ancillary, flags).is_ok()
    }

    /// Sends a packet and waits for the answer with this id. Returns false if none arrived.
    pub fn ask(&self, packet: &[u8], id: u64, patience: Duration) -> bool {
        let end = Instant::now() + patience;
        if !self.send(packet, &[]) {
            return false;
        }
        let mut buffer = [0; MAX_MESSAGE];
        while Instant::now() < end {
            match rustix::net::recv(&self.0, &mut buffer[..], RecvFlags::DONTWAIT) {
                Ok((length, _)) if Header::id_of(&buffer[..length]) == id => return true,
                Ok(_) => {}
                Err(_) => std::thread::sleep(Duration::from_millis(1)),
            }
        }
        false
    }

    /// Takes one answer, if there is one.
    pub fn take(&self) {
        let mut buffer = [0; MAX_MESSAGE];
        // The content does not matter.
        let _ = rustix::net::recv(&self.0, &mut buffer[..], RecvFlags::DONTWAIT);
    }
}

/// Returns a packet with a cheap request that declares this many descriptors.
pub fn list_arms(descriptors: u8) -> Vec<u8> {
    let mut packet = Request::from(ListArms {}).encode(9);
    packet[2] = descriptors;
    packet
}

/// Returns a socket that blocks on close for this many seconds, because it has unsent data that its
/// peer does not read. The caller must keep the peer, which is returned with it.
///
/// # Errors
/// The error of the system.
pub fn lingering(seconds: u64) -> Result<(OwnedFd, TcpStream), Failure> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    sockopt::set_socket_recv_buffer_size(&listener, 4096)?;
    let mut sender = TcpStream::connect(listener.local_addr()?)?;
    let (peer, _) = listener.accept()?;
    sender.set_nonblocking(true)?;
    loop {
        match sender.write(&[0; 65_536]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => return Err(error.into()),
        }
    }
    sender.set_nonblocking(false)?;
    sockopt::set_socket_linger(&sender, Some(Duration::from_secs(seconds)))?;
    Ok((sender.into(), peer))
}

/// Opens a directory, a FIFO, a memory file that is not sealed, an end of a socket pair, and a
/// device.
///
/// # Errors
/// The error of the system.
pub fn strange(folder: &Path) -> Result<Vec<OwnedFd>, Failure> {
    let fifo = folder.join(format!("fifo-{}", std::process::id()));
    make_fifo(&fifo)?;
    let read = OFlags::RDONLY | OFlags::NONBLOCK;
    let unsealed = memfd_create("unsealed", MemfdFlags::ALLOW_SEALING)?;
    rustix::fs::ftruncate(&unsealed, 1 << 20)?;
    let (one, _) = rustix::net::socketpair(
        AddressFamily::UNIX,
        SocketType::STREAM,
        rustix::net::SocketFlags::empty(),
        None,
    )?;
    let fifo_end = open(&fifo, read, Mode::empty())?;
    std::fs::remove_file(&fifo)?;
    Ok(vec![
        open(folder, read | OFlags::DIRECTORY, Mode::empty())?,
        fifo_end,
        unsealed,
        one,
        open("/dev/zero", read, Mode::empty())?,
    ])
}

/// Creates a FIFO that its owner may use.
///
/// # Errors
/// The error of the system.
pub fn make_fifo(path: &Path) -> Result<(), Failure> {
    let mode = Mode::RUSR | Mode::WUSR;
    Ok(mknodat(CWD, path, FileType::Fifo, mode, 0)?)
}

/// Returns the first of these descriptors 253 times.
pub fn many(fds: &[OwnedFd]) -> Vec<BorrowedFd<'_>> {
    fds.first()
        .map_or_else(Vec::new, |fd| vec![fd.as_fd(); SCM_MAX])
}
