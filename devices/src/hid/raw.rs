//! The few calls that an arm needs from a HID device, and the meaning of their failures.
//!
//! [`RawHid`] is the border: behind it is hidapi's Linux backend (hidraw), or a script in a test.
//! Writes are synchronous in the kernel and take up to 5 s each if the firmware no longer empties
//! its endpoint.

use std::time::Duration;

use hidapi::{HidDevice, HidError};

use crate::transport::TransportError;

/// An open HID device.
pub trait RawHid: Send {
    /// Reads one input report into `buffer`, waiting for at most `timeout`; returns 0 bytes if none
    /// came. A report longer than the buffer is cut.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, TransportError>;

    /// Sends an output report, with its id or 0 first.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn write(&mut self, report: &[u8]) -> Result<(), TransportError>;

    /// Sends a feature report, with its id or 0 first. It uses the control pipe: never call this in
    /// the loop.
    ///
    /// # Errors
    /// See [`TransportError`].
    fn write_feature(&mut self, report: &[u8]) -> Result<(), TransportError>;
}

/// The call that failed; the same system error has different meanings.
#[derive(Copy, Clone, PartialEq)]
enum Call {
    Read,
    Write,
}

impl RawHid for HidDevice {
    fn read(&mut self, buffer: &mut [u8], timeout: Duration) -> Result<usize, TransportError> {
        // Rounded up: a wait of 0.2 ms must not become a spin.
        let milliseconds = timeout.as_micros().div_ceil(1000);
        let milliseconds = i32::try_from(milliseconds).unwrap_or(i32::MAX);
        match self.read_timeout(buffer, milliseconds) {
            Ok(length) => Ok(length),
            Err(HidError::IoError { error }) if error.kind() == std::io::ErrorKind::Interrupted => {
                Ok(0)
            }
            Err(error) => Err(classify(&error, Call::Read)),
        }
    }

    fn write(&mut self, report: &[u8]) -> Result<(), TransportError> {
        match HidDevice::write(self, report) {
            Ok(sent) if sent == report.len() => Ok(()),
            // If the device numbers no reports, the kernel does not count the leading zero.
            Ok(sent) if sent + 1 == report.len() && report[0] == 0 => Ok(()),
            Ok(sent) => Err(TransportError::Incomplete {
                sent,
                all: report.len(),
            }),
            Err(error) => Err(classify(&error, Call::Write)),
        }
    }

    fn write_feature(&mut self, report: &[u8]) -> Result<(), TransportError> {
        self.send_feature_report(report)
            .map_err(|error| classify(&error, Call::Write))
    }
}

/// Extracts the system's error number from a message of hidapi, which keeps only text: Rust's "(os
/// error 13)" or nix's "ENODEV: ...".
pub(super) fn errno_in(message: &str) -> Option<i32> {
    if let Some((_, rest)) = message.split_once("(os error ") {
        return rest.split(')').next()?.parse().ok();
    }
    let names = [
        ("ENODEV", libc::ENODEV),
        ("ENXIO", libc::ENXIO),
        ("ESHUTDOWN", libc::ESHUTDOWN),
        ("ETIMEDOUT", libc::ETIMEDOUT),
        ("EACCES", libc::EACCES),
        ("EPERM", libc::EPERM),
        ("EPIPE", libc::EPIPE),
        ("EIO", libc::EIO),
        ("EINVAL", libc::EINVAL),
    ];
    let words = || message.split(|c: char| !c.is_ascii_alphanumeric());
    names
        .iter()
        .find(|(name, _)| words().any(|word| word == *name))
        .map(|(_, errno)| *errno)
}

fn classify(error: &HidError, call: Call) -> TransportError {
    match error {
        HidError::IoError { error } => from_errno(error.raw_os_error().unwrap_or(0), call),
        // hidapi's poll reports this on POLLERR or POLLHUP, which hidraw gives only after a
        // disconnection.
        HidError::HidApiError { message } if message.contains("disconnected") => {
            TransportError::Gone
        }
        HidError::HidApiError { message } => from_errno(errno_in(message).unwrap_or(0), call),
        HidError::IncompleteSendError { sent, all } => TransportError::Incomplete {
            sent: *sent,
            all: *all,
        },
        _ => TransportError::Io { errno: 0 },
    }
}

fn from_errno(errno: i32, call: Call) -> TransportError {
    match errno {
        libc::ENODEV | libc::ENXIO | libc::ESHUTDOWN => TransportError::Gone,
        // hidraw's read fails with EIO only if the device was removed.
        libc::EIO if call == Call::Read => TransportError::Gone,
        libc::ETIMEDOUT => TransportError::TimedOut,
        errno => TransportError::Io { errno },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_mean_what_the_kernel_means_by_them() {
        let io = |errno| HidError::IoError {
            error: std::io::Error::from_raw_os_error(errno),
        };
        let said = |message: &str| HidError::HidApiError {
            message: message.into(),
        };
        for (error, call, meaning) in [
            (io(libc::ENODEV), Call::Write, TransportError::Gone),
            (io(libc::ESHUTDOWN), Call::Write, TransportError::Gone),
            (io(libc::EIO), Call::Read, TransportError::Gone),
            (
                io(libc::EIO),
                Call::Write,
                TransportError::Io { errno: libc::EIO },
            ),
            (io(libc::ETIMEDOUT), Call::Write, TransportError::TimedOut),
            (
                io(libc::EPIPE),
                Call::Write,
                TransportError::Io { errno: libc::EPIPE },
            ),
            (
                said("unexpected poll error (device disconnected)"),
                Call::Read,
                TransportError::Gone,
            ),
            (
                said("ioctl (GFEATURE): ENODEV: No such device"),
                Call::Write,
                TransportError::Gone,
            ),
            (
                said("ioctl (GFEATURE): ETIMEDOUT: Connection timed out"),
                Call::Write,
                TransportError::TimedOut,
            ),
            (
                said("something else"),
                Call::Write,
                TransportError::Io { errno: 0 },
            ),
            (
                HidError::IncompleteSendError { sent: 1, all: 2 },
                Call::Write,
                TransportError::Incomplete { sent: 1, all: 2 },
            ),
            (
                HidError::InvalidZeroSizeData,
                Call::Write,
                TransportError::Io { errno: 0 },
            ),
        ] {
            assert_eq!(classify(&error, call), meaning, "{error}");
        }
    }

    #[test]
    fn error_numbers_are_found_in_messages() {
        assert_eq!(
            errno_in(
                "failed to open device with path /dev/hidraw0: Permission denied (os error 13)"
            ),
            Some(13)
        );
        assert_eq!(
            errno_in(
                "ioctl(GRDESCSIZE) error for x, not a HIDRAW device?: EINVAL: Invalid argument"
            ),
            Some(libc::EINVAL)
        );
        assert_eq!(errno_in("no number"), None);
        assert_eq!(errno_in("(os error"), None);
    }
}
