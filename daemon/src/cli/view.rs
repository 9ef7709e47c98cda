//! `hapticd view` and `hapticd snapshot` start `hapticd-view`, a separate program, so that the
//! daemon links no window system.
//!
//! The viewer is the one next to this executable, otherwise the one in `PATH`. It replaces this
//! process, so signals, output and exit code pass through unchanged.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Failure;

/// File name of the viewer.
const PROGRAM: &str = "hapticd-view";

#[derive(clap::Args)]
pub struct ViewArgs {
    /// The daemon's socket.
    #[arg(long, value_name = "SOCKET")]
    socket: Option<PathBuf>,
    /// Dark on light.
    #[arg(long)]
    light: bool,
}

#[derive(clap::Args)]
pub struct SnapshotArgs {
    /// Picture to write (PNG).
    #[arg(value_name = "OUT.png")]
    output: PathBuf,
    /// Pixels.
    #[arg(long, value_name = "WIDTHxHEIGHT")]
    size: Option<String>,
    /// Follow the scene this long first, s.
    #[arg(long, value_name = "SECONDS")]
    after: Option<String>,
    /// Longest wait for a daemon that is starting, s.
    #[arg(long, value_name = "SECONDS")]
    within: Option<String>,
    /// Overwrite the picture if it exists.
    #[arg(long)]
    force: bool,
    /// Only the scene, without panels.
    #[arg(long)]
    no_panels: bool,
    #[command(flatten)]
    look: ViewArgs,
}

/// Shows the window.
pub fn view(look: &ViewArgs) -> Result<(), Failure> {
    become_viewer(look.arguments())
}

/// Draws into a file. The viewer checks the sizes and times.
pub fn snapshot(args: &SnapshotArgs) -> Result<(), Failure> {
    become_viewer(args.arguments())
}

impl ViewArgs {
    fn arguments(&self) -> Vec<OsString> {
        let socket = self
            .socket
            .iter()
            .flat_map(|path| ["--socket".into(), path.into()]);
        let light = self.light.then(|| "--light".into());
        socket.chain(light).collect()
    }
}

impl SnapshotArgs {
    fn arguments(&self) -> Vec<OsString> {
        let mut arguments: Vec<OsString> = vec!["snapshot".into()];
        for (name, value) in [
            ("--size", &self.size),
            ("--after", &self.after),
            ("--within", &self.within),
        ] {
            // As one argument, so that a value that begins with a hyphen reaches the viewer, which
            // refuses it.
            arguments.extend(value.iter().map(|value| format!("{name}={value}").into()));
        }
        for (name, given) in [("--force", self.force), ("--no-panels", self.no_panels)] {
            arguments.extend(given.then(|| name.into()));
        }
        arguments.extend(self.look.arguments());
        arguments.extend(["--".into(), self.output.clone().into()]);
        arguments
    }
}

/// Returns the viewer next to this program, or its bare name for `PATH`.
fn program(ours: Option<&Path>) -> PathBuf {
    let beside = ours
        .and_then(Path::parent)
        .map(|folder| folder.join(PROGRAM));
    beside
        .filter(|path| path.is_file())
        .unwrap_or_else(|| PROGRAM.into())
}

/// Replaces this process by the viewer; returns only if that fails.
fn become_viewer(arguments: Vec<OsString>) -> Result<(), Failure> {
    let program = program(std::env::current_exe().ok().as_deref());
    let error = Command::new(&program).args(arguments).exec();
    let hint = if error.kind() == std::io::ErrorKind::NotFound {
        ". It is a separate program: `cargo build --release -p hapticd-viewer` builds it; put it next to hapticd or in PATH"
    } else {
        ""
    };
    Err(Failure::Runtime(format!(
        "cannot start the viewer {}: {error}{hint}",
        program.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_viewer_beside_us_comes_before_that_in_path() {
        let folder = std::env::temp_dir().join(format!("hapticd-beside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let ours = folder.join("hapticd");
        assert_eq!(program(Some(&ours)), Path::new(PROGRAM));
        std::fs::write(folder.join(PROGRAM), "").unwrap();
        assert_eq!(program(Some(&ours)), folder.join(PROGRAM));
        assert_eq!(program(None), Path::new(PROGRAM));
        std::fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn all_that_was_typed_reaches_the_viewer_and_a_name_is_never_an_option() {
        let args = SnapshotArgs {
            output: "-x.png".into(),
            size: Some("-1x2".to_owned()),
            after: Some("3".to_owned()),
            within: Some("0".to_owned()),
            force: true,
            no_panels: true,
            look: ViewArgs {
                socket: Some("/a b".into()),
                light: true,
            },
        };
        let expected = [
            "snapshot",
            "--size=-1x2",
            "--after=3",
            "--within=0",
            "--force",
            "--no-panels",
            "--socket",
            "/a b",
            "--light",
            "--",
            "-x.png",
        ];
        assert_eq!(args.arguments(), expected);
    }
}
