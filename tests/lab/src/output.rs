//! Files that an experiment writes where the user said so.

use std::path::Path;

use crate::experiment::Failure;

/// Writes `text` to `folder/name`; makes the folder if it is not there.
///
/// # Errors
/// The folder cannot be made or the file not written: the user named it, so it is the input that is
/// wrong.
pub fn save(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}
