//! A virtual generic arm on `/dev/uhid`, driven by commands on standard input (`--help` lists
//! them).
#![forbid(unsafe_code)]

use std::process::ExitCode;

use hapticd_vmrig::{command, uhid::UhidPort};

fn main() -> ExitCode {
    command::main("uhid-arm", "rig/uhid/0", |physical| {
        Ok(Box::new(UhidPort::open(physical)?))
    })
}
