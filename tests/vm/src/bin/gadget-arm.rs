//! A virtual generic arm as a USB gadget on `dummy_hcd`, driven by commands on standard input
//! (`--help` lists them).
#![forbid(unsafe_code)]

use std::io;
use std::process::ExitCode;

use hapticd_vmrig::{command, gadget::GadgetPort};

fn main() -> ExitCode {
    command::main("gadget-arm", "0", |slot| {
        let slot = slot
            .parse()
            .map_err(|_| io::Error::other(format!("--port {slot}: not a number")))?;
        Ok(Box::new(GadgetPort::new(slot)?))
    })
}
