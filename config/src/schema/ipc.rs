//! `[ipc]`: sockets and what a client may use.

use std::path::PathBuf;

use crate::key::Literal::Text;
use crate::key::{PathUse, boolean, integer, path};
use crate::macros::section;

section! {
    /// What applications and technicians connect to.
    pub struct Ipc {
        /// Whether clients can connect at all.
        enabled: bool = boolean(true),
        /// Socket for applications: they send shapes and poses and can tighten limits. Unless given
        /// it is `app.sock` in `$XDG_RUNTIME_DIR/hapticd`; where there is no such variable, in
        /// `$RUNTIME_DIRECTORY` (a system service), else in `/run/hapticd` for root and in
        /// `/tmp/hapticd-UID` for others. Clients look in the same places.
        app_socket: Option<PathBuf> = path(PathUse::Socket).optional(Text("/run/hapticd/app.sock")),
        /// Socket for technicians: they can also read metrics, record and reload.
        /// Unless given it is `technician.sock` in the same place.
        technician_socket: Option<PathBuf> = path(PathUse::Socket).optional(Text("/run/hapticd/technician.sock")),
        /// Most clients at once, on both sockets together.
        /// Technicians have four places more, which applications cannot take.
        max_clients: u32 = integer(16, 1, 256),
        /// A client that says nothing for this long loses its leases, and the force it asked for
        /// ramps to zero.
        lease_ms: u32 = integer(200, 10, 10_000).unit("ms"),
        /// Longest time that a client may ask for instead, for itself or for the pose of a body. So
        /// long may the force of an application that hangs stay on. `lease_ms` counts if it is
        /// longer.
        max_lease_ms: u32 = integer(1000, 10, 10_000).unit("ms"),
        /// Largest mesh that a client may send.
        max_mesh_bytes: u64 = integer(268_435_456, 4096, 4_294_967_296).unit("bytes"),
        /// Memory that the bodies of all clients may take, with all that is made of their meshes;
        /// one client may take half of it. 0: a quarter of the machine's memory.
        memory_mb: u32 = integer(0, 0, 1_048_576).unit("MB"),
    }
}
