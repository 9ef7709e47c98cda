//! Messages between the gateway and its clients; the daemon has none of them, and refuses their
//! kinds as unknown.
//!
//! A WebSocket frame holds one message. What a descriptor carries on the daemon's socket stands
//! behind the message in the same frame: the mesh file behind
//! [`AddBody`](crate::request::AddBody), and what the messages of this module say. The length in
//! the message's header is the message's own; every message is a multiple of 8 bytes, so what
//! follows is aligned. Kinds `0x03..` go to the gateway, kinds `0x83..` come from it with id 0.

use crate::{frame::messages, reply::BlockKind};

/// Highest rate at which the gateway sends the values of one block, Hz.
pub const MAX_PUSH_HZ: u32 = 120;
/// Number of requests that the gateway passes on for one client within a second.
pub const GATEWAY_REQUESTS_PER_S: u32 = 500;
/// Longest mesh file behind an [`AddBody`](crate::request::AddBody), bytes: what a daemon allows by
/// default. Its configuration may allow less, or more on its own socket.
pub const MAX_INLINE_MESH_BYTES: u32 = 256 << 20;

messages! {
    /// A request that the gateway itself answers.
    pub enum GatewayRequest {
        /// Sets how often values of the subscribed and opened blocks are sent. It holds for all of
        /// them, also those that come later, and replaces the rates before. A new connection has 0.
        /// It is no sign of life: the daemon does not hear of it.
        SetPushRates = 0x0301 -> Done => {
            /// Values of each state, contacts and bodies block, Hz; 0 for none.
            state_hz: u32 = 0.0..=MAX_PUSH_HZ as f64,
            /// Values of each surface and skin, Hz; 0 for none.
            surface_hz: u32 = 0.0..=MAX_PUSH_HZ as f64,
        } reserved 0
    }
}

messages! {
    /// What the gateway sends unasked, with id 0.
    pub enum GatewayMessage {
        /// The newest value of a block. `words` words follow: the payload's fixed words, then the
        /// elements or rows that the value has. Triangles of a surface come once, in
        /// [`SurfaceTriangles`].
        BlockValue = 0x8301 => {
            /// How often the block was published until this value.
            version: u64,
            /// Number of values so far that were due and not sent, since the client had not yet
            /// read what was sent before.
            skipped: u64,
            /// Identity of the body of a surface or a skin; 0 for the other blocks.
            body: u32,
            /// Number of words that follow.
            words: u32,
            /// Kind of the block.
            kind: BlockKind,
            /// Index of the arm that the block belongs to.
            arm: u16,
        } reserved 4

        /// The triangles of a surface. It comes once, before the surface's first value. Three
        /// `u32` indices of points for each triangle follow.
        SurfaceTriangles = 0x8302 => {
            /// Identity of the body.
            body: u32,
            /// Number of points.
            points: u32,
            /// Number of triangles that follow.
            triangles: u32,
        } reserved 4

        /// The mesh file of a [`Shape`](crate::reply::Shape), right behind that reply. `bytes`
        /// bytes follow.
        ShapeFile = 0x8303 => {
            /// Identity of the body, or the number that stands for the tool.
            body: u32,
            /// Length of the file that follows.
            bytes: u32,
        } reserved 0
    }
}
