//! The `hapticd-view` binary; see the library for its parts.

use std::process::ExitCode;

fn main() -> ExitCode {
    hapticd_viewer::cli::main()
}
