//! Default folders of the daemon's sockets: one rule, shared by the daemon and its clients.
//!
//! The module is pure: the environment and the user are arguments. A folder that anyone could have
//! created first is marked ([`SocketFolder::world_writable`]); the caller must check that it
//! belongs to its user before using it.

use std::{ffi::OsString, path::PathBuf};

/// File name of the applications' socket.
pub const APP_SOCKET: &str = "app.sock";
/// File name of the technician's socket.
pub const TECHNICIAN_SOCKET: &str = "technician.sock";

/// A folder that may hold the daemon's sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketFolder {
    /// Its path.
    pub path: PathBuf,
    /// True when the folder lies where any user may create folders (`/tmp`). A folder of another
    /// user must be refused, not used.
    pub world_writable: bool,
}

impl SocketFolder {
    fn safe(path: PathBuf) -> Self {
        Self {
            path,
            world_writable: false,
        }
    }

    fn temporary(user: u32) -> Self {
        Self {
            path: format!("/tmp/hapticd-{user}").into(),
            world_writable: true,
        }
    }

    fn system() -> Self {
        Self::safe("/run/hapticd".into())
    }
}

/// Returns the folders in which a daemon of this user may create its sockets, in order of
/// preference. The daemon takes the first one that is safe. `variable` looks up environment
/// variables.
///
/// 1. `$XDG_RUNTIME_DIR/hapticd`: the user's session;
/// 2. `$RUNTIME_DIRECTORY`: the folder of a system service (systemd's `RuntimeDirectory=hapticd`
///    makes it `/run/hapticd`);
/// 3. `/run/hapticd` for root;
/// 4. `/tmp/hapticd-UID`;
/// 5. `$HOME/.hapticd`, which no other user can create first.
pub fn of_daemon(variable: impl Fn(&str) -> Option<OsString>, user: u32) -> Vec<SocketFolder> {
    let absolute = |name| {
        variable(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let session =
        absolute("XDG_RUNTIME_DIR").map(|session| SocketFolder::safe(session.join("hapticd")));
    let service = absolute("RUNTIME_DIRECTORY").map(SocketFolder::safe);
    let system = (user == 0).then(SocketFolder::system);
    let home = absolute("HOME").map(|home| SocketFolder::safe(home.join(".hapticd")));
    let mut folders = Vec::new();
    for folder in [
        session,
        service,
        system,
        Some(SocketFolder::temporary(user)),
        home,
    ] {
        folders.extend(folder.filter(|folder| !folders.contains(folder)));
    }
    folders
}

/// Returns the folders that a client of this user searches, in order. First come those of the
/// user's own daemon, with or without the user's session; then that of a system service.
pub fn of_client(variable: impl Fn(&str) -> Option<OsString>, user: u32) -> Vec<SocketFolder> {
    // A client is not the daemon's service: if systemd gave it a runtime directory, that is the
    // client's own.
    let own = |name: &str| {
        let of_service = name == "RUNTIME_DIRECTORY";
        (!of_service).then(|| variable(name)).flatten()
    };
    let mut folders = of_daemon(own, user);
    if !folders.contains(&SocketFolder::system()) {
        folders.push(SocketFolder::system());
    }
    folders
}

#[cfg(test)]
mod tests {
    use super::*;

    fn daemon(variables: &[(&str, &str)], user: u32) -> (String, bool) {
        let folder = of_daemon(look_up(variables), user).remove(0);
        (
            folder.path.to_str().unwrap().to_owned(),
            folder.world_writable,
        )
    }

    fn look_up(variables: &[(&str, &str)]) -> impl Fn(&str) -> Option<OsString> {
        |name| {
            let found = variables.iter().find(|(n, _)| *n == name);
            found.map(|(_, value)| OsString::from(value))
        }
    }

    fn client(variables: &[(&str, &str)], user: u32) -> Vec<String> {
        let folders = of_client(look_up(variables), user);
        let texts = folders.iter().map(|p| p.path.to_str().unwrap().to_owned());
        texts.collect()
    }

    #[test]
    fn a_daemon_without_a_session_has_a_folder_in_tmp_and_root_and_services_have_theirs() {
        let session = ("XDG_RUNTIME_DIR", "/run/user/7");
        let service = ("RUNTIME_DIRECTORY", "/run/hapticd");
        let safe = |path: &str| (path.to_owned(), false);
        for user in [0, 7] {
            assert_eq!(
                daemon(&[session, service], user),
                safe("/run/user/7/hapticd")
            );
            assert_eq!(daemon(&[service], user), safe("/run/hapticd"));
        }
        assert_eq!(daemon(&[], 0), safe("/run/hapticd"));
        assert_eq!(daemon(&[], 7), ("/tmp/hapticd-7".to_owned(), true));
        // Empty and relative paths count as unset.
        for not_a_path in ["", "run"] {
            let variables = [
                ("XDG_RUNTIME_DIR", not_a_path),
                ("RUNTIME_DIRECTORY", not_a_path),
            ];
            assert_eq!(daemon(&variables, 7), ("/tmp/hapticd-7".to_owned(), true));
        }
    }

    #[test]
    fn a_client_looks_wherever_a_daemon_of_its_user_or_of_the_system_can_be() {
        let session = ("XDG_RUNTIME_DIR", "/run/user/7");
        let service = ("RUNTIME_DIRECTORY", "/run/the-clients-own");
        assert_eq!(
            client(&[session, service], 7),
            ["/run/user/7/hapticd", "/tmp/hapticd-7", "/run/hapticd"]
        );
        assert_eq!(client(&[service], 7), ["/tmp/hapticd-7", "/run/hapticd"]);
        assert_eq!(client(&[], 0), ["/run/hapticd", "/tmp/hapticd-0"]);
        let home = ("HOME", "/home/me");
        let all = [
            "/run/user/7/hapticd",
            "/tmp/hapticd-7",
            "/home/me/.hapticd",
            "/run/hapticd",
        ];
        assert_eq!(client(&[session, home], 7), all);
    }

    #[test]
    fn clients_look_wherever_a_daemon_may_have_gone() {
        let own = [("XDG_RUNTIME_DIR", "/run/user/7"), ("HOME", "/home/me")];
        for user in [0, 7] {
            for variables in [&own[..], &own[1..], &[]] {
                let folders = of_client(look_up(variables), user);
                for folder in of_daemon(look_up(variables), user) {
                    assert!(folders.contains(&folder), "{folder:?}");
                }
            }
        }
    }
}
