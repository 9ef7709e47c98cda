//! What one client, and all together, may use; the tests and `docs/gateway.md` name each.

use hapticd_protocol::{frame::MAX_MESSAGE, gateway::MAX_INLINE_MESH_BYTES};
use std::time::Duration;

/// WebSockets at once.
pub const MAX_CLIENTS: usize = 8;
/// TCP connections at once, those that are no WebSocket (yet) included.
pub const MAX_CONNECTIONS: usize = 32;
/// Longest head of a request, bytes.
pub const MAX_HEAD_BYTES: usize = 16 << 10;
/// Most header lines of a request.
pub const MAX_HEADERS: usize = 64;
/// Time for the TLS handshake and the request's head.
pub const HANDSHAKE: Duration = Duration::from_secs(2);
/// Time from the upgrade to `Hello`: a page may be busy with itself.
pub const HELLO: Duration = Duration::from_secs(10);
/// Time for a client to take an answer of HTTP.
pub const RESPONSE: Duration = Duration::from_secs(10);
/// Longest frame and message: a mesh behind its `AddBody`.
pub const MAX_FRAME_BYTES: usize = MAX_MESSAGE + MAX_INLINE_MESH_BYTES as usize;
/// Longest message that waits to be sent; no block is longer.
pub const MAX_OUTGOING_BYTES: usize = 1 << 30;
/// Replies and events that wait for a client which does not read.
pub const MAX_WAITING: usize = 256;
/// Descriptors of shapes that wait for such a client.
pub const MAX_WAITING_SHAPES: usize = 80;
/// Bytes that are read for one client before the others of its sources have their turn.
pub const READ_BUDGET_BYTES: usize = 256 << 10;
/// Time between pings.
pub const PING: Duration = Duration::from_secs(5);
/// A client of which nothing came for so long is gone: its cable, its machine or its browser. Its
/// force is long zero by then: leases are shorter.
pub const SILENCE: Duration = Duration::from_secs(20);
/// Time for the last words of a connection.
pub const FAREWELL: Duration = Duration::from_secs(1);
