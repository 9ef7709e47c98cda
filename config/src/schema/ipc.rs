//! `[ipc]`: sockets and what a client may use.

use std::path::PathBuf;

use crate::key::{PathUse, boolean, integer, path_or};
use crate::macros::section;

section! {
    /// What applications and technicians connect to.
    pub struct Ipc {
        /// Whether clients can connect at all.
        enabled: bool = boolean(true),
        /// Socket for applications: they send shapes and poses and can tighten limits.
        app_socket: PathBuf = path_or(PathUse::Socket, "${XDG_RUNTIME_DIR:-/run}/hapticd/app.sock"),
        /// Socket for technicians: they can also read metrics, record and reload.
        technician_socket: PathBuf = path_or(PathUse::Socket, "${XDG_RUNTIME_DIR:-/run}/hapticd/technician.sock"),
        /// Most clients at once, on both sockets together.
        max_clients: u32 = integer(16, 1, 256),
        /// A client that says nothing for this long loses its leases, and the force it asked for ramps to zero.
        lease_ms: u32 = integer(200, 10, 10_000).unit("ms"),
        /// Largest mesh that a client may send.
        max_mesh_bytes: u64 = integer(268_435_456, 4096, 4_294_967_296).unit("bytes"),
    }
}
