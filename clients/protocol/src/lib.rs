//! What the daemon and its clients say to each other: messages on the socket, and the layout of the
//! shared blocks.
//!
//! Pure: bytes in, values out, and back. No I/O, no clock, no `unsafe`; no panic on any bytes.
//! Everything that arrives is validated while it is decoded: what is in a decoded value is finite,
//! in range, and valid UTF-8.
//!
//! # Practice
//!
//! * **Control** goes over a unix SEQPACKET socket. Each packet is one message: a 16-byte
//!   [`Header`](frame::Header) and a body of fixed layout, little-endian, at most
//!   [`MAX_MESSAGE`](frame::MAX_MESSAGE) bytes. Clients send [`Request`](request::Request)s; the
//!   daemon answers each with one [`Reply`](reply::Reply) of the same id, and sends
//!   [`Event`](event::Event)s with id 0 to those who subscribed.
//! * **Data** is read from sealed shared memory ([`block`]): no message, no system call, always the
//!   newest value.
//! * **Meshes** travel as a sealed memory file ([`mesh`]).
//!
//! # Versions
//!
//! [`MAJOR`] changes when something existing changes meaning or place; then the daemon refuses,
//! with both versions in the message. [`MINOR`] grows when something is *appended*: a new kind, a
//! new code, new fields at the end of a body or words at the end of a block. Both sides then use
//! what the lower of the two minor versions has, so lengths are always checked exactly. Reserved
//! bytes are zero and are checked. [`Hello`](request::Hello), [`Welcome`](reply::Welcome) and
//! [`Refused`](reply::Refused) keep their layout in every major version, or nobody could be told
//! about a mismatch.

#![forbid(unsafe_code)]

pub mod block;
pub mod event;
pub mod frame;
pub mod mesh;
pub mod place;
pub mod reply;
pub mod request;
pub mod text;
pub mod wire;

/// First number of a version mismatch.
pub const MAJOR: u16 = 2;
/// Second number: how much has been appended since `MAJOR.0`.
pub const MINOR: u16 = 4;

/// The minor version from which on there are soft bodies, cloth and crowds: kinds from
/// [`Soft`](request::BodyKind::Soft) on, [`OpenSurface`](request::OpenSurface) and its answer,
/// error codes from [`Deformable`](reply::ErrorCode::Deformable) on. To a client of an earlier one
/// the daemon shows no such body.
pub const MINOR_SURFACES: u16 = 1;
/// The minor version from which on there are implicit bodies and their skins:
/// [`Implicit`](request::BodyKind::Implicit), [`OpenSkin`](request::OpenSkin) and its answer,
/// [`NoSkin`](reply::ErrorCode::NoSkin). To a client of an earlier one the daemon shows no such
/// body.
pub const MINOR_SKINS: u16 = 2;
/// The minor version from which on a client can ask for the shape of a rigid body or a tool:
/// [`OpenShape`](request::OpenShape), its answer, and [`NoShape`](reply::ErrorCode::NoShape).
pub const MINOR_SHAPES: u16 = 2;

/// The minor version from which on a technician can release what was tightened, by
/// [`ReleaseLimits`](request::ReleaseLimits); limits that cannot be kept and bodies that cannot be
/// simulated have codes of their own, [`LimitsRefused`](reply::ErrorCode::LimitsRefused) and
/// [`BadBody`](reply::ErrorCode::BadBody); and an arm's state ends with the last force-off.
pub const MINOR_SAFETY: u16 = 3;

/// The minor version from which on a client can ask for all limits that are in force on an arm:
/// [`GetLimits`](request::GetLimits) and its answer.
pub const MINOR_LIMITS: u16 = 4;

/// First word of every hello, welcome and shared block: `HAPTICD` and a zero, little-endian.
pub const MAGIC: u64 = u64::from_le_bytes(*b"HAPTICD\0");

/// Most arms of one daemon.
pub const MAX_ARMS: usize = 8;
/// Most bodies in a scene.
pub const MAX_BODIES: usize = 64;
/// Most contacts of one arm that are published.
pub const MAX_CONTACTS: usize = 32;
