//! Gives the shared library its soname, which follows the major version of the interface.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rustc-cdylib-link-arg=-Wl,-soname,libhapticd.so.1");
    // Symbols of other crates are no part of the interface.
    println!("cargo::rustc-cdylib-link-arg=-Wl,--exclude-libs,ALL");
}
