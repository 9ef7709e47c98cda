//! The `hapticd` binary; its parts are in the library.

use std::process::ExitCode;

use hapticd_sys::heap::Heap;

/// A thread with a deadline must never wait for one that holds the allocator but gets no processor.
#[global_allocator]
static HEAP: Heap = Heap;

fn main() -> ExitCode {
    hapticd::cli::main()
}
