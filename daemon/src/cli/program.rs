//! Programs of their own that `hapticd` starts by its name: the viewer and the gateway.
//!
//! The program is the one next to this executable, otherwise the one in `PATH`. It replaces this
//! process, so signals, output and exit code pass through unchanged.

use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Failure;

/// A separate program.
pub struct Program {
    /// Its file name.
    pub file: &'static str,
    /// What people call it.
    pub name: &'static str,
    /// The package that builds it.
    pub package: &'static str,
}

/// Returns the program next to this one, or its bare name for `PATH`.
fn path(program: &Program, ours: Option<&Path>) -> PathBuf {
    let beside = ours
        .and_then(Path::parent)
        .map(|folder| folder.join(program.file));
    beside
        .filter(|path| path.is_file())
        .unwrap_or_else(|| program.file.into())
}

/// Replaces this process by the program; returns only if that fails.
pub fn become_program(program: &Program, arguments: Vec<OsString>) -> Result<(), Failure> {
    let path = path(program, std::env::current_exe().ok().as_deref());
    let error = Command::new(&path).args(arguments).exec();
    let hint = if error.kind() == std::io::ErrorKind::NotFound {
        format!(
            ". It is a separate program: `cargo build --release -p {}` builds it; put it next to \
             hapticd or in PATH",
            program.package
        )
    } else {
        String::new()
    };
    Err(Failure::Runtime(format!(
        "cannot start the {} {}: {error}{hint}",
        program.name,
        path.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_program_beside_us_comes_before_that_in_path() {
        let program = Program {
            file: "hapticd-other",
            name: "other",
            package: "hapticd-other",
        };
        let folder = std::env::temp_dir().join(format!("hapticd-beside-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let ours = folder.join("hapticd");
        assert_eq!(path(&program, Some(&ours)), Path::new(program.file));
        std::fs::write(folder.join(program.file), "").unwrap();
        assert_eq!(path(&program, Some(&ours)), folder.join(program.file));
        assert_eq!(path(&program, None), Path::new(program.file));
        std::fs::remove_dir_all(folder).unwrap();
    }
}
