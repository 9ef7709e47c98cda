//! The files that a command writes. None may be a file that the command reads, or another output:
//! the first write would destroy what is there.

use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use hapticd_config as config;
use hapticd_recording::files;

use super::Failure;

/// Most symbolic links that are followed to a file that does not exist yet; the kernel's own limit.
const LINKS_MAX: usize = 40;

/// The files of one command.
#[derive(Default)]
pub(super) struct Files<'a> {
    /// Files that are read, each with words for what it is.
    read: Vec<(&'static str, PathBuf)>,
    /// Files that are written, each with the option or key that names it.
    written: Vec<(&'static str, &'a Path)>,
}

impl<'a> Files<'a> {
    /// Adds a file that is read.
    pub(super) fn reads(mut self, what: &'static str, path: impl Into<PathBuf>) -> Self {
        self.read.push((what, path.into()));
        self
    }

    /// Adds the files that a configuration names.
    pub(super) fn reads_files_of(mut self, config: &config::Config) -> Self {
        let mut config = config.clone();
        let named = files::paths(&mut config).into_iter();
        self.read
            .extend(named.map(|path| ("a file of the configuration", path.clone())));
        self
    }

    /// Adds a file that is written, if it is.
    pub(super) fn writes(mut self, option: &'static str, path: Option<&'a Path>) -> Self {
        self.written.extend(path.map(|path| (option, path)));
        self
    }

    /// Refuses an output that is a file which is read, or another output. Changes no file.
    pub(super) fn check(&self) -> Result<(), Failure> {
        for (i, (option, path)) in self.written.iter().enumerate() {
            let name = path.display();
            let read = self.read.iter().find(|(_, other)| is_same(path, other));
            if let Some((what, _)) = read {
                return Err(Failure::Input(format!(
                    "{option} {name}: it is {what}, which would be lost: choose another name"
                )));
            }
            let earlier = self.written[..i].iter();
            if let Some((other, _)) = earlier.clone().find(|(_, other)| is_same(path, other)) {
                return Err(Failure::Input(format!(
                    "{option} {name}: {other} writes the same file: choose another name"
                )));
            }
        }
        Ok(())
    }
}

/// Whether both paths lead to one regular file, or would once it is made. Devices and pipes hold
/// nothing that could be lost.
fn is_same(a: &Path, b: &Path) -> bool {
    match (a.metadata(), b.metadata()) {
        (Ok(x), Ok(y)) => x.is_file() && (x.dev(), x.ino()) == (y.dev(), y.ino()),
        (Err(_), Err(_)) => resolved(a) == resolved(b),
        _ => false,
    }
}

/// Returns where a file would be made: all links followed, the folder without detours.
fn resolved(path: &Path) -> PathBuf {
    let mut path = path.to_owned();
    for _ in 0..LINKS_MAX {
        let Ok(target) = path.read_link() else { break };
        path = path.parent().unwrap_or(Path::new("")).join(target);
    }
    let folder = match path.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    match (folder.canonicalize(), path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path,
    }
}

/// Returns where the recording of a configuration is kept when a new one begins: `.old` behind its
/// name.
pub(super) fn kept(recording: &Path) -> PathBuf {
    let mut old = OsString::from(recording);
    old.push(".old");
    old.into()
}

/// Writes a whole file. If that fails, the file that could not be written is removed: an empty one
/// would look like a result.
pub(super) fn write_whole(path: &Path, text: &str) -> Result<(), Failure> {
    let failed = |e: io::Error| Failure::Runtime(format!("{}: {e}", path.display()));
    let mut file = File::create(path).map_err(failed)?;
    file.write_all(text.as_bytes()).map_err(|error| {
        // A device or a pipe stays.
        if path.symlink_metadata().is_ok_and(|m| m.is_file()) {
            // The user hears of the first failure.
            let _ = std::fs::remove_file(path);
        }
        failed(error)
    })
}
