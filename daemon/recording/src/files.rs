//! The files that a configuration names, so that a recording holds everything it needs.
//!
//! Reads and writes files; used at start-up only.

use std::io;
use std::path::{Path, PathBuf};

use hapticd_config::{Arm, Body, Config, Device, NameOrPath, Shape};
use hapticd_geometry::load::MAX_FILE_BYTES;
use hapticd_geometry::volume::nrrd;

/// A file as it was when the recording began.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Embedded {
    /// Original path.
    pub path: PathBuf,
    /// Content of the file.
    pub bytes: Vec<u8>,
}

/// Returns the paths of all input files of a configuration in a fixed order: per arm the file of
/// its device and the mesh of its tool, then the meshes and volumes of the bodies.
pub fn paths(config: &mut Config) -> Vec<&mut PathBuf> {
    let arms = config.arms.iter_mut().flat_map(of_arm);
    arms.chain(config.bodies.iter_mut().flat_map(of_body))
        .collect()
}

/// Returns the paths of the input files of an arm: the file of its device and the mesh of its tool.
pub fn of_arm(arm: &mut Arm) -> impl Iterator<Item = &mut PathBuf> {
    let device = match &mut arm.device {
        Device::Hid { profile, .. } => profile,
        Device::Simulated { intention, .. } => intention,
    };
    let device = match device {
        NameOrPath::Path(path) => Some(path),
        NameOrPath::Name(_) => None,
    };
    device.into_iter().chain(of_shape(&mut arm.tool))
}

/// Returns the path of the input file of a body: its mesh or its volume.
pub fn of_body(body: &mut Body) -> impl Iterator<Item = &mut PathBuf> {
    of_shape(&mut body.shape).into_iter()
}

fn of_shape(shape: &mut Shape) -> Option<&mut PathBuf> {
    match shape {
        Shape::Mesh { file, .. } | Shape::Volume { file, .. } => Some(file),
        _ => None,
    }
}

/// Reads all files of a configuration. A volume with its samples in a separate file is embedded
/// together with them.
///
/// # Errors
/// The path and error of the first file that cannot be read.
pub fn embed(config: &Config) -> Result<Vec<Embedded>, (PathBuf, io::Error)> {
    let mut copy = config.clone();
    paths(&mut copy)
        .into_iter()
        .map(|path| match whole(path) {
            Ok(bytes) => Ok(Embedded {
                path: path.clone(),
                bytes,
            }),
            Err(error) => Err((path.clone(), error)),
        })
        .collect()
}

fn whole(path: &Path) -> io::Result<Vec<u8>> {
    let bytes = hapticd_files::read(path, MAX_FILE_BYTES)?;
    if bytes.starts_with(b"NRRD") {
        nrrd::attached(path).map_err(io::Error::other)
    } else {
        Ok(bytes)
    }
}

/// A folder of unpacked files. It is removed on drop.
pub struct Unpacked {
    folder: PathBuf,
}

impl Unpacked {
    /// Writes the files of a recording to a new folder and points the configuration to them.
    ///
    /// # Errors
    /// If the folder or a file cannot be written, or if the number of files differs from the number
    /// that the configuration names.
    pub fn new(config: &mut Config, files: &[Embedded]) -> io::Result<Self> {
        let named = paths(config);
        if named.len() != files.len() {
            return Err(io::Error::other(format!(
                "the configuration names {} files, the recording holds {}",
                named.len(),
                files.len()
            )));
        }
        let unpacked = Unpacked {
            folder: new_folder()?,
        };
        for (i, (path, file)) in named.into_iter().zip(files).enumerate() {
            // Only the extension is taken from the old name: it tells the type of the file.
            let end = Path::new(&file.path)
                .extension()
                .and_then(|e| e.to_str())
                .filter(|e| e.len() <= 8 && e.bytes().all(|b| b.is_ascii_alphanumeric()))
                .unwrap_or("bin");
            let to = unpacked.folder.join(format!("{i}.{end}"));
            std::fs::write(&to, &file.bytes)?;
            *path = to;
        }
        Ok(unpacked)
    }
}

impl Drop for Unpacked {
    fn drop(&mut self) {
        // A leftover in the temporary folder is no reason to fail.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Creates a new folder that only its owner can access.
fn new_folder() -> io::Result<PathBuf> {
    use std::os::unix::fs::DirBuilderExt;
    use std::sync::atomic::{AtomicU32, Ordering};
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let mut builder = std::fs::DirBuilder::new();
    builder.mode(0o700);
    loop {
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder =
            std::env::temp_dir().join(format!("hapticd-replay-{}-{number}", std::process::id()));
        match builder.create(&folder) {
            Ok(()) => return Ok(folder),
            Err(e) if e.kind() == io::ErrorKind::AlreadyExists => {}
            Err(e) => return Err(e),
        }
    }
}
