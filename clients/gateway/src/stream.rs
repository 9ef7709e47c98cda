//! One TCP connection that never blocks, plain or with TLS.

use hapticd_sys::wake::{Interest, wait};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use std::{
    io::{self, Read, Write},
    net::{Shutdown, TcpStream},
    os::fd::{AsFd, BorrowedFd},
    sync::Arc,
    time::Instant,
};

/// The connection. Reading and writing return `WouldBlock` instead of waiting.
#[derive(Debug)]
pub struct Stream {
    inner: Inner,
    budget: usize,
}

#[derive(Debug)]
enum Inner {
    Plain(TcpStream),
    Tls(Box<StreamOwned<ServerConnection, TcpStream>>),
}

impl Stream {
    /// Takes an accepted connection.
    ///
    /// # Errors
    /// When the system refuses, or the configuration of TLS.
    pub fn new(tcp: TcpStream, tls: Option<&Arc<ServerConfig>>) -> io::Result<Self> {
        tcp.set_nonblocking(true)?;
        // Small messages at once: they are about motion.
        tcp.set_nodelay(true)?;
        let inner = match tls {
            None => Inner::Plain(tcp),
            Some(config) => {
                let connection = ServerConnection::new(config.clone()).map_err(io::Error::other)?;
                Inner::Tls(Box::new(StreamOwned::new(connection, tcp)))
            }
        };
        Ok(Self {
            inner,
            budget: usize::MAX,
        })
    }

    /// Lets `bytes` more be read; after that reading returns `WouldBlock`.
    pub fn set_budget(&mut self, bytes: usize) {
        self.budget = bytes;
    }

    /// Returns how many bytes may still be read.
    pub fn budget(&self) -> usize {
        self.budget
    }

    /// Returns true if reading ended for lack of budget: more may be there, of which waiting for
    /// the socket tells nothing.
    pub fn is_exhausted(&self) -> bool {
        self.budget == 0
    }

    fn tcp(&self) -> &TcpStream {
        match &self.inner {
            Inner::Plain(tcp) => tcp,
            Inner::Tls(tls) => &tls.sock,
        }
    }

    fn wants_write(&self) -> bool {
        matches!(&self.inner, Inner::Tls(tls) if tls.conn.wants_write())
    }

    /// Reads what is there, or waits for it until `deadline`. 0 is the end.
    ///
    /// # Errors
    /// `TimedOut`; the system's; those of TLS.
    pub fn read_until(&mut self, buffer: &mut [u8], deadline: Instant) -> io::Result<usize> {
        loop {
            match self.read(buffer) {
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                done => return done,
            }
            let interest = if self.wants_write() {
                Interest::ReadWrite
            } else {
                Interest::Read
            };
            self.wait(interest, deadline)?;
        }
    }

    /// Writes everything, or as much as the other end takes until `deadline`.
    ///
    /// # Errors
    /// `TimedOut`; the system's; those of TLS.
    pub fn write_until(&mut self, mut bytes: &[u8], deadline: Instant) -> io::Result<()> {
        loop {
            let done = if bytes.is_empty() {
                self.flush().map(|()| 0)
            } else {
                self.write(bytes)
            };
            match done {
                Ok(0) if bytes.is_empty() => return Ok(()),
                Ok(0) => return Err(io::ErrorKind::WriteZero.into()),
                Ok(count) => bytes = &bytes[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {
                    self.wait(Interest::Write, deadline)?;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
    }

    /// Waits for the socket.
    ///
    /// # Errors
    /// `TimedOut` when `deadline` is over.
    pub fn wait(&self, interest: Interest, deadline: Instant) -> io::Result<()> {
        let rest = deadline.saturating_duration_since(Instant::now());
        if rest.is_zero() {
            return Err(io::ErrorKind::TimedOut.into());
        }
        wait(&[(self.as_fd(), interest)], Some(rest)).map(|_| ())
    }

    /// Ends TLS in good order and says that nothing more comes. Errors do not matter any more.
    pub fn finish(&mut self, deadline: Instant) {
        if let Inner::Tls(tls) = &mut self.inner {
            tls.conn.send_close_notify();
        }
        let _ = self.write_until(&[], deadline);
        let _ = self.tcp().shutdown(Shutdown::Write);
    }
}

impl AsFd for Stream {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.tcp().as_fd()
    }
}

impl Read for Stream {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.budget == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let count = buffer.len().min(self.budget);
        let buffer = &mut buffer[..count];
        let read = match &mut self.inner {
            Inner::Plain(tcp) => tcp.read(buffer),
            Inner::Tls(tls) => tls.read(buffer),
        }?;
        if self.budget != usize::MAX {
            self.budget -= read;
        }
        Ok(read)
    }
}

impl Write for Stream {
    fn write(&mut self, buffer: &[u8]) -> io::Result<usize> {
        match &mut self.inner {
            Inner::Plain(tcp) => tcp.write(buffer),
            Inner::Tls(tls) => tls.write(buffer),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match &mut self.inner {
            Inner::Plain(_) => Ok(()),
            Inner::Tls(tls) => tls.flush(),
        }
    }
}
