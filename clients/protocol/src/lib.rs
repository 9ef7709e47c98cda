//! Protocol between the daemon and its clients: messages on the socket, and the layout of the
//! shared blocks.
//!
//! The crate is pure: it turns bytes into values and values into bytes. It has no I/O, no clock and
//! no `unsafe`, and no input makes it panic. Decoding validates everything: the numbers in a
//! decoded value are finite and in range, and its texts are valid UTF-8.
//!
//! # Practice
//!
//! * **Control** goes over a unix SEQPACKET socket. Each packet is one message: a 16-byte
//!   [`Header`](frame::Header) and a body of fixed layout, little-endian, at most
//!   [`MAX_MESSAGE`](frame::MAX_MESSAGE) bytes. Clients send [`Request`](request::Request)s; the
//!   daemon answers each with one [`Reply`](reply::Reply) of the same id, and sends
//!   [`Event`](event::Event)s with id 0 to the clients that subscribed.
//! * **Data** is read from sealed shared memory ([`block`]): no message, no system call, always the
//!   newest value.
//! * **Meshes** travel as a sealed memory file ([`mesh`]).
//!
//! # Versions
//!
//! [`MAJOR`] changes when something that exists changes its meaning, its place or its name. The
//! daemon then refuses the client, with both versions in the message and a sentence that says what
//! to do. [`MINOR`] grows when something is *appended*: a new kind, a new code, new fields at the
//! end of a body or words at the end of a block. Both sides then use the lower of the two minor
//! versions, so lengths are always checked exactly. Reserved bytes are zero and are checked.
//! [`Hello`](request::Hello),
//! [`Welcome`](reply::Welcome) and [`Refused`](reply::Refused) keep their layout in every major
//! version; otherwise a mismatch could not be reported.

#![forbid(unsafe_code)]

pub mod block;
mod description;
pub mod event;
pub mod frame;
pub mod gateway;
pub mod layout;
pub mod mesh;
pub mod reply;
pub mod request;
pub mod socket_folder;
pub mod text;
pub mod wire;

/// Major version of the protocol. A client and a daemon whose major versions differ cannot talk.
pub const MAJOR: u16 = 3;
/// Minor version of the protocol: counts what has been appended since `MAJOR.0`.
pub const MINOR: u16 = 0;

/// First word of every hello, welcome and shared block: `HAPTICD` and a zero byte, little-endian.
pub const MAGIC: u64 = u64::from_le_bytes(*b"HAPTICD\0");

/// Maximum number of arms of one daemon.
pub const MAX_ARMS: usize = 8;
/// Maximum number of bodies in a scene.
pub const MAX_BODIES: usize = 64;
/// Maximum number of contacts that are published for one arm.
pub const MAX_CONTACTS: usize = 32;
