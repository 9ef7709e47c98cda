//! Golden results of the workspace's programs, compared to the bit: `golden/NAME` in this crate.
//!
//! A failing test says that behaviour has changed. If the change is intended, `UPDATE_GOLDEN=1
//! cargo nextest run --workspace -E 'package(hapticd-e2e)'` renews the files, and the commit says
//! why.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Environments in which a program must produce the same bits: the default, and one with the C
/// library's variants for newer processors switched off. The computations use none of these
/// (`sim/elementary`), so the files hold on any x86-64.
pub const PROCESSORS: [(&str, &str); 2] = [
    ("GLIBC_TUNABLES", ""),
    ("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-FMA,-AVX2,-FMA4"),
];

/// Returns the path of a program of the workspace that was built with this test.
///
/// # Panics
/// If it was not built; `cargo test --workspace` builds it.
#[must_use]
pub fn program(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("this program");
    let folder = test.ancestors().nth(2).expect("target/PROFILE/deps/TEST");
    let program = folder.join(name);
    assert!(
        program.is_file(),
        "{} is missing: build the whole workspace",
        program.display()
    );
    program
}

/// Runs a program and returns its standard output.
///
/// # Panics
/// If it fails.
#[must_use]
pub fn output(command: &mut Command) -> String {
    let output = command.output().expect("it starts");
    assert!(
        output.status.success(),
        "{command:?}: {}\n{}",
        output.status,
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// Compares a result with `golden/NAME`, or writes it there if `UPDATE_GOLDEN` is set.
///
/// # Panics
/// If they differ.
pub fn compare(name: &str, found: &str) {
    let file = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("golden")
        .join(name);
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, found).expect("it can be written");
    }
    let kept = std::fs::read_to_string(&file).unwrap_or_default();
    assert_eq!(
        found, kept,
        "{name} does otherwise than it did; if that is meant, see the first lines of \
         tests/e2e/src/lib.rs"
    );
}
