//! Opens files that a user or a peer names: regular files only, and without blocking.
//!
//! Opening a pipe waits until something writes to it, and opening a device may have any effect. So
//! each name is checked before it is opened, the open call does not block, and the open file is
//! checked again: the name may point elsewhere by then.
//!
//! A mount that does not answer still blocks the calling thread. Do not use this in a real-time
//! thread or in the supervisor.
#![forbid(unsafe_code)]

use std::fs::{File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Error message for a folder, a pipe, a socket or a device.
pub const NOT_REGULAR: &str = "it is not a regular file";

/// Opens the regular file at `path` for reading. Never waits for a writer.
///
/// # Errors
/// Those of the system, and [`io::ErrorKind::InvalidInput`] with [`NOT_REGULAR`].
pub fn open(path: &Path) -> io::Result<File> {
    regular(std::fs::metadata(path)?.is_file())?;
    let file = OpenOptions::new()
        .read(true)
        .custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY)
        .open(path)?;
    regular(file.metadata()?.is_file())?;
    Ok(file)
}

/// Reads the regular file at `path` if it has at most `max_bytes`.
///
/// # Errors
/// Those of [`open`]; [`io::ErrorKind::FileTooLarge`] with the limit for a longer file, of which at
/// most `max_bytes + 1` are read.
pub fn read(path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
    let file = open(path)?;
    let too_large = || {
        let text = format!("it has more than {max_bytes} bytes");
        io::Error::new(io::ErrorKind::FileTooLarge, text)
    };
    let length = file.metadata()?.len();
    if length > max_bytes {
        return Err(too_large());
    }
    let mut bytes = Vec::with_capacity(usize::try_from(length).unwrap_or(0));
    // The file may grow while it is read.
    file.take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if bytes.len() as u64 > max_bytes {
        return Err(too_large());
    }
    Ok(bytes)
}

/// Reads the regular file at `path` as text, as [`read`] does.
///
/// # Errors
/// Those of [`read`]; [`io::ErrorKind::InvalidData`] if the file is not UTF-8.
pub fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    String::from_utf8(read(path, max_bytes)?)
        .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error.utf8_error()))
}

fn regular(is_file: bool) -> io::Result<()> {
    if is_file {
        Ok(())
    } else {
        Err(io::Error::new(io::ErrorKind::InvalidInput, NOT_REGULAR))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("hapticd-files-{}-{name}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        path
    }

    #[test]
    fn a_pipe_without_a_writer_is_refused_without_waiting() {
        let dir = folder("pipe");
        let pipe = dir.join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        let error = read(&pipe, 10).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{error}");
        assert_eq!(error.to_string(), NOT_REGULAR);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn folders_and_devices_are_refused_and_links_followed() {
        let dir = folder("kinds");
        std::fs::write(dir.join("file"), "text").unwrap();
        std::os::unix::fs::symlink("file", dir.join("link")).unwrap();
        assert_eq!(read_text(&dir.join("link"), 10).unwrap(), "text");
        for other in [&dir, Path::new("/dev/zero")] {
            let error = read(other, 10).unwrap_err();
            assert_eq!(error.to_string(), NOT_REGULAR, "{}", other.display());
        }
        let error = read(&dir.join("none"), 10).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
        std::fs::remove_dir_all(dir).unwrap();
    }

    #[test]
    fn a_file_is_read_up_to_its_limit_and_not_beyond() {
        let dir = folder("length");
        let file = dir.join("file");
        std::fs::write(&file, [7; 100]).unwrap();
        assert_eq!(read(&file, 100).unwrap(), [7; 100]);
        let error = read(&file, 99).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        assert!(error.to_string().contains("99"), "{error}");
        let error = read_text(Path::new("/proc/self/maps"), 3).unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge, "{error}");
        std::fs::remove_dir_all(dir).unwrap();
    }
}
