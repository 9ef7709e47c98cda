//! Descriptors that a peer can pass and that hang in `close` for far longer than any test waits.

use hapticd_sys::socket::Connection;
use rustix::net::sockopt::{set_socket_linger, set_socket_recv_buffer_size};
use std::{
    io::{ErrorKind, Write},
    net::{TcpListener, TcpStream},
    os::fd::{AsFd, OwnedFd},
    time::Duration,
};

/// "For ever".
const LINGER: Duration = Duration::from_secs(36_000);

/// A TCP socket with undelivered data: closing it waits for the delivery.
pub(crate) fn lingering() -> OwnedFd {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    set_socket_recv_buffer_size(&listener, 4096).unwrap();
    let mut socket = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
    let (peer, _) = listener.accept().unwrap();
    socket.set_nonblocking(true).unwrap();
    loop {
        match socket.write(&[0; 65_536]) {
            Ok(_) => {}
            Err(error) if error.kind() == ErrorKind::WouldBlock => break,
            Err(error) => panic!("{error}"),
        }
    }
    set_socket_linger(&socket, Some(LINGER)).unwrap();
    // Dropping it would end the wait.
    std::mem::forget(peer);
    socket.into()
}

/// A socket in whose queue a [`lingering`] one waits to be received: none of its own settings ends
/// the wait.
pub(crate) fn hanging() -> OwnedFd {
    let (outer, sender) = Connection::pair().unwrap();
    sender.send(b"x", &[lingering().as_fd()]).unwrap();
    outer.into()
}
