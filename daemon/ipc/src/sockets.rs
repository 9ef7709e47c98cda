//! The two sockets in the file system: their folder, their owner, and leftovers of an earlier
//! daemon.

use super::descriptor_closer::{DescriptorCloser, Foreign, UnclosedCount};
use hapticd_protocol::socket_folder::SocketFolder;
use hapticd_sys::{
    folder::{self, FolderError},
    socket::Listener,
};
use std::{
    fs::{DirBuilder, File, OpenOptions, TryLockError},
    io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

/// Path and access rights of a socket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Path of the socket.
    pub path: PathBuf,
    /// Its file mode: `0o600` for the daemon's own user (and root) only, `0o660` for a group.
    pub mode: u32,
}

/// Longest path of a socket, bytes.
const MAX_PATH: usize = hapticd_config::key::SOCKET_PATH_MAX;

/// Why a socket could not be made.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    /// The path has no folder.
    #[error("{}: not a socket path", path.display())]
    NoFolder {
        /// The path.
        path: PathBuf,
    },
    /// The path is too long for the system.
    #[error(
        "{}: {} bytes is too long for a socket path (maximum {MAX_PATH}): use a shorter one",
        path.display(),
        path.as_os_str().len()
    )]
    TooLong {
        /// The path.
        path: PathBuf,
    },
    /// Another user could put another socket in its place.
    #[error("{}: {why}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// Why the folder is unsafe.
        why: FolderError,
    },
    /// Every possible folder for the sockets is unsafe or cannot be made.
    #[error(
        "no folder is safe for the sockets:\n{tried}set XDG_RUNTIME_DIR to a folder of your own, or \
         ipc.app_socket and ipc.technician_socket in the configuration"
    )]
    Nowhere {
        /// Each folder with its problem, one per line.
        tried: String,
    },
    /// Another daemon has the path.
    #[error("another hapticd already listens on {}", path.display())]
    InUse {
        /// The path.
        path: PathBuf,
    },
    /// Something else exists at the path, and is not removed.
    #[error("{}: exists and is not a socket", path.display())]
    NotASocket {
        /// The path.
        path: PathBuf,
    },
    /// The system refused an operation.
    #[error("{}: cannot {step}: {source}", path.display())]
    System {
        /// The path.
        path: PathBuf,
        /// The operation.
        step: &'static str,
        /// Reason of the refusal.
        source: io::Error,
    },
}

impl SocketError {
    /// Whether the user can fix it: with another path, other rights, or by ending another daemon.
    pub fn is_user_fixable(&self) -> bool {
        match self {
            Self::System { source, .. } => matches!(
                source.kind(),
                io::ErrorKind::InvalidFilename
                    | io::ErrorKind::IsADirectory
                    | io::ErrorKind::NotADirectory
                    | io::ErrorKind::NotFound
                    | io::ErrorKind::PermissionDenied
                    | io::ErrorKind::ReadOnlyFilesystem
                    | io::ErrorKind::AlreadyExists
            ),
            _ => true,
        }
    }
}

/// A listening socket, held by one daemon; its file is removed when this is dropped.
#[derive(Debug)]
pub(super) struct Bound {
    /// Foreign, because a client that connected and was never accepted may have passed something.
    pub(super) listener: Foreign<Listener>,
    path: PathBuf,
    /// Identity of the file, so that another one at this path is left alone.
    file: Option<(u64, u64)>,
    /// Locked while the daemon lives; the kernel releases it however the daemon ends.
    _lock: File,
}

impl Drop for Bound {
    fn drop(&mut self) {
        if self.file.is_some() && identity(&self.path) == self.file {
            // A failure cannot be handled here; the next daemon removes what is left.
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Device and inode of the file at exactly this path.
fn identity(path: &Path) -> Option<(u64, u64)> {
    let about = std::fs::symlink_metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

/// Returns the first of these folders that belongs, or can be made to belong, to this user (or
/// root) alone. Logs the problem of each folder before it: clients search all of them, and skip
/// those of other users.
///
/// # Errors
/// [`SocketError::Nowhere`].
pub fn folder_of(places: &[SocketFolder]) -> Result<PathBuf, SocketError> {
    let mut tried = String::new();
    for SocketFolder { path: folder, .. } in places {
        let made = make(folder).map_err(FolderError::System);
        match made.and_then(|()| folder::check(folder, folder::user())) {
            Ok(()) => return Ok(folder.clone()),
            Err(why) => {
                tracing::warn!("{}: {why}; the sockets go elsewhere", folder.display());
                tried += &format!("  {}: {why}\n", folder.display());
            }
        }
    }
    Err(SocketError::Nowhere { tried })
}

/// Makes a folder, mode 0700, if there is none.
fn make(folder: &Path) -> io::Result<()> {
    DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Makes the folder (mode 0700) if there is none, refuses one that others can write to, takes the
/// lock next to the socket, removes what a dead daemon left, and listens.
pub(super) fn bind(endpoint: &Endpoint, closer: &DescriptorCloser) -> Result<Bound, SocketError> {
    let path = &endpoint.path;
    let failed = |path: &Path, step| {
        let path = path.to_owned();
        move |source| SocketError::System { path, step, source }
    };
    let folder = match (path.parent(), path.file_name()) {
        (Some(folder), Some(_)) if !folder.as_os_str().is_empty() => folder,
        _ => return Err(SocketError::NoFolder { path: path.clone() }),
    };
    if path.as_os_str().len() > MAX_PATH {
        return Err(SocketError::TooLong { path: path.clone() });
    }
    make(folder).map_err(failed(folder, "make the folder"))?;
    // Before anything is opened there: in another user's folder even the lock could be a link to
    // anywhere.
    folder::check(folder, folder::user()).map_err(|why| SocketError::Folder {
        path: folder.to_owned(),
        why,
    })?;
    let lock_path = path.with_extension("lock");
    let lock = OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(&lock_path)
        .map_err(failed(&lock_path, "open the lock"))?;
    match lock.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(SocketError::InUse { path: path.clone() }),
        Err(TryLockError::Error(source)) => return Err(failed(&lock_path, "lock")(source)),
    }
    // With the lock held, anything that exists there belongs to no living daemon.
    match std::fs::symlink_metadata(path) {
        Ok(found) if found.file_type().is_socket() => {
            std::fs::remove_file(path).map_err(failed(path, "remove the stale socket"))?;
        }
        Ok(_) => return Err(SocketError::NotASocket { path: path.clone() }),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        Err(error) => return Err(failed(path, "look at the path")(error)),
    }
    let listener = Listener::bind(path, endpoint.mode).map_err(failed(path, "listen"))?;
    Ok(Bound {
        listener: closer.foreign(listener, &UnclosedCount::default()),
        file: identity(path),
        path: path.clone(),
        _lock: lock,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use hapticd_sys::socket::Connection;
    use std::os::unix::fs::PermissionsExt;

    fn closer() -> DescriptorCloser {
        DescriptorCloser::new().unwrap()
    }

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("hapticd-sockets-{}-{name}", std::process::id()));
            let _ = std::fs::remove_dir_all(&path);
            Self(path)
        }

        fn endpoint(&self) -> Endpoint {
            Endpoint {
                path: self.0.join("app.sock"),
                mode: 0o600,
            }
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = std::fs::remove_dir_all(&self.0);
        }
    }

    fn mode(path: &Path) -> u32 {
        std::fs::metadata(path).unwrap().permissions().mode() & 0o777
    }

    #[test]
    fn folder_and_socket_are_closed_to_others_and_the_socket_goes_with_the_daemon() {
        let folder = Folder::new("closed");
        let endpoint = folder.endpoint();
        let bound = bind(&endpoint, &closer()).unwrap();
        assert_eq!((mode(&folder.0), mode(&endpoint.path)), (0o700, 0o600));
        Connection::connect(&endpoint.path).unwrap();
        drop(bound);
        assert!(!endpoint.path.exists());
    }

    /// The file of its lock was removed, so another daemon could start in the same place.
    #[test]
    fn another_daemons_socket_at_the_same_path_is_left_alone() {
        let folder = Folder::new("another");
        let endpoint = folder.endpoint();
        let first = bind(&endpoint, &closer()).unwrap();
        std::fs::remove_file(endpoint.path.with_extension("lock")).unwrap();
        let second = bind(&endpoint, &closer()).unwrap();
        drop(first);
        Connection::connect(&endpoint.path).unwrap();
        assert!(second.listener.accept().unwrap().is_some());
        drop(second);
        assert!(!endpoint.path.exists());
    }

    #[test]
    fn a_second_daemon_is_refused_and_the_first_goes_on() {
        let folder = Folder::new("second");
        let first = bind(&folder.endpoint(), &closer()).unwrap();
        assert!(matches!(
            bind(&folder.endpoint(), &closer()),
            Err(SocketError::InUse { .. })
        ));
        Connection::connect(&folder.endpoint().path).unwrap();
        assert!(first.listener.accept().unwrap().is_some());
    }

    #[test]
    fn what_a_dead_daemon_left_is_replaced() {
        let folder = Folder::new("stale");
        let endpoint = folder.endpoint();
        let dead = bind(&endpoint, &closer()).unwrap();
        // As after SIGKILL: the lock is free, the file still exists.
        let Bound {
            listener,
            path,
            _lock,
            ..
        } = &dead;
        _lock.unlock().unwrap();
        assert!(path.exists());
        let _ = listener;
        let next = bind(&endpoint, &closer()).unwrap();
        Connection::connect(&endpoint.path).unwrap();
        assert!(next.listener.accept().unwrap().is_some());
    }

    #[test]
    fn a_file_that_is_not_a_socket_is_left_alone() {
        let folder = Folder::new("file");
        std::fs::create_dir(&folder.0).unwrap();
        std::fs::write(folder.endpoint().path, "precious").unwrap();
        assert!(matches!(
            bind(&folder.endpoint(), &closer()),
            Err(SocketError::NotASocket { .. })
        ));
        assert_eq!(
            std::fs::read_to_string(folder.endpoint().path).unwrap(),
            "precious"
        );
    }

    #[test]
    fn a_folder_that_others_may_write_to_is_refused() {
        let folder = Folder::new("open");
        std::fs::create_dir(&folder.0).unwrap();
        for open in [0o777, 0o1777, 0o770] {
            std::fs::set_permissions(&folder.0, std::fs::Permissions::from_mode(open)).unwrap();
            let refused = bind(&folder.endpoint(), &closer()).unwrap_err();
            assert!(
                matches!(refused, SocketError::Folder { why: FolderError::Open { mode, .. }, .. } if mode == open),
                "{refused}"
            );
            assert_eq!(
                std::fs::read_dir(&folder.0).unwrap().count(),
                0,
                "untouched"
            );
        }
    }

    #[test]
    fn a_link_in_the_place_of_the_folder_is_refused_wherever_it_leads() {
        let folder = Folder::new("link");
        let target = Folder::new("link-target");
        std::fs::create_dir(&target.0).unwrap();
        std::fs::set_permissions(&target.0, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&target.0, &folder.0).unwrap();
        let refused = bind(&folder.endpoint(), &closer()).unwrap_err();
        assert!(
            matches!(
                refused,
                SocketError::Folder {
                    why: FolderError::NotAFolder,
                    ..
                }
            ),
            "{refused}"
        );
        assert_eq!(
            std::fs::read_dir(&target.0).unwrap().count(),
            0,
            "untouched"
        );
        std::fs::remove_file(&folder.0).unwrap();
    }

    #[test]
    fn a_path_without_a_folder_is_refused() {
        for path in ["app.sock", "/", ""] {
            let endpoint = Endpoint {
                path: path.into(),
                mode: 0o600,
            };
            assert!(
                matches!(
                    bind(&endpoint, &closer()),
                    Err(SocketError::NoFolder { .. })
                ),
                "{path}"
            );
        }
    }

    #[test]
    fn an_unsafe_folder_is_passed_over_and_named() {
        let (first, link) = (Folder::new("planted"), Folder::new("planted-link"));
        let (file, good) = (Folder::new("planted-file"), Folder::new("good"));
        let target = Folder::new("planted-target");
        std::fs::create_dir(&first.0).unwrap();
        std::fs::set_permissions(&first.0, std::fs::Permissions::from_mode(0o777)).unwrap();
        std::fs::create_dir(&target.0).unwrap();
        std::fs::set_permissions(&target.0, std::fs::Permissions::from_mode(0o700)).unwrap();
        std::os::unix::fs::symlink(&target.0, &link.0).unwrap();
        std::fs::write(&file.0, "").unwrap();
        let places = |folders: &[&Folder]| -> Vec<SocketFolder> {
            let place = |folder: &&Folder| SocketFolder {
                path: folder.0.clone(),
                world_writable: true,
            };
            folders.iter().map(place).collect()
        };
        let planted = [&first, &link, &file];
        let all = [&first, &link, &file, &good];
        assert_eq!(folder_of(&places(&all)).unwrap(), good.0);
        assert_eq!(mode(&good.0), 0o700);
        let error = folder_of(&places(&planted)).unwrap_err().to_string();
        for folder in planted {
            assert!(error.contains(folder.0.to_str().unwrap()), "{error}");
        }
        assert!(error.contains("XDG_RUNTIME_DIR"), "{error}");
        std::fs::remove_file(&link.0).unwrap();
        std::fs::remove_file(&file.0).unwrap();
    }
}
