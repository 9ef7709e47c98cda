//! The `hapticd` binary; see the library for what it is made of.

use std::process::ExitCode;

use hapticd_sys::heap::Heap;

/// No thread with a promise to keep waits for one that holds the allocator and has no processor.
#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    hapticd::cli::main()
}
