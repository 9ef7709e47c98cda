//! A memory file from a client (a mesh): checked, then copied once into private memory.
//!
//! The file must be sealed `SHRINK | GROW | WRITE`, so it cannot change between the check and the
//! copy. It is read, not mapped, so the sender cannot raise SIGBUS. Allocates the copy; makes
//! system calls.

use rustix::{
    fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, fstat, memfd_create},
    io::{pread, pwrite},
};
use std::os::fd::{AsFd, OwnedFd};

const REQUIRED: SealFlags = SealFlags::SHRINK
    .union(SealFlags::GROW)
    .union(SealFlags::WRITE);

/// Why a client's file was refused, or could not be made.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// The descriptor is not a memory file with seals.
    #[error("the descriptor is not a sealable memory file: {source}")]
    NotSealable {
        /// The kernel's reason.
        source: std::io::Error,
    },
    /// The owner could still change the file while it is in use.
    #[error("the memory file lacks seals: has {has:#x}, needs {needs:#x} (SHRINK, GROW, WRITE)")]
    Unsealed {
        /// The seals that it has (`F_SEAL_*` bits).
        has: u32,
        /// The seals that it must have.
        needs: u32,
    },
    /// The file is longer than the sender may send.
    #[error("the memory file has {bytes} bytes, more than the limit of {limit}")]
    TooLong {
        /// Length of the file.
        bytes: u64,
        /// Longest accepted length.
        limit: u64,
    },
    /// The kernel refused to make, read, write or seal the file.
    #[error("cannot {step} a memory file of {bytes} bytes: {source}")]
    System {
        /// `create`, `read`, `write` or `seal`.
        step: &'static str,
        /// Length of the file.
        bytes: u64,
        /// The kernel's reason.
        source: std::io::Error,
    },
}

/// Checks the seals and the length of a client's file and copies its content.
///
/// # Errors
/// [`FileError`]: not a sealed memory file, longer than `limit_bytes`, or unreadable.
pub fn read_sealed(fd: impl AsFd, limit_bytes: u64) -> Result<Vec<u8>, FileError> {
    let length = sealed_length(&fd, limit_bytes)?;
    read_start(fd, length)
}

/// Checks the seals and the length of a client's file without reading it, and returns the length.
///
/// # Errors
/// [`FileError`]: not a sealed memory file, or longer than `limit_bytes`.
pub fn sealed_length(fd: impl AsFd, limit_bytes: u64) -> Result<usize, FileError> {
    let not_sealable = |errno: rustix::io::Errno| FileError::NotSealable {
        source: errno.into(),
    };
    let seals = fcntl_get_seals(&fd).map_err(not_sealable)?;
    if !seals.contains(REQUIRED) {
        return Err(FileError::Unsealed {
            has: seals.bits(),
            needs: REQUIRED.bits(),
        });
    }
    let bytes = u64::try_from(fstat(&fd).map_err(not_sealable)?.st_size).unwrap_or(u64::MAX);
    match usize::try_from(bytes) {
        Ok(length) if bytes <= limit_bytes => Ok(length),
        _ => Err(FileError::TooLong {
            bytes,
            limit: limit_bytes,
        }),
    }
}

/// Reads the first `length` bytes of a file that [`sealed_length`] has checked.
///
/// # Errors
/// [`FileError::System`]: unreadable, shorter, or out of memory.
pub fn read_start(fd: impl AsFd, length: usize) -> Result<Vec<u8>, FileError> {
    let bytes = length as u64;
    let failed = |source: std::io::Error| FileError::System {
        step: "read",
        bytes,
        source,
    };
    let mut content = Vec::new();
    if content.try_reserve_exact(length).is_err() {
        return Err(failed(std::io::ErrorKind::OutOfMemory.into()));
    }
    content.resize(length, 0);
    let mut done = 0;
    while done < length {
        match pread(&fd, &mut content[done..], done as u64) {
            Ok(0) => return Err(failed(std::io::ErrorKind::UnexpectedEof.into())),
            Ok(count) => done += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(failed(errno.into())),
        }
    }
    Ok(content)
}

/// Makes a file with `content`, sealed so that a receiver can rely on it. `name` shows in
/// `/proc/PID/fd`.
///
/// # Errors
/// [`FileError::System`] when the process is out of descriptors or memory.
pub fn create_sealed(name: &str, content: &[u8]) -> Result<OwnedFd, FileError> {
    let bytes = content.len() as u64;
    let failed = |step| {
        move |errno: rustix::io::Errno| FileError::System {
            step,
            bytes,
            source: errno.into(),
        }
    };
    let file = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)
        .map_err(failed("create"))?;
    let mut done = 0;
    while done < content.len() {
        match pwrite(&file, &content[done..], done as u64) {
            Ok(count) => done += count,
            Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(failed("write")(errno)),
        }
    }
    fcntl_add_seals(&file, REQUIRED | SealFlags::SEAL).map_err(failed("seal"))?;
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::ftruncate;

    #[test]
    fn what_was_sealed_is_what_is_read() {
        let content: Vec<u8> = (0..100_000_u32).flat_map(u32::to_le_bytes).collect();
        let file = create_sealed("hapticd-test", &content).unwrap();
        assert_eq!(read_sealed(&file, content.len() as u64).unwrap(), content);
        assert_eq!(pwrite(&file, b"x", 0), Err(rustix::io::Errno::PERM));
        assert_eq!(
            read_sealed(create_sealed("hapticd-test", b"").unwrap(), 0).unwrap(),
            b""
        );
    }

    #[test]
    fn a_file_over_the_limit_is_refused_with_both_numbers() {
        let file = create_sealed("hapticd-test", &[0; 100]).unwrap();
        let refused = read_sealed(&file, 99).unwrap_err();
        assert!(
            matches!(
                refused,
                FileError::TooLong {
                    bytes: 100,
                    limit: 99
                }
            ),
            "{refused}"
        );
    }

    #[test]
    fn a_huge_sparse_file_is_refused_before_anything_is_allocated() {
        let file = memfd_create(
            "hapticd-test",
            MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
        )
        .unwrap();
        ftruncate(&file, 1 << 50).unwrap();
        fcntl_add_seals(&file, REQUIRED).unwrap();
        assert!(matches!(
            read_sealed(&file, 1 << 20),
            Err(FileError::TooLong { .. })
        ));
    }

    #[test]
    fn files_that_could_still_change_are_refused() {
        let (pipe, _other) = std::io::pipe().unwrap();
        assert!(matches!(
            read_sealed(&pipe, 10),
            Err(FileError::NotSealable { .. })
        ));
        let directory = std::fs::File::open("/").unwrap();
        assert!(matches!(
            read_sealed(&directory, 10),
            Err(FileError::NotSealable { .. })
        ));
        let file = memfd_create(
            "hapticd-test",
            MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING,
        )
        .unwrap();
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::WRITE).unwrap();
        assert!(matches!(
            read_sealed(&file, 10),
            Err(FileError::Unsealed { .. })
        ));
    }
}
