//! Where the daemon's sockets are when nobody says otherwise.

use hapticd_protocol::place::{self, APP_SOCKET, Place};
use hapticd_sys::folder;
use std::path::{Path, PathBuf};

/// `$HAPTICD_SOCKET`, or else `app.sock` in the first folder that has one of those in which a daemon makes it
/// ([`place::of_client`]): `$XDG_RUNTIME_DIR/hapticd`, `/tmp/hapticd-UID` (if it is really ours), `/run/hapticd`. When none has, the first of
/// them (so that an error names it).
pub fn default_socket() -> PathBuf {
    if let Some(socket) = std::env::var_os("HAPTICD_SOCKET") {
        return socket.into();
    }
    let user = folder::user();
    let places = place::of_client(|name| std::env::var_os(name), user);
    choose(&places, Path::exists, |folder| {
        folder::check(folder, user).is_ok()
    })
}

fn choose(
    places: &[Place],
    exists: impl Fn(&Path) -> bool,
    is_ours: impl Fn(&Path) -> bool,
) -> PathBuf {
    let socket = |place: &Place| place.folder.join(APP_SOCKET);
    let good =
        |place: &&Place| exists(&socket(place)) && (!place.anybodys || is_ours(&place.folder));
    let found = places.iter().find(good).or(places.first());
    found.map(socket).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_place_with_a_socket_counts_but_not_somebody_elses_folder_in_tmp() {
        let runtime = |name: &str| (name == "XDG_RUNTIME_DIR").then(|| "/run/user/7".into());
        let places = place::of_client(runtime, 7);
        let chosen = |there: &[&str], tmp_is_ours: bool| {
            let socket = choose(
                &places,
                |path| there.iter().any(|folder| path.starts_with(folder)),
                |folder| {
                    assert_eq!(folder, Path::new("/tmp/hapticd-7"));
                    tmp_is_ours
                },
            );
            socket.to_str().unwrap().to_owned()
        };
        assert_eq!(
            chosen(&["/run", "/tmp"], true),
            "/run/user/7/hapticd/app.sock"
        );
        assert_eq!(
            chosen(&["/tmp", "/run/hapticd"], true),
            "/tmp/hapticd-7/app.sock"
        );
        assert_eq!(
            chosen(&["/tmp", "/run/hapticd"], false),
            "/run/hapticd/app.sock"
        );
        // Nowhere: an error names the first.
        assert_eq!(chosen(&[], true), "/run/user/7/hapticd/app.sock");
        assert_eq!(chosen(&["/tmp"], false), "/run/user/7/hapticd/app.sock");
    }
}
