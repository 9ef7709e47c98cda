//! Where the daemon's sockets are when nobody says otherwise.

use std::path::PathBuf;

/// Name of the applications' socket in the daemon's directory.
const APP_SOCKET: &str = "app.sock";

/// `$HAPTICD_SOCKET`, or else `app.sock` in the first of these directories that has one: `$XDG_RUNTIME_DIR/hapticd`, `/run/hapticd`.
/// When neither has, the first of them (so that an error names it).
pub fn default_socket() -> PathBuf {
    choose(
        std::env::var_os("HAPTICD_SOCKET").map(PathBuf::from),
        std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from),
    )
}

fn choose(socket: Option<PathBuf>, runtime: Option<PathBuf>) -> PathBuf {
    if let Some(socket) = socket {
        return socket;
    }
    let system = PathBuf::from("/run/hapticd").join(APP_SOCKET);
    let Some(runtime) = runtime else {
        return system;
    };
    let own = runtime.join("hapticd").join(APP_SOCKET);
    if !own.exists() && system.exists() {
        system
    } else {
        own
    }
}

#[cfg(test)]
mod tests {
    use super::choose;
    use std::path::PathBuf;

    #[test]
    fn the_environments_word_comes_first_then_the_users_directory() {
        let path = PathBuf::from;
        assert_eq!(
            choose(Some(path("/a/b.sock")), Some(path("/nowhere"))),
            path("/a/b.sock")
        );
        assert_eq!(choose(None, None), path("/run/hapticd/app.sock"));
        if !path("/run/hapticd/app.sock").exists() {
            assert_eq!(
                choose(None, Some(path("/nowhere"))),
                path("/nowhere/hapticd/app.sock")
            );
        }
    }
}
