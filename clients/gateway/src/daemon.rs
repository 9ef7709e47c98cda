//! The connection to the daemon: packets as they are, with their descriptors.

use hapticd_client::ConnectError;
use hapticd_protocol::frame::MAX_MESSAGE;
use hapticd_sys::{
    folder,
    socket::{Connection, ReceiveError, SendError},
};
use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::Path,
};

/// A packet on its way to the daemon.
#[derive(Debug)]
pub struct Packet {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The mesh file of an `AddBody`.
    pub file: Option<OwnedFd>,
}

/// What came from the daemon.
#[derive(Debug)]
pub enum Received {
    /// A packet.
    Packet(Vec<u8>, Vec<OwnedFd>),
    /// Nothing is there.
    Nothing,
    /// The daemon has closed, or cannot be read.
    Ended(String),
}

/// The connection of one client.
#[derive(Debug)]
pub struct Daemon(Connection);

impl Daemon {
    /// Connects, if the daemon runs as this process's user or as root.
    ///
    /// # Errors
    /// [`ConnectError`].
    pub fn connect(path: &Path) -> Result<Self, ConnectError> {
        let no_daemon = |source: io::Error| ConnectError::NoDaemon {
            path: path.to_owned(),
            source,
        };
        let connection = Connection::connect(path).map_err(no_daemon)?;
        let (owner, us) = (connection.peer().map_err(no_daemon)?.uid, folder::user());
        if owner != us && owner != 0 {
            let path = path.to_owned();
            return Err(ConnectError::UntrustedPeer { path, owner, us });
        }
        Ok(Self(connection))
    }

    /// Sends a packet; returns false if the daemon is behind, and nothing was sent.
    ///
    /// # Errors
    /// A sentence, when the daemon is gone.
    pub fn send(&self, packet: &Packet) -> Result<bool, String> {
        let files: Vec<BorrowedFd<'_>> = packet.file.iter().map(AsFd::as_fd).collect();
        match self.0.send(&packet.bytes, &files) {
            Ok(()) => Ok(true),
            Err(SendError::WouldBlock | SendError::Exhausted(_)) => Ok(false),
            // What it has said before it closed can still be read.
            Err(SendError::Closed) => Ok(true),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Takes the next packet.
    pub fn receive(&self) -> Received {
        let mut bytes = vec![0; MAX_MESSAGE];
        match self.0.receive(&mut bytes) {
            Ok(received) => {
                bytes.truncate(received.length);
                Received::Packet(bytes, received.fds)
            }
            Err(ReceiveError::WouldBlock) => Received::Nothing,
            Err(ReceiveError::Closed) => {
                Received::Ended("the daemon has closed the connection".to_owned())
            }
            Err(error) => Received::Ended(error.to_string()),
        }
    }
}

impl AsFd for Daemon {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}
