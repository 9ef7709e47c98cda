//! The token: 256 random bits, new at each start, in a file that only its user can read.
//!
//! The text of a token has 43 characters of base64url. It is compared in constant time, so that the
//! time of a refusal tells nothing of it.

use hapticd_sys::folder::{self, FolderError};
use std::{
    fs::{self, OpenOptions},
    hint::black_box,
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

/// Random bytes of a token.
const BYTES: usize = 32;

/// Why there is no token or no file of it.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The system has no random bytes.
    #[error("the system has no random bytes: {0}")]
    Random(getrandom::Error),
    /// Others could read or replace the file.
    #[error("the token's file may not be in {}: {why}", folder.display())]
    Folder {
        /// The folder.
        folder: PathBuf,
        /// What is wrong with it.
        why: FolderError,
    },
    /// The file could not be written.
    #[error("cannot write the token's file {}: {source}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// Error of the system.
        source: io::Error,
    },
}

/// A secret; shown nowhere but in its file and in the address that its user opens.
#[derive(Clone)]
pub struct Token(String);

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token")
    }
}

impl Token {
    /// Makes a new one.
    ///
    /// # Errors
    /// [`TokenError::Random`].
    pub fn random() -> Result<Self, TokenError> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(TokenError::Random)?;
        Ok(Self(base64url(&bytes)))
    }

    /// Returns the text.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// Returns whether `given` is this token. The time depends on the length of `given` alone.
    pub fn is(&self, given: &str) -> bool {
        let (ours, given) = (self.0.as_bytes(), given.as_bytes());
        if ours.len() != given.len() {
            return false;
        }
        let mut difference = 0;
        for (a, b) in ours.iter().zip(given) {
            difference |= black_box(a ^ b);
        }
        black_box(difference) == 0
    }
}

/// Returns base64 with the letters that an address may have, without padding.
fn base64url(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    encode(bytes, LETTERS)
}

/// Returns base64 as HTTP has it.
pub(crate) fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = encode(bytes, LETTERS);
    while !text.len().is_multiple_of(4) {
        text.push('=');
    }
    text
}

fn encode(bytes: &[u8], letters: &[u8; 64]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let word = three.iter().enumerate().fold(0_u32, |word, (index, byte)| {
            word | u32::from(*byte) << (16 - 8 * index)
        });
        for index in 0..=three.len() {
            text.push(char::from(
                letters[(word >> (18 - 6 * index)) as usize & 63],
            ));
        }
    }
    text
}

/// The file with a gateway's address and token, one a line. It is removed when this value is
/// dropped, unless another gateway has replaced it.
#[derive(Debug)]
pub struct TokenFile {
    path: PathBuf,
    content: String,
}

impl TokenFile {
    /// Writes the file with mode 0600. It replaces an older one, or a link there, as a whole: what
    /// a link names is not touched. The folder must be one that only this user and root can write
    /// to.
    ///
    /// # Errors
    /// [`TokenError`].
    pub fn create(path: &Path, address: &str, token: &Token) -> Result<Self, TokenError> {
        let name = path.file_name().unwrap_or_default();
        let folder = match path.parent() {
            Some(folder) if folder != Path::new("") => folder,
            _ => Path::new("."),
        };
        folder::check(folder, folder::user()).map_err(|why| TokenError::Folder {
            folder: folder.to_owned(),
            why,
        })?;
        let failed = |source| TokenError::File {
            path: path.to_owned(),
            source,
        };
        let content = format!("{address}\n{}\n", token.text());
        let mut fresh = name.to_owned();
        fresh.push(format!(".{}", std::process::id()));
        let fresh = folder.join(fresh);
        // The folder is ours: what has this name was left by a gateway that was killed.
        match fs::remove_file(&fresh) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            _ => {}
        }
        let written = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&fresh)
            .and_then(|mut file| file.write_all(content.as_bytes()))
            .and_then(|()| fs::rename(&fresh, path));
        if let Err(error) = written {
            let _ = fs::remove_file(&fresh);
            return Err(failed(error));
        }
        Ok(Self {
            path: path.to_owned(),
            content,
        })
    }
}

impl Drop for TokenFile {
    fn drop(&mut self) {
        if fs::read_to_string(&self.path).is_ok_and(|content| content == self.content) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    fn folder(name: &str) -> PathBuf {
        let path =
            std::env::temp_dir().join(format!("hapticd-token-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o700)).unwrap();
        path
    }

    #[test]
    fn base64_is_that_of_rfc_4648() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64(bytes.as_bytes()), text);
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn tokens_differ_and_only_the_same_text_is_one() {
        let (one, two) = (Token::random().unwrap(), Token::random().unwrap());
        assert_eq!(one.text().len(), 43);
        assert!(one.is(one.text()) && !one.is(two.text()));
        assert!(!one.is("") && !one.is(&one.text()[..42]) && !one.is(&format!("{}x", one.text())));
        let mut near = one.text().to_owned();
        let last = near.pop().unwrap();
        near.push(if last == 'A' { 'B' } else { 'A' });
        assert!(!one.is(&near));
        assert_eq!(format!("{one:?}"), "Token");
    }

    #[test]
    fn only_its_user_reads_the_file_and_a_link_is_replaced() {
        let folder = folder("link");
        let (path, elsewhere) = (folder.join("gateway.token"), folder.join("elsewhere"));
        fs::write(&elsewhere, "precious").unwrap();
        symlink(&elsewhere, &path).unwrap();
        let token = Token::random().unwrap();
        let file = TokenFile::create(&path, "ws://here", &token).unwrap();
        assert_eq!(fs::read_to_string(&elsewhere).unwrap(), "precious");
        let found = fs::symlink_metadata(&path).unwrap();
        assert!(found.is_file());
        assert_eq!(found.permissions().mode() & 0o777, 0o600);
        let content = fs::read_to_string(&path).unwrap();
        assert_eq!(content, format!("ws://here\n{}\n", token.text()));
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);

        // A later gateway's file outlives the earlier gateway.
        let later = TokenFile::create(&path, "ws://there", &token).unwrap();
        drop(file);
        assert!(path.exists());
        drop(later);
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_that_others_write_to_holds_no_token() {
        let folder = folder("open");
        fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).unwrap();
        let path = folder.join("gateway.token");
        let refused = TokenFile::create(&path, "ws://here", &Token::random().unwrap());
        assert!(
            matches!(refused, Err(TokenError::Folder { .. })),
            "{refused:?}"
        );
        assert!(!path.exists());
        fs::remove_dir_all(folder).unwrap();
    }
}
