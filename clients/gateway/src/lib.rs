//! The gateway: a process of its own that lets browsers talk to the daemon through WebSockets.
//!
//! * A binary frame holds one message of the [protocol](hapticd_protocol), byte for byte as on the
//!   daemon's socket. The gateway sends it on and understands no more of it than it must.
//! * What a descriptor carries stands behind the message ([`hapticd_protocol::gateway`]): the
//!   gateway makes the sealed file of a mesh, and sends the values of blocks at the rate that the
//!   client asks for.
//! * One client of the daemon for each WebSocket. The gateway says nothing by itself that the
//!   daemon would take for a sign of life, so leases end when the page stops sending.
//! * It serves the page, too: a fixed list of files that are part of the program.
//!
//! Each connection has a thread of its own, without real-time priority. It never blocks but in one
//! wait, for the browser, the daemon and the next value that is due. The daemon cannot be made to
//! wait: everything that a browser is sent is bounded, and a value that is not read is left out.
//!
//! Who may connect is decided by [`access`], and what limits hold is in [`limits`].

#![forbid(unsafe_code)]

pub mod access;
pub mod cli;
mod daemon;
mod files;
mod http;
pub mod limits;
mod log;
mod server;
mod session;
mod stream;
pub mod tls;
pub mod token;
mod upgrade;
mod views;

pub use server::{Server, Settings, StartError};
pub use upgrade::{PATH, SUBPROTOCOL};
