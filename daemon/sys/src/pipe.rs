//! Pipes and devices that a user names for output, opened without waiting.

use rustix::fs::{OFlags, fcntl_setfl};
use std::{fs::File, io, os::unix::fs::OpenOptionsExt, path::Path};

/// Opens an existing file for writing. Never waits for a reader; later writes may.
///
/// # Errors
/// Those of the system: `ENXIO` for a pipe without a reader.
pub fn open_writable(path: &Path) -> io::Result<File> {
    let flags = OFlags::NONBLOCK | OFlags::NOCTTY;
    let file = File::options()
        .write(true)
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    fcntl_setfl(&file, OFlags::empty())?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};

    #[test]
    fn a_pipe_is_opened_when_somebody_reads_it_and_refused_at_once_when_not() {
        let path = std::env::temp_dir().join(format!("hapticd-sys-pipe-{}", std::process::id()));
        let _ = std::fs::remove_file(&path);
        let made = std::process::Command::new("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
        let error = open_writable(&path).unwrap_err();
        assert_eq!(error.raw_os_error(), Some(libc::ENXIO));
        let mut reader = File::options()
            .read(true)
            .custom_flags(libc::O_NONBLOCK)
            .open(&path)
            .unwrap();
        let mut writer = open_writable(&path).unwrap();
        assert!(
            !rustix::fs::fcntl_getfl(&writer)
                .unwrap()
                .contains(OFlags::NONBLOCK)
        );
        writer.write_all(b"word").unwrap();
        let mut word = [0; 4];
        reader.read_exact(&mut word).unwrap();
        assert_eq!(&word, b"word");
        std::fs::remove_file(path).unwrap();
    }
}
