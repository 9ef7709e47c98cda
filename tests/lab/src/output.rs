//! Files that an experiment writes to a folder of the user's choice.

use std::path::Path;

use crate::experiment::Failure;

/// Writes `text` to `folder/name`; creates the folder if it does not exist.
///
/// # Errors
/// If the folder cannot be created or the file cannot be written. The user named it, so this counts
/// as wrong input.
pub fn save(folder: &Path, name: &str, text: &str) -> Result<(), Failure> {
    let path = folder.join(name);
    std::fs::create_dir_all(folder)
        .and_then(|()| std::fs::write(&path, text))
        .map_err(|e| Failure::Input(format!("{}: {e}", path.display())))
}
