//! The `hapticd-view` binary; see the library for what it is made of.

use std::process::ExitCode;

fn main() -> ExitCode {
    hapticd_viewer::cli::main()
}
