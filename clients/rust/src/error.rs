//! Errors of the client, and whose fault each one is.

use hapticd_protocol::{
    frame::Message,
    reply::{self, Refused},
    wire::DecodeError,
};
use hapticd_sys::folder::FolderError;
use std::{io, path::PathBuf, time::Duration};

/// Reason why there is no connection.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// No process listens there.
    #[error("no daemon at {}: {source}; is it running? Use --socket or HAPTICD_SOCKET for another socket", path.display())]
    NoDaemon {
        /// Path of the socket.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
    /// The folder of the daemon's socket belongs to another user, or others may write to it.
    /// Nothing was sent.
    #[error(
        "no daemon of ours: {}: {why}; whoever made it may not be trusted (remove it, or name the socket with HAPTICD_SOCKET)",
        folder.display()
    )]
    UntrustedFolder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with the folder.
        why: FolderError,
    },
    /// The listener runs neither as this process's user nor as root. Nothing was sent.
    #[error(
        "{} is a socket of user {owner}, neither ours (user {us}) nor root's: nothing was sent to it",
        path.display()
    )]
    UntrustedPeer {
        /// Path of the socket.
        path: PathBuf,
        /// User id of the listener.
        owner: u32,
        /// User id of this process.
        us: u32,
    },
    /// The name is not 1 to 63 bytes on one line; the caller's fault.
    #[error("the client's name is not allowed: {0}")]
    InvalidName(&'static str),
    /// The daemon refused: another version (the message says what to do), too many clients, or no
    /// permission.
    #[error("{0}")]
    Refused(Refused),
    /// The listener did not answer in time, or is not a hapticd.
    #[error("the hello was not answered: {0}")]
    Handshake(#[from] RequestError),
}

/// Reason why a request was not carried out.
#[derive(Debug, thiserror::Error)]
pub enum RequestError {
    /// The daemon understood the request and refused it, with a code and numbers.
    #[error("{0}")]
    Refused(Box<reply::Error>),
    /// The daemon is gone; see the crate's page.
    #[error("the daemon has closed the connection")]
    Disconnected,
    /// No answer arrived in time.
    #[error("no answer within {0:?}")]
    Timeout(Duration),
    /// The daemon did not add the body in time, and may still do so. The body then appears in
    /// [`Client::bodies`](crate::Client::bodies), is announced by the event `BodyJoined`, and can
    /// be removed with [`Client::remove_body`](crate::Client::remove_body).
    #[error(
        "no answer within {waited:?}: body `{name}` may still be added; look for it in the list \
         of bodies and remove it by its identity, or wait longer (set_timeout)"
    )]
    BodyPending {
        /// Name of the body.
        name: String,
        /// How long the client waited.
        waited: Duration,
    },
    /// The daemon's answer is malformed, or of another kind than the request requires; the daemon's
    /// fault.
    #[error("the daemon's answer is not understood: {0}")]
    Malformed(#[from] DecodeError),
    /// A value that cannot be sent, such as a name of 64 bytes; the caller's fault.
    #[error("`{field}` cannot be sent: {problem}")]
    Invalid {
        /// Name of the field.
        field: &'static str,
        /// What is wrong with it.
        problem: String,
    },
    /// A block from the daemon is invalid; the daemon's fault.
    #[error("a shared block is not usable: {0}")]
    Block(String),
    /// The system refused.
    #[error(transparent)]
    System(#[from] io::Error),
}

impl RequestError {
    /// Makes the error for wrong kind of answer.
    pub(crate) fn unexpected(reply: &reply::Reply) -> Self {
        Self::Malformed(DecodeError::UnknownKind { kind: reply.kind() })
    }
}
