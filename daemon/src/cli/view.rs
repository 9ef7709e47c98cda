//! `hapticd view` and `hapticd snapshot` start `hapticd-view`, a separate program, so that the
//! daemon links no window system.
//!
//! [`become_program`](super::program::become_program) says which one, and how.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Failure;
use super::program::{Program, become_program};

/// The viewer.
const VIEWER: Program = Program {
    file: "hapticd-view",
    name: "viewer",
    package: "hapticd-viewer",
};

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
    become_program(&VIEWER, look.arguments())
}

/// Draws into a file. The viewer checks the sizes and times.
pub fn snapshot(args: &SnapshotArgs) -> Result<(), Failure> {
    become_program(&VIEWER, args.arguments())
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

#[cfg(test)]
mod tests {
    use super::*;

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
