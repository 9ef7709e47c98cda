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
const PICTURE: &str = "image/svg+xml";
const TEXT: &str = "text/plain; charset=utf-8";
const STYLE: &str = "text/css; charset=utf-8";

macro_rules! files {
    ($($file:literal, $kind:expr;)*) => {
        &[
            File {
                path: "/",
                kind: HTML,
                content: include_bytes!("../../browser/page/index.html"),
            },
            $(File {
                path: concat!("/", $file),
                kind: $kind,
                content: include_bytes!(concat!("../../browser/", $file)),
            },)*
        ]
    };
}

/// All files. A path is that of the file, so that what imports another finds it.
const FILES: &[File] = files! {
    "page/page.css", STYLE;
    "page/page.js", SCRIPT;
    "page/plot.js", SCRIPT;
    "page/scene.js", SCRIPT;
    "page/icon.svg", PICTURE;
    "hapticd/codec.js", SCRIPT;
    "hapticd/frames.js", SCRIPT;
    "hapticd/index.js", SCRIPT;
    "hapticd/layout.js", SCRIPT;
    "hapticd/mesh.js", SCRIPT;
    "vendor/three.js", SCRIPT;
    "vendor/three.LICENSE", TEXT;
};

/// Returns the file with this path.
pub fn find(path: &str) -> Option<&'static File> {
    FILES.iter().find(|file| file.path == path)
}
