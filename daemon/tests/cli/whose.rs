//! Ownership of the socket: neither the daemon nor the command line uses a folder that another user
//! made first, nor speaks to a stranger.

use super::*;
use hapticd_sys::{folder::user, socket::Listener};
use std::os::{
    fd::AsRawFd,
    unix::{fs::PermissionsExt, fs::chown, process::CommandExt},
};

/// Runs the binary as another user would start it, even if that user may not enter its folder.
fn as_user(uid: u32, home: &Path, args: &[&str]) -> Command {
    let binary = std::fs::File::open(env!("CARGO_BIN_EXE_hapticd")).unwrap();
    let mut command = Command::new(format!("/proc/self/fd/{}", binary.as_raw_fd()));
    // Stays open until the start, which is when the path is looked up.
    std::mem::forget(binary);
    command.args(args).uid(uid).gid(uid).current_dir(home);
    command.env_remove("XDG_RUNTIME_DIR").env("HOME", home);
    command.env_remove("RUNTIME_DIRECTORY");
    command
}

#[test]
fn the_command_line_passes_over_a_folder_that_others_write_to() {
    let dir = folder("whose");
    let planted = dir.join("hapticd");
    std::fs::create_dir(&planted).unwrap();
    let listeners = ["app.sock", "technician.sock"]
        .map(|name| Listener::bind(&planted.join(name), 0o666).unwrap());
    std::fs::set_permissions(&planted, std::fs::Permissions::from_mode(0o777)).unwrap();
    let out = hapticd(&dir, &["status"]);
    for listener in &listeners {
        assert!(listener.accept().unwrap().is_none(), "it was spoken to");
    }
    // Unless a daemon of this user really runs elsewhere, this is the message.
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let elsewhere = out.status.success();
    assert!(
        elsewhere || said.contains("others can write to the folder"),
        "{said}"
    );
    std::fs::remove_dir_all(dir).unwrap();
}

/// Runs as root with real other users. For others, `ipc::sockets` tests the folders' owners and the
/// client's library tests the sockets' owners.
#[test]
fn a_planted_folder_does_not_block_the_start() {
    let dir = PathBuf::from(format!("/tmp/hapticd-home-{}", std::process::id()));
    let home = dir.join("home");
    std::fs::create_dir_all(&home).unwrap();
    std::fs::write(home.join("rig.toml"), ARM).unwrap();
    let uid = match user() {
        0 => 100_000 + std::process::id() % 50_000,
        us => us,
    };
    let planted = PathBuf::from(format!("/tmp/hapticd-{uid}"));
    if user() == 0 {
        chown(&home, Some(uid), Some(uid)).unwrap();
        std::fs::create_dir(&planted).unwrap();
        chown(&planted, Some(uid + 1), None).unwrap();
    }
    let mut command = as_user(uid, &home, &["run", "rig.toml", "--plain"]);
    if user() != 0 {
        // The place of a user who may be at work is left alone: the test uses a session that others
        // can write to.
        let session = dir.join("session");
        std::fs::create_dir_all(session.join("hapticd")).unwrap();
        let open = std::fs::Permissions::from_mode(0o777);
        std::fs::set_permissions(session.join("hapticd"), open).unwrap();
        command.env("XDG_RUNTIME_DIR", session);
    }
    let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
    let log = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut daemon = Daemon { process, log };
    daemon.until("the sockets go elsewhere");
    daemon.until("arm attached");
    if user() == 0 {
        let status = as_user(uid, &home, &["status"]).output().unwrap();
        assert!(status.status.success(), "{status:?}");
        // To root that daemon is a stranger's, whoever named its socket.
        let socket = home.join(".hapticd/technician.sock");
        let out = hapticd(&dir, &["status", "--socket", socket.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert_eq!(out.status.code(), Some(1), "{said}");
        assert!(said.contains(&format!("socket of user {uid}")), "{said}");
        std::fs::remove_dir(&planted).unwrap();
    }
    daemon.signal("-TERM");
    assert_eq!(daemon.process.wait().unwrap().code(), Some(0));
    std::fs::remove_dir_all(dir).unwrap();
}
