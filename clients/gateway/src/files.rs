//! The page: files that are part of the program. There are no others.

/// A file that is served.
#[derive(Debug, PartialEq)]
pub struct File {
    /// Path in an address.
    pub path: &'static str,
    /// Media type.
    pub kind: &'static str,
    /// Content.
    pub content: &'static [u8],
}

const HTML: &str = "text/html; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! files {
    ($($path:literal, $kind:expr, $file:literal;)*) => {
        /// All files.
        pub const FILES: &[File] = &[$(File {
            path: $path,
            kind: $kind,
            content: include_bytes!(concat!("../../browser/", $file)),
        }),*];
    };
}

files! {
    "/", HTML, "page/index.html";
    "/page.css", STYLE, "page/page.css";
    "/page.js", SCRIPT, "page/page.js";
    "/hapticd/index.js", SCRIPT, "hapticd/index.js";
    "/hapticd/layout.js", SCRIPT, "hapticd/layout.js";
}

/// Returns the file with this path.
pub fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}
