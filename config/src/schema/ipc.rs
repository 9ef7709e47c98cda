//! `[ipc]`: sockets, leases and quotas of clients.

use std::path::PathBuf;

use crate::key::Literal::Text;
use crate::key::{PathUse, boolean, integer, number, path};
use crate::macros::section;

section! {
    /// The sockets for applications and technicians, and what a client may use.
    pub struct Ipc {
        /// Whether clients can connect.
        enabled: bool = boolean(true),
        /// Socket for applications: they send shapes and poses and can tighten limits. Unset:
        /// `app.sock` in the first of these folders that is safe: `$XDG_RUNTIME_DIR/hapticd`,
        /// `$RUNTIME_DIRECTORY` (a system service), `/run/hapticd` for root, `/tmp/hapticd-UID`,
        /// `$HOME/.hapticd`. Clients search them in the same order, without `$RUNTIME_DIRECTORY`,
        /// and `/run/hapticd` last if they are not root.
        app_socket: Option<PathBuf> = path(PathUse::Socket).optional(Text("/run/hapticd/app.sock")),
        /// Socket for technicians: they can also read the status, reload, clear faults, release
        /// limits and shut the daemon down. Unset: `technician.sock` in the same place.
        technician_socket: Option<PathBuf> = path(PathUse::Socket).optional(Text("/run/hapticd/technician.sock")),
        /// Largest number of clients at once, on both sockets together. Technicians have four more
        /// places, which applications cannot take.
        max_clients: u32 = integer(16, 1, 256),
        /// When a client is silent for this long the force of its bodies ramps to zero. Leases of
        /// bodies that it moves go on until their own end.
        lease_ms: u32 = integer(200, 10, 10_000).unit("ms"),
        /// Longest lease that a client may ask for, for itself or for the pose of a body. The force
        /// of an application that hangs may stay on this long. If `lease_ms` is longer, it applies.
        max_lease_ms: u32 = integer(1000, 10, 10_000).unit("ms"),
        /// Largest force that the effects of all clients together make on an arm, in addition to
        /// contact. Contact comes first: effects get what the limits leave beside it. 0: no
        /// effects.
        max_effect_force_n: f64 = number(2.0, 0.0, 100.0).unit("N"),
        /// Size of the largest mesh that a client may send.
        max_mesh_bytes: u64 = integer(268_435_456, 4096, 4_294_967_296).unit("bytes"),
        /// Memory for the bodies of all clients, with everything built from their meshes. One
        /// client may take half of it. 1 MB is 1,048,576 bytes. 0: a quarter of the machine's
        /// memory.
        memory_mb: u32 = integer(0, 0, 1_048_576).unit("MB"),
    }
}
