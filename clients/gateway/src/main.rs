//! The `hapticd-gateway` binary; see the library for its parts.

use std::process::ExitCode;

fn main() -> ExitCode {
    hapticd_gateway::cli::main()
}
