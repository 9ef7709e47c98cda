//! Default path of the daemon's socket, and the check of who owns its folder.

use crate::ConnectError;
use hapticd_protocol::socket_folder::{self, APP_SOCKET, SocketFolder};
use hapticd_sys::folder::{self, FolderError};
use std::{
    io,
    path::{Path, PathBuf},
};

/// Returns `$HAPTICD_SOCKET` if it is set. Otherwise returns `app.sock` in the first folder that
/// has one, of those in which a daemon creates it ([`socket_folder::of_client`]):
/// `$XDG_RUNTIME_DIR/hapticd`, `/tmp/hapticd-UID`, `$HOME/.hapticd`, `/run/hapticd`. It skips
/// folders that belong neither to this user nor to root, and folders that others may write to. If
/// no folder has a socket, returns the first path that could have one, so that an error names it.
///
/// # Errors
/// [`ConnectError::UntrustedFolder`] when no folder has a socket and one was skipped.
pub fn default_socket() -> Result<PathBuf, ConnectError> {
    if let Some(socket) = std::env::var_os("HAPTICD_SOCKET") {
        return Ok(socket.into());
    }
    let user = folder::user();
    let folders = socket_folder::of_client(|name| std::env::var_os(name), user);
    choose(&folders, Path::exists, |folder| folder::check(folder, user))
}

fn choose(
    folders: &[SocketFolder],
    exists: impl Fn(&Path) -> bool,
    check: impl Fn(&Path) -> Result<(), FolderError>,
) -> Result<PathBuf, ConnectError> {
    let (mut possible, mut refused) = (None, None);
    for SocketFolder { path: folder, .. } in folders {
        let socket = folder.join(APP_SOCKET);
        match check(folder) {
            Ok(()) if exists(&socket) => return Ok(socket),
            Ok(()) => possible = possible.or(Some(socket)),
            Err(FolderError::System(error)) if error.kind() == io::ErrorKind::NotFound => {
                possible = possible.or(Some(socket));
            }
            Err(why) => {
                let folder = folder.clone();
                refused = refused.or(Some(ConnectError::UntrustedFolder { folder, why }));
            }
        }
    }
    match (refused, possible) {
        (Some(refused), _) => Err(refused),
        (None, possible) => Ok(possible.unwrap_or_default()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is chosen if the folders `there` have a socket and the folders `others` belong
    /// to another user.
    fn chosen(there: &[&str], others: &[&str]) -> Result<String, String> {
        let runtime = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/7".into());
        let folders = socket_folder::of_client(runtime, 7);
        let within = |path: &Path, folders: &[&str]| folders.iter().any(|f| path.starts_with(f));
        let socket = choose(
            &folders,
            |path| within(path, there),
            |folder| match within(folder, others) {
                true => Err(FolderError::Open {
                    mode: 0o755,
                    owner: 8,
                }),
                false if within(folder, there) => Ok(()),
                false => Err(FolderError::System(io::ErrorKind::NotFound.into())),
            },
        );
        let text = |socket: PathBuf| socket.to_str().unwrap().to_owned();
        socket.map(text).map_err(|error| error.to_string())
    }

    #[test]
    fn the_first_folder_with_a_socket_counts_but_nobody_elses() {
        let session = Ok("/run/user/7/hapticd/app.sock".to_owned());
        assert_eq!(chosen(&["/run", "/tmp"], &[]), session);
        let temporary = Ok("/tmp/hapticd-7/app.sock".to_owned());
        assert_eq!(chosen(&["/tmp", "/run/hapticd"], &[]), temporary);
        let system = Ok("/run/hapticd/app.sock".to_owned());
        assert_eq!(chosen(&["/tmp", "/run/hapticd"], &["/tmp"]), system);
        assert_eq!(chosen(&["/run/hapticd"], &["/tmp", "/run/user"]), system);
        // No socket anywhere: an error names the first path.
        assert_eq!(chosen(&[], &[]), session);
    }

    #[test]
    fn somebody_elses_folder_is_never_the_last_resort() {
        for others in [&["/tmp"][..], &["/run/user"], &["/run", "/tmp"]] {
            let error = chosen(others, others).unwrap_err();
            assert!(
                error.contains(others[0]) && error.contains("owner 8"),
                "{error}"
            );
        }
    }
}
