//! Why a call did not do what it should: how the client's errors become a status.

pub(crate) use crate::{misuse::Misuse, status::*};

use crate::{
    memory::{self, Growing},
    types::hd_error,
};
use hapticd_client::{ConnectError, ReadError, ReadSkinError, ReadStateError, RequestError};
use std::time::Duration;

/// What an `hd_error` is filled with.
#[derive(Debug)]
pub(crate) struct Failure {
    pub status: i32,
    pub code: u16,
    pub number: u64,
    pub limit: u64,
    pub message: String,
}

impl Failure {
    pub fn new(status: i32, message: impl ToString) -> Self {
        Self {
            status,
            code: 0,
            number: 0,
            limit: 0,
            message: message.to_string(),
        }
    }

    /// Of a status that needs no more words than its own.
    pub fn plain(status: i32) -> Self {
        Self::new(status, status_text(status).trim_end_matches('\0'))
    }

    fn number(self, number: u64) -> Self {
        Self { number, ..self }
    }

    /// Writes itself into the caller's struct, if there is one, and returns the status.
    pub unsafe fn report(self, error: *mut hd_error) -> i32 {
        if !error.is_null() {
            let mut message = [0; 320];
            let end = self.message.floor_char_boundary(message.len() - 1);
            message[..end].copy_from_slice(&self.message.as_bytes()[..end]);
            let ours = hd_error {
                struct_size: 0,
                status: self.status,
                daemon_code: self.code.into(),
                reserved: 0,
                number: self.number,
                limit: self.limit,
                message,
            };
            // A struct without a size cannot be written; the status is what is left.
            // SAFETY: the rule of `memory`.
            let _ = unsafe { write_error(error, &ours) };
        }
        self.status
    }
}

/// Writes an error; a message that the caller's struct cuts off ends with a NUL all the same.
unsafe fn write_error(theirs: *mut hd_error, ours: &hd_error) -> Result<(), Misuse> {
    // SAFETY: the rule of `memory`.
    unsafe {
        memory::write(theirs, ours)?;
        let size = memory::stated_size(theirs)?;
        let first = std::mem::offset_of!(hd_error, message);
        if (first + 1..size_of::<hd_error>()).contains(&size) {
            theirs.cast::<u8>().add(size - 1).write(0);
        }
    }
    Ok(())
}

/// Checks that the caller's struct can be written to, before anything is done.
pub(crate) unsafe fn check_output<T: Growing>(theirs: *const T) -> Result<(), Misuse> {
    // SAFETY: the rule of `memory`.
    unsafe { memory::stated_size(theirs) }.map(|_| ())
}

impl From<Misuse> for Failure {
    fn from(misuse: Misuse) -> Self {
        let numbers = if misuse.number == 0 && misuse.limit == 0 {
            String::new()
        } else {
            format!(" ({}; {})", misuse.number, misuse.limit)
        };
        Self {
            limit: misuse.limit,
            ..Self::new(misuse.status(), format!("{}{numbers}", misuse.what)).number(misuse.number)
        }
    }
}

fn milliseconds(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn errno(error: &std::io::Error) -> u64 {
    error
        .raw_os_error()
        .map_or(0, |code| u64::from(code.unsigned_abs()))
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        let of = |status| Self::new(status, &error);
        match &error {
            RequestError::Refused(refused) => Self {
                code: refused.code.code(),
                limit: refused.limit,
                ..of(HD_REFUSED).number(refused.number)
            },
            RequestError::Disconnected => of(HD_GONE),
            RequestError::Timeout(waited) => of(HD_TIMEOUT).number(milliseconds(*waited)),
            RequestError::BodyPending { waited, .. } => {
                of(HD_PENDING).number(milliseconds(*waited))
            }
            RequestError::Malformed(_) => of(HD_MALFORMED),
            RequestError::Invalid { .. } => of(HD_INVALID),
            RequestError::Block(_) => of(HD_BLOCK),
            RequestError::System(system) => of(HD_SYSTEM).number(errno(system)),
        }
    }
}

impl From<ConnectError> for Failure {
    fn from(error: ConnectError) -> Self {
        let of = |status| Self::new(status, &error);
        match error {
            ConnectError::NoDaemon { ref source, .. } => of(HD_NO_DAEMON).number(errno(source)),
            ConnectError::UntrustedFolder { .. } => of(HD_UNTRUSTED),
            ConnectError::UntrustedPeer { owner, .. } => of(HD_UNTRUSTED).number(owner.into()),
            ConnectError::InvalidName(_) => of(HD_INVALID),
            ConnectError::Refused(ref refused) => Self {
                limit: refused.limit.into(),
                ..of(HD_NOT_ADMITTED).number(refused.reason.code().into())
            },
            ConnectError::Handshake(source) => {
                let message = format!("the hello was not answered: {source}");
                Self {
                    message,
                    ..Self::from(source)
                }
            }
        }
    }
}

pub(crate) fn read_status(error: ReadError) -> i32 {
    match error {
        ReadError::Empty => HD_NOT_YET,
        ReadError::Torn => HD_BUSY,
    }
}

pub(crate) fn state_status(error: ReadStateError) -> i32 {
    match error {
        ReadStateError::NotSubscribed => HD_NOT_SUBSCRIBED,
        ReadStateError::Read(error) => read_status(error),
    }
}

pub(crate) fn skin_status(error: &ReadSkinError) -> i32 {
    match error {
        ReadSkinError::Read(error) => read_status(*error),
        ReadSkinError::Frame(_) => HD_BLOCK,
    }
}
