//! `hapticd gateway` starts `hapticd-gateway`, a separate program, so that the daemon links neither
//! WebSockets nor TLS, and what browsers send never reaches its process.

use std::ffi::OsString;

use super::Failure;
use super::program::{Program, become_program};

/// The gateway.
const GATEWAY: Program = Program {
    file: "hapticd-gateway",
    name: "gateway",
    package: "hapticd-gateway",
};

/// Everything behind the name is the gateway's: it has its own help.
#[derive(clap::Args)]
#[command(disable_help_flag = true)]
pub struct Args {
    /// Arguments of the gateway; `hapticd gateway --help` lists them.
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "ARGS"
    )]
    arguments: Vec<OsString>,
}

/// Serves browsers.
pub fn gateway(args: Args) -> Result<(), Failure> {
    become_program(&GATEWAY, args.arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Line {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn all_that_was_typed_reaches_the_gateway() {
        let typed = ["--listen", "127.0.0.1:0", "--help", "--", "-x"];
        let line = std::iter::once("gateway").chain(typed);
        let parsed = Line::try_parse_from(line).map_err(|error| error.to_string());
        assert_eq!(parsed.unwrap().args.arguments, typed);
    }
}
