//! What can go wrong, and whose fault it is.

use hapticd_protocol::{
    frame::Message,
    reply::{self, Refused},
    wire::DecodeError,
};
use hapticd_sys::folder::FolderError;
use std::{io, path::PathBuf, time::Duration};

/// Why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// Nobody listens there.
    #[error("no daemon at {}: {source} (is hapticd running? HAPTICD_SOCKET names another socket)", path.display())]
    NoDaemon {
        /// Where.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// The folder in which the daemon's socket should be is somebody else's, or others may write to
    /// it. Nothing was sent.
    #[error(
        "no daemon of ours: {}: {why}; whoever made it may not be trusted (remove it, or name the socket with HAPTICD_SOCKET)",
        folder.display()
    )]
    Unsafe {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        why: FolderError,
    },
    /// What listens there runs neither as our user nor as root. Nothing was sent.
    #[error(
        "{} is a socket of user {owner}, neither ours (user {us}) nor root's: nothing was sent to it",
        path.display()
    )]
    Stranger {
        /// Where.
        path: PathBuf,
        /// The user id of who listens there.
        owner: u32,
        /// Ours.
        us: u32,
    },
    /// The name is not 1 to 63 bytes on one line. The caller's fault.
    #[error("the client's name is not allowed: {0}")]
    Name(&'static str),
    /// The daemon refused: another version (both are in the message), too many clients, no
    /// permission.
    #[error("{0}")]
    Refused(Refused),
    /// What listens there did not answer in time, or is not a hapticd.
    #[error("the hello was not answered: {0}")]
    Handshake(#[from] RequestError),
}

/// Why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The daemon understood it and refused; code and numbers are inside.
    #[error("{0}")]
    Refused(Box<reply::Error>),
    /// The daemon is gone. See the crate's page.
    #[error("the daemon has closed the connection")]
    Disconnected,
    /// No answer in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The daemon had not added the body in time, and may still do so. It is then among
    /// [`Client::bodies`](crate::Client::bodies), told of by the event `BodyJoined`, and goes with
    /// [`Client::remove_body`](crate::Client::remove_body).
    #[error(
        "no answer within {waited:?}: body `{name}` may still be added; look for it in the list \
         of bodies and remove it by its identity, or wait longer (set_timeout)"
    )]
    BodyMayCome {
        /// Its name.
        name: String,
        /// For how long it was waited.
        waited: Duration,
    },
    /// The daemon's answer is malformed, or of another kind than the request's. The daemon's fault.
    #[error("the daemon's answer is not understood: {0}")]
    Malformed(#[from] DecodeError),
    /// A value that cannot be sent, such as a name of 64 bytes. The caller's fault.
    #[error("`{field}` cannot be sent: {problem}")]
    Invalid {
        /// Which.
        field: &'static str,
        /// Why.
        problem: String,
    },
    /// The daemon is too old for this; nothing was sent.
    #[error("{what} need a daemon of version {major}.{needs}, this one has {major}.{daemon}")]
    Unsupported {
        /// For what.
        what: &'static str,
        /// The major version of both.
        major: u16,
        /// The first minor version that has it.
        needs: u16,
        /// The daemon's minor version.
        daemon: u16,
    },
    /// A block that the daemon handed over is not what it should be. The daemon's fault.
    #[error("a shared block is not usable: {0}")]
    Block(String),
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl RequestError {
    /// An answer of the wrong kind.
    pub(crate) fn unexpected(reply: &reply::Reply) -> Self {
        Self::Malformed(DecodeError::UnknownKind { kind: reply.kind() })
    }
}
