//! Folders that only this user and root can write to: their content comes from one of the two.

use std::{io, os::unix::fs::MetadataExt, path::Path};

/// Why a folder is not trusted.
#[derive(Debug, thiserror::Error)]
pub enum FolderError {
    /// It is a link or not a folder: another user may decide where it leads.
    #[error("it is not a folder (a link to one does not count)")]
    NotAFolder,
    /// Another user can replace it or put something into it.
    #[error(
        "others can write to the folder (mode {mode:o}, owner {owner}); only this user or root may"
    )]
    Open {
        /// Mode of the folder.
        mode: u32,
        /// User id of the owner.
        owner: u32,
    },
    /// The system could not inspect it.
    #[error(transparent)]
    System(#[from] io::Error),
}

/// Effective user id of this process.
pub fn user() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Checks that `folder` belongs to user `us` or to root and that no one else may write to it. A
/// folder such as `/tmp`, where only owners may remove (sticky), is not enough: another user may
/// create the entry first.
///
/// # Errors
/// [`FolderError`]; a missing folder is one of the system's errors.
pub fn check(folder: &Path, us: u32) -> Result<(), FolderError> {
    let found = std::fs::symlink_metadata(folder)?;
    if !found.is_dir() {
        return Err(FolderError::NotAFolder);
    }
    let (mode, owner) = (found.mode() & 0o7777, found.uid());
    if (owner != us && owner != 0) || mode & 0o022 != 0 {
        return Err(FolderError::Open { mode, owner });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{fs, os::unix::fs::PermissionsExt, path::PathBuf};

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Self {
            let path =
                std::env::temp_dir().join(format!("hapticd-folder-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir(&path).unwrap();
            Self(path)
        }

        fn mode(self, mode: u32) -> Self {
            fs::set_permissions(&self.0, fs::Permissions::from_mode(mode)).unwrap();
            self
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn our_own_closed_folder_is_good_and_one_that_others_write_to_is_not() {
        for (mode, good) in [
            (0o700, true),
            (0o755, true),
            (0o770, false),
            (0o702, false),
            (0o1777, false),
        ] {
            let folder = Folder::new("mode").mode(mode);
            let checked = check(&folder.0, user());
            assert_eq!(checked.is_ok(), good, "{mode:o}: {checked:?}");
        }
    }

    #[test]
    fn somebody_elses_folder_is_refused() {
        let folder = Folder::new("owner").mode(0o700);
        if user() == 0 {
            // A folder of root's would be accepted for every user.
            std::os::unix::fs::chown(&folder.0, Some(4711), None).unwrap();
        }
        let owner = fs::metadata(&folder.0).unwrap().uid();
        let refused = check(&folder.0, owner + 1);
        assert!(
            matches!(refused, Err(FolderError::Open { mode: 0o700, owner: o }) if o == owner),
            "{refused:?}"
        );
        assert!(check(&folder.0, owner).is_ok());
    }

    #[test]
    fn links_files_and_nothing_are_refused() {
        let folder = Folder::new("link").mode(0o700);
        let (link, file) = (folder.0.join("link"), folder.0.join("file"));
        std::os::unix::fs::symlink(&folder.0, &link).unwrap();
        fs::write(&file, "").unwrap();
        for path in [&link, &file] {
            assert!(matches!(check(path, user()), Err(FolderError::NotAFolder)));
        }
        assert!(matches!(
            check(&folder.0.join("none"), user()),
            Err(FolderError::System(_))
        ));
    }
}
